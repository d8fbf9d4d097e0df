"""Values that ranking works with: what the legs say of a chunk, a candidate, and the same with its
score."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from indexer.record import NamedTuple


class MeantLegs(NamedTuple):
    """What a question means of a chunk besides what it says, each from 0 to 1; `fusion.MEANT`
    weighs it.

    `exact` is the whole name of its note, and up to 2 for the note nearest to the vault's top.
    """

    id: float = 0.0
    exact: float = 0.0
    name: float = 0.0
    day: float = 0.0
    speaker: float = 0.0


class Legs(NamedTuple):
    """What the lists said of a chunk: BM25 (higher is better, 0 if no word matches), cosine, the
    BM25 of its whole note, its place in the first two lists from 1 (0 if absent); and what the
    question means of it."""

    bm25: float = 0.0
    cosine: float = 0.0
    note: float = 0.0
    bm25_rank: int = 0
    vector_rank: int = 0
    meant: MeantLegs = MeantLegs()


def holds_word(legs: Legs) -> bool:
    """Whether a chunk or its note holds a word of the query, or the query is its id or names its
    note."""
    return legs.bm25 > 0 or legs.note > 0 or is_meant(legs)


def is_meant(legs: Legs) -> bool:
    """Whether the query is the id of a chunk or names its note."""
    meant = legs.meant
    return meant.id > 0 or meant.exact > 0 or meant.name > 0


class Candidate(NamedTuple):
    """A chunk under consideration: its row and what ranking needs of its note, its legs, what its
    priors depend on; `tokens` is a bag, `heading` has a heading a line."""

    id: int
    path: str
    ordinal: int
    grain: str
    first: int
    last: int
    status: str = "active"
    type: str = ""
    date: str | None = None
    fact: str = ""
    importance: float | None = None
    kind: str = ""
    private: int = 0
    note: int = 0
    title: str = ""
    heading: str = ""
    text: str = ""
    tokens: bytes = b""
    days: float | None = None
    archived: bool = False
    legs: Legs = Legs()
    score: float = 0.0
    wordless: bool = False
    linked: float = 0.0


ROW = (
    "chunk.id, path, ordinal, grain, first, last, status, type, chunk.date, fact, importance, kind,"
    " private, note, title, heading, text, tokens"
)
"""The columns of a candidate."""


class Ranked(NamedTuple):
    """A candidate with its score and the terms the score is made of; `newer` is a later line of its
    matter, `newer_of` says what it is newer than, and `part` which line of it is, where only that
    one is to be shown; `also` is where others say the same, path and first line."""

    candidate: Candidate
    score: float
    legs: Mapping[str, float]
    priors: Mapping[str, float]
    newer: Any = None
    newer_of: Any = None
    part: Any = None
    also: tuple[tuple[str, int], ...] = ()
