"""Dates as people type them (--since, --until, --on), on Tuesday 10 February 2026."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.errors import UsageError
from indexer.search.dates import carries, dates, named_day, told_days

TODAY = "2026-02-10"
DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]

MEANT = {
    # ISO forms
    "2026-02-01": ("2026-02-01", "2026-02-01"),
    "2026-2-1": ("2026-02-01", "2026-02-01"),
    "2026/02/01": ("2026-02-01", "2026-02-01"),
    "2026_02_01": ("2026-02-01", "2026-02-01"),
    "20260201": ("2026-02-01", "2026-02-01"),
    "2026-02": ("2026-02-01", "2026-02-28"),
    "2024-02": ("2024-02-01", "2024-02-29"),
    "2026-12": ("2026-12-01", "2026-12-31"),
    "2025": ("2025-01-01", "2025-12-31"),
    "2026-W05": ("2026-01-26", "2026-02-01"),
    "2026W05": ("2026-01-26", "2026-02-01"),
    "2020-W53": ("2020-12-28", "2021-01-03"),
    "2026-Q1": ("2026-01-01", "2026-03-31"),
    "Q4 2025": ("2025-10-01", "2025-12-31"),
    "q2": ("2026-04-01", "2026-06-30"),
    "week 5": ("2026-01-26", "2026-02-01"),
    "week 53 2020": ("2020-12-28", "2021-01-03"),
    # ranges
    "2026-01-05..2026-01-09": ("2026-01-05", "2026-01-09"),
    "2026-01..2026-02": ("2026-01-01", "2026-02-28"),
    "2024 .. 2025": ("2024-01-01", "2025-12-31"),
    "last month..today": ("2026-01-01", "2026-02-10"),
    "2026-02..": ("2026-02-01", "9999-12-31"),
    "..2025": ("0001-01-01", "2025-12-31"),
    "..": ("0001-01-01", "9999-12-31"),
    # days
    "today": ("2026-02-10", "2026-02-10"),
    "Yesterday": ("2026-02-09", "2026-02-09"),
    "tomorrow": ("2026-02-11", "2026-02-11"),
    "the day before yesterday": ("2026-02-08", "2026-02-08"),
    "the day after tomorrow": ("2026-02-12", "2026-02-12"),
    "3 days ago": ("2026-02-07", "2026-02-07"),
    "three days ago": ("2026-02-07", "2026-02-07"),
    "a day ago": ("2026-02-09", "2026-02-09"),
    "a couple of days ago": ("2026-02-08", "2026-02-08"),
    "in 3 days": ("2026-02-13", "2026-02-13"),
    # weekends: those before this week's
    "the last weekend": ("2026-02-07", "2026-02-08"),
    "this past weekend": ("2026-02-07", "2026-02-08"),
    "last two weekends": ("2026-01-31", "2026-02-08"),
    "past couple of weekends": ("2026-01-31", "2026-02-08"),
    "2 weekends ago today": ("2026-01-27", "2026-01-27"),
    "2 quarters ago today": ("2025-08-10", "2025-08-10"),
    # weekdays: look back, `last` before today, `next` after it, `this` in this week
    "monday": ("2026-02-09", "2026-02-09"),
    "on Monday": ("2026-02-09", "2026-02-09"),
    "tuesday": ("2026-02-10", "2026-02-10"),
    "wednesday": ("2026-02-04", "2026-02-04"),
    "thurs": ("2026-02-05", "2026-02-05"),
    "last tuesday": ("2026-02-03", "2026-02-03"),
    "last friday": ("2026-02-06", "2026-02-06"),
    "next tuesday": ("2026-02-17", "2026-02-17"),
    "next wed": ("2026-02-11", "2026-02-11"),
    "this friday": ("2026-02-13", "2026-02-13"),
    "this monday": ("2026-02-09", "2026-02-09"),
    # weeks begin on Monday
    "this week": ("2026-02-09", "2026-02-15"),
    "last week": ("2026-02-02", "2026-02-08"),
    "next week": ("2026-02-16", "2026-02-22"),
    "2 weeks ago": ("2026-01-26", "2026-02-01"),
    "last weekend": ("2026-02-07", "2026-02-08"),
    "this weekend": ("2026-02-14", "2026-02-15"),
    # months, quarters, years
    "this month": ("2026-02-01", "2026-02-28"),
    "last month": ("2026-01-01", "2026-01-31"),
    "3 months ago": ("2025-11-01", "2025-11-30"),
    "last quarter": ("2025-10-01", "2025-12-31"),
    "this quarter": ("2026-01-01", "2026-03-31"),
    "last year": ("2025-01-01", "2025-12-31"),
    "2 years ago": ("2024-01-01", "2024-12-31"),
    "february": ("2026-02-01", "2026-02-28"),
    "last february": ("2025-02-01", "2025-02-28"),
    "next february": ("2027-02-01", "2027-02-28"),
    "march": ("2025-03-01", "2025-03-31"),
    "this march": ("2026-03-01", "2026-03-31"),
    "next march": ("2026-03-01", "2026-03-31"),
    "last january": ("2026-01-01", "2026-01-31"),
    "in may": ("2025-05-01", "2025-05-31"),
    "feb 2024": ("2024-02-01", "2024-02-29"),
    "Sept. 2025": ("2025-09-01", "2025-09-30"),
    "2025 december": ("2025-12-01", "2025-12-31"),
    # days of a month
    "feb 1": ("2026-02-01", "2026-02-01"),
    "February 11": ("2025-02-11", "2025-02-11"),
    "1 feb 2025": ("2025-02-01", "2025-02-01"),
    "Feb 1, 2025": ("2025-02-01", "2025-02-01"),
    "the 3rd of march": ("2025-03-03", "2025-03-03"),
    "feb 29": ("2024-02-29", "2024-02-29"),
    "the 3rd": ("2026-02-03", "2026-02-03"),
    "on the 14th": ("2026-01-14", "2026-01-14"),
    "the 31st": ("2026-01-31", "2026-01-31"),
    "the 14th of last month": ("2026-01-14", "2026-01-14"),
    "25/12/2025": ("2025-12-25", "2025-12-25"),
    "12/25/2025": ("2025-12-25", "2025-12-25"),
    "25.12.2025": ("2025-12-25", "2025-12-25"),
    "christmas day 2024": ("2024-12-25", "2024-12-25"),
    "on new year's eve": ("2025-12-31", "2025-12-31"),
    "last christmas": ("2025-12-25", "2025-12-25"),
    "next valentine's day": ("2026-02-14", "2026-02-14"),
    "next new year's day": ("2027-01-01", "2027-01-01"),
    "febuary 2024": ("2024-02-01", "2024-02-29"),
    "may of 2024": ("2024-05-01", "2024-05-31"),
    "tommorow": ("2026-02-11", "2026-02-11"),
    "tonight": ("2026-02-10", "2026-02-10"),
    "last night": ("2026-02-09", "2026-02-09"),
    "the week before last": ("2026-01-26", "2026-02-01"),
    "the week of 3 June 2024": ("2024-06-03", "2024-06-09"),
    "a year ago today": ("2025-02-10", "2025-02-10"),
    "2 weeks ago today": ("2026-01-27", "2026-01-27"),
    "the 1990s": ("1990-01-01", "1999-12-31"),
    # a day of a week or a year
    "friday last week": ("2026-02-06", "2026-02-06"),
    "Monday of last week": ("2026-02-02", "2026-02-02"),
    "sunday this week": ("2026-02-15", "2026-02-15"),
    "monday to wednesday last week": ("2026-02-02", "2026-02-04"),
    "two weeks ago on Friday": ("2026-01-30", "2026-01-30"),
    "sunday a weekend ago": ("2026-02-08", "2026-02-08"),
    "wednesday two months ago": ("2025-12-10", "2025-12-10"),
    "tuesday a year ago": ("2025-02-11", "2025-02-11"),
    "3 fridays ago": ("2026-01-23", "2026-01-23"),
    "tuesday before last": ("2026-01-27", "2026-01-27"),
    "3 march last year": ("2025-03-03", "2025-03-03"),
    "august two years ago": ("2024-08-01", "2024-08-31"),
    "christmas last year": ("2025-12-25", "2025-12-25"),
    # stretches that end today
    "last 7 days": ("2026-02-04", "2026-02-10"),
    "past 2 weeks": ("2026-01-28", "2026-02-10"),
    "last 3 months": ("2025-11-11", "2026-02-10"),
    "last 2 years": ("2024-02-11", "2026-02-10"),
    "since last week": ("2026-02-02", "2026-02-08"),
}

NOT_DATES = [
    "week 60",
    "week 53 2025",
    "31 February",
    "31 February 2026",
    "2026-13",
    "0000-01-01",
    "0000",
    "10000-01-01",
    "in 99999999 years",
    "999999 years ago",
    "last 0 days",
    "last 0 weekends",
    "friday last month",
    "friday two days ago",
    "3 march 2023 last year",
    "wednesday to friday two quarters ago",
    "wednesday to monday last week",
    "٢٠٢٦-١٣-٠١",
    "today\0",
    "\ud800",
    "",
    " ",
    "soon",
    "2026-02-30",
    "2026-13",
    "2026-13-01",
    "2026-00-10",
    "2026-W54",
    "2026-W00",
    "0000",
    "q5",
    "feb 30",
    "01.02.2026",
    "2/1/2026",
    "february february",
    "last",
    "ago",
    "3 ago",
    "days ago",
    "-1 days ago",
    "99999999 days ago",
    "999999 days ago",
    "999999 years ago",
    "last 0 0 days",
    "today..soon",
    "2026-03..2026-01",
    "a..b..c",
    "31/31/2025",
    "32/1/2025",
    "the 32nd",
    "week of soon",
    "week of week of week of soon",
    "2026-02-01x",
    "\u0661\u0662",
    "²026",
    "\x00",
    "2026-02-01\n2026-02-02",
    "x" * 100_000,
    "last " * 50_000,
]


@pytest.mark.parametrize(("text", "meant"), MEANT.items(), ids=MEANT)
def test_what_is_meant(text: str, meant: tuple[str, str]) -> None:
    assert dates(text, TODAY) == meant
    assert dates(f"  {text.upper()} ", TODAY) == meant


@pytest.mark.parametrize("text", NOT_DATES, ids=lambda text: repr(text[:20]))
def test_text_that_is_no_date_is_a_usage_error_with_examples(text: str) -> None:
    with pytest.raises(UsageError) as error:
        dates(text, TODAY)
    assert error.value.exit_code == 2
    assert len(error.value.message) < 100
    for example in ("2026-02-01", "2026-01..2026-03", "last week"):
        assert example in error.value.hint


def test_the_examples_in_the_hint_are_dates() -> None:
    for example in ("2026-02-01", "2026-01..2026-03", "last week", "3 days ago", "feb 2026"):
        dates(example, TODAY)


def test_the_last_month_of_a_long_one_begins_after_the_end_of_a_short_one() -> None:
    assert dates("last 1 months", "2026-03-31") == ("2026-03-01", "2026-03-31")
    assert dates("last 1 years", "2024-02-29") == ("2023-03-01", "2024-02-29")


def test_today_may_carry_a_time() -> None:
    assert dates("today", "2026-02-10T23:59:59+02:00") == (TODAY, TODAY)


@pytest.mark.parametrize("month", MONTHS)
def test_months_whole_and_short(month: str) -> None:
    assert dates(f"{month} 2025", TODAY) == dates(f"{month[:3]} 2025", TODAY)
    assert dates(f"{month} 2025", TODAY)[0].startswith("2025-")


@pytest.mark.parametrize("day", DAYS)
def test_weekdays_whole_and_short(day: str) -> None:
    first, last = dates(day, TODAY)
    assert first == last
    assert dates(day[:3], TODAY) == (first, last)
    assert f"{date.fromisoformat(first):%A}".lower() == day


WORDS = st.sampled_from(
    [
        "today",
        "monday",
        "last friday",
        "next sunday",
        "this week",
        "last month",
        "3 months ago",
        "last 7 days",
        "march",
        "q3",
        "feb 29",
        "last 5 months",
        "next quarter",
        "this weekend",
        "2 years ago",
    ]
)


@given(WORDS, st.dates(date(1900, 1, 1), date(2100, 1, 1)))
def test_on_any_day_a_span_is_in_order(text: str, today: date) -> None:
    first, last = dates(text, today.isoformat())
    assert first <= last


@given(st.dates(date(1900, 1, 1), date(2100, 1, 1)))
def test_relations_that_hold_on_any_day(today: date) -> None:
    now = today.isoformat()
    yesterday = (today - timedelta(days=1)).isoformat()
    assert dates("this week", now)[0] <= now <= dates("this week", now)[1]
    assert dates("last week", now) == dates("this week", (today - timedelta(days=7)).isoformat())
    assert dates("last month", now)[1] < now
    assert dates("friday", now)[0] <= now
    assert dates("last friday", now) == dates("friday", yesterday)
    assert dates("last 1 days", now) == (now, now)
    assert dates("last 1 months", now)[0] > dates("last month", now)[0]


_GRAMMAR = st.tuples(
    st.sampled_from(["", "the ", "this ", "on ", "in ", "since the "]),
    st.sampled_from(["", "last ", "previous ", "past ", "this ", "current ", "next ", "coming "]),
    st.sampled_from(
        [
            "",
            "0 ",
            "1 ",
            "two ",
            "a ",
            "couple of ",
            "a couple of ",
            "twelve ",
            "60 ",
            "999999 ",
            "٣ ",
        ]
    ),
    st.sampled_from(
        [
            "day",
            "week",
            "weekend",
            "month",
            "quarter",
            "year",
            "friday",
            "may",
            "halloween",
            "week of ",
        ]
    ),
    st.sampled_from(["", "s"]),
    st.sampled_from(["", " ago", " ago today", " before last", " 0000", " 9999", " 13", " of 0"]),
).map("".join)
_EDGES = st.sampled_from(
    ["0001-01-01", "0001-01-03", "2024-02-29", "2026-03-29", "2026-10-25", "9999-12-31"]
)


@given(_GRAMMAR, _EDGES | st.dates().map(str))
def test_whatever_the_grammar_builds_is_read_or_told_on_any_day(text: str, today: str) -> None:
    try:
        first, last = dates(text, today)
    except UsageError:
        first = last = today
    assert first <= last
    assert isinstance(named_day(text, today), str)


@given(st.text(max_size=40))
def test_anything_else_is_told(text: str) -> None:
    try:
        first, last = dates(text, TODAY)
    except UsageError:
        return
    assert date.fromisoformat(first) <= date.fromisoformat(last)


def test_a_day_of_a_text_tells_less_of_a_long_span_than_of_a_short_one() -> None:
    day, month, year = (
        ("2026-02-10",) * 2,
        ("2026-02-01", "2026-02-28"),
        ("2026-01-01", "2026-12-31"),
    )
    whole, most, some = (carries(days, ["2026-02-10"], "") for days in (day, month, year))
    assert 1 == whole > most > some > 0
    assert carries(day, [None, "2026-02-09"], "from 2026-02-08 to [[2026-02-10]]") == 1
    assert carries(day, [None, "2026-02-09"], "number 12026-02-101") == 0
    assert carries(day, [], "") == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Saw the sea YESTERDAY with Ana", ("2026-02-08", "2026-02-08")),
        ("the day after tomorrow we move", ("2026-02-11", "2026-02-11")),
        ("the call is next Friday at nine", ("2026-02-13", "2026-02-13")),
        ("she left three weeks ago", ("2026-01-19", "2026-01-25")),
        ("the exam is in two weeks", ("2026-02-23", "2026-03-01")),
        ("rained on Saturday", ("2026-02-07", "2026-02-07")),
    ],
)
def test_a_text_tells_a_day_by_how_far_it_is_from_its_own(text: str, told: tuple[str, str]) -> None:
    assert [*told_days(text, "2026-02-09")] == [told]
    assert carries(told, [None, "2026-02-09"], text) == 0.5
    assert carries(told, [None, None], text) == 0
    assert carries(("2025-02-09", "2025-02-09"), [None, "2026-02-09"], text) == 0


def test_a_week_that_a_text_tells_is_no_day_of_it() -> None:
    week = ("2026-02-02", "2026-02-08")
    assert carries(week, ["2026-02-09"], "we painted last week") == 0.5
    assert carries(("2026-02-04",) * 2, ["2026-02-09"], "we painted last week") == 0


@pytest.mark.parametrize(
    "text",
    [
        "the Yesterdays played",
        "Friday's Child",
        "last 3 pages",
        "in 2 rooms",
        "five year old",
        "next door, on Monroe Street",
    ],
)
def test_what_tells_no_day_tells_none(text: str) -> None:
    assert carries(("2000-01-01", "2026-02-08"), ["2026-02-09"], text) == 0


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("yesterday", "2026-02-09"),
        ("the day before yesterday", "2026-02-08"),
        ("Last  Friday", "2026-02-06"),
        ("tuesday", "2026-02-10"),
        ("three days ago", "2026-02-07"),
        ("3 May 2025", "2025-05-03"),
        ("2026_02_01", "2026-02-01"),
        *(
            (text, "")
            for text in (
                "sun",
                "14th",
                "the 14th",
                "halloween",
                "may",
                "last week",
                "2026",
                "",
                "now",
            )
        ),
        *(
            (text, "")
            for text in (
                "2026-02-30",
                "0001-01-01",
                "99999999999 days ago",
                "next",
                "the yesterday",
            )
        ),
    ],
)
def test_what_names_a_day_in_the_place_of_a_note(text: str, day: str) -> None:
    assert named_day(text, "2026-02-10") == day
