"""What a session of a client program was shown and what was captured of it, the trace of its hooks,
and which failed.

A session is a small file in the vault's state folder, named by a hash of the id that the client
gave it: nothing here is in the vault, nothing is readable by others. What a prompt was shown is
written down only after its answer was, so that an answer which came too late counts for nothing.
"""

from __future__ import annotations

import os
import time

from aurelius.settings.places import SESSIONS, VAULT_FOLDER, path_key, vault_state
from indexer.rows.lock import BusyError, Hold, hold

TYPE_CHECKING = False  # as type checkers know it; this is on the path of every prompt
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, Self

    from .hook_answer import HookAnswer

TRACE = "hooks.jsonl"
OLD_TRACE = "hooks.1.jsonl"
"""Names in a vault's state folder."""

FAILED = "hooks-failed.json"
ANSWERED = "hooks-answered"
"""Names in a vault's state folder too: the last failure, and a letter for each of the last events
that were read."""

REFRESHED = "hooks-refreshed"
SECONDS_BETWEEN_REFRESHES = 5.0
"""A file there, whose time tells when a hook last had the index updated, and the seconds in which
no other hook has it updated again."""

TRACE_LETTERS = {"prompt": "=?", "session-start": "+!"}
_MOST_COUNTED = 50
"""The letters of an event that was answered in time and of one that was too late, and how many of
each event count."""

_MOST_PROMPTS = 5
LONG_PROMPT = 2000
"""How many prompts of a session are kept, and how much of each."""

MOST_SHOWN = 4000
"""Lines that a session remembers as shown; the oldest are forgotten first."""

_MOST_SESSION_BYTES = 1 << 20
LARGEST_TRACE = 1_000_000
"""Bytes that are read of a session's file, and after which a new trace is begun."""

_SECONDS_FOR_LOCK = 5.0
"""Seconds to wait for another hook of the same session before something is kept that was written
already."""

OLD = 30 * 86400
"""Seconds after which a session that was not heard of is removed."""


class Session:
    """What is known of one session: the keys of lines shown, and its last prompts.

    `position` is the byte of the transcript up to which its statements were kept, `section` that up
    to which its own section of the day goes; `action` is what the person has still to decide, to be
    shown with the next prompt.
    """

    def __init__(self, state: str, name: str) -> None:
        self.name = name
        self.path = os.path.join(state, SESSIONS, name)
        fields = _object_in(self.path)
        self.shown: dict[str, None] = dict.fromkeys(_texts(fields.get("shown")))
        self.prompts = _texts(fields.get("prompts"))[-_MOST_PROMPTS:]
        self.position = or_empty(fields.get("position"), 0)
        self.section = or_empty(fields.get("section"), 0)
        self.action = or_empty(fields.get("action"), "")

    @classmethod
    def load(cls, state: str, session: str) -> Session:
        """The session of that id; one that cannot be read is new."""
        return cls(state, path_key(session) + ".json")

    def ask(self, prompt: str) -> None:
        """Remember a prompt as the last one, unless it may hold a secret."""
        if not may_be_secret(prompt):
            self.prompts = [*self.prompts, prompt[:LONG_PROMPT]][-_MOST_PROMPTS:]

    def show(self, keys: list[str]) -> None:
        """Remember lines as shown."""
        self.shown = dict.fromkeys([*self.shown, *keys][-MOST_SHOWN:])

    def forget(self) -> None:
        """The client dropped what it was shown: it may be shown again."""
        self.shown = {}

    def text(self) -> str:
        """What is kept of it."""
        import json

        fields = {
            "shown": list(self.shown),
            "prompts": self.prompts,
            "position": self.position,
            "section": self.section,
            "action": self.action,
        }
        filled = {name: value for name, value in fields.items() if value}
        return json.dumps(filled, separators=(",", ":"))

    def amend(self, state: str, shown: list[str], **fields: int | str) -> None:
        """Keep these fields and lines shown, whatever another hook of the session has kept
        meanwhile."""
        with SessionLock(state, self.name.removesuffix(".json"), _SECONDS_FOR_LOCK):
            now = Session(state, self.name)
            for field, value in fields.items():
                setattr(now, field, value)
            now.show(shown)
            now.save()

    def save(self) -> None:
        """Keep it, whole or not at all; never an error."""
        _write_session(self.path, self.text())


def set_by_person(root: str, env: Mapping[str, str]) -> tuple[int, bool, bool]:
    """The milliseconds of a deadline that the person's settings name, 0 for none, whether they ask
    for a trace, and whether their model chooses lines."""
    from aurelius.settings.places import user_file

    try:
        with open(user_file(env), "rb") as file:
            data = file.read(1 << 18)
    except OSError:
        return 0, False, False
    if b"deadline" not in data and b"trace" not in data and b"llm" not in data:
        return 0, False, False
    from aurelius.settings.config import load_config
    from indexer.errors import AureliusError

    try:
        config = load_config(root, env)
    except AureliusError:
        return 0, False, False
    return config.hook_deadline, config.hook_trace, "context" in config.llm_use


class SessionLock:
    """One hook of a session at a time: another one of the same session waits until this one is
    through.

    Nothing is locked where there is no vault, or no session was named.
    """

    def __init__(self, state: str, name: str, wait: float) -> None:
        self._state = state
        self._name = name
        self._wait = wait
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


def state_of(root: str | None, env: Mapping[str, str]) -> str:
    """The state folder of a vault; "" where there is no vault."""
    if root is not None and os.path.isdir(os.path.join(root, VAULT_FOLDER)):
        return vault_state(root, env)
    return ""


def session_in(data: bytes) -> str:
    """The id of the session that JSON speaks of, found without reading the JSON; "" for none."""
    behind = data.partition(b'"session_id"')[2][:288]
    return behind.partition(b'"')[2].partition(b'"')[0].decode("utf-8", "replace")


def name_in(data: bytes) -> str:
    """The name of its file, without the ending; "" for none."""
    if session := session_in(data):
        return path_key(session)
    return ""


def keep_answer(state: str, answer: HookAnswer) -> None:
    """Keep what the session was shown by an answer, and its line of the trace; never an error."""
    if answer.session:
        _write_session(os.path.join(state, SESSIONS, answer.session_file), answer.session)
    if answer.traced:
        trace(state, answer.traced)


def _write_session(path: str, text: str) -> None:
    """Give a session's file this text, whole or not at all; never an error."""
    spare = f"{path}.{os.urandom(4).hex()}"
    try:
        first = not os.path.exists(path)
        _make(os.path.dirname(path))
        handle = os.open(
            spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600
        )
        try:
            os.write(handle, text.encode())
        finally:
            os.close(handle)
        os.replace(spare, path)
    except OSError:
        _unlink(spare)
        return
    if first and os.path.basename(os.path.dirname(path)) == SESSIONS:
        _sweep_sessions(os.path.dirname(path), time.time())


def may_refresh(state: str) -> bool:
    """Whether a hook may have the index made equal to the files: none has in the last seconds, so
    that a busy machine is not kept busier; this one has then."""
    path = os.path.join(state, REFRESHED)
    try:
        if 0 <= time.time() - os.stat(path).st_mtime < SECONDS_BETWEEN_REFRESHES:
            return False
    except OSError:
        pass
    _write_session(path, "")
    return True


def _make(folder: str) -> None:
    """Make a folder of a vault's state folder, and that one where it is missing; nobody else can
    look into either."""
    os.makedirs(os.path.dirname(folder), mode=0o700, exist_ok=True)
    os.makedirs(folder, mode=0o700, exist_ok=True)


def _sweep_sessions(folder: str, now: float) -> None:
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


def kept_in(state: str) -> tuple[int, str]:
    """How many sessions are remembered in a vault's state folder, and the path of the trace, "" for
    none."""
    folder = os.path.join(state, SESSIONS)
    path = os.path.join(state, TRACE)
    names = os.listdir(folder) if os.path.isdir(folder) else []
    count = sum(name.endswith(".json") for name in names)
    return count, path if os.path.exists(path) else ""


def failures(state: str) -> dict[str, dict[str, str]]:
    """The hooks that failed and have not worked since: by "reads" and "writes", what `failed` was
    told."""
    known = {}
    for way, failure in _object_in(os.path.join(state, FAILED)).items():
        if isinstance(failure, dict) and failure.keys() >= {*_TOLD}:
            known[way] = {name: str(failure[name]) for name in _TOLD}
    return known


_TOLD = ("time", "event", "session", "why", "fix")


def failed(state: str, way: str, *told: str) -> None:
    """Remember the last failure of what reads or writes: when, which event, whose session, why,
    what to do."""
    import json

    failure = dict(zip(_TOLD, told, strict=True))
    _write_session(os.path.join(state, FAILED), json.dumps(failures(state) | {way: failure}))


def worked(state: str, way: str) -> None:
    """What reads or writes works again: its last failure is forgotten."""
    path = os.path.join(state, FAILED)
    if not os.path.exists(path):
        return
    import json

    others = failures(state)
    others.pop(way, None)
    if others:
        _write_session(path, json.dumps(others))
    else:
        _unlink(path)


def hook_troubles(state: str) -> list[str]:
    """The last failures, and an opening that came too late, as sentences, a line each, with what to
    do."""
    sentences = []
    starts = _answered(os.path.join(state, ANSWERED), "session-start")
    if starts.endswith(TRACE_LETTERS["session-start"][1]):
        sentences.append(_LATE_START)
    for each in failures(state).values():
        sentence = f"the hook {each['event']} failed at {each['time'].replace('T', ' ')}"
        if each["session"]:
            sentence += f" in session {each['session']}"
        sentence += f": {each['why']}"
        if each["fix"]:
            sentence += f"; {each['fix']}"
        sentences.append(sentence)
    return sentences


_LATE_START = (
    "the last session began without its opening lines, because the hook session-start was too late;"
    " start the daemon, which makes hooks quick: aurelius daemon install, or give hooks more"
    " milliseconds: aurelius config set hook.deadline 1000"
)


def count(state: str, event: str, *, late: bool = False) -> None:
    """Count a prompt or the start of a session as answered in time or too late; never an error."""
    if event in TRACE_LETTERS:
        _append(
            os.path.join(state, ANSWERED), TRACE_LETTERS[event][late], 80 * _MOST_COUNTED, _shorten
        )


def _shorten(path: str) -> None:
    _write_session(path, "".join(_answered(path, event) for event in TRACE_LETTERS))


def _answered(path: str, event: str) -> str:
    """The last letters of an event."""
    try:
        with open(path, encoding="ascii", errors="replace") as file:
            return "".join(
                each for each in file.read(_MOST_SESSION_BYTES) if each in TRACE_LETTERS[event]
            )[-_MOST_COUNTED:]
    except OSError:
        return ""


def late(state: str, event: str = "prompt") -> tuple[int, int]:
    """How many of the last prompts, or starts of sessions, were too late for an answer, and how
    many those are."""
    found = _answered(os.path.join(state, ANSWERED), event)
    return found.count(TRACE_LETTERS[event][1]), len(found)


def trace(state: str, line: str) -> None:
    """Add a line to the trace of hooks, and begin a new file where it grows too large; never an
    error."""
    old = os.path.join(state, OLD_TRACE)
    _append(
        os.path.join(state, TRACE), f"{line}\n", LARGEST_TRACE, lambda path: os.replace(path, old)
    )


def _append(
    path: str,
    text: str,
    most: int,
    shorten: Callable[[str], None],
) -> None:
    """Add text to a file, which is to be shortened where it grows too large; never an error."""
    flags = (
        os.O_WRONLY
        | os.O_APPEND
        | os.O_CREAT
        | getattr(os, "O_NOFOLLOW", 0)
        | getattr(os, "O_BINARY", 0)
    )
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        handle = os.open(path, flags, 0o600)
        try:
            os.write(handle, text.encode("utf-8", "replace"))
            size = os.fstat(handle).st_size
        finally:
            os.close(handle)
        if size > most:
            shorten(path)
    except OSError:
        return


def note_late(
    argv: Sequence[str],
    env: Mapping[str, str],
    cwd: str,
    event: str,
    session: str,
    seconds: float,
) -> None:
    """Count an event that got no answer in so many seconds, and add that to the trace where one is
    wanted."""
    from aurelius.daemon.client import find_root
    from aurelius.settings.config import load_config

    root = find_root(argv, env, cwd)
    state = state_of(root, env)
    if not root or not state:
        return
    count(state, event, late=True)
    if "--trace" in argv or load_config(root, env).hook_trace:
        from indexer.spelling import compact_json

        told = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S"),
            "event": event,
            "session": session[:64],
            "ms": round(1000 * seconds, 1),
            "why": "the deadline passed before there was an answer",
        }
        trace(state, compact_json(told))


def may_be_secret(prompt: str) -> bool:
    """Whether a prompt speaks of a password or the like, or holds what looks like one."""
    if any(
        word in prompt.casefold()
        for word in ("passw", "passphrase", "passcode", "secret", "token", "api key")
    ):
        return True
    if not any(map(str.isdigit, prompt)):
        return False
    from aurelius.language.secret_text import find_secret

    return any(map(find_secret, prompt.splitlines()))


def _object_in(path: str) -> dict[str, Any]:
    """The JSON object in a small file; an empty one where there is none that can be read."""
    import json

    try:
        with open(path, "rb") as file:
            value = json.loads(file.read(_MOST_SESSION_BYTES))
    except (OSError, ValueError, RecursionError):
        value = {}
    known: dict[str, Any] = or_empty(value, {})
    return known


def or_empty(value: Any, empty: Any) -> Any:
    """A value of the kind that was written; the empty one of that kind for any other."""
    if isinstance(value, type(empty)):
        return value
    return empty


def _texts(value: Any) -> list[str]:
    return [each for each in or_empty(value, []) if isinstance(each, str)]
