"""Sixteen agents, an editor that saves stale buffers and git at once: no acknowledged write is missing.

The ledger is what each agent was told had been written.  Three seconds of it here; `scripts/bench storms`
is for longer.
"""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import threading
import time
from pathlib import Path

from aurelius.writing import append
from aurelius.writing.check_edit import Place

ROOT = Path(__file__).resolve().parents[2]
AGENTS, SECONDS = 16, 3.0
DAY = "memory/2026-02-10.md"
PEOPLE = ["people/ada.md", "people/bob.md", "people/cy.md"]

AGENT = """
import random, sys, time
from aurelius.writing import append as append_module
from aurelius.writing.edit import apply_edits, read_note
from aurelius.writing.check_edit import Edit, Place
from indexer.errors import ConflictError
root, state, name, seconds, day, *people = sys.argv[1:]
place = Place(root, state)
luck = random.Random(name)
until = time.monotonic() + float(seconds)
number = conflicts = 0
while time.monotonic() < until:
    number += 1
    line = f"- {name} wrote line {number}\\n".encode()
    if luck.random() < 0.6:
        append_module.append_lines(place, day, line, opening=b"# Day\\n\\n")
        print(day, line.decode(), sep="\\t", end="", flush=True)
    else:
        path = luck.choice(people)
        before = read_note(place, path)
        try:
            apply_edits(place, [Edit(path, before, before + line)], "a line")
            print(path, line.decode(), sep="\\t", end="", flush=True)
        except ConflictError:
            conflicts += 1
    time.sleep(luck.random() * 0.02)
"""


def edit_day(root: Path, stop: threading.Event) -> None:
    """A person who reads the day, thinks a moment and saves over whatever came since."""
    luck = random.Random(1)
    number = 0
    while not stop.is_set():
        note = root / DAY
        text = note.read_bytes() if note.exists() else b"# Day\n\n"
        number += 1
        time.sleep(luck.random() * 0.1)
        if luck.random() < 0.5:
            note.write_bytes(text + b"- the person wrote line %d\n" % number)
        else:
            saved = note.with_suffix(".md~")
            saved.write_bytes(text + b"- the person wrote line %d\n" % number)
            os.replace(saved, note)
        time.sleep(luck.random() * 0.4)


def flip(root: Path, git: str, stop: threading.Event) -> None:
    """Branches that differ in another note, checked out in turn."""
    while not stop.wait(0.2):
        for branch in ("side", "main"):
            subprocess.run(
                [git, "checkout", "-q", branch], cwd=root, check=True, capture_output=True
            )


def repository(root: Path, git: str) -> None:
    def run(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
        subprocess.run([git, *who, *words], cwd=root, check=True, capture_output=True)

    run("init", "-q", "-b", "main")
    run("add", "-A")
    run("commit", "-qm", "first")
    run("checkout", "-qb", "side")
    (root / "projects.md").write_text("# Other\n")
    run("commit", "-qam", "side")
    run("checkout", "-q", "main")


def test_no_acknowledged_write_is_missing(tmp_path: Path) -> None:
    ledger, missing = write_at_once(tmp_path, SECONDS)
    assert missing == []
    assert len({path for path, _ in ledger}) == 4


def write_at_once(
    tmp_path: Path, seconds: float
) -> tuple[list[tuple[str, str]], list[tuple[str, str]]]:
    """Everybody writes for so long: the path and line of every write that was acknowledged, and those not there."""
    git = shutil.which("git")
    assert git, "the suite needs git"
    root = tmp_path / "vault"
    for path in (DAY, *PEOPLE):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
    for path in PEOPLE:
        (root / path).write_bytes(b"# Somebody\r\n\r\n## Facts\r\n\r\n")
    (root / "projects.md").write_text("# Projects\n")
    repository(root, git)
    place = Place(str(root), str(tmp_path / "state"))
    stop = threading.Event()
    threads = [
        threading.Thread(target=edit_day, args=(root, stop)),
        threading.Thread(target=flip, args=(root, git, stop)),
    ]
    agents = [
        subprocess.Popen(
            [
                sys.executable,
                "-c",
                AGENT,
                place.root,
                place.state,
                f"agent{number}",
                str(seconds),
                DAY,
                *PEOPLE,
            ],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(AGENTS)
    ]
    for thread in threads:
        thread.start()
    ledger: list[tuple[str, str]] = []
    readers = [
        threading.Thread(target=lambda agent=agent: note_down(agent, ledger)) for agent in agents
    ]
    for thread in readers:
        thread.start()
    while any(agent.poll() is None for agent in agents):
        append.look_for_lost_lines(place)  # as the daemon does
        time.sleep(0.2)
    stop.set()
    for thread in (*threads, *readers):
        thread.join()
    assert [agent.returncode for agent in agents] == [0] * AGENTS
    append.look_for_lost_lines(place, time.time() + 1)
    there = {path: set((root / path).read_text("utf-8").split("\n")) for path in (DAY, *PEOPLE)}
    told = {each.data.decode().strip() for each in append.lost_lines(place, private=True)}
    missing = [
        (path, line) for path, line in ledger if line not in there[path] and line not in told
    ]
    assert not [name for name in os.listdir(root / "people") if name.endswith(".tmp")]
    return ledger, missing


def note_down(agent: subprocess.Popen[str], ledger: list[tuple[str, str]]) -> None:
    """Keep what an agent was told had been written."""
    assert agent.stdout is not None
    with agent.stdout:
        for row in agent.stdout:
            path, _, line = row.rstrip("\n").partition("\t")
            ledger.append((path, line))
