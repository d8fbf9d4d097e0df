"""Replacement of one note's bytes: a new file is staged beside it, swapped in, checked, or taken
back.

A note is never written in place. Its new bytes go into a temporary file in the same folder and onto
the disk, the two change names in one step, and what was displaced is looked at before it is
removed. Where the system has leases, the note is leased while it is compared and swapped: a program
that has it open for writing is a ConflictError, and what was displaced is nobody's when it is
removed. Without a lease, or where a program got hold of it all the same, the displaced file stays:
`left` names it, and other_programs.py looks at it again. Mode, owner, attributes and access lists
come along.

Where two names cannot be exchanged, the old file gets a second name and the new one then takes the
first. A program that saves by renaming in the moment between those two calls loses that save: POSIX
has no call that tells what the second displaced, and to move the old file away first would leave no
note for a moment, or after a crash. A save into the file itself is found by its second name; on a
file system without second names it is lost as well where it comes after the last comparison.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
import time
from contextlib import suppress
from posixpath import basename
from typing import NamedTuple

from indexer.errors import ConflictError

from .safe_folder import WRITABLE, Folder, lease_file, refused_path, special_rename

SPARE_PREFIX = ".aurelius-"
SPARE_ENDING = ".tmp"
"""A temporary file is `.aurelius-<16 hex>.tmp`: hidden, and ignored by indexes and by git."""

SECONDS_FOR_SWAP = 0.2
"""Seconds to wait, once more, for a program that has the note open for writing."""

TURNS = 4
"""Times that a note which is put back is exchanged at most, while a program saves it over and
over."""

RUN_AGAIN = "nothing was written; run the command again"


def bytes_digest(data: bytes | None) -> str:
    """The SHA-256 of bytes in hex, "" for no file."""
    if data is None:
        return ""
    from hashlib import sha256

    return sha256(data).hexdigest()


def changed_error(path: str, now: bytes | None) -> ConflictError:
    """The error for a note that is not what an edit was made from, with the hash of what it is."""
    if now is not None:
        what = "it changed since it was read"
    else:
        what = "it does not exist any more"
    return ConflictError(f"{path}: not written: {what}", RUN_AGAIN)


def in_use(path: str) -> ConflictError:
    """The error for a note that another program has open for writing."""
    what = f"{path}: another program has it open for writing"
    return ConflictError(what, "nothing was written; try again when it is closed")


class Left(NamedTuple):
    """A file beside the note to look at again: its name there, and what it held.

    A displaced file that a program may still write to; or, `saved`, a copy of what a program saved
    and the note holds once more, which a program that read our bytes in between may save over.
    """

    name: str
    data: bytes
    saved: bool = False


class Replacement:
    """One note being replaced, made or removed (`after` None). The steps are taken in the order
    they stand here.

    `spare` is the temporary file, `old` a second name for the displaced one where two names cannot
    be exchanged. `left` are displaced files that may still be written to, and copies of what
    programs saved; `copies` the names of conflict copies that were made: the caller looks after
    both.
    """

    def __init__(
        self, folder: Folder, path: str, before: bytes | None, after: bytes | None, spare: str = ""
    ) -> None:
        self.folder = folder
        self.path = path
        self.name = basename(path)
        self.before = before
        self.after = after
        self.spare = spare or f"{SPARE_PREFIX}{os.urandom(8).hex()}{SPARE_ENDING}"
        self.old = old_name(self.spare)
        self._saves = [old_name(self.spare, number) for number in range(1, TURNS + 3)]
        self.left: list[Left] = []
        self.copies: list[str] = []
        self._swapped = False
        self._displaced = ""  # the name under which what was displaced still is

    def compare(self) -> None:
        """ConflictError unless the file holds `before`; UsageError where it cannot be replaced as
        it should be."""
        now = self.folder.read(self.name)
        if now is None:
            data = None
        else:
            data = now.data
        if data != self.before:
            raise changed_error(self.path, data)
        if now is None:
            return
        if now.stat.st_nlink > 1:
            why = "has a second name (a hard link), and writing it would separate the two"
            raise refused_path(
                self.path,
                why,
                "written",
                "change it with an editor, or remove one of the two names",
            )
        if not now.stat.st_mode & WRITABLE:
            raise refused_path(
                self.path, "is read-only", "written", "make it writable, then try again"
            )

    def stage(self, like: tuple[Folder, str] | None = None, *, flush: bool = True) -> None:
        """Write the new bytes beside the note, with the mode, owner and attributes of `like`, else
        of the note.

        Without `flush` the caller has to see to it that they get onto the disk.
        """
        # loaded before the note is compared, so that less time goes by until it is swapped
        special_rename()
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
        """Let the new bytes take the place of the old ones. ConflictError where something else came
        there."""
        if self.before is None:
            try:
                self.folder.move(self.spare, self.name)
            except FileExistsError:
                raise changed_error(self.path, self.folder.data(self.name)) from None
            self._swapped = True
            return
        try:
            handle = self.folder.open(self.name, os.O_RDONLY)
        except FileNotFoundError:
            raise changed_error(self.path, None) from None
        try:
            until = time.monotonic() + SECONDS_FOR_SWAP
            while (alone := lease_file(handle)) is False:
                if time.monotonic() >= until:
                    raise in_use(self.path)
                time.sleep(0.005)
            now = self.folder.content(self.name, handle)
            if now.data != self.before:
                raise changed_error(self.path, now.data)
            if alone:
                self._displace()
        finally:
            os.close(handle)  # which ends the lease
        if not alone:  # some systems rename no file that is open
            self._displace()

    def _displace(self) -> None:
        """Take the old bytes out of the note's name and put the new ones there."""
        if self.after is None:
            self.folder.move(self.name, self.spare)
            self._displaced = self.spare
        elif self.folder.exchange(self.spare, self.name):
            self._displaced = self.spare
        else:
            linked = self.folder.link(self.name, self.old)
            self.folder.replace(self.name, by=self.spare)
            self._displaced = self.old if linked else ""
        self._swapped = True

    def look_again(self) -> None:
        """ConflictError where what was displaced is not what was compared, or a program has it
        open: somebody saved."""
        if not self._displaced:
            return
        now, alone = self._look(self._displaced)
        if now is None or now != self.before:
            raise changed_error(self.path, now)
        if alone is False:
            raise in_use(self.path)

    def finish(self) -> None:
        """Remove what was displaced, or leave it to be looked at again."""
        if self._displaced:
            assert self.before is not None  # something was there
            self._dismiss(self._displaced, self.before)
            self._displaced = ""

    def clear(self, after: str, *, was_swapped: bool) -> None:
        """Clear up the files that a crash left beside a note; `after` is the hash of its new
        bytes."""
        for name in (self.spare, self.old):
            now = self.folder.data(name)
            if now is None:
                continue
            if was_swapped and bytes_digest(now) != after:
                self._dismiss(name, self.before or b"")
            else:
                self.folder.remove(name)
        note = self.folder.data(self.name) or b""
        for name in self._saves:
            now = self.folder.data(name)
            if now is None:
                continue
            if _holds(note, now):
                self.folder.remove(name)
            else:
                self._copy(name)

    def back(self) -> None:
        """Undo whatever was done so far; what somebody saved meanwhile stays. OSError where that
        fails, too."""
        if self._swapped:
            self._swapped = False
            self._restore()
        for name in {self.spare, self.old} - {self._displaced} - {left.name for left in self.left}:
            with suppress(FileNotFoundError):
                self.folder.remove(name)

    def _restore(self) -> None:
        if self.before is None:
            now = self.folder.data(self.name)
            if now is not None and now == self.after:
                self.folder.move(self.name, self.spare)
                self._dismiss(self.spare, now)
            return
        displaced = self._displaced
        self._displaced = ""
        if not displaced:
            again = restore_file(self.folder, self.path, self.before, bytes_digest(self.after))
            self.left += again.left
            self.copies += again.copies
        elif self.after is None:
            try:
                self.folder.move(displaced, self.name)
            except FileExistsError:  # somebody made a new one: both stay
                self._copy(displaced)
        elif displaced == self.spare:
            self._exchange_back()
        else:
            self._name_back(displaced)

    def _exchange_back(self) -> None:
        """Give the displaced file its name again, and each newer save the name after it: the newest
        stays.

        What was displaced last becomes a conflict copy, the others are kept in copies that are
        looked at again. Where a program has saved in each of so many TURNS, what was displaced last
        is newer than the note.
        """
        new, _ = self._look(self.spare)
        old = spent = self.after
        for turn in range(TURNS):
            self._keep(new)
            try:
                self.folder.exchange(self.spare, self.name)
            except FileNotFoundError:  # somebody removed the note, and that is obeyed
                spent = self.before
                break
            if not turn:  # that save may just have been half done
                self._keep(self._look(self.name)[0], more_than=new or b"")
            displaced, _ = self._look(self.spare)
            if displaced is None or displaced == old:
                break
            old = new
            new = displaced
            spent = self.before
        self._dismiss(self.spare, spent or b"")

    def _name_back(self, displaced: str) -> None:
        """The same where names cannot be exchanged."""
        assert self.before is not None  # it was displaced
        now = self.folder.data(self.name)
        if now is None or now != self.after:
            self._dismiss(displaced, self.before)
            return
        self._keep(saved := self._look(displaced)[0])
        linked = self.folder.link(self.name, self.spare)
        self.folder.replace(self.name, by=displaced)
        self._keep(
            self._look(self.name)[0], more_than=saved or b""
        )  # that save may just have been half done
        if linked:
            self._dismiss(self.spare, now)

    def _keep(self, saved: bytes | None, more_than: bytes = b"") -> None:
        """Keep a copy of what a program saved, before the note holds it again: who read our bytes
        may save those.

        A copy that holds nothing more goes.
        """
        if not saved or saved == self.before or not _holds(saved, more_than):
            return
        taken = {left.name for left in self.left}
        name = next(each for each in self._saves if each not in taken)
        try:
            with open(
                self.folder.open(name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb"
            ) as file:
                file.write(saved)
        except OSError:  # without room on the disk it is only put back
            with suppress(OSError):
                self.folder.remove(name)
            return
        self._let_go(saved)
        self.left.append(Left(name, saved, saved=True))

    def _let_go(self, saved: bytes) -> None:
        """Remove the copies of saves that hold nothing more than these bytes, which are kept
        elsewhere."""
        for left in [left for left in self.left if left.saved and _holds(saved, left.data)]:
            with suppress(OSError):
                self.folder.remove(left.name)
                self.left.remove(left)

    def _look(self, name: str) -> tuple[bytes | None, bool | None]:
        """Contents of a displaced file, and whether nobody has it open for writing, None where that
        is not known."""
        try:
            handle = self.folder.open(name, os.O_RDONLY)
        except FileNotFoundError:
            return None, True
        try:
            alone = lease_file(handle)
            return self.folder.content(name, handle).data, alone
        finally:
            os.close(handle)

    def _dismiss(self, name: str, expected: bytes) -> None:
        """Clear up a displaced file: a conflict copy where it was written to, else removed once
        nobody has it open."""
        now, alone = self._look(name)
        if now is None:
            return
        if now != expected:
            self._copy(name)
            self._let_go(now)
        elif alone:
            self.folder.remove(name)
        else:
            self.left.append(Left(name, expected))

    def _copy(self, name: str) -> None:
        copy = conflict_name(self.name)
        self.folder.move(name, copy)
        self.copies.append(copy)


def old_name(spare: str, number: int = 0) -> str:
    """The second name of a displaced file, made from that of the temporary one; or that of a copy
    of a save."""
    return (
        spare.removesuffix(SPARE_ENDING) + "-old" + (f"-{number}" if number else "") + SPARE_ENDING
    )


def _holds(data: bytes, other: bytes) -> bool:
    """Whether every line of the other bytes stands in these."""
    return set(other.splitlines()) <= set(data.splitlines())


def conflict_name(name: str, digits: str = "") -> str:
    """A name for a second version of a note, which `doctor` shows as the copy it is; with these
    hex digits, else with any."""
    stem, dot, ending = name.rpartition(".")
    return f"{stem} (conflict {digits or os.urandom(4).hex()}){dot}{ending}"


def restore_file(folder: Folder, path: str, before: bytes | None, after: str) -> Replacement:
    """Restore `before` where the file still is what has the hash `after`; anything else in its
    place stays."""
    data = folder.data(basename(path))
    again = Replacement(folder, path, data, before)
    if bytes_digest(data) != after:
        return again
    try:
        again.stage()
        again.swap()
        again.look_again()
    except BaseException:
        again.back()
        raise
    again.finish()
    return again


def _dress(path: str, handle: int, model: int) -> None:
    """Give a new file the mode, owner and attributes of another. UsageError where the owner cannot
    be kept."""
    wanted = os.fstat(model)
    now = os.fstat(handle)
    if hasattr(os, "fchown") and (wanted.st_uid, wanted.st_gid) != (now.st_uid, now.st_gid):
        try:
            os.fchown(handle, wanted.st_uid, wanted.st_gid)
        except OSError as error:
            raise refused_path(
                path, "belongs to another user, and a new file would be yours", "written"
            ) from error
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
