r"""Escapes for characters that could steer a terminal: notes and file names are data, whoever wrote them.

C0 and C1 controls but newline and tab, DEL, the characters that reorder
text, invisible spaces, tag characters and undecodable bytes come out as their escapes: `\x1b`,
`\u202e`.  Marks that right-to-left scripts and emoji need (U+200C to U+200F, U+061C) stay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

RANGES = (
    (0x00, 0x08), (0x0B, 0x1F), (0x7F, 0x9F),
    (0x200B, 0x200B), (0x2028, 0x202E), (0x2060, 0x2069), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFB),
    (0xD800, 0xDFFF), (0xE0000, 0xE007F),
)  # fmt: skip


class _Escapes(dict[int, str | int]):
    """What a character becomes, for str.translate: looked up once for each character that is met."""

    def __init__(self, escape: Callable[[int], str], least: int = 0) -> None:
        self._escape = escape
        self._least = least

    def __missing__(self, code: int) -> str | int:
        steers = code >= self._least and any(first <= code <= last for first, last in RANGES)
        self[code] = value = self._escape(code) if steers else code
        return value


def visible(text: str) -> str:
    """The text with newline and tab kept and everything else in RANGES escaped."""
    if text.isascii() and text.replace("\n", "").replace("\t", "").isprintable():  # quicker than each character
        return text
    return text.translate(_shown)


def one_line(text: str) -> str:
    """The text visible and on one line: newlines and tabs escaped as well, for names and titles."""
    return visible(text).replace("\n", "\\n").replace("\t", "\\t")


def json_safe(text: str) -> str:
    """JSON text with the same characters as JSON escapes: it means the same and steers no terminal.

    An undecodable byte of a file name is a lone surrogate, which only an escape can carry.
    """
    if text.isascii():
        return text.replace("\x7f", "\\u007f")
    return text.translate(_in_json)


def _escape(code: int) -> str:
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file name that is not UTF-8 (PEP 383)
        return f"\\x{code - 0xDC00:02x}"
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"


def _json_escape(code: int) -> str:
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


_shown = _Escapes(_escape)
_in_json = _Escapes(_json_escape, least=0x20)  # a JSON writer has escaped what is below; newlines may part two values
