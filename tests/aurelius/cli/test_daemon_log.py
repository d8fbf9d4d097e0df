from __future__ import annotations

import io
import re
from pathlib import Path

import pytest

from aurelius.cli import daemon_log
from aurelius.cli.daemon_log import Journal
from aurelius.cli.run import Context


class Gone(io.StringIO):
    def write(self, _: str) -> int:
        raise BrokenPipeError


def context(err: io.StringIO) -> Context:
    return Context("/", {}, tty=False, stdin=io.StringIO(), out=io.StringIO(), err=err)


def test_a_line_goes_to_the_terminal_and_with_the_time_to_the_log(tmp_path: Path) -> None:
    err = io.StringIO()
    tell = Journal(str(tmp_path), context(err))
    tell("watching \x1b[31m\nthere \udcff")
    assert err.getvalue() == "aurelius: watching \\x1b[31m\\nthere \\xff\n"
    log = Path(tell.path).read_text("utf-8")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d watching \\x1b\[31m\\nthere \\xff\n", log)


def test_quietly_it_goes_to_the_log_alone(tmp_path: Path) -> None:
    err = io.StringIO()
    tell = Journal(str(tmp_path), context(err), quiet=True)
    tell("watching")
    assert err.getvalue() == ""
    assert Path(tell.path).read_text("utf-8").endswith(" watching\n")


def test_a_log_never_grows_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon_log, "LARGEST", 1000)
    tell = Journal(str(tmp_path), context(io.StringIO()), quiet=True)
    for number in range(200):
        tell(f"line {number}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "log.1"]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 2200
    assert "line 199\n" in (tmp_path / "log").read_text("utf-8") + (tmp_path / "log.1").read_text("utf-8")


def test_neither_a_full_disk_nor_a_closed_terminal_stops_a_daemon(tmp_path: Path) -> None:
    Journal(str(tmp_path / "nowhere"), context(Gone()))("watching")
    tell = Journal(str(tmp_path), context(Gone()))
    tell("watching")
    assert Path(tell.path).read_text("utf-8").endswith(" watching\n")
