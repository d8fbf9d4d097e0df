"""Commits of nothing but what Aurelius wrote, by nothing that a repository's settings can hook into."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from aurelius.writing import git as git_module
from aurelius.writing import git_folder
from aurelius.writing.append import append_lines
from aurelius.writing.check_edit import Edit, Place
from aurelius.writing.edit import apply_edits
from aurelius.writing.undo import choose_change, undo_change

ROOT = Path(__file__).resolve().parents[3]
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
            ["git", *words],
            cwd=at or self.vault,
            env=self.env,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.rstrip("\n")

    def log(self) -> list[str]:
        return self.git("log", "--format=%s").splitlines()

    def write(self, *edits: Edit) -> str:
        return apply_edits(self.place, edits or [Edit("joe.md", JOE, NEW)], "say x").uncommitted


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
    assert not repository.write(
        Edit("joe.md", JOE, NEW), Edit("areas/:[Ж] \t'\"*tea.md", None, b"# Tea\n")
    )
    assert repository.log() == ["say x", "first"]
    prefix = f"{inside}/" if inside else ""
    changed = (
        repository.git("show", "--name-only", "-z", "--format=", "HEAD").strip("\0").split("\0")
    )
    assert changed == [f"{prefix}areas/:[Ж] \t'\"*tea.md", f"{prefix}joe.md"]
    assert repository.git("show", "HEAD:./joe.md") == NEW.decode().rstrip("\n")
    assert set(repository.git("status", "--short", "-z").strip("\0").split("\0")) == {
        f" M {prefix}other.md",
        f"A  {prefix}staged.md",
        f"?? {prefix}new by hand.md",
    }
    assert repository.git("diff", "--cached", "--name-only") == f"{prefix}staged.md"
    assert repository.git("fsck", "--strict") == ""
    undo_change(repository.place, choose_change(repository.place))
    assert repository.log()[0] == "undo 1: say x"
    assert repository.git("diff", "HEAD~2", "HEAD", "--stat") == ""


def test_a_note_keeps_its_mode_and_a_removed_one_goes(repository: Repository) -> None:
    (repository.vault / "joe.md").chmod(0o755)
    repository.git("commit", "-qam", "mode")
    assert not repository.write(
        Edit("joe.md", JOE, None), Edit("archives/joe.md", None, JOE, "joe.md")
    )
    assert "archives/joe.md" in repository.git("ls-files")
    assert repository.git("ls-files", "--", "joe.md") == ""
    assert repository.git("status", "--short", "--", "joe.md") == ""


def test_a_note_that_may_be_run_is_committed_as_one(repository: Repository) -> None:
    (repository.vault / "joe.md").chmod(0o755)
    repository.git("commit", "-qam", "mode")
    assert not repository.write()
    assert repository.git("ls-tree", "HEAD", "joe.md").startswith("100755 ")


def test_an_append_is_committed(repository: Repository) -> None:
    assert not append_lines(
        repository.place, "memory/2026-02-10.md", b"- x\n", opening=b"# Day\n\n"
    ).uncommitted
    assert repository.log()[0] == "append to memory/2026-02-10.md"
    assert repository.git("status", "--short") == ""


def test_the_first_commit_of_a_repository(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    shutil.rmtree(repository.top / ".git")
    repository.git("init", "-q", "-b", "main")
    assert "git does not know" in repository.write()
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
    merging(repository)
    repository.git("merge", "--abort")
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("cherry-pick", "side")


def reverting(repository: Repository) -> None:
    merging(repository)
    repository.git("merge", "--abort")
    with pytest.raises(subprocess.CalledProcessError):
        repository.git("revert", "--no-edit", "side")


def kept_in_tables(repository: Repository) -> None:
    (repository.top / ".git" / "reftable").mkdir()


AGAINST: list[tuple[Callable[[Repository], None], str]] = [
    (by_hand, "joe.md has uncommitted changes of your own"),
    (staged, "joe.md has staged changes of your own"),
    (untracked, "joe.md has staged changes of your own"),
    (detached, "no branch is checked out (detached HEAD)"),
    (merging, "a merge is under way"),
    (rebasing, "a rebase is under way"),
    (bisecting, "a bisect is under way"),
    (locked, "another git command is running, or left a lock file"),
    (picking, "a cherry-pick is under way"),
    (reverting, "a revert is under way"),
    (kept_in_tables, "this repository uses reftable, which Aurelius cannot write"),
]


@pytest.mark.parametrize(("state", "why"), AGAINST, ids=lambda each: getattr(each, "__name__", ""))
def test_no_commit_is_made_and_it_is_said_why(
    repository: Repository, state: Callable[[Repository], None], why: str
) -> None:
    """The note is written all the same, and head and index stay as they are."""
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
    assert (
        repository.write(Edit("joe.md", text, text + b"c\n")) == "joe.md has conflict markers in it"
    )


def test_what_git_ignores_or_filters_is_not_committed(repository: Repository) -> None:
    """A filter may encrypt: its plain text must not get into the repository."""
    (repository.vault / ".gitignore").write_text("private/\n")
    (repository.vault / ".gitattributes").write_text(
        "secret/*.md filter=crypt\nwide.md working-tree-encoding=UTF-16\n"
    )
    told = [
        repository.write(Edit(path, None, b"# X\n"))
        for path in ("private/a.md", "secret/a.md", "wide.md")
    ]
    assert told == [
        "private/a.md is ignored by git",
        "a git filter or attribute applies to secret/a.md, and Aurelius runs no filters",
        "a git filter or attribute applies to wide.md, and Aurelius runs no filters",
    ]
    assert repository.log() == ["first"]


# -- moves: both halves or none --------------------------------------------------------------------------


def move(repository: Repository, to: str, *more: Edit, before: bytes = JOE) -> str:
    return repository.write(Edit("joe.md", before, None), Edit(to, None, NEW, "joe.md"), *more)


def halves(repository: Repository) -> str:
    """What the last commit did to which paths."""
    return repository.git("show", "--no-renames", "--name-status", "--format=", "HEAD").replace(
        "\t", " "
    )


def filtered(repository: Repository, pattern: str, tmp_path: Path) -> Path:
    """A filter in the person's own settings that changes nothing; what it makes when it runs."""
    ran = tmp_path / "ran"
    for way in ("clean", "smudge"):
        repository.git("config", "--global", f"filter.x.{way}", f"touch '{ran}'; cat")
    (repository.vault / ".gitattributes").write_text(f"{pattern} filter=x\n")
    repository.git("add", "-A")
    repository.git("commit", "-qm", "a filter")
    ran.unlink(missing_ok=True)
    return ran


def test_a_note_that_moves_under_one_filter_is_committed_at_both_paths_and_the_filter_not_run(
    repository: Repository, tmp_path: Path
) -> None:
    ran = filtered(repository, "*", tmp_path)
    assert move(repository, "archives/joe.md") == ""
    assert not ran.exists()
    assert halves(repository) == "A archives/joe.md\nD joe.md"
    assert repository.git("status", "--short") == ""
    undo_change(repository.place, choose_change(repository.place))
    assert repository.git("diff", "HEAD~2", "HEAD", "--stat") == ""


def test_a_note_that_moves_under_a_filter_is_committed_at_neither_path(
    repository: Repository, tmp_path: Path
) -> None:
    ran = filtered(repository, "secret/*.md", tmp_path)
    told = move(
        repository, "secret/joe.md", Edit("other.md", b"other\n", b"other: [joe](secret/joe.md)\n")
    )
    assert told == (
        "a git filter or attribute applies to secret/joe.md, and Aurelius runs no filters, "
        "so its move from joe.md to secret/joe.md is not committed"
    )
    assert not ran.exists()
    assert halves(repository) == "M other.md"
    assert repository.git("status", "--short") == " D joe.md\n?? secret/"


def test_a_note_with_changes_of_the_persons_is_committed_at_neither_path(
    repository: Repository,
) -> None:
    by_hand(repository)
    before = (repository.vault / "joe.md").read_bytes()
    told = move(repository, "archives/joe.md", before=before)
    assert told == (
        "joe.md has uncommitted changes of your own, so its move from joe.md to archives/joe.md is not committed"
    )
    assert repository.log() == ["first"]
    undo_change(repository.place, choose_change(repository.place))
    assert repository.log() == ["first"]
    assert repository.git("status", "--short") == " M joe.md"


def test_a_note_that_moves_where_git_ignores_it_leaves_its_old_path(repository: Repository) -> None:
    (repository.vault / ".gitignore").write_text("private/\n")
    (repository.vault / ".gitattributes").write_text("private/*.md filter=x\n")
    repository.git("add", "-A")
    repository.git("commit", "-qm", "ignore")
    assert move(repository, "private/joe.md") == "private/joe.md is ignored by git"
    assert halves(repository) == "D joe.md"
    assert repository.git("status", "--short") == ""


def test_what_can_be_committed_is_and_the_rest_is_told(repository: Repository) -> None:
    by_hand(repository)
    text = (repository.vault / "joe.md").read_bytes()
    told = repository.write(Edit("joe.md", text, NEW + text), Edit("new.md", None, b"# New\n"))
    assert told == "joe.md has uncommitted changes of your own"
    assert repository.git("show", "--name-only", "--format=", "HEAD") == "new.md"


def test_no_repository_and_no_git_are_told(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    env = {
        "HOME": str(tmp_path),
        "PATH": os.environ["PATH"],
        "GIT_CEILING_DIRECTORIES": str(tmp_path),
    }
    place = Place(str(tmp_path / "vault"), str(tmp_path / "state"), commit=True, env=env)
    assert (
        apply_edits(place, [Edit("a.md", None, b"a\n")], "why").uncommitted
        == "the vault is not a git repository"
    )
    nowhere = place._replace(env={"PATH": str(tmp_path)})
    (tmp_path / "vault" / ".git").mkdir()
    (tmp_path / "vault" / ".git" / "HEAD").write_text("ref: refs/heads/main\n")
    assert (
        apply_edits(nowhere, [Edit("b.md", None, b"a\n")], "why").uncommitted == "git was not found"
    )


def test_a_note_changed_again_before_the_commit_is_left_out(repository: Repository) -> None:
    (repository.vault / "joe.md").write_bytes(b"already something else\n")
    changes = [("joe.md", JOE, NEW, "")]
    told = git_module.commit_changes(
        str(repository.vault), repository.place.state, repository.env, changes, "why"
    )
    assert told == "a note changed again before it was committed"
    assert repository.log() == ["first"]


# -- repositories of other kinds -------------------------------------------------------------------------


def test_git_logs_tell_of_the_commit_as_git_would(repository: Repository) -> None:
    repository.git("config", "author.name", "Ada")
    assert not repository.write()
    row = "{} say x|aurelius: say x|Joe <joe@example.org>"
    form = "--format=%gd %s|%gs|%gn <%ge>"
    assert repository.git("reflog", "-1", form) == row.format("HEAD@{0}")
    assert repository.git("reflog", "-1", form, "main") == row.format("main@{0}")
    assert repository.git("log", "-1", "--format=%an <%ae>, %cn") == "Ada <joe@example.org>, Joe"
    assert repository.git("rev-parse", "HEAD@{1}") == repository.git("rev-parse", "HEAD~1")
    repository.git("pack-refs", "--all")
    assert not repository.write(Edit("joe.md", NEW, NEW + b"- y\n"))
    assert repository.git("rev-list", "--count", "main") == "3"


def test_a_person_named_by_their_own_settings_for_this_folder_makes_the_commit(
    repository: Repository,
) -> None:
    repository.git("config", "--unset", "user.name")
    home = Path(repository.env["HOME"])
    (home / "work").write_text("[user]\n\tname = Joe at Work\n")
    (home / ".gitconfig").write_text(f'[includeIf "gitdir:{repository.top}/"]\n\tpath = work\n')
    assert not repository.write()
    assert repository.git("log", "-1", "--format=%an, %cn") == "Joe at Work, Joe at Work"


def test_a_linked_worktree_has_its_commits_on_its_own_branch(
    repository: Repository, tmp_path: Path
) -> None:
    side = tmp_path / "side"
    repository.git("worktree", "add", "-q", "-b", "side", str(side))
    place = repository.place._replace(root=str(side))
    assert not apply_edits(place, [Edit("joe.md", JOE, NEW)], "say x").uncommitted
    assert repository.git("log", "-1", "--format=%s", "side") == "say x"
    assert repository.log() == ["first"]
    assert repository.git("status", "--short", at=side) == repository.git("status", "--short") == ""
    assert repository.git("reflog", "-1", "--format=%gs", at=side) == "aurelius: say x"
    assert repository.git("reflog", "-1", "--format=%gs") != "aurelius: say x"


@pytest.mark.parametrize("way", ["submodule", "separate"])
def test_a_git_folder_elsewhere_that_leads_back_is_committed_to(tmp_path: Path, way: str) -> None:
    repository = Repository(tmp_path)
    vault = repository.top / "inner"
    if way == "separate":
        shutil.copytree(repository.vault, vault, ignore=shutil.ignore_patterns(".git", "inner"))
        repository.git("init", "-q", "--separate-git-dir", str(tmp_path / "apart"), at=vault)
        repository.git("add", "-A", at=vault)
        repository.git(
            "-c", "user.name=Joe", "-c", "user.email=joe@x", "commit", "-qm", "first", at=vault
        )
        repository.git("config", "core.worktree", str(vault), at=vault)
    else:
        shutil.copytree(repository.top, tmp_path / "origin")
        repository.git(
            "-c",
            "protocol.file.allow=always",
            "submodule",
            "add",
            "-q",
            str(tmp_path / "origin"),
            "inner",
        )
    assert (vault / ".git").is_file()
    place = repository.place._replace(root=str(vault))
    assert not apply_edits(place, [Edit("joe.md", JOE, NEW)], "say x").uncommitted
    assert repository.git("log", "-1", "--format=%s", at=vault) == "say x"
    assert repository.git("status", "--short", at=vault) == ""
    assert repository.log() == ["first"]


def test_a_git_file_or_link_to_another_repository_is_not_followed(tmp_path: Path) -> None:
    repository = Repository(tmp_path)
    other = tmp_path / "other"
    other.mkdir()
    place = repository.place._replace(root=str(other))

    def borrowed() -> None:
        repository.git("init", "-q", "-b", "main", at=other)
        shutil.rmtree(other / ".git" / "objects")
        (other / ".git" / "commondir").write_text(f"{repository.top}/.git\n")

    for lead in (
        lambda: (other / ".git").write_text(f"gitdir: {repository.top}/.git\n"),
        lambda: (other / ".git").symlink_to(repository.top / ".git"),
        borrowed,
    ):
        lead()
        told = apply_edits(
            place, [Edit(f"{os.urandom(4).hex()}.md", None, NEW)], "say x"
        ).uncommitted
        assert "points to a repository of another folder" in told
        if not (other / ".git").is_dir() or (other / ".git").is_symlink():
            (other / ".git").unlink()
    assert repository.log() == ["first"]
    shutil.rmtree(other / ".git")
    repository.git("config", "core.worktree", str(other))
    assert repository.write() in {
        "git's repository belongs to another folder (git setting core.worktree)",
        "the vault is not a git repository",
    }
    assert repository.log() == ["first"]


@pytest.mark.parametrize(
    "name",
    [
        "index",
        "logs/HEAD",
        "logs/refs/heads/main",
        "refs/heads/main",
        "refs",
        "objects",
        "objects/info",
    ],
)
def test_nothing_is_written_through_a_link_in_the_git_folder(
    repository: Repository, tmp_path: Path, name: str
) -> None:
    at, aside = repository.top / ".git" / name, tmp_path / "aside"
    at.rename(aside)
    at.symlink_to(aside)
    before = [aside.read_bytes()] if aside.is_file() else sorted(aside.rglob("*"))
    assert repository.write() == f"{name} in git's folder is a link"
    assert ([aside.read_bytes()] if aside.is_file() else sorted(aside.rglob("*"))) == before


def test_a_split_index_is_written_whole(repository: Repository) -> None:
    repository.git("update-index", "--split-index")
    repository.git("config", "core.splitIndex", "true")
    assert list((repository.top / ".git").glob("sharedindex.*"))
    assert not repository.write()
    assert repository.git("status", "--short") == ""
    assert repository.git("ls-files").splitlines() == ["joe.md", "other.md"]


def test_a_sparse_index_keeps_what_is_not_checked_out(repository: Repository) -> None:
    for path in ("people/ada.md", "archives/old/bob.md"):
        (repository.vault / path).parent.mkdir(parents=True)
        (repository.vault / path).write_bytes(JOE)
    repository.git("add", "-A")
    repository.git("commit", "-qm", "second")
    repository.git("sparse-checkout", "set", "--cone", "--sparse-index", "people")
    assert not (repository.vault / "archives").exists()
    assert not repository.write(Edit("joe.md", JOE, NEW), Edit("archives/old/new.md", None, NEW))
    assert repository.git("status", "--short") == ""
    assert "archives/old/bob.md" in repository.git("ls-files")
    assert repository.git("show", "--name-only", "--format=", "HEAD").split() == [
        "archives/old/new.md",
        "joe.md",
    ]


def test_a_partial_clone_is_committed_to(repository: Repository, tmp_path: Path) -> None:
    repository.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    repository.git(
        "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{repository.top}", str(clone)
    )
    repository.git("checkout", "-q", "main", "--", "joe.md", at=clone)
    (clone / "other.md").write_bytes(b"other\n")
    place = repository.place._replace(root=str(clone))
    assert not apply_edits(place, [Edit("joe.md", JOE, NEW)], "say x").uncommitted
    assert repository.git("log", "-1", "--format=%s", at=clone) == "say x"


def test_a_repository_shared_in_a_group_stays_so(repository: Repository) -> None:
    repository.git("config", "core.sharedRepository", "group")
    old = os.umask(0o077)
    try:
        repository.git("init", "-q", "--shared=group", at=repository.top)
        assert not repository.write()
    finally:
        os.umask(old)
    made = repository.git("rev-parse", "HEAD")
    assert (repository.top / ".git" / "objects" / made[:2] / made[2:]).stat().st_mode & 0o040
    assert (repository.top / ".git" / "index").stat().st_mode & 0o060 == 0o060


def test_two_processes_that_commit_at_once_both_do(repository: Repository) -> None:
    program = (
        "import sys; from aurelius.writing.check_edit import Place; from aurelius.writing.append import append_lines\n"
        "root, state, name = sys.argv[1:]\n"
        "import os; place = Place(root, state, commit=True, env=dict(os.environ))\n"
        "for n in range(5): assert not append_lines(place, f'{name}.md', b'- x\\n').uncommitted\n"
    )
    words = [sys.executable, "-c", program, repository.place.root, repository.place.state]
    env = {**repository.env, "PYTHONPATH": str(ROOT)}
    both = [subprocess.Popen([*words, name], env=env) for name in ("one", "two")]
    assert [each.wait(120) for each in both] == [0, 0]
    assert len(repository.log()) == 11
    assert repository.git("status", "--short") == ""


# -- what a repository could run -------------------------------------------------------------------------

HOOKS = (
    "pre-commit",
    "commit-msg",
    "post-commit",
    "prepare-commit-msg",
    "post-index-change",
    "reference-transaction",
    "pre-auto-gc",
    "post-rewrite",
    "update",
)


def test_nothing_of_the_repository_is_run(repository: Repository, tmp_path: Path) -> None:
    """Hooks, monitor, filter, diff, signing, editor and pager are planted, and none of them runs."""
    ran = tmp_path / "ran"
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {ran}\ncat\nexit 1\n")
    script.chmod(0o755)
    for hook in HOOKS:
        shutil.copy(script, repository.top / ".git" / "hooks" / hook)
    for key, value in {
        "core.fsmonitor": str(script),
        "filter.x.clean": str(script),
        "filter.x.smudge": str(script),
        "filter.x.process": str(script),
        "diff.external": str(script),
        "diff.x.textconv": str(script),
        "commit.gpgSign": "true",
        "gpg.program": str(script),
        "core.pager": str(script),
        "core.editor": str(script),
        "core.sshCommand": str(script),
        "credential.helper": str(script),
        "core.askPass": str(script),
        "alias.update-ref": f"!{script}",
        "core.hooksPath": str(repository.top / ".git" / "hooks"),
        "merge.x.driver": str(script),
        "trailer.x.command": str(script),
        "uploadpack.packObjectsHook": str(script),
    }.items():
        repository.git("config", key, value)
    (repository.vault / ".gitattributes").write_text("*.md diff=x merge=x\njoe.md filter=x\n")
    ran.unlink(missing_ok=True)
    assert not repository.write()
    assert not append_lines(repository.place, "day.md", b"- x\n").uncommitted
    assert not ran.exists()
    assert repository.git("-c", "core.fsmonitor=false", "rev-list", "--count", "HEAD") == "3"
    assert not ran.exists()


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
def test_a_pipe_called_dot_git_does_not_make_a_note_wait_for_ever(tmp_path: Path) -> None:
    """In a process of its own, so that waiting fails this test and nothing else."""
    os.mkfifo(tmp_path / ".git")
    says = "import sys; from aurelius.writing import git_folder; print(git_folder.nearest_repository(sys.argv[1]))"
    done = subprocess.run(
        [sys.executable, "-c", says, str(tmp_path)],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.stdout.strip() == "None", done.stderr


def test_a_note_in_a_merge_that_lacks_one_side_is_not_resolved_by_a_commit(
    repository: Repository,
) -> None:
    blob = repository.git("rev-parse", "HEAD:joe.md")
    rows = f"0 {'0' * 40}\tjoe.md\n100644 {blob} 1\tjoe.md\n100644 {blob} 2\tjoe.md\n"
    words = ["git", "update-index", "--index-info"]
    subprocess.run(words, cwd=repository.vault, env=repository.env, input=rows.encode(), check=True)
    assert repository.write() == "joe.md has an unresolved merge"
    assert repository.log() == ["first"]


# -- what a repository could make git wait for, or read without an end -----------------------------------

WAITS = (
    ".git/HEAD",
    ".git/config",
    ".git/index",
    ".git/packed-refs",
    ".git/logs/HEAD",
    ".git/logs/refs/heads/main",
    ".git/info/exclude",
    ".git/info/attributes",
    ".git/objects/info/alternates",
    ".git/refs/heads/side",
    ".git/objects/aa/" + "b" * 38,
    ".git/sharedindex.aa",
    ".git/worktrees/side/HEAD",
    ".git/shallow",
    ".gitattributes",
    "people/.gitattributes",
    "people/.gitignore",
)
NAMED = ("core.excludesFile", "core.attributesFile", "include.path", "includeIf.gitdir:/.path")

WRITE = (
    "import os, sys; from aurelius.writing import edit; from aurelius.writing.check_edit import Edit, Place\n"
    "root, state = sys.argv[1:]; place = Place(root, state, commit=True, env=dict(os.environ))\n"
    "print(edit.apply_edits(place, [Edit('people/new.md', None, b'# New\\n')], 'say x').uncommitted)\n"
    "with edit.locked(place, 0): print('free')\n"
)


def written(repository: Repository) -> str:
    """Why a new note was not committed, written in a process of its own: one that waits fails this test alone.

    The note is there all the same, nothing is left of our own git folder, and the lock is free again.
    """
    words = [sys.executable, "-c", WRITE, repository.place.root, repository.place.state]
    env = {**repository.env, "PYTHONPATH": str(ROOT)}
    output = subprocess.PIPE
    writer = subprocess.Popen(
        words, env=env, stdout=output, stderr=output, text=True, start_new_session=True
    )
    try:
        out, err = writer.communicate(timeout=20)
    except subprocess.TimeoutExpired:
        os.killpg(writer.pid, signal.SIGKILL)  # it, and the git it waits for
        pytest.fail("it waits, or reads without an end")
    why, free = out.splitlines() or ["", err]
    assert free == "free"
    assert (repository.vault / "people" / "new.md").read_bytes() == b"# New\n"
    assert not Path(repository.place.state, "git").exists()
    return why


def plant(repository: Repository, name: str, kind: str) -> Path:
    at = repository.vault / name
    at.parent.mkdir(parents=True, exist_ok=True)
    at.unlink(missing_ok=True)
    if kind == "a pipe":
        os.mkfifo(at)
    elif kind == "a link":
        at.symlink_to("/dev/zero")
    else:
        with at.open("wb") as file:
            file.truncate(1 << 40)
    return at


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
@pytest.mark.parametrize("name", WAITS)
def test_a_pipe_that_git_would_read_is_told_and_not_waited_for(
    repository: Repository, name: str
) -> None:
    plant(repository, name, "a pipe")
    says = f"{name.removeprefix('.git/')} in git's folder" if name.startswith(".git/") else name
    assert written(repository) == f"{says} is not a regular file"


@pytest.mark.skipif(os.name == "nt", reason="there is no such device")
@pytest.mark.parametrize("name", [name for name in WAITS if name.startswith(".git/")])
def test_a_link_in_the_git_folder_to_a_device_without_an_end_is_not_followed(
    repository: Repository, name: str
) -> None:
    plant(repository, name, "a link")
    assert written(repository) == f"{name.removeprefix('.git/')} in git's folder is a link"


@pytest.mark.parametrize(
    "name",
    [
        ".git/config",
        ".git/index",
        ".git/info/exclude",
        ".git/sharedindex.aa",
        ".git/logs/HEAD",
        ".gitattributes",
    ],
)
def test_a_file_of_gits_larger_than_any_such_is_not_read(repository: Repository, name: str) -> None:
    plant(repository, name, "a large file")
    told = written(repository)
    assert name.removeprefix(".git/") in told
    assert " is larger than " in told


@pytest.mark.skipif(os.name == "nt", reason="there is no such device")
@pytest.mark.parametrize("key", NAMED)
def test_a_setting_that_leads_git_to_a_device_without_an_end_is_not_read_without_an_end(
    repository: Repository, key: str
) -> None:
    plant(repository, "odd", "a link")
    repository.git("config", key, "../odd" if key.startswith("include") else "odd")
    assert written(repository) == "" or key.startswith("include")


def test_settings_that_name_files_of_rules_are_followed_as_before(
    repository: Repository, tmp_path: Path
) -> None:
    rules = tmp_path / "home" / "rules"
    rules.write_text("people/ignored.md\n")
    (tmp_path / "home" / "a link").symlink_to(rules)
    repository.git("config", "include.path", str(tmp_path / "nowhere"))
    assert written(repository) == ""
    repository.git("config", "core.excludesFile", "~/a link")
    told = repository.write(Edit("people/ignored.md", None, b"# New\n"))
    assert told == "people/ignored.md is ignored by git"


def test_objects_may_be_borrowed(repository: Repository, tmp_path: Path) -> None:
    lent = tmp_path / "lent"
    shutil.copytree(repository.top / ".git" / "objects", lent)
    (repository.top / ".git" / "objects" / "info" / "alternates").write_text(f"{lent}\n")
    assert written(repository) == ""


def test_a_git_folder_above_the_nearest_is_not_looked_for(tmp_path: Path) -> None:
    """Git would go on upwards from a git folder that is none to it, to one that was not looked at."""
    repository = Repository(tmp_path, "inner")
    (repository.vault / ".git").mkdir()
    (repository.vault / ".git" / "HEAD").write_text("nothing\n")
    assert repository.write() == "the vault is not a git repository"


def test_shared_parts_of_an_index_are_copied_up_to_a_limit_and_cleared(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("aa", "bb"):
        (repository.top / ".git" / f"sharedindex.{name}").write_bytes(b"x" * 600)
    monkeypatch.setattr(git_folder, "LARGE", 1000)
    assert repository.write().startswith("the files sharedindex.* in git's folder are larger than ")
    assert not Path(repository.place.state, "git").exists()


def test_a_disk_that_refuses_our_git_folder_is_told_with_the_file_and_nothing_is_left(
    repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device", "the copy")

    def speechless(*_: object) -> None:
        raise OSError("something odd")

    for act, told in (
        (fails, "the copy: no space left on device"),
        (speechless, "git cannot be run: something odd"),
    ):
        monkeypatch.setattr(git_folder, "copy_shared", act)
        assert repository.write(Edit(f"{act.__name__}.md", None, NEW)) == told
        assert not Path(repository.place.state, "git").exists()
