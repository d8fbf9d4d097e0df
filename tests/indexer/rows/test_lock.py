"""Locks: one holder at a time, free when it dies, and what is done on a file system without them."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from indexer.rows import lock
from indexer.rows.lock import BUILD, WRITE, BusyError, UnwritableError, hold

ROOT = Path(__file__).resolve().parents[3]
posix = pytest.mark.skipif(os.name == "nt", reason="flock is POSIX's")
HOLDER = """
import sys, time
from indexer.rows.lock import hold
with hold(*sys.argv[1:3], 5.0):
    print(1, flush=True)
    time.sleep(60)
"""


@pytest.fixture(params=["locks", pytest.param("without", marks=posix)], autouse=True)
def way(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A file system with locks, and one without."""
    if request.param == "without":
        real = lock._take

        def take(path: str, wait: float) -> int | None:
            if path.startswith(str(tmp_path / "machine")):
                return real(path, wait)
            os.close(os.open(path, os.O_RDWR | os.O_CREAT))
            raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

        (tmp_path / "machine").mkdir()
        monkeypatch.setattr(lock, "_MACHINE", str(tmp_path / "machine"))
        monkeypatch.setattr(lock, "_take", take)
    return str(request.param)


@posix
def test_a_lock_that_was_removed_holds_nobody_off(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """An index folder may be deleted at any moment."""
    if way == "without":
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
        with (
            pytest.raises(BusyError, match="somebody else"),
            hold(str(tmp_path), WRITE, 0.0, "somebody else"),
        ):
            pass
        with hold(str(tmp_path), BUILD, 0.0):
            pass
    with hold(str(tmp_path), WRITE, 0.0):
        pass


def test_a_holder_that_is_killed_blocks_nobody(tmp_path: Path, way: str) -> None:
    if way == "without":
        return
    words = [sys.executable, "-c", HOLDER, str(tmp_path), WRITE]
    with subprocess.Popen(
        words, stdout=subprocess.PIPE, env={**os.environ, "PYTHONPATH": str(ROOT)}
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline()
        with pytest.raises(BusyError), hold(str(tmp_path), WRITE, 0.0):
            pass
        holder.kill()
        holder.wait()
        with hold(str(tmp_path), WRITE, 0.0):
            pass


def test_a_lock_that_holds_off_this_machine_alone_says_so(tmp_path: Path, way: str) -> None:
    with hold(str(tmp_path), WRITE, 0.0) as told:
        assert told == ("" if way == "locks" else f"{tmp_path}: {lock.ALONE}")


@posix
def test_a_folder_for_locks_that_others_may_write_is_not_used(tmp_path: Path, way: str) -> None:
    if way == "locks":
        return
    folder = tmp_path / "machine" / f"aurelius-locks-{os.getuid()}"
    folder.mkdir()
    for mode in (0o777, 0o770, 0o720, 0o702):
        folder.chmod(mode)
        with (
            pytest.raises(UnwritableError, match="can be written by other users"),
            hold(str(tmp_path), WRITE, 0.0),
        ):
            pass


@posix
def test_a_folder_for_locks_that_others_may_read_is_closed_to_them(
    tmp_path: Path, way: str
) -> None:
    if way == "locks":
        return
    folder = tmp_path / "machine" / f"aurelius-locks-{os.getuid()}"
    folder.mkdir(mode=0o755)
    with hold(str(tmp_path), WRITE, 0.0):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_an_error_frees_it(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt), hold(str(tmp_path), WRITE, 0.0):
        raise KeyboardInterrupt
    with hold(str(tmp_path), WRITE, 0.0):
        pass


def test_a_folder_that_takes_none(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UnwritableError), hold(str(tmp_path / "file"), WRITE, 0.0):
        pass


def test_where_an_index_may_be_written(tmp_path: Path) -> None:
    assert lock.folder_obstacle(str(tmp_path / "a" / "b")) is None
    assert os.listdir(tmp_path / "a" / "b") == []
    (tmp_path / "file").touch()
    assert lock.folder_obstacle(str(tmp_path / "file" / "c")) == "Not a directory"
    assert lock.folder_obstacle(str(tmp_path / "a" / "b"), own=True) is None


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows knows no owners by number")
@pytest.mark.parametrize("which", ["outer", "outer/key"])
def test_the_index_beside_others_is_not_put_through_a_link_of_theirs(
    which: str, tmp_path: Path
) -> None:
    """In a temporary folder that all may write in, somebody may have been there first."""
    (tmp_path / "theirs").mkdir()
    (tmp_path / which).parent.mkdir(exist_ok=True)
    (tmp_path / which).symlink_to(tmp_path / "theirs")
    why = lock.folder_obstacle(str(tmp_path / "outer/key"), own=True)
    assert why == f"{tmp_path / which} belongs to another user, or is a link"
    assert os.listdir(tmp_path / "theirs") == []


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="Windows knows no modes")
@pytest.mark.parametrize("there", [False, True])
def test_nobody_else_looks_into_the_folders_of_the_index_beside_others(
    there: bool, tmp_path: Path
) -> None:
    if there:
        (tmp_path / "outer/key").mkdir(parents=True)
        (tmp_path / "outer").chmod(0o755)
    assert lock.folder_obstacle(str(tmp_path / "outer/key"), own=True) is None
    assert [(tmp_path / path).stat().st_mode & 0o777 for path in ("outer", "outer/key")] == [
        0o700,
        0o700,
    ]


def test_where_the_index_is_while_its_own_folder_cannot_be_written() -> None:
    assert lock.temporary("/somewhere/key").endswith("key")
    assert lock.temporary(lock.temporary("/somewhere/key")) == lock.temporary("/somewhere/key")
