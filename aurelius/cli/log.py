"""The daemon's log: what it tells, with the time, in files that take turns and never grow large."""

from __future__ import annotations

import os
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aurelius.command import Context

LARGEST, KEPT = 1 << 20, 3
"""Bytes of one file, and how many older ones are kept."""


def log_path(folder: str) -> str:
    """The log of the daemon whose folder this is."""
    return os.path.join(folder, "log")


@contextmanager
def logged(folder: str, context: Context) -> Iterator[Callable[[str], None]]:
    """What takes a line for the person who looks on and for the log; a log that cannot be written is done without."""
    import logging.handlers

    from aurelius.visible import one_line

    os.makedirs(folder, mode=0o700, exist_ok=True)
    file = logging.handlers.RotatingFileHandler(
        log_path(folder), maxBytes=LARGEST, backupCount=KEPT, encoding="utf-8", errors="backslashreplace", delay=True
    )
    file.handleError = lambda _: None  # type: ignore[method-assign]  # it would print a traceback
    file.setFormatter(logging.Formatter("%(asctime)s %(message)s"))

    def tell(line: str) -> None:
        file.handle(logging.LogRecord("aurelius", logging.INFO, "", 0, one_line(line), None, None))
        try:
            context.tell(line)
            context.err.flush()
        except (OSError, ValueError):  # nobody looks on any more
            return

    try:
        yield tell
    finally:
        file.close()
