"""MaxSim: the shipped table of neighbours is what the weights say, and reranking is what it claims to be."""

from __future__ import annotations

import random

import pytest

from indexer.embed import Encoder, load
from indexer.maxsim import FLOOR, NEAREST, Neighbours, computed, maxsim, pack


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load()


def test_the_shipped_neighbours_are_those_of_the_weights(encoder: Encoder) -> None:
    rows = b"".join(encoder.row(token) for token in range(29_528))
    near = computed(rows, encoder.dim)
    for token in random.Random(7).sample(range(29_528), 200):
        assert encoder.near(token) == near(token)
        assert len(near(token)) <= NEAREST + 1
        assert min(near(token).values()) >= FLOOR


def test_a_packed_table_reads_back_as_computed() -> None:
    rows = bytes(random.Random(3).randrange(256) for _ in range(40 * 4))
    packed, near = Neighbours(pack(rows, 4), 40), computed(rows, 4)
    assert [packed(token) for token in range(40)] == [near(token) for token in range(40)]


def test_every_word_met_gives_one_and_none_gives_nothing() -> None:
    near = {1: {1: 1.0, 5: 0.6}, 2: {2: 1.0}}.__getitem__
    texts = [frozenset({1, 2, 9}), frozenset({5}), frozenset({9}), frozenset[int]()]
    assert maxsim([1, 2], [3.0, 1.0], near, texts) == pytest.approx([1.0, 0.6 * 3 / 4, 0.0, 0.0])


def test_the_best_of_several_counts_once() -> None:
    near = {1: {1: 1.0, 5: 0.6, 6: 0.8}}.__getitem__
    assert maxsim([1], [2.0], near, [frozenset({5, 6})]) == pytest.approx([0.8])


def test_words_without_weight_say_nothing() -> None:
    assert maxsim([], [], {1: {1: 1.0}}.__getitem__, [frozenset({1})]) == [0.0]


def test_a_car_is_near_an_automobile(encoder: Encoder) -> None:
    (car,), (automobile,) = encoder.ids("car"), encoder.ids("automobile")
    assert encoder.near(car)[automobile] > 0.7
