"""A stat walk, and how the disk differs from the index (design §4; reliability A7, A8, B2)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from indexer.errors import IndexUnavailableError
from indexer.ignore import Rules
from indexer.walk import Walk, diff, digest, is_hidden, is_racy, judge, key_of, shown, walk


def look(root: Path) -> Walk:
    return walk(str(root), Rules(str(root), (), {}))


def test_every_note_with_its_key(tmp_path: Path) -> None:
    for path in ("a.md", "people/b.md", "people/deep/c.MD", ".hidden/d.md", "node_modules/e.md", "f.txt", "g.md/h.md"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path)
    seen = look(tmp_path)
    assert sorted(seen.found) == ["a.md", "g.md/h.md", "people/b.md", "people/deep/c.MD"]
    assert seen.found["a.md"] == key_of((tmp_path / "a.md").stat())
    assert (seen.failed, seen.rules) == ({}, {})


def test_links_are_not_followed(tmp_path: Path) -> None:
    """F1: a link out of the vault, to a folder above, to nothing."""
    (tmp_path / "vault").mkdir()
    (tmp_path / "secret.md").write_text("secret")
    (tmp_path / "vault" / "a.md").symlink_to(tmp_path / "secret.md")
    (tmp_path / "vault" / "up").symlink_to(tmp_path)
    (tmp_path / "vault" / "b.md").symlink_to("nowhere")
    assert look(tmp_path / "vault") == ({}, {}, {})


if hasattr(os, "mkfifo"):

    def test_only_regular_files(tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe.md")
        os.mkfifo(tmp_path / ".gitignore")
        assert look(tmp_path) == ({}, {}, {})


def test_a_root_that_cannot_be_listed(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailableError, match="cannot be read"):
        look(tmp_path / "gone")
    (tmp_path / "file").touch()
    with pytest.raises(IndexUnavailableError):
        look(tmp_path / "file")


if os.name == "posix" and os.uname().sysname == "Linux":

    def test_names_that_are_not_utf_8_are_told(tmp_path: Path) -> None:
        """A8: they cannot be stored, nor can what is below a folder of such a name."""
        (tmp_path / ".gitignore").write_text("x\n")
        (tmp_path / "a.md").touch()
        root = os.fsencode(tmp_path)
        os.mkdir(root + b"/\xfe")
        for path in (b"/\xff.md", b"/\xfe/b.md"):
            with open(root + path, "wb"):
                pass
        seen = look(tmp_path)
        assert list(seen.found) == ["a.md"]
        assert seen.failed == dict.fromkeys(["\\xff.md", "\\xfe"], "its name is not UTF-8: rename it")


@pytest.mark.parametrize(
    "name", ["new\nline.md", "tab\t.md", "x" * 252 + ".md", "e\u0301.md", "é.md", "\u202e.md", "'\".md"]
)
def test_odd_names_are_notes(tmp_path: Path, name: str) -> None:
    (tmp_path / name).touch()
    assert list(look(tmp_path).found) == [name]


@pytest.mark.parametrize("seconds", [-1, 0, 4_000_000_000, 33_000_000_000])
def test_keys_fit_a_database_at_any_time(tmp_path: Path, seconds: int) -> None:
    (tmp_path / "a.md").touch()
    os.utime(tmp_path / "a.md", (seconds, seconds))
    assert all(0 <= part < 1 << 63 for part in look(tmp_path).found["a.md"])


def test_racy_means_less_than_two_seconds_before() -> None:
    assert is_racy((0, 99_000_000_000, 0, 0), 100_000_000_000)
    assert is_racy((0, 0, 99_000_000_000, 0), 100_000_000_000), (
        "the time of the inode counts too: mtime can be put back"
    )
    assert is_racy((0, 200_000_000_000, 0, 0), 100_000_000_000), "a clock that is ahead proves nothing"
    assert not is_racy((0, 98_000_000_000, 98_000_000_000, 0), 100_000_000_000)


def test_new_changed_and_gone() -> None:
    one, other = (1, 1, 1, 1), (1, 1, 2, 1)
    on_disk = Walk(
        {"same.md": one, "changed.md": other, "new.md": one, "failed.md": one}, {"dark/": "", "bad.md": ""}, {}
    )
    known = dict.fromkeys(["same.md", "changed.md", "failed.md", "gone.md", "dark/a.md", "bad.md", "darker.md"], one)
    assert diff(known, {"failed.md": "why"}, on_disk) == (
        ["new.md"],
        ["changed.md", "failed.md"],
        ["darker.md", "gone.md"],
    )


def test_what_a_failure_hides() -> None:
    failed = {"dark/": "", "a.md": "", "folder": ""}
    hidden = [path for path in ("dark/x/y.md", "a.md", "folder/b.md", "b.md", "dark.md") if is_hidden(path, failed)]
    assert hidden == ["dark/x/y.md", "a.md", "folder/b.md"]
    assert not is_hidden("a.md", {})


def test_what_was_let_pass_is_judged(tmp_path: Path) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / name).touch()
    (tmp_path / ".gitignore").write_text("b.md\n")
    rules = Rules(str(tmp_path), (), {}, trust=True)
    seen = walk(str(tmp_path), rules)
    assert sorted(seen.found) == ["a.md", "b.md", "c.md"]
    judge(seen, rules, {"a.md"})
    assert sorted(seen.found) == ["a.md", "c.md"]
    assert rules.verdicts == {"b.md": True}


def test_a_digest_tells_walks_apart() -> None:
    one = {"a.md": (1, 2, 3, 4), "b.md": (1, 2, 3, 5)}
    assert digest(one) == digest(dict(one))
    others = [{**one, "b.md": (1, 2, 4, 5)}, {"a.md": (1, 2, 3, 4)}, {"c.md": (1, 2, 3, 4), "b.md": (1, 2, 3, 5)}, {}]
    assert len({digest(each) for each in (one, *others)}) == 5


def test_odd_bytes_can_be_shown() -> None:
    assert shown("a\udcff/ü.md") == "a\\xff/ü.md"


def test_older_versions_that_logseq_keeps_are_no_notes(tmp_path: Path) -> None:
    for path in (
        "pages/a.md",
        "logseq/bak/pages/a.md",
        "logseq/version-files/base/a.md",
        "bak/b.md",
        "#hash.md",
        "mylogseq/bak/c.md",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text("x")
    assert sorted(walk(str(tmp_path), Rules(str(tmp_path), (), {})).found) == [
        "#hash.md", "bak/b.md", "mylogseq/bak/c.md", "pages/a.md",
    ]  # fmt: skip
