"""Which hit may lead an answer: not what programs keep for themselves, unless the question asks for
it.

Guides for agents, an agent's dreams, examples that nobody has changed and front matter hold words
of many questions by chance: a row of a few words is near to anything. Such a hit stays in the list,
behind the first one that answers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.reading.path_meaning import is_background

from .rank import rescored
from .shown import holds_a_word

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import apsw

    from .hit import Hit
    from .rank import Candidate, Ranked

    IsExample = Callable[[str, str], bool]

_KEYS = (
    "alias aliases category created created_at cssclass cssclasses date id keywords kind modified"
    " publish tag tags title type uid updated updated_at"
)
BOOKKEEPING = frozenset(_KEYS.split())
"""Properties that programs keep a note in order by: their words are no answer."""


def is_asked_for(properties: str, words: Sequence[str]) -> bool:
    """Whether the text of a property row, `key: value` lines, holds a word of the question outside
    bookkeeping."""
    told = [
        line
        for line in properties.split("\n")
        if line.partition(":")[0].strip().lower().replace("-", "_") not in BOOKKEEPING
    ]
    return holds_a_word("\n".join(told), words)


def answer_first(
    db: apsw.Connection,
    ranked: list[Ranked],
    words: Sequence[str],
    is_example: IsExample | None,
) -> list[Ranked]:
    """The hits, the first of them one that may lead.

    `words` are those of the question; `is_example` says of a path and a text whether it came with
    the vault. A hit that loses its place gets the score of the one before it, by a factor of its
    own.
    """
    needs_word = bool(ranked) and _holds_a_word(ranked[0].candidate)
    for at, one in enumerate(ranked):
        here = one.candidate
        if needs_word and not _holds_a_word(here):
            continue
        if _may_lead(db, here, words, is_example):
            behind = [
                rescored(each, one.score, "background") if each.score > one.score else each
                for each in ranked[:at]
            ]
            return [one, *behind, *ranked[at + 1 :]]
    return ranked


def _may_lead(
    db: apsw.Connection,
    candidate: Candidate,
    words: Sequence[str],
    is_example: IsExample | None,
) -> bool:
    legs = candidate.legs
    if legs.exact or legs.id:
        return True
    if is_background(candidate.path):
        return False
    text = str(db.execute("SELECT text FROM chunk WHERE id = ?", (candidate.id,)).get)
    if is_example is not None and is_example(candidate.path, text):
        return holds_a_word(candidate.path, words)
    return candidate.grain != "property" or is_asked_for(text, words)


def _holds_a_word(candidate: Candidate) -> bool:
    """Whether the hit's own text holds a word of the question, or the question names its note."""
    legs = candidate.legs
    return legs.bm25 > 0 or legs.name > 0 or legs.exact > 0


def memories(hits: Sequence[Hit], words: Sequence[str]) -> list[Hit]:
    """The hits that may be told as memories: no text for programs, nor front matter that is not
    asked for."""
    return [
        hit
        for hit in hits
        if not is_background(hit.path)
        and (hit.grain != "property" or is_asked_for(hit.text, words))
    ]
