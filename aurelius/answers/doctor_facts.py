"""Findings of `doctor` about ids of facts: duplicate ids, references to no fact, circles."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.catalog.supersession import Chains
from indexer.reading.fact_line import MINTED

from .finding import Finding

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.note import Fact

DUPLICATE_ID = "run `aurelius tidy`, or change the id of one of the two lines"
_REFERENCE = re.compile(r"\^([A-Za-z0-9-]{1,64})")


def of_facts(facts: list[tuple[str, Fact]], seen: set[str]) -> Iterator[Finding]:
    """Ids that two notes use, ids that nothing has, and facts that supersede each other in a circle.

    `facts` are all there are, `seen` the notes that may be spoken of.
    """
    places: dict[str, list[tuple[str, Fact]]] = {}
    for path, fact in facts:
        places.setdefault(fact.key, []).append((path, fact))
        if fact.id and fact.id != fact.key:
            places.setdefault(fact.id, []).append((path, fact))
    pointed = {target for _, fact in facts for _, target in references(fact)}
    for fact_id, found in places.items():
        if MINTED.fullmatch(fact_id) or fact_id in pointed:
            yield from _duplicates(fact_id, [each for each in found if each[0] in seen])
    for path, fact in facts:
        for verb, target in references(fact) if path in seen else ():
            if target not in places:
                what = f"`{verb} ^{target}`: no fact has this id"
                yield Finding(path, fact.first, "dangling-id", what, "correct the id, or remove it")
    for circle in Chains(facts, seen).circles():
        ids = " → ".join(f"^{fact.key}" for _, fact in (*circle, circle[0]))
        what, (path, fact) = f"facts supersede each other: {ids}", circle[0]
        yield Finding(
            path, fact.first, "cycle", what, "decide which one holds now, and remove `superseded by` from its line"
        )


def references(fact: Fact) -> Iterator[tuple[str, str]]:
    """What a fact says of other facts, by their ids."""
    for verb, target in (
        ("superseded by", fact.superseded_by), ("updates", fact.updates), ("contradicts", fact.contradicts),
    ):  # fmt: skip
        if target:
            yield verb, target
    for target in _REFERENCE.findall(fact.because):
        yield "because", target


def _duplicates(fact_id: str, found: list[tuple[str, Fact]]) -> Iterator[Finding]:
    for path, fact in found[1:]:
        if path != found[0][0]:  # in one note, parsing tells
            where = f"{found[0][0]}:{found[0][1].first}"
            yield Finding(path, fact.first, "duplicate-id", f"^{fact_id} is also at {where}", DUPLICATE_ID)
