"""Cases of a hand that has seen no rule: lines that both hold, and lines that change a fact.

`AURELIUS_CASES=FILE` reads another file of the same form.  `figures` counts; what is gated is what holds today, so that
a later change of a rule which makes it worse is noticed.
"""

from __future__ import annotations

import datetime
import os
import time
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from indexer.catalog.filters import Filters
from indexer.catalog.newer import newer_facts
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.rows.rows import Index
from indexer.search.hit import Hit
from indexer.search.query import SearchQuery
from indexer.search.search import search
from indexer.tokens.embed import load_model

FILE = Path(os.environ.get("AURELIUS_CASES") or Path(__file__).parent / "cases" / "newer.toml")
NOW = datetime.datetime(2027, 1, 1, 12)
MOST_HOLDS_OLDER = 0.02
LEAST_CURRENT_SAME, MOST_STALE_SAME = 0.86, 0.08
"""Of changes in the words of the old line."""
LEAST_CURRENT, LEAST_AS_OF = 0.59, 0.95
"""Of all changes, most of which are told in other words."""


class Figures(NamedTuple):
    """Shares of cases: holds of which a line is called older; of the changes those where the line that holds, and where
    the older one, is the first hit, where it was so the day before, and the first two of those in the same words."""

    holds_older: float
    current: float
    stale: float
    as_of: float
    current_same: float
    stale_same: float


def figures(file: Path, folder: Path) -> Figures:
    """What search makes of the cases of a file; one vault for cases of different notes."""
    told = tomllib.loads(file.read_text("utf-8"))
    older = [
        _is_older(case, _vault([case], folder / f"hold{at}"))
        for at, case in enumerate(told["hold"])
    ]
    batches: dict[int, list[dict[str, Any]]] = defaultdict(list)
    counts: dict[str, int] = defaultdict(int)
    for case in told["change"]:
        batches[counts[case["page"]]].append(case)
        counts[case["page"]] += 1
    rows = []
    for at, batch in batches.items():
        index = _vault(batch, folder / f"change{at}")
        rows += [(case["why"].endswith("same"), _first(case, index)) for case in batch]
        index.close()
    every, same = [row for _, row in rows], [row for alike, row in rows if alike]
    return Figures(
        _share(older),
        *(_share([row[at] for row in every]) for at in range(3)),
        *(_share([row[at] for row in same]) for at in range(2)),
    )


def _is_older(case: dict[str, Any], index: Index) -> bool:
    """Whether one of two lines that both hold is labelled as older, in the note or in search."""
    hits = [hit for text in (case["a"], case["b"]) for hit in _ask(index, text)]
    labelled = bool(newer_facts(index.db, private=True)) or any(hit.newer for hit in hits)
    index.close()
    return labelled


def _first(case: dict[str, Any], index: Index) -> tuple[bool, bool, bool]:
    """Whether the new line, or the old one, is the first hit; and the old one as of the day before."""
    then = (datetime.date.fromisoformat(case["new_date"]) - datetime.timedelta(days=1)).isoformat()
    hits, before = _ask(index, case["question"]), _ask(index, case["question"], then)
    new = bool(hits) and case["new"] in hits[0].text and hits[0].date == case["new_date"]
    old = bool(hits) and case["old"] in hits[0].text and hits[0].date == case["old_date"]
    return new, old and not new, bool(before) and case["old"] in before[0].text


def _ask(index: Index, text: str, as_of: str = "") -> tuple[Hit, ...]:
    return search(
        index, SearchQuery(text, filters=Filters(as_of=as_of or None)), load_model(), NOW
    ).hits


def _share(found: list[bool]) -> float:
    return sum(found) / max(1, len(found))


def _vault(cases: list[dict[str, Any]], folder: Path) -> Index:
    """The index of a vault of these cases: lines under Facts with their day, or in the note of the day."""
    pages: dict[str, list[str]] = {}
    days: dict[str, list[str]] = defaultdict(list)
    for case in cases:
        front = f"---\naliases: {case['aliases']!r}\n---\n" if case.get("aliases") else ""
        lines = pages.setdefault(case["page"], [f"{front}# {case['title']}\n\n## Facts"])
        for each in ("a", "b", "old", "new"):
            if case.get(f"{each}_in", "page") == "day":
                days[case[f"{each}_date"]].append(f"- {case[each]}")
            elif each in case:
                lines.append(f"- {case[each]} ({case[f'{each}_date']})")
    notes = pages | {f"memory/{day}.md": lines for day, lines in days.items()}
    for path, lines in notes.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("\n".join(lines) + "\n", "utf-8")
    made, _ = refresh(Settings(str(folder), ""), now=time.time())
    return made


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Figures:
    return figures(FILE, tmp_path_factory.mktemp("cases"))


def test_lines_that_both_hold_are_not_called_older(found: Figures) -> None:
    assert found.holds_older <= MOST_HOLDS_OLDER


def test_the_newer_line_answers_where_it_is_told_in_the_same_words(found: Figures) -> None:
    assert found.current_same >= LEAST_CURRENT_SAME
    assert found.stale_same <= MOST_STALE_SAME


def test_the_newer_line_mostly_answers_and_the_older_one_the_day_before(found: Figures) -> None:
    assert found.current >= LEAST_CURRENT
    assert found.as_of >= LEAST_AS_OF
