"""Every byte-changing write of a note goes through here: checked, whole or not at all, undoable.

    note at `before` → would `after` still be a sound note? → is another program at it? → lock → is
    the file still `before`? → previous bytes kept → new bytes beside the note, on the disk →
    swapped in → looked at once more

ConflictError and nothing written where a file is not what the edit was made from, or another
program has it open. What a crash cut short is finished or taken back by the next command, which
tells it. Lock and previous bytes lie outside the vault.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from aurelius.compose.note_lines import NoteReader
from aurelius.settings.places import DISPLACED, WATCHED_FILE, vault_state
from indexer.disk.walk import folders_above
from indexer.errors import AureliusError, ConflictError
from indexer.rows.lock import BusyError, UnwritableError, hold, make_private

from . import append_journal, other_programs, undo_log
from .check_edit import Applied, Edit, Place, allowed_parts, check_edits
from .own_files import give_name, or_conflict, sweep_temporary
from .replace_file import Replacement, bytes_digest, changed_error, restore_file
from .safe_folder import Folder, disk_path, path_parts

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager

    from aurelius.settings.config import Config

OWN_FILES = (append_journal.JOURNAL, append_journal.VANISHED, DISPLACED, WATCHED_FILE)
"""Files of the state folder that are replaced under the lock."""

MANY_NOTES = 32
"""Notes from which on all of the disk is brought up to date at once, which is sooner than note by
note."""

_LOCK_FILE = "lock"
"""Held in the vault's state folder by whoever writes its notes."""

SECONDS_FOR_NOTES_LOCK = 20.0
"""Seconds to wait for another process that is writing."""


def place_of_config(config: Config, env: Mapping[str, str]) -> Place:
    """The place that a vault's settings make."""
    reader = NoteReader(config.daily, config.kinds)
    return Place(
        config.root, config.state, config.daily, commit=config.git_commit, env=env, reader=reader
    )


def read_note(place: Place, path: str) -> bytes | None:
    """The bytes of a note now, to make an edit from; None where there is none. UsageError,
    ConflictError."""
    parts = allowed_parts(path, me=True)
    with os_errors_as_conflict(path):
        try:
            with Folder(place.root, parts[:-1]) as folder:
                return folder.data(parts[-1])
        except FileNotFoundError:
            return None


def apply_edits(
    place: Place,
    edits: Sequence[Edit],
    why: str,
    *,
    undoes: int = 0,
    folders: Sequence[str] = (),
    group: str = "",
) -> Applied:
    """Make all these changes or none, as far as files allow; edits that change nothing are left
    out.

    A note that is to move is two edits: one that removes it, one that makes it elsewhere with its
    `source`. `undoes` is the number of a change that is taken back, `folders` are those that it had
    made and that go where they are empty then; the changes of a `group` are undone as one.
    UsageError for what may not be written, ConflictError where a file is not as `before` says or
    the disk refuses; then nothing is changed.
    """
    edits = [edit for edit in edits if edit.before != edit.after]
    if not edits:
        return Applied(0)
    if undoes:  # the bytes stood there before, whatever they are
        for each in edits:
            allowed_parts(each.path, me=place.me)
    else:
        check_edits(place, edits)
    for edit in edits:
        with os_errors_as_conflict(edit.path):
            other_programs.wait_for_programs(place, edit)
    with locked(place) as there, ExitStack() as opened:
        made = missing_folders(there.root, edits)
        try:
            number = _write(
                there,
                _replacements(there, edits, opened),
                edits,
                why,
                undoes,
                made,
                group,
            )
        except BaseException:
            drop_empty(there.root, made)
            raise
        drop_empty(there.root, folders)
        return Applied(number, committed(there, edits, why))


def rehearse(place: Place, edits: Sequence[Edit]) -> None:
    """Check edits as `apply_edits` would: UsageError or ConflictError. Nothing is written, no
    folder made."""
    edits = [edit for edit in edits if edit.before != edit.after]
    check_edits(place, edits)
    with ExitStack() as opened:
        _step(_replacements(place, edits, opened, make=False), Replacement.compare)


def committed(place: Place, edits: Sequence[Edit], why: str) -> str:
    """Commit changes where that is wanted; "" or why it was not done.  Under the lock."""
    if not place.commit:
        return ""
    from .git import commit_changes

    changes = [(edit.path, edit.before, edit.after, edit.source) for edit in edits]
    return commit_changes(
        place.root,
        place.state,
        place.env or {},
        changes,
        why,
    )


# -- writing ---------------------------------------------------------------------------


@contextmanager
def locked(place: Place, wait: float | None = None) -> Iterator[Place]:
    """Hold the lock of this vault's only writer, with whatever a crash left behind cleared up.

    What is given is the place to go on with: a vault that carried no name has one from here on, and
    its state lies under that.
    """
    place = _named(place)
    if wait is None:
        wait = SECONDS_FOR_NOTES_LOCK
    with ExitStack() as held:
        try:
            make_private(place.state)
            lacking = held.enter_context(hold(place.state, _LOCK_FILE, wait))
        except (OSError, UnwritableError) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise ConflictError(
                f"{place.state} cannot be written: {why}",
                "undo data is kept there; nothing was changed",
            ) from error
        except BusyError as error:
            raise ConflictError(
                f"another process has been writing to the vault for {wait:.0f} s",
                "nothing was written; try again",
            ) from error
        if lacking:
            other_programs.say_once(place.state, lacking)
        recover(place)
        yield place


def _named(place: Place) -> Place:
    """The place with the state of the name that the vault carries, which it is given where it has
    none."""
    if place.env is None or place.state != vault_state(place.root, place.env, named=False):
        return place
    give_name(place.root, place.env)
    return place._replace(state=vault_state(place.root, place.env))


def missing_folders(root: str, edits: Sequence[Edit]) -> list[str]:
    """The folders that these edits have to make, outer ones first."""
    found: dict[str, None] = {}
    for edit in edits:
        if edit.before is None:
            path = "/".join(allowed_parts(edit.path, me=True))
            folders = folders_above(path)
            found |= dict.fromkeys(
                each for each in folders if not os.path.lexists(disk_path(root, each))
            )
    return list(found)


def drop_empty(root: str, folders: Sequence[str]) -> None:
    """Remove those folders that are empty, inner ones first."""
    for path in reversed(folders):
        with suppress(OSError, AureliusError):
            *above, name = path_parts(path, "written")
            with Folder(root, above) as folder:
                folder.remove_folder(name)


def _replacements(
    place: Place, edits: Sequence[Edit], opened: ExitStack, *, make: bool = True
) -> list[Replacement]:
    """The edits with their folders open; a folder that a new note needs is made, or with `make`
    False the note left out. ConflictError where the folder of another one is gone."""
    folders: dict[tuple[str, ...], Folder] = {}
    found = []
    for edit in edits:
        parts = allowed_parts(edit.path, me=place.me)[:-1]
        is_new = edit.before is None
        with os_errors_as_conflict(edit.path):
            try:
                if parts not in folders:
                    folder = Folder(place.root, parts, make=make and is_new)
                    folders[parts] = opened.enter_context(folder)
            except FileNotFoundError:
                if is_new and not make:
                    continue
                raise changed_error(edit.path, None) from None
        found.append(
            Replacement(
                folders[parts],
                edit.path,
                edit.before,
                edit.after,
            )
        )
    return found


def _step(replacements: Iterable[Replacement], step: Callable[[Replacement], object]) -> None:
    """Take one step for each of these notes.  ConflictError where the disk refuses one."""
    for each in replacements:
        with os_errors_as_conflict(each.path):
            step(each)


def _write(
    place: Place,
    replacements: list[Replacement],
    edits: Sequence[Edit],
    why: str,
    undoes: int,
    made: Sequence[str],
    group: str,
) -> int:
    """Take every step for all notes before the next; the number of the change.  Under the lock."""
    _step(replacements, Replacement.compare)
    notes = [
        undo_log.KeptNote(
            each.path,
            each.before,
            bytes_digest(each.after),
            each.spare,
            edit.source,
        )
        for each, edit in zip(replacements, edits, strict=True)
    ]
    with os_errors_as_conflict(place.state):
        entry = undo_log.keep_undo(
            place.state,
            place.time(),
            why,
            notes,
            undoes=undoes,
            folders=made,
            group=group,
        )
    try:
        _swap_all(place, replacements, {each.path: each.source for each in edits})
        with os_errors_as_conflict(place.state):
            undo_log.close_undo(place.state, entry)
    except BaseException:
        taken_back = [_back(place, each) for each in reversed(replacements)]
        if all(taken_back):  # else the next write takes back the rest
            undo_log.drop_undo(place.state, entry)
        raise
    append_journal.forget_own_removals(
        place.state, [(each.path, each.before, each.after) for each in replacements]
    )
    with suppress(OSError):  # the change is made, whether or not it can be watched
        other_programs.watch(place, edits)
    return entry.number


def _swap_all(
    place: Place, replacements: Sequence[Replacement], sources: Mapping[str, str]
) -> None:
    """Give all notes their new bytes; `sources` are the paths that moved ones come from."""
    there = {each.path: (each.folder, each.name) for each in replacements}
    # where it is sure to wait for the disk
    at_once = len(replacements) >= MANY_NOTES and sys.platform == "linux"
    _step(replacements, lambda each: each.stage(there.get(sources[each.path]), flush=not at_once))
    if at_once:
        os.sync()
    _step(replacements, Replacement.swap)
    for folder in {each.folder for each in replacements}:
        folder.flush()
    _step(replacements, Replacement.look_again)
    for each in replacements:
        with os_errors_as_conflict(each.path):
            each.finish()
            other_programs.put_by(place, each)


def _back(place: Place, replacement: Replacement) -> bool:
    """Take a note back; False where the disk refuses that as well."""
    try:
        replacement.back()
        other_programs.put_by(place, replacement)
    except (OSError, AureliusError):
        return False
    return True


# -- after a crash ---------------------------------------------------------------------


def recover(place: Place, *, quiet: int = 0) -> None:
    """Finish or take back what a crash cut short, so that no temporary file is left; what is to be
    told is kept for whoever can tell it. Under the lock.

    A change that had reached all its notes stands; any other is taken back, whole. That an append
    of the number `quiet` is not there is told by whoever made it.
    """
    sweep_temporary(place.state, OWN_FILES)
    with suppress(OSError, ConflictError):
        for entry in undo_log.unfinished(place.state):
            try:
                done = _settled(place, entry)
            except (AureliusError, OSError):
                continue  # it is tried again the next time
            if done:
                undo_log.close_undo(place.state, entry)
            else:
                drop_empty(place.root, entry.folders)
                undo_log.drop_undo(place.state, entry)
            if done or entry.number != quiet:
                other_programs.say(place.state, [_of_cut(entry, done=done)])


def _settled(place: Place, entry: undo_log.UndoEntry) -> bool:
    """Let a change that was cut short stand, or take it back; whether it is made now."""
    if entry.notes[0].append:
        return _is_appended(place, entry.notes[0])
    with ExitStack() as opened:
        cut = [_Cut.find(place, note, opened) for note in entry.notes]
        done = all(each.is_made for each in cut)
        for each in cut:
            each.settle(place, done=done)
    return done


def _is_appended(place: Place, note: undo_log.KeptNote) -> bool:
    """Whether lines got into a note before the crash: a person may have seen them there, so they
    stay."""
    with suppress(AureliusError, OSError):
        data = read_note(place, note.path)
        return data is not None and data.startswith(note.before or b"", note.at)
    return False


def _of_cut(entry: undo_log.UndoEntry, *, done: bool) -> str:
    paths = ", ".join(note.path for note in entry.notes[:3])
    if len(entry.notes) > 3:
        paths += " …"
    if done:
        hint = f"to undo it: `aurelius undo --number {entry.number}`"
        return f"{paths}: an interrupted change was completed ({entry.why}); {hint}"
    return f"{paths}: an interrupted change was reverted ({entry.why})"


class _Cut(NamedTuple):
    """A note of a change that was cut short, in its open folder; `is_made` says that the new bytes
    got their place."""

    note: undo_log.KeptNote
    folder: Folder | None
    is_made: bool = False

    @classmethod
    def find(
        cls,
        place: Place,
        note: undo_log.KeptNote,
        opened: ExitStack,
    ) -> _Cut:
        """Look at a note and its temporary files."""
        try:
            parts = allowed_parts(note.path, me=True)
            folder = opened.enter_context(Folder(place.root, parts[:-1]))
            data = folder.data(parts[-1])
            staged = folder.data(note.spare)
        except (AureliusError, FileNotFoundError):
            return cls(note, None)  # something else has its place now, and that stays
        if data == note.before:
            return cls(note, folder)
        # else somebody has saved it, before its new bytes got there or since
        is_made = bytes_digest(data) == note.after or bytes_digest(staged) != note.after
        return cls(note, folder, is_made)

    def settle(self, place: Place, *, done: bool) -> None:
        """Be done with what is beside the note; where the change is not `done`, the old bytes get
        their place again, unless somebody saved since."""
        note = self.note
        if self.folder is None:
            return
        if self.is_made and not done:
            back = restore_file(
                self.folder,
                note.path,
                note.before,
                note.after,
            )
            other_programs.put_by(place, back)
        rest = Replacement(
            self.folder,
            note.path,
            note.before,
            None,
            note.spare,
        )
        rest.clear(note.after, was_swapped=self.is_made)
        other_programs.put_by(place, rest)


def os_errors_as_conflict(path: str) -> AbstractContextManager[None]:
    """Context in which an error of the disk becomes a ConflictError that names the note."""
    return or_conflict(f"{path}: not written")
