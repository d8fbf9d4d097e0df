"""Tiers of the facts and notes in the index, read-only: for lists, and as a filter."""

from __future__ import annotations

from collections import Counter, defaultdict
from datetime import date
from functools import cache, partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.usage.tally import Uses
from indexer.usage.tier import TIERS, Age, tier_of, tier_of_note, uses_of

from .supersession import replaced_facts
from .visibility import SET_APART, visible_sql

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    import apsw

    from indexer.usage.tally import Uses
    from indexer.usage.tier import Clock

_FACTS = (
    "SELECT note.path, coalesce(note.updated, note.date), own.count, own.used, own.days, note.id,"
    " fact.key, fact.type, fact.date, fact.lasts, usage.count, usage.used, usage.days FROM"
    " visible_note AS note LEFT JOIN usage own ON own.ref = note.path LEFT JOIN fact ON fact.note"
    " = note.id AND fact.status != 'superseded' LEFT JOIN usage ON usage.ref = fact.key"
)

_UNUSED = Uses()
_USED = "(SELECT {} FROM usage WHERE usage.ref = fact.key)"
_TIER_COLUMN = (
    "fact_tier(fact.type, fact.date, fact.lasts,"
    f" {', '.join(map(_USED.format, ('count', 'used', 'days')))})"
)
"""The tier of a row of table `fact`, on a connection that was taught it."""


def in_tiers(tiers: Collection[str]) -> str:
    """A condition on table `fact`: its tier is one of these, each bound in turn; `teach` comes
    first."""
    return f"{_TIER_COLUMN} IN ({','.join('?' * len(tiers))})"


def teach(db: apsw.Connection, clock: Clock) -> None:
    """Give a connection the function that `in_tiers` uses, for one query at this clock."""
    db.create_scalar_function("fact_tier", _tiers(clock), 6)


def _tiers(clock: Clock) -> Callable[..., str]:
    """The tier of a fact of that type, ISO date, lasting or not, used so often, last and then."""

    def fact_tier(
        type_: str,
        day: str | None,
        lasts: int,
        count: int | None,
        last: float | None,
        days: bytes | None,
    ) -> str:
        uses = _UNUSED
        if count:
            uses = uses_of(count, last, days)
        return tier_of(type_, day, uses, clock, lasts=bool(lasts))

    return fact_tier


def tiers_stamp(db: apsw.Connection, clock: Clock) -> str:
    """What tells one state of all tiers from another: the day, the rules, and how far the log was
    read."""
    return repr((clock, db.execute("SELECT path, read, mtime_ns FROM log_file").fetchall()))


def ages_of_notes(
    db: apsw.Connection, paths: Iterable[str], clock: Clock, *, private: bool
) -> dict[str, Age]:
    """The age of each of these notes: as warm as the warmest of its facts and its own uses."""
    sql = f"{_FACTS} WHERE note.path = ?"
    rows = chain.from_iterable(db.execute(sql, (path,)) for path in paths)
    return _aged(rows, replaced_facts(db, private=private), clock)


def ages_of_all(
    db: apsw.Connection,
    clock: Clock,
    *,
    private: bool,
) -> dict[str, Age]:
    """The age of every visible note."""
    return _aged(
        db.execute(f"{_FACTS} WHERE {visible_sql(private=private)}"),
        replaced_facts(db, private=private),
        clock,
    )


class VaultTiers(NamedTuple):
    """How many facts, superseded ones aside, and how many notes are in each tier, and how many of
    the facts are of each type."""

    facts: Mapping[str, int]
    notes: Mapping[str, int]
    types: Mapping[str, int] = {}


def count_tiers(
    db: apsw.Connection,
    clock: Clock,
    *,
    private: bool,
) -> VaultTiers:
    """The tiers of all that may be seen outside the folders set apart, counted.

    Most facts and notes were never used, and are about as old as many others: those of a note that
    are alike are counted together, and the tier of all these is worked out once.
    """
    from json import dumps  # a search has no use for it

    seen = f"{visible_sql(private=private)} AND NOT {SET_APART}"
    past = replaced_facts(db, private=private)
    tier_of_fact = cache(_tiers(clock))
    age_of_note = cache(partial(_age_of_note, clock))
    day_like = cache(partial(_day_like, _bounds(clock), clock.today.isoformat()))
    facts = dict.fromkeys(TIERS, 0)
    notes = dict.fromkeys(TIERS, 0)
    types = Counter[str]()
    tiers = defaultdict[int, set[str]](set)
    for note, type_, day, alike, *row in db.execute(
        "SELECT fact.note, type, date, count(*), lasts, usage.count, used, days FROM fact LEFT JOIN"
        " usage ON ref = key WHERE status != 'superseded' AND (fact.note, key) NOT IN (SELECT value"
        " ->> 0, value ->> 1 FROM json_each(?)) AND fact.note IN (SELECT id FROM visible_note AS"
        f" note WHERE {seen}) GROUP BY fact.note, type, date, lasts, usage.count, used, days",
        (dumps(sorted(past)),),
    ):
        tier = tier_of_fact(type_, day_like(day), *row)
        facts[tier] += alike
        types[type_] += alike
        tiers[note].add(tier)
    for note, day, *row in db.execute(
        "SELECT id, coalesce(updated, date), usage.count, used, days FROM visible_note AS note"
        f" LEFT JOIN usage ON ref = path WHERE {seen}"
    ):
        age = age_of_note(frozenset(tiers.get(note, ())), day_like(day), *row)
        notes[age.tier] += 1
    return VaultTiers(facts, notes, types)


def _bounds(clock: Clock) -> tuple[str, ...]:
    """The first ISO days that are hot and warm, and the first of all."""
    today = clock.today.toordinal()
    ago = (clock.rules.hot_days, clock.rules.warm_days, today)
    return tuple(date.fromordinal(max(1, today - days)).isoformat() for days in ago)


def _day_like(
    bounds: Iterable[str],
    today: str,
    day: str | None,
) -> str | None:
    """For a day that is past the oldest that is as hot as it; any other day is itself."""
    if not day or day >= today:
        return day
    return next((each for each in bounds if day >= each), day)


def _aged(
    rows: Iterable[tuple[Any, ...]], past: Collection[tuple[int, str]], clock: Clock
) -> dict[str, Age]:
    """Ages of notes; `past` are facts that others replaced, by note and key."""
    tiers: dict[str, set[str]] = {}
    notes: dict[str, tuple[Any, ...]] = {}
    tier_of_row = _tiers(clock)
    for path, day, count, last, days, note, fact, *row in rows:
        if path not in notes:
            notes[path] = day, count, last, days
            tiers[path] = set()
        if fact is not None and (note, fact) not in past:
            tiers[path].add(tier_of_row(*row))
    return {path: _age_of_note(clock, frozenset(tiers[path]), *own) for path, own in notes.items()}


def _age_of_note(
    clock: Clock,
    tiers: frozenset[str],
    day: str | None,
    count: int | None,
    last: float | None,
    days: bytes | None,
) -> Age:
    """The age of a note with facts in these tiers, of that ISO date, used so often, last and
    then."""
    own = uses_of(count, last, days)
    used = clock.last_use(own)
    tier = tier_of_note(tiers, own, day, clock)
    return Age(tier, used.isoformat() if used else None, own.count)


def facts_within(db: apsw.Connection, path: str, first: int, last: int) -> tuple[str, ...]:
    """The keys of the facts that begin in these lines of a note; none where the lines are all of
    it."""
    rows = db.execute(
        "SELECT fact.key FROM fact JOIN visible_note AS note ON note.id = fact.note WHERE path ="
        " ? AND fact.first BETWEEN ? AND ? AND NOT (? <= 1 AND ? >= lines) ORDER BY fact.ordinal",
        (path, first, last, first, last),
    )
    return tuple(key for (key,) in rows)
