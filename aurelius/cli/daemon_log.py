"""Log of the daemon: one line a message, to a file in its folder and to the terminal it runs in."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING

from aurelius.show.visible import one_line

if TYPE_CHECKING:
    from .run import Context

LARGEST = 1 << 20
"""Bytes after which a log is renamed to `log.1`, replacing the one before, and a new one starts."""


class Journal:
    """Writes one line to the log and the terminal; write errors are ignored, such as those of a full disk."""

    def __init__(self, folder: str, context: Context, *, quiet: bool = False) -> None:
        self.path = os.path.join(folder, "log")
        self._context = context
        self._quiet = quiet

    def __call__(self, line: str) -> None:
        """Tell it, with the time in the log; quietly to the log alone."""
        if not self._quiet:
            with suppress(OSError, ValueError):
                self._context.tell(line)
                self._context.err.flush()
        with suppress(OSError):
            self._write(f"{time.strftime('%Y-%m-%d %H:%M:%S')} {one_line(line)}\n")

    def _write(self, line: str) -> None:
        with open(self.path, "a", encoding="utf-8", errors="backslashreplace") as stream:
            stream.write(line)
            full = stream.tell() > LARGEST
        if full:
            os.replace(self.path, self.path + ".1")
