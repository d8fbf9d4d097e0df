"""The rule that leaves a path out is named, and it is one by which the walk leaves it out."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.disk.deciding_rule import deciding_rule
from indexer.disk.walk import IgnoreRules, walk

FILES = ("a.md", "b.md", "drafts/x.md", "drafts/keep.md", "in/a.md", "in/deep/b.md", "in/deep/c.md", "odd name.md")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for path in FILES:
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x\n")
    return tmp_path


def test_the_last_line_of_the_deepest_file_decides_and_is_named(root: Path) -> None:
    (root / ".gitignore").write_text("# mine\n\n*.md\n!a.md\nodd*\r\n")
    (root / "in" / ".gitignore").write_text("!*.md\nb.md\n")
    (root / "in" / ".aureliusignore").write_text("deep/\n")
    told = {path: deciding_rule(str(root), ("/a.md",), path) for path in FILES}
    assert told == {
        "a.md": "[index] exclude",
        "b.md": ".gitignore:3",
        "drafts/x.md": ".gitignore:3",
        "drafts/keep.md": ".gitignore:3",
        "in/a.md": "",
        "in/deep/b.md": "in/.aureliusignore:1",
        "in/deep/c.md": "in/.aureliusignore:1",
        "odd name.md": ".gitignore:5",
    }
    seen = walk(str(root), IgnoreRules(str(root), ("/a.md",), {})).found
    assert {path for path, rule in told.items() if not rule} == set(seen)


def test_nobody_learns_what_is_in_a_folder_that_is_left_out(root: Path) -> None:
    (root / ".aureliusignore").write_text("drafts/\nb.md\nnone.md\n")
    told = {path: deciding_rule(str(root), (), path) for path in ("drafts/x.md", "drafts/none.md", "b.md", "none.md")}
    assert told == {
        "drafts/x.md": ".aureliusignore:1", "drafts/none.md": ".aureliusignore:1", "b.md": ".aureliusignore:2",
        "none.md": "",
    }  # fmt: skip


def test_rules_that_cannot_be_read_say_so_and_what_is_not_there_is_not_asked(root: Path) -> None:
    (root / ".gitignore").write_bytes(b"a\0b")
    assert deciding_rule(str(root), (), "a.md") == ".gitignore is not text; save it as UTF-8"
    assert deciding_rule(str(root), (), "none.md") == ""
