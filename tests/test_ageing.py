"""The ageing benchmark: its history is one and the same for a seed, its halves never meet, and its gates hold.

The figures themselves are printed by `scripts/bench ageing`; here is what must never be worse.
"""

from __future__ import annotations

import importlib
import random
from pathlib import Path
from typing import Any

import pytest

from indexer.reading.parse import parse

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return importlib.import_module


def test_no_phrase_is_in_both_halves(bench: Any) -> None:
    phrases = bench("benches.ageing_phrases")
    for topic in phrases.topics():
        for part in (topic.state, topic.change, topic.alike, topic.ask):
            tuned, reported = (topic.of_half(part, half) for half in ("tuned", "reported"))
            assert not set(tuned) & set(reported)
            assert len(tuned) + len(reported) == len(part)
            assert not (topic.unseen and tuned)
    lines = sum(len(part) for topic in phrases.topics() for part in (topic.state, topic.change, topic.alike))
    assert lines > 500
    assert len(list(phrases.pairs("tuned"))) + len(list(phrases.pairs("reported"))) > 80


def test_a_seed_is_a_history(bench: Any) -> None:
    vault = bench("benches.ageing_vault")
    one = vault.history(7, "reported")
    assert one == vault.history(7, "reported")
    assert one != vault.history(8, "reported")
    for matter in one:
        days = [line.day for line in matter.lines]
        assert days == sorted(set(days))
        assert matter.on(days[-1]) == matter.lines[-1]
        assert matter.on("2020-01-01") is None


def test_marks_say_what_was_superseded(bench: Any, tmp_path: Path) -> None:
    vault = bench("benches.ageing_vault")
    known = [one for one in vault.history(7, "reported") if one.path == "ME.md"]
    facts = {}
    for marks in (True, False):
        text = "\n".join(vault.note(known, "2026-01-10", marks=marks))
        facts[marks] = parse("ME.md", text.encode(), daily_folder="memory").facts
    lines = sum(len(one.lines) + len(one.besides) for one in known)
    assert len(facts[True]) == len(facts[False]) == lines
    past = [fact for fact in facts[True] if fact.status == "superseded"]
    assert len(past) == sum(len(one.lines) - 1 for one in known) > 5
    assert all(fact.superseded_by for fact in past)
    assert not any(fact.status == "superseded" for fact in facts[False])


def test_search_never_puts_a_marked_fact_first(bench: Any, tmp_path: Path) -> None:
    """The share of stale facts at rank 1 is 0 with marks, here of the companies."""
    ageing = bench("benches.ageing")
    matters = [one for one in bench("benches.ageing_vault").history(7, "reported") if one.path.startswith("c")]
    bench("benches.ageing_vault").write(matters, tmp_path / "vault", "2026-01-10", marks=True)
    found = ageing.answers(ageing.questions(matters, "reported", 7, "2026-01-10"), tmp_path, "2026-01-10")
    assert len(found) > 30
    assert not any(one.stale for one in found)
    assert all(one.first for one in found if one.met)
    assert sum(one.current for one in found if one.shares) >= 0.9 * sum(one.shares for one in found)


def test_what_is_accepted_is_struck(bench: Any, tmp_path: Path) -> None:
    (tmp_path / "people").mkdir()
    note = tmp_path / "people/joe.md"
    note.write_text(
        "# Joe\n\n## Facts\n- Lives in Graz (2025-01-02)\n- Moved to Oslo (2025-06-01)\n", "utf-8", newline="\n"
    )
    bench("benches.ageing").accept_all(tmp_path)
    assert "- ~~Lives in Graz~~ (2025-01-02 → 2025-06-01)\n- Moved to Oslo (2025-06-01)" in note.read_text("utf-8")


def test_proposals_are_right_on_phrases_that_no_rule_was_tuned_on(bench: Any) -> None:
    proposals = bench("benches.ageing_proposals")
    found = [one for one in proposals.trials("reported") if random.Random(one.new).random() < 0.5]
    precision, recall, wanted = proposals.rates(found)
    assert wanted > 300
    assert precision >= 0.8
    assert recall >= 0.8
    for label, (same, total) in proposals.told_same("reported").items():
        assert (same >= 0.8 * total) if label == "repeat" else same == 0


def test_summaries_keep_what_is_used(bench: Any) -> None:
    summaries = bench("benches.ageing_summaries")
    for words in (120, 30):
        found = summaries.measure(7, "reported", words)
        assert len(found) >= 12
        assert all(each.longest <= words for each in found)
        assert sum(each.wrong + each.twice for each in found) == 0
        assert sum(each.kept for each in found) > 1.5 * sum(each.first for each in found)
        assert sum(each.covered for each in found) >= 0.98 * sum(each.hot for each in found)
