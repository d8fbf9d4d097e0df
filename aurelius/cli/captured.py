"""A vault opened for somebody else: a command line run for another process by its daemon, and the
door by which an agent comes in."""

from __future__ import annotations

import datetime
import io
import os
import threading
import time
from contextlib import contextmanager
from types import SimpleNamespace
from typing import TYPE_CHECKING

from aurelius.agents.calls import Visit
from aurelius.agents.deadline import READING_EVENTS
from aurelius.daemon.client import WARM, Answer, ask_daemon, named_command
from aurelius.settings.config import find_vault
from aurelius.vault import Vault
from indexer.errors import AureliusError

from .line import run_command_line
from .open_vault import named_agent, no_agent, open_vault, session_of
from .run import COMPLETE, Context, bug_error

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from _typeshed import WriteableBuffer

    from aurelius.daemon.server import Request
    from indexer.live.live_index import Live
    from indexer.note import Settings

    from .declarations import Command

SECONDS_A_LOOK = 1.0
SECONDS_UNTIL_IDLE = 600.0
"""Seconds between two looks at what a warm index was told of, and without a question until it is
given up."""
SECONDS_ALONE = 0.05
"""Seconds that the answer which is being made has the processor to itself."""


def answer_request(request: Request, root: str, live: Live | None = None) -> Answer | None:
    """What the command line of a request answers in the vault at `root`; None for what is not this
    daemon's to run."""
    out = _Written(request.out_tty)
    err = _Written(request.err_tty)
    zone = datetime.timezone(datetime.timedelta(seconds=request.east))

    asked = []

    def mine(command: Command, args: SimpleNamespace) -> bool:
        asked.append(command)
        if not _only_answers(command, args):
            return False
        if _zoned(args.now or request.env.get("AURELIUS_NOW", "")):
            return False
        try:
            return os.path.realpath(
                find_vault(args.vault, request.env, request.cwd)
            ) == os.path.realpath(root)
        except AureliusError:
            return False

    stdin = io.TextIOWrapper(
        io.BufferedReader(_Asked(request.stdin, request.in_tty)), encoding="utf-8"
    )
    tty = request.out_tty
    person = request.person
    context = Context(
        cwd=request.cwd,
        env=request.env,
        tty=tty,
        stdin=stdin,
        out=out,
        err=err,
        zone=zone,
        live=live,
        person=person,
    )
    if COMPLETE in request.env or named_command(request.argv) not in WARM:
        return None
    code = run_command_line(request.argv, context, only=mine)
    if code is None or not asked:
        return None
    return Answer(code, out.bytes(), err.bytes())


def _only_answers(command: Command, args: SimpleNamespace) -> bool:
    """Whether a command line writes nothing, and its command gains by a warm index."""
    if command.name not in WARM or getattr(args, "action", "list") != "list":
        return False
    if command.name == "hook":
        return args.event in READING_EVENTS
    return command.name != "tool" or _is_reading(args.call)


def _is_reading(call: str) -> bool:
    """Whether a call of an agent, and not one of a stream of them, writes nothing."""
    from aurelius.agents.tool_forms import only_reads

    return call != "-" and only_reads(call)


def _zoned(now: str) -> bool:
    """True if a clock names a zone: what that is in the person's own follows rules only their
    process knows."""
    return any(mark in now.strip()[10:] for mark in "Zz+-")


def open_door(
    context: Context,
    vault: str | None = None,
    *,
    agent: str = "",
    session: str = "",
    live: Live | None = None,
    warm: bool = False,
) -> Door:
    """What lets an agent into a vault in this process: the one of this folder, else of this
    context."""
    named = {"vault": vault, "agent": agent, "session": session}

    def settings() -> Settings:
        return Vault.find(vault, context.env, context.cwd, now=context.clock()).settings

    return Door(context, named, live, WarmIndex(settings) if warm else None)


class Door:
    """Lets an agent into a vault: an AgentDoor of agents/calls.

    Nobody looks at such an answer, so nothing is asked, and it is no person's word. One call at a
    time writes; those that only read are answered by the vault's daemon where one runs, else here,
    with the index that a `warm` door keeps.
    """

    def __init__(
        self,
        context: Context,
        named: Mapping[str, str | None],
        live: Live | None,
        warm: WarmIndex | None,
    ) -> None:
        self._context = context._replace(tty=False, columns=0, person=False)
        self._named = named
        self._live = live
        self._warm = warm
        self._writing = threading.Lock()
        self._closed = False

    @contextmanager
    def __call__(self, *, reads: bool, alone: bool = False) -> Iterator[Visit]:
        """The vault, open for one call; what goes wrong in it is an AureliusError in any case."""
        try:
            with (
                self._reading() if reads else self._turn() as context,
                self._visit(context, alone=alone) as visit,
            ):
                if reads and context.live is None:
                    visit.vault.index().map_file()
                yield visit
        except AureliusError:
            raise
        except Exception as error:
            raise bug_error(error, self._context) from error

    def asked(self, call: str) -> tuple[int, str] | None:
        """What the daemon answers to a call; a fixed clock is known only here."""
        if self._live is not None or self._context.now is not None:
            return None
        options = [f"--{name}={value}" for name, value in self._named.items() if value]
        argv = [*options, "tool", "--", call]
        answer = ask_daemon(argv, self._context.env, self._context.cwd, person=False)
        if answer is None or not answer.out:  # it could not even begin
            return None
        return answer.code, answer.out.decode()

    def close(self, wait: float) -> None:
        """Let what is being written come to its end, and begin nothing else; wait so many seconds
        at most."""
        self._closed = True
        if self._writing.acquire(timeout=wait):
            self._writing.release()

    @contextmanager
    def _reading(self) -> Iterator[Context]:
        live = self._live or (self._warm.take() if self._warm else None)
        yield self._context._replace(live=live)
        if self._warm:
            self._warm.begin()

    @contextmanager
    def _turn(self) -> Iterator[Context]:
        with self._writing:
            if self._closed:  # while it waited for its turn
                raise AureliusError("not written: the server is ending", "ask again when it runs")
            yield self._context._replace(live=None)

    @contextmanager
    def _visit(self, context: Context, *, alone: bool) -> Iterator[Visit]:
        args = SimpleNamespace(**self._named)
        agent = no_agent if alone else named_agent
        quiet = context._replace(err=io.StringIO())  # notices go into the answer
        with open_vault(args, quiet, agent=agent) as vault:
            yield Visit(vault, session_of(args, quiet))


class WarmIndex:
    """A live index while somebody asks: made in the background after the first question, given up
    after a rest.

    Where it cannot be kept there is none: whoever asks then looks at the files itself, and says
    what is wrong.
    """

    def __init__(self, settings: Callable[[], Settings]) -> None:
        self._settings = settings
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._last = 0.0
        self._thread: threading.Thread | None = None
        self._live: Live | None = None

    def take(self) -> Live | None:
        """The index, where it is ready by now."""
        with self._lock:
            self._last = time.monotonic()
            return self._live

    def begin(self) -> None:
        """Make it in the background, after an answer, so that no caller waits for it."""
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._keep, name="index", daemon=True)
                self._thread.start()

    def _keep(self) -> None:
        from indexer.live.live_index import Live

        live = None
        try:
            time.sleep(SECONDS_ALONE)
            live = Live(self._settings(), self._wake.set)
            while not self._rests():
                live.turn(time.time())
                self._live = live
                self._wake.wait(SECONDS_A_LOOK)
                self._wake.clear()
        except Exception:  # noqa: BLE001, S110  as the class says
            pass
        finally:
            with self._lock:
                self._live = self._thread = None
            if live is not None:
                live.close()

    def _rests(self) -> bool:
        with self._lock:
            if time.monotonic() - self._last < SECONDS_UNTIL_IDLE:
                return False
            self._live = None
            return True


class _Written(io.StringIO):
    """Text on its way to the person's terminal, pipe or file."""

    def __init__(self, tty: bool) -> None:
        super().__init__(
            newline="\n"
        )  # the person's own stream makes line ends what they are there
        self._tty = tty

    def isatty(self) -> bool:
        """True if a person looks at it."""
        return self._tty

    def bytes(self) -> bytes:
        """All of it, written as the process of the command would have."""
        return self.getvalue().encode("utf-8", "backslashreplace")


class _Asked(io.RawIOBase):
    """The standard input of the process that asks, fetched when a command reads it."""

    def __init__(self, fetch: Callable[[], bytes], tty: bool) -> None:
        self._fetch = fetch
        self._tty = tty
        self._data: io.BytesIO | None = None

    def readable(self) -> bool:
        """It is."""
        return True

    def isatty(self) -> bool:
        """True if a person types it."""
        return self._tty

    def readinto(self, room: WriteableBuffer) -> int:
        """The next bytes of it."""
        if self._data is None:
            self._data = io.BytesIO(self._fetch())
        return self._data.readinto(room)
