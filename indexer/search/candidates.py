"""The candidates of a question: what each leg names, and what the others say of that.

A leg is a function from the question to chunks or notes, mostly in a module `by_…`.
`Gathering.within` asks each that is known before ranking, and puts what they say into `Legs`;
`ranking` adds who says a line (`speaker`), which needs its text; `fusion` weighs all of it.
`by_links` is no leg but a factor of the score, and `by_tasks` answers instead of a search.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.record import NamedTuple

from .by_days import carried_days, chunks_of_daily_note
from .by_names import named_facts, named_notes, standing_for
from .by_vectors import chunks_by_vectors
from .by_words import chunks_by_words, names_by_words, notes_by_words
from .candidate import Legs, MeantLegs, holds_word
from .fusion import COSINE_TOLD, always_weighed, near_enough, places_by_value
from .query import SEARCH_POOL

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence
    from datetime import date

    from .by_vectors import Embedded
    from .by_words import WordsFound
    from .index_lists import IndexLists
    from .question import Question
    from .view import Rows, Scope, View


class Pool(NamedTuple):
    """The candidates of a question: rows of chunks by number, the legs of those that may be hits,
    how many were left out by why, and what each was judged to be worth, and when last.

    `anyway` are those that stand in it whatever their words; what is set `aside` says nothing of
    whether a word was found.
    """

    rows: Rows
    legs: dict[int, Legs]
    judged: Mapping[int, tuple[int, date | None]]
    anyway: Collection[int]
    filtered: dict[str, int]
    aside: Collection[int] = ()


class Gathering(NamedTuple):
    """The legs of one question, asked within a scope."""

    view: View
    lists: IndexLists
    question: Question
    embedded: Embedded
    notices: list[str]

    def pool(self) -> Pool:
        """Every chunk a leg names, with its exact legs; what status and privacy forbid is left out.

        Only filters that ask for more are put to SQL, unless the forbidden took most of the lists
        or any is private.
        """
        view = self.view
        pool = self.within(view.first_scope())
        any_private = any(row.private for row in pool.rows.values())
        if any_private and not view.filters.private:
            pool = self.within(view.scope(strict=False))
        allowed: dict[int, Legs] = {}
        counts: dict[str, int] = {}
        for number, legs in pool.legs.items():
            why = view.barred(pool.rows[number])
            if not why:
                allowed[number] = legs
            elif legs.bm25 > 0 or legs.cosine >= COSINE_TOLD:
                counts[why] = counts.get(why, 0) + 1
        barred = len(pool.legs) - len(allowed)
        if barred > SEARCH_POOL // 2:
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
        words = chunks_by_words(
            self.lists,
            question,
            SEARCH_POOL,
            scope,
            self.notices,
        )
        near = chunks_by_vectors(self.lists, question, self.embedded, SEARCH_POOL, scope)
        facts = named_facts(db, question, scope)
        anyway = [*question.listed] or chunks_of_daily_note(db, question, scope)
        ids = anyway
        if not question.listed:
            ids = [*facts, *words.best, *near, *anyway]
        rows = self.view.rows(dict.fromkeys(ids))
        titled = names_by_words(db, question, words.match)
        forms = words.match.phrases
        named = named_notes(self.view, question, forms, self.embedded.worth)
        names = named.near | dict.fromkeys(titled, 1.0)
        shown = {row.note for row in rows.values() if not self.view.barred(row)}
        others = {*names, *named.whole} - shown
        rows |= self.view.rows(standing_for(db, others, scope))
        legs = self._legs(rows, words, titled, names, facts)
        if question.query.fusion == "rrf":
            _add_places(legs, words.best, near)
        if not facts:
            self._add_whole_names(legs, rows, named.whole)
        aside = self._aside(rows, legs) if question.is_default else ()
        kept = near_enough(
            legs,
            readable=self.embedded.readable,
            cut=question.is_default,
            aside=aside,
        )
        kept |= {number: legs[number] for number in anyway}
        return Pool(
            rows=rows,
            legs=kept,
            judged=judged_chunks(self.view, rows),
            anyway=anyway,
            filtered={},
            aside=aside,
        )

    def _aside(
        self,
        rows: Rows,
        legs: Mapping[int, Legs],
    ) -> Collection[int]:
        """The candidates of notes for programs, where no other holds a word of the question; none
        where there are no others, or where every word of it is held by such a note."""
        question = self.question
        behind = {at for at in legs if question.puts_behind(rows[at].path)}
        if not behind or len(behind) == len(legs):
            return ()
        holding = {at for at, each in legs.items() if holds_word(each)}
        if holding and holding <= behind:
            from .weakness import unknown

            missing = unknown(self.view.db, question.words, private=self.view.filters.private)
            return behind if missing else ()
        return behind

    def _legs(
        self,
        rows: Rows,
        words: WordsFound,
        titled: Mapping[int, float],
        names: Mapping[int, float],
        facts: Collection[int],
    ) -> dict[int, Legs]:
        """What the legs say of each of these chunks; `titled` is the BM25 of the names of notes,
        `names` how near they are, `facts` are those the question names by their ids."""
        question = self.question
        vector = self.embedded.vector
        ids = list(rows)
        cosines: Mapping[int, float] = {}
        if vector and ids:
            cosines = self.lists.cosines(vector, ids)
        notes: Mapping[int, float] = {}
        if question.is_default:
            notes = notes_by_words(self.lists, words.match)
        days = question.listed or carried_days(self.view.db, question.days, ids)
        legs = {}
        for number, row in rows.items():
            own = words.bm25.get(number, 0.0)
            meant = MeantLegs(
                id=float(number in facts),
                name=names.get(row.note, 0.0),
                day=days.get(number, 0.0),
            )
            legs[number] = Legs(
                bm25=own + titled.get(row.note, 0.0),
                cosine=cosines.get(number, 0.0),
                note=notes.get(row.note, 0.0),
                meant=meant,
            )
        return legs

    def _add_whole_names(
        self,
        legs: dict[int, Legs],
        rows: Rows,
        whole: Mapping[int, float],
    ) -> None:
        """Add to the best chunk of each note whose whole name the question is what that counts."""
        trust = self.embedded.trust

        def value(number: int) -> tuple[float, int]:
            likeness = always_weighed(legs[number], 0.0, trust)
            return sum(likeness.values()), -rows[number].ordinal

        best: dict[int, int] = {}
        for number in legs:
            row = rows[number]
            if row.note in whole and not self.view.barred(row):
                other = best.get(row.note, number)
                best[row.note] = max(other, number, key=value)
        for note, number in best.items():
            meant = legs[number].meant._replace(exact=whole[note])
            legs[number] = legs[number]._replace(meant=meant)


def _add_places(
    legs: dict[int, Legs],
    words: Sequence[int],
    near: Sequence[int],
) -> None:
    """Add to the legs their places in the lists of words and of vectors."""
    by_words = places_by_value({number: legs[number].bm25 for number in words})
    by_vectors = places_by_value({number: legs[number].cosine for number in near})
    for number, each in legs.items():
        legs[number] = each._replace(
            bm25_rank=by_words.get(number, 0),
            vector_rank=by_vectors.get(number, 0),
        )


def judged_chunks(
    view: View,
    ids: Iterable[int],
) -> dict[int, tuple[int, date | None]]:
    """The chunks among these whose facts something was said of: what, and the day of the last
    word on each."""
    any_is = "SELECT 1 FROM usage INDEXED BY usage_judged WHERE score != 0 OR ranked > 0 LIMIT 1"
    if view.db.execute(any_is).get is None:
        return {}
    sql = (
        "SELECT chunk.id, score, ranked FROM chunk JOIN usage ON usage.ref = chunk.fact "
        f"WHERE chunk.id IN ({','.join(map(str, ids))}) AND (score != 0 OR ranked > 0)"
    )
    judged = {}
    for number, score, when in view.db.execute(sql):
        judged[number] = (score, view.clock.day_of(when))
    return judged
