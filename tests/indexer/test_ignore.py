"""Which paths are notes (design §3, §9; reliability F3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.ignore import Rules, may_be_note, may_hold_notes
from indexer.walk import walk


def found(root: Path, exclude: tuple[str, ...] = ()) -> list[str]:
    return sorted(walk(str(root), Rules(str(root), exclude, {})).found)


def make(root: Path, **files: str) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


@pytest.mark.parametrize(
    "name",
    ["a.md", "A.MD", "b.markdown", "x.y.md", "_index.md", "naïve.md", "a b.md", "a (conflicted copy).md", "~a.md"],
)
def test_notes_by_name(name: str) -> None:
    assert may_be_note(name)


@pytest.mark.parametrize(
    "name", [".md", ".a.md", "a.txt", "a.md~", "a.md.swp", "~$a.md", "~syncthing~a.md.tmp", "~syncthing~a.md", "#a.md#",
             ".#a.md", "a.md.icloud", "md", "4913"]
)  # fmt: skip
def test_no_notes_by_name(name: str) -> None:
    """Editors' and sync tools' temporary, swap, lock and backup files."""
    assert not may_be_note(name)


def test_folders_by_name() -> None:
    names = ("people", "a.md", ".git", ".obsidian", "node_modules", "__pycache__")
    assert [name for name in names if may_hold_notes(name)] == ["people", "a.md"]


def test_the_deepest_file_decides(tmp_path: Path) -> None:
    make(
        tmp_path,
        **{".gitignore": "*.md\n!keep.md\n", "a.md": "", "keep.md": "", "sub/b.md": "", "sub/.gitignore": "!b.md\n"},
    )
    assert found(tmp_path) == ["keep.md", "sub/b.md"]


def test_what_is_private_is_not_brought_back_by_git(tmp_path: Path) -> None:
    """F3: `.aureliusignore` cannot be undone by `.gitignore`, not even a deeper one; nor by `[index] exclude`."""
    make(
        tmp_path,
        **{".aureliusignore": "secret.md\nvault/\n", ".gitignore": "!secret.md\n!vault/\n", "secret.md": "", "a.md": "",
           "vault/b.md": "", "sub/secret.md": "", "sub/.gitignore": "!secret.md\n"},
    )  # fmt: skip
    assert found(tmp_path) == ["a.md"]
    assert found(tmp_path, ("!secret.md",)) == ["a.md"]
    assert found(tmp_path, ("a.*",)) == []


def test_aureliusignore_may_undo_itself_deeper(tmp_path: Path) -> None:
    make(tmp_path, **{".aureliusignore": "b.md\n", "sub/.aureliusignore": "!b.md\n", "b.md": "", "sub/b.md": ""})
    assert found(tmp_path) == ["sub/b.md"]


def test_nothing_below_an_ignored_folder_is_brought_back(tmp_path: Path) -> None:
    make(tmp_path, **{".gitignore": "drafts/\n!drafts/b.md\n", "drafts/b.md": "", "drafts/.gitignore": "!b.md\n"})
    assert found(tmp_path) == []


def test_rules_with_a_bom_crlf_and_bytes_that_are_no_utf_8(tmp_path: Path) -> None:
    make(tmp_path, **{"a.md": "", "b.md": "", "c.md": ""})
    (tmp_path / ".gitignore").write_bytes(b"\xef\xbb\xbfa.md\r\n\xff\xfe\r\nb.md")
    assert found(tmp_path) == ["c.md"]


def test_a_rule_file_may_be_a_link(tmp_path: Path) -> None:
    """Hiding more than asked is safe, showing more is not."""
    make(tmp_path, **{"vault/a.md": "", "vault/b.md": "", "rules": "a.md\n"})
    (tmp_path / "vault" / ".aureliusignore").symlink_to(tmp_path / "rules")
    assert found(tmp_path / "vault") == ["b.md"]


def test_verdicts_are_kept_and_believed(tmp_path: Path) -> None:
    make(tmp_path, **{".gitignore": "a.md\ndrafts\n", "a.md": "", "b.md": "", "drafts/c.md": "", "sub/d.md": ""})
    rules = Rules(str(tmp_path), (), {})
    walk(str(tmp_path), rules)
    assert rules.verdicts == {"a.md": True, "drafts": True, "sub": False}
    again = Rules(str(tmp_path), (), {**rules.verdicts, "gone": False}, trust=True)
    assert sorted(walk(str(tmp_path), again).found) == ["b.md", "sub/d.md"]
    assert again.verdicts == rules.verdicts, "of what is there now"
    assert again._patterns == {}, "no rule was read"
    assert again.judge("a.md")
    assert not again.judge("b.md")
    paths = ("a.md", "drafts/c.md", "drafts/e/f.md", "b.md", "sub/d.md")
    assert [path for path in paths if again.leaves_out(path)] == ["a.md", "drafts/c.md", "drafts/e/f.md"]


def test_no_rules_no_verdicts(tmp_path: Path) -> None:
    make(tmp_path, **{"a.md": "", "sub/b.md": ""})
    rules = Rules(str(tmp_path), (), {})
    assert sorted(walk(str(tmp_path), rules).found) == ["a.md", "sub/b.md"]
    assert rules.verdicts == {}


def test_rules_too_long_to_read_show_nothing_new(tmp_path: Path) -> None:
    make(tmp_path, **{"a.md": ""})
    (tmp_path / ".aureliusignore").write_bytes(b"x" * ((4 << 20) + 1))
    seen = walk(str(tmp_path), Rules(str(tmp_path), (), {}))
    assert seen.found == {}
    assert seen.failed == {"a.md": "the rules in .aureliusignore are longer than 4 MiB"}
