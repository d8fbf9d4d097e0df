"""doctor tells of ids that nothing has, that two facts have, and of facts that supersede each other."""

from __future__ import annotations

import pytest

from aurelius.answers.doctor_facts import of_facts
from indexer.note import Fact
from indexer.reading.parse import parse


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
