"""All facts, taken along: as JSON, as Markdown, as an SQLite file (K47).  The notes stay the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.catalog import get_facts
from indexer.errors import ConflictError
from indexer.lineage import Lineage
from indexer.logbook import get_usage

from . import form
from .form import Told

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indexer.note import Fact

    from .vault import Vault

COLUMNS = (
    "id", "path", "first", "last", "heading", "text", "type", "status", "date", "until", "scope", "importance",
    "pinned", "inferred", "source", "because", "superseded_by", "updates", "contradicts", "tags", "related", "uses",
    "last_used", "score",
)  # fmt: skip
"""What is said of each fact, in this order."""

_TABLE = f"CREATE TABLE fact({', '.join(COLUMNS)})"
_ROW = f"INSERT INTO fact VALUES({', '.join('?' * len(COLUMNS))})"


def rows(vault: Vault, *, private: bool) -> Iterator[dict[str, Any]]:
    """Every fact, in order of path and line, all things considered."""
    db = vault.index().db
    usage = get_usage(db)
    past = Lineage(get_facts(db, private=True, as_written=True)).replaced()
    for path, fact in get_facts(db, private=private, as_written=True):
        step, uses = past.get((path, fact.key)), usage.of(fact.key)
        values = {
            "id": fact.key, "path": path, "first": fact.first, "last": fact.last, "heading": fact.heading,
            "status": step.status if step else fact.status, "until": step.until if step else fact.until,
            "superseded_by": step.after if step else fact.superseded_by,
            "uses": uses.count, "last_used": _day(uses.last), "score": uses.score,
        }  # fmt: skip
        yield {name: values[name] if name in values else getattr(fact, name) for name in COLUMNS}


def markdown(vault: Vault, *, private: bool) -> str:
    """Every fact as a line of Markdown, under the path of its note."""
    parts: list[str] = []
    at = ""
    for path, fact in get_facts(vault.index().db, private=private):
        if path != at:
            parts.append(f"\n## {path}\n\n" if at else f"## {path}\n\n")
            at = path
        parts.append(_line(fact) + "\n")
    return "".join(parts)


def sqlite(vault: Vault, file: str, *, private: bool) -> int:
    """Every fact as a row of table `fact` in a new SQLite file; how many.  ConflictError where that cannot be."""
    import json
    import os

    import apsw

    if os.path.lexists(file):
        raise ConflictError(f"{file} is there already", "nothing was written; name a file that is not there yet")
    found: Iterable[dict[str, Any]] = rows(vault, private=private)
    values = [
        tuple(json.dumps(value, ensure_ascii=False) if isinstance(value, tuple) else value for value in row.values())
        for row in found
    ]
    try:
        db = apsw.Connection(file)
        try:
            with db:
                db.execute(_TABLE)
                db.executemany(_ROW, values)
        finally:
            db.close()
    except apsw.Error as error:
        raise ConflictError(f"{file} cannot be written: {error}", "name a file in a folder that is there") from error
    return len(values)


def _line(fact: Fact) -> str:
    told = Told(
        fact.type if fact.type != "fact" else "", fact.pinned, fact.importance, None, fact.inferred, fact.source,
        fact.updates, fact.contradicts, fact.because, fact.superseded_by,
    )  # fmt: skip
    days, past = form.span_of(fact.date, fact.until), fact.status == "superseded"
    words = form.Wording(fact.text, days, form.items_of(told), fact.id, struck=past)
    return "- " + form.written(words)


def _day(at: float | None) -> str | None:
    import datetime

    return None if at is None else datetime.datetime.fromtimestamp(at).date().isoformat()  # noqa: DTZ006  a person's day
