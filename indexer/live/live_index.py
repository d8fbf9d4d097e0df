"""The index of a running daemon: its passes look only where the watch saw something, and it is
never closed.

Events are hints; what is on disk decides.  A pass is `refresh` itself, told what is on
disk by a walk that is kept and looked at again where there were hints, and everywhere at the start,
on the timer, after an alarm and after a gap in time.
"""

from __future__ import annotations

import os
import random
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from indexer.catalog.visibility import look_as
from indexer.disk.walk import RACY_NS, unfollowed
from indexer.errors import IndexUnavailableError
from indexer.refresh.difference import HOLD_SECONDS, held_notice
from indexer.refresh.refresh import SECONDS_FOR_BUILD, RefreshReport, refresh
from indexer.rows import schema
from indexer.rows.lock import LATE, WRITE, BusyError, hold
from indexer.rows.rows import Index, open_index
from indexer.usage.log_reader import follow

from .walk_cache import Seen

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable
    from datetime import datetime

    from indexer.disk.walk import IgnoreRules, Walk
    from indexer.note import Progress, Settings
    from indexer.search.hit import SearchResult
    from indexer.search.leading import IsExample
    from indexer.search.query import SearchQuery
    from indexer.tokens.embed import Encoder
    from indexer.usage.tier import Clock

    from .memory_lists import Resident
    from .watch import Watch

PERIOD = 60.0
_SECONDS_BETWEEN_SCANS = 500.0
"""Seconds between full scans: at least the first, and at least so many times what the last one cost
in CPU."""
_SECONDS_BETWEEN_POLLS = 3.0
"""Seconds between looks at folders that cannot be watched."""
GAP = 10.0
"""Seconds between two turns of the loop, or that the clocks part, which mean that the machine
slept."""
SECONDS_TO_SETTLE = RACY_NS / 1e9 + 0.3
"""Seconds after the last pass that wrote, when every key proves something, and the index is put in
order."""
MOST_READERS = 2
CACHE = 2
"""Connections kept open for the requests to come, and MiB of pages that each may keep."""
_MOST_ROUNDS = 5
"""How often folders that came while a pass looked are looked at once more."""


class LiveState(NamedTuple):
    """How the live index does: `watching` is "native" or "scanning" and `why` says why it scans.

    `folders` are watched and `unwatched` are not, `backlog` wait to be looked at; times are unix
    seconds.
    """

    watching: str
    why: str
    folders: int
    unwatched: int
    backlog: int
    last_scan: float
    scan_seconds: float
    next_scan: float
    notes: int
    generation: int
    fresh: bool
    failed: int
    held: int
    passes: int


class Live:
    """A vault's index, kept equal to the files by whoever calls `turn` about every second and after
    `wake`.

    Requests call `refresh`, from any thread, as they would `indexer.refresh.refresh.refresh`.
    """

    def __init__(self, settings: Settings, wake: Callable[[], None]) -> None:
        from .memory_lists import Resident
        from .watch import Watch

        self.settings = _real(settings)
        self.resident: Resident = Resident()
        self.report: RefreshReport | None = None
        self.passes = 0
        self._watch: Watch = Watch(self.settings.root, wake)
        self._seen = Seen(self.settings.root)
        self._one = threading.Lock()
        """Held by the one pass that is going on."""
        self._folders: set[str] = set()
        self._alarm = "the daemon has just started"
        self._clocks = (time.time(), time.monotonic())
        self._last = 0.0
        self._seconds = 0.0
        self._next = 0.0
        self._polled = self._ended = 0.0
        self._unsettled = True
        self._notes = self._generation = 0
        self.renamed: tuple[tuple[str, str], ...] = ()
        """What the last turn found renamed; a pass for a request tells that itself."""
        self._walked: tuple[Walk, IgnoreRules] | None = None
        self._elsewhere = False
        """Whether the index has to be made outside its folder, which cannot be written, by each
        pass anew."""
        self._readers: list[Index] = []
        self._guard = threading.Lock()
        self._encoders: dict[str | None, Encoder] = {}
        self.kept: dict[Hashable, tuple[int, Any]] = {}
        """What others keep of their answers, by name: the generation they are of, and the answer,
        None once past."""
        self.heir: Live | None = None
        """What takes its place once the index is kept in another folder."""

    # -- for requests ------------------------------------------------------------------------------

    def refresh(
        self,
        settings: Settings,
        *,
        now: float,
        progress: Progress | None = None,
        accept_deletions: bool = False,
        wait: float = 2.0,
        distrust: str | None = None,
    ) -> tuple[Index, RefreshReport]:
        """As `indexer.refresh.refresh.refresh`; where nothing happened since the last pass, that is
        all there is to do.

        The index is lent: closing it gives it back. Settings of another vault or index folder get a
        pass of their own.
        """
        asked = _real(settings)
        if (asked.root, asked.folder) != (self.settings.root, self.settings.folder):
            return refresh(
                settings,
                now=now,
                progress=progress,
                accept_deletions=accept_deletions,
                wait=wait,
                distrust=distrust,
            )
        if not self._one.acquire(
            timeout=wait if schema.current_file(asked.folder) else SECONDS_FOR_BUILD
        ):
            notice = f"many notes are being indexed; {LATE}"
            return self._borrow(), RefreshReport(fresh=False, notices=(notice,))
        try:
            self._adopt(asked)
            if distrust is not None or accept_deletions or self._is_due(request=True):
                return self._pass(
                    now, progress, accept=accept_deletions, wait=wait, distrust=distrust
                )
            try:
                index = self._borrow()
            except IndexUnavailableError:  # deleted in this moment
                return self._pass(now, progress, wait=wait)
            notices = follow(asked, index, wait)
            report = self.report
        finally:
            self._one.release()
        assert report is not None  # else a pass would have been due
        return index, report._replace(notices=report.notices + notices) if notices else report

    def adopt(self, settings: Settings) -> None:
        """Use these settings, of the same vault and index folder, from now on."""
        with self._one:
            self._adopt(_real(settings))

    def _adopt(self, settings: Settings) -> None:
        if settings != self.settings:
            self.settings = settings
            self._alarm = "the settings changed"

    def suspect(self, paths: set[str]) -> None:
        """Look at these notes' folders in the next pass, whatever the watch says: no event told of
        a change there."""
        with self._guard:
            self._folders |= {path.rpartition("/")[0] for path in paths}

    def search(
        self,
        index: Index,
        query: SearchQuery,
        encoder: Encoder | None,
        now: datetime,
        clock: Clock,
        is_example: IsExample | None = None,
    ) -> SearchResult:
        """As `search.search`, with what is kept in memory for an index that was lent here."""
        from indexer.search.search import search

        memory = self.resident if isinstance(index, Lent) else None
        return search(index, query, encoder, now, clock, memory, is_example)

    def encoder(self, model: str | None) -> Encoder:
        """The embedding model, loaded once.  ConfigError where there is none."""
        if model not in self._encoders:
            from indexer.tokens.embed import load_model

            self._encoders[model] = load_model(model)
        return self._encoders[model]

    # -- for the loop ------------------------------------------------------------------------------

    def turn(self, now: float, progress: Progress | None = None) -> bool:
        """Make a pass if one is due, or put the index in order when it has rested; whether there
        was something to do.

        IndexUnavailableError where the vault cannot be read.
        """
        self._watch.check()
        self._notice_sleep()
        with self._one:
            index = None
            self.renamed = ()
            if self._is_due(request=False):
                index, report = self._pass(now, progress)
                self.renamed = report.renamed
            if (
                index is None
                and self._unsettled
                and time.monotonic() - self._ended > SECONDS_TO_SETTLE
            ):
                self._settle(now)
                return True
        if index is not None:
            with index.db:  # so that no request has to wait for it
                self.resident.follow(index)
            index.close()
        return index is not None

    def state(self) -> LiveState:
        """State of the live index."""
        to_unix = time.time() - time.monotonic() if self._last else 0.0
        report = self.report or RefreshReport(fresh=False)
        return LiveState(
            watching="scanning" if self._watch.why else "native",
            why=self._watch.why,
            folders=len(self._seen.folders),
            unwatched=len(self._watch.unwatched),
            backlog=len(self._folders) + bool(self._alarm),
            last_scan=self._last + to_unix,
            scan_seconds=self._seconds,
            next_scan=self._next + to_unix,
            notes=self._notes,
            generation=self._generation,
            fresh=report.fresh,
            failed=len(report.failed),
            held=report.held,
            passes=self.passes,
        )

    def close(self) -> None:
        """Stop watching, close every connection that is not lent, and keep nothing in memory."""
        self._watch.close()
        with self._guard:
            readers = self._readers
            self._readers = []
            self.resident = type(self.resident)()
            self.kept = {}
        for reader in readers:
            reader.close()

    # -- when --------------------------------------------------------------------------------------

    def _gather(self) -> None:
        """Take the hints that the watch has gathered."""
        hints = self._watch.take()
        with self._guard:
            self._folders |= hints.folders
        self._alarm = hints.alarm or self._alarm

    def _is_due(self, *, request: bool) -> bool:
        """Whether a pass might find anything; before a `request` is answered, what cannot be
        watched counts too."""
        self._gather()
        since = time.monotonic() - self._polled
        if self._elsewhere:
            return request or since > PERIOD
        if self._may_miss(since, request=request):
            return True
        if self.report is None or self._has_hints():
            return True
        if schema.current_file(self.settings.folder) is None:  # anybody may delete it at any moment
            return True
        if self.report.held:
            return since > HOLD_SECONDS
        return not self.report.fresh or time.monotonic() > self._next

    def _has_hints(self) -> bool:
        return bool(self._alarm or self._folders)

    def _may_miss(self, since: float, *, request: bool) -> bool:
        """Whether there may be changes that the watch does not tell of, or not yet."""
        if self._watch.unwatched:
            return request or since > _SECONDS_BETWEEN_POLLS
        return request and not self._watch.exact

    def _notice_sleep(self) -> None:
        before = self._clocks
        self._clocks = (time.time(), time.monotonic())
        wall, steady = (now - then for now, then in zip(self._clocks, before, strict=True))
        if steady > GAP or abs(wall - steady) > GAP:
            self._alarm = "the computer slept, or its clock changed"

    # -- a pass ------------------------------------------------------------------------------------

    def _pass(
        self,
        now: float,
        progress: Progress | None,
        *,
        accept: bool = False,
        wait: float = 30.0,
        distrust: str | None = None,
    ) -> tuple[Index, RefreshReport]:
        before = self._generation
        self.passes += 1
        try:
            index, report = self._refresh(now, progress, accept, wait, distrust)
            if not self._seen.folders:  # it was built: what was walked for that is not known here
                index.close()
                index, later = self._refresh(now, None, accept, wait, None)
                report = later._replace(
                    added=report.added + later.added, notices=report.notices + later.notices
                )
        except BaseException as error:
            self._alarm = f"updating the index failed: {error}"
            self.report = None
            raise
        self._polled = self._ended = time.monotonic()
        self._elsewhere = index.path != schema.current_file(self.settings.folder)
        self._generation = index.generation
        if self._generation != before:
            self._unsettled = True
            with self._guard:
                kept = [*self.kept.items()]
                self.kept = {name: (generation, None) for name, (generation, _) in kept}
        self._notes = len(self._walked[0].found) if self._walked else 0
        standing = unfollowed(report.failed)
        if report.held:
            standing = [held_notice(report.held, empty=not self._notes), *standing]
        self.report = report._replace(
            added=0, changed=0, removed=0, moved=0, notices=tuple(standing), renamed=()
        )
        return self._lend(index), report

    def _refresh(
        self, now: float, progress: Progress | None, accept: bool, wait: float, distrust: str | None
    ) -> tuple[Index, RefreshReport]:
        return refresh(
            self.settings,
            now=now,
            progress=progress,
            accept_deletions=accept,
            wait=wait,
            distrust=distrust,
            look=self._look,
        )

    def _look(self, rules: IgnoreRules) -> Walk:
        """The files on disk; a folder that is newly watched is looked at once more, for it may have
        changed."""
        if self._walked is not None:
            self._seen.settle(self._walked[0], self._walked[1].verdicts)
        self._gather()
        with self._guard:
            folders = self._folders | self._watch.unwatched
            self._folders = set()
        whole = (
            not rules.trust
            or bool(self._alarm)
            or not self._watch.exact
            or time.monotonic() > self._next
        )
        self._alarm = ""
        began = time.thread_time()
        walk = self._seen.look(rules, None if whole else folders)
        if whole:
            self._last = time.monotonic()
            self._seconds = time.thread_time() - began
            # so that many daemons do not scan at once
            jitter = random.uniform(0.75, 1.25)  # noqa: S311
            self._next = self._last + max(PERIOD, _SECONDS_BETWEEN_SCANS * self._seconds) * jitter
        for _ in range(_MOST_ROUNDS):
            new = self._watch.ensure(self._seen.folders)
            if not new:
                break
            walk = self._seen.look(rules, new)
        else:
            self._alarm = "folders changed while they were scanned"
        self._walked = walk, rules
        return walk

    def _settle(self, now: float) -> None:
        """Store that keys prove something now; when they do, leave no more than an empty log beside
        the index."""
        self._unsettled = False
        index = self._borrow()
        racy = index.get_racy()
        if racy:
            index.close()
            self._pass(now, None)[0].close()
            return
        index.db.execute("PRAGMA shrink_memory")
        index.close()
        with suppress(BusyError), hold(self.settings.folder, WRITE, 0.0):
            schema.checkpoint(index.path)

    # -- readers -----------------------------------------------------------------------------------

    def _borrow(self) -> Index:
        """A connection for one request.  IndexUnavailableError where there is no index yet."""
        live = schema.current_file(self.settings.folder)
        while reader := self._reader():
            if reader.path == live:
                return self._lend(reader)
            reader.close()
        opened = open_index(self.settings.folder, write=False) if live else None
        if opened is None:
            raise IndexUnavailableError("the index is being built", "ask again in a moment")
        return self._lend(opened)

    def _reader(self) -> Index | None:
        with self._guard:
            return self._readers.pop() if self._readers else None

    def _lend(self, reader: Index) -> Index:
        reader.db.execute(f"PRAGMA cache_size=-{CACHE * 1024}")
        lent = Lent(reader.db, reader.folder, reader.path)
        lent.back = self._take_back
        return lent

    def _take_back(self, reader: Index) -> None:
        live = schema.current_file(self.settings.folder)
        try:
            look_as(reader.db, None)
        except apsw.Error:  # it is damaged
            live = None
        with self._guard:
            wanted = reader.path == live and len(self._readers) < MOST_READERS
            if wanted:
                self._readers.append(reader)
        if not wanted:
            reader.close()


class Lent(Index):
    """An index whose connection goes back to where it came from when it is closed."""

    back: Callable[[Index], None] | None = None

    def close(self) -> None:
        """Give the connection back; a second close does nothing."""
        back = self.back
        self.back = None
        if back is not None:
            back(Index(self.db, self.folder, self.path))


def _real(settings: Settings) -> Settings:
    return settings._replace(root=os.path.realpath(settings.root))
