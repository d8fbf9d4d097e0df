"""The type of a sentence that is kept, and the days that it names."""

from __future__ import annotations

import pytest

from aurelius.memory.sentence_type import day_of_event, sentence_type, with_days, without_days

TODAY = "2026-03-12"  # a Thursday


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("All drafts must have a summary of 5 lines", "instruction"),
        ("for the bank I want full sentences", "instruction"),
        ("Rosa must call her bank", "fact"),
        ("let's switch to oil paint for the posters", "decision"),
        ("We looked at three vans but rejected them because of the rust", "decision"),
        ("The audit is due next Friday", "plan"),
        ("Rosa missed the ferry on 3 March", "event"),
        ("Nils tends to call on Sundays", "observation"),
        ("I'm the only one on it", "fact"),
        ("I'm a baker in Oban", "identity"),
    ],
)
def test_a_sentence_has_another_type(text: str, wanted: str) -> None:
    assert sentence_type(text) == wanted


@pytest.mark.parametrize(
    ("text", "behind"),
    [
        ("The audit is due next Friday", " (next Friday: 2026-03-13)"),
        ("the vet comes tuesday week", " (tuesday week: 2026-03-24)"),
        ("We met yesterday, and go on tomorrow", " (yesterday: 2026-03-11, tomorrow: 2026-03-13)"),
        ("always send the draft on Thursday", ""),
        ("The audit is on 3 May", ""),
    ],
)
def test_a_day_seen_from_today_stands_there_without_its_date(text: str, behind: str) -> None:
    assert with_days(text, TODAY) == text + behind
    assert without_days(text + behind) == text


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("Shipped the boxes on 2024-01-15", "2024-01-15"),
        ("Rosa missed the ferry on March 3rd", "2026-03-03"),
        ("Rosa broke her arm yesterday", "2026-03-11"),
        ("The fair was on 3 March and is on 3 May", ""),
        ("The fair is tomorrow", ""),
    ],
)
def test_what_happened_has_the_day_it_was_said(text: str, day: str) -> None:
    assert day_of_event(text, TODAY) == day


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("We moved the launch to 15 May", ""),
        ("The launch is planned for 15 May", ""),
        ("We launched on 15 May", "2026-05-15"),
        ("We moved the launch to 15 May 2026", "2026-05-15"),
    ],
)
def test_a_day_to_which_something_was_moved_is_past(text: str, day: str) -> None:
    assert day_of_event(text, "2026-11-20") == day
