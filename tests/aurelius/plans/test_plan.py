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

from aurelius.api import plan_desk
from aurelius.plans import plan
from aurelius.plans.plan import new_id
from aurelius.vault import Vault
from aurelius.writing import edit
from aurelius.writing.check_edit import Edit
from indexer.catalog.lists import is_taken
from indexer.errors import ConflictError, UsageError
from indexer.reading.parse import parse
from tests.conftest import TODAY

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
    for path, text in {
        "people/joe.md": JOE,
        "people/ann.md": ANN,
        "memory/2026-02-09.md": DAY,
    }.items():
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
        (
            "doctor",
            "--tidy",
        ),
        ("doctor", "--tidy", "--stamp"),
        ("summarize", "joe"),
        ("summarize",),
        ("reinforce", "tea001"),
        ("review", "accept", "1"),
        ("review", "accept", "keep:cap001"),
    ],
    ids=" ".join,
)
def test_each_version_of_a_note_is_parsed_once(
    argv: tuple[str, ...], vault: Path, aurelius: Aurelius
) -> None:
    parses = counted(aurelius, vault, *argv)
    most = (
        2 if argv in {("archive", "joe"), ("move", "joe", "people/joseph")} else 1
    )  # and the index
    assert {path: count for (path, _), count in parses.versions.items() if count > most} == {}


@pytest.mark.parametrize(
    "argv", [("add", "joe", "Rows"), ("update", "tea001", "Tea"), ("supersede", "tea001", "Rum")]
)
def test_a_note_is_parsed_before_and_after_and_not_between(
    argv: tuple[str, ...], vault: Path, aurelius: Aurelius
) -> None:
    parses = counted(aurelius, vault, *argv)
    assert parses.of("people/joe.md") == 2
    assert "updated: 2026-02-10" in (vault / "people/joe.md").read_text()


@pytest.fixture
def db() -> apsw.Connection:
    made = apsw.Connection(":memory:")
    made.execute("CREATE TABLE fact(key TEXT); CREATE TABLE visible_note(blocks TEXT)")
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
    db.execute("INSERT INTO visible_note VALUES(?)", (f'[["{two}",1,2]]',))
    three = new_id(db, "a")
    four = new_id(db, "a", taken=(three,))
    assert len({one, two, three, four}) == 4
    assert [is_taken(db, each) for each in (one, two, three)] == [True, True, False]


TOM = """# Tom

## Summary

Lives in Oslo. Bakes bread daily.

## Facts

- Lives in Oslo (2026-02-01) ^oslo01
- Bakes bread daily (2026-02-01) ^bake01
"""


@pytest.fixture
def told(tmp_path: Path, aurelius: Aurelius) -> Path:
    """A vault of which every generated text quotes the facts of one note."""
    root = tmp_path / "told"
    (root / ".aurelius").mkdir(parents=True)
    (root / "people").mkdir()
    (root / "people" / "tom.md").write_text(TOM.replace("Lives in Oslo. Bakes bread daily.\n", ""))
    (root / "people" / "ann.md").write_text(
        "# Ann\n\n## Facts\n\n- Sings well (2026-02-01) ^sing01\n"
    )
    (root / "MEMORY.md").write_text("# Memory\n\n## Now\n\n## Facts\n\n- Kept\n")
    aurelius("get", "tom#^oslo01", cwd=root)
    aurelius("get", "ann#^sing01", cwd=root)
    aurelius("summarize", cwd=root)
    for path in ("people/tom.md", "people/_index.md", "MEMORY.md"):
        assert "Lives in Oslo. " in (root / path).read_text() + " "
    return root


def generated(root: Path) -> str:
    """The three generated texts that may quote the note."""
    own = (root / "people" / "tom.md").read_text().partition("## Summary")[2].partition("\n## ")[0]
    return own + (root / "people" / "_index.md").read_text() + (root / "MEMORY.md").read_text()


@pytest.mark.parametrize(
    ("command", "new"),
    [
        (["supersede", "oslo01", "Lives in Bergen"], "Lives in Bergen. Bakes bread daily."),
        (
            ["update", "oslo01", "Lives in the old town of Oslo"],
            "Lives in the old town of Oslo. Bakes bread daily.",
        ),
        (
            ["add", "tom", "Moved to Bergen", "--updates", "oslo01"],
            "Moved to Bergen. Bakes bread daily.",
        ),
        (["add", "ann", "Tom left with me", "--updates", "oslo01"], "Bakes bread daily."),
        (["note", "nothing"], "Lives in Oslo. Bakes bread daily."),
        (["archive", "oslo01"], "Bakes bread daily."),
    ],
)
def test_what_is_past_stays_in_no_generated_text(
    told: Path, aurelius: Aurelius, command: list[str], new: str
) -> None:
    before = {path: path.read_bytes() for path in told.rglob("*.md")}
    assert aurelius(*command, cwd=told).code == 0
    assert generated(told).count(new) == 3
    assert generated(told).count("Lives in Oslo") == (3 if command[0] == "note" else 0)
    assert aurelius("undo", cwd=told).code == 0
    assert {path: path.read_bytes() for path in before} == before, "one undo takes all of it back"
    aurelius("summarize", cwd=told)
    assert {path: path.read_bytes() for path in before} == before, "the texts are still ours"


def test_what_an_accepted_proposal_makes_past_stays_in_no_generated_text(
    told: Path, aurelius: Aurelius
) -> None:
    note = told / "people" / "tom.md"
    note.write_text(
        note.read_text() + "- No longer lives in Oslo, lives in Bergen now (2026-02-09)\n"
    )
    name = aurelius("review", "--json", cwd=told).out.split('"short":"')[1].partition('"')[0]
    assert aurelius("review", "accept", name, cwd=told).code == 0
    assert "- ~~Lives in Oslo~~" in note.read_text()
    assert "Lives in Oslo" not in generated(told)


def test_an_archived_note_leaves_listing_and_now(told: Path, aurelius: Aurelius) -> None:
    aurelius("archive", "tom", cwd=told)
    assert (
        "tom" not in (told / "people" / "_index.md").read_text() + (told / "MEMORY.md").read_text()
    )
    aurelius("move", "ann", "resources/", cwd=told)
    assert "[[resources/ann]]" in (told / "MEMORY.md").read_text(), (
        "what only moved is still going on"
    )
    done = aurelius("summarize", cwd=told)
    assert "left unchanged: you wrote" not in done.err, (
        "a repaired link does not make a text a person's"
    )


def test_a_text_that_a_person_wrote_stays_and_is_told(told: Path, aurelius: Aurelius) -> None:
    note = told / "people" / "tom.md"
    note.write_text(
        note.read_text().replace("Bakes bread daily.\n", "Bakes bread daily. My friend.\n")
    )
    done = aurelius("supersede", "oslo01", "Lives in Bergen", cwd=told)
    assert (
        "people/tom.md still quotes what is past, because you wrote or changed that text"
        in done.err
    )
    assert "Lives in Oslo. Bakes bread daily. My friend." in note.read_text()
    assert "Lives in Oslo" not in (told / "people" / "_index.md").read_text()


def test_a_generated_text_that_was_written_just_before_a_crash_is_still_ours(
    told: Path, aurelius: Aurelius, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as crashing:
        write = edit.apply_edits

        def crash(*asked: Any) -> None:
            write(*asked)
            raise ConflictError("the power went")

        crashing.setattr(edit, "apply_edits", crash)
        assert aurelius("supersede", "oslo01", "Lives in Bergen", cwd=told).code != 0
    assert "Lives in Bergen. Bakes bread daily." in generated(told)
    assert "you wrote" not in aurelius("summarize", cwd=told).err
    aurelius("supersede", "bake01", "Bakes cakes", cwd=told)
    assert "Bakes bread" not in generated(told)


def test_an_edit_that_loses_a_fact_is_refused_also_where_a_generated_text_follows_it(
    told: Path, env: dict[str, str]
) -> None:
    vault = Vault.find(str(told), env, str(told), now=TODAY)
    at, before = plan_desk(vault), (told / "people/tom.md").read_bytes()
    after = before.replace(b"- Lives in Oslo (2026-02-01) ^oslo01\n", b"")
    edited = plan.Plan([Edit("people/tom.md", before, after)], "by hand")
    assert plan.kept_up(at, edited).marks
    for dry in (True, False):
        with pytest.raises(UsageError, match=r"people/tom\.md: not written: 1 fact would be lost"):
            plan.carry_out(at, edited, dry_run=dry)
    assert (told / "people/tom.md").read_bytes() == before
    vault.close()


def test_a_write_that_nobody_will_find_says_so(aurelius: Aurelius, tmp_path: Path) -> None:
    root = tmp_path / "notes"
    (root / ".aurelius").mkdir(parents=True)
    (root / ".gitignore").write_text("# mine\nmemory/20*.md\n", "utf-8")
    (root / "joe.md").write_text("# Joe\n", "utf-8")
    why = "memory/2026-02-10.md is ignored (.gitignore:2), so it is neither searched nor shown"
    for argv in (
        ["note", "Met Ann"],
        ["note", "Met Ann again"],
        ["add", "Gil likes tea"],
        ["note", "--dry-run", "x"],
    ):
        assert why in aurelius(*argv, cwd=root).err, argv
    assert "ignored" not in aurelius("new", "person", "Ann Lee", cwd=root).err
    told = aurelius("doctor", cwd=root).out
    assert (
        "memory/2026-02-10.md is left out by .gitignore:2, so nothing that is noted there is ever found"
        in told
    )
    assert "daily.folder FOLDER" in told
    (root / ".gitignore").unlink()
    assert "daily-ignored" not in aurelius("doctor", cwd=root).out


def test_adopting_a_folder_that_ignores_its_daily_notes_says_so(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/.gitignore").write_text("memory/\n", "utf-8")
    told = aurelius("init", "--adopt", "notes", cwd=tmp_path)
    assert told.code == 0
    assert (
        "what you note would never be found: memory/2026-02-10.md is ignored (.gitignore:1)"
        in told.err
    )
