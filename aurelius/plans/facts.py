"""Plans of `add`, `update` and `supersede`: a fact stated, reworded, replaced.

Each is an edit that a person could have typed.  Nothing here writes; what comes back is a Plan.
"""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from aurelius.answers import references
from aurelius.compose import change, daily_line, fact_text
from aurelius.compose.fact_text import TailParts
from aurelius.compose.placement import place_for
from aurelius.settings.places import shell_word
from aurelius.writing.append import joined
from indexer.catalog.lists import is_taken
from indexer.catalog.names import without_ending
from indexer.errors import UsageError
from indexer.note import TAIL_WORD
from indexer.reading import fact_line
from indexer.reading.fact_line import read, split
from indexer.reading.facts import ENTITY_KINDS, is_history_heading
from indexer.reading.inline import tags_in
from indexer.reading.outline import levels
from indexer.reading.path_meaning import agent_of
from indexer.reading.type_words import narrower, type_said
from indexer.spelling import shortened

from . import addressee
from .new_note import FirstText, first_text_of_day, graph_at
from .plan import Draft, Events, Plan

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurelius.compose.daily_line import Addition
    from indexer.note import Fact, Note

    from .plan import Desk

_META = re.compile(r"([A-Za-z][\w -]{0,40})=(.{1,200})")
_NAMES = re.compile(r"(?<!^)(?<![.!?] )\b[^\W\d_a-z][^\W\d_]+")
_LINKS = re.compile(r"\[\[([^\]|#]+)")


class Wish(NamedTuple):
    """What a new fact is to say besides its words, as it was typed; `updates` names the fact it
    replaces, `contradicts` one that it disagrees with, `part_of` a note."""

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


def add(desk: Desk, name: str, text: str, wish: Wish) -> Plan:
    """One more fact in the note that is meant, "" in today's daily note; the one that it updates is
    struck."""
    vault = desk.vault
    draft = Draft(desk)
    if name:
        path = addressee.note(desk, name)
    else:
        path = desk.day_note(vault.agent)
    words = _words(text, wish)
    note = draft.note(path)
    twin = _twin(note, words)
    if twin and not wish.updates:
        same = (f"this fact is already there: {_row(path, twin)}",)
        return Plan((), "", about=_about(path, twin) | {"updates": None}, notices=same)
    if wish.date:
        date = references.day(wish.date, desk.today)
    else:
        date = ""
    told = TailParts(
        pinned=wish.pinned,
        importance=wish.importance,
        source=addressee.source(desk, wish.source, path),
        because=references.reason(vault, wish.because, private=desk.private),
        part_of=without_ending(addressee.note(desk, wish.part_of)) if wish.part_of else "",
    )
    own = _own_id(desk, words) or desk.new_id(path, words, desk.today)
    events = Events()
    rows: list[str] = []
    if wish.updates:
        old_path, key = addressee.fact(desk, wish.updates)
        old = draft.fact(old_path, key)
        _refuse_past(desk, old_path, old)
        since = _since(old, date or read(words).tail.date or desk.today)
        told = told._replace(updates=strike(desk, draft, old_path, old, own, since, events))
        moved = any(map(is_history_heading, _gone(draft.note(old_path), own).heading))
        if moved:
            where = "moved to History"
        else:
            where = "struck out"
        rows.append(f'updates ^{told.updates} ({where})  "{shortened(old.text)}"  {old_path}')
    if wish.contradicts:
        there, key = addressee.fact(desk, wish.contradicts)
        other = draft.fact(there, key)
        told = told._replace(contradicts=_stamped(desk, draft, there, other, events))
        rows.append(f'contradicts ^{told.contradicts}  "{shortened(other.text)}"  {there}')
    line = state(desk, draft, path, words, date, wish.type, own, told)
    made = draft.fact(path, own)
    edits = draft.edits()
    if line and len(edits) == 1:
        append = (path, line)
    else:
        append = None
    notices = (*_unknown(draft, path, made), *((line.notice,) if line and line.notice else ()))
    about = _about(path, made) | {"updates": told.updates or None}
    why = f"add to {path}: {shortened(made.text)}"
    return Plan(edits, why, (_row(path, made), *rows), about, notices, tuple(events), append)


def note(desk: Desk, text: str) -> Plan:
    """One more line at the end of today's daily note."""
    draft = Draft(desk)
    path = desk.day_note(desk.vault.agent)
    line = _append(desk, draft, path, text)
    about = {"path": path, **daily_line.place(line, draft.there(path), draft.note(path).facts)}
    notices = (line.notice,) if line.notice else ()
    return Plan(draft.edits(), f"note in {path}", about=about, notices=notices, append=(path, line))


def _append(desk: Desk, draft: Draft, path: str, text: str) -> Addition:
    """Put a line at the end of a daily note in a draft."""
    data = draft.data(path)
    if data:
        first = FirstText(None)
    else:
        first = first_text_of_day(desk.vault, path, desk.moment)
    tabs = "\n" in text and graph_at(desk.vault.root) is not None
    line = daily_line.line(text, path, data, desk.moment, draft.read, first.text, tabs=tabs)
    line = line._replace(notice="; ".join(filter(None, (line.notice, *first.notices))))
    draft.put(path, (data or b"") + b"".join(joined(path, data, line.data, line.opening)))
    return line


def update(desk: Desk, reference: str, text: str) -> Plan:
    """A fact in other words; where these say something else than before, a notice names
    `supersede`.

    Its tags stay, unless the new words bring tags of their own. The same words change nothing: a
    fact without an id gets none.
    """
    path, key = addressee.fact(desk, reference)
    draft = Draft(desk)
    old = draft.fact(path, key)
    if old.status == "superseded":
        what = f"{path}:{old.first} is a superseded fact, so its words are not changed"
        asked = shell_word(reference.removeprefix("^"))
        hint = (
            f"`aurelius history {asked}` shows what replaced it; to correct the line, use an editor"
        )
        raise UsageError(what, hint)
    there = draft.there(path)
    if not tags_in(text):
        text = _words(text, Wish(tags=tags_in(old.text)))
    if change.update(there, key, text, path=path, read=draft.read, day=desk.today) == there:
        same = ("no change: the fact already says that",)
        return Plan((), "", (_row(path, old),), _about(path, old), same)
    own = old.id or desk.new_id(path, old.text, desk.today)
    draft.change(path, change.update, key, text, day=desk.today, id=own)
    made = draft.fact(path, own)
    told = differs(old.text, made.text)
    advice = (
        f'if the old text was true once, use `aurelius supersede ^{own} "..."` instead, which'
        " keeps it"
    )
    notices = (f"{told}; {advice}",) if told else ()
    events = (
        *(() if old.id else (("alias", key, own),)),
        ("update", own, ""),
        ("use", own, ""),
    )  # so it is alive
    why = f"update in {path}: {shortened(made.text)}"
    return Plan(draft.edits(), why, (_row(path, made),), _about(path, made), notices, events)


def supersede(desk: Desk, reference: str, text: str, wish: Wish) -> Plan:
    """A new fact in an old one's place, which is struck under History; both stay.

    An old one in a daily note of another day is struck there, and the new one goes to today's note.
    """
    vault = desk.vault
    draft = Draft(desk)
    path, key = addressee.fact(desk, reference)
    old = draft.fact(path, key)
    _refuse_past(desk, path, old)
    words = _words(text, wish)
    said = read(words).tail
    if wish.date:
        date = references.day(wish.date, desk.today)
    else:
        date = said.date or desk.today
    if read(words).text == old.text and not (wish.date or said.date or wish.type):
        raise UsageError(
            f'"{shortened(old.text)}" is what the fact says already',
            "give the words that are true now",
        )
    _since(old, date)
    own = _own_id(desk, words) or desk.new_id(path, words, desk.today)
    told = TailParts(
        pinned=wish.pinned or old.pinned,
        importance=old.importance if wish.importance is None else wish.importance,
        source=addressee.source(desk, wish.source, path),
        because=references.reason(vault, wish.because, private=desk.private),
    )
    events = Events()
    note = draft.note(path)
    line = None
    if note.kind == "daily" and note.date != desk.today:
        strike(desk, draft, path, old, own, date, events)
        target = desk.day_note(agent_of(path))
        line = state(desk, draft, target, words, date, wish.type or type_said(old), own, told)
    else:
        target = path
        _replace(desk, draft, path, old, words, date, wish.type, own, told, events)
    made = draft.fact(target, own)
    gone = _gone(draft.note(path), own)
    about = _about(target, made) | {"superseded": _about(path, gone)}
    notices = (line.notice,) if line and line.notice else ()
    rows = (replaced(gone.text, made.text, path), _row(target, made))
    return Plan(draft.edits(), rows[0], rows, about, notices, tuple(events))


def _refuse_past(desk: Desk, path: str, old: Fact) -> None:
    """UsageError for a fact that another one has replaced already, all lines considered."""
    current = references.newest(desk.vault, path, old.key, private=desk.private)
    own = (path, old.key)
    if current == own and old.status != "superseded":
        return
    by = old.superseded_by or (current[1] if current != own else "")
    what = f"{path}: {old.text!r} was already replaced{f' by ^{by}' if by else ''}"
    if current == own:
        raise UsageError(what, f"`aurelius history ^{old.key}` shows what is known of it")
    raise UsageError(what, f"the current fact is ^{current[1]}: name that one instead")


def replaced(old: str, new: str, path: str) -> str:
    """What a person is told where one fact took another's place."""
    return f'replaced "{shortened(old)}" with "{shortened(new)}" in {path}'


def _since(old: Fact, day: str) -> str:
    """The day on which a fact took an old one's place; UsageError where the old one begins after
    it."""
    if old.date and day < old.date:
        raise UsageError(
            f'"{shortened(old.text)}" is dated {old.date}, which is later than {day}',
            f"give the day on which the new fact became true, for example --date {old.date}",
        )
    return day


def differs(old: str, new: str) -> str:
    """What of numbers, dates, names and negations a new wording changes, in words; "" for
    nothing."""
    from indexer.catalog.newer import said

    before = said(old)
    after = said(new)
    if before.numbers != after.numbers:
        return _exchanged("number", before.numbers, after.numbers)
    if before.denials != after.denials:
        return "this adds or removes a negation, such as 'not' or 'no longer'"
    names = [tuple(sorted({*_NAMES.findall(text), *_LINKS.findall(text)})) for text in (old, new)]
    if names[0] != names[1]:
        return _exchanged("name", *names)
    return ""


def _exchanged(what: str, old: tuple[str, ...], new: tuple[str, ...]) -> str:
    """Which numbers or names went and came, in words."""
    old, new = (
        tuple(re.sub("^0(?=[a-z])", "", each) for each in one) for one in (old, new)
    )  # a month is `0may`
    gone, came = (
        ", ".join(each for each in one if each not in other)
        for one, other in ((old, new), (new, old))
    )
    if gone and came:
        return f"this changes a {what}: {gone} → {came}"
    if gone or came:
        if gone:
            return f"this removes a {what}: {gone}"
        return f"this adds a {what}: {came}"
    return f"this repeats a {what} more or less often than before"


def state(
    desk: Desk,
    draft: Draft,
    path: str,
    words: str,
    date: str,
    kind: str,
    own: str,
    told: TailParts,
    *,
    captured: bool = False,
) -> Addition | None:
    """Put a new fact into a note: the daily note's line where it goes to the end of one, else None.

    What was `captured` goes to the beginning of a daily note: it was not said now.
    """
    data = draft.data(path)
    note = draft.note(path)
    choice = place_for(note, kind or "fact", desk.place.daily)
    is_daily = note.kind == "daily"
    silent = kind in ("", choice.type) or bool(read(words).tail.type)
    told = told._replace(type="" if silent else kind)
    when = date or ("" if read(words).tail.date else desk.today)
    bare = is_daily and when == (note.date or desk.today) and told == TailParts()
    text = fact_text.fact_line(words, date=None if bare else when or None, id=own, told=told)
    if is_daily and not choice.heading and captured:
        draft.put(path, daily_line.told_of_day(data or b"", text, own, path=path, read=draft.read))
        return None
    if is_daily and not choice.heading:
        return _append(desk, draft, path, text)
    outline = bool(data) and _is_outline(desk, note)
    changed = change.add(
        data or b"",
        text,
        choice.heading,
        path=path,
        read=draft.read,
        day=desk.today,
        outline=outline,
    )
    draft.put(path, changed)
    return None


def _is_outline(desk: Desk, note: Note) -> bool:
    """Whether a note of a Logseq graph is all bullets, so that a heading of it has to be one."""
    if levels(note.sections) or not os.path.isdir(os.path.join(desk.vault.root, "logseq")):
        return False
    return graph_at(desk.vault.root) is not None


def _replace(
    desk: Desk,
    draft: Draft,
    path: str,
    old: Fact,
    words: str,
    date: str,
    kind: str,
    own: str,
    told: TailParts,
    events: Events,
) -> None:
    """Put a new fact into an old one's place."""
    before = change.opened(path, draft.there(path), draft.read).words(old.key)
    kind = kind or fact_text.type_typed(before)
    scope = read(before).tail.scope
    said = read(words).tail
    line = fact_text.fact_line(
        words,
        date=None if said.date else date,
        id=own,
        told=told._replace(
            type="" if said.type else kind, scope=scope, pinned=told.pinned and not said.pinned
        ),
    )
    was = _name(desk, path, old, events)
    draft.change(path, change.supersede, old.key, line, date, own, day=desk.today, id=was)


def strike(
    desk: Desk, draft: Draft, path: str, old: Fact, own: str, date: str, events: Events
) -> str:
    """Mark a fact as superseded by a fact elsewhere; returns its id, a new one if it had none."""
    was = _name(desk, path, old, events)
    is_captured = old.status == "proposed"
    draft.change(
        path, change.strike, old.key, date, own, day=desk.today, id=was, proposed=is_captured
    )
    return was


def _name(desk: Desk, path: str, old: Fact, events: Events) -> str:
    """The id of a fact, a new one where it has none."""
    if old.id:
        return old.id
    made = desk.new_id(path, old.text, "was")
    events.append(("alias", old.key, made))
    return made


def _stamped(desk: Desk, draft: Draft, path: str, fact: Fact, events: Events) -> str:
    """The id of a fact that stays as it is; where it has none, a new one at the end of its line."""
    own = _name(desk, path, fact, events)
    if not fact.id:
        draft.change(path, change.stamp, {fact.key: own})
    return own


def _words(text: str, wish: Wish) -> str:
    """The words of a new fact with its fields and tags, before a tail that they bring along."""
    more = []
    for each in wish.meta:
        found = _META.fullmatch(each.strip())
        if not found or {"[", "]"} & set(each):
            raise UsageError(
                f"--meta {each!r} is not KEY=VALUE", "for example --meta ticket=ABC-12"
            )
        more.append(f"[{found[1].strip()}:: {found[2].strip()}]")
    for each in wish.tags:
        tag = "#" + each.removeprefix("#")
        if tags_in(tag) != (tag[1:],):
            what = "a tag is letters, digits, - and _, not digits alone, like work or work/urgent"
            raise UsageError(f"--tag {each!r} would not be read as a tag", what)
        more.append(tag)
    words = fact_text.plain(text)
    more = [each for each in more if each not in words]
    if not more:
        return words
    parts = fact_text.wording(words)
    if not split(words).inner:  # what dates it stands amid the words, and stays there
        parts = parts._replace(span="", items=())
    return fact_text.written(parts._replace(text=" ".join((parts.text, *more))))


def _own_id(desk: Desk, words: str) -> str:
    """The id that the words bring along, "" for none.  UsageError where it is taken."""
    own = read(words).id
    if own and is_taken(desk.db, own):
        raise UsageError(
            f"another line already has the id ^{own}", "leave the id out, and a new one is made"
        )
    return own


def _twin(note: Note, words: str) -> Fact | None:
    """The active fact of the note that says the same in the same words, with the name of who it is
    about or without."""
    names = "|".join(map(re.escape, sorted({*_names_of(note)}, key=len, reverse=True)))
    if names:
        begins = re.compile(rf"(?i)(?:{names})\s+(?:is\s+)?")
    else:
        begins = None

    def told(text: str) -> str:
        if begins:
            found = begins.match(text)
        else:
            found = None
        return fact_line.key("", text[found.end() :] if found else text)

    mine = told(read(words).text)
    return next(
        (fact for fact in note.facts if fact.status == "active" and told(fact.text) == mine), None
    )


def _names_of(note: Note) -> Iterator[str]:
    """What a note about one thing is called, and the first name of a person; nothing for other
    notes."""
    if note.kind in ENTITY_KINDS:
        yield from (note.title, *note.aliases)
        yield from note.title.split()[:1] if note.kind == "person" else ()


def _gone(note: Note, own: str) -> Fact:
    return next(fact for fact in note.facts if fact.superseded_by == own)


def _unknown(draft: Draft, path: str, made: Fact) -> list[str]:
    """Notices about words after the date of a fact that are not understood."""
    there = range(made.first, made.last + 1)
    return [
        each.message
        for each in draft.note(path).problems
        if each.code == TAIL_WORD and each.line in there
    ]


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
