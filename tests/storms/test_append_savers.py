"""Programs that save today's note in six ways, over and over, while lines are noted: no save is lost,
and no line is that is neither in the note nor offered by `review`.

What each side was told had been written is its ledger.  Two seconds of each way here; `scripts/bench
storms` lets each go on for twelve.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

from aurelius.writing import append, append_journal
from aurelius.writing.check_edit import Place

ROOT = Path(__file__).resolve().parents[2]
DAY = "memory/2026-02-10.md"
SECONDS = 2.0

WAYS = ("append at once", "append late", "truncate", "write binary", "overwrite", "rename")

SAVER = """
import os, random, sys, time
way, note, seconds = sys.argv[1], sys.argv[2], float(sys.argv[3])
luck = random.Random(way)
until = time.monotonic() + seconds
number = 0
while time.monotonic() < until:
    number += 1
    line = b"- saved by a program %d\\n" % number
    if way.startswith("append"):
        file = os.open(note, os.O_WRONLY | os.O_APPEND)
        time.sleep(luck.random() * 0.02 if way == "append late" else 0)
        os.write(file, line)
        os.close(file)
    else:
        with open(note, "rb") as old:
            text = old.read() + line
        if way == "truncate":
            file = os.open(note, os.O_WRONLY | os.O_TRUNC)
            time.sleep(luck.random() * 0.005)
            os.write(file, text)
            os.close(file)
        elif way == "write binary":
            with open(note, "wb") as new:
                new.write(text)
        elif way == "overwrite":
            file = os.open(note, os.O_RDWR)
            time.sleep(luck.random() * 0.02)
            os.write(file, text)
            os.ftruncate(file, len(text))
            os.close(file)
        else:
            with open(note + "~", "wb") as new:
                new.write(text)
            os.replace(note + "~", note)
    print(line.decode(), end="", flush=True)
    time.sleep(luck.random() * 0.04)
"""

WRITER = """
import sys, time
from aurelius.writing import append as append_module, append_journal
from aurelius.writing.check_edit import Place
from indexer.errors import ConflictError
root, state, path, seconds = sys.argv[1:]
place = Place(root, state)
until = time.monotonic() + float(seconds)
number = 0
while time.monotonic() < until:
    number += 1
    line = b"- noted line %d ^n%d\\n" % (number, number)
    append_module.look_for_lost_lines(place)  # as every command does
    try:
        append_module.append_lines(place, path, line, opening=b"# Day\\n\\n")
        print(line.decode(), end="", flush=True)
    except ConflictError:
        pass
    time.sleep(0.01)
"""


class Result(NamedTuple):
    """What came of it: how many lines were acknowledged and saved, and which of either are nowhere, or doubled."""

    noted: int
    saved: int
    lost: tuple[str, ...]
    doubled: tuple[str, ...]
    told: tuple[str, ...]


def save_and_note(top: Path, way: str, seconds: float) -> Result:
    """Both at once for so long; then what a next command finds and tells."""
    root = top / "vault"
    note = root / DAY
    note.parent.mkdir(parents=True)
    note.write_bytes(b"# Day\n\n- the first line\n")
    place = Place(str(root), str(top / "state"))
    env = os.environ | {"PYTHONPATH": str(ROOT)}
    programs = (
        [sys.executable, "-c", SAVER, way, str(note), str(seconds)],
        [sys.executable, "-c", WRITER, place.root, place.state, DAY, str(seconds)],
    )
    running = [
        subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True) for words in programs
    ]
    saved, noted = (
        [line.rstrip("\n") for line in each.communicate()[0].splitlines()] for each in running
    )
    assert [each.returncode for each in running] == [0, 0]
    before = note.read_bytes()
    append.look_for_lost_lines(place, time.time() + 1.0)
    assert note.read_bytes() == before
    there = [
        line for path in note.parent.iterdir() for line in path.read_text("utf-8").splitlines()
    ]
    told = [each.data.decode().strip() for each in append.lost_lines(place, private=True)]
    lost = [line for line in ("- the first line", *saved, *noted) if line not in {*there, *told}]
    doubled = [line for line in noted if [*there, *told].count(line) > 1]
    return Result(len(noted), len(saved), tuple(lost), tuple(doubled), tuple(told))


@pytest.mark.parametrize("way", WAYS)
def test_nothing_is_lost_to_a_program_that_saves(tmp_path: Path, way: str) -> None:
    found = save_and_note(tmp_path, way, SECONDS)
    assert found.noted
    assert found.saved
    assert (found.lost, found.doubled) == ((), ()), found


def git_and_note(top: Path, seconds: float) -> tuple[list[str], list[str], list[str]]:
    """Git works on today's note in every way while lines are noted: those acknowledged, doubled, and nowhere at all.

    A line that git keeps, on another branch or in the stash, is where the person put it.
    """
    root = top / "vault"
    note = root / DAY
    note.parent.mkdir(parents=True)
    note.write_bytes(b"# Day\n\n- the first line\n")
    (root / "other.md").write_bytes(b"one\n")
    (root / ".gitattributes").write_bytes(b"memory/*.md merge=union\n")
    env = os.environ | {"PYTHONPATH": str(ROOT), "HOME": str(top), "GIT_EDITOR": "true"}

    def git(*words: str) -> str:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        done = subprocess.run(
            ["git", *who, *words], cwd=root, env=env, capture_output=True, text=True, check=False
        )
        return done.stdout

    git("init", "-q", "-b", "main")
    git("add", "-A")
    git("commit", "-qm", "first")
    git("branch", "side")
    place = Place(str(root), str(top / "state"), env=env)
    words = [sys.executable, "-c", WRITER, place.root, place.state, DAY, str(seconds)]
    running = subprocess.Popen(words, env=env, stdout=subprocess.PIPE, text=True)
    luck = random.Random(5)
    turns = [
        ["stash"],
        ["stash", "pop"],
        ["commit", "-qam", "a day"],
        ["checkout", "-q", "side"],
        ["checkout", "-q", "main"],
        ["merge", "-q", "side"],
        ["rebase", "-q", "side"],
        ["commit", "-qam", "more"],
        ["restore", DAY],
    ]
    while running.poll() is None:
        git(*luck.choice(turns))
        time.sleep(luck.random() * 0.2)
    noted = (running.communicate()[0]).splitlines()
    assert running.returncode == 0
    time.sleep(0.3)
    append.look_for_lost_lines(place)
    lines = note.read_text("utf-8").splitlines()
    kept = git("log", "--all", "--reflog", "-p", "--", DAY) + "\n".join(lines)
    told = {each.data.decode().strip() for each in append.lost_lines(place, private=True)}
    watched = {each.data.decode().strip() for each in append_journal.read_journal(place.state)}
    nowhere = [line for line in noted if line not in kept and line not in told | watched]
    return noted, [line for line in noted if lines.count(line) > 1], nowhere


def test_no_line_is_doubled_or_forgotten_while_git_works_on_the_note(tmp_path: Path) -> None:
    noted, doubled, nowhere = git_and_note(tmp_path, 2 * SECONDS)
    assert noted
    assert (doubled, nowhere) == ([], [])
