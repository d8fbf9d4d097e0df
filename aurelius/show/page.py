"""How much of an answer is printed: what a text costs in tokens, and which rows of a list fit.

Where nobody asks for more, no answer but that of `get` and `export` costs more than MOST tokens.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST = 4_000
"""Tokens of an answer where nobody asked for more: 16,000 ASCII characters."""


def tokens(text: str) -> int:
    """A language model's tokens in a text, about: a quarter of its ASCII characters and two thirds of the others."""
    return -(-_twelfths(text) // 12)


def fitting(pieces: Iterable[str], room: int) -> int:
    """How many of the pieces, from the first on, cost no more than `room` tokens together."""
    spent = count = 0
    for piece in pieces:
        spent += _twelfths(piece)
        if spent > 12 * room:
            break
        count += 1
    return count


def _twelfths(text: str) -> int:
    if text.isascii():
        return 3 * len(text)
    ascii_ = len(text.encode("ascii", "ignore"))
    return 3 * ascii_ + 8 * (len(text) - ascii_)
