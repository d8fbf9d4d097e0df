"""Folders that may not be written or read: each command still answers, or says in one line why it cannot.

A superuser may write anywhere, so where the tests run as one, the command runs in a process that has
given its rights up (after a first command has imported everything: the interpreter itself may be out of
an ordinary user's reach).
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

CHILD = """
import io, os, sys, tempfile
from aurelius.__main__ import run_line
from aurelius.cli.run import Context

def run(argv, out, err, env):
    return run_line(argv, Context(os.sep, env, False, sys.stdin, out, err, None))

warm, index, temporary, *argv = sys.argv[1:]
for each in (["index", "--rebuild"], ["search", "tea"], argv[:1] + ["tea"] * (argv[0] == "search")):
    run(["--vault", warm, *each], io.StringIO(), io.StringIO(), {"AURELIUS_INDEX": warm + "-index", "HOME": warm})
import platform, traceback, indexer.reading.block_scanner, indexer.refresh.write_notes, indexer.reading.parse
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)  # nobody
tempfile.tempdir = temporary
sys.exit(run(argv, sys.stdout, sys.stderr, {"AURELIUS_INDEX": index, "HOME": temporary}))
"""


class Place:
    """A vault of one note, a folder for its index and one for temporary files, in reach of everybody."""

    def __init__(self, top: Path) -> None:
        self.vault, self.index, self.temporary, self.warm = (
            top / name for name in ("vault", "index", "temporary", "warm")
        )
        for each in (self.vault, self.index, self.temporary, self.warm):
            each.mkdir()
            each.chmod(0o777)
        for vault in (self.vault, self.warm):
            (vault / ".aurelius").mkdir()
            (vault / "tea.md").write_text("# Tea\n\nSencha steeps for one minute.\n", "utf-8")

    def run(self, *argv: str) -> tuple[int, str, str]:
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                CHILD,
                str(self.warm),
                str(self.index),
                str(self.temporary),
                *argv,
                "--vault",
                str(self.vault),
            ],
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            encoding="utf-8",
        )
        return done.returncode, done.stdout, done.stderr


if hasattr(os, "getuid"):  # Windows has no such modes

    @pytest.fixture
    def place() -> Iterator[Place]:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
            top = Path(folder)
            top.chmod(0o755)
            made = Place(top)
            yield made
            for path in (made.vault, made.index, made.temporary, made.vault / "tea.md"):
                path.chmod(0o777)

    def test_no_writable_cache_means_a_temporary_index(place: Place) -> None:
        place.index.chmod(0o555)
        code, out, err = place.run("search", "sencha", "--paths")
        assert (code, out) == (0, "tea.md\n")
        assert err.count("\n") == 1
        assert "Permission denied" in err
        assert str(place.temporary) in err

    def test_no_writable_folder_at_all_means_an_index_in_memory(place: Place) -> None:
        place.index.chmod(0o555)
        place.temporary.chmod(0o555)
        code, out, err = place.run("search", "sencha", "--paths")
        assert (code, out) == (0, "tea.md\n")
        assert err.count("\n") == 1
        assert "memory" in err

    def test_a_vault_that_cannot_be_written_is_read(place: Place) -> None:
        (place.vault / "tea.md").chmod(0o444)
        place.vault.chmod(0o555)
        for line in (
            ["search", "sencha"],
            ["index"],
            ["status"],
            ["doctor"],
            ["show", "tea"],
            ["get", "tea.md"],
        ):
            code, out, err = place.run(*line)
            assert code == 0, (line, err)
            assert out or line == ["doctor"]

    def test_a_vault_that_cannot_be_written_is_no_place_for_forget(place: Place) -> None:
        place.run("index")
        place.vault.chmod(0o555)
        code, out, err = place.run("forget", "tea.md")
        assert (code, out) == (6, "")
        assert "nothing was forgotten" in err
        assert place.run("search", "sencha", "--paths")[1] == "tea.md\n"

    def test_a_vault_that_cannot_be_listed_is_exit_7(place: Place) -> None:
        place.vault.chmod(0o311)
        code, out, err = place.run("search", "sencha")
        assert (code, out) == (7, "")
        assert "cannot be read" in err

    def test_a_note_that_cannot_be_read_is_named_and_the_rest_goes_on(place: Place) -> None:
        (place.vault / "secret.md").write_text("# Secret\n", "utf-8")
        (place.vault / "secret.md").chmod(0)
        code, out, _ = place.run("index")
        assert code == 1
        assert "failed: secret.md: permission denied\n" in out
        code, out, _ = place.run("status")
        assert code == 1
        assert "secret.md: permission denied" in out
        assert place.run("search", "sencha", "--paths")[:2] == (0, "tea.md\n")
        code, out, _ = place.run("search", "sencha", "--json")
        assert '"failed":[{"path":"secret.md","reason":"permission denied"}]' in out
