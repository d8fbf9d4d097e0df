"""The JSON of the commands that write: what was done, or would be.  Its grammar is aurelius/help/json.md."""

from __future__ import annotations

import datetime
from typing import TYPE_CHECKING, Any

from aurelius.diff import diff
from aurelius.jsonout import dump

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aurelius.edit import Applied, Edit
    from aurelius.undo import Undoable


def written(edits: Sequence[Edit], done: Applied | None, **about: Any) -> str:
    """What edits did, or, where nothing is `done`, would do; `about` are keys of the command's own."""
    return dump(
        **about,
        dry_run=done is None,
        number=done.number if done else 0,
        changes=[{"path": edit.path, "change": kind(edit)} for edit in edits if edit.before != edit.after],
        diff=diff(edits) if done is None else "",
        uncommitted=done.uncommitted if done else "",
    )


def kind(edit: Edit) -> str:
    """What an edit does to a note: made, changed or removed."""
    return "made" if edit.before is None else "removed" if edit.after is None else "changed"


def undoable(found: Iterable[Undoable], zone: datetime.tzinfo | None) -> str:
    """The answer of `undo --list`, newest first."""
    return dump(
        changes=[
            {"number": each.number, "time": local(each.time, zone), "why": each.why, "paths": each.paths,
             "undoes": each.undoes, "obstacle": each.obstacle}
            for each in found
        ]
    )  # fmt: skip


def local(time: float, zone: datetime.tzinfo | None) -> str:
    """A time of a person's own clock, to the second."""
    return datetime.datetime.fromtimestamp(time, zone).replace(tzinfo=None).isoformat(timespec="seconds")
