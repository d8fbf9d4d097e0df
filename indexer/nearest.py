"""The vector list: exact nearest neighbours over the int8 vectors of the index, by SQL.

Vectors are 254 × unit length.  Squared distances of int8 vectors are whole numbers, so what
`vec_distance_l2` says (a 32-bit root) is squared and rounded back to the exact one: every way of
computing it, here or over a resident matrix, gives the same cosines to the last bit.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt
from typing import TYPE_CHECKING

import apsw

if TYPE_CHECKING:
    from .embed import Encoder

MAXSIM_FLOOR = 0.35
"""Token cosines below this say nothing."""


def nearest(db: apsw.Connection, vector: bytes, limit: int, scope: str = "", values: Sequence[object] = ()) -> list[int]:
    """The ids of the `limit` chunks nearest to a vector, nearest first; `scope` is a condition on `id`."""
    where = f"WHERE {scope} " if scope else ""
    sql = f"SELECT id, vec_distance_l2(vec_int8(v), vec_int8(?)) AS d FROM chunk_vec {where}ORDER BY d LIMIT ?"  # noqa: S608
    rows = db.execute(sql, (vector, *values, limit + 1)).fetchall()  # type: ignore[arg-type]
    if len(rows) > limit and rows[-1][1] == rows[-2][1]:
        rows = _settle(db, vector, limit, where, values)
    return [row[0] for row in rows[:limit]]  # type: ignore[misc]


def _settle(db: apsw.Connection, vector: bytes, limit: int, where: str, values: Sequence[object]) -> list[tuple[int, float]]:
    """The same list where equals stand at its end: those first in path order."""
    sql = (
        f"SELECT vec.id, vec_distance_l2(vec_int8(v), vec_int8(?)) AS d FROM (SELECT * FROM chunk_vec {where}) AS vec "  # noqa: S608
        "JOIN chunk ON chunk.id = vec.id JOIN note ON note.id = chunk.note ORDER BY d, note.path, chunk.ordinal LIMIT ?"
    )
    return db.execute(sql, (vector, *values, limit)).fetchall()  # type: ignore[arg-type,return-value]


def cosines(db: apsw.Connection, vector: bytes, ids: Sequence[int]) -> dict[int, float]:
    """The cosine of each of these chunks with a vector; 0 where either has no length."""
    zero = bytes(len(vector))
    marks = ",".join(map(str, ids))
    sql = (
        "SELECT id, vec_distance_l2(vec_int8(v), vec_int8(?)), vec_distance_l2(vec_int8(v), vec_int8(?)) "  # noqa: S608
        f"FROM chunk_vec WHERE id IN ({marks})"
    )
    own = _norm2(vector)
    rows = db.execute(sql, (vector, zero))
    return {number: _cosine(own, _whole(length), _whole(apart)) for number, apart, length in rows}


def maxsim(
    db: apsw.Connection, encoder: Encoder, query: Sequence[int], weights: Sequence[float],
    texts: Sequence[Sequence[int]],
) -> list[float]:  # fmt: skip
    """For each text the weighted mean, over the query's tokens, of the best cosine to any token of the text."""
    total = sum(weights)
    if not total:
        return [0.0] * len(texts)
    known = set(query)
    pairs = _token_cosines(db, encoder, query, {token for text in texts for token in text} - known)
    own = _token_cosines(db, encoder, query, known)
    pairs.update(own)
    found = []
    for text in texts:
        columns = [pairs[token] for token in set(text)]
        best = [max(values) for values in zip(*columns, strict=True)] if columns else [0.0] * len(query)
        found.append(sum(w * b for w, b in zip(weights, best, strict=True) if b > MAXSIM_FLOOR) / total)
    return found


def _token_cosines(
    db: apsw.Connection, encoder: Encoder, query: Sequence[int], tokens: Iterable[int]
) -> dict[int, tuple[float, ...]]:
    """Token → its cosine with each token of the query."""
    order = sorted(tokens)
    rows = [encoder.row(token) for token in query]
    lengths = [_norm2(row) for row in rows]
    marks = ",".join(f"vec_distance_l2(t, vec_int8(?{at}))" for at in range(3, 3 + len(rows)))
    sql = f"SELECT vec_distance_l2(t, vec_int8(?2)), {marks} FROM (SELECT vec_int8(?1) AS t)"  # noqa: S608  # marks
    zero = bytes(encoder.dim)
    found = {}
    answers = db.executemany(sql, ((encoder.row(token), zero, *rows) for token in order))
    for token, (length, *apart) in zip(order, answers, strict=True):
        norm2 = _whole(length)
        found[token] = tuple(_cosine(own, norm2, _whole(gap)) for own, gap in zip(lengths, apart, strict=True))
    return found


def _whole(distance: object) -> int:
    """The exact squared distance behind a 32-bit root."""
    return round(float(distance) ** 2)  # type: ignore[arg-type]


def _norm2(vector: bytes) -> int:
    return sum(value * value for value in memoryview(vector).cast("b"))


def _cosine(one: int, other: int, apart: int) -> float:
    """Cosine from two squared lengths and the squared distance."""
    return (one + other - apart) / (2 * sqrt(one * other)) if one and other else 0.0
