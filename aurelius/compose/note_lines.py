"""A note's bytes while they are changed: read once, and as lines with the ends they have.

A change of one line is a change of that line alone.
Line numbers begin at 1 and are those of a parsed note.  A byte order mark and mixed line ends stay
as they are, and so does a missing final newline where the last line stays.

The section of a note that Aurelius writes, `## Summary` or `## Now`, is read and replaced here too:
every byte outside its own text is kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import add
from typing import TYPE_CHECKING, NamedTuple

from indexer.errors import UsageError
from indexer.reading.blocks import TEXT_LIMIT
from indexer.reading.outline import extent, levels
from indexer.reading.type_words import normal_heading
from indexer.spelling import mark_of

from .placement import gap, is_airy

if TYPE_CHECKING:
    from indexer.note import Note, Section
    from indexer.reading.path_meaning import KindRules

_LINE = re.compile(r"(?!\Z)([^\r\n]*)(\r\n|\r|\n|\Z)")
_FACT_ROW = re.compile(r"((?:archived: )?)(.+?):\d+(  .*  \[id:(\S+)\])", re.DOTALL)
"""A row that tells a fact: its note, line, words and id."""


MOST_VERSIONS = 64
"""Versions of notes that are remembered; a change of more notes reads the oldest again."""


class NoteReader:
    """Parses notes for one change, each version of their bytes once."""

    def __init__(self, daily_folder: str = "memory", kinds: KindRules = ()) -> None:
        self.daily_folder = daily_folder
        self.kinds = kinds
        self._read: dict[tuple[str, bytes], Note] = {}

    def __call__(self, path: str, data: bytes) -> Note:
        """The note that these bytes are at that path."""
        found = self._read.get((path, data))
        if found is None:
            from indexer.reading.parse import parse

            if len(self._read) >= MOST_VERSIONS:
                del self._read[next(iter(self._read))]
            found = self._read[path, data] = parse(
                path, data, daily_folder=self.daily_folder, kinds=self.kinds
            )
        return found


def placed(
    rows: Iterable[str], after: Mapping[str, bytes | None], read: NoteReader
) -> Iterator[str]:
    """Rows; those that tell a fact, `NOTE:LINE WORDS [id:ID]`, with the line where it stands in the
    end.

    `after` are the notes that were changed, as they are then: what was written since a row was made
    moves its line.
    """
    lines: dict[str, dict[str, int]] = {}
    for row in rows:
        told = _FACT_ROW.fullmatch(row)
        if told is None:
            yield row
            continue
        archived, path, rest, key = told.groups()
        if path not in lines:
            facts = read(path, after.get(path) or b"").facts
            lines[path] = {fact.key: fact.first for fact in reversed(facts)}
        line = lines[path].get(key)
        yield f"{archived}{path}:{line}{rest}" if line else row


class NoteLines:
    """A note that is being changed: `texts` and `ends` go together, `eol` is how most of its lines
    end."""

    def __init__(self, path: str, data: bytes) -> None:
        """UsageError for bytes that are no UTF-8 text, or too many to be read as one note."""
        self._mark = mark_of(data)
        body = data[len(self._mark) :]
        if len(body) > TEXT_LIMIT:
            raise UsageError(
                f"{path}: not written: the note is larger than 2 MiB, and only that much of it is"
                " read",
                "split it into several notes",
            )
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(
                f"{path}: not written: the note is not UTF-8 text", "save it as UTF-8"
            ) from error
        self.texts = []
        self.ends = []
        for match in _LINE.finditer(text):
            self.texts.append(match[1])
            self.ends.append(match[2])
        self.eol = max(("\n", "\r\n", "\r"), key=self.ends.count)
        self._open = bool(self.ends) and not self.ends[-1]  # the last line had no end

    def data(self) -> bytes:
        """The bytes of the lines as they are now."""
        return self._mark + "".join(map(add, self.texts, self.ends)).encode()

    def say(self, number: int, text: str) -> None:
        """Change the words of a line, not how it ends."""
        self.texts[number - 1] = text

    def insert(self, after: int, texts: Sequence[str]) -> None:
        """Put lines behind line `after`, 0 for the top; they end as the line before them does.

        The last line of a note ends too where it is one of them: what is appended next is then a
        line of its own.
        """
        if not texts:
            return
        eol = (self.ends[after - 1] if after else "") or self.eol
        ends = [eol] * len(texts)
        if after == len(self.ends) and self._open:
            self.ends[-1] = eol
            self._open = False
        self.texts[after:after] = texts
        self.ends[after:after] = ends

    def move(
        self,
        number: int,
        after: int,
        before: Sequence[str],
        behind: Sequence[str],
    ) -> None:
        """Put a line behind line `after`, with lines before and behind it there."""
        texts = [*before, self.texts[number - 1], *behind]
        self.insert(after, texts)
        gone = number + len(texts) * (after < number)
        self.remove(gone, gone)

    def find(self, part: str, most: int) -> list[tuple[int, int]]:
        """Line and column of the places, also of two that overlap, where a text stands; its line
        ends fit any.

        No more than `most` of them, and none for an empty text.
        """
        plain = "\n".join(_split("".join(map(add, self.texts, self.ends))))
        part = "\n".join(_split(part))
        found = list[tuple[int, int]]()
        at = plain.find(part) if part else -1
        while at >= 0 and len(found) < most:
            found.append((plain.count("\n", 0, at) + 1, at - plain.rfind("\n", 0, at) - 1))
            at = plain.find(part, at + 1)
        return found

    def replace(
        self,
        line: int,
        column: int,
        old: str,
        new: str,
    ) -> None:
        """Put a text in the place of another that stands there; where it goes on to a new line,
        that is as most are."""
        *above, part = _split(old)
        last = line + len(above)
        rest = ""
        end = ""
        if last <= len(self.texts):
            rest = self.texts[last - 1][len(part) + (0 if above else column) :]
            end = self.ends[last - 1]
        texts = _split(self.texts[line - 1][:column] + new + rest)
        ends = [self.eol] * (len(texts) - 1) + [end]
        if not texts[-1] and not end:  # nothing is left of the last line
            del texts[-1], ends[-1]
        self.texts[line - 1 : last] = texts
        self.ends[line - 1 : last] = ends
        self._open = bool(self.ends) and not self.ends[-1]

    def remove(self, first: int, last: int) -> None:
        """Take lines away; of the empty lines around them no more stay than there were on one
        side."""
        texts = self.texts
        below = last == len(texts) or not texts[last].strip()
        if below and first > 1 and not texts[first - 2].strip():
            first -= 1
        del self.texts[first - 1 : last]
        del self.ends[first - 1 : last]
        if self._open and self.ends:
            self.ends[-1] = ""


def _split(text: str) -> list[str]:
    """What stands between the line ends of a text, of whichever kind they are."""
    return text.replace("\r\n", "\n").replace("\r", "\n").split("\n")


_UNDERLINE = re.compile(r"[ \t]{0,3}(?:=+|-+)[ \t]*")


class SectionSpan(NamedTuple):
    """Where a section's text is: its heading ends on line `after`, its text are lines
    `first`..`last`, 0 for none."""

    after: int
    first: int = 0
    last: int = 0


def find_section(note: Note, name: str) -> SectionSpan | None:
    """The note's own section of that name: right under its title, not one of a part of it."""
    deepest = 2 if levels(note.sections)[:1] == [1] else 1
    own = {
        normal_heading(section.heading[-1]): number
        for number, section in reversed([*enumerate(note.sections)])
        if section.level and not section.end and len(section.heading) <= deepest
    }
    names = [name.casefold()]
    if names == ["summary"]:
        names += ["tl;dr", "tldr"]
    for word in names:
        if word in own:
            return _spot(note, own[word])
    return None


def section_text(note: Note, name: str) -> str | None:
    """What stands in that section, "" for nothing; None where there is no such section."""
    spot = find_section(note, name)
    if spot is None:
        return None
    if spot.first:
        return "\n".join(note.lines[spot.first - 1 : spot.last]).strip()
    return ""


def plain_text(data: bytes) -> str:
    """The bytes of a text that is ours alone as text, without a byte order mark."""
    return data.decode("utf-8-sig", "replace")


def put_section(
    note: Note,
    data: bytes,
    name: str,
    text: str,
    read: NoteReader,
) -> bytes:
    """The note's bytes with that text in the section, which is made before all others where there
    is none.

    "" empties it.
    UsageError where the note would not be read as before in everything else.
    """
    lines = NoteLines(note.path, data)
    spot = find_section(note, name)
    new = text.split("\n")
    if spot is None:
        _make(note, lines, name, new)
    elif not spot.first:
        lines.insert(spot.after, [*_below_heading(note), *new, *gap(spot.after, lines.texts)])
    elif text:
        lines.insert(spot.last, new)
        lines.remove(spot.first, spot.last)
    else:
        lines.remove(spot.after + 1, spot.last)
    after = lines.data()
    now = read(note.path, after)
    worse = {problem.code for problem in now.problems} - {problem.code for problem in note.problems}
    if (section_text(now, name) or "") != text or _rest(now) != _rest(note) or worse:
        raise UsageError(
            f"{note.path}: not written: a new {name} would change how the rest of the note is read",
            "write it with an editor",
        )
    return after


def _below_heading(note: Note) -> list[str]:
    """The empty line that stands below the headings of a note, if one does."""
    return [""] if is_airy(note) else []


def _spot(note: Note, at: int) -> SectionSpan:
    section = note.sections[at]
    after = section.first
    if not note.lines[after - 1].lstrip().startswith("#"):
        while not _UNDERLINE.fullmatch(note.lines[after]):
            after += 1
        after += 1
    last = extent(note.sections, at)
    first = after + 1
    while first <= last and not note.shown[first - 1].strip():
        first += 1
    if first <= last:
        return SectionSpan(after, first, last)
    return SectionSpan(after)


def below_title(note: Note) -> Sequence[Section]:
    """The sections of a note that a heading begins, without the title and what is nested in list
    items."""
    heads = [section for section in note.sections if section.level and not section.end]
    if levels(note.sections)[:1] == [1]:
        return heads[1:]
    return heads


def _make(
    note: Note,
    lines: NoteLines,
    name: str,
    new: list[str],
) -> None:
    """A new section, before the first heading below the title."""
    below = below_title(note)
    if not below:
        raise UsageError(
            f"{note.path}: not written: it has no headings, and a first one would stop its bullets"
            " from being facts",
            "put a heading for them above its bullets, such as ## Facts",
        )
    where = below[0].first - 1
    level = max(2, below[0].level)
    before = [""] if where and lines.texts[where - 1].strip() else []
    heading = f"{'#' * level} {name}"
    lines.insert(where, [*before, heading, *_below_heading(note), *new, ""])


def _rest(note: Note) -> tuple[object, ...]:
    """What of a note has nothing to do with the text of one section: its facts, tasks, properties
    and title."""
    facts = [fact._replace(first=0, last=0) for fact in note.facts]
    tasks = [task._replace(line=0) for task in note.tasks]
    return facts, tasks, dict(note.front_matter), note.title, note.kind, note.private, note.aliases
