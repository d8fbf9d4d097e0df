"""Comparing two lines: do they state the same thing, so that one is enough?  Pure; if in doubt, they do not.

Lines whose numbers, dates or negations differ are never the same, nor are two in which
one word stands for another: "Lives in Berlin" and "Lives in Munich" are two facts.  One line covers
another where it has all of its words and perhaps more.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from indexer.reading.path_meaning import MONTHS, WEEKDAYS

from .words import EMPTY, stem

_LINK = re.compile(r"\[\[([^\[\]|\n]{1,1000})(?:\|([^\[\]\n]{0,1000}))?\]\]")
_LETTERS = r"[^\W_぀-ヿ㐀-鿿가-힯฀-໿က-႟ក-៿]+"
_WORD = re.compile(rf"0[^\W\d_]+|\d+(?:[.,:/-]\d+)*|{_LETTERS}(?:['’]{_LETTERS})*|[^\W_]")
# fmt: off
_NOT = frozenset((  # noqa: SIM905  words in lines are read sooner than a list of them
    "not no never none nobody nothing neither nor without cannot stop stopped stops quit former formerly ex unless "
    "except instead"
).split())
_ORDERED = frozenset((  # noqa: SIM905  words in lines are read sooner than a list of them
    "over than before after to from by rather versus vs more less under above into onto"
).split())
"""Words beside which the order of the others is what a line says: tea over coffee."""
# fmt: on
_DAY = re.compile(
    rf"\b(?:{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in map(str.title, MONTHS))}|Sept"
    rf"|{'|'.join(map(str.title, WEEKDAYS))})(?=s?\b)"
)
LEAST = 0.5
"""The share of a line's words that another one must have to be covered by it."""


class Said(NamedTuple):
    """What a line says: its telling words in order, its numbers and its negations, sorted; `ordered`: order matters."""

    words: tuple[str, ...]
    numbers: tuple[str, ...]
    denials: tuple[str, ...]
    ordered: bool


@lru_cache(maxsize=4096)
def said(text: str) -> Said:
    """The telling parts of a line; emphasis, case, links and word endings aside."""
    plain = _LINK.sub(lambda found: found[2] or found[1].rpartition("/")[2].replace("-", " "), text)
    plain = _DAY.sub(lambda found: f"0{found[0]}", plain)  # a date is never a word among others
    plain = unicodedata.normalize("NFKC", plain).casefold().replace("’", "'").replace("e-mail", "email")
    found = _WORD.findall(plain)
    numbers = sorted(word for word in found if word[0].isdigit())
    denials = sorted("not" if word.endswith("n't") else word for word in found if word in _NOT or word.endswith("n't"))
    words = [
        stem(word)
        for word in found
        if word not in EMPTY and word not in _NOT and not word[0].isdigit() and not word.endswith("n't")
    ]
    return Said(tuple(words), tuple(numbers), tuple(denials), any(word in _ORDERED for word in found))


def covers(one: Said, other: Said) -> bool:
    """True if the first line says all that the second says, and little beside it."""
    if one.numbers != other.numbers or one.denials != other.denials:
        return False
    if not other.words:
        return not one.words
    if len(other.words) < LEAST * len(one.words) or (len(other.words) == 1 and len(one.words) > 1):
        return False
    if one.ordered or other.ordered:
        rest = iter(one.words)
        return all(word in rest for word in other.words)
    return set(other.words) <= set(one.words)


def alike(one: str, other: str) -> bool:
    """True if either of two lines covers the other."""
    first, second = said(one), said(other)
    return covers(first, second) or covers(second, first)
