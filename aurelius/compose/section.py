"""The section of a note that Aurelius writes, `## Summary` or `## Now`: reading it, and replacing its text.

Every byte outside the section's own text is kept.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from indexer.errors import UsageError
from indexer.reading.outline import extent, levels
from indexer.reading.type_words import normal_heading

from .note_lines import NoteLines
from .placement import is_airy

if TYPE_CHECKING:
    from indexer.note import Note

    from .note_lines import NoteReader

SAME = {"summary": ("summary", "tl;dr", "tldr")}
"""What else a heading may be called, first what is looked for first."""

_UNDERLINE = re.compile(r"[ \t]{0,3}(?:=+|-+)[ \t]*")


class SectionSpan(NamedTuple):
    """Where a section's text is: its heading ends on line `after`, its text are lines `first`..`last`, 0 for none."""

    after: int
    first: int = 0
    last: int = 0


def find(note: Note, name: str) -> SectionSpan | None:
    """The note's own section of that name: right under its title, not one of a part of it."""
    titled = levels(note.sections)[:1] == [1]
    deepest = 1 + titled
    for word in SAME.get(name.casefold(), (name.casefold(),)):
        for at, section in enumerate(note.sections):
            own = section.level and not section.end and len(section.heading) <= deepest
            if own and normal_heading(section.heading[-1]) == word:
                return _spot(note, at)
    return None


def text_of(note: Note, name: str) -> str | None:
    """What stands in that section, "" for nothing; None where there is no such section."""
    spot = find(note, name)
    if spot is None:
        return None
    return "\n".join(note.lines[spot.first - 1 : spot.last]).strip() if spot.first else ""


def put(note: Note, data: bytes, name: str, text: str, read: NoteReader) -> bytes:
    """The note's bytes with that text in the section, which is made before all others where there is none.

    "" empties it.
    UsageError where the note would not be read as before in everything else.
    """
    lines = NoteLines(note.path, data)
    spot = find(note, name)
    new = text.split("\n")
    if spot is None:
        _make(note, lines, name, new)
    elif spot.first and not text:
        lines.remove(spot.after + 1, spot.last)
    elif spot.first:
        lines.insert(spot.last, new)
        lines.remove(spot.first, spot.last)
    else:
        airy = is_airy(note)
        lines.insert(spot.after, [*([""] if airy else []), *new, *_gap(spot.after, lines)])
    after = lines.data()
    now = read(note.path, after)
    worse = {problem.code for problem in now.problems} - {problem.code for problem in note.problems}
    if (text_of(now, name) or "") != text or _rest(now) != _rest(note) or worse:
        raise UsageError(
            f"{note.path}: not written: a new {name} would change how the rest of the note is read",
            "write it with an editor",
        )
    return after


def _spot(note: Note, at: int) -> SectionSpan:
    section = note.sections[at]
    after = section.first
    if not note.lines[after - 1].lstrip().startswith("#"):
        while not _UNDERLINE.fullmatch(note.lines[after]):
            after += 1
        after += 1
    last = extent(note.sections, at)
    first = after + 1
    while first <= last and not note.lines[first - 1].strip():
        first += 1
    return SectionSpan(after, first, last) if first <= last else SectionSpan(after)


def _make(note: Note, lines: NoteLines, name: str, new: list[str]) -> None:
    """A new section, before the first heading below the title."""
    heads = [section for section in note.sections if section.level and not section.end]
    below = heads[1:] if levels(note.sections)[:1] == [1] else heads
    if not below:
        raise UsageError(
            f"{note.path}: not written: it has no headings, and a first one would stop its bullets from being facts",
            "put a heading for them above its bullets, such as ## Facts",
        )
    where = below[0].first - 1
    level = max(2, below[0].level)
    gap = [""] if where and lines.texts[where - 1].strip() else []
    airy = [""] if is_airy(note) else []
    lines.insert(where, [*gap, f"{'#' * level} {name}", *airy, *new, ""])


def _gap(line: int, lines: NoteLines) -> list[str]:
    """An empty line where something else would follow at once."""
    return [""] if line < len(lines.texts) and lines.texts[line].strip() else []


def _rest(note: Note) -> tuple[object, ...]:
    """What of a note has nothing to do with the text of one section: its facts, tasks, properties and title."""
    facts = [fact._replace(first=0, last=0) for fact in note.facts]
    tasks = [task._replace(line=0) for task in note.tasks]
    return facts, tasks, dict(note.front_matter), note.title, note.kind, note.private, note.aliases
