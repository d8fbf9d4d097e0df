"""Reader of the usage log: each file that is new, changed or gone since the last pass is added up
anew into the index, the others are left as they are.

Each file has its own rows, so no file's reading depends on another's, and the rows are those that a
rebuild would make. Beside the log there may be a file of uses that wait on this device to be moved
there: they count already.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING, Any

import apsw

from indexer.disk.walk import ChangeKey, change_key
from indexer.record import NamedTuple
from indexer.rows.lock import WRITE, BusyError, hold
from indexer.rows.rows import Index, open_index
from indexer.rows.schema import REFUSED, is_ruled_out

from . import tally as folded
from .log_line import (
    DAY_SECONDS,
    MOST_LOG_FILE_BYTES,
    SESSION_OPERATION,
    WAITING,
    log_file_home,
    read_lines,
)
from .tally import (
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
_MOST_SESSIONS = 2000
"""Uses in sessions that are looked at for what was used beside something."""

Occasions = dict[tuple[str, str | int], int]
"""When two things were used together: by session, or by device and day."""
_LATEST_USES = 16
"""Uses of a fact or note on one device that are looked at for what was used beside it."""


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
    if list_log_files(settings.root, settings.uses) == _known(index.db):
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
    """Let the index hold what the log's files say, inside the caller's transaction."""
    on_disk = list_log_files(settings.root, settings.uses)
    known = _known(index.db)
    news = _News(settings, index)
    for path in sorted(on_disk.keys() | known.keys()):
        if on_disk.get(path) != known.get(path):
            news.add(path, on_disk.get(path))
    news.add_up()


class _News:
    """What is new in the log, put file by file, then added up."""

    def __init__(
        self,
        settings: Settings,
        index: Index,
    ) -> None:
        self.settings = settings
        self.index = index
        self.refs: set[str] = set()

    def add(
        self,
        path: str,
        key: ChangeKey | None,
    ) -> None:
        """Put what a file says now in the place of what it said; None for one that is gone."""
        tally = Tally()
        file: list[tuple[Any, ...]] = []
        if key:
            lines = read_lines(path, self._data(path))
            tally.add(lines.events)
            large = key[0] > MOST_LOG_FILE_BYTES
            newest = max((each.at for each in lines.events), default=None)
            cut = lines.cut and not large
            file.append(
                (
                    path,
                    *key,
                    lines.torn,
                    cut,
                    large,
                    newest,
                )
            )
        device = path.partition("/")[0]
        uses: list[tuple[Any, ...]] = []
        for ref, totals in tally.rows.items():
            use = totals.uses()
            uses.append((ref, path, device, *use))
        marks: list[tuple[Any, ...]] = []
        for mark, at in tally.marks.items():
            marks.append((*mark, path, at))
        self.index.put_log("log_file", path, file)
        self.index.put_log("log_mark", path, self._seen(marks, slice(1, 3)))
        for row in self.index.put_log("log_use", path, self._seen(uses, slice(1))):
            self.refs.add(row[0])

    def add_up(self) -> None:
        """Put what all files add up to, under the names that things have now."""
        db = self.index.db
        before = dict(db.execute("SELECT ref, name FROM alias"))
        names = _aliases(db)
        refs = self.refs | {ref for ref, _ in before.items() ^ names.items()}
        touched = set(refs)
        for known in (before, names):
            touched |= {known.get(ref, ref) for ref in refs}
        if names != before:
            self.index.put_names(names)
        uses: dict[str, Uses | None] = {}
        for name in sorted(touched):
            uses[name] = _added_up(db, name)
        self.index.put_usage(uses)

    def _seen(
        self,
        rows: list[tuple[Any, ...]],
        named: slice,
    ) -> list[tuple[Any, ...]]:
        """The rows that name no ignored note in these columns."""
        names = set(chain.from_iterable(row[named] for row in rows))
        hidden = set()
        for name in filter(is_note, names):
            if is_ruled_out(self.index.db, name):
                hidden.add(name)
        return [row for row in rows if hidden.isdisjoint(row[named])]

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


def _added_up(db: apsw.Connection, name: str) -> Uses | None:
    """What all files, and older names, add to a present name; None for an older one, and where it
    is nothing."""
    sql = (
        f"SELECT {_USES_COLUMNS} FROM log_use WHERE (ref=?1 OR ref IN (SELECT ref FROM alias WHERE"
        " name=?1)) AND ?1 NOT IN (SELECT ref FROM alias)"
    )
    rows: list[Any] = db.execute(sql, (name,)).fetchall()
    if rows:
        return add_up_uses(rows)
    return None


def get_usage(db: apsw.Connection) -> Usage:
    """The whole log added up, as the index knows it."""
    uses = {ref: Uses(*row) for ref, *row in db.execute(f"SELECT ref, {_USES_COLUMNS} FROM usage")}
    aliases = dict(db.execute("SELECT ref, name FROM alias"))
    accepted: set[str] = set()
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
            accepted.add(ref)
        else:
            decided.append((op, ref, at))
    return Usage(
        facts={ref: each for ref, each in uses.items() if not is_note(ref)},
        notes={ref: each for ref, each in uses.items() if is_note(ref)},
        aliases=aliases,
        summaries=summaries,
        accepted=frozenset(accepted),
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
        " ORDER BY at DESC, ref, value, path LIMIT ?",
        (SESSION_OPERATION, *values, _MOST_SESSIONS),
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


def _known(db: apsw.Connection) -> dict[str, ChangeKey]:
    """The files of the log that the index has read, with what a stat said of them."""
    rows = db.execute("SELECT path, size, mtime_ns, ctime_ns, inode FROM log_file")
    return {path: tuple(key) for path, *key in rows}


def _aliases(db: apsw.Connection) -> dict[str, str]:
    rows = db.execute(
        "SELECT ref, value, max(at) FROM log_mark WHERE op='alias' GROUP BY ref, value"
    )
    return current_names({("alias", ref, to): at for ref, to, at in rows})
