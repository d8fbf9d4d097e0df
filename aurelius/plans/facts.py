"""Plans of `add`, `update` and `supersede`: a fact stated, reworded, replaced.

Each is an edit that a person could have typed.  Nothing here writes; what comes back is a Plan.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from aurelius.answers import references
from aurelius.compose import change, daily_line, fact_text
from aurelius.compose.fact_text import TailParts
from aurelius.compose.placement import place_for
from aurelius.settings.places import shell_word
from aurelius.writing.append import join_opening
from indexer.catalog.lists import is_taken
from indexer.catalog.names import without_ending
from indexer.errors import Hint, UsageError
from indexer.note import TAIL_WORD
from indexer.reading import fact_line
from indexer.reading.fact_line import parse_fact, split_item
from indexer.reading.facts import ENTITY_KINDS, is_history_heading
from indexer.reading.inline import tags_in
from indexer.reading.outline import levels
from indexer.reading.path_meaning import agent_of
from indexer.reading.type_words import narrower, type_said
from indexer.spelling import shorten

from . import addressee
from .new_note import FirstText, first_text_of_day, graph_at
from .plan import Draft, Plan

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from aurelius.compose.daily_line import Addition
    from indexer.note import Fact, Note

    from .plan import Desk

_META = re.compile(r"([A-Za-z][\w -]{0,40})=(.{1,200})")
_NAMES = re.compile(r"(?<!^)(?<![.!?] )\b[^\W\d_a-z][^\W\d_]+")
_LINKS = re.compile(r"\[\[([^\]|#]+)")


class Wish(NamedTuple):
    """What a new fact is to say besides its words, as it was typed; `updates` names the fact it
    replaces, `contradicts` one that it disagrees with, `part_of` a note; `was_wrong` says that what
    it takes the place of was never true."""

    date: str = ""
    type: str = ""
    tags: tuple[str, ...] = ()
    meta: tuple[str, ...] = ()
    importance: float | None = None
    pinned: bool = False
    updates: str = ""
    because: str = ""
    source: str = ""
    contradicts: str = ""
    part_of: str = ""
    was_wrong: bool = False


class NewFact(NamedTuple):
    """A fact to be written: its words, its day and type, "" where its place gives them, its id, and
    what its tail says besides."""

    words: str
    date: str
    type: str
    id: str
    tail: TailParts


def plan_add(
    desk: Desk,
    name: str,
    text: str,
    wish: Wish,
) -> Plan:
    """One more fact in the note that is meant, "" in today's daily note; the one that it updates is
    struck."""
    draft = Draft(desk)
    if name:
        path = addressee.whole_named_note(desk, name)
    else:
        path = desk.day_note(desk.vault.agent)
    words = _words(text, wish)
    twin = _twin(draft.note(path), words)
    if twin and not wish.updates:
        draft.notices.append(f"this fact is already there: {_row(path, twin)}")
        return draft.plan("", _about(path, twin) | {"updates": None})
    date = _day_typed(desk, wish)
    tail = _tail(desk, wish, path)
    if wish.part_of:
        tail = tail._replace(part_of=without_ending(addressee.whole_named_note(desk, wish.part_of)))
    new = NewFact(
        words,
        date,
        wish.type,
        _own_id(desk, path, words),
        tail,
    )
    if wish.updates:
        new = _updating(draft, wish.updates, new)
    if wish.contradicts:
        new = _contradicting(draft, wish.contradicts, new)
    line = state(draft, path, new)
    made = draft.fact(path, new.id)
    draft.rows.insert(0, _row(path, made))
    draft.notices[:0] = _unknown(draft.note(path), range(made.first, made.last + 1))
    return draft.plan(
        f"add to {path}: {shorten(made.text)}",
        _about(path, made) | {"updates": new.tail.updates or None},
        (path, line) if line and len(draft.edits()) == 1 else None,
    )


def _day_typed(desk: Desk, wish: Wish) -> str:
    """The day that was given for a new fact, "" for none.  UsageError."""
    if wish.date:
        return references.resolve_day(wish.date, desk.today)
    return ""


def _tail(desk: Desk, wish: Wish, path: str) -> TailParts:
    """What the tail of a new fact of a note says as it was wished, other facts aside."""
    return TailParts(
        pinned=wish.pinned,
        importance=wish.importance,
        source=addressee.link_source(desk, wish.source, path),
        because=references.resolve_reason(desk.vault, wish.because, private=desk.private),
    )


def _updating(draft: Draft, reference: str, new: NewFact) -> NewFact:
    """A new fact that says which one it updates; that one is struck, and a row tells it."""
    desk = draft.desk
    path, key = addressee.fact_to_change(desk, reference)
    old = draft.fact(path, key)
    _refuse_past(desk, path, old)
    since = _since(old, new.date or parse_fact(new.words).tail.date or desk.today)
    was = mark_superseded(draft, path, old, new.id, since)
    if any(map(is_history_heading, _gone(draft.note(path), new.id).heading)):
        where = "moved to History"
    else:
        where = "struck out"
    draft.rows.append(f'updates ^{was} ({where})  "{shorten(old.text)}"  {path}')
    return new._replace(tail=new.tail._replace(updates=was))


def _contradicting(draft: Draft, reference: str, new: NewFact) -> NewFact:
    """A new fact that says which one it contradicts; that one gets an id at the end of its line
    where it has none, and a row tells it."""
    path, key = addressee.fact_to_change(draft.desk, reference)
    other = draft.fact(path, key)
    own = _name(draft, path, other)
    if not other.id:
        draft.change(path, change.stamp_ids, {key: own})
    draft.rows.append(f'contradicts ^{own}  "{shorten(other.text)}"  {path}')
    return new._replace(tail=new.tail._replace(contradicts=own))


def plan_daily_line(desk: Desk, text: str) -> Plan:
    """One more line at the end of today's daily note."""
    draft = Draft(desk)
    path = desk.day_note(desk.vault.agent)
    line = _append(draft, path, text)
    about = {
        "path": path,
        **daily_line.place_of_line(line, draft.there(path), draft.note(path).facts),
    }
    why = f'noted "{shorten(" ".join(text.split()))}" in {path}'
    return draft.plan(why, about, (path, line))


def _append(draft: Draft, path: str, text: str) -> Addition:
    """Put a line at the end of a daily note in a draft; a notice tells what is odd about it."""
    desk = draft.desk
    data = draft.data(path)
    if data:
        first = FirstText(None)
    else:
        first = first_text_of_day(desk.vault, path, desk.moment)
    tabs = "\n" in text and _is_in_graph(desk)
    line = daily_line.daily_line(
        text,
        path,
        data,
        desk.moment,
        draft.read,
        first.text,
        tabs=tabs,
    )
    if told := "; ".join(filter(None, (line.notice, *first.notices))):
        draft.notices.append(told)
    draft.put(
        path,
        (data or b"")
        + b"".join(
            join_opening(
                path,
                data,
                line.data,
                line.opening,
            )
        ),
    )
    return line


def _is_in_graph(desk: Desk) -> bool:
    """Whether the vault is a Logseq graph, where headings are bullets and nested by tabs."""
    return graph_at(desk.vault.root) is not None


def plan_update(desk: Desk, reference: str, text: str) -> Plan:
    """A fact in other words; where these say something else than before, a notice names
    `supersede`.

    Its tags stay, unless the new words bring tags of their own. The same words change nothing: a
    fact without an id gets none.
    """
    path, key = addressee.fact_to_change(desk, reference)
    draft = Draft(desk)
    old = draft.fact(path, key)
    if old.status == "superseded":
        what = f"{path}:{old.first} is a superseded fact, so its words are not changed"
        asked = shell_word(reference.removeprefix("^"))
        hint = Hint(
            f"`aurelius history {asked}` shows what replaced it; to correct the line, use an"
            " editor",
            "`get` shows what replaced it, under History",
        )
        raise UsageError(what, hint)
    there = draft.there(path)
    if not tags_in(text):
        text = _words(text, Wish(tags=tags_in(old.text)))
    if (
        change.reword_fact(
            there,
            key,
            text,
            path=path,
            read=draft.read,
            day=desk.today,
        )
        == there
    ):
        draft.rows.append(_row(path, old))
        draft.notices.append("no change: the fact already says that")
        return draft.plan("", _about(path, old))
    own = old.id or desk.new_id(path, old.text, desk.today)
    draft.change(
        path,
        change.reword_fact,
        key,
        text,
        day=desk.today,
        id=own,
    )
    made = draft.fact(path, own)
    if differs(old.text, made.text):
        told = "this changes a number, a name or a negation; if the old text was true once, use"
        draft.notices.append(
            Hint(
                f'{told} `aurelius supersede ^{own} "..."` instead, which keeps it',
                f"{told} `supersede` instead, which keeps it",
            )
        )
    if not old.id:
        draft.events.append(("alias", key, own))
    draft.events += [("update", own, ""), ("use", own, "")]  # so it is alive
    draft.rows.append(_row(path, made))
    why = f'reworded "{shorten(old.text)}" to "{shorten(made.text)}" in {path}'
    return draft.plan(why, _about(path, made))


def plan_pin(desk: Desk, reference: str, *, pinned: bool) -> Plan:
    """A fact that every context tells from now on, or no longer; a notice says where its line gets
    a date for that."""
    path, key = addressee.fact_to_change(desk, reference)
    draft = Draft(desk)
    old = draft.fact(path, key)
    if old.status == "superseded":
        raise UsageError(
            f"{path}:{old.first} is a superseded fact, which no context tells",
            "pin the one that holds now",
        )
    if old.pinned == pinned:
        draft.rows.append(_row(path, old))
        state_word = "already pinned" if pinned else "not pinned"
        draft.notices.append(f"no change: the fact is {state_word}")
        return draft.plan("", _about(path, old))
    date = old.date or desk.today
    draft.change(
        path,
        change.pin_fact,
        key,
        pinned=pinned,
        day=desk.today,
        date=date,
    )
    made = draft.fact(path, key)
    if pinned and not old.date:
        draft.notices.append(f"the line gets the date {date}, because `pinned` stands behind one")
    draft.rows.append(_row(path, made))
    word = "pinned" if pinned else "unpinned"
    why = f'{word} "{shorten(made.text)}" in {path}'
    return draft.plan(why, _about(path, made))


def plan_supersede(
    desk: Desk,
    reference: str,
    text: str,
    wish: Wish,
) -> Plan:
    """A new fact in an old one's place, which is struck under History; both stay.

    An old one in a daily note of another day is struck there, and the new one goes to today's note.
    One that was wrong from the start gets no day on which it held, and the new one its date, none
    where it had none.
    """
    draft = Draft(desk)
    path, key = addressee.fact_to_change(desk, reference)
    old = draft.fact(path, key)
    _refuse_past(desk, path, old)
    words = _words(text, wish)
    date = _new_day(desk, old, words, wish)
    own = _own_id(desk, path, words)
    if wish.importance is None:
        wish = wish._replace(importance=old.importance)
    tail = _tail(desk, wish._replace(pinned=wish.pinned or old.pinned), path)
    new = NewFact(words, date, wish.type, own, tail)
    note = draft.note(path)
    target = path
    if note.kind == "daily" and note.date != desk.today:
        mark_superseded(draft, path, old, own, date, never=wish.was_wrong)
        target = desk.day_note(agent_of(path))
        state(draft, target, new._replace(type=wish.type or type_said(old)))
    else:
        _replace(draft, path, old, new, never=wish.was_wrong)
    made = draft.fact(target, own)
    gone = _gone(draft.note(path), own)
    what = replaced_notice(gone.text, made.text, path)
    if wish.was_wrong:
        what = f'corrected "{shorten(gone.text)}" to "{shorten(made.text)}" in {path}'
    draft.rows += [what, _row(target, made)]
    return draft.plan(what, _about(target, made) | {"superseded": _about(path, gone)})


def _new_day(
    desk: Desk,
    old: Fact,
    words: str,
    wish: Wish,
) -> str:
    """The day of a fact that takes an old one's place. UsageError where it says the same, or would
    begin before that one."""
    said = parse_fact(words)
    date = _day_typed(desk, wish) or said.tail.date or desk.today
    if said.text == old.text and not (wish.date or said.tail.date or wish.type):
        raise UsageError(
            f'"{shorten(old.text)}" is what the fact says already',
            "give the words that are true now",
        )
    if wish.was_wrong:
        return said.tail.date or old.date or ""
    return _since(old, date)


def _refuse_past(desk: Desk, path: str, old: Fact) -> None:
    """UsageError for a fact that another one has replaced already, all lines considered."""
    current = references.newest(
        desk.vault,
        path,
        old.key,
        private=desk.private,
    )
    own = (path, old.key)
    if current == own and old.status != "superseded":
        return
    by = old.superseded_by or (current[1] if current != own else "")
    what = f"{path}: {old.text!r} was already replaced{f' by ^{by}' if by else ''}"
    if current == own:
        raise UsageError(what, Hint(f"`aurelius history ^{old.key}` shows what is known of it"))
    raise UsageError(what, f"the current fact is ^{current[1]}: name that one instead")


def replaced_notice(old: str, new: str, path: str) -> str:
    """What a person is told where one fact took another's place."""
    return f'replaced "{shorten(old)}" with "{shorten(new)}" in {path}'


def _since(old: Fact, day: str) -> str:
    """The day on which a fact took an old one's place; UsageError where the old one begins after
    it."""
    if old.date and day < old.date:
        raise UsageError(
            f'"{shorten(old.text)}" is dated {old.date}, which is later than {day}',
            f"give the date on which the new fact became true, for example {old.date}",
        )
    return day


def differs(old: str, new: str) -> bool:
    """Whether a new wording changes a number, a date, a name or a negation."""
    from indexer.matter.statement import line_meaning

    said = []
    for text in (old, new):
        meaning = line_meaning(text)
        names = {*_NAMES.findall(text), *_LINKS.findall(text)}
        said.append((meaning.numbers, meaning.denials, names))
    return said[0] != said[1]


def state(
    draft: Draft,
    path: str,
    new: NewFact,
    *,
    captured: bool = False,
) -> Addition | None:
    """Put a new fact into a note: the daily note's line where it goes to the end of one, else None.

    What was `captured` goes to the beginning of a daily note: it was not said now.
    """
    desk = draft.desk
    note = draft.note(path)
    choice = place_for(note, new.type or "fact", desk.place.daily)
    text = _line_of(
        desk,
        note,
        new,
        is_usual=new.type in ("", choice.type),
    )
    data = draft.data(path) or b""
    if note.kind == "daily" and not choice.heading:
        if not captured:
            return _append(draft, path, text)
        data = daily_line.told_of_day(
            data,
            text,
            new.id,
            path=path,
            read=draft.read,
        )
    else:
        data = change.add_fact(
            data,
            text,
            choice.heading,
            path=path,
            read=draft.read,
            day=desk.today,
            outline=bool(data) and not levels(note.sections) and _is_in_graph(desk),
        )
    draft.put(path, data)
    return None


def _line_of(
    desk: Desk,
    note: Note,
    new: NewFact,
    *,
    is_usual: bool,
) -> str:
    """The line that states a new fact in a note. The type is left out where it is the usual one
    there, and the date in the daily note of that day."""
    said = parse_fact(new.words).tail
    tail = new.tail
    if not (is_usual or said.type):
        tail = tail._replace(type=new.type)
    day = new.date or ("" if said.date else desk.today)
    is_bare = note.kind == "daily" and day == (note.date or desk.today) and tail == TailParts()
    return fact_text.compose_fact_line(
        new.words, date=None if is_bare else day or None, id=new.id, told=tail
    )


def _replace(
    draft: Draft,
    path: str,
    old: Fact,
    new: NewFact,
    *,
    never: bool,
) -> None:
    """Put a new fact into an old one's place, with the type and the scope that were typed there."""
    before = change.open_note_lines(path, draft.there(path), draft.read).words(old.key)
    said = parse_fact(new.words).tail
    tail = new.tail._replace(
        scope=parse_fact(before).tail.scope, pinned=new.tail.pinned and not said.pinned
    )
    if not said.type:
        tail = tail._replace(type=new.type or fact_text.type_typed(before))
    date = None if said.date else new.date or None
    line = fact_text.compose_fact_line(new.words, date=date, id=new.id, told=tail)
    gone = _gone_from(draft, path, old, new.id, new.date, never=never)
    draft.change(path, change.supersede_fact, old.key, line, gone, day=draft.desk.today)


def mark_superseded(
    draft: Draft,
    path: str,
    old: Fact,
    own: str,
    date: str,
    *,
    never: bool = False,
) -> str:
    """Mark a fact as superseded by a fact elsewhere; returns its id, a new one if it had none."""
    gone = _gone_from(draft, path, old, own, date, never=never)
    is_captured = old.status == "proposed"
    today = draft.desk.today
    draft.change(path, change.strike_fact, old.key, gone, day=today, proposed=is_captured)
    return gone.own


def _gone_from(
    draft: Draft,
    path: str,
    old: Fact,
    by: str,
    day: str,
    *,
    never: bool,
) -> change.Gone:
    """That a fact is past since a day, or that it never held."""
    if never:
        day = old.date or draft.desk.today
    return change.Gone(day, by, _name(draft, path, old), never)


def _name(draft: Draft, path: str, old: Fact) -> str:
    """The id of a fact, a new one where it has none."""
    if old.id:
        return old.id
    made = draft.desk.new_id(path, old.text, "was")
    draft.events.append(("alias", old.key, made))
    return made


def _words(text: str, wish: Wish) -> str:
    """The words of a new fact with its fields and tags, before a tail that they bring along."""
    more = []
    for each in wish.meta:
        found = _META.fullmatch(each.strip())
        if not found or {"[", "]"} & set(each):
            raise UsageError(f"meta {each!r} is not KEY=VALUE", "for example ticket=ABC-12")
        more.append(f"[{found[1].strip()}:: {found[2].strip()}]")
    for each in wish.tags:
        tag = "#" + each.removeprefix("#")
        if tags_in(tag) != (tag[1:],):
            what = "a tag is letters, digits, - and _, not digits alone, like work or work/urgent"
            raise UsageError(f"{each!r} would not be read as a tag", what)
        more.append(tag)
    words = fact_text.plain_fact_words(text)
    more = [each for each in more if each not in words]
    if not more:
        return words
    parts = fact_text.item_parts(words)
    if not split_item(words).inner:  # what dates it stands amid the words, and stays there
        parts = parts._replace(span="", items=())
    return fact_text.item_text(parts._replace(text=" ".join((parts.text, *more))))


def _own_id(desk: Desk, path: str, words: str) -> str:
    """The id that the words bring along, else a new one.  UsageError where it is taken."""
    own = parse_fact(words).id
    if own and is_taken(desk.db, own):
        raise UsageError(
            f"another line already has the id ^{own}", "leave the id out, and a new one is made"
        )
    return own or desk.new_id(path, words, desk.today)


def _twin(note: Note, words: str) -> Fact | None:
    """The active fact of the note that says the same in the same words, with the name of who it is
    about or without."""
    names = "|".join(map(re.escape, sorted({*_names_of(note)}, key=len, reverse=True)))
    begins = re.compile(rf"(?i)\A(?:{names})\s+(?:is\s+)?" if names else "")

    def unnamed(text: str) -> str:
        return fact_line.fact_key("", begins.sub("", text, count=1))

    mine = unnamed(parse_fact(words).text)
    return next(
        (fact for fact in note.facts if fact.status == "active" and unnamed(fact.text) == mine),
        None,
    )


def _names_of(note: Note) -> Iterator[str]:
    """What a note about one thing is called, and the first name of a person; nothing for other
    notes."""
    if note.kind in ENTITY_KINDS:
        yield from (note.title, *note.aliases)
        yield from note.title.split()[:1] if note.kind == "person" else ()


def _gone(note: Note, own: str) -> Fact:
    return next(fact for fact in note.facts if fact.superseded_by == own)


def _unknown(note: Note, lines: Container[int]) -> list[str]:
    """Notices about words after the date of a fact that are not understood."""
    return [each.message for each in note.problems if each.code == TAIL_WORD and each.line in lines]


def _about(path: str, fact: Fact) -> dict[str, object]:
    return {
        "id": fact.key,
        "path": path,
        "lines": [fact.first, fact.last],
        "type": fact.type,
        "subtype": narrower(fact) or None,
        "date": fact.date,
        "text": fact.text,
    }


def _row(path: str, fact: Fact) -> str:
    return f"{path}:{fact.first}  {fact.text}  [id:{fact.key}]"
