"""A bag of tokens: the distinct tokens of a chunk as they are kept beside it, in bytes.

The first byte says how many bytes a token takes, then follow the tokens in order of their numbers.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np


def pack(tokens: Iterable[int]) -> bytes:
    """The bag of these tokens; b"" for none."""
    ordered = sorted(set(tokens))
    if not ordered:
        return b""
    numbers = array("H" if ordered[-1] < 1 << 16 else "I", ordered)
    return bytes([numbers.itemsize]) + numbers.tobytes()


def unpack(bag: bytes) -> frozenset[int]:
    """The tokens in a bag."""
    if not bag:
        return frozenset()
    return frozenset(memoryview(bag)[1:].cast("H" if bag[0] == array("H").itemsize else "I"))


def tokens(bag: bytes) -> np.ndarray[Any, Any]:
    """The tokens in a bag, in order of their numbers."""
    import numpy as np

    return np.frombuffer(bag, np.uint16 if bag[:1] == b"\2" else np.uint32, offset=min(1, len(bag)))
