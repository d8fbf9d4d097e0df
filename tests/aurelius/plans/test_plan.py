"""What plans are made of: each version of a note is parsed once, however large it is, and new ids are new."""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Self

import apsw
import pytest

from aurelius.plans.plan import new_id
from indexer.catalog.lists import is_taken
from indexer.reading.parse import parse

Aurelius = Callable[..., Any]

JOE = """---
updated: 2026-01-01
---
# Joe

## Summary

## Facts
- Lives in Rome (2026-01-01) ^rome01
- Drinks tea (2026-01-01) ^tea001
- Drinks black tea (2026-01-02)
- Lives in Bonn (2026-01-05, updates ^rome01) ^bonn01

## Relationships
- [[people/ann]] - Sister
"""
ANN = "# Ann\n\n## Facts\n- Knows [[people/joe]] (2026-01-01) ^knows1\n"
DAY = "# 2026-02-09\n\n- Met Ann (09:00)\n\n## Captured\n\n- [[people/joe]] drinks coffee ^cap001\n"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for path, text in {"people/joe.md": JOE, "people/ann.md": ANN, "memory/2026-02-09.md": DAY}.items():
        note = root / path
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(text)
    (root / ".aurelius").mkdir()
    return root


class Parses:
    """Counts how often each version of each note is parsed while it is entered."""

    def __init__(self) -> None:
        self.versions: Counter[tuple[str, bytes]] = Counter()

    def _see(self, frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code is parse.__code__:
            self.versions[frame.f_locals["path"], frame.f_locals["data"]] += 1

    def __enter__(self) -> Self:
        sys.setprofile(self._see)
        return self

    def __exit__(self, *_: object) -> None:
        sys.setprofile(None)

    def of(self, path: str) -> int:
        return sum(count for (each, _), count in self.versions.items() if each == path)


def counted(aurelius: Aurelius, vault: Path, *argv: str) -> Parses:
    aurelius("index", cwd=vault)
    if argv[0] == "review":
        aurelius("review", cwd=vault)  # a number is one of the list as it was last shown
    with Parses() as parses:
        done = aurelius(*argv, cwd=vault)
    assert done.code == 0, done.err
    return parses


@pytest.mark.parametrize(
    "argv",
    [
        ("add", "joe", "Rows"),
        ("add", "joe", "Lives in Oslo", "--updates", "tea001"),
        ("add", "Rows at noon"),
        ("note", "Rows at noon"),
        ("update", "tea001", "Drinks green tea"),
        ("supersede", "tea001", "Drinks coffee"),
        ("archive", "tea001"),
        ("archive", "joe"),
        ("move", "joe", "people/joseph"),
        ("tidy",),
        ("tidy", "--stamp"),
        ("summarize", "joe"),
        ("summarize",),
        ("reinforce", "tea001"),
        ("review", "accept", "1"),
        ("review", "accept", "keep:cap001"),
    ],
    ids=" ".join,
)
def test_each_version_of_a_note_is_parsed_once(argv: tuple[str, ...], vault: Path, aurelius: Aurelius) -> None:
    parses = counted(aurelius, vault, *argv)
    assert {path: count for (path, _), count in parses.versions.items() if count > 1} == {}


@pytest.mark.parametrize("argv", [("add", "joe", "Rows"), ("update", "tea001", "Tea"), ("supersede", "tea001", "Rum")])
def test_a_note_is_parsed_before_and_after_and_not_between(
    argv: tuple[str, ...], vault: Path, aurelius: Aurelius
) -> None:
    parses = counted(aurelius, vault, *argv)
    assert parses.of("people/joe.md") == 2
    assert "updated: 2026-02-10" in (vault / "people/joe.md").read_text()


@pytest.fixture
def db() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    made.execute("CREATE TABLE fact(key TEXT); CREATE TABLE note(blocks TEXT)")
    return made


def test_an_id_follows_from_what_it_names(db: apsw.Connection) -> None:
    one = new_id(db, "people/joe.md", "Likes tea", "2026-02-10")
    assert one == new_id(db, "people/joe.md", "Likes tea", "2026-02-10")
    made = {new_id(db, "people/joe.md", f"Likes tea {at}") for at in range(500)}
    assert len(made) == 500
    assert all(re.fullmatch(r"(?=.*[a-z])(?=.*\d)[a-z0-9]{6}", each) for each in made)


def test_an_id_is_new_among_facts_blocks_and_those_about_to_be_made(db: apsw.Connection) -> None:
    one = new_id(db, "a")
    db.execute("INSERT INTO fact VALUES(?)", (one,))
    two = new_id(db, "a")
    db.execute("INSERT INTO note VALUES(?)", (f'[["{two}",1,2]]',))
    three = new_id(db, "a")
    four = new_id(db, "a", taken=(three,))
    assert len({one, two, three, four}) == 4
    assert [is_taken(db, each) for each in (one, two, three)] == [True, True, False]
