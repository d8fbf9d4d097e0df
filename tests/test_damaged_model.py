"""The shipped weights gone or damaged: every command answers by words alone, says so in one line, and needs no mending
once they are back.

The packages are copied and run in processes of their own, because the weights are looked for beside the code.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
LINE = "the embedding model cannot be read: "
WORDS = "; searching by words only; reinstall aurelius"


class Place(NamedTuple):
    """A copy of the packages, a vault, and the environment that runs the one in the other."""

    model: Path
    vault: Path
    env: dict[str, str]

    def run(self, *argv: str) -> subprocess.CompletedProcess[str]:
        """A command in a process of its own."""
        command = [sys.executable, "-m", "aurelius", *argv]
        return subprocess.run(
            command,
            cwd=self.vault,
            env=self.env,
            capture_output=True,
            encoding="utf-8",
            check=False,
            timeout=120,
        )


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the packages whose weights may be damaged."""
    there = tmp_path_factory.mktemp("packages")
    for name in ("aurelius", "indexer"):
        shutil.copytree(ROOT / name, there / name, ignore=shutil.ignore_patterns("__pycache__"))
    return there


@pytest.fixture
def place(packages: Path, tmp_path: Path) -> Iterator[Place]:
    vault = tmp_path / "vault"
    (vault / "people").mkdir(parents=True)
    (vault / ".aurelius").mkdir()
    (vault / "people" / "maya.md").write_text(
        "# Maya\n\n## Facts\n\n- Allergic to shellfish (2026-01-02) ^may001\n"
    )
    kept = {
        name: value
        for name, value in os.environ.items()
        if name in {"PATH", "SYSTEMROOT", "TMPDIR", "TEMP"}
    }
    env = {
        **kept,
        "HOME": str(tmp_path),
        "PYTHONPATH": str(packages),
        "PYTHONUTF8": "1",
        "AURELIUS_NO_DAEMON": "",
    }
    model = packages / "indexer" / "model"
    yield Place(model, vault, env)
    for name in os.listdir(ROOT / "indexer" / "model"):
        shutil.copyfile(ROOT / "indexer" / "model" / name, model / name)


def gone(path: Path) -> None:
    path.unlink()


def empty(path: Path) -> None:
    path.write_bytes(b"")


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1000])


def garbage(path: Path) -> None:
    path.write_bytes(bytes(reversed(path.read_bytes())))


def zeros(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: 1 << 16] + bytes(path.stat().st_size - (1 << 16)))


DAMAGE = [
    (gone, "table.i8"),
    (empty, "table.i8"),
    (cut, "table.i8"),
    (garbage, "table.i8"),
    (zeros, "table.i8"),
    (gone, "scale.f32"),
    (garbage, "scale.f32"),
    (cut, "vocab.txt"),
    (gone, "vocab.lookup"),
    (garbage, "vocab.lookup"),
    (cut, "near.bin"),
]


def assert_told(done: subprocess.CompletedProcess[str], name: str) -> None:
    """Assert that a command said once, and nothing else, that the weights cannot be read."""
    told = [line for line in done.stderr.splitlines() if LINE in line]
    assert len(told) == 1, done.stderr
    assert name in told[0]
    assert told[0].endswith(WORDS)
    assert "cannot be written" not in done.stderr
    assert "no vectors" not in done.stderr, "that is what follows from it, not another fault"


@pytest.mark.parametrize(
    ("damage", "name"), DAMAGE, ids=[f"{damage.__name__}-{name}" for damage, name in DAMAGE]
)
def test_damaged_weights_leave_the_search_by_words(
    place: Place, damage: Callable[[Path], None], name: str
) -> None:
    damage(place.model / name)
    done = place.run("search", "shellfish")
    assert (done.returncode, "Allergic to shellfish" in done.stdout) == (0, True), done.stderr
    assert_told(done, name)


def test_no_command_ends_as_a_bug_where_the_weights_are_gone(place: Place) -> None:
    gone(place.model / "table.i8")
    done = place.run("add", "maya", "Plays the cello")
    assert (done.returncode, "Plays the cello" in (place.vault / "people/maya.md").read_text()) == (
        0,
        True,
    )
    assert_told(done, "table.i8")
    done = place.run("status")
    assert done.returncode == 0
    assert_told(done, "table.i8")
    done = place.run("doctor")
    assert done.returncode == 1
    assert LINE in done.stdout
    assert "cannot be written" not in done.stdout, "the folder of the index is not at fault"
    done = place.run("doctor", "--verify")
    assert (done.returncode, LINE in done.stderr) == (3, True), (
        done.stderr
    )  # it proves vectors, and cannot
    for argv in (
        ["index"],
        ["index", "--rebuild"],
        ["list"],
        ["show", "maya"],
        ["summarize"],
        ["review"],
        ["undo"],
    ):
        done = place.run(*argv)
        assert done.returncode == 0, (argv, done.stderr)
        assert "cannot be written" not in done.stderr


def test_an_index_that_is_there_is_kept_while_the_weights_are_gone(place: Place) -> None:
    place.run("search", "seafood")
    gone(place.model / "table.i8")
    done = place.run("search", "shellfish")
    assert "Allergic to shellfish" in done.stdout
    assert_told(done, "table.i8")
    assert_told(place.run("status"), "table.i8")
    assert "by words and meaning" not in place.run("doctor").stdout


def test_weights_that_are_back_are_used_without_a_word(place: Place) -> None:
    gone(place.model / "table.i8")
    assert LINE in place.run("search", "intolerant of seafood").stderr
    shutil.copyfile(ROOT / "indexer" / "model" / "table.i8", place.model / "table.i8")
    done = place.run("search", "--mode", "vector", "intolerant of seafood")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Allergic to shellfish" in done.stdout


def test_a_daemon_answers_by_words_where_the_weights_are_gone_and_by_meaning_once_they_are_back(
    place: Place,
) -> None:
    gone(place.model / "table.i8")
    try:
        started = place.run("daemon", "start")
        assert "started the daemon" in started.stderr
        done = place.run("search", "shellfish")
        assert (done.returncode, "Allergic to shellfish" in done.stdout) == (0, True), done.stderr
        assert_told(done, "table.i8")
        shutil.copyfile(ROOT / "indexer" / "model" / "table.i8", place.model / "table.i8")
        done = place.run("search", "--mode", "vector", "intolerant of seafood")
        assert (done.returncode, done.stderr) == (0, "")
        assert "Allergic to shellfish" in done.stdout
    finally:
        place.run("daemon", "stop")
