"""Who may write: locks of the operating system on files in the index folder, free as soon as their holder dies.

`WRITE` is held for one batch at a time, `BUILD` for a whole build.  Who needs both takes `BUILD` first.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from .walk import reason

WRITE, BUILD = "lock", "build.lock"


class BusyError(Exception):
    """The index cannot be written now: another process holds the lock, or another index took its place."""


class UnwritableError(BusyError):
    """The index cannot be written in this folder at all: permissions, a full disk."""


@contextmanager
def hold(folder: str, name: str, wait: float) -> Iterator[None]:
    """Hold a lock of an index folder; BusyError after `wait` seconds, UnwritableError where there can be none."""
    import filelock

    lock = filelock.FileLock(os.path.join(folder, name))
    try:
        lock.acquire(timeout=wait, poll_interval=0.02)
    except filelock.Timeout as error:
        raise BusyError("another process is writing the index: answering from what it holds") from error
    except OSError as error:
        raise UnwritableError(reason(error)) from error
    try:
        yield
    finally:
        lock.release()
