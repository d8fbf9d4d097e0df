"""Comparison of indexes row for row, and of vectors with model2vec."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from indexer.note import Settings
from indexer.refresh import compare_rows
from indexer.refresh.compare_rows import (
    COUNTED,
    LEAST,
    OWNED,
    SAMPLE,
    Odd,
    Sampled,
    Side,
    counts,
    numbers,
    of_note,
    of_whole,
    of_words,
    readable,
    sample,
    shipped_are_whole,
)
from indexer.refresh.refresh import refresh
from indexer.rows import schema
from indexer.tokens import embed
from indexer.tokens.embed import DIM

LATER = 1_900_000_000.0
NOTES = {
    "people/joe.md": "---\ntags: [friend]\n---\n# Joe\n\n## Facts\n- Lives in Rome ^abcde1\n- Likes [[tea]] #green\n\n"
                     "- [ ] Call him\n",
    "secret.md": "---\nprivate: true\n---\n# Secret\n\nhidden words\n",
    "tea.md": "# Tea\n\nGreen, white and black.\n",
}  # fmt: skip
ALL = ("note", *OWNED, "note_fts_docsize")


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
    return Side(db, numbers(db))


@pytest.fixture
def sides(tmp_path: Path) -> Iterator[tuple[Side, Side]]:
    """The live index, put together in three passes, and one built at once: their rows have other numbers."""
    live = made(tmp_path / "vault", tmp_path / "live", ["tea.md"], ["secret.md"], ["people/joe.md"])
    whole = made(tmp_path / "vault", tmp_path / "made", sorted(NOTES))
    assert live.numbers != whole.numbers
    yield live, whole
    live.db.close()
    whole.db.close()


def all_of(live: Side, whole: Side) -> list[str]:
    """Everything that is told, as text."""
    found = [f"{path}: {odd.part}: {odd.what}" for path in NOTES for odd in of_note(live, whole, path, ALL)]
    paths, lost = of_words(live, whole, NOTES)
    found += [f"{path}: words" for path in sorted(paths)]
    return found + [f"{odd.part}: {odd.what}" for odd in lost] + [
        f"{path}: {odd.part}: {odd.what}" for path, odd in of_whole(live.db, whole.db)
    ]  # fmt: skip


def test_equal_indexes_with_other_row_numbers_are_equal(sides: tuple[Side, Side]) -> None:
    live, whole = sides
    live.db.execute("UPDATE note SET racy = 1 - racy")
    live.db.execute("UPDATE meta SET value = 'other' WHERE key IN ('walk', 'rules', 'generation')")
    assert all_of(live, whole) == []
    assert readable(live.db, whole.db) == (list(ALL), [])


def test_notes_have_numbers_and_private_ones_are_known(sides: tuple[Side, Side]) -> None:
    live, _ = sides
    assert sorted(numbers(live.db)) == sorted(NOTES)
    assert compare_rows.private(live.db) == {"secret.md"}
    live.db.execute("UPDATE note SET private = NULL WHERE path = 'tea.md'")
    assert compare_rows.private(live.db) == {"secret.md", "tea.md"}, "in doubt a note is private"
    live.db.execute("UPDATE note SET path = CAST(x'61ff' AS TEXT) WHERE path = 'tea.md'")
    assert "a\\xff" in numbers(live.db)


def test_rows_are_counted_as_far_as_they_can_be_read(sides: tuple[Side, Side]) -> None:
    live, _ = sides
    found = counts(live.db)
    assert (found["note"], found["fact"], found["link"], found["tag"], found["task"]) == (3, 2, 1, 2, 1)
    assert set(found) == set(COUNTED)
    live.db.execute("DROP TABLE task")
    assert counts(live.db) == {**found, "task": 0}


JOE = "(SELECT id FROM note WHERE path = 'people/joe.md')"


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("UPDATE note SET title = 'Coffee' WHERE path = 'tea.md'", "tea.md: note: title differs"),
        ("UPDATE note SET title = 'x', kind = 'me', date = 'y' WHERE path = 'tea.md'",
         "tea.md: note: kind, title and date differ"),
        ("UPDATE tag SET name = 'red' WHERE name = 'green'", "people/joe.md: tag 1: name differs"),
        ("UPDATE tag SET name = CAST(name AS BLOB) WHERE name = 'green'", "people/joe.md: tag 1: name differs"),
        (f"DELETE FROM link WHERE note = {JOE}", "people/joe.md: link 0: is missing"),
        (f"INSERT INTO fact(note, ordinal, key) VALUES ({JOE}, 9, 'x')", "people/joe.md: fact 9: should not be there"),
        (f"UPDATE note_fts_docsize SET sz = x'010101' WHERE id = {JOE}", "people/joe.md: words: sz differs"),
        ("INSERT INTO task(note, ordinal) VALUES (77, 0), (78, 0)", ": task: 2 rows have no note"),
        ("INSERT INTO chunk_vec VALUES (999, zeroblob(3))", ": chunk_vec: 1 row has no chunk"),
        ("INSERT INTO token_df VALUES (5, 1), (6, 2)", ": token_df: 2 tokens have a wrong count"),
        ("UPDATE note_fts_data SET block = x'04010101' WHERE id = 1",
         ": note_fts: its totals do not match its rows"),
        ("UPDATE meta SET value = 'other' WHERE key = 'parser'", ": meta: parser differs"),
        ("DROP INDEX chunk_note", ": index chunk_note: is missing"),
        ("CREATE TABLE mine(x)", ": table mine: has another definition"),
        ("INSERT INTO chunk_fts(chunk_fts, rank) VALUES ('rank', 'bm25(9)')", ": chunk_fts: has other settings"),
        ("INSERT INTO chunk_fts(rowid, text) VALUES ((SELECT id FROM chunk WHERE text LIKE '%white%'), 'assam')",
         "tea.md: chunk 0: its words in the index are wrong"),
    ],
)  # fmt: skip
def test_each_row_that_differs_is_told_once(sql: str, told: str, sides: tuple[Side, Side]) -> None:
    live, whole = sides
    live.db.execute(sql)
    found = all_of(live, whole)
    assert found.count(told) == 1, found


def test_equal_rows_under_one_number_are_paired_before_others_are_compared(sides: tuple[Side, Side]) -> None:
    """A row that is there twice does not make the right one look wrong."""
    live, whole = sides
    names = (
        "note, ordinal, grain, heading, first, last, context, text, tags, grams, status, type, date, fact, hash, tokens"
    )
    live.db.execute(f"INSERT INTO chunk SELECT 900, {names.replace('fact, ', 'fact, importance, ')} FROM chunk "
                    f"WHERE note = {JOE} AND ordinal = 0")  # fmt: skip
    live.db.execute("UPDATE chunk SET text = 'other' WHERE id = 900")
    assert of_note(live, whole, "people/joe.md", ["chunk"]) == [Odd("chunk 0", "should not be there")]


def test_words_of_a_note_that_are_others_are_found_and_those_of_no_note(sides: tuple[Side, Side]) -> None:
    live, whole = sides
    assert of_words(live, whole, NOTES) == (set(), [])
    live.db.execute(f"INSERT OR REPLACE INTO note_fts(rowid, title, text, grams) VALUES ({JOE}, 'Joe', 'tea', '')")
    live.db.execute("INSERT INTO note_fts(rowid, text) VALUES (77, 'assam'), (78, 'assam')")
    paths, odd = of_words(live, whole, NOTES)
    assert paths == {"people/joe.md"}
    assert odd == [Odd("note_fts", "has words of 2 rows without a note")]


def test_the_same_words_in_another_order_are_others() -> None:
    """Tried with many words, because what stands for a word is another number in every process."""
    for number in range(100):
        sides = []
        for words in (f"one{number} two{number}", f"two{number} one{number}"):
            db = apsw.Connection(":memory:")
            db.execute("CREATE VIRTUAL TABLE note_fts USING fts5(title, text, grams)")
            db.execute("INSERT INTO note_fts(rowid, title, text, grams) VALUES (1, 'a', ?, '')", (words,))
            sides.append(Side(db, {"tea.md": 1}))
        assert of_words(sides[0], sides[1], ["tea.md"]) == ({"tea.md"}, [])
        assert of_words(sides[0], sides[0], ["tea.md"]) == (set(), [])
        for side in sides:
            side.db.close()


@pytest.mark.parametrize("table", ["task", "note_fts", "chunk"])
def test_a_table_that_cannot_be_read_is_told_and_stops_nothing(table: str, sides: tuple[Side, Side]) -> None:
    live, whole = sides
    live.db.execute(f"DROP TABLE {table}")
    good, bad = readable(live.db, whole.db)
    parts = {"note_fts": "note_fts_docsize"}
    assert [odd.part for odd in bad] == [parts.get(table, table)]
    assert bad[0].what.startswith("cannot be read: ")
    assert set(good) == set(ALL) - {parts.get(table, table)}
    told = [odd for _, odd in of_whole(live.db, whole.db)]
    assert Odd(f"table {table}", "is missing") in told or any(table in odd.what for odd in told), told
    of_words(live, whole, NOTES)
    assert [odd.what[:15] for odd in of_note(live, whole, "tea.md", [parts.get(table, table)])] == ["cannot be read:"]


def test_a_letter_that_changed_in_two_chunks_is_found() -> None:
    """FTS5's own check adds both up to one sum, in which such a pair can cancel out."""
    sides = []
    for word in ("k3v9qa", "k3v9qe"):
        db = apsw.Connection(":memory:")
        db.execute("CREATE VIRTUAL TABLE chunk_fts USING fts5(context, text, tags, grams)")
        db.execute("CREATE TABLE chunk(id INTEGER PRIMARY KEY, note, ordinal)")
        for number in (3, 4):
            db.execute("INSERT INTO chunk VALUES (?, 1, ?)", (number, number))
            db.execute("INSERT INTO chunk_fts(rowid, context, text) VALUES (?, '', ?)", (number, f"tea {word}"))
        sides.append(Side(db, {"tea.md": 1}))
    assert of_words(sides[0], sides[1], ["tea.md"], "chunk_fts") == ({"tea.md"}, [])
    assert of_words(sides[0], sides[0], ["tea.md"], "chunk_fts") == (set(), [])
    for side in sides:
        side.db.close()


@pytest.fixture(scope="module")
def model() -> Any:
    """model2vec's own model, which takes a while to make."""
    return compare_rows._model()


@pytest.fixture
def index(tmp_path: Path, model: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[apsw.Connection]:
    monkeypatch.setattr(compare_rows, "_model", lambda: model)
    root = tmp_path / "vault"
    root.mkdir()
    (root / "joe.md").write_text("# Joe\n\n## Facts\n- Likes green tea ^abcde1\n- Lives in Rome ^abcde2\n")
    (root / "odd.md").write_text("# 東京\n\nnaïve 🎉 C++ {}\n")
    (root / "no-word.md").write_text("# ᚠ\n\nᚠᚢᚦ\n")
    made, _ = refresh(Settings(str(root), ""), now=time.time())
    yield made.db
    made.close()


def put(db: apsw.Connection, number: int, vector: bytes) -> None:
    db.execute("UPDATE chunk_vec SET v = ? WHERE id = ?", (vector, number))


def test_right_vectors_are_those_of_model2vec(index: apsw.Connection) -> None:
    found = sample(index)
    assert found == Sampled(int(str(index.execute("SELECT count(*) FROM chunk_vec").get)), (), "")
    assert found.chunks >= 4


def test_a_wrong_vector_is_told_with_its_note_and_chunk(index: apsw.Connection) -> None:
    number, vector = index.execute(
        "SELECT id, v FROM chunk_vec JOIN chunk USING(id) WHERE text LIKE '%Rome%' AND grain = 'fact'"
    ).get
    put(index, number, vector[1:] + vector[:1])
    ((path, ordinal, cosine),) = sample(index).wrong
    assert (path, ordinal) == index.execute(
        "SELECT path, ordinal FROM chunk JOIN note ON note.id = chunk.note WHERE chunk.id = ?", (number,)
    ).get
    assert -1 <= cosine < LEAST
    put(index, number, bytes(DIM))
    assert [each[2] for each in sample(index).wrong] == [0.0], "zeros, though its words have vectors"


def test_a_number_that_is_off_by_one_as_by_another_order_of_sums_is_right(index: apsw.Connection) -> None:
    rows: list[Any] = index.execute("SELECT id, v FROM chunk_vec").fetchall()
    for number, vector in rows:
        numbers = memoryview(vector).cast("b").tolist()
        if any(numbers):
            numbers[3] += 1 if numbers[3] < 127 else -1
            put(index, number, np.array(numbers, np.int8).tobytes())
    assert sample(index).wrong == ()


def test_a_vector_whose_largest_number_is_cut_off_is_right(index: apsw.Connection, model: Any) -> None:
    """One number that is most of a vector is cut off at 127, which costs more than rounding does."""
    encoder = embed.load()
    words = (Path(embed.__file__).parents[1] / "model/vocab.txt").read_text("utf-8").split("\n")
    rows = {word: memoryview(encoder.row(at)).cast("b").tolist() for at, word in enumerate(words) if word.isalpha()}
    shares = {word: row[5] / (sum(each * each for each in row) ** 0.5 or 1) for word, row in rows.items()}
    text = " ".join(sorted(shares, key=lambda word: -shares[word])[:40])
    vector = encoder.vector(encoder.ids(text))
    assert 127 in memoryview(vector).cast("b").tolist(), "otherwise nothing was cut off"
    number = index.execute("SELECT id FROM chunk WHERE grain = 'fact' LIMIT 1").get
    index.execute("UPDATE chunk SET context = '', text = ? WHERE id = ?", (text, number))
    context = str(index.execute("SELECT context FROM chunk WHERE id = ?", (number,)).get)
    put(index, int(str(number)), encoder.vector(encoder.ids(embed.embed_text(context, text))))
    assert sample(index).wrong == ()
    exact = model.encode([embed.embed_text(context, text)], max_length=None)[0].astype(np.float64)
    stored = np.frombuffer(vector, np.int8).astype(np.float64)
    assert exact @ stored / np.linalg.norm(exact) / np.linalg.norm(stored) < LEAST, "uncut, it would be told as wrong"


def test_chunks_from_all_over_a_large_index_are_encoded(
    index: apsw.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not the first ones: each id that is taken is as far from the one before as any other."""
    before = index.execute("SELECT max(id) FROM chunk").get
    for table, columns in (("chunk", "note, ordinal, context, text"), ("chunk_vec", "v")):
        for at in range(1, 8):
            index.execute(f"INSERT INTO {table}(id, {columns}) SELECT id + ?, {columns} FROM {table} WHERE id <= ?",
                          (at * 1000, before))  # fmt: skip
    whole = int(str(index.execute("SELECT count(*) FROM chunk_vec").get))
    monkeypatch.setattr(compare_rows, "SAMPLE", whole // 3)
    assert sample(index).chunks == whole // 3
    index.execute("UPDATE chunk_vec SET v = ? WHERE id > 7000", (b"\x01" * DIM,))
    assert sample(index).wrong, "no chunk near the end was encoded"
    index.execute("UPDATE chunk_vec SET v = (SELECT v FROM chunk_vec old WHERE old.id = chunk_vec.id - 7000) "
                  "WHERE id > 7000")  # fmt: skip
    assert sample(index).wrong == ()
    put(index, 7000 + int(str(before)), bytes(DIM)[1:] + b"\x01")
    monkeypatch.setattr(compare_rows, "SAMPLE", SAMPLE)
    assert sample(index).chunks == whole
    assert len(sample(index).wrong) == 1, "where all fit in, none is left out"


def test_vectors_of_another_length_are_not_judged(index: apsw.Connection) -> None:
    index.execute("UPDATE chunk_vec SET v = zeroblob(3)")
    assert sample(index) == Sampled(0, (), "")
    index.execute("DELETE FROM chunk_vec")
    assert sample(index) == Sampled(0, (), "")


@pytest.mark.parametrize("error", [ImportError("no such package"), ValueError("odd file"), OSError("disk")])
def test_why_nothing_could_be_proved_is_said(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> Any:
        raise error

    monkeypatch.setattr(compare_rows, "_model", missing)
    db = apsw.Connection(":memory:")
    assert sample(db) == Sampled(0, (), f"vectors (model2vec cannot be used: {error})")


def test_shipped_weights_that_changed_by_one_byte_are_not_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shipped_are_whole()
    read = compare_rows._table_bytes
    for name in embed.SHIPPED[:3]:
        monkeypatch.setattr(
            compare_rows, "_table_bytes", lambda one, bad=name: read(one)[:-1] + b"\x00" if one == bad else read(one)
        )
        assert not shipped_are_whole(), name
