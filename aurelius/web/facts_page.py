"""The page of a fact: what it was before, what replaced it, and where it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aurelius.answers.references import fact_history

from .call import PageAnswer

if TYPE_CHECKING:
    from .call import PageCall


def show_fact(call: PageCall) -> PageAnswer:
    """The fact of an id, with the chain that it is a part of."""
    found = fact_history(call.vault, call.name, private=False)
    return PageAnswer("fact.html", "A fact", {"history": found})
