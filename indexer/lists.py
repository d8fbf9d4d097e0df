"""The candidate lists of one query: what the words and the vectors of an index say of its chunks and notes.

From memory where the process keeps the index there, else by SQL; the numbers are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from . import keyword, nearest
from .index import Index
from .query import Terms, clean, match, must, must_not, phrases
from .rank import Leads


class Scope(NamedTuple):
    """Which chunks may be hits, as a SELECT of chunk ids; "" for all."""

    sql: str
    values: tuple[Any, ...]


class Lists:
    """The lists for a cleaned query of this text; `limit` of each, and `weights` of the words' columns.

    `notices` gathers what a person should be told.
    """

    def __init__(self, index: Index, text: str, terms: Terms, limit: int, weights: str, notices: list[str]) -> None:
        self.db = index.db
        self.index = index
        self.text = text
        self.limit = limit
        self.weights = weights
        self.notices = notices
        self.match = match(terms)
        self.bounds = (must(terms), must_not(terms))
        self.resident = index.resident
        self.forms = [] if must(terms) else phrases(terms)
        if self.resident is None or any(form[0] == "(" for form in self.forms):
            self.forms = []

    def by_words(self, scope: Scope) -> tuple[dict[int, float], list[int]]:
        """BM25 of the best chunks, and which are candidates (`keyword.best`)."""
        if not self.match:
            return {}, []
        if self.resident is not None and self.forms:
            within, values = self._bounded(scope)
            found = self.resident.best(
                self.index, self.forms, self.limit, weights=self.weights, scope=within, values=values
            )
            if found is not None:
                return found
        where = f"+rowid IN ({scope.sql})" if scope.sql else ""
        for match_, seconds in zip(self._matches(), keyword.SECONDS, strict=False):
            try:
                found = keyword.best(
                    self.db, match_, self.limit, weights=self.weights, scope=where, values=scope.values, seconds=seconds
                )
            except keyword.TooSlow:
                continue
            if match_ != self.match:
                self.notices.append("common words were left out, which took too long to look up")
                self.match = match_
            return found
        self.notices.append("looking up the words took too long: the answer is partial")
        return {}, []

    def by_notes(self) -> dict[int, float]:
        """BM25 of the best whole notes."""
        if not self.match:
            return {}
        if self.resident is not None and self.forms and not self.bounds[1]:
            found = self.resident.notes(self.index, self.forms)
            if found is not None:
                return found
        try:
            return keyword.notes(self.db, self.match, seconds=keyword.SECONDS[0])
        except keyword.TooSlow:
            return {}

    def by_vectors(self, vector: bytes, scope: Scope) -> list[int]:
        """The nearest chunks."""
        within, values = self._bounded(scope)
        if self.resident is not None:
            found = self.resident.nearest(self.index, vector, self.limit, within, values)
            if found is not None:
                return found
        return nearest.nearest(self.db, vector, self.limit, within, values)

    def cosines(self, vector: bytes, ids: Sequence[int]) -> dict[int, float]:
        """The cosine of each of these chunks."""
        if self.resident is not None:
            found = self.resident.cosines(self.index, vector, ids)
            if found is not None:
                return found
        return nearest.cosines(self.db, vector, ids)

    def foremost(self, ids: Sequence[int], leads: Leads, limit: int, **how: Any) -> Sequence[int]:
        """The chunks that may be among the first by the default fusion (`Traits.foremost`), or all of them."""
        found = self.resident.foremost(self.index, ids, leads, limit, **how) if self.resident is not None else None
        return ids if found is None else found

    def vectors(self) -> int:
        """How many chunks have a vector."""
        held = self.resident.vectors(self.index) if self.resident is not None else None
        return int(self.db.execute("SELECT count(*) FROM chunk_vec").get if held is None else held)

    def _matches(self) -> Iterator[str]:
        """The words to look up, and what to try instead where that takes too long: without those that carry a
        question's grammar, then only the four longest."""
        yield self.match
        content = clean(self.text)
        few = sorted(content.words, key=len, reverse=True)[:4]
        for fewer in (match(content), match(content._replace(words=tuple(few), stems=()))):
            if fewer and fewer != self.match:
                yield fewer

    def _bounded(self, scope: Scope) -> tuple[str, tuple[Any, ...]]:
        """The scope with phrases and exclusions, which hold for both lists, as a condition on `id`."""
        parts, values = [], list(scope.values)
        if scope.sql:
            parts.append(f"id IN ({scope.sql})")
        for bound, negation in zip(self.bounds, ("", "NOT "), strict=True):
            if bound:
                parts.append(f"id {negation}IN (SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ?)")  # noqa: S608
                values.append(bound)
        return " AND ".join(parts), tuple(values)
