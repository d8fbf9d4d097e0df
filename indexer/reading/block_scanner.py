"""A quick reader of Markdown blocks, in CommonMark's terms plus tables.

It answers exactly as markdown-it does, which a test compares on generated and real notes. It reads
headings, paragraphs, code and lists itself; of quotes, tables, HTML and link definitions that stand
in no list it gives markdown-it the lines up to the next blank one, and for any others it raises
`UnsureError`. Line by line, hardly ever back: its time is linear in the text times the nesting, and
both are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import takewhile
from typing import ClassVar

from . import blocks
from .blocks import (
    LINE_PREFIX,
    MAX_BLOCKS,
    MAX_DEPTH,
    MAX_LINES,
    Block,
    UnreadableError,
    UnsureError,
    from_markdown_it,
)

_UNKNOWN = Block(kind="", first=0, last=0, level=0, depth=0, quoted=False)
_STOPPERS = frozenset("#>`~*-+_<=0123456789")
_TABLE_MARKS = frozenset("|-:")
_GOES_ON = frozenset(("item", "code", "html"))
"""Kinds of blocks that a blank line may not end."""


def scan_blocks(lines: Sequence[str], start: int = 0) -> list[Block]:
    """The blocks of `lines`, counted from line `start + 1`. Raises UnsureError, UnreadableError."""
    if len(lines) > MAX_LINES:
        raise UnreadableError
    scanner = _Scanner(lines, start)
    scanner.run(0, len(lines), 0)
    return scanner.found


class _Scanner:
    """The lines with the indent, offset and first character of each, as the containers around them
    leave it."""

    def __init__(self, lines: Sequence[str], start: int) -> None:
        self.start = start
        self.found: list[Block] = []
        self.depth = 0
        self.list_indent = -1
        longest = max(map(len, lines), default=0)
        self.lines = lines
        if longest > LINE_PREFIX:
            self.lines = [line[:LINE_PREFIX] for line in lines]
        self.first = [line[:1] for line in lines]
        self.indent = [0] * (len(lines) + 1)
        self.offset = [0] * (len(lines) + 1)
        for number, char in enumerate(self.first):
            if char in {" ", "\t"}:
                self._measure(number)
        self.first += ("", "")
        self.count = len(lines)

    def _measure(self, number: int) -> None:
        line = self.lines[number]
        text = line.lstrip(" \t")
        offset = len(line) - len(text)
        self.offset[number] = offset
        self.indent[number] = offset
        if "\t" in line[:offset]:
            self.indent[number] = len(line[:offset].expandtabs(4))
        self.first[number] = text[:1]

    def run(self, at: int, end: int, margin: int) -> int:
        """Read the blocks from line `at` that are indented by `margin` or more; the line where they
        end."""
        first = self.first
        indent = self.indent
        readers = self._READERS
        paragraph = _Scanner._paragraph
        while at < end:
            while not first[at] and at < self.count:  # beyond `end` too, as markdown-it has it
                at += 1
            if at >= end:
                break
            inset = indent[at] - margin
            if inset < 0:
                break
            if self._may_be_table(at):
                at = self._foreign(at, end, margin)
            elif inset >= 4:
                at = self._code(at, end, margin)
            else:
                at = readers.get(first[at], paragraph)(self, at, end, margin)
            if at < end and not first[at]:
                at += 1
        return at

    def _add(
        self,
        kind: str,
        at: int,
        stop: int,
        level: int = 0,
    ) -> None:
        """One more block."""
        if len(self.found) > MAX_BLOCKS:
            raise UnreadableError
        self.found.append(self._block(kind, at, stop, level))

    def _block(
        self,
        kind: str,
        at: int,
        stop: int,
        level: int = 0,
    ) -> Block:
        """A block from line `at` to before `stop`, without trailing blank lines."""
        lines = self.lines
        while stop - 1 > at and not lines[stop - 1].strip(" \t"):
            stop -= 1
        return Block(
            kind=kind,
            first=self.start + at + 1,
            last=self.start + stop,
            level=level,
            depth=self.depth,
            quoted=False,
        )

    def _match(self, pattern: re.Pattern[str], at: int) -> re.Match[str] | None:
        return pattern.match(self.lines[at], self.offset[at])

    def _text(self, at: int) -> str:
        """What a line says behind its indent and the marks of the containers around it."""
        return self.lines[at][self.offset[at] :]

    def _line(self, at: int) -> tuple[int, int, str]:
        """Indent, offset and first character of a line, to be put back by `_set`."""
        return self.indent[at], self.offset[at], self.first[at]

    def _set(self, at: int, line: tuple[int, int, str]) -> None:
        self.indent[at], self.offset[at], self.first[at] = line

    def _paragraph(self, at: int, end: int, margin: int) -> int:
        """A paragraph, or the heading that an underline makes of it."""
        first = self.first
        line = at + 1
        while line < end and first[line]:
            char = first[line]
            if char in _STOPPERS or first[line + 1] in _TABLE_MARKS:
                inset = self.indent[line] - margin
                if 0 <= inset <= 3 and char in "=-" and self._match(blocks.UNDERLINE, line):
                    level = "=-".index(char) + 1
                    self._add("heading", at, line + 1, level)
                    return line + 1
                if char == "<" or self._may_be_table(line):
                    return self._foreign(at, end, margin)
                if inset <= 3 and self._interrupts_paragraph(line, margin):
                    break
            line += 1
        self._add("paragraph", at, line)
        return line

    def _code(self, at: int, end: int, margin: int) -> int:
        stop = line = at + 1
        while line < end:
            if self.first[line]:
                if self.indent[line] - margin < 4:
                    break
                stop = line + 1
            line += 1
        self._add("code", at, stop)
        return stop

    def _fence(self, at: int, end: int, margin: int) -> int:
        opened = self._match(blocks.FENCE, at)
        if not opened:
            return self._paragraph(at, end, margin)
        fence = opened[1] or opened[2]
        line = at + 1
        while line < end:
            char = self.first[line]
            if char:
                if self.indent[line] < margin:
                    break
            elif line == self.count - 1:
                break
            line += 1
            # looked at here: a call for every line of code would be slow
            if char == fence[0] and self._closes_fence(line - 1, fence, margin):
                break
        self._add("code", at, line)
        return line

    def _closes_fence(self, line: int, fence: str, margin: int) -> bool:
        """Whether a line that begins as a fence does closes it."""
        text = self._text(line).rstrip(" \t")
        return (
            self.indent[line] - margin < 4 and len(text) >= len(fence) and not text.strip(fence[0])
        )

    def _heading(self, at: int, end: int, margin: int) -> int:
        match = blocks.HEADING_START.match(self.lines[at], self.offset[at])
        if not match:
            return self._paragraph(at, end, margin)
        self._add("heading", at, at + 1, len(match.group().rstrip(" \t")))
        return at + 1

    def _rule_or_list(self, at: int, end: int, margin: int) -> int:
        if self._match(blocks.RULE, at):
            self._add("rule", at, at + 1)
            return at + 1
        if self._match(blocks.BULLET, at):
            return self._list(at, end, margin)
        return self._paragraph(at, end, margin)

    def _list(self, at: int, end: int, margin: int) -> int:
        marker = self._match(blocks.BULLET, at)
        kind = marker and marker.group()[-1]
        while marker and marker.group()[-1] == kind:
            if len(self.found) > MAX_BLOCKS:
                raise UnreadableError
            at = self._item(at, end, margin, marker.end())
            if at >= end or not 0 <= self.indent[at] - margin <= 3 or self._interrupts(at, margin):
                break
            marker = self._match(blocks.BULLET, at)
        return at

    def _item(
        self,
        at: int,
        end: int,
        margin: int,
        after: int,
    ) -> int:
        """One list item whose marker ends at offset `after`; the line where it ends."""
        line = self.lines[at]
        text = line[after:].lstrip(" \t")
        gap = line[after : len(line) - len(text)]
        column = self.indent[at] + after - self.offset[at]
        width = len(gap)
        if "\t" in gap:
            width = blocks.tab_width(gap, column)
        inner = column + 1
        if text and width <= 4:
            inner = column + width
        outside = self._line(at)
        list_indent = self.list_indent
        self._set(at, (column + width, len(line) - len(text), text[:1]))
        self.list_indent = margin
        place = self._open()
        if text or self.first[at + 1]:
            stop = self.run(at, end, inner)
        else:
            stop = min(at + 2, end)
        self._close("item", place, at, stop)
        self._set(at, outside)
        self.list_indent = list_indent
        return stop

    def _open(self) -> int:
        """Enter a quote or item; the place its block will take once its end is known."""
        if self.depth >= MAX_DEPTH or len(self.found) > MAX_BLOCKS:
            raise UnreadableError
        self.depth += 1
        self.found.append(_UNKNOWN)
        return len(self.found) - 1

    def _close(
        self,
        kind: str,
        place: int,
        at: int,
        stop: int,
    ) -> None:
        self.depth -= 1
        self.found[place] = self._block(kind, at, stop)

    def _interrupts(self, line: int, margin: int) -> bool:
        """Whether a fence, quote or rule starts on a line."""
        char = self.first[line]
        if self.indent[line] - margin > 3:
            return False
        if char in "`~":
            return bool(self._match(blocks.FENCE, line))
        return char == ">" or (char in "*-_" and bool(self._match(blocks.RULE, line)))

    def _may_be_table(self, at: int) -> bool:
        """Whether the line below one looks like the row below a table's head."""
        return (
            self.first[at + 1] in _TABLE_MARKS
            and "|" in self.lines[at]
            and self._match(blocks.DELIMITERS, at + 1) is not None
        )

    def _foreign(
        self,
        at: int,
        end: int,
        margin: int,
    ) -> int:
        """A block that is left to markdown-it, or link definitions, which are none; the line where
        it ends. UnsureError where more than the lines up to the next blank one may belong to it."""
        if margin:
            raise UnsureError
        stop = at
        while stop < end and self.first[stop]:
            stop += 1
        found = from_markdown_it(self.lines[at:stop], self.start + at)
        if not found:
            return stop
        top = found[0]
        if top.first > self.start + at + 1:
            return top.first - self.start - 1
        if top.kind in _GOES_ON and top.last == self.start + stop < self.start + self.count:
            raise UnsureError
        self.found += takewhile(lambda block: block.first <= top.last, found)
        return top.last - self.start

    def _bracket(
        self,
        at: int,
        end: int,
        margin: int,
    ) -> int:
        """A paragraph that begins with a bracket, or what may be a link definition."""
        text = self._text(at)
        if "]:" in text or "]" not in text or "\\" in text:
            return self._foreign(at, end, margin)
        return self._paragraph(at, end, margin)

    def _starts_list(self, line: int, margin: int) -> bool:
        indent = self.indent[line]
        if 0 <= self.list_indent <= indent - 4 and indent < margin:
            return False
        return bool(self._match(blocks.BULLET, line))

    def _interrupts_paragraph(self, line: int, margin: int) -> bool:
        if self._interrupts(line, margin) or self._match(blocks.HEADING_START, line):
            return True
        marker = self._match(blocks.BULLET, line)
        if marker and self._starts_list(line, margin):
            if self.indent[line] < margin:
                return True
            counts = marker[1] is None or int(marker[1]) == 1
            if counts and self.lines[line][marker.end() :].strip(" \t"):
                return True
        return False

    _READERS: ClassVar[dict[str, Callable[[_Scanner, int, int, int], int]]] = {
        "`": _fence,
        "~": _fence,
        "#": _heading,
        "[": _bracket,
        **dict.fromkeys("<>", _foreign),
        **dict.fromkeys("*-_+0123456789", _rule_or_list),
    }
