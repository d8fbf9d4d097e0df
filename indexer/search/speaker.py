"""How much of a text the people that a question names say: lines with a name and a colon."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from typing import NamedTuple

from indexer.reading.path_meaning import WEEKDAYS, unaccented

from .query import QUESTION_SUBJECTS

_SHARE = 0.5
"""What one of two people says of a conversation."""
_LABEL = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,3}[.)])[ \t]+)?(?:\[[ xX]\][ \t]+)?"
    r"(?:\[[\d:., /TZ-]{4,25}(?:[ap]m)?\][ \t]*"
    r"|\d{1,2}:\d\d(?::\d\d)?(?:[ap]m)?[ \t]+(?:-[ \t]+)?)?"
    r"@?(?:\*\*|__|\[\[)?(?P<name>[^\W\d_][^\n:：*_\[\]()|#<>/\\]{1,40}+)"
    r"(?:\([\d:., /-]{4,20}\))?(?:(?:\*\*|__|\]\])?[ \t]*[:：](?![:/])|[ \t]*[:：](?:\*\*"
    r"|__))(?=[ \t]*\S|\S)",
)
"""The beginning of a line that a person says: `**Ana:** …`, `Ana: …`, `- Ana: …`, `[10:32] Ana
Souza: …`."""
_LABELLED = 96
"""Letters of a line among which its label ends."""
_LABELS = (
    "note notes todo price from to cc bcc subject re date time warning tip owner author attendees"
    " status update answer question example summary decision action name title tags type source"
    " detail details"
)
_NO_NAMES = frozenset(_LABELS.split()) | frozenset(WEEKDAYS)
_NOBLE = "von van de da do dos del di la le al el bin ibn y e"
_PARTICLES = frozenset(_NOBLE.split())
_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_WORD_SPACED = re.compile(r"[a-z\u0370-\u052f\u0590-\u06ff\u0900-\u0dff]")
"""A letter of a script that puts spaces between words."""
_SENTENCE = re.compile(r"(?:^|[.?!:;\n(])\s*$")
"""Before the first word of a sentence."""
_SUBJECT = re.compile(
    rf"(?i)\b(?:{'|'.join(sorted(QUESTION_SUBJECTS))})(?: (?:dr|mr|mrs|ms)\.?)? $"
)
"""Before a person in a question."""


class AskedWord(NamedTuple):
    """A word of a question without accents and ending: whether it stands as a name does, and
    whether it has a capital without need."""

    text: str
    is_named: bool
    is_capital: bool


def said_by(
    text: str,
    question: str,
) -> float:
    """How much of a text the people named in the question say, 0 to 1: 1 from half of its labelled
    lines on."""
    words = _asked_words(question[:1000])
    if question.isascii() and not any(word.is_named for word in words):
        return 0.0
    labels = list(_labels(text))
    if not labels:
        return 0.0
    ends = [start for start, _ in labels[1:]] + [len(text)]
    lengths: dict[str, int] = {}
    for (start, label), end in zip(labels, ends, strict=True):
        lengths[label] = lengths.get(label, 0) + end - start
    spoken = sum(length for label, length in lengths.items() if _names(label, words))
    return min(1.0, spoken / sum(lengths.values()) / _SHARE)


def _labels(text: str) -> Iterator[tuple[int, str]]:
    """Where what is said begins behind each label of a text, and the name in the label."""
    at = 0
    for line in text.split("\n"):
        head = line[:_LABELLED]
        if ":" in head or "：" in head:
            found = _LABEL.match(line)
            if found:
                yield at + found.end(), found["name"]
        at += len(line) + 1


@lru_cache(maxsize=4)
def _asked_words(question: str) -> tuple[AskedWord, ...]:
    found = []
    for match in _WORD.finditer(question):
        word = match[0]
        before = question[: match.start()]
        capital = word[0] != word[0].lower() or word[0].lower() == word[0].upper()
        folded = unaccented(re.sub(r"'s?$", "", word.replace("’", "'")))
        inside = capital and _SENTENCE.search(before) is None
        is_owner = capital and re.search(r"['’]s?$", word) is not None
        is_person = is_owner or _SUBJECT.search(before) is not None
        found.append(
            AskedWord(
                text=folded,
                is_named=is_person or inside,
                is_capital=inside,
            )
        )
    return tuple(found)


def _may_name(
    word: AskedWord,
    parts: Collection[str],
) -> bool:
    return word.is_named and not {word.text, word.text.removesuffix("s")}.isdisjoint(parts)


def _names(
    label: str,
    words: tuple[AskedWord, ...],
) -> bool:
    """Whether a question names the person of a label: by one of its names, and by no other name
    beside that."""
    parts = _parts(label)
    if not parts:
        return False
    if not parts[0].isascii() and not _WORD_SPACED.search(parts[0]):
        return any(parts[0] in word.text for word in words)
    for at, word in enumerate(words):
        beside = (*words[max(at - 1, 0) : at], *words[at + 1 : at + 2])
        is_other = len(parts) > 1 and any(_is_other(each, parts) for each in beside)
        if _may_name(word, parts) and not is_other:
            return True
    return False


def _parts(label: str) -> list[str]:
    """The names of the person of a label, none where it is not a person's."""
    parts = [unaccented(part.strip(".,'")) for part in label.split()]
    if len(parts) > 4 or not _NO_NAMES.isdisjoint(parts):
        return []
    if len(parts) == 1:
        return [part for part in parts if len(part) > 1]
    lower = [part for part in label.split() if part[0].islower() and part not in _PARTICLES]
    if lower:
        return []
    return parts


def _is_other(
    word: AskedWord,
    parts: list[str],
) -> bool:
    """Whether a word beside one of a person's names is a name that is none of that person's."""
    is_name = word.is_capital and word.is_named
    return is_name and word.text.removesuffix("s") not in parts
