"""What to try where a search found nothing, and which notes it could not look into as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.catalog.filters import Filters
from indexer.catalog.lists import get_cut
from indexer.catalog.visibility import condition

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
        return "the query holds no word to search for: type a word or a question"
    if filtered.get("superseded"):
        return "only superseded facts match: add `--status all` to see them"
    folder = query.filters.folder
    if folder and not _is_there(index, Filters(folder=folder, private=query.filters.private)):
        return f"no note is at {folder}: name a folder or note by its path in the vault"
    if query.filters._replace(status="active", private=False) != Filters():
        return "no note matches with these filters: leave one out"
    if query.mode == "keyword":
        return "no note holds one of these words: try other words, or leave out `--mode keyword`"
    return "no note holds one of these words or means anything near: try other words"


def _is_there(index: Index, filters: Filters) -> bool:
    where = condition(index.db, filters)
    return bool(index.db.execute(f"SELECT 1 FROM note WHERE {where.sql} LIMIT 1", where.values).fetchall())  # noqa: S608
