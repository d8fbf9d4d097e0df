"""Tiers of the facts and notes in the index, read-only: for lists, and as a filter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .scope import visible
from .tier import TIERS, Age, tier_of, tier_of_note
from .usage import Uses

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import apsw

    from .tier import Clock

_FACTS = (
    "SELECT note.path, coalesce(note.updated, note.date), own.count, own.last, "
    "fact.type, fact.date, fact.pinned, usage.count, usage.last "
    "FROM note LEFT JOIN fact ON fact.note = note.id AND fact.status != 'superseded' "
    "LEFT JOIN usage ON usage.ref = fact.key LEFT JOIN usage own ON own.ref = note.path"
)

_USED = "(SELECT {} FROM usage WHERE usage.ref = fact.key)"
TIER = f"fact_tier(fact.type, fact.date, fact.pinned, {_USED.format('count')}, {_USED.format('last')})"
"""The tier of a row of table `fact`, on a connection that was taught it."""


def in_tiers(tiers: Collection[str]) -> str:
    """A condition on table `fact`: its tier is one of these, each bound in turn; `teach` comes first."""
    return f"{TIER} IN ({','.join('?' * len(tiers))})"


def teach(db: apsw.Connection, clock: Clock) -> None:
    """Give a connection the function that `in_tiers` uses, for one query at this clock."""
    known: dict[tuple[object, ...], str] = {}

    def fact_tier(*row: object) -> str:
        if row not in known:
            known[row] = _tier(clock, *row)
        return known[row]

    db.create_scalar_function("fact_tier", fact_tier, 5)


def _tier(clock: Clock, *row: object) -> str:
    type_, day, pinned, count, last = row
    uses = Uses(int(str(count or 0)), None if last is None else float(str(last)))
    return tier_of(str(type_), None if day is None else str(day), uses, clock, pinned=bool(pinned))


def stamp(db: apsw.Connection, clock: Clock) -> str:
    """What tells one state of all tiers from another: the day, the rules, and how far the log was read."""
    return repr((clock, db.execute("SELECT path, read, mtime_ns FROM log_file").fetchall()))


def ages_of_notes(db: apsw.Connection, paths: Iterable[str], clock: Clock) -> dict[str, Age]:
    """The age of each of these notes: as warm as the warmest of its facts and its own uses."""
    rows = (row for path in paths for row in db.execute(f"{_FACTS} WHERE note.path = ?", (path,)))
    return _aged(rows, clock)[0]


def ages_of_all(db: apsw.Connection, clock: Clock, *, private: bool) -> tuple[dict[str, Age], dict[str, int]]:
    """The age of every visible note, and how many of their facts, superseded ones aside, are in each tier."""
    return _aged(db.execute(f"{_FACTS} WHERE {visible(private=private)}"), clock)


def _aged(rows: Iterable[tuple[Any, ...]], clock: Clock) -> tuple[dict[str, Age], dict[str, int]]:
    tiers: dict[str, set[str]] = {}
    notes: dict[str, tuple[str | None, Uses]] = {}
    known: dict[tuple[Any, ...], str] = {}
    counts = dict.fromkeys(TIERS, 0)
    for path, day, count, last, *row in rows:
        notes[path] = day, Uses(count or 0, last)
        found = tiers.setdefault(path, set())
        if row[0] is not None:
            key = tuple(row)
            if key not in known:
                known[key] = _tier(clock, *key)
            found.add(known[key])
            counts[known[key]] += 1
    ages = {}
    for path, (day, own) in notes.items():
        used = clock.day_of(own.last)
        ages[path] = Age(tier_of_note(tiers[path], own, day, clock), used.isoformat() if used else None, own.count)
    return ages, counts


def facts_within(db: apsw.Connection, path: str, first: int, last: int) -> tuple[str, ...]:
    """The keys of the facts that begin in these lines of a note; none where the lines are all of it."""
    rows = db.execute(
        "SELECT fact.key FROM fact JOIN note ON note.id = fact.note "
        "WHERE path = ? AND fact.first BETWEEN ? AND ? AND NOT (? <= 1 AND ? >= lines) ORDER BY fact.ordinal",
        (path, first, last, first, last),
    )
    return tuple(key for (key,) in rows)
