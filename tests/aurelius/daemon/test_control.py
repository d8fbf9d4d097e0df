"""Starting, finding and stopping a daemon, with stand-ins for it; the real one is started in test_cli_daemon.py."""

from __future__ import annotations

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
from aurelius.daemon import client, loop
from aurelius.daemon import control as control_module
from aurelius.daemon.loop import DaemonState
from aurelius.settings.places import daemon_folder
from indexer.errors import AureliusError

STATE = DaemonState(
    pid=99_999_999,
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
SLEEPS = "import time; time.sleep(60)"

Spawn = Callable[[str], "subprocess.Popen[bytes]"]


class Stage:
    """Says who holds the lock and what the daemon answers; counts what it was asked."""

    def __init__(self) -> None:
        self.holder: Callable[[], int | None] = lambda: None
        self.answer: Callable[[str], bytes | None] = lambda _: None
        self.asked: list[str] = []

    def lock_holder(self, _: str) -> int | None:
        return self.holder()

    def control(self, _: str, word: str) -> bytes | None:
        self.asked.append(word)
        return self.answer(word)


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch) -> Stage:
    made = Stage()
    monkeypatch.setattr(loop, "lock_holder", made.lock_holder)
    monkeypatch.setattr(client, "control_daemon", made.control)
    monkeypatch.setattr(control_module, "SECONDS_A_POLL", 0.01)
    return made


@pytest.fixture
def spawn() -> Iterator[Spawn]:
    """Processes that are ended after the test."""
    made: list[subprocess.Popen[bytes]] = []

    def run(code: str) -> subprocess.Popen[bytes]:
        made.append(subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE))
        return made[-1]

    yield run
    for process in made:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


def state_bytes(**values: Any) -> bytes:
    return json.dumps(STATE._asdict() | values).encode()


# Looking


def test_where_no_daemon_runs_none_is_asked_and_that_is_told(
    stage: Stage, env: dict[str, str], tmp_path: Path
) -> None:
    found = control_module.daemon_state(str(tmp_path), env)
    assert found == control_module.DaemonProcess(
        str(tmp_path), daemon_folder(str(tmp_path), env), None, None
    )
    assert stage.asked == []
    assert control_module.problems(found, 0) == ()
    assert control_module.in_short(found) == "not running"


def test_one_that_runs_says_how_it_does(stage: Stage, env: dict[str, str], tmp_path: Path) -> None:
    stage.holder, stage.answer = (lambda: 99_999_999), (lambda _: state_bytes())
    found = control_module.daemon_state(str(tmp_path), env)
    assert (found.holder, found.state) == (99_999_999, STATE)
    assert control_module.problems(found, STATE.beat + 1) == ()
    assert control_module.in_short(found) == f"running, pid 99999999, version {__version__}"


def test_a_daemon_of_another_version_is_understood(
    stage: Stage, env: dict[str, str], tmp_path: Path
) -> None:
    answer = {
        "pid": 99_999_999,
        "version": "0.0.1",
        "watching": "native",
        "beat": 5,
        "colour": "red",
        "notes": "many",
    }
    stage.holder, stage.answer = (lambda: 99_999_999), (lambda _: json.dumps(answer).encode())
    found = control_module.daemon_state(str(tmp_path), env)
    assert found.state is not None
    assert (found.state.pid, found.state.beat, found.state.notes, found.state.paused) == (
        99_999_999,
        5,
        0,
        "",
    )
    assert (
        f"it is version 0.0.1, and {__version__} is installed: restart it"
        in control_module.in_short(found)
    )
    assert len(control_module.problems(found, 6)) == 1


@pytest.mark.parametrize("answer", [None, b"", b"\xff", b"[1, 2]", b"7", b"{"])
def test_one_that_does_not_answer_is_a_problem(
    answer: bytes | None, stage: Stage, env: dict[str, str], tmp_path: Path
) -> None:
    stage.holder, stage.answer = (lambda: 99_999_999), (lambda _: answer)
    found = control_module.daemon_state(str(tmp_path), env, patience=0.02)
    assert found.state is None
    assert "the daemon (pid 99999999) does not answer" in control_module.in_short(found)
    (problem,) = control_module.problems(found, 0)
    assert "aurelius daemon stop" in problem


def test_a_busy_one_is_asked_again(stage: Stage, env: dict[str, str], tmp_path: Path) -> None:
    stage.holder, stage.answer = (
        (lambda: 99_999_999),
        (lambda _: state_bytes() if len(stage.asked) > 2 else None),
    )
    assert control_module.daemon_state(str(tmp_path), env, patience=60).state == STATE


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (
            {"watching": "scanning", "why": "no watches are left: raise the limit"},
            "scanning instead of watching: no watches are left: raise the limit",
        ),
        ({"watching": "scanning"}, "scanning instead of watching"),
        ({"why": "88 folders are scanned", "unwatched": 88}, "88 folders are scanned"),
        ({"paused": "the vault's folder is missing"}, "paused: the vault's folder is missing"),
        ({"beat": 4000.0}, "it has not responded for 601 s"),
    ],
)
def test_what_is_wrong_is_told(change: dict[str, Any], problem: str) -> None:
    """Impaired watching is never silent."""
    (said,) = control_module.problems(
        control_module.DaemonProcess("notes", "", 99_999_999, STATE._replace(**change)), 4601
    )
    assert said.startswith(problem)


# Starting


def test_the_command_finds_this_aurelius_from_anywhere(env: dict[str, str], tmp_path: Path) -> None:
    """-P: a file of that name in the working directory does not stand in for a module."""
    (tmp_path / "json.py").write_text("raise SystemExit('the wrong one')", "utf-8")
    words = control_module.daemon_command("notes")
    assert words[-5:] == ["daemon", "run", "--quiet", "--vault", "notes"]
    done = subprocess.run(
        [*words[: words.index("daemon")], "--version"],
        cwd=tmp_path,
        env={**env, "PYTHONPATH": control_module.search_path(env)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (0, f"aurelius {__version__}\n"), done.stderr


def test_nothing_relative_is_searched_for_modules() -> None:
    path = control_module.search_path({"PYTHONPATH": os.pathsep.join(["", ".", os.sep + "else"])})
    assert path.split(os.pathsep)[1:] == [os.sep + "else"]


def test_an_installed_aurelius_needs_no_path(monkeypatch: pytest.MonkeyPatch) -> None:
    home = Path(control_module.__file__).parents[2]
    monkeypatch.setattr("sysconfig.get_path", lambda _: str(home))
    assert control_module.search_path({"PYTHONPATH": "x"}) == ""


def test_one_that_runs_is_not_started_again(
    stage: Stage, env: dict[str, str], tmp_path: Path
) -> None:
    stage.holder, stage.answer = (lambda: 99_999_999), (lambda _: state_bytes())
    found, began = control_module.start_daemon(str(tmp_path), env)
    assert (found.state, began) == (STATE, False)
    assert not os.path.exists(found.folder)


def instead(monkeypatch: pytest.MonkeyPatch, code: str) -> list[subprocess.Popen[bytes]]:
    """What is started instead of the daemon, and the list it is put into."""
    made: list[subprocess.Popen[bytes]] = []
    monkeypatch.setattr(control_module, "daemon_command", lambda _: [sys.executable, "-c", code])
    really = control_module._spawn

    def _spawn(*args: Any) -> subprocess.Popen[bytes]:
        made.append(really(*args))
        return made[-1]

    monkeypatch.setattr(control_module, "_spawn", _spawn)
    return made


def ended(process: subprocess.Popen[bytes]) -> None:
    """End what launch left running and take its exit code from the system."""
    os.kill(process.pid, signal.SIGTERM)
    os.waitpid(process.pid, 0)


def test_a_start_waits_until_it_answers(
    stage: Stage, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = instead(monkeypatch, SLEEPS)
    stage.holder = lambda: made[0].pid if made else None
    stage.answer = lambda _: state_bytes(pid=made[0].pid, generation=int(len(stage.asked) > 6))
    found, began = control_module.start_daemon(str(tmp_path), env)
    assert began
    assert len(stage.asked) == 7, "not before its first pass is over"
    assert found.state is not None
    assert found.state.pid == made[0].pid
    assert os.getsid(made[0].pid) == made[0].pid, "a session of its own: no terminal ends it"
    assert os.stat(found.folder).st_mode & 0o777 == 0o700
    ended(made[0])


def test_one_that_dies_at_once_shows_its_last_words(
    stage: Stage, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    instead(
        monkeypatch,
        "import sys; [print('line', n, file=sys.stderr) for n in range(9)]; sys.exit(3)",
    )
    with pytest.raises(AureliusError, match="the daemon stopped right after it started") as caught:
        control_module.start_daemon(str(tmp_path), env)
    assert caught.value.hint == "it said:\n  line 4\n  line 5\n  line 6\n  line 7\n  line 8"
    assert stage.asked == []


def test_one_that_dies_in_silence_leaves_its_log(
    stage: Stage, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    instead(monkeypatch, "raise SystemExit(3)")
    folder = Path(daemon_folder(str(tmp_path), env))
    with pytest.raises(AureliusError) as caught:
        control_module.start_daemon(str(tmp_path), env)
    assert caught.value.hint == "`aurelius daemon run` shows why"
    (folder / "log").write_text("the index cannot be written\n", "utf-8")
    with pytest.raises(AureliusError) as caught:
        control_module.start_daemon(str(tmp_path), env)
    assert caught.value.hint == "it said:\n  the index cannot be written"


def test_one_that_never_answers_is_left_and_told(
    stage: Stage, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = instead(monkeypatch, SLEEPS)
    stage.holder = lambda: made[0].pid if made else None
    with pytest.raises(
        AureliusError, match=r"the daemon \(pid \d+\) is running but does not answer"
    ) as caught:
        control_module.start_daemon(str(tmp_path), env, wait=0.1)
    assert "aurelius daemon stop" in caught.value.hint
    ended(made[0])


@pytest.mark.parametrize(
    "code", ["raise SystemExit(6)", "import time; time.sleep(0.3); raise SystemExit(6)"]
)
def test_of_two_starts_at_once_both_find_the_one_that_won(
    code: str, stage: Stage, env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ours finds the lock taken and ends, sooner or later; the other was started a moment before."""
    made = instead(monkeypatch, code)
    stage.holder = lambda: 99_999_999 if made else None
    stage.answer = lambda _: state_bytes() if made else None
    found, began = control_module.start_daemon(str(tmp_path), env)
    assert (found.state, began) == (STATE, False)
    assert made[0].returncode == 6


def test_where_nothing_can_be_written_the_error_names_the_place(
    stage: Stage, env: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("", "utf-8")
    env["XDG_STATE_HOME"] = str(tmp_path / "file")
    with pytest.raises(AureliusError, match=r"cannot start the daemon: .*file") as caught:
        control_module.start_daemon(str(tmp_path), env)
    assert "make that folder writable" in caught.value.hint
    assert stage.asked == []


# Stopping


def test_there_is_nothing_to_stop(stage: Stage, env: dict[str, str], tmp_path: Path) -> None:
    assert control_module.stop_daemon(str(tmp_path), env) is None
    assert stage.asked == []


def test_one_that_answers_is_asked_to_stop(
    stage: Stage, env: dict[str, str], tmp_path: Path
) -> None:
    stage.holder = lambda: None if stage.asked else os.getpid()  # a signal would end the test
    stage.answer = lambda _: b"{}"
    assert control_module.stop_daemon(str(tmp_path), env) == os.getpid()
    assert stage.asked == ["stop"]


@pytest.fixture
def holder(env: dict[str, str], tmp_path: Path, spawn: Spawn) -> Spawn:
    """Processes that take a daemon's lock and tell their pid, as a daemon does, and then do what they are told."""

    def run(code: str) -> subprocess.Popen[bytes]:
        folder = daemon_folder(str(tmp_path), env)
        os.makedirs(folder, mode=0o700, exist_ok=True)
        process = spawn(
            "import os, signal; from indexer.rows.lock import hold\n"
            f"held = hold({folder!r}, 'lock', 5.0); held.__enter__()\n"
            f"with open({folder!r} + '/pid', 'w') as file: file.write(str(os.getpid()))\n"
            f"print(1, flush=True)\n{code}"
        )
        assert process.stdout is not None
        assert process.stdout.readline()
        return process

    return run


@pytest.fixture
def answers(monkeypatch: pytest.MonkeyPatch) -> Callable[[bytes | None], None]:
    """Sets what is answered over the socket, where nobody listens in these tests."""
    monkeypatch.setattr(control_module, "SECONDS_A_POLL", 0.01)
    return lambda answer: monkeypatch.setattr(client, "control_daemon", lambda *_: answer)


Answers = Callable[[bytes | None], None]


def test_one_that_does_not_answer_gets_the_signal(
    env: dict[str, str], tmp_path: Path, holder: Spawn
) -> None:
    process = holder(SLEEPS)
    assert control_module.daemon_state(str(tmp_path), env, patience=0).holder == process.pid
    assert control_module.stop_daemon(str(tmp_path), env) == process.pid
    assert process.wait() == -signal.SIGTERM


def test_one_that_says_yes_and_stays_gets_the_signal(
    answers: Answers, env: dict[str, str], tmp_path: Path, holder: Spawn
) -> None:
    process = holder(SLEEPS)
    answers(b"{}")
    assert control_module.stop_daemon(str(tmp_path), env, wait=0.05) == process.pid
    assert process.wait() == -signal.SIGTERM


def test_one_that_goes_on_is_told_with_the_way_to_end_it(
    answers: Answers, env: dict[str, str], tmp_path: Path, holder: Spawn
) -> None:
    process = holder(
        f"signal.signal(signal.SIGTERM, signal.SIG_IGN); print(2, flush=True); {SLEEPS}"
    )
    assert process.stdout is not None
    assert process.stdout.readline()
    answers(None)
    with pytest.raises(
        AureliusError, match=re.escape(f"(pid {process.pid}) does not stop")
    ) as caught:
        control_module.stop_daemon(str(tmp_path), env, wait=0.05)
    assert str(process.pid) in caught.value.hint


def test_a_pid_that_a_dead_daemon_left_is_never_signalled(
    answers: Answers, env: dict[str, str], tmp_path: Path, spawn: Spawn, holder: Spawn
) -> None:
    """The lock is held, and the pid beside it is of somebody who has nothing to do with it."""
    process, innocent = holder(SLEEPS), spawn(SLEEPS)
    Path(daemon_folder(str(tmp_path), env), "pid").write_text(str(innocent.pid), "ascii")
    answers(None)
    with pytest.raises(AureliusError, match="does not stop"):
        control_module.stop_daemon(str(tmp_path), env, wait=0.05)
    assert process.poll() is None
    assert innocent.poll() is None


def test_a_daemon_that_tells_no_pid_is_never_signalled(
    answers: Answers, env: dict[str, str], tmp_path: Path, holder: Spawn
) -> None:
    process = holder(SLEEPS)
    Path(daemon_folder(str(tmp_path), env), "pid").unlink()
    answers(None)
    found = control_module.daemon_state(str(tmp_path), env, patience=0)
    assert control_module.in_short(found).startswith("a daemon (pid unknown) does not answer")
    with pytest.raises(AureliusError, match=r"a daemon \(pid unknown\) does not stop") as caught:
        control_module.stop_daemon(str(tmp_path), env, wait=0.05)
    assert caught.value.hint == "end its process yourself"
    assert process.poll() is None


def test_a_lock_outlives_nobody(env: dict[str, str], tmp_path: Path, holder: Spawn) -> None:
    """Kill -9 leaves lock file and pid behind, and neither means anything."""
    process = holder(SLEEPS)
    process.kill()
    process.wait()
    assert control_module.stop_daemon(str(tmp_path), env) is None
    assert control_module.daemon_state(str(tmp_path), env).holder is None
    assert os.path.exists(os.path.join(daemon_folder(str(tmp_path), env), "pid"))


def test_a_process_that_is_gone_is_no_error(
    stage: Stage, env: dict[str, str], tmp_path: Path, spawn: Spawn
) -> None:
    process = spawn("")
    process.wait()
    told_so = iter([process.pid] * 2)
    stage.holder = lambda: next(told_so, None)
    assert control_module.stop_daemon(str(tmp_path), env) == process.pid


def test_without_process_handles_the_pid_is_signalled(
    env: dict[str, str], tmp_path: Path, holder: Spawn, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(os, "pidfd_open", raising=False)
    process = holder(SLEEPS)
    assert control_module.stop_daemon(str(tmp_path), env) == process.pid
    assert process.wait() == -signal.SIGTERM
