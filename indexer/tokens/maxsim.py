"""MaxSim over static token vectors: how well each word of a query is met somewhere in a text.

    maxsim = Σ weight(q) · max cos(q, t) / Σ weight(q)

over the query's tokens q and the text's tokens t.

(Khattab & Zaharia 2020, with static vectors and idf weights.) Only a token's `NEAREST` nearest
others with a cosine of `FLOOR` or more count. Which those are depends on the weights alone, so they
stand in a table beside them, and reranking a whole list is looking things up.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mmap import mmap

    import numpy as np

FLOOR = 0.35
NEAREST = 64
STEPS = 250
"""Cosines are kept as whole numbers of this fraction."""

Near = Callable[[int], Mapping[int, float]]
"""A token → its nearest tokens with their cosines, itself (1.0) among them."""


def maxsim(
    query: Sequence[int], weights: Sequence[float], near: Near, texts: Sequence[AbstractSet[int]]
) -> list[float]:
    """The MaxSim of a query, tokens with their weights, and each of these texts, sets of tokens: 0
    to 1."""
    total = sum(weights)
    values = [0.0] * len(texts)
    for token, weight in zip(query, weights, strict=True):
        kin = near(token)
        names = kin.keys()
        for at, text in enumerate(texts):
            if token in text:
                values[at] += weight
            elif met := names & text:
                values[at] += weight * max(map(kin.__getitem__, met))
    if total:
        return [value / total for value in values]
    return values


def maxsim_of_bags(
    query: Sequence[int], weights: Sequence[float], near: Near, bags: Sequence[bytes]
) -> list[float]:
    """`maxsim`, bit for bit, of texts as `pack_bag` packs them; with numpy, for a process that has
    it anyway."""
    import numpy as np

    texts = [_tokens_of(one) for one in bags]
    size = max((int(text[-1]) + 1 for text in texts if len(text)), default=1)
    if isinstance(near, Neighbours):
        size = max(size, near.size)
    end = np.array([size])  # of every text, so that none is empty; nothing is near it
    if texts:
        tokens = np.concatenate([part for text in texts for part in (text, end)])
    else:
        tokens = end
    starts = np.cumsum([0, *(len(text) + 1 for text in texts[:-1])])
    cosines = np.zeros(size + 1)
    values = np.zeros(len(starts))
    for token, weight in zip(query, weights, strict=True):
        if isinstance(near, Neighbours):
            names, near_by = near.arrays(token)
        else:
            names, near_by = _arrays(near(token), size)
        cosines[names] = near_by
        cosines[token : min(token + 1, size)] = 1.0
        values += weight * np.maximum.reduceat(cosines[tokens], starts)
        cosines[names] = 0
        cosines[token : token + 1] = 0
    total = sum(weights)
    found: list[float] = ((values / total) if total else values)[: len(texts)].tolist()
    return found


def pack_bag(tokens: Iterable[int]) -> bytes:
    """The distinct tokens of a chunk in bytes; b"" for none.

    The first byte says how many bytes a token takes, then follow the tokens in order of their
    numbers.
    """
    ordered = sorted(set(tokens))
    if not ordered:
        return b""
    numbers = array("H" if ordered[-1] < 1 << 16 else "I", ordered)
    return bytes([numbers.itemsize]) + numbers.tobytes()


def unpack_bag(bag: bytes) -> frozenset[int]:
    """The tokens in a bag."""
    if not bag:
        return frozenset()
    return frozenset(memoryview(bag)[1:].cast("H" if bag[0] == array("H").itemsize else "I"))


def _tokens_of(bag: bytes) -> np.ndarray[Any, Any]:
    """The tokens in a bag, in order of their numbers."""
    import numpy as np

    return np.frombuffer(bag, np.uint16 if bag[:1] == b"\2" else np.uint32, offset=min(1, len(bag)))


def _arrays(
    kin: Mapping[int, float], size: int
) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """A token's nearest others below `size`."""
    import numpy as np

    names = [name for name in kin if name < size]
    return np.array(names, np.int64), np.array([kin[name] for name in names])


class Neighbours:
    """The table of a model's neighbours: `starts` uint32[tokens + 1], then uint16 tokens, then
    uint8 cosines."""

    def __init__(self, table: bytes | mmap, tokens: int) -> None:
        view = memoryview(table)
        head = 4 * (tokens + 1)
        count = (len(view) - head) // 3
        self._starts = view[:head].cast("I")
        self._tokens = view[head : head + 2 * count].cast("H")
        self._cosines = view[head + 2 * count :]
        self.size = tokens

    def __call__(self, token: int) -> dict[int, float]:
        """The token's nearest others and itself."""
        span = slice(self._starts[token], self._starts[token + 1])
        found = {
            other: step / STEPS
            for other, step in zip(self._tokens[span], self._cosines[span], strict=True)
        }
        found[token] = 1.0
        return found

    def arrays(self, token: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
        """The token's nearest others and their cosines."""
        import numpy as np

        span = slice(self._starts[token], self._starts[token + 1])
        return (
            np.frombuffer(self._tokens[span], np.uint16),
            np.frombuffer(self._cosines[span], np.uint8).astype(np.float64) / STEPS,
        )


def computed(table: bytes, dim: int) -> Near:
    """The same neighbours, computed when asked for: for a model that has no table of them."""
    import numpy as np

    made: list[Cosines] = []

    def near(token: int) -> dict[int, float]:
        if not made:
            made.append(Cosines(table, dim))
        row = made[0].of(token)
        found = nearest(row, token)
        steps = np.rint(row[found].clip(0, 1) * STEPS) / STEPS
        return {**dict(zip(found.tolist(), steps.tolist(), strict=True)), token: 1.0}

    return near


class Cosines:
    """Cosines between int8 rows. Products of rows of up to 1,024 numbers are whole and below 2^24,
    so float32 holds them exactly and every linear algebra library gives the same."""

    def __init__(self, table: bytes, dim: int) -> None:
        import numpy as np

        self.rows: np.ndarray[Any, Any] = (
            np.frombuffer(table, np.int8).reshape(-1, dim).astype(np.float32)
        )
        squares: np.ndarray[Any, Any] = np.einsum("ij,ij->i", self.rows, self.rows).astype(
            np.float64
        )
        self.lengths = np.maximum(np.sqrt(squares), 1e-9)

    def of(self, token: int) -> np.ndarray[Any, Any]:
        """The cosine of a token with each."""
        products: np.ndarray[Any, Any] = (self.rows @ self.rows[token]).astype("float64")
        cosines: np.ndarray[Any, Any] = products / (self.lengths * self.lengths[token])
        return cosines


def nearest(row: np.ndarray[Any, Any], token: int) -> np.ndarray[Any, Any]:
    """The tokens nearest to `token` by their cosines, in order of their numbers."""
    import numpy as np

    found = np.flatnonzero(row >= FLOOR)
    found = found[found != token]
    if len(found) > NEAREST:
        found = found[np.argsort(-row[found], kind="stable")[:NEAREST]]
    return np.sort(found)
