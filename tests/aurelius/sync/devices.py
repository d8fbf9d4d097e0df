"""Devices that meet in one folder: each with a home, a state and a clone of its own."""

from __future__ import annotations

import datetime
import io
import os
import subprocess
from pathlib import Path

from aurelius.__main__ import run_line
from aurelius.cli.run import Context
from tests.conftest import TODAY, Done


class Device:
    """A home with a clone of the vault; `aurelius` and git run there as if nothing else were."""

    def __init__(self, base: Path, name: str, remote: Path | None = None) -> None:
        self.name, self.home = name, base / name
        self.vault = self.home / "vault"
        self.home.mkdir(parents=True)
        self.now = TODAY
        self.saves = 0
        self.env = {
            "HOME": str(self.home),
            "TMPDIR": str(base),
            "PATH": os.environ["PATH"],
            "XDG_STATE_HOME": str(self.home / "state"),
            "AURELIUS_INDEX": str(self.home / "index"),
        }
        config = f"[user]\n\tname = {name}\n\temail = {name}@example.org\n"
        (self.home / ".gitconfig").write_text(config + "[init]\n\tdefaultBranch = main\n")
        state = self.home / "state" / "aurelius"
        state.mkdir(parents=True)
        (state / "device").write_text(f"{name}-0001\n")
        if remote is not None:
            self.git("clone", "-q", str(remote), str(self.vault), cwd=self.home)

    def __call__(self, *argv: str, stdin: str = "", tty: bool = False) -> Done:
        """Run a command line of ours in the vault."""
        out, err = io.StringIO(), io.StringIO()
        place = Context(str(self.vault), self.env, tty, io.StringIO(stdin), out, err, self.now)
        code = run_line(argv, place)
        return Done(code, out.getvalue(), err.getvalue())

    def sync(self, *more: str) -> str:
        """Sync, and what its last line says."""
        done = self("sync", *more)
        assert done.code == 0, done.out + done.err
        return done.out.splitlines()[-1]

    def git(self, *words: str, cwd: Path | None = None, fails: bool = False) -> str:
        """What plain git prints."""
        done = subprocess.run(
            ["git", *words],
            cwd=cwd or self.vault,
            env={**self.env, "GIT_EDITOR": "true"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert fails or not done.returncode, done.stdout + done.stderr
        return done.stdout

    def write(self, path: str, text: str) -> None:
        """Save a note as an editor does."""
        file = self.vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        self.saves += 1
        # saved a while ago, so that nobody waits for an editor, and no two in one second
        old = file.stat().st_mtime - 60 - self.saves
        os.utime(file, (old, old))

    def read(self, path: str) -> str:
        """The text of a note."""
        return (self.vault / path).read_text()

    def files(self) -> dict[str, bytes]:
        """Everything that git shares, by path."""
        listed = self.git("ls-files", "-z", "--cached", "--others", "--exclude-standard")
        paths = [path for path in listed.split("\0") if path and (self.vault / path).exists()]
        return {path: (self.vault / path).read_bytes() for path in paths}

    def later(self, **delta: float) -> None:
        """Move the device's clock on."""
        self.now += datetime.timedelta(**delta)


def meeting_place(base: Path) -> Path:
    """An empty repository that devices can send to."""
    remote = base / "remote.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", str(remote)], check=True)
    return remote


def first_device(base: Path, remote: Path, name: str = "one") -> Device:
    """A device that has sent a small vault to the remote."""
    device = Device(base, name)
    device.vault.mkdir()
    assert device("init", "--empty", "--git", ".").code == 0
    device.git("branch", "-M", "main")
    device.git("remote", "add", "origin", str(remote))
    device.sync()
    return device
