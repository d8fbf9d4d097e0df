"""Notes that another program renamed are recognised, and no note is taken for one that it is not."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from indexer.refresh.renames import pairs

CASES = tomllib.loads((Path(__file__).parents[2] / "cases" / "renames.toml").read_text("utf-8"))["case"]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["why"])
def test_a_rename_is_told_from_what_is_none(case: dict[str, Any]) -> None:
    before, after = ({each["path"]: each["text"].splitlines() for each in case[when]} for when in ("before", "after"))
    gone = {path: text for path, text in before.items() if path not in after}
    new = {path: text for path, text in after.items() if path not in before}
    others = [line for path, text in after.items() if path in before for line in text]
    assert pairs(gone, new, others) == [tuple(each) for each in case["renamed"]]
