"""Findings of `doctor` about links, shared names and ids of facts."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from aurelius.answers import doctor_links
from aurelius.answers.doctor_links import of_facts, of_links, of_names
from indexer.catalog.graph import Broken
from indexer.catalog.names import Called
from indexer.note import Fact
from indexer.reading.parse import parse
from indexer.refresh.refresh import refresh
from indexer.settings import Settings


def test_of_many_links_to_a_note_that_is_not_written_the_first_four_are_named() -> None:
    links = [Broken(f"{number}.md", 1, "unwritten", "gone", "no such note") for number in range(1, 7)]
    places = "2.md:1, 3.md:1, 4.md:1"
    assert doctor_links._of_many("gone", links[:4]).message == f"there is no note 'gone'; also at {places}"
    assert doctor_links._of_many("gone", links).message.endswith(f"; also at {places} and 2 more places")


def test_a_missing_note_is_told_once_however_it_is_linked_to(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    settings = Settings(str(root), str(tmp_path / "index"))
    (root / "a.md").write_text(
        "# A\n[x](Nowhere.md) [[nowhere]] [[Nowhere]]\n[[Nowhere]] [y](nowhere.md)\n[z](gone.md)\n"
    )
    index, _ = refresh(settings, now=1_900_000_000.0)
    found = [(each.line, each.code, each.message) for each in of_links(index.db, settings, private=False)]
    index.close()
    assert sorted(found) == [
        (2, "unwritten", "there is no note 'nowhere'; also at a.md:3"),
        (4, "broken-link", "broken link to 'gone.md': no such note"),
    ]


def test_many_links_of_a_note_to_headings_that_do_not_exist_are_told_in_one_line(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    settings = Settings(str(root), str(tmp_path / "index"))
    (root / "many.md").write_text("# Many\n" + "".join(f"[{each}](#fn-{each})\n" for each in range(1, 6)))
    told = "5 links to headings that do not exist: '#fn-1' at line 2, '#fn-2' at line 3, '#fn-3' at line 4"
    told += " and 2 more (aurelius links many.md --all)"
    (root / "few.md").write_text("# Few\n[[many#Gone]] [[many#Away]] [[many#^nosuch]]\n")
    index, _ = refresh(settings, now=1_900_000_000.0)
    found = [(each.path, each.line, each.message) for each in of_links(index.db, settings, private=False)]
    index.close()
    assert sorted(found) == [
        ("few.md", 2, "broken link to 'many#Away': no heading 'Away'"),
        ("few.md", 2, "broken link to 'many#Gone': no heading 'Gone'"),
        ("few.md", 2, "broken link to 'many#^nosuch': no block ^nosuch"),
        ("many.md", 2, told),
    ]


def test_names_that_two_notes_answer_to() -> None:
    def names(*called: Called) -> list[str]:
        return [each.path for each in of_names(list(called)) if each.code == "ambiguous-name"]

    joe = Called("people/joe.md", "Joe", ("Boss",), "person", None)
    assert names(joe, Called("people/j2.md", "Joe", (), "person", None)) == ["people/j2.md"]
    assert names(joe, Called("people/ann.md", "Ann", ("boss",), "person", None)) == ["people/ann.md"]
    assert names(joe, Called("notes/boss.md", "X", (), "note", None)) == ["notes/boss.md"]
    assert names(joe, Called("archives/joe.md", "Joe", ("Boss",), "archive", None)) == []
    readme = [Called(f"{each}/index.md", "Index", (), "note", None) for each in "abc"]
    assert names(*readme) == []


if sys.platform != "win32":

    def test_names_that_differ_in_case_alone(tmp_path: Path) -> None:
        called = [Called(path, title, (), "note", None) for path, title in (("Joe.md", "1"), ("joe.md", "2"))]
        assert [(each.path, each.code) for each in of_names(called)] == [("joe.md", "case-clash")]


def facts_of(**notes: str) -> list[tuple[str, Fact]]:
    return [
        (note.path, fact)
        for name, text in notes.items()
        for note in [parse(f"{name}.md", f"# N\n## Facts\n{text}".encode())]
        for fact in note.facts
    ]


def findings_of(facts: list[tuple[str, Fact]]) -> list[tuple[str, str]]:
    found = of_facts(facts, {path for path, _ in facts})
    return [(each.path, each.code) for each in found]


def test_facts_that_supersede_each_other_in_a_circle() -> None:
    one, two = "- a (2026-01-01, superseded by ^bbb222) ^aaa111\n", "- b (2026-01-02, superseded by ^aaa111) ^bbb222\n"
    assert findings_of(facts_of(x=one, y=two)) == [("x.md", "cycle")]
    assert findings_of(facts_of(x="- a (2026-01-01, superseded by ^aaa111) ^aaa111\n")) == [("x.md", "cycle")]
    assert findings_of(facts_of(x=one, y="- b ^bbb222\n")) == []
    one, two = "- a (2026-01-01, updates ^bbb222) ^aaa111\n", "- b (2026-01-02, updates ^aaa111) ^bbb222\n"
    assert findings_of(facts_of(x=one, y=two)) == [("x.md", "cycle")]
    assert findings_of(facts_of(x=one, y="- b ^bbb222\n")) == []


def test_a_chain_into_a_circle_ends() -> None:
    chain = (
        "- z (2026-01-01, superseded by ^aaa111) ^zzz000\n- a (2026-01-01, superseded by ^bbb222) ^aaa111\n"
        "- b (2026-01-01, superseded by ^aaa111) ^bbb222\n"
    )
    assert findings_of(facts_of(x=chain)) == [("x.md", "cycle")]


@pytest.mark.parametrize("word", ["superseded by", "updates", "contradicts", "because"])
def test_ids_that_nothing_has(word: str) -> None:
    assert findings_of(facts_of(x=f"- a (2026-01-01, {word} ^nope00) ^aaa111\n")) == [("x.md", "dangling-id")]
    assert findings_of(facts_of(x=f"- a (2026-01-01, {word} ^bbb222) ^aaa111\n", y="- b ^bbb222\n")) == []


def test_only_ids_of_ours_or_pointed_at_have_to_be_unlike() -> None:
    assert findings_of(facts_of(x="- a ^quote\n", y="- b ^quote\n")) == []
    assert findings_of(
        facts_of(x="- a ^quote\n", y="- b ^quote\n", z="- c (2026-01-01, updates ^quote) ^ccc333\n")
    ) == [("y.md", "duplicate-id")]
    assert findings_of(facts_of(x="- a ^abc123\n", y="- b ^abc123\n")) == [("y.md", "duplicate-id")]
    assert findings_of(facts_of(x="- a ^abc123\n- b ^abc123\n")) == []  # in one note, parsing tells
