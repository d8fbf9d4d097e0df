"""The first page: what there is, what changed, and what waits."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .call import PageAnswer

if TYPE_CHECKING:
    from .call import PageCall


def show_home(call: PageCall) -> PageAnswer:
    """The overview of the vault."""
    return PageAnswer("home.html", "Overview", {"status": call.vault.status()})
