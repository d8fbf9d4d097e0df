"""The one function that makes the index equal the files: walk, compare, read, parse, chunk, embed,
commit.

The CLI, the tests and everything else call `refresh`; `rebuild` is the same pass into a new file.
Facts of files decide, never those of the index: an unsound one is set aside, one of another version
replaced.
"""

from __future__ import annotations

import gc
import os
import time
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

import apsw

from indexer.disk.walk import IgnoreRules, unfollowed, walk
from indexer.errors import IndexUnavailableError
from indexer.note import MODEL_NAME, MODEL_SHA
from indexer.record import NamedTuple
from indexer.rows import lock, schema
from indexer.rows.lock import BUILD, LATE, WRITE, BusyError, UnwritableError, hold
from indexer.rows.rows import Index, create_index, open_index
from indexer.usage.log_reader import catch_up, follow

from .difference import (
    Difference,
    Look,
    compare,
    find_renamed,
    held_notice,
    indexed_lines,
    rules_text,
    unrecognised_notice,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.note import Progress, Settings


_MOST_ROUNDS = 3
"""How often a pass looks again at what changed while it was read."""
LONG_BUILD_SECONDS = 2.0
"""A build of more seconds than this is followed by a look at what changed meanwhile."""
SECONDS_FOR_BUILD = 60.0
"""Seconds to wait for another process that builds the index: building it too would take no less."""


class RefreshReport(NamedTuple):
    """What a pass found and did. `held`: deletions waiting to be confirmed; `fresh`: index = files
    now; `renamed`: old and new paths of notes that another program renamed."""

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
    renamed: tuple[tuple[str, str], ...] = ()


class _Pass(NamedTuple):
    """How a pass was asked for, and what there is to tell of it so far."""

    now: float
    progress: Progress | None
    accept: bool
    wait: float
    notices: list[str]
    look: Look | None = None


def refresh(
    settings: Settings,
    *,
    now: float,
    progress: Progress | None = None,
    accept_deletions: bool = False,
    wait: float = 2.0,
    distrust: str | None = None,
    look: Look | None = None,
) -> tuple[Index, RefreshReport]:
    """Make the index equal the files; an index open for reading, and what was done.

    `now` is the real time in unix seconds.  A missing, unsound or other version's index is built
    first, and so is one at `distrust`, whose rows turned out to be unsound when they were read; one
    that is there is compared with what `look` says is on disk, where it is given.
    Where another writer holds the lock longer than `wait` seconds, or no cache can be written, the
    answer is still an index, with `fresh` or `notices` saying so.  IndexUnavailableError where the
    vault itself cannot be read.
    """
    began = time.perf_counter()
    asked = _Pass(
        now=now, progress=progress, accept=accept_deletions, wait=wait, notices=[], look=look
    )
    index, report = _refresh(_somewhere(settings, asked), asked, distrust)
    return index, _told(report, asked, began)


def rebuild(
    settings: Settings, *, now: float, progress: Progress | None = None
) -> tuple[Index, RefreshReport]:
    """The same pass from nothing into a new file; the old index answers until it is done."""
    began = time.perf_counter()
    asked = _Pass(now, progress, accept=True, wait=SECONDS_FOR_BUILD, notices=[])
    index, report = _make(_somewhere(settings, asked), asked, None, anew=True)
    return index, _told(report, asked, began)


def purge_note(settings: Settings, path: str) -> int:
    """Remove a note's rows and every byte of them from the index folder; how many chunks went.

    IndexUnavailableError where the index cannot be written now, or another process still reads what
    it held.
    """
    gone = 0
    for folder in (settings.folder, lock.temporary(settings.folder)):
        if settings.folder and os.path.isdir(folder):
            try:
                gone += _forget(settings._replace(folder=folder), path)
            except (BusyError, apsw.FullError, apsw.IOError) as error:
                raise IndexUnavailableError(
                    f"{path} is not fully removed from {folder}: {error}",
                    "when that is over, run the same command again",
                ) from error
    return gone


def _forget(settings: Settings, path: str) -> int:
    from .write_notes import Commit

    with hold(settings.folder, BUILD, SECONDS_FOR_BUILD):
        live = schema.current_file(settings.folder)
        try:
            index = open_index(settings.folder, write=False)
        except apsw.Error:
            index = None
        if index is None:
            if live is not None:
                schema.remove_file(live)
            schema.sweep_folder(settings.folder, aside=True)
            return 0
        index.close()
        with Commit(settings, wait=SECONDS_FOR_BUILD, live=live) as commit:
            gone = commit.remove([path], hidden=True)
            if not commit.purge():
                raise BusyError("another process is still reading the old index")
        return gone


def reading_id(settings: Settings) -> str:
    """By what, besides the parser, files are read: an index that was made by something else is
    rebuilt."""
    return "\n".join([settings.daily_folder, *map("=".join, settings.kinds)])


def model_id(settings: Settings) -> str:
    """What the vectors of an index are made with: "" for none, else a name that changes with the
    weights."""
    if not settings.vectors:
        return ""
    if settings.model is None:
        return f"{MODEL_NAME}@{MODEL_SHA}"
    from indexer.tokens.embed import model_stamp

    return f"{settings.model}@{model_stamp(settings.model)}"


def _somewhere(settings: Settings, asked: _Pass) -> Settings:
    """The settings with a folder that can be used: the one named, else a temporary one, else
    memory."""
    if not settings.folder or schema.current_file(settings.folder):
        return settings
    why = lock.folder_obstacle(settings.folder)
    if why is None:
        return settings
    return _elsewhere(settings, why, asked)


def _elsewhere(settings: Settings, why: str, asked: _Pass) -> Settings:
    temporary = lock.temporary(settings.folder)
    usable = settings.folder != temporary and lock.folder_obstacle(temporary, own=True) is None
    if usable:
        used = f"using {temporary} instead"
    else:
        used = "indexing in memory for this command"
    asked.notices.append(f"cannot write the index folder {settings.folder} ({why}): {used}")
    return settings._replace(folder=temporary if usable else "")


def _told(report: RefreshReport, asked: _Pass, began: float) -> RefreshReport:
    asked.notices.extend(unfollowed(report.failed))
    return report._replace(notices=tuple(asked.notices), seconds=time.perf_counter() - began)


def _refresh(settings: Settings, asked: _Pass, distrust: str | None) -> tuple[Index, RefreshReport]:
    live = schema.current_file(settings.folder) if settings.folder else None
    bad = None
    try:
        if live is not None and distrust == live:
            bad = (live, "its rows are damaged")
        elif (index := _open(settings, asked)) is not None:
            return _update(settings, index, asked)
    except schema.UNSOUND as error:
        _check_damaged(live, error)
        if live is not None:
            bad = (live, str(error))
    except (UnwritableError, OSError, *schema.REFUSED) as error:
        return _refresh(_elsewhere(settings, str(error), asked), asked, None)
    return _make(settings, asked, bad, anew=False)


def _open(settings: Settings, asked: _Pass) -> Index | None:
    """The index as it is, for reading, or None where it has to be built; what `schema.UNSOUND` says
    if it is."""
    if not settings.folder:
        return None
    is_swept = bool(schema.strays(settings.folder)) and _sweep(settings)
    if schema.current_file(settings.folder) is None:
        if is_swept:
            asked.notices.append("the index was incomplete or missing, so it was rebuilt")
        return None
    index = open_index(settings.folder, write=False)
    if index is None:
        asked.notices.append("the index was made by another version of Aurelius, so it was rebuilt")
        return None
    try:
        meta = index.get_all_meta()
    except BaseException:
        index.close()
        raise
    made_for = (meta.get("model"), meta.get("daily"))
    if made_for != (model_id(settings), reading_id(settings)):
        index.close()
        asked.notices.append(
            "the embedding model, the folder of daily notes or `kinds` changed, so the index was"
            " rebuilt"
        )
        return None
    return index


def _sweep(settings: Settings) -> bool:
    """Remove what a build that was cut off left behind; False where one is still at work."""
    try:
        with hold(settings.folder, BUILD, 0.0):
            schema.sweep_folder(settings.folder)
    except BusyError as error:
        return isinstance(error, UnwritableError)
    return True


def _make(
    settings: Settings, asked: _Pass, bad: tuple[str, str] | None, *, anew: bool
) -> tuple[Index, RefreshReport]:
    """Build the index, one process at a time; unless `anew`, one that another process built
    meanwhile will do."""
    if not settings.folder:
        return _build(settings, ":memory:", asked, 1)
    try:
        report = _build_alone(settings, asked, bad, anew=anew)
        if report is None:
            return _update(settings, _reopen(settings), asked)
        if report.seconds < LONG_BUILD_SECONDS and report.fresh:
            return _reopen(settings), report
        quiet = asked._replace(progress=None)
        index, later = _update(settings, _reopen(settings), quiet)
        added = report.added + later.added
        return index, later._replace(added=added, unchanged=0)
    except (
        BusyError,
        OSError,
        *schema.REFUSED,
    ) as error:  # the folder may be deleted at any moment, after the build too
        return _refresh(_elsewhere(settings, str(error), asked), asked, None)


def _build_alone(
    settings: Settings, asked: _Pass, bad: tuple[str, str] | None, *, anew: bool
) -> RefreshReport | None:
    """What a build did; None where there is an index that another process built meanwhile."""
    with hold(settings.folder, BUILD, max(asked.wait, SECONDS_FOR_BUILD)):
        if bad is not None and bad[0] == schema.current_file(settings.folder):
            asked.notices.append(_aside(asked, *bad))
        generation = 0
        if (old := _usable(settings, asked)) is not None:
            with closing(old):
                generation = old.generation
            if not anew:
                return None
        return _replace(settings, asked, generation + 1)


def _usable(settings: Settings, asked: _Pass) -> Index | None:
    """The live index where it is sound and of these settings; an unsound one is set aside."""
    live = schema.current_file(settings.folder)
    try:
        return _open(settings, asked._replace(notices=[]))
    except schema.UNSOUND as error:
        assert live is not None  # there was something to open
        _check_damaged(live, error)
        asked.notices.append(_aside(asked, live, str(error)))
        return None


def _check_damaged(live: str | None, error: Exception) -> None:
    """Raise an error again that the index is not to blame for."""
    from .damage import is_damaged  # what it imports is slow, and this is rare

    if not is_damaged(live, error):
        raise error


def _aside(asked: _Pass, path: str, why: str) -> str:
    return (
        f"the index could not be used ({why}), so it was rebuilt;"
        f" {schema.set_aside(path, f'{asked.now:.0f}')}"
    )


def _replace(settings: Settings, asked: _Pass, generation: int) -> RefreshReport:
    """Build an index in a new file and make it the live one."""
    path = schema.new_file(settings.folder)
    try:
        index, report = _build(settings, path, asked, generation)
        index.close()
        with hold(settings.folder, WRITE, SECONDS_FOR_BUILD):
            schema.point_to(settings.folder, path, os.path.realpath(settings.root))
    except BaseException:
        schema.discard(path)
        raise
    schema.sweep_folder(settings.folder)
    return report


def _build(
    settings: Settings, path: str, asked: _Pass, generation: int
) -> tuple[Index, RefreshReport]:
    from .write_notes import Commit

    began = time.perf_counter()
    rules = IgnoreRules(settings.root, settings.exclude)
    on_disk = walk(settings.root, rules)
    index = create_index(settings.folder, path)
    try:
        with _uncollected(), index.db, Commit(settings, private=index) as commit:
            commit.read(sorted(on_disk.found), {}, asked.progress, asked.now)
            index.put_meta("generation", generation)
            rules_now = rules_text(settings, on_disk, asked.now)
            commit.finish(on_disk.failed, rules.verdicts, on_disk, _meta(settings, rules_now))
            catch_up(settings, index)
        schema.settle_database(index.db)
    except BaseException:
        index.close()
        raise
    failed = tuple(sorted(index.get_failed().items()))
    seconds = time.perf_counter() - began
    return index, RefreshReport(
        added=len(commit.put), failed=failed, fresh=not commit.unstable, seconds=seconds
    )


@contextmanager
def _uncollected() -> Iterator[None]:
    """Notes are made and dropped without cycles: looking for some would take a tenth of a pass's
    time."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _meta(settings: Settings, rules: str) -> dict[str, str]:
    return {"rules": rules, "model": model_id(settings), "daily": reading_id(settings)}


def _reopen(settings: Settings) -> Index:
    index = open_index(settings.folder, write=False)
    if index is None:
        raise apsw.NotADBError("its file was removed")
    return index


def _update(settings: Settings, index: Index, asked: _Pass) -> tuple[Index, RefreshReport]:
    """Passes over an index that is there, until nothing changes while it is looked at."""
    done = RefreshReport(fresh=False)
    try:
        for _ in range(_MOST_ROUNDS):
            found = compare(settings, index, asked.now, asked.look)
            held = found.held(asked.now, accept=asked.accept)
            unchanged = len(found.walk.found) - len(found.new) - len(found.changed)
            failed = tuple(sorted(found.failed.items()))
            done = done._replace(unchanged=unchanged, held=held, fresh=not held, failed=failed)
            if not found.is_work(held):
                break
            try:
                report = _apply(settings, index.path, found, held, asked)
            except BusyError as error:
                if isinstance(error, UnwritableError):
                    raise
                report = RefreshReport(fresh=False, notices=(f"{error}; {LATE}",))
            done = done._replace(
                added=done.added + report.added,
                changed=done.changed + report.changed,
                removed=done.removed + report.removed,
                moved=done.moved + report.moved,
                failed=report.failed or done.failed,
                fresh=report.fresh,
                renamed=done.renamed + report.renamed,
            )
            if report.notices and schema.current_file(settings.folder) == index.path:
                asked.notices.extend(report.notices)
                break
            index.close()
            index = _reopen(settings)
            if report.fresh:
                break
        asked.notices.extend(follow(settings, index, asked.wait))
    except BaseException:
        index.close()
        raise
    if done.held:
        asked.notices.append(held_notice(done.held, empty=not found.walk.found))
        done = done._replace(fresh=False)
    return index, done


def _apply(
    settings: Settings, live: str, found: Difference, held: int, asked: _Pass
) -> RefreshReport:
    """Do what the difference asks for."""
    from .write_notes import Commit

    since = found.meta.get("held_since", asked.now) if held else None
    with _uncollected(), Commit(settings, wait=asked.wait, live=live) as commit:
        gone = found.renamable(held)
        before = indexed_lines(commit.index.db, gone or ())
        commit.move(found.moves)
        commit.read([*found.new, *found.changed], found.known, asked.progress, asked.now)
        renamed = find_renamed(commit.index.db, before, found.new)
        commit.remove(found.hidden, hidden=True)
        commit.remove([] if held else found.gone)
        commit.touch(found.touched, found.walk, asked.now)
        commit.finish(
            found.failed,
            found.verdicts,
            found.walk,
            {**_meta(settings, found.rules), "held_since": since},
        )
        failed = tuple(sorted(commit.index.get_failed().items()))
        if commit.index.get_meta("purge"):
            # while another process builds or reads, its bytes go with a later pass
            with suppress(BusyError), hold(settings.folder, BUILD, 0.0):
                commit.purge()
    if gone is None:
        asked.notices.append(
            unrecognised_notice(len(found.gone) + len(found.moves), len(found.new))
        )
    put = commit.put.keys()
    return RefreshReport(
        added=len(put & set(found.new)) - len(put & found.moves.keys()),
        changed=len(put & set(found.changed)),
        removed=len(found.known.keys() & {*found.hidden, *(() if held else found.gone)}),
        moved=len(put & found.moves.keys()),
        failed=failed,
        fresh=not commit.unstable,
        renamed=tuple(renamed),
    )
