"""An ignored note leaves no byte, of its text or its path, in the index, its log, and what else Aurelius keeps."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Aurelius

CANARY = b"zanzibarium"
TEXT = "# Zanzibarium\n\n## Facts\n- Likes tea of zanzibarium (2026-01-10) ^zanz01\n- [ ] zanzibarium\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "joe.md").write_text("# Joe\n\n## Facts\n- Likes tea (2026-01-10)\n")
    return root


def traces(*folders: Path) -> list[str]:
    """Every file below these folders with the canary in its bytes or its name."""
    paths = [(folder, path) for folder in folders for path in folder.rglob("*")]
    return [
        str(path)
        for folder, path in paths
        if CANARY in str(path.relative_to(folder)).lower().encode()
        or (path.is_file() and CANARY in path.read_bytes().lower())
    ]


RULES = {
    "a note by name": "/people/zanzibarium.md\n",
    "a folder": "zanzibarium/\n",
    "notes by their ending": "zanzibarium*\n",
    "everything in a folder": "zanzibarium/*\n",
}


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("where", [".gitignore", ".aureliusignore", "config"])
def test_a_note_that_was_always_ignored_leaves_no_byte(
    aurelius: Aurelius, root: Path, tmp_path: Path, rule: str, where: str
) -> None:
    for path in ("people/zanzibarium.md", "zanzibarium/deep/zanzibarium-2.md", "zanzibarium/a.md"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("# Other\n")
    exclude(root, where, RULES[rule] + "zanzibarium*\npeople/zanzibarium.md\n")
    for line in (
        "search tea",
        "index",
        "search zanzibarium --json",
        "list",
        "index --rebuild",
        "doctor --verify",
        "today",
    ):
        assert aurelius(*line.split(), cwd=root).code == 0, line
    assert traces(tmp_path / "index", tmp_path / "home") == []


def exclude(root: Path, where: str, rules: str) -> None:
    if where == "config":
        (root / ".aurelius" / "config.toml").write_text(f"[index]\nexclude = {rules.split()}\n")
    else:
        (root / where).write_text(rules)


def write(root: Path) -> None:
    (root / "people").mkdir(exist_ok=True)
    (root / "people" / "zanzibarium.md").write_text(TEXT)


def used(aurelius: Aurelius, root: Path) -> None:
    """The note is searched, shown, written to and taken back."""
    write(root)
    for line in (
        "index",
        "search tea",
        "show zanzibarium",
        "get people/zanzibarium.md",
        "add people/zanzibarium Has-a-cat",
        "undo",
        "reinforce ^zanz01",
    ):
        assert aurelius(*line.split(), cwd=root).code == 0, line


@pytest.mark.parametrize("where", [".gitignore", ".aureliusignore", "config"])
def test_a_note_that_is_ignored_now_leaves_no_byte_in_the_index(
    aurelius: Aurelius, root: Path, tmp_path: Path, where: str
) -> None:
    used(aurelius, root)
    assert traces(tmp_path / "index")
    exclude(root, where, "zanzibarium.md\n")
    for line in ("search tea", "index"):
        assert aurelius(*line.split(), cwd=root).code == 0
    assert traces(tmp_path / "index") == []


def test_a_note_that_was_forgotten_leaves_no_byte_anywhere_but_in_the_vault(
    aurelius: Aurelius, root: Path, tmp_path: Path
) -> None:
    used(aurelius, root)
    assert aurelius("forget", "people/zanzibarium.md", cwd=root).code == 0
    assert aurelius("search", "tea", cwd=root).code == 0
    assert traces(tmp_path / "index", tmp_path / "home", tmp_path / "temporary") == []


def test_a_note_that_could_not_be_read_and_is_ignored_now_leaves_no_byte(
    aurelius: Aurelius, root: Path, tmp_path: Path
) -> None:
    (root / "zanzibarium.md").write_text(TEXT)
    assert aurelius("index", cwd=root).code == 0
    assert traces(tmp_path / "index")
    (root / ".aureliusignore").write_bytes("zan\n".encode("utf-16-le"))
    assert aurelius("index", cwd=root).code == 1
    exclude(root, ".aureliusignore", "zanzibarium.md\n")
    assert aurelius("index", cwd=root).code == 0
    assert traces(tmp_path / "index") == []
