"""One program that saves a note in six ways, against every command that writes: nothing either wrote is lost.

What the program saved, and what a command was acknowledged, stands in a note or a conflict copy in the end, or the
person is told that it is gone.  Here the program is stepped, so that no test hangs on a clock; `loop` has two real
processes, for longer in `scripts/bench storms`.
"""

from __future__ import annotations

import random
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from aurelius.cli.declarations import COMMANDS as ALL
from aurelius.cli.declarations import TENDING, WRITING
from tests.storms.rounds import COMMANDS, Rounds, make_vault, target
from tests.storms.stepped import Stepped

WAYS = ("append", "append at once", "truncate", "truncate at once", "overwrite", "rename")
SEEDS = 150
"""Fresh facts, or notes, that a long loop begins with."""

SAVER = """
import os, random, sys, time
path, way, seconds, pause = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
luck, until, number = random.Random(way), time.monotonic() + float(seconds), 0
def text():
    with open(path, "rb") as file:
        return file.read()
while time.monotonic() < until:
    time.sleep(luck.random() * pause)
    line = b"- theirs%d is on the list (2026-01-03)\\n" % number
    try:
        if way.startswith("append"):
            handle = os.open(path, os.O_WRONLY | os.O_APPEND)
            time.sleep(0 if way.endswith("once") else luck.random() * 0.02)
            os.write(handle, line); os.close(handle)
        elif way == "truncate":
            handle = os.open(path, os.O_RDWR)
            old = os.read(handle, 1 << 24); os.ftruncate(handle, 0); os.lseek(handle, 0, 0)
            time.sleep(luck.random() * 0.005)
            os.write(handle, old + line); os.close(handle)
        elif way == "truncate at once":
            old = text()
            with open(path, "wb") as file:
                file.write(old + line)
        elif way == "overwrite":
            handle = os.open(path, os.O_RDWR)
            old = os.read(handle, 1 << 24)
            time.sleep(luck.random() * 0.02)
            os.lseek(handle, 0, 0); os.write(handle, old + line); os.close(handle)
        else:
            with open(path + "~", "wb") as file:
                file.write(text() + line)
            os.rename(path + "~", path)
    except FileNotFoundError:
        continue
    print("theirs%d" % number, flush=True)
    number += 1
"""


class Loop(NamedTuple):
    """What came of one loop: saves, commands, the changes that were acknowledged, and what of theirs or ours is
    nowhere."""

    saves: int
    runs: int
    changes: int
    lost: tuple[str, ...]


def loop(top: Path, way: str, command: str, seconds: float, pause: float) -> Loop:
    """One program and one command, each a process of its own, for so long."""
    root, env = top / "vault", make_vault(top, command, SEEDS)
    words = [
        sys.executable,
        "-c",
        SAVER,
        str(root / target(command)),
        way,
        str(seconds),
        str(pause),
    ]
    saver = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    rounds = Rounds(root, env, command)
    while saver.poll() is None:
        rounds.run()
    assert saver.stdout is not None
    theirs = saver.communicate()[0].split()
    assert saver.returncode == 0
    time.sleep(0.3)
    return Loop(len(theirs), rounds.runs, rounds.made, rounds.lost(theirs))


def stepped(
    top: Path, command: str, ways: tuple[str, ...], keen: float = 0.0, luck: int = 0
) -> Loop:
    """One round of a command against each of these ways, which save when the number `luck` lets them."""
    rounds = Rounds(top / "vault", make_vault(top, command, len(ways)), command)
    saver = Stepped(rounds.root / target(command), random.Random(f"{command}{luck or ''}"), keen)
    for way in ways:
        with saver.at_work(way):
            rounds.run()
    return Loop(len(saver.saves), rounds.runs, rounds.made, rounds.lost(saver.saves))


def test_every_command_that_writes_is_tried() -> None:
    writing = {each.name for each in ALL.values() if each.group in {WRITING, TENDING}}
    assert writing | {"doctor"} == {name.partition(" ")[0] for name in COMMANDS}


@pytest.mark.parametrize("way", WAYS)
def test_a_program_that_saves_in_this_way_loses_nothing_against_a_change(
    tmp_path: Path, way: str
) -> None:
    done = stepped(tmp_path, "apply", (way,) * 24, keen=0.3)
    assert done.lost == ()
    assert done.saves >= done.runs
    assert done.changes  # else every command met the program and nothing was tried


@pytest.mark.parametrize("command", COMMANDS)
def test_a_program_that_saves_in_every_way_loses_nothing_against_a_command(
    tmp_path: Path, command: str
) -> None:
    for luck in range(5):
        done = stepped(tmp_path / str(luck), command, WAYS, luck=luck)
        assert done.lost == ()
        assert done.saves
        if done.changes:
            return
    raise AssertionError("every command met the program and nothing was tried")


def test_a_program_of_its_own_loses_nothing_against_a_change(tmp_path: Path) -> None:
    done = loop(tmp_path, "truncate", "apply", 0.5, 0.1)
    assert done.lost == ()
    assert done.saves
