"""What happened, day by day: the lines of each day's notes, what was written elsewhere that day,
tasks done and due."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.catalog.filters import Filters
from indexer.errors import NoteNotFoundError, UsageError
from indexer.reading import front_matter
from indexer.reading.path_meaning import day_of_path
from indexer.spelling import group_pairs, keeps_order

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from indexer.catalog.lists import NoteRow, TaskRow
    from indexer.note import Found
    from indexer.reading.blocks import Block

    from .asked_vault import AskedVault

_EARLIEST_DAY = "0001-01-01"
_DEFAULT_DAYS = 7
"""Days that are shown where none are named, today among them."""

_EMPTY = re.compile(
    r"\W*\{\{.*\}\}\W*|!\[\[[^\]]*\.base[^\]]*\]\]|\(\([0-9a-f-]{36}\)\)|[\W_]*", re.DOTALL
)
"""What another program puts something in the place of, or no word at all."""
_QUERY = re.compile(r"(?:[-*+] )?(?:```|~~~)\s*(?:dataview|dataviewjs|tasks|query|base|button)\b")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=\S)|(?<=[。！？])")
_SAYING = frozenset({"paragraph", "code", "table", "heading"})


class LineOfDay(NamedTuple):
    """A line of a day's note as one text, the heading that it stands under, "" for none, how deep
    it is nested, whether it is a quotation, code or a row of a table, and the list items that it is
    nested under, the outermost first."""

    line: int
    text: str
    heading: str = ""
    depth: int = 0
    aside: bool = False
    above: tuple[str, ...] = ()

    @property
    def leads(self) -> bool:
        """Whether it may stand above what is nested deeper."""
        if self.text.endswith(":"):
            return True
        return self.depth > 0 and not self.aside


class DayNote(NamedTuple):
    """A note of a day: its first lines, and how many there are in all."""

    path: str
    lines: tuple[LineOfDay, ...]
    total: int


class Day(NamedTuple):
    """A day: its own notes; the facts dated so elsewhere, each with its note; other notes that
    carry the day; tasks that were done or are due then, and stand in none of its notes."""

    date: str
    notes: tuple[DayNote, ...] = ()
    facts: tuple[Found, ...] = ()
    pages: tuple[NoteRow, ...] = ()
    tasks: tuple[TaskRow, ...] = ()


class Days(NamedTuple):
    """The days that anything is known of, the newest first: those of a page with what their notes
    say, how many there are, the span that was asked for, and where there are none the last day
    before it that has any, "" for none."""

    days: tuple[Day, ...]
    total: int
    first: str
    last: str
    before: str = ""


def span_of_words(
    words: Sequence[str],
    since: str | None,
    until: str | None,
    today: str,
    *,
    yearly: bool,
) -> tuple[str, str]:
    """The first and the last day that a command line means: the last seven where it names none, and
    with `yearly` the one day of the year that is looked at in every year. UsageError."""
    text = " ".join(words)
    if words and not text.strip():
        raise UsageError("RANGE is empty", "name the days, or leave RANGE out for the last seven")
    if not (text or yearly):
        end = until or max(today, since or "")
        return since or _days_before(until or today, _DEFAULT_DAYS - 1), end
    _check_named_once(text, since, until)
    return _span_named(text, today, yearly=yearly)


def _check_named_once(text: str, since: str | None, until: str | None) -> None:
    """UsageError for `--since` or `--until` beside words, or beside `--on-this-day` alone."""
    if since or until:
        what = repr(text) if text else "--on-this-day"
        raise UsageError(f"{what} cannot go with --since, --until or --on", "name the days once")


def _span_named(text: str, today: str, *, yearly: bool) -> tuple[str, str]:
    """The first and the last day that words name, today for none, with `yearly` a single one.
    UsageError."""
    from indexer.search.dates import dates

    first, last = dates(text or "today", today)
    if yearly and first != last:
        raise UsageError(
            f"--on-this-day needs a single day; {text!r} covers several",
            "for example 24 december",
        )
    return first, last


def _days_before(day: str, count: int) -> str:
    """The day so many days before, or the first of all."""
    number = date.fromisoformat(day).toordinal()
    before = max(1, number - count)
    return date.fromordinal(before).isoformat()


def read_days(
    vault: AskedVault,
    span: tuple[str, str],
    rows: slice,
    *,
    yearly: bool,
    private: bool,
    most: int | None,
) -> Days:
    """The days of a span, of which `rows` are read, at most so many lines of each note, or all for
    None; with `yearly` the days before it that have its month and day."""
    from indexer.catalog.activity import (
        count_days,
    )  # a hook reads the lines of days, and counts none

    found: Sequence[Day] = ()
    if yearly:
        found = gather_days(vault, *span, yearly=True, private=private)
        return Days(_read(vault, found[rows], private, most), len(found), *span)

    def known(first: str, last: str) -> list[str]:
        counts = count_days(
            vault.db,
            first,
            last,
            vault.config.daily,
            private=private,
        )
        return sorted(counts, reverse=True)

    every = known(*span)
    shown = every[rows]
    if shown:
        found = gather_days(vault, shown[-1], shown[0], yearly=False, private=private)
    before = ""
    if not every:  # mostly there is one within a year
        year = _days_before(span[0], 366)
        past = known(year, span[0])
        past = past or known(_EARLIEST_DAY, span[0])
        before = next(iter(past), "")
    return Days(_read(vault, found, private, most), len(every), *span, before)


def _read(
    vault: AskedVault,
    days: Sequence[Day],
    private: bool,
    most: int | None,
) -> tuple[Day, ...]:
    return tuple(read_day(vault, day, private=private, most=most) for day in days)


def gather_days(
    vault: AskedVault,
    first: str,
    last: str,
    *,
    yearly: bool,
    private: bool,
) -> list[Day]:
    """The days of a span that anything is known of, the newest first; their notes are named and not
    read yet.

    With `yearly` the days before `first` that have its month and day, and that day.
    """
    span = _Span(first, last)
    if yearly:
        span = _Span(_EARLIEST_DAY, first, first[4:])
    filters = Filters(since=span.since, until=span.until, status="all", private=private)
    own: dict[str, str] = {}
    others: list[NoteRow] = []
    for row in vault.notes(filters).notes:
        day = row.date if row.kind == "daily" else day_of_path(row.path, vault.config.daily)
        if not day:
            others.append(row)
        elif span.has(day):
            own[row.path] = day
    facts = _dated_facts(
        vault,
        filters,
        span,
        own,
    )
    told = {(path, day) for day, (path, _) in facts}
    parts: list[dict[str, list[Any]]] = [
        group_pairs((day, DayNote(path, (), 0)) for path, day in own.items()),
        group_pairs(facts),
        group_pairs(_carried_days(others, span, told)),
        group_pairs(_tasks_of_days(vault.tasks(filters=Filters(private=private)), span, own)),
    ]
    return [
        Day(day, *(tuple(part.get(day, ())) for part in parts))
        for day in sorted(set().union(*parts), reverse=True)
    ]


class _Span(NamedTuple):
    """The days that are asked for: from one to another, or of these the ones of a month and day."""

    since: str
    until: str
    yearly: str = ""

    def has(self, day: str | None) -> bool:
        return day is not None and self.since <= day <= self.until and day.endswith(self.yearly)


def _dated_facts(
    vault: AskedVault,
    filters: Filters,
    span: _Span,
    own: Mapping[str, str],
) -> list[tuple[str, Found]]:
    """The facts whose line has a date in the span, each with it; not those in the note of that
    day."""
    from indexer.catalog.lists import get_dated

    return [
        (fact.date, (path, fact))
        for path, fact in get_dated(vault.db, filters, span.yearly)
        if fact.date and fact.dated == "line" and own.get(path) != fact.date
    ]


def _carried_days(
    rows: Iterable[NoteRow], span: _Span, told: Container[tuple[str, str]]
) -> Iterator[tuple[str, NoteRow]]:
    """Each note with each day of the span among its own dates, unless `told` has that note and
    day."""
    for row in rows:
        for day in {row.date, row.updated}:
            if day and span.has(day) and (row.path, day) not in told:
                yield day, row


def _tasks_of_days(
    tasks: Iterable[TaskRow], span: _Span, own: Mapping[str, str]
) -> Iterator[tuple[str, TaskRow]]:
    """The tasks with each day of the span on which they were done or are due; not those in the note
    of that day."""
    from indexer.catalog.activity import DONE_MARK  # a hook reads the lines of days, and no tasks

    for task in tasks:
        for day in {*DONE_MARK.findall(task.text), task.due or ""}:
            if span.has(day) and own.get(task.path) != day:
                yield day, task


def read_day(vault: AskedVault, day: Day, *, private: bool, most: int | None) -> Day:
    """A day with what its notes say, at most so many lines of each, or all for None.

    Of a long note these are the first at the edge of the page, before what is nested in them. A
    note that is gone meanwhile is left out.
    """
    from indexer.reading.comments import without_comments

    found = []
    for note in sorted(day.notes, key=lambda note: (len(note.path), note.path)):
        try:
            lines = without_comments(vault.read(note.path, private=private).lines)
        except NoteNotFoundError:
            continue
        said = list(note_statements(lines))
        first = sorted(said, key=lambda each: each.depth)[:most]
        found.append(DayNote(note.path, tuple(sorted(first)), len(said)))
    return day._replace(notes=tuple(found))


def note_statements(lines: Sequence[str]) -> Iterator[LineOfDay]:
    """What a note says, a bullet or paragraph a line, each with the heading above it; its title,
    queries of other programs and what an outliner keeps for itself are none of it."""
    from indexer.reading import comments

    blocks = comments.read_uncommented(lines, front_matter.read_front_matter(lines).lines).blocks
    heading = ""
    parents: list[LineOfDay] = []
    for at, block in enumerate(blocks):
        if block.kind == "heading" and not block.depth:
            # slow to import, and few lines that are asked for hold a heading
            from indexer.reading.outline import heading_text

            heading = heading_text(lines, block) if at or block.level > 1 else ""
            parents = []
        elif block.kind in _SAYING:
            parents = [each for each in parents if each.depth < block.depth]
            told = _told(lines, block, heading, parents)
            if told is None:
                continue
            if told.leads:
                parents.append(told)
            yield told


def _told(
    lines: Sequence[str],
    block: Block,
    heading: str,
    parents: Sequence[LineOfDay],
) -> LineOfDay | None:
    """What a block says; None where it says nothing."""
    line, text = _text(lines, block)
    if _EMPTY.fullmatch(text) or _QUERY.match(lines[block.first - 1].strip()):
        return None
    return LineOfDay(
        line,
        text,
        heading,
        block.depth,
        aside=block.quoted or block.kind != "paragraph",
        above=tuple(each.text for each in parents),
    )


def leading_sentences(text: str, most: int) -> str:
    """A text, or of a longer one as many of its first sentences as have `most` characters together,
    at least one."""
    if len(text) <= most:
        return text
    first, *rest = _SENTENCE.split(text)
    while rest and len(first) + len(rest[0]) < most:
        first += " " + rest.pop(0)
    return first


def _text(lines: Sequence[str], block: Block) -> tuple[int, str]:
    """A block's text on one line, and the line that it begins on; of code and tables the first line
    that says any."""
    from indexer.reading import markdown

    parts = list[str]()
    first = 0
    for number in range(block.first, block.last + 1):
        text = markdown.MARKERS.sub("", lines[number - 1], count=1).strip()
        if markdown.PROPERTY.match(text):
            continue
        if (
            text
            and not keeps_order(text)
            and not (block.kind == "code" and text[:3] in {"```", "~~~"})
        ):
            first = first or number
            parts.append(text)
            if block.kind in {"code", "table"}:
                break
    return first or block.first, " ".join(parts)
