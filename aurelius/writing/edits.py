"""Values of writing: the place that is written, the edit of one note, and what was done.

Nothing here touches the disk, so whatever makes edits can import it without what carries them out.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

from aurelius.compose.note_lines import NoteReader

if TYPE_CHECKING:
    from collections.abc import Mapping


class Place(NamedTuple):
    """The place to write: the vault, and what is allowed there.

    `root` is the vault, `state` a folder outside it for lock, undo and journal, `daily` the folder of
    daily notes.  `shrink` lets an edit take away more than half of a note, or facts; `me` lets it
    change ME.md; `commit` commits it, with the programs and settings that `env` leads to; `now` is the
    time, in unix seconds, that the undo list tells, 0 for the real one.  `reader` parses the notes, each
    version once, for as long as this place is used; `secrets` lets an edit add what looks like a secret.
    """

    root: str
    state: str
    daily: str = "memory"
    shrink: bool = False
    me: bool = False
    commit: bool = False
    env: Mapping[str, str] | None = None
    now: float = 0.0
    reader: NoteReader | None = None
    secrets: bool = False

    def time(self) -> float:
        """The time of a change."""
        return self.now or time.time()

    def note_reader(self) -> NoteReader:
        """The parser of the notes: the place's own, else a new one."""
        return self.reader or NoteReader(self.daily)


class Edit(NamedTuple):
    """One note's bytes before and after; None: not there.  `source` is the path a moved note comes from."""

    path: str
    before: bytes | None
    after: bytes | None
    source: str = ""


class Applied(NamedTuple):
    """Result of edits: the number that `undo` takes (0: nothing had to change), and why no commit was made."""

    number: int
    uncommitted: str = ""
