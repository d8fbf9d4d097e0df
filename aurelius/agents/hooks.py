"""One event of a client program's hooks: JSON in, answer out.

The contract is Claude Code's, which others follow: fields of one JSON object on standard input, and what the model is
to read as `hookSpecificOutput.additionalContext`.  Nothing to say is the normal answer.  What cannot be read is no
event, and what goes wrong is nothing to say: a hook never stands between a person and their agent.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

from .deadline import EVENTS, READING
from .session import Session, trace

if TYPE_CHECKING:
    import datetime
    from collections.abc import Mapping

    from aurelius.vault import Vault
    from indexer.live.live_index import Live

LARGEST = 16 << 20
"""Bytes of an event that are read."""

MOST_TEXT = 9_900
"""Characters of an answer: a client puts a longer one into a file and shows the model only its beginning."""

BUDGET = 800
"""Tokens that a prompt is answered with at most."""


class HookEvent(NamedTuple):
    """One event: its name of EVENTS, the session's id, and what else the client told."""

    name: str
    session: str
    fields: Mapping[str, Any]

    def text(self, field: str) -> str:
        """A field that holds text; "" where it does not."""
        value = self.fields.get(field)
        return value if isinstance(value, str) else ""


class Reply(NamedTuple):
    """What a hook answers: what the model is to read, the lines' keys, and why nothing was said."""

    text: str = ""
    keys: tuple[str, ...] = ()
    why: str = ""


class Hook(NamedTuple):
    """One hook: its event, what came on standard input, and what it may know of the process that it is asked in.

    `later` says that the session is kept by whoever prints the answer, once it is printed.
    """

    event: str
    data: bytes
    vault: str | None
    env: Mapping[str, str]
    cwd: str
    now: datetime.datetime
    zone: datetime.tzinfo | None
    live: Live | None
    trace: bool
    later: bool


def respond(asked: Hook) -> str:
    """What goes to standard output: the answer, and where it is to be kept later, what is to be kept.

    Never an error: what goes wrong is nothing to say.
    """
    began = time.perf_counter()
    try:
        return _respond(asked, began)
    except Exception:  # noqa: BLE001 a hook never stands between a person and their agent
        return ""


def _respond(asked: Hook, began: float) -> str:
    from aurelius.vault import Vault

    event = read(asked.event, asked.data)
    if event is None:
        return ""
    vault = Vault.find(asked.vault, asked.env, asked.cwd, now=asked.now, live=asked.live, zone=asked.zone)
    state = vault.config.state
    session = Session.load(state, event.session)
    said = _tried(vault, event, session)
    line = told(event, said, vault, began) if asked.trace or vault.config.hook_trace else ""
    keeps = bool(event.session) and vault.config.hook_enabled
    if asked.later:
        kept = f"{session.path}\n{session.text()}" if keeps else ""
        return f"{output(event, said)}\0{kept}\0{state}\n{line}"
    if keeps:
        session.save()
    if line:
        trace(state, line)
    return output(event, said)


def _tried(vault: Vault, event: HookEvent, session: Session) -> Reply:
    """What a hook does; what goes wrong there is a reason to say nothing."""
    if not vault.config.hook_enabled:
        return Reply(why="hooks are switched off")
    if event.name not in READING:
        return Reply(why="nothing to write")
    try:
        return answer(vault, event, session)
    except Exception as error:  # noqa: BLE001 as above
        return Reply(why=f"{type(error).__name__}: {error}")
    finally:
        vault.close()


def told(event: HookEvent, said: Reply, vault: Vault, began: float) -> str:
    """A hook as a line of the trace."""
    import json

    fresh = vault.report is not None and vault.report.fresh
    return json.dumps(
        {
            "time": f"{vault.now:%Y-%m-%dT%H:%M:%S}", "event": event.name, "session": event.session[:64],
            "ms": round((time.perf_counter() - began) * 1000, 1), "fresh": fresh, "asked": event.text("prompt")[:400],
            "found": said.keys, "why": said.why,
        },
        ensure_ascii=False, separators=(",", ":"),
    )  # fmt: skip


def read(name: str, data: bytes) -> HookEvent | None:
    """The event that standard input told of; None for what is none."""
    import json

    if len(data) > LARGEST:
        return None
    try:
        fields = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    session = fields.get("session_id")
    return HookEvent(name, session if isinstance(session, str) else "", fields)


def answer(vault: Vault, event: HookEvent, session: Session) -> Reply:
    """What a reading hook says to an event; `session` is told of it, and not kept yet."""
    said = _prompt(vault, event, session) if event.name == "prompt" else _opening(vault, event, session)
    if len(said.text) > MOST_TEXT:
        return Reply(why="the answer was too long")
    session.show(list(said.keys))
    return said


def output(event: HookEvent, said: Reply) -> str:
    """The answer as the client reads it; "" for nothing to say."""
    if not said.text:
        return ""
    import json

    told = {"hookEventName": EVENTS[event.name], "additionalContext": said.text}
    return json.dumps({"hookSpecificOutput": told}, ensure_ascii=False) + "\n"


def _prompt(vault: Vault, event: HookEvent, session: Session) -> Reply:
    """The lines that a prompt needs and this session has not seen."""
    prompt, before = event.text("prompt"), tuple(session.prompts)
    if not prompt.strip():
        return Reply(why="no prompt")
    if not _memory("memory.relevance").asks(prompt):
        return Reply(why="the prompt asks for nothing")
    session.ask(prompt)
    return _said(
        vault, _memory("memory.context").for_prompt(vault, prompt, seen=session.shown, before=before, budget=BUDGET)
    )


def _opening(vault: Vault, event: HookEvent, session: Session) -> Reply:
    """What a session begins with: all of it once more where the client dropped what it was shown."""
    if event.text("source") in {"clear", "compact"}:
        session.forget()
    found = _memory("memory.context").opening(vault, budget=vault.config.hook_opening)
    kept = [part._replace(lines=tuple(line for line in part.lines if line.key not in session.shown))
            for part in found.parts]  # fmt: skip
    return _said(vault, found._replace(parts=tuple(part for part in kept if part.lines)))


def _said(vault: Vault, found: Any) -> Reply:
    """A context as the model is to read it."""
    keys = tuple(line.key for part in found.parts for line in part.lines)
    if not keys:
        return Reply(why="nothing in the notes is close enough")
    return Reply(_memory("show.context").memory(vault, found), keys)


def _memory(name: str) -> Any:
    """A module of the memory, or of what it is shown by."""
    from importlib import import_module

    return import_module(f"aurelius.{name}")
