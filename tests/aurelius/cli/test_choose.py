"""The small list that is narrowed by typing, without a terminal."""

from __future__ import annotations

from aurelius.cli.choose import Narrowing, Row
from aurelius.show.terminal import columns_of

ROWS = [Row(f"notes/{number}.md  Über {number} 漢字", f"notes/{number}.md") for number in range(30)]


def test_words_narrow_in_any_order_whatever_their_case_and_accents() -> None:
    state = Narrowing(ROWS, "uber NOTES 17")
    assert state.found == [17]
    state.press("x")
    assert state.found == []
    assert not state.press("\r"), "there is nothing to take"
    state.press("\x7f")
    assert state.found == [17]


def test_one_digit_is_the_number_of_a_row_and_two_are_words() -> None:
    state = Narrowing(ROWS, "")
    state.press("3")
    assert (state.at, len(state.found)) == (2, 30)
    state.press("0")
    assert [ROWS[each].path for each in state.found] == []
    state.press("\x7f\x7f")
    state.press("29")
    assert state.found == [29]


def test_arrows_stay_in_the_list_and_the_chosen_row_is_shown() -> None:
    state = Narrowing(ROWS, "")
    state.press("\x1b[A")
    assert state.at == 0
    for _ in range(40):
        state.press("\x1b[B")
    assert state.at == 29
    lines = state.drawn(ROWS, 60, 5)
    assert len(lines) == 7
    assert [line for line in lines if line.startswith("▸")] == [" 30 ".join(["▸", ROWS[29].label])]


def test_no_line_reaches_the_edge_of_the_terminal() -> None:
    for width in (12, 20, 31):
        assert all(columns_of(line) < width for line in Narrowing(ROWS, "漢").drawn(ROWS, width, 5))


def test_keys_that_mean_nothing_do_nothing() -> None:
    state = Narrowing(ROWS, "")
    for keys in ("\x1b[5~", "\x1bx", "\t", "\x00"):
        assert not state.press(keys)
    assert (state.typed, len(state.found)) == ("", 30)
    assert state.press("\x1b")
