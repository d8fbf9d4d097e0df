"""The vault's own folder goes, comes back, is another one; the kernel refuses to watch."""

from __future__ import annotations

import shutil
import subprocess
import time
from functools import partial
from pathlib import Path

import pytest

from tests.storms.conftest import Storm
from tests.storms.harness import Case
from tests.storms.place import Place


def fill(place: Place, count: int) -> None:
    """Notes in some folders."""
    for number in range(count):
        place.write(
            f"area-{number % 10}/{number}.md", f"# Note {number}\n\nIt is number {number}.\n"
        )


def still_there(place: Place, seconds: float) -> None:
    """For so long, no row of the index may go."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        rows = place.rows()[0]
        assert rows.keys() >= place.ledger.keys(), (
            f"of {len(place.ledger)} notes {len(rows)} are left in the index"
        )
        time.sleep(0.2)


def renamed(place: Place) -> None:
    """Renamed away, edited there, renamed back."""
    fill(place, 60)
    place.start()
    away = place.top / "elsewhere"
    with place.reading():
        for turn in range(place.size(2, 10)):
            place.settle()
            with place.unreachable():
                place.root.rename(away)
                still_there(place, 1.5 + place.size(0, 4))
                text = f"# Away {turn}\n"
                (away / "area-1" / "away.md").write_text(text)
                away.rename(place.root)
                place.enter("area-1/away.md", text.encode())
            place.write("area-2/back.md", f"# Back {turn}\n")
            place.settle(10.0)


def replaced(place: Place) -> None:
    """Another folder in its place, with other notes: it is the vault from now on.  An empty one waits."""
    fill(place, 60)
    place.start()
    with place.reading():
        for turn in range(place.size(2, 10)):
            place.settle()
            other, old = place.top / f"other-{turn}", place.top / f"old-{turn}"
            shutil.copytree(place.root, other)
            with place.unreachable():
                place.root.rename(old)
                other.rename(place.root)
            (old / "area-3" / "3.md").write_text("# Nobody's\n")
            place.write("area-3/3.md", f"# Replaced {turn}\n")
            place.settle(10.0)
            place.write("area-4/new.md", f"# New {turn}\n")
            place.settle(10.0)
        with place.unreachable():
            place.root.rename(place.top / "kept")
            place.root.mkdir()
            still_there(place, 1.5 + place.size(0, 4))
            place.root.rmdir()
            (place.top / "kept").rename(place.root)
        place.write("area-4/new.md", "# New again\n")


def linked(place: Place) -> None:
    """The vault named through a link; the link then leads elsewhere and back."""
    fill(place, 60)
    link = place.top / "link"
    link.symlink_to(place.root)
    place.start(root=link)
    other = place.top / "other"
    (other / ".aurelius").mkdir(parents=True)
    (other / "only.md").write_text("# Only\n\nmarmalade\n")

    def asked() -> list[str]:
        done = place.command("search", "marmalade", "--paths", "--mode", "keyword", root=link)
        assert done.code == 0, done
        return done.out.splitlines()

    with place.reading():
        for turn in range(place.size(2, 10)):
            place.write("area-1/linked.md", f"# Linked {turn}\n\nmarmalade {turn}\n")
            assert asked() == ["area-1/linked.md"], turn
            (link.parent / "new").symlink_to(other)
            (link.parent / "new").replace(link)
            assert asked() == ["only.md"], turn
            (link.parent / "new").symlink_to(place.root)
            (link.parent / "new").replace(link)
            place.write("area-1/linked.md", f"# Linked again {turn}\n\nmarmalade {turn}\n")
            place.settle()


def mount(*words: str | Path) -> None:
    """mount or umount; here with the rights of a namespace of our own."""
    subprocess.run(words, check=True, capture_output=True, timeout=20)


def unmounted(place: Place) -> None:
    """A file system of its own, taken away and put back: the empty folder below it is no deletion."""
    disk = place.top / "disk"
    shutil.copytree(place.root, disk)
    mount("mount", "-t", "tmpfs", "none", place.root)
    shutil.copytree(disk, place.root, dirs_exist_ok=True)
    fill(place, 60)
    place.start()
    away = place.top / "away"
    away.mkdir()
    with place.reading():
        for turn in range(place.size(1, 8)):
            place.settle()
            with place.unreachable():
                mount("mount", "--move", place.root, away)
                still_there(place, 1.5 + place.size(0, 4))
                text = f"# Away {turn}\n"
                (away / "area-1" / "away.md").write_text(text)
                mount("mount", "--move", away, place.root)
                place.enter("area-1/away.md", text.encode())
            place.settle(10.0)
            place.write("area-2/back.md", f"# Back {turn}\n")
            place.settle(10.0)
            really_unmounted(place, away, turn)


def really_unmounted(place: Place, away: Path, turn: int) -> None:
    """Gone, and another file system with the same notes comes."""
    mount("mount", "-t", "tmpfs", "none", away)
    shutil.copytree(place.root, away, dirs_exist_ok=True)
    with place.unreachable():
        mount("umount", place.root)
        still_there(place, 1.5 + place.size(0, 4))
        mount("mount", "--move", away, place.root)
    place.settle(10.0)
    place.write("area-3/mounted.md", f"# Mounted {turn}\n")
    place.settle(10.0)


def few_watches(place: Place, limit: str, many: int) -> None:
    """The kernel watches no more than so many folders: the others are scanned, and `status` says so."""
    (Path("/proc/sys/user") / limit).write_text(str(many))
    count = place.size(450 if many else 100, 1200)
    for number in range(count):
        place.write(f"area-{number % 20}/{number}/note.md", f"# Note {number}\n")
    place.start()
    place.settle(30.0)
    done = place.command("daemon", "status")
    assert (done.code, "scan" in done.out) == (1, True), done
    with place.reading():
        for turn in range(place.size(2, 10)):
            for number in range(turn, count, 37):
                place.write(
                    f"area-{number % 20}/{number}/note.md", f"# Note {number} of turn {turn}\n"
                )
                place.write(f"area-{number % 20}/new-{turn}/{number}/note.md", f"# New {number}\n")
            place.latencies.append(place.settle(10.0))
    place.said.append(f"at most {max(place.latencies):.1f} s")


CASES = {
    "root renamed": Case(renamed),
    "root replaced": Case(replaced),
    "root a link": Case(linked),
    "unmounted": Case(unmounted, "root"),
    "watch limit 0": Case(partial(few_watches, limit="max_inotify_watches", many=0), "root"),
    "watch limit 400": Case(partial(few_watches, limit="max_inotify_watches", many=400), "root"),
    "no instance left": Case(partial(few_watches, limit="max_inotify_instances", many=0), "root"),
}


@pytest.mark.parametrize("name", CASES)
def test_nothing_is_lost_when_the_vaults_folder_changes(storm: Storm, name: str) -> None:
    storm(name, CASES[name])
