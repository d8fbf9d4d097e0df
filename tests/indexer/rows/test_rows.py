"""Rows put, deleted, got."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from indexer.disk.walk import kept_verdicts
from indexer.note import Chunk
from indexer.reading.chunk import chunks
from indexer.reading.parse import parse
from indexer.rows import schema
from indexer.rows.rows import PARTS, Index, ReadNote, create_index

TEXT = """---
aliases: [J]
tags: [friend]
---
# Joe

## Facts
- Lives in Rome (2026-02-01) ^abc123
- Likes [[tea]] #green

## Tasks
- [ ] Call him
"""


def entry(path: str, text: str, *, size: int = 1) -> ReadNote:
    note = parse(path, text.encode())
    return ReadNote(note, chunks(note), (size, 2, 3, 4), False, text.encode()[:32])


def tokens(chunk: Chunk) -> list[int]:
    """A token is the length of a word."""
    return sorted(len(word) for word in f"{chunk.context} {chunk.text}".split())


def grams(text: str) -> str:
    return "gram" if "茶" in text else ""


class Writer:
    """An index in memory, and what was embedded."""

    def __init__(self) -> None:
        self.index = create_index("", ":memory:")
        self.embedded: list[str] = []

    def put(self, *entries: ReadNote) -> None:
        def embed(fresh: Sequence[Chunk]) -> list[bytes]:
            self.embedded += [chunk.text for chunk in fresh]
            return [chunk.text.encode().ljust(4)[:4] for chunk in fresh]

        with self.index.db:
            self.index.put(entries, embed, tokens, grams)

    def all(self, sql: str, *values: Any) -> list[Any]:
        return self.index.db.execute(sql, values).fetchall()


@pytest.fixture
def writer() -> Iterator[Writer]:
    made = Writer()
    yield made
    made.index.close()


def counted(writer: Writer) -> bool:
    """Whether token_df is what the chunks' texts give."""
    expected: dict[int, int] = {}
    for context, text in writer.all("SELECT context, text FROM chunk"):
        for token in {len(word) for word in f"{context} {text}".split()}:
            expected[token] = expected.get(token, 0) + 1
    return dict(writer.all("SELECT * FROM token_df")) == expected


def test_a_note_and_all_its_parts(writer: Writer) -> None:
    one = entry("people/joe.md", TEXT)
    writer.put(one)
    row = writer.all(
        "SELECT path, size, mtime_ns, ctime_ns, inode, kind, title, private, aliases, lines FROM note"
    )
    assert row == [("people/joe.md", 1, 2, 3, 4, "person", "Joe", 0, '["J"]', len(one.note.lines))]
    assert writer.all("SELECT key, status FROM fact ORDER BY ordinal") == [
        (f.key, f.status) for f in one.note.facts
    ]
    assert (
        json.loads(writer.all("SELECT detail FROM fact WHERE key='abc123'")[0][0])[2]
        == "Lives in Rome"
    )
    assert writer.all("SELECT target FROM link") == [("tea",)]
    assert set(writer.all("SELECT name FROM tag")) == {("friend",), ("green",)}
    assert writer.all("SELECT text, done FROM task") == [("Call him", 0)]
    assert writer.all("SELECT text FROM chunk ORDER BY ordinal") == [
        (chunk.text,) for chunk in one.chunks
    ]
    assert len(writer.embedded) == len(one.chunks) == len(writer.all("SELECT * FROM chunk_vec"))
    assert writer.all("SELECT count(*) FROM chunk_fts WHERE chunk_fts MATCH 'rome'") == [
        (2 if len(one.chunks) > 3 else 1,)
    ]
    assert counted(writer)


def test_the_names_of_a_note_and_the_labels_of_its_links(writer: Writer) -> None:
    text = (
        "---\naliases: [J, 茶道]\n---\n# Joe Bloggs\n[[visa|permit papers]] and [Anna](anna.md)\n"
    )
    writer.put(entry("people/joe.md", text))
    rows = writer.all(
        "SELECT ordinal, source, text, folded, target, grams FROM name ORDER BY ordinal"
    )
    assert rows == [
        (0, "file", "joe", "joe", "", ""),
        (1, "title", "Joe Bloggs", "joebloggs", "", ""),
        (2, "alias", "J", "j", "", ""),
        (3, "alias", "茶道", "茶道", "", "gram"),
        (4, "link", "permit papers", "permitpapers", "visa", ""),
    ]
    found = "SELECT name.text FROM name_fts JOIN name ON note = rowid >> 20 AND ordinal = rowid & 0xFFFFF "
    assert writer.all(found + "WHERE name_fts MATCH 'permits'") == [("permit papers",)]
    assert writer.all(found + "WHERE name_fts MATCH 'gram'") == [("茶道",)]
    assert writer.all(
        "SELECT count(*) FROM note_fts WHERE note_fts MATCH 'title: joe AND title: j'"
    ) == [(1,)]
    assert writer.all("SELECT count(*) FROM note_fts WHERE note_fts MATCH 'title: permit'") == [
        (0,)
    ]
    writer.put(entry("people/joe.md", text.replace("papers", "forms")))
    assert writer.all(found + "WHERE name_fts MATCH 'papers OR forms'") == [("permit forms",)]
    assert schema.faults(writer.index.db) == []


def test_half_a_surrogate_pair_is_replaced_in_a_name(writer: Writer) -> None:
    one = entry("a.md", "text\n")
    writer.put(one._replace(note=one.note._replace(aliases=("half \ud83d",))))
    assert writer.all("SELECT text FROM name WHERE source='alias'") == [("half ?",)]


def test_only_what_is_new_is_embedded(writer: Writer) -> None:
    """A line inserted at the top embeds one chunk, not a hundred, and rows keep their numbers."""
    text = "# T\n" + "".join(f"## Part {n}\nword{n}\n" for n in range(20))
    writer.put(entry("a.md", text))
    before = dict(writer.all("SELECT text, id FROM chunk"))
    writer.embedded.clear()
    writer.put(entry("a.md", text.replace("# T\n", "# T\nnew line\n\n")))
    assert len(writer.embedded) == 1
    now = dict(writer.all("SELECT text, id FROM chunk"))
    assert {one: now[one] for one in before if one in now} == {
        one: before[one] for one in before if one in now
    }
    assert writer.all("SELECT first FROM chunk WHERE text='word19'") == [(43,)]
    assert counted(writer)


def test_equal_chunks_are_kept_apart(writer: Writer) -> None:
    writer.put(entry("a.md", "# A\nsame\n# A\nsame\n# A\nsame\n"))
    assert writer.all("SELECT first, last FROM chunk ORDER BY ordinal") == [(2, 2), (4, 4), (6, 6)]
    writer.put(entry("a.md", "# A\nsame\n# A\nother\n# A\nsame\n"))
    assert [text for (text,) in writer.all("SELECT text FROM chunk ORDER BY ordinal")] == [
        "same",
        "other",
        "same",
    ]
    assert writer.all("SELECT count(*) FROM chunk_vec") == [(3,)]


def test_a_deleted_note_leaves_no_row(writer: Writer) -> None:
    writer.put(entry("a.md", TEXT), entry("b.md", "# B\nkept\n"))
    kept = {table: writer.all(f"SELECT * FROM {table}") for table in PARTS}
    with writer.index.db:
        gone = writer.index.delete(["a.md", "never.md"])
    assert gone == len(entry("a.md", TEXT).chunks)
    assert writer.all("SELECT path FROM note") == [("b.md",)]
    assert len(writer.all("SELECT * FROM chunk")) == len(writer.all("SELECT * FROM chunk_vec")) == 1
    assert all(len(writer.all(f"SELECT * FROM {table}")) < len(kept[table]) for table in PARTS)
    for table, question in (
        ("chunk_fts", "rome OR kept"),
        ("note_fts", "rome OR kept"),
        ("name_fts", "joe OR b"),
    ):
        assert writer.all(f"SELECT count(*) FROM {table} WHERE {table} MATCH '{question}'") == [
            (1,)
        ]
    assert counted(writer)
    with writer.index.db:
        writer.index.delete(["b.md"])
    assert [
        writer.all(f"SELECT count(*) FROM {table}")
        for table in (*PARTS, "chunk", "chunk_vec", "token_df", "note")
    ] == [[(0,)]] * 9
    assert (
        writer.index.db.execute(
            f"SELECT count(*) FROM {schema.word_places(writer.index.db, 'main', 'name_fts')}"
        ).get
        == 0
    )


def test_a_move_keeps_rows_and_proves_nothing_yet(writer: Writer) -> None:
    writer.put(entry("a.md", TEXT), entry("b.md", "# B\nkept\n"))
    writer.embedded.clear()
    with writer.index.db:
        writer.index.move("a.md", "people/a.md")
        writer.index.move("b.md", "people/a.md")
    assert sorted(writer.index.get_keys()) == ["b.md", "people/a.md"], (
        "a place that is taken stays so"
    )
    assert writer.index.get_keys()["people/a.md"][0] == -1
    writer.put(entry("people/a.md", TEXT))
    assert writer.embedded == []
    assert writer.all("SELECT kind FROM note WHERE path='people/a.md'") == [("person",)]


@pytest.mark.parametrize("value", [b"\xff", "2026", 7, 1.5])
def test_meta_is_what_was_put(writer: Writer, value: Any) -> None:
    writer.index.put_meta("a", value)
    assert writer.index.get_meta("a") == writer.index.get_all_meta()["a"] == value
    writer.index.put_meta("a", None)
    assert writer.index.get_meta("a") is None


def test_keys_failures_verdicts(writer: Writer) -> None:
    index = writer.index
    writer.put(entry("a.md", "# A\n")._replace(racy=True), entry("b.md", "# A\n"))
    assert index.get_keys() == {"a.md": (1, 2, 3, 4), "b.md": (1, 2, 3, 4)}
    assert index.get_racy() == {"a.md": b"# A\n"}
    assert index.get_path_of(b"# A\n", {"b.md"}) == "b.md"
    assert index.get_path_of(b"# A\n", {"a.md", "b.md"}) == "a.md"
    assert index.get_path_of(b"other", {"a.md"}) is None
    index.put_keys([("a.md", (5, 6, 7, 8), False)])
    assert (index.get_keys()["a.md"], index.get_racy()) == ((5, 6, 7, 8), {})
    for failed, verdicts in (
        ({"c.md": "why"}, kept_verdicts({"x": True, "y": False, "z.md": True})),
        ({}, {}),
    ):
        index.put_failed(failed)
        index.put_verdicts(verdicts)
        assert (index.get_failed(), index.get_verdicts()) == (failed, verdicts)
    before = index.generation
    index.advance()
    assert index.generation == before + 1


def test_half_a_surrogate_pair_is_replaced_in_json(writer: Writer) -> None:
    one = entry("a.md", "# A\n")
    writer.put(one._replace(note=one.note._replace(front_matter={"x": "\ud83d"})))
    assert writer.all("SELECT front FROM note") == [('{"x":"?"}',)]


def test_closing_twice_does_nothing() -> None:
    index: Index = create_index("", ":memory:")
    index.close()
    index.close()


def test_no_number_of_a_chunk_is_used_twice(writer: Writer) -> None:
    """Whoever keeps chunks in memory compares numbers."""
    seen: set[int] = set()
    for number in range(3):
        writer.put(entry("joe.md", TEXT + f"- Number {number}\n"))
        ids = {found for (found,) in writer.all("SELECT id FROM chunk")}
        assert ids.isdisjoint(seen)
        seen |= ids
        with writer.index.db:
            writer.index.delete(["joe.md"])


def test_bytes_that_a_reader_elsewhere_still_looks_at_are_said_not_to_be_gone(
    tmp_path: Path,
) -> None:
    path = str(tmp_path / "index-1.db")
    made = create_index(str(tmp_path), path)
    schema.settle_database(made.db)
    with made.db:
        made.put([entry("a.md", TEXT)], None, tokens, grams)
    reader = schema.connect(path, write=False)
    with reader:
        assert reader.execute("SELECT count(*) FROM note").get == 1
        with made.db:
            made.delete(["a.md"])
            made.put_meta("purge", "rows")
        assert not made.purge()
    assert made.purge()
    assert made.get_meta("purge") is None
    reader.close()
    made.close()
