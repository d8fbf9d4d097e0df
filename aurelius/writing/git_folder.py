"""Git's own folder, read without git: what is under way, and what git would read there.

A repository may come from somebody else: what lies in its folder is looked at before git is run,
which would wait for a pipe, and read a device without an end.
"""

from __future__ import annotations

import os
import stat
from itertools import chain, product
from typing import TYPE_CHECKING, NamedTuple

from indexer.disk.walk import folders_above
from indexer.errors import UsageError

from .safe_folder import Folder

if TYPE_CHECKING:
    from collections.abc import Sequence

AT_WORK = "another git command is running, or left a lock file"
DETACHED = "no branch is checked out (detached HEAD)"
UNDER_WAY = {
    "MERGE_HEAD": "a merge is under way",
    "rebase-merge": "a rebase is under way",
    "rebase-apply": "a rebase is under way",
    "index.lock": AT_WORK,
    "HEAD.lock": AT_WORK,
    "CHERRY_PICK_HEAD": "a cherry-pick is under way",
    "REVERT_HEAD": "a revert is under way",
    "BISECT_LOG": "a bisect is under way",
    "sequencer": "a cherry-pick or revert is under way",
}
"""What lies in the git folder while a commit of ours would be in the way."""

BRANCHES = "refs/heads/"
MOST_SMALL_BYTES = 16 << 20
LARGE = 256 << 20
"""Bytes that a file may have which git is to read: one of settings, rules or a name, and one that
grows with the notes or with time."""

MOST_WORD_BYTES = 64 << 10
"""Bytes of a file that says one thing, as HEAD does."""

_GIT_FILES = {
    "HEAD": MOST_SMALL_BYTES,
    "config": MOST_SMALL_BYTES,
    "config.worktree": MOST_SMALL_BYTES,
    "commondir": MOST_SMALL_BYTES,
    "gitdir": MOST_SMALL_BYTES,
    "shallow": MOST_SMALL_BYTES,
    "packed-refs": LARGE,
    "index": LARGE,
}
_GIT_FOLDERS = {
    "info": MOST_SMALL_BYTES,
    "refs": MOST_SMALL_BYTES,
    "reftable": LARGE,
    "logs": LARGE,
}
"""What git reads in its folder, but for objects, with the bytes that one file of it may have."""

SHARED = "sharedindex."
"""How the files are called that a split index is made up of."""

_RULE_FILES = (".gitattributes", ".gitignore")


class BlockedError(Exception):
    """Error: the git folder is not written, with the reason."""


class GitFolder(NamedTuple):
    """`folder` is what this working tree has for itself, `common` what it shares with others; most
    often the same."""

    folder: str
    common: str


def nearest_repository(root: str) -> tuple[str, GitFolder] | None:
    """The nearest folder at or above one that is under git, with its git folder; None where there
    is none."""
    top = os.path.realpath(root)
    while True:
        at = os.path.join(top, ".git")
        if not os.path.isdir(at):
            at = text(os.path.realpath(at)).partition("gitdir:")[2].strip()
            if at:
                at = os.path.join(top, at)
            else:
                at = ""
        if at and os.path.exists(os.path.join(at, "HEAD")):
            shared = text(os.path.join(at, "commondir")) or "."
            return top, GitFolder(at, os.path.normpath(os.path.join(at, shared)))
        above = os.path.dirname(top)
        if above == top:
            return None
        top = above


def under_way(at: GitFolder) -> str:
    """The operation that git is in the middle of, "" for none."""
    found = (
        told for name, told in UNDER_WAY.items() if os.path.lexists(os.path.join(at.folder, name))
    )
    return next(found, "")


def blob_name(data: bytes, form: int) -> str:
    """The name of bytes as a git blob; `form` is how many hex digits names have in the
    repository."""
    import hashlib

    whole = b"blob %d\0" % len(data) + data
    if form == 64:
        return hashlib.sha256(whole).hexdigest()
    return hashlib.sha1(whole, usedforsecurity=False).hexdigest()


def check_head(at: GitFolder, ref: str) -> None:
    """BlockedError where HEAD is at no branch that is a file."""
    parts = ref.split("/")
    if not ref.startswith(BRANCHES) or {"", ".", ".."} & set(parts):
        raise BlockedError(DETACHED)
    if os.path.lexists(os.path.join(at.common, "reftable")):
        raise BlockedError("this repository uses reftable, which Aurelius cannot write")


# -- reading it ------------------------------------------------------------------------


def odd(path: str, most: int) -> str:
    """The reason not to read, copy or append to a file, for git or for us; "" where there is none,
    or no file."""
    try:
        found = os.lstat(path)
    except OSError:  # git says why
        return ""
    if stat.S_ISLNK(found.st_mode):
        return "is a link"
    if not stat.S_ISREG(found.st_mode):
        return "is not a regular file"
    if found.st_size > most:
        return f"is larger than {most >> 20} MiB"
    return ""


def check_git_folder(at: GitFolder) -> None:
    """BlockedError where something that git reads in its folder is a link, no regular file, or too
    large.

    Asked before git is run.
    """
    others = (each.path for each in _entries(os.path.join(at.common, "worktrees")))
    for folder in dict.fromkeys((at.folder, at.common, *others)):
        for name, most in _GIT_FILES.items():
            _refuse(at, os.path.join(folder, name), most)
        for path in shared_indexes(folder):
            _refuse(at, path, LARGE)
        for name, most in _GIT_FOLDERS.items():
            _look_into(at, os.path.join(folder, name), most)
    lent = os.path.join(at.common, "objects", "info", "alternates")
    _refuse(at, lent, MOST_WORD_BYTES)
    _look_into(at, os.path.join(at.common, "objects"), 0)  # they are as large as they like


def _look_into(at: GitFolder, folder: str, most: int) -> None:
    """Look at every file in a folder of git's, and at its size if `most` is not 0."""
    if os.path.islink(folder):
        _refuse(at, folder, most)
    for entry in _entries(folder):
        if entry.is_dir(follow_symlinks=False):
            _look_into(at, entry.path, most)
        elif most or not entry.is_file(follow_symlinks=False):
            _refuse(at, entry.path, most)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return list(found)
    except (FileNotFoundError, NotADirectoryError):
        return []


def _refuse(at: GitFolder, path: str, most: int) -> None:
    if why := odd(path, most):
        bases = (os.path.join(base, "") for base in at if path.startswith(os.path.join(base, "")))
        base = next(bases, "")
        raise BlockedError(
            f"{path.removeprefix(base)} in git's folder {why}" if base else f"{path} {why}"
        )


def look_at_rules(top: str, paths: Sequence[str]) -> None:
    """BlockedError where a file of rules that git reads for one of these paths is a pipe, a device
    or too large."""
    folders = {"", *chain.from_iterable(map(folders_above, paths))}
    for folder, name in product(sorted(folders), _RULE_FILES):
        path = f"{folder}/{name}".lstrip("/")
        if why := odd(os.path.realpath(os.path.join(top, path)), MOST_SMALL_BYTES):
            raise BlockedError(f"{path} {why}")


def shared_indexes(folder: str) -> list[str]:
    """The files that the split index of a git folder is made up of, those of old ones too."""
    return [entry.path for entry in _entries(folder) if entry.name.startswith(SHARED)]


def copy_shared(folder: str, to: str) -> None:
    """Copy what the split index of a git folder is made up of. BlockedError where it is too large,
    OSError."""
    room = LARGE
    for path in shared_indexes(folder):
        with (
            os.fdopen(_open(path), "rb") as file,
            open(os.path.join(to, os.path.basename(path)), "wb") as copied,
        ):
            while block := file.read(1 << 20):
                room -= len(block)
                if room < 0:
                    raise BlockedError(
                        f"the files {SHARED}* in git's folder are larger than {LARGE >> 20} MiB"
                    )
                copied.write(block)


def _open(path: str) -> int:
    """A file of git's, open; nothing is waited for. BlockedError for a link or what is no regular
    file, OSError."""
    folder, name = os.path.split(path)
    try:
        with Folder(folder, ()) as there:
            return there.open(name, os.O_RDONLY)
    except UsageError:
        raise BlockedError(f"{path} is a link or not a regular file") from None


def text(path: str, most: int = MOST_WORD_BYTES) -> str:
    """Text of a small file of git's, "" where there is none, or it is a link, no text, or larger
    than `most`."""
    try:
        with os.fdopen(
            _open(path),
            encoding="utf-8",
            errors="surrogateescape",
        ) as file:
            said = file.read(most + 1)
    except (BlockedError, OSError):
        return ""
    if len(said) <= most and "\0" not in said:
        return said.strip()
    return ""
