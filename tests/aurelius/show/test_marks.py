"""The words of a question, marked in the text that answers it."""

from __future__ import annotations

import re

import pytest

from aurelius.show.marks import marker
from aurelius.show.paint import Paint
from indexer.search.query import clean


def marked(query: str, line: str) -> list[str]:
    """The parts of the line that are marked for that query."""
    text = marker(clean(query).words, Paint(True))(line)
    assert re.sub(r"\x1b\[\d*m", "", text) == line, "nothing but marks is added"
    return re.findall(r"\x1b\[1m(.*?)\x1b\[0m", text)


@pytest.mark.parametrize(
    ("query", "line", "found"),
    [
        ("green tea", "Green TEA, and teas", ["Green", "TEA", "teas"]),
        ("tea", "instead the team drank steam", []),
        ("planned garden", "plans gardens; planning gardening", ["plans", "gardens", "planning", "gardening"]),
        ("cafe Zoe", "The Café of Zoë", ["Café", "Zoë"]),
        ("café", "the cafe", ["cafe"]),
        ("Straße", "die STRASSE", ["STRASSE"]),
        ("東京", "明日東京へ", ["東京"]),
        ("東京都庁", "東京の都庁", ["東京", "都庁"]),
        ("joe@example.com", "write to joe@example.com now", ["joe", "example", "com"]),
        ("plan", "a planetarium", []),
        ("what is the", "nothing", []),
        ("привет", "Привета", ["Привета"]),
    ],
)
def test_words_are_marked_whatever_their_endings_accents_and_case(query: str, line: str, found: list[str]) -> None:
    assert marked(query, line) == found


def test_an_escape_made_visible_stays_one_that_does_nothing() -> None:
    text = marker(["x1b", "2j"], Paint(True))("\\x1b[2J here")
    assert set(re.findall(r"\x1b[^m]*m", text)) == {"\x1b[1m", "\x1b[0m"}
