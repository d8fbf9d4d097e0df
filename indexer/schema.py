"""The index file: its tables, their version, and how it is found, opened and set aside.

An index folder holds `current` (the name of the live database), the database itself under a name of
its own generation, and `lock`.  A database is never replaced under its own name: a rebuild writes a
new one and moves the pointer.  A corrupt, older or foreign one is set aside and built anew; there
are no migrations.
"""

from __future__ import annotations

import os
from importlib.machinery import PathFinder

import apsw

SCHEMA_VERSION = 1
PARSER_VERSION = 1
"""Raised whenever the same bytes would give other rows: an index of another version is rebuilt."""

POINTER, LOCK = "current", "lock"

TABLES = """
CREATE TABLE meta(key TEXT PRIMARY KEY, value ANY) WITHOUT ROWID;
CREATE TABLE note(
    id INTEGER PRIMARY KEY,
    path TEXT NOT NULL UNIQUE,          -- vault-relative, with /
    size INTEGER, mtime_ns INTEGER, ctime_ns INTEGER, inode INTEGER,  -- the key: what a stat said when it was read
    racy INTEGER,                       -- 1: written too shortly before it was read for the key to prove anything
    sha256 BLOB,
    kind TEXT, title TEXT, date TEXT, updated TEXT, private INTEGER,
    aliases TEXT, front TEXT, blocks TEXT, problems TEXT,             -- JSON
    lines INTEGER
);
CREATE INDEX note_sha256 ON note(sha256);
CREATE TABLE chunk(
    id INTEGER PRIMARY KEY,
    note INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    grain TEXT,                         -- fact or section
    heading TEXT,                       -- heading path, one heading a line
    first INTEGER, last INTEGER,        -- lines of the note
    context TEXT, text TEXT, tags TEXT, grams TEXT,                   -- what chunk_fts indexes
    status TEXT, type TEXT, date TEXT, fact TEXT, importance REAL,
    hash BLOB
);
CREATE INDEX chunk_note ON chunk(note, ordinal);
CREATE VIRTUAL TABLE chunk_fts USING fts5(
    context, text, tags, grams, content='chunk', content_rowid='id',
    tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
CREATE VIRTUAL TABLE note_fts USING fts5(   -- whole notes: how much of a question a note answers in all
    title, text, grams, content='', contentless_delete=1,
    tokenize="porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"
);
CREATE TABLE chunk_vec(id INTEGER PRIMARY KEY, v BLOB);
CREATE TABLE fact(
    note INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    key TEXT, type TEXT, status TEXT, date TEXT, first INTEGER, last INTEGER,
    detail TEXT,                        -- the whole Fact as JSON
    PRIMARY KEY(note, ordinal)
) WITHOUT ROWID;
CREATE INDEX fact_key ON fact(key);
CREATE TABLE link(
    note INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    target TEXT, heading TEXT, block TEXT, label TEXT, line INTEGER, style TEXT, embed INTEGER,
    PRIMARY KEY(note, ordinal)
) WITHOUT ROWID;
CREATE TABLE tag(
    note INTEGER NOT NULL, ordinal INTEGER NOT NULL, name TEXT, line INTEGER, PRIMARY KEY(note, ordinal)
) WITHOUT ROWID;
CREATE TABLE task(
    note INTEGER NOT NULL, ordinal INTEGER NOT NULL,
    text TEXT, done INTEGER, mark TEXT, due TEXT, line INTEGER,
    PRIMARY KEY(note, ordinal)
) WITHOUT ROWID;
CREATE TABLE token_df(token INTEGER PRIMARY KEY, chunks INTEGER);
CREATE TABLE failed(path TEXT PRIMARY KEY, reason TEXT) WITHOUT ROWID;
CREATE TABLE verdict(path TEXT PRIMARY KEY, ignored INTEGER) WITHOUT ROWID;   -- folders, and ignored notes
"""


def current_file(folder: str) -> str | None:
    """The path of the live database in an index folder, or None where there is none."""
    try:
        with open(os.path.join(folder, POINTER), encoding="utf-8") as file:
            name = file.read().strip()
    except (OSError, UnicodeDecodeError):
        return None
    path = os.path.join(folder, name)
    return path if name and os.path.basename(name) == name and os.path.isfile(path) else None


def new_file(folder: str) -> str:
    """A database path in the folder that nothing uses yet."""
    return os.path.join(folder, f"index-{os.urandom(4).hex()}.db")


def point_to(folder: str, path: str) -> None:
    """Make `path` the live database and sweep the ones that no longer are."""
    temporary = os.path.join(folder, f"{POINTER}.{os.getpid()}")
    with open(temporary, "w", encoding="utf-8") as file:
        file.write(os.path.basename(path) + "\n")
        file.flush()
        os.fsync(file.fileno())
    os.replace(temporary, os.path.join(folder, POINTER))
    sweep(folder, os.path.basename(path))


def sweep(folder: str, keep: str, *, corrupt: bool = False) -> None:
    """Remove databases other than `keep` (those set aside too, if `corrupt`); one still open on Windows goes later."""
    for name in os.listdir(folder):
        if name.startswith(("index-", "corrupt-") if corrupt else "index-") and not name.startswith(keep):
            try:
                os.remove(os.path.join(folder, name))
            except OSError:
                continue


def set_aside(folder: str, stamp: str) -> str | None:
    """Move a live database that is no good out of the way as `corrupt-STAMP.db`; its new path, or None."""
    path = current_file(folder)
    if path is None:
        return None
    for old in os.listdir(folder):
        if old.startswith("corrupt-"):
            os.remove(os.path.join(folder, old))
    aside = os.path.join(folder, f"corrupt-{stamp}.db")
    for suffix in ("-wal", "-shm"):
        if os.path.exists(path + suffix):
            os.remove(path + suffix)
    os.replace(path, aside)
    return aside


def connect(path: str, *, write: bool) -> apsw.Connection:
    """Open a database with the settings every connection here has; `apsw.Error` where it cannot be.

    A reader on a folder that cannot be written opens the file as it stands (`immutable`).
    """
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE if write else apsw.SQLITE_OPEN_READONLY
    connection = apsw.Connection(path, flags=flags)
    connection.set_busy_timeout(5000)
    try:
        _settings(connection, write=write)
    except (apsw.CantOpenError, apsw.ReadOnlyError):
        connection.close()
        if write:
            raise
        uri = "file:" + path.replace("%", "%25").replace("?", "%3f").replace("#", "%23") + "?immutable=1"
        connection = apsw.Connection(uri, flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)
        _settings(connection, write=False)
    return connection


def _settings(connection: apsw.Connection, *, write: bool) -> None:
    if write:
        connection.execute("PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA wal_autocheckpoint=4000")
    else:
        connection.execute("PRAGMA query_only=1; SELECT count(*) FROM sqlite_schema").fetchall()
    connection.execute("PRAGMA cache_size=-65536; PRAGMA temp_store=MEMORY")
    load_vectors(connection)


def create(connection: apsw.Connection) -> None:
    """Make the tables of an empty database, in one transaction."""
    with connection:
        connection.execute(TABLES)
        connection.execute(
            "INSERT INTO meta VALUES('schema', ?), ('parser', ?), ('generation', 0)", (SCHEMA_VERSION, PARSER_VERSION)
        )


def is_ours(connection: apsw.Connection) -> bool:
    """Whether the database has this version's tables; `apsw.Error` where it is no sound database."""
    if not connection.execute("SELECT 1 FROM sqlite_schema WHERE name='meta'").fetchall():
        return False
    versions = dict(connection.execute("SELECT key, value FROM meta WHERE key IN ('schema', 'parser')").fetchall())
    return versions == {"schema": SCHEMA_VERSION, "parser": PARSER_VERSION}


def load_vectors(connection: apsw.Connection) -> None:
    """Give the connection `vec_int8` and `vec_distance_l2`/`_cosine`: sqlite-vec by the path of its file
    (importing the package would import numpy), or the same functions in Python where it has no wheel."""
    spec = PathFinder.find_spec("sqlite_vec")
    if spec is not None and spec.submodule_search_locations:
        try:
            connection.enable_load_extension(True)
            connection.load_extension(os.path.join(next(iter(spec.submodule_search_locations)), "vec0"))
            return
        except (apsw.Error, AttributeError):
            pass
    register_vectors(connection)


def register_vectors(connection: apsw.Connection) -> None:
    """The three functions of sqlite-vec that we use, in Python."""
    import numpy

    def int8(blob: bytes) -> numpy.ndarray:
        return numpy.frombuffer(blob, dtype=numpy.int8).astype(numpy.float32)

    def l2(one: bytes, other: bytes) -> float:
        gap = int8(one) - int8(other)
        return float(numpy.sqrt(numpy.float32(gap @ gap)))

    def cosine(one: bytes, other: bytes) -> float:
        a, b = int8(one), int8(other)
        return float(1 - (a @ b) / (numpy.sqrt(a @ a) * numpy.sqrt(b @ b)))

    connection.create_scalar_function("vec_int8", lambda blob: blob, 1, deterministic=True)
    connection.create_scalar_function("vec_distance_l2", l2, 2, deterministic=True)
    connection.create_scalar_function("vec_distance_cosine", cosine, 2, deterministic=True)
