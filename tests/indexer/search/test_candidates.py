"""The candidate lists by SQL: BM25 over the chunks, and exact nearest neighbours."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from indexer.live.memory_lists import Resident
from indexer.rows import schema
from indexer.rows.rows import Index
from indexer.search import by_words, fusion, index_lists
from indexer.search.candidate import Legs, MeantLegs
from indexer.search.index_lists import PLAIN_WEIGHTS, IndexLists
from indexer.search.query import WordMatch, clean_query, word_match
from indexer.search.view import Scope

Aurelius = Callable[..., Any]


EVERYWHERE = Scope("")


def best(
    db: apsw.Connection,
    match: str,
    limit: int,
    *,
    weights: str = PLAIN_WEIGHTS,
    scope: Scope = EVERYWHERE,
    seconds: float = 9.0,
) -> tuple[dict[int, float], list[int]]:
    words = WordMatch(match, "", "", ())
    return IndexLists(Index(db, "", "")).best(words, limit, weights, scope, seconds)


def note_scores(db: apsw.Connection, match: str, *, seconds: float = 9.0) -> dict[int, float]:
    return IndexLists(Index(db, "", "")).note_scores(WordMatch(match, "", "", ()), seconds)


def nearest_chunks(
    db: apsw.Connection, vector: bytes, limit: int, scope: Scope = EVERYWHERE
) -> list[int]:
    lists = IndexLists(Index(db, "", ""))
    return lists.nearest(vector, limit, WordMatch("", "", "", ()), scope)


def cosines(db: apsw.Connection, vector: bytes, ids: Sequence[int]) -> dict[int, float]:
    return IndexLists(Index(db, "", "")).cosines(vector, ids)


@pytest.fixture
def db() -> Iterator[apsw.Connection]:
    made = schema.create(":memory:")
    for number in range(60):
        put(
            made,
            number,
            f"{(number * 7) % 60:02}.md",
            "Tea" if number == 5 else "",
            "tea " * (number % 3) + f"word{number}",
        )
    yield made
    made.close()


def put(db: apsw.Connection, number: int, path: str, context: str, text: str) -> None:
    db.execute("INSERT INTO note(id, path) VALUES(?, ?)", (number, path))
    db.execute(
        "INSERT INTO chunk(id, note, ordinal, context, text, tags, grams) VALUES(?1, ?1, 0, ?2, ?3, '', '')",
        (number, context, text),
    )
    db.execute(
        "INSERT INTO chunk_fts(rowid, context, text, tags, grams) VALUES(?, ?, ?, '', '')",
        (number, context, text),
    )
    db.execute(
        "INSERT INTO note_fts(rowid, title, text, grams) VALUES(?, ?, ?, '')",
        (number, context, text),
    )


def test_higher_is_better(db: apsw.Connection) -> None:
    scores, ids = best(db, '"word7"', 10, weights=PLAIN_WEIGHTS)
    assert ids == [7]
    assert scores[7] > 0
    scores, ids = best(db, '"tea"', 100, weights=PLAIN_WEIGHTS)
    assert len(ids) == 40
    assert [scores[number] for number in ids] == sorted(scores.values(), reverse=True)


def test_headings_count_double(db: apsw.Connection) -> None:
    plain, _ = best(db, '"tea"', 100, weights=PLAIN_WEIGHTS)
    headed, _ = best(db, '"tea"', 100, weights=index_lists.HEADED)
    assert headed[5] > plain[5]
    assert headed[1] == plain[1]


def test_equals_at_the_edge_are_all_there(db: apsw.Connection) -> None:
    """Which rows come first is chance, so the list ends where the next score begins."""
    scores, ids = best(db, '"tea"', 25, weights=PLAIN_WEIGHTS)
    assert {round(scores[number], 12) for number in ids} == {
        round(score, 12) for score in scores.values()
    }


def test_more_equals_than_can_be_looked_at(
    db: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_lists, "DEPTH", 30)
    for number in range(100, 200):
        put(db, number, f"x{(number * 7) % 100:02}.md", "", "same text")
    _, ids = best(db, '"same"', 5, weights=PLAIN_WEIGHTS)
    assert [db.execute("SELECT path FROM note WHERE id=?", (number,)).get for number in ids] == [
        f"x{n:02}.md" for n in range(5)
    ]
    assert note_scores(db, 'text : "same"') == {}


def test_a_scope_bounds_the_list(db: apsw.Connection) -> None:
    _, ids = best(
        db,
        '"tea"',
        100,
        weights=PLAIN_WEIGHTS,
        scope=Scope("SELECT id FROM chunk WHERE id < ?", (10,)),
    )
    assert sorted(ids) == [1, 2, 4, 5, 7, 8]


def test_nothing_found_is_nothing(db: apsw.Connection) -> None:
    assert best(db, '"absent"', 10, weights=PLAIN_WEIGHTS) == ({}, [])
    assert note_scores(db, '"absent"') == {}


def test_time_runs_out_and_the_connection_goes_on(db: apsw.Connection) -> None:
    """Interrupted, not hung; and the next query is answered."""
    for number in range(1000, 4000):
        put(db, number, f"{number}.md", "", " ".join(f"w{(number * n) % 97}" for n in range(30)))
    soup = " OR ".join(f'"w{number}"' for number in range(97))
    with pytest.raises(index_lists.TooSlow):
        best(db, soup, 10, weights=PLAIN_WEIGHTS, seconds=0.0)
    with pytest.raises(index_lists.TooSlow):
        note_scores(db, soup, seconds=0.0)
    assert best(db, '"word7"', 10, weights=PLAIN_WEIGHTS)[1] == [7]


def test_a_time_that_is_over_bounds_nothing_that_is_asked_later(db: apsw.Connection) -> None:
    with index_lists.deadline(db, 0.0):
        pass
    count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 100000) SELECT count(*) FROM n"
    assert db.execute(count).get == 100_000


def test_of_those_equal_to_the_last_that_is_looked_at_none_is_there(
    db: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Which of them were looked at is chance."""
    twice = {number for number in range(60) if number % 3 == 2}
    monkeypatch.setattr(index_lists, "DEPTH", 30)
    for number in range(60):
        db.execute(
            "UPDATE chunk SET text = ? WHERE id = ?", ("tea " * (number % 3) + "word", number)
        )
    db.execute("INSERT INTO chunk_fts(chunk_fts) VALUES('rebuild')")
    scores, _ = best(db, 'text : "tea"', 5, weights=PLAIN_WEIGHTS)
    assert scores.keys() == twice


def test_a_word_that_is_excluded_counts_against_whole_notes_in_memory_too(
    db: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = Resident()
    monkeypatch.setattr(memory, "follow", lambda _: True)
    monkeypatch.setattr(memory.notes, "scores", lambda *_: (np.array([0]), np.array([1.0])))

    def by_notes(text: str) -> dict[int, float]:
        lists = memory.lists(Index(db, "", ""))
        return by_words.notes_by_words(lists, word_match(clean_query(text)))

    assert by_notes("tea") == {0: 1.0}
    found = by_notes("tea -word4")
    assert found
    assert not {0, 4} & found.keys()


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
def vectors(request: pytest.FixtureRequest) -> Iterator[apsw.Connection]:
    """300 chunks, by the extension and by the functions that stand in for it."""
    made = schema.create(":memory:")
    {"sqlite-vec": schema.load_vectors, "python": schema.register_vectors}[request.param](made)
    dice = random.Random(2)
    for number in range(300):
        made.execute(
            "INSERT INTO note(id, path) VALUES(?, ?)", (number, f"{(number * 7) % 300:03}.md")
        )
        made.execute("INSERT INTO chunk(id, note, ordinal) VALUES(?, ?, 0)", (number, number))
        made.execute("INSERT INTO chunk_vec VALUES(?, ?)", (number, vector(dice)))
    yield made
    made.close()


def test_the_nearest_are_the_nearest(vectors: apsw.Connection, dice: random.Random) -> None:
    held: dict[Any, Any] = dict(vectors.execute("SELECT id, v FROM chunk_vec").fetchall())  # type: ignore[arg-type]  # pairs
    for _ in range(5):
        one = vector(dice)
        apart = {number: distance(one, v) for number, v in held.items()}
        assert (
            nearest_chunks(vectors, one, 10) == sorted(apart, key=lambda number: apart[number])[:10]
        )


def test_cosines_are_exact(vectors: apsw.Connection) -> None:
    one = vector(random.Random(4))
    vectors.execute("INSERT INTO chunk_vec VALUES(1000, ?)", (bytes(256),))
    found = cosines(vectors, one, [0, 5, 9, 1000, 5000])
    assert found.keys() == {0, 5, 9, 1000}
    for number, value in found.items():
        assert value == pytest.approx(
            cosine(one, vectors.execute("SELECT v FROM chunk_vec WHERE id=?", (number,)).get),
            abs=1e-12,
        )
    assert cosines(vectors, bytes(256), [0]) == {0: 0.0}


def test_a_scope_bounds_the_nearest(vectors: apsw.Connection) -> None:
    one = vector(random.Random(5))
    found = nearest_chunks(vectors, one, 300, Scope("SELECT id FROM chunk WHERE note < ?", (20,)))
    assert sorted(found) == list(range(20))
    assert nearest_chunks(vectors, one, 10, Scope("SELECT -1")) == []


def test_equals_at_the_edge_do_not_depend_on_the_order_of_rows(vectors: apsw.Connection) -> None:
    """All of them, or those first in path order where there are too many."""
    one = vector(random.Random(6))
    vectors.execute("UPDATE chunk_vec SET v=? WHERE id < 30", (one,))
    assert sorted(nearest_chunks(vectors, one, 10)) == list(range(30))
    vectors.execute("UPDATE chunk_vec SET v=?", (one,))
    paths = [
        vectors.execute("SELECT path FROM note WHERE id=?", (number,)).get
        for number in nearest_chunks(vectors, one, 10)
    ]
    assert paths == [f"{number:03}.md" for number in range(10)]


def legs(**cosines: float) -> dict[int, Legs]:
    return {number: Legs(cosine=value) for number, value in enumerate(cosines.values(), 1)}


def test_beside_chunks_that_hold_a_word_only_what_is_near_is_a_hit() -> None:
    found = {
        1: Legs(bm25=2.0, cosine=-0.1),
        2: Legs(cosine=0.19),
        3: Legs(cosine=0.2),
        4: Legs(meant=MeantLegs(id=1.0)),
    }
    assert set(fusion.near_enough(found, readable=True, cut=True)) == {1, 3, 4}


def test_where_none_holds_a_word_what_is_near_beside_the_nearest_is_a_hit() -> None:
    assert set(fusion.near_enough(legs(a=0.1, b=0.05, c=0.04), readable=True, cut=True)) == {1, 2}
    assert set(fusion.near_enough(legs(a=0.5, b=0.26, c=0.24), readable=True, cut=True)) == {1, 2}
    assert fusion.near_enough(legs(a=0.02, b=-0.3), readable=True, cut=True) == {}


def test_nothing_is_near_to_words_that_mean_nothing_to_the_model() -> None:
    assert fusion.near_enough(legs(a=0.25), readable=False, cut=True) == {}


def test_without_the_cut_what_reaches_the_floor_stays_and_below_it_the_nearest() -> None:
    assert set(fusion.near_enough(legs(a=0.9, b=0.2), readable=True, cut=False)) == {1, 2}
    assert set(fusion.near_enough(legs(a=0.15, b=0.1), readable=True, cut=False)) == {1, 2}


def test_a_question_about_a_week_is_answered_from_each_of_its_days(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    """The daily notes come first, the newest day first, and a long day takes no place of another."""
    (tmp_path / ".aurelius").mkdir()
    (tmp_path / "memory").mkdir()
    for day in (2, 3, 4, 5):
        lines = "".join(
            f"- thing {number} of day {day}\n" for number in range(20 if day == 5 else 2)
        )
        (tmp_path / f"memory/2026-02-0{day}.md").write_text(lines, "utf-8")
    (tmp_path / "shed.md").write_text(
        "# Shed\n\n## Facts\n- Has a new roof (2026-02-06)\n", "utf-8"
    )
    for question in ("what did I do last week", "what did we work on last week?"):
        done = aurelius("search", question, "-n", "6", "--format", "{path}:{line}", cwd=tmp_path)
        assert done.out.splitlines() == [
            "memory/2026-02-05.md:1",
            "memory/2026-02-05.md:2",
            "memory/2026-02-04.md:1",
            "memory/2026-02-03.md:1",
            "memory/2026-02-02.md:1",
            "shed.md:4",
        ]
        assert "more, day by day: `aurelius days 2026-02-02..2026-02-08`" in done.err
    assert aurelius("recall", "what did I do last week", cwd=tmp_path).out.startswith(
        "memory/2026-02-05.md:1"
    )
    recalled = aurelius("recall", "what did I do last week", cwd=tmp_path).out
    assert [f"of day {day}\n" in recalled for day in (2, 3, 4, 5)] == [True] * 4, (
        "a line of each day"
    )
    assert (
        aurelius("recall", "what did I do last Thursday", cwd=tmp_path).out.count("of day 5\n") == 5
    )
    long = aurelius("search", "what happened last Thursday", cwd=tmp_path)
    assert "more, day by day: `aurelius days 2026-02-05`" in long.err
    one = aurelius("search", "what happened on Wednesday", cwd=tmp_path)
    assert "day by day" not in one.err
    assert "memory/2026-02-04.md:2" in one.out
