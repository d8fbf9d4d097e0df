"""BM25 over the chunks (design §5; reliability E3)."""

from __future__ import annotations

from collections.abc import Iterator

import apsw
import pytest

from indexer import keyword, schema


@pytest.fixture
def db() -> Iterator[apsw.Connection]:
    made = apsw.Connection(":memory:")
    made.execute(schema.TABLES)
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
        "INSERT INTO chunk_fts(rowid, context, text, tags, grams) VALUES(?, ?, ?, '', '')", (number, context, text)
    )
    db.execute("INSERT INTO note_fts(rowid, title, text, grams) VALUES(?, ?, ?, '')", (number, context, text))


def test_higher_is_better(db: apsw.Connection) -> None:
    scores, ids = keyword.best(db, '"word7"', 10, weights=keyword.PLAIN)
    assert ids == [7]
    assert scores[7] > 0
    scores, ids = keyword.best(db, '"tea"', 100, weights=keyword.PLAIN)
    assert len(ids) == 40
    assert [scores[number] for number in ids] == sorted(scores.values(), reverse=True)


def test_headings_count_double(db: apsw.Connection) -> None:
    plain, _ = keyword.best(db, '"tea"', 100, weights=keyword.PLAIN)
    headed, _ = keyword.best(db, '"tea"', 100, weights=keyword.HEADED)
    assert headed[5] > plain[5]
    assert headed[1] == plain[1]


def test_equals_at_the_edge_are_all_there(db: apsw.Connection) -> None:
    """P3: which rows come first is chance, so the list ends where the next score begins."""
    scores, ids = keyword.best(db, '"tea"', 25, weights=keyword.PLAIN)
    assert {round(scores[number], 12) for number in ids} == {round(score, 12) for score in scores.values()}


def test_more_equals_than_can_be_looked_at(db: apsw.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyword, "DEPTH", 30)
    for number in range(100, 200):
        put(db, number, f"x{(number * 7) % 100:02}.md", "", "same text")
    _, ids = keyword.best(db, '"same"', 5, weights=keyword.PLAIN)
    assert [db.execute("SELECT path FROM note WHERE id=?", (number,)).get for number in ids] == [
        f"x{n:02}.md" for n in range(5)
    ]
    assert keyword.notes(db, 'text : "same"') == {}


def test_a_scope_bounds_the_list(db: apsw.Connection) -> None:
    _, ids = keyword.best(
        db, '"tea"', 100, weights=keyword.PLAIN, scope="+rowid IN (SELECT id FROM chunk WHERE id < ?)", values=(10,)
    )
    assert sorted(ids) == [1, 2, 4, 5, 7, 8]


def test_nothing_found_is_nothing(db: apsw.Connection) -> None:
    assert keyword.best(db, '"absent"', 10, weights=keyword.PLAIN) == ({}, [])
    assert keyword.notes(db, '"absent"') == {}


def test_time_runs_out_and_the_connection_goes_on(db: apsw.Connection) -> None:
    """E3: interrupted, not hung; and the next query is answered."""
    for number in range(1000, 4000):
        put(db, number, f"{number}.md", "", " ".join(f"w{(number * n) % 97}" for n in range(30)))
    soup = " OR ".join(f'"w{number}"' for number in range(97))
    with pytest.raises(keyword.TooSlow):
        keyword.best(db, soup, 10, weights=keyword.PLAIN, seconds=0.0)
    with pytest.raises(keyword.TooSlow):
        keyword.notes(db, soup, seconds=0.0)
    assert keyword.best(db, '"word7"', 10, weights=keyword.PLAIN)[1] == [7]
