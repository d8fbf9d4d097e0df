"""The one function that makes the index equal the files: walk, compare, read, parse, chunk, embed, commit.

The CLI, the tests and everything else call `refresh`; `rebuild` is the same pass into a new file.
Facts of files decide, never facts of the index: what is unsound, older or foreign is set aside and
built anew (design §4).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import apsw

from . import schema
from .ignore import Rules
from .index import Index, Key, create_index, open_index
from .walk import Diff, Walk, diff, is_racy, walk

if TYPE_CHECKING:
    from .commit import Commit

Progress = Callable[[int, int], None]
HOLD_SHARE, HOLD_NOTES, HOLD_SECONDS = 0.5, 20, 30.0
"""A pass that would drop more than this share *and* number of notes waits for a second one this much later."""


class Settings(NamedTuple):
    """What an index is made from and where it lies; `folder` "" keeps it in memory, `model` None is the shipped one."""

    root: str
    folder: str
    exclude: tuple[str, ...] = ()
    daily_folder: str = "memory"
    model: str | None = None
    vectors: bool = True


class RefreshReport(NamedTuple):
    """What a pass found and did.  `held`: deletions waiting to be confirmed; `fresh`: index = files now."""

    added: int = 0
    changed: int = 0
    removed: int = 0
    moved: int = 0
    unchanged: int = 0
    failed: tuple[tuple[str, str], ...] = ()
    held: int = 0
    fresh: bool = True
    notices: tuple[str, ...] = ()
    seconds: float = 0.0


class _State(NamedTuple):
    """The index beside the disk, before anything is done."""

    walk: Walk
    diff: Diff
    rules: Rules
    rules_text: str
    touched: list[str]  # bytes as they were, and a key that proves it by now
    ignored: list[str]  # on disk, but a rule leaves it out now
    failed: dict[str, str]  # could not be read, and still cannot


def refresh(
    settings: Settings, *, now: float, progress: Progress | None = None, accept_deletions: bool = False,
    wait: float = 2.0,
) -> tuple[Index, RefreshReport]:  # fmt: skip
    """Make the index equal the files; an index open for reading, and what was done.

    `now` is the real time in unix seconds.  A missing, unsound or other version's index is built
    first.  Where another writer holds the lock longer than `wait` seconds, or no cache can be written,
    the answer is still an index, with `fresh` or `notices` saying so.  IndexUnavailableError where the
    vault itself cannot be read.
    """
    began = time.perf_counter()
    settings, notices = _writable(settings)
    index, notice = _open(settings, now)
    notices += notice
    if index is None:
        index, report = _build(settings, now, progress, None)
    else:
        try:
            index, report = _update(settings, index, now, progress, accept_deletions, wait)
        except (apsw.CorruptError, apsw.NotADBError) as error:
            index.close()
            notices.append(_aside(settings, now, str(error)))
            index, report = _build(settings, now, progress, None)
    return index, report._replace(notices=(*notices, *report.notices), seconds=time.perf_counter() - began)


def rebuild(settings: Settings, *, now: float, progress: Progress | None = None) -> tuple[Index, RefreshReport]:
    """The same pass from nothing into a new file; the old index answers until it is done.

    Notes that cannot be read now keep their rows of the old index.
    """
    began = time.perf_counter()
    settings, notices = _writable(settings)
    old, notice = _open(settings, now)
    index, report = _build(settings, now, progress, old)
    return index, report._replace(notices=(*notices, *notice), seconds=time.perf_counter() - began)


def forget(settings: Settings, path: str, *, now: float) -> int:
    """Remove a note's rows and every byte of them from the index folder; how many chunks went."""
    settings, _ = _writable(settings)
    index, _ = _open(settings, now)
    if index is None:
        return 0
    index.close()
    from .commit import Commit

    with Commit(settings, wait=30.0) as commit:
        gone = commit.remove([path])
        commit.purge()
    return gone


def _open(settings: Settings, now: float) -> tuple[Index | None, list[str]]:
    """The index as it is, for reading, or None with the reason where it has to be built."""
    if not settings.folder:
        return None, []
    try:
        index = open_index(settings.folder, write=False)
    except apsw.Error as error:
        return None, [_aside(settings, now, str(error))]
    if index is None:
        return None, []
    if index.get_meta("model") != model_id(settings) or index.get_meta("daily") != settings.daily_folder:
        index.close()
        return None, ["The settings of the index changed: it is built anew."]
    return index, []


def model_id(settings: Settings) -> str:
    """What the vectors of an index are made with: "" for none, else a name that changes with the weights."""
    if not settings.vectors:
        return ""
    if settings.model is None:
        from . import embed

        return f"{embed.NAME}@{embed.SHA}"
    try:
        parts = [os.stat(os.path.join(settings.model, name)) for name in sorted(os.listdir(settings.model))]
    except OSError:
        return settings.model
    return settings.model + "@" + "-".join(f"{part.st_size}.{part.st_mtime_ns}" for part in parts)


def _aside(settings: Settings, now: float, why: str) -> str:
    moved = schema.set_aside(settings.folder, f"{now:.0f}")
    return f"The index was unsound ({why}); it is set aside as {moved} and built anew."


def _writable(settings: Settings) -> tuple[Settings, list[str]]:
    """The settings with a folder that can be used: the one named, else a temporary one, else memory."""
    if not settings.folder or schema.current_file(settings.folder):
        return settings, []
    for folder in (settings.folder, _temporary(settings.folder)):
        try:
            os.makedirs(folder, mode=0o700, exist_ok=True)
            if folder != settings.folder and hasattr(os, "getuid") and os.stat(folder).st_uid != os.getuid():
                continue
            probe = os.path.join(folder, f"probe.{os.getpid()}")
            with open(probe, "wb"):
                os.remove(probe)
        except OSError as error:
            why = error.strerror or str(error)
            continue
        if folder == settings.folder:
            return settings, []
        return settings._replace(folder=folder), [_moved_notice(settings.folder, folder, why)]
    return settings._replace(folder=""), [_moved_notice(settings.folder, "memory, for this command only", why)]


def _moved_notice(wanted: str, used: str, why: str) -> str:
    return f"The index folder {wanted} cannot be written ({why}): using {used}."


def _temporary(folder: str) -> str:
    import tempfile

    user = os.getuid() if hasattr(os, "getuid") else "user"
    return os.path.join(tempfile.gettempdir(), f"aurelius-{user}", os.path.basename(folder))


def _build(
    settings: Settings, now: float, progress: Progress | None, old: Index | None
) -> tuple[Index, RefreshReport]:
    from .commit import Commit

    rules = Rules(settings.root, settings.exclude, {})
    on_disk = walk(settings.root, rules)
    path = schema.new_file(settings.folder) if settings.folder else ":memory:"
    index = create_index(settings.folder, path)
    try:
        with Commit(settings, wait=0.0, index=index) as commit:
            commit.read(sorted(on_disk.found), progress, now)
            if old is not None:
                commit.carry(old)
            commit.finish(
                rules.verdicts, rules_text(on_disk, settings, now), on_disk, model=model_id(settings), held=False
            )
            index.tidy()
    except BaseException:
        index.close()
        _discard(path)
        raise
    report = RefreshReport(added=commit.put_count, failed=commit.failed, fresh=not commit.unstable)
    if not settings.folder:
        return index, report
    index.close()
    if old is not None:
        old.close()
    schema.point_to(settings.folder, path)
    return _reopen(settings), report


def _discard(path: str) -> None:
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(path + suffix):
            os.remove(path + suffix)


def _reopen(settings: Settings) -> Index:
    index = open_index(settings.folder, write=False)
    assert index is not None  # it was written a moment ago
    return index


def _update(
    settings: Settings, index: Index, now: float, progress: Progress | None, accept_deletions: bool, wait: float
) -> tuple[Index, RefreshReport]:
    state = _compare(settings, index, now)
    held = 0 if accept_deletions else _held(index, state, now)
    total = len(state.walk.found)
    if not (held or _is_work(index, state)):
        return index, RefreshReport(unchanged=total, failed=tuple(sorted(index.get_failed().items())))
    from .commit import Busy, Commit

    try:
        with Commit(settings, wait=wait) as commit:
            report = _apply(commit, state, held, now, progress)
    except Busy as error:
        return index, RefreshReport(unchanged=total, fresh=False, notices=(str(error),))
    index.close()
    return _reopen(settings), report


def _apply(commit: Commit, state: _State, held: int, now: float, progress: Progress | None) -> RefreshReport:
    gone = state.ignored if held else state.diff.gone
    if held:
        commit.hold(now)
    moved = commit.move(state.diff.new, [path for path in gone if path not in state.ignored])
    commit.read([*state.diff.new, *state.diff.changed], progress, now)
    removed = [path for path in gone if path not in moved]
    commit.remove(removed)
    commit.touch(state.touched, state.walk, now)
    commit.finish(
        state.rules.verdicts, state.rules_text, state.walk, model=model_id(commit.settings), held=bool(held)
    )
    if state.ignored:
        commit.purge()
    changed = len(commit.put_paths.intersection(state.diff.changed))
    return RefreshReport(
        added=commit.put_count - changed - len(moved), changed=changed, removed=len(removed), moved=len(moved),
        unchanged=len(state.walk.found) - commit.put_count, failed=commit.failed, held=held,
        fresh=not (held or commit.unstable), notices=_held_notice(held),
    )  # fmt: skip


def _is_work(index: Index, state: _State) -> bool:
    """Whether anything at all has to be written."""
    found = state.diff
    if found.new or found.changed or found.gone or state.touched or index.get_meta("held_since") is not None:
        return True
    if state.rules_text != index.get_meta("rules") or state.rules.verdicts != index.get_verdicts():
        return True
    return state.failed != index.get_failed()


def _compare(settings: Settings, index: Index, now: float) -> _State:
    known, stored = index.get_keys(), index.get_failed()
    rules = Rules(settings.root, settings.exclude, index.get_verdicts(), known)
    on_disk = walk(settings.root, rules)
    if rules_text(on_disk, settings, now) != index.get_meta("rules"):
        rules = Rules(settings.root, settings.exclude, {})
        on_disk = walk(settings.root, rules)
    found = diff(known, stored, on_disk)
    failed = {**_still_failed(settings, stored, found), **on_disk.failed}
    new = [path for path in found.new if path not in failed]
    changed = {path for path in found.changed if path not in failed}
    touched = _settle(settings, index, on_disk, known, changed, now)
    ignored = [path for path in found.gone if os.path.lexists(os.path.join(settings.root, path))]
    return _State(
        on_disk, Diff(new, sorted(changed), found.gone), rules, rules_text(on_disk, settings, now), touched, ignored,
        failed,
    )  # fmt: skip


def _still_failed(settings: Settings, stored: dict[str, str], found: Diff) -> dict[str, str]:
    """Of the notes that failed before, those that would fail in the same way again."""
    if not stored:
        return {}
    from .source import obstacle

    again = [path for path in (*found.new, *found.changed) if path in stored]
    return {path: stored[path] for path in again if obstacle(settings.root, path) == stored[path]}


def _settle(
    settings: Settings, index: Index, on_disk: Walk, known: dict[str, Key], changed: set[str], now: float
) -> list[str]:
    """Look into the notes whose key proved nothing: adds those that changed to `changed`, returns those that
    did not and whose key proves something by now."""
    touched = []
    for path, digest in index.get_racy().items():
        if path in changed or path not in on_disk.found:
            continue
        from .source import hash_of

        if hash_of(settings.root, path) != digest:
            changed.add(path)
        elif not is_racy(known[path], int(now * 1e9)):
            touched.append(path)
    return touched


def rules_text(on_disk: Walk, settings: Settings, now: float) -> str:
    """The ignore rules as they stand; equal to nothing stored before while a rule file is racy."""
    if any(is_racy(key, int(now * 1e9)) for key in on_disk.rules.values()):
        return f"racy at {now}"
    return repr((sorted(on_disk.rules.items()), settings.exclude))


def _held(index: Index, state: _State, now: float) -> int:
    """How many deletions have to wait for a second pass (design §4)."""
    gone = len(state.diff.gone) - len(state.ignored)
    if gone <= HOLD_NOTES or gone <= (len(state.walk.found) + gone) * HOLD_SHARE:
        return 0
    since = index.get_meta("held_since")
    return 0 if since is not None and now - float(since) >= HOLD_SECONDS else gone


def _held_notice(held: int) -> tuple[str, ...]:
    if not held:
        return ()
    return (
        f"{held} notes are no longer on disk, more than half of the vault: they stay in the index until a pass at "
        f"least {HOLD_SECONDS:.0f} s from now finds the same, or `aurelius index --accept-deletions`.",
    )
