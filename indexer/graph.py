"""Names and links: which note a written name means, what a note links to, and what links to it."""

from __future__ import annotations

from typing import NamedTuple


class LinkRow(NamedTuple):
    """One end of a link, seen from the other.

    Outgoing: `path` is the note or file it leads to, or the target as written where there is none
    (or none to be seen); `line` and `label` are the link's own.  Backlink: `path` is the note that
    links here, `line` and `label` its.  `anchor` is the heading or ^block named, "" for none.
    `exists` is false when the target, its heading or its block does not exist; `problem` says which.
    """

    path: str
    line: int
    label: str
    exists: bool
    anchor: str = ""
    problem: str = ""
