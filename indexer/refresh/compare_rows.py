"""Comparison of two indexes of the same files, row for row, and of one index with itself.

Numbers of rows are not compared, nor what only says when a file was read (`racy`) or where the next
pass may look no further (`walk`, `rules` and `generation` in meta): no answer depends on them.
Values are compared with their type and bytes, so that no damaged text defeats the comparison.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from contextlib import closing
from typing import Any, NamedTuple

import apsw

from indexer.note import Fact
from indexer.rows import schema
from indexer.tokens.maxsim import unpack_bag

OWNED = ("chunk", "fact", "link", "tag", "task", "name")
"""The tables whose rows belong to a note, in its own order."""
ROWS = ("note", *OWNED, "note_fts_docsize")
"""The tables whose rows are compared for each note; a chunk's row has its vector with it."""
COUNTED = ("note", *OWNED, "chunk_vec", "token_df")

WORDS = {
    "note_fts": ("differ", "SELECT id, id, 0 FROM note"),
    "chunk_fts": ("of its chunks differ", "SELECT id, note, ordinal FROM chunk"),
    "name_fts": ("of its names differ", "SELECT note << 20 | ordinal, note, ordinal FROM name"),
}
"""Tables of words: what is told where they differ; the row, note and ordinal of each text."""

APART = {"id", "note", "racy", "origin"}
"""Columns that are not compared; `origin` counts how often FTS5 wrote."""

DECLARED = (
    (
        "has another definition",
        "SELECT type || ' ' || name, sql FROM sqlite_schema WHERE tbl_name NOT GLOB '*_fts_*'",
    ),
    ("has other settings", "SELECT 'chunk_fts', k, v FROM chunk_fts_config WHERE k != 'hashsize'"),
    ("has other settings", "SELECT 'note_fts', k, v FROM note_fts_config WHERE k != 'hashsize'"),
    ("has other settings", "SELECT 'name_fts', k, v FROM name_fts_config WHERE k != 'hashsize'"),
    (
        "differs",
        "SELECT 'meta ' || key, value FROM meta WHERE key IN ('schema','parser','model','daily')",
    ),
)
"""What is told of a part of the whole index, and the query whose rows say what that part is.

Tables that FTS5 makes for itself are left out: another version of it may declare them otherwise.
"""

OWNERS = (
    *((table, "note", "note") for table in OWNED),
    ("chunk_vec", "id", "chunk"),
    ("chunk_fts_docsize", "id", "chunk"),
    ("note_fts_docsize", "id", "note"),
    ("name_fts_docsize", "id >> 20", "note"),
)
"""A table, the column that names the owner of a row, and the table the owner must be in."""

_ILL_FORMED = """
SELECT (SELECT count(*) FROM note WHERE date(date) IS NOT date OR NOT ifnull(
           json_valid(aliases) AND json_valid(front) AND json_valid(blocks)
           AND json_valid(problems), 0))
     + (SELECT count(*) FROM fact
        WHERE date(date) IS NOT date OR json_array_length(detail) IS NOT ?)
     + (SELECT count(*) FROM chunk WHERE date(date) IS NOT date)
     + (SELECT count(DISTINCT length(v)) > 1 FROM chunk_vec)
"""
"""Rows with JSON that is none, a day that no calendar has, or vectors of several lengths.

It raises an error for other JSON.
"""


class Odd(NamedTuple):
    """What is not as it should be: a part of an index or of a note, and what is odd about it."""

    part: str
    what: str


Row = tuple[Any, ...]
"""The ordinal of a row, and its values in one table."""
Odds = Iterator[tuple[str, Odd]]
"""What was found: the path of a note, or "" for the index as a whole, and what is odd."""


class Side(NamedTuple):
    """An index that is compared: its connection, the number of each note, which are private."""

    db: apsw.Connection
    numbers: dict[str, int]
    private: set[str]


def read_side(db: apsw.Connection) -> Side:
    r"""The notes of an index; bytes of a path that are no UTF-8 come as `\xff`.

    A note is private unless its row clearly says that it is not.
    """
    side = Side(db, {}, set())
    rows = db.execute("SELECT CAST(path AS BLOB), id, private IS NOT 0 FROM note ORDER BY id")
    for path, number, private in rows:
        name = (path or b"").decode("utf-8", "backslashreplace")
        side.numbers[name] = number
        if private:
            side.private.add(name)
    return side


def count_rows(db: apsw.Connection) -> dict[str, int]:
    """How many rows each table has, as far as it can be read."""
    found = {}
    for table in COUNTED:
        try:
            found[table] = db.execute(f"SELECT count(*) FROM {table}").get
        except apsw.Error:
            found[table] = 0
    return found


def compare_notes(live: Side, made: Side, paths: Collection[str]) -> Odds:
    """How notes that both indexes hold differ: in their rows, then in the words FTS5 has of them.

    Words of chunks and names are told of notes alone in which nothing else differs.
    """
    told = set()
    for table in ROWS:
        for path, odd in _tried(table, _compare_rows(live, made, table, paths)):
            told.add(path)
            yield path, odd
    for table in WORDS:
        for path, odd in _tried(table, _compare_words(live, made, table, paths)):
            if not path or table == "note_fts" or path not in told:
                yield path, odd


def compare_whole(live: apsw.Connection, made: apsw.Connection) -> Odds:
    """What is wrong with an index as it stands, whatever its files say."""
    yield from _tried("pages", _read_faults(live))
    for what, query in DECLARED:
        yield from _tried("rows", _compare_declared(live, made, what, query))
    for look in (_count_strays, _check_token_counts, _check_totals):
        yield from _tried("rows", look(live))


def is_damaged(path: str | None, error: Exception) -> bool:
    """Whether an error comes from the database at `path`.

    The database is looked at wherever SQLite itself does not say so.  Anything else is a bug, which
    would be met again in a new index.
    """
    if isinstance(error, schema.DAMAGED):
        return True
    if not path or path == ":memory:":
        return False
    try:
        with (
            closing(schema.connect(path, write=False)) as index,
            closing(schema.copy(index, ":memory:")) as live,
            closing(schema.create(":memory:")) as made,
        ):
            found = compare_whole(live, made)
            odd = any(not odd.part.startswith("meta") for _, odd in found)
            return odd or bool(live.execute(_ILL_FORMED, (len(Fact._fields),)).get)
    except schema.UNSOUND:
        return True
    except apsw.Error:  # it is locked, or gone
        return False


def _tried(part: str, odds: Odds) -> Odds:
    """The same, ended by a message where the rows behind it cannot be read."""
    try:
        yield from odds
    except schema.UNSOUND as error:
        yield "", Odd(part, f"cannot be read: {error}")


# -- of one note ---------------------------------------------------------------------------------


def _compare_rows(live: Side, made: Side, table: str, paths: Iterable[str]) -> Odds:
    """How the rows that notes have in one table differ."""
    declared = [row[1] for row in made.db.execute(f"PRAGMA table_info({table})")]
    names = [name for name in declared if name not in APART]
    source = table
    if table == "chunk":
        names.append("vector")
        source = "chunk LEFT JOIN (SELECT id, v AS vector FROM chunk_vec) USING(id)"
    if table in OWNED:
        key = "note"
        order = "ordinal"
    else:
        key = "id"
        order = "0"
    values = ", ".join(f"typeof({name}) || hex({name})" for name in names)
    query = f"SELECT {order}, {values} FROM {source} WHERE {key} = ? ORDER BY 1"
    for path in paths:
        ours = live.db.execute(query, (live.numbers[path],)).fetchall()
        theirs = made.db.execute(query, (made.numbers[path],)).fetchall()
        if ours != theirs:
            for odd in _pair_rows(table, names, Counter(ours), Counter(theirs)):
                yield path, odd


def _pair_rows(
    table: str,
    names: list[str],
    ours: Counter[Row],
    theirs: Counter[Row],
) -> Iterator[Odd]:
    """What is odd about rows that are on one side only: two of one ordinal are the same row."""
    extra = list((ours - theirs).elements())
    for row in (theirs - ours).elements():
        other = next((each for each in extra if each[0] == row[0]), None)
        if other is None:
            yield Odd(_name_part(table, row), "is missing")
            continue
        extra.remove(other)
        pairs = zip(names, other[1:], row[1:], strict=True)
        differ = [name for name, one, two in pairs if one != two]
        if len(differ) == 1:
            verb = "differs"
        else:
            verb = "differ"
        yield Odd(_name_part(table, row), f"{' and '.join(differ)} {verb}")
    for row in extra:
        yield Odd(_name_part(table, row), "should not be there")


def _name_part(table: str, row: Row) -> str:
    if table in OWNED:
        return f"{table} {row[0]}"
    if table == "note":
        return "note"
    return "words"


def _compare_words(live: Side, made: Side, table: str, paths: Iterable[str]) -> Odds:
    """The notes whose words FTS5 holds otherwise, and words it holds of nothing.

    FTS5's own integrity check has no text of whole notes to compare their words with, and of chunks
    it compares one sum over everything, in which a letter that changed in two rows can cancel out.
    """
    what, query = WORDS[table]
    ours, lost = _sum_words(live.db, table, query)
    theirs, _ = _sum_words(made.db, table, query)
    if lost:
        owner = table.removesuffix("_fts")
        yield "", Odd(table, f"has words of {_many(lost, 'row')} without a {owner}")
    for path in paths:
        if ours[live.numbers[path]] != theirs[made.numbers[path]]:
            yield path, Odd("words", what)


def _sum_words(db: apsw.Connection, table: str, query: str) -> tuple[Counter[int], int]:
    """A sum over the words of each note and where they stand, and how many rows belong to nothing.

    Equal sums mean equal words.  Text is summed up, whose hash is keyed: that of a tuple is so
    nearly linear that words that changed places would cancel out.
    """
    sums: Counter[int] = Counter()
    for term, row, column, place in schema.postings(db, table):
        sums[row] += hash(f"{place} {column} {term}")
    notes: Counter[int] = Counter()
    for row, note, ordinal in db.execute(query):
        notes[note] += hash(f"{ordinal} {sums.pop(row, 0)}")
    return notes, len(sums)


# -- of one index --------------------------------------------------------------------------------


def _read_faults(live: apsw.Connection) -> Odds:
    """What SQLite and FTS5 say of the pages."""
    for table, told in schema.faults(live):
        yield "", Odd(table or "pages", told)


def _compare_declared(live: apsw.Connection, made: apsw.Connection, what: str, query: str) -> Odds:
    """Parts of the whole index that are not what they are in a new one."""
    ours = set(live.execute(query))
    theirs = set(made.execute(query))
    present = {row[0] for row in ours}
    for name in sorted({row[0] for row in ours ^ theirs}):
        yield "", Odd(name, what if name in present else "is missing")


def _count_strays(live: apsw.Connection) -> Odds:
    """Rows of a note or chunk that is not there."""
    for table, key, owner in OWNERS:
        owners = f"SELECT id FROM {owner}"
        query = f"SELECT count(*) FROM {table} WHERE {key} NOT IN ({owners})"
        count = live.execute(query).get
        if count:
            if count == 1:
                verb = "has"
            else:
                verb = "have"
            yield "", Odd(table, f"{_many(count, 'row')} {verb} no {owner}")


def _check_token_counts(live: apsw.Connection) -> Odds:
    """`token_df` beside the tokens of the chunks."""
    wanted: Counter[int] = Counter()
    for (tokens,) in live.execute("SELECT tokens FROM chunk"):
        wanted.update(unpack_bag(tokens))
    held = dict(live.execute("SELECT token, chunks FROM token_df"))
    wrong = sum(held.get(token) != wanted.get(token) for token in held.keys() | wanted.keys())
    if wrong:
        if wrong == 1:
            verb = "has"
        else:
            verb = "have"
        yield "", Odd("token_df", f"{_many(wrong, 'token')} {verb} a wrong count")


def _check_totals(live: apsw.Connection) -> Odds:
    """The lengths of all notes that FTS5 keeps for its averages, beside the length of each.

    Its own integrity check leaves them out where it keeps no text, and every score of a note hangs
    on them.
    """
    sizes = live.execute("SELECT sz FROM note_fts_docsize")
    rows = [schema.varints(size) for (size,) in sizes]
    wanted = [len(rows), *(sum(column) for column in zip(*rows, strict=True))]
    held = schema.varints(live.execute("SELECT block FROM note_fts_data WHERE id = 1").get or b"")
    if held != wanted and (rows or any(held)):
        yield "", Odd("note_fts", "its totals do not match its rows")


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"
