"""Git's own folder, read and written without git: what is under way, where HEAD was, a branch moved by a commit.

A branch is moved the way git moves it, under the same lock files and with the same two logs, but no hook
of the repository hears of it.  What leads through a link is not written.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from typing import NamedTuple

STATES = {
    "MERGE_HEAD": "a merge is under way",
    "rebase-merge": "a rebase is under way", "rebase-apply": "a rebase is under way",
    "CHERRY_PICK_HEAD": "a cherry-pick is under way", "REVERT_HEAD": "a revert is under way",
    "BISECT_LOG": "a bisect is under way", "sequencer": "a cherry-pick or revert is under way",
    "index.lock": "another git is at work", "HEAD.lock": "another git is at work",
}  # fmt: skip
"""What lies in the git folder while a commit of ours would be in the way."""

BRANCHES = "refs/heads/"
SAID = "aurelius: "
"""How a line of git's log begins, after who and when, that tells of a commit of ours."""

MOST = 1 << 20
"""Bytes of git's log of HEAD that are looked through for what happened within a minute."""


class BlockedError(Exception):
    """The git folder is not written, and why."""


class GitFolder(NamedTuple):
    """`folder` is what this working tree has for itself, `common` what it shares with others; most often the same."""

    folder: str
    common: str


def find(root: str) -> GitFolder | None:
    """The git folder of the nearest repository at or above a folder; None where there is none."""
    top = os.path.realpath(root)
    while True:
        at = os.path.join(top, ".git")
        if not os.path.isdir(at):
            at = text(at).partition("gitdir:")[2].strip()
            at = os.path.join(top, at) if at else ""
        if at and os.path.exists(os.path.join(at, "HEAD")):
            return GitFolder(at, os.path.normpath(os.path.join(at, text(os.path.join(at, "commondir")) or ".")))
        above = os.path.dirname(top)
        if above == top:
            return None
        top = above


def under_way(at: GitFolder) -> str:
    """What git is in the middle of, "" for nothing."""
    found = (told for name, told in STATES.items() if os.path.lexists(os.path.join(at.folder, name)))
    return next(found, "")


# -- what git did since ----------------------------------------------------------------------------------


class Taken(NamedTuple):
    """What git has to do with a note that lost a line.

    `moved` says that HEAD or the stash moved over a note that git keeps, or that a merge or another git is
    `under_way`; `blobs` are the last versions that git has of the note, `at_work` when it was last seen to
    work in its folder.  `held` is the note in git's index, and `written` when a file that was just so was saved.
    """

    moved: bool = False
    under_way: bool = False
    blobs: frozenset[str] = frozenset()
    at_work: float = 0.0
    held: bytes = b""
    written: float = 0.0

    def explains(self, data: bytes, saved: float) -> bool:
        """Whether a note that holds these bytes, saved at that time, has them from git, as after a checkout.

        While git writes notes it has its index locked, which leaves a trace in its folder that is no older.
        """
        forms = {data, data.replace(b"\r\n", b"\n")}
        same = (blob_name(each, len(name)) == name for name in self.blobs for each in forms)
        return self.moved or (saved <= self.at_work and any(same))


def blob_name(data: bytes, form: int) -> str:
    """The name of bytes as a git blob; `form` is how many hex digits names have in the repository."""
    import hashlib

    whole = b"blob %d\0" % len(data) + data
    return hashlib.sha256(whole).hexdigest() if form == 64 else hashlib.sha1(whole, usedforsecurity=False).hexdigest()


def mark(root: str) -> str:
    """Where the repository's HEAD and stash are, to be asked about later; "" where there is none."""
    at = find(root)
    return "" if at is None else f"{_size(_log(at))} {_fingerprint(at)}"


def at_work(at: GitFolder) -> float:
    """When git was last seen to work here: a lock beside its index came or went, or the index was written."""
    found = []
    for path in (at.folder, os.path.join(at.folder, "index")):
        with suppress(OSError):
            found.append(os.stat(path).st_mtime)
    return max(found, default=0.0)


def moves(at: GitFolder, marked: str) -> frozenset[str] | None:
    """The commits that HEAD was moved between since, by anybody but Aurelius.

    None where it is not known between which: the stash moved as well, or git keeps no log.
    """
    size, _, fingerprint = marked.partition(" ")
    log = _log(at)
    now = _size(log)
    if not size.isdigit() or now < int(size) or now - int(size) > MOST:
        return None
    if not now:
        return frozenset() if _fingerprint(at) == fingerprint else None
    if _stash(at) != fingerprint.rpartition(" ")[2]:
        return None
    with open(log, "rb") as file:
        file.seek(int(size))
        rows = [row.partition(b"\t") for row in file.read(MOST).splitlines()]
    others = [about.split(b" ", 2)[:2] for about, _, what in rows if not what.startswith(SAID.encode())]
    return frozenset(name.decode("ascii", "replace") for each in others for name in each if name.strip(b"0"))


def _fingerprint(at: GitFolder) -> str:
    """HEAD, its commit, and the stash, as one text; where git keeps them in tables, what these are called."""
    head = text(os.path.join(at.folder, "HEAD"))
    tables = text(os.path.join(at.common, "reftable", "tables.list")).replace("\n", ",")
    return f"{head.replace(' ', '')}={commit_of(at, head.removeprefix('ref: '))}{tables} {_stash(at)}"


def _stash(at: GitFolder) -> str:
    return commit_of(at, "refs/stash") or "none"


def _log(at: GitFolder) -> str:
    return os.path.join(at.folder, "logs", "HEAD")


def commit_of(at: GitFolder, ref: str) -> str:
    """The commit that a branch is at, "" where there is no such branch."""
    loose = text(os.path.join(at.common, *ref.split("/")))
    if loose or not ref.startswith("refs/"):
        return loose
    rows = (row.partition(" ") for row in text(os.path.join(at.common, "packed-refs")).splitlines())
    return next((name for name, _, whose in rows if whose == ref), "")


# -- moving a branch -------------------------------------------------------------------------------------


def check(at: GitFolder, ref: str) -> None:
    """BlockedError where a commit on this branch would be written through a link, or to no branch that is a file."""
    parts = ref.split("/")
    if not ref.startswith(BRANCHES) or {"", ".", ".."} & set(parts):
        raise BlockedError("HEAD is at no branch")
    if os.path.lexists(os.path.join(at.common, "reftable")):
        raise BlockedError("git keeps the branches in tables here (reftable), which only git itself can write")
    inner = [(at.folder, ("index",)), (at.folder, ("logs", "HEAD")), (at.common, ("objects",))]
    if os.path.isdir(objects := os.path.join(at.common, "objects")):
        inner += [(at.common, ("objects", name)) for name in os.listdir(objects)]
    for base, names in (*inner, (at.common, parts), (at.common, ("logs", *parts))):
        path = base
        for name in names:
            path = os.path.join(path, name)
            if os.path.islink(path):
                raise BlockedError(f"{os.path.relpath(path, at.folder)} in git's folder is a link")


def advance(at: GitFolder, ref: str, was: str, new: str, who: str, why: str) -> None:
    """Move a branch that HEAD is at from one commit ("" for none yet) to the next; BlockedError, and nothing moved.

    `who` is name, address and time as git's logs have them.
    """
    path = os.path.join(at.common, *ref.split("/"))
    os.makedirs(os.path.dirname(path), exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    try:
        handle = os.open(path + ".lock", flags, 0o666)
    except FileExistsError:
        raise BlockedError("another git is at work") from None
    try:
        with open(handle, "wb") as file:
            file.write(new.encode() + b"\n")
            file.flush()
            os.fsync(handle)
        if commit_of(at, ref) != was or text(os.path.join(at.folder, "HEAD")) != f"ref: {ref}":
            raise BlockedError("the branch was moved meanwhile")
        _share(at, path + ".lock")
        os.replace(path + ".lock", path)
    except BaseException:
        os.unlink(path + ".lock")
        raise
    row = f"{was or '0' * len(new)} {new} {who}\t{why}\n".encode("utf-8", "surrogateescape")
    for log in (os.path.join(at.common, "logs", *ref.split("/")), _log(at)):
        _append(log, row)


def _share(at: GitFolder, path: str) -> None:
    """Let those write a branch who may write HEAD: a repository may be shared within a group."""
    mode = stat.S_IMODE(os.stat(os.path.join(at.folder, "HEAD")).st_mode)
    if hasattr(os, "fchmod"):
        os.chmod(path, mode)


def _append(log: str, row: bytes) -> None:
    """One more line in a log of git's, which is made where there is none yet."""
    os.makedirs(os.path.dirname(log), exist_ok=True)
    handle = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o666)
    try:
        os.write(handle, row)
    finally:
        os.close(handle)


def text(path: str) -> str:
    """What a small file of git's says, "" where there is none; a pipe in its place is not waited for."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return ""
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            return file.read(64 << 20).strip()
    except OSError:
        return ""


def _size(path: str) -> int:
    try:
        return os.stat(path).st_size
    except OSError:
        return 0
