"""The bench of changing facts: what its loaders make of the files of others, how it writes them, and what it counts."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
CASES = """\
[[change]]
id = "home"
why = ""
page = "people/tom-hartley.md"
title = "Tom Hartley"
aliases = ["Tom"]
old = "Lives in Sheffield"
old_date = "2025-01-20"
new = "Tom lives in Leeds"
new_date = "2025-10-14"
new_in = "day"
question = "where does tom live?"

[[hold]]
id = "hobbies"
why = ""
page = "people/ines-duarte.md"
title = "Ines Duarte"
a = "Plays the ukulele"
a_date = "2025-02-11"
a_in = "page"
b = "Keeps bees on the roof"
b_date = "2025-09-03"
b_in = "day"
"""
COACH = {"template": "", "relations": ["P286"], "subject": {"subLabel": "Alder FC"}, "uniq_id": 7}
ASKED = "Who is the head coach of the team Alder FC currently?"


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT / "scripts")
    return importlib.import_module


@pytest.fixture
def public(tmp_path: Path) -> Path:
    """A folder with one matter or two of every public set, in the form in which each is published."""
    folder = tmp_path / "sets"

    def put(path: str, *rows: object) -> None:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
        (folder / path).write_text(text + "\n", "utf-8")

    for year, name in (("Dec2021", "Ann Ox"), ("Dec2023", "Bo Elm"), ("March2024", "Bo Elm")):
        other = {**COACH, "relations": ["P569"], "text answers": ["1900"]}
        put(
            f"PAT-Questions/PAT-data/{year}/PAT-singlehop.json",
            {ASKED: {**COACH, "text answers": [name]}, "When was Ann Ox born currently?": other},
        )
    asked = [
        ["Who led Ash Mills from 2003 to Jun 2005?", [{"answer": "Bo Beech"}]],
        ["From 1999 to 2003, which person ran Ash?", [{"answer": "Cy Dale ( Sr. )"}]],
        ["Who left Ash in 2011 after the crash of the 2010 season?", [{"answer": "Di Oak"}]],
        ["Who was it from 2012 to 2013?", [{"answer": ""}]],
    ]
    put(
        "Time-Sensitive-QA/dataset/human_annotated_test.json",
        [{"index": "x", "type": "P169", "link": "/wiki/Ash_Mills_(company)", "questions": asked}],
    )
    rows = [
        ("2019", "start", "Lee Fir"),
        ("2021", "sampled_year", "Lee Fir"),
        ("2015", "start", "Max Yew"),
    ]
    put(
        "SituatedQA/data/qa_data/temp.dev.jsonl",
        *(
            {
                "question": "who hosts the late show",
                "date": day,
                "date_type": kind,
                "answer": [name],
            }
            for day, kind, name in rows
        ),
    )
    put(
        "longmemeval-evidence-dev/daily/queries.jsonl",
        {
            "id": "lme",
            "category": "knowledge-update",
            "query": "How many bikes do I own?",
            "answer": "4 bikes",
            "lines": {"memory/2023-02-22.md": [[1, 1]], "memory/2023-10-10.md": [[1, 1]]},
        },
    )
    put(
        "longmemeval-evidence-dev/daily/vault/memory/2023-02-22.md",
        "- **User:** It rains. I own 3 bikes. Any tips?",
    )
    put(
        "longmemeval-evidence-dev/daily/vault/memory/2023-10-10.md",
        "- **User:** I own 4 bikes now. Thanks!",
    )
    put(
        "LoCoMo/data/locomo10.json",
        [
            {
                "sample_id": "conv-1",
                "qa": [{"question": "What does Jo read?", "evidence": ["D1:2"]}],
                "conversation": {"session_1_date_time": "1:56 pm on 8 May, 2023"},
                "observation": {
                    "session_1_observation": {
                        "Jo": [["Jo reads Middlemarch.", "D1:2"], ["Jo sails.", "D1:4"]]
                    }
                },
            }
        ],
    )
    put(
        "LoCoMo/data/msc_personas_all.json",
        {
            "train": [
                {"Speaker 1": ["I like metal music.", "I like tea."], "Speaker 2": ["I fish."]}
            ]
        },
    )
    put(
        "histories/one.log",
        *(
            "\x012024-01-02",
            "diff --git a/tools.md b/tools.md",
            "--- /dev/null",
            "+++ b/tools.md",
            "@@ -0,0 +1,2 @@",
        ),
        *("+- Invoices are written with FastBill", "+- Backups run at night", "\x012024-03-04"),
        *("diff --git a/tools.md b/tools.md", "--- a/tools.md", "+++ b/tools.md", "@@ -1 +1 @@"),
        *("-- Invoices are written with FastBill", "+- Invoices are written with Lexoffice"),
    )
    put(
        "vaults/one/garden.md",
        "# Garden",
        "",
        "- Tomatoes by the south wall",
        "- [ ] water the beds",
        "- Beans in pots",
    )
    return folder


def test_a_public_set_is_read_as_its_makers_left_it(bench: Any, public: Path) -> None:
    found = {each.name: each for each in bench("benches.ageing_sets").sets(public)}
    assert list(found) == [
        "pat",
        "timeqa",
        "situated",
        "edits",
        "longmemeval",
        "locomo",
        "personas",
        "lists",
    ]
    texts = {
        name: [[line.text for line in one.lines] for one in each.matters]
        for name, each in found.items()
    }
    assert texts["pat"] == [
        ["Ann Ox is the head coach of Alder FC", "Bo Elm is the head coach of Alder FC"]
    ]
    assert texts["timeqa"] == [
        [f"{who} is the chief executive of Ash Mills" for who in ("Cy Dale ( Sr.)", "Bo Beech")]
    ]
    assert texts["situated"] == [["Max Yew hosts the late show", "Lee Fir hosts the late show"]]
    assert texts["longmemeval"] == [["I own 3 bikes.", "I own 4 bikes now."]]
    assert texts["locomo"] == [["Jo reads Middlemarch.", "Jo sails."]]
    assert texts["personas"] == [["I like metal music.", "I like tea."], ["I fish."]]
    assert texts["lists"] == [["Tomatoes by the south wall", "Beans in pots"]]
    assert [name for name, each in found.items() if each.hold] == ["locomo", "personas", "lists"]
    assert texts["edits"] == [
        ["Invoices are written with FastBill", "Invoices are written with Lexoffice"]
    ]
    assert found["edits"].matters[0].lines[0][::2] == ("2024-01-02", "Invoices are written with")
    asks = [[line.ask for line in found[name].matters[0].lines] for name in ("timeqa", "locomo")]
    assert asks == [["Which person ran Ash?", "Who led Ash Mills?"], ["What does Jo read?", ""]]
    for each in found.values():
        for one in each.matters:
            assert [line.day for line in one.lines] == sorted(line.day for line in one.lines)


def test_some_sets_and_some_matters(bench: Any, public: Path) -> None:
    sets = bench("benches.ageing_sets")
    assert [each.name for each in sets.sets(public, only="pat,person")] == ["pat", "personas"]
    (found,) = sets.sets(public, only="personas", sample=1)
    assert [one.id for one in found.matters] == ["persona 1"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--sets", "nowhere"], "there is no folder nowhere"),
        (
            ["--sets", "."],
            "no set below .: looked for PAT-Questions/PAT-data, Time-Sensitive-QA/dataset",
        ),
        (["--sets", ".", "--only", "moon"], "no set is named like moon: there are pat, timeqa"),
        (["--cases", "gone.toml"], "there is no file gone.toml"),
        (
            ["--cases", "bad.toml"],
            "bad.toml cannot be read as the set that it should be: KeyError: 'new_date'",
        ),
        (["--cases", "empty.toml"], "empty.toml holds nothing that can be asked"),
        (["--against", "gone.json"], "there is no file gone.json: --save writes one"),
        (["--save", "gone/kept.json"], "there is no folder gone to keep results in"),
    ],
)
def test_a_wrong_path_or_file_ends_in_one_sentence(
    tmp_path: Path, options: list[str], told: str
) -> None:
    (tmp_path / "bad.toml").write_text(CASES.replace("new_date", "old_day"))
    (tmp_path / "empty.toml").write_text("")
    command = [sys.executable, str(ROOT / "scripts" / "bench"), "ageing", *options]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 1
    assert done.stderr.startswith(told), done.stderr
    assert done.stderr.count("\n") == 1


def test_each_way_of_writing_puts_the_lines_where_it_says(bench: Any, tmp_path: Path) -> None:
    (tmp_path / "some.toml").write_text(CASES)
    changes, _ = bench("benches.ageing_sets").cases(tmp_path / "some.toml")
    written = bench("benches.ageing_written")
    assert written.ways(changes.matters) == ["marks", "page", "day", "link", "undated", "as given"]
    page, day = "people/tom-hartley.md", "memory/2025-10-14.md"
    there = {}
    for way in written.WAYS:
        places = written.write(changes.matters, tmp_path / way, way)
        rows = {path: (tmp_path / way / path).read_text("utf-8").splitlines() for path, _ in places}
        there[way] = [
            (path, rows[path][number - 1])
            for path, number in sorted(places, key=lambda at: places[at].line)
        ]
    old = (page, "- Lives in Sheffield (2025-01-20)")
    end = "(2025-01-20 → 2025-10-14, superseded by ^m0l1) ^m0l0"
    assert there == {
        "marks": [
            (page, f"- ~~Lives in Sheffield~~ {end}"),
            (page, "- Tom lives in Leeds (2025-10-14) ^m0l1"),
        ],
        "page": [old, (page, "- Tom lives in Leeds (2025-10-14)")],
        "day": [old, (day, "- Tom lives in Leeds")],
        "link": [old, (day, "- [[people/tom-hartley|Tom Hartley]]: Tom lives in Leeds")],
        "undated": [(page, "- Lives in Sheffield"), (page, "- Tom lives in Leeds")],
        "as given": [old, (day, "- Tom lives in Leeds")],
    }


def test_what_came_first_is_counted_and_compared(bench: Any, tmp_path: Path) -> None:
    ageing = bench("benches.ageing")
    (tmp_path / "some.toml").write_text(CASES)
    found = bench("benches.ageing_sets").cases(tmp_path / "some.toml")
    kept = tmp_path / "kept.json"
    tables = dict(ageing.measure(found, tmp_path, ageing.Wish(save=kept)))
    assert all(len(row) == len(rows[0]) for rows in tables.values() for row in rows)
    search, proposed, carried, side = tables.values()
    assert [row[1:3] for row in carried[1:]] == [(way, "1") for way in ("day", "link", "as given")]
    (marks,) = (row for row in search if row[1] == "marks")
    assert marks[:4] + marks[5:6] == ("some changes", "marks", "1", "1.000", "0.000")
    assert [row[1] for row in proposed[1:]] == ["page", "day", "link", "undated", "as given"]
    assert [row[1:4] for row in side[1:]] == [
        (way, "2", "0.000") for way in ("as given", "page", "day")
    ]
    told = json.loads(kept.read_text("utf-8"))
    assert told["some changes"]["marks"] == {"home": [1, 0, 1]}
    told["some changes"]["marks"]["home"] = [0, 1, 1]
    kept.write_text(json.dumps(told))
    margins = ageing.measure(found[:1], tmp_path / "again", ageing.Wish(against=kept))[-1][1]
    assert margins[1][:4] + margins[1][5:6] + margins[1][7:8] == (
        "some changes",
        "marks",
        "1",
        "+1.000",
        "-1.000",
        "+0.000",
    )


class At:
    """A fact at a line of a note, with or without words."""

    def __init__(self, first: int, text: str = "") -> None:
        self.first, self.key, self.text = first, str(first), text


@pytest.fixture
def here(bench: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A vault with one matter that changed, in lines 0 and 1, and one that holds, in lines 2 and 3."""
    ageing, sets = bench("benches.ageing"), bench("benches.ageing_sets")
    line, page = sets.Line, "people/a.md"
    changed = sets.Matter("a", page, "A", (line("2025-01-01", "one"), line("2025-02-01", "two")))
    held = sets.Matter(
        "b", page, "A", (line("2025-01-01", "three"), line("2025-02-01", "one")), hold=True
    )
    written = {(page, number): ageing.Place(number // 2, number % 2, "") for number in range(4)}
    written["memory/2025-02-01.md", 3] = written.pop((page, 1))
    vault = type("Empty", (), {"config": None, "env": None, "now": None})()
    vault.index = type("Empty", (), {"db": None})
    monkeypatch.setattr(ageing, "place_of_config", lambda *_, **__: None)
    return ageing._Written((changed, held), written, vault, False, {})


def where(number: int) -> tuple[str, int]:
    """Path and line of the line of that number."""
    return ("memory/2025-02-01.md", 3) if number == 1 else ("people/a.md", number)


def test_only_a_pair_of_one_matter_that_changed_is_a_right_proposal(
    bench: Any, here: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Told:
        def __init__(self, what: str, old: int, new: int) -> None:
            self.what, (self.path, first) = what, where(old)
            self.fact, self.by = At(first), (where(new)[0], At(where(new)[1]))
            self.more = [("people/a.md", At(2))] if old == 3 else ()
            if what == "carry":  # a line of a day would be written in the place of another
                (self.path, self.fact), self.by = (
                    (where(new)[0], At(where(new)[1])),
                    (where(old)[0], At(old)),
                )

    made = [
        ("supersede", 0, 1),
        ("ask", 1, 0),
        ("ask", 2, 3),
        ("merge", 0, 1),
        ("merge", 0, 3),
        ("ask", 0, 99),
        ("ask", 3, 1),
        ("carry", 0, 1),
    ]
    monkeypatch.setattr(
        bench("benches.ageing"), "open_matters", lambda _: [Told(*each) for each in made]
    )
    right, wrong, pairs = bench("benches.ageing").proposals(here)
    assert right == {"supersede": 1, "carry": 1}
    assert wrong == {"ask": 4, "merge": 1}  # to strike one of two equal lines is no mistake
    assert len(pairs) == 7


def test_a_line_is_called_older_rightly_only_because_of_a_later_one_of_its_matter(
    bench: Any, here: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ageing = bench("benches.ageing")

    def by(number: int) -> Any:
        path, line = where(number)
        return type("By", (), {"path": path, "line": line})()

    facts = [(where(number)[0], At(where(number)[1])) for number in range(4)]
    monkeypatch.setattr(ageing, "get_facts", lambda *_, **__: facts)
    known = {("people/a.md", "0"): by(1), ("people/a.md", "2"): by(3)}
    monkeypatch.setattr(ageing, "newer_facts", lambda *_, **__: known)
    here.labels[ageing.Place(1, 1, "")] = by(1)  # what a hit says, of another matter
    found = {
        (place.matter, place.line): right for place, right in ageing.called_older(here).items()
    }
    assert found == {(0, 0): True, (1, 0): False, (1, 1): False}


def test_a_line_of_a_day_is_carried_to_the_right_page_and_in_the_place_of_the_right_line(
    bench: Any, here: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    ageing = bench("benches.ageing")

    def carried(page: str, old: int, text: str = "", ask: tuple[str, ...] = ()) -> Any:
        replaces = ("people/a.md", At(old, text)) if old >= 0 else None
        path, number = where(1)
        return type(
            "Made",
            (),
            {"path": path, "line_no": number, "page": page, "ask": ask, "replaces": replaces},
        )()

    made = [
        carried("people/a.md", 0),
        carried("people/a.md", 2),
        carried("people/b.md", -1),
        carried("", -1, ask=("a", "b")),
        carried("people/a.md", 99, "One"),
    ]
    monkeypatch.setattr(ageing.extract, "find_carried", lambda _: made)
    assert ageing.carried_lines(here) == {
        "lines": 1,
        "right page": 3,
        "wrong page": 1,
        "asked": 1,
        "replaces rightly": 2,
        "replaces wrongly": 1,
    }


@pytest.mark.parametrize(
    ("old", "new", "common"),
    [
        (
            "Standup at 9:15 in the kitchen",
            "Standup at 10:00 in the kitchen",
            "Standup at in the kitchen",
        ),
        ("Standup at nine in the kitchen", "Standup at nine in the kitchen!", ""),
        ("Standup in the kitchn at nine", "Standup in the kitchen at nine", ""),  # a word misspelt
        ("TODO read the book on bees", "DONE read the book on bees", ""),
        (
            "[[Bees]] and [[Honey]] and [[Wax]]",
            "[[Bees]] and [[Pollen]] and [[Wax]]",
            "",
        ),  # links alone
        ("Rent is paid", "Rent and heating and water are included", ""),
    ],
)
def test_an_edit_is_one_run_of_words_in_the_place_of_another(
    bench: Any, old: str, new: str, common: str
) -> None:
    assert bench("benches.ageing_edits").shared(old, new) == common
