"""Appending to a note, and looking again whether what was appended is still there (design §3.3, reliability C5, C6).

An append is one `write()` on O_APPEND, so that writers never tear each other's lines.  An editor that
later saves a buffer from before erases it; therefore a journal outside the vault remembers each append
for a minute.  The daemon looks into it, else the next command does: what vanished is appended once
more.  A line that vanishes again was taken out on purpose: that is obeyed, and told by `review`.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import NamedTuple

from indexer.errors import AureliusError, ConflictError, UsageError

from . import appends, edit, previous, writable
from .appends import Pending
from .edit import Edit, Place
from .folder import Folder
from .replace import digest, held

MINUTE = 60.0
"""Seconds in which an append that vanished is made again."""

SETTLED = 0.2
"""Seconds since a note last changed, before it is judged: an editor may be in the middle of saving."""


BUSY = 2.0
"""Seconds after an append from which on it is judged even in a note that never settles."""


class Appended(NamedTuple):
    """What was appended: the note, its first line there, its bytes, the number `undo` knows, why no commit was made."""

    path: str
    line: int
    data: bytes
    number: int
    uncommitted: str = ""


def append(place: Place, path: str, data: bytes, *, opening: bytes = b"", why: str = "") -> Appended:
    """Append lines to a note, after a line end where the last line has none, in the note's own kind of line ends.

    `opening` comes first where the note is new or empty.  UsageError for what may not be written,
    ConflictError where the disk refuses; then the note is as it was.
    """
    parts = writable.parts(path, me=place.me)
    with edit.locked(place), edit.told(path), Folder(place.root, parts[:-1], make=True) as folder:
        before, block, opened = _append(folder, path, data, opening)
        head = (before or b"") + opened
        empty = digest(head) if opened or not before else ""
        kept = previous.Kept(path, block, empty, append=True, at=len(head), made=before is None)
        entry = previous.keep(place.state, place.time(), why or f"append to {path}", [kept])
        after = head + block
        appends.remember(place.state, appends.pending(path, block, before or b"", time.time()))
    uncommitted = edit.committed(place, [Edit(path, before, after)], why or f"append to {path}")
    lines = block.lstrip(b"\r\n")
    first = len(after[: len(after) - len(lines)].splitlines()) + 1
    return Appended(path, first, lines, entry.number, uncommitted)


def _append(folder: Folder, path: str, data: bytes, opening: bytes) -> tuple[bytes | None, bytes, bytes]:
    """Write at the end of a note: what it held, what was added, and the opening written before that."""
    name = path.rpartition("/")[2]
    for _ in range(3):
        now = held(folder, name)
        before = None if now is None else now.data
        if now is not None and not now.stat.st_mode & 0o222:
            raise ConflictError(f"{path}: not written: it is read-only", "nothing was changed")
        opened, block = joined(path, before, data, opening)
        if _write(folder, path, opened + block, len(before or b""), made=now is None):
            return before, block, opened
    raise ConflictError(f"{path}: it is being replaced again and again", "nothing is lost; try again")


def joined(path: str, before: bytes | None, data: bytes, opening: bytes) -> tuple[bytes, bytes]:
    """The opening, where it is due, and the lines as the note has them."""
    if not before or before == b"\xef\xbb\xbf":
        return opening, data
    try:
        before.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not written, because it is not UTF-8 text", "save it as UTF-8") from None
    crlf = before.count(b"\r\n") * 2 > before.count(b"\n")
    end = b"\r\n" if crlf else b"\n"
    lines = data.replace(b"\r\n", b"\n").replace(b"\n", end)
    return b"", lines if before.endswith((b"\n", b"\r")) else end + lines


def _write(folder: Folder, path: str, data: bytes, size: int, *, made: bool) -> bool:
    """One write at the end, onto the disk; False where the note was replaced meanwhile.

    ConflictError for a short write, after which the note is as it was.
    """
    name = path.rpartition("/")[2]
    handle = folder.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        written = 0
        try:
            written = os.write(handle, data)
        finally:
            if written != len(data):
                if os.fstat(handle).st_size == size + written:
                    os.ftruncate(handle, size)
                if made and not os.fstat(handle).st_size:
                    folder.remove(name)
        if written != len(data):
            raise ConflictError(f"{path}: not written: the disk took only part of it", "nothing was changed")
        os.fsync(handle)
        there = folder.look(name)
        return there is not None and os.path.samestat(there, os.fstat(handle))
    finally:
        os.close(handle)


# -- looking again ---------------------------------------------------------------------------------------


def look(place: Place, now: float | None = None) -> list[str]:
    """Append again what vanished within the minute; what is told to a person, a line each.

    Never raises for what a note or the disk is like: it is looked at again the next time.
    """
    if not appends.is_pending(place.state):
        return []
    told: list[str] = []
    with suppress(AureliusError, OSError), edit.locked(place):
        moment = time.time() if now is None else now  # under the lock: an append may be younger than the wait
        found = appends.read(place.state)
        lines = frozenset(each.data.strip(b"\r\n") for each in found)
        left = [kept for each in found if (kept := _look(place, each, lines, moment, told)) is not None]
        appends.rewrite(place.state, appends.JOURNAL, left)
    return told


def _look(place: Place, each: Pending, lines: frozenset[bytes], now: float, told: list[str]) -> Pending | None:
    """What is still to be watched of an append, None for nothing; `lines` are those of all appends."""
    late = not -MINUTE <= now - each.time <= MINUTE  # a clock may be set back
    try:
        parts = writable.parts(each.path, me=True)
        with Folder(place.root, parts[:-1]) as folder:
            found = held(folder, parts[-1])
            if found is not None and 0 <= now - found.stat.st_mtime < SETTLED and now - each.time < BUSY and not late:
                return each
            if found is not None and appends.is_there(each, found.data, lines):
                return None if late else each
            if found is None and not late:
                return each  # an editor may be about to put it back
            if each.again or late or found is None:
                appends.remember(place.state, each, appends.VANISHED)
                told.append(f"{each.path}: what was appended is gone, and stays so")
                return None
            _append(folder, each.path, each.data.lstrip(b"\r\n"), b"")
            told.append(f"{each.path}: what was appended had been saved over, and was appended again")
            return each._replace(again=True)
    except (AureliusError, OSError):
        return None if late else each
