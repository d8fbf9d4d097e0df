"""Generated texts among the candidates, and what of them still holds.

They are the summaries of notes, the listings of folders (`_index.md`) and `Now` of MEMORY.md. They
repeat facts, and are as old as their last writing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from indexer.note import Fact
from indexer.record import NamedTuple

from .text_content import HEADING_LINE, LINKS, holds_a_word, linked_paths

if TYPE_CHECKING:
    import apsw

    from indexer.catalog.filters import Filters

    from .candidate import Candidate, Legs, Ranked

_WORD = r"\w+"
_SENTENCE_END = r"[\"'”’)\]*_~`]*(?:[.!?…。！？]+[\"'”’)\]*_~`]*[ \t]*|[ \t]*(?=\n|$))"
_DASH = r"(?<!\s)\s{1,9}[-–—]?\s{0,9}$"
_OPENING = " \t\"'“‘([*_~`"
_BEFORE = ".!?…。！？:-–—\n\"'”’)]*_~`"
_SUMMARIES = frozenset({"summary", "tl;dr", "tldr"})


class GeneratedText(NamedTuple):
    """A generated text as it stands: its chunk, its note, and whether it is a listing."""

    id: int
    text: str
    note: int
    is_listing: bool

    @property
    def parts(self) -> list[str]:
        """What of it repeats facts of its own: a line of a listing is of what it links to."""
        if self.is_listing:
            return self.text.split("\n")
        return [self.text]


class Generated(NamedTuple):
    """What still holds of a generated text, the chunks of the facts it repeats, and the paths that
    a listing is of."""

    text: str
    repeats: frozenset[int]
    cut: bool = False
    of: frozenset[str] = frozenset()


def generated_among(
    db: apsw.Connection,
    chunks: Mapping[int, str],
) -> list[GeneratedText]:
    """The summaries, listings and Nows among these chunks, given with their paths."""
    if not chunks:
        return []
    listings = [number for number, path in chunks.items() if path.endswith("_index.md")]
    sql = (
        "SELECT id, text, heading, note FROM chunk WHERE id IN (SELECT value FROM json_each(?))"
        f" AND grain = 'section' AND (id IN ({','.join(map(str, listings))}) OR heading LIKE"
        " '%summary' OR heading LIKE '%tl;dr' OR heading LIKE '%tldr' OR heading LIKE '%now')"
    )
    found = []
    for number, text, heading, note in db.execute(sql, (str([*chunks]),)):
        path = chunks[number]
        own = heading.rpartition("\n")[2].strip().casefold()
        is_listing = path.rpartition("/")[2] == "_index.md" or (
            own == "now" and path == "MEMORY.md"
        )
        if is_listing or own in _SUMMARIES:
            found.append(GeneratedText(number, text, note, is_listing))
    return found


def shown_generated(
    db: apsw.Connection,
    chunks: Mapping[int, str],
    past: Collection[int],
    filters: Filters,
    asked: Sequence[str] = (),
) -> dict[int, Generated]:
    """The generated texts among these chunks, given with their paths: what of each is shown and
    what it repeats.

    With `--status all` that is all of it, otherwise what still holds; `past` are chunks that were
    replaced. Nothing is shown of a text where only what is left out holds words of the question,
    `asked`, nor of a bare heading beside others of its note. Nor of any where the facts of a day
    are asked for: when it was written is not known.
    """
    found = {}
    paths = [*chunks.values()]
    for one in generated_among(db, chunks):
        left: list[str] = []
        repeats: set[int] = set()
        of: set[str] = set()
        for part in one.parts:
            facts = _facts_of(db, one, part)
            kept, chunks_of_facts = held(part, facts, past, whole=not filters.hides_past)
            left.append(kept)
            repeats.update(chunks_of_facts)
            if one.is_listing:
                of.update(linked_paths(kept))
        text = "\n".join(left).strip()
        is_cut = text != one.text
        if filters.as_of:
            text = ""
        elif not is_cut:
            if HEADING_LINE.fullmatch(text) and paths.count(chunks[one.id]) > 1:
                text = ""
        elif not _says(text, one.text, asked):
            text = ""
        found[one.id] = Generated(text, frozenset(repeats), is_cut, frozenset(of))
    return found


def _says(
    left: str,
    whole: str,
    asked: Sequence[str],
) -> bool:
    """Whether what is left of a generated text says something, and holds a word of the question if
    the whole does."""
    if not re.sub(LINKS, "", left).strip("-*#, \n\t"):
        return False
    return holds_a_word(left, asked) or not holds_a_word(whole, asked)


def stale(
    db: apsw.Connection,
    *,
    private: bool,
) -> Iterator[tuple[str, int, str]]:
    """Path and line of each summary, listing and Now that quotes a fact which was replaced, with
    that fact."""
    from indexer.catalog.supersession import replaced_chunks  # only doctor asks
    from indexer.catalog.visibility import visible_sql

    past = replaced_chunks(db, private=private)
    sql = (
        "SELECT chunk.id, path, first FROM chunk JOIN visible_note AS note ON note.id ="
        " chunk.note WHERE grain ="
        f" 'section' AND {visible_sql(private=private)} AND (path LIKE '%\\_index.md' ESCAPE '\\'"
        " OR heading LIKE '%summary' OR heading LIKE '%tl;dr' OR heading LIKE '%tldr' OR path ="
        " 'MEMORY.md')"
    )
    places = {number: (path, first) for number, path, first in db.execute(sql)}
    paths = {number: path for number, (path, _) in places.items()}
    for one in generated_among(db, paths):
        path, first = places[one.id]
        for by, part in enumerate(one.parts):
            facts = _facts_of(db, one, part)
            so_now = {text for chunk, text, gone in facts if not gone and chunk not in past}
            for text in sorted({text for _, text, _ in facts} - so_now):
                if repeated(part, text):
                    yield path, first + by, text


def holding(
    found: Mapping[int, Legs],
    rows: Mapping[int, Candidate],
    made: Mapping[int, Generated],
) -> dict[int, Legs]:
    """What the lists said of the candidates of which something is shown; a note with text that is
    hidden counts for nothing, as that text may be all that holds a word of the question."""
    hidden = {at for at, row in rows.items() if row.status == "superseded" and at not in found}
    hidden |= {at for at, one in made.items() if not one.text}
    notes = {rows[at].note for at in hidden}
    return {
        at: legs._replace(note=0.0) if rows[at].note in notes else legs
        for at, legs in found.items()
        if at not in hidden
    }


def fold_generated(
    ranked: Sequence[Ranked],
    found: Mapping[int, Generated],
    filtered: dict[str, int],
) -> list[Ranked]:
    """Generated texts below the last fact hit that each repeats; left out where nothing is left of
    one.

    Those of which something was left out are counted in `filtered`.
    """
    if cut := sum(each.cut for each in found.values()):
        filtered["superseded"] = filtered.get("superseded", 0) + cut
    places = {one.candidate.id: at for at, one in enumerate(ranked)}
    kept: list[tuple[int, bool, int]] = []
    for at, one in enumerate(ranked):
        made = found.get(one.candidate.id)
        after = at
        if made is not None:
            if not made.text:
                continue
            after = max([at, *(places[each] for each in made.repeats if each in places)])
        kept.append((after, after > at, at))
    return [ranked[at] for _, _, at in sorted(kept)]


def repeated(
    text: str,
    fact: str,
) -> tuple[int, int] | None:
    """Where a text says a fact, word for word and as whole sentences, with what ends it; None where
    it does not."""
    words = [match[0].casefold() for match in re.finditer(_WORD, fact)]
    there = [*re.finditer(_WORD, text)]
    spelt = [match[0].casefold() for match in there]
    for at in range(len(there) - len(words) + 1) if words else ():
        if spelt[at] == words[0] and spelt[at : at + len(words)] == words:
            span = _sentences(text, there[at].start(), there[at + len(words) - 1].end())
            if span:
                return span
    return None


def _sentences(
    text: str,
    start: int,
    end: int,
) -> tuple[int, int] | None:
    """The span of whole sentences, of which these are the first and the last letter."""
    before = text[:start].rstrip(_OPENING)
    opening = text[len(before) : start]
    ending = re.compile(_SENTENCE_END).match(text, end)
    if ending and (not before or before[-1] in _BEFORE or "\n" in opening):
        return start - len(opening.lstrip()), ending.end()
    return None


def text_without_facts(
    text: str,
    facts: Collection[str],
) -> str:
    """A generated text without these facts."""
    if not facts:
        return text
    for fact in facts:
        while span := repeated(text, fact):
            text = text[: span[0]] + text[span[1] :]
    return "\n".join([re.sub(_DASH, "", line) for line in text.split("\n")]).strip()


def held(
    text: str,
    said: Sequence[tuple[int, str, bool]],
    past: Collection[int],
    *,
    whole: bool,
) -> tuple[str, list[int]]:
    """A generated text without the facts `said` that are superseded or `past`, and the chunks of
    those it repeats."""
    so_now = {each: fact for each, fact, gone in said if not gone and each not in past}
    stale = {fact for each, fact, _ in said if each not in so_now} - {*so_now.values()}
    if whole:
        left = text
        repeats = {each: fact for each, fact, _ in said}
    else:
        left = text_without_facts(text, stale)
        repeats = so_now
    return left, [each for each, fact in repeats.items() if repeated(left, fact)]


def _facts_of(
    db: apsw.Connection,
    one: GeneratedText,
    part: str,
) -> list[tuple[int, str, bool]]:
    """The chunk and text of each fact of the note of a generated text, and of all that a part of a
    listing links to; and whether it is superseded."""
    names = linked_paths(part) if one.is_listing else []
    rows: list[Any] = db.execute(
        f"SELECT chunk.id, json_extract(fact.detail, '$[{Fact._fields.index('text')}]'),"
        " chunk.status = 'superseded' FROM fact JOIN chunk ON chunk.note = fact.note AND"
        " chunk.fact = fact.key WHERE fact.note = ? OR fact.note IN (SELECT id FROM visible_note"
        " WHERE"
        f" path IN ({','.join('?' * len(names))}))",
        (one.note, *names),
    ).fetchall()
    return rows
