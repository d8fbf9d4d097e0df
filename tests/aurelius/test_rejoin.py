"""Appends are one write each, and come back once when an editor saves over them (reliability C5, C6, C9)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from aurelius import appends, rejoin
from aurelius.edit import Edit, Place, apply
from aurelius.folder import Folder
from aurelius.rejoin import append, look
from aurelius.undo import choose, undo
from indexer.errors import ConflictError, UsageError

ROOT = Path(__file__).resolve().parent.parent.parent
DAY = "memory/2026-02-10.md"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "vault" / "memory").mkdir(parents=True)
    return Place(str(tmp_path / "vault"), str(tmp_path / "state"))


def note(place: Place) -> Path:
    return Path(place.root, *DAY.split("/"))


def soon(seconds: float = 1.0) -> float:
    return time.time() + seconds


# -- appending -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        (None, b"# Day\n\n- x\n", 3),
        (b"", b"# Day\n\n- x\n", 3),
        (b"\xef\xbb\xbf", b"\xef\xbb\xbf# Day\n\n- x\n", 3),
        (b"# D\n", b"# D\n- x\n", 2),
        (b"# D\n- no end", b"# D\n- no end\n- x\n", 3),
        (b"# D\r\n- a\r\n", b"# D\r\n- a\r\n- x\r\n", 3),
        (b"# D\r\n- a", b"# D\r\n- a\r\n- x\r\n", 3),
        (b"# D\r\n- a\n- b\n- c\n", b"# D\r\n- a\n- b\n- c\n- x\n", 5),
        (b"\xef\xbb\xbf# D \t\n\n\n", b"\xef\xbb\xbf# D \t\n\n\n- x\n", 4),
        (b"# D\r- a\r", b"# D\r- a\r- x\n", 3),
    ],
)
def test_a_line_is_added_and_no_other_byte_changes(place: Place, before: bytes | None, after: bytes, line: int) -> None:
    if before is not None:
        note(place).write_bytes(before)
    done = append(place, DAY, b"- x\n", opening=b"# Day\n\n")
    assert note(place).read_bytes() == after
    assert (done.path, done.line) == (DAY, line)
    undo(place, choose(place))
    assert (note(place).read_bytes() if note(place).exists() else None) == before


def test_the_folder_is_made(place: Place) -> None:
    append(place, "journal/2026/02.md", b"- x\n")
    assert Path(place.root, "journal/2026/02.md").read_bytes() == b"- x\n"


def test_an_append_is_undone_after_others_came(place: Place) -> None:
    append(place, DAY, b"- one\n", opening=b"# Day\n\n")
    append(place, DAY, b"- two\n", opening=b"# Day\n\n")
    undo(place, choose(place, 1))
    assert note(place).read_bytes() == b"# Day\n\n- two\n"
    note(place).write_bytes(b"# Day\n\n- Two!\n")
    with pytest.raises(ConflictError):
        undo(place, choose(place, 2))


def test_what_cannot_be_appended_to_is_told(place: Place) -> None:
    """F1, F2, C3."""
    note(place).write_bytes(b"caf\xe9\n")
    with pytest.raises(UsageError, match="not UTF-8"):
        append(place, DAY, b"- x\n")
    note(place).write_bytes(b"ok\n")
    note(place).chmod(0o444)
    with pytest.raises(ConflictError, match="read-only"):
        append(place, DAY, b"- x\n")
    note(place).unlink()
    os.mkfifo(note(place))
    with pytest.raises(UsageError, match="not a regular file"):
        append(place, DAY, b"- x\n")
    note(place).unlink()
    note(place).symlink_to("elsewhere.md")
    with pytest.raises(UsageError, match="link"):
        append(place, DAY, b"- x\n")
    for path in ("AGENTS.md", ".git/x.md", "ME.md", "../x.md"):
        with pytest.raises(UsageError):
            append(place, path, b"- x\n")
    assert not appends.is_pending(place.state)


def test_a_note_with_a_second_name_is_appended_to_in_place(place: Place) -> None:
    note(place).write_bytes(b"# D\n")
    os.link(note(place), Path(place.root, "also.md"))
    append(place, DAY, b"- x\n")
    assert Path(place.root, "also.md").read_bytes() == b"# D\n- x\n"


@pytest.mark.parametrize("before", [None, b"# D\n"])
def test_a_short_write_leaves_the_note_as_it_was(
    place: Place, before: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C5, C9: a disk that takes half of it."""
    if before is not None:
        note(place).write_bytes(before)
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, data[:2]))
    with pytest.raises(ConflictError, match="only part"):
        append(place, DAY, b"- a line\n")
    monkeypatch.undo()
    assert (note(place).read_bytes() if note(place).exists() else None) == before


def test_a_full_disk_leaves_the_note_as_it_was(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(ConflictError, match="No space left"):
        append(place, DAY, b"- a line\n")
    monkeypatch.undo()
    assert not note(place).exists()


def test_a_note_replaced_in_the_moment_of_the_append_gets_it_too(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    note(place).write_bytes(b"# D\n")
    real = Folder.open
    saved = False

    def open_then_save(self: Folder, name: str, flags: int, mode: int = 0o666) -> int:
        nonlocal saved
        handle = real(self, name, flags, mode)
        if flags & os.O_APPEND and not saved:
            saved = True
            note(place).with_suffix(".new").write_bytes(b"# D\n- theirs\n")
            os.replace(note(place).with_suffix(".new"), note(place))
        return handle

    monkeypatch.setattr(Folder, "open", open_then_save)
    append(place, DAY, b"- mine\n")
    assert note(place).read_bytes() == b"# D\n- theirs\n- mine\n"


PROCESSES, LINES = 8, 25
WRITER = """
import sys
from aurelius.edit import Place
from aurelius.rejoin import append
root, state, path, name, lines = sys.argv[1:]
for number in range(int(lines)):
    append(Place(root, state), path, f"- {name} said {number}\\n".encode() , opening=b"# Day\\n\\n")
"""


def test_many_append_at_once_and_no_line_is_lost_or_torn(place: Place) -> None:
    """C5."""
    started = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, place.root, place.state, DAY, f"p{number}", str(LINES)],
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        for number in range(PROCESSES)
    ]
    assert [process.wait(120) for process in started] == [0] * PROCESSES
    head, _, *lines = note(place).read_bytes().splitlines()
    assert head == b"# Day"
    assert sorted(lines) == sorted(
        f"- p{number} said {line}".encode() for number in range(PROCESSES) for line in range(LINES)
    )
    assert look(place, soon()) == []
    assert len(appends.read(place.state)) == PROCESSES * LINES


# -- looking again ---------------------------------------------------------------------------------------


def test_an_editor_that_saves_a_stale_buffer_erases_nothing_for_long(place: Place) -> None:
    """C6: 0 lost, 0 doubled."""
    note(place).write_bytes(b"# Day\n\n")
    buffer = note(place).read_bytes()
    for number in range(20):
        append(place, DAY, b"- agent %d\n" % number)
        buffer += b"- person %d\n" % number
        note(place).write_bytes(buffer)
        assert look(place, soon()) == [f"{DAY}: what was appended had been saved over, and was appended again"]
        buffer = note(place).read_bytes()
    lines = note(place).read_bytes().splitlines()
    for who in (b"agent", b"person"):
        assert sorted(line for line in lines if who in line) == sorted(b"- %s %d" % (who, n) for n in range(20))


def test_two_equal_lines_both_come_back(place: Place) -> None:
    note(place).write_bytes(b"# Day\n- ok\n")
    append(place, DAY, b"- ok\n")
    append(place, DAY, b"- ok\n")
    note(place).write_bytes(b"# Day\n- ok\n")
    look(place, soon())
    assert note(place).read_bytes() == b"# Day\n- ok\n- ok\n- ok\n"


def test_a_note_that_was_just_saved_is_left_to_its_editor(place: Place) -> None:
    append(place, DAY, b"- x\n")
    note(place).write_bytes(b"")
    assert look(place) == []
    assert note(place).read_bytes() == b""
    assert appends.is_pending(place.state)
    note(place).unlink()  # many editors put the new file there a moment later
    assert look(place, soon()) == []
    assert appends.is_pending(place.state)


def test_a_line_taken_out_twice_is_a_wish_that_is_obeyed(place: Place) -> None:
    append(place, DAY, b"- x y z\n", opening=b"# Day\n\n")
    note(place).write_bytes(b"# Day\n\n")
    look(place, soon())
    assert note(place).read_bytes() == b"# Day\n\n- x y z\n"
    note(place).write_bytes(b"# Day\n\n")
    assert look(place, soon()) == [f"{DAY}: what was appended is gone, and stays so"]
    assert look(place, soon()) == []
    assert note(place).read_bytes() == b"# Day\n\n"
    (gone,) = appends.vanished(place.state)
    assert (gone.path, gone.data) == (DAY, b"- x y z\n")
    appends.settle(place.state)
    assert appends.vanished(place.state) == ()


def test_after_a_minute_nothing_is_appended_again(place: Place) -> None:
    append(place, DAY, b"- x y z\n")
    note(place).write_bytes(b"# Day\n")
    look(place, soon(61))
    assert note(place).read_bytes() == b"# Day\n"
    assert not appends.is_pending(place.state)
    assert len(appends.vanished(place.state)) == 1


def test_a_line_that_stayed_is_forgotten_after_a_minute(place: Place) -> None:
    append(place, DAY, b"- x\n")
    assert look(place, soon(61)) == []
    assert not appends.is_pending(place.state)
    assert not appends.vanished(place.state)


@pytest.mark.parametrize("now", [b"- Met Ada at the big fair (today)\n", b"- x\r\n- Met Ada at the fair\r\n"])
def test_a_reworded_line_is_still_there(place: Place, now: bytes) -> None:
    append(place, DAY, b"- Met Ada at the fair\n")
    note(place).write_bytes(now)
    look(place, soon())
    assert note(place).read_bytes() == now


def test_a_line_like_it_that_was_there_before_is_not_it(place: Place) -> None:
    note(place).write_bytes(b"- Met Ada at the fair\n")
    append(place, DAY, b"- Met Ada at the fair again\n")
    note(place).write_bytes(b"- Met Ada at the fair\n")
    look(place, soon())
    assert note(place).read_bytes() == b"- Met Ada at the fair\n- Met Ada at the fair again\n"


def test_what_aurelius_takes_out_itself_stays_out(place: Place) -> None:
    append(place, DAY, b"- one\n", opening=b"# Day\n\n")
    append(place, DAY, b"- two\n")
    undo(place, choose(place))
    look(place, soon())
    assert note(place).read_bytes() == b"# Day\n\n- one\n"
    apply(place, [Edit(DAY, b"# Day\n\n- one\n", b"# Day\n\n- uno\n")], "reword")
    look(place, soon())
    assert note(place).read_bytes() == b"# Day\n\n- uno\n"
    assert not appends.is_pending(place.state)


def test_a_note_that_is_gone_for_good_is_told_once(place: Place) -> None:
    append(place, DAY, b"- one\n")
    note(place).unlink()
    assert look(place, soon(61)) == [f"{DAY}: what was appended is gone, and stays so"]
    assert not note(place).exists()
    assert look(place, soon(61)) == []


def test_a_note_that_cannot_be_written_is_looked_at_again(place: Place) -> None:
    append(place, DAY, b"- one\n", opening=b"# Day\n\n")
    note(place).write_bytes(b"# Day\n\n")
    note(place).chmod(0o444)
    assert look(place, soon()) == []
    note(place).chmod(0o644)
    assert len(look(place, soon())) == 1
    assert note(place).read_bytes() == b"# Day\n\n- one\n"


def test_a_clock_that_went_back_starts_no_storm(place: Place) -> None:
    append(place, DAY, b"- one\n")
    assert look(place, time.time() - 100_000) == []
    assert not appends.is_pending(place.state)


def test_an_append_younger_than_the_look_is_still_watched(place: Place) -> None:
    append(place, DAY, b"- one\n")
    assert look(place, time.time() - 5) == []
    assert appends.is_pending(place.state)


def test_waiting_is_short() -> None:
    assert rejoin.SETTLED == 0.2
    assert rejoin.MINUTE == 60
