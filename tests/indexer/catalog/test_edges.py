"""Edges of facts and notes: every type from both ends, labels as written, past facts marked, private notes unseen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import apsw
import pytest

from indexer.catalog.edges import CONTAINED, Edge, Edges, walk_edges
from indexer.note import Settings
from indexer.refresh.refresh import refresh

NOTES = {
    "projects/spacebot.md": (
        "# Spacebot\n\n## Decisions\n\n"
        "- Switched to SQLite (2026-02-10, because PostgreSQL is overkill, updates ^pgsq01) ^sqlt01\n"
        "- Keeps every row (2026-02-11, because ^sqlt01, part of [[areas/data]]) ^rows01\n"
        "- Needs a server (2026-02-12, contradicts ^sqlt01) ^serv01\n"
        "- Talked to [[Sarah Lee]] and [[people/joe#^joe001|Joe]] (2026-02-13, from [[memory/2026-02-13]])\n\n"
        "## Relationships\n\n- [[people/sarah]] - maintainer\n- works_with [[Joe]]\n\n"
        "## History\n\n- ~~Use PostgreSQL~~ (2026-01-05 → 2026-02-10, decision, superseded by ^sqlt01) ^pgsq01\n"
    ),
    "areas/data.md": "# Data\n\nSee [[spacebot]] for more.\n",
    "people/sarah.md": "---\naliases: [Sarah Lee]\n---\n# Sarah\n",
    "people/joe.md": "# Joe\n\n## Facts\n\n- Sails (2026-01-01) ^joe001\n- Old boat (2025-01-01) ^boat01\n",
    "memory/2026-02-13.md": "- A long day\n",
    "private/diary.md": (
        "---\nprivate: true\n---\n# Diary\n\n## Facts\n\n"
        "- Sold [[joe]]'s old boat (2026-02-01, updates ^boat01, because ^joe001) ^sold01\n"
    ),
}
Ask = Callable[..., list[tuple[str, str, bool]]]


def index_of(root: Path, notes: Mapping[str, str] = NOTES) -> apsw.Connection:
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    index, _ = refresh(Settings(str(root), "", vectors=False), now=1_900_000_000.0)
    return index.db


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> apsw.Connection:
    return index_of(tmp_path_factory.mktemp("vault"))


def told(db: apsw.Connection, ref: str, *, private: bool = False) -> list[tuple[str, str, bool]]:
    found = Edges(db, private=private).of(ref)
    return [
        (each.type, each.target or each.text, each.forward)
        for each in found
        if each.weight > CONTAINED
    ]


def test_a_fact_tells_what_its_line_says_and_what_others_say_of_it(db: apsw.Connection) -> None:
    assert told(db, "sqlt01") == [
        ("updates", "pgsq01", True),
        ("because", "PostgreSQL is overkill", True),
        ("led to", "rows01", False),
        ("contradicts", "serv01", False),
    ]
    assert told(db, "serv01") == [("contradicts", "sqlt01", True)]


def test_a_past_fact_is_told_with_its_status_and_the_day_it_ended(db: apsw.Connection) -> None:
    old = Edges(db, private=False).of("sqlt01")[0]
    assert (old.text, old.kind, old.status, old.date, old.until) == (
        "Use PostgreSQL",
        "decision",
        "superseded",
        "2026-01-05",
        "2026-02-10",
    )
    assert told(db, "pgsq01") == [("superseded by", "sqlt01", True)]


def test_a_fact_is_part_of_what_it_names_and_a_little_of_its_note(db: apsw.Connection) -> None:
    parts = [each for each in Edges(db, private=False).of("rows01") if each.type == "part of"]
    assert [(each.target, each.weight) for each in parts] == [
        ("areas/data.md", 1.0),
        ("projects/spacebot.md", CONTAINED),
    ]
    assert ("has part", "rows01", False) in told(db, "areas/data.md")


def test_links_in_a_line_are_mentions_and_those_of_its_tail_are_not(db: apsw.Connection) -> None:
    key = db.execute("SELECT key FROM fact WHERE detail LIKE '%Talked%'").get
    assert told(db, key) == [("mentions", "people/sarah.md", True), ("mentions", "joe001", True)]
    assert told(db, "joe001") == [("mentioned by", key, False)]
    assert ("mentioned by", key, False) in told(db, "people/sarah.md")


def test_a_line_under_relationships_names_the_type_as_written_from_both_ends(
    db: apsw.Connection,
) -> None:
    labels = [each for each in told(db, "projects/spacebot.md") if each[0] != "links to"]
    assert labels == [
        ("maintainer", "people/sarah.md", True),
        ("works_with", "people/joe.md", True),
        ("linked from", "areas/data.md", False),
    ]
    assert ("maintainer", "projects/spacebot.md", False) in told(db, "people/sarah.md")
    assert ("works_with", "projects/spacebot.md", False) in told(db, "people/joe.md")


def test_a_link_in_plain_text_comes_with_its_line(db: apsw.Connection) -> None:
    found = [
        each
        for each in Edges(db, private=False).of("projects/spacebot.md")
        if each.type == "linked from"
    ]
    assert found == [
        Edge(
            "projects/spacebot.md",
            "linked from",
            "areas/data.md",
            1.0,
            False,
            "areas/data.md",
            3,
            "See [[spacebot]] for more.",
            "area",
        ),
    ]


def test_nothing_of_a_private_note_is_told_unless_it_is_asked_for(db: apsw.Connection) -> None:
    for ref in ("people/joe.md", "joe001", "boat01", "sold01", "private/diary.md"):
        assert "diary" not in str(Edges(db, private=False).of(ref)), ref
        assert "sold01" not in {each.target for each in Edges(db, private=False).of(ref)}, ref
    assert (
        Edges(db, private=False).of("private/diary.md")
        == Edges(db, private=False).of("sold01")
        == ()
    )
    assert told(db, "joe001", private=True)[0] == ("led to", "sold01", False)
    assert told(db, "boat01", private=True) == [("superseded by", "sold01", True)]
    assert ("mentioned by", "sold01", False) in told(db, "people/joe.md", private=True)


def test_an_id_of_several_notes_means_the_one_beside_the_line_or_none(tmp_path: Path) -> None:
    db = index_of(
        tmp_path,
        {
            "people/a.md": "# A\n\n## Facts\n\n- One (2026-01-01) ^same01\n- Why (2026-01-02, because ^same01) ^a00001\n",
            "people/b.md": "# B\n\n## Facts\n\n- Other (2026-01-01) ^same01\n",
            "people/c.md": "# C\n\n## Facts\n\n- Far (2026-01-02, because ^same01) ^c00001\n",
        },
    )
    assert [(each.target, each.path) for each in Edges(db, private=False).of("a00001")] == [
        ("same01", "people/a.md"),
        ("people/a.md", "people/a.md"),
    ]
    assert told(db, "c00001") == []
    of_a = Edges(db, private=False).of("same01", "people/a.md")
    of_b = Edges(db, private=False).of("same01", "people/b.md")
    assert [each.type for each in of_a if each.weight > CONTAINED] == ["led to"]
    assert [each.type for each in of_b if each.weight > CONTAINED] == []


def test_a_walk_follows_each_fact_once_and_never_goes_straight_back(tmp_path: Path) -> None:
    db = index_of(
        tmp_path,
        {
            "people/a.md": "# A\n\n## Facts\n\n- One (2026-01-01, because ^two002) ^one001\n"
            "- Two (2026-01-02, because ^thr003) ^two002\n- Three (2026-01-03, because ^one001) ^thr003\n",
        },
    )
    way = [
        (each.depth, each.edge.type, each.edge.target)
        for each in walk_edges(db, "one001", 2, private=False)
    ]
    assert way == [
        (1, "because", "two002"),
        (2, "because", "thr003"),
        (1, "led to", "thr003"),
        (2, "led to", "two002"),
    ]
    assert len(walk_edges(db, "one001", 50, private=False)) < 12
    assert [
        each.edge.target for each in walk_edges(db, "one001", 1, private=False, types=["LED TO"])
    ] == ["thr003"]
    assert len(walk_edges(db, "one001", 50, private=False, most=2)) == 2


@pytest.mark.parametrize("ref", ["nothing", "no/such.md", "sold01"])
def test_what_is_not_there_has_no_edges(db: apsw.Connection, ref: str) -> None:
    assert Edges(db, private=False).of(ref) == ()
    assert walk_edges(db, ref, 2, private=False) == []


def test_a_note_is_found_by_every_spelling_of_a_link_to_it(tmp_path: Path) -> None:
    db = index_of(
        tmp_path,
        {
            "journals/2026_02_01.md": "- A day\n",
            "pages/a___b.md": "- Namespace\n",
            "notes/Big Böat.md": "---\naliases: [The Ship]\n---\n# Vessel\n",
            "one.md": "[[Feb 1st, 2026]] [[a/b]] [[the ship|x]]\n",
            "two.md": "[[February 1, 2026]] [[pages/a___b]] [b](notes/Big%20Böat.md)\n",
            "three.md": "[[2026_02_01]] [[A/B]] [[vessel]] [[no such|Big Böat]]\n",
            "four.md": "[[big-böat#Top]]\n",
        },
    )
    for path, sources in (
        ("journals/2026_02_01.md", ["one.md", "three.md", "two.md"]),
        ("pages/a___b.md", ["one.md", "three.md", "two.md"]),
        ("notes/Big Böat.md", ["four.md", "one.md", "three.md", "two.md"]),
    ):
        assert [each.target for each in Edges(db, private=False).of(path)] == sources, path


def test_a_link_in_front_matter_comes_with_its_own_property(tmp_path: Path) -> None:
    db = index_of(
        tmp_path,
        {
            "a.md": '---\nstatus:\n  - "[[Done]]"\nauthor:\n  - "[[people/Ann Lee|Ann]]"\n  - "[[Joe]]"\n---\nText\n',
            "people/Ann Lee.md": "Ann\n",
            "Joe.md": "Joe\n",
        },
    )
    for path, line in (("people/Ann Lee.md", 5), ("Joe.md", 6)):
        found = [each for each in Edges(db, private=False).of(path) if each.type == "linked from"]
        assert [(each.line, each.text) for each in found] == [(line, "author: Ann, Joe")]
