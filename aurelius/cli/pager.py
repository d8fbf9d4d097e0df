"""Paging for people: an answer longer than the screen of a terminal goes through the person's pager.

Only the process at the terminal does this, for what ran in it and for what a daemon answered alike.  A pipe, a
file and a program never get one, nor do answers in JSON.
"""

from __future__ import annotations

import io
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TextIO

PAGED = frozenset((
    "search", "get", "show", "list", "today", "tasks", "tags", "links", "history", "tiers", "maintain", "review",
    "status", "doctor", "config", "export", "undo", "help", "tidy", "summarize", "archive", "move", "update",
    "supersede", "add", "note", "new",
))  # fmt: skip
"""The commands that answer once, at their end: what asks, or goes on talking, is not held back for a pager."""

DEFAULT = ("less", "-FRX")
MORE = {"LESS": "FRX", "LV": "-c"}
"""What a pager that the person named is told where they did not: to show colours, and to leave the text there."""


class Held(io.StringIO):
    """What a command writes, held back until it is known how long it is."""

    def __init__(self, out: TextIO) -> None:
        super().__init__(newline="\n")
        self._out = out

    def isatty(self) -> bool:
        """True if a person will look at it."""
        return self._out.isatty()

    def fileno(self) -> int:
        """The terminal, for who asks how wide it is."""
        return self._out.fileno()


def is_wanted(argv: Sequence[str], env: Mapping[str, str]) -> bool:
    """True if the answer to a command line may go through a pager, and there is one."""
    words = list(argv[: argv.index("--")] if "--" in argv else argv)
    if {"--no-pager", "--json", "--jsonl"} & set(words) or env.get("TERM", "dumb") == "dumb" or env.get("CI"):
        return False
    from .run import COMPLETE, command_in

    command = command_in(words)
    asks_help = command is None or {"--help", "-h"} & set(words)
    return COMPLETE not in env and bool(asks_help or (command and command.name in PAGED)) and bool(program(env))


def program(env: Mapping[str, str]) -> list[str]:
    """The pager's command line: AURELIUS_PAGER, else PAGER, else less where there is one; empty for none."""
    import shlex
    import shutil

    for name in ("AURELIUS_PAGER", "PAGER"):
        if name in env:
            try:
                words = shlex.split(env[name].replace("\\", "\\\\" if os.name == "nt" else "\\"))
            except ValueError:
                return []
            return [] if words == ["cat"] else words
    return list(DEFAULT) if shutil.which(DEFAULT[0], path=env.get("PATH")) else []


def fits(text: str, out: TextIO) -> bool:
    """True if the text and the shell's next prompt fit on the screen."""
    try:
        size = os.get_terminal_size(out.fileno())
    except (OSError, ValueError):
        return True
    lines = text.split("\n")
    if len(lines) > size.lines:
        return False
    from aurelius.show.terminal import columns_of

    wide = max(1, size.columns)
    return sum(max(1, -(-columns_of(line) // wide)) for line in lines) <= size.lines


def show(text: str, out: TextIO, env: Mapping[str, str]) -> None:
    """Write a text to the terminal, through the pager where it is longer than the screen.

    A person who leaves the pager early has seen enough.  Where the pager fails, all of the text is written.
    """
    if fits(text, out) or not _paged(text, out, env):
        out.write(text)
        out.flush()


def _paged(text: str, out: TextIO, env: Mapping[str, str]) -> bool:
    """Show a text in the pager; whether it did its work."""
    import signal
    import subprocess
    from contextlib import suppress

    from aurelius.show.terminal import without_links

    out.flush()
    stopped: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, _: stopped.append(number))  # Ctrl-C is the pager's
    try:
        with subprocess.Popen(program(env), stdin=subprocess.PIPE, env={**MORE, **env}) as process:
            assert process.stdin is not None  # it is a pipe
            with suppress(OSError):  # left before it had read all
                process.stdin.write(without_links(text).encode("utf-8", "backslashreplace"))
            with suppress(OSError):
                process.stdin.close()
            code = process.wait()
    except OSError:
        return False
    finally:
        signal.signal(signal.SIGINT, before)
    return code == 0 or bool(stopped)
