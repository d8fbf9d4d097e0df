"""`Vault`, the one object that joins things: settings, index, search, notes, links, checks.

On the way of a search nothing heavy is imported; what only `show`, `doctor` or `status` need is
imported inside their methods.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import datetime
    from collections.abc import Callable, Mapping

    from indexer.catalog import NoteList, TagRow, TaskRow
    from indexer.graph import LinkRow
    from indexer.index import Index
    from indexer.note import Fact, Problem
    from indexer.query import Filters, SearchQuery
    from indexer.refresh import RefreshReport
    from indexer.search import SearchResult

    from .config import Config
    from .doctor import Finding


class Excerpt(NamedTuple):
    """Lines `first`..`last` of a note exactly as they stand in the file; empty (1, 0, ()) for a missing daily note."""

    path: str
    first: int
    last: int
    lines: tuple[str, ...]


class HeadingRow(NamedTuple):
    """A heading of a note: its level 1-6, its text and its line."""

    level: int
    text: str
    line: int


class NoteView(NamedTuple):
    """Everything there is to say of one note; `summary` is the text under `## Summary`, "" for none."""

    path: str
    kind: str
    title: str
    aliases: tuple[str, ...]
    tags: tuple[str, ...]
    date: str | None
    updated: str | None
    front_matter: Mapping[str, Any]
    summary: str
    facts: tuple[Fact, ...]
    headings: tuple[HeadingRow, ...]
    outgoing: tuple[LinkRow, ...]
    backlinks: tuple[LinkRow, ...]
    problems: tuple[Problem, ...]
    private: bool


class LinkView(NamedTuple):
    """What a note links to and what links to it."""

    path: str
    outgoing: tuple[LinkRow, ...]
    backlinks: tuple[LinkRow, ...]


class Status(NamedTuple):
    """The state of vault and index.  Sizes are in bytes; `kinds` counts notes by kind; `sources` are the
    settings that are not defaults, with where they came from; `report` is the refresh just made."""

    vault: str
    index: str
    index_bytes: int
    vault_bytes: int
    notes: int
    chunks: int
    facts: int
    vectors: int
    generation: int
    fresh: bool
    model: str
    schema: int
    failed: tuple[tuple[str, str], ...]
    problems: int
    kinds: tuple[tuple[str, int], ...]
    ignored: int
    private: int
    differences: tuple[str, ...]
    sources: tuple[tuple[str, str], ...]
    report: RefreshReport


class ForgetReport(NamedTuple):
    """A note forgotten: how many chunks went, and whether its path was added to `.aureliusignore`."""

    path: str
    chunks: int
    ignored_added: bool


class Vault:
    """A vault, opened.  `notices` gathers what a person should be told on stderr; `report` is the last refresh."""

    def __init__(self, root: str, config: Config, index_folder: str, now: datetime.datetime) -> None:
        self.root = root
        self.config = config
        self.index_folder = index_folder
        self.now = now
        self.notices: list[str] = []
        self.report: RefreshReport | None = None
        self._index: Index | None = None

    @classmethod
    def find(cls, explicit: str | None, env: Mapping[str, str], cwd: str, *, now: datetime.datetime) -> Vault:
        """The vault to use (design §3).  VaultNotFoundError, ConfigError."""
        from .config import find_vault, index_folder, load

        root = find_vault(explicit, env, cwd)
        config = load(root, env)
        return cls(root, config, index_folder(config), now)

    def close(self) -> None:
        """Close the index; a second close does nothing."""

    def index(self) -> Index:
        """The index, refreshed once for each Vault."""
        raise NotImplementedError

    def refresh(
        self, *, progress: Callable[[int, int], None] | None = None, accept_deletions: bool = False
    ) -> RefreshReport:
        """Make the index equal the files."""
        raise NotImplementedError

    def rebuild(self, *, progress: Callable[[int, int], None] | None = None) -> RefreshReport:
        """Make the index from nothing, in a new file."""
        raise NotImplementedError

    def search(self, query: SearchQuery, *, deadline: float | None = None) -> SearchResult:
        """Search the files as they are now."""
        raise NotImplementedError

    def notes(self, filters: Filters, *, sort: str = "path", limit: int = 50, offset: int = 0) -> NoteList:
        """The notes that match."""
        raise NotImplementedError

    def tasks(
        self, *, open_only: bool = False, due: tuple[str, str] | None = None, filters: Filters
    ) -> tuple[TaskRow, ...]:
        """The tasks that match, in order of path and line."""
        raise NotImplementedError

    def tags(self, *, private: bool = False) -> tuple[TagRow, ...]:
        """Every tag with the number of notes that carry it, most used first."""
        raise NotImplementedError

    def resolve(self, name: str, *, private: bool = False) -> str:
        """The path of the note a name means.  NoteNotFoundError, AmbiguousNameError."""
        raise NotImplementedError

    def read(self, reference: str, *, private: bool = False) -> Excerpt:
        """Exact text: PATH[:LINE[:COUNT]], PATH#heading or PATH#^id."""
        raise NotImplementedError

    def note(self, name: str, *, private: bool = False) -> NoteView:
        """Everything there is to say of one note."""
        raise NotImplementedError

    def links(self, name: str, *, private: bool = False) -> LinkView:
        """What a note links to and what links to it."""
        raise NotImplementedError

    def today(self, day: str) -> str:
        """The path of that day's daily note: the existing one, else the one it would have."""
        raise NotImplementedError

    def status(self) -> Status:
        """The state of vault and index."""
        raise NotImplementedError

    def check(self, *, private: bool = False) -> tuple[Finding, ...]:
        """Everything that is wrong in the vault."""
        raise NotImplementedError

    def forget(self, path: str) -> ForgetReport:
        """Take a note out of the index, every byte of it."""
        raise NotImplementedError
