"""What the index knows, read-only: notes, facts, tags, tasks, problems, counts.

Here, and only here, stands who may see what: an ignored note has no rows, and a private one is
visible only where it is asked for (design §9).  Search, graph and every list build on `visible`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import apsw

    from .index import Index, Key
    from .note import Block, Fact, Problem
    from .query import Filters

SORTS = ("path", "title", "kind", "date", "updated", "changed", "lines")
"""How notes can be ordered: names upwards, dates and sizes from the latest or largest down."""


class NoteRow(NamedTuple):
    """A note in a list.  `date` and `updated` are ISO dates or None, `lines` counts the file's lines."""

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
    """One window of the notes that match, and how many match in all."""

    notes: tuple[NoteRow, ...]
    total: int


class TaskRow(NamedTuple):
    """A check-box line and the note it stands in; `due` is an ISO date or None."""

    path: str
    line: int
    text: str
    done: bool
    due: str | None


class TagRow(NamedTuple):
    """A tag, as most notes spell it, and how many notes carry it."""

    name: str
    notes: int
