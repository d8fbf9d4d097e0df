"""Who may write: locks of the operating system on files in the index folder, free as soon as their holder dies.

`WRITE` is held for one batch at a time, `BUILD` for a whole build.  Who needs both takes `BUILD` first.
"""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from .walk import reason

WRITE, BUILD = "lock", "build.lock"

_BUSY = "another process is writing the index: answering from what it holds"
_POLL = 0.02


class BusyError(Exception):
    """The index cannot be written now: another process holds the lock, or another index took its place."""


class UnwritableError(BusyError):
    """The index cannot be written in this folder at all: permissions, a full disk."""


@contextmanager
def hold(folder: str, name: str, wait: float) -> Iterator[None]:
    """Hold a lock of an index folder; BusyError after `wait` seconds, UnwritableError where there can be none."""
    path = os.path.join(folder, name)
    try:
        handle = _flock(path, wait)
    except OSError as error:
        raise UnwritableError(reason(error)) from error
    if handle is None:
        with _hold(path, wait):
            yield
        return
    try:
        yield
    finally:
        os.close(handle)


def _flock(path: str, wait: float) -> int | None:
    """A descriptor that holds the lock until it is closed, as filelock would, which takes long to import; None where
    there is no such thing.  BusyError, OSError."""
    if os.name == "nt":
        return None
    import fcntl

    until = time.monotonic() + wait
    while True:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if os.fstat(handle).st_nlink:  # else somebody removed it while it was opened: that holds nobody off
                return handle
        except BlockingIOError:
            pass
        except OSError as error:
            os.close(handle)
            if error.errno == errno.ENOSYS:
                return None
            raise
        os.close(handle)
        if time.monotonic() >= until:
            raise BusyError(_BUSY)
        time.sleep(_POLL)


@contextmanager
def _hold(path: str, wait: float) -> Iterator[None]:
    import filelock

    lock = filelock.FileLock(path)
    try:
        lock.acquire(timeout=wait, poll_interval=_POLL)
    except filelock.Timeout as error:
        raise BusyError(_BUSY) from error
    except OSError as error:
        raise UnwritableError(reason(error)) from error
    try:
        yield
    finally:
        lock.release()
