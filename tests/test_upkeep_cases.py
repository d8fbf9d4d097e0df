"""What upkeep calls a duplicate is one, in other people's lines."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("benches.upkeep")


@pytest.mark.parametrize("place", [0, 1])
def test_nearly_all_proposed_duplicates_are_some(bench: Any, place: int) -> None:
    made = bench.judge(bench.FILES[place])
    assert made.right > 0
    assert made.precision >= bench.LEAST_RIGHT
