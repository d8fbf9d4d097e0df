"""A note cut into the pieces that are merged: its properties, headings, list items and other lines.

The lines of all pieces, each with the blank lines above it, are the lines of the note.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.compose.note_lines import NoteLines
from indexer.errors import UsageError
from indexer.note import Note
from indexer.reading.comments import read_uncommented
from indexer.reading.fact_line import cut_id, split_item
from indexer.reading.facts import Item, is_task, items, task_mark
from indexer.reading.front_matter import closing, read_front_matter
from indexer.spelling import mark_of, nfc, single_spaced

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

FRONT = "front"
BODY_TOP = "top"
NOTE_END = "end"
HEADING = "heading"
PROPERTY_ENTRY = "property"
LIST_ITEM = "item"
WHOLE_BLOCK = "code"
PLAIN_LINE = "text"
SECTIONS = frozenset({FRONT, BODY_TOP, HEADING, NOTE_END})
"""Kinds of pieces that a section begins with; a note has all but headings once, empty or not."""

_MOST_PIECES = 20_000
_BOX = re.compile(r"\[[^\]]\]\s+|[A-Z-]+\s+")
_RIVAL = re.compile(r", contradicts \^[A-Za-z0-9-]{1,64}(?=[,)])")
_OWN_ID = re.compile(r"(?:^|(?<=\s))\^[A-Za-z0-9-]{1,64}(?=(?:~~)?\s*$)")

Row = tuple[str, str]
"""A line and what ends it."""


class NotePiece(NamedTuple):
    """One piece of a note: its `rows`, and in `lead` the blank ones above them.

    `words` is what it is known by, without box, id and what it contradicts; `owner` is the number
    of the list item around it, -1 for none, and `section` that of the piece which begins its
    section. `level` is that of a heading, `box` where the box of a task stands in its first line.
    """

    kind: str
    rows: tuple[Row, ...]
    lead: tuple[Row, ...] = ()
    words: str = ""
    id: str = ""
    owner: int = -1
    section: int = -1
    level: int = 0
    box: tuple[int, int] = (0, 0)

    @property
    def texts(self) -> tuple[str, ...]:
        """Its lines."""
        return tuple(text for text, _ in self.rows)

    @property
    def mark(self) -> str:
        """What stands in the place of its box, "" for no task."""
        begin, end = self.box
        return self.rows[0][0][begin:end] if end else ""

    def said(self) -> tuple[str, ...]:
        """Its lines without box and id."""
        begin, end = self.box
        first, *rest = self.texts
        texts = [first[:begin] + first[end:], *rest]
        if self.id:
            at = self._named_row()
            texts[at] = _OWN_ID.sub("", texts[at]).rstrip()
        return tuple(texts)

    def _named_row(self) -> int:
        """The number of the line that has its id, or would."""
        ending = [at for at, text in enumerate(self.texts) if _OWN_ID.search(text)]
        return ending[-1] if self.id and ending else len(self.rows) - 1

    def with_mark(self, mark: str) -> NotePiece:
        """The same piece with another box."""
        begin, end = self.box
        if not end or not mark:
            return self
        text, stop = self.rows[0]
        rows = ((text[:begin] + mark + text[end:], stop), *self.rows[1:])
        return self._replace(rows=rows, box=(begin, begin + len(mark)))

    def with_id(self, own: str, contradicts: str = "") -> NotePiece:
        """The same piece with another id, "" for none, which says what it contradicts where it has
        a tail that can."""
        at = self._named_row()
        text, stop = self.rows[at]
        bare = _OWN_ID.sub("", text).rstrip() if self.id else text.rstrip()
        raw = split_item(bare)
        if contradicts and raw.inner and raw.tail.contradicts != contradicts:
            end = bare.rindex(")")
            bare = f"{bare[:end]}, contradicts ^{contradicts}{bare[end:]}"
        if own:
            bare = f"{bare} ^{own}"
        rows = (*self.rows[:at], (bare, stop), *self.rows[at + 1 :])
        return self._replace(rows=rows, id=own)


class Side(NamedTuple):
    """One version of a note: the note, its pieces, its byte order mark, how most of its lines end,
    and whether its last line does."""

    note: Note
    pieces: tuple[NotePiece, ...]
    mark: bytes
    eol: str
    open: bool


def cut_note(note: Note, data: bytes) -> Side:
    """The pieces of a note with these bytes. UsageError where they are no text, or too many."""
    lines = NoteLines(note.path, data)
    if b"\0" in data or len(lines.texts) > _MOST_PIECES:
        raise UsageError(f"{note.path}: not merged: it is no text, or too long")
    is_open = bool(lines.ends) and not lines.ends[-1]
    rows = [(text, end or lines.eol) for text, end in zip(lines.texts, lines.ends, strict=True)]
    pieces = tuple(_Cutter(rows, note).cut())
    return Side(note, pieces, mark_of(data), lines.eol, is_open)


class _Cutter:
    """Cuts the lines of one note."""

    def __init__(self, rows: Sequence[Row], note: Note) -> None:
        self.rows = rows
        self.note = note
        self.pieces: list[NotePiece] = []
        self.lead: list[Row] = []
        self.section = -1
        self.around: list[tuple[int, int]] = []
        """The list items around a line: number of the piece, last line."""

    def cut(self) -> list[NotePiece]:
        """All pieces, in order."""
        texts = [text for text, _ in self.rows]
        body = read_front_matter(texts).lines
        if not body and texts and texts[0].rstrip() == "---":
            body = (closing(texts) or -1) + 1  # also what cannot be read as properties
        self._add(FRONT, 1, min(body, 1))
        for first, last in self._properties(body):
            name, colon, _ = texts[first - 1].partition(":")
            words = name.strip() if colon else texts[first - 1]
            self._add(PROPERTY_ENTRY, first, last, words=words)
        self._add(BODY_TOP, body, body or -1)
        self._cut_body(texts, body)
        self._add(NOTE_END, 1, 0)
        return self.pieces

    def _properties(self, last: int) -> Iterator[tuple[int, int]]:
        """First and last line of each property between the two lines around them."""
        first = 0
        for number in range(2, last):
            text = self.rows[number - 1][0]
            if first and (not text.strip() or text[0] in " \t-"):
                continue
            if first:
                yield first, number - 1
            first = number
        if first:
            yield first, last - 1

    def _cut_body(self, texts: Sequence[str], body: int) -> None:
        found = read_uncommented(texts, body)
        heads = {
            block.first: block
            for block in found.blocks
            if block.kind == HEADING and not block.depth
        }
        whole = {
            block.first: block.last
            for block in found.blocks
            if block.kind in {"code", "html", "table"}
        }
        whole.update(found.wide)
        listed = {item.first: item for item in items(found.blocks, found.shown)}
        number = body + 1
        while number <= len(texts):
            head = heads.get(number)
            if not texts[number - 1].strip():
                self.lead.append(self.rows[number - 1])
                last = number
            elif head:
                last = head.last
                self._add(
                    HEADING, number, last, words=plain_words(texts[number - 1]), level=head.level
                )
            elif number in listed:
                last = self._add_item(listed[number])
            else:
                last = self._add_line(number, whole.get(number, 0))
            number = last + 1

    def _add_line(self, number: int, end: int) -> int:
        """Add what begins on a line that is no heading and no list item: a block until line `end`,
        or that line; its last line."""
        if end:
            texts = (text for text, _ in self.rows[number - 1 : end])
            self._add(WHOLE_BLOCK, number, end, words=plain_words("\n".join(texts)))
            return end
        words, own = cut_id(self.rows[number - 1][0].strip())
        self._add(PLAIN_LINE, number, number, words=words, id=own)
        return number

    def _add_item(self, item: Item) -> int:
        """Add a list item; its last line without what is nested in it."""
        line = self.rows[item.first - 1][0]
        raw = split_item(item.text)
        words = _RIVAL.sub("", cut_id(single_spaced(item.text))[0])
        box = (0, 0)
        if is_task(item.text):
            box = task_mark(line)
            words = _BOX.sub("", words, count=1)
        ends = (text for text, _ in self.rows[item.first - 1 : item.last])
        own = raw.id if any(map(_OWN_ID.search, ends)) else ""
        at = len(self.pieces)
        self._add(
            LIST_ITEM,
            item.first,
            item.last,
            words=plain_words(words),
            id=own,
            box=box,
        )
        self.around.append((at, item.end))
        return item.last

    def _add(self, kind: str, first: int, last: int, **more: Any) -> None:
        """Add the piece of these lines, and what is known of it."""
        self.around = [each for each in self.around if first <= each[1]]
        rows = tuple(self.rows[first - 1 : last]) if first <= last else ()
        if kind in SECTIONS:
            self.section = len(self.pieces)
        owner = self.around[-1][0] if self.around and kind not in SECTIONS else -1
        piece = NotePiece(kind, rows, tuple(self.lead), owner=owner, section=self.section)
        self.lead = []
        self.pieces.append(piece._replace(**more))


def plain_words(text: str) -> str:
    """Words as they are compared: case, blanks and Unicode form apart."""
    return single_spaced(nfc(text)).casefold()
