"""The daemon as a process: one a vault, mended settings and a vault that goes away, a clean way out."""

from __future__ import annotations

import datetime
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from aurelius.ageing.usage_log import device_name
from aurelius.daemon import loop as module
from aurelius.daemon.client import control_daemon
from aurelius.daemon.jobs import Wake
from aurelius.daemon.loop import DaemonState, lock_holder
from aurelius.settings.places import daemon_folder, user_file, vault_state
from aurelius.writing.own_files import agree
from indexer.errors import ConflictError

ROOT = Path(__file__).resolve().parents[3]


class Process:
    """A daemon in a process of its own, and how it does."""

    def __init__(self, root: Path, env: Mapping[str, str]) -> None:
        self.root = root
        self.folder = daemon_folder(str(root), env)
        self.process = subprocess.Popen(
            [sys.executable, "-m", "aurelius", "daemon", "run", "--vault", str(root)],
            env={**env, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )

    def state(self) -> DaemonState | None:
        import json

        told = control_daemon(self.folder, "status")
        return None if told is None else DaemonState(**json.loads(told))

    def until(self, true: Callable[[DaemonState], bool]) -> DaemonState:
        deadline = time.monotonic() + 30
        while time.monotonic() < deadline:
            state = self.state()
            if state is not None and true(state):
                return state
            assert self.process.poll() is None, self.process.communicate()
            time.sleep(0.05)
        raise AssertionError(self.state())

    def end(self, number: int = signal.SIGTERM) -> tuple[int, str]:
        if self.process.poll() is None:
            self.process.send_signal(number)
        said = self.process.communicate(timeout=30)[1]
        return self.process.returncode, said


@pytest.fixture
def there(vault: Callable[[str], Path]) -> Path:
    return vault("sample")


@pytest.fixture
def start(there: Path, env: dict[str, str]) -> Iterator[Callable[[], Process]]:
    """Starts daemons of one vault, and ends those that are left."""
    begun: list[Process] = []

    def begin() -> Process:
        begun.append(Process(there, env))
        return begun[-1]

    yield begin
    for each in begun:
        each.end(signal.SIGKILL)


def test_it_indexes_tells_how_it_does_and_ends_on_a_signal(
    start: Callable[[], Process], there: Path
) -> None:
    daemon = start()
    state = daemon.until(lambda state: state.passes > 0 and state.fresh)
    assert state.pid == daemon.process.pid
    assert (state.vault, state.watching, state.paused, state.backlog) == (
        str(there),
        "native",
        "",
        0,
    )
    assert state.notes == sum(1 for path in there.rglob("*.md") if ".aurelius" not in path.parts)
    assert lock_holder(daemon.folder) == daemon.process.pid
    (there / "people/new.md").write_text("# New\n")
    daemon.until(lambda later: later.notes == state.notes + 1)
    code, said = daemon.end()
    assert code == 0
    assert [line.split(": ")[1].split(" ")[0] for line in said.splitlines()] == [
        "watching",
        "stopping",
        "stopped",
    ]
    assert lock_holder(daemon.folder) is None
    assert not os.path.exists(os.path.join(daemon.folder, "socket"))


def test_a_running_daemon_writes_the_summaries_that_are_due(
    start: Callable[[], Process], there: Path, env: dict[str, str]
) -> None:
    today, last = datetime.date.today(), time.time() - 8 * 86400  # noqa: DTZ011  the job goes by the machine's clock
    note = there / "people/zoe.md"
    note.write_text(f"# Zoe\n\n## Summary\n\n## Facts\n\n- Lives in Rome ({today})\n")
    (there / ".aurelius/config.toml").write_text(
        f'[jobs]\nsummarize = "weekly"\ndevice = "{device_name(env)}"\n'
    )
    agree(str(there), env)
    Path(vault_state(str(there), env), "jobs").write_text(f"summarize {last:.0f}\n")
    daemon = start()
    daemon.until(lambda _: "## Summary\n\nLives in Rome.\n" in note.read_text())
    assert " written; " in daemon.end()[1]


def test_one_a_vault_and_a_killed_one_is_no_hindrance(
    start: Callable[[], Process], env: dict[str, str]
) -> None:
    """The lock is the system's; a pid, a socket and a lock file that were left behind mean nothing."""
    first = start()
    first.until(lambda state: state.passes > 0)
    second = start()
    said = second.process.communicate(timeout=30)[1]
    assert second.process.returncode == ConflictError("", "").exit_code
    assert f"(pid {first.process.pid})" in said
    first.end(signal.SIGKILL)
    assert os.path.exists(os.path.join(first.folder, "pid"))
    assert lock_holder(first.folder) is None
    third = start()
    third.until(lambda state: state.pid == third.process.pid)


def test_settings_are_heeded_when_they_change(start: Callable[[], Process], there: Path) -> None:
    """A bad setting is told and pauses the daemon until it is mended; a good one counts at once."""
    daemon = start()
    before = daemon.until(lambda state: state.passes > 0 and state.fresh)
    config = there / ".aurelius/config.toml"
    config.write_text('[index]\nexclude = ["people/"]\n')
    fewer = daemon.until(lambda state: state.notes < before.notes)
    config.write_text("[index]\nexclude = 3\n")
    assert "exclude" in daemon.until(lambda state: bool(state.paused)).paused
    config.write_text("")
    daemon.until(lambda state: not state.paused and state.notes > fewer.notes)
    assert "watching again" in daemon.end()[1]


def test_a_vault_that_goes_away_pauses_it(start: Callable[[], Process], there: Path) -> None:
    """Nothing is deleted meanwhile, and it goes on by itself."""
    daemon = start()
    before = daemon.until(lambda state: state.passes > 0 and state.fresh)
    there.rename(there.with_name("away"))
    paused = daemon.until(lambda state: bool(state.paused))
    assert paused.notes == before.notes
    there.with_name("away").rename(there)
    (there / "people/new.md").write_text("# New\n")
    daemon.until(lambda state: not state.paused and state.notes == before.notes + 1)


def test_stopped_over_its_socket_in_the_middle_of_a_pass(
    start: Callable[[], Process], there: Path
) -> None:
    for number in range(800):
        (there / f"resources/{number}.md").parent.mkdir(exist_ok=True)
        (there / f"resources/{number}.md").write_text("# A note\n\n" + "- a fact of it\n" * 20)
    daemon = start()
    daemon.until(lambda _: True)
    assert control_daemon(daemon.folder, "stop") is not None
    assert daemon.process.wait(timeout=30) == 0


def test_what_one_pass_meets_the_next_may_not(
    there: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An exception nobody foresaw is told once, and the loop goes on."""
    told: list[str] = []
    daemon = module._Daemon(str(there), env, str(there.parent), "log", told.append, Wake())
    try:
        turn, fail = daemon.live.turn, [True]

        def failing(now: float, progress: object) -> bool:
            if fail[0]:
                raise RuntimeError("no descriptors")
            return turn(now, None)

        monkeypatch.setattr(daemon.live, "turn", failing)
        assert not daemon._turn()
        assert not daemon._turn()
        fail[0] = False
        assert daemon._turn()
    finally:
        daemon.close()
    assert told == [
        "paused: updating the index failed (RuntimeError: no descriptors)",
        "watching again",
    ]


def test_a_burst_is_waited_for_but_not_for_long(there: Path, env: dict[str, str]) -> None:
    daemon = module._Daemon(str(there), env, str(there.parent), "log", lambda _: None, Wake())
    end = threading.Event()

    def events() -> None:
        while not end.wait(0.01):
            daemon.wake.set()

    thread = threading.Thread(target=events)
    thread.start()
    try:
        began = time.monotonic()
        daemon._wait_for_pause()
        assert time.monotonic() - began >= module.SECONDS_PUT_OFF
    finally:
        end.set()
        thread.join()
        daemon.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows removes no file that is open")
def test_without_its_folder_it_ends_and_leaves_the_next_one_alone(
    start: Callable[[], Process], env: dict[str, str]
) -> None:
    """A lock that was removed locks nobody out: the one that held it would be a second daemon."""
    first = start()
    first.until(lambda state: state.passes > 0)
    shutil.rmtree(first.folder)
    second = start()
    second.until(lambda state: state.pid == second.process.pid)
    first.process.wait(timeout=30)
    code, said = first.end()
    assert (code, "was removed" in said) == (7, True), said
    assert lock_holder(second.folder) == second.process.pid
    second.until(lambda state: state.pid == second.process.pid)


@pytest.mark.parametrize("taken", ["", "pid"])
def test_a_folder_that_cannot_be_written_is_no_bug(
    start: Callable[[], Process], env: dict[str, str], there: Path, taken: str
) -> None:
    """Neither its folder nor, on a full disk for one, a file in it."""
    place = Path(daemon_folder(str(there), env))
    if taken:
        (place / taken).mkdir(parents=True)
    else:
        place.parent.mkdir(parents=True)
        place.touch()
    daemon = start()
    daemon.process.wait(timeout=30)
    code, said = daemon.end()
    assert (code, said.startswith("aurelius: the daemon cannot write to ")) == (7, True), said


def test_a_socket_that_somebody_removed_comes_back(start: Callable[[], Process]) -> None:
    daemon = start()
    path = daemon.until(lambda state: state.passes > 0).socket
    os.remove(path)
    daemon.until(lambda state: state.socket == path)


def test_who_holds_the_index_of_before_is_led_to_the_one_in_another_folder(
    there: Path, env: dict[str, str], tmp_path: Path
) -> None:
    env.pop("AURELIUS_INDEX", None)
    daemon = module._Daemon(str(there), env, str(tmp_path / "run"), "", print, Wake())
    before = daemon.live
    settings = user_file(env)
    os.makedirs(os.path.dirname(settings), exist_ok=True)
    Path(settings).write_text(f'[index]\nlocation = "{(tmp_path / "other").as_posix()}"\n')
    daemon._read_config_again()
    assert before.heir is daemon.live
    assert daemon.live.settings.folder.startswith(str(tmp_path / "other"))
    daemon.close()
