"""Cache of a walk, folder by folder, so that a pass looks again only where something happened.

`look` gives the same Walk, in the same order, as a walk over everything would, as long as it is told
of every folder whose entries changed; that is what `watch.py` is for, and the periodic scan besides.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from indexer.disk.walk import IgnoreRules, Walk, look


class Part(NamedTuple):
    """Contents of one folder: its notes, failures and rule files, the folders below, what the rules said of them."""

    walk: Walk
    below: list[str]
    verdicts: dict[str, bool]


class Seen:
    """The folders of the vault at `root` as they were when each was last looked at; none at first."""

    def __init__(self, root: str) -> None:
        self.root = root
        self._parts: dict[str, Part] = {}
        self._latest: set[str] = set()

    @property
    def folders(self) -> Collection[str]:
        """Every folder that was walked; "" is the root."""
        return self._parts.keys()

    def look(self, rules: IgnoreRules, folders: Iterable[str] | None, trees: Iterable[str] = ()) -> Walk:
        """Look again at these folders, and at `trees` with all that is below them, or at everything for None.

        Sets the `files` and `verdicts` of `rules` to those of the whole vault.  IndexUnavailableError
        where the root cannot be listed; then nothing is known any more.
        """
        if folders is None or "" not in self._parts:
            self._parts = {}
            dirty = {""}
        else:
            dirty = self._dirty(folders, trees)
        rules.files = {path for name, part in self._parts.items() if name not in dirty for path in part.walk.rules}
        try:
            for folder in sorted(dirty, key=lambda name: (name.count("/"), name)):
                if not folder or folder in self._parts:
                    self._list(folder, rules)
        except BaseException:
            self._parts = {}
            raise
        return self._whole(rules)

    def settle(self, on_disk: Walk, verdicts: dict[str, bool]) -> None:
        """Take over what the rules said afterwards of the notes that were found since this was last done."""
        latest, self._latest = self._latest, set()
        for name in latest & self._parts.keys():
            part = self._parts[name]
            for path in [path for path in part.walk.found if path not in on_disk.found]:
                if verdicts.get(path):
                    del part.walk.found[path]
                    part.verdicts[path] = True

    def _dirty(self, folders: Iterable[str], trees: Iterable[str]) -> set[str]:
        """The known folders to list: those named, or the nearest above; what is below a tree is forgotten."""
        dirty = set()
        for tree in trees:
            for name in [name for name in self._parts if name == tree or name.startswith(tree + "/")]:
                del self._parts[name]
            dirty.add(tree.rpartition("/")[0])
        if "" not in self._parts:
            return {""}
        found = set()
        for folder in (*folders, *dirty):
            known = folder
            while known not in self._parts:
                known = known.rpartition("/")[0]
            found.add(known)
        return found

    def _list(self, start: str, rules: IgnoreRules) -> None:
        """List a folder, and whatever is below it and not known yet."""
        pending = [start]
        while pending:
            folder = pending.pop()
            rules.verdicts, result = {}, Walk({}, {}, {})
            below = look(self.root, folder, rules, result)
            before = self._parts.get(folder)
            self._parts[folder] = Part(result, below, rules.verdicts)
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
        rules.verdicts, rules.files = verdicts, set(whole.rules)
        return whole
