"""The days: a year of them as a picture and as a table, and what some of them say, as `aurelius
days` tells it."""

from __future__ import annotations

import datetime
from calendar import monthrange
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

from markupsafe import Markup

from aurelius import api
from aurelius.answers.days import read_days, span_of_words
from aurelius.show.days import MOST_DAY_LINES
from aurelius.show.hits import name
from indexer.errors import UsageError
from indexer.reading.path_meaning import MONTHS, WEEKDAYS
from indexer.search.query import read_span

from .addresses import day_url
from .call import PageAnswer
from .drawings import draw_days, month_rows
from .line_html import said_html
from .links import PageLinks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurelius.answers.days import Day, DayNote, Days, LineOfDay
    from indexer.catalog.lists import NoteRow, TaskRow
    from indexer.note import Fact

    from .call import PageCall, Window

    Span = tuple[str, str]

_DAYS_A_PART = 7
_LINES_OF_ONE = 60
"""Lines of the note of a day that is shown alone, and of its facts, notes and tasks elsewhere."""
_OTHER_YEARS = 3
"""Days of other years that the first view shows."""
_LINES_OF_OTHERS = 3
_NAMES = ("day", "from", "until")
"""The names in the address of the days that are asked for."""
_EVER = ("0001-01-01", "9999-12-31")
_YEAR = datetime.timedelta(364)
_DAY = datetime.timedelta(1)


class LineShown(NamedTuple):
    """A line of a note: where it is, how deep it is nested, what it says as HTML."""

    line: int
    depth: int
    html: Markup


class ShownNote(NamedTuple):
    """A note of a day: its lines, those below one heading together, and how many more it has."""

    path: str
    parts: Sequence[tuple[str, Sequence[LineShown]]]
    left: int


class DayFact(NamedTuple):
    """A fact that has its date from its line: the note that it is in, and its text as HTML."""

    path: str
    fact: Fact
    html: Markup


class ShownDay(NamedTuple):
    """A day as it is shown; `left` is how many of its facts, notes and tasks are not."""

    date: str
    weekday: str
    notes: Sequence[ShownNote]
    facts: Sequence[DayFact]
    pages: Sequence[NoteRow]
    tasks: Sequence[tuple[TaskRow, Markup]]
    left: int


class AskedDays(NamedTuple):
    """The days that are asked for: from one to another, or the same day in every year."""

    first: str
    last: str
    yearly: bool

    @property
    def alone(self) -> bool:
        """Whether they are one day."""
        return self.first == self.last and not self.yearly

    @property
    def is_month(self) -> bool:
        """Whether they are all days of a month."""
        year, month, _ = map(int, self.last.split("-"))
        ends = f"{monthrange(year, month)[1]:02}"
        return self.first == f"{self.last[:7]}-01" and self.last.endswith(ends)


def show_timeline(call: PageCall) -> PageAnswer:
    """A year of days, and those that are asked for, the newest first."""
    today = call.vault.now.date()
    wrong = ""
    try:
        asked = _asked(call, today.isoformat())
    except UsageError as error:
        wrong = f"{error.message.removeprefix('--')}: {error.hint}"
        week = today - 6 * _DAY
        asked = AskedDays(
            week.isoformat(),
            today.isoformat(),
            yearly=False,
        )
    end = min(today, datetime.date.fromisoformat(asked.last))
    if today - end < _YEAR:
        end = today
    end = max(end, datetime.date.min + _YEAR)
    span = (end - _YEAR, end)
    counts = api.activity(
        call.vault,
        span[0].isoformat(),
        span[1].isoformat(),
    )
    found, window = _found(call, asked)
    links = PageLinks(call.vault)
    most = _LINES_OF_ONE if asked.alone else MOST_DAY_LINES
    others: Sequence[ShownDay] = ()
    if not any(map(call.query.get, _NAMES)):
        others = _other_years(call, today.isoformat(), links)
    values: dict[str, Any] = {
        "drawing": _drawn(counts, span),
        "months": month_rows(counts),
        "span": span,
        "typed": call.query.get("day", ""),
        "wrong": wrong,
        "asked": asked,
        "total": found.total,
        "before": found.before,
        "days": [_shown(day, links, most) for day in found.days],
        "window": window,
        "steps": _steps(asked, _beside(call, asked, counts)),
        "others": others,
    }
    return PageAnswer("timeline.html", _title(asked), values)


def _drawn(
    counts: Mapping[str, int],
    span: tuple[datetime.date, datetime.date],
) -> Markup:
    title = f"Days from {span[0]} to {span[1]}"
    drawing = draw_days(
        counts,
        span,
        title,
        day_url,
    )
    return Markup(drawing)  # noqa: S704 it is ours


def _asked(
    call: PageCall,
    today: str,
) -> AskedDays:
    """The days that the address names.  UsageError."""
    day, first, last = (call.query.get(name, "").strip() for name in _NAMES)
    named = {
        "since": first,
        "until": last,
        "on": "",
    }
    since, until = read_span(named, today)
    yearly = bool(call.query.get("years"))
    span = span_of_words(
        [day] if day else [],
        since,
        until,
        today,
        yearly=yearly,
    )
    return AskedDays(*span, yearly)


def _found(
    call: PageCall,
    asked: AskedDays,
) -> tuple[Days, Window]:
    part = max(call.number("part", 1, 10**5), 1) - 1
    found = read_days(
        call.vault,
        (asked.first, asked.last),
        slice(part * _DAYS_A_PART, (part + 1) * _DAYS_A_PART),
        yearly=asked.yearly,
        private=False,
        most=_LINES_OF_ONE if asked.alone else MOST_DAY_LINES,
    )
    return found, call.window(found.total, _DAYS_A_PART)


def _other_years(
    call: PageCall,
    today: str,
    links: PageLinks,
) -> Sequence[ShownDay]:
    """The same day in the years before."""
    found = read_days(
        call.vault,
        (today, today),
        slice(_OTHER_YEARS + 1),
        yearly=True,
        private=False,
        most=_LINES_OF_OTHERS,
    )
    past = [day for day in found.days if day.date != today]
    return [
        _shown(
            day,
            links,
            _LINES_OF_OTHERS,
        )
        for day in past[:_OTHER_YEARS]
    ]


def _title(asked: AskedDays) -> str:
    if asked.yearly:
        return f"{asked.first[5:]} in every year"
    if asked.alone:
        weekday = datetime.date.fromisoformat(asked.first).weekday()
        return f"{asked.first}, {WEEKDAYS[weekday].capitalize()}"
    if asked.is_month:
        month = MONTHS[int(asked.first[5:7]) - 1]
        return f"{month.capitalize()} {asked.first[:4]}"
    return f"Days from {asked.first} to {asked.last}"


def _steps(
    asked: AskedDays,
    beside: Span,
) -> list[str]:
    """The addresses of the days before those that are asked for, and of those after them: the day
    `beside` them or its month, else as many days; "" where nothing is known of any."""
    if asked.yearly:
        return ["", ""]
    first = datetime.date.fromisoformat(asked.first).toordinal()
    last = datetime.date.fromisoformat(asked.last).toordinal()
    length = last - first + 1
    steps = [*beside]
    if asked.is_month:
        steps = [each[:7] for each in beside]
    elif not asked.alone:
        steps = [
            f"{_day(first - length)}..{_day(first - 1)}",
            f"{_day(last + 1)}..{_day(last + length)}",
        ]
    return [near and day_url(step) for near, step in zip(beside, steps, strict=True)]


def _beside(
    call: PageCall,
    asked: AskedDays,
    counts: Mapping[str, int],
) -> Span:
    """The last day before those that are asked for, and the first after them, that has anything, ""
    for none: one of the year where there is such a day, which takes no time."""
    today = call.vault.now.date().isoformat()
    days = [*counts, *api.activity(call.vault, today, _EVER[1])]
    if not any(day < asked.first for day in days):
        days += api.activity(call.vault, _EVER[0], asked.first)
    if not any(day > asked.last for day in days):
        days += api.activity(call.vault, asked.last, _EVER[1])
    before = [day for day in days if day < asked.first]
    after = [day for day in days if day > asked.last]
    return max(before, default=""), min(after, default="")


def _day(number: int) -> datetime.date:
    """A day by its number, the first or last of all where there is none."""
    return datetime.date.fromordinal(min(max(number, 1), datetime.date.max.toordinal()))


# -- days ------------------------------------------------------------------------------


def _shown(
    day: Day,
    links: PageLinks,
    most: int,
) -> ShownDay:
    """A day with at most so many facts, notes and tasks of it."""
    facts = []
    for path, fact in day.facts[:most]:
        html = said_html(links, path, fact.text)
        facts.append(DayFact(path, fact, html))
    tasks = []
    for task in day.tasks[:most]:
        html = said_html(links, task.path, task.text)
        tasks.append((task, html))
    every = (
        day.facts,
        day.pages,
        day.tasks,
    )
    return ShownDay(
        date=day.date,
        weekday=WEEKDAYS[datetime.date.fromisoformat(day.date).weekday()].capitalize(),
        notes=[_note(note, links) for note in day.notes],
        facts=facts,
        pages=day.pages[:most],
        tasks=tasks,
        left=sum(max(0, len(rows) - most) for rows in every),
    )


def _note(
    note: DayNote,
    links: PageLinks,
) -> ShownNote:
    parts = []
    for heading, lines in groupby(note.lines, key=lambda line: line.heading):
        said = [_line(note.path, line, links) for line in lines]
        parts.append((name(heading), said))
    return ShownNote(note.path, parts, note.total - len(note.lines))


def _line(
    path: str,
    line: LineOfDay,
    links: PageLinks,
) -> LineShown:
    return LineShown(
        line.line,
        min(max(line.depth - 1, 0), 3),
        said_html(
            links,
            path,
            line.text,
        ),
    )
