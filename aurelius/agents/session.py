"""What a session of a client program was shown and what was captured of it, and the trace of its hooks.

A session is a small file in the vault's state folder, named by a hash of the id that the client gave it: nothing
here is in the vault, nothing is readable by others.  What a prompt was shown is written down only after its answer
was, so that an answer which came too late counts for nothing.
"""

from __future__ import annotations

import os
import time

from aurelius.settings.places import MARK, SESSIONS, key_of, vault_state
from indexer.rows.lock import BusyError, Hold, hold

TYPE_CHECKING = False  # as type checkers know it; this is on the path of every prompt
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Self

TRACE, OLD_TRACE = "hooks.jsonl", "hooks.1.jsonl"
"""Names in a vault's state folder."""

PROMPTS, LONG_PROMPT = 5, 2000
"""How many prompts of a session are kept, and how much of each."""

MOST_SHOWN = 4000
"""Lines that a session remembers as shown; the oldest are forgotten first."""

LARGEST, LARGEST_TRACE = 1 << 20, 1_000_000
"""Bytes that are read of a session's file, and after which a new trace is begun."""

WAIT = 5.0
"""Seconds to wait for another hook of the same session before something is kept that was written already."""

OLD = 30 * 86400
"""Seconds after which a session that was not heard of is removed."""


class Session:
    """What is known of one session: the keys of lines shown, and its last prompts.

    `position` is the byte of the transcript up to which its statements were kept, `section` that up to which its own
    section of the day goes; `action` is what the person has still to decide, to be shown with the next prompt.
    """

    def __init__(self, state: str, name: str) -> None:
        self.folder, self.name = os.path.join(state, SESSIONS), name
        found = self._found()
        self.shown: dict[str, None] = dict.fromkeys(_texts(found.get("shown")))
        self.prompts = _texts(found.get("prompts"))[-PROMPTS:]
        self.position: int = found["position"] if isinstance(found.get("position"), int) else 0
        self.section: int = found["section"] if isinstance(found.get("section"), int) else 0
        self.action: str = found["action"] if isinstance(found.get("action"), str) else ""

    @classmethod
    def load(cls, state: str, session: str) -> Session:
        """The session of that id; one that cannot be read is new."""
        return cls(state, key_of(session) + ".json")

    def _found(self) -> Mapping[str, Any]:
        import json

        try:
            with open(self.path, "rb") as file:
                found = json.loads(file.read(LARGEST))
        except (OSError, ValueError, RecursionError):
            return {}
        return found if isinstance(found, dict) else {}

    @property
    def path(self) -> str:
        """Where it is kept."""
        return os.path.join(self.folder, self.name)

    def ask(self, prompt: str) -> None:
        """Remember a prompt as the last one."""
        self.prompts = [*self.prompts, prompt[:LONG_PROMPT]][-PROMPTS:]

    def show(self, keys: list[str]) -> None:
        """Remember lines as shown."""
        self.shown = dict.fromkeys([*self.shown, *keys][-MOST_SHOWN:])

    def forget(self) -> None:
        """The client dropped what it was shown: it may be shown again."""
        self.shown = {}

    def text(self) -> str:
        """What is kept of it."""
        import json

        kept = {
            "shown": list(self.shown), "prompts": self.prompts, "position": self.position,
            "section": self.section, "action": self.action,
        }  # fmt: skip
        return json.dumps({name: value for name, value in kept.items() if value}, separators=(",", ":"))

    def amend(self, state: str, shown: list[str], **fields: int | str) -> None:
        """Keep these fields and lines shown, whatever another hook of the session has kept meanwhile."""
        with Alone(state, self.name.removesuffix(".json"), WAIT):
            now = Session(state, self.name)
            for field, value in fields.items():
                setattr(now, field, value)
            now.show(shown)
            now.save()

    def save(self) -> None:
        """Keep it, whole or not at all; never an error."""
        keep(self.path, self.text())


class Alone:
    """One hook of a session at a time: another one of the same session waits until this one is through.

    Nothing is locked where there is no vault, or no session was named.
    """

    def __init__(self, state: str, name: str, wait: float) -> None:
        self._state, self._name, self._wait = state, name, wait
        self._held: Hold | None = None

    def __enter__(self) -> Self:
        """Wait for the others; where that cannot be had, go on without."""
        if self._state and self._name:
            folder = os.path.join(self._state, SESSIONS)
            try:
                _make(folder)
                held = hold(folder, f"{self._name}.lock", self._wait)
                held.__enter__()
                self._held = held
            except (OSError, BusyError):
                pass
        return self

    @property
    def held(self) -> bool:
        """Whether nobody else can be at it."""
        return self._held is not None

    def __exit__(self, *why: object) -> None:
        """Let the next one come."""
        if self._held is not None:
            self._held.__exit__(None, None, None)

    def keep(self, session: str, traced: str) -> None:
        """Keep a session, "path, line end, text", and a line of the trace, "state folder, line end, line"."""
        path, _, kept = session.partition("\n")
        if kept:
            keep(path, kept)
        state, _, line = traced.partition("\n")
        if line:
            trace(state, line)


def state_of(root: str | None, env: Mapping[str, str]) -> str:
    """The state folder of a vault; "" where there is no vault."""
    return vault_state(root, env) if root is not None and os.path.isdir(os.path.join(root, MARK)) else ""


def name_in(data: bytes) -> str:
    """The name of the session that JSON speaks of, found without reading the JSON; "" for none."""
    at = data.find(b'"session_id"')
    value = data[at + 12 : at + 300].partition(b'"')[2].partition(b'"')[0] if at >= 0 else b""
    return key_of(value.decode("utf-8", "replace")) if value else ""


def keep(path: str, text: str) -> None:
    """Give a session's file this text, whole or not at all; never an error."""
    spare = f"{path}.{os.urandom(4).hex()}"
    try:
        first = not os.path.exists(path)
        _make(os.path.dirname(path))
        handle = os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        try:
            os.write(handle, text.encode())
        finally:
            os.close(handle)
        os.replace(spare, path)
    except OSError:
        _unlink(spare)
        return
    if first:
        sweep(os.path.dirname(path), time.time())


def _make(folder: str) -> None:
    """Make a folder of a vault's state folder, and that one where it is missing; nobody else can look into either."""
    os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
    os.makedirs(folder, mode=0o700, exist_ok=True)


def sweep(folder: str, now: float) -> None:
    """Remove the files of sessions that were not heard of for long."""
    try:
        for name in os.listdir(folder):
            path = os.path.join(folder, name)
            if os.lstat(path).st_mtime < now - OLD:
                _unlink(path)
    except OSError:  # another hook does the same
        return


def _unlink(path: str) -> None:
    try:  # noqa: SIM105 contextlib would have to be imported
        os.unlink(path)
    except OSError:
        pass


def kept_in(state: str) -> list[str]:
    """What is kept of hooks in a vault's state folder, a line each."""
    folder, path = os.path.join(state, SESSIONS), os.path.join(state, TRACE)
    count = sum(name.endswith(".json") for name in os.listdir(folder)) if os.path.isdir(folder) else 0
    remembered = f"sessions remembered for 30 days: {count}, in {folder}" if count else "no session is remembered"
    return [remembered, f"the trace is in {path}" if os.path.exists(path) else "nothing is traced yet"]


def trace(state: str, line: str) -> None:
    """Add a line to the trace of hooks, and begin a new file where it grows too large; never an error."""
    path = os.path.join(state, TRACE)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    try:
        os.makedirs(state, mode=0o700, exist_ok=True)
        handle = os.open(path, flags, 0o600)
        try:
            os.write(handle, line.encode("utf-8", "replace") + b"\n")
            size = os.fstat(handle).st_size
        finally:
            os.close(handle)
        if size > LARGEST_TRACE:
            os.replace(path, os.path.join(state, OLD_TRACE))
    except OSError:
        return


def trace_late(state: str, event: str) -> None:
    """Add to the trace that an event was given up."""
    if state:
        now = time.strftime("%Y-%m-%dT%H:%M:%S")
        trace(state, f'{{"time":"{now}","event":"{event}","why":"the deadline passed before there was an answer"}}')


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
