"""Exact text of a note: `PATH`, `PATH:LINE`, `PATH:LINE:COUNT`, `PATH#heading`, `PATH#^id`, `^id`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from indexer.errors import NoteNotFoundError, UsageError
from indexer.reading.decode import decode

if TYPE_CHECKING:
    from indexer.note import Note

_LINES = re.compile(r"(.*?):(\d{1,9})(?::(\d{1,9}))?")


class Excerpt(NamedTuple):
    """Lines `first`..`last` of a note exactly as they stand in the file; (1, 0, ()) where there are none.

    `exists` is false for a daily note that nobody has written yet.
    """

    path: str
    first: int
    last: int
    lines: tuple[str, ...]
    exists: bool = True


class LineRange(NamedTuple):
    """What of a note is meant: `length` lines from `line` on, or what is under `anchor`; all of it by default."""

    line: int = 0
    length: int = 1
    anchor: str = ""


def split(reference: str) -> list[tuple[str, LineRange]]:
    """The ways to read a reference that names a place: name of a note and place in it, the likeliest first.

    A line alone means that line.  `#` may belong to the name (`C# notes#Setup`), so each is tried.
    UsageError for line or count 0.
    """
    ways = [
        (reference[:at], LineRange(anchor=reference[at + 1 :].strip()))
        for at, char in enumerate(reference)
        if char == "#" and at and reference[at + 1 :].strip("# ")
    ]
    match = _LINES.fullmatch(reference)
    if match:
        line, count = int(match[2]), int(match[3] or 1)
        if not line or not count:
            raise UsageError(f"{reference}: line numbers and counts start at 1", "as in people/joe.md:12:5")
        ways.append((match[1], LineRange(line, count)))
    return ways


def take(path: str, data: bytes, place: LineRange, daily_folder: str) -> Excerpt:
    """The lines at a place of a note's bytes.  NoteNotFoundError where there is no such line, heading or block."""
    if place.anchor:
        from indexer.reading.parse import parse

        return _under(parse(path, data, daily_folder=daily_folder), place.anchor)
    lines = decode(data).lines
    if not place.line:
        return Excerpt(path, 1, len(lines), lines)
    if place.line > len(lines):
        count = f"{len(lines)} {'line' if len(lines) == 1 else 'lines'}"
        raise NoteNotFoundError(f"{path} has no line {place.line}", f"it has {count}")
    last = min(place.line + place.length - 1, len(lines))
    return Excerpt(path, place.line, last, lines[place.line - 1 : last])


def _under(note: Note, anchor: str) -> Excerpt:
    if anchor.startswith("^"):
        for block in note.blocks:
            if block.id.lower() == anchor[1:].lower():
                return _lines(note, block.first, block.last)
        for fact in note.facts:
            if fact.key == anchor[1:]:
                return _lines(note, fact.first, fact.last)
        raise NoteNotFoundError(
            f"{note.path} has no line with the id {anchor}",
            f"`aurelius show {note.path} --facts` shows its facts and ids",
        )
    span = section_lines(note, anchor)
    if span is None:
        known = [section.heading[-1] for section in note.sections if section.level]
        hint = "its headings are " + "; ".join(known[:20]) if known else "it has no headings"
        raise NoteNotFoundError(f"{note.path} has no heading {anchor!r}", hint)
    return _lines(note, *span)


def section_lines(note: Note, anchor: str) -> tuple[int, int] | None:
    """First and last line of the section an anchor names (`A`, `A#B`, `a-slug`), its sub-sections included."""
    from indexer.catalog.link_targets import letters
    from indexer.reading.outline import extent

    wanted = [letters(part) for part in anchor.split("#")]
    if not all(wanted):
        return None
    for at, section in enumerate(note.sections):
        path = [letters(part) for part in section.heading]
        if section.level and path[-1] == wanted[-1] and _in_order(wanted, path):
            return section.first, extent(note.sections, at)
    return None


def _in_order(wanted: list[str], path: list[str]) -> bool:
    rest = iter(path)
    return all(part in rest for part in wanted)


def _lines(note: Note, first: int, last: int) -> Excerpt:
    return Excerpt(note.path, first, last, note.lines[first - 1 : last])
