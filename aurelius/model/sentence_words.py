"""The words of sentences and lines that count, each with how it stands there. Pure.

A text falls into parts at its punctuation and at `and`, `but`, `who`; words that mean the same are
in `said_alike.json`.
"""

from __future__ import annotations

import json
import pkgutil
import re
from collections import Counter
from functools import cache
from itertools import pairwise, zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.language.same_words import counted_words, word_list, word_root
from indexer.matter.near import in_digits
from indexer.reading.markdown import spelled
from indexer.reading.path_meaning import MONTHS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurelius.language.same_words import Counted

    from .request import SentLine

    Part = tuple[int, int]  # the number of a line, and of a part in it

_AND = re.compile(r"(?i)\b(?:and|but|while|whereas|who|whose|which|whom)\b")
_ORDINAL = re.compile(
    r"(?i)\b(?:(20|30)[ -])?(first|second|third|[a-z]{3,8}th)"
    rf"(?= (?:of |)(?:{'|'.join(MONTHS)})\b)"
)
_PLAIN = (
    (r": ", " "),
    (r"\s[&+]\s", " and "),
    (r"\b(?:my|mine|our|ours)\b", "§my"),
    (r"\b(dr|mr|mrs|ms|prof|st|no)\.", r"\1"),
    (r"(?<=\d)[ \u00a0\u202f](?=\d{3}(?!\d))(?<!\d{4}.)", ""),
    (r"(?<![\d,.])(\d+),(\d{1,2})(?![\d,])", r"\1.\2"),
)
_NO = frozenset(map(word_root, "§not never none nobody nothing nor neither §nolonger".split()))
_GRANTED = frozenset(("§will", "§must", "§my"))
"""What a sentence may say of its own: that it will, or has to."""
ME = "§me"
"""The key of the person whose notes they are."""


class ToldWord(NamedTuple):
    """A word that counts, and how it stands: in which part of which line, behind which preposition,
    whether as an owner (`Joe's`), and whether that part denies."""

    key: str
    kind: str
    part: Part
    prep: str = ""
    owner: bool = False
    denied: bool = False


class ToldLines:
    """Lines, read: their words in order, and what they are about, line by line."""

    def __init__(self, lines: Sequence[SentLine]) -> None:
        self.lines = lines
        self.words: list[ToldWord] = []
        self.about: list[frozenset[str]] = []
        for at, line in enumerate(lines):
            self.words += read_words(line.text, at, line.day)
            about = read_words(line.about)
            self.about.append(frozenset(each.key for each in about))
        self.parts = by_part(self.words)

    def of(self, word: ToldWord) -> list[ToldWord]:
        """The words of the lines that say what a word says."""
        return [each for each in self.words if means(word, each)]

    def is_about(self, word: ToldWord) -> bool:
        """Whether a word names what a line is about."""
        return any(word.key in about for about in self.about)

    def used(self, words: Sequence[ToldWord]) -> list[Part]:
        """The parts that words rest on: as few as can be, those that say most of them first."""
        left: list[set[Part]] = []
        for word in heavy_words(words):
            found = {each.part for each in self.of(word)}
            if found and word.key != ME:
                left.append(found)
        used: list[Part] = []
        while left:
            counts: Counter[Part] = Counter()
            for found in left:
                counts.update(sorted(found))
            best = max(sorted(counts), key=counts.__getitem__)
            used.append(best)
            left = [found for found in left if best not in found]
        return used

    def left_out(
        self,
        row: Sequence[ToldWord],
        words: Sequence[ToldWord],
    ) -> list[ToldWord]:
        """The words of some of the lines that other words do not say."""
        found: list[ToldWord] = []
        for each in heavy_words(row):
            is_said = any(means(word, each) for word in words)
            if not (is_said or self.is_about(each)):
                found.append(each)
        return found


@cache
def like_tables() -> dict[str, Any]:
    """The tables of what means the same."""
    data = pkgutil.get_data(
        "aurelius.model",
        "said_alike.json",
    )
    found: dict[str, Any] = json.loads(data or b"")
    return found


@cache
def alike(root: str) -> frozenset[str]:
    """The roots of what means the same as a word, and its own."""
    return _alike().get(root, frozenset((root,)))


@cache
def _alike() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for row in like_tables()["alike"]:
        roots = roots_of(row.replace("-", ""))
        for root in roots:
            found.setdefault(root, set()).update(roots)
    return {root: frozenset(roots) for root, roots in found.items()}


@cache
def roots_of(words: str) -> frozenset[str]:
    """The roots of some words."""
    return frozenset(map(word_root, words.split()))


@cache
def _free() -> frozenset[str]:
    return roots_of(like_tables()["free"]) | _GRANTED | _NO


def means(said: ToldWord, told: ToldWord) -> bool:
    """Whether a word that is said is in a word that is told."""
    if said.kind == "date":
        return is_day(said.key, told.key)
    return said.key in alike(told.key)


def is_day(said: str, told: str) -> bool:
    """Whether a date that is said is one that is told, or a part of it."""
    parts = zip_longest(
        said.split("-"),
        told.split("-"),
        fillvalue="?",
    )
    return all(one in {"?", other} for one, other in parts)


def heavy_words(words: Iterable[ToldWord]) -> list[ToldWord]:
    """The words that carry weight."""
    return [each for each in words if each.key not in _free()]


def shades(key: str) -> bool:
    """Whether a word stands for a bound, a measure or a doubt."""
    return key.startswith("§") and key not in _free() and key != ME


def by_part(words: Iterable[ToldWord]) -> dict[Part, list[ToldWord]]:
    """Words by the parts that they stand in."""
    found: dict[Part, list[ToldWord]] = {}
    for each in words:
        found.setdefault(each.part, []).append(each)
    return found


def read_words(
    text: str,
    line: int = 0,
    day: str = "",
    *,
    answer: bool = False,
) -> list[ToldWord]:
    """The words of a text that count; dates without a year are of the year of its day."""
    reader = _PartReader(text, line, day)
    for each in counted_words(
        _plain(text),
        "",
        day,
        answer=answer,
    ):
        reader.read(each)
    return reader.found()


class _PartReader:
    """Takes the words of a text one by one."""

    def __init__(
        self,
        text: str,
        line: int,
        day: str,
    ) -> None:
        owners = re.findall(r"(\w+)(?:'s|(?<=s)')(?!\w)", text)
        opening = re.sub(r"\W.*", "", text, flags=re.DOTALL)
        self._owners = {each.casefold() for each in owners}
        self._is_open = opening.casefold() not in word_list("empty")
        self._line = line
        self._year = day[:4]
        self._words: list[ToldWord] = []
        self._joined: set[int] = set()
        self._part = 0
        self._prep = ""

    def read(self, each: Counted) -> None:
        """Take the next word."""
        if each.starts:
            self._part += bool(self._words)
            self._prep = ""
        if each.key == "§joint":
            self._join()
        elif each.kind == "prep":
            self._prep = each.key
        elif each.kind not in {"he", "she", "they"}:
            self._words.append(self._word(each))
            self._prep = ""

    def _join(self) -> None:
        """Begin the part behind an `and`; but `Ann and Ben` do one thing."""
        before = [each for each in self._words if each.part[1] == self._part]
        if len(before) != 1 or self._part in self._joined:
            self._part += 1
            self._joined.add(self._part)
        self._prep = ""

    def _word(self, each: Counted) -> ToldWord:
        kind = each.kind
        key = each.key
        is_first = self._is_open and not (self._words or self._prep)
        if kind in {"i", "we", "us"}:
            key = ME
            kind = "name"
        elif kind == "date" and self._year:
            key = re.sub(r"^\?", self._year, key)
        elif kind == "word":
            key = _key(key)
            if each.named and not is_first:
                kind = "name"
        place = (self._line, self._part)
        return ToldWord(
            key,
            kind,
            place,
            self._prep,
            each.key in self._owners,
        )

    def found(self) -> list[ToldWord]:
        """The words, which know whether their part denies; `no meat and fish` is one part."""
        rows = by_part(self._words)
        lone = {
            part: before
            for before, part in pairwise(rows)
            if len(rows[part]) == 1 and part[1] in self._joined
        }
        words = [each._replace(part=lone.get(each.part, each.part)) for each in self._words]
        denied = {each.part for each in words if each.key in _NO}
        return [each._replace(denied=each.part in denied) for each in words]


def _key(key: str) -> str:
    if key in {"§say", "§because"}:
        return word_root(key[1:])
    if key.startswith("§"):
        return key
    return word_root(key)


def _plain(text: str) -> str:
    """A text with its numbers in digits, and one phrase for all that mean the same."""
    text = in_digits(spelled(text))
    for form, put in _PLAIN:
        text = re.sub(form, put, text, flags=re.IGNORECASE)
    text = _ORDINAL.sub(_in_figures, text)
    text = re.sub(r"(?i)(?<=\d)(?:st|nd|rd|th)\b", "", text)
    for form, put in like_tables()["phrases"]:
        text = re.sub(form, put, text, flags=re.IGNORECASE)
    return _AND.sub(" §joint ", text)


def _in_figures(found: re.Match[str]) -> str:
    """An ordinal before a month in figures."""
    ordinals = like_tables()["ordinals"].split()
    word = found[2].casefold()
    if word not in ordinals:
        return found[0]
    at = ordinals.index(word) + 1
    if at > 20:
        at = 30
    return str(int(found[1] or 0) + at)
