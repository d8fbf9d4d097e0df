"""Blocks → the sections of a note with their units, and the `^id` anchors in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from itertools import takewhile
from typing import NamedTuple

from indexer.note import Anchor, Fact, Parent, Section, Unit

from .blocks import Block, text_runs
from .inline import Inline, plain_inline
from .markdown import BULLETS, MARKERS, PROPERTY

UNIT_WORDS = 120
"""A block of several lines with more words than this is cut into runs of lines."""

PARENT_CHARACTERS = 60
"""Characters of a parent's first line that tell what is nested in it."""

_BOX = re.compile(r"\[.\]\s+")
_GENERATED = re.compile(r"[ \t]{0,3}<!--[ \t]{0,9}(/?)aurelius:")
_CLOSING = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_ANCHOR = re.compile(r"(?:^|(?<=[ \t]))\^([A-Za-z0-9-]{1,64})[ \t]*$", re.MULTILINE)


def heading_text(lines: Sequence[str], block: Block) -> str:
    """The plain text of a heading block, `# so`, `# so #`, `- # so` or underlined."""
    line = lines[block.first - 1].strip(" \t>").lstrip(BULLETS)
    if block.first == block.last and line.startswith("#"):
        text = line[block.level :].strip()
        return plain_inline(_CLOSING.sub("", text).strip() if text.endswith("#") else text)
    texts = [text.strip() for text in lines[block.first - 1 : block.last - 1]]
    return plain_inline(" ".join([text for text in texts if not PROPERTY.match(text)] or texts))


def sections(blocks: Sequence[Block], lines: Sequence[str], begin: int) -> list[Section]:
    """The sections in order; text starts at line `begin`.

    A list item that is a heading, `- ## Facts`, makes one of what is nested in it; any other
    heading inside a quote or list makes none.
    """
    made = _Outline(blocks, lines, begin)
    for index, block in enumerate(blocks):
        made.close(block.first)
        if index in made.heads:
            item = blocks[index - 1]
            made.open(item.first, block, made.heads[index], item.last)
        elif block.kind == "heading" and not block.depth:
            made.open(block.first, block, heading_text(lines, block))
        elif block.first > made.covered and index not in made.torn:
            made.inner.append(index)
            made.covered = block.last
    made.close(len(lines) + 1)
    made.flush(len(lines))
    return made.found


class _Heading(NamedTuple):
    """A heading; `end` is the last line of the list item that it is with all that is nested in it,
    0 for no list item."""

    level: int
    text: str
    end: int


class _Outline:
    """The sections found so far, and where in the outline the next line stands."""

    def __init__(
        self,
        blocks: Sequence[Block],
        lines: Sequence[str],
        begin: int,
    ) -> None:
        self.found: list[Section] = []
        self.heads = _heads(blocks, lines)
        self.torn = _torn(blocks, self.heads)
        self.inner: list[int] = []
        """The blocks that the units of this section are made of."""
        self.covered = 0
        self._blocks = blocks
        self._lines = lines
        self._begin = begin
        self._first = self._level = 0
        self._above: list[_Heading] = []

    def open(
        self,
        first: int,
        block: Block,
        text: str,
        end: int = 0,
    ) -> None:
        """A heading begins a section on line `first`; `end` is that of the list item that it is."""
        self.flush(first - 1)
        level = block.level
        if self._above and self._above[-1].end:
            level = min(6, max(level, self._above[-1].level + 1))
        while self._above and not self._above[-1].end and self._above[-1].level >= level:
            self._above.pop()
        self._above.append(_Heading(level, text, end))
        self._go_on(block.last + 1, first, level)

    def close(self, line: int) -> None:
        """Leave the list items that end before this line; what follows belongs to what they stand
        in."""
        while self._above and 0 < self._above[-1].end < line:
            self.flush(self._above[-1].end)
            self._go_on(self._above.pop().end + 1, 0, 0)

    def flush(self, end: int) -> None:
        """One more section, up to line `end`, unless it is text without a heading of its own and
        empty."""
        units = _units(self._begin, end, self.inner, self._blocks, self._lines)
        if not units and not self._first:
            return
        last = self._begin - 1
        if units:
            last = units[-1].last
        heading = tuple([each.text for each in self._above])
        of_item = self._above[-1].end if self._above else 0
        first = self._first or units[0].first
        self.found.append(
            Section(
                heading=heading,
                level=self._level,
                first=first,
                last=last,
                units=tuple(units),
                end=of_item,
            )
        )

    def _go_on(
        self,
        begin: int,
        first: int,
        level: int,
    ) -> None:
        self._begin = begin
        self._first = first
        self._level = level
        self.inner = []


def _heads(blocks: Sequence[Block], lines: Sequence[str]) -> dict[int, str]:
    """The headings that are list items, `- ## Facts`: the number of each heading's block, and its
    text."""
    found: dict[int, str] = {}
    for number, block in enumerate(blocks):
        if block.kind != "heading" or not block.depth:
            continue
        item = blocks[number - 1]
        is_item = item.kind == "item" and not item.quoted
        if is_item and item.first == block.first == block.last:
            text = heading_text(lines, block)
            if text:
                found[number] = text
    return found


def _torn(blocks: Sequence[Block], heads: Mapping[int, str]) -> set[int]:
    """The list items that are headings, and those that one is nested in: they are no unit as a
    whole."""
    found: set[int] = set()
    above: list[int] = []
    for index, block in enumerate(blocks) if heads else ():
        while above and blocks[above[-1]].depth >= block.depth:
            above.pop()
        if index in heads:
            found.update(above)
        elif block.kind in ("item", "quote"):
            above.append(index)
    return found


def extent(found: Sequence[Section], at: int) -> int:
    """The last line of a section with its sub-sections."""
    own = found[at]
    last = own.last
    for each in found[at + 1 :]:
        if each.heading[: len(own.heading)] != own.heading or 0 < each.level <= own.level:
            break
        last = each.last
    return last


def levels(found: Iterable[Section]) -> list[int]:
    """The levels of the headings, those that are list items left out."""
    return [section.level for section in found if section.level and not section.end]


def is_bare_outline(found: Iterable[Section]) -> bool:
    """Whether a note has no headings besides its title, those that are list items included."""
    return [section.level for section in found if section.level] in ([], [1])


def _units(
    begin: int,
    end: int,
    inner: Sequence[int],
    blocks: Sequence[Block],
    lines: Sequence[str],
) -> list[Unit]:
    """The units of the lines `begin`..`end`: their blocks, and whatever no block covers."""
    units: list[Unit] = []
    for index in inner:
        block = blocks[index]
        first = block.first
        last = block.last
        while begin < first and not lines[begin - 1].strip():
            begin += 1
        if begin < first:
            units += loose(begin, first - 1, lines)
        if first == last or sum(map(len, lines[first - 1 : last])) <= 2 * UNIT_WORDS:
            units.append(Unit(first, last, "active"))
        else:
            starts: Container[int] = ()
            if block.kind == "item":
                starts = _nested_starts(index, blocks)
            units += _cut_units(first, last, starts, lines)
        begin = last + 1
    if begin <= end:
        units += loose(begin, end, lines)
    return units


def loose(begin: int, end: int, lines: Sequence[str]) -> Iterator[Unit]:
    """Runs of non-blank lines between blocks, such as link definitions, or a broken front
    matter."""
    for first, last in text_runs(lines[begin - 1 : end], begin):
        yield Unit(first, last, "active")


def _cut_units(
    first: int,
    last: int,
    starts: Container[int],
    lines: Sequence[str],
) -> Iterator[Unit]:
    """The lines as one unit, or as runs of at most `UNIT_WORDS`; where it can, a run begins at one
    of `starts`."""
    counts = [len(line.split()) for line in lines[first - 1 : last]]
    if sum(counts) <= UNIT_WORDS:
        yield Unit(first, last, "active")
        return
    begin = first
    words = 0
    resume = 0
    number = first
    while number <= last:
        count = counts[number - first]
        if number in starts:
            resume = number
        if words and words + count > UNIT_WORDS:
            if begin < resume:
                number = resume
            yield from _trimmed(begin, number - 1, lines)
            begin = number
            words = 0
            resume = 0
            continue
        words += count
        number += 1
    yield from _trimmed(begin, last, lines)


def _trimmed(first: int, last: int, lines: Sequence[str]) -> Iterator[Unit]:
    while first <= last and not lines[last - 1].strip():
        last -= 1
    while first <= last and not lines[first - 1].strip():
        first += 1
    if first <= last:
        yield Unit(first, last, "active")


def _nested_starts(index: int, blocks: Sequence[Block]) -> set[int]:
    within = takewhile(lambda block: block.depth, blocks[index + 1 :])
    return {block.first for block in within if block.kind == "item"}


def with_status(
    found: Sequence[Section], facts: Sequence[Fact], lines: Sequence[str]
) -> list[Section]:
    """The sections with each unit `superseded` whose every line is one of a superseded fact."""
    old: set[int] = set()
    for fact in facts:
        if fact.status == "superseded":
            old.update(range(fact.first, fact.last + 1))
    if not old:
        return list(found)
    old.update(number for number, line in enumerate(lines, 1) if not line.strip())
    judged: list[Section] = []
    for section in found:
        units = list(section.units)
        for at, unit in enumerate(units):
            if old.issuperset(range(unit.first, unit.last + 1)):
                units[at] = unit._replace(status="superseded")
        judged.append(section._replace(units=tuple(units)))
    return judged


def parents(blocks: Sequence[Block], lines: Sequence[str]) -> tuple[Parent, ...]:
    """The list items with others nested in them, in order of lines; those that are headings, or
    empty, are none."""
    items = [block for block in blocks if block.kind == "item" and not block.quoted]
    if not any(item.depth for item in items):
        return ()
    titled = {(block.first, block.depth - 1) for block in blocks if block.kind == "heading"}
    found: list[Parent] = []
    around: list[Block] = []
    numbers: dict[Block, int] = {}
    """The number of the innermost parent among each item and those around it, -1 for none."""
    judged: set[Block] = set()
    for block in items:
        while around and around[-1].depth >= block.depth:
            around.pop()
        numbers[block] = -1
        if around:
            item = around[-1]
            text = (
                ""
                if item in judged or (item.first, item.depth) in titled
                else _item_opening(lines[item.first - 1])
            )
            judged.add(item)
            if text:
                found.append(Parent(item.first, item.last, text, numbers[item]))
                numbers[item] = len(found) - 1
            numbers[block] = numbers[item]
        around.append(block)
    return tuple(found)


def _item_opening(line: str) -> str:
    """The beginning of a list item's first line, as plain text."""
    words = MARKERS.sub("", line, count=1)
    text = plain_inline(_BOX.sub("", words, count=1)).strip()
    if len(text) <= PARENT_CHARACTERS:
        return text
    cut = text[:PARENT_CHARACTERS]
    whole = cut.rpartition(" ")[0] or cut
    return whole.rstrip(" ,;:-") + " …"


def block_anchors(reader: Inline, blocks: Sequence[Block]) -> list[Anchor]:
    """Every `^id` that ends a block; alone in a paragraph it names the block before (a table, a
    quote)."""
    if "^" not in reader.text:
        return []
    firsts = [block.first for block in blocks]
    found: list[Anchor] = []
    line = reader.first
    at = 0
    for match in _ANCHOR.finditer(reader.text):
        line = line + reader.text.count("\n", at, match.start())
        at = match.start()
        if reader.hidden(at, line):
            continue
        alone = not reader.text[reader.text.rfind("\n", 0, at) + 1 : at].strip(" \t>")
        span = _anchored(line, bisect_right(firsts, line) - 1, blocks, alone)
        if span:
            found.append(Anchor(match[1], *span))
    return found


def _anchored(
    line: int,
    index: int,
    blocks: Sequence[Block],
    alone: bool,
) -> tuple[int, int] | None:
    """The lines an anchor on `line` names, or None where text of its block follows it that is no
    list item."""
    if index < 0 or blocks[index].kind not in {"paragraph", "heading"}:
        return None
    block = blocks[index]
    if index:
        around = blocks[index - 1]
    else:
        around = block
    if block.last != line and (around.kind != "item" or around.first != block.first):
        return None
    if alone and block.first == line:
        deepest = block.depth
    else:
        deepest = block.depth - 1
    before = next(
        (at for at in range(index - 1, max(-1, index - 1000), -1) if blocks[at].depth <= deepest),
        -1,
    )
    return _named_lines(before, block, blocks)


def _named_lines(before: int, block: Block, blocks: Sequence[Block]) -> tuple[int, int]:
    """The lines that an anchor in a block names, by the number of the block that it is in or
    behind, -1 for none."""
    other = blocks[before]
    if before < 0 or (other.depth < block.depth and other.kind != "item"):
        return block.first, block.last
    if other.depth == block.depth and other.kind == "item":
        return _whole_list(before, blocks)
    return other.first, other.last


def _whole_list(index: int, blocks: Sequence[Block]) -> tuple[int, int]:
    """The lines of the list whose last item is `blocks[index]`."""
    depth = blocks[index].depth
    first = blocks[index].first
    for before in range(index - 1, -1, -1):
        other = blocks[before]
        if other.depth < depth or (other.depth == depth and other.kind != "item"):
            break
        first = min(first, other.first)
    return first, blocks[index].last


def generated_lines(text: str, begin: int) -> list[int]:
    """The lines of generated blocks, `<!-- aurelius:NAME -->` to `<!-- /aurelius:NAME -->`, from
    line `begin` on."""
    if "aurelius:" not in text:
        return []
    shut: list[int] = []
    opened = 0
    for number, line in enumerate(text.split("\n"), begin):
        mark = _GENERATED.match(line)
        if mark and mark[1] and opened:
            shut += range(opened, number + 1)
            opened = 0
        elif mark and not mark[1]:
            opened = opened or number
    return shut
