"""A change can be taken back while the notes are as it left them, and brought back again."""

from __future__ import annotations

from pathlib import Path

import pytest

from aurelius.writing import undo_log
from aurelius.writing.check_edit import Edit, Place
from aurelius.writing.edit import apply_edits
from aurelius.writing.undo import choose_change, list_changes, undo_change
from indexer.errors import ConflictError, NoteNotFoundError, UsageError


@pytest.fixture
def place(tmp_path: Path) -> Place:
    (tmp_path / "vault").mkdir()
    return Place(str(tmp_path / "vault"), str(tmp_path / "state"), now=1000.0)


def write(place: Place, *texts: bytes | None) -> None:
    """Give a.md these texts, one after the other."""
    note = Path(place.root, "a.md")
    for text in texts:
        apply_edits(
            place,
            [Edit("a.md", note.read_bytes() if note.exists() else None, text)],
            f"write {text!r}",
        )


def text(place: Place) -> bytes | None:
    note = Path(place.root, "a.md")
    return note.read_bytes() if note.exists() else None


def test_the_folder_that_a_change_made_goes_with_it_unless_something_came_there(
    place: Place,
) -> None:
    there = Path(place.root, "z", "y")
    Path(place.root, "mine").mkdir()
    apply_edits(place, [Edit("z/y/a.md", None, b"1"), Edit("mine/a.md", None, b"1")], "new")
    undo_change(place, choose_change(place))
    assert not there.parent.exists()
    assert list(Path(place.root, "mine").iterdir()) == []
    undo_change(place, choose_change(place, 2))
    assert (there / "a.md").read_bytes() == b"1"
    undo_change(place, choose_change(place, 3))
    assert not there.parent.exists()
    apply_edits(place, [Edit("z/y/a.md", None, b"1")], "new")
    (there.parent / "mine.txt").write_bytes(b"x")
    undo_change(place, choose_change(place))
    assert not there.exists()
    assert (there.parent / "mine.txt").read_bytes() == b"x"


def test_it_goes_back_step_by_step(place: Place) -> None:
    write(place, b"1", b"2", b"3")
    for expected in (b"2", b"1", None):
        undo_change(place, choose_change(place))
        assert text(place) == expected
    with pytest.raises(NoteNotFoundError, match="nothing to undo"):
        choose_change(place)


def test_an_undo_can_be_undone(place: Place) -> None:
    write(place, b"1", b"2")
    undo_change(place, choose_change(place))
    undo_change(place, choose_change(place, 3))
    assert text(place) == b"2"
    undo_change(place, choose_change(place))  # the change itself can be taken back once more
    assert text(place) == b"1"


def test_a_folder_in_the_place_of_a_note_does_not_hide_the_other_changes(place: Place) -> None:
    apply_edits(place, [Edit("b.md", None, b"b")], "make b")
    write(place, b"1")
    Path(place.root, "a.md").unlink()
    Path(place.root, "a.md").mkdir()
    assert [(each.number, each.why, each.obstacle) for each in list_changes(place)] == [
        (
            2,
            "a private note",
            "a private note was changed after that",
        ),  # nobody knows what it would be
        (1, "make b", ""),
    ]
    undo_change(place, choose_change(place, 1))
    assert not Path(place.root, "b.md").exists()


def test_what_changed_since_stays(place: Place) -> None:
    write(place, b"1", b"2")
    Path(place.root, "a.md").write_bytes(b"by hand")
    with pytest.raises(ConflictError, match="was changed after that"):
        undo_change(place, choose_change(place))
    assert text(place) == b"by hand"
    Path(place.root, "a.md").write_bytes(b"2")
    undo_change(place, choose_change(place))
    assert text(place) == b"1"


def test_one_note_that_changed_holds_back_the_others(place: Place) -> None:
    apply_edits(place, [Edit("a.md", None, b"1"), Edit("b.md", None, b"1")], "both")
    Path(place.root, "b.md").write_bytes(b"by hand")
    with pytest.raises(ConflictError):
        undo_change(place, choose_change(place))
    assert text(place) == b"1"


def test_even_a_large_cut_and_a_protected_note_come_back(place: Place) -> None:
    large = b"# Me\n" + b"word " * 500
    Path(place.root, "ME.md").write_bytes(large)
    apply_edits(place._replace(shrink=True, me=True), [Edit("ME.md", large, b"# Me\n")], "cut")
    undo_change(place, choose_change(place))
    assert Path(place.root, "ME.md").read_bytes() == large
    apply_edits(place._replace(me=True), [Edit("a.md", None, large)], "make")
    undo_change(place, choose_change(place))
    assert text(place) is None


def test_the_list_says_what_can_be_undone(place: Place) -> None:
    write(place, b"1", b"2")
    undo_change(place, choose_change(place))
    found = list_changes(place)
    assert [(each.number, each.undoes, each.obstacle) for each in found] == [
        (3, 2, ""),
        (2, 0, "undone"),
        (1, 0, ""),
    ]
    assert found[2].paths == ("a.md",)
    assert found[2].time == 1000.0
    Path(place.root, "a.md").unlink()
    assert [each.obstacle for each in list_changes(place)] == [
        "a.md was moved or deleted after that",
        "undone",
        "a.md was moved or deleted after that",
    ]


def test_of_a_note_that_was_deleted_by_hand_no_text_is_said_to_be_there_now(place: Place) -> None:
    write(place, b"1", b"2")
    Path(place.root, "a.md").write_bytes(b"3")
    with pytest.raises(ConflictError, match=r"a\.md was changed after that") as raised:
        undo_change(place, choose_change(place))
    assert "the one that is there now" in raised.value.hint
    Path(place.root, "a.md").unlink()
    with pytest.raises(
        ConflictError, match=r"a\.md was moved or deleted after that, so nothing was undone"
    ) as raised:
        undo_change(place, choose_change(place))
    assert "there now" not in raised.value.hint
    assert not Path(place.root, "a.md").exists()


def test_what_was_undone_or_never_was_is_told(place: Place) -> None:
    write(place, b"1")
    undo_change(place, choose_change(place))
    with pytest.raises(UsageError, match="was already undone"):
        choose_change(place, 1)
    with pytest.raises(NoteNotFoundError, match="there is no change 7"):
        choose_change(place, 7)


def test_a_command_that_cannot_be_undone_keeps_undo_from_taking_back_the_change_before_it(
    place: Place,
) -> None:
    write(place, b"one\n", b"two\n")
    undo_log.log_undo_bar(place.state, 2000.0, "forget", "remove the line")
    with pytest.raises(UsageError) as caught:
        choose_change(place)
    assert caught.value.message == (
        "the last command (forget) cannot be undone; nothing was changed"
    )
    assert caught.value.hint.startswith(
        "remove the line; `aurelius undo --number 2` undoes the change before it: write"
    )
    assert text(place) == b"two\n"
    undo_change(place, choose_change(place, 2))  # a person who says which one is meant is heard
    assert text(place) == b"one\n"
    assert choose_change(place).number == 1, "and is not told again"


def test_a_change_after_what_cannot_be_undone_is_undone_as_ever(place: Place) -> None:
    undo_log.log_undo_bar(place.state, 2000.0, "demote", "")
    with pytest.raises(UsageError, match=r"the last command .demote. cannot be undone"):
        choose_change(place)
    write(place, b"one\n")
    assert choose_change(place).number == 1


def test_a_damaged_word_of_what_cannot_be_undone_is_passed_over(place: Place) -> None:
    write(place, b"one\n")
    for data in (
        b"",
        b"{}",
        b"[]",
        b"\xff",
        b'{"time": 1, "why": "x", "remedy": "", "after": "z"}',
    ):
        Path(place.state, "undo", undo_log.BARRED).write_bytes(data)
        assert choose_change(place).number == 1
