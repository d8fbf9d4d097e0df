"""Locks of the index folder (reliability B6, D2)."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import filelock
import pytest

from indexer import lock
from indexer.lock import BUILD, WRITE, BusyError, UnwritableError, hold


@pytest.fixture(params=["flock", "filelock"], autouse=True)
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How it is done here, and how where there is no flock."""
    if request.param == "filelock":
        monkeypatch.setattr(lock, "_flock", lambda path, wait: None)
    return str(request.param)


def test_both_ways_hold_each_other_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with hold(str(tmp_path), WRITE, 0.0):
        other = filelock.FileLock(tmp_path / WRITE)
        with pytest.raises(filelock.Timeout):
            other.acquire(timeout=0.0)
    with other, pytest.raises(BusyError), hold(str(tmp_path), WRITE, 0.0):
        pass


@pytest.mark.skipif(os.name == "nt", reason="filelock looks after that itself")
def test_a_lock_that_was_removed_holds_nobody_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str) -> None:
    """An index folder may be deleted at any moment (P3)."""
    if way == "filelock":
        return
    real = os.open
    opened: list[int] = []

    def open_(*args: Any) -> int:
        handle = real(*args)
        if not opened:
            (tmp_path / WRITE).unlink()
        opened.append(handle)
        return handle

    monkeypatch.setattr(os, "open", open_)
    with hold(str(tmp_path), WRITE, 1.0):
        monkeypatch.undo()
        with pytest.raises(BusyError), hold(str(tmp_path), WRITE, 0.0):
            pass
    assert len(opened) == 2


def test_one_holder_at_a_time(tmp_path: Path) -> None:
    with hold(str(tmp_path), WRITE, 0.0):
        with pytest.raises(BusyError, match="another process"), hold(str(tmp_path), WRITE, 0.05):
            pass
        with hold(str(tmp_path), BUILD, 0.0):
            pass
    with hold(str(tmp_path), WRITE, 0.0):
        pass


def test_an_error_frees_it(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), hold(str(tmp_path), WRITE, 0.0):
        raise KeyboardInterrupt
    with hold(str(tmp_path), WRITE, 0.0):
        pass


def test_a_folder_that_takes_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnwritableError), hold(str(tmp_path / "file"), WRITE, 0.0):
        pass
