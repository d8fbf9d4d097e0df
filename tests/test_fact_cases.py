"""Notes and lines with what they mean, written down before the code that reads them: `tests/cases`.

Half of them hold something to find, half hold nothing.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from indexer.reading.parse import parse

CASES = Path(__file__).parent / "cases"


def cases(name: str) -> list[Any]:
    found = tomllib.loads((CASES / f"{name}.toml").read_text(encoding="utf-8"))["case"]
    assert len(found) == 60
    return [pytest.param(each, id=f"{at}-{each['why'][:40]}") for at, each in enumerate(found, 1)]


@pytest.mark.parametrize("case", cases("facts"))
def test_a_note_holds_just_the_facts_that_it_states(case: dict[str, Any]) -> None:
    note = parse(case["path"], case["note"].encode())
    assert [fact.text for fact in note.facts] == case["facts"], case["why"]


@pytest.mark.parametrize("case", cases("tails"))
def test_a_line_says_in_its_tail_just_what_is_meant(case: dict[str, Any]) -> None:
    [fact] = parse("people/x.md", f"# X\n\n## Facts\n\n{case['line']}\n".encode()).facts
    wanted = (case["text"], case["date"], case["type"], case["subtype"], case["unknown"])
    assert (fact.text, fact.date or "", fact.type, fact.subtype, list(fact.unknown)) == wanted, (
        case["why"]
    )
