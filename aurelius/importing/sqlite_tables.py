"""The rows of tables in other programs' SQLite files, which are never written to."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Self
from urllib.parse import quote

import apsw

if TYPE_CHECKING:
    from collections.abc import Iterator

    from .source_files import SourceFile

MOST_CELL_BYTES = 16 << 20
"""Bytes of one value; a longer one is read as none."""

SQLITE_START = b"SQLite format 3\0"
_MOST_STEPS = 20_000
_STEPS_AT_ONCE = 100_000


class SqliteTables:
    """The tables of a file, open for as long as this is entered.  ValueError where it is damaged,
    else one of FILE_ERRORS.

    A file that another program may have open, with a log beside it, is copied first. No view and
    no trigger is run.
    """

    def __init__(self, file: SourceFile) -> None:
        self._file = file
        self._kept = ExitStack()

    def __enter__(self) -> Self:
        try:
            place = self._place()
            if place == self._file.disk:
                flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
                self._db = apsw.Connection(f"file:{quote(place)}?immutable=1", flags)
            else:
                self._db = apsw.Connection(place, apsw.SQLITE_OPEN_READWRITE)
            self._kept.callback(self._db.close)
            self._db.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
            self._db.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0)
            self._db.config(apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER, 0)
            self._db.config(apsw.SQLITE_DBCONFIG_ENABLE_VIEW, 0)
            steps = iter(range(_MOST_STEPS))
            self._db.set_progress_handler(lambda: next(steps, None) is None, _STEPS_AT_ONCE)
            self._db.execute("PRAGMA query_only = 1")
            self._columns = dict(self._found())
        except apsw.Error as error:
            self._kept.close()
            raise ValueError(str(error)) from error
        except BaseException:
            self._kept.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._kept.close()

    def _place(self) -> str:
        """The file itself, or a copy where it is not one by itself or has a log beside it."""
        disk = self._file.disk
        if disk and not os.path.exists(f"{disk}-wal") and not os.path.exists(f"{disk}-journal"):
            return disk
        folder = self._kept.enter_context(tempfile.TemporaryDirectory())
        copy = os.path.join(folder, "copy.sqlite")
        with self._file.open() as stream, open(copy, "wb") as into:
            shutil.copyfileobj(stream, into, 1 << 20)
        for ending in ("-wal", "-journal"):
            if disk and os.path.exists(disk + ending):
                shutil.copyfile(disk + ending, copy + ending)
        return copy

    def _found(self) -> Iterator[tuple[str, tuple[str, ...]]]:
        every = self._db.execute(
            "SELECT name, sql FROM sqlite_schema WHERE type = 'table'"
        ).fetchall()
        for name, sql in every:
            if str(sql).lower().split()[:2] != ["create", "table"]:
                continue
            told = self._db.execute("SELECT name FROM pragma_table_info(?)", (name,))
            yield str(name), tuple(str(column) for (column,) in told)

    def columns(self, table: str) -> tuple[str, ...]:
        """The columns of a table; () where there is no such table."""
        return self._columns.get(table, ())

    def rows(self, table: str, order: tuple[str, ...] = ()) -> Iterator[dict[str, Any]]:
        """The rows of a table, by its columns, in the order of some of them.  ValueError where
        it is damaged."""
        columns = self.columns(table)
        if not columns:
            return
        told = ", ".join(
            f"iif(octet_length({_quoted(each)}) <= {MOST_CELL_BYTES}, {_quoted(each)}, NULL)"
            for each in columns
        )
        by = ", ".join(_quoted(each) for each in order if each in columns)
        sorting = f" ORDER BY {by}" if by else ""
        try:
            for row in self._db.execute(f"SELECT {told} FROM {_quoted(table)}{sorting}"):
                yield dict(zip(columns, row, strict=True))
        except apsw.Error as error:
            raise ValueError(str(error)) from error


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
