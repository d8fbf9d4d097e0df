"""The tasks of all notes: the open ones by their days, the done ones where they are asked for."""

from __future__ import annotations

import datetime
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from indexer.catalog.filters import Filters
from indexer.spelling import caseless

from .call import PageAnswer
from .links import PageLinks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.catalog.lists import TaskRow

    from .call import PageCall

_ROWS_A_PART = 50
_DAYS_SOON = 7


class ShownTask(NamedTuple):
    """A task, and its text as HTML."""

    task: TaskRow
    html: str


def show_tasks(call: PageCall) -> PageAnswer:
    """Open tasks in the order of their days, or those that are done; of a folder, with some
    words."""
    vault = call.vault
    done = call.query.get("show") == "done"
    folder = call.query.get("in", "")
    words = call.query.get("q", "")
    every = vault.tasks(open_only=not done, filters=Filters(folder=folder))
    found = [each for each in every if each.done == done and _says(each, words)]
    window = call.window(len(found), _ROWS_A_PART)
    links = PageLinks(vault)
    day = vault.clock.today
    shown = found[window.rows]
    groups = [
        (name, [ShownTask(task, links.line(task.path, task.text)) for task in rows])
        for name, rows in groupby(shown, lambda task: _when(task, day))
    ]
    values = {
        "done_ones": done,
        "folder": folder,
        "words": words,
        "window": window,
        "groups": groups,
        "counts": _counts(found, day),
    }
    return PageAnswer("tasks.html", "Tasks, done" if done else "Tasks", values)


def _says(task: TaskRow, words: str) -> bool:
    """Whether each of some words stands in a task or in the path of its note."""
    text = caseless(f"{task.path} {task.text}")
    return all(word in text for word in caseless(words).split())


def _when(task: TaskRow, day: datetime.date) -> str:
    """Under which heading a task stands."""
    if task.done:
        return "Done"
    if task.due is None:
        return "Without a day"
    today = day.isoformat()
    soon = (day + datetime.timedelta(days=_DAYS_SOON)).isoformat()
    if task.due < today:
        return "Overdue"
    if task.due == today:
        return "Today"
    return "In the next seven days" if task.due <= soon else "Later"


def _counts(found: Sequence[TaskRow], day: datetime.date) -> dict[str, int]:
    """How many tasks there are under each heading."""
    counts: dict[str, int] = {}
    for task in found:
        name = _when(task, day)
        counts[name] = counts.get(name, 0) + 1
    return counts
