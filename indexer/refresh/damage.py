"""Damage of an index: what is wrong whatever the files say.

It is looked for in a copy, attached as `live` to a new and empty index (`schema.attach_copy`).
"""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import TYPE_CHECKING, NamedTuple

import apsw

from indexer.note import Fact
from indexer.rows import schema
from indexer.rows.rows import PARTS
from indexer.tokens.maxsim import unpack_bag

if TYPE_CHECKING:
    from collections.abc import Iterator

OWNED = ("chunk", *PARTS)
"""The tables whose rows belong to a note, in its own order."""
_OWNERS = (
    *((table, "note", "note") for table in OWNED),
    ("chunk_vec", "id", "chunk"),
    ("chunk_fts_docsize", "id", "chunk"),
    ("note_fts_docsize", "id", "note"),
    ("name_fts_docsize", "id >> 20", "note"),
)
"""A table, the column that names the owner of a row, and the table the owner must be in."""
_DECLARED = " UNION ALL ".join(
    (
        "SELECT 'has another definition', type || ' ' || name, sql"
        " FROM {0}.sqlite_schema WHERE tbl_name NOT GLOB '*_fts_*'",
        *(
            f"SELECT 'has other settings', '{table}', k || ' ' || v"
            f" FROM {{0}}.{table}_config WHERE k != 'hashsize'"
            for table in schema.FTS
        ),
        "SELECT 'differs', 'meta ' || key, value FROM {0}.meta"
        " WHERE key IN ('schema', 'parser', 'model', 'daily')",
    )
)
"""What is told of a part of the whole index, the part, and what it is.

Tables that FTS5 makes for itself are left out: another version of it may declare them otherwise.
"""
_ILL_FORMED = """
SELECT (SELECT count(*) FROM live.note WHERE date(date) IS NOT date OR NOT ifnull(
           json_valid(aliases) AND json_valid(front) AND json_valid(blocks)
           AND json_valid(problems), 0))
     + (SELECT count(*) FROM live.fact
        WHERE date(date) IS NOT date OR json_array_length(detail) IS NOT ?)
     + (SELECT count(*) FROM live.chunk WHERE date(date) IS NOT date)
     + (SELECT count(DISTINCT length(v)) > 1 FROM live.chunk_vec)
"""
"""Rows with JSON that is none, a day that no calendar has, or vectors of several lengths."""


class Mismatch(NamedTuple):
    """One difference: the note's path ("" for the index as a whole), a part of it, what is odd."""

    path: str
    part: str
    what: str


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
            closing(schema.attach_copy(index)) as db,
        ):
            is_odd = any(not odd.part.startswith("meta") for odd in damage_in(db))
            return is_odd or bool(db.execute(_ILL_FORMED, (len(Fact._fields),)).get)
    except schema.UNSOUND:
        return True
    except apsw.Error:  # it is locked, or gone
        return False


def damage_in(db: apsw.Connection) -> Iterator[Mismatch]:
    """What is wrong with the copy that is `live`."""
    for check in (
        _find_faults,
        _find_other_declarations,
        _find_strays,
        _check_tokens,
        _check_totals,
    ):
        yield from as_far_as_readable("rows", check(db))


def as_far_as_readable(part: str, odds: Iterator[Mismatch]) -> Iterator[Mismatch]:
    """The same, ended by a difference where the rows behind it cannot be read."""
    try:
        yield from odds
    except schema.UNSOUND as error:
        yield Mismatch("", part, f"cannot be read: {error}")


def _find_faults(db: apsw.Connection) -> Iterator[Mismatch]:
    for table, fault in schema.faults(db, "live"):
        yield Mismatch("", table or "pages", fault)


def _find_other_declarations(db: apsw.Connection) -> Iterator[Mismatch]:
    """Parts of the whole index that are not what they are in a new one."""
    ours, theirs = (set(db.execute(_DECLARED.format(side))) for side in ("live", "main"))
    present = {part for _, part, _ in ours}
    for what, part in {row[:2] for row in ours ^ theirs}:
        yield Mismatch("", part, what if part in present else "is missing")


def _find_strays(db: apsw.Connection) -> Iterator[Mismatch]:
    """Rows of a note or chunk that is not there."""
    for table, key, owner in _OWNERS:
        owners = f"SELECT id FROM live.{owner}"
        count = db.execute(f"SELECT count(*) FROM live.{table} WHERE {key} NOT IN ({owners})").get
        if count:
            yield Mismatch("", table, f"rows without a {owner}: {count}")


def _check_tokens(db: apsw.Connection) -> Iterator[Mismatch]:
    """`token_df` beside the tokens of the chunks."""
    counts: Counter[int] = Counter()
    for (tokens,) in db.execute("SELECT tokens FROM live.chunk"):
        counts.update(unpack_bag(tokens))
    held = set(db.execute("SELECT token, chunks FROM live.token_df"))
    wrong = {token for token, _ in held ^ set(counts.items())}
    if wrong:
        yield Mismatch("", "token_df", f"wrong counts: {len(wrong)}")


def _check_totals(db: apsw.Connection) -> Iterator[Mismatch]:
    """The totals that FTS5 keeps of all notes, beside the length of each.

    Its own integrity check leaves them out where it keeps no text, and every score of a note hangs
    on them.
    """
    sizes = [schema.varints(size) for (size,) in db.execute("SELECT sz FROM live.note_fts_docsize")]
    totals = db.execute("SELECT block FROM live.note_fts_data WHERE id = 1").get
    if sizes and schema.varints(totals) != [len(sizes), *map(sum, zip(*sizes, strict=True))]:
        yield Mismatch("", "note_fts", "its totals do not match its rows")
