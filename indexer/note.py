"""The nouns: what a note is made of, and what an index is made from.

Values only; nothing here reads or writes anything.

Lines are 1-based and inclusive, counted over the file's own lines (a line ends at LF, CR LF or a
lone CR, as Markdown counts them).  Dates are ISO strings, `2026-02-01`.  Paths are vault-relative
and use `/`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from indexer.record import NamedTuple

NOTE_KINDS = (
    "person",
    "project",
    "company",
    "area",
    "resource",
    "archive",
    "daily",
    "memory",
    "me",
    "note",
)
"""What a note is."""

TYPES = (
    "fact",
    "preference",
    "decision",
    "instruction",
    "identity",
    "event",
    "observation",
    "plan",
    "status",
    "relationship",
    "summary",
)
"""What a fact is."""

STATUSES = ("active", "superseded", "proposed", "all")
"""Which facts are asked for: those that hold, were replaced, or wait for review."""


TAIL_WORD = "tail-word"
"""The code of a word that no tail has."""
HISTORY_LINE = "history-line"
"""The code of a line under History that counts as true."""
ONLY_TOLD = frozenset({TAIL_WORD, HISTORY_LINE})
"""Codes of problems that keep nothing from being read or written."""


class Problem(NamedTuple):
    """Something in a note that could not be read as meant: where, a stable code, and what to do."""

    line: int
    code: str
    message: str


class Link(NamedTuple):
    """A wikilink or Markdown link to another note.

    `target` is what was written, without heading, block and label: `people/joe`, `Joe Bloggs`,
    `../a%20b.md` arrives decoded as `../a b.md`; it is empty for a link inside the same note. Links
    to the web are not links. `style` is `wiki` or `markdown`; `embed` marks `![[…]]`, `![](…)`.
    """

    target: str
    heading: str
    block: str
    label: str
    line: int
    style: str
    embed: bool


class Unit(NamedTuple):
    """The smallest piece a chunk is packed from: a paragraph, one bullet with its children, a
    fence, a table.

    `first`..`last` are its lines; `status` is `superseded` where every line of it is a superseded
    fact, else `active`.
    """

    first: int
    last: int
    status: str


class Section(NamedTuple):
    """The text between two headings; the part before the first heading has the heading path ().

    `heading` is the path of plain heading texts from the top (`("Joe Bloggs", "Facts")`), `level`
    0-6, `first` the heading's own line (or the first line of text), `last` the last line of the
    section without its sub-sections. `units` cover its text in order, the heading line excluded.
    `end` is the last line of the list item that the heading is (`- ## Facts`, as outliners write
    it), 0 for any other. What stands behind a sub-section that is a list item goes on as a section
    of level 0.
    """

    heading: tuple[str, ...]
    level: int
    first: int
    last: int
    units: tuple[Unit, ...]
    end: int = 0


class Parent(NamedTuple):
    """A list item with others nested in it: its lines with theirs, its first line as plain text and
    cut, and the number of the innermost such item around it, -1 for none."""

    first: int
    last: int
    text: str
    above: int


class Fact(NamedTuple):
    """One bullet that states one thing.

    `key` is the `^id` without the caret where there is one, else `h` + 11 hex digits of a hash of
    (note path, normalised text), made distinct by occurrence for equal lines of a note.  `text` is
    the fact without bullet, strike, tail and id.  `date` and `until` are ISO dates or None; `dated`
    says where the date came from: `line`, `name` (daily note's name), `note` or "" for none.
    `related` are link targets; `source` is the `from` of the tail, and `linked` that
    link as it is written, "" where it is none; `because` is its reason, and
    `superseded_by`, `updates`, `contradicts` are ids without carets.  `subtype` is what follows the
    slash of its type word, `part_of` the link target of its `part of`, `unknown` the items of its
    tail that are no words of one.
    """

    key: str
    id: str
    text: str
    type: str
    status: str
    date: str | None
    until: str | None
    dated: str
    heading: tuple[str, ...]
    first: int
    last: int
    scope: float
    importance: float | None
    pinned: bool
    milestone: bool
    inferred: bool
    source: str
    linked: str
    because: str
    superseded_by: str
    updates: str
    contradicts: str
    tags: tuple[str, ...]
    related: tuple[str, ...]
    subtype: str = ""
    part_of: str = ""
    unknown: tuple[str, ...] = ()


Found = tuple[str, Fact]
"""The path of a note, and a fact of it."""


class Tag(NamedTuple):
    """A tag as written, without `#`, and its line (0 when it stands in the front matter)."""

    name: str
    line: int


class Task(NamedTuple):
    """A check-box line; `mark` is the character in the box, `due` an ISO date or None."""

    text: str
    done: bool
    mark: str
    due: str | None
    line: int


class Anchor(NamedTuple):
    """An addressable `^id`: the lines a link to it means."""

    id: str
    first: int
    last: int


class Note(NamedTuple):
    """A parsed note.  `lines` is the decoded text, one string a line, without line ends.

    `date` is the daily note's date or a date in the front matter or bold header (`date`, `created`,
    …); `updated` the one named so. `title` is never empty. `private` is front matter's `private:
    true`. `front_matter` holds JSON-able values. `parents` are its list items with others nested in
    them, `silent` the lines that say nothing by themselves: comments, rules, bullets without text,
    properties that an outliner keeps for itself; `shown` are the lines without comments.
    """

    path: str
    kind: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[Tag, ...]
    date: str | None
    updated: str | None
    private: bool
    front_matter: Mapping[str, Any]
    lines: tuple[str, ...]
    sections: tuple[Section, ...]
    facts: tuple[Fact, ...]
    links: tuple[Link, ...]
    tasks: tuple[Task, ...]
    blocks: tuple[Anchor, ...]
    problems: tuple[Problem, ...]
    parents: tuple[Parent, ...] = ()
    silent: frozenset[int] = frozenset()
    shown: tuple[str, ...] = ()


class Chunk(NamedTuple):
    """The unit of the index: one fact, a run of a section's units, or a note's properties.

    `grain` is `fact`, `section` or `property`; `heading` the heading path, then the list items it
    is nested in, `context` is note title, `heading` and date, `text` the lines as they stand in the
    file without those that say nothing (of properties `key: value`, one a line), `tags` its tags
    separated by spaces, `fact` the key of the fact (or ""), `hash` identifies everything that is
    indexed and embedded.
    """

    ordinal: int
    grain: str
    heading: tuple[str, ...]
    first: int
    last: int
    context: str
    text: str
    tags: str
    status: str
    type: str
    date: str | None
    fact: str
    importance: float | None
    hash: bytes


MODEL_NAME = "potion-base-8M"
MODEL_SHA = "95f95d571948557b"
"""The shipped weights: their name, and the start of the SHA-256 of table, scales and vocabulary."""

Progress = Callable[[int, int], None]
"""Told how many notes are done, of how many."""


class Settings(NamedTuple):
    """What an index is made from and where it lies; `folder` "" keeps it in memory, `model` None is
    the shipped one, `uses` the file of uses that wait on this device to be moved to the vault's
    log, `kinds` what the person's settings say of kinds (`KindRules`)."""

    root: str
    folder: str
    exclude: tuple[str, ...] = ()
    daily_folder: str = "memory"
    model: str | None = None
    vectors: bool = True
    uses: str = ""
    kinds: tuple[tuple[str, str], ...] = ()
