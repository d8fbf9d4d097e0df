"""What a command is going to write: the notes as they will be, what to tell of it, what the log should know."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.errors import NoteNotFoundError

from . import edit
from .edit import Edit, Place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.note import Fact, Note

    from .daily import Line


class Plan(NamedTuple):
    """The edits of a command.

    `rows` are told on stdout, a line each, when they are made, `notices` on stderr; `about` are the
    command's own keys of the JSON; `events` are what the usage log is told, as operation, ref and value.
    `append` is the note and the line that are all there is to write, where that is so.
    """

    edits: Sequence[Edit]
    why: str
    rows: tuple[str, ...] = ()
    about: Mapping[str, Any] = {}
    notices: tuple[str, ...] = ()
    events: tuple[tuple[str, str, str], ...] = ()
    append: tuple[str, Line] | None = None


class Draft:
    """Notes on their way from what they are to what they will be."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._before: dict[str, bytes | None] = {}
        self._after: dict[str, bytes | None] = {}
        self._sources: dict[str, str] = {}

    def data(self, path: str) -> bytes | None:
        """The bytes of a note as they will be, None where there is none."""
        if path not in self._after:
            self._before[path] = self._after[path] = edit.read(self.place, path)
        return self._after[path]

    def there(self, path: str) -> bytes:
        """The bytes of a note that has to be there.  NoteNotFoundError."""
        data = self.data(path)
        if data is None:
            raise NoteNotFoundError(f"{path} is not there any more", "`aurelius list` shows what is")
        return data

    def put(self, path: str, data: bytes | None, *, source: str = "") -> None:
        """Let a note be that; None removes it.  `source` is where a moved note comes from."""
        self.data(path)
        self._after[path] = data
        if source:
            self._sources[path] = source

    def note(self, path: str) -> Note:
        """A note as it will be; one that is not there is empty."""
        from indexer.parse import parse

        return parse(path, self.data(path) or b"", daily_folder=self.place.daily)

    def fact(self, path: str, key: str) -> Fact:
        """A fact of a note as it will be.  NoteNotFoundError."""
        for fact in self.note(path).facts:
            if fact.key == key:
                return fact
        raise NoteNotFoundError(
            f"{path} has no fact ^{key} any more", f"`aurelius show {path} --facts` shows those it has"
        )

    def edits(self) -> list[Edit]:
        """What differs."""
        return [
            Edit(path, self._before[path], after, self._sources.get(path, ""))
            for path, after in self._after.items()
            if after != self._before[path]
        ]
