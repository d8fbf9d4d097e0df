"""Locks of the operating system on files: who may write an index, a vault, its log; free as soon as
their holder dies.

In an index folder `WRITE` is held for one batch at a time, `BUILD` for a whole build; who needs
both takes `BUILD` first. On a file system without locks, one in a folder of this machine stands in
for them. Whether an index folder can be written at all, and where the index is if not, is here too.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time

from indexer.errors import error_reason

WRITE = "lock"
BUILD = "build.lock"

BUSY = "another process is updating the index"
LATE = "results may lack the latest edits"
ALONE = "its file system has no file locks, so only one computer at a time may use it"

_POLL = 0.01
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)
_NONE = {
    errno.ENOSYS,
    errno.ENOLCK,
    errno.ENOTSUP,
    errno.EINVAL,
    getattr(errno, "EOPNOTSUPP", errno.ENOTSUP),
}
"""What a file system without locks answers."""
_MACHINE = "/tmp"  # noqa: S108  # the folder made in it is looked at before it is used


class BusyError(Exception):
    """A file is not to be written now: another process holds the lock, or another index took its
    place."""


class UnwritableError(BusyError):
    """Nothing can be written in this folder at all: permissions, a full disk."""


class Hold:
    """The lock of that name in a folder, held from `__enter__` to `__exit__`; BusyError, which says
    `busy`, after `wait` seconds, UnwritableError where there can be none.

    What is given is "", or what is to be told: that the lock holds off processes of this machine
    alone. No context manager of contextlib, which a hook would wait for.
    """

    def __init__(self, folder: str, name: str, wait: float, busy: str = BUSY) -> None:
        self._folder = folder
        self._path = os.path.join(folder, name)
        self._wait = wait
        self._busy = busy
        self._handle: int | None = None

    def __enter__(self) -> str:
        """Wait for the lock."""
        lacking = ""
        try:
            try:
                self._handle = _take(self._path, self._wait)
            except OSError as error:
                if error.errno not in _NONE or os.name == "nt":
                    raise
                self._handle = _take(_stand_in(self._path), self._wait)
                lacking = f"{self._folder}: {ALONE}"
        except OSError as error:
            raise UnwritableError(error_reason(error)) from error
        if self._handle is None:
            raise BusyError(self._busy)
        return lacking

    def __exit__(self, *why: object) -> None:
        """Let it go."""
        if self._handle is not None:
            _let_go(self._handle)
            self._handle = None


hold = Hold


def _take(path: str, wait: float) -> int | None:
    """A descriptor that holds the lock until it is closed; None where another process does.
    OSError."""
    until = time.monotonic() + wait
    while True:
        handle = os.open(path, _FLAGS, 0o644)
        try:
            if (
                _try(handle) and os.fstat(handle).st_nlink
            ):  # else it was removed as it was opened: that holds nobody off
                return handle
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        if time.monotonic() >= until:
            return None
        time.sleep(_POLL)


def _try(handle: int) -> bool:
    if sys.platform == "win32":  # not tried here
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _let_go(handle: int) -> None:
    try:
        if sys.platform == "win32":  # closing it frees the lock some time later; not tried here
            import msvcrt

            os.lseek(handle, 0, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)
    finally:
        os.close(handle)


def _stand_in(path: str) -> str:
    """A file of this machine and this person that is locked instead.  OSError."""
    from hashlib import sha256

    folder = os.path.join(_MACHINE, f"aurelius-locks-{os.getuid()}")
    make_own(folder)
    return os.path.join(folder, sha256(os.fsencode(os.path.realpath(path))).hexdigest()[:32])


def make_own(folder: str) -> None:
    """Make a folder, where others may write beside it, that only this user may look into; one that
    is there is made so.

    PermissionError where it is a link or somebody else's, or where others may have put something
    into it.
    """
    try:  # noqa: SIM105 contextlib would have to be imported
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.getuid():
        raise PermissionError(errno.EACCES, f"{folder} belongs to another user, or is a link")
    if found.st_mode & 0o022:
        raise PermissionError(errno.EACCES, f"{folder} can be written by other users")
    if found.st_mode & 0o055:
        os.chmod(folder, 0o700)


def make_private(folder: str) -> None:
    """Make a folder and those above it, where they are missing, that only this user may look into.
    OSError."""
    os.makedirs(folder, mode=0o700, exist_ok=True)


def folder_obstacle(folder: str, *, own: bool = False) -> str | None:
    """Why an index folder cannot be written, None where it can; with `own` it and the one above are
    ours alone."""
    try:
        for each in (os.path.dirname(folder), folder) if own and hasattr(os, "getuid") else ():
            make_own(each)
        make_private(folder)
        probe = os.path.join(folder, f"probe.{os.urandom(4).hex()}")
        with open(probe, "wb"):
            pass
        os.remove(probe)
    except OSError as error:
        return error.strerror or str(error)
    return None


def temporary(folder: str) -> str:
    """Where the index is when its own folder cannot be written."""
    import tempfile

    user = os.getuid() if hasattr(os, "getuid") else "user"
    return os.path.join(tempfile.gettempdir(), f"aurelius-{user}", os.path.basename(folder))
