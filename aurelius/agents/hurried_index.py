"""The index as a hook uses it where no daemon keeps one: as it is, compared with the files for a
moment, and never built."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from indexer.errors import IndexUnavailableError

if TYPE_CHECKING:
    from datetime import datetime

    from indexer.disk.walk import IgnoreRules, Walk
    from indexer.note import Settings
    from indexer.refresh.refresh import RefreshReport
    from indexer.rows.rows import Index
    from indexer.search.hit import SearchResult
    from indexer.search.leading import IsExample
    from indexer.search.query import SearchQuery
    from indexer.tokens.embed import Encoder
    from indexer.usage.tier import Clock

LOOK = 0.05
"""Seconds that a look at the files may take: a disk may be slow, or hang."""

FEW = 24
"""How many notes that differ from the index are read at once: what a session wrote, not what a
checkout did."""


class NoIndexYetError(IndexUnavailableError):
    """There is no index of the vault, or one that was made with other settings."""


class Hurried:
    """The index as it is, in the place of one that a daemon keeps: compared with the files for a
    moment, never built.

    Where that moment is too short, or more than a few notes differ, the report is not fresh; it
    never is where nobody `looks`.
    """

    def __init__(self, *, looks: bool = True) -> None:
        self.looks = looks

    def refresh(
        self,
        settings: Settings,
        *,
        now: float,
        progress: object = None,
        accept_deletions: bool = False,
        distrust: str | None = None,
    ) -> tuple[Index, RefreshReport]:
        """As `indexer.refresh.refresh.refresh`. NoIndexYetError."""
        from indexer.refresh.difference import compare
        from indexer.refresh.refresh import RefreshReport, refresh

        del progress, accept_deletions
        index = _opened(settings, distrust)
        if not self.looks:
            return index, RefreshReport(fresh=False)
        try:
            found = compare(settings, index, now, _looked)
            held = found.held(now, accept=False)
            differing = (found.new, found.changed, found.gone, found.hidden, found.touched)
            few = sum(map(len, differing)) <= FEW
            if not found.is_work(held):
                return index, RefreshReport(fresh=not held)
        except TimeoutError:
            few = False
        if not few:
            return index, RefreshReport(fresh=False)
        index.close()
        return refresh(settings, now=now, wait=0.0)

    def search(
        self,
        index: Index,
        query: SearchQuery,
        encoder: Encoder | None,
        now: datetime,
        clock: Clock,
        is_example: IsExample | None = None,
    ) -> SearchResult:
        """What the index has for a query, searched in this process."""
        from indexer.search.search import search

        return search(index, query, encoder, now, clock, is_example=is_example)

    def encoder(self, model: str | None) -> Encoder:
        """The embedding model.  ConfigError where there is none."""
        from indexer.tokens.embed import load_model

        return load_model(model)

    def suspect(self, paths: set[str]) -> None:
        """A pass looks at every folder anyway."""


def _opened(settings: Settings, distrust: str | None) -> Index:
    """The index that is there, made with these settings. NoIndexYetError where there is none."""
    from indexer.refresh.refresh import model_id, reading_id
    from indexer.rows.rows import open_index

    if settings.folder and distrust is None:
        index = open_index(settings.folder, write=False)
    else:
        index = None
    if index is not None:
        index.map_file()
        meta = index.get_all_meta()
        if (meta.get("model"), meta.get("daily")) == (model_id(settings), reading_id(settings)):
            return index
        index.close()
    raise NoIndexYetError("there is no index yet", "make it: `aurelius index`")


def _looked(rules: IgnoreRules) -> Walk:
    """What is on disk. TimeoutError where that is not known within LOOK seconds: a disk may be
    slow, or hang."""
    import _thread

    from indexer.disk.beneath import Descent
    from indexer.disk.walk import Walk, list_folder

    found = Walk({}, {}, {})
    done = _thread.allocate_lock()
    done.acquire()
    until = time.monotonic() + LOOK

    def walk() -> None:
        pending = [""]
        try:
            with Descent(rules.root) as descent:
                while pending and time.monotonic() < until:
                    pending += list_folder(descent, pending.pop(), rules, found)
        except Exception:  # noqa: BLE001 as if it hung
            return
        if not pending:
            done.release()

    _thread.start_new_thread(walk, ())
    if not done.acquire(timeout=LOOK):
        raise TimeoutError
    return found
