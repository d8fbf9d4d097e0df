"""Vectors in memory: nearest, products and what is kept, beside plain whole-number arithmetic."""

from __future__ import annotations

import random

import numpy as np
import pytest

from indexer.live.vector_matrix import BLOCK, Matrix, grown, numbers_of

DIM = 16
ALL = 10**6


def vector(dice: random.Random, dim: int = DIM) -> bytes:
    return bytes(dice.randrange(256) for _ in range(dim))


def numbers(data: bytes) -> list[int]:
    return memoryview(data).cast("b").tolist()


def apart(one: bytes, other: bytes) -> int:
    """Squared distance, in Python's own whole numbers."""
    return sum((a - b) ** 2 for a, b in zip(numbers(one), numbers(other), strict=True))


def nearest(held: dict[int, bytes], query: bytes, limit: int) -> list[int]:
    """The nearest `limit` and all as near as the last, without order among equals."""
    ranked = sorted(apart(each, query) for each in held.values())
    edge = ranked[min(limit, len(ranked)) - 1] if ranked else -1
    return sorted(number for number, each in held.items() if apart(each, query) <= edge)


@pytest.fixture
def dice() -> random.Random:
    return random.Random(5)


def test_an_empty_matrix_holds_nothing_and_finds_nothing() -> None:
    matrix = Matrix(DIM)
    assert len(matrix) == 0
    assert matrix.nearest(bytes(DIM), 3, 0, None) == []
    assert matrix.products(bytes(DIM), [1, 2]) == ([], [], [])
    matrix.drop(numbers_of([1, 5]))
    assert len(matrix) == 0


def test_what_came_and_went_is_what_is_found(dice: random.Random) -> None:
    """Over more than a block, with places used again, every answer is that of whole-number arithmetic."""
    matrix, held, next_id = Matrix(DIM), dict[int, bytes](), 1
    for _ in range(8):
        rows = [(next_id + at * 3, vector(dice)) for at in range(dice.randint(1, 900))]
        next_id = rows[-1][0] + 1
        matrix.put(rows)
        held.update(rows)
        gone = dice.sample(sorted(held), len(held) // 3)
        matrix.drop(numbers_of([*gone, next_id + 7]))
        for number in gone:
            del held[number]
        assert len(matrix) == len(held)
        query = vector(dice)
        for limit in (1, 10, len(held), ALL):
            found = matrix.nearest(query, limit, ALL, None)
            assert found is not None
            assert sorted(found) == nearest(held, query, limit)
            far = [apart(held[number], query) for number in found]
            assert far == sorted(far)
        ids, products, squares = matrix.products(query, [*sorted(held), next_id + 5])
        assert ids == sorted(held)
        assert products == [sum(a * b for a, b in zip(numbers(held[n]), numbers(query), strict=True)) for n in ids]
        assert squares == [sum(a * a for a in numbers(held[n])) for n in ids]
    assert len(held) > BLOCK, "otherwise there was one block only"


def test_the_largest_sums_are_exact() -> None:
    """Vectors of 1,024 numbers at the very edge of an int8."""
    matrix = Matrix(1024)
    lowest, highest = bytes([128]) * 1024, bytes([127]) * 1024
    almost = bytes([127]) * 1023 + bytes([126])
    matrix.put([(1, lowest), (2, highest), (3, almost)])
    assert matrix.nearest(highest, 3, 9, None) == [2, 3, 1]
    assert matrix.products(lowest, [1, 2, 3])[1] == [1024 * 128**2, -1024 * 127 * 128, -128 * (1023 * 127 + 126)]
    assert matrix.products(highest, [3])[2] == [1023 * 127**2 + 126**2]


def test_all_as_near_as_the_last_are_there_or_none_is_said(dice: random.Random) -> None:
    same, other = vector(dice), vector(dice)
    matrix = Matrix(DIM)
    matrix.put([(number, same) for number in range(1, 8)] + [(9, other)])
    assert sorted(matrix.nearest(same, 2, 6, None) or ()) == [1, 2, 3, 4, 5, 6, 7]
    assert matrix.nearest(same, 2, 5, None) is None, "seven are that near: two and five more"
    assert matrix.nearest(other, 1, 5, None) == [9]


def test_only_those_allowed_are_found(dice: random.Random) -> None:
    held = {number: vector(dice) for number in range(1, 300)}
    matrix = Matrix(DIM)
    matrix.put(list(held.items()))
    allowed = np.zeros(300, np.bool_)
    allowed[::7] = True
    some = {number: each for number, each in held.items() if number % 7 == 0}
    for limit in (1, 5, ALL):
        found = matrix.nearest(held[1], limit, ALL, allowed)
        assert sorted(found or ()) == nearest(some, held[1], limit)
    assert matrix.nearest(held[1], 5, ALL, np.zeros(300, np.bool_)) == []


def test_a_question_asked_again_sees_what_changed_meanwhile(dice: random.Random) -> None:
    query, near, far = bytes(DIM), bytes([1]) * DIM, bytes([9]) * DIM
    matrix = Matrix(DIM)
    matrix.put([(1, far)])
    assert matrix.nearest(query, 1, 9, None) == [1]
    matrix.put([(2, near)])
    assert matrix.nearest(query, 1, 9, None) == [2]
    assert matrix.nearest(query, 1, 9, None) == [2]
    matrix.drop(numbers_of([2]))
    assert matrix.nearest(query, 1, 9, None) == [1]
    assert matrix.products(query, [2]) == ([], [], [])


def test_a_vector_of_another_length_is_refused(dice: random.Random) -> None:
    for size in (DIM - 1, DIM + 1, 0):
        with pytest.raises(ValueError, match=r"reshape|size"):
            Matrix(DIM).put([(1, vector(dice, size))])


@pytest.mark.parametrize(("have", "want"), [(0, 1), (0, 0), (5, 5), (5, 6), (5000, 9000), (8, 2)])
def test_an_array_grows_at_its_end_and_never_shrinks(have: int, want: int) -> None:
    before = np.arange(have, dtype=np.int32)
    after = grown(before, want, -1)
    assert len(after) >= max(have, want)
    assert after.dtype == before.dtype
    assert after[:have].tolist() == before.tolist()
    assert set(after[have:].tolist()) <= {-1}
    if have >= want:
        assert after is before


def test_ids_come_as_an_array_of_whole_numbers() -> None:
    assert numbers_of(each for each in (3, 1)).tolist() == [3, 1]
    assert numbers_of([]).dtype == np.int32
