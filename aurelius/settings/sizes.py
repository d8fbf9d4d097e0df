"""Sizes as people write them, "100MB", in bytes."""

from __future__ import annotations

import re

UNITS = {
    "B": 1,
    "KB": 1_000,
    "MB": 1_000_000,
    "GB": 1_000_000_000,
}
_SIZE = re.compile(
    r"\s*([0-9]{1,15})\s*([KMG]?B)\s*",
    re.ASCII | re.IGNORECASE,
)


def size_of(text: str) -> int:
    """The bytes that a size like "100MB" means, a thousand to the step; 0 where it means none."""
    found = _SIZE.fullmatch(text)
    if found is None:
        return 0
    number = int(found[1])
    unit = found[2].upper()
    return number * UNITS[unit]
