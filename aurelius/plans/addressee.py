"""The note that a fact is for: a name that is typed in front of a text, taken with more care than one that is read by.

Where a fact goes to the wrong note, nobody may ever notice.  So a few letters that only begin a name are not enough
to write by, and words that could still be part of the name are asked about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurelius.settings.places import shell_word
from indexer.errors import AmbiguousNameError, NoteNotFoundError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indexer.catalog.names import Names

    from .plan import Desk

LEAST = 4
"""Letters that are enough to write by where they only begin a name."""
MOST = 5
"""Words of a text that may still be part of the name before it."""


class Longer(NamedTuple):
    """A note whose name goes on in the words that were typed as the text: its path and name, and the text then left."""

    path: str
    name: str
    text: str

    def refusal(self, typed: str) -> AmbiguousNameError:
        """Why nothing is written, and what to type."""
        said = quoted(self.text) if self.text else "TEXT"
        hint = f"did you mean `aurelius add {quoted(self.name)} {said}`?"
        what = f"nothing was written: {typed!r} may be the start of the name {self.name!r}"
        return AmbiguousNameError(what, hint, (self.path,))


def longer(desk: Desk, name: str, rest: Sequence[str]) -> Longer | None:
    """The note whose whole name is the name and the first words of the text together; the longest such name.

    A text that was typed as one word of several, in quotes, is all text.
    """
    if not rest or len(rest[0].split()) != 1 or not any(map(str.isalnum, rest[0])):
        return None
    from indexer.catalog.names import clean, fold

    names = _names(desk)
    for count in range(min(MOST, len(rest)), 0, -1):
        full = " ".join((name, *rest[:count]))
        found = names.exactly(clean(full))
        if len(found) == 1:
            title = next(each.title for each in names.called if each.path == found[0])
            return Longer(found[0], title if fold(title) == fold(full) else full, " ".join(rest[count:]))
    return None


def note_for(desk: Desk, name: str, rest: Sequence[str]) -> str:
    """The path of the note that a name in front of a text means.  NoteNotFoundError, AmbiguousNameError."""
    try:
        path = desk.vault.resolve(name, private=desk.private)
    except AmbiguousNameError:
        raise
    except NoteNotFoundError as error:
        raise NoteNotFoundError(error.message, _instead(error.hint, name, rest)) from None
    if sum(map(str.isalnum, name)) < LEAST and _only_begins(desk, name, path):
        raise NoteNotFoundError(f"no note is called {name!r}", f"did you mean {path}?")
    return path


def quoted(text: str) -> str:
    """A text as one word of a shell."""
    return shell_word(text) if set(text) & set('"$`\\!') else f'"{text}"'


def _instead(hint: str, name: str, rest: Sequence[str]) -> str:
    """What to do where no note has the name: what is said of it already, else a new note or today's."""
    unsaid = hint.startswith("`aurelius list`")
    if len(rest) > 1:
        today = f"for today's note put the text in quotes: aurelius add {quoted(' '.join((name, *rest)))}"
        return today if unsaid else f"{hint}  {today}"
    return f"`aurelius new person {shell_word(name)}` creates that note" if unsaid else hint


def _only_begins(desk: Desk, name: str, path: str) -> bool:
    """Whether no word of a name is a whole word of what the note is called."""
    from indexer.catalog.names import clean, words

    names = _names(desk)
    if names.exactly(clean(name)):
        return False
    called = next((each for each in names.called if each.path == path), None)
    if called is None:
        return False
    spelt = {word for each in (called.path, called.title, *called.aliases) for word in words(each)}
    return not spelt & {*words(name)}


def _names(desk: Desk) -> Names:
    """What every visible note is called; only loaded where it is asked for."""
    from indexer.catalog.graph import get_called
    from indexer.catalog.names import Names

    return Names(get_called(desk.vault.index().db, private=desk.private))
