"""Appending to a note, and looking again whether what was written lately is still there.

An append is one `write()` on O_APPEND, so that writers never tear each other's lines. `undo` is
told of it first, so that a crash leaves no line that it does not know. An editor that later saves a
buffer from before erases the line, and a person who takes it out does the same to the byte.
Therefore nothing is written again: a journal outside the vault remembers each line for a minute,
and where one is gone by then, that is told once and `review` offers to put it back. Nothing is said
where a line much like it stands, where its note or the line itself was moved, and where git took it
away: git has worked in its folder since the note was saved, and knew those very bytes before.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from posixpath import basename
from typing import TYPE_CHECKING, NamedTuple

from indexer.catalog.visibility import is_hidden
from indexer.disk.walk import IgnoreRules, walk
from indexer.errors import AureliusError, ConflictError, UsageError
from indexer.spelling import BOM, grouped

from . import append_journal, edit, other_programs, undo_log
from .append_journal import JOURNAL, VANISHED, Pending, words_of
from .check_edit import PRIVATE, Applied, Edit, Place, check_secrets, is_private, writable_parts
from .other_programs import MINUTE, SETTLED
from .replace_file import digest
from .safe_folder import WRITABLE, Folder, lease, read

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .safe_folder import Content

KEPT = 30 * 86400.0
"""Seconds after which a line that is gone is forgotten."""

SOON = 1.0
"""Seconds to wait for another process that is writing, before this is left to the next command."""

LARGEST = 2 << 20
"""Bytes of a note up to which a line that is gone from another one is looked for in it."""

QUOTED = 60
"""Letters of a line that is gone which are told."""

AGAIN = 8
"""How often an append is begun anew where the note is replaced meanwhile."""

HELD = 1.0
"""Seconds to wait for a program that has the note open for writing, or has emptied it a moment
ago."""


class End(NamedTuple):
    """The end of a note: what it holds (None: no note), the opening where it needs one, the lines
    as it has them."""

    before: bytes | None
    opened: bytes
    block: bytes

    @property
    def head(self) -> bytes:
        """Everything that comes before the lines."""
        return (self.before or b"") + self.opened


def append(place: Place, path: str, data: bytes, *, opening: bytes = b"", why: str = "") -> Applied:
    """Append lines to a note, after a line end where the last line has none, in the note's own kind
    of line ends.

    `opening` comes first where the note is new or empty. UsageError for what may not be written,
    ConflictError where the disk refuses or another program has emptied the note; then the note is
    as it was.
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
        append_journal.remember(
            there.state, append_journal.pending(path, end.block, end.before or b"", time.time())
        )
        return Applied(
            number, edit.committed(there, [Edit(path, end.before, end.head + end.block)], why)
        )


def _append(
    place: Place,
    folder: Folder,
    path: str,
    data: bytes,
    opening: bytes,
    why: str,
    folders: list[str],
) -> tuple[End, int]:
    """Write at the end of a note, as a change that `undo` knows before; the number of that
    change."""
    tried: tuple[Pending, undo_log.UndoEntry] | None = None
    for _ in range(AGAIN):
        _wait(folder, path)
        end = _end(folder, path, data, opening)
        now = end.before or b""
        if tried and append_journal.is_there(
            tried[0], now
        ):  # who replaced the note had read the line before
            undo_log.close(place.state, tried[1])
            return _found(now, tried[0].data), tried[1].number
        if tried:
            undo_log.drop(place.state, tried[1])
        check_secrets(place, [Edit(path, end.before, end.head + end.block)])
        if end.opened or not end.before:
            empty = digest(end.head)
        else:
            empty = ""
        made = end.before is None
        kept = undo_log.Kept(path, end.block, empty, append=True, at=len(end.head), made=made)
        entry = undo_log.keep(place.state, place.time(), why, [kept], folders=folders)
        try:
            is_written = _write(
                folder, path, end.opened + end.block, len(end.before or b""), made=made
            )
        except BaseException:
            edit.recover(place, quiet=entry.number)
            raise
        if is_written:
            undo_log.close(place.state, entry)
            return end, entry.number
        tried = (
            tried[0] if tried else append_journal.pending(path, end.block, now, time.time()),
            entry,
        )
        time.sleep(0.005)
    edit.recover(place, quiet=tried[1].number if tried else 0)
    raise ConflictError(
        f"{path}: not written: another program keeps replacing it", "nothing was changed; try again"
    )


def _found(data: bytes, block: bytes) -> End:
    """Where lines stand in a note that came there with it."""
    lines = block.strip(b"\r\n")
    at = max(data.find(lines), 0)
    return End(data[:at], b"", data[at : at + len(lines)])


def _wait(folder: Folder, path: str) -> None:
    """Wait for a program that is saving the note. ConflictError where it has emptied it and goes on
    holding it."""
    until = time.monotonic() + HELD
    while size := _saved_now(folder, basename(path)):
        if time.monotonic() >= until:
            if size > 1:
                return  # it is only held open, and what is added to its end is not in the way
            what = f"{path}: not written: another program is saving it and has emptied it for now"
            raise ConflictError(what, "nothing was changed; try again when it is saved")
        time.sleep(0.005)


def _saved_now(folder: Folder, name: str) -> int:
    """How many bytes, and one, a note holds that a program is saving at this moment; 0 where none
    is seen to."""
    try:
        handle = folder.open(name, os.O_RDONLY)
    except FileNotFoundError:
        return 0
    try:
        is_held = lease(handle) is False
        found = os.fstat(handle)
    finally:
        os.close(handle)
    is_emptied = not found.st_size and 0 <= time.time() - found.st_mtime < SETTLED
    if is_held or is_emptied:
        return found.st_size + 1
    return 0


def _end(folder: Folder, path: str, data: bytes, opening: bytes) -> End:
    """The end of a note now, with what an append would write there."""
    now = folder.read(basename(path))
    if now is not None and not now.stat.st_mode & WRITABLE:
        raise ConflictError(f"{path}: not written: it is read-only", "nothing was changed")
    if now is None:
        before = None
    else:
        before = now.data
    return End(before, *joined(path, before, data, opening))


def joined(path: str, before: bytes | None, data: bytes, opening: bytes) -> tuple[bytes, bytes]:
    """The opening, where it is due, and the lines as the note has them."""
    if not before or before == BOM:
        return opening, data
    try:
        before.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not written: it is not UTF-8 text", "save it as UTF-8") from None
    crlf = before.count(b"\r\n") * 2 > before.count(b"\n")
    if crlf:
        end = b"\r\n"
    else:
        end = b"\n"
    lines = data.replace(b"\r\n", b"\n").replace(b"\n", end)
    return b"", lines if before.endswith((b"\n", b"\r")) else end + lines


def _write(folder: Folder, path: str, data: bytes, size: int, *, made: bool) -> bool:
    """One write at the end, onto the disk; False where the note was replaced meanwhile.

    ConflictError for a short write, after which the note is as it was.
    """
    name = basename(path)
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
            raise ConflictError(
                f"{path}: not written: the disk is full or failing", "nothing was changed"
            )
        there = folder.look(name)
        if there is None or not os.path.samestat(there, os.fstat(handle)):
            return False
        os.fsync(handle)
        return True
    finally:
        os.close(handle)


# -- looking again ---------------------------------------------------------------------


def look(place: Place, now: float | None = None, *, tells: bool = True) -> list[str]:
    """See whether what was written lately still stands; returns lines to tell a person, each once.

    No note is written. Without `tells` the lines are kept for the next command of a person. Never
    raises for what a note or the disk is like: it is looked at again the next time.
    """
    told: list[str] = []
    with suppress(AureliusError, OSError), edit.locked(place, SOON) as there:
        # under the lock: an append may be younger than the wait
        if now is None:
            moment = time.time()
        else:
            moment = now
        other_programs.say(
            there.state, [*other_programs.look(there, moment), *_watch(there, moment)]
        )
        if tells:
            told = other_programs.said(there.state)
        else:
            told = []
    return told


def offered(place: Place, *, private: bool = False) -> list[Pending]:
    """The lines that are gone from a note which is there, for `review`; with `private` those of
    private notes too."""
    found: list[Pending] = []
    reader = place.note_reader()
    vanished = append_journal.read(place.state, VANISHED)
    for path, group in grouped((each.path, each) for each in vanished).items():
        with suppress(AureliusError, OSError):
            data = edit.read(place, path)
            is_shown = (private or not is_private(reader, path, data)) and not is_hidden(
                path, place.who
            )
            if data is not None and is_shown:
                found += append_journal.missing(group, data)
            else:
                found += []
    return found


def put_back(path: str, now: bytes, each: Pending) -> bytes:
    """A note with lines that were gone from it.

    They take the place of the line that they had replaced, go behind the one that they stood
    behind, or to the end.
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
    """Look at all that is watched; what to tell of it."""
    watched = append_journal.read(place.state)
    left: list[Pending] = []
    told: list[str] = []
    vanished = append_journal.read(place.state, VANISHED)
    gone = [each for each in vanished if _waits(place, each, now)]
    for path, group in grouped((each.path, each) for each in watched).items():
        stay, lost = _judge(place, path, group, now)
        left += stay
        if lost:
            gone += lost
            told.append(_sentence(place, lost))
    if (left, gone) != (watched, vanished):
        append_journal.rewrite(place.state, VANISHED, gone)
        append_journal.rewrite(place.state, JOURNAL, left)
    return told


def _is_young(each: Pending, now: float) -> bool:
    return abs(now - each.time) <= MINUTE  # a clock may be set back


def _waits(place: Place, each: Pending, now: float) -> bool:
    """Whether a line that is gone is still to be offered: not where it was put back, by a person or
    by `review`."""
    with suppress(AureliusError, OSError):
        if not _is_young(each, now) and append_journal.stands(
            each, edit.read(place, each.path) or b""
        ):
            return False
    return now - each.time < KEPT


def _judge(
    place: Place, path: str, group: Sequence[Pending], now: float
) -> tuple[list[Pending], list[Pending]]:
    """What is still to be watched of the lines that were written to one note, and what of them is
    gone.

    A note that is not there was moved or deleted with its lines, or an editor is about to put it
    back.
    """
    young = [each for each in group if _is_young(each, now)]
    try:
        found = read(place.root, path)
    except (AureliusError, OSError):
        return young, []
    missing = append_journal.missing(group, found.data)
    left = [each._replace(taken=False) for each in young if each not in missing]
    lost: list[Pending] = []
    if not all(each.taken for each in missing):
        by_git = _is_gits(place, found, now)
    else:
        by_git = None
    for each in missing:
        taken = each.taken or by_git is True
        if each in young and (taken or by_git is None):
            left.append(each._replace(taken=taken))
        elif not taken:
            lost.append(each)
    if lost:
        moved = _moved(place, lost)
    else:
        moved = set()
    return left, [each for each in lost if each not in moved]


def _is_gits(place: Place, found: Content, now: float) -> bool | None:
    """Whether git wrote a note as it is; None as long as a program may be in the middle of saving
    it."""
    from .git import wrote

    if 0 <= now - found.stat.st_mtime < SETTLED:
        return None
    return wrote(place.root, place.state, place.env or {}, found.data, found.saved)


def _moved(place: Place, lost: Sequence[Pending]) -> set[Pending]:
    """Those lines that stand in another note which changed since: the line was moved, or its
    note."""
    since = (min(each.time for each in lost) - 1.0) * 1e9
    found: set[Pending] = set()
    for path, (size, *changed, _) in walk(place.root, IgnoreRules(place.root, ())).found.items():
        if max(changed) < since or size > LARGEST:
            continue
        with suppress(AureliusError, OSError):
            lines = list(map(words_of, (edit.read(place, path) or b"").splitlines()))
            for each in lost:
                words = words_of(each.first)
                if (
                    path != each.path
                    and words
                    and any(line[: len(words)] == words for line in lines)
                ):
                    found.add(each)
    return found


def _sentence(place: Place, lost: Sequence[Pending]) -> str:
    """What to tell a person of the lines that are gone from one note; nothing that a private note
    says."""
    path = lost[0].path
    text = lost[0].text
    quoted = f': "{text if len(text) <= QUOTED else text[:QUOTED] + "…"}"'
    if len(lost) > 1:
        more = f" and {len(lost) - 1} more"
    else:
        more = ""
    option = ""
    if is_private(place.note_reader(), path, edit.read(place, path)):
        path = PRIVATE
        quoted = ""
        option = " --private"
    at = time.strftime("%H:%M", time.localtime(lost[0].time))
    gone = f"{path}: a line written at {at} is no longer there{quoted}{more}"
    return f"{gone}; `aurelius review{option}` puts it back or leaves it"
