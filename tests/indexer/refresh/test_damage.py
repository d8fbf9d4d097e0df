"""What is wrong with an index as it stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from indexer.note import Settings
from indexer.refresh.damage import damage_in
from indexer.refresh.refresh import refresh
from indexer.rows import schema

NOTES = {
    "people/joe.md": "---\ntags: [friend]\n---\n# Joe\n\n## Facts\n- Lives in Rome ^abcde1\n- Likes [[tea]] #green\n",
    "tea.md": "# Tea\n\nGreen, white and black.\n",
}


@pytest.fixture
def db(tmp_path: Path) -> Iterator[apsw.Connection]:
    """A sound index."""
    for path, text in NOTES.items():
        (tmp_path / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "vault" / path).write_text(text)
    settings = Settings(str(tmp_path / "vault"), str(tmp_path / "index"), vectors=False)
    refresh(settings, now=1_900_000_000.0)[0].close()
    made = schema.connect(schema.current_file(settings.folder) or "", write=True)
    yield made
    made.close()


def damage(db: apsw.Connection) -> list[str]:
    """What is told, but of what only tells one index from a new one of another model."""
    with closing(schema.attach_copy(db)) as copy:
        found = [f"{odd.part}: {odd.what}" for odd in damage_in(copy)]
    return [line for line in found if not line.startswith("meta ")]


def test_a_sound_index_has_none(db: apsw.Connection) -> None:
    assert damage(db) == []


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("INSERT INTO task(note, ordinal) VALUES (77, 0), (78, 0)", "task: rows without a note: 2"),
        ("INSERT INTO chunk_vec VALUES (999, zeroblob(3))", "chunk_vec: rows without a chunk: 1"),
        (
            "INSERT INTO note_fts(rowid, text) VALUES (77, 'assam'), (78, 'assam')",
            "note_fts_docsize: rows without a note: 2",
        ),
        ("INSERT INTO token_df VALUES (5, 1), (6, 2)", "token_df: wrong counts: 2"),
        (
            "UPDATE note_fts_data SET block = x'04010101' WHERE id = 1",
            "note_fts: its totals do not match its rows",
        ),
        ("DROP INDEX chunk_note", "index chunk_note: is missing"),
        ("CREATE TABLE mine(x)", "table mine: has another definition"),
        (
            "INSERT INTO chunk_fts(chunk_fts, rank) VALUES ('rank', 'bm25(9)')",
            "chunk_fts: has other settings",
        ),
    ],
)
def test_each_kind_is_told_once(sql: str, told: str, db: apsw.Connection) -> None:
    db.execute(sql)
    assert damage(db).count(told) == 1


def test_what_fts5_itself_finds_wrong_is_told(db: apsw.Connection) -> None:
    db.execute("UPDATE chunk SET text = 'assam' WHERE text LIKE '%white%'")
    assert [line.partition(":")[0] for line in damage(db)] == ["chunk_fts"]


def test_a_table_that_cannot_be_read_is_told_and_stops_nothing(db: apsw.Connection) -> None:
    db.execute("DROP TABLE task")
    db.execute("INSERT INTO token_df VALUES (5, 1)")
    found = damage(db)
    assert "table task: is missing" in found
    assert [line for line in found if "cannot be read" in line] == [
        "rows: cannot be read: no such table: live.task"
    ]
    assert "token_df: wrong counts: 1" in found, "what comes later is looked at too"
