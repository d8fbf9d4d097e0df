"""The rows of the index: put, delete, get.  The only SQL that writes stands here and in `schema.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import apsw

from . import schema
from .note import Chunk, Note

Key = tuple[int, int, int, int]
"""What a stat said of a file: size, mtime_ns, ctime_ns, inode (the last two 0 on Windows)."""


class Entry(NamedTuple):
    """A note ready to be put: its parsed form, its chunks and what the file was when it was read."""

    note: Note
    chunks: tuple[Chunk, ...]
    key: Key
    racy: bool
    sha256: bytes


class Index:
    """An open index.  `db` may be read by anyone; only the methods here write."""

    def __init__(self, db: apsw.Connection, folder: str, path: str) -> None:
        self.db = db
        self.folder = folder
        self.path = path

    @property
    def generation(self) -> int:
        """How many commits changed the rows; caches key on it."""
        return int(self.get_meta("generation") or 0)

    def close(self) -> None:
        """Close the connection; a second close does nothing."""
        self.db.close()

    # -- get -------------------------------------------------------------------------------------

    def get_meta(self, key: str) -> str | int | None:
        """A value of `meta`, or None."""
        for (value,) in self.db.execute("SELECT value FROM meta WHERE key=?", (key,)):
            return value  # type: ignore[no-any-return]  # a column of type ANY
        return None

    def get_keys(self) -> dict[str, Key]:
        """Path → key of every note in the index."""
        rows = self.db.execute("SELECT path, size, mtime_ns, ctime_ns, inode FROM note")
        return {path: (size, mtime, ctime, inode) for path, size, mtime, ctime, inode in rows}

    def get_racy(self) -> dict[str, bytes]:
        """Path → SHA-256 of the notes whose key proves nothing yet."""
        return dict(self.db.execute("SELECT path, sha256 FROM note WHERE racy").fetchall())

    def get_verdicts(self) -> dict[str, bool]:
        """Path → ignored, for every folder seen and every ignored note."""
        return {path: bool(ignored) for path, ignored in self.db.execute("SELECT path, ignored FROM verdict")}

    def get_failed(self) -> dict[str, str]:
        """Path → reason of every note that could not be read."""
        return dict(self.db.execute("SELECT path, reason FROM failed").fetchall())

    # -- put and delete: each call inside `with index.db`, the caller's transaction ------------------

    def put(self, entries: Sequence[Entry], embed: Callable[[Sequence[Chunk]], list[bytes]] | None,
            ids: Callable[[Chunk], Iterable[int]], grams: Callable[[str], str]) -> None:  # fmt: skip
        """Put notes: rows of chunks that are as they were stay, with their vectors; the others are replaced."""
        fresh: list[tuple[int, Chunk]] = []
        counts: Counter[int] = Counter()
        next_id = self.db.execute("SELECT coalesce(max(id), 0) + 1 FROM chunk").get
        for entry in entries:
            note = self._put_note(entry)
            kept, gone = self._match(note, entry.chunks)
            self._delete_chunks(gone, counts, ids)
            for chunk in entry.chunks:
                if chunk.ordinal not in kept:
                    fresh.append((next_id, chunk))
                    self._put_chunk(next_id, note, chunk, grams)
                    next_id += 1
                else:
                    self._move_chunk(kept[chunk.ordinal], chunk)
            self._put_parts(note, entry.note)
            self._put_text(note, entry.note, grams)
            self.db.execute("DELETE FROM failed WHERE path=?", (entry.note.path,))
        for _, chunk in fresh:
            counts.update(set(ids(chunk)))
        if embed is not None:
            vectors = embed([chunk for _, chunk in fresh])
            rows = ((number, vector) for (number, _), vector in zip(fresh, vectors, strict=True))
            self.db.executemany("INSERT INTO chunk_vec VALUES(?, ?)", rows)
        self._count_tokens(counts)

    def delete(self, paths: Iterable[str], ids: Callable[[Chunk], Iterable[int]]) -> int:
        """Delete notes and all their rows; how many chunks went."""
        counts: Counter[int] = Counter()
        gone = 0
        for path in paths:
            for (note,) in self.db.execute("SELECT id FROM note WHERE path=?", (path,)).fetchall():
                rows = [row for (row,) in self.db.execute("SELECT id FROM chunk WHERE note=?", (note,))]
                self._delete_chunks(rows, counts, ids)
                gone += len(rows)
                self._delete_parts(note)
                self.db.execute("DELETE FROM note_fts WHERE rowid=?", (note,))
                self.db.execute("DELETE FROM note WHERE id=?", (note,))
            self.db.execute("DELETE FROM failed WHERE path=?", (path,))
        self._count_tokens(counts)
        return gone

    def move(self, old: str, new: str) -> None:
        """A note is now at another path; what depends on the path is put anew afterwards."""
        self.db.execute("UPDATE note SET path=? WHERE path=?", (new, old))

    def put_keys(self, rows: Iterable[tuple[str, Key, bool]]) -> None:
        """New keys for notes whose bytes are as they were."""
        self.db.executemany(
            "UPDATE note SET size=?, mtime_ns=?, ctime_ns=?, inode=?, racy=? WHERE path=?",
            ((*key, racy, path) for path, key, racy in rows),
        )

    def put_failed(self, failed: dict[str, str]) -> None:
        """Exactly these notes are failed."""
        self.db.execute("DELETE FROM failed")
        self.db.executemany("INSERT INTO failed VALUES(?, ?)", failed.items())

    def put_verdicts(self, verdicts: dict[str, bool]) -> None:
        """Exactly these ignore verdicts."""
        self.db.execute("DELETE FROM verdict")
        self.db.executemany("INSERT INTO verdict VALUES(?, ?)", verdicts.items())

    def put_meta(self, key: str, value: str | int) -> None:
        """Set a value of `meta`."""
        self.db.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (key, value))

    def delete_meta(self, key: str) -> None:
        """Drop a value of `meta`."""
        self.db.execute("DELETE FROM meta WHERE key=?", (key,))

    def carry(self, old: Index, path: str, ids: Callable[[Chunk], Iterable[int]]) -> None:
        """Copy a note's rows from another index of this version."""
        for number, *values in old.db.execute("SELECT * FROM note WHERE path=?", (path,)):
            marks = ",".join("?" * len(values))
            self.db.execute(f"INSERT INTO note VALUES(NULL,{marks})", values)  # marks only
            note = self.db.last_insert_rowid()
            counts: Counter[int] = Counter()
            for row in old.db.execute("SELECT * FROM chunk WHERE note=? ORDER BY ordinal", (number,)):
                self._carry_chunk(old, note, row, counts, ids)
            self._count_tokens(counts)
            for table, width in (("fact", 8), ("link", 8), ("tag", 3), ("task", 6)):
                marks = ",".join("?" * width)
                rows = old.db.execute(f"SELECT * FROM {table} WHERE note=?", (number,))  # noqa: S608  # our names
                self.db.executemany(
                    f"INSERT INTO {table} VALUES(?,{marks})", [(note, *parts) for _, *parts in rows]
                )  # fmt: skip

    def _carry_chunk(self, old: Index, note: int, row: tuple[Any, ...], counts: Counter[int],
                     ids: Callable[[Chunk], Iterable[int]]) -> None:  # fmt: skip
        self.db.execute("INSERT INTO chunk VALUES(NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", (note, *row[2:]))
        number = self.db.last_insert_rowid()
        self.db.execute("INSERT INTO chunk_fts(rowid, context, text, tags, grams) VALUES(?,?,?,?,?)", (number, *row[7:11]))
        counts.update(set(ids(_leaving(*row[7:10]))))
        for (vector,) in old.db.execute("SELECT v FROM chunk_vec WHERE id=?", (row[0],)):
            self.db.execute("INSERT INTO chunk_vec VALUES(?,?)", (number, vector))

    def advance(self) -> None:
        """Count a commit that changed rows."""
        self.db.execute("UPDATE meta SET value = value + 1 WHERE key='generation'")

    def tidy(self) -> None:
        """After a full build: merge the FTS segments and let SQLite learn its statistics."""
        self.db.execute("INSERT INTO chunk_fts(chunk_fts) VALUES('optimize')")
        self.db.execute("INSERT INTO note_fts(note_fts) VALUES('optimize')")
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def purge(self) -> None:
        """Leave no byte of deleted rows in the database or its WAL (reliability F4)."""
        self.db.execute("INSERT INTO chunk_fts(chunk_fts) VALUES('optimize')")
        self.db.execute("INSERT INTO note_fts(note_fts) VALUES('optimize')")
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self.db.execute("VACUUM")
        self.db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    # -- parts -----------------------------------------------------------------------------------

    def _put_note(self, entry: Entry) -> int:
        note = entry.note
        values = (
            *entry.key, entry.racy, entry.sha256, note.kind, note.title, note.date, note.updated, note.private,
            _json(note.aliases), _json(note.front_matter), _json(note.blocks), _json(note.problems), len(note.lines),
            note.path,
        )  # fmt: skip
        for (number,) in self.db.execute("SELECT id FROM note WHERE path=?", (note.path,)).fetchall():
            self.db.execute(
                "UPDATE note SET size=?, mtime_ns=?, ctime_ns=?, inode=?, racy=?, sha256=?, kind=?, title=?, date=?, "
                "updated=?, private=?, aliases=?, front=?, blocks=?, problems=?, lines=? WHERE path=?", values
            )  # fmt: skip
            return int(number)
        self.db.execute(
            "INSERT INTO note(size, mtime_ns, ctime_ns, inode, racy, sha256, kind, title, date, updated, private, "
            "aliases, front, blocks, problems, lines, path) VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", values
        )  # fmt: skip
        return self.db.last_insert_rowid()

    def _match(self, note: int, chunks: Sequence[Chunk]) -> tuple[dict[int, int], list[int]]:
        """Which chunks of the note are in the index already (ordinal → id), and which rows no chunk wants."""
        rows: dict[tuple[bytes, str], list[int]] = {}
        found = self.db.execute("SELECT id, hash, grain FROM chunk WHERE note=? ORDER BY ordinal DESC", (note,))
        for number, digest, grain in found:
            rows.setdefault((digest, grain), []).append(number)
        kept = {}
        for chunk in chunks:
            same = rows.get((chunk.hash, chunk.grain))
            if same:
                kept[chunk.ordinal] = same.pop()
        return kept, [number for numbers in rows.values() for number in numbers]

    def _put_chunk(self, number: int, note: int, chunk: Chunk, grams: Callable[[str], str]) -> None:
        bigrams = grams(f"{chunk.context}\n{chunk.text}")
        self.db.execute(
            "INSERT INTO chunk VALUES(?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
            (number, note, chunk.ordinal, chunk.grain, "\n".join(chunk.heading), chunk.first, chunk.last,
             chunk.context, chunk.text, chunk.tags, bigrams, chunk.status, chunk.type, chunk.date, chunk.fact,
             chunk.importance, chunk.hash),
        )  # fmt: skip
        self.db.execute(
            "INSERT INTO chunk_fts(rowid, context, text, tags, grams) VALUES(?,?,?,?,?)",
            (number, chunk.context, chunk.text, chunk.tags, bigrams),
        )

    def _move_chunk(self, number: int, chunk: Chunk) -> None:
        self.db.execute(
            "UPDATE chunk SET ordinal=?, heading=?, first=?, last=?, status=?, type=?, date=?, fact=?, importance=? "
            "WHERE id=?",
            (chunk.ordinal, "\n".join(chunk.heading), chunk.first, chunk.last, chunk.status, chunk.type, chunk.date,
             chunk.fact, chunk.importance, number),
        )  # fmt: skip

    def _delete_chunks(
        self, rows: Iterable[int], counts: Counter[int], ids: Callable[[Chunk], Iterable[int]]
    ) -> None:
        for number in rows:
            context, text, tags, bigrams = self.db.execute(
                "SELECT context, text, tags, grams FROM chunk WHERE id=?", (number,)
            ).get
            counts.subtract(set(ids(_leaving(context, text, tags))))
            self.db.execute(
                "INSERT INTO chunk_fts(chunk_fts, rowid, context, text, tags, grams) VALUES('delete',?,?,?,?,?)",
                (number, context, text, tags, bigrams),
            )
            self.db.execute("DELETE FROM chunk WHERE id=?", (number,))
            self.db.execute("DELETE FROM chunk_vec WHERE id=?", (number,))

    def _put_parts(self, number: int, note: Note) -> None:
        self._delete_parts(number)
        if note.facts:
            self.db.executemany(
                "INSERT INTO fact VALUES(?,?,?,?,?,?,?,?,?)",
                ((number, at, f.key, f.type, f.status, f.date, f.first, f.last, _json(f))
                 for at, f in enumerate(note.facts)),
            )  # fmt: skip
        if note.links:
            self.db.executemany(
                "INSERT INTO link VALUES(?,?,?,?,?,?,?,?,?)", ((number, at, *link) for at, link in enumerate(note.links))
            )
        if note.tags:
            self.db.executemany("INSERT INTO tag VALUES(?,?,?,?)", ((number, i, *t) for i, t in enumerate(note.tags)))
        if note.tasks:
            self.db.executemany(
                "INSERT INTO task VALUES(?,?,?,?,?,?,?)", ((number, at, *task) for at, task in enumerate(note.tasks))
            )

    def _put_text(self, number: int, note: Note, grams: Callable[[str], str]) -> None:
        stem = note.path.rpartition("/")[2].rpartition(".")[0]
        title = note.title if stem in note.title else f"{note.title} {stem}"
        text = "\n".join(note.lines)
        self.db.execute("DELETE FROM note_fts WHERE rowid=?", (number,))
        self.db.execute(
            "INSERT INTO note_fts(rowid, title, text, grams) VALUES(?,?,?,?)", (number, title, text, grams(text))
        )

    def _delete_parts(self, number: int) -> None:
        for table in ("fact", "link", "tag", "task"):
            self.db.execute(f"DELETE FROM {table} WHERE note=?", (number,))  # noqa: S608  # names of our own

    def _count_tokens(self, counts: Counter[int]) -> None:
        rows = [(token, by) for token, by in counts.items() if by]
        self.db.executemany(
            "INSERT INTO token_df VALUES(?1, ?2) ON CONFLICT(token) DO UPDATE SET chunks = chunks + ?2", rows
        )
        self.db.execute("DELETE FROM token_df WHERE chunks <= 0")


def _leaving(context: str, text: str, tags: str) -> Chunk:
    """As much of a chunk as its tokens depend on, from its row; it has no hash."""
    return Chunk(0, "", (), 0, 0, context, text, tags, "", "", None, "", None, b"")


def _json(value: object) -> str:
    import json  # a search over an unchanged vault never needs it

    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str)


def open_index(folder: str, *, write: bool) -> Index | None:
    """The live index of a folder, or None where there is none of this version; `apsw.Error` if it is unsound."""
    path = schema.current_file(folder)
    if path is None:
        return None
    db = schema.connect(path, write=write)
    try:
        if schema.is_ours(db):
            return Index(db, folder, path)
    except apsw.Error:
        db.close()
        raise
    db.close()
    return None


def create_index(folder: str, path: str) -> Index:
    """A new, empty index at `path` (":memory:" for none on disk); `apsw.Error` or `OSError` if it cannot be made."""
    db = schema.connect(path, write=True)
    schema.create(db)
    return Index(db, folder, path)
