"""Blocks → the sections of a note with their units, and the `^id` anchors in it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Container, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from indexer.note import Anchor, Fact, Section, Unit

from .blocks import Block
from .inline import Inline, plain

UNIT_WORDS = 120
"""A block of several lines with more words than this is cut into runs of lines."""

_GENERATED = re.compile(r"[ \t]{0,3}<!--[ \t]{0,9}(/?)aurelius:")
_CLOSING = re.compile(r"(?:^|[ \t])#+[ \t]*$")
_ANCHOR = re.compile(r"(?:^|(?<=[ \t]))\^([A-Za-z0-9-]{1,64})[ \t]*$", re.MULTILINE)


def heading_text(lines: Sequence[str], block: Block) -> str:
    """The plain text of a heading block, `# so`, `# so #` or underlined."""
    line = lines[block.first - 1].strip(" \t>")
    if block.first == block.last and line.startswith("#"):
        text = line[block.level :].strip()
        return plain(_CLOSING.sub("", text).strip() if text.endswith("#") else text)
    return plain(" ".join([text.strip() for text in lines[block.first - 1 : block.last - 1]]))


def sections(blocks: Sequence[Block], lines: Sequence[str], begin: int) -> list[Section]:
    """The sections in order; text starts at line `begin`.  Headings inside quotes and lists make none."""
    found: list[Section] = []
    path: list[tuple[int, str]] = []
    head: Block | None = None
    inner: list[int] = []
    for index, block in enumerate(blocks):
        if block.depth:
            continue
        if block.kind != "heading":
            inner.append(index)
            continue
        _add(found, path, head, _units(begin, block.first - 1, inner, blocks, lines))
        while path and path[-1][0] >= block.level:
            path.pop()
        path.append((block.level, heading_text(lines, block)))
        head, begin, inner = block, block.last + 1, []
    _add(found, path, head, _units(begin, len(lines), inner, blocks, lines))
    return found


def _add(found: list[Section], path: list[tuple[int, str]], head: Block | None, units: list[Unit]) -> None:
    """One more section, unless it is the part before the first heading and empty."""
    if head is None:
        if units:
            found.append(Section((), 0, units[0].first, units[-1].last, tuple(units)))
        return
    last = units[-1].last if units else head.last
    found.append(Section(tuple([text for _, text in path]), head.level, head.first, last, tuple(units)))


def _units(begin: int, end: int, inner: Sequence[int], blocks: Sequence[Block], lines: Sequence[str]) -> list[Unit]:
    """The units of the lines `begin`..`end`: their blocks, and whatever no block covers."""
    units: list[Unit] = []
    for index in inner:
        block = blocks[index]
        first, last = block.first, block.last
        while begin < first and not lines[begin - 1].strip():
            begin += 1
        if begin < first:
            units += loose(begin, first - 1, lines)
        if first == last or sum(map(len, lines[first - 1 : last])) <= 2 * UNIT_WORDS:
            units.append(Unit(first, last, "active"))
        else:
            units += cut(first, last, _nested_starts(index, blocks) if block.kind == "item" else (), lines)
        begin = last + 1
    if begin <= end:
        units += loose(begin, end, lines)
    return units


class NestedHeading(NamedTuple):
    """A list item that is a heading, `- ## Facts`, as outliners write it: its lines with all that is nested in it."""

    heading: str
    first: int
    last: int


def nested_headings(blocks: Sequence[Block], lines: Sequence[str]) -> list[NestedHeading]:
    """The list items that are headings, in order."""
    return [
        NestedHeading(plain(lines[item.first - 1].strip(" \t>-*+#")), item.first, item.last)
        for item, block in pairwise(blocks)
        if block.kind == "heading" and item.kind == "item" and not item.quoted and item.first == block.first
    ]


def around(line: int, found: Sequence[NestedHeading]) -> NestedHeading | None:
    """The innermost of these headings that a line is nested in."""
    return next((each for each in reversed(found) if each.first < line <= each.last), None)


def loose(begin: int, end: int, lines: Sequence[str]) -> Iterator[Unit]:
    """Runs of non-blank lines between blocks, such as link definitions, or a broken front matter."""
    first = 0
    for number in range(begin, end + 1):
        if lines[number - 1].strip():
            first = first or number
        elif first:
            yield Unit(first, number - 1, "active")
            first = 0
    if first:
        yield Unit(first, end, "active")


def cut(first: int, last: int, starts: Container[int], lines: Sequence[str]) -> Iterator[Unit]:
    """The lines as one unit, or as runs of at most `UNIT_WORDS`; where it can, a run begins at one of `starts`."""
    counts = [len(line.split()) for line in lines[first - 1 : last]]
    if sum(counts) <= UNIT_WORDS:
        yield Unit(first, last, "active")
        return
    begin, words, resume, number = first, 0, 0, first
    while number <= last:
        count = counts[number - first]
        if number in starts:
            resume = number
        if words and words + count > UNIT_WORDS:
            number = resume if begin < resume else number
            yield from _trimmed(begin, number - 1, lines)
            begin, words, resume = number, 0, 0
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
    starts: set[int] = set()
    for at in range(index + 1, len(blocks)):
        if not blocks[at].depth:
            break
        if blocks[at].kind == "item":
            starts.add(blocks[at].first)
    return starts


def with_status(found: Sequence[Section], facts: Sequence[Fact], lines: Sequence[str]) -> list[Section]:
    """The sections with each unit `superseded` whose every line is one of a superseded fact."""
    old = {line for fact in facts if fact.status == "superseded" for line in range(fact.first, fact.last + 1)}
    if not old:
        return list(found)
    return [section._replace(units=tuple([_judged(unit, old, lines) for unit in section.units])) for section in found]


def _judged(unit: Unit, old: set[int], lines: Sequence[str]) -> Unit:
    numbers = range(unit.first, unit.last + 1)
    gone = all(number in old or not lines[number - 1].strip() for number in numbers)
    return unit._replace(status="superseded") if gone else unit


def anchors(reader: Inline, blocks: Sequence[Block]) -> list[Anchor]:
    """Every `^id` that ends a block; alone in a paragraph it names the block before (a table, a quote)."""
    if "^" not in reader.text:
        return []
    firsts = [block.first for block in blocks]
    found: list[Anchor] = []
    line, at = reader.first, 0
    for match in _ANCHOR.finditer(reader.text):
        line, at = line + reader.text.count("\n", at, match.start()), match.start()
        if reader.hidden(match.start(), line):
            continue
        span = _anchored(line, bisect_right(firsts, line) - 1, blocks, alone=_stands_alone(reader.text, match.start()))
        if span:
            found.append(Anchor(match[1], *span))
    return found


def _stands_alone(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip(" \t>")


def _anchored(line: int, index: int, blocks: Sequence[Block], alone: bool) -> tuple[int, int] | None:
    """The lines an anchor on `line` names, or None where text of its block follows it."""
    if index < 0 or blocks[index].kind not in {"paragraph", "heading"} or blocks[index].last != line:
        return None
    block = blocks[index]
    for before in range(index - 1, max(-1, index - 1000), -1):
        other = blocks[before]
        if other.depth < block.depth:
            return (other.first, other.last) if other.kind == "item" else (block.first, block.last)
        if alone and block.first == line and other.depth == block.depth:
            return _whole_list(before, blocks) if other.kind == "item" else (other.first, other.last)
    return block.first, block.last


def _whole_list(index: int, blocks: Sequence[Block]) -> tuple[int, int]:
    """The lines of the list whose last item is `blocks[index]`."""
    depth, first = blocks[index].depth, blocks[index].first
    for before in range(index - 1, -1, -1):
        other = blocks[before]
        if other.depth < depth or (other.depth == depth and other.kind != "item"):
            break
        first = min(first, other.first)
    return first, blocks[index].last


def generated(text: str, begin: int) -> list[int]:
    """The lines of generated blocks, `<!-- aurelius:NAME -->` to `<!-- /aurelius:NAME -->`, from line `begin` on."""
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
