"""What `doctor` finds, as every check tells it and how many are shown; and one kind of it:
leftovers of earlier vaults and crashes in the folders of this person, and how they are removed.

Codes of findings are stable; `FINDING_HEADINGS` has all of them, those first that are told first.

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
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

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
    found = [
        each
        for place in dict.fromkeys((config.location, os.path.dirname(temporary(mine))))
        for each in _indexes(place, os.path.basename(mine), now)
    ]
    found += _sockets(now)
    kept = {vault_state(config.root, env), vault_state(config.root, env, named=False)}
    found += _states(os.path.join(user_folder("state", env), "vaults"), kept, now)
    return tuple(sorted(found))


def leftovers_in_words(found: Iterable[Leftover]) -> list[tuple[str, int]]:
    """How many leftovers there are of each kind, in words, and their bytes."""
    kinds = group_pairs((each.kind, each.size) for each in found)
    return [
        (f"{len(sizes)} {SEVERAL[kind] if len(sizes) > 1 else kind}", sum(sizes))
        for kind, sizes in kinds.items()
    ]


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
        broken = [os.path.join(entry.path, name) for name in names if name.startswith(ASIDE_PREFIX)]
        kind = None if entry.name == mine else _what_index(entry, now)
        if kind is not None:
            yield Leftover(kind, entry.path, _size(entry.path))
        else:
            yield from (Leftover(BROKEN, path, _size(path)) for path in broken)


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
        yield from (os.path.join(place, name) for name in files)
        yield from (path for name in folders if os.path.islink(path := os.path.join(place, name)))


def _size(path: str) -> int:
    sizes = 0
    for each in _files(path) if os.path.isdir(path) else [path]:
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
    folder = os.path.dirname(each.path) if each.kind == BROKEN else each.path
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
            os.remove(path) if os.path.islink(path) else os.rmdir(path)
    os.rmdir(folder)


FINDING_HEADINGS = {
    "index-memory": "the index is kept in memory only",
    "index-place": "the index is in a synced folder, or in the vault",
    "index-behind": "notes that differ from the index",
    "no-notes": "every note is left out by ignore rules",
    "daily-ignored": "daily notes are left out by ignore rules",
    "model": "the embedding model cannot be loaded",
    "setting": "settings that are not used",
    "unreadable": "notes that cannot be read",
    "ignore-rules": "ignore files that cannot be used",
    "not-indexed": "files that look like notes and are not indexed",
    "binary": "files that end in .md and are not text",
    "encoding": "notes that are not UTF-8",
    "nul": "notes with NUL bytes",
    "size": "notes that are too large to be read as a whole",
    "structure": "notes with lists or quotes nested too deeply",
    "front-matter": "front matter that cannot be read",
    "comment": "comments that nothing closes",
    "conflict": "merge conflicts that are not resolved",
    "conflict-copy": "copies that a sync tool made",
    "case-clash": "paths that differ only in case or accents",
    "torn-log": "usage logs with lines that cannot be read",
    "large-log": "usage logs that are too large",
    "log-ahead": "uses dated in the future",
    "log-link": "usage logs that are symbolic links",
    "log-file": "usage logs that are not files or folders",
    "duplicate-id": "ids that two facts have",
    "dangling-id": "references to ids that no fact has",
    "tail-word": "unknown words after the date of a fact",
    "history-line": "lines under History that count as true",
    "cycle": "facts that supersede each other in a circle",
    "stale-summary": "summaries that quote what was replaced",
    "ambiguous-name": "names that several notes have",
    "ambiguous-link": "links with a name that several notes have",
    "renamed": "links to notes that were renamed",
    "broken-link": "links to notes that do not exist",
    "broken-heading": "links to headings that do not exist",
    "broken-block": "links to ids that do not exist",
    "broken-attachment": "links to files that do not exist",
    "site-link": "links to pages of a website",
    "unwritten": "notes that are linked to and do not exist yet",
}
"""What each code means, in plain words."""

HABITS = frozenset(("unwritten",))
"""Codes of what many people do on purpose: counted, listed only where they are asked for, and no
fault."""

MOST_FINDINGS = 40
"""How many findings are shown unless another number is asked for, and at most."""
_MOST_FINDING_LETTERS = 11_000
"""Characters that they may take then, so that an agent can read the whole answer."""


class Finding(NamedTuple):
    """One thing that is wrong: where (`line` 0 = the whole file; `path` "" = the vault), a stable
    code, what it is, and what to do.
    """

    path: str
    line: int
    code: str
    message: str
    fix: str


class CheckResult(NamedTuple):
    """One thing that was looked at, whether or not it is wrong, and what was found there."""

    what: str
    found: str


class Checkup(NamedTuple):
    """What a check found: how many of each code that was asked for, those that are shown by code,
    how many more would be shown without a limit, and whether anything is a fault.
    """

    counts: dict[str, int]
    shown: tuple[Finding, ...]
    truncated: int
    faulty: bool


def select(
    found: Sequence[Finding], kinds: Collection[str] = (), limit: int | None = None
) -> Checkup:
    """The findings to show: of these kinds, or of all but habits; some of each kind before many of
    one.

    `limit` is how many, 0 for all; without one they are few enough to be read at once.
    """
    groups = {code: list[Finding]() for code in FINDING_HEADINGS} | group_pairs(
        (each.code, each) for each in found
    )
    asked = {
        code: group
        for code, group in groups.items()
        if (code in kinds if kinds else code not in HABITS)
    }
    total = sum(map(len, asked.values()))
    chosen = _fair(list(asked.values()), total if limit == 0 else limit)
    shown = tuple(each for group in asked.values() for each in group if each in chosen)
    counted = asked if kinds else groups
    counts = {code: len(group) for code, group in counted.items() if group}
    return Checkup(counts, shown, total - len(shown), bool(counts.keys() - HABITS))


def _fair(groups: Sequence[Sequence[Finding]], limit: int | None) -> set[Finding]:
    """The first of each group, then the second of each and so on, while there is room."""
    chosen: set[Finding] = set()
    room = _MOST_FINDING_LETTERS
    for place in range(max(map(len, groups), default=0)):
        for each in (group[place] for group in groups if place < len(group)):
            if len(chosen) >= (MOST_FINDINGS if limit is None else limit):
                return chosen
            if limit is not None or _length(each) <= room:
                chosen.add(each)
                room -= _length(each)
    return chosen


def _length(each: Finding) -> int:
    """About what a finding takes in JSON."""
    return len(each.path) + len(each.message) + len(each.fix) + 70
