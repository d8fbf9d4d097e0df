"""Lines and blocks: the bytes of a file → its lines of text, and what marks the beginning of a
block of Markdown (a heading, a paragraph, a list item, a fence, a table, a quote), with the limits
of what is read.

Decoding never raises; what had to be guessed becomes a Problem.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from indexer.note import Problem
from indexer.spelling import UTF8_BOM

if TYPE_CHECKING:
    from markdown_it import MarkdownIt

LINE_PREFIX = 2000
"""Characters of a line that decide which block it belongs to; a longer line is never scanned
further."""

MAX_DEPTH = 32
"""Quotes and list items inside one another; a note that nests deeper is read as plain
paragraphs."""

MAX_LINES = 200_000
"""Lines of a note that is read as Markdown."""

MAX_BLOCKS = 60_000
"""Blocks of a note that is read as Markdown: 30,000 bullets of one line."""

FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
HEADING_START = re.compile(r"#{1,6}(?:[ \t]|$)")
UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*$")
RULE = re.compile(r"(?:\*[ \t]*){3,}$|(?:-[ \t]*){3,}$|(?:_[ \t]*){3,}$")
BULLET = re.compile(r"[-*+](?=[ \t]|$)|(\d{1,9})[.)](?=[ \t]|$)", re.ASCII)
DELIMITERS = re.compile(r"(?:[|:][-:| \t]|-[-:|])[-:| \t]*$")
MAX_WORK = 50_000
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


class UnsureError(Exception):
    """A shape that markdown-it should read."""


class UnreadableError(Exception):
    """Nesting or size beyond what is read as Markdown."""


def plain_paragraphs(lines: Sequence[str], start: int) -> list[Block]:
    """Runs of non-blank lines as paragraphs, whatever they hold."""
    runs = text_runs(lines, start + 1)
    return [
        Block(kind="paragraph", first=first, last=last, level=0, depth=0, quoted=False)
        for first, last in runs
    ]


def text_runs(lines: Sequence[str], number: int) -> Iterator[tuple[int, int]]:
    """The first and last lines of what stands between blank lines; `number` is that of the first
    of all."""
    first = 0
    for line in lines:
        if line.strip():
            first = first or number
        elif first:
            yield first, number - 1
            first = 0
        number += 1
    if first:
        yield first, number - 1


def tab_width(gap: str, column: int) -> int:
    """Columns that spaces and tabs take from a column on."""
    return len((" " * (column % 4) + gap).expandtabs(4)) - column % 4


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
    _check_work(lines)
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


TEXT_LIMIT = 2 * 1024 * 1024
"""Bytes of one note that are read as text; the rest is reported, not indexed."""

_SAMPLE = 64 * 1024
_CONTROLS = bytes(b for b in range(32) if b not in b"\t\n\f\r\x1b") + b"\x7f"
_MAGIC = (
    b"\x89PNG",
    b"%PDF-",
    b"PK\x03\x04",
    b"\x1f\x8b",
    b"GIF8",
    b"\xff\xd8\xff",
    b"\x7fELF",
    b"SQLite format 3",
)


def _as_typed(byte: int) -> str:
    """The Windows-1252 character of a byte, or the Latin-1 one where Windows defines none."""
    try:
        return bytes((byte,)).decode("cp1252")
    except UnicodeDecodeError:
        return chr(byte)


_HALF = re.compile("[\udc80-\udcff]")
"""What stands for a byte that is not UTF-8."""
_ESCAPED = {0xDC00 + byte: _as_typed(byte) for byte in range(0x80, 0x100)}


class Text(NamedTuple):
    """The decoded lines of a file, without line ends, and what went wrong on the way."""

    lines: tuple[str, ...]
    problems: tuple[Problem, ...]


def decode(data: bytes) -> Text:
    """The lines of a file: UTF-8 with or without BOM, UTF-16 with one, else bytes as Windows-1252
    wrote them.

    Lines end at LF, CR LF or a lone CR and nowhere else.  NUL becomes a space.  Only `TEXT_LIMIT`
    bytes are read, cut after a whole line where one ends near.  A binary file has no lines.
    """
    problems: list[Problem] = []
    if data[:2] in (b"\xff\xfe", b"\xfe\xff") and not data.startswith(b"\xff\xfe\x00\x00"):
        cut = _cut(data, problems, {0xFF: b"\n\x00", 0xFE: b"\x00\n"}[data[0]], 2)
        text = cut.decode("utf-16", "replace")
    else:
        cut = _cut(data.removeprefix(UTF8_BOM), problems, b"\n", 1)
        odd = None
        try:
            text = cut.decode("utf-8")
        except UnicodeDecodeError:
            text = cut.decode("utf-8", "surrogateescape")
            odd = _HALF.search(text)
        if (odd or b"\x00" in cut) and _is_binary(cut):
            return Text(
                (), (Problem(1, "binary", "the file is not text; nothing of it is indexed"),)
            )
        if odd:
            line = _line(text[: odd.start()])
            byte = ord(odd[0]) - 0xDC00
            problems.append(Problem(line, "encoding", _ENCODING.format(byte, line)))
            text = text.translate(_ESCAPED)
    if "\x00" in text:
        line = _line(text[: text.index("\x00")])
        problems.append(
            Problem(line, "nul", "NUL bytes are read as spaces; save the note as UTF-8 text")
        )
        text = text.replace("\x00", " ")
    lines = split_lines(text)
    last = max(1, len(lines))
    return Text(lines, tuple(problem._replace(line=problem.line or last) for problem in problems))


_ENCODING = (
    "byte 0x{:02x} on line {} is not UTF-8, so it was read as Windows-1252; save the note as UTF-8"
)


def split_lines(text: str) -> tuple[str, ...]:
    """Lines as Markdown counts them; a line end at the very end of the text starts no further
    line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return tuple(lines)


def _line(before: str) -> int:
    """The line number that follows the text `before`."""
    return before.count("\n") + before.count("\r") - before.count("\r\n") + 1


def _cut(
    data: bytes,
    problems: list[Problem],
    end: bytes,
    width: int,
) -> bytes:
    """At most `TEXT_LIMIT` bytes, ending after a line where one ends near, else after a
    character."""
    if len(data) <= TEXT_LIMIT:
        return data
    stop = data.rfind(end, TEXT_LIMIT - _SAMPLE, TEXT_LIMIT) + len(end)
    if stop < len(end) or stop % width:
        stop = TEXT_LIMIT
        while width == 1 and stop > TEXT_LIMIT - 4 and data[stop] & 0xC0 == 0x80:
            stop -= 1
    problems.append(
        Problem(
            0, "size", "only the first 2 MiB of the note are indexed; split it into several notes"
        )
    )
    return data[:stop]


def _is_binary(data: bytes) -> bool:
    """Whether bytes with NULs or broken UTF-8 are a picture or archive rather than oddly encoded
    text."""
    if data.startswith(_MAGIC):
        return True
    sample = data[:_SAMPLE]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    if b"\x00" not in sample:
        return False
    undecodable = sum(
        0xDC80 <= ord(c) <= 0xDCFF for c in sample[:4096].decode("utf-8", "surrogateescape")
    )
    return (
        controls * 10 > len(sample) * 3
        or (controls + undecodable) * 10 > min(len(sample), 4096) * 3
    )
