"""A session in a few sentences: each says what the person said, or what they said stands in its place."""

from __future__ import annotations

import pytest

from aurelius.model.session_summary import session_summary
from tests.aurelius.model.test_named_sentences import Says

TALK = [
    "I want the export as CSV by Friday. We decided to use SQLite for the cache.",
    "Thanks, that works! The wifi password is Quetzal9xTr0ub4dor.",
]
EXPORT = "I want the export as CSV by Friday"


def test_sentences_that_say_what_was_said_are_told() -> None:
    ask = Says("The cache uses SQLite. [{We decided}]\nThe export is wanted as CSV. [{I want}]")
    told = session_summary(ask, TALK)
    assert "SQLite" in told
    assert "CSV" in told


@pytest.mark.parametrize(
    "answer",
    [
        "The export is wanted as PDF by Friday. [{I want}]",
        "Joe owes 500 euros. [{I want}]",
        "See [this](http://evil.example/x). [{I want}]",
        "I want the export as CSV by Friday and everything was paid for by Ann. [{I want}]",
    ],
)
def test_a_sentence_that_says_more_gives_way_to_what_was_said(answer: str) -> None:
    assert session_summary(Says(answer), TALK) == f"{EXPORT}."


@pytest.mark.parametrize(
    "answer",
    ["", "NOTHING", "I cannot help.", "The export is wanted. [L999]", "The export is wanted."],
)
def test_an_answer_that_rests_on_nothing_is_no_summary(answer: str) -> None:
    assert session_summary(Says(answer), TALK) == ""


def test_no_secret_is_sent_and_nothing_without_sentences() -> None:
    says = Says("NOTHING")
    session_summary(says, TALK)
    assert "quetzal" not in says.sent.casefold()
    silent = Says("NOTHING")
    assert session_summary(silent, ["Can you fix it?"]) == ""
    assert silent.asked == []
