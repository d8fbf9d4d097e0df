"""When a job runs, as cron writes it (K41)."""

from __future__ import annotations

import pytest

from aurelius.cron import parse


def test_every_day_at_four() -> None:
    minute, hour, day, month, weekday = parse("0 4 * * *")
    assert minute == {0}
    assert hour == {4}
    assert (len(day), len(month), len(weekday)) == (31, 12, 7)


@pytest.mark.parametrize(
    ("field", "minutes"),
    [("*/20", {0, 20, 40}), ("5", {5}), ("1,3-5", {1, 3, 4, 5}), ("10-20/5", {10, 15, 20}), ("50/4", {50, 54, 58})],
)
def test_a_field_is_numbers_spans_and_steps(field: str, minutes: set[int]) -> None:
    assert parse(f"{field} * * * *")[0] == minutes


def test_sunday_has_two_numbers() -> None:
    assert parse("0 4 * * 7")[4] == parse("0 4 * * 0")[4] == {0}


BAD = """
4
* * * *
60 * * * *
* 24 * * *
* * 0 * *
* * * 13 *
* * * * 8
a * * * *
5-1 * * * *
*/0 * * * *
1,, * * * *
² * * * *
"""


@pytest.mark.parametrize("text", BAD.split("\n"))
def test_what_is_no_such_line_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"five fields|from \d+ to \d+"):
        parse(text)
