"""A program that saves a note in steps, one at each call by which a change touches the disk: no clock decides who is
first, the dice do, and they fall the same way each time."""

from __future__ import annotations

import functools
import os
import random
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from unittest import mock

from aurelius.writing.safe_folder import Folder

CALLS = (
    "look",
    "open",
    "content",
    "exchange",
    "move",
    "replace",
    "remove",
    "link",
    "send",
    "flush",
)
"""What a change does with files; before each of them the program may do a step of its own."""
EAGER = (0.03, 0.1, 0.3)
"""How likely it is that the program does a step before a call: another likelihood each time it is at work."""
SWAPS = ("exchange", "replace", "move")
"""The calls between what was compared and what takes its place."""
LINE = b"- %s is on the list (2026-01-03)\n"


class Stepped:
    """One program that saves a note over and over; `saves` are the words of the saves that it was told are done.

    `keen` is how likely it is at least that it does a step in the moment of a swap.
    """

    def __init__(self, path: Path, luck: random.Random, keen: float = 0.0) -> None:
        self.path = path
        self.way = ""
        self.saves: list[str] = []
        self._luck = luck
        self._keen = keen
        self._eager = 0.0
        self._going = self._save()
        self._is_busy = False
        self._waits = False
        self._stops = False

    @contextmanager
    def at_work(self, way: str) -> Iterator[None]:
        """Take steps whenever a change touches the disk, or waits; then finish the save that was begun."""
        self.way, self._eager = way, self._luck.choice(EAGER)
        with ExitStack() as patched:
            for name in CALLS:
                patched.enter_context(
                    mock.patch.object(Folder, name, self._stepping(getattr(Folder, name)))
                )
            patched.enter_context(mock.patch.object(time, "sleep", self._rest))
            yield
        self._stops = True
        for _ in self._going:
            pass
        self._stops, self._going = False, self._save()

    def _stepping(self, real: Callable[..., Any]) -> Callable[..., Any]:
        is_swap = real.__name__ in SWAPS

        @functools.wraps(real)
        def call(*args: Any, **named: Any) -> Any:
            if self._waits or self._luck.random() < max(self._eager, self._keen * is_swap):
                self._step()
            return real(*args, **named)

        return call

    def _rest(self, _: float) -> None:
        """What waiting is here: the program goes on, and no time goes by."""
        self._step()

    def _step(self) -> None:
        if not self._is_busy:
            self._is_busy = True
            next(self._going)
            self._is_busy = False

    def _save(self) -> Iterator[None]:
        """Save again and again, a step at a time."""
        while True:
            word = f"theirs{len(self.saves) + 1}"
            try:
                yield from self._once(LINE % word.encode())
                self.saves.append(word)
            except FileNotFoundError:
                pass
            if self._stops:
                return
            for _ in range(self._luck.randrange(1, 6)):
                yield

    def _once(self, line: bytes) -> Iterator[None]:
        if self.way.startswith("append"):
            handle = yield from self._open(os.O_WRONLY | os.O_APPEND)
            if not self.way.endswith("once"):
                yield from self._think()
            os.write(handle, line)
            os.close(handle)
        elif self.way in {"truncate", "overwrite"}:
            handle = yield from self._open(os.O_RDWR)
            old = os.read(handle, 1 << 24)
            if self.way == "truncate":
                os.ftruncate(handle, 0)
            yield from self._think()
            os.lseek(handle, 0, 0)
            os.write(handle, old + line)
            yield
            os.close(handle)
        else:
            old = self.path.read_bytes()
            yield from self._think()
            spare = self.path.with_suffix(".md~")
            if self.way == "rename":
                spare.write_bytes(old + line)
                yield
                spare.rename(self.path)
            else:
                handle = yield from self._open(os.O_WRONLY | os.O_TRUNC)
                yield
                os.write(handle, old + line)
                os.close(handle)

    def _think(self) -> Iterator[None]:
        for _ in range(self._luck.randrange(6)):
            yield

    def _open(self, flags: int) -> Generator[None, None, int]:
        """Open the note; while it is leased that has to wait, and is the first to go on."""
        if not hasattr(os, "O_PATH"):
            return os.open(self.path, flags)
        found = os.open(
            self.path, os.O_PATH
        )  # who waits has found the file, whatever its name is later on
        try:
            while True:
                try:
                    return os.open(f"/proc/self/fd/{found}", flags | os.O_NONBLOCK)
                except BlockingIOError:
                    self._waits = True
                    yield
                    self._waits = False
        finally:
            os.close(found)
