"""Git's own folder: found and read without git."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aurelius.writing import git_folder
from aurelius.writing.git_folder import (
    BlockedError,
    GitFolder,
    blob_name,
    check_git_folder,
    check_head,
    nearest_repository,
    under_way,
)

OLD = "a" * 40
MAIN = "refs/heads/main"


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
