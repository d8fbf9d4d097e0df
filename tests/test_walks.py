"""How many of our modules one cold command goes through: a number that may shrink, and must not grow silently."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

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
