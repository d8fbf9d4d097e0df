"""Blocks of Markdown: headings, paragraphs, list items, fences, tables, quotes; what marks their beginnings, and the
limits of what is read.
"""

from __future__ import annotations

import re
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

FENCE = re.compile(r"(`{3,})[^`]*$|(~{3,})")
HEADING = re.compile(r"#{1,6}(?:[ \t]|$)")
UNDERLINE = re.compile(r"(?:=+|-+)[ \t]*$")
RULE = re.compile(r"(?:\*[ \t]*){3,}$|(?:-[ \t]*){3,}$|(?:_[ \t]*){3,}$")
BULLET = re.compile(r"[-*+](?=[ \t]|$)|(\d{1,9})[.)](?=[ \t]|$)", re.ASCII)
DELIMITERS = re.compile(r"(?:[|:][-:| \t]|-[-:|])[-:| \t]*$")
DELIMITER = re.compile(r":?-+:?")
_PIPE = re.compile(r"(?<!\\)\|")

DEFINITION = re.compile(r"\[(?:[^\[\]\\]|\\.)*\]:[ \t]*([^\x00-\x20\x7f]*)[ \t]*(.*)$")
LABEL = re.compile(r"\[((?:[^\[\]\\]|\\.)*)(\]?)")
TITLE = re.compile(r"\"[^\"\\]*\"[ \t]*$|'[^'\\]*'[ \t]*$|\([^()\\]*\)[ \t]*$")
RISKY = re.compile(r"vbscript:|javascript:|file:|data:", re.IGNORECASE)
BLANKS = "\t\n\x0b\x0c\r \xa0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u2028\u2029\u202f\u205f\u3000"

_HTML_NAMES = (
    "address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt"
    "|fieldset|figcaption|figure|footer|form|frame|frameset|h1|h2|h3|h4|h5|h6|head|header|hr|html|iframe|legend|li"
    "|link|main|menu|menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th"
    "|thead|title|tr|track|ul"
)
_RAW = re.compile(r"<(?:script|pre|style|textarea)(?:\s|>|$)", re.IGNORECASE)
_RAW_END = re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE)
_ELEMENT = re.compile(rf"</?(?:{_HTML_NAMES})(?:\s|/?>|$)", re.IGNORECASE)
_TAG = re.compile(
    r"(?:<[A-Za-z][A-Za-z0-9-]*"
    r"(?:\s+[A-Za-z_:][A-Za-z0-9:._-]*(?:\s*=\s*(?:[^\"'=<>`\x00-\x20]+|'[^']*'|\"[^\"]*\"))?)*\s*/?>"
    r"|</[A-Za-z][A-Za-z0-9-]*\s*>)\s*$"
)
_COMMENT_END = re.compile("-->")
_INSTRUCTION_END = re.compile(r"\?>")
_CDATA_END = re.compile(r"\]\]>")
_DECLARATION_END = re.compile(">")

BLANK = re.compile(r"^$")
"""What ends the kinds that last until a blank line."""


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


def html_end(text: str, *, starts: bool) -> re.Pattern[str] | None:
    """What ends the HTML block a line starts, or None where it starts none; `starts` allows any lone tag."""
    if _RAW.match(text):
        return _RAW_END
    if text.startswith("<!--"):
        return _COMMENT_END
    if text.startswith("<?"):
        return _INSTRUCTION_END
    if text.startswith("<![CDATA["):
        return _CDATA_END
    if text[:2] == "<!" and text[2:3].isalpha() and text[2:3].isascii():
        return _DECLARATION_END
    return BLANK if _ELEMENT.match(text) or (starts and _TAG.match(text)) else None


def is_prose(text: str) -> bool:
    """Whether text that begins with a mark begins no block but a paragraph all the same."""
    char = text[0]
    if char == "[":
        return "]:" not in text and "]" in text and "\\" not in text
    if char in "`~":
        return not text.startswith(char * 3)
    if char == "#":
        return not HEADING.match(text)
    return char not in "<>" and not BULLET.match(text) and not RULE.match(text)


def tab_width(gap: str, column: int) -> int:
    """Columns that spaces and tabs take from a column on."""
    return len((" " * (column % 4) + gap).expandtabs(4)) - column % 4


def columns(head: str) -> int:
    """The cells of a table's head row."""
    if head == "|":
        return 0
    return len(_PIPE.findall(head)) + 1 - head.startswith("|") - (head.endswith("|") and not head.endswith("\\|"))
