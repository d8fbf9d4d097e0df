"""The ways to say a line again: its words, in each order that says the same. Pure."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from .sentence_words import (
    ABOUT,
    COLON,
    ME,
    OTHER,
    SAID_IS,
    SAID_WAS,
    SaidWord,
    ending_of,
    is_listed,
    same_root,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    Row = tuple[SaidWord, ...]

_MOST_WORDS = 40
"""Words of a line that is told in another order too."""
_TOPIC = frozenset(("", "with", "of", "about", "for"))
"""Prepositions behind which a question may name whom a line speaks of."""
_ASKING = ("when", "§who")


class Way(NamedTuple):
    """One way to say a line again: its words in order, and whether it begins with what the line is
    about, or with the person, as who does it."""

    words: Row
    does_it: bool = False


def all_ways(
    row: Row,
    asked: Sequence[SaidWord],
    *,
    is_of_other: bool,
    is_whole: bool,
) -> Iterator[Way]:
    """All ways to say a line again, or what of it stands without its end. What was `asked` may be
    left out, but not where the `whole` is to be told."""
    if not 0 < len(row) <= _MOST_WORDS:
        yield Way(row)
        return
    found: list[Way] = []
    for part in _parts(row, is_whole=is_whole):
        found += _with_subject(part, is_of_other=is_of_other)
        found += map(Way, _passive(part))
    if not is_whole:
        for way in found[:]:
            found += map(Way, _unasked(way.words, asked))
    for way in found:
        for words in (way.words, *_flipped(way.words)):
            for moved in (words, *_moved(words)):
                yield way._replace(words=moved)


def _parts(
    row: Row,
    *,
    is_whole: bool,
) -> Iterator[Row]:
    """A row, and without parts at its end that change nothing of the rest."""
    yield row
    for at in part_ends(row):
        if not (is_whole or any(map(_is_undoing, row[at:]))):
            yield row[:at]


def part_ends(row: Row) -> list[int]:
    """Where parts of a row end at a comma, a full stop or a bracket."""
    return [at for at, each in enumerate(row) if "," in each.joint]


def may_be_done(word: SaidWord) -> bool:
    """Whether a word at the front of a line may be what somebody does."""
    return word.kind == "word" and ending_of(word.key) in {"past", "s", "ing"}


def is_firm(word: SaidWord) -> bool:
    """Whether a word denies, doubts, bounds or says on what something depends."""
    if word.key.startswith("§"):
        return not is_listed(word.key, "plain")
    return is_listed(word.key, "weighty")


def is_time(word: SaidWord) -> bool:
    """Whether a word says when."""
    return word.kind == "date" or is_listed(word.key, "time") or ":" in word.key


def _is_undoing(word: SaidWord) -> bool:
    """Whether a word may change what the words before it say."""
    if is_firm(word) or ending_of(word.key) == "past":
        return True
    return is_listed(word.key, "undoing")


def _with_subject(
    row: Row,
    *,
    is_of_other: bool,
) -> Iterator[Way]:
    """A row, with what its line is about, or the person, as who does it, or whose it is."""
    first = row[0]
    yield Way(row, does_it=may_be_done(first) or first.kind in _WHO)
    if first.key in {ABOUT, OTHER} and not first.owner:
        row = row[1:]
        yield Way(row, does_it=True)
    if not row or first.key == ME:
        return
    about = SaidWord(ABOUT, "about")
    subjects = [about, SaidWord(OTHER, "other")]
    if not is_of_other:
        subjects[1] = SaidWord(ME, "i")
        yield Way((SaidWord("§my"), *row))
    for subject in subjects:
        yield Way((subject, *row), does_it=True)
        at = int(row[0].key == "§not")
        if at or row[0].kind == "num":  # `no children`: she has no children
            words = (subject, *row[:at], SaidWord("have"), *row[at:])
            yield Way(words, does_it=True)
    yield Way((about._replace(owner=True), *row))
    yield Way((*row, about._replace(prep="of")))


_WHO = frozenset(("about", "other", "i", "we", "us"))


def _passive(row: Row) -> Iterator[Row]:
    """`Ann painted the hall` as `the hall was painted by Ann`."""
    at = next((at for at, each in enumerate(row) if may_be_done(each)), 0)
    end = at + 1
    while end < len(row) and _goes_on(row[end]):
        end += 1
    forms = {"past": SAID_WAS, "s": SAID_IS}
    being = forms.get(ending_of(row[at].key))
    if end == at + 1 or not being or any(is_listed(each.key, "no") for each in row):
        return
    said = (
        *row[at + 1 : end],
        row[at]._replace(kind="done", being=being),
    )
    yield said + row[end:]
    doers: list[Row] = [(SaidWord(ABOUT, "about"),), (SaidWord(ME, "i"),)]
    if at:
        doers = [row[:at]]
    for who in doers:
        by = (who[0]._replace(prep="by"), *who[1:])
        yield said + by + row[end:]
        yield said + row[end:] + by


def _goes_on(word: SaidWord) -> bool:
    """Whether a word belongs to the words before it, without a preposition."""
    return not (word.prep or "," in word.joint or is_time(word))


def _unasked(row: Row, asked: Sequence[SaidWord]) -> Iterator[Row]:
    """A row without what was asked in the middle of it, or at both ends."""
    held = [_is_asked(each, asked) for each in row]
    for start in range(len(row)):
        for end in range(start + 1, len(row) + 1):
            inner = row[start:end]
            outer = row[:start] + row[end:]
            if all(held[start:end]) and outer and _is_so_asked(inner, asked):
                yield outer
                if not start:
                    yield (SaidWord(OTHER, "other"), *outer)
            if all(held[:start] + held[end:]) and outer and _is_so_asked(outer, asked):
                yield inner


def _is_asked(word: SaidWord, asked: Sequence[SaidWord]) -> bool:
    preps = {each.prep for each in asked if same_root(word.key, each.key)}
    if not word.prep:
        return not preps.isdisjoint(_TOPIC)
    return word.prep in preps


def _is_so_asked(left: Row, asked: Sequence[SaidWord]) -> bool:
    """Whether what words deny, doubt or bound was asked just so."""
    firm = [each.key for each in asked if is_firm(each) and each.key not in _ASKING]
    return firm == [each.key for each in left if is_firm(each)]


def _flipped(row: Row) -> Iterator[Row]:
    """`Ines is the manager` as `the manager is Ines`, and `eats no meat` as `does not eat meat`."""
    for at, (one, two) in enumerate(pairwise(row[:4])):
        if "§not" in {one.key, two.key} and not (one.joint or two.joint or two.prep):
            yield (*row[:at], two, one, *row[at + 2 :])
    if any(map(is_firm, row)):
        return
    for at, each in enumerate(row):
        if at and each.being in {SAID_IS, COLON, SAID_WAS}:
            front = each._replace(being="", joint="")
            back = row[0]._replace(
                being=each.being,
                joint="?",
            )
            yield (front, *row[at + 1 :], back, *row[1:at])


def _moved(row: Row) -> Iterator[Row]:
    """A row with a phrase of its first part, or with a condition, at the other end; and with its
    last two phrases the other way round."""
    part = min(
        (at for at, each in enumerate(row) if at and each.joint),
        default=len(row),
    )
    heads = [at for at in range(1, part) if _opens(row[at])]
    ends = [*heads, part]
    for one, (two, end) in zip(heads, pairwise(ends[1:]), strict=False):
        yield row[:one] + row[two:end] + row[one:two] + row[end:]
    if _opens(row[0]):
        heads = [*range(1, part)]
    for at in heads:
        yield _loose(row[at:part]) + _loose(row[:at]) + row[part:]
    for at, each in enumerate(row):
        if at and is_listed(each.key, "binding"):
            yield _loose(row[at:]) + _loose(row[:at])


def _opens(word: SaidWord) -> bool:
    """Whether a phrase of time or place begins with a word."""
    return word.prep not in {"", "of"} or is_time(word)


def _loose(row: Row) -> Row:
    """Words of which the first is joined to whatever stands before it."""
    if not row:
        return row
    first = row[0]._replace(joint="?")
    return (first, *row[1:])
