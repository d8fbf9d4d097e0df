"""Which list items are facts, proposals and tasks, and of what type, status, date and scope."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from indexer.note import Fact, Note, Task
from indexer.reading.block_scanner import scan_blocks
from indexer.reading.facts import items
from indexer.reading.parse import parse


def note(text: str, path: str = "people/joe.md") -> Note:
    return parse(path, text.encode())


def facts(text: str, path: str = "people/joe.md") -> list[Fact]:
    return list(note(text, path).facts)


def texts(text: str, path: str = "people/joe.md") -> list[str]:
    return [fact.text for fact in facts(text, path)]


JOE = """---
type: person
aliases: [Joe, J. Bloggs]
updated: 2026-02-01
---
# Joe Bloggs

## Summary
- Friend who lives in Los Angeles.

## Facts
- Lives in Los Angeles (2026-02-01) ^k3v9qa
- Works at [[companies/techcorp]] as engineer (2026-01-15, milestone) ^p7x2mn
- Billed quarterly, not monthly (2026-01-20, from [[memory/2026-01-20]], because ^q2c8dd) ^w4n1zz
- Plays chess
- [ ] call him

## Relationships
- [[companies/techcorp]] - Employer
- [[people/sarah]] - Mutual friend

## History
- ~~Lives in San Diego~~ (2025-03-01 → 2026-02-01, superseded by ^k3v9qa) ^d8w4tt
- Has a dog

## Notes
- Met through Sarah at the conference in 2025.
"""


def test_an_entity_note() -> None:
    found = facts(JOE)
    assert [(fact.text, fact.type, fact.status, fact.date, fact.dated) for fact in found] == [
        ("Lives in Los Angeles", "fact", "active", "2026-02-01", "line"),
        ("Works at [[companies/techcorp]] as engineer", "fact", "active", "2026-01-15", "line"),
        ("Billed quarterly, not monthly", "fact", "active", "2026-01-20", "line"),
        ("Plays chess", "fact", "active", "2026-02-01", "note"),
        ("[[companies/techcorp]] - Employer", "relationship", "active", "2026-02-01", "note"),
        ("[[people/sarah]] - Mutual friend", "relationship", "active", "2026-02-01", "note"),
        ("Lives in San Diego", "fact", "superseded", "2025-03-01", "line"),
        ("Has a dog", "fact", "superseded", "2026-02-01", "note"),
    ]
    assert [fact.key for fact in found[:3]] == ["k3v9qa", "p7x2mn", "w4n1zz"]
    assert (found[2].source, found[2].because) == ("memory/2026-01-20", "^q2c8dd")
    assert (found[6].until, found[6].superseded_by) == ("2026-02-01", "k3v9qa")
    assert {fact.scope for fact in found} == {0.2}
    assert found[0].heading == ("Joe Bloggs", "Facts")
    assert (found[0].first, found[0].last) == (12, 12)


def test_related_are_the_line_s_links_then_the_note_s_relationships() -> None:
    found = facts(JOE)
    assert found[0].related == ("companies/techcorp", "people/sarah")
    assert found[1].related == ("companies/techcorp", "people/sarah")
    assert found[2].related == ("companies/techcorp", "people/sarah")
    assert found[5].related == ("people/sarah",)


# One list as five formatters leave it, and as Windows does.
SHAPES = {
    "plain": "- Likes *green* tea and [x] marks (2026-02-01, preference) ^k3v9qa\n- Second one here\n",
    "stars": "* Likes *green* tea and [x] marks (2026-02-01, preference) ^k3v9qa\n* Second one here\n",
    "plus": "+ Likes _green_ tea and [x] marks (2026-02-01, preference) ^k3v9qa\n+ Second one here\n",
    "wrapped": (
        "-   Likes _green_ tea and [x]\n    marks (2026-02-01,\n    preference)\n    ^k3v9qa\n"
        "-   Second\n    one here\n"
    ),
    "escaped": "* Likes *green* tea and \\[x] marks (2026-02-01, preference) ^k3v9qa\n* Second one here\n",
    "loose": "- Likes *green* tea and [x] marks (2026-02-01, preference) ^k3v9qa\n\n- Second one here\n",
    "lazy": "- Likes *green* tea and\n[x] marks (2026-02-01, preference) ^k3v9qa\n- Second one\nhere\n",
    "numbers": "1. Likes *green* tea and [x] marks (2026-02-01, preference) ^k3v9qa\n2. Second one here\n",
}


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_the_same_facts_from_every_formatter(shape: str, end: str) -> None:
    expected = facts("# Joe\n\n## Facts\n\n" + SHAPES["plain"])
    found = facts(("# Joe\n\n## Facts\n\n" + SHAPES[shape]).replace("\n", end))
    same = ("key", "id", "type", "status", "date", "tags", "heading")
    assert [[getattr(fact, name) for name in same] for fact in found] == [
        [getattr(fact, name) for name in same] for fact in expected
    ]
    assert [fact.text.replace("_", "*") for fact in found] == [
        "Likes *green* tea and [x] marks",
        "Second one here",
    ]


def test_nested_bullets_are_facts_of_their_own() -> None:
    found = facts("## Facts\n- Has kids\n  - Ann, 7\n    more of Ann\n  - Ben, 5\n- Likes tea")
    assert [(fact.text, fact.first, fact.last) for fact in found] == [
        ("Has kids", 2, 2),
        ("Ann, 7 more of Ann", 3, 4),
        ("Ben, 5", 5, 5),
        ("Likes tea", 6, 6),
    ]


def test_an_item_of_two_paragraphs_and_a_fence() -> None:
    (fact,) = facts(
        "## Facts\n- First part\n\n  second part (2026-02-01) ^abc123\n\n  ```\n  code\n  ```"
    )
    assert (fact.text, fact.id, fact.first, fact.last) == ("First part second part", "abc123", 2, 8)


@pytest.mark.parametrize(
    ("heading", "type_"),
    [
        ("Facts", "fact"),
        ("Preferences", "preference"),
        ("Likes & dislikes", "preference"),
        ("Decisions", "decision"),
        ("Rules", "instruction"),
        ("How-to", "instruction"),
        ("How to", "instruction"),
        ("Identity", "identity"),
        ("Timeline", "event"),
        ("Observations", "observation"),
        ("Plans", "plan"),
        ("Goals", "plan"),
        ("Opinions", "preference"),
        ("Views", "preference"),
        ("Milestones", "fact"),
        ("Status", "status"),
        ("Relationships", "relationship"),
        ("Relations", "relationship"),
        ("🏷️ Key facts:", "fact"),
        ("**Decisions** (2026)", "decision"),
    ],
)
def test_fact_headings_give_the_type_in_any_note(heading: str, type_: str) -> None:
    assert [
        fact.type for fact in facts(f"# Tea\n\n## {heading}\n- a\n\n## Other\n- b", "notes/tea.md")
    ] == [type_]


def test_the_tail_s_type_goes_before_the_heading_s() -> None:
    assert [
        fact.type for fact in facts("## Plans\n- a (2026-01-01, decision)\n- [rule] b\n- c")
    ] == [
        "decision",
        "instruction",
        "plan",
    ]


def test_what_stands_under_milestones_is_one_unless_its_line_says_otherwise() -> None:
    found = facts(
        "# J\n## Milestones\n- a\n- b (2026-01-01, event)\n## Facts\n- c\n- d (2026-01-01, milestone)"
    )
    assert [(fact.text, fact.type, fact.milestone) for fact in found] == [
        ("a", "fact", True),
        ("b", "event", False),
        ("c", "fact", False),
        ("d", "fact", True),
    ]


@pytest.mark.parametrize(
    ("path", "found"),
    [
        ("people/joe.md", ["a"]),
        ("projects/x.md", ["a"]),
        ("areas/x.md", ["a"]),
        ("companies/x.md", ["a"]),
        ("archives/x.md", ["a"]),
        ("resources/x.md", []),
        ("notes/x.md", []),
        ("people/_index.md", []),
    ],
)
def test_a_bullet_that_ends_in_a_date_is_a_fact_under_any_heading_of_a_note_about_one_thing(
    path: str, found: list[str]
) -> None:
    text = "# J\n\n## Notes\n- a (2026-01-01)\n- b\n- c (2026-01-01, so to say) and more\n- d (in 2026)\n"
    assert texts(text, path) == found
    assert texts(text.replace("Notes", "Summary"), path) == []


def test_its_date_may_be_its_last_day_and_it_may_be_struck() -> None:
    found = facts("# J\n## Notes\n- a (→ 2026-01-01)\n- ~~b~~ (2025-01-01 → 2026-01-01)\n- ~~c~~\n")
    assert [(fact.text, fact.until, fact.status) for fact in found] == [
        ("a", "2026-01-01", "active"),
        ("b", "2026-01-01", "superseded"),
    ]


def test_headings_that_articles_have_too_hold_facts_only_in_a_note_about_one_thing() -> None:
    for heading, type_ in (("Context", "fact"), ("Process", "instruction")):
        text = f"# J\n\n## {heading}\n- a\n"
        assert [fact.type for fact in facts(text)] == [type_]
        assert facts(text, "notes/j.md") == []
    assert facts("# J\n\n## Todo\n- buy paint\n") == []


def test_a_word_that_no_tail_has_is_told_with_its_line() -> None:
    found = note(
        "# J\n## Facts\n- a\n- b is\n  wrapped (2026-01-01, supersedes ^abc123, he/him)\n- c (2026-01-01, rule)\n"
    )
    assert [tuple(problem) for problem in found.problems] == [
        (
            5,
            "tail-word",
            "unknown word after the date: 'supersedes ^abc123'; did you mean 'updates ^abc123'?",
        ),
        (5, "tail-word", "unknown word after the date: 'he/him'"),
    ]


def test_a_note_that_is_one_memory_has_the_type_of_its_category_and_its_keywords() -> None:
    for category, said in (
        ("milestone", ("fact", "", True)),
        ("instruction/tool_usage", ("instruction", "tool_usage", False)),
        ("opinion", ("preference", "", False)),
    ):
        (fact,) = facts(
            f"---\ncategory: {category}\nkeywords: [jwt, user login]\ntags: [b]\n---\nSigned #c\n",
            "x.md",
        )
        assert (fact.type, fact.subtype, fact.milestone) == said
        assert fact.tags == ("b", "jwt", "user login", "c")


def test_sub_headings_of_a_fact_heading_hold_facts() -> None:
    assert texts("# T\n## Facts\n### Work\n- a\n### Home\n- b", "notes/t.md") == ["a", "b"]
    assert texts("# T\n## Facts\n### Work\n#### Deep\n- a", "notes/t.md") == []
    assert texts("# T\n## Facts\n### Work\n#### Deep\n- a", "people/t.md") == ["a"]


def test_a_title_names_a_subject() -> None:
    assert texts("# Rules\n- a\n## Links\n- b", "notes/rules.md") == ["a"]


@pytest.mark.parametrize("path", ["ME.md", "MEMORY.md", "memory/2026-02-01.md"])
def test_every_item_of_these_notes_is_a_fact(path: str) -> None:
    assert texts("- a\n\n# T\n- b\n\n## Anything\n1. c\n   - d", path) == ["a", "b", "c", "d"]


def test_an_entity_note_without_headings() -> None:
    assert texts("- a\n- b") == ["a", "b"]
    assert texts("# Joe\nText\n- a") == ["a"]
    assert texts("# Joe\n- a\n## Random\n- b") == []
    assert texts("- a", "notes/x.md") == []


@pytest.mark.parametrize(
    "text",
    [
        "## Summary\n- a",
        "## Summary\n### Facts\n- a",
        "## Facts\n- [ ] a",
        "## Facts\n- [x] a",
        "## Facts\n- DONE a",
        "## Facts\n> - a",
        "## Facts\n- ",
        "## Facts\n-\n- id:: 60b1",
        "## Facts\nprose",
        "## Facts\n```\n- a\n```",
        "## Facts\n<!-- aurelius:list -->\n- a\n<!-- /aurelius:list -->",
    ],
)
def test_what_is_no_fact_is_not_read_as_one(text: str) -> None:
    assert facts(text) == []


def test_after_a_generated_block_come_facts_again() -> None:
    assert texts("## Facts\n- a\n<!-- aurelius:now -->\n- b\n<!-- /aurelius:now -->\n\n- c") == [
        "a",
        "c",
    ]


def test_an_index_note_holds_no_facts() -> None:
    assert facts("# People\n## Facts\n- a", "people/_index.md") == []


def test_captured_items_of_a_daily_note_are_proposals() -> None:
    found = facts("# 2026-02-01\n- a\n## Captured\n- b\n### Decisions\n- c", "memory/2026-02-01.md")
    assert [(fact.status, fact.type) for fact in found] == [
        ("active", "fact"),
        ("proposed", "fact"),
        ("proposed", "decision"),
    ]
    assert texts("# T\n## Captured\n- b", "notes/x.md") == []


def test_dates_come_from_the_line_the_name_or_the_note() -> None:
    daily = facts("- a (2025-12-24)\n- b", "memory/2026-02-01.md")
    assert [(fact.date, fact.dated) for fact in daily] == [
        ("2025-12-24", "line"),
        ("2026-02-01", "name"),
    ]
    assert [(f.date, f.dated) for f in facts("**Last Updated:** 2026-02-01\n\n- a")] == [
        ("2026-02-01", "note")
    ]
    assert [
        (f.date, f.dated) for f in facts("---\ncreated: 2025-01-01\nupdated: 2026-01-01\n---\n- a")
    ] == [("2025-01-01", "note")]
    assert [(f.date, f.dated) for f in facts("- a")] == [(None, "")]


@pytest.mark.parametrize(
    ("path", "scope"),
    [
        ("ME.md", 1.0),
        ("MEMORY.md", 1.0),
        ("areas/x.md", 0.5),
        ("resources/x.md", 0.5),
        ("people/x.md", 0.2),
        ("companies/x.md", 0.2),
        ("projects/x.md", 0.2),
        ("memory/2026-02-01.md", 0.5),
    ],
)
def test_scope_is_where_it_lives_unless_said(path: str, scope: float) -> None:
    assert [fact.scope for fact in facts("- a\n- b (2026-01-01, scope 0.7)", path)] == [scope, 0.7]


def test_history_supersedes_where_facts_are_kept() -> None:
    assert [
        fact.status for fact in facts("# J\n## Facts\n- a\n## History\n- b\n### 2024\n- c")
    ] == [
        "active",
        "superseded",
        "superseded",
    ]
    kept = facts("# Tea\n## Facts\n- a\n## History\n- b", "notes/tea.md")
    assert [fact.status for fact in kept] == ["active", "superseded"]
    subject = facts("# Python\n## History\n- 1991: first release", "notes/python.md")
    assert [(fact.status, fact.type) for fact in subject] == [("active", "event")]


def test_striking_by_hand_is_enough() -> None:
    assert [
        fact.status for fact in facts("- ~~a~~\n- b (2026-01-01, superseded by ^abc)\n- c")
    ] == [
        "superseded",
        "superseded",
        "active",
    ]


def test_equal_lines_get_keys_of_their_own() -> None:
    keys = [fact.key for fact in facts("- a\n- A\n- *a*\n- b")]
    assert len(set(keys)) == 4
    assert keys[0] == facts("- a")[0].key
    assert keys[0] != facts("- a", "people/ann.md")[0].key


def test_a_repeated_id_is_told_and_the_first_keeps_it() -> None:
    made = note("- a ^abc123\n- b ^abc123")
    assert [fact.id for fact in made.facts] == ["abc123", "abc123"]
    assert made.facts[0].key == "abc123"
    assert made.facts[1].key.startswith("h")
    assert made.problems == (
        (2, "duplicate-id", f"two lines have the id ^{made.facts[0].id}: this one and line 1"),
    )


def test_tags_of_a_fact() -> None:
    assert [fact.tags for fact in facts("- a #x (2026-01-01) #y/z")] == [("x", "y/z")]


MEMORY = """---
category: preference
created_at: 2026-02-01T09:30:00Z
keywords: [tea, drinks]
---

Prefers green tea.
Never coffee. See [[people/ann]].
"""


def test_one_memory_per_file() -> None:
    made = note(MEMORY, "data/memory/preference/2026-02-01-tea.md")
    (fact,) = made.facts
    assert made.kind == "note"
    assert fact.text == "Prefers green tea. Never coffee. See [[people/ann]]."
    assert (fact.type, fact.date, fact.dated, fact.tags) == (
        "preference",
        "2026-02-01",
        "note",
        ("tea", "drinks"),
    )
    assert (fact.first, fact.last, fact.related) == (7, 8, ("people/ann",))
    assert facts(MEMORY.replace("preference", "recipe"), "x.md") == []
    assert facts(MEMORY.partition("Prefers")[0], "x.md") == []


def tasks(text: str) -> list[Task]:
    return list(note(text, "notes/x.md").tasks)


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("- [ ] a", Task("a", False, " ", None, 1)),
        ("* [x] a", Task("a", True, "x", None, 1)),
        ("1. [X] a", Task("a", True, "X", None, 1)),
        ("- [-] a", Task("a", True, "-", None, 1)),
        ("- [/] a", Task("a", False, "/", None, 1)),
        ("> - [ ] a", Task("a", False, " ", None, 1)),
        ("- [ ] a 📅 2026-02-05", Task("a 📅 2026-02-05", False, " ", "2026-02-05", 1)),
        ("- [ ] a due:2026-02-05", Task("a due:2026-02-05", False, " ", "2026-02-05", 1)),
        ("- [ ] a (due 2026-02-05)", Task("a (due 2026-02-05)", False, " ", "2026-02-05", 1)),
        ("- [ ] a [due:: 2026-02-05]", Task("a [due:: 2026-02-05]", False, " ", "2026-02-05", 1)),
        ("- [ ] a due 2026-02-31", Task("a due 2026-02-31", False, " ", None, 1)),
        ("- [ ] residue 2026-02-05", Task("residue 2026-02-05", False, " ", None, 1)),
        ("- TODO a", Task("a", False, " ", None, 1)),
        ("- DONE a", Task("a", True, "x", None, 1)),
        ("- DOING a", Task("a", False, "/", None, 1)),
        ("- CANCELED a", Task("a", True, "-", None, 1)),
        (
            "- TODO a\n  DEADLINE: <2026-02-05 Thu>\n  id:: 12",
            Task("a DEADLINE: <2026-02-05 Thu>", False, " ", "2026-02-05", 1),
        ),
        ("- [ ]", Task("", False, " ", None, 1)),
    ],
)
def test_each_way_to_write_a_task_is_read(text: str, task: Task) -> None:
    assert tasks(text) == [task]


@pytest.mark.parametrize(
    "text",
    ["[ ] a", "- [x](a.md)", "- [ab] c", "- a [ ] b", "```\n- [ ] a\n```", "- TODOs", "- todo a"],
)
def test_what_only_looks_like_a_task_is_none(text: str) -> None:
    assert tasks(text) == []


def test_nested_tasks_with_their_lines() -> None:
    assert [
        (task.text, task.line) for task in tasks("- [ ] a\n\t- [x] b\n\n- c\n  - [ ] d\n    e")
    ] == [
        ("a", 1),
        ("b", 2),
        ("d e", 5),
    ]


def test_a_task_is_due_on_the_first_day_that_the_calendar_has() -> None:
    (task,) = parse("a.md", b"- [ ] x due 2026-02-30 due 2026-03-01\n").tasks
    assert task.due == "2026-03-01"


def test_the_relationships_that_every_fact_gets_are_bounded() -> None:
    links = "".join(f"- [[n{number}]]\n" for number in range(70))
    note = parse("people/joe.md", f"## Relationships\n{links}## Facts\n- Likes tea\n".encode())
    assert note.facts[-1].related == tuple(f"n{number}" for number in range(64))


def test_a_generated_block_within_another_opens_nothing_anew() -> None:
    text = (
        "## Facts\n<!-- aurelius:a -->\n- x\n<!-- aurelius:b -->\n- y\n<!-- /aurelius:b -->\n- z\n"
    )
    assert [fact.text for fact in parse("people/joe.md", text.encode()).facts] == ["z"]


def test_the_stamps_that_logseq_writes_below_a_task_are_none_of_its_text() -> None:
    (task,) = tasks("- NOW Write the changelog\n  now:: 1614348097567\n  done:: 1614350275750\n")
    assert task.text == "Write the changelog"
    (task,) = tasks("- NOW Write it\n  done:: when it is read\n")
    assert task.text.endswith("done:: when it is read"), "a line of one's own stays"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("- Met Joe\n  tags:: work, [[shed]]\n  type:: [[Call]]\n", ["Met Joe"]),
        ("- tags:: a, b\n  created:: 2026-02-01\n- Type:: [[Call]]\n- date::\n", []),
        ("- Met Joe (2026-02-01) ^k3v9qa\n  Created-At:: today\n", ["Met Joe"]),
        ("- TODO ring Joe\n  tags:: work\n", []),
        # what somebody says, and code, stays a fact, whatever it looks like
        ("- Blood type: A\n", ["Blood type: A"]),
        ("- type: A, tags: none\n", ["type: A, tags: none"]),
        ("- rating:: 9 of 10\n", ["rating:: 9 of 10"]),
        ("- Chose a title:: it was short\n", ["Chose a title:: it was short"]),
        (
            "- type::iterator is what the class calls it\n",
            ["type::iterator is what the class calls it"],
        ),
        ("- Prefers tags over folders\n", ["Prefers tags over folders"]),
    ],
)
def test_a_property_that_keeps_a_note_in_order_is_no_fact(text: str, expected: list[str]) -> None:
    assert texts(text, "journals/2026_02_01.md") == expected


def test_a_task_with_a_property_below_it_is_told_without_it() -> None:
    found = note("- TODO ring Joe\n  tags:: work\n", "journals/2026_02_01.md")
    assert [task.text for task in found.tasks] == ["ring Joe"]


class _Counting(list[Any]):
    """Blocks that count how often one of them is looked at."""

    looks = 0

    def __getitem__(self, at: Any) -> Any:
        self.looks += 1
        return super().__getitem__(at)

    def __iter__(self) -> Iterator[Any]:
        for block in super().__iter__():
            self.looks += 1
            yield block


def test_a_long_list_is_looked_through_once_whatever_its_length() -> None:
    """Each item looks at its own blocks alone, not at all that stand before it."""

    def looks(count: int) -> int:
        lines = [f"- [ ] task {number}" for number in range(count)]
        blocks = _Counting(scan_blocks(lines))
        assert len(items(blocks, lines)) == count
        return blocks.looks

    assert looks(400) < 11 * looks(40)
