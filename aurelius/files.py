"""Reading a file inside the vault, and nothing else: no way out by `..`, a link, a device or a race.

A path is walked one folder at a time from an open folder of the vault, and no step follows a link
(reliability F1: a check of `realpath` before opening leaks when a folder is swapped for a link
meanwhile; a walk over open folders cannot).  Only regular files are read, and opening never waits,
so a FIFO does not block.  Where folders cannot be opened (Windows), every part is checked by
`lstat`, and the file that was opened is checked to be the one that was looked at.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from indexer.errors import UsageError

MOST = 64 << 20
"""Bytes of a file that are read at most."""

_WALKS = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW") and hasattr(os, "O_DIRECTORY")
_QUIET = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_LINK = 0x400  # FILE_ATTRIBUTE_REPARSE_POINT: what Windows has for links and junctions


class Content(NamedTuple):
    """The bytes of a file and what it was when they were read."""

    data: bytes
    stat: os.stat_result


def read(root: str, path: str) -> Content:
    """The bytes of a regular file inside the vault.

    UsageError for a path that leads elsewhere or is no regular file, with what is wrong;
    FileNotFoundError and other OSErrors from opening it.
    """
    handle = _open(root, inside(path))
    try:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise refused(path, "is not a regular file")
        if found.st_size > MOST:
            raise UsageError(f"{path}: not read, because it is larger than {MOST >> 20} MiB", "split it into several")
        blocks = []
        while block := os.read(handle, 1 << 20):
            blocks.append(block)
        return Content(b"".join(blocks), os.fstat(handle))
    finally:
        os.close(handle)


def inside(path: str, what: str = "read") -> tuple[str, ...]:
    """The parts of a vault-relative path; UsageError for one that is none: it is not `what`, read or written."""
    if "\0" in path:
        raise refused(path.replace("\0", "\\0"), "holds a NUL character", what)
    if path.startswith("~"):
        raise refused(path, "starts with ~, which is not expanded here", what)
    if os.path.isabs(path) or path.startswith(("/", "\\")) or (os.name == "nt" and ":" in path):
        raise refused(path, "is absolute", what)
    parts = tuple(
        part for part in path.replace("\\", "/" if os.name == "nt" else "\\").split("/") if part not in {"", "."}
    )
    if ".." in parts:
        raise refused(path, "goes upwards by ..", what)
    if not parts:
        raise refused(path, "is the vault itself", what)
    return parts


def refused(path: str, why: str, what: str = "read", hint: str = "") -> UsageError:
    """The error for a path that is not read, or written, why, and what helps."""
    hint = hint or "name a note by its path from the vault's folder"
    return UsageError(f"{path}: not {what}, because it {why}", hint)


def _open(root: str, parts: tuple[str, ...]) -> int:
    return _walk(root, parts) if _WALKS else _checked(root, parts)


def _walk(root: str, parts: tuple[str, ...]) -> int:
    folder = os.open(root, _QUIET | os.O_DIRECTORY)
    try:
        for part in parts[:-1]:
            below = _step(part, _QUIET | os.O_DIRECTORY | os.O_NOFOLLOW, folder, parts)
            os.close(folder)
            folder = below
        return _step(parts[-1], _QUIET | os.O_NOFOLLOW, folder, parts)
    finally:
        os.close(folder)


def _step(part: str, flags: int, folder: int, parts: tuple[str, ...]) -> int:
    try:
        return os.open(part, flags, dir_fd=folder)
    except OSError as error:
        if _is_link(part, folder):
            raise refused("/".join(parts), f"leads through the link {part}") from error
        if isinstance(error, NotADirectoryError):
            raise FileNotFoundError(error.errno, error.strerror, "/".join(parts)) from error
        raise


def _is_link(part: str, folder: int) -> bool:
    try:
        return stat.S_ISLNK(os.stat(part, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _checked(root: str, parts: tuple[str, ...]) -> int:
    path = root
    for part in parts:
        path = os.path.join(path, part)
        found = os.lstat(path)
        if stat.S_ISLNK(found.st_mode) or getattr(found, "st_file_attributes", 0) & _LINK:
            raise refused("/".join(parts), f"leads through the link {part}")
    if not stat.S_ISREG(found.st_mode):
        raise refused("/".join(parts), "is not a regular file")
    handle = os.open(path, _QUIET)
    if not os.path.samestat(os.fstat(handle), found):
        os.close(handle)
        raise refused("/".join(parts), "was swapped for another while it was opened")
    return handle
