"""Posting lists and vectors in memory give what SQL gives."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import apsw
import numpy as np
import pytest

from indexer.live import posting_lists
from indexer.live.posting_lists import (
    BLOCK,
    LIST_SECONDS,
    PROOFS,
    Matrix,
    Postings,
    grown,
    least,
)
from indexer.rows.schema import varints
from indexer.search.index_lists import HEADED, PLAIN_WEIGHTS, TooSlow


def numbers_of(values: Sequence[int]) -> Any:
    """Ids as an array."""
    return np.array(values, np.int32)


WORDS = ("tea", "lamp", "harbour", "joe", "rust", "teas", "garden", "invoice")
PHRASES = ('"tea"', '"tea" *', '"joe" + "lamp"', '"rust"', '"nowhere"', 'text : "garden"')


class Table:
    """An FTS5 table with the columns of the index, and the lists of it that follow every change."""

    def __init__(self, room: int = 1 << 20) -> None:
        self.db = apsw.Connection(":memory:")
        self.db.execute(
            "CREATE VIRTUAL TABLE held USING fts5(context, text, tags, grams, tokenize='porter unicode61')"
        )
        self.lists = Postings("held", room)
        self.dice = random.Random(3)
        self.next = 1

    def row(self) -> tuple[str, ...]:
        return tuple(
            " ".join(self.dice.choices(WORDS, k=self.dice.randint(0, most)))
            for most in (4, 60, 2, 1)
        )

    def sizes(self, ids: list[int]) -> Any:
        """Each row with its words, as FTS5 itself counts them."""
        found = []
        for number in ids:
            data: Any
            ((data,),) = self.db.execute(
                "SELECT sz FROM held_docsize WHERE id = ?", (number,)
            ).fetchall()
            found.append((number, sum(varints(bytes(data)))))
        return np.array(found, np.int32).reshape(-1, 2)

    def change(
        self, *, come: int = 0, go: int = 0, rows: Sequence[tuple[str, ...]] | None = None
    ) -> None:
        """Rows go, others come, in the table and then in the lists."""
        gone = self.dice.sample(self.ids(), go)
        self.db.executemany("DELETE FROM held WHERE rowid = ?", [(number,) for number in gone])
        fresh = []
        for row in rows or [self.row() for _ in range(come)]:
            self.db.execute(
                "INSERT INTO held(rowid, context, text, tags, grams) VALUES (?, ?, ?, ?, ?)",
                (self.next, *row),
            )
            fresh.append(self.next)
            self.next += 1
        self.lists.change(numbers_of(gone), self.sizes(fresh))

    def ids(self) -> list[int]:
        return [
            int(str(number))
            for (number,) in self.db.execute("SELECT rowid FROM held ORDER BY rowid")
        ]

    def fts5(self, phrases: list[str], weights: str) -> dict[int, float]:
        sql = "SELECT rowid, -rank FROM held WHERE held MATCH ? AND rank MATCH ?"
        rows: list[Any] = self.db.execute(
            sql, (" OR ".join(phrases), f"bm25({weights})")
        ).fetchall()
        return dict(rows)

    def scores(self, phrases: list[str], weights: str = PLAIN_WEIGHTS) -> dict[int, float] | None:
        found = self.lists.scores(self.db, phrases, weights)
        return (
            None if found is None else dict(zip(found[0].tolist(), found[1].tolist(), strict=True))
        )

    def same(self, *, times: int = 10) -> None:
        """Many questions are answered as FTS5 answers them, to the last bit."""
        for _ in range(times):
            phrases = self.dice.sample(PHRASES, self.dice.randint(1, 5))
            weights = self.dice.choice((PLAIN_WEIGHTS, HEADED))
            assert self.scores(phrases, weights) == self.fts5(phrases, weights), (phrases, weights)


@pytest.fixture
def table() -> Iterator[Table]:
    made = Table()
    yield made
    made.db.close()


def test_no_rows_and_no_hits_give_empty_lists(table: Table) -> None:
    assert table.scores(['"tea"']) == {}
    table.change(rows=[("", "joe", "", "")])
    assert table.scores(['"tea"', '"nowhere"']) == {}
    assert table.lists.ids().tolist() == [1]


def test_the_sums_are_those_of_fts5_to_the_last_bit_after_every_change(table: Table) -> None:
    table.change(come=120)
    table.same(times=60)
    for come, go in ((1, 0), (0, 1), (5, 5), (0, 40), (60, 0), (201, 30), (1, 1)):
        table.change(come=come, go=go)
        table.same()
        assert table.lists.ids().tolist() == table.ids()
    assert table.lists.exact


def test_headings_count_double_where_they_are_weighted_so(table: Table) -> None:
    table.change(rows=[("tea", "joe", "", ""), ("joe", "tea", "", "")])
    table.change(come=20)
    plain, headed = table.scores(['"tea"'], PLAIN_WEIGHTS), table.scores(['"tea"'], HEADED)
    assert plain is not None
    assert headed is not None
    assert plain[1] == plain[2]
    assert headed[1] > headed[2]


def test_a_word_that_most_rows_hold_still_counts_for_something(table: Table) -> None:
    table.change(rows=[("", "tea", "", "")] * 9 + [("", "joe", "", "")])
    found = table.scores(['"tea"'])
    assert found == table.fts5(['"tea"'], PLAIN_WEIGHTS)
    assert found
    assert min(found.values()) > 0


def test_a_phrase_that_stands_very_often_in_a_row_is_counted(table: Table) -> None:
    table.change(rows=[("", "tea " * 700, "", ""), ("", "tea joe", "", "")])
    assert table.scores(['"tea"']) == table.fts5(['"tea"'], PLAIN_WEIGHTS)


def test_lists_take_no_more_room_than_they_may_and_the_ones_used_last_stay() -> None:
    table = Table(room=3000)
    table.change(come=200)
    kept = []
    for word in WORDS * 2:
        table.scores([f'"{word}"'])
        kept.append(len(table.lists._lists))
        assert table.lists._bytes == sum(one.size for one in table.lists._lists.values()) <= 3000
    assert 0 < max(kept) < len(set(WORDS))
    assert next(reversed(table.lists._lists)) == (f'"{WORDS[-1]}"', False)


def test_a_list_that_is_brought_up_to_date_takes_the_place_of_the_old_one(table: Table) -> None:
    table.change(come=40)
    for _ in range(4):
        assert table.scores(['"tea"', '"joe"']) is not None
        table.change(come=3, go=1)
    assert table.scores(['"tea"', '"joe"']) is not None
    assert table.lists._bytes == sum(one.size for one in table.lists._lists.values())


def test_a_row_that_went_and_came_with_other_words_is_counted_once(table: Table) -> None:
    table.change(rows=[("", "tea", "", ""), ("", "tea lamp", "", ""), ("", "joe", "", "")])
    assert table.scores(['"tea"', '"rust"']) == table.fts5(['"tea"', '"rust"'], PLAIN_WEIGHTS)
    table.db.execute("UPDATE held SET text = 'tea tea tea' WHERE rowid = 1")
    table.lists.change(numbers_of([1]), table.sizes([1]))
    assert table.scores(['"tea"', '"rust"']) == table.fts5(['"tea"', '"rust"'], PLAIN_WEIGHTS)


def test_what_takes_too_long_is_not_said_and_not_tried_again(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.change(come=20)
    tried: list[float] = []

    @contextmanager
    def over(_: object, seconds: float) -> Iterator[None]:
        tried.append(seconds)
        yield
        raise TooSlow

    with monkeypatch.context() as slow:
        slow.setattr(posting_lists, "deadline", over)
        assert [table.scores(['"tea"']) for _ in range(3)] == [None] * 3
    assert tried == [LIST_SECONDS]
    assert table.scores(['"joe"']) == table.fts5(['"joe"'], PLAIN_WEIGHTS), (
        "another word is not held back by it"
    )
    monkeypatch.setattr(posting_lists, "SECONDS_A_LIST", -1.0)
    assert table.scores(['"lamp"']) is None, "no time is left to read a list"
    assert table.scores(['"joe"']) == table.fts5(['"joe"'], PLAIN_WEIGHTS), (
        "a list that is there takes none"
    )


def test_a_machine_whose_sums_differ_from_fts5s_says_nothing(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.change(come=40)
    parts = Postings._parts
    monkeypatch.setattr(Postings, "_parts", lambda *given: parts(*given) * (1 + 2**-50))
    assert table.scores(['"tea"', '"joe"']) is None
    assert not table.lists.exact
    monkeypatch.undo()
    assert table.scores(['"tea"']) is None, "nothing is said any more"


def test_the_first_queries_alone_are_compared_with_fts5(
    table: Table, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.change(come=40)
    asked: list[int] = []
    agrees = Postings._agrees

    def counted(*given: Any) -> bool:
        asked.append(1)
        return agrees(*given)

    monkeypatch.setattr(Postings, "_agrees", counted)
    for _ in range(PROOFS + 3):
        table.scores(['"tea"', '"joe"'])
    assert len(asked) == PROOFS


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
        rows = [(next_id + at * 3, vector(dice)) for at in range(dice.randint(600, 900))]
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
        assert products == [
            sum(a * b for a, b in zip(numbers(held[n]), numbers(query), strict=True)) for n in ids
        ]
        assert squares == [sum(a * a for a in numbers(held[n])) for n in ids]
    assert len(held) > BLOCK, "otherwise there was one block only"


def test_the_largest_sums_are_exact() -> None:
    """Vectors of 1,024 numbers at the very edge of an int8."""
    matrix = Matrix(1024)
    lowest, highest = bytes([128]) * 1024, bytes([127]) * 1024
    almost = bytes([127]) * 1023 + bytes([126])
    matrix.put([(1, lowest), (2, highest), (3, almost)])
    assert matrix.nearest(highest, 3, 9, None) == [2, 3, 1]
    assert matrix.products(lowest, [1, 2, 3])[1] == [
        1024 * 128**2,
        -1024 * 127 * 128,
        -128 * (1023 * 127 + 126),
    ]
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


def test_room_is_made_at_once_and_never_twice(dice: random.Random) -> None:
    """An index that is read for the first time tells how many vectors will come."""
    matrix = Matrix(DIM)
    matrix.make_room(2 * BLOCK + 1)
    before = matrix._ids
    assert (len(matrix), len(before)) == (0, 3 * BLOCK)
    for first in (1, 1 + BLOCK, 1 + 2 * BLOCK):
        matrix.make_room(1)
        matrix.put([(first + at, vector(dice)) for at in range(BLOCK)])
    assert matrix._ids is before
    assert len(matrix) == 3 * BLOCK


@pytest.mark.parametrize("values", ["even", "alike", "sorted", "endless", "misleading"])
@pytest.mark.parametrize("place", [1, 100, 1000, 20_000])
def test_the_value_at_a_place_is_that_of_all_values_in_order(values: str, place: int) -> None:
    """Whatever a sample says: many alike, in order, or without end."""
    numbers = np.random.default_rng(2).integers(0, 9 if values == "alike" else 10**6, 20_000)
    found = numbers.astype(np.float32)
    if values == "sorted":
        found = np.sort(found)[::-1]
    if values == "misleading":  # all that a sample sees is less than the rest
        found[::64] -= 10**6
    if values == "endless":
        found[: len(found) // 2] = np.inf
    assert least(found, place) == sorted(found.tolist())[place - 1]
