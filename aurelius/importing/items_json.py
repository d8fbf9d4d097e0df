"""Folders with a file `items.json` each: what is known of one thing."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from indexer.note import TYPES

from .import_reader import ImportReader
from .imported import Imported, ImportedFact, LeftOut
from .note_parts import StableIds
from .shapes import as_dict, as_line, as_list, as_moment, as_number
from .source_files import FILE_ERRORS, ExportFiles, SourceFile, unreadable

_TITLE = "items.json"
_FACT = re.compile(rb'"fact"\s*:\s*"')
_OWN = re.compile(rb'"(?:supersededBy|lastAccessed|accessCount|relatedEntities)"\s*:')
_OTHER_TYPES = {"milestone": "event"}
_MOST_USES = 1_000_000


def _claims(export: ExportFiles) -> list[SourceFile]:
    return [each for each in export.files if _is_items(each)]


def _is_items(file: SourceFile) -> bool:
    if not file.base.lower().endswith(".json"):
        return False
    head = file.head()
    return bool(_FACT.search(head) and _OWN.search(head))


def _read(_: ExportFiles, files: Sequence[SourceFile]) -> Iterator[Imported]:
    ids = StableIds()
    for file in files:
        try:
            told = json.loads(file.text())
        except (*FILE_ERRORS, RecursionError) as error:
            yield unreadable(_TITLE, file.name, error)
            continue
        inner = as_dict(told)
        items = as_list(told) or as_list(inner.get("items")) or as_list(inner.get("facts"))
        yield from _facts(items, file.name, ids)


def _facts(items: list[Any], name: str, ids: StableIds) -> Iterator[Imported]:
    folder = name.rpartition("/")[0]
    replaced = {
        as_line(each.get("supersededBy")): as_line(each.get("id")) for each in map(as_dict, items)
    }
    for each in map(as_dict, items):
        text = as_line(each.get("fact"))
        if not text:
            yield LeftOut(name, "it is empty")
            continue
        own = as_line(each.get("id"))
        kind = as_line(each.get("category")).lower()
        kind = _OTHER_TYPES.get(kind, kind)
        if kind not in TYPES:
            kind = ""
        if own:
            new_id = ids.unique(f"{folder}/{own}")
        else:
            new_id = ids.of(folder, text)
        past = each.get("status") == "superseded" or bool(as_line(each.get("supersededBy")))
        before = replaced.get(own, "") if own else ""
        uses = as_number(each.get("accessCount")) or 0
        yield ImportedFact(
            new_id,
            text,
            as_moment(each.get("timestamp")),
            type=kind,
            subject=as_line(folder.rpartition("/")[2]),
            is_past=past,
            updates=f"{folder}/{before}" if before else "",
            used=as_moment(each.get("lastAccessed")),
            uses=int(max(0, min(uses, _MOST_USES))),
        )


ITEMS_JSON = ImportReader("items-json", _TITLE, _claims, _read)
