"""The writing half of a refresh: whole notes, in batches, each committed under the lock."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

import apsw
import filelock

from . import schema
from .chunk import chunks
from .index import Entry, Index, open_index
from .note import Chunk
from .parse import parse
from .prose import embed_text
from .query import grams
from .source import Source, hash_of, read
from .walk import Walk, is_racy, reason

if TYPE_CHECKING:
    from .embed import Encoder
    from .refresh import Progress, Settings

BATCH_NOTES, BATCH_SECONDS = 256, 0.25


class Busy(Exception):
    """The index cannot be written now: another process holds the lock, or the folder refuses."""


class Commit:
    """A writer on the live index of `settings`, or on `index`, which nobody else knows yet.

    The lock is held per batch, not per writer, so that writers take turns.
    """

    def __init__(self, settings: Settings, *, wait: float, index: Index | None = None) -> None:
        self.settings = settings
        self.wait = wait
        self.own = index is None
        self.put_paths: set[str] = set()
        self.unstable: set[str] = set()
        self._failed: dict[str, str] = {}
        self._opened = index
        self._lock = filelock.FileLock(os.path.join(settings.folder, schema.LOCK)) if self.own else None
        self._encoder: Encoder | None = None
        self._ids: dict[bytes, Sequence[int]] = {}

    def __enter__(self) -> Commit:
        if self.own:
            with self._locked():
                try:
                    self._opened = open_index(self.settings.folder, write=True)
                except (apsw.CantOpenError, apsw.ReadOnlyError) as error:
                    raise Busy(f"The index cannot be written ({error}): answering from what it holds.") from error
            if self._opened is None:
                raise Busy("The index is being replaced: answering from what it held.")
        if self.settings.vectors:
            from .embed import load

            self._encoder = load(self.settings.model)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.own:
            self.index.close()

    @property
    def index(self) -> Index:
        """The index being written."""
        assert self._opened is not None  # __enter__ opened it
        return self._opened

    @property
    def put_count(self) -> int:
        """How many notes were put."""
        return len(self.put_paths)

    @property
    def failed(self) -> tuple[tuple[str, str], ...]:
        """Path and reason of every note that is failed now."""
        return tuple(sorted(self.index.get_failed().items()))

    def read(self, paths: Sequence[str], progress: Progress | None, now: float) -> None:
        """Read, parse, chunk and put notes, a batch at a time."""
        sizes = {path: key[0] for path, key in self.index.get_keys().items()}
        batch: list[Entry] = []
        since = time.perf_counter()
        for done, path in enumerate(paths, 1):
            source = self._source(path, was_empty=not sizes.get(path))
            if source is not None:
                batch.append(self._entry(path, source, now))
            if len(batch) >= BATCH_NOTES or time.perf_counter() - since > BATCH_SECONDS:
                self._put(batch)
                batch, since = [], time.perf_counter()
            if progress is not None:
                progress(done, len(paths))
        self._put(batch)

    def move(self, new: Sequence[str], gone: Sequence[str]) -> set[str]:
        """Give notes that only moved their new path; the old paths of those."""
        if not (new and gone):
            return set()
        rows = self.index.db.execute("SELECT sha256, path FROM note WHERE size > 0")
        by_hash = {digest: path for digest, path in rows if path in set(gone)}
        moved = set()
        with self._batch():
            for path in new:
                old = by_hash.pop(hash_of(self.settings.root, path), None)
                if old is not None:
                    self.index.move(old, path)
                    moved.add(old)
        return moved

    def remove(self, paths: Sequence[str]) -> int:
        """Delete notes from the index, in batches; how many chunks went."""
        gone = 0
        for at in range(0, len(paths), BATCH_NOTES):
            with self._batch():
                gone += self.index.delete(paths[at : at + BATCH_NOTES], self._tokens)
            self._ids.clear()
        return gone

    def touch(self, paths: Iterable[str], on_disk: Walk, now: float) -> None:
        """Store that these notes' keys prove something now."""
        rows = [(path, on_disk.found[path], is_racy(on_disk.found[path], int(now * 1e9))) for path in paths]
        if rows:
            with self._batch():
                self.index.put_keys(rows)

    def carry(self, old: Index) -> None:
        """Keep the old index's rows of notes that cannot be read now."""
        with self._batch():
            for path in self._failed:
                self.index.carry(old, path, self._tokens)
        self._ids.clear()

    def hold(self, since: float) -> None:
        """Remember when the deletions that wait were first seen."""
        with self._batch():
            if self.index.get_meta("held_since") is None:
                self.index.put_meta("held_since", str(since))

    def finish(self, verdicts: dict[str, bool], rules: str, on_disk: Walk, *, model: str, held: bool) -> None:
        """Store what the next pass compares with: failures, ignore verdicts, settings."""
        gone = {path for path in self.index.get_failed() if path in self.put_paths or path not in on_disk.found}
        stored = {path: why for path, why in self.index.get_failed().items() if path not in gone}
        with self._batch():
            self.index.put_failed({**stored, **self._failed, **on_disk.failed})
            self.index.put_verdicts(verdicts)
            self.index.put_meta("rules", rules)
            self.index.put_meta("model", model)
            self.index.put_meta("daily", self.settings.daily_folder)
            if not held:
                self.index.delete_meta("held_since")

    def purge(self) -> None:
        """Leave no byte of deleted notes in the index folder."""
        with self._locked():
            self.index.purge()
            schema.sweep(self.settings.folder, os.path.basename(self.index.path), corrupt=True)

    def _source(self, path: str, *, was_empty: bool) -> Source | None:
        try:
            source = read(self.settings.root, path, was_empty=was_empty)
        except FileNotFoundError:
            source = None
        except OSError as error:
            self._failed[path] = reason(error)
            return None
        if source is None:
            self.unstable.add(path)
        return source

    def _entry(self, path: str, source: Source, now: float) -> Entry:
        note = parse(path, source.data, daily_folder=self.settings.daily_folder)
        return Entry(note, chunks(note), source.key, is_racy(source.key, int(now * 1e9)), source.sha256)

    def _put(self, batch: Sequence[Entry]) -> None:
        """Commit a batch; where one note cannot be put, the others are, and that one is failed."""
        try:
            with self._batch():
                self.index.put(batch, self._vectors if self._encoder else None, self._tokens, grams)
        except (UnicodeEncodeError, apsw.TooBigError) as error:
            if len(batch) > 1:
                for entry in batch:
                    self._put([entry])
            else:
                self._failed[batch[0].note.path] = f"it cannot be stored: {error}"
            return
        finally:
            self._ids.clear()
        self.put_paths.update(entry.note.path for entry in batch)

    def _tokens(self, chunk: Chunk) -> Sequence[int]:
        if self._encoder is None:
            return ()
        if not chunk.hash:  # a row on its way out
            return self._encoder.ids(embed_text(chunk.context, chunk.text))
        if chunk.hash not in self._ids:
            self._ids[chunk.hash] = self._encoder.ids(embed_text(chunk.context, chunk.text))
        return self._ids[chunk.hash]

    def _vectors(self, fresh: Sequence[Chunk]) -> list[bytes]:
        assert self._encoder is not None  # only passed where there is one
        ids = [self._tokens(chunk) for chunk in fresh]
        if len(ids) < 4:  # numpy costs more to import than this
            return [self._encoder.vector(one) for one in ids]
        return self._encoder.vectors(ids)

    @contextmanager
    def _batch(self) -> Iterator[None]:
        with self._locked(), self.index.db:
            yield
            self.index.advance()

    @contextmanager
    def _locked(self) -> Iterator[None]:
        if self._lock is None:
            yield
            return
        try:
            self._lock.acquire(timeout=self.wait)
        except filelock.Timeout as error:
            raise Busy("Another process is writing the index: answering from what it holds.") from error
        except OSError as error:
            raise Busy(f"The index cannot be locked ({reason(error)}): answering from what it holds.") from error
        try:
            yield
        finally:
            self._lock.release()
