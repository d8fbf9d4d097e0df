"""koshi: what it remembers, with how often that was of use."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .import_reader import ImportReader
from .imported import Imported, ImportedFact, LeftOut
from .shapes import as_line, as_moment, as_number
from .source_files import FILE_ERRORS, ExportFiles, SourceFile, unreadable
from .sqlite_tables import SQLITE_START, SqliteTables

_TITLE = "koshi"
_TABLE = "memories"
_MOST_SCORE = 1_000_000


def _claims(export: ExportFiles) -> list[SourceFile]:
    return [each for each in export.files if _is_memory(each)]


def _is_memory(file: SourceFile) -> bool:
    head = file.head()
    return head.startswith(SQLITE_START) and b"narrative_id" in head and b"last_hit_at" in head


def _read(_: ExportFiles, files: Sequence[SourceFile]) -> Iterator[Imported]:
    for file in files:
        try:
            with SqliteTables(file) as tables:
                if not {"content", "score"} <= {*tables.columns(_TABLE)}:
                    yield LeftOut(file.name, "it has no table of memories")
                for row in tables.rows(_TABLE, ("id",)):
                    yield _fact(row)
        except FILE_ERRORS as error:
            yield unreadable(_TITLE, file.name, error)


def _fact(row: dict[str, object]) -> Imported:
    own = as_line(row.get("id"))
    text = as_line(row.get("content"))
    if not text:
        return LeftOut(own, "it is empty")
    score = as_number(row.get("score")) or 0
    return ImportedFact(
        own,
        text,
        as_moment(row.get("created_at")),
        score=int(max(-_MOST_SCORE, min(score, _MOST_SCORE))),
        used=as_moment(row.get("last_hit_at")),
    )


KOSHI = ImportReader("koshi", _TITLE, _claims, _read)
