"""What a reader of another program's files gives: conversations, notes, facts, files, and what was
left out.

Readers give values; nothing here knows the vault. Moments are ISO, `2024-03-01T10:00:00Z` or
`2024-03-01`, "" where the source has none.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple


class ImportedMessage(NamedTuple):
    """What was said in a conversation: `speaker` is "You" for the person, else who said it; `text`
    is Markdown."""

    speaker: str
    at: str
    text: str


class ImportedChat(NamedTuple):
    """A conversation, with what was said in the order in which it stands at its end."""

    id: str
    title: str
    created: str
    updated: str
    messages: tuple[ImportedMessage, ...]


class ImportedNote(NamedTuple):
    """A note as Markdown without front matter and without its title as a heading.

    `folder` is its place in the source, with `/`; `properties` are more of its front matter, plain
    texts, numbers or lists of texts. A link to another note is written by its title or its path
    beside this one, a file as `![name](attachments/NAME)` with the `name` of its `ImportedFile`.
    """

    id: str
    title: str
    text: str
    created: str = ""
    updated: str = ""
    folder: str = ""
    tags: tuple[str, ...] = ()
    properties: tuple[tuple[str, object], ...] = ()


class ImportedFact(NamedTuple):
    """One thing that was remembered: one statement, on one line.

    `subject` is the name of what it is about, "" where the text says so itself; `type` is one of
    `indexer.note.TYPES`, "" for none; `score` is how often it was of use (times 3) or of none;
    `updates` is the source's id of the fact whose place it took, `is_past` that it no longer holds,
    `inferred` that a program concluded it. `importance` is 0 to 1.
    """

    id: str
    text: str
    created: str = ""
    type: str = ""
    subject: str = ""
    importance: float | None = None
    pinned: bool = False
    inferred: bool = False
    is_past: bool = False
    updates: str = ""
    score: int = 0
    used: str = ""
    uses: int = 0


class ImportedFile(NamedTuple):
    """A file that a note shows: `name` follows from its content, and is no path; `opened` gives its
    bytes."""

    name: str
    digest: str
    opened: Callable[[], bytes]


class LeftOut(NamedTuple):
    """Something that is not imported, and why: `why` is one of few, so that they can be counted."""

    name: str
    why: str


Imported = ImportedChat | ImportedNote | ImportedFact | ImportedFile | LeftOut
