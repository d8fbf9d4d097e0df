"""A new note has the template's shape, a name that every system takes, and takes no other's place."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.cli.options import BEGUN
from aurelius.plans.new_note import (
    KIND_FOLDERS,
    MOST_OF_TEMPLATE,
    choose_name,
    first_text,
    first_text_of_day,
    folder_for,
    new_note_text,
    slug,
    stem_for,
    title,
    with_alias,
)
from aurelius.vault import Vault
from aurelius.writing.check_edit import allowed_parts
from indexer.errors import UsageError
from indexer.reading.parse import parse

NOW = datetime.datetime(2026, 2, 10, 12)


@pytest.mark.parametrize("kind", KIND_FOLDERS)
def test_the_text_is_read_as_what_it_is_about(kind: str) -> None:
    note = parse("x.md", new_note_text(kind, "Ada Lovelace", "2026-02-10").encode())
    assert (note.kind, note.title, note.updated) == (kind, "Ada Lovelace", "2026-02-10")
    assert note.problems == ()
    assert note.facts == ()
    headings = [section.heading[-1] for section in note.sections]
    assert headings[:3] == ["Ada Lovelace", "Summary", "Facts"]


def test_every_kind_can_be_named_on_the_command_line() -> None:
    assert list(BEGUN) == list(KIND_FOLDERS)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Joe Bloggs", "joe-bloggs"),
        ("  O'Brien & Söhne, Ltd. ", "obrien-söhne-ltd"),
        ("C++", "c-plus-plus"),
        ("C#", "c-sharp"),
        ("東京 サクラ", "東京-サクラ"),
        ("../../etc/passwd", "etc-passwd"),
        ("...", ""),
        ("🎉", ""),
        ("a/b\\c:d", "a-b-c-d"),
        ("Cafe\u0301", "café"),
        ("x" * 300, "x" * 120),
    ],
)
def test_a_name_becomes_that_of_a_file(name: str, expected: str) -> None:
    assert slug(name) == expected


def test_a_title_is_one_line() -> None:
    assert title(["#  Joe\n", "\u202eBloggs\x1b", ""]) == "Joe Bloggs"
    with pytest.raises(UsageError):
        title(["?!", "\u200b"])


@pytest.mark.parametrize(
    "name", ["Con", "AUX", "com1", "Me", "Agents", "Claude", "_index", "memory"]
)
@pytest.mark.parametrize("beside", [(), ("people/Joe Bloggs.md",)])
def test_a_name_that_is_taken_by_the_system_gets_its_kind(
    name: str, beside: tuple[str, ...]
) -> None:
    made = stem_for("person", name, beside)
    assert made in {f"{slug(name)}-person", "index-person"}
    assert allowed_parts(f"people/{made}.md")


def test_a_new_note_goes_to_the_top_folder_of_its_kind() -> None:
    assert folder_for("person", []) == "people"
    assert (
        folder_for("project", ["01-projects/a/b/x.md", "01-projects/a/b/y.md", "01-projects/z.md"])
        == "01-projects"
    )
    assert (
        folder_for("person", ["life/areas/people/joe.md", "life/areas/people/team/bob.md"])
        == "life/areas/people"
    )
    assert (
        folder_for("person", ["areas/people/joe.md", "areas/people/bob.md", "people/x.md", "y.md"])
        == "areas/people"
    )
    assert folder_for("person", ["Clients/x.md", "Clients/old/y.md", "people/z.md"]) == "people"
    assert folder_for("area", ["b/x.md", "a/y.md"]) == "a"
    assert folder_for("project", [], ["notes", "1 Projects", "archive"]) == "1 Projects"


def test_notes_beside_decide_how_a_file_is_named() -> None:
    assert (
        stem_for(
            "person", "Jane Roe", ["people/Joe Bloggs.md", "people/Ann.md", "people/tom-reed.md"]
        )
        == "Jane Roe"
    )
    assert stem_for("person", "Jane Roe", ["people/joe-bloggs.md", "people/Ann.md"]) == "jane-roe"
    assert stem_for("person", "Jane Roe", []) == "jane-roe"
    for name in (
        "a/b: c",
        "What?",
        ".hidden",
        "C# notes",
        "a[b]",
        "~x",
        "end.",
        "x" * 130,
        "京" * 90,
    ):
        assert stem_for("person", name, ["people/Joe Bloggs.md"]) == slug(name)


def test_a_note_that_links_wait_for_has_their_name_as_its_file_name(
    tmp_path: Path, aurelius: Callable[..., Any]
) -> None:
    """In Obsidian a link reaches a note by the name of its file, never by an alias."""
    (tmp_path / ".aurelius").mkdir()
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "ann-lee.md").write_text("# Ann Lee\n")
    (tmp_path / "people" / "joe-bloggs.md").write_text("# Joe\n")
    (tmp_path / "a.md").write_text(
        '---\nauthor: "[[Martin Fowler]]"\n---\nSee [[tom-reed]] and [[addy osmani]].\n'
    )
    for name in ("Martin Fowler", "Tom Reed", "Addy Osmani", "Jane Roe"):
        assert aurelius("new", "person", name, cwd=tmp_path).code == 0
    assert {each.name for each in (tmp_path / "people").iterdir()} == {
        "ann-lee.md",
        "joe-bloggs.md",
        "Martin Fowler.md",
        "tom-reed.md",
        "Addy Osmani.md",
        "jane-roe.md",
    }
    assert "aliases" not in (tmp_path / "people" / "Martin Fowler.md").read_text()
    assert "Jane Roe" in (tmp_path / "people" / "jane-roe.md").read_text().partition("# ")[0]


def test_in_a_vault_of_obsidian_the_notes_beside_decide_and_without_any_the_title(
    tmp_path: Path, aurelius: Callable[..., Any]
) -> None:
    for folder in (".aurelius", ".obsidian", "projects"):
        (tmp_path / folder).mkdir()
    for path in ("projects/big-plan.md", "other-thing.md"):
        (tmp_path / path).write_text("x\n")
    assert aurelius("new", "project", "New House", cwd=tmp_path).code == 0
    assert aurelius("new", "person", "Martin Fowler", cwd=tmp_path).code == 0
    assert (tmp_path / "projects" / "new-house.md").exists()
    assert (tmp_path / "people" / "Martin Fowler.md").exists()


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
    "name",
    ["Jane Roe", "O'Brien & Söhne", "a: b", "[x], y", "12 March", 'say "hi" now', "No", "# x"],
)
def test_an_alias_is_read_back_as_it_was_typed(name: str) -> None:
    assert parse(
        "x.md", with_alias(new_note_text("person", "X", "2026-02-10"), name).encode()
    ).aliases == (name,)


def opened(root: Path, env: dict[str, str]) -> Vault:
    return Vault.find(str(root), env, str(root), now=NOW)


def test_a_name_that_a_note_of_the_kind_has_is_refused(
    vault: Callable[[str], Path], env: dict[str, str]
) -> None:
    there = opened(vault("template"), env)
    for name in ("Joe Bloggs", "joe bloggs", "Sarah Lindqvist"):
        with pytest.raises(UsageError, match="already"):
            choose_name(there, "person", [name])
    with pytest.raises(UsageError, match=r"people/joe-bloggs\.md already exists"):
        choose_name(there, "person", ["Joe Bloggs"], force=True)
    there.close()


def test_a_name_that_a_note_of_another_kind_has_is_refused_unless_forced(
    vault: Callable[[str], Path], env: dict[str, str]
) -> None:
    there = opened(vault("template"), env)
    with pytest.raises(UsageError, match=r"called 'Joe Bloggs': people/joe-bloggs\.md \(person\)"):
        choose_name(there, "company", ["Joe Bloggs"])
    assert choose_name(there, "company", ["Joe Bloggs"], force=True) == (
        "Joe Bloggs",
        "companies/joe-bloggs.md",
    )
    there.close()


def test_a_path_that_is_taken_or_ignored_is_refused(
    vault: Callable[[str], Path], env: dict[str, str]
) -> None:
    root = vault("template")
    (root / "people" / "ada.md").symlink_to("nowhere")
    (root / ".aureliusignore").write_text("/areas/\nresources/tea.md\n")
    there = opened(root, env)
    with pytest.raises(UsageError):
        choose_name(there, "person", ["Ada"])
    for kind in ("area", "resource"):
        with pytest.raises(UsageError, match="would be ignored"):
            choose_name(there, kind, ["Tea"])
    assert choose_name(there, "resource", ["Teas"])
    there.close()


def test_the_archive_is_no_folder_for_a_new_note(tmp_path: Path, env: dict[str, str]) -> None:
    (tmp_path / "archives").mkdir()
    (tmp_path / "archives" / "sarah.md").write_text(new_note_text("person", "Sarah", "2026-02-10"))
    there = opened(tmp_path, env)
    assert choose_name(there, "person", ["Ann Lee"]) == ("Ann Lee", "people/ann-lee.md")
    there.close()


# Templates

FIVE_PAST = datetime.datetime.fromisoformat("2026-02-10T12:05")


@pytest.fixture
def there(tmp_path: Path, env: dict[str, str]) -> Vault:
    (tmp_path / "v" / ".aurelius").mkdir(parents=True)
    (tmp_path / "v" / "templates").mkdir()
    return Vault.find(str(tmp_path / "v"), env, str(tmp_path), now=NOW)


def test_a_template_of_the_kind_is_filled_in(there: Vault) -> None:
    file = Path(there.root, "templates", "Project.md")
    file.write_bytes(
        b"---\r\nmade: {{date}}\r\n---\r\n# {{ Title }} {{date:dddd}} {{time}} {{time:HHmm}}\r\n{{no}}"
    )
    assert first_text(there, "project", "Shed", FIVE_PAST) == (
        "---\nmade: 2026-02-10\n---\n# Shed Tuesday 12:05 1205\n{{no}}\n",
        (),
    )
    assert first_text(there, "person", "Ann", FIVE_PAST) == (None, ())


def test_code_of_a_template_and_what_is_not_understood_stay_and_are_told(there: Vault) -> None:
    text = "<% tp.file.title %> {{date:gggg}}\n"
    Path(there.root, "templates", "daily.md").write_text(text, "utf-8")
    found = first_text_of_day(there, "memory/2026-02-10.md", FIVE_PAST)
    assert found.text == text
    assert found.notices == (
        "templates/daily.md: {{date:gggg}} was not filled in: gggg is not supported",
        "templates/daily.md: code in <% %> was copied as it is: Aurelius does not run code",
    )


def test_a_template_that_cannot_be_used_is_told_and_the_note_is_begun_without(
    there: Vault, tmp_path: Path
) -> None:
    file = Path(there.root, "templates", "project.md")
    secret = tmp_path / "secret.md"
    secret.write_text("secret", "utf-8")

    def replaced(make: Callable[[], Any]) -> tuple[str, ...]:
        file.unlink(missing_ok=True)
        make()
        found = first_text(there, "project", "Shed", FIVE_PAST)
        assert found.text is None
        assert len(found.notices) == 1
        return found.notices

    assert "link" in replaced(lambda: file.symlink_to(secret))[0]
    assert "KiB" in replaced(lambda: file.write_bytes(b"x" * (MOST_OF_TEMPLATE + 1)))[0]
    assert "UTF-8" in replaced(lambda: file.write_bytes(b"\xff"))[0]
    if hasattr(os, "mkfifo"):
        replaced(lambda: os.mkfifo(file))


def test_a_new_day_begins_as_the_settings_say(there: Vault, aurelius: Callable[..., Any]) -> None:
    root, settings = Path(there.root), Path(there.root, ".aurelius", "config.toml")
    day = root / "memory" / "2026-02-10.md"

    def noted(text: str, template: str = "") -> str:
        settings.write_text(text, "utf-8")
        (root / "templates" / "day.md").write_text(template, "utf-8")
        day.unlink(missing_ok=True)
        done = aurelius("note", "hello", cwd=root)
        assert (done.code, done.err) == (0, "")
        return day.read_text("utf-8")

    assert noted("") == "# 2026-02-10\n\n- hello\n"
    assert noted("[daily]\nheading = false\n") == "- hello\n"
    named = '[daily]\ntemplate = "templates/day.md"\n'
    assert noted(named, "# {{title}}\n\n## Log") == "# 2026-02-10\n\n## Log\n- hello\n"
    assert noted(named, "## Captured\n") == "## Captured\n\n## 12:00\n\n- hello\n"


def test_a_template_of_the_day_that_is_gone_is_told(
    there: Vault, aurelius: Callable[..., Any]
) -> None:
    Path(there.root, ".aurelius", "config.toml").write_text(
        '[daily]\ntemplate = "templates/day.md"\n', "utf-8"
    )
    done = aurelius("note", "hello", cwd=Path(there.root))
    assert (
        done.err
        == "aurelius: templates/day.md: not used as a template: No such file or directory\n"
    )
    assert (
        Path(there.root, "memory", "2026-02-10.md").read_text("utf-8")
        == "# 2026-02-10\n\n- hello\n"
    )
