"""What common lines are about."""

from __future__ import annotations

import pytest

from aurelius.language.topics import SINGLE, names_sense, senses
from indexer.tokens.english import stem


@pytest.mark.parametrize(
    ("line", "firm", "loose"),
    [("HQ: Oslo", "headquarters", ""), ("moved the team to Oslo", "", "home"), ("the price a month", "cost", "cost")],
)
def test_firm_and_loose(line: str, firm: str, loose: str) -> None:
    found = senses(line, frozenset(stem(word.strip(":")) for word in line.split()))
    assert firm in found[0] or not firm
    assert loose in found[1] or not loose
    assert bool(found[0]) == bool(firm)


def test_only_what_names_a_matter_does() -> None:
    assert names_sense(stem("deadline"))
    assert not names_sense(stem("Lisbon"))
    assert "home" in SINGLE
    assert "child" not in SINGLE
