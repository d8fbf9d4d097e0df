"""Basic Memory: notes in Markdown, whose observations are read as facts where they stand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from .front_parts import front_parts
from .import_reader import ImportReader
from .imported import Imported, ImportedNote, LeftOut
from .note_parts import as_property, as_tag, as_title
from .shapes import as_line, as_list, as_moment, clean_text
from .source_files import FILE_ERRORS, ExportFiles, SourceFile, unreadable

_TITLE = "Basic Memory"
_HEAD = re.compile(
    rb"\A(?:\xef\xbb\xbf)?---\r?\n"
    rb"(?=(?:[^\n]*\n){0,60}?title:)(?=(?:[^\n]*\n){0,60}?type:)(?=(?:[^\n]*\n){0,60}?permalink:)"
)
_TAKEN = frozenset(("title", "permalink", "tags", "created", "modified"))


def _claims(export: ExportFiles) -> list[SourceFile]:
    return [
        each
        for each in export.files
        if each.base.lower().endswith(".md") and _HEAD.match(each.head()[:4096])
    ]


def _read(_: ExportFiles, files: Sequence[SourceFile]) -> Iterator[Imported]:
    for file in files:
        try:
            yield from _note(file.name, clean_text(file.text()))
        except FILE_ERRORS as error:
            yield unreadable(_TITLE, file.name, error)


def _note(name: str, whole: str) -> Iterator[Imported]:
    front = front_parts(whole)
    if not front.is_read:
        yield LeftOut(name, "its header cannot be read")
    told = front.properties
    title = as_title(told.get("title"), re.sub(r"\.md$", "", name.rpartition("/")[2]))
    heading = re.compile(rf"\A\s*# {re.escape(title)}[ \t]*(?:\n|\Z)")
    permalink = as_line(told.get("permalink"))
    yield ImportedNote(
        id=permalink or name,
        title=title,
        text=heading.sub("", front.text).strip("\n"),
        created=as_moment(told.get("created")),
        updated=as_moment(told.get("modified")),
        folder=name.rpartition("/")[0],
        tags=tuple(filter(None, map(as_tag, as_list(told.get("tags"))))),
        properties=tuple(_properties(told, permalink)),
    )


def _properties(told: dict[str, Any], permalink: str) -> Iterator[tuple[str, object]]:
    """What else its head tells; the permalink is another name, so that old links lead there."""
    if permalink:
        yield "aliases", [permalink]
    for key, value in told.items():
        name = as_property(key)
        if key in _TAKEN or not name or name == "aliases":
            continue
        if isinstance(value, list):
            yield name, [as_line(each) for each in value]
        elif text := as_line(value):
            yield name, text


BASIC_MEMORY = ImportReader("basic-memory", _TITLE, _claims, _read)
