"""Hints of what changed, and the cache of a walk that they renew, folder by folder: a pass looks
again only where something happened.

`look` gives the same Walk, in the same order, as a walk over everything would, as long as it is
told of every folder whose entries changed; that is what `watch.py` is for, and the periodic scan
besides.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable
from posixpath import dirname
from typing import NamedTuple

from indexer.disk.beneath import Descent
from indexer.disk.walk import (
    RULE_FILES,
    IgnoreRules,
    Walk,
    list_folder,
    may_be_note,
)
from indexer.errors import error_reason


class _FolderPart(NamedTuple):
    """Contents of one folder: its notes, failures and rule files, the folders below, what the rules
    said of them."""

    walk: Walk
    below: list[str]
    verdicts: dict[str, bool]


class Seen:
    """The folders of the vault at `root` as they were when each was last looked at; none at
    first."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._parts: dict[str, _FolderPart] = {}
        self._latest: set[str] = set()

    @property
    def folders(self) -> Collection[str]:
        """Every folder that was walked; "" is the root."""
        return self._parts.keys()

    def look(
        self,
        rules: IgnoreRules,
        folders: Iterable[str] | None,
    ) -> Walk:
        """Look again at these folders, the nearest above those that are not known, or at everything
        for None.

        Sets the `files` and `verdicts` of `rules` to those of the whole vault.
        IndexUnavailableError where the root cannot be listed; then nothing is known any more.
        """
        if folders is None or "" not in self._parts:
            self._parts = {}
            dirty = {""}
        else:
            dirty = set(map(self._known, folders))
        rules.files = set()
        for name, part in self._parts.items():
            if name not in dirty:
                rules.files.update(part.walk.rules)
        try:
            for folder in sorted(dirty, key=lambda name: (name.count("/"), name)):
                if not folder or folder in self._parts:
                    self._list(folder, rules)
        except BaseException:
            self._parts = {}
            raise
        return self._whole(rules)

    def settle(self, on_disk: Walk, verdicts: dict[str, bool]) -> None:
        """Take over what the rules said afterwards of the notes that were found since this was last
        done."""
        latest = self._latest
        self._latest = set()
        for name in latest & self._parts.keys():
            part = self._parts[name]
            for path in [path for path in part.walk.found if path not in on_disk.found]:
                if verdicts.get(path):
                    del part.walk.found[path]
                    part.verdicts[path] = True

    def _known(self, folder: str) -> str:
        """The folder, or the nearest above that is known."""
        while folder not in self._parts:
            folder = dirname(folder)
        return folder

    def _list(self, start: str, rules: IgnoreRules) -> None:
        """List a folder, and whatever is below it and not known yet."""
        pending = [start]
        with Descent(self.root) as descent:
            while pending:
                folder = pending.pop()
                rules.verdicts = {}
                result = Walk({}, {}, {})
                below = list_folder(descent, folder, rules, result)
                before = self._parts.get(folder)
                self._parts[folder] = _FolderPart(result, below, rules.verdicts)
                self._latest.add(folder)
                if before is not None:
                    self._forget(set(before.below).difference(below))
                pending += [name for name in below if name not in self._parts]

    def _forget(self, folders: Iterable[str]) -> None:
        pending = list(folders)
        while pending:
            part = self._parts.pop(pending.pop(), None)
            if part is not None:
                pending += part.below

    def _whole(self, rules: IgnoreRules) -> Walk:
        """All parts as one walk, in the order in which `walk` goes."""
        found: dict[str, tuple[int, int, int, int]] = {}
        whole = Walk(found, {}, {})
        verdicts: dict[str, bool] = {}
        pending = [""]
        while pending:
            part = self._parts[pending.pop()]
            found.update(part.walk.found)
            whole.failed.update(part.walk.failed)
            whole.rules.update(part.walk.rules)
            verdicts.update(part.verdicts)
            pending += part.below
        rules.verdicts = verdicts
        rules.files = set(whole.rules)
        return whole


class Hints(NamedTuple):
    """Hints of where something may have changed since the last ones were taken.

    `folders` (vault-relative, "" is the root) whose own entries may have changed; `alarm` is "" or
    why everything must be scanned, and `ensure` be called again.
    """

    folders: frozenset[str]
    alarm: str


class PendingHints:
    """Hints that gather until they are taken. Callers must hold `lock`; `wake` is called without
    it."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self.lock = threading.RLock()
        self._wake = wake
        self._folders: set[str] = set()
        self._alarm = ""

    def file(self, folder: str, name: str) -> None:
        """Add a hint for a file; one that can be no note and holds no rules is left out."""
        if may_be_note(name) or name in RULE_FILES:
            self._folders.add(folder)

    def folder(self, folder: str) -> None:
        """Add a hint that the entries of this folder may have changed."""
        self._folders.add(folder)

    def alarm(self, why: str) -> None:
        """Ask for a full scan, which replaces all hints; of several reasons the first is kept."""
        self._alarm = self._alarm or why
        self._folders.clear()

    def give(self) -> Hints:
        """The hints gathered so far, which are forgotten here."""
        hints = Hints(frozenset(self._folders), self._alarm)
        self._folders.clear()
        self._alarm = ""
        return hints

    def wake(self) -> None:
        """Say that there is something to take, if there is."""
        if not (self._folders or self._alarm):
            return
        try:
            self._wake()
        # the thread that listens must outlive whoever is woken
        except Exception as error:  # noqa: BLE001
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
    return f"the system refused to watch ({error_reason(error)}), so folders are scanned instead"
