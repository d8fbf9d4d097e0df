"""A vault that came from somebody else brings its own git settings along: none of what they name is ever run."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]

HOOKS = (
    "pre-commit",
    "commit-msg",
    "post-commit",
    "prepare-commit-msg",
    "pre-merge-commit",
    "post-index-change",
    "reference-transaction",
    "pre-auto-gc",
    "post-rewrite",
    "post-checkout",
    "post-merge",
    "pre-push",
    "update",
    "fsmonitor-watchman",
    "sendemail-validate",
    "push-to-checkout",
)

PLANTED = {
    "core.fsmonitor": "{}",
    "filter.x.clean": "{}",
    "filter.x.smudge": "{}",
    "filter.x.process": "{}",
    "filter.x.required": "true",
    "diff.external": "{}",
    "diff.x.textconv": "{}",
    "diff.x.command": "{}",
    "commit.gpgSign": "true",
    "gpg.program": "{}",
    "core.pager": "{}",
    "pager.status": "{}",
    "core.editor": "{}",
    "sequence.editor": "{}",
    "core.sshCommand": "{}",
    "credential.helper": "!{}",
    "core.askPass": "{}",
    "merge.x.driver": "{}",
    "trailer.x.command": "{}",
    "uploadpack.packObjectsHook": "{}",
    "core.gitProxy": "{}",
    "core.alternateRefsCommand": "{}",
    "interactive.diffFilter": "{}",
    "hook.x.command": "{}",
    "protocol.allow": "always",
    "protocol.ext.allow": "always",
    "protocol.file.allow": "always",
    "remote.origin.url": "ext::{}",
    "remote.origin.uploadpack": "{}",
    "remote.origin.promisor": "true",
}
"""Settings of a repository that can name a program, and those that let one be reached."""

ALIASED = (
    "rev-parse",
    "symbolic-ref",
    "ls-tree",
    "ls-files",
    "hash-object",
    "read-tree",
    "update-index",
    "write-tree",
    "commit-tree",
    "update-ref",
    "var",
    "config",
    "check-ignore",
    "check-attr",
    "cat-file",
    "status",
)

COMMANDS = [
    ["note", "a line"],
    ["add", "people/joe-bloggs", "Keeps bees"],
    ["supersede", "^{fact}", "Keeps wasps"],
    ["undo"],
    ["update", "^{fact}", "Keeps many bees"],
    ["archive", "^{fact}"],
    ["move", "people/sarah", "people/sarah-lee"],
    ["summarize", "people/joe-bloggs"],
    ["new", "person", "Zoe"],
    ["doctor", "--tidy", "--stamp"],
    ["undo"],
    ["status"],
    ["doctor"],
    ["search", "joe"],
    ["review"],
    ["status", "--tiers"],
]


class Trap:
    """A vault under git whose settings name programs that would each leave their name in a file."""

    def __init__(self, root: Path, aside: Path, env: dict[str, str]) -> None:
        self.root = root
        self.ran = aside / "ran"
        self.programs = aside / "programs"
        self.programs.mkdir()
        self.env = env
        shutil.rmtree(root / ".git", ignore_errors=True)
        self.git("init", "-q", "-b", "main")
        for key, value in {"user.name": "Joe", "user.email": "joe@example.org"}.items():
            self.git("config", key, value)
        for path in root.rglob("*.md"):
            os.utime(path, (1893456000, 1893456000))  # each as young as the index, for ever
        self.git("config", "core.checkStat", "minimal")
        self.git("config", "core.trustctime", "false")
        self.git("add", "-A")
        self.git("commit", "-qm", "first")

    def git(self, *words: str) -> str:
        env = {**self.env, "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *words], cwd=self.root, env=env, capture_output=True, text=True, check=True
        )
        return done.stdout.rstrip("\n")

    def program(self, name: str) -> Path:
        made = self.programs / re.sub(r"\W", "-", name)
        made.write_text(f"#!/bin/sh\necho '{name}' >> '{self.ran}'\ncat\n")
        made.chmod(0o755)
        return made

    def plant(self, where: str = "--local") -> None:
        """Everything at once; nothing that Aurelius runs may be told of it."""
        folder = Path(self.git("rev-parse", "--absolute-git-dir"))
        common = (self.root / self.git("rev-parse", "--git-common-dir")).resolve()
        for hooks in (common / "hooks", self.programs / "hooks"):
            hooks.mkdir(exist_ok=True)
            for hook in HOOKS:
                shutil.copy(self.program(f"hook {hook}"), hooks / hook)
        for at in {folder, common}:
            (at / "info").mkdir(exist_ok=True)
            (at / "info" / "attributes").write_text("*.md filter=x diff=x merge=x\n")
        included = self.programs / "included"
        rows = [(key, value.format(self.program(key))) for key, value in PLANTED.items()]
        rows += [(f"alias.{name}", f"!{self.program('alias ' + name)}") for name in ALIASED]
        rows += [("core.hooksPath", str(self.programs / "hooks")), ("include.path", str(included))]
        rows += [
            ("hook.x.event", event) for event in ("reference-transaction", "post-index-change")
        ]
        rows.append(("core.attributesFile", str(common / "info" / "attributes")))
        for key, value in rows:
            self.git("config", where, "--add", key, value)
        included.write_text(f'[filter "y"]\n\tclean = {self.program("included")}\n')

    def programs_run(self) -> list[str]:
        return sorted(set(self.ran.read_text().splitlines())) if self.ran.exists() else []


@pytest.fixture
def trap(vault: Vaults, tmp_path: Path, env: dict[str, str]) -> Trap:
    own = Path(env["HOME"], ".config", "aurelius", "config.toml")
    own.parent.mkdir(parents=True)
    own.write_text("[git]\ncommit = true\n")
    return Trap(vault("template"), tmp_path, env)


def write(aurelius: Aurelius, root: Path) -> None:
    """Every command that writes, and some that read."""
    fact = ""
    for words in COMMANDS:
        done = aurelius(*(word.format(fact=fact) for word in words), cwd=root)
        assert done.code in {0, 1}, (words, done)
        if words[0] == "add":
            fact = re.search(r"\[id:(\w+)\]", done.out)[1]  # type: ignore[index]  # else it fails here


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes with a name")
@pytest.mark.parametrize(
    ("name", "device", "says"),
    [
        (".git/logs/HEAD", "", "logs/HEAD in git's folder is not a regular file"),
        (".git/config", "", "config in git's folder is not a regular file"),
        (".git/sharedindex.aa", "/dev/zero", "sharedindex.aa in git's folder is a link"),
        ("people/.gitattributes", "", "people/.gitattributes is not a regular file"),
    ],
)
def test_a_downloaded_git_folder_makes_no_command_wait_and_fills_no_disk(
    trap: Trap, name: str, device: str, says: str
) -> None:
    """In processes of their own, so that one that waits fails this test and nothing else."""
    at = trap.root / name
    at.unlink(missing_ok=True)
    if device:
        at.symlink_to(device)
    else:
        os.mkfifo(at)
    for person in ("Zoe", "Ann Lee"):
        words = [sys.executable, "-m", "aurelius", "new", "person", person]
        env = {**trap.env, "PYTHONPATH": str(ROOT)}
        output = subprocess.PIPE
        done = subprocess.Popen(
            words, cwd=trap.root, env=env, stderr=output, text=True, start_new_session=True
        )
        try:
            told = done.communicate(timeout=25)[1]
        except subprocess.TimeoutExpired:
            os.killpg(done.pid, signal.SIGKILL)  # it, and the git it waits for
            pytest.fail("it waits, or reads without an end")
        assert (done.returncode, told) == (0, f"aurelius: written, but not committed: {says}\n")
    assert len(list((trap.root / "people").glob("[za][on][en]*.md"))) == 2
    assert not list(Path(trap.env["HOME"]).rglob("vaults/*/git"))


def test_no_program_that_a_downloaded_vault_names_is_run(trap: Trap, aurelius: Aurelius) -> None:
    trap.plant()
    write(aurelius, trap.root)
    assert trap.programs_run() == []
    assert (
        len((trap.root / ".git" / "logs" / "HEAD").read_text().splitlines()) > 5
    )  # commits were made all the same
    subprocess.run(
        ["git", "commit", "-qam", "by hand"], cwd=trap.root, env=trap.env, capture_output=True
    )
    assert trap.programs_run()  # what was planted would have been run


def test_no_program_of_a_worktree_config_is_run(trap: Trap, aurelius: Aurelius) -> None:
    trap.git("config", "extensions.worktreeConfig", "true")
    trap.plant("--worktree")
    write(aurelius, trap.root)
    assert trap.programs_run() == []


def test_no_program_is_run_in_a_linked_worktree(
    trap: Trap, aurelius: Aurelius, tmp_path: Path
) -> None:
    trap.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    trap.plant()
    write(aurelius, tmp_path / "side")
    assert trap.programs_run() == []


def test_no_program_is_run_to_fetch_what_a_partial_clone_lacks(
    trap: Trap, aurelius: Aurelius
) -> None:
    tree = trap.git("rev-parse", "HEAD^{tree}")
    trap.git("config", "core.repositoryFormatVersion", "1")
    trap.git("config", "extensions.partialClone", "origin")
    trap.plant()
    (trap.root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    assert aurelius("note", "a line", cwd=trap.root).code == 0
    assert trap.programs_run() == []


def test_no_filter_is_run_for_notes_as_young_as_the_index(trap: Trap, aurelius: Aurelius) -> None:
    """As with git-lfs and git-crypt, whose filters belong to the person."""
    (trap.root / ".gitattributes").write_text("*.md filter=x\n")
    trap.git("config", "filter.x.clean", str(trap.program("filter.x.clean")))
    trap.git("add", "-A")
    trap.git("commit", "-qm", "filtered")
    trap.ran.unlink(missing_ok=True)
    assert aurelius("add", "people/joe-bloggs", "Keeps bees", cwd=trap.root).code == 0
    assert trap.programs_run() == []
