"""Git's own folder: found, read, and a branch moved in it as git would, without git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aurelius.writing import git_folder
from aurelius.writing.git_folder import (
    BlockedError,
    GitFolder,
    advance,
    at_work,
    blob_name,
    check_git_folder,
    check_head,
    commit_of,
    nearest_repository,
    under_way,
)

OLD, NEW, THIRD = "a" * 40, "b" * 40, "c" * 40
MAIN = "refs/heads/main"
WHO = "Joe <joe@example.org> 1770000000 +0000"


def find(root: str) -> GitFolder | None:
    found = nearest_repository(root)
    return found[1] if found else None


@pytest.fixture
def at(tmp_path: Path) -> GitFolder:
    """A repository whose branch `main` is at a commit."""
    folder = tmp_path / "top" / ".git"
    (folder / "refs" / "heads").mkdir(parents=True)
    (folder / "objects" / "aa").mkdir(parents=True)
    (folder / "HEAD").write_text(f"ref: {MAIN}\n")
    (folder / "refs" / "heads" / "main").write_text(f"{OLD}\n")
    return GitFolder(str(folder), str(folder))


def under(at: GitFolder, *names: str) -> Path:
    return Path(at.common).joinpath(*names)


def log(at: GitFolder, was: str, new: str, what: str) -> None:
    """A line of git's log of HEAD."""
    under(at, "logs").mkdir(exist_ok=True)
    with under(at, "logs", "HEAD").open("a") as file:
        file.write(f"{was} {new} {WHO}\t{what}\n")


# -- where it is -----------------------------------------------------------------------------------------


def test_the_nearest_repository_at_or_above_a_folder_is_found(
    at: GitFolder, tmp_path: Path
) -> None:
    deep = tmp_path / "top" / "a" / "b"
    deep.mkdir(parents=True)
    assert find(str(tmp_path / "top")) == find(str(deep)) == at
    inner = tmp_path / "top" / "a" / ".git"
    inner.mkdir()
    assert find(str(deep)) == at  # a folder without HEAD is no repository
    (inner / "HEAD").write_text(f"ref: {MAIN}\n")
    assert find(str(deep)) == GitFolder(str(inner), str(inner))


def test_no_repository_is_none(tmp_path: Path) -> None:
    assert find(str(tmp_path)) is None
    (tmp_path / ".git").write_text("no word of where it is\n")
    assert find(str(tmp_path)) is None


def test_a_linked_working_tree_has_a_folder_of_its_own_and_shares_another(
    at: GitFolder, tmp_path: Path
) -> None:
    own = under(at, "worktrees", "side")
    own.mkdir(parents=True)
    (own / "HEAD").write_text("ref: refs/heads/side\n")
    (own / "commondir").write_text("../..\n")
    side = tmp_path / "side"
    side.mkdir()
    (side / ".git").write_text(f"gitdir: {own}\n")
    assert find(str(side)) == GitFolder(str(own), at.common)
    (side / ".git").write_text("gitdir: ../top/.git/worktrees/side\n")
    found = find(str(side))
    assert found is not None
    assert os.path.samefile(found.folder, own)


# -- what is under way -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", git_folder.UNDER_WAY)
def test_what_git_is_in_the_middle_of_is_named(name: str, at: GitFolder) -> None:
    assert under_way(at) == ""
    under(at, name).symlink_to("nowhere")
    assert under_way(at) == git_folder.UNDER_WAY[name]


# -- which commit ----------------------------------------------------------------------------------------


def test_the_commit_of_a_branch_is_its_file_else_a_row_of_the_packed_ones(at: GitFolder) -> None:
    rows = f"# pack-refs with: peeled\n{NEW} {MAIN}\n{THIRD} refs/heads/old\n^{OLD}\n"
    under(at, "packed-refs").write_text(rows)
    assert commit_of(at, MAIN) == OLD
    assert commit_of(at, "refs/heads/old") == THIRD
    assert commit_of(at, "refs/heads/none") == ""
    assert commit_of(at, "none") == ""


# -- what git did since ----------------------------------------------------------------------------------


def test_git_was_at_work_when_its_folder_or_its_index_changed_last(at: GitFolder) -> None:
    os.utime(at.folder, (10, 10))
    assert at_work(at) == 10
    (under(at, "index")).write_bytes(b"")
    os.utime(at.folder, (10, 10))
    os.utime(under(at, "index"), (20, 20))
    assert at_work(at) == 20
    os.utime(at.folder, (30, 30))
    assert at_work(at) == 30
    assert at_work(GitFolder(at.folder + "x", at.common)) == 0


def test_bytes_have_the_name_that_git_gives_them() -> None:
    assert blob_name(b"a\n", 40) == "78981922613b2afb6025042ff6bd878ac1994e85"
    assert (
        blob_name(b"a\n", 64) == "f8625e43f9e04f24291f77cdbe4c71b3c2a3b0003f60419b3ed06a058d766c8b"
    )


# -- whether a branch may be moved -----------------------------------------------------------------------


def test_a_branch_that_is_a_file_may_be_moved(at: GitFolder) -> None:
    check_head(at, MAIN)
    check_head(at, "refs/heads/a/new/one")


@pytest.mark.parametrize(
    "ref", ["", OLD, "refs/tags/v1", "refs/heads/", "refs/heads/../x", "refs/heads/./x"]
)
def test_what_is_no_branch_is_not_moved(ref: str, at: GitFolder) -> None:
    with pytest.raises(BlockedError, match="no branch is checked out"):
        check_head(at, ref)


def test_branches_in_tables_are_left_to_git(at: GitFolder) -> None:
    under(at, "reftable").mkdir()
    with pytest.raises(BlockedError, match="reftable"):
        check_head(at, MAIN)


@pytest.mark.parametrize(
    "name",
    [
        "index",
        "objects",
        "objects/aa",
        "refs",
        "refs/heads",
        "refs/heads/main",
        "logs",
        "logs/refs/heads/main",
    ],
)
def test_what_leads_through_a_link_is_not_written(name: str, at: GitFolder, tmp_path: Path) -> None:
    there = under(at, *name.split("/"))
    there.parent.mkdir(parents=True, exist_ok=True)
    if there.exists():
        there.rename(tmp_path / "elsewhere")
    there.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BlockedError, match="in git's folder is a link") as raised:
        check_git_folder(at)
    assert str(raised.value).startswith(f"{name} ")


# -- moving it -------------------------------------------------------------------------------------------


def unmoved(at: GitFolder, ref: str = MAIN, was: str = OLD) -> bool:
    """No branch, lock or log was written."""
    locks = [path for path in Path(at.common).rglob("*.lock") if path.name != "HEAD.lock"]
    return commit_of(at, ref) == was and not locks and not under(at, "logs").exists()


def test_a_branch_is_moved_with_a_row_in_both_logs(at: GitFolder) -> None:
    advance(at, MAIN, OLD, NEW, WHO, "aurelius: add")
    assert under(at, "refs", "heads", "main").read_text() == f"{NEW}\n"
    advance(at, MAIN, NEW, THIRD, WHO, "aurelius: x")
    rows = f"{OLD} {NEW} {WHO}\taurelius: add\n{NEW} {THIRD} {WHO}\taurelius: x\n"
    assert under(at, "logs", "HEAD").read_text() == rows
    assert under(at, "logs", "refs", "heads", "main").read_text() == rows
    assert not list(Path(at.common).rglob("*.lock"))


def test_the_new_commit_is_on_the_disk_before_the_branch_is_at_it(
    at: GitFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    branch = under(at, "refs", "heads", "main")
    flushed: dict[int, bytes] = {}
    written = branch.with_name("main.lock")
    monkeypatch.setattr(
        os, "fsync", lambda handle: flushed.update({os.fstat(handle).st_ino: written.read_bytes()})
    )
    advance(at, MAIN, OLD, NEW, WHO, "aurelius: x")
    assert flushed == {branch.stat().st_ino: f"{NEW}\n".encode()}


def test_the_first_commit_of_a_branch_comes_from_nothing(at: GitFolder) -> None:
    under(at, "refs", "heads", "main").unlink()
    advance(at, MAIN, "", NEW, WHO, "first")
    assert commit_of(at, MAIN) == NEW
    assert under(at, "logs", "HEAD").read_text().startswith("0" * 40 + f" {NEW} ")


def test_a_branch_in_folders_gets_them(at: GitFolder) -> None:
    ref = "refs/heads/a/b"
    under(at, "HEAD").write_text(f"ref: {ref}\n")
    advance(at, ref, "", NEW, WHO, "first")
    assert commit_of(at, ref) == NEW


def test_a_lock_of_another_git_is_left_alone_and_nothing_is_moved(at: GitFolder) -> None:
    lock = under(at, "refs", "heads", "main.lock")
    lock.write_text("theirs")
    with pytest.raises(BlockedError, match="another git command is running, or left a lock file"):
        advance(at, MAIN, OLD, NEW, WHO, "x")
    assert lock.read_text() == "theirs"
    assert commit_of(at, MAIN) == OLD


@pytest.mark.parametrize("what", ["branch", "head"])
def test_a_branch_that_was_moved_meanwhile_stays_where_it_is(what: str, at: GitFolder) -> None:
    if what == "head":
        under(at, "HEAD").write_text("ref: refs/heads/side\n")
    with pytest.raises(BlockedError, match="another commit was made at the same time"):
        advance(at, MAIN, OLD if what == "head" else THIRD, NEW, WHO, "x")
    assert unmoved(at)


def test_a_swap_that_fails_leaves_no_lock(at: GitFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(old: str, new: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(OSError, match="No space"):
        advance(at, MAIN, OLD, NEW, WHO, "x")
    assert unmoved(at)


@pytest.mark.skipif(os.name == "nt", reason="file modes of Unix")
def test_who_may_write_head_may_write_the_branch(at: GitFolder) -> None:
    under(at, "HEAD").chmod(0o664)
    before = os.umask(0o077)
    try:
        advance(at, MAIN, OLD, NEW, WHO, "x")
    finally:
        os.umask(before)
    assert under(at, "refs", "heads", "main").stat().st_mode & 0o777 == 0o664


def test_a_small_file_is_read_stripped_and_one_that_is_not_there_says_nothing(
    tmp_path: Path,
) -> None:
    (tmp_path / "a").write_bytes(b" caf\xe9\n")
    assert git_folder.text(str(tmp_path / "a")) == "caf\udce9"
    assert git_folder.text(str(tmp_path / "none")) == git_folder.text(str(tmp_path)) == ""


@pytest.mark.parametrize("kind", ["a link", "no text", "too long"])
def test_what_is_no_small_file_of_text_says_nothing(kind: str, tmp_path: Path) -> None:
    """What a git folder says is kept with the lines that are watched: no word of a file elsewhere, nor all of one."""
    (tmp_path / "a").write_bytes(
        {"no text": b"a\0b", "too long": b"a" * (git_folder.MOST_WORD_BYTES + 1)}.get(
            kind, b"secret"
        )
    )
    if kind == "a link":
        (tmp_path / "b").symlink_to(tmp_path / "a")
    assert git_folder.text(str(tmp_path / ("b" if kind == "a link" else "a"))) == ""
    (tmp_path / "a").write_bytes(b"a" * git_folder.MOST_WORD_BYTES)
    assert len(git_folder.text(str(tmp_path / "a"))) == git_folder.MOST_WORD_BYTES


def test_a_link_to_the_file_that_says_where_the_git_folder_is_is_followed_as_git_does(
    at: GitFolder, tmp_path: Path
) -> None:
    side = tmp_path / "side"
    side.mkdir()
    (tmp_path / "leads").write_text(f"gitdir: {at.folder}\n")
    (side / ".git").symlink_to(tmp_path / "leads")
    assert find(str(side)) == at


def test_a_log_that_is_a_link_is_not_written(at: GitFolder, tmp_path: Path) -> None:
    log(at, OLD, NEW, "commit: after")
    aside = under(at, "logs", "HEAD").rename(tmp_path / "aside")
    under(at, "logs", "HEAD").symlink_to(aside)
    before = aside.read_bytes()
    with pytest.raises(BlockedError, match="is a link or not a regular file"):
        advance(at, MAIN, OLD, NEW, WHO, "x")
    assert aside.read_bytes() == before


def test_a_setting_names_a_file_beside_its_own_or_at_the_top() -> None:
    told = "file:.git/config\0include.path\nmore\0file:/h/more\0include.path\n/x\0file:/h/more\0core.excludesfile\nrules\0"
    assert [
        path
        for _, path in git_folder.named_files(
            told + "file:/h/more\0core.attributesfile\n\0", "/top"
        )
    ] == [
        "/top/.git/more",
        "/x",
        "/top/rules",
    ]
