"""Journal of appends, outside the vault: what was appended in the last minute, and whether it is still there.

An append that vanished from its note was erased by an editor that saved a buffer from before, or taken
out by a person; append.py decides.  One line of JSON an append; a torn line is passed over.  What
other_programs.py keeps and tells lies in journals of the same kind, which are read and written here too.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.settings.places import APPENDS

from .own_files import replace_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

JOURNAL, VANISHED = APPENDS, "vanished.jsonl"

ALIKE = 0.7
"""Share of words in common, the numbers among them all, that makes a line a reworded one."""

LEAST = 4
"""Bytes from which on the end of a note is no chance likeness of the end of lines that stood just there."""

_BYTES = ("data", "was")
"""The fields of an append that hold bytes."""

_DIGIT = re.compile(rb"\d")
_ID = re.compile(rb" \^[a-z0-9]+(?=\s*$)", re.MULTILINE)
_WORD = re.compile(rb"[^\W_]+|[\x80-\xff]+")


class Pending(NamedTuple):
    """An append that is still watched.

    `data` holds its lines; `times` is how often they stood in the note when they were appended, `alike`
    how many lines of the note were like the first of them; `again` says that it is not to be put back.
    `git` is where git was then; `tries` is how often it was put back, `put_back` when it was the last time,
    `stood` for how many seconds it was seen there since; `at` is where in the note the lines began.
    `was` is the line of the same id that a change put them in the place of.  `seen` is when the last note was
    saved that was seen to hold them, `taken` says that git took them away since.
    """

    path: str
    data: bytes
    time: float
    times: int
    alike: int
    again: bool
    git: str = ""
    tries: int = 0
    put_back: float = 0.0
    stood: float = 0.0
    at: int = 0
    was: bytes = b""
    seen: float = 0.0
    taken: bool = False


def vanished(state: str) -> tuple[Pending, ...]:
    """The appends that somebody took out again, oldest first, for `review`."""
    return tuple(read(state, VANISHED))


def settle(state: str) -> None:
    """Forget the appends that vanished: a person has seen them.  Under the lock."""
    rewrite(state, VANISHED, [])


def about(state: str, path: str) -> list[str]:
    """The journals that hold an append to a note."""
    return [name for name in (JOURNAL, VANISHED) if any(each.path == path for each in read(state, name))]


def forget(state: str, path: str) -> None:
    """Remove everything kept here about appends to a note.  OSError."""
    for name in about(state, path):
        rewrite(state, name, [each for each in read(state, name) if each.path != path])


def forget_own_removals(state: str, changes: Iterable[tuple[str, bytes | None, bytes | None]]) -> None:
    """Watch no longer over lines that a change of Aurelius's own took out or reworded, given as path, before, after.

    What it wrote in their place is watched from then on.
    """
    found = read(state)
    made = {path: (before, after) for path, before, after in changes} if found else {}
    left = [
        each
        for each in found
        if each.path not in made or not is_there(each, made[each.path][0] or b"") or _is_left(each, *made[each.path])
    ]
    if len(left) < len(found):
        rewrite(state, JOURNAL, left)


def _is_left(each: Pending, before: bytes | None, after: bytes | None) -> bool:
    """Whether a change of our own left the lines as they were; reworded ones that it left are there still."""
    strict = each.again or _stands(each, before or b"")
    return (_stands if strict else is_there)(each, after or b"")


def pending(path: str, block: bytes, before: bytes, now: float, git: str = "") -> Pending:
    """An append just made, to a note that held `before`, while git was at `git`."""
    lines = block.strip(b"\r\n")
    return Pending(path, block, now, _times(lines, before) + 1, _alike(lines, before), again=False, git=git)


def replaced(before: bytes, after: bytes) -> dict[bytes, bytes]:
    """The lines that a change of a note took out, by their ids."""
    kept = set(after.splitlines())
    return {own[0]: line for line in before.splitlines() if line not in kept and (own := _ID.search(line))}


def replaced_by(line: bytes, replaced: Mapping[bytes, bytes]) -> bytes:
    """The one among those lines that has the id of this line, b"" where none has."""
    own = _ID.search(line)
    return replaced.get(own[0], b"") if own else b""


def is_there(each: Pending, data: bytes, others: frozenset[bytes] = frozenset()) -> bool:
    """Whether the lines are in the note, as they were or reworded; `others` are lines known to be none of these."""
    lines = each.data.strip(b"\r\n")
    there = _times(lines, data)
    if each.was and there < each.times and each.was in data.splitlines():
        return False  # a program saved what stood there before
    if (own := _ID.search(lines)) and re.search(re.escape(own[0]) + rb"(?![\w-])", data):
        return True  # whatever is said of it now
    return there >= each.times or (there == 0 and _alike(lines, data, others) > each.alike)


def torn(each: Pending, data: bytes) -> bytes:
    """The end of the lines where it is all that is left of them, and ends the note: a program wrote over the rest."""
    if each.at < 0 or len(data) != each.at + len(each.data):
        return b""
    pairs = enumerate(zip(reversed(data[each.at :]), reversed(each.data), strict=True))
    same = next((number for number, (one, other) in pairs if one != other), 0)
    return data[len(data) - same :] if same >= LEAST else b""


def _stands(each: Pending, data: bytes) -> bool:
    """Whether the lines are in the note word for word."""
    return _times(each.data.strip(b"\r\n"), data) >= each.times


def _times(lines: bytes, data: bytes) -> int:
    """Number of times that lines stand in a note, whatever its line ends."""
    wanted, there = lines.splitlines(), data.splitlines()
    if len(wanted) == 1:
        return there.count(wanted[0])
    return sum(there[at : at + len(wanted)] == wanted for at in range(len(there)))


def _alike(lines: bytes, data: bytes, others: frozenset[bytes] = frozenset()) -> int:
    """How many lines of a note say about the same as the first of these lines, and the same numbers."""
    wanted = set(_WORD.findall(lines.split(b"\n")[0].lower()))
    if not wanted:
        return 0
    found = (set(_WORD.findall(line.lower())) for line in data.splitlines() if line not in others)
    return sum(_is_like(wanted, words) for words in found)


def _is_like(wanted: set[bytes], words: set[bytes]) -> bool:
    """Whether a line has all words and more, as one that was struck and dated, or most of them and all numbers."""
    if len(wanted) > 2 and wanted <= words:
        return True
    numbers = {word for word in wanted if _DIGIT.search(word)}
    return len(wanted & words) >= ALIKE * len(wanted | words) and numbers <= words


def remember(state: str, each: Pending, name: str = JOURNAL) -> None:
    """Watch over an append from now on."""
    add(state, name, _value(each))


def rewrite(state: str, name: str, left: list[Pending]) -> None:
    """Keep only these appends in the journal; without any it is removed."""
    replace(state, name, [_value(each) for each in left])


def _value(each: Pending) -> dict[str, Any]:
    return each._asdict() | {name: getattr(each, name).decode("utf-8", "surrogateescape") for name in _BYTES}


def read(state: str, name: str = JOURNAL) -> list[Pending]:
    """Appends in the journal, oldest first."""
    found = []
    for value in values(state, name):
        with suppress(ValueError, TypeError, AttributeError, KeyError):  # no append, or one with half its fields
            texts = {each: value[each].encode("utf-8", "surrogateescape") for each in _BYTES if each in value}
            found.append(Pending(**value | texts))
    return found


# -- any journal in the state folder: one line of JSON a value ---------------------------------------------


def add(state: str, name: str, value: Any) -> None:
    """Add a value at the end of a journal, in one write."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    handle = os.open(os.path.join(state, name), flags, 0o600)
    try:
        os.write(handle, _line(value))
    finally:
        os.close(handle)


def values(state: str, name: str) -> list[Any]:
    """Values in a journal, oldest first; a torn line is skipped, and a missing journal is an empty one."""
    try:
        with open(os.path.join(state, name), "rb") as file:
            lines = file.read().splitlines()
    except OSError:
        return []
    found = []
    for line in lines:
        with suppress(ValueError):
            found.append(json.loads(line))
    return found


def replace(state: str, name: str, left: list[Any]) -> None:
    """Keep only these values in a journal; without any it is removed."""
    path = os.path.join(state, name)
    if not left:
        with suppress(FileNotFoundError):
            os.unlink(path)
        return
    replace_file(path, b"".join(map(_line, left)))


def _line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"
