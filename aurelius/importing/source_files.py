"""The files of an export, wherever they lie: one file, a folder, a zip, or zips in a zip.

Nothing is unpacked into a folder: each file is opened where it lies, so no name in an archive leads
anywhere. Only zips inside of zips are copied, into temporary files that have no name.
"""

from __future__ import annotations

import os
import tempfile
import zipfile
import zlib
from contextlib import ExitStack
from functools import lru_cache, partial
from typing import IO, TYPE_CHECKING, NamedTuple, Self

from indexer.errors import AureliusError, UsageError, error_reason

from .imported import LeftOut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOST_DEPTH = 3
"""Zips inside of each other that are opened."""

MOST_FILES = 1_000_000
"""Files of an export; more are an error, not an export."""

MOST_WHOLE_BYTES = 64 << 20
"""Bytes of a file that are read at once; what can be longer is read in parts."""

HEAD_BYTES = 16 << 10
"""Bytes by which a file is recognised."""

FILE_ERRORS = (OSError, ValueError, EOFError, zipfile.BadZipFile, zlib.error, NotImplementedError)
"""What opening and reading a damaged file raises; a zip with a password or an unknown compression
is among them."""


class SourceFile(NamedTuple):
    """A file of an export: its `name` with `/` as the export has it, its size in bytes, and, where
    it is a file by itself, its path on the disk."""

    name: str
    size: int
    opened: Callable[[], IO[bytes]]
    disk: str = ""

    def open(self) -> IO[bytes]:
        """A stream of its bytes, to be closed by whoever asked.  One of FILE_ERRORS."""
        return self.opened()

    def head(self) -> bytes:
        """The first HEAD_BYTES; b"" where it cannot be read."""
        return _head(self)

    def whole(self) -> bytes:
        """All its bytes. ValueError where they are more than MOST_WHOLE_BYTES, else one of
        FILE_ERRORS."""
        with self.open() as stream:
            data = stream.read(MOST_WHOLE_BYTES + 1)
        if len(data) > MOST_WHOLE_BYTES:
            raise ValueError(f"it is larger than {MOST_WHOLE_BYTES >> 20} MB")
        return data

    def text(self) -> str:
        """All of it as text, odd bytes replaced. As `whole`."""
        return self.whole().decode("utf-8-sig", "replace")

    @property
    def base(self) -> str:
        """The last part of its name."""
        return self.name.rpartition("/")[2]


@lru_cache(maxsize=2048)
def _head(file: SourceFile) -> bytes:
    try:
        with file.open() as stream:
            return stream.read(HEAD_BYTES)
    except FILE_ERRORS:
        return b""


class ExportFiles:
    """The files at a path, open for as long as this is entered.  UsageError, one clear line."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.files: list[SourceFile] = []
        self.left_out: list[LeftOut] = []
        self._kept = ExitStack()

    def __enter__(self) -> Self:
        try:
            self._enter()
        except BaseException:
            self._kept.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._kept.close()

    def _enter(self) -> None:
        try:
            if os.path.isdir(self.path):
                self._add_folder()
            else:
                self._add_file(self.path, os.path.basename(self.path), 0)
        except FileNotFoundError:
            raise UsageError(f"{self.path}: there is no such file or folder") from None
        except OSError as error:
            raise UsageError(f"{self.path} cannot be read: {error_reason(error)}") from error
        self.files.sort(key=lambda each: each.name)

    def _add_folder(self) -> None:
        """All regular files below a folder; no link is followed."""
        top = os.path.join(self.path, "")
        for folder, folders, names in os.walk(self.path, onerror=self._unread):
            folders[:] = sorted(name for name in folders if name not in _NOT_ENTERED)
            for name in sorted(names):
                place = os.path.join(folder, name)
                if os.path.isfile(place) and not os.path.islink(place):
                    inside = place.removeprefix(top).replace(os.sep, "/")
                    self._add_file(place, inside, 0)

    def _unread(self, error: OSError) -> None:
        self.left_out.append(LeftOut(str(error.filename), "it cannot be read"))

    def _add_file(self, place: str, name: str, depth: int) -> None:
        """A file on the disk, or what is in it where that is a zip."""
        if not os.path.lexists(place):
            raise FileNotFoundError
        if not os.path.isfile(place):
            raise UsageError(f"{place}: neither a file nor a folder")
        if _is_zip(name, partial(_stream, place)):
            stream = self._kept.enter_context(_stream(place))
            self._add_zip(stream, name, "", depth)
            return
        self._add(SourceFile(name, os.path.getsize(place), partial(_stream, place), place))

    def _add_zip(self, stream: IO[bytes], name: str, inside: str, depth: int) -> None:
        try:
            archive = self._kept.enter_context(zipfile.ZipFile(stream))
            infos = archive.infolist()
        except FILE_ERRORS as error:
            self.left_out.append(LeftOut(name, f"the zip is damaged: {error}"))
            return
        for info in infos:
            if not info.is_dir():
                self._add_member(archive, info, inside, depth)

    def _add_member(
        self, archive: zipfile.ZipFile, info: zipfile.ZipInfo, inside: str, depth: int
    ) -> None:
        name = inside + info.filename.replace("\\", "/").lstrip("/")
        if info.flag_bits & 1:
            self.left_out.append(LeftOut(name, "it is protected by a password"))
            return

        def opened() -> IO[bytes]:
            return archive.open(info)

        if not _is_zip(name, opened):
            self._add(SourceFile(name, info.file_size, opened))
        elif depth + 1 >= MOST_DEPTH:
            self.left_out.append(LeftOut(name, "it is a zip in too many others"))
        else:
            self._add_inner_zip(name, opened, depth)

    def _add_inner_zip(self, name: str, opened: Callable[[], IO[bytes]], depth: int) -> None:
        """What is in a zip inside of another; copied first, as a zip is read from its end."""
        import shutil

        copy = self._kept.enter_context(_unnamed_file())
        try:
            with opened() as stream:
                shutil.copyfileobj(stream, copy, 1 << 20)
        except FILE_ERRORS as error:
            self.left_out.append(LeftOut(name, f"the zip is damaged: {error}"))
            return
        self._add_zip(copy, name, name.rpartition("/")[0] + "/" * ("/" in name), depth + 1)

    def _add(self, file: SourceFile) -> None:
        if len(self.files) >= MOST_FILES:
            raise UsageError(f"{self.path}: more than {MOST_FILES:,} files")
        self.files.append(file)

    def named(self, base: str) -> Iterator[SourceFile]:
        """The files whose last part of the name this is, in small letters."""
        return (each for each in self.files if each.base.lower() == base)


_NOT_ENTERED = frozenset((".git", "node_modules", ".venv", "__pycache__", "__MACOSX"))
"""Folders that hold nothing of an export."""

_ZIP_ENDINGS = (".zip", ".dms")


def _is_zip(name: str, opened: Callable[[], IO[bytes]]) -> bool:
    if not name.lower().endswith(_ZIP_ENDINGS):
        return False
    try:
        with opened() as stream:
            return stream.read(4) in {b"PK\x03\x04", b"PK\x05\x06"}
    except FILE_ERRORS:
        return False


def _stream(place: str) -> IO[bytes]:
    return open(place, "rb")


def _unnamed_file() -> IO[bytes]:
    return tempfile.TemporaryFile()


def unreadable(reader: str, name: str, error: BaseException) -> LeftOut:
    """A file that a reader could not read, with what is wrong with it."""
    if isinstance(error, AureliusError):
        return LeftOut(name, error.message)
    told = " ".join(str(error).split()) or type(error).__name__
    return LeftOut(name, f"it cannot be read as {reader}: {told[:200]}")
