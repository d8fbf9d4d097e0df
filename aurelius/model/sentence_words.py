"""The words of sentences and lines that count, each with how it stands there. Pure.

Which of them say the same is in `said_alike.json`; the list is short, and holds both ways.
"""

from __future__ import annotations

import json
import pkgutil
import re
from functools import cache
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.language.same_words import counted_words, past_forms, word_root
from indexer.matter.near import in_digits
from indexer.reading.markdown import spelled
from indexer.reading.path_meaning import MONTHS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from aurelius.language.same_words import Counted

    from .request import SentLine

ME = "§me"
ABOUT = "§about"
OTHER = "§other"
"""The keys of the person whose notes they are, of what a line is about, and of `he`, `she`."""
SAID_IS = "§is"
SAID_WAS = "§was"
COLON = "§colon"
_IN = re.compile(r" ?\b(?:in|on)$")
"""Prepositions of a day that say nothing else of it."""
_JOINTS = {
    ",": {",", "", ",and", "and"},
    "": {"", ","},
    "and": {"and", ",and"},
    ",and": {",", "and", ",and"},
}
"""What joins two words in a line → what may join them in a sentence."""
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
).split()
_ORDINAL = re.compile(
    rf"(?i)\b(?:(20|30)[ -])?({'|'.join(_ORDINALS)}|thirtieth)(?= (?:of )?(?:{'|'.join(MONTHS)})\b)"
)

_MONTH = re.compile(rf"\b(?:{'|'.join({*MONTHS} - {'march', 'may'})})\b")


class SaidWord(NamedTuple):
    """A word that counts: its kind, and what stands before it: a preposition, what joins it to the
    word before (`,`, `and`), a form of `be`; and whether it stands as an owner (`Joe's`)."""

    key: str
    kind: str = "word"
    prep: str = ""
    joint: str = ""
    being: str = ""
    owner: bool = False


@cache
def _tables() -> dict[str, Any]:
    data = pkgutil.get_data("aurelius.model", "said_alike.json")
    found: dict[str, Any] = json.loads(data or b"")
    return found


@cache
def _list(name: str) -> frozenset[str]:
    return frozenset(map(word_root, _tables()["lists"][name].split()))


def is_listed(word: str, name: str) -> bool:
    """Whether a word, or a form of it, stands in one of the lists of words."""
    return word_root(word) in _list(name)


@cache
def _alike() -> dict[str, str]:
    """The roots of words that say the same → the one that stands for them."""
    found: dict[str, str] = {}
    for row in _tables()["alike"]:
        first, *others = map(word_root, row.split())
        found |= dict.fromkeys(others, first)
    return found


@cache
def _phrases() -> tuple[tuple[re.Pattern[str], str], ...]:
    perfect = rf"\b(?:has|have) (?=(?:\w+ed|{'|'.join(past_forms())})\b)"
    rows = [*_tables()["phrases"], (perfect, "")]
    return tuple((re.compile(form, re.IGNORECASE), put) for form, put in rows)


def read_words(text: str, line: SentLine, *, answer: bool = False) -> list[SaidWord]:
    """The words of a text that count; its names are read as those that the line is about."""
    owners = {each.casefold() for each in re.findall(r"(\w+)(?:'s|(?<=s)')(?!\w)", text)}
    names = {*re.findall(r"\w+", line.about.casefold())}
    found: list[SaidWord] = []
    is_named = False
    word = SaidWord("")
    for each in counted_words(_plain(text), line.about, line.day, answer=answer):
        if each.starts and found:
            found += _lone(word)
            word = word._replace(prep="", joint=word.joint or ",")
        if each.key == "§joint":
            word = word._replace(joint=f"{word.joint}and" * bool(found))
        elif each.kind == "prep":
            word = word._replace(prep=f"{word.prep} {each.key}".strip())
        elif each.key == COLON:
            word = SaidWord("", being=COLON)
        elif each.key in {SAID_IS, SAID_WAS, "§did"}:
            word = word._replace(being=each.key)
        else:
            is_named |= each.named and bool(found) and each.kind == "word"
            word = _counted(each, word, owners)
            if word.key == ABOUT:
                word = word._replace(owner=not names.isdisjoint(owners))
            if word.joint and not (is_named or word.prep or word.owner) and _is_again(word, found):
                word = SaidWord("", joint=word.joint, being=word.being)
                continue
            found.append(word)
            word = SaidWord("")
            if found[-1].prep == "of" and _is_measured(found[:-1]):
                found[-1] = found[-1]._replace(prep="")
    return found + _lone(word)


def _lone(word: SaidWord) -> list[SaidWord]:
    """A preposition behind which nothing stands that counts."""
    return [SaidWord(word.prep, "prep")] * bool(word.prep)


def _counted(each: Counted, word: SaidWord, owners: Collection[str]) -> SaidWord:
    """A word, with what stood before it."""
    kind = each.kind
    key = each.key
    if kind in {"i", "we", "us"}:
        key = ME
    elif kind in {"he", "she", "they"}:
        key = OTHER
    elif kind == "about":
        key = ABOUT
    return word._replace(kind=kind, key=key, owner=key in owners)


def _is_again(word: SaidWord, before: Sequence[SaidWord]) -> bool:
    """Whether a word names again whom a text speaks of from its beginning."""
    return {word.key, before[0].key} <= {ABOUT, OTHER}


def _is_measured(before: Sequence[SaidWord]) -> bool:
    """Whether an amount stands before a word: `350 grams of water`."""
    return len(before) > 1 and before[-2].kind == "num" and is_listed(before[-1].key, "units")


def _plain(text: str) -> str:
    """A text with its numbers in digits, and one phrase for all that say the same."""
    text = in_digits(spelled(text).replace("’", "'"))
    text = _MONTH.sub(lambda found: found[0].title(), _ORDINAL.sub(_in_figures, text))
    for form, put in _phrases():
        text = form.sub(put, text)
    return text


def _in_figures(found: re.Match[str]) -> str:
    """An ordinal before a month in figures."""
    word = found[2].casefold()
    at = 30
    if word in _ORDINALS:
        at = _ORDINALS.index(word) + 1
    return str(int(found[1] or 0) + at)


def ending_of(word: str) -> str:
    """How a word ends, as far as that changes what it says."""
    if word.endswith("ed") or word in past_forms():
        return "past"
    if word.endswith("s") and not word.endswith("ss"):
        return "s"
    return next((end for end in ("ing", "ation") if word.endswith(end)), "")


def same_root(said: str, told: str) -> bool:
    """Whether two words are one, or say the same, whatever their forms."""
    if said.startswith("§") or told.startswith("§"):
        return said == told
    one = word_root(said)
    other = word_root(told)
    return _alike().get(one, one) == _alike().get(other, other)


def is_day(said: str, told: str) -> bool:
    """Whether a date that is said is one that is told, or a part of it."""
    parts = zip_longest(said.split("-"), told.split("-"), fillvalue="?")
    return all(one in {"?", other} for one, other in parts)


def stands_alike(said: SaidWord, told: SaidWord) -> bool:
    """Whether a word stands in a sentence as one does in a line."""
    if "?" not in said.joint + told.joint and said.joint not in _JOINTS[told.joint]:
        return False
    if said.owner != told.owner:
        return False
    if said.kind == told.kind == "num" and ":" in said.key:
        return {said.prep, told.prep} == {"", "at"} or said.prep == told.prep
    if said.kind == told.kind == "date":
        return _IN.sub("", said.prep) == _IN.sub("", told.prep)
    return said.prep == told.prep
