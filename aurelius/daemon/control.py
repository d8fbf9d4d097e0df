"""Control of the daemon from outside: start it detached, find out whether one runs and how it does,
stop it.

Whether one runs is what the operating system says of its lock, never what a file says:
a dead process leaves its files behind.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.errors import AureliusError

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Mapping

    from .loop import DaemonState

START_LOG = "start.log"
"""File in the daemon's folder that says why a daemon without a terminal could not run."""

START_SECONDS = 15.0
STOP_SECONDS = 10.0
"""Seconds that a daemon may take until it answers, and until it has stopped."""

STILL_SECONDS = 60.0
"""Seconds without a turn of the loop, after which it hangs or is in a very long pass."""

SECONDS_TO_ANSWER = 2.0
"""Seconds that a running daemon may not answer before that is reported: a busy machine is slow."""

SECONDS_A_POLL = 0.05


class DaemonProcess(NamedTuple):
    """The daemon of a vault as seen from outside: its folder, its process and its state.

    `folder` holds its lock, socket and log; `holder` is the pid of the one that runs, 0 where it
    did not tell it yet, or None; `state` is what that one tells, or None where it does not answer.
    """

    root: str
    folder: str
    holder: int | None
    state: DaemonState | None


def daemon_state(
    root: str, env: Mapping[str, str], *, patience: float = SECONDS_TO_ANSWER
) -> DaemonProcess:
    """The daemon of the vault at `root` as it is now; one that holds the lock has `patience`
    seconds to answer."""
    from aurelius.settings.places import daemon_folder

    from .client import control_daemon
    from .loop import lock_holder

    folder = daemon_folder(root, env)
    deadline = time.monotonic() + patience
    while (holder := lock_holder(folder)) is not None:
        answer = control_daemon(folder, "status")
        if answer is not None:
            return DaemonProcess(root, folder, holder, _state(answer))
        if time.monotonic() >= deadline:
            break
        time.sleep(SECONDS_A_POLL)
    return DaemonProcess(root, folder, holder, None)


def _state(answer: bytes) -> DaemonState | None:
    """The state that a daemon of any version reported: fields that it left out are 0 or empty."""
    import json
    from typing import get_type_hints

    from .loop import DaemonState

    kinds = get_type_hints(DaemonState)
    try:
        told = dict(json.loads(answer))
    except (ValueError, TypeError):
        return None
    fields: dict[str, Any] = {}
    for name, kind in kinds.items():
        value = told.get(name)
        is_known = isinstance(value, kind) or (kind is float and isinstance(value, int))
        fields[name] = value if is_known else kind()
    return DaemonState(**fields)


def problems(found: DaemonProcess, now: float) -> tuple[str, ...]:
    """Problems of a running daemon, each with what to do; none where no daemon runs."""
    if found.holder is None:
        return ()
    state = found.state
    if state is None:
        return (
            f"{_who(found.holder)} does not answer: `aurelius daemon stop`, then start it again",
        )
    lines = []
    if state.paused:
        lines.append(f"paused: {state.paused}")
    if state.watching != "native":
        lines.append(": ".join(filter(None, ("scanning instead of watching", state.why))))
    elif state.why:
        lines.append(state.why)
    if now - state.beat > STILL_SECONDS:
        lines.append(
            f"it has not responded for {now - state.beat:.0f} s; its log is"
            f" {os.path.join(found.folder, 'log')}; to end it: `aurelius daemon stop`"
        )
    if other := other_version(state):
        lines.append(f"{other}: `aurelius daemon stop`, then start it again")
    return tuple(lines)


def in_short(found: DaemonProcess) -> str:
    """Whether a daemon runs, in a few words."""
    if found.holder is None:
        return "not running"
    if found.state is None:
        return f"{_who(found.holder)} does not answer"
    running = f"running, pid {found.state.pid}, version {found.state.version}"
    if other := other_version(found.state):
        running += f"; {other}: restart it"
    return running


def _who(holder: int | None) -> str:
    if holder:
        return f"the daemon (pid {holder})"
    return "a daemon (pid unknown)"


def other_version(state: DaemonState) -> str:
    """A message that the daemon's version is not the one installed; "" where it is."""
    from aurelius import __version__

    if state.version == __version__:
        return ""
    return f"it is version {state.version}, and {__version__} is installed"


# -- start -----------------------------------------------------------------------------


def daemon_command(root: str) -> list[str]:
    """The words that run the daemon of a vault; -P, so that no file in a working directory stands
    in for a module."""
    return [sys.executable, "-P", "-m", "aurelius", "daemon", "run", "--quiet", "--vault", root]


def search_path(env: Mapping[str, str]) -> str:
    """The PYTHONPATH with which `daemon_command` finds this Aurelius; "" where it is installed."""
    import sysconfig

    home = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    installed = {os.path.realpath(sysconfig.get_path(name)) for name in ("purelib", "platlib")}
    if os.path.realpath(home) in installed:
        return ""
    parts = env.get("PYTHONPATH", "").split(os.pathsep)
    return os.pathsep.join(
        [home, *(part for part in parts if part and os.path.isabs(part) and part != home)]
    )


def start_daemon(
    root: str, env: Mapping[str, str], *, wait: float = START_SECONDS
) -> tuple[DaemonProcess, bool]:
    """A daemon that answers and has looked at the vault once, and whether this call started it.

    AureliusError, with what it said last, where it dies or does not answer within `wait` seconds.
    """
    found = daemon_state(root, env)
    if found.state is not None:
        return found, False
    process = _spawn(found, env) if found.holder is None else None
    deadline = time.monotonic() + wait
    while time.monotonic() < deadline:
        ended = process is not None and process.poll() is not None
        found = daemon_state(root, env, patience=0)
        if _has_looked(found.state) or (ended and found.holder is None):
            break
        time.sleep(SECONDS_A_POLL)
    began = process is not None and _is_it(process, found.state)
    if found.state is not None:
        return found, began
    if found.holder is None and not began:
        raise AureliusError("the daemon stopped right after it started", _last_words(found.folder))
    raise AureliusError(
        f"{_who(found.holder)} is running but does not answer",
        f"its log is {os.path.join(found.folder, 'log')}; to end it: `aurelius daemon stop`",
    )


def _has_looked(state: DaemonState | None) -> bool:
    """Whether a daemon answers whose first pass is over, or can be none."""
    return state is not None and bool(state.generation or state.paused)


def _is_it(process: subprocess.Popen[bytes], state: DaemonState | None) -> bool:
    """Whether the process is the daemon that answers, or may become it; one that came second is
    about to end."""
    import subprocess

    # on Windows it may be the starter of another one
    if state is not None and state.pid != process.pid and os.name != "nt":
        with suppress(subprocess.TimeoutExpired):
            process.wait(SECONDS_TO_ANSWER)
    if process.poll() is not None:
        return False
    process.returncode = 0  # it outlives this process, which is not to wait for it
    return True


def _spawn(found: DaemonProcess, env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    import subprocess

    from indexer.rows.lock import make_private

    paths = search_path(env)
    try:
        make_private(found.folder)
        with open(os.path.join(found.folder, START_LOG), "wb") as said:
            return subprocess.Popen(
                daemon_command(found.root),
                cwd=os.sep,  # it keeps no folder from going away
                env={**env, "PYTHONPATH": paths} if paths else dict(env),
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=os.name != "nt",
                creationflags=_detached(),
            )
    except OSError as error:
        where = error.filename or sys.executable
        raise AureliusError(
            f"cannot start the daemon: {where}: {error.strerror}",
            "make that folder writable; everything also works without a daemon",
        ) from error


def _detached() -> int:
    """On Windows: of no console, so that closing one does not end it; elsewhere 0."""
    import subprocess

    return getattr(subprocess, "DETACHED_PROCESS", 0) | getattr(
        subprocess, "CREATE_NEW_PROCESS_GROUP", 0
    )


def _last_words(folder: str) -> str:
    """Last words of a daemon: what it told the process that started it, else the end of its log."""
    for name in (START_LOG, "log"):
        try:
            with open(os.path.join(folder, name), "rb") as stream:
                stream.seek(max(0, os.path.getsize(stream.fileno()) - 4000))
                lines = stream.read().decode("utf-8", "replace").splitlines()
        except OSError:
            continue
        if any(line.strip() for line in lines):
            return "it said:\n" + "\n".join(f"  {line}" for line in lines[-5:])
    return "`aurelius daemon run` shows why"


# -- stop ------------------------------------------------------------------------------


def stop_daemon(root: str, env: Mapping[str, str], *, wait: float = STOP_SECONDS) -> int | None:
    """The pid of the daemon that was stopped, 0 where it never told it, or None where none ran.

    It is asked; one that does not answer gets SIGTERM. AureliusError where it goes on after `wait`
    seconds.
    """
    from aurelius.settings.places import daemon_folder

    from .client import control_daemon
    from .loop import lock_holder

    folder = daemon_folder(root, env)
    pid = lock_holder(folder)
    if pid is None:
        return None
    if control_daemon(folder, "stop") is not None and _is_gone(folder, pid, wait):
        return pid
    pid = lock_holder(folder) or pid
    if pid:
        _terminate(pid, folder)
    if _is_gone(folder, pid, wait):
        return pid
    hint = "end its process yourself"
    if pid:
        kill = "taskkill /F /PID" if os.name == "nt" else "kill -9"
        hint = f"to force it: `{kill} {pid}` (your notes and the index are safe)"
    raise AureliusError(f"{_who(pid)} does not stop", hint)


def _is_gone(folder: str, pid: int, wait: float) -> bool:
    """Whether that daemon lets go of the lock within `wait` seconds; another one may take it at
    once."""
    from .loop import lock_holder

    deadline = time.monotonic() + wait
    while lock_holder(folder) in {pid, 0}:
        if time.monotonic() > deadline:
            return False
        time.sleep(SECONDS_A_POLL)
    return True


def _terminate(pid: int, folder: str) -> None:
    """SIGTERM to a process that is proven to hold the lock; on Linux by a handle, so that it is no
    other by then."""
    import signal

    handle = None
    try:
        if hasattr(os, "pidfd_open"):
            handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return
    except OSError:  # a kernel older than 5.3
        pass
    try:
        if not _is_proven(pid, folder):
            return
        if handle is None:
            os.kill(pid, signal.SIGTERM)
        else:
            signal.pidfd_send_signal(handle, signal.SIGTERM)
    except ProcessLookupError:
        return
    except PermissionError as error:
        raise AureliusError(
            f"{_who(pid)} belongs to another user", "stop it as that user"
        ) from error
    finally:
        if handle is not None:
            os.close(handle)


def _is_proven(pid: int, folder: str) -> bool:
    """Whether a process holds the lock: the file names it twice in a row, and the lock is among its
    open files where the system shows them.

    A daemon writes its pid at once when it has the lock, so what stands there for longer is not of
    one before it.
    """
    from .loop import lock_holder

    for _ in range(2):
        if lock_holder(folder) != pid:
            return False
        time.sleep(SECONDS_A_POLL * 4)
    try:
        links = [os.path.join(f"/proc/{pid}/fd", name) for name in os.listdir(f"/proc/{pid}/fd")]
    except FileNotFoundError:  # not Linux, or it has just ended
        return lock_holder(folder) == pid
    lock = os.path.join(os.path.realpath(folder), "lock")
    return any(os.path.realpath(link) == lock for link in links)
