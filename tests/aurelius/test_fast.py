"""The way in without typer: it means what typer means, and it imports next to nothing."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import pytest

from aurelius import cli, fast
from aurelius.command import Context
from aurelius.options import COMMANDS
from indexer.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]

SLOW = {
    "argparse", "asyncio", "click", "dataclasses", "difflib", "email", "filelock", "frontmatter", "hashlib", "inspect",
    "json", "logging", "markdown_it", "model2vec", "numpy", "pathlib", "pathspec", "platformdirs", "rich", "shutil",
    "socket", "sqlite_vec", "subprocess", "tempfile", "textwrap", "tokenizers", "tomllib", "traceback", "typer",
    "urllib", "watchdog", "yaml",
}  # fmt: skip
"""What a search over an unchanged vault never imports."""

PLAIN = [
    ["search", "tea"],
    ["search", "tea", "with", "milk"],
    ["search", "tea", "--limit", "5"],
    ["search", "-n", "5", "tea"],
    ["search", "-n5", "tea"],
    ["search", "--limit=5", "tea", "--mode=keyword"],
    ["search", "--kind", "person", "--kind", "project", "tea", "--json"],
    ["search", "--tag", "a", "--tag=b", "--where", "rating >= 4", "--where", "author", "tea"],
    ["search", "--", "tea", "--json"],
    ["search", "--in", "people", "--since", "last week", "--until=today", "tea", "--explain", "--private"],
    ["search", "--limit", "3", "--limit", "4", "tea"],
    ["search", "tea", "--budget", "200", "--md"],
    ["search", ""],
    ["search", "-", "tea"],
    ["--vault", "x", "search", "tea"],
    ["--vault=x", "--now", "2026-02-10", "search", "tea", "--now", "2026-02-11"],
    ["search", "--vault", "y", "tea"],
    ["get", "people/joe.md:3:2"],
    ["get", "ME.md", "--json"],
    ["show", "Joe Bloggs", "--facts"],
    ["list"],
    ["list", "--sort", "title", "--offset", "3", "--limit", "2", "--type", "decision"],
    ["today", "--path"],
    ["tasks", "--open", "--due", "this week"],
    ["tags"],
    ["links", "Joe"],
    ["open", "Joe:3"],
    ["search", "tea", "--tier", "hot", "--tier=warm", "--archived", "only", "--no-use"],
    ["tiers"],
    ["tiers", "Joe", "--json"],
    ["reinforce", "k3v9qa", "--dry-run"],
    ["demote", "k3v9qa"],
    ["search", "tea", "--as-of", "2025-06-01"],
    ["add", "Likes tea"],
    ["add", "joe", "Likes", "tea", "--type", "preference", "--tag", "a", "--tag=b", "--meta", "k=v", "--pin"],
    ["update", "k3v9qa", "Likes", "tea", "--dry-run"],
    ["supersede", "^k3v9qa", "-", "--because", "of the tea", "--from", "Joe", "--force"],
    ["history", "Joe", "--json"],
    ["archive", "k3v9qa", "--private"],
    ["archive", "--when-over", "100MB"],
    ["move", "Joe", "archives"],
    ["tidy"],
    ["tidy", "Joe", "Ann", "--stamp", "--check"],
    ["maintain", "--all"],
    ["review"],
    ["review", "accept", "2", "--dry-run"],
    ["export", "--sqlite", "all.db"],
    ["summarize"],
    ["summarize", "Joe", "Sarah Lindqvist", "--take-over", "--dry-run"],
    ["new", "person", "Ada", "Lovelace", "--dry-run"],
    ["note", "Met", "Ada", "--json"],
    ["note", "-"],
    ["undo"],
    ["undo", "--list"],
    ["undo", "-n", "3", "--dry-run", "--json"],
    ["init"],
    ["init", "there", "--git", "--adopt"],
    ["index", "--rebuild", "--accept-deletions"],
    ["status", "--json"],
    ["doctor"],
    ["config"],
    ["forget", "people/joe.md"],
    ["daemon", "status", "--json"],
    ["daemon", "install", "--uninstall", "--dry-run"],
]

ODD = [
    [],
    ["--help"],
    ["-h"],
    ["--version"],
    ["serach", "tea"],
    ["search"],
    ["search", "--help"],
    ["search", "tea", "--lmit", "3"],
    ["search", "tea", "--limit"],
    ["search", "tea", "--json=yes"],
    ["search", "--jso", "tea"],
    ["list", "tea"],
    ["get"],
    ["get", "a", "b"],
    ["--json", "search", "tea"],
    ["tags", "-x"],
    ["daemon"],
    ["daemon", "stop", "now"],
    ["--vault"],
]


@pytest.fixture
def typer_args(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[str]], SimpleNamespace]:
    """The args that typer hands to a command."""

    def parse(argv: list[str]) -> SimpleNamespace:
        seen: list[SimpleNamespace] = []

        def execute(run: object, args: SimpleNamespace, context: object) -> int:
            seen.append(args)
            return 0

        monkeypatch.setattr(cli, "execute", execute)
        here = Context(os.sep, {}, tty=False, stdin=io.StringIO(), out=io.StringIO(), err=io.StringIO())
        assert cli.main(argv, here) == 0
        return seen[0]

    return parse


@pytest.mark.parametrize("argv", PLAIN, ids=" ".join)
def test_a_plain_line_means_what_typer_means(
    argv: list[str], typer_args: Callable[[list[str]], SimpleNamespace]
) -> None:
    parsed = fast.parse(argv)
    assert parsed is not None
    assert parsed[1] == typer_args(argv)


def test_every_command_has_a_plain_line() -> None:
    assert {each.name for each in COMMANDS} == {name for argv in PLAIN for name in argv if name in argv[:6]} & {
        each.name for each in COMMANDS
    }


@pytest.mark.parametrize("argv", ODD, ids=" ".join)
def test_an_odd_line_goes_to_typer(argv: list[str]) -> None:
    assert fast.parse(argv) is None


def test_a_word_with_a_dash_is_left_out_of_the_search() -> None:
    """Design §5: `-word` works, quoted or not."""
    parsed = fast.parse(["search", "tea", "-milk", "-n", "3"])
    assert parsed is not None
    assert parsed[1].query == ("tea", "-milk")
    assert parsed[1].limit == 3


def test_a_bad_value_is_refused_without_typer() -> None:
    with pytest.raises(UsageError, match="--limit must be at least 1"):
        fast.parse(["search", "tea", "--limit", "0"])


def imported(*argv: str, env: dict[str, str], cwd: Path) -> set[str]:
    """The modules a run of the command line imports, by -X importtime."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "aurelius", *argv],
        cwd=cwd, env={**env, "PYTHONPATH": str(ROOT)}, capture_output=True, text=True, encoding="utf-8",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    return {
        found[1].strip() for found in re.finditer(r"^import time:\s+\d+ \|\s+\d+ \|(.*)$", done.stderr, re.MULTILINE)
    }


class Settled(NamedTuple):
    """A vault whose index has nothing left to do."""

    vault: Path
    env: dict[str, str]


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Settled:
    """The template with ignore rules, indexed when its files were old enough for their times to prove something."""
    top = tmp_path_factory.mktemp("settled")
    env = {"HOME": str(top), "AURELIUS_INDEX": str(top / "index")}
    imported("init", "vault", env=env, cwd=top)
    time.sleep(2.1)
    imported("index", env=env, cwd=top / "vault")
    return Settled(top / "vault", env)


@pytest.mark.parametrize(
    "argv",
    [
        ("search", "where", "does", "joe", "live"),
        ("search", "--mode", "keyword", "--kind", "person", "--paths", "joe"),
        ("search", "--explain", "--md", "--budget", "500", "joe"),
    ],
    ids=" ".join,
)
def test_a_search_over_an_unchanged_vault_starts_cold(argv: tuple[str, ...], settled: Settled) -> None:
    modules = imported(*argv, env=settled.env, cwd=settled.vault)
    assert "indexer.search" in modules, "otherwise this test sees nothing"
    assert {name for name in modules if name.split(".")[0] in SLOW} == set()


def test_json_costs_only_json(settled: Settled) -> None:
    modules = imported("search", "joe", "--json", env=settled.env, cwd=settled.vault)
    assert {name.split(".")[0] for name in modules} & SLOW == {"json"}


def test_help_loads_no_numpy(settled: Settled) -> None:
    modules = imported("--help", env=settled.env, cwd=settled.vault)
    assert "typer" in modules
    assert {name.split(".")[0] for name in modules} & {"numpy", "model2vec", "markdown_it", "yaml", "apsw"} == set()
