"""The previous bytes of what was changed, outside the vault, so that `undo` can bring them back.

One file an entry, `00000012.done`: a line of JSON that says what was done, then the bytes. An entry
is `.open` while its change is under way; one that is found so was cut short and is taken back at
the next start. Bounded by number and size; the folder is the person's alone, because notes may be
private.
"""

from __future__ import annotations

import json
import os
from contextlib import suppress
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.settings.places import OPEN, UNDO
from indexer.errors import ConflictError
from indexer.rows.lock import make_private

from .own_files import keep_in_state, write_new
from .safe_folder import Folder

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MOST_UNDO_ENTRIES = 200
MOST_UNDO_BYTES = 50 << 20
"""Entries, and bytes of them together, that are kept; the newest stays whatever its size."""

DONE = ".done"
BARRED = "barred.json"
"""File that names the command, if any, that came after the newest change and cannot be undone."""


class KeptNote(NamedTuple):
    """Change of one note: `before` are its bytes, None where it did not exist.

    `after` is the SHA-256 of what was written, "" where the note was removed; `spare` its temporary
    file; `source` where a moved note came from. For an `append`, `before` are the bytes that were
    added at offset `at`, `after` is the hash of what came before them where the note was empty or
    new (`made`).
    """

    path: str
    before: bytes | None
    after: str
    spare: str = ""
    source: str = ""
    append: bool = False
    at: int = 0
    made: bool = False


class Barred(NamedTuple):
    """A command that cannot be undone: its unix time, its name, how else to take it back ("" where
    there is no way), and the number of the change before it, 0 where there is none."""

    time: float
    why: str
    remedy: str
    after: int


class UndoEntry(NamedTuple):
    """One change: its number, unix time, reason, the number it undoes (0: none), its notes, the
    folders it made.

    `hidden`: it was made in a private note, and its reason is not told. `group` is what the parts
    of one long change have in common, "" for a change by itself: its parts are read as one entry.
    """

    number: int
    time: float
    why: str
    undoes: int
    notes: tuple[KeptNote, ...]
    is_open: bool = False
    folders: tuple[str, ...] = ()
    hidden: bool = False
    group: str = ""

    def is_about(self, path: str) -> bool:
        """Whether a note is among those that were changed."""
        return any(note.path == path for note in self.notes)


def keep_undo(
    state: str,
    time: float,
    why: str,
    notes: Sequence[KeptNote],
    *,
    undoes: int = 0,
    folders: Sequence[str] = (),
    group: str = "",
) -> UndoEntry:
    """Keep what a change is about to replace, under the lock; what is too old or too much goes.
    OSError."""
    folder = os.path.join(state, UNDO)
    make_private(folder)
    there = _files(folder)
    number = _last(there) + 1
    entry = UndoEntry(
        number,
        time,
        why,
        undoes,
        tuple(notes),
        is_open=True,
        folders=tuple(folders),
        group=group,
    )
    rows = []
    for note in notes:
        size = None if note.before is None else len(note.before)
        rows.append(note._asdict() | {"before": None, "size": size})
    head = {"time": time, "why": why, "undoes": undoes, "folders": [*folders], "notes": rows}
    if group:
        head["group"] = group
    data = [json.dumps(head).encode(), b"\n", *(note.before or b"" for note in notes)]
    path = _path(state, entry)
    name = os.path.basename(path)
    with Folder(folder, ()) as kept:
        try:
            # what a crash is to be undone from has to be on the disk first
            write_new(kept, name, b"".join(data), 0o600)
        except OSError:
            with suppress(OSError):
                kept.remove(name)
            raise
        kept.flush()
    _trim([*there, (entry.number, path)])
    return entry


def close_undo(state: str, entry: UndoEntry) -> None:
    """Note that the change was made."""
    os.replace(_path(state, entry), _path(state, entry._replace(is_open=False)))


def drop_undo(state: str, entry: UndoEntry) -> None:
    """Forget an entry whose change was not made."""
    with suppress(FileNotFoundError):
        os.unlink(_path(state, entry))


def log_undo_bar(
    state: str,
    time: float,
    why: str,
    remedy: str,
) -> None:
    """Note that a command was run which cannot be undone; nothing where the folder cannot be
    written."""
    folder = os.path.join(state, UNDO)
    with suppress(OSError, ConflictError):
        there = _files(folder)
        said = Barred(
            time,
            why,
            remedy,
            there[-1][0] if there else 0,
        )._asdict()
        keep_in_state(folder, BARRED, json.dumps(said).encode())


def undo_bar(state: str) -> Barred | None:
    """The command that was run since the newest change and cannot be undone, None where there was
    none."""
    folder = os.path.join(state, UNDO)
    try:
        with open(os.path.join(folder, BARRED), encoding="utf-8") as file:
            said = json.load(file)
        found = Barred(
            float(said["time"]), str(said["why"]), str(said["remedy"]), int(said["after"])
        )
    except (OSError, ValueError, TypeError, KeyError):
        return None
    if found.after >= _last(_files(folder)):
        return found
    return None


def of(state: str, path: str) -> Iterator[KeptNote]:
    """Changes of a note among those that are kept, newest first."""
    for entry in entries(state):
        yield from (note for note in entry.notes if note.path == path)


def entries(state: str) -> Iterator[UndoEntry]:
    """Entries, newest first, the parts of one change as one; a file that makes no sense is skipped.

    ConflictError where the folder cannot be read.
    """
    files = reversed(_files(os.path.join(state, UNDO)))
    read = (_read(number, path) for number, path in files)
    last: UndoEntry | None = None
    for entry in filter(None, read):
        if last and last.group and last.group == entry.group:
            last = last._replace(
                notes=(*last.notes, *entry.notes), folders=(*entry.folders, *last.folders)
            )
            continue
        if last:
            yield last
        last = entry
    if last:
        yield last


def unfinished(state: str) -> list[UndoEntry]:
    """The entries of changes that were cut short, newest first; one torn itself is removed: nothing
    had begun.

    ConflictError where the folder cannot be read.
    """
    found = []
    for number, path in reversed(_files(os.path.join(state, UNDO))):
        if not path.endswith(OPEN):
            continue
        entry = _read(number, path)
        if entry is None:
            os.unlink(path)
        else:
            found.append(entry)
    return found


def changes_about(state: str, path: str) -> list[UndoEntry]:
    """The changes of a note, newest first.  ConflictError."""
    return [entry for entry in entries(state) if entry.is_about(path)]


def _path(state: str, entry: UndoEntry) -> str:
    return os.path.join(state, UNDO, f"{entry.number:08d}{OPEN if entry.is_open else DONE}")


def _files(folder: str) -> list[tuple[int, str]]:
    """Number and path of every entry, oldest first."""
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        return []
    except OSError as error:
        what = f"{folder} cannot be read: {error.strerror}"
        raise ConflictError(what, "undo data is kept there; nothing was changed") from error
    found = []
    for name in names:
        number, ending = os.path.splitext(name)
        if number.isdecimal() and ending in {OPEN, DONE}:
            found.append((int(number), os.path.join(folder, name)))
    return sorted(found)


def _last(files: Sequence[tuple[int, str]]) -> int:
    """The number of the newest entry, 0 for none."""
    return files[-1][0] if files else 0


def _trim(files: Sequence[tuple[int, str]]) -> None:
    """Remove the oldest entries beyond what is kept; one that is open stays."""
    total = 0
    for age, (_, path) in enumerate(reversed(files)):
        with suppress(OSError):
            total += os.path.getsize(path)
            if (
                age
                and (age >= MOST_UNDO_ENTRIES or total > MOST_UNDO_BYTES)
                and not path.endswith(OPEN)
            ):
                os.unlink(path)


def _read(number: int, path: str) -> UndoEntry | None:
    """The entry in a file; None where that cannot be read or makes no sense."""
    try:
        with open(path, "rb") as file:
            return _parsed(number, file.read(), is_open=path.endswith(OPEN))
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None


def _parsed(number: int, data: bytes, *, is_open: bool) -> UndoEntry:
    line, _, rest = data.partition(b"\n")
    head: dict[str, Any] = json.loads(line)
    bodies = BytesIO(rest)
    notes = []
    for each in head["notes"]:
        size = each.pop("size")
        before = None
        if size is not None:
            before = bodies.read(size)
            if len(before) != size:
                raise ValueError("cut short")
        notes.append(KeptNote(**each | {"before": before}))
    return UndoEntry(
        number=number,
        time=head["time"],
        why=head["why"],
        undoes=head["undoes"],
        notes=tuple(notes),
        is_open=is_open,
        folders=tuple(map(str, head.get("folders", ()))),
        group=str(head.get("group", "")),
    )
