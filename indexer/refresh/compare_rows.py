"""Comparison of two indexes of the same files, row for row, of one index with itself, and of a sample of its vectors
with what model2vec itself gives, not with our own encoder.

Numbers of rows are not compared, nor what only says when a file was read (`racy`) or where the next
pass may look no further (`walk`, `rules` and `generation` in meta): no answer depends on them.
Values come as SQLite stores them, type and bytes, so that no damaged text defeats the comparison.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import apsw

from indexer.note import MODEL_SHA, Fact
from indexer.rows import schema
from indexer.tokens import embed
from indexer.tokens.maxsim import unpack_bag

OWNED = ("chunk", "fact", "link", "tag", "task", "name")
"""The tables whose rows belong to a note, in its own order."""
COUNTED = ("note", *OWNED, "chunk_vec", "token_df")

_ILL_FORMED = """
SELECT (SELECT count(*) FROM note WHERE date(date) IS NOT date OR NOT ifnull(
           json_valid(aliases) AND json_valid(front) AND json_valid(blocks) AND json_valid(problems), 0))
     + (SELECT count(*) FROM fact WHERE date(date) IS NOT date OR json_array_length(detail) IS NOT ?)
     + (SELECT count(*) FROM chunk WHERE date(date) IS NOT date)
     + (SELECT count(DISTINCT length(v)) > 1 FROM chunk_vec)
"""
"""Rows with JSON that is none, a day that no calendar has, or vectors of several lengths; an error for other JSON."""
_APART = {"id", "note", "racy"}
_META = ("schema", "parser", "model", "daily")


class Side(NamedTuple):
    """An index that is compared: its connection, and the number that each note has in it."""

    db: apsw.Connection
    numbers: Mapping[str, int]


class Odd(NamedTuple):
    """Something that is not as it should be: which part of an index or of a note, and what is odd about it."""

    part: str
    what: str


def numbers(db: apsw.Connection) -> dict[str, int]:
    r"""Path → number of every note; bytes that are no UTF-8 come as `\xff`, which no path of a vault holds."""
    rows = db.execute("SELECT CAST(path AS BLOB), id FROM note ORDER BY id")
    return {(path or b"").decode("utf-8", "backslashreplace"): number for path, number in rows}


def private(db: apsw.Connection) -> set[str]:
    """The paths of the notes that are marked private."""
    rows = db.execute("SELECT CAST(path AS BLOB) FROM note WHERE private IS NOT 0")
    return {(path or b"").decode("utf-8", "backslashreplace") for (path,) in rows}


def counts(db: apsw.Connection) -> dict[str, int]:
    """How many rows each table has, as far as it can be read."""
    found = {}
    for table in COUNTED:
        try:
            found[table] = db.execute(f"SELECT count(*) FROM {table}").get  # noqa: S608
        except apsw.Error:
            found[table] = 0
    return found


# -- of one note ------------------------------------------------------------------------------------


def of_note(live: Side, made: Side, path: str, tables: Iterable[str]) -> list[Odd]:
    """How the rows of a note that both indexes hold differ, in these tables."""
    found: list[Odd] = []
    for table in tables:
        try:
            ours, theirs = (_rows(side.db, table, side.numbers[path]) for side in (live, made))
            if ours != theirs:
                found += _unlike(made.db, table, ours, theirs)
        except schema.UNSOUND as error:
            found.append(Odd(table, f"cannot be read: {error}"))
    return found


def readable(live: apsw.Connection, made: apsw.Connection) -> tuple[list[str], list[Odd]]:
    """The tables whose rows can be compared, and what is odd about the others."""
    good, bad = [], []
    for table in ("note", *OWNED, "note_fts_docsize"):
        try:
            live.execute(_select(table, _columns(made, table)), (0,)).fetchall()
            good.append(table)
        except apsw.Error as error:
            bad.append(Odd(table, f"cannot be read: {error}"))
    return good, bad


def _columns(made: apsw.Connection, table: str) -> list[str]:
    if table == "note_fts_docsize":
        return ["sz"]
    rows = made.execute(f"PRAGMA table_info({table})")
    return [row[1] for row in rows if row[1] not in _APART]


def _select(table: str, columns: Sequence[str]) -> str:
    names, source = [*columns], table
    if table == "chunk":
        names, source = [*columns, "v"], "chunk LEFT JOIN chunk_vec USING(id)"
    values = ", ".join(f"CASE typeof({name}) WHEN 'text' THEN CAST({name} AS BLOB) ELSE {name} END" for name in names)
    types = " || ' ' || ".join(f"typeof({name})" for name in names)
    key, order = ("note", "ordinal") if table in OWNED else ("id", "id")
    return f"SELECT {order}, {types}, {values} FROM {source} WHERE {key} = ? ORDER BY {order}"  # noqa: S608


_queries: dict[str, str] = {}


def _rows(db: apsw.Connection, table: str, number: int) -> list[tuple[Any, ...]]:
    if table not in _queries:
        _queries[table] = _select(table, _columns(db, table))
    found = db.execute(_queries[table], (number,)).fetchall()
    return found if table in OWNED else [(0, *row[1:]) for row in found]


def _unlike(
    made: apsw.Connection, table: str, ours: Iterable[tuple[Any, ...]], theirs: Iterable[tuple[Any, ...]]
) -> Iterator[Odd]:
    names = [*_columns(made, table), "vector"]
    left: dict[Any, list[tuple[Any, ...]]] = {}
    for row in ours:
        left.setdefault(row[0], []).append(row)
    for row in theirs:
        same = left.get(row[0])
        part = f"{table} {row[0]}" if table in OWNED else "words" if table == "note_fts_docsize" else table
        if not same:
            yield Odd(part, "is missing")
            continue
        other = same.pop(same.index(row) if row in same else 0)
        if other != row:
            kinds = zip(other[1].split(" "), row[1].split(" "), strict=True)
            pairs = zip(names, zip(other[2:], row[2:], strict=True), kinds, strict=False)
            differ = [name for name, (one, two), (kind, wanted) in pairs if one != two or kind != wanted]
            yield Odd(part, f"{_listed(differ)} {'differs' if len(differ) == 1 else 'differ'}")
    for at, rows in left.items():
        for _ in rows:
            yield Odd(f"{table} {at}", "should not be there")


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


# -- the words of whole notes -----------------------------------------------------------------------


def of_words(live: Side, made: Side, paths: Collection[str], table: str = "note_fts") -> tuple[set[str], list[Odd]]:
    """The notes among these whose words FTS5 holds otherwise, and what it holds of no note at all.

    FTS5's own integrity check has no text of whole notes to compare their words with, and of chunks it compares one
    sum over everything, in which one letter that changed in two rows can cancel out.
    """
    try:
        ours, theirs = (_note_sums(side.db, table) for side in (live, made))
    except schema.UNSOUND as error:
        return set(), [Odd(table, f"cannot be read: {error}")]
    lost = ours.keys() - set(live.numbers.values())
    odd = [Odd(table, f"has words of {_many(len(lost), 'row')} without a note")] if lost else []
    return {path for path in paths if ours[live.numbers[path]] != theirs[made.numbers[path]]}, odd


def _sums(db: apsw.Connection, table: str) -> Counter[int]:
    """A sum over the words of each row and where they stand: equal sums mean equal words.

    Of text, whose hash is keyed: that of a tuple is so nearly linear that words that changed places would cancel out.
    """
    sums: Counter[int] = Counter()
    for term, row, column, place in schema.postings(db, table):
        sums[row] += hash(f"{place} {column} {term}")
    return sums


def _note_sums(db: apsw.Connection, table: str) -> Counter[int]:
    """The same for each note, whose chunks and names count by their ordinals."""
    sums = _sums(db, table)
    if table == "note_fts":
        return sums
    notes: Counter[int] = Counter()
    if table == "name_fts":
        for row, one in sums.items():
            notes[row >> 20] += hash(f"{row & 0xFFFFF} {one}")
        return notes
    for number, note, ordinal in db.execute("SELECT id, note, ordinal FROM chunk"):
        notes[note] += hash(f"{ordinal} {sums[number]}")
    return notes


# -- of one index -----------------------------------------------------------------------------------


def of_whole(live: apsw.Connection, made: apsw.Connection) -> list[tuple[str, Odd]]:
    """What is wrong with an index as it stands, whatever its files say: (path or "", what).

    Its pages, its tables, rows of no note, its counts, and the words FTS5 holds beside the chunks they come from.
    """
    found: list[tuple[str, Odd]] = []
    try:
        for table, told in schema.faults(live):
            found.append(("", Odd(table or "pages", told)))
            if table == "chunk_fts":
                found += _odd_chunks(live)
    except apsw.Error as error:
        found.append(("", Odd("pages", str(error))))
    for look in (_tables, _strays, _token_counts, _totals):
        try:
            found += [("", odd) for odd in look(live, made)]
        except schema.UNSOUND as error:
            found.append(("", Odd("rows", f"cannot be read: {error}")))
    return found


def _odd_chunks(live: apsw.Connection) -> list[tuple[str, Odd]]:
    """The chunks whose words FTS5 does not hold as they are; none where it cannot say."""
    try:
        before = _sums(live, "chunk_fts")
        schema.refill(live)
        after = _sums(live, "chunk_fts")
        odd = {number for number in before.keys() | after.keys() if before[number] != after[number]}
        places = {number: (path, at) for number, path, at in live.execute(
            "SELECT chunk.id, note.path, chunk.ordinal FROM chunk JOIN note ON note.id = chunk.note"
        ) if number in odd}  # fmt: skip
    except schema.UNSOUND:
        return []
    return [(path, Odd(f"chunk {at}", "its words in the index are wrong")) for path, at in sorted(places.values())]


def _tables(live: apsw.Connection, made: apsw.Connection) -> Iterator[Odd]:
    """Tables and indexes that are not declared as they should be, what FTS5 is set to, and what meta says."""
    query = "SELECT type || ' ' || name, tbl_name, sql FROM sqlite_schema"
    ours, theirs = ({row[0]: row for row in db.execute(query) if not _is_shadow(row[1])} for db in (live, made))
    for name in sorted(ours.keys() | theirs.keys()):
        if ours.get(name) != theirs.get(name):
            yield Odd(name, "is missing" if name not in ours else "has another definition")
    for table in schema.FTS:
        query = f"SELECT k, v FROM {table}_config WHERE k != 'hashsize' ORDER BY k"  # noqa: S608
        if live.execute(query).fetchall() != made.execute(query).fetchall():
            yield Odd(table, "has other settings")
    for key in _META:
        query = "SELECT value FROM meta WHERE key = ?"
        if live.execute(query, (key,)).fetchall() != made.execute(query, (key,)).fetchall():
            yield Odd("meta", f"{key} differs")


def _is_shadow(table: str) -> bool:
    """Whether FTS5 declared a table, which another version of it may do in other words."""
    return table.startswith(tuple(f"{table}_" for table in schema.FTS))


def _strays(live: apsw.Connection, _made: apsw.Connection) -> Iterator[Odd]:
    """Rows of a note or chunk that is not there."""
    owned = [(table, "note", "note") for table in OWNED]
    for table, key, owner in [
        *owned, ("chunk_vec", "id", "chunk"), ("chunk_fts_docsize", "id", "chunk"), ("note_fts_docsize", "id", "note"),
        ("name_fts_docsize", "id >> 20", "note"),
    ]:  # fmt: skip
        count = live.execute(f"SELECT count(*) FROM {table} WHERE {key} NOT IN (SELECT id FROM {owner})").get  # noqa: S608
        if count:
            yield Odd(table, f"{_many(count, 'row')} {'have' if count > 1 else 'has'} no {owner}")


def _token_counts(live: apsw.Connection, _made: apsw.Connection) -> Iterator[Odd]:
    """`token_df` beside the tokens of the chunks."""
    wanted: Counter[int] = Counter()
    for (tokens,) in live.execute("SELECT tokens FROM chunk"):
        wanted.update(unpack_bag(tokens))
    held = dict(live.execute("SELECT token, chunks FROM token_df"))
    wrong = sum(held.get(token) != wanted.get(token) for token in held.keys() | wanted.keys())
    if wrong:
        yield Odd("token_df", f"{_many(wrong, 'token')} {'has' if wrong == 1 else 'have'} a wrong count")


def _totals(live: apsw.Connection, _made: apsw.Connection) -> Iterator[Odd]:
    """The lengths of all notes that FTS5 keeps for its averages, beside the length of each.

    Its own integrity check leaves them out where it keeps no text, and every score of a note hangs on them.
    """
    rows = [schema.varints(sizes) for (sizes,) in live.execute("SELECT sz FROM note_fts_docsize")]
    wanted = [len(rows), *(sum(column) for column in zip(*rows, strict=True))]
    held = schema.varints(live.execute("SELECT block FROM note_fts_data WHERE id = 1").get or b"")
    if held != wanted and (rows or any(held)):
        yield Odd("note_fts", "its totals do not match its rows")


def is_damaged(path: str | None, error: Exception) -> bool:
    """Whether an error comes from the database at `path`, which is looked at wherever SQLite itself does not say so.

    Anything else is a bug, which would be met again in a new index.
    """
    if isinstance(error, schema.DAMAGED):
        return True
    if not path or path == ":memory:":
        return False
    try:
        index = schema.connect(path, write=False)
        with (
            closing(index),
            closing(schema.copy(index, ":memory:")) as live,
            closing(schema.create(":memory:")) as made,
        ):
            odd = any(odd.part != "meta" for _, odd in of_whole(live, made))
            return odd or bool(live.execute(_ILL_FORMED, (len(Fact._fields),)).get)
    except schema.UNSOUND:
        return True
    except apsw.Error:  # it is locked, or gone
        return False


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


UNKNOWN = "[UNK]"
SAMPLE = 256
"""Chunks that are encoded again."""
LEAST = 0.9999
"""Cosine of a right vector with model2vec's, once that is rounded as a stored one is: they add in another order, so
that some of the numbers may differ by one (the least of 35,000 chunks of real notes was 0.99999)."""


class Sampled(NamedTuple):
    """How many vectors were looked at; the wrong ones as (path, chunk, cosine); why none could be, or ""."""

    chunks: int
    wrong: tuple[tuple[str, int, float], ...]
    why: str


def sample(db: apsw.Connection) -> Sampled:
    """Encode chunks from all over an index that was made with the shipped weights once more."""
    try:
        model = _model()
    except Exception as error:  # noqa: BLE001  # whatever the libraries make of files, versions and platforms
        return Sampled(0, (), f"vectors (model2vec cannot be used: {error})")
    rows = _sampled_rows(db)
    if not rows:
        return Sampled(0, (), "")
    import numpy as np

    stored = np.array([np.frombuffer(row[4], np.int8) for row in rows]).astype(np.float64)
    wanted = _rounded(model.encode([embed.embed_text(row[2], row[3]) for row in rows], max_length=None))
    lengths = np.linalg.norm(stored, axis=1) * np.linalg.norm(wanted, axis=1)
    cosines = np.divide((stored * wanted).sum(axis=1), lengths, out=np.zeros(len(rows)), where=lengths > 0)
    empty = ~stored.any(axis=1) & ~wanted.any(axis=1)  # no word of it is in the vocabulary
    wrong = [(row[0], row[1], float(cosine)) for row, cosine, none in zip(rows, cosines, empty, strict=True)
             if cosine < LEAST and not none]  # fmt: skip
    return Sampled(len(rows), tuple(wrong), "")


def _rounded(vectors: Any) -> Any:
    """Vectors as they are stored: whole numbers at a length of `embed.LENGTH`, those beyond an int8 cut off.

    The cut alone may cost a cosine of 0.005, where one number is most of a vector.
    """
    import numpy as np

    lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
    lengths[lengths == 0] = 1
    return np.rint(vectors * (embed.LENGTH / lengths)).clip(-127, 127)


def shipped_are_whole() -> bool:
    """Whether the shipped weights are those that `MODEL_SHA` names."""
    from hashlib import sha256

    digest = sha256()
    try:
        for name in embed.SHIPPED[:3]:
            digest.update(_table_bytes(name))
    except OSError:
        return False
    return digest.hexdigest().startswith(MODEL_SHA)


def _sampled_rows(db: apsw.Connection) -> list[Any]:
    """(path, ordinal, context, text, vector) of chunks at equal distances."""
    ids = [number for (number,) in db.execute("SELECT id FROM chunk_vec WHERE length(v) = ? ORDER BY id", (embed.DIM,))]
    step = max(1, len(ids) / SAMPLE)
    chosen = [ids[int(at * step)] for at in range(min(SAMPLE, len(ids)))]
    query = (
        "SELECT note.path, chunk.ordinal, chunk.context, chunk.text, chunk_vec.v FROM chunk "
        "JOIN note ON note.id = chunk.note JOIN chunk_vec ON chunk_vec.id = chunk.id WHERE chunk.id = ?"
    )
    return [row for number in chosen for row in db.execute(query, (number,))]


def _model() -> Any:
    """model2vec's own model of the shipped weights."""
    import numpy as np
    from model2vec import StaticModel
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    table, scales, vocabulary = (_table_bytes(name) for name in embed.SHIPPED[:3])
    lengths = np.frombuffer(scales, "<f4")
    vectors = np.frombuffer(table, np.int8).reshape(len(lengths), -1) * lengths[:, None]
    words = {word: number for number, word in enumerate(vocabulary.decode().split("\n"))}
    tokenizer = Tokenizer(models.WordPiece(words, unk_token=UNKNOWN, max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return StaticModel(vectors, tokenizer, max_length=None)


def _table_bytes(name: str) -> bytes:
    with open(os.path.join(embed.FOLDER, name), "rb") as file:
        return file.read()
