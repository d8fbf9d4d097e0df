"""What answers need of an open vault, so that their modules need not know `Vault` itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable

    import apsw

    from aurelius.settings.config import Config
    from indexer.catalog.filters import Filters
    from indexer.catalog.lists import FactList, NoteList, TaskRow
    from indexer.catalog.visibility import Who
    from indexer.note import Settings
    from indexer.refresh.refresh import RefreshReport
    from indexer.search.hit import SearchResult
    from indexer.search.query import SearchQuery
    from indexer.usage.tier import Clock

    from .excerpts import Excerpt


class AskedVault(Protocol):
    """What answers need of a vault."""

    notices: list[str]
    root: str
    config: Config
    who: Who
    person: bool

    @property
    def clock(self) -> Clock:
        """The day it is, and by which rules facts age."""
        ...

    @property
    def settings(self) -> Settings:
        """What the index is made from."""
        ...

    @property
    def db(self) -> apsw.Connection:
        """The connection of the index, which is up to date."""
        ...

    def resolve(self, name: str, *, private: bool = False, whole: bool = False) -> str:
        """The path of the note that a name means, with `whole` not by part of its name."""
        ...

    def search(self, query: SearchQuery) -> SearchResult:
        """The search result for the files as they are now."""
        ...

    def notes(
        self, filters: Filters, *, sort: str = "path", limit: int = -1, offset: int = 0
    ) -> NoteList:
        """The notes that match, all for a limit below 0."""
        ...

    def facts(
        self, filters: Filters, *, sort: str = "path", limit: int = -1, offset: int = 0
    ) -> FactList:
        """The facts that match, in the order of their notes."""
        ...

    def tasks(
        self, *, open_only: bool = False, due: tuple[str, str] | None = None, filters: Filters
    ) -> tuple[TaskRow, ...]:
        """The tasks that match; `due` is a first and a last day."""
        ...

    def read(self, reference: str, *, private: bool = False) -> Excerpt:
        """The lines of a note as they are now."""
        ...

    def again(self, paths: set[str]) -> None:
        """Refresh once more, because these notes are not what the index read."""
        ...

    def rebuild(self, *, progress: Callable[[int, int], None] | None = None) -> RefreshReport:
        """Rebuild the index."""
        ...

    def close(self) -> None:
        """Close the index."""
        ...
