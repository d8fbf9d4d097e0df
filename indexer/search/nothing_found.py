"""What to try where a search found nothing, and which notes it could not look into as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.catalog.filters import Filters, condition
from indexer.catalog.lists import get_cut

from .query import NO_WORD

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indexer.rows.rows import Index

    from .query import SearchQuery, Terms

MOST = 3
"""Notes that are named at most."""


def why_nothing(index: Index, query: SearchQuery, terms: Terms, filtered: Mapping[str, int]) -> str:
    """What to try where nothing was found; where only a part of some notes is searched, which."""
    cut = [path for path, _ in get_cut(index.db, private=query.filters.private)]
    named = ", ".join(cut[:MOST]) + (f" and {len(cut) - MOST} more" if len(cut) > MOST else "")
    part = f"; only the beginning of {named} is searched: `aurelius doctor` says why" if cut else ""
    return _hint(index, query, terms, filtered) + part


def _hint(index: Index, query: SearchQuery, terms: Terms, filtered: Mapping[str, int]) -> str:
    """What to try where nothing was found."""
    if not (terms.words or terms.phrases):
        return NO_WORD
    if filtered.get("superseded"):
        return "only superseded facts match: add `--status all` to see them"
    folder = query.filters.folder
    if folder and not _is_there(index, Filters(folder=folder, private=query.filters.private)):
        return f"there is no note at {folder}: give the path of a folder or note in the vault"
    if query.filters._replace(status="active", private=False) != Filters():
        return "nothing matches with these filters: leave one out, or try other words"
    if terms.phrases and not terms.excluded:
        what = "this phrase" if len(terms.phrases) == 1 else "these phrases"
        return f"no note contains {what}: leave out the quotes to search for the words alone"
    if query.mode == "keyword":
        return "no note matches these words: try other words, or search by meaning too with `--mode hybrid`"
    return "no note matches these words or comes close in meaning: try other words"


def _is_there(index: Index, filters: Filters) -> bool:
    where = condition(index.db, filters)
    return bool(index.db.execute(f"SELECT 1 FROM note WHERE {where.sql} LIMIT 1", where.values).fetchall())  # noqa: S608
