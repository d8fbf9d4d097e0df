"""The statements in a text that another program remembers, each on one line."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from .shapes import as_line

if TYPE_CHECKING:
    from collections.abc import Iterator

_ITEM = re.compile(r"[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?(?=\S)")
_HEADING = re.compile(r"[ \t]*(?:#{1,6}[ \t].*|\*\*[^*]+\*\*:?|[-=_*]{3,})[ \t]*")
_SENTENCE_END = re.compile(r"(?<=[a-z0-9)\]\"'][.!?])\s+(?=[A-Z])")


def listed_statements(text: str) -> Iterator[str]:
    """The items of its lists."""
    for line in text.split("\n"):
        if found := _ITEM.match(line):
            yield as_line(line[found.end() :])


def statements(text: str) -> Iterator[str]:
    """The items of its lists, and the sentences of what is neither list nor heading."""
    for line in text.split("\n"):
        if found := _ITEM.match(line):
            yield as_line(line[found.end() :])
        elif line.strip() and not _HEADING.fullmatch(line):
            yield from map(as_line, _SENTENCE_END.split(line))
