"""Links as every tool writes them lead where that tool would go."""

from __future__ import annotations

import pytest

from indexer.catalog.link_targets import (
    Files,
    find_target,
    note_anchors,
    possible_paths,
    problem_of,
    target_of,
)
from indexer.catalog.names import Called, NoteNames
from indexer.note import Link
from indexer.reading.parse import parse

PATHS = (
    "index.md",
    "people/joe-bloggs.md",
    "people/Ann Lee.md",
    "projects/index.md",
    "projects/deep/plan.md",
    "plan.md",
    "pages/term___page.md",
    "journals/2026_02_01.md",
    "dendron.topic.links.md",
    "dendron.topic.md",
    "b/dup.md",
    "a/deep/dup.md",
    "topic.markdown.md",
    "topic.md",
    "notes/C# & co.md",
)
NAMES = NoteNames(
    Called(path, path.rpartition("/")[2][:-3], ("The Boss",) * ("joe" in path), "note", None)
    for path in PATHS
)


@pytest.mark.parametrize(
    ("source", "target", "path"),
    [
        ("index.md", "joe-bloggs", "people/joe-bloggs.md"),
        ("index.md", "people/joe-bloggs", "people/joe-bloggs.md"),
        ("index.md", "people/joe-bloggs.md", "people/joe-bloggs.md"),
        ("index.md", "Joe Bloggs", "people/joe-bloggs.md"),
        ("index.md", "the boss", "people/joe-bloggs.md"),
        ("index.md", "ann lee", "people/Ann Lee.md"),
        ("index.md", "Ann%20Lee", "people/Ann Lee.md"),
        ("projects/deep/plan.md", "plan", "plan.md"),
        ("projects/deep/plan.md", "deep/plan", "projects/deep/plan.md"),
        ("projects/deep/plan.md", "../index", "projects/index.md"),
        ("projects/deep/plan.md", "./plan", "projects/deep/plan.md"),
        ("people/joe-bloggs.md", "/index", "index.md"),
        ("index.md", "dup", "b/dup.md"),
        ("a/deep/x.md", "dup", "a/deep/dup.md"),
        ("index.md", "term/page", "pages/term___page.md"),
        ("index.md", "Feb 1st, 2026", "journals/2026_02_01.md"),
        ("index.md", "dendron.topic.links", "dendron.topic.links.md"),
        ("a/x.md", "topic.markdown", "topic.markdown.md"),
        ("index.md", "C# & co", "notes/C# & co.md"),
        ("index.md", "", "index.md"),
    ],
)
def test_a_wikilink_leads_to_the_note_that_it_means(source: str, target: str, path: str) -> None:
    assert find_target(NAMES, source, target, "wiki") == path


@pytest.mark.parametrize(
    ("source", "target", "path"),
    [
        ("projects/deep/plan.md", "plan.md", "projects/deep/plan.md"),
        ("projects/deep/plan.md", "../index.md", "projects/index.md"),
        ("projects/deep/plan.md", "../../people/Ann%20Lee.md", "people/Ann Lee.md"),
        ("projects/deep/plan.md", "/people/joe-bloggs.md", "people/joe-bloggs.md"),
        ("projects/deep/plan.md", "people/joe-bloggs.md", "people/joe-bloggs.md"),
        ("projects/deep/plan.md", "joe-bloggs", "people/joe-bloggs.md"),
        ("projects/deep/plan.md", "PLAN.MD", "projects/deep/plan.md"),
    ],
)
def test_a_markdown_link_leads_to_the_note_that_it_means(
    source: str, target: str, path: str
) -> None:
    assert find_target(NAMES, source, target, "markdown") == path


@pytest.mark.parametrize(
    ("target", "style"),
    [
        ("nobody", "wiki"),
        ("../people/joe-bloggs", "wiki"),
        ("/joe-bloggs", "wiki"),
        ("x/joe-bloggs", "wiki"),
        ("../joe-bloggs.md", "markdown"),
        ("The Boss", "markdown"),
        ("Feb 31st", "wiki"),
        ("...", "wiki"),
    ],
)
def test_links_that_lead_nowhere(target: str, style: str) -> None:
    assert find_target(NAMES, "index.md", target, style) is None


def link(target: str, label: str = "", heading: str = "", block: str = "") -> Link:
    return Link(target, heading, block, label, 1, "wiki", False)


def test_a_label_is_no_name() -> None:
    assert target_of(NAMES, "index.md", link("joe-bloggs", "plan")) == "people/joe-bloggs.md"
    assert target_of(NAMES, "index.md", link("Links", "dendron.topic.links")) is None
    assert target_of(NAMES, "index.md", link("nobody", "some label")) is None


def test_places_never_leave_the_vault() -> None:
    assert list(possible_paths("a/b.md", "../../../etc")) == []
    assert list(possible_paths("a/b.md", "c")) == ["a/c", "c"]


def test_attachments_are_found_by_path_and_by_name() -> None:
    asked = []

    def listing() -> list[str]:
        asked.append(1)
        return [
            "assets/",
            "docs/LICENSE/",
            "docs/old/LICENSE",
            "assets/Photo 1.PNG",
            "a/b/photo.png",
            "photo.png",
        ]

    files = Files(listing)
    assert asked == []
    assert files.find("notes/n.md", "../assets/photo 1.png", "markdown") == "assets/Photo 1.PNG"
    assert files.find("notes/n.md", "Photo 1.png", "markdown") == "assets/Photo 1.PNG"
    assert files.find("notes/n.md", "photo.png", "markdown") == "photo.png"
    assert files.find("a/b/n.md", "photo.png", "markdown") == "a/b/photo.png"
    assert files.find("notes/n.md", "/assets/", "markdown") == "assets"
    assert files.find("notes/n.md", "assets", "markdown") == "assets"
    assert files.find("notes/n.md", "assets", "wiki") is None, "a wikilink never leads to a folder"
    assert files.find("assets/n.md", "/assets", "wiki") is None
    assert files.find("notes/n.md", "LICENSE", "wiki") == "docs/old/LICENSE"
    assert files.find("notes/n.md", "../..", "markdown") is None
    assert files.find("notes/n.md", "x/photo.png", "markdown") is None
    assert asked == [1]


TEXT = b"""# Top
## Caf\xc3\xa9 & C++ tips!
text ^block-1
## Twice
one
## Twice
two
### Inner Part
<a name="Old-Anchor"></a>
## Named {#custom}
x
"""


@pytest.mark.parametrize(
    "heading",
    [
        "Café & C++ tips!",
        "café--c-tips",
        "Twice",
        "twice-1",
        "Top#Twice",
        "Twice#Inner Part",
        "inner-part",
        "old-anchor",
        "custom",
        ":~:text=anything",
        "",
        "top",
        "TWICE",
    ],
)
def test_headings_that_are_there(heading: str) -> None:
    assert problem_of(link("n", heading=heading), note_anchors(parse("n.md", TEXT))) == ""


@pytest.mark.parametrize(
    ("heading", "block"), [("Gone", ""), ("Top#Gone", ""), ("twice-x", ""), ("", "block-2")]
)
def test_headings_and_blocks_that_are_not(heading: str, block: str) -> None:
    problem = problem_of(link("n", heading=heading, block=block), note_anchors(parse("n.md", TEXT)))
    assert problem.startswith("no block" if block else "no heading")


def test_a_block_is_found_case_apart() -> None:
    assert problem_of(link("n", block="Block-1"), note_anchors(parse("n.md", TEXT))) == ""


def test_what_would_hold_a_nul_stays_as_it_was() -> None:
    from indexer.catalog.link_targets import unquoted

    assert unquoted("names/%00.md") == "names/%00.md"
    assert unquoted("Ann%20Lee") == "Ann Lee"
