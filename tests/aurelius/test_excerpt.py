"""References to places in a note, and the exact lines they mean."""

from __future__ import annotations

import pytest

from aurelius.excerpt import Excerpt, Place, section_lines, split, take
from indexer.errors import NoteNotFoundError, UsageError
from indexer.parse import parse

TEXT = "﻿# Top\r\n## A\r\none\r\n### Inner\r\ntwo \r\n\r\n## B\n- fact\n  more ^id0001\n## A\nlast"


@pytest.mark.parametrize(
    ("reference", "ways"),
    [
        ("a.md", []), ("a.md:3", [("a.md", Place(3, 1))]), ("a.md:3:2", [("a.md", Place(3, 2))]),
        ("a b#Head ing ", [("a b", Place(anchor="Head ing"))]), ("a#^x", [("a", Place(anchor="^x"))]),
        ("C#", []), ("C# x#H", [("C", Place(anchor="x#H")), ("C# x", Place(anchor="H"))]),
        ("a:b", []), ("a:1:2:3", [("a:1", Place(2, 3))]), ("a:-1", []), ("", []),
    ],
)  # fmt: skip
def test_split(reference: str, ways: list[tuple[str, Place]]) -> None:
    assert split(reference) == ways


@pytest.mark.parametrize("reference", ["a:0", "a:1:0", "a:0:0"])
def test_lines_count_from_one(reference: str) -> None:
    with pytest.raises(UsageError):
        split(reference)


@pytest.mark.parametrize(
    ("place", "span", "lines"),
    [
        (Place(), (1, 11), None),
        (Place(5), (5, 5), ["two "]),
        (Place(10, 99), (10, 11), ["## A", "last"]),
        (Place(anchor="Inner"), (4, 5), ["### Inner", "two "]),
        (Place(anchor="A"), (2, 5), ["## A", "one", "### Inner", "two "]),
        (Place(anchor="top#b"), (7, 9), ["## B", "- fact", "  more ^id0001"]),
        (Place(anchor="^ID0001"), (8, 9), ["- fact", "  more ^id0001"]),
    ],
)
def test_take(place: Place, span: tuple[int, int], lines: list[str] | None) -> None:
    found = take("n.md", TEXT.encode(), place, "memory")
    assert (found.first, found.last) == span
    if lines is not None:
        assert list(found.lines) == lines


@pytest.mark.parametrize("place", [Place(12), Place(anchor="Z"), Place(anchor="A#B"), Place(anchor="^no")])
def test_what_is_not_there_is_said_with_what_is(place: Place) -> None:
    with pytest.raises(NoteNotFoundError) as caught:
        take("n.md", TEXT.encode(), place, "memory")
    assert "n.md" in caught.value.message
    assert caught.value.hint


def test_an_empty_note_has_no_lines() -> None:
    assert take("n.md", b"", Place(), "memory") == Excerpt("n.md", 1, 0, (), exists=True)


def test_a_heading_of_signs_alone_matches_nothing() -> None:
    assert section_lines(parse("n.md", TEXT.encode()), "!!!") is None
