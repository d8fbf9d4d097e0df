"""The lines of the index that a newer line of their matter makes old."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.matter.timeline import Stated, compared_words, names_of_note, outdated_lines
from indexer.note import Fact

from .supersession import replaced_facts
from .visibility import visible_sql

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    import apsw


class Newer(NamedTuple):
    """The newer line of a matter: where it stands, its key, its day and what it says."""

    path: str
    line: int
    key: str
    date: str
    text: str

    def told(self) -> dict[str, str | int]:
        """What programs are told of it."""
        return {"id": self.key, "path": self.path, "line": self.line, "date": self.date}


_TEXT = Fact._fields.index("text")
_UNDER = f"json_extract(detail, '$[{Fact._fields.index('heading')}][#-1]')"


def names_of_notes(db: apsw.Connection, notes: Iterable[int]) -> dict[int, frozenset[str]]:
    """The names of these notes: what each is called, and a person's first name where no other
    person has it."""
    ids = ",".join(map(str, notes))
    found = {}
    given = "(SELECT group_concat(value, char(10)) FROM json_each(aliases))"
    sql = (
        f"SELECT id, path, kind, title, {given} FROM visible_note AS note WHERE kind != 'daily'"
        f" AND id IN ({ids})"
        " ORDER BY path"
    )
    persons: Any = db.execute("SELECT title FROM visible_note WHERE kind = 'person'")
    given_to = Counter(title.partition(" ")[0].lower() for (title,) in persons)
    for note, path, kind, title, aliases in db.execute(sql):
        if kind == "person":
            first = (compared_words(title) or ("",))[0]
        else:
            first = ""
        found[note] = names_of_note(
            title, path, (*(aliases or "").split("\n"), *[first] * (given_to[first] == 1))
        )
    return found


def newer_facts(
    db: apsw.Connection, path: str = "", *, private: bool, as_of: str = ""
) -> dict[tuple[str, str], Newer]:
    """The active facts of a note, or of all but days, that a newer line of their matter makes old,
    by path and key.

    The newer one stands in the same note, or in a day's note that names it; lines after `as_of` do
    not count.
    """
    past = replaced_facts(db, private=private)
    found: dict[tuple[str, str], Newer] = {}
    which = f"kind != 'daily' AND {visible_sql(private=private)}" + " AND path = ?" * bool(path)
    rows: list[Any] = db.execute(
        f"SELECT id FROM visible_note AS note WHERE {which} ORDER BY path", [path] * bool(path)
    ).fetchall()
    for note, names in names_of_notes(db, [number for (number,) in rows]).items():
        seen = f"{visible_sql(private=private)} AND (?2 = '' OR fact.date <= ?2)"
        lines = [*_facts(db, f"fact.note = ?1 AND {seen}", (note, as_of), {note: names}, past)]
        if names and any(line.date for _, _, line in lines):
            asked = " OR ".join(f'"{name}"' for name in sorted(names))
            named = (
                "note.kind = 'daily' AND chunk.id IN (SELECT rowid FROM chunk_fts WHERE text"
                " MATCH ?1)"
            )
            lines += _facts(db, f"{seen} AND {named}", (asked, as_of), {}, past)
        for old, new in outdated_lines([line for _, _, line in lines]).items():
            if lines[old][2].names:
                found[lines[old][1].path, lines[old][1].key] = lines[new][1]
    return found


def stated(db: apsw.Connection, chunks: Sequence[int]) -> list[tuple[int, Newer, Stated]]:
    """The chunks of dated facts among these, in their order, as places and as lines."""
    ids = ",".join(map(str, chunks))
    notes = db.execute(
        f"SELECT note FROM chunk WHERE id IN ({ids}) AND note IN (SELECT id FROM visible_note"
        " WHERE kind != 'daily')"
    )
    names = names_of_notes(db, {note for (note,) in notes})
    rows = _facts(db, f"chunk.id IN ({ids}) AND fact.date > ''", (), names, (), "chunk.id")
    return sorted(rows, key=lambda row: chunks.index(row[0]))


def _facts(
    db: apsw.Connection,
    where: str,
    values: Sequence[Any],
    names: Mapping[int, frozenset[str]],
    past: Collection[tuple[int, str]],
    number: str = "fact.note",
) -> Iterator[tuple[int, Newer, Stated]]:
    """The active facts for which a condition holds, as places and as lines, each with its note or
    another number; `names` are those of notes."""
    chunk = "JOIN chunk ON chunk.note = fact.note AND chunk.fact = fact.key " * ("chunk." in where)
    sql = (
        f"SELECT {number}, fact.note, path, fact.first, fact.key, coalesce(fact.date, ''),"
        f" json_extract(detail, '$[{_TEXT}]'), fact.type, note.kind = 'daily', {_UNDER} FROM fact"
        f" JOIN visible_note AS note ON note.id = fact.note {chunk}WHERE fact.status = 'active'"
        f" AND {where}"
    )
    for at, note, path, first, key, date, text, type_, daily, heading in db.execute(sql, values):
        if (note, key) not in past:
            own = names.get(note, frozenset())
            line = Stated(
                text=text,
                date=date,
                names=own,
                daily=bool(daily),
                type=type_,
                under=(path, heading or ""),
            )
            yield at, Newer(path, first, key, date, text), line
