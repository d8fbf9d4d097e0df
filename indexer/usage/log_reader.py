"""Reader of the usage log: only what is new since the last pass is read into the index.

A file that only grew is added to; where one changed in another way, or is gone, all files of its
device are read again. Either way the rows are those that a rebuild would make. Beside the log there
may be a file of uses that wait on this device to be moved there: they count already.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import apsw

from indexer.disk.walk import ChangeKey, change_key
from indexer.record import NamedTuple
from indexer.rows.lock import WRITE, BusyError, hold
from indexer.rows.rows import Index, open_index
from indexer.rows.schema import REFUSED, is_ruled_out
from indexer.spelling import group_pairs

from . import tally as folded
from .log_line import (
    DAY_SECONDS,
    MARKS,
    MOST_LOG_FILE_BYTES,
    SESSION_OPERATION,
    WAITING,
    LogLines,
    log_file_home,
    read_lines,
)
from .tally import (
    RefTotals,
    Tally,
    Usage,
    Uses,
    add_up_uses,
    current_names,
    decisions,
    is_note,
    stretches,
    unpack_days,
)

if TYPE_CHECKING:
    from indexer.note import Settings

USAGE_LOG = ".aurelius/log"
_USES_COLUMNS = "count, used, score, ranked, days"
"""The columns of a row of `usage` and `log_use` that are a `Uses`."""
MANY_NAMES = 2000
"""More names than this are copied together rather than added up one by one."""

Occasions = dict[tuple[str, str | int], int]
"""When two things were used together: by session, or by device and day."""
_LATEST_USES = 16
"""Uses of a fact or note on one device that are looked at for what was used beside it."""


class Reading(NamedTuple):
    """A file as the index knows it: what a stat said, up to where it was read, the CRC-32 of that,
    how many lines of it were torn, and when its newest event was."""

    key: ChangeKey
    read: int
    crc: int
    torn: int
    newest: int | None


_UNREAD = Reading((0, 0, 0, 0), 0, 0, 0, None)


class Trouble(NamedTuple):
    """What is wrong with a file of the log: lines that could not be read, and whether it is too
    large to be read as a whole."""

    path: str
    torn: int
    large: bool


def list_log_files(root: str, uses: str = "") -> dict[str, ChangeKey]:
    """Every file of the log, as `device/2026-02.jsonl`, with what a stat says of it; WAITING is the
    file `uses`."""
    found = {}
    for device in entries_of(os.path.join(root, USAGE_LOG)):
        if device.is_dir(follow_symlinks=False):
            for entry in entries_of(device.path):
                path = f"{device.name}/{entry.name}"
                if log_file_home(path) is not None and entry.is_file(follow_symlinks=False):
                    found[path] = change_key(os.lstat(entry.path))
    with suppress(OSError):
        if uses and stat.S_ISREG((status := os.lstat(uses)).st_mode):
            found[WAITING] = change_key(status)
    return found


def entries_of(folder: str) -> list[os.DirEntry[str]]:
    """What a folder of the log holds; nothing where it cannot be listed."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def follow(
    settings: Settings,
    index: Index,
    wait: float,
) -> tuple[str, ...]:
    """Let the live index, open as `index`, know the log as it is; what there is to tell.

    Nothing is written where nothing happened to the log.
    """
    known = {path: reading.key for path, reading in _known(index.db).items()}
    if list_log_files(settings.root, settings.uses) == known:
        return ()
    try:
        with hold(settings.folder, WRITE, wait):
            writer = open_index(settings.folder, write=True)
            if writer is None:
                return ()  # of another version by now: whoever made it has read the log
            try:
                with writer.db:
                    catch_up(settings, writer)
            finally:
                writer.close()
    except (BusyError, OSError, *REFUSED) as error:
        return (f"recent uses are not counted yet: {error}",)
    return ()


def catch_up(settings: Settings, index: Index) -> None:
    """Add what is new in the log to the index, inside the caller's transaction."""
    on_disk = list_log_files(settings.root, settings.uses)
    known = _known(index.db)
    gone = {_device(path) for path in known.keys() - on_disk.keys()}
    changed: dict[str, list[str]] = {device: [] for device in gone}
    for path, key in sorted(on_disk.items()):
        if path not in known or known[path].key != key:
            changed.setdefault(_device(path), []).append(path)
    news = _News(settings, index, on_disk, known)
    for device, theirs in sorted(changed.items()):
        if device in gone or not news.add(device, theirs):
            news.begin_anew(device)
    news.put()


def _device(path: str) -> str:
    return path.partition("/")[0]


class _News:
    """What is new in the log, gathered device by device, then put."""

    def __init__(
        self,
        settings: Settings,
        index: Index,
        on_disk: dict[str, ChangeKey],
        known: dict[str, Reading],
    ) -> None:
        self.settings = settings
        self.index = index
        self.on_disk = on_disk
        self.known = known
        self.rows: dict[str, list[tuple[Any, ...]]] = {
            "log_file": [],
            "log_use": [],
            "log_mark": [],
        }
        self.anew: list[str] = []
        self.names: set[str] = set()
        self.renamed = False

    def add(
        self,
        device: str,
        paths: Iterable[str],
    ) -> bool:
        """Add the new lines of these files; False where their device has to be read as a whole."""
        tally = Tally()
        files = []
        is_known = any(_device(path) == device for path in self.known)
        for path in paths:
            data = self._data(path)
            known = self.known.get(path, _UNREAD)
            if len(data) < known.read or _crc(data[: known.read]) != known.crc:
                return False
            lines = read_lines(path, data[known.read :])
            if is_known:
                _load_totals(self.index.db, device, tally, lines)
                _load_marks(self.index.db, device, tally, lines)
            tally.add(lines.events)
            files.append(self._row(path, data, lines, known))
        self.rows["log_file"] += files
        self.rows["log_use"] += [(ref, device, *row.stored()) for ref, row in tally.rows.items()]
        self.rows["log_mark"] += [(*mark, device, at) for mark, at in tally.marks.items()]
        self.names |= tally.rows.keys()
        self.renamed = self.renamed or any(op == "alias" for op, _, _ in tally.marks)
        return True

    def begin_anew(self, device: str) -> None:
        """Read all files of a device as if for the first time."""
        for path in tuple(self.known):
            if _device(path) == device:
                del self.known[path]
        self.add(device, sorted(path for path in self.on_disk if _device(path) == device))
        self.anew.append(device)
        self.renamed = True

    def put(self) -> None:
        """Store it, and what all devices add up to; of notes that are ignored nothing."""
        if not self.rows["log_file"] and not self.anew:
            return
        self._leave_out("log_use", (0,))
        self._leave_out("log_mark", (1, 2))
        self.index.put_log(self.rows, self.anew)
        db = self.index.db
        if self.renamed:
            names = _aliases(db)
        else:
            names = dict(db.execute("SELECT ref, name FROM alias"))
        touched = {names.get(ref, ref) for ref in self.names}
        if self.renamed or len(touched) > MANY_NAMES:
            self.index.copy_usage(names)
            found = _shared(db)
        else:
            found = {name: _rows_of(db, name) for name in sorted(touched)}
        self.index.put_usage([(name, *add_up_uses(rows)) for name, rows in found.items() if rows])

    def _leave_out(
        self,
        table: str,
        columns: tuple[int, ...],
    ) -> None:
        """Drop the rows that name an ignored note in one of these columns."""
        rows = self.rows[table]
        for column in columns:
            notes = {row[column] for row in rows if is_note(row[column])}
            hidden = {note for note in notes if is_ruled_out(self.index.db, note)}
            self.names -= hidden
            rows = [row for row in rows if row[column] not in hidden]
        self.rows[table] = rows

    def _data(self, path: str) -> bytes:
        if path == WAITING:
            file = self.settings.uses
        else:
            file = os.path.join(self.settings.root, USAGE_LOG, path)
        try:
            with open(file, "rb") as stream:
                return stream.read(MOST_LOG_FILE_BYTES)
        except OSError:
            return b""

    def _row(
        self,
        path: str,
        data: bytes,
        lines: LogLines,
        known: Reading,
    ) -> tuple[Any, ...]:
        end = known.read + lines.end
        times = [each.at for each in lines.events]
        if known.newest is not None:
            times.append(known.newest)
        large = self.on_disk[path][0] > MOST_LOG_FILE_BYTES
        cut = lines.cut and not large
        crc = _crc(data[:end])
        return (
            path,
            _device(path),
            *self.on_disk[path],
            end,
            crc,
            known.torn + lines.torn,
            cut,
            large,
            max(times, default=None),
        )


def _rows_of(db: apsw.Connection, name: str) -> list[Any]:
    """What each device and older name adds to a present name."""
    where = "ref=?1 OR ref IN (SELECT ref FROM alias WHERE name=?1)"
    return db.execute(f"SELECT {_USES_COLUMNS} FROM log_use WHERE {where}", (name,)).fetchall()


def _shared(db: apsw.Connection) -> dict[str, list[Any]]:
    """The same of every name that more than one device, or an older name, may add to."""
    rows: Any = db.execute(
        f"SELECT coalesce(name, log_use.ref), {_USES_COLUMNS} FROM log_use LEFT JOIN alias ON"
        " alias.ref = log_use.ref WHERE name IS NOT NULL OR log_use.ref IN (SELECT name FROM"
        " alias) OR log_use.ref IN (SELECT ref FROM log_use GROUP BY ref HAVING count(*) > 1)"
    )
    return group_pairs((name, row) for name, *row in rows)


def get_usage(db: apsw.Connection) -> Usage:
    """The whole log added up, as the index knows it."""
    uses = {ref: Uses(*row) for ref, *row in db.execute(f"SELECT ref, {_USES_COLUMNS} FROM usage")}
    aliases = dict(db.execute("SELECT ref, name FROM alias"))
    accepted: dict[str, int] = {}
    decided: list[tuple[str, str, int]] = []
    summaries: dict[str, frozenset[str]] = {}
    marks = (
        "SELECT op, ref, value, max(at) FROM log_mark WHERE op NOT IN ('alias', 'session') GROUP BY"
        " op, ref, value"
    )
    for op, ref, value, at in db.execute(marks):
        if op == "summary":
            path = aliases.get(ref, ref)
            summaries[path] = summaries.get(path, frozenset()) | {value}
        elif op == "accept":
            accepted[ref] = at
        else:
            decided.append((op, ref, at))
    return Usage(
        facts={ref: each for ref, each in uses.items() if not is_note(ref)},
        notes={ref: each for ref, each in uses.items() if is_note(ref)},
        aliases=aliases,
        summaries=summaries,
        accepted=accepted,
        decided=decisions(decided, aliases),
        torn={each.path: each.torn for each in get_troubles(db) if each.torn},
    )


def newer_name(db: apsw.Connection, ref: str) -> str:
    """What a fact or note is called now that once had this key or path; "" where it has no other
    name."""
    return db.execute("SELECT name FROM alias WHERE ref = ?", (ref,)).get or ""


def get_troubles(db: apsw.Connection) -> list[Trouble]:
    """The files with lines that could not be read, and those too large to be read as a whole."""
    sql = (
        "SELECT path, torn + cut, large FROM log_file WHERE (torn OR cut OR large) AND path != ?"
        " ORDER BY path"
    )
    return [Trouble(path, torn, bool(large)) for path, torn, large in db.execute(sql, (WAITING,))]


def get_newest(db: apsw.Connection) -> dict[str, int]:
    """When the newest event of each file was, in unix seconds."""
    return dict(
        db.execute("SELECT path, newest FROM log_file WHERE newest IS NOT NULL ORDER BY path")
    )


def get_uses(db: apsw.Connection, refs: Collection[str]) -> dict[str, Uses]:
    """The uses of these facts and notes, of those that have any."""
    found = {}
    for ref in refs:
        row = db.execute(f"SELECT {_USES_COLUMNS} FROM usage WHERE ref=?", (ref,)).get
        if row is not None:
            found[ref] = Uses(*row)
    return found


def used_on(
    db: apsw.Connection,
    refs: Collection[str],
    moment: float,
    session: str = "",
) -> set[str]:
    """Those that were used on that moment's day in UTC, on whatever device, and in that session,
    where there is one."""
    day = moment // DAY_SECONDS
    if session:
        sql = "SELECT 1 FROM log_mark WHERE op = ? AND ref = ? AND value = ?"
        refs = [ref for ref in refs if db.execute(sql, (SESSION_OPERATION, ref, session)).get]
    found = set()
    for ref, uses in get_uses(db, refs).items():
        days = [at // DAY_SECONDS for at in unpack_days(uses.days)]
        if day in days:
            found.add(ref)
    return found


def get_related(db: apsw.Connection, ref: str) -> list[tuple[str, float]]:
    """What was used together with a fact or note, by present names, the nearest first, and how
    near, below 1.

    Together are uses of one session, on whatever device, and else uses on one device within half an
    hour, but never two of one command. The last uses count, and of each day the last.
    """
    names = [ref, *(old for (old,) in db.execute("SELECT ref FROM alias WHERE name = ?", (ref,)))]
    own = _sessions(db, "ref", names)
    seconds = {folded.second(moment) for _, _, moment in own}
    mine = _times_elsewhere(db, names, seconds)
    found: dict[str, Occasions] = {}
    for other, session, at in _used_in_sessions(db, own):
        found.setdefault(other, {})[session, 0] = at
    for device, times in mine.items():
        for other, days in _used_near(db, device, sorted(times)[-_LATEST_USES:]):
            for day, at in folded.occasions(times, days).items():
                found.setdefault(other, {})[device, day] = at
    present: dict[str, Occasions] = {}
    for other, when in found.items():
        present.setdefault(newer_name(db, other) or other, {}).update(when)
    present.pop(ref, None)
    newest = max(seconds.union(*mine.values()), default=0)
    near = [(other, folded.closeness(when.values(), newest)) for other, when in present.items()]
    return sorted(near, key=lambda each: (-each[1], each[0]))


def _times_elsewhere(
    db: apsw.Connection,
    names: Sequence[str],
    seconds: Collection[int],
) -> dict[str, list[int]]:
    """The uses of something on each device, but those of a session, which were at these seconds."""
    times: dict[str, list[int]] = {}
    sql = f"SELECT device, days FROM log_use WHERE ref IN ({','.join('?' * len(names))})"
    for device, days in db.execute(sql, names):
        times.setdefault(device, []).extend(set(unpack_days(days)).difference(seconds))
    return times


def _used_in_sessions(db: apsw.Connection, own: list[Any]) -> Iterator[tuple[str, str, int]]:
    """What was used in the sessions of these uses, by other commands: what, in which, and when."""
    inside = {(session, moment) for _, session, moment in own}
    for other, session, moment in _sessions(db, "value", [session for _, session, _ in own]):
        if (session, moment) not in inside:
            yield other, session, folded.second(moment)


def _sessions(
    db: apsw.Connection,
    column: str,
    values: Sequence[str],
) -> list[Any]:
    """The uses in sessions of these facts and notes, or in these sessions: what, in which session,
    at which `moment`; the latest."""
    holes = ",".join("?" * len(values))
    return db.execute(
        f"SELECT ref, value, at FROM log_mark WHERE op = ? AND {column} IN ({holes})"
        " ORDER BY at DESC, ref, value, device LIMIT ?",
        (SESSION_OPERATION, *values, MANY_NAMES),
    ).fetchall()


def _used_near(
    db: apsw.Connection,
    device: str,
    times: Sequence[int],
) -> Iterator[tuple[str, Sequence[int]]]:
    """What one device used about one of these times and in no session, with the times of its uses,
    in order."""
    pieces = stretches(times)
    some = " OR ".join(["instr(days, ?)"] * len(pieces)) or "0"
    sql = f"SELECT ref, days FROM log_use WHERE device = ? AND ({some})"
    rows: list[Any] = db.execute(sql, (device, *pieces)).fetchall()
    for ref, days in rows:
        inside = {folded.second(moment) for _, _, moment in _sessions(db, "ref", [ref])}
        yield ref, [at for at in unpack_days(days) if at not in inside]


def _known(db: apsw.Connection) -> dict[str, Reading]:
    rows = db.execute(
        "SELECT path, size, mtime_ns, ctime_ns, inode, read, crc, torn, newest FROM log_file"
    )
    return {
        path: Reading((size, mtime, ctime, inode), *rest)
        for path, size, mtime, ctime, inode, *rest in rows
    }


def _aliases(db: apsw.Connection) -> dict[str, str]:
    rows = db.execute(
        "SELECT ref, value, max(at) FROM log_mark WHERE op='alias' GROUP BY ref, value"
    )
    return current_names({("alias", ref, to): at for ref, to, at in rows})


def _load_totals(
    db: apsw.Connection,
    device: str,
    tally: Tally,
    lines: LogLines,
) -> None:
    """Give a tally what the index has added up so far of all that these lines say was used."""
    refs = {each.ref for each in lines.events if each.op not in MARKS}.difference(tally.rows)
    sql = "SELECT ref, score, ranked, scores, days FROM log_use WHERE device=?"
    if len(refs) > MANY_NAMES:
        known = (row for row in db.execute(sql, (device,)) if row[0] in refs)
    else:
        known = (db.execute(f"{sql} AND ref=?", (device, ref)).get for ref in refs)
    for row in known:
        if row is not None:
            tally.rows[row[0]] = RefTotals(*row[1:])


def _load_marks(
    db: apsw.Connection,
    device: str,
    tally: Tally,
    lines: LogLines,
) -> None:
    """Give a tally what was said before of all that these lines say something of."""
    marks = {(each.op, each.ref) for each in lines.events if each.op in MARKS}
    marks |= {
        (SESSION_OPERATION, each.ref) for each in lines.events if each.op == "use" and each.value
    }
    sql = "SELECT value, at FROM log_mark WHERE op=? AND ref=? AND device=?"
    for op, ref in marks:
        for value, at in db.execute(sql, (op, ref, device)):
            tally.mark(op, ref, value, at)


def _crc(data: bytes) -> int:
    import zlib

    return zlib.crc32(data)
