"""The words that name a type of facts."""

from __future__ import annotations

import pytest

from indexer.note import TYPES
from indexer.reading.type_words import (
    ALIASES,
    FACT_HEADINGS,
    OWN_HEADINGS,
    Meaning,
    filter_name,
    nearest_type_word,
    type_meaning,
    word_of,
)


@pytest.mark.parametrize(
    ("word", "type_"),
    [
        ("milestone", "fact"),
        ("context", "fact"),
        ("opinion", "preference"),
        ("rule", "instruction"),
        ("process", "instruction"),
        ("tool_usage", "instruction"),
        ("goal", "plan"),
        ("todo", "plan"),
        ("definitional", "fact"),
        ("episodic", "event"),
        ("action", "event"),
        ("edge", "relationship"),
        (" Decision ", "decision"),
        ("events", "event"),
        ("summary", "summary"),
        ("banana", ""),
        ("", ""),
    ],
)
def test_a_word_of_a_type_means_it(word: str, type_: str) -> None:
    found = type_meaning(word)
    assert (found.type if found else "") == type_


@pytest.mark.parametrize(
    ("word", "said"),
    [
        ("instruction/tool_usage", Meaning("instruction", "tool_usage")),
        ("Event/Action", Meaning("event", "action")),
        ("opinion/food", Meaning("preference", "food")),
        ("milestones", Meaning("fact", "", True)),
        ("fact/milestone", Meaning("fact", "milestone", True)),
        ("milestone/", None),
        ("instruction/a b", None),
        ("he/him", None),
    ],
)
def test_a_subtype_stands_behind_a_slash(word: str, said: Meaning | None) -> None:
    assert type_meaning(word) == said


def test_every_alias_is_of_a_type_and_no_type_itself() -> None:
    assert set(ALIASES) <= set(TYPES)
    assert not {word for words in ALIASES.values() for word in words.split()} & set(TYPES)
    assert {type_meaning(word) for word in TYPES} == {Meaning(word) for word in TYPES}


def test_a_word_that_is_made_means_the_same_again() -> None:
    for said in (
        Meaning("fact"),
        Meaning("fact", "", True),
        Meaning("event", "action"),
        Meaning("preference"),
    ):
        assert type_meaning(word_of(said)) == said


def test_a_filter_has_one_name_for_words_that_mean_one_thing() -> None:
    assert [
        filter_name(word)
        for word in ("rule", "Milestone", "fact/milestone", "instruction/rule", "banana")
    ] == [
        "instruction",
        "fact/milestone",
        "fact/milestone",
        "instruction/rule",
        "banana",
    ]


def test_the_nearest_word_is_named() -> None:
    assert (
        nearest_type_word("milstone"),
        nearest_type_word("instuction/rule"),
        nearest_type_word("pined", ("pinned",)),
        nearest_type_word("banana"),
    ) == (
        "milestone",
        "instruction/rule",
        "pinned",
        "",
    )


def test_headings_that_articles_have_too_are_of_facts_only_in_notes_about_one_thing() -> None:
    assert OWN_HEADINGS.items() > FACT_HEADINGS.items()
    assert {"context", "process"} <= OWN_HEADINGS.keys() - FACT_HEADINGS.keys()
    assert FACT_HEADINGS["milestones"].milestone
    assert FACT_HEADINGS["opinions"] == Meaning("preference")
    assert "todo" not in OWN_HEADINGS
