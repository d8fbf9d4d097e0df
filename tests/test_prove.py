"""What is promised is proved by `scripts/prove`, and a promise that is broken is told."""

from __future__ import annotations

import io
import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from aurelius.__main__ import run_line
from aurelius.cli.run import Context

ROOT = Path(__file__).resolve().parents[1]
REAL = subprocess.run


def run(words: list[str], **given: Any) -> Any:
    """As `subprocess.run`, but a command of ours runs in this process; a hook, which forks, keeps its own."""
    if words[1:3] != ["-m", "aurelius"] or words[3] == "hook":
        return REAL(words, **given)
    out, err = io.StringIO(), io.StringIO()
    code = run_line(
        words[3:],
        Context("/", given["env"], False, io.StringIO(given.get("input") or ""), out, err),
    )
    return subprocess.CompletedProcess(words, code, out.getvalue(), err.getvalue())


@pytest.fixture
def prove(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    module = ModuleType("prove")
    module.__file__ = str(ROOT / "scripts/prove")
    SourceFileLoader("prove", str(ROOT / "scripts/prove")).exec_module(module)
    monkeypatch.setattr(subprocess, "run", run)
    return module


def test_every_other_proof_holds(
    prove: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["prove", "koshi", "spacebot", "octybot", "aurelius"])
    assert prove.main() == 0
    *lines, last = capsys.readouterr().out.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["koshi", "ok"],
        ["spacebot", "ok"],
        ["octybot", "ok"],
        ["aurelius", "ok"],
    ]
    assert last == "4/4"


def test_what_a_daemon_is_needed_for_is_proved_in_processes_of_its_own() -> None:
    done = REAL([sys.executable, ROOT / "scripts/prove", "devclaw"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert [line.split()[:2] for line in done.stdout.splitlines()] == [["devclaw", "ok"], ["1/1"]]


def test_what_is_not_so_is_told(
    prove: ModuleType, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(prove, "PAYMENTS", "# Payments\n\n## Facts\n\n- Payment by card ^hmac01\n")
    monkeypatch.setattr(sys, "argv", ["prove", "koshi"])
    assert prove.main() == 1
    assert capsys.readouterr().out.startswith("koshi     NOT SO  both facts are found")
