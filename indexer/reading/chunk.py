"""Note → Chunks, in two grains side by side.

Every fact is a chunk of its own, so that it is found by itself.  Sections are packed from
whole units to about `WORDS` words with one unit of overlap; a unit longer than that is cut at sentence
ends, its parts keeping the unit's line span.  Superseded facts never share a chunk with current text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from hashlib import blake2b
from itertools import zip_longest
from typing import NamedTuple

from indexer.note import Chunk, Fact, Note, Section, Unit

WORDS = 120
"""Words of a section chunk: above this static embeddings blur (measured)."""

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
    """All chunks of a note in order of lines, ordinals from 0; at least one, so that every note can be found."""
    by_heading: dict[tuple[str, ...], str] = {}
    tags = " ".join(tag.name for tag in note.tags if tag.line == 0)
    drafts = [_fact_chunk(note, fact, by_heading, tags) for fact in note.facts]
    spans = {(fact.first, fact.last) for fact in note.facts}
    for section, after in zip_longest(note.sections, note.sections[1:]):
        runs = list(_runs(note, section))
        if not runs and section.level and (after is None or after.level <= section.level):
            runs = [[_heading(note, section)]]
        for run in runs:
            lone = len(run) == 1 and (run[0].first, run[0].last) in spans
            if not (lone and run[0].whole):
                drafts.append(_section_chunk(note, section, run, by_heading, tags))
    if not drafts:
        drafts.append(_section_chunk(note, Section((), 0, 1, 1, ()), [Piece(1, 1, "", 0, "active", True)], {}, tags))
    drafts.sort(key=lambda chunk: (chunk.first, chunk.grain, chunk.last))
    return tuple(chunk._replace(ordinal=number) for number, chunk in enumerate(drafts))


def _heading(note: Note, section: Section) -> Piece:
    """The heading itself, for a section that holds nothing else."""
    return Piece(section.first, section.first, note.lines[section.first - 1], 1, "active", False)


def length(text: str) -> int:
    """Words in a text; in scripts without spaces two characters count as one."""
    count = len(text.split())
    if text.isascii():
        return count
    return max(count, len(_SPACELESS.findall(text)) // 2)


def _runs(note: Note, section: Section) -> Iterator[list[Piece]]:
    run: list[Piece] = []
    size = fresh = 0
    units = (unit for unit in section.units if not _is_header(note, unit))
    for piece in (part for unit in units for part in _pieces(note, unit)):
        if run and (size + piece.words > WORDS or piece.status != run[-1].status):
            if fresh:
                yield run
            tail = run[-1]
            overlap = piece.status == tail.status and tail.words + piece.words <= WORDS and len(run) > 1
            run, size, fresh = ([tail], tail.words, 0) if overlap else ([], 0, 0)
        run.append(piece)
        size, fresh = size + piece.words, fresh + 1
    if fresh:
        yield run


_HEADER = re.compile(r"\*\*(?:Type|Category|Last Updated|Updated|Created|Aliases|Tags):\*\*", re.IGNORECASE)


def _is_header(note: Note, unit: Unit) -> bool:
    """Whether a unit is the bold header under a title: it says what front matter says, and answers nothing."""
    return all(_HEADER.match(line.strip()) for line in note.lines[unit.first - 1 : unit.last])


def _pieces(note: Note, unit: Unit) -> Iterator[Piece]:
    text = "\n".join(note.lines[unit.first - 1 : unit.last])
    words = length(text)
    if not text.strip():
        return
    if words <= WORDS * 1.25:
        yield Piece(unit.first, unit.last, text, words, unit.status, True)
        return
    line, at = unit.first, 0
    for part in _cut(text):
        start = text.index(part, at)
        first = line + text.count("\n", at, start)
        last = first + part.count("\n")
        yield Piece(first, last, part, length(part), unit.status, False)
        line, at = last, start + len(part)


def _cut(text: str) -> Iterator[str]:
    """Parts of about WORDS/2 words that end where sentences end, or between words where none does."""
    half = WORDS // 2
    taken: list[str] = []
    size = 0
    for sentence in _sentences(text):
        words = length(sentence)
        if taken and size + words > half:
            yield "".join(taken).strip()
            taken, size = [], 0
        taken.append(sentence)
        size += words
    if "".join(taken).strip():
        yield "".join(taken).strip()


def _sentences(text: str) -> Iterable[str]:
    """The text in consecutive parts, none longer than WORDS/2 words by much."""
    at = 0
    for match in [*_SENTENCE.finditer(text), None]:
        end = match.end() if match else len(text)
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
    at, count = 0, 0
    for match in re.finditer(r"\S+\s*", text):
        count += 1
        if count == WORDS // 2:
            yield text[at : match.end()]
            at, count = match.end(), 0
    if at < len(text):
        yield text[at:]


def _fact_chunk(note: Note, fact: Fact, contexts: dict[tuple[str, ...], str], tags: str) -> Chunk:
    text = "\n".join(note.lines[fact.first - 1 : fact.last])
    own = " ".join((tags, *fact.tags)).strip()
    context = _context(note, fact.heading, contexts)
    return _draft(
        "fact", fact.heading, fact.first, fact.last, context, text, own, fact.status, fact.type, fact.date, fact.key,
        fact.importance,
    )  # fmt: skip


def _section_chunk(
    note: Note, section: Section, run: list[Piece], contexts: dict[tuple[str, ...], str], tags: str
) -> Chunk:
    text = "\n".join(piece.text for piece in run)
    context = _context(note, section.heading, contexts)
    first, last = run[0].first, max(piece.last for piece in run)
    date = note.date or note.updated  # as the facts of the note have it
    return _draft("section", section.heading, first, last, context, text, tags, run[0].status, "", date, "", None)


def _context(note: Note, heading: tuple[str, ...], contexts: dict[tuple[str, ...], str]) -> str:
    """Title, heading path and date of a chunk, each word of them once where they repeat each other."""
    known = contexts.get(heading)
    if known is None:
        parts = [note.title]
        parts += [part for part in heading if part != note.title]
        if note.date and note.date not in " ".join(parts):
            parts.append(note.date)
        known = contexts[heading] = " > ".join(parts)
    return known


def _draft(
    grain: str, heading: tuple[str, ...], first: int, last: int, context: str, text: str, tags: str,
    status: str, type_: str, date: str | None, fact: str, importance: float | None,
) -> Chunk:  # fmt: skip
    digest = blake2b("\0".join((context, text, tags)).encode("utf-8", "surrogatepass"), digest_size=16).digest()
    return Chunk(0, grain, heading, first, last, context, text, tags, status, type_, date, fact, importance, digest)
