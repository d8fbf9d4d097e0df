"""What is said of an answer that holds no word of the question, or nothing at all: what no note
holds, which filter matches no note, what to try."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

from indexer.catalog.filters import NOTE_COLUMNS, Filters, Linked, values_of, with_facts
from indexer.catalog.lists import get_cut, get_tags
from indexer.catalog.visibility import clean_folder, visible_sql
from indexer.errors import first_names
from indexer.reading.path_meaning import fold_name
from indexer.spelling import caseless

from .query import EARLIEST_DAY, LAST_DAY, NO_WORD, Terms, match_expression

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import apsw

    from indexer.rows.rows import Index

    from .query import SearchQuery

_MOST_NAMED = 3
"""Notes, and words, that are named at most."""
SLIP = 4
"""Letters of a word that may be a slip of a name."""
_LEAST_LIKENESS = 0.75
"""How alike the two have to be (Ratcliff and Obershelp)."""


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
    return why_nothing(
        index,
        query,
        terms,
        filtered,
    )


def why_weak(
    index: Index,
    query: SearchQuery,
    terms: Terms,
) -> str:
    """What the hits of an answer lack, none of which holds a word of the question."""
    if _held(index, terms, private=query.filters.private):
        return "no hit holds a word of the question; nearest in meaning:"
    slip = _slip_of(index, query, terms)
    return f"no note holds {_named(terms)}{slip}; nearest in meaning:"


def why_not_of(days: tuple[str, str], *, hits: bool) -> str:
    """What is said where nothing carries the days of a question that asks for nothing else."""
    first, last = days
    when = f"from {first} to {last}"
    carries = "such a day"
    if first == last:
        when = f"of {first}"
        carries = "that day"
    elif last == LAST_DAY:
        when = f"since {first}"
    elif first == EARLIEST_DAY:
        when = f"up to {last}"
    told = f"no daily note {when}, and no line carries {carries}"
    if hits:
        return f"{told}; nearest instead:"
    return f"{told}: ask for other days, or add words to search for"


def _held(
    index: Index,
    terms: Terms,
    *,
    private: bool,
) -> bool:
    """Whether a note that may be seen holds a word of the query, whatever the filters say."""
    wanted = match_expression(terms._replace(excluded=()))
    sql = (
        "SELECT 1 FROM note_fts JOIN visible_note AS note ON note.id = note_fts.rowid "
        f"WHERE note_fts MATCH ? AND {visible_sql(private=private)} LIMIT 1"
    )
    return bool(wanted and index.db.execute(sql, (wanted,)).fetchall())


def _slip_of(
    index: Index,
    query: SearchQuery,
    terms: Terms,
) -> str:
    """Names of notes that a query, or a word of it, may be a slip of, as a question; "" for
    none."""
    from difflib import get_close_matches

    sql = (
        "SELECT DISTINCT folded, text FROM name JOIN visible_note AS note ON note.id = name.note "
        "WHERE source IN ('file', 'title', 'alias') AND length(folded) BETWEEN ?1 - 2 AND ?1 + 2 "
        f"AND {visible_sql(private=query.filters.private)}"
    )
    for wanted in dict.fromkeys(map(fold_name, ("".join(terms.words), *terms.words))):
        if len(wanted) >= SLIP:
            names: dict[str, str] = dict(index.db.execute(sql, (len(wanted),)))
            if found := get_close_matches(
                wanted,
                names,
                2,
                _LEAST_LIKENESS,
            ):
                return f" (did you mean {' or '.join(names[each] for each in found)}?)"
    return ""


def _named(terms: Terms) -> str:
    """The words of a query, as a choice: `'horse', 'saddle' or 'fitting'`."""
    words = [f"'{word}'" for word in dict.fromkeys((*terms.words, *terms.phrases))]
    if len(words) > _MOST_NAMED:
        return f"a word of the question ({', '.join(words[:_MOST_NAMED])} …)"
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def unknown(
    index: Index,
    words: Iterable[str],
    *,
    private: bool,
) -> tuple[str, ...]:
    """Those of some words that no note holds."""
    return tuple(word for word in words if not _held(index, Terms((word,)), private=private))


def why_nothing(
    index: Index,
    query: SearchQuery,
    terms: Terms,
    filtered: Mapping[str, int],
) -> str:
    """What to try where nothing was found; where only a part of some notes is searched, which."""
    hint = _hint(
        index,
        query,
        terms,
        filtered,
    )
    cut = [path for path, _ in get_cut(index.db, private=query.filters.private)]
    if not cut:
        return hint
    part = f"only the beginning of {first_names(cut, _MOST_NAMED)} is searched"
    return f"{hint}; {part}: `aurelius doctor` says why"


def _no_phrase(count: int) -> str:
    what = "this phrase" if count == 1 else "these phrases"
    return f"no note contains {what}: leave out the quotes to search for the words alone"


def _hint(
    index: Index,
    query: SearchQuery,
    terms: Terms,
    filtered: Mapping[str, int],
) -> str:
    """What to try where nothing was found."""
    if not (terms.words or terms.phrases):
        return NO_WORD
    if filtered.get("superseded"):
        return "only superseded facts match: add `--status all` to see them"
    if query.filters._replace(status="active", private=False) != Filters():
        why = barren(index.db, query.filters) or "leave one out, or try other words"
        return f"nothing matches with these filters: {why}"
    if terms.phrases and not terms.excluded:
        return _no_phrase(len(terms.phrases))
    if not _held(index, terms, private=query.filters.private):
        return _not_held(index, query, terms)
    if terms.excluded:
        barred = ", ".join(map("-{}".format, terms.excluded[:_MOST_NAMED]))
        return f"everything that matches also holds what was excluded: leave out {barred}"
    return "nothing matches these words: try other words"


def _not_held(
    index: Index,
    query: SearchQuery,
    terms: Terms,
) -> str:
    """What is said where no note holds any of the words."""
    lacking = f"no note holds {_named(terms)}{_slip_of(index, query, terms)}"
    if query.mode == "keyword":
        return f"{lacking}: try other words, or search by meaning too with `--mode hybrid`"
    return f"{lacking}, and none comes close in meaning: try other words"


def barren(db: apsw.Connection, filters: Filters) -> str:
    """Which of some filters matches no note even alone, and why; "" where each of them matches
    some."""
    for alone, why in _each(db, filters):
        if not _is_there(db, filters, alone):
            return why()
    return ""


def why_empty(db: apsw.Connection, filters: Filters) -> str:
    """Why a list is empty: the filter that matches no note, or that only all of them together do;
    "" for neither."""
    several = len([*_each(db, filters)]) > 1
    together = "each of these filters matches notes, but no note matches all of them: leave one out"
    return barren(db, filters) or (together if several else "")


def _is_there(
    db: apsw.Connection,
    filters: Filters,
    alone: Filters,
) -> bool:
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
    if filters.folder:
        yield Filters(folder=filters.folder), partial(_no_folder, db, filters)
    for tag in filters.tags:
        yield (
            Filters(tags=(tag,)),
            partial(
                _no_tag,
                db,
                tag,
                private=filters.private,
            ),
        )
    for wish in filters.where:
        yield (
            Filters(where=(wish,)),
            partial(
                _no_value,
                db,
                wish,
                private=filters.private,
            ),
        )
    for alone, why in _each_of_one_answer(filters):
        yield alone, partial(str, why)
    if filters.links != Linked() and filters.paths is not None:
        links = filters.links
        yield Filters(links=links, paths=filters.paths), partial(_no_link, links)


def _each_of_one_answer(filters: Filters) -> Iterator[tuple[Filters, str]]:
    """Those of some filters of which always the same is said, with that."""
    if filters.kinds:
        yield Filters(kinds=filters.kinds), f"no note is of the kind {' or '.join(filters.kinds)}"
    if filters.types:
        types = " or ".join(filters.types)
        yield Filters(types=filters.types, status="all"), f"no fact is of the type {types}"
    if filters.status in {"superseded", "proposed"}:
        yield Filters(status=filters.status), f"no fact is {filters.status}"
    if filters.since or filters.until:
        days = Filters(since=filters.since, until=filters.until)
        yield days, f"no note or fact has such a day ({_span(filters)})"
    if filters.archived:
        where = "in the archive" if filters.archived == "only" else "outside the archive"
        yield Filters(archived=filters.archived), f"no note is {where}"


def _span(filters: Filters) -> str:
    if not filters.until:
        return f"since {filters.since}"
    if not filters.since:
        return f"until {filters.until}"
    return " to ".join(dict.fromkeys((filters.since, filters.until)))


def _near(text: str, every: Iterable[str]) -> str:
    """Which of some names may have been meant: ` (did you mean rating?)`, "" where none is near."""
    from difflib import get_close_matches  # only an empty answer has use for it

    folded = {caseless(each): each for each in every}
    found = get_close_matches(caseless(text), folded, 1)
    if found:
        return f" (did you mean {folded[found[0]]}?)"
    return ""


def _no_folder(db: apsw.Connection, filters: Filters) -> str:
    folders: set[str] = set()
    for (path,) in db.execute(
        f"SELECT path FROM visible_note AS note WHERE {visible_sql(private=filters.private)}"
    ):
        folder = path.rpartition("/")[0]
        while folder and folder not in folders:
            folders.add(folder)
            folder = folder.rpartition("/")[0]
    near = _near(clean_folder(filters.folder), folders)
    return (
        f"there is no note at {filters.folder}{near}: give the path of a folder or note in the"
        " vault"
    )


def _no_tag(
    db: apsw.Connection,
    tag: str,
    *,
    private: bool,
) -> str:
    tag = tag.removeprefix("#")
    names = (row.name for row in get_tags(db, private=private))
    return f"no note has the tag {tag!r}{_near(tag, names)}"


def _no_value(
    db: apsw.Connection,
    wish: tuple[str, str, str],
    *,
    private: bool,
) -> str:
    """Of a condition on front matter: that no note has its key, or which values notes have
    there."""
    from indexer.reading.chunk import as_text  # no other answer has use for it

    key, operator, value = wish
    keys: list[str] = []
    values = Counter[str]()
    for (text,) in db.execute(
        f"SELECT front FROM visible_note AS note WHERE {visible_sql(private=private)}"
    ):
        front = json.loads(text)
        keys += front
        values.update(map(as_text, values_of(front, key)))
    del values[""]
    told = f"no note has {key} {operator} {value}"
    if values:
        most = ", ".join(each[:40] for each, _ in values.most_common(_MOST_NAMED))
        more = " …" if len(values) > _MOST_NAMED else ""
        return f"{told}; values of {key} are {most}{more}"
    if caseless(key) in map(caseless, keys):
        return f"the key {key!r} has no value in any of the notes that have it"
    if caseless(key) not in NOTE_COLUMNS:
        return f"no note has the key {key!r}{_near(key, keys)}"
    return told


def _no_link(links: Linked) -> str:
    asked = [f"is linked from {name}" for name in links.linked_by]
    asked += [f"links to {name}" for name in links.link_to]
    asked += [f"is one note away from {name}" for name in links.related]
    if links.orphan:
        asked.append("is without a link from another note")
    return f"no note {' and '.join(asked)}"
