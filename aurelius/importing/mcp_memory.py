"""The memory server of the Model Context Protocol: things, what is observed of them, and how they
are related."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from .import_reader import ImportReader
from .imported import Imported, ImportedFact, LeftOut
from .note_parts import StableIds
from .shapes import as_dict, as_line, as_list, as_moment, clean_text, dicts
from .source_files import FILE_ERRORS, ExportFiles, SourceFile, unreadable

_TITLE = "MCP memory"
_LINE = re.compile(rb'"type"\s*:\s*"(?:entity|relation)"')
_NAMED = re.compile(rb'"(?:entityName|name|from|from_id)"\s*:')
_WHOLE = re.compile(rb'^\s*\{\s*"(?:entities|relations)"\s*:\s*\[')
_RELATION = frozenset(("from", "from_id", "relationType", "relation_type"))


def _claims(export: ExportFiles) -> list[SourceFile]:
    return [each for each in export.files if _is_memory(each)]


def _is_memory(file: SourceFile) -> bool:
    if not file.base.lower().endswith((".json", ".jsonl")):
        return False
    head = file.head()
    return bool((_LINE.search(head) or _WHOLE.search(head)) and _NAMED.search(head))


def _read(_: ExportFiles, files: Sequence[SourceFile]) -> Iterator[Imported]:
    seen: set[tuple[str, ...]] = set()
    ids = StableIds()
    for file in files:
        try:
            text = file.text()
        except FILE_ERRORS as error:
            yield unreadable(_TITLE, file.name, error)
            continue
        for value in _values(text, file.name):
            for made in _told(value, file.name, ids):
                key: tuple[str, ...] = ()
                if isinstance(made, ImportedFact):
                    key = (made.subject, made.text)
                if not key or key not in seen:
                    yield made
                seen.add(key)


def _values(text: str, name: str) -> Iterator[Any]:
    """The things and relations in a text, whichever way it is written."""
    whole = _json(text)
    if isinstance(whole, dict) and not whole.keys() & {"entities", "relations"}:
        whole = [whole]
    if isinstance(whole, dict):
        yield from as_list(whole.get("entities"))
        yield from as_list(whole.get("relations"))
    elif isinstance(whole, list):
        yield from whole
    else:
        for number, line in enumerate(text.split("\n"), 1):
            if not line.strip():
                continue
            value = _json(line)
            if value is None:
                value = LeftOut(f"{name}, line {number}", "not JSON")
            yield value


def _json(text: str) -> Any:
    """The value of a JSON text; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _told(value: Any, name: str, ids: StableIds) -> Iterator[Imported]:
    told = as_dict(value)
    if isinstance(value, LeftOut):
        yield value
    elif _RELATION & told.keys():
        yield from _relation(told, name, ids)
    elif subject := as_line(told.get("name")) or as_line(told.get("entityName")):
        yield from _observations(told, subject, ids)
    else:
        yield LeftOut(name, "neither an entity nor a relation")


def _relation(told: dict[str, Any], name: str, ids: StableIds) -> Iterator[Imported]:
    start = as_line(told.get("from")) or as_line(told.get("from_id"))
    end = as_line(told.get("to")) or as_line(told.get("to_id"))
    kind = as_line(told.get("relationType")) or as_line(told.get("relation_type"))
    if not (start and end and kind):
        yield LeftOut(name, "a relation of which a part is missing")
        return
    words = re.sub(r"[_-]+", " ", kind)
    own = ids.of(start, kind, end)
    yield ImportedFact(own, f"{words} {end}", type="relationship", subject=start)


def _observations(told: dict[str, Any], subject: str, ids: StableIds) -> Iterator[Imported]:
    found = told.get("observations")
    observations = found if isinstance(found, list) else [found]
    given = 0
    for each in observations:
        one = as_dict(each)
        content = one.get("content") if one else each
        text = as_line(clean_text(content))
        if text:
            given += 1
            created = as_moment(one.get("timestamp") or one.get("created_at"))
            yield ImportedFact(
                ids.of(subject, text),
                text,
                created,
                subject=subject,
            )
    if not given and not dicts(found):
        yield LeftOut(subject, "nothing is observed of it")


MCP_MEMORY = ImportReader("mcp-memory", _TITLE, _claims, _read)
