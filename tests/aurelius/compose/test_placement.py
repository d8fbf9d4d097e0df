"""Where in a note a line belongs, and what has to stand around it there."""

from __future__ import annotations

import pytest

from aurelius.compose import placement
from aurelius.compose.note_lines import NoteLines
from aurelius.compose.placement import (
    Choice,
    LinePlacement,
    insertion_point,
    is_airy,
    place_for,
    spot_of_history,
    updated_line,
)
from indexer.note import TYPES, Note
from indexer.reading import front_matter, markdown
from indexer.reading.blocks import Block
from indexer.reading.parse import parse

DAY = "memory/2026-02-10.md"


def read(text: str, path: str = "people/joe.md") -> tuple[Note, list[str], list[Block]]:
    data = text.encode()
    texts = NoteLines(path, data).texts
    note = parse(path, data)
    blocks, _ = markdown.read_blocks(note.lines, front_matter.read_front_matter(note.lines).lines)
    return note, texts, list(blocks)


def put(text: str, heading: str, path: str = "people/joe.md") -> str:
    """The note with one more item, put where `insertion_point` says."""
    note, texts, blocks = read(text, path)
    return written(texts, insertion_point(note, heading, texts, blocks))


def past(text: str, words: str, path: str = "people/joe.md") -> str | None:
    """The note with one more item where the fact of these words goes when it is past."""
    note, texts, blocks = read(text, path)
    fact = next(each for each in note.facts if words in each.text)
    place = spot_of_history(note, fact, texts, blocks)
    return None if place is None else written(texts, place)


def written(texts: list[str], place: LinePlacement) -> str:
    new = [*place.before, f"{place.bullet}NEW", *place.after]
    return "".join(f"{line}\n" for line in (*texts[: place.line], *new, *texts[place.line :]))


def test_every_type_has_a_heading() -> None:
    assert set(placement.DEFAULT_HEADINGS) == set(TYPES)


@pytest.mark.parametrize(
    ("text", "path", "kind", "choice"),
    [
        ("# J\n\n## Facts\n- a\n", "people/joe.md", "fact", Choice("Facts", "fact")),
        ("# J\n\n## Facts\n- a\n", "people/joe.md", "decision", Choice("Facts", "fact")),
        (
            "# J\n\n## Facts\n\n## Decisions\n",
            "people/joe.md",
            "decision",
            Choice("Decisions", "decision"),
        ),
        ("# J\n\n## Preferences\n- a\n", "people/joe.md", "decision", Choice("Facts", "fact")),
        ("# J\n\n## History\n- a\n", "people/joe.md", "fact", Choice("Facts", "fact")),
        ("# J\n\n## Notes\ntext\n", "people/joe.md", "fact", Choice("Facts", "fact")),
        ("", "people/joe.md", "fact", Choice("Facts", "fact")),
        ("# J\n- a\n", "people/joe.md", "fact", Choice("", "fact")),
        ("- a\n", "people/joe.md", "decision", Choice("", "fact")),
        ("# J\n\n## Milestones\n\n## Facts\n", "people/joe.md", "fact", Choice("Facts", "fact")),
        (
            "# J\n\n## Facts\n\n## Milestones\n",
            "people/joe.md",
            "milestone",
            Choice("Milestones", "fact"),
        ),
        ("# J\n\n## Milestones\n", "people/joe.md", "context", Choice("Facts", "fact")),
        (
            "# J\n\n## Opinions\n\n## Preferences\n",
            "people/joe.md",
            "preference",
            Choice("Preferences", "preference"),
        ),
        (
            "# J\n\n## Preferences\n\n## Opinions\n",
            "people/joe.md",
            "opinion",
            Choice("Opinions", "preference"),
        ),
        (
            "# J\n\n## Rules\n",
            "people/joe.md",
            "instruction/tool_usage",
            Choice("Rules", "instruction"),
        ),
        ("# J\n\n## Notes\n\n- a (2026-02-01)\n", "people/joe.md", "fact", Choice("Facts", "fact")),
        ("# Day\n\n- a\n", DAY, "event", Choice("", "fact")),
        ("# Day\n\n## Facts\n- a\n", DAY, "fact", Choice("Facts", "fact")),
    ],
)
def test_a_fact_goes_to_the_section_of_its_type_else_of_facts_else_to_one_that_is_made(
    text: str, path: str, kind: str, choice: Choice
) -> None:
    assert place_for(read(text, path)[0], kind) == choice


def test_what_is_a_daily_note_follows_the_folder_of_daily_notes() -> None:
    path = "field/2026-02-10 Tuesday.md"
    assert place_for(parse(path, b"- a\n", daily_folder="field"), "fact", "field").heading == ""
    assert place_for(parse(path, b"- a\n"), "fact").heading == "Facts"


@pytest.mark.parametrize(
    ("text", "heading", "made"),
    [
        ("# A\n\n## Facts\n- a\n- b\n", "Facts", "# A\n\n## Facts\n- a\n- b\n- NEW\n"),
        ("# A\n\n## Facts\n- a\n  - in it\n", "facts", "# A\n\n## Facts\n- a\n  - in it\n- NEW\n"),
        ("# A\n\n## Facts\n* a\n", "Facts", "# A\n\n## Facts\n* a\n* NEW\n"),
        ("# A\n\n## Facts\n9) a\n", "Facts", "# A\n\n## Facts\n9) a\n10) NEW\n"),
        ("# A\n\n## Facts\n-   a\n", "Facts", "# A\n\n## Facts\n-   a\n-   NEW\n"),
        ("# A\n\n## Facts\n- a\n\n- b\n", "Facts", "# A\n\n## Facts\n- a\n\n- b\n\n- NEW\n"),
        (
            "# A\n\n## Facts\nwords\n\n## Notes\n",
            "Facts",
            "# A\n\n## Facts\nwords\n\n- NEW\n\n## Notes\n",
        ),
        ("# A\n## Facts\n- a\n## Notes\n", "Facts", "# A\n## Facts\n- a\n- NEW\n## Notes\n"),
        ("# A\n\n## Notes\nx\n", "Facts", "# A\n\n## Facts\n- NEW\n\n## Notes\nx\n"),
        ("# A\n\n## Summary\nx\n", "Facts", "# A\n\n## Summary\nx\n\n## Facts\n- NEW\n"),
        (
            "# A\n\n## Relationships\n- b\n",
            "Facts",
            "# A\n\n## Facts\n- NEW\n\n## Relationships\n- b\n",
        ),
        ("# A\n\n### Deep\nx\n", "Facts", "# A\n\n### Deep\nx\n\n## Facts\n- NEW\n"),
        ("### One\nx\n\n### Two\ny\n", "Facts", "### One\nx\n\n### Two\ny\n\n### Facts\n- NEW\n"),
        ("# A\n\ntext\n", "Facts", "# A\n\ntext\n\n## Facts\n\n- NEW\n"),
        ("", "Facts", "## Facts\n\n- NEW\n"),
    ],
)
def test_a_line_goes_to_the_end_of_its_section_in_the_manner_of_the_note(
    text: str, heading: str, made: str
) -> None:
    assert put(text, heading) == made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("", "- NEW\n"),
        ("# A\n", "# A\n\n- NEW\n"),
        ("- a\n", "- a\n- NEW\n"),
        ("* a\n\n\n", "* a\n* NEW\n\n\n"),
        ("# A\n\n- a\n\ntext\n", "# A\n\n- a\n\ntext\n\n- NEW\n"),
    ],
)
def test_without_a_heading_a_line_goes_to_the_end_of_the_note(text: str, made: str) -> None:
    assert put(text, "", "resources/a.md") == made


def test_a_section_that_is_made_says_so() -> None:
    note, texts, blocks = read("# A\n\n## Facts\n- a\n")
    assert not insertion_point(note, "Facts", texts, blocks).made
    assert insertion_point(note, "Decisions", texts, blocks).made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        (
            "# J\n\n## Facts\n- old\n\n## Notes\nx\n",
            "# J\n\n## Facts\n- old\n\n## History\n- NEW\n\n## Notes\nx\n",
        ),
        (
            "# J\n\n## Facts\n- old\n\n## History\n- b\n",
            "# J\n\n## Facts\n- old\n\n## History\n- b\n- NEW\n",
        ),
        (
            "# J\n\n## Home\n### Facts\n- old\n### History\n- b\n\n## History\n- c\n",
            "# J\n\n## Home\n### Facts\n- old\n### History\n- b\n- NEW\n\n## History\n- c\n",
        ),
        (
            "# J\n\n## Home\n### Facts\n- old\n\n## Work\n### History\n- c\n",
            "# J\n\n## Home\n### Facts\n- old\n\n### History\n- NEW\n\n## Work\n### History\n- c\n",
        ),
    ],
)
def test_a_past_fact_goes_to_the_nearest_history_which_is_made_where_there_is_none(
    text: str, made: str
) -> None:
    assert past(text, "old") == made


def test_a_note_that_would_lose_its_facts_by_a_heading_gets_no_history() -> None:
    assert past("# J\n- old\n", "old") is None
    assert past("- old\n", "old") is None
    assert past("# Day\n\n## Facts\n- old\n", "old", DAY) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("---\nupdated: 2026-02-01\n---\n", (2, "updated: 2026-02-10")),
        (
            '---\na: b\nlast_updated:  "2026-02-01" # by me\n---\n',
            (3, 'last_updated:  "2026-02-10" # by me'),
        ),
        (
            "# J\n**Type:** X **Last Updated:** 2026-02-01 a\n",
            (2, "**Type:** X **Last Updated:** 2026-02-10 a"),
        ),
        ("**Modified**: 2026-02-01\n", (1, "**Modified**: 2026-02-10")),
        ("---\nupdated: 2026-02-10\n---\n", None),
        ("---\nupdated: 2026-03-01\n---\n", None),
        ("---\nupdated: 2026-02-01T10:00\n---\n", None),
        ("---\ncreated: 2026-02-01\n---\n**Met:** 2026-02-01\n", None),
        ("updated: 2026-02-01\n", None),
        ("\n" * 40 + "**Updated:** 2026-02-01\n", None),
        ("", None),
    ],
)
def test_the_line_that_says_when_a_note_was_updated(
    text: str, found: tuple[int, str] | None
) -> None:
    assert updated_line(text.splitlines(), "2026-02-10") == found


@pytest.mark.parametrize(
    ("text", "airy"),
    [
        ("# A\n\ntext\n", True),
        ("# A\ntext\n", False),
        ("# A\ntext\n\n## B\n\ntext\n", True),
        ("# A\ntext\n\n## B\n\ntext\n\n## C\ntext\n", False),
        ("A\n===\ntext\n", False),
        ("A\n===\n\ntext\n", True),
        ("# A\n## B\n", True),
        ("", True),
    ],
)
def test_a_note_keeps_an_empty_line_below_its_headings_as_most_of_them_have(
    text: str, airy: bool
) -> None:
    assert is_airy(read(text)[0]) is airy
