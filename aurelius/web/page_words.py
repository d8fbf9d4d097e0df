"""Errors and notices as the pages say them: what to do there, where their words are for somebody at
a shell."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.errors import AmbiguousNameError, ConflictError, NoteNotFoundError, UsageError

if TYPE_CHECKING:
    from indexer.errors import AureliusError

SHELL_WORDS = re.compile(
    r"\baurelius [a-z]|(?<![\w-])--[a-z]|\bcommands?\b|missing argument|\bin quotes\b"
)
"""What only somebody at a shell can do something with."""
TO_DO = {
    "missing argument: DEST": "write a folder, or the new path of the note",
    "the text of the fact is missing": "write the words into the field",
    "the text of the note is missing": "write the line into the field",
    "is a superseded fact": "its own page shows what replaced it; an editor corrects the line",
    "was already replaced": "its own page shows what replaced it: change that one",
    "is a proposal that is not decided yet": "decide about it on the page Review",
    "an update changes only the words": "leave it out, or choose “It changed” instead",
    "if the old text was true once": "choose “It changed” where the old words were true once, and"
    " “It was wrong” where they never were",
    "would be lost": "facts are not deleted: say what is true instead, or archive them",
    "more than half of the note": "so much is removed in an editor only",
    "the whole note is this fact": "archive the note instead",
    "is already in the archive": "rename it to move it elsewhere",
    "was already undone": "the list of the last changes shows what can be undone",
    "this is not proposed, or no longer": "look at what is proposed now",
    "nobody can tell which note this is about": "write it to the note in your editor",
    "moment ago": "look at what is proposed now, and decide once more",
    "no fact has the id": "the search above finds facts by their words",
    "shows the line of each": "look at the list of tasks as it is now",
}
"""What to do on a page, by a part of what is told or of what a command hints at."""
_BY_KIND = {
    AmbiguousNameError: "open the note that you mean, and change it there",
    NoteNotFoundError: "it was moved, changed or removed meanwhile: the search above finds what is"
    " there now",
    ConflictError: "look at it again: another program may just have written it",
    UsageError: "change it in your editor",
}


def called(path: str, title: str) -> str:
    """How a page calls a note: that of the person is theirs, unless it has a name."""
    if path == "ME.md" and title == "Me":
        return "You"
    return title


def words_on_page(error: AureliusError) -> tuple[str, str]:
    """What a page tells of an error, and what to do there; as it is where only a command helps."""
    what = error.message.replace("missing argument: DEST", "the new path is missing")
    what = what.replace("missing argument", "missing")
    hint = str(error.hint or "")
    kinds = (told for kind, told in _BY_KIND.items() if isinstance(error, kind))
    known = _to_do(f"{error.message} {hint}")
    to_do = known or _kept(hint) or (hint and next(kinds, hint))
    return _begun(what), _begun(to_do)


def notice_on_page(notice: str) -> str:
    """What a page tells of a notice."""
    if SHELL_WORDS.search(notice):
        notice = "; ".join(filter(None, (_kept(notice), _to_do(notice))))
    return _begun(notice)


def _begun(text: str) -> str:
    """A text with a capital letter, unless it begins with the path of a note or a quote."""
    first, space, rest = text.partition(" ")
    if first.isalpha():
        first = f"{first[:1].upper()}{first[1:]}"
    return f"{first}{space}{rest}"


def _to_do(told: str) -> str:
    return next((what for part, what in TO_DO.items() if part in told), "")


def _kept(text: str) -> str:
    """The parts of a text that are not for a shell."""
    return "; ".join(part for part in text.split("; ") if not SHELL_WORDS.search(part))
