"""The leg of words: BM25 of the chunks, of whole notes and of their names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from indexer.record import NamedTuple

from .index_lists import DEPTH, HEADED, PLAIN_WEIGHTS, TooSlow, deadline
from .query import clean_query, match_expression

if TYPE_CHECKING:
    import apsw

    from .index_lists import IndexLists
    from .query import WordMatch
    from .question import Question
    from .view import Scope

_WORD_SECONDS = (0.3, 0.12, 0.08)
"""CPU seconds the words of one query may take, then fewer of them: half a second in all, and
CPU time so that an answer does not depend on what else the machine does."""


class WordsFound(NamedTuple):
    """What the words found: BM25 by chunk, the best chunks, and what was looked up for it."""

    bm25: dict[int, float]
    best: list[int]
    match: WordMatch


def chunks_by_words(
    lists: IndexLists,
    question: Question,
    limit: int,
    scope: Scope,
    notices: list[str],
) -> WordsFound:
    """BM25 of the chunks that hold words of a question, and the `limit` best of them.

    Where looking the words up takes too long, fewer are looked up, and `notices` get that.
    """
    match = question.match
    if not match.any or question.mode == "vector":
        return WordsFound({}, [], match)
    weights = PLAIN_WEIGHTS if question.mode == "keyword" else HEADED
    for any_, seconds in zip(_fewer_words(question), _WORD_SECONDS, strict=False):
        tried = match._replace(any=any_)
        try:
            bm25, first = lists.best(tried, limit, weights, scope, seconds)
        except TooSlow:
            continue
        if any_ != match.any:
            notices.append("common words were left out, because looking them up took too long")
        return WordsFound(bm25, first, tried)
    notices.append("looking up the words took too long: the answer is partial")
    return WordsFound({}, [], match)


def notes_by_words(
    lists: IndexLists,
    match: WordMatch,
) -> dict[int, float]:
    """BM25 of whole notes; none where it takes too long."""
    if not match.any:
        return {}
    try:
        return lists.note_scores(match, _WORD_SECONDS[0])
    except TooSlow:
        return {}


def names_by_words(
    db: apsw.Connection,
    question: Question,
    match: WordMatch,
) -> dict[int, float]:
    """BM25 of the name of a note that holds every word asked for, where words alone count: of its
    file name, its title or an alias, whichever is best.

    None where something is excluded or has to stand in the hit, or where it takes too long. A name
    that holds only some of the words adds nothing: in most questions about a person a bare page
    with the person's name would come first (measured on dialogue: R@1 .07, else .50).
    """
    if question.mode != "keyword":
        return {}
    if not match.phrases or match.must or match.must_not:
        return {}
    every = " AND ".join(match.phrases)
    sql = "SELECT rowid, -rank FROM name_fts WHERE name_fts MATCH ? ORDER BY rank LIMIT ?"
    try:
        with deadline(db, _WORD_SECONDS[0]):
            rows: list[Any] = db.execute(sql, (every, DEPTH)).fetchall()
    except TooSlow:
        return {}
    if len(rows) == DEPTH:
        rows = [row for row in rows if row[1] > rows[-1][1]]
    if not rows:
        return {}
    scores = dict(rows)
    pairs = ",".join([f"({number >> 20},{number & 0xFFFFF})" for number in scores])
    sql = (
        f"SELECT note, note << 20 | ordinal FROM name WHERE (note, ordinal) IN (VALUES {pairs})"
        " AND source IN ('file', 'title', 'alias')"
    )
    found: dict[int, float] = {}
    for note, number in db.execute(sql):
        found[note] = max(found.get(note, 0.0), scores[number])
    return found


def _fewer_words(question: Question) -> Iterator[str]:
    """The words to look up, and what to try instead where that takes too long: without those that
    carry a question's grammar, then only the four longest."""
    yield question.match.any
    content = clean_query(question.text)
    few = sorted(content.words, key=len, reverse=True)[:4]
    for fewer in (
        match_expression(content),
        match_expression(content._replace(words=tuple(few), stems=())),
    ):
        if fewer and fewer != question.match.any:
            yield fewer
