from __future__ import annotations

import importlib.util
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from indexer.errors import NoteNotFoundError, UsageError
from indexer.search.query import SearchQuery

ROOT = Path(__file__).resolve().parents[1]


def bench() -> Any:
    """The bench of own questions, which is a file of `scripts` and in no package."""
    spec = importlib.util.spec_from_file_location(
        "own_questions", ROOT / "scripts" / "benches" / "own_questions.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


BENCH = bench()
MEASURES = BENCH.MEASURES
Question = BENCH.Question
ask = BENCH.ask
marks = BENCH.marks
parse = BENCH.parse

FILE = """# what I look for

Who keeps bees?\tpeople/joe.md
who is the doctor?\tpeople/ann.md
Who keeps bees?\tareas/bees.md
"""


def test_the_measures_of_a_ranking_are_what_their_formulas_give() -> None:
    found = dict(zip(MEASURES, marks(["a", "b"], ["x", "a", "y", "z", "w", "b"]), strict=True))
    assert (found["R@1"], found["R@5"], found["R@10"], found["MRR@10"]) == (0, 0.5, 1, 0.5)
    assert found["nDCG@10"] == pytest.approx(
        (1 / 1.58496 + 1 / 2.80735) / (1 + 1 / 1.58496), rel=1e-4
    )
    assert marks(["a"], []) == (0, 0, 0, 0, 0)
    assert marks(["a"], ["a"]) == (1, 1, 1, 1, 1)
    assert marks(["a"], [*"bcdefghijk", "a"]) == (0, 0, 0, 0, 0)


@pytest.mark.parametrize(
    "data", [FILE.encode(), b"\xef\xbb\xbf" + FILE.replace("\n", "\r\n").encode()]
)
def test_lines_of_one_question_are_its_right_answers_together(data: bytes) -> None:
    assert parse(data, "q.tsv") == (
        Question("Who keeps bees?", 3, (("people/joe.md", 3), ("areas/bees.md", 5))),
        Question("who is the doctor?", 4, (("people/ann.md", 4),)),
    )


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            b"who keeps bees? people/joe.md",
            "q.tsv:2: there is no tab between a question and a path",
        ),
        (b"\tpeople/joe.md", "q.tsv:2: the question is missing"),
        (b"who keeps bees?\t", "q.tsv:2: the path is missing"),
        (
            b"who keeps bees?\tpeople/joe.md\tareas/bees.md",
            "q.tsv:2: there are two tabs: give each answer its own line",
        ),
        (b"caf\xe9\tpeople/joe.md", "q.tsv:2: this is not UTF-8 text"),
    ],
)
def test_a_wrong_line_is_named_with_file_and_number(line: bytes, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse(b"# mine\n" + line + b"\n", "q.tsv")
    assert caught.value.message == why
    assert caught.value.hint


def test_a_file_without_a_question_is_told() -> None:
    with pytest.raises(UsageError, match=r"there is no question in q\.tsv"):
        parse(b"# nothing yet\n\n", "q.tsv")


class Hit(NamedTuple):
    path: str
    also: tuple[tuple[str, int], ...] = ()


class Result(NamedTuple):
    hits: tuple[Hit, ...]
    mode: str = "keyword"


class Vault:
    """Answers every question with the same notes, some of them twice."""

    def __init__(self, *paths: str) -> None:
        self.paths = paths
        self.asked: list[SearchQuery] = []

    def resolve(self, name: str, *, private: bool = False) -> str:
        if name == "gone.md":
            raise NoteNotFoundError("no note is called 'gone.md'")
        return f"{name.removesuffix('.md')}.md"

    def search(self, query: SearchQuery) -> Any:
        self.asked.append(query)
        return Result(tuple(map(Hit, self.paths)))


def test_the_notes_that_a_hit_names_too_have_its_place() -> None:
    hits = [
        Hit("a.md", (("b.md", 3), ("struck.md", 1))),
        Hit("b.md"),
        Hit("struck.md"),
        Hit("c.md", (("a.md", 1), ("d.md", 2))),
    ]
    places = BENCH.places_of(hits, ["struck.md"])
    assert places == (("a.md", "b.md"), ("c.md", "d.md"))
    found = dict(zip(MEASURES, marks(["b.md", "d.md"], places), strict=True))
    assert (found["R@1"], found["R@5"], found["MRR@10"]) == (0.5, 1, 1)
    assert found["nDCG@10"] == 1
    assert marks(["a.md", "b.md"], places)[-1] == 1, "two right notes at one place are worth two"


def scored(text: str, *paths: str) -> Any:
    return ask(Vault(*paths), parse(text.encode(), "q.tsv"), SearchQuery("", limit=30))


def test_several_hits_of_a_note_are_one_place() -> None:
    score = scored(
        "one\tb.md\ntwo\td\nthree\tx.md\n", "a.md", "a.md", "b.md", "b.md", "c.md", "d.md"
    )
    assert [each.place for each in score.asked] == [2, 4, 0]
    assert [score.within(places) for places in (1, 3, 5, 10)] == [0, 1, 2, 2]
    assert score.means["MRR@10"] == pytest.approx((1 / 2 + 1 / 4) / 3)
    assert score.mode == "keyword"  # the one really used


def test_the_eleventh_note_is_a_miss() -> None:
    assert [
        each.place
        for each in scored("one\tk.md\n", *(f"{name}.md" for name in "abcdefghijk")).asked
    ] == [0]


def test_an_answer_that_is_no_note_is_told_and_does_not_count() -> None:
    score = scored("one\tgone.md\none\ta.md\ntwo\tgone.md\n", "a.md")
    assert [(each.text, each.wanted, each.place) for each in score.asked] == [("one", ("a.md",), 1)]
    assert score.unknown == (
        (1, "gone.md", "no note is called 'gone.md'"),
        (3, "gone.md", "no note is called 'gone.md'"),
    )


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path, text in {
        ".aurelius/config.toml": "",
        "people/joe.md": "# Joe\n\n- Keeps bees on the roof (2026-02-01) ^joe123\n",
        "people/ann.md": "# Ann\n\nSails a small boat.\n",
    }.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return tmp_path


def asked(root: Path, env: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        str(ROOT / "scripts" / "bench"),
        "questions",
        *words,
        "--vault",
        str(root),
    ]
    return subprocess.run(command, cwd=root, env=env, capture_output=True, text=True)


def test_asking_own_questions_is_no_use_of_what_they_find(env: dict[str, str], root: Path) -> None:
    (root / "q.tsv").write_text(
        "who keeps bees?\tJoe\nwho repairs the roof?\tpeople/ann.md\nwhy?\tnobody.md\n"
    )
    done = asked(root, env, "q.tsv")
    assert (done.returncode, done.stderr) == (0, "")
    assert "hybrid" in done.stdout
    assert "q.tsv:2: who repairs the roof?  people/ann.md" in " ".join(done.stdout.split()).replace(
        " people", "  people"
    )
    assert "q.tsv:3: nobody.md" in done.stdout
    assert not (root / ".aurelius" / "log").exists()


def test_a_person_is_told_of_what_cannot_be_asked(env: dict[str, str], root: Path) -> None:
    for name in ("none.tsv", "people"):
        done = asked(root, env, name)
        assert (done.returncode, f"cannot read {name}: " in done.stderr) == (1, True)
        assert "Traceback" not in done.stderr
