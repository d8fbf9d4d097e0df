"""What edits would change, as a unified diff: what `--dry-run` shows."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .edit import Edit

NO_END = "\\ No newline at end of file\n"


def diff(edits: Iterable[Edit]) -> str:
    """The edits as git writes them, `a/` before and `b/` after; what is no UTF-8 has its bytes replaced."""
    return "".join(_diff(edit) for edit in edits if edit.before != edit.after)


def _diff(edit: Edit) -> str:
    import difflib

    old = os.devnull.replace("\\", "/") if edit.before is None else f"a/{edit.source or edit.path}"
    new = os.devnull.replace("\\", "/") if edit.after is None else f"b/{edit.path}"
    lines = difflib.unified_diff(_lines(edit.before), _lines(edit.after), old, new)
    return "".join(line if line.endswith("\n") else f"{line}\n{NO_END}" for line in lines)


def _lines(data: bytes | None) -> list[str]:
    """Lines with their ends; a carriage return stays in its line, where a change of line ends shows."""
    return [line + "\n" for line in text[:-1].split("\n")] if (text := _text(data)).endswith("\n") else _open(text)


def _open(text: str) -> list[str]:
    *whole, last = text.split("\n")
    return [line + "\n" for line in whole] + ([last] if last else [])


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")
