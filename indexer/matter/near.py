"""The facts that a line speaks of, nearest first, and whether it plainly says that one is past."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence

from indexer.note import Fact
from indexer.reading.path_meaning import MONTHS, WEEKDAYS
from indexer.tokens.terms import english_stem

from .cues import read_cues

_ONES = (
    "one two three four five six seven eight nine "
    "ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_SPELT = {word: at for at, word in enumerate(_ONES.split(), 1)}
_DECADES = "twenty thirty forty fifty sixty seventy eighty ninety"
_TENS = {word: at * 10 for at, word in enumerate(_DECADES.split(), 2)}
_MANY = {"hundred": 100, "thousand": 1000}
_NUMBER = re.compile(
    rf"(?i)\b(?:(?P<tens>{'|'.join(_TENS)})(?:[ -](?P<unit>{'|'.join(list(_SPELT)[:9])})(?![a-z]))?"
    rf"|(?P<ones>{'|'.join(_SPELT)}))\b"
    r"(?: (?P<many>hundred|thousand))?"
)
_THOUSAND = re.compile(r"(?i)(?<=\d) thousand\b|(?<=\d)k\b")
_TITLED = 0.3
"""How much more a fact tells of a line that names its page."""
_SAID_OF_MUCH = (
    "client works week month years today good "
    "people thing time wants need gets comes goes "
    "make still now first last new old"
)
_SHORT_MONTHS = (name[:3] for name in MONTHS)
_SAID = (*_SAID_OF_MUCH.split(), *MONTHS, *_SHORT_MONTHS)
_SHARED = frozenset(map(english_stem, _SAID))
"""Stems that are said of too many matters to tell one by."""


def in_digits(text: str) -> str:
    """A text with numbers that are spelt out in digits: `twenty six` as 26, `five hundred` as
    500."""

    def number(found: re.Match[str]) -> str:
        parts = found.groupdict("")
        tens = parts["tens"].casefold()
        ones = parts["unit"] or parts["ones"]
        value = _TENS.get(tens, 0)
        value += _SPELT.get(ones.casefold(), 0)
        value *= _MANY.get(parts["many"].casefold(), 1)
        return str(value)

    text = _NUMBER.sub(number, text)
    return _THOUSAND.sub("000", text)


class Matters:
    """The facts of pages by what they are about, to find those that a line speaks of."""

    def __init__(self, facts: Mapping[str, Sequence[Fact]], titles: Mapping[str, str]) -> None:
        self._facts: list[tuple[str, Fact, frozenset[str]]] = []
        self._common = Counter[str]()
        self._titles: dict[str, frozenset[str]] = {}
        for path, rows in facts.items():
            for fact in rows:
                if fact.status == "active":
                    words = _matter(fact.text)
                    self._common.update(words)
                    self._facts.append((path, fact, words))
        for path, title in titles.items():
            self._titles[path] = _matter(title)

    def near(self, text: str) -> list[tuple[float, str, Fact]]:
        """The facts that share telling words with a line, with how much these tell, the nearest
        first."""
        asked = _matter(text)
        found = []
        for path, fact, words in self._facts:
            title = self._titles.get(path, frozenset())
            shared = asked & words - title  # the name of a page is in what is said of all of it
            if not shared:
                continue
            score = 0.0
            for word in sorted(shared):
                score += self._common[word] ** -0.5
            if asked & title:
                score += _TITLED
            found.append((score, path, fact))
        return sorted(found, key=lambda each: (-each[0], each[1], each[2].first))


def _matter(text: str) -> frozenset[str]:
    """The stems of a line that tell what it is about, with numbers in digits."""
    telling: set[str] = set()
    for word in read_cues(in_digits(text)).content:
        if len(word) > 2 and word not in _SHARED:
            telling.add(word.replace(",", ""))
    return frozenset(telling)


_ENDS = re.compile(
    r"(?i)(?:\bno|\bnot|n't|\bfrom|\binstead of|\brather than|\bkick\w*|\bdropp?\w*|\bleft"
    r"|\bwas)\s+(?:the |an? "
    r"|any )?([\w-]+)(?: ([\w-]+))?"
    r"|([\w-]+) (?:(?:is|are|has|have) )?(?:gone|left|no longer|any ?more|retired|out)\b"
)
_VALUE = re.compile(rf"(?i)\d+(?:[.,]\d+)*|\b(?:{'|'.join((*MONTHS, *WEEKDAYS))})")


def plainly(old: str, new: str) -> bool:
    """True if a line says what of an older one of its matter is past, or gives it another number or
    day."""
    ends: set[str] = set()
    for found in _ENDS.finditer(new):
        for word in found.groups():
            if word:
                ends.add(english_stem(word))
    if not ends.isdisjoint(_matter(old)):
        return True
    values = _values(old)
    new_values = _values(new)
    if not values or not new_values:
        return False
    return not values <= new_values


def _values(text: str) -> set[str]:
    """The numbers and days of a line."""
    found = _VALUE.findall(in_digits(text))
    return {*map(str.casefold, found)}
