"""MaxSim: the shipped table of neighbours is what the weights say, and reranking is what it claims to be."""

from __future__ import annotations

import random
import runpy
from pathlib import Path

import pytest

import indexer
from indexer.tokens.embed import Encoder, load_model
from indexer.tokens.maxsim import (
    LEAST_COSINE,
    MOST_NEIGHBOURS,
    Neighbours,
    computed,
    maxsim,
    pack_bag,
    unpack_bag,
)

SCRIPTS = Path(indexer.__file__).parent.parent / "scripts"
pack_neighbours = runpy.run_path(str(SCRIPTS / "packed_model.py"))["pack_neighbours"]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_model()


def test_the_shipped_neighbours_are_those_of_the_weights(encoder: Encoder) -> None:
    rows = b"".join(encoder.row(token) for token in range(29_528))
    near = computed(rows, encoder.dim)
    for token in random.Random(7).sample(range(29_528), 200):
        found = near(token)
        assert encoder.near(token) == found
        assert len(found) <= MOST_NEIGHBOURS + 1
        assert min(found.values()) >= LEAST_COSINE


def test_a_packed_table_reads_back_as_computed() -> None:
    rows = bytes(random.Random(3).randrange(256) for _ in range(40 * 4))
    packed, near = Neighbours(pack_neighbours(rows, 4), 40), computed(rows, 4)
    assert [packed(token) for token in range(40)] == [near(token) for token in range(40)]


@pytest.mark.parametrize("others", [MOST_NEIGHBOURS - 1, MOST_NEIGHBOURS, MOST_NEIGHBOURS + 1])
def test_a_token_has_no_more_neighbours_than_are_counted(others: int) -> None:
    rows = bytes([3, 4]) * (others + 1)
    assert len(computed(rows, 2)(0)) == min(others, MOST_NEIGHBOURS) + 1
    assert (
        len(Neighbours(pack_neighbours(rows, 2), others + 1)(0)) == min(others, MOST_NEIGHBOURS) + 1
    )


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


@pytest.mark.parametrize(
    "tokens", [[], [0], [7, 3, 7], [65_535], [65_536], [5, 1 << 20, 29_527], list(range(300))]
)
def test_a_bag_holds_its_tokens_once(tokens: list[int]) -> None:
    assert unpack_bag(pack_bag(tokens)) == frozenset(tokens)


def test_equal_tokens_make_equal_bags() -> None:
    assert pack_bag([9, 2, 9, 4]) == pack_bag([2, 4, 9])


def test_a_small_vocabulary_takes_two_bytes_a_token() -> None:
    assert len(pack_bag(range(100))) == 201
    assert len(pack_bag([65_536])) == 5
