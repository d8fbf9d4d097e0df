"""The head of a Markdown file of another program, and the text below it."""

from __future__ import annotations

import re
from typing import Any, ClassVar, NamedTuple

import yaml

_HEAD = re.compile(r"\A---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_MOST_HEAD = 64 << 10


class FrontParts(NamedTuple):
    """The properties of a file, the text below them, and whether its head could be read."""

    properties: dict[str, Any]
    text: str
    is_read: bool = True


def front_parts(text: str) -> FrontParts:
    """The head and the rest of a text; a head that is no YAML has no properties."""
    found = _HEAD.match(text)
    if not found:
        return FrontParts({}, text)
    rest = text[found.end() :]
    head = found[1] or ""
    told = None
    if len(head) <= _MOST_HEAD:
        try:
            told = _Texts(head).get_single_data()
        except (yaml.YAMLError, ValueError, RecursionError):
            told = None
    if not isinstance(told, dict):
        return FrontParts({}, rest, not head.strip())
    return FrontParts({str(key): value for key, value in told.items()}, rest)


class _Texts(yaml.SafeLoader):
    """Reads each plain value as the text that stands there."""

    yaml_implicit_resolvers: ClassVar[dict[str, Any]] = {}
