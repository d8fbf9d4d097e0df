"""How much texts hold of a question: its words, or words that mean nearly the same."""

from __future__ import annotations

from operator import mul
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.reading.path_meaning import unaccented
from indexer.spelling import group_pairs
from indexer.tokens.terms import differ_in_ending, unicode_words

from .by_vectors import weights
from .query import clean_query
from .text_content import unlinked

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from indexer.rows.rows import Index
    from indexer.tokens.embed import Encoder

    from .recalled import LinkedLine, Place, Recalled

    Held = tuple[float, ...]
    """For each word of the question how near the nearest of a text comes, from 0 to 1."""

_LEAST_WORD_COSINE = 0.5
"""A word of the question is held where a text has a word with this cosine or a higher one."""


class Bag(NamedTuple):
    """What a text holds: its tokens, and its words by their first two letters."""

    tokens: frozenset[Any]
    words: Mapping[str, list[str]]


class Coverage:
    """What texts hold of a question: its words, what each weighs, and how near a text comes to
    each.

    A text holds a word where it has it, whatever its ending, or by an embedding model one that
    means the same.
    """

    def __init__(
        self,
        index: Index,
        text: str,
        encoder: Encoder | None,
    ) -> None:
        self.words = tuple(dict.fromkeys(map(unaccented, clean_query(text).words)))
        self._ids: Callable[[str], Sequence[Any]] = unicode_words
        self._near: Callable[[Any], Mapping[Any, float]] = lambda word: {word: 1.0}
        if encoder is not None:
            self._ids = encoder.ids
            self._near = encoder.near
        self._tokens: dict[str, tuple[Any, ...]] = {
            word: tuple(dict.fromkeys(self._ids(word))) for word in self.words
        }
        worth: dict[Any, float] = {}
        if encoder is not None:
            worth = weights(index.db, sum(self._tokens.values(), ()))
        self.weights = []
        for tokens in self._tokens.values():
            weight = sum(worth.get(token, 1.0) for token in tokens)
            self.weights.append(weight or 1.0)
        self._lines: dict[Place, Held] = {}

    def bag(self, *texts: str) -> Bag:
        """What a text holds."""
        text = unaccented("\n".join(texts))
        spelt = set(unicode_words(text))
        return Bag(
            tokens=frozenset(self._ids(text)),
            words=group_pairs((word[:2], word) for word in spelt),
        )

    def held(
        self,
        bag: Bag,
    ) -> Held:
        """How near a text comes to each word of the question."""
        return tuple(self._nearness(word, bag) for word in self.words)

    def held_by(
        self,
        line: LinkedLine,
    ) -> Held:
        """The same of a line, each of which is read once."""
        if line.place not in self._lines:
            bag = self.bag(unlinked(line.says))
            self._lines[line.place] = self.held(bag)
        return self._lines[line.place]

    def weighed(
        self,
        held: Iterable[float],
    ) -> float:
        """The share of the question that is held, by weight, where so much of each word is."""
        shares: Iterable[float] = map(mul, held, self.weights)
        return sum(shares) / (sum(self.weights) or 1.0)

    def gain(
        self,
        held: Held,
        before: Held,
    ) -> float:
        """The share of the question that a text holds beyond another one, by weight."""
        pairs = zip(held, before, strict=True)
        return self.weighed(max(0.0, here - there) for here, there in pairs)

    def share(
        self,
        words: Collection[str],
    ) -> float:
        """How much of the question some of its words are, by weight."""
        return self.weighed(float(word in words) for word in self.words)

    def lacking(
        self,
        answers: Sequence[Recalled],
    ) -> list[str]:
        """The words of the question that no answer holds, nor what comes with one, by itself or by
        a near word."""
        lines: list[str] = []
        held: set[str] = set()
        for answer in answers:
            lines += [pulled.line.says for pulled in answer.chain]
            held.update(answer.holds)
        bag = self.bag(*lines)
        held.update(self.told(self.held(bag)))
        return [word for word in self.words if word not in held]

    def told(
        self,
        held: Held,
    ) -> tuple[str, ...]:
        """The words of the question that are held, by themselves or by a near one."""
        pairs = zip(self.words, held, strict=True)
        return tuple(word for word, value in pairs if value >= _LEAST_WORD_COSINE)

    def _nearness(
        self,
        word: str,
        bag: Bag,
    ) -> float:
        alike = bag.words.get(word[:2], ())
        if any(differ_in_ending(each, word) for each in alike):
            return 1.0
        tokens = self._tokens[word]
        if not tokens:
            return 0.0
        near = [self._nearest(token, bag.tokens) for token in tokens]
        return sum(near) / len(tokens)

    def _nearest(
        self,
        token: Any,
        bag: frozenset[Any],
    ) -> float:
        if token in bag:
            return 1.0
        kin = self._near(token)
        shared = kin.keys() & bag
        best = max((kin[each] for each in shared), default=0.0)
        if best < _LEAST_WORD_COSINE:
            return 0.0
        return best
