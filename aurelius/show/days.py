"""Days as text and as JSON: what their notes say, and the facts, notes and tasks of each elsewhere.

The grammar of the JSON is aurelius/help/json.md.
"""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from aurelius.settings.places import shell_word
from indexer.reading.path_meaning import WEEKDAYS
from indexer.spelling import clipped, count_tokens, plural, single_spaced

from . import json_text
from .hits import name
from .json_text import lean, list_part, picked, unless_active
from .page import LEFT_OUT_TOKENS, clip, fitting, more
from .terminal import BOLD, DIM_CODE, PLACE, Paint, lined, one_line
from .text import task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurelius.answers.days import Day, DayNote, Days
    from indexer.note import Fact

    from .page import Page

MOST_DAY_LINES = 8
"""Lines of a day's note, and its facts, notes and tasks elsewhere, that are shown where not
everything is wanted."""
_BRIEF = 160
"""Characters of a line of a day, as well."""
_MANY_DAYS = 366


def days_text(
    found: Days,
    today: str,
    page: Page,
    *,
    whole: bool,
    paint: Paint,
) -> str:
    """How many days there are, then each day: what its notes say, the facts, notes and tasks of
    that day elsewhere; the first of each, unless the `whole` is wanted."""
    head = f"{_days_told(found)}\n"
    texts = ["\n" + lined(_day(day, today, paint, every=whole)) for day in found.days]
    room = page.room - LEFT_OUT_TOKENS - count_tokens(head)
    count = len(texts) if page.every else fitting(texts, room)
    if texts and not count:  # the beginning of a day is more than nothing
        texts[0] = clip(texts[0], every=False, room=room, how="a larger --budget shows them")
        count = 1
    return head + "".join(texts[:count]) + lined(more(found.total, page.offset + count, page))


def _days_told(found: Days) -> str:
    """How many days are shown: `2026-02-04 to 2026-02-10: 5 of 7 days`, without the 7 where they
    are many."""
    first, last = map(datetime.date.fromisoformat, (found.first, found.last))
    asked = (last - first).days + 1
    if 1 < asked <= _MANY_DAYS:
        return f"{first} to {last}: {found.total:,} of {asked:,} days"
    return f"{found.total:,} {plural('day', found.total)}"


def _day(
    day: Day,
    today: str,
    paint: Paint,
    *,
    every: bool,
) -> Iterator[str]:
    """The lines of a day."""
    weekday = WEEKDAYS[datetime.date.fromisoformat(day.date).weekday()]
    yield paint(f"{day.date} {weekday.capitalize()}", BOLD)
    for note in day.notes:
        yield from _note_of_day(note, paint, every=every)
    facts = []
    for path, fact in day.facts:
        at = paint.at(path, fact.first)
        facts.append(f"{at}  {_brief(fact.text, every=every)}{_past(fact)}")
    pages = [
        f"{paint.place(row.path)}  {_brief(name(row.title), every=every)}" for row in day.pages
    ]
    tasks = [task(row, today, paint) for row in day.tasks]
    for what, rows in (("facts", facts), ("notes", pages), ("tasks", tasks)):
        if not rows:
            continue
        yield f"  {what}:"
        shown = rows if every else rows[:MOST_DAY_LINES]
        for each in shown:
            yield f"    {each}"
        if len(shown) < len(rows):
            yield f"    {len(rows) - len(shown):,} more: --all"


def _note_of_day(note: DayNote, paint: Paint, *, every: bool) -> Iterator[str]:
    """The lines of a day's own note, each heading once."""
    yield f"  {paint.place(note.path)}"
    heading = ""
    for line in note.lines:
        if line.heading not in ("", heading):
            yield f"    {paint(_brief(line.heading, every=every), DIM_CODE)}"
        heading = line.heading
        yield f"    {paint(f':{line.line}', PLACE)}  {_brief(line.text, every=every)}"
    left = note.total - len(note.lines)
    if left:
        yield f"    {left:,} more: `aurelius get {shell_word(note.path)}`"


def _brief(text: str, *, every: bool) -> str:
    """A text on one line, cut where it is long unless everything is wanted."""
    text = one_line(single_spaced(text))
    if every:
        return text
    return clipped(text, _BRIEF)


def _past(fact: Fact) -> str:
    if fact.status == "active":
        return ""
    return f" ({fact.status})"


def days_json(
    found: Days,
    today: str,
    page: Page,
    *,
    whole: bool,
) -> str:
    """The answer of `days`."""
    shown = [_day_json(day, today, whole=whole) for day in found.days]
    return list_part("days", shown, found.total, page, **picked(found, "first", "last"))


def _day_json(
    day: Day,
    today: str,
    *,
    whole: bool,
) -> dict[str, Any]:
    parts = {
        "facts": [_fact_of_day(path, fact) for path, fact in day.facts],
        "pages": [picked(row, "path", "title", "kind") for row in day.pages],
        "tasks": [json_text.task_json(row, today) for row in day.tasks],
    }
    shown = {}
    left = {}
    for what, rows in parts.items():
        shown[what] = rows if whole else rows[:MOST_DAY_LINES]
        left[what] = len(rows) - len(shown[what])
    notes = []
    for note in day.notes:
        lines = [picked(line, "line", "text") | lean(heading=line.heading) for line in note.lines]
        cut = lean(more=note.total - len(note.lines))
        notes.append({"path": note.path, "lines": lines} | cut)
    return {"date": day.date, **lean(notes=notes, **shown, more=lean(**left))}


def _fact_of_day(path: str, fact: Fact) -> dict[str, Any]:
    return {
        "id": fact.key,
        "path": path,
        "line": fact.first,
        "type": fact.type,
        "text": fact.text,
        **lean(status=unless_active(fact.status)),
    }
