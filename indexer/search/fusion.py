"""Fusion of the legs of each candidate, and its priors.  Values in, values out.

    score = (Σ weighted legs) × Π priors

Legs and priors are kept apart by name, so `--explain` prints the sum and product that were taken.
The default fusion is saturated BM25 of the chunk and of its note + cosine + MaxSim (measured);
`rrf` is reciprocal rank fusion (Cormack et al. 2009, k = 60) and `weighted` is 0.7 · vector + 0.3 ·
text. Keyword mode is BM25 × reinforcement × recency.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from math import exp

from .candidate import Candidate, Legs, Ranked, holds_word, is_meant

SATURATION = 8.0
"""bm25 / (bm25 + this): BM25 made comparable across queries."""
K_RRF = 60
NOTE_SATURATION = 20.0
"""The same for the BM25 of a whole note."""
_COVER_POWER = 1.5
"""The power both are raised to: one common word met by chance should not outweigh a near
meaning."""
FUSION_WEIGHTS = {"bm25": 0.24, "note": 0.35, "vector": 0.21, "maxsim": 0.2}
"""What every hit of the default fusion is weighed by."""
MEANT = {"id": 1.0, "exact": 1.0, "name": 0.3, "day": 0.15, "speaker": 0.05}
"""What each field of `candidate.MeantLegs` is weighed by. They count in the default fusion alone,
and are told where they are not 0."""
RERANK = 40
"""Candidates whose tokens are compared one by one (MaxSim, Khattab & Zaharia 2020, over static
vectors)."""
UNDATED_RECENCY = 0.5
"""The recency of a chunk without a date."""
_ARCHIVE_FACTOR = 0.8
"""What a hit in the archive is worth."""
LINKED = 0.02
"""What many links from other notes to the note of a hit add; half of it with five."""
WORDLESS = 0.1
"""What a hit is worth beside those that hold the question's only word: after them, being near to it
by chance."""
COSINE_FLOOR = 0.2
"""A chunk that holds no word of the query has to be at least this near to be a hit beside those
that do."""
COSINE_TOLD = 0.35
"""A chunk that is left out and holds no word of the query is worth telling of when it is this
near."""
WEAK_MOST = 5
"""How many hits are shown where no chunk holds a word of the query."""
WEAK_SHARE = 0.5
"""How near a chunk must be there beside the nearest."""
WEAK_FLOOR = 0.03
"""How near it must be at all. No floor parts the right ones from others: a line on JWT tokens has
.08 to .18 with "how to authenticate", a rule about scores .04 with "quality checks", an invented
word up to .25 with anything. So the answer says that it is weak."""


def near_enough(
    found: Mapping[int, Legs],
    *,
    readable: bool,
    cut: bool,
    aside: Collection[int] = (),
) -> dict[int, Legs]:
    """The candidates that may be hits: those that hold a word of the query, and those that are
    near.

    Where none holds a word and `cut`, or where none reaches the floor, they are those that are near
    beside the nearest; those set `aside` count for neither. `readable` says whether the words mean
    anything to the model: nothing is near to what does not.
    """
    answers = [legs for at, legs in found.items() if at not in aside]
    best = max((legs.cosine for legs in answers), default=0.0)
    floor = COSINE_FLOOR
    if not any(map(holds_word, answers)) and (cut or best < COSINE_FLOOR):
        if not readable:
            return {}
        floor = max(WEAK_FLOOR, WEAK_SHARE * best)
    return {
        at: legs
        for at, legs in found.items()
        if legs.bm25 > 0 or is_meant(legs) or legs.cosine >= floor
    }


def fuse(
    legs: Legs,
    *,
    mode: str,
    fusion: str,
    best_bm25: float,
    maxsim: float = 0.0,
    trust: float = 1.0,
) -> dict[str, float]:
    """The weighted legs of a chunk by name; their sum is the score before priors.

    `best_bm25` is the highest of the list; `trust` is how much of the query the embedding can read.
    """
    if mode == "keyword":
        return {"bm25": legs.bm25}
    cosine = max(legs.cosine, 0.0)
    if mode == "vector":
        return {"vector": cosine}
    if fusion == "rrf":
        places = {"bm25": legs.bm25_rank, "vector": legs.vector_rank}
        return {name: K_RRF / (K_RRF + place) * bool(place) for name, place in places.items()}
    if fusion == "weighted":
        return {"vector": 0.7 * cosine, "bm25": 0.3 * (legs.bm25 / best_bm25 if best_bm25 else 0.0)}
    meant: dict[str, float] = {}
    if any(legs.meant):
        told = {name: weight * getattr(legs.meant, name) for name, weight in MEANT.items()}
        meant = {name: value for name, value in told.items() if value}
    return meant | always_weighed(legs, maxsim, trust)


def always_weighed(
    legs: Legs,
    maxsim: float,
    trust: float,
) -> dict[str, float]:
    """The weighted legs that every hit of the default fusion has."""
    return {
        "bm25": FUSION_WEIGHTS["bm25"] * (legs.bm25 / (legs.bm25 + SATURATION)) ** _COVER_POWER,
        "note": FUSION_WEIGHTS["note"]
        * (legs.note / (legs.note + NOTE_SATURATION)) ** _COVER_POWER,
        "vector": FUSION_WEIGHTS["vector"] * (max(legs.cosine, 0.0) * trust),
        "maxsim": FUSION_WEIGHTS["maxsim"] * (maxsim * trust),
    }


def priors(
    candidate: Candidate,
    *,
    mode: str,
) -> dict[str, float]:
    """The factors that do not depend on the query.

    Reinforcement and recency always; recency is whole in keyword mode, and damped into 0.85–1
    elsewhere. There the importance of a fact, the archive, links to the note and the lack of the
    only word asked for count as well.
    """
    plain = recency_weight(candidate.days)
    factors = {"score": reinforcement_weight(candidate.score)}
    if mode == "keyword":
        factors["recency"] = plain
        return factors
    factors["recency"] = 0.85 + 0.15 * plain
    if candidate.importance is not None:
        factors["importance"] = 0.95 + 0.1 * max(0.0, min(1.0, candidate.importance))
    if candidate.archived:
        factors["archive"] = _ARCHIVE_FACTOR
    if candidate.wordless:
        factors["word"] = WORDLESS
    if candidate.linked:
        factors["linked"] = 1 + LINKED * candidate.linked
    return factors


def recency_weight(days: float | None) -> float:
    """How new something is, by the days since its date or its last reinforcement: 1/(1 +
    0.01·days)."""
    if days is None:
        return UNDATED_RECENCY
    return 1 / (1 + 0.01 * max(days, 0.0))


def places_by_value(values: Mapping[int, float]) -> dict[int, int]:
    """The place of each in a list by their values, from 1; equals share one."""
    firsts: dict[float, int] = {}
    for at, value in enumerate(sorted(values.values(), reverse=True), 1):
        firsts.setdefault(value, at)
    return {number: firsts[value] for number, value in values.items()}


def reinforcement_weight(score: float) -> float:
    """What reinforcement is worth: exp(0.2·score), the score clamped to ±10."""
    return exp(0.2 * max(-10.0, min(10.0, score))) if score else 1.0


def score(
    candidate: Candidate,
    legs: Mapping[str, float],
    factors: Mapping[str, float],
) -> Ranked:
    """A candidate with its score."""
    value = sum(legs.values())
    for factor in factors.values():
        value *= factor
    return Ranked(candidate, value, legs, factors)


def rescored(
    one: Ranked,
    score: float,
    why: str,
) -> Ranked:
    """A hit with this score, told by a factor of its own."""
    if not one.score:
        return one
    return one._replace(score=score, priors={**one.priors, why: score / one.score})


def foremost(
    candidates: Iterable[Candidate],
    limit: int,
    *,
    trust: float,
) -> list[Candidate]:
    """The first `limit` by the default fusion without MaxSim, which is not worth computing for the
    others."""
    ranked = []
    for one in candidates:
        legs = fuse(one.legs, mode="hybrid", fusion="default", best_bm25=0.0, trust=trust)
        ranked.append(score(one, legs, priors(one, mode="hybrid")))
    return [one.candidate for one in order_hits(ranked)[:limit]]


def order_hits(
    ranked: Iterable[Ranked],
    *,
    properties_last: bool = False,
) -> list[Ranked]:
    """Best first; equals by path and place, so that the order never depends on how the index came
    to be.

    `properties_last` puts what front matter says behind what the text says: a row of a few words
    has a high BM25 and a near vector, which the published orders would take for more than it is
    (measured on dialogue: R@5 .730, else .783). Those of a note whose name is asked for are not.
    """

    def place(one: Ranked) -> tuple[bool, float, str, int]:
        here = one.candidate
        return (
            properties_last and here.grain == "property" and not here.legs.meant.name,
            -round(one.score, 9),
            here.path,
            here.ordinal,
        )

    return sorted(ranked, key=place)
