"""Notes and lines with what they mean, written down before the code that reads them: `tests/cases`.

Half of them hold something to find, half hold nothing.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from indexer.note import Fact
from indexer.reading.parse import parse

CASES = Path(__file__).parent / "cases"
MISSED: dict[str, frozenset[int]] = {
    "facts": frozenset({1, 3, 4, 5, 6, 14, 15, 16, 17, 18, 21, 23, 24, 25, 27, 29, 30}),
    "tails": frozenset({7, 8, 9, 10, 11, 17, *range(31, 61)}),
}
"""The cases that are read wrongly, by their place in the file; a list that only gets shorter."""


def cases(name: str) -> list[Any]:
    found = tomllib.loads((CASES / f"{name}.toml").read_text(encoding="utf-8"))["case"]
    assert len(found) == 60
    return [pytest.param(at, each, id=f"{at}-{each['why'][:40]}") for at, each in enumerate(found, 1)]


@pytest.mark.parametrize(("at", "case"), cases("facts"))
def test_a_note_holds_just_the_facts_that_it_states(at: int, case: dict[str, Any]) -> None:
    note = parse(case["path"], case["note"].encode())
    assert ([fact.text for fact in note.facts] == case["facts"]) != (at in MISSED["facts"]), case["why"]


@pytest.mark.parametrize(("at", "case"), cases("tails"))
def test_a_line_says_in_its_tail_just_what_is_meant(at: int, case: dict[str, Any]) -> None:
    [fact] = parse("people/x.md", f"# X\n\n## Facts\n\n{case['line']}\n".encode()).facts
    wanted = (case["text"], case["date"], case["type"], case["subtype"], case["unknown"])
    assert (_said(fact) == wanted) != (at in MISSED["tails"]), case["why"]


def _said(fact: Fact) -> tuple[object, ...]:
    more = getattr(fact, "subtype", ""), list(getattr(fact, "unknown", ()))
    return fact.text, fact.date or "", fact.type, *more
