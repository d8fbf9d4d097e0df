"""Comparison of indexes row for row."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.note import Settings
from indexer.refresh.compare_rows import (
    COUNTED,
    Odds,
    Side,
    compare_notes,
    compare_whole,
    count_rows,
    read_side,
)
from indexer.refresh.refresh import refresh
from indexer.rows import schema

LATER = 1_900_000_000.0
NOTES = {
    "people/joe.md": "---\ntags: [friend]\n---\n# Joe\n\n## Facts\n- Lives in Rome ^abcde1\n- Likes [[tea]] #green\n\n"
    "- [ ] Call him\n",
    "secret.md": "---\nprivate: true\n---\n# Secret\n\nhidden words\n",
    "tea.md": "# Tea\n\nGreen, white and black.\n",
}


def made(root: Path, folder: Path, *orders: list[str]) -> Side:
    """An index of the notes, put into it in this order, pass by pass."""
    root.mkdir(exist_ok=True)
    settings = Settings(str(root), str(folder), vectors=False)
    for paths in orders:
        for path in paths:
            (root / path).parent.mkdir(exist_ok=True)
            if not (root / path).exists():
                (root / path).write_text(NOTES[path])
        refresh(settings, now=LATER)[0].close()
    db = schema.connect(schema.current_file(str(folder)) or "", write=True)
    return read_side(db)


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[tuple[Side, Side]]:
    """The live index, put together in three passes, and one built at once: their rows have other numbers."""
    live = made(tmp_path / "vault", tmp_path / "live", ["tea.md"], ["secret.md"], ["people/joe.md"])
    whole = made(tmp_path / "vault", tmp_path / "made", sorted(NOTES))
    assert live.numbers != whole.numbers
    yield live, whole
    live.db.close()
    whole.db.close()


def lines(odds: Odds) -> list[str]:
    return [f"{path}: {odd.part}: {odd.what}" for path, odd in odds]


def all_of(live: Side, whole: Side) -> list[str]:
    """Everything that is told, as text."""
    return lines(compare_notes(live, whole, NOTES)) + lines(compare_whole(live.db, whole.db))


def test_equal_indexes_with_other_row_numbers_are_equal(sides: tuple[Side, Side]) -> None:
    live, whole = sides
    live.db.execute("UPDATE note SET racy = 1 - racy")
    live.db.execute("UPDATE meta SET value = 'other' WHERE key IN ('walk', 'rules', 'generation')")
    assert all_of(live, whole) == []


def test_notes_have_numbers_and_private_ones_are_known(sides: tuple[Side, Side]) -> None:
    live, _ = sides
    assert sorted(live.numbers) == sorted(NOTES)
    assert read_side(live.db).private == {"secret.md"}
    live.db.execute("UPDATE note SET private = NULL WHERE path = 'tea.md'")
    assert read_side(live.db).private == {"secret.md", "tea.md"}, "in doubt a note is private"
    live.db.execute("UPDATE note SET path = CAST(x'61ff' AS TEXT) WHERE path = 'tea.md'")
    assert "a\\xff" in read_side(live.db).numbers


def test_rows_are_counted_as_far_as_they_can_be_read(sides: tuple[Side, Side]) -> None:
    live, _ = sides
    found = count_rows(live.db)
    assert (found["note"], found["fact"], found["link"], found["tag"], found["task"]) == (
        3,
        2,
        1,
        2,
        1,
    )
    assert set(found) == set(COUNTED)
    live.db.execute("DROP TABLE task")
    assert count_rows(live.db) == {**found, "task": 0}


JOE = "(SELECT id FROM note WHERE path = 'people/joe.md')"


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("UPDATE note SET title = 'Coffee' WHERE path = 'tea.md'", "tea.md: note: title differs"),
        (
            "UPDATE note SET title = 'x', kind = 'me', date = 'y' WHERE path = 'tea.md'",
            "tea.md: note: kind and title and date differ",
        ),
        ("UPDATE tag SET name = 'red' WHERE name = 'green'", "people/joe.md: tag 1: name differs"),
        (
            "UPDATE tag SET name = CAST(name AS BLOB) WHERE name = 'green'",
            "people/joe.md: tag 1: name differs",
        ),
        (f"DELETE FROM link WHERE note = {JOE}", "people/joe.md: link 0: is missing"),
        (
            f"INSERT INTO fact(note, ordinal, key) VALUES ({JOE}, 9, 'x')",
            "people/joe.md: fact 9: should not be there",
        ),
        (
            f"UPDATE note_fts_docsize SET sz = x'010101' WHERE id = {JOE}",
            "people/joe.md: words: sz differs",
        ),
        ("INSERT INTO task(note, ordinal) VALUES (77, 0), (78, 0)", ": task: 2 rows have no note"),
        ("INSERT INTO chunk_vec VALUES (999, zeroblob(3))", ": chunk_vec: 1 row has no chunk"),
        ("INSERT INTO token_df VALUES (5, 1), (6, 2)", ": token_df: 2 tokens have a wrong count"),
        (
            "UPDATE note_fts_data SET block = x'04010101' WHERE id = 1",
            ": note_fts: its totals do not match its rows",
        ),
        ("UPDATE meta SET value = 'other' WHERE key = 'parser'", ": meta parser: differs"),
        ("DROP INDEX chunk_note", ": index chunk_note: is missing"),
        ("CREATE TABLE mine(x)", ": table mine: has another definition"),
        (
            "INSERT INTO chunk_fts(chunk_fts, rank) VALUES ('rank', 'bm25(9)')",
            ": chunk_fts: has other settings",
        ),
        (
            "INSERT INTO chunk_fts(rowid, text) VALUES ((SELECT id FROM chunk WHERE text LIKE '%white%'), 'assam')",
            "tea.md: words: of its chunks differ",
        ),
    ],
)
def test_each_row_that_differs_is_told_once(sql: str, told: str, sides: tuple[Side, Side]) -> None:
    live, whole = sides
    live.db.execute(sql)
    found = all_of(live, whole)
    assert found.count(told) == 1, found


def test_equal_rows_under_one_number_are_paired_before_others_are_compared(
    sides: tuple[Side, Side],
) -> None:
    """A row that is there twice does not make the right one look wrong."""
    live, whole = sides
    names = "note, ordinal, grain, heading, first, last, context, text, tags, grams, status, type, date, fact, hash, tokens"
    live.db.execute(
        f"INSERT INTO chunk SELECT 900, {names.replace('fact, ', 'fact, importance, ')} FROM chunk "
        f"WHERE note = {JOE} AND ordinal = 0"
    )
    live.db.execute("UPDATE chunk SET text = 'other' WHERE id = 900")
    found = lines(compare_notes(live, whole, ["people/joe.md"]))
    assert found[0] == "people/joe.md: chunk 0: should not be there"
    assert not any("text" in line for line in found)


def test_words_of_a_note_that_are_others_are_found_and_those_of_no_note(
    sides: tuple[Side, Side],
) -> None:
    live, whole = sides
    live.db.execute(
        f"INSERT OR REPLACE INTO note_fts(rowid, title, text, grams) VALUES ({JOE}, 'Joe', 'tea', '')"
    )
    live.db.execute("INSERT INTO note_fts(rowid, text) VALUES (77, 'assam'), (78, 'assam')")
    found = lines(compare_notes(live, whole, NOTES))
    assert "people/joe.md: words: differ" in found
    assert ": note_fts: has words of 2 rows without a note" in found
    assert not any(line.startswith("tea.md") for line in found)


def words(*texts: str) -> Side:
    """An index of one note with such chunks, whose words are the chunks' together."""
    db = schema.create(":memory:")
    db.execute("INSERT INTO note(id, path, private) VALUES (1, 'tea.md', 0)")
    db.execute(
        "INSERT INTO note_fts(rowid, title, text, grams) VALUES (1, 'a', ?, '')", (" ".join(texts),)
    )
    for number, text in enumerate(texts, 3):
        db.execute("INSERT INTO chunk(id, note, ordinal) VALUES (?, 1, ?)", (number, number))
        db.execute("INSERT INTO chunk_fts(rowid, text) VALUES (?, ?)", (number, text))
    return read_side(db)


def test_the_same_words_in_another_order_are_others() -> None:
    """Tried with many words, because what stands for a word is another number in every process."""
    for number in range(30):
        one = words(f"one{number} two{number}")
        other = words(f"two{number} one{number}")
        assert lines(compare_notes(one, other, ["tea.md"])) == [
            "tea.md: words: differ",
            "tea.md: words: of its chunks differ",
        ]
        assert lines(compare_notes(one, one, ["tea.md"])) == []
        one.db.close()
        other.db.close()


def test_a_letter_that_changed_in_two_chunks_is_found() -> None:
    """FTS5's own check adds both up to one sum, in which such a pair can cancel out."""
    one = words("tea k3v9qa", "tea k3v9qa")
    other = words("tea k3v9qe", "tea k3v9qe")
    assert "tea.md: words: of its chunks differ" in lines(compare_notes(one, other, ["tea.md"]))
    one.db.close()
    other.db.close()


@pytest.mark.parametrize("table", ["task", "note_fts", "chunk"])
def test_a_table_that_cannot_be_read_is_told_and_stops_nothing(
    table: str, sides: tuple[Side, Side]
) -> None:
    live, whole = sides
    live.db.execute("UPDATE tag SET name = 'red' WHERE name = 'green'")
    live.db.execute(f"DROP TABLE {table}")
    found = all_of(live, whole)
    told = [
        line for line in found if line.startswith(f": {table}") and ": cannot be read: " in line
    ]
    assert len(told) == (2 if table != "task" else 1), "once a table, not once a note"
    assert f": table {table}: is missing" in found
    assert "people/joe.md: tag 1: name differs" in found, (
        "what comes later is compared all the same"
    )


def test_what_fts5_itself_finds_wrong_is_told(sides: tuple[Side, Side]) -> None:
    live, whole = sides
    assert lines(compare_whole(live.db, whole.db)) == []
    live.db.execute("UPDATE chunk SET text = 'assam' WHERE text LIKE '%white%'")
    found = lines(compare_whole(live.db, whole.db))
    assert [line.partition(": ")[2].partition(":")[0] for line in found] == ["chunk_fts"]
