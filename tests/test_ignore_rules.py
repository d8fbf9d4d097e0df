"""An ignore file whose rules cannot be followed is told in every answer, by `status` and by `doctor`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import Aurelius

READING = [
    "search tea",
    "list",
    "tags",
    "tasks",
    "today",
    "days",
    "show joe",
    "get joe.md",
    "links joe",
    "graph joe",
    "history joe",
    "status --tiers",
    "status --ageing",
    "review",
    "export --md",
    "doctor",
    "index",
    "status",
]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "joe.md").write_text("# Joe\n\n## Facts\n- Likes tea (2026-01-10)\n")
    return root


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path) if hasattr(os, "mkfifo") else path.mkdir()


def too_long(path: Path) -> None:
    path.write_bytes(b"x\n" * (3 << 20))


@pytest.mark.parametrize("make", [folder, pipe, too_long], ids=lambda make: make.__name__)
@pytest.mark.parametrize("name", [".aureliusignore", ".gitignore"])
def test_rules_that_cannot_be_followed_are_told_by_every_command(
    aurelius: Aurelius, root: Path, make: Callable[[Path], None], name: str
) -> None:
    aurelius("index", cwd=root)
    make(root / name)
    for line in READING:
        done = aurelius(*line.split(), cwd=root)
        is_of_joe = "joe" in line
        assert done.code in {0, 1, 5 * is_of_joe}, (line, done)
        assert "tea" not in done.out.replace("search tea", ""), (line, done.out)
        assert f"the ignore rules in {name} cannot be used" in done.err, (line, done.err)
    assert (
        json.loads(aurelius("search", "tea", "--json", cwd=root).out)["index"]["failed"][0]["path"]
        == name
    )
    found = json.loads(aurelius("status", "--json", cwd=root).out)["failed"]
    assert [each["path"] for each in found if "ignore" in each["path"]] == [name]
    told = json.loads(aurelius("doctor", "--json", cwd=root).out)["findings"]
    assert [each["path"] for each in told if each["code"] == "ignore-rules"] == [name]
    assert name in aurelius("status", cwd=root).out


def unreadable(path: Path) -> None:
    path.write_bytes(b"\xff\x00 no text \x00")


@pytest.mark.parametrize(
    "make", [folder, pipe, too_long, unreadable], ids=lambda make: make.__name__
)
def test_notes_that_rules_may_hide_leave_the_index_at_once_and_come_back(
    aurelius: Aurelius, root: Path, make: Callable[[Path], None]
) -> None:
    for number in range(40):
        (root / f"n{number}.md").write_text(f"# Note {number}\n\nalpha tea {number}\n")
    (root / "deep" / "er").mkdir(parents=True)
    (root / "deep" / "er" / "x.md").write_text("# X\n\nalpha deep\n")
    (root / "deep" / "er" / ".gitignore").write_text("!x.md\n")

    def found() -> dict[str, list[object]]:
        told: dict[str, list[object]] = json.loads(
            aurelius("list", "--json", "--all", cwd=root).out
        )
        return told

    assert len(found()["notes"]) == 42
    make(root / "deep" / ".gitignore")
    assert len(found()["notes"]) == 41, (
        "what lies beside the rules is hidden, whatever rules below say"
    )
    make(root / ".aureliusignore")
    assert found()["notes"] == []
    done = aurelius("search", "alpha", cwd=root)
    assert done.out == ""
    assert "missing from the folder" not in done.err
    for each in (root / ".aureliusignore", root / "deep" / ".gitignore"):
        each.rmdir() if each.is_dir() else each.unlink()
    assert len(found()["notes"]) == 42


def test_rules_that_cannot_be_followed_are_no_reason_to_fail(
    aurelius: Aurelius, root: Path
) -> None:
    (root / ".aureliusignore").write_bytes("sec/\n".encode("utf-16-le"))
    done = aurelius("new", "person", "Ann", cwd=root)
    assert done.code == 2
    assert not (root / "people").exists()
    assert aurelius("doctor", cwd=root).code == 1


def test_rules_in_utf_16_hide_a_note_and_are_not_torn_by_forget(
    aurelius: Aurelius, root: Path
) -> None:
    (root / "sec").mkdir()
    (root / "sec" / "hush.md").write_text("# Canary tea\n")
    rules = "sec/\r\n".encode("utf-16")
    (root / ".aureliusignore").write_bytes(rules)
    assert "hush" not in aurelius("search", "canary tea", "--json", cwd=root).out
    done = aurelius("forget", "joe.md", cwd=root)
    assert (done.code, "UTF-8" in done.err) == (6, True)
    assert (root / ".aureliusignore").read_bytes() == rules
