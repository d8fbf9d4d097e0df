r"""Text on a terminal: escapes for what could steer it, how many columns a text takes, colours and
links.

Notes and file names are data, whoever wrote them: C0 and C1 controls but newline and tab, DEL, the
characters that reorder text, invisible spaces and hyphens, tag characters and undecodable bytes
come out as escapes: `\x1b`, `\u202e`. Marks that right-to-left scripts and emoji need (U+200C to
U+200F, U+061C) stay. Escapes that we put in ourselves, colours and links, take no column and are
never broken. A wide character takes two columns, a combining mark none.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

from indexer.record import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

# -- escapes ---------------------------------------------------------------------------

RANGES = (
    (0x00, 0x08),
    (0x0B, 0x1F),
    (0x7F, 0x9F),
    (0xAD, 0xAD),
    (0x180E, 0x180E),
    (0x200B, 0x200B),
    (0x2028, 0x202E),
    (0x2060, 0x206F),
    (0xFEFF, 0xFEFF),
    (0xFFF9, 0xFFFB),
    (0xD800, 0xDFFF),
    (0xFFFE, 0xFFFF),
    (0x1D173, 0x1D17A),
    (0xE0000, 0xE0FFF),
)


class _Escapes(dict[int, str | int]):
    """What a character becomes, for str.translate: looked up once for each character that is
    met."""

    def __init__(self, escape: Callable[[int], str], least: int = 0) -> None:
        self._escape = escape
        self._least = least

    def __missing__(self, code: int) -> str | int:
        steers = code >= self._least and any(first <= code <= last for first, last in RANGES)
        self[code] = value = self._escape(code) if steers else code
        return value


def escape_controls(text: str) -> str:
    """The text with newline and tab kept and everything else in RANGES escaped."""
    if (
        text.isascii() and text.replace("\n", "").replace("\t", "").isprintable()
    ):  # quicker than each character
        return text
    return text.translate(_shown)


def one_line(text: str) -> str:
    """The text visible and on one line: newlines and tabs escaped as well, for names and titles."""
    return escape_controls(text).replace("\n", "\\n").replace("\t", "\\t")


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
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    return f"\\U{code:08x}"


def _json_escape(code: int) -> str:
    if code <= 0xFFFF:
        return f"\\u{code:04x}"
    high, low = divmod(code - 0x10000, 0x400)
    return f"\\u{0xD800 + high:04x}\\u{0xDC00 + low:04x}"


_shown = _Escapes(_escape)
_in_json = _Escapes(
    _json_escape, least=0x20
)  # a JSON writer has escaped what is below; newlines may part two values

# -- columns ---------------------------------------------------------------------------

_LEAST_COLUMNS = 20
"""Columns below which nothing is broken: hardly a word would fit."""

_LINK_ESCAPES = r"\x1b\]8;[^\x1b\x07]*(?:\x1b\\|\x07)"
ESCAPES = rf"\x1b\[[0-9;]*m|{_LINK_ESCAPES}"
_WORD = (
    r"( *)([\u2e80-\u9fff\uac00-\ud7a3\uff01-\uff60\U0001f000-\U0003ffff]"
    r"|(?:[^ `\u2e80-\u9fff\uac00-\ud7a3\uff01-\uff60\U0001f000-\U0003ffff]|`[^`]*`|`)+|)"
)
"""A word with the spaces before it; a wide character is one by itself. Compiled when a line is too
long: that takes 3 ms, which most answers need not wait for."""


def columns_of(text: str) -> int:
    """How many columns the text takes in a terminal; of emoji that are joined, in which terminals
    differ, the most."""
    if text.isascii() and "\x1b" not in text:
        return len(text) + 7 * text.count("\t")
    return sum(map(_wide, without_colours(text)))


def without_colours(text: str) -> str:
    """The text without its colours and links."""
    return re.sub(ESCAPES, "", text)


def without_links(text: str) -> str:
    """The text without its links, which not every pager can show."""
    return re.sub(_LINK_ESCAPES, "", text)


def wrapped(text: str, width: int, indent: int = 0) -> str:
    """The text with each line that is wider than `width` broken between words.

    What is carried over is as deep as the line began, or `indent` deep where it began at the edge.
    A command in `backquotes` stays whole where it fits on a line, and so does a path that does not:
    the terminal breaks it, and it can still be copied. Wide characters may be parted anywhere.
    """
    if width < _LEAST_COLUMNS:
        return text
    return "\n".join(
        line if columns_of(line) <= width else _broken(line, width, indent)
        for line in text.split("\n")
    )


def _broken(line: str, width: int, indent: int) -> str:
    """One line, as several; what is carried over goes on at the edge where it has too little
    room."""
    deep = len(line) - len(line.lstrip(" ")) or indent
    if deep > width // 2:
        deep = 0
    lines: list[str] = []
    now = ""
    taken = 0
    for space, word in _words(line, width - deep):
        columns = columns_of(word)
        if columns and now.strip() and taken + len(space) + columns > width:
            lines.append(now)
            now = " " * deep + word
            taken = deep + columns
        else:
            now = now + space + word
            taken = taken + len(space) + columns
    return "\n".join([*lines, now])


def _words(line: str, width: int) -> Iterator[tuple[str, str]]:
    """The line as words, each with the spaces before it: what stands in backquotes is one where it
    fits on a line, and so is each wide character."""
    for space, word in re.findall(_WORD, line):
        if " " in word and columns_of(word) > width:
            yield from re.findall(r"( *)([^ ]+)", space + word)
        elif space or word:
            yield space, word


@cache
def _wide(char: str) -> int:
    """The columns of one character."""
    if char == "\t":
        return 8
    if char == "\ufe0f":  # what is before it is shown as an emoji, which is wide
        return 1
    if unicodedata.category(char) in {"Mn", "Me", "Cf"} or "\u1160" <= char <= "\u11ff":
        return 0
    if unicodedata.east_asian_width(char) in {"W", "F"}:
        return 2
    return 1


# -- colours and links -----------------------------------------------------------------

BOLD = "1"
DIM_CODE = "2"
PLACE = "36"
MARK_CODE = "33"
"""SGR codes of headings and of words asked for, of asides, places, and ids."""

_PROGRAMS = frozenset(("iTerm.app", "WezTerm", "vscode", "ghostty"))


class Paint(NamedTuple):
    """Wraps text in colour, or leaves it alone; where `root` names the vault's folder, paths become
    links. `brief` leaves out what only programs need: ids and tiers."""

    on: bool = False
    root: str = ""
    brief: bool = False

    def __call__(self, text: str, code: str) -> str:
        """The text in an SGR code, such as "1" for bold."""
        if self.on and text:
            return f"\x1b[{code}m{text}\x1b[0m"
        return text

    def id(self, key: str) -> str:
        """The name of a fact, as a command takes it; "" where it is left out."""
        if self.brief:
            return ""
        return self(f"[id:{one_line(key)}]", MARK_CODE)

    def line(self, text: str) -> str:
        """A line of a note, without the `^id` at its end where ids are left out."""
        if not self.brief:
            return text
        from indexer.reading.fact_line import cut_id  # programs have no need of it

        return cut_id(text)[0]

    def at(self, path: str, first: int, last: int = 0) -> str:
        """A line of a note, or some of its lines, as `place`."""
        return self.place(path, linked_place(path, first, last))

    def place(self, path: str, text: str = "") -> str:
        """A note's path, or a place in it that is written as `text`, in colour and as a link to the
        file."""
        shown = self(text or one_line(path), PLACE)
        if self.root:
            return f"\x1b]8;;{file_url(self.root, path)}\x1b\\{shown}\x1b]8;;\x1b\\"
        return shown


def file_url(root: str, path: str) -> str:
    """The `file://` address of a note; whatever is no plain character of one is percent-encoded."""
    whole = f"{root}/{path}"
    if root[1:2] == ":":
        whole = whole.replace("\\", "/")
    return "file://" + "/" * (not whole.startswith("/")) + percent_encode(whole)


def percent_encode(text: str) -> str:
    """The text as a part of an address: its bytes, percent-encoded but for letters, digits and
    `-._~/`."""
    from urllib.parse import quote  # slow to import, and a search in a pipe has no use for it

    return quote(text, errors="surrogateescape")


def shows_links(env: Mapping[str, str]) -> bool:
    """True if a terminal is known to show links; AURELIUS_LINKS=0 or 1 decides it instead."""
    told = env.get("AURELIUS_LINKS", "")
    if told in {"0", "1"}:
        return told == "1"
    term = env.get("TERM", "")
    if (
        env.get("NO_COLOR")
        or term == "dumb"
        or {"TMUX", "STY"} & env.keys()
        or term.startswith(("screen", "tmux"))
    ):
        return False
    vte = env.get("VTE_VERSION", "")
    known = {"KITTY_WINDOW_ID", "WT_SESSION", "DOMTERM"} & env.keys() or env.get(
        "TERM_PROGRAM"
    ) in _PROGRAMS
    return bool(known) or (vte.isdecimal() and len(vte) < 9 and int(vte) >= 5000)


def linked_place(path: str, first: int, last: int = 0) -> str:
    """`path:line` or `path:first-last`, which editors and terminals know how to open."""
    return f"{one_line(path)}:{first}" + (f"-{last}" if last > first else "")


def lined(lines: Iterable[str]) -> str:
    """Lines as a text, each with its end."""
    return "".join(f"{line}\n" for line in lines)


def paths(found: Iterable[str]) -> list[str]:
    """A line for each path, "" where it was there before."""
    told: set[str] = set()
    lines = []
    for path in found:
        lines.append(f"{one_line(path)}\n" * (path not in told))
        told.add(path)
    return lines
