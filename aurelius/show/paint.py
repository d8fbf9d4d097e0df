"""Colour on a terminal, and how places in files are written."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from .visible import one_line

if TYPE_CHECKING:
    from collections.abc import Iterable

BOLD, DIM, PLACE, MARK = "1", "2", "36", "33"
"""SGR codes of headings, asides, places, and ids."""


class Paint(NamedTuple):
    """Wraps text in colour, or leaves it alone."""

    on: bool

    def __call__(self, text: str, code: str) -> str:
        """The text in an SGR code, such as "1" for bold."""
        return f"\x1b[{code}m{text}\x1b[0m" if self.on and text else text


def place(path: str, first: int, last: int) -> str:
    """`path:line` or `path:first-last`, which editors and terminals know how to open."""
    return f"{one_line(path)}:{first}" + (f"-{last}" if last > first else "")


def paths(found: Iterable[str]) -> str:
    """Paths, each once, one a line."""
    return "".join(one_line(path) + "\n" for path in dict.fromkeys(found))
