"""The one condition on notes that every query carries: which notes it lets through."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import apsw
import pytest

from indexer.catalog.filters import Filters, Linked, condition
from indexer.catalog.visibility import clean_folder, visible_sql, within_tag
from indexer.note import Settings
from indexer.refresh.refresh import refresh

NOTES = {
    "people/joe.md": "---\ntags: [friend, Work/Now]\nrating: 4\n---\n# Joe\n",
    "people/sub/ann.md": "---\ntags: friend\nrating: 10\n---\n# Ann\n",
    "people.md": "# People\n",
    "peoples/x.md": "# X\n",
    "archive/old.md": "---\ntags: [worker]\n---\n# Old\n",
    "archives/older.md": "---\ntype: person\n---\n# Older\n",
    "100%/a_b.md": "---\ntype: archive\n---\n# Odd\n",
    "secret.md": "---\nprivate: true\ntags: [friend]\nrating: 5\n---\n# Secret\n",
    "people/secret.md": "---\nprivate: yes\n---\n# Secret too\n",
    "hidden/x.md": "ignored",
    ".aureliusignore": "hidden/\n",
}
PRIVATE = {"secret.md", "people/secret.md"}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Iterator[apsw.Connection]:
    root = tmp_path_factory.mktemp("vault")
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    index, _ = refresh(Settings(str(root), "", vectors=False), now=1_900_000_000.0)
    yield index.db
    index.close()


def paths(db: apsw.Connection, **wishes: Any) -> list[str]:
    one = condition(db, Filters(**wishes))
    return [
        str(path)
        for (path,) in db.execute(
            f"SELECT path FROM note WHERE {one.sql} ORDER BY path", one.values
        )
    ]


WISHES: dict[str, list[Any]] = {
    "kinds": [(), ("person",), ("note", "archive")],
    "tags": [(), ("friend",)],
    "folder": ["", "people", "secret.md"],
    "where": [(), (("rating", "has", ""),)],
    "archived": ["", "only", "no"],
}


def test_no_filter_lets_a_private_note_through_unless_it_was_asked_for(db: apsw.Connection) -> None:
    """Every combination of filters, and the bare condition that lists use."""
    seen = set()
    for values in product(*WISHES.values()):
        wishes = dict(zip(WISHES, values, strict=True))
        shown, all_of_them = set(paths(db, **wishes)), set(paths(db, **wishes, private=True))
        assert shown == all_of_them - PRIVATE, wishes
        seen |= all_of_them & PRIVATE
    assert seen == PRIVATE, "otherwise this test sees nothing"
    bare = {
        path for (path,) in db.execute(f"SELECT path FROM note WHERE {visible_sql(private=False)}")
    }
    assert bare == set(NOTES) - PRIVATE - {"hidden/x.md", ".aureliusignore"}
    assert {
        path for (path,) in db.execute(f"SELECT path FROM note WHERE {visible_sql(private=True)}")
    } == bare | PRIVATE


def test_what_is_said_of_facts_and_dates_is_left_to_the_caller(db: apsw.Connection) -> None:
    said: dict[str, Any] = {
        "types": ("decision",),
        "tiers": ("hot",),
        "status": "superseded",
        "since": "2030-01-01",
        "until": "1990-01-01",
    }
    assert condition(db, Filters(**said)) == condition(db, Filters())


@pytest.mark.parametrize(
    ("wishes", "found"),
    [
        ({"folder": "people"}, ["people.md", "people/joe.md", "people/sub/ann.md"]),
        ({"folder": "./people//sub/"}, ["people/sub/ann.md"]),
        ({"folder": ".\\people\\sub"}, ["people/sub/ann.md"]),
        ({"folder": "people/joe"}, ["people/joe.md"]),
        ({"folder": "people/joe.md"}, ["people/joe.md"]),
        ({"folder": "peopl"}, []),
        ({"folder": "100%"}, ["100%/a_b.md"]),
        ({"folder": "10__"}, []),
        ({"folder": "%"}, []),
        ({"folder": "'; DROP TABLE note; --"}, []),
        ({"archived": "only"}, ["archive/old.md", "archives/older.md"]),
        ({"tags": ("friend", "work")}, ["people/joe.md"]),
        ({"tags": ("work",)}, ["people/joe.md"]),
        ({"tags": ("%",)}, []),
        ({"where": (("rating", ">", "4"), ("rating", "<", "11"))}, ["people/sub/ann.md"]),
        (
            {"kinds": ("person", "archive"), "archived": "no"},
            ["100%/a_b.md", "people/joe.md", "people/sub/ann.md"],
        ),
        ({"kinds": ("person",), "archived": "only"}, ["archives/older.md"]),
        ({"kinds": ("person",)}, ["archives/older.md", "people/joe.md", "people/sub/ann.md"]),
        ({"kinds": ("none",)}, []),
        ({"where": (("path", "~", "sub"),)}, ["people/sub/ann.md"]),
        ({"where": (("TAGS", "=", "Work/Now"), ("title", "=", "joe"))}, ["people/joe.md"]),
        ({"where": (("kind", "=", "person"), ("date", "has", ""))}, []),
        ({"links": Linked(orphan=True), "paths": ("people.md", "secret.md")}, ["people.md"]),
    ],
)
def test_a_note_is_of_every_kind_tag_folder_and_front_matter_named(
    db: apsw.Connection, wishes: dict[str, Any], found: list[str]
) -> None:
    assert paths(db, **wishes) == found


def test_a_query_may_begin_while_another_is_read(db: apsw.Connection) -> None:
    one = condition(db, Filters(tags=("friend",), where=(("rating", "has", ""),)))
    reading = db.execute(f"SELECT path FROM note WHERE {one.sql} ORDER BY path", one.values)
    assert next(reading) == ("people/joe.md",)
    assert paths(db, tags=("friend",), kinds=("person",)) == ["people/joe.md", "people/sub/ann.md"]
    assert list(reading) == [("people/sub/ann.md",)]


@pytest.mark.parametrize(
    ("name", "wanted", "within"),
    [
        ("work", "work", True),
        ("work/urgent", "work", True),
        ("work/urgent/now", "WORK/urgent", True),
        ("Work", "#work", True),
        ("work", "work/", True),
        ("STRASSE", "straße", True),
        ("worker", "work", False),
        ("work", "work/urgent", False),
        ("homework", "work", False),
    ],
)
def test_a_tag_is_within_itself_and_those_it_is_nested_in(
    name: str, wanted: str, within: bool
) -> None:
    assert within_tag(name, wanted) is within


@pytest.mark.parametrize(
    ("typed", "folder"),
    [
        ("", ""),
        (".", ""),
        ("./", ""),
        ("/", ""),
        ("./people/", "people"),
        ("a//b", "a/b"),
        ("a\\b\\", "a/b"),
        ("../a", "../a"),
        (".hidden", ".hidden"),
    ],
)
def test_a_folder_as_typed_becomes_the_one_of_the_index(typed: str, folder: str) -> None:
    assert clean_folder(typed) == folder
