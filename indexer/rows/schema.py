"""The index file: its tables, their version, and how it is found, opened and set aside.

An index folder holds `current` (the name of the live database), the database itself under a name of
its own generation, and locks.  A database is never replaced under its own name: a rebuild writes a
new one and moves the pointer.  A corrupt or foreign one is set aside and built anew, one of another
version is removed when the new one is there; there are no migrations.
"""

from __future__ import annotations

import os
from contextlib import suppress
from importlib.machinery import PathFinder
from typing import Any

import apsw

from indexer.disk.walk import path_number

SCHEMA_VERSION = 12
PARSER_VERSION = 36
"""Raised whenever the same bytes would give other rows: an index of another version is rebuilt."""

POINTER = "current"
DAMAGED = (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)
"""What SQLite itself says of a file that is damaged."""
REFUSED = (apsw.CantOpenError, apsw.FullError, apsw.IOError, apsw.ReadOnlyError)
"""What SQLite says where the file system does not let it read or write."""
UNUSABLE = (
    *DAMAGED,
    *REFUSED,
    apsw.BusyError,
    apsw.LockedError,
    apsw.NoMemError,
    apsw.ProtocolError,
)
"""What SQLite says of an index that cannot be used, whatever is asked of it: damaged, out of reach
or locked. Of a mistake in what is asked it says something else, and nothing stands in for that."""
UNSOUND = (
    *DAMAGED,
    apsw.SQLError,
    apsw.ConstraintError,
    apsw.MismatchError,
    apsw.RangeError,
    apsw.TooBigError,
    apsw.NoMemError,
    ArithmeticError,
    LookupError,
    TypeError,
    ValueError,
)
"""What reading or writing the rows of a damaged database may raise, here or in whoever makes sense
of them; a bug may raise the same, so the database is looked at before it is built anew:
`refresh.damage.is_damaged`."""

FTS = ("chunk_fts", "note_fts", "name_fts")
_SPELT = """tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'\""""

TABLES = f"""
CREATE TABLE meta(key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE note(
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,          -- vault-relative, with /
    -- the key: what a stat said when it was read
    size INTEGER, mtime_ns INTEGER, ctime_ns INTEGER, inode INTEGER,
    racy INTEGER,                       -- 1: written too shortly before it was read
    sha256 BLOB,
    kind TEXT, title TEXT, date TEXT, updated TEXT, private INTEGER,
    aliases TEXT, front TEXT, blocks TEXT, problems TEXT,             -- JSON
    lines INTEGER
);
CREATE INDEX note_sha256 ON note(sha256);
CREATE INDEX note_racy ON note(path) WHERE racy;
CREATE TABLE chunk(
    id INTEGER PRIMARY KEY,
    note INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    grain TEXT,                         -- fact, section or property
    heading TEXT,                       -- heading path, one heading a line
    first INTEGER, last INTEGER,        -- lines of the note
    context TEXT, text TEXT, tags TEXT, grams TEXT,                   -- what chunk_fts indexes
    status TEXT, type TEXT, date TEXT, fact TEXT, importance REAL,
    hash BLOB,
    tokens BLOB                         -- a bag: its distinct tokens
);
CREATE INDEX chunk_note ON chunk(note, ordinal);
CREATE VIRTUAL TABLE chunk_fts USING fts5(
    context, text, tags, grams, content='chunk', content_rowid='id', {_SPELT}
);
-- whole notes: how much of a question a note answers in all
CREATE VIRTUAL TABLE note_fts USING fts5(
    title, text, grams, content='', contentless_delete=1, {_SPELT}
);
CREATE TABLE chunk_vec(id INTEGER PRIMARY KEY, v BLOB);
CREATE TABLE fact(
    note INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    key TEXT, type TEXT, status TEXT, date TEXT, first INTEGER, last INTEGER, lasts INTEGER,
    until TEXT,                         -- when it ended
    after TEXT,                         -- the key of what its line says replaced it
    updates TEXT,                       -- the key of what it says it replaces
    subtype TEXT,                       -- its subtype, or milestone
    detail TEXT,                        -- the Fact, a JSON array in the order of its fields
    PRIMARY KEY(note, ordinal)
) WITHOUT ROWID;
CREATE INDEX fact_key ON fact(key);
CREATE INDEX fact_updates ON fact(updates) WHERE updates IS NOT NULL;
CREATE TABLE link(
    note INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    target TEXT, heading TEXT, block TEXT, label TEXT, line INTEGER, style TEXT, embed INTEGER,
    folded TEXT,                        -- the last part of its target, folded as names are
    PRIMARY KEY(note, ordinal)
) WITHOUT ROWID;
CREATE INDEX link_folded ON link(folded);
CREATE TABLE tag(
    note INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    name TEXT, line INTEGER,
    PRIMARY KEY(note, ordinal)
) WITHOUT ROWID;
CREATE TABLE task(
    note INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    text TEXT, done INTEGER, mark TEXT, due TEXT, line INTEGER,
    PRIMARY KEY(note, ordinal)
) WITHOUT ROWID;
CREATE TABLE name(                      -- what a note is called, and the labels of the links in it
    note INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    source TEXT, text TEXT, folded TEXT, target TEXT, grams TEXT,
    PRIMARY KEY(note, ordinal)
) WITHOUT ROWID;
CREATE INDEX name_folded ON name(folded);
CREATE VIEW name_text AS SELECT note << 20 | ordinal AS id, text, grams FROM name;
CREATE VIRTUAL TABLE name_fts USING fts5(
    text, grams, content='name_text', content_rowid='id', {_SPELT}
);
CREATE TABLE log_file(                  -- the files of the usage log, and how far each was read
    path TEXT PRIMARY KEY, device TEXT,
    size INTEGER, mtime_ns INTEGER, ctime_ns INTEGER, inode INTEGER,
    read INTEGER, crc INTEGER,
    torn INTEGER, cut INTEGER, large INTEGER, newest INTEGER
) WITHOUT ROWID;
CREATE TABLE log_use(                   -- what one device's events add up to
    ref TEXT, device TEXT,
    count INTEGER, used INTEGER,        -- how often, and when last, in unix seconds
    score INTEGER, ranked INTEGER, scores TEXT, days BLOB,
    PRIMARY KEY(ref, device)
) WITHOUT ROWID;
CREATE TABLE log_mark(
    op TEXT, ref TEXT, value TEXT, device TEXT, at INTEGER, PRIMARY KEY(op, ref, value, device)
) WITHOUT ROWID;
CREATE TABLE alias(                     -- an older name, and the present one
    ref TEXT PRIMARY KEY, name TEXT
) WITHOUT ROWID;
CREATE INDEX alias_name ON alias(name);
-- all devices together, by present name: a fact's key or a note's path
CREATE TABLE usage(
    ref TEXT PRIMARY KEY, count INTEGER, used INTEGER, score INTEGER, ranked INTEGER, days BLOB
) WITHOUT ROWID;
CREATE INDEX usage_judged ON usage(ref) WHERE score != 0 OR ranked > 0;
CREATE TABLE token_df(token INTEGER PRIMARY KEY, chunks INTEGER);
CREATE TABLE failed(path TEXT PRIMARY KEY, reason TEXT) WITHOUT ROWID;
CREATE TABLE verdict(mark INTEGER PRIMARY KEY, ignored INTEGER);  -- of folders and ignored notes
"""


ASIDE_PREFIX = "corrupt-"


def current_file(folder: str) -> str | None:
    """The path of the live database in an index folder, or None where there is none."""
    try:
        with open(
            os.path.join(folder, POINTER), encoding="utf-8", errors="surrogateescape"
        ) as file:
            name = file.readline().strip()
    except OSError:
        return None
    path = os.path.join(folder, name)
    if name and os.path.basename(name) == name and os.path.isfile(path):
        return path
    return None


def new_file(folder: str) -> str:
    """A database path in the folder that nothing uses yet."""
    return os.path.join(folder, f"index-{os.urandom(4).hex()}.db")


def point_to(folder: str, path: str, root: str = "") -> None:
    """Make `path` the live database, once it is safely on disk; `root`, whose index it is, is kept
    beside its name."""
    _flush(path)
    temporary = os.path.join(folder, f"{POINTER}.{os.getpid()}")
    with open(temporary, "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(f"{os.path.basename(path)}\n{root}\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, os.path.join(folder, POINTER))
    if hasattr(os, "O_DIRECTORY"):  # Windows opens no folders; not tried here
        with suppress(OSError):  # some file systems know no such thing for folders
            _flush(folder, os.O_RDONLY | os.O_DIRECTORY)


def _flush(path: str, flags: int = os.O_RDWR) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def strays(folder: str) -> list[str]:
    """Files of databases that are not the live one, and other leftovers of builds that were cut
    off."""
    live = os.path.basename(current_file(folder) or "no database")
    begin = ("index-", POINTER + ".")
    return [
        name for name in os.listdir(folder) if name.startswith(begin) and not name.startswith(live)
    ]


def sweep_folder(folder: str, *, aside: bool = False) -> None:
    """Remove what is no part of the live index (databases set aside too, if `aside`), while nobody
    builds one."""
    names = strays(folder)
    if aside:
        names += [name for name in os.listdir(folder) if name.startswith(ASIDE_PREFIX)]
    for name in names:
        remove_file(os.path.join(folder, name))


def remove_file(path: str) -> None:
    """Remove a file, if it is there; one that is still open on Windows goes later."""
    try:
        os.remove(path)
    except OSError:
        return


def discard(path: str) -> None:
    """Remove a database and what SQLite keeps beside it."""
    for suffix in ("", "-wal", "-shm", "-journal"):
        remove_file(path + suffix)


def set_aside(path: str, stamp: str) -> str:
    """Move a database that is no good out of the way, or remove it where that cannot be; where it
    is now, in words."""
    folder = os.path.dirname(path)
    aside = os.path.join(folder, f"{ASIDE_PREFIX}{stamp}.db")
    for name in os.listdir(folder):
        if name.startswith(ASIDE_PREFIX):
            remove_file(os.path.join(folder, name))
    try:
        os.replace(path, aside)
    except OSError:
        aside = ""
        remove_file(path)
    discard(path)
    if aside:
        return f"the old file is {aside}"
    return "the old file was removed"


def connect(path: str, *, write: bool) -> apsw.Connection:
    """Open a database with the settings every connection here has; `apsw.Error` where it cannot be.

    A reader on a folder that cannot be written opens the file as it stands (`immutable`).
    """
    if write:
        return _set(
            apsw.Connection(path),
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; " + _CHECKPOINT,
        )
    try:
        return _set(apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY), _READ)
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        uri = (
            "file:"
            + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23")
            + "?immutable=1"
        )
        return _set(
            apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI), _READ
        )


LOCKED = "another process has locked the index"
BUSY_MS = 3000
"""Milliseconds to wait while another process holds the whole database: as it closes it, or stopped
in doing so."""

MAP = "PRAGMA mmap_size=1073741824"
_CHECKPOINT = "PRAGMA wal_autocheckpoint=4000"
_READ = "PRAGMA query_only=1; SELECT count(*) FROM sqlite_schema"
EVERYTHING_VISIBLE = (
    "CREATE TEMP VIEW visible_note AS SELECT * FROM main.note;"
    " CREATE TEMP VIEW visible_failed AS SELECT * FROM main.failed"
)
"""What every connection begins with: queries for an answer read these views, which
`indexer.catalog.visibility` narrows to what an agent sees. A person sees every row."""
_BUILD = "PRAGMA journal_mode=MEMORY; PRAGMA synchronous=OFF"


def _set(connection: apsw.Connection, settings: str) -> apsw.Connection:
    try:
        connection.set_busy_timeout(BUSY_MS)
        connection.execute(
            "PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY; " + EVERYTHING_VISIBLE
        )
        connection.execute(settings).fetchall()
        load_vectors(connection)
    except BaseException:
        connection.close()
        raise
    return connection


def create(path: str) -> apsw.Connection:
    """A new database with our tables that nobody else knows yet, made for speed: `settle_database`
    makes it safe."""
    connection = _set(apsw.Connection(path), _BUILD)
    with connection:
        connection.execute(TABLES)
        _hash_size(connection, 64 << 20)
        connection.execute(
            "INSERT INTO meta VALUES('schema', ?), ('parser', ?), ('generation', 0)",
            (SCHEMA_VERSION, PARSER_VERSION),
        )
    return connection


def settle_database(connection: apsw.Connection) -> None:
    """Make a database that was just built one that others may open.

    Checkpoints name `main`: the views of the connection are in use, and stand in another database.
    """
    optimize(connection)
    _hash_size(connection, 1 << 20)
    connection.execute(
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; " + _CHECKPOINT
    ).fetchall()
    connection.execute("PRAGMA main.wal_checkpoint(TRUNCATE)").fetchall()


def checkpoint(path: str) -> None:
    """Move what the log beside a live database holds into it, as far as no reader needs it
    there."""
    if os.path.exists(path + "-wal") and os.path.getsize(path + "-wal"):
        connection = connect(path, write=True)
        connection.execute("PRAGMA main.wal_checkpoint(TRUNCATE)").fetchall()
        connection.close()


def empty_log(connection: apsw.Connection) -> bool:
    """Empty the log beside a live database; False where a reader elsewhere still needs it."""
    connection.set_busy_timeout(500)
    busy = connection.execute("PRAGMA main.wal_checkpoint(TRUNCATE)").fetchall()[0][0]
    connection.set_busy_timeout(BUSY_MS)
    return not busy


def attach_copy(source: apsw.Connection) -> apsw.Connection:
    """A new, empty index without a name, with a copy of `source` as it is at one moment attached to
    it as `live`; `apsw.Error`.

    Long statements on it give way to Ctrl-C.
    """
    made = create("")
    try:
        made.execute("ATTACH '' AS live").fetchall()
        with made.backup("live", source, "main") as backup:
            backup.step()
        made.execute("PRAGMA live.journal_mode=MEMORY").fetchall()
    except BaseException:
        made.close()
        raise
    made.set_progress_handler(
        lambda: False, 1_000_000
    )  # a call of Python's is where Ctrl-C is heard
    return made


def faults(connection: apsw.Connection, name: str = "main") -> list[tuple[str, str]]:
    """What SQLite finds wrong with a database, and FTS5 with its words beside the rows they come
    from; "" is SQLite."""
    told = connection.execute(f"PRAGMA {name}.integrity_check").fetchall()
    found = [("", str(fault)) for (fault,) in told if fault != "ok"]
    for table in FTS:
        try:
            connection.execute(
                f"INSERT INTO {name}.{table}({table}, rank) VALUES('integrity-check', 1)"
            )
        except apsw.Error as error:
            found.append((table, str(error)))
    return found


def word_places(connection: apsw.Connection, name: str, table: str) -> str:
    """A table of every word of an FTS5 table of a database: `term`, `doc`, `col`, `offset`."""
    places = f"temp.{name}_{table}"
    connection.execute(
        f"CREATE VIRTUAL TABLE IF NOT EXISTS {places} USING fts5vocab({name}, {table}, instance)"
    )
    return places


def varints(data: bytes) -> list[int]:
    """Numbers as SQLite packs them: seven bits a byte, the highest bit says that more follow; none
    here is long."""
    if data.isascii():
        return list(data)
    found = []
    value = 0
    for byte in data:
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            found.append(value)
            value = 0
    return found


def optimize(connection: apsw.Connection) -> None:
    """Merge what FTS5 keeps into one piece each, which has no trace of what was deleted."""
    for table in FTS:
        connection.execute(f"INSERT INTO {table}({table}) VALUES('optimize')")


def _hash_size(connection: apsw.Connection, size: int) -> None:
    """How many bytes FTS5 gathers before it writes: the more, the fewer pieces are left to
    merge."""
    for table in FTS:
        connection.execute(f"INSERT INTO {table}({table}, rank) VALUES('hashsize', ?)", (size,))


def is_ruled_out(db: apsw.Connection, path: str) -> bool:
    """Whether ignore rules leave this path, or a folder above it, out."""
    steps = path.split("/")
    marks = tuple(path_number("/".join(steps[:depth])) for depth in range(1, len(steps) + 1))
    holes = ",".join("?" * len(marks))
    return bool(db.execute(f"SELECT 1 FROM verdict WHERE ignored AND mark IN ({holes})", marks).get)


def is_ours(connection: apsw.Connection) -> bool:
    """Whether the database has this version's tables; `apsw.Error` where it is no sound database,
    or no index."""
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name='meta'").fetchall():
        raise apsw.NotADBError("it has no tables of an index")
    rows = connection.execute(
        "SELECT key, value FROM meta WHERE key IN ('schema', 'parser')"
    ).fetchall()
    return sorted(rows, key=str) == [("parser", PARSER_VERSION), ("schema", SCHEMA_VERSION)]


def load_vectors(connection: apsw.Connection) -> None:
    """Give the connection `vec_int8` and `vec_distance_l2`.

    They are sqlite-vec's, by the path of its file (importing the package would import numpy), or
    the same functions in Python where it has no wheel or extensions cannot be loaded.
    """
    spec = PathFinder.find_spec("sqlite_vec")
    if spec is not None and spec.submodule_search_locations:
        try:
            connection.enable_load_extension(True)
            connection.load_extension(
                os.path.join(next(iter(spec.submodule_search_locations)), "vec0")
            )
            return
        except (apsw.Error, AttributeError):
            pass
    register_vectors(connection)


def register_vectors(connection: apsw.Connection) -> None:
    """The two functions of sqlite-vec that we use, in Python."""
    import numpy as np

    def l2(*vectors: Any) -> float:
        one, other = (np.frombuffer(vector, np.int8).astype(np.int32) for vector in vectors)
        gap = one - other
        return float(np.sqrt(np.float32(gap @ gap)))

    def int8(*blob: Any) -> Any:
        return blob[0]

    connection.create_scalar_function("vec_int8", int8, 1, deterministic=True)
    connection.create_scalar_function("vec_distance_l2", l2, 2, deterministic=True)
