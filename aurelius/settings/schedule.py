"""Times as cron writes them, in five fields: `0 4 * * *` is every day at four."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator

FIELDS = (
    ("minute", 0, 59),
    ("hour", 0, 23),
    ("day", 1, 31),
    ("month", 1, 12),
    ("weekday", 0, 7),
)
"""Each field with its least and greatest number; weekday 0 and 7 are both Sunday."""

LAST_DAYS = {
    2: 29,
    4: 30,
    6: 30,
    9: 30,
    11: 30,
}
"""The last day that each month has in some year, where it is not the 31st."""

MOST_AHEAD = 9 * 366
"""Days that a time is looked for in: 29 February may be eight years away."""

_PART = re.compile(r"(?:\*|([0-9]{1,3})(?:-([0-9]{1,3}))?)(?:/([0-9]{1,3}))?")
"""A part of a field: its first number, none for `*`, its last one, and the step between them."""


def parse_schedule(text: str) -> tuple[frozenset[int], ...]:
    """The numbers that each field allows, in the order of FIELDS; ValueError for no such line, and
    for none ever.

    A field is `*`, a number, `from-to`, any of them with `/step`, or several with commas between.
    """
    words = text.split()
    if len(words) != len(FIELDS):
        raise ValueError('five fields, as in "0 4 * * *"')
    allowed = []
    for word, (name, least, most) in zip(words, FIELDS, strict=True):
        allowed.append(_numbers_of_field(word, name, least, most))
    minutes, hours, days, months, weekdays = allowed
    longest = max(LAST_DAYS.get(month, 31) for month in months)
    if min(days) > longest and not _is_either(text):
        never = f"day {words[2]} of month {words[3]} never comes"
        raise ValueError(f"a day that its month has: {never}")
    sunday_first = frozenset(number % 7 for number in weekdays)
    return minutes, hours, days, months, sunday_first


def _is_either(text: str) -> bool:
    """Whether the day or the weekday is enough: where both are narrowed, as cron has it."""
    _, _, day, _, weekday = text.split()
    return not (day.startswith("*") or weekday.startswith("*"))


def following(text: str, after: datetime.datetime) -> datetime.datetime | None:
    """The first minute after a moment that such a line names, None where there is none in the next
    nine years."""
    minutes, hours, *_ = parse_schedule(text)
    for day in _days(text, after.date()):
        for hour in sorted(hours):
            for minute in sorted(minutes):
                time = datetime.time(hour, minute)
                moment = datetime.datetime.combine(day, time)
                if moment > after:
                    return moment
    return None


def _days(text: str, first: datetime.date) -> Iterator[datetime.date]:
    """The days that such a line names, from the `first` on."""
    _, _, days, months, weekdays = parse_schedule(text)
    enough = any if _is_either(text) else all
    for ahead in range(MOST_AHEAD):
        day = first + datetime.timedelta(ahead)
        named = (
            day.day in days,
            day.isoweekday() % 7 in weekdays,
        )
        if day.month in months and enough(named):
            yield day


def _numbers_of_field(word: str, name: str, least: int, most: int) -> frozenset[int]:
    """The numbers that one field allows, from `least` to `most`.  ValueError."""
    allowed: set[int] = set()
    for part in word.split(","):
        numbers = _numbers_of_part(part, least, most)
        if not numbers:
            raise ValueError(f"a {name} from {least} to {most}, not {part!r}")
        allowed.update(numbers)
    return frozenset(allowed)


def _numbers_of_part(part: str, least: int, most: int) -> range:
    """The numbers that a part of a field allows, none where it makes no sense."""
    none = range(0)
    found = _PART.fullmatch(part)
    if found is None:
        return none
    first, last, step = found.groups()
    start = int(first or least)
    if last:
        end = int(last)
    elif first and not step:
        end = start
    else:
        end = most
    every = int(step or 1)
    if not least <= start <= end <= most or not every:
        return none
    return range(start, end + 1, every)
