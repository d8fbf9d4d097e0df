"""Notes that another program renamed, kept in the vault's state folder: where a link that leads nowhere once led.

What is kept may be lost or damaged at any time; then nothing is proposed.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from aurelius.settings.places import RENAMED
from aurelius.writing.own_files import replace_file
from indexer.catalog.link_targets import as_meant, find, is_at
from indexer.catalog.names import Called, Names, key, without_ending
from indexer.reading.path_meaning import title_of_path

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from indexer.catalog.graph import Broken
    from indexer.note import Link

MOST, BYTES = 1000, 1024 * 1024
"""Renames that are kept, and the size of the file above which it is not read."""

_LINKS = {"unwritten": "wiki", "broken-link": "markdown"}


class Renamed(NamedTuple):
    """A note's old and new path; `own` where Aurelius moved it and no look at the files has seen that yet."""

    old: str
    new: str
    own: bool = False


def remember(state: str, renamed: Iterable[tuple[str, str]], *, own: bool = False) -> None:
    """Keep old and new paths; where that cannot be written, nothing is kept."""
    known = _read(state)
    latest = {each.old: each for each in known}
    told: list[Renamed] = []
    for old, new in dict.fromkeys(renamed):
        before = latest.get(old)
        if before and before.own and before.new != new:  # the files were not looked at between the two
            told.append(Renamed(before.new, new))
        told.append(Renamed(old, new, own))
    if any(each not in known for each in told):
        pairs = {each[:2] for each in told}
        _write(state, [*(each for each in known if each[:2] not in pairs), *told][-MOST:])


def drop(state: str, path: str) -> None:
    """Forget what is kept of a note."""
    known = _read(state)
    left = [each for each in known if path not in each[:2]]
    if left != known:
        _write(state, left)


def later_paths(state: str, there: Collection[str]) -> dict[str, str]:
    """Old path → present one, of the notes that are not there under the old one and are under the new one."""
    step = {each.old: each.new for each in _read(state)}  # the last rename of each path
    found: dict[str, str] = {}
    for old, at_once in step.items():
        new, seen = at_once, {old}
        while new not in there and new in step and new not in seen:
            seen.add(new)
            new = step[new]
        if old not in there and new in there:
            found[old] = new
    return found


class Past:
    """Names that notes had before they were renamed; `later` leads from old paths to new ones."""

    def __init__(self, later: Mapping[str, str]) -> None:
        self.later = later
        self._names = Names(Called(old, title_of_path(old, None), (), "note", None) for old in later)

    def of(self, broken: Broken) -> tuple[str, str] | None:
        """The old and the new path of the note that a broken link once led to; None for none."""
        style = _LINKS.get(broken.code)
        target = broken.written.partition("#")[0]
        old = find(self._names, broken.path, target, style) if style and target and self.later else None
        return (old, self.later[old]) if old is not None and old in self.later else None

    def by_file(self, names: Names, source: str, link: Link) -> tuple[str, str] | None:
        """The same of a link that led to a note by its file name, and now does by a title or an alias alone."""
        if link.style != "wiki" or key(without_ending(link.target)).rpartition("/")[2] not in self._names.by_stem:
            return None
        meant, new = as_meant(names, source, link)
        old = find(self._names, source, meant.target, meant.style)
        if old is None or new is None or self.later.get(old) != new:
            return None
        return (old, new) if is_at(old, meant.target) and not is_at(new, meant.target) else None


def _read(state: str) -> list[Renamed]:
    """The recorded renames, oldest first; lines that cannot be read are skipped."""
    try:
        with open(os.path.join(state, RENAMED), "rb") as file:
            lines = file.read(BYTES).split(b"\n")
    except OSError:
        return []
    found = []
    for line in lines:
        with suppress(ValueError, RecursionError):
            match json.loads(line):
                case [str(old), str(new), bool(own)]:
                    found.append(Renamed(old, new, own))
    return found


def _write(state: str, renamed: Iterable[Renamed]) -> None:
    lines = "".join(json.dumps(each) + "\n" for each in renamed)
    with suppress(OSError):
        os.makedirs(state, mode=0o700, exist_ok=True)
        replace_file(os.path.join(state, RENAMED), lines.encode())
