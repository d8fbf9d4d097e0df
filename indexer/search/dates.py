"""Dates as people type them → the first and last day meant, for --since, --until and --on.

Pure: *today* is an argument.  A week begins on Monday.  Words look back, as searches do: `friday`
is the latest Friday up to today, `february` the latest that has begun.  `2 weeks ago` is that
calendar week, `3 months ago` that month; `last 7 days` ends today, `last week` is the one before
this one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from datetime import date, timedelta
from functools import cache

from indexer.errors import UsageError
from indexer.reading.path_meaning import MONTHS, WEEKDAYS, month_of
from indexer.spelling import LONE_ISO_DAY, shorten

EXAMPLES = (
    "write a date like 2026-02-01, a range like 2026-01..2026-03, or words like last week, 3 days"
    " ago, feb 2026"
)

_DAY = timedelta(days=1)
_DAYS = tuple(name[:3] for name in WEEKDAYS)
_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
_WEEKDAY = rf"({'|'.join(_DAYS)})(?:day|s|sday|nesday|r|rs|rsday|urday)?"
MONTH = (
    rf"(?:(?:{'|'.join(MONTHS)}|jan[a-z]{{2,5}}ary|feb[a-z]{{1,5}}ary|sep[a-z]{{3,5}}ber"
    rf"|oct[a-z]{{1,4}}ber"
    r"|nov[a-z]{2,4}ber|dec[a-z]{2,4}ber)\b|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b\.?)"
)
"""A month, whole, abbreviated or misspelled in its middle: its first three letters tell which."""
_MONTH = rf"({MONTH})"

Span = tuple[date, date]

SHORT_SPAN = 7
LONG_SPAN = 92
"""Days: a span up to the first says all of a day leg, one up to the second two thirds, a longer one
a third."""
_TOLD_SHARE = 0.5
"""What a day counts that a text tells by its own, beside one that is written: the text may be of
that day by the way."""
_NAMES_A_DAY = re.compile(
    rf"(?:today|(?:(?:the )?day before )?yest[a-z]{{2,4}}day|tom+or+ow|(?:(?:last|this"
    rf"|next) )?(?:{'|'.join(WEEKDAYS)})"
    r"|[a-z]+ days ago|(?!(?:the )?\d+(?:st|nd|rd|th)(?: of \w+ month)?$).*\d.*)"
)
"""What names a day and hardly a note; `sun`, `the 14th` and `halloween` may name both."""


def dates(
    text: str,
    today: str,
) -> tuple[str, str]:
    """The first and last day, inclusive ISO dates, that a text means on the day `today` (ISO).

    A date, month or year (`2026-02-01`, `2026-02`, `2026`), a week or quarter (`2026-W05`,
    `Q1 2026`), a range of any two (`2026-01..feb`; an open side reaches to the end of time), or
    words.  Raises UsageError for anything else, `2026-02-30` included.
    """
    now = date.fromisoformat(today[:10])
    start, dots, end = text.partition("..")
    first = date.min
    last = date.max
    try:
        if start.strip() or not dots:
            first, last = parse_span(start, now)
        if end.strip():
            last = parse_span(end, now)[1]
        elif dots:
            last = date.max
    except (ValueError, OverflowError):
        raise UsageError(f"{shorten(text)!r} is not a date", EXAMPLES) from None
    if first > last:
        raise UsageError(f"the range {text!r} ends before it begins", EXAMPLES)
    return first.isoformat(), last.isoformat()


def named_day(
    text: str,
    today: str,
) -> str:
    """The ISO day that a text names in the place of a note, "" for none: `yesterday`, `last
    friday`, `3 May`."""
    text = " ".join(text[:100].lower().replace(",", " ").split())
    if not _NAMES_A_DAY.fullmatch(text):
        return ""
    try:
        first, last = parse_span(text, date.fromisoformat(today[:10]))
    except (ValueError, OverflowError):
        return ""
    if first == last and 1000 <= first.year <= 2999:
        return first.isoformat()
    return ""


def carries(
    days: tuple[str, str],
    dates: Iterable[str | None],
    text: str,
) -> float:
    """How much it tells that one of these dates, or a date that stands in the text, is among the
    days asked about; a text that has a date tells others by it, as in `told_days`.

    0 to 1 for a day or a week: the longer the span, the more is in it by chance.
    """
    first, last = days
    known = list(filter(None, dates))
    share = 1.0
    if not any(first <= day <= last for day in (*known, *re.findall(LONE_ISO_DAY, text))):
        share = _TOLD_SHARE
        told = told_days(text, known[-1]) if known else ()
        if not any(first <= begin and end <= last for begin, end in told):
            return 0.0
    length = (date.fromisoformat(last) - date.fromisoformat(first)).days + 1
    if length <= SHORT_SPAN:
        return share
    if length <= LONG_SPAN:
        return share * 2 / 3
    return share / 3


def told_days(
    text: str,
    day: str,
) -> Iterator[tuple[str, str]]:
    """The first and the last day of what a text written on a day tells by how far it is from that
    day: `yesterday`, `next Friday`, `in two weeks`."""
    lower = text.lower()
    now = date.fromisoformat(day)
    pattern = re.compile(_FROM_A_DAY)
    done = 0
    for unit in re.finditer(_UNIT, lower):
        begin, end = unit.span()
        for found in pattern.finditer(lower, max(done, begin - _FARTHEST), end + _FARTHEST):
            if not found.start() <= begin < found.end():
                continue
            done = found.end()
            with suppress(ValueError, OverflowError):
                first, last = parse_span(found[0], now)
                yield first.isoformat(), last.isoformat()


def parse_span(
    text: str,
    today: date,
) -> Span:
    """The days one expression means; ValueError where it means none."""
    text = " ".join(text[:100].lower().replace(",", " ").split())
    text = re.sub(r"^(?:(?:on|since|from|until|till|during) )?(?:the |this (?=past ))?", "", text)
    for pattern, meaning in _forms():
        match = pattern.fullmatch(text)
        if match:
            return meaning(today, *match.groups())
    raise ValueError(text)


@cache
def _forms() -> tuple[tuple[re.Pattern[str], Callable[..., Span]], ...]:
    return tuple((re.compile(pattern), meaning) for pattern, meaning in _FORMS)


def _day(day: date) -> Span:
    return day, day


def _week(day: date) -> Span:
    monday = day - day.weekday() * _DAY
    return monday, monday + 6 * _DAY


def _months(
    year: int,
    month: int,
    count: int = 1,
) -> Span:
    """`count` whole months from one that may lie outside 1..12."""
    first = year * 12 + month - 1
    last = year * 12 + month + count - 2
    end = date(last // 12, last % 12 + 1, 1)
    from calendar import monthrange  # it imports more than most searches need

    return date(first // 12, first % 12 + 1, 1), end.replace(day=monthrange(end.year, end.month)[1])


def _unit(
    today: date,
    unit: str,
    steps: int,
) -> Span:
    """The day, week, weekend, month, quarter or year `steps` away from this one."""
    if unit == "day":
        return _day(today + steps * _DAY)
    if unit == "week":
        return _week(today + 7 * steps * _DAY)
    if unit == "weekend":
        saturday = _week(today + 7 * steps * _DAY)[0] + 5 * _DAY
        return saturday, saturday + _DAY
    if unit == "month":
        return _months(today.year, today.month + steps)
    if unit == "quarter":
        return _months(today.year, (today.month - 1) // 3 * 3 + 1 + 3 * steps, 3)
    return _months(today.year + steps, 1, 12)


def _back(
    today: date,
    number: str,
    unit: str,
) -> Span:
    """The last so many weekends before this week's; of any other unit up to and with today.
    ValueError for none."""
    count = _count(number)
    if not count:
        raise ValueError(unit)
    if unit == "weekend":
        return _unit(today, unit, -count)[0], _unit(today, unit, -1)[1]
    return _ago_today(today, number, unit)[0] + _DAY, today


def _count(word: str) -> int:
    """A number in digits or words; `a` and `an` are one, `a couple of` two."""
    if word in {"a", "an"}:
        return 1
    if "couple" in word:
        return 2
    if word.isdigit():
        return int(word)
    return _NUMBERS.index(word)


def _weekday(
    today: date,
    which: str | None,
    name: str,
) -> Span:
    """`friday`: up to today; `last friday`: before today; `this`: of this week; `next`: after
    today."""
    index = _DAYS.index(name)
    if which == "this":
        return _day(_week(today)[0] + index * _DAY)
    if which == "next":
        return _day(today + ((index - today.weekday() - 1) % 7 + 1) * _DAY)
    back = (today.weekday() - index) % 7
    return _day(today - (back or (7 if which else 0)) * _DAY)


def _before(
    today: date,
    steps: int,
    name: str,
) -> Span:
    """So many of a weekday before today: `two fridays ago`, `the friday before last`."""
    last, _ = _weekday(today, "last", name)
    return _day(last - 7 * (steps - 1) * _DAY)


def _in_week(
    today: date,
    name: str,
    text: str,
) -> Span:
    """A weekday of a week: `friday last week`; of so many months or years ago of the week that this
    day was in. ValueError where the text means no week."""
    if re.search("(?:month|year)s? ago$", text):
        text += " today"
    first, last = parse_span(text, today)
    if (last - first).days >= SHORT_SPAN:
        raise ValueError(text)
    monday, _ = _week(first)
    return _day(monday + _DAYS.index(name) * _DAY)


def _from_to(
    today: date,
    one: str,
    other: str,
    text: str,
) -> Span:
    """Two weekdays of a week, and those between: `monday to wednesday last week`."""
    first, _ = _in_week(today, one, text)
    last, _ = _in_week(today, other, text)
    return first, last


def _in_year(
    today: date,
    text: str,
    year: str,
) -> Span:
    """A day or month of a year: `3 march last year`. ValueError where it is none of it."""
    around = parse_span(year, today)
    found = parse_span(text, around[1])
    if found[0] < around[0]:
        raise ValueError(text)
    return found


def _month(
    today: date,
    which: str | None,
    name: str,
    year: str | None,
) -> Span:
    """`february`: the latest that has begun; `last february`: the latest that is over; `next`: to
    come."""
    month = month_of(name)
    begun = today.year
    if year:
        begun = int(year)
    elif which != "this":
        if month > today.month:
            begun -= 1
        if which == "next":
            begun += 1
        elif which and month == today.month:
            begun -= 1
    return _months(begun, month)


def _month_day(
    today: date,
    name: str,
    day: str,
    year: str | None,
) -> Span:
    """A day of a month; without a year the latest up to today (29 February: of a leap year)."""
    month = month_of(name)
    if year:
        return _day(date(int(year), month, int(day)))
    for back in range(9):
        try:
            found = date(today.year - back, month, int(day))
        except ValueError:
            continue
        if found <= today:
            return _day(found)
    raise ValueError(name, day)


def _numbers(
    _: date,
    one: str,
    _sign: str,
    two: str,
    year: str,
) -> Span:
    """25/12/2023 and 12/25/2023; ValueError where both orders would make a date."""
    less, more = sorted((int(one), int(two)))
    if less > 12 or (more <= 12 and less != more):
        raise ValueError(one, two)
    return _day(date(int(year), less, more))


def _feast(
    today: date,
    which: str | None,
    name: str,
    year: str | None,
) -> Span:
    """A day with a name of its own, in a year, or the latest up to today, or the next."""
    month, day = FEASTS["christmas day" if name == "christmas" else name.replace("'", "")]
    if which == "next":
        year = str(today.year + (today >= date(today.year, month, day)))
    if which == "this":
        year = str(today.year)
    return _month_day(today, MONTHS[month - 1], str(day), year)


def _ago_today(
    today: date,
    number: str,
    unit: str,
) -> Span:
    """The day of today's number so long ago, or the last of that month."""
    count = _count(number)
    if unit in {"day", "week", "weekend"}:
        return _day(today - count * (1 if unit == "day" else 7) * _DAY)
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    first, last = _months(today.year, today.month - count * months)
    return _day(min(first + (today.day - 1) * _DAY, last))


def _nth(
    today: date,
    number: str,
    which: str | None,
) -> Span:
    """`the 14th`: the latest up to today, or of this, last or next month."""
    for back in [-_STEPS[which]] if which else range(3):
        first, last = _months(today.year, today.month - back)
        found = first + (int(number) - 1) * _DAY
        if first <= found <= last and (which or found <= today):
            return _day(found)
    raise ValueError(number)


def _iso_day(
    _: date,
    year: str,
    month: str,
    day: str,
) -> Span:
    return _day(date(int(year), int(month), int(day)))


def _iso_week(
    today: date,
    week: str,
    year: str | None,
) -> Span:
    return _week(date.fromisocalendar(int(year or today.isocalendar().year), int(week), 1))


def _quarter(
    today: date,
    number: str,
    year: str | None,
) -> Span:
    return _months(int(year or today.year), int(number) * 3 - 2, 3)


_STEPS = {
    "last": -1,
    "previous": -1,
    "past": -1,
    "this": 0,
    "current": 0,
    "next": 1,
    "coming": 1,
}
FEASTS = {
    "christmas day": (12, 25),
    "christmas eve": (12, 24),
    "boxing day": (12, 26),
    "new years day": (1, 1),
    "new years eve": (12, 31),
    "valentines day": (2, 14),
    "halloween": (10, 31),
}
FEAST = r"(?:christmas(?: day| eve)?|boxing day|new year'?s (?:day|eve)|valentine'?s day|halloween)"
_WHICH = r"(last|previous|past|this|current|next|coming)"
_COUNT = rf"(\d{{1,6}}|an?|(?:a )?couple of|{'|'.join(_NUMBERS)})"
_UNITS = r"(day|week|weekend|month|quarter|year)s?"
_SEP = r"[-/._]"
_HOW_FAR = (
    rf"(?:\d\d?|an?|(?:a )?couple of|{'|'.join(_NUMBERS)})"
    r" (?:day|week|weekend|month|year)s?"
)
_UNIT = "day|week|month|year|tomorrow|night"
"""What is in each of the following."""
_FARTHEST = 24
"""Letters of the longest of them before or behind that."""
_FROM_A_DAY = (
    r"\b(?:(?:day before )?yesterday|(?:day after )?tomorrow|last night|tonight"
    rf"|(?:last|this|next|coming|past) (?:{'|'.join(WEEKDAYS)}|week|weekend|month)"
    rf"|on (?:{'|'.join(WEEKDAYS)})|{_HOW_FAR} ago|in {_HOW_FAR})\b"
)
"""What tells a day by how far it is from the day of the text."""
_OF_WEEKS = r"(?:of )?(?:the )?(.+ weeks?|.+ (?:week|weekend|month|year)s? ago)"

_FORMS: tuple[tuple[str, Callable[..., Span]], ...] = (
    (rf"(\d{{4}}){_SEP}(\d\d?){_SEP}(\d\d?)", _iso_day),
    (r"(\d{4})(\d\d)(\d\d)", _iso_day),
    (
        rf"(\d{{4}}){_SEP}(0[1-9]|1[0-2]|[1-9])",
        lambda _, year, month: _months(int(year), int(month)),
    ),
    (r"(?:in )?(\d{4})", lambda _, year: _months(int(year), 1, 12)),
    (r"(\d{4})[- ]?w(\d\d?)", lambda now, year, week: _iso_week(now, week, year)),
    (r"(\d\d?)([/.])(\d\d?)\2(\d{4})", _numbers),
    (r"(\d{3}0)'?s", lambda _, year: _months(int(year), 1, 120)),
    (r"today|now|tonight|this (?:morning|afternoon|evening)", _day),
    (r"yest[a-z]{2,4}day|last night", lambda now: _day(now - _DAY)),
    (r"tom+or+ow", lambda now: _day(now + _DAY)),
    (r"day before yesterday", lambda now: _day(now - 2 * _DAY)),
    (r"day after tom+or+ow", lambda now: _day(now + 2 * _DAY)),
    (r"(?:week|w) ?(\d\d?)(?: (\d{4}))?", _iso_week),
    (r"q([1-4])(?:[- ]?(\d{4}))?", _quarter),
    (r"(\d{4})[- ]?q([1-4])", lambda now, year, number: _quarter(now, number, year)),
    (rf"{_WHICH} {_UNITS}", lambda now, which, unit: _unit(now, unit, _STEPS[which])),
    (rf"(?:last|past|previous) {_COUNT} {_UNITS}", _back),
    (rf"{_COUNT} {_UNITS} ago", lambda now, number, unit: _unit(now, unit, -_count(number))),
    (rf"{_COUNT} {_UNITS} ago today", _ago_today),
    (rf"{_UNITS} before last", lambda now, unit: _unit(now, unit, -2)),
    (
        rf"{_COUNT} {_WEEKDAY}s ago",
        lambda now, number, name: _before(now, _count(number), name),
    ),
    (
        rf"{_WEEKDAY} before last",
        lambda now, name: _before(now, 2, name),
    ),
    (rf"{_WEEKDAY} (?:to|until|till|-) {_WEEKDAY} {_OF_WEEKS}", _from_to),
    (rf"{_WEEKDAY} {_OF_WEEKS}", _in_week),
    (
        rf"{_OF_WEEKS} (?:on )?{_WEEKDAY}",
        lambda now, text, name: _in_week(now, name, text),
    ),
    (
        rf"(.*(?:{MONTH}|{FEAST}).*?) (?:of )?((?:last|this|next) year|\S+ years? ago)",
        _in_year,
    ),
    (
        r"week (?:of|beginning|starting)(?: the)? (.{1,40})",
        lambda now, text: _week(parse_span(text, now)[0]),
    ),
    (rf"(?:(?:on|at|for) )?(?:(last|this|next) )?({FEAST})(?: (\d{{4}}))?", _feast),
    (r"(\d\d?)(?:st|nd|rd|th)(?: of (this|last|next) month)?", _nth),
    (rf"in {_COUNT} {_UNITS}", lambda now, number, unit: _unit(now, unit, _count(number))),
    (rf"(?:(last|this|next) )?{_WEEKDAY}", _weekday),
    (rf"(?:in )?(?:(last|this|next) )?{_MONTH}(?:(?: of)? (\d{{4}}))?", _month),
    (rf"(\d{{4}}) {_MONTH}", lambda now, year, name: _month(now, None, name, year)),
    (rf"{_MONTH} (?:the )?(\d\d?)(?:st|nd|rd|th)?(?: (\d{{4}}))?", _month_day),
    (
        rf"(\d\d?)(?:st|nd|rd|th)?(?: of)? {_MONTH}(?: (\d{{4}}))?",
        lambda now, day, name, year: _month_day(now, name, day, year),
    ),
)
