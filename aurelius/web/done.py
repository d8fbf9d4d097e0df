"""What a page says at its top of what was just done, and how that is taken back."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from aurelius import api
from aurelius.memory.known import known_matters
from aurelius.memory.review import lines
from aurelius.writing.undo import choose_change
from indexer.errors import AureliusError
from indexer.spelling import link_names

if TYPE_CHECKING:
    from aurelius.vault import Vault
    from aurelius.writing.undo import Undoable
    from aurelius.writing.undo_log import UndoEntry

_NUMBER = re.compile(r"[0-9]{1,9}")
_DECIDED = re.compile(r"(dismiss|restore)-([a-z0-9]{1,20})")
_OPENED = "open:"
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
    if told.startswith(_OPENED):
        return _of_opened(vault, told.removeprefix(_OPENED))
    if _NUMBER.fullmatch(told):
        return _of_change(vault, int(told))
    decided = _DECIDED.fullmatch(told)
    if decided is None:
        return None
    word, key = decided.groups()
    known = known_matters(api.plan_desk(vault), dismissed=word == "dismiss")
    of_key = (lines(each) for each in known.matters if each.name == key)
    about = next((f" “{link_names(told)}”" for told in of_key), "")
    if word == "dismiss":
        why = f"Dismissed{about}: it is not proposed again."
        return DoneNotice(why, "restore", "key", key, "Take it back")
    why = f"Restored{about}: it is proposed again."
    return DoneNotice(why, "dismiss", "key", key, "Dismiss it again")


def _of_opened(vault: Vault, place: str) -> DoneNotice | None:
    try:
        found = vault.read(place)
    except AureliusError:
        return None
    return DoneNotice(f"{found.path} opens in your editor.") if found.exists else None


def _of_change(vault: Vault, number: int) -> DoneNotice | None:
    try:
        entry = choose_change(api.write_place(vault), number)
    except AureliusError:
        return None
    if entry.hidden:
        return None
    return told_change(entry)


def told_change(entry: UndoEntry | Undoable) -> DoneNotice:
    """A change in words, with the form that takes it back."""
    number = str(entry.number)
    words = link_names(entry.why)
    if entry.undoes:
        undone = _UNDO.sub("", words)
        return DoneNotice(f"Undone: {undone}.", "undo", "number", number, "Do it again")
    why = f"{words[:1].upper()}{words[1:]}."
    return DoneNotice(why, "undo", "number", number, "Undo")
