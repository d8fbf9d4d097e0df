"""The exact lines at a place of a note: at line numbers, under a heading, or of a block or fact."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from indexer.catalog.names import shows_facts
from indexer.errors import NoteNotFoundError
from indexer.reading.blocks import decode
from indexer.spelling import plural

if TYPE_CHECKING:
    from indexer.note import Note


class Excerpt(NamedTuple):
    """Lines `first`..`last` of a note exactly as they stand in the file; (1, 0, ()) where there are
    none.

    `exists` is false for a daily note that nobody has written yet.
    """

    path: str
    first: int
    last: int
    lines: tuple[str, ...]
    exists: bool = True


class LineRange(NamedTuple):
    """What of a note is meant: `length` lines from `line` on, or what is under `anchor`; all of it
    by default."""

    line: int = 0
    length: int = 1
    anchor: str = ""


def take(
    path: str,
    data: bytes,
    place: LineRange,
    daily_folder: str,
) -> Excerpt:
    """The lines at a place of a note's bytes. NoteNotFoundError where there is no such line,
    heading or block."""
    if place.anchor:
        from indexer.reading.parse import parse

        return _under(parse(path, data, daily_folder=daily_folder), place.anchor)
    lines = decode(data).lines
    if not place.line:
        return Excerpt(path, 1, len(lines), lines)
    if place.line > len(lines):
        count = f"{len(lines)} {plural('line', len(lines))}"
        raise NoteNotFoundError(f"{path} has no line {place.line}", f"it has {count}")
    before = place.line - 1
    last = min(before + place.length, len(lines))
    return Excerpt(path, place.line, last, lines[before:last])


def _under(note: Note, anchor: str) -> Excerpt:
    """The lines under a heading, or of the block or fact of an id."""
    if anchor.startswith("^"):
        for block in note.blocks:
            if block.id.lower() == anchor[1:].lower():
                return _lines(note, block.first, block.last)
        for fact in note.facts:
            if fact.key == anchor[1:]:
                return _lines(note, fact.first, fact.last)
        raise NoteNotFoundError(
            f"{note.path} has no line with the id {anchor}",
            shows_facts(note.path),
        )
    span = section_lines(note, anchor)
    if span is not None:
        return _lines(note, *span)
    known = [section.heading[-1] for section in note.sections if section.level]
    hint = "it has no headings"
    if known:
        hint = f"its headings are {'; '.join(known[:20])}"
    raise NoteNotFoundError(f"{note.path} has no heading {anchor!r}", hint)


def section_lines(note: Note, anchor: str) -> tuple[int, int] | None:
    """First and last line of the section an anchor names (`A`, `A#B`, `a-slug`), its sub-sections
    included."""
    from indexer.catalog.link_targets import find_heading
    from indexer.reading.outline import extent

    number = find_heading(note, anchor)
    if number is None:
        return None
    first = note.sections[number].first
    return first, extent(note.sections, number)


def _lines(note: Note, first: int, last: int) -> Excerpt:
    return Excerpt(note.path, first, last, note.lines[first - 1 : last])
