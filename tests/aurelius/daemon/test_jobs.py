"""The jobs of a daemon: only where switched on and agreed to, only on the device they fall to, only when due.

A signal at whatever moment is heard, once, and the exit code is always the same.
"""

from __future__ import annotations

import datetime
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.ageing import usage_log
from aurelius.daemon.jobs import (
    SECONDS_UNTIL_RETRY,
    SIGNALS,
    Jobs,
    Wake,
    describe_jobs,
    heed_signals,
    stopped_by_signals,
)
from aurelius.settings.config import load_config
from aurelius.settings.places import shell_word, user_file, vault_state
from aurelius.writing import own_files
from indexer.errors import ConflictError
from tests.daily import WHOLE

Run = Callable[..., Any]
MONDAY = datetime.datetime(2026, 2, 9, 4)
BEFORE = (MONDAY - datetime.timedelta(days=2)).timestamp()
AFTER = (MONDAY + datetime.timedelta(minutes=1)).timestamp()
WEEK = 7 * 86400


@pytest.fixture
def root(tmp_path: Path, env: dict[str, str]) -> Path:
    there = tmp_path / "v"
    (there / "people").mkdir(parents=True)
    (there / ".aurelius").mkdir()
    today = datetime.date.today().isoformat()  # noqa: DTZ011  the job goes by the clock of the machine
    (there / "people" / "joe.md").write_text(
        f"# Joe\n\n## Summary\n\n## Facts\n\n- Lives in LA ({today})\n"
    )
    own_files.agree(str(there), env)
    return there


def configure(root: Path, *lines: str) -> None:
    (root / ".aurelius" / "config.toml").write_text("\n".join(lines) + "\n")


def here(root: Path, env: dict[str, str]) -> None:
    configure(root, "[jobs]", 'summarize = "weekly"', f'device = "{usage_log.device_name(env)}"')


def log(root: Path, device: str, at: datetime.datetime) -> None:
    """A use on a device at that time."""
    folder = root / ".aurelius" / "log" / device
    folder.mkdir(parents=True, exist_ok=True)
    event = {
        "e": f"{device}-{at:%Y%m%d%H%M%S}ff",
        "t": f"{at:%Y-%m-%dT%H:%M:%SZ}",
        "op": "use",
        "ref": "k3v9qa",
    }
    with (folder / f"{at:%Y-%m}.jsonl").open("a") as file:
        file.write(json.dumps(event, separators=(",", ":")) + "\n")


def files(root: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_summaries_are_written_when_due_and_once(root: Path, env: dict[str, str]) -> None:
    here(root, env)
    said: list[str] = []
    jobs = Jobs(str(root), env, said.append)
    before = files(root)
    jobs.due(BEFORE)
    jobs.due(BEFORE + 1)
    assert files(root) == before
    jobs.due(AFTER)
    assert "## Summary\n\nLives in LA.\n" in (root / "people" / "joe.md").read_text()
    assert said == ["summarize: 2 written; 0 left unchanged (you wrote them)"]
    jobs.due(AFTER + 2)
    jobs.due(AFTER + WEEK - 3600)
    assert len(said) == 1
    jobs.due(AFTER + WEEK)
    assert said[1:] == ["summarize: 0 written; 0 left unchanged (you wrote them)"]


def test_what_fell_due_while_none_ran_is_done_at_the_next_start(
    root: Path, env: dict[str, str]
) -> None:
    here(root, env)
    said: list[str] = []
    Jobs(str(root), env, said.append).due(BEFORE)
    Jobs(str(root), env, said.append).due(BEFORE + 60)
    assert said == []
    Jobs(str(root), env, said.append).due(AFTER + 3 * 86400)
    assert len(said) == 1
    Jobs(str(root), env, said.append).due(AFTER + 3 * 86400 + 5)
    assert len(said) == 1


@pytest.mark.parametrize(
    "lines",
    [
        (),
        ("[jobs]", 'summarize = "weekly"', 'device = "other-1234"'),
        ("[jobs]", 'summarize = "off"', 'device = "HERE"'),
        ("[jobs]", 'archive = "0 4 * * *"', 'device = "HERE"'),
    ],
)
def test_nothing_is_written_where_it_was_not_asked_for(
    root: Path, env: dict[str, str], lines: tuple[str, ...]
) -> None:
    """Idle means idle: not in the vault, not in the state folder of the vault."""
    configure(root, *(line.replace("HERE", usage_log.device_name(env)) for line in lines))
    before, state = files(root), files(Path(vault_state(str(root), env)))
    jobs = Jobs(str(root), env, pytest.fail)
    for at in (BEFORE, AFTER, AFTER + WEEK):
        jobs.due(at)
    assert files(root) == before
    assert files(Path(vault_state(str(root), env))) == state
    assert jobs.duties() == []


def test_settings_are_heeded_when_they_change(root: Path, env: dict[str, str]) -> None:
    said: list[str] = []
    jobs = Jobs(str(root), env, said.append)
    jobs.due(BEFORE)
    here(root, env)
    jobs.settings_changed()
    jobs.due(BEFORE + 1)
    jobs.due(AFTER)
    assert len(said) == 1


def test_one_that_fails_is_told_and_tried_again(
    root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    here(root, env)
    said: list[str] = []
    jobs = Jobs(str(root), env, said.append)
    jobs.due(BEFORE)

    def fail(*_: object) -> None:
        raise ConflictError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr("aurelius.ageing.summarize.plan_summaries", fail)
        jobs.due(AFTER)
        jobs.due(AFTER + 1)
    assert said == ["summarize failed and will be tried again in an hour: the disk is full"]
    jobs.due(AFTER + SECONDS_UNTIL_RETRY + 1)
    assert said[1:] == ["summarize: 2 written; 0 left unchanged (you wrote them)"]


def test_the_archive_job_does_what_the_command_does(root: Path, env: dict[str, str]) -> None:
    configure(
        root,
        "[archive]",
        'max_size = "100KB"',
        "[jobs]",
        'archive = "0 5 * * *"',
        f'device = "{usage_log.device_name(env)}"',
    )
    said: list[str] = []
    jobs = Jobs(str(root), env, said.append)
    jobs.due(BEFORE)
    jobs.due(AFTER)
    assert len(said) == 1
    assert said[0].startswith("archive: nothing to archive: the notes have")


def test_what_the_archive_job_puts_away_leaves_the_summary_too(
    root: Path, env: dict[str, str]
) -> None:
    note = root / "people" / "joe.md"
    note.write_text(
        "# Joe\n\n## Summary\n\n## Facts\n\n- Sang once (2020-01-01)\n- Lives in LA (2026-02-01)\n"
    )
    said: list[str] = []
    for settings in (
        ['summarize = "weekly"'],
        ['archive = "0 5 * * *"', "[archive]", 'max_size = "1B"'],
    ):
        configure(root, "[jobs]", f'device = "{usage_log.device_name(env)}"', *settings)
        jobs = Jobs(str(root), env, said.append)
        for at in (BEFORE, AFTER, AFTER + 7200):
            jobs.due(at)
        assert ("Sang once" in note.read_text().partition("## Facts")[0]) == (len(said) == 1), said
    assert "Sang once" in (root / "archives" / "joe.md").read_text()


def test_what_will_be_written_is_told(root: Path, env: dict[str, str]) -> None:
    now = MONDAY - datetime.timedelta(days=1)
    assert describe_jobs(load_config(str(root), env), env, now) == []
    configure(root, "[jobs]", 'summarize = "weekly"')
    name = usage_log.device_name(env)
    command = f"aurelius config set jobs.device {name} --vault {shell_word(str(root))}"
    end = f"in the last 30 days; to run it on this device: {command}"
    what = "summaries, _index.md files and the Now section, except those that you wrote"
    line = f"the daemon will write {what}; next on 2026-02-09 at 04:00"
    assert describe_jobs(load_config(str(root), env), env, now) == [line], (
        "nobody has used the new vault yet"
    )
    log(root, "other-1234", now - datetime.timedelta(days=40))
    assert describe_jobs(load_config(str(root), env), env, now) == [
        "summarize: does not run here, because other-1234 was the last device to use the vault"
        + end.removeprefix("in the last 30 days")
    ]
    log(root, "other-1234", now)
    assert describe_jobs(load_config(str(root), env), env, now) == [
        f"summarize: does not run here, because other-1234 has used the vault {end}"
    ]
    log(root, name, now)
    names = " and ".join(sorted(["other-1234", name]))
    assert describe_jobs(load_config(str(root), env), env, now) == [
        f"summarize: does not run here, because {names} have used the vault {end}"
    ]
    configure(root, "[jobs]", 'summarize = "weekly"', 'device = "other-1234"')
    assert describe_jobs(load_config(str(root), env), env, now) == [
        f"summarize: runs on the device other-1234, not on this one ({name})"
    ]
    here(root, env)
    assert describe_jobs(load_config(str(root), env), env, now) == [line]
    assert len(Jobs(str(root), env, pytest.fail).duties()) == 1


def test_a_daemons_own_index_sees_what_its_job_wrote(root: Path, env: dict[str, str]) -> None:
    from aurelius.vault import Vault
    from indexer.live.live_index import Live

    here(root, env)
    now = datetime.datetime.now()
    live = Live(Vault.find(str(root), env, str(root), now=now).settings, lambda: None)
    said: list[str] = []
    jobs = Jobs(str(root), env, said.append)
    try:
        live.turn(BEFORE)
        jobs.due(BEFORE, live)
        jobs.due(AFTER, live)
        assert said == ["summarize: 2 written; 0 left unchanged (you wrote them)"]
        vault = Vault.find(str(root), env, str(root), now=now, live=live)
        assert vault.note("joe").summary == "Lives in LA."
        vault.close()
        jobs.due(AFTER + WEEK, live)
        assert said[1:] == ["summarize: 0 written; 0 left unchanged (you wrote them)"]
    finally:
        live.close()


def test_where_no_device_is_named_the_only_one_that_uses_the_vault_does_the_jobs(
    root: Path, env: dict[str, str]
) -> None:
    configure(root, "[jobs]", 'summarize = "weekly"')
    here, start = usage_log.device_name(env), MONDAY - datetime.timedelta(days=2)
    log(root, here, start - datetime.timedelta(days=27))
    log(root, "old-1234", start - datetime.timedelta(days=31))
    said: list[str] = []
    jobs = Jobs(str(root), env, said.append)
    jobs.due(BEFORE)
    jobs.due(AFTER)
    assert said == ["summarize: 2 written; 0 left unchanged (you wrote them)"]


def test_a_new_vault_is_summarized_on_the_device_that_made_it(
    tmp_path: Path, env: dict[str, str], aurelius: Callable[..., Any]
) -> None:
    there = tmp_path / "new"
    aurelius("init", str(there))
    said: list[str] = []
    jobs = Jobs(str(there), env, said.append)
    start = datetime.datetime.now()
    jobs.due(start.timestamp())
    for days in (8, 50, 57):  # also where nobody used it for a month and a half
        jobs.due((start + datetime.timedelta(days=days)).timestamp())
    assert [line.partition(":")[0] for line in said] == ["summarize", "maintain"] * 3
    assert said[1] == (
        "maintain: 0 proposals wait in `aurelius review`; since Monday 0 accepted, 0 dismissed"
    )
    assert (there / "areas" / "_index.md").is_file()


def test_where_another_device_uses_the_vault_too_none_does_the_jobs_by_itself(
    root: Path, env: dict[str, str]
) -> None:
    configure(root, "[jobs]", 'summarize = "weekly"')
    for device in (usage_log.device_name(env), "other-1234"):
        log(root, device, MONDAY - datetime.timedelta(days=2))
    before = files(root)
    jobs = Jobs(str(root), env, pytest.fail)
    for at in (BEFORE, AFTER, AFTER + WEEK):
        jobs.due(at)
    assert files(root) == before


def test_a_device_that_begins_to_use_the_vault_is_noticed(root: Path, env: dict[str, str]) -> None:
    configure(root, "[jobs]", 'summarize = "weekly"')
    log(root, "other-1234", MONDAY - datetime.timedelta(days=50))
    jobs = Jobs(str(root), env, pytest.fail)
    jobs.due(BEFORE)
    log(root, usage_log.device_name(env), datetime.datetime.fromtimestamp(BEFORE))
    said: list[str] = []
    jobs._tell = said.append
    jobs.due(BEFORE + 60)
    jobs.due(BEFORE + SECONDS_UNTIL_RETRY + 1)
    jobs.due(AFTER)
    assert len(said) == 1


def test_the_jobs_of_a_vault_that_came_from_elsewhere_are_not_done(
    tmp_path: Path, env: dict[str, str]
) -> None:
    there = tmp_path / "downloaded"
    (there / ".aurelius" / "local").mkdir(parents=True)
    (there / ".aurelius" / "local" / "id").write_text("0" * 32)
    (there / "a.md").write_text("# A\n\n## Summary\n\n## Facts\n\n- One (2026-02-01)\n")
    here = usage_log.device_name(env)
    configure(
        there,
        "[archive]",
        'max_size = "1B"',
        "[jobs]",
        'summarize = "weekly"',
        'archive = "* * * * *"',
    )
    log(there, here, MONDAY - datetime.timedelta(days=2))
    for device in ("", f'device = "{here}"\n'):
        with (there / ".aurelius" / "config.toml").open("a") as file:
            file.write(device)
        before = files(there)
        jobs = Jobs(str(there), env, pytest.fail)
        for at in (BEFORE, AFTER, AFTER + WEEK):
            jobs.due(at)
        assert files(there) == before
        assert jobs.duties() == []
    (line,) = describe_jobs(load_config(str(there), env), env, MONDAY)
    assert (
        "jobs.summarize and jobs.archive: turned on in the vault's settings, but not allowed on this device"
        in line
    )
    assert f"aurelius daemon start --yes --vault {shell_word(str(there))}" in line


def test_facts_of_daily_notes_are_not_looked_for_each_day(root: Path, env: dict[str, str]) -> None:
    configure(root, "[jobs]", 'extract = "daily"', f'device = "{usage_log.device_name(env)}"')
    (root / "memory").mkdir()
    (root / "memory" / "2026-02-08.md").write_text("- Joe works at Initech\n")
    said: list[str] = []
    jobs = Jobs(str(root), env, said.append)
    jobs.due(BEFORE)
    jobs.due(AFTER)
    assert said == ["extract: 1 fact from daily notes waits in `aurelius review`"]
    assert "Initech" not in (root / "people" / "joe.md").read_text()
    own = Path(user_file(env))
    own.parent.mkdir(parents=True, exist_ok=True)
    own.write_text('[capture]\nreplace = "apply"\n')
    jobs.settings_changed()
    jobs.due(AFTER + 86400)
    assert said[1:] == ["extract: 1 fact written to 1 page"]
    assert (
        "Works at Initech (2026-02-08, from [[memory/2026-02-08]])"
        in (root / "people" / "joe.md").read_text()
    )


ROOT = Path(__file__).resolve().parents[3]

STRUCK = """
import os, signal, sys

calls, number, where, count = 0, *sys.argv.pop(1).split(":")
meant = {}

def look(frame, event, _):
    global calls
    if event != "call":
        return
    code = frame.f_code
    if code not in meant:
        meant[code] = where in code.co_filename + " " + code.co_name
    if meant[code]:
        calls += 1
        if calls == int(count):
            sys.setprofile(None)
            os.kill(os.getpid(), int(number))

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it runs in the background ignore it
from aurelius.__main__ import main
sys.argv[:] = ["aurelius", *sys.argv[1:]]
sys.setprofile(look)
main()
"""
"""Runs the program and sends it a signal as it calls a function of that name for the so many-eth time."""


@pytest.fixture
def struck(
    vault: Callable[[str], Path], env: dict[str, str]
) -> Callable[[int, str], tuple[int, str]]:
    root = vault("template")

    def run(number: int, moment: str) -> tuple[int, str]:
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                STRUCK,
                f"{int(number)}:{moment}",
                "--vault",
                str(root),
                "daemon",
                "run",
            ],
            env={**env, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            timeout=30,
        )
        return done.returncode, done.stderr

    return run


IMPORTS = [f"importlib._bootstrap> cb:{count}" for count in (1, 20, 140)]
"""Where the import of a module ends: an exception that comes up there is swallowed."""
MOMENTS = [
    "__main__.py _words:1",
    "line.py run_command_line:1",
    "daemon.py run:1",
    "loop.py __init__:1",
    "live_index.py __init__:1",
    "server.py __init__:1",
    "loop.py serve:1",
    "loop.py _turn:1",
    "live_index.py turn:1",
    "parse.py parse:1",
    "parse.py parse:9",
    "write_notes.py _put:1",
    "loop.py _report:1",
    "loop.py _give_back:1",
    "jobs.py due:1",
    "jobs.py wait:1",
    "jobs.py wait:2",
    "loop.py _turn:2",
]
"""From the first line of the program to its rest, some of them in the middle of a pass."""
EACH_DAY = [
    IMPORTS[0],
    IMPORTS[2],
    "line.py run_command_line:1",
    "server.py __init__:1",
    "parse.py parse:9",
    "write_notes.py _put:1",
    "loop.py _give_back:1",
    "jobs.py wait:1",
    "loop.py _turn:2",
]
"""One of each part of a run; the whole run has the moments between them too."""


@pytest.mark.skipif(os.name == "nt", reason="a process of Windows cannot send itself Ctrl-C alone")
@pytest.mark.parametrize("moment", [*IMPORTS, *MOMENTS] if WHOLE else EACH_DAY)
def test_ctrl_c_ends_it_at_whatever_moment_it_comes(
    moment: str, struck: Callable[[int, str], tuple[int, str]]
) -> None:
    code, said = struck(signal.SIGINT, moment)
    assert (code, said.splitlines()[-1:]) == (130, ["aurelius: stopped"])
    assert "ignored" not in said
    assert "Traceback" not in said


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
@pytest.mark.parametrize(
    "moment", [IMPORTS[1], "line.py run_command_line:1", "parse.py parse:9", "jobs.py wait:1"]
)
def test_sigterm_is_a_wish_and_no_failure(
    moment: str, struck: Callable[[int, str], tuple[int, str]]
) -> None:
    code, said = struck(signal.SIGTERM, moment)
    assert (code, said.splitlines()[-1:]) == (0, ["aurelius: stopped"])


def test_a_call_from_another_thread_ends_the_waiting_and_counts_once() -> None:
    wake = Wake()
    thread = threading.Timer(0.05, wake.set)
    thread.start()
    assert wake.wait(60)
    thread.join()
    for _ in range(1000):
        wake.set()
    assert wake.wait(0)
    assert not wake.wait(0)


def test_the_first_signal_leaves_word_and_the_second_interrupts_but_not_the_end() -> None:
    """Somebody for whom it takes too long can cut it short, and what closes the index is left alone."""
    wake = Wake()
    wake.check()
    wake.on_signal(signal.SIGINT, None)
    with pytest.raises(KeyboardInterrupt):
        wake.on_signal(signal.SIGTERM, None)
    with pytest.raises(KeyboardInterrupt):
        wake.check()
    wake.close()
    wake.on_signal(signal.SIGINT, None)
    assert wake.number == signal.SIGINT
    assert wake.wait(0)


def test_signals_go_where_they_went_before_and_not_to_two() -> None:
    before = [signal.getsignal(number) for number in SIGNALS]
    with stopped_by_signals() as wake:
        assert heed_signals() is wake
        signal.raise_signal(signal.SIGTERM)
        assert wake.number == signal.SIGTERM
    assert [signal.getsignal(number) for number in SIGNALS] == before
