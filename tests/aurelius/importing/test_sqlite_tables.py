from __future__ import annotations

from pathlib import Path

import apsw

from aurelius.importing.source_files import ExportFiles
from aurelius.importing.sqlite_tables import MOST_CELL_BYTES, SqliteTables
from tests.aurelius.importing.reading import database


def read(place: Path, table: str) -> list[dict[str, object]]:
    with ExportFiles(str(place)) as export, SqliteTables(export.files[0]) as tables:
        return list(tables.rows(table))


def test_a_file_with_a_log_is_read_to_its_last_row_and_left_as_it_is(tmp_path: Path) -> None:
    place = tmp_path / "live.db"
    writer = apsw.Connection(str(place))
    writer.execute("PRAGMA journal_mode = wal").fetchall()
    writer.execute("CREATE TABLE t (a); INSERT INTO t VALUES ('x')")
    before = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
    with ExportFiles(str(place)) as export, SqliteTables(export.files[0]) as tables:
        assert list(tables.rows("t")) == [{"a": "x"}]
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == before
    writer.close()


def test_views_are_no_tables_and_odd_names_are_only_names(tmp_path: Path) -> None:
    place = database(
        """CREATE TABLE "a"" b" ("c""; d"); INSERT INTO "a"" b" VALUES (1);
        CREATE VIEW v AS SELECT 1""",
        tmp_path / "odd.db",
    )
    assert read(place, 'a" b') == [{'c"; d': 1}]
    assert read(place, "v") == []
    assert read(place, "none") == []


def test_a_value_that_is_too_long_is_none(tmp_path: Path) -> None:
    place = database(
        f"CREATE TABLE t (a, b); INSERT INTO t VALUES (zeroblob({MOST_CELL_BYTES + 1}), 2)",
        tmp_path / "long.db",
    )
    assert read(place, "t") == [{"a": None, "b": 2}]
