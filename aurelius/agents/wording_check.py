"""Whether a sentence of a model says what its lines say, as far as their words tell. Pure.

Words that mean the same count as one. What the sentence says beyond the lines is refused, and so is
one that leaves out a name, a number, a date, a negation, a doubt or a condition of theirs, or turns
round their names or numbers. How else the words stand together is not looked at.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from aurelius.language.same_words import counted_words, without_occasion, word_list, word_root
from aurelius.language.secret_text import find_secret
from indexer.reading.markdown import spelled

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurelius.language.same_words import Counted

    _Words = dict[str, str]

MOST_WORDS = 60
"""Words that one sentence may have."""
_MOST_LEFT_OUT = 1 / 3
"""The share of the words of its lines that a sentence may leave out."""
_FREE = (
    "have come go goes get use cost pay or where should make take give need fall happen accord and"
    " with §will §because §must"
)
"""What a sentence may say that its lines do not: it makes sentences of notes."""
_FIRM = "if unless only think plan half twice used yet sure maybe"
"""What it may not leave out, besides names, numbers, dates and what is written with a §: each of
these stands for a negation, a doubt, a condition or an amount."""
_MARKUP = re.compile(
    r"[\[\]{}<>|`*#\\^~=@?]|_\w|https?:|www\."
    r"|[\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]"
)


def wording_fault(about: str, sources: Sequence[tuple[str, str]], answer: str) -> str:
    """Why a sentence about something does not say what its lines say, "" where it does; the lines
    are day and text."""
    text = answer.strip()
    fault = _text_fault(text, sources)
    if fault:
        return fault
    made = _read(counted_words(text, about, "", answer=True))
    if not made:
        return "says nothing"
    heard = set(_roots(_FREE))
    lines = []
    for day, line in sources:
        heard.add(day)
        heard.update(_read(counted_words(line, about, day)))
        lines.append(_read(counted_words(without_occasion(line), about, day)))
    if not made.keys() <= heard:
        return "says more than the lines"
    return _lack(made, lines)


def _lack(made: _Words, lines: Sequence[_Words]) -> str:
    """What a sentence lacks that its lines say, or has in another order; "" for nothing."""
    said: dict[str, str] = {}
    for line in lines:
        said.update(line)
    left_out = said.keys() - made.keys()
    is_firm = any(said[word] for word in left_out)
    if is_firm or len(left_out) > _MOST_LEFT_OUT * len(said):
        return "leaves out what the lines say"
    for line in lines:
        if not (_in_order(made, line, "name") and _in_order(made, line, "num")):
            return "turns round the names or numbers of a line"
    return ""


def _read(line: Sequence[Counted]) -> _Words:
    """The words of a line that say something, in their order: each with what may not be left out,
    `name`, `num`, `date` or `firm`, else ""."""
    found = {}
    for each in line:
        if each.kind in {"word", "num", "date"}:
            found[_root(each)] = _grade(each)
    return found


def _grade(word: Counted) -> str:
    if word.kind != "word":
        return word.kind
    if word.named and not word.starts:
        return "name"
    is_firm = "§" in word.key or _root(word) in _roots(_FIRM)
    return "firm" * is_firm


def _root(word: Counted) -> str:
    if word.key == "one":
        return "1"
    if word.kind == "word":
        return word_root(word.key)
    return word.key


@cache
def _roots(words: str) -> frozenset[str]:
    return frozenset(map(word_root, words.split()))


def _in_order(made: _Words, line: _Words, kind: str) -> bool:
    """Whether the names or numbers of a line stand in a sentence as they stand there."""
    wanted = [word for word in line if line[word] == kind and word in made]
    return wanted == [word for word in made if word in wanted]


def _text_fault(text: str, sources: Sequence[tuple[str, str]]) -> str:
    """What is wrong with a sentence whatever its words mean, "" for nothing."""
    if not text or "\n" in text or len(text.split()) > MOST_WORDS:
        return "empty, or too long"
    if _has_marks(text, "".join(spelled(line) for _, line in sources)):
        return "holds marks that are not in the lines"
    if find_secret(text):
        return "looks like a secret"
    words = {*re.findall(r"[\w'-]+", text.casefold())}
    has_day = any(day for day, _ in sources)
    if has_day and words & word_list("relative"):
        return "says a day that only its line knows"
    return ""


def _has_marks(text: str, lines: str) -> bool:
    """Whether a text has marks that steer a reader and that its lines do not have."""
    marks = {match[0] for match in _MARKUP.finditer(text)}
    is_item = re.match(r"[-+>•]\s|\d+[.)]\s", text)
    is_html = re.search(r"(?i)<[a-z/!]", text)
    return bool(is_item or is_html or marks - {*lines})
