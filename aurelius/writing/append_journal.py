"""Journal outside the vault of the lines written in the last minute, and of those that are gone
from their notes.

Nobody can tell for sure whether an editor saved a buffer from before over a line, or a person took
it out. So nothing is written again by itself: here is only judged whether a line still stands, or
another that says about the same. One line of JSON for each; a torn line is passed over. What
other_programs.py keeps and tells lies in journals of the same kind, which are read and written here
too.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.settings.places import APPENDS
from indexer.disk.beneath import _OPEN_FLAGS
from indexer.spelling import LETTERS_AND_DIGITS

from .own_files import replace_file

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

JOURNAL = APPENDS
VANISHED = "vanished.jsonl"
"""File of the lines that are gone from their notes; each waits here for a person's word."""

_LEAST_SAME_LETTERS = 0.85
"""Share of letters in common, the numbers among them all, that makes a line a reworded one."""

_MOST_LINES_FROM_END = 400
"""Lines at the end of a note among which a reworded line is looked for."""

_BYTES = ("data", "was", "behind")
"""The fields of a written line that hold bytes."""

_DIGIT = re.compile(r"\d")
_ID = re.compile(rb" \^[a-z0-9]+(?=\s*$)")


class Pending(NamedTuple):
    """Lines that Aurelius wrote together: still watched, or gone.

    `data` holds the lines, `time` is when they were written; `times` is how often the first of them
    stood in the note then, `alike` how many of its other lines were like that. `was` is the line of
    the same id whose place they took, `behind` the line after which a change put them, b"" for the
    end of the note.
    """

    path: str
    data: bytes
    time: float
    times: int
    alike: int
    was: bytes = b""
    behind: bytes = b""

    @property
    def first(self) -> bytes:
        """The first line, which stands for all of them."""
        return self.data.strip(b"\r\n").partition(b"\n")[0].rstrip(b"\r")

    @property
    def text(self) -> str:
        """The first line as a person reads it, without its bullet and id."""
        return _ID.sub(b"", self.first).decode("utf-8", "replace").strip().removeprefix("- ")


def id_of(line: bytes) -> bytes:
    """The id at the end of a line, b"" for none."""
    found = _ID.search(line)
    return found[0] if found else b""


@lru_cache(8 * _MOST_LINES_FROM_END)
def words_without_id(line: bytes) -> list[str]:
    """The words of a line in small letters, without its id."""
    return LETTERS_AND_DIGITS.findall(_ID.sub(b"", line).decode("utf-8", "replace").casefold())


def journals_about(state: str, path: str) -> list[str]:
    """The journals that hold a line written to a note."""
    return [name for name in (JOURNAL, VANISHED) if path in _paths(state, name)]


def _paths(state: str, name: str) -> set[str]:
    return {each.path for each in read_journal(state, name)}


def forget_journals(state: str, path: str) -> None:
    """Remove everything kept here about lines written to a note.  OSError."""
    for name in journals_about(state, path):
        rewrite_lines(
            state,
            name,
            [each for each in read_journal(state, name) if each.path != path],
        )


def forget_own_removals(
    state: str, changes: Iterable[tuple[str, bytes | None, bytes | None]]
) -> None:
    """Watch no longer over lines that a change of Aurelius's own took out or reworded, given as
    path, before, after.

    What it wrote in their place is watched from then on.
    """
    found = read_journal(state)
    if not found:
        return
    made = {path: (before or b"", after or b"") for path, before, after in changes}
    left = [each for each in found if each.path not in made or _is_left(each, *made[each.path])]
    if len(left) < len(found):
        rewrite_lines(state, JOURNAL, left)


def _is_left(each: Pending, before: bytes, after: bytes) -> bool:
    """Whether a change of our own left the lines as they were; reworded ones that it left are there
    still."""
    if stands(each, before):
        return stands(each, after)
    return not holds_lines(each, before) or holds_lines(each, after)


def pending_lines(
    path: str,
    block: bytes,
    before: bytes,
    now: float,
) -> Pending:
    """Lines just written to a note that was `before`."""
    made = Pending(path, block, now, 0, 0)
    note = before.splitlines()
    return made._replace(
        times=note.count(made.first) + 1,
        alike=_count_alike(
            made,
            note,
            {},
        ),
    )


def missing_lines(group: Sequence[Pending], data: bytes) -> list[Pending]:
    """Those of the lines written to one note that it does not hold any more, neither as they were
    nor reworded.

    A line written later than another is no rewording of that.
    """
    newest: dict[bytes, float] = {}
    for each in sorted(group, key=lambda one: one.time):
        newest[each.first] = each.time
    return [each for each in group if not holds_lines(each, data, newest)]


def stands(each: Pending, data: bytes) -> bool:
    """Whether lines are in a note word for word."""
    return data.splitlines().count(each.first) >= each.times


def holds_lines(
    each: Pending,
    data: bytes,
    newest: Mapping[bytes, float] | None = None,
) -> bool:
    """Whether lines are in a note, as they were or reworded; `newest` tells when other lines of it
    were written."""
    note = data.splitlines()
    if each.first in note or (each.was and each.was in note):
        return stands(each, data)  # a program saved what stood there before
    own = id_of(each.first)
    if own and own in map(id_of, note):
        return True  # whatever is said of it now
    return _count_alike(each, note, newest or {}) > each.alike


def _count_alike(
    each: Pending,
    note: Sequence[bytes],
    newest: Mapping[bytes, float],
) -> int:
    """How many lines of a note say about the same as the first of these lines, those left out that
    came later."""
    wanted = words_without_id(each.first)
    older = (line for line in note[-_MOST_LINES_FROM_END:] if newest.get(line, 0.0) <= each.time)
    return sum(is_like(wanted, words_without_id(line)) for line in older)


def is_like(wanted: list[str], words: list[str]) -> bool:
    """Whether a line, by its words, is the wanted one reworded: it has all its numbers, and one
    begins as the other does, by the words or nearly by the letters."""
    from difflib import SequenceMatcher

    if not wanted or not {word for word in wanted if _DIGIT.search(word)} <= set(words):
        return False
    size = min(len(wanted), len(words))
    if words[:size] == wanted[:size] and size * 2 >= len(wanted):
        return True
    line = " ".join(wanted)
    begins = " ".join(words[: len(wanted) + 1])
    if begins[:1] != line[:1]:  # what is left of a line that was written over
        return False
    return SequenceMatcher(None, line, begins).ratio() >= _LEAST_SAME_LETTERS


def remember_lines(state: str, each: Pending) -> None:
    """Watch over lines from now on."""
    add_to_journal(state, JOURNAL, _value(each))


def rewrite_lines(
    state: str,
    name: str,
    left: list[Pending],
) -> None:
    """Keep only these lines in a journal; without any it is removed."""
    rewrite_values(state, name, [_value(each) for each in left])


def _value(each: Pending) -> dict[str, Any]:
    value = each._asdict()
    for name in _BYTES:
        value[name] = value[name].decode("utf-8", "surrogateescape")
    return value


def read_journal(state: str, name: str = JOURNAL) -> list[Pending]:
    """Lines in a journal, oldest first."""
    found = []
    for value in values(state, name):
        # another version's, or half of one
        with suppress(ValueError, TypeError, AttributeError, KeyError):
            value.pop("taken", None)  # which an older version kept
            for each in _BYTES:
                if each in value:
                    value[each] = value[each].encode("utf-8", "surrogateescape")
            found.append(Pending(**value))
    return found


# -- any journal in the state folder: one line of JSON a value -------------------------


def add_to_journal(state: str, name: str, value: Any) -> None:
    """Add a value at the end of a journal, in one write."""
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | _OPEN_FLAGS
    handle = os.open(os.path.join(state, name), flags, 0o600)
    try:
        os.write(handle, _line(value))
    finally:
        os.close(handle)


def values(state: str, name: str) -> list[Any]:
    """Values in a journal, oldest first; a torn line is skipped, and a missing journal is an empty
    one."""
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


def rewrite_values(
    state: str,
    name: str,
    left: list[Any],
) -> None:
    """Keep only these values in a journal; without any it is removed."""
    path = os.path.join(state, name)
    if not left:
        with suppress(FileNotFoundError):
            os.unlink(path)
        return
    replace_file(path, b"".join(map(_line, left)))


def _line(value: Any) -> bytes:
    return json.dumps(value).encode() + b"\n"
