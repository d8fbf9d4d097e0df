"""The system calls, their limits, and the two ways to look up a watch."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from watchdog.observers import inotify_c

from indexer.live import watch_inotify
from indexer.live.walk_cache import Hints, PendingHints
from indexer.live.watch import Watch
from indexer.live.watch_inotify import Inotify, lacking
from indexer.live.watch_observer import Observed

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="inotify is Linux's")

ROOT = Path(__file__).resolve().parents[3]
START = """
import os, subprocess, sys
from indexer.live.watch import Watch

def limit(what, number):
    with open(f"/proc/sys/user/max_inotify_{what}", "w") as file:
        file.write(str(number))

def open_files():
    return len(os.listdir("/proc/self/fd"))

root = os.path.realpath(sys.argv[1])
folders = ["", "a", "b", "c", "d"]
for folder in folders[1:]:
    os.makedirs(os.path.join(root, folder), exist_ok=True)
"""


def refused() -> str:
    """Why a namespace of our own cannot be had; "" if it can."""
    if sys.platform != "linux" or not shutil.which("unshare"):
        return "needs unshare(1)"
    done = subprocess.run(
        ["unshare", "-Urm", "mount", "-t", "tmpfs", "none", "/mnt"], capture_output=True, text=True
    )
    return (
        f"no namespace with limits and mounts of its own here: {done.stderr.strip()}"
        if done.returncode
        else ""
    )


WHY = refused()
namespace = pytest.mark.skipif(bool(WHY), reason=WHY)


def run_apart(root: Path, code: str) -> None:
    """Run code in user and mount namespaces of its own, where limits and mounts are nobody else's."""
    done = subprocess.run(
        ["unshare", "-Urm", sys.executable, "-c", START + code, str(root)],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert (done.returncode, done.stderr) == (0, "")


@pytest.fixture
def source(tmp_path: Path) -> Iterator[Inotify]:
    made = Inotify(str(tmp_path.resolve()), PendingHints(lambda: None))
    yield made
    made.close()


@namespace
def test_what_cannot_be_watched_is_told_and_watched_when_the_limit_allows_it(
    tmp_path: Path,
) -> None:
    """What cannot be watched is told, and watched as soon as the limit allows it."""
    run_apart(
        tmp_path,
        """
limit("watches", 3)
watch = Watch(root, lambda: None)
assert watch.ensure(folders) == {"", "a", "b"}
assert watch.unwatched == {"c", "d"}, watch.unwatched
assert "fs.inotify.max_user_watches" in watch.why and watch.exact
assert watch.ensure(folders) == set()
open(root + "/b/x.md", "w").close()
assert watch.take().folders == {"b"}
limit("watches", 100)
watch.check()
assert watch.unwatched == {"c", "d"}
watch._source._again = 0
watch.check()
assert watch.take().folders == {"c", "d"}
assert (watch.unwatched, watch.why) == (frozenset(), "")
open(root + "/d/x.md", "w").close()
assert watch.take().folders == {"d"}
watch.close()
""",
    )


@namespace
def test_a_refused_folder_that_comes_anew_is_tried_again(tmp_path: Path) -> None:
    run_apart(
        tmp_path,
        """
limit("watches", 3)
watch = Watch(root, lambda: None)
watch.ensure(folders)
limit("watches", 100)
os.rename(root + "/d", root + "/e")
os.rename(root + "/e", root + "/d")
watch.take()
assert watch.ensure(folders) == set(folders)
assert watch.unwatched == set()
watch.close()
""",
    )


@namespace
def test_no_watcher_at_all(tmp_path: Path) -> None:
    run_apart(
        tmp_path,
        """
before = open_files()
limit("instances", 0)
watch = Watch(root, lambda: None)
assert watch.ensure(folders) == set()
assert watch.unwatched == set(folders)
assert "fs.inotify.max_user_instances" in watch.why
watch.check()
assert watch.take() == (frozenset(), "")
watch.ensure(folders[:3])
assert watch.unwatched == set(folders[:3])
assert open_files() == before
limit("instances", 10)
assert watch.ensure(folders) == set()
watch._source._again = 0
watch.check()
assert watch.take().folders == set(folders)
assert (watch.unwatched, watch.why) == (frozenset(), "")
watch.close()
assert open_files() == before
""",
    )


@namespace
def test_no_more_descriptors(tmp_path: Path) -> None:
    run_apart(
        tmp_path,
        """
import resource
from watchdog.observers import inotify_c
watch = Watch(root, lambda: None)
for more in range(3):
    before = open_files()
    resource.setrlimit(resource.RLIMIT_NOFILE, (before - 1 + more, 4096))
    watch._source._again = 0
    watch._source.ensure(folders)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, 4096))
    assert open_files() == before
    assert watch.unwatched == set(folders)
watch._source._again = 0
assert watch.ensure(folders) == set(folders)
watch.close()
""",
    )


@namespace
def test_one_folder_under_two_paths(tmp_path: Path) -> None:
    """The kernel gives both the same watch: one of the two paths has to be scanned."""
    run_apart(
        tmp_path,
        """
subprocess.run(["mount", "--bind", root + "/a", root + "/b"], check=True)
watch = Watch(root, lambda: None)
assert watch.ensure(folders) == {"", "a", "c", "d"}
assert watch.unwatched == {"b"}
assert "second path" in watch.why
watch._source._again = 0
assert watch.ensure(folders) == set()
open(root + "/b/x.md", "w").close()
assert watch.take().folders == {"a"}
subprocess.run(["umount", root + "/b"], check=True)
watch._source._again = 0
assert watch.ensure(folders) == {"b"}
assert (watch.unwatched, watch.why) == (frozenset(), "")
watch.close()
""",
    )


@namespace
def test_unmounted_and_mounted_again(tmp_path: Path) -> None:
    run_apart(
        tmp_path,
        """
def mount():
    subprocess.run(["mount", "-t", "tmpfs", "none", root], check=True)
    os.mkdir(root + "/a")

mount()
watch = Watch(root, lambda: None)
assert watch.ensure(["", "a"]) == {"", "a"}
subprocess.run(["umount", root], check=True)
assert watch.take().alarm == "a file system was unmounted"
watch.check()
assert watch.take().alarm == ""
assert watch.ensure(["", "a"]) == {"", "a"}
mount()
assert watch.take().alarm == "the vault's folder was replaced by another one"
assert watch.ensure(["", "a"]) == {"", "a"}
open(root + "/a/x.md", "w").close()
assert watch.take() == (frozenset({"a"}), "")
mount()
subprocess.run(["mount", "-t", "tmpfs", "none", root + "/a"], check=True)
watch._source._again = 0
assert "a" in watch.ensure(["", "a"])
watch.close()
""",
    )


def test_the_numbers_are_the_kernels() -> None:
    for name in (
        "MODIFY",
        "ATTRIB",
        "CLOSE_WRITE",
        "MOVED_FROM",
        "MOVED_TO",
        "CREATE",
        "DELETE",
        "DELETE_SELF",
        "MOVE_SELF",
        "UNMOUNT",
        "Q_OVERFLOW",
        "IGNORED",
        "ONLYDIR",
        "DONT_FOLLOW",
        "EXCL_UNLINK",
        "ISDIR",
    ):
        assert getattr(watch_inotify, name) == getattr(inotify_c.InotifyConstants, f"IN_{name}")
    for name in ("OPEN", "ACCESS", "CLOSE_NOWRITE"):
        assert not watch_inotify.MASK & getattr(inotify_c.InotifyConstants, f"IN_{name}")


def test_a_watchdog_without_inotify_is_observed_and_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert lacking() == ""
    for without in ("inotify_init", "inotify_add_watch", "inotify_rm_watch"):
        with monkeypatch.context() as patch:
            patch.delattr(f"watchdog.observers.inotify_c.{without}")
            assert without in lacking()
    with monkeypatch.context() as patch:
        patch.setitem(sys.modules, "watchdog.observers.inotify_c", None)
        patch.delattr("watchdog.observers.inotify_c", raising=False)
        assert "inotify cannot be used" in lacking()
        watch = Watch(str(tmp_path), lambda: None)
        assert isinstance(watch._source, Observed)
        assert (watch.exact, watch.why) == (False, lacking())
        watch.close()


def test_no_name_of_watchdog_is_used_that_it_does_not_offer() -> None:
    package = Path(watch_inotify.__file__).parent
    for module in ("watch_inotify", "watch_observer", "watch"):
        tree = ast.parse((package / f"{module}.py").read_text("utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("watchdog"):
                assert not any(alias.name.startswith("_") for alias in node.names), module
            if isinstance(node, ast.Attribute) and node.attr.startswith("_"):
                assert ast.unparse(node.value) in {"self", "source"}, f"{module}:{node.lineno}"


def test_names_of_events_are_read_whole(tmp_path: Path) -> None:
    """The kernel fills names up to a multiple of 16 bytes."""
    queue = watch_inotify.Queue()
    try:
        assert (
            inotify_c.inotify_add_watch(queue.number, os.fsencode(tmp_path), watch_inotify.MASK) > 0
        )
        names = ["x" * length for length in (1, 14, 15, 16, 17, 200, 255)]
        for name in names:
            (tmp_path / name).mkdir()
        assert queue.wait()
        assert list(queue.events()) == [
            (1, watch_inotify.CREATE | watch_inotify.ISDIR, name.encode()) for name in names
        ]
        assert list(queue.events()) == []
        queue.stop()
        assert not queue.wait()
    finally:
        queue.close()


def test_no_program_that_is_started_holds_the_watches() -> None:
    queue = watch_inotify.Queue()
    try:
        assert not os.get_inheritable(queue.number)
    finally:
        queue.close()


def test_a_file_where_a_folder_was_is_no_folder_that_cannot_be_watched(
    source: Inotify, tmp_path: Path
) -> None:
    (tmp_path / "a").touch()
    assert source.ensure(["", "a", "gone"]) == {""}
    assert (source.unwatched, source.why) == (frozenset(), "")


def test_a_folder_whose_mode_changed_stays_watched(source: Inotify, tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    assert source.ensure(["", "a"]) == {"", "a"}
    with source._found.lock:
        (tmp_path / "a").chmod(0o700)
        source.read()
        assert source._found.give().alarm == "a folder came, went or moved"
    assert source.ensure(["", "a"]) == set()


def test_an_event_that_is_not_understood(
    source: Inotify, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It raises the alarm and stops neither the thread nor the other events."""
    source.ensure([""])
    with source._found.lock, monkeypatch.context() as patch:
        patch.setattr(source, "_turn_folder", lambda *_: 1 / 0)
        (tmp_path / "a").mkdir()
        (tmp_path / "a.md").touch()
        source.read()
    assert source._found.give() == Hints(
        frozenset({""}), "a file event could not be handled: division by zero"
    )
    assert source.broken
    assert source.is_alive()
    assert source.ensure([""]) == {""}
    assert not source.broken


def test_events_that_cannot_be_read(source: Inotify, monkeypatch: pytest.MonkeyPatch) -> None:
    source.ensure([""])
    with source._found.lock, monkeypatch.context() as patch:
        assert source._queue is not None
        patch.setattr(source._queue, "number", 1_000_000)
        source.read()
        assert source._found.give().alarm.startswith("file events cannot be read: ")


def test_other_refusals_are_told(source: Inotify, tmp_path: Path) -> None:
    long = "/".join(["a" * 250] * 20)
    assert source.ensure(["", long]) == {""}
    assert source.unwatched == {long}
    assert (
        source.why
        == "some folders cannot be watched (file name too long): they are scanned instead"
    )
    assert source.ensure([""]) == set()
    assert source.why == ""


def test_every_watch_is_compared_with_its_path_at_times(source: Inotify, tmp_path: Path) -> None:
    """Whatever went wrong with the book-keeping does not stay wrong."""
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    source.ensure(["", "a", "b"])
    with source._found.lock:
        one, two = source._wds["a"], source._wds["b"]
        source._wds.update(a=two, b=one)
        source._folders.update({one: "b", two: "a"})
    source._again = 0
    assert source.ensure(["", "a", "b"]) == {"b"}
    assert source.unwatched == {"a"}
    source._again = 0
    assert source.ensure(["", "a", "b"]) == {"a"}
    (tmp_path / "a" / "x.md").touch()
    with source._found.lock:
        source.read()
        assert source._found.give().folders == {"a"}
