"""The page of a note: its text, its facts, and what has to do with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.ageing.tiers import ages

from .call import PageAnswer

if TYPE_CHECKING:
    from .call import PageCall


def show_note(call: PageCall) -> PageAnswer:
    """The note of a path, or of a name that means one note."""
    view = call.vault.note(call.name)
    of_facts = ages(call.vault, view.facts)
    values = {"view": view, "ages": of_facts}
    return PageAnswer("note.html", view.title, values, uses=(view.path,))
