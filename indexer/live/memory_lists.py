"""An index in memory: the same numbers as SQL gives, to the last bit, sooner. For a long-running
process.

Vectors and posting lists are in `posting_lists.py`. Whoever asks holds a read transaction, and what
is in memory is first made equal to its rows: chunks are never changed and no number is used twice,
so numbers tell which ones came and went. What cannot be answered from memory is None, and SQL is
asked.
"""

from __future__ import annotations

import threading
from itertools import chain, islice
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from indexer.catalog.visibility import viewer
from indexer.rows import schema
from indexer.search import index_lists
from indexer.search.index_lists import SPARE, IndexLists
from indexer.search.view import bounds_of

from .posting_lists import Matrix, Numbers, Postings, least

if TYPE_CHECKING:
    from collections.abc import Sequence

    import apsw

    from indexer.rows.rows import Index
    from indexer.search.query import WordMatch
    from indexer.search.view import Scope

CHUNK_ROOM = 8 << 20
"""Bytes of posting lists over the chunks."""
NOTE_ROOM = 4 << 20
"""Bytes of those over the notes."""
MOST_IDS = 1 << 22
"""Chunk numbers up to which tables by number are worth their memory; a rebuild begins at 1
again."""
_VECTORS_AT_A_TIME = 1024
"""Vectors that are read at a time."""


class MemoryLists(IndexLists):
    """The lists of an index from memory, and by SQL where memory cannot say."""

    def __init__(self, resident: Resident, index: Index) -> None:
        super().__init__(index)
        self.resident = resident

    def best(
        self, match: WordMatch, limit: int, weights: str, scope: Scope, seconds: float
    ) -> tuple[dict[int, float], list[int]]:
        """BM25 of the best chunks, and the first of them."""
        found = None
        if match.is_plain:
            within, values = bounds_of(scope, match)
            found = self.resident.best(
                self.index,
                match.phrases,
                limit,
                weights=weights,
                scope=within,
                values=values,
            )
        return found or super().best(match, limit, weights, scope, seconds)

    def note_scores(self, match: WordMatch, seconds: float) -> dict[int, float]:
        """BM25 of the best whole notes."""
        found = None
        if match.is_plain and not match.must_not:
            found = self.resident.notes(self.index, match.phrases)
        return found or super().note_scores(match, seconds)

    def nearest(self, vector: bytes, limit: int, match: WordMatch, scope: Scope) -> list[int]:
        """The nearest chunks that hold what they must."""
        found = self.resident.nearest(self.index, vector, limit, *bounds_of(scope, match))
        return found or super().nearest(vector, limit, match, scope)

    def cosines(self, vector: bytes, ids: Sequence[int]) -> dict[int, float]:
        """The cosine of each of these chunks."""
        return self.resident.cosines(self.index, vector, ids) or super().cosines(vector, ids)

    def vectors(self) -> int:
        """How many chunks have a vector."""
        return self.resident.vectors(self.index) or super().vectors()


class Resident:
    """Vectors and posting lists of the index that was asked last; for requests in several threads,
    one at a time.

    Each has its own connection. One that reads an older state of the index than another before it
    gets None.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._forget()

    def _forget(self) -> None:
        self._path = ""
        self._generation = 0
        self._next = 1
        self._matrix: Matrix | None = None
        self._chunks = Postings("chunk_fts", CHUNK_ROOM)
        self._notes = Postings("note_fts", NOTE_ROOM)
        self._scope: tuple[tuple[Any, ...], Numbers] | None = None

    # -- questions ---------------------------------------------------------------------

    def lists(self, index: Index) -> MemoryLists:
        """The lists of an index, from this memory."""
        return MemoryLists(self, index)

    def vectors(self, index: Index) -> int | None:
        """How many chunks have a vector."""
        with self._lock:
            if not self.follow(index):
                return None
            return len(self._matrix) if self._matrix is not None else 0

    def nearest(
        self,
        index: Index,
        vector: bytes,
        limit: int,
        scope: str = "",
        values: Sequence[Any] = (),
    ) -> list[int] | None:
        """Nearest chunks, as `IndexLists.nearest` gives them."""
        with self._lock:
            if not self.follow(index):
                return None
            if self._matrix is None:
                return []
            return self._matrix.nearest(vector, limit, SPARE, self._allowed(index, scope, values))

    def cosines(
        self,
        index: Index,
        vector: bytes,
        ids: Sequence[int],
    ) -> dict[int, float] | None:
        """Cosines of chunks, as `IndexLists.cosines` gives them."""
        with self._lock:
            if not self.follow(index):
                return None
            if self._matrix is None:
                return {}
            known, products, squares = self._matrix.products(vector, ids)
        own = sum(value * value for value in memoryview(vector).cast("b"))
        pairs = zip(known, products, squares, strict=True)
        return {
            number: 2 * dot / (2 * sqrt(own * square)) if own and square else 0.0
            for number, dot, square in pairs
        }

    def best(
        self,
        index: Index,
        phrases: Sequence[str],
        limit: int,
        *,
        weights: str,
        scope: str = "",
        values: Sequence[Any] = (),
    ) -> tuple[dict[int, float], list[int]] | None:
        """As `IndexLists.best` of these phrases joined by OR; `scope` is a condition on `id`."""
        with self._lock:
            if not self.follow(index):
                return None
            found = self._chunks.scores(index.db, phrases, weights)
            if found is None:
                return None
            allowed = self._allowed(index, scope, values)
        ids, scores = found
        if allowed is not None:
            scores = scores[allowed[ids]]
            ids = ids[allowed[ids]]
        if len(ids) >= index_lists.DEPTH:
            last = _at(scores, index_lists.DEPTH)
            if last == _at(scores, limit):
                return None
            ids = ids[scores > last]
            scores = scores[scores > last]
        edge = _at(scores, limit) if len(ids) else 0.0
        return dict(zip(ids.tolist(), scores.tolist(), strict=True)), ids[scores >= edge].tolist()

    def notes(self, index: Index, phrases: Sequence[str]) -> dict[int, float] | None:
        """As `IndexLists.note_scores` of these phrases joined by OR."""
        with self._lock:
            if not self.follow(index):
                return None
            found = self._notes.scores(index.db, phrases, index_lists.PLAIN_WEIGHTS)
        if found is None:
            return None
        ids, scores = found
        if len(ids) >= index_lists.DEPTH:
            kept = scores > _at(scores, index_lists.DEPTH)
            ids = ids[kept]
            scores = scores[kept]
        return dict(zip(ids.tolist(), scores.tolist(), strict=True))

    def _allowed(
        self,
        index: Index,
        scope: str,
        values: Sequence[Any],
    ) -> Numbers | None:
        """The truth of a condition on `id`, by the chunk's id; None for no condition."""
        if not scope:
            return None
        asked = (scope, viewer(index.db), *values)
        if self._scope is None or self._scope[0] != asked:
            allowed = np.zeros(self._next, np.bool_)
            allowed[_ids(index.db, f"chunk_fts_docsize WHERE {scope}", values)] = True
            self._scope = (asked, allowed)
        return self._scope[1]

    # -- what is kept ------------------------------------------------------------------

    def follow(self, index: Index) -> bool:
        """Make what is in memory equal the rows that a read transaction sees; whether it is.

        Questions do it themselves. Before the first one it takes a second for 200,000 chunks, so
        whoever has time asks early.
        """
        with self._lock:
            generation = index.generation
            path = index.path
            if path == self._path and generation <= self._generation:
                return generation == self._generation
            if path == ":memory:" or not 0 < (index.get_meta("next_chunk") or 0) < MOST_IDS:
                return False
            try:
                if path != self._path:
                    self._forget()
                self._scope = None
                self._step(index)
            except BaseException:
                self._forget()
                raise
            self._path = path
            self._generation = generation
            return True

    def _step(self, index: Index) -> None:
        """Rows that came and went since the last step. The lengths of notes, which keep their
        numbers when their words change, are all read anew."""
        db = index.db
        first = self._next
        self._next = int(index.get_meta("next_chunk"))
        gone = np.setdiff1d(self._chunks.ids(), _ids(db, "chunk_fts_docsize"))
        self._chunks.change(gone, _lengths(db, f"chunk_fts_docsize WHERE id >= {first}"))
        self._notes.change(self._notes.ids(), _lengths(db, "note_fts_docsize"))
        if self._matrix is not None:
            self._matrix.drop(gone)
        more = int(db.execute("SELECT count(*) FROM chunk_vec WHERE id >= ?", (first,)).get)
        cursor = db.execute("SELECT id, v FROM chunk_vec WHERE id >= ?", (first,))
        while rows := list[Any](islice(cursor, _VECTORS_AT_A_TIME)):
            if self._matrix is None:
                self._matrix = Matrix(len(rows[0][1]))
            self._matrix.make_room(more)
            self._matrix.put(rows)
            more -= len(rows)


def _at(scores: Numbers, place: int) -> float:
    """The score at a place from the highest, which is 1."""
    return -least(-scores, min(place, len(scores)))


def _ids(db: apsw.Connection, rows: str, values: Sequence[Any] = ()) -> Numbers:
    """Row ids, read as text: a hundred thousand in a tenth of the time that objects take."""
    text: Any = db.execute(f"SELECT group_concat(id) FROM {rows}", values).get
    return np.fromstring(text or "", np.int64, sep=",")


def _lengths(db: apsw.Connection, rows: str) -> Numbers:
    """Row ids with their lengths in words, of the columns together; two numbers a row."""
    found: Any = db.execute(f"SELECT id, sz FROM {rows}")
    pairs = ((number, sum(schema.varints(sizes))) for number, sizes in found)
    return np.fromiter(chain.from_iterable(pairs), np.int32).reshape(-1, 2)
