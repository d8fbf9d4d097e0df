"""`merge-file` and real git: merges, rebases, picks and trees, with the driver of a clone."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from aurelius.answers.findings import Finding
from aurelius.sync.merge_file import conflict_copy_path, merge_file
from aurelius.sync.merge_setup import find_merge_faults, set_up_merge, with_merge_rule
from indexer.errors import UsageError

BASE = "# Joe\n\n## Facts\n- Likes tea (2026-01-01) ^aaaaaa\n- [ ] Call him\n"
OURS = BASE.replace("[ ]", "[x]") + "- Has a dog\n"
THEIRS = BASE + "- Has a cat\n"
BOTH = BASE.replace("[ ]", "[x]") + "- Has a cat\n- Has a dog\n"
NOTE = "people/joe (old) & co.md"


class Clone:
    """A repository with one note that two branches changed."""

    def __init__(self, top: Path) -> None:
        self.top = top
        self.env = {
            **os.environ,
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "PYTHONPATH": str(Path(__file__).parents[3]),
        }
        (top / "people").mkdir(parents=True)
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "Joe")
        self.git("config", "user.email", "joe@example.org")
        (top / ".gitattributes").write_text("*.md merge=aurelius\n")
        self.write(BASE)
        self.git("checkout", "-q", "-b", "other")

    def branch(self, ours: str | bytes = OURS, theirs: str | bytes = THEIRS) -> None:
        self.write(theirs)
        self.git("checkout", "-q", "main")
        self.write(ours)

    def git(self, *words: str, fails: bool = False) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.top, env=self.env, capture_output=True, text=True, check=False
        )
        assert bool(done.returncode) == fails, done.stderr
        return done.stdout + done.stderr

    def write(self, text: str | bytes) -> None:
        self.note.write_bytes(text.encode() if isinstance(text, str) else text)
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "change")

    @property
    def note(self) -> Path:
        return self.top / NOTE


@pytest.fixture
def clone(tmp_path: Path) -> Clone:
    made = Clone(tmp_path / "it's here")
    set_up_merge(str(made.top), made.env)
    return made


@pytest.mark.parametrize(
    "words", [["merge", "-q", "other"], ["rebase", "-q", "other"], ["cherry-pick", "other"]]
)
def test_git_merges_fact_by_fact(clone: Clone, words: Sequence[str]) -> None:
    clone.branch()
    clone.git(*words)
    assert clone.note.read_text() == BOTH
    assert clone.git("status", "--short") == ""


def test_a_tree_is_merged_without_touching_the_files(clone: Clone) -> None:
    clone.branch()
    tree = clone.git("merge-tree", "--write-tree", "main", "other").splitlines()[0]
    assert clone.git("show", f"{tree}:{NOTE}") == BOTH
    assert clone.note.read_text() == OURS


def test_from_a_folder_below_the_top(clone: Clone) -> None:
    clone.branch()
    clone.git("-C", "people", "merge", "-q", "other")
    assert clone.note.read_text() == BOTH


def test_what_a_person_should_know_is_told(clone: Clone) -> None:
    clone.branch(BASE.replace("tea", "milk"), BASE.replace("tea", "mate"))
    said = clone.git("merge", "other")
    assert f"{NOTE}: changed on both devices, so both stand there" in said


def test_what_is_no_text_is_kept_twice(clone: Clone) -> None:
    theirs = b"caf\xe9\n"
    clone.branch(OURS, theirs)
    said = clone.git("merge", "other", fails=True)
    copy = clone.top / conflict_copy_path(NOTE, theirs)
    assert copy.read_bytes() == theirs
    assert clone.note.read_text() == OURS
    assert f"both versions are kept, the other one as {copy.relative_to(clone.top)}" in said


def test_where_the_program_is_gone_git_merges_text(clone: Clone) -> None:
    clone.git(
        "config",
        "merge.aurelius.driver",
        clone.git("config", "merge.aurelius.driver").strip().replace("bin/", "bin/gone/"),
    )
    clone.branch(BASE.replace("# Joe", "# Joseph"), THEIRS)
    clone.git("merge", "-q", "other")
    assert clone.note.read_text() == THEIRS.replace("# Joe", "# Joseph")


def test_a_path_out_of_the_tree_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError):
        merge_file(str(tmp_path), ("a", "b", "c"), "../a.md")


class TestSetup:
    def test_the_rule_takes_the_place_of_union_and_nothing_else_changes(self) -> None:
        old = b"# mine\nmemory/*.md merge=union\n.aurelius/log/**/*.jsonl merge=union\n*.png -text"
        lines = with_merge_rule(old).splitlines()
        assert lines[0] == b"# mine"
        assert lines[2:] == [
            b"*.md merge=aurelius",
            b".aurelius/log/**/*.jsonl merge=union",
            b"*.png -text",
        ]

    def test_a_clone_without_the_driver_is_told(self, tmp_path: Path) -> None:
        made = Clone(tmp_path / "v")
        assert [each.code for each in self.faults(made)] == ["merge-driver"]
        set_up_merge(str(made.top), made.env)
        assert self.faults(made) == []

    def test_union_on_notes_is_told_with_its_line(self, clone: Clone) -> None:
        (clone.top / ".gitattributes").write_text(
            ".aurelius/log/**/*.jsonl merge=union\nmemory/*.md merge=union\n"
        )
        found = [(each.path, each.line, each.code) for each in self.faults(clone)]
        assert found == [(".gitattributes", 2, "merge-union")]

    @staticmethod
    def faults(clone: Clone) -> list[Finding]:
        return [*find_merge_faults(str(clone.top))]
