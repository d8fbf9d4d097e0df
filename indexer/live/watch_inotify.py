"""Linux watches: one inotify watch for every folder asked for, by the system calls that watchdog
offers.

watchdog's own inotify observer does not fit: it delays a move until its other half arrives, reports
events that our own walks cause, and cannot tell what is queued right now. So the descriptor, the
thread that waits on it and the few lines that take events apart (inotify(7)) are our own.
"""

from __future__ import annotations

import errno
import os
import struct
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from importlib import import_module
from operator import attrgetter
from typing import Any

from indexer.disk.walk import may_hold_notes
from indexer.errors import error_reason

from .walk_cache import PendingHints, refusal

MODIFY = 0x2
ATTRIB = 0x4
CLOSE_WRITE = 0x8
MOVED_FROM = 0x40
MOVED_TO = 0x80
CREATE = 0x100
DELETE = 0x200
DELETE_SELF = 0x400
MOVE_SELF = 0x800
UNMOUNT = 0x2000
Q_OVERFLOW = 0x4000
IGNORED = 0x8000
ONLYDIR = 0x1000000
DONT_FOLLOW = 0x2000000
EXCL_UNLINK = 0x4000000
ISDIR = 0x40000000

MASK = (
    MODIFY
    | ATTRIB
    | CLOSE_WRITE
    | MOVED_FROM
    | MOVED_TO
    | CREATE
    | DELETE
    | DELETE_SELF
    | MOVE_SELF
    | ONLYDIR
    | DONT_FOLLOW
    | EXCL_UNLINK
)
"""Events asked for in every folder: none that reading a file or a folder causes."""

_SECONDS_UNTIL_RETRY = 30.0
"""Seconds after which what could not be watched is tried again, and every watch is compared with
its path."""
_SECONDS_BETWEEN_READS = 0.01
"""Seconds between two reads of the thread, so that a storm does not cost a turn for each event."""
WHOLE_QUEUE = 4 << 20
"""Bytes of more events than the kernel keeps."""

_EVENT = struct.Struct("iIII")
"""What stands before the name of an event: watch, mask, cookie, length of the name with what fills
it up."""
_CHANGED = "a folder came, went or moved"
_SAME = 0
"""Number used in place of an error number: the folder is a watched one under a second path."""


def lacking() -> str:
    """The reason why watchdog's own observer is used instead; "" if inotify can be used."""
    try:
        from watchdog.observers import inotify_c

        attrgetter("inotify_init", "inotify_add_watch", "inotify_rm_watch")(inotify_c)
    # ImportError, or UnsupportedLibcError, which would have to be imported
    except Exception as error:  # noqa: BLE001
        return f"inotify cannot be used ({error}), so every search scans all notes"
    return ""


class Queue:
    """Queue of the kernel's events: a descriptor, and a pipe by which `wait` is ended. OSError if
    refused."""

    def __init__(self) -> None:
        import ctypes
        from select import POLLIN, poll

        from watchdog.observers.inotify_c import inotify_init

        self.number = inotify_init()
        if self.number < 0:
            raise _error(ctypes.get_errno())
        os.set_inheritable(self.number, False)  # no program that is started shall hold it
        os.set_blocking(self.number, False)
        try:
            self._end, self._stop = os.pipe()
        except OSError:
            os.close(self.number)
            raise
        self._poll = poll()
        self._poll.register(self.number, POLLIN)
        self._poll.register(self._end, POLLIN)

    def wait(self) -> bool:
        """Wait until there are events; False when `stop` was called."""
        return all(number != self._end for number, _ in self._poll.poll())

    def events(self) -> Iterator[tuple[int, int, bytes]]:
        """Watch, mask and name of every event that is queued now; never waits."""
        try:
            data = os.read(self.number, WHOLE_QUEUE)
        except BlockingIOError:
            return
        at = 0
        while at < len(data):
            wd, mask, _, length = _EVENT.unpack_from(data, at)
            at += _EVENT.size + length
            yield wd, mask, data[at - length : at].rstrip(b"\0")

    def stop(self) -> None:
        """End `wait`, now and from now on."""
        os.close(self._stop)

    def close(self) -> None:
        """Give back the other descriptors, when nobody waits any more."""
        for number in (self.number, self._end):
            os.close(number)


class Inotify:
    """Watches of the folders below `root`; see `Watch` for what the public names do."""

    exact = True

    def __init__(self, root: str, found: PendingHints) -> None:
        for name in ("ctypes", "select"):  # `Queue` may find no descriptor left for an import
            import_module(name)
        from watchdog.observers.inotify_c import inotify_add_watch, inotify_rm_watch

        self.broken = False
        self._root = os.fsencode(root)
        self._found = found
        self._arming = threading.RLock()
        """Held while the descriptor comes and goes; always taken before the lock of `found`."""
        self._is_closed = False
        self._queue: Queue | None = None
        self._reader: threading.Thread | None = None
        self._refusal = ""
        self._again = 0.0
        self._add: Callable[[int, bytes, int], int] = inotify_add_watch
        self._remove: Callable[[int, Any], int] = inotify_rm_watch
        self._wds: dict[str, int] = {}
        self._folders: dict[int, str] = {}
        """The same the other way round: the kernel has one watch for one folder, whatever its
        paths."""
        self._refused: dict[str, int] = {}

    @property
    def unwatched(self) -> frozenset[str]:
        """Folders for which there is no watch."""
        with self._found.lock:
            return frozenset(self._refused)

    @property
    def why(self) -> str:
        """The reason why there is no watch for these folders."""
        with self._found.lock:
            numbers = set(self._refused.values())
        if not numbers or self._refusal:
            return self._refusal
        if errno.ENOSPC in numbers:
            return (
                "too many folders to watch, so some are scanned instead; "
                "to watch all, raise fs.inotify.max_user_watches"
            )
        told = ", ".join(sorted(map(_why_refused, numbers)))
        return f"some folders cannot be watched ({told}): they are scanned instead"

    def ensure(self, folders: Collection[str]) -> set[str]:
        """Watch exactly these folders; those newly watched."""
        wanted = frozenset(folders)
        with self._arming:
            if self._is_closed:
                return set()
            if self.broken:
                self._shut()
            is_due = time.monotonic() >= self._again
            if self._queue is None and (is_due or not self._refusal):
                self._open()
            with self._found.lock:
                if is_due:
                    self._again = time.monotonic() + _SECONDS_UNTIL_RETRY
                if self._queue is not None:
                    return self._watch_only(self._queue, wanted, anew=is_due)
                self._refused = dict.fromkeys(wanted, errno.EMFILE)
                return set()

    def _watch_only(self, queue: Queue, wanted: frozenset[str], *, anew: bool) -> set[str]:
        """Watch these folders and no other; those newly watched. With `anew` every watch is
        compared with its path, and what was refused is tried again."""
        for path in self._refused.keys() - wanted:
            del self._refused[path]
        self._drop(self._wds.keys() - wanted)
        if anew:
            return self._put(queue, wanted)
        return self._put(queue, wanted.difference(self._wds, self._refused))

    def read(self) -> None:
        """Turn what the kernel has queued up to now into hints; never waits. The lock of `found` is
        held."""
        if self._queue is None:
            return
        try:
            events = dict.fromkeys(self._queue.events())  # a storm repeats itself
        except (OSError, struct.error) as error:
            self._break(
                "file events cannot be read:"
                f" {error_reason(error) if isinstance(error, OSError) else error}"
            )
            return
        for wd, mask, name in events:
            try:
                self._turn(wd, mask, name)
            except Exception as error:  # noqa: BLE001  one event never stops the others
                self._break(f"a file event could not be handled: {error}")

    def is_alive(self) -> bool:
        """Whether the thread runs, or there is nothing to listen to."""
        return self._queue is None or (self._reader is not None and self._reader.is_alive())

    def retry(self) -> bool:
        """Try again, from time to time, to watch what could not be watched; returns whether that
        gave hints."""
        if not self._refused or time.monotonic() < self._again:
            return False
        with self._found.lock:
            wanted = self._wds.keys() | self._refused.keys()
        new = self.ensure(wanted)
        with self._found.lock:
            for folder in new:
                self._found.folder(folder)
        return bool(new)

    def close(self) -> None:
        """Stop, join, give back the descriptors; again does nothing."""
        with self._arming:
            self._is_closed = True
            self._shut()
            self._refused = {}

    # -- the descriptor ----------------------------------------------------------------------------

    def _open(self) -> None:
        try:
            queue = Queue()
        except OSError as error:
            self._refusal = refusal(error)
            return
        self._refusal = ""
        reader = threading.Thread(
            target=self._listen, args=(queue,), name="aurelius-watch", daemon=True
        )
        with self._found.lock:
            self._queue = queue
            self._reader = reader
            reader.start()

    def _shut(self) -> None:
        """Forget all watches; the descriptors are closed when no thread can look at them any
        more."""
        with self._found.lock:
            queue = self._queue
            self._queue = None
            reader = self._reader
            self._reader = None
            self._wds = {}
            self._folders = {}
            self.broken = False
            self._again = 0.0
        if queue is not None:
            queue.stop()
            if reader is not None and reader is not threading.current_thread():
                reader.join()
            queue.close()

    def _listen(self, queue: Queue) -> None:
        try:
            while queue.wait():
                with self._found.lock:
                    if queue is self._queue:
                        self.read()
                self._found.wake()
                time.sleep(_SECONDS_BETWEEN_READS)
        # whatever it is, it is told, and the next `ensure` begins anew
        except Exception as error:  # noqa: BLE001
            with self._found.lock:
                self._break(f"watching stopped unexpectedly: {error}")
            self._found.wake()

    def _break(self, why: str) -> None:
        self.broken = True
        self._found.alarm(why)

    # -- the watches -------------------------------------------------------------------------------

    def _put(self, queue: Queue, folders: Iterable[str]) -> set[str]:
        """Add watches, parents first, so that no folder moves between its own watch and that of its
        parent; those that are new."""
        new = set()
        for folder in sorted(folders):
            if folder:
                path = self._root + b"/" + os.fsencode(folder)
            else:
                path = self._root
            wd = self._add(queue.number, path, MASK if folder else MASK & ~DONT_FOLLOW)
            if wd < 0:
                self._refuse(folder)
                continue
            before = self._folders.get(wd)
            if before is not None and before != folder:
                self._drop([folder])
                self._refused[folder] = _SAME
                continue
            self._refused.pop(folder, None)
            if before == folder:
                continue
            self._drop([folder])
            self._wds[folder] = wd
            self._folders[wd] = folder
            new.add(folder)
        return new

    def _refuse(self, folder: str) -> None:
        import ctypes

        number = ctypes.get_errno()
        self._drop([folder])
        if number in (errno.ENOENT, errno.ENOTDIR):
            self._refused.pop(folder, None)
        else:
            self._refused[folder] = number

    def _drop(self, folders: Iterable[str]) -> None:
        assert self._queue is not None  # without it there are no watches
        for folder in folders:
            wd = self._wds.pop(folder, None)
            if wd is not None:
                del self._folders[wd]
                self._remove(self._queue.number, wd)

    # -- an event ----------------------------------------------------------------------------------

    def _turn(self, wd: int, mask: int, name: bytes) -> None:
        """Turn one event into hints."""
        if mask & Q_OVERFLOW:
            self._break("the event queue overflowed")
            return
        folder = self._folders.get(wd)
        if folder is None:  # a watch that was given up
            return
        if name and not mask & ISDIR:
            self._found.file(folder, os.fsdecode(name))
        elif name:
            if may_hold_notes(os.fsdecode(name)):
                self._turn_folder(mask)
        else:
            self._turn_self(wd, folder, mask)

    def _turn_folder(self, mask: int) -> None:
        """Handle that a folder came, went, moved or has other rights: everything is looked at, and
        after a move watched anew, for the paths of its watches are no longer theirs."""
        self._refused = {}
        if mask & (MOVED_FROM | MOVE_SELF):
            self._break(_CHANGED)
        else:
            self._found.alarm(_CHANGED)

    def _turn_self(self, wd: int, folder: str, mask: int) -> None:
        """Handle an event of a watched folder itself."""
        if mask & UNMOUNT:
            self._break("a file system was unmounted")
        elif not folder and mask & (DELETE_SELF | MOVE_SELF | IGNORED):
            self._break("the vault was moved or deleted")
        else:
            self._turn_folder(mask)
        if mask & IGNORED:
            del self._folders[wd]
            del self._wds[folder]


def _why_refused(number: int) -> str:
    if number == _SAME:
        return "the folder has a second path"
    return error_reason(_error(number))


def _error(number: int) -> OSError:
    return OSError(number, os.strerror(number))
