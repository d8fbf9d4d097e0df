"""Lines of Markdown → its blocks.

Two readers give the same answer.  `scan` is ours and quick and says when it is not sure; then
markdown-it decides, with its block rules alone.  A test compares both.  What neither may read within
bounds becomes plain paragraphs, with a Problem.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING

from .blocks import LINE_PREFIX, MAX_BLOCKS, MAX_DEPTH, MAX_LINES, Block, UnreadableError, UnsureError, plain
from .note import Problem
from .scan import scan

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MAX_WORK = 50_000
"""Lines times nesting that markdown-it is given; above it a note is read as plain paragraphs."""


def read(lines: Sequence[str], start: int = 0) -> tuple[list[Block], tuple[Problem, ...]]:
    """The blocks of `lines[start:]`; line numbers count from the first of `lines`."""
    body = lines[start:] if start else lines
    try:
        try:
            return scan(body, start), ()
        except UnsureError:
            return from_markdown_it(body, start), ()
    except UnreadableError:
        message = (
            f"the note has over {MAX_LINES:,} lines or {MAX_BLOCKS:,} blocks, or nests over {MAX_DEPTH} deep;"
            " it is read as plain text; split it into several notes"
        )
        return plain(body, start), (Problem(start + 1, "structure", message),)


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
    """The blocks as markdown-it sees them.  Raises UnreadableError."""
    _check_work(lines)
    found: list[Block] = []
    depth = quotes = tables = 0
    try:
        tokens = _reader().parse("\n".join([line[:LINE_PREFIX] for line in lines]))
    except (LookupError, RuntimeError, ValueError, TypeError) as error:  # it runs off the end of some odd quotes
        raise UnreadableError from error
    for token in tokens:
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
                raise UnreadableError
            quotes += token.nesting if token.tag == "blockquote" else 0
        elif token.tag == "table":
            tables += token.nesting
    if len(found) > MAX_BLOCKS:
        raise UnreadableError
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
        raise UnreadableError
