"""Words of a line that count, each in the form that stands for all that mean the same.

Links are spelled, dates one word, fillers gone; the tables of what means the same are in
`same_words.json`.
"""

from __future__ import annotations

import json
import pkgutil
import re
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.reading.markdown import spelled
from indexer.tokens.terms import english_stem

from .dated_text import dated

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

_BREAK = frozenset(",;:.!?()–—")
_DETERMINERS = frozenset(("a", "an", "the"))
_OWNERS = frozenset(("his", "her", "its", "their"))
_OTHERS = {"he": "he", "him": "he", "she": "she", "hers": "she", "they": "they", "them": "they"}
_FIRST = {
    "i": "i",
    "me": "i",
    "my": "i",
    "mine": "i",
    "myself": "i",
    "we": "we",
    "us": "us",
    "our": "us",
    "ours": "us",
}


@cache
def _tables() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(
        pkgutil.get_data("aurelius.language", "same_words.json") or b"{}"
    )
    return found


@cache
def word_list(name: str) -> frozenset[str]:
    """One of the lists of words."""
    return frozenset(_tables()["lists"][name].split())


@cache
def _pattern(name: str) -> re.Pattern[str]:
    return re.compile(
        _tables()["patterns"][name], 0 if name in {"token", "reason"} else re.IGNORECASE
    )


@cache
def _phrases() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Phrases that mean the same, each with the one that stands for it."""
    return tuple((re.compile(form, re.IGNORECASE), put) for form, put in _tables()["phrases"])


@cache
def _words() -> dict[str, str]:
    """Words that mean the same, each with the one that stands for it."""
    found: dict[str, str] = {}
    for row in _tables()["same"]:
        word, *aliases = row.split()
        for alias in aliases:
            found[alias] = word
    return found


@cache
def _roots() -> dict[str, str]:
    """What is made from a word, or means the same → its root."""
    of: dict[str, str] = {}
    for row in (*_tables()["verbs"], *_tables()["roots"]):
        base, *others = map(_base, row.split())
        to = of.get(base, base)
        for each in others:
            of[each] = to
    return {each: of.get(to, to) for each, to in of.items()}


@cache
def past_forms() -> frozenset[str]:
    """The past of the verbs that do not make it with `ed`."""
    found: set[str] = set()
    for row in _tables()["verbs"]:
        base, *forms = row.split()
        found |= {*forms} - {base}
    return frozenset(found)


def _base(word: str) -> str:
    """A stem with one letter where grammar doubles it: `planned`, `stopping`."""
    return re.sub(r"([^lsz])\1$", r"\1", english_stem(word))


@cache
def word_root(word: str) -> str:
    """What a word has in common with its forms, with what is made from it and with what means the
    same."""
    made = _base(word)
    return _roots().get(made, made)


class Counted(NamedTuple):
    """A word that counts: what it is (word, num, date, prep, about, i, we, us, he, she, they), its
    key, and how it stands there."""

    kind: str
    key: str
    starts: bool = False  # behind a comma or at the beginning
    named: bool = False  # written as names are


_LEAST_SHARE_OF_WORDS = 0.75
"""The share of the words of a line that a sentence has to hold to be taken for its wording."""


def counted_words(text: str, about: str, day: str, *, answer: bool = False) -> list[Counted]:
    """The words of a line that count."""
    text = _plainly_worded(text, day, answer=answer)
    raw = [found[0] for found in _pattern("token").finditer(text)]
    line = _LineReader(raw, about)
    for at in range(len(line.raw)):
        line.read(at)
    return _units(line.toks)


def _plainly_worded(text: str, day: str, *, answer: bool) -> str:
    """A line with its links spelled, its days as dates, and one phrase for all that mean the
    same."""
    text = spelled(text)
    with suppress(ValueError, OverflowError):  # a day that the calendar lacks, or at its end
        text = dated(text, day)
    if not answer:
        text = _pattern("label").sub("", _pattern("filler").sub("", text))
    for form, put in _phrases():
        text = form.sub(put, text)
    return _pattern("reason").sub(r"§because \1, ", text)


def _without_s(word: str) -> str:
    """A word in small letters, without `'s`."""
    return re.sub(r"'s?$", "", word.casefold())


class _LineReader:
    """Takes the words of a line one by one; what does not count says something of the next that
    does."""

    def __init__(self, raw: Sequence[str], about: str) -> None:
        folded = about.casefold()
        words = re.findall(r"[^\W_]+(?:-[^\W_]+)*", folded)
        self.raw = raw
        self.low = list(map(_without_s, raw))
        self.own = [word for word in words if word not in _DETERMINERS]
        self.names = frozenset[str]()
        if folded != "me":
            self.names = frozenset(self.own) - word_list("titles")
        self.toks: list[Counted] = []
        self.starts = True

    def read(self, at: int) -> None:
        """Take the word at this place."""
        low = self.low[at]
        if low in _BREAK:
            self.starts = True
        elif low in _OWNERS or low in word_list("empty"):
            return
        elif low and low not in "'\"“”„«»":
            self._count(at)

    def _count(self, at: int) -> None:
        """Take a word that counts."""
        if self._is_of_subject(at):
            self._name_subject(at)
        else:
            self._add(*_tok(self.low[at]))
        is_named = self.raw[at][:1].isupper()
        self.toks[-1] = self.toks[-1]._replace(named=is_named)
        self.starts = False

    def _add(self, kind: str, key: str) -> None:
        self.toks.append(Counted(kind, key, self.starts))

    def _follows(self, at: int) -> str:
        """The word behind a place."""
        return next((each for each in self.low[at + 1 :] if each != "."), "")

    def _is_of_subject(self, at: int) -> bool:
        """Whether a word is of the note's name; a title is where it stands beside that."""
        low = self.low[at]
        if low in self.names:
            return True
        if low not in self.own or low not in word_list("titles"):
            return False
        return self._follows(at) in self.names or self._is_behind_subject()

    def _is_behind_subject(self) -> bool:
        """Whether the word before names the note's subject, in the same part of the line."""
        return bool(self.toks) and self.toks[-1].kind == "about" and not self.starts

    def _name_subject(self, at: int) -> None:
        """Take a word of the note's name: all in a row are one, and in the name of somebody else
        it is a word as others are."""
        if not (self._is_behind_subject() or _other_name(self.raw, at, self.own)):
            self._add("about", "")
        elif not self.toks or self.toks[-1].kind != "about":
            self._add("word", self.low[at])


def _tok(low: str) -> tuple[str, str]:
    """The kind of a word, and its key."""
    pronoun = _FIRST.get(low) or _OTHERS.get(low)
    if pronoun:
        return pronoun, ""
    if low.startswith("§d"):
        return "date", low[2:]
    if low[0].isdigit():
        if low in _words():
            return "word", _words()[low]
        return "num", low.replace(",", "")
    if low in word_list("preps"):
        return "prep", low
    joined = low.replace("-", "").replace("'", "")
    word = _words().get(joined, joined)
    if word.isdigit():
        return "num", word
    return "word", word


def _other_name(raw: Sequence[str], at: int, own: Collection[str]) -> bool:
    """Whether a word of the note's name stands in the name of somebody else."""

    def foreign(word: str, *, first: bool) -> bool:
        return (
            word[:1].isupper()
            and not word[1:].isupper()
            and not first
            and _without_s(word) not in own
            and _without_s(word) not in word_list("titles") | word_list("times") | _FIRST.keys()
        )

    opens = at < 2 or raw[at - 2] in _BREAK
    before = at > 0 and foreign(raw[at - 1], first=opens)
    return before or (
        at + 1 < len(raw) and "'" not in raw[at][-2:] and foreign(raw[at + 1], first=False)
    )


def _units(toks: Sequence[Counted]) -> list[Counted]:
    """The words with each unit behind its number."""
    found: list[Counted] = []
    for each in toks:
        if _is_unit_of(found, each):
            unit = found.pop()
            found.append(each._replace(starts=each.starts or unit.starts))
            found.append(unit._replace(starts=False))
        else:
            found.append(each)
    return found


def _is_unit_of(before: Sequence[Counted], each: Counted) -> bool:
    """Whether the last of the words before a number is its unit."""
    if each.kind != "num" or not before or before[-1].key not in {"§eur", "§gbp", "§usd", "chf"}:
        return False
    return len(before) < 2 or before[-2].kind != "num" or before[-1].starts


def without_occasion(text: str) -> str:
    """A line without the occasion on which it was noted, if it begins with one."""
    occasion = _pattern("occasion").match(text)
    if occasion:
        return text[occasion.end() :]
    return text


def words_it(sentence: str, line: str) -> bool:
    """Whether a sentence says a line in other words, as far as the words that count tell."""
    said = keys(line)
    return bool(said) and len(said & keys(sentence)) >= _LEAST_SHARE_OF_WORDS * len(said)


def keys(text: str) -> set[str]:
    """The words of a text that say something, without their order."""
    return {
        word_root(each.key)
        for each in counted_words(text, "", "")
        if each.kind in {"word", "num", "date"}
    }
