"""The words of a line that count: what stands for the same, and what does not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurelius.language.same_words import counted_words, keys, word_root, words_it
from tests.aurelius.model.test_sentence_check import wording_fault


def told(text: str, about: str = "Marta", day: str = "") -> list[str]:
    return [each.key or each.kind for each in counted_words(text, about, day)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Rent is 1,150 euros a month", "Rent is €1150 per month"),
        ("Marta can't come b/c of flu", "Marta cannot come because of flu"),
        ("about 400 users", "roughly 400 users"),
        ("more than 5 kg", "over 5 kilos"),
        ("she doesn't work there any more", "she no longer works there".replace("works", "work")),
        ("on the 28th of August 2026", "on August 28, 2026"),
        ("[[companies/helion-optics]]", "Helion Optics"),
    ],
)
def test_phrases_that_mean_the_same_count_the_same(one: str, other: str) -> None:
    assert told(one) == told(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("at 9 am", "at 9 pm"),
        ("within 30 days", "in 30 days"),
        ("50 euros", "50 dollars"),
        ("every day", "day"),
        ("may come", "will come"),
        ("nuts and shellfish", "nuts or shellfish"),
        ("call +45 5550 0142", "call +45 5550 0124"),
    ],
)
def test_what_differs_counts_otherwise(one: str, other: str) -> None:
    assert told(one) != told(other)


def test_a_relative_day_is_a_date_once_the_day_of_the_line_is_known() -> None:
    assert told("flies tomorrow", day="2026-02-28") == ["flies", "2026-03-01"]
    assert "tomorrow" in told("flies tomorrow")


def test_the_name_of_the_note_is_its_subject_and_no_other_name_is() -> None:
    assert counted_words("Jonas Becker moved", "Jonas Becker", "")[0].kind == "about"
    assert counted_words("met Anna Becker", "Jonas Becker", "")[-1].kind == "word"
    assert counted_words("Jonas Weber moved", "Jonas Becker", "")[0].kind == "word"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("decided", "decision"),
        ("starts", "begins"),
        ("left", "leaves"),
        ("planning", "plans"),
        ("moves", "moving"),
        ("payment", "pays"),
        ("stopped", "stops"),
    ],
)
def test_forms_of_one_word_have_one_root(one: str, other: str) -> None:
    assert word_root(one) == word_root(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("prefers", "refuses"), ("sold", "bought"), ("lent", "borrowed"), ("morning", "more")],
)
def test_other_words_have_another_root(one: str, other: str) -> None:
    assert word_root(one) != word_root(other)


def test_a_sentence_is_traced_to_the_lines_that_it_words() -> None:
    sentence = "Sarah moved the books to quarterly billing and organises a conference every June."
    assert words_it(sentence, "Moved the books to quarterly billing")
    assert words_it(sentence, "Organises a conference every June")
    assert not words_it(sentence, "Birthday is on 14 May")
    assert not words_it(sentence, "")
    assert "bill" in keys(sentence)


ODD = st.lists(
    st.sampled_from(
        [
            "1.250.000",
            "4.1.2",
            "²",
            "thousand",
            "k",
            "bn",
            "§d",
            "§d2026-02-30",
            "2026-02-29",
            "29 Feb",
            "yesterday",
            "next",
            "friday",
            "9:99",
            "12:61 pm",
            "€",
            "10-",
            "–",
            "Ann",
            "Ann's",
            "who",
            "and",
            "only",
            "if",
            "not",
            "by",
            "was",
            "fixed",
            "of",
            "to",
            "(",
            ")",
            ",",
            ":",
            "\u0661",
            "00",
            "1e9",
            "nan",
            "inf",
            "9" * 400,
            "999 days ago",
        ]
    )
    | st.text(max_size=8),
    max_size=12,
).map(" ".join)
DAYS = st.sampled_from(
    ["", "2026-02-29", "2026-03-04", "0001-01-01", "9999-12-31", "yesterday", "²"]
)


@given(ODD, ODD, ODD, DAYS, st.sampled_from(["", "Ann", "Me", "(", "Project 4.1"]))
def test_no_text_stops_the_reading_of_it(
    one: str, two: str, answer: str, day: str, about: str
) -> None:
    assert counted_words(one, about, day) is not None
    assert keys(one) is not None
    assert wording_fault(about, [(day, one), ("", two)], answer) is not None
    assert wording_fault(about, [(day, one)], one) is not None


def test_a_number_that_is_none_and_a_date_without_a_year_are_read_without_an_error() -> None:
    assert told("1.250.000 thousand pesos") == ["1.250.000", "thousand", "pesos"]
    assert wording_fault(
        "Router",
        [("", "Address is 192.168.178.1")],
        "Its address is 192.168.178.11.",
    )
    assert wording_fault("Ann", [("", "Moved on 3 March")], "Ann moved on 3 March 2026.")
