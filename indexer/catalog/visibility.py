"""Visibility of private notes: the one condition on notes that every query carries; folders and tags as typed, and what
begins like something typed: paths of notes, keys of facts, tags.

An ignored note has no rows; a private one is visible only where it is asked for.  Search,
graph and every list build on `visible`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import apsw

LAST = "\U0010ffff"
"""Comes after every character of a key or a path."""


def visible(*, private: bool) -> str:
    """The condition on table `note` that every query of every door carries."""
    return "1" if private else "note.private = 0"


def clean_folder(folder: str) -> str:
    """A folder as a person writes it (`./people/`) as the index has it (`people`); "" is the whole vault."""
    return "/".join(part for part in folder.replace("\\", "/").split("/") if part not in {"", "."})


def within_tag(name: str, wanted: str) -> bool:
    """Whether a tag is the one wanted or nested in it (`work/urgent` in `work`), case apart."""
    name, wanted = name.casefold(), wanted.casefold().lstrip("#").rstrip("/")
    return name == wanted or name.startswith(wanted + "/")


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
    import json

    from indexer.note import Fact

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
