"""Moving notes and facts: `move` and `archive`, with every link repaired.  Nothing is deleted.

Each gives a Plan; a fact that is archived stays what it was, in a note of the same name in the
archive folder.
"""

from __future__ import annotations

import datetime
import os
from contextlib import suppress
from functools import partial
from itertools import chain, count, islice
from math import ceil
from posixpath import basename
from typing import TYPE_CHECKING

from aurelius.ageing.tiers import live, spared
from aurelius.answers import references
from aurelius.answers.doctor_links import later_paths
from aurelius.answers.note_view import list_files
from aurelius.compose import change, fact_text
from aurelius.compose.placement import place_for
from aurelius.compose.rewrite_links import Move, retitled, rewrite_links, title_of
from aurelius.settings.config import as_on_disk
from aurelius.settings.places import shell_word
from aurelius.settings.sizes import size_of
from aurelius.writing.check_edit import allowed_parts, check_name, refuse_anothers
from aurelius.writing.replace_file import RUN_AGAIN
from aurelius.writing.safe_folder import disk_path, is_same, path_below, path_parts
from indexer.catalog.graph import get_called, get_links, get_tagged
from indexer.catalog.link_targets import Files
from indexer.catalog.names import Called, name_key, without_ending
from indexer.errors import (
    ConflictError,
    NoteNotFoundError,
    UsageError,
)
from indexer.reading.fact_line import lasts, parse_fact
from indexer.reading.path_meaning import agent_home, file_stem, is_archived
from indexer.reading.type_words import type_said
from indexer.search.fusion import recency_weight
from indexer.search.fusion import reinforcement_weight as worth
from indexer.spelling import group_pairs, shorten
from indexer.usage.log_reader import get_usage
from indexer.usage.tier import never_cold

from . import addressee
from .new_note import archive_folder, graph_at, refuse_left_out
from .plan import Draft, Plan

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    import apsw

    from aurelius.settings.other_apps import LogseqGraph
    from indexer.note import Fact, Note
    from indexer.usage.tally import Uses
    from indexer.usage.tier import Clock

    from .plan import Desk


def plan_move(desk: Desk, name: str, destination: str) -> Plan:
    """A note moved to a folder or to another path, with links to it and in it repaired.

    Where another program has moved it there already, the links alone are repaired.
    """
    is_path = "/" in name or name.endswith(".md")
    already = _moved_already(desk, name, destination) if is_path else None
    if already and (repair := _repair_alone(desk, *already)):
        return repair
    path = addressee.whole_named_note(desk, name)
    target = _target(desk, path, destination)
    about = {"from": path, "to": target, "links_only": False}
    return move_all(
        desk,
        {path: target},
        f"moved {path} to {target}",
    )._replace(about=about)


def move_all(
    desk: Desk,
    moved: Mapping[str, str],
    why: str,
) -> Plan:
    """Notes moved to paths where nothing is, with links to them and in them repaired."""
    draft = Draft(desk)
    draft.rows += [f"{old} → {new}" for old, new in moved.items()]
    _move(draft, moved)
    _tell_repaired(draft, {*moved, *moved.values()})
    return draft.plan(why)


def _moved_already(
    desk: Desk,
    name: str,
    destination: str,
) -> tuple[str, str] | None:
    """The old and the new path of a note that another program already moved; None for any other
    move."""
    root = desk.vault.root
    try:
        old, new = (
            "/".join(path_parts(path_below(root, each).replace(os.sep, "/")))
            for each in (name, destination)
        )
        if os.path.isdir(disk_path(root, new)):
            new += "/" + basename(old)
        old = _with_ending(old)
        new = _with_ending(new)
        if old == new or new not in {each.path for each in desk.called()}:
            return None
        there = disk_path(root, old)
        if os.path.lexists(there) and not is_same(there, disk_path(root, new)):
            return None
    except UsageError:
        return None
    return old, new


def _with_ending(path: str) -> str:
    """A path of a note, which may have been typed without its `.md`."""
    if without_ending(path) == path:
        return f"{path}.md"
    return path


def _repair_alone(
    desk: Desk,
    old: str,
    new: str,
) -> Plan | None:
    """The links repaired that a note's new path broke, where the note is there already; None where
    nobody knows it by the old one.
    """
    draft = Draft(desk)
    before = draft.read(old, draft.there(new))
    draft.events += [("alias", old, new), *_renamed(before, draft.note(new))]
    called = [
        _called(before),
        *(each for each in get_called(desk.db, private=True) if each.path != new),
    ]
    files = Files(lambda: list_files(desk.vault.root))
    _repair(
        draft,
        Move(
            called,
            {old: new},
            [_called(draft.note(new))],
            files=files,
            done=True,
        ),
        {},
    )
    if draft.edits():
        draft.rows.append(f"{old} → {new}")
        _tell_repaired(draft, set())
    elif later_paths(desk.place.state, {new}).get(old) != new:
        return None
    about = {"from": old, "to": new, "links_only": True}
    return draft.plan(f"repaired links to {new}, which was {old}", about)


def plan_archive(desk: Desk, reference: str) -> Plan:
    """A fact or a whole note moved to the archive folder, where it is still found."""
    if references.is_fact(desk.vault, reference, private=desk.private):
        chosen = addressee.fact_to_change(desk, reference)
        draft = Draft(desk)
        path, _ = chosen
        fact = draft.fact(*chosen)
        why = f'archived "{shorten(fact.text)}" of {path}'
        made = archive_facts(
            desk,
            [chosen],
            why,
            draft=draft,
        )
        return made._replace(notices=(*made.notices, *_undated(draft, path, fact, made)))
    path = addressee.whole_named_note(desk, reference)
    _refuse_archived(path)
    target = places_in_archive(desk, [path])[path]
    about = {"archived": [{"id": None, "from": path, "to": target}]}
    return plan_move(
        desk,
        path,
        target,
    )._replace(why=f"archived {path}", about=about)


def _undated(draft: Draft, path: str, fact: Fact, made: Plan) -> Iterator[str]:
    """What a person is told where a line that has no date of its own goes to the archive."""
    if fact.dated == "line":
        return
    new = made.about["archived"][0]
    target = new["to"]
    there = draft.fact(target, new["id"])
    day = "without a date, as none is known"
    if there.date:
        day = f"with the date {there.date}, which {path} gives it"
    yield f"in {target} the line stands under {there.heading[-1]}, {day}"


def places_in_archive(
    desk: Desk,
    paths: Iterable[str],
    *,
    nested: bool = False,
) -> dict[str, str]:
    """The path that each note gets in the archive: its name there, else, or where it is to stay
    `nested` in its folders, its whole path, else that with a number.
    """
    folder = archive_folder(desk.vault)
    places: dict[str, str] = {}
    for path in paths:
        home = agent_home(path)
        own = path.removeprefix(home)
        name, dot, ending = own.rpartition(".")
        names = [own] if nested else [basename(own), own]
        numbered = (f"{name}-{number}{dot}{ending}" for number in count(2))
        for each in chain(names, numbered):
            target = f"{home}{folder}/{each}"
            is_taken = target in places.values()
            if not is_taken and not os.path.lexists(os.path.join(desk.vault.root, target)):
                break
        places[path] = target
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

    With `most`, the first so many that have nothing nested in them, and of these all that can be
    moved; without, all of them or an error.
    """
    draft = draft or Draft(desk)
    if most:
        chosen = list(islice(_alone(draft, chosen), most))
    folder = archive_folder(desk.vault)
    targets = {path: f"{agent_home(path)}{folder}/{basename(path)}" for path, _ in chosen}
    refuse_left_out(desk.vault.settings, *targets.values())
    moved: dict[str, dict[str, Fact]] = {}
    for path, keys in group_pairs(chosen).items():
        _refuse_archived(path)
        allowed_parts(path, me=draft.place.me)
        once = list(dict.fromkeys(keys))
        moved[path] = _put_away(draft, path, once, targets[path], skip=bool(most))
    blocks: dict[tuple[str, str], str] = {}
    for path, key in chosen:
        fact = moved[path].pop(key, None)
        if fact is None:
            continue
        target = targets[path]
        blocks[path, fact.id] = target
        draft.rows.append(f"archived: {target}:{fact.first}  {fact.text}  [id:{fact.id}]")
        if key != fact.id:
            draft.events.append(("alias", key, fact.id))
    called = list(get_called(desk.db, private=True))
    new = dict.fromkeys(blocks.values()).keys() - {each.path for each in called}
    _repair(
        draft,
        Move(
            called,
            {},
            map(_called, map(draft.note, sorted(new))),
            blocks=blocks,
        ),
        {},
    )
    archived = [{"id": own, "from": path, "to": target} for (path, own), target in blocks.items()]
    return draft.plan(why, {"archived": archived})


def _alone(draft: Draft, chosen: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Those of the chosen facts whose notes may be changed, and in which nothing is nested."""
    alone: dict[str, set[str]] = {}
    for path, key in chosen:
        if path not in alone:
            alone[path] = set()
            with suppress(UsageError):
                allowed_parts(path, me=draft.place.me)
                alone[path] = change.have_none_nested(path, draft.there(path), draft.read)
        if key in alone[path]:
            yield path, key


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
        return Plan(
            (),
            "",
            about={"bytes": total, "limit": limit},
            notices=(told,),
        )
    usage = get_usage(index.db)
    clock = desk.vault.clock
    found = list(live(desk.vault, private=desk.private))
    turns = spared(desk.vault, private=desk.private)

    def order(each: tuple[str, Fact]) -> tuple[int, float, str, int]:
        path, fact = each
        worth_now = fact_worth(fact, usage.of(fact.key), clock)
        return turns[path, fact.key], worth_now, path, fact.first

    chosen = [
        (path, fact.key)
        for path, fact in sorted(found, key=order)
        if not never_cold(
            fact.type,
            fact.date,
            clock.today,
            lasts=lasts(fact),
        )
    ]
    most = ceil(len(found) * percent / 100)
    plan = archive_facts(desk, chosen, "archived what matters least", most=most)
    return plan._replace(about={**plan.about, "bytes": total, "limit": limit})


def fact_worth(fact: Fact, uses: Uses, clock: Clock) -> float:
    """What was said of a fact times how new it is since it was last reinforced, else since its
    date, as in search."""
    day = clock.day_of(uses.ranked)
    if day is None and fact.date:
        day = datetime.date.fromisoformat(fact.date)
    return worth(uses.score) * recency_weight(None if day is None else (clock.today - day).days)


def _target(desk: Desk, path: str, destination: str) -> str:
    """The path that a destination means.  UsageError, also where something is there already."""
    if not destination.strip():
        raise UsageError(
            "missing argument: DEST",
            "a folder, or the note's new path; . is the vault's top folder",
        )
    root = desk.vault.root
    wanted = _as_archive(desk, as_on_disk(root, path_below(root, destination).replace(os.sep, "/")))
    refuse_anothers(wanted, desk.vault.who)  # whatever is there
    if wanted.rstrip("/") != ".":
        target = "/".join(path_parts(wanted, "written"))
    else:
        target = ""
    if wanted.endswith("/") or os.path.isdir(disk_path(root, wanted)):
        target = f"{target}/{basename(path)}".lstrip("/")
    else:
        target = _with_ending(target)
    check_name(root, target, path)
    if target == path:
        raise UsageError(f"{path} is already at that path", "choose another folder or path")
    there = disk_path(root, target)
    if os.path.lexists(there) and not is_same(there, disk_path(root, path)):
        raise UsageError(f"{target} already exists", "nothing was moved; choose another name")
    refuse_left_out(desk.vault.settings, target)
    return target


def _as_archive(desk: Desk, wanted: str) -> str:
    """A destination; the vault's own archive where one of the usual words for that was typed and
    nothing is called so."""
    name = wanted.rstrip("/")
    if "/" in name or "." in name or not is_archived(f"{name}/x.md"):
        return wanted
    root = desk.vault.root
    there = archive_folder(desk.vault)
    if os.path.isdir(os.path.join(root, there)) and not os.path.lexists(os.path.join(root, wanted)):
        return f"{there}/"
    return wanted


def _move(draft: Draft, moved: Mapping[str, str]) -> None:
    """Move notes in a draft and repair links; a row tells each title that follows."""
    root = draft.desk.vault.root
    graph = graph_at(root)
    pages: dict[str, str] = {}
    for old, new in moved.items():
        before = draft.note(old)
        data = draft.there(old)
        if draft.data(new) not in {None, data}:
            raise ConflictError(
                f"another program created {new} while {old} was being moved there", RUN_AGAIN
            )
        draft.put(old, None)
        draft.put(new, data, source=old)
        if graph is not None:
            was_called, is_called = _page(graph, draft, old, new)
            if was_called != is_called:
                pages[name_key(was_called)] = is_called
                if title_of(before):
                    draft.rows.append(f"title: {was_called} → {is_called}")
        draft.events += [("alias", old, new), *_renamed(before, draft.note(new))]
    called = get_called(draft.desk.db, private=True)
    renamed = map(_called, map(draft.note, moved.values()))
    files = Files(lambda: list_files(root))
    page_of = graph.page if graph else str
    _repair(draft, Move(called, moved, renamed, files=files, page_of=page_of), pages)


def _renamed(before: Note, after: Note) -> list[tuple[str, str, str]]:
    """The facts of a note that are called otherwise since it moved."""
    pairs = zip(before.facts, after.facts, strict=False)
    return [("alias", was.key, now.key) for was, now in pairs if was.key != now.key]


def _page(
    graph: LogseqGraph,
    draft: Draft,
    old: str,
    new: str,
) -> tuple[str, str]:
    """What a page that has moved in a draft was called and is called now, its title with it where
    that was the same as its old name; a notice tells where the title should follow and cannot.
    """
    note = draft.note(new)
    said = title_of(note)
    before = graph.page(file_stem(old))
    after = graph.page(file_stem(new))
    if not said:
        return before, after
    if before == after or name_key(said) != name_key(before):
        return said, said
    data = retitled(note, draft.there(new), after, draft.read)
    if data is None:
        draft.notices.append(
            f"{new} still has the title {said!r}: change it to {after!r} with an editor"
        )
        return said, said
    draft.put(new, data)
    return said, after


def _called(note: Note) -> Called:
    return Called(note.path, note.title, note.aliases, note.kind, note.updated or note.date)


def _repair(draft: Draft, move: Move, pages: Mapping[str, str]) -> None:
    """Rewrite the links of every note that may be seen; notices tell of the others. In a Logseq
    graph `pages` leads from keys of old names of pages to new names."""
    was: dict[str, str] = {}
    if move.done:
        was = {new: old for old, new in move.moved.items()}
    wrong = _with_wrong_links(draft.desk.db, move, was, pages)
    seen = {each.path for each in draft.desk.called()}
    for path in sorted(wrong & seen):
        source = was.get(path, path)
        place = move.moved.get(source, source)
        try:
            data = rewrite_links(
                place,
                draft.there(place),
                partial(move.decide, source),
                pages,
            )
        except (UsageError, NoteNotFoundError) as error:
            draft.notices.append(f"links in {place} are not repaired: {error.message}")
            continue
        draft.put(place, data, source=path if place != path else "")
        left = [tag.name for tag in draft.note(place).tags if name_key(tag.name) in pages]
        if left:
            draft.notices.append(
                f"not repaired in {place}: {len(left)} in its properties ({', '.join(left)}); use"
                " an editor"
            )
    hidden = len(wrong - seen)
    if hidden:
        draft.notices.append(
            f"links in {hidden} private {'note' if hidden == 1 else 'notes'} are not repaired"
            " (--private repairs them)"
        )


def _with_wrong_links(
    db: apsw.Connection, move: Move, was: Mapping[str, str], pages: Mapping[str, str]
) -> set[str]:
    """The notes with a link or a tag that has to be written otherwise; `was` are former paths."""
    wrong = set(get_tagged(db, set(pages), private=True) if pages else ())
    for path, link in get_links(db, private=True):
        if path not in wrong and move.decide(was.get(path, path), link):
            wrong.add(path)
    return wrong


def _tell_repaired(draft: Draft, but: set[str]) -> None:
    draft.rows += [
        f"links repaired in {edit.path}" for edit in draft.edits() if edit.path not in but
    ]


def _refuse_archived(path: str) -> None:
    if is_archived(path):
        raise UsageError(
            f"{path} is already in the archive",
            f"to move it elsewhere: aurelius move {shell_word(path)} DEST",
        )


def _put_away(
    draft: Draft, path: str, keys: Sequence[str], target: str, *, skip: bool
) -> dict[str, Fact]:
    """Move facts of a note to another note in a draft, with all that is nested in them.

    All are taken out and put in at once; where that cannot be, each half by itself.

    Returns:
        Each fact by its key, as it is there.  With `skip`, those that cannot be moved are left out.

    Raises:
        UsageError, NoteNotFoundError: one cannot be moved, without `skip`.
    """
    try:
        return _put_away_at_once(draft, path, keys, target)
    except (
        UsageError,
        NoteNotFoundError,
    ):  # of two equal lines, one that has left gives its key to the other
        if len(keys) == 1:
            if skip:
                return {}
            raise
    half = len(keys) // 2
    made = _put_away(draft, path, keys[:half], target, skip=skip)
    return made | _put_away(draft, path, keys[half:], target, skip=skip)


def _put_away_at_once(
    draft: Draft,
    path: str,
    keys: Sequence[str],
    target: str,
) -> dict[str, Fact]:
    """The facts of `_put_away` with one reading of each note. UsageError, with nothing changed,
    where one cannot be moved.
    """
    desk = draft.desk
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
    sections: dict[str, list[str]] = {}
    for key in keys:
        fact = was[key]
        ids[key] = fact.id or desk.new_id(
            path,
            fact.text,
            "was",
            taken=taken,
        )
        taken.add(ids[key])
        heading, line = _settled(
            note,
            fact,
            items[key],
            ids[key],
        )
        sections.setdefault(heading, []).append(line)
    for heading, lines in sections.items():
        there = change.add_all(
            there,
            lines,
            heading,
            path=target,
            read=draft.read,
        )
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


def _settled(
    note: Note,
    fact: Fact,
    item: str,
    own: str,
) -> tuple[str, str]:
    """Under which heading of the archive a fact goes, and its list item with its id and with what
    its old place said of it."""
    head, *nested = item.split("\n")
    words = fact_text.item_parts(head.lstrip("-*+0123456789.) \t"))._replace(id=own)
    usual = place_for(note, "fact")
    heading = usual.heading
    kind = usual.type
    if fact.status == "superseded":
        heading = "History"
        kind = "fact"
    said = parse_fact(fact_text.item_text(words))
    if fact.date and not said.tail.date:
        words = words._replace(span=fact_text.span_of(fact.date, said.tail.until))
    word = type_said(fact) or "fact"
    if not said.tail.type and not said.category and word != kind:
        words = words._replace(items=(word, *words.items))
    return heading, "\n".join(["- " + fact_text.item_text(words), *nested])
