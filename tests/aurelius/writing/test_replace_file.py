"""A note is replaced whole: staged beside it, swapped in, and what somebody saved meanwhile comes back."""

from __future__ import annotations

import errno
import itertools
import os
import sys
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest

from aurelius.writing import replace_file
from aurelius.writing.replace_file import Replacement, bytes_digest, old_name, restore_file
from aurelius.writing.safe_folder import Content, Folder, special_rename
from indexer.errors import ConflictError, UsageError

exchanged = pytest.mark.skipif(special_rename() is None, reason="names cannot be exchanged here")


@pytest.fixture(params=["exchange", "replace"])
def folder(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Folder]:
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
    assert (after.st_mode, after.st_uid, after.st_gid) == (
        before.st_mode,
        before.st_uid,
        before.st_gid,
    )
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
    with pytest.raises(ConflictError, match="not written: it "):
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
def test_every_step_can_be_taken_back(
    folder: Folder, tmp_path: Path, state: tuple[bytes | None, bytes | None]
) -> None:
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


def test_a_removed_note_that_is_made_again_stays_beside_the_old_one(
    folder: Folder, tmp_path: Path
) -> None:
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
    restore_file(folder, "a.md", b"1", bytes_digest(b"other"))
    assert (tmp_path / "a.md").read_bytes() == b"2"
    restore_file(folder, "a.md", b"1", bytes_digest(b"2"))
    assert (tmp_path / "a.md").read_bytes() == b"1"
    restore_file(folder, "a.md", None, bytes_digest(b"1"))
    assert names(folder) == []
    restore_file(folder, "a.md", b"1", "")
    assert (tmp_path / "a.md").read_bytes() == b"1"


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells who has a file open for writing"
)
def test_a_note_that_is_open_for_writing_never_leaves_its_place(
    folder: Folder, tmp_path: Path
) -> None:
    note = tmp_path / "a.md"
    note.write_bytes(b"1")
    before = note.stat()
    made = Replacement(folder, "a.md", b"1", b"2")
    with note.open("ab"):
        made.compare()
        made.stage()
        with pytest.raises(ConflictError, match="open for writing"):
            made.swap()
        assert (note.stat().st_ino, note.stat().st_ctime_ns) == (before.st_ino, before.st_ctime_ns)
    made.back()
    assert names(folder) == ["a.md"]


@pytest.mark.parametrize("call", [pytest.param("exchange", marks=exchanged), "replace"])
def test_a_save_that_is_finished_while_it_is_put_back_is_kept_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    """The program had emptied the note when it was displaced; its next save may come from a buffer with our bytes."""
    note = tmp_path / "a.md"
    note.write_bytes(b"1\n")
    monkeypatch.setattr(replace_file, "lease_file", lambda _: None)
    if call == "replace":
        monkeypatch.setattr(Folder, "_special", lambda *_: False)
    real_displace, real_call = Replacement._displace, getattr(Folder, call)
    emptied: list[int] = []

    def displace(self: Replacement) -> None:
        emptied.append(os.open(note, os.O_WRONLY | os.O_TRUNC))
        real_displace(self)

    def finish_first(*args: Any, **named: Any) -> Any:
        os.write(emptied[0], b"1\n3\n")
        return real_call(*args, **named)

    with Folder(str(tmp_path), []) as folder:
        made = Replacement(folder, "a.md", b"1\n", b"1\n2\n")
        made.compare()
        made.stage()
        monkeypatch.setattr(Replacement, "_displace", displace)
        made.swap()
        monkeypatch.setattr(Folder, call, finish_first)
        made.back()
        os.close(emptied[0])
        assert note.read_bytes() == b"1\n3\n"
        assert [left.data for left in made.left if left.saved] == [b"1\n3\n"]


# -- a program that saves by rename, again and again, while a change is taken back ------------------------------


class Saver:
    """A program that saves by rename in some of the moments before and after two files change their names.

    It saves what it `reads` in the moment before, with a line more; or else the same old buffer each time.
    """

    def __init__(self, note: Path, moments: Collection[int], *, reads: bool = False) -> None:
        self.note = note
        self.lines: list[bytes] = []
        self._moments = moments
        self._moment = 0
        self._reads = reads
        self._buffer = note.read_bytes()

    def act(self) -> None:
        if self._moment in self._moments:
            self.lines.append(b"- save %d\n" % self._moment)
            spare = self.note.with_suffix(".md~")
            spare.write_bytes(self._buffer + self.lines[-1])
            spare.rename(self.note)
        if self._reads:
            self._buffer = self.note.read_bytes()
        self._moment += 1


def taken_back(folder: Folder, saver: Saver, monkeypatch: pytest.MonkeyPatch) -> Replacement:
    """A change of the note that is taken back while a program saves it."""
    real = Folder.exchange

    def exchange(self: Folder, one: str, other: str) -> bool:
        saver.act()
        done = real(self, one, other)
        saver.act()
        return done

    before = saver.note.read_bytes()
    made = Replacement(folder, "a.md", before, before + b"- ours\n")
    made.compare()
    made.stage(flush=False)
    with monkeypatch.context() as patched:
        patched.setattr(replace_file, "lease_file", lambda _: True)
        patched.setattr(Folder, "exchange", exchange)
        made._displace()
        made.back()
    return made


def every_version(folder: Folder, made: Replacement) -> bytes:
    """What stands in the note, in its conflict copies and in the files that are looked at again."""
    found = {name: Path(folder.path, name).read_bytes() for name in names(folder)}
    assert set(found) == {"a.md", *made.copies, *(left.name for left in made.left)}
    assert [found[left.name] for left in made.left] == [left.data for left in made.left]
    return b"".join(found.values())


@exchanged
@pytest.mark.parametrize("saves", range(1, 12))
def test_each_of_several_saves_over_a_note_that_is_put_back_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, saves: int
) -> None:
    """Each comes from the buffer the program had before the change, and so holds nothing of the others."""
    note = tmp_path / "a.md"
    note.write_bytes(b"1\n")
    saver = Saver(note, range(0, 2 * saves, 2))
    with Folder(str(tmp_path), []) as folder:
        made = taken_back(folder, saver, monkeypatch)
        there = every_version(folder, made)
    assert [line for line in saver.lines if line not in there] == []
    assert len(made.copies) == (len(saver.lines) > 1), "one displaced file is left in the end"
    if saves <= 4:
        assert note.read_bytes() == b"1\n" + saver.lines[-1], "the newest save stays"
    assert not {left.data for left in made.left} & {
        (tmp_path / copy).read_bytes() for copy in made.copies
    }


@exchanged
def test_no_save_is_lost_whenever_a_program_saves_while_a_note_is_put_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that reads the note, and saves it a moment later over whatever came there meanwhile."""
    note = tmp_path / "a.md"
    lost = []
    for chosen in itertools.product((False, True), repeat=7):
        for path in tmp_path.iterdir():
            path.unlink()
        note.write_bytes(b"1\n")
        saver = Saver(note, [moment for moment in range(7) if chosen[moment]], reads=True)
        with Folder(str(tmp_path), []) as folder:
            there = every_version(folder, taken_back(folder, saver, monkeypatch))
        lost += [(chosen, line) for line in saver.lines if line not in there]
    assert lost == []


@pytest.mark.parametrize("way", ["rename", "in place"])
def test_a_save_before_the_old_name_is_given_back_is_a_conflict_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Where names cannot be exchanged: it comes after the note was last compared."""
    note, spare = tmp_path / "a.md", tmp_path / "a.md~"
    note.write_bytes(b"1\n")
    monkeypatch.setattr(Folder, "_special", lambda *_: False)
    real = Folder.read

    def save_once_read(self: Folder, name: str) -> Content | None:
        found = real(self, name)
        if name == "a.md":
            to = spare if way == "rename" else note
            to.write_bytes(b"1\n- saved\n")
            to.rename(note)
        return found

    with Folder(str(tmp_path), []) as folder:
        made = Replacement(folder, "a.md", b"1\n", b"1\n2\n")
        made.compare()
        made.stage()
        made.swap()
        with monkeypatch.context() as patched:
            patched.setattr(Folder, "read", save_once_read)
            made.back()
        assert note.read_bytes() == b"1\n"
        (copy,) = made.copies
        assert (tmp_path / copy).read_bytes() == b"1\n- saved\n"
        assert set(names(folder)) == {"a.md", copy}


@pytest.mark.parametrize("was_swapped", [True, False])
def test_a_copy_of_a_save_that_a_crash_left_becomes_a_conflict_copy_unless_the_note_holds_it(
    folder: Folder, tmp_path: Path, was_swapped: bool
) -> None:
    made = Replacement(folder, "a.md", b"1\n", b"1\n2\n")
    (tmp_path / "a.md").write_bytes(b"1\n- first\n- third\n")
    (tmp_path / old_name(made.spare, 1)).write_bytes(b"1\n- first\n")
    (tmp_path / old_name(made.spare, 2)).write_bytes(b"1\n- second\n")
    made.clear(bytes_digest(b"1\n2\n"), was_swapped=was_swapped)
    (copy,) = made.copies
    assert set(names(folder)) == {"a.md", copy}
    assert (tmp_path / copy).read_bytes() == b"1\n- second\n"


@exchanged
def test_a_copy_of_a_save_that_the_disk_has_no_room_for_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(handle: int, _: str) -> None:
        os.close(handle)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    note = tmp_path / "a.md"
    note.write_bytes(b"1\n")
    monkeypatch.setattr(replace_file, "open", no_room, raising=False)
    with Folder(str(tmp_path), []) as folder:
        made = taken_back(folder, Saver(note, [0, 2]), monkeypatch)
        assert made.left == []
        assert every_version(folder, made) == b"1\n- save 0\n1\n- save 2\n"


@exchanged
@pytest.mark.parametrize(
    ("saved", "removed", "kept"), [((), 2, []), ((0,), 2, [0]), ((0, 2), 4, [0, 2])]
)
def test_a_note_that_somebody_removes_while_it_is_put_back_stays_removed(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    saved: Collection[int],
    removed: int,
    kept: list[int],
) -> None:
    class Remover(Saver):
        def act(self) -> None:
            super().act()
            if self._moment == removed + 1:
                self.note.unlink()

    note = tmp_path / "a.md"
    note.write_bytes(b"1\n")
    with Folder(str(tmp_path), []) as folder:
        made = taken_back(folder, Remover(note, saved), monkeypatch)
        found = b"".join((tmp_path / name).read_bytes() for name in names(folder))
        assert set(names(folder)) == {*made.copies, *(left.name for left in made.left)}
        assert bool(names(folder)) == bool(kept)
        assert sorted(found.replace(b"1\n", b"").splitlines()) == [
            b"- save %d" % each for each in kept
        ]
