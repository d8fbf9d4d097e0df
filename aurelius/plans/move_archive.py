"""Moving notes and facts: `move` and `archive`, with every link repaired.  Nothing is deleted.

Each gives a Plan; a fact that is archived stays what it was, in a note of the same name in the
archive folder.
"""

from __future__ import annotations

import datetime
import os
from functools import partial
from itertools import chain, count, islice
from math import ceil
from posixpath import basename
from typing import TYPE_CHECKING

from aurelius.ageing.tiers import live, spared
from aurelius.answers import references
from aurelius.answers.doctor_links import later_paths
from aurelius.answers.note_view import listing
from aurelius.compose import change, fact_text
from aurelius.compose.placement import place_for
from aurelius.compose.rewrite_links import Move, retitled, rewritten, title_of
from aurelius.settings.config import as_on_disk
from aurelius.settings.keys import size_of
from aurelius.settings.places import shell_word
from aurelius.writing.check_edit import allowed_parts, check_name, refuse_anothers
from aurelius.writing.replace_file import CHANGED
from aurelius.writing.safe_folder import below, inside, is_same, on_disk
from indexer.catalog.graph import get_called, get_links, get_tagged
from indexer.catalog.link_targets import Files
from indexer.catalog.names import Called, without_ending
from indexer.catalog.names import key as name_key
from indexer.errors import (
    AmbiguousNameError,
    ConflictError,
    NoteNotFoundError,
    PrivateNoteError,
    UsageError,
)
from indexer.reading.fact_line import lasts, read
from indexer.reading.path_meaning import home_of, is_archived, stem
from indexer.reading.type_words import type_said
from indexer.search.rank import recency
from indexer.search.rank import weight as worth
from indexer.usage.log_reader import get_usage
from indexer.usage.tier import never_cold

from . import addressee
from .new_note import archive_folder, graph_at, refuse_left_out
from .plan import Draft, Events, Plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from aurelius.settings.other_apps import LogseqGraph
    from indexer.note import Fact, Note
    from indexer.usage.tally import Uses
    from indexer.usage.tier import Clock

    from .plan import Desk


def move(desk: Desk, name: str, destination: str) -> Plan:
    """A note moved to a folder or to another path, with links to it and in it repaired.

    Where another program has moved it there already, the links alone are repaired.
    """
    already = _moved_already(desk, name, destination)
    if already:
        repair = _repair_alone(desk, *already)
    else:
        repair = None
    if repair is not None:
        return repair
    path = addressee.note(desk, name)
    target = _target(desk, path, destination)
    about = {"from": path, "to": target, "links_only": False}
    return move_all(desk, {path: target}, f"move {path} to {target}")._replace(about=about)


def move_all(desk: Desk, moved: Mapping[str, str], why: str) -> Plan:
    """Notes moved to paths where nothing is, with links to them and in them repaired."""
    draft = Draft(desk)
    events = Events()
    titles, notices = _moved(desk, draft, moved, events)
    rows = [f"{old} → {new}" for old, new in moved.items()]
    rows += [*titles, *_repaired(draft, {*moved, *moved.values()})]
    return Plan(draft.edits(), why, tuple(rows), {}, tuple(notices), tuple(events))


def _moved_already(desk: Desk, name: str, destination: str) -> tuple[str, str] | None:
    """The old and the new path of a note that another program already moved; None for any other
    move."""
    root = desk.vault.root
    try:
        old, new = (
            "/".join(inside(below(root, each).replace(os.sep, "/"))) for each in (name, destination)
        )
        if os.path.isdir(on_disk(root, new)):
            new += "/" + basename(old)
        old, new = (each if without_ending(each) != each else f"{each}.md" for each in (old, new))
        if new not in {each.path for each in desk.called()}:
            return None
        there = on_disk(root, old)
        if os.path.lexists(there) and not is_same(there, on_disk(root, new)):
            return None
        if old == new or not ("/" in name or name.endswith(".md") or _is_nobody(desk, name)):
            return None
    except UsageError:
        return None
    return old, new


def _is_nobody(desk: Desk, name: str) -> bool:
    try:
        desk.vault.resolve(name, private=desk.private)
    except NoteNotFoundError as error:
        return not isinstance(error, PrivateNoteError)
    except AmbiguousNameError:
        return False
    return False


def _repair_alone(desk: Desk, old: str, new: str) -> Plan | None:
    """The links repaired that a note's new path broke, where the note is there already; None where
    nobody knows it by the old one.
    """
    draft = Draft(desk)
    events = [("alias", old, new)]
    before = draft.read(old, draft.there(new))
    events += _renamed(before, draft.note(new))
    was = Called(old, before.title, before.aliases, before.kind, before.updated or before.date)
    called = [was, *(each for each in get_called(desk.db, private=True) if each.path != new)]
    files = Files(lambda: listing(desk.vault.root))
    notices = _repair(
        desk, draft, Move(called, {old: new}, [_called(draft, new)], files=files, done=True)
    )
    edits = draft.edits()
    if not edits and later_paths(desk.place.state, {new}).get(old) != new:
        return None
    if edits:
        rows = (f"{old} → {new}", *_repaired(draft, set()))
    else:
        rows = ()
    about = {"from": old, "to": new, "links_only": True}
    why = f"repair links to {new}, which was {old}"
    return Plan(edits, why, rows, about, tuple(notices), tuple(events))


def archive(desk: Desk, reference: str) -> Plan:
    """A fact or a whole note moved to the archive folder, where it is still found."""
    if references.is_fact(desk.vault, reference, private=desk.private):
        return archive_facts(desk, [addressee.fact(desk, reference)], f"archive {reference}")
    path = addressee.note(desk, reference)
    _refuse_archived(path)
    target = places_in_archive(desk, [path])[path]
    about = {"archived": [{"id": None, "from": path, "to": target}]}
    return move(desk, path, target)._replace(why=f"archive {path}", about=about)


def places_in_archive(desk: Desk, paths: Iterable[str], *, nested: bool = False) -> dict[str, str]:
    """The path that each note gets in the archive: its name there, else, or where it is to stay
    `nested` in its folders, its whole path, else that with a number.
    """
    folder = archive_folder(desk.vault)
    places: dict[str, str] = {}
    taken: set[str] = set()
    for path in paths:
        home = home_of(path)
        own = path.removeprefix(home)
        name, dot, ending = own.rpartition(".")
        more = (f"{name}-{number}{dot}{ending}" for number in count(2))
        wanted = (
            f"{home}{folder}/{one}"
            for one in chain([own] if nested else [basename(own), own], more)
        )
        places[path] = next(
            each
            for each in wanted
            if each not in taken and not os.path.lexists(os.path.join(desk.vault.root, each))
        )
        taken.add(places[path])
    return places


def archive_facts(
    desk: Desk,
    chosen: list[tuple[str, str]],
    why: str,
    *,
    most: int = 0,
    draft: Draft | None = None,
) -> Plan:
    """Facts, by path and key, moved to the notes of the same name in the archive; in a draft that
    was begun, or alone.

    With `most`, the first so many that can be moved each by itself; without, all of them or an
    error.
    """
    draft = draft or Draft(desk)
    events = Events()
    folder = archive_folder(desk.vault)
    targets = {path: f"{home_of(path)}{folder}/{path.rpartition('/')[2]}" for path, _ in chosen}
    refuse_left_out(desk.vault.settings, *targets.values())
    moved: dict[tuple[str, str], Fact] = {}
    waiting = iter(chosen if not most else chosen[: 20 * most])
    while turn := list(islice(waiting, most - len(moved) if most else None)):
        keys: dict[str, dict[str, None]] = {}
        for path, key in turn:
            keys.setdefault(path, {})[key] = None
        for path, wanted in keys.items():
            _refuse_archived(path)
            try:
                allowed_parts(path, me=desk.place.me)
                if most:
                    nested = change.have_nested(path, draft.there(path), draft.read)
                else:
                    nested = set()
                movable = [key for key in wanted if key not in nested]
                made = _put_away(desk, draft, path, movable, targets[path], skip=bool(most))
            except UsageError:
                if not most:
                    raise
                continue
            moved.update(((path, key), fact) for key, fact in made.items())
    blocks: dict[tuple[str, str], str] = {}
    rows: list[str] = []
    for path, key in chosen:
        if fact := moved.pop((path, key), None):
            target = targets[path]
            blocks[path, fact.id] = target
            rows.append(f"archived: {target}:{fact.first}  {fact.text}  [id:{fact.id}]")
            if key != fact.id:
                events.append(("alias", key, fact.id))
    called = list(get_called(desk.db, private=True))
    there = {each.path for each in called}
    new = [
        _called(draft, target) for target in dict.fromkeys(blocks.values()) if target not in there
    ]
    notices = _repair(desk, draft, Move(called, {}, new, blocks=blocks))
    about = {
        "archived": [
            {"id": key, "from": path, "to": target} for (path, key), target in blocks.items()
        ]
    }
    return Plan(draft.edits(), why, tuple(rows), about, tuple(notices), tuple(events))


def when_over(desk: Desk, size: str, percent: float) -> Plan:
    """The least important facts moved to the archive, if the live notes are larger than `size`.

    The bottom `percent` of a hundred: in turns (`spared`), by what was said of them and how new
    they are; what never grows cold, and what its note cannot spare, stays.
    """
    limit = size_of(size)
    if not limit:
        raise UsageError(f"--when-over {size!r} is not a size", "for example --when-over 100MB")
    index = desk.vault.index()
    keys = index.get_keys().items()
    total = sum(size for path, (size, *_) in keys if not is_archived(path))
    if total <= limit:
        told = f"nothing to archive: the notes have {total:,} bytes, the limit is {limit:,}"
        return Plan((), "", about={"bytes": total, "limit": limit}, notices=(told,))
    usage = get_usage(index.db)
    clock = desk.vault.clock
    found = list(live(desk.vault, private=desk.private))
    turns = spared(desk.vault, private=desk.private)
    order = {
        (path, fact.key): (turns[path, fact.key], weight(fact, usage.of(fact.key), clock))
        for path, fact in found
    }
    ranked = sorted(found, key=lambda each: (order[each[0], each[1].key], each[0], each[1].first))
    chosen = [
        (path, fact.key)
        for path, fact in ranked
        if not never_cold(fact.type, fact.date, clock.today, lasts=lasts(fact))
    ]
    count = ceil(len(found) * percent / 100)
    plan = archive_facts(desk, chosen, "archive what matters least", most=count)
    return plan._replace(about={**plan.about, "bytes": total, "limit": limit})


def weight(fact: Fact, uses: Uses, clock: Clock) -> float:
    """What was said of a fact times how new it is since it was last reinforced, else since its
    date, as in search."""
    day = clock.day_of(uses.ranked) or (
        datetime.date.fromisoformat(fact.date) if fact.date else None
    )
    return worth(uses.score) * recency(None if day is None else (clock.today - day).days)


def _target(desk: Desk, path: str, destination: str) -> str:
    """The path that a destination means.  UsageError, also where something is there already."""
    if not destination.strip():
        raise UsageError(
            "missing argument: DEST",
            "a folder, or the note's new path; . is the vault's top folder",
        )
    root = desk.vault.root
    wanted = as_on_disk(root, below(root, destination).replace(os.sep, "/"))
    name = wanted.rstrip("/")
    if is_archived(f"{name}/x.md") and not {"/", "."} & {
        *name
    }:  # `archives`, whatever it is called
        there = archive_folder(desk.vault)
        if os.path.isdir(os.path.join(root, there)) and not os.path.lexists(
            os.path.join(root, wanted)
        ):
            wanted = f"{there}/"
    refuse_anothers(wanted, desk.vault.who)  # whatever is there
    is_folder = wanted.endswith("/") or os.path.isdir(on_disk(root, wanted))
    if wanted.rstrip("/") != ".":
        target = "/".join(inside(wanted, "written"))
    else:
        target = ""
    if is_folder:
        target = f"{target}/{path.rpartition('/')[2]}".lstrip("/")
    elif without_ending(target) == target:
        target += ".md"
    check_name(root, target, path)
    if target == path:
        raise UsageError(f"{path} is already at that path", "choose another folder or path")
    there = on_disk(root, target)
    if os.path.lexists(there) and not is_same(there, on_disk(root, path)):
        raise UsageError(f"{target} already exists", "nothing was moved; choose another name")
    refuse_left_out(desk.vault.settings, target)
    return target


def _moved(
    desk: Desk, draft: Draft, moved: Mapping[str, str], events: Events
) -> tuple[list[str], list[str]]:
    """Move notes in a draft, repair links; the titles that follow, and what else is to be told."""
    graph = graph_at(desk.vault.root)
    names: dict[str, str] = {}
    titles: list[str] = []
    told: list[str] = []
    for old, new in moved.items():
        before = draft.note(old)
        data = draft.there(old)
        if draft.data(new) not in {None, data}:
            raise ConflictError(
                f"another program created {new} while {old} was being moved there", CHANGED
            )
        draft.put(old, None)
        draft.put(new, data, source=old)
        if graph is not None:
            was_called, is_called, kept = _page(graph, draft, old, new)
            if kept:
                told.append(kept)
            elif was_called != is_called:
                names[name_key(was_called)] = is_called
                if title_of(before):
                    titles += [f"title: {was_called} → {is_called}"]
                else:
                    titles += []
        events += [("alias", old, new), *_renamed(before, draft.note(new))]
    renamed = [_called(draft, new) for new in moved.values()]
    files = Files(lambda: listing(desk.vault.root))
    page_of = graph.page if graph else str
    move = Move(
        get_called(desk.db, private=True), moved, renamed, files=files, pages=names, page_of=page_of
    )
    return titles, [*told, *_repair(desk, draft, move)]


def _renamed(before: Note, after: Note) -> Events:
    """The facts of a note that are called otherwise since it moved."""
    pairs = zip(before.facts, after.facts, strict=False)
    return [("alias", was.key, now.key) for was, now in pairs if was.key != now.key]


def _page(graph: LogseqGraph, draft: Draft, old: str, new: str) -> tuple[str, str, str]:
    """What a page that has moved in a draft was called and is called now, its title with it where
    that was the same as its old name; and why the title stays, where it should not.
    """
    note = draft.note(new)
    said = title_of(note)
    before = graph.page(stem(old))
    after = graph.page(stem(new))
    if not said or before == after:
        return said or before, said or after, ""
    if name_key(said) != name_key(before):
        return said, said, ""
    data = retitled(note, draft.there(new), after, draft.read)
    if data is None:
        return (
            said,
            said,
            f"{new} still has the title {said!r}: change it to {after!r} with an editor",
        )
    draft.put(new, data)
    return said, after, ""


def _called(draft: Draft, path: str) -> Called:
    note = draft.note(path)
    return Called(path, note.title, note.aliases, note.kind, note.updated or note.date)


def _repair(desk: Desk, draft: Draft, move: Move) -> list[str]:
    """Rewrite the links of every note that may be seen; returns notices about the others."""
    db = desk.db
    seen = {each.path for each in desk.called()}
    wrong: set[str] = set()
    if move.done:
        was = {new: old for old, new in move.moved.items()}
    else:
        was = {}
    for path, link in get_links(db, private=True):
        source = was.get(path, path)
        if (
            path not in wrong
            and move.concerns(source, link)
            and move.decide(source, link) is not None
        ):
            wrong.add(path)
    wrong.update(get_tagged(db, set(move.pages), private=True) if move.pages else ())
    told: list[str] = []
    hidden = len(wrong - seen)
    for path in sorted(wrong & seen):
        source = was.get(path, path)
        place = move.moved.get(source, source)
        try:
            data = rewritten(place, draft.there(place), partial(move.decide, source), move.pages)
        except (UsageError, NoteNotFoundError) as error:
            told.append(f"links in {place} are not repaired: {error.message}")
            continue
        draft.put(place, data, source=path if place != path else "")
        left = [tag.name for tag in draft.note(place).tags if name_key(tag.name) in move.pages]
        if left:
            told.append(
                f"not repaired in {place}: {len(left)} in its properties ({', '.join(left)}); use"
                " an editor"
            )
    if hidden:
        told.append(
            f"links in {hidden} private {'note' if hidden == 1 else 'notes'} are not repaired"
            " (--private repairs them)"
        )
    return told


def _repaired(draft: Draft, but: set[str]) -> list[str]:
    return [f"links repaired in {edit.path}" for edit in draft.edits() if edit.path not in but]


def _refuse_archived(path: str) -> None:
    if is_archived(path):
        raise UsageError(
            f"{path} is already in the archive",
            f"to move it elsewhere: aurelius move {shell_word(path)} DEST",
        )


def _put_away(
    desk: Desk, draft: Draft, path: str, keys: Sequence[str], target: str, *, skip: bool
) -> dict[str, Fact]:
    """Move facts of a note to another note in a draft, with all that is nested in them.

    All are taken out and put in at once; where that cannot be, each half by itself.

    Returns:
        Each fact by its key, as it is there.  With `skip`, those that cannot be moved are left out.

    Raises:
        UsageError, NoteNotFoundError: one cannot be moved, without `skip`.
    """
    if not keys:
        return {}
    try:
        return _put_away_at_once(desk, draft, path, keys, target)
    except (
        UsageError,
        NoteNotFoundError,
    ):  # of two equal lines, one that has left gives its key to the other
        if len(keys) == 1:
            if skip:
                return {}
            raise
    half = len(keys) // 2
    made = _put_away(desk, draft, path, keys[:half], target, skip=skip)
    return made | _put_away(desk, draft, path, keys[half:], target, skip=skip)


def _put_away_at_once(
    desk: Desk, draft: Draft, path: str, keys: Sequence[str], target: str
) -> dict[str, Fact]:
    """The facts of `_put_away` with one reading of each note. UsageError, with nothing changed,
    where one cannot be moved.
    """
    was = {fact.key: fact for fact in reversed(draft.note(path).facts)}
    data, items = change.remove_all(
        draft.there(path), keys, path=path, read=draft.read, day=desk.today
    )
    there = draft.data(target)
    if there is None:
        there = f"# {draft.note(path).title}\n\nFrom [[{without_ending(path)}]].\n".encode()
    note = draft.read(target, there)
    ids: dict[str, str] = {}
    taken = {fact.key for fact in note.facts}
    sections: dict[tuple[str, str], list[str]] = {}
    for key in keys:
        fact = was[key]
        ids[key] = fact.id or desk.new_id(path, fact.text, "was", taken=taken)
        taken.add(ids[key])
        head, *nested = items[key].split("\n")
        bullet = head[: len(head) - len(head.lstrip("-*+0123456789.) \t"))]
        wording = fact_text.wording(head[len(bullet) :])._replace(id=ids[key])
        heading, words = _settled(note, fact, wording)
        line = "\n".join(["- " + fact_text.written(words), *nested])
        sections.setdefault((heading, fact.status), []).append(line)
    for (heading, status), lines in sections.items():
        there = change.add_all(there, lines, heading, path=target, read=draft.read, status=status)
    now = {fact.key: fact for fact in reversed(draft.read(target, there).facts)}
    made = {key: now[ids[key]] for key in keys}
    for key, fact in made.items():
        if _meaning(fact) != _meaning(was[key]):
            what = f"in {target}, the line {path}:{was[key].first} would be read as another fact"
            raise UsageError(what, "move the line with an editor")
    draft.put(path, data)
    draft.put(target, there)
    return made


def _meaning(fact: Fact) -> tuple[object, ...]:
    """What a fact says that its new place must not change."""
    return fact.text, fact.type, fact.subtype, fact.milestone, fact.date, fact.status


def _settled(note: Note, fact: Fact, words: fact_text.Wording) -> tuple[str, fact_text.Wording]:
    """Under which heading of the archive a fact goes, and its words with what its old place said of
    it."""
    past = fact.status == "superseded"
    choice = place_for(note, "fact")
    if past:
        heading = "History"
    else:
        heading = choice.heading
    said = read(fact_text.written(words))
    if fact.date and not said.tail.date:
        words = words._replace(span=fact_text.span_of(fact.date, said.tail.until))
    word = type_said(fact) or "fact"
    if not said.tail.type and not said.category and word != ("fact" if past else choice.type):
        words = words._replace(items=(word, *words.items))
    return heading, words
