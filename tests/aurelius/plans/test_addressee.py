"""Which note `add` writes to: at once where that is plain, and not at all where another one may be meant."""

from __future__ import annotations

import io
import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.__main__ import run_line
from aurelius.cli.run import Context
from aurelius.plans.addressee import says_plainly
from indexer.catalog.names import Called, NoteNames
from indexer.matter.proposals import BLANK_FACT

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]

CASES = tomllib.loads(
    (Path(__file__).resolve().parents[2] / "cases" / "addressee.toml").read_text("utf-8")
)["case"]
NOTES = {
    "people/maya-chen.md": "# Maya Chen\n",
    "people/sarah-lindqvist.md": "---\naliases: [Sally]\n---\n# Sarah Lindqvist\n",
    "people/bo.md": "# Bo\n",
    "people/jean-luc-picard.md": "# Jean Luc Picard\n",
    "projects/atlas.md": "# Atlas\n",
    "projects/garden-shed.md": "# Garden shed\n",
    "resources/c++.md": "# C++\n",
    "people/alexander-kay.md": "# Alexander Kay\n",
    "people/rene-dubois.md": "# René Dubois\n",
    "areas/garden-water.md": "# Garden water\n",
    "docs/STABILITY-NOTES.md": "# Clawdbot Stability Notes\n",
    "agents/cold-calling-specialist.md": "# Cold calling specialist\n",
    "resources/REPORTS-2026.md": "# Reports 2026\n",
    "resources/writing-facts-that-last.md": "# Writing facts that last\n",
    "archives/paper-notebooks.md": "# Paper notebooks\n",
}


@pytest.fixture
def root(vault: Vaults) -> Path:
    there = vault("empty")
    for path, text in NOTES.items():
        (there / path).parent.mkdir(exist_ok=True)
        (there / path).write_text(text + "\n## Facts\n", encoding="utf-8")
    return there


def texts(root: Path) -> dict[str, str]:
    return {path.relative_to(root).as_posix(): path.read_text() for path in root.rglob("*.md")}


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("bo", "[[people/bo]]"),
        ("Sally", "[[people/sarah-lindqvist]]"),
        ("people/bo.md", "[[people/bo]]"),
        ("maya", "maya"),
        ("Garden shed", "[[projects/garden-shed]]"),
        ("a phone call", "a phone call"),
        ("call", "call"),
        ("sar", "sar"),
        ("shed", "shed"),
        ("garden", "garden"),
        ("projects", "projects"),
        ("facts", "facts"),
        ("diary", "diary"),
    ],
)
def test_a_source_is_a_link_where_it_plainly_names_a_note(
    aurelius: Aurelius, root: Path, said: str, told: str
) -> None:
    (root / "diary.md").write_text("---\nprivate: true\n---\n# Diary\n", "utf-8")
    assert aurelius("add", "atlas", "Starts in May", "--from", said, cwd=root).code == 0
    assert f"from {told})" in (root / "projects/atlas.md").read_text("utf-8")


@pytest.mark.parametrize("case", CASES, ids=[" ".join(case["words"]) for case in CASES])
def test_a_fact_goes_to_the_note_that_is_plainly_meant_or_nowhere(
    aurelius: Aurelius, root: Path, case: dict[str, Any]
) -> None:
    before = texts(root)
    done = aurelius("add", *case["words"], "--json", cwd=root)
    if "path" in case:
        assert done.code == 0, done.err
        assert [json.loads(done.out)[key] for key in ("path", "text")] == [
            case["path"],
            case["text"],
        ]
        return
    assert (done.code, texts(root)) == (5, before), done.out
    assert case["told"] in done.err


def test_a_third_of_the_cases_are_written_at_once() -> None:
    assert (len(CASES), sum("path" in case for case in CASES)) == (60, 20)


@pytest.mark.parametrize(
    "words",
    [
        ("update", "sara#^s4r4hx", "Plays the viola"),
        ("supersede", "sara#^s4r4hx", "Plays the viola"),
        ("add", "Maya Chen", "Plays the viola", "--updates", "sara#^s4r4hx"),
        ("move", "sara", "archives"),
        ("archive", "sara"),
        ("archive", "sara#^s4r4hx"),
        ("rm", "sara", "--yes"),
    ],
    ids=" ".join,
)
def test_nothing_is_changed_by_a_name_that_only_begins_like_the_notes(
    aurelius: Aurelius, root: Path, words: tuple[str, ...]
) -> None:
    note = root / "people/sarah-lindqvist.md"
    note.write_text(note.read_text() + "- Plays the cello ^s4r4hx\n")
    before = texts(root)
    done = aurelius(*words, cwd=root)
    assert (done.code, texts(root)) == (5, before), done.out
    assert "nothing was changed: 'sara' is not the whole name of a note" in done.err
    assert "did you mean people/sarah-lindqvist.md?" in done.err
    assert aurelius("show", "sara", cwd=root).code == 0
    whole = "people/sarah-lindqvist"
    assert aurelius(*(word.replace("sara", whole) for word in words), cwd=root).code == 0


def test_a_fact_goes_to_a_day_by_its_date(aurelius: Aurelius, root: Path) -> None:
    day = root / "memory/2025-05-01 Thursday.md"
    day.parent.mkdir(exist_ok=True)
    day.write_text("# Thursday\n")
    assert aurelius("add", "2025-05-01", "Went sailing", cwd=root).code == 0
    assert "- Went sailing" in day.read_text()


class Terminal(io.StringIO):
    """What a person types, and where they look."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("\n", 1)])
def test_in_a_terminal_a_longer_name_is_asked_about(
    env: dict[str, str], root: Path, answer: str, code: int
) -> None:
    out, err = io.StringIO(), Terminal()
    context = Context(str(root), env, False, Terminal(answer), out, err)
    assert run_line(["add", "maya", "chen", "likes", "jazz"], context) == code
    assert 'add "likes jazz" to people/maya-chen.md? [y/N]' in err.getvalue()
    assert ("- likes jazz" in (root / "people/maya-chen.md").read_text()) == (code == 0)


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("\n", 1)])
def test_in_a_terminal_part_of_a_name_is_asked_about(
    env: dict[str, str], root: Path, answer: str, code: int
) -> None:
    out, err = io.StringIO(), Terminal()
    context = Context(str(root), env, False, Terminal(answer), out, err)
    assert run_line(["add", "alex", "owns a boat"], context) == code
    assert 'add "owns a boat" to people/alexander-kay.md? [y/N]' in err.getvalue()
    assert ("- owns a boat" in (root / "people/alexander-kay.md").read_text()) == (code == 0)


@pytest.mark.parametrize(
    "command", [("rm", "people", "--yes"), ("archive", "people"), ("move", "people", "x.md")]
)
def test_the_name_of_a_folder_never_means_its_index_note(
    aurelius: Aurelius, vault: Vaults, command: tuple[str, ...]
) -> None:
    root = vault("empty")
    (root / "people").mkdir()
    (root / "people" / "_index.md").write_text("# People\n\nJoe\n")
    done = aurelius(*command, cwd=root)
    assert done.code != 0
    assert "people is a folder, not a note" in done.err
    assert (root / "people" / "_index.md").exists()
    assert aurelius("archive", "people/_index.md", cwd=root).code == 0


def test_undo_with_a_bare_number_names_the_command_that_takes_it(
    aurelius: Aurelius, vault: Vaults
) -> None:
    done = aurelius("undo", "29", cwd=vault("empty"))
    assert done.code != 0
    assert "aurelius undo --number 29" in done.err


# -- what was captured ---------------------------------------------------------------------------------------

CALLED = NoteNames(
    [
        Called("people/joe-bloggs.md", "Joe Bloggs", (), "person", None),
        Called("people/mila-kovac.md", "Mila Kovac", ("Mila",), "person", None),
        Called("areas/finances.md", "Finances", (), "area", None),
        Called("areas/health.md", "Health", (), "area", None),
        Called("projects/bakery.md", "Bakery", (), "project", None),
        Called("resources/recap.md", "Week 3", (), "resource", None),
        Called("MEMORY.md", "Memory", (), "memory", None),
    ]
)
OVEN, SHOP = (
    "Rents the oven from Debag for 310 euros a month",
    "Pays the shop rent of 1200 euros by 2026-11-21",
)


def captured_is_plain(home: str, text: str, old: str, *types: str) -> bool:
    kind, of_old = types or ("fact", "fact")
    line = BLANK_FACT._replace(text=f"[[{home}|Title]]: {text}" if home else text, type=kind)
    return says_plainly(
        CALLED, home, line, BLANK_FACT._replace(text=old, type=of_old) if old else None
    )


@pytest.mark.parametrize(
    ("home", "text", "old"),
    [
        ("areas/finances.md", "The rent of the oven is 350 euros now, not 310", OVEN),
        ("areas/finances.md", "We pay the shop rent of 1300 euros now, not 1200", SHOP),
        (
            "areas/finances.md",
            "The accountant is Mr. Hale now, not Mrs. Baum",
            "The accountant is Mrs. Baum",
        ),
        ("people/joe-bloggs.md", "Joe lives in Portland now, not Seattle", "Lives in Seattle"),
        ("people/joe-bloggs.md", "Joe charges 80 euros an hour now", "Charges 70 euros an hour"),
        ("people/joe-bloggs.md", "Joe no longer works at TechCorp", "Works at TechCorp"),
        ("people/mila-kovac.md", "she moved to Hamburg in January", "Lives in Berlin"),
        ("projects/bakery.md", "Bakery opens at 7 am now instead of 8 am", "Opens at 8 am"),
        ("people/mila-kovac.md", "Mila is allergic to nuts", ""),
        ("projects/bakery.md", "the bakery needs a permit for the terrace", ""),
        ("", "The office plant needs water on Mondays", ""),
    ],
)
def test_a_captured_line_that_says_what_it_replaces_waits(home: str, text: str, old: str) -> None:
    assert captured_is_plain(home, text, old)


@pytest.mark.parametrize(
    ("home", "text", "old"),
    [
        ("areas/finances.md", "The rent of the oven is 350 euros now, not 310", SHOP),
        ("areas/finances.md", "My sister's rent is 900 euros now, not 850", OVEN),
        ("areas/finances.md", "The flat costs 900 euros a month now", OVEN),
        (
            "areas/health.md",
            "Piet Vos charges 95 euros an hour, not 80",
            "Needs eight hours in bed",
        ),
        (
            "people/joe-bloggs.md",
            "Piet charges 95 euros an hour, not 80",
            "Charges 80 euros an hour",
        ),
        (
            "resources/recap.md",
            "Call me at 9 am now, not 8",
            "Lunch with the plumber at 8 am on Tuesday",
        ),
        ("areas/finances.md", "always give prices in euros including VAT", ""),
        ("areas/health.md", "the plumber takes two hours for a visit", ""),
        ("areas/health.md", "my health insurance costs 95 euros", ""),
        ("people/joe-bloggs.md", "the dentist charges 95 euros an hour", ""),
        ("", "Piet Vos charges 95 euros an hour", ""),
        ("", "He charges 80 euros an hour", ""),
        ("projects/bakery.md", "It opens at seven", ""),
    ],
)
def test_a_captured_line_is_filed_or_replaces_a_fact_by_a_shared_common_word(
    home: str, text: str, old: str
) -> None:
    assert not captured_is_plain(home, text, old)


def test_an_instruction_takes_the_place_of_a_fact_that_is_none() -> None:
    told = (
        "MEMORY.md",
        "articles need 80+ on Surfer now",
        "All articles must score 75+ on Surfer before publishing",
    )
    assert captured_is_plain(*told, "instruction", "instruction")
    assert not captured_is_plain(*told, "instruction", "fact")
