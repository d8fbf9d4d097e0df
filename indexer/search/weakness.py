"""What is said of an answer that holds no word of the question, or nothing at all: what no note
holds, which filter matches no note, what to try."""

from __future__ import annotations

import json
from collections import Counter
from posixpath import commonprefix
from typing import TYPE_CHECKING, Any

from indexer.catalog.filters import NOTE_COLUMNS, Filters, values_of, with_facts
from indexer.catalog.lists import get_cut, get_tags
from indexer.catalog.visibility import clean_folder, visible_sql
from indexer.errors import first_names
from indexer.reading.path_meaning import APART, fold_name
from indexer.spelling import caseless

from .query import (
    EARLIEST_DAY,
    LAST_DAY,
    NO_WORD,
    SearchQuery,
    Terms,
    clean_query,
    match_expression,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    import apsw

_MOST_NAMED = 3
"""Notes, and words, that are named at most."""
SLIP = 4
"""Letters of a word that may be a slip of a name."""
_LEAST_LIKENESS = 0.75
"""How alike the two have to be (Ratcliff and Obershelp)."""


def why(
    db: apsw.Connection,
    query: SearchQuery,
    terms: Terms,
    filtered: Mapping[str, int],
    missed: tuple[str, str] | None,
    *,
    hits: bool,
) -> str:
    """What is said of an answer without hits or with weak ones; `missed` are days that nothing
    carries.

    Where nothing was found it is what to try, and of which notes only a part is searched.
    """
    private = query.filters.private
    other = query.filters._replace(since=None, until=None, private=False)
    if missed and (hits or other == Filters()):
        carries = ("such a day", "that day")[missed[0] == missed[1]]
        told = f"no daily note {_when(missed)}, and no line carries {carries}"
        if hits:
            return f"{told}; nearest instead:"
        return f"{told}: ask for other days, or add words to search for"
    if hits:
        lacking = "no hit holds a word of the question"
        if not _held(db, terms, private=private):
            lacking = _lacking(db, terms, private=private)
        elif missing := unknown(db, terms.words, private=private):
            lacking = _lacking(db, Terms(missing[:_MOST_NAMED]), private=private)
        return f"{lacking}; nearest in meaning:"
    hint = _hint(db, query, terms, filtered)
    cut = [path for path, _ in get_cut(db, private=private)]
    part = f"; only the beginning of {first_names(cut, _MOST_NAMED)} is searched"
    return hint + f"{part}: `aurelius doctor` says why" * bool(cut)


def _hint(
    db: apsw.Connection,
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
        reason = barren(db, query.filters) or "leave one out, or try other words"
        return f"nothing matches with these filters: {reason}"
    if terms.phrases and not terms.excluded:
        what = ("these phrases", "this phrase")[len(terms.phrases) == 1]
        return f"no note contains {what}: leave out the quotes to search for the words alone"
    private = query.filters.private
    if not _held(db, terms, private=private):
        hints = {"keyword": ": try other words, or search by meaning too with `--mode hybrid`"}
        hint = hints.get(query.mode, ", and none comes close in meaning: try other words")
        return _lacking(db, terms, private=private) + hint
    if terms.excluded:
        barred = ", ".join(map("-{}".format, terms.excluded[:_MOST_NAMED]))
        return f"everything that matches also holds what was excluded: leave out {barred}"
    return "nothing matches these words: try other words"


def _when(days: tuple[str, str]) -> str:
    """Some days in words."""
    first, last = days
    if first == last:
        return f"of {first}"
    if last == LAST_DAY:
        return f"since {first}"
    if first == EARLIEST_DAY:
        return f"up to {last}"
    return f"from {first} to {last}"


def _held(
    db: apsw.Connection,
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
    return bool(wanted and db.execute(sql, (wanted,)).get)


def _lacking(
    db: apsw.Connection,
    terms: Terms,
    *,
    private: bool,
) -> str:
    """That no note holds the words of a query, and of which names of notes they may be a slip:
    `no note holds 'horse', 'saddle' or 'fitting'`."""
    from difflib import get_close_matches

    words = [f"'{word}'" for word in dict.fromkeys((*terms.words, *terms.phrases))]
    named = " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))
    if len(words) > _MOST_NAMED:
        named = f"a word of the question ({', '.join(words[:_MOST_NAMED])} …)"
    for wanted in dict.fromkeys(map(fold_name, ("".join(terms.words), *terms.words))):
        if len(wanted) >= SLIP:
            names = _names_like(db, wanted, 2, private=private)
            if found := get_close_matches(wanted, names, 2, _LEAST_LIKENESS):
                meant = " or ".join(names[each] for each in found)
                return f"no note holds {named} (did you mean {meant}?)"
    return f"no note holds {named}"


def name_meant(
    db: apsw.Connection, query: SearchQuery, knows: Callable[[str], bool]
) -> tuple[str, str]:
    """What is said of a question that is nothing but a misspelt name, and the name that it is one
    slip away from; two empty texts where no name or several are, where a note holds a word of it,
    or where it is a word that the model `knows`, which is no slip."""
    terms = clean_query(query.text)
    private = query.filters.private
    wanted = fold_name("".join(terms.words))
    if terms.phrases or terms.excluded or len(wanted) < SLIP or knows(wanted):
        return "", ""
    names = _names_like(db, wanted, 1, private=private)
    near = [name for folded, name in names.items() if is_one_slip(wanted, folded)]
    if len(near) != 1 or _held(db, terms, private=private):
        return "", ""
    return f"no note holds '{query.text.strip()}'; showing {near[0]}:", near[0]


def is_one_slip(typed: str, meant: str) -> bool:
    """Whether two words differ in one letter that is lost, added, doubled or another, or in two
    that stand side by side and are swapped."""
    for _ in range(2):  # what both begin with is taken off, then what both end with
        same = len(commonprefix((typed, meant)))
        typed = typed[same:][::-1]
        meant = meant[same:][::-1]
    return max(len(typed), len(meant)) == 1 or (len(typed) == 2 and typed == meant[::-1])


def _names_like(db: apsw.Connection, wanted: str, apart: int, *, private: bool) -> dict[str, str]:
    """The names of notes that may be seen, folded → as they stand there, whose length is at most
    so far from that of a word."""
    sql = (
        "SELECT DISTINCT folded, text FROM name JOIN visible_note AS note ON note.id = name.note "
        "WHERE source IN ('file', 'title', 'alias') AND length(folded) BETWEEN ?1 - ?2 AND ?1 + ?2 "
        f"AND {visible_sql(private=private)}"
    )
    rows: Any = db.execute(sql, (len(wanted), apart))
    return dict(rows)


def unknown(
    db: apsw.Connection,
    words: Iterable[str],
    *,
    private: bool,
) -> tuple[str, ...]:
    """Those of some words that no note holds."""
    return tuple(word for word in words if not _held(db, Terms((word,)), private=private))


def barren(
    db: apsw.Connection,
    filters: Filters,
) -> str:
    """Which of some filters matches no note even alone, in any folder, and why; "" where each of
    them matches some."""
    for each, said in _each(filters):
        alone = each._replace(private=filters.private, apart=APART)
        where = with_facts(db, alone)
        sql = f"SELECT 1 FROM visible_note AS note WHERE {where.sql} LIMIT 1"
        if db.execute(sql, where.values).get is None:
            return said or _why_none(db, alone)
    return ""


def why_empty(
    db: apsw.Connection,
    filters: Filters,
) -> str:
    """Why a list is empty: the filter that matches no note, or that only all of them together do;
    "" for neither."""
    together = "each of these filters matches notes, but no note matches all of them: leave one out"
    several = len([*_each(filters)]) > 1
    return barren(db, filters) or together * several


def _each(filters: Filters) -> Iterator[tuple[Filters, str]]:
    """Each of some filters alone, with what is said where no note matches it, "" where that has to
    be looked up; but for tiers, which pass."""
    days = _when(SearchQuery("", filters=filters).days or ("", "")).removeprefix("of ")
    where = "in" if filters.archived == "only" else "outside"
    for alone, said in (
        (Filters(folder=filters.folder), ""),
        *[(Filters(tags=(tag,)), "") for tag in filters.tags],
        *[(Filters(where=(wish,)), "") for wish in filters.where],
        (Filters(kinds=filters.kinds), f"no note is of the kind {' or '.join(filters.kinds)}"),
        (
            Filters(types=filters.types, status="all" if filters.types else "active"),
            f"no fact is of the type {' or '.join(filters.types)}",
        ),
        (Filters(status=filters.status.replace("all", "active")), f"no fact is {filters.status}"),
        (
            Filters(since=filters.since, until=filters.until),
            f"no note or fact has such a day ({days})",
        ),
        (Filters(archived=filters.archived), f"no note is {where} the archive"),
        (Filters(links=filters.links, paths=filters.paths), "no note is linked as asked"),
    ):
        if alone != Filters():
            yield alone, said


def _why_none(
    db: apsw.Connection,
    alone: Filters,
) -> str:
    """What is said of a folder, a tag or a condition on front matter that no note matches."""
    seen = f"FROM visible_note AS note WHERE {visible_sql(private=alone.private)}"
    if alone.folder:
        folders = (path.rpartition("/")[0] for (path,) in db.execute(f"SELECT path {seen}"))
        near = _near(clean_folder(alone.folder), folders)
        hint = "give the path of a folder or note in the vault"
        return f"there is no note at {alone.folder}{near}: {hint}"
    if alone.tags:
        tag = alone.tags[0].removeprefix("#")
        names = (row.name for row in get_tags(db, private=alone.private))
        return f"no note has the tag {tag!r}{_near(tag, names)}"
    fronts = [json.loads(text) for (text,) in db.execute(f"SELECT front {seen}")]
    return _no_value(alone.where[0], fronts)


def _near(
    text: str,
    every: Iterable[str],
) -> str:
    """Which of some names may have been meant: ` (did you mean rating?)`, "" where none is near."""
    from difflib import get_close_matches  # only an empty answer has use for it

    folded = {caseless(each): each for each in every}
    for found in get_close_matches(caseless(text), folded, 1):
        return f" (did you mean {folded[found]}?)"
    return ""


def _no_value(
    wish: tuple[str, str, str],
    fronts: Iterable[dict[str, object]],
) -> str:
    """Of a condition on front matter: that no note has its key, or which values notes have
    there."""
    from indexer.reading.chunk import as_text  # no other answer has use for it

    key, operator, value = wish
    keys: dict[str, str] = {}
    values = Counter[str]()
    for front in fronts:
        keys.update((caseless(each), each) for each in front)
        values.update(map(as_text, values_of(front, key)))
    del values[""]
    told = f"no note has {key} {operator} {value}"
    if values:
        most = ", ".join(each[:40] for each, _ in values.most_common(_MOST_NAMED))
        more = " …" * (len(values) > _MOST_NAMED)
        return f"{told}; values of {key} are {most}{more}"
    if caseless(key) in keys:
        return f"the key {key!r} has no value in any of the notes that have it"
    if caseless(key) not in NOTE_COLUMNS:
        return f"no note has the key {key!r}{_near(key, keys.values())}"
    return told
