"""What people changed in their own vaults: an item of a list that a later commit replaced by one
with other words.

It is read out of what this writes in a repository of notes:

    git log --reverse -p -U0 --no-merges --no-renames --date=short --format=%x01%ad -- '*.md'
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

ITEM = re.compile(r"\s*[-*+] (?!\[.\])(?!.*(?:https?:|\(\d{4}-|\^\w+$|~~))([^|]{12,200})")
"""An item of a list that is neither a task nor dated, marked or mainly an address."""
_DAY = re.compile(r"\d{4}[-_.]?\d{2}[-_.]?\d{2}")
_LINK = re.compile(r"\[\[[^\]]*\]\]|#\S+")
_WORD = re.compile(r"[^\W_]+")
_STATES = {"todo", "doing", "done", "now", "later"}
LEAST = 3
"""Words beside its links that a line has, and words that two lines share."""
TYPO = 0.6
"""How like each other two runs of words are that only one of them was misspelt."""


class Edited(NamedTuple):
    """Lines that took each other's place, oldest first, each with the day of its commit; what the
    last two share."""

    path: str
    common: str
    lines: tuple[tuple[str, str], ...]


def edits(log: str) -> Iterator[Edited]:
    """The chains of edits of a log, none on the day on which its line was written, none in the note
    of a day."""
    chains: dict[tuple[str, str], Edited] = {}
    for day, path, olds, news in _hunks(log):
        if not path or _DAY.search(Path(path).stem):
            continue
        common = shared(olds[0], news[0]) if len(olds) == len(news) == 1 else ""
        for new in news:
            old = chains.pop((path, olds[0]), None) if common else None
            if old and old.lines[-1][0] < day:
                chains[path, new] = Edited(path, common, (*old.lines, (day, new)))
            else:
                chains.setdefault((path, new), Edited(path, "", ((day, new),)))
    yield from (one for one in chains.values() if one.common)


def _hunks(log: str) -> Iterator[tuple[str, str, list[str], list[str]]]:
    """(day, path, items that went, items that came) of every hunk."""
    day = path = ""
    olds: list[str] = []
    news: list[str] = []
    for row in [*log.split("\n"), "@@"]:
        if row.startswith(("\x01", "@@", "diff ")):
            if olds or news:
                yield day, path, olds, news
            olds, news = [], []
            day = row[1:] if row.startswith("\x01") else day
        elif row.startswith("+++ "):
            path = row[6:].strip() if row.startswith("+++ b/") else ""
        elif row.startswith(("+", "-")) and not row.startswith("--- "):
            item = ITEM.fullmatch(row[1:])
            (news if row[0] == "+" else olds).append(item[1].strip() if item else "")


def shared(old: str, new: str) -> str:
    """The words that two lines share where they differ in one run of other words, "" where they are
    no such pair."""
    one, other = _WORD.findall(old), _WORD.findall(new)
    least = min(len(one), len(other))
    start = next((at for at in range(least) if one[at].lower() != other[at].lower()), least)
    end = next(
        (at for at in range(least - start) if one[-1 - at].lower() != other[-1 - at].lower()),
        least - start,
    )
    gone, come = one[start : len(one) - end], other[start : len(other) - end]
    bare = min(len(_WORD.findall(_LINK.sub(" ", line))) for line in (old, new))
    if not gone or not come or start + end < max(LEAST, len(gone), len(come)) or bare < LEAST:
        return ""
    typo = (
        difflib.SequenceMatcher(None, " ".join(gone).lower(), " ".join(come).lower()).ratio() > TYPO
    )
    return (
        ""
        if typo or _STATES & {one[0].lower(), other[0].lower()}
        else " ".join([*one[:start], *one[start + len(gone) :]])
    )
