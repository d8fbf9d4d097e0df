"""Columns of a terminal: what a text takes, and where a long line is broken."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurelius.show.columns import ESCAPES, columns_of, without_links, wrapped

LINK = "\x1b]8;;file:///a%20b.md\x1b\\a b.md\x1b]8;;\x1b\\"


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("", 0),
        ("tea", 3),
        ("漢字", 4),
        ("ﾊﾝ", 2),
        ("e\u0301te\u0301", 3),
        ("한국", 4),
        ("🍵", 2),
        ("☀\ufe0f", 2),
        ("👍🏽", 4),  # some terminals show the tone by itself
        ("\u200fشاي", 3),
        ("\x1b[1mtea\x1b[0m", 3),
        (LINK, 6),
    ],
)
def test_a_text_takes_so_many_columns(text: str, columns: int) -> None:
    assert columns_of(text) == columns


def test_a_long_line_is_broken_between_words_and_goes_on_as_deep_as_it_began() -> None:
    assert wrapped("  one two three four five six seven", 20) == "  one two three four\n  five six seven"
    assert wrapped("path.md:1: one two three four", 20, 4) == "path.md:1: one two\n    three four"
    assert wrapped("short\n\n  lines", 20) == "short\n\n  lines"


def test_wide_characters_are_broken_where_they_reach_the_edge() -> None:
    assert wrapped("漢" * 15, 20) == "漢" * 10 + "\n" + "漢" * 5
    assert wrapped("  x " + "漢" * 10, 21) == "  x\n  " + "漢" * 9 + "\n  漢"


def test_a_path_that_is_too_long_stays_whole_so_that_it_can_be_copied() -> None:
    assert wrapped("see folder/" + "x" * 30 + " for it", 20) == "see\nfolder/" + "x" * 30 + "\nfor it"


def test_a_command_in_backquotes_stays_in_one_piece() -> None:
    text = "do it with `aurelius move a b` today"
    assert wrapped(text, 24) == "do it with\n`aurelius move a b`\ntoday"
    assert wrapped("say `" + "long words " * 4 + "` now", 20).count("\n") == 2, "but not where it is too long"


def test_nothing_is_broken_where_there_is_hardly_a_column() -> None:
    assert wrapped("one two three four five six", 19) == wrapped("one two three four five six", 0)
    assert "\n" not in wrapped("one two three four five six", 19)


def test_colours_and_links_take_no_column_and_stay_whole() -> None:
    text = f"\x1b[36m{LINK}\x1b[0m  \x1b[1mone\x1b[22m two three four"
    found = wrapped(text, 20)
    assert ESCAPES.findall(found) == ESCAPES.findall(text)
    assert [columns_of(line) for line in found.split("\n")] == [15, 10]
    assert without_links(found) == found.replace(LINK, "a b.md")


@given(st.text(alphabet="ab `漢e\u0301🍵\u200d\ufe0f\n") | st.text(), st.integers(20, 40), st.integers(0, 4))
def test_a_wrapped_text_fits_and_loses_nothing_but_spaces(text: str, width: int, indent: int) -> None:
    found = wrapped(text, width, indent)
    assert "".join(found.split()) == "".join(text.split())
    assert all(columns_of(line) <= width or " " not in line.strip() or "`" in line for line in found.split("\n"))
