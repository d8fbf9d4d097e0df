"""What becomes a hint, and how hints gather."""

from __future__ import annotations

import errno

import pytest

from indexer.live import hints
from indexer.live.hints import Hints, PendingHints, refusal


def found(calls: list[str] | None = None) -> PendingHints:
    told = calls if calls is not None else []
    return PendingHints(lambda: told.append("woken"))


def test_what_is_given_is_forgotten() -> None:
    gathered = found()
    gathered.folder("a")
    gathered.tree("b/c")
    assert gathered.give() == Hints(frozenset({"a"}), frozenset({"b/c"}), "")
    assert gathered.give() == Hints(frozenset(), frozenset(), "")


@pytest.mark.parametrize("name", ["a.md", "A.MARKDOWN", ".gitignore", ".aureliusignore", "\udcff.md"])
def test_a_note_or_a_rule_file_is_a_hint(name: str) -> None:
    gathered = found()
    gathered.file("people", name)
    assert gathered.give().folders == {"people"}


@pytest.mark.parametrize(
    "name",
    [".a.md.swp", "4913", "a.md~", "#a.md#", ".#a.md", "sedXY12ab", ".goutputstream-AB", "a.md.tmp.12.3", "a.txt"],
)
def test_what_savers_leave_beside_a_note_is_none(name: str) -> None:
    gathered = found()
    gathered.file("people", name)
    assert gathered.give() == Hints(frozenset(), frozenset(), "")


@pytest.mark.parametrize(("parent", "path"), [("", "a"), ("b", "b/a")])
def test_a_folder_below(parent: str, path: str) -> None:
    gathered = found()
    assert gathered.below(parent, "a") == path
    assert gathered.below(parent, ".git") is None
    assert gathered.below(parent, "node_modules") is None
    assert gathered.give() == Hints(frozenset({parent}), frozenset({path}), "")


def test_of_several_alarms_the_first_is_told() -> None:
    gathered = found()
    gathered.tree("a")
    gathered.alarm("one")
    gathered.alarm("two")
    gathered.folder("b")
    assert gathered.give() == Hints(frozenset({"b"}), frozenset(), "one")


def test_it_does_not_grow_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hints, "_MOST", 10)
    gathered = found()
    for number in range(100):
        gathered.below("", f"a{number}")
    given = gathered.give()
    assert "too many folders" in given.alarm
    assert len(given.trees) <= 10


def test_nobody_is_woken_for_nothing() -> None:
    calls: list[str] = []
    gathered = found(calls)
    gathered.wake()
    assert calls == []
    gathered.folder("")
    gathered.wake()
    assert calls == ["woken"]


def test_whoever_is_woken_may_fail() -> None:
    def fail() -> None:
        raise ValueError("no")

    gathered = PendingHints(fail)
    gathered.folder("a")
    gathered.wake()
    assert gathered.give().alarm == "a change could not be reported: no"


def test_a_refusal_says_what_to_do() -> None:
    assert "raise fs.inotify.max_user_instances" in refusal(OSError(errno.EMFILE, "Too many"))
    assert "(function not implemented)" in refusal(OSError(errno.ENOSYS, "Function not implemented"))
