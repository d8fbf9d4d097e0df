"""Ids for facts: short, new in the whole vault, and the same for the same fact on the same day."""

from __future__ import annotations

import re

import apsw
import pytest

from aurelius.mint import is_taken, mint


@pytest.fixture
def db() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    made.execute("CREATE TABLE fact(key TEXT); CREATE TABLE note(blocks TEXT)")
    return made


def test_an_id_follows_from_what_it_names(db: apsw.Connection) -> None:
    one = mint(db, "people/joe.md", "Likes tea", "2026-02-10")
    assert one == mint(db, "people/joe.md", "Likes tea", "2026-02-10")
    made = {mint(db, "people/joe.md", f"Likes tea {at}") for at in range(500)}
    assert len(made) == 500
    assert all(re.fullmatch(r"(?=.*[a-z])(?=.*\d)[a-z0-9]{6}", each) for each in made)


def test_an_id_is_new_among_facts_blocks_and_those_about_to_be_made(db: apsw.Connection) -> None:
    one = mint(db, "a")
    db.execute("INSERT INTO fact VALUES(?)", (one,))
    two = mint(db, "a")
    db.execute("INSERT INTO note VALUES(?)", (f'[["{two}",1,2]]',))
    three = mint(db, "a")
    four = mint(db, "a", taken=(three,))
    assert len({one, two, three, four}) == 4
    assert [is_taken(db, each) for each in (one, two, three)] == [True, True, False]
