"""One sentence with another value, and what may correct a line at all."""

from __future__ import annotations

import pytest

from indexer.matter.disagreement import may_correct
from indexer.matter.timeline import Stated, is_one_frame, keeps_frame


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("All posters must be 70 cm high", "All posters must be 80 cm high", True),
        ("We see the vet every second Monday", "We see the vet every second Friday", True),
        ("Chapter 4 needs a picture of the mill", "Chapter 5 needs a picture of the mill", False),
        ("Never paint on Fridays", "Never paint on Mondays", False),
        ("Nils plays cello in the town band", "Nils plays drums in the town band", False),
        ("Rosa is allergic to nuts", "Rosa is allergic to shellfish", False),
        ("We bought a van in 2019", "We bought a van in 2021", False),
        ("Nils cooks as a guest on 3 May", "Nils cooks on 9 June, not on 3 May", False),
        ("Ms. Roe wants to play the oboe", "Ms. Roe plays the harp", False),
        ("My sister lives in Rome", "My brother lives in Rome", False),
        ("The oven is heated to 200 degrees", "The oven is also heated to 180 degrees", False),
    ],
)
def test_a_sentence_is_taken_for_another_one_or_not_for_itself(
    old: str, new: str, wanted: bool
) -> None:
    assert is_one_frame(old, new) == wanted


@pytest.mark.parametrize(
    ("old", "new", "wanted"),
    [
        ("Birthday: 8 May", "His birthday is 9 May", True),
        ("Rosa is our only baker", "Nils is our only baker", True),
        ("Prefers the front row", "I always book the front row", False),
        ("Starts as a cook on 4 May", "Starts on 22 May", False),
    ],
)
def test_a_value_is_exchanged_with_what_is_said_around_it(old: str, new: str, wanted: bool) -> None:
    names = frozenset(("somebody",))
    assert keeps_frame(Stated(old, "2025", names), Stated(new, "2026", names)) == wanted


@pytest.mark.parametrize(
    ("new", "wanted"),
    [
        ("Rosa left the mill for the bank", True),
        ("Rosa also sings at the mill", False),
        ("Rosa was at the mill yesterday", False),
        ("Rosa still works at the mill", False),
        ("Rosa's sister left the mill", False),
    ],
)
def test_what_adds_or_passes_or_is_of_somebody_else_may_correct(new: str, wanted: bool) -> None:
    assert may_correct("Rosa works at the mill", new) == wanted
