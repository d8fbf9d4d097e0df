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

    from .call import PageCall
    from .done import DoneNotice

_FIRST = 25
"""Changes that are shown before all are asked for."""


class ShownChange(NamedTuple):
    """A change in words, with the form that undoes it, its local time to the second, its notes, and
    why it cannot be undone now, "" where it can."""

    told: DoneNotice
    time: str
    paths: Sequence[str]
    obstacle: str


def last_changes(vault: Vault, most: int) -> list[ShownChange]:
    """The newest changes, without those of private notes; none where nothing may be written."""
    try:
        found = list_changes(api.write_place(vault), most=most)
    except AureliusError:
        return []
    return [
        ShownChange(
            told=told_change(each),
            time=local(each.time, vault.clock.zone),
            paths=each.paths,
            obstacle=each.obstacle,
        )
        for each in found
        if each.paths
    ]


def show_changes(call: PageCall) -> PageAnswer:
    """The last changes."""
    most = call.number("most", _FIRST, MOST_UNDO_ENTRIES)
    values = {
        "changes": last_changes(call.vault, most),
        "more": most if most < MOST_UNDO_ENTRIES else 0,
        "every": MOST_UNDO_ENTRIES,
    }
    return PageAnswer("changes.html", "Last changes", values)
