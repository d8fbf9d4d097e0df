"""Claude: conversations, documents of projects, and what it remembers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from .chat_parts import BY_TOOLS, WITHOUT_ID, YOU, branch, newest_leaf, quoted, told_chat
from .import_reader import ImportReader
from .imported import Imported, ImportedFact, ImportedMessage, ImportedNote, LeftOut
from .json_stream import json_values
from .memory_items import listed_statements, statements
from .note_parts import StableIds, as_title
from .shapes import as_dict, as_line, as_moment, clean_text, dicts
from .source_files import ExportFiles, SourceFile

_TITLE = "Claude"
_OWN = re.compile(
    rb'"(?:chat_messages|conversations_memory|project_memories|is_starter_project'
    rb'|prompt_template)"\s*:'
)
_PROSE_LETTERS = 400
"""A paragraph longer than this is prose, of which only lists become facts."""


def _claims(export: ExportFiles) -> list[SourceFile]:
    return [
        each
        for each in export.files
        if each.base.lower().endswith(".json") and _OWN.search(each.head())
    ]


def _read(_: ExportFiles, files: Sequence[SourceFile]) -> Iterator[Imported]:
    ids = StableIds()
    for file in files:
        for value in json_values(file, _TITLE):
            if isinstance(value, LeftOut):
                yield value
            else:
                yield from _told(as_dict(value), ids)


def _told(value: dict[str, Any], ids: StableIds) -> Iterator[Imported]:
    if "chat_messages" in value:
        yield from _conversation(value, ids)
    elif "conversations_memory" in value or "project_memories" in value:
        yield from _memories(value, ids)
    elif "prompt_template" in value or "docs" in value:
        yield from _project(value, ids)
    else:
        yield LeftOut(as_title(value.get("name"), WITHOUT_ID), "it is no conversation")


def _conversation(told: dict[str, Any], ids: StableIds) -> Iterator[Imported]:
    named = told.get("name") or told.get("title")
    title = as_title(named, told.get("uuid"), WITHOUT_ID)
    if told.get("is_temporary") is True:
        yield LeftOut(title, "a temporary chat")
        return
    said = []
    for each in _in_order(dicts(told.get("chat_messages"))):
        made = _said(each)
        if made.text:
            said.append(made)
        elif dicts(each.get("content")):
            yield LeftOut(title, BY_TOOLS)
    created = as_moment(told.get("created_at"))
    own = as_line(told.get("uuid")) or ids.of(title, created)
    updated = as_moment(told.get("updated_at"))
    yield told_chat(
        own,
        named,
        created,
        updated,
        tuple(said),
    )


def _in_order(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The messages of the newest branch, all where none names its parent."""
    if not any(each.get("parent_message_uuid") for each in messages):
        return messages
    every = {as_line(each.get("uuid")): each for each in messages}
    parents = {key: as_line(each.get("parent_message_uuid")) for key, each in every.items()}
    moments = {key: as_moment(each.get("created_at")) for key, each in every.items()}
    last = newest_leaf(parents, moments) or next(reversed(every))
    return [every[key] for key in branch(parents, last)]


def _said(message: dict[str, Any]) -> ImportedMessage:
    content = dicts(message.get("content"))
    texts = [clean_text(each.get("text")) for each in content if each.get("type") == "text"]
    if not content:
        texts = [clean_text(message.get("text"))]
    for each in dicts(message.get("attachments")):
        name = as_line(each.get("file_name"))
        held = clean_text(each.get("extracted_content")).strip()
        parts = (name and f"({name})", held)
        texts.append(quoted("\n\n".join(filter(None, parts))))
    for each in dicts(message.get("files")):
        texts.append(f"(file: {as_title(each.get('file_name'))})")
    stripped = (each.strip() for each in texts)
    text = "\n\n".join(filter(None, stripped))
    speaker = YOU if message.get("sender") == "human" else _TITLE
    at = as_moment(message.get("created_at"))
    return ImportedMessage(speaker, at, text)


def _project(told: dict[str, Any], ids: StableIds) -> Iterator[Imported]:
    name = as_title(told.get("name"))
    if told.get("is_starter_project") is True:
        yield LeftOut(name, "a starter project of Claude")
        return
    folder = re.sub(r"[/\\]", " ", name)
    for each in dicts(told.get("docs")):
        text = clean_text(each.get("content")).strip("\n")
        path = as_line(each.get("filename"))
        title = as_title(re.split(r"[/\\]", path)[-1])
        if not text.strip():
            yield LeftOut(title, "it is empty")
            continue
        own = as_line(each.get("uuid")) or ids.of(name, title)
        created = as_moment(each.get("created_at"))
        title = re.sub(r"\.(?:md|txt)$", "", title)
        yield ImportedNote(
            own,
            title,
            text,
            created,
            folder=folder,
        )
    if template := clean_text(told.get("prompt_template")).strip():
        own = as_line(told.get("uuid")) or ids.of(name)
        created = as_moment(told.get("created_at"))
        updated = as_moment(told.get("updated_at"))
        title = f"{name}: instructions"
        yield ImportedNote(
            id=f"{own}-instructions",
            title=title,
            text=template,
            created=created,
            updated=updated,
            folder=folder,
        )


def _memories(told: dict[str, Any], ids: StableIds) -> Iterator[Imported]:
    yield from _memory("Claude's memory", told.get("conversations_memory"), ids)
    for project, text in as_dict(told.get("project_memories")).items():
        yield from _memory(f"Claude's memory of project {as_line(project)}", text, ids)


def _memory(
    title: str,
    found: object,
    ids: StableIds,
) -> Iterator[Imported]:
    """Each sentence that was remembered; a text of long paragraphs is a note."""
    text = clean_text(found).strip()
    if not text:
        return
    is_prose = any(len(each) > _PROSE_LETTERS for each in text.split("\n"))
    if is_prose:
        yield ImportedNote(ids.of(title), title, text)
    for each in listed_statements(text) if is_prose else statements(text):
        yield ImportedFact(ids.of(each), each, inferred=True)


CLAUDE = ImportReader("claude", _TITLE, _claims, _read)
