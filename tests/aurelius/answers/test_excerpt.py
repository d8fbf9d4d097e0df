"""References to places in a note, and the exact lines they mean."""

from __future__ import annotations

import pytest

from aurelius.answers.excerpt import Excerpt, LineRange, section_lines, split, take
from indexer.errors import NoteNotFoundError, UsageError
from indexer.reading.parse import parse

TEXT = "﻿# Top\r\n## A\r\none\r\n### Inner\r\ntwo \r\n\r\n## B\n- fact\n  more ^id0001\n## A\nlast"


@pytest.mark.parametrize(
    ("reference", "ways"),
    [
        ("a.md", []), ("a.md:3", [("a.md", LineRange(3, 1))]), ("a.md:3:2", [("a.md", LineRange(3, 2))]),
        ("a b#Head ing ", [("a b", LineRange(anchor="Head ing"))]), ("a#^x", [("a", LineRange(anchor="^x"))]),
        ("C#", []), ("C# x#H", [("C", LineRange(anchor="x#H")), ("C# x", LineRange(anchor="H"))]),
        ("a:b", []), ("a:1:2:3", [("a:1", LineRange(2, 3))]), ("a:-1", []), ("", []),
    ],
)  # fmt: skip
def test_a_reference_is_parted_into_note_lines_and_anchor_in_every_way_it_can_be_meant(
    reference: str, ways: list[tuple[str, LineRange]]
) -> None:
    assert split(reference) == ways


@pytest.mark.parametrize("reference", ["a:0", "a:1:0", "a:0:0"])
def test_lines_count_from_one(reference: str) -> None:
    with pytest.raises(UsageError):
        split(reference)


@pytest.mark.parametrize(
    ("place", "span", "lines"),
    [
        (LineRange(), (1, 11), None),
        (LineRange(5), (5, 5), ["two "]),
        (LineRange(10, 99), (10, 11), ["## A", "last"]),
        (LineRange(anchor="Inner"), (4, 5), ["### Inner", "two "]),
        (LineRange(anchor="A"), (2, 5), ["## A", "one", "### Inner", "two "]),
        (LineRange(anchor="top#b"), (7, 9), ["## B", "- fact", "  more ^id0001"]),
        (LineRange(anchor="^ID0001"), (8, 9), ["- fact", "  more ^id0001"]),
    ],
)
def test_lines_and_anchors_give_exactly_their_lines_of_the_note(
    place: LineRange, span: tuple[int, int], lines: list[str] | None
) -> None:
    found = take("n.md", TEXT.encode(), place, "memory")
    assert (found.first, found.last) == span
    if lines is not None:
        assert list(found.lines) == lines


@pytest.mark.parametrize(
    "place", [LineRange(12), LineRange(anchor="Z"), LineRange(anchor="A#B"), LineRange(anchor="^no")]
)
def test_what_is_not_there_is_said_with_what_is(place: LineRange) -> None:
    with pytest.raises(NoteNotFoundError) as caught:
        take("n.md", TEXT.encode(), place, "memory")
    assert "n.md" in caught.value.message
    assert caught.value.hint


def test_an_empty_note_has_no_lines() -> None:
    assert take("n.md", b"", LineRange(), "memory") == Excerpt("n.md", 1, 0, (), exists=True)


def test_a_heading_of_signs_alone_matches_nothing() -> None:
    assert section_lines(parse("n.md", TEXT.encode()), "!!!") is None


def test_two_sections_of_one_name_in_a_row_are_two() -> None:
    found = take("n.md", b"# T\n## A\none\n## A\ntwo\n", LineRange(anchor="A"), "memory")
    assert found.lines == ("## A", "one")
