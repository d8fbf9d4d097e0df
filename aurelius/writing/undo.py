"""Taking changes back: the previous bytes return while the note still is what the change wrote."""

from __future__ import annotations

from itertools import chain, islice
from typing import TYPE_CHECKING, NamedTuple

from indexer.catalog.visibility import is_hidden_from
from indexer.errors import AureliusError, ConflictError, NoteNotFoundError, UsageError
from indexer.spelling import mark_of

from . import edit, undo_log
from .check_edit import PRIVATE_NAME, Applied, Edit, Place, is_private_text
from .replace_file import bytes_digest

if TYPE_CHECKING:
    from indexer.catalog.visibility import Who


class Undoable(NamedTuple):
    """A change as `undo --list` tells it: its number, unix time, reason and notes, and why it
    cannot be undone now.

    `obstacle` is "" where it can; `undoes` is the number that it undid itself, 0 for none. What was
    done to a note that is private, or was, is told as PRIVATE_NAME, without its notes.
    """

    number: int
    time: float
    why: str
    paths: tuple[str, ...]
    undoes: int
    obstacle: str


def list_changes(place: Place, *, private: bool = False, most: int | None = None) -> list[Undoable]:
    """What is kept, newest first, or the `most` newest of it, and whether it can be undone now;
    with `private` the words of private notes too."""
    kept = _told(place, private=private, most=most)
    gone = _undone_numbers(kept)
    found = []
    for entry in kept:
        obstacle = ""
        if entry.number in gone:
            obstacle = "undone"
        else:
            try:
                back(place, entry)
            except (ConflictError, UsageError) as error:
                obstacle = error.message.partition(", so ")[0]
        paths = () if entry.hidden else tuple(note.path for note in entry.notes)
        found.append(
            Undoable(
                number=entry.number,
                time=entry.time,
                why=entry.why,
                paths=paths,
                undoes=entry.undoes,
                obstacle=obstacle,
            )
        )
    return found


def _undone_numbers(kept: list[undo_log.UndoEntry]) -> set[int]:
    """The numbers of changes that were undone, and not brought back since; `kept` is newest
    first."""
    gone: set[int] = set()
    for entry in kept:
        if entry.undoes and entry.number not in gone:
            gone.add(entry.undoes)
    return gone


def _told(place: Place, *, private: bool, most: int | None = None) -> list[undo_log.UndoEntry]:
    """Entries, newest first, without the words of changes before or after which a note was private;
    for an agent without those entries, and without those of other agents' notes."""
    there = islice(undo_log.entries(place.state), most)
    kept = [entry for entry in there if not _is_anothers(entry, place.who)]
    if private:
        return kept
    later: dict[str, bool] = {}
    found = []
    for entry in kept:
        # all of them are asked about, for the sake of older changes
        are_private = [_was_private(place, note, later) for note in entry.notes]
        if not any(are_private):
            found.append(entry)
        elif place.who is None:
            found.append(entry._replace(why=PRIVATE_NAME, hidden=True))
    return found


def _is_anothers(entry: undo_log.UndoEntry, who: Who) -> bool:
    """Whether a change is of a note that is hidden from whoever asks."""
    paths = chain.from_iterable((note.path, note.source) for note in entry.notes)
    return any(is_hidden_from(path, who) for path in paths)


def _was_private(place: Place, note: undo_log.KeptNote, later: dict[str, bool]) -> bool:
    """Whether a note was private before a change or after it, the newest change first; `later`
    holds whether notes were before the changes that came after."""
    read = place.note_reader()
    if note.path not in later:
        try:
            later[note.path] = is_private_text(read, note.path, edit.read_note(place, note.path))
        except AureliusError:  # a folder or a link has its place
            later[note.path] = True
    after = later[note.path]
    if not note.append:
        later[note.path] = is_private_text(read, note.path, note.before)
    return after or later[note.path]


def choose_change(
    place: Place, number: int | None = None, *, private: bool = False
) -> undo_log.UndoEntry:
    """The change of that number, else the last one that is neither undone nor an undo.

    NoteNotFoundError where there is none, UsageError where it is undone already, and without a
    number where the last command of all was one that cannot be undone.
    """
    kept = _told(place, private=private)
    gone = _undone_numbers(kept)
    if number:
        for entry in kept:
            if entry.number == number and number in gone:
                raise UsageError(
                    f"change {number} was already undone",
                    "to see the others: `aurelius undo --list`",
                )
            if entry.number == number:
                return entry
        what = f"there is no change {number}"
    else:
        open_ = (entry for entry in kept if not entry.undoes and entry.number not in gone)
        last = next(open_, None)
        barred = undo_log.undo_bar(place.state)
        if barred:
            raise _barred(barred, last)
        if last:
            return last
        what = "there is nothing to undo"
    raise NoteNotFoundError(
        what,
        f"only the last {undo_log.MOST_UNDO_ENTRIES} changes made by Aurelius can be undone, not"
        " those of an editor",
    )


def _barred(last: undo_log.Barred, before: undo_log.UndoEntry | None) -> UsageError:
    """Message for a person who wants to undo a command that cannot be undone."""
    if before:
        earlier = (
            f"`aurelius undo --number {before.number}` undoes the change before it: {before.why}"
        )
    else:
        earlier = ""
    what = f"the last command ({last.why}) cannot be undone; nothing was changed"
    return UsageError(what, "; ".join(filter(None, (last.remedy, earlier))))


def back(place: Place, entry: undo_log.UndoEntry) -> list[Edit]:
    """The edits that bring the bytes before a change back. ConflictError where a note is not as it
    was left."""
    moved = {note.source: note.path for note in entry.notes if note.source}
    try:
        return [_back(place, note, moved.get(note.path, "")) for note in entry.notes]
    except (ConflictError, UsageError):
        if entry.hidden:
            raise _changed(PRIVATE_NAME, b"") from None
        raise


def undo_change(place: Place, entry: undo_log.UndoEntry) -> Applied:
    """Bring back what was there before a change; this is a change itself. ConflictError, and
    nothing changed."""
    edits = back(place, entry)
    freely = place._replace(shrink=True, me=True)
    return edit.apply_edits(
        freely,
        edits,
        f"undo {entry.number}: {entry.why}",
        undoes=entry.number,
        folders=entry.folders,
    )


def _back(place: Place, note: undo_log.KeptNote, source: str) -> Edit:
    now = edit.read_note(place, note.path)
    if note.append:
        return Edit(note.path, now, _without(note, now))
    if bytes_digest(now) != note.after:
        raise _changed(note.path, now)
    return Edit(note.path, now, note.before, source)


def _without(note: undo_log.KeptNote, now: bytes | None) -> bytes | None:
    """A note without what was appended; None where it was made for that and nothing else came into
    it."""
    block = note.before or b""
    for added in (block, block.lstrip(b"\r\n")):
        if now is None:
            break
        at = note.at if now.startswith(added, note.at) else now.find(added)
        if at < 0:
            continue
        left = now[:at] + now[at + len(added) :]
        if bytes_digest(left) != note.after:
            return left
        if note.made:  # nothing but the opening is left
            return None
        return mark_of(left)
    raise _changed(note.path, now)


def _changed(path: str, now: bytes | None) -> ConflictError:
    """The error for a note that is not as a change left it."""
    if now is None:
        hint = "the text from before is kept; put the note back, then run `aurelius undo` again"
        return ConflictError(f"{path} was moved or deleted after that, so nothing was undone", hint)
    hint = "both texts are kept: the one from before, and the one that is there now"
    return ConflictError(f"{path} was changed after that, so nothing was undone", hint)
