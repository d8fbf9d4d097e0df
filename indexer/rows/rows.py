"""The rows of the index: put, delete, get. The only SQL that writes stands here and in
`schema.py`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Container, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any

import apsw

from indexer.disk.walk import ChangeKey, may_be_note
from indexer.note import Chunk, Note
from indexer.reading.path_meaning import all_names, folded_target
from indexer.record import NamedTuple
from indexer.spelling import compact_json, group_pairs, storable
from indexer.tokens.maxsim import pack_bag, unpack_bag

from . import schema

Tokens = Callable[[Chunk], Iterable[int]]
"""The tokens of a chunk, of which `token_df` counts the chunks they are in."""

_Row = tuple[Any, ...]

PARTS = ("fact", "link", "tag", "task", "name")
"""The tables whose rows belong to a note and are put anew with it."""
_LOG_TABLES = ("log_file", "log_use", "log_mark")

_NOTE = (
    "size, mtime_ns, ctime_ns, inode, racy, sha256, kind, title, date, updated, private, aliases,"
    " front, blocks, problems, lines"
)
_HOLES = ",".join("?" * len(_NOTE.split()))


class ReadNote(NamedTuple):
    """A note ready to be put: its parsed form, its chunks and what the file was when it was
    read."""

    note: Note
    chunks: tuple[Chunk, ...]
    key: ChangeKey
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

    def map_file(self) -> None:
        """Read the file as memory from here on, a whole table in no time: for a process that is
        over soon, as whoever cuts the file off meanwhile ends it."""
        self.db.execute(schema.MAP)

    # -- get -------------------------------------------------------------------------------------

    def _all(self, sql: str, *values: Any) -> list[Any]:
        return self.db.execute(sql, values).fetchall()

    def get_meta(self, key: str) -> Any:
        """A value of `meta`, or None."""
        rows = self._all("SELECT value FROM meta WHERE key=?", key)
        if rows:
            return rows[0][0]
        return None

    def get_all_meta(self) -> dict[str, Any]:
        """Every value of `meta`."""
        return dict(self._all("SELECT key, value FROM meta"))

    def get_keys(self, paths: Collection[str] | None = None) -> dict[str, ChangeKey]:
        """Path → key of every note in the index, or of those among these paths."""
        where = ""
        if paths is not None:
            where = f" WHERE path IN ({','.join('?' * len(paths))})"
        sql = f"SELECT path, size, mtime_ns, ctime_ns, inode FROM note{where}"
        rows = self._all(sql, *(paths or ()))
        return {row[0]: row[1:] for row in rows}

    def get_path_of(self, digest: bytes, among: Container[str]) -> str | None:
        """The first of these paths whose note has this SHA-256."""
        rows = self._all("SELECT path FROM note WHERE sha256=? ORDER BY path", digest)
        return next((path for (path,) in rows if path in among), None)

    def get_racy(self) -> dict[str, bytes]:
        """Path → SHA-256 of the notes whose key proves nothing yet."""
        return dict(self._all("SELECT path, sha256 FROM note WHERE racy"))

    def get_verdicts(self) -> dict[int, int]:
        """The verdicts on every folder seen and every ignored note, as
        `indexer.disk.walk.kept_verdicts` gives them."""
        return dict(self._all("SELECT mark, ignored FROM verdict"))

    def get_failed(self) -> dict[str, str]:
        """Path → reason of every note that could not be read."""
        return dict(self._all("SELECT path, reason FROM failed"))

    # -- put and delete: each call inside the caller's transaction ---------------------

    def put(
        self,
        entries: Sequence[ReadNote],
        embed: Callable[[Sequence[Chunk]], list[bytes]] | None,
        ids: Tokens,
        grams: Callable[[str], str],
    ) -> None:
        """Put notes: rows of chunks that are as they were stay, with their vectors; the others are
        replaced."""
        fresh: list[tuple[int, Chunk]] = []
        parts: dict[str, list[_Row]] = {table: [] for table in PARTS}
        counts: Counter[int] = Counter()
        highest = self._all("SELECT coalesce(max(id), 0) + 1 FROM chunk")[0][0]
        # none gets a number that another had: whoever keeps chunks in memory only compares numbers
        first = max(int(self.get_meta("next_chunk") or 0), int(highest))
        for entry in entries:
            number, before = self._put_note(entry)
            wanted: Iterable[Chunk] = entry.chunks
            if before:
                wanted = self._keep_chunks(number, wanted, counts)
                self._delete_parts(number)
            fresh += [(number, chunk) for chunk in wanted]
            _add_parts(parts, number, entry.note)
            names = [
                (number, at, *map(storable, name), grams(name.text))
                for at, name in enumerate(all_names(entry.note))
            ]
            parts["name"] += names
            text = "\n".join(entry.note.shown)
            self._put_words(number, names, text, grams(text))
        self.put_meta("next_chunk", first + len(fresh))
        bags = [pack_bag(ids(chunk)) for _, chunk in fresh]
        self._put_chunks(fresh, bags, first, grams)
        for table, rows in parts.items():
            self._insert(table, rows)
        for one in bags:
            counts.update(unpack_bag(one))
        if embed is not None:
            vectors = embed([chunk for _, chunk in fresh])
            self._insert("chunk_vec", list(enumerate(vectors, first)))
        self._count_tokens(counts)

    def delete(self, paths: Iterable[str]) -> int:
        """Delete notes and all their rows; how many chunks went."""
        counts: Counter[int] = Counter()
        gone = 0
        for path in paths:
            for (note,) in self._all("SELECT id FROM note WHERE path=?", path):
                rows = [row for (row,) in self._all("SELECT id FROM chunk WHERE note=?", note)]
                self._delete_chunks(rows, counts)
                gone += len(rows)
                self._delete_parts(note)
                self.db.execute("DELETE FROM note WHERE id=?", (note,))
            self.db.execute("DELETE FROM failed WHERE path=?", (path,))
        self._count_tokens(counts)
        return gone

    def move(self, old: str, new: str) -> None:
        """A note is now at another path; its key proves nothing until it is put there."""
        if not self._all("SELECT 1 FROM note WHERE path=?", new):
            self.db.execute("UPDATE note SET path=?, size=-1 WHERE path=?", (new, old))

    def put_keys(self, rows: Iterable[tuple[str, ChangeKey, bool]]) -> None:
        """New keys for notes whose bytes are as they were."""
        self.db.executemany(
            "UPDATE note SET size=?, mtime_ns=?, ctime_ns=?, inode=?, racy=? WHERE path=?",
            ((*key, racy, path) for path, key, racy in rows),
        )

    def put_failed(self, failed: dict[str, str]) -> None:
        """Exactly these notes are failed."""
        self.db.execute("DELETE FROM failed")
        self._insert("failed", list(failed.items()))

    def put_verdicts(self, verdicts: Mapping[int, int]) -> None:
        """Exactly these ignore verdicts."""
        self.db.execute("DELETE FROM verdict")
        self._insert("verdict", list(verdicts.items()))

    def put_meta(self, key: str, value: str | float | bytes | None) -> None:
        """Set a value of `meta`; None drops it."""
        if value is None:
            self.db.execute("DELETE FROM meta WHERE key=?", (key,))
        else:
            self.db.execute("INSERT OR REPLACE INTO meta VALUES(?, ?)", (key, value))

    def clear_log(self) -> bool:
        """Forget the usage log, which is then read anew; whether it spoke of a note that is
        ignored."""
        refs = self._all(
            "SELECT ref FROM log_use UNION SELECT ref FROM log_mark UNION SELECT value FROM"
            " log_mark"
        )
        for table in (*_LOG_TABLES, "usage", "alias"):
            self.db.execute(f"DELETE FROM {table}")
        return any(
            may_be_note(str(ref)) and schema.is_ruled_out(self.db, str(ref)) for (ref,) in refs
        )

    def put_log(self, rows: Mapping[str, Sequence[_Row]], anew: Iterable[str]) -> None:
        """Put rows of the usage log's tables, once all there is of the devices `anew` is gone."""
        for table in _LOG_TABLES:
            self.db.executemany(f"DELETE FROM {table} WHERE device=?", [(each,) for each in anew])
            self._insert(table, rows[table], "INSERT OR REPLACE")

    def copy_usage(self, aliases: Mapping[str, str]) -> None:
        """Let the aliases be these, and put what each device's events add up to as if no other had
        used the same."""
        self.db.execute("DELETE FROM alias; DELETE FROM usage")
        self._insert("alias", list(aliases.items()))
        self.db.execute(
            "INSERT OR IGNORE INTO usage SELECT log_use.ref, count, used, score, ranked, days "
            "FROM log_use LEFT JOIN alias ON alias.ref = log_use.ref WHERE alias.ref IS NULL"
        )

    def put_usage(self, rows: Sequence[_Row]) -> None:
        """Put what all devices add up to under these present names."""
        self._insert("usage", rows, "INSERT OR REPLACE")

    def advance(self) -> None:
        """Count a commit that changed rows."""
        self.db.execute("UPDATE meta SET value = value + 1 WHERE key='generation'")

    def purge(self) -> bool:
        """Remove every byte of deleted rows from the database and its WAL.

        Outside a transaction. False where a reader elsewhere still looks at the past: then the WAL
        keeps them until the next call.
        """
        if self.get_meta("purge") == "rows":
            schema.optimize(self.db)
            self.db.execute("VACUUM")
            self.put_meta("purge", "log")
        if emptied := schema.empty_log(self.db):
            self.put_meta("purge", None)
        return emptied

    # -- parts -----------------------------------------------------------------------------------

    def _put_note(self, entry: ReadNote) -> tuple[int, bool]:
        """The note's row; its number, and whether it was there before."""
        note = entry.note
        values = (
            *entry.key,
            entry.racy,
            entry.sha256,
            note.kind,
            note.title,
            note.date,
            note.updated,
            note.private,
            *map(_json, (note.aliases, note.front_matter, note.blocks, note.problems)),
            len(note.lines),
            note.path,
        )
        for (number,) in self._all("SELECT id FROM note WHERE path=?", note.path):
            self.db.execute(f"UPDATE note SET ({_NOTE}) = ({_HOLES}) WHERE path=?", values)
            return number, True
        self.db.execute(f"INSERT INTO note({_NOTE}, path) VALUES({_HOLES}, ?)", values)
        return self.db.last_insert_rowid(), False

    def _keep_chunks(self, note: int, chunks: Iterable[Chunk], counts: Counter[int]) -> list[Chunk]:
        """The chunks of a note that are not in the index yet; the others are moved to their place,
        and rows that no chunk wants are deleted."""
        there = self._all(
            "SELECT id, hash, grain FROM chunk WHERE note=? ORDER BY ordinal DESC", note
        )
        rows = group_pairs((tuple(same), number) for number, *same in there)
        fresh = []
        for chunk in chunks:
            same = rows.get((chunk.hash, chunk.grain))
            if same:
                self.db.execute(
                    "UPDATE chunk SET ordinal=?, heading=?, first=?, last=?, status=?, type=?,"
                    " date=?, fact=?, importance=? WHERE id=?",
                    (
                        chunk.ordinal,
                        "\n".join(chunk.heading),
                        chunk.first,
                        chunk.last,
                        *chunk[8:13],
                        same.pop(),
                    ),
                )
            else:
                fresh.append(chunk)
        self._delete_chunks(chain.from_iterable(rows.values()), counts)
        return fresh

    def _put_chunks(
        self,
        fresh: Iterable[tuple[int, Chunk]],
        bags: Iterable[bytes],
        first: int,
        grams: Callable[[str], str],
    ) -> None:
        pairs = zip(fresh, bags, strict=True)
        rows = [
            (
                number,
                note,
                *chunk[:2],
                "\n".join(chunk.heading),
                *chunk[3:8],  # what chunk_fts reads ends with its tags
                grams(f"{chunk.context}\n{chunk.text}"),
                *chunk[8:],
                tokens,
            )
            for number, ((note, chunk), tokens) in enumerate(pairs, first)
        ]
        self._insert("chunk", rows)
        self.db.execute(
            "INSERT INTO chunk_fts(rowid, context, text, tags, grams) "
            "SELECT id, context, text, tags, grams FROM chunk WHERE id >= ?",
            (first,),
        )

    def _delete_chunks(self, rows: Iterable[int], counts: Counter[int]) -> None:
        for number in rows:
            counts.subtract(
                unpack_bag(self._all("SELECT tokens FROM chunk WHERE id=?", number)[0][0])
            )
            self.db.execute(
                "INSERT INTO chunk_fts(chunk_fts, rowid, context, text, tags, grams) "
                "SELECT 'delete', id, context, text, tags, grams FROM chunk WHERE id=?",
                (number,),
            )
            self.db.execute("DELETE FROM chunk WHERE id=?", (number,))
            self.db.execute("DELETE FROM chunk_vec WHERE id=?", (number,))

    def _put_words(self, number: int, names: Sequence[_Row], text: str, bigrams: str) -> None:
        """Let FTS5 read a note as a whole, with its own names for a title, and each row of
        `name`."""
        titles = [name[3] for name in names if name[2] not in {"initials", "link"}]
        title = "\n".join(titles)
        self.db.execute(
            "INSERT INTO note_fts(rowid, title, text, grams) VALUES(?,?,?,?)",
            (number, title, text, bigrams),
        )
        rows = [(number << 20 | name[1], name[3], name[6]) for name in names]
        self.db.executemany("INSERT INTO name_fts(rowid, text, grams) VALUES(?,?,?)", rows)

    def _delete_parts(self, number: int) -> None:
        """Delete what a note holds besides its chunks, and its words as a whole."""
        self.db.execute("DELETE FROM note_fts WHERE rowid=?", (number,))
        self.db.execute(
            "INSERT INTO name_fts(name_fts, rowid, text, grams) "
            "SELECT 'delete', note << 20 | ordinal, text, grams FROM name WHERE note=?",
            (number,),
        )
        for table in PARTS:
            self.db.execute(f"DELETE FROM {table} WHERE note=?", (number,))

    def _insert(self, table: str, rows: Sequence[_Row], verb: str = "INSERT") -> None:
        if rows:
            marks = ",".join("?" * len(rows[0]))
            self.db.executemany(f"{verb} INTO {table} VALUES({marks})", rows)  # a name of our own

    def _count_tokens(self, counts: Counter[int]) -> None:
        rows = [(token, by) for token, by in counts.items() if by]
        self.db.executemany(
            "INSERT INTO token_df VALUES(?1, ?2) ON CONFLICT(token) DO UPDATE SET chunks = chunks"
            " + ?2",
            rows,
        )
        if any(by < 0 for _, by in rows):
            self.db.execute("DELETE FROM token_df WHERE chunks <= 0")


def _add_parts(parts: Mapping[str, list[_Row]], number: int, note: Note) -> None:
    from indexer.reading.fact_line import lasts  # a search over an unchanged vault never needs it
    from indexer.reading.type_words import narrower

    parts["fact"] += [
        (
            number,
            at,
            f.key,
            f.type,
            f.status,
            f.date,
            f.first,
            f.last,
            lasts(f),
            f.until,
            f.superseded_by or None,
            f.updates or None,
            narrower(f),
            _json(f),
        )
        for at, f in enumerate(note.facts)
    ]
    parts["link"] += [
        (number, at, *link, folded_target(link.target)) for at, link in enumerate(note.links)
    ]
    for table, values in (("tag", note.tags), ("task", note.tasks)):
        parts[table] += [(number, at, *value) for at, value in enumerate(values)]


def _json(value: object) -> str:
    if not value:  # most notes have no aliases, blocks and problems
        if isinstance(value, dict):
            return "{}"
        return "[]"

    return storable(compact_json(value, default=str))


def open_index(folder: str, *, write: bool) -> Index | None:
    """The live index of a folder, or None where there is none of this version; `apsw.Error` if it
    is unsound."""
    path = schema.current_file(folder)
    if path is None:
        return None
    db = schema.connect(path, write=write)
    ours = False
    try:
        ours = schema.is_ours(db)
    finally:
        if not ours:
            db.close()
    if ours:
        return Index(db, folder, path)
    return None


def create_index(folder: str, path: str) -> Index:
    """A new, empty index at `path` (":memory:" for none on disk); `apsw.Error` or `OSError` if it
    cannot be made."""
    return Index(schema.create(path), folder, path)
