"""What is on disk: a stat walk over the vault, and how it differs from the index."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import NamedTuple

from .errors import IndexUnavailableError
from .ignore import RULE_FILES, Rules, may_be_note, may_hold_notes
from .index import Key

RACY_NS = 2_000_000_000
"""A file written less than this before it was read may be written again without its key changing."""

_WINDOWS = sys.platform == "win32"


class Walk(NamedTuple):
    """Every note on disk with its key, the folders and notes that could not be read with the reason,
    and the rule files with their keys."""

    found: dict[str, Key]
    failed: dict[str, str]
    rules: dict[str, Key]


class Diff(NamedTuple):
    """How the disk differs from the index: paths to read, paths that are gone."""

    new: list[str]
    changed: list[str]
    gone: list[str]


def key_of(stat: os.stat_result) -> Key:
    """The change key of a file: size, mtime, ctime, inode; on Windows the first two."""
    if _WINDOWS:
        return stat.st_size, stat.st_mtime_ns, 0, 0
    return stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_ino


def is_racy(key: Key, now_ns: int) -> bool:
    """Whether a file of this key, read at `now_ns`, may yet change without its key changing."""
    return max(key[1], key[2]) > now_ns - RACY_NS


def walk(root: str, rules: Rules) -> Walk:
    """Stat every note below `root`; links are not followed.  IndexUnavailableError if the root cannot be listed."""
    result = Walk({}, {}, {})
    pending = [""]
    while pending:
        folder = pending.pop()
        try:
            with os.scandir(os.path.join(root, folder) if folder else root) as entries:
                listed = list(entries)
        except OSError as error:
            if not folder:
                raise IndexUnavailableError(
                    f"The vault {root} cannot be read: {error.strerror or error}",
                    "Check that the folder exists and that you may read it.",
                ) from error
            result.failed[shown(folder) + "/"] = reason(error)
            continue
        _list(folder + "/" if folder else "", listed, rules, result, pending)
    return result


def _list(prefix: str, listed: list[os.DirEntry[str]], rules: Rules, result: Walk, pending: list[str]) -> None:
    candidates = []
    for entry in listed:
        name = entry.name
        if name in RULE_FILES and entry.is_file(follow_symlinks=False):
            path = prefix + name
            result.rules[path] = key_of(entry.stat(follow_symlinks=False))
            rules.files.add(path)
        elif may_be_note(name):
            candidates.append(entry)
        elif may_hold_notes(name) and entry.is_dir(follow_symlinks=False):
            candidates.append(entry)
    for entry in candidates:
        path = prefix + entry.name
        try:
            if entry.is_dir(follow_symlinks=False):
                if may_hold_notes(entry.name) and not rules.is_ignored(path, folder=True):
                    pending.append(path)
                elif rules.files or rules.exclude:
                    rules.verdicts.setdefault(path, True)
            elif entry.is_file(follow_symlinks=False) and not rules.is_ignored(path, folder=False):
                path.encode("utf-8")
                result.found[path] = key_of(entry.stat(follow_symlinks=False))
        except UnicodeEncodeError:
            result.failed[shown(path)] = "its name is not UTF-8: rename it"
        except OSError as error:
            result.failed[path] = reason(error)


def diff(known: Mapping[str, Key], failed: Mapping[str, str], on_disk: Walk) -> Diff:
    """Compare the index with the disk: what is new, changed, and gone.

    A note that could not be stat-ed, or is below a folder that could not be listed, is not gone.
    """
    new, changed = [], []
    for path, key in on_disk.found.items():
        before = known.get(path)
        if before is None:
            new.append(path)
        elif before != key or path in failed:
            changed.append(path)
    unseen = known.keys() - on_disk.found.keys()
    blocked = tuple(path for path in on_disk.failed if path.endswith("/"))
    gone = [path for path in unseen if path not in on_disk.failed and not (blocked and path.startswith(blocked))]
    return Diff(sorted(new), sorted(changed), sorted(gone))


def reason(error: OSError) -> str:
    """Why a file could not be read, in words."""
    return (error.strerror or str(error)).lower()


def shown(path: str) -> str:
    """A path that can be stored and printed: bytes that are not UTF-8 as `\\xff`."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
