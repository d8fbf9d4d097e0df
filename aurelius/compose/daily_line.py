"""The line that `note` adds to today's note."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from indexer.errors import UsageError
from indexer.reading.decode import TEXT_LIMIT

if TYPE_CHECKING:
    import datetime

    from .note_lines import NoteReader

_BULLET = re.compile(r"[-*+][ \t]+(?=\S)")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
LEFT_OUT = "characters that are not text (control characters, invalid UTF-8) were left out"


class Line(NamedTuple):
    """What is to be appended: an `opening` for a note that is new, the `data`, and what a person should know."""

    opening: bytes
    data: bytes
    notice: str = ""


def line(
    text: str, path: str, before: bytes | None, moment: datetime.datetime, read: NoteReader, first: str | None = None
) -> Line:
    """A text as one list item at the end of a daily note that holds `before`; UsageError for none, or too much.

    It stands under a heading of its own, the time, where the last one would make it a proposal or no
    fact at all.  A new note begins with `first`, unless given with its date as a heading.
    """
    check_size(text)
    item = as_item(text)
    left_out = LEFT_OUT if _CONTROL.search(text.replace("\r", "\n")) else ""
    data, opening = item.encode(), b""
    if not (before or b"").removeprefix(b"\xef\xbb\xbf"):
        before = opening = (f"# {moment:%Y-%m-%d}\n\n" if first is None else first).encode()
        if not first:
            return Line(opening, data, left_out)
    assert before is not None  # there is text in it
    if len(before) + len(data) > TEXT_LIMIT:
        why = f"larger than {TEXT_LIMIT >> 20} MiB, so no search will find this line; split the note"
        return Line(opening, data, "; ".join(filter(None, (f"{path}: {why}", left_out))))
    if _is_fact(path, before, data, read):
        return Line(opening, data, left_out)
    headed = f"\n## {moment:%H:%M}\n\n".encode() + data
    if _is_fact(path, before, headed, read):
        return Line(opening, headed, left_out)
    why = "added, but not read as a fact; maybe a code block or comment above it is not closed"
    return Line(opening, data, "; ".join(filter(None, (f"{path}: {why}", left_out))))


def check_size(text: str) -> None:
    """UsageError for more text than is read of one note."""
    if len(text) > TEXT_LIMIT or len(text.encode("utf-8", "surrogatepass")) > TEXT_LIMIT:
        limit = f"{TEXT_LIMIT >> 20} MiB"
        raise UsageError(
            f"not written: the text is larger than {limit}",
            f"only the first {limit} of a note are read; split the text",
        )


def as_item(text: str) -> str:
    """A text as a list item, every line of it inside; UsageError for no text."""
    clean = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip()
    clean = _BULLET.sub("", clean, count=1)
    lines = [line.rstrip() for line in clean.split("\n")]
    if not clean:
        raise UsageError("the text of the note is missing", "for example: aurelius note Met Joe at the fair")
    return "- " + "\n".join([lines[0], *(f"  {line}" if line else "" for line in lines[1:])]) + "\n"


def _is_fact(path: str, before: bytes, data: bytes, read: NoteReader) -> bool:
    """Whether what is appended would be read as one more fact that holds, or as a task."""
    end = b"" if before.endswith((b"\n", b"\r")) else b"\n"
    old, new = (read(path, each) for each in (before, before + end + data))
    active = [sum(fact.status == "active" for fact in note.facts) for note in (old, new)]
    return active[1] > active[0] or len(new.tasks) > len(old.tasks)
