"""A forgotten path becomes one line of .aureliusignore that means it and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from aurelius.writing.forget import IGNORE_FILE, ignore, is_left_out, pattern
from indexer.errors import ConflictError
from indexer.settings import Settings

ODD = ["a.md", "b/c d.md", "#x.md", "!y.md", "star*.md", "q?.md", "[z].md", "end .md", "back\\slash.md", "äö.md",
       "line\nend.md"]  # fmt: skip


@pytest.mark.parametrize("path", ODD)
def test_the_line_means_that_path_alone(tmp_path: Path, path: str) -> None:
    names = ("starry.md", "qq.md", "z.md", "sub/a.md", "plain.md", "end.md", "line.md")
    others = [other for other in names if other != path]
    for each in (path, *others):
        (tmp_path / each).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / each).write_text("x")
    settings = Settings(str(tmp_path), "")
    assert not any(is_left_out(settings, other) for other in others)
    ignore(str(tmp_path), path)
    assert is_left_out(settings, path)
    assert not any(is_left_out(settings, other) for other in others)


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


def test_pattern() -> None:
    assert pattern("a [b]*.md") == "/a \\[b\\]\\*.md"
