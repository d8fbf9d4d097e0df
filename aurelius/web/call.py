"""What a page is asked, and what it answers, without a word of HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from aurelius.vault import Vault


class PageCall(NamedTuple):
    """A question to a page: the vault, open for this answer alone; the part of the address that
    names a note, fact or kind; and what stands behind the `?`, the first value of each name."""

    vault: Vault
    name: str = ""
    query: Mapping[str, str] = {}

    def number(self, name: str, default: int, most: int) -> int:
        """A whole number of the query from 0 to `most`; the default where there is none."""
        given = self.query.get(name, "")
        if not (given.isascii() and given.isdecimal() and len(given) < 8):
            return default
        return min(int(given), most)


class PageAnswer(NamedTuple):
    """A page: which template, the title, and the values that the template shows."""

    template: str
    title: str
    values: Mapping[str, Any] = {}
    status: int = 200
    uses: tuple[str, ...] = ()
    """Notes and facts that were looked at, for the usage log."""
