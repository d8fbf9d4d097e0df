"""Vietnamese, whose words differ in their tones alone, is found no worse than by one table of whole notes."""

from __future__ import annotations

import time
import tomllib
from collections.abc import Callable, Iterator, Sequence
from datetime import datetime
from pathlib import Path

import apsw
import pytest

from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.rows.rows import Index
from indexer.search.query import SearchQuery
from indexer.search.search import search
from indexer.tokens.embed import load_model
from indexer.tokens.terms import unicode_words

CASES = Path(__file__).parents[1] / "cases" / "vietnamese.toml"
NOW = datetime(2026, 2, 10, 12)  # local, as a vault is
NOTES = tomllib.loads(CASES.read_text("utf-8"))["note"]
ASKED = [(question, at) for at, note in enumerate(NOTES) for question in note["asked"]]
HALVES = [
    (" ".join(unicode_words(question)[place::2]), at) for question, at in ASKED for place in (0, 1)
]
"""Every second word of each question."""

First = Callable[[str], int]


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    root = tmp_path_factory.mktemp("vietnamese")
    for at, note in enumerate(NOTES):
        (root / f"n{at:02}.md").write_text(note["text"] + "\n", "utf-8")
    made, _ = refresh(Settings(str(root), ""), now=time.time())
    yield made
    made.close()


def by_table() -> First:
    """The first note by BM25 of one stemmed table, the words of the question joined by OR."""
    db = apsw.Connection(":memory:")
    db.execute("CREATE VIRTUAL TABLE note USING fts5(text, tokenize='porter unicode61')")
    for at, note in enumerate(NOTES):
        db.execute("INSERT INTO note(rowid, text) VALUES(?, ?)", (at, note["text"]))

    def first(question: str) -> int:
        match = " OR ".join(f'"{word}"' for word in unicode_words(question))
        sql = "SELECT rowid FROM note WHERE note MATCH ? ORDER BY rank LIMIT 1"
        found = db.execute(sql, (match,)).get
        return -1 if found is None else int(found)

    return first


def by_search(index: Index, mode: str) -> First:
    """The first note of a search."""
    encoder = load_model()

    def first(question: str) -> int:
        hits = search(index, SearchQuery(question, mode), encoder, NOW).hits
        return int(hits[0].path[1:3]) if hits else -1

    return first


def share(first: First, asked: Sequence[tuple[str, int]]) -> float:
    return sum(first(question) == at for question, at in asked) / len(asked)


@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_tones_tell_words_apart(index: Index, mode: str) -> None:
    first = by_search(index, mode)
    plain = by_table()
    assert len(ASKED) == 123
    assert share(first, ASKED) >= share(plain, ASKED)
    assert share(first, HALVES) >= share(plain, HALVES) - 0.03


def test_words_typed_without_their_tones_find_what_has_them(index: Index) -> None:
    found = search(index, SearchQuery("ruong bac thang"), load_model(), NOW)
    assert NOTES[int(found.hits[0].path[1:3])]["text"].startswith("Thị trấn Sa Pa")
