"""The phrases of tests/ageing: read, and split by a hash into a tuned and a reported half.

Rules are tuned on the one half and every figure is told of the other.  A fourth of the topics is in the reported
half with every phrase it has, so that figures show as well what happens to matters nobody thought of.
"""

from __future__ import annotations

import functools
import hashlib
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "ageing"
PAIRS = ("repeat", "differ", "against", "replace")


class Topic(NamedTuple):
    """A matter that can change: what it is about, its values, and how people write of it."""

    name: str
    of: str
    type: str
    many: bool
    values: tuple[str, ...]
    state: tuple[str, ...]
    change: tuple[str, ...]
    alike: tuple[str, ...]
    ask: tuple[str, ...]

    @property
    def unseen(self) -> bool:
        """Whether no phrase of it is in the tuned half."""
        return number(self.name) % 4 == 0

    def of_half(self, phrases: Iterable[str], half: str) -> list[str]:
        """Those of the phrases that are in the half, `tuned` or `reported`."""
        return [each for each in phrases if ("reported" if self.unseen else half_of(each)) == half]


def number(text: str) -> int:
    """A number that the text alone decides."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big")


def half_of(text: str) -> str:
    """`tuned` or `reported`."""
    return "reported" if number(text) % 2 else "tuned"


@functools.cache
def topics() -> tuple[Topic, ...]:
    """Every topic, in the order of their files."""
    found = []
    for path in sorted(FOLDER.glob("*.toml")):
        read = tomllib.loads(path.read_text("utf-8"))
        for one in read.get("topic", ()):
            lists = (tuple(one[part]) for part in ("state", "change", "alike", "ask"))
            values = tuple(read["values"][one["value"]])
            found.append(Topic(one["name"], one["of"], one.get("type", "fact"), one.get("many", False), values, *lists))
    return tuple(found)


def pairs(half: str) -> Iterator[tuple[str, str, str]]:
    """(label, first line, second line) of every pair in the half."""
    read = tomllib.loads((FOLDER / "pairs.toml").read_text("utf-8"))
    for label in PAIRS:
        for one, other in read[label]:
            if half_of(one + other) == half:
                yield label, one, other
