"""One note on its way from its old bytes to its new ones: staged beside it, swapped in, looked at, or taken back.

A note is never written in place.  Its new bytes go into a temporary file in the same folder and
onto the disk, the two change names in one step, and what was displaced is looked at before it is
removed: where somebody saved in the moment between, theirs comes back (reliability C1, C2).
Mode, owner, attributes and access lists come along (C4).
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from typing import NamedTuple

from indexer.errors import ConflictError

from .files import MOST, refused
from .folder import Folder

MARK = ".aurelius-"
ENDING = ".tmp"
"""A temporary file is `.aurelius-<16 hex>.tmp`: hidden, and ignored by indexes and by git."""

CHANGED = "nothing was written; read it again and say what should change now"


class Held(NamedTuple):
    """The bytes of a file and what it was when they were read."""

    data: bytes
    stat: os.stat_result


def held(folder: Folder, name: str) -> Held | None:
    """What a file holds now, None where there is none.  UsageError for what is no regular file."""
    try:
        handle = folder.open(name, os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        found = os.fstat(handle)
        if found.st_size > MOST:
            raise refused(name, f"is larger than {MOST >> 20} MiB", "written")
        blocks = []
        while block := os.read(handle, 1 << 20):
            blocks.append(block)
        return Held(b"".join(blocks), found)
    finally:
        os.close(handle)


def digest(data: bytes | None) -> str:
    """The SHA-256 of bytes in hex, "" for no file."""
    if data is None:
        return ""
    from hashlib import sha256

    return sha256(data).hexdigest()


def changed(path: str, now: bytes | None) -> ConflictError:
    """The error for a note that is not what an edit was made from, with the hash of what it is."""
    what = f"changed since it was read (now sha256 {digest(now)[:12]})" if now is not None else "is not there any more"
    return ConflictError(f"{path}: {what}", CHANGED)


class Replacement:
    """One note being replaced, made or removed (`after` None).  The steps are taken in the order they stand here.

    `like` is the path's own file, or the one that a moved note comes from, whose mode, owner and attributes stay.
    """

    def __init__(self, folder: Folder, path: str, before: bytes | None, after: bytes | None) -> None:
        self.folder = folder
        self.path = path
        self.name = path.rpartition("/")[2]
        self.before = before
        self.after = after
        self.spare = f"{MARK}{os.urandom(8).hex()}{ENDING}"
        self._swapped = False
        self._kept = False  # whether `spare` holds what was displaced

    def compare(self) -> None:
        """ConflictError unless the file holds `before`; UsageError where it cannot be replaced as it should be."""
        now = held(self.folder, self.name)
        if (None if now is None else now.data) != self.before:
            raise changed(self.path, None if now is None else now.data)
        if now is not None and now.stat.st_nlink > 1:
            why = "has a second name (a hard link), and replacing it would part the two"
            raise refused(self.path, why, "written", "change it in an editor, or remove one of the two names")
        if now is not None and not now.stat.st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH):
            raise refused(self.path, "is read-only", "written", "let it be written to, then try again")

    def stage(self, like: tuple[Folder, str] | None = None, *, flush: bool = True) -> None:
        """Write the new bytes beside the note, with the mode, owner and attributes of `like`, else of the note.

        Without `flush` the caller has to see to it that they get onto the disk.
        """
        if self.after is None:
            return
        handle = self.folder.open(self.spare, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
        try:
            left = memoryview(self.after)
            while left:
                left = left[os.write(handle, left) :]
            if like is not None or self.before is not None:
                source, name = like or (self.folder, self.name)
                model = source.open(name, os.O_RDONLY)
                try:
                    _dress(self.path, handle, model)
                finally:
                    os.close(model)
            if flush:
                os.fsync(handle)
        finally:
            os.close(handle)

    def swap(self) -> None:
        """Let the new bytes take the place of the old ones.  ConflictError where something else came there."""
        if self.before is None:
            try:
                self.folder.move(self.spare, self.name)
            except FileExistsError:
                now = held(self.folder, self.name)
                raise changed(self.path, now.data if now else None) from None
        elif self.after is None:
            self.folder.move(self.name, self.spare)
            self._kept = True
        elif self.folder.exchange(self.spare, self.name):
            self._kept = True
        else:
            self.compare()
            self.folder.replace(self.name, by=self.spare)
        self._swapped = True

    def look_again(self) -> None:
        """ConflictError where what was displaced is not what was compared: somebody saved in between."""
        if self._kept:
            now = held(self.folder, self.spare)
            if now is None or now.data != self.before:
                raise changed(self.path, now.data if now else None)

    def finish(self) -> None:
        """Remove what was displaced."""
        if self._kept:
            self.folder.remove(self.spare)
            self._kept = False

    def back(self) -> None:
        """Undo whatever was done so far; what somebody saved meanwhile stays.  OSError where that fails, too."""
        if self._swapped:
            self._swapped = False
            self._restore()
        if not self._kept:
            with suppress(FileNotFoundError):
                self.folder.remove(self.spare)

    def _restore(self) -> None:
        if self.before is None:
            now = held(self.folder, self.name)
            if now is not None and now.data == self.after:
                self.folder.remove(self.name)
        elif not self._kept:
            put_back(self.folder, self.path, self.before, digest(self.after))
        elif self.after is None:
            try:
                self.folder.move(self.spare, self.name)
            except FileExistsError:  # somebody made a new one: both stay
                self.folder.move(self.spare, conflict_name(self.name))
            self._kept = False
        else:
            self._exchange_back()

    def _exchange_back(self) -> None:
        """Give the displaced file its name again, unless a newer one came there meanwhile: the newest stays."""
        self.folder.exchange(self.spare, self.name)
        now = held(self.folder, self.spare)
        if now is not None and now.data != self.after:
            self.folder.exchange(self.spare, self.name)
        self._kept = False


def conflict_name(name: str) -> str:
    """A name for a second version of a note, which `doctor` shows as the copy it is."""
    stem, dot, ending = name.rpartition(".")
    return f"{stem} (conflict {os.urandom(4).hex()}){dot}{ending}"


def put_back(folder: Folder, path: str, before: bytes | None, after: str) -> None:
    """Restore `before` where the file still is what has the hash `after`; anything else in its place stays."""
    now = held(folder, path.rpartition("/")[2])
    data = None if now is None else now.data
    if digest(data) != after or data == before:
        return
    again = Replacement(folder, path, data, before)
    try:
        again.stage()
        again.swap()
        again.look_again()
    except BaseException:
        again.back()
        raise
    again.finish()


def _dress(path: str, handle: int, model: int) -> None:
    """Give a new file the mode, owner and attributes of another.  UsageError where the owner cannot be kept."""
    wanted, now = os.fstat(model), os.fstat(handle)
    if hasattr(os, "fchown") and (wanted.st_uid, wanted.st_gid) != (now.st_uid, now.st_gid):
        try:
            os.fchown(handle, wanted.st_uid, wanted.st_gid)
        except OSError as error:
            raise refused(path, "belongs to somebody else, and a new file would be yours", "written") from error
    if hasattr(os, "fchmod"):
        os.fchmod(handle, stat.S_IMODE(wanted.st_mode))
    if sys.platform == "linux":
        for name in os.listxattr(model):
            try:
                os.setxattr(handle, name, os.getxattr(model, name))
            except OSError as error:
                if not name.startswith("security.") and error.errno != errno.ENOTSUP:
                    raise
    elif sys.platform == "darwin":
        import ctypes

        ctypes.CDLL(None).fcopyfile(model, handle, None, 0b101)  # COPYFILE_ACL and COPYFILE_XATTR
