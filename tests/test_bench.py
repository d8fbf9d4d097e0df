from __future__ import annotations

import importlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from indexer.errors import IndexUnavailableError
from indexer.note import Settings
from indexer.refresh.refresh import refresh

ROOT = Path(__file__).resolve().parents[1]
NOTES = {
    "people/joe.md": "# Joe\n\n- Keeps bees on the roof\n",
    "people/ann.md": "# Ann\n\nSails a small boat every summer.\n",
    "areas/health.md": "# Health\n\nSee the doctor once a year. Joe keeps bees.\n",
}
QUESTIONS = [
    {
        "id": "1",
        "query": "who keeps bees?",
        "relevant": ["people/joe.md"],
        "ignore": ["areas/health.md"],
    },
    {"id": "2", "query": "physician", "relevant": ["areas/health.md"], "date": "2024-05-01"},
    {"id": "3", "query": "what is the moon?", "relevant": [], "answerable": False},
]


@pytest.fixture
def retrieval(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return importlib.import_module("benches.retrieval")


@pytest.fixture
def sets(retrieval: Any) -> Any:
    return importlib.import_module("benches.retrieval_sets")


@pytest.fixture
def report(retrieval: Any) -> Any:
    return importlib.import_module("benches.retrieval_report")


@pytest.fixture
def made(tmp_path: Path) -> Path:
    """A folder of sets with one set, zipped."""
    folder = tmp_path / "unpacked" / "tiny"
    for path, text in NOTES.items():
        (folder / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "vault" / path).write_text(text)
    (folder / "queries-some.jsonl").write_text(
        "".join(json.dumps(question) + "\n" for question in QUESTIONS)
    )
    shutil.make_archive(str(tmp_path / "sets" / "tiny"), "zip", folder.parent, "tiny")
    return tmp_path / "sets"


def test_an_interval_holds_the_mean(report: Any) -> None:
    values = report.np.array([0.0, 1.0] * 200)
    low, high = report.interval(values)
    assert 0.43 < low < 0.5 < high < 0.57
    assert report.interval(values - values) == (0, 0)


def test_retrieval_scores_a_set_and_asks_the_cli(
    retrieval: Any, sets: Any, made: Path, tmp_path: Path
) -> None:
    found = sets.sets(made, tmp_path / "place")
    tables, wrong = retrieval.measure(found, tmp_path / "place", retrieval.Wish(cli=3, limit=10))
    (_, scores), (_, margins), (_, doors) = tables
    rows = {row[2]: row for row in scores[1:]}
    assert list(rows) == ["bm25", "keyword", "vector", "hybrid"]
    assert rows["hybrid"][:4] == ("tiny some", "2", "hybrid", "1.000")
    assert rows["keyword"][3] == "0.500"  # no note says physician
    assert [row[1] for row in margins[1:]] == ["hybrid less bm25", "hybrid less vector"]
    assert doors[1] == ("tiny some", "3", "0", "0", "0")
    assert wrong == 0
    assert all(len(row) == len(table[0]) for _, table in tables for row in table)


def test_a_question_is_ranked_as_of_its_own_day_and_the_same_through_every_door(
    retrieval: Any, sets: Any, tmp_path: Path
) -> None:
    vault = tmp_path / "set" / "vault"
    days = ["2022-03-01", "2024-03-01"]
    for day in days:
        (vault / "memory").mkdir(parents=True, exist_ok=True)
        (vault / "memory" / f"{day}.md").write_text(
            f"# {day}\n\nSaw a walrus, a seal and {day[3]} gulls.\n"
        )
    questions = [
        {"id": day, "query": "walrus", "relevant": [f"memory/{day}.md"], "date": day}
        for day in days
    ]
    found = sets.Set("days", vault, tuple(questions))
    vault_now = retrieval.opened(found, tmp_path / "index")
    scores = [
        [hit.score for hit in retrieval.found(vault_now, each, 5)[0].hits] for each in questions
    ]
    assert scores[0][-1] != scores[1][-1], "every question was ranked as of one day"
    assert retrieval.compare(found, tmp_path / "index", 2, 5) == ("days", "2", "0", "0", "0")


def test_a_note_that_holds_a_question_as_a_link_is_struck_from_its_answers(
    retrieval: Any, sets: Any, made: Path, tmp_path: Path
) -> None:
    (found,) = sets.sets(made, tmp_path / "place")
    assert retrieval.answers(found, tmp_path / "index", "bm25", 10)[0].paths == ("people/joe.md",)


def test_the_link_that_a_question_was_taken_from_does_not_answer_it(
    retrieval: Any, sets: Any, short: Path, tmp_path: Path
) -> None:
    (short / "pets" / "dog.md").write_text("Afraid of [[bees|the humming ones]].\n")
    question = {"id": "1", "query": "the humming ones", "relevant": ["bees.md"]}

    def legs(*struck: str) -> Any:
        vault = retrieval.opened(sets.Set("short", short, ()), tmp_path / "index")
        with retrieval.unlabelled(vault, struck):
            result, _ = retrieval.found(vault, question, 10, explain=True)
        return next((hit.explain["legs"] for hit in result.hits if hit.path == "bees.md"), {})

    asker, other = "people/jo-smith.md", "pets/dog.md"
    assert legs()["name"] == legs(asker)["name"] > 0, "what another note calls it counts"
    assert "name" not in legs(asker, other)


def test_what_an_index_of_words_in_memory_finds_is_not_measured(
    retrieval: Any, sets: Any, made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(settings: Settings, **asked: Any) -> Any:
        if settings.folder:
            raise OSError("the disk is full")
        return refresh(settings, **asked)

    monkeypatch.setattr("aurelius.vault.refresh", full)
    (found,) = sets.sets(made, tmp_path / "place")
    with pytest.raises(IndexUnavailableError):
        retrieval.answers(found, tmp_path / "index", "hybrid", 10)


def test_a_set_is_unpacked_whether_or_not_its_archive_begins_with_its_name(
    sets: Any, made: Path
) -> None:
    shutil.make_archive(str(made / "flat"), "zip", made.parent / "unpacked" / "tiny")
    assert [found.name for found in sets.sets(made, made.parent / "place")] == [
        "flat some",
        "tiny some",
    ]


def test_some_sets_and_some_questions(sets: Any, made: Path, tmp_path: Path) -> None:
    assert [found.name for found in sets.sets(made, tmp_path / "place", only="other,tiny")] == [
        "tiny some"
    ]
    assert list(sets.sets(made, tmp_path / "place", only="other")) == []
    (found,) = sets.sets(made, tmp_path / "place", sample=2)
    assert [question["id"] for question in found.questions] == ["1", "2"]
    assert sets.spread([1, 2, 3, 4, 5], 2) == (1, 3)
    assert sets.spread([1, 2], 5) == (1, 2)


def test_a_file_of_questions_named_like_a_vault_is_asked_there(sets: Any, tmp_path: Path) -> None:
    (tmp_path / "vaults" / "mine").mkdir(parents=True)
    (tmp_path / "names").mkdir()
    (tmp_path / "names" / "mine.jsonl").write_text(
        '{"id": "1", "query": "x", "relevant": ["x.md"]}\n'
    )
    (tmp_path / "names" / "gone.jsonl").write_text(
        '{"id": "1", "query": "x", "relevant": ["x.md"]}\n'
    )
    ((name, vault, _),) = sets.sets(tmp_path, tmp_path / "place", only="names")
    assert (name, vault) == ("names/mine", tmp_path / "vaults" / "mine")


SHORT = {
    "people/jo-smith.md": "---\naliases: [Smithy, boss, Jo smith]\nrole: zookeeper\n---\n[[bees|the humming ones]]\n",
    "bees.md": "---\naliases:\n  - boss\ncolor: yellow\n---\nThey are yellow.\n",
    "pets/cat.md": "alias:: moggy, puss\n\n[insects](../bees.md) and [the humming ones](https://x.org/bees.md)\n",
    ".hidden/no.md": "---\nrole: ghostwriter\n---\n",
}


@pytest.fixture
def short(tmp_path: Path) -> Path:
    for path, text in SHORT.items():
        (tmp_path / "short" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "short" / path).write_text(text)
    return tmp_path / "short"


def test_short_questions_are_made_of_a_vault(sets: Any, short: Path) -> None:
    asked = {
        (each["category"], each["query"]): (each["relevant"], each.get("ignore"))
        for each in sets.known_items(short).questions
    }
    assert asked == {
        ("file name", "jo smith"): (["people/jo-smith.md"], None),
        ("file name", "bees"): (["bees.md"], None),
        ("file name", "cat"): (["pets/cat.md"], None),
        ("alias", "smithy"): (["people/jo-smith.md"], None),  # "boss" is an alias of two notes
        ("alias", "moggy"): (["pets/cat.md"], None),
        ("alias", "puss"): (["pets/cat.md"], None),
        ("link text", "the humming ones"): (["bees.md"], ["people/jo-smith.md"]),
        ("link text", "insects"): (["bees.md"], ["pets/cat.md"]),
        ("property", "zookeeper"): (
            ["people/jo-smith.md"],
            None,
        ),  # "yellow" stands in the text as well
    }
    assert len(sets.known_items(short, most=1).questions) == 4


def test_nothing_answers_a_question_made_of_words_no_note_holds(sets: Any, short: Path) -> None:
    made = sets.nonsense(short, 20)
    assert made == sets.nonsense(short, 20), "the questions of one run are not those of the next"
    assert len(set(made)) == 20
    text = "".join(SHORT.values()).lower()
    (short / "more.md").write_text(f"{made[0].split()[0]}ness\n")
    assert all(word.isalpha() and word not in text for each in made for word in each.split())
    assert made[0] not in sets.nonsense(short, 20), (
        "a word that a note holds in another form was taken"
    )


def test_the_keywords_of_a_question(sets: Any) -> None:
    assert sets.keywords("What does Joe's dog eat?", {"what", "does"}) == "Joe's dog eat"
    assert sets.keywords("what is it", {"what", "is", "it"}) == "what is it"


def test_short_questions_and_rates_and_a_mechanism_left_out(
    retrieval: Any, sets: Any, short: Path, tmp_path: Path
) -> None:
    wish = retrieval.Wish(
        categories=True, rates=True, without=("bm25", "priors"), save=tmp_path / "kept.json"
    )
    tables, _ = retrieval.measure([sets.known_items(short)], tmp_path, wish)
    assert all(len(row) == len(table[0]) for _, table in tables for row in table)
    _, _, categories, names, rates, forms, losses = (rows for _, rows in tables)
    assert [row[1] for row in categories[1:]] == ["alias", "file name", "link text", "property"]
    assert [(row[1], row[3]) for row in names[1:3]] == [
        ("file name", "bm25"),
        ("file name", "hybrid"),
    ]
    assert rates[1][1] == "9"
    assert float(forms[1][-2]) <= 1e-6, (
        "the legs and priors that --explain prints are not those of the score"
    )
    assert [row[1] for row in losses[1:]] == ["bm25", "priors"]
    kept = json.loads((tmp_path / "kept.json").read_text())["known items of short"]
    assert kept["hybrid"]["file name:bees"][0] == "bees.md"


def test_a_leg_that_is_left_out_counts_again_afterwards(retrieval: Any) -> None:
    rank = retrieval.fusion
    ranking = retrieval.ranking
    before = {**rank.FUSION_WEIGHTS, **rank.MEANT}, ranking.foremost
    for name in ("note", "name", "day", "speaker", "exact", "priors"):
        with retrieval.without(name):
            assert ({**rank.FUSION_WEIGHTS, **rank.MEANT}, ranking.foremost) != before
        assert ({**rank.FUSION_WEIGHTS, **rank.MEANT}, ranking.foremost) == before
    with (
        pytest.raises(SystemExit, match="there is no luck to leave out"),
        retrieval.without("luck"),
    ):
        pass


def test_a_leg_that_is_left_out_gives_no_score(
    retrieval: Any, sets: Any, made: Path, tmp_path: Path
) -> None:
    (found,) = sets.sets(made, tmp_path / "place")
    vault = retrieval.opened(found, tmp_path / "index")
    query = retrieval.SearchQuery("who keeps bees?", explain=True)
    with retrieval.without("note"):
        (first, *_) = vault.search(query).hits
    assert first.explain["legs"]["note"] == 0
    with retrieval.without("recency"):
        (first, *_) = vault.search(query).hits
    assert first.explain["priors"]["recency"] == 0.85 + 0.15 * retrieval.fusion.UNDATED_RECENCY


def test_a_run_is_compared_with_an_earlier_one_question_by_question(
    report: Any, sets: Any, tmp_path: Path
) -> None:
    questions = tuple({"id": number, "query": "x", "relevant": ["a.md"]} for number in range(4))
    found = sets.Set("some", tmp_path, questions)
    then = [report.Answer(("b.md", "a.md")) for _ in questions]
    report.save(tmp_path / "kept.json", found, {"hybrid": then, "keyword": then})
    report.save(tmp_path / "kept.json", found._replace(name="other"), {"hybrid": then})
    earlier = report.load(tmp_path / "kept.json")
    now = [report.Answer(("a.md",)) for _ in range(5)]
    more = found._replace(questions=(*questions, {"id": 9, "query": "x", "relevant": ["b.md"]}))
    ranked = {"hybrid": now, "keyword": [report.Answer(()) for _ in range(5)]}
    rows = report.against_rows(more, ranked, earlier)
    assert [(row[1], row[2], row[3], row[-1]) for row in rows] == [
        ("hybrid less its earlier run", "4", "+1.000", "met"),
        ("keyword less its earlier run", "4", "+0.000", "not met"),
    ]
    assert report.against_rows(found._replace(name="new"), ranked, earlier) == []


def test_what_a_hit_names_too_counts_and_is_told_where_it_makes_a_difference(
    report: Any, sets: Any, tmp_path: Path
) -> None:
    questions = tuple({"id": number, "query": "x", "relevant": ["b.md"]} for number in range(2))
    found = sets.Set("some", tmp_path, questions)
    alone = report.Answer(("a.md", "b.md"), 1.0)
    beside = alone._replace(places=(("a.md", "b.md"), ("c.md",)))
    rows = report.score_rows(found, "hybrid", [alone, beside])
    assert [row[2:4] for row in rows] == [
        ("hybrid", "0.500"),
        ("hybrid, `also` left out", "0.000"),
    ]
    assert [row[2] for row in report.score_rows(found, "vector", [alone, alone])] == ["vector"]
    report.save(tmp_path / "kept.json", found, {"hybrid": [beside, beside]})
    earlier = report.load(tmp_path / "kept.json")
    assert earlier["some"]["hybrid"]["0"] == [["a.md", "b.md"], "c.md"]
    told = report.against_rows(found, {"hybrid": [alone, beside]}, earlier)
    assert [row[1:4:2] for row in told] == [
        ("hybrid less its earlier run", "-0.500"),
        ("hybrid, `also` left out less its earlier run", "+0.000"),
    ]


def test_a_rate_counts_only_questions_that_have_an_answer(
    report: Any, sets: Any, tmp_path: Path
) -> None:
    questions = (
        {"id": 1, "query": "x", "relevant": ["a.md"]},
        {"id": 2, "query": "x", "relevant": [], "answerable": False},
    )
    found = sets.Set("some", tmp_path, questions)
    strong, weak = report.Answer(("a.md",), hits=1), report.Answer(("a.md",), weak=True, hits=1)
    row = report.rate_row(found, [strong, weak], [weak, report.Answer(())])
    assert row == (
        "some",
        "1",
        "0.0%",
        "0.0%",
        "≤ 2%",
        "2",
        "50.0%",
        "50.0%",
        "≥ 95% weak or none",
        "met",
    )
    assert report.rate_row(found, [weak, weak], [weak])[-1] == "not met"
    assert report.rate_row(found, [strong, weak], [strong, weak])[-1] == "not met"


@pytest.mark.parametrize(
    ("step", "number"),
    [("walk", "notes"), ("floor", "cpu"), ("keyword", "chunks"), ("full", "added")],
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


def test_the_copies_of_a_note_in_a_larger_vault_are_notes_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    growth = importlib.import_module("benches.growth")

    text = "# Harbour\n\n" + "The lantern stands behind the orchard, seldom lighted. " * 8
    growth.make_vault(tmp_path, 1, [text])
    said = [file.read_text().split("\nSee")[0] for file in tmp_path.glob("*/sub-*/note-*.md")]
    assert len(said) > 50
    assert len(set(said)) == len(said)
    assert all(each.startswith("# ") and each.count(".") >= 8 for each in said)


def test_hooks_are_asked_at_rest_and_under_load(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    hooks = importlib.import_module("benches.hooks")
    (tmp_path / "people").mkdir()
    (tmp_path / "people/joe.md").write_text(NOTES["people/joe.md"])
    ((_, rows),) = hooks.measure(tmp_path, count=1, busy=1)
    assert [row[0] for row in rows[1:]] == [
        "no daemon, quiet",
        "no daemon, 1 busy",
        "daemon, quiet",
        "daemon, 1 busy",
    ]
    assert all(row[1].endswith(" of 1") for row in rows[1:])
