"""Appends are one write each and known to undo; what vanishes is told once and offered, never written again."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.writing import append as append_module
from aurelius.writing import append_journal, undo_log
from aurelius.writing.append import append_lines, look_for_lost_lines, lost_lines, put_lines_back
from aurelius.writing.check_edit import Edit, Place
from aurelius.writing.edit import apply_edits
from aurelius.writing.safe_folder import Folder
from aurelius.writing.undo import choose_change, undo_change
from indexer.errors import ConflictError, UsageError

ROOT = Path(__file__).resolve().parents[3]
DAY = "memory/2026-02-10.md"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "vault" / "memory").mkdir(parents=True)
    return Place(str(tmp_path / "vault"), str(tmp_path / "state"))


def note(place: Place) -> Path:
    return Path(place.root, *DAY.split("/"))


def soon(seconds: float = 1.0) -> float:
    return time.time() + seconds


def waiting(place: Place) -> list[bytes]:
    """The lines that `review` offers to put back."""
    return [each.data.strip() for each in lost_lines(place)]


def is_told(said: list[str], *lines: str, path: str = DAY) -> bool:
    """Whether that is all that was said: that these lines, one at a time, are gone from a note."""
    ends = [
        f' is no longer there: "{line}"; `aurelius review` puts it back or leaves it'
        for line in lines
    ]
    return len(said) == len(ends) and all(
        each.startswith(f"{path}: a line written at ") and each.endswith(end)
        for each, end in zip(said, ends, strict=True)
    )


# -- appending -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, b"# Day\n\n- x\n"),
        (b"", b"# Day\n\n- x\n"),
        (b"\xef\xbb\xbf", b"\xef\xbb\xbf# Day\n\n- x\n"),
        (b"# D\n", b"# D\n- x\n"),
        (b"# D\n- no end", b"# D\n- no end\n- x\n"),
        (b"# D\r\n- a\r\n", b"# D\r\n- a\r\n- x\r\n"),
        (b"# D\r\n- a", b"# D\r\n- a\r\n- x\r\n"),
        (b"# D\r\n- a\n- b\n- c\n", b"# D\r\n- a\n- b\n- c\n- x\n"),
        (b"\xef\xbb\xbf# D \t\n\n\n", b"\xef\xbb\xbf# D \t\n\n\n- x\n"),
        (b"# D\r- a\r", b"# D\r- a\r- x\n"),
    ],
)
def test_a_line_is_added_and_no_other_byte_changes(
    place: Place, before: bytes | None, after: bytes
) -> None:
    if before is not None:
        note(place).write_bytes(before)
    append_lines(place, DAY, b"- x\n", opening=b"# Day\n\n")
    assert note(place).read_bytes() == after
    undo_change(place, choose_change(place))
    assert (note(place).read_bytes() if note(place).exists() else None) == before


def test_an_appended_line_is_on_the_disk_before_it_counts(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    note(place).write_bytes(b"# D\n")
    flushed: dict[int, bytes] = {}
    monkeypatch.setattr(
        os,
        "fsync",
        lambda handle: flushed.update({os.fstat(handle).st_ino: note(place).read_bytes()}),
    )
    append_lines(place, DAY, b"- x\n")
    assert flushed[note(place).stat().st_ino] == b"# D\n- x\n"


def test_the_folder_is_made(place: Place) -> None:
    append_lines(place, "journal/2026/02.md", b"- x\n")
    assert Path(place.root, "journal/2026/02.md").read_bytes() == b"- x\n"


def test_an_append_is_undone_after_others_came(place: Place) -> None:
    append_lines(place, DAY, b"- one\n", opening=b"# Day\n\n")
    append_lines(place, DAY, b"- two\n", opening=b"# Day\n\n")
    undo_change(place, choose_change(place, 1))
    assert note(place).read_bytes() == b"# Day\n\n- two\n"
    note(place).write_bytes(b"# Day\n\n- Two!\n")
    with pytest.raises(ConflictError):
        undo_change(place, choose_change(place, 2))


def test_an_append_is_undone_where_the_lines_before_it_went(place: Place) -> None:
    note(place).write_bytes(b"# no line end")
    append_lines(place, DAY, b"- one\n")
    note(place).write_bytes(b"- one\n- two\n")
    undo_change(place, choose_change(place, 1))
    assert note(place).read_bytes() == b"- two\n"


def test_what_cannot_be_appended_to_is_told(place: Place) -> None:
    note(place).write_bytes(b"caf\xe9\n")
    with pytest.raises(UsageError, match="not UTF-8"):
        append_lines(place, DAY, b"- x\n")
    note(place).write_bytes(b"ok\n")
    note(place).chmod(0o444)
    with pytest.raises(ConflictError, match="read-only"):
        append_lines(place, DAY, b"- x\n")
    note(place).unlink()
    os.mkfifo(note(place))
    with pytest.raises(UsageError, match="not a regular file"):
        append_lines(place, DAY, b"- x\n")
    note(place).unlink()
    note(place).symlink_to("elsewhere.md")
    with pytest.raises(UsageError, match="link"):
        append_lines(place, DAY, b"- x\n")
    for path in ("AGENTS.md", ".git/x.md", "ME.md", "../x.md"):
        with pytest.raises(UsageError):
            append_lines(place, path, b"- x\n")
    assert not append_journal.read_journal(place.state)


def test_a_note_with_a_second_name_is_appended_to_in_place(place: Place) -> None:
    note(place).write_bytes(b"# D\n")
    os.link(note(place), Path(place.root, "also.md"))
    append_lines(place, DAY, b"- x\n")
    assert Path(place.root, "also.md").read_bytes() == b"# D\n- x\n"


@pytest.mark.parametrize("before", [None, b"# D\n"])
def test_a_short_write_leaves_the_note_as_it_was(
    place: Place, before: bytes | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A disk that takes half of it."""
    if before is not None:
        note(place).write_bytes(before)
    real = os.write
    monkeypatch.setattr(os, "write", lambda handle, data: real(handle, data[:2]))
    with pytest.raises(ConflictError, match="the disk is full or failing"):
        append_lines(place, DAY, b"- a line\n")
    monkeypatch.undo()
    assert (note(place).read_bytes() if note(place).exists() else None) == before


def test_a_full_disk_leaves_the_note_as_it_was(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    with pytest.raises(ConflictError, match="No space left"):
        append_lines(place, DAY, b"- a line\n")
    monkeypatch.undo()
    assert not note(place).exists()


def test_a_note_replaced_in_the_moment_of_the_append_gets_it_too(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
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
    append_lines(place, DAY, b"- mine\n")
    assert note(place).read_bytes() == b"# D\n- theirs\n- mine\n"
    assert not undo_log.unfinished(place.state)
    assert [entry.notes[0].at for entry in undo_log.entries(place.state)] == [
        len(b"# D\n- theirs\n")
    ]


def test_a_note_replaced_by_a_program_that_had_read_the_line_has_it_once(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    note(place).write_bytes(b"# D\n")
    real = Folder.look
    left = [1]

    def save_then_look(self: Folder, name: str) -> os.stat_result | None:
        if left and note(place).read_bytes().endswith(b"- mine\n"):
            left.pop()
            note(place).with_suffix(".new").write_bytes(note(place).read_bytes() + b"- theirs\n")
            os.replace(note(place).with_suffix(".new"), note(place))
        return real(self, name)

    monkeypatch.setattr(Folder, "look", save_then_look)
    append_lines(place, DAY, b"- mine\n")
    assert note(place).read_bytes() == b"# D\n- mine\n- theirs\n"
    undo_change(place, choose_change(place))
    assert note(place).read_bytes() == b"# D\n- theirs\n"


@pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux tells who has a file open for writing"
)
def test_a_note_that_a_program_has_emptied_is_not_written(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(append_module, "SECONDS_FOR_OPEN_NOTE", 0.05)
    note(place).write_bytes(b"# D\n- all that was\n")
    with note(place).open("wb") as program:
        with pytest.raises(ConflictError, match="another program is saving it and has emptied it"):
            append_lines(place, DAY, b"- mine\n")
        program.write(b"# D\n- rewritten\n")
    append_lines(place, DAY, b"- mine\n")
    assert note(place).read_bytes() == b"# D\n- rewritten\n- mine\n"


def test_a_program_that_holds_the_note_to_add_to_it_loses_nothing(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(append_module, "SECONDS_FOR_OPEN_NOTE", 0.05)
    note(place).write_bytes(b"# D\n")
    with note(place).open("ab") as program:
        append_lines(place, DAY, b"- mine\n")
        program.write(b"- theirs\n")
    assert note(place).read_bytes() == b"# D\n- mine\n- theirs\n"


def test_a_line_that_a_program_goes_on_writing_over_is_told_and_the_note_left_as_it_is(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(append_module, "SECONDS_FOR_OPEN_NOTE", 0.05)
    with note(place).open("wb", buffering=0) as program:
        program.write(b"# D\n- half of it\n")
        append_lines(place, DAY, b"- a long line noted meanwhile\n")
        program.write(b"- rest\n")
    left = note(place).read_bytes()
    assert is_told(look_for_lost_lines(place, soon()), "a long line noted meanwhile")
    assert note(place).read_bytes() == left
    assert waiting(place) == [b"- a long line noted meanwhile"]


PROCESSES, LINES = 8, 25
WRITER = """
import sys
from aurelius.writing.check_edit import Place
from aurelius.writing.append import append_lines
root, state, path, name, lines = sys.argv[1:]
for number in range(int(lines)):
    append_lines(Place(root, state), path, f"- {name} said {number}\\n".encode() , opening=b"# Day\\n\\n")
"""


def test_many_append_at_once_and_no_line_is_lost_or_torn(place: Place) -> None:
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
    assert look_for_lost_lines(place, soon()) == []
    assert len(append_journal.read_journal(place.state)) == PROCESSES * LINES


# -- looking again ---------------------------------------------------------------------------------------


def test_of_all_that_an_editor_erases_with_a_stale_buffer_every_line_is_offered(
    place: Place,
) -> None:
    """None is lost, none is told twice, and the note is as the editor left it."""
    note(place).write_bytes(b"# Day\n\n")
    buffer = note(place).read_bytes()
    for number in range(20):
        append_lines(place, DAY, b"- agent %d\n" % number)
        buffer += b"- person %d\n" % number
        note(place).write_bytes(buffer)
        assert is_told(look_for_lost_lines(place, soon()), f"agent {number}")
        assert look_for_lost_lines(place, soon()) == []
        assert note(place).read_bytes() == buffer
    assert waiting(place) == [b"- agent %d" % number for number in range(20)]


def test_two_equal_lines_are_both_offered(place: Place) -> None:
    note(place).write_bytes(b"# Day\n- ok\n")
    append_lines(place, DAY, b"- ok\n")
    append_lines(place, DAY, b"- ok\n")
    note(place).write_bytes(b"# Day\n- ok\n")
    (told,) = look_for_lost_lines(place, soon())
    assert told.endswith(
        ' is no longer there: "ok" and 1 more; `aurelius review` puts it back or leaves it'
    )
    assert waiting(place) == [b"- ok", b"- ok"]
    assert note(place).read_bytes() == b"# Day\n- ok\n"


def test_a_note_that_was_just_saved_is_left_to_its_editor(place: Place) -> None:
    append_lines(place, DAY, b"- x\n")
    note(place).write_bytes(b"")
    assert look_for_lost_lines(place) == []
    assert note(place).read_bytes() == b""
    assert append_journal.read_journal(place.state)
    note(place).unlink()  # many editors put the new file there a moment later
    assert look_for_lost_lines(place, soon()) == []
    assert append_journal.read_journal(place.state)


def test_a_line_that_is_gone_is_told_once_and_never_written_again(place: Place) -> None:
    append_lines(place, DAY, b"- x y z\n", opening=b"# Day\n\n")
    note(place).write_bytes(b"# Day\n\n")
    assert is_told(look_for_lost_lines(place, soon()), "x y z")
    for seconds in (2, 9, 61, 3600):
        assert look_for_lost_lines(place, soon(seconds)) == []
    assert note(place).read_bytes() == b"# Day\n\n"
    assert waiting(place) == [b"- x y z"]


def test_a_line_that_comes_back_and_goes_again_is_told_once_and_offered_whenever_it_is_gone(
    place: Place,
) -> None:
    """Two editors may save two old buffers in turn."""
    append_lines(place, DAY, b"- x y z\n", opening=b"# Day\n\n")
    with_it = note(place).read_bytes()
    note(place).write_bytes(b"# Day\n\n")
    assert is_told(look_for_lost_lines(place, soon()), "x y z")
    note(place).write_bytes(with_it)
    assert waiting(place) == []
    assert look_for_lost_lines(place, soon()) == []
    note(place).write_bytes(b"# Day\n\n")
    assert look_for_lost_lines(place, soon()) == []
    assert waiting(place) == [b"- x y z"]


def test_a_line_that_is_gone_is_forgotten_after_a_month_and_once_it_is_back(place: Place) -> None:
    for line in (b"- apples are red\n", b"- bears like honey\n"):
        append_lines(place, DAY, line)
    with_both = note(place).read_bytes()
    note(place).write_bytes(b"# D\n")
    look_for_lost_lines(place, soon())
    assert waiting(place) == [b"- apples are red", b"- bears like honey"]
    note(place).write_bytes(with_both[:17])
    look_for_lost_lines(place, soon(61))
    note(place).write_bytes(b"# D\n")
    assert waiting(place) == [b"- bears like honey"]
    look_for_lost_lines(place, soon(29 * 86400))
    assert waiting(place) == [b"- bears like honey"]
    look_for_lost_lines(place, soon(31 * 86400))
    assert waiting(place) == []
    assert not [
        path
        for path in Path(place.state).iterdir()
        if path.is_file() and b"bears" in path.read_bytes()
    ]


def test_a_line_that_is_gone_from_a_private_note_is_told_without_its_words(place: Place) -> None:
    note(place).write_bytes(b"---\nprivate: true\n---\n")
    append_lines(place, DAY, b"- secret of Anna\n")
    note(place).write_bytes(b"---\nprivate: true\n---\n")
    (told,) = look_for_lost_lines(place, soon())
    assert told.startswith("a private note: a line written at ")
    assert told.endswith(
        " is no longer there; `aurelius review --private` puts it back or leaves it"
    )


def test_what_is_not_told_yet_is_kept_for_a_person(place: Place) -> None:
    append_lines(place, DAY, b"- x y z\n")
    note(place).write_bytes(b"# D\n")
    assert look_for_lost_lines(place, soon(), tells=False) == []
    assert is_told(look_for_lost_lines(place, soon()), "x y z")


def test_a_line_is_put_back_at_the_end_as_the_note_has_its_lines(place: Place) -> None:
    append_lines(place, DAY, b"- x\n  y\n")
    (line,) = append_journal.read_journal(place.state)
    assert put_lines_back(DAY, b"# D", line) == b"# D\n- x\n  y\n"
    assert put_lines_back(DAY, b"# D\n\n- a\n", line) == b"# D\n\n- a\n- x\n  y\n"
    assert put_lines_back(DAY, b"# D\r\n- a\r\n", line) == b"# D\r\n- a\r\n- x\r\n  y\r\n"
    assert put_lines_back(DAY, b"", line) == b"- x\n  y\n"


def test_a_line_of_a_change_is_put_back_where_it_stood(place: Place) -> None:
    before = b"# D\n\n## Facts\n- old ^old001\n\n## Notes\n- a note\n"
    after = before.replace(b"- old ^old001\n", b"- newer ^old001\n- another\n")
    note(place).write_bytes(before)
    apply_edits(place, [Edit(DAY, before, after)], "a change")
    note(place).write_bytes(before)
    look_for_lost_lines(place, soon())
    now = before
    for each in lost_lines(place):
        now = put_lines_back(DAY, now, each)
    assert now == before.replace(
        b"## Facts\n- old ^old001\n", b"## Facts\n- another\n- newer ^old001\n"
    )


@pytest.mark.parametrize(
    "now",
    [
        b"# D\n- Dentist on Tuesday at nine\n",
        b"# D\n- Dentist on Tusday at nine, bring the card\n",
        b"# D\n- ~~Dentist on Tusday at nine~~\n",
        b"# D\n- Dentist Tuesday at nine\n",
        b"# D\n- Dentist on Tusday\n",
        b"- Dentist on Tusday at nine\n# D\n",
        b"# D\n\n* [ ] Dentist on Tusday at nine\n",
    ],
)
def test_of_a_line_that_a_person_edits_nothing_is_said(place: Place, now: bytes) -> None:
    note(place).write_bytes(b"# D\n")
    append_lines(place, DAY, b"- Dentist on Tusday at nine\n")
    note(place).write_bytes(now)
    assert look_for_lost_lines(place, soon()) == []
    assert look_for_lost_lines(place, soon(61)) == []
    assert waiting(place) == []
    assert note(place).read_bytes() == now


def test_of_a_line_that_was_moved_to_another_note_nothing_is_said(place: Place) -> None:
    note(place).write_bytes(b"# D\n")
    append_lines(place, DAY, b"- Dentist on Tuesday at nine\n")
    note(place).write_bytes(b"# D\n")
    Path(place.root, "people").mkdir()
    Path(place.root, "people/doc.md").write_bytes(
        b"# Doc\n* Dentist on Tuesday at nine (2026-02-10)\n"
    )
    assert look_for_lost_lines(place, soon()) == []
    assert waiting(place) == []


def test_of_a_note_that_was_renamed_by_hand_and_made_anew_nothing_is_said(place: Place) -> None:
    append_lines(place, DAY, b"- Dentist on Tuesday at nine\n", opening=b"# Day\n\n")
    os.utime(note(place), (1, 1))  # a note keeps its time when it is renamed
    note(place).rename(Path(place.root, "dentist.md"))
    append_lines(place, DAY, b"- another line\n", opening=b"# Day\n\n")
    assert look_for_lost_lines(place, soon()) == []
    assert look_for_lost_lines(place, soon(61)) == []
    assert waiting(place) == []


def test_a_line_that_stood_in_another_note_all_along_is_not_there_for_that(place: Place) -> None:
    other = Path(place.root, "other.md")
    other.write_bytes(b"- Dentist on Tuesday at nine\n")
    time.sleep(
        1.1
    )  # changed before the line was written, by more than the clocks of files may differ
    append_lines(place, DAY, b"- Dentist on Tuesday at nine\n", opening=b"# Day\n\n")
    note(place).write_bytes(b"# Day\n\n")
    assert is_told(look_for_lost_lines(place, soon()), "Dentist on Tuesday at nine")


def test_a_line_that_went_while_nobody_looked_is_told_later(place: Place) -> None:
    append_lines(place, DAY, b"- x y z\n")
    note(place).write_bytes(b"# Day\n")
    assert is_told(look_for_lost_lines(place, soon(3600)), "x y z")
    assert note(place).read_bytes() == b"# Day\n"
    assert not append_journal.read_journal(place.state)
    assert waiting(place) == [b"- x y z"]


def test_a_line_that_stayed_is_forgotten_after_a_minute(place: Place) -> None:
    append_lines(place, DAY, b"- x\n")
    assert look_for_lost_lines(place, soon(61)) == []
    assert not append_journal.read_journal(place.state)
    assert waiting(place) == []


@pytest.mark.parametrize(
    "now", [b"- Met Ada at the big fair (today)\n", b"- x\r\n- Met Ada at the fair\r\n"]
)
def test_a_reworded_line_is_still_there(place: Place, now: bytes) -> None:
    append_lines(place, DAY, b"- Met Ada at the fair\n")
    note(place).write_bytes(now)
    look_for_lost_lines(place, soon())
    assert note(place).read_bytes() == now


def test_a_line_like_it_that_was_there_before_is_not_it(place: Place) -> None:
    note(place).write_bytes(b"- Met Ada at the fair\n")
    append_lines(place, DAY, b"- Met Ada at the fair again\n")
    note(place).write_bytes(b"- Met Ada at the fair\n")
    assert is_told(look_for_lost_lines(place, soon()), "Met Ada at the fair again")


def test_what_aurelius_takes_out_itself_stays_out(place: Place) -> None:
    append_lines(place, DAY, b"- one\n", opening=b"# Day\n\n")
    append_lines(place, DAY, b"- two\n")
    undo_change(place, choose_change(place))
    look_for_lost_lines(place, soon())
    assert note(place).read_bytes() == b"# Day\n\n- one\n"
    apply_edits(place, [Edit(DAY, b"# Day\n\n- one\n", b"# Day\n\n- uno\n")], "reword")
    look_for_lost_lines(place, soon())
    assert note(place).read_bytes() == b"# Day\n\n- uno\n"
    assert [each.data for each in append_journal.read_journal(place.state)] == [b"- uno"]


def test_of_a_note_that_is_moved_or_deleted_no_removed_line_is_told(place: Place) -> None:
    append_lines(place, DAY, b"- one\n")
    note(place).unlink()
    assert look_for_lost_lines(place, soon()) == []
    assert look_for_lost_lines(place, soon(61)) == []
    assert not note(place).exists()
    assert not append_journal.read_journal(place.state)
    assert waiting(place) == []


def test_undo_of_the_first_append_leaves_no_empty_folder(place: Place) -> None:
    append_lines(place, "days/2026/x.md", b"- one\n")
    undo_change(place, choose_change(place))
    assert not Path(place.root, "days").exists()
    append_lines(place, "days/x.md", b"- one\n")
    Path(place.root, "days", "y.md").write_bytes(b"by hand\n")
    undo_change(place, choose_change(place))
    assert [each.name for each in Path(place.root, "days").iterdir()] == ["y.md"]


def test_an_append_that_failed_is_not_told_again_as_an_interrupted_change(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object, **__: object) -> bool:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(append_module, "_write", fails)
        with pytest.raises(ConflictError):
            append_lines(place, "days/x.md", b"- one\n")
    assert look_for_lost_lines(place, soon()) == []
    assert not Path(place.root, "days").exists()


def test_removed_lines_are_told_together_for_each_note(place: Place) -> None:
    for line in (b"- apples are red\n", b"- bears like honey\n", b"- cats sleep all day\n"):
        append_lines(place, DAY, line, opening=b"# Day\n\n")
    note(place).write_bytes(b"# Day\n")
    (told,) = look_for_lost_lines(place, soon(61))
    assert told.startswith(f"{DAY}: a line written at ")
    assert ' is no longer there: "apples are red" and 2 more; ' in told


def test_of_links_that_a_move_wrote_and_an_undo_took_back_nothing_is_told(place: Place) -> None:
    root = Path(place.root)
    (root / "a.md").write_bytes(b"See [[b]].\n")
    (root / "b.md").write_bytes(b"# B\n")
    moved = [
        Edit("b.md", b"# B\n", None),
        Edit("c.md", None, b"# B\n", "b.md"),
        Edit("a.md", b"See [[b]].\n", b"See [[c]].\n"),
    ]
    apply_edits(place, moved, "move b.md to c.md")
    undo_change(place, choose_change(place))
    assert (root / "a.md").read_bytes() == b"See [[b]].\n"
    (root / "a.md").unlink()
    assert look_for_lost_lines(place, soon(61)) == []


def test_a_clock_that_went_back_starts_no_storm(place: Place) -> None:
    append_lines(place, DAY, b"- one\n")
    assert look_for_lost_lines(place, time.time() - 100_000) == []
    assert not append_journal.read_journal(place.state)


def test_an_append_younger_than_the_look_is_still_watched(place: Place) -> None:
    append_lines(place, DAY, b"- one\n")
    assert look_for_lost_lines(place, time.time() - 5) == []
    assert append_journal.read_journal(place.state)


# -- a crash in the middle -------------------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes to kill in the middle")
@pytest.mark.parametrize("before", [None, b"# D\n"])
def test_a_crash_at_any_point_of_an_append_leaves_no_line_that_undo_does_not_know(
    place: Place, before: bytes | None
) -> None:
    Path(place.root, "other.md").write_bytes(b"one\n")
    apply_edits(place, [Edit("other.md", b"one\n", b"two\n")], "an earlier change")
    outcomes = []
    for point in range(200):
        note(place).unlink(missing_ok=True)
        if before is not None:
            note(place).write_bytes(before)
        finished = killed_at(place, point)
        look_for_lost_lines(place)
        there = b"- x\n" in note(place).read_bytes() if note(place).exists() else False
        last = choose_change(place)
        assert not last.is_open
        assert last.why == ("a line" if there else "an earlier change"), point
        outcomes.append(there)
        if there:
            undo_change(place, last)
            assert (note(place).read_bytes() if note(place).exists() else None) == before
        assert not list(Path(place.state, "undo").glob("*.open"))
        if finished:
            break
    assert finished
    assert outcomes.count(True) > 3
    assert outcomes.count(False) > 3


def killed_at(place: Place, point: int) -> bool:
    """Append a line in a child that is gone at that call of the system; whether it got to the end."""
    child = os.fork()
    if not child:
        left = point

        def counting(real: Callable[..., Any]) -> Callable[..., Any]:
            def call(*words: Any, **more: Any) -> Any:
                nonlocal left
                left -= 1
                if left < 0:
                    os._exit(9)
                return real(*words, **more)

            return call

        for name in ("open", "write", "fsync", "replace", "rename", "unlink", "mkdir", "close"):
            setattr(os, name, counting(getattr(os, name)))
        append_lines(place, DAY, b"- x\n", opening=b"# Day\n\n", why="a line")
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


# -- git took it away ------------------------------------------------------------------------------------


class Repository:
    """A vault under git with a day that was committed; nothing of Aurelius commits."""

    def __init__(self, place: Place, home: Path, *, above: bool = False) -> None:
        self.env = {
            "HOME": str(home),
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_EDITOR": "true",
        }
        self.place = place._replace(env=self.env)
        self.git("init", "-q", "-b", "main", *([".."] if above else []))
        self.git("config", "user.name", "Joe")
        self.git("config", "user.email", "joe@example.org")
        note(place).write_bytes(b"# D\n- old\n")
        Path(place.root, "other.md").write_bytes(b"one\n")
        self.commit("first")

    def git(self, *words: str, fails: bool = False) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.place.root, env=self.env, capture_output=True, text=True
        )
        assert (done.returncode != 0) == fails, done
        return done.stdout.rstrip("\n")

    def commit(self, why: str) -> None:
        self.git("add", "-A", ".")
        self.git("commit", "-qm", why)

    def side(self) -> None:
        """A branch that differs from main in another note."""
        self.git("checkout", "-qb", "side")
        Path(self.place.root, "other.md").write_bytes(b"side\n")
        self.commit("side")
        self.git("checkout", "-q", "main")

    def say(self, text: str = "zebra") -> None:
        append_lines(self.place, DAY, f"- {text}\n".encode())
        time.sleep(0.02)  # the times of files lag a little behind the clock

    def look(self, seconds: float = 1.0) -> list[str]:
        return look_for_lost_lines(self.place, soon(seconds))

    def newer(self) -> None:
        """One more version of the day, and one more still on another branch."""
        for branch, line in (("main", b"- newer\n"), ("-b other", b"- other\n")):
            self.git("checkout", "-q", *branch.split())
            note(self.place).write_bytes(note(self.place).read_bytes() + line)
            self.commit("newer")
        self.git("checkout", "-q", "main")

    def save(self, data: bytes, after: float = 0.1) -> None:
        """Save the day as an editor does, a moment after git was last at work; it may bring an old time along."""
        time.sleep(0.05)
        note(self.place).write_bytes(data)
        os.utime(note(self.place), (soon(after), soon(after)))

    def times(self, text: bytes = b"- zebra") -> int:
        return note(self.place).read_bytes().count(text)


@pytest.fixture
def repository(place: Place, tmp_path: Path) -> Repository:
    return Repository(place, tmp_path)


def test_a_line_on_both_sides_of_a_merge_is_there_once(repository: Repository) -> None:
    (Path(repository.place.root) / ".gitattributes").write_text("memory/*.md merge=union\n")
    repository.commit("union")
    repository.side()
    repository.say()
    repository.commit("zebra")
    repository.git("checkout", "-q", "side")
    repository.look()
    note(repository.place).write_bytes(note(repository.place).read_bytes() + b"- by hand\n")
    repository.commit("by hand")
    repository.git("merge", "-q", "main")
    assert repository.look() == []
    assert repository.times() == 1
    assert repository.git("status", "--short") == ""


@pytest.mark.parametrize(
    "how", [["--rebase", "--autostash"], ["--no-rebase", "--no-edit", "--autostash"]]
)
def test_a_line_survives_a_pull_once(
    repository: Repository, tmp_path: Path, how: list[str]
) -> None:
    repository.git("clone", "-q", "--bare", repository.place.root, str(tmp_path / "bare"))
    repository.git("remote", "add", "origin", str(tmp_path / "bare"))
    repository.side()
    repository.git("push", "-q", "origin", "side:main")
    repository.say()
    repository.git("pull", "-q", *how, "origin", "main")
    assert repository.look() == []
    assert repository.times() == 1
    assert repository.git("status", "--short") == f" M {DAY}"


def test_commits_of_aurelius_are_no_reason_to_leave_a_line_away(repository: Repository) -> None:
    repository.place = repository.place._replace(commit=True)
    before = note(repository.place).read_bytes()
    repository.say("one")
    between = note(repository.place).read_bytes()
    repository.say("two")
    assert repository.git("status", "--short") == ""
    note(repository.place).write_bytes(between + b"- by hand\n")
    assert is_told(repository.look(), "two")
    assert note(repository.place).read_bytes() == before + b"- one\n- by hand\n"


def test_a_note_that_git_does_not_keep_is_not_taken_away_by_a_checkout(
    repository: Repository,
) -> None:
    repository.git("rm", "-q", "--cached", DAY)
    repository.git("commit", "-qm", "not kept")
    (Path(repository.place.root) / ".gitignore").write_text("memory/\n")
    repository.side()
    before = note(repository.place).read_bytes()
    repository.say()
    repository.git("checkout", "-q", "side")
    repository.save(before)
    assert is_told(repository.look(), "zebra")


def test_an_editor_is_not_taken_for_git(repository: Repository) -> None:
    """Where HEAD has another text than the one that was saved over the line."""
    repository.say("one")
    between = note(repository.place).read_bytes()
    repository.say("two")
    repository.git("status")
    note(repository.place).write_bytes(between)
    assert is_told(repository.look(), "two")


@pytest.mark.parametrize("commit", [False, True])
@pytest.mark.parametrize(
    ("version", "after"),
    [
        ("main", 0.1),
        ("main~1", 0.1),
        ("other", 0.1),
        pytest.param(
            "main",
            -60,
            marks=pytest.mark.skipif(os.name != "posix", reason="a file keeps one time"),
        ),
    ],
)
def test_an_editor_that_saves_what_git_has_too_is_not_taken_for_git(
    repository: Repository, commit: bool, version: str, after: float
) -> None:
    repository.newer()
    held = repository.git("show", f"{version}:{DAY}").encode() + b"\n"
    repository.place = repository.place._replace(commit=commit)
    repository.say()
    repository.save(held, after)
    assert is_told(repository.look(), "zebra")


def test_an_editor_that_saves_over_a_line_is_not_excused_by_git_at_work_elsewhere(
    repository: Repository,
) -> None:
    repository.say()
    Path(repository.place.root, "other.md").write_bytes(b"an edit of the person's\n")
    repository.git("checkout", ".", ":!memory")
    repository.git("add", "other.md")
    note(repository.place).write_bytes(b"# D\n- old\n- saved over\n")
    repository.git("status")
    assert is_told(repository.look(), "zebra")


def test_a_line_that_git_has_in_its_index_is_told_like_any_other(repository: Repository) -> None:
    repository.say()
    repository.save(note(repository.place).read_bytes() + b"- by hand\n")
    repository.git("add", "-A")
    repository.save(b"# D\n- old\n- saved over\n", 0.2)
    assert is_told(repository.look(), "zebra")


def test_a_note_that_git_stores_in_another_form_is_not_known_by_what_is_stored(
    repository: Repository,
) -> None:
    repository.git("config", "filter.x.clean", "base64")
    repository.git("config", "filter.x.smudge", "base64 -d")
    (Path(repository.place.root) / ".gitattributes").write_text("*.md filter=x\n")
    repository.say()
    before, there = b"# D\n- old\n", note(repository.place).read_bytes()
    repository.save(there + b"- by hand\n")
    repository.git("add", "-A")
    repository.save(before + b"- by hand\n- saved over\n", 0.2)
    assert is_told(repository.look(), "zebra")


@pytest.mark.parametrize("commit", [False, True])
def test_what_an_editor_saved_and_git_then_took_up_is_no_doing_of_gits(
    repository: Repository, commit: bool
) -> None:
    repository.say()
    note(repository.place).write_bytes(b"# D\n- old\n- saved over\n")
    time.sleep(0.05)
    repository.git("add", "-A")
    if commit:
        repository.git("commit", "-qm", "by a plugin")
    assert is_told(repository.look(), "zebra")


def test_the_repository_runs_nothing_while_a_line_is_looked_for(
    repository: Repository, tmp_path: Path
) -> None:
    script = tmp_path / "script"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/ran\ncat\n")
    script.chmod(0o755)
    repository.say()
    note(repository.place).write_bytes(b"# D\n- old\n- saved over\n")
    for key in (
        "core.fsmonitor",
        "filter.x.clean",
        "filter.x.process",
        "core.sshCommand",
        "alias.rev-parse",
    ):
        repository.git("config", key, str(script))
    (Path(repository.place.root) / ".git" / "info" / "attributes").write_text("*.md filter=x\n")
    assert is_told(repository.look(), "zebra")
    assert not (tmp_path / "ran").exists()
