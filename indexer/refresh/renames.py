"""Renames that another program made: a note that is gone and a new one that says the same, or nearly so.

A pair that is wrong is worse than one that is missed: what several notes say alike, what is too short
to tell notes apart, and what has a rival nearly as like it, makes no pair.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw

LIKE = 0.6
"""The share of the longer note's words that both have to say, in the same order."""

MARGIN = 0.15
"""How much more alike a pair has to be than any other pair with one of its notes."""

SAME_NAME = 0.5
"""What the same file name in another folder counts for, among pairs that are alike."""

FEW, FEWEST = 8, 3
"""Words that a note has to say of its own to be recognised, and where both say exactly the same."""

MOST_ROWS, COMMON = 5000, 50
"""Rows of the neighbours in a folder that are read, and notes that may have words in common to be compared for them."""

Lines = Mapping[str, Sequence[str]]
"""Path → what the note says, a line each, without headings."""

_BULLET = re.compile(r"^(?:[>\s]*(?:[-*+]|\d{1,9}[.)])\s+(?:\[.\]\s+)?)?")
_ID = re.compile(r"\s\^[A-Za-z0-9-]{1,64}$")
_WORD = re.compile(r"\w+")
_HEADER = re.compile(r"\s*(?:#|\*\*[^*]{1,40}:\*\*|\*\*[^*]{1,40}\*\*:|<!--)")
_DAY = re.compile(r"\d{4}[-_. ]?\d{2}[-_. ]?\d{2}")


def pairs(gone: Lines, new: Lines, others: Iterable[str] = ()) -> list[tuple[str, str]]:
    """Which of the notes that are gone is which new one; `others` are lines of the notes that stayed."""
    common = set(map(_plain, others))
    old_says, new_says = ({path: _says(lines, common) for path, lines in each.items()} for each in (gone, new))
    points = {pair: like for pair in _candidates(old_says, new_says) if (like := _likeness(pair, old_says, new_says))}
    best: dict[str, list[float]] = {}
    for (old, now), like in points.items():
        best.setdefault("-" + old, []).append(like)
        best.setdefault("+" + now, []).append(like)
    return sorted(
        (old, now)
        for (old, now), like in points.items()
        if all(sum(like < other + MARGIN for other in best[side]) == 1 for side in ("-" + old, "+" + now))
    )


def _likeness(
    pair: tuple[str, str], old_says: Mapping[str, Sequence[str]], new_says: Mapping[str, Sequence[str]]
) -> float:
    """How like each other two notes are, 0 for too little."""
    old, now = pair
    one, other = old_says[old], new_says[now]
    count = min(sum(len(line.split()) for line in each) for each in (one, other))
    exact = sorted(one) == sorted(other)
    stems = [path.rpartition("/")[2].rpartition(".")[0].casefold() for path in pair]
    same_name = stems[0] == stems[1]
    days = not same_name and all(map(_DAY.fullmatch, stems))
    if count < (FEWEST if exact else FEW) or (days and not exact):
        return 0.0
    first, second = set(_runs(one)), set(_runs(other))
    like = len(first & second) / max(len(first), len(second))
    return like + SAME_NAME * same_name if like >= LIKE else 0.0


def _candidates(old_says: Mapping[str, Sequence[str]], new_says: Mapping[str, Sequence[str]]) -> set[tuple[str, str]]:
    """Pairs that share words which few notes have."""
    holders: dict[str, list[str]] = {}
    for path, lines in old_says.items():
        for run in set(_runs(lines)):
            holders.setdefault(run, []).append(path)
    rare = {run: paths for run, paths in holders.items() if len(paths) <= COMMON}
    return {(old, now) for now, lines in new_says.items() for run in set(_runs(lines)) for old in rare.get(run, ())}


def _says(lines: Iterable[str], common: Collection[str]) -> tuple[str, ...]:
    """What a note says of its own, without marks: neither headings nor lines that other notes have too."""
    plain = (_plain(line) for line in lines if not _HEADER.match(line))
    return tuple(line for line in plain if line and line not in common)


def _plain(line: str) -> str:
    return " ".join(_WORD.findall(_ID.sub("", _BULLET.sub("", line)).casefold()))


def _runs(lines: Iterable[str]) -> Iterator[str]:
    """Every three words that follow each other in a line, or the whole of a shorter one."""
    for line in lines:
        words = line.split()
        for at in range(max(1, len(words) - 2)):
            yield " ".join(words[at : at + 3])


def lines_of(db: apsw.Connection, paths: Collection[str]) -> Lines:
    """What the index knows that notes say."""
    return {path: tuple(_lines(db, path)) for path in paths}


def _lines(db: apsw.Connection, path: str) -> Iterator[str]:
    rows = db.execute(
        "SELECT first, text FROM chunk WHERE note = (SELECT id FROM note WHERE path = ?) ORDER BY ordinal", (path,)
    )
    found = Counter((first + at, line) for first, text in rows for at, line in enumerate(text.split("\n")))
    return (line for _, line in sorted(found))


def neighbours(db: apsw.Connection, paths: Collection[str]) -> Iterator[str]:
    """Lines of the other notes in the same folders: what a template gave them tells no notes apart."""
    for folder in sorted({path.rpartition("/")[0] for path in paths}):
        where, values = "instr(path, '/') = 0", tuple[str, ...]()
        if folder:
            where, values = "path > ? AND path < ?", (folder + "/", folder + "0")  # 0 comes after /
        rows = db.execute(
            f"SELECT path, text FROM chunk JOIN note ON note.id = chunk.note WHERE {where} LIMIT {MOST_ROWS}",  # noqa: S608
            values,
        )
        for path, text in rows:
            if path not in paths and path.rpartition("/")[0] == folder:
                yield from text.split("\n")
