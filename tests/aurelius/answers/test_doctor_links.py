"""Findings of `doctor` about links, shared names and ids of facts.

Links to a note that another program renamed are found, and repaired on request; nothing else is proposed.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.answers import doctor_links
from aurelius.answers.doctor_links import (
    MOST_RENAMES,
    fact_id_findings,
    forget_renames,
    later_paths,
    name_findings,
    of_links,
    remember_renames,
)
from aurelius.settings.places import RENAMED
from indexer.catalog.graph import Broken
from indexer.catalog.names import Called
from indexer.note import Fact, Settings
from indexer.reading.parse import parse
from indexer.refresh.refresh import refresh


def test_of_many_links_to_a_note_that_is_not_written_the_first_four_are_named() -> None:
    links = [
        Broken(f"{number}.md", 1, "unwritten", "gone", "no such note") for number in range(1, 7)
    ]
    places = "2.md:1, 3.md:1, 4.md:1"
    assert (
        doctor_links._of_many("gone", links[:4]).message
        == f"there is no note 'gone'; also at {places}"
    )
    assert doctor_links._of_many("gone", links).message.endswith(f"; also at {places} and 2 more")


def test_a_missing_note_is_told_once_however_it_is_linked_to(tmp_path: Path) -> None:
    root = tmp_path / "vault"
    root.mkdir()
    settings = Settings(str(root), str(tmp_path / "index"))
    (root / "a.md").write_text(
        "# A\n[x](Nowhere.md) [[nowhere]] [[Nowhere]]\n[[Nowhere]] [y](nowhere.md)\n[z](gone.md)\n"
    )
    index, _ = refresh(settings, now=1_900_000_000.0)
    found = [
        (each.line, each.code, each.message) for each in of_links(index.db, settings, private=False)
    ]
    index.close()
    assert sorted(found) == [
        (2, "unwritten", "there is no note 'nowhere'; also at a.md:3"),
        (4, "broken-link", "broken link to 'gone.md': no such note"),
    ]


def test_names_that_two_notes_answer_to() -> None:
    def names(*called: Called) -> list[str]:
        return [each.path for each in name_findings(list(called)) if each.code == "ambiguous-name"]

    joe = Called("people/joe.md", "Joe", ("Boss",), "person", None)
    assert names(joe, Called("people/j2.md", "Joe", (), "person", None)) == ["people/j2.md"]
    assert names(joe, Called("people/ann.md", "Ann", ("boss",), "person", None)) == [
        "people/ann.md"
    ]
    assert names(joe, Called("notes/boss.md", "X", (), "note", None)) == ["notes/boss.md"]
    assert names(joe, Called("archives/joe.md", "Joe", ("Boss",), "archive", None)) == []
    readme = [Called(f"{each}/index.md", "Index", (), "note", None) for each in "abc"]
    assert names(*readme) == []


if sys.platform != "win32":

    def test_names_that_differ_in_case_alone(tmp_path: Path) -> None:
        called = [
            Called(path, title, (), "note", None)
            for path, title in (("Joe.md", "1"), ("joe.md", "2"))
        ]
        assert [(each.path, each.code) for each in name_findings(called)] == [
            ("joe.md", "case-clash")
        ]


def facts_of(**notes: str) -> list[tuple[str, Fact]]:
    return [
        (note.path, fact)
        for name, text in notes.items()
        for note in [parse(f"{name}.md", f"# N\n## Facts\n{text}".encode())]
        for fact in note.facts
    ]


def findings_of(facts: list[tuple[str, Fact]]) -> list[tuple[str, str]]:
    found = fact_id_findings(facts, {path for path, _ in facts})
    return [(each.path, each.code) for each in found]


def test_facts_that_supersede_each_other_in_a_circle() -> None:
    one, two = (
        "- a (2026-01-01, superseded by ^bbb222) ^aaa111\n",
        "- b (2026-01-02, superseded by ^aaa111) ^bbb222\n",
    )
    assert findings_of(facts_of(x=one, y=two)) == [("x.md", "cycle")]
    assert findings_of(facts_of(x="- a (2026-01-01, superseded by ^aaa111) ^aaa111\n")) == [
        ("x.md", "cycle")
    ]
    assert findings_of(facts_of(x=one, y="- b ^bbb222\n")) == []
    one, two = (
        "- a (2026-01-01, updates ^bbb222) ^aaa111\n",
        "- b (2026-01-02, updates ^aaa111) ^bbb222\n",
    )
    assert findings_of(facts_of(x=one, y=two)) == [("x.md", "cycle")]
    assert findings_of(facts_of(x=one, y="- b ^bbb222\n")) == []


def test_a_chain_into_a_circle_ends() -> None:
    chain = (
        "- z (2026-01-01, superseded by ^aaa111) ^zzz000\n- a (2026-01-01, superseded by ^bbb222) ^aaa111\n"
        "- b (2026-01-01, superseded by ^aaa111) ^bbb222\n"
    )
    assert findings_of(facts_of(x=chain)) == [("x.md", "cycle")]


@pytest.mark.parametrize("word", ["superseded by", "updates", "contradicts", "because"])
def test_ids_that_nothing_has(word: str) -> None:
    assert findings_of(facts_of(x=f"- a (2026-01-01, {word} ^nope00) ^aaa111\n")) == [
        ("x.md", "dangling-id")
    ]
    assert (
        findings_of(facts_of(x=f"- a (2026-01-01, {word} ^bbb222) ^aaa111\n", y="- b ^bbb222\n"))
        == []
    )


def test_only_ids_of_ours_or_pointed_at_have_to_be_unlike() -> None:
    assert findings_of(facts_of(x="- a ^quote\n", y="- b ^quote\n")) == []
    assert findings_of(
        facts_of(x="- a ^quote\n", y="- b ^quote\n", z="- c (2026-01-01, updates ^quote) ^ccc333\n")
    ) == [("y.md", "duplicate-id")]
    assert findings_of(facts_of(x="- a ^abc123\n", y="- b ^abc123\n")) == [("y.md", "duplicate-id")]
    assert findings_of(facts_of(x="- a ^abc123\n- b ^abc123\n")) == []  # in one note, parsing tells


Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]

SARAH = "# Sarah\n\n## Facts\n- Birthday is on 14 May (2025-05-14)\n- Organises a conference every June (2025-06-12)\n"


@pytest.fixture
def root(aurelius: Aurelius, vault: Vaults) -> Path:
    there = vault("empty")
    (there / "people").mkdir()
    (there / "people" / "sarah.md").write_text(SARAH + "\nSee [notes](../x.md).\n")
    (there / "x.md").write_text(
        '---\nwith: "[[people/sarah]]"\n---\n[[sarah|S]], [her](people/sarah.md#facts)\n'
    )
    assert aurelius("index", cwd=there).code == 0
    return there


def found(aurelius: Aurelius, root: Path) -> list[tuple[str, str]]:
    told = json.loads(aurelius("doctor", "--json", cwd=root).out)["findings"]
    return [(each["message"], each["fix"]) for each in told if each["code"] == "renamed"]


def state_of(root: Path, env: dict[str, str]) -> Path:
    return next(Path(env["HOME"]).rglob(RENAMED))


@pytest.mark.parametrize("edited", [False, True])
def test_links_to_a_note_that_was_renamed_are_named_and_repaired(
    aurelius: Aurelius, root: Path, edited: bool
) -> None:
    new = root / "people" / "old friends" / "sarah-lindqvist.md"
    new.parent.mkdir()
    os.rename(root / "people" / "sarah.md", new)
    if edited:
        new.write_text(new.read_text().replace("every June", "every July"))
    [(what, fix)] = found(aurelius, root)
    assert (
        "people/sarah.md was renamed to people/old friends/sarah-lindqvist.md; also at x.md:4"
        in what
    )
    assert (
        fix
        == "`aurelius move people/sarah.md 'people/old friends/sarah-lindqvist.md'` repairs the links"
    )
    before = (root / "x.md").read_bytes(), new.read_bytes()
    move = ("move", "people/sarah.md", "people/old friends/sarah-lindqvist.md")
    assert "+with: " in aurelius(*move, "--dry-run", cwd=root).out
    assert ((root / "x.md").read_bytes(), new.read_bytes()) == before
    done = aurelius(*move, cwd=root)
    assert done.out.startswith("people/sarah.md → people/old friends/sarah-lindqvist.md\n"), done
    assert (root / "x.md").read_text() == (
        '---\nwith: "[[people/old friends/sarah-lindqvist]]"\n---\n'
        "[[sarah-lindqvist|S]], [her](people/old%20friends/sarah-lindqvist.md#facts)\n"
    )
    assert "[notes](../../x.md)" in new.read_text(), "a link in the note itself leads where it led"
    assert found(aurelius, root) == []
    assert aurelius("undo", cwd=root).code == 0
    assert ((root / "x.md").read_bytes(), new.read_bytes()) == before
    assert len(found(aurelius, root)) == 1


def test_a_link_to_the_old_name_is_repaired_though_a_folder_has_that_name(
    aurelius: Aurelius, root: Path
) -> None:
    (root / "cards" / "sarah").mkdir(parents=True)
    os.rename(root / "people" / "sarah.md", root / "people" / "sara.md")
    assert (
        "people/sarah.md was renamed to people/sara.md; also at x.md:4"
        in found(aurelius, root)[0][0]
    )


def test_a_note_renamed_twice_is_found_under_its_last_name(aurelius: Aurelius, root: Path) -> None:
    for old, new in (("sarah", "sara"), ("sara", "sarah-b")):
        os.rename(root / "people" / f"{old}.md", root / "people" / f"{new}.md")
        aurelius("index", cwd=root)
    assert "people/sarah.md was renamed to people/sarah-b.md" in found(aurelius, root)[0][0]


def test_nothing_is_proposed_once_the_old_name_is_taken_again(
    aurelius: Aurelius, root: Path
) -> None:
    os.rename(root / "people" / "sarah.md", root / "people" / "sara.md")
    aurelius("index", cwd=root)
    (root / "people" / "sarah.md").write_text("# Another Sarah\n")
    assert found(aurelius, root) == []
    assert "already exists" in aurelius("move", "people/sarah.md", "people/sara.md", cwd=root).err


def test_a_deleted_note_is_not_taken_for_renamed(aurelius: Aurelius, root: Path) -> None:
    (root / "people" / "sarah.md").unlink()
    (root / "people" / "igor.md").write_text(
        "# Igor\n\n## Facts\n- Landlord, wants the rent by the third\n"
    )
    assert found(aurelius, root) == []
    done = aurelius("move", "people/nobody.md", "people/igor.md", cwd=root)
    assert "no note is called 'people/nobody.md'" in done.err


def test_a_private_name_is_told_to_nobody_who_may_not_see_it(
    aurelius: Aurelius, root: Path
) -> None:
    new = root / "people" / "secret.md"
    os.rename(root / "people" / "sarah.md", new)
    new.write_text("---\nprivate: true\n---\n" + new.read_text())
    assert found(aurelius, root) == []
    assert aurelius("move", "people/sarah.md", "people/secret.md", cwd=root).code != 0
    assert "secret" not in (root / "x.md").read_text()
    assert aurelius("move", "people/sarah.md", "people/secret.md", "--private", cwd=root).code == 0
    assert "[[people/secret]]" in (root / "x.md").read_text()


def test_what_is_forgotten_is_not_remembered_as_renamed(
    aurelius: Aurelius, root: Path, env: dict[str, str]
) -> None:
    os.rename(root / "people" / "sarah.md", root / "people" / "sara.md")
    aurelius("index", cwd=root)
    assert "people/sara.md" in state_of(root, env).read_text()
    assert aurelius("forget", "people/sara.md", cwd=root).code == 0
    assert "sara" not in state_of(root, env).read_text()


@pytest.mark.parametrize(
    "data", [b"", b"\xff\n{}\n[1,2]\n[[]]\n" + b"[" * 9000, b'["people/sarah.md", 1, false]\n']
)
def test_a_damaged_memory_of_renames_proposes_nothing(
    aurelius: Aurelius, root: Path, env: dict[str, str], data: bytes
) -> None:
    os.rename(root / "people" / "sarah.md", root / "people" / "sara.md")
    aurelius("index", cwd=root)
    state_of(root, env).write_bytes(data)
    assert found(aurelius, root) == []
    assert (
        "links repaired in x.md"
        in aurelius("move", "people/sarah.md", "people/sara.md", cwd=root).out
    )


def test_no_more_than_a_number_of_renames_is_kept(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    remember_renames(state, [(f"a{n}.md", f"b{n}.md") for n in range(MOST_RENAMES + 5)])
    remember_renames(state, [("a9.md", "c.md"), ("b9.md", "a9.md")])
    assert len((tmp_path / "state" / RENAMED).read_text().splitlines()) == MOST_RENAMES
    assert later_paths(state, {"c.md", "b0.md"}) == {"a9.md": "c.md", "b9.md": "c.md"}
    forget_renames(state, "c.md")
    assert later_paths(state, {"c.md"}) == {}


def test_a_note_that_was_moved_and_then_renamed_by_hand_is_found(
    aurelius: Aurelius, root: Path
) -> None:
    assert aurelius("move", "sarah", "people/sara.md", cwd=root).code == 0
    os.rename(root / "people" / "sara.md", root / "people" / "zara.md")
    assert "people/sara.md was renamed to people/zara.md" in found(aurelius, root)[0][0]


def test_names_that_lead_in_a_circle_lead_nowhere(tmp_path: Path) -> None:
    remember_renames(str(tmp_path), [("a.md", "b.md"), ("b.md", "a.md")])
    assert later_paths(str(tmp_path), {"c.md"}) == {}
