"""SpaceBot: typed memories, and which of them took the place of another."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from indexer.note import TYPES

from .import_reader import ImportReader
from .imported import Imported, ImportedFact, LeftOut
from .shapes import as_line, as_moment, as_number, clean_text
from .source_files import FILE_ERRORS, ExportFiles, SourceFile, unreadable
from .sqlite_tables import SQLITE_START, SqliteTables

_TITLE = "SpaceBot"
_OTHER_TYPES = {"goal": "plan", "todo": "plan"}
_SUMMARIES = "working_memory_daily_summaries"


def _claims(export: ExportFiles) -> list[SourceFile]:
    return [each for each in export.files if _is_memory(each)]


def _is_memory(file: SourceFile) -> bool:
    head = file.head()
    return head.startswith(SQLITE_START) and b"memory_type" in head and b"associations" in head


def _read(_: ExportFiles, files: Sequence[SourceFile]) -> Iterator[Imported]:
    for file in files:
        try:
            with SqliteTables(file) as tables:
                yield from _memories(tables)
        except FILE_ERRORS as error:
            yield unreadable(_TITLE, file.name, error)


def _memories(tables: SqliteTables) -> Iterator[Imported]:
    updates = {
        as_line(row.get("source_id")): as_line(row.get("target_id"))
        for row in tables.rows("associations", ("created_at", "id"))
        if as_line(row.get("relation_type")).lower() == "updates"
    }
    past = {*updates.values()}
    for row in tables.rows("memories", ("created_at", "id")):
        yield from _facts(row, updates, past)
    for row in tables.rows(_SUMMARIES, ("day",)):
        yield LeftOut(as_line(row.get("day")), "a summary that the program wrote of a day")


def _facts(
    row: dict[str, Any],
    updates: dict[str, str],
    past: set[str],
) -> Iterator[Imported]:
    """The statements of a memory; merged ones are joined by a blank line."""
    own = as_line(row.get("id"))
    if as_number(row.get("forgotten")):
        yield LeftOut(own, "it was forgotten there")
        return
    kind = as_line(row.get("memory_type")).lower()
    kind = _OTHER_TYPES.get(kind, kind)
    if kind not in TYPES:
        kind = ""
    parts = re.split(r"\n[ \t]*\n", clean_text(row.get("content")))
    texts = [text for text in map(as_line, parts) if text]
    if not texts:
        yield LeftOut(own, "it is empty")
    importance = as_number(row.get("importance"))
    if importance is not None:
        importance = max(0.0, min(importance, 1.0))
    uses = int(max(0, min(as_number(row.get("access_count")) or 0, 1_000_000)))
    fact = ImportedFact(
        own,
        "",
        as_moment(row.get("created_at")),
        type=kind,
        importance=importance,
        inferred=kind == "observation",
        is_past=own in past,
        updates=updates.get(own, ""),
        used=as_moment(row.get("last_accessed_at")) if uses else "",
        uses=uses,
    )
    for number, text in enumerate(texts, 1):
        if number == 1:
            yield fact._replace(text=text)
        else:
            yield fact._replace(id=f"{own}-{number}", text=text, updates="")


SPACEBOT = ImportReader("spacebot", _TITLE, _claims, _read)
