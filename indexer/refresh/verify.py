"""Proof that the index equals the files: a rebuild beside a copy of it, compared table by table.

The index is refreshed first, as before a search, then copied at one moment, so nobody waits. Where
notes differ, all is done once more: only what still differs, while its file stayed as it was, is a
difference. Both databases have no name, so SQLite removes them itself, whatever happens. The copy
is attached as `live` to a new index (`schema.attach_copy`).
"""

from __future__ import annotations

import os
import time
from contextlib import closing
from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from indexer.disk.walk import IgnoreRules, is_out_of_sight, path_number, walk
from indexer.errors import IndexUnavailableError
from indexer.note import MODEL_SHA
from indexer.rows import schema
from indexer.rows.rows import Index
from indexer.tokens import embed

from .damage import OWNED, Mismatch, as_far_as_readable, damage_in
from .refresh import SECONDS_FOR_BUILD, model_id, reading_id, refresh
from .write_notes import Commit

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from indexer.note import Progress, Settings

_COUNTED = {name: f"{name}s" for name in ("note", *OWNED)}
_COUNTED |= {"chunk_vec": "vectors", "token_df": "tokens"}
_APART = {"id", "note", "racy", "origin"}
"""Columns that no answer depends on: numbers of rows, whether the key of a file proves something
yet, and how often FTS5 wrote."""
_WORDS = {
    "note_fts": ("differ", "SELECT id AS doc, path, 0 AS ordinal FROM {0}.note"),
    "chunk_fts": (
        "of its chunks differ",
        "SELECT c.id AS doc, path, ordinal FROM {0}.chunk c JOIN {0}.note n ON n.id = c.note",
    ),
    "name_fts": (
        "of its names differ",
        "SELECT note << 20 | ordinal AS doc, path, ordinal"
        " FROM {0}.name JOIN {0}.note n ON n.id = note",
    ),
}
"""Tables of words: what is told where they differ; the number, note and ordinal of each text."""
_GONE = "is in the index, but not on disk"


class Verification(NamedTuple):
    """What was proved.  `repaired` are differences that a rebuild has healed since.

    `compared` counts the rows. No differences are: `failed` paths, which cannot be read; `held`
    ones, whose deletion waits to be confirmed; `unsettled` ones, which changed meanwhile; what is
    `unproved`, with the reason. `private` notes say that they are.
    """

    differences: tuple[Mismatch, ...] = ()
    repaired: tuple[Mismatch, ...] = ()
    compared: tuple[tuple[str, int], ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    held: tuple[str, ...] = ()
    unsettled: tuple[str, ...] = ()
    unproved: tuple[str, ...] = ()
    private: frozenset[str] = frozenset()
    notices: tuple[str, ...] = ()
    seconds: float = 0.0


def verify(settings: Settings, *, now: float, progress: Progress | None = None) -> Verification:
    """Compare the index with the files.  `now` is the real time in unix seconds.

    IndexUnavailableError where the vault cannot be read, or there is no room for two copies of the
    index; ConfigError for a model that cannot be loaded.
    """
    began = time.perf_counter()
    try:
        first, unsettled = _look(settings, now, progress)
        found = first
        if unsettled:
            found, again = _look(settings, now + time.perf_counter() - began, progress)
            unsettled = dict(again.items() - unsettled.items())
    except (OSError, *schema.REFUSED) as error:
        raise IndexUnavailableError(
            f"cannot verify the index: no temporary folder can be used: {error}",
            "set TMPDIR to a folder that can be written and has room for two copies of the index",
        ) from error
    differences = {each for each in found.differences if each.path not in unsettled}
    unproved: tuple[str, ...] = ()
    if settings.vectors and settings.model is not None:
        unproved = ("vectors (only those of the shipped model can be checked)",)
    elif settings.vectors and not _are_weights_whole():
        what = "the shipped weights are damaged: install Aurelius again"
        differences.add(Mismatch("", "model", what))
    return found._replace(
        differences=tuple(sorted(differences, key=_order)),
        unsettled=tuple(sorted(unsettled)),
        unproved=unproved,
        private=first.private | found.private,
        notices=tuple(dict.fromkeys(first.notices + found.notices)),
        seconds=time.perf_counter() - began,
    )


def _are_weights_whole() -> bool:
    """Whether the shipped weights are those that `MODEL_SHA` names, to the last byte."""
    digest = sha256()
    for name in embed.SHIPPED[:3]:
        with open(os.path.join(embed.MODEL_FOLDER, name), "rb") as file:
            digest.update(file.read())
    return digest.hexdigest().startswith(MODEL_SHA)


def _look(
    settings: Settings, now: float, progress: Progress | None
) -> tuple[Verification, dict[str, Any]]:
    """All differences, and what the file of each note that has one is by now."""
    index, report = refresh(settings, now=now, progress=progress, wait=SECONDS_FOR_BUILD)
    with closing(index):
        try:
            db = schema.attach_copy(index.db)
        except schema.UNSOUND as error:
            odd = Mismatch("", "pages", str(error))
            return Verification((odd,), notices=report.notices), {}
    made = Index(db, "", "")
    with closing(db):
        rules = IgnoreRules(settings.root, settings.exclude)
        on_disk = walk(settings.root, rules)
        with db, Commit(settings, private=made) as commit:
            commit.read(sorted(on_disk.found), {}, progress, now)
            made.put_meta("model", model_id(settings))
            made.put_meta("daily", reading_id(settings))
        failed = {**on_disk.failed, **commit.failed}
        ours = _read_notes(db, "live")
        theirs = _read_notes(db, "main")
        differences = [*damage_in(db), *_compare_verdicts(db, rules.verdicts)]
        differences += compare_notes(db, ours.keys() & theirs.keys())
        counts = {name: _count_rows(db, table) for table, name in _COUNTED.items()}
    for path in ours.keys() ^ theirs.keys():
        what = _GONE
        if path in theirs:
            what = "is not in the index"
        elif path in on_disk.found:
            what = "kept changing while it was read"
        elif os.path.lexists(os.path.join(settings.root, path)):
            what = "is in the index, but should be left out"
        if not is_out_of_sight(path, failed):
            differences.append(Mismatch(path, "note", what))
    held = {each.path for each in differences if report.held and each.what == _GONE}
    keys = {**on_disk.found, **commit.put}
    differ = {each.path for each in differences} - {"", *held}
    proof = Verification(
        differences=tuple(each for each in differences if each.path not in held),
        compared=tuple(counts.items()),
        failed=tuple(sorted(failed.items())),
        held=tuple(sorted(held)),
        private=frozenset(filter(ours.get, ours)) | frozenset(filter(theirs.get, theirs)),
        notices=report.notices,
    )
    return proof, {path: (keys.get(path), path in commit.unstable) for path in differ}


def _read_notes(db: apsw.Connection, side: str) -> dict[str, bool]:
    """The notes of a side, and whether each is private; in doubt it is."""
    rows = db.execute(f"SELECT CAST(path AS BLOB), private IS NOT 0 FROM {side}.note")
    return {_text(path): bool(private) for path, private in rows}


def _text(path: bytes | None) -> str:
    r"""A path as it is shown; bytes that are no UTF-8 come as `\xff`."""
    return (path or b"").decode("utf-8", "backslashreplace")


def _count_rows(db: apsw.Connection, table: str) -> int:
    try:
        return int(db.execute(f"SELECT count(*) FROM live.{table}").get)
    except apsw.Error:
        return 0


def _compare_verdicts(db: apsw.Connection, verdicts: dict[str, bool]) -> Iterator[Mismatch]:
    """Where the index takes other paths for ignored than the rules do."""
    paths = {path_number(path): path for path, is_ignored in verdicts.items() if is_ignored}
    rows = db.execute("SELECT mark FROM live.verdict WHERE ignored IS NOT 0")
    held = {number for (number,) in rows}
    for number in paths.keys() - held:
        yield Mismatch(paths[number], "verdict", "is missing, though a rule ignores this path")
    if extra := len(held - paths.keys()):
        yield Mismatch("", "verdict", f"paths that no rule ignores: {extra}")


def compare_notes(db: apsw.Connection, paths: Collection[str]) -> Iterator[Mismatch]:
    """How notes that both sides hold differ: in their rows, then in the words FTS5 has of them.

    Words of chunks and names are told of notes alone in which nothing else differs.
    """
    wanted = {*paths, ""}
    told: set[str] = set()
    for table in ("note", *OWNED, "note_fts_docsize", *_WORDS):
        compare = _compare_words if table in _WORDS else _compare_rows
        if table == "chunk_fts":
            wanted -= told - {""}
        for odd in as_far_as_readable(table, compare(db, table)):
            if odd.path in wanted:
                if table not in _WORDS:
                    told.add(odd.path)
                yield odd


def _compare_rows(db: apsw.Connection, table: str) -> Iterator[Mismatch]:
    """The rows of notes in one table that differ; those of one ordinal are the same row."""
    columns = [name for _, name, *_ in db.execute(f"PRAGMA main.table_info({table})")]
    values = {name: f"t.{name}" for name in columns if name not in _APART}
    if table == "chunk":
        values["vector"] = "(SELECT v FROM {0}.chunk_vec WHERE id = t.id)"
    owner = "id"
    place = "0"
    if table in OWNED:
        owner = "note"
        place = "t.ordinal"
    rows = (
        f"SELECT CAST(n.path AS BLOB) AS path, {place} AS place,"
        f" row_number() OVER (PARTITION BY n.path, {place}) AS nth,"
        f" {', '.join(f'{value} AS a_{name}' for name, value in values.items())}"
        f" FROM {{0}}.{table} t JOIN {{0}}.note n ON n.id = t.{owner}"
    )
    flags = ", ".join(f"extra.a_{name} IS NOT lacking.a_{name}" for name in values)
    found = db.execute(
        f"WITH ours AS ({rows.format('live')}), theirs AS ({rows.format('main')}),"
        " extra AS (SELECT * FROM ours EXCEPT SELECT * FROM theirs),"
        " lacking AS (SELECT * FROM theirs EXCEPT SELECT * FROM ours)"
        f" SELECT path, place, extra.nth IS NULL, lacking.nth IS NULL, {flags}"
        " FROM extra FULL JOIN lacking USING (path, place, nth)"
    )
    for path, ordinal, is_missing, is_extra, *differ in found:
        names = [name for name, is_other in zip(values, differ, strict=True) if is_other]
        what = f"{' and '.join(names)} differ{'s' * (len(names) == 1)}"
        if is_missing:
            what = "is missing"
        elif is_extra:
            what = "should not be there"
        part = {"note": "note", "note_fts_docsize": "words"}.get(table, f"{table} {ordinal}")
        yield Mismatch(_text(path), part, what)


def _compare_words(db: apsw.Connection, table: str) -> Iterator[Mismatch]:
    """The notes whose words FTS5 holds otherwise.

    FTS5's own integrity check has no text of whole notes to compare their words with, and of chunks
    it compares one sum over everything, in which a letter that changed in two rows can cancel out.
    """
    what, texts = _WORDS[table]
    ours, theirs = (
        f"SELECT CAST(path AS BLOB) AS path, ordinal, term, col, offset"
        f" FROM {schema.word_places(db, side, table)} JOIN ({texts.format(side)}) USING (doc)"
        for side in ("live", "main")
    )
    found = db.execute(
        f"SELECT path FROM ({ours} EXCEPT {theirs}) UNION SELECT path FROM ({theirs} EXCEPT {ours})"
    )
    for (path,) in found:
        yield Mismatch(_text(path), "words", what)


def _order(each: Mismatch) -> tuple[str, str, int, str]:
    word, _, number = each.part.partition(" ")
    return each.path, word, int(number) if number.isdecimal() else -1, each.what
