"""The journal of appends: what it remembers, and when a line counts as still there."""

from __future__ import annotations

from pathlib import Path

import pytest

from aurelius.writing.append_journal import (
    JOURNAL,
    add_to_journal,
    forget_journals,
    forget_own_removals,
    holds_lines,
    is_like,
    missing_lines,
    pending_lines,
    read_journal,
    remember_lines,
    rewrite_lines,
    rewrite_values,
    values,
    words_without_id,
)

LINE = pending_lines("a.md", b"\n- Met Ada at the fair\n", b"# A\n- Met Bob\n", 1.5)


def test_what_is_remembered_is_read(tmp_path: Path) -> None:
    state = str(tmp_path)
    assert not read_journal(state)
    odd = pending_lines("b.md", "- Ж\u2028 {}\n".encode() + b"\xff", b"", 2.0)._replace(
        was=b"- \xfe"
    )
    remember_lines(state, LINE)
    remember_lines(state, odd)
    assert read_journal(state)
    assert read_journal(state) == [LINE, odd]
    rewrite_lines(state, JOURNAL, [])
    assert not read_journal(state)
    assert list(tmp_path.iterdir()) == []


def test_a_torn_line_is_passed_over(tmp_path: Path) -> None:
    remember_lines(str(tmp_path), LINE)
    with (tmp_path / JOURNAL).open("ab") as file:
        file.write(b'{"path": "a.md", "da\n[]\n{"data": 1}\n')
    remember_lines(str(tmp_path), LINE)
    assert read_journal(str(tmp_path)) == [LINE, LINE]


def test_a_journal_of_anything_is_read_but_for_torn_lines(tmp_path: Path) -> None:
    state = str(tmp_path)
    assert values(state, "word.jsonl") == []
    add_to_journal(state, "word.jsonl", {"a": 1})
    with (tmp_path / "word.jsonl").open("ab") as file:
        file.write(b'{"half": \n\xff\n')
    add_to_journal(state, "word.jsonl", "Ж")
    assert values(state, "word.jsonl") == [{"a": 1}, "Ж"]
    rewrite_values(state, "word.jsonl", ["Ж"])
    assert values(state, "word.jsonl") == ["Ж"]
    rewrite_values(state, "word.jsonl", [])
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("data", "there"),
    [
        (b"# A\n- Met Bob\n- Met Ada at the fair\n", True),
        (b"# A\r\n- Met Bob\r\n- Met Ada at the fair\r\n", True),
        (b"- Met Ada at the fair", True),
        (b"- Met Ada at the town fair\n", True),
        (b"- ~~Met Ada at the fair~~ (2026-02-10, superseded by ^k3v9qa)\n", True),
        (b"- Met Bob at the fair\n", False),
        (b"# A\n- Met Bob\n", False),
        (b"", False),
        (b"- Met Ada\n", False),
        (b"- Met Ada at the fairground of another town, with many others\n", False),
    ],
)
def test_whether_it_is_there(data: bytes, there: bool) -> None:
    assert holds_lines(LINE, data) is there


def test_a_line_with_another_number_is_not_it() -> None:
    paid = pending_lines("a.md", b"- Paid invoice 5 of the gardener\n", b"", 0.0)
    assert not holds_lines(paid, b"- Paid invoice 6 of the gardener\n")
    assert holds_lines(paid, b"- Paid invoice 5 of our gardener\n")


def test_a_line_written_later_is_not_it() -> None:
    later = pending_lines("a.md", b"- Met Ada at the town fair\n", b"- Met Ada at the fair\n", 2.5)
    data = b"- Met Ada at the town fair\n"
    assert missing_lines([LINE], data) == []
    assert missing_lines([LINE, later], data) == [LINE]


def test_a_line_written_before_it_is_not_it() -> None:
    earlier = pending_lines("a.md", b"- Met Ada at the town fair\n", b"", 0.5)
    line = pending_lines("a.md", b"- Met Ada at the fair\n", b"- Met Ada at the town fair\n", 1.5)
    assert missing_lines([earlier, line], b"- Met Ada at the town fair\n") == [line]


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("- Dentist on Tusday at nine", "- Dentist on Tuesday at nine"),
        ("- Met teh man", "- Met the man"),
        ("- Buy mlik", "- [ ] Buy milk"),
        ("- zebra line", "- zebra line, reworded by hand"),
        ("- 星期四下午九点看牙医", "- 星期四下午六点看牙医"),
        ("- Rent is 650 euros", "- Rent is 650 euros, heating included"),
    ],
)
def test_a_line_with_a_slip_mended_or_more_behind_it_is_like_it(line: str, other: str) -> None:
    assert is_like(words_without_id(line.encode()), words_without_id(other.encode()))


@pytest.mark.parametrize(
    ("line", "other"),
    [
        ("- noted line 12 ^n12", "- saved by a program 12"),
        ("- agent 3", "- person 3"),
        ("- agent 1", "- agent 12"),
        ("- Saw ours5 boats", "- Saw theirs5 boats"),
        ("- Rent is 650 euros", "- Rent is 560 euros"),
        ("- Met Ada at the fair", "- Met Bob at the fair"),
        ("- ok", "- no"),
        ("- !!", "- ??"),
    ],
)
def test_a_line_that_says_another_thing_is_not_like_it(line: str, other: str) -> None:
    assert not is_like(words_without_id(line.encode()), words_without_id(other.encode()))


def test_a_line_within_a_longer_one_is_not_it() -> None:
    short = pending_lines("a.md", b"- a\n", b"- ab\n", 0.0)
    assert not holds_lines(short, b"- ab\n")


def test_several_lines_are_looked_for_together() -> None:
    two = pending_lines("a.md", b"- a b c\n  d e f\n", b"", 0.0)
    assert holds_lines(two, b"x\r\n- a b c\r\n  d e f\r\n")
    assert not holds_lines(two, b"- zzz\n  d e f\n")


def test_lines_that_were_taken_out_by_a_change_are_no_longer_watched(tmp_path: Path) -> None:
    state = str(tmp_path)
    before = b"- Met Ada at the fair\n"
    remember_lines(state, LINE)
    forget_own_removals(state, [("b.md", before, b"")])
    forget_own_removals(state, [("a.md", b"it was gone already", b"x")])
    forget_own_removals(state, [("a.md", before, before + b"- more\n")])
    assert read_journal(state) == [LINE]
    forget_own_removals(state, [("a.md", before, None)])
    assert read_journal(state) == []


def test_a_line_that_a_change_reworded_is_no_longer_watched_as_it_was(tmp_path: Path) -> None:
    state = str(tmp_path)
    before = b"- Met Ada at the fair\n"
    struck = b"- ~~Met Ada at the fair~~ (2026-02-10, superseded by ^k3v9qa) ^abc123\n"
    remember_lines(state, LINE)
    forget_own_removals(state, [("a.md", before, struck)])
    assert read_journal(state) == []
    remember_lines(state, LINE)
    forget_own_removals(state, [("a.md", struck, struck + b"- more\n")])
    assert read_journal(state) == [LINE], "a person struck it"


def test_a_forgotten_note_leaves_no_byte(tmp_path: Path) -> None:
    state = str(tmp_path)
    other = LINE._replace(path="b.md", data=b"- other\n")
    for name in (JOURNAL, "vanished.jsonl"):
        rewrite_lines(state, name, [LINE, other])
    forget_journals(state, "a.md")
    assert read_journal(state) == [other]
    assert b"Ada" not in b"".join(path.read_bytes() for path in tmp_path.iterdir())
