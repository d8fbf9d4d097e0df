"""A note's bytes, read whole and at one moment."""

from __future__ import annotations

import os
import stat
import time
from hashlib import sha256
from typing import NamedTuple

from indexer.errors import error_reason

from .beneath import open_file
from .walk import ChangeKey, change_key

MOST_PARSED_BYTES = 4 << 20
"""Bytes kept for the parser (which indexes at most 2 MiB of text); the hash covers the whole
file."""

_PAUSE = 0.05


class FileBytes(NamedTuple):
    """What a file held: its first `MOST_PARSED_BYTES` bytes, the SHA-256 of all of it, and its key
    at that moment."""

    data: bytes
    sha256: bytes
    key: ChangeKey


def read_whole(root: str, path: str, *, was_empty: bool) -> FileBytes | None:
    """Read a note, and again if it changed meanwhile; None if it changed during every try.

    A file found empty that was not (`was_empty` false) is looked at once more: many editors empty a
    file before they write it.  OSError where it cannot be read or is no regular file.
    """
    for attempt in range(3):
        source = _read_once(root, path)
        if source is not None and (source.key[0] or was_empty or attempt):
            return source
        time.sleep(_PAUSE)
    return None


def _read_once(root: str, path: str) -> FileBytes | None:
    handle = open_file(root, path)
    try:
        before = os.fstat(handle)
        if not stat.S_ISREG(before.st_mode):
            raise OSError(0, "not a regular file")
        digest = sha256()
        kept = []
        size = 0
        while block := os.read(handle, 1 << 20):
            digest.update(block)
            if size < MOST_PARSED_BYTES:
                kept.append(block)
            size += len(block)
        if change_key(os.fstat(handle)) != change_key(before) or size != before.st_size:
            return None
        return FileBytes(b"".join(kept), digest.digest(), change_key(before))
    finally:
        os.close(handle)


def hash_of(root: str, path: str) -> bytes | None:
    """SHA-256 of a file as it is now, or None where it cannot be read."""
    try:
        source = _read_once(root, path)
    except OSError:
        return None
    return source and source.sha256


def file_obstacle(root: str, path: str) -> str | None:
    """Why a file cannot be opened, in words; None where it can."""
    try:
        os.close(open_file(root, path))
    except OSError as error:
        return error_reason(error)
    return None
