"""Vectors in memory: the int8 rows of `chunk_vec`, and whole numbers from them that are exact.

Products of int8 vectors of up to 1,024 numbers are whole and, at the length that is stored, far below
2^24, so float32 holds them exactly and every linear algebra library gives the same.  Only a block at a
time is float32: small enough to stay in a core's cache, and for BLAS not to start its threads.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

Numbers = np.ndarray[Any, Any]

BLOCK = 1024
"""Vectors that are multiplied at a time: twice as fast as 4,096, and no slower than any number between."""


class Matrix:
    """Vectors of `dim` numbers by the ids of their chunks, in blocks that never move; not for two threads at once."""

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
        while len(self._free) < len(rows):
            self._add_block()
        places = np.array([self._free.pop() for _ in rows], np.int32)
        ids = np.array([number for number, _ in rows], np.int32)
        vectors = np.frombuffer(b"".join(vector for _, vector in rows), np.int8).reshape(len(rows), self.dim)
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

    def nearest(self, vector: bytes, limit: int, spare: int, allowed: Numbers | None) -> list[int] | None:
        """The ids of the `limit` nearest, of those `allowed` (a truth by id), and all as near as the last, in order.

        None where `spare` more are that near.
        """
        apart = self._apart(vector)
        if allowed is not None:
            apart = np.where(allowed[self._ids], apart, np.inf)
        edge = np.partition(apart, limit - 1)[limit - 1] if len(apart) > limit else np.inf
        found = np.flatnonzero(apart <= edge) if edge < np.inf else np.flatnonzero(apart < np.inf)
        if len(found) >= limit + spare:
            return None
        nearest: list[int] = self._ids[found[np.argsort(apart[found], kind="stable")]].tolist()
        return nearest

    def products(self, vector: bytes, ids: Sequence[int]) -> tuple[list[int], list[float], list[float]]:
        """Those of the chunks that have vectors, the product of each with a vector, and its squared length."""
        places = self._places_of(np.array(ids, np.int32))
        places = places[places >= 0]
        squares, apart = self._squares[places], self._apart(vector)[places]
        return self._ids[places].tolist(), ((squares - apart) / 2).tolist(), squares.tolist()

    def _apart(self, vector: bytes) -> Numbers:
        """Squared distance by place, less the squared length of the vector itself; not to be written to."""
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

    def _add_block(self) -> None:
        first = len(self._ids)
        self._blocks.append(np.zeros((BLOCK, self.dim), np.int8))
        self._squares = np.concatenate([self._squares, np.full(BLOCK, np.inf, np.float32)])
        self._ids = np.concatenate([self._ids, np.zeros(BLOCK, np.int32)])
        self._free += range(first + BLOCK - 1, first - 1, -1)


def grown(numbers: Numbers, size: int, fill: int) -> Numbers:
    """An array of at least `size` numbers that begins with these."""
    if len(numbers) >= size:
        return numbers
    more = np.full(size + size // 8 + 1024 - len(numbers), fill, numbers.dtype)
    return np.concatenate([numbers, more])


def numbers_of(values: Iterable[int]) -> Numbers:
    """Ids as an array."""
    return np.array(list(values), np.int32)
