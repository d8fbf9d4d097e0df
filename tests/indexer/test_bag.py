"""A bag of tokens is what was put into it, small where the numbers are."""

from __future__ import annotations

import pytest

from indexer.bag import pack, unpack
from indexer.bag import tokens as tokens_of


@pytest.mark.parametrize("tokens", [[], [0], [7, 3, 7], [65_535], [65_536], [5, 1 << 20, 29_527], list(range(300))])
def test_a_bag_holds_its_tokens_once(tokens: list[int]) -> None:
    assert unpack(pack(tokens)) == frozenset(tokens)
    assert tokens_of(pack(tokens)).tolist() == sorted(set(tokens))


def test_equal_tokens_make_equal_bags() -> None:
    assert pack([9, 2, 9, 4]) == pack([2, 4, 9])


def test_a_small_vocabulary_takes_two_bytes_a_token() -> None:
    assert len(pack(range(100))) == 201
    assert len(pack([65_536])) == 5
