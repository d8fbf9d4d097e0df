"""Watching through watchdog's own observer, as on macOS and Windows."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from watchdog import events

from indexer.live.walk_cache import Hints, PendingHints
from indexer.live.watch import Watch
from indexer.live.watch_observer import Observed

PATIENCE = 20.0

pytestmark = pytest.mark.filterwarnings("ignore:Callback with id:RuntimeWarning")
"""watchdog says so where it meets a new folder twice, by its event and by its walk; it is watched either way."""


@pytest.fixture(autouse=True)
def observed(monkeypatch: pytest.MonkeyPatch) -> None:
    """watchdog's observer on Linux too."""
    monkeypatch.setattr("indexer.live.watch._source", lambda root, found: Observed(root, found, ""))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "joe.md").write_text("before")
    return tmp_path.resolve()


@pytest.fixture
def watch(root: Path) -> Iterator[Watch]:
    made = Watch(str(root), lambda: None)
    assert made.ensure(["", "people"]) == {"", "people"}
    yield made
    made.close()


def wait_for(watch: Watch, folder: str) -> Hints:
    """Everything that is told until this folder, or a tree of that name, is."""
    folders: set[str] = set()
    trees: set[str] = set()
    alarm = ""
    until = time.monotonic() + PATIENCE
    while folder not in folders | trees and time.monotonic() < until:
        hints = watch.take()
        folders |= hints.folders
        trees |= hints.trees
        alarm = alarm or hints.alarm
        time.sleep(0.005)
    return Hints(frozenset(folders), frozenset(trees), alarm)


def test_a_save_is_told(watch: Watch, root: Path) -> None:
    assert not watch.exact
    assert (watch.unwatched, watch.why) == (frozenset(), "")
    (root / "people" / "joe.md").write_text("after")
    assert wait_for(watch, "people").alarm == ""


def test_a_save_by_renaming_wakes(root: Path) -> None:
    woken = threading.Event()
    watch = Watch(str(root), woken.set)
    try:
        watch.ensure([""])
        (root / "new").write_text("after")
        (root / "new").replace(root / "people" / "joe.md")
        assert woken.wait(PATIENCE)
        assert "people" in wait_for(watch, "people").folders
    finally:
        watch.close()


def test_folders_that_come_and_move(watch: Watch, root: Path) -> None:
    (root / "a" / "b").mkdir(parents=True)
    assert "a" in wait_for(watch, "a").trees
    (root / "a").rename(root / "c")
    assert "c" in wait_for(watch, "c").trees
    assert watch.ensure(["", "people", "c", "c/b"]) == set()


def test_a_vault_that_goes_and_comes_back_is_told_and_watched_again(
    watch: Watch, root: Path
) -> None:
    watch.check()
    assert watch.take().alarm == ""
    root.rename(root.parent / "old")
    watch.check()
    assert watch.take().alarm
    (root.parent / "old").rename(root)
    watch.check()
    assert watch.take().alarm == "the vault's folder is back"
    assert watch.ensure(["", "people"]) == {"", "people"}
    (root / "people" / "joe.md").write_text("after")
    assert "people" in wait_for(watch, "people").folders


def test_a_thread_that_died(watch: Watch) -> None:
    """The observer says "alive" while its reader is dead."""
    source = watch._source
    assert isinstance(source, Observed)
    assert source._observer is not None
    for emitter in source._observer.emitters:
        emitter.stop()
        emitter.join(PATIENCE)
    watch.check()
    assert watch.take().alarm == "watching stopped unexpectedly"
    assert watch.ensure(["", "people"]) == {"", "people"}
    watch.check()
    assert watch.take().alarm == ""


def test_it_cannot_be_started(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Then everything is scanned, and said so; as soon as it can, it is."""

    def refuse() -> None:
        raise OSError(24, "Too many open files")

    watch = Watch(str(root), lambda: None)
    with monkeypatch.context() as patch:
        patch.setattr("watchdog.observers.Observer", refuse)
        assert watch.ensure(["", "people"]) == set()
        assert watch.unwatched == {"", "people"}
        assert "scanned instead" in watch.why
        watch.check()
    assert watch.ensure(["", "people"]) == set()
    assert isinstance(watch._source, Observed)
    watch._source._again = 0
    watch.check()
    assert watch.take().alarm == "the vault can be watched again"
    assert (watch.unwatched, watch.why) == (frozenset(), "")
    watch.close()


def test_closing_leaves_no_thread(root: Path) -> None:
    before = threading.active_count()
    for _ in range(3):
        watch = Watch(str(root), lambda: None)
        watch.ensure([""])
        watch.close()
        watch.close()
        assert watch.ensure([""]) == set()
    assert threading.active_count() == before


HERE = "vault"


def below(*steps: str) -> str:
    return os.path.join(HERE, *steps)


@pytest.mark.parametrize(
    ("event", "folders", "trees"),
    [
        (events.FileModifiedEvent(below("a", "x.md")), {"a"}, set()),
        (events.FileClosedEvent(below("x.md")), {""}, set()),
        (events.FileMovedEvent(below("a", "x"), below("b", "x.md")), {"b"}, set()),
        (events.FileModifiedEvent(below("a", ".x.md.swp")), set(), set()),
        (events.FileModifiedEvent(below(".git", "x.md")), set(), set()),
        (events.DirModifiedEvent(below("a")), {"a"}, set()),
        (events.DirModifiedEvent(below(".git")), set(), set()),
        (events.DirModifiedEvent(HERE), {""}, set()),
        (events.DirCreatedEvent(below("a", "b")), {"a"}, {"a/b"}),
        (events.DirMovedEvent(below("a"), below("c", "d")), {"", "c"}, {"a", "c/d"}),
        (events.DirMovedEvent(below("a"), below(".trash", "a")), {""}, {"a"}),
        (
            events.FileDeletedEvent(below("known")),
            {""},
            {"known"},
        ),  # all that Windows says of a folder
        (events.FileDeletedEvent(below("unknown")), set(), set()),
        (events.FileModifiedEvent(os.fsencode(below("a", "x.md"))), {"a"}, set()),
        (events.FileModifiedEvent(os.path.join("VAULT", "x.md")), set(), {""}),
    ],
)
def test_what_becomes_of_an_event(
    event: events.FileSystemEvent, folders: set[str], trees: set[str]
) -> None:
    found = PendingHints(lambda: None)
    source = Observed(HERE, found, "")
    source._folders = frozenset({"known"})
    source.on_event(event)
    assert found.give() == Hints(frozenset(folders), frozenset(trees), "")


@pytest.mark.parametrize("event", [events.DirDeletedEvent(HERE), events.DirMovedEvent(HERE, "b")])
def test_moved_or_deleted_vault_raises_the_alarm(event: events.FileSystemEvent) -> None:
    found = PendingHints(lambda: None)
    source = Observed(HERE, found, "")
    source.on_event(event)
    assert found.give().alarm == "the vault was moved or deleted"
    assert source.broken


def test_an_event_that_is_not_understood() -> None:
    """An exception in there would end the observer."""
    found = PendingHints(lambda: None)
    Observed(HERE, found, "").on_event(events.FileModifiedEvent(5))  # type: ignore[arg-type]  # no event has that
    assert found.give().alarm.startswith("a file event could not be handled: ")
