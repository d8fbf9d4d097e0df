"""A note's bytes while they are changed: nothing but the changed line differs, whatever the file looks like."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurelius.compose import note_lines
from aurelius.compose.note_lines import NoteLines, NoteReader
from indexer.errors import UsageError
from indexer.reading.decode import TEXT_LIMIT
from indexer.reading.parse import parse

BOM = b"\xef\xbb\xbf"


@pytest.mark.parametrize(
    ("data", "texts", "ends"),
    [
        (b"", [], []),
        (b"a", ["a"], [""]),
        (b"\n", [""], ["\n"]),
        (b"a\n\nb", ["a", "", "b"], ["\n", "\n", ""]),
        (b"a\r\nb\rc\n", ["a", "b", "c"], ["\r\n", "\r", "\n"]),
        (BOM + b"a\n", ["a"], ["\n"]),
        ("a\u2028b\x0cc\x85\n".encode(), ["a\u2028b\x0cc\x85"], ["\n"]),
    ],
)
def test_bytes_become_lines_with_the_ends_they_have_and_bytes_again(
    data: bytes, texts: list[str], ends: list[str]
) -> None:
    lines = NoteLines("a.md", data)
    assert (lines.texts, lines.ends) == (texts, ends)
    assert lines.data() == data


@given(st.text(st.sampled_from("ab \r\n\u2028東")), st.booleans())
def test_lines_are_numbered_as_in_a_parsed_note_and_come_back_to_the_byte(text: str, mark: bool) -> None:
    data = BOM * mark + text.encode()
    lines = NoteLines("a.md", data)
    assert lines.data() == data
    read = parse("a.md", data).lines
    assert list(read) == lines.texts


@pytest.mark.parametrize("data", [b"caf\xe9\n", "# Joe\n".encode("utf-16")])
def test_what_is_no_utf_8_is_refused_with_its_path(data: bytes) -> None:
    with pytest.raises(UsageError, match=r"people/joe\.md: not written: the note is not UTF-8 text") as raised:
        NoteLines("people/joe.md", data)
    assert raised.value.hint == "save it as UTF-8"


def test_a_note_longer_than_what_is_read_of_one_is_refused() -> None:
    assert NoteLines("a.md", BOM + b"x" * TEXT_LIMIT).data() == BOM + b"x" * TEXT_LIMIT
    with pytest.raises(UsageError, match=r"a\.md: not written: the note is larger than 2 MiB"):
        NoteLines("a.md", b"x" * (TEXT_LIMIT + 1))


@pytest.mark.parametrize(
    ("data", "eol"),
    [(b"", "\n"), (b"a", "\n"), (b"a\r\nb\r\nc\n", "\r\n"), (b"a\rb\r", "\r"), (b"a\r\nb\n", "\n")],
)
def test_the_line_end_of_a_note_is_that_of_most_of_its_lines(data: bytes, eol: str) -> None:
    assert NoteLines("a.md", data).eol == eol


def test_a_line_that_is_reworded_keeps_how_it_ends() -> None:
    lines = NoteLines("a.md", BOM + b"a\r\nb\rc")
    lines.say(2, "new")
    assert lines.data() == BOM + b"a\r\nnew\rc"
    lines.say(3, "last")
    assert lines.data() == BOM + b"a\r\nnew\rlast"


@pytest.mark.parametrize(
    ("data", "after", "made"),
    [
        (b"a\nb\n", 0, b"x\ny\na\nb\n"),
        (b"a\nb\n", 1, b"a\nx\ny\nb\n"),
        (b"a\nb\n", 2, b"a\nb\nx\ny\n"),
        (b"a\r\nb\n", 1, b"a\r\nx\r\ny\r\nb\n"),
        (b"a\rb\rc\n", 0, b"x\ry\ra\rb\rc\n"),
        (b"a\r\nb", 2, b"a\r\nb\r\nx\r\ny\r\n"),
        (b"a", 0, b"x\ny\na"),
        (b"", 0, b"x\ny\n"),
        (BOM + b"a\n", 0, BOM + b"x\ny\na\n"),
    ],
)
def test_lines_put_in_end_as_the_line_before_them_does(data: bytes, after: int, made: bytes) -> None:
    lines = NoteLines("a.md", data)
    lines.insert(after, ["x", "y"])
    assert lines.data() == made


def test_no_lines_put_in_change_nothing() -> None:
    lines = NoteLines("a.md", b"a\nb")
    lines.insert(2, [])
    assert lines.data() == b"a\nb"


@pytest.mark.parametrize(
    ("data", "first", "last", "made"),
    [
        (b"a\nb\nc\n", 2, 2, b"a\nc\n"),
        (b"a\n\nb\n\nc\n", 3, 3, b"a\n\nc\n"),
        (b"a\n\nb\nc\n", 3, 3, b"a\n\nc\n"),
        (b"a\n\n\nb\n\n\n\nc\n", 4, 4, b"a\n\n\n\n\nc\n"),
        (b"a\n \nb\n", 3, 3, b"a\n"),
        (b"\na\n", 2, 2, b""),
        (b"a\nb", 2, 2, b"a"),
        (b"a\nb\nc", 1, 2, b"c"),
        (b"a", 1, 1, b""),
    ],
)
def test_lines_taken_away_leave_no_more_empty_lines_than_stood_on_one_side(
    data: bytes, first: int, last: int, made: bytes
) -> None:
    lines = NoteLines("a.md", data)
    lines.remove(first, last)
    assert lines.data() == made


def test_a_version_of_a_note_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read, seen = NoteReader(), list[tuple[str, bytes]]()

    def counted(path: str, data: bytes, *, daily_folder: str) -> object:
        seen.append((path, data))
        return parse(path, data, daily_folder=daily_folder)

    monkeypatch.setattr("indexer.reading.parse.parse", counted)
    first = read("a.md", b"# A\n")
    assert read("a.md", b"# A\n") is first
    assert read("b.md", b"# A\n") is not first
    assert read("a.md", b"# B\n").title == "B"
    assert seen == [("a.md", b"# A\n"), ("b.md", b"# A\n"), ("a.md", b"# B\n")]


def test_only_so_many_versions_are_remembered_and_the_oldest_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(note_lines, "MOST", 2)
    read = NoteReader()
    first, second = read("a.md", b"1"), read("a.md", b"2")
    read("a.md", b"3")
    assert read("a.md", b"2") is second
    assert read("a.md", b"1") is not first


def test_a_note_of_the_daily_folder_is_a_daily_note() -> None:
    assert NoteReader("field")("field/2026-02-10 Tuesday.md", b"- a\n").kind == "daily"
    assert NoteReader()("field/2026-02-10 Tuesday.md", b"- a\n").kind == "note"
