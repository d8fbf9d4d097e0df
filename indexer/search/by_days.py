"""The leg of days: the daily note of a day that is asked about, what carries such a day, and all
lines of the days where nothing else is asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import apsw

from indexer.catalog.filters import on_days
from indexer.spelling import group_pairs

from .query import SEARCH_POOL

if TYPE_CHECKING:
    from .query import AskedFor, SearchQuery
    from .question import Question
    from .view import Scope, View

_VERB_POOL = 1000
"""Lines of the days of a question that says a verb alone."""
_READ = 2000
"""Chunks of some days that are put in order."""
_SCRAP = r"(?s)\W*(?:\{\{.*\}\})?\W*(?:\w+\W*)?"
"""A query that another program answers in its place, or a word or none."""


def lines_of_days(
    view: View,
    query: SearchQuery,
    asked: AskedFor,
) -> dict[int, float]:
    """The lines of some days, where the question asks for all that was then, or says no more than
    a verb: what the daily notes of the days say, then what else carries one of them; the newest day
    first, of each what stands at the edge of the page before what is nested. The first, as many as
    are shown, leave out no day for the lines of another.

    A text that is nothing but a query of another program says nothing. Where a filter says the
    days, the day a note was last changed counts as one that its text carries. Each is worth less
    than the one before, from 1 on.
    """
    days = asked.days
    if not days or not (asked.all_of_it or asked.verb):
        return {}
    within = view.scope(strict=True)
    carried = on_days(*days)
    known = ""
    named = ""
    values = [*carried.values]
    if asked.rest != query.text:
        known = "AND (chunk.grain = 'fact' OR note.date BETWEEN ? AND ?)"
        values += days
    if days[0] == days[1]:
        named = "OR chunk.id IN (SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ?)"
        values.append(f'"{days[0]}"')
    sql = (
        "SELECT chunk.id, CASE WHEN note.kind = 'daily' AND note.date BETWEEN ? AND ? THEN"
        " note.date END AS noted, coalesce(chunk.date, note.date) AS own, text, note, first, last"
        " FROM chunk JOIN visible_note AS note ON note.id = chunk.note WHERE chunk.grain !="
        " 'property' AND"
        f" (({carried.sql} {known}) {named}) AND chunk.id IN ({within.sql}) ORDER BY"
        " coalesce(noted, own) DESC, noted IS NULL, note.path, chunk.ordinal LIMIT ?"
    )
    rows: list[Any] = view.db.execute(sql, (*days, *values, *within.values, _READ)).fetchall()
    places = {row[0]: _place(row, days) for row in rows}
    ranked = sorted(rows, key=lambda row: places[row[0]])
    first = _of_each_day([(places[row[0]][:2], row) for row in ranked], query.limit)
    most = _VERB_POOL if asked.verb else SEARCH_POOL
    found = sorted(ranked, key=lambda row: row[0] not in first)[:most]
    return {row[0]: 1 - 0.5 * at / len(found) for at, row in enumerate(found)}


def _place(
    row: Any,
    days: tuple[str, str],
) -> tuple[bool, int, bool, int]:
    """Where a line stands among those of some days; the lower, the earlier."""
    noted, own, text = row[1:4]
    day = max(min(noted or own or days[0], days[1]), days[0])
    depth = len(text) - len(text.lstrip())
    return (
        noted is None,
        -int(day.replace("-", "")),
        re.fullmatch(_SCRAP, text) is not None,
        depth,
    )


def _of_each_day(
    rows: Sequence[tuple[tuple[bool, int], Any]],
    shown: int,
) -> set[int]:
    """The chunks that come where so many are shown: the first one of each day, then the second of
    each, and so on.

    A chunk that holds others is none of them, for its lines come with these.
    """
    spans = group_pairs((row[4], row[5:7]) for _, row in rows)
    turns: list[tuple[int, tuple[bool, int], int]] = []
    many = Counter[tuple[bool, int]]()
    for day, (number, _, _, _, note, begin, end) in rows:
        if not any(
            begin <= at and last <= end and (begin, end) != (at, last) for at, last in spans[note]
        ):
            many[day] += 1
            turns.append((many[day], day, number))
    return {number for _, _, number in sorted(turns)[:shown]}


def chunks_of_daily_note(
    db: apsw.Connection,
    question: Question,
    scope: Scope,
) -> list[int]:
    """The first chunks of the daily note of the one day that is asked about: candidates whatever
    their words."""
    days = question.days
    match = question.match
    if not days or days[0] != days[1] or match.must or match.must_not:
        return []
    within = scope.also_on("chunk.id")
    sql = (
        "SELECT chunk.id FROM visible_note AS note JOIN chunk ON chunk.note = note.id WHERE"
        " note.kind ="
        f" 'daily' AND note.date = ?{within} ORDER BY note.path, ordinal LIMIT ?"
    )
    return [number for (number,) in db.execute(sql, (days[0], *scope.values, SEARCH_POOL))]


def carried_days(
    db: apsw.Connection,
    days: tuple[str, str] | None,
    ids: Sequence[int],
) -> dict[int, float]:
    """How much it tells of each of these chunks that it carries a day which is asked about: by the
    date it has of its own or by its note's `date`, by its daily note's, by its text.

    The day a note was last changed does not count: it is no date of its text.
    """
    if not days:
        return {}
    from .dates import carries

    sql = (
        "SELECT chunk.id, CASE grain WHEN 'fact' THEN chunk.date ELSE note.date END, CASE"
        " note.kind WHEN 'daily' THEN note.date END, text FROM chunk JOIN visible_note AS"
        " note ON note.id ="
        f" chunk.note WHERE chunk.id IN ({','.join(map(str, ids))})"
    )
    return {
        number: carries(days, (own, noted), text) for number, own, noted, text in db.execute(sql)
    }
