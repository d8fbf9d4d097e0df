"""The first page: what there is, what changed, and what waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius import api

from .call import PageAnswer
from .changes_page import last_changes
from .drawings import draw_tiers
from .links import PageLinks
from .notes_page import shown_facts

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aurelius.memory.review import Matter

    from .call import PageCall

_MOST_ROWS = 8
"""Rows of each list."""
_FIRST_MATTERS = 3
_FIRST_CHANGES = 3


def show_home(call: PageCall) -> PageAnswer:
    """The overview of the vault."""
    vault = call.vault
    found = api.overview(vault, most=_MOST_ROWS)
    links = PageLinks(vault)
    waiting: list[list[str]] = []
    if found.waiting:  # they are counted, and so they are kept
        matters = api.waiting_matters(vault)[:_FIRST_MATTERS]
        waiting = [[*_lines(each, links)] for each in matters]
    day_of = vault.clock.day_of
    values = {
        "found": found,
        "notes": sum(found.note_tiers.values()),
        "facts": sum(found.fact_tiers.values()),
        "tiers": draw_tiers(found.fact_tiers, "Facts by tier"),
        "changed": [(each, str(day_of(each.at / 10**9))) for each in found.changed.first],
        "new_facts": shown_facts(vault, found.new_facts.first, links),
        "pinned": shown_facts(vault, found.pinned.first, links),
        "waiting": waiting,
        "due": {
            "Overdue": found.due.overdue,
            "Today": found.due.today,
            "In the next seven days": found.due.soon,
        },
        "line": links.line,
        "changes": last_changes(vault, _FIRST_CHANGES),
    }
    return PageAnswer("home.html", "Overview", values)


def _lines(matter: Matter, links: PageLinks) -> Iterator[str]:
    """The lines that a proposal is about, as HTML."""
    yield links.line(matter.path, matter.fact.text)
    if matter.by:
        path, fact = matter.by
        yield links.line(path, fact.text)
