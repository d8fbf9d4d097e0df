"""Opening what lies beneath the vault, whatever is swapped for a link meanwhile.

A folder is opened part by part from the vault's own, and no part may be a link; a file is then
named in the open folder alone. Where folders cannot be opened (Windows), every part is looked at
before.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import Self

CAN_ENTER = (
    {os.open, os.rename, os.unlink, os.mkdir, os.rmdir, os.stat, os.link} <= os.supports_dir_fd
    and hasattr(os, "O_NOFOLLOW")
    and hasattr(os, "O_DIRECTORY")
)
"""Whether the system opens folders, and names files in them."""
_OPEN_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
UNMOVED = _OPEN_FLAGS | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
"""Neither follow a link nor wait for a pipe."""
_FOLDER = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | _OPEN_FLAGS
_LINK = 0x400  # FILE_ATTRIBUTE_REPARSE_POINT: what Windows has for links and junctions


def is_link(found: os.stat_result) -> bool:
    """Whether an lstat was of a link, or of what Windows has for one."""
    return stat.S_ISLNK(found.st_mode) or bool(getattr(found, "st_file_attributes", 0) & _LINK)


def open_root(root: str) -> int:
    """A descriptor of the vault's folder, which may be reached by a link."""
    return os.open(root, _FOLDER)


def enter(folder: int, part: str) -> int:
    """A descriptor of a folder in an open one, which is closed. OSError for a link; the other then
    stays open."""
    below = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
    os.close(folder)
    return below


MOST_OPEN = 32
"""Folders that a `Descent` holds open at once."""


class Descent:
    """Folders beneath the vault's, opened one after another, each from the nearest one above it
    that is still open.

    So a walk that goes down opens one folder a step, however deep it is. Leaving its `with` closes
    what is open.
    """

    def __init__(self, root: str) -> None:
        self.root = root
        self._open: list[tuple[str, int]] = []
        """Path and descriptor of the vault's folder, and of some of those on the way to the last
        folder."""

    def enter(self, folder: str) -> int:
        """A descriptor of a folder, by its path in the vault; it is open until the next call.

        OSError where a part of the path is a link or no folder.
        """
        if not self._open:
            self._open.append(("", open_root(self.root)))
        while self._open[-1][0] and not f"{folder}/".startswith(self._open[-1][0] + "/"):
            os.close(self._open.pop()[1])
        above, handle = self._open[-1]
        for part in filter(None, folder[len(above) :].split("/")):
            if above:
                above = f"{above}/{part}"
            else:
                above = part
            handle = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=handle)
            self._open.append((above, handle))
            if len(self._open) > MOST_OPEN:
                os.close(self._open.pop(1)[1])
        return handle

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._open:
            os.close(self._open.pop()[1])


def open_file(root: str, path: str) -> int:
    """A descriptor for reading a file by its path in the vault; never waits.

    OSError where it, or a folder that it is in, is a link.
    """
    *parts, name = path.split("/")
    if CAN_ENTER:
        with Descent(root) as descent:
            return os.open(name, os.O_RDONLY | UNMOVED, dir_fd=descent.enter("/".join(parts)))
    place = root
    for part in (*parts, name):
        place = os.path.join(place, part)
        if is_link(os.lstat(place)):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP), place)
    return os.open(place, os.O_RDONLY | UNMOVED)
