"""Hints of what changed in a vault, as they gather until somebody takes them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from indexer.disk.walk import RULE_FILES, may_be_note, may_hold_notes
from indexer.errors import reason

_MOST = 20_000
"""Folders that came and went which are told one by one; a full scan costs less than more of them."""


class Hints(NamedTuple):
    """Hints of where something may have changed since the last ones were taken.

    `folders` (vault-relative, "" is the root) whose own entries may have changed; `trees` that came,
    went or moved, which have to be walked anew with all below; `alarm` is "" or why everything must be
    scanned, and `ensure` be called again.
    """

    folders: frozenset[str]
    trees: frozenset[str]
    alarm: str


class PendingHints:
    """Hints that gather until they are taken.  Callers must hold `lock`; `wake` is called without it."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.lock = threading.RLock()
        self._wake = wake
        self._folders: set[str] = set()
        self._trees: set[str] = set()
        self._alarm = ""

    def file(self, folder: str, name: str) -> None:
        """Add a hint for a file; one that can be no note and holds no rules is left out."""
        if may_be_note(name) or name in RULE_FILES:
            self._folders.add(folder)

    def folder(self, folder: str) -> None:
        """Add a hint that the entries of this folder may have changed."""
        self._folders.add(folder)

    def below(self, folder: str, name: str) -> str | None:
        """Add a hint for a folder that came, went or changed in `folder`: its path, None if no note can be in it."""
        if not may_hold_notes(name):
            return None
        path = f"{folder}/{name}" if folder else name
        self._folders.add(folder)
        self.tree(path)
        return path

    def tree(self, folder: str) -> None:
        """Add a hint that a folder and all below it may have changed."""
        self._trees.add(folder)
        if len(self._trees) > _MOST:
            self.alarm("too many folders changed at once")

    def alarm(self, why: str) -> None:
        """Ask for a full scan, which replaces all hints; of several reasons the first is kept."""
        self._alarm = self._alarm or why
        self._folders.clear()
        self._trees.clear()

    def give(self) -> Hints:
        """The hints gathered so far, which are forgotten here."""
        hints = Hints(frozenset(self._folders), frozenset(self._trees), self._alarm)
        self._folders.clear()
        self._trees.clear()
        self._alarm = ""
        return hints

    def wake(self) -> None:
        """Say that there is something to take, if there is."""
        if not (self._folders or self._trees or self._alarm):
            return
        try:
            self._wake()
        except Exception as error:  # noqa: BLE001  the thread that listens must outlive whoever is woken
            with self.lock:
                self.alarm(f"a change could not be reported: {error}")


def refusal(error: OSError) -> str:
    """The reason why the system refuses to watch folders, and the remedy."""
    import errno

    if error.errno in (errno.EMFILE, errno.ENFILE):
        return (
            "too many watchers or open files, so folders are scanned instead; "
            "to watch them on Linux, raise fs.inotify.max_user_instances"
        )
    return f"the system refused to watch ({reason(error)}), so folders are scanned instead"
