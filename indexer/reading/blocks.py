"""Blocks of Markdown: headings, paragraphs, list items, fences, tables, quotes; and the limits of what is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

LINE_PREFIX = 2000
"""Characters of a line that decide which block it belongs to; a longer line is never scanned further."""

MAX_DEPTH = 32
"""Quotes and list items inside one another; a note that nests deeper is read as plain paragraphs."""

MAX_LINES = 200_000
"""Lines of a note that is read as Markdown."""

MAX_BLOCKS = 60_000
"""Blocks of a note that is read as Markdown: 30,000 bullets of one line."""


class Block(NamedTuple):
    """One block: `kind` is heading, paragraph, code, html, table, quote, item or rule.

    `first`..`last` are lines, trailing blank ones excluded; `level` is a heading's 1-6, else 0;
    `depth` counts the quotes and list items around it, `quoted` says that a quote is among them.
    Blocks come in the order of the text, a quote or item before what it holds.
    """

    kind: str
    first: int
    last: int
    level: int
    depth: int
    quoted: bool


class UnsureError(Exception):
    """A shape that markdown-it should read."""


class UnreadableError(Exception):
    """Nesting or size beyond what is read as Markdown."""


def plain(lines: Sequence[str], start: int) -> list[Block]:
    """Runs of non-blank lines as paragraphs, whatever they hold."""
    found: list[Block] = []
    first = 0
    for number, line in enumerate(lines, start + 1):
        if line.strip(" \t"):
            first = first or number
        elif first:
            found.append(Block("paragraph", first, number - 1, 0, 0, False))
            first = 0
    if first:
        found.append(Block("paragraph", first, start + len(lines), 0, 0, False))
    return found
