from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
NOTES = {
    "people/joe.md": "# Joe\n\n- Keeps bees on the roof\n",
    "people/ann.md": "# Ann\n\nSails a small boat every summer.\n",
    "areas/health.md": "# Health\n\nSee the doctor once a year. Joe keeps bees.\n",
}
QUESTIONS = [
    {"id": "1", "query": "who keeps bees?", "relevant": ["people/joe.md"], "ignore": ["areas/health.md"]},
    {"id": "2", "query": "physician", "relevant": ["areas/health.md"], "date": "2024-05-01"},
    {"id": "3", "query": "what is the moon?", "relevant": [], "answerable": False},
]


@pytest.fixture
def retrieval(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return importlib.import_module("benches.retrieval")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A folder of sets with one set, zipped."""
    folder = tmp_path / "unpacked" / "tiny"
    for path, text in NOTES.items():
        (folder / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "vault" / path).write_text(text)
    (folder / "queries-some.jsonl").write_text("".join(json.dumps(question) + "\n" for question in QUESTIONS))
    shutil.make_archive(str(tmp_path / "sets" / "tiny"), "zip", folder.parent, "tiny")
    return tmp_path / "sets"


def test_the_measures_of_a_ranking_are_what_their_formulas_give(retrieval: Any) -> None:
    marks = dict(zip(retrieval.MEASURES, retrieval.marks(["a", "b"], ["x", "a", "y", "z", "w", "b"]), strict=True))
    assert (marks["R@1"], marks["R@5"], marks["R@10"], marks["MRR@10"]) == (0, 0.5, 1, 0.5)
    assert marks["nDCG@10"] == pytest.approx((1 / 1.58496 + 1 / 2.80735) / (1 + 1 / 1.58496), rel=1e-4)
    assert retrieval.marks(["a"], []) == (0, 0, 0, 0, 0)
    assert retrieval.marks(["a"], ["a"]) == (1, 1, 1, 1, 1)
    assert retrieval.marks(["a"], [*"bcdefghijk", "a"]) == (0, 0, 0, 0, 0)


def test_an_interval_holds_the_mean(retrieval: Any) -> None:
    values = retrieval.np.array([0.0, 1.0] * 200)
    low, high = retrieval.interval(values)
    assert 0.43 < low < 0.5 < high < 0.57
    assert retrieval.interval(values - values) == (0, 0)


def test_retrieval_scores_a_set_and_asks_the_cli(retrieval: Any, made: Path, tmp_path: Path) -> None:
    found = retrieval.sets(made, tmp_path / "place")
    ((_, scores), (_, margins), (_, doors)), wrong = retrieval.measure(found, tmp_path / "place", cli=3, limit=10)
    rows = {row[2]: row for row in scores[1:]}
    assert list(rows) == ["bm25", "keyword", "vector", "hybrid"]
    assert rows["hybrid"][:4] == ("tiny some", "2", "hybrid", "1.000")
    assert rows["keyword"][3] == "0.500"  # no note says physician
    assert margins[1][1] == "vector"
    assert doors[1] == ("tiny some", "3", "0", "0", "0")
    assert wrong == 0


def test_a_question_is_ranked_as_of_its_own_day_and_the_same_through_every_door(retrieval: Any, tmp_path: Path) -> None:
    vault = tmp_path / "set" / "vault"
    days = ["2022-03-01", "2024-03-01"]
    for day in days:
        (vault / "memory").mkdir(parents=True, exist_ok=True)
        (vault / "memory" / f"{day}.md").write_text(f"# {day}\n\nSaw a walrus, a seal and {day[3]} gulls.\n")
    questions = [{"id": day, "query": "walrus", "relevant": [f"memory/{day}.md"], "date": day} for day in days]
    found = retrieval.Set("days", vault, tuple(questions))
    vault_now = retrieval.opened(found, tmp_path / "index")
    scores = [[hit.score for hit in retrieval.answer(vault_now, each, "hybrid", 5)[0]] for each in questions]
    assert scores[0][-1] != scores[1][-1], "every question was ranked as of one day"
    assert retrieval.compare(found, tmp_path / "index", 2, 5) == ("days", "2", "0", "0", "0")


def test_a_set_is_unpacked_whether_or_not_its_archive_begins_with_its_name(retrieval: Any, made: Path) -> None:
    shutil.make_archive(str(made / "flat"), "zip", made.parent / "unpacked" / "tiny")
    assert [found.name for found in retrieval.sets(made, made.parent / "place")] == ["flat some", "tiny some"]


def test_some_sets_and_some_questions(retrieval: Any, made: Path, tmp_path: Path) -> None:
    assert [found.name for found in retrieval.sets(made, tmp_path / "place", only="tiny")] == ["tiny some"]
    assert list(retrieval.sets(made, tmp_path / "place", only="other")) == []
    (found,) = retrieval.sets(made, tmp_path / "place", sample=2)
    assert [question["id"] for question in found.questions] == ["1", "2"]
    assert retrieval.spread([1, 2, 3, 4, 5], 2) == (1, 3)
    assert retrieval.spread([1, 2], 5) == (1, 2)


@pytest.mark.parametrize(
    ("step", "number"), [("walk", "notes"), ("floor", "cpu"), ("keyword", "chunks"), ("full", "added")]
)
def test_a_step_of_reading(tmp_path: Path, made: Path, step: str, number: str) -> None:
    vault = made.parent / "unpacked" / "tiny" / "vault"
    command = [
        sys.executable,
        str(ROOT / "scripts" / "benches" / "reading.py"),
        step,
        str(vault),
        str(tmp_path / "index"),
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stderr == ""
    found = json.loads(done.stdout)
    assert found[number] > 0
    assert found["peak"] > 1e6
    if number in {"notes", "added"}:
        assert found[number] == len(NOTES)


def test_the_cost_of_uses_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    """The numbers come from `scripts/bench usage`; here only that it counts what it says."""
    monkeypatch.syspath_prepend(ROOT / "scripts")
    bench_usage = importlib.import_module("benches.usage")
    ((title, rows),) = bench_usage.measure(facts=400, events=480, runs=1)
    assert title == "Usage"
    assert len({len(row) for row in rows}) == 1
    assert all(float(row[1]) >= 0 for row in rows[1:])
