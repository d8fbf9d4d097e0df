"""DevClaw: a file for each memory, and a table of them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from indexer.note import TYPES

from .front_parts import front_parts
from .import_reader import ImportReader
from .imported import Imported, ImportedFact, ImportedNote, LeftOut
from .note_parts import as_title
from .shapes import as_line, as_moment, clean_text
from .source_files import FILE_ERRORS, ExportFiles, SourceFile, unreadable
from .sqlite_tables import SQLITE_START, SqliteTables

_TITLE = "DevClaw"
_FOLDERS = r"(?:fact|preference|event|summary)"
_PLACE = re.compile(rf"(?:.*/)?({_FOLDERS}/[^/]+\.md)", re.IGNORECASE)
_HEAD = re.compile(rb"\A\s*---\r?\n(?=(?:.*\n)*?category\s*:)(?=(?:.*\n)*?created_at\s*:)")


def _claims(export: ExportFiles) -> list[SourceFile]:
    """The files of its folders where one has its head, and its tables."""
    placed = [each for each in export.files if _PLACE.fullmatch(each.name)]
    if not any(_HEAD.match(each.head()[:2000]) for each in placed):
        placed = []
    tables = [each for each in export.files if _is_table(each)]
    return placed + tables


def _is_table(file: SourceFile) -> bool:
    head = file.head()
    told = b"category TEXT", b"keywords", b"embedding"
    return head.startswith(SQLITE_START) and all(each in head for each in told)


def _read(_: ExportFiles, files: Sequence[SourceFile]) -> Iterator[Imported]:
    told: set[str] = set()
    for file in files:
        try:
            if not file.head().startswith(SQLITE_START):
                yield from _of_file(file, told)
        except FILE_ERRORS as error:
            yield unreadable(_TITLE, file.name, error)
    for file in files:
        try:
            if file.head().startswith(SQLITE_START):
                yield from _of_table(file, told)
        except FILE_ERRORS as error:
            yield unreadable(_TITLE, file.name, error)


def _of_file(file: SourceFile, told: set[str]) -> Iterator[Imported]:
    front = front_parts(clean_text(file.text()))
    if not front.is_read:
        yield LeftOut(file.name, "its header cannot be read")
    found = _PLACE.fullmatch(file.name)
    own = found[1] if found else file.name
    created = as_moment(front.properties.get("created_at"))
    kind = as_line(front.properties.get("category")) or own.partition("/")[0]
    yield _memory(own, kind.lower(), front.text, created)
    told.add(as_line(front.text))


def _of_table(file: SourceFile, told: set[str]) -> Iterator[Imported]:
    """The rows that no file holds."""
    with SqliteTables(file) as tables:
        for row in tables.rows("memories", ("created_at", "id")):
            text = clean_text(row.get("content"))
            if as_line(text) not in told:
                own = as_line(row.get("id"))
                kind = as_line(row.get("category")).lower()
                created = as_moment(row.get("created_at"))
                yield _memory(own, kind, text, created)


def _memory(
    own: str,
    kind: str,
    text: str,
    created: str,
) -> Imported:
    if not text.strip():
        return LeftOut(own, "it is empty")
    if kind == "summary":
        name = own.rpartition("/")[2]
        title = as_title(re.sub(r"\.md$", "", name))
        return ImportedNote(
            own,
            title,
            text.strip(),
            created,
            folder="summary",
        )
    if kind not in TYPES:
        kind = ""
    return ImportedFact(own, as_line(text), created, type=kind)


DEVCLAW = ImportReader("devclaw", _TITLE, _claims, _read)
