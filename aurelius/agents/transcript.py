"""A client program's transcript as turns: what the person typed, and what the assistant said.

Claude Code writes a JSON object a line and calls much of it `user`: results of tools, reminders,
its own commands and their output, summaries of what was cut, messages of other agents, and what a
hook like ours put in. None of that is a turn; what the person typed while the assistant worked is
one, though it stands elsewhere. Codex writes each turn as an event of its own, beside what goes to
the model. Lines that cannot be read are passed over, and a last one that is still being written is
read the next time.
"""

from __future__ import annotations

import json
import os
import re
import stat
from typing import TYPE_CHECKING, Any, NamedTuple

from .session import or_empty

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    Entry = dict[str, Any]

USER = "user"
ASSISTANT = "assistant"

MOST_TRANSCRIPT_BYTES = 8 << 20
"""Bytes that are read of the end of a transcript."""

MOST_TURN_LETTERS = 100_000
"""Characters of a turn."""

_WRITING_TOOLS = ("Edit", "MultiEdit", "Write", "NotebookEdit")
"""Tools that change a file."""

_CODEX = {
    "UserMessage": USER,
    "AgentMessage": ASSISTANT,
    "user_message": USER,
    "agent_message": ASSISTANT,
}
"""Events of Codex that are turns; before version 0.140 or so, those of the last two names."""

_CODEX_WRITES = ("FileChange", "patch_apply_end")
"""Events of Codex that change files, by their newer and their older name."""

_NOT_TYPED = (
    "isMeta",
    "isSidechain",
    "isCompactSummary",
    "isVisibleInTranscriptOnly",
    "isApiErrorMessage",
)
_WRITTEN_FOR = (
    r"\[Request interrupted by user|Caveat: The messages below|This session is being continued\s"
)
"""What a client says in the person's place, as it begins."""
_OPEN = r"<(memory|[A-Za-z]+(?:[-_][A-Za-z]+)+)(?=[\s>])[^<>]{0,400}>"
_CITED = r"(?<![\w^\\])\^([A-Za-z0-9][A-Za-z0-9-]{2,39})(?![\w-])"


class Turn(NamedTuple):
    """What somebody said: `role` is "user" for the person or "assistant"; `time` and `id` are the
    client's, or ""."""

    role: str
    text: str
    time: str = ""
    id: str = ""


class Transcript(NamedTuple):
    """Part of a transcript: its turns, the byte up to which it was read, and the files that the
    assistant changed."""

    turns: tuple[Turn, ...]
    end: int
    files: tuple[str, ...]


def read_transcript(path: str, *, after: int = 0) -> Transcript:
    """The part of a transcript behind a byte of it; nothing of what is no file."""
    try:
        data, begin = _bytes(os.path.expanduser(path), after)
    except (OSError, ValueError):
        return Transcript((), after, ())
    found: dict[tuple[str, str], Turn] = {}
    files: dict[str, None] = {}
    end = begin
    for raw in data.splitlines(keepends=True):
        entry = _entry(raw)
        if entry is None and not raw.endswith(b"\n"):
            break  # it is still being written
        end += len(raw)
        if entry is None:
            continue
        turn = turn_of(entry)
        if turn is not None and turn.text:
            found[turn.role, turn.id or str(end)] = turn  # one that was written again counts once
        files |= dict.fromkeys(_changed(entry))
    return Transcript(tuple(found.values()), end, tuple(files))


def turns_of_messages(messages: object) -> list[Turn]:
    """The turns of a plain list, as other clients hand it over: `role` and `content` each."""
    turns = []
    for each in or_empty(messages, []):
        message: Entry = or_empty(each, {})
        turn = turn_of({"type": message.get("role"), "message": message})
        if turn is not None and turn.text:
            turns.append(turn)
    return turns


def turn_of(entry: Entry) -> Turn | None:
    """The turn that a line of a transcript is; None for what nobody said to anybody."""
    if any(entry.get(mark) is True for mark in _NOT_TYPED):
        return None
    role = entry.get("type")
    content = _content(entry)
    if event := _event(entry):
        role = _CODEX.get(str(event.get("type")))
        content = event.get("content") or event.get("message")
        entry = {"uuid": event.get("id"), "timestamp": entry.get("timestamp")}
    elif role == "attachment":
        role = USER
        content = _queued(entry)
        entry = {**entry, **_inside(entry, "attachment")}
    text = "\n".join(_texts(content))[:MOST_TURN_LETTERS].strip()
    if role == USER and _inside(entry, "origin").get("kind", "human") == "human":
        text = typed_text(text)
    elif role != ASSISTANT:
        return None
    time = or_empty(entry.get("timestamp"), "")
    return Turn(role, text, time, or_empty(entry.get("uuid"), ""))


def typed_text(text: str) -> str:
    """What the person typed of a prompt: without blocks that a client or a hook put around it; ""
    for none of it."""
    if "<" in text:
        text = _without_blocks(text)
    text = text.strip()
    if re.match(_WRITTEN_FOR, text):
        return ""
    return text


def cited_ids(texts: Iterable[str]) -> list[str]:
    """The ids of facts that texts name as `^id`, each once."""
    names = list[str]()
    for text in texts:
        names += re.findall(_CITED, text)
    return list(dict.fromkeys(names))


def _bytes(path: str, after: int) -> tuple[bytes, int]:
    """The end of a file behind a byte of it, from the beginning of a line on; never waits. OSError
    for no file."""
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError(0, "not a file")
        # a shorter one is another
        begin = after if 0 <= after <= found.st_size else 0
        cut = max(begin, found.st_size - MOST_TRANSCRIPT_BYTES)
        file.seek(cut)
        data = file.read(MOST_TRANSCRIPT_BYTES)
    if cut == begin:
        return data, begin
    rest = data.find(b"\n") + 1 or len(data)
    return data[rest:], cut + rest


def _entry(raw: bytes) -> Entry | None:
    """The object on a line; None for anything else."""
    try:
        entry = json.loads(raw)
    except (ValueError, RecursionError):
        return None
    return entry if isinstance(entry, dict) else None


def _inside(entry: Entry, name: str) -> Entry:
    inside: Entry = or_empty(entry.get(name), {})
    return inside


def _event(entry: Entry) -> Entry:
    """The event of Codex that a line holds: an item that is complete, or as older versions write
    it; {} for none."""
    if entry.get("type") != "event_msg":
        return {}
    event = _inside(entry, "payload")
    if event.get("type") == "item_completed":
        return _inside(event, "item")
    return event


def _content(entry: Entry) -> object:
    return _inside(entry, "message").get("content")


def _queued(entry: Entry) -> object:
    """What the person typed while the assistant worked."""
    held = _inside(entry, "attachment")
    is_prompt = (
        held.get("type") == "queued_command" and held.get("commandMode", "prompt") == "prompt"
    )
    if is_prompt and held.get("isMeta") is not True:
        return held.get("prompt")
    return None


def _texts(content: object) -> Iterator[str]:
    """The texts of a message: a string, or a list of blocks; none of tools, images and thoughts."""
    if isinstance(content, str):
        yield content
    for block in or_empty(content, []):
        if isinstance(block, str):
            yield block
        elif (
            isinstance(block, dict)
            and block.get("type") in ("text", "Text")
            and isinstance(block.get("text"), str)
        ):
            yield block["text"]


def _changed(entry: Entry) -> Iterator[str]:
    """The files that the tools of an assistant's message change."""
    event = _event(entry)
    if event.get("type") in _CODEX_WRITES and event.get("status") == "completed":
        yield from _inside(event, "changes")
    if entry.get("type") != ASSISTANT:
        return
    for each in or_empty(_content(entry), []):
        block: Entry = or_empty(each, {})
        if block.get("type") == "tool_use" and block.get("name") in _WRITING_TOOLS:
            given = _inside(block, "input")
            path = given.get("file_path") or given.get("notebook_path")
            if isinstance(path, str):
                yield path


def _without_blocks(text: str) -> str:
    """A text without what stands between tags with a hyphen in their name, and between those of our
    own fence."""
    kept: list[str] = []
    place = 0
    unclosed: set[str] = set()
    while (found := re.compile(_OPEN).search(text, place)) is not None:
        name = found[1]
        end = -1 if name in unclosed else text.find(f"</{name}>", found.end())
        if end < 0:
            unclosed.add(name)
            kept.append(text[place : found.end()])
            place = found.end()
        else:
            kept.append(text[place : found.start()])
            place = end + len(name) + 3
    return "".join([*kept, text[place:]])
