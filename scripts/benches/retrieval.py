"""How well search answers the questions of evaluation sets.

Every question is put to the public API in each mode, as of the day it was asked, on an index built
for it in a temporary folder; `ignore`d notes are struck, several hits of a note count once at the
best, the notes that a hit names `also` have its place, and unanswerable questions enter no mean.
"""

from __future__ import annotations

import datetime
import json
import math
import os
import subprocess
import sys
import time
import unicodedata
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple
from unittest import mock

import apsw
from benches import retrieval_report as report
from benches.own_questions import places_of
from benches.retrieval_report import Answer
from benches.retrieval_sets import Question, Set, keywords, nonsense, notes, spread

from aurelius.vault import Vault
from indexer.errors import IndexUnavailableError
from indexer.search import by_names, fusion, ranking
from indexer.search.query import SearchQuery
from indexer.tokens.english import STOP

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from contextlib import AbstractContextManager

    from indexer.search.candidate import Candidate
    from indexer.search.hit import Hit, SearchResult

MODES = ("bm25", "keyword", "vector", "hybrid")
"""`bm25` is the yardstick: whole notes in one stemmed FTS5 table, the question's words joined by
OR."""
TOLD = ("path", "lines", "kind", "date")
"""What must be equal in an answer of the CLI and of the API."""
CUT = "the answer is partial"
"""What search says when its time limit, which goes by the clock, cut an answer short: such answers
vary."""
NONSENSE = 100
"""Questions nothing answers, of each set."""
NOW = datetime.datetime(2026, 2, 10, 12)  # noqa: DTZ001  # a person's days are local days

SOURCES = {"links": "link", "initials": "initials", "aliases": "alias", "titles": "title"}
"""What names of notes come from."""
NEUTRAL: dict[str, dict[str, Any]] = {
    "recency": {"days": None},
    "importance": {"importance": None},
    "archive": {"archived": False},
    "score": {"score": 0.0},
    "word": {"wordless": False},
}
"""Priors, and the candidate for which each counts for nothing."""
NEUTRAL["priors"] = {key: value for each in NEUTRAL.values() for key, value in each.items()}

Row = tuple[str, ...]
Table = tuple[str, list[Row]]
Ask = Callable[[Question], Answer]


class Wish(NamedTuple):
    """What to measure: questions through the CLI, hits asked for, a file to keep results in and one
    to compare with, whether by category, whether rates too, and mechanisms to leave out, one at a
    time."""

    cli: int = 0
    limit: int = 30
    save: Path | None = None
    against: Path | None = None
    categories: bool = False
    rates: bool = False
    without: tuple[str, ...] = ()


def measure(found: Iterable[Set], place: Path, wish: Wish) -> tuple[list[Table], int]:
    """The tables of these sets, and how many answers of the CLI were not those of the API; indexes
    go to `place`."""
    tables = {
        f"Notes found among {wish.limit} hits; milliseconds of a question in a warm process, "
        f"answers cut short": [report.SCORES],
        "Modes beside others and beside an earlier run, paired": [report.MARGINS],
        "Each category in the default mode": [report.CATEGORIES],
        "Short questions: names, link texts, properties": [report.NAMES],
        "Empty and weak answers": [report.RATES],
        "Questions beside their keywords; the terms of each score beside it": [report.FORMS],
        "What is lost without a mechanism": [report.LOSSES],
        "The CLI beside the API": [("set", "asked", "cut short", "not equal, cold", "by a daemon")],
    }
    scores, margins, categories, names, rates, forms, losses, doors = tables.values()
    earlier = report.load(wish.against) if wish.against else {}
    families: dict[str, list[tuple[Set, Any]]] = {}
    for each in found:
        index = place / "index" / each.index
        ranked = {mode: answers(each, index, mode, wish.limit) for mode in MODES}
        judged = {mode: report.judge(each.questions, ranked[mode]) for mode in MODES}
        begun = len(scores), len(margins)
        for mode in MODES:
            scores += report.score_rows(each, mode, ranked[mode])
        margins += report.margin_rows(each, judged) + report.against_rows(each, ranked, earlier)
        categories += report.category_rows(each, judged) if wish.categories else []
        if each.short:
            families.setdefault(each.name.partition("/")[0], []).append((each, judged))
        if wish.rates:
            told = [_Rates(each, index, wish.limit).rows(ranked["hybrid"])]
            rates += [row for row, _ in told]
            forms += [row for _, row in told]
        losses += [
            loss_row(each, index, name, judged["hybrid"], wish.limit) for name in wish.without
        ]
        doors += [compare(each, index, wish.cli, wish.limit)] if wish.cli else []
        if wish.save:
            report.save(wish.save, each, ranked)
        print(
            *("  ".join(row) for row in (*scores[begun[0] :], *margins[begun[1] :])),
            sep="\n",
            file=sys.stderr,
        )
    for family, parts in families.items():
        names += report.name_rows(family, parts)
    return (
        [(title, rows) for title, rows in tables.items() if len(rows) > 1],
        sum(int(row[-2]) + int(row[-1]) for row in doors[1:]),
    )


# -- asking ----------------------------------------------------------------------------


def answers(of: Set, index: Path, mode: str, limit: int, *, explain: bool = False) -> list[Answer]:
    """What each question finds."""
    ask = yardstick(of) if mode == "bm25" else api(of, index, mode, limit, explain=explain)
    found = []
    for question in of.questions:
        began = time.perf_counter()
        answer = ask(question)
        took = (time.perf_counter() - began) * 1000
        struck = question.get("ignore", ())
        kept = tuple(path for path in dict.fromkeys(answer.paths) if path not in struck)
        found.append(answer._replace(paths=kept, ms=took))
    return found


def opened(of: Set, index: Path) -> Vault:
    """The vault of a set, its index in a folder of our own."""
    return Vault.find(str(of.vault), environment(index), "/", now=NOW)


def environment(index: Path) -> dict[str, str]:
    """An environment that knows nothing of the person."""
    return {"HOME": str(index), "AURELIUS_INDEX": str(index), "PATH": os.environ.get("PATH", "")}


def today(question: Question) -> datetime.datetime:
    """When a question was asked."""
    return (
        datetime.datetime.fromisoformat(question["date"] + "T12:00")
        if question.get("date")
        else NOW
    )


def api(of: Set, index: Path, mode: str, limit: int, *, explain: bool = False) -> Ask:
    """A function from a question to what the API answers."""
    vault = opened(of, index)
    if vault.index().path == ":memory:":
        raise IndexUnavailableError("what words alone find is not measured", "see its notices")

    def ask(question: Question) -> Answer:
        with unlabelled(vault, question.get("ignore", ())):
            result, cut = found(vault, question, limit, mode, explain=explain)
        off = max((_off(hit) for hit in result.hits), default=0.0) if explain else 0.0
        return Answer(
            tuple(hit.path for hit in result.hits),
            cut=cut,
            weak=result.weak,
            hits=len(result.hits),
            off=off,
            places=places_of(result.hits, question.get("ignore", ())),
        )

    return ask


def unlabelled(vault: Vault, paths: Sequence[str]) -> AbstractContextManager[Any]:
    """Search as if the links in these notes had no text: who took a question from them has not told
    its answer."""
    if not paths:
        return nullcontext()
    sql = f"SELECT id FROM note WHERE path IN ({','.join('?' * len(paths))})"  # question marks
    ids = {number for (number,) in vault.index().db.execute(sql, tuple(paths))}
    names: Callable[..., Any] = vars(by_names)["_names"]
    return mock.patch.object(
        by_names,
        "_names",
        lambda *given, **more: [
            name for name in names(*given, **more) if name.source != "link" or name.note not in ids
        ],
    )


def found(
    vault: Vault, question: Question, limit: int, mode: str = "hybrid", *, explain: bool = False
) -> tuple[SearchResult, bool]:
    """What the API answers as of the day of a question, and whether the time limit cut it short."""
    vault.now = today(question)
    result = vault.search(SearchQuery(question["query"], mode=mode, limit=limit, explain=explain))
    return result, any(CUT in notice for notice in result.notices)


def _off(hit: Hit) -> float:
    """How far a score is from the sum of its legs times its priors."""
    assert hit.explain is not None
    return abs(
        hit.score - sum(hit.explain["legs"].values()) * math.prod(hit.explain["priors"].values())
    )


def yardstick(of: Set) -> Ask:
    """The same from one table of whole notes."""
    db = apsw.Connection(":memory:")
    db.execute(
        "CREATE VIRTUAL TABLE note USING fts5(path UNINDEXED, name, text, tokenize='porter"
        " unicode61')"
    )
    for path, text in notes(of.vault).items():
        name = path.rsplit("/", 1)[-1].removesuffix(".md").replace("-", " ").replace("_", " ")
        db.execute("INSERT INTO note VALUES(?, ?, ?)", (path, name, text))

    def ask(question: Question) -> Answer:
        kept = "".join(
            c if unicodedata.category(c)[0] in "LNM" else " " for c in question["query"].lower()
        )
        match = " OR ".join(f'"{word}"' for word in dict.fromkeys(kept.split()))
        sql = "SELECT path FROM note WHERE note MATCH ? ORDER BY bm25(note) LIMIT 50"
        return Answer(tuple(str(path) for (path,) in db.execute(sql, (match,))) if match else ())

    return ask


class _Rates:
    """The questions of a set asked otherwise: by their keywords, with `explain`; and such as
    nothing answers."""

    def __init__(self, of: Set, index: Path, limit: int) -> None:
        self.of, self.index, self.limit = of, index, limit

    def rows(self, asked: Sequence[Answer]) -> tuple[Row, Row]:
        """A row of rates, and one of forms."""
        short = tuple(
            {**each, "query": keywords(each["query"], STOP)} for each in self.of.questions
        )
        made = tuple({"query": text} for text in nonsense(self.of.vault, NONSENSE))
        by_words, explained = (
            self._asked(short),
            answers(self.of, self.index, "hybrid", self.limit, explain=True),
        )
        return (
            report.rate_row(self.of, asked, self._asked(made)),
            report.form_row(self.of, asked, by_words, explained),
        )

    def _asked(self, questions: tuple[Question, ...]) -> list[Answer]:
        return answers(self.of._replace(questions=questions), self.index, "hybrid", self.limit)


# -- leaving out -----------------------------------------------------------------------


def loss_row(of: Set, index: Path, name: str, whole: Any, limit: int) -> Row:
    """What a set loses when a mechanism counts for nothing."""
    with without(name):
        less = report.judge(of.questions, answers(of, index, "hybrid", limit)) - whole
    return (of.name, name, *report.difference(less))


def without(name: str) -> AbstractContextManager[Any]:
    """Search with a leg, names from one source, a prior or every prior left out, in this process;
    SystemExit for one there is not."""
    for weights in (fusion.FUSION_WEIGHTS, fusion.MEANT):
        if name in weights:
            return mock.patch.dict(weights, {name: 0.0})
    if name in SOURCES:
        return mock.patch.object(by_names, "_names", _but(SOURCES[name]))
    if name in NEUTRAL:
        return mock.patch.object(ranking, "foremost", _bare(NEUTRAL[name]))
    if name == "linked":
        return mock.patch.object(fusion, "LINKED", 0.0)
    sys.exit(f"there is no {name} to leave out: {', '.join(mechanisms())}")


def mechanisms() -> tuple[str, ...]:
    """Everything that can be left out."""
    return (*fusion.FUSION_WEIGHTS, *fusion.MEANT, *SOURCES, *NEUTRAL, "linked")


def _but(source: str) -> Callable[..., Any]:
    """The names that a question may mean, without those of one source."""
    names: Callable[..., Any] = vars(by_names)["_names"]
    return lambda *given, **more: [name for name in names(*given, **more) if name.source != source]


def _bare(fields: dict[str, Any]) -> Callable[..., list[Candidate]]:
    """The foremost candidates, as if these fields of all were the same."""
    foremost = fusion.foremost
    return lambda candidates, *given, **more: foremost(
        (one._replace(**fields) for one in candidates), *given, **more
    )


# -- the other doors -------------------------------------------------------------------


def compare(of: Set, index: Path, most: int, limit: int) -> tuple[str, ...]:
    """Ask some of the questions through the installed CLI, cold and by a daemon, and compare with
    the API's answers."""
    vault = opened(of, index)
    asked = spread(of.questions, most)
    ours = [found(vault, question, limit) for question in asked]
    cold = _unequal(of, index, asked, ours, {"AURELIUS_NO_DAEMON": "1"}, limit)
    through_cli(of, index, {}, "daemon", "start")
    try:
        warm = _unequal(of, index, asked, ours, {}, limit)
    finally:
        through_cli(of, index, {}, "daemon", "stop")
    return of.name, str(len(asked)), str(cold[0] + warm[0]), str(cold[1]), str(warm[1])


def _unequal(
    of: Set,
    index: Path,
    asked: Sequence[Question],
    ours: Sequence[tuple[SearchResult, bool]],
    more: dict[str, str],
    limit: int,
) -> tuple[int, int]:
    """How many answers the time limit cut short, and how many others of the CLI are not the
    API's."""
    cuts = unequal = 0
    for question, (result, cut) in zip(asked, ours, strict=True):
        now = ["--now", today(question).isoformat()]
        told, notices = through_cli(
            of, index, more, *now, "search", "--json", "-n", str(limit), "--", question["query"]
        )
        wanted = [[hit.id or None, *(getattr(hit, name) for name in TOLD)] for hit in result.hits]
        theirs = [
            [hit.get("id"), *(hit.get(name) for name in TOLD)] for hit in json.loads(told)["hits"]
        ]
        if cut or CUT in notices:
            cuts += 1
        elif json.loads(json.dumps(wanted)) != theirs:
            unequal += 1
            way = "without a daemon" if more else "by the daemon"
            print(f"{of.name} {question['id']}: CLI {way} and API differ", file=sys.stderr)
    return cuts, unequal


def through_cli(of: Set, index: Path, more: dict[str, str], *words: str) -> tuple[str, str]:
    """What the installed `aurelius` writes to stdout and stderr."""
    script = Path(sys.executable).parent / "aurelius"
    command = [str(script)] if script.exists() else [sys.executable, "-m", "aurelius"]
    done = subprocess.run(
        [*command, "--vault", str(of.vault), *words],
        env=environment(index) | more,
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).resolve().parents[2],
    )
    if done.returncode:
        sys.exit(f"aurelius {' '.join(words)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout, done.stderr
