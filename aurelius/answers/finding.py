"""What `doctor` finds: one thing that is wrong, as every check tells it.

Codes are stable:

    of parsing        encoding nul binary size front-matter structure conflict duplicate-id
    of links          unwritten site-link broken-link broken-heading broken-block broken-attachment ambiguous-link
    of facts          duplicate-id dangling-id cycle
    of names          ambiguous-name conflict-copy case-clash
    of files          unreadable not-indexed ignore-rules
    of the usage log  torn-log large-log log-ahead log-link log-file
    of the settings   setting
    of the index      index-memory index-place index-behind model
"""

from __future__ import annotations

from typing import NamedTuple


class Finding(NamedTuple):
    """One thing that is wrong: where (`line` 0 = the whole file; `path` "" = the vault), a stable code,
    what it is, and what to do.
    """

    path: str
    line: int
    code: str
    message: str
    fix: str


DUPLICATE_ID = "remove the id from one of the two lines"
"""The remedy, in one note as in two."""
