"""What wakes and stops the daemon: a signal at whatever moment is heard, once, and its exit code is always the same."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from aurelius.daemon import wake as module
from aurelius.daemon.wake import Wake, heed_signals, stopped_by_signals

ROOT = Path(__file__).resolve().parents[3]

STRUCK = """
import os, signal, sys

calls, number, where, count = 0, *sys.argv.pop(1).split(":")

def look(frame, event, _):
    global calls
    if event == "call" and where in (frame.f_code.co_filename + " " + frame.f_code.co_name):
        calls += 1
        if calls == int(count):
            os.kill(os.getpid(), int(number))

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell lets what it runs in the background ignore it
from aurelius.__main__ import main
sys.argv[:] = ["aurelius", *sys.argv[1:]]
sys.setprofile(look)
main()
"""
"""Runs the program and sends it a signal as it calls a function of that name for the so many-eth time."""


@pytest.fixture
def struck(vault: Callable[[str], Path], env: dict[str, str]) -> Callable[[int, str], tuple[int, str]]:
    root = vault("sample")

    def run(number: int, moment: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-c", STRUCK, f"{int(number)}:{moment}", "--vault", str(root), "daemon", "run"],
            env={**env, "PYTHONPATH": str(ROOT)}, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, text=True, timeout=30,
        )  # fmt: skip
        return done.returncode, done.stderr

    return run


IMPORTS = [f"importlib._bootstrap> cb:{count}" for count in (1, 3, 20, 60, 100, 140)]
"""Where the import of a module ends: an exception that comes up there is swallowed."""
MOMENTS = [
    "__main__.py _stays:1", "run.py parse:1", "daemon.py run:1", "loop.py __init__:1", "live_index.py __init__:1",
    "server.py __init__:1", "loop.py serve:1", "loop.py _turn:1", "live_index.py turn:1", "parse.py parse:1",
    "parse.py parse:9", "write_notes.py _put:1", "loop.py _report:1", "loop.py _give_back:1", "jobs.py due:1",
    "wake.py wait:1", "wake.py wait:2", "loop.py _turn:2",
]  # fmt: skip
"""From the first line of the program to its rest, some of them in the middle of a pass."""


@pytest.mark.skipif(os.name == "nt", reason="a process of Windows cannot send itself Ctrl-C alone")
@pytest.mark.parametrize("moment", [*IMPORTS, *MOMENTS])
def test_ctrl_c_ends_it_at_whatever_moment_it_comes(moment: str, struck: Callable[[int, str], tuple[int, str]]) -> None:
    code, said = struck(signal.SIGINT, moment)
    assert (code, said.splitlines()[-1:]) == (130, ["aurelius: stopped"])
    assert "ignored" not in said
    assert "Traceback" not in said


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signal")
@pytest.mark.parametrize("moment", [IMPORTS[2], "run.py parse:1", "parse.py parse:9", "wake.py wait:1"])
def test_sigterm_is_a_wish_and_no_failure(moment: str, struck: Callable[[int, str], tuple[int, str]]) -> None:
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
    before = [signal.getsignal(number) for number in module.SIGNALS]
    with stopped_by_signals() as wake:
        assert heed_signals() is wake
        signal.raise_signal(signal.SIGTERM)
        assert wake.number == signal.SIGTERM
    assert [signal.getsignal(number) for number in module.SIGNALS] == before
