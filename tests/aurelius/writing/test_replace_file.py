"""A note is replaced whole: staged beside it, swapped in, and what somebody saved meanwhile comes back."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from aurelius.writing import replace_file
from aurelius.writing.replace_file import Replacement, digest, put_back
from aurelius.writing.safe_folder import Folder, special_rename
from indexer.errors import ConflictError, UsageError


@pytest.fixture(params=["exchange", "replace"])
def folder(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Folder]:
    if request.param == "replace":
        monkeypatch.setattr(Folder, "_special", lambda *_: False)
    with Folder(str(tmp_path), []) as opened:
        yield opened


def through(replacement: Replacement) -> None:
    replacement.compare()
    replacement.stage()
    replacement.swap()
    replacement.look_again()
    replacement.finish()


def swap(replacement: Replacement) -> None:
    replacement.swap()
    replacement.look_again()


def names(folder: Folder) -> list[str]:
    return sorted(os.listdir(folder.path))


def test_a_note_is_made_changed_and_removed(folder: Folder, tmp_path: Path) -> None:
    through(Replacement(folder, "x/a.md", None, b"1"))
    assert (tmp_path / "a.md").read_bytes() == b"1"
    through(Replacement(folder, "x/a.md", b"1", b"2"))
    assert (tmp_path / "a.md").read_bytes() == b"2"
    assert names(folder) == ["a.md"]
    through(Replacement(folder, "x/a.md", b"2", None))
    assert names(folder) == []


def test_mode_owner_and_attributes_stay(folder: Folder, tmp_path: Path) -> None:
    note = tmp_path / "a.md"
    note.write_bytes(b"1")
    note.chmod(0o604)
    if os.getuid() == 0:
        os.chown(note, 12, 34)
    marked = True
    try:
        os.setxattr(note, "user.mark", b"kept")
    except (OSError, AttributeError):  # a file system, or a system, without
        marked = False
    before = note.stat()
    through(Replacement(folder, "a.md", b"1", b"2"))
    after = note.stat()
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert not marked or os.getxattr(note, "user.mark") == b"kept"


def test_a_moved_note_brings_its_mode_along(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"1")
    (tmp_path / "a.md").chmod(0o600)
    made = Replacement(folder, "b.md", None, b"1")
    made.stage((folder, "a.md"))
    made.swap()
    assert (tmp_path / "b.md").stat().st_mode & 0o777 == 0o600


def test_a_new_note_has_the_mode_of_any_new_file(folder: Folder, tmp_path: Path) -> None:
    through(Replacement(folder, "a.md", None, b"1"))
    (tmp_path / "plain").write_bytes(b"")
    assert (tmp_path / "a.md").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_second_name_and_a_read_only_note_are_refused(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"1")
    os.link(tmp_path / "a.md", tmp_path / "b.md")
    with pytest.raises(UsageError, match="second name"):
        Replacement(folder, "a.md", b"1", b"2").compare()
    (tmp_path / "b.md").unlink()
    (tmp_path / "a.md").chmod(0o444)
    with pytest.raises(UsageError, match="read-only"):
        Replacement(folder, "a.md", b"1", b"2").compare()


@pytest.mark.parametrize(("before", "after"), [(b"1", b"2"), (b"1", None), (None, b"2")])
def test_what_is_not_as_it_was_read_is_a_conflict(
    folder: Folder, tmp_path: Path, before: bytes | None, after: bytes | None
) -> None:
    (tmp_path / "a.md").write_bytes(b"other")
    with pytest.raises(ConflictError, match=digest(b"other")[:12]):
        Replacement(folder, "a.md", before, after).compare()
    assert names(folder) == ["a.md"]


def test_a_save_in_the_moment_of_the_swap_comes_back(folder: Folder, tmp_path: Path) -> None:
    """An editor takes no lock, so what was displaced is looked at."""
    note = tmp_path / "a.md"
    for after in (b"2", None):
        note.write_bytes(b"1")
        mine = Replacement(folder, "a.md", b"1", after)
        mine.compare()
        mine.stage()
        (tmp_path / "theirs").write_bytes(b"saved meanwhile")
        os.replace(tmp_path / "theirs", note)
        with pytest.raises(ConflictError):
            swap(mine)
        mine.back()
        assert note.read_bytes() == b"saved meanwhile"
        assert names(folder) == ["a.md"]


def test_a_note_made_meanwhile_is_not_overwritten(folder: Folder, tmp_path: Path) -> None:
    mine = Replacement(folder, "a.md", None, b"mine")
    mine.compare()
    mine.stage()
    (tmp_path / "a.md").write_bytes(b"theirs")
    with pytest.raises(ConflictError):
        mine.swap()
    mine.back()
    assert (tmp_path / "a.md").read_bytes() == b"theirs"
    assert names(folder) == ["a.md"]


@pytest.mark.parametrize("state", [(None, b"2"), (b"1", b"2"), (b"1", None)])
def test_every_step_can_be_taken_back(folder: Folder, tmp_path: Path, state: tuple[bytes | None, bytes | None]) -> None:
    before, after = state
    for steps in range(5):
        for path in tmp_path.iterdir():
            path.unlink()
        if before is not None:
            (tmp_path / "a.md").write_bytes(before)
        mine = Replacement(folder, "a.md", before, after)
        for step in (mine.compare, mine.stage, mine.swap, mine.look_again)[:steps]:
            step()
        mine.back()
        found = folder.read("a.md")
        assert (None if found is None else found.data) == before
        assert names(folder) == ([] if before is None else ["a.md"])


def test_taking_back_leaves_what_somebody_saved_since(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"1")
    mine = Replacement(folder, "a.md", b"1", b"2")
    mine.compare()
    mine.stage()
    mine.swap()
    (tmp_path / "theirs").write_bytes(b"newer")
    os.replace(tmp_path / "theirs", tmp_path / "a.md")
    mine.back()
    assert (tmp_path / "a.md").read_bytes() == b"newer"
    assert set(names(folder)) == {"a.md", *(left.name for left in mine.left)}
    assert [left for left in mine.left if not left.saved] == []


def test_a_removed_note_that_is_made_again_stays_beside_the_old_one(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"1")
    mine = Replacement(folder, "a.md", b"1", None)
    mine.compare()
    mine.swap()
    (tmp_path / "a.md").write_bytes(b"new")
    mine.back()
    assert (tmp_path / "a.md").read_bytes() == b"new"
    (copy,) = (path for path in tmp_path.iterdir() if path.name != "a.md")
    assert copy.name.startswith("a (conflict ")
    assert copy.suffix == ".md"
    assert copy.read_bytes() == b"1"


def test_bytes_are_put_back_only_over_what_was_written(folder: Folder, tmp_path: Path) -> None:
    (tmp_path / "a.md").write_bytes(b"2")
    put_back(folder, "a.md", b"1", digest(b"other"))
    assert (tmp_path / "a.md").read_bytes() == b"2"
    put_back(folder, "a.md", b"1", digest(b"2"))
    assert (tmp_path / "a.md").read_bytes() == b"1"
    put_back(folder, "a.md", None, digest(b"1"))
    assert names(folder) == []
    put_back(folder, "a.md", b"1", "")
    assert (tmp_path / "a.md").read_bytes() == b"1"


def test_what_a_crash_left_of_a_file_that_was_to_be_replaced_is_swept(tmp_path: Path) -> None:
    for name in (".a.jsonl.0123abcd.new", ".b.jsonl.0123abcd.new", "a.jsonl", "a.new"):
        (tmp_path / name).touch()
    replace_file.replace_file(str(tmp_path / "a.jsonl"), b"1")
    replace_file.sweep(str(tmp_path), {"a.jsonl"})
    assert sorted(os.listdir(tmp_path)) == [".b.jsonl.0123abcd.new", "a.jsonl", "a.new"]


@pytest.mark.skipif(special_rename() is None, reason="names cannot be exchanged here")
def test_a_save_that_is_finished_while_it_is_put_back_is_kept_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The program had emptied the note when it was displaced; its next save may come from a buffer with our bytes."""
    note = tmp_path / "a.md"
    note.write_bytes(b"1\n")
    monkeypatch.setattr(replace_file, "lease", lambda _: None)
    real_displace, real_exchange = Replacement._displace, Folder.exchange
    emptied: list[int] = []

    def displace(self: Replacement) -> None:
        emptied.append(os.open(note, os.O_WRONLY | os.O_TRUNC))
        real_displace(self)

    def finish_then_exchange(self: Folder, one: str, other: str) -> bool:
        os.write(emptied[0], b"1\n3\n")
        return real_exchange(self, one, other)

    with Folder(str(tmp_path), []) as folder:
        made = Replacement(folder, "a.md", b"1\n", b"1\n2\n")
        made.compare()
        made.stage()
        monkeypatch.setattr(Replacement, "_displace", displace)
        made.swap()
        monkeypatch.setattr(Folder, "exchange", finish_then_exchange)
        made.back()
        os.close(emptied[0])
        assert note.read_bytes() == b"1\n3\n"
        assert [left.data for left in made.left if left.saved] == [b"1\n3\n"]
