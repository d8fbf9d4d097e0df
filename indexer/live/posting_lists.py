"""Posting lists and vectors in memory: which rows hold a phrase how often, and the int8 rows of
`chunk_vec`.

Both give what SQL gives, to the last bit. FTS5's `bm25` of phrases joined by OR is, in their order,
the sum of

    idf · (f · 2.2) / (f + 1.2 · (0.25 + 0.75 · length / mean length))

over the phrases in a row, f being the phrase's weighted count and idf the logarithm of (rows − hits
+ 0.5) / (hits + 0.5), at least a millionth. Whether this machine computes as
FTS5 was compiled (some multiply and add in one step) is tried on the first queries; where it does
not, nothing is said here.

Products of int8 vectors of up to 1,024 numbers are whole and, at the length that is stored, far
below 2^24, so float32 holds them exactly and every linear algebra library gives the same. Only a
block at a time is float32: small enough to stay in a core's cache, and for BLAS not to start its
threads.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from math import log
from typing import Any, NamedTuple

import apsw
import numpy as np

from indexer.search.index_lists import HEADED, TooSlow, deadline

LIST_SECONDS = 0.3
"""CPU seconds that reading one list may take."""
SECONDS_A_LIST = 0.1
"""CPU seconds after which a query reads no more lists."""
PROOFS = 3
"""Queries whose scores are compared with FTS5's before they are trusted."""
PROOF_ROWS = 300
"""In how many rows they are compared."""
_SHIFT = 20
_MASK = (1 << _SHIFT) - 1
_STEP = 64
"""How many values stand for one in a sample."""


class _List(NamedTuple):
    """The rows that hold a phrase, and its weighted count in each."""

    ids: Numbers
    counts: Numbers

    @property
    def size(self) -> int:
        return int(self.ids.nbytes + self.counts.nbytes) + 400


class Postings:
    """Part of an FTS5 table in memory: the length of every row, and lists of phrases in at most
    `room` bytes.

    Not for two threads at once.
    """

    def __init__(
        self,
        table: str,
        room: int,
    ) -> None:
        self.table = table
        self.room = room
        self.exact = True
        """Whether the sums here are known to be FTS5's, as far as was tried."""
        self.lengths = np.empty(0, np.int32)
        """Words by row id; -1 where there is no row."""
        self._lists: OrderedDict[tuple[str, bool], _List] = OrderedDict()
        self._slow: set[tuple[str, bool]] = set()
        self._bytes = 0
        self._rows = 0
        self._words = 0
        self._unproved = PROOFS

    def ids(self) -> Numbers:
        """The ids of all rows."""
        return np.flatnonzero(self.lengths >= 0)

    def change(
        self,
        gone: Numbers,
        fresh: Numbers,
    ) -> None:
        """Rows went, then rows came: ids with their lengths in words, two numbers a row. A row with
        other words did both. Lists are read anew when they are asked for."""
        self.lengths[gone] = -1
        if len(fresh):
            ids, lengths = fresh.T
            self.lengths = grown(self.lengths, int(ids.max()) + 1, -1)
            self.lengths[ids] = lengths
        here = self.lengths[self.lengths >= 0]
        self._rows = len(here)
        self._words = int(here.sum())
        self._lists.clear()
        self._bytes = 0

    def scores(
        self,
        db: apsw.Connection,
        phrases: Sequence[str],
        weights: str,
    ) -> tuple[Numbers, Numbers] | None:
        """The rows that hold any of these phrases, each a MATCH expression, and their BM25, higher
        is better.

        `weights` are candidates.PLAIN or HEADED. None where it takes too long or the sums are not
        FTS5's.
        """
        lists = self._current(db, phrases, headed=weights == HEADED) if self.exact else None
        if lists is None:
            return None
        lists = [one for one in lists if len(one.ids)]
        if not lists:
            return np.empty(0, np.int64), np.empty(0)
        at = np.concatenate([one.ids for one in lists])
        totals = np.bincount(at, self._parts(lists, at))
        ids = np.flatnonzero(totals)
        if self._unproved and len(phrases) > 1:
            self._unproved -= 1
            self.exact = self._agrees(db, phrases, weights, totals)
        return (ids, totals[ids]) if self.exact else None

    def _parts(
        self,
        lists: Sequence[_List],
        ids: Numbers,
    ) -> Numbers:
        """The part of each phrase in the score of each of its rows, in FTS5's order of
        operations."""
        hits = [len(one.ids) for one in lists]
        weights = [log((self._rows - count + 0.5) / (count + 0.5)) for count in hits]
        idf = np.repeat([weight if weight > 0 else 1e-6 for weight in weights], hits)
        counts = np.concatenate([one.counts for one in lists]).astype(np.float64)
        shape = 1.2 * ((1 - 0.75) + 0.75 * self.lengths[ids] / (self._words / self._rows))
        parts: Numbers = idf * ((counts * (1.2 + 1.0)) / (counts + shape))
        return parts

    def _current(
        self,
        db: apsw.Connection,
        phrases: Iterable[str],
        *,
        headed: bool,
    ) -> list[_List] | None:
        until = time.thread_time() + SECONDS_A_LIST
        found = []
        for phrase in phrases:
            key = (phrase, headed)
            one = self._lists.get(key)
            if one is None:
                if key in self._slow or time.thread_time() > until:
                    return None
                try:
                    with deadline(db, LIST_SECONDS):
                        one = _list(_tallied(db, self.table, phrase, headed=headed))
                except TooSlow:
                    self._slow.add(key)
                    return None
                self._lists[key] = one
                self._bytes += one.size
            self._lists.move_to_end(key)
            found.append(one)
        while self._bytes > self.room:
            self._bytes -= self._lists.popitem(last=False)[1].size
        return found

    def _agrees(
        self,
        db: apsw.Connection,
        phrases: Sequence[str],
        weights: str,
        totals: Numbers,
    ) -> bool:
        """Whether FTS5 says the same of some rows."""
        table = self.table
        sql = f"SELECT rowid, -rank FROM {table} WHERE {table} MATCH ? AND rank MATCH ? LIMIT ?"
        try:
            with deadline(db, LIST_SECONDS):
                rows: list[Any] = db.execute(
                    sql, (" OR ".join(phrases), f"bm25({weights})", PROOF_ROWS)
                ).fetchall()
        except TooSlow:
            self._unproved += 1
            return True
        return all(number < len(totals) and totals[number] == score for number, score in rows)


_heard = threading.local()


def _tallied(
    db: apsw.Connection,
    table: str,
    phrase: str,
    *,
    headed: bool,
) -> list[int]:
    """Row id and weighted count of every row that holds a phrase, each pair in one number."""
    name = "tally_headed" if headed else "tally"
    sql = f"SELECT 1 FROM {table} WHERE {table} MATCH ? AND {name}({table})"
    _heard.found = found = list[int]()
    _heard.append = found.append
    try:
        db.execute(sql, (phrase,)).fetchall()
    except apsw.SQLError:
        db.register_fts5_function("tally", _tally)
        db.register_fts5_function("tally_headed", _tally_headed)
        db.execute(sql, (phrase,)).fetchall()
    return found


def _tally(api: apsw.FTS5ExtensionApi, *_: Any) -> None:
    _heard.append(api.rowid << _SHIFT | api.inst_count)


def _tally_headed(api: apsw.FTS5ExtensionApi, *_: Any) -> None:
    _heard.append(api.rowid << _SHIFT | api.inst_count + len(api.phrase_column_offsets(0, 0)))


def _list(found: Sequence[int]) -> _List:
    pairs = np.array(found, np.int64)
    counts = pairs & _MASK
    small = np.uint8 if not len(counts) or counts.max() < 256 else np.int32
    return _List((pairs >> _SHIFT).astype(np.int32), counts.astype(small))


Numbers = np.ndarray[Any, Any]

BLOCK = 1024
"""Vectors that are multiplied at a time: twice as fast as 4,096, and no slower than any number
between."""


class Matrix:
    """Vectors of `dim` numbers by the ids of their chunks, in blocks that never move; not for two
    threads at once."""

    def __init__(self, dim: int) -> None:
        self.dim = dim
        self._blocks: list[Numbers] = []
        self._squares = np.empty(0, np.float32)
        """Squared length by place; infinite where there is no vector."""
        self._ids = np.empty(0, np.int32)
        self._places = np.empty(0, np.int32)
        """Place by id, -1 for none."""
        self._free: list[int] = []
        self._room = np.empty((BLOCK, dim), np.float32)
        self._last: tuple[bytes, Numbers] | None = None
        """The vector asked about last, and how far it is from each."""

    def __len__(self) -> int:
        """How many vectors there are."""
        return len(self._ids) - len(self._free)

    def put(self, rows: Sequence[tuple[int, bytes]]) -> None:
        """Keep the vectors of chunks that have none yet; ValueError for one of another length."""
        self._last = None
        self.make_room(len(rows))
        places = np.array([self._free.pop() for _ in rows], np.int32)
        ids = np.array([number for number, _ in rows], np.int32)
        vectors = np.frombuffer(b"".join(vector for _, vector in rows), np.int8).reshape(
            len(rows), self.dim
        )
        for place, vector in zip(places.tolist(), vectors, strict=True):
            self._blocks[place // BLOCK][place % BLOCK] = vector
        self._squares[places] = np.einsum("ij,ij->i", vectors, vectors, dtype=np.int32)
        self._ids[places] = ids
        self._places = grown(self._places, int(ids.max()) + 1, -1)
        self._places[ids] = places

    def drop(self, ids: Numbers) -> None:
        """Forget the vectors of these chunks."""
        self._last = None
        places = self._places_of(ids)
        places = places[places >= 0]
        self._squares[places] = np.inf
        self._places[self._ids[places]] = -1
        self._free += places.tolist()

    def nearest(
        self,
        vector: bytes,
        limit: int,
        spare: int,
        allowed: Numbers | None,
    ) -> list[int] | None:
        """The ids of the `limit` nearest, of those `allowed` (a truth by id), and all as near as
        the last, in order.

        None where `spare` more are that near.
        """
        apart = self._apart(vector)
        if allowed is not None:
            apart = np.where(allowed[self._ids], apart, np.inf)
        edge = least(apart, limit) if len(apart) > limit else np.inf
        found = np.flatnonzero((apart <= edge) & (apart < np.inf))
        if len(found) >= limit + spare:
            return None
        nearest: list[int] = self._ids[found[np.argsort(apart[found], kind="stable")]].tolist()
        return nearest

    def products(
        self,
        vector: bytes,
        ids: Sequence[int],
    ) -> tuple[list[int], list[float], list[float]]:
        """Those of the chunks that have vectors, the product of each with a vector, and its squared
        length."""
        places = self._places_of(np.array(ids, np.int32))
        places = places[places >= 0]
        squares = self._squares[places]
        apart = self._apart(vector)[places]
        return self._ids[places].tolist(), ((squares - apart) / 2).tolist(), squares.tolist()

    def _apart(self, vector: bytes) -> Numbers:
        """Squared distance by place, less the squared length of the vector itself; not to be
        written to."""
        if self._last is None or self._last[0] != vector:
            query = np.frombuffer(vector, np.int8).astype(np.float32)
            apart = np.empty(len(self._ids), np.float32)
            for at, block in enumerate(self._blocks):
                np.copyto(self._room, block)
                np.dot(self._room, query, out=apart[at * BLOCK : (at + 1) * BLOCK])
            apart *= -2
            apart += self._squares
            self._last = (vector, apart)
        return self._last[1]

    def _places_of(self, ids: Numbers) -> Numbers:
        return self._places[ids[ids < len(self._places)]]

    def make_room(self, count: int) -> None:
        """See that so many more vectors find a place; all at once, for whatever is made larger bit
        by bit leaves holes in the memory."""
        blocks = -(-(count - len(self._free)) // BLOCK)
        if blocks <= 0:
            return
        first = len(self._ids)
        more = blocks * BLOCK
        self._blocks += [np.zeros((BLOCK, self.dim), np.int8) for _ in range(blocks)]
        self._squares = np.concatenate([self._squares, np.full(more, np.inf, np.float32)])
        self._ids = np.concatenate([self._ids, np.zeros(more, np.int32)])
        self._free += range(first + more - 1, first - 1, -1)


def least(values: Numbers, place: int) -> float:
    """The value at a place from the lowest, which is 1.

    Of many values only those are put in order that are below what a sample of them says is enough.
    """
    sample = values[::_STEP]
    enough = 2 * place // _STEP + _STEP
    if enough < len(sample):
        few = values[values <= np.partition(sample, enough)[enough]]
        if len(few) >= place:
            values = few
    return float(np.partition(values, place - 1)[place - 1])


def grown(
    numbers: Numbers,
    size: int,
    fill: int,
) -> Numbers:
    """An array of at least `size` numbers that begins with these."""
    if len(numbers) >= size:
        return numbers
    more = np.full(size + size // 8 + 1024 - len(numbers), fill, numbers.dtype)
    return np.concatenate([numbers, more])
