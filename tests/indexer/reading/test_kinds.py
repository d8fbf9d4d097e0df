"""What kind a note of an adopted vault is, and how a person's settings change it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from indexer.reading.kinds import kind_of_file
from indexer.reading.parse import parse
from indexer.reading.path_meaning import KindRules, day_of_path, kind_of_path, read_clue

CASES = Path(__file__).parents[2] / "cases" / "kinds"
NOTES = {
    f"{file.stem}/{path}": (path, case)
    for file in sorted(CASES.glob("*.toml"))
    for path, case in tomllib.loads(file.read_text(encoding="utf-8"))["notes"].items()
}


@pytest.mark.parametrize("name", NOTES)
def test_notes_of_other_peoples_vaults(name: str) -> None:
    path, case = NOTES[name]
    data = case["text"].encode()
    assert parse(path, data).kind == case["kind"]
    assert kind_of_file(path, data, "memory").kind == case["kind"]
    if case.get("same"):
        stated = case["text"].startswith("---\ntype: ")
        assert stated or kind_of_path(path, day_of_path(path, "memory")) == case["kind"]


def kind(path: str, text: str, *rules: tuple[str, str]) -> str:
    return parse(path, text.encode(), kinds=rules).kind


TAGGED = "---\ntags: [character, ally]\n---\n"


def test_clues_of_ones_own_add_a_kind() -> None:
    assert kind("Notes/Bran.md", TAGGED) == "note"
    assert kind("Notes/Bran.md", TAGGED, ("tags: character", "person")) == "person"
    assert kind("CRM/Bran.md", "# Bran\n", ("folder: crm", "person")) == "person"
    assert kind("CRM/CRM.md", "---\nrole: friend\n---\n", ("role: friend", "person")) == "person"
    assert kind("CRM/CRM.md", "# Everybody\n", ("folder: crm", "person")) == "note"
    role = "---\ntype: npc\n---\n"
    assert kind("Notes/Bran.md", role, ("type: npc", "person")) == "person"


def test_clues_of_ones_own_take_a_kind_away() -> None:
    tagged = "---\ntags: [people]\n---\n"
    assert kind("Notes/Crowds.md", tagged) == "person"
    assert kind("Notes/Crowds.md", tagged, ("tags: people", "")) == "note"
    assert kind("People/Crowds.md", tagged, ("tags: people", "")) == "person"
    assert kind("People/Crowds.md", tagged, ("tags: people", ""), ("folder: people", "")) == "note"
    assert kind("Notes/Joe.md", "---\ntype: person\n---\n", ("type: person", "")) == "note"


def test_clues_of_ones_own_spare_days_templates_and_archives() -> None:
    rule = ("tags: character", "person")
    assert kind("Templates/Character.md", TAGGED, rule) == "note"
    assert kind("Daily/2026-02-01.md", TAGGED, rule) == "daily"
    assert kind("Archive/Bran.md", TAGGED, rule) == "archive"
    assert kind("Notes/Bran.md", "---\ntype: project\ntags: character\n---\n", rule) == "project"


@pytest.mark.parametrize(
    ("typed", "read"),
    [
        ("Categories: [[People]]", "categories: people"),
        ("categories:People", "categories: people"),
        ("!tag: #type/Person", "!tags: type/person"),
        ("folder: 02 Projects", "folder: projects"),
        ("file-class: Person", "fileclass: person"),
    ],
)
def test_clues_are_read_as_they_are_compared(typed: str, read: str) -> None:
    assert read_clue(typed) == read


@pytest.mark.parametrize("typed", ["people", "", "!", ": people", "tags:", "tags: [[]]"])
def test_what_is_no_clue_is_refused(typed: str) -> None:
    with pytest.raises(ValueError, match="is not a property"):
        read_clue(typed)


@pytest.mark.parametrize(
    ("path", "text", "rules", "clue"),
    [
        ("References/Ada.md", '---\ncategories: "[[People]]"\n---\n', (), "categories: people"),
        ("02 Projects/Boat.md", "", (), "folder: projects"),
        ("pages/Person___Jon.md", "", (), "folder: person"),
        ("Notes/Ada.md", "---\nfileClass: Person\n---\n", (), "fileclass: person"),
        ("Notes/Ada.md", TAGGED, (("tags: ally", "person"),), "tags: ally"),
        ("Notes/Ada.md", "Person", (), ""),
    ],
)
def test_what_says_so_is_told(path: str, text: str, rules: KindRules, clue: str) -> None:
    assert kind_of_file(path, text.encode(), "memory", rules).clue == clue


def test_headings_of_an_outline_hold_no_facts_because_the_page_is_a_person() -> None:
    """What stands under other headings of a page of Logseq is a fact no more than elsewhere."""
    page = (
        "tags:: [[Person]]\n- # Jon Vale\n\t- ## Image\n\t\t- ![Jon](jon.jpg)\n"
        "\t- ## Facts\n\t\t- Lives in Bonn\n\t- ## Life\n\t\t- Moved (2025-01-02)\n"
    )
    found = parse("pages/Jon Vale.md", page.encode())
    assert [fact.text for fact in found.facts] == ["Lives in Bonn", "Moved"]
    bare = parse("pages/Jon Vale.md", b"tags:: [[Person]]\n- # Jon Vale\n\t- Lives in Bonn\n")
    assert [fact.text for fact in bare.facts] == ["Lives in Bonn"]
