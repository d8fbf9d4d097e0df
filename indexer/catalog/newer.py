"""Comparing two lines: do they state the same thing, so that one is enough?  Pure; if in doubt, they do not.

Lines whose numbers, dates or negations differ are never the same, nor are two in which
one word stands for another: "Lives in Berlin" and "Lives in Munich" are two facts.  One line covers
another where it has all of its words in their order, and what it has beside them is said in addition.
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
_BEGINS = frozenset((  # noqa: SIM905  words in lines are read sooner than a list of them
    "near beside beyond behind around along across within inside outside since until till during through because "
    "where when while which who whose via per like among between against towards toward amid despite throughout"
).split())
"""Words that begin what more is said, behind a statement that holds without it."""
# fmt: on
_IS = frozenset(("is", "are", "was", "were", "am", "be", "been", "has", "have", "had"))
_ARTICLES = frozenset(("a", "an", "the", "his", "her", "their", "my", "our", "its", "already"))
_VERB = re.compile(r"[^\W\d_]{2,}(?:[^s]s|ed)")
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
    `joints` say for each word what stands before it: nothing but a space (`GLUED`), a form of `be` or `have` after
    which something is said of what stood before (`SAID_OF`), or other small words and signs (`APART`).
    """

    words: tuple[str, ...]
    numbers: tuple[str, ...]
    denials: tuple[str, ...]
    ordered: bool
    about: str = ""
    opens: bool = False
    joints: tuple[int, ...] = ()


APART, GLUED, SAID_OF = range(3)


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
    places = list(_WORD.finditer(plain))
    found = [place[0] for place in places]
    numbers = sorted(word for word in found if word[0].isdigit())
    denials = sorted("not" if word.endswith("n't") else word for word in found if word in _NOT or word.endswith("n't"))
    telling = [place for place in places if _tells(place[0])]
    words = [stem(place[0]) for place in telling]
    ends = [0, *(place.end() for place in telling)]
    joints = [_joint(plain[end : place.start()], place[0]) for end, place in zip(ends, telling, strict=False)]
    return Said(
        tuple(words),
        tuple(numbers),
        tuple(denials),
        any(word in _ORDERED for word in found),
        about(text),
        bool(_WHOSE.match(text)),
        tuple(joints),
    )


def _tells(word: str) -> bool:
    return word not in EMPTY and word not in _NOT and not word[0].isdigit() and not word.endswith("n't")


def _joint(between: str, word: str) -> int:
    """How a word is joined to the telling word before it; a verb is said of what stands right before it."""
    small = _WORD.findall(between)
    if small:
        return SAID_OF if not {*small}.isdisjoint(_IS) and {*small} <= _IS | _ARTICLES else APART
    if between.strip() or word in _BEGINS:
        return APART
    return SAID_OF if _VERB.fullmatch(word) else GLUED


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
    if len(one.words) == len(other.words):
        return one.words == other.words if one.ordered or other.ordered else sorted(one.words) == sorted(other.words)
    return _holds(one, other.words)


def _holds(one: Said, words: tuple[str, ...]) -> bool:
    """True if a line has these words in this order, and what it has beside them changes none of them.

    That is who it is about, before the first, or something more behind a small word or a sign: `Works at TechCorp, as
    engineer`.  A word right beside another one makes another thing of it: `Rear admiral`, `Belize City`.
    """
    rest = list(words)
    before = False  # is the word before this one beside what the other line says?
    for word, joint in zip(one.words, one.joints, strict=True):
        more = not rest or word != rest[0]
        leads = len(rest) == len(words)
        if more and not leads and joint == GLUED and not before:
            return False
        if not more and before and joint != (SAID_OF if leads else APART):
            return False
        if not more:
            rest.pop(0)
        before = more
    return not rest


def alike(one: str, other: str) -> bool:
    """True if either of two lines covers the other."""
    first, second = said(one), said(other)
    return covers(first, second) or covers(second, first)
