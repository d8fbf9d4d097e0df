"""Reading inside the vault (reliability F1): whatever leads elsewhere is refused in one clear message."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import threading
from pathlib import Path

import pytest

from aurelius import files
from indexer.errors import UsageError

SECRET = b"canary outside the vault"
posix = pytest.mark.skipif(sys.platform == "win32", reason="links, FIFOs and sockets as POSIX has them")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    vault = tmp_path / "vault"
    (vault / "people").mkdir(parents=True)
    (vault / "people" / "joe.md").write_bytes(b"# Joe\r\nlives\n")
    (tmp_path / "secret.md").write_bytes(SECRET)
    sibling = tmp_path / "vault-private"
    sibling.mkdir()
    (sibling / "note.md").write_bytes(SECRET)
    return vault


@pytest.fixture(params=["walk", "checked"] if files._WALKS else ["checked"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_WALKS", request.param == "walk")


def refuse(root: Path, path: str, why: str) -> None:
    with pytest.raises(UsageError) as caught:
        files.read(str(root), path)
    assert why in caught.value.message
    assert "\0" not in caught.value.message
    assert caught.value.hint


@pytest.mark.usefixtures("way")
class TestRead:
    def test_bytes_are_exact(self, root: Path) -> None:
        content = files.read(str(root), "people/joe.md")
        assert content.data == b"# Joe\r\nlives\n"
        assert content.stat.st_size == len(content.data)

    @pytest.mark.parametrize("path", ["./people/joe.md", "people//joe.md", "people/./joe.md"])
    def test_harmless_spellings(self, root: Path, path: str) -> None:
        assert files.read(str(root), path).data.startswith(b"# Joe")

    @pytest.mark.parametrize(
        ("path", "why"),
        [
            ("../secret.md", "upwards"),
            ("people/../../secret.md", "upwards"),
            ("people/..", "upwards"),
            ("../vault-private/note.md", "upwards"),
            ("../vault/people/joe.md", "upwards"),
            ("/etc/passwd", "absolute"),
            ("//etc/passwd", "absolute"),
            ("~/secret.md", "~"),
            ("~root/secret.md", "~"),
            ("people/joe.md\0.png", "NUL"),
            ("", "vault itself"),
            (".", "vault itself"),
        ],
    )
    def test_paths_that_lead_elsewhere(self, root: Path, path: str, why: str) -> None:
        refuse(root, path, why)

    def test_an_absolute_path_into_the_vault_is_refused_too(self, root: Path) -> None:
        refuse(root, str(root / "people" / "joe.md"), "absolute")

    @posix
    def test_a_link_to_a_file_outside(self, root: Path) -> None:
        (root / "link.md").symlink_to(root.parent / "secret.md")
        refuse(root, "link.md", "link link.md")

    @posix
    def test_a_link_to_a_file_inside(self, root: Path) -> None:
        (root / "link.md").symlink_to(root / "people" / "joe.md")
        refuse(root, "link.md", "link link.md")

    @posix
    def test_a_link_to_a_folder(self, root: Path) -> None:
        (root / "out").symlink_to(root.parent / "vault-private")
        refuse(root, "out/note.md", "link out")

    @posix
    def test_a_link_that_leads_nowhere_and_one_that_leads_to_itself(self, root: Path) -> None:
        (root / "gone.md").symlink_to("nowhere.md")
        (root / "loop.md").symlink_to("loop.md")
        refuse(root, "gone.md", "link gone.md")
        refuse(root, "loop.md", "link loop.md")

    @pytest.mark.skipif(sys.platform != "linux", reason="links of /proc")
    def test_a_magic_link(self, root: Path) -> None:
        handle = os.open(root.parent / "secret.md", os.O_RDONLY)
        try:
            (root / "magic.md").symlink_to(f"/proc/self/fd/{handle}")
            refuse(root, "magic.md", "link magic.md")
        finally:
            os.close(handle)

    @posix
    def test_a_fifo_neither_blocks_nor_is_read(self, root: Path) -> None:
        os.mkfifo(root / "pipe.md")
        refuse(root, "pipe.md", "not a regular file")

    @posix
    def test_a_socket_is_not_read(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(root)
        with socket.socket(socket.AF_UNIX) as listener:
            listener.bind("sock.md")
            with pytest.raises((UsageError, OSError)):
                files.read(str(root), "sock.md")

    def test_a_folder_is_not_read(self, root: Path) -> None:
        with pytest.raises((UsageError, PermissionError)):
            files.read(str(root), "people")

    def test_a_file_that_is_not_there(self, root: Path) -> None:
        with pytest.raises(FileNotFoundError):
            files.read(str(root), "people/nobody.md")

    def test_a_file_is_no_folder(self, root: Path) -> None:
        with pytest.raises((FileNotFoundError, NotADirectoryError)):
            files.read(str(root), "people/joe.md/more.md")

    def test_a_file_too_large(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(files, "MOST", 5)
        refuse(root, "people/joe.md", "larger")


@posix
def test_no_byte_leaks_while_a_folder_is_swapped_for_a_link(root: Path) -> None:
    stop = threading.Event()

    def swap() -> None:
        while not stop.is_set():
            with contextlib.suppress(OSError):
                os.rename(root / "people", root / "aside")
                os.symlink(root.parent / "vault-private", root / "people")
                os.unlink(root / "people")
                os.rename(root / "aside", root / "people")

    (root.parent / "vault-private" / "joe.md").write_bytes(SECRET)
    thread = threading.Thread(target=swap)
    thread.start()
    seen = set()
    try:
        for _ in range(3000):
            try:
                seen.add(files.read(str(root), "people/joe.md").data)
            except (UsageError, OSError):
                continue
    finally:
        stop.set()
        thread.join()
    assert SECRET not in seen
