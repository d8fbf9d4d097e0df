"""Every way in which programs save: searchable with nobody asking, and never a second time."""

from __future__ import annotations

import os
import re
import statistics
import subprocess
import sys
import time
from functools import partial

from tests.storms.conftest import Storm
from tests.storms.harness import Case
from tests.storms.place import ROOT, Place
from tests.storms.savers import REAL, Saver, appended, installed, linked, time_put_back, truncated

SOON = 5.0
"""Seconds until a save has to be in the index; the median is far below, and bench says it."""


class Saving:
    """One program and the note that it saves over and over, in a folder of its own: no hint tells of another's."""

    def __init__(self, name: str, save: Saver) -> None:
        self.save = save
        self.word = re.sub(r"\W", "", name).lower()
        self.path = f"{self.word}/{self.word}.md"
        self.text = ""

    def turn(self, place: Place, number: int) -> None:
        """Save it once more."""
        line = f"- {self.word}{number}kettle\n"
        more = "" if self.save is appended else f"# {self.word}\n\n" + "- more\n" * (number % 5)
        self.text = self.text + line if self.save is appended else more + line
        place.write(self.path, self.text, self.save)

    def look(self, place: Place, number: int) -> None:
        """What was saved last is found, and what was before that is not."""
        if place.finds(f"{self.word}{number}kettle") != [self.path]:
            place.wrong.append(f"{self.word}: what it saved is not found")
        if self.save is not appended and place.finds(f"{self.word}{number - 1}kettle"):
            place.wrong.append(f"{self.word}: what it overwrote is still found")


def saved_by(place: Place, name: str) -> None:
    """One program, alone."""
    found, missing = installed()
    if name in missing:
        place.said.append(f"could not run: {missing[name]}")
        return
    place.start()
    saving = Saving(name, found[name])
    for number in range(place.size(3, 50)):
        saving.turn(place, number)
        place.latencies.append(place.settle(SOON))
        if number % 16 == 1:
            saving.look(place, number)
    tell_latency(place)


def saved_in_every_way(place: Place) -> None:
    """All of them in turn."""
    found, missing = installed()
    place.start()
    every = [Saving(name, save) for name, save in found.items()]
    for number in range(3):
        for saving in every:
            saving.turn(place, number)
        place.settle(SOON)
    for saving in every[:: place.size(3, 1)]:
        saving.look(place, 2)
    if missing:
        place.said.append(f"could not run: {', '.join(missing.values())}")


def tell_latency(place: Place) -> None:
    """What a person waits for, as part of the row."""
    times = sorted(place.latencies)
    place.said.append(
        f"p50 {statistics.median(times):.2f} s, p95 {times[int(len(times) * 0.95)]:.2f} s"
    )


def same_size_same_second(place: Place) -> None:
    """Rewritten with as many bytes again and again, right after a pass has read it, and with the time put back."""
    place.start()
    with place.reading():
        for turn in range(place.size(3, 40)):
            for number in range(100):
                place.write("desk/same.md", f"# Same\n\n{turn:04}x{number:04}\n")
            place.settle(SOON)
            for save in (truncated, time_put_back):
                place.write(
                    "desk/same.md", f"# Same\n\n{turn:04}{'yz'[save is truncated]}0000\n", save
                )
                place.settle(SOON)


def through_a_hard_link(place: Place) -> None:
    """No event tells of it: the next full scan finds it.  A test lets the clock jump, which calls for one."""
    place.start(clock=True)
    for turn in range(place.size(1, 3)):
        path = f"desk/linked-{turn}.md"
        place.write(path, "# Linked\n\nbefore\n", linked)
        place.settle(SOON)
        time.sleep(3)  # until its key proves something: before, it is hashed in each pass
        place.write(path, "# Linked\n\nafter\n", linked)
        if not place.full:
            place.set_clock(100.0 * (turn + 1))
        place.latencies.append(place.settle(90.0))
    tell_latency(place)


def half_written(place: Place) -> None:
    """An editor that holds a note truncated, then half written in the middle of a letter, for a while."""
    place.start()
    whole = ("# Held\n\n" + "ein Käse \N{CHEESE WEDGE}\n" * 40).encode()
    with place.reading():
        for turn in range(place.size(2, 10)):
            path = f"desk/held-{turn % 2}.md"
            place.write(path, f"# Held\n\nbefore {turn}\n")
            place.settle(SOON)
            file = os.open(place.root / path, os.O_WRONLY | os.O_TRUNC)
            try:
                time.sleep(0.5)
                half = whole.index("\N{CHEESE WEDGE}".encode()) + 2
                os.write(file, whole[:half])
                time.sleep(place.size(1, 4))
                os.write(file, whole[half:])
            finally:
                os.close(file)
            place.enter(path, whole)
            place.settle(SOON)


BURST = """
import sys, time
from indexer.refresh.refresh import refresh
from indexer.note import Settings
began, worked = time.monotonic(), time.process_time()
refresh(Settings(sys.argv[1], sys.argv[2]), now=time.time())[0].close()
print(time.monotonic() - began, time.process_time() - worked)
"""


def burst(place: Place) -> None:
    """Many notes at once, beside what a plain refresh of the same takes."""
    place.start()
    place.settle()
    began, worked = time.monotonic(), place.worked()
    for number in range(place.size(300, 2000)):
        facts = "".join(
            f"- Note {number} says that {number * n} apples were eaten (2026-01-{n + 10})\n"
            for n in range(8)
        )
        place.write(f"burst/{number % 20}/{number}.md", f"# Burst {number}\n\n## Facts\n{facts}")
    written = time.monotonic() - began
    place.settle(120.0)
    took, worked = time.monotonic() - began, place.worked() - worked
    if place.full:
        words = [sys.executable, "-c", BURST, str(place.root), str(place.top / "plain")]
        done = subprocess.run(
            words, env={**place.env, "PYTHONPATH": str(ROOT)}, capture_output=True, check=True
        )
        plain, busy = map(float, done.stdout.split())
        place.said.append(
            f"{took:.1f} s, {written:.1f} s of it writing, {worked:.1f} s of CPU; "
            f"a plain refresh {plain:.1f} s, {busy:.1f} s of CPU"
        )


CASES = {
    **{f"saved by {name}": Case(partial(saved_by, name=name)) for name in (*installed()[0], *REAL)},
    "same size, same second": Case(same_size_same_second),
    "through a hard link": Case(through_a_hard_link, settle=100.0),
    "half written": Case(half_written),
    "a burst": Case(burst),
}


def test_saved_in_every_way(storm: Storm) -> None:
    storm("saved in every way", Case(saved_in_every_way))


def test_same_size_same_second(storm: Storm) -> None:
    storm("same size, same second", CASES["same size, same second"])


def test_through_a_hard_link(storm: Storm) -> None:
    storm("through a hard link", CASES["through a hard link"])


def test_a_half_written_note_is_indexed_whole_in_the_end(storm: Storm) -> None:
    storm("half written", CASES["half written"])


def test_a_burst_of_saves_is_indexed_to_the_last_one(storm: Storm) -> None:
    storm("a burst", CASES["a burst"])
