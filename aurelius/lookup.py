"""The note a person means by a name, or why there is none: none so called, an ignored one, a private one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import apsw

from indexer.catalog import get_fact_notes, get_ignored, get_key, is_ignored
from indexer.errors import AmbiguousNameError, AureliusError, NoteNotFoundError
from indexer.graph import get_called
from indexer.ignore import may_be_note
from indexer.names import Names, clean, key, without_ending

from .files import inside

if TYPE_CHECKING:
    import datetime


def resolve(db: apsw.Connection, root: str, name: str, *, private: bool, today: datetime.date) -> str:
    """The path of the visible note that `name` means.  NoteNotFoundError, AmbiguousNameError."""
    name = below(root, name)
    names = Names(get_called(db, private=private))
    try:
        return names.resolve(name, today=today)
    except NoteNotFoundError as error:
        hint = why_not(db, root, clean(name), private=private)
        raise NoteNotFoundError(error.message, hint or error.hint) from None


def find_fact(db: apsw.Connection, key: str, *, private: bool) -> str:
    """The visible note that holds the fact of that key, "" for none.  AmbiguousNameError where several do."""
    found = get_fact_notes(db, key, private=private)
    if len(found) > 1:
        raise AmbiguousNameError(
            f"the fact ^{key} stands in {len(found)} notes: {', '.join(found)}",
            f"name the note too, as in {found[0]}#^{key}",
            found,
        )
    return found[0] if found else ""


def is_unwritten(root: str, path: str, daily_folder: str) -> bool:
    """Whether a path is that of a daily note that nobody has written yet."""
    from indexer.kind import day_of_path

    if day_of_path(path, daily_folder) is None:
        return False
    return not os.path.lexists(os.path.join(root, *inside(path)))


def below(root: str, name: str) -> str:
    """A whole path into the vault as a path in it; any other name as it is."""
    if os.path.isabs(name):
        folder = os.path.normpath(root)
        path = os.path.normpath(name)
        if path.startswith(folder + os.sep):
            return path[len(folder) + 1 :].replace(os.sep, "/")
    return name


def in_index(folder: str, path: str) -> bool:
    """Whether the index, as it was left, holds a note of that path."""
    from indexer.index import open_index

    try:
        index = open_index(folder, write=False)
    except apsw.Error:
        return False
    if index is None:
        return False
    try:
        return get_key(index.db, path, private=True) is not None
    finally:
        index.close()


def why_not(db: apsw.Connection, root: str, name: str, *, private: bool) -> str:
    """A hint where a note of exactly that name is there and yet not to be had; "" where none is."""
    if not name:
        return ""
    spellings = [name] if may_be_note(name) else [f"{name}.md", name]
    ignored = {key(without_ending(path)) for path in get_ignored(db)}
    bare = key(without_ending(name))
    if any(is_ignored(db, path) for path in spellings) or any(("/" + path).endswith("/" + bare) for path in ignored):
        return "it is ignored (.gitignore, .aureliusignore or [index] exclude), so it is neither searched nor shown"
    if not private and Names(get_called(db, private=True)).exactly(name):
        return "it is private: --private shows it"
    for path in spellings:
        hint = _on_disk(root, path)
        if hint:
            return hint
    return ""


def _on_disk(root: str, path: str) -> str:
    try:
        file = os.path.join(root, *inside(path))
    except AureliusError as error:
        return error.message
    if os.path.islink(file):
        return f"{path} is a link, and links are not followed"
    if os.path.isdir(file):
        return f"{path} is a folder; `aurelius list` shows notes"
    if os.path.isfile(file):
        return f"{path} is a file but no note of the vault (a note ends in .md and is in no hidden folder)"
    if os.path.lexists(file):
        return f"{path} is no regular file, so it is not read"
    return ""
