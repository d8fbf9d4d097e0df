"""Links of the front matter: what is one, on which line, and what it leads to."""

from __future__ import annotations

import pytest

from indexer.note import Link
from indexer.reading import front_links, front_matter
from indexer.reading.parse import parse


def links(front: str) -> list[Link]:
    return list(parse("x.md", f"---\n{front}\n---\nText.\n".encode()).links)


def wiki(
    target: str, line: int = 2, heading: str = "", label: str = "", embed: bool = False
) -> Link:
    return Link(target, heading, "", label, line, "wiki", embed)


@pytest.mark.parametrize(
    ("front", "found"),
    [
        ('up: "[[Kyoto]]"', [wiki("Kyoto")]),
        ("up: '[[Kyoto]]'", [wiki("Kyoto")]),
        ("up: [[Kyoto]]", [wiki("Kyoto")]),
        ("up: [[2026-02-01]]", [wiki("2026-02-01")]),
        ('author:\n  - "[[Kevin Kelly]]"\n  - [[Ann]]', [wiki("Kevin Kelly", 3), wiki("Ann", 4)]),
        (
            'categories: ["[[Board games|Games]]", [[Chess]]]',
            [wiki("Board games", label="Games"), wiki("Chess")],
        ),
        ('of: {place: "[[Kyoto#Food]]"}', [wiki("Kyoto", heading="Food")]),
        ('cover: "![[cat.png]]"', [wiki("cat.png", embed=True)]),
        ("about: see [[Kyoto]] and [[Osaka]]", [wiki("Kyoto"), wiki("Osaka")]),
        ("about: |\n  one\n  [[Kyoto]]", [wiki("Kyoto", 4)]),
        ("about: >-\n  one\n\n  [[Kyoto]]", [wiki("Kyoto", 5)]),
        ('note: "[x](../a%20b.md#h)"', [Link("../a b.md", "h", "", "x", 2, "markdown", False)]),
        ('quoted: "[[say \\"hi\\"|\\u00e9t\\u00e9]]"', [wiki('say "hi"', label="été")]),
        ("quoted: '[[it''s]]'", [wiki("it's")]),
        ("many: [[A]] , [[B|b]], #c", [wiki("A"), wiki("B", label="b")]),
        ("x: 1\nby:[[A]], [[B]]\nup: [[C]]", [wiki("A", 3), wiki("B", 3), wiki("C", 4)]),
    ],
)
def test_a_property_holds_a_link_however_it_is_written(front: str, found: list[Link]) -> None:
    assert links(front) == found


@pytest.mark.parametrize(
    "front",
    [
        "up: Kyoto # [[Kyoto]]",
        "# [[Kyoto]]\nup: Kyoto",
        '"[[Kyoto]]": 1',
        "matrix: [[1, 2]]",
        "matrix: [[a], [b]]",
        "code: type `[[Kyoto]]` here",
        'web: "[x](https://kyoto.jp/a.md)"',
        "# [[Kyoto]]\nmany: [A], B",
        "many: `[[A]]`, [B], C: d",
    ],
)
def test_comments_keys_and_code_hold_no_link(front: str) -> None:
    assert links(front) == []


def test_links_of_the_front_matter_come_before_those_of_the_text() -> None:
    note = parse("x.md", b'---\r\na: x\r\nup: "[[A]]"\r\n---\r\n[[B]]\r\n')
    assert [(link.target, link.line) for link in note.links] == [("A", 3), ("B", 5)]


def test_a_character_that_only_yaml_takes_for_a_line_end_moves_no_line() -> None:
    assert links('odd: "a\u2028b\x85c"\nup: "[[A]]"') == [wiki("A", 3)]


def test_an_address_stands_where_its_offsets_say() -> None:
    lines = ["---", "odd: 'é 🎌'", 'up: ["[[A|b]]", "c"]', "t: see [[D]]", "---"]
    front = front_matter.read_front_matter(lines)
    text = front_links.front_source(lines, front)
    found = front_links.link_properties(lines, front)
    assert [text[each.begin : each.end] for one in found for each in one.addresses] == ["A|b", "D"]
    assert [text[one.value.begin : one.value.end] for one in found] == ['"[[A|b]]"', "see [[D]]"]
    assert [(one.value.style, one.value.flow) for one in found] == [('"', True), ("", False)]


def test_the_tags_of_front_matter_that_yaml_cannot_read_are_names_without_brackets() -> None:
    note = parse(
        "x.md", b"---\ntags: [[Keypoint]] , [[Image Retrieval]], #zotero, [[Loss]]\n---\nText.\n"
    )
    assert [tag.name for tag in note.tags] == ["Keypoint", "Image Retrieval", "zotero", "Loss"]


def test_tags_that_yaml_takes_for_a_comment_are_tags_and_the_links_behind_them_links() -> None:
    note = parse("x.md", b"---\ntags: #one, #[[two]], [[three]]\ntitle: x\n---\nText.\n")
    assert not note.problems
    assert [tag.name for tag in note.tags] == ["one", "two", "three"]
    assert [(link.target, link.line) for link in note.links] == [("two", 2), ("three", 2)]
