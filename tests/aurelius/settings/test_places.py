"""Where things are, told without importing anything."""

from __future__ import annotations

import hashlib
import os
import shlex
import stat
import subprocess
import sys
import zlib
from pathlib import Path

import pytest
from platformdirs.macos import MacOS

from aurelius.settings import places

ROOT = Path(__file__).resolve().parents[3]


def test_the_nearest_folder_with_the_mark_is_the_vault(tmp_path: Path) -> None:
    (tmp_path / "a" / ".aurelius").mkdir(parents=True)
    (tmp_path / "a" / "b" / "c").mkdir(parents=True)
    assert places.vault_above(str(tmp_path / "a" / "b" / "c")) == str(tmp_path / "a")
    assert places.vault_above(str(tmp_path / "a")) == str(tmp_path / "a")
    assert places.vault_above(str(tmp_path / "a" / "gone" / "..")) == str(tmp_path / "a")


def test_above_no_vault_there_is_none(tmp_path: Path) -> None:
    assert places.vault_above(str(tmp_path)) == ""


@pytest.mark.parametrize("what", ["cache", "config", "state"])
def test_on_macos_the_folders_are_those_of_platformdirs(
    what: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", "/Users/joe")
    expected = getattr(MacOS("aurelius", appauthor=False), f"user_{what}_dir")
    assert places.user_folder(what, {"HOME": "/Users/joe"}) == expected


def test_a_daemon_belongs_to_a_real_path(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    (tmp_path / "vault").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "vault", target_is_directory=True)
    folder = places.daemon_folder(str(tmp_path / "vault"), env)
    assert os.path.dirname(folder) == os.path.join(places.user_folder("state", env), "daemon")
    assert len(os.path.basename(folder)) == 16
    assert places.daemon_folder(str(tmp_path / "link"), env) == folder
    assert places.daemon_folder(str(tmp_path), env) != folder


def test_paths_that_share_a_crc_share_no_folder_and_no_socket(tmp_path: Path) -> None:
    env = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    one, other = same_crc(str(tmp_path))
    assert zlib.crc32(os.fsencode(one)) == zlib.crc32(os.fsencode(other))
    for folder in (places.daemon_folder, places.vault_state):
        assert folder(one, env) != folder(other, env)
    long = "/" + "x" * 90
    assert places.socket_path(f"{long}{one}") != places.socket_path(f"{long}{other}")


def same_crc(folder: str) -> tuple[str, str]:
    """Two paths in a folder that have one CRC-32."""
    seen: dict[int, str] = {}
    for number in range(1 << 20):
        path = os.path.join(folder, hashlib.sha256(b"%d" % number).hexdigest())
        code = zlib.crc32(os.fsencode(path))
        if code in seen:
            return seen[code], path
        seen[code] = path
    raise AssertionError


def test_a_socket_lies_in_the_daemons_folder() -> None:
    assert places.socket_path(f"{os.sep}home") == os.path.join(f"{os.sep}home", "socket")


if os.name != "nt":

    @pytest.mark.parametrize("name", ["x" * 100, "é" * 50, "\udcff" * 100])
    def test_a_socket_whose_path_would_be_too_long_lies_elsewhere(
        name: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(places, "TEMPORARY", "/t")
        path = places.socket_path(f"/{name}")
        assert path.startswith(f"/t/aurelius-{os.getuid()}-")
        assert len(os.fsencode(path)) <= places.MOST_SOCKET_BYTES
        assert places.socket_path(f"/{name}") == path
        assert places.socket_path(f"/{name}y") != path

    def test_a_folder_is_private_when_nobody_else_may_enter(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        folder = tmp_path / "private"
        folder.mkdir(0o700)
        assert places.is_own_folder(str(folder))
        (tmp_path / "link").symlink_to(folder, target_is_directory=True)
        assert not places.is_own_folder(str(tmp_path / "link"))
        for more in (stat.S_IXOTH, stat.S_IRGRP, stat.S_IWGRP):
            folder.chmod(0o700 | more)
            assert not places.is_own_folder(str(folder))
        folder.chmod(0o700)
        (folder / "file").touch(0o600)
        assert not places.is_own_folder(str(folder / "file"))
        assert not places.is_own_folder(str(folder / "gone"))
        assert not places.is_own_folder("\0")
        theirs = os.getuid() + 1
        monkeypatch.setattr(os, "getuid", lambda: theirs)
        assert not places.is_own_folder(str(folder))


def test_it_imports_next_to_nothing(tmp_path: Path) -> None:
    code = (
        f"import os, sys; sys.path.insert(0, {str(ROOT)!r}); before = set(sys.modules); "
        "from aurelius.settings import places;"
        f"env = {{'HOME': {str(tmp_path)!r}, 'XDG_STATE_HOME': {str(tmp_path)!r}}};"
        f"places.is_own_folder(places.socket_path(places.daemon_folder({str(tmp_path)!r}, env)));"
        "print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True
    )
    expected = {
        "__future__",
        "aurelius",
        "aurelius.settings",
        "aurelius.settings.places",
        "_blake2",
    }
    if sys.platform == "linux":
        assert set(eval(done.stdout)) <= expected


@pytest.mark.skipif(os.name == "nt", reason="a shell of another kind")
@pytest.mark.parametrize(
    "text",
    ["", "plain", "/home/me/my-notes_2.d", "two words", "it's", "a$b", "~me", "*", "ä", "a\nb"],
)
def test_a_word_for_the_shell_is_quoted_as_python_does(text: str) -> None:
    assert places.shell_word(text) == shlex.quote(text)


def test_a_name_that_begins_with_a_tilde_is_no_home() -> None:
    env = {"HOME": "/home/joe", "USERPROFILE": "/home/joe"}
    assert places.absolute("~/notes", env, "/base") == os.path.normpath("/home/joe/notes")
    assert places.absolute("~", env, "/base") == os.path.normpath("/home/joe")
    assert places.absolute("~old/notes", env, "/base") == os.path.normpath("/base/~old/notes")


def test_a_folder_of_another_program_is_below_the_home_that_is_named() -> None:
    env = {"HOME": "/home/joe", "USERPROFILE": "/home/joe", "XDG_CONFIG_HOME": "set/by/mistake"}
    found = [
        places.client_folder(f"{name}/a/b.json", env)
        for name in ("~", "CONFIG", "SUPPORT", "APPDATA")
    ]
    folders = ("", "/.config", "/Library/Application Support", "/AppData/Roaming")
    assert found == [os.path.normpath(f"/home/joe{folder}/a/b.json") for folder in folders]
    named = {**env, "XDG_CONFIG_HOME": "/c", "APPDATA": "/d"}
    assert places.client_folder("CONFIG/a", named) == os.path.normpath("/c/a")
    assert places.client_folder("APPDATA/a", named) == os.path.normpath("/d/a")


def test_an_extra_is_installed_beside_those_that_are_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: name if name == "openai" else None)
    assert places.install_line("mcp").endswith(": pipx install --force '.[mcp,llm]'")
    assert places.install_line("llm").endswith(": pipx install --force '.[llm]'")
