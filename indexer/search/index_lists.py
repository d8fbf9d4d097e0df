"""What an index says of words and vectors, by SQL; a process that keeps the index in memory says
the same sooner.

Vectors are 254 × unit length. Squared distances of int8 vectors are whole numbers, so what
`vec_distance_l2` says (a 32-bit root) is squared and rounded back to the exact one: every way of
computing it gives the same cosines to the last bit.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from math import sqrt
from typing import TYPE_CHECKING, Any, Protocol

import apsw

from .view import bounds_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from indexer.rows.rows import Index

    from .query import WordMatch
    from .view import Scope

DEPTH = 1000
"""How far down the list a chunk's BM25 is known."""
PLAIN_WEIGHTS = "1.0, 1.0, 1.0, 1.0"
HEADED = "2.0, 1.0, 1.0, 1.0"
"""Weights of the columns context, text, tags, grams: all alike, or headings double."""
SPARE = 200
"""Chunks looked at beyond the limit, so that equals at its edge can all be taken."""


class TooSlow(Exception):
    """The words took longer to look up than they may."""


@contextmanager
def deadline(
    db: apsw.Connection,
    seconds: float,
) -> Iterator[None]:
    """What is asked of the database inside takes at most these CPU seconds: TooSlow after them."""
    until = time.thread_time() + seconds
    db.set_progress_handler(lambda: time.thread_time() > until, 5000)
    try:
        yield
    except apsw.InterruptError as error:
        raise TooSlow from error
    finally:
        db.set_progress_handler(None)


class IndexLists:
    """The best chunks and notes of an index by words, the nearest chunks by vectors."""

    def __init__(
        self,
        index: Index,
    ) -> None:
        self.index = index

    def best(
        self,
        match: WordMatch,
        limit: int,
        weights: str,
        scope: Scope,
        seconds: float,
    ) -> tuple[dict[int, float], list[int]]:
        """Chunk id → BM25 (higher is better) of the best `DEPTH` matches, and the ids of the best
        `limit` among them and all as good as the last.

        Where more than `DEPTH` are equal at the edge, those first in path order. TooSlow after
        `seconds` of the processor.
        """
        db = self.index.db
        where = f"chunk_fts MATCH ? AND rank MATCH 'bm25({weights})'{scope.also_on('+rowid')}"
        values = (match.any, *scope.values)
        sql = (
            f"SELECT rowid, -rank AS score FROM chunk_fts WHERE {where} ORDER BY score DESC LIMIT ?"
        )
        with deadline(db, seconds):
            rows: list[Any] = db.execute(sql, (*values, DEPTH)).fetchall()
            if len(rows) == DEPTH and rows[-1][1] == rows[limit - 1][1]:
                sql = (
                    "SELECT found.id, found.score FROM (SELECT rowid AS id, -rank AS score FROM"
                    f" chunk_fts WHERE {where}) AS found JOIN chunk ON chunk.id = found.id JOIN"
                    " visible_note AS note ON note.id = chunk.note"
                    " ORDER BY found.score DESC, note.path, chunk.ordinal LIMIT ?"
                )
                rows = db.execute(sql, (*values, limit)).fetchall()
            elif len(rows) == DEPTH:  # which of those equal to the last are here is chance
                rows = [row for row in rows if row[1] > rows[-1][1]]
        edge = 0.0
        if rows:
            edge = rows[:limit][-1][1]
        return dict(rows), [number for number, score in rows if score >= edge]

    def note_scores(
        self,
        match: WordMatch,
        seconds: float,
    ) -> dict[int, float]:
        """Note id → BM25 of the whole note, for the best `DEPTH` notes. TooSlow after `seconds` of
        the processor.

        The match names the columns of the chunks: context is the title here, and tags are in the
        text.
        """
        sql = (
            "SELECT rowid, -rank AS score FROM note_fts WHERE note_fts MATCH ?"
            " ORDER BY score DESC LIMIT ?"
        )
        with deadline(self.index.db, seconds):
            rows: list[Any] = self.index.db.execute(sql, (match.any, DEPTH)).fetchall()
        if len(rows) == DEPTH:
            rows = [row for row in rows if row[1] > rows[-1][1]]
        return dict(rows)

    def nearest(
        self,
        vector: bytes,
        limit: int,
        match: WordMatch,
        scope: Scope,
    ) -> list[int]:
        """The ids of the `limit` chunks nearest to a vector, of those that hold what they must, and
        all as near as the last.

        Where more than `SPARE` are that near, those first in path order.
        """
        db = self.index.db
        within, values = bounds_of(scope, match)
        where = f"WHERE {within} " * bool(within)
        sql = (
            "SELECT id, vec_distance_l2(vec_int8(v), vec_int8(?)) AS d FROM chunk_vec"
            f" {where}ORDER BY d LIMIT ?"
        )
        rows: list[Any] = db.execute(sql, (vector, *values, limit + SPARE)).fetchall()
        if len(rows) == limit + SPARE and rows[-1][1] == rows[limit - 1][1]:
            sql = (
                "SELECT vec.id, vec_distance_l2(vec_int8(v), vec_int8(?)) AS d "
                f"FROM (SELECT * FROM chunk_vec {where}) AS vec JOIN chunk ON chunk.id = vec.id "
                "JOIN visible_note AS note ON note.id = chunk.note ORDER BY d, note.path,"
                " chunk.ordinal LIMIT ?"
            )
            rows = db.execute(sql, (vector, *values, limit)).fetchall()
        edge = 0.0
        if rows:
            edge = rows[:limit][-1][1]
        return [number for number, distance in rows if distance <= edge]

    def cosines(
        self,
        vector: bytes,
        ids: Sequence[int],
    ) -> dict[int, float]:
        """The cosine of each of these chunks with a vector; 0 where either has no length."""
        zero = bytes(len(vector))
        marks = ",".join(map(str, ids))
        sql = (
            "SELECT id, vec_distance_l2(vec_int8(v), vec_int8(?)), vec_distance_l2(vec_int8(v),"
            f" vec_int8(?)) FROM chunk_vec WHERE id IN ({marks})"
        )
        own = sum(value * value for value in memoryview(vector).cast("b"))
        found = {}
        for number, apart, length in self.index.db.execute(sql, (vector, zero)):
            other = round(length**2)  # the exact square behind a 32-bit root
            lengths = 2 * sqrt(own * other)
            found[number] = (own + other - round(apart**2)) / lengths if lengths else 0.0
        return found

    def vectors(self) -> int:
        """How many chunks have a vector."""
        return int(self.index.db.execute("SELECT count(*) FROM chunk_vec").get)


class Memory(Protocol):
    """An index in the memory of a long-running process."""

    def lists(
        self,
        index: Index,
    ) -> IndexLists:
        """Its lists: the same numbers, sooner."""
