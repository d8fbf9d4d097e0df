"""Which hit may lead an answer: not what programs keep for themselves, unless the question asks for
it.

Guides for agents, an agent's dreams, examples that nobody has changed and front matter hold words
of many questions by chance: a row of a few words is near to anything. Such a hit stays in the list,
behind the first one that answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.reading.path_meaning import is_background
from indexer.spelling import is_bookkeeping, keeps_order

from .candidate import ROW, Candidate, is_meant
from .fusion import rescored
from .generated import shown_generated
from .query import clean_query
from .text_content import holds_a_word, says_something

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    import apsw

    from indexer.catalog.filters import Filters

    from .candidate import Ranked
    from .generated import Generated
    from .hit import Hit
    from .query import SearchQuery
    from .question import Question

    IsExample = Callable[[str, str], bool]


def is_asked_for(
    properties: str,
    words: Sequence[str],
) -> bool:
    """Whether the text of a property row, `key: value` lines, holds a word of the question outside
    bookkeeping."""
    for line in properties.split("\n"):
        key, _, _ = line.partition(":")
        if not is_bookkeeping(key) and holds_a_word(line, words):
            return True
    return False


def asked_properties(
    ranked: list[Ranked],
    words: Sequence[str],
) -> list[Ranked]:
    """The hits without front matter that nobody asked for: none of its properties holds a word of
    the question, and its note is not named, or has other text among the hits. Of a note without
    such text what is asked for may be the value of any property."""
    rows = [one.candidate for one in ranked if one.candidate.grain == "property"]
    texts = {one.candidate.path for one in ranked if one.candidate.grain != "property"}
    out = set()
    for row in rows if words else ():
        lone = row.path not in texts
        stands = lone and (is_meant(row.legs) or _has_value(row.text, words))
        if not stands and not is_asked_for(row.text, words):
            out.add(row.id)
    return [one for one in ranked if one.candidate.id not in out]


def _has_value(
    properties: str,
    words: Sequence[str],
) -> bool:
    """Whether the values of properties, without their keys, hold all of these words."""
    values = "\n".join(line.partition(":")[2] for line in properties.split("\n"))
    return all(holds_a_word(values, (word,)) for word in words)


def answer_first(
    ranked: list[Ranked],
    question: Question,
    is_example: IsExample | None,
) -> list[Ranked]:
    """The hits, the first of them one that may lead.

    A text for programs leads only where its note is named, or all the others are such texts too;
    an example leads where there is no better. `is_example` says of a path and a text whether it
    came with the vault. A hit that loses its place gets the score of the one before it, by a factor
    of its own.
    """
    needs_word = bool(ranked) and _holds_a_word(ranked[0].candidate)
    for at, one in enumerate(ranked):
        here = one.candidate
        if needs_word and not _holds_a_word(here):
            continue
        if _may_lead(here, question, is_example):
            return _moved_first(ranked, at)
    if ranked and question.puts_behind(ranked[0].candidate.path):
        return _moved_first(ranked, _first_of_others(ranked, question))
    return ranked


def _first_of_others(
    ranked: Sequence[Ranked],
    question: Question,
) -> int:
    """The place of the first hit that is not for programs, of one that holds a word before others;
    0 where there is none."""
    nearest = 0
    for at, one in enumerate(ranked):
        here = one.candidate
        if question.puts_behind(here.path):
            continue
        if _holds_a_word(here):
            return at
        nearest = nearest or at
    return nearest


def _moved_first(
    ranked: Sequence[Ranked],
    at: int,
) -> list[Ranked]:
    """The hits, the one at this place before all others, which are told no higher score."""
    first = ranked[at]
    moved = [first]
    for one in ranked[:at]:
        least = min(one.score, first.score)
        moved.append(rescored(one, least, "background") if least < one.score else one)
    return [*moved, *ranked[at + 1 :]]


def _may_lead(
    candidate: Candidate,
    question: Question,
    is_example: IsExample | None,
) -> bool:
    legs = candidate.legs.meant
    if legs.exact or legs.id:
        return True
    if question.puts_behind(candidate.path):
        return False
    words = question.words
    text = candidate.text
    if keeps_order(text):
        return "::" in question.query.text
    if is_example is not None and is_example(candidate.path, text):
        return holds_a_word(candidate.path, words)
    return candidate.grain != "property" or is_asked_for(text, words)


def _holds_a_word(candidate: Candidate) -> bool:
    """Whether the hit's own text holds a word of the question, or the question names its note."""
    legs = candidate.legs
    meant = legs.meant
    return legs.bm25 > 0 or meant.name > 0 or meant.exact > 0


def memories(
    hits: Sequence[Hit],
    words: Sequence[str],
) -> list[Hit]:
    """The hits that may be told as memories: no text for programs, no properties that keep a note
    in order, nor front matter that is not asked for."""
    return [hit for hit in hits if _is_memory(hit, words)]


def _is_memory(
    hit: Hit,
    words: Sequence[str],
) -> bool:
    if is_background(hit.path):
        return False
    if hit.grain == "property":
        return is_asked_for(hit.text, words)
    return not keeps_order(hit.text)


def answerable(
    db: apsw.Connection,
    hits: Sequence[Hit],
    past: Collection[int],
    query: SearchQuery,
    share: float,
) -> list[Hit]:
    """The hits that may be answers: no generated text that repeats a fact, nor one of a note that
    has another answer; bare embeds and placeholders only where nothing else has this share of the
    best score or a word of the query."""
    own = _generated_in(db, hits, past, query.filters)
    kept = [(hit, one) for hit, one in own if not (one and (one.cut or one.repeats))]
    least = share * max((hit.score for hit, _ in kept), default=0.0)
    left = _without_answered(kept, least)
    saying = [hit for hit in left if says_something(hit.text)]
    asked = clean_query(query.text).words
    if any(hit.score >= least or holds_a_word(hit.text, asked) for hit in saying):
        return saying
    return left


def _without_answered(
    hits: Sequence[tuple[Hit, Generated | None]],
    least: float,
) -> list[Hit]:
    """The hits without generated texts of notes that have another answer with this score."""
    answered = {hit.path for hit, one in hits if one is None and hit.score >= least}
    return [hit for hit, one in hits if one is None or answered.isdisjoint((hit.path, *one.of))]


def _generated_in(
    db: apsw.Connection,
    hits: Sequence[Hit],
    past: Collection[int],
    filters: Filters,
) -> list[tuple[Hit, Generated | None]]:
    """Some hits, each with the generated text that it is."""
    notes = {hit.path for hit in hits if not hit.id}
    sql = (
        f"SELECT {ROW} FROM chunk JOIN visible_note AS note ON note.id = chunk.note"
        f" WHERE grain = 'section' AND path IN ({','.join('?' * len(notes))})"
    )
    rows = [Candidate(*row) for row in db.execute(sql, tuple(notes))]
    made = shown_generated(db, rows, past, filters)
    found = {(row.path, row.first): made[row.id] for row in rows if row.id in made}
    return [(hit, None if hit.id else found.get((hit.path, hit.lines[0]))) for hit in hits]
