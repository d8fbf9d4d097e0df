"""What one device has brought to the others, and theirs into this vault: commit, fetch, join in the
object store, look at the result, only then check out, send.

Files come before the branch: what a crash leaves is gone on with by the next sync, which finds the
commit that was being checked out in the vault's state folder. Between two looks nothing is taken
for granted: a note that is edited meanwhile is committed and joined again.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, NamedTuple

from aurelius.writing import check_out, edit, git_folder, other_programs
from aurelius.writing.check_edit import Edit
from aurelius.writing.git_folder import BlockedError
from aurelius.writing.own_files import keep_in_state
from aurelius.writing.safe_folder import disk_path
from indexer.disk.walk import may_be_note
from indexer.errors import ConflictError, UsageError
from indexer.rows.lock import BusyError, hold, make_private

from . import incoming, remote
from .join import join
from .merge_setup import set_up_merge
from .repository import SyncGit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aurelius.writing.check_edit import Place

    from .repository import TreeRow

ROUNDS = 5
"""How often one sync starts again because another device, or a person at a note, was first."""

_LOCK = "sync.lock"
_PENDING = "sync.pending"
"""File of the vault's state folder that names the commits before and after a check-out."""


class Traffic(NamedTuple):
    """Notes that went one way: `new` ones, `changed` and `deleted` ones, and `other` files."""

    new: int = 0
    changed: int = 0
    deleted: int = 0
    other: int = 0

    @property
    def notes(self) -> int:
        """All notes."""
        return self.new + self.changed + self.deleted


class SyncResult(NamedTuple):
    """What a sync did, or would: what went and came, what is told of it, and with which branch of
    which remote, "" for none.

    `before` is the commit that was checked out before others came, "" where none did; `joined` says
    that both sides had something new, and `questions` how many wait in `review` about what is told.
    """

    sent: Traffic
    received: Traffic
    told: tuple[str, ...] = ()
    remote: str = ""
    before: str = ""
    joined: bool = False
    questions: int = 0


class Sync(NamedTuple):
    """How a vault is synced: where it is written, the words of the commit, and what asks the person
    whether so many notes may go; `setup` sets the clone up first."""

    place: Place
    why: str
    agrees: Callable[[str], bool]
    dry_run: bool = False
    setup: bool = False


def sync_vault(how: Sync) -> SyncResult:
    """Bring this vault and its remote to the same state.

    ConflictError where git, the remote or a file stands against it; what was committed until then
    stays. UsageError where the person does not agree.
    """
    env = how.place.env or {}
    if not how.dry_run:
        with edit.locked(how.place) as place:  # which may give the vault its name
            how = how._replace(place=place)
    try:
        make_private(how.place.state)
        with (
            hold(how.place.state, _LOCK, 1.0, "another sync of this vault is running"),
            SyncGit(how.place.root, how.place.state, env, how.place.note_reader()) as git,
        ):
            git.is_rehearsal = how.dry_run
            done = _in_rounds(how, git)
            if how.setup:
                done = done._replace(told=(*_set_up(how, git), *done.told))
            return done
    except (BlockedError, BusyError) as refusal:
        raise ConflictError(f"not synced: {refusal}", _hint(str(refusal))) from None
    except subprocess.TimeoutExpired:
        raise ConflictError("git took more than ten minutes", "try again later") from None
    except OSError as error:
        what = f"not synced: {error.filename or 'git'}: {error.strerror or error}"
        raise ConflictError(what, "what was there before is there still") from error


def _hint(refusal: str) -> str:
    if "is not a git repository" in refusal:
        return "to make it one: `aurelius init --git`"
    if "under way" in refusal:
        return "finish it with git, or call it off, then run `aurelius sync` again"
    if git_folder.DETACHED in refusal:
        return "check out a branch: `git switch main`"
    return "nothing was lost; put that right, then run `aurelius sync` again"


def _set_up(how: Sync, git: SyncGit) -> Iterator[str]:
    """Let plain git know the branch of the remote too; what this clone has, a line each."""
    ref, _ = git.branch()
    yield f"repository: {git.top}, branch {ref.removeprefix(git_folder.BRANCHES)}"
    if not how.dry_run:
        set_up_merge(how.place.root, how.place.env or {})
    yield "merging: notes fact by fact, from now on by plain git too"
    there = remote.find_remote(git, ref)
    if there is None:
        yield "remote: none; `git remote add origin ADDRESS` names one, an empty repository"
        return
    yield f"remote: {there.name}, {there.address}"
    if there.is_named:
        yield f"branch there: {there.branch}"
    elif how.dry_run:
        yield f"branch there: would be {there.branch}"
    else:
        git.follow(ref, there.name, there.branch)
        yield f"branch there: {there.branch}, from now on for plain git too"


def _in_rounds(how: Sync, git: SyncGit) -> SyncResult:
    """Commit, fetch, join, check out and send, again where somebody else was first."""
    done = SyncResult(Traffic(), Traffic())
    late: ConflictError | None = None
    for _ in range(ROUNDS):
        try:
            done, is_done = _round(how, git, done)
        except _EditedError as error:
            late = error.conflict
            continue
        if is_done:
            return done
    if late:
        raise late
    raise ConflictError(
        f"other devices were first {ROUNDS} times", "what is new here is committed; sync again"
    )


class _EditedError(Exception):
    """A note was edited between the commit and the check-out."""

    def __init__(self, conflict: ConflictError) -> None:
        super().__init__(conflict.message)
        self.conflict = conflict


def _round(how: Sync, git: SyncGit, done: SyncResult) -> tuple[SyncResult, bool]:
    """One try; what came of it, and whether it reached its end."""
    with _writing(how, git):
        ref, head, told = _commit(how, git)
    done = done._replace(told=tuple(dict.fromkeys((*done.told, *told))))
    there = remote.find_remote(git, ref)
    if there is None:
        return done, True
    done = done._replace(remote=there.shown)
    theirs = remote.fetch(git, there)
    if not (head or theirs):
        return done, True
    new = head
    if not git.is_ancestor(theirs, head):
        new, done = _joined(how, git, done, head, theirs, there.shown)
        rows = git.difference(head or git.empty_tree(), new)
        with _writing(how, git):
            _bring(how, git, (ref, head, new), rows)
        done = done._replace(
            before=done.before or head or new,
            received=_plus(done.received, _traffic(git, head, new)),
        )
    if new != theirs:
        done = done._replace(sent=_traffic(git, theirs, new))
        if not (how.dry_run or remote.push(git, there, new)):
            return done, False
    return done, True


def _joined(
    how: Sync, git: SyncGit, done: SyncResult, head: str, theirs: str, shown: str
) -> tuple[str, SyncResult]:
    """The commit of both sides, looked at; what is to be told of it is told."""
    new = theirs
    if head and not git.is_ancestor(head, theirs):
        both = join(git, head, theirs)
        new = git.commit_tree(both.tree, (head, theirs), f"{how.why}: joined with {shown}")
        done = done._replace(told=(*done.told, *both.told), joined=True)
    rows = git.difference(head or git.empty_tree(), new)
    incoming.check_incoming(git, rows, new)
    incoming.check_marks(rows, git.blobs(row.blob for row in rows))
    if head:
        _ask(how, git, head, new, "would be deleted here, because they are on another device")
    return new, done


def _ask(how: Sync, git: SyncGit, old: str, new: str, what: str) -> None:
    """UsageError where so many notes would go that the person has to agree, and does not."""
    gone, every = incoming.count_vanished(git, old, new)
    if not incoming.is_too_much(gone, every) or how.dry_run:
        return
    if not how.agrees(f"{gone:,} of {every:,} notes {what}; go on?"):
        raise UsageError(
            f"{gone:,} of {every:,} notes {what}; nothing was synced",
            "if that is right: `aurelius sync --yes`; if not, git has them: `git log`",
        )


@contextmanager
def _writing(how: Sync, git: SyncGit) -> Iterator[None]:
    """Hold the lock of the vault's only writer."""
    if git.is_rehearsal:
        yield
        return
    with edit.locked(how.place):
        yield


# -- this device's part ----------------------------------------------------------------


def _commit(how: Sync, git: SyncGit) -> tuple[str, str, list[str]]:
    """Commit what is new in the vault: the branch, its commit, and what is told of files that are
    left out."""
    ref, head = git.branch()
    head = _go_on(how, git, ref, head)
    changed, out = git.changed_files()
    for path in changed:
        if may_be_note(path):
            _look_at_note(how, git, path)
    tree = git.staged_tree(head, changed)
    told = [f"{path} is a link or a repository of its own: it is not sent" for path in out]
    old = f"{head}^{{tree}}" if head else git.empty_tree()
    if not git.difference(old, tree):
        return ref, head, told
    if head:
        _ask(how, git, head, tree, "are gone here, and would be deleted everywhere")
    new = git.commit_tree(tree, (head,), how.why)
    if not how.dry_run:
        git.advance(ref, head, new, how.why)
    return ref, new, told


def _look_at_note(how: Sync, git: SyncGit, path: str) -> None:
    """ConflictError where a note is just being saved, BlockedError where a merge was left in it."""
    own = path.removeprefix(git.prefix)
    try:
        with open(disk_path(how.place.root, own), "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return
    if incoming.has_marks(data):
        raise BlockedError(f"{path} has conflict markers in it (lines of <<<<<<< and >>>>>>>)")
    try:
        with suppress(UsageError):  # no note of the person's own, so no editor is at it
            other_programs.wait_for_programs(how.place, Edit(own, data, data))
    except ConflictError as error:
        raise _EditedError(error) from None


def _go_on(how: Sync, git: SyncGit, ref: str, head: str) -> str:
    """Finish the check-out that a crash cut short, where the vault still is at the commit before
    it; the commit that is checked out."""
    path = os.path.join(how.place.state, _PENDING)
    old, _, new = git_folder.text(path).partition(" ")
    if how.dry_run or not new:
        return head
    if old == (head or "none") and git.commit_of(new):
        rows = git.difference(head or git.empty_tree(), new)
        try:
            _bring(how, git, (ref, head, new), rows)
        except _EditedError:  # it is committed as it is, and joined again
            _drop_pending(how.place)
            return head
        return new
    _drop_pending(how.place)
    return head


# -- the others' part ------------------------------------------------------------------


def _bring(how: Sync, git: SyncGit, move: tuple[str, str, str], rows: list[TreeRow]) -> None:
    """Check out a commit: the files, then the branch, then git's index."""
    ref, head, new = move
    if how.dry_run:
        return
    names = [row.old_blob for row in rows]
    names += [row.blob for row in rows]
    data = git.blobs(names)
    changes = [
        check_out.FileChange(
            row.path.removeprefix(git.prefix),
            data.get(row.old_blob),
            data.get(row.blob),
            row.mode.endswith("755"),
        )
        for row in rows
    ]
    if git.branch() != (ref, head):
        raise _EditedError(ConflictError("the branch changed during the sync", "sync again"))
    keep_in_state(how.place.state, _PENDING, f"{head or 'none'} {new}".encode())
    try:
        check_out.check_out(how.place, changes)
    except ConflictError as error:
        _drop_pending(how.place)
        raise _EditedError(error) from None
    except BaseException:
        _drop_pending(how.place)
        raise
    git.advance(ref, head, new, how.why)
    git.stage(rows)
    _drop_pending(how.place)


def _drop_pending(place: Place) -> None:
    keep_in_state(place.state, _PENDING, b"")


# -- what is told ----------------------------------------------------------------------


def _traffic(git: SyncGit, old: str, new: str) -> Traffic:
    """What one commit has over another, counted in notes; moved notes are not counted."""
    rows = git.difference(old or git.empty_tree(), new, moves=True)
    found = Counter(_kind(row) for row in rows)
    return Traffic(found["new"], found["changed"], found["deleted"], found["other"])


def _kind(row: TreeRow) -> str:
    if "/.aurelius/log/" in f"/{row.path}":
        return "log"
    if not may_be_note(row.path):
        return "other"
    if not row.blob:
        return "deleted"
    if row.old_blob:
        return "changed"
    return "new"


def _plus(one: Traffic, other: Traffic) -> Traffic:
    return Traffic(*(sum(pair) for pair in zip(one, other, strict=True)))
