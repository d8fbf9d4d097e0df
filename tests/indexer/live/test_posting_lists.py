"""Posting lists in memory: the rows and BM25 sums that FTS5 gives, whatever came and went meanwhile."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import apsw
import pytest

from indexer.live import posting_lists
from indexer.live.posting_lists import FRESH, LIST_SECONDS, PROOFS, Postings
from indexer.live.vector_matrix import numbers_of
from indexer.rows.schema import varints
from indexer.search.candidates import HEADED, PLAIN, TooSlow

WORDS = ("tea", "lamp", "harbour", "joe", "rust", "teas", "garden", "invoice")
PHRASES = ('"tea"', '"tea" *', '"joe" + "lamp"', '"rust"', '"nowhere"', 'text : "garden"')


class Table:
    """An FTS5 table with the columns of the index, and the lists of it that follow every change."""

    def __init__(self, room: int = 1 << 20) -> None:
        self.db = apsw.Connection(":memory:")
        self.db.execute("CREATE VIRTUAL TABLE held USING fts5(context, text, tags, grams, tokenize='porter unicode61')")
        self.lists = Postings("held", room)
        self.dice = random.Random(3)
        self.next = 1

    def row(self) -> tuple[str, ...]:
        return tuple(" ".join(self.dice.choices(WORDS, k=self.dice.randint(0, most))) for most in (4, 60, 2, 1))

    def sizes(self, ids: list[int]) -> list[tuple[int, int]]:
        """Words of each row, as FTS5 itself counts them."""
        found = []
        for number in ids:
            data: Any
            ((data,),) = self.db.execute("SELECT sz FROM held_docsize WHERE id = ?", (number,)).fetchall()
            found.append((number, sum(varints(bytes(data)))))
        return found

    def change(self, *, come: int = 0, go: int = 0, rows: Sequence[tuple[str, ...]] | None = None) -> None:
        """Rows go, others come, in the table and then in the lists."""
        gone = self.dice.sample(self.ids(), go)
        self.db.executemany("DELETE FROM held WHERE rowid = ?", [(number,) for number in gone])
        fresh = []
        for row in rows or [self.row() for _ in range(come)]:
            self.db.execute(
                "INSERT INTO held(rowid, context, text, tags, grams) VALUES (?, ?, ?, ?, ?)", (self.next, *row)
            )
            fresh.append(self.next)
            self.next += 1
        self.lists.change(numbers_of(gone), self.sizes(fresh))

    def ids(self) -> list[int]:
        return [int(str(number)) for (number,) in self.db.execute("SELECT rowid FROM held ORDER BY rowid")]

    def fts5(self, phrases: list[str], weights: str) -> dict[int, float]:
        sql = "SELECT rowid, -rank FROM held WHERE held MATCH ? AND rank MATCH ?"
        rows: list[Any] = self.db.execute(sql, (" OR ".join(phrases), f"bm25({weights})")).fetchall()
        return dict(rows)

    def scores(self, phrases: list[str], weights: str = PLAIN) -> dict[int, float] | None:
        found = self.lists.scores(self.db, phrases, weights)
        return None if found is None else dict(zip(found[0].tolist(), found[1].tolist(), strict=True))

    def same(self, *, times: int = 10) -> None:
        """Many questions are answered as FTS5 answers them, to the last bit."""
        for _ in range(times):
            phrases = self.dice.sample(PHRASES, self.dice.randint(1, 5))
            weights = self.dice.choice((PLAIN, HEADED))
            assert self.scores(phrases, weights) == self.fts5(phrases, weights), (phrases, weights)


@pytest.fixture
def table() -> Iterator[Table]:
    made = Table()
    yield made
    made.db.close()


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[int | None]:
    """Of each list that is read: among how many rows, or None for all."""
    found: list[int | None] = []
    whole: Callable[..., list[int]] = posting_lists._tallied

    def noticed(*given: Any, among: Any = None) -> list[int]:
        found.append(None if among is None else len(among))
        return whole(*given, among=among)

    monkeypatch.setattr(posting_lists, "_tallied", noticed)
    return found


def test_no_rows_and_no_hits_give_empty_lists(table: Table) -> None:
    assert table.scores(['"tea"']) == {}
    table.change(rows=[("", "joe", "", "")])
    assert table.scores(['"tea"', '"nowhere"']) == {}
    assert table.lists.ids().tolist() == [1]


def test_the_sums_are_those_of_fts5_to_the_last_bit_after_every_change(table: Table) -> None:
    table.change(come=120)
    table.same(times=60)
    for come, go in ((1, 0), (0, 1), (5, 5), (0, 40), (60, 0), (FRESH + 1, 30), (1, 1)):
        table.change(come=come, go=go)
        table.same()
        assert table.lists.ids().tolist() == table.ids()
    assert table.lists.exact


def test_headings_count_double_where_they_are_weighted_so(table: Table) -> None:
    table.change(rows=[("tea", "joe", "", ""), ("joe", "tea", "", "")])
    table.change(come=20)
    plain, headed = table.scores(['"tea"'], PLAIN), table.scores(['"tea"'], HEADED)
    assert plain is not None
    assert headed is not None
    assert plain[1] == plain[2]
    assert headed[1] > headed[2]


def test_a_word_that_most_rows_hold_still_counts_for_something(table: Table) -> None:
    table.change(rows=[("", "tea", "", "")] * 9 + [("", "joe", "", "")])
    found = table.scores(['"tea"'])
    assert found == table.fts5(['"tea"'], PLAIN)
    assert found
    assert min(found.values()) > 0


def test_a_phrase_that_stands_very_often_in_a_row_is_counted(table: Table) -> None:
    table.change(rows=[("", "tea " * 700, "", ""), ("", "tea joe", "", "")])
    assert table.scores(['"tea"']) == table.fts5(['"tea"'], PLAIN)


def test_an_edit_costs_a_look_at_the_rows_that_came(table: Table, read: list[int | None]) -> None:
    table.change(come=80)
    table.scores(['"tea"'])
    assert read == [None]
    table.scores(['"tea"'])
    assert read == [None], "nothing changed"
    table.change(come=3, go=2)
    table.scores(['"tea"'])
    assert read == [None, 3]
    table.change(go=2)
    table.scores(['"tea"'])
    assert read == [None, 3], "rows that only went need no look"
    table.change(come=FRESH + 1)
    table.scores(['"tea"'])
    assert read == [None, 3, None], "so many that it is read anew"
    assert table.scores(['"tea"']) == table.fts5(['"tea"'], PLAIN)


def test_a_list_older_than_what_is_remembered_is_read_anew(table: Table, read: list[int | None]) -> None:
    table.change(come=20)
    table.scores(['"tea"'])
    for _ in range(FRESH + 1):
        table.change(rows=[("", "lamp", "", "")])
    assert table.scores(['"tea"']) == table.fts5(['"tea"'], PLAIN)
    assert read == [None, None]


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
    assert table.scores(['"tea"', '"rust"']) == table.fts5(['"tea"', '"rust"'], PLAIN)
    table.db.execute("UPDATE held SET text = 'tea tea tea' WHERE rowid = 1")
    table.lists.change(numbers_of([1]), table.sizes([1]))
    assert table.scores(['"tea"', '"rust"']) == table.fts5(['"tea"', '"rust"'], PLAIN)


def test_what_takes_too_long_is_not_said_and_not_tried_again(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
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
    assert table.scores(['"joe"']) == table.fts5(['"joe"'], PLAIN), "another word is not held back by it"
    monkeypatch.setattr(posting_lists, "SECONDS", -1.0)
    assert table.scores(['"lamp"']) is None, "no time is left to read a list"
    assert table.scores(['"joe"']) == table.fts5(['"joe"'], PLAIN), "a list that is there takes none"


def test_a_machine_whose_sums_differ_from_fts5s_says_nothing(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    table.change(come=40)
    parts = Postings._parts
    monkeypatch.setattr(Postings, "_parts", lambda *given: parts(*given) * (1 + 2**-50))
    assert table.scores(['"tea"', '"joe"']) is None
    assert not table.lists.exact
    monkeypatch.undo()
    assert table.scores(['"tea"']) is None, "nothing is said any more"


def test_the_first_queries_alone_are_compared_with_fts5(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
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
