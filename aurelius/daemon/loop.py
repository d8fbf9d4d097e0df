"""The long-running process of a vault: it keeps the index equal to the files and answers on a
socket.

Its loop turns once a second, and soon after the watch saw something. At rest it writes nothing: the
heartbeat is a number in memory. It is stopped by SIGTERM, SIGINT or over its socket, at any moment:
a pass ends at the note it is at, and what it has not committed the next one finds.
"""

from __future__ import annotations

import os
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from indexer.disk.walk import file_identity
from indexer.errors import (
    AureliusError,
    ConfigError,
    ConflictError,
    IndexUnavailableError,
    VaultNotFoundError,
)

from .jobs import Jobs, Wake, stopped_by_signals

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from indexer.live.live_index import Live
    from indexer.note import Settings

    from .client import Answer
    from .server import Request, Server

    Tell = Callable[[str], None]
    Reply = Callable[[Request, Live], Answer | None]

_SECONDS_A_TURN = 1.0
"""Seconds between turns of the loop when nothing happens."""
_SECONDS_OF_QUIET = 0.1
SECONDS_PUT_OFF = 1.0
"""Seconds without an event before a pass begins, and how long a constant stream of them may put it
off."""
_SECONDS_BETWEEN_TRIES = 30.0  # seconds between tries, at most, while passes fail
_LOCK_FILE = "lock"  # held in the daemon's folder for as long as it runs
PROBE = 0.5
"""Seconds that the lock may be held by whoever only looks whether a daemon has it (lock_holder)."""


class DaemonState(NamedTuple):
    """State of the daemon, as `aurelius daemon status` shows it.

    Times are unix seconds, `beat` is the last turn of the loop, `next_scan` when everything is
    looked at again. `watching` is "native" or "scanning" and `why` says why, `folders` are watched
    and `unwatched` are not, `backlog` wait to be looked at, `memory` are resident bytes or 0,
    `paused` says why nothing is indexed now.
    """

    pid: int
    version: str
    vault: str
    since: float
    beat: float
    watching: str
    why: str
    folders: int
    unwatched: int
    backlog: int
    last_scan: float
    scan_seconds: float
    next_scan: float
    notes: int
    generation: int
    fresh: bool
    failed: int
    held: int
    passes: int
    served: int
    memory: int
    log: str
    socket: str
    paused: str


def run_loop(root: str, env: Mapping[str, str], log: str, tell: Tell, reply: Reply) -> int:
    """Run the daemon of the vault at `root` until it is stopped; the signal that stopped it, 0
    where it was asked to.

    `tell` takes what a person may want to read, a line each, which is also in the file `log`;
    `reply` runs a command. ConflictError where another daemon has the vault, ConfigError,
    IndexUnavailableError where its folder cannot be written or is removed.
    """
    from aurelius.settings.places import daemon_folder

    folder = daemon_folder(root, env)
    with stopped_by_signals() as wake, _locked(folder) as holds:
        daemon = _Daemon(root, env, folder, log, tell, wake)
        try:
            daemon.serve(reply, holds)
        except KeyboardInterrupt:
            wake.close()
            tell("stopping")
        finally:
            wake.close()
            daemon.close()
    tell("stopped")
    return wake.number


def lock_holder(folder: str) -> int | None:
    """The pid of the daemon of this daemon folder, 0 if it did not tell; None where none runs."""
    from indexer.rows.lock import BusyError, hold

    if not os.path.isdir(folder):
        return None
    try:
        with hold(folder, _LOCK_FILE, 0.0):
            return None
    except BusyError:
        try:
            with open(os.path.join(folder, "pid"), encoding="ascii") as file:
                return int(file.read())
        except (OSError, ValueError):
            return 0


class _Daemon:
    """One daemon at work."""

    def __init__(
        self, root: str, env: Mapping[str, str], folder: str, log: str, tell: Tell, wake: Wake
    ) -> None:
        self.root = root
        self.env = env
        self.folder = folder
        self.log = log
        self.tell = tell
        self.since = self.beat = time.time()
        self.paused = ""
        self.patience = _SECONDS_BETWEEN_TRIES
        self.wake = wake
        self.server: Server | None = None
        self.reply: Reply = lambda *_: None
        self.live = self._open(self._settings())
        self._configured = self._config_key()
        self._told: list[str] = []
        self.jobs = Jobs(root, env, tell)

    def serve(self, reply: Reply, holds: Callable[[], bool]) -> None:
        """Answer and index until KeyboardInterrupt. IndexUnavailableError where nobody could ask,
        or `holds` not."""
        self.reply = reply
        self.wake.check()
        self._listen()
        duties = self.jobs.duties()
        jobs = "its jobs, and " if duties else ""
        self.tell(
            f"watching {self.root} (pid {os.getpid()}); it changes no note by itself (except"
            f" {jobs}lines of `aurelius note` that an editor saved over)"
        )
        for line in duties:
            self.tell(line)
        delay = _SECONDS_A_TURN
        while holds():
            self.wake.check()
            if self._turn():
                delay = _SECONDS_A_TURN
            else:
                delay = min(delay * 2, self.patience)
            if self.wake.wait(delay):
                self._wait_for_pause()
        # nobody would find this one, and the next one would have the vault as well
        raise IndexUnavailableError(
            f"the daemon stopped: its lock in {self.folder} was removed",
            "to start it again: `aurelius daemon start`",
        )

    def _listen(self) -> None:
        """Answer on the socket, at first and when somebody removed it."""
        from aurelius.settings.places import socket_path

        from .server import Server

        path = socket_path(self.folder)
        if self.server is not None:
            if os.path.exists(path):
                return
            self.server.close()
        try:
            self.server = Server(path, self._answer)
        except OSError as error:
            raise IndexUnavailableError(
                f"the daemon cannot listen at {path}: {error.strerror or error}",
                "make that folder writable",
            ) from error

    def close(self) -> None:
        """Answer nobody any more and close the index."""
        if self.server is not None:
            self.server.close()
        self.live.close()

    # -- the loop ----------------------------------------------------------------------

    def _wait_for_pause(self) -> None:
        """Wait until a burst of changes pauses, but not for long."""
        began = time.monotonic()
        while time.monotonic() - began < SECONDS_PUT_OFF:
            if not self.wake.wait(_SECONDS_OF_QUIET):
                return

    def _turn(self) -> bool:
        """Make a pass if one is due; returns whether it went well."""
        self.beat = time.time()
        self.patience = _SECONDS_BETWEEN_TRIES
        try:
            self._read_config_again()
            self._listen()
            self._rejoin()
            if self.live.turn(self.beat, lambda *_: self.wake.check()):
                self._report()
                self._remember()
                _give_back()
            self.jobs.due(self.beat, self.live)
        except AureliusError as error:
            self._pause(error.message)
            if isinstance(error, (ConfigError, VaultNotFoundError)):
                self.patience = _SECONDS_A_TURN  # a person mends it, and it costs nothing to look
        except Exception as error:  # noqa: BLE001  whatever one pass met, the next may not
            self._pause(f"updating the index failed ({type(error).__name__}: {error})")
        else:
            self._pause("")
        self.beat = time.time()
        return not self.paused

    def _rejoin(self) -> None:
        """See whether what was written lately still stands; the next command of a person tells what
        does not."""
        from aurelius.settings.places import is_unattended, vault_state

        if is_unattended(vault_state(self.root, self.env)):
            from aurelius.settings.config import load_config
            from aurelius.writing import append, edit

            append.look_for_lost_lines(
                edit.place_of_config(load_config(self.root, self.env), self.env), tells=False
            )

    def _pause(self, why: str) -> None:
        if why != self.paused:
            self.tell(f"paused: {why}" if why else "watching again")
        self.paused = why

    def _report(self) -> None:
        """Log what is new: how folders are watched, deletions that wait, notes that failed."""
        why = self.live.state().why
        lines = [why] if why else []
        if report := self.live.report:
            lines += report.notices
            lines += (f"{path}: {reason}" for path, reason in report.failed)
        for line in lines:
            if line not in self._told:
                self.tell(line)
        self._told = lines

    def _remember(self) -> None:
        """Remember renames by other programs, for `doctor` and `move`."""
        if self.live.renamed:
            from aurelius.answers.doctor_links import remember_renames
            from aurelius.settings.places import vault_state

            remember_renames(vault_state(self.root, self.env), self.live.renamed)

    # -- settings ----------------------------------------------------------------------

    def _open(self, settings: Settings) -> Live:
        from indexer.live.live_index import Live

        return Live(settings, self.wake.set)

    def _settings(self) -> Settings:
        import datetime

        from aurelius.vault import Vault

        # the clock of answers, of which none is given here
        now = datetime.datetime.now()
        return Vault.find(self.root, self.env, self.root, now=now).settings

    def _config_key(self) -> tuple[object, ...]:
        from aurelius.settings.config import vault_file
        from aurelius.settings.places import AGREED, user_file, vault_state

        state = vault_state(self.root, self.env)  # another one, once the vault carries a name
        return state, *map(
            _stamp, (user_file(self.env), vault_file(self.root), os.path.join(state, AGREED))
        )

    def _read_config_again(self) -> None:
        """Read the settings again and use them."""
        key = self._config_key()
        if key == self._configured:
            return
        try:
            settings = self._settings()
        except ConfigError:
            self._configured = ()  # told as a pause until it is mended
            raise
        self._configured = key
        self.jobs.settings_changed()
        if settings.folder != self.live.settings.folder:
            old = self.live
            old.heir = self.live = self._open(settings)
            old.close()
        else:
            self.live.adopt(settings)

    # -- answers -----------------------------------------------------------------------

    def _answer(self, request: Request) -> Answer | None:
        from .client import Answer

        if request.what == "status":
            import json

            return Answer(0, json.dumps(self.state()._asdict()).encode(), b"")
        if request.what == "stop":
            self.wake.stop()
            return Answer(0, b"", b"")
        return self.reply(request, self.live)

    def state(self) -> DaemonState:
        """The daemon's state now."""
        from aurelius import __version__

        live = self.live.state()
        server = self.server
        served = server.served if server else 0
        return DaemonState(
            pid=os.getpid(),
            version=__version__,
            vault=self.root,
            since=self.since,
            beat=self.beat,
            served=served,
            memory=_memory(),
            log=self.log,
            socket=server.path if server else "",
            paused=self.paused,
            **live._asdict() | {"fresh": live.fresh and not live.backlog},
        )


@contextmanager
def _locked(folder: str) -> Iterator[Callable[[], bool]]:
    """Hold the lock of a vault's one daemon, which the system frees however this process ends.

    What is given says whether the lock is still the one that others look at.
    """
    from indexer.rows.lock import BusyError, UnwritableError, hold, make_private

    file = os.path.join(folder, _LOCK_FILE)
    pid = os.path.join(folder, "pid")
    with ExitStack() as held:
        try:
            make_private(folder)
            held.enter_context(hold(folder, _LOCK_FILE, PROBE))
            with open(pid, "w", encoding="ascii") as stream:
                stream.write(str(os.getpid()))
        except (OSError, UnwritableError) as error:
            why = error.strerror or error if isinstance(error, OSError) else error
            raise IndexUnavailableError(
                f"the daemon cannot write to {folder}: {why}",
                "make that folder writable, on a disk with free space; everything also works"
                " without a daemon",
            ) from error
        except BusyError:
            holder = lock_holder(folder)
            raise ConflictError(
                f"a daemon is already running for this vault (pid {holder or 'unknown'})",
                "to stop it: `aurelius daemon stop`",
            ) from None
        mine = file_identity(file)
        try:
            yield lambda: file_identity(file) == mine
        finally:
            if file_identity(file) == mine:
                with suppress(OSError):
                    os.remove(pid)


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _memory() -> int:
    """Bytes of this process that are in memory; 0 where the system does not say."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 0


def _give_back() -> None:
    """Let the C library return what a large pass needed, where it can."""
    import ctypes

    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).malloc_trim(0)
