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


def wait_for(watch: Watch) -> Hints:
    """What is told first."""
    hints = watch.take()
    until = time.monotonic() + PATIENCE
    while not (hints.folders or hints.alarm) and time.monotonic() < until:
        time.sleep(0.005)
        hints = watch.take()
    return hints


def test_a_save_is_told(watch: Watch, root: Path) -> None:
    assert not watch.exact
    assert (watch.unwatched, watch.why) == (frozenset(), "")
    (root / "people" / "joe.md").write_text("after")
    assert wait_for(watch) == Hints(frozenset({""}), "")


def test_a_save_by_renaming_wakes(root: Path) -> None:
    woken = threading.Event()
    watch = Watch(str(root), woken.set)
    try:
        watch.ensure([""])
        (root / "new").write_text("after")
        (root / "new").replace(root / "people" / "joe.md")
        assert woken.wait(PATIENCE)
        assert wait_for(watch).folders == {""}
    finally:
        watch.close()


def test_folders_that_come_and_move(watch: Watch, root: Path) -> None:
    (root / "a" / "b").mkdir(parents=True)
    assert wait_for(watch).folders == {""}
    (root / "a").rename(root / "c")
    assert wait_for(watch).folders == {""}
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
    assert wait_for(watch).folders == {""}


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
    ("event", "is_told"),
    [
        (events.FileModifiedEvent(below("a", "x.md")), True),
        (events.FileClosedEvent(below("x.md")), True),
        (events.FileMovedEvent(below("a", "x"), below("b", "x.md")), True),
        (events.FileModifiedEvent(below("a", ".x.md.swp")), False),
        (events.FileModifiedEvent(below(".git", "x.md")), False),
        (events.DirModifiedEvent(below("a")), True),
        (events.DirModifiedEvent(below(".git")), False),
        (events.DirModifiedEvent(HERE), True),
        (events.DirCreatedEvent(below("a", "b")), True),
        (events.DirMovedEvent(below("a"), below("c", "d")), True),
        (events.DirMovedEvent(below("a"), below(".trash", "a")), True),
        (
            events.FileDeletedEvent(below("known")),
            True,
        ),  # all that Windows says of a folder
        (events.FileDeletedEvent(below("unknown")), False),
        (events.FileModifiedEvent(os.fsencode(below("a", "x.md"))), True),
        (events.FileModifiedEvent(os.path.join("VAULT", "x.md")), True),
    ],
)
def test_what_becomes_of_an_event(event: events.FileSystemEvent, *, is_told: bool) -> None:
    found = PendingHints(lambda: None)
    source = Observed(HERE, found, "")
    source._folders = frozenset({"known"})
    source.on_event(event)
    assert found.give() == Hints(frozenset({""} if is_told else ()), "")


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
