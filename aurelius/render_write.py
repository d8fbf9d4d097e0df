"""What the commands that write tell a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.diff import diff
from aurelius.jsonout_write import kind, local
from aurelius.visible import one_line, visible

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable, Sequence

    from aurelius.edit import Edit
    from aurelius.undo import Undoable


def changes(edits: Sequence[Edit]) -> str:
    """A line a note: what was done to it."""
    return "".join(f"{kind(edit)} {one_line(edit.path)}\n" for edit in edits if edit.before != edit.after)


def preview(edits: Sequence[Edit]) -> str:
    """The diff that `--dry-run` shows."""
    return visible(diff(edits).replace("\r\n", "\n"))


def undoable(found: Iterable[Undoable], zone: datetime.tzinfo | None) -> str:
    """A line a change: its number, when, why, and what stands against undoing it."""
    rows = [
        (str(each.number), local(each.time, zone).replace("T", " ")[:16], one_line(each.why), one_line(each.obstacle))
        for each in found
    ]
    width = max((len(row[0]) for row in rows), default=0)
    return "".join(f"{number:>{width}}  {time}  {why}{f'  ({no})' if no else ''}\n" for number, time, why, no in rows)
