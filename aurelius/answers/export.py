"""Export of all facts: as JSON, as Markdown, as an SQLite file.  The notes stay the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurelius.compose import fact_text
from aurelius.compose.fact_text import TailParts
from indexer.catalog.lists import get_facts
from indexer.errors import ConflictError, UsageError
from indexer.reading.type_words import type_said
from indexer.usage.log_reader import get_usage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from indexer.note import Fact

    from .references import OpenVault

COLUMNS = (
    "id", "path", "first", "last", "heading", "text", "type", "status", "date", "until", "scope", "importance",
    "pinned", "milestone", "inferred", "source", "because", "superseded_by", "updates", "contradicts", "tags",
    "related", "uses", "last_used", "score", "subtype", "part_of", "unknown",
)  # fmt: skip
"""The columns of each fact, in this order."""

_TABLE = f"CREATE TABLE fact({', '.join(COLUMNS)})"
_ROW = f"INSERT INTO fact VALUES({', '.join('?' * len(COLUMNS))})"


def rows(vault: OpenVault, *, private: bool) -> Iterator[dict[str, Any]]:
    """Every fact, in order of path and line, all things considered."""
    db = vault.index().db
    usage = get_usage(db)
    for path, fact in get_facts(db, private=private):
        uses = usage.of(fact.key)
        values = {
            "id": fact.key, "path": path, "uses": uses.count, "score": uses.score,
            "last_used": str(vault.clock.last_use(uses) or "") or None,
        }  # fmt: skip
        yield {name: values[name] if name in values else getattr(fact, name) for name in COLUMNS}


def markdown(vault: OpenVault, *, private: bool) -> str:
    """Every fact as a line of Markdown, under the path of its note."""
    parts: list[str] = []
    at = ""
    for path, fact in get_facts(vault.index().db, private=private):
        if path != at:
            parts.append(f"\n## {path}\n\n" if at else f"## {path}\n\n")
            at = path
        parts.append(_line(fact) + "\n")
    return "".join(parts)


def sqlite(vault: OpenVault, file: str, *, private: bool) -> int:
    """Every fact as a row of table `fact` in a new SQLite file; how many.

    UsageError for a file that is there, ConflictError for one that cannot be written.
    """
    import json
    import os

    import apsw

    if os.path.lexists(file):
        raise UsageError(f"{file} already exists", "nothing was written; choose another name")
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
        raise ConflictError(
            f"{file} cannot be written: {error}", "choose a file in an existing folder that you can write to"
        ) from error
    return len(values)


def _line(fact: Fact) -> str:
    told = TailParts(
        type_said(fact), fact.pinned, fact.importance, None, fact.inferred,
        fact_text.source_of(fact), fact.updates, fact.contradicts, fact.because, fact.superseded_by,
        fact.part_of, fact.unknown,
    )  # fmt: skip
    days, past = fact_text.span_of(fact.date, fact.until), fact.status == "superseded"
    words = fact_text.Wording(fact.text, days, fact_text.items_of(told), fact.id, struck=past)
    return "- " + fact_text.written(words)
