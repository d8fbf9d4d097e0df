"""Which paths are notes and which the rules leave out; a stat walk, and how the disk differs from the index."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from indexer.disk.walk import (
    RULE_FILES,
    IgnoreRules,
    Walk,
    change_key,
    diff_disk,
    is_out_of_sight,
    is_racy,
    judge_found,
    kept_verdicts,
    may_be_note,
    may_be_walked,
    may_hold_notes,
    printable_path,
    unfollowed,
    walk,
    walk_digest,
)
from indexer.errors import IndexUnavailableError


def look(root: Path) -> Walk:
    return walk(str(root), IgnoreRules(str(root), (), {}))


def test_every_note_with_its_key(tmp_path: Path) -> None:
    for path in (
        "a.md",
        "people/b.md",
        "people/deep/c.MD",
        ".hidden/d.md",
        "node_modules/e.md",
        "f.txt",
        "g.md/h.md",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(path)
    seen = look(tmp_path)
    assert sorted(seen.found) == ["a.md", "g.md/h.md", "people/b.md", "people/deep/c.MD"]
    assert seen.found["a.md"] == change_key((tmp_path / "a.md").stat())
    assert (seen.failed, seen.rules) == ({}, {})


def test_links_are_not_followed(tmp_path: Path) -> None:
    """A link out of the vault, to a folder above, to nothing."""
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
        seen = look(tmp_path)
        assert (seen.found, seen.failed) == ({}, {".gitignore": ".gitignore is a pipe or device"})


def test_a_root_that_cannot_be_listed(tmp_path: Path) -> None:
    with pytest.raises(IndexUnavailableError, match="cannot be read"):
        look(tmp_path / "gone")
    (tmp_path / "file").touch()
    with pytest.raises(IndexUnavailableError):
        look(tmp_path / "file")


if os.name == "posix" and os.uname().sysname == "Linux":

    def test_names_that_are_not_utf_8_are_told(tmp_path: Path) -> None:
        """They cannot be stored, nor can what is below a folder of such a name."""
        (tmp_path / ".gitignore").write_text("x\n")
        (tmp_path / "a.md").touch()
        root = os.fsencode(tmp_path)
        os.mkdir(root + b"/\xfe")
        for path in (b"/\xff.md", b"/\xfe/b.md"):
            with open(root + path, "wb"):
                pass
        seen = look(tmp_path)
        assert list(seen.found) == ["a.md"]
        assert seen.failed == dict.fromkeys(
            ["\\xff.md", "\\xfe"], "its name is not UTF-8: rename it"
        )


@pytest.mark.parametrize(
    "name",
    ["new\nline.md", "tab\t.md", "x" * 252 + ".md", "e\u0301.md", "é.md", "\u202e.md", "'\".md"],
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
    assert is_racy((0, 200_000_000_000, 0, 0), 100_000_000_000), (
        "a clock that is ahead proves nothing"
    )
    assert not is_racy((0, 98_000_000_000, 98_000_000_000, 0), 100_000_000_000)


def test_new_changed_and_gone() -> None:
    one, other = (1, 1, 1, 1), (1, 1, 2, 1)
    on_disk = Walk(
        {"same.md": one, "changed.md": other, "new.md": one, "failed.md": one},
        {"dark/": "", "bad.md": ""},
        {},
    )
    known = dict.fromkeys(
        ["same.md", "changed.md", "failed.md", "gone.md", "dark/a.md", "bad.md", "darker.md"], one
    )
    assert diff_disk(known, {"failed.md": "why"}, on_disk) == (
        ["new.md"],
        ["changed.md", "failed.md"],
        ["darker.md", "gone.md"],
    )


def test_what_a_failure_hides() -> None:
    failed = {"dark/": "", "a.md": "", "folder": ""}
    hidden = [
        path
        for path in ("dark/x/y.md", "a.md", "folder/b.md", "b.md", "dark.md")
        if is_out_of_sight(path, failed)
    ]
    assert hidden == ["dark/x/y.md", "a.md", "folder/b.md"]
    assert not is_out_of_sight("a.md", {})


def test_what_was_let_pass_is_judged(tmp_path: Path) -> None:
    for name in ("a.md", "b.md", "c.md"):
        (tmp_path / name).touch()
    (tmp_path / ".gitignore").write_text("b.md\n")
    rules = IgnoreRules(str(tmp_path), (), {}, trust=True)
    seen = walk(str(tmp_path), rules)
    assert sorted(seen.found) == ["a.md", "b.md", "c.md"]
    judge_found(seen, rules, {"a.md"})
    assert sorted(seen.found) == ["a.md", "c.md"]
    assert rules.verdicts == {"b.md": True}


def test_a_digest_tells_walks_apart() -> None:
    one = {"a.md": (1, 2, 3, 4), "b.md": (1, 2, 3, 5)}
    assert walk_digest(one) == walk_digest(dict(one))
    others = [
        {**one, "b.md": (1, 2, 4, 5)},
        {"a.md": (1, 2, 3, 4)},
        {"c.md": (1, 2, 3, 4), "b.md": (1, 2, 3, 5)},
        {},
    ]
    assert len({walk_digest(each) for each in (one, *others)}) == 5


def test_odd_bytes_can_be_shown() -> None:
    assert printable_path("a\udcff/ü.md") == "a\\xff/ü.md"


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
    assert sorted(walk(str(tmp_path), IgnoreRules(str(tmp_path), (), {})).found) == [
        "#hash.md",
        "bak/b.md",
        "mylogseq/bak/c.md",
        "pages/a.md",
    ]


def found(root: Path, exclude: tuple[str, ...] = ()) -> list[str]:
    return sorted(walk(str(root), IgnoreRules(str(root), exclude, {})).found)


def make(root: Path, **files: str) -> None:
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)


@pytest.mark.parametrize(
    "name",
    [
        "a.md",
        "A.MD",
        "b.markdown",
        "x.y.md",
        "_index.md",
        "naïve.md",
        "a b.md",
        "a (conflicted copy).md",
        "~a.md",
    ],
)
def test_notes_by_name(name: str) -> None:
    assert may_be_note(name)


@pytest.mark.parametrize(
    "name",
    [
        ".md",
        ".a.md",
        "a.txt",
        "a.md~",
        "a.md.swp",
        "~$a.md",
        "~syncthing~a.md.tmp",
        "~syncthing~a.md",
        "#a.md#",
        ".#a.md",
        "a.md.icloud",
        "md",
        "4913",
    ],
)
def test_no_notes_by_name(name: str) -> None:
    """Editors' and sync tools' temporary, swap, lock and backup files."""
    assert not may_be_note(name)


@pytest.mark.parametrize(
    "path",
    [
        "a.md",
        "people/joe.markdown",
        "logseq/a.md",
        "x/logseq/bak/a.md",
        "logseq/version-files/b/a.md",
        "bak.md",
        "node_modules/a.md",
        "a/.b/c.md",
        ".a.md",
        "a.txt",
        "~$a.md",
        "x/__pycache__/y/a.md",
        "mylogseq/bak/a.md",
    ],
)
def test_where_a_walk_comes_without_rules_can_be_told_before_the_note_is_there(
    tmp_path: Path, path: str
) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("x")
    assert may_be_walked(path) == (
        path in walk(str(tmp_path), IgnoreRules(str(tmp_path), (), {})).found
    )


def test_folders_by_name() -> None:
    names = ("people", "a.md", ".git", ".obsidian", "node_modules", "__pycache__")
    assert [name for name in names if may_hold_notes(name)] == ["people", "a.md"]


def test_the_deepest_file_decides(tmp_path: Path) -> None:
    make(
        tmp_path,
        **{
            ".gitignore": "*.md\n!keep.md\n",
            "a.md": "",
            "keep.md": "",
            "sub/b.md": "",
            "sub/.gitignore": "!b.md\n",
        },
    )
    assert found(tmp_path) == ["keep.md", "sub/b.md"]


def test_what_is_private_is_not_brought_back_by_git(tmp_path: Path) -> None:
    """`.aureliusignore` cannot be undone by `.gitignore`, not even a deeper one; nor by `[index] exclude`."""
    make(
        tmp_path,
        **{
            ".aureliusignore": "secret.md\nvault/\n",
            ".gitignore": "!secret.md\n!vault/\n",
            "secret.md": "",
            "a.md": "",
            "vault/b.md": "",
            "sub/secret.md": "",
            "sub/.gitignore": "!secret.md\n",
        },
    )
    assert found(tmp_path) == ["a.md"]
    assert found(tmp_path, ("!secret.md",)) == ["a.md"]
    assert found(tmp_path, ("a.*",)) == []


def test_aureliusignore_may_undo_itself_deeper(tmp_path: Path) -> None:
    make(
        tmp_path,
        **{
            ".aureliusignore": "b.md\n",
            "sub/.aureliusignore": "!b.md\n",
            "b.md": "",
            "sub/b.md": "",
        },
    )
    assert found(tmp_path) == ["sub/b.md"]


def test_nothing_below_an_ignored_folder_is_brought_back(tmp_path: Path) -> None:
    make(
        tmp_path,
        **{
            ".gitignore": "drafts/\n!drafts/b.md\n",
            "drafts/b.md": "",
            "drafts/.gitignore": "!b.md\n",
        },
    )
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
    make(
        tmp_path,
        **{
            ".gitignore": "a.md\ndrafts\n",
            "a.md": "",
            "b.md": "",
            "drafts/c.md": "",
            "sub/d.md": "",
        },
    )
    rules = IgnoreRules(str(tmp_path), (), {})
    walk(str(tmp_path), rules)
    assert rules.verdicts == {"a.md": True, "drafts": True, "sub": False}
    again = IgnoreRules(
        str(tmp_path), (), kept_verdicts({**rules.verdicts, "gone": False}), trust=True
    )
    assert sorted(walk(str(tmp_path), again).found) == ["b.md", "sub/d.md"]
    assert again.verdicts == rules.verdicts, "of what is there now"
    assert again._patterns == {}, "no rule was read"
    assert again.judge("a.md")
    assert not again.judge("b.md")
    paths = ("a.md", "drafts/c.md", "drafts/e/f.md", "b.md", "sub/d.md")
    assert [path for path in paths if again.leaves_out(path)] == [
        "a.md",
        "drafts/c.md",
        "drafts/e/f.md",
    ]


def test_no_rules_no_verdicts(tmp_path: Path) -> None:
    make(tmp_path, **{"a.md": "", "sub/b.md": ""})
    rules = IgnoreRules(str(tmp_path), (), {})
    assert sorted(walk(str(tmp_path), rules).found) == ["a.md", "sub/b.md"]
    assert rules.verdicts == {}


def test_rules_as_long_as_can_be_read_are_followed(tmp_path: Path) -> None:
    make(tmp_path, **{"a.md": "", "b.md": ""})
    (tmp_path / ".aureliusignore").write_bytes(b"a.md\n".ljust(4 << 20, b"#"))
    seen = walk(str(tmp_path), IgnoreRules(str(tmp_path), (), {}))
    assert (sorted(seen.found), seen.failed) == (["b.md"], {})


def test_rules_too_long_to_read_show_nothing_new(tmp_path: Path) -> None:
    make(tmp_path, **{"a.md": ""})
    (tmp_path / ".aureliusignore").write_bytes(b"x" * ((4 << 20) + 1))
    seen = walk(str(tmp_path), IgnoreRules(str(tmp_path), (), {}))
    why = ".aureliusignore is larger than 4 MiB"
    assert seen.found == {}
    assert seen.failed == {".aureliusignore": why}


@pytest.mark.parametrize("form", ["utf-16", "utf-16-le", "utf-16-be", "utf-8-sig"])
@pytest.mark.parametrize("name", RULE_FILES)
def test_rules_that_powershell_wrote_are_followed(tmp_path: Path, name: str, form: str) -> None:
    make(tmp_path, **{"a.md": "", "sec/b.md": ""})
    mark = {"utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}.get(form, b"")
    (tmp_path / name).write_bytes(mark + "sec/\r\n".encode(form))
    assert found(tmp_path) == ["a.md"]


def folder(path: Path) -> None:
    path.mkdir()


def pipe(path: Path) -> None:
    os.mkfifo(path)


def dangling(path: Path) -> None:
    path.symlink_to("nowhere")


def wide(path: Path) -> None:
    path.write_bytes("sec/\n".encode("utf-16-le"))


def device(path: Path) -> None:
    path.symlink_to("/dev/zero")


KINDS = {"folder": folder, "dangling": dangling, "wide": wide} | (
    {"pipe": pipe, "device": device} if os.name == "posix" else {}
)


@pytest.mark.parametrize("name", [*RULE_FILES, "sub/.aureliusignore"])
@pytest.mark.parametrize("kind", KINDS)
def test_rules_that_cannot_be_followed_are_told(tmp_path: Path, kind: str, name: str) -> None:
    make(
        tmp_path,
        **{"sub/a.md": "", "sub/deep/c.md": "", "sub/deep/.gitignore": "!c.md\n", "b.md": ""},
    )
    KINDS[kind](tmp_path / name)
    seen = walk(str(tmp_path), IgnoreRules(str(tmp_path), (), {}))
    assert seen.failed[name]
    told = unfollowed(seen.failed.items())
    assert len(told) == 1
    assert told[0].startswith(f"the ignore rules in {name} cannot be used")
    assert ("a broken link" in told[0]) == (kind == "dangling")
    left = ["b.md"] if name.startswith("sub/") else []
    assert [*seen.found] == left, "what the rules would say of the others nobody knows"


if hasattr(os, "fork"):

    def test_rules_that_may_not_be_read_hide_what_they_may_speak_of(
        as_nobody: Callable[[Callable[[], None]], None],
    ) -> None:
        with tempfile.TemporaryDirectory() as made:
            root = Path(made)
            root.chmod(0o755)
            make(root, **{"a.md": "", "sub/b.md": ""})
            (root / "sub" / ".aureliusignore").write_text("x\n")
            (root / "sub" / ".aureliusignore").chmod(0)

            def act() -> None:
                seen = look(root)
                assert [*seen.found] == ["a.md"]
                assert "Permission denied" in seen.failed["sub/.aureliusignore"]

            as_nobody(act)
