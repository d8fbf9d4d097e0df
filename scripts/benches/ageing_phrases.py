"""Our own phrases of what changes about people and projects: only for vaults whose figures do not
hang on the words."""

from __future__ import annotations

import functools
import tomllib
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "ageing"


class Topic(NamedTuple):
    """A matter that can change: what it is about, its values, and how it is written."""

    name: str
    of: str
    type: str
    many: bool
    values: tuple[str, ...]
    state: tuple[str, ...]
    change: tuple[str, ...]
    alike: tuple[str, ...]


@functools.cache
def topics() -> tuple[Topic, ...]:
    """Every topic, in the order of their files."""
    found = []
    for path in sorted(FOLDER.glob("*.toml")):
        read = tomllib.loads(path.read_text("utf-8"))
        for one in read.get("topic", ()):
            lists = (tuple(one[part]) for part in ("state", "change", "alike"))
            values = tuple(read["values"][one["value"]])
            found.append(
                Topic(
                    one["name"],
                    one["of"],
                    one.get("type", "fact"),
                    one.get("many", False),
                    values,
                    *lists,
                )
            )
    return tuple(found)


def filled(phrase: str, value: str, before: str, name: str) -> str:
    """A phrase with its values."""
    return phrase.replace("{b}", value).replace("{a}", before).replace("{n}", name)
