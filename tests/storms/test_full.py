"""No room, no right: disks that are full, notes and folders that cannot be read for a while."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path

import pytest

from tests.storms.conftest import Storm
from tests.storms.harness import Case
from tests.storms.place import Place
from tests.storms.savers import agent, truncated
from tests.storms.test_root import mount


def index_on_a_full_disk(place: Place) -> None:
    """No room for the index: every answer is right all the same, and once there is room so is the index."""
    disk = place.top / "disk"
    disk.mkdir()
    mount("mount", "-t", "tmpfs", "-o", "size=64m", "none", disk)
    place.env["AURELIUS_INDEX"] = str(disk / "index")
    fill_up(disk, 1 << 18)
    place.start()
    with place.reading():
        for turn in range(place.size(2, 6)):
            facts = "".join(
                f"- Fact {n} that takes some room on the disk of turn {turn}\n" for n in range(40)
            )
            for number in range(place.size(30, 300)):
                place.write(
                    f"big/{number % 7}/{number}.md", f"# Number {number}\n\n## Facts\n{facts}"
                )
            for number in range(2):
                word = f"quince{turn}x{number}"
                place.write("big/last.md", f"# Last\n\n{word}\n")
                assert found(place, word) == "big/last.md\n"
            (disk / "ballast").unlink()
            place.latencies.append(place.settle(75.0))
            fill_up(disk, 1 << 14)
    place.said.append(f"right {max(place.latencies):.1f} s after there was room")


def found(place: Place, word: str) -> str:
    """What a search finds once it does not say any more that it may lack the latest edits.

    A busy machine needs longer for a pass than the two seconds that a search waits for it.
    """
    until = time.monotonic() + 60.0
    while True:
        done = place.command("search", word, "--paths", "--mode", "keyword")
        assert done.code == 0, done
        if "may lack the latest edits" not in done.err or time.monotonic() > until:
            return done.out
        time.sleep(0.2)


def fill_up(disk: Path, room: int) -> None:
    """Leave so many bytes on a disk, or none."""
    with (disk / "ballast").open("wb", buffering=0) as ballast, contextlib.suppress(OSError):
        while True:
            ballast.write(bytes(1 << 14))
    os.truncate(disk / "ballast", max((disk / "ballast").stat().st_size - room, 0))


def vault_on_a_full_disk(place: Place) -> None:
    """Editors that find no room leave notes empty or cut: the index has what is there, and later what is right."""
    kept = {path: (place.root / path).read_bytes() for path in place.ledger}
    mount("mount", "-t", "tmpfs", "-o", "size=1m", "none", place.root)
    (place.root / ".aurelius").mkdir()
    for path, data in kept.items():
        place.write(path, data.decode())
    place.start()
    with place.reading():
        for turn in range(place.size(2, 10)):
            torn: list[str] = []
            number = 0
            while len(torn) < 5:
                path = f"big/{number}.md"
                number += 1
                save = (truncated, agent)[number % 3 == 0]
                try:
                    place.write(
                        path, f"# Number {number}\n\n" + f"It is turn {turn}.\n" * 1000, save
                    )
                except OSError:  # no room: what there is of it is what the editor left
                    torn.append(path)
                    if (place.root / path).exists():
                        place.enter(path, (place.root / path).read_bytes())
            place.settle()
            for path in [path for path in place.ledger if path.startswith("big")][
                :15
            ]:  # more at once would be held
                place.remove(path)
            place.write(torn[0], f"# Torn {turn}\n")
            place.settle()


def lock_up(note: Path, data: bytes, aside: Path) -> None:
    """Saved, and nobody may read it."""
    truncated(note, data, aside)
    note.chmod(0)


def unreadable(place: Place) -> None:
    """Notes and folders without rights for a while: their rows stay, and what was saved meanwhile is found after."""
    for number in range(place.size(20, 200)):
        place.write(
            f"work/{number % 4}/{number}.md", f"# Number {number}\n\n- marmalade {number}\n"
        )
    place.start()
    note, folder = place.root / "work/1/1.md", place.root / "work/2"
    with place.reading():
        for turn in range(place.size(2, 10)):
            place.settle()
            before = place.rows()[0]
            place.write("work/1/1.md", f"# Number 1\n\nsaved in turn {turn}\n", lock_up)
            place.write("work/2/2.md", f"# Number 2\n\nsaved in turn {turn}\n")
            folder.chmod(0)
            until = time.monotonic() + place.size(1, 3)
            while time.monotonic() < until:
                assert place.rows()[0].keys() == before.keys(), (
                    "what cannot be read was taken for deleted"
                )
                time.sleep(0.05)
            note.chmod(0o644)
            folder.chmod(0o755)
            place.settle(5.0)


CASES = {
    "index on a full disk": Case(index_on_a_full_disk, "root", settle=75.0, seconds=120.0),
    "vault on a full disk": Case(vault_on_a_full_disk, "root"),
    "unreadable for a while": Case(unreadable, "plain"),
}


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_lost_when_the_disk_is_full(storm: Storm, name: str) -> None:
    storm(name, CASES[name])
