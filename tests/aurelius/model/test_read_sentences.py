"""Sentences read from an answer while it comes: whole, half, with wrong ids, and full of what must not be shown."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurelius.model.read_sentences import MOST_LETTERS, ReadSentence, SentenceReader

IDS = ("L1", "L2", "L3")


def read(text: str, step: int = 10**9) -> list[ReadSentence]:
    """What is read of a text that comes in parts of so many letters."""
    reader = SentenceReader(IDS)
    found = []
    for start in range(0, len(text), step):
        found += reader.feed(text[start : start + step])
    return found + reader.end()


def shown(text: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(each.text, each.ids) for each in read(text) if not each.fault]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Joe lives in Oslo. [L1]\nHe sails. [L2, L3]", ["Joe lives in Oslo.", "He sails."]),
        ("Joe lives in Oslo [L1]. He sails [L2][L3].", ["Joe lives in Oslo.", "He sails."]),
        ("Joe lives in Oslo. [L1] He sails. [l2; L3]", ["Joe lives in Oslo.", "He sails."]),
        (
            "1. **Joe** lives in `Oslo`. [L1]\r\n- He sails [L2]\n",
            ["Joe lives in Oslo.", "He sails"],
        ),
        ("Joe [L1] and Ann [L2] sail. [L3]", ["Joe and Ann sail."]),
        ('He said "yes." [L1]\n\n\nOk. [L2]', ['He said "yes."', "Ok."]),
        ("It costs 3.50 euros. [L1]", ["It costs 3.50 euros."]),
        ("Joe sails. [L1]\nand this has no line\n", ["Joe sails."]),
    ],
)
def test_a_sentence_comes_with_the_lines_it_names(text: str, found: list[str]) -> None:
    assert [said for said, _ in shown(text)] == found
    for step in (1, 3, 7):
        assert read(text, step) == read(text)


def test_each_line_that_is_named_counts_once() -> None:
    assert shown("Joe sails. [L2, l1][L2]") == [("Joe sails.", ("L2", "L1"))]


def test_a_sentence_is_given_once_the_next_begins() -> None:
    reader = SentenceReader(IDS)
    assert reader.feed("Joe sails. [L1]") == []
    assert reader.feed("\nHe") == [ReadSentence("Joe sails.", ("L1",))]


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Joe lives in Oslo.", "names no line"),
        ("Joe lives in Oslo. [L1", "names no line"),
        ("Joe lives in Oslo. (L1)", "names no line"),
        ("NOTHING", "names no line"),
        ("Joe lives in Oslo. [L4]", "not given"),
        ("Joe lives in Oslo. [L1, L9]", "not given"),
        ("Joe lives in Oslo. [K1]", "not given"),
        ("[L1]", "says nothing"),
        ("... [L1]", "says nothing"),
        ("See [this](https://evil.example). [L1]", "link"),
        ("![](https://evil.example/?q=Joe) [L1]", "link"),
        ("See [this] (https://evil.example). [L1]", "link"),
        ("See https://evil.example. [L1]", "link"),
        ("See www.evil.example. [L1]", "link"),
        ("See [[people/joe]]. [L1]", "link"),
        ("<img src=x> [L1]", "link"),
        ("javascript:alert(1) [L1]", "link"),
        ("&#60;b> [L1]", "link"),
        ("x" * 3000 + ". [L1]", "too long"),
    ],
)
def test_what_cannot_be_shown_says_why(text: str, why: str) -> None:
    for step in (1, 5, 10**9):
        [found] = read(text, step)
        assert why in found.fault


def test_behind_what_is_too_long_the_next_line_is_read() -> None:
    assert shown(f"{'x' * 5000}\nJoe sails. [L1]") == [("Joe sails.", ("L1",))]


@pytest.mark.parametrize(
    "letter", [" ", "\n", "[", ".", '."', "[L1,", "a ", "]", "[L1]", ". [L1] a"]
)
def test_no_answer_takes_long_to_read(letter: str) -> None:
    before = time.monotonic()
    read(letter * (200_000 // len(letter)))
    assert time.monotonic() - before < 5


@given(
    st.lists(
        st.sampled_from(["Joe", " ", ". ", "[L1]", "[", "]", "\n", "L2", "**", "- "]), max_size=30
    )
)
def test_what_comes_is_read_the_same_in_whatever_parts(parts: list[str]) -> None:
    text = "".join(parts)
    reader = SentenceReader(IDS)
    found = [each for part in parts for each in reader.feed(part)] + reader.end()
    assert found == read(text)
    assert all(each.fault or (each.ids and len(each.text) <= MOST_LETTERS) for each in found)
