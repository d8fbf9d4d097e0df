"""`aurelius daemon` and its log."""

from __future__ import annotations

import io
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aurelius import __version__
from aurelius.__main__ import run_line
from aurelius.cli.commands import daemon as daemon_log
from aurelius.cli.commands.daemon import Journal
from aurelius.cli.run import Context
from aurelius.daemon import client, control, install, loop
from aurelius.daemon.loop import DaemonState, lock_holder
from aurelius.settings.places import daemon_folder

NOBODY = 99_999_999
"""A pid that no process has."""
ROOT = Path(__file__).resolve().parents[4]
STATE = DaemonState(
    pid=NOBODY,
    version=__version__,
    vault="notes",
    since=1000.0,
    beat=4600.0,
    watching="native",
    why="",
    folders=12,
    unwatched=0,
    backlog=0,
    last_scan=4590.0,
    scan_seconds=0.25,
    next_scan=4650.0,
    notes=14,
    generation=3,
    fresh=True,
    failed=0,
    held=0,
    passes=7,
    served=5,
    memory=64_000_000,
    log="log",
    socket="socket",
    paused="",
)

CONSENT = "aurelius daemon start --yes --vault"
Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def there(vault: Vaults, env: dict[str, str]) -> Iterator[Path]:
    """A vault whose daemon, if there is one, is ended after the test."""
    place = vault("template")
    yield place
    pid = lock_holder(
        daemon_folder(str(place), env)
    )  # the real one, whatever the test put in its place
    if pid:
        os.kill(pid, signal.SIGKILL)


@pytest.fixture
def shell(env: dict[str, str]) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Runs a command line in a process of its own, as a person does: what it leaves running is no child of ours."""

    def run(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", "aurelius", *words],
            cwd=cwd,
            env={**env, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            encoding="utf-8",
            timeout=60,
        )

    return run


def pretend(monkeypatch: pytest.MonkeyPatch, holder: int | None, state: DaemonState | None) -> None:
    """A daemon that holds the lock and tells this, or nothing."""
    monkeypatch.setattr(loop, "lock_holder", lambda _: holder)
    answer = None if state is None else json.dumps(state._asdict()).encode()
    monkeypatch.setattr(client, "control_daemon", lambda *_: answer)
    monkeypatch.setattr(control, "SECONDS_TO_ANSWER", 0)
    monkeypatch.setattr("time.time", lambda: 4601.0)


# A life


def test_a_daemon_is_started_asked_and_stopped(
    there: Path,
    shell: Callable[..., subprocess.CompletedProcess[str]],
    aurelius: Aurelius,
    env: dict[str, str],
) -> None:
    started = shell("daemon", "start", cwd=there)
    why = "turned on in the vault's settings, but not allowed on this device"
    asked = f"jobs.summarize and jobs.maintain: {why}; to allow it: {CONSENT} {there}"
    said = f"aurelius: started the daemon\naurelius: {asked}\n"
    assert (started.returncode, started.stderr) == (0, said), started.stderr
    assert "14 notes" in started.stdout

    told = json.loads(aurelius("daemon", "status", "--json", cwd=there).out)
    assert (told["running"], told["version"], told["vault"]) == (True, __version__, str(there))
    assert (told["notes"], told["fresh"], told["paused"]) == (14, True, "")
    assert aurelius("status", cwd=there).out.count(
        f"daemon    running, pid {told['pid']}, version {__version__}\n"
    )

    agreed = aurelius("daemon", "start", "--yes", cwd=there)
    assert agreed.err.splitlines()[0].startswith(
        'aurelius: the vault\'s settings ask for jobs.summarize = "weekly" ('
    )
    assert "the daemon will write summaries, _index.md files and the Now section" in agreed.err

    again = aurelius("daemon", "start", "--json", cwd=there)
    assert again.err == "aurelius: the daemon was already running; nothing was started\n"
    assert (again.code, json.loads(again.out)["pid"]) == (0, told["pid"])

    second = shell("daemon", "run", cwd=there)
    assert second.returncode == 6
    assert f"a daemon is already running for this vault (pid {told['pid']})" in second.stderr

    stopped = aurelius("daemon", "stop", "--json", cwd=there)
    assert (stopped.code, stopped.err) == (0, f"aurelius: stopped the daemon (pid {told['pid']})\n")
    assert json.loads(stopped.out)["running"] is False
    log = Path(told["log"]).read_text("utf-8")
    assert f"watching {there}" in log
    assert log.endswith("stopped\n")
    assert not os.path.exists(told["socket"])


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
def test_one_in_the_foreground_says_what_it_does_and_ends_on_a_signal(
    number: signal.Signals, code: int, there: Path, env: dict[str, str], aurelius: Aurelius
) -> None:
    with subprocess.Popen(
        [*control.daemon_command(str(there))[:-3], "--vault", str(there)],
        env={**env, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stderr is not None
        assert process.stdout is not None
        first = process.stderr.readline()
        told = "it changes no note by itself (except lines of `aurelius note` that an editor saved over)"
        assert first == f"aurelius: watching {there} (pid {process.pid}); {told}\n"
        process.send_signal(number)
        assert process.wait(30) == code
        assert process.stderr.read().splitlines()[-1] == "aurelius: stopped"
        assert process.stdout.read() == ""
    assert aurelius("daemon", "status", cwd=there).out.startswith("daemon  not running\n")


def test_a_daemon_killed_with_its_lock_and_socket_left_behind_is_no_hindrance(
    there: Path,
    shell: Callable[..., subprocess.CompletedProcess[str]],
    aurelius: Aurelius,
    env: dict[str, str],
) -> None:
    """Nothing that a dead process left is believed."""
    first = json.loads(shell("daemon", "start", "--json", cwd=there).stdout)
    os.kill(first["pid"], signal.SIGKILL)
    while lock_holder(daemon_folder(str(there), env)) is not None:
        pass
    assert os.path.exists(first["socket"])
    assert aurelius("daemon", "status", cwd=there).code == 0
    second = shell("daemon", "start", "--json", cwd=there)
    assert second.returncode == 0, second.stderr
    assert json.loads(second.stdout)["pid"] != first["pid"]
    assert aurelius("daemon", "stop", cwd=there).code == 0


def test_one_whose_vault_is_gone_can_be_asked_and_stopped(
    there: Path, aurelius: Aurelius, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It waits for the vault to come back."""
    there.rename(there.with_name("moved"))
    pretend(monkeypatch, NOBODY, STATE._replace(paused="the vault's folder is missing"))
    told = aurelius("daemon", "status", "--vault", str(there))
    assert told.code == 1
    assert "paused: the vault's folder is missing" in told.out
    assert aurelius("daemon", "start", "--vault", str(there)).code == 4
    monkeypatch.setattr(loop, "lock_holder", lambda _: None)
    assert aurelius("daemon", "status", "--vault", str(there)).code == 4


def test_a_start_without_a_vault_starts_nothing(aurelius: Aurelius, tmp_path: Path) -> None:
    done = aurelius("daemon", "start", cwd=tmp_path)
    assert done.code == 4


def test_a_start_with_settings_that_mean_nothing_starts_nothing(
    aurelius: Aurelius, there: Path
) -> None:
    (there / ".aurelius" / "config.toml").write_text("serach = 1\n", "utf-8")
    done = aurelius("daemon", "start", cwd=there)
    assert (done.code, done.out) == (3, "")
    assert aurelius("daemon", "status", cwd=there).out.startswith("daemon  not running\n")


# What status tells


def test_one_that_is_well_exits_0(
    aurelius: Aurelius, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, NOBODY, STATE)
    done = aurelius("daemon", "status", cwd=there)
    assert (done.code, done.err) == (0, "")
    assert "problem" not in done.out


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"watching": "scanning", "why": "no watches are left"},
            "scanning instead of watching: no watches are left",
        ),
        ({"paused": "the vault's folder is missing"}, "paused: the vault's folder is missing"),
        ({"version": "0.0.1"}, f"it is version 0.0.1, and {__version__} is installed"),
    ],
)
def test_one_that_is_not_well_exits_1_and_says_why(
    change: dict[str, Any],
    told: str,
    aurelius: Aurelius,
    there: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """`status` exits with 1 while watching is impaired."""
    pretend(monkeypatch, NOBODY, STATE._replace(**change))
    done = aurelius("daemon", "status", cwd=there)
    assert done.code == 1
    assert told in done.out
    (problem,) = json.loads(aurelius("daemon", "status", "--json", cwd=there).out)["problems"]
    assert problem.startswith(told)


def test_one_that_hangs_exits_1_and_says_what_to_do(
    aurelius: Aurelius, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, NOBODY, None)
    done = aurelius("daemon", "status", cwd=there)
    assert done.code == 1
    assert (
        f"the daemon (pid {NOBODY}) does not answer: `aurelius daemon stop`, then start it again"
        in done.out
    )
    assert json.loads(aurelius("daemon", "status", "--json", cwd=there).out)["pid"] == NOBODY
    assert "does not answer" in aurelius("status", cwd=there).out


def test_an_older_daemon_is_told_by_status(
    aurelius: Aurelius, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, NOBODY, STATE._replace(version="0.0.1"))
    done = aurelius("status", "--json", cwd=there)
    assert json.loads(done.out)["daemon"].endswith(
        f"it is version 0.0.1, and {__version__} is installed: restart it"
    )


# Installing


@pytest.fixture
def written(env: dict[str, str], there: Path) -> Path:
    """Where this system's file would be."""
    folder = daemon_folder(str(there), env)
    return Path(
        install.plan_service(str(there), env, ["python"], folder, platform=sys.platform).file
    )


def asked(there: Path, env: dict[str, str], answer: str, *words: str) -> tuple[int, str, str]:
    """What a person at a terminal is told who answers so."""
    out, err = io.StringIO(), Terminal()
    code = run_line(
        ["daemon", "install", *words],
        Context(str(there), env, tty=True, stdin=io.StringIO(answer), out=out, err=err),
    )
    return code, out.getvalue(), err.getvalue()


def test_an_installation_is_shown_first_and_written_by_yes(
    aurelius: Aurelius, there: Path, written: Path
) -> None:
    shown = aurelius("daemon", "install", cwd=there)
    assert shown.code == 0
    assert f"to be written to {written}:" in shown.out
    assert shown.err == "aurelius: nothing was done; add --yes to do it without asking\n"
    assert not written.exists()

    done = aurelius("daemon", "install", "--yes", cwd=there)
    assert done.code == 0
    assert done.out == shown.out
    assert f"aurelius: wrote {written}\n" in done.err
    for line in written.read_text("utf-8").splitlines():
        assert line in shown.out, "what is shown is what is written"

    again = aurelius("daemon", "install", "--yes", cwd=there)
    assert f"already in {written}:" in again.out
    assert again.err == ""

    written.write_text("mine", "utf-8")
    other = aurelius("daemon", "install", cwd=there)
    assert f"which would replace the text in {written}:" in other.out
    assert written.read_text("utf-8") == "mine"

    gone = aurelius("daemon", "install", "--uninstall", cwd=there)
    assert "which was changed after it was written" in gone.out
    assert written.exists()
    assert (
        aurelius("daemon", "install", "--uninstall", "--yes", cwd=there).err
        == f"aurelius: removed {written}\n"
    )
    assert not written.exists()
    assert aurelius("daemon", "install", "--uninstall", cwd=there).out.startswith(
        "nothing is installed: "
    )


def test_a_dry_run_never_asks_and_never_writes(
    there: Path, env: dict[str, str], written: Path
) -> None:
    code, out, err = asked(there, env, "y\n", "--dry-run")
    assert (code, err) == (0, "")
    assert str(written) in out
    assert not written.exists()


@pytest.mark.parametrize(
    ("answer", "done"), [("y\n", True), ("YES\n", True), ("n\n", False), ("\n", False), ("", False)]
)
def test_a_person_is_asked(
    answer: str, done: bool, there: Path, env: dict[str, str], written: Path
) -> None:
    code, _, err = asked(there, env, answer)
    assert code == 0
    assert err.startswith("aurelius: write it? [y/N] ")
    assert ("nothing was done" in err) is not done
    assert written.exists() is done


def test_a_running_daemon_in_the_way_is_told(
    aurelius: Aurelius, there: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pretend(monkeypatch, NOBODY, STATE)
    done = aurelius("daemon", "install", "--yes", cwd=there)
    assert "a daemon is already running; stop it first: aurelius daemon stop" in done.err


def test_the_words_of_the_installation_run_this_vault(
    aurelius: Aurelius, there: Path, written: Path
) -> None:
    aurelius("daemon", "install", "--yes", cwd=there)
    text = written.read_text("utf-8")
    assert str(there) in text
    assert sys.executable in text
    assert str(Path(daemon_folder(str(there), {"HOME": "/"})).name) in written.name


class Gone(io.StringIO):
    def write(self, _: str) -> int:
        raise BrokenPipeError


def context(err: io.StringIO) -> Context:
    return Context("/", {}, tty=False, stdin=io.StringIO(), out=io.StringIO(), err=err)


def test_a_line_goes_to_the_terminal_and_with_the_time_to_the_log(tmp_path: Path) -> None:
    err = io.StringIO()
    tell = Journal(str(tmp_path), context(err))
    tell("watching \x1b[31m\nthere \udcff")
    assert err.getvalue() == "aurelius: watching \\x1b[31m\\nthere \\xff\n"
    log = Path(tell.path).read_text("utf-8")
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d watching \\x1b\[31m\\nthere \\xff\n", log)


def test_quietly_it_goes_to_the_log_alone(tmp_path: Path) -> None:
    err = io.StringIO()
    tell = Journal(str(tmp_path), context(err), quiet=True)
    tell("watching")
    assert err.getvalue() == ""
    assert Path(tell.path).read_text("utf-8").endswith(" watching\n")


def test_a_log_never_grows_large(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(daemon_log, "MOST_LOG_BYTES", 1000)
    tell = Journal(str(tmp_path), context(io.StringIO()), quiet=True)
    for number in range(200):
        tell(f"line {number}")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["log", "log.1"]
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) < 2200
    assert "line 199\n" in (tmp_path / "log").read_text("utf-8") + (tmp_path / "log.1").read_text(
        "utf-8"
    )


def test_neither_a_full_disk_nor_a_closed_terminal_stops_a_daemon(tmp_path: Path) -> None:
    Journal(str(tmp_path / "nowhere"), context(Gone()))("watching")
    tell = Journal(str(tmp_path), context(Gone()))
    tell("watching")
    assert Path(tell.path).read_text("utf-8").endswith(" watching\n")
