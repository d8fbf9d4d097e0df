from __future__ import annotations

import json

import pytest

from aurelius.show.page import MOST_ANSWER_TOKENS, Page, bounded, clip, fitting, list_text
from indexer.spelling import count_tokens


def test_tokens_are_estimated_by_one_rule() -> None:
    assert [count_tokens(text) for text in ("", "a", "abcd", "abcde", "茶", "茶道入")] == [
        0,
        1,
        1,
        2,
        1,
        2,
    ]


def test_rows_fit_until_the_first_that_does_not() -> None:
    rows = ["abcd", "茶道入", "abcdefgh", "a"]
    assert [fitting(rows, room) for room in (0, 1, 2, 3, 4, 5, 6)] == [0, 1, 1, 2, 2, 3, 4]


def test_a_text_that_fits_is_not_touched_and_another_says_how_many_lines_are_left() -> None:
    assert clip("a\nb\n", every=False) == "a\nb\n"
    text = "".join(f"line {number} {'x' * 90}\n" for number in range(500))
    cut = clip(text, every=False)
    assert count_tokens(cut) <= MOST_ANSWER_TOKENS
    kept = cut.splitlines()[:-1]
    assert text.startswith("\n".join(kept))
    assert cut.splitlines()[-1] == f"{500 - len(kept)} more lines: --all shows them"
    assert clip(text, every=True) == text
    assert (
        clip("y" * 20_000, every=False) == "y" * 300 + " …\nlong lines are cut: --all shows them\n"
    )


def test_a_list_begins_with_its_counts_and_ends_with_what_shows_the_rest() -> None:
    rows = [f"row {number}" for number in range(50)]
    first = Page(50, 0, every=False)
    assert list_text("2 notes", rows[:2], 2, first, "path") == "2 notes\nrow 0\nrow 1\n"
    lines = list_text("13,415 notes", rows, 13_415, first, "path").splitlines()
    assert (lines[0], lines[-1]) == (
        "13,415 notes; the first 50 by path:",
        "13,365 more: -n 200, or --all",
    )
    lines = list_text("80 notes", rows[:30], 80, Page(30, 40, every=True), "path").splitlines()
    assert (lines[0], lines[-1]) == ("80 notes; number 41 to 70 by path:", "10 more: --all")
    long = list_text("90 notes", ["x" * 2_000] * 50, 90, first, "path")
    assert count_tokens(long) <= MOST_ANSWER_TOKENS
    assert long.splitlines()[1] == "x" * 300 + " …"
    assert list_text("0 notes", [], 0, first, "path") == ""


@pytest.mark.parametrize("size", [10, 3_000])
def test_values_are_cut_to_the_room_there_is_and_say_what_was_left_out(size: int) -> None:
    values = {
        "path": "a.md",
        "few": [1, 2, 3],
        "many": [{"text": "x" * size, "tags": ["t"] * size}] * size,
        "text": "y" * size * 10,
        "map": {str(number): "z" * 40 for number in range(size)},
    }
    kept, left_out = bounded(values)
    assert count_tokens(json.dumps([kept, left_out], separators=(",", ":"))) <= MOST_ANSWER_TOKENS
    assert (kept["path"], kept["few"], list(kept)) == ("a.md", [1, 2, 3], list(values))
    if size == 10:
        assert (kept, left_out) == (values, {})
    else:
        assert left_out == {
            key: len(values[key]) - len(kept[key]) for key in ("many", "text", "map")
        }
        assert min(len(kept[key]) for key in left_out) > 0
        assert kept["many"][0] == {"text": "x" * 300 + " …", "tags": ["t"] * 10}
