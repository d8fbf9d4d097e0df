"""Where links lead without the names of the whole vault: where they lead with them."""

from __future__ import annotations

from collections.abc import Generator

import apsw
import pytest

from indexer.catalog.graph import get_called, get_links
from indexer.catalog.leads import Leads
from indexer.catalog.link_targets import target_of
from indexer.catalog.names import NoteNames
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from tests.indexer.catalog.test_around import NOTES as AROUND

NOTES = AROUND | {
    "archives/people/joe.md": "# Joe\n",
    "notes/My File.md": "[up](../people/joe.md) [[people/JOE.md|him]] [[my file]] [[./joe]]\n",
    "notes/links.md": "[[My%20File]] [x](My%20File.md) [[notes/my file#Part]] [[#Here]] [[secret]]\n",
}


@pytest.fixture(scope="module")
def db(tmp_path_factory: pytest.TempPathFactory) -> Generator[apsw.Connection]:
    root = tmp_path_factory.mktemp("vault")
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    index, _ = refresh(Settings(str(root), "", vectors=False), now=1_900_000_000.0)
    yield index.db
    index.close()


@pytest.mark.parametrize("private", [False, True])
def test_every_link_leads_where_all_names_together_say(db: apsw.Connection, private: bool) -> None:
    names = NoteNames(get_called(db, private=True))
    shown = {each.path for each in get_called(db, private=private)}
    links = list(get_links(db, private=private))
    leads = Leads(db, private=private)
    for source, link in links:
        found = leads.note(source, link)
        meant = target_of(names, source, link)
        expected = meant if link.target and meant in shown else None
        if not link.target:
            continue  # a place of the note itself, which needs no name
        assert (found and found.path) == expected, (source, link)
    for path in shown:
        there = [
            (source, link)
            for source, link in links
            if source != path == target_of(names, source, link)
        ]
        assert leads.to(path) == there


def test_what_a_note_says_may_be_looked_up_at_once(db: apsw.Connection) -> None:
    one = Leads(db, private=False)
    many = Leads(db, private=False)
    many.learn_note("people/joe.md")
    for source, link in get_links(db, "people/joe.md", private=False):
        assert many.note(source, link) == one.note(source, link)
