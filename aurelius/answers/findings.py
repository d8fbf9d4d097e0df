"""What a check of a vault finds: the codes of findings, which are stable, and which findings are
shown.

`FINDING_HEADINGS` has all codes, those first that are told first.
"""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from indexer.spelling import group_pairs

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

FINDING_HEADINGS = {
    "index-memory": "the index is kept in memory only",
    "index-place": "the index is in a synced folder, or in the vault",
    "index-behind": "notes that differ from the index",
    "no-notes": "every note is left out by ignore rules",
    "daily-ignored": "daily notes are left out by ignore rules",
    "model": "the embedding model cannot be loaded",
    "unreadable": "notes that cannot be read",
    "ignore-rules": "ignore files that cannot be used",
    "not-indexed": "files that look like notes and are not indexed",
    "binary": "files that end in .md and are not text",
    "encoding": "notes that are not UTF-8",
    "nul": "notes with NUL bytes",
    "size": "notes that are too large to be read as a whole",
    "structure": "notes with lists or quotes nested too deeply",
    "front-matter": "front matter that cannot be read",
    "comment": "comments that nothing closes",
    "conflict": "merge conflicts that are not resolved",
    "conflict-copy": "copies that a sync tool made",
    "merge-union": "notes that git merges by keeping every line",
    "merge-driver": "notes that git merges as text",
    "case-clash": "paths that differ only in case or accents",
    "torn-log": "usage logs with lines that cannot be read",
    "large-log": "usage logs that are too large",
    "log-ahead": "uses dated in the future",
    "log-link": "usage logs that are symbolic links",
    "duplicate-id": "ids that two facts have",
    "dangling-id": "references to ids that no fact has",
    "tail-word": "unknown words after the date of a fact",
    "history-line": "lines under History that count as true",
    "cycle": "facts that supersede each other in a circle",
    "stale-summary": "summaries that quote what was replaced",
    "ambiguous-name": "names that several notes have",
    "ambiguous-link": "links with a name that several notes have",
    "renamed": "links to notes that were renamed",
    "broken-link": "links to notes that do not exist",
    "broken-heading": "links to headings that do not exist",
    "broken-block": "links to ids that do not exist",
    "broken-attachment": "links to files that do not exist",
    "site-link": "links to pages of a website",
    "unwritten": "notes that are linked to and do not exist yet",
}
"""What each code means, in plain words."""

HABITS = frozenset(("unwritten",))
"""Codes of what many people do on purpose: counted, listed only where they are asked for, and no
fault."""

MOST_FINDINGS = 40
"""How many findings are shown unless another number is asked for, and at most."""
_MOST_FINDING_LETTERS = 11_000
"""Characters that they may take then, so that an agent can read the whole answer."""


class Finding(NamedTuple):
    """One thing that is wrong: where (`line` 0 = the whole file; `path` "" = the vault), a stable
    code, what it is, and what to do.
    """

    path: str
    line: int
    code: str
    message: str
    fix: str


class CheckResult(NamedTuple):
    """One thing that was looked at, whether or not it is wrong, and what was found there."""

    what: str
    found: str


class Checkup(NamedTuple):
    """What a check found: how many of each code that was asked for, those that are shown by code,
    how many more would be shown without a limit, what was looked at, and how many findings of any
    kind there are.
    """

    counts: dict[str, int]
    findings: tuple[Finding, ...]
    truncated: int
    checked: tuple[CheckResult, ...] = ()
    total: int = 0

    @property
    def faults(self) -> int:
        """How many of those that were asked for are faults."""
        return sum(count for code, count in self.counts.items() if code not in HABITS)


def select(
    found: Sequence[Finding], kinds: Collection[str] = (), limit: int | None = None
) -> Checkup:
    """The findings to show: of these kinds, or of all but habits; some of each kind before many of
    one.

    `limit` is how many, 0 for all; without one they are few enough to be read at once.
    """
    groups = {code: list[Finding]() for code in FINDING_HEADINGS} | group_pairs(
        (each.code, each) for each in found
    )
    asked = {
        code: group
        for code, group in groups.items()
        if (code in kinds if kinds else code not in HABITS)
    }
    every = list(chain.from_iterable(asked.values()))
    chosen = _fair(list(asked.values()), len(every) if limit == 0 else limit)
    shown = tuple(each for each in every if each in chosen)
    counted = asked if kinds else groups
    counts = {code: len(group) for code, group in counted.items() if group}
    return Checkup(counts, shown, len(every) - len(shown), total=len(found))


def _fair(groups: Sequence[Sequence[Finding]], limit: int | None) -> set[Finding]:
    """The first of each group, then the second of each and so on, while there is room."""
    chosen: set[Finding] = set()
    room = _MOST_FINDING_LETTERS
    for place in range(max(map(len, groups), default=0)):
        for each in (group[place] for group in groups if place < len(group)):
            if len(chosen) >= (MOST_FINDINGS if limit is None else limit):
                return chosen
            if limit is not None or _length(each) <= room:
                chosen.add(each)
                room -= _length(each)
    return chosen


def _length(each: Finding) -> int:
    """About what a finding takes in JSON."""
    return len(each.path) + len(each.message) + len(each.fix) + 70
