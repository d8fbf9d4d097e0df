"""One change of one note, bytes in and bytes out: add, update, supersede, strike, stamp, remove a
fact.

Every byte that is not meant to change is kept: byte order mark, line ends, indentation, front
matter, a missing final newline.  What comes out is parsed and compared with what went in; where the
facts, tasks and headings are not exactly those that were meant, UsageError is raised instead, and
the remedy is an editor.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, wraps
from itertools import chain
from typing import Any, Concatenate, NamedTuple, TypeVar

from aurelius.settings.places import shell_word
from indexer.catalog.names import shows_facts
from indexer.errors import NoteNotFoundError, UsageError
from indexer.note import Fact, Note
from indexer.reading import comments, fact_line, facts, front_matter
from indexer.reading.type_words import type_said
from indexer.spelling import single_spaced

from . import fact_text
from .note_lines import NoteLines, NoteReader
from .placement import (
    LinePlacement,
    insertion_point,
    spot_of_appended,
    spot_of_history,
    updated_line,
)

Changed = TypeVar("Changed")

BY_HAND = "change it with an editor"


class FactItem(NamedTuple):
    """A fact and its list item, None where it is a whole note."""

    fact: Fact
    item: facts.Item | None


class Gone(NamedTuple):
    """That a fact is past: until which day it was so, the id of what took its place, "" for
    nothing, and the id that it gets where it has none; `never` where it was never so, which an end
    on its own first day says."""

    day: str
    by: str
    own: str = ""
    never: bool = False


class Open(NamedTuple):
    """A note that is being changed: as it was, its `lines` as they will be, its `body` and list
    items as they were.

    `day` is the one that its `updated` says from now on, "" where that stays as it is.
    """

    path: str
    read: NoteReader
    note: Note
    lines: NoteLines
    body: comments.Readable
    items: Mapping[int, facts.Item]
    day: str = ""

    def find(self, key: str) -> FactItem:
        """The fact of a key or id.  NoteNotFoundError."""
        for fact in self.note.facts:
            if fact.key == key:
                item = self.items.get(fact.first)
                is_item = item is not None and item.last == fact.last
                return FactItem(fact, item if is_item else None)
        raise NoteNotFoundError(f"no fact of {self.path} has the key {key}", shows_facts(self.path))

    def words(self, key: str) -> str:
        """The text of a fact as it stands, with tail and id, on one line.  NoteNotFoundError."""
        return _words(self, self.find(key))

    def after(self) -> Note:
        """The note as its lines are now."""
        return self.read(self.path, self.lines.data())

    def close(self, kept: Sequence[Fact], made: Sequence[Fact] = (), *, headings: int = 0) -> bytes:
        """The bytes as they are now. UsageError unless they hold just the facts that are kept and
        those that are made.

        Relationships without a date do not age: they are as new as their note.
        """
        data = self.lines.data()
        note = self.read(self.path, data)
        if self.day and self.note.date is None:
            kept = [_dated(fact, self.day) for fact in kept]
        before = _headings(self.note)
        after = _headings(note)
        is_meant = (
            sign_facts(note.facts) == sign_facts([*kept, *made])
            and [task.text for task in note.tasks] == [task.text for task in self.note.tasks]
            and (after - before).total() == headings
            and not before - after
        )
        if not is_meant:
            raise UsageError(
                f"{self.path}: not written: the change would make other lines of the note be read"
                " differently",
                BY_HAND,
            )
        return data


def _dated(fact: Fact, day: str) -> Fact:
    """A fact as its note has it once that says that it was updated on a day."""
    is_of_note = fact.dated == "note" and fact.type == "relationship"
    return fact._replace(date=day) if is_of_note else fact


def _headings(note: Note) -> Counter[tuple[str, ...]]:
    return Counter(section.heading[-1:] for section in note.sections if section.level)


def open_note_lines(
    path: str,
    data: bytes,
    read: NoteReader | None = None,
    day: str = "",
) -> Open:
    """The note, ready to be changed, and where `day` is given, marked as updated then.

    UsageError where it cannot be changed: no text, or a merge conflict in it.
    """
    read = read or NoteReader()
    note = read(path, data)
    lines = NoteLines(path, data)
    for problem in note.problems:
        if problem.code in {"conflict", "structure", "binary", "size"}:
            raise UsageError(f"{path}: not written: {problem.message}", BY_HAND)
    body = comments.read_uncommented(note.lines, front_matter.read_front_matter(note.lines).lines)
    items = {item.first: item for item in facts.items(body.blocks, note.shown)}
    mark = None
    if day:
        mark = updated_line(lines.texts, day)
    if mark:
        lines.say(*mark)
    return Open(
        path=path,
        read=read,
        note=note,
        lines=lines,
        body=body,
        items=items,
        day=day if mark else "",
    )


def _marking(change: Callable[Concatenate[Open, ...], Changed]) -> Callable[..., Changed]:
    """A change of the bytes of the note at `path`, as `read` reads it, that also says in the note
    on which `day` it was updated, if it says so at all.

    Where that would be the date of its facts as well, the note keeps the day it has. Where a newer
    date would make a line past that was only appended below History, that line goes to the other
    facts first.
    """

    @wraps(change)
    def changed(
        data: bytes,
        *args: Any,
        path: str,
        read: NoteReader | None = None,
        day: str = "",
        **options: Any,
    ) -> Changed:
        try:
            return change(open_note_lines(path, data, read, day), *args, **options)
        except UsageError:
            moved = _lifted(data, path)
            if moved != data:
                return changed(moved, *args, path=path, read=read, day=day, **options)
            if not day:
                raise
            return change(open_note_lines(path, data, read), *args, **options)

    return changed


def _lifted(data: bytes, path: str) -> bytes:
    """The note with one line that was only appended below History put where its facts are; as it
    was without one."""
    here = open_note_lines(path, data)
    found = spot_of_appended(here.note, here.lines.texts, here.body.blocks)
    if found is None:
        return data
    number, where = found
    here.lines.move(number, where.line, where.before, where.after)
    return here.close(here.note.facts, headings=int(where.made))


def sign(fact: Fact) -> Fact:
    """What a fact says, wherever it stands."""
    return fact._replace(
        key="",
        dated="",
        heading=(),
        first=0,
        last=0,
        linked="",
        tags=(),
        related=(),
    )


def sign_facts(found: Sequence[Fact]) -> Counter[Fact]:
    """What many facts say."""
    return Counter(map(sign, found))


def add_fact(data: bytes, line: str, heading: str, **options: Any) -> bytes:
    """The note with one more fact at the end of a section: `add_all` of one."""
    return add_all(data, [line], heading, **options)


@_marking
def add_all(
    here: Open,
    items: Sequence[str],
    heading: str,
    *,
    outline: bool = False,
) -> bytes:
    """The note with more facts at the end of a section, which is made if it is missing; "" is the
    note's end.

    Each item is `- text …` as `form.fact_line` gives it; it gets the bullet of its neighbours.
    Lines that follow its first are kept below it. With `outline` the section is a list item, `- ##
    Facts`, where it is made. UsageError where one of them would not be read as the fact that it is.
    """
    where = _clear(
        here,
        insertion_point(here.note, heading, here.lines.texts, here.body.blocks, outline=outline),
    )
    texts = [*where.before]
    words_at: dict[int, str] = {}
    for item in items:
        first, *nested = item.split("\n")
        words = first.removeprefix("- ")
        texts += [where.bullet + words, *nested]
        words_at[where.line + len(texts) - len(nested)] = words
    texts += where.after
    here.lines.insert(where.line, texts)
    end = where.line + len(texts)
    after = here.after().facts
    fact_at: dict[int, Fact] = {}
    for fact in after:
        for number in range(max(fact.first, where.line), min(fact.last, end) + 1):
            fact_at.setdefault(number, fact)
    is_past = facts.is_history_heading(heading)
    for number, words in words_at.items():
        said = fact_line.parse_fact(words)
        new = fact_at.get(number)
        if (
            new is None
            or (new.text, new.id) != (said.text, said.id)
            or (new.status == "superseded") != is_past
        ):
            raise _not_a_fact(here, words)
    inner = [fact for fact in after if where.line < fact.first <= end]
    return here.close(here.note.facts, inner, headings=bool(where.made))


def _not_a_fact(here: Open, words: str) -> UsageError:
    return UsageError(
        f"{here.path}: not written: this line would not be read as a fact: {words}", "reword it"
    )


@_marking
def reword_fact(
    here: Open,
    key: str,
    text: str,
    *,
    id: str = "",
) -> bytes:
    """The note with one fact in other words; its date, tail and id stay, and without an id it gets
    `id`."""
    found = here.find(key)
    old = _words(here, found)
    new = fact_text.reworded(old, text)
    if id and not found.fact.id:
        new = fact_text.item_text(fact_text.item_parts(new)._replace(id=id))
    _say(here, found, new)
    new_fact = found.fact._replace(
        text=fact_line.parse_fact(fact_text.plain_fact_words(text)).text, id=found.fact.id or id
    )
    return here.close([*_but(here, found.fact), new_fact])


@_marking
def pin_fact(
    here: Open,
    key: str,
    *,
    pinned: bool,
    date: str = "",
) -> bytes:
    """The note with one fact pinned, or no longer; what follows a date needs one, so that a line
    without any gets `date`."""
    found = here.find(key)
    _say(here, found, fact_text.pinned_words(_words(here, found), date, pinned=pinned))
    new_fact = found.fact._replace(pinned=pinned, date=found.fact.date or date or None)
    return here.close([*_but(here, found.fact), new_fact])


@_marking
def supersede_fact(
    here: Open,
    key: str,
    new_line: str,
    gone: Gone,
) -> bytes:
    """The note with a new line in a fact's place and the old one struck under History, pointing at
    it.

    Where no History can be (a daily note, a note without headings), the old line is struck where it
    stands and the new one comes right after it.
    """
    found = here.find(key)
    item = _supersedable(here, found)
    history = _history(here, found)
    old = _old(here, found, gone, moved=history is not None)
    words = new_line.removeprefix("- ")
    said = fact_line.parse_fact(words)
    if history is None:
        line = here.note.lines[item.first - 1]
        here.lines.insert(item.end, [line[: facts.item_offset(line)] + words])
        _say(here, found, old)
    else:
        _put_past(here, found.fact, history, old, partial(_say, here, found, words))
    new = next((each for each in here.after().facts if each.id == gone.by), None)
    if new is None or (new.text, new.status) != (said.text, "active") or said.id != gone.by:
        raise _not_a_fact(here, words)
    return _close_past(here, found.fact, gone, [new], history)


@_marking
def strike_fact(
    here: Open,
    key: str,
    gone: Gone,
    *,
    proposed: bool = False,
) -> bytes:
    """The note with a fact struck under History because of one that stands elsewhere; else struck
    where it stands.

    With `proposed` a captured line is struck that was not decided about; without, it is refused.
    """
    found = here.find(key)
    fact = found.fact
    if not (proposed and fact.status == "proposed"):
        _supersedable(here, found)
    history = _history(here, found)
    own = range(fact.first, fact.last + 1)
    inner = found.item is not None and found.item.end > found.item.last
    if inner or not _all_closed(here, own):  # what is nested in it stays where it is
        history = None
    old = _old(here, found, gone, moved=history is not None)
    if history is None:
        _say(here, found, old)
    else:
        told = list(chain.from_iterable(_comments_on(here, number) for number in own))
        old = _with_comments(old, told)
        _put_past(here, fact, history, old, partial(here.lines.remove, fact.first, fact.last))
    return _close_past(here, fact, gone, [], history)


def _put_past(
    here: Open, fact: Fact, history: LinePlacement, old: str, rest: Callable[[], None]
) -> None:
    """Put the old line of a fact under History, and do the rest where it stands: what is lower
    first, so that line numbers hold."""
    texts = [*history.before, history.bullet + old, *history.after]
    steps: list[Callable[[], None]] = [partial(here.lines.insert, history.line, texts), rest]
    if history.line < fact.first:
        steps.reverse()
    for step in steps:
        step()


def _close_past(
    here: Open, fact: Fact, gone: Gone, made: Sequence[Fact], history: LinePlacement | None
) -> bytes:
    """The bytes of a note in which a fact is past, and others are made."""
    past = fact._replace(
        status="superseded", until=gone.day, superseded_by=gone.by, id=fact.id or gone.own
    )
    if gone.never:
        past = past._replace(date=gone.day)
    return here.close(_but(here, fact), [past, *made], headings=bool(history and history.made))


def stamp_ids(
    data: bytes,
    ids: Mapping[str, str],
    *,
    path: str,
    read: NoteReader | None = None,
) -> bytes:
    """The note with ids, by the keys of its facts, at the ends of their lines, in place of those
    they have."""
    here = open_note_lines(path, data, read)
    meant = list(here.note.facts)
    for key, new in ids.items():
        found = here.find(key)
        _stamp(here, found, new)
        meant[here.note.facts.index(found.fact)] = found.fact._replace(id=new)
    return here.close(meant)


def _stamp(here: Open, found: FactItem, new: str) -> None:
    """Put an id at the end of a fact's line, or in the place of the one it has."""
    spoken = found.item.spoken if found.item else (found.fact.last,)
    old = f"^{found.fact.id}"
    if found.fact.id:
        for each in spoken:
            at = here.body.lines[each - 1].rfind(old)
            if at >= 0:
                line = here.lines.texts[each - 1]
                here.lines.say(each, f"{line[:at]}^{new}{line[at + len(old) :]}")
                return
    number = spoken[-1]
    line = words = here.lines.texts[number - 1]
    if not _all_closed(here, [number]):
        words = here.body.lines[number - 1]
    end = len(words.rstrip())
    here.lines.say(number, f"{line[:end]} ^{new}{line[end:]}")


def remove_fact(data: bytes, key: str, **options: Any) -> tuple[bytes, str]:
    """The note without a fact's list item, and that item: `remove_all` of one."""
    left, items = remove_all(data, [key], **options)
    return left, items[key]


@_marking
def remove_all(
    here: Open,
    keys: Sequence[str],
) -> tuple[bytes, dict[str, str]]:
    """The note without the list items of some facts, and each item, its words on one line, with all
    that is nested in it.

    Only for what goes on elsewhere: nothing of Aurelius deletes a fact.
    UsageError where one of them is the whole note or stands in another of them.
    """
    found = {key: here.find(key) for key in keys}
    gone: set[int] = set()
    taken: dict[str, str] = {}
    above = len(here.lines.texts) + 1
    for key, each in sorted(found.items(), key=lambda pair: -pair[1].fact.first):
        item = each.item
        if item is None:
            raise UsageError(
                f"{here.path}: the whole note is this fact",
                f"`aurelius archive {shell_word(here.path)}`, or move the note",
            )
        if item.end >= above:
            raise UsageError(f"{here.path}:{item.first} holds another fact that is moved", BY_HAND)
        above = item.first
        taken[key] = _cut_item(here, each, item)
        gone.update(range(item.first, item.end + 1))
    kept = [fact for fact in here.note.facts if fact.first not in gone]
    tasks = tuple(task for task in here.note.tasks if task.line not in gone)
    here = here._replace(note=here.note._replace(tasks=tasks))
    return here.close(kept), taken


def _cut_item(here: Open, found: FactItem, item: facts.Item) -> str:
    """Take a list item out of the lines; it, without its margin."""
    before = len(here.lines.texts)
    _say(here, found, _words(here, found))
    end = item.end - (before - len(here.lines.texts))
    taken = here.lines.texts[item.first - 1 : end]
    margin = len(taken[0]) - len(taken[0].lstrip(" \t"))
    here.lines.remove(item.first, end)
    return "\n".join(
        line[margin:] if not line[:margin].strip() else line.lstrip(" \t") for line in taken
    )


def have_none_nested(path: str, data: bytes, read: NoteReader) -> set[str]:
    """The keys of the facts of a note in whose list items no others, no tasks or text are
    nested."""
    here = open_note_lines(path, data, read)
    return {
        fact.key
        for fact in here.note.facts
        if (item := here.items.get(fact.first)) and item.end == fact.last
    }


def _words(here: Open, found: FactItem) -> str:
    """The text of a fact as it stands, its lines joined."""
    if found.item is not None:
        return found.item.text
    return single_spaced(" ".join(here.note.shown[found.fact.first - 1 : found.fact.last]))


def _say(here: Open, found: FactItem, words: str) -> None:
    """Let a fact's lines say something else, on one line; what is nested in the item stays, and so
    do comments."""
    if found.item is None:
        first, *others = range(found.fact.first, found.fact.last + 1)
    else:
        first, *others = found.item.spoken
    line = here.lines.texts[first - 1]
    last = here.lines.texts[(others or [first])[-1] - 1]
    start = len(line) - len(line.lstrip(" \t>"))
    if found.item and first == found.item.first:
        start = facts.item_offset(line)
    told = _comments_on(here, first)
    if told and here.body.lines[first - 1][start : start + 1].isspace():
        start = line.index(told[0], start) + len(told.pop(0))
        words = " " + words
    if _all_closed(here, [first]):
        words = _with_comments(words, told)
    else:
        words = " ".join((words, *told))
    here.lines.say(first, line[:start] + words + last[len(last.rstrip()) :])
    for number in reversed(others):
        _leave_comments(here, number)


def _leave_comments(here: Open, number: int) -> None:
    """Take a line away, or all that it has besides its indent and comments."""
    left = _comments_on(here, number)
    if left:
        text = here.lines.texts[number - 1]
        here.lines.say(number, text[: len(text) - len(text.lstrip())] + " ".join(left))
    else:
        here.lines.remove(number, number)


_GAP = re.compile(r"\s+")


def _comments_on(here: Open, number: int) -> list[str]:
    """What a line has of comments, in order."""
    line = here.note.lines[number - 1]
    plain = here.body.lines[number - 1]
    if line == plain:
        return []
    parts = [line[gap.start() : gap.end()].strip() for gap in _GAP.finditer(plain)]
    return [part for part in parts if part]


def _all_closed(here: Open, numbers: Iterable[int]) -> bool:
    """Whether no comment goes on from one of these lines to the next, or comes from the one
    before."""
    wide: set[int] = set()
    for first, last in here.body.wide:
        wide.update(range(first, last + 1))
    return wide.isdisjoint(numbers)


def _with_comments(words: str, told: Sequence[str]) -> str:
    """The words of a fact with the comments that stood on its line before its id, which ends the
    line."""
    text, id_ = fact_line.cut_id(words)
    if told and id_:
        return " ".join((text, *told, f"^{id_}"))
    return " ".join((words, *told))


def _clear(here: Open, where: LinePlacement) -> LinePlacement:
    """A place for a line that is not amid a comment."""
    inside = (last for first, last in here.body.wide if first <= where.line < last)
    return where._replace(line=max(where.line, *inside, 0))


def _history(here: Open, found: FactItem) -> LinePlacement | None:
    history = spot_of_history(here.note, found.fact, here.lines.texts, here.body.blocks)
    return history and _clear(here, history)


def _supersedable(here: Open, found: FactItem) -> facts.Item:
    """The list item of a fact that may be superseded.  UsageError for any other."""
    fact = found.fact
    if found.item is None:
        raise UsageError(
            f"{here.path}: the whole note is this fact",
            f"write the new one as a note, then `aurelius archive {shell_word(here.path)}`",
        )
    if fact.status == "superseded":
        by = ""
        if fact.superseded_by:
            by = f" by ^{fact.superseded_by}"
        raise UsageError(
            f"{here.path}: {fact.text!r} was already replaced{by}",
            "supersede the newer fact instead",
        )
    if fact.status == "proposed":
        raise UsageError(
            f"{here.path}: {fact.text!r} is a proposal that is not decided yet",
            "`aurelius review` shows its key; then `aurelius review accept KEY` or `aurelius review"
            " dismiss KEY`",
        )
    return found.item


def _old(here: Open, found: FactItem, gone: Gone, *, moved: bool) -> str:
    """The text of a fact that is superseded; its type is named where only its heading said it."""
    words = _words(here, found)
    kind = ""
    if moved and not fact_line.parse_fact(words).category:
        kind = type_said(found.fact)
    date = found.fact.date
    if gone.never:
        date = gone.day
    return fact_text.struck(
        words,
        date=date,
        today=gone.day,
        by=gone.by,
        type=kind,
        id=gone.own,
    )


def _but(here: Open, old: Fact) -> list[Fact]:
    """The facts of the note less one."""
    return [fact for fact in here.note.facts if fact is not old]
