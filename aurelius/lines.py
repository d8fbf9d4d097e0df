"""The lines of a note's bytes, each with the end it has, so that a change of one line is a change of that line alone.

Line numbers begin at 1 and are those of a parsed note.  A byte order mark, mixed line ends and a
missing final newline stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from indexer.decode import TEXT_LIMIT
from indexer.errors import UsageError

_BOM = b"\xef\xbb\xbf"
_LINE = re.compile(r"([^\r\n]*)(\r\n|\r|\n)|([^\r\n]+)\Z")


class Lines:
    """A note that is being changed: `texts` and `ends` go together, `eol` is how most of its lines end."""

    def __init__(self, path: str, data: bytes) -> None:
        """UsageError for bytes that are no UTF-8 text, or too many to be read as one note."""
        self._mark = _BOM if data.startswith(_BOM) else b""
        body = data[len(self._mark) :]
        if len(body) > TEXT_LIMIT:
            raise UsageError(f"{path} is not changed: only its first 2 MiB are read", "split it into several notes")
        try:
            text = body.decode("utf-8")
        except UnicodeDecodeError as error:
            raise UsageError(f"{path} is not changed: it is no UTF-8 text", "save the note as UTF-8") from error
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
        """Put lines behind line `after`, 0 for the top; they end as the line before them does."""
        if not texts:
            return
        eol = (self.ends[after - 1] if after else "") or self.eol
        ends = [eol] * len(texts)
        if after == len(self.ends) and self._open:
            self.ends[-1] = eol
            ends[-1] = ""
        self.texts[after:after] = texts
        self.ends[after:after] = ends

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
