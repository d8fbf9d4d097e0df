"""`merge-file`: what git asks for a note that two branches changed, in files that git made.

Where no note can be made of the two, ours stays as it is, the other version lies beside it under
a name of its own, and the exit code tells git that there is a conflict.
"""

from __future__ import annotations

import os
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from aurelius.compose.note_lines import NoteReader
from aurelius.writing.own_files import make_once, replace_file
from aurelius.writing.replace_file import conflict_name
from aurelius.writing.safe_folder import Folder, path_parts
from indexer.errors import ConflictError, UsageError, error_reason

from .merge_note import merge_notes

if TYPE_CHECKING:
    from collections.abc import Sequence

_NAME_DIGITS = 8
_MODE = 0o644
"""Who may read what is written: as git would have it."""


class MergedFile(NamedTuple):
    """What came of a merge: lines for the person, and the path of the copy that holds the other
    version, "" where one note was made of the two."""

    told: tuple[str, ...]
    copy: str = ""


def merge_file(top: str, files: Sequence[str], path: str) -> MergedFile:
    """Merge three files that git made, base, ours and theirs, into ours; `path` is that of the note
    in the working tree `top`.

    UsageError for a path that leads out of it, ConflictError where a file cannot be read or
    written.
    """
    path_parts(path, "merged")
    base, ours, theirs = (os.path.join(top, name) for name in files)
    try:
        old, mine, other = (_read(file) for file in (base, ours, theirs))
        try:
            merged = merge_notes(old, mine, other, path, NoteReader())
        except UsageError as error:
            return _kept_both(top, path, other, error)
        replace_file(ours, merged.data, _MODE)
    except OSError as error:
        raise ConflictError(
            f"{path}: not merged: {error.filename}: {error_reason(error)}",
            "merge again when that can be read and written",
        ) from error
    return MergedFile(tuple(f"{path}: {line}" for line in merged.told))


def conflict_copy_path(path: str, data: bytes) -> str:
    """The path of a copy beside a note that holds another version of it: the same for the same
    bytes, on every device."""
    return conflict_name(path, sha256(data).hexdigest()[:_NAME_DIGITS])


def _read(file: str) -> bytes:
    with open(file, "rb") as opened:
        return opened.read()


def _kept_both(top: str, path: str, theirs: bytes, error: UsageError) -> MergedFile:
    """Put the other version beside ours, where notes lie and nothing lies under its name."""
    copy = conflict_copy_path(path, theirs)
    *above, name = path_parts(copy, "merged")
    if os.path.lexists(os.path.join(top, ".git")) and os.path.isdir(os.path.join(top, *above)):
        with Folder(top, above) as folder:
            make_once(folder, name, theirs, _MODE)
    told = f"{path}: both versions are kept, the other one as {copy}: {error.message}"
    return MergedFile((told,), copy)
