"""What a line says: its telling words, numbers and negations. Two lines that say the same are one.

Lines whose numbers, dates or negations differ are never the same, nor are two in which one word
stands for another: "Lives in Berlin" and "Lives in Munich" are two facts. One line covers another
where it has all of its words in their order, and what it has beside them is said in addition.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from indexer.reading.path_meaning import MONTH_NAME, WEEKDAY_NAME
from indexer.spelling import link_names
from indexer.tokens.english import EMPTY_WORDS
from indexer.tokens.terms import english_stem

NOT = frozenset(
    (
        "not no never none nobody nothing neither nor without cannot stop stopped stops quit "
        "former formerly ex unless except instead"
    ).split()
)
ORDERING_WORDS = frozenset(
    ("over than before after to from by rather versus vs more less under above into onto").split()
)
"""Words beside which the order of the others is what a line says: tea over coffee."""
PEOPLE = frozenset(
    (
        "wife husband partner spouse girlfriend boyfriend fiance fiancee ex child children kid "
        "kids son sons daughter daughters baby mother mum mom father dad parent parents brother "
        "brothers sister sisters sibling siblings twin grandmother grandfather grandparents "
        "grandson granddaughter uncle aunt cousin nephew niece friend friends colleague "
        "colleagues boss neighbour neighbours neighbor neighbors landlord landlady tenant "
        "flatmate roommate assistant client guest dog cat"
    ).split()
)
"""Who a line may be about instead of the note's own person."""
BEGINS = frozenset(
    (
        "near beside beyond behind around along across within inside outside since until till "
        "during through because where when while which who whose via per like among between "
        "against towards toward amid despite throughout"
    ).split()
)
"""Words that begin what more is said, behind a statement that holds without it."""

_SPACED = r"0[^\W\d_]+|\d+(?:[.,:/-]\d+)*|[^\W_]+(?:['’][^\W_]+)*|[^\W_]"
_SPACELESS = _SPACED.replace(r"[^\W_]+", r"[^\W_぀-ヿ㐀-鿿가-힯฀-໿က-႟ក-៿]+")
_IS = frozenset("is are was were am be been has have had".split())
_ARTICLES = frozenset("a an the his her their my our its already".split())
_VERB = r"[^\W\d_]{2,}(?:[^s]s|ed)"
_WHOSE = re.compile(r"(?i)(?:(?P<whose>his|her|their|my|our|[^\W\d_]+['’]s)|the|an?)\s+")
_SUBJECT = r"(?:[^\W\d_]+\s+){1,2}?(?!(?:is|was|has)\b)[^\W\d_]{2,}(?<!s)s\b"
_DAY = re.compile(rf"\b(?:{MONTH_NAME}|{WEEKDAY_NAME})(?=s?\b)")
_LEAST_SHARED_WORDS = 0.5
"""The share of a line's words that another one must have to be covered by it."""


class LineMeaning(NamedTuple):
    """What a line says: its telling words in order, its numbers and its negations, sorted;
    `ordered`: order matters.

    `about` is who it is about, where that is somebody else; `opens` whether it begins with an
    article or a possessive. `joints` say for each word what stands before it: only a space or a
    sign (`GLUED`), a form of `be` or `have` after which something is said of what stood before
    (`SAID_OF`), or other small words and signs (`PLACES_APART`).
    """

    words: tuple[str, ...]
    numbers: tuple[str, ...]
    denials: tuple[str, ...]
    ordered: bool
    about: str = ""
    opens: bool = False
    joints: tuple[int, ...] = ()


PLACES_APART = 0
GLUED = 1
SAID_OF = 2


def line_subject(text: str) -> str:
    """Who a line is about who is not the note's own person: `daughter` of `His daughter lives in
    Rome`, else ""."""
    whose = _WHOSE.match(text)
    rest = text[whose.end() :] if whose else text
    first_words = re.findall(r"[^\W\d_]+", rest[:80].casefold())[: 3 if whose else 1]
    person = next((word for word in first_words if word in PEOPLE), "")
    if person or whose is None or whose["whose"] is None:
        return person
    subject = re.match(_SUBJECT, rest)
    return subject[0].rpartition(" ")[0].casefold() if subject else ""


@lru_cache(maxsize=4096)
def line_meaning(text: str) -> LineMeaning:
    """The telling parts of a line; emphasis, case, links and word endings aside."""
    dated = _DAY.sub(r"0\g<0>", link_names(text))  # a date is never a word among others
    plain = unicodedata.normalize("NFKC", dated).casefold().replace("’", "'")
    plain = plain.replace("e-mail", "email")
    words: list[str] = []
    numbers: list[str] = []
    denials: list[str] = []
    joints: list[int] = []
    ordered = False
    end = 0
    for place in _word(plain).finditer(plain):
        word = place[0]
        ordered = ordered or word in ORDERING_WORDS
        if word[0].isdigit():
            numbers.append(word)
        elif word.endswith("n't") or word in NOT:
            denials.append("not" if word.endswith("n't") else word)
        elif word not in EMPTY_WORDS:
            words.append(english_stem(word))
            joints.append(_joint(plain[end : place.start()], word))
            end = place.end()
    return LineMeaning(
        words=tuple(words),
        numbers=tuple(sorted(numbers)),
        denials=tuple(sorted(denials)),
        ordered=ordered,
        about=line_subject(text),
        opens=bool(_WHOSE.match(text)),
        joints=tuple(joints),
    )


def _word(text: str) -> re.Pattern[str]:
    """What is a word in a text: the pattern for scripts without spaces takes long to compile, and
    few texts need it."""
    plain = text.isascii() or not any(char >= "\u0e00" and char.isalnum() for char in text)
    return re.compile(_SPACED if plain else _SPACELESS)


def _joint(between: str, word: str) -> int:
    """How a word is joined to the telling word before it; a verb is said of what stands right
    before it."""
    small = {*_word(between).findall(between)}
    if small:
        is_of_it = not small.isdisjoint(_IS) and small <= _IS | _ARTICLES
        return SAID_OF if is_of_it else PLACES_APART
    sign = between.strip()
    if word in BEGINS or (sign and " " in between):
        return PLACES_APART
    return SAID_OF if not sign and re.fullmatch(_VERB, word) else GLUED


def line_covers(one: LineMeaning, other: LineMeaning) -> bool:
    """True if the first line says all that the second says, and little beside it."""
    if (one.numbers, one.denials, one.about) != (other.numbers, other.denials, other.about):
        return False
    if not other.words:
        return not one.words
    if len(other.words) < max(_LEAST_SHARED_WORDS * len(one.words), min(2, len(one.words))):
        return False
    if one.opens and not other.opens and _has_subject(one.words, other.words):
        return False
    if len(one.words) > len(other.words):
        return _holds(one, other.words)
    if one.ordered or other.ordered:
        return one.words == other.words
    return sorted(one.words) == sorted(other.words)


def _has_subject(one: tuple[str, ...], other: tuple[str, ...]) -> bool:
    """True if a subject stands before the verb of the first: `The plumber lives in Rome`."""
    is_later = other[0] in one[1:]
    return is_later and one[0] not in other


def _holds(one: LineMeaning, words: tuple[str, ...]) -> bool:
    """True if a line has these words in this order, and what it has beside them changes none of
    them.

    That is who it is about, before the first, or something more behind a small word or a sign:
    `Works at TechCorp, as engineer`. A word right beside another one makes another thing of it:
    `Rear admiral`, `Belize City`.
    """
    found = 0
    is_beside = False  # is the word before this one beside what the other line says?
    for word, joint in zip(one.words, one.joints, strict=True):
        is_more = found == len(words) or word != words[found]
        if is_more and found and joint == GLUED and not is_beside:
            return False
        if not is_more and is_beside and joint != (PLACES_APART if found else SAID_OF):
            return False
        found += not is_more
        is_beside = is_more
    return found == len(words)


def say_alike(one: str, other: str) -> bool:
    """True if either of two lines covers the other."""
    first = line_meaning(one)
    second = line_meaning(other)
    return line_covers(first, second) or line_covers(second, first)
