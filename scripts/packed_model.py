"""Tables beside the weights of the shipped model: how its words are looked up, and which of them
are near each other.

Little-endian, as the weights are.  `Vocabulary` and `Neighbours` of indexer/tokens read them.
"""

from __future__ import annotations

from zlib import crc32

from indexer.tokens.maxsim import STEPS, Cosines, nearest_tokens
from indexer.tokens.terms import EMPTY_SLOT, SLOTS


def pack_vocabulary(text: bytes) -> bytes:
    """The lookup table of a vocabulary text, in the form that `Vocabulary` tells."""
    pieces = text.split(b"\n")
    slots, starts = [EMPTY_SLOT] * SLOTS, [0]
    for number, piece in enumerate(pieces):
        slot = crc32(piece) % SLOTS
        while slots[slot] != EMPTY_SLOT:
            slot = (slot + 1) % SLOTS
        slots[slot] = number
        starts.append(starts[-1] + len(piece) + 1)
    longest = max(len(piece.decode()) for piece in pieces)
    return b"".join(
        [n.to_bytes(2, "little") for n in slots]
        + [n.to_bytes(4, "little") for n in (longest, *starts)]
    )


def pack_neighbours(table: bytes, dim: int) -> bytes:
    """The neighbours' table of int8 token vectors, int8[tokens, dim], little-endian; at most 65,536
    tokens."""
    import numpy as np

    cosines = Cosines(table, dim)
    counts, tokens, steps = [0], [], []
    for token in range(len(cosines.rows)):
        row = cosines.of(token)
        found = nearest_tokens(row, token)
        counts.append(len(found))
        tokens.append(found.astype("<u2"))
        steps.append(np.rint(row[found].clip(0, 1) * STEPS).astype(np.uint8))
    starts = np.cumsum(counts, dtype="<u4")
    return starts.tobytes() + np.concatenate(tokens).tobytes() + np.concatenate(steps).tobytes()
