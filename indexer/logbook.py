"""The usage log on disk, and what the index knows of it: only what is new is read (design §3.2).

A file that only grew, by events none of which is older than those before, is added to; else all files
of its device are read again.  Either way the rows are those that a rebuild would make.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from .index import Index, Key, open_index
from .lock import WRITE, BusyError, hold
from .logline import MARKS, Lines, home_of, read_lines
from .usage import LateError, Row, Tally, Usage, Uses, is_note, leads
from .walk import key_of

if TYPE_CHECKING:
    from .settings import Settings

LOG = ".aurelius/log"
MANY = 2000
"""More names than this are added up together rather than one by one."""

_REFUSED = (apsw.CantOpenError, apsw.FullError, apsw.IOError, apsw.ReadOnlyError, OSError)


class Reading(NamedTuple):
    """A file as the index knows it: what a stat said, up to where it was read, the CRC-32 of that, whether it was
    compacted, and how many lines of it were torn."""

    key: Key
    read: int
    crc: int
    snaps: int
    torn: int


def listing(root: str) -> dict[str, Key]:
    """Every file of the log, as `device/2026-02.jsonl`, with what a stat says of it."""
    found = {}
    for device in _entries(os.path.join(root, LOG)):
        if device.is_dir(follow_symlinks=False):
            for entry in _entries(device.path):
                path = f"{device.name}/{entry.name}"
                if home_of(path) is not None and entry.is_file(follow_symlinks=False):
                    found[path] = key_of(os.lstat(entry.path))
    return found


def follow(settings: Settings, index: Index, wait: float) -> tuple[str, ...]:
    """Let the live index, open as `index`, know the log as it is; what there is to tell.

    Nothing is written where nothing happened to the log.
    """
    if listing(settings.root) == {path: reading.key for path, reading in _known(index.db).items()}:
        return ()
    try:
        with hold(settings.folder, WRITE, wait):
            writer = open_index(settings.folder, write=True)
            if writer is None:
                return ()  # of another version by now: whoever made it has read the log
            try:
                with writer.db:
                    catch_up(settings.root, writer)
            finally:
                writer.close()
    except (BusyError, *_REFUSED) as error:
        return (f"what was used since is not counted for now: {error}",)
    return ()


def catch_up(root: str, index: Index) -> None:
    """Add what is new in the log to the index, inside the caller's transaction."""
    on_disk, known = listing(root), _known(index.db)
    changed = {path for path, key in on_disk.items() if path not in known or known[path].key != key}
    gone = {path.partition("/")[0] for path in known.keys() - on_disk.keys()}
    news = _News(root, index, on_disk, known)
    for device in sorted({path.partition("/")[0] for path in changed} | gone):
        theirs = sorted(path for path in changed if path.startswith(device + "/"))
        if device in gone or not news.add(device, theirs):
            news.begin_anew(device)
    if news.rows["log_file"] or news.anew:
        news.put()


class _News:
    """What is new in the log, gathered device by device, then put."""

    def __init__(self, root: str, index: Index, on_disk: dict[str, Key], known: dict[str, Reading]) -> None:
        self.root, self.index, self.on_disk, self.known = root, index, on_disk, known
        self.rows: dict[str, list[tuple[Any, ...]]] = {"log_file": [], "log_use": [], "log_mark": []}
        self.anew: list[str] = []
        self.names: set[str] = set()
        self.renamed = False

    def add(self, device: str, paths: Sequence[str]) -> bool:
        """Add the new lines of these files; False where their device has to be read as a whole."""
        tally, files = Tally(), list[tuple[Any, ...]]()
        seen = any(path.startswith(device + "/") for path in self.known)
        for path in paths:
            data = self._data(path)
            known = self.known.get(path)
            if known is not None and (known.snaps or _crc(data[: known.read]) != known.crc or len(data) < known.read):
                return False
            start, torn = (known.read, known.torn) if known is not None else (0, 0)
            lines = read_lines(path, data[start:])
            if lines.snaps and start:
                return False
            if seen:
                _load(self.index.db, device, tally, lines)
            try:
                tally.add_file(lines)
            except LateError:
                return False
            files.append(self._row(path, data, lines._replace(end=start + lines.end, torn=torn + lines.torn)))
        self._take(device, tally, files)
        return True

    def begin_anew(self, device: str) -> None:
        """Read all files of a device as if for the first time."""
        tally, files = Tally(), list[tuple[Any, ...]]()
        for path in sorted(path for path in self.on_disk if path.startswith(device + "/")):
            data = self._data(path)
            lines = read_lines(path, data)
            tally.add_file(lines)
            files.append(self._row(path, data, lines))
        self._take(device, tally, files)
        self.anew.append(device)
        self.renamed = True

    def put(self) -> None:
        """Store it, and what all devices add up to."""
        self.index.put_log(self.rows, self.anew)
        names = _aliases(self.index.db) if self.renamed else dict(self.index.db.execute("SELECT ref, name FROM alias"))
        if self.renamed or len(self.names) > MANY:
            self.index.sum_usage(None, names)
        else:
            self.index.sum_usage(sorted({names.get(ref, ref) for ref in self.names}))

    def _data(self, path: str) -> bytes:
        try:
            with open(os.path.join(self.root, LOG, path), "rb") as file:
                return file.read()
        except OSError:
            return b""

    def _row(self, path: str, data: bytes, lines: Lines) -> tuple[Any, ...]:
        crc = _crc(data[: lines.end])
        device = path.partition("/")[0]
        return path, device, *self.on_disk[path], lines.end, crc, bool(lines.snaps), lines.torn, lines.cut

    def _take(self, device: str, tally: Tally, files: list[tuple[Any, ...]]) -> None:
        self.rows["log_file"] += files
        self.rows["log_use"] += [
            (ref, device, row.count, row.last, row.score, row.ranked, row.scored, row.seen)
            for ref, row in tally.rows.items()
        ]
        self.rows["log_mark"] += [(*mark, device, at) for mark, at in tally.marks.items()]
        self.names |= tally.rows.keys()
        self.renamed = self.renamed or any(op == "alias" for op, _, _ in tally.marks)


def get_usage(db: apsw.Connection) -> Usage:
    """The whole log added up, as the index knows it."""
    uses = {ref: Uses(*row) for ref, *row in db.execute("SELECT ref, count, last, score, ranked FROM usage")}
    aliases = dict(db.execute("SELECT ref, name FROM alias"))
    said = {op: set[str]() for op in ("accept", "dismiss")}
    summaries: dict[str, frozenset[str]] = {}
    for op, ref, value in db.execute("SELECT DISTINCT op, ref, value FROM log_mark WHERE op != 'alias'"):
        if op == "summary":
            path = aliases.get(ref, ref)
            summaries[path] = summaries.get(path, frozenset()) | {value}
        else:
            said[op].add(ref)
    return Usage(
        {ref: each for ref, each in uses.items() if not is_note(ref)},
        {ref: each for ref, each in uses.items() if is_note(ref)},
        aliases,
        summaries,
        frozenset(said["accept"]),
        frozenset(said["dismiss"]),
        get_torn(db),
    )


def get_torn(db: apsw.Connection) -> dict[str, int]:
    """How many lines could not be read, by file."""
    return dict(db.execute("SELECT path, torn + cut FROM log_file WHERE torn OR cut ORDER BY path"))


def get_uses(db: apsw.Connection, refs: Collection[str]) -> dict[str, Uses]:
    """The uses of these facts and notes, of those that have any."""
    found = {}
    for ref in refs:
        row = db.execute("SELECT count, last, score, ranked FROM usage WHERE ref=?", (ref,)).get
        if row is not None:
            found[ref] = Uses(*row)
    return found


def used_since(db: apsw.Connection, device: str, refs: Collection[str], start: float) -> set[str]:
    """Those that were used on that device since then, in unix seconds."""
    sql = "SELECT 1 FROM log_use WHERE ref=? AND device=? AND last>=?"
    return {ref for ref in refs if db.execute(sql, (ref, device, start)).get}


def _known(db: apsw.Connection) -> dict[str, Reading]:
    rows = db.execute("SELECT path, size, mtime_ns, ctime_ns, inode, read, crc, snaps, torn FROM log_file")
    return {path: Reading((size, mtime, ctime, inode), *rest) for path, size, mtime, ctime, inode, *rest in rows}


def _aliases(db: apsw.Connection) -> dict[str, str]:
    rows = db.execute("SELECT ref, value, max(at) FROM log_mark WHERE op='alias' GROUP BY ref, value")
    return leads({("alias", ref, to): at for ref, to, at in rows})


def _load(db: apsw.Connection, device: str, tally: Tally, lines: Lines) -> None:
    """Give a tally what the index has added up so far of everything that these lines are about."""
    rows = {each.ref for each in lines.events} | {each.ref for each in lines.snaps}
    for ref in rows.difference(tally.rows):
        sql = "SELECT count, last, score, ranked, scored, seen FROM log_use WHERE ref=? AND device=?"
        row = db.execute(sql, (ref, device)).get
        if row is not None:
            tally.rows[ref] = Row(*row)
    marks = {(each.op, each.ref) for each in lines.events if each.op in MARKS}
    for op, ref in marks | {(each.of, each.ref) for each in lines.snaps}:
        for value, at in db.execute(
            "SELECT value, at FROM log_mark WHERE op=? AND ref=? AND device=?", (op, ref, device)
        ):
            tally.marks[op, ref, value] = max(at, tally.marks.get((op, ref, value), at))


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _crc(data: bytes) -> int:
    import zlib

    return zlib.crc32(data)
