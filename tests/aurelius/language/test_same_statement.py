"""Near-duplicates: what differs in a number, a date, a negation or one word is never one."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurelius.language.same_statement import alike, covers, said


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lives in Los Angeles", "lives in **Los Angeles**."),
        ("Lives in Los Angeles", "Living in Los Angeles"),
        ("Works at [[companies/techcorp]]", "works at TechCorp"),
        ("Works at [[companies/techcorp|TechCorp]] as engineer", "Works at TechCorp as an engineer"),
        ("Joe lives in Los Angeles", "Lives in Los Angeles"),
        ("Has a dog", "Has a dog"),
        ("In Berlin she lives", "Lives in Berlin"),
        ("Drinks tea, never coffee", "never coffee, drinks tea"),
        ("Doesn't eat fish", "Does not eat fish"),
        ("住在東京", "住在東京。"),
        ("", ""),
    ],
)
def test_the_same_thing_said_twice(one: str, other: str) -> None:
    assert alike(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deadline is October 15", "Deadline is October 16"),
        ("Always deploys on Fridays", "Never deploys on Fridays"),
        ("Has 2 dogs", "Has dogs"),
        ("Visited the dentist in May", "Visited the dentist in June"),
        ("Meets the whole team", "Meets the whole team on Fridays"),
        ("Eats fish", "Does not eat fish"),
        ("Lives in Berlin", "Lives in Munich"),
        ("Meets the whole team on Monday morning in Rome", "Meets the whole team on Tuesday morning in Rome"),
        ("Prefers tea over coffee", "Prefers coffee over tea"),
        ("Moved from Berlin to Rome", "Moved from Rome to Berlin"),
        ("Tea", "Drinks tea with milk"),
        ("Likes tea", "Likes tea from Assam with milk and two spoons of honey"),
        ("Works at TechCorp", "Stopped working at TechCorp"),
        ("Version 1.2 is out", "Version 1.3 is out"),
        ("住在東京", "住在大阪"),
        ("", "Lives in Berlin"),
    ],
)  # fmt: skip
def test_two_statements_are_not_taken_for_one(one: str, other: str) -> None:
    assert not alike(one, other)


def test_the_fuller_one_covers() -> None:
    full, short = said("Allergic to nuts and shellfish"), said("Allergic to nuts")
    assert covers(full, short)
    assert not covers(short, full)


def test_pairs_as_different_hands_write_them() -> None:
    """No pair that differs is ever one; nearly every repeat is found."""
    pairs = tomllib.loads((Path(__file__).parents[2] / "ageing" / "pairs.toml").read_text("utf-8"))
    assert [pair for kind in ("differ", "against", "replace") for pair in pairs[kind] if alike(*pair)] == []
    assert sum(alike(*pair) for pair in pairs["repeat"]) >= 0.9 * len(pairs["repeat"]) > 9


@given(st.text(max_size=80), st.text(max_size=80))
def test_every_line_covers_itself_and_order_means_nothing(one: str, other: str) -> None:
    assert alike(one, one)
    assert alike(one, other) == alike(other, one)
