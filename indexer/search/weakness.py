"""What is said of an answer that holds no word of the question, or nothing at all: what no note
holds, which filter matches no note, what to try."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING, Any

from indexer.catalog.filters import OWN, Filters, Linked, values_of, with_facts
from indexer.catalog.lists import get_cut, get_tags
from indexer.catalog.visibility import clean_folder, visible
from indexer.errors import first_of
from indexer.reading.path_meaning import fold
from indexer.spelling import caseless

from .query import FIRST_DAY, LAST_DAY, NO_WORD, Terms, match

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import apsw

    from indexer.rows.rows import Index

    from .query import SearchQuery

MOST = 3
"""Notes, and words, that are named at most."""
SLIP = 4
ALIKE = 0.75
"""Letters of a word that may be a slip of a name, and how alike the two have to be (Ratcliff and
Obershelp)."""


def why(
    index: Index,
    query: SearchQuery,
    terms: Terms,
    filtered: Mapping[str, int],
    missed: tuple[str, str] | None,
    *,
    hits: bool,
) -> str:
    """What is said of an answer without hits or with weak ones; `missed` are days that nothing
    carries."""
    if missed and (
        hits or query.filters._replace(since=None, until=None, private=False) == Filters()
    ):
        return why_not_of(missed, hits=hits)
    if hits:
        return why_weak(index, query, terms)
    return why_nothing(index, query, terms, filtered)


def why_weak(index: Index, query: SearchQuery, terms: Terms) -> str:
    """What the hits of an answer lack, none of which holds a word of the question."""
    if _held(index, terms, private=query.filters.private):
        return "no hit holds a word of the question; nearest in meaning:"
    slip = _slip_of(index, query, terms)
    return f"no note holds {_named(terms)}{slip}; nearest in meaning:"


def why_not_of(days: tuple[str, str], *, hits: bool) -> str:
    """What is said where nothing carries the days of a question that asks for nothing else."""
    first, last = days
    when = f"from {first} to {last}"
    if first == last:
        when = f"of {first}"
    elif last == LAST_DAY or first == FIRST_DAY:
        if last == LAST_DAY:
            when = f"since {first}"
        else:
            when = f"up to {last}"
    return (
        f"no daily note {when}, and no line carries {'that day' if first == last else 'such a day'}"
        + ("; nearest instead:" if hits else ": ask for other days, or add words to search for")
    )


def _held(index: Index, terms: Terms, *, private: bool) -> bool:
    """Whether a note that may be seen holds a word of the query, whatever the filters say."""
    wanted = match(terms._replace(excluded=()))
    sql = (
        "SELECT 1 FROM note_fts JOIN visible_note AS note ON note.id = note_fts.rowid "
        f"WHERE note_fts MATCH ? AND {visible(private=private)} LIMIT 1"
    )
    return bool(wanted and index.db.execute(sql, (wanted,)).fetchall())


def _slip_of(index: Index, query: SearchQuery, terms: Terms) -> str:
    """Names of notes that a query, or a word of it, may be a slip of, as a question; "" for
    none."""
    from difflib import get_close_matches

    sql = (
        "SELECT DISTINCT folded, text FROM name JOIN visible_note AS note ON note.id = name.note "
        "WHERE source IN ('file', 'title', 'alias') AND length(folded) BETWEEN ?1 - 2 AND ?1 + 2 "
        f"AND {visible(private=query.filters.private)}"
    )
    for wanted in dict.fromkeys(map(fold, ("".join(terms.words), *terms.words))):
        rows: list[Any] = (
            index.db.execute(sql, (len(wanted),)).fetchall() if len(wanted) >= SLIP else []
        )
        names: dict[str, str] = dict(rows)
        if found := get_close_matches(wanted, names, 2, ALIKE):
            return f" (did you mean {' or '.join(names[each] for each in found)}?)"
    return ""


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
    if cut:
        part = (
            f"; only the beginning of {first_of(cut, MOST)} is searched: `aurelius doctor` says why"
        )
    else:
        part = ""
    return _hint(index, query, terms, filtered) + part


def _hint(index: Index, query: SearchQuery, terms: Terms, filtered: Mapping[str, int]) -> str:
    """What to try where nothing was found."""
    if not (terms.words or terms.phrases):
        return NO_WORD
    if filtered.get("superseded"):
        return "only superseded facts match: add `--status all` to see them"
    if query.filters._replace(status="active", private=False) != Filters():
        why = barren(index.db, query.filters)
        return f"nothing matches with these filters: {why or 'leave one out, or try other words'}"
    if terms.phrases and not terms.excluded:
        if len(terms.phrases) == 1:
            what = "this phrase"
        else:
            what = "these phrases"
        return f"no note contains {what}: leave out the quotes to search for the words alone"
    if _held(index, terms, private=query.filters.private):
        if terms.excluded:
            barred = ", ".join(f"-{word}" for word in terms.excluded[:MOST])
            return f"everything that matches also holds what was excluded: leave out {barred}"
        return "nothing matches these words: try other words"
    lacking = f"no note holds {_named(terms)}{_slip_of(index, query, terms)}"
    if query.mode == "keyword":
        return f"{lacking}: try other words, or search by meaning too with `--mode hybrid`"
    return f"{lacking}, and none comes close in meaning: try other words"


def barren(db: apsw.Connection, filters: Filters) -> str:
    """Which of some filters matches no note even alone, and why; "" where each of them matches
    some."""
    return next(
        (why() for alone, why in _each(db, filters) if not _is_there(db, filters, alone)), ""
    )


def why_empty(db: apsw.Connection, filters: Filters) -> str:
    """Why a list is empty: the filter that matches no note, or that only all of them together do;
    "" for neither."""
    several = len([*_each(db, filters)]) > 1
    together = "each of these filters matches notes, but no note matches all of them: leave one out"
    return barren(db, filters) or (together if several else "")


def _is_there(db: apsw.Connection, filters: Filters, alone: Filters) -> bool:
    """Whether a note that may be seen, in any folder, matches a filter alone."""
    where = with_facts(db, alone._replace(private=filters.private, conversations=True))
    return bool(
        db.execute(
            f"SELECT 1 FROM visible_note AS note WHERE {where.sql} LIMIT 1", where.values
        ).fetchall()
    )


def _each(db: apsw.Connection, filters: Filters) -> Iterator[tuple[Filters, Callable[[], str]]]:
    """Each of some filters alone, with what is said where no note matches it; but for tiers, which
    pass."""
    if folder := filters.folder:
        yield Filters(folder=folder), lambda: _no_folder(db, filters)
    for tag in filters.tags:
        yield Filters(tags=(tag,)), partial(_no_tag, db, tag, private=filters.private)
    for wish in filters.where:
        yield Filters(where=(wish,)), partial(_no_value, db, wish, private=filters.private)
    if kinds := filters.kinds:
        yield Filters(kinds=kinds), lambda: f"no note is of the kind {' or '.join(kinds)}"
    if types := filters.types:
        yield (
            Filters(types=types, status="all"),
            lambda: f"no fact is of the type {' or '.join(types)}",
        )
    if filters.status in {"superseded", "proposed"}:
        yield Filters(status=filters.status), lambda: f"no fact is {filters.status}"
    if filters.since or filters.until:
        days = " to ".join(dict.fromkeys(day for day in (filters.since, filters.until) if day))
        if filters.since and filters.until:
            span = days
        else:
            span = f"{'since' if filters.since else 'until'} {days}"
        yield (
            Filters(since=filters.since, until=filters.until),
            lambda: f"no note or fact has such a day ({span})",
        )
    if filters.archived:
        if filters.archived == "only":
            where = "in the archive"
        else:
            where = "outside the archive"
        yield Filters(archived=filters.archived), lambda: f"no note is {where}"
    if filters.links != Linked() and filters.paths is not None:
        yield Filters(links=filters.links, paths=filters.paths), lambda: _no_link(filters.links)


def _near(text: str, every: Iterable[str]) -> str:
    """Which of some names may have been meant: ` (did you mean rating?)`, "" where none is near."""
    from difflib import get_close_matches  # only an empty answer has use for it

    folded = {caseless(each): each for each in every}
    found = get_close_matches(caseless(text), folded, 1)
    if found:
        return f" (did you mean {folded[found[0]]}?)"
    return ""


def _no_folder(db: apsw.Connection, filters: Filters) -> str:
    rows = db.execute(
        f"SELECT path FROM visible_note AS note WHERE {visible(private=filters.private)}"
    )
    parts = [str(path).split("/") for (path,) in rows]
    folders = {"/".join(each[:depth]) for each in parts for depth in range(1, len(each))}
    near = _near(clean_folder(filters.folder), folders)
    return (
        f"there is no note at {filters.folder}{near}: give the path of a folder or note in the"
        " vault"
    )


def _no_tag(db: apsw.Connection, tag: str, *, private: bool) -> str:
    tag = tag.removeprefix("#")
    return (
        "no note has the tag"
        f" {tag!r}{_near(tag, (row.name for row in get_tags(db, private=private)))}"
    )


def _no_value(db: apsw.Connection, wish: tuple[str, str, str], *, private: bool) -> str:
    """Of a condition on front matter: that no note has its key, or which values notes have
    there."""
    from indexer.reading.chunk import as_text  # no other answer has use for it

    key, operator, value = wish
    rows = db.execute(f"SELECT front FROM visible_note AS note WHERE {visible(private=private)}")
    fronts = [json.loads(front) for (front,) in rows]
    values = Counter(as_text(each) for front in fronts for each in values_of(front, key))
    del values[""]
    wanted = caseless(key)
    if not values and any(caseless(each) == wanted for front in fronts for each in front):
        return f"the key {key!r} has no value in any of the notes that have it"
    if not values and wanted not in OWN:
        return (
            f"no note has the key {key!r}{_near(key, (each for front in fronts for each in front))}"
        )
    shown = ", ".join(f"{each[:40]}" for each, _ in values.most_common(MOST)) + " …" * (
        len(values) > MOST
    )
    return f"no note has {key} {operator} {value}" + (
        f"; values of {key} are {shown}" if values else ""
    )


def _no_link(links: Linked) -> str:
    asked = [
        *(f"is linked from {name}" for name in links.linked_by),
        *(f"links to {name}" for name in links.link_to),
        *(f"is one note away from {name}" for name in links.related),
        *(["is without a link from another note"] if links.orphan else []),
    ]
    return f"no note {' and '.join(asked)}"
