"""Leftovers of earlier vaults and crashes in the folders of this person, and how they are removed.

An index can be built anew, so one goes as soon as its vault is gone, unless a process holds its
lock. Only what has a name and a shape of ours, and this person for an owner, is looked at.
"""

from __future__ import annotations

import os
import re
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, NamedTuple

from aurelius.settings.config import index_folder
from aurelius.settings.places import path_key
from indexer.rows.lock import BUILD, WRITE, BusyError, hold, temporary
from indexer.rows.schema import ASIDE_PREFIX, POINTER
from indexer.spelling import group_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aurelius.settings.config import Config

GONE = "index of a vault that no longer exists"
BROKEN = "old or damaged index that was set aside"
SEVERAL = {
    GONE: "indexes of vaults that no longer exist",
    BROKEN: "old or damaged indexes that were set aside",
}

_INDEX = re.compile(r".{1,40}-[0-9a-f]{16}", re.DOTALL)
_FILE = re.compile(
    rf"index-[0-9a-f]+\.db(?:-wal|-shm|-journal)?|{ASIDE_PREFIX}.+|{POINTER}(?:\..+)?|probe\..+"
    rf"|(?:build\.)?lock",
    re.DOTALL,
)


class Leftover(NamedTuple):
    """A folder or file that may go: what it is, where, its bytes."""

    kind: str
    path: str
    size: int


def find_leftovers(config: Config) -> tuple[Leftover, ...]:
    """Leftovers that may be removed, none of this vault."""
    mine = index_folder(config)
    found: list[Leftover] = []
    for place in {config.location, os.path.dirname(temporary(mine))}:
        found += _indexes(place, os.path.basename(mine))
    return tuple(sorted(found))


def leftovers_in_words(found: Iterable[Leftover]) -> list[tuple[str, int]]:
    """How many leftovers there are of each kind, in words, and their bytes."""
    words = []
    for kind, sizes in group_pairs((each.kind, each.size) for each in found).items():
        shown = kind
        if len(sizes) > 1:
            shown = SEVERAL[kind]
        words.append((f"{len(sizes)} {shown}", sum(sizes)))
    return words


def remove_leftovers(found: Iterable[Leftover]) -> tuple[Leftover, ...]:
    """Remove leftovers; returns those removed. Folders in use, or with files of others inside,
    stay."""
    for each in found:
        with suppress(OSError, BusyError):
            _remove(each)
    return tuple(each for each in found if not os.path.lexists(each.path))


def _indexes(place: str, mine: str) -> Iterator[Leftover]:
    """The leftovers in a folder of indexes, of which `mine` is that of this vault."""
    try:
        with os.scandir(place) as entries:
            folders = [entry for entry in entries if _is_index(entry)]
    except OSError:
        return
    for entry in folders:
        names = _names(entry.path)
        if entry.name != mine and names and _is_of_nothing(entry.path):
            yield Leftover(GONE, entry.path, _size(entry.path, names))
            continue
        for name in names:
            if name.startswith(ASIDE_PREFIX):
                yield Leftover(BROKEN, os.path.join(entry.path, name), _size(entry.path, [name]))


def _is_index(entry: os.DirEntry[str]) -> bool:
    """Whether a folder is called as an index is and belongs to this person; a link is none."""
    if not (_INDEX.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False)):
        return False
    return not hasattr(os, "getuid") or entry.stat(follow_symlinks=False).st_uid == os.getuid()


def _names(folder: str) -> list[str]:
    """Our files in a folder of an index."""
    try:
        return sorted(filter(_FILE.fullmatch, os.listdir(folder)))
    except OSError:
        return []


def _is_of_nothing(folder: str) -> bool:
    """Whether nothing is at the path of the vault whose index a folder holds, as the index says;
    what cannot be looked at may well be there."""
    try:
        with open(
            os.path.join(folder, POINTER), encoding="utf-8", errors="surrogateescape", newline="\n"
        ) as file:
            root = file.read(8192).partition("\n")[2].removesuffix("\n")
        if path_key(root) == folder.rpartition("-")[2]:
            os.stat(root)
    except (FileNotFoundError, NotADirectoryError):
        return os.path.lexists(os.path.join(folder, POINTER))
    except (OSError, ValueError):
        return False
    return False


def _size(folder: str, names: Iterable[str]) -> int:
    sizes = 0
    for name in names:
        with suppress(OSError):
            sizes += os.lstat(os.path.join(folder, name)).st_size
    return sizes


def _remove(each: Leftover) -> None:
    """Remove our files of an index folder, and the folder where nothing else lies in it. BusyError,
    OSError."""
    folder = each.path
    if each.kind == BROKEN:
        folder = os.path.dirname(each.path)
    with ExitStack() as held:
        for name in (BUILD, WRITE):
            held.enter_context(hold(folder, name, 0.0))
        if each.kind == BROKEN:
            os.remove(each.path)
            return
        if not _is_of_nothing(folder):
            return
        # the locks last, while they are held
        for name in sorted(_names(folder), key=lambda name: name in {BUILD, WRITE}):
            os.remove(os.path.join(folder, name))
    os.rmdir(folder)
