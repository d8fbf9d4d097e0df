"""What replaces a file is on the disk before it takes the name, and the name is before anything else follows.

Each step is recorded as it reaches the system: a file that takes another's name has to have been
flushed with the very bytes it holds then, and its folder flushed afterwards.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from aurelius.daemon import install
from aurelius.daemon.jobs import Jobs
from aurelius.writing import append_journal, undo_log
from aurelius.writing.check_edit import Edit, Place
from aurelius.writing.edit import apply_edits
from aurelius.writing.own_files import replace_file, replace_in
from aurelius.writing.replace_file import bytes_digest
from aurelius.writing.safe_folder import Folder
from indexer.rows import schema

Identity = tuple[int, int]


class Recorder:
    """What was flushed and what was renamed; `wrong` says what came in the wrong order."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wrong: list[str] = []
        self.renamed: list[str] = []
        self._flushed: dict[Identity, tuple[int, int]] = {}
        self._waiting: dict[Identity, str] = {}
        self._before: dict[Identity, int] = {}
        self._real = {name: getattr(os, name) for name in ("fsync", "replace", "rename")}
        special = Folder._special
        monkeypatch.setattr(os, "fsync", self.fsync)
        monkeypatch.setattr(os, "replace", self.around(self._real["replace"]))
        monkeypatch.setattr(os, "rename", self.around(self._real["rename"]))

        def move(folder: Folder, one: str, other: str, way: str) -> bool:
            self.note(folder._at(one), folder._at(other), folder._fd, folder._fd)
            return special(folder, one, other, way)

        monkeypatch.setattr(Folder, "_special", move)

    def fsync(self, handle: int) -> None:
        found = os.fstat(handle)
        if not self.renamed:
            self._before[found.st_dev, found.st_ino] = found.st_size
        self._flushed[found.st_dev, found.st_ino] = found.st_size, found.st_mtime_ns
        self._waiting.pop((found.st_dev, found.st_ino), None)
        self._real["fsync"](handle)

    def around(self, real: Callable[..., None]) -> Callable[..., None]:
        def call(
            source: Any,
            target: Any,
            *,
            src_dir_fd: int | None = None,
            dst_dir_fd: int | None = None,
        ) -> None:
            self.note(source, target, src_dir_fd, dst_dir_fd)
            real(source, target, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

        return call

    def note(
        self, source: str, target: str, source_folder: int | None, target_folder: int | None
    ) -> None:
        """A file that is about to take a name."""
        name = os.path.basename(target)
        found = os.stat(source, dir_fd=source_folder)
        self.renamed.append(name)
        if self._flushed.get((found.st_dev, found.st_ino)) != (found.st_size, found.st_mtime_ns):
            self.wrong.append(f"{name} takes its name before its bytes are on the disk")
        folder = (
            os.fstat(target_folder)
            if target_folder is not None
            else os.stat(os.path.dirname(target) or ".")
        )
        self._waiting[folder.st_dev, folder.st_ino] = name

    def is_flushed(self, path: Path) -> bool:
        """Whether the bytes of a file were flushed before anything took a name."""
        found = path.stat()
        return self._before.get((found.st_dev, found.st_ino)) == found.st_size

    def complaints(self) -> list[str]:
        return [
            *self.wrong,
            *(f"the name of {name} is not on the disk" for name in self._waiting.values()),
        ]


@pytest.fixture
def recorder(monkeypatch: pytest.MonkeyPatch) -> Iterator[Recorder]:
    made = Recorder(monkeypatch)
    yield made
    monkeypatch.undo()
    assert made.renamed, "nothing was replaced"
    assert made.complaints() == []


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "vault").mkdir()
    (tmp_path / "vault" / "joe.md").write_bytes(b"# Joe\n")
    return Place(str(tmp_path / "vault"), str(tmp_path / "state"))


def test_a_note_and_its_undo_entry_are_on_the_disk_before_they_count(
    place: Place, recorder: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        undo_log, "close_undo", lambda *_: None
    )  # an entry left open is finished, not lost
    apply_edits(
        place,
        [Edit("joe.md", b"# Joe\n", b"# Joe\n\n- tea\n"), Edit("new.md", None, b"# New\n")],
        "a test",
    )
    assert recorder.renamed == ["joe.md", "new.md"]


def test_the_entry_that_a_crash_is_mended_from_is_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[str] = []
    monkeypatch.setattr(
        os, "fsync", lambda handle: flushed.append(os.readlink(f"/proc/self/fd/{handle}"))
    )
    undo_log.keep_undo(
        str(tmp_path), 0.0, "a test", [undo_log.KeptNote("joe.md", b"1", bytes_digest(b"2"))]
    )
    assert [os.path.basename(path) for path in flushed] == ["00000001.open", "undo"]


def test_the_journals_outside_the_vault_are_replaced_so(tmp_path: Path, recorder: Recorder) -> None:
    state = str(tmp_path)
    append_journal.rewrite_lines(
        state,
        append_journal.JOURNAL,
        [append_journal.pending_lines("joe.md", b"- tea\n", b"", 0.0)],
    )
    append_journal.rewrite_values(state, "word.jsonl", ["tea"])
    assert recorder.renamed == ["appends.jsonl", "word.jsonl"]


def test_when_a_job_was_done_is_replaced_so(tmp_path: Path, recorder: Recorder) -> None:
    Jobs(str(tmp_path), {"HOME": str(tmp_path)}, lambda _: None)._keep("archive", 0.0)


def test_what_starts_the_daemon_is_replaced_so(tmp_path: Path, recorder: Recorder) -> None:
    made = install.InstallPlan("systemd", str(tmp_path / "unit"), "[Unit]\n", "utf-8", (), ())
    install.write_service(made, str(tmp_path / "daemon"))


def test_a_compacted_usage_log_is_replaced_so(tmp_path: Path, recorder: Recorder) -> None:
    with Folder(str(tmp_path), []) as folder:
        replace_in(folder, "2026-02.jsonl", b"{}\n", 0o644)


def test_the_pointer_to_the_index_is_replaced_so(tmp_path: Path, recorder: Recorder) -> None:
    (tmp_path / "index-1.db").write_bytes(b"1")
    schema.point_to(str(tmp_path), str(tmp_path / "index-1.db"))
    assert recorder.is_flushed(tmp_path / "index-1.db"), (
        "the pointer leads to a file that is not on the disk"
    )


def test_a_file_is_left_as_it_was_where_the_disk_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: int) -> None:
        raise OSError(28, "no space")

    (tmp_path / "file").write_bytes(b"1")
    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="no space"):
        replace_file(str(tmp_path / "file"), b"2")
    assert [path.read_bytes() for path in tmp_path.iterdir()] == [b"1"]
