"""The candidates of a question: what each leg names, and what the others say of that.

A leg is a module `by_…` with a function from the question to chunks or notes. `gather` asks each,
`_legs` puts what they say into the fields of `Legs`, and `fusion` weighs these.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indexer.record import NamedTuple

from .by_days import carried_days, chunks_of_day
from .by_names import NONE_NAMED, named_facts, named_notes, standing_for
from .by_vectors import chunks_by_vectors
from .by_words import chunks_by_words, names_by_words, notes_by_words
from .candidate import ChunkRow, Legs
from .fusion import COSINE_TOLD, always_weighed, near_enough, places_by_value
from .query import SEARCH_POOL

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import date

    import apsw

    from .by_names import Named
    from .by_vectors import Embedded
    from .by_words import WordsFound
    from .index_lists import IndexLists
    from .question import Question
    from .view import Scope, View

    Rows = dict[int, ChunkRow]


class Pool(NamedTuple):
    """The candidates of a question: rows of chunks by number, the legs of those that may be hits,
    how many were left out by why, and what each was judged to be worth, and when last.

    `of_day` are those that stand in it for their day, whatever their words.
    """

    rows: Rows
    legs: dict[int, Legs]
    judged: Mapping[int, tuple[int, date | None]]
    of_day: Collection[int]
    filtered: dict[str, int]


class Gathering:
    """The legs of one question, asked within a scope."""

    def __init__(
        self,
        view: View,
        lists: IndexLists,
        question: Question,
        embedded: Embedded,
        notices: list[str],
    ) -> None:
        self.view = view
        self.lists = lists
        self.question = question
        self.embedded = embedded
        self.notices = notices

    def pool(self) -> Pool:
        """Every chunk a leg names, with its exact legs; what status and privacy forbid is left out.

        Only filters that ask for more are put to SQL, unless the forbidden took most of the lists
        or any is private.
        """
        view = self.view
        pool = self.within(view.first_scope())
        if not view.filters.private and any(row.private for row in pool.rows.values()):
            pool = self.within(view.scope(strict=False))
        allowed: dict[int, Legs] = {}
        counts: dict[str, int] = {}
        for number, legs in pool.legs.items():
            why = view.barred(pool.rows[number])
            if not why:
                allowed[number] = legs
            elif legs.bm25 > 0 or legs.cosine >= COSINE_TOLD:
                counts[why] = counts.get(why, 0) + 1
        if len(pool.legs) - len(allowed) > SEARCH_POOL // 2:
            pool = self.within(view.scope(strict=True))
            allowed = pool.legs
        return pool._replace(legs=allowed, filtered=counts)

    def within(
        self,
        scope: Scope,
    ) -> Pool:
        """The rows of every chunk that a leg names, and the legs of those that may be hits."""
        db = self.view.db
        question = self.question
        words = chunks_by_words(self.lists, question, SEARCH_POOL, scope, self.notices)
        near = chunks_by_vectors(self.lists, question, self.embedded, SEARCH_POOL, scope)
        facts = named_facts(db, question.words, scope) if question.is_default else set()
        if question.listed:
            of_day = [*question.listed]
            ids = of_day
        else:
            of_day = chunks_of_day(db, question, SEARCH_POOL, scope)
            ids = [*facts, *words.best, *near, *of_day]
        rows = self.view.rows(dict.fromkeys(ids))
        titled = names_by_words(db, question, words.match)
        named = self._named(words)
        shown = {row.note for row in rows.values() if not self.view.barred(row)}
        rows |= self.view.rows(
            standing_for(db, {*named.near, *named.whole, *titled} - shown, scope)
        )
        legs = self._legs(rows, words, named, facts)
        _add_names(legs, rows, titled)
        if question.query.fusion == "rrf":
            _add_places(legs, words.best, near)
        if not facts:
            self._add_whole_names(legs, rows, named.whole)
        kept = near_enough(legs, readable=self.embedded.readable, cut=question.is_default)
        kept |= {number: legs[number] for number in of_day}
        return Pool(rows=rows, legs=kept, judged=self._judged(rows), of_day=of_day, filtered={})

    def _named(
        self,
        words: WordsFound,
    ) -> Named:
        """The notes that the question names."""
        question = self.question
        if not question.is_default or (question.listed and question.words):
            return NONE_NAMED
        return named_notes(
            self.view.db,
            question.query.text,
            words.match.phrases,
            self.embedded.worth,
            private=self.view.filters.private,
        )

    def _legs(
        self,
        rows: Rows,
        words: WordsFound,
        named: Named,
        facts: Collection[int],
    ) -> dict[int, Legs]:
        """What the legs say of each of these chunks; `facts` are those the question names by their
        ids."""
        question = self.question
        vector = self.embedded.vector
        ids = list(rows)
        cosines = self.lists.cosines(vector, ids) if vector and ids else {}
        notes = notes_by_words(self.lists, words.match) if question.is_default else {}
        days = question.listed or carried_days(self.view.db, question.days, ids)
        return {
            number: Legs(
                bm25=words.bm25.get(number, 0.0),
                cosine=cosines.get(number, 0.0),
                note=notes.get(row.note, 0.0),
                id=float(number in facts),
                name=named.near.get(row.note, 0.0),
                day=days.get(number, 0.0),
            )
            for number, row in rows.items()
        }

    def _add_whole_names(
        self,
        legs: dict[int, Legs],
        rows: Rows,
        whole: Mapping[int, float],
    ) -> None:
        """Add to the best chunk of each note whose whole name the question is what that counts."""

        def value(number: int) -> tuple[float, int]:
            likeness = sum(always_weighed(legs[number], 0.0, self.embedded.trust).values())
            return likeness, -rows[number].ordinal

        for note, share in whole.items():
            own = [at for at in legs if rows[at].note == note and not self.view.barred(rows[at])]
            if own:
                best = max(own, key=value)
                legs[best] = legs[best]._replace(exact=share)

    def _judged(
        self,
        ids: Iterable[int],
    ) -> dict[int, tuple[int, date | None]]:
        """What was said of the facts of these chunks, and the day of the last word on each."""
        return {
            number: (score, self.view.clock.day_of(when))
            for number, score, when in judged_chunks(self.view.db, ids)
        }


def _add_names(
    legs: dict[int, Legs],
    rows: Rows,
    titled: Mapping[int, float],
) -> None:
    """Add to the BM25 of chunks that of the names of their notes."""
    for number, each in legs.items():
        value = titled.get(rows[number].note)
        if value:
            legs[number] = each._replace(bm25=each.bm25 + value, name=1.0)


def _add_places(
    legs: dict[int, Legs],
    words: Sequence[int],
    near: Sequence[int],
) -> None:
    """Add to the legs their places in the lists of words and of vectors."""
    by_words = places_by_value(words, {number: each.bm25 for number, each in legs.items()})
    by_vectors = places_by_value(near, {number: each.cosine for number, each in legs.items()})
    for number, each in legs.items():
        legs[number] = each._replace(
            bm25_rank=by_words.get(number, 0), vector_rank=by_vectors.get(number, 0)
        )


def judged_chunks(
    db: apsw.Connection,
    ids: Iterable[int],
) -> list[Any]:
    """The chunks among these whose facts something was said of: what, and when last, in unix
    seconds."""
    if (
        db.execute(
            "SELECT 1 FROM usage INDEXED BY usage_judged WHERE score != 0 OR ranked > 0 LIMIT 1"
        ).get
        is None
    ):
        return []
    sql = (
        "SELECT chunk.id, score, ranked FROM chunk JOIN usage ON usage.ref = chunk.fact "
        f"WHERE chunk.id IN ({','.join(map(str, ids))}) AND (score != 0 OR ranked > 0)"
    )
    return db.execute(sql).fetchall()
