"""What begins like something typed: paths of notes, keys of facts, tags; read only, and little is imported for it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, NamedTuple

from indexer.note import Fact

from .visibility import visible

if TYPE_CHECKING:
    import apsw

LAST = "\U0010ffff"
"""Comes after every character of a key or a path."""


class Beginning(NamedTuple):
    """Something that begins so: `text` as it would be typed, `about` what it is, `path` the note it is of."""

    text: str
    about: str
    path: str


def get_paths_like(db: apsw.Connection, beginning: str, *, most: int = -1) -> list[Beginning]:
    """The paths of notes that begin so, with their titles, in order; none of a private note."""
    rows = db.execute(
        "SELECT path, title FROM note WHERE path >= ? AND path < ?"  # noqa: S608  # a condition of our own
        f" AND {visible(private=False)} ORDER BY path LIMIT ?",
        (beginning, beginning + LAST, most),
    )
    return [Beginning(path, title, path) for path, title in rows]


def get_keys_like(db: apsw.Connection, beginning: str, *, most: int) -> list[Beginning]:
    """The keys of facts that begin so, with what each states, in order; none of a private note."""
    rows = db.execute(
        "SELECT fact.key, fact.detail, note.path FROM fact JOIN note ON note.id = fact.note"  # noqa: S608  # as above
        f" WHERE fact.key >= ? AND fact.key < ? AND {visible(private=False)} ORDER BY fact.key LIMIT ?",
        (beginning, beginning + LAST, most),
    )
    text = Fact._fields.index("text")
    return [Beginning(key, json.loads(detail)[text], path) for key, detail, path in rows]


def get_tags_like(db: apsw.Connection, beginning: str) -> list[Beginning]:
    """The tags that begin so, in order; none that only private notes have."""
    rows = db.execute(
        "SELECT DISTINCT tag.name FROM tag JOIN note ON note.id = tag.note"  # noqa: S608  # as above
        f" WHERE tag.name >= ? AND tag.name < ? AND {visible(private=False)} ORDER BY tag.name",
        (beginning, beginning + LAST),
    )
    return [Beginning(name, "", "") for (name,) in rows]
