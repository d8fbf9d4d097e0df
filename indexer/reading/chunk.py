"""Note → Chunks, in three grains side by side.

Every fact is a chunk of its own, so that it is found by itself. Sections are packed from whole
units to about `WORDS` words with one unit of overlap; a unit longer than that is cut at sentence
ends, its parts keeping the unit's line span. Superseded facts never share a chunk with current
text. What a note's properties say is one chunk, so that nothing a note holds cannot be found. What
is nested in a list has the items around it in its heading; lines that say nothing are left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import zip_longest
from operator import attrgetter
from typing import Any, NamedTuple

from indexer.note import Chunk, Fact, Note, Section, Unit
from indexer.spelling import storable

from . import front_matter
from .path_meaning import kind_of_word

WORDS = 120
"""Words of a section chunk: above this static embeddings blur (measured)."""

SHORT_HEADING = 2
"""Words of a heading that says nothing by itself, where nothing stands below it."""
MOST_PARENTS = 3
"""List items around a nested one that tell what it is about: the outermost, and the nearest."""

_SENTENCE = re.compile(r"(?<=[.!?;:])[\s]+|(?<=[。！？；])")
_SPACELESS = re.compile(r"[぀-ヿ㐀-鿿가-힯฀-໿က-႟ក-៿]")


class Piece(NamedTuple):
    """A unit, or part of a long one: its lines, text and length in words."""

    first: int
    last: int
    text: str
    words: int
    status: str
    whole: bool


def chunks(note: Note) -> tuple[Chunk, ...]:
    """All chunks of a note in order of lines, ordinals from 0; at least one, so that every note can
    be found."""
    by_heading: dict[tuple[str, ...], str] = {}
    tags = " ".join(tag.name for tag in note.tags if tag.line == 0)
    drafts = [_fact_chunk(note, fact, by_heading, tags) for fact in note.facts]
    spans = {(chunk.first, chunk.last) for chunk in drafts}
    note = note._replace(silent=note.silent.union(_said_above(note)))
    bare: list[tuple[Section, Piece]] = []
    for section, after in zip_longest(note.sections, note.sections[1:]):
        runs = list(_runs(note, section))
        if not runs and section.level and (after is None or after.level <= section.level):
            piece = _heading(note, section)
            bare.append((section, piece))
            if _stands_alone(section.heading[-1]):
                runs = [[piece]]
            else:
                runs = []
        for run in runs:
            lone = len(run) == 1 and (run[0].first, run[0].last) in spans
            if not (lone and run[0].whole):
                drafts.append(_section_chunk(note, section, run, by_heading, tags))
    if bare and not drafts:
        drafts.append(_section_chunk(note, bare[0][0], [bare[0][1]], by_heading, tags))
    drafts += _property_chunk(note, tags, empty=not drafts)
    drafts.sort(key=lambda chunk: (chunk.first, chunk.grain, chunk.last))
    return tuple(chunk._replace(ordinal=number) for number, chunk in enumerate(drafts))


def _heading(note: Note, section: Section) -> Piece:
    """The heading itself, for a section that holds nothing else."""
    return Piece(section.first, section.first, note.shown[section.first - 1], 1, "active", False)


def _stands_alone(heading: str) -> bool:
    """Whether a heading says something with nothing below it: `Invoice 4711 was paid` does, `Notes`
    does not."""
    return length(heading) > SHORT_HEADING or any(
        char.isdigit() or char in "[]" for char in heading
    )


def length(text: str) -> int:
    """Words in a text; in scripts without spaces two characters count as one."""
    count = len(text.split())
    if text.isascii():
        return count
    return max(count, len(_SPACELESS.findall(text)) // 2)


def _runs(note: Note, section: Section) -> Iterator[list[Piece]]:
    run: list[Piece] = []
    size = fresh = 0
    units = (unit for unit in section.units if not is_header(note, unit))
    for piece in (part for unit in units for part in _pieces(note, unit)):
        if run and (size + piece.words > WORDS or piece.status != run[-1].status):
            if fresh:
                yield run
            tail = run[-1]
            overlap = (
                piece.status == tail.status and tail.words + piece.words <= WORDS and len(run) > 1
            )
            if overlap:
                run = [tail]
                size = tail.words
                fresh = 0
            else:
                run = []
                size = 0
                fresh = 0
        run.append(piece)
        size = size + piece.words
        fresh = fresh + 1
    if fresh:
        yield run


_HEADER = re.compile(r"(?i)\*\*(?:Type|Category|Last Updated|Updated|Created|Aliases|Tags):\*\*")


def is_header(note: Note, unit: Unit) -> bool:
    """Whether a unit is the bold header under a title: it says what front matter says, and answers
    nothing."""
    return all(_HEADER.match(line.strip()) for line in note.shown[unit.first - 1 : unit.last])


def _pieces(note: Note, unit: Unit) -> Iterator[Piece]:
    told = _told(note, unit.first, unit.last)
    if not told:
        return
    text = "\n".join([note.shown[line - 1] for line in told])
    words = length(text)
    if words <= WORDS * 1.25:
        yield Piece(told[0], told[-1], text, words, unit.status, True)
        return
    line = at = 0
    for part in _cut(text):
        start = text.index(part, at)
        first = line + text.count("\n", at, start)
        last = first + part.count("\n")
        yield Piece(told[first], told[last], part, length(part), unit.status, False)
        line = last
        at = start + len(part)


def _told(note: Note, first: int, last: int) -> Sequence[int]:
    """The lines of a span without those that say nothing by themselves; none where all the others
    are blank."""
    lines: Sequence[int] = range(first, last + 1)
    if note.silent:
        lines = [line for line in lines if line not in note.silent]
    begin = 0
    end = len(lines)
    while begin < end and not note.shown[lines[begin] - 1].strip():
        begin += 1
    while begin < end and not note.shown[lines[end - 1] - 1].strip():
        end -= 1
    return lines[begin:end]


def _cut(text: str) -> Iterator[str]:
    """Parts of about WORDS/2 words that end where sentences end, or between words where none
    does."""
    half = WORDS // 2
    taken: list[str] = []
    size = 0
    for sentence in _sentences(text):
        words = length(sentence)
        if taken and size + words > half:
            yield "".join(taken).strip()
            taken = []
            size = 0
        taken.append(sentence)
        size += words
    if "".join(taken).strip():
        yield "".join(taken).strip()


def _sentences(text: str) -> Iterable[str]:
    """The text in consecutive parts, none longer than WORDS/2 words by much."""
    at = 0
    for match in [*_SENTENCE.finditer(text), None]:
        if match:
            end = match.end()
        else:
            end = len(text)
        sentence = text[at:end]
        if length(sentence) <= WORDS // 2:
            yield sentence
        else:
            yield from _windows(sentence)
        at = end


def _windows(text: str) -> Iterator[str]:
    if length(text) > len(text.split()) * 2:  # a script without spaces
        for at in range(0, len(text), WORDS):
            yield text[at : at + WORDS]
        return
    at = 0
    count = 0
    for match in re.finditer(r"\S+\s*", text):
        count += 1
        if count == WORDS // 2:
            yield text[at : match.end()]
            at = match.end()
            count = 0
    if at < len(text):
        yield text[at:]


def _said_above(note: Note) -> Iterator[int]:
    """The lines with page properties at the top of a note whose properties are a chunk, so that
    they come once."""
    first, last, said = properties(note)
    if any(_tells(key.lower(), text) for key, text in said):
        for number, line in enumerate(note.shown[first - 1 :], first):
            is_property = front_matter.PROPERTY_LINE.match(line.strip()[:2000]) is not None
            if is_property:
                yield number
            elif number > last:
                return


def _property_chunk(note: Note, tags: str, *, empty: bool) -> list[Chunk]:
    """What the properties of a note say; of an `empty` one without any its name, so that every note
    can be found."""
    first, last, said = properties(note)
    if not empty and not any(_tells(key.lower(), text) for key, text in said):
        return []
    own = next((key for key in note.front_matter if key.lower() == "title"), "name")
    lines = [f"{key}: {value}" for key, value in said] or [f"{own}: {note.title}"]
    day = note.date or note.updated
    context = _context(note, (), {})
    return [
        _draft(
            "property",
            (),
            first,
            last,
            context,
            "\n".join(lines),
            tags,
            "active",
            "",
            day,
            "",
            None,
        )
    ]


_UNSAID = frozenset({"private"})
_KIND = frozenset({"type", "kind", "category"})
_ID = re.compile(r"(?i)(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-)?[0-9a-f]{12,64}")
_IDS = frozenset({"id", "uid", "uuid", "guid"})


def _tells(key: str, text: str) -> bool:
    """Whether a property says more than a note's kind, a day or an id, which are no words of
    anybody's question."""
    if key in _IDS or _ID.fullmatch(text) or (key in _KIND and kind_of_word(text)):
        return False
    return front_matter.day(text) is None or len(text) > len("2026-02-01T12:00:00.000+00:00")


_LINK = re.compile(
    r"!?\[\[([^\[\]|]*)(?:\|([^\[\]]*))?\]\]|!?\[([^\[\]]*)\]\((?:[^()\s]*|\[\[[^\[\]]*\]\])\)"
)


def properties(note: Note) -> tuple[int, int, list[tuple[str, str]]]:
    """First and last line of a note's properties, and what they say: (key, text) in their order.

    They are the front matter, or the bold header or page properties at the top. Links are given by
    their names, lists with commas, inner keys behind their outer ones with a dot. Left out are
    empty values, the title, which every chunk has, and what could not be read and is text.
    """
    if note.shown and note.shown[0].startswith("---"):
        end = front_matter.closing(note.shown)
    else:
        end = None
    if end is None:
        start = 0
    else:
        start = end + 1
    if any(unit.first <= start for section in note.sections[:1] for unit in section.units):
        return 1, 1, []
    above = list(front_matter.header_lines(note.shown, start))
    known = {key for _, key, _, _ in above}
    found: list[tuple[str, str]] = []
    for key, value in note.front_matter.items() if start else ():
        if key not in known:
            found += _said(key, value, 0)
    found += [each for _, key, value, _ in above for each in _said(key, value, 0)]
    found = [
        (key, text)
        for key, text in found
        if key.lower() not in _UNSAID and (key, text) != ("title", note.title)
    ]
    if start or not above:
        first = 1
    else:
        first = above[0][0]
    return first, max([start, 1, *(number for number, *_ in above)]), found


def _said(key: str, value: Any, depth: int) -> Iterator[tuple[str, str]]:
    """A property and those inside it, as text."""
    if isinstance(value, dict) and depth < front_matter.DEPTH_LIMIT:
        for inner, each in value.items():
            yield from _said(f"{key}.{inner}", each, depth + 1)
        return
    parts = list(_flat(value))
    for part in parts:
        if isinstance(part, dict):
            yield from _said(key, part, depth + 1)
    text = ", ".join(filter(None, (as_text(part) for part in parts if not isinstance(part, dict))))
    if text:
        yield key, text


def _flat(value: Any) -> Iterator[Any]:
    """The values of a list, of `[[link]]` without quotes too, which YAML takes for a list in a
    list."""
    if isinstance(value, list | tuple):
        for each in value:
            yield from _flat(each)
    else:
        yield value


def as_text(value: Any) -> str:
    """A value as one line that a reader understands: a link by its name, a moment in milliseconds
    as its day."""
    if value is None or isinstance(value, bool):
        if value is None:
            return ""
        return str(value).lower()
    if isinstance(value, int) and (day := front_matter.day(value)):
        return day
    if "[" in str(value):
        text = _LINK.sub(_named, str(value))
    else:
        text = str(value)
    text = " ".join(text.replace("\0", " ").split())
    return storable(text)


def _named(link: re.Match[str]) -> str:
    """A link's name: its label, else the last part of its target."""
    return (
        link[2] or link[3] or (link[1] or "").partition("#")[0].rpartition("/")[2] or link[1] or ""
    ).strip()


def _fact_chunk(note: Note, fact: Fact, contexts: dict[tuple[str, ...], str], tags: str) -> Chunk:
    told = _told(note, fact.first, fact.last)
    text = "\n".join([note.shown[line - 1] for line in told])
    own = " ".join((tags, *fact.tags)).strip()
    heading = (*fact.heading, *_above(note, fact.first, fact.last))
    context = _context(note, heading, contexts)
    return _draft(
        "fact",
        heading,
        told[0],
        told[-1],
        context,
        text,
        own,
        fact.status,
        fact.type,
        fact.date,
        fact.key,
        fact.importance,
    )


def _section_chunk(
    note: Note, section: Section, run: list[Piece], contexts: dict[tuple[str, ...], str], tags: str
) -> Chunk:
    text = "\n".join(piece.text for piece in run)
    first = run[0].first
    last = max(piece.last for piece in run)
    heading = (*section.heading, *_above(note, first, last))
    context = _context(note, heading, contexts)
    date = note.date or note.updated  # as the facts of the note have it
    return _draft(
        "section", heading, first, last, context, text, tags, run[0].status, "", date, "", None
    )


def _above(note: Note, first: int, last: int) -> tuple[str, ...]:
    """The list items that lines are nested in, outermost first: what their heading leaves open."""
    if not note.parents:
        return ()
    found: list[str] = []
    at = bisect_left(note.parents, first, key=attrgetter("first")) - 1
    begin = _heading_line(note, first)
    while at >= 0 and note.parents[at].first > begin:
        parent = note.parents[at]
        if parent.last >= last:
            found.append(parent.text)
        at = parent.above
    if len(found) > MOST_PARENTS:
        found = [*found[: MOST_PARENTS - 1], found[-1]]
    return tuple(reversed(found))


def _heading_line(note: Note, line: int) -> int:
    """The line of the list item whose heading a line stands under, 0 where its heading is no list
    item."""
    at = bisect_right(note.sections, line, key=attrgetter("first")) - 1
    if at >= 0:
        end = note.sections[at].end
    else:
        end = 0
    while end and at and not (note.sections[at].level and note.sections[at].end == end):
        at -= 1
    if end:
        return note.sections[at].first
    return 0


def _context(note: Note, heading: tuple[str, ...], contexts: dict[tuple[str, ...], str]) -> str:
    """Title, heading and date of a chunk, each word of them once where they repeat each other."""
    known = contexts.get(heading)
    if known is None:
        parts = [note.title]
        parts += [part for part in heading if part != note.title]
        if note.date and note.date not in " ".join(parts):
            parts.append(note.date)
        known = contexts[heading] = " > ".join(parts)
    return known


def _draft(
    grain: str,
    heading: tuple[str, ...],
    first: int,
    last: int,
    context: str,
    text: str,
    tags: str,
    status: str,
    type_: str,
    date: str | None,
    fact: str,
    importance: float | None,
) -> Chunk:
    digest = blake2b(
        "\0".join((context, text, tags)).encode("utf-8", "surrogatepass"), digest_size=16
    ).digest()
    return Chunk(
        0,
        grain,
        heading,
        first,
        last,
        context,
        text,
        tags,
        status,
        type_,
        date,
        fact,
        importance,
        digest,
    )
