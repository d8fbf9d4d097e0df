"""A link to a heading leads to it however the tool that wrote the link spells it."""

from __future__ import annotations

import unicodedata

import pytest

from indexer.catalog.link_targets import find_heading, note_anchors, problem_of
from indexer.note import Link
from indexer.reading.parse import parse


def lines_of(text: str, place: str) -> tuple[str, int]:
    """What is wrong with a link to a place, and the line of the heading that it leads to, 0 for none."""
    note = parse("h.md", text.encode())
    at = find_heading(note, place)
    problem = problem_of(Link("h", place, "", "", 1, "wiki", False), note_anchors(note))
    return problem, note.sections[at].first if at is not None else 0


@pytest.mark.parametrize(
    ("heading", "place"),
    [
        ("## with ^caret", "with caret"),
        ("## Meet [[wiki|Alias]] today", "Meet wiki Alias today"),
        ("## Meet [[wiki|Alias]] today", "Meet Alias today"),
        ("## Time: 10:30 | now", "Time 10 30 now"),
        ("## Topic #tag", "Topic tag"),
        ("## Some *very* `odd` __thing__", "Some very odd thing"),
        ("## See [label](url.md) there", "see-label-there"),
        ("## See [label](url.md) there", "See label url.md there"),
        ("## 🎉 Party", "🎉 Party"),
        ("## 🎉", "🎉"),
        ("## ❤️", "❤"),
        ("## ???", "???"),
        ("## Closed ##", "Closed"),
        ("## A \\* b", "A * b"),
        ("## AT&amp;T", "AT&T"),
        ("- ## In a list", "In a list"),
        ("Under\n---", "Under"),
        ("## " + unicodedata.normalize("NFD", "Café"), "Café"),
        ("## Café", unicodedata.normalize("NFD", "Café")),
        ("## Half %%secret%% seen", "Half seen"),
        ("## 100%% sure", "100%% sure"),
        ("## 100%% sure", "100 sure"),
        ("## C#", "C#"),
        ("## $x^2$ grows", "$x 2$ grows"),
    ],
)
def test_a_link_leads_to_the_heading_as_others_spell_it(heading: str, place: str) -> None:
    assert lines_of(f"# H\n\n{heading}\n\nx\n", place) == ("", 3)


def test_of_alike_headings_the_one_spelled_so_is_meant() -> None:
    text = "# H\n\n## C\n\nx\n\n## C++\n\ny\n\n## 1.1\n\n## 11\n"
    assert [lines_of(text, place)[1] for place in ("C", "C++", "1.1", "11", "c")] == [
        3,
        7,
        11,
        13,
        3,
    ]


def test_a_path_of_headings_leads_below_its_first() -> None:
    text = "# H\n\n## A\n\n### Notes\n\nx\n\n## B\n\n### Notes\n\ny\n"
    assert [lines_of(text, place)[1] for place in ("A#Notes", "B#Notes", "Notes", "H#B#Notes")] == [
        5,
        11,
        5,
        11,
    ]
    assert lines_of(text, "Notes#B") == ("no heading 'Notes#B'", 0)


def test_the_number_of_a_repeated_heading_counts() -> None:
    text = "# H\n\n## Notes\n\nx\n\n## Notes\n\ny\n\n## Week-1\n"
    assert [lines_of(text, place)[1] for place in ("notes", "notes-1", "Week-1")] == [3, 7, 11]


@pytest.mark.parametrize("place", ["secret", "Half secret seen", "Really missing"])
def test_a_heading_that_is_not_there_is_told(place: str) -> None:
    assert lines_of("# H\n\n## Half %%secret%% seen\n\n%%\n## secret\n%%\n", place) == (
        f"no heading {place!r}",
        0,
    )
