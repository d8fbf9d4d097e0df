"""Summaries over two years: the made-up history is one and the same for a seed, and the gates hold.

The figures themselves are printed by `scripts/bench ageing --summaries`; here is what must never be worse.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from indexer.reading.parse import parse

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return importlib.import_module


def test_a_seed_is_a_history(bench: Any) -> None:
    vault = bench("benches.ageing_history")
    one = vault.history(7)
    assert one == vault.history(7)
    assert one != vault.history(8)
    for matter in one:
        days = [line.day for line in matter.lines]
        assert days == sorted(set(days))
        assert matter.on(days[-1]) == matter.lines[-1]
        assert matter.on("2020-01-01") is None


def test_marks_say_what_was_superseded(bench: Any) -> None:
    vault = bench("benches.ageing_history")
    known = [one for one in vault.history(7) if one.path == "ME.md"]
    text = "\n".join(vault.note(known, "2026-01-10"))
    facts = parse("ME.md", text.encode(), daily_folder="memory").facts
    assert len(facts) == sum(len(one.lines) + len(one.besides) for one in known)
    past = [fact for fact in facts if fact.status == "superseded"]
    assert len(past) == sum(len(one.lines) - 1 for one in known) > 5
    assert all(fact.superseded_by for fact in past)


def test_summaries_keep_what_is_used(bench: Any) -> None:
    summaries = bench("benches.ageing_summaries")
    for words in (120, 30):
        found = summaries.measure(7, words)
        assert len(found) >= 12
        assert all(each.longest <= words for each in found)
        assert sum(each.wrong + each.twice for each in found) == 0
        assert sum(each.kept for each in found) > 1.5 * sum(each.newest for each in found)
        assert sum(each.kept for each in found) > sum(each.used for each in found)
        assert sum(each.covered for each in found) >= 0.98 * sum(each.hot for each in found)
