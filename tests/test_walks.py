"""How many of our modules one cold command goes through: a number that may shrink, and must not grow silently."""

from __future__ import annotations

import importlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from aurelius.settings.places import APPENDS, DISPLACED, OPEN, UNDO, vault_state

ROOT = Path(__file__).resolve().parents[1]
REACHED = {"search": 41, "add": 78}
"""Modules that each goes through today."""


def test_a_cold_command_goes_through_no_more_modules(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", [str(ROOT / "scripts"), *sys.path])
    walks = importlib.import_module("benches.walks")

    found = walks.walks(tmp_path)
    assert found.keys() == REACHED.keys()
    told = {name: sorted(each.calls) for name, each in found.items()}
    assert {
        name: len(each.calls) for name, each in found.items() if len(each.calls) > REACHED[name]
    } == {}, told
    assert found["search"].calls["aurelius/settings/places"]["vault_state"] == 1, (
        "where its state lies, found out once"
    )
    assert walks.parses(found["search"]) == 0
    assert 0 < walks.parses(found["add"]) <= walks.MOST_PARSES


LOADED = """
import os, sys
sys.path.insert(0, {root!r})
from aurelius.__main__ import main

def ended(code):
    print(*sorted(name for name in sys.modules if name.startswith("aurelius.writing")), file=sys.stderr)
    sys.stderr.flush()
    os.kill(os.getpid(), 9)

os._exit = ended
sys.argv = ["aurelius", "search", "where does Joe live"]
main()
"""
"""A search that says last of all which modules of the writing room it has loaded."""


def test_a_search_loads_the_writing_room_only_where_something_waits_for_it(
    tmp_path: Path, env: dict[str, str]
) -> None:
    vault = tmp_path / "vault"
    shutil.copytree(ROOT / "vault_template", vault)

    def loaded() -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", LOADED.format(root=str(ROOT))],
            cwd=vault,
            env={**os.environ, **env},
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Los Angeles" in done.stdout
        return done.stderr.split()

    loaded()  # this makes the index
    assert loaded() == []
    for waiting in (APPENDS, DISPLACED, f"{UNDO}/00000001{OPEN}"):
        # a first look gives the vault its name, and its state another place
        left = Path(vault_state(str(vault), env), waiting)
        left.parent.mkdir(exist_ok=True)
        left.write_text("\n")
        assert "aurelius.writing.append" in loaded()
        left.unlink(missing_ok=True)
        assert loaded() == []
