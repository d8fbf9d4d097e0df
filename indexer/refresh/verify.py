"""Proof that the index equals the files: an independent rebuild beside a copy of the index, row for row.

The index is refreshed first, as before a search, then copied at one moment and judged at leisure, so
nobody waits.  Notes that differ are refreshed and rebuilt once more: only what still differs, while
its file stayed as it was, is a difference.  Nothing but a refresh changes the index.
"""

from __future__ import annotations

import os
import time
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from indexer.disk.walk import IgnoreRules, Walk, is_hidden, mark, walk
from indexer.errors import IndexUnavailableError, reason
from indexer.rows import schema
from indexer.rows.lock import BusyError, hold
from indexer.rows.rows import Index, create_index

from . import compare_rows
from .compare_rows import Odd, Side
from .refresh import PATIENCE, model_id, refresh
from .write_notes import Commit

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indexer.note import Progress, Settings

    from .refresh import RefreshReport

ROUNDS = 6
"""How often notes that differ are looked at, before they are called unsettled."""
PAUSE = 0.1
"""Seconds between two looks, for whoever writes them to be done."""

_FOLDER, _LOCK = "aurelius-verify-", "lock"
_STALE = 60.0
_COUNTED = {"chunk_vec": "vectors", "token_df": "tokens"}
_REFUSED = (apsw.FullError, apsw.IOError, apsw.CantOpenError, apsw.ReadOnlyError, OSError, BusyError)


class Mismatch(NamedTuple):
    """One difference: the note's path ("" for the index as a whole), the part of it, what is odd about that."""

    path: str
    part: str
    what: str


class Verification(NamedTuple):
    """What was proved.  `repaired` are differences that a rebuild has healed since.

    `compared` counts what was looked at, `sample` the vectors that model2vec encoded again.  No
    differences are: `failed` paths, which cannot be read; `held` ones, whose deletion waits to be
    confirmed; `unsettled` ones, which changed at every look; what is `unproved`, with the reason.
    `private` are the paths of notes that say so, and `notices` those of the refreshes.
    """

    differences: tuple[Mismatch, ...] = ()
    repaired: tuple[Mismatch, ...] = ()
    compared: tuple[tuple[str, int], ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    held: tuple[str, ...] = ()
    unsettled: tuple[str, ...] = ()
    unproved: tuple[str, ...] = ()
    private: frozenset[str] = frozenset()
    notices: tuple[str, ...] = ()
    seconds: float = 0.0


class _Files(NamedTuple):
    """What the files are now: the walk, the ignored paths, and an index made of some of them, with its writer."""

    walk: Walk
    ignored: set[str]
    made: Index
    commit: Commit

    def failed(self) -> dict[str, str]:
        return {**self.walk.failed, **self.commit.failed}


def verify(settings: Settings, *, now: float, progress: Progress | None = None) -> Verification:
    """Compare the index with the files.  `now` is the real time in unix seconds.

    IndexUnavailableError where the vault cannot be read, or there is no room in the system's
    temporary folder; ConfigError for a model that cannot be loaded.
    """
    began = time.perf_counter()
    with _room(settings) as room:
        proof = _Proof(settings, room, now, progress)
        suspects = proof.look(None)
        for again in range(1, ROUNDS):
            if not suspects:
                break
            time.sleep(PAUSE if again > 1 else 0.0)
            suspects = proof.look(suspects)
    return proof.done(suspects)._replace(seconds=time.perf_counter() - began)


class _Proof:
    """Looks at the index and the files, and what they have shown so far."""

    def __init__(self, settings: Settings, room: str, now: float, progress: Progress | None) -> None:
        self.settings, self.room, self.progress = settings, room, progress
        self.began = now - time.perf_counter()
        self.differences: set[Mismatch] = set()
        self.compared: dict[str, int] = {}
        self.failed: dict[str, str] = {}
        self.held: set[str] = set()
        self.unproved: list[str] = []
        self.private: set[str] = set()
        self.notices: dict[str, None] = {}

    def done(self, unsettled: dict[str, Any]) -> Verification:
        """What the looks have shown; `unsettled` are suspects of the last."""
        return Verification(
            differences=tuple(sorted(self.differences, key=_order)), compared=tuple(self.compared.items()),
            failed=tuple(sorted(self.failed.items())), held=tuple(sorted(self.held)),
            unsettled=tuple(sorted(unsettled)), unproved=tuple(self.unproved), private=frozenset(self.private),
            notices=tuple(self.notices),
        )  # fmt: skip

    def look(self, before: dict[str, Any] | None) -> dict[str, Any]:
        """Compare everything, or what was suspect `before`; path → what its file is, of what is suspect now."""
        now = self.began + time.perf_counter()
        index, report = refresh(self.settings, now=now, progress=self.progress, wait=PATIENCE)
        self.notices.update(dict.fromkeys(report.notices))
        with closing(index):
            try:
                db = schema.copy(index.db, self._file("live"))
            except schema.UNSOUND as error:
                self.differences.add(Mismatch("", "pages", str(error)))
                return {}
        with closing(db), self._rebuilt(before, now) as files:
            if before is None:
                self._judge_whole(db, files)
            found = self._judge_notes(db, files, report, before)
            marks = {path: self._mark(files, path) for path in found}
        busy = not report.fresh and not report.held and bool(report.notices)
        for path, odds in found.items():
            if before is not None and before[path] == marks[path] and not busy:
                self.differences.update(Mismatch(path, *odd) for odd in odds)
                del marks[path]
        return marks

    def _file(self, name: str) -> str:
        """The path of a database in our folder, which is not there."""
        path = os.path.join(self.room, f"{name}.db")
        schema.discard(path)
        return path

    @contextmanager
    def _rebuilt(self, before: dict[str, Any] | None, now: float) -> Iterator[_Files]:
        """An index of the files alone, or of those that were suspect."""
        settings = self.settings._replace(folder=self.room)
        rules = IgnoreRules(settings.root, settings.exclude, {})
        on_disk = walk(settings.root, rules)
        wanted = sorted(path for path in on_disk.found if before is None or path in before)
        made = create_index(self.room, self._file("made"))
        with closing(made):
            with made.db, Commit(settings, private=made) as commit:
                commit.read(wanted, {}, self.progress, now)
                made.put_meta("model", model_id(settings))
                made.put_meta("daily", settings.daily_folder)
            ignored = {path for path, verdict in rules.verdicts.items() if verdict}
            yield _Files(on_disk, ignored, made, commit)

    def _judge_whole(self, db: apsw.Connection, files: _Files) -> None:
        self.compared = {_COUNTED.get(table, f"{table}s"): count for table, count in compare_rows.counts(db).items()}
        found = compare_rows.of_whole(db, files.made.db)
        found += [("", odd) for odd in compare_rows.readable(db, files.made.db)[1]]
        if self.settings.vectors:
            found += self._judge_sample(db)
        self.differences.update(Mismatch(path, *odd) for path, odd in found)

    def _judge_sample(self, db: apsw.Connection) -> list[tuple[str, Odd]]:
        from . import compare_rows

        self.compared["sample"] = 0
        if self.settings.model is not None:
            self.unproved.append("vectors (only those of the shipped model can be checked)")
            return []
        try:
            count, wrong, why = compare_rows.sample(db)
        except schema.UNSOUND as error:
            return [("", Odd("chunk_vec", f"cannot be read: {error}"))]
        self.compared["sample"] = count
        self.unproved += [why] if why else []
        found = [
            (path, Odd(f"chunk {at}", f"its vector differs from model2vec's (cosine {cos:.4f})"))
            for path, at, cos in wrong
        ]
        if not compare_rows.shipped_are_whole():
            found.append(("", Odd("model", "the shipped weights are damaged: install Aurelius again")))
        return found

    def _judge_notes(
        self, db: apsw.Connection, files: _Files, report: RefreshReport, before: dict[str, Any] | None
    ) -> dict[str, list[Odd]]:
        """What is odd about each note that differs."""
        live, made = Side(db, compare_rows.numbers(db)), Side(files.made.db, compare_rows.numbers(files.made.db))
        self.private |= compare_rows.private(db) | compare_rows.private(made.db)
        failed = files.failed()
        self.failed.update(failed)
        tables = compare_rows.readable(db, made.db)[0]
        asked = [*live.numbers, *(files.walk.found.keys() - live.numbers.keys())]  # in the order of the rows
        found: dict[str, list[Odd]] = {}
        shared = []
        for path in asked if before is None else before.keys() & set(asked):
            if is_hidden(path, failed):
                continue
            if path in live.numbers and path in files.commit.put:
                shared.append(path)
                found[path] = compare_rows.of_note(live, made, path, tables)
            else:
                found[path] = self._one_sided(path, files, report)
        odd_paths, whole = compare_rows.of_words(live, made, shared)
        self.differences.update(Mismatch("", *odd) for odd in whole)
        for path in odd_paths:
            found[path].append(Odd("words", "differ"))
        for table, what in (("chunk_fts", "chunks"), ("name_fts", "names")):
            odd_paths, _ = compare_rows.of_words(live, made, shared, table)  # its other oddities are told by FTS5
            for path in odd_paths:
                found[path] = found[path] or [Odd("words", f"of its {what} differ")]
        for path, odd in self._judge_rules(db, files, failed):
            if before is None or path in before:
                found.setdefault(path, []).append(odd)
        return {path: odds for path, odds in found.items() if odds}

    def _one_sided(self, path: str, files: _Files, report: RefreshReport) -> list[Odd]:
        """What is odd about a note that only one side holds; nothing where its deletion waits."""
        if path in files.commit.put:
            return [Odd("note", "is not in the index")]
        if path in files.walk.found:
            return [Odd("note", "kept changing while it was read")]
        if os.path.lexists(os.path.join(self.settings.root, path)):
            return [Odd("note", "is in the index, but should be left out")]
        if report.held:
            self.held.add(path)
            return []
        return [Odd("note", "is in the index, but not on disk")]

    def _judge_rules(self, db: apsw.Connection, files: _Files, failed: dict[str, str]) -> Iterator[tuple[str, Odd]]:
        """What the index says of ignored and unreadable paths, where that is not so."""
        said = {number for (number,) in db.execute("SELECT mark FROM verdict WHERE ignored IS NOT 0")}
        true = {mark(path): path for path in files.ignored}
        yield from (
            (true[number], Odd("verdict", "is missing, though a rule ignores this path"))
            for number in true.keys() - said
        )
        extra = len(said - true.keys())
        if extra:
            yield "", Odd("verdict", f"is there for {extra} {'path' if extra == 1 else 'paths'} that no rule ignores")
        for (path,) in db.execute("SELECT path FROM failed"):
            if path not in failed and not is_hidden(path, failed):
                yield path, Odd("failed", "is recorded as unreadable, but is not")

    def _mark(self, files: _Files, path: str) -> Any:
        """What a path's file is, which changes when it does."""
        row = files.made.db.execute("SELECT sha256 FROM note WHERE path = ?", (path,)).get
        return files.commit.put.get(path, files.walk.found.get(path)), row, path in files.commit.unstable


def _order(each: Mismatch) -> tuple[str, str, int, str]:
    word, _, number = each.part.partition(" ")
    return each.path, word, int(number) if number.isdecimal() else -1, each.what


@contextmanager
def _room(settings: Settings) -> Iterator[str]:
    """A folder for two databases that is gone afterwards; what a killed process left of such goes too."""
    import shutil
    import tempfile

    folder = ""
    try:
        top = os.path.realpath(tempfile.gettempdir())
        for kept in (settings.root, settings.folder):
            if kept and os.path.join(top, "").startswith(os.path.join(os.path.realpath(kept), "")):
                raise OSError(0, f"{top} is inside {kept}")
        _sweep(top)
        folder = tempfile.mkdtemp(prefix=_FOLDER, dir=top)
        with hold(folder, _LOCK, 0.0):
            yield folder
    except _REFUSED as error:
        why = reason(error) if isinstance(error, OSError) else str(error)
        raise IndexUnavailableError(
            f"cannot verify the index: no temporary folder can be used: {why}",
            "set TMPDIR to a folder that can be written and has room for two copies of the index",
        ) from error
    finally:
        if folder:
            shutil.rmtree(folder, ignore_errors=True)


def _sweep(top: str) -> None:
    """Remove folders that a verification left behind because it was killed; nobody holds their lock."""
    import shutil

    with os.scandir(top) as entries:
        ours = [entry for entry in entries if entry.name.startswith(_FOLDER) and entry.is_dir(follow_symlinks=False)]
    for entry in ours:
        try:
            found = entry.stat(follow_symlinks=False)
            mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
            if mine and time.time() - found.st_mtime > _STALE:
                with hold(entry.path, _LOCK, 0.0):
                    pass
                shutil.rmtree(entry.path, ignore_errors=True)
        except (OSError, BusyError):
            continue
