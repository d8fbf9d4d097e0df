"""Watch by watchdog's observer: on macOS and Windows, and where inotify itself cannot be used.

Its events come some time after the change, so nothing here is exact; what they say happened is not
believed either, only where.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Collection
from typing import TYPE_CHECKING

from indexer.disk.walk import may_hold_notes

from .walk_cache import PendingHints, refusal

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent
    from watchdog.observers.api import BaseObserver

_SECONDS_UNTIL_RETRY = 30.0
"""Seconds after which an observer that could not be started is tried again."""

_ASKED = ("Created", "Modified", "Attrib", "Deleted", "Moved")
"""What is asked for of files and folders: with "opened" among them its own walks would fill the
queue."""


class Observed:
    """One observer for all that is below `root`; see `Watch` for what the public names do.

    `instead` is why it stands in for something better, "" where it does not.
    """

    exact = False

    def __init__(self, root: str, found: PendingHints, instead: str) -> None:
        self.broken = False
        self._root = root
        self._found = found
        self._instead = instead
        self._arming = threading.RLock()
        """Held while the observer comes and goes; always taken before the lock of `found`."""
        self._is_closed = False
        self._observer: BaseObserver | None = None
        self._refusal = ""
        self._again = 0.0
        self._folders: frozenset[str] = frozenset()

    @property
    def unwatched(self) -> frozenset[str]:
        """Folders that are not watched: none, or all while there is no observer."""
        if self._observer is not None:
            return frozenset()
        return self._folders

    @property
    def why(self) -> str:
        """The reason why there is no observer, or why there is one instead of inotify."""
        return self._refusal or self._instead

    def ensure(self, folders: Collection[str]) -> set[str]:
        """Observe everything below the root; all of `folders` if that began with this call."""
        with self._arming:
            if self._is_closed:
                return set()
            if self.broken:
                self._stop()
            self._folders = frozenset(folders)
            if self._observer is not None or time.monotonic() < self._again:
                return set()
            if self._start():
                return set(self._folders)
            return set()

    def read(self) -> None:
        """Nothing: whatever is on its way comes when it comes."""

    def is_alive(self) -> bool:
        """Whether all its threads run: a reader can die while the rest goes on."""
        observer = self._observer
        if observer is None:
            return True
        return all(thread.is_alive() for thread in (observer, *observer.emitters.copy()))

    def retry(self) -> bool:
        """Try again, from time to time, to start; whether there are hints by that."""
        if self._observer is not None or not self._refusal or time.monotonic() < self._again:
            return False
        if not self.ensure(self._folders):
            return False
        with self._found.lock:
            self._found.alarm("the vault can be watched again")
        return True

    def close(self) -> None:
        """Stop and join its threads; again does nothing."""
        with self._arming:
            self._is_closed = True
            self._stop()
            self._folders = frozenset()

    # -- the observer ------------------------------------------------------------------------------

    def _start(self) -> bool:
        try:
            from watchdog import events, observers

            class Listener(events.FileSystemEventHandler):
                """Passes on every event."""

                def __init__(self, source: Observed) -> None:
                    self.source = source

                def dispatch(self, event: FileSystemEvent) -> None:
                    self.source.on_event(event)

            names = [f"File{what}Event" for what in (*_ASKED, "Closed")]
            names += [f"Dir{what}Event" for what in _ASKED]
            asked = [getattr(events, name) for name in names if hasattr(events, name)]
            self._observer = observers.Observer()
            self._observer.schedule(Listener(self), self._root, recursive=True, event_filter=asked)
            self._observer.start()
        # each platform fails in its own way, and scanning works on all
        except Exception as error:  # noqa: BLE001
            self._stop()
            self._again = time.monotonic() + _SECONDS_UNTIL_RETRY
            self._refusal = refusal(error if isinstance(error, OSError) else OSError(0, str(error)))
            return False
        self._refusal = ""
        return True

    def _stop(self) -> None:
        observer = self._observer
        self._observer = None
        self.broken = False
        self._again = 0.0
        if observer is None:
            return
        try:
            observer.stop()
            if observer.is_alive():
                observer.join()
        except Exception:  # noqa: BLE001, S110  it may fail at stopping what failed before
            pass

    # -- an event ----------------------------------------------------------------------------------

    def on_event(self, event: FileSystemEvent) -> None:
        """Turn one event into a hint; called by the observer's thread. It names the root, for a
        pass looks everywhere where nothing is exact."""
        with self._found.lock:
            try:
                for path in (event.src_path, event.dest_path):
                    if path:
                        self._turn(os.fsdecode(path), event)
            except Exception as error:  # noqa: BLE001  an exception here would end the observer
                self._found.alarm(f"a file event could not be handled: {error}")
        self._found.wake()

    def _turn(self, path: str, event: FileSystemEvent) -> None:
        if path == self._root:
            if event.event_type in {"modified", "attrib", "closed"}:
                self._found.folder("")
            else:
                self.broken = True
                self._found.alarm("the vault was moved or deleted")
            return
        start = os.path.join(self._root, "")
        if not path.startswith(start):  # spelled in another way
            self._found.folder("")
            return
        inside = path[len(start) :].replace(os.sep, "/")
        *above, name = inside.split("/")
        if not all(map(may_hold_notes, above)):
            return
        # Windows calls a folder that went a file
        if not (event.is_directory or inside in self._folders):
            self._found.file("", name)
        elif may_hold_notes(name):
            self._found.folder("")
