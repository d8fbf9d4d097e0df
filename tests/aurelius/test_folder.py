"""What is done in an open folder stays in it: links, devices and swaps on the way lead nowhere (reliability F1)."""

from __future__ import annotations

import os
import stat
import threading
import time
from pathlib import Path

import pytest

from aurelius import folder as module
from aurelius.folder import Folder
from indexer.errors import UsageError


@pytest.fixture(params=["special", "plain"])
def ways(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With the system's special ways to rename, and without."""
    if request.param == "plain":
        monkeypatch.setattr(Folder, "_special", lambda *_: False)
    return str(request.param)


@pytest.fixture(params=["descriptors", "paths"])
def kinds(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """With folders that can be opened, and as on Windows."""
    if request.param == "paths":
        monkeypatch.setattr(module, "_OPENS", False)
    return str(request.param)


@pytest.mark.usefixtures("kinds")
def test_a_link_on_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "people").symlink_to(tmp_path / "out")
    for make in (False, True):
        with pytest.raises(UsageError, match="people: not written, because it leads through the link people"):
            Folder(str(tmp_path / "vault"), ["people"], make=make)
        with pytest.raises(UsageError, match="through the link people"):
            Folder(str(tmp_path / "vault"), ["people", "far"], make=make)
    assert not list((tmp_path / "out").iterdir())


@pytest.mark.usefixtures("kinds")
def test_a_file_on_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "people").write_text("x")
    with pytest.raises(UsageError, match="which is no folder"):
        Folder(str(tmp_path), ["people"], make=True)


@pytest.mark.usefixtures("kinds")
def test_a_vault_may_be_a_link_itself(tmp_path: Path) -> None:
    (tmp_path / "real" / "a").mkdir(parents=True)
    (tmp_path / "vault").symlink_to(tmp_path / "real")
    with Folder(str(tmp_path / "vault"), ["a"]) as folder:
        os.close(folder.open("x.md", os.O_WRONLY | os.O_CREAT | os.O_EXCL))
    assert (tmp_path / "real" / "a" / "x.md").exists()


@pytest.mark.usefixtures("kinds")
def test_only_regular_files_are_opened_and_nothing_is_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.md")
    (tmp_path / "there.md").write_text("x")
    (tmp_path / "link.md").symlink_to("there.md")
    (tmp_path / "dangling.md").symlink_to("nowhere")
    (tmp_path / "folder.md").mkdir()
    with Folder(str(tmp_path), []) as folder:
        for name in ("pipe.md", "link.md", "dangling.md"):
            for flags in (os.O_RDONLY, os.O_WRONLY | os.O_APPEND | os.O_CREAT, os.O_RDWR):
                with pytest.raises(UsageError):
                    folder.open(name, flags)
        with pytest.raises((UsageError, OSError)):
            folder.open("folder.md", os.O_RDONLY)
    assert not (tmp_path / "nowhere").exists()


@pytest.mark.usefixtures("ways", "kinds")
def test_a_move_overwrites_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "b.md").write_text("b")
    with Folder(str(tmp_path), []) as folder:
        with pytest.raises(FileExistsError):
            folder.move("a.md", "b.md")
        folder.move("a.md", "c.md")
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"b.md": "b", "c.md": "a"}
    assert (tmp_path / "c.md").stat().st_nlink == 1


def test_two_files_change_names_where_the_system_can(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "b.md").write_text("b")
    with Folder(str(tmp_path), []) as folder:
        swapped = folder.exchange("a.md", "b.md")
    assert (tmp_path / "a.md").read_text() == ("b" if swapped else "a")
    if swapped:
        with Folder(str(tmp_path), []) as folder, pytest.raises(FileNotFoundError):
            folder.exchange("a.md", "gone.md")


@pytest.mark.usefixtures("kinds")
def test_a_folder_is_made_where_it_is_wanted(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Folder(str(tmp_path), ["a", "b"])
    with Folder(str(tmp_path), ["a", "b"], make=True) as folder:
        assert folder.look("x") is None
    with Folder(str(tmp_path), ["a", "b"], make=True):
        assert stat.S_ISDIR((tmp_path / "a" / "b").stat().st_mode)


def test_a_folder_that_is_swapped_for_a_link_leaks_nothing(tmp_path: Path) -> None:
    """F1: somebody swaps the folder for a link out of the vault, again and again, while it is written to."""
    out, vault = tmp_path / "out", tmp_path / "vault"
    out.mkdir()
    (vault / "people").mkdir(parents=True)
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            os.rename(vault / "people", vault / "aside")
            os.symlink(out, vault / "people")
            os.unlink(vault / "people")
            os.rename(vault / "aside", vault / "people")

    thread = threading.Thread(target=swap)
    thread.start()
    written = refused = 0
    try:
        until = time.monotonic() + 1.0
        while time.monotonic() < until:
            try:
                with Folder(str(vault), ["people"]) as folder:
                    os.close(folder.open(f"{written}.md", os.O_WRONLY | os.O_CREAT | os.O_EXCL))
                written += 1
            except (UsageError, OSError):
                refused += 1
    finally:
        stop.set()
        thread.join()
    assert not list(out.iterdir())
    assert written
    assert refused
