"""Duplicates: what differs in a name, a number, a negation, a tense or in who does what is none."""

from __future__ import annotations

import pytest

from indexer.matter.duplicate import plain_forms, say_the_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Likes tea and coffee", "Likes coffee and tea."),
        ("If it rains, we stay", "We stay if it rains"),
        ("Costs 1,500 euros", "Costs **1500** euros"),
        ("Isn't vegetarian", "Is not vegetarian"),
        ("Is building a house", "Builds the house"),
        ("Phone: 555-0142", "Phone 555-0142"),
        ("Likes [[people/ann|Ann]]", "Likes Ann"),
        ("One of three", "1 of 3"),
    ],
)
def test_lines_that_say_the_same(one: str, other: str) -> None:
    assert say_the_same(one, other)
    assert say_the_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lives in Berlin", "Lives in Munich"),
        ("Weighs 5 kg", "Weighs 5 lb"),
        ("Weighs -5 kg", "Weighs 5 kg"),
        ("Weighs 1,5 kg", "Weighs 15 kg"),
        ("Birthday 2024-03-01", "Birthday 2024-01-03"),
        ("Costs $25", "Costs €25"),
        ("Is vegetarian", "Is not vegetarian"),
        ("Ann paid Bob", "Bob paid Ann"),
        ("Flies from Rome to Paris", "Flies from Paris to Rome"),
        ("Tea, not coffee", "Coffee, not tea"),
        ("Runs before he eats", "Eats before he runs"),
        ("Met Ann and Bob left", "Met Bob and Ann left"),
        ("Ann and Bob live in Rome and Paris", "Bob and Ann live in Rome and Paris"),
        ("Loses to Ann, beats Bob", "Loses to Bob, beats Ann"),
        ("Input: output", "Output: input"),
        ("Is renamed", "Was renamed"),
        ("Play the cello", "Played the cello"),
        ("Is it true?", "It is true"),
        ("Must handle all cases", "Should handle all cases"),
        ("Has two plans", "Has two planes"),
        ("Has a dog", "Has dogs"),
        ("Works at TechCorp, as engineer", "Works at TechCorp"),
        ("", ""),
    ],
)
def test_lines_that_may_say_something_else(one: str, other: str) -> None:
    assert not say_the_same(one, other)
    assert not say_the_same(other, one)


def test_a_line_of_signs_has_no_form() -> None:
    assert plain_forms("***") == frozenset()
