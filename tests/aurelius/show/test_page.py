from __future__ import annotations

from aurelius.show.page import fitting, tokens


def test_tokens_are_estimated_by_one_rule() -> None:
    assert [tokens(text) for text in ("", "a", "abcd", "abcde", "茶", "茶道入")] == [0, 1, 1, 2, 1, 2]


def test_rows_fit_until_the_first_that_does_not() -> None:
    rows = ["abcd", "茶道入", "abcdefgh", "a"]
    assert [fitting(rows, room) for room in (0, 1, 2, 3, 4, 5, 6)] == [0, 1, 1, 2, 2, 3, 4]
