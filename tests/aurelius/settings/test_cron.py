"""When a job runs, as cron writes it."""

from __future__ import annotations

import datetime

import pytest

from aurelius.settings.cron import following, parse


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


@pytest.mark.parametrize("text", ["0 0 30 2 *", "0 0 31 2,4,6 */2", "0 0 30,31 2 *"])
def test_a_day_that_never_comes_is_refused(text: str) -> None:
    _, _, day, month, _ = text.split()
    with pytest.raises(ValueError, match=f"^a day that its month has: day {day} of month {month} never comes$"):
        parse(text)


@pytest.mark.parametrize("text", ["0 0 29 2 *", "0 0 30 2,3 *", "0 0 30 2 1", "0 0 */30 2 *", "0 0 31 * *"])
def test_a_day_that_comes_at_times_is_no_mistake(text: str) -> None:
    """Also where the weekday is enough."""
    assert following(text, datetime.datetime(2026, 2, 10)) is not None


@pytest.mark.parametrize(
    ("line", "after", "at"),
    [
        ("0 4 * * 1", "2026-02-10T12:00", "2026-02-16T04:00"),
        ("0 4 * * 1", "2026-02-16T03:59", "2026-02-16T04:00"),
        ("0 4 * * 1", "2026-02-16T04:00", "2026-02-23T04:00"),
        ("*/15 * * * *", "2026-02-10T12:01:30", "2026-02-10T12:15"),
        ("0 0 1 * *", "2026-12-31T23:59", "2027-01-01T00:00"),
        ("0 0 29 2 *", "2026-03-01T00:00", "2028-02-29T00:00"),
        ("0 0 13 * 5", "2026-02-10T00:00", "2026-02-13T00:00"),
        ("0 0 12 * 5", "2026-02-10T00:00", "2026-02-12T00:00"),
        ("0 0 * * 7", "2026-02-10T00:00", "2026-02-15T00:00"),
        ("0 0 */2 * 1", "2026-02-10T00:00", "2026-02-23T00:00"),
        ("0 0 31 2 1", "2026-02-10T00:00", "2026-02-16T00:00"),
        ("0 0 29 2 */7", "2033-01-01T00:00", None),
    ],
)
def test_the_next_time(line: str, after: str, at: str | None) -> None:
    found = following(line, datetime.datetime.fromisoformat(after))
    assert found == (None if at is None else datetime.datetime.fromisoformat(at))
