"""A note's bytes while they are changed: read once, and as lines with the ends they have.

A change of one line is a change of that line alone.
Line numbers begin at 1 and are those of a parsed note.  A byte order mark and mixed line ends stay
as they are, and so does a missing final newline where the last line stays.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from indexer.errors import UsageError
from indexer.reading.decode import TEXT_LIMIT

if TYPE_CHECKING:
    from indexer.note import Note

_BOM = b"\xef\xbb\xbf"
_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n)|([^\r\n]+)\Z")


MOST = 64
"""Versions of notes that are remembered; a change of more notes reads the oldest again."""


class NoteReader:
    """Parses notes for one change, each version of their bytes once."""

    def __init__(self, daily_folder: str = "memory") -> None:
        self.daily_folder = daily_folder
        self._read: dict[tuple[str, bytes], Note] = {}

    def __call__(self, path: str, data: bytes) -> Note:
        """The note that these bytes are at that path."""
        found = self._read.get((path, data))
        if found is None:
            from indexer.reading.parse import parse

            if len(self._read) >= MOST:
                del self._read[next(iter(self._read))]
            found = self._read[path, data] = parse(path, data, daily_folder=self.daily_folder)
        return found


class NoteLines:
    """A note that is being changed: `texts` and `ends` go together, `eol` is how most of its lines end."""

    def __init__(self, path: str, data: bytes) -> None:
        """UsageError for bytes that are no UTF-8 text, or too many to be read as one note."""
        self._mark = _BOM if data.startswith(_BOM) else b""
        body = data[len(self._mark) :]
        if len(body) > TEXT_LIMIT:
            raise UsageError(
                f"{path}: not written: the note is larger than 2 MiB, and only that much of it is read",
                "split it into several notes",
            )
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(f"{path}: not written: the note is not UTF-8 text", "save it as UTF-8") from error
        found = [(match[1] or match[3] or "", match[2] or "") for match in _LINE.finditer(text)]
        self.texts = [line for line, _ in found]
        self.ends = [end for _, end in found]
        kinds = [end for end in self.ends if end]
        self.eol = max(("\n", "\r\n", "\r"), key=kinds.count)
        self._open = bool(self.ends) and not self.ends[-1]  # the last line had no end

    def data(self) -> bytes:
        """The bytes of the lines as they are now."""
        return self._mark + "".join([text + end for text, end in zip(self.texts, self.ends, strict=True)]).encode()

    def say(self, number: int, text: str) -> None:
        """Change the words of a line, not how it ends."""
        self.texts[number - 1] = text

    def insert(self, after: int, texts: Sequence[str]) -> None:
        """Put lines behind line `after`, 0 for the top; they end as the line before them does.

        The last line of a note ends too where it is one of them: what is appended next is then a line of its own.
        """
        if not texts:
            return
        eol = (self.ends[after - 1] if after else "") or self.eol
        ends = [eol] * len(texts)
        if after == len(self.ends) and self._open:
            self.ends[-1] = eol
            self._open = False
        self.texts[after:after] = texts
        self.ends[after:after] = ends

    def move(self, number: int, after: int, before: Sequence[str], behind: Sequence[str]) -> None:
        """Put a line behind line `after`, with lines before and behind it there."""
        texts = [*before, self.texts[number - 1], *behind]
        self.insert(after, texts)
        gone = number + (len(texts) if after < number else 0)
        self.remove(gone, gone)

    def remove(self, first: int, last: int) -> None:
        """Take lines away; of the empty lines around them no more stay than there were on one side."""
        texts = self.texts
        below = last == len(texts) or not texts[last].strip()
        if below and first > 1 and not texts[first - 2].strip():
            first -= 1
        del self.texts[first - 1 : last]
        del self.ends[first - 1 : last]
        if self._open and self.ends:
            self.ends[-1] = ""
