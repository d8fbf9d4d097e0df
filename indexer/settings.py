"""Settings of an index: its vault, its folder, its model, what it leaves out."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

MODEL_NAME, MODEL_SHA = "potion-base-8M", "95f95d571948557b"
"""The shipped weights: their name, and the start of the SHA-256 of table, scales and vocabulary."""

Progress = Callable[[int, int], None]
"""Told how many notes are done, of how many."""


class Settings(NamedTuple):
    """What an index is made from and where it lies; `folder` "" keeps it in memory, `model` None is the shipped one,
    `uses` the file of uses that wait on this device to be moved to the vault's log."""

    root: str
    folder: str
    exclude: tuple[str, ...] = ()
    daily_folder: str = "memory"
    model: str | None = None
    vectors: bool = True
    uses: str = ""
