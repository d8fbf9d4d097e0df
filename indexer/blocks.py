"""Lines of Markdown → its blocks: headings, paragraphs, list items, fences, tables, quotes.

Two readers give the same answer.  `scan` is ours and quick and says when it is not sure; markdown-it
(block rules only) then decides.  A test compares both on generated and real Markdown.  What neither
may read within bounds becomes plain paragraphs, with a Problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from .note import Problem

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

LINE_PREFIX = 2000
"""Characters of a line that decide which block it belongs to; a longer line is never scanned further."""

MAX_DEPTH = 32
"""Quotes and list items inside one another; a note that nests deeper is read as plain paragraphs."""

MAX_WORK = 400_000
"""Lines times nesting that markdown-it is given; above it a note is read as plain paragraphs."""


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


class TooDeepError(Exception):
    """Nesting or size beyond what is read as Markdown."""


def blocks(lines: Sequence[str], start: int = 0) -> tuple[list[Block], tuple[Problem, ...]]:
    """The blocks of `lines[start:]`; line numbers count from the first of `lines`."""
    body = lines[start:] if start else lines
    try:
        return from_markdown_it(body, start), ()
    except TooDeepError:
        message = f"Lists or quotes nest more than {MAX_DEPTH} deep; the note is read as plain text."
        return plain(body, start), (Problem(start + 1, "nesting", message),)


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


@cache
def _reader() -> MarkdownIt:
    """markdown-it with its block rules and tables, without inline parsing."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"maxNesting": 4 * MAX_DEPTH}).enable("table")
    reader.core.ruler.enableOnly(["normalize", "block"])
    return reader


_KINDS = {
    "heading_open": "heading", "paragraph_open": "paragraph", "fence": "code", "code_block": "code",
    "html_block": "html", "hr": "rule", "list_item_open": "item", "blockquote_open": "quote",
    "table_open": "table",
}  # fmt: skip


def from_markdown_it(lines: Sequence[str], start: int = 0) -> list[Block]:
    """The blocks as markdown-it sees them.  Raises TooDeepError."""
    _check_work(lines)
    found: list[Block] = []
    depth = quotes = tables = 0
    for token in _reader().parse("\n".join([line[:LINE_PREFIX] for line in lines])):
        kind = _KINDS.get(token.type)
        if kind and token.map and not tables:
            first, end = token.map
            while end - 1 > first and not lines[end - 1].strip(" \t"):
                end -= 1
            level = int(token.tag[1]) if kind == "heading" else 0
            found.append(Block(kind, start + first + 1, start + end, level, depth, quotes > 0))
        if token.type in ("list_item_open", "list_item_close", "blockquote_open", "blockquote_close"):
            depth += token.nesting
            if depth > MAX_DEPTH:
                raise TooDeepError
            quotes += token.nesting if token.tag == "blockquote" else 0
        elif token.tag == "table":
            tables += token.nesting
    return found


def _check_work(lines: Sequence[str]) -> None:
    """Refuse what would take markdown-it seconds: its time grows with lines times their nesting."""
    work = 0
    for line in lines:
        head = line[:LINE_PREFIX]
        indent = len(head) - len(head.lstrip(" \t"))
        markers = 0
        for char in head:
            if char in ">-*+":
                markers += 1
            elif char not in " \t0123456789.)":
                break
        work += 1 + min(indent // 2 + markers, MAX_DEPTH)
    if work > MAX_WORK:
        raise TooDeepError
