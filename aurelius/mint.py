"""Ids for facts: six of [a-z0-9] that nothing in the vault has yet (design §3.1).

An id follows from the note, the words and the day, so that a dry run shows the very one that is
written afterwards, and two devices that say the same thing on one day give it the same name.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import apsw

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
LENGTH = 6


def mint(db: apsw.Connection, *seed: str, taken: Iterable[str] = ()) -> str:
    """A new id that no fact and no block of the vault has, nor any of `taken`; it holds a letter and a digit."""
    from hashlib import sha256

    barred = set(taken)
    turn = 0
    while True:
        number = int.from_bytes(sha256("\0".join((*seed, str(turn))).encode("utf-8", "surrogatepass")).digest()[:8])
        found = ""
        for _ in range(LENGTH):
            number, at = divmod(number, len(_LETTERS))
            found += _LETTERS[at]
        if found not in barred and not found.isalpha() and not found.isdigit() and not is_taken(db, found):
            return found
        turn += 1


def is_taken(db: apsw.Connection, id: str) -> bool:  # noqa: A002  the grammar's own word
    """Whether a fact or a block of the vault has this id."""
    fact = db.execute("SELECT 1 FROM fact WHERE key = ? LIMIT 1", (id,)).get
    return bool(fact or db.execute("SELECT 1 FROM note WHERE instr(blocks, ?) LIMIT 1", (f'"{id}"',)).get)
