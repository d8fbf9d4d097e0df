"""Commits of nothing but what Aurelius wrote, by nothing that a repository's settings can hook into (I1, I2)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from aurelius import commit_git
from aurelius.edit import Edit, Place, apply
from aurelius.rejoin import append
from aurelius.undo import choose, undo

JOE, NEW = b"# Joe\n", b"# Joe\n\n- x\n"


class Repository:
    """A vault under git, and a place that commits into it."""

    def __init__(self, at: Path, inside: str = "") -> None:
        self.top = at / "top"
        self.vault = self.top / inside
        self.vault.mkdir(parents=True)
        home = at / "home"
        home.mkdir()
        self.env = {"HOME": str(home), "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1"}
        self.place = Place(str(self.vault), str(at / "state"), commit=True, env=self.env)
        self.git("init", "-q", "-b", "main", at=self.top)
        self.git("config", "user.name", "Joe")
        self.git("config", "user.email", "joe@example.org")
        (self.vault / "joe.md").write_bytes(JOE)
        (self.vault / "other.md").write_bytes(b"other\n")
        self.git("add", "-A")
        self.git("commit", "-qm", "first")

    def git(self, *words: str, at: Path | None = None) -> str:
        done = subprocess.run(
            ["git", *words], cwd=at or self.vault, env=self.env, capture_output=True, text=True, check=True
        )
        return done.stdout.rstrip("\n")

    def log(self) -> list[str]:
        return self.git("log", "--format=%s").splitlines()

    def write(self, *edits: Edit) -> str:
        return apply(self.place, edits or [Edit("joe.md", JOE, NEW)], "say x").uncommitted


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path)


@pytest.mark.parametrize("inside", ["", "notes/my vault"])
def test_a_change_is_a_commit_of_its_own(tmp_path: Path, inside: str) -> None:
    repository = Repository(tmp_path, inside)
    (repository.vault / "other.md").write_bytes(b"a person's edit\n")
    (repository.vault / "new by hand.md").write_bytes(b"theirs\n")
    (repository.vault / "staged.md").write_bytes(b"theirs, staged\n")
    repository.git("add", "staged.md")
    assert not repository.write(Edit("joe.md", JOE, NEW), Edit("areas/:[Ж] \t'\"*tea.md", None, b"# Tea\n"))
    assert repository.log() == ["say x", "first"]
    prefix = f"{inside}/" if inside else ""
    changed = repository.git("show", "--name-only", "-z", "--format=", "HEAD").strip("\0").split("\0")
    assert changed == [f"{prefix}areas/:[Ж] \t'\"*tea.md", f"{prefix}joe.md"]
    assert repository.git("show", "HEAD:./joe.md") == NEW.decode().rstrip("\n")
    assert set(repository.git("status", "--short", "-z").strip("\0").split("\0")) == {
        f" M {prefix}other.md", f"A  {prefix}staged.md", f"?? {prefix}new by hand.md",
    }  # fmt: skip
    assert repository.git("diff", "--cached", "--name-only") == f"{prefix}staged.md"
    assert repository.git("fsck", "--strict") == ""
    undo(repository.place, choose(repository.place))
    assert repository.log()[0] == "undo 1: say x"
    assert repository.git("diff", "HEAD~2", "HEAD", "--stat") == ""


def test_a_note_keeps_its_mode_and_a_removed_one_goes(repository: Repository) -> None:
    (repository.vault / "joe.md").chmod(0o755)
    repository.git("commit", "-qam", "mode")
    assert not repository.write(Edit("joe.md", JOE, None), Edit("archives/joe.md", None, JOE, "joe.md"))
    assert "archives/joe.md" in repository.git("ls-files")
    assert repository.git("ls-files", "--", "joe.md") == ""
    assert repository.git("status", "--short", "--", "joe.md") == ""


def test_an_append_is_committed(repository: Repository) -> None:
    assert not append(repository.place, "memory/2026-02-10.md", b"- x\n", opening=b"# Day\n\n").uncommitted
    assert repository.log()[0] == "append to memory/2026-02-10.md"
    assert repository.git("status", "--short") == ""


def test_the_first_commit_of_a_repository(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    shutil.rmtree(repository.top / ".git")
    repository.git("init", "-q", "-b", "main")
    assert "never committed" in repository.write()
    assert not repository.write(Edit("new.md", None, b"# New\n"))
    assert repository.git("log", "--format=%an <%ae> %s") == "Aurelius <aurelius@localhost> say x"
    assert repository.git("ls-tree", "--name-only", "HEAD") == "new.md"


def test_a_repository_with_longer_names(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    shutil.rmtree(repository.top / ".git")
    repository.git("init", "-q", "--object-format=sha256", "-b", "main")
    assert not repository.write(Edit("new.md", None, b"# New\n"))
    assert not repository.write(Edit("new.md", b"# New\n", b"# Newer\n"))
    assert repository.git("status", "--short", "--", "new.md") == ""


# -- what stands against it ------------------------------------------------------------------------------


def by_hand(repository: Repository) -> None:
    (repository.vault / "joe.md").write_bytes(JOE + b"by hand\n")


def staged(repository: Repository) -> None:
    (repository.vault / "joe.md").write_bytes(b"staged\n")
    repository.git("add", "joe.md")
    (repository.vault / "joe.md").write_bytes(JOE)


def untracked(repository: Repository) -> None:
    repository.git("rm", "-q", "--cached", "joe.md")


def detached(repository: Repository) -> None:
    repository.git("checkout", "-q", "--detach")


def merging(repository: Repository) -> None:
    repository.git("checkout", "-qb", "side")
    (repository.vault / "other.md").write_bytes(b"side\n")
    repository.git("commit", "-qam", "side")
    repository.git("checkout", "-q", "main")
    (repository.vault / "other.md").write_bytes(b"main\n")
    repository.git("commit", "-qam", "main")
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("merge", "side")


def rebasing(repository: Repository) -> None:
    merging(repository)
    repository.git("merge", "--abort")
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("rebase", "side")


def bisecting(repository: Repository) -> None:
    repository.git("bisect", "start")


def locked(repository: Repository) -> None:
    (repository.top / ".git" / "index.lock").write_bytes(b"")


def picking(repository: Repository) -> None:
    (repository.top / ".git" / "CHERRY_PICK_HEAD").write_text(repository.git("rev-parse", "HEAD"))


AGAINST: list[tuple[Callable[[Repository], None], str]] = [
    (by_hand, "joe.md has changes of yours that are not committed"),
    (staged, "joe.md has changes of yours that are staged"),
    (untracked, "joe.md has changes of yours that are staged"),
    (detached, "no branch is checked out"),
    (merging, "a merge is under way"),
    (rebasing, "a rebase is under way"),
    (bisecting, "a bisect is under way"),
    (locked, "another git is at work"),
    (picking, "a cherry-pick is under way"),
]


@pytest.mark.parametrize(("state", "why"), AGAINST, ids=lambda each: getattr(each, "__name__", ""))
def test_no_commit_is_made_and_it_is_said_why(
    repository: Repository, state: Callable[[Repository], None], why: str
) -> None:
    """I2: the note is written all the same, and head and index stay as they are."""
    state(repository)
    before = repository.git("rev-parse", "HEAD"), repository.git("ls-files", "--stage")
    text = (repository.vault / "joe.md").read_bytes()
    assert repository.write(Edit("joe.md", text, text + b"\n- x\n")) == why
    assert (repository.vault / "joe.md").read_bytes() == text + b"\n- x\n"
    assert (repository.git("rev-parse", "HEAD"), repository.git("ls-files", "--stage")) == before


def test_conflict_markers_are_not_committed(repository: Repository) -> None:
    text = b"<<<<<<< HEAD\na\n=======\nb\n>>>>>>> side\n"
    (repository.vault / "joe.md").write_bytes(text)
    repository.git("commit", "-qam", "torn")
    assert repository.write(Edit("joe.md", text, text + b"c\n")) == "joe.md holds conflict markers"


def test_what_git_ignores_or_filters_is_not_committed(repository: Repository) -> None:
    """A filter may encrypt: its plain text must not get into the repository."""
    (repository.vault / ".gitignore").write_text("private/\n")
    (repository.vault / ".gitattributes").write_text("secret/*.md filter=crypt\nwide.md working-tree-encoding=UTF-16\n")
    told = [repository.write(Edit(path, None, b"# X\n")) for path in ("private/a.md", "secret/a.md", "wide.md")]
    assert told == [
        "private/a.md is ignored by git",
        "secret/a.md is to be filtered by git, and a filter could run anything",
        "wide.md is to be filtered by git, and a filter could run anything",
    ]
    assert repository.log() == ["first"]


def test_what_can_be_committed_is_and_the_rest_is_told(repository: Repository) -> None:
    by_hand(repository)
    text = (repository.vault / "joe.md").read_bytes()
    told = repository.write(Edit("joe.md", text, NEW + text), Edit("new.md", None, b"# New\n"))
    assert told == "joe.md has changes of yours that are not committed"
    assert repository.git("show", "--name-only", "--format=", "HEAD") == "new.md"


def test_no_repository_and_no_git_are_told(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    env = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "GIT_CEILING_DIRECTORIES": str(tmp_path)}
    place = Place(str(tmp_path / "vault"), str(tmp_path / "state"), commit=True, env=env)
    assert apply(place, [Edit("a.md", None, b"a\n")], "why").uncommitted == "the vault is no git repository"
    nowhere = place._replace(env={"PATH": str(tmp_path)})
    assert apply(nowhere, [Edit("b.md", None, b"a\n")], "why").uncommitted == "git was not found"


def test_a_note_changed_again_before_the_commit_is_left_out(repository: Repository) -> None:
    (repository.vault / "joe.md").write_bytes(b"already something else\n")
    changes = [("joe.md", JOE, NEW)]
    told = commit_git.commit(str(repository.vault), repository.place.state, repository.env, changes, "why")
    assert told == "a note was changed again meanwhile"
    assert repository.log() == ["first"]


# -- what a repository could run -------------------------------------------------------------------------

HOOKS = (
    "pre-commit", "commit-msg", "post-commit", "prepare-commit-msg", "post-index-change", "reference-transaction",
    "pre-auto-gc", "post-rewrite", "update",
)  # fmt: skip


def test_nothing_of_the_repository_is_run(repository: Repository, tmp_path: Path) -> None:
    """I1: hooks, monitor, filter, diff, signing, editor and pager are planted, and none of them runs."""
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\nexit 1\n")
    script.chmod(0o755)
    for hook in HOOKS:
        shutil.copy(script, repository.top / ".git" / "hooks" / hook)
    for key, value in {
        "core.fsmonitor": str(script), "filter.x.clean": str(script), "filter.x.smudge": str(script),
        "filter.x.process": str(script), "diff.external": str(script), "diff.x.textconv": str(script),
        "commit.gpgSign": "true", "gpg.program": str(script), "core.pager": str(script), "core.editor": str(script),
        "core.sshCommand": str(script), "credential.helper": str(script), "core.askPass": str(script),
        "alias.update-ref": f"!{script}", "core.hooksPath": str(repository.top / ".git" / "hooks"),
        "merge.x.driver": str(script), "trailer.x.command": str(script), "uploadpack.packObjectsHook": str(script),
    }.items():  # fmt: skip
        repository.git("config", key, value)
    (repository.vault / ".gitattributes").write_text("*.md diff=x merge=x\njoe.md filter=x\n")
    ran.unlink(missing_ok=True)
    assert not repository.write()
    assert not append(repository.place, "day.md", b"- x\n").uncommitted
    assert not ran.exists()
    assert repository.git("-c", "core.fsmonitor=false", "rev-list", "--count", "HEAD") == "3"
    assert not ran.exists()
