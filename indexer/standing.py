"""Which facts hold, today or on another day, all lines considered (requirements R8, A20).

A line may be past without saying so, because a newer one, perhaps in another note, says that it
`updates` it.  Facts that update each other in a circle all stay: nothing tells which one holds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import apsw

    from .note import Fact

_UPDATED = (
    "SELECT old.note, old.key, new.key, new.date FROM fact new INDEXED BY fact_updates JOIN fact old "
    "ON old.key = new.updates WHERE new.updates IS NOT NULL AND new.status = 'active' AND old.status = 'active' "
    "AND old.key != new.key ORDER BY new.date"
)

_ENDED = (
    "coalesce(fact.until, (SELECT min(new.date) FROM fact new WHERE new.key = fact.after), "
    "(SELECT min(new.date) FROM fact new INDEXED BY fact_updates WHERE new.updates IS NOT NULL "
    "AND new.updates = fact.key AND new.status = 'active'))"
)
_PAST = (
    "(fact.status = 'superseded' OR EXISTS (SELECT 1 FROM fact new INDEXED BY fact_updates "
    "WHERE new.updates IS NOT NULL AND new.updates = fact.key AND new.status = 'active' AND new.key != fact.key))"
)
_HELD = (  # of our own
    "((fact.date IS NULL OR fact.date <= ?) AND "
    f"CASE WHEN {_PAST} THEN {_ENDED} > ? ELSE coalesce(fact.until, '9999-12-31') >= ? END)"
)
"""A condition on a row of table `fact`: that it held on a day, which is bound three times; NULL, so no, where its end
is not known."""

_CHUNKS = (
    "SELECT chunk.id FROM fact JOIN chunk ON chunk.note = fact.note WHERE fact.note = ? AND fact.key = ? AND ("
    "chunk.fact = fact.key OR (chunk.grain != 'fact' AND chunk.first <= fact.first AND chunk.last >= fact.last AND "
    "length(chunk.text) - length(replace(chunk.text, char(10), '')) < (SELECT sum(one.last - one.first + 1) "
    "FROM fact one WHERE one.note = chunk.note AND one.first >= chunk.first AND one.last <= chunk.last)))"
)
AS_OF = (
    f"(chunk.grain = 'fact' AND EXISTS (SELECT 1 FROM fact WHERE fact.note = chunk.note AND fact.key = chunk.fact"  # noqa: S608
    f" AND {_HELD})) OR (chunk.grain != 'fact' AND coalesce(chunk.date, '') <= ? AND NOT EXISTS (SELECT 1 FROM fact"
    f" WHERE fact.note = chunk.note AND fact.first BETWEEN chunk.first AND chunk.last AND NOT coalesce({_HELD}, 0)))"
)
"""A condition on a row of table `chunk`: that it held on a day, bound seven times.  Text that is no fact is held to
its note's date, and left out where a fact in it did not hold."""


class Successor(NamedTuple):
    """What says that it updates a fact: its key and its date."""

    key: str
    date: str | None


def replaced(db: apsw.Connection) -> dict[tuple[int, str], Successor]:
    """The facts that are past by another one's word alone, by the number of their note and their key."""
    rows: list[Any] = db.execute(_UPDATED).fetchall()
    after = {old: new for _, old, new, _ in rows}
    return {
        (note, old): Successor(new, date) for note, old, new, date in rows if not _in_circle(old, after)
    }  # fmt: skip


def settled(fact: Fact, note: int, past: Mapping[tuple[int, str], Successor]) -> Fact:
    """A fact of that note as it is by all lines; `past` is what `replaced` gives."""
    after = past.get((note, fact.key)) if past else None
    if after is None:
        return fact
    return fact._replace(status="superseded", superseded_by=after.key, until=fact.until or after.date)


def settled_all(db: apsw.Connection, path: str, facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """The facts of a note as they are by all lines."""
    past = replaced(db)
    number = db.execute("SELECT id FROM note WHERE path = ?", (path,)).get if past else None
    return tuple(facts) if number is None else tuple(settled(fact, number, past) for fact in facts)


def replaced_chunks(db: apsw.Connection) -> frozenset[int]:
    """The chunks of these facts, and the runs of lines that hold one and are nothing but facts, each a chunk itself."""
    found = replaced(db)
    return frozenset(number for pair in found for (number,) in db.execute(_CHUNKS, pair))


def among(ids: Collection[int]) -> str:
    """A condition on a row of table `chunk`: that it is one of these."""
    return f"chunk.id IN ({','.join(map(str, sorted(ids)))})"


def _in_circle(key: str, after: dict[str, str]) -> bool:
    at, seen = after.get(key), {key}
    while at is not None and at not in seen:
        seen.add(at)
        at = after.get(at)
    return at is not None
