"""What is on disk: a stat walk over the vault, and how it differs from the index."""

from __future__ import annotations

import os
import sys
from collections.abc import Container, Mapping
from marshal import dumps
from typing import NamedTuple
from zlib import adler32, crc32

from .errors import IndexUnavailableError
from .ignore import COPIES, RULE_FILES, Rules, may_be_note, may_hold_notes
from .index import Key

RACY_NS = 2_000_000_000
"""A file written less than this before it was read may be written again without its key changing."""

_WINDOWS = sys.platform == "win32"
_FITS = (1 << 63) - 1
"""What an SQLite number holds: inodes of some file systems, and years after 2262, are longer."""


class Walk(NamedTuple):
    """What a walk saw.

    Every note with its key, the folders (with `/` at the end) and notes that could not be read with
    the reason, and the rule files with their keys.
    """

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
        return stat.st_size, stat.st_mtime_ns & _FITS, 0, 0
    return stat.st_size, stat.st_mtime_ns & _FITS, stat.st_ctime_ns & _FITS, stat.st_ino & _FITS


def is_racy(key: Key, now_ns: int) -> bool:
    """Whether a file of this key, read at `now_ns`, may yet change without its key changing."""
    return max(key[1], key[2]) > now_ns - RACY_NS


def walk(root: str, rules: Rules) -> Walk:
    """Stat every note below `root`; links are not followed.  IndexUnavailableError if the root cannot be listed."""
    result = Walk({}, {}, {})
    pending = [""]
    while pending:
        pending += look(root, pending.pop(), rules, result)
    return result


def look(root: str, folder: str, rules: Rules, result: Walk) -> list[str]:
    """Stat the notes of one folder into `result`; the folders below it that are walked too.

    IndexUnavailableError if the root cannot be listed.
    """
    try:
        with os.scandir(os.path.join(root, folder) if folder else root) as entries:
            listed = list(entries)
    except OSError as error:
        if not folder:
            raise IndexUnavailableError(
                f"the vault {root} cannot be read: {error.strerror or error}",
                "check that the folder exists and that you may read it",
            ) from error
        if not isinstance(error, FileNotFoundError):  # it was there a moment ago
            result.failed[folder + "/"] = reason(error)
        return []
    prefix = folder + "/" if folder else ""
    for entry in listed:
        if entry.name in RULE_FILES:
            _find_rules(prefix + entry.name, entry, rules, result)
    below: list[str] = []
    _list(prefix, listed, rules, result, below)
    return below


def _find_rules(path: str, entry: os.DirEntry[str], rules: Rules, result: Walk) -> None:
    try:
        if not entry.is_file():
            return
        result.rules[path] = key_of(entry.stat())
    except FileNotFoundError:
        return
    except OSError:
        result.rules[path] = (0, 0, 0, 0)
    rules.files.add(path)


def _list(prefix: str, listed: list[os.DirEntry[str]], rules: Rules, result: Walk, below: list[str]) -> None:
    found = result.found
    ruled = bool(rules.files or rules.exclude)
    for entry in listed:
        name = entry.name
        is_note = (name.endswith(".md") and name[0] not in ".~") or may_be_note(name)  # a call saved for most
        if not is_note and not may_hold_notes(name):
            continue
        path = prefix + name
        try:
            if is_note and entry.is_file(follow_symlinks=False):
                if not path.isascii():
                    path.encode("utf-8")
                if not (ruled and rules.is_ignored(path, folder=False)):
                    found[path] = key_of(entry.stat(follow_symlinks=False))
            elif entry.is_dir(follow_symlinks=False) and may_hold_notes(name):
                path.encode("utf-8")
                if not ("/" + path).endswith(COPIES) and not (ruled and rules.is_ignored(path, folder=True)):
                    below.append(path)
        except UnicodeEncodeError:
            result.failed[shown(path)] = "its name is not UTF-8: rename it"
        except FileNotFoundError:  # it was there a moment ago
            continue
        except OSError as error:
            result.failed[path] = reason(error)


def judge(on_disk: Walk, rules: Rules, known: Container[str]) -> None:
    """Ask the rules about the notes that a walk with `trust` let pass and that are not `known`; drops the ignored."""
    if not (rules.files or rules.exclude):
        return
    for path in [path for path in on_disk.found if path not in known]:
        try:
            if rules.judge(path):
                del on_disk.found[path]
        except OSError as error:
            del on_disk.found[path]
            on_disk.failed[path] = reason(error)


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
    gone = [path for path in known.keys() - on_disk.found.keys() if not is_hidden(path, on_disk.failed)]
    return Diff(sorted(new), sorted(changed), sorted(gone))


def is_hidden(path: str, failed: Mapping[str, str]) -> bool:
    """Whether a walk that failed at these paths could not see this one."""
    if not failed:
        return False
    steps = path.split("/")
    folders = ("/".join(steps[:depth]) for depth in range(1, len(steps)))
    return path in failed or any(folder in failed or folder + "/" in failed for folder in folders)


def digest(found: Mapping[str, Key]) -> str:
    """One value for all keys of a walk, in the order of the walk, that differs where one of them does.

    Two check sums, because hashlib takes longer to import than they to run.
    """
    data = dumps(dict(found), 2)
    return f"{len(data)} {crc32(data)} {adler32(data)}"


def reason(error: OSError) -> str:
    """Why a file could not be read, in words."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def shown(path: str) -> str:
    r"""A path that can be stored and printed: bytes that are not UTF-8 as `\xff`."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
