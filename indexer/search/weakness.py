"""What is said of an answer that holds no word of the question, or nothing at all: what no note holds, what to try."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.catalog.filters import Filters, condition
from indexer.catalog.lists import get_cut
from indexer.catalog.visibility import visible

from .query import NO_WORD, Terms, match

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from indexer.rows.rows import Index

    from .query import SearchQuery

MOST = 3
"""Notes, and words, that are named at most."""


def why_weak(index: Index, query: SearchQuery, terms: Terms) -> str:
    """What the hits of an answer lack, none of which holds a word of the question."""
    if _held(index, terms, private=query.filters.private):
        return "no hit holds a word of the question; nearest in meaning:"
    return f"no note holds {_named(terms)}; nearest in meaning:"


def _held(index: Index, terms: Terms, *, private: bool) -> bool:
    """Whether a note that may be seen holds a word of the query, whatever the filters say."""
    wanted = match(terms._replace(excluded=()))
    sql = (
        "SELECT 1 FROM note_fts JOIN note ON note.id = note_fts.rowid "  # noqa: S608  # a condition of our own
        f"WHERE note_fts MATCH ? AND {visible(private=private)} LIMIT 1"
    )
    return bool(wanted and index.db.execute(sql, (wanted,)).fetchall())


def _named(terms: Terms) -> str:
    """The words of a query, as a choice: `'horse', 'saddle' or 'fitting'`."""
    words = [f"'{word}'" for word in dict.fromkeys((*terms.words, *terms.phrases))]
    if len(words) > MOST:
        return f"a word of the question ({', '.join(words[:MOST])} …)"
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def unknown(index: Index, words: Iterable[str], *, private: bool) -> tuple[str, ...]:
    """Those of some words that no note holds."""
    return tuple(word for word in words if not _held(index, Terms((word,)), private=private))


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
    if _held(index, terms, private=query.filters.private):
        if terms.excluded:
            barred = ", ".join(f"-{word}" for word in terms.excluded[:MOST])
            return f"everything that matches also holds what was excluded: leave out {barred}"
        return "nothing matches these words: try other words"
    if query.mode == "keyword":
        return f"no note holds {_named(terms)}: try other words, or search by meaning too with `--mode hybrid`"
    return f"no note holds {_named(terms)}, and none comes close in meaning: try other words"


def _is_there(index: Index, filters: Filters) -> bool:
    where = condition(index.db, filters)
    return bool(index.db.execute(f"SELECT 1 FROM note WHERE {where.sql} LIMIT 1", where.values).fetchall())  # noqa: S608
