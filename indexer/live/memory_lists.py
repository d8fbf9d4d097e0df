"""An index in memory: the same numbers as SQL gives, to the last bit, sooner. For a long-running
process.

Vectors and posting lists are in `posting_lists.py`. Whoever asks holds a read transaction, and what
is in memory is first made equal to its rows: chunks are never changed and no number is used twice,
so numbers tell which ones came and went. What memory cannot say, SQL is asked.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
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
    from collections.abc import Iterator, Sequence

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

    def __init__(
        self,
        memory: Resident,
        index: Index,
    ) -> None:
        super().__init__(index)
        self.memory = memory

    @contextmanager
    def _equal(self) -> Iterator[Resident | None]:
        """What is in memory, for one at a time; None where the index is read as it was before."""
        with self.memory.lock:
            yield self.memory if self.memory.follow(self.index) else None

    def best(
        self,
        match: WordMatch,
        limit: int,
        weights: str,
        scope: Scope,
        seconds: float,
    ) -> tuple[dict[int, float], list[int]]:
        """BM25 of the best chunks, and the first of them."""
        found = None
        with self._equal() as memory:
            if memory is not None and match.is_plain:
                found = memory.chunks.scores(self.index.db, match.phrases, weights)
                allowed = memory.allowed(self.index, scope, match)
        if found is None:
            return super().best(match, limit, weights, scope, seconds)
        ids, scores = found
        if allowed is not None:
            scores = scores[allowed[ids]]
            ids = ids[allowed[ids]]
        if len(ids) >= index_lists.DEPTH:
            last = _at(scores, index_lists.DEPTH)
            if last == _at(scores, limit):
                return super().best(match, limit, weights, scope, seconds)
            ids = ids[scores > last]
            scores = scores[scores > last]
        edge = _at(scores, limit) if len(ids) else 0.0
        return dict(zip(ids.tolist(), scores.tolist(), strict=True)), ids[scores >= edge].tolist()

    def note_scores(
        self,
        match: WordMatch,
        seconds: float,
    ) -> dict[int, float]:
        """BM25 of the best whole notes."""
        found = None
        with self._equal() as memory:
            if memory is not None and match.is_plain and not match.must_not:
                db = self.index.db
                found = memory.notes.scores(db, match.phrases, index_lists.PLAIN_WEIGHTS)
        if found is None:
            return super().note_scores(match, seconds)
        ids, scores = found
        if len(ids) >= index_lists.DEPTH:
            kept = scores > _at(scores, index_lists.DEPTH)
            ids = ids[kept]
            scores = scores[kept]
        return dict(zip(ids.tolist(), scores.tolist(), strict=True))

    def nearest(
        self,
        vector: bytes,
        limit: int,
        match: WordMatch,
        scope: Scope,
    ) -> list[int]:
        """The nearest chunks that hold what they must."""
        found = None
        with self._equal() as memory:
            if memory is not None and memory.matrix is not None:
                allowed = memory.allowed(self.index, scope, match)
                found = memory.matrix.nearest(vector, limit, SPARE, allowed)
        return found or super().nearest(vector, limit, match, scope)

    def cosines(
        self,
        vector: bytes,
        ids: Sequence[int],
    ) -> dict[int, float]:
        """The cosine of each of these chunks."""
        with self._equal() as memory:
            if memory is None or memory.matrix is None:
                return super().cosines(vector, ids)
            known, products, squares = memory.matrix.products(vector, ids)
        own = sum(value * value for value in memoryview(vector).cast("b"))
        pairs = zip(known, products, squares, strict=True)
        return {
            number: 2 * dot / (2 * sqrt(own * square)) if own and square else 0.0
            for number, dot, square in pairs
        }

    def vectors(self) -> int:
        """How many chunks have a vector."""
        with self._equal() as memory:
            if memory is None or memory.matrix is None:
                return super().vectors()
            return len(memory.matrix)


class Resident:
    """Vectors and posting lists of the index that was asked last; for requests in several threads,
    one at a time, each with a connection of its own."""

    def __init__(self) -> None:
        self.lock = threading.RLock()
        self._forget()

    def _forget(self) -> None:
        self._path = ""
        self._generation = 0
        self._next = 1
        self.matrix: Matrix | None = None
        self.chunks = Postings("chunk_fts", CHUNK_ROOM)
        self.notes = Postings("note_fts", NOTE_ROOM)
        self._scope: tuple[tuple[Any, ...], Numbers] | None = None

    def lists(self, index: Index) -> MemoryLists:
        """The lists of an index, from this memory."""
        return MemoryLists(self, index)

    def allowed(
        self,
        index: Index,
        scope: Scope,
        match: WordMatch,
    ) -> Numbers | None:
        """Which chunks the scope and what they must hold allow, by id; None for all."""
        within, values = bounds_of(scope, match)
        if not within:
            return None
        asked = (within, viewer(index.db), *values)
        if self._scope is None or self._scope[0] != asked:
            allowed = np.zeros(self._next, np.bool_)
            allowed[_ids(index.db, f"chunk_fts_docsize WHERE {within}", values)] = True
            self._scope = (asked, allowed)
        return self._scope[1]

    # -- what is kept ------------------------------------------------------------------

    def follow(self, index: Index) -> bool:
        """Make what is in memory equal the rows that a read transaction sees; whether it is.

        Questions do it themselves. Before the first one it takes a second for 200,000 chunks, so
        whoever has time asks early.
        """
        with self.lock:
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
        gone = np.setdiff1d(self.chunks.ids(), _ids(db, "chunk_fts_docsize"))
        self.chunks.change(gone, _lengths(db, f"chunk_fts_docsize WHERE id >= {first}"))
        self.notes.change(self.notes.ids(), _lengths(db, "note_fts_docsize"))
        if self.matrix is not None:
            self.matrix.drop(gone)
        more = int(db.execute("SELECT count(*) FROM chunk_vec WHERE id >= ?", (first,)).get)
        cursor = db.execute("SELECT id, v FROM chunk_vec WHERE id >= ?", (first,))
        while rows := list[Any](islice(cursor, _VECTORS_AT_A_TIME)):
            if self.matrix is None:
                self.matrix = Matrix(len(rows[0][1]))
            self.matrix.make_room(more)
            self.matrix.put(rows)
            more -= len(rows)


def _at(
    scores: Numbers,
    place: int,
) -> float:
    """The score at a place from the highest, which is 1."""
    return -least(-scores, min(place, len(scores)))


def _ids(
    db: apsw.Connection,
    rows: str,
    values: Sequence[Any] = (),
) -> Numbers:
    """Row ids, read as text: a hundred thousand in a tenth of the time that objects take."""
    text: Any = db.execute(f"SELECT group_concat(id) FROM {rows}", values).get
    return np.fromstring(text or "", np.int64, sep=",")


def _lengths(db: apsw.Connection, rows: str) -> Numbers:
    """Row ids with their lengths in words, of the columns together; two numbers a row."""
    found: Any = db.execute(f"SELECT id, sz FROM {rows}")
    pairs = ((number, sum(schema.varints(sizes))) for number, sizes in found)
    return np.fromiter(chain.from_iterable(pairs), np.int32).reshape(-1, 2)
