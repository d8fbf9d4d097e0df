"""What of an index a search may see: the scope of its filters, what was replaced, the rows of
chunks."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import TYPE_CHECKING, Any

from indexer.catalog.filters import Filters, of_chunks
from indexer.catalog.supersession import replaced_chunks
from indexer.catalog.visibility import unseen
from indexer.reading.path_meaning import apart_of
from indexer.record import NamedTuple

from .candidate import ROW, Candidate

if TYPE_CHECKING:
    import apsw

    from indexer.usage.tier import Clock

    from .query import WordMatch

    Rows = dict[int, Candidate]


class Scope(NamedTuple):
    """Which chunks may be hits, as a SELECT of chunk ids; "" for all; or those which may not, where
    it is `out`."""

    sql: str
    values: tuple[Any, ...] = ()
    out: bool = False

    def on(
        self,
        column: str,
    ) -> str:
        """The condition on a column of chunk ids, "" for none."""
        if self.sql:
            return f"{column} {'NOT ' * self.out}IN ({self.sql})"
        return ""

    def also_on(
        self,
        column: str,
    ) -> str:
        """The same behind other conditions."""
        return " AND " * bool(self.sql) + self.on(column)


def bounds_of(
    scope: Scope,
    match: WordMatch,
) -> tuple[str, tuple[Any, ...]]:
    """The scope with phrases and exclusions, which hold for every leg, as a condition on `id`."""
    held = "id IN (SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ?)"
    parts = [scope.on("id")]
    if match.must:
        parts.append(held)
    if match.must_not:
        parts.append(f"NOT {held}")
    bounds = filter(None, (match.must, match.must_not))
    return " AND ".join(filter(None, parts)), (*scope.values, *bounds)


def all_seen(db: apsw.Connection) -> Scope:
    """Every chunk but those hidden from an agent: were they among the candidates, all would be
    looked up twice."""
    notes = unseen(db)
    return Scope(f"SELECT id FROM chunk WHERE note IN ({notes})" if notes else "", out=True)


class View:
    """The chunks of an index as a search with these filters may see them."""

    def __init__(
        self,
        db: apsw.Connection,
        filters: Filters,
        clock: Clock,
    ) -> None:
        self.db = db
        self.filters = filters
        self.clock = clock

    @cached_property
    def replaced(self) -> frozenset[int]:
        """The chunks of facts that other facts replaced."""
        return replaced_chunks(self.db, private=self.filters.private)

    @cached_property
    def is_plain(self) -> bool:
        """Whether no filter asks for more than a status."""
        return self.filters._replace(private=False) in {Filters(), Filters(status="all")}

    def scope(
        self,
        *,
        strict: bool,
    ) -> Scope:
        """The chunks that the filters allow; with `strict` by status too, which `barred` counts
        else."""
        return Scope(*of_chunks(self.db, self.filters, self.clock, self.replaced, strict=strict))

    def first_scope(self) -> Scope:
        """The chunks to look at first: those that may not be shown are left out afterwards, and
        counted."""
        return all_seen(self.db) if self.is_plain else self.scope(strict=False)

    def barred(
        self,
        row: Candidate,
    ) -> str:
        """Why a candidate that is not private may not be shown: its folder apart, "superseded",
        or ""."""
        apart = apart_of(row.path)
        if apart and not self.filters.asks_for(apart):
            return apart
        if row.status == "superseded" and self.filters.hides_past:
            return "superseded"
        return ""

    def rows(
        self,
        ids: Iterable[int],
    ) -> Rows:
        """The rows of these chunks, by number; those that were replaced are superseded."""
        sql = (
            f"SELECT {ROW} FROM chunk JOIN visible_note AS note ON note.id = chunk.note"
            " WHERE chunk.id IN (SELECT value FROM json_each(?))"
        )
        rows = {row[0]: Candidate(*row) for row in self.db.execute(sql, (str([*ids]),))}
        for at in self.replaced & rows.keys():
            rows[at] = rows[at]._replace(status="superseded")
        return rows
