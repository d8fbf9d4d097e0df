"""Watch of a vault: the kernel's events as hints, which say where to look and not what happened.

A hint names a folder and never says what happened there: events are lost, late and out of order,
so what is on disk decides.  On Linux every folder has an inotify watch, and `take`
first reads what the kernel has queued; elsewhere watchdog's own observer tells, a moment later.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING

from indexer.disk.walk import file_identity

from .walk_cache import Hints, PendingHints

if TYPE_CHECKING:
    from .watch_inotify import Inotify
    from .watch_observer import Observed

_ELSEWHERE = (
    "nfs",
    "cifs",
    "smb",
    "9p",
    "fuse.",
    "virtiofs",
    "vboxsf",
    "prl_fs",
    "ceph",
    "afs",
    "lustre",
    "ncpfs",
)
"""Beginnings of the names of file systems that others change too, of which this kernel hears
nothing."""

_HERE = ("fuse.gocryptfs", "fuse.encfs", "fuse.cryfs", "fuse.securefs")
"""Those of them that one machine uses to encrypt its own files."""


class Watch:
    """Watches folders of the vault at `root`, a real path, and calls `wake`, from any thread, when
    there are hints.

    `wake` must not wait for anything. `exact` says whether `take` is sure to know of every change
    made before it was called, but for those in `unwatched`.
    """

    def __init__(self, root: str, wake: Callable[[], None]) -> None:
        self._root = root
        self._found = PendingHints(wake)
        self._identity = file_identity(self._root, follow=True)
        self._is_missing = False
        self._folders: frozenset[str] = frozenset()
        self._elsewhere = elsewhere(root)
        self._source = _source(root, self._found)
        self.exact = self._source.exact and not self._elsewhere

    @property
    def unwatched(self) -> frozenset[str]:
        """Folders that were asked for and cannot be watched, or not reliably."""
        if self._elsewhere:
            return self._folders
        return self._source.unwatched

    @property
    def why(self) -> str:
        """The reason why folders are scanned instead, and the remedy; "" where the system reports
        every change."""
        return self._elsewhere or self._source.why

    def ensure(self, folders: Collection[str]) -> set[str]:
        """Watch exactly these folders; those that are watched from now on only, which may have
        changed just before.

        Folders that are not there are left out, those that cannot be watched are in `unwatched`.
        """
        wanted = frozenset(folders)
        with self._found.lock:
            self._folders = wanted
            if self._source.broken:  # it begins anew, perhaps on another file system
                self._identity = file_identity(self._root, follow=True)
                self._elsewhere = elsewhere(self._root)
                self.exact = self._source.exact and not self._elsewhere
        return self._source.ensure(wanted)

    def take(self) -> Hints:
        """Everything found since the last call, what the kernel has queued up to now included.

        A mount that comes or goes makes no event where it is: the root is looked at too.
        """
        with self._found.lock:
            self._source.read()
            self._check_root()
            return self._found.give()

    def check(self) -> None:
        """See that the watch is well; to be called about every second.

        A reader that died and a vault that went, came back or was replaced give an alarm, once.
        """
        with self._found.lock:
            has_news = self._check_root()
            if not self._source.broken and not self._source.is_alive():
                has_news = self._break("watching stopped unexpectedly")
        if not self._source.broken:
            has_news = self._source.retry() or has_news
        if has_news:
            self._found.wake()

    def close(self) -> None:
        """Stop listening, and give back every thread and descriptor."""
        self._source.close()

    def _check_root(self) -> bool:
        now = file_identity(self._root, follow=True)
        before = self._identity
        was_missing = self._is_missing
        self._is_missing = now is None
        if now is None:
            return not was_missing and self._break("the vault's folder is missing")
        self._identity = now
        if was_missing or before is None:
            return self._break("the vault's folder is back")
        return now != before and self._break("the vault's folder was replaced by another one")

    def _break(self, why: str) -> bool:
        self._source.broken = True
        self._found.alarm(why)
        return True


def _source(root: str, found: PendingHints) -> Inotify | Observed:
    """Source of hints; where it is `broken` it begins anew with the next `ensure`, the rest is as
    in `Watch`."""
    why = ""
    if sys.platform == "linux":
        from .watch_inotify import Inotify, lacking

        why = lacking()
        if not why:
            return Inotify(root, found)
    from .watch_observer import Observed

    return Observed(root, found, why)


def elsewhere(root: str, mounts: str = "/proc/self/mountinfo") -> str:
    """The reason why this kernel may not see changes in this folder; "" where it sees them all.

    The file system is looked up in `mounts` (proc(5)) by its device; one that is not found is taken
    for local.
    """
    if sys.platform != "linux":
        return ""
    try:
        device = os.stat(root).st_dev
        with open(mounts, encoding="utf-8", errors="replace") as file:
            lines = [line.split() for line in file]
    except OSError:
        return ""
    name = f"{os.major(device)}:{os.minor(device)}"
    for fields in lines:
        if name in fields[2:3] and "-" in fields[:-1]:
            kind = fields[fields.index("-") + 1]
            if kind.startswith(_ELSEWHERE) and kind not in _HERE:
                return (
                    f"not every change on {kind} is reported, so the vault is scanned; on a local"
                    " disk it is watched"
                )
    return ""
