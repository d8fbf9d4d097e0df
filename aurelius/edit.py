"""Every byte-changing write of a note goes through here: checked, whole or not at all, undoable (design §3.3).

    note at `before` → would `after` still be a sound note? → lock → is the file still `before`?
    → previous bytes kept → new bytes beside the note, on the disk → swapped in → looked at once more

ConflictError and nothing written where a file is not what the edit was made from.  What a crash cut
short is taken back by the next write.  Lock and previous bytes lie outside the vault.
"""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from indexer.errors import ConflictError, UsageError

from . import appends, previous, writable
from .folder import Folder
from .replace import Replacement, changed, conflict_name, digest, held, put_back
from .sound import check

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from .config import Config

MANY = 32
"""Notes from which on all of the disk is brought up to date at once, which is sooner than note by note."""

WAIT = 20.0
"""Seconds to wait for another process that is writing."""


class Place(NamedTuple):
    """Where is written, and what is allowed.

    `root` is the vault, `state` a folder outside it for lock, undo and journal, `daily` the folder of
    daily notes.  `shrink` lets an edit take away more than half of a note, or facts; `me` lets it
    change ME.md; `commit` commits it, with the programs and settings that `env` leads to; `now` is the
    time, in unix seconds, that the undo list tells, 0 for the real one.
    """

    root: str
    state: str
    daily: str = "memory"
    shrink: bool = False
    me: bool = False
    commit: bool = False
    env: Mapping[str, str] | None = None
    now: float = 0.0

    def time(self) -> float:
        """The time of a change."""
        return self.now or time.time()


class Edit(NamedTuple):
    """One note's bytes before and after; None: not there.  `source` is the path a moved note comes from."""

    path: str
    before: bytes | None
    after: bytes | None
    source: str = ""


class Applied(NamedTuple):
    """What was done: the number by which `undo` knows it (0: nothing had to change), and why no commit was made."""

    number: int
    uncommitted: str = ""


def place_of(
    config: Config, env: Mapping[str, str], *, now: float = 0.0, shrink: bool = False, me: bool = False
) -> Place:
    """The place that a vault's settings make."""
    from .places import vault_state

    state = vault_state(config.root, env)
    return Place(config.root, state, config.daily, shrink, me, config.git_commit, env, now)


def read(place: Place, path: str) -> bytes | None:
    """The bytes of a note now, to make an edit from; None where there is none.  UsageError, ConflictError."""
    parts = writable.parts(path, me=True)
    with told(path):
        try:
            with Folder(place.root, parts[:-1]) as folder:
                found = held(folder, parts[-1])
        except FileNotFoundError:
            return None
    return None if found is None else found.data


def apply(place: Place, edits: Sequence[Edit], why: str, *, undoes: int = 0) -> Applied:
    """Make all these changes or none, as far as files allow; edits that change nothing are left out.

    A note that is to move is two edits: one that removes it, one that makes it elsewhere with its
    `source`.  `undoes` is the number of a change that is taken back.  UsageError for what may not be
    written, ConflictError where a file is not as `before` says or the disk refuses; then nothing is changed.
    """
    edits = [edit for edit in edits if edit.before != edit.after]
    assert len({edit.path for edit in edits}) == len(edits), "one edit a note"
    if not edits:
        return Applied(0)
    if undoes:  # the bytes stood there before, whatever they are
        for each in edits:
            writable.parts(each.path, me=place.me)
    else:
        check(place, edits)
    with locked(place), ExitStack() as opened:
        number = _write(place, _replacements(place, edits, opened), edits, why, undoes)
    return Applied(number, committed(place, edits, why))


def rehearse(place: Place, edits: Sequence[Edit]) -> None:
    """What `apply` would refuse, refused: UsageError or ConflictError.  Nothing is written, no folder made."""
    edits = [edit for edit in edits if edit.before != edit.after]
    check(place, edits)
    for edit in edits:
        parts = writable.parts(edit.path, me=place.me)
        with told(edit.path):
            try:
                with Folder(place.root, parts[:-1]) as folder:
                    Replacement(folder, edit.path, edit.before, edit.after).compare()
            except FileNotFoundError:
                if edit.before is not None:
                    raise changed(edit.path, None) from None


def committed(place: Place, edits: Sequence[Edit], why: str) -> str:
    """Commit changes where that is wanted; "" or why it was not done."""
    if not place.commit:
        return ""
    from .commit_git import commit

    changes = [(edit.path, edit.before, edit.after) for edit in edits]
    return commit(place.root, place.state, place.env or {}, changes, why)


# -- writing ---------------------------------------------------------------------------------------------


@contextmanager
def locked(place: Place) -> Iterator[None]:
    """Be the only process that writes this vault, with whatever a crash left behind cleared up."""
    import filelock

    try:
        os.makedirs(place.state, mode=0o700, exist_ok=True)
        lock = filelock.FileLock(os.path.join(place.state, "lock"))
        lock.acquire(timeout=WAIT, poll_interval=0.005)
    except filelock.Timeout as error:
        raise ConflictError(
            f"another process has been writing the vault for {WAIT:.0f} s", "nothing was written; try again"
        ) from error
    except OSError as error:
        raise ConflictError(
            f"{place.state} cannot be written: {error.strerror}", "lock and undo are kept there; nothing was changed"
        ) from error
    try:
        recover(place)
        yield
    finally:
        lock.release()


def _replacements(place: Place, edits: Sequence[Edit], opened: ExitStack) -> list[Replacement]:
    """The edits with their folders open; a folder that a new note needs is made."""
    folders: dict[tuple[str, ...], Folder] = {}
    found = []
    for edit in edits:
        parts = writable.parts(edit.path, me=place.me)
        with told(edit.path):
            try:
                if parts[:-1] not in folders:
                    folder = Folder(place.root, parts[:-1], make=edit.before is None)
                    folders[parts[:-1]] = opened.enter_context(folder)
            except FileNotFoundError:
                raise changed(edit.path, None) from None
        found.append(Replacement(folders[parts[:-1]], edit.path, edit.before, edit.after))
    return found


def _write(place: Place, replacements: list[Replacement], edits: Sequence[Edit], why: str, undoes: int) -> int:
    """Take every step for all notes before the next; the number of the change.  Under the lock."""
    sources = {each.path: (each.folder, each.name) for each in replacements}
    for each in replacements:
        with told(each.path):
            each.compare()
    notes = [
        previous.Kept(each.path, each.before, digest(each.after), each.spare, edit.source)
        for each, edit in zip(replacements, edits, strict=True)
    ]
    with told(place.state):
        entry = previous.keep(place.state, place.time(), why, notes, undoes=undoes, is_open=True)
    at_once = len(edits) >= MANY and sys.platform == "linux"  # where it is sure to wait for the disk
    try:
        for each, edit in zip(replacements, edits, strict=True):
            with told(each.path):
                each.stage(sources.get(edit.source), flush=not at_once)
        if at_once:
            os.sync()
        for each in replacements:
            with told(each.path):
                each.swap()
        for folder in {id(each.folder): each.folder for each in replacements}.values():
            folder.flush()
        for each in replacements:
            with told(each.path):
                each.look_again()
        for each in replacements:
            with told(each.path):
                each.finish()
        with told(place.state):
            previous.close(place.state, entry)
    except BaseException:
        taken_back = [_back(each) for each in reversed(replacements)]
        if all(taken_back):  # else the next write takes back the rest
            previous.drop(place.state, entry)
        raise
    appends.heed(place.state, [(each.path, each.before, each.after) for each in replacements])
    return entry.number


def _back(replacement: Replacement) -> bool:
    """Take a note back; False where the disk refuses that as well."""
    try:
        replacement.back()
    except (OSError, UsageError):
        return False
    return True


def recover(place: Place) -> None:
    """Take back what a crash cut short: each note as it was, no temporary file left.  Under the lock."""
    with suppress(OSError):
        for entry in previous.unfinished(place.state):
            taken_back = [_recover(place, note) for note in entry.notes]
            if all(taken_back):
                previous.drop(place.state, entry)


def _recover(place: Place, note: previous.Kept) -> bool:
    """Take one note back; False where the disk refuses, so that it is tried again."""
    try:
        parts = writable.parts(note.path, me=True)
        with Folder(place.root, parts[:-1]) as folder:
            _clear(folder, note)
    except (UsageError, ConflictError, FileNotFoundError):
        return True  # something else has its place now, and that stays
    except OSError:
        return False
    return True


def _clear(folder: Folder, note: previous.Kept) -> None:
    name = note.path.rpartition("/")[2]
    now, spare = held(folder, name), held(folder, note.spare)
    if spare is not None and now is None and note.before is not None:  # it was on its way out, or in the middle
        folder.move(note.spare, name)
        return
    swapped = digest(None if now is None else now.data) == note.after
    put_back(folder, note.path, note.before, note.after)
    if spare is not None and swapped and spare.data != note.before:
        folder.move(note.spare, conflict_name(name))  # somebody's save, displaced in the moment of the crash
    elif spare is not None:
        folder.remove(note.spare)


@contextmanager
def told(path: str) -> Iterator[None]:
    """What the disk refuses as a ConflictError that names the note."""
    try:
        yield
    except OSError as error:
        raise ConflictError(f"{path}: not written: {error.strerror}", "nothing was changed") from error
