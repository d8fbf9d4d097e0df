"""aurelius writes the vault and shows answers; what reads the vault and writes the index is
indexer.

The names of `__all__` are the Python API, which `aurelius help python` describes. Each is imported
when it is first used, so that a command that needs none of them is not kept waiting.
"""

from __future__ import annotations

TYPE_CHECKING = False  # as type checkers know it; `typing` itself costs more than asking the daemon
if TYPE_CHECKING:
    from aurelius.ageing.tiers import ScoreChange
    from aurelius.answers.excerpts import Excerpt
    from aurelius.api import (
        ContextText,
        Undone,
        add,
        context,
        feedback,
        new,
        note,
        supersede,
        undo,
        update,
    )
    from aurelius.api import SharedVault as Vault
    from aurelius.plans.plan import Written
    from indexer.catalog.filters import Filters
    from indexer.errors import (
        AmbiguousNameError,
        AureliusError,
        ConfigError,
        ConflictError,
        IndexUnavailableError,
        NoteNotFoundError,
        UsageError,
        VaultNotFoundError,
    )
    from indexer.note import Fact
    from indexer.search.hit import Hit, SearchResult
    from indexer.search.query import SearchQuery

__version__ = "0.1.0"

__all__ = [
    "AmbiguousNameError",
    "AureliusError",
    "ConfigError",
    "ConflictError",
    "ContextText",
    "Excerpt",
    "Fact",
    "Filters",
    "Hit",
    "IndexUnavailableError",
    "NoteNotFoundError",
    "ScoreChange",
    "SearchQuery",
    "SearchResult",
    "Undone",
    "UsageError",
    "Vault",
    "VaultNotFoundError",
    "Written",
    "add",
    "context",
    "feedback",
    "new",
    "note",
    "supersede",
    "undo",
    "update",
]

_FROM = {
    "ScoreChange": "aurelius.ageing.tiers",
    "Excerpt": "aurelius.answers.excerpts",
    "Written": "aurelius.plans.plan",
    "Filters": "indexer.catalog.filters",
    "Fact": "indexer.note",
    "SearchQuery": "indexer.search.query",
    "Hit": "indexer.search.hit",
    "SearchResult": "indexer.search.hit",
}
"""Name → the module that it comes from; errors come from `indexer.errors`, all others from
`aurelius.api`."""


def __getattr__(name: str) -> object:
    """A name of the Python API, from where it is."""
    if name not in __all__:
        raise AttributeError(f"module 'aurelius' has no attribute {name!r}")
    from importlib import import_module

    module = _FROM.get(name, "indexer.errors" if name.endswith("Error") else "aurelius.api")
    found: object = getattr(import_module(module), "SharedVault" if name == "Vault" else name)
    return found
