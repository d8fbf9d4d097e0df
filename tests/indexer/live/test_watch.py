"""Every change on a real disk gives a hint at once, and the watch knows when it is blind."""

from __future__ import annotations

import contextlib
import mmap
import os
import random
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from indexer.disk.walk import IgnoreRules, walk
from indexer.live.walk_cache import Hints, Seen
from indexer.live.watch import Watch, elsewhere
from indexer.live.watch_inotify import Inotify

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="inotify is Linux's; test_observed.py is for the others"
)

MOVED = "a folder came, went or moved"
NOTHING = Hints(frozenset(), "")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    there = tmp_path.resolve() / "above" / "vault"
    (there / "people").mkdir(parents=True)
    (there / "people" / "joe.md").write_text("before")
    (there / "people" / "ann.md").write_text("before")
    return there


@pytest.fixture
def watch(root: Path) -> Iterator[Watch]:
    made = Watch(str(root), lambda: None)
    assert made.ensure(["", "people"]) == {"", "people"}
    assert isinstance(made._source, Inotify)
    yield made
    made.close()


def folders_of(root: Path) -> set[str]:
    found = (Path(path).relative_to(root).as_posix() for path, _, _ in os.walk(root))
    return {"" if path == "." else path for path in found}


def source_of(watch: Watch) -> Inotify:
    assert isinstance(watch._source, Inotify)
    return watch._source


# Saving


def in_place(note: Path) -> None:
    with note.open("r+") as file:
        file.truncate()
        file.write("after")


def without_closing(note: Path) -> None:
    file = os.open(note, os.O_WRONLY)
    os.write(file, b"a")
    left_open.append(file)


def renamed_over(note: Path) -> None:
    (note.parent / "sedXY12ab").write_text("after")
    (note.parent / "sedXY12ab").replace(note)


def from_outside(note: Path) -> None:
    (note.parents[2] / "temporary").write_text("after")
    (note.parents[2] / "temporary").replace(note)


def vim(note: Path) -> None:
    (note.parent / ".joe.md.swp").write_text("")
    (note.parent / "4913").write_text("")
    (note.parent / "4913").unlink()
    note.rename(note.parent / "joe.md~")
    note.write_text("after")
    (note.parent / "joe.md~").unlink()
    (note.parent / ".joe.md.swp").unlink()


def emacs(note: Path) -> None:
    (note.parent / ".#joe.md").symlink_to("joe@here.1")
    note.rename(note.parent / "joe.md~")
    note.write_text("after")
    (note.parent / ".#joe.md").unlink()


def git(note: Path) -> None:
    note.unlink()
    note.write_text("after")


def exchanged(note: Path) -> None:
    note.rename(note.parent / "x")
    (note.parent / "ann.md").rename(note)
    (note.parent / "x").rename(note.parent / "ann.md")


def mapped(note: Path) -> None:
    with note.open("r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[:] = b"after!"


def linked(note: Path) -> None:
    os.link(note, note.parent / "other.md")


def touched(note: Path) -> None:
    os.utime(note, (1, 1))


def forbidden(note: Path) -> None:
    note.chmod(0)


def appended(note: Path) -> None:
    with note.open("a") as file:
        file.write("after")


def rules(note: Path) -> None:
    (note.parent / ".aureliusignore").write_text("x")


left_open: list[int] = []
SAVERS: list[Callable[[Path], None]] = [
    in_place,
    without_closing,
    renamed_over,
    from_outside,
    vim,
    emacs,
    git,
    exchanged,
    mapped,
    linked,
    touched,
    forbidden,
    appended,
    rules,
    Path.unlink,
]


@pytest.mark.parametrize("save", SAVERS, ids=lambda save: save.__name__)
def test_a_save_is_known_at_once(watch: Watch, root: Path, save: Callable[[Path], None]) -> None:
    """Read your writes: no event is waited for."""
    save(root / "people" / "joe.md")
    assert watch.take() == Hints(frozenset({"people"}), "")
    assert watch.take() == NOTHING
    while left_open:
        os.close(left_open.pop())


def test_what_is_no_note_gives_no_hint(watch: Watch, root: Path) -> None:
    for name in (".joe.md.swp", "4913", "joe.md~", "#joe.md#", "picture.png", ".joe.md.tmp"):
        (root / "people" / name).write_text("x")
        (root / "people" / name).unlink()
    (root / ".git" / "refs").mkdir(parents=True)
    (root / "people" / "link").symlink_to(root)
    assert watch.take() == NOTHING


def test_reading_gives_no_hint(watch: Watch, root: Path) -> None:
    """Else every pass would cause the next one."""
    walk(str(root), IgnoreRules(str(root), (), {}))
    (root / "people" / "joe.md").read_text()
    assert watch.take() == NOTHING


def test_a_thousand_saves(watch: Watch, root: Path) -> None:
    note = root / "people" / "joe.md"
    for number in range(1000):
        SAVERS[number % 2 * 2](note)
        assert watch.take().folders == {"people"}


def test_names_that_are_not_utf_8(watch: Watch, root: Path) -> None:
    with open(os.fsencode(root / "people") + b"/\xff.md", "w", encoding="utf-8"):
        pass
    assert watch.take() == Hints(frozenset({"people"}), "")
    os.mkdir(os.fsencode(root) + b"/\xfe")
    assert watch.take().alarm == MOVED
    assert watch.ensure(["", "people", "\udcfe"]) == {"\udcfe"}


# Folders


def test_made_and_filled_at_once(watch: Watch, root: Path) -> None:
    """The caller looks once more at what is newly watched, so nothing can come too early."""
    (root / "a" / "b" / "c").mkdir(parents=True)
    (root / "a" / "b" / "c" / "x.md").touch()
    assert watch.take().alarm == MOVED
    assert watch.ensure(folders_of(root)) == {"a", "a/b", "a/b/c"}
    assert watch.ensure(folders_of(root)) == set()
    (root / "a" / "b" / "c" / "x.md").write_text("x")
    assert watch.take().folders == {"a/b/c"}


def test_a_folder_that_moved_is_known_by_its_new_path(watch: Watch, root: Path) -> None:
    """Edits came under the old path for ever."""
    (root / "people" / "deep").mkdir()
    watch.ensure(folders_of(root))
    watch.take()
    (root / "people").rename(root / "friends")
    assert watch.take().alarm == MOVED
    assert watch.ensure(folders_of(root)) == {"", "friends", "friends/deep"}
    (root / "friends" / "deep" / "x.md").touch()
    assert watch.take() == Hints(frozenset({"friends/deep"}), "")


@pytest.mark.parametrize("is_read", [True, False])
def test_a_name_that_comes_back_is_watched_anew(watch: Watch, root: Path, *, is_read: bool) -> None:
    (root / "people").rename(root / "friends")
    (root / "people").mkdir()
    if is_read:
        assert watch.take().alarm == MOVED
    watch.ensure(folders_of(root))
    watch.take()
    watch.ensure(folders_of(root))
    for name in ("people", "friends"):
        (root / name / "x.md").touch()
        assert watch.take() == Hints(frozenset({name}), "")


def test_a_folder_that_went(watch: Watch, root: Path) -> None:
    shutil.rmtree(root / "people")
    assert watch.take().alarm == MOVED
    assert source_of(watch)._wds.keys() == {""} == set(source_of(watch)._folders.values())
    assert watch.ensure(["", "people"]) == set()  # whoever asks has not looked since
    assert (watch.unwatched, watch.why) == (frozenset(), "")


def test_out_of_the_vault_and_in_again(watch: Watch, root: Path) -> None:
    (root / "people").rename(root.parent / "people")
    assert watch.take().alarm == MOVED
    watch.ensure(folders_of(root))
    (root.parent / "people" / "x.md").touch()
    assert watch.take() == NOTHING
    (root.parent / "people").rename(root / "people")
    assert watch.take().alarm == MOVED


def test_a_folder_that_is_hidden_by_its_name(watch: Watch, root: Path) -> None:
    (root / "people").rename(root / ".people")
    assert watch.take().alarm == MOVED
    (root / ".people" / "x.md").touch()
    (root / ".people").rename(root / "people")
    assert watch.take().alarm == MOVED


def test_rights_that_change(watch: Watch, root: Path) -> None:
    (root / "people").chmod(0o700)
    assert watch.take().alarm == MOVED


def test_only_what_is_asked_for(watch: Watch, root: Path) -> None:
    assert watch.ensure([""]) == set()
    (root / "people" / "joe.md").write_text("x")
    assert watch.take() == NOTHING
    assert watch.ensure(["", "people", "people/gone", "people/joe.md"]) == {"people"}
    assert (watch.unwatched, watch.why) == (frozenset(), "")


def test_a_link_is_no_folder(watch: Watch, root: Path, tmp_path: Path) -> None:
    (tmp_path / "outside").mkdir()
    (root / "link").symlink_to(tmp_path / "outside")
    assert watch.ensure(["", "link"]) == set()


# Being woken, and the end


def test_change_of_a_note_calls_wake(root: Path) -> None:
    woken = threading.Event()
    watch = Watch(str(root), woken.set)
    try:
        watch.ensure(["", "people"])
        (root / "people" / "joe.md").write_text("x")
        assert woken.wait(10)
        assert watch.take().folders == {"people"}
    finally:
        watch.close()


def test_closing_leaves_nothing(root: Path) -> None:
    before = len(os.listdir("/proc/self/fd")), threading.active_count()
    for _ in range(3):
        watch = Watch(str(root), lambda: None)
        watch.ensure(["", "people"])
        (root / "people" / "joe.md").write_text("x")
        source_of(watch).broken = True
        watch.ensure(["", "people"])
        watch.close()
        watch.close()
        watch.take()
        assert watch.ensure([""]) == set()
        watch.check()
    assert (len(os.listdir("/proc/self/fd")), threading.active_count()) == before


# Blindness


def test_events_that_were_lost_are_told_and_it_goes_on(watch: Watch, root: Path) -> None:
    """Events that were lost are told, and it goes on."""
    most = int(Path("/proc/sys/fs/inotify/max_queued_events").read_text())
    with (
        watch._found.lock,
        (root / "a.md").open("wb", 0) as one,
        (root / "b.md").open("wb", 0) as two,
    ):
        for _ in range(most // 2 + 100):
            one.write(b"x")
            two.write(b"x")
        assert watch.take().alarm == "the event queue overflowed"
    assert watch.ensure(folders_of(root)) == {"", "people"}
    watch.take()
    (root / "people" / "joe.md").write_text("x")
    assert watch.take() == Hints(frozenset({"people"}), "")


def test_the_reader_dies(watch: Watch, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`check` finds out, and what is saved is seen both before and after."""
    source = source_of(watch)
    reader = source._reader
    assert reader is not None
    monkeypatch.setattr(source._queue, "wait", lambda: False)
    (root / "people" / "joe.md").write_text("x")
    reader.join(10)
    assert not reader.is_alive()
    watch.take()
    (root / "people" / "joe.md").write_text("y")
    assert watch.take().folders == {"people"}
    watch.check()
    assert watch.take().alarm == "watching stopped unexpectedly"
    watch.check()
    assert watch.take() == NOTHING
    assert watch.ensure(["", "people"]) == {"", "people"}
    watch.check()
    assert source.is_alive()
    (root / "people" / "joe.md").write_text("z")
    assert watch.take() == Hints(frozenset({"people"}), "")


def test_the_reader_fails(watch: Watch, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = source_of(watch)
    reader = source._reader
    assert reader is not None
    monkeypatch.setattr("indexer.live.watch_inotify.time.sleep", lambda _: 1 / 0)
    (root / "people" / "joe.md").write_text("x")
    reader.join(10)
    assert watch.take().alarm == "watching stopped unexpectedly: division by zero"
    monkeypatch.undo()
    assert watch.ensure(["", "people"]) == {"", "people"}
    watch.check()
    assert watch.take() == NOTHING


def test_the_root_is_replaced(watch: Watch, root: Path) -> None:
    """The old vault is no longer listened to, the new one is."""
    root.rename(root.parent / "old")
    shutil.copytree(root.parent / "old", root)
    assert watch.take().alarm == "the vault was moved or deleted"
    watch.check()
    assert watch.take() == NOTHING
    assert watch.ensure(["", "people"]) == {"", "people"}
    (root.parent / "old" / "people" / "joe.md").write_text("x")
    assert watch.take() == NOTHING
    (root / "people" / "joe.md").write_text("x")
    assert watch.take().folders == {"people"}


def test_a_folder_above_is_renamed(watch: Watch, root: Path) -> None:
    """No event tells of that, and whoever asks in that moment has to know."""
    above = root.parent
    above.rename(above.parent / "elsewhere")
    assert watch.take().alarm == "the vault's folder is missing"
    assert watch.ensure(["", "people"]) == set()
    watch.check()
    assert watch.take() == NOTHING
    (above.parent / "elsewhere").rename(above)
    assert watch.take().alarm == "the vault's folder is back"
    watch.check()
    assert watch.take() == NOTHING
    assert watch.ensure(["", "people"]) == {"", "people"}
    watch.check()
    (root / "people" / "joe.md").write_text("x")
    assert watch.take() == Hints(frozenset({"people"}), "")


def test_a_vault_that_is_not_there_yet(tmp_path: Path) -> None:
    woken: list[str] = []
    watch = Watch(str(tmp_path / "vault"), lambda: woken.append("woken"))
    try:
        watch.check()
        assert (watch.take().alarm, woken) == ("the vault's folder is missing", ["woken"])
        (tmp_path / "vault").mkdir()
        watch.check()
        assert (watch.take().alarm, len(woken)) == ("the vault's folder is back", 2)
        assert watch.ensure([""]) == {""}
    finally:
        watch.close()


@pytest.mark.parametrize(
    ("kind", "is_told"),
    [
        ("nfs4", True),
        ("cifs", True),
        ("9p", True),
        ("fuse.sshfs", True),
        ("fuse.gocryptfs", False),
        ("ext4", False),
    ],
)
def test_file_systems_that_others_write(tmp_path: Path, kind: str, *, is_told: bool) -> None:
    """No event tells of what another machine does."""
    device = tmp_path.stat().st_dev
    mounts = tmp_path / "mounts"
    line = "36 35 {}:{} / /here rw,noatime master:1 - {} server:/x rw\n"
    mounts.write_text(
        "odd\n"
        + line.format(9999, 1, "nfs")
        + line.format(os.major(device), os.minor(device), kind)
    )
    assert bool(elsewhere(str(tmp_path), str(mounts))) is is_told
    assert elsewhere(str(tmp_path), str(tmp_path / "no such file")) == ""


def test_they_are_scanned(watch: Watch, root: Path) -> None:
    watch._elsewhere = "others may change files"
    watch.ensure(["", "people"])
    assert watch.unwatched == {"", "people"}
    assert watch.why == "others may change files"
    (root / "people" / "joe.md").write_text("x")
    assert watch.take().folders == {"people"}


# Everything at once


def churn(root: Path, until: float, seed: int) -> None:
    """Make, fill, rename, move and remove folders, as fast as can be."""
    dice = random.Random(seed)
    names = ("a", "b", "c")
    while time.monotonic() < until:
        path, other = (root.joinpath(*dice.choices(names, k=dice.randint(1, 4))) for _ in range(2))
        with contextlib.suppress(OSError):
            match dice.randrange(6):
                case 0 | 1:
                    path.mkdir(parents=True, exist_ok=True)
                    (path / dice.choice(("x.md", "y.md"))).write_text(str(dice.random()))
                case 2:
                    path.rename(other)
                case 3 if dice.random() < 0.3:
                    shutil.rmtree(path, ignore_errors=True)
                case 4:
                    (path / "x.md").rename(other / "y.md")
                case _:
                    (path / "x.md").write_text(str(dice.random()))
        time.sleep(0.0005)


def test_walk_by_hints_alone_equals_the_disk_after_random_changes(watch: Watch, root: Path) -> None:
    """What is kept by hints alone equals the disk, and so do the watches."""
    seen = Seen(str(root))
    rules = IgnoreRules(str(root), (), {})
    until = time.monotonic() + 1.5
    threads = [threading.Thread(target=churn, args=(root, until, seed)) for seed in range(4)]
    for thread in threads:
        thread.start()
    while True:
        is_last = not any(thread.is_alive() for thread in threads)
        hints = watch.take()
        result = seen.look(rules, None if hints.alarm else hints.folders)
        while new := watch.ensure(seen.folders):
            result = seen.look(rules, new)
        if is_last and watch.take() == NOTHING:
            break
    assert result.found == walk(str(root), rules).found
    source = source_of(watch)
    assert source.is_alive()
    assert source._wds.keys() == folders_of(root)
    assert {folder: wd for wd, folder in source._folders.items()} == source._wds
    for folder in folders_of(root):
        (root / folder / "z.md").touch()
        assert watch.take() == Hints(frozenset({folder}), "")
