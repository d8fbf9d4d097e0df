"""What a page says at its top of what was just done, and how that is taken back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from aurelius import api
from aurelius.writing.undo import choose_change
from indexer.errors import AureliusError

if TYPE_CHECKING:
    from aurelius.vault import Vault

_NUMBER = re.compile(r"[0-9]{1,9}")
_DECIDED = re.compile(r"(dismiss|restore)-([a-z0-9]{1,20})")
_OPENED = "opened"
_UNDO = re.compile(r"^undo [0-9]+: ")


class DoneNotice(NamedTuple):
    """What was done, and the form that takes it back: its action, the one field that it has, with
    its value, and what its button says; no form where there is no action."""

    why: str
    action: str = ""
    field: str = ""
    value: str = ""
    button: str = ""


def what_was_done(vault: Vault, told: str) -> DoneNotice | None:
    """What the address of a page says was done: the number of a change, or a word; None where there
    is nothing of it that can be told, as of a change in a private note."""
    if told == _OPENED:
        return DoneNotice("It opens in your editor.")
    if _NUMBER.fullmatch(told):
        return _of_change(vault, int(told))
    decided = _DECIDED.fullmatch(told)
    if decided is None:
        return None
    if decided[1] == "dismiss":
        why = "Dismissed: it is not proposed again."
        return DoneNotice(why, "restore", "key", decided[2], "Take it back")
    why = "Restored: it is proposed again."
    return DoneNotice(why, "dismiss", "key", decided[2], "Dismiss it again")


def _of_change(vault: Vault, number: int) -> DoneNotice | None:
    try:
        entry = choose_change(api.write_place(vault), number)
    except AureliusError:
        return None
    if entry.hidden:
        return None
    if entry.undoes:
        undone = _UNDO.sub("", entry.why)
        return DoneNotice(f"Undone: {undone}.", "undo", "number", str(number), "Do it again")
    return DoneNotice(f"Done: {entry.why}.", "undo", "number", str(number), "Undo")
