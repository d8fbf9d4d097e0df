"""Merge conflicts that someone saved: `<<<<<<<`, `=======`, `>>>>>>>`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .blocks import Block
from .note import Problem


class Conflict(NamedTuple):
    """The lines of the three markers."""

    first: int
    middle: int
    last: int


def conflicts(lines: Sequence[str], start: int, blocks: Sequence[Block]) -> list[Conflict]:
    """The conflicts in `lines[start:]`, those shown in a code block excepted."""
    found: list[Conflict] = []
    first = middle = 0
    for number in range(start + 1, len(lines) + 1):
        line = lines[number - 1]
        mark = line[:7]
        if mark == "<<<<<<<" and line[7:8] in ("", " "):
            first, middle = number, 0
        elif mark == "=======" and first and line.rstrip() == mark:
            middle = number
        elif mark == ">>>>>>>" and middle and line[7:8] in ("", " "):
            found.append(Conflict(first, middle, number))
            first = middle = 0
    if not found:
        return found
    code = [(block.first, block.last) for block in blocks if block.kind == "code"]
    return [conflict for conflict in found if not any(low <= conflict.first <= high for low, high in code)]


def blanked(lines: Sequence[str], torn: Sequence[Conflict]) -> list[str]:
    """The lines with the markers empty, so that `=======` underlines no heading."""
    kept = list(lines)
    for conflict in torn:
        for number in conflict:
            kept[number - 1] = ""
    return kept


def problem(conflict: Conflict) -> Problem:
    """What to tell about a conflict."""
    message = f"a merge conflict is not resolved (lines {conflict.first}-{conflict.last}); no fact is read from it"
    return Problem(conflict.first, "conflict", message)
