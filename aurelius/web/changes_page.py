"""The last changes that Aurelius made: what, where and when, and whether each can be undone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurelius import api
from aurelius.show.changes import local
from aurelius.writing.undo import list_changes
from aurelius.writing.undo_log import MOST_UNDO_ENTRIES
from indexer.errors import AureliusError

from .call import PageAnswer
from .done import told_change

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurelius.vault import Vault
    from aurelius.writing.undo import Undoable

    from .call import PageCall
    from .done import DoneNotice

_FIRST = 25
"""Changes that are shown before all are asked for."""
_ENTRIES_A_ROW = 4
"""Entries that are read for each row: a change may have been undone and done again."""


class ShownChange(NamedTuple):
    """A change in words, with the form that undoes it or does it again, its local time to the
    second, when it was undone, "" for never, its notes, and why its form cannot be sent now, ""
    where it can."""

    told: DoneNotice
    time: str
    undone: str
    paths: Sequence[str]
    obstacle: str


def last_changes(vault: Vault, most: int) -> list[ShownChange]:
    """The newest changes, each in one row with its undo, without those of private notes; none where
    nothing may be written."""
    try:
        found = list_changes(api.write_place(vault), most=_ENTRIES_A_ROW * most)
    except AureliusError:
        return []
    undos: dict[int, Undoable] = {}
    rows = []
    for each in found:
        if each.undoes and each.obstacle != "undone":
            undos.setdefault(each.undoes, each)
        if each.undoes or not each.paths:
            continue
        undo = undos.get(each.number)
        last = undo or each
        row = ShownChange(
            told=told_change(each)._replace(value=str(last.number)),
            time=local(each.time, vault.clock.zone),
            undone=local(undo.time, vault.clock.zone) if undo else "",
            paths=each.paths,
            obstacle=last.obstacle,
        )
        if undo:
            row = row._replace(told=row.told._replace(button="Do it again"))
        rows.append(row)
    return rows[:most]


def show_changes(call: PageCall) -> PageAnswer:
    """The last changes."""
    most = call.number("most", _FIRST, MOST_UNDO_ENTRIES)
    values = {
        "changes": last_changes(call.vault, most),
        "more": most if most < MOST_UNDO_ENTRIES else 0,
        "every": MOST_UNDO_ENTRIES,
    }
    return PageAnswer("changes.html", "Last changes", values)
