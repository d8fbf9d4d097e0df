"""MaxSim over static token vectors: how well each word of a query is met somewhere in a text.

    maxsim = Σ weight(q) · max cos(q, t) / Σ weight(q)

over the query's tokens q and the text's tokens t.

(Khattab & Zaharia 2020, with static vectors and idf weights.) Only a token's `MOST_NEIGHBOURS`
nearest others with a cosine of `LEAST_COSINE` or more count. Which those are depends on the weights
alone, so they stand in a table beside them, and reranking a whole list is looking things up.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mmap import mmap

    import numpy as np

    Array = np.ndarray[Any, Any]

LEAST_COSINE = 0.35
MOST_NEIGHBOURS = 64
STEPS = 250
"""Cosines are kept as whole numbers of this fraction."""

Near = Callable[[int], Mapping[int, float]]
"""A token → its nearest tokens with their cosines, itself (1.0) among them."""


def maxsim(
    query: Sequence[int],
    weights: Sequence[float],
    near: Near,
    texts: Sequence[AbstractSet[int]],
) -> list[float]:
    """The MaxSim of a query, tokens with their weights, and each of these texts, sets of tokens: 0
    to 1."""
    values = [0.0] * len(texts)
    for token, weight in zip(query, weights, strict=True):
        cosines = near(token)
        for number, text in enumerate(texts):
            if token in text:
                values[number] += weight
            elif shared := cosines.keys() & text:
                values[number] += weight * max(map(cosines.__getitem__, shared))
    total = sum(weights) or 1.0
    return [value / total for value in values]


def pack_bag(tokens: Iterable[int]) -> bytes:
    """The distinct tokens of a chunk in bytes; b"" for none.

    The first byte says how many bytes a token takes, then follow the tokens in order of their
    numbers.
    """
    ordered = sorted(set(tokens))
    if not ordered:
        return b""
    if ordered[-1] < 1 << 16:
        numbers = array("H", ordered)
    else:
        numbers = array("I", ordered)
    return bytes([numbers.itemsize]) + numbers.tobytes()


def unpack_bag(bag: bytes) -> frozenset[int]:
    """The tokens in a bag."""
    if not bag:
        return frozenset()
    code = {2: "H", 4: "I"}[bag[0]]
    return frozenset(array(code, bag[1:]))


class Neighbours:
    """The table of a model's neighbours: `starts` uint32[tokens + 1], then uint16 tokens, then
    uint8 cosines."""

    def __init__(self, table: bytes | mmap, tokens: int) -> None:
        view = memoryview(table)
        head = 4 * (tokens + 1)
        count = (len(view) - head) // 3
        self._starts = view[:head].cast("I")
        middle = head + 2 * count
        self._tokens = view[head:middle].cast("H")
        self._cosines = view[middle:]

    def __call__(self, token: int) -> dict[int, float]:
        """The token's nearest others and itself."""
        begin = self._starts[token]
        end = self._starts[token + 1]
        cosines = [step / STEPS for step in self._cosines[begin:end]]
        found = dict(zip(self._tokens[begin:end], cosines, strict=True))
        found[token] = 1.0
        return found


def computed(table: bytes, dim: int) -> Near:
    """The same neighbours, computed when asked for: for a model that has no table of them."""
    import numpy as np

    rows = cache(lambda: Cosines(table, dim))

    def near(token: int) -> dict[int, float]:
        cosines = rows().of(token)
        others = nearest_tokens(cosines, token)
        shares = cosines[others].clip(0, 1)
        steps = np.rint(shares * STEPS) / STEPS
        found: dict[int, float] = dict(zip(others.tolist(), steps.tolist(), strict=True))
        found[token] = 1.0
        return found

    return near


class Cosines:
    """Cosines between int8 rows. Products of rows of up to 1,024 numbers are whole and below 2^24,
    so float32 holds them exactly and every linear algebra library gives the same."""

    def __init__(self, table: bytes, dim: int) -> None:
        import numpy as np

        steps = np.frombuffer(table, np.int8)
        self.rows: Array = steps.reshape(-1, dim).astype(np.float32)
        squares = np.einsum("ij,ij->i", self.rows, self.rows)
        lengths = np.sqrt(squares.astype(np.float64))
        self.lengths = np.maximum(lengths, 1e-9)

    def of(self, token: int) -> Array:
        """The cosine of a token with each."""
        products = (self.rows @ self.rows[token]).astype("float64")
        lengths = self.lengths * self.lengths[token]
        cosines: Array = products / lengths
        return cosines


def nearest_tokens(row: Array, token: int) -> Array:
    """The tokens nearest to `token` by their cosines, in order of their numbers."""
    import numpy as np

    found = np.flatnonzero(row >= LEAST_COSINE)
    found = found[found != token]
    if len(found) > MOST_NEIGHBOURS:
        order = np.argsort(-row[found], kind="stable")
        found = found[order[:MOST_NEIGHBOURS]]
    return np.sort(found)
