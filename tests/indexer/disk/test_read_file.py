"""A note's bytes, whole and of one moment."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from indexer.disk.read_file import MOST_PARSED_BYTES, file_obstacle, hash_of, read_whole
from indexer.disk.walk import change_key


@pytest.fixture(autouse=True)
def no_pause(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    pauses: list[float] = []
    monkeypatch.setattr("time.sleep", pauses.append)
    return pauses


def test_bytes_hash_and_key(tmp_path: Path, no_pause: list[float]) -> None:
    (tmp_path / "a.md").write_bytes(b"# A\r\n\0")
    found = read_whole(str(tmp_path), "a.md", was_empty=False)
    assert found == (
        b"# A\r\n\0",
        hashlib.sha256(b"# A\r\n\0").digest(),
        change_key((tmp_path / "a.md").stat()),
    )
    assert no_pause == []


def test_a_long_note_is_hashed_whole_and_kept_in_part(tmp_path: Path) -> None:
    data = os.urandom(1 << 20) * 6
    (tmp_path / "a.md").write_bytes(data)
    found = read_whole(str(tmp_path), "a.md", was_empty=False)
    assert found is not None
    assert MOST_PARSED_BYTES <= len(found.data) < MOST_PARSED_BYTES + (2 << 20)
    assert data.startswith(found.data)
    assert found.sha256 == hashlib.sha256(data).digest() == hash_of(str(tmp_path), "a.md")


def test_a_file_just_emptied_is_looked_at_once_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many editors empty a file before they write it."""
    (tmp_path / "a.md").touch()
    monkeypatch.setattr("time.sleep", lambda _: (tmp_path / "a.md").write_bytes(b"saved"))
    found = read_whole(str(tmp_path), "a.md", was_empty=False)
    assert found is not None
    assert found.data == b"saved"


def test_a_file_that_stays_empty_is_empty(tmp_path: Path, no_pause: list[float]) -> None:
    (tmp_path / "a.md").touch()
    found = read_whole(str(tmp_path), "a.md", was_empty=False)
    assert found is not None
    assert (found.data, len(no_pause)) == (b"", 1)
    read_whole(str(tmp_path), "a.md", was_empty=True)
    assert len(no_pause) == 1


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_file_that_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """Stat after reading made 500 of 500 stale for ever: here both sides are compared."""
    path = tmp_path / "a.md"
    path.write_bytes(b"one")
    left = [times]
    whole = os.read

    def meddle(handle: int, size: int) -> bytes:
        data = whole(handle, size)
        if not data and left[0]:
            left[0] -= 1
            path.write_bytes(path.read_bytes() + b"!")
        return data

    monkeypatch.setattr(os, "read", meddle)
    found = read_whole(str(tmp_path), "a.md", was_empty=False)
    if times == 3:
        assert found is None
    else:
        assert found is not None
        assert found.data == b"one" + b"!" * times


def test_what_is_no_regular_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real.md").touch()
    (tmp_path / "a.md").symlink_to(tmp_path / "real.md")
    with pytest.raises(OSError, match="symbolic link"):
        read_whole(str(tmp_path), "a.md", was_empty=True)
    (tmp_path / "b.md").mkdir()
    with pytest.raises(OSError, match="not a regular file"):
        read_whole(str(tmp_path), "b.md", was_empty=True)
    with pytest.raises(FileNotFoundError):
        read_whole(str(tmp_path), "c.md", was_empty=True)


if hasattr(os, "mkfifo"):

    def test_a_pipe_does_not_block(tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "a.md")
        with pytest.raises(OSError, match="not a regular file"):
            read_whole(str(tmp_path), "a.md", was_empty=True)


def test_hash_and_obstacle_of_what_is_not_there(tmp_path: Path) -> None:
    assert hash_of(str(tmp_path), "a.md") is None
    assert file_obstacle(str(tmp_path), "a.md") == "no such file or directory"
    (tmp_path / "a.md").touch()
    assert file_obstacle(str(tmp_path), "a.md") is None
