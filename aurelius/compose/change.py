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
from functools import wraps
from itertools import chain
from typing import Any, NamedTuple, ParamSpec, TypeVar, cast

from aurelius.settings.places import shell_word
from indexer.errors import NoteNotFoundError, UsageError
from indexer.note import Fact, Note
from indexer.reading import comments, fact_line, facts, front_matter
from indexer.reading.blocks import Block
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

Parameters = ParamSpec("Parameters")
Changed = TypeVar("Changed")

BY_HAND = "change it with an editor"


class FactItem(NamedTuple):
    """A fact and its list item, None where it is a whole note; `indent` is what stands before its
    words."""

    fact: Fact
    item: facts.Item | None
    indent: str


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
        return self.find_all([key])[0]

    def find_all(self, keys: Sequence[str]) -> list[FactItem]:
        """The facts of some keys or ids, in their order.  NoteNotFoundError."""
        by_key = {fact.key: fact for fact in reversed(self.note.facts)}
        for key in keys:
            if key not in by_key:
                raise self.unknown(key)
        return [_found(self.note, self.items, by_key[key]) for key in keys]

    def unknown(self, key: str) -> NoteNotFoundError:
        """The error for a key that no fact of the note has."""
        return NoteNotFoundError(
            f"no fact of {self.path} has the key {key}", f"`aurelius show {self.path} --facts`"
        )

    @property
    def blocks(self) -> list[Block]:
        """The blocks of the note as it was."""
        return self.body.blocks

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
            kept = [self._dated(fact) for fact in kept]
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

    def _dated(self, fact: Fact) -> Fact:
        """A fact as the note has it once it says that it was updated."""
        if fact.dated == "note" and fact.type == "relationship":
            return fact._replace(date=self.day)
        return fact


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
    return Open(path, read, note, lines, body, items, day if mark else "")


def _marking(change: Callable[Parameters, Changed]) -> Callable[Parameters, Changed]:
    """A change that also says in the note on which `day` it was updated, if it says so at all.

    Where that would be the date of its facts as well, the note keeps the day it has. Where a newer
    date would make a line past that was only appended below History, that line goes to the other
    facts first.
    """
    again: Callable[..., Changed] = change

    @wraps(change)
    def changed(*args: Parameters.args, **options: Parameters.kwargs) -> Changed:
        try:
            return change(*args, **options)
        except UsageError:
            moved = _lifted(cast(bytes, args[0]), str(options["path"]))
            if moved != args[0]:
                return _marking(again)(moved, *args[1:], **options)
            if not options.get("day"):
                raise
            return again(*args, **{**options, "day": ""})

    return changed


def _lifted(data: bytes, path: str) -> bytes:
    """The note with one line that was only appended below History put where its facts are; as it
    was without one."""
    here = open_note_lines(path, data)
    found = spot_of_appended(here.note, here.lines.texts, here.blocks)
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
    data: bytes,
    items: Sequence[str],
    heading: str,
    *,
    path: str,
    read: NoteReader | None = None,
    status: str = "active",
    day: str = "",
    outline: bool = False,
) -> bytes:
    """The note with more facts at the end of a section, which is made if it is missing; "" is the
    note's end.

    Each item is `- text …` as `form.fact_line` gives it; it gets the bullet of its neighbours.
    Lines that follow its first are kept below it. With `outline` the section is a list item, `- ##
    Facts`, where it is made. UsageError where one of them would not be read as the fact that it is.
    """
    here = open_note_lines(path, data, read, day)
    where = _clear(
        here, insertion_point(here.note, heading, here.lines.texts, here.blocks, outline=outline)
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
    for number, words in words_at.items():
        said = fact_line.parse_fact(words)
        new = fact_at.get(number)
        if new is None or (new.text, new.id, new.status) != (said.text, said.id, status):
            raise _not_a_fact(path, words)
    inner = [fact for fact in after if where.line < fact.first <= end]
    return here.close(here.note.facts, inner, headings=bool(where.made))


def _not_a_fact(path: str, words: str) -> UsageError:
    return UsageError(
        f"{path}: not written: this line would not be read as a fact: {words}", "reword it"
    )


@_marking
def reword_fact(
    data: bytes,
    key: str,
    text: str,
    *,
    path: str,
    read: NoteReader | None = None,
    day: str = "",
    id: str = "",
) -> bytes:
    """The note with one fact in other words; its date, tail and id stay, and without an id it gets
    `id`."""
    here = open_note_lines(path, data, read, day)
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
def supersede_fact(
    data: bytes,
    key: str,
    new_line: str,
    today: str,
    new_id: str,
    *,
    path: str,
    read: NoteReader | None = None,
    day: str = "",
    id: str = "",
) -> bytes:
    """The note with a new line in a fact's place and the old one struck under History, pointing at
    it.

    Where no History can be (a daily note, a note without headings), the old line is struck where it
    stands and the new one comes right after it.  `id` is what the old fact gets where it has none.
    """
    here = open_note_lines(path, data, read, day)
    found = here.find(key)
    item = _supersedable(path, found)
    history = _history(here, found)
    old = _old(here, found, today, new_id, id, moved=history is not None)
    words = new_line.removeprefix("- ")
    said = fact_line.parse_fact(words)
    fact = found.fact
    if history is None:
        here.lines.insert(item.end, [found.indent + words])
        _say(here, found, old)
    else:
        # what stands lower is changed first, so that line numbers hold
        texts = [*history.before, history.bullet + old, *history.after]
        if history.line < fact.first:
            _say(here, found, words)
            here.lines.insert(history.line, texts)
        else:
            here.lines.insert(history.line, texts)
            _say(here, found, words)
    new = next((each for each in here.after().facts if each.id == new_id), None)
    if new is None or (new.text, new.status) != (said.text, "active") or said.id != new_id:
        raise _not_a_fact(path, words)
    gone = _gone(fact, today, new_id, id)
    return here.close(_but(here, fact), [gone, new], headings=bool(history and history.made))


@_marking
def strike_fact(
    data: bytes,
    key: str,
    today: str,
    new_id: str,
    *,
    path: str,
    read: NoteReader | None = None,
    day: str = "",
    id: str = "",
    proposed: bool = False,
) -> bytes:
    """The note with a fact struck under History because of one that stands elsewhere; else struck
    where it stands.

    With `proposed` a captured line is struck that was not decided about; without, it is refused.
    """
    here = open_note_lines(path, data, read, day)
    found = here.find(key)
    if not (proposed and found.fact.status == "proposed"):
        _supersedable(path, found)
    history = _history(here, found)
    own = range(found.fact.first, found.fact.last + 1)
    inner = found.item is not None and found.item.end > found.item.last
    if (
        history is None or inner or not _all_closed(here, own)
    ):  # what is nested in it stays where it is
        _say(here, found, _old(here, found, today, new_id, id, moved=False))
        return here.close(_but(here, found.fact), [_gone(found.fact, today, new_id, id)])
    gone_by = _old(here, found, today, new_id, id, moved=True)
    told = list(chain.from_iterable(_comments_on(here, number) for number in own))
    texts = [*history.before, history.bullet + _with_comments(gone_by, told), *history.after]
    if history.line < found.fact.first:
        here.lines.remove(found.fact.first, found.fact.last)
        here.lines.insert(history.line, texts)
    else:
        here.lines.insert(history.line, texts)
        here.lines.remove(found.fact.first, found.fact.last)
    gone = _gone(found.fact, today, new_id, id)
    return here.close(_but(here, found.fact), [gone], headings=bool(history.made))


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
    places = {fact.key: at for at, fact in reversed([*enumerate(meant)])}
    for key, new in ids.items():
        if key not in places:
            raise here.unknown(key)
        found = _found(here.note, here.items, here.note.facts[places[key]])
        _stamp(here, found, new)
        meant[places[key]] = found.fact._replace(id=new)
    return here.close(meant)


def _stamp(here: Open, found: FactItem, new: str) -> None:
    """Put an id at the end of a fact's line, or in the place of the one it has."""
    if found.item:
        spoken = found.item.spoken
    else:
        spoken = (found.fact.last,)
    own = found.fact.id
    number = spoken[-1]
    if own:
        number = next((each for each in spoken if _cut_of(here, each, own)), number)
    line = here.lines.texts[number - 1]
    begin = end = _cut_of(here, number, own)
    space = ""
    if own:
        end += len(own) + 1
    else:
        if _all_closed(here, [number]):
            words = line
        else:
            words = here.body.lines[number - 1]
        begin = end = len(words.rstrip())
        space = " "
    here.lines.say(number, f"{line[:begin]}{space}^{new}{line[end:]}")


def remove_fact(data: bytes, key: str, **options: Any) -> tuple[bytes, str]:
    """The note without a fact's list item, and that item: `remove_all` of one."""
    left, items = remove_all(data, [key], **options)
    return left, items[key]


@_marking
def remove_all(
    data: bytes,
    keys: Sequence[str],
    *,
    path: str,
    read: NoteReader | None = None,
    day: str = "",
) -> tuple[bytes, dict[str, str]]:
    """The note without the list items of some facts, and each item, its words on one line, with all
    that is nested in it.

    Only for what goes on elsewhere: nothing of Aurelius deletes a fact.
    UsageError where one of them is the whole note or stands in another of them.
    """
    here = open_note_lines(path, data, read, day)
    found = {key: (each, each.item) for key, each in zip(keys, here.find_all(keys), strict=True)}
    gone: set[int] = set()
    taken: dict[str, str] = {}
    above = len(here.lines.texts) + 1
    for key, (each, item) in sorted(found.items(), key=lambda pair: -pair[1][0].fact.first):
        if item is None:
            raise UsageError(
                f"{path}: the whole note is this fact",
                f"`aurelius archive {shell_word(path)}`, or move the note",
            )
        if item.end >= above:
            raise UsageError(f"{path}:{item.first} holds another fact that is moved", BY_HAND)
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


def have_nested(path: str, data: bytes, read: NoteReader | None = None) -> set[str]:
    """The keys of the facts of a note in whose list items others, or tasks or text, are nested."""
    here = open_note_lines(path, data, read)
    found = (_found(here.note, here.items, fact) for fact in here.note.facts)
    return {each.fact.key for each in found if each.item and each.item.end > each.item.last}


def _found(note: Note, items: Mapping[int, facts.Item], fact: Fact) -> FactItem:
    """The list item that a fact is, by the line it begins on."""
    item = items.get(fact.first)
    if item is None or item.last != fact.last:
        return FactItem(fact, None, "")
    line = note.lines[item.first - 1]
    return FactItem(fact, item, line[: facts.item_offset(line)])


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


def _cut_of(here: Open, number: int, id_: str) -> int:
    """Where an id stands in a line, 0 where it does not."""
    return max(0, here.body.lines[number - 1].rfind(f"^{id_}"))


def _clear(here: Open, where: LinePlacement) -> LinePlacement:
    """A place for a line that is not amid a comment."""
    inside = (last for first, last in here.body.wide if first <= where.line < last)
    return where._replace(line=max(where.line, *inside, 0))


def _history(here: Open, found: FactItem) -> LinePlacement | None:
    history = spot_of_history(here.note, found.fact, here.lines.texts, here.blocks)
    return history and _clear(here, history)


def _supersedable(path: str, found: FactItem) -> facts.Item:
    """The list item of a fact that may be superseded.  UsageError for any other."""
    fact = found.fact
    if found.item is None:
        raise UsageError(
            f"{path}: the whole note is this fact",
            f"write the new one as a note, then `aurelius archive {shell_word(path)}`",
        )
    if fact.status == "superseded":
        by = ""
        if fact.superseded_by:
            by = f" by ^{fact.superseded_by}"
        raise UsageError(
            f"{path}: {fact.text!r} was already replaced{by}", "supersede the newer fact instead"
        )
    if fact.status == "proposed":
        raise UsageError(
            f"{path}: {fact.text!r} is a proposal that is not decided yet",
            "`aurelius review` shows its key; then `aurelius review accept KEY` or `aurelius review"
            " dismiss KEY`",
        )
    return found.item


def _old(
    here: Open,
    found: FactItem,
    today: str,
    by: str,
    own: str,
    *,
    moved: bool,
) -> str:
    """The text of a fact that is superseded; its type is named where only its heading said it."""
    words = _words(here, found)
    kind = ""
    if moved and not fact_line.parse_fact(words).category:
        kind = type_said(found.fact)
    return fact_text.struck(
        words,
        date=found.fact.date,
        today=today,
        by=by,
        type=kind,
        id=own,
    )


def _gone(
    fact: Fact,
    today: str,
    by: str,
    own: str,
) -> Fact:
    return fact._replace(
        status="superseded",
        until=today,
        superseded_by=by,
        id=fact.id or own,
    )


def _but(here: Open, old: Fact) -> list[Fact]:
    """The facts of the note less one."""
    return [fact for fact in here.note.facts if fact is not old]
