"""Folders that come, go, move and change by the thousand."""

from __future__ import annotations

import random
import shutil
import subprocess
import time
import unicodedata
from pathlib import Path

import pytest

from tests.storms.conftest import Storm
from tests.storms.harness import Case
from tests.storms.place import Place
from tests.storms.savers import RECORDED, Saver, truncated


def git(place: Place, *words: str) -> None:
    """Git, in the vault."""
    who = [
        "-c",
        "user.name=Joe",
        "-c",
        "user.email=joe@example.org",
        "-c",
        "gc.auto=0",
        "-c",
        "core.autocrlf=false",
    ]
    subprocess.run(
        ["git", *who, *words],
        cwd=place.root,
        env=place.env,
        check=True,
        capture_output=True,
        timeout=120,
    )


def branch(place: Place, name: str, count: int) -> dict[str, bytes]:
    """Commit a branch of so many notes, each other than on every other branch; the ledger of it."""
    number = sum(name.encode())
    for at in range(count):
        if (at + number) % 10:
            more = "- one more\n" * ((at + number) % 3)
            place.write(
                f"area-{at % 20}/note-{at}.md", f"# Note {at}\n\n- {name} tells of {at}\n{more}"
            )
        elif f"area-{at % 20}/note-{at}.md" in place.ledger:
            place.remove(f"area-{at % 20}/note-{at}.md")
    git(place, "add", "-A")
    git(place, "commit", "-q", "-m", name)
    git(place, "branch", "-f", name)
    return dict(place.ledger)


def checkout(place: Place) -> None:
    """Git changes, adds and removes many notes, back and forth."""
    if not shutil.which("git"):
        place.said.append("could not run: git is not installed")
        return
    git(place, "init", "-q")
    count = place.size(300, 2000)
    branches = {name: branch(place, name, count) for name in ("left", "kind", "west")}
    place.start()
    place.settle(60.0)
    place.touched = 0
    with place.reading():
        for turn in range(place.size(3, 20)):
            name = list(branches)[turn % 3]
            git(place, "checkout", "-q", name)
            if turn % 4 == 1:  # the next one comes while this one is looked at
                time.sleep(0.1)
                continue
            place.ledger = dict(branches[name])
            place.touched += count
            place.latencies.append(place.settle(30.0))
        git(place, "checkout", "-q", "left")
        place.ledger = dict(branches["left"])
    place.said.append(f"at most {max(place.latencies):.1f} s")


def moves(place: Place) -> None:
    """Folders renamed, nested, swapped and moved, with saves in them at once."""
    for number in range(place.size(60, 600)):
        place.write(
            f"a/b{number % 3}/c{number % 5}/note-{number}.md",
            f"# Note {number}\n\nIt stands in its place {number}.\n",
        )
    place.start()
    with place.reading():
        for turn in range(place.size(2, 20)):
            place.move("a/b0", f"x/y/z{turn}")
            place.write(f"x/y/z{turn}/new.md", f"# New {turn}\n")
            place.move("a", "t")
            place.write("t/b1/c1/at-once.md", f"# At once {turn}\n")
            place.move("x", "a")
            place.move("t", "x")
            place.settle()
            place.move("x", "a/x")
            place.move(f"a/y/z{turn}", "deep/er/and/deeper")
            place.write("deep/er/and/deeper/note.md", f"# Deeper {turn}\n")
            place.move("deep/er", f"er{turn}")
            place.move(f"er{turn}/and/deeper", "b0")
            place.move("a/x", "q")
            place.remove("a")
            place.move("q", "a")
            place.move("b0", "a/b0")
            place.settle()


def made_and_filled(place: Place) -> None:
    """Folders that have notes in them before anybody can begin to watch them; some are gone at once again."""
    place.start()
    with place.reading():
        for turn in range(place.size(2, 10)):
            for number in range(place.size(40, 200)):
                path = f"made-{turn}/{number}"
                for _ in range(4):
                    path += "/d"
                    place.write(f"{path}/note.md", f"# Made {turn} {number}\n")
                if number % 5 == 0:
                    place.remove(f"made-{turn}/{number}/d/d")
                    place.write(f"made-{turn}/{number}/d/d/again.md", f"# Again {turn} {number}\n")
            place.settle(30.0)


def case_and_form(place: Place) -> None:
    """Names that differ in case, or in how an accent is written, alone."""
    place.write("Tea/Sencha é.md", "# Sencha\n\nfirst\n")
    place.start()
    now = "Tea/Sencha é.md"
    for turn in range(place.size(4, 60)):
        accents = (
            unicodedata.normalize("NFC", now) if turn % 2 else unicodedata.normalize("NFD", now)
        )
        other = (now.swapcase().replace(".MD", ".md"), accents)[turn % 4 // 2]
        if other != now:
            (old, _), (folder, name) = now.split("/"), other.split("/")
            place.move(now, f"{old}/{name}")
            if folder != old:
                place.move(old, folder)
            now = other
        if turn % 2:
            place.write(now, f"# Sencha\n\nturn {turn}\n")
        place.settle()


def memory_of(place: Place) -> float:
    """MB that the daemon holds; 0 where the system does not say."""
    assert place.daemon is not None  # the case started it
    status = Path(f"/proc/{place.daemon.pid}/status")
    lines = status.read_text().splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1000 for line in lines if line.startswith("VmRSS")), 0.0)


FILES = 80
"""Descriptors that a daemon may have open after a few hundred passes; about 25 are in use."""


def open_files(place: Place) -> int:
    """How many descriptors the daemon holds; 0 where the system does not say."""
    there = Path(f"/proc/{place.daemon.pid if place.daemon else 0}/fd")
    return len(list(there.iterdir())) if there.exists() else 0


def many_folders(place: Place) -> None:
    """More folders than a queue of the kernel holds events for: edits anywhere, new folders below."""
    count = place.size(5100, 10_000)
    for number in range(count):
        (place.root / f"many/{number // 100}/{number}").mkdir(parents=True)
        if number % place.size(50, 2) == 0:
            place.write(f"many/{number // 100}/{number}/note.md", f"# Note {number}\n")
    place.start()
    place.settle(60.0)
    dice = random.Random(1)
    with place.reading():
        for turn in range(place.size(8, 50)):
            number = dice.randrange(count)
            place.write(f"many/{number // 100}/{number}/edit.md", f"# Edit {turn}\n")
            place.write(f"many/{number // 100}/{number}/new/er/edit.md", f"# Newer {turn}\n")
            place.latencies.append(place.settle(30.0))
    place.said.append(f"edits within {max(place.latencies):.2f} s, {memory_of(place):.0f} MB")


def deleted_and_made_again(place: Place) -> None:
    """Most of a vault deleted and written again at once; then some of it gone for good."""
    count = place.size(60, 600)
    for number in range(count):
        place.write(f"all/{number % 7}/{number}.md", f"# Number {number}\n")
    place.start(clock=True)
    place.settle(60.0)
    with place.reading():
        for turn in range(place.size(2, 10)):
            place.remove("all")
            for number in range(count):
                place.write(
                    f"all/{number % 7}/{number}.md", f"# Number {number} of turn {turn % 2}\n"
                )
            place.settle(30.0)
            for number in range(0, count, 7):
                place.remove(f"all/0/{number}.md")
            place.settle(30.0)
        kept = dict(place.ledger)
        place.take_away(
            "all"
        )  # a tree is deleted file by file, and a pass in between may rightly miss the first few
        time.sleep(1.5)
        lost = [path for path in kept if path not in place.rows()[0]]
        assert not lost, f"most of the vault was believed to be gone at once: {len(lost)} notes"
        if not place.full:
            place.set_clock(40.0)
        place.latencies.append(place.settle(75.0))


def chaos(place: Place, seconds: float, seed: int, *, alone: bool) -> None:
    """Anything, anywhere, in any way, as long as it lasts; now and then everything has to be right."""
    dice = random.Random(seed)
    savers = list(RECORDED.values())
    until = time.monotonic() + seconds
    with place.reading(alone=alone) as reader:
        turn = 0
        while time.monotonic() < until:
            for _ in range(dice.choice([1, 5, 60])):
                turn += 1
                step(
                    place,
                    dice,
                    savers[turn % len(savers)] if dice.random() < 0.5 else truncated,
                    turn,
                )
            if dice.random() < 0.3:
                place.latencies.append(place.settle(30.0))
            else:
                time.sleep(dice.random() * 0.3)
    files = open_files(place)
    if files > FILES:
        place.wrong.append(f"the daemon holds {files} files open")
    place.said.append(
        f"slowest search {reader.slowest:.1f} s, {memory_of(place):.0f} MB, {files} open files"
    )


def step(place: Place, dice: random.Random, save: Saver, turn: int) -> None:
    """One thing that happens in a vault."""
    mine = [path for path in place.ledger if path.startswith("chaos")]
    folders = sorted({path.rpartition("/")[0] for path in mine} - {"chaos"})
    what = dice.choices(["write", "move", "folder", "remove", "tree"], [60, 12, 6, 12, 1])[0]
    new = f"chaos/{dice.randrange(5)}/{dice.randrange(5)}/note-{dice.randrange(40)}.md"
    if what == "write" or not mine:
        text = f"# Turn {turn}\n" + f"- it is what turn {turn} left\n" * dice.randrange(6)
        place.write(new, text, save)
    elif what == "move":
        old = dice.choice(mine)
        if old != new:
            place.ledger.pop(new, None)
            place.move(old, new)
    elif what == "folder" and folders:
        there, old = f"chaos/{dice.randrange(5)}/f{turn}", dice.choice(folders)
        if not there.startswith(old + "/"):
            place.move(old, there)
    elif what == "remove":
        place.remove(dice.choice(mine))
    elif what == "tree" and folders:
        place.remove(dice.choice(folders))


def some_chaos(place: Place) -> None:
    """A minute of it, or some seconds."""
    place.start()
    chaos(place, place.size(5, 60), seed=5, alone=False)


def soak(place: Place) -> None:
    """Ten minutes of it; memory has to stay where it is."""
    place.start()
    chaos(place, place.size(1, 60), seed=6, alone=False)
    before = memory_of(place)
    chaos(place, place.size(1, 540), seed=7, alone=True)
    grown = memory_of(place) - before
    assert grown < 25, f"the daemon grew by {grown:.0f} MB"


CASES = {
    "git checkout": Case(checkout),
    "folders moved": Case(moves),
    "folders made and filled": Case(made_and_filled),
    "case-only renames": Case(case_and_form),
    "many folders": Case(many_folders),
    "deleted and made again": Case(deleted_and_made_again, settle=80.0),
    "chaos": Case(some_chaos),
    "soak": Case(soak),
}
TESTED = [name for name in CASES if name != "soak"]
"""A soak is nothing that can be done in a moment."""


@pytest.mark.parametrize("name", TESTED)
def test_nothing_is_lost_while_folders_change(storm: Storm, name: str) -> None:
    storm(name, CASES[name])
