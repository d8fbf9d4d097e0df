"""Note → Chunks, in three grains side by side.

Every fact is a chunk of its own, so that it is found by itself. Sections are packed from whole
units to about `MOST_CHUNK_WORDS` words with one unit of overlap; a unit longer than that is cut at
sentence ends, its parts keeping the unit's line span. Superseded facts never share a chunk with
current text. What a note's properties say is one chunk, so that nothing a note holds cannot be
found. What is nested in a list has the items around it in its heading; lines that say nothing are
left out.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Sequence
from hashlib import blake2b
from itertools import chain, zip_longest
from operator import attrgetter
from typing import Any, NamedTuple

from indexer.note import Chunk, Fact, Note, Section, Unit
from indexer.spelling import single_spaced, storable

from . import front_matter
from .inline import SHOWN_LINK
from .path_meaning import kind_of_word

MOST_CHUNK_WORDS = 120
"""Words of a section chunk: above this static embeddings blur (measured)."""

SHORT_HEADING = 2
"""Words of a heading that says nothing by itself, where nothing stands below it."""
MOST_PARENTS = 3
"""List items around a nested one that tell what it is about: the outermost, and the nearest."""

_SENTENCE = re.compile(r"(?<=[.!?;:])[\s]+|(?<=[。！？；])")
_WINDOW = re.compile(rf"(?:\S++\s*+){{1,{MOST_CHUNK_WORDS // 2}}}")
_SPACELESS = re.compile(r"[぀-ヿ㐀-鿿가-힯฀-໿က-႟ក-៿]")


PropertyLine = tuple[str, str]
"""A key of a note's properties, and what stands behind it as text."""


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
    tags = " ".join(tag.name for tag in note.tags if tag.line == 0)
    drafts = [_fact_chunk(note, fact, tags) for fact in note.facts]
    of_facts = {(chunk.first, chunk.last) for chunk in drafts}
    first, last, said = property_lines(note)
    telling = any(_tells(key.lower(), text) for key, text in said)
    if said:
        said_lines = _property_lines(note, first, last)
        note = note._replace(silent=note.silent.union(said_lines))
    drafts += _section_chunks(note, of_facts, tags)
    if telling or not drafts:
        own = next((key for key in note.front_matter if key.lower() == "title"), "name")
        lines = [f"{key}: {value}" for key, value in said] or [f"{own}: {note.title}"]
        drafts.append(_draft(note, "property", (), first, last, "\n".join(lines), tags))
    drafts.sort(key=lambda chunk: (chunk.first, chunk.grain, chunk.last))
    return tuple(chunk._replace(ordinal=number) for number, chunk in enumerate(drafts))


def _section_chunks(
    note: Note,
    of_facts: Collection[tuple[int, int]],
    tags: str,
) -> list[Chunk]:
    """The chunks of the text between the headings; where there is no other chunk, the first of the
    headings that have nothing below them and say nothing by themselves."""
    found: list[Chunk] = []
    bare: list[Chunk] = []
    for section, after in zip_longest(note.sections, note.sections[1:]):
        runs = list(_runs(note, section))
        line = section.first
        if not runs and section.level and (after is None or after.level <= section.level):
            heading = Piece(
                first=line,
                last=line,
                text=note.shown[line - 1],
                words=1,
                status="active",
                whole=False,
            )
            made = _section_chunk(note, section, [heading], tags)
            (found if _stands_alone(section.heading[-1]) else bare).append(made)
        kept = (run for run in runs if not _is_fact(run, of_facts))
        found += [_section_chunk(note, section, run, tags) for run in kept]
    if found or of_facts:
        return found
    return bare[:1]


def _is_fact(run: Sequence[Piece], of_facts: Container[tuple[int, int]]) -> bool:
    """Whether a run is one whole unit that has a chunk as a fact already."""
    piece = run[0]
    return len(run) == 1 and piece.whole and (piece.first, piece.last) in of_facts


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
    """The pieces of a section as they are packed into chunks."""
    run: list[Piece] = []
    units = (unit for unit in section.units if not is_header(note, unit))
    for piece in chain.from_iterable(_pieces(note, unit) for unit in units):
        size = sum(each.words for each in run) + piece.words
        if run and (size > MOST_CHUNK_WORDS or piece.status != run[-1].status):
            yield run
            last = run[-1]
            fits = len(run) > 1 and last.words + piece.words <= MOST_CHUNK_WORDS
            run = [last] if fits and last.status == piece.status else []
        run.append(piece)
    if run:
        yield run


_HEADER = re.compile(r"(?i)\*\*(?:Type|Category|Last Updated|Updated|Created|Aliases|Tags):\*\*")


def is_header(note: Note, unit: Unit) -> bool:
    """Whether a unit is the bold header under a title: it says what front matter says, and answers
    nothing."""
    lines = note.shown[unit.first - 1 : unit.last]
    return all(_HEADER.match(line.strip()) for line in lines)


def _pieces(note: Note, unit: Unit) -> Iterator[Piece]:
    told = _told(note, unit.first, unit.last)
    if not told:
        return
    text = "\n".join([note.shown[line - 1] for line in told])
    words = length(text)
    if words <= MOST_CHUNK_WORDS * 1.25:
        yield Piece(
            first=told[0], last=told[-1], text=text, words=words, status=unit.status, whole=True
        )
        return
    line = at = 0
    for part in _cut(text):
        start = text.index(part, at)
        first = line + text.count("\n", at, start)
        last = first + part.count("\n")
        yield Piece(
            first=told[first],
            last=told[last],
            text=part,
            words=length(part),
            status=unit.status,
            whole=False,
        )
        line = last
        at = start + len(part)


def _told(
    note: Note,
    first: int,
    last: int,
) -> Sequence[int]:
    """The lines of a span without those that say nothing by themselves; none where all the others
    are blank."""
    lines: Sequence[int] = range(first, last + 1)
    if note.silent:
        lines = [line for line in lines if line not in note.silent]
    while lines and not note.shown[lines[0] - 1].strip():
        lines = lines[1:]
    while lines and not note.shown[lines[-1] - 1].strip():
        lines = lines[:-1]
    return lines


def _cut(text: str) -> Iterator[str]:
    """Parts of about MOST_CHUNK_WORDS/2 words that end where sentences end, or between words where
    none does."""
    half = MOST_CHUNK_WORDS // 2
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
    """The text in consecutive parts, none longer than MOST_CHUNK_WORDS/2 words by much."""
    at = 0
    ends = [match.end() for match in _SENTENCE.finditer(text)]
    for end in (*ends, len(text)):
        sentence = text[at:end]
        if length(sentence) <= MOST_CHUNK_WORDS // 2:
            yield sentence
        else:
            yield from _windows(sentence)
        at = end


def _windows(text: str) -> Iterator[str]:
    if length(text) > len(text.split()) * 2:  # a script without spaces
        for at in range(0, len(text), MOST_CHUNK_WORDS):
            yield text[at : at + MOST_CHUNK_WORDS]
        return
    yield from _WINDOW.findall(text)


def _property_lines(
    note: Note,
    first: int,
    last: int,
) -> Iterator[int]:
    """The lines with page properties at the top of a note whose properties are a chunk, so that
    they come once."""
    for number, line in enumerate(note.shown[first - 1 :], first):
        if front_matter.PROPERTY_LINE.match(line.strip()[:2000]):
            yield number
        elif number > last:
            return


_KIND = frozenset({"type", "kind", "category"})
_ID = re.compile(r"(?i)(?:[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-)?[0-9a-f]{12,64}")
_IDS = frozenset({"id", "uid", "uuid", "guid"})


def _tells(key: str, text: str) -> bool:
    """Whether a property says more than a note's kind, a day or an id, which are no words of
    anybody's question."""
    if key in _IDS or _ID.fullmatch(text) or (key in _KIND and kind_of_word(text)):
        return False
    return front_matter.parse_day(text) is None or len(text) > len("2026-02-01T12:00:00.000+00:00")


def property_lines(
    note: Note,
    tell: Callable[[Any], str] | None = None,
) -> tuple[int, int, list[PropertyLine]]:
    """First and last line of a note's properties, and what they say: (key, text) in their order.

    They are the front matter, or the bold header or page properties at the top. `tell` gives a
    value as text, `as_text` by default, with links by their names; lists have commas, inner keys
    stand behind their outer ones with a dot. Left out are empty values, the title, which every
    chunk has, and what could not be read and is text.
    """
    start = _front_lines(note.shown)
    units = next((section.units for section in note.sections), ())
    if units and units[0].first <= start:
        return 1, 1, []
    above = list(front_matter.header_lines(note.shown, start))
    pairs: list[tuple[str, Any]] = [(key, value) for _, key, value, _ in above]
    if start:
        known = {key for key, _ in pairs}
        pairs[:0] = [pair for pair in note.front_matter.items() if pair[0] not in known]
    found = list[PropertyLine]()
    for key, value in pairs:
        found += _said(key, value, 0, tell or as_text)
    title = ("title", note.title)
    found = [pair for pair in found if pair != title and pair[0].lower() != "private"]
    numbers = [number for number, *_ in above]
    if start or not above:
        return 1, max(start, 1, *numbers), found
    return numbers[0], max(numbers), found


def _front_lines(lines: Sequence[str]) -> int:
    """The number of lines that the front matter of a note has, 0 for none."""
    if lines and lines[0].startswith("---"):
        closing = front_matter.closing(lines)
        if closing is not None:
            return closing + 1
    return 0


def _said(
    key: str,
    value: Any,
    depth: int,
    tell: Callable[[Any], str],
) -> Iterator[PropertyLine]:
    """A property and those inside it, as text."""
    if isinstance(value, dict) and depth < front_matter.DEPTH_LIMIT:
        for inner, each in value.items():
            yield from _said(f"{key}.{inner}", each, depth + 1, tell)
        return
    texts: list[str] = []
    for part in _flat(value):
        if isinstance(part, dict):
            yield from _said(key, part, depth + 1, tell)
        else:
            texts.append(tell(_day_in(key, part)))
    text = ", ".join(filter(None, texts))
    if text:
        yield key, text


def _day_in(key: str, value: Any) -> Any:
    """The day of a moment in milliseconds where a key means one; any other number is no day."""
    days = (*front_matter.DATE_KEYS, *front_matter.UPDATED_KEYS)
    if str(value).isdecimal() and key.lower().replace(" ", "_") in days:
        return front_matter.parse_day(value) or value
    return value


def _flat(value: Any) -> Iterator[Any]:
    """The values of a list, of `[[link]]` without quotes too, which YAML takes for a list in a
    list."""
    if isinstance(value, list | tuple):
        for each in value:
            yield from _flat(each)
    else:
        yield value


def as_text(value: Any) -> str:
    """A value as one line that a reader understands: a link by its name."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    text = str(value)
    if "[" in text:
        text = SHOWN_LINK.sub(_named, text)
    return storable(single_spaced(text.replace("\0", " ")))


def _named(link: re.Match[str]) -> str:
    """A link's name: its label, else the last part of its target."""
    page = link[1] or ""
    name = page.partition("#")[0].rpartition("/")[2]
    return (link[2] or link[3] or name or page).strip()


def _fact_chunk(
    note: Note,
    fact: Fact,
    tags: str,
) -> Chunk:
    told = _told(note, fact.first, fact.last)
    text = "\n".join([note.shown[line - 1] for line in told])
    heading = (*fact.heading, *_above(note, fact.first, fact.last))
    own = " ".join((tags, *fact.tags)).strip()
    made = _draft(
        note,
        "fact",
        heading,
        told[0],
        told[-1],
        text,
        own,
    )
    return made._replace(
        status=fact.status,
        type=fact.type,
        date=fact.date,
        fact=fact.key,
        importance=fact.importance,
    )


def _section_chunk(
    note: Note,
    section: Section,
    run: Sequence[Piece],
    tags: str,
) -> Chunk:
    text = "\n".join(piece.text for piece in run)
    first = run[0].first
    last = max(piece.last for piece in run)
    heading = (*section.heading, *_above(note, first, last))
    made = _draft(note, "section", heading, first, last, text, tags)
    return made._replace(status=run[0].status)


def _above(
    note: Note,
    first: int,
    last: int,
) -> tuple[str, ...]:
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
    sections = note.sections
    number = bisect_right(sections, line, key=attrgetter("first")) - 1
    if number < 0 or not sections[number].end:
        return 0
    end = sections[number].end
    while number and not (sections[number].level and sections[number].end == end):
        number -= 1
    return sections[number].first


def _draft(
    note: Note,
    grain: str,
    heading: tuple[str, ...],
    first: int,
    last: int,
    text: str,
    tags: str,
) -> Chunk:
    """A chunk that is no fact: it holds, and has the date of the note, as facts without one."""
    context = _context(note, heading)
    indexed = "\0".join((context, text, tags)).encode("utf-8", "surrogatepass")
    return Chunk(
        ordinal=0,
        grain=grain,
        heading=heading,
        first=first,
        last=last,
        context=context,
        text=text,
        tags=tags,
        status="active",
        type="",
        date=note.date or note.updated,
        fact="",
        importance=None,
        hash=blake2b(indexed, digest_size=16).digest(),
    )


def _context(note: Note, heading: Sequence[str]) -> str:
    """Title, heading and date of a chunk; the title and the date once, where they are in the
    heading."""
    parts = [note.title, *(part for part in heading if part != note.title)]
    if note.date and note.date not in " ".join(parts):
        parts.append(note.date)
    return " > ".join(parts)
