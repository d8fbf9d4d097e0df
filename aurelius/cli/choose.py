"""Choosing one row of many at a terminal: by fzf where it is installed, else by a small list of our own.

What is shown goes to the terminal behind `err`, so that the answer alone is on `out`.  Where the terminal
cannot be drawn on, as on Windows, the rows are numbered and a number is asked for.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from aurelius.show.terminal import clipped, one_line
from indexer.reading.path_meaning import unaccented

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .run import Context

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
