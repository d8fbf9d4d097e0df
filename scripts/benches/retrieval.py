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
import time
import unicodedata
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw
import numpy as np

from aurelius.vault import Vault
from indexer.search.query import SearchQuery

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from indexer.search.search import Hit

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
TOLD = ("path", "lines", "kind", "date")
"""What must be equal in an answer of the CLI and of the API."""
CUT = "the answer is partial"
"""What search says when its time limit, which goes by the clock, cut an answer short: such answers vary."""
SLACK = -0.01
"""What the lower end of the interval of hybrid less the better leg may be."""
ROUNDS = 2000
NOW = datetime.datetime(2026, 2, 10, 12)  # noqa: DTZ001  # a person's days are local days

Question = dict[str, Any]
Row = tuple[str, ...]
Table = tuple[str, list[Row]]
Ask = Callable[[Question], tuple[list[str], bool]]


class Cost(NamedTuple):
    """What an answer took: milliseconds, and whether search's own time limit cut it short."""

    ms: float
    cut: bool


class Set(NamedTuple):
    """A vault and its questions."""

    name: str
    vault: Path
    questions: tuple[Question, ...]


def measure(found: Iterable[Set], place: Path, *, cli: int, limit: int) -> tuple[list[Table], int]:
    """The tables of these sets, and how many answers of the CLI were not those of the API; indexes go to `place`."""
    scores: list[Row] = [("set", "n", "mode", *MEASURES, "95 % nDCG@10", "ms", "cut", "goal", "")]
    margins: list[Row] = [("set", "best other", "hybrid less it, nDCG@10", "95 %", "goal", "")]
    doors: list[Row] = [("set", "asked", "cut short", "not equal, cold", "by a daemon")]
    for each in found:
        index = place / "index" / each.name.replace("/", "-").split()[0]
        ranked = {mode: answers(each, index, mode, limit) for mode in MODES}
        judged = {mode: judge(each, paths) for mode, (paths, _) in ranked.items()}
        scores += [score_row(each, mode, judged[mode], ranked[mode][1]) for mode in MODES]
        margins.append(margin_row(each, judged))
        if cli:
            doors.append(compare(each, index, cli, limit))
        print(*("  ".join(row) for row in (*scores[-len(MODES) :], margins[-1])), sep="\n", file=sys.stderr)
    tables = [
        (f"Notes found among {limit} hits; median ms of a question in a warm process, answers cut short", scores),
        ("Hybrid beside the best of the others", margins),
        ("The CLI beside the API", doors),
    ]
    return tables[: 3 if cli else 2], sum(int(row[-2]) + int(row[-1]) for row in doors[1:])


def sets(folder: Path, place: Path, *, only: str = "", sample: int = 0) -> Iterator[Set]:
    """The sets below a folder whose name holds `only`, at most `sample` questions of each; zips go to `place` first."""
    for archive in sorted(folder.glob("*.zip")):
        if not (folder / archive.stem).is_dir():
            unpack(archive, place / "sets")
    for root in (folder, place / "sets"):
        for path in sorted(root.glob("**/queries*.jsonl")):
            inner = path.parent.relative_to(root).as_posix()
            name = (root.name if inner == "." else inner) + path.stem.removeprefix("queries").replace("-", " ")
            vault = path.parent / "vault"
            if only in name and vault.is_dir():
                questions = [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]
                yield Set(name, vault, spread(questions, sample or len(questions)))


def unpack(archive: Path, place: Path) -> None:
    """Unpack a set to a folder of its name, whether the archive begins with that folder or not."""
    with zipfile.ZipFile(archive) as opened:
        named = all(name.startswith(archive.stem + "/") for name in opened.namelist())
        opened.extractall(place if named else place / archive.stem)


def spread(questions: Sequence[Question], most: int) -> tuple[Question, ...]:
    """At most so many of the questions, from the whole range."""
    count = min(most, len(questions))
    return tuple(questions[at * len(questions) // count] for at in range(count))


# -- asking --------------------------------------------------------------------------------------------


def answers(of: Set, index: Path, mode: str, limit: int) -> tuple[list[list[str]], list[Cost]]:
    """The notes each question finds, best first, and what that took."""
    ask = yardstick(of) if mode == "bm25" else api(of, index, mode, limit)
    paths, costs = [], []
    for question in of.questions:
        began = time.perf_counter()
        found, cut = ask(question)
        costs.append(Cost((time.perf_counter() - began) * 1000, cut))
        paths.append([path for path in dict.fromkeys(found) if path not in question.get("ignore", ())])
    return paths, costs


def opened(of: Set, index: Path) -> Vault:
    """The vault of a set, its index in a folder of our own."""
    return Vault.find(str(of.vault), environment(index), "/", now=NOW)


def environment(index: Path) -> dict[str, str]:
    """An environment that knows nothing of the person."""
    return {"HOME": str(index), "AURELIUS_INDEX": str(index), "PATH": os.environ.get("PATH", "")}


def today(question: Question) -> datetime.datetime:
    """When a question was asked."""
    return datetime.datetime.fromisoformat(question["date"] + "T12:00") if question.get("date") else NOW


def answer(vault: Vault, question: Question, mode: str, limit: int) -> tuple[tuple[Hit, ...], bool]:
    """What the API answers, and whether the time limit cut it short."""
    vault.now = today(question)
    result = vault.search(SearchQuery(question["query"], mode=mode, limit=limit))
    return result.hits, any(CUT in notice for notice in result.notices)


def api(of: Set, index: Path, mode: str, limit: int) -> Ask:
    """A function from a question to the paths of its hits, and whether they were cut short."""
    vault = opened(of, index)
    vault.refresh()

    def ask(question: Question) -> tuple[list[str], bool]:
        hits, cut = answer(vault, question, mode, limit)
        return [hit.path for hit in hits], cut

    return ask


def yardstick(of: Set) -> Ask:
    """The same from one table of whole notes."""
    db = apsw.Connection(":memory:")
    db.execute("CREATE VIRTUAL TABLE note USING fts5(path UNINDEXED, name, text, tokenize='porter unicode61')")
    for path in sorted(of.vault.rglob("*.md")):
        if not any(part.startswith(".") for part in path.relative_to(of.vault).parts):
            text = path.read_text("utf-8", "replace")
            name = path.stem.replace("-", " ").replace("_", " ")
            db.execute("INSERT INTO note VALUES(?, ?, ?)", (path.relative_to(of.vault).as_posix(), name, text))

    def ask(question: Question) -> tuple[list[str], bool]:
        kept = "".join(c if unicodedata.category(c)[0] in "LNM" else " " for c in question["query"].lower())
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(kept.split()))
        sql = "SELECT path FROM note WHERE note MATCH ? ORDER BY bm25(note) LIMIT 50"
        return [str(path) for (path,) in db.execute(sql, (match,))] if match else [], False

    return ask


def compare(of: Set, index: Path, most: int, limit: int) -> tuple[str, ...]:
    """Ask some of the questions through the installed CLI, cold and by a daemon, and compare with the API's answers."""
    vault = opened(of, index)
    asked = spread(of.questions, most)
    ours = [answer(vault, question, "hybrid", limit) for question in asked]
    cold = _unequal(of, index, asked, ours, {"AURELIUS_NO_DAEMON": "1"}, limit)
    through_cli(of, index, {}, "daemon", "start")
    try:
        warm = _unequal(of, index, asked, ours, {}, limit)
    finally:
        through_cli(of, index, {}, "daemon", "stop")
    return of.name, str(len(asked)), str(cold[0] + warm[0]), str(cold[1]), str(warm[1])


def _unequal(
    of: Set, index: Path, asked: Sequence[Question], ours: Sequence[tuple[tuple[Hit, ...], bool]],
    more: dict[str, str], limit: int,
) -> tuple[int, int]:  # fmt: skip
    """How many answers the time limit cut short, and how many others of the CLI are not the API's."""
    cuts = unequal = 0
    for question, (hits, cut) in zip(asked, ours, strict=True):
        now = ["--now", today(question).isoformat()]
        told, notices = through_cli(
            of, index, more, *now, "search", "--json", "-n", str(limit), "--", question["query"]
        )  # fmt: skip
        wanted = [[hit.id or None, *(getattr(hit, name) for name in TOLD)] for hit in hits]
        found = [[hit.get("id"), *(hit.get(name) for name in TOLD)] for hit in json.loads(told)["hits"]]
        if cut or CUT in notices:
            cuts += 1
        elif json.loads(json.dumps(wanted)) != found:
            unequal += 1
            way = "without a daemon" if more else "by the daemon"
            print(f"{of.name} {question['id']}: CLI {way} and API differ", file=sys.stderr)
    return cuts, unequal


def through_cli(of: Set, index: Path, more: dict[str, str], *words: str) -> tuple[str, str]:
    """What the installed `aurelius` writes to stdout and stderr."""
    script = Path(sys.executable).parent / "aurelius"
    command = [str(script)] if script.exists() else [sys.executable, "-m", "aurelius"]
    done = subprocess.run(
        [*command, "--vault", str(of.vault), *words], env=environment(index) | more, capture_output=True, text=True,
        check=False, cwd=Path(__file__).resolve().parents[2],
    )  # fmt: skip
    if done.returncode:
        sys.exit(f"aurelius {' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout, done.stderr


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


def score_row(of: Set, mode: str, judged: np.ndarray[Any, Any], costs: Sequence[Cost]) -> Row:
    """A set in one mode."""
    means = dict(zip(MEASURES, judged.mean(axis=0), strict=True))
    low, high = interval(judged[:, -1])
    goal = GOALS.get(of.name) if mode == "hybrid" else None
    told_goal = (f"{goal[0]} ≥ {goal[1]:.2f}", "met" if means[goal[0]] >= goal[1] else "not met") if goal else ("", "")
    figures = (f"{means[name]:.3f}" for name in MEASURES)
    took = (f"{statistics.median(cost.ms for cost in costs):.1f}", str(sum(cost.cut for cost in costs)))
    return (of.name, str(len(judged)), mode, *figures, f"{low:.3f} to {high:.3f}", *took, *told_goal)


def margin_row(of: Set, judged: dict[str, np.ndarray[Any, Any]]) -> Row:
    """Hybrid beside the best of the others, the yardstick among them: BM25 is the bar."""
    better = max(MODES[:-1], key=lambda mode: float(judged[mode][:, -1].mean()))
    difference = judged["hybrid"][:, -1] - judged[better][:, -1]
    low, high = interval(difference)
    goal = ("reported only", "") if of.name in ACROSS else (f"≥ {SLACK}", "met" if low >= SLACK else "not met")
    return (of.name, better, f"{difference.mean():+.3f}", f"{low:+.3f} to {high:+.3f}", *goal)
