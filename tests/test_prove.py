"""What is promised is proved by the real commands, and a promise that is broken is told."""

from __future__ import annotations

import subprocess
import sys
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[1]


def test_every_proof_holds() -> None:
    done = subprocess.run([sys.executable, ROOT / "scripts/prove"], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    *lines, last = done.stdout.splitlines()
    assert [line.split()[:2] for line in lines] == [
        ["koshi", "ok"],
        ["devclaw", "ok"],
        ["spacebot", "ok"],
        ["octybot", "ok"],
        ["aurelius", "ok"],
    ]
    assert last == "5/5"


def test_what_is_not_so_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    prove = ModuleType("prove")
    prove.__file__ = str(ROOT / "scripts/prove")
    SourceFileLoader("prove", str(ROOT / "scripts/prove")).exec_module(prove)
    monkeypatch.setattr(prove, "PAYMENTS", "# Payments\n\n## Facts\n\n- Payment by card ^hmac01\n")
    monkeypatch.setattr(sys, "argv", ["prove", "koshi"])
    assert prove.main() == 1
    assert capsys.readouterr().out.startswith("koshi     NOT SO  both facts are found")
