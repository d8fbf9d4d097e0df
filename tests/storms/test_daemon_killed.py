"""The daemon stopped, killed, doubled, lied to about the time, and its index damaged under it."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from indexer.refresh.verify import verify
from indexer.rows import schema
from tests.storms.conftest import Storm
from tests.storms.harness import Case
from tests.storms.place import Place
from tests.storms.savers import jetbrains, truncated


def stopped(place: Place) -> None:
    """Frozen while far more happens than the kernel can queue for it."""
    place.start()
    count = place.size(300, 2000)
    for turn in range(place.size(1, 3)):
        place.settle(60.0)
        place.send(signal.SIGSTOP)
        for number in range(place.size(18_000, 20_000)):
            at = number % count
            path = f"frozen-{turn}/{at % 10}/{at}.md"
            if number % 5 == 4:
                place.write(path, f"# Frozen {number}\n", jetbrains)
            else:
                place.write(path, f"# Frozen {number}\n")
        for number in range(0, count, 50):
            place.remove(f"frozen-{turn}/{number % 10}/{number}.md")
        place.send(signal.SIGCONT)
        place.latencies.append(place.settle(30.0))
    place.said.append(f"right after {max(place.latencies):.1f} s")


def asked_while_stopped(place: Place) -> None:
    """A daemon that does not move is no reason to wait: every search is answered, with the last save or a word on it.

    One that is stopped while it writes keeps its lock: what it holds back, the answer says.  SQLite itself tries
    for 10 s where the daemon was stopped in the moment in which it opened the index; then the files are searched.
    """
    place.start()
    place.settle()
    late = 0
    for turn in range(place.size(2, 20)):
        place.send(signal.SIGSTOP)
        for number in range(3):
            place.write("desk/frozen.md", f"# Frozen\n\nmarmalade{turn}x{number}\n")
            done = place.command(
                "search", f"marmalade{turn}x{number}", "--mode", "keyword", "--paths", within=30.0
            )
            late += "may lack the latest edits" in done.err
            assert done.out == "desk/frozen.md\n" or "may lack the latest edits" in done.err, (
                turn,
                number,
                done,
            )
        place.send(signal.SIGCONT)
        assert place.finds(f"marmalade{turn}x2") == ["desk/frozen.md"], turn
    place.said.append(f"{late} answers said that they may lack the latest edits")


def killed(place: Place) -> None:
    """Killed at any moment while notes are saved, and started again each time."""
    dice = random.Random(8)
    over = threading.Event()

    def save() -> None:
        turn = 0
        while not over.is_set():
            turn += 1
            place.write(
                f"work/{turn % 7}/{turn % 90}.md",
                f"# Turn {turn}\n" + f"- fact {turn}\n" * (turn % 9),
            )
            time.sleep(0.002)

    writer = threading.Thread(target=save)
    writer.start()
    try:
        with place.reading(alone=True):
            for _ in range(place.size(3, 40)):
                place.start()
                time.sleep(dice.random() * 0.8)
                place.stop(signal.SIGKILL)
            place.start()
    finally:
        over.set()
        writer.join()


def commands_killed(place: Place) -> None:
    """Commands of every kind killed while they work, beside a daemon and writers."""
    dice = random.Random(9)
    place.start()
    lines = (["search", "marmalade"], ["index"], ["index", "--rebuild"], ["list"])
    with place.reading(alone=True):
        for turn in range(place.size(6, 80)):
            for number in range(40):
                place.write(
                    f"work/{number % 7}/{number}.md", f"# Turn {turn}\n\nmarmalade {number}\n"
                )
            process = subprocess.Popen(
                [sys.executable, "-m", "aurelius", *lines[turn % 4], "--vault", str(place.root)],
                env=place.env,
                cwd=place.home,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            time.sleep(dice.random() * 0.3)
            process.kill()
            process.wait()
        place.settle()


def ended_mid_pass(place: Place) -> None:
    """SIGTERM and SIGINT in the middle of a big pass: a clean end, soon, and the next one goes on."""
    for turn in range(place.size(2, 10)):
        for number in range(place.size(250, 4000)):
            facts = "".join(f"- fact {n} of {number} in turn {turn}\n" for n in range(8))
            place.write(f"work/{number % 7}/{number}.md", f"# Number {number}\n\n## Facts\n{facts}")
        if turn == 0:
            place.start()
        time.sleep(0.4)
        number, expected = ((signal.SIGTERM, 0), (signal.SIGINT, 130))[turn % 2]
        code = place.stop(number, within=5.0)
        assert code == expected, f"it ended with {code}: {place.daemon_output()}"
        place.start()


def second_one(place: Place) -> None:
    """A second daemon says who holds the vault, and leaves the first alone."""
    place.start()
    assert place.daemon is not None  # start() made it
    first = place.daemon.pid
    for _ in range(place.size(1, 20)):
        done = place.command("daemon", "run", within=20.0)
        assert done.code != 0, done
        assert str(first) in done.err, done
        place.write("desk/second.md", f"# Second {time.monotonic()}\n")
        place.settle(5.0)
    place.stop(signal.SIGKILL)
    place.start()


def damaged(place: Place) -> None:
    """Bytes of the index changed at random while the daemon works with it; what no pass notices, `verify` does."""
    dice = random.Random(10)
    for number in range(place.size(60, 300)):
        place.write(
            f"work/{number % 7}/{number}.md", f"# Number {number}\n\n- marmalade {number}\n"
        )
    place.start()
    place.settle(60.0)
    noticed, proved = 0, 0
    for turn in range(place.size(5, 60)):
        live = schema.current_file(place.settings.folder)
        assert live is not None  # the daemon made it
        damage(Path(live), dice, turn)
        place.write(f"work/{turn % 7}/new.md", f"# New {turn}\n\n- quince{turn}x\n")
        if place.finds(f"quince{turn}x") != [f"work/{turn % 7}/new.md"]:
            place.wrong.append(f"turn {turn}: what was saved after the damage is not found")
        noticed += schema.current_file(place.settings.folder) != live
        if verify(place.settings, now=time.time()).differences:
            proved += 1
            done = place.command("index", "--rebuild")
            assert done.code == 0, done
        place.settle()
    place.said.append(f"{noticed} noticed at once, {proved} by verify")


def damage(file: Path, dice: random.Random, turn: int) -> None:
    """Flip bits, empty pages, or cut the file."""
    with file.open("r+b") as writing:
        size = writing.seek(0, os.SEEK_END)
        if turn % 3 == 2:
            writing.seek(dice.randrange(size // 4096) * 4096)
            writing.write(bytes(4096))
            return
        if turn % 9 == 4:
            writing.truncate(size // 2)
            return
        for _ in range(dice.choice([1, 8, 64])):
            at = dice.randrange(size)
            writing.seek(at)
            byte = writing.read(1)
            writing.seek(at)
            writing.write(bytes([byte[0] ^ 1 << dice.randrange(8)]))


def index_deleted(place: Place) -> None:
    """The index deleted while the daemon runs, file by file and as a whole."""
    for number in range(place.size(60, 600)):
        place.write(
            f"work/{number % 7}/{number}.md", f"# Number {number}\n\n- marmalade {number}\n"
        )
    place.start()
    with place.reading(alone=True):
        for turn in range(place.size(4, 24)):
            place.settle(30.0)
            folder = Path(place.settings.folder)
            if turn % 2:
                live = schema.current_file(str(folder))
                with contextlib.suppress(FileNotFoundError):
                    Path(live or folder / "none").unlink()
            else:
                shutil.rmtree(folder, ignore_errors=True)
            place.write("work/after.md", f"# After {turn}\n\nquince{turn}x\n")
            assert place.finds(f"quince{turn}x") == ["work/after.md"]


def clock_set_back(place: Place) -> None:
    """The daemon's clock an hour back, a year on, and back: every save counts all the same."""
    place.start(clock=True)
    with place.reading(alone=True):
        for turn in range(place.size(1, 5)):
            for seconds in (-3600.0, 31_536_000.0, -2.5, -1e9, 1.5, 0.0):
                place.write("desk/clock.md", f"# Clock\n\n{turn} {seconds:+014.1f}\n")
                place.set_clock(seconds)
                place.write("desk/clock.md", f"# Clock\n\n{turn} {seconds:+014.2f}\n")
                place.settle(5.0)
                place.write("desk/clock.md", f"# Clock\n\n{turn} {seconds:+014.3f}\n", truncated)
                place.settle(5.0)


CASES = {
    "stopped while much happens": Case(stopped, "posix"),
    "asked while stopped": Case(asked_while_stopped, "posix"),
    "killed at random": Case(killed),
    "commands killed at random": Case(commands_killed),
    "ended in a pass": Case(ended_mid_pass, "posix", settle=120.0),
    "a second daemon": Case(second_one),
    "index damaged": Case(damaged),
    "index deleted": Case(index_deleted),
    "clock set back": Case(clock_set_back),
}


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_lost_when_the_daemon_is_killed(storm: Storm, name: str) -> None:
    storm(name, CASES[name])
