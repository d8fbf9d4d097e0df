"""The vector list: exact nearest neighbours over the int8 vectors of the index, by SQL.

Vectors are 254 × unit length.  Squared distances of int8 vectors are whole numbers, so what
`vec_distance_l2` says (a 32-bit root) is squared and rounded back to the exact one: every way of
computing it, here or over a resident matrix, gives the same cosines to the last bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt
from typing import Any

import apsw

SPARE = 200
"""Chunks looked at beyond the limit, so that equals at its edge can all be taken."""


def nearest(db: apsw.Connection, vector: bytes, limit: int, scope: str = "", values: Sequence[Any] = ()) -> list[int]:
    """The ids of the `limit` chunks nearest to a vector and all as near as the last; `scope` is a condition on `id`.

    Where more than `SPARE` are that near, those first in path order.
    """
    where = f"WHERE {scope} " if scope else ""
    sql = f"SELECT id, vec_distance_l2(vec_int8(v), vec_int8(?)) AS d FROM chunk_vec {where}ORDER BY d LIMIT ?"  # noqa: S608
    rows: list[Any] = db.execute(sql, (vector, *values, limit + SPARE)).fetchall()
    if len(rows) == limit + SPARE and rows[-1][1] == rows[limit - 1][1]:
        sql = (
            "SELECT vec.id, vec_distance_l2(vec_int8(v), vec_int8(?)) AS d "  # noqa: S608  # of our own
            f"FROM (SELECT * FROM chunk_vec {where}) AS vec JOIN chunk ON chunk.id = vec.id "
            "JOIN note ON note.id = chunk.note ORDER BY d, note.path, chunk.ordinal LIMIT ?"
        )
        rows = db.execute(sql, (vector, *values, limit)).fetchall()
    edge = rows[min(limit, len(rows)) - 1][1] if rows else 0.0
    return [number for number, distance in rows if distance <= edge]


def cosines(db: apsw.Connection, vector: bytes, ids: Sequence[int]) -> dict[int, float]:
    """The cosine of each of these chunks with a vector; 0 where either has no length."""
    zero = bytes(len(vector))
    marks = ",".join(map(str, ids))
    sql = (
        "SELECT id, vec_distance_l2(vec_int8(v), vec_int8(?)), vec_distance_l2(vec_int8(v), vec_int8(?)) "  # noqa: S608
        f"FROM chunk_vec WHERE id IN ({marks})"
    )
    own = _norm2(vector)
    rows: list[Any] = db.execute(sql, (vector, zero)).fetchall()
    return {number: _cosine(own, _whole(length), _whole(apart)) for number, apart, length in rows}


def _whole(distance: float) -> int:
    """The exact squared distance behind a 32-bit root."""
    return round(distance**2)


def _norm2(vector: bytes) -> int:
    return sum(value * value for value in memoryview(vector).cast("b"))


def _cosine(one: int, other: int, apart: int) -> float:
    """Cosine from two squared lengths and the squared distance."""
    return (one + other - apart) / (2 * sqrt(one * other)) if one and other else 0.0
