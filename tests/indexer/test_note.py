"""The nouns: what the docstrings promise of a note and its parts holds for what is read from files."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from indexer import note as module
from indexer.note import Note
from indexer.reading.chunk import chunks
from indexer.reading.parse import parse

ROOT = Path(__file__).resolve().parents[1] / "vaults"
NOTES = sorted(
    path
    for name in ("sample", "links", "tasks", "superseded", "unicode", "broken")
    for path in (ROOT / name).rglob("*.md")
)
TEXT = """---
date: 2026-01-03
tags: [green]
---
# Joe

Before: [[people/ann#Facts|Ann]], ![[pic.md#^abc]], [x](../a%20b.md), [web](https://example.com), [here](#Facts).

## Facts
- Likes tea
- Likes tea
- ~~Drinks coffee~~ (2026-01-02, superseded by ^new111) ^old111
- Drinks water (2026-01-04, decision, importance 0.5, pinned, from letter, because thirst) ^new111
"""


def one(text: str, path: str = "people/joe.md") -> Note:
    return parse(path, text.encode())


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_a_line_ends_at_each_of_the_three_line_ends(end: str) -> None:
    note = one(TEXT.replace("\n", end))
    assert note.lines == one(TEXT).lines
    assert [(fact.first, fact.last) for fact in note.facts] == [
        (10, 10),
        (11, 11),
        (12, 12),
        (13, 13),
    ]
    assert [link.line for link in note.links] == [7] * len(note.links)


def test_a_target_is_what_was_written_without_heading_block_and_label() -> None:
    links = {link.target: link for link in one(TEXT).links}
    assert set(links) == {"people/ann", "pic.md", "../a b.md", ""}, "a link to the web is none"
    ann, picture, other, same = (
        links[target] for target in ("people/ann", "pic.md", "../a b.md", "")
    )
    assert (ann.heading, ann.block, ann.label, ann.style, ann.embed) == (
        "Facts",
        "",
        "Ann",
        "wiki",
        False,
    )
    assert (picture.heading, picture.block, picture.embed) == ("", "abc", True)
    assert (other.style, other.embed, same.heading) == ("markdown", False, "Facts")


def test_equal_lines_of_a_note_have_keys_of_their_own_that_stay() -> None:
    first, second, *_ = one(TEXT).facts
    assert first.text == second.text == "Likes tea"
    for fact in (first, second):
        assert (fact.key[0], len(fact.key), fact.id) == ("h", 12, "")
        assert set(fact.key[1:]) <= set("0123456789abcdef")
    assert first.key != second.key
    assert [fact.key for fact in one(TEXT).facts] == [
        fact.key for fact in one("\n\n" + TEXT[TEXT.index("# Joe") :]).facts
    ]
    assert first.key != one(TEXT, "people/ann.md").facts[0].key, "the note's path is part of it"


def test_a_fact_is_apart_from_its_bullet_strike_tail_and_id() -> None:
    old, new = one(TEXT).facts[2:]
    assert (old.text, old.key, old.id, old.status, old.superseded_by) == (
        "Drinks coffee",
        "old111",
        "old111",
        "superseded",
        "new111",
    )
    assert (new.text, new.type, new.date, new.dated) == (
        "Drinks water",
        "decision",
        "2026-01-04",
        "line",
    )
    assert (new.importance, new.pinned, new.source, new.because) == (0.5, True, "letter", "thirst")
    assert new.heading == ("Joe", "Facts")
    assert one(TEXT).facts[0].dated == "note"
    daily = parse("memory/2026-02-03.md", b"- slept\n").facts[0]
    assert (daily.date, daily.dated) == ("2026-02-03", "name")
    assert one("## Facts\n- slept\n").facts[0][5:8] == (None, None, "")


@pytest.mark.parametrize("path", NOTES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_every_chunk_is_a_fact_or_properties_or_a_run_of_units_of_one_section(path: Path) -> None:
    note = parse(path.name, path.read_bytes())
    sections = {section.heading: section for section in note.sections}
    facts = {fact.key: fact for fact in note.facts}
    pieces = chunks(note)
    assert [chunk.ordinal for chunk in pieces] == list(range(len(pieces)))
    for chunk in pieces:
        assert note.title in chunk.context
        assert 1 <= chunk.first <= chunk.last <= max(len(note.lines), 1)
        if chunk.grain == "fact":
            fact = facts[chunk.fact]
            assert (chunk.first, chunk.last, chunk.status) == (fact.first, fact.last, fact.status)
        elif chunk.grain == "property":
            assert (chunk.fact, chunk.heading) == ("", ())
            assert all(": " in line for line in chunk.text.split("\n"))
        else:
            assert (chunk.grain, chunk.fact) == ("section", "")
            assert not sections or any(
                chunk.heading[: len(heading)] == heading for heading in sections
            )


def test_the_parts_are_values_that_cannot_be_changed() -> None:
    note = one(TEXT)
    for value in (
        note,
        note.facts[0],
        note.links[0],
        note.sections[0],
        note.sections[0].units[0],
        note.tags[0],
    ):
        for name in value._fields:
            with pytest.raises(AttributeError):
                setattr(value, name, None)
    assert one(TEXT) == note


def test_the_module_of_nouns_reads_and_writes_nothing() -> None:
    """It imports types alone, and holds no function."""
    tree = ast.parse(Path(module.__file__).read_text("utf-8"))
    imported = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert imported == {"__future__", "collections.abc", "indexer.record", "typing"}
    assert not [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.FunctionDef)]
