"""What happened when: how much each day of a span has, and which notes changed since a moment.

What a day has is what `aurelius days` shows of it; here it is counted, from the index alone.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.note import Fact
from indexer.reading.path_meaning import day_of_path
from indexer.spelling import ISO_DAY

from .filters import Filters, condition, fact_conditions
from .lists import fact_of
from .supersession import replaced_facts
from .visibility import LISTING

if TYPE_CHECKING:
    from collections.abc import Iterable

    import apsw

    from indexer.note import Found

DONE_MARK = re.compile(rf"(?:\u2705\ufe0f? ?|\[completion:: ?)({ISO_DAY})")
"""The day on which a task was done, as programs write it behind its text."""

_ROWS = f"""
WITH seen AS MATERIALIZED (
    SELECT id, path, kind, date, updated FROM visible_note AS note WHERE {{}}
)
SELECT path, kind, date, 'note', date, '', max(
    1,
    (SELECT count(*) FROM fact WHERE fact.note = seen.id)
    + (SELECT count(*) FROM task WHERE task.note = seen.id),
    (SELECT count(*) FROM chunk WHERE chunk.note = seen.id AND grain = 'section')
) FROM seen WHERE kind = 'daily' AND date BETWEEN :first AND :last
UNION ALL SELECT path, kind, seen.date, 'fact', fact.date, '', count(*) FROM seen JOIN fact
ON fact.note = seen.id WHERE fact.date BETWEEN :first AND :last
AND (kind != 'daily' OR fact.date IS NOT seen.date)
AND json_extract(detail, '$[{Fact._fields.index("dated")}]') = 'line' GROUP BY seen.id, fact.date
UNION ALL SELECT path, kind, date, 'page', date, '', 1 FROM seen
WHERE kind != 'daily' AND date BETWEEN :first AND :last
UNION ALL SELECT path, kind, date, 'page', updated, '', 1 FROM seen
WHERE kind != 'daily' AND updated BETWEEN :first AND :last
UNION ALL SELECT path, kind, date, 'task', due, text, 1 FROM seen JOIN task ON task.note = seen.id
WHERE due BETWEEN :first AND :last OR instr(text, '\u2705') OR instr(text, '[completion::')
"""
"""A row for each thing that a day may have: its note with its day, what it is, the day, how much.

A day's own note has its list items, or the pieces of its text where these are more.
"""


class ChangedNote(NamedTuple):
    """A note, and when its file was changed last, in nanoseconds of unix time."""

    path: str
    title: str
    kind: str
    at: int


def count_days(
    db: apsw.Connection,
    first: str,
    last: str,
    daily_folder: str,
    *,
    private: bool,
) -> dict[str, int]:
    """How much each day of a span has, in order, of those that have anything: what its own notes
    say, facts dated so elsewhere, other notes that carry the day, tasks done or due elsewhere."""
    where, _ = condition(db, Filters(private=private))
    rows = db.execute(_ROWS.format(where), {"first": first, "last": last})
    counts = Counter[str]()
    for (_, day), count in _parts_of_days(rows, daily_folder).items():
        if first <= day <= last:
            counts[day] += count
    return dict(sorted(counts.items()))


def _parts_of_days(
    rows: Iterable[tuple[Any, ...]],
    daily_folder: str,
) -> Counter[tuple[str, str]]:
    """How much each note has of each day."""
    parts = Counter[tuple[str, str]]()
    for path, kind, date, what, day, text, count in rows:
        own = date
        if kind != "daily":
            own = day_of_path(path, daily_folder)
        if what == "note":
            parts[path, day] += count
        elif what == "page":
            if own in {None, day}:
                parts.setdefault((path, day), 1)  # facts are told before
        else:
            for each in {*DONE_MARK.findall(text), day or ""} - {own}:
                parts[path, each] += count
    return parts


def get_new_facts(
    db: apsw.Connection,
    filters: Filters,
    most: int,
) -> tuple[list[Found], int]:
    """The facts that match and are dated within the days of the filters, the latest first, at most
    so many, each with its note's path; and how many there are."""
    past = replaced_facts(db, private=filters.private)
    where, values = condition(db, filters)
    wish, more = fact_conditions(filters, past)
    rows: list[Any] = db.execute(
        "SELECT path, fact.detail, count(*) OVER () FROM fact JOIN visible_note AS note ON note.id"
        f" = fact.note WHERE fact.date BETWEEN ? AND ? AND {wish} AND {where} ORDER BY fact.date"
        " DESC, path, ordinal LIMIT ?",
        (filters.since, filters.until, *more, *values, most),
    ).fetchall()
    total = 0
    for row in rows[:1]:
        total = row[-1]
    return [(path, fact_of(detail)) for path, detail, _ in rows], total


def get_changed(
    db: apsw.Connection,
    filters: Filters,
    since: int,
    most: int,
) -> tuple[list[ChangedNote], int]:
    """The notes whose files changed since a moment, in nanoseconds of unix time, the latest first,
    at most so many, and how many there are; the listings of folders are written anew too often."""
    where, values = condition(db, filters)
    rows: list[Any] = db.execute(
        "SELECT path, title, kind, mtime_ns, count(*) OVER () FROM visible_note AS note WHERE"
        f" mtime_ns >= ? AND NOT {LISTING} AND {where} ORDER BY mtime_ns DESC, path LIMIT ?",
        (since, *values, most),
    ).fetchall()
    total = 0
    for row in rows[:1]:
        total = row[-1]
    return [ChangedNote._make(row[:-1]) for row in rows], total
