"""What a page is asked, and what it answers, without a word of HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urlencode

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

    def with_query(self, **changed: str) -> str:
        """The query of this page with some values changed, those that are "" left out, as a link
        has it."""
        kept = {name: value for name, value in {**self.query, **changed}.items() if value}
        return f"?{urlencode(kept)}"

    def window(self, total: int, size: int, name: str = "part") -> Window:
        """Which part of a list is asked for by a name of the query, where a part has `size` of
        `total` rows."""
        parts = max(1, -(-total // size))
        number = max(1, self.number(name, 1, parts))
        before = after = ""
        if number > 1:
            before = self.with_query(**{name: str(number - 1)})
        if number < parts:
            after = self.with_query(**{name: str(number + 1)})
        first = (number - 1) * size
        return Window(
            number=number,
            parts=parts,
            total=total,
            first=first,
            last=min(first + size, total),
            before=before,
            after=after,
        )


class Window(NamedTuple):
    """A part of a list, counted from 1, of how many: its rows are those from `first`, counted from
    0, to before `last`, of `total`. `before` and `after` are the addresses of the next parts, ""
    for none."""

    number: int
    parts: int
    total: int
    first: int
    last: int
    before: str
    after: str

    @property
    def rows(self) -> slice:
        """Its rows in the whole list."""
        return slice(self.first, self.last)


class PageAnswer(NamedTuple):
    """A page: which template, the title, and the values that the template shows."""

    template: str
    title: str
    values: Mapping[str, Any] = {}
    status: int = 200
    uses: tuple[str, ...] = ()
    """Notes and facts that were looked at, for the usage log."""
