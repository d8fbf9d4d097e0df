"""A quick reader of Markdown blocks, in CommonMark's terms plus tables.

It answers exactly as markdown-it does, which a test compares on generated and real notes, and
raises `UnsureError` for what it leaves to markdown-it: tabs inside quotes, huge tables and odd link
definitions. Line by line, hardly ever back: its time is linear in the text times the nesting, and
both are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
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
)

_MAX_QUOTED = 300_000
_MOST_CELLS = 0x10000

_UNKNOWN = Block(kind="", first=0, last=0, level=0, depth=0, quoted=False)
_STOPPERS = frozenset("#>`~*-+_<=0123456789")
_TABLE_MARKS = frozenset("|-:")
_TITLE_MARKS = frozenset("\"'(")


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
        self.depth = self.quotes = self.quoted = 0
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
            if first[at + 1] in _TABLE_MARKS and self._is_table(at, end, margin):
                at = self._table(at, end, margin)
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
            quoted=self.quotes > 0,
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
                if inset <= 3 and self._interrupts_paragraph(line, end, margin):
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

    def _html(self, at: int, end: int, margin: int) -> int:
        text = self._text(at)
        closing = blocks.html_end(text, starts=True)
        if closing is None:
            return self._paragraph(at, end, margin)
        line = at + 1
        if closing is blocks.BLANK_LINE:
            while line < end and self.first[line] and self.indent[line] >= margin:
                line += 1
        elif not closing.search(text):
            line = self._html_until(closing, line, end, margin)
        self._add("html", at, line)
        return line

    def _html_until(
        self,
        closing: re.Pattern[str],
        line: int,
        end: int,
        margin: int,
    ) -> int:
        """The line behind the one that ends an HTML block; blank lines are part of it."""
        while line < end and (self.indent[line] >= margin or not self.first[line]):
            line += 1
            if closing.search(self.lines[line - 1], self.offset[line - 1]):
                break
        return line

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
            if self.quotes:
                raise UnsureError
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

    def _quote(self, at: int, end: int, margin: int) -> int:
        outside = [self._line(at)]
        self._unquote(at)
        line = at + 1
        while line < end and self.first[line]:
            before = self._line(line)
            if self.first[line] == ">" and self.indent[line] >= margin:
                self._unquote(line)
            elif not self.first[line - 1] or self._ends_quote(line, margin):
                break
            else:
                self.indent[line] = -1
            outside.append(before)
            line += 1
        self.quoted += line - at
        if self.quoted > _MAX_QUOTED:
            raise UnreadableError
        place = self._open()
        self.quotes += 1
        stop = self.run(at, line, 0)
        self.quotes -= 1
        self._close("quote", place, at, stop)
        for number, each in enumerate(outside, at):
            self._set(number, each)
        return stop

    def _unquote(self, at: int) -> None:
        """Take `>` and one space off a line."""
        line = self.lines[at]
        offset = self.offset[at] + 1
        text = line[offset:].lstrip(" \t")
        begin = len(line) - len(text)
        if "\t" in line[offset:begin]:
            raise UnsureError
        self._set(at, (max(0, begin - offset - 1), begin, text[:1]))

    def _ends_quote(self, line: int, margin: int) -> bool:
        """Whether a line without `>` starts a block of its own rather than going on lazily."""
        return self.indent[line] - margin <= 3 and (
            self._interrupts(line, margin)
            or self._starts_list(line, margin)
            or self._starts_other(line)
        )

    def _interrupts(self, line: int, margin: int) -> bool:
        """Whether a fence, quote or rule starts on a line."""
        char = self.first[line]
        if self.indent[line] - margin > 3:
            return False
        if char in "`~":
            return bool(self._match(blocks.FENCE, line))
        return char == ">" or (char in "*-_" and bool(self._match(blocks.RULE, line)))

    def _starts_list(self, line: int, margin: int) -> bool:
        indent = self.indent[line]
        if 0 <= self.list_indent <= indent - 4 and indent < margin:
            return False
        return bool(self._match(blocks.BULLET, line))

    def _starts_other(self, line: int) -> bool:
        """Whether a heading or HTML block starts on a line."""
        char = self.first[line]
        if char == "#":
            return bool(self._match(blocks.HEADING_START, line))
        return char == "<" and blocks.html_end(self._text(line), starts=False) is not None

    def _interrupts_paragraph(self, line: int, end: int, margin: int) -> bool:
        if self.indent[line] < 0:  # a lazy line of a quote
            return False
        if self._interrupts(line, margin) or self._starts_other(line):
            return True
        marker = self._match(blocks.BULLET, line)
        if marker and self._starts_list(line, margin):
            if self.indent[line] < margin:
                return True
            counts = marker[1] is None or int(marker[1]) == 1
            if counts and self.lines[line][marker.end() :].strip(" \t"):
                return True
        return self.first[line + 1] in _TABLE_MARKS and self._is_table(line, end, margin)

    def _is_table(self, at: int, end: int, margin: int) -> bool:
        """Whether a line and the delimiter row below it are the head of a table."""
        below = at + 1
        if (
            at + 2 > end
            or not 0 <= self.indent[below] - margin <= 3
            or self.indent[at] - margin > 3
        ):
            return False
        row = self._text(below)
        head = self._text(at).strip(blocks.BLANKS)
        if "|" not in head or not blocks.DELIMITERS.match(row):
            return False
        cells = [cell.strip() for cell in row.split("|")]
        cells = cells[not cells[0] : len(cells) - (not cells[-1])]
        return (
            bool(cells)
            and all(map(blocks.DELIMITER.fullmatch, cells))
            and len(cells) == blocks.columns(head)
        )

    def _table(self, at: int, end: int, margin: int) -> int:
        line = at + 2
        while (
            line < end
            and self.first[line]
            and 0 <= self.indent[line] - margin <= 3
            and self._text(line).strip(blocks.BLANKS)
            and not self._ends_quote(line, margin)
        ):
            line += 1
        if blocks.columns(self._text(at).strip(blocks.BLANKS)) * (line - at) > _MOST_CELLS:
            raise UnsureError  # markdown-it ends it where too many cells are missing
        self._add("table", at, line)
        return line

    def _definition(self, at: int, end: int, margin: int) -> int:
        """A link definition, which is no block, or the paragraph that only looks like one."""
        if self._is_definition(at):
            return at + 1
        return self._paragraph(at, end, margin)

    def _is_definition(self, at: int) -> bool:
        """Whether a link definition stands on a line.

        UnsureError where it may go on in the next line, or its label or address is an odd one.
        """
        text = self._text(at)
        if blocks.begins_no_block(text):
            return False
        match = blocks.DEFINITION.match(text)
        if not match:
            if blocks.OPEN_LABEL.fullmatch(text):
                raise UnsureError
            return False
        label, address, rest = match.groups()
        if not label.strip() or blocks.ODD_ADDRESS.match(address):
            raise UnsureError
        if not rest:
            if self.first[at + 1] in _TITLE_MARKS:
                raise UnsureError
            return True
        if blocks.TITLE.match(rest):
            return True
        if rest[0] in _TITLE_MARKS:
            raise UnsureError
        return False

    _READERS: ClassVar[dict[str, Callable[[_Scanner, int, int, int], int]]] = {
        "`": _fence,
        "~": _fence,
        ">": _quote,
        "<": _html,
        "#": _heading,
        "[": _definition,
        **dict.fromkeys("*-_+0123456789", _rule_or_list),
    }
