"""The candidate lists of one query: what the words and the vectors of an index say of its chunks
and notes.

From memory where the process keeps the index there, else by SQL: BM25 by FTS5, and exact nearest
neighbours over the int8 vectors. The numbers are the same.

Vectors are 254 × unit length.  Squared distances of int8 vectors are whole numbers, so what
`vec_distance_l2` says (a 32-bit root) is squared and rounded back to the exact one: every way of
computing it, here or over a matrix in memory, gives the same cosines to the last bit.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from math import log, sqrt
from typing import Any, NamedTuple, Protocol

import apsw

from indexer.catalog.filters import on_days
from indexer.catalog.visibility import unseen
from indexer.rows.rows import Index
from indexer.spelling import group_pairs

from .query import (
    Terms,
    clean_query,
    forbidden_expression,
    match_expression,
    phrases,
    required_expression,
)

DEPTH = 1000
"""How far down the list a chunk's BM25 is known."""
_WORD_SECONDS = (0.3, 0.12, 0.08)
"""CPU seconds the words of one query may take, then fewer of them: half a second in all, and
CPU time so that an answer does not depend on what else the machine does."""
PLAIN_WEIGHTS = "1.0, 1.0, 1.0, 1.0"
HEADED = "2.0, 1.0, 1.0, 1.0"
"""Weights of the columns context, text, tags, grams: all alike, or headings double."""
SPARE = 200
"""Chunks looked at beyond the limit, so that equals at its edge can all be taken."""

_READ = 2000
"""Chunks of some days that are put in order."""
_SCRAP = re.compile(r"\W*(?:\{\{.*\}\})?\W*(?:\w+\W*)?", re.DOTALL)
"""A query that another program answers in its place, or a word or none."""


class TooSlow(Exception):
    """The words took longer to look up than they may."""


def best(
    db: apsw.Connection,
    match: str,
    limit: int,
    *,
    weights: str,
    scope: str = "",
    values: Sequence[Any] = (),
    seconds: float = _WORD_SECONDS[0],
) -> tuple[dict[int, float], list[int]]:
    """Chunk id → BM25 (higher is better) of the best `DEPTH` matches, and the ids of the best
    `limit` among them and all as good as the last; `scope` is a condition on `rowid`.

    Where more than `DEPTH` are equal at the edge, those first in path order. TooSlow after
    `seconds`.
    """
    where = f"chunk_fts MATCH ? AND rank MATCH 'bm25({weights})'"
    if scope:
        where += f" AND {scope}"
    sql = f"SELECT rowid, -rank FROM chunk_fts WHERE {where} ORDER BY rank LIMIT ?"
    with deadline(db, seconds):
        rows: list[Any] = db.execute(sql, (match, *values, DEPTH)).fetchall()
        if len(rows) == DEPTH and rows[-1][1] == rows[limit - 1][1]:
            sql = (
                "SELECT found.id, found.score FROM (SELECT rowid AS id, -rank AS score FROM"
                f" chunk_fts WHERE {where}) AS found JOIN chunk ON chunk.id = found.id JOIN"
                " visible_note AS note ON"
                " note.id = chunk.note ORDER BY found.score DESC, note.path, chunk.ordinal LIMIT ?"
            )
            rows = db.execute(sql, (match, *values, limit)).fetchall()
        elif len(rows) == DEPTH:  # which of those equal to the last are here is chance
            rows = [row for row in rows if row[1] > rows[-1][1]]
    edge = 0.0
    if rows:
        edge = rows[:limit][-1][1]
    return dict(rows), [number for number, score in rows if score >= edge]


def note_scores(
    db: apsw.Connection,
    match: str,
    *,
    seconds: float = _WORD_SECONDS[0],
) -> dict[int, float]:
    """Note id → BM25 of the whole note, for the best `DEPTH` notes.  TooSlow after `seconds`.

    `match` names the columns of the chunks: context is the title here, and tags are in the text.
    """
    sql = "SELECT rowid, -rank FROM note_fts WHERE note_fts MATCH ? ORDER BY rank LIMIT ?"
    with deadline(db, seconds):
        rows: list[Any] = db.execute(sql, (match, DEPTH)).fetchall()
    if len(rows) == DEPTH:
        rows = [row for row in rows if row[1] > rows[-1][1]]
    return dict(rows)


@contextmanager
def deadline(db: apsw.Connection, seconds: float) -> Iterator[None]:
    """What is asked of the database inside takes at most these CPU seconds: TooSlow after them."""
    until = time.thread_time() + seconds
    db.set_progress_handler(lambda: time.thread_time() > until, 5000)
    try:
        yield
    except apsw.InterruptError as error:
        raise TooSlow from error
    finally:
        db.set_progress_handler(None)


def nearest_chunks(
    db: apsw.Connection,
    vector: bytes,
    limit: int,
    scope: str = "",
    values: Sequence[Any] = (),
) -> list[int]:
    """The ids of the `limit` chunks nearest to a vector and all as near as the last; `scope` is a
    condition on `id`.

    Where more than `SPARE` are that near, those first in path order.
    """
    where = f"WHERE {scope} " * bool(scope)
    sql = (
        f"SELECT id, vec_distance_l2(vec_int8(v), vec_int8(?)) AS d FROM chunk_vec {where}ORDER BY"
        " d LIMIT ?"
    )
    rows: list[Any] = db.execute(sql, (vector, *values, limit + SPARE)).fetchall()
    if len(rows) == limit + SPARE and rows[-1][1] == rows[limit - 1][1]:
        sql = (
            "SELECT vec.id, vec_distance_l2(vec_int8(v), vec_int8(?)) AS d "
            f"FROM (SELECT * FROM chunk_vec {where}) AS vec JOIN chunk ON chunk.id = vec.id "
            "JOIN visible_note AS note ON note.id = chunk.note ORDER BY d, note.path,"
            " chunk.ordinal LIMIT ?"
        )
        rows = db.execute(sql, (vector, *values, limit)).fetchall()
    edge = 0.0
    if rows:
        edge = rows[:limit][-1][1]
    return [number for number, distance in rows if distance <= edge]


def weights(
    db: apsw.Connection,
    tokens: Collection[int],
    total: int | None = None,
) -> dict[int, float]:
    """What each token tells: the fewer chunks have it, the more; `total` is how many vectors there
    are, where known."""
    if total is None:
        total = db.execute("SELECT count(*) FROM chunk_vec").get or 0
    marks = ",".join(map(str, tokens))
    sql = f"SELECT token, chunks FROM token_df WHERE token IN ({marks})"
    counts: dict[int, int] = dict(db.execute(sql))
    return {token: log(1 + total / (1 + counts.get(token, 0))) for token in tokens}


def cosines(
    db: apsw.Connection,
    vector: bytes,
    ids: Sequence[int],
) -> dict[int, float]:
    """The cosine of each of these chunks with a vector; 0 where either has no length."""
    zero = bytes(len(vector))
    marks = ",".join(map(str, ids))
    sql = (
        "SELECT id, vec_distance_l2(vec_int8(v), vec_int8(?)), vec_distance_l2(vec_int8(v),"
        f" vec_int8(?)) FROM chunk_vec WHERE id IN ({marks})"
    )
    own = sum(value * value for value in memoryview(vector).cast("b"))
    found = {}
    for number, apart, length in db.execute(sql, (vector, zero)):
        other = round(length**2)  # the exact square behind a 32-bit root
        lengths = 2 * sqrt(own * other)
        found[number] = (own + other - round(apart**2)) / lengths if lengths else 0.0
    return found


def bags(db: apsw.Connection, ids: Sequence[int]) -> tuple[list[bytes], list[str]]:
    """The tokens and the texts of these chunks."""
    rows: Any = db.execute(
        f"SELECT id, tokens, text FROM chunk WHERE id IN ({','.join(map(str, ids))})"
    )
    found = {number: (tokens, text) for number, tokens, text in rows}
    return [found[number][0] for number in ids], [found[number][1] for number in ids]


def judged_chunks(db: apsw.Connection, ids: Iterable[int]) -> list[Any]:
    """The chunks among these whose facts something was said of: what, and when last, in unix
    seconds."""
    if (
        db.execute(
            "SELECT 1 FROM usage INDEXED BY usage_judged WHERE score != 0 OR ranked > 0 LIMIT 1"
        ).get
        is None
    ):
        return []
    sql = (
        "SELECT chunk.id, score, ranked FROM chunk JOIN usage ON usage.ref = chunk.fact "
        f"WHERE chunk.id IN ({','.join(map(str, ids))}) AND (score != 0 OR ranked > 0)"
    )
    return db.execute(sql).fetchall()


class Scope(NamedTuple):
    """Which chunks may be hits, as a SELECT of chunk ids; "" for all; or those which may not, where
    it is `out`."""

    sql: str
    values: tuple[Any, ...] = ()
    out: bool = False

    def on(self, column: str) -> str:
        """The condition on a column of chunk ids, "" for none."""
        if self.sql:
            return f"{column} {'NOT ' * self.out}IN ({self.sql})"
        return ""

    def also_on(self, column: str) -> str:
        """The same behind other conditions."""
        return " AND " * bool(self.sql) + self.on(column)


def all_seen(db: apsw.Connection) -> Scope:
    """Every chunk but those hidden from an agent: were they among the candidates, all would be
    looked up twice."""
    notes = unseen(db)
    return Scope(f"SELECT id FROM chunk WHERE note IN ({notes})" if notes else "", out=True)


class Lists:
    """The lists for a cleaned query of this text; `limit` of each, and `weights` of the words'
    columns.

    `notices` gathers what a person should be told.
    """

    def __init__(
        self,
        index: Index,
        text: str,
        terms: Terms,
        limit: int,
        weights: str,
        notices: list[str],
    ) -> None:
        self.db = index.db
        self.index = index
        self.text = text
        self.limit = limit
        self.weights = weights
        self.notices = notices
        self.match = match_expression(terms)
        self.must = required_expression(terms)
        self.must_not = forbidden_expression(terms)
        self.phrases = phrases(terms)

    def by_words(self, scope: Scope) -> tuple[dict[int, float], list[int]]:
        """BM25 of the best chunks, and which are candidates (`best`)."""
        if not self.match:
            return {}, []
        where = scope.on("+rowid")
        for match_, seconds in zip(self._matches(), _WORD_SECONDS, strict=False):
            try:
                found = best(
                    self.db,
                    match_,
                    self.limit,
                    weights=self.weights,
                    scope=where,
                    values=scope.values,
                    seconds=seconds,
                )
            except TooSlow:
                continue
            if match_ != self.match:
                self.notices.append(
                    "common words were left out, because looking them up took too long"
                )
                self.match = match_
            return found
        self.notices.append("looking up the words took too long: the answer is partial")
        return {}, []

    def by_notes(self) -> dict[int, float]:
        """BM25 of the best whole notes."""
        if not self.match:
            return {}
        try:
            return note_scores(self.db, self.match, seconds=_WORD_SECONDS[0])
        except TooSlow:
            return {}

    def by_vectors(self, vector: bytes, scope: Scope) -> list[int]:
        """The nearest chunks."""
        within, values = self.bounded(scope)
        return nearest_chunks(self.db, vector, self.limit, within, values)

    def cosines(self, vector: bytes, ids: Sequence[int]) -> dict[int, float]:
        """The cosine of each of these chunks."""
        return cosines(self.db, vector, ids)

    def vectors(self) -> int:
        """How many chunks have a vector."""
        return int(self.db.execute("SELECT count(*) FROM chunk_vec").get)

    def of_day(
        self,
        days: tuple[str, str] | None,
        scope: Scope,
    ) -> list[int]:
        """The first chunks of the daily note of the one day that is asked about: candidates
        whatever their words."""
        if not days or days[0] != days[1] or self.must or self.must_not:
            return []
        within = scope.also_on("chunk.id")
        sql = (
            "SELECT chunk.id FROM visible_note AS note JOIN chunk ON chunk.note = note.id WHERE"
            " note.kind ="
            f" 'daily' AND note.date = ?{within} ORDER BY note.path, ordinal LIMIT ?"
        )
        return [number for (number,) in self.db.execute(sql, (days[0], *scope.values, self.limit))]

    def carried(
        self,
        days: tuple[str, str] | None,
        ids: Sequence[int],
    ) -> dict[int, float]:
        """How much it tells of each of these chunks that it carries a day which is asked about: by
        the date it has of its own or by its note's `date`, by its daily note's, by its text.

        The day a note was last changed does not count: it is no date of its text.
        """
        if not days:
            return {}
        from .dates import carries

        sql = (
            "SELECT chunk.id, CASE grain WHEN 'fact' THEN chunk.date ELSE note.date END, CASE"
            " note.kind WHEN 'daily' THEN note.date END, text FROM chunk JOIN visible_note AS"
            " note ON note.id ="
            f" chunk.note WHERE chunk.id IN ({','.join(map(str, ids))})"
        )
        return {
            number: carries(days, (own, noted), text)
            for number, own, noted, text in self.db.execute(sql)
        }

    def _matches(self) -> Iterator[str]:
        """The words to look up, and what to try instead where that takes too long: without those
        that carry a question's grammar, then only the four longest."""
        yield self.match
        content = clean_query(self.text)
        few = sorted(content.words, key=len, reverse=True)[:4]
        for fewer in (
            match_expression(content),
            match_expression(content._replace(words=tuple(few), stems=())),
        ):
            if fewer and fewer != self.match:
                yield fewer

    def bounded(self, scope: Scope) -> tuple[str, tuple[Any, ...]]:
        """The scope with phrases and exclusions, which hold for both lists, as a condition on
        `id`."""
        held = "id IN (SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ?)"
        parts = [scope.on("id")]
        if self.must:
            parts.append(held)
        if self.must_not:
            parts.append(f"NOT {held}")
        bounds = filter(None, (self.must, self.must_not))
        return " AND ".join(filter(None, parts)), (*scope.values, *bounds)


class Memory(Protocol):
    """An index in the memory of a long-running process."""

    def lists(self, *given: Any) -> Lists:
        """As `Lists` of what is given: the same numbers, sooner."""


def chunks_of_days(
    db: apsw.Connection,
    days: tuple[str, str],
    within: Scope,
    *,
    by_change: bool,
    most: int,
    shown: int,
) -> dict[int, float]:
    """What the daily notes of some days say, then what else carries one of them: the newest day
    first, of each what stands at the edge of the page before what is nested. The `shown` first
    leave out no day for the lines of another.

    A text that is nothing but a query of another program says nothing. `by_change` takes the day a
    note was last changed for one that its text carries, as a filter does. Each is worth less than
    the one before, from 1 on.
    """
    carried = on_days(*days)
    if by_change:
        known = ""
    else:
        known = "AND (chunk.grain = 'fact' OR note.date BETWEEN ? AND ?)"
    named = ""
    values = list(carried.values) + ([] if by_change else [*days])
    if days[0] == days[1]:
        named = "OR chunk.id IN (SELECT rowid FROM chunk_fts WHERE chunk_fts MATCH ?)"
        values.append(f'"{days[0]}"')
    sql = (
        "SELECT chunk.id, CASE WHEN note.kind = 'daily' AND note.date BETWEEN ? AND ? THEN"
        " note.date END AS noted, coalesce(chunk.date, note.date) AS own, text, note, first, last"
        " FROM chunk JOIN visible_note AS note ON note.id = chunk.note WHERE chunk.grain !="
        " 'property' AND"
        f" (({carried.sql} {known}) {named}) AND chunk.id IN ({within.sql}) ORDER BY"
        " coalesce(noted, own) DESC, noted IS NULL, note.path, chunk.ordinal LIMIT ?"
    )
    rows: list[Any] = db.execute(sql, (*days, *values, *within.values, _READ)).fetchall()

    def place(row: Any) -> tuple[bool, int, bool, int]:
        noted, own, text = row[1:4]
        day = max(min(noted or own or days[0], days[1]), days[0])
        depth = len(text) - len(text.lstrip())
        return noted is None, -int(day.replace("-", "")), _SCRAP.fullmatch(text) is not None, depth

    ranked = sorted(rows, key=place)
    first = _of_each_day([(place(row)[:2], row) for row in ranked], shown)
    found = sorted(ranked, key=lambda row: row[0] not in first)[:most]
    return {row[0]: 1 - 0.5 * at / len(found) for at, row in enumerate(found)}


def _of_each_day(rows: Sequence[tuple[tuple[bool, int], Any]], shown: int) -> set[int]:
    """The chunks that come where so many are shown: the first one of each day, then the second of
    each, and so on.

    A chunk that holds others is none of them, for its lines come with these.
    """
    spans = group_pairs((row[4], row[5:7]) for _, row in rows)
    turns: list[tuple[int, tuple[bool, int], int]] = []
    many = Counter[tuple[bool, int]]()
    for day, (number, _, _, _, note, begin, end) in rows:
        if not any(
            begin <= at and last <= end and (begin, end) != (at, last) for at, last in spans[note]
        ):
            many[day] += 1
            turns.append((many[day], day, number))
    return {number for _, _, number in sorted(turns)[:shown]}
