"""The head of a Markdown file of another program, and the text below it."""

from __future__ import annotations

import datetime
from typing import Any, NamedTuple

from indexer.reading.front_matter import read_front_matter


class FrontParts(NamedTuple):
    """The properties of a file, the text below them, and whether its head could be read."""

    properties: dict[str, Any]
    text: str
    is_read: bool


def front_parts(text: str) -> FrontParts:
    """The head and the rest of a text; moments are texts."""
    lines = text.split("\n")
    front = read_front_matter(lines)
    told = {
        key: value.isoformat() if isinstance(value, datetime.date) else value
        for key, value in front.values.items()
    }
    return FrontParts(told, "\n".join(lines[front.lines :]), not front.broken)
