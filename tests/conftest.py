"""Fixtures for every layer: copies of vaults, and a way to run commands inside the test's own process."""

from __future__ import annotations

import datetime
import gc
import io
import os
import random
import secrets
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import hypothesis
import pytest

from aurelius.__main__ import run_line
from aurelius.cli.run import Context
from tests.daily import daily

ROOT = Path(__file__).resolve().parents[1]
TODAY = datetime.datetime(2026, 2, 10, 12)


class Done(NamedTuple):
    """What a command did."""

    code: int
    out: str
    err: str


Aurelius = Callable[..., Done]

hypothesis.settings.register_profile(
    "untimed", deadline=None, max_examples=daily(40, 100)
)  # no test asserts a time
hypothesis.settings.load_profile("untimed")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update", action="store_true", help="write what transcripts print into their files"
    )
    parser.addoption(
        "--browser", action="store_true", help="run the tests that need Chromium as well"
    )


LONG = """
storms/test_daemon_killed.py
storms/test_folders.py
storms/test_root.py
test_pages_hostile.py
test_sessions.py
storms/test_hooks.py
test_injection_cases.py
test_transcripts.py
indexer/reading/test_parse.py
aurelius/web/test_actions.py
storms/test_savers.py
storms/test_six_ways.py
storms/test_damaged_pages.py
storms/test_full.py
storms/test_person_edits.py
storms/test_append_savers.py
aurelius/daemon/test_jobs.py
aurelius/daemon/test_loop.py
test_crawled.py
test_model_at_work.py
test_chat_terminal.py
test_chat_injection.py
aurelius/cli/commands/test_agents.py
aurelius/web/test_render.py
test_untouched.py
test_sizes.py
test_unwritable.py
test_private_names.py
test_canary.py
aurelius/writing/test_git.py
indexer/live/test_memory_lists.py
indexer/refresh/test_verify.py
test_walks.py
test_prove.py
test_properties.py
test_downloaded_vault.py
test_doors_same_hits.py
storms/test_hostile.py
storms/test_kill.py
test_log_counts.py
test_newer_cases.py
test_days_cases.py
test_conversation_cases.py
test_density.py
test_ageing.py
""".split()
"""Files of tests that take longest: they begin first, so that no process works alone at the end."""


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    ranks = {ROOT / "tests" / path: rank for rank, path in enumerate(LONG)}
    items.sort(key=lambda item: ranks.get(item.path, len(ranks)))


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    """Nothing of what was imported and collected goes away: no test need look through it for garbage."""
    gc.collect()
    gc.freeze()


UNTOLD = pytest.StashKey[list[str]]()


@pytest.fixture(scope="session")
def untold(request: pytest.FixtureRequest) -> list[str]:
    """What could not be run here and why, a line each: told at the end of the run."""
    return request.config.stash.setdefault(UNTOLD, [])


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Where tests run in several processes, each hands what it has to tell to the one that prints."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output["untold"] = session.config.stash.get(UNTOLD, [])


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash.setdefault(UNTOLD, []).extend(
        getattr(node, "workeroutput", {}).get("untold", [])
    )


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    for line in config.stash.get(UNTOLD, []):
        terminalreporter.write_line(line)


@pytest.fixture
def dice() -> random.Random:
    """Chances that are new each time.  A test that fails shows the seed, and
    `AURELIUS_SEED=… scripts/test -k NAME` repeats it."""
    seed = os.environ.get("AURELIUS_SEED") or secrets.token_hex(4)
    sys.stdout.write(f"to repeat: AURELIUS_SEED={seed}\n")
    return random.Random(seed)


@pytest.fixture
def update(request: pytest.FixtureRequest) -> bool:
    return bool(request.config.getoption("--update"))


@pytest.fixture
def vault(tmp_path: Path) -> Callable[[str], Path]:
    """Copies a vault of tests/vaults, or `template`, into a folder of the test's own."""

    def copy(name: str) -> Path:
        source = ROOT / "vault_template" if name == "template" else ROOT / "tests" / "vaults" / name
        there = tmp_path / "vaults" / name
        shutil.copytree(source, there, symlinks=True)
        (there / ".aurelius").mkdir(exist_ok=True)
        return there

    return copy


@pytest.fixture
def env(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """An environment that knows nothing of the person who runs the tests, and leaves nothing behind."""
    home, temporary = tmp_path / "home", tmp_path / "temporary"
    home.mkdir()
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    return {
        "HOME": str(home),
        "AURELIUS_INDEX": str(tmp_path / "index"),
        "TMPDIR": str(temporary),
        "PATH": os.environ.get("PATH", ""),
    }


if hasattr(os, "fork"):

    @pytest.fixture
    def as_nobody() -> Callable[[Callable[[], None]], None]:
        """Does something in a child without a superuser's rights; what it needs has to be imported before."""

        def run(act: Callable[[], None]) -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # threads of numpy's that do nothing here
                child = os.fork()
            if not child:
                try:
                    if os.getuid() == 0:
                        os.setgroups([])
                        os.setgid(65534)
                        os.setuid(65534)
                    act()
                    os._exit(0)
                except BaseException:  # noqa: BLE001  # the parent has to hear of it
                    traceback.print_exc()
                    os._exit(1)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0

        return run


@pytest.fixture
def aurelius(env: dict[str, str]) -> Aurelius:
    """Runs a command line as `aurelius` would, in this process: aurelius("search", "tea", cwd=path)."""

    def run(
        *argv: str,
        cwd: Path | None = None,
        tty: bool = False,
        now: datetime.datetime | None = TODAY,
        stdin: str = "",
    ) -> Done:
        out, err = io.StringIO(), io.StringIO()
        code = run_line(
            argv, Context(str(cwd or env["HOME"]), env, tty, io.StringIO(stdin), out, err, now)
        )
        return Done(code, out.getvalue(), err.getvalue())

    return run


class Screen(NamedTuple):
    """What somebody at a terminal saw of a command, and its exit code."""

    code: int
    seen: str


if hasattr(os, "fork"):

    @pytest.fixture
    def terminal(env: dict[str, str]) -> Callable[..., Screen]:
        """Runs `aurelius` at a terminal of its own and types: terminal("rm", "a", cwd=path, typed=[("[y/N]", "y")])."""
        import pty

        def run(
            *argv: str,
            cwd: Path,
            typed: Sequence[tuple[str, str]] = (),
            rows: int = 10,
            columns: int = 80,
            alone: bool = True,
            out: Path | None = None,
            **more: str,
        ) -> Screen:
            code = (
                f"import fcntl, os, struct, sys, termios; os.chdir({str(cwd)!r});"
                f"fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack('HHHH', {rows}, {columns}, 0, 0));"
                + (
                    f"os.dup2(os.open({str(out)!r}, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), 1);"
                    if out
                    else ""
                )
                + f"sys.argv = {['aurelius', *argv]!r}; from aurelius.daemon import client;"
                "client.CONNECT = client.SILENCE = 10; from aurelius.__main__ import main; main()"
            )
            told = {
                "AURELIUS_NOW": TODAY.isoformat(),
                "PYTHONPATH": str(ROOT),
                "TERM": "xterm",
                **env,
                **more,
            }
            told |= {"AURELIUS_NO_DAEMON": "1"} if alone else {}
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # as above
                child, handle = pty.fork()
            if not child:
                os.execve(sys.executable, [sys.executable, "-c", code], told)
            return _watched(child, handle, typed)

        return run


def _watched(child: int, handle: int, typed: Sequence[tuple[str, str]]) -> Screen:
    """Type each text once what it waits for is seen, and see the rest; what says nothing for two minutes is ended."""
    seen, place, waiting = b"", 0, list(typed)
    while True:
        while waiting and (at := seen.find(waiting[0][0].encode(), place)) >= 0:
            place = at + len(waiting[0][0].encode())
            keys = waiting.pop(0)[1]
            if "\x03" in keys:
                time.sleep(0.2)  # until whoever showed that waits for keys: no person is as quick
            os.write(handle, keys.encode())
        if not select.select([handle], [], [], 120)[0]:
            os.kill(child, signal.SIGKILL)
        try:
            data = os.read(handle, 1 << 16)
        except OSError:  # the terminal was closed
            data = b""
        if not data:
            break
        seen += data
    os.close(handle)
    return Screen(
        os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), seen.decode("utf-8", "replace")
    )


@pytest.fixture(autouse=True)
def unflushed(monkeypatch: pytest.MonkeyPatch) -> None:
    """No power fails here: nobody waits for the disk, though what is to be flushed has to be open."""

    def flush(file: Any) -> None:
        os.fstat(file if isinstance(file, int) else file.fileno())

    monkeypatch.setattr(os, "fsync", flush)


@pytest.fixture(autouse=True)
def settled(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """A note that a test has just written counts as settled, but in tests of that very wait."""
    if "unsettled" not in request.keywords:
        monkeypatch.setattr("aurelius.writing.other_programs.SECONDS_SETTLED", 0.0)
        monkeypatch.setattr("aurelius.writing.other_programs.SHRUNK", 0.0)
