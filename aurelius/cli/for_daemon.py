"""What a daemon does with the command line of another process: the same command code, in that one's place."""

from __future__ import annotations

import datetime
import io
import os
from typing import TYPE_CHECKING

from aurelius.agents.deadline import READING
from aurelius.daemon.client import WARM, Answer
from aurelius.settings.config import find_vault
from indexer.errors import AureliusError

from . import run
from .run import Context

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import SimpleNamespace

    from _typeshed import WriteableBuffer

    from aurelius.daemon.server import Request
    from indexer.live.live_index import Live

    from .typed_words import Command


def answer(request: Request, root: str, live: Live | None = None) -> Answer | None:
    """What the command line of a request answers in the vault at `root`; None for what is not this daemon's to run."""
    out, err = _Written(request.out_tty), _Written(request.err_tty)
    zone = datetime.timezone(datetime.timedelta(seconds=request.east))

    def mine(command: Command, args: SimpleNamespace) -> bool:
        if command.name not in WARM or getattr(args, "action", "list") != "list":
            return False
        if command.name == "hook" and args.event not in READING:
            return False
        if _zoned(args.now or request.env.get("AURELIUS_NOW", "")):
            return False
        try:
            return os.path.realpath(find_vault(args.vault, request.env, request.cwd)) == os.path.realpath(root)
        except AureliusError:
            return False

    stdin = io.TextIOWrapper(io.BufferedReader(_Asked(request.stdin, request.in_tty)), encoding="utf-8")
    context = Context(request.cwd, request.env, request.out_tty, stdin, out, err, zone=zone, live=live)
    code = run.run(request.argv, context, only=mine)
    return None if code is None else Answer(code, out.bytes(), err.bytes())


def _zoned(now: str) -> bool:
    """True if a clock names a zone: what that is in the person's own follows rules only their process knows."""
    return any(mark in now.strip()[10:] for mark in "Zz+-")


class _Written(io.StringIO):
    """Text on its way to the person's terminal, pipe or file."""

    def __init__(self, tty: bool) -> None:
        super().__init__(newline="\n")  # the person's own stream makes line ends what they are there
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
