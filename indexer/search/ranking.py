"""The candidates of a question in their order."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from indexer.reading.path_meaning import is_archived
from indexer.tokens.maxsim import maxsim, unpack_bag

from .by_links import link_counts
from .candidate import Legs, holds_word
from .folding import fold_bare, is_bare, openings
from .fusion import COSINE_FLOOR, RERANK, foremost, fuse, order_hits, priors, score
from .query import may_be_said, may_name_a_person
from .view import Scope

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from .by_vectors import Embedded
    from .candidate import Candidate, Ranked
    from .candidates import Pool
    from .question import Question
    from .view import View


class Ranking:
    """How the candidates of a question are weighed."""

    def __init__(
        self,
        view: View,
        question: Question,
        embedded: Embedded,
        pool: Pool,
    ) -> None:
        self.view = view
        self.question = question
        self.embedded = embedded
        self.pool = pool
        self.today = date.fromisoformat(view.filters.as_of or view.clock.today.isoformat())

    def ranked(self) -> list[Ranked]:
        """Fuse, rerank and weigh the candidates, best first."""
        question = self.question
        encoder = self.embedded.encoder
        legs = self.pool.legs
        alone = self._is_alone()
        rows = self.pool.rows
        every = (self._weighed(rows[at], each, alone=alone) for at, each in legs.items())
        best = max((each.bm25 for each in legs.values()), default=0.0)
        if not question.is_default or encoder is None or question.listed:
            scored = (self._scored(one, best) for one in every)
            return order_hits(scored, properties_last=not question.is_default)
        trust = self.embedded.trust
        top = foremost(every, max(RERANK, question.query.limit), trust=trust)
        private = self.view.filters.private
        heard = self._with_speakers(top)
        top = link_counts(self.view.db, heard, private=private)
        nearness = maxsim(
            self.embedded.tokens,
            self.embedded.weights,
            encoder.near,
            [unpack_bag(one.tokens) for one in top],
        )
        return order_hits(
            self._scored(one, best, near) for one, near in zip(top, nearness, strict=True)
        )

    def _is_alone(self) -> bool:
        """Whether one word is asked for, and found well."""
        question = self.question
        one_word = len(question.words) == len(question.query.text.split()) == 1
        return question.is_default and one_word and not is_weak(question, self.pool, self.pool.legs)

    def _scored(
        self,
        one: Candidate,
        best: float,
        near: float = 0.0,
    ) -> Ranked:
        mode = self.question.mode
        legs = fuse(
            one.legs,
            mode=mode,
            fusion=self.question.query.fusion,
            best_bm25=best,
            maxsim=near,
            trust=self.embedded.trust,
        )
        factors = {} if self.question.listed else priors(one, mode=mode)
        return score(one, legs, factors)

    def _weighed(
        self,
        row: Candidate,
        legs: Legs,
        *,
        alone: bool = False,
    ) -> Candidate:
        """A candidate with these legs and what its priors depend on; `alone` says that the question
        is one word, and some hold it."""
        judged, day = self.pool.judged.get(row.id, (0, None))
        if day is None and row.date:
            day = date.fromisoformat(row.date)
        return row._replace(
            days=(self.today - day).days if day else None,
            archived=is_archived(row.path),
            legs=legs,
            score=judged,
            wordless=alone and not holds_word(legs),
        )

    def _with_speakers(
        self,
        top: Sequence[Candidate],
    ) -> Sequence[Candidate]:
        """The candidates, each with its speaker leg where the question names who says its lines."""
        asked = self.question.query.text
        if not may_name_a_person(asked):
            return top
        heard = []
        for one in top:
            legs = one.legs
            if may_be_said(one.text, self.question.words):
                from .speaker import said_by

                meant = legs.meant._replace(speaker=said_by(one.text, asked))
                legs = legs._replace(meant=meant)
            heard.append(one._replace(legs=legs))
        return heard

    def of(
        self,
        chunks: Sequence[int],
    ) -> dict[int, Candidate]:
        """These chunks as candidates, in their order."""
        rows = self.view.rows(chunks)
        return {number: self._weighed(rows[number], Legs()) for number in chunks}

    def without_bare(
        self,
        kept: list[Ranked],
    ) -> list[Ranked]:
        """The hits, in the default order with what says something instead of bare ones."""
        question = self.question
        if not question.is_default:
            return kept
        own = [one.candidate for one in kept[:RERANK] if one.candidate.grain != "fact"]
        bare = {one.id: one.note for one in own if is_bare(one, question.words)}
        if not bare:
            return kept
        scope = Scope("") if self.view.is_plain else self.view.scope(strict=True)
        first = self.of(openings(self.view.db, {*bare.values()}, scope))
        texts = {one.path: one for one in first.values() if not self.view.barred(one)}
        return fold_bare(kept, bare, texts)


def is_weak(
    question: Question,
    pool: Pool,
    found: Mapping[int, Legs],
) -> bool:
    """Whether no candidate holds a word of the question or is of its day; by vectors alone, whether
    none is near."""
    if question.mode == "vector":
        return all(legs.cosine < COSINE_FLOOR for legs in found.values())
    if question.missed:
        return True
    if pool.anyway or not question.words:
        return False
    return not any(holds_word(each) for at, each in found.items() if at not in pool.aside)
