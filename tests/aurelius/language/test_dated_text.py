"""The dates in a text in one form."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aurelius.language.dated_text import dated


def test_one_day_is_one_word_however_it_is_written() -> None:
    written = ("due 2026-02-05", "due 5 February 2026", "due February 5th, 2026")
    assert {dated(text, "2026-02-01").strip() for text in written} == {"due  §d2026-02-05"}
    assert dated("due tomorrow", "2026-02-04").strip() == "due  §d2026-02-05"


def test_words_that_lead_out_of_the_calendar_stay_words() -> None:
    assert dated("seen yesterday, 12 days ago", "0001-01-01") == "seen yesterday, 12 days ago"
    assert dated("due tomorrow", "9999-12-31") == "due tomorrow"


@given(st.text(max_size=60), st.dates().map(str))
def test_any_text_is_read(text: str, day: str) -> None:
    assert isinstance(dated(f"today {text} at 5 pm", day), str)
