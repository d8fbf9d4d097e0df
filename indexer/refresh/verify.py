"""Proof that the index equals the files: a rebuild beside a copy of the index, row for row.

The index is refreshed first, as before a search, then copied at one moment and judged at leisure,
so nobody waits.  Notes that differ are refreshed and rebuilt once more: only what still
differs, while its file stayed as it was, is a difference.  Nothing but a refresh changes the index.
"""

from __future__ import annotations

import os
import time
from collections import defaultdict
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from indexer.disk.walk import IgnoreRules, Walk, is_hidden, mark, walk
from indexer.errors import IndexUnavailableError, reason
from indexer.note import MODEL_SHA
from indexer.rows import schema
from indexer.rows.lock import BusyError, hold
from indexer.rows.rows import Index, create_index
from indexer.tokens import embed

from .compare_rows import Odd, Odds, compare_notes, compare_whole, count_rows, read_side
from .refresh import PATIENCE, model_id, refresh
from .write_notes import Commit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indexer.note import Progress, Settings

ROUNDS = 6
"""How often notes that differ are looked at, before they are called unsettled."""
PAUSE = 0.1
"""Seconds between two looks, for whoever writes them to be done."""

_FOLDER = "aurelius-verify-"
_LOCK = "lock"
_STALE = 60.0
_COUNTED = {"chunk_vec": "vectors", "token_df": "tokens"}
_REFUSED = (
    apsw.FullError,
    apsw.IOError,
    apsw.CantOpenError,
    apsw.ReadOnlyError,
    OSError,
    BusyError,
)


class Mismatch(NamedTuple):
    """One difference: the note's path ("" for the index as a whole), a part of it, what is odd."""

    path: str
    part: str
    what: str


class Verification(NamedTuple):
    """What was proved.  `repaired` are differences that a rebuild has healed since.

    `compared` counts what was looked at, `sample` the vectors that model2vec encoded again.  No
    differences are: `failed` paths, which cannot be read; `held` ones, whose deletion waits to be
    confirmed; `unsettled` ones, which changed at each look; what is `unproved`, with the reason.
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
    """What the files are now: the walk, the ignored paths, an index of some, and its writer."""

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
    return Verification(
        differences=tuple(sorted(proof.differences, key=_order)),
        compared=tuple(proof.compared.items()),
        failed=tuple(sorted(proof.failed.items())),
        held=tuple(sorted(proof.held)),
        unsettled=tuple(sorted(suspects)),
        unproved=tuple(proof.unproved),
        private=frozenset(proof.private),
        notices=tuple(proof.notices),
        seconds=time.perf_counter() - began,
    )


class _Proof:
    """Looks at the index and the files, and what they have shown so far."""

    def __init__(
        self,
        settings: Settings,
        room: str,
        now: float,
        progress: Progress | None,
    ) -> None:
        self.settings = settings
        self.room = room
        self.progress = progress
        self.began = now - time.perf_counter()
        self.differences: set[Mismatch] = set()
        self.compared: dict[str, int] = {}
        self.unproved: list[str] = []
        self.failed: dict[str, str] = {}
        self.held: set[str] = set()
        self.private: set[str] = set()
        self.notices: dict[str, None] = {}

    def look(self, before: dict[str, Any] | None) -> dict[str, Any]:
        """Compare everything, or what was suspect `before`.

        Returns the path of what is suspect now, with what its file is.
        """
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
                self._judge_whole(db, files.made.db)
            found = self._judge_notes(db, files, before, bool(report.held))
            marks = {path: _mark(files, path) for path in found}
        busy = not report.fresh and not report.held and bool(report.notices)
        if before is None or busy:
            return marks
        rested = [path for path in found if before[path] == marks[path]]
        for path in rested:
            self._tell((path, odd) for odd in found[path])
            del marks[path]
        return marks

    def _tell(self, odds: Iterable[tuple[str, Odd]]) -> None:
        self.differences.update(Mismatch(path, *odd) for path, odd in odds)

    def _file(self, name: str) -> str:
        """The path of a database in our folder, which is not there."""
        path = os.path.join(self.room, f"{name}.db")
        schema.discard(path)
        return path

    @contextmanager
    def _rebuilt(self, before: dict[str, Any] | None, now: float) -> Iterator[_Files]:
        """An index of the files alone, or of those that were suspect."""
        settings = self.settings._replace(folder=self.room)
        rules = IgnoreRules(settings.root, settings.exclude)
        on_disk = walk(settings.root, rules)
        wanted = sorted(path for path in on_disk.found if _is_asked(path, before))
        made = create_index(self.room, self._file("made"))
        with closing(made):
            with made.db, Commit(settings, private=made) as commit:
                commit.read(wanted, {}, self.progress, now)
                made.put_meta("model", model_id(settings))
                made.put_meta("daily", settings.daily_folder)
            ignored = {path for path, verdict in rules.verdicts.items() if verdict}
            yield _Files(on_disk, ignored, made, commit)

    def _judge_whole(self, db: apsw.Connection, made: apsw.Connection) -> None:
        """Tell what is wrong with the index as it stands, and with the weights of its vectors."""
        counts = count_rows(db)
        self.compared = {_COUNTED.get(name, f"{name}s"): count for name, count in counts.items()}
        self._tell(compare_whole(db, made))
        shipped = self.settings.vectors and self.settings.model is None
        if shipped and not are_weights_whole():
            what = "the shipped weights are damaged: install Aurelius again"
            self.differences.add(Mismatch("", "model", what))
        elif shipped:
            self._judge_sample(db)
        elif self.settings.vectors:
            self.unproved.append("vectors (only those of the shipped model can be checked)")

    def _judge_sample(self, db: apsw.Connection) -> None:
        from .sample_vectors import judge_sample

        try:
            self.compared["sample"], odds = judge_sample(db)
        except schema.UNSOUND as error:
            self._tell([("", Odd("chunk_vec", f"cannot be read: {error}"))])
        # whatever the libraries make of files and platforms
        except Exception as error:  # noqa: BLE001
            self.unproved.append(f"vectors (model2vec cannot be used: {error})")
        else:
            self._tell(odds)

    def _judge_notes(
        self, db: apsw.Connection, files: _Files, before: dict[str, Any] | None, held: bool
    ) -> dict[str, list[Odd]]:
        """What is odd about each note that differs, and "" for what is of no note."""
        live = read_side(db)
        made = read_side(files.made.db)
        self.private |= live.private | made.private
        failed = files.failed()
        self.failed.update(failed)
        here = dict.fromkeys([*live.numbers, *files.walk.found])  # in the order of the rows
        asked = [path for path in here if _is_asked(path, before) and not is_hidden(path, failed)]
        both = live.numbers.keys() & files.commit.put.keys()
        single = [path for path in asked if path not in both]
        odds = [*self._judge_one_sided(single, files, held), *_judge_rules(db, files)]
        found: defaultdict[str, list[Odd]] = defaultdict(list)
        for path, odd in odds:
            if _is_asked(path, before):
                found[path].append(odd)
        for path, odd in compare_notes(live, made, [path for path in asked if path in both]):
            if path:
                found[path].append(odd)
            else:
                self._tell([("", odd)])
        return found

    def _judge_one_sided(self, paths: Iterable[str], files: _Files, held: bool) -> Odds:
        """What is odd about notes that only one side holds; nothing where a deletion waits."""
        for path in paths:
            if path in files.commit.put:
                yield path, Odd("note", "is not in the index")
            elif path in files.walk.found:
                yield path, Odd("note", "kept changing while it was read")
            elif os.path.lexists(os.path.join(self.settings.root, path)):
                yield path, Odd("note", "is in the index, but should be left out")
            elif held:
                self.held.add(path)
            else:
                yield path, Odd("note", "is in the index, but not on disk")


def _is_asked(path: str, before: dict[str, Any] | None) -> bool:
    """Whether a look is about this path: the first is about all, others about suspects."""
    return before is None or path in before


def are_weights_whole() -> bool:
    """Whether the shipped weights are those that `MODEL_SHA` names, to the last byte."""
    from hashlib import sha256

    digest = sha256()
    try:
        for name in embed.SHIPPED[:3]:
            with open(os.path.join(embed.FOLDER, name), "rb") as file:
                digest.update(file.read())
    except OSError:
        return False
    return digest.hexdigest().startswith(MODEL_SHA)


def _judge_rules(db: apsw.Connection, files: _Files) -> Odds:
    """What the index says of ignored and unreadable paths, where that is not so."""
    said = {number for (number,) in db.execute("SELECT mark FROM verdict WHERE ignored IS NOT 0")}
    true = {mark(path): path for path in files.ignored}
    for number in true.keys() - said:
        yield true[number], Odd("verdict", "is missing, though a rule ignores this path")
    extra = len(said - true.keys())
    if extra:
        if extra == 1:
            paths = "path"
        else:
            paths = "paths"
        yield "", Odd("verdict", f"is there for {extra} {paths} that no rule ignores")
    failed = files.failed()
    for (path,) in db.execute("SELECT path FROM failed"):
        if path not in failed and not is_hidden(path, failed):
            yield path, Odd("failed", "is recorded as unreadable, but is not")


def _mark(files: _Files, path: str) -> Any:
    """What a path's file is, which changes when it does."""
    row = files.made.db.execute("SELECT sha256 FROM note WHERE path = ?", (path,)).get
    key = files.commit.put.get(path, files.walk.found.get(path))
    return key, row, path in files.commit.unstable


def _order(each: Mismatch) -> tuple[str, str, int, str]:
    word, _, number = each.part.partition(" ")
    return each.path, word, int(number) if number.isdecimal() else -1, each.what


@contextmanager
def _room(settings: Settings) -> Iterator[str]:
    """A folder for two databases, gone afterwards; what a killed process left of such goes too."""
    from tempfile import TemporaryDirectory, gettempdir

    try:
        top = os.path.realpath(gettempdir())
        for kept in (settings.root, settings.folder):
            if kept and os.path.join(top, "").startswith(os.path.join(os.path.realpath(kept), "")):
                raise OSError(0, f"{top} is inside {kept}")
        _sweep(top)
        with (
            TemporaryDirectory(prefix=_FOLDER, dir=top, ignore_cleanup_errors=True) as folder,
            hold(folder, _LOCK, 0.0),
        ):
            yield folder
    except _REFUSED as error:
        if isinstance(error, OSError):
            why = reason(error)
        else:
            why = str(error)
        raise IndexUnavailableError(
            f"cannot verify the index: no temporary folder can be used: {why}",
            "set TMPDIR to a folder that can be written and has room for two copies of the index",
        ) from error


def _sweep(top: str) -> None:
    """Remove folders of a verification that was killed; nobody holds their lock."""
    import shutil

    with os.scandir(top) as entries:
        ours = [entry for entry in entries if entry.name.startswith(_FOLDER)]
    for entry in ours:
        try:
            found = entry.stat(follow_symlinks=False)
            mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
            folder = entry.is_dir(follow_symlinks=False)
            if folder and mine and time.time() - found.st_mtime > _STALE:
                with hold(entry.path, _LOCK, 0.0):
                    pass
                shutil.rmtree(entry.path, ignore_errors=True)
        except (OSError, BusyError):
            continue
