"""`aurelius review`: what waits is shown, accepted or dismissed by its number; what was lost is told once."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from aurelius.writing import append, append_journal
from aurelius.writing.edits import Place

Aurelius = Callable[..., Any]
JOE = "# Joe\n\n## Facts\n- Lives in Rome (2026-01-01) ^rome01\n"
DAY = "# 2026-02-09\n\n- [[people/joe]] moved to Bonn\n\n## Captured\n- Maybe buys a boat\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for path, text in {"people/joe.md": JOE, "memory/2026-02-09.md": DAY}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / ".aurelius").mkdir()
    return root


class Gone(NamedTuple):
    """A line that is gone."""

    path: str = "memory/2026\n.md"
    data: bytes = b"- mine \x1b\n"


def test_what_waits_is_shown_and_counted_where_not_all_of_it_is(aurelius: Aurelius, root: Path) -> None:
    done = aurelius("review", cwd=root)
    assert (done.code, done.err) == (0, "")
    assert [part.split()[:2] for part in done.out.split("\n\n")[1:]] == [["1", "supersede"], ["2", "captured"]]
    done = aurelius("review", "--limit", "1", cwd=root)
    assert done.err == "aurelius: 1 more: -n 200, or --all\n"
    answer = json.loads(aurelius("review", "--limit", "1", "--json", cwd=root).out)
    assert (len(answer["matters"]), answer["total"]) == (1, 2)


def test_nothing_that_waits_is_said(aurelius: Aurelius, root: Path) -> None:
    (root / "memory" / "2026-02-09.md").unlink()
    done = aurelius("review", cwd=root)
    assert (done.code, done.out, done.err) == (0, "", "aurelius: nothing to review\n")
    assert json.loads(aurelius("review", "--json", cwd=root).out)["total"] == 0


def test_a_number_without_a_verb_is_not_guessed(aurelius: Aurelius, root: Path) -> None:
    done = aurelius("review", "list", "1", cwd=root)
    assert (done.code, done.out) == (2, "")
    assert "missing argument: what to do with proposal 1" in done.err


@pytest.mark.parametrize("argv", [("accept",), ("dismiss",), ("accept", "9"), ("dismiss", "nothing")])
def test_what_is_not_there_is_neither_accepted_nor_dismissed(
    aurelius: Aurelius, root: Path, argv: tuple[str, ...]
) -> None:
    done = aurelius("review", *argv, cwd=root)
    assert (done.code, done.out) == (2, "")
    assert (root / "people" / "joe.md").read_text() == JOE


def test_what_is_accepted_is_written_and_no_longer_waits(aurelius: Aurelius, root: Path) -> None:
    shown = aurelius("review", "accept", "1", "--dry-run", cwd=root)
    assert "+- ~~Lives in Rome~~" in shown.out
    assert (root / "people" / "joe.md").read_text() == JOE
    done = aurelius("review", "accept", "1", cwd=root)
    assert done.out.startswith('replaced "Lives in Rome" with "[[people/joe]] moved to Bonn" in people/joe.md\n')
    assert "~~Lives in Rome~~" in (root / "people" / "joe.md").read_text()
    assert json.loads(aurelius("review", "--json", cwd=root).out)["total"] == 1


def test_what_is_dismissed_changes_no_note_and_does_not_come_back(aurelius: Aurelius, root: Path) -> None:
    done = aurelius("review", "dismiss", "2", cwd=root)
    assert done.out.startswith("dismissed; it will not be suggested again")
    assert (root / "memory" / "2026-02-09.md").read_text() == DAY
    matters = json.loads(aurelius("review", "--json", cwd=root).out)["matters"]
    assert [each["what"] for each in matters] == ["supersede"]


@pytest.fixture
def taken_out(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A line that somebody took out again right after it was added; the states of which that was settled."""
    settled: list[str] = []

    def vanished(state: str) -> list[object]:
        return [] if settled else [1]

    monkeypatch.setattr(append_journal, "vanished", vanished)
    monkeypatch.setattr(append_journal, "settle", settled.append)

    def gone(place: Place) -> list[Gone]:
        return [] if settled else [Gone()]

    monkeypatch.setattr(append, "gone", gone)
    return settled


def test_a_line_that_was_taken_out_again_is_told_once(aurelius: Aurelius, root: Path, taken_out: list[str]) -> None:
    told = aurelius("review", cwd=root).err
    what = (
        "a line that was added to memory/2026\\n.md was later removed by another program, and is not restored: - mine"
    )
    assert told.count(what) == 1
    assert len(taken_out) == 1


def test_a_program_that_asks_does_not_use_up_what_a_person_is_to_be_told(
    aurelius: Aurelius, root: Path, taken_out: list[str]
) -> None:
    assert aurelius("review", "--json", cwd=root).err == ""
    assert taken_out == []


def test_a_dismissal_that_cannot_be_kept_is_not_told_as_done(
    aurelius: Aurelius, root: Path, env: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "elsewhere").mkdir()
    (root / ".aurelius" / "log").symlink_to(tmp_path / "elsewhere")
    done = aurelius("review", "dismiss", "1", cwd=root)
    assert (done.code, done.out) == (6, "")
    assert "leads through the symbolic link log" in done.err
    (root / ".aurelius" / "log").unlink()
    (tmp_path / "file").write_text("x")
    env["XDG_STATE_HOME"] = str(tmp_path / "file")
    done = aurelius("review", "dismiss", "1", cwd=root)
    assert (done.code, done.out) == (6, "")
    assert "the usage log cannot be written" in done.err
