"""The person's own programs: the pager for long answers, the editor and Obsidian for a note, fzf to choose a row.

Only the process at the terminal pages, for what ran in it and for what a daemon answered alike.  A pipe, a
file and a program never get a pager, nor do answers in JSON.

What there is to choose from goes to the terminal behind `err`, so that the answer alone is on `out`.  Without fzf a
small list of our own is shown; where the terminal cannot be drawn on, as on Windows, the rows are numbered and a number
is asked for.
"""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, NamedTuple

from aurelius.show.terminal import clipped, one_line
from indexer.errors import UsageError
from indexer.reading.path_meaning import unaccented

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TextIO

    from .run import Context

PAGED = frozenset((
    "search", "get", "show", "list", "today", "days", "tasks", "tags", "links", "history", "tiers", "maintain",
    "review", "status", "doctor", "config", "export", "undo", "help", "tidy", "summarize", "archive", "move", "update",
    "supersede", "add", "note", "new",
))  # fmt: skip
"""The commands that answer once, at their end: what asks, or goes on talking, is not held back for a pager."""

DEFAULT = ("less", "-FRX")
MORE = {"LESS": "FRX", "LV": "-c"}
"""What a pager that the person named is told where they did not: to show colours, and to leave the text there."""

OPENER = {"darwin": ("open",), "win32": ("rundll32", "url.dll,FileProtocolHandler")}.get(sys.platform, ("xdg-open",))
"""What opens a link on this system."""

AT_LINE = {
    "+{line} {file}": ("vi", "vim", "nvim", "gvim", "view", "nano", "pico", "emacs", "emacsclient", "micro", "kak",
                       "joe", "ne", "mg", "jed", "gedit", "tilde"),
    "{file}:{line}": ("hx", "helix", "subl", "zed", "zeditor", "lite-xl", "amp"),
    "--goto {file}:{line}": ("code", "code-insiders", "codium", "vscodium", "cursor", "windsurf"),
    "--line {line} {file}": ("kate", "mate", "kwrite", "pycharm", "idea"),
}  # fmt: skip
"""How editors take a line; one that is not named here gets the file alone."""


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


def edit(root: str, path: str, line: int, context: Context) -> int:
    """Run $VISUAL, else $EDITOR, on a note of the vault; its exit code, which is told where it is not 0.

    Never through a shell.  UsageError where neither is set or the program is not there.
    """
    import shlex
    import subprocess

    try:
        words = shlex.split(editor(context).replace("\\", "\\\\" if os.name == "nt" else "\\"))
    except ValueError as error:
        what = str(error).lower()
        raise UsageError(f"VISUAL or EDITOR cannot be read: {what}", "quote it as a shell would") from error
    command = words + arguments(words[0], os.path.join(root, *path.split("/")), line)
    try:
        code = subprocess.run(command, cwd=context.cwd, env=dict(context.env), check=False).returncode
    except OSError as error:
        raise UsageError(f"cannot run {words[0]}: {error.strerror}", "set VISUAL or EDITOR to your editor") from error
    if code < 0:
        context.tell(f"{words[0]} was stopped by signal {-code}; check whether it saved {path}")
        return 128 - code
    if code:
        context.tell(f"{words[0]} ended with exit code {code}; check whether it saved {path}")
    return code


def open_in_obsidian(root: str, path: str, context: Context) -> int:
    """Open a note in Obsidian by the program that opens links here; where none does, the link is printed."""
    import shutil
    import subprocess

    from aurelius.show.terminal import encoded

    file = os.path.join(os.path.abspath(root), *path.split("/"))
    link = f"obsidian://open?path={encoded(file).replace('/', '%2F')}"
    program, *more = OPENER
    opener = shutil.which(program, path=context.env.get("PATH"))
    why = "no program on this computer opens links"
    try:
        if opener:
            why = f"{program} could not open it"
            if subprocess.run([opener, *more, link], env=dict(context.env), check=False).returncode == 0:
                return 0
    except OSError as error:
        why = f"{program} cannot be run: {error.strerror}"
    context.put(link)
    context.tell(f"not opened in Obsidian, because {why}; the link is printed instead")
    return 0


def editor(context: Context) -> str:
    """The editor's command line as the person set it."""
    for name in ("VISUAL", "EDITOR"):
        if context.env.get(name, "").strip():
            return context.env[name]
    raise UsageError("no editor is set", "set VISUAL or EDITOR, for example: export EDITOR=nano")


def arguments(program: str, file: str, line: int) -> list[str]:
    """What to add to the editor's command line so that it shows the file at the line (0 = anywhere)."""
    name = os.path.basename(program).casefold().removesuffix(".exe").removesuffix(".cmd")
    if line:
        for form, names in AT_LINE.items():
            if name in names:
                return [part.format(file=file, line=line) for part in form.split()]
    return [file]


SHOWN = 10
"""Rows of our own list that are shown at once."""
NUMBERED = 20
"""Rows that are shown where a number is asked for."""

HINT = "type to narrow, arrows or a number, Enter takes it, Esc stops"


class Row(NamedTuple):
    """A row to choose: `label` is shown, `path` is the note that fzf shows beside it."""

    label: str
    path: str


def choose(rows: Sequence[Row], query: str, context: Context, preview: Sequence[str] = ()) -> int | None:
    """The number of the row that the person takes, None where they stop.

    `preview` is the command that shows a note, whose path is added to it.
    """
    import shutil

    fzf = shutil.which("fzf", path=context.env.get("PATH"))
    if fzf:
        taken = _by_fzf(fzf, rows, query, context, preview)
        if taken != _FAILED:
            return taken
    if os.name == "nt" or context.env.get("TERM", "dumb") == "dumb":
        return _by_number(rows, query, context)
    return _by_keys(rows, query, context)


_FAILED = -1


def _by_fzf(fzf: str, rows: Sequence[Row], query: str, context: Context, preview: Sequence[str]) -> int | None:
    """The row chosen in fzf; _FAILED if fzf could not run."""
    import shlex
    import subprocess

    command = [fzf, "--delimiter=\t", "--with-nth=3..", "--no-multi", f"--query={query}"]
    if preview and os.name != "nt":
        command += ["--preview", f"{shlex.join(preview)} {{2}}"]  # fzf quotes what it puts there
    lines = (f"{number}\t{one_line(row.path)}\t{one_line(row.label)}\n" for number, row in enumerate(rows))
    data = "".join(lines).encode("utf-8", "backslashreplace")
    try:
        done = subprocess.run(
            command, input=data, stdout=subprocess.PIPE, cwd=context.cwd, env=dict(context.env), check=False
        )
    except OSError:
        return _FAILED
    number = done.stdout.partition(b"\t")[0]
    if done.returncode == 0 and number.isdigit() and int(number) < len(rows):
        return int(number)
    return None if done.returncode in {0, 1, 130} else _FAILED


class Narrowing:
    """Rows that are narrowed as the person types: `found` are those left, `at` is the one that Enter takes."""

    def __init__(self, rows: Sequence[Row], typed: str) -> None:
        self._folded = [unaccented(row.label) for row in rows]
        self.typed = typed
        self.found: list[int] = []
        self.at = 0
        self._narrow()

    def press(self, keys: str) -> bool:
        """Do what the keys say that were pressed at once; whether the choice is over.  Esc leaves nothing found."""
        if keys in {"\x1b[A", "\x1bOA", "\x10"}:
            self.at = max(0, self.at - 1)
        elif keys in {"\x1b[B", "\x1bOB", "\x0e"}:
            self.at = max(0, min(self.at + 1, len(self.found) - 1))
        elif keys in {"\x1b", "\x03", "\x04", ""}:
            self.found = []
            return True
        elif not keys.startswith("\x1b"):
            for key in keys:
                if key in "\r\n":
                    return bool(self.found)
                if key in "\x03\x04":
                    self.found = []
                    return True
                self._type(key)
        return False

    def _type(self, key: str) -> None:
        if key in "\x7f\b":
            self.typed = self.typed[:-1]
        elif key == "\x15":
            self.typed = ""
        elif key.isprintable():
            self.typed += key
        self._narrow()

    def _narrow(self) -> None:
        """Keep the rows that have every word; one digit alone is the number of a row."""
        self.at = 0
        number = int(self.typed) if self.typed in set("123456789") else 0
        words = unaccented(self.typed).split() if not number else []
        self.found = [at for at, text in enumerate(self._folded) if all(word in text for word in words)]
        if number:
            self.at = min(number, len(self.found)) - 1

    def drawn(self, rows: Sequence[Row], width: int, most: int) -> list[str]:
        """The lines to show: what was typed, the rows around the chosen one, how many there are."""
        first = max(0, self.at - most + 1)
        lines = [f"> {one_line(self.typed)}"]
        for place, row in enumerate(self.found[first : first + most], first):
            lines.append(f"{'▸' if place == self.at else ' '}{place + 1:3} {one_line(rows[row].label)}")
        lines.append(f"  {len(self.found)} of {len(rows)}: {HINT}")
        return [clipped(line, width - 1) for line in lines]


def _by_keys(rows: Sequence[Row], query: str, context: Context) -> int | None:
    """The row chosen in a list that is drawn on the terminal and follows each key."""
    import termios
    import tty

    handle, state = context.stdin.fileno(), Narrowing(rows, query)
    size = os.get_terminal_size(handle)
    width, height = size.columns or 80, size.lines or 24  # some say 0
    before = termios.tcgetattr(handle)
    try:
        tty.setraw(handle)
        while True:
            lines = state.drawn(rows, width, max(1, min(SHOWN, height - 3)))
            up = f"\x1b[{len(lines) - 1}A" if len(lines) > 1 else ""
            context.err.write("\r\x1b[J" + "\r\n".join(lines) + f"{up}\r")
            context.err.flush()
            if state.press(os.read(handle, 1024).decode("utf-8", "ignore")):
                return state.found[state.at] if state.found else None
    finally:
        termios.tcsetattr(handle, termios.TCSADRAIN, before)
        context.err.write("\r\x1b[J")
        context.err.flush()


def _by_number(rows: Sequence[Row], query: str, context: Context) -> int | None:
    """The row chosen from numbered rows: a number takes one, words narrow them, an empty line stops."""
    typed = query
    while True:
        state = Narrowing(rows, typed if not typed.isdigit() else "")
        for place, row in enumerate(state.found[:NUMBERED], 1):
            context.err.write(f"{place:3}  {one_line(rows[row].label)}\n")
        context.err.write(f"{len(state.found)} of {len(rows)}; a number, or words to narrow them: ")
        context.err.flush()
        typed = context.stdin.readline().strip()
        if not typed:
            return None
        if typed.isdecimal() and 1 <= int(typed[:9]) <= len(state.found):
            return state.found[int(typed[:9]) - 1]
