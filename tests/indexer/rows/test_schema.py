"""The index file: made, found, opened, set aside, swept."""

from __future__ import annotations

import os
import random
from pathlib import Path

import apsw
import pytest

from indexer.rows import schema
from indexer.rows.rows import create_index


@pytest.fixture
def live(tmp_path: Path) -> str:
    """An empty index in a folder that points to it."""
    path = schema.new_file(str(tmp_path))
    index = create_index(str(tmp_path), path)
    schema.settle_database(index.db)
    index.close()
    schema.point_to(str(tmp_path), path)
    return path


def test_the_pointer_names_the_live_file(live: str, tmp_path: Path) -> None:
    assert schema.current_file(str(tmp_path)) == live
    assert sorted(os.listdir(tmp_path)) == [schema.POINTER, os.path.basename(live)]


@pytest.mark.parametrize(
    "content",
    [b"", b"gone.db", b"../index.db", b"/etc/passwd", b"\xff", b".", b"..", b"a\0b", b"x" * 5000],
)
def test_an_odd_pointer_points_nowhere(live: str, tmp_path: Path, content: bytes) -> None:
    (tmp_path / schema.POINTER).write_bytes(content)
    assert schema.current_file(str(tmp_path)) is None


def test_a_database_is_opened_the_way_its_user_needs(live: str) -> None:
    reader, writer = schema.connect(live, write=False), schema.connect(live, write=True)
    assert schema.is_ours(reader)
    assert writer.execute("PRAGMA journal_mode").get == "wal"
    writer.execute("INSERT INTO meta VALUES('a', 'b')")
    assert reader.execute("SELECT value FROM meta WHERE key='a'").get == "b"
    with pytest.raises(apsw.ReadOnlyError):
        reader.execute("DELETE FROM meta")
    reader.close()
    writer.close()


def test_text_stays_text(live: str) -> None:
    """A daily folder called `2026` is no number."""
    writer = schema.connect(live, write=True)
    for value in ("2026", "1e5", "007", "0x1f", "", "1.50"):
        writer.execute("INSERT OR REPLACE INTO meta VALUES('a', ?)", (value,))
        assert writer.execute("SELECT value FROM meta WHERE key='a'").get == value
    writer.close()


@pytest.mark.parametrize(
    ("key", "value"),
    [("schema", 0), ("schema", schema.SCHEMA_VERSION + 1), ("parser", 0), ("parser", "1")],
)
def test_other_versions_are_not_ours(live: str, key: str, value: int | str) -> None:
    writer = schema.connect(live, write=True)
    writer.execute("UPDATE meta SET value=? WHERE key=?", (value, key))
    assert not schema.is_ours(writer)
    writer.close()


def test_other_programs_databases_are_not_ours(tmp_path: Path) -> None:
    db = apsw.Connection(str(tmp_path / "other.db"))
    db.execute("CREATE TABLE bookmarks(id)")
    with pytest.raises(schema.UNSOUND):
        schema.is_ours(db)
    db.close()


def test_what_is_no_database_is_said_and_let_go(tmp_path: Path) -> None:
    (tmp_path / "index.db").write_bytes(b"garbage" * 2000)
    for write in (False, True):
        with pytest.raises(schema.UNSOUND):
            schema.connect(str(tmp_path / "index.db"), write=write)
    with pytest.raises(apsw.CantOpenError):
        schema.connect(str(tmp_path / "none.db"), write=False)
    assert not (tmp_path / "none.db").exists()


def test_names_with_odd_characters_are_opened_immutable_too(tmp_path: Path) -> None:
    folder = tmp_path / "a?b#c%20 d"
    folder.mkdir()
    path = schema.new_file(str(folder))
    create_index(str(folder), path).close()
    reader = schema.connect(path, write=False)
    assert schema.is_ours(reader)
    reader.close()


def test_leftovers_are_swept_and_the_live_file_stays(live: str, tmp_path: Path) -> None:
    for name in (
        "index-00000000.db",
        "index-00000000.db-wal",
        "index-00000000.db-journal",
        "current.123",
        "lock",
        "build.lock",
        "corrupt-1.db",
        "somebody.txt",
    ):
        (tmp_path / name).touch()
    assert sorted(schema.strays(str(tmp_path))) == [
        "current.123",
        "index-00000000.db",
        "index-00000000.db-journal",
        "index-00000000.db-wal",
    ]
    schema.sweep_folder(str(tmp_path))
    kept = ["build.lock", schema.POINTER, os.path.basename(live), "lock", "somebody.txt"]
    assert sorted(os.listdir(tmp_path)) == sorted([*kept, "corrupt-1.db"])
    schema.sweep_folder(str(tmp_path), aside=True)
    assert sorted(os.listdir(tmp_path)) == sorted(kept)
    assert schema.current_file(str(tmp_path)) == live


def test_one_bad_database_is_kept_aside(live: str, tmp_path: Path) -> None:
    (tmp_path / "corrupt-1.db").touch()
    for suffix in ("-wal", "-shm"):
        Path(live + suffix).touch()
    assert schema.set_aside(live, "2") == f"the old file is {tmp_path / 'corrupt-2.db'}"
    assert sorted(os.listdir(tmp_path)) == ["corrupt-2.db", schema.POINTER]
    assert schema.current_file(str(tmp_path)) is None


def test_vectors_without_sqlite_vec_give_the_same_numbers(dice: random.Random) -> None:
    """The functions are registered from Python where extensions cannot be loaded."""
    there, here = apsw.Connection(":memory:"), apsw.Connection(":memory:")
    schema.load_vectors(there)
    schema.register_vectors(here)
    pairs = [(dice.randbytes(256), dice.randbytes(256)) for _ in range(200)]
    pairs += [
        (bytes(256), bytes(256)),
        (b"\x7f" * 256, b"\x81" * 256),
        (b"\x80" * 256, b"\x7f" * 256),
    ]
    for pair in pairs:
        sql = "SELECT vec_distance_l2(vec_int8(?), vec_int8(?))"
        assert here.execute(sql, pair).get == there.execute(sql, pair).get
    there.close()
    here.close()


def test_numbers_as_sqlite_packs_them() -> None:
    assert schema.varints(bytes([0, 5, 0x7F])) == [0, 5, 127]
    assert schema.varints(bytes([0x81, 0x00, 3, 0xFF, 0x7F, 0x81, 0x80, 0x00])) == [
        128,
        3,
        16383,
        16384,
    ]
