"""Previous bytes are kept exactly, within bounds, and for the person alone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aurelius.settings.places import UNDO
from aurelius.writing import undo_log
from aurelius.writing.undo_log import (
    KeptNote,
    UndoEntry,
    changes_about,
    close_undo,
    drop_undo,
    entries,
    keep_undo,
    unfinished,
)
from indexer.errors import ConflictError


def _made(
    state: str, time: float, why: str, notes: list[KeptNote], *, undoes: int = 0
) -> UndoEntry:
    entry = keep_undo(state, time, why, notes, undoes=undoes)
    close_undo(state, entry)
    return entry._replace(is_open=False)


def test_what_is_kept_is_read_newest_first(tmp_path: Path) -> None:
    state = str(tmp_path)
    notes = [
        KeptNote("a.md", b"\x00\n{}\xff", "12", "spare", "from.md"),
        KeptNote("b.md", None, ""),
        KeptNote("c.md", b"", "3", at=7),
    ]
    first = _made(state, 1.5, "one\ntwo", notes)
    second = _made(state, 2.5, "two", [KeptNote("d.md", b"x", "", append=True, at=3)], undoes=1)
    assert [first.number, second.number] == [1, 2]
    assert list(entries(state)) == [second, first]


def test_an_open_entry_is_unfinished_until_it_is_closed(tmp_path: Path) -> None:
    state = str(tmp_path)
    entry = keep_undo(state, 0.0, "why", [KeptNote("a.md", b"x", "1")])
    assert unfinished(state) == [entry]
    close_undo(state, entry)
    assert unfinished(state) == []
    assert list(entries(state)) == [entry._replace(is_open=False)]
    drop_undo(state, entry._replace(is_open=False))
    drop_undo(state, entry)
    assert list(entries(state)) == []


def test_it_is_bounded_by_number_and_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    state = str(tmp_path)
    monkeypatch.setattr(undo_log, "MOST_UNDO_ENTRIES", 3)
    opened = keep_undo(state, 0.0, "open", [KeptNote("a.md", b"x", "1")])
    for number in range(6):
        _made(state, 0.0, str(number), [KeptNote("a.md", b"x", "1")])
    assert [entry.why for entry in entries(state)] == ["5", "4", "3", "open"]
    monkeypatch.setattr(undo_log, "MOST_UNDO_BYTES", 1000)
    _made(state, 0.0, "large", [KeptNote("a.md", b"x" * 2000, "1")])
    assert [entry.why for entry in entries(state)] == ["large", "open"]
    assert next(entries(state)).number == 8
    assert unfinished(state) == [opened]


def test_an_entry_that_the_disk_refuses_is_not_found_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int) -> None:
        raise OSError(28, "no space")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="no space"):
        keep_undo(str(tmp_path), 0.0, "why", [KeptNote("a.md", b"x", "1")])
    assert unfinished(str(tmp_path)) == []
    assert list((tmp_path / UNDO).iterdir()) == []


def test_what_makes_no_sense_is_passed_over(tmp_path: Path) -> None:
    state = str(tmp_path)
    _made(state, 0.0, "good", [KeptNote("a.md", b"x", "1")])
    folder = tmp_path / UNDO
    for number, data in enumerate(
        (b"", b"{}", b"[]\n", b'{"notes":[{}]}\n', b"\xff\n", b"null\n"), 2
    ):
        (folder / f"{number:08d}.done").write_bytes(data)
    whole = (folder / "00000001.done").read_bytes()
    (folder / "00000009.done").write_bytes(whole[:-1])
    for name in ("notes.txt", "².done", "½.open", "٣.txt"):
        (folder / name).write_bytes(b"")
    assert [entry.why for entry in entries(state)] == ["good"]
    assert keep_undo(state, 0.0, "next", []).number == 10


@pytest.mark.skipif(os.name == "nt", reason="modes are those of Unix")
def test_nobody_else_can_read_it(tmp_path: Path) -> None:
    state = tmp_path / "state"
    keep_undo(str(state), 0.0, "why", [KeptNote("a.md", b"private", "1")])
    assert (state / UNDO).stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in (state / UNDO).iterdir()} == {0o600}


def test_the_changes_of_one_note_are_found_newest_first(tmp_path: Path) -> None:
    state = str(tmp_path)
    keep_undo(state, 0.0, "one", [KeptNote("a.md", b"x", "1"), KeptNote("b.md", b"y", "1")])
    keep_undo(state, 0.0, "two", [KeptNote("b.md", b"y", "1")])
    assert [entry.why for entry in changes_about(state, "a.md")] == ["one"]
    assert [entry.why for entry in changes_about(state, "b.md")] == ["two", "one"]
    assert changes_about(state, "nothing.md") == []


def test_a_folder_that_cannot_be_read_is_no_empty_one(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    (tmp_path / UNDO).write_text("x")
    for state in (tmp_path, tmp_path / "file"):
        for look in (
            lambda at: list(entries(at)),
            unfinished,
            lambda at: changes_about(at, "a.md"),
        ):
            with pytest.raises(ConflictError, match="undo cannot be read"):
                look(str(state))
