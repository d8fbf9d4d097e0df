"""How well search answers the questions of evaluation sets.

A set is a folder with `vault/` and `queries*.jsonl`, each line a question with the notes that answer
it.  Every question is put to the public API in each mode, on an index built for it in a temporary
folder; `ignore`d notes are struck, several hits of a note count once at the best, and unanswerable
questions enter no mean.  Intervals are 95 % bootstrap, paired where two modes are compared.
"""

from __future__ import annotations

import datetime
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
import time
import unicodedata
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
import numpy as np

from aurelius.vault import Vault
from indexer.query import SearchQuery

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from indexer.search import Hit

MODES = ("bm25", "keyword", "vector", "hybrid")
"""`bm25` is the yardstick: whole notes in one stemmed FTS5 table, the question's words joined by OR."""
MEASURES = ("R@1", "R@5", "R@10", "MRR@10", "nDCG@10")
GOALS = {
    "locomo-dev/merged": ("R@5", 0.87),
    "longmemeval-evidence-dev/session": ("R@5", 0.83),
    "scifact-dev": ("nDCG@10", 0.74),
    "cpp-docs-dev anchor": ("R@5", 0.70),
    "xquad-dev/zh": ("R@1", 0.85),
    "xquad-dev/es": ("R@1", 0.91),
}
ACROSS = ("xquad-dev/es-to-en", "xquad-dev/zh-to-en")
"""Questions in one language, notes in another: reported only."""
TOLD = ("path", "lines", "heading", "title", "kind", "date", "status", "score", "text", "tokens")
"""What must be equal in an answer of the CLI and of the API."""
SLACK = -0.01
"""What the lower end of the interval of hybrid less the better leg may be."""
ROUNDS = 2000
NOW = datetime.datetime(2026, 2, 10, 12)  # noqa: DTZ001  # a person's days are local days

Question = dict[str, Any]
Row = tuple[str, ...]
Table = tuple[str, list[Row]]


class Set(NamedTuple):
    """A vault and its questions."""

    name: str
    vault: Path
    questions: tuple[Question, ...]


def measure(folder: Path, *, only: str, questions: int, limit: int) -> tuple[list[Table], int]:
    """The tables, and how many answers of the CLI were not those of the API."""
    scores: list[Row] = [("set", "n", "mode", *MEASURES, "95 % nDCG@10", "ms", "goal", "")]
    margins: list[Row] = [("set", "better leg", "hybrid less it, nDCG@10", "95 %", "goal", "")]
    doors: list[Row] = [("set", "asked", "not equal")]
    wrong = 0
    with tempfile.TemporaryDirectory() as place:
        for found in sets(folder, Path(place), only):
            index = Path(place) / "index" / found.name.replace("/", "-").split()[0]
            ranked = {mode: answers(found, index, mode, limit) for mode in MODES}
            judged = {mode: judge(found, paths) for mode, (paths, _) in ranked.items()}
            scores += [score_row(found, mode, judged[mode], statistics.median(ranked[mode][1])) for mode in MODES]
            margins.append(margin_row(found, judged))
            if questions:
                asked, unequal = compare(found, index, questions, limit)
                doors.append((found.name, str(asked), str(unequal)))
                wrong += unequal
            print(*("  ".join(row) for row in (*scores[-len(MODES) :], margins[-1])), sep="\n", file=sys.stderr)
    tables = [
        (f"Notes found among {limit} hits; median ms of a question in a warm process", scores),
        ("Hybrid and the better of its legs", margins),
        ("The CLI beside the API", doors),
    ]
    return tables[: 3 if questions else 2], wrong


def sets(folder: Path, place: Path, only: str) -> Iterator[Set]:
    """The sets below a folder, zipped ones unpacked first."""
    for archive in sorted(folder.glob("*.zip")):
        if not (folder / archive.stem).is_dir():
            zipfile.ZipFile(archive).extractall(place / "sets")
    for root in (folder, place / "sets"):
        for path in sorted(root.glob("**/queries*.jsonl")):
            part = path.stem.removeprefix("queries").replace("-", " ")
            name = path.parent.relative_to(root).as_posix() + part
            vault = path.parent / "vault"
            if only in name and vault.is_dir() and "vault" not in path.parent.relative_to(root).parts:
                lines = path.read_text("utf-8").splitlines()
                yield Set(name, vault, tuple(json.loads(line) for line in lines if line.strip()))


# -- asking --------------------------------------------------------------------------------------------


def answers(of: Set, index: Path, mode: str, limit: int) -> tuple[list[list[str]], list[float]]:
    """The notes each question finds, best first, and the milliseconds it took."""
    ask = yardstick(of) if mode == "bm25" else api(of, index, mode, limit)
    paths, took = [], []
    for question in of.questions:
        began = time.perf_counter()
        found = ask(question)
        took.append((time.perf_counter() - began) * 1000)
        paths.append([path for path in dict.fromkeys(found) if path not in question.get("ignore", ())])
    return paths, took


def opened(of: Set, index: Path) -> Vault:
    """The vault of a set, its index in a folder of our own."""
    return Vault.find(str(of.vault), environment(index), "/", now=NOW)


def environment(index: Path) -> dict[str, str]:
    """An environment that knows nothing of the person."""
    return {"HOME": str(index), "AURELIUS_INDEX": str(index), "PATH": os.environ.get("PATH", "")}


def today(question: Question) -> datetime.datetime:
    """When a question was asked."""
    return datetime.datetime.fromisoformat(question["date"] + "T12:00") if question.get("date") else NOW


def hits(vault: Vault, question: Question, mode: str, limit: int) -> tuple[Hit, ...]:
    """What the API answers."""
    vault.now = today(question)
    return vault.search(SearchQuery(question["query"], mode=mode, limit=limit)).hits


def api(of: Set, index: Path, mode: str, limit: int) -> Callable[[Question], list[str]]:
    """A function from a question to the paths of its hits."""
    vault = opened(of, index)
    vault.refresh()
    return lambda question: [hit.path for hit in hits(vault, question, mode, limit)]


def yardstick(of: Set) -> Callable[[Question], list[str]]:
    """The same from one table of whole notes."""
    db = apsw.Connection(":memory:")
    db.execute("CREATE VIRTUAL TABLE note USING fts5(path UNINDEXED, name, text, tokenize='porter unicode61')")
    for path in sorted(of.vault.rglob("*.md")):
        if not any(part.startswith(".") for part in path.relative_to(of.vault).parts):
            text = path.read_text("utf-8", "replace")
            name = path.stem.replace("-", " ").replace("_", " ")
            db.execute("INSERT INTO note VALUES(?, ?, ?)", (path.relative_to(of.vault).as_posix(), name, text))

    def ask(question: Question) -> list[str]:
        kept = "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in question["query"].lower())
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(kept.split()))
        sql = "SELECT path FROM note WHERE note MATCH ? ORDER BY bm25(note) LIMIT 50"
        return [str(path) for (path,) in db.execute(sql, (match,))] if match else []

    return ask


def compare(of: Set, index: Path, questions: int, limit: int) -> tuple[int, int]:
    """Ask some of the questions through the installed CLI; how many, and how many answers differ from the API's."""
    vault = opened(of, index)
    asked = of.questions[:: max(1, len(of.questions) // questions)][:questions]
    unequal = 0
    for question in asked:
        api = [
            [hit.id or None, *(getattr(hit, name) for name in TOLD)] for hit in hits(vault, question, "hybrid", limit)
        ]
        cli = [[hit["id"], *(hit[name] for name in TOLD)] for hit in through_cli(of, index, question, limit)]
        if json.loads(json.dumps(api)) != cli:
            unequal += 1
            print(f"{of.name} {question['id']}: CLI and API differ", file=sys.stderr)
    return len(asked), unequal


def through_cli(of: Set, index: Path, question: Question, limit: int) -> list[dict[str, Any]]:
    """What `aurelius search --json` answers."""
    script = Path(sys.executable).parent / "aurelius"
    command = [str(script)] if script.exists() else [sys.executable, "-m", "aurelius"]
    command += ["--vault", str(of.vault), "--now", today(question).isoformat(), "search", "--json", "-n", str(limit)]
    done = subprocess.run(
        [*command, "--", question["query"]], env=environment(index), capture_output=True, check=False,
        cwd=Path(__file__).resolve().parent.parent,
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"aurelius search: exit code {done.returncode}\n{done.stderr.decode()}")
    return list(json.loads(done.stdout)["hits"])


# -- judging -------------------------------------------------------------------------------------------


def judge(of: Set, paths: Sequence[list[str]]) -> np.ndarray[Any, Any]:
    """MEASURES of each answerable question, float[questions, measures]."""
    pairs = zip(of.questions, paths, strict=True)
    return np.array([marks(question["relevant"], found) for question, found in pairs if question.get("answerable", 1)])


def marks(relevant: Iterable[str], found: Sequence[str]) -> tuple[float, ...]:
    """The measures of one ranking."""
    wanted = set(relevant)
    ranks = [rank for rank, path in enumerate(found[:10], 1) if path in wanted]
    recall = [sum(rank <= most for rank in ranks) / len(wanted) for most in (1, 5, 10)]
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(wanted), 10) + 1))
    return (*recall, 1 / ranks[0] if ranks else 0.0, sum(1 / math.log2(rank + 1) for rank in ranks) / ideal)


def interval(values: np.ndarray[Any, Any]) -> tuple[float, float]:
    """The 95 % bootstrap interval of a mean."""
    chance = np.random.default_rng(7)
    means = [values[chance.integers(0, len(values), len(values))].mean() for _ in range(ROUNDS)]
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def score_row(of: Set, mode: str, judged: np.ndarray[Any, Any], took: float) -> Row:
    """A set in one mode."""
    means = dict(zip(MEASURES, judged.mean(axis=0), strict=True))
    low, high = interval(judged[:, -1])
    goal = GOALS.get(of.name) if mode == "hybrid" else None
    told_goal = (f"{goal[0]} ≥ {goal[1]:.2f}", "met" if means[goal[0]] >= goal[1] else "not met") if goal else ("", "")
    figures = (f"{means[name]:.3f}" for name in MEASURES)
    return (of.name, str(len(judged)), mode, *figures, f"{low:.3f} to {high:.3f}", f"{took:.1f}", *told_goal)


def margin_row(of: Set, judged: dict[str, np.ndarray[Any, Any]]) -> Row:
    """Hybrid beside the better of its legs."""
    better = max(("keyword", "vector"), key=lambda mode: float(judged[mode][:, -1].mean()))
    difference = judged["hybrid"][:, -1] - judged[better][:, -1]
    low, high = interval(difference)
    goal = ("reported only", "") if of.name in ACROSS else (f"≥ {SLACK}", "met" if low >= SLACK else "not met")
    return (of.name, better, f"{difference.mean():+.3f}", f"{low:+.3f} to {high:+.3f}", *goal)
