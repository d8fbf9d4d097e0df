"""Rows of changed notes, read and written in a refresh: whole notes, in batches, each committed
under the lock."""

from __future__ import annotations

import os
import stat
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import apsw

from indexer.disk.read_file import FileBytes, read_whole
from indexer.disk.walk import ChangeKey, Walk, change_key, is_racy, kept_verdicts, walk_digest
from indexer.errors import error_reason
from indexer.note import Chunk
from indexer.reading.chunk import chunks
from indexer.reading.parse import parse
from indexer.rows import schema
from indexer.rows.lock import WRITE, BusyError, UnwritableError, hold
from indexer.rows.rows import Index, ReadNote, open_index
from indexer.tokens.embed import FEW_TOKENS, embed_text
from indexer.tokens.terms import grams

if TYPE_CHECKING:
    from indexer.note import Progress, Settings
    from indexer.tokens.embed import Encoder


BATCH_NOTES = 256
BATCH_SECONDS = 0.25


class Commit:
    """A writer on the live index at `live`, or on `private`, which nobody else knows yet.

    The lock of a live index is held per batch, not per writer, so that writers take turns; under it
    every file is looked at once more, so that no older view of it overwrites a newer one.
    BusyError where another process holds the lock for longer than `wait` seconds, or another index
    took the place of this one; UnwritableError where the file system refuses.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        wait: float = 0.0,
        live: str | None = None,
        private: Index | None = None,
    ) -> None:
        self.settings = settings
        self.wait = wait
        self.live = live
        self.put: dict[str, ChangeKey] = {}
        """Path → key of every note put."""
        self.unstable: set[str] = set()
        """Paths that changed while they were looked at."""
        self.failed: dict[str, str] = {}
        self._opened = private
        self._encoder: Encoder | None = None
        self._ids: dict[bytes, Sequence[int]] = {}

    def __enter__(self) -> Self:
        if self.settings.vectors:
            from indexer.tokens.embed import load_model

            self._encoder = load_model(self.settings.model)
        if self.live is not None:
            with self._locked():
                self._opened = self._open(self.live)
        return self

    def _open(self, live: str) -> Index:
        try:
            index = open_index(self.settings.folder, write=True)
        except (apsw.CantOpenError, apsw.ReadOnlyError) as error:
            if os.access(live, os.W_OK) and os.access(self.settings.folder, os.W_OK):
                raise apsw.CorruptError(str(error)) from error
            raise UnwritableError(str(error)) from error
        if index is None:
            raise apsw.NotADBError("another version of Aurelius made it")
        return index

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.live is not None and self._opened is not None:
            self._opened.close()

    @property
    def index(self) -> Index:
        """The index being written."""
        assert self._opened is not None  # __enter__ opened it
        return self._opened

    def read(
        self,
        paths: Sequence[str],
        known: Mapping[str, ChangeKey],
        progress: Progress | None,
        now: float,
    ) -> None:
        """Read, parse, chunk and put notes, a batch at a time; `known` are the keys that the index
        holds."""
        batch: list[ReadNote] = []
        since = time.perf_counter()
        for done, path in enumerate(paths, 1):
            was_empty = path not in known or not known[path][0]
            source = self._source(path, was_empty=was_empty)
            entry = source and self._entry(path, source, now)
            if entry is not None:
                batch.append(entry)
            late = self.live is not None and time.perf_counter() - since > BATCH_SECONDS
            if len(batch) >= BATCH_NOTES or late:
                self._put(batch)
                batch = []
                since = time.perf_counter()
            if progress is not None:
                progress(done, len(paths))
        self._put(batch)

    def move(self, moves: Mapping[str, str]) -> None:
        """Give notes that only moved, new path → old path, their new one."""
        if moves:
            with self._batch():
                for new, old in moves.items():
                    self.index.move(old, new)

    def remove(self, paths: Sequence[str], *, hidden: bool = False) -> int:
        """Delete notes that are no longer on disk, or `hidden` by a rule, in batches; how many
        chunks went.

        What is hidden leaves no byte behind once `purge` was called.
        """
        gone = 0
        for at in range(0, len(paths), BATCH_NOTES):
            with self._batch():
                batch = [
                    path for path in paths[at : at + BATCH_NOTES] if hidden or self._is_gone(path)
                ]
                gone += self.index.delete(batch)
                if hidden:
                    self.index.clear_log()  # it may speak of them
                    self.index.put_meta("purge", "rows")
            self._ids.clear()
        return gone

    def touch(self, paths: Iterable[str], on_disk: Walk, now: float) -> None:
        """Store that these notes' keys prove something now."""
        rows = [
            (path, on_disk.found[path], is_racy(on_disk.found[path], int(now * 1e9)))
            for path in paths
        ]
        if rows:
            with self._batch():
                self.index.put_keys(rows)

    def finish(
        self,
        failed: Mapping[str, str],
        verdicts: dict[str, bool],
        on_disk: Walk,
        meta: Mapping[str, Any],
    ) -> None:
        """Store what the next pass compares with: failures, ignore verdicts, settings, the walk."""
        found = {path: self.put.get(path, key) for path, key in on_disk.found.items()}
        with self._batch():
            self.index.put_failed({**failed, **self.failed})
            self.index.put_verdicts(kept_verdicts(verdicts))
            if self.index.get_meta("rules") not in {None, meta["rules"]} and self.index.clear_log():
                self.index.put_meta("purge", "rows")
            mark = None if self.unstable else walk_digest(found)
            for key, value in {**meta, "walk": mark}.items():
                self.index.put_meta(key, value)

    def purge(self) -> bool:
        """Remove every byte of hidden notes from the index folder, while the caller holds `BUILD`.

        False where a reader elsewhere keeps them for now.
        """
        with self._locked():
            schema.sweep_folder(self.settings.folder, aside=True)
            return self.index.purge()

    def _source(self, path: str, *, was_empty: bool) -> FileBytes | None:
        source = None
        try:
            source = read_whole(self.settings.root, path, was_empty=was_empty)
        except FileNotFoundError:
            pass
        except OSError as error:
            self.failed[path] = error_reason(error)
            return None
        if source is None:
            self.unstable.add(path)
        return source

    def _entry(self, path: str, source: FileBytes, now: float) -> ReadNote | None:
        """A note ready to be put; None, and failed, where it defeats the parser or holds what no
        database can."""
        try:
            note = parse(
                path,
                source.data,
                daily_folder=self.settings.daily_folder,
                kinds=self.settings.kinds,
            )
            entry = ReadNote(
                note, chunks(note), source.key, is_racy(source.key, int(now * 1e9)), source.sha256
            )
            _check_text(entry)
        except Exception as error:  # noqa: BLE001  # one note never stops the others
            self.failed[path] = f"it cannot be read as a note ({type(error).__name__}: {error})"
            return None
        return entry

    def _put(self, batch: Sequence[ReadNote]) -> None:
        try:
            with self._batch():
                here = [entry for entry in batch if self._is_still(entry)]
                self.index.put(here, self._vectors if self._encoder else None, self._tokens, grams)
        finally:
            self._ids.clear()
        self.put.update((entry.note.path, entry.key) for entry in here)

    def _is_still(self, entry: ReadNote) -> bool:
        """Whether a file is what it was when it was read, before an older view of it overwrites a
        newer one."""
        if self.live is None:
            return True
        path = entry.note.path
        try:
            if change_key(os.lstat(os.path.join(self.settings.root, path))) == entry.key:
                return True
        except OSError:
            pass
        self.unstable.add(path)
        return False

    def _is_gone(self, path: str) -> bool:
        """Whether there is no such file now: only the disk says what is deleted, never an earlier
        look at it.

        In a vault that was moved away in this moment nothing is deleted.
        """
        file = os.path.join(self.settings.root, path)
        try:
            if not stat.S_ISREG(os.lstat(file).st_mode):
                return True
        except (FileNotFoundError, NotADirectoryError):
            if os.path.isdir(self.settings.root) and not os.path.lexists(file):
                return True
        except OSError:
            pass
        self.unstable.add(path)
        return False

    def _tokens(self, chunk: Chunk) -> Sequence[int]:
        if self._encoder is None:
            return ()
        if chunk.hash not in self._ids:
            self._ids[chunk.hash] = self._encoder.ids(embed_text(chunk.context, chunk.text))
        return self._ids[chunk.hash]

    def _vectors(self, fresh: Sequence[Chunk]) -> list[bytes]:
        assert self._encoder is not None  # only passed where there is one
        ids = [self._tokens(chunk) for chunk in fresh]
        few = len(ids) < 4 and sum(map(len, ids)) < FEW_TOKENS
        if few and "numpy" not in sys.modules:  # it costs more to import than this
            return [self._encoder.vector(one) for one in ids]
        return self._encoder.vectors(ids)

    @contextmanager
    def _batch(self) -> Iterator[None]:
        """One transaction; a build is one as a whole."""
        if self.live is None:
            yield
            return
        try:
            with self._locked(), self.index.db:
                self.index.put_meta("walk", None)
                yield
                self.index.advance()
        except schema.REFUSED as error:
            raise UnwritableError(str(error)) from error

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with hold(self.settings.folder, WRITE, self.wait):
            if schema.current_file(self.settings.folder) != self.live:
                raise BusyError("another process has just replaced the index")
            yield


def _check_text(entry: ReadNote) -> None:
    """UnicodeEncodeError where a note holds half a surrogate pair, which YAML can spell and no
    UTF-8 can."""
    note = entry.note
    texts = [note.title, note.date, note.updated, *(tag.name for tag in note.tags)]
    for chunk in entry.chunks:
        texts += (chunk.context, chunk.text, chunk.tags)
    "".join(filter(None, texts)).encode("utf-8")
