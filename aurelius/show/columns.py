"""Columns of a terminal: how many a text takes, and where a line that is too long for it is broken.

Escapes that we put in ourselves, colours and links, take no column and are never broken; a note's own were
made visible before.  A wide character takes two columns, a combining mark none.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

LEAST = 20
"""Columns below which nothing is broken: hardly a word would fit."""

ESCAPES = re.compile(r"\x1b\[[0-9;]*m|\x1b\]8;[^\x1b\x07]*(?:\x1b\\|\x07)")
_LINKS = re.compile(r"\x1b\]8;[^\x1b\x07]*(?:\x1b\\|\x07)")
_JOINER, _AS_EMOJI = "\u200d", "\ufe0f"


def columns_of(text: str) -> int:
    """How many columns the text takes in a terminal."""
    if text.isascii() and "\x1b" not in text:
        return len(text) + 7 * text.count("\t")
    return sum(columns for _, columns in _characters(plain(text)))


def plain(text: str) -> str:
    """The text without its colours and links."""
    return ESCAPES.sub("", text)


def without_links(text: str) -> str:
    """The text without its links, which not every pager can show."""
    return _LINKS.sub("", text)


def wrapped(text: str, width: int, indent: int = 0) -> str:
    """The text with each line that is wider than `width` broken between words.

    What is carried over is as deep as the line began, or `indent` deep where it began at the edge.  A command in
    `backquotes` stays whole where it fits on a line, and so does a path that does not: the terminal breaks it, and it
    can still be copied.  Wide characters may be parted anywhere.
    """
    if width < LEAST:
        return text
    return "\n".join(line if columns_of(line) <= width else _broken(line, width, indent) for line in text.split("\n"))


def clipped(text: str, width: int) -> str:
    """The beginning of a line that has no escapes, no wider than `width`, with `…` where it was cut."""
    if columns_of(text) <= width:
        return text
    taken, cut = 0, ""
    for character, wide in _characters(text):
        taken += wide
        if taken > width - 1:
            break
        cut += character
    return cut + "…"


def _broken(line: str, width: int, indent: int) -> str:
    """One line, as several."""
    deep = len(line) - len(line.lstrip(" ")) or indent
    deep = deep if deep <= width // 2 else 0
    lines: list[str] = []
    now, taken = "", 0
    for space, word in _words(line, width - deep):
        columns = columns_of(word)
        if now.strip() and taken + len(space) + columns > width:
            lines.append(now)
            now, taken = " " * deep, deep
        else:
            now, taken = now + space, taken + len(space)
        for character, wide in _pieces(word) if taken + columns > width and _parts(word) else ((word, columns),):
            if wide and taken + wide > width and taken > deep and _parts(character):
                lines.append(now)
                now, taken = " " * deep, deep
            now, taken = now + character, taken + wide
    return "\n".join([*lines, now])


def _words(line: str, width: int) -> Iterator[tuple[str, str]]:
    """The line as words, each with the spaces before it; what stands in backquotes is one where it fits on a line."""
    for found in re.finditer(r"( *)((?:[^ `]|`[^`]*`|`)*)", line):
        space, word = found[1], found[2]
        if " " in word and columns_of(word) > width:
            parts = re.findall(r"( *)([^ ]+)", space + word)
            yield from parts
        elif space or word:
            yield space, word


def _pieces(word: str) -> Iterator[tuple[str, int]]:
    """The characters of a word, each with its marks, and its escapes, with the columns of each."""
    place = 0
    for escape in ESCAPES.finditer(word):
        yield from _characters(word[place : escape.start()])
        yield escape[0], 0
        place = escape.end()
    yield from _characters(word[place:])


def _parts(word: str) -> bool:
    """True if a word may be parted: it is of a script whose words have no spaces between them."""
    return any(_wide(char) == 2 for char in plain(word))


def _characters(text: str) -> Iterator[tuple[str, int]]:
    """The characters of a text, each with its marks and what is joined to it, and the columns of each.

    Terminals differ in what they make of emoji that are joined; the most that any of them takes is counted.
    """
    seen, columns = "", 0
    for char in text:
        wide = _wide(char)
        if seen and (not wide or seen.endswith(_JOINER) or "\U0001f3fb" <= char <= "\U0001f3ff"):
            seen, columns = seen + char, max(2, columns) if char == _AS_EMOJI else columns + wide
            continue
        if seen:
            yield seen, columns
        seen, columns = char, wide
    if seen:
        yield seen, columns


@cache
def _wide(char: str) -> int:
    """The columns of one character."""
    if char == "\t":
        return 8
    if unicodedata.category(char) in {"Mn", "Me", "Cf"} or "\u1160" <= char <= "\u11ff":
        return 0
    return 2 if unicodedata.east_asian_width(char) in {"W", "F"} else 1
