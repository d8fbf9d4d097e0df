"""Exact nearest neighbours by SQL (design §4; reliability B11)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from math import sqrt
from typing import Any

import apsw
import pytest

from indexer import schema
from indexer.nearest import cosines, nearest


def vector(dice: random.Random) -> bytes:
    return bytes(dice.randint(-40, 40) & 0xFF for _ in range(256))


def cosine(one: bytes, other: bytes) -> float:
    a, b = memoryview(one).cast("b"), memoryview(other).cast("b")
    lengths = sqrt(sum(x * x for x in a)) * sqrt(sum(x * x for x in b))
    return sum(x * y for x, y in zip(a, b, strict=True)) / lengths if lengths else 0.0


def distance(one: bytes, other: bytes) -> int:
    pairs = zip(memoryview(one).cast("b"), memoryview(other).cast("b"), strict=True)
    return sum((x - y) ** 2 for x, y in pairs)


@pytest.fixture(params=["sqlite-vec", "python"])
def db(request: pytest.FixtureRequest) -> Iterator[apsw.Connection]:
    """300 chunks, by the extension and by the functions that stand in for it."""
    made = apsw.Connection(":memory:")
    made.execute(schema.TABLES)
    {"sqlite-vec": schema.load_vectors, "python": schema.register_vectors}[request.param](made)
    dice = random.Random(2)
    for number in range(300):
        made.execute("INSERT INTO note(id, path) VALUES(?, ?)", (number, f"{(number * 7) % 300:03}.md"))
        made.execute("INSERT INTO chunk(id, note, ordinal) VALUES(?, ?, 0)", (number, number))
        made.execute("INSERT INTO chunk_vec VALUES(?, ?)", (number, vector(dice)))
    yield made
    made.close()


def test_the_nearest_are_the_nearest(db: apsw.Connection) -> None:
    dice = random.Random(3)
    vectors: dict[Any, Any] = dict(db.execute("SELECT id, v FROM chunk_vec").fetchall())  # type: ignore[arg-type]  # pairs
    for _ in range(5):
        one = vector(dice)
        apart = {number: distance(one, v) for number, v in vectors.items()}
        assert nearest(db, one, 10) == sorted(apart, key=lambda number: apart[number])[:10]


def test_cosines_are_exact(db: apsw.Connection) -> None:
    one = vector(random.Random(4))
    db.execute("INSERT INTO chunk_vec VALUES(1000, ?)", (bytes(256),))
    found = cosines(db, one, [0, 5, 9, 1000, 5000])
    assert found.keys() == {0, 5, 9, 1000}
    for number, value in found.items():
        assert value == pytest.approx(
            cosine(one, db.execute("SELECT v FROM chunk_vec WHERE id=?", (number,)).get), abs=1e-12
        )
    assert cosines(db, bytes(256), [0]) == {0: 0.0}


def test_a_scope_bounds_the_list(db: apsw.Connection) -> None:
    one = vector(random.Random(5))
    found = nearest(db, one, 300, "id IN (SELECT id FROM chunk WHERE note < ?)", (20,))
    assert sorted(found) == list(range(20))
    assert nearest(db, one, 10, "id < 0") == []


def test_equals_at_the_edge_do_not_depend_on_the_order_of_rows(db: apsw.Connection) -> None:
    """P3: all of them, or those first in path order where there are too many."""
    one = vector(random.Random(6))
    db.execute("UPDATE chunk_vec SET v=? WHERE id < 30", (one,))
    assert sorted(nearest(db, one, 10)) == list(range(30))
    db.execute("UPDATE chunk_vec SET v=?", (one,))
    paths = [db.execute("SELECT path FROM note WHERE id=?", (number,)).get for number in nearest(db, one, 10)]
    assert paths == [f"{number:03}.md" for number in range(10)]
