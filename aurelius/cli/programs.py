"""The person's own programs: the pager for long answers, the editor and Obsidian for a note.

Only the process at the terminal pages, for what ran in it and for what a daemon answered alike. A
pipe, a file and a program never get a pager, nor do answers in JSON.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING

from aurelius.writing.safe_folder import disk_path
from indexer.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TextIO

    from .run import Context

PAGED = frozenset(
    (
        "search",
        "get",
        "show",
        "list",
        "today",
        "days",
        "tasks",
        "tags",
        "links",
        "history",
        "review",
        "status",
        "doctor",
        "config",
        "export",
        "undo",
        "help",
        "summarize",
        "archive",
        "move",
        "update",
        "supersede",
        "add",
        "note",
        "new",
    )
)
"""The commands that answer once, at their end: what asks, or goes on talking, is not held back for
a pager."""

_DEFAULT_PAGER = ("less", "-FRX")
MORE = {"LESS": "FRX", "LV": "-c"}
"""What a pager that the person named is told where they did not: to show colours, and to leave the
text there."""

OPENER = {"darwin": ("open",), "win32": ("rundll32", "url.dll,FileProtocolHandler")}.get(
    sys.platform, ("xdg-open",)
)
"""What opens a link on this system."""


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
    if (
        {"--no-pager", "--json", "--jsonl"} & set(words)
        or env.get("TERM", "dumb") == "dumb"
        or env.get("CI")
    ):
        return False
    from aurelius.daemon.client import named_command

    from .declarations import COMMANDS
    from .run import COMPLETE

    command = named_command(words)
    asks_help = bool({"--help", "-h"} & set(words))
    is_paged = command not in COMMANDS or command in PAGED
    return COMPLETE not in env and (is_paged or asks_help) and bool(pager_command(env))


def pager_command(env: Mapping[str, str]) -> list[str]:
    """The pager's command line: AURELIUS_PAGER, else PAGER, else less where there is one; empty for
    none."""
    import shlex
    import shutil

    for name in ("AURELIUS_PAGER", "PAGER"):
        if name in env:
            try:
                words = shlex.split(env[name].replace("\\", "\\\\" if os.name == "nt" else "\\"))
            except ValueError:
                return []
            if words == ["cat"]:
                return []
            return words
    if shutil.which(_DEFAULT_PAGER[0], path=env.get("PATH")):
        return list(_DEFAULT_PAGER)
    return []


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


def show_paged(text: str, out: TextIO, env: Mapping[str, str]) -> None:
    """Write a text to the terminal, through the pager where it is longer than the screen.

    A person who leaves the pager early has seen enough. Where the pager fails, all of the text is
    written.
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
    before = signal.signal(
        signal.SIGINT, lambda number, _: stopped.append(number)
    )  # Ctrl-C is the pager's
    try:
        with subprocess.Popen(
            pager_command(env), stdin=subprocess.PIPE, env={**MORE, **env}
        ) as process:
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


def edit(root: str, path: str, line: int, context: Context) -> int:
    """Run $VISUAL, else $EDITOR, on a note of the vault; its exit code, which is told where it is
    not 0.

    Never through a shell.  UsageError where neither is set or the program is not there.
    """
    import subprocess

    from aurelius.settings.editors import editor_command

    command = editor_command(context.env, disk_path(root, path), line)
    program = command[0]
    try:
        code = subprocess.run(
            command, cwd=context.cwd, env=dict(context.env), check=False
        ).returncode
    except OSError as error:
        raise UsageError(
            f"cannot run {program}: {error.strerror}", "set VISUAL or EDITOR to your editor"
        ) from error
    if code < 0:
        context.tell(f"{program} was stopped by signal {-code}; check whether it saved {path}")
        return 128 - code
    if code:
        context.tell(f"{program} ended with exit code {code}; check whether it saved {path}")
    return code


def open_in_obsidian(root: str, path: str, context: Context) -> int:
    """Open a note in Obsidian by the program that opens links here; where none does, the link is
    printed."""
    import shutil
    import subprocess

    from aurelius.settings.editors import obsidian_link

    link = obsidian_link(disk_path(os.path.abspath(root), path))
    program, *more = OPENER
    opener = shutil.which(program, path=context.env.get("PATH"))
    why = "no program on this computer opens links"
    try:
        if opener:
            why = f"{program} could not open it"
            if (
                subprocess.run([opener, *more, link], env=dict(context.env), check=False).returncode
                == 0
            ):
                return 0
    except OSError as error:
        why = f"{program} cannot be run: {error.strerror}"
    context.put(link)
    context.tell(f"not opened in Obsidian, because {why}; the link is printed instead")
    return 0
