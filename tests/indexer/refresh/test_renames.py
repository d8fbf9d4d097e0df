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


LINES = ["- Plays the cello in an orchestra", "- Works as a nurse at the hospital", "- Met her at the climbing hall"]


def test_half_a_note_with_other_words_is_another_note() -> None:
    half = [*LINES[:2], "- Sells honey on the market", "- Has a dog that is called Bruno"]
    assert pairs({"a.md": LINES}, {"b.md": half}) == []


def test_a_few_words_tell_no_notes_apart() -> None:
    assert pairs({"a.md": ["- Paid"]}, {"b.md": ["- Paid"]}) == []
    assert pairs({"a.md": ["- Call the plumber", "- x"]}, {"b.md": ["- Call the plumber"]}) == []


def test_lines_of_a_template_that_a_neighbour_has_too_tell_no_notes_apart() -> None:
    old, new = [*LINES, "- ran far"], [*LINES, "- read much"]
    assert pairs({"a.md": old}, {"b.md": new}) == [("a.md", "b.md")]
    assert pairs({"a.md": old}, {"b.md": new}, LINES) == []


def test_two_days_are_no_rename_unless_every_word_is_the_same() -> None:
    old, new = {"memory/2026-01-03.md": LINES}, {"memory/2026-02-18.md": [*LINES, "- x"]}
    assert pairs(old, new) == []
    assert pairs(old, {"memory/2026-02-18.md": LINES}) == [("memory/2026-01-03.md", "memory/2026-02-18.md")]


def test_a_note_of_the_same_name_elsewhere_comes_before_one_that_is_as_like_it() -> None:
    gone, new = {"x/a.md": LINES, "x/b.md": LINES}, {"y/a.md": LINES, "y/b.md": LINES}
    assert pairs(gone, new) == [("x/a.md", "y/a.md"), ("x/b.md", "y/b.md")]
