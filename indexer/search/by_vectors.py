"""The leg of meaning: the chunks whose vectors are nearest to the question's."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from math import log
from typing import TYPE_CHECKING

import apsw

from indexer.record import NamedTuple

if TYPE_CHECKING:
    from indexer.tokens.embed import Encoder

    from .index_lists import IndexLists
    from .question import Question
    from .view import Scope

_MOST_QUERY_TOKENS = 64
"""Tokens of a query that are embedded."""
_LEAST_TOKEN_LETTERS = 2.4
"""Letters of a question for each token the model reads in it, below which it is no language that
the model knows."""


def weights(
    db: apsw.Connection,
    tokens: Collection[int],
    total: int | None = None,
) -> dict[int, float]:
    """What each token tells: the fewer chunks have it, the more; `total` is how many vectors there
    are, where known."""
    if total is None:
        total = db.execute("SELECT count(*) FROM chunk_vec").get or 0
    marks = ",".join(map(str, tokens))
    sql = f"SELECT token, chunks FROM token_df WHERE token IN ({marks})"
    counts: dict[int, int] = dict(db.execute(sql))
    return {token: log(1 + total / (1 + counts.get(token, 0))) for token in tokens}


class Embedded(NamedTuple):
    """A question as the model reads it: its vector, b"" for none; its tokens, and what each tells;
    how much of it the model can read (`trust`), and whether it can read it at all."""

    encoder: Encoder | None
    vector: bytes = b""
    tokens: Sequence[int] = ()
    weights: Sequence[float] = ()
    trust: float = 1.0
    readable: bool = True

    def worth(
        self,
        word: str,
    ) -> float:
        """What a word of the question tells: as much as its rarest token."""
        if self.encoder is None:
            return 0.0
        known = dict(zip(self.tokens, self.weights, strict=True))
        return max((known.get(token, 0.0) for token in self.encoder.ids(word)), default=0.0)


def embed_question(
    question: Question,
    encoder: Encoder | None,
    lists: IndexLists,
) -> Embedded:
    """A question as the model reads it; without a vector where there is no `encoder`, or where the
    model can read none of it."""
    if encoder is None:
        return Embedded(None)
    text = " ".join((*question.words, *question.terms.phrases))
    ids = encoder.ids(text)
    trust = encoder.reads(text)
    letters = sum(map(str.isalnum, text))
    tokens = list(dict.fromkeys(ids))[:_MOST_QUERY_TOKENS]
    told = weights(lists.index.db, tokens, lists.vectors())
    worth = [told[token] for token in tokens]
    vector = encoder.vector(tokens, worth)
    if not any(vector) or (question.is_default and not trust):
        vector = b""
    return Embedded(
        encoder=encoder,
        vector=vector,
        tokens=tokens,
        weights=worth,
        trust=trust,
        readable=not text.isascii() or letters >= _LEAST_TOKEN_LETTERS * len(ids),
    )


def chunks_by_vectors(
    lists: IndexLists,
    question: Question,
    embedded: Embedded,
    limit: int,
    scope: Scope,
) -> list[int]:
    """The chunks that are nearest to a question in meaning."""
    if not embedded.vector:
        return []
    return lists.nearest(embedded.vector, limit, question.match, scope)
