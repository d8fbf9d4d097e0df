"""Who and what: a question about a page as a whole is answered by what the page opens with, what
holds of its subject, and the newest lines of other notes that name it.

A question is about a page where what it asks for is the page's whole name, or a word of the name of
one person alone; `who is Peter's manager` asks for one thing, and no page is called that.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from indexer.catalog.names import is_conflict_copy
from indexer.reading.path_meaning import fold_name, is_archived, name_words

from .candidate import ROW, Candidate, Ranked
from .evidence import is_relation
from .fusion import rescored
from .query import asked_name
from .text_content import says_something

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import apsw

    from .question import Question
    from .view import View

OWN = 3
"""Lines of the page itself that stand first."""
MENTIONS = 3
"""Lines of other notes that follow them."""
_MOST_LOOKED_AT = 200
"""Chunks of the page that are looked at."""
_BARE_KINDS = frozenset(("person", "company", "project"))
"""Kinds of pages that their name alone asks about; that of others is a search for its words."""
_FIRST_TYPES = frozenset(("identity", "relationship"))
"""Types of facts that say who somebody is."""


def subject_page(
    db: apsw.Connection,
    text: str,
    *,
    private: bool,
) -> str:
    """The path of the page that a question is about as a whole, "" for none and where several may
    be meant."""
    asked = asked_name(text)
    words = name_words(asked.name)
    if not words or len(words) > 12:
        return ""
    spelt = {fold_name(asked.name), fold_name(re.sub("(?i)^(?:the|my|our) ", "", asked.name))}
    rows = _called(db, f"folded IN ({','.join('?' * len(spelt))})", tuple(spelt))
    if not rows and len(words) == 1:
        match = f'text : "{words[0]}"'
        sql = "(note, ordinal) IN (SELECT rowid >> 20, rowid & 1048575 FROM name_fts WHERE name_fts"
        people = _called(db, f"{sql} MATCH ?) AND kind = 'person'", (match,))
        rows = [row for row in people if words[0] in name_words(row[3])]
    if not rows:
        return ""
    from indexer.catalog.mentions import has_subject

    meant = {
        path: (kind, hidden)
        for path, kind, hidden, _ in rows
        if has_subject(path, kind) and not is_conflict_copy(path)
    }
    living = [path for path in meant if not is_archived(path)] or list(meant)
    if len(living) != 1:
        return ""
    page = str(living[0])
    kind, hidden = meant[page]
    if (hidden and not private) or (asked.bare and kind not in _BARE_KINDS):
        return ""
    return page


def _called(
    db: apsw.Connection,
    where: str,
    values: tuple[str, ...],
) -> list[Any]:
    """The path, the kind and whether it is private of each note with such a name, and the name."""
    sql = (
        "SELECT path, kind, private, text FROM name JOIN visible_note AS note ON note.id ="
        f" name.note WHERE source IN ('file', 'title', 'alias') AND {where} ORDER BY path LIMIT 50"
    )
    return db.execute(sql, values).fetchall()


def subject_chunks(
    view: View,
    question: Question,
) -> list[int]:
    """The chunks that answer a question about a page as a whole, in their order; none for another
    question, and for the name alone of a page that says nothing below its properties."""
    filters = view.filters
    page = subject_page(view.db, question.query.text, private=filters.private)
    if not page:
        return []
    from indexer.catalog.mentions import mentions_of

    own = _of_page(view, page)
    if not own and asked_name(question.query.text).bare:
        return []
    naming = mentions_of(
        view.db, page, private=filters.private, limit=4 * MENTIONS, as_of=filters.as_of or ""
    )
    mentions = [*dict.fromkeys(line.chunk for line in naming)]
    seen = _allowed(view, [*own, *mentions])
    first = [number for number in own if number in seen][:OWN]
    return first + [number for number in mentions if number in seen][:MENTIONS]


def _allowed(
    view: View,
    chunks: Sequence[int],
) -> set[int]:
    """Those of these chunks that the filters allow."""
    scope = view.scope(strict=True)
    listed = ",".join(map(str, chunks))
    sql = f"SELECT id FROM chunk WHERE id IN ({listed}){scope.also_on('id')}"
    return {number for (number,) in view.db.execute(sql, scope.values)}


def _of_page(
    view: View,
    page: str,
) -> list[int]:
    """The chunks of a page: its summary, else what it opens with; then its facts, those that say
    who somebody is before the others, and of these the newest first; what is only related last."""
    sql = (
        f"SELECT {ROW} FROM chunk JOIN visible_note AS note ON note.id = chunk.note WHERE path = ?"
        " AND grain != 'property' AND status = 'active' ORDER BY ordinal LIMIT ?"
    )
    every = [Candidate(*row) for row in view.db.execute(sql, (page, _MOST_LOOKED_AT))]
    rows = [row for row in every if row.id not in view.replaced]
    facts = [row for row in rows if row.grain == "fact"]
    starts = {row.first for row in facts}
    texts = [
        row
        for row in rows
        if row.grain == "section"
        and starts.isdisjoint(range(row.first, row.last + 1))
        and _says_more(row.text)
    ]
    summaries = [row for row in texts if row.heading.rpartition("\n")[2].casefold() == "summary"]
    opening = (summaries or sorted(texts + facts, key=lambda row: row.first))[:1]
    newest = sorted(facts, key=lambda row: row.date or "", reverse=True)
    newest.sort(key=lambda row: (is_relation(row.text), row.type not in _FIRST_TYPES))
    return list(dict.fromkeys(row.id for row in opening + newest))


def _says_more(text: str) -> bool:
    """Whether a section says anything below its heading."""
    lines = [line for line in text.split("\n") if not line.startswith("#")]
    return says_something("\n".join(lines))


def subject_first(
    ranked: Sequence[Ranked],
    first: Mapping[int, Candidate],
    score: float,
) -> list[Ranked]:
    """The hits, before them those that answer a question about a page, by number, with the score of
    the place; of the others those whose lines they hold, or that hold theirs, are left out."""
    found = {one.candidate.id: one for one in ranked}
    lead = []
    for number, candidate in first.items():
        one = found.get(number)
        if one is None or not one.score:
            one = Ranked(candidate, score, {"subject": score}, {})
        else:
            one = rescored(one, score, "subject")
        lead.append(one)
    return lead + [one for one in ranked if not _stands_in(one.candidate, first.values())]


def _stands_in(
    one: Candidate,
    others: Iterable[Candidate],
) -> bool:
    """Whether a candidate has lines of its note in common with one of these."""
    return any(
        one.path == other.path and one.first <= other.last and other.first <= one.last
        for other in others
    )
