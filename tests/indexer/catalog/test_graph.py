"""The links of a vault: both ways, broken ones named, private notes unseen."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.catalog.filters import Linked
from indexer.catalog.graph import Graph, LinkRow, get_called, linked_as
from indexer.catalog.link_targets import Files
from indexer.note import Link, Note, Settings
from indexer.reading.parse import parse
from indexer.refresh.refresh import refresh
from indexer.search.by_links import MANY_LINKS, in_links

NOTES = {
    "people/joe.md": (
        "---\naliases: [Joe Bloggs]\n---\n# Joe\n## Facts\n- Met ^abc123\n## Relationships\n"
        "- [[companies/techcorp]] - Employer\n- [[ann|Annie]] - Friend\n"
    ),
    "companies/techcorp.md": "# Tech\nby [[Joe Bloggs]], see [[joe#Facts]] and [[people/joe#^abc123]]\n",
    "people/ann.md": (
        "[joe](joe.md)\n[gone](gone.md)\n[[joe#Nowhere]]\n[[joe#^zzz]]\n![[photo.png]]\n![[missing.png]]\n"
    ),
    "notes/list.md": (
        "[[Unwritten]] [[unwritten|again]]\n[s](/windows/api) [[#Here]] [[#named]]\n# Here\n<a name='named'></a>\n"
    ),
    "secret.md": "---\nprivate: true\n---\n# Sec\n[[joe]] [[gone too]]\n",
    "open.md": "[[secret]] [[Sec#Nope]]\n",
    "a/dup.md": "x\n",
    "b/dup.md": "y\n",
    "c.md": "[[dup]]\n",
    "a/beside.md": "[[dup]]\n",
    "own.md": "# Own\n[[own#Own]]\n",
}
PARSED: list[str] = []


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    root = tmp_path_factory.mktemp("vault")
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    index, _ = refresh(Settings(str(root), "", vectors=False), now=1_900_000_000.0)
    return Graph(index.db, Files(lambda: ["assets/", "assets/photo.png"]), reader(root))


def reader(root: Path) -> Callable[[str], Note]:
    def read(path: str) -> Note:
        PARSED.append(path)
        return parse(path, (root / path).read_bytes())

    return read


def test_outgoing_links_lead_to_paths_with_their_labels(graph: Graph) -> None:
    assert graph.outgoing("people/joe.md", private=False) == (
        LinkRow("companies/techcorp.md", 8, "Employer", True),
        LinkRow("people/ann.md", 9, "Annie", True),
    )


def test_headings_and_blocks_are_checked(graph: Graph) -> None:
    assert [
        (row.path, row.anchor, row.exists)
        for row in graph.outgoing("companies/techcorp.md", private=False)
    ] == [
        ("people/joe.md", "", True),
        ("people/joe.md", "Facts", True),
        ("people/joe.md", "^abc123", True),
    ]


def test_what_is_missing_is_said(graph: Graph) -> None:
    assert [
        (row.path, row.exists, row.problem)
        for row in graph.outgoing("people/ann.md", private=False)
    ] == [
        ("people/joe.md", True, ""),
        ("gone.md", False, "no such note"),
        ("people/joe.md", False, "no heading 'Nowhere'"),
        ("people/joe.md", False, "no block ^zzz"),
        ("assets/photo.png", True, ""),
        ("missing.png", False, "no such file"),
    ]


def test_an_anchor_that_the_index_does_not_hold_is_looked_up_in_the_file(graph: Graph) -> None:
    assert all(row.exists for row in graph.outgoing("notes/list.md", private=False) if row.anchor)
    assert "notes/list.md" in PARSED


def test_backlinks_come_from_every_spelling(graph: Graph) -> None:
    rows = graph.backlinks("people/joe.md", private=False)
    assert [(row.path, row.anchor) for row in rows] == [
        ("companies/techcorp.md", ""),
        ("companies/techcorp.md", "Facts"),
        ("companies/techcorp.md", "^abc123"),
        ("people/ann.md", ""),
        ("people/ann.md", "Nowhere"),
        ("people/ann.md", "^zzz"),
    ]
    assert [row.exists for row in rows] == [True, True, True, True, False, False]
    assert graph.backlinks("people/joe.md", private=True)[-1].path == "secret.md"


def test_a_link_within_a_note_is_no_backlink_of_it(graph: Graph) -> None:
    assert [row.path for row in graph.outgoing("own.md", private=False)] == ["own.md"]
    assert graph.backlinks("own.md", private=False) == ()


def test_broken_links_have_codes(graph: Graph) -> None:
    found = [(each.path, each.code, each.written) for each in graph.broken(private=False)]
    assert found == [
        ("notes/list.md", "unwritten", "Unwritten"),
        ("notes/list.md", "unwritten", "unwritten"),
        ("notes/list.md", "site-link", "/windows/api"),
        ("people/ann.md", "broken-link", "gone.md"),
        ("people/ann.md", "broken-heading", "joe#Nowhere"),
        ("people/ann.md", "broken-block", "joe#^zzz"),
        ("people/ann.md", "broken-attachment", "missing.png"),
    ]
    assert ("secret.md", "unwritten", "gone too") in [
        (each.path, each.code, each.written) for each in graph.broken(private=True)
    ]


def test_a_private_note_is_there_and_nothing_more_is_said_of_it(graph: Graph) -> None:
    assert graph.outgoing("open.md", private=False) == (
        LinkRow("secret", 1, "", True),
        LinkRow("Sec", 1, "", True, "Nope"),
    )
    rows = graph.outgoing("open.md", private=True)
    assert [(row.path, row.exists) for row in rows] == [("secret.md", True), ("secret.md", False)]
    assert graph.outgoing("secret.md", private=False) == ()


def test_rivals_of_a_bare_name(graph: Graph) -> None:
    dup = Link("dup", "", "", "", 1, "wiki", False)
    assert graph.rivals("c.md", dup) == ["a/dup.md", "b/dup.md"]
    assert graph.rivals("a/beside.md", dup) == []
    assert graph.rivals("c.md", dup._replace(target="b/dup")) == []
    assert graph.rivals("c.md", dup._replace(target="joe")) == []


def numbers(graph: Graph, *paths: str) -> list[int]:
    return [graph.db.execute("SELECT id FROM note WHERE path = ?", (path,)).get for path in paths]


def test_links_from_other_notes_are_counted_once_a_note_whatever_the_spelling(graph: Graph) -> None:
    joe, ann, tech = found = numbers(
        graph, "people/joe.md", "people/ann.md", "companies/techcorp.md"
    )
    assert in_links(graph.db, found, private=False) == {joe: 2, ann: 1, tech: 1}
    assert in_links(graph.db, [joe], private=True) == {joe: 3}


def test_a_link_to_a_name_of_several_notes_or_to_itself_counts_for_none(graph: Graph) -> None:
    found = numbers(graph, "a/dup.md", "b/dup.md", "own.md")
    assert set(in_links(graph.db, found, private=True).values()) == {0}


def test_no_more_links_are_counted_than_say_something(tmp_path: Path) -> None:
    for number in range(50):
        (tmp_path / f"n{number}.md").write_text("[[Höhle]] and [[höhle|there]]\n", "utf-8")
    (tmp_path / "Höhle.md").write_text("# Cave\n", "utf-8")
    index, _ = refresh(Settings(str(tmp_path), "", vectors=False), now=1_900_000_000.0)
    hub = index.db.execute("SELECT id FROM note WHERE title = 'Cave'").get
    assert in_links(index.db, [hub], private=False) == {hub: MANY_LINKS}


@pytest.mark.parametrize(
    ("links", "found"),
    [
        (Linked(linked_by=("people/joe.md",)), {"companies/techcorp.md", "people/ann.md"}),
        (Linked(link_to=("people/joe.md",)), {"companies/techcorp.md", "people/ann.md"}),
        (Linked(linked_by=("people/joe.md", "people/ann.md")), set()),
        (
            Linked(linked_by=("people/joe.md",), link_to=("people/joe.md",)),
            {"companies/techcorp.md", "people/ann.md"},
        ),
        (Linked(linked_by=("companies/techcorp.md",), most=1), {"people/joe.md"}),
        (Linked(linked_by=("companies/techcorp.md",), most=2), {"people/joe.md", "people/ann.md"}),
        (Linked(link_to=("people/ann.md",), most=0), {"people/joe.md", "companies/techcorp.md"}),
        (Linked(related=("people/ann.md",)), {"companies/techcorp.md"}),
        (Linked(related=("people/joe.md",)), set()),
        (Linked(related=("own.md",)), set()),
        (Linked(linked_by=("c.md",)), {"a/dup.md"}),
        (Linked(linked_by=("own.md",), most=0), set()),
        (Linked(linked_by=("open.md",)), set()),
        (
            Linked(orphan=True),
            {"notes/list.md", "open.md", "b/dup.md", "c.md", "a/beside.md", "own.md"},
        ),
    ],
)
def test_notes_are_linked_as_asked(graph: Graph, links: Linked, found: set[str]) -> None:
    assert linked_as(graph.db, links, private=False) == found


def test_a_private_note_links_nothing_unless_it_may_be_seen(graph: Graph) -> None:
    assert linked_as(graph.db, Linked(linked_by=("open.md",)), private=True) == {"secret.md"}
    assert linked_as(graph.db, Linked(linked_by=("open.md",), most=2), private=True) == {
        "secret.md",
        "people/joe.md",
    }
    assert linked_as(graph.db, Linked(link_to=("people/joe.md",)), private=True) >= {"secret.md"}


def test_a_private_note_stands_between_no_two_notes_unless_it_may_be_seen(tmp_path: Path) -> None:
    for name in ("one", "other"):
        (tmp_path / f"{name}.md").write_text("[[hidden]]\n", "utf-8")
    (tmp_path / "hidden.md").write_text("---\nprivate: true\n---\n", "utf-8")
    db = refresh(Settings(str(tmp_path), "", vectors=False), now=1_900_000_000.0)[0].db
    assert linked_as(db, Linked(related=("one.md",)), private=False) == set()
    assert linked_as(db, Linked(related=("one.md",)), private=True) == {"other.md"}


def test_the_names_of_some_kinds_are_those_of_all_without_the_others(graph: Graph) -> None:
    every = list(get_called(graph.db, private=False))
    some = list(get_called(graph.db, private=False, kinds={"person", "company"}))
    assert some == [each for each in every if each.kind in {"person", "company"}]
    assert 1 < len(some) < len(every)
    two = [every[0], every[-1]]
    assert list(get_called(graph.db, private=False, paths=[each.path for each in two])) == two
