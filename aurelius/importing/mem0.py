"""mem0: what its plugin writes as Markdown, and the lists of its interface."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from indexer.note import TYPES

from .front_parts import front_parts
from .import_reader import ImportReader
from .imported import Imported, ImportedFact, LeftOut
from .note_parts import StableIds
from .shapes import as_dict, as_line, as_moment, clean_text
from .source_files import FILE_ERRORS, ExportFiles, SourceFile, unreadable

_TITLE = "mem0"
_LISTED = re.compile(rb'"memory"\s*:\s*"')
_OWN = re.compile(rb'"(?:hash|user_id|agent_id|run_id|categories)"\s*:')
_BLOCK = re.compile(r"(?m)^---[ \t]*\n(?=id:[ \t]*\S)")
_MARKDOWN = re.compile(rb"(?m)^---[ \t]*\r?\nid:[ \t]*\S[^\n]*\ncreated_at:[^\n]*\ntype:")
_OTHER_TYPES = {"user_preference": "preference", "task": "plan", "goal": "plan"}


def _claims(export: ExportFiles) -> list[SourceFile]:
    return [each for each in export.files if _is_list(each) or _is_markdown(each)]


def _is_list(file: SourceFile) -> bool:
    head = file.head()
    is_json = file.base.lower().endswith(".json")
    return is_json and bool(_LISTED.search(head) and _OWN.search(head))


def _is_markdown(file: SourceFile) -> bool:
    return file.base.lower().endswith(".md") and bool(_MARKDOWN.search(file.head()))


def _read(_: ExportFiles, files: Sequence[SourceFile]) -> Iterator[Imported]:
    ids = StableIds()
    seen: set[str] = set()
    for file in files:
        try:
            text = clean_text(file.text())
            told: list[dict[str, Any]] | None
            if _is_markdown(file):
                told = _blocks(text)
            else:
                told = _listed(json.loads(text))
        except (*FILE_ERRORS, RecursionError) as error:
            yield unreadable(_TITLE, file.name, error)
            continue
        if told is None:
            yield LeftOut(file.name, "a form of one's own, filled in by a model: it has no source")
        for each in told or ():
            yield _fact(each, ids, seen)


def _blocks(text: str) -> list[dict[str, Any]]:
    """The memories of a Markdown export, each with a head."""
    found = []
    starts = [found.start() for found in _BLOCK.finditer(text)]
    ends = [*starts[1:], len(text)]
    for start, end in zip(starts, ends, strict=True):
        front = front_parts(text[start:end])
        found.append(front.properties | {"memory": front.text})
    return found


def _listed(told: Any) -> list[dict[str, Any]] | None:
    """The memories of a list; None where there is none."""
    inner = as_dict(told)
    found = told
    if not isinstance(told, list):
        found = inner.get("results", inner.get("memories"))
    if isinstance(found, dict):
        found = found.get("results")
    if not isinstance(found, list):
        return None
    return [as_dict(each) for each in found]


def _fact(
    told: dict[str, Any],
    ids: StableIds,
    seen: set[str],
) -> Imported:
    text = as_line(told.get("memory"))
    own = as_line(told.get("id")) or ids.of(text)
    if not text:
        return LeftOut(own, "it is empty")
    if text in seen:
        return LeftOut(own, "it says the same as another")
    seen.add(text)
    metadata = as_dict(told.get("metadata"))
    kind = as_line(told.get("type") or metadata.get("type")).lower()
    kind = _OTHER_TYPES.get(kind, kind)
    if kind not in TYPES:
        kind = ""
    created = as_moment(told.get("created_at"))
    return ImportedFact(own, text, created, type=kind, inferred=True)


MEM0 = ImportReader("mem0", _TITLE, _claims, _read)
