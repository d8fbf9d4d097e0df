"""The keyword list: BM25 over the chunks, by FTS5."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import apsw

DEPTH = 1000
"""How far down the list a chunk's BM25 is known."""
SECONDS = (0.3, 0.12, 0.08)
"""CPU seconds the words of one query may take, then fewer of them: half a second in all (reliability E3), and
CPU time so that an answer does not depend on what else the machine does."""
PLAIN, HEADED = "1.0, 1.0, 1.0, 1.0", "2.0, 1.0, 1.0, 1.0"
"""Weights of the columns context, text, tags, grams: all alike, or headings double."""


class TooSlow(Exception):
    """The words took longer to look up than they may."""


def best(
    db: apsw.Connection, match: str, limit: int, *, weights: str, scope: str = "", values: Sequence[Any] = (),
    seconds: float = SECONDS[0],
) -> tuple[dict[int, float], list[int]]:  # fmt: skip
    """Chunk id → BM25 (higher is better) of the best `DEPTH` matches, and the ids of the best `limit` among them
    and all as good as the last; `scope` is a condition on `rowid`.

    Where more than `DEPTH` are equal at the edge, those first in path order.  TooSlow after `seconds`.
    """
    where = f"chunk_fts MATCH ? AND rank MATCH 'bm25({weights})'" + (f" AND {scope}" if scope else "")
    sql = f"SELECT rowid, -rank FROM chunk_fts WHERE {where} ORDER BY rank LIMIT ?"  # noqa: S608  # of our own
    with deadline(db, seconds):
        rows: list[Any] = db.execute(sql, (match, *values, DEPTH)).fetchall()
        if len(rows) == DEPTH and rows[-1][1] == rows[limit - 1][1]:
            sql = (
                f"SELECT found.id, found.score FROM (SELECT rowid AS id, -rank AS score FROM chunk_fts WHERE {where}) "  # noqa: S608
                "AS found JOIN chunk ON chunk.id = found.id JOIN note ON note.id = chunk.note "
                "ORDER BY found.score DESC, note.path, chunk.ordinal LIMIT ?"
            )
            rows = db.execute(sql, (match, *values, limit)).fetchall()
        elif len(rows) == DEPTH:  # which of those equal to the last are here is chance
            rows = [row for row in rows if row[1] > rows[-1][1]]
    edge = rows[min(limit, len(rows)) - 1][1] if rows else 0.0
    return dict(rows), [number for number, score in rows if score >= edge]


def notes(db: apsw.Connection, match: str, *, seconds: float = SECONDS[0]) -> dict[int, float]:
    """Note id → BM25 of the whole note, for the best `DEPTH` notes.  TooSlow after `seconds`.

    `match` names the columns of the chunks: context is the title here, and tags are in the text.
    """
    sql = "SELECT rowid, -rank FROM note_fts WHERE note_fts MATCH ? ORDER BY rank LIMIT ?"
    with deadline(db, seconds):
        rows: list[Any] = db.execute(sql, (match, DEPTH)).fetchall()
    if len(rows) == DEPTH:
        rows = [row for row in rows if row[1] > rows[-1][1]]
    return dict(rows)


@contextmanager
def deadline(db: apsw.Connection, seconds: float) -> Iterator[None]:
    """What is asked of the database inside takes at most these CPU seconds: TooSlow after them."""
    until = time.thread_time() + seconds
    db.set_progress_handler(lambda: time.thread_time() > until, 5000)
    try:
        yield
    except apsw.InterruptError as error:
        raise TooSlow from error
    finally:
        db.set_progress_handler(None)
