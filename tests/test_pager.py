"""Paging: at a terminal, for what is longer than the screen, by whatever pager the person has; never otherwise."""

from __future__ import annotations

import io
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.cli.declarations import COMMANDS
from aurelius.cli.programs import PAGED, Held, fits, is_wanted, pager_command

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="no terminal to run a command at")

Terminal = Callable[..., Any]
NAMES = [f"n{number:02d}.md" for number in range(30)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "vault" / ".aurelius").mkdir(parents=True)
    for name in NAMES:
        (tmp_path / "vault" / name).write_text("# N\n")
    return tmp_path / "vault"


@pytest.fixture
def pager(tmp_path: Path) -> Callable[..., str]:
    """A pager that writes what it is given into `shown`, and does what is said then."""

    def make(then: str = "", name: str = "my-pager", read: str = "sys.stdin.read()") -> str:
        there = tmp_path / "bin"
        there.mkdir(exist_ok=True)
        script = there / name
        script.write_text(
            f"#!{sys.executable}\nimport os, signal, sys\n"
            f"open({str(tmp_path / 'shown')!r}, 'w').write(' '.join(sys.argv[1:]) + '|' + {read})\n{then}\n"
        )
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
        return str(script)

    return make


def shown(tmp_path: Path) -> str:
    file = tmp_path / "shown"
    return file.read_text() if file.exists() else ""


def plain(seen: str) -> list[str]:
    """The note names in what was seen."""
    return [line.strip() for line in seen.splitlines() if line.strip().endswith(".md")]


def test_what_is_longer_than_the_screen_goes_through_the_pager(
    terminal: Terminal, root: Path, tmp_path: Path, pager: Callable[..., str]
) -> None:
    done = terminal(
        "list", "--paths", cwd=root, AURELIUS_PAGER=f"{pager()} --flag 'a b'", PAGER="false"
    )
    assert (done.code, done.seen) == (0, "")
    assert shown(tmp_path) == "--flag a b|" + "".join(f"{name}\n" for name in NAMES)


@pytest.mark.parametrize(
    ("argv", "more"),
    [
        (["list", "--paths", "-n", "5"], {}),
        (["list", "--paths", "--no-pager"], {}),
        (["--no-pager", "list", "--paths"], {}),
        (["list", "--paths"], {"CI": "true"}),
        (["list", "--paths"], {"TERM": "dumb"}),
        (["list", "--paths"], {"AURELIUS_PAGER": "cat"}),
        (["list", "--paths"], {"AURELIUS_PAGER": ""}),
        (["list", "--json"], {}),
        (["search", "n", "--jsonl"], {}),
    ],
)
def test_these_are_not_paged(
    argv: list[str],
    more: dict[str, str],
    terminal: Terminal,
    root: Path,
    tmp_path: Path,
    pager: Callable[..., str],
) -> None:
    done = terminal(*argv, cwd=root, **{"PAGER": pager(), **more})
    assert done.code == 0
    assert shown(tmp_path) == ""
    assert "n00.md" in done.seen


def test_a_line_that_the_terminal_breaks_counts_as_several(
    terminal: Terminal, root: Path, tmp_path: Path, pager: Callable[..., str]
) -> None:
    (root / "wide.md").write_text("漢" * 45 * 8)
    assert terminal("get", "wide.md", cwd=root, PAGER=pager()).code == 0
    assert shown(tmp_path) == ""
    (root / "wide.md").write_text("漢" * 45 * 9)
    assert terminal("get", "wide.md", cwd=root, PAGER=pager()).code == 0
    assert shown(tmp_path)


@pytest.mark.parametrize(
    "command",
    ["no-such-pager", "sh -c 'exit 3'", "sh -c 'cat > /dev/null; exit 1'", "sh -c 'kill -9 $$'"],
)
def test_nothing_is_lost_with_a_pager_that_fails(
    command: str, terminal: Terminal, root: Path
) -> None:
    done = terminal("list", "--paths", cwd=root, PAGER=command)
    assert done.code == 0
    assert plain(done.seen) == NAMES


def test_a_pager_that_is_left_early_ends_quietly(
    terminal: Terminal, root: Path, tmp_path: Path
) -> None:
    (root / "long.md").write_text("line\n" * 300_000)
    done = terminal("get", "long.md", cwd=root, PAGER="head -1")
    assert (done.code, done.seen) == (0, "line\r\n")


def test_ctrl_c_in_the_pager_ends_quietly(
    terminal: Terminal, root: Path, pager: Callable[..., str]
) -> None:
    then = "print('ready', flush=True); signal.pause()"
    done = terminal("list", "--paths", cwd=root, PAGER=pager(then), typed=[("ready", "\x03")])
    assert done.code == 0
    assert "Error" not in done.seen.replace("KeyboardInterrupt", ""), "no traceback of ours"
    assert plain(done.seen) == []


def test_an_exit_code_is_kept_through_the_pager(
    terminal: Terminal, root: Path, tmp_path: Path, pager: Callable[..., str]
) -> None:
    for name in NAMES:
        (root / name).write_text("# N\n\n## Facts\n- A is b ^same01\n- A is c ^same01\n")
    assert terminal("doctor", "--tidy", "--check", cwd=root, PAGER=pager()).code == 1
    assert shown(tmp_path).count("\n") >= len(NAMES)


def test_help_is_paged(
    terminal: Terminal, root: Path, tmp_path: Path, pager: Callable[..., str]
) -> None:
    assert terminal("search", "--help", cwd=root, PAGER=pager()).code == 0
    assert shown(tmp_path).startswith("|Usage: aurelius search")


def test_a_daemons_answer_is_paged_here(
    terminal: Terminal, root: Path, tmp_path: Path, env: dict[str, str], pager: Callable[..., str]
) -> None:
    from aurelius.daemon.client import Answer
    from aurelius.daemon.server import Request, Server
    from aurelius.settings import places

    asked: list[Request] = []

    def answer(request: Request) -> Answer:
        asked.append(request)
        return Answer(0, b"from the daemon\n" * 30, b"beside it\n")

    server = Server(places.socket_path(places.daemon_folder(str(root), env)), answer)
    try:
        done = terminal("list", cwd=root, PAGER=pager(), alone=False, columns=77)
    finally:
        server.close()
    assert (done.code, done.seen) == (0, "beside it\r\n")
    assert shown(tmp_path) == "|" + "from the daemon\n" * 30
    assert asked[0].env["COLUMNS"] == "77", "a daemon cannot see how wide the terminal is"


# -- which pager -----------------------------------------------------------------------------------------


def test_the_persons_pager_goes_before_less(pager: Callable[..., str]) -> None:
    path = os.path.dirname(pager(name="less"))
    assert pager_command({"PATH": path}) == ["less", "-FRX"]
    assert pager_command({"PATH": path, "PAGER": "more -d"}) == ["more", "-d"]
    assert pager_command({"PATH": path, "PAGER": "more", "AURELIUS_PAGER": "most"}) == ["most"]
    assert pager_command({"PATH": path, "PAGER": "more", "AURELIUS_PAGER": ""}) == []
    assert pager_command({"PATH": path, "PAGER": "cat"}) == []
    assert pager_command({"PATH": path, "PAGER": '"open'}) == []
    assert pager_command({"PATH": "/none"}) == []


def test_only_what_answers_once_is_paged() -> None:
    assert COMMANDS.keys() > PAGED
    here = {"TERM": "xterm", "PAGER": "more"}
    assert not any(is_wanted([name], here) for name in ("open", "rm", "daemon", "init", "index"))
    assert is_wanted(["daemon", "--help"], here)
    assert is_wanted(["search", "--", "--json"], here)
    assert not is_wanted(["search", "x", "--json"], here)


def test_a_stream_without_a_screen_is_never_full() -> None:
    assert fits("line\n" * 1000, io.StringIO())
    assert not Held(io.StringIO()).isatty()
