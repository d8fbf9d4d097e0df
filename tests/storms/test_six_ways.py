"""One program that saves a note in six ways, against every command that changes notes: nothing either wrote is lost.

What the program saved, and what a command was acknowledged, stands in a note or a conflict copy in the
end; a line that the program saved over stands in `review`.  A second each here; `scripts/bench storms` is for longer.
"""

from __future__ import annotations

import datetime
import io
import os
import random
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from aurelius.__main__ import run_line
from aurelius.cli.run import Context
from aurelius.settings.config import load
from aurelius.writing import append, append_journal, undo_log
from aurelius.writing.edit import apply, place_of, read
from aurelius.writing.edits import Edit, Place
from indexer.errors import AureliusError

WAYS = ("append", "append at once", "truncate", "truncate at once", "overwrite", "rename")
COMMANDS = ("add", "update", "supersede", "archive", "move", "summarize", "tidy", "reinforce")
NOTE = "people/joe.md"
TEXT = (
    "# Joe\n\n## Facts\n\n- Sails a red boat (2026-01-01) ^boat01\n"
    "- Keeps old maps (2026-01-02) ^maps02\n\n## Notes\n\n"
)

SAVER = """
import os, random, sys, time
path, way, seconds, pause = sys.argv[1], sys.argv[2], float(sys.argv[3]), float(sys.argv[4])
luck, until, number = random.Random(way), time.monotonic() + float(seconds), 0
def text():
    with open(path, "rb") as file:
        return file.read()
while time.monotonic() < until:
    time.sleep(luck.random() * pause)
    line = b"theirs%d\\n" % number
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
    """What came of one loop: the saves, the changes that were acknowledged, and those of both that are nowhere."""

    saves: int
    changes: int
    lost: tuple[str, ...]


def changes(root: Path, env: dict[str, str], place: Place, command: str) -> Iterator[str]:
    """Make one change after the other; the word of each that was acknowledged, "" where it has none."""
    number = 0

    def run(*words: str) -> bool:
        out, err = io.StringIO(), io.StringIO()
        now = datetime.datetime(2026, 2, 10, 12)
        return run_line(words, Context(str(root), env, False, io.StringIO(), out, err, now)) == 0

    while True:
        number += 1
        word = f"ours{number}"
        if command == "apply":
            place = place_of(load(str(root), env), env)  # the first change gives the vault a name
            before = read(place, NOTE)
            try:
                apply(place, [Edit(NOTE, before, (before or b"") + f"{word}\n".encode())], "a line")
                yield word
            except AureliusError:
                yield ""
            continue
        words = {
            "add": ("add", NOTE, f"Owns {word} boats"),
            "update": ("update", "boat01", f"Sails {word} boats"),
            "supersede": ("supersede", "maps02", f"Keeps {word} maps"),
            "archive": ("archive", "maps02"),
            "move": ("move", NOTE if (root / NOTE).exists() else "areas/joe.md", "areas" if number % 2 else "people"),
            "summarize": ("summarize", NOTE),
            "tidy": ("tidy", "--stamp"),
            "reinforce": ("reinforce", "boat01"),
        }[command]
        done = run(*words)
        yield word if done and any(word in each for each in words) else ""


def loop(top: Path, way: str, command: str, seconds: float, pause: float) -> Loop:
    """One program and one command, for so long."""
    root = top / "vault"
    for folder in ("people", "areas", ".aurelius"):
        (root / folder).mkdir(parents=True)
    (root / NOTE).write_text(TEXT)
    (top / "home").mkdir()
    env = {"HOME": str(top / "home"), "AURELIUS_INDEX": str(top / "index"), "PATH": os.environ.get("PATH", "")}
    place = place_of(load(str(root), env), env)
    words = [sys.executable, "-c", SAVER, str(root / NOTE), way, str(seconds), str(pause)]
    saver = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    ours = []
    for word in changes(root, env, place, command):
        ours.append(word)
        if saver.poll() is not None:
            break
    assert saver.stdout is not None
    theirs = saver.communicate()[0].split()
    assert saver.returncode == 0
    time.sleep(0.3)
    place = place_of(load(str(root), env), env)  # the first change gave the vault a name, and so another state folder
    append.look(place, time.time() + 3.0)
    there = "\n".join(path.read_text("utf-8", "replace") for path in root.rglob("*.md"))
    seen = set(re.findall(r"\w+", there))
    told = set(re.findall(r"\w+", " ".join(each.data.decode() for each in append_journal.vanished(place.state))))
    kept = [note.before or b"" for each in undo_log.entries(place.state) for note in each.notes]
    undo = set(re.findall(r"\w+", b" ".join(kept).decode("utf-8", "replace")))
    lost = [word for word in theirs if word not in seen]
    lost += [word for word in filter(None, ours) if word not in seen | told | undo]
    if command in {"apply", "add"}:
        lost += [f"{word} is not told" for word in filter(None, ours) if word not in seen | told]
    return Loop(len(theirs), sum(map(bool, ours)), tuple(lost))


@pytest.mark.parametrize("way", WAYS)
def test_a_program_that_saves_in_this_way_loses_nothing_against_a_change(tmp_path: Path, way: str) -> None:
    done = loop(tmp_path, way, "apply", 1.0, 0.02)
    assert done.lost == ()
    assert done.saves


@pytest.mark.parametrize("command", COMMANDS)
def test_a_program_that_saves_loses_nothing_against_a_command(tmp_path: Path, command: str) -> None:
    way = random.Random(command).choice(WAYS)
    done = loop(tmp_path, way, command, 1.0, 0.1)
    assert done.lost == ()
