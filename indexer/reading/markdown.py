"""Lines of Markdown → its blocks.

Two readers give the same answer. `scan_blocks` is ours and quick and says when it is not sure; then
markdown-it decides, with its block rules alone. A test compares both. What neither may read within
bounds becomes plain paragraphs, with a Problem. Merge conflicts that someone saved (`<<<<<<<`,
`=======`, `>>>>>>>`) are found here too, and the lines that say nothing to a reader.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple

from indexer.note import Problem
from indexer.spelling import single_spaced

from .block_scanner import scan_blocks
from .blocks import (
    LINE_PREFIX,
    MAX_BLOCKS,
    MAX_DEPTH,
    MAX_LINES,
    Block,
    UnreadableError,
    UnsureError,
    plain_paragraphs,
)

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

MAX_WORK = 50_000
"""Lines times nesting that markdown-it is given; above it a note is read as plain paragraphs."""

MARKERS = re.compile(r"(?:[ \t]*(?:>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t])))*[ \t]*")
"""What stands before the words of a line of a list or quote."""
PROPERTY = re.compile(
    r"(?:id|collapsed|heading|background[_-](?:color|image)|created[_-]at|updated[_-]at"
    r"|logseq\.[\w.-]{1,40}|card-[\w-]{1,40}"
    r"|query-[\w-]{1,40}|hl-[\w-]{1,40}|ls-type)::(?:\s|$)|(?::LOGBOOK:|:END:)[ \t]*$"
    r"|CLOCK:[ \t]{0,3}\["
    r"|(?:now|later|todo|doing|done|wait|waiting|in-progress|cancell?ed)::[ \t]{0,3}\d{13}(?:\s|$)"
    r"|==⚠\s{1,3}Switch to EXCALIDRAW VIEW\b"
)
"""A line that an outliner or a drawing keeps for itself."""
_KEPT = re.compile(r"(?i):LOGBOOK:[ \t]*$|#\+BEGIN_COMMENT\b")
_KEPT_END = re.compile(r"(?i):END:[ \t]*$|#\+END_COMMENT\b")
"""The first and the last line of what an outliner keeps for itself."""
_FENCE = re.compile(r"`{3}|~{3}")
_OUTLINE = re.compile(r"[ \t]+[-*+][ \t]")
BULLETS = " \t\n>-*+0123456789.)"
"""The characters of what stands before the words of a line."""


def read_blocks(lines: Sequence[str], start: int = 0) -> tuple[list[Block], tuple[Problem, ...]]:
    """The blocks of `lines[start:]`; line numbers count from the first of `lines`."""
    if start:
        body = lines[start:]
    else:
        body = lines
    try:
        try:
            return scan_blocks(body, start), ()
        except UnsureError:
            return from_markdown_it(body, start), ()
    except UnreadableError:
        message = (
            f"the note has over {MAX_LINES:,} lines or {MAX_BLOCKS:,} blocks, or nests over"
            f" {MAX_DEPTH} deep; it is read as plain text; split it into several notes"
        )
        return plain_paragraphs(body, start), (Problem(start + 1, "structure", message),)


@cache
def _reader() -> MarkdownIt:
    """markdown-it with its block rules and tables, without inline parsing."""
    from markdown_it import MarkdownIt

    reader = MarkdownIt("commonmark", {"maxNesting": 4 * MAX_DEPTH}).enable("table")
    reader.core.ruler.enableOnly(["normalize", "block"])
    return reader


_KINDS = {
    "heading_open": "heading",
    "paragraph_open": "paragraph",
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "hr": "rule",
    "list_item_open": "item",
    "blockquote_open": "quote",
    "table_open": "table",
}


def from_markdown_it(lines: Sequence[str], start: int = 0) -> list[Block]:
    """The blocks as markdown-it sees them.  Raises UnreadableError."""
    check_work(lines)
    try:
        tokens = _reader().parse("\n".join([line[:LINE_PREFIX] for line in lines]))
    except (LookupError, RuntimeError, ValueError, TypeError) as error:
        # it runs off the end of some odd quotes
        raise UnreadableError from error
    found: list[Block] = []
    around: Counter[str] = Counter()
    """How many elements of a tag are around the next token."""
    for token in tokens:
        kind = _KINDS.get(token.type)
        depth = around["blockquote"] + around["li"]
        if kind and token.map and not around["table"]:
            first, end = token.map
            end = _end_of_text(lines, first, end)
            if kind == "heading":
                level = int(token.tag[1])
            else:
                level = 0
            quoted = around["blockquote"] > 0
            found.append(
                Block(
                    kind=kind,
                    first=start + first + 1,
                    last=start + end,
                    level=level,
                    depth=depth,
                    quoted=quoted,
                )
            )
        around[token.tag] += token.nesting
        if depth > MAX_DEPTH or len(found) > MAX_BLOCKS:
            raise UnreadableError
    return found


def _end_of_text(lines: Sequence[str], first: int, end: int) -> int:
    """The end of the lines from `first` to before `end` without blank ones at their end."""
    while end - 1 > first and not lines[end - 1].strip(" \t"):
        end -= 1
    return end


def check_work(lines: Sequence[str]) -> None:
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


# -- merge conflicts -------------------------------------------------------------------


class Conflict(NamedTuple):
    """The lines of the three markers."""

    first: int
    middle: int
    last: int


def conflicts(lines: Sequence[str], start: int, blocks: Sequence[Block]) -> list[Conflict]:
    """The conflicts in `lines[start:]`, those shown in a code block excepted."""
    found: list[Conflict] = []
    first = middle = 0
    for number, line in enumerate(lines[start:], start + 1):
        mark = line[:7]
        if mark == "=======":
            if first and line.rstrip() == mark:
                middle = number
        elif line[7:8] not in ("", " "):
            continue
        elif mark == "<<<<<<<":
            first = number
            middle = 0
        elif mark == ">>>>>>>" and middle:
            found.append(Conflict(first, middle, number))
            first = middle = 0
    return [conflict for conflict in found if not _is_code(conflict.first, blocks)]


def _is_code(line: int, blocks: Sequence[Block]) -> bool:
    return any(block.kind == "code" and block.first <= line <= block.last for block in blocks)


def blank_conflicts(lines: Sequence[str], torn: Sequence[Conflict]) -> list[str]:
    """The lines with the markers empty, so that `=======` underlines no heading."""
    kept = list(lines)
    for conflict in torn:
        for number in conflict:
            kept[number - 1] = ""
    return kept


def conflict_problem(conflict: Conflict) -> Problem:
    """What to tell about a conflict."""
    message = (
        f"unresolved merge conflict (lines {conflict.first}-{conflict.last}); facts in it are not"
        " read"
    )
    return Problem(conflict.first, "conflict", message)


def silent(blocks: Sequence[Block], lines: Sequence[str], text: str) -> frozenset[int]:
    """The lines that say nothing by themselves: rules, bullets without text, properties of
    outliners, how a drawing is opened."""
    found = {block.first for block in blocks if block.kind == "rule"}
    for number, block in enumerate(blocks, 1):
        is_bare = block.kind == "item" and not lines[block.first - 1].strip(BULLETS)
        after = blocks[number : number + 1]
        holds = any(each.depth > block.depth and each.first <= block.first for each in after)
        if is_bare and not holds:
            found.add(block.first)
    if any(mark in text for mark in ("::", ":END:", "#+", "EXCALIDRAW")):
        numbers = chain.from_iterable(_unfenced(block, lines) for block in blocks)
        found.update(_kept(numbers, lines))
    return frozenset(found)


def _unfenced(block: Block, lines: Sequence[str]) -> Iterator[int]:
    """The lines of a block that are no code; those of an outline that is indented as code would be
    are none."""
    numbers = range(block.first, block.last + 1)
    if block.kind in ("paragraph", "heading"):
        yield from numbers
    elif block.kind == "code" and _OUTLINE.match(lines[block.first - 1]):
        is_code = False
        for number in numbers:
            fence = _FENCE.match(MARKERS.sub("", lines[number - 1], count=1))
            if not (is_code or fence):
                yield number
            is_code ^= fence is not None


def _kept(numbers: Iterable[int], lines: Sequence[str]) -> Iterator[int]:
    """Those of the lines that an outliner keeps for itself; what is not closed counts as text."""
    begun: list[int] = []
    mark = ""
    for number in numbers:
        text = MARKERS.sub("", lines[number - 1], count=1)
        if _KEPT.match(text):
            begun = []
            mark = text[0]
        if begun or _KEPT.match(text):
            begun.append(number)
        if begun and text[:1] == mark and _KEPT_END.match(text):
            yield from begun
            begun = []
        if PROPERTY.match(text):
            yield number


WRITTEN_LINK = re.compile(
    r"!?\[\[([^\[\]|#\n]*)(?:#[^\[\]|\n]*)?(?:\|([^\[\]\n]*))?\]\]|!?\[([^\[\]\n]*)\]\([^()\n]*\)"
)
_EMPHASIS_MARKS = re.compile(r"\*\*|__|(?<!\w)[*_]|[*_](?!\w)|`|==|~~")


def spelled(text: str) -> str:
    """A line without the marks of Markdown: links by their names."""

    def name(link: re.Match[str]) -> str:
        if link[2] or link[3]:
            return str(link[2] or link[3])
        words = re.split(r"[-_ ]+", (link[1] or "").rpartition("/")[2])
        return " ".join(word[:1].upper() + word[1:] for word in words)

    return single_spaced(_EMPHASIS_MARKS.sub("", WRITTEN_LINK.sub(name, text)))
