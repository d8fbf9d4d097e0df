"""Lines and blocks: the bytes of a file → its lines of text, and what marks the beginning of a
block of Markdown (a heading, a paragraph, a list item, a fence, a table, a quote), with the limits
of what is read.

Decoding never raises; what had to be guessed becomes a Problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from indexer.note import Problem
from indexer.spelling import UTF8_BOM

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
DELIMITER = re.compile(r":?-+:?")
_PIPE = re.compile(r"(?<!\\)\|")

DEFINITION = re.compile(r"\[((?:[^\[\]\\]|\\.)*)\]:[ \t]*([^\x00-\x20\x7f]*)[ \t]*(.*)$")
OPEN_LABEL = re.compile(r"\[(?:[^\[\]\\]|\\.)*")
TITLE = re.compile(r"\"[^\"\\]*\"[ \t]*$|'[^'\\]*'[ \t]*$|\([^()\\]*\)[ \t]*$")
ODD_ADDRESS = re.compile(r"(?i)\Z|.*[<>()\\]|vbscript:|javascript:|file:|data:")
"""An address that a link definition may not take as it stands."""
BLANKS = (
    "\t\n\x0b\x0c\r \xa0\u1680"
    + "".join(map(chr, range(0x2000, 0x200B)))
    + "\u2028\u2029\u202f\u205f\u3000"
)

_HTML_NAMES = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details"
    "|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html"
    "|iframe|legend|li"
    "|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table"
    "|tbody|td|tfoot|th"
    "|thead|title|tr|track|ul"
)
_RAW = re.compile(r"(?i)<(?:script|pre|style|textarea)(?:\s|>|$)")
_RAW_END = re.compile(r"(?i)</(?:script|pre|style|textarea)>")
_ELEMENT = re.compile(rf"(?i)</?(?:{_HTML_NAMES})(?:\s|/?>|$)")
_TAG = re.compile(
    r"(?:<[A-Za-z][A-Za-z0-9-]*"
    r"(?:\s+[A-Za-z_:][A-Za-z0-9:._-]*(?:\s*=\s*(?:[^\"'=<>`\x00-\x20]+|'[^']*'"
    r"|\"[^\"]*\"))?)*\s*/?>"
    r"|</[A-Za-z][A-Za-z0-9-]*\s*>)\s*$"
)

BLANK_LINE = re.compile(r"^$")
"""What ends the kinds that last until a blank line."""

_HTML = (
    (_RAW, _RAW_END),
    (re.compile("<!--"), re.compile("-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile("<![A-Za-z]"), re.compile(">")),
    (_ELEMENT, BLANK_LINE),
)
"""How the kinds of HTML blocks of CommonMark begin, and what ends them."""


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


def html_end(text: str, *, starts: bool) -> re.Pattern[str] | None:
    """What ends the HTML block a line starts, or None where it starts none; `starts` allows any
    lone tag."""
    for begin, end in _HTML:
        if begin.match(text):
            return end
    if starts and _TAG.match(text):
        return BLANK_LINE
    return None


def begins_no_block(text: str) -> bool:
    """Whether text that begins with a mark begins no block but a paragraph all the same."""
    char = text[0]
    if char == "[":
        return "]:" not in text and "]" in text and "\\" not in text
    if char in "`~":
        return not text.startswith(char * 3)
    if char == "#":
        return not HEADING_START.match(text)
    return char not in "<>" and not BULLET.match(text) and not RULE.match(text)


def tab_width(gap: str, column: int) -> int:
    """Columns that spaces and tabs take from a column on."""
    return len((" " * (column % 4) + gap).expandtabs(4)) - column % 4


def columns(head: str) -> int:
    """The cells of a table's head row."""
    if head == "|":
        return 0
    return (
        len(_PIPE.findall(head))
        + 1
        - head.startswith("|")
        - (head.endswith("|") and not head.endswith("\\|"))
    )


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
