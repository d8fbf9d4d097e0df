"""Visibility of private notes: the one condition on notes that every query carries.

An ignored note has no rows; a private one is visible only where it is asked for.  Search,
graph and every list build on `visible`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import apsw

    from .filters import Filters


class Condition(NamedTuple):
    """A piece of SQL over the table `note`, with the values of its parameters."""

    sql: str
    values: tuple[Any, ...]


def visible(*, private: bool) -> str:
    """The condition on table `note` that every query of every door carries."""
    return "1" if private else "note.private = 0"


def condition(db: apsw.Connection, filters: Filters) -> Condition:
    """Which notes a search or list may look at: visible, and of the kinds, tags, folder and front matter named.

    What is said of facts and dates (types, tiers, status, since, until) is left to the caller.
    """
    parts, values = [visible(private=filters.private)], list[Any]()
    if filters.kinds:
        parts.append(f"note.kind IN ({','.join('?' * len(filters.kinds))})")
        values += filters.kinds
    if filters.archived:
        parts.append("note.kind = 'archive'" if filters.archived == "only" else "note.kind != 'archive'")
    for tag in filters.tags:
        parts.append("EXISTS (SELECT 1 FROM tag WHERE tag.note = note.id AND within_tag(tag.name, ?))")
        values.append(tag)
    folder = clean_folder(filters.folder)
    if folder:
        parts.append("(note.path IN (?, ?) OR substr(note.path, 1, ?) = ?)")
        values += (folder, folder + ".md", len(folder) + 1, folder + "/")
    for wish in filters.where:
        parts.append("front_holds(note.front, ?, ?, ?)")
        values += wish
    if filters.tags or filters.where:
        _teach(db)
    return Condition(" AND ".join(parts), tuple(values))


def _teach(db: apsw.Connection) -> None:
    """Give a connection the functions that conditions use."""
    import apsw

    try:
        db.create_scalar_function("within_tag", lambda *each: within_tag(str(each[0]), str(each[1])), 2)
        db.create_scalar_function("front_holds", _front_holds, 4)
    except apsw.BusyError:
        return  # a query that is still being read uses them, so they are there


def clean_folder(folder: str) -> str:
    """A folder as a person writes it (`./people/`) as the index has it (`people`); "" is the whole vault."""
    return "/".join(part for part in folder.replace("\\", "/").split("/") if part not in {"", "."})


def within_tag(name: str, wanted: str) -> bool:
    """Whether a tag is the one wanted or nested in it (`work/urgent` in `work`), case apart."""
    name, wanted = name.casefold(), wanted.casefold().lstrip("#").rstrip("/")
    return name == wanted or name.startswith(wanted + "/")


def _front_holds(*values: Any) -> int:
    import json  # only a search by front matter has use for it

    from .filters import where_holds

    front, *wish = values
    return where_holds(json.loads(front), (wish[0], wish[1], wish[2]))
