"""Removal of a note from the index for good: an ignore rule first, then every byte of its rows."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, NamedTuple

from aurelius.settings.places import UNDO
from indexer.errors import ConflictError, NoteNotFoundError, UsageError

from . import append_journal, undo_log
from .own_files import or_conflict
from .safe_folder import Folder, path_below, path_parts

if TYPE_CHECKING:
    from collections.abc import Callable

    import apsw

    from indexer.catalog.visibility import Who
    from indexer.note import Settings

IGNORE_FILE = ".aureliusignore"


class ForgetReport(NamedTuple):
    """A note forgotten: how many chunks went, and whether its path was added to
    `.aureliusignore`."""

    path: str
    chunks: int
    ignored_added: bool


def known(
    settings: Settings,
    name: str,
    who: Who = None,
) -> str:
    """The path that a name is, where a note or file has it that the agent may know of; a note may
    be gone from disk or ignored already.

    UsageError for no name, NoteNotFoundError for a folder, which a name that is near enough must
    not stand for here.
    """
    from indexer.catalog.names import clean_name
    from indexer.catalog.visibility import is_hidden_from
    from indexer.disk.walk import may_be_note

    wanted = clean_name(path_below(settings.root, name))
    if not wanted:
        raise UsageError(
            "the path of the note is missing", "for example: aurelius forget people/joe.md"
        )
    path = "/".join(path_parts(wanted))
    if is_hidden_from(path if may_be_note(path.rpartition("/")[2]) else f"{path}/", who):
        return ""
    file = os.path.join(settings.root, path)
    if os.path.isdir(file):
        raise NoteNotFoundError(
            f"{path} is a folder", f"forget one note at a time, or add /{path}/ to {IGNORE_FILE}"
        )
    if in_index(settings.folder, path) or (may_be_note(path) and os.path.isfile(file)):
        return path
    return ""


def in_index(folder: str, path: str) -> bool:
    """Whether the index holds a note of that path."""
    from indexer.catalog.lists import get_key

    return bool(
        _asked(
            folder,
            lambda db: (
                get_key(
                    db,
                    path,
                    private=True,
                )
                is not None
            ),
        )
    )


def _asked(folder: str, ask: Callable[[apsw.Connection], int]) -> int:
    """What the index, as it was left, says; 0 where there is none."""
    import apsw

    from indexer.rows.rows import open_index

    try:
        index = open_index(folder, write=False)
    except apsw.Error:
        return 0
    if index is None:
        return 0
    try:
        return ask(index.db)
    finally:
        index.close()


def forget_note(settings: Settings, path: str, state: str) -> ForgetReport:
    """Take a note out of the index and of what `undo` keeps in `state`, every byte of it; where its
    file remains, `.aureliusignore` keeps it out.

    ConflictError, IndexUnavailableError as below and in indexer/refresh/refresh.py.
    """
    from indexer.catalog.lists import count_chunks
    from indexer.refresh.refresh import purge_note

    entries = _kept(state, path)
    chunks = _asked(settings.folder, lambda db: count_chunks(db, path))
    still = _comes_back(settings, path)
    if still:
        ignore(settings.root, path)  # from here on a daemon may be the first to take the rows out
    what = f"older texts of {path} are still in {state}, which cannot be written"
    with or_conflict(what, "make it writable, then run the same command again"):
        for entry in entries:
            undo_log.drop_undo(state, entry)
        append_journal.forget_journals(state, path)
    return ForgetReport(path, max(chunks, purge_note(settings, path)), still)


def _comes_back(settings: Settings, path: str) -> bool:
    """Whether a refresh would index a file at this path, now or once its folder can be read
    again."""
    try:
        os.lstat(os.path.join(settings.root, path))
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return not is_ignored_for_good(settings, path)


def _kept(state: str, path: str) -> list[undo_log.UndoEntry]:
    """Entries of `undo` about a note. ConflictError where they could not be removed; then nothing
    was."""
    entries = undo_log.changes_about(state, path)
    folders = []
    if entries:
        folders.append(os.path.join(state, UNDO))
    if append_journal.journals_about(state, path):
        folders.append(state)
    for folder in folders:
        if not os.access(folder, os.W_OK | os.X_OK):
            hint = "older texts of the note are kept there for `aurelius undo`: make it writable"
            raise ConflictError(f"{folder} cannot be written; nothing was forgotten", hint)
    return entries


def is_ignored_for_good(settings: Settings, path: str) -> bool:
    """Whether no refresh would index a file at this path, for good: rules that cannot be followed
    may be mended."""
    from indexer.disk.walk import IgnoreRules, is_rule_file, walk

    seen = walk(settings.root, IgnoreRules(settings.root, settings.exclude))
    return path not in seen.found and not any(map(is_rule_file, seen.failed))


def ignore(root: str, path: str) -> None:
    """Add one path to the vault's `.aureliusignore`, after a line end where the last line has none.

    ConflictError where the file cannot be written, or is not UTF-8; then nothing was.
    """
    hint = "the note has to be listed there, or the next search would index it again"
    try:
        with Folder(root, ()) as folder:
            handle = folder.open(
                IGNORE_FILE,
                os.O_RDWR | os.O_CREAT | os.O_APPEND,
                0o644,
            )
        try:
            if os.read(handle, 2) in {b"\xff\xfe", b"\xfe\xff"}:
                raise OSError(0, "it is UTF-16; save it as UTF-8 first")
            size = os.fstat(handle).st_size
            os.lseek(handle, max(0, size - 1), os.SEEK_SET)
            broken = size > 0 and os.read(handle, 1) != b"\n"
            line = (b"\n" if broken else b"") + ignore_line(path).encode() + b"\n"
            if os.write(handle, line) != len(line):
                os.ftruncate(handle, size)
                raise OSError(0, "the disk is full")
        finally:
            os.close(handle)
    except (UsageError, OSError) as error:
        file = os.path.join(root, IGNORE_FILE)
        why = error.strerror if isinstance(error, OSError) else "it is not a regular file"
        if os.path.islink(file):
            why = "it is a link"
        raise ConflictError(
            f"{file} cannot be written: {why}; nothing was forgotten", hint
        ) from error


def ignore_line(path: str) -> str:
    """The line of an ignore file that means this path of a note, and no other but where a name
    holds a line end."""
    return "/" + re.sub(
        r"([\\*?\[\]])",
        r"\\\1",
        path,
    ).replace("\n", "?")
