"""Locks of the index folder (reliability B6, D2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from indexer.lock import BUILD, WRITE, BusyError, UnwritableError, hold


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
