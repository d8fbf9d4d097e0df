"""Generated texts among the candidates, and what of them still holds.

They are the summaries of notes, the listings of folders (`_index.md`) and `Now` of MEMORY.md. They
repeat facts, and are as old as their last writing.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from indexer.note import Fact
from indexer.record import NamedTuple

from .candidate import ROW, Candidate
from .text_content import HEADING_LINE, LINKS, holds_a_word, linked_paths

if TYPE_CHECKING:
    import apsw

    from indexer.catalog.filters import Filters

    from .candidate import Legs, Ranked

_WORD = r"\w+"
_SENTENCE_END = r"[\"'”’)\]*_~`]*(?:[.!?…。！？]+[\"'”’)\]*_~`]*[ \t]*|[ \t]*(?=\n|$))"
_DASH = r"(?<!\s)\s{1,9}[-–—]?\s{0,9}$"
_OPENING = " \t\"'“‘([*_~`"
_BEFORE = ".!?…。！？:-–—\n\"'”’)]*_~`"
_SUMMARIES = frozenset({"summary", "tl;dr", "tldr"})


class GeneratedText(NamedTuple):
    """A generated text as it stands: its chunk, and whether it is a listing."""

    row: Candidate
    is_listing: bool

    @property
    def parts(self) -> list[str]:
        """What of it repeats facts of its own: a line of a listing is of what it links to."""
        if self.is_listing:
            return self.row.text.split("\n")
        return [self.row.text]


class _Said(NamedTuple):
    """A fact that a generated text may repeat, and whether it holds no more."""

    chunk: int
    text: str
    is_gone: bool


class Generated(NamedTuple):
    """What still holds of a generated text, the chunks of the facts it repeats, and the paths that
    a listing is of."""

    text: str
    repeats: frozenset[int]
    cut: bool = False
    of: frozenset[str] = frozenset()


def generated_kind(
    path: str,
    heading: str,
) -> str:
    """What the section of a note below a heading path is, "listing" or "summary"; "" if it is not
    generated."""
    own = heading.rpartition("\n")[2].strip().casefold()
    if path.rpartition("/")[2] == "_index.md" or (own == "now" and path == "MEMORY.md"):
        return "listing"
    return "summary" * (own in _SUMMARIES)


def _among(rows: Iterable[Candidate]) -> Iterator[GeneratedText]:
    """The summaries, listings and Nows among these chunks."""
    for row in rows:
        kind = generated_kind(row.path, row.heading)
        if kind and row.grain == "section":
            yield GeneratedText(row, kind == "listing")


def shown_generated(
    db: apsw.Connection,
    rows: Collection[Candidate],
    past: Collection[int],
    filters: Filters,
    asked: Sequence[str] = (),
) -> dict[int, Generated]:
    """The generated texts among these chunks: what of each is shown and what it repeats.

    With `--status all` that is all of it, otherwise what still holds; `past` are chunks that were
    replaced. Nothing is shown of a text where only what is left out holds words of the question,
    `asked`, nor of a bare heading beside others of its note. Nor of any where the facts of a day
    are asked for: when it was written is not known.
    """
    found = {}
    paths = [row.path for row in rows]
    for one in _among(rows):
        left: list[str] = []
        repeats: set[int] = set()
        of: set[str] = set()
        for part in one.parts:
            facts = _facts_of(db, one, part, past)
            kept, chunks_of_facts = _held(part, facts, whole=not filters.hides_past)
            left.append(kept)
            repeats.update(chunks_of_facts)
            if one.is_listing:
                of.update(linked_paths(kept))
        text = "\n".join(left).strip()
        is_cut = text != one.row.text
        if filters.as_of:
            text = ""
        elif not is_cut:
            if HEADING_LINE.fullmatch(text) and paths.count(one.row.path) > 1:
                text = ""
        elif not _says(text, one.row.text, asked):
            text = ""
        found[one.row.id] = Generated(text, frozenset(repeats), is_cut, frozenset(of))
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
        f"SELECT {ROW} FROM chunk JOIN visible_note AS note ON note.id = chunk.note WHERE grain ="
        f" 'section' AND {visible_sql(private=private)} AND (path LIKE '%\\_index.md' ESCAPE '\\'"
        " OR heading LIKE '%summary' OR heading LIKE '%tl;dr' OR heading LIKE '%tldr' OR path ="
        " 'MEMORY.md')"
    )
    for one in _among(Candidate(*row) for row in db.execute(sql)):
        for by, part in enumerate(one.parts):
            for text in sorted(_gone(_facts_of(db, one, part, past))):
                if repeated(part, text):
                    yield one.row.path, one.row.first + by, text


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
    begins = before[-1:] in _BEFORE or "\n" in opening
    if ending and begins:
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


def _gone(said: Sequence[_Said]) -> set[str]:
    """What only facts say that hold no more."""
    so_now = {each.text for each in said if not each.is_gone}
    return {each.text for each in said} - so_now


def _held(
    text: str,
    said: Sequence[_Said],
    *,
    whole: bool,
) -> tuple[str, list[int]]:
    """A generated text, without the facts that hold no more unless it is told `whole`, and the
    chunks of those it repeats."""
    kept = said
    if not whole:
        text = text_without_facts(text, _gone(said))
        kept = [each for each in said if not each.is_gone]
    return text, [each.chunk for each in kept if repeated(text, each.text)]


def _facts_of(
    db: apsw.Connection,
    one: GeneratedText,
    part: str,
    past: Collection[int],
) -> list[_Said]:
    """The facts of the note of a generated text, and of all that a part of a listing links to;
    `past` are chunks that were replaced."""
    names = linked_paths(part) if one.is_listing else []
    rows = db.execute(
        f"SELECT chunk.id, json_extract(fact.detail, '$[{Fact._fields.index('text')}]'),"
        " chunk.status = 'superseded' FROM fact JOIN chunk ON chunk.note = fact.note AND"
        " chunk.fact = fact.key WHERE fact.note = ? OR fact.note IN (SELECT id FROM visible_note"
        " WHERE"
        f" path IN ({','.join('?' * len(names))}))",
        (one.row.note, *names),
    )
    return [_Said(chunk, text, gone or chunk in past) for chunk, text, gone in rows]
