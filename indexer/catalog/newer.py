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
from indexer.tokens.english import EMPTY, stem

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
_PEOPLE = frozenset((  # noqa: SIM905  words in lines are read sooner than a list of them
    "wife husband partner spouse girlfriend boyfriend fiance fiancee ex child children kid kids son sons daughter "
    "daughters baby mother mum mom father dad parent parents brother brothers sister sisters sibling siblings twin "
    "grandmother grandfather grandparents grandson granddaughter uncle aunt cousin nephew niece friend friends "
    "colleague colleagues boss neighbour neighbours neighbor neighbors landlord landlady tenant flatmate roommate "
    "assistant client guest dog cat"
).split())
"""Who a line may be about instead of the note's own person."""
# fmt: on
_WHOSE = re.compile(r"(?:(?P<whose>his|her|their|my|our|[^\W\d_]+['’]s)|the|an?)\s+", re.IGNORECASE)
_SUBJECT = re.compile(r"(?:[^\W\d_]+\s+){1,2}?(?!(?:is|was|has)\b)[^\W\d_]{2,}(?<!s)s\b")
_DAY = re.compile(
    rf"\b(?:{'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in map(str.title, MONTHS))}|Sept"
    rf"|{'|'.join(map(str.title, WEEKDAYS))})(?=s?\b)"
)
LEAST = 0.5
"""The share of a line's words that another one must have to be covered by it."""


class Said(NamedTuple):
    """What a line says: its telling words in order, its numbers and its negations, sorted; `ordered`: order matters.

    `about` is who it is about, where that is somebody else; `opens` whether it begins with an article or a possessive.
    """

    words: tuple[str, ...]
    numbers: tuple[str, ...]
    denials: tuple[str, ...]
    ordered: bool
    about: str = ""
    opens: bool = False


def about(text: str) -> str:
    """Who a line is about who is not the note's own person: `daughter` of `His daughter lives in Rome`, else ""."""
    whose = _WHOSE.match(text)
    rest = text[whose.end() :] if whose else text
    words = [word.casefold() for word in re.findall(r"[^\W\d_]+", rest[:80])[: 3 if whose else 1]]
    person = next((word for word in words if word in _PEOPLE), "")
    if person or whose is None or whose["whose"] is None:
        return person
    subject = _SUBJECT.match(rest)
    return subject[0].rpartition(" ")[0].casefold() if subject else ""


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
    return Said(
        tuple(words),
        tuple(numbers),
        tuple(denials),
        any(word in _ORDERED for word in found),
        about(text),
        bool(_WHOSE.match(text)),
    )


def covers(one: Said, other: Said) -> bool:
    """True if the first line says all that the second says, and little beside it."""
    if (one.numbers, one.denials, one.about) != (other.numbers, other.denials, other.about):
        return False
    if not other.words:
        return not one.words
    if len(other.words) < LEAST * len(one.words) or (len(other.words) == 1 and len(one.words) > 1):
        return False
    if one.opens and not other.opens and other.words[0] in one.words[1:] and one.words[0] not in other.words:
        return False  # a subject stands before the verb: `The plumber lives in Rome`
    if one.ordered or other.ordered:
        rest = iter(one.words)
        return all(word in rest for word in other.words)
    return set(other.words) <= set(one.words)


def alike(one: str, other: str) -> bool:
    """True if either of two lines covers the other."""
    first, second = said(one), said(other)
    return covers(first, second) or covers(second, first)
