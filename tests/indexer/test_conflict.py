"""Merge conflicts are told, stay searchable, and give no facts (requirements §12.11)."""

from __future__ import annotations

from indexer.note import Note
from indexer.parse import parse


def note(text: str) -> Note:
    return parse("people/joe.md", text.encode())


TORN = """# Joe

## Facts
- kept
<<<<<<< HEAD
- ours
=======
- theirs
>>>>>>> other branch
- also kept
"""


def test_a_conflict_is_told_and_gives_no_facts() -> None:
    made = note(TORN)
    assert [(problem.line, problem.code) for problem in made.problems] == [(5, "conflict")]
    assert "5-9" in made.problems[0].message
    assert [fact.text for fact in made.facts] == ["kept", "also kept"]


def test_its_text_stays_and_its_middle_underlines_nothing() -> None:
    made = note("Text\n<<<<<<< a\nours\n=======\ntheirs\n>>>>>>> b\n")
    assert [section.heading for section in made.sections] == [()]
    covered = {line for unit in made.sections[0].units for line in range(unit.first, unit.last + 1)}
    assert covered == {1, 2, 3, 4, 5, 6}


def test_several_conflicts_and_none() -> None:
    assert len(note(TORN + TORN).problems) == 2
    for text in (
        "<<<<<<< a\nx\n",
        "=======\n",
        ">>>>>>> b\n",
        "<<<<<<< a\n>>>>>>> b\n",
        "a <<<<<<< b\n=======\n>>>>>>> c",
    ):
        assert note(text).problems == ()


def test_one_shown_in_a_code_block_is_none() -> None:
    made = note(f"```\n{TORN}```\n\n## Facts\n- a")
    assert made.problems == ()
    assert [fact.text for fact in made.facts] == ["a"]


def test_very_many_are_told_a_few_times() -> None:
    assert len(note(TORN * 100).problems) == 20
