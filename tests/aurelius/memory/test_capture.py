"""Which sentences are worth keeping: what will matter next month, and nothing that belongs to its day alone."""

from __future__ import annotations

import pytest

from aurelius.memory.capture import capture, is_of_writer, is_out, opened, sentences


def kept(rest: str) -> bool:
    return capture(f"Joe {rest}", f" {rest}") is not None


@pytest.mark.parametrize(
    "rest",
    [
        "lives in Santa Monica",
        "moved to Boston last week",
        "is allergic to peanuts",
        "works at Initech now",
        "prefers trains to planes",
        "has two kids",
        "is getting married in June",
        "no longer drinks coffee",
        "charges 120 euros an hour",
        "retires at the end of August",
    ],
)
def test_what_lasts_is_not_kept(rest: str) -> None:
    assert kept(rest)


@pytest.mark.parametrize(
    "rest",
    [
        "came by for lunch",
        "is sick today",
        "has a cold",
        "was late again",
        "called about the boat",
        "maybe moves to Boston",
        "says hi",
        "is coming for dinner tonight",
        "looked tired",
    ],
)
def test_what_belongs_to_its_day_is_kept(rest: str) -> None:
    assert not kept(rest)


@pytest.mark.parametrize("text", ["Does Joe live in Boston?", "why does Joe live there", "If Joe moves, we sell"])
def test_a_question_or_a_condition_is_kept(text: str) -> None:
    assert capture(text, text) is None


@pytest.mark.parametrize(
    "line",
    [
        "[ ] call Joe about the boat",
        "TODO ask Joe where he lives",
        "> Joe lives in Boston",
        '"Joe lives in Boston" was the headline',
        "https://example.org/joe-lives-in-boston",
        "location:: Boston",
    ],
)
def test_a_task_a_quote_or_a_link_may_be_kept(line: str) -> None:
    assert is_out(line)


def test_a_plain_line_is_out() -> None:
    assert not is_out("Joe lives in Boston, see https://example.org")


def test_sentences_are_cut_at_abbreviations_or_not_at_all() -> None:
    assert sentences("09:15 Dr. Roth rang. **She** retires in June.") == ["Dr. Roth rang.", "She retires in June."]


@pytest.mark.parametrize(
    "text", ["Turns out Joe lives in Boston", "Correction: Joe lives in Boston", "btw Joe lives in Boston"]
)
def test_what_only_leads_to_a_sentence_stays_before_it(text: str) -> None:
    assert opened(text) == "Joe lives in Boston"


def test_the_type_of_a_sentence_is_lost() -> None:
    types = {
        "prefers tea": "preference",
        "will move to Rome in June": "plan",
        "decided to sell the boat": "decision",
        "lives in Rome": "fact",
    }
    assert {rest: getattr(capture(f"Joe {rest}", rest), "type", "") for rest in types} == types


def test_moods_of_the_writer_say_who_they_are() -> None:
    assert is_of_writer("I prefer trains to planes")
    assert not is_of_writer("I hate the phone today")
    assert not is_of_writer("I felt old")
