"""Paths into the vault and its open folders: what is read or written lies inside it, whatever is
swapped for a link.

How they are opened says `indexer/disk/beneath`. Where folders cannot be opened (Windows), every
part is looked at by `lstat` before each step: not tried here.
"""

from __future__ import annotations

import errno
import functools
import os
import stat
import sys
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, NoReturn, Self

from indexer.disk.beneath import CAN_ENTER, UNMOVED, enter, is_link, open_root
from indexer.errors import Hint, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

MOST_FILE_BYTES = 64 << 20
"""Bytes of a file that are read at most."""

_UNABLE = {
    errno.ENOSYS,
    errno.EINVAL,
    errno.ENOTSUP,
    errno.EPERM,
    getattr(errno, "EOPNOTSUPP", errno.ENOTSUP),
}
"""What a system or file system answers that cannot do one of the two special ways to rename."""

WRITABLE = 0o222
"""The bits of a mode of which one lets somebody write."""

LEASED = 2.0
"""Seconds to wait for another process of ours that has a file leased, which takes it
milliseconds."""

KEEP = "keep"
SWAP = "swap"
if sys.platform == "linux":
    _FLAGS = {KEEP: 1, SWAP: 2}
else:
    _FLAGS = {KEEP: 4, SWAP: 2}
"""renameat2 of Linux, renameatx_np of macOS: never overwrite, exchange two names."""


def lease_file(handle: int) -> bool | None:
    """Lease a file that is open for reading, until it is closed: whoever opens it for writing has
    to wait.

    False where a program has it open for writing now; None where the system has no leases (they are
    Linux's), or not for this file: on some network file systems, or one that belongs to somebody
    else.
    """
    if sys.platform != "linux":
        return None
    import fcntl
    import signal

    try:
        # Who opens the file makes the kernel send a signal to this process: one that is ignored,
        # not the usual SIGIO, which would end it.
        fcntl.fcntl(handle, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(handle, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        if error.errno == errno.EAGAIN:
            return False
        return None
    return True


class Content(NamedTuple):
    """The bytes of a file and what it was when they were read."""

    data: bytes
    stat: os.stat_result

    @property
    def saved(self) -> float:
        """Time at which the file was written, or put in its place with an old time."""
        return max(self.stat.st_mtime, self.stat.st_ctime if os.name == "posix" else 0.0)


def read_inside(root: str, path: str) -> Content:
    """The bytes of a regular file inside the vault.

    UsageError for a path that leads elsewhere or is no regular file, with what is wrong;
    FileNotFoundError and other OSErrors from opening it.
    """
    parts = path_parts(path)
    with Folder(root, parts[:-1], what="read") as folder:
        found = folder.read(parts[-1])
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    return found


def disk_path(root: str, path: str) -> str:
    """Where a path of a vault is on the disk; never above the vault's folder for want of a part."""
    return os.path.join(root, *path.split("/"))


def is_same(one: str, other: str) -> bool:
    """True if two paths are one file, as where they differ in case alone."""
    try:
        return os.path.samefile(one, other)
    except OSError:
        return False


def path_below(root: str, name: str) -> str:
    """A whole path into the vault as a path in it; any other name as it is."""
    if os.path.isabs(name):
        folder = os.path.normpath(root)
        path = os.path.normpath(name)
        if path.startswith(folder + os.sep):
            return path[len(folder) + 1 :].replace(os.sep, "/")
    return name


def path_parts(path: str, what: str = "read") -> tuple[str, ...]:
    """The parts of a vault-relative path; UsageError for one that is none: it is not `what`, read
    or written."""
    if "\0" in path:
        raise refused_path(path.replace("\0", "\\0"), "has a NUL character in it", what)
    if path.startswith("~"):
        raise refused_path(path, "starts with ~", what)
    is_windows = os.name == "nt"
    if os.path.isabs(path) or path.startswith(("/", "\\")) or (is_windows and ":" in path):
        raise refused_path(path, "is an absolute path", what)
    if is_windows:
        path = path.replace("\\", "/")
    parts = tuple(part for part in path.split("/") if part not in {"", "."})
    if ".." in parts:
        raise refused_path(path, "leads out of the vault by ..", what)
    if not parts:
        raise refused_path(path, "is the vault's folder", what)
    return parts


def refused_path(path: str, why: str, what: str = "read", hint: str = "") -> UsageError:
    """The error for a path that is not read, or written, why, and what helps."""
    hint = hint or Hint(
        "give the path of a note from the vault's folder, like people/joe.md",
        "give the path of a note",
    )
    return UsageError(f"{path}: not {what}, because it {why}", hint)


class Folder:
    """A folder of the vault, given by its parts; `make` makes what is missing of it.

    UsageError for one that is a link or no folder, OSError where it cannot be opened. Names are
    single names in it, never paths. `what` is what the errors say is not done: "read" or "written".
    """

    def __init__(
        self, root: str, parts: Sequence[str], *, make: bool = False, what: str = "written"
    ) -> None:
        self.path = os.path.join(root, *parts)
        self._root = root
        self._parts = tuple(parts)
        self._what = what
        self._fd: int | None = None
        if not CAN_ENTER:
            self._check(make=make)
            return
        self._fd = open_root(root)
        try:
            for part in self._parts:
                self._step(part, make=make)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close it; a second close does nothing."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    # -- looking -----------------------------------------------------------------------

    def look(self, name: str) -> os.stat_result | None:
        """The file status of a name, links not followed; None where there is nothing."""
        try:
            return os.stat(self._at(name), dir_fd=self._fd, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """A descriptor of a regular file; never waits, never follows a link. UsageError for
        anything else."""
        found = None
        if self._fd is None and not flags & os.O_EXCL:
            found = self.look(name)
            self._refuse_odd(name, found)
        try:
            handle = self._open(name, flags, mode)
        except FileNotFoundError:
            raise
        except OSError:
            self._refuse_odd(name, self.look(name))
            raise
        opened = os.fstat(handle)
        if not stat.S_ISREG(opened.st_mode):
            os.close(handle)
            raise refused_path(self._shown(name), "is not a regular file", self._what)
        if found is not None and not os.path.samestat(opened, found):
            os.close(handle)
            raise refused_path(
                self._shown(name), "was replaced while it was being opened", self._what
            )
        return handle

    def read(self, name: str) -> Content | None:
        """Bytes of a file now, None where there is none. UsageError for one that is not regular, or
        too large."""
        try:
            handle = self.open(name, os.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            return self.content(name, handle)
        finally:
            os.close(handle)

    def data(self, name: str) -> bytes | None:
        """The bytes of a file now, None where there is none.  UsageError as `read`."""
        found = self.read(name)
        if found is None:
            return None
        return found.data

    def content(self, name: str, handle: int) -> Content:
        """Contents of an open file of that name.  UsageError for one that is too large."""
        if os.fstat(handle).st_size > MOST_FILE_BYTES:
            why = f"is larger than {MOST_FILE_BYTES >> 20} MiB"
            raise refused_path(self._shown(name), why, self._what, "split it into several")
        blocks = []
        while block := os.read(handle, 1 << 20):
            blocks.append(block)
        return Content(b"".join(blocks), os.fstat(handle))

    # -- changing ----------------------------------------------------------------------

    def replace(self, name: str, by: str) -> None:
        """Put the file `by` in the place of `name`, in one step."""
        os.replace(self._at(by), self._at(name), src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def exchange(self, one: str, other: str) -> bool:
        """Let two files change names in one step; False where the system cannot."""
        return self._special(one, other, SWAP)

    def move(self, name: str, to: str) -> None:
        """Give a file another name in this folder that nothing has.  FileExistsError."""
        if self._special(name, to, KEEP):
            return
        if os.name != "nt":
            try:
                os.link(
                    self._at(name),
                    self._at(to),
                    src_dir_fd=self._fd,
                    dst_dir_fd=self._fd,
                    follow_symlinks=False,
                )
            except FileExistsError:
                raise
            except OSError:  # a file system without second names
                if self.look(to) is not None:
                    raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), to) from None
            else:
                try:
                    self.remove(name)
                except OSError:
                    self.remove(to)
                    raise
                return
        os.rename(self._at(name), self._at(to), src_dir_fd=self._fd, dst_dir_fd=self._fd)

    def remove(self, name: str) -> None:
        """Remove a file."""
        os.unlink(self._at(name), dir_fd=self._fd)

    def remove_folder(self, name: str) -> None:
        """Remove an empty folder.  OSError for one that is not empty, a link, or anything else."""
        os.rmdir(self._at(name), dir_fd=self._fd)

    def flush(self) -> None:
        """Have the folder's names written to the disk, where a system can be told to."""
        if self._fd is not None:
            with suppress(OSError):  # some file systems know no such thing for folders
                os.fsync(self._fd)

    def link(self, name: str, to: str) -> bool:
        """Give a file a second name in this folder; False where the file system has no second
        names."""
        try:
            os.link(
                self._at(name),
                self._at(to),
                src_dir_fd=self._fd,
                dst_dir_fd=self._fd,
                follow_symlinks=False,
            )
        except (OSError, NotImplementedError):
            return False
        return True

    def send(self, name: str, to: Folder, new: str) -> None:
        """Give a file another name in another folder, where nothing may have it. OSError on another
        file system."""
        if to.look(new) is not None:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), new)
        os.rename(self._at(name), to._at(new), src_dir_fd=self._fd, dst_dir_fd=to._fd)

    # -- on the way --------------------------------------------------------------------

    def _open(self, name: str, flags: int, mode: int) -> int:
        """Open without waiting for anything but the moment in which another process has the file
        leased."""
        flags |= UNMOVED
        until = time.monotonic() + LEASED
        while True:
            try:
                return os.open(self._at(name), flags, mode, dir_fd=self._fd)
            except BlockingIOError:
                if time.monotonic() >= until:
                    raise
                time.sleep(0.01)

    def _at(self, name: str) -> str:
        if self._fd is not None:
            return name
        return os.path.join(self.path, name)

    def _shown(self, name: str) -> str:
        return "/".join((*self._parts, name))

    def _refuse_odd(self, name: str, found: os.stat_result | None, path: str = "") -> None:
        """UsageError where what stands in a path is a link or a device."""
        path = path or self._shown(name)
        if found is not None and is_link(found):
            raise refused_path(path, f"leads through the symbolic link {name}", self._what)
        if (
            found is not None
            and not stat.S_ISREG(found.st_mode)
            and not stat.S_ISDIR(found.st_mode)
        ):
            raise refused_path(path, "is not a regular file", self._what)

    def _refuse_file(self, part: str, found: os.stat_result) -> NoReturn:
        """The error for what stands where a folder has to be."""
        path = "/".join(self._parts)
        self._refuse_odd(part, found, path)
        if self._what == "read":
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        raise refused_path(path, f"has {part} in its path, which is not a folder", self._what)

    def _step(self, part: str, *, make: bool) -> None:
        assert self._fd is not None  # only called with folders open
        if make:
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=self._fd)
        try:
            self._fd = enter(self._fd, part)
        except OSError:
            found = self.look(part)
            if found is not None and not stat.S_ISDIR(found.st_mode):
                self._refuse_file(part, found)
            raise

    def _check(self, *, make: bool) -> None:
        path = self._root
        for part in self._parts:
            path = os.path.join(path, part)
            if make:
                with suppress(FileExistsError):
                    os.mkdir(path)
            found = os.lstat(path)
            if not stat.S_ISDIR(found.st_mode):
                self._refuse_file(part, found)
            if is_link(found):  # a junction
                raise refused_path(
                    "/".join(self._parts), f"leads through the symbolic link {part}", self._what
                )

    def _special(self, one: str, other: str, way: str) -> bool:
        if self._fd is not None:
            call = special_rename()
        else:
            call = None
        if call is None:
            return False
        if call(self._fd, os.fsencode(one), self._fd, os.fsencode(other), _FLAGS[way]) == 0:
            return True
        import ctypes

        number = ctypes.get_errno()
        if number in _UNABLE:
            return False
        raise OSError(number, os.strerror(number), other)


_CALLS = {"linux": "renameat2", "darwin": "renameatx_np"}


@functools.cache
def special_rename() -> Callable[..., int] | None:
    """The system's call that renames without overwriting and exchanges names, None where it has
    none.

    The first use loads it, which takes milliseconds.
    """
    if sys.platform not in _CALLS:
        return None
    import ctypes

    return getattr(ctypes.CDLL(None, use_errno=True), _CALLS[sys.platform], None)
