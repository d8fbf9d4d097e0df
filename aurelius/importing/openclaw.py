"""OpenClaw and what it was called before: notes and facts of a workspace, and its conversations."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from .chat_parts import BY_TOOLS, YOU, branch, told_chat
from .import_reader import ImportReader
from .imported import Imported, ImportedFact, ImportedMessage, ImportedNote, LeftOut
from .memory_items import listed_statements
from .note_parts import StableIds, as_title
from .shapes import as_dict, as_line, as_moment, as_number, clean_text, dicts
from .source_files import FILE_ERRORS, ExportFiles, SourceFile, unreadable
from .sqlite_tables import SQLITE_START, SqliteTables

_TITLE = "OpenClaw"
_AGENTS = frozenset(
    (
        "agents.md",
        "tools.md",
        "heartbeat.md",
        "boot.md",
        "bootstrap.md",
        "soul.md",
        "identity.md",
    )
)
"""What the agent is told: no notes of the person, who adopts the folder to keep them."""
_FACTS = frozenset(("memory.md", "user.md"))
_OWN = _AGENTS | _FACTS | {"dreams.md"}
_SURE = frozenset(("soul.md", "agents.md", "identity.md", "user.md"))
_DAY = re.compile(r"(\d{4}-\d\d-\d\d)(?:-[^/]*)?\.md")
_DREAMING = re.compile(r"(?:^|/)memory/(?:dreaming|\.dreams)/")
_DREAMT = re.compile(r"\s*<!--\s*openclaw:dreaming:(\w+):(start|end)\s*-->\s*")
_CANDIDATE = re.compile(r"\s*[-*]\s+Candidate:")
_COMMENT = re.compile(r"[ \t]*<!--\s*(?:trigger|importance|openclaw)[^>\n]{0,500}-->")
_IMPORTANCE = re.compile(r"<!--\s*importance:\s*(\d+(?:\.\d+)?)\s*-->")
_SOURCE = re.compile(r"\s+Source:\s+\S+#L\d+(?:-L?\d+)?\s*$")
_STATE = re.compile(
    r"\s*\((?:observed\s+(\d{4}-\d\d-\d\d))?[,;\s]*(active|superseded)?\)\s*$", re.IGNORECASE
)
_SESSION = re.compile(rb'^\s*\{"type"\s*:\s*"session"\s*,[^\n]*"version"')
_JOB = re.compile(r"\s*\[(?:cron|heartbeat)[:\]]", re.IGNORECASE)
_KNOWN_SCHEMA = 23
_TEN = 10


def _claims(export: ExportFiles) -> list[SourceFile]:
    """The files of workspaces, told by the agent's own ones, and conversations."""
    named: dict[str, set[str]] = {}
    for each in export.files:
        named.setdefault(_folder(each), set()).add(each.base.lower())
    roots = {folder for folder, names in named.items() if _is_root(names)}
    return [each for each in export.files if _is_own(each, roots) or _is_session(each)]


def _is_root(names: set[str]) -> bool:
    return bool(names & _SURE) and len(names & _OWN) > 1


def _folder(file: SourceFile) -> str:
    return file.name.rpartition("/")[0]


def _is_own(file: SourceFile, roots: set[str]) -> bool:
    folder = _folder(file)
    if folder in roots:
        return file.base.lower() in _OWN
    inside = re.sub(r"(?:^|/)memory(?:/.*)?$", "", folder)
    return inside != folder and inside in roots


def _is_session(file: SourceFile) -> bool:
    head = file.head()
    if head.startswith(SQLITE_START):
        return b"transcript_events" in head
    return file.base.lower().endswith(".jsonl") and bool(_SESSION.match(head))


def _read(_: ExportFiles, files: Sequence[SourceFile]) -> Iterator[Imported]:
    ids = StableIds()
    for file in files:
        try:
            if file.head().startswith(SQLITE_START):
                yield from _of_tables(file)
            elif file.base.lower().endswith(".jsonl"):
                yield from _session(file.text().split("\n"), file.name)
            else:
                yield from _of_workspace(file, ids)
        except FILE_ERRORS as error:
            yield unreadable(_TITLE, file.name, error)


def _of_workspace(file: SourceFile, ids: StableIds) -> Iterator[Imported]:
    base = file.base.lower()
    day = _DAY.fullmatch(base)
    if _DREAMING.search(file.name) or base == "dreams.md":
        yield LeftOut(file.name, "written by dreaming")
    elif base in _AGENTS:
        yield LeftOut(file.name, "what the program tells its model")
    elif base in _FACTS or day:
        yield from _note(file, day[1] if day else "", ids)
    else:
        yield LeftOut(file.name, "it is no note of a day")


def _note(file: SourceFile, day: str, ids: StableIds) -> Iterator[Imported]:
    """A file as a note, and the facts of those that hold some."""
    whole = clean_text(file.text())
    kept, dreamt = _without_dreams(whole)
    for _ in range(dreamt):
        yield LeftOut(file.name, "written by dreaming")
    text = _COMMENT.sub("", kept)
    text = re.sub(r"\n{3,}", "\n\n", text).strip("\n")
    own = file.base
    if day:
        own = re.sub(r"^.*?(?=memory/)", "", file.name)
    title = as_title(re.sub(r"\.md$", "", file.base, flags=re.IGNORECASE))
    heading = rf"\A\s*# (?:{re.escape(title)}|{re.escape(file.base)})[ \t]*(?:\n|\Z)"
    text = re.sub(heading, "", text, flags=re.IGNORECASE).strip("\n")
    if not text:
        yield LeftOut(file.name, "it is empty")
        return
    yield ImportedNote(
        ids.unique(own),
        title,
        text,
        day,
        folder="memory" if day else "",
    )
    for line in listed_statements(kept) if file.base.lower() in _FACTS else ():
        yield _fact(line, ids)


def _without_dreams(text: str) -> tuple[str, int]:
    """A text without what dreaming wrote between its marks, and how many such parts there were;
    what has no end is kept."""
    lines = text.split("\n")
    marks = {
        number: found for number, line in enumerate(lines) if (found := _DREAMT.fullmatch(line))
    }
    ends = {found[1]: number for number, found in marks.items() if found[2] == "end"}
    kept: list[str] = []
    dreamt = 0
    inside = ""
    for number, line in enumerate(lines):
        mark = marks.get(number)
        if inside:
            if mark and mark[1] == inside and mark[2] == "end":
                inside = ""
        elif mark and mark[2] == "start" and ends.get(mark[1], -1) > number:
            inside = mark[1]
            dreamt += 1
            if kept and kept[-1].startswith("#"):
                kept.pop()
        elif _CANDIDATE.match(line) or "[score=" in line:
            dreamt += 1
        else:
            kept.append(line)
    return "\n".join(kept), dreamt


def _fact(line: str, ids: StableIds) -> Imported:
    """A line of a list as a fact, with what its comments and brackets tell of it."""
    told = _IMPORTANCE.search(line)
    number = as_number(told[1]) if told else None
    text = _SOURCE.sub("", _COMMENT.sub("", line).strip())
    state = _STATE.search(text)
    day = ""
    past = False
    if state and any(state.groups()):
        text = text[: state.start()]
        day = as_moment(state[1])
        past = (state[2] or "").lower() == "superseded"
    if not text.strip():
        return LeftOut(as_title(line), "it is empty")
    importance = None
    if number is not None:
        importance = min(number / _TEN, 1.0)
    own = ids.of(text)
    return ImportedFact(
        own,
        text.strip(),
        day,
        importance=importance,
        is_past=past,
    )


def _session(lines: Sequence[str], name: str) -> Iterator[Imported]:
    """A conversation from its events, of which each is one JSON text."""
    events = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            events.append(as_dict(json.loads(line)))
        except (ValueError, RecursionError):
            yield LeftOut(f"{name}, line {number}", "it is cut off or damaged")
    start = next((each for each in events if each.get("type") == "session"), {})
    named = [each for each in events if as_line(each.get("id"))]
    named = [each for each in named if each.get("type") != "session"]
    every = {as_line(each["id"]): each for each in named}
    parents = {key: as_line(each.get("parentId")) for key, each in every.items()}
    last = as_line(named[-1]["id"]) if named else ""
    said = []
    stem = re.sub(r"\.jsonl$", "", name.rpartition("/")[2])
    own = as_line(start.get("id")) or as_title(stem)
    for key in branch(parents, last):
        message = as_dict(every[key].get("message"))
        at = as_moment(every[key].get("timestamp"))
        made = _said(message, at)
        if made:
            said.append(made)
        elif message:
            yield LeftOut(own, BY_TOOLS)
    if said and _JOB.match(said[0].text):
        yield LeftOut(own, "a run of the agent's own jobs")
        return
    updated = said[-1].at if said else ""
    created = as_moment(start.get("timestamp"))
    yield told_chat(
        own,
        None,
        created,
        updated,
        tuple(said),
    )


def _said(message: dict[str, Any], at: str) -> ImportedMessage | None:
    """What a message says; None where it is of a tool or a thought."""
    role = message.get("role")
    content = message.get("content")
    texts = [each.get("text") for each in dicts(content) if each.get("type") == "text"]
    if isinstance(content, str):
        texts = [content]
    stripped = (clean_text(each).strip() for each in texts)
    text = "\n\n".join(filter(None, stripped))
    if not text or role not in {"user", "assistant"}:
        return None
    speaker = YOU if role == "user" else _TITLE
    return ImportedMessage(speaker, at, text)


def _of_tables(file: SourceFile) -> Iterator[Imported]:
    """The conversations in a database, by the order of their events."""
    with SqliteTables(file) as tables:
        versions = [as_number(row.get("schema_version")) for row in tables.rows("schema_meta")]
        if any(each and each > _KNOWN_SCHEMA for each in versions):
            yield LeftOut(file.name, "it is of a newer OpenClaw, and read as far as it is known")
        session = ""
        lines: list[str] = []
        for row in tables.rows("transcript_events", ("session_id", "seq")):
            if (own := as_line(row.get("session_id"))) != session:
                if lines:
                    yield from _session(lines, session)
                session = own
                lines = []
            line = _event(row)
            if isinstance(line, LeftOut):
                yield line
            else:
                lines.append(line)
        if lines:
            yield from _session(lines, session)


def _event(row: dict[str, Any]) -> str | LeftOut:
    """The JSON text of an event, which may be packed."""
    if text := clean_text(row.get("event_json")):
        return text.replace("\n", " ")
    return LeftOut(as_line(row.get("session_id")), "an event is packed with zstd")


OPENCLAW_WORKSPACE = ImportReader("openclaw", _TITLE, _claims, _read)
