"""Tiers of the facts and notes in the index, read-only: for lists, and as a filter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .scope import visible
from .tier import Age, tier_of, tier_of_note
from .usage import Uses

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    import apsw

    from .tier import Clock

_FACTS = (
    "SELECT note.path, coalesce(note.updated, note.date), fact.type, fact.date, fact.pinned, usage.count, usage.last "
    "FROM note LEFT JOIN fact ON fact.note = note.id AND fact.status != 'superseded' "
    "LEFT JOIN usage ON usage.ref = fact.key"
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


def ages_of_notes(db: apsw.Connection, paths: Iterable[str] | None, clock: Clock, *, private: bool) -> dict[str, Age]:
    """The age of each of these visible notes, or of all: as warm as the warmest of its facts and its own uses."""
    where, each = f" WHERE {visible(private=private)}", [()] if paths is None else [(path,) for path in paths]
    if paths is not None:
        where += " AND note.path = ?"
    tiers: dict[str, set[str]] = {}
    days: dict[str, str | None] = {}
    known: dict[tuple[object, ...], str] = {}
    for values in each:
        for path, day, *row in db.execute(_FACTS + where, values):
            days[path] = day
            found = tiers.setdefault(path, set())
            if row[0] is not None:
                key = tuple(row)
                if key not in known:
                    known[key] = _tier(clock, *key)
                found.add(known[key])
    uses = {ref: Uses(*row) for ref, *row in db.execute("SELECT ref, count, last FROM usage WHERE instr(ref, '.')")}
    ages = {}
    for path, found in tiers.items():
        own = uses.get(path, Uses())
        last = clock.day_of(own.last)
        ages[path] = Age(tier_of_note(found, own, days[path], clock), last.isoformat() if last else None, own.count)
    return ages


def facts_within(db: apsw.Connection, path: str, first: int, last: int) -> tuple[str, ...]:
    """The keys of the facts that begin in these lines of a note; none where the lines are all of it."""
    rows = db.execute(
        "SELECT fact.key FROM fact JOIN note ON note.id = fact.note "
        "WHERE path = ? AND fact.first BETWEEN ? AND ? AND NOT (? <= 1 AND ? >= lines) ORDER BY fact.ordinal",
        (path, first, last, first, last),
    )
    return tuple(key for (key,) in rows)


def count_facts(db: apsw.Connection, clock: Clock, *, private: bool) -> dict[str, int]:
    """Tier → how many visible facts, superseded ones aside, are in it."""
    teach(db, clock)
    rows = db.execute(
        f"SELECT {TIER}, count(*) FROM fact JOIN note ON note.id = fact.note"  # noqa: S608  # of our own
        f" WHERE {visible(private=private)} AND fact.status != 'superseded' GROUP BY 1"
    )
    return {str(tier): int(count) for tier, count in rows}
