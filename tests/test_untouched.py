"""No command here changes a byte, a name, a mode or a time of anything in the vault, its usage log apart."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.cli.declarations import COMMANDS
from tests.daily import WHOLE

VAULTS = ["template", "links", "superseded", "broken", "unicode", "tasks", "private", "where"]

LINES = [
    ["index"],
    ["index", "--rebuild"],
    ["index", "--accept-deletions"],
    ["search", "where does the engine live", "--explain"],
    ["search", "a", "--mode", "keyword", "--status", "all", "--private"],
    ["search", "b", "--mode", "vector", "--md"],
    ["search", "c", "--jsonl", "--fusion", "rrf"],
    ["search", "nothing like this", "--budget", "10"],
    ["get", "{note}"],
    ["get", "{note}:1:2", "--json"],
    ["show", "{note}", "--facts", "--private"],
    ["show", "{note}", "--json"],
    ["list"],
    ["list", "--type", "fact", "--sort", "date"],
    ["today"],
    ["days"],
    ["today", "--path"],
    ["tasks", "--open"],
    ["tags"],
    ["status", "--tiers"],
    ["reinforce", "k3v9qa"],
    ["demote", "k3v9qa"],
    ["status", "--tiers", "{note}"],
    ["search", "d", "--tier", "cold", "--archived", "no", "--no-use"],
    ["links", "{note}"],
    ["graph", "{note}", "--depth", "2"],
    ["recall", "what", "is", "it?"],
    ["chat"],
    ["chat", "where does the engine live"],
    ["context"],
    ["context", "what is it?", "--hook", "--budget", "300"],
    ["context", "what is it?", "--format", "layer"],
    ["hook", "status"],
    ["hook", "prompt"],
    ["mcp"],
    ["memory-tool"],
    ["lsp"],
    ["serve", "--port", "80"],
    ["tool", '{{"action": "index"}}'],
    ["tool", '{{"action": "search", "query": "tea", "limit": 500}}'],
    ["tool", '{{"action": "update", "id": "bake01", "content": ""}}'],
    ["install"],
    ["install", "claude-code"],
    ["uninstall", "claude-code"],
    ["agents"],
    ["open", "{note}:2"],
    ["status"],
    ["status", "--json"],
    ["doctor"],
    ["config"],
    ["config", "set", "git.commit", "true"],
    ["config", "set", "search.limit", "many"],
    ["new", "person", "Zoe", "--dry-run"],
    ["note", "a line", "--dry-run"],
    ["search", "e", "--as-of", "2025-06-01", "--no-use"],
    ["add", "a fact", "--dry-run"],
    ["add", "{note}", "a fact", "--type", "decision", "--updates", "bake01", "--dry-run"],
    ["update", "bake01", "Bakes", "--dry-run"],
    ["supersede", "bake01", "Paints", "--dry-run"],
    ["history", "bake01"],
    ["history", "{note}"],
    ["archive", "bake01", "--dry-run"],
    ["archive", "{note}", "--dry-run"],
    ["rm", "{note}", "--dry-run"],
    ["archive", "--when-over", "1KB", "--dry-run"],
    ["move", "{note}", "elsewhere/there", "--dry-run", "--private"],
    ["doctor", "--tidy", "--stamp", "--dry-run", "--private"],
    ["doctor", "--tidy", "--check", "--stamp"],
    ["status", "--ageing", "--all"],
    ["export", "--json"],
    ["export", "--md", "--private"],
    ["summarize", "--dry-run"],
    ["summarize", "--all", "--take-over", "--private", "--dry-run", "--now", "2026-02-01"],
    ["review", "--since", "2026-02-01"],
    ["review"],
    ["review", "accept", "1", "--dry-run"],
    ["undo"],
    ["undo", "--list"],
    ["init"],
    ["init", "--adopt"],
    ["help"],
    ["help", "search"],
    ["maintain", "--all"],
    ["import", ".", "--dry-run"],
    ["sync", "--dry-run"],
    ["daemon", "status"],
    ["daemon", "stop"],
    ["daemon", "install"],
    ["daemon", "install", "--uninstall", "--yes"],
    ["search", "--no-such-option"],
    ["get", "nobody"],
]
WRITERS = {"init", "forget", "merge-file"}
"""What may write: init where there is no vault yet, forget the one line of .aureliusignore (tested below), and
merge-file the file that git names."""


def state(vault: Path) -> dict[str, tuple[object, ...]]:
    """Everything a file is: its bytes, mode, times, inode; folders as well, access times and the usage log aside."""
    found: dict[str, tuple[object, ...]] = {}
    ours = vault / ".aurelius"
    for path in sorted([vault, *vault.rglob("*")]):
        if path == ours or ours / "log" in (path, *path.parents):
            continue
        stat = path.lstat()
        data = hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""
        key = path.relative_to(vault).as_posix()
        found[key] = (
            data,
            stat.st_mode,
            stat.st_size,
            stat.st_mtime_ns,
            stat.st_ctime_ns,
            stat.st_ino,
        )
    return found


def lines_of_today(name: str) -> list[list[str]]:
    """Every line in the first vault, half of them in another one; each has its other half in the next."""
    number = VAULTS.index(name)
    return LINES if WHOLE or number == 0 else LINES[number % 2 :: 2]


def test_every_command_is_looked_at() -> None:
    assert {line[0] for line in LINES} | WRITERS == set(COMMANDS)


@pytest.mark.parametrize("name", VAULTS)
def test_no_command_touches_the_vault(
    name: str, aurelius: Callable[..., Any], vault: Callable[[str], Path], env: dict[str, str]
) -> None:
    there = vault(name)
    env["EDITOR"] = "true"
    note = next(
        path
        for path in sorted(there.rglob("*.md"))
        if "secret" not in path.parts and path.name != "diary.md"
    )
    (there / "questions.tsv").write_text(
        f"what is in it?\t{note.relative_to(there).as_posix()}\n", "utf-8"
    )
    for path in there.rglob("*"):
        os.utime(path, ns=(1_700_000_000_000_000_000, 1_700_000_000_123_456_789))
    before = state(there)
    for line in lines_of_today(name):
        done = aurelius(
            *(word.format(note=note.relative_to(there).as_posix()) for word in line), cwd=there
        )
        assert done.code in {0, 1, 2, 5, 6}, (line, done.err)
        assert state(there) == before, line


def test_rewriting_a_note_with_the_same_bytes_is_noticed(vault: Callable[[str], Path]) -> None:
    there = vault("links")
    before = state(there)
    note = there / "people" / "ada.md"
    note.write_bytes(note.read_bytes())
    assert state(there) != before


def test_forget_adds_one_line_to_one_file(
    aurelius: Callable[..., Any], vault: Callable[[str], Path]
) -> None:
    there = vault("private")
    before = state(there)
    rules = (there / ".aureliusignore").read_text("utf-8")
    assert aurelius("forget", "open.md", cwd=there).code == 0
    after = state(there)
    assert {path for path in after if after[path] != before.get(path)} <= {".aureliusignore"}
    assert (there / ".aureliusignore").read_text("utf-8") == rules + "/open.md\n"
    assert aurelius("forget", "open.md", cwd=there).code == 0
    assert state(there) == after
