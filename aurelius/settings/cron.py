"""Schedules of jobs: five fields as cron writes them, `0 4 * * *` for every day at four."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import datetime

FIELDS = (("minute", 0, 59), ("hour", 0, 23), ("day", 1, 31), ("month", 1, 12), ("weekday", 0, 7))
"""Each field with its least and greatest number; weekday 0 and 7 are both Sunday."""

LONGEST = {2: 29, 4: 30, 6: 30, 9: 30, 11: 30}
"""The last day that each month has in some year, where it is not the 31st."""


def parse(text: str) -> tuple[frozenset[int], ...]:
    """The numbers that each field allows, in the order of FIELDS; ValueError for what is no such line or never comes.

    A field is `*`, a number, `from-to`, any of them with `/step`, or several with commas between.
    """
    words = text.split()
    if len(words) != len(FIELDS):
        raise ValueError('five fields, as in "0 4 * * *"')
    found = [_field(word, *field) for word, field in zip(words, FIELDS, strict=True)]
    found[4] = frozenset(number % 7 for number in found[4])
    _, _, days, months, _ = found
    if not _either(words) and all(LONGEST.get(month, 31) < min(days) for month in months):
        raise ValueError(f"a day that its month has: day {words[2]} of month {words[3]} never comes")
    return tuple(found)


def _either(words: list[str]) -> bool:
    """Whether the day or the weekday is enough: where both are narrowed, as cron has it."""
    return words[2][0] != "*" and words[4][0] != "*"


def following(text: str, after: datetime.datetime) -> datetime.datetime | None:
    """The first minute after a moment that such a line names, None where there is none in the next nine years."""
    import datetime

    minutes, hours, days, months, weekdays = parse(text)
    either = _either(text.split())
    moment = after.replace(second=0, microsecond=0) + datetime.timedelta(minutes=1)
    for ahead in range(9 * 366):
        day = moment.date() + datetime.timedelta(ahead)
        named = (day.day in days, day.isoweekday() % 7 in weekdays)
        if day.month in months and (any(named) if either else all(named)):
            for hour in sorted(hours):
                for minute in sorted(minutes):
                    found = datetime.datetime.combine(day, datetime.time(hour, minute))
                    if found >= moment:
                        return found
    return None


def _field(word: str, name: str, least: int, most: int) -> frozenset[int]:
    allowed: set[int] = set()
    for part in word.split(","):
        span, stepped, step = part.partition("/")
        first, ranged, last = span.partition("-")
        low, high = (str(least), str(most)) if span == "*" else (first, last if ranged else first)
        if stepped and not ranged and span != "*":
            high = str(most)
        numbers = (low, high, step if stepped else "1")
        if not all(number.isascii() and number.isdigit() and len(number) < 4 for number in numbers):
            raise ValueError(f"a {name} from {least} to {most}, not {part!r}")
        start, end, every = map(int, numbers)
        if not least <= start <= end <= most or not every:
            raise ValueError(f"a {name} from {least} to {most}, not {part!r}")
        allowed.update(range(start, end + 1, every))
    return frozenset(allowed)
