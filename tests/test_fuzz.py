"""No reader of words ends in a traceback, for ever, or in a changed file; `scripts/bench fuzz` gives each far more."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest

from tests.daily import daily
from tests.storms import fuzz

SEED = int(os.environ.get("AURELIUS_SEED") or random.SystemRandom().randrange(1 << 32))
"""Another one each time; a failure names it, and AURELIUS_SEED gives the same inputs again."""
INPUTS = daily(150, 400)
SLOW = {"mistyped": daily(75, 200), "conversation": daily(30, 60)}
"""Fewer of those that take milliseconds each."""


@pytest.fixture
def place(tmp_path: Path) -> fuzz.Place:
    return fuzz.Place(tmp_path)


@pytest.mark.parametrize("name", fuzz.parsers())
def test_whatever_is_said_is_read_or_refused(place: fuzz.Place, name: str) -> None:
    assert fuzz.storm(place, name, SEED, SLOW.get(name, INPUTS)) == [], f"AURELIUS_SEED={SEED}"


def test_a_seed_says_the_same_again_and_another_something_else() -> None:
    def drawn(seed: int) -> list[str]:
        dice, draw = random.Random(seed), fuzz.drawer("days")
        return [draw(dice) for _ in range(50)]

    assert drawn(1) == drawn(1) != drawn(2)


def test_what_is_wrong_is_found(place: fuzz.Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def reads(place: fuzz.Place, _dice: random.Random, text: str) -> None:
        if "week" in text:
            raise KeyError(text)
        if "month" in text:
            place.write("people/joe.md", text)

    monkeypatch.setattr(fuzz, "parsers", lambda: {"odd": fuzz.Parser("days", reads, (ValueError,))})
    wrong, changed = fuzz.storm(place, "odd", 1, 200)
    assert "KeyError" in wrong.error
    assert wrong.times > 1
    assert "changed" in changed.error


@pytest.mark.skipif(os.name != "posix", reason="there is no alarm")
def test_an_input_that_is_read_for_ever_is_found(
    place: fuzz.Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def reads(_place: fuzz.Place, _dice: random.Random, _text: str) -> None:
        while True:
            pass

    monkeypatch.setattr(fuzz, "LONGEST", 0.01)
    monkeypatch.setattr(fuzz, "parsers", lambda: {"odd": fuzz.Parser("days", reads)})
    (found,) = fuzz.storm(place, "odd", 1, 2)
    assert found.error.startswith("Slow")


def test_what_is_blank_is_not_read_again_from_each_of_its_signs() -> None:
    from aurelius.language import spoken

    text = "We moved to Oslo" + " " * 30_000 + "and we like tea."
    with fuzz.watched() as alarm:
        alarm(True)
        (found,) = spoken.clauses(text, 0, len(text))
        alarm(False)
    assert len(found) == 2


def test_a_number_of_very_many_digits_is_not_read_again_from_each_digit() -> None:
    from aurelius.language.same_words import counted_words

    with fuzz.watched() as alarm:
        alarm(True)
        counted_words("my sister paid " + "9" * 30_000, "joe", "2026-02-10")
        alarm(False)
