"""What a session of a client program was shown and what was captured of it, and the trace of its hooks.

A session is a small file in the vault's state folder, named by a hash of the id that the client gave it: nothing
here is in the vault, nothing is readable by others.  What a prompt was shown is written down only after its answer
was, so that an answer which came too late counts for nothing.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress

from aurelius.daemon.client import find_root
from aurelius.settings.places import MARK, SESSIONS, key_of, vault_state
from indexer.rows.lock import BusyError, hold

TYPE_CHECKING = False  # as type checkers know it; this is on the path of every prompt
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from contextlib import AbstractContextManager
    from typing import Any, Self

TRACE, OLD_TRACE = "hooks.jsonl", "hooks.1.jsonl"
"""Names in a vault's state folder."""

PROMPTS, LONG_PROMPT = 5, 2000
"""How many prompts of a session are kept, and how much of each."""

MOST_SHOWN = 4000
"""Lines that a session remembers as shown; the oldest are forgotten first."""

LARGEST, LARGEST_TRACE = 1 << 20, 1_000_000
"""Bytes that are read of a session's file, and after which a new trace is begun."""

OLD = 30 * 86400
"""Seconds after which a session that was not heard of is removed."""


class Session:
    """What is known of one session: the keys of lines shown, its last prompts, up to where it was captured.

    `action` is what the person has still to decide, to be shown with the next prompt; `last` is the session before
    this one in the vault, "" where none is known.
    """

    def __init__(self, folder: str, name: str, found: Mapping[str, Any]) -> None:
        self.folder, self.name = folder, name
        self.shown: dict[str, None] = dict.fromkeys(_texts(found.get("shown")))
        self.prompts = _texts(found.get("prompts"))[-PROMPTS:]
        self.position: int = found["position"] if isinstance(found.get("position"), int) else 0
        self.captured = _texts(found.get("captured"))
        self.action: str = found["action"] if isinstance(found.get("action"), str) else ""

    @classmethod
    def load(cls, state: str, session: str) -> Session:
        """The session of that id; one that cannot be read is new."""
        import json

        folder = os.path.join(state, SESSIONS)
        name = key_of(session) + ".json"
        found = None
        with suppress(OSError, ValueError, RecursionError), open(os.path.join(folder, name), "rb") as file:
            found = json.loads(file.read(LARGEST))
        return cls(folder, name, found if isinstance(found, dict) else {})

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
            "captured": self.captured, "action": self.action,
        }  # fmt: skip
        return json.dumps({name: value for name, value in kept.items() if value}, separators=(",", ":"))

    def save(self) -> None:
        """Keep it, whole or not at all; never an error."""
        keep(self.path, self.text())


class Alone:
    """One hook of a session at a time: another one of the same session waits until this one is through.

    Nothing is locked where no vault is found, or what came names no session.
    """

    def __init__(self, argv: Sequence[str], env: Mapping[str, str], cwd: str, data: bytes, wait: float) -> None:
        self._state, self._name = "", _name_in(data)
        root = find_root(argv, env, cwd) if self._name else None
        if root is not None and os.path.isdir(os.path.join(root, MARK)):
            self._state = vault_state(root, env)
        self._wait = wait
        self._held: AbstractContextManager[str] | None = None

    def __enter__(self) -> Self:
        """Wait for the others; where that cannot be had, go on without."""
        if self._state:
            folder = os.path.join(self._state, SESSIONS)
            try:
                os.makedirs(folder, mode=0o700, exist_ok=True)
                held = hold(folder, f"{self._name}.lock", self._wait)
                held.__enter__()
                self._held = held
            except (OSError, BusyError):
                pass
        return self

    def __exit__(self, *why: object) -> None:
        """Let the next one come."""
        if self._held is not None:
            self._held.__exit__(None, None, None)

    def keep(self, text: str) -> None:
        """Keep what `packed` made, now that the answer was read."""
        session, _, rest = text.partition("\0")
        path, _, kept = session.partition("\n")
        if kept:
            keep(path, kept)
        state, _, line = rest.partition("\n")
        if line:
            trace(state, line)


def _name_in(data: bytes) -> str:
    """A name for the session that JSON speaks of, found without reading the JSON; "" for none."""
    at = data.find(b'"session_id"')
    value = data[at + 12 : at + 300].partition(b'"')[2].partition(b'"')[0] if at >= 0 else b""
    return key_of(value.decode("utf-8", "replace")) if value else ""


def keep(path: str, text: str) -> None:
    """Give a session's file this text, whole or not at all; never an error."""
    spare = f"{path}.{os.urandom(4).hex()}"
    try:
        first = not os.path.exists(path)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        handle = os.open(spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        try:
            os.write(handle, text.encode())
        finally:
            os.close(handle)
        os.replace(spare, path)
    except OSError:
        with suppress(OSError):
            os.unlink(spare)
        return
    if first:
        sweep(os.path.dirname(path), time.time())


def sweep(folder: str, now: float) -> None:
    """Remove the files of sessions that were not heard of for long."""
    with suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            with suppress(OSError):
                if entry.stat(follow_symlinks=False).st_mtime < now - OLD:
                    os.unlink(entry.path)


def trace(state: str, line: str) -> None:
    """Add a line to the trace of hooks, and begin a new file where it grows too large; never an error."""
    path = os.path.join(state, TRACE)
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
    with suppress(OSError):
        os.makedirs(state, mode=0o700, exist_ok=True)
        handle = os.open(path, flags, 0o600)
        try:
            os.write(handle, line.encode("utf-8", "replace") + b"\n")
            size = os.fstat(handle).st_size
        finally:
            os.close(handle)
        if size > LARGEST_TRACE:
            os.replace(path, os.path.join(state, OLD_TRACE))


def _texts(value: Any) -> list[str]:
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []
