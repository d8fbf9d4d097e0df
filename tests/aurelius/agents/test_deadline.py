"""A process whose work hangs, comes late or fails ends in time, with exit code 0 and a whole answer or none."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aurelius.agents import deadline, hurried_index
from aurelius.cli.options import HOOKS
from indexer.note import Settings
from indexer.refresh.refresh import refresh

ROOT = Path(__file__).resolve().parents[3]
SLACK = 5.0
"""Seconds that a busy machine may add; a process that hangs takes longer."""

BEGINNING = "import os, sys, time; from aurelius.agents import deadline\ndef work(d):\n    "
WAYS = ["forked", "threaded"] if hasattr(os, "fork") else ["threaded"]


def script(way: str, work: str, argv: list[str], *, writes: bool = False) -> list[str]:
    without = "" if way == "forked" else "os.__dict__.pop('fork', 0)\n"
    body = work.replace("\n", "\n    ")
    return [
        sys.executable,
        "-c",
        f"{BEGINNING}{body}\n{without}deadline.run_in_time(work, {argv!r}, bytes, writes={writes})",
    ]


def run(command: list[str]) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, timeout=60, stdin=subprocess.DEVNULL
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("work", "out"),
    [
        ("d.answer(b'the lines')", b"the lines"),
        ("d.answer(b'x' * 50_000)", b"x" * 50_000),
        ("sys.exit(3)", b""),
        ("pass", b""),
    ],
)
def test_what_is_answered_is_written_and_nothing_else(way: str, work: str, out: bytes) -> None:
    assert run(script(way, work, ["--deadline", "20000"])) == (0, out, b"")


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    "work",
    [
        "time.sleep(60)",
        "d.until += 99; time.sleep(60); d.answer(b'late')",
        "sys.stdin = open(os.pipe()[0]).read()",
    ],
)
def test_work_that_hangs_ends_in_time_and_says_nothing(way: str, work: str) -> None:
    began = time.monotonic()
    assert run(script(way, work, ["--deadline", "500"])) == (0, b"", b"")
    assert time.monotonic() - began < 0.5 + SLACK


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("work", "out"),
    [
        ("d.offer(b'first\\nkept'); time.sleep(60)", b"first\n"),
        ("d.offer(b'\\nkept'); time.sleep(60)", b""),
        ("d.offer(b'first\\nkept'); d.answer(b'better')", b"better"),
        ("d.offer(b'first\\nkept'); d.answer(b'better'); time.sleep(60)", b"better"),
        ("d.offer(b'one\\n'); d.offer(b'two\\n'); time.sleep(60)", b"two\n"),
    ],
)
def test_what_was_offered_is_given_where_nothing_better_came_in_time(
    way: str, work: str, out: bytes
) -> None:
    assert run(script(way, work, ["--deadline", "2000"])) == (0, out, b"")


if hasattr(os, "fork"):

    def test_what_was_offered_is_given_though_the_end_of_the_work_is_seen_first() -> None:
        """At the deadline the work is ended, and only then is its first answer written."""
        work = "d.offer(b'first\\n'); time.sleep(60)"
        name, flag, code = script("forked", work, ["--deadline", "2000"])
        slow = (
            "line_of = deadline._line_of\n"
            "deadline._SECONDS_TO_END = 1.0\n"
            "deadline._line_of = lambda first: time.sleep(0.3) or line_of(first)\n"
        )
        code = code.replace("deadline.run_in_time", f"{slow}deadline.run_in_time")
        assert run([name, flag, code]) == (0, b"first\n", b"")

    def test_the_client_is_let_go_while_the_work_goes_on(tmp_path: Path) -> None:
        mark = tmp_path / "done"
        work = f"d.answer(b'x'); d.let_go(); time.sleep(3); open({str(mark)!r}, 'w').close()"
        assert run(script("forked", work, ["--deadline", "2000"])) == (0, b"x", b"")
        assert not mark.exists()
        for _ in range(1000):
            if mark.exists():
                return
            time.sleep(0.01)
        pytest.fail("the work ended with its deadline, though nobody waited for it")

    @pytest.mark.parametrize(
        "work", ["raise ValueError('lost')", "os._exit(4)", "print('not for it', flush=True)"]
    )
    def test_what_goes_wrong_reaches_no_client(work: str) -> None:
        assert run(script("forked", work, ["--deadline", "20000"])) == (0, b"", b"")

    def test_work_that_lets_no_other_thread_run_ends_in_time() -> None:
        began = time.monotonic()
        assert run(script("forked", "sum(range(10**10))", ["--deadline=500"])) == (0, b"", b"")
        assert time.monotonic() - began < 0.5 + SLACK

    def test_work_that_heeds_no_signal_ends_in_time() -> None:
        began = time.monotonic()
        deaf = "import signal\nfor n in (14, 15): signal.signal(n, signal.SIG_IGN)\ntime.sleep(30)"
        assert run(script("forked", deaf, ["--deadline", "500"])) == (0, b"", b"")
        assert time.monotonic() - began < 0.5 + SLACK

    def test_work_that_was_given_more_time_may_use_it() -> None:
        work = "d.adopt([], 30300)\ntime.sleep(5)\nd.answer(b'slow')"
        assert run(script("forked", work, ["--deadline", "3500"])) == (0, b"slow", b"")

    def test_a_client_that_blocks_our_signal_does_not_hold_the_hook() -> None:
        began = time.monotonic()
        command = script("forked", "time.sleep(60)", ["--deadline", "500"])
        command[2] = (
            "import signal; signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGALRM])\n"
            + command[2]
        )
        assert run(command) == (0, b"", b"")
        assert time.monotonic() - began < 0.5 + SLACK

    def test_nothing_is_left_of_work_that_only_reads(tmp_path: Path) -> None:
        work = f"open({str(tmp_path / 'pid')!r}, 'w').write(str(os.getpid()))\ntime.sleep(60)"
        run(script("forked", work, ["--deadline", "2000"]))
        child = int((tmp_path / "pid").read_text())
        for _ in range(200):
            try:
                os.kill(child, 0)
            except ProcessLookupError:
                return
            time.sleep(0.01)
        pytest.fail("the child of a hook that was given up still runs")

    def test_work_that_writes_goes_on_after_the_hook(tmp_path: Path) -> None:
        mark = tmp_path / "done"
        work = f"time.sleep(1.5)\nopen({str(mark)!r}, 'w').close()"
        assert run(script("forked", work, ["--deadline", "500"], writes=True)) == (0, b"", b"")
        assert not mark.exists()
        for _ in range(1000):
            if mark.exists():
                return
            time.sleep(0.01)
        pytest.fail("the work of a hook that writes was cut off at its deadline")

    def test_an_answer_that_nobody_reads_is_not_told_as_written(tmp_path: Path) -> None:
        mark = tmp_path / "written"
        work = f"d.answer(b'x') and open({str(mark)!r}, 'w').close()"
        out, into = os.pipe()
        os.close(out)
        subprocess.run(
            script("forked", work, ["--deadline", "9000"]), cwd=ROOT, stdout=into, timeout=60
        )
        os.close(into)
        time.sleep(0.2)
        assert not mark.exists()


@pytest.mark.parametrize("way", WAYS)
def test_the_settings_may_move_the_deadline(way: str) -> None:
    began = time.monotonic()
    assert run(script(way, "d.adopt([], -7500)\ntime.sleep(60)", ["--deadline", "9000"])) == (
        0,
        b"",
        b"",
    )
    assert time.monotonic() - began < 6


@pytest.mark.skipif(
    sys.platform != "linux", reason="the system does not tell when a process started"
)
def test_the_time_before_our_first_line_counts() -> None:
    late = [*script("forked", "d.answer(b'late')", ["--deadline", "300"])]
    late[2] = "import time; time.sleep(0.5)\n" + late[2]
    assert run(late) == (0, b"", b"")
    early = [*script("forked", "d.answer(b'early')", ["--deadline", "20000"])]
    early[2] = "import time; time.sleep(0.5)\n" + early[2]
    assert run(early) == (0, b"early", b"")


@pytest.mark.parametrize(
    ("argv", "milliseconds"),
    [
        (["hook", "prompt"], 0),
        (["--deadline", "250"], 250),
        (["--deadline=40"], 40),
        (["--deadline"], 0),
        (["--deadline", "soon"], 0),
        (["--deadline", "5"], 0),
        (["--deadline", "9" * 30], 0),
        (["--deadline", "-300"], 0),
    ],
)
def test_a_deadline_that_is_none_is_the_default(argv: list[str], milliseconds: int) -> None:
    assert deadline.asked_for(argv) == milliseconds


def test_the_command_line_knows_the_same_events() -> None:
    assert list(HOOKS) == [*deadline.HOOK_EVENTS, "on", "off", "status"]


if hasattr(os, "fork"):

    def test_a_client_that_reads_nothing_does_not_hold_the_hook() -> None:
        out, into = os.pipe()
        os.set_blocking(into, False)
        try:
            while True:
                os.write(into, b"." * 4096)
        except BlockingIOError:
            os.set_blocking(into, True)
        began = time.monotonic()
        subprocess.run(
            script("forked", "d.answer(b'x' * 9000)", ["--deadline", "500"]),
            cwd=ROOT,
            stdout=into,
            timeout=20,
        )
        assert time.monotonic() - began < 0.5 + SLACK
        os.close(into)
        os.close(out)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("rest", ["time.sleep(60)", "while True: pass"])
def test_a_hook_that_is_too_late_is_told_with_its_session_and_its_time(
    way: str, rest: str, tmp_path: Path
) -> None:
    mark = tmp_path / "late"
    command = script(way, f"d.name('s1')\n{rest}", ["--deadline", "700"])
    half = str(tmp_path / "half")
    told = (
        f"lambda *told: (open({half!r}, 'w').write(repr(told)), os.rename({half!r}, {str(mark)!r}))"
    )
    command[2] = command[2].replace("writes=False)", f"writes=False, late={told})")
    assert run(command) == (0, b"", b"")
    for _ in range(500):
        if mark.exists():
            break
        time.sleep(0.01)
    session, seconds, first = eval(mark.read_text())
    assert (session, first) == ("s1", b"")
    assert 0.6 < seconds < 0.7 + SLACK


def test_an_index_in_a_hurry_is_mapped_and_another_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hurried_index, "LOOK", 30.0)
    (tmp_path / "vault").mkdir()
    settings = Settings(str(tmp_path / "vault"), str(tmp_path / "index"), vectors=False)
    index, _ = refresh(settings, now=1_900_000_000.0)
    assert index.db.execute("PRAGMA mmap_size").get == 0
    index.close()
    hurried, report = hurried_index.Hurried().refresh(settings, now=1_900_000_001.0)
    assert report.fresh
    assert hurried.db.execute("PRAGMA mmap_size").get > 0
    hurried.close()


@pytest.mark.parametrize(
    ("words", "given", "milliseconds"),
    [
        (["hook", "prompt"], 300, 300),
        (["hook", "session-start"], 300, 1000),
        (["hook", "session-start"], 500, 1500),
        (["hook", "session-start"], 10, 1000),
        (["hook", "prompt"], 1500, 1500),
    ],
)
def test_the_start_of_a_session_has_no_more_time_than_a_prompt(
    words: list[str], given: int, milliseconds: int
) -> None:
    assert deadline.allowed(words, given) == milliseconds


@pytest.mark.parametrize(("event", "seconds"), [("prompt", 0.3), ("session-start", 1.0)])
def test_a_hook_does_not_end_at_the_deadline_of_its_event(
    event: str, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    until = list[float]()

    def forked(work: object, by: float, note: object, *, writes: bool) -> None:
        until.append(by)
        raise SystemExit

    monkeypatch.setattr(deadline, "_forked", forked)
    monkeypatch.setattr(deadline, "process_age", lambda: 0.0)
    monkeypatch.setattr(time, "monotonic", lambda: 100.0)
    with pytest.raises(SystemExit):
        deadline.run_in_time(lambda _: None, ["hook", event], bytes, writes=False)
    assert until == [pytest.approx(100 + seconds)]


def test_an_index_in_a_hurry_reads_a_few_notes_and_is_not_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hurried_index, "LOOK", 30.0)
    (tmp_path / "vault").mkdir()
    settings = Settings(str(tmp_path / "vault"), str(tmp_path / "index"), vectors=False)
    refresh(settings, now=1_900_000_000.0)[0].close()
    seen = list[tuple[bool, int]]()
    for number, folder in enumerate(("few", "many")):
        (tmp_path / "vault" / folder).mkdir()
        for each in range(hurried_index.FEW + number):
            (tmp_path / "vault" / folder / f"{each}.md").write_text("# A\n")
        index, report = hurried_index.Hurried().refresh(settings, now=1_900_000_001.0)
        seen.append((report.fresh, len(index.get_keys())))
        index.close()
    assert seen == [(True, hurried_index.FEW), (False, hurried_index.FEW)]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="groups of processes")
def test_work_that_writes_goes_on_when_the_group_of_its_hook_is_ended(tmp_path: Path) -> None:
    begun, mark = tmp_path / "begun", tmp_path / "done"
    work = f"open({str(begun)!r}, 'w').close()\ntime.sleep(1)\nopen({str(mark)!r}, 'w').close()"
    command = script("forked", work, ["--deadline", "60000"], writes=True)
    with subprocess.Popen(
        command, cwd=ROOT, stdin=subprocess.DEVNULL, start_new_session=True
    ) as hook:
        for _ in range(3000):
            if begun.exists():
                break
            time.sleep(0.01)
        os.killpg(hook.pid, signal.SIGKILL)
    for _ in range(1000):
        if mark.exists():
            return
        time.sleep(0.01)
    pytest.fail("the work of a hook that writes ended with its group")
