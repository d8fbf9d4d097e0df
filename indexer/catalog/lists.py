"""What the index knows, read-only: notes, facts, tags, tasks, problems, counts.

Every query carries `visibility.visible_sql`, so that a private note comes only where it is asked
for.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.disk.walk import ENDINGS
from indexer.errors import UsageError
from indexer.note import Fact, Problem
from indexer.reading.path_meaning import agent_of
from indexer.spelling import caseless

from .filters import condition, fact_conditions, with_facts
from .supersession import outcomes, replaced_facts, settle_fact
from .tiers import ages_of_all, teach
from .visibility import (
    BELOW_AGENTS,
    HIDDEN_FROM_AGENT,
    OF_APART,
    SET_APART,
    get_keepers,
    is_hidden_from,
    visible_sql,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import apsw

    from indexer.disk.walk import ChangeKey
    from indexer.note import Found
    from indexer.usage.tier import Clock

    from .filters import Filters

STANDING = 0.8
"""The scope from which on an instruction always applies, and the importance from which on a fact is
always told."""
_ORDERS = {
    "path": "note.path",
    "title": "lower(note.title), note.path",
    "kind": "note.kind, note.path",
    "date": "note.date IS NULL, note.date DESC, note.path",
    "updated": (
        "coalesce(note.updated, note.date) IS NULL, coalesce(note.updated, note.date) DESC,"
        " note.path"
    ),
    "changed": "note.mtime_ns DESC, note.path",
    "lines": "note.lines DESC, note.path",
    "recent": (
        "max(note.mtime_ns, 1000000000 * coalesce((SELECT used FROM usage WHERE ref = note.path),"
        " 0)) DESC, note.path"
    ),
}
SORTS = tuple(_ORDERS)
"""How notes can be ordered: names upwards; dates, file times and lengths from the latest or largest
down; `recent` by the day of the last change or use of the note itself."""

_LEAD_LETTERS = 400
"""Characters of the beginning of a note, of which one line is shown."""
_MOST = 2**63 - 1
"""The largest number that SQLite takes: more rows than any list has."""


class NoteRow(NamedTuple):
    """A note in a list. `date` and `updated` are ISO dates or None, `lines` counts the file's
    lines."""

    path: str
    title: str
    kind: str
    date: str | None
    updated: str | None
    tags: tuple[str, ...]
    facts: int
    lines: int
    private: bool


class NoteList(NamedTuple):
    """One window of the notes that match, how many match in all, and how many of each kind, the
    most first."""

    notes: tuple[NoteRow, ...]
    total: int
    kinds: tuple[tuple[str, int], ...] = ()


class FactList(NamedTuple):
    """One window of the facts that match, each with its note's path, how many match in all, and how
    many of each type, the most first."""

    facts: tuple[tuple[str, Fact], ...]
    total: int
    types: tuple[tuple[str, int], ...] = ()


class TaskRow(NamedTuple):
    """A check-box line and the note it stands in; `due` is an ISO date or None, `mark` what stands
    in the box.

    One that was cancelled is `done` as well.
    """

    path: str
    line: int
    text: str
    done: bool
    due: str | None
    mark: str = " "

    @property
    def is_cancelled(self) -> bool:
        """Whether it was given up."""
        return self.mark == "-"

    def is_overdue(self, today: str) -> bool:
        """Whether its day is over and it is not done."""
        return not self.done and self.due is not None and self.due < today


class TagRow(NamedTuple):
    """A tag, as most notes spell it, and how many notes carry it."""

    name: str
    notes: int


class Counts(NamedTuple):
    """How much the index holds; `kinds` counts notes by kind, `agents` those in each folder that an
    agent keeps as its memory, `ignored` the notes and folders that rules leave out."""

    notes: int
    chunks: int
    facts: int
    vectors: int
    problems: int
    private: int
    ignored: int
    note_bytes: int
    kinds: tuple[tuple[str, int], ...]
    agents: tuple[tuple[str, int], ...] = ()


def get_notes(
    db: apsw.Connection,
    filters: Filters,
    *,
    sort: str,
    limit: int,
    offset: int,
    clock: Clock | None = None,
) -> NoteList:
    """The notes that match, in order; UsageError for an order that is none of SORTS.

    `types` and `status` ask for notes with such a fact, `tiers` for notes that are so themselves;
    `since` and `until` look at both dates of a note. `clock` is what tiers go by.
    """
    import json  # a search has no use for it

    order = _order(sort)
    where, values = with_facts(db, filters)
    if filters.tiers:
        assert clock is not None  # who asks for tiers says what day it is
        ages = ages_of_all(db, clock, private=filters.private)
        among = [path for path, age in ages.items() if age.tier in filters.tiers]
        where += " AND note.path IN (SELECT value FROM json_each(?))"
        values += (json.dumps(among),)
    kinds = _counted(db, "note.kind", f"FROM visible_note AS note WHERE {where}", values)
    rows = db.execute(
        "SELECT note.path, note.title, note.kind, note.date, note.updated, (SELECT"
        " json_group_array(name) FROM (SELECT name FROM tag WHERE tag.note = note.id ORDER BY"
        " ordinal)), (SELECT count(*) FROM fact WHERE fact.note = note.id), note.lines,"
        f" note.private FROM visible_note AS note WHERE {where} ORDER BY {order} LIMIT ? OFFSET ?",
        (*values, min(limit, _MOST), min(offset, _MOST)),
    )
    notes = (
        NoteRow(
            path=path,
            title=title,
            kind=kind,
            date=date,
            updated=updated,
            tags=_distinct(_of_json(tags)),
            facts=facts,
            lines=lines,
            private=bool(private),
        )
        for path, title, kind, date, updated, tags, facts, lines, private in rows
    )
    return NoteList(tuple(notes), sum(count for _, count in kinds), kinds)


def list_facts(
    db: apsw.Connection,
    filters: Filters,
    *,
    sort: str,
    limit: int,
    offset: int,
    clock: Clock | None = None,
) -> FactList:
    """The facts that match, in the order of their notes, `date` in their own; UsageError for an
    order there is not."""
    if sort == "date":
        order = "fact.date IS NULL, fact.date DESC, note.path"
    else:
        order = _order(sort)
    if filters.tiers:
        assert clock is not None  # as above
        teach(db, clock)
    where, values = condition(db, filters)
    wish, more = fact_conditions(filters, replaced_facts(db, private=filters.private))
    where = f"{where} AND {wish}"
    values = values + more
    if filters.since or filters.until:
        where += " AND fact.date BETWEEN ? AND ?"
        values += (filters.since or "0000", filters.until or "9999-12-31")
    source = f"FROM fact JOIN visible_note AS note ON note.id = fact.note WHERE {where}"
    # counted note by note, which is the order in which facts are kept
    groups: list[Any] = db.execute(
        f"SELECT fact.type, fact.date, count(*) {source} GROUP BY fact.note, fact.type, fact.date",
        values,
    ).fetchall()
    types = Counter[str]()
    days = Counter[str]()
    for type_, day, count in groups:
        types[type_] += count
        days[day or ""] += count
    if sort == "date" and limit >= 0:
        source += " AND coalesce(fact.date, '') >= ?"
        values += (_last_day(days, offset + limit),)
    rows: list[Any] = db.execute(
        f"SELECT note.path, fact.note, fact.detail {source} ORDER BY {order}, fact.ordinal LIMIT ?"
        " OFFSET ?",
        (*values, min(limit, _MOST), min(offset, _MOST)),
    ).fetchall()
    past = outcomes(db, private=filters.private) if rows else {}
    found = tuple((path, settle_fact(fact_of(detail), note, past)) for path, note, detail in rows)
    kinds = sorted(types.items(), key=lambda each: (-each[1], each[0]))
    return FactList(found, types.total(), tuple(kinds))


def _last_day(days: Counter[str], most: int) -> str:
    """The latest day from which on there are so many facts, by the number of each day; "" for
    all."""
    for day in sorted(days, reverse=True):
        most -= days[day]
        if most <= 0:
            return day
    return ""


def get_dated(
    db: apsw.Connection,
    filters: Filters,
    ending: str,
) -> list[Found]:
    """The facts from one day to another, each with its note's path, in order of path and line, of
    days that end so, such as `-12-24`."""
    where, values = condition(db, filters)
    rows: list[Any] = db.execute(
        "SELECT note.path, fact.note, fact.detail FROM fact JOIN visible_note AS note ON note.id ="
        f" fact.note WHERE {where} AND fact.date BETWEEN ? AND ? AND substr(fact.date, ?) = ?"
        " ORDER BY note.path, fact.ordinal",
        (*values, filters.since, filters.until, 11 - len(ending), ending),
    ).fetchall()
    past = outcomes(db, private=filters.private) if rows else {}
    return [(path, settle_fact(fact_of(detail), note, past)) for path, note, detail in rows]


def get_tasks(
    db: apsw.Connection, filters: Filters, *, open_only: bool, due: tuple[str, str] | None
) -> tuple[TaskRow, ...]:
    """The tasks of the notes that match, `due` being a first and a last day: open ones first, those
    that are due before those that are not, then in order of path and line.
    """
    where, values = with_facts(db, filters)
    if open_only:
        where += " AND NOT task.done"
    if due:
        where += " AND task.due BETWEEN ? AND ?"
        values += due
    rows = db.execute(
        "SELECT note.path, task.line, task.text, task.done, task.due, task.mark FROM task JOIN"
        f" visible_note AS note ON note.id = task.note WHERE {where} ORDER BY task.done, task.due"
        " IS NULL, task.due, note.path, task.line",
        values,
    )
    return tuple(
        TaskRow(path, line, text, bool(done), *rest) for path, line, text, done, *rest in rows
    )


def get_tags(db: apsw.Connection, *, private: bool) -> tuple[TagRow, ...]:
    """Every tag, spellings that differ in case as one, with the number of notes that carry it; most
    used first."""
    notes: dict[str, set[int]] = {}
    spellings: dict[str, dict[str, int]] = {}
    rows = db.execute(
        "SELECT tag.name, tag.note FROM tag JOIN visible_note AS note ON note.id = tag.note WHERE"
        f" {visible_sql(private=private)} ORDER BY note.path, tag.ordinal"
    )
    for name, note in rows:
        key = caseless(name)
        notes.setdefault(key, set()).add(note)
        seen = spellings.setdefault(key, {})
        seen[name] = seen.get(name, 0) + 1
    found = [
        TagRow(max(seen, key=seen.__getitem__), len(notes[key])) for key, seen in spellings.items()
    ]
    return tuple(sorted(found, key=lambda tag: (-tag.notes, tag.name.casefold())))


def get_apart(db: apsw.Connection, *, private: bool) -> list[str]:
    """The folders left out of answers that hold notes that may be seen."""
    sql = f"SELECT 1 FROM visible_note AS note WHERE {visible_sql(private=private)} AND "
    return [folder for folder, there in OF_APART.items() if db.execute(f"{sql}{there} LIMIT 1").get]


def get_key(db: apsw.Connection, path: str, *, private: bool) -> ChangeKey | None:
    """What a stat said of a visible note of exactly that path when it was read, or None."""
    row = db.execute(
        "SELECT size, mtime_ns, ctime_ns, inode FROM visible_note AS note WHERE path = ? AND"
        f" {visible_sql(private=private)}",
        (path,),
    ).get
    if row is None:
        return None
    return tuple(row)


def get_kind(db: apsw.Connection, path: str) -> str:
    """The kind of a note, "" where there is none."""
    return str(db.execute("SELECT kind FROM visible_note WHERE path = ?", (path,)).get or "")


def get_path(db: apsw.Connection, name: str, *, private: bool) -> str:
    """The one visible note whose path without its ending this is, case apart; "" for none, for
    several, and for a name that is not ASCII, of which SQLite knows no other case.
    """
    if not name.isascii():
        return ""
    rows = db.execute(
        "SELECT path FROM visible_note AS note WHERE lower(path) IN (?, ?) AND"
        f" {visible_sql(private=private)} LIMIT 2",
        [name.lower() + ending for ending in ENDINGS],
    ).fetchall()
    if len(rows) == 1:
        return str(rows[0][0])
    return ""


def get_daily(db: apsw.Connection, day: str, *, private: bool) -> tuple[str, ...]:
    """The daily notes of an ISO day, the plainest name first, those of agents last."""
    rows = db.execute(
        "SELECT path FROM visible_note AS note WHERE kind = 'daily' AND date = ? AND"
        f" {visible_sql(private=private)} ORDER BY length(path), path",
        (day,),
    )
    return tuple(sorted((path for (path,) in rows), key=lambda path: bool(agent_of(path))))


def get_days_beside(
    db: apsw.Connection,
    day: str,
    *,
    private: bool,
) -> tuple[str | None, str | None]:
    """The last day before an ISO day, and the first after it, that have a daily note; None for
    none."""
    row: Any = db.execute(
        "SELECT max(date) FILTER (WHERE date < :day), min(date) FILTER (WHERE date > :day) FROM"
        f" visible_note AS note WHERE kind = 'daily' AND {visible_sql(private=private)}",
        {"day": day},
    ).fetchone()
    return row[0], row[1]


def get_facts(
    db: apsw.Connection, path: str | None = None, *, private: bool, as_written: bool = False
) -> Iterator[tuple[str, Fact]]:
    """Each visible fact with its note's path, of one note or of all, in order of path and line.

    One that another fact `updates` is superseded, as in search, unless facts are wanted
    `as_written`.
    """
    only = ""
    values: tuple[str, ...] = ()
    if path is not None:
        only = " AND note.path = ?"
        values = (path,)
    rows = db.execute(
        "SELECT note.path, fact.note, fact.detail FROM fact JOIN visible_note AS note ON note.id"
        f" = fact.note WHERE {visible_sql(private=private)}{only} ORDER BY note.path, fact.ordinal",
        values,
    )
    past = {} if as_written else outcomes(db, path or "", private=private)
    return ((at, settle_fact(fact_of(detail), note, past)) for at, note, detail in rows)


def get_properties(db: apsw.Connection, name: str) -> list[tuple[str, str]]:
    """The notes whose front matter has a property, each with the text of it, private ones too."""
    rows = db.execute(
        "SELECT path, json_extract(front, ?) FROM visible_note WHERE front LIKE ? ORDER BY path",
        (f'$."{name}"', f'%"{name}"%'),
    )
    return [(path, value) for path, value in rows if isinstance(value, str)]


def get_titles(db: apsw.Connection, paths: Iterable[str], *, private: bool) -> dict[str, str]:
    """The title of each of these notes that may be seen."""
    import json  # a search has no use for it

    rows = db.execute(
        "SELECT path, title FROM visible_note AS note WHERE path IN (SELECT value FROM"
        f" json_each(?)) AND {visible_sql(private=private)}",
        (json.dumps(sorted(paths)),),
    )
    return dict(rows)


def get_keyed(db: apsw.Connection, keys: Iterable[str], *, private: bool) -> list[Found]:
    """The visible facts that have these keys, as they are written, each with its note's path, in
    order of path and line."""
    import json  # a search has no use for it

    rows = db.execute(
        "SELECT note.path, fact.detail FROM fact JOIN visible_note AS note ON note.id = fact.note"
        f" WHERE fact.key IN (SELECT value FROM json_each(?)) AND {visible_sql(private=private)}"
        " ORDER BY note.path, fact.ordinal",
        (json.dumps(sorted(keys)),),
    )
    return [(path, fact_of(detail)) for path, detail in rows]


def chained_keys(db: apsw.Connection, keys: Iterable[str]) -> set[str]:
    """These keys of facts, and those of all that came before and after them, whoever may see
    these."""
    near: dict[str, set[str]] = {}
    for row in db.execute(
        "SELECT key, after, updates FROM fact WHERE after IS NOT NULL OR updates IS NOT NULL"
    ):
        for other in filter(None, row[1:]):
            near.setdefault(row[0], set()).add(other)
            near.setdefault(other, set()).add(row[0])
    found = set(keys)
    waiting = [*found]
    while waiting:
        fresh = near.get(waiting.pop(), set()) - found
        found |= fresh
        waiting += fresh
    return found


def get_always_told(db: apsw.Connection, least: float) -> list[tuple[str, Fact]]:
    """The active facts, each with its note's path, that are told whatever is asked: instructions
    with at least such a scope, what is pinned, and what is at least so important by its own line;
    none of a private note."""
    scope, said, pinned = (
        f"json_extract(fact.detail, '$[{Fact._fields.index(name)}]')"
        for name in ("scope", "importance", "pinned")
    )
    rows: list[Any] = db.execute(
        "SELECT note.path, fact.note, fact.key, fact.detail FROM fact JOIN visible_note AS note"
        f" ON note.id = fact.note WHERE {visible_sql(private=False)} AND fact.status = 'active' AND"
        f" ((fact.type = 'instruction' AND {scope} >= ?) OR (fact.lasts AND {pinned}) OR {said} >="
        " ?) ORDER BY note.path, fact.ordinal",
        (least, least),
    ).fetchall()
    past = replaced_facts(db, private=False) if rows else ()
    return [(path, fact_of(detail)) for path, note, key, detail in rows if (note, key) not in past]


def get_pinned(db: apsw.Connection) -> list[Found]:
    """The active facts whose line says `pinned`, each with its note's path, none of a private
    note."""
    pinned = f"json_extract(fact.detail, '$[{Fact._fields.index('pinned')}]')"
    rows: list[Any] = db.execute(
        "SELECT note.path, fact.note, fact.key, fact.detail FROM fact CROSS JOIN visible_note AS"
        " note ON note.id = fact.note WHERE fact.lasts AND fact.status = 'active' AND"
        f" {pinned} AND {visible_sql(private=False)} AND NOT {SET_APART} ORDER BY note.path,"
        " fact.ordinal"
    ).fetchall()
    past = replaced_facts(db, private=False) if rows else ()
    return [(path, fact_of(detail)) for path, note, key, detail in rows if (note, key) not in past]


def is_standing(fact: Fact) -> bool:
    """Whether a fact is an instruction that always applies, as `get_always_told` has them."""
    return fact.type == "instruction" and fact.status == "active" and fact.scope >= STANDING


class SectionRow(NamedTuple):
    """A text of a note, or a fact of it: the note's path and kind, its title and the headings above
    it, ` > ` between them, its lines, and how many the note has."""

    path: str
    kind: str
    context: str
    first: int
    last: int
    text: str
    size: int


def get_sections(db: apsw.Connection, words: str, most: int) -> list[SectionRow]:
    """The texts and facts that hold some words, as FTS5 is asked for them, those of the newest
    notes first, at most so many; none of a private note, nor of one that says where it is from."""
    rows = db.execute(
        "SELECT path, kind, context, first, last, chunk.text, lines FROM chunk JOIN visible_note AS"
        " note ON note.id = chunk.note WHERE chunk.id IN (SELECT rowid FROM chunk_fts WHERE"
        f" chunk_fts MATCH ?) AND {visible_sql(private=False)} AND grain != 'property' AND"
        " chunk.status = 'active' AND json_extract(front, '$.source', '$.url') = '[null,null]'"
        " ORDER BY coalesce(note.updated, note.date, '') DESC, path, ordinal"
        " LIMIT ?",
        (words, most),
    )
    return list(map(SectionRow._make, rows))


def with_code(db: apsw.Connection, paths: Iterable[str]) -> set[str]:
    """Those of some notes that hold a fence of code."""
    import json  # a search has no use for it

    rows = db.execute(
        "SELECT DISTINCT note.path FROM visible_note AS note JOIN chunk ON chunk.note = note.id"
        f" WHERE {visible_sql(private=False)} AND note.path IN (SELECT value FROM json_each(?)) AND"
        " instr(chunk.text, '```')",
        (json.dumps(list(paths)),),
    )
    return {path for (path,) in rows}


def get_fact_notes(db: apsw.Connection, key: str, *, private: bool) -> tuple[str, ...]:
    """The visible notes that hold a fact of that key, an `^id` without the caret or a hash key, in
    order of path."""
    rows = db.execute(
        "SELECT DISTINCT note.path FROM fact JOIN visible_note AS note ON note.id = fact.note"
        f" WHERE fact.key = ? AND {visible_sql(private=private)} ORDER BY note.path",
        (key,),
    )
    return tuple(path for (path,) in rows)


def is_taken(db: apsw.Connection, id: str) -> bool:
    """Whether a fact or a block of the vault has this id."""
    fact = db.execute("SELECT 1 FROM fact WHERE key = ? LIMIT 1", (id,)).get
    return bool(
        fact
        or db.execute("SELECT 1 FROM visible_note WHERE instr(blocks, ?) LIMIT 1", (f'"{id}"',)).get
    )


def get_ids(db: apsw.Connection) -> set[str]:
    """All that `is_taken` says of the ids that Aurelius gives: for who asks about many."""
    found = {key for (key,) in db.execute("SELECT key FROM fact")}
    for (blocks,) in db.execute("SELECT blocks FROM visible_note WHERE blocks LIKE '%\"%'"):
        found.update(re.findall(r'"([a-z0-9]+)"', blocks))
    return found


def get_summaries(
    db: apsw.Connection, *, private: bool
) -> Iterator[tuple[str, tuple[str, ...], str]]:
    """The text of every section that is headed Summary: path, heading path, text; a long one comes
    in parts."""
    rows = db.execute(
        "SELECT note.path, chunk.heading, chunk.text FROM chunk JOIN visible_note AS note ON"
        f" note.id = chunk.note WHERE {visible_sql(private=private)} AND chunk.grain = 'section'"
        " AND chunk.heading LIKE '%summary%' ORDER BY note.path, chunk.ordinal"
    )
    return ((path, tuple(heading.split("\n")), text) for path, heading, text in rows)


class LeadRow(NamedTuple):
    """What a note says first, and when its file changed last, in nanoseconds of unix time."""

    text: str
    changed: int


def get_leads(
    db: apsw.Connection,
    paths: Iterable[str],
    *,
    private: bool,
) -> dict[str, LeadRow]:
    """The beginning of the summary of each of these notes, else of its first text that is no list
    of facts, else its first active fact."""
    import json  # a search has no use for it

    said = (
        f"SELECT substr(text, 1, {_LEAD_LETTERS}) FROM chunk WHERE chunk.note = note.id AND grain ="
        " 'section' AND {} ORDER BY chunk.ordinal LIMIT 1"
    )
    summary = "char(10) || lower(heading) LIKE '%' || char(10) || 'summary'"
    no_fact = "NOT EXISTS (SELECT 1 FROM fact WHERE fact.note = note.id AND first = chunk.first)"
    rows = db.execute(
        f"SELECT path, coalesce(({said.format(summary)}), ({said.format(no_fact)}), (SELECT"
        f" json_extract(detail, '$[{Fact._fields.index('text')}]') FROM fact WHERE fact.note ="
        " note.id AND status = 'active' ORDER BY ordinal LIMIT 1), ''), mtime_ns FROM visible_note"
        f" AS note WHERE {visible_sql(private=private)} AND path IN (SELECT value FROM"
        " json_each(?))",
        (json.dumps(list(paths)),),
    )
    return {path: LeadRow(*row) for path, *row in rows}


def get_problems(db: apsw.Connection, *, private: bool) -> Iterator[tuple[str, Problem]]:
    """Each thing that could not be read as meant, with its note's path, in order of path and
    line."""
    rows = db.execute(
        f"SELECT path, problems FROM visible_note AS note WHERE {visible_sql(private=private)} AND"
        " problems != '[]' ORDER BY path"
    )
    for path, problems in rows:
        for problem in sorted(_of_json(problems)):
            yield path, Problem(*problem)


def get_cut(db: apsw.Connection, *, private: bool) -> tuple[tuple[str, str], ...]:
    """Notes of which only a part could be read, because of their size, with what was."""
    found = get_problems(db, private=private)
    return tuple((path, problem.message) for path, problem in found if problem.code == "size")


def get_failed(db: apsw.Connection, *, private: bool) -> tuple[tuple[str, str], ...]:
    """Notes that could not be read, with the reason; one that is known to be private only where it
    may be seen."""
    rows = db.execute(
        "SELECT failed.path, failed.reason FROM visible_failed AS failed LEFT JOIN visible_note"
        " AS note ON note.path = failed.path WHERE note.id IS NULL OR"
        f" {visible_sql(private=private)}"
        " ORDER BY failed.path"
    )
    return tuple((path, reason) for path, reason in rows)


def count_chunks(db: apsw.Connection, path: str) -> int:
    """How many chunks the index holds of a note of exactly that path."""
    return int(
        db.execute(
            "SELECT count(*) FROM chunk JOIN visible_note AS note ON note.id = chunk.note WHERE"
            " path = ?",
            (path,),
        ).get
    )


def count_found(db: apsw.Connection, *, private: bool) -> tuple[int, int]:
    """How many notes, and chunks of them, could be found: those that may be seen."""
    if private:
        hidden = f"private = {HIDDEN_FROM_AGENT}"
    else:
        hidden = "private"
    ids = [number for (number,) in db.execute(f"SELECT id FROM visible_note WHERE {hidden}")]
    of_hidden = f"SELECT count(*) FROM chunk WHERE note IN ({','.join(map(str, ids))})"
    notes, chunks, less = db.execute(
        f"SELECT (SELECT count(*) FROM visible_note), (SELECT count(*) FROM chunk), ({of_hidden})"
    ).get
    return int(notes) - len(ids), int(chunks) - int(less)


def get_counts(db: apsw.Connection) -> Counts:
    """How much the index holds of what the person or agent sees, private notes included, as numbers
    tell nothing of what they say."""
    notes, private, size, problems = db.execute(
        "SELECT count(*), coalesce(sum(private), 0), coalesce(sum(size), 0),"
        " coalesce(sum(json_array_length(problems)), 0) FROM visible_note WHERE private <"
        f" {HIDDEN_FROM_AGENT}"
    ).get
    hidden = f"SELECT id FROM visible_note WHERE private = {HIDDEN_FROM_AGENT}"
    chunks, facts, vectors, ignored = (
        db.execute(f"SELECT count(*) FROM {rows}").get
        for rows in (
            f"chunk WHERE note NOT IN ({hidden})",
            f"fact WHERE note NOT IN ({hidden})",
            f"chunk_vec WHERE id NOT IN (SELECT id FROM chunk WHERE note IN ({hidden}))",
            "verdict WHERE ignored",
        )
    )
    rows = db.execute(
        f"SELECT kind, count(*) FROM visible_note WHERE private < {HIDDEN_FROM_AGENT} GROUP BY"
        " kind ORDER BY count(*) DESC, kind"
    )
    kinds = tuple((str(kind), int(count)) for kind, count in rows)
    below = f"SELECT path FROM visible_note WHERE {BELOW_AGENTS} AND private < {HIDDEN_FROM_AGENT}"
    keepers = get_keepers(db)
    agents = Counter(
        agent_of(path) for (path,) in db.execute(below) if is_hidden_from(path, keepers)
    )
    return Counts(
        notes=notes,
        chunks=chunks,
        facts=facts,
        vectors=vectors,
        problems=problems,
        private=private,
        ignored=ignored,
        note_bytes=size,
        kinds=kinds,
        agents=tuple(sorted(agents.items())),
    )


def _counted(
    db: apsw.Connection, by: str, source: str, values: tuple[Any, ...]
) -> tuple[tuple[str, int], ...]:
    rows = db.execute(
        f"SELECT {by}, count(*) {source} GROUP BY {by} ORDER BY count(*) DESC, {by}", values
    )
    return tuple((str(name), int(count)) for name, count in rows)


def _order(sort: str) -> str:
    if sort not in _ORDERS:
        raise UsageError(f"cannot sort by {sort!r}", f"sort by {', '.join(SORTS)}")
    return _ORDERS[sort]


def _distinct(names: list[str]) -> tuple[str, ...]:
    """Names without those that differ from an earlier one in case alone."""
    first: dict[str, str] = {}
    for name in names:
        first.setdefault(caseless(name), name)
    return tuple(first.values())


def _of_json(text: str) -> Any:
    import json  # a search has no use for it

    return json.loads(text)


def fact_of(detail: str) -> Fact:
    """The fact that a row of table `fact` holds as JSON."""
    values = _of_json(detail)
    return Fact._make(tuple(value) if isinstance(value, list) else value for value in values)
