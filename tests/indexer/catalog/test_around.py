"""The notes around a note: both ways, two steps, the same as all links of the vault say."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import apsw
import pytest

from indexer.catalog.around import MOST_FOLLOWED, MapNode, notes_around
from indexer.catalog.graph import LinkedNotes
from indexer.note import Settings
from indexer.refresh.refresh import refresh

NOTES = {
    "people/joe.md": "---\naliases: [Joe Bloggs]\n---\n# Joe\n[[ann]] [[ann|her]] [[techcorp]] [[gone]] [[joe]]\n",
    "people/ann.md": "# Ann\n[joe](joe.md) [[Feb 3rd, 2026]]\n",
    "companies/techcorp.md": "# Tech\nby [[Joe Bloggs]]\n",
    "memory/2026_02_03.md": "- met [[Joe Bloggs]] of [[techcorp]]\n",
    "projects/boat.md": "# Boat\n[[ann]] [[secret]]\n",
    "projects/kite.md": "# Kite\n[[ann]]\n",
    "projects/mast.md": "# Mast\n[[ann]]\n",
    "projects/sail.md": "# Sail\n[[ann]] [[techcorp]]\n",
    "projects/tent.md": "# Tent\n[[ann]]\n",
    "projects/zoo.md": "# Zoo\n[[ann]]\n",
    "a___b.md": "[[zoo]]\n",
    "far.md": "[[boat]] [[a/b]]\n",
    "secret.md": "---\nprivate: true\n---\n# Secret\n[[joe]] [[boat]]\n",
    "people/_index.md": "[[joe]] [[ann]]\n",
    "conversations/talk.md": "[[joe]]\n",
    "alone.md": "nothing\n",
}
PERSON = ("people/joe.md", "Joe", "person", 0)


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Generator[apsw.Connection]:
    yield from indexed(tmp_path_factory.mktemp("vault"), NOTES)


def indexed(root: Path, notes: dict[str, str]) -> Generator[apsw.Connection]:
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    index, _ = refresh(Settings(str(root), "", vectors=False), now=1_900_000_000.0)
    yield index.db
    index.close()


def test_what_has_most_links_stands_first_and_the_second_step_behind(db: apsw.Connection) -> None:
    found = notes_around(db, "people/joe.md", 60, private=False)
    assert found.nodes[:4] == (
        MapNode(*PERSON),
        MapNode("people/ann.md", "Ann", "person", 1),
        MapNode("companies/techcorp.md", "Tech", "company", 1),
        MapNode("memory/2026_02_03.md", "2026-02-03", "daily", 1),
    )
    # what two know, then three that Ann alone brings
    far = ["projects/sail.md", "projects/boat.md", "projects/kite.md", "projects/mast.md"]
    assert [each.path for each in found.nodes[4:]] == far
    assert found.left_out == 0


def test_each_link_between_notes_of_the_map_is_there_once(db: apsw.Connection) -> None:
    found = notes_around(db, "people/joe.md", 60, private=False)
    paths = [each.path for each in found.nodes]
    links = LinkedNotes(db, private=False)
    wanted = {
        (at, paths.index(other))
        for at, path in enumerate(paths)
        for other in links.to(path)
        if other in paths
    }
    assert set(found.edges) == wanted
    assert list(found.edges) == sorted(wanted)


def test_a_small_map_says_how_many_it_leaves_out(db: apsw.Connection) -> None:
    found = notes_around(db, "people/joe.md", 3, private=False)
    assert [each.path for each in found.nodes] == [
        "people/joe.md",
        "people/ann.md",
        "companies/techcorp.md",
    ]
    assert found.left_out == 1


def test_the_first_step_is_what_all_links_of_the_vault_say(db: apsw.Connection) -> None:
    links = LinkedNotes(db, private=False)
    hidden = {"people/_index.md", "conversations/talk.md"}
    for path in links.shown - hidden:
        found = notes_around(db, path, 60, private=False)
        first = {each.path for each in found.nodes if each.steps == 1}
        assert first == links.beside(path) - hidden, path


def test_a_private_note_is_on_no_map_and_has_none(db: apsw.Connection) -> None:
    assert notes_around(db, "secret.md", 60, private=False) == ((), (), 0)
    assert notes_around(db, "gone.md", 60, private=False) == ((), (), 0)
    found = notes_around(db, "projects/boat.md", 60, private=False)
    assert "secret.md" not in {each.path for each in found.nodes}
    seen = notes_around(db, "projects/boat.md", 60, private=True)
    assert "secret.md" in {each.path for each in seen.nodes}


def test_a_note_that_everybody_links_to_costs_no_more(tmp_path: Path) -> None:
    notes = {f"n{at:03}.md": f"[[hub]] [[n{at // 2:03}]]\n" for at in range(200)}
    notes |= {"hub.md": "x\n", "joe.md": "[[hub]]\n"}
    opened = indexed(tmp_path, notes)
    db = next(opened)
    asked: list[str] = []

    def trace(_: apsw.Cursor, sql: str, __: object) -> bool:
        asked.append(sql)
        return True

    db.exec_trace = trace
    found = notes_around(db, "joe.md", 60, private=False)
    assert [each.path for each in found.nodes] == ["joe.md", "hub.md"]
    assert MOST_FOLLOWED < 200
    assert len(asked) < 12
    found = notes_around(db, "hub.md", 60, private=False)
    assert (len(found.nodes), found.left_out) == (60, 142)
    assert len(asked) < 400
    opened.close()
