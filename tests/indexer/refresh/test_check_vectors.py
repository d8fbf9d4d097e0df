"""A sample of stored vectors beside those of model2vec itself."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from indexer.refresh import check_vectors
from indexer.refresh.check_vectors import LEAST, SAMPLE, Sampled, sample, shipped_are_whole
from indexer.refresh.refresh import refresh
from indexer.settings import Settings
from indexer.tokens import embed
from indexer.tokens.embed import DIM


@pytest.fixture(scope="module")
def model() -> Any:
    """model2vec's own model, which takes a while to make."""
    return check_vectors._model()


@pytest.fixture
def index(tmp_path: Path, model: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[apsw.Connection]:
    monkeypatch.setattr(check_vectors, "_model", lambda: model)
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
    monkeypatch.setattr(check_vectors, "SAMPLE", whole // 3)
    assert sample(index).chunks == whole // 3
    index.execute("UPDATE chunk_vec SET v = ? WHERE id > 7000", (b"\x01" * DIM,))
    assert sample(index).wrong, "no chunk near the end was encoded"
    index.execute("UPDATE chunk_vec SET v = (SELECT v FROM chunk_vec old WHERE old.id = chunk_vec.id - 7000) "
                  "WHERE id > 7000")  # fmt: skip
    assert sample(index).wrong == ()
    put(index, 7000 + int(str(before)), bytes(DIM)[1:] + b"\x01")
    monkeypatch.setattr(check_vectors, "SAMPLE", SAMPLE)
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

    monkeypatch.setattr(check_vectors, "_model", missing)
    db = apsw.Connection(":memory:")
    assert sample(db) == Sampled(0, (), f"vectors (model2vec cannot be used: {error})")


def test_shipped_weights_that_changed_by_one_byte_are_not_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    assert shipped_are_whole()
    read = check_vectors._bytes
    for name in embed.SHIPPED[:3]:
        monkeypatch.setattr(
            check_vectors, "_bytes", lambda one, bad=name: read(one)[:-1] + b"\x00" if one == bad else read(one)
        )
        assert not shipped_are_whole(), name
