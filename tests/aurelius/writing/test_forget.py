"""A forgotten path becomes one line of .aureliusignore that means it and nothing else."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from aurelius.writing import undo_log
from aurelius.writing.forget import (
    IGNORE_FILE,
    forget_note,
    ignore,
    ignore_line,
    is_ignored_for_good,
)
from indexer.errors import ConflictError
from indexer.note import Settings

ODD = [
    "a.md",
    "b/c d.md",
    "#x.md",
    "!y.md",
    "star*.md",
    "q?.md",
    "[z].md",
    "end .md",
    "back\\slash.md",
    "äö.md",
    "line\nend.md",
]


@pytest.mark.parametrize("path", ODD)
def test_the_line_means_that_path_alone(tmp_path: Path, path: str) -> None:
    names = ("starry.md", "qq.md", "z.md", "sub/a.md", "plain.md", "end.md", "line.md")
    others = [other for other in names if other != path]
    for each in (path, *others):
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / each).write_text("x")
    settings = Settings(str(tmp_path), "")
    assert not any(is_ignored_for_good(settings, other) for other in others)
    ignore(str(tmp_path), path)
    assert is_ignored_for_good(settings, path)
    assert not any(is_ignored_for_good(settings, other) for other in others)


def test_a_missing_line_end_is_made_up_for_and_the_rest_kept(tmp_path: Path) -> None:
    (tmp_path / IGNORE_FILE).write_bytes(b"# mine\r\nhidden/")
    ignore(str(tmp_path), "a.md")
    assert (tmp_path / IGNORE_FILE).read_bytes() == b"# mine\r\nhidden/\n/a.md\n"
    ignore(str(tmp_path), "b.md")
    assert (tmp_path / IGNORE_FILE).read_bytes().endswith(b"\n/a.md\n/b.md\n")


@pytest.mark.parametrize("mark", [b"\xff\xfe", b"\xfe\xff"])
def test_a_file_in_utf_16_is_left_as_it_is(tmp_path: Path, mark: bytes) -> None:
    (tmp_path / IGNORE_FILE).write_bytes(mark + b"\0a")
    with pytest.raises(ConflictError, match="UTF-16"):
        ignore(str(tmp_path), "a.md")
    assert (tmp_path / IGNORE_FILE).read_bytes() == mark + b"\0a"


def test_a_file_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / IGNORE_FILE).mkdir()
    with pytest.raises(ConflictError) as caught:
        ignore(str(tmp_path), "a.md")
    assert IGNORE_FILE in caught.value.message


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes here")
def test_a_pipe_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / IGNORE_FILE)
    with pytest.raises(ConflictError, match="is not a regular file; nothing was forgotten"):
        ignore(str(tmp_path), "a.md")


def test_a_link_is_called_a_link_and_what_it_leads_to_is_left(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("x\n")
    (tmp_path / IGNORE_FILE).symlink_to("mine")
    with pytest.raises(ConflictError, match="written: it is a link; nothing was forgotten"):
        ignore(str(tmp_path), "a.md")
    assert (tmp_path / "mine").read_text() == "x\n"


def test_a_line_that_only_half_fits_is_taken_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / IGNORE_FILE).write_bytes(b"mine/\n")
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: write(handle, data[:3]))
    with pytest.raises(ConflictError, match="the disk is full; nothing was forgotten"):
        ignore(str(tmp_path), "people/a.md")
    assert (tmp_path / IGNORE_FILE).read_bytes() == b"mine/\n"


def test_nothing_is_written_where_what_undo_keeps_could_not_be_removed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, state = tmp_path / "vault", tmp_path / "state"
    root.mkdir()
    (root / "a.md").write_text("x")
    undo_log.keep_undo(str(state), 0.0, "why", [undo_log.KeptNote("a.md", b"x", "1")])
    settings = Settings(str(root), str(tmp_path / "index"))
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(ConflictError, match="undo cannot be written; nothing was forgotten"):
        forget_note(settings, "a.md", str(state))
    (tmp_path / "file").write_text("x")
    with pytest.raises(ConflictError, match="cannot be read"):
        forget_note(settings, "a.md", str(tmp_path / "file"))
    assert not (root / IGNORE_FILE).exists()
    monkeypatch.undo()
    assert forget_note(settings, "a.md", str(state)).ignored_added
    assert list(undo_log.entries(str(state))) == []


def test_the_signs_of_a_pattern_are_escaped_in_the_line_for_the_ignore_file() -> None:
    assert ignore_line("a [b]*.md") == "/a \\[b\\]\\*.md"


def test_a_note_in_a_folder_that_cannot_be_read_is_listed_for_the_day_when_it_can(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, state = tmp_path / "vault", tmp_path / "state"
    (root / "people").mkdir(parents=True)
    state.mkdir()
    look = os.lstat

    def refused(path: str, **named: object) -> os.stat_result:
        if str(path).endswith("joe.md"):
            raise PermissionError(13, "Permission denied", path)
        return look(path, **named)  # type: ignore[arg-type]  # whatever was passed

    monkeypatch.setattr(os, "lstat", refused)
    done = forget_note(
        Settings(str(root), str(tmp_path / "index"), vectors=False), "people/joe.md", str(state)
    )
    assert done.ignored_added
    assert (root / IGNORE_FILE).read_text() == "/people/joe.md\n"
    assert not forget_note(
        Settings(str(root), str(tmp_path / "index"), vectors=False), "ann.md", str(state)
    ).ignored_added
