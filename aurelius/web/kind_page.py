"""The notes of a kind, and the facts of a type, a part of the list at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from aurelius import api
from indexer.catalog.filters import Filters
from indexer.errors import NoteNotFoundError
from indexer.note import NOTE_KINDS, TYPES

from .addresses import KIND_PAGES
from .call import PageAnswer
from .links import PageLinks
from .notes_page import shown_facts

if TYPE_CHECKING:
    from .call import PageCall

_ROWS_A_PART = 50
_FIRST_ARCHIVED = 10
"""Archived notes that stand below the others."""
ORDERS = {
    "recent": "last used or changed",
    "title": "name",
    "changed": "last changed",
    "date": "date",
    "lines": "length",
}
"""The orders to choose from, as people call them."""
_MADE_BY_COMMAND = frozenset(("person", "project", "company", "area", "resource"))


def show_kind(call: PageCall) -> PageAnswer:
    """The notes of a kind, named by itself or by the word for many; archived ones apart."""
    kinds = {name: kind for kind, name in KIND_PAGES.items()}
    kind = kinds.get(call.name, call.name)
    if kind not in NOTE_KINDS:
        lists = {"hint": "", "kinds": KIND_PAGES}
        return PageAnswer("error.html", f"There is no page {call.name}", lists, 404)
    vault = call.vault
    archived = call.query.get("show") == "archived" and kind != "archive"
    sort = call.query.get("sort", "")
    if sort not in ORDERS:
        sort = "recent"
    total = api.kind_page(vault, kind, archived=archived, limit=0).total
    window = call.window(total, _ROWS_A_PART)
    found = api.kind_page(
        vault, kind, archived=archived, sort=sort, limit=_ROWS_A_PART, offset=window.first
    )
    others = None
    if found.elsewhere and not archived and window.number == window.parts and kind != "archive":
        others = api.kind_page(vault, kind, archived=True, sort=sort, limit=_FIRST_ARCHIVED)
    shown: dict[str, Any] = {
        "kind": kind,
        "found": found,
        "window": window,
        "archived": archived,
        "others": others,
        "sort": sort,
        "sorts": ORDERS,
        "by_command": kind in _MADE_BY_COMMAND,
    }
    name = KIND_PAGES[kind].capitalize()
    return PageAnswer("kind.html", f"{name}, archived" if archived else name, shown)


def show_facts(call: PageCall) -> PageAnswer:
    """The facts that hold, of one type or of all, the newest first."""
    vault = call.vault
    type_ = call.query.get("type", "")
    if type_ and type_ not in TYPES:
        raise NoteNotFoundError(f"There is no type of facts {type_}", f"types: {', '.join(TYPES)}")
    filters = Filters()
    title = "Facts"
    if type_:
        filters = Filters(types=(type_,))
        title = f"Facts: {type_}"
    offset = (max(call.number("part", 1, 99_999), 1) - 1) * _ROWS_A_PART
    found = vault.facts(filters, sort="date", limit=_ROWS_A_PART, offset=offset)
    every = vault.facts(Filters(), limit=0) if type_ else found
    window = call.window(found.total, _ROWS_A_PART)
    values = {
        "facts": shown_facts(vault, found.facts, PageLinks(vault)),
        "types": every.types,
        "chosen": type_,
        "window": window,
    }
    return PageAnswer("facts.html", title, values)
