"""The pieces of a word-piece vocabulary, looked up where they lie.

A dict of 29,528 pieces takes longer to build than a whole cold search may take, so a hash table is
shipped beside `vocab.txt` and probed in place.  Whoever looks up many gets the dict after all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

if TYPE_CHECKING:
    from collections.abc import Callable
    from mmap import mmap

SLOTS = 1 << 16
"""Slots of the hash table, each the number of a piece or `EMPTY`."""
EMPTY = 0xFFFF
PATIENCE = 12_000
"""Probes that cost about as much as building the dict."""


class Vocabulary:
    """Piece → its number.  `text` is `vocab.txt`, one piece a line; `lookup` is `pack(text)`."""

    def __init__(self, text: bytes | mmap, lookup: bytes | mmap) -> None:
        self._text = text
        self._slots = memoryview(lookup)[: 2 * SLOTS].cast("H")
        self.longest, *_ = memoryview(lookup)[2 * SLOTS : 2 * SLOTS + 4].cast("I")
        self._starts = memoryview(lookup)[2 * SLOTS + 4 :].cast("I")
        self._probes = 0
        self._numbers: dict[str, int] | None = None

    @property
    def find(self) -> Callable[[str], int | None]:
        """What tells the number of a piece, or None; not kept, so that the files are let go of with the last user."""
        return self._probe if self._numbers is None else self._numbers.get

    def pieces(self) -> list[str]:
        """All pieces in the order of their numbers."""
        return bytes(self._text).decode().split("\n")

    def _probe(self, piece: str) -> int | None:
        self._probes += 1
        if self._probes == PATIENCE:
            self._numbers = {word: number for number, word in enumerate(self.pieces())}
            return self._numbers.get(piece)
        key = piece.encode()
        slot = crc32(key) % SLOTS
        while (number := self._slots[slot]) != EMPTY:
            if self._text[self._starts[number] : self._starts[number + 1] - 1] == key:
                return number
            slot = (slot + 1) % SLOTS
        return None


def pack(text: bytes) -> bytes:
    """The lookup table of a vocabulary text, little-endian as the weights are.

    The slots as uint16: a piece's is its CRC-32 modulo `SLOTS`, or the next free one.  Then as uint32
    the characters of the longest piece, and the byte each line starts at.
    """
    pieces = text.split(b"\n")
    slots, starts = [EMPTY] * SLOTS, [0]
    for number, piece in enumerate(pieces):
        slot = crc32(piece) % SLOTS
        while slots[slot] != EMPTY:
            slot = (slot + 1) % SLOTS
        slots[slot] = number
        starts.append(starts[-1] + len(piece) + 1)
    longest = max(len(piece.decode()) for piece in pieces)
    return b"".join([n.to_bytes(2, "little") for n in slots] + [n.to_bytes(4, "little") for n in (longest, *starts)])
