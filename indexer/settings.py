"""What an index is made from."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

Progress = Callable[[int, int], None]
"""Told how many notes are done, of how many."""


class Settings(NamedTuple):
    """What an index is made from and where it lies; `folder` "" keeps it in memory, `model` None is the shipped one."""

    root: str
    folder: str
    exclude: tuple[str, ...] = ()
    daily_folder: str = "memory"
    model: str | None = None
    vectors: bool = True
