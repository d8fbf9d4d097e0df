"""What is read or written in the vault stays in it: paths that lead elsewhere, links, devices and swaps on the way."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import sys
import threading
import time
from pathlib import Path

import pytest

from aurelius.writing import safe_folder as module
from aurelius.writing.safe_folder import Folder
from indexer.disk import beneath
from indexer.errors import UsageError

SECRET = b"canary outside the vault"
posix = pytest.mark.skipif(
    sys.platform == "win32", reason="links, FIFOs and sockets as POSIX has them"
)


@pytest.fixture
def vault_root(tmp_path: Path) -> Path:
    vault = tmp_path / "vault"
    (vault / "people").mkdir(parents=True)
    (vault / "people" / "joe.md").write_bytes(b"# Joe\r\nlives\n")
    (tmp_path / "secret.md").write_bytes(SECRET)
    sibling = tmp_path / "vault-private"
    sibling.mkdir()
    (sibling / "note.md").write_bytes(SECRET)
    return vault


@pytest.fixture(params=["walk", "checked"] if beneath.CAN_ENTER else ["checked"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "CAN_ENTER", request.param == "walk")


def assert_read_is_refused(vault_root: Path, path: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        module.read_inside(str(vault_root), path)
    assert why in caught.value.message
    assert "\0" not in caught.value.message
    assert caught.value.hint


@pytest.mark.usefixtures("way")
class TestRead:
    def test_bytes_are_exact(self, vault_root: Path) -> None:
        content = module.read_inside(str(vault_root), "people/joe.md")
        assert content.data == b"# Joe\r\nlives\n"
        assert content.stat.st_size == len(content.data)

    @pytest.mark.parametrize("path", ["./people/joe.md", "people//joe.md", "people/./joe.md"])
    def test_a_harmless_spelling_of_a_path_is_read(self, vault_root: Path, path: str) -> None:
        assert module.read_inside(str(vault_root), path).data.startswith(b"# Joe")

    @pytest.mark.parametrize(
        ("path", "why"),
        [
            ("../secret.md", "leads out of the vault"),
            ("people/../../secret.md", "leads out of the vault"),
            ("people/..", "leads out of the vault"),
            ("../vault-private/note.md", "leads out of the vault"),
            ("../vault/people/joe.md", "leads out of the vault"),
            ("/etc/passwd", "absolute"),
            ("//etc/passwd", "absolute"),
            ("~/secret.md", "~"),
            ("~root/secret.md", "~"),
            ("people/joe.md\0.png", "NUL"),
            ("", "vault's folder"),
            (".", "vault's folder"),
        ],
    )
    def test_paths_that_lead_elsewhere(self, vault_root: Path, path: str, why: str) -> None:
        assert_read_is_refused(vault_root, path, why)

    def test_an_absolute_path_into_the_vault_is_refused_too(self, vault_root: Path) -> None:
        assert_read_is_refused(vault_root, str(vault_root / "people" / "joe.md"), "absolute")

    @posix
    def test_a_link_to_a_file_outside(self, vault_root: Path) -> None:
        (vault_root / "link.md").symlink_to(vault_root.parent / "secret.md")
        assert_read_is_refused(vault_root, "link.md", "link link.md")

    @posix
    def test_a_link_to_a_file_inside(self, vault_root: Path) -> None:
        (vault_root / "link.md").symlink_to(vault_root / "people" / "joe.md")
        assert_read_is_refused(vault_root, "link.md", "link link.md")

    @posix
    def test_a_link_to_a_folder(self, vault_root: Path) -> None:
        (vault_root / "out").symlink_to(vault_root.parent / "vault-private")
        assert_read_is_refused(vault_root, "out/note.md", "link out")

    @posix
    def test_a_link_that_leads_nowhere_and_one_that_leads_to_itself(self, vault_root: Path) -> None:
        (vault_root / "gone.md").symlink_to("nowhere.md")
        (vault_root / "loop.md").symlink_to("loop.md")
        assert_read_is_refused(vault_root, "gone.md", "link gone.md")
        assert_read_is_refused(vault_root, "loop.md", "link loop.md")

    @pytest.mark.skipif(sys.platform != "linux", reason="links of /proc")
    def test_a_magic_link(self, vault_root: Path) -> None:
        handle = os.open(vault_root.parent / "secret.md", os.O_RDONLY)
        try:
            (vault_root / "magic.md").symlink_to(f"/proc/self/fd/{handle}")
            assert_read_is_refused(vault_root, "magic.md", "link magic.md")
        finally:
            os.close(handle)

    @posix
    def test_a_fifo_neither_blocks_nor_is_read(self, vault_root: Path) -> None:
        os.mkfifo(vault_root / "pipe.md")
        assert_read_is_refused(vault_root, "pipe.md", "not a regular file")

    @posix
    def test_a_socket_is_not_read(self, vault_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(vault_root)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("sock.md")
            with pytest.raises((UsageError, OSError)):
                module.read_inside(str(vault_root), "sock.md")

    def test_a_folder_is_not_read(self, vault_root: Path) -> None:
        with pytest.raises((UsageError, PermissionError)):
            module.read_inside(str(vault_root), "people")

    def test_a_file_that_is_not_there(self, vault_root: Path) -> None:
        with pytest.raises(FileNotFoundError):
            module.read_inside(str(vault_root), "people/nobody.md")

    def test_a_file_is_no_folder(self, vault_root: Path) -> None:
        with pytest.raises((FileNotFoundError, NotADirectoryError)):
            module.read_inside(str(vault_root), "people/joe.md/more.md")

    def test_a_file_too_large(self, vault_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(module, "MOST_FILE_BYTES", 5)
        assert_read_is_refused(vault_root, "people/joe.md", "larger")


@posix
def test_no_byte_leaks_while_a_folder_is_swapped_for_a_link(vault_root: Path) -> None:
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            with contextlib.suppress(OSError):
                os.rename(vault_root / "people", vault_root / "aside")
                os.symlink(vault_root.parent / "vault-private", vault_root / "people")
                os.unlink(vault_root / "people")
                os.rename(vault_root / "aside", vault_root / "people")

    (vault_root.parent / "vault-private" / "joe.md").write_bytes(SECRET)
    thread = threading.Thread(target=swap)
    thread.start()
    seen = set()
    try:
        for _ in range(3000):
            try:
                seen.add(module.read_inside(str(vault_root), "people/joe.md").data)
            except (UsageError, OSError):
                continue
    finally:
        stop.set()
        thread.join()
    assert SECRET not in seen


# -- writing in an open folder --


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
        monkeypatch.setattr(module, "CAN_ENTER", False)
    return str(request.param)


@pytest.mark.usefixtures("kinds")
def test_a_link_on_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "people").symlink_to(tmp_path / "out")
    for make in (False, True):
        with pytest.raises(
            UsageError,
            match="people: not written, because it leads through the symbolic link people",
        ):
            Folder(str(tmp_path / "vault"), ["people"], make=make)
        with pytest.raises(UsageError, match="through the symbolic link people"):
            Folder(str(tmp_path / "vault"), ["people", "far"], make=make)
    assert not list((tmp_path / "out").iterdir())


@pytest.mark.usefixtures("kinds")
def test_a_file_on_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "people").write_text("x")
    with pytest.raises(UsageError, match="which is not a folder"):
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
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {
        "b.md": "b",
        "c.md": "a",
    }
    assert (tmp_path / "c.md").stat().st_nlink == 1


def test_a_move_that_fails_halfway_leaves_the_file_one_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remove(folder: Folder, name: str) -> None:
        if name == "a.md":
            raise PermissionError(1, "no")
        os.unlink(os.path.join(folder.path, name))

    monkeypatch.setattr(Folder, "_special", lambda *_: False)
    monkeypatch.setattr(Folder, "remove", remove)
    (tmp_path / "a.md").write_text("a")
    with Folder(str(tmp_path), []) as folder, pytest.raises(PermissionError):
        folder.move("a.md", "b.md")
    assert os.listdir(tmp_path) == ["a.md"]


@pytest.mark.usefixtures("kinds")
def test_a_file_sent_to_another_folder_overwrites_nothing(tmp_path: Path) -> None:
    for name in ("from", "to"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.md").write_text(name)
    with Folder(str(tmp_path), ["from"]) as folder, Folder(str(tmp_path), ["to"]) as to:
        with pytest.raises(FileExistsError):
            folder.send("a.md", to, "a.md")
        folder.send("a.md", to, "b.md")
    assert {path.name: path.read_text() for path in (tmp_path / "to").iterdir()} == {
        "a.md": "to",
        "b.md": "from",
    }


def test_a_file_is_read_up_to_the_most_bytes_and_refused_above(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MOST_FILE_BYTES", 5)
    (tmp_path / "a.md").write_bytes(b"12345")
    (tmp_path / "b.md").write_bytes(b"123456")
    assert module.read_inside(str(tmp_path), "a.md").data == b"12345"
    with pytest.raises(UsageError, match="larger than"):
        module.read_inside(str(tmp_path), "b.md")


@pytest.mark.skipif(sys.platform != "linux", reason="leases are Linux's")
def test_a_file_that_is_leased_for_a_moment_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"1")
    handle = os.open(tmp_path / "a.md", os.O_RDONLY)
    assert module.lease_file(handle)
    timer = threading.Timer(0.1, os.close, [handle])
    timer.start()
    with Folder(str(tmp_path), []) as folder:
        os.close(folder.open("a.md", os.O_WRONLY | os.O_APPEND))
    timer.join()


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
    """Somebody swaps the folder for a link out of the vault, again and again, while it is written to."""
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
        began = time.monotonic()
        while time.monotonic() < began + (1.0 if written and refused else 60.0):
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
