"""Sections, units and anchors."""

from __future__ import annotations

import random

import pytest

from indexer.note import Note
from indexer.reading.outline import extent
from indexer.reading.parse import parse


def note(text: str, path: str = "people/joe.md") -> Note:
    return parse(path, text.encode())


def shape(text: str) -> list[tuple[tuple[str, ...], int, int, int, list[tuple[int, int]]]]:
    return [
        (s.heading, s.level, s.first, s.last, [(unit.first, unit.last) for unit in s.units])
        for s in note(text).sections
    ]


def test_sections_with_their_paths_and_lines() -> None:
    assert shape("intro\n\n# A\n\ntext\n\n### C\n## B\n\nlast\n\n") == [
        ((), 0, 1, 1, [(1, 1)]),
        (("A",), 1, 3, 5, [(5, 5)]),
        (("A", "C"), 3, 7, 7, []),
        (("A", "B"), 2, 8, 10, [(10, 10)]),
    ]


def test_headings_of_one_level_stand_side_by_side() -> None:
    headings = [section.heading for section in note("# A\n## B\n## C\n# D\n").sections]
    assert headings == [("A",), ("A", "B"), ("A", "C"), ("D",)]


def test_a_note_without_text_has_no_sections() -> None:
    assert shape("") == shape("\n \n\t\n") == shape("---\na: 1\n---\n\n") == []


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("# A", "A"),
        ("## A ##", "A"),
        ("# A #b", "A #b"),
        ("#", ""),
        ("# ", ""),
        ("# #", ""),
        ("### ###", ""),
        ("  # A", "A"),
        ("#\tA", "A"),
        ("A\n=", "A"),
        ("A\n---", "A"),
        ("A\nb\n===", "A b"),
        ("# **A** [b](c.md)", "A b"),
        ("# C#", "C#"),
        ("# `x` ^id1", "x"),
    ],
)
def test_the_text_of_a_heading_is_read_without_its_marks(text: str, heading: str) -> None:
    assert [section.heading for section in note(text).sections] == [(heading,)]


@pytest.mark.parametrize(
    "text",
    [
        "#A",
        "####### A",
        "    # A",
        "\\# A",
        "```\n# A\n```",
        "> # A",
        "- a\n  # A",
        "> - # A",
        "- #",
        "<div>\n# A\n</div>",
    ],
)
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    assert [section.heading for section in note(text).sections] == [()]


def test_units_are_blocks_and_top_level_bullets_with_their_children() -> None:
    text = (
        "p1\np1\n\n- a\n  - b\n\n  c\n- d\n\n```\nx\n\ny\n```\n\n| h |\n|---|\n| c |\n\n"
        "> q\nlazy\n\n<div>\nx\n</div>\n\n---\n\n[r]: x"
    )
    assert shape(text)[0][4] == [
        (1, 2),
        (4, 7),
        (8, 8),
        (10, 14),
        (16, 18),
        (20, 21),
        (23, 25),
        (27, 27),
        (29, 29),
    ]


def test_long_blocks_are_cut_between_lines() -> None:
    line = "word " * 50 + "\n"
    assert shape(line * 5)[0][4] == [(1, 2), (3, 4), (5, 5)]
    assert shape("word " * 100_000)[0][4] == [(1, 1)]
    assert shape(f"```\n{line * 4}```")[0][4] == [(1, 3), (4, 6)]


def test_a_long_bullet_is_cut_where_its_children_begin() -> None:
    child = "  - " + "word " * 30 + "\n    " + "more " * 20 + "\n"
    assert shape("- top\n" + child * 5)[0][4] == [(1, 5), (6, 9), (10, 11)]


def test_a_child_of_a_long_bullet_is_not_parted_where_it_fits_the_next_part() -> None:
    text = (
        "- top\n"
        "  - " + "word " * 100 + "\n" + "  - one\n    " + "more " * 40 + "\n    " + "most " * 40
    )
    assert shape(text)[0][4] == [(1, 2), (3, 5)]


def test_a_broken_front_matter_is_text() -> None:
    assert shape("---\na: b: c\n---\n\ntext\n\n# T") == [
        ((), 0, 1, 5, [(1, 3), (5, 5)]),
        (("T",), 1, 7, 7, []),
    ]
    assert shape("---\na: b: c\n---\n# T") == [((), 0, 1, 3, [(1, 3)]), (("T",), 1, 4, 4, [])]


def test_a_unit_of_superseded_facts_alone_is_superseded() -> None:
    made = note("## Facts\n- ~~a~~\n- b\n- ~~c~~\n  more\n- ~~d~~\n  - e\n- ~~f~~\n  - ~~g~~")
    statuses = [unit.status for unit in made.sections[0].units]
    assert [fact.status for fact in made.facts][:2] == ["superseded", "active"]
    assert statuses == ["superseded", "active", "active", "active", "superseded"]


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("para\nmore ^abc-1", ("abc-1", 1, 2)),
        ("- item ^abc-1\n  - child\n- next", ("abc-1", 1, 2)),
        ("- item\n  - child ^abc-1", ("abc-1", 2, 2)),
        ("## Heading ^abc-1", ("abc-1", 1, 1)),
        ("| a |\n|---|\n\n^abc-1", ("abc-1", 1, 2)),
        ("> quote\n\n^abc-1", ("abc-1", 1, 1)),
        ("- a\n  - b\n- c\n\n^abc-1", ("abc-1", 1, 3)),
        ("```\nx\n```\n^abc-1", ("abc-1", 1, 3)),
        ("^abc-1", ("abc-1", 1, 1)),
        ("x ^abc-1  ", ("abc-1", 1, 1)),
        ("---\na: 1\n---\nx ^abc-1", ("abc-1", 4, 4)),
    ],
)
def test_an_anchor_names_its_block(text: str, anchor: tuple[str, int, int]) -> None:
    assert [tuple(block) for block in note(text).blocks] == [anchor]


@pytest.mark.parametrize(
    "text", ["x^2", "x ^a b", "`x ^a`", "```\nx ^a\n```", "x ^a\nmore", "x ^a_b"]
)
def test_what_only_looks_like_an_anchor_is_none(text: str) -> None:
    assert note(text).blocks == ()


GRAPH = """\
## First
- text of the first
- ## Second
  said in the second
\t- in it
\t- ### Deep
\t\t- in the deep
\t- # Deeper by its indent
\t- behind both
- beside it
- a parent
\t- ## Third
\t\t- in the third
\t- after the third
"""


def test_a_list_item_that_is_a_heading_has_what_is_nested_in_it_and_nothing_beside_it() -> None:
    read = note(GRAPH)
    found = [
        (
            section.heading,
            section.level,
            [line for unit in section.units for line in range(unit.first, unit.last + 1)],
        )
        for section in read.sections
    ]
    assert found == [
        (("First",), 2, [2]),
        (("Second",), 2, [4, 5]),
        (("Second", "Deep"), 3, [7]),
        (("Second", "Deeper by its indent"), 3, []),
        (("Second",), 0, [9]),
        ((), 0, [10, 11]),
        (("Third",), 2, [13]),
        ((), 0, [14]),
    ]


def test_a_section_reaches_over_those_below_it_that_are_list_items() -> None:
    read = note("# T\n- a\n- ## A\n\t- b\n\t- ### B\n\t\t- c\n\t- d\n- e\n")
    lines = {
        section.heading: (section.first, extent(read.sections, at))
        for at, section in enumerate(read.sections)
        if section.level
    }
    assert lines == {("T",): (1, 8), ("T", "A"): (3, 7), ("T", "A", "B"): (5, 6)}


def test_every_line_of_a_note_with_headings_in_lists_is_in_one_unit(dice: random.Random) -> None:
    for _ in range(300):
        lines = [
            "\t" * dice.randint(0, 3)
            + dice.choice(["- ## H", "- x", "y", "1. # N", "", "## R", "> - # Q", "- - ### D"])
            for _ in range(dice.randint(1, 25))
        ]
        read = note("\n".join(lines))
        units = [unit for section in read.sections for unit in section.units]
        lines_of = [line for unit in units for line in range(unit.first, unit.last + 1)]
        held = [line for line in lines_of if read.lines[line - 1].strip()]
        assert len(held) == len(set(held)), lines
        heads = {section.first for section in read.sections if section.level}
        assert not heads & set(held), lines
        assert {at for at, line in enumerate(read.lines, 1) if line.strip(" \t")} == heads | set(
            held
        ), lines
        assert [section.first for section in read.sections] == sorted(
            section.first for section in read.sections
        )


def test_a_long_list_of_headings_is_read_in_time_that_grows_with_its_length() -> None:
    lines = ["- top", *("\t- ## H\n\t\t- x" for _ in range(9_000))]
    read = note("\n".join(lines))
    assert len(read.sections) == 9_001
