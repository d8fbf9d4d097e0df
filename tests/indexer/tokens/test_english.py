"""Stems, and the words that carry no content."""

from __future__ import annotations

import pytest

from indexer.matter.cues import read_cues
from indexer.matter.statement import say_alike
from indexer.tokens.english import EMPTY_WORDS, GRAMMAR, STOP
from indexer.tokens.terms import english_stem


@pytest.mark.parametrize(
    "words",
    [
        "lives living lived live",
        "allergy allergies",
        "relocated relocates",
        "Joe's joe",
        "boss boss",
        "cities city",
    ],
)
def test_the_endings_of_a_word_do_not_matter(words: str) -> None:
    assert len({english_stem(word) for word in words.split()}) == 1


def test_what_a_search_leaves_out_names_no_matter_either() -> None:
    assert {"the", "about", "where"} <= STOP & GRAMMAR
    assert read_cues("The boat is about to leave").content == (
        english_stem("boat"),
        english_stem("leave"),
    )


def test_words_that_tell_two_lines_apart_count_though_a_search_leaves_them_out() -> None:
    assert not say_alike("Eats before the swim with friends", "Eats after the swim with friends")
    assert not say_alike(
        "Takes only the morning pills at breakfast", "Takes all the morning pills at breakfast"
    )
    assert say_alike("Shall pay the rent", "Pays her rent")
    assert GRAMMAR | {"may", "might", "must", "should"} > EMPTY_WORDS


def test_a_month_is_not_taken_for_a_modal_verb() -> None:
    assert "may" in read_cues("Ships in May").content
