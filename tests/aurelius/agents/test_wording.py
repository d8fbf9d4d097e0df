"""What a model is asked, what is never sent, and what of its answer is believed."""

from __future__ import annotations

import json

import pytest

from aurelius.agents.wording import (
    CAPTURED,
    EXTRACTED,
    SUMMARY_WORDING,
    Sentence,
    asked,
    join_wordings,
    passing_sentences,
    read_answer,
)
from aurelius.model.request import Source, withheld

MARTA = [
    Source("Marta Nowak", "Lives in Kraków", "2026-01-01", "people/marta.md"),
    Source(
        "Marta Nowak",
        "Works at [[companies/helion-optics]] as a lens designer",
        "",
        "people/marta.md",
    ),
    Source("Marta Nowak", "Allergic to penicillin", "", "people/marta.md"),
]


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (Source("X", "harmless", "", "people/secret.md"), "private"),
        (Source("X", "harmless", "", "conversations/2026.md"), "conversations"),
        (Source("X", "harmless", "", "agents/bob/notes.md"), "agents"),
        (Source("X", "harmless", "", "Agents/bob/notes.md"), "agents"),
        (Source("X", "harmless", "", "AGENTS/notes.md"), "agents"),
        (Source("X", "harmless", "", "resources/import/openclaw/a.md"), "imported"),
        (Source("X", "the wifi password is Tr0ub4dor&3x", "", "a.md"), "secret"),
        (Source("sk-proj-aB3dE5gH7jK9mN1pQ3sT5vW7", "harmless", "", "a.md"), "secret"),
    ],
)
def test_what_must_stay_here_is_withheld(source: Source, why: str) -> None:
    assert why in withheld(source, {"people/secret.md"})


def test_a_plain_line_may_be_sent() -> None:
    assert withheld(MARTA[0], {"people/secret.md"}) == ""


def test_a_question_holds_lines_as_data_and_no_path() -> None:
    request = asked(SUMMARY_WORDING, MARTA)
    [user] = request.turns
    assert json.loads(user.text)["lines"][1]["line"] == "Works at Helion Optics as a lens designer"
    assert "people/marta" not in user.text + request.system
    source = Source("a\u202eb", "c\u200bd\x1b[2J\ud800", "", "x.md")
    steered = asked(SUMMARY_WORDING, [source]).turns[0].text
    assert "\u202e" not in steered
    assert "\u200b" not in steered
    assert "\\u001b" not in steered
    assert steered.encode()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Sure, here it is",
        "{",
        '{"sentences": 1}',
        '{"sentences": [{"uses": [9], "text": "x"}]}',
        "[" * 9999,
        '{"sentences": [{"uses": [true], "text": "x"}]}',
        '{"sentences": [{"uses": [], "text": "x"}]}',
        '{"sentences": [{"uses": [0], "text": 5}]}',
        '{"sentences": [{"uses": [-1], "text": "x"}]}',
        "null",
    ],
)
def test_an_answer_that_is_not_what_was_asked_for_is_none(text: str) -> None:
    with pytest.raises(ValueError, match="the answer"):
        read_answer(text, 3)


def test_an_answer_may_stand_in_a_fence() -> None:
    assert read_answer('```json\n{"sentences": [{"uses": [0], "text": "x"}]}\n```', 1) == [
        Sentence((0,), "x")
    ]


def test_sentences_that_pass_stand_where_the_rules_put_their_first_line() -> None:
    good = Sentence((2, 0), "Marta is allergic to penicillin and lives in Kraków.")
    bad = Sentence((1,), "Marta is a talented lens designer at Helion Optics.")
    kept, failed = passing_sentences(
        SUMMARY_WORDING, MARTA, [good, bad, Sentence((0,), "Marta lives in Kraków.")]
    )
    assert (kept, failed) == ([good], 2)
    assert [text for text, _ in join_wordings(MARTA, kept)] == [good.text, MARTA[1].text]


def test_a_summary_sentence_is_one_sentence() -> None:
    two = Sentence((0, 2), "Marta lives in Kraków. Marta is allergic to penicillin.")
    assert passing_sentences(SUMMARY_WORDING, MARTA, [two]) == ([], 1)


def test_a_line_for_a_page_keeps_its_links() -> None:
    line = Source(
        "Marta", "Marta works at [[companies/helion-optics]] b/c of [[people/ann]]", "", "a.md"
    )
    [kept], _ = passing_sentences(
        EXTRACTED, [line], [Sentence((0,), "Marta works at Helion Optics because of Ann.")]
    )
    assert kept.text == "Marta works at [[companies/helion-optics]] because of [[people/ann]]."
    twice = line._replace(text="Marta met [[people/ann]] b/c of [[people/ann]]")
    assert passing_sentences(
        CAPTURED, [twice], [Sentence((0,), "Marta met Ann because of Ann.")]
    ) == ([], 1)
