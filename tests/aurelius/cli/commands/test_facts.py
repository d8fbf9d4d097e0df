"""The commands that state and correct facts, where somebody else writes to the same note in that very moment."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from aurelius.writing import edit
from aurelius.writing.edits import Applied, Edit, Place

Aurelius = Callable[..., Any]
JOE = "# Joe\n\n## Facts\n- Lives in Rome (2026-01-01) ^rome01\n- Tea (2026-01-01) ^tea001\n"


@pytest.fixture
def joe(tmp_path: Path) -> Path:
    note = tmp_path / "vault" / "people" / "joe.md"
    note.parent.mkdir(parents=True)
    (tmp_path / "vault" / ".aurelius").mkdir()
    note.write_text(JOE)
    return note


def meddle(monkeypatch: pytest.MonkeyPatch, note: Path, times: int) -> None:
    """Let an editor save the note, with one more line each time, just before it is written."""
    real, count = edit.apply, 0

    def apply(place: Place, edits: Sequence[Edit], why: str, *, undoes: int = 0) -> Applied:
        nonlocal count
        if count < times:
            count += 1
            note.write_text(note.read_text() + f"- Typed {count}\n")
        return real(place, edits, why, undoes=undoes)

    monkeypatch.setattr(edit, "apply", apply)


@pytest.mark.parametrize(
    ("argv", "words"),
    [
        (("add", "joe", "Rows"), "- Rows (2026-02-10)"),
        (("update", "tea001", "Green tea"), "- Green tea (2026-01-01) ^tea001"),
        (("supersede", "rome01", "Lives in Bonn"), "- Lives in Bonn (2026-02-10)"),
        (("archive", "tea001"), "- Typed 2"),
        (("move", "joe", "people/joseph"), "- Typed 2"),
    ],
)
def test_a_note_that_changes_meanwhile_is_read_again(
    argv: tuple[str, ...], words: str, joe: Path, aurelius: Aurelius, monkeypatch: pytest.MonkeyPatch
) -> None:
    meddle(monkeypatch, joe, 2)
    done = aurelius(*argv, cwd=joe.parent)
    assert done.code == 0, done.err
    text = (joe if joe.exists() else joe.with_name("joseph.md")).read_text()
    assert words in text
    assert "- Typed 1\n- Typed 2\n" in text
    assert done.out.count("joe") >= 1


@pytest.mark.parametrize("argv", [("add", "joe", "Rows"), ("update", "tea001", "Green tea"), ("archive", "tea001")])
def test_a_dry_run_refuses_what_would_be_refused(aurelius: Aurelius, joe: Path, argv: tuple[str, ...]) -> None:
    joe.chmod(0o444)
    dry, real = (aurelius(argv[0], *flags, *argv[1:], cwd=joe.parent.parent) for flags in (["--dry-run"], []))
    assert (dry.code, dry.err) == (real.code, real.err)
    assert dry.code == 2
    assert "read-only\nhint: make it writable" in dry.err
    assert joe.read_text() == JOE
    joe.chmod(0o644)


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31"])
def test_a_date_that_no_line_can_hold_is_named(aurelius: Aurelius, joe: Path, day: str) -> None:
    done = aurelius("add", "joe", "Rows", "--date", day, cwd=joe.parent)
    assert done.code == 2
    assert f"--date {day!r} is out of range" in done.err
    assert "is out of range" in aurelius("add", "joe", "Rows", "--now", day, cwd=joe.parent).err
    assert joe.read_text() == JOE


def test_the_words_of_a_superseded_fact_are_not_changed(aurelius: Aurelius, joe: Path) -> None:
    assert aurelius("supersede", "rome01", "Lives in Bonn", cwd=joe.parent).code == 0
    before = joe.read_bytes()
    done = aurelius("update", "^rome01", "Lives in Paris", cwd=joe.parent)
    assert done.code == 2
    assert "is a superseded fact, so its words are not changed" in done.err
    assert "`aurelius history rome01` shows what replaced it" in done.err
    assert joe.read_bytes() == before


def test_a_note_does_not_move_to_nowhere(aurelius: Aurelius, joe: Path) -> None:
    done = aurelius("move", "joe", "", cwd=joe.parent)
    assert done.code == 2
    assert "missing argument: DEST" in done.err
    assert joe.read_text() == JOE


def test_outcomes_are_told_in_plain_words(aurelius: Aurelius, vault: Callable[[str], Path]) -> None:
    root = vault("template")
    told = aurelius("reinforce", "k3v9qa", cwd=root).out
    assert told.startswith("ranks higher now (score 3, was 0): Lives in Los Angeles  people/joe-bloggs.md  [id:k3v9qa]")
    assert aurelius("demote", "k3v9qa", cwd=root).out.startswith("ranks lower now (score 2, was 3)")
    done = aurelius("get", "^nope12", cwd=root)
    assert (done.code, done.err.splitlines()[0]) == (5, "aurelius: no fact has the id ^nope12")
    then = aurelius("search", "San Diego", "--as-of", "2025-05-02", "-n", "1", cwd=root).out
    assert "2025-03-01  held then, superseded since  " in then


def test_a_note_of_a_vault_inside_the_vault_is_not_written_without_a_word(
    aurelius: Aurelius, vault: Callable[[str], Path]
) -> None:
    root = vault("empty")
    for path in ("inner/.aurelius", "inner/people", "people"):
        (root / path).mkdir(parents=True)
    for path in ("inner/people/zed.md", "people/bo.md"):
        (root / path).write_text("# X\n\n## Facts\n")
    told = aurelius("add", "inner/people/zed", "Plays go", cwd=root).err
    assert "inner is a vault of its own: its own `aurelius undo` does not know of this change" in told
    assert "aurelius --vault inner" in told
    assert "vault of its own" not in aurelius("add", "people/bo", "Keeps bees", cwd=root).err


@pytest.mark.parametrize("name", ["ann", "people/ann-lee", "ann-lee.md"])
def test_a_name_without_a_text_does_not_become_a_fact_of_today(
    aurelius: Aurelius, vault: Callable[[str], Path], name: str
) -> None:
    root = vault("empty")
    (root / "people").mkdir(parents=True)
    (root / "people/ann-lee.md").write_text("---\naliases: [Ann]\n---\n# Ann Lee\n\n## Facts\n")
    before = sorted(path for path in root.rglob("*.md"))
    told = aurelius("add", name, cwd=root)
    assert told.code == 2
    assert "missing argument: the fact about Ann Lee (people/ann-lee.md)" in told.err
    assert f'aurelius add {name} "Likes tea"' in told.err
    assert sorted(path for path in root.rglob("*.md")) == before
    assert aurelius("add", "Rained", cwd=root).code == 0
    assert aurelius("note", name, cwd=root).code == 0


# -- what a new fact contradicts ---------------------------------------------------------------------------

HOMES = "# Joe\n\n## Facts\n- Lives in Santa Monica (2026-01-01) ^mon1ca\n- Painter is Ana (2026-01-01) ^ana001\n"


@pytest.fixture
def homes(tmp_path: Path) -> Path:
    (tmp_path / "v/people").mkdir(parents=True)
    (tmp_path / "v/.aurelius").mkdir()
    (tmp_path / "v/people/joe.md").write_text(HOMES)
    return tmp_path / "v"


@pytest.mark.parametrize(
    ("text", "old"),
    [("Lives in Boston", "mon1ca"), ("Moved to Boston", "mon1ca"), ("Painter is Luis", "ana001")],
)
def test_what_a_new_fact_contradicts_is_told_with_the_command_that_replaces_it(
    aurelius: Aurelius, homes: Path, text: str, old: str
) -> None:
    done = aurelius("add", "joe", text, cwd=homes)
    assert done.code == 0
    assert "this may contradict people/joe.md:" in done.err
    assert f"`aurelius undo`, then `aurelius supersede {old} '{text}'`" in done.err
    assert f"- {text} (" in (homes / "people/joe.md").read_text(), "it is written all the same"
    assert aurelius("undo", cwd=homes).code == 0
    shown = aurelius("add", "joe", text, "--dry-run", cwd=homes)
    assert f"no longer true: `aurelius supersede {old} '{text}'`" in shown.err


@pytest.mark.parametrize("text", ["Likes chess", "Visited Boston", "Lives in Santa Monica near the pier"])
def test_nothing_is_told_of_a_fact_that_holds_beside_the_others(aurelius: Aurelius, homes: Path, text: str) -> None:
    assert "may contradict" not in aurelius("add", "joe", text, cwd=homes).err


def test_a_fact_that_names_what_it_updates_contradicts_nothing_else(aurelius: Aurelius, homes: Path) -> None:
    done = aurelius("add", "joe", "Lives in Boston", "--updates", "ana001", cwd=homes)
    assert (done.code, "may contradict" in done.err) == (0, False)


def test_a_program_is_told_what_a_new_fact_contradicts(aurelius: Aurelius, homes: Path) -> None:
    answer = json.loads(aurelius("add", "joe", "Lives in Boston", "--json", cwd=homes).out)
    assert [(each["id"], each["text"]) for each in answer["older"]] == [("mon1ca", "Lives in Santa Monica")]
