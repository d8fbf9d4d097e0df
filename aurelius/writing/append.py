"""Appending to a note, and looking again whether what was written lately is still there.

An append is one `write()` on O_APPEND, so that writers never tear each other's lines. `undo` is
told of it first, so that a crash leaves no line that it does not know. An editor that later saves a
buffer from before erases the line, and a person who takes it out does the same to the byte.
Therefore nothing is written again: a journal outside the vault remembers each line for a minute,
and where one is gone by then, that is told once and `review` offers to put it back. Nothing is said
where a line much like it stands, and where its note or the line itself was moved.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from posixpath import basename
from typing import TYPE_CHECKING, NamedTuple

from indexer.catalog.visibility import is_hidden_from
from indexer.disk.walk import IgnoreRules, walk
from indexer.errors import AureliusError, ConflictError, UsageError
from indexer.spelling import UTF8_BOM, group_pairs

from . import append_journal, edit, other_programs, undo_log
from .append_journal import JOURNAL, VANISHED, Pending, words_without_id
from .check_edit import (
    PRIVATE_NAME,
    Applied,
    Edit,
    Place,
    check_secrets,
    is_private_text,
    writable_parts,
)
from .other_programs import SECONDS_SETTLED, SECONDS_WATCHED
from .replace_file import bytes_digest
from .safe_folder import WRITABLE, Folder, lease_file, read_inside

if TYPE_CHECKING:
    from collections.abc import Sequence


_SECONDS_REMEMBERED = 30 * 86400.0
"""Seconds after which a line that is gone is forgotten."""

_SECONDS_FOR_LOCK = 1.0
"""Seconds to wait for another process that is writing, before this is left to the next command."""

_MOST_NOTE_BYTES = 2 << 20
"""Bytes of a note up to which a line that is gone from another one is looked for in it."""

QUOTED = 60
"""Letters of a line that is gone which are told."""

_MOST_TRIES = 8
"""How often an append is begun anew where the note is replaced meanwhile."""

SECONDS_FOR_OPEN_NOTE = 1.0
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

    def edit(self, path: str) -> Edit:
        """The change that the lines are to a note."""
        return Edit(path, self.before, self.head + self.block)

    def pending(self, path: str) -> Pending:
        """The lines as they are watched in a note from now on."""
        return append_journal.pending_lines(
            path,
            self.block,
            self.before or b"",
            time.time(),
        )


def append_lines(
    place: Place,
    path: str,
    data: bytes,
    *,
    opening: bytes = b"",
    why: str = "",
) -> Applied:
    """Append lines to a note, after a line end where the last line has none, in the note's own kind
    of line ends.

    `opening` comes first where the note is new or empty. UsageError for what may not be written,
    ConflictError where the disk refuses or another program has emptied the note; then the note is
    as it was.
    """
    parts = writable_parts(place, path)
    why = why or f"append to {path}"
    with edit.locked(place) as there, edit.os_errors_as_conflict(path):
        made = edit.missing_folders(there.root, [Edit(path, None, data)])
        try:
            with Folder(there.root, parts[:-1], make=True) as folder:
                note = _Note(folder, path, why, made)
                end, number = _append(there, note, data, opening)
        except BaseException:
            edit.drop_empty(there.root, made)
            raise
        append_journal.remember_lines(there.state, end.pending(path))
        return Applied(number, edit.committed(there, [end.edit(path)], why))


class _Note(NamedTuple):
    """A note that is appended to: its open folder, its path, why, and the folders made for it."""

    folder: Folder
    path: str
    why: str
    made: Sequence[str]

    @property
    def name(self) -> str:
        """Its name in the folder."""
        return basename(self.path)


def _append(place: Place, note: _Note, data: bytes, opening: bytes) -> tuple[End, int]:
    """Write at the end of a note, as a change that `undo` knows before; what is there then, and the
    number of that change."""
    first: Pending | None = None
    entry: undo_log.UndoEntry | None = None
    number = 0
    for _ in range(_MOST_TRIES):
        _wait(note)
        end = _end(note, data, opening)
        if first and entry:
            now = end.before or b""
            if append_journal.holds_lines(first, now):  # who replaced the note had read the line
                undo_log.close_undo(place.state, entry)
                return _found(now, first.data), number
            undo_log.drop_undo(place.state, entry)
        check_secrets(place, [end.edit(note.path)])
        entry = _kept(place, note, end)
        number = entry.number
        try:
            is_written = _write(note, end)
        except BaseException:
            edit.recover(place, quiet=number)
            raise
        if is_written:
            undo_log.close_undo(place.state, entry)
            return end, number
        first = first or end.pending(note.path)
        time.sleep(0.005)
    edit.recover(place, quiet=number)
    raise ConflictError(
        f"{note.path}: not written: another program keeps replacing it",
        "nothing was changed; try again",
    )


def _kept(place: Place, note: _Note, end: End) -> undo_log.UndoEntry:
    """Let `undo` know what is about to be appended.  OSError."""
    change = undo_log.KeptNote(
        path=note.path,
        before=end.block,
        after=bytes_digest(end.head) if end.opened or not end.before else "",
        append=True,
        at=len(end.head),
        made=end.before is None,
    )
    return undo_log.keep_undo(place.state, place.time(), note.why, [change], folders=note.made)


def _found(data: bytes, block: bytes) -> End:
    """Where lines stand in a note that came there with it."""
    lines = block.strip(b"\r\n")
    at = max(data.find(lines), 0)
    return End(data[:at], b"", data[at : at + len(lines)])


def _wait(note: _Note) -> None:
    """Wait for a program that is saving the note. ConflictError where it has emptied it and goes on
    holding it."""
    until = time.monotonic() + SECONDS_FOR_OPEN_NOTE
    while True:
        try:
            handle = note.folder.open(note.name, os.O_RDONLY)
        except FileNotFoundError:
            return
        try:
            is_held = lease_file(handle) is False
            found = os.fstat(handle)
        finally:
            os.close(handle)
        is_emptied = not found.st_size and 0 <= time.time() - found.st_mtime < SECONDS_SETTLED
        if not (is_held or is_emptied):
            return
        if time.monotonic() >= until:
            if found.st_size:
                return  # it is only held open, and what is added to its end is not in the way
            what = f"{note.path}: not written: another program is saving it"
            raise ConflictError(
                f"{what} and has emptied it for now",
                "nothing was changed; try again when it is saved",
            )
        time.sleep(0.005)


def _end(note: _Note, data: bytes, opening: bytes) -> End:
    """The end of a note now, with what an append would write there."""
    now = note.folder.read(note.name)
    if now and not now.stat.st_mode & WRITABLE:
        raise ConflictError(f"{note.path}: not written: it is read-only", "nothing was changed")
    before = now.data if now else None
    return End(before, *join_opening(note.path, before, data, opening))


def join_opening(
    path: str,
    before: bytes | None,
    data: bytes,
    opening: bytes,
) -> tuple[bytes, bytes]:
    """The opening, where it is due, and the lines as the note has them."""
    if not before or before == UTF8_BOM:
        return opening, data
    try:
        before.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(f"{path}: not written: it is not UTF-8 text", "save it as UTF-8") from None
    lines = data.replace(b"\r\n", b"\n")
    if not before.endswith((b"\n", b"\r")):
        lines = b"\n" + lines
    if before.count(b"\r\n") * 2 > before.count(b"\n"):
        lines = lines.replace(b"\n", b"\r\n")
    return b"", lines


def _write(note: _Note, end: End) -> bool:
    """One write at the end, onto the disk; False where the note was replaced meanwhile.

    ConflictError for a short write, after which the note is as it was.
    """
    data = end.opened + end.block
    size = len(end.before or b"")
    folder = note.folder
    handle = folder.open(note.name, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    try:
        written = 0
        try:
            written = os.write(handle, data)
        finally:
            if written != len(data):
                if os.fstat(handle).st_size == size + written:
                    os.ftruncate(handle, size)
                if end.before is None and not os.fstat(handle).st_size:
                    folder.remove(note.name)
        if written != len(data):
            raise ConflictError(
                f"{note.path}: not written: the disk is full or failing", "nothing was changed"
            )
        there = folder.look(note.name)
        if there is None or not os.path.samestat(there, os.fstat(handle)):
            return False
        os.fsync(handle)
        return True
    finally:
        os.close(handle)


# -- looking again ---------------------------------------------------------------------


def look_for_lost_lines(place: Place, now: float | None = None, *, tells: bool = True) -> list[str]:
    """See whether what was written lately still stands; returns lines to tell a person, each once.

    No note is written. Without `tells` the lines are kept for the next command of a person. Never
    raises for what a note or the disk is like: it is looked at again the next time.
    """
    with suppress(AureliusError, OSError), edit.locked(place, _SECONDS_FOR_LOCK) as there:
        # under the lock: an append may be younger than the wait
        moment = time.time() if now is None else now
        other_programs.say(
            there.state, [*other_programs.look_at_displaced(there, moment), *_watch(there, moment)]
        )
        if tells:
            return other_programs.take_lines(there.state)
    return []


def lost_lines(place: Place, *, private: bool = False) -> list[Pending]:
    """The lines that are gone from a note which is there, for `review`; with `private` those of
    private notes too."""
    found: list[Pending] = []
    reader = place.note_reader()
    vanished = append_journal.read_journal(place.state, VANISHED)
    for path, group in group_pairs((each.path, each) for each in vanished).items():
        with suppress(AureliusError, OSError):
            data = edit.read_note(place, path)
            if data is None or is_hidden_from(path, place.who):
                continue
            if private or not is_private_text(reader, path, data):
                found += append_journal.missing_lines(group, data)
    return found


def put_lines_back(path: str, now: bytes, each: Pending) -> bytes:
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
    _, block = join_opening(path, head, data + b"\n", b"")
    return head + block + now[len(head) :]


def _watch(place: Place, now: float) -> list[str]:
    """Look at all that is watched; what to tell of it."""
    watched = append_journal.read_journal(place.state)
    left: list[Pending] = []
    told: list[str] = []
    vanished = append_journal.read_journal(place.state, VANISHED)
    gone = [each for each in vanished if _waits(place, each, now)]
    for path, group in group_pairs((each.path, each) for each in watched).items():
        stay, lost = _judge(place, path, group, now)
        left += stay
        if lost:
            gone += lost
            told.append(_sentence(place, lost))
    if (left, gone) != (watched, vanished):
        append_journal.rewrite_lines(place.state, VANISHED, gone)
        append_journal.rewrite_lines(place.state, JOURNAL, left)
    return told


def _is_young(each: Pending, now: float) -> bool:
    return abs(now - each.time) <= SECONDS_WATCHED  # a clock may be set back


def _waits(place: Place, each: Pending, now: float) -> bool:
    """Whether a line that is gone is still to be offered: not where it was put back, by a person or
    by `review`."""
    with suppress(AureliusError, OSError):
        if not _is_young(each, now) and append_journal.stands(
            each, edit.read_note(place, each.path) or b""
        ):
            return False
    return now - each.time < _SECONDS_REMEMBERED


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
        found = read_inside(place.root, path)
    except (AureliusError, OSError):
        return young, []
    lost = append_journal.missing_lines(group, found.data)
    if 0 <= now - found.stat.st_mtime < SECONDS_SETTLED:  # a program may be in the middle of it
        lost = [each for each in lost if each not in young]
    return [each for each in young if each not in lost], _unmoved(place, lost)


def _unmoved(place: Place, lost: Sequence[Pending]) -> list[Pending]:
    """Those lines that stand in no other note which changed since: else the line was moved, or its
    note."""
    left = list(lost)
    since = (min((each.time for each in lost), default=0.0) - 1.0) * 1e9
    notes = walk(place.root, IgnoreRules(place.root, ())).found if lost else {}
    for path, (size, *changed, _) in notes.items():
        if max(changed) < since or size > _MOST_NOTE_BYTES:
            continue
        with suppress(AureliusError, OSError):
            lines = list(map(words_without_id, (edit.read_note(place, path) or b"").splitlines()))
            left = [each for each in left if path == each.path or not _is_among(each, lines)]
    return left


def _is_among(each: Pending, lines: Sequence[Sequence[str]]) -> bool:
    """Whether one of some lines, by its words, begins as a watched one does."""
    words = words_without_id(each.first)
    return bool(words) and any(line[: len(words)] == words for line in lines)


def _sentence(place: Place, lost: Sequence[Pending]) -> str:
    """What to tell a person of the lines that are gone from one note; nothing that a private note
    says."""
    path = lost[0].path
    text = lost[0].text
    if len(text) > QUOTED:
        text = text[:QUOTED] + "…"
    quoted = f': "{text}"'
    option = ""
    if is_private_text(place.note_reader(), path, edit.read_note(place, path)):
        path = PRIVATE_NAME
        quoted = ""
        option = " --private"
    if len(lost) > 1:
        quoted += f" and {len(lost) - 1} more"
    at = time.strftime("%H:%M", time.localtime(lost[0].time))
    gone = f"{path}: a line written at {at} is no longer there{quoted}"
    return f"{gone}; `aurelius review{option}` puts it back or leaves it"
