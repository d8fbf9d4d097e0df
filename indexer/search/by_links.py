"""How much other notes link to the notes of the candidates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import log1p

import apsw

from indexer.catalog.visibility import visible_sql

from .candidate import Candidate

MANY_LINKS = 32
"""Notes linking to a note that are counted: more say no more of it."""


def link_counts(
    db: apsw.Connection,
    top: Sequence[Candidate],
    *,
    private: bool,
) -> list[Candidate]:
    """Candidates with how much other notes link to theirs, 0 to 1."""
    links = in_links(db, {one.note for one in top}, private=private)
    most = log1p(MANY_LINKS)
    return [one._replace(linked=log1p(links[one.note]) / most) for one in top]


def in_links(
    db: apsw.Connection,
    notes: Iterable[int],
    *,
    private: bool,
) -> dict[int, int]:
    """How many other visible notes link to each of these, by their numbers, `MANY_LINKS` at most.

    It goes by names alone, which is quick: a link counts where its target is called as the note is,
    folders apart, and a name that several notes have counts for none of them.
    """
    sql = (
        "SELECT value, (SELECT count(*) FROM (SELECT DISTINCT link.note FROM name CROSS JOIN link"
        " ON link.folded = name.folded CROSS JOIN visible_note AS note ON note.id = link.note WHERE"
        " name.note = value AND"
        f" name.source != 'link' AND link.note != value AND {visible_sql(private=private)} AND NOT"
        " EXISTS (SELECT 1 FROM name other WHERE other.folded = name.folded AND other.note != value"
        f" AND other.source != 'link') LIMIT {MANY_LINKS})) FROM json_each(?)"
    )
    return dict(db.execute(sql, (str([*notes]),)))
