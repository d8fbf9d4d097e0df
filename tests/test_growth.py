"""Work grows with the notes and not with their square: calls are counted, so that no clock and no machine matters."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from aurelius.ageing.tiers import find_upkeep
from aurelius.answers.doctor_links import name_findings
from aurelius.api import plan_desk
from aurelius.compose.rewrite_links import Move
from aurelius.plans.tidy import plan_tidy
from aurelius.vault import Vault
from indexer.catalog.filters import Filters
from indexer.catalog.names import Called
from indexer.catalog.newer import names_of_notes
from indexer.catalog.supersession import replaced_chunks
from indexer.matter.proposals import proposals, propose
from indexer.matter.timeline import Stated, outdated_lines
from indexer.note import Fact
from indexer.reading.parse import parse
from indexer.search.recall import Links

SMALL, LARGE = 150, 600
"""Lines of two notes of which the larger one has four times as many."""
MOST = 6.0
"""How many times the work of the smaller one the larger one may take: a square would be sixteen times."""


def steps(work: Callable[[], object]) -> int:
    """How often functions are called in some work."""
    count = 0

    def noticed(_frame: FrameType, event: str, _given: Any) -> None:
        nonlocal count
        count += event in {"call", "c_call"}

    before = sys.getprofile()
    sys.setprofile(noticed)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def lines(count: int, begin: str = "Ann") -> list[str]:
    """Lines about as many things, which share their first word and others here and there."""
    said = (
        "likes the colour of",
        "paid the bill for",
        "has an old friend from",
        "keeps a picture of",
    )
    return [f"{begin} {said[at % 4]} village{count}x{at} and house{at % 40}" for at in range(count)]


def facts(count: int) -> list[Fact]:
    text = "# Ann\n\n## Facts\n" + "".join(
        f"- {line} (2026-01-0{at % 9 + 1})\n" for at, line in enumerate(lines(count))
    )
    return list(parse("people/ann.md", text.encode(), daily_folder="memory").facts)


def of_a_new_line(count: int) -> Callable[[], object]:
    said = [Stated(line, "2026-01-01", frozenset({"ann"})) for line in lines(count)]
    return lambda: outdated_lines(
        [*said, Stated("Ann lives in Rome", "2026-02-01", frozenset({"ann"}))], count
    )


def of_all_lines(count: int) -> Callable[[], object]:
    said = [Stated(line, "2026-01-01", frozenset({"ann"})) for line in lines(count)]
    return lambda: outdated_lines(said)


def replaced(count: int) -> Callable[[], object]:
    found = facts(count)
    return lambda: proposals(found)


def replaced_by_one(count: int) -> Callable[[], object]:
    found = facts(count)
    return lambda: propose(found[:-1], found[-1])


def namesakes(count: int) -> Callable[[], object]:
    called = [Called(f"project{at}/README.md", "Read me", (), "note", "") for at in range(count)]
    return lambda: list(name_findings(called))


def moved_blocks(count: int) -> Callable[[], object]:
    called = [Called(f"areas/a{at}.md", f"A{at}", (), "note", "") for at in range(count)]
    blocks = {(f"people/p{at}.md", f"id{at}"): "archive/p.md" for at in range(count)}
    return lambda: Move(called, {}, blocks=blocks)


@pytest.mark.parametrize(
    "work", [of_a_new_line, of_all_lines, replaced, replaced_by_one, namesakes, moved_blocks]
)
def test_four_times_the_lines_are_four_times_the_work(
    work: Callable[[int], Callable[[], object]],
) -> None:
    work(10)()  # what is imported and compiled once
    small, large = (steps(work(count)) for count in (SMALL, LARGE))
    assert large < MOST * small


def test_what_one_new_line_outdates_is_found_without_comparing_all_others() -> None:
    of_a_new_line(10)()
    every, one = (steps(work(LARGE)) for work in (of_all_lines, of_a_new_line))
    assert one < every / 2


class Note:
    """A vault with one long note of facts under headings, and its index."""

    def __init__(self, top: Path, count: int) -> None:
        self.root = top / f"vault{count}"
        (self.root / ".aurelius").mkdir(parents=True)
        (self.root / "people").mkdir()
        parts = [
            f"## Part {at}\n\n{line}.\n\n- {line} (2026-01-02)\n"
            for at, line in enumerate(lines(count))
        ]
        (self.root / "people/ann.md").write_text("# Ann\n\n" + "\n".join(parts))
        dated = "".join(
            f"- {line} (2026-01-0{at % 9 + 1})\n" for at, line in enumerate(lines(count))
        )
        (self.root / "people/ben.md").write_text(f"# Ben\n\n## Facts\n{dated}")
        env = {"HOME": str(top), "AURELIUS_INDEX": str(top / f"index{count}")}
        self.vault = Vault.find(
            str(self.root), env, str(self.root), now=datetime.datetime(2026, 2, 10)
        )
        self.index = self.vault.index()


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[int, Note]]:
    top = tmp_path_factory.mktemp("growth")
    found = {count: Note(top, count) for count in (10, SMALL, LARGE)}
    yield found
    for note in found.values():
        note.vault.close()


def linked_lines(note: Note) -> object:
    return Links(note.index, Filters()).of_note("people/ann.md")


def said_twice(note: Note) -> object:
    return find_upkeep(note.vault, (), private=False)


def stamped(note: Note) -> object:
    return plan_tidy(plan_desk(note.vault), ["people/ben"], stamp=True)


@pytest.mark.parametrize("work", [linked_lines, said_twice, stamped])
def test_a_note_four_times_as_long_is_four_times_the_work(
    notes: dict[int, Note], work: Callable[[Note], object]
) -> None:
    work(notes[10])
    small, large = (steps(partial(work, notes[count])) for count in (SMALL, LARGE))
    assert large < MOST * small


def steps_of_database(folder: Path, notes: dict[str, str], work: Callable[[Any], object]) -> int:
    """How far the database goes in some work over the index of these notes."""
    for path, text in notes.items():
        (folder / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / "vault" / path).write_text(text, "utf-8")
    (folder / "vault" / ".aurelius").mkdir()
    env = {"HOME": str(folder), "AURELIUS_INDEX": str(folder / "index")}
    root = str(folder / "vault")
    vault = Vault.find(root, env, root, now=datetime.datetime(2026, 2, 10))
    db, done = vault.index().db, 0

    def step() -> bool:
        nonlocal done
        done += 1
        return False

    db.set_progress_handler(step, 20)
    work(db)
    db.set_progress_handler(None)
    vault.close()
    return done


def test_four_times_the_people_are_four_times_the_work_of_the_database(tmp_path: Path) -> None:
    def worked(count: int) -> int:
        def name_all(db: Any) -> None:
            names = names_of_notes(db, range(1, count + 1))
            assert len(names) == count
            assert all(len(each) == 3 for each in names.values())

        notes = {f"people/p{at}.md": f"# Ann{at} Village{at}\n" for at in range(count)}
        return steps_of_database(tmp_path / f"{count}", notes, name_all)

    assert worked(LARGE) < MOST * worked(SMALL)


def test_the_chunks_of_replaced_facts_are_looked_for_once_in_a_note(tmp_path: Path) -> None:
    def find_replaced(db: Any) -> None:
        assert len(replaced_chunks(db, private=True)) >= LARGE

    facts = "".join(
        f"- Lives in place {at} (2026-01-01, updates ^a{at:04}) ^a{at + 1:04}\n"
        for at in range(LARGE + 1)
    )
    notes = {"people/ann.md": f"# Ann\n\n## Facts\n\n{facts}"}
    assert steps_of_database(tmp_path, notes, find_replaced) < 60 * LARGE
