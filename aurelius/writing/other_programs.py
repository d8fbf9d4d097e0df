"""Other programs that save a note at the same time: is one at it now, and what did one write to the
file we displaced?

What is promised: a change that was acknowledged, and a save by a program that held the note open
for less than a minute, are never lost without a word.

- A note that a program has open for writing, or that changed a moment ago, is waited for, then a
  ConflictError.
- Where that cannot be seen (no leases), the displaced file is kept outside the vault and looked at
  for a minute; what was written to it becomes a conflict copy, and that is told.
- A program that saves from an old buffer may erase the lines of a change, or bring back what they
  said before.  They are watched for a minute, as append.py says."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from itertools import islice
from posixpath import basename, dirname
from typing import TYPE_CHECKING, Any

from aurelius.settings.places import APPENDS, DISPLACED, WATCHED_FILE
from indexer.errors import AureliusError, ConflictError

from . import append_journal, undo_log
from .check_edit import allowed_parts
from .replace_file import bytes_digest, changed_error, conflict_name, in_use
from .safe_folder import Folder, lease_file

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .check_edit import Edit, Place
    from .replace_file import Replacement

SECONDS_SETTLED = 0.2
"""Seconds that a note has to have stood unchanged: a program may be in the middle of saving it."""

SHRUNK = 2.0
"""The same where it is empty, or less than half of what it was: many programs empty a file before
they write it."""

RECENT = 5
"""Changes of ours to a note that are remembered here: another process may have begun the next
one."""

SECONDS_FOR_OPEN_FILE = 1.0
"""Seconds to wait for a program that has a note open for writing."""

SECONDS_WATCHED = 60.0
"""Seconds for which a displaced file is kept, and the lines of a change are watched."""

WATCHED = 32
"""Notes of one change up to which its lines are watched; a job that writes hundreds can write them
again."""

MOST_TOLD_LINES = 20
MOST_WATCHED_LINES = 100_000
"""Lines of a note that are watched at most, and bytes of the journal from which on no more is
watched."""

DISPLACED_FOLDER = "displaced"
"""Where displaced files are kept in the state folder."""


def wait_for_programs(place: Place, edit: Edit) -> None:
    """Wait until no other program is at a note.  ConflictError where one stays at it, OSError.

    A note that is as Aurelius itself left it needs no wait.
    """
    if edit.before is None:
        return
    parts = allowed_parts(edit.path, me=True)
    began = time.monotonic()
    while True:
        wait = 0.0
        with suppress(FileNotFoundError), Folder(place.root, parts[:-1]) as folder:
            wait = _wait(place, folder, edit)
        if not wait:
            return
        waited = time.monotonic() - began
        if wait < 0 and waited >= SECONDS_FOR_OPEN_FILE:
            raise in_use(edit.path)
        if waited >= SECONDS_FOR_OPEN_FILE + SHRUNK:
            raise ConflictError(
                f"{edit.path}: another program is saving it right now",
                "nothing was written; try again in a few seconds",
            )
        time.sleep(min(abs(wait), 0.05))


def _wait(place: Place, folder: Folder, edit: Edit) -> float:
    """Seconds until a note counts as settled, 0 if it does; below 0 where a program has it open for
    writing."""
    name = basename(edit.path)
    try:
        handle = folder.open(name, os.O_RDONLY)
    except FileNotFoundError:
        return 0.0
    try:
        if lease_file(handle) is False:
            return -0.01
        now = folder.content(name, handle)
    finally:
        os.close(handle)
    if now.data != edit.before:
        raise changed_error(edit.path, now.data)
    age = time.time() - now.saved
    if not 0 <= age < SHRUNK:
        return 0.0
    known = tuple(islice(undo_log.of(place.state, edit.path), RECENT))
    if any(_is_ours(each, now.data) for each in known):
        return 0.0
    size = max((len(each.before or b"") + each.at for each in known), default=0)
    if not now.data or len(now.data) * 2 < size:
        return SHRUNK - age
    return max(0.0, SECONDS_SETTLED - age)


def _is_ours(known: undo_log.KeptNote, data: bytes) -> bool:
    """Whether a note is as the last change of ours left it."""
    if known.append:
        added = known.before or b""
        return len(data) == known.at + len(added) and data.endswith(added)
    return bytes_digest(data) == known.after


# -- after a change --------------------------------------------------------------------


def watch(place: Place, edits: Sequence[Edit]) -> None:
    """Watch the lines that a change brought, so that a program that saves over them is told of."""
    if len(edits) > WATCHED or _size(place.state, APPENDS) > MOST_WATCHED_LINES:
        return
    for edit in edits:
        if edit.before is not None and edit.after is not None:
            for each in _brought(edit.path, edit.before, edit.after):
                append_journal.remember_lines(place.state, each)


def _brought(
    path: str,
    before: bytes,
    after: bytes,
) -> Iterator[append_journal.Pending]:
    """The first lines that a change brought into a note, with what each one replaced and the line
    that it stands behind."""
    there = set(before.splitlines())
    gone = there - set(after.splitlines())
    replaced = {append_journal.id_of(line): line for line in gone}
    behind = b""
    left = MOST_TOLD_LINES
    for line in filter(bytes.strip, after.splitlines()):
        if line in there:
            behind = line
        elif left:
            left -= 1
            watched = append_journal.pending_lines(path, line, before, time.time())
            own = append_journal.id_of(line)
            was = replaced.get(own, b"") if own else b""
            yield watched._replace(was=was, behind=behind)


def _size(state: str, name: str) -> int:
    try:
        return os.stat(os.path.join(state, name)).st_size
    except OSError:
        return 0


def put_by(place: Place, replacement: Replacement) -> None:
    """Keep the displaced files of a note that a program may still write to, and tell of the
    conflict copies made."""
    folder = dirname(replacement.path)
    for copy in replacement.copies:
        say(place.state, [_of_copy(replacement.path, f"{folder}/{copy}".lstrip("/"))])
    replacement.copies.clear()
    for left in replacement.left:
        row = {
            "path": replacement.path,
            "name": left.name,
            "hash": bytes_digest(left.data),
            "time": time.time(),
            "saved": left.saved,
        }
        # on another file system it stays beside the note
        with suppress(OSError), Folder(place.state, (DISPLACED_FOLDER,), make=True) as kept:
            replacement.folder.send(left.name, kept, left.name)
        append_journal.add_to_journal(place.state, DISPLACED, row)
    replacement.left.clear()


def look_at_displaced(place: Place, now: float) -> list[str]:
    """Look at displaced files again, under the lock: what was written to one becomes a conflict
    copy; lines to tell."""
    rows = append_journal.values(place.state, DISPLACED)
    told: list[str] = []
    left = [
        row
        for row in rows
        if _look(
            place,
            row,
            now,
            told,
        )
    ]
    if rows:
        append_journal.rewrite_values(place.state, DISPLACED, left)
        if not left:
            with suppress(OSError):
                os.rmdir(os.path.join(place.state, DISPLACED_FOLDER))
    return told


def _look(
    place: Place,
    row: dict[str, Any],
    now: float,
    told: list[str],
) -> bool:
    """Whether a displaced file is still to be looked at."""
    path = row["path"]
    home = tuple(path.split("/")[:-1])
    for root, parts in (
        (place.state, (DISPLACED_FOLDER,)),
        (place.root, home),
    ):
        try:
            with Folder(root, parts) as kept:
                data = kept.data(row["name"])
                if data is None:
                    continue
                is_written = bytes_digest(data) != row["hash"]
                if is_written or (
                    row.get("saved")
                    and _is_erased(
                        place,
                        path,
                        data,
                    )
                ):
                    told.append(_bring_back(place, kept, row))
                    return False
                if (
                    -SECONDS_WATCHED <= now - row["time"] < SECONDS_WATCHED
                ):  # a clock may be set back
                    return True
                kept.remove(row["name"])
                return False
        except (AureliusError, OSError):
            continue
    return False


def _is_erased(place: Place, path: str, saved: bytes) -> bool:
    """Whether a program saved over what another had saved: lines of it are gone, and it was no
    change of ours."""
    wanted = set(saved.splitlines())
    with Folder(place.root, path.split("/")[:-1]) as folder:
        now = folder.data(basename(path))
    if now is None or wanted <= set(now.splitlines()):
        return False
    return not any(
        wanted <= set((each.before or b"").splitlines()) for each in undo_log.of(place.state, path)
    )


def _bring_back(
    place: Place,
    kept: Folder,
    row: dict[str, Any],
) -> str:
    """Make a displaced file the conflict copy of its note; what to tell of it."""
    *folders, name = row["path"].split("/")
    copy = conflict_name(name)
    with Folder(place.root, folders, make=True) as folder:
        kept.send(row["name"], folder, copy)
    return _of_copy(row["path"], "/".join((*folders, copy)))


def _of_copy(path: str, copy: str) -> str:
    return (
        f"{path}: another program saved it during a change; merge its text into the note, then"
        f" delete the copy: {copy}"
    )


# -- what is to be told ----------------------------------------------------------------


def say(state: str, lines: Sequence[str]) -> None:
    """Keep lines that a person has to be told, for the next command, or the daemon, which can tell
    them."""
    with suppress(OSError):
        for line in lines:
            append_journal.add_to_journal(state, WATCHED_FILE, line)


def say_once(state: str, line: str) -> None:
    """Keep a line to tell, unless it was told before of this vault."""
    with suppress(OSError):
        mark = os.open(
            os.path.join(state, "no-locks"),
            os.O_WRONLY | os.O_CREAT | os.O_EXCL,
            0o600,
        )
        os.close(mark)
        say(state, [line])


def take_lines(state: str) -> list[str]:
    """The lines to tell, once."""
    lines = [str(line) for line in append_journal.values(state, WATCHED_FILE)]
    if lines:
        append_journal.rewrite_values(state, WATCHED_FILE, [])
    return lines
