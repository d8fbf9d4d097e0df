"""Comments taken out of the lines of a note before anything else is read of it.

They are `%% … %%` and `<!-- … -->`, within a line or over many, whatever blocks stand in them. What
nothing closes is a comment: `%%` to the end of the note as in Obsidian, `<!--` to that of its block
as in CommonMark. In code, formulas and addresses these marks are text. Formulas of several lines
are found on the way, so that their lines begin no lists.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from indexer.note import Problem
from indexer.spelling import single_spaced

from . import markdown
from .blocks import Block
from .inline import Literal, comment_end, line_begins, literals

_MARKS = ("%%", "<!--", "$$")
_MARK = re.compile(r"%%|<!--|\$\$")
_TEARING = re.compile(r"^[ \t>*+-]*(?:```|~~~|<[A-Za-z/!?])", re.MULTILINE)
"""What makes the lines behind a comment look like code or HTML while the comment is there."""
_ROUNDS = 8
"""How often the blocks of a note are read again because of that."""
_NO_LINE_END = re.compile(r"[^\n]")
_WORDS_OF_LINE = re.compile(r"(?<![^ \t>])[^ \t>].*")
_NO_INDENT = re.compile(r"[^>\t ]")
_FENCE = "```"
_TAKEN = "\0"
_STAND_IN = "\xa0"
"""A space that indents nothing: what stands for a comment at the beginning of a line that has
words."""


class Readable(NamedTuple):
    """The text of a note for who reads Markdown in it, its blocks, and problems.

    `text` is the body and `lines` are all lines with blanks for comments, so that every offset is
    that of the file; in `shown` the blanks are gone too. `formulas` are offsets in the text, as
    `Inline` takes them; `wide` are the first and last lines of each comment that goes on over a
    line's end.
    """

    text: str
    lines: Sequence[str]
    shown: Sequence[str]
    blocks: list[Block]
    formulas: Sequence[int]
    problems: tuple[Problem, ...]
    wide: Sequence[tuple[int, int]] = ()


def read_uncommented(lines: Sequence[str], start: int = 0) -> Readable:
    """The lines from `start` on without comments, and their blocks."""
    text = "\n".join(lines[start:])
    blocks, problems = markdown.read_blocks(lines, start)
    if not any(mark in text for mark in _MARKS):
        return Readable(
            text=text, lines=lines, shown=lines, blocks=blocks, formulas=(), problems=problems
        )
    body = _Body(text, lines, start)
    for left in reversed(range(_ROUNDS)):
        is_torn = body.take(blocks, to_end=not left)
        blocks, problems = markdown.read_blocks(body.structure(), start)
        if not is_torn:
            break
    own = body.lines()
    shown = [
        _closed_up(line) if line != was else was
        for line, was in zip(own, lines[start:], strict=False)
    ]
    above = lines[:start]
    problems = (*problems, *body.problems[:1])
    return Readable(
        text="\n".join(own),
        lines=[*above, *own],
        shown=[*above, *shown],
        blocks=blocks,
        formulas=body.formulas,
        problems=problems,
        wide=body.wide,
    )


def without_comments(lines: Sequence[str]) -> Sequence[str]:
    """All lines of a note without their comments."""
    from . import front_matter

    return read_uncommented(lines, front_matter.read_front_matter(lines).lines).shown


class _Body:
    """The text of a note while comments are taken out of it; a sign stands in the place of each of
    their characters."""

    def __init__(self, text: str, lines: Sequence[str], start: int) -> None:
        self.text = text
        self.formulas: list[int] = []
        self.problems: list[Problem] = []
        self.wide: list[tuple[int, int]] = []
        self._above = lines[:start]
        self._begins = line_begins(text.split("\n"))
        self._at = 0

    def take(self, blocks: Sequence[Block], *, to_end: bool) -> bool:
        """Take out the comments that begin from where it stopped; whether it stops again, since the
        blocks behind a comment are others without it."""
        parts: list[str] = []
        done = 0
        torn = False
        for each in self._literals(blocks):
            self._at = each.end
            if each.kind == "formula":
                self.formulas += (each.begin, each.end)
            else:
                self._tell(each)
                parts += (
                    self.text[done : each.begin],
                    _NO_LINE_END.sub(_TAKEN, self.text[each.begin : each.end]),
                )
                done = each.end
            torn = not to_end and _TEARING.search(self.text, each.begin, each.end) is not None
            if torn:
                break
        self.text = "".join([*parts, self.text[done:]])
        return torn

    def lines(self) -> list[str]:
        """The lines with blanks for comments."""
        return [*map(_blanked, self.text.split("\n"))]

    def structure(self) -> list[str]:
        """The lines as their blocks are read: without comments, and with words for the lines of
        formulas, or as code where `$$` stands alone on the first line and ends the last."""
        body = self.lines()
        for begin, end in zip(self.formulas[::2], self.formulas[1::2], strict=True):
            first = self._line(begin) - 1
            last = self._line(end - 1) - 1
            above, _, behind = body[first].partition("$$")
            ends = body[last].rstrip().endswith("$$")
            if ends and not behind.strip() and not above.strip(markdown.BULLETS):
                below = _NO_INDENT.sub(" ", above)
                body[first] = above + _FENCE
                body[first + 1 : last] = [below + "x"] * (last - first - 1)
                body[last] = below + _FENCE
                continue
            for number in range(first + 1, last + 1):
                body[number] = _WORDS_OF_LINE.sub("x", body[number], count=1)
        return [*self._above, *body]

    def _line(self, offset: int) -> int:
        """The line of the text that an offset is on, counted from 1."""
        return bisect_right(self._begins, offset)

    def _tell(self, comment: Literal) -> None:
        """Note a comment of several lines, and one that nothing closes."""
        first = len(self._above) + self._line(comment.begin)
        last = len(self._above) + self._line(comment.end - 1)
        closing = "-->"
        if self.text.startswith("%%", comment.begin):
            closing = "%%"
        if first < last:
            self.wide.append((first, last))
        if not self.text.endswith(closing, comment.begin + 2, comment.end):
            message = f"a comment begins here and no {closing} closes it; what is in it is not read"
            self.problems.append(Problem(first, "comment", message))

    def _literals(self, blocks: Sequence[Block]) -> Iterator[Literal]:
        """The comments from where it stopped, and the formulas of several lines, in order."""
        leaves = [block for block in blocks if block.kind not in ("item", "quote")]
        firsts = [block.first for block in leaves]
        above = len(self._above)
        done = self._at
        while (match := _MARK.search(self.text, done)) is not None:
            line = self._line(match.start())
            number = bisect_right(firsts, above + line) - 1
            kind = ""
            first = last = line
            if number >= 0 and leaves[number].last >= above + line:
                kind = leaves[number].kind
                if kind != "table":  # in which a line is read by itself
                    first = leaves[number].first - above
                    last = leaves[number].last - above
            begin = max(done, self._begins[first - 1])
            done = self._begins[last] - 1
            for each in _literals_of(kind, self.text, begin, done):
                done = max(done, each.end)
                wide = each.kind == "formula" and "\n" in self.text[each.begin : each.end]
                if wide or each.kind == "comment":
                    yield each


def _literals_of(
    kind: str,
    text: str,
    begin: int,
    end: int,
) -> Iterator[Literal]:
    """What is literal in a block of that kind."""
    if kind == "code":
        return iter(())
    if kind == "html":
        return _in_html(text, begin, end)
    return literals(text, begin, end, len(text))


def _in_html(text: str, begin: int, end: int) -> Iterator[Literal]:
    """The comments of an HTML block, in which `%%` is text."""
    at = text.find("<!--", begin, end)
    while at >= 0:
        stop = comment_end(text, at, end, len(text))
        yield Literal(at, stop, "comment")
        at = text.find("<!--", stop, end)


def _blanked(line: str) -> str:
    """A line with blanks for its comments, which give no line another indent."""
    if _TAKEN not in line:
        return line
    visible = line.replace(_TAKEN, "").strip(markdown.BULLETS)
    begin = markdown.MARKERS.match(line).end()  # type: ignore[union-attr]  # it fits every text
    words = line[begin:].lstrip(_TAKEN + " \t")
    if visible and line.startswith(_TAKEN, begin):
        line = line[:begin] + _STAND_IN * (len(line) - begin - len(words)) + words
    return line.replace(_TAKEN, " ")


def _closed_up(line: str) -> str:
    """A line without the blanks that comments left."""
    words = line.lstrip(" \t")
    if words:
        return line[: len(line) - len(words)] + single_spaced(words)
    return ""
