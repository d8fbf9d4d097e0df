"""Properties as they were typed: whatever `show` prints can be asked for, as a name, a tag or a condition."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aurelius = Callable[..., Any]


def vault_of(tmp_path: Path, notes: dict[str, str]) -> Path:
    root = tmp_path / "vault"
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    (root / ".aurelius").mkdir()
    return root


def front(*lines: str) -> str:
    return "\n".join(("---", *lines, "---", "body", ""))


def found(aurelius: Aurelius, root: Path, *args: str) -> list[str]:
    done = aurelius("list", *args, "--paths", cwd=root)
    return sorted(done.out.split("\n")[:-1])


def test_tags_and_aliases_that_yaml_1_1_took_for_booleans_are_names(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    root = vault_of(tmp_path, {"a.md": front("tags: [NO, yes]", 'aliases: [Off, "x"]')})
    tags = aurelius("tags", cwd=root).out
    assert "#NO" in tags
    assert "#yes" in tags
    assert not {"#True", "#False"} & set(tags.split())
    assert aurelius("show", "Off", cwd=root).code == 0
    assert found(aurelius, root, "--tag", "no") == ["a.md"]


def test_numbers_times_and_versions_are_names_as_typed(aurelius: Aurelius, tmp_path: Path) -> None:
    text = front(
        "aliases: [1.10, 007, 10:30]", "tags: [v/0123, 0123a, 2024]", "id: 0123", "title: 1.50"
    )
    root = vault_of(tmp_path, {"python.md": text})
    for name in ("1.10", "007", "10:30", "1.50"):
        assert "python.md" in aurelius("show", name, cwd=root).out
    assert found(aurelius, root, "--tag", "v/0123") == ["python.md"]
    assert "id: 0123\n" in aurelius("show", "python", cwd=root).out


@pytest.mark.parametrize(
    ("line", "condition", "holds"),
    [
        ("on: 2026-05-01", "on", True),
        ("on: 2026-05-01", "on >= 2026-04", True),
        ("no: 7", "no = 7", True),
        ("y: 7", "y = 7", True),
        ("2024: x", "2024 = x", True),
        ("true: x", "true = x", True),
        ("start: 10:30", "start = 10:30", True),
        ("start: 10:30", "start >= 09:00", True),
        ("start: 10:30", "start > 9:00", True),
        ("start: 9:30", "start = 09:30", True),
        ("start: 9:30", "start > 10:00", False),
        ("length: 1:02:03", "length = 1:02:03", True),
        ("length: 1:02:03", "length < 1:02:04", True),
        ("zip: 01234", "zip = 01234", True),
        ("zip: 01234", "zip = 668", False),
        ("zip: 01234", "zip = 1234", False),
        ("big: 1_000", "big = 1_000", True),
        ("mode: 0o17", "mode = 0o17", True),
        ("mode: 0o17", "mode = 15", False),
        ("version: 1.10", "version = 1.10", True),
        ("version: 1.10", "version = 1.1", False),
        ("version: 1.10.0", "version = 1.10.0", True),
        ("price: 12.5", "price = 12.5", True),
        ("price: 12.5", "price > 9", True),
        ("price: 4.0", "price = 4", True),
        ("paid: yes", "paid = yes", True),
        ("paid: NO", "paid = no", True),
        ("done: TRUE", "done = true", True),
        ("due: 2024-02-30", "due = 2024-02-30", True),
        ("at: 2026-02-10 09:30", "at >= 2026-02", True),
        ("at: 2026-02-10T09:30:00", "at = 2026-02-10 09:30", True),
        ("at: 2026-02-10 09:30", "at > 2026-02-10T09:00", True),
        ("tags: a, b", "tags = b", True),
        ("owner: [[Ann Lee]]", "owner = Ann Lee", True),
        ("owner: '[[people/Ann Lee|Ann]]'", "owner = Ann Lee", True),
        ("team: ['[[Bob]]', Ann]", "team = bob", True),
        ("reviewed:", "reviewed", False),
    ],
)
def test_a_property_is_found_by_what_was_typed(
    aurelius: Aurelius, tmp_path: Path, line: str, condition: str, holds: bool
) -> None:
    root = vault_of(tmp_path, {"a.md": front(line, "other: 1"), "b.md": "none\n"})
    assert found(aurelius, root, "--where", condition) == ["a.md"] * holds


def test_a_time_is_shown_as_typed(aurelius: Aurelius, tmp_path: Path) -> None:
    root = vault_of(tmp_path, {"a.md": front("start: 10:30", "zip: 01234", "early: 09:30")})
    shown = aurelius("show", "a", cwd=root).out
    assert "start: 10:30\n" in shown
    assert "zip: 01234\n" in shown
    assert "early: 09:30\n" in shown


def test_an_impossible_date_loses_no_tag_and_no_alias(aurelius: Aurelius, tmp_path: Path) -> None:
    lines = ("tags:", "  - project", "  - alpha/beta", "aliases:", "  - Nick", "due: 2024-02-30")
    root = vault_of(tmp_path, {"d.md": front(*lines)})
    assert found(aurelius, root, "--tag", "project") == ["d.md"]
    assert aurelius("show", "Nick", cwd=root).code == 0


def test_a_line_that_is_not_valid_is_told_and_loses_no_tag_and_no_alias(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    lines = ("tags:", "  - project", "by: @ann", "aliases:", "  - Nick", "rating: 8")
    root = vault_of(tmp_path, {"d.md": front(*lines)})
    assert found(
        aurelius, root, "--tag", "project", "--where", "rating >= 8", "--where", "by = @ann"
    ) == ["d.md"]
    assert aurelius("show", "Nick", cwd=root).code == 0
    assert "d.md:4" in aurelius("doctor", cwd=root).out


def test_a_key_without_a_value_is_not_called_missing(aurelius: Aurelius, tmp_path: Path) -> None:
    root = vault_of(tmp_path, {"a.md": front("reviewed:", "Gründe: []", "status: x")})
    for key in ("reviewed", "Reviewed", unicodedata.normalize("NFD", "gründe")):
        told = aurelius("list", "--where", key, cwd=root)
        assert (
            f"the key {key!r} has no value in any of the notes that have it" in told.out + told.err
        )
        assert "did you mean" not in told.out + told.err
    told = aurelius("list", "--where", "revewed", cwd=root)
    assert "no note has the key 'revewed' (did you mean reviewed?)" in told.out + told.err


PAGE = "rating:: 8\nstatus:: done\nowner:: [[Ann Lee]]\nteam:: [[Bob]], [[people/Eve|E.]]\nstart:: 10:30\n\n- text\n"


@pytest.mark.parametrize("path", ["pages/Book.md", "Book.md"])
@pytest.mark.parametrize("above", ["", "# Book\n", "---\nother: 1\n---\n"])
@pytest.mark.parametrize(
    "condition",
    [
        "rating >= 7",
        "status = done",
        "owner = Ann Lee",
        "team = Bob",
        "team = eve",
        "start > 9:00",
        "Rating",
    ],
)
def test_a_property_at_the_top_of_a_page_is_found(
    aurelius: Aurelius, tmp_path: Path, path: str, above: str, condition: str
) -> None:
    root = vault_of(tmp_path, {path: above + PAGE, "other.md": "none\n"})
    if path != "Book.md":
        (root / "logseq").mkdir()
        (root / "logseq" / "config.edn").write_text("{}")
    key = condition.split(maxsplit=1)[0].lower()
    assert f"{key}: " in aurelius("show", path, cwd=root).out
    assert found(aurelius, root, "--where", condition) == [path]
    assert found(aurelius, root, "--where", "rating = 7") == []


def test_a_property_at_the_top_of_a_page_says_its_kind_and_no_date(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    text = "category:: company\nstatus:: x\nmodified:: 2020-01-01\n\ntext\n"
    root = vault_of(tmp_path, {"a.md": text})
    assert found(aurelius, root, "--kind", "company") == ["a.md"]
    assert found(aurelius, root, "--where", "category = company") == ["a.md"]
