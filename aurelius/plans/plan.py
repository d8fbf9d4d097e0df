"""Plan of a writing command: the notes as they will be, what to report, what the log should know."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING, Any, NamedTuple

from aurelius.writing import edit
from aurelius.writing.edits import Edit, Place
from indexer.catalog.lists import is_taken
from indexer.errors import NoteNotFoundError

if TYPE_CHECKING:
    import datetime
    from collections.abc import Iterable, Mapping, Sequence

    import apsw

    from aurelius.compose.daily_line import Line
    from aurelius.vault import Vault
    from indexer.note import Fact, Note

_LETTERS = "abcdefghijklmnopqrstuvwxyz0123456789"
LENGTH = 6
"""Characters of an id."""


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


class Desk(NamedTuple):
    """What every plan is made with: the vault, where is written, the moment; `private` notes too, or not."""

    vault: Vault
    place: Place
    moment: datetime.datetime
    private: bool = False

    @property
    def today(self) -> str:
        """The person's day."""
        return self.moment.date().isoformat()

    def new_id(self, *seed: str, taken: Iterable[str] = ()) -> str:
        """An id that nothing has yet, nor any of `taken`."""
        return new_id(self.vault.index().db, *seed, taken=taken)


class Draft:
    """Notes on their way from what they are to what they will be; `read` parses each version of them once."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.read = place.note_reader()
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
            raise NoteNotFoundError(f"{path} no longer exists", "`aurelius list` shows every note")
        return data

    def put(self, path: str, data: bytes | None, *, source: str = "") -> None:
        """Let a note be that; None removes it.  `source` is where a moved note comes from."""
        self.data(path)
        self._after[path] = data
        if source:
            self._sources[path] = source

    def note(self, path: str) -> Note:
        """A note as it will be; one that is not there is empty."""
        return self.read(path, self.data(path) or b"")

    def fact(self, path: str, key: str) -> Fact:
        """A fact of a note as it will be.  NoteNotFoundError."""
        for fact in self.note(path).facts:
            if fact.key == key:
                return fact
        raise NoteNotFoundError(
            f"{path} no longer has the fact ^{key}", f"`aurelius show {path} --facts` shows its facts"
        )

    def edits(self) -> list[Edit]:
        """What differs."""
        return [
            Edit(path, self._before[path], after, self._sources.get(path, ""))
            for path, after in self._after.items()
            if after != self._before[path]
        ]


def new_id(db: apsw.Connection, *seed: str, taken: Iterable[str] = ()) -> str:
    """A new id that no fact and no block of the vault has, nor any of `taken`; it holds a letter and a digit.

    It follows from the note, the words and the day, so that a dry run shows the very one that is written
    afterwards, and two devices that say the same thing on one day give it the same name.
    """
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
