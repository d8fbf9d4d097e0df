"""Marks: the words of a question in the text that answers it, whatever their endings, accents and case."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.catalog.names import unaccented
from indexer.tokens.terms import bigrams, runs

from .paint import BOLD

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .paint import Paint

ENDING = 3
"""Letters that an ending may have, and that are cut from a word of the question to know its beginning."""
BEGINNING = 4
"""Letters of its beginning that a word keeps."""

_WORD = re.compile(r"[^\W_]+")


def marker(asked: Sequence[str], paint: Paint) -> Callable[[str], str]:
    """What marks the words that were asked for in a line."""
    words: set[str] = set()
    pieces: set[str] = set()
    for word in asked:
        for place, run in enumerate(runs(word)):
            if place % 2:  # a script without spaces
                pieces.update(each for each in (run, *bigrams(run)) if len(each) > 1)
            else:
                words.update(unaccented(each) for each in _WORD.findall(run))
    wanted = re.compile("|".join(map(re.escape, sorted(pieces, key=len, reverse=True)))) if pieces else None

    def mark(line: str) -> str:
        spans = [found.span() for found in _WORD.finditer(line) if _is_asked(unaccented(found[0]), words)]
        spans += [found.span() for found in wanted.finditer(line)] if wanted else []
        told, place = [], 0
        for start, end in _joined(spans):
            told += [line[place:start], paint(line[start:end], BOLD)]
            place = end
        return "".join([*told, line[place:]])

    return mark


def _is_asked(word: str, asked: set[str]) -> bool:
    """Whether a word of the text is one that was asked for, but for their endings."""
    if word in asked:
        return True
    return any(
        abs(len(word) - len(each)) <= ENDING and word.startswith(each[: max(BEGINNING, len(each) - ENDING)])
        for each in asked
        if len(each) >= BEGINNING or (word.startswith(each) and word[len(each) :] in {"s", "es"})
    )


def _joined(spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The spans in order, those that overlap or touch as one."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if found and start <= found[-1][1]:
            found[-1] = found[-1][0], max(end, found[-1][1])
        else:
            found.append((start, end))
    return found
