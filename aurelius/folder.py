"""An open folder of the vault: what is done in it is done in it, whatever is swapped for a link meanwhile.

Reliability F1: a folder is opened part by part from the vault's own, no part may be a link, and a file
is then named in the open folder alone.  Where folders cannot be opened (Windows), every part is
looked at by `lstat` before each step.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Self

from .files import refused

if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import TracebackType

_OPENS = (
    {os.open, os.rename, os.unlink, os.mkdir, os.stat, os.link} <= os.supports_dir_fd
    and hasattr(os, "O_NOFOLLOW")
    and hasattr(os, "O_DIRECTORY")
)
_QUIET = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_LINK = 0x400  # FILE_ATTRIBUTE_REPARSE_POINT: what Windows has for links and junctions
_UNABLE = {errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM, getattr(errno, "EOPNOTSUPP", errno.ENOTSUP)}
"""What a system or file system answers that cannot do one of the two special ways to rename."""

KEEP, SWAP = "keep", "swap"
_FLAGS = {KEEP: 1, SWAP: 2} if sys.platform == "linux" else {KEEP: 4, SWAP: 2}
"""renameat2 of Linux, renameatx_np of macOS: never overwrite, exchange two names."""


class Folder:
    """A folder of the vault, given by its parts; `make` makes what is missing of it.

    UsageError for one that is a link or no folder, OSError where it cannot be opened.  Names are
    single names in it, never paths.
    """

    def __init__(self, root: str, parts: Sequence[str], *, make: bool = False) -> None:
        self.path = os.path.join(root, *parts)
        self._root = root
        self._parts = tuple(parts)
        self._fd: int | None = None
        if not _OPENS:
            self._check(make=make)
            return
        self._fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY | _QUIET)
        try:
            for part in self._parts:
                self._step(part, make=make)
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close it; a second close does nothing."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None

    # -- looking -------------------------------------------------------------------------------------

    def look(self, name: str) -> os.stat_result | None:
        """What a name is, links not followed; None where there is nothing."""
        try:
            return os.stat(self._at(name), dir_fd=self._fd, follow_symlinks=False)
        except FileNotFoundError:
            return None

    def open(self, name: str, flags: int, mode: int = 0o666) -> int:
        """A descriptor of a regular file; never waits, never follows a link.  UsageError for anything else."""
        if self._fd is None and not flags & os.O_EXCL:
            _refuse_odd(self._shown(name), name, self.look(name))
        extra = _QUIET | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
        try:
            handle = os.open(self._at(name), flags | extra, mode, dir_fd=self._fd)
        except FileNotFoundError:
            raise
        except OSError:
            _refuse_odd(self._shown(name), name, self.look(name))
            raise
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            os.close(handle)
            raise refused(self._shown(name), "is not a regular file", "written")
        return handle

    # -- changing ------------------------------------------------------------------------------------

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
                os.link(self._at(name), self._at(to), src_dir_fd=self._fd, dst_dir_fd=self._fd, follow_symlinks=False)
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

    def flush(self) -> None:
        """Have the folder's names written to the disk, where a system can be told to."""
        if self._fd is not None:
            with suppress(OSError):  # some file systems know no such thing for folders
                os.fsync(self._fd)

    # -- on the way ----------------------------------------------------------------------------------

    def _at(self, name: str) -> str:
        return name if self._fd is not None else os.path.join(self.path, name)

    def _shown(self, name: str) -> str:
        return "/".join((*self._parts, name))

    def _step(self, part: str, *, make: bool) -> None:
        assert self._fd is not None  # only called with folders open
        if make:
            with suppress(FileExistsError):
                os.mkdir(part, dir_fd=self._fd)
        try:
            below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | _QUIET, dir_fd=self._fd)
        except OSError as error:
            found, path = self.look(part), "/".join(self._parts)
            if found is not None and not stat.S_ISDIR(found.st_mode):
                _refuse_odd(path, part, found)
                raise refused(path, f"has {part} on the way, which is no folder", "written") from error
            raise
        os.close(self._fd)
        self._fd = below

    def _check(self, *, make: bool) -> None:
        path = self._root
        for part in self._parts:
            path = os.path.join(path, part)
            if make:
                with suppress(FileExistsError):
                    os.mkdir(path)
            found = os.lstat(path)
            if _is_link(found):
                raise refused("/".join(self._parts), f"leads through the link {part}", "written")
            if not stat.S_ISDIR(found.st_mode):
                raise refused("/".join(self._parts), f"has {part} on the way, which is no folder", "written")

    def _special(self, one: str, other: str, way: str) -> bool:
        if self._fd is None or sys.platform not in {"linux", "darwin"}:
            return False
        import ctypes

        call = getattr(ctypes.CDLL(None, use_errno=True), _CALLS[sys.platform], None)
        if call is None:
            return False
        if call(self._fd, os.fsencode(one), self._fd, os.fsencode(other), _FLAGS[way]) == 0:
            return True
        number = ctypes.get_errno()
        if number in _UNABLE:
            return False
        raise OSError(number, os.strerror(number), other)


_CALLS = {"linux": "renameat2", "darwin": "renameatx_np"}


def _refuse_odd(path: str, name: str, found: os.stat_result | None) -> None:
    """UsageError where what stands in a path is a link or a device."""
    if found is None:
        return
    if _is_link(found):
        raise refused(path, f"leads through the link {name}", "written")
    if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
        raise refused(path, "is not a regular file", "written")


def _is_link(found: os.stat_result) -> bool:
    return stat.S_ISLNK(found.st_mode) or bool(getattr(found, "st_file_attributes", 0) & _LINK)
