"""Leftovers of earlier vaults and crashes in the folders of this person, and how they are removed.

An index can be built anew, so one goes as soon as its vault is gone, unless a process holds its
lock. A vault's state folder holds what cannot: previous bytes, uses that wait, consent. It goes
only where it holds nothing of that: a vault that is not there may be on a disk that is not mounted.
Only what has a name and a shape of ours, and this person for an owner, is looked at.
"""

from __future__ import annotations

import os
import re
from contextlib import ExitStack, suppress
from typing import TYPE_CHECKING, NamedTuple

from aurelius.settings.config import index_folder
from aurelius.settings.places import (
    LAST_REVIEW,
    LAST_SEARCH,
    TEMPORARY,
    path_key,
    user_folder,
    vault_state,
)
from indexer.rows.lock import BUILD, WRITE, BusyError, hold, temporary
from indexer.rows.schema import ASIDE_PREFIX, POINTER
from indexer.spelling import group_pairs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from aurelius.settings.config import Config

SECONDS_A_DAY = 86_400
UNUSED = 90 * SECONDS_A_DAY
"""Seconds after which an index goes whose vault is not known: one that an earlier version made."""
YOUNG = 3600
"""Seconds for which what is empty may be about to be filled."""

GONE = "index of a vault that no longer exists"
UNKNOWN_VAULT = "index not used for 90 days (its vault is unknown)"
BROKEN = "old or damaged index that was set aside"
SOCKET = "empty folder of a daemon"
EMPTY_STATE = "state folder with nothing in it"
SEVERAL = {
    GONE: "indexes of vaults that no longer exist",
    UNKNOWN_VAULT: "indexes not used for 90 days (their vaults are unknown)",
    BROKEN: "old or damaged indexes that were set aside",
    SOCKET: "empty folders of daemons",
    EMPTY_STATE: "state folders with nothing in them",
}

_INDEX = re.compile(r".{1,40}-[0-9a-f]{16}", re.DOTALL)
_FILE = re.compile(
    rf"index-[0-9a-f]+\.db(?:-wal|-shm|-journal)?|{ASIDE_PREFIX}.+|{POINTER}(?:\..+)?|probe\..+"
    rf"|(?:build\.)?lock",
    re.DOTALL,
)
_STATE = re.compile(r"[0-9a-f]{16}")


class Leftover(NamedTuple):
    """A folder or file that may go: what it is, where, its bytes."""

    kind: str
    path: str
    size: int


def find_leftovers(config: Config, env: Mapping[str, str], now: float) -> tuple[Leftover, ...]:
    """Leftovers that may be removed, none of this vault; `now` is the real time in unix seconds."""
    mine = index_folder(config)
    found = list(_sockets(now))
    for place in {config.location, os.path.dirname(temporary(mine))}:
        found += _indexes(place, os.path.basename(mine), now)
    kept = {vault_state(config.root, env), vault_state(config.root, env, named=False)}
    found += _states(os.path.join(user_folder("state", env), "vaults"), kept, now)
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
    return tuple(each for each in found if _is_removed(each))


# -- looking ---------------------------------------------------------------------------


def _indexes(place: str, mine: str, now: float) -> Iterator[Leftover]:
    for entry in _own(place):
        names = []
        if _INDEX.fullmatch(entry.name):
            names = _names(entry.path)
        if not any(map(_FILE.fullmatch, names)):
            continue
        kind = None
        if entry.name != mine:
            kind = _what_index(entry, now)
        if kind is not None:
            yield Leftover(kind, entry.path, _size(entry.path))
            continue
        for name in names:
            if name.startswith(ASIDE_PREFIX):
                path = os.path.join(entry.path, name)
                yield Leftover(BROKEN, path, _size(path))


def _what_index(entry: os.DirEntry[str], now: float) -> str | None:
    root = _vault_of(entry.path)
    if root and path_key(root) == entry.name.rpartition("-")[2]:
        if _is_gone(root):
            return GONE
        return None
    if now - _touched(entry.path) > UNUSED:
        return UNKNOWN_VAULT
    return None


def _vault_of(folder: str) -> str:
    """The vault whose index a folder holds, as the index says; "" where it does not."""
    with (
        suppress(OSError),
        open(
            os.path.join(folder, POINTER), encoding="utf-8", errors="surrogateescape", newline="\n"
        ) as file,
    ):
        return file.read(8192).partition("\n")[2].removesuffix("\n")
    return ""


def _is_gone(root: str) -> bool:
    """True if there is nothing at a path; what cannot be looked at may well be there."""
    try:
        os.stat(root)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except (OSError, ValueError):
        return False
    return False


def _sockets(now: float) -> Iterator[Leftover]:
    if hasattr(os, "getuid"):
        ours = re.compile(rf"aurelius-{os.getuid()}-[0-9a-f]{{16}}")
        for entry in _own(TEMPORARY):
            if (
                ours.fullmatch(entry.name)
                and not _names(entry.path)
                and now - _touched(entry.path) > YOUNG
            ):
                yield Leftover(SOCKET, entry.path, 0)


def _states(place: str, kept: set[str], now: float) -> Iterator[Leftover]:
    for entry in _own(place):
        if entry.path in kept or not _STATE.fullmatch(entry.name):
            continue
        age = now - _touched(entry.path)
        if age > SECONDS_A_DAY and all(map(_is_nothing, _files(entry.path))):
            yield Leftover(EMPTY_STATE, entry.path, _size(entry.path))


def _is_nothing(path: str) -> bool:
    """True if a file of a state folder holds nothing that anybody could miss; consent is an empty
    file."""
    name = os.path.basename(path)
    return name in {LAST_REVIEW, LAST_SEARCH, "lock"} or name.endswith(".lock")


def _own(place: str) -> list[os.DirEntry[str]]:
    """The folders in a folder that belong to this person, links left aside, in order."""
    try:
        with os.scandir(place) as found:
            entries = [
                entry for entry in found if entry.is_dir(follow_symlinks=False) and _is_own(entry)
            ]
    except OSError:
        return []
    return sorted(entries, key=lambda entry: entry.name)


def _is_own(entry: os.DirEntry[str]) -> bool:
    try:
        return not hasattr(os, "getuid") or entry.stat(follow_symlinks=False).st_uid == os.getuid()
    except OSError:
        return False


def _names(folder: str) -> list[str]:
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return ["?"]  # what cannot be looked into is not empty


def _files(folder: str) -> Iterator[str]:
    for place, folders, files in os.walk(folder):
        for name in files:
            yield os.path.join(place, name)
        for name in folders:
            path = os.path.join(place, name)
            if os.path.islink(path):
                yield path


def _size(path: str) -> int:
    sizes = 0
    files: Iterable[str] = [path]
    if os.path.isdir(path):
        files = _files(path)
    for each in files:
        with suppress(OSError):
            sizes += os.lstat(each).st_size
    return sizes


def _touched(folder: str) -> float:
    """When anything in a folder was last changed, in unix seconds."""
    times = [0.0]
    for path in (folder, *_files(folder)):
        with suppress(OSError):
            times.append(os.lstat(path).st_mtime)
    return max(times)


# -- removing --------------------------------------------------------------------------


def _is_removed(each: Leftover) -> bool:
    try:
        if each.kind in {GONE, UNKNOWN_VAULT, BROKEN}:
            _remove_index(each)
        elif each.kind == SOCKET:
            os.rmdir(each.path)
        else:
            _remove_state(each.path)
    except (OSError, BusyError):
        return False
    return not os.path.lexists(each.path)


def _remove_index(each: Leftover) -> None:
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
        if each.kind == GONE and not _is_gone(_vault_of(folder)):
            return
        names = [name for name in _names(folder) if _FILE.fullmatch(name)]
        for name in sorted(
            names, key=lambda name: name in {BUILD, WRITE}
        ):  # the locks last, while they are held
            os.remove(os.path.join(folder, name))
    os.rmdir(folder)


def _remove_state(folder: str) -> None:
    """Remove a state folder; one that holds a lock is in use.  BusyError, OSError."""
    for path in _files(folder):
        if os.path.basename(path) == "lock" or path.endswith(".lock"):
            with hold(os.path.dirname(path), os.path.basename(path), 0.0):
                pass
    for place, folders, files in os.walk(folder, topdown=False):
        for name in files:
            os.remove(os.path.join(place, name))
        for name in folders:
            path = os.path.join(place, name)
            if os.path.islink(path):
                os.remove(path)
            else:
                os.rmdir(path)
    os.rmdir(folder)
