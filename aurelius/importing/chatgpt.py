"""ChatGPT: conversations as trees, of which the branch is read that was gone on with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from .chat_parts import (
    BY_TOOLS,
    WITHOUT_ID,
    YOU,
    branch,
    fenced_code,
    joined_turns,
    newest_leaf,
    told_chat,
)
from .import_reader import ImportReader
from .imported import Imported, ImportedFact, ImportedMessage, LeftOut
from .json_stream import json_values
from .note_parts import StableIds, as_title
from .shapes import as_dict, as_line, as_list, as_moment, clean_text, dicts
from .source_files import ExportFiles, SourceFile

_TITLE = "ChatGPT"
_OWN = re.compile(rb'"mapping"\s*:\s*\{')
_NODES = re.compile(rb'"(?:current_node|message)"\s*:')
_PART = re.compile(r"conversations-\d+\.json")
_TEXTS = frozenset(("text", "multimodal_text", "code", "execution_output"))
_CODE = frozenset(("code", "execution_output"))
_OPEN = frozenset(("", "all", "python"))
"""To whom a message goes that belongs to the conversation; others are calls of tools."""

_MEMORY = "bio"
"""To whom a message goes that ChatGPT is to remember."""


def _claims(export: ExportFiles) -> list[SourceFile]:
    """The lists of conversations, and the damaged ones beside them."""
    found = [each for each in export.files if _is_export(each)]
    folders = {each.name.rpartition("/")[0] for each in found}
    parts = [each for each in export.files if _PART.fullmatch(each.base)]
    found += [each for each in parts if each.name.rpartition("/")[0] in folders]
    return [each for each in export.files if each in found]


def _is_export(file: SourceFile) -> bool:
    if not file.base.lower().endswith(".json"):
        return False
    head = file.head()
    return bool(_OWN.search(head) and _NODES.search(head))


def _read(_: ExportFiles, files: Sequence[SourceFile]) -> Iterator[Imported]:
    ids = StableIds()
    for file in files:
        for value in json_values(file, _TITLE):
            if isinstance(value, LeftOut):
                yield value
                continue
            one = as_dict(value)
            for each in as_list(one.get("conversations")) or [value]:
                yield from _conversation(as_dict(each), ids)


def _conversation(told: dict[str, Any], ids: StableIds) -> Iterator[Imported]:
    nodes = as_dict(told.get("mapping"))
    title = as_title(told.get("title"), told.get("id"), WITHOUT_ID)
    if not nodes:
        yield LeftOut(title, "it is no conversation")
    elif told.get("is_do_not_remember") is True:
        yield LeftOut(title, "marked as not to be remembered")
    elif told.get("is_temporary") is True or told.get("is_temporary_chat") is True:
        yield LeftOut(title, "a temporary chat")
    else:
        yield from _branch(told, nodes, title, ids)


def _branch(
    told: dict[str, Any],
    nodes: dict[str, Any],
    title: str,
    ids: StableIds,
) -> Iterator[Imported]:
    """The conversation, as it stands at its end, with what is left out of it."""
    parents = {key: as_line(as_dict(node).get("parent")) for key, node in nodes.items()}
    moments = {key: _moment(_message_of(node)) for key, node in nodes.items()}
    last = as_line(told.get("current_node")) or newest_leaf(parents, moments)
    if last not in parents:
        yield LeftOut(title, "its current message is not in it")
        return
    said = []
    for key in branch(parents, last):
        made = _said(key, _message_of(nodes[key]), title)
        if isinstance(made, ImportedMessage):
            said.append(made)
        elif made:
            yield made
    own = as_line(told.get("conversation_id")) or as_line(told.get("id"))
    created = as_moment(told.get("create_time"))
    first = said[0].text if said else ""
    own = own or ids.of(title, created, first)
    updated = as_moment(told.get("update_time"))
    yield told_chat(
        own,
        told.get("title"),
        created,
        updated,
        joined_turns(said),
    )


def _message_of(node: Any) -> dict[str, Any]:
    return as_dict(as_dict(node).get("message"))


def _moment(message: dict[str, Any]) -> str:
    return as_moment(message.get("create_time"))


def _said(
    key: str,
    message: dict[str, Any],
    title: str,
) -> Imported | ImportedMessage | None:
    """What a message says; None where it says nothing."""
    content = as_dict(message.get("content"))
    metadata = as_dict(message.get("metadata"))
    text = _text(content, metadata)
    if not message or (not text and content.get("content_type") in _TEXTS):
        return None
    is_hidden = metadata.get("is_visually_hidden_from_conversation") is True
    if is_hidden or message.get("weight") == 0:
        return LeftOut(title, "a hidden message")
    if message.get("recipient") == _MEMORY and not text.lower().startswith("forget"):
        return ImportedFact(
            key,
            as_line(text),
            _moment(message),
            inferred=True,
        )
    if not text or not _is_open(message, content):
        return LeftOut(title, BY_TOOLS)
    return ImportedMessage(_speaker(message), _moment(message), text)


def _is_open(message: dict[str, Any], content: dict[str, Any]) -> bool:
    role = as_dict(message.get("author")).get("role")
    is_output = content.get("content_type") == "execution_output"
    is_told = role in {"user", "assistant"} or (role == "tool" and is_output)
    return is_told and as_line(message.get("recipient")) in _OPEN


def _speaker(message: dict[str, Any]) -> str:
    author = as_dict(message.get("author"))
    if author.get("role") == "user":
        return as_line(author.get("name")) or YOU
    return _TITLE


def _text(content: dict[str, Any], metadata: dict[str, Any]) -> str:
    """What a message says, as Markdown; "" where it is of a kind that is not read."""
    kind = as_line(content.get("content_type"))
    if kind not in _TEXTS:
        return ""
    if kind in _CODE:
        code = clean_text(content.get("text")).strip("\n")
        if not code:
            return ""
        language = as_line(content.get("language"))
        return fenced_code(code, language)
    files = dicts(metadata.get("attachments"))
    shown = [f"(file: {as_line(each.get('name'))})" for each in files]
    texts = []
    images = 0
    for part in as_list(content.get("parts")) or [content.get("text")]:
        one = as_dict(part)
        told = one.get("text") if one else part
        texts.append(clean_text(told).strip())
        images += "asset_pointer" in one
    shown += ["(image)"] * (images - len(shown))
    return "\n\n".join(filter(None, [*texts, *shown]))


CHATGPT = ImportReader("chatgpt", _TITLE, _claims, _read)
