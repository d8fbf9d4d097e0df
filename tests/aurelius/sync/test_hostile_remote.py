"""A repository that somebody else made: what its settings name does not run, and what comes from it stays in the vault."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from tests.aurelius.sync.devices import Device, first_device, meeting_place


@pytest.fixture
def remote(tmp_path: Path) -> Path:
    return meeting_place(tmp_path)


@pytest.fixture
def one(tmp_path: Path, remote: Path) -> Device:
    return first_device(tmp_path, remote)


@pytest.fixture
def two(tmp_path: Path, remote: Path, one: Device) -> Device:
    return Device(tmp_path, "two", remote)


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a trace when it runs."""
    program = tmp_path / "trap"
    program.write_text(f"#!/bin/sh\necho ran >> {tmp_path / 'ran'}\ncat\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


HOOKS = (
    "pre-commit",
    "commit-msg",
    "post-commit",
    "pre-push",
    "post-merge",
    "post-checkout",
    "reference-transaction",
    "post-index-change",
    "pre-auto-gc",
    "prepare-commit-msg",
)
SETTINGS = (
    "core.fsmonitor",
    "core.sshCommand",
    "core.pager",
    "core.editor",
    "core.askPass",
    "core.alternateRefsCommand",
    "credential.helper",
    "gpg.program",
    "filter.x.clean",
    "filter.x.smudge",
    "merge.x.driver",
    "merge.aurelius.driver",
    "diff.markdown.textconv",
    "diff.external",
    "remote.origin.uploadpack",
    "remote.origin.receivepack",
    "uploadpack.packObjectsHook",
)


def test_no_program_that_the_repository_names_runs(one: Device, two: Device, trap: Path) -> None:
    for device in (one, two):
        for name in SETTINGS:
            device.git("config", name, str(trap))
        device.git("config", "commit.gpgSign", "true")
        device.git("config", "protocol.ext.allow", "always")
        hooks = device.vault / ".git" / "hooks"
        hooks.mkdir(exist_ok=True)
        for name in HOOKS:
            (hooks / name).symlink_to(trap)
    (one.vault / ".git/info/attributes").write_text("*.md merge=x diff=markdown\n")
    one.write("a.md", "# A\n\n- From one\n")
    two.write("a.md", "# A\n\n- From two\n")
    one.sync("--setup")
    two.sync()
    assert one.sync() == "received 1 note (1 changed); up to date with origin/main"
    assert not trap.with_name("ran").exists()


def test_hooks_of_a_remote_that_is_a_folder_do_not_run(
    one: Device, remote: Path, trap: Path
) -> None:
    for name in ("pre-receive", "update", "post-receive", "post-update", "reference-transaction"):
        (remote / "hooks").mkdir(exist_ok=True)
        (remote / "hooks" / name).symlink_to(trap)
    one.git("config", "core.alternateRefsCommand", str(trap), cwd=remote)
    one.write("a.md", "# A\n")
    assert one.sync() == "sent 1 note (1 new); up to date with origin/main"
    assert not trap.with_name("ran").exists()


@pytest.mark.parametrize(
    "address",
    [
        "ext::sh -c 'touch ran'",
        "fd::17",
        "--upload-pack=touch ran",
        "-oProxyCommand=touch ran",
        "ssh://-oProxyCommand=touch%20ran/x",
        "http://example.org/x.git",
        "ftp://example.org/x.git",
        "testremote::x",
        "",
        "a\nb",
    ],
)
def test_an_address_that_may_run_something_is_not_used(one: Device, address: str) -> None:
    with (one.vault / ".git/config").open("a") as file:
        quoted = address.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
        file.write(f'[remote "bad"]\n\turl = "{quoted}"\n[branch "main"]\n\tremote = bad\n')
    done = one("sync")
    assert done.code == 6
    assert "the address of the remote bad" in done.err
    assert not (one.vault / "ran").exists()


def test_a_remote_inside_the_vault_is_not_used(one: Device) -> None:
    one.git("init", "-q", "--bare", str(one.vault / "inner.git"))
    one.git("remote", "set-url", "origin", "./inner.git")
    done = one("sync")
    assert done.code == 6
    assert "lies inside the vault" in done.err


def _push(device: Device, rows: dict[str, str], mode: str = "100644") -> None:
    """Push a tree with these paths, whatever a work tree could hold."""
    index = {**device.env, "GIT_INDEX_FILE": str(device.home / "index.git")}
    device.env = index
    device.git("read-tree", "HEAD")
    config = ("-c", "core.protectNTFS=false", "-c", "core.protectHFS=false")
    for path, text in rows.items():
        (device.home / "blob").write_text(text)
        blob = device.git("hash-object", "-w", str(device.home / "blob")).strip()
        device.git(*config, "update-index", "--add", "--cacheinfo", f"{mode},{blob},{path}")
    tree = device.git("write-tree").strip()
    commit = device.git("commit-tree", tree, "-p", "HEAD", "-m", "odd").strip()
    device.git("push", "-q", "origin", f"{commit}:refs/heads/main")


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("a\\b.md", "some systems read as another"),
        ("git~1/config", "keeps for itself"),
        (".g\u200cit/config", "keeps for itself"),
        ("bell\x07.md", "some systems read as another"),
        ("me.MD", "differ in case"),
        ("PEOPLE/x.md", "differ in case"),
    ],
)
def test_a_path_that_some_system_reads_otherwise_does_not_come(
    one: Device, two: Device, path: str, why: str
) -> None:
    two.write("people/tom.md", "# Tom\n")
    two.sync()
    one.sync()
    before = one.files()
    _push(two, {path: "x\n"})
    done = one("sync")
    assert done.code == 6
    assert why in done.err
    assert one.files() == before
    assert one.git("rev-parse", "HEAD") != one.git("rev-parse", "origin/main")


def test_a_link_that_comes_is_refused(one: Device, two: Device) -> None:
    _push(two, {"etc.md": "/etc"}, "120000")
    done = one("sync")
    assert done.code == 6
    assert "is a link" in done.err
    assert not os.path.lexists(one.vault / "etc.md")


def test_a_folder_here_that_is_a_link_is_not_written_through(
    one: Device, two: Device, tmp_path: Path
) -> None:
    two.write("deep/a.md", "# A\n")
    two.sync()
    (tmp_path / "elsewhere").mkdir()
    (one.vault / "deep").symlink_to(tmp_path / "elsewhere")
    done = one("sync")
    assert done.code in {2, 6}
    assert not list((tmp_path / "elsewhere").iterdir())


def test_an_ignored_file_here_is_not_written_over(one: Device, two: Device) -> None:
    one.write("own.tmp", "mine\n")
    _push(two, {"own.tmp": "theirs\n"})
    done = one("sync")
    assert done.code == 6
    assert "git ignores the file of that name here" in done.err
    assert one.read("own.tmp") == "mine\n"


def test_a_file_with_a_filter_is_not_sent(one: Device) -> None:
    one.write(".gitattributes", "*.md filter=lfs\n")
    one.write("a.md", "# A\n")
    done = one("sync")
    assert done.code == 6
    assert "runs no filters" in done.err


def test_no_password_is_asked_for(one: Device, trap: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one.git("config", "--global", "core.sshCommand", f"{trap} -x")
    one.git("remote", "set-url", "origin", "ssh://nobody@localhost/x.git")
    one.env |= {"GIT_ASKPASS": "/bin/false", "SSH_ASKPASS": "/bin/false"}
    trap.write_text(
        f'#!/bin/sh\nenv > {trap.parent}/env\necho "$@" > {trap.parent}/words\n'
        'echo "Permission denied (publickey)." >&2\nexit 255\n'
    )
    done = one("sync")
    assert done.code == 6
    assert "origin did not let this device in" in done.err
    assert "BatchMode=yes" in (trap.parent / "words").read_text()
    seen = (trap.parent / "env").read_text().splitlines()
    assert {"GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "GCM_INTERACTIVE=never"} <= {*seen}
