"""A new note has the template's shape, a name that every system takes, and takes no other's place."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from pathlib import Path

import pytest

from aurelius.cli.options import BEGUN
from aurelius.plans.new_note import FOLDERS, choose, path, slug, start, title
from aurelius.vault import Vault
from aurelius.writing.check_edit import allowed_parts
from indexer.errors import ConflictError, UsageError
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
def test_a_name_that_is_taken_by_the_system_gets_its_kind(name: str) -> None:
    made = path("person", name, [])
    assert made == f"people/{slug(name)}-person.md" or made == "people/index-person.md"
    assert allowed_parts(made)


def test_it_goes_where_its_like_are() -> None:
    assert path("person", "Ada", []) == "people/ada.md"
    assert (
        path("person", "Ada", ["areas/people/joe.md", "areas/people/bob.md", "people/x.md", "y.md"])
        == "areas/people/ada.md"
    )
    assert path("area", "Tea", ["b/x.md", "a/y.md"]) == "a/tea.md"


def opened(root: Path, env: dict[str, str]) -> Vault:
    return Vault.find(str(root), env, str(root), now=NOW)


def test_a_name_that_a_note_of_the_kind_has_is_refused(vault: Callable[[str], Path], env: dict[str, str]) -> None:
    there = opened(vault("template"), env)
    for name in ("Joe Bloggs", "joe bloggs", "Sarah Lindqvist"):
        with pytest.raises(ConflictError, match="there already"):
            choose(there, "person", [name])
    assert choose(there, "company", ["Joe Bloggs"]) == ("Joe Bloggs", "companies/joe-bloggs.md")
    there.close()


def test_a_path_that_is_taken_or_ignored_is_refused(vault: Callable[[str], Path], env: dict[str, str]) -> None:
    root = vault("template")
    (root / "people" / "ada.md").symlink_to("nowhere")
    (root / ".aureliusignore").write_text("/areas/\nresources/tea.md\n")
    there = opened(root, env)
    with pytest.raises(ConflictError):
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
