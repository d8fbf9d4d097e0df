"""Appending to a note, and looking again whether what was appended is still there.

An append is one `write()` on O_APPEND, so that writers never tear each other's lines.  `undo` is told of
it first, so that a crash leaves no line that it does not know.  An editor that later saves a buffer from
before erases the line; therefore a journal outside the vault remembers each append for a minute.  The
daemon looks into it, else the next command does: what vanished is appended once more, but not where git
took it away.  A version that git has counts as git's doing only where git was at work when it was saved or
later; an editor that saved those very bytes just before cannot be told from it.  A line that stood for a
while and vanishes again was taken out on purpose: that is obeyed, and told by `review`.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from indexer.errors import AureliusError, ConflictError, UsageError

from . import append_journal, edit, git_folder, other_programs, undo_log
from .append_journal import Pending
from .check_edit import Edit, Place, allowed_parts, check_secrets, writable_parts
from .replace_file import digest
from .safe_folder import Folder, lease

if TYPE_CHECKING:
    from .git_folder import Taken
    from .safe_folder import Content

MINUTE = 60.0
"""Seconds in which an append that vanished is made again."""

SETTLED = 0.2
"""Seconds since a note last changed, before it is judged: an editor may be in the middle of saving."""

SOON = 1.0
"""Seconds to wait for another process that is writing, before this is left to the next command."""

BUSY = 2.0
"""Seconds after an append from which on it is judged even in a note that never settles."""

SEEN, UNSEEN = 2.0, 10.0
"""Seconds that a line which was put back is seen to stand, or was not looked at, and its going is a person's wish."""

TRIES = 8
"""How often a line is put back at most."""

AGAIN = 8
"""How often an append is begun anew where the note is replaced meanwhile."""

HELD = 1.0
"""Seconds to wait for a program that has the note open for writing, or has emptied it a moment ago."""


class Appended(NamedTuple):
    """Result of an append: the note, its first line there, its bytes, its number for `undo`, why no commit was made."""

    path: str
    line: int
    data: bytes
    number: int
    uncommitted: str = ""


class End(NamedTuple):
    """The end of a note: what it holds (None: no note), the opening where it needs one, the lines as it has them."""

    before: bytes | None
    opened: bytes
    block: bytes

    @property
    def head(self) -> bytes:
        """Everything that comes before the lines."""
        return (self.before or b"") + self.opened


def append(place: Place, path: str, data: bytes, *, opening: bytes = b"", why: str = "") -> Appended:
    """Append lines to a note, after a line end where the last line has none, in the note's own kind of line ends.

    `opening` comes first where the note is new or empty.  UsageError for what may not be written,
    ConflictError where the disk refuses or another program has emptied the note; then the note is as it was.
    """
    parts = writable_parts(place, path)
    why = why or f"append to {path}"
    with (
        edit.locked(place) as there,
        edit.os_errors_as_conflict(path),
    ):
        made = edit.missing(there.root, [Edit(path, None, data)])
        try:
            with Folder(there.root, parts[:-1], make=True) as folder:
                end, number = _append(there, folder, path, data, opening, why, made)
        except BaseException:
            edit.drop_empty(there.root, made)
            raise
        marked = git_folder.mark(there.root)
        watched = append_journal.pending(path, end.block, end.before or b"", time.time(), marked)
        append_journal.remember(there.state, watched._replace(at=len(end.head)))
        uncommitted = edit.committed(there, [Edit(path, end.before, end.head + end.block)], why)
    lines = end.block.lstrip(b"\r\n")
    first = len((end.head + end.block)[: -len(lines)].splitlines()) + 1
    return Appended(path, first, lines, number, uncommitted)


def _append(
    place: Place, folder: Folder, path: str, data: bytes, opening: bytes, why: str, folders: list[str]
) -> tuple[End, int]:
    """Write at the end of a note, as a change that `undo` knows before; the number of that change."""
    tried: tuple[Pending, undo_log.UndoEntry] | None = None
    for _ in range(AGAIN):
        _wait(folder, path)
        end = _end(folder, path, data, opening)
        if tried and append_journal.is_there(
            tried[0], end.before or b""
        ):  # who replaced the note had read the line before
            undo_log.close(place.state, tried[1])
            return _found(end.before or b"", tried[0].data), tried[1].number
        if tried:
            undo_log.drop(place.state, tried[1])
        check_secrets(place, [Edit(path, end.before, end.head + end.block)])
        empty = digest(end.head) if end.opened or not end.before else ""
        made = end.before is None
        kept = undo_log.Kept(path, end.block, empty, append=True, at=len(end.head), made=made)
        entry = undo_log.keep(place.state, place.time(), why, [kept], is_open=True, folders=folders)
        try:
            is_written = _write(folder, path, end.opened + end.block, len(end.before or b""), made=made)
        except BaseException:
            edit.recover(place, quiet=entry.number)
            raise
        if is_written:
            undo_log.close(place.state, entry)
            return end, entry.number
        tried = tried[0] if tried else append_journal.pending(path, end.block, end.before or b"", time.time()), entry
        time.sleep(0.005)
    edit.recover(place, quiet=tried[1].number if tried else 0)
    raise ConflictError(f"{path}: not written: another program keeps replacing it", "nothing was changed; try again")


def _found(data: bytes, block: bytes) -> End:
    """Where lines stand in a note that came there with it."""
    lines = block.strip(b"\r\n")
    at = max(data.find(lines), 0)
    return End(data[:at], b"", data[at : at + len(lines)])


def _wait(folder: Folder, path: str) -> None:
    """Wait for a program that is saving the note.  ConflictError where it has emptied it and goes on holding it."""
    until = time.monotonic() + HELD
    while size := _saved_now(folder, path.rpartition("/")[2]):
        if time.monotonic() >= until:
            if size > 1:
                return  # it is only held open, and what is added to its end is not in the way
            what = f"{path}: not written: another program is saving it and has emptied it for now"
            raise ConflictError(what, "nothing was changed; try again when it is saved")
        time.sleep(0.005)


def _saved_now(folder: Folder, name: str) -> int:
    """How many bytes, and one, a note holds that a program is saving at this moment; 0 where none is seen to."""
    try:
        handle = folder.open(name, os.O_RDONLY)
    except FileNotFoundError:
        return 0
    try:
        is_held, found = lease(handle) is False, os.fstat(handle)
    finally:
        os.close(handle)
    is_emptied = not found.st_size and 0 <= time.time() - found.st_mtime < SETTLED
    return found.st_size + 1 if is_held or is_emptied else 0


def _end(folder: Folder, path: str, data: bytes, opening: bytes) -> End:
    """The end of a note now, with what an append would write there."""
    now = folder.read(path.rpartition("/")[2])
    if now is not None and not now.stat.st_mode & 0o222:
        raise ConflictError(f"{path}: not written: it is read-only", "nothing was changed")
    before = None if now is None else now.data
    return End(before, *joined(path, before, data, opening))


def joined(path: str, before: bytes | None, data: bytes, opening: bytes) -> tuple[bytes, bytes]:
    """The opening, where it is due, and the lines as the note has them."""
    if not before or before == b"\xef\xbb\xbf":
        return opening, data
    try:
        before.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not written: it is not UTF-8 text", "save it as UTF-8") from None
    crlf = before.count(b"\r\n") * 2 > before.count(b"\n")
    end = b"\r\n" if crlf else b"\n"
    lines = data.replace(b"\r\n", b"\n").replace(b"\n", end)
    return b"", lines if before.endswith((b"\n", b"\r")) else end + lines


def _write(folder: Folder, path: str, data: bytes, size: int, *, made: bool = False, cut: int | None = None) -> bool:
    """One write at the end, onto the disk; False where the note was replaced meanwhile.

    With `cut`, that many bytes at the end make room first, and nothing is written unless the note is as long
    as it was read.  ConflictError for a short write, after which the note is as it was.
    """
    name = path.rpartition("/")[2]
    handle = folder.open(name, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        if cut is not None:
            if os.fstat(handle).st_size != size:
                return False
            size -= cut
            os.ftruncate(handle, size)
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
            raise ConflictError(f"{path}: not written: the disk is full or failing", "nothing was changed")
        there = folder.look(name)
        if there is None or not os.path.samestat(there, os.fstat(handle)):
            return False
        os.fsync(handle)
        return True
    finally:
        os.close(handle)


# -- looking again ---------------------------------------------------------------------------------------


def look(place: Place, now: float | None = None) -> list[str]:
    """Append again the lines that vanished within the minute; returns lines to tell a person.

    Never raises for what a note or the disk is like: it is looked at again the next time.
    """
    told: list[str] = []
    with suppress(AureliusError, OSError), edit.locked(place, SOON) as there:
        moment = time.time() if now is None else now  # under the lock: an append may be younger than the wait
        told += other_programs.look(there, moment)
        told += other_programs.said(there.state)
        found = append_journal.read(there.state)
        again = _Look(there, found, moment)
        left = [kept for each in found if (kept := again.at(each)) is not None]
        told += dict.fromkeys(again.told)
        append_journal.rewrite(there.state, append_journal.JOURNAL, left)
    return told


def gone(place: Place) -> list[Pending]:
    """The appends that somebody took out again and that are not there now, oldest first, for `review`."""
    found = []
    for each in append_journal.vanished(place.state):
        with suppress(AureliusError):
            data = edit.read(place, each.path)
            if data is not None and append_journal.is_there(each, data):
                continue
        found.append(each)
    return found


class _Look:
    """One look at all appends that are still watched; `told` is what a person should know of it."""

    def __init__(self, place: Place, found: list[Pending], now: float) -> None:
        self.told: list[str] = []
        self._place = place
        self._now = now
        self._lines = frozenset(each.data.strip(b"\r\n") for each in found)
        self._taken: dict[tuple[str, str], Taken] = {}

    def at(self, each: Pending) -> Pending | None:
        """What is still to be watched of an append, None for nothing."""
        late = not -MINUTE <= self._now - each.time <= MINUTE  # a clock may be set back
        try:
            parts = allowed_parts(each.path, me=True)
            with Folder(self._place.root, parts[:-1]) as folder:
                found = folder.read(parts[-1])
                if found is None and not late:
                    return each  # an editor may be about to put it back
                if found is None:
                    return None  # a note that was moved or deleted took the line with it
                age = self._now - found.stat.st_mtime
                if 0 <= age < SETTLED and self._now - each.time < BUSY and not late:
                    return each
                if append_journal.is_there(each, found.data, self._lines):
                    return None if late else self._seen(each, found)
                if late or self._is_wish(each, min(self._now, found.stat.st_mtime)):
                    if not (each.again and self._is_taken(each, found)):
                        self._tell_gone(each)
                    return None
                return self._put_back(folder, each, found)
        except (AureliusError, OSError):
            return None if late else each

    def _seen(self, each: Pending, found: Content) -> Pending:
        each = each._replace(seen=found.saved, taken=False)
        return each._replace(stood=max(0.0, self._now - each.put_back)) if each.tries else each

    def _is_wish(self, each: Pending, saved: float) -> bool:
        """Whether a person removed the line: a program that saves an older buffer does so at once."""
        last = each.put_back + each.stood
        unseen = (saved if saved >= last else self._now) - last  # a file may bring an old time along
        stood = each.tries > 0 and (each.stood >= SEEN or unseen >= UNSEEN)
        return each.again or each.tries >= TRIES or stood

    def _tell_gone(self, each: Pending) -> None:
        append_journal.remember(self._place.state, each, append_journal.VANISHED)
        what = "written" if each.again else "appended"
        self.told.append(f"{each.path}: a line that was {what} here has been removed; it is not added again")

    def _put_back(self, folder: Folder, each: Pending, found: Content) -> Pending:
        """Append the lines again, unless git removed them or they are back by now."""
        if not each.taken and self._is_taken(each, found):
            return each._replace(taken=not self._by_git(each).under_way)
        if each.taken or _saved_now(folder, each.path.rpartition("/")[2]):
            return each
        now = _end(folder, each.path, b"", b"").before
        if now is None or append_journal.is_there(each, now, self._lines):
            return each
        torn = len(append_journal.torn(each, now))
        _, block = joined(each.path, now[: len(now) - torn], each.data.lstrip(b"\r\n"), b"")
        if not _write(folder, each.path, block, len(now), cut=torn):
            return each
        self.told.append(f"{each.path}: another program saved over an appended line; the line was added again")
        at = len(now) - torn + len(block) - len(each.data)
        return each._replace(tries=each.tries + 1, put_back=self._now, stood=0.0, at=at)

    def _is_taken(self, each: Pending, found: Content) -> bool:
        """Whether git removed the lines: it wrote the note as it is, or one without them after they were last seen."""
        by_git = self._by_git(each)
        is_later = by_git.written > max(each.time, each.put_back, each.seen)
        is_without = is_later and not append_journal.is_there(each, by_git.held, self._lines)
        return is_without or by_git.explains(found.data, found.saved)

    def _by_git(self, each: Pending) -> Taken:
        from .git import taken

        place, key = self._place, (each.path, each.git)
        if key not in self._taken:
            self._taken[key] = taken(place.root, place.state, place.env or {}, *key)
        return self._taken[key]
