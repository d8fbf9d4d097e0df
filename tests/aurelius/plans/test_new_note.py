"""A new note has the template's shape, a name that every system takes, and takes no other's place."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import pytest

from aurelius.cli.options import BEGUN
from aurelius.plans.new_note import FOLDERS, choose, folder_for, slug, start, stem_for, title, with_alias
from aurelius.vault import Vault
from aurelius.writing.check_edit import allowed_parts
from indexer.errors import UsageError
from indexer.reading.parse import parse

NOW = datetime.datetime(2026, 2, 10, 12)


@pytest.mark.parametrize("kind", FOLDERS)
def test_the_text_is_read_as_what_it_is_about(kind: str) -> None:
    note = parse("x.md", start(kind, "Ada Lovelace", "2026-02-10").encode())
    assert (note.kind, note.title, note.updated) == (kind, "Ada Lovelace", "2026-02-10")
    assert note.problems == ()
    assert note.facts == ()
    headings = [section.heading[-1] for section in note.sections]
    assert headings[:3] == ["Ada Lovelace", "Summary", "Facts"]


def test_every_kind_can_be_named_on_the_command_line() -> None:
    assert [kind for kind, _ in BEGUN] == list(FOLDERS)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Joe Bloggs", "joe-bloggs"), ("  O'Brien & Söhne, Ltd. ", "obrien-söhne-ltd"), ("C++", "c-plus-plus"),
        ("C#", "c-sharp"), ("東京 サクラ", "東京-サクラ"), ("../../etc/passwd", "etc-passwd"), ("...", ""), ("🎉", ""),
        ("a/b\\c:d", "a-b-c-d"),
        ("Cafe\u0301", "café"), ("x" * 300, "x" * 120),
    ],
)  # fmt: skip
def test_a_name_becomes_that_of_a_file(name: str, expected: str) -> None:
    assert slug(name) == expected


def test_a_title_is_one_line() -> None:
    assert title(["#  Joe\n", "\u202eBloggs\x1b", ""]) == "Joe Bloggs"
    with pytest.raises(UsageError):
        title(["?!", "\u200b"])


@pytest.mark.parametrize("name", ["Con", "AUX", "com1", "Me", "Agents", "Claude", "_index", "memory"])
@pytest.mark.parametrize("beside", [(), ("people/Joe Bloggs.md",)])
def test_a_name_that_is_taken_by_the_system_gets_its_kind(name: str, beside: tuple[str, ...]) -> None:
    made = stem_for("person", name, beside)
    assert made in {f"{slug(name)}-person", "index-person"}
    assert allowed_parts(f"people/{made}.md")


def test_a_new_note_goes_to_the_top_folder_of_its_kind() -> None:
    assert folder_for("person", []) == "people"
    assert folder_for("project", ["01-projects/a/b/x.md", "01-projects/a/b/y.md", "01-projects/z.md"]) == "01-projects"
    assert folder_for("person", ["life/areas/people/joe.md", "life/areas/people/work/bob.md"]) == "life/areas/people"
    assert folder_for("person", ["areas/people/joe.md", "areas/people/bob.md", "people/x.md", "y.md"]) == "areas/people"
    assert folder_for("person", ["Clients/x.md", "Clients/old/y.md", "people/z.md"]) == "people"
    assert folder_for("area", ["b/x.md", "a/y.md"]) == "a"
    assert folder_for("project", [], ["notes", "1 Projects", "archive"]) == "1 Projects"


def test_notes_beside_decide_how_a_file_is_named() -> None:
    assert stem_for("person", "Jane Roe", ["people/Joe Bloggs.md", "people/Ann.md", "people/tom-reed.md"]) == "Jane Roe"
    assert stem_for("person", "Jane Roe", ["people/joe-bloggs.md", "people/Ann.md"]) == "jane-roe"
    assert stem_for("person", "Jane Roe", []) == "jane-roe"
    for name in ("a/b: c", "What?", ".hidden", "C# notes", "a[b]", "~x", "end.", "x" * 130, "京" * 90):
        assert stem_for("person", name, ["people/Joe Bloggs.md"]) == slug(name)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# Jane\n", "---\naliases: [Jane Roe]\n---\n# Jane\n"),
        ("---\ntags: [a]\n---\n# J\n", "---\naliases: [Jane Roe]\ntags: [a]\n---\n# J\n"),
        ("---\naliases:\ntags: [a]\n---\nJ\n", "---\naliases: [Jane Roe]\ntags: [a]\n---\nJ\n"),
        ("---\naliases: []\n---\n", "---\naliases: [Jane Roe]\n---\n"),
        ("---\naliases: [J]\n---\n", "---\naliases: [J]\n---\n"),
        ("---\naliases:\n  - J\n---\n", "---\naliases:\n  - J\n---\n"),
        ("---\nno end\n", "---\naliases: [Jane Roe]\n---\n---\nno end\n"),
    ],
)
def test_an_alias_is_put_into_the_front_matter_there_is(text: str, expected: str) -> None:
    assert with_alias(text, "Jane Roe") == expected


@pytest.mark.parametrize(
    "name", ["Jane Roe", "O'Brien & Söhne", "a: b", "[x], y", "12 March", 'say "hi" now', "No", "# x"]
)
def test_an_alias_is_read_back_as_it_was_typed(name: str) -> None:
    assert parse("x.md", with_alias(start("person", "X", "2026-02-10"), name).encode()).aliases == (name,)


def opened(root: Path, env: dict[str, str]) -> Vault:
    return Vault.find(str(root), env, str(root), now=NOW)


def test_a_name_that_a_note_of_the_kind_has_is_refused(vault: Callable[[str], Path], env: dict[str, str]) -> None:
    there = opened(vault("template"), env)
    for name in ("Joe Bloggs", "joe bloggs", "Sarah Lindqvist"):
        with pytest.raises(UsageError, match="already"):
            choose(there, "person", [name])
    with pytest.raises(UsageError, match=r"people/joe-bloggs\.md is there already"):
        choose(there, "person", ["Joe Bloggs"], force=True)
    there.close()


def test_a_name_that_a_note_of_another_kind_has_is_refused_unless_forced(
    vault: Callable[[str], Path], env: dict[str, str]
) -> None:
    there = opened(vault("template"), env)
    with pytest.raises(UsageError, match=r"people/joe-bloggs\.md \(person\) is called 'Joe Bloggs' already"):
        choose(there, "company", ["Joe Bloggs"])
    assert choose(there, "company", ["Joe Bloggs"], force=True) == ("Joe Bloggs", "companies/joe-bloggs.md")
    there.close()


def test_a_path_that_is_taken_or_ignored_is_refused(vault: Callable[[str], Path], env: dict[str, str]) -> None:
    root = vault("template")
    (root / "people" / "ada.md").symlink_to("nowhere")
    (root / ".aureliusignore").write_text("/areas/\nresources/tea.md\n")
    there = opened(root, env)
    with pytest.raises(UsageError):
        choose(there, "person", ["Ada"])
    for kind in ("area", "resource"):
        with pytest.raises(UsageError, match="would be ignored"):
            choose(there, kind, ["Tea"])
    assert choose(there, "resource", ["Teas"])
    there.close()


def test_the_archive_is_no_folder_for_a_new_note(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "archives").mkdir()
    (tmp_path / "archives" / "sarah.md").write_text(start("person", "Sarah", "2026-02-10"))
    there = opened(tmp_path, env)
    assert choose(there, "person", ["Ann Lee"]) == ("Ann Lee", "people/ann-lee.md")
    there.close()
