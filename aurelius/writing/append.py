"""Appending to a note, and looking again whether what was written lately is still there.

An append is one `write()` on O_APPEND, so that writers never tear each other's lines.  `undo` is told of
it first, so that a crash leaves no line that it does not know.  An editor that later saves a buffer from
before erases the line, and a person who takes it out does the same to the byte.  Therefore nothing is written
again: a journal outside the vault remembers each line for a minute, and where one is gone by then, that is told
once and `review` offers to put it back.  Nothing is said where a line much like it stands, where its note
or the line itself was moved, and where git took it away: git has worked in its folder since the note was
saved, and knew those very bytes before.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from indexer.disk.walk import may_be_note, may_hold_notes
from indexer.errors import AureliusError, ConflictError, UsageError

from . import append_journal, edit, other_programs, undo_log
from .append_journal import VANISHED, Pending, WordedNote, words_of
from .check_edit import PRIVATE, Edit, Place, allowed_parts, check_secrets, is_private, writable_parts
from .replace_file import digest
from .safe_folder import Folder, lease

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

MINUTE = 60.0
"""Seconds for which written lines are watched."""

KEPT = 30 * 86400.0
"""Seconds after which a line that is gone is forgotten."""

SETTLED = 0.2
"""Seconds since a note last changed, before it is judged: an editor may be in the middle of saving."""

SOON = 1.0
"""Seconds to wait for another process that is writing, before this is left to the next command."""

LARGEST = 2 << 20
"""Bytes of a note up to which a line that is gone from another one is looked for in it."""

QUOTED = 60
"""Letters of a line that is gone which are told."""

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
        watched = append_journal.pending(path, end.block, WordedNote(end.before or b""), time.time())
        append_journal.remember(there.state, watched)
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
        now = WordedNote(end.before or b"")
        if tried and append_journal.is_there(tried[0], now):  # who replaced the note had read the line before
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
        tried = tried[0] if tried else append_journal.pending(path, end.block, now, time.time()), entry
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
            raise ConflictError(f"{path}: not written: the disk is full or failing", "nothing was changed")
        there = folder.look(name)
        if there is None or not os.path.samestat(there, os.fstat(handle)):
            return False
        os.fsync(handle)
        return True
    finally:
        os.close(handle)


# -- looking again ---------------------------------------------------------------------------------------


def look(place: Place, now: float | None = None, *, tells: bool = True) -> list[str]:
    """See whether what was written lately still stands; returns lines to tell a person, each once.

    No note is written.  Without `tells` the lines are kept for the next command of a person.  Never raises for what
    a note or the disk is like: it is looked at again the next time.
    """
    told: list[str] = []
    with suppress(AureliusError, OSError), edit.locked(place, SOON) as there:
        moment = time.time() if now is None else now  # under the lock: an append may be younger than the wait
        other_programs.say(there.state, [*other_programs.look(there, moment), *_watch(there, moment)])
        told = other_programs.said(there.state) if tells else []
    return told


def offered(place: Place) -> list[Pending]:
    """The lines that are gone from a note which is there, oldest first, for `review`."""
    return [each for each in append_journal.read(place.state, VANISHED) if _stands(place, each) is False]


def put_back(path: str, now: bytes, each: Pending) -> bytes:
    """A note with lines that were gone from it.

    They take the place of the line that they had replaced, go behind the one that they stood behind, or to the end.
    """
    lines = now.splitlines(keepends=True)
    bare = [line.rstrip(b"\r\n") for line in lines]
    data = each.data.strip(b"\r\n")
    if each.was and each.was in bare:
        at = bare.index(each.was)
        return b"".join([*lines[:at], data, lines[at][len(bare[at]) :], *lines[at + 1 :]])
    size = len(lines)
    if each.behind and each.behind in bare:
        size -= bare[::-1].index(each.behind)
    head = b"".join(lines[:size])
    _, block = joined(path, head, data + b"\n", b"")
    return head + block + now[len(head) :]


def _watch(place: Place, now: float) -> list[str]:
    """Look at all that is watched, and at what is gone already; what to tell of it."""
    watched = append_journal.read(place.state)
    vanished = append_journal.read(place.state, VANISHED)
    left: list[Pending] = []
    gone: list[Pending] = []
    told: list[str] = []
    for each in vanished:
        if not _stands(place, each):
            gone += [each] if abs(now - each.time) < KEPT else []
        elif _is_young(each, now):  # who saves an older buffer may do so again
            left.append(each)
    for path in dict.fromkeys(each.path for each in watched):
        stay, lost = _judge(place, path, [each for each in watched if each.path == path], now)
        left += stay
        gone += [each._replace(told=True) for each in lost]
        told += _sentences(place, [each for each in lost if not each.told])
    if left != watched:
        append_journal.rewrite(place.state, append_journal.JOURNAL, left)
    if gone != vanished:
        append_journal.rewrite(place.state, VANISHED, gone)
    return told


def _is_young(each: Pending, now: float) -> bool:
    return -MINUTE <= now - each.time <= MINUTE  # a clock may be set back


def _stands(place: Place, each: Pending) -> bool | None:
    """Whether lines stand in their note; None where that is not there or cannot be read."""
    with suppress(AureliusError, OSError):
        data = edit.read(place, each.path)
        return None if data is None else append_journal.is_there(each, WordedNote(data))
    return None


def _judge(place: Place, path: str, group: Sequence[Pending], now: float) -> tuple[list[Pending], list[Pending]]:
    """What is still to be watched of the lines that were written to one note, and what of them is gone.

    A note that is not there was moved or deleted with its lines, or an editor is about to put it back.
    """
    young = [each for each in group if _is_young(each, now)]
    try:
        parts = allowed_parts(path, me=True)
        with Folder(place.root, parts[:-1]) as folder:
            found = folder.read(parts[-1])
            is_saved_now = found is not None and _saved_now(folder, parts[-1]) > 0
    except (AureliusError, OSError):
        return young, []
    if found is None:
        return young, []
    missing = append_journal.missing(group, found.data)
    left = [each._replace(taken=False) for each in young if each not in missing]
    left += [each for each in young if each in missing and each.taken]
    lost = [each for each in missing if not each.taken]
    if lost and (is_saved_now or 0 <= now - found.stat.st_mtime < SETTLED):
        left += [each for each in lost if each in young]
        lost = [each for each in lost if each not in young]
    if not lost:
        return left, []
    from .git import wrote

    by_git = wrote(place.root, place.state, place.env or {}, found.data, found.saved)
    if by_git:
        return left + [each._replace(taken=True) for each in lost if each in young], []
    if by_git is None:
        left += [each for each in lost if each in young]
        lost = [each for each in lost if each not in young]
    moved = _moved(place, lost, now)
    return left, [each for each in lost if each not in moved]


def _moved(place: Place, missing: Sequence[Pending], now: float) -> set[Pending]:
    """Those lines that stand in another note which changed since: the line was moved, or its note."""
    found: set[Pending] = set()
    wanted = [(each, words_of(each.data.strip(b"\r\n").split(b"\n")[0])) for each in missing]
    for path, data in _changed_since(place, min((each.time for each in missing), default=now) - 1.0):
        lines = [words_of(line) for line in data.splitlines()]
        found |= {each for each, words in wanted if path != each.path and any(_goes_on(words, line) for line in lines)}
    return found


def _goes_on(words: list[str], line: list[str]) -> bool:
    """Whether a line says the same, and perhaps more behind it."""
    return bool(words) and line[: len(words)] == words


def _changed_since(place: Place, since: float) -> Iterator[tuple[str, bytes]]:
    """The notes that were saved or renamed since, with their bytes."""
    for folder, folders, names in os.walk(place.root):
        folders[:] = filter(may_hold_notes, folders)
        for name in filter(may_be_note, names):
            path = os.path.relpath(os.path.join(folder, name), place.root).replace(os.sep, "/")
            with suppress(AureliusError, OSError):
                known = os.lstat(os.path.join(folder, name))
                if max(known.st_mtime, known.st_ctime) >= since and known.st_size <= LARGEST:
                    yield path, edit.read(place, path) or b""


def _sentences(place: Place, lost: Sequence[Pending]) -> list[str]:
    """What to tell a person of the lines that are gone from one note; nothing that a private note says."""
    if not lost:
        return []
    first, path = lost[0], lost[0].path
    ask = "`aurelius review`"
    text = first.text if len(first.text) <= QUOTED else first.text[: QUOTED - 1] + "…"
    quoted = f': "{text}"'
    if is_private(place.note_reader(), path, edit.read(place, path)):
        path = PRIVATE
        ask = "`aurelius review --private`"
        quoted = ""
    at = time.strftime("%H:%M", time.localtime(first.time))
    if len(lost) == 1:
        return [f"{path}: a line written at {at} is no longer there{quoted}; {ask} puts it back or leaves it"]
    what = f"{len(lost)} lines written since {at} are no longer there, the first"
    return [f"{path}: {what}{quoted}; {ask} puts them back or leaves them"]
