"""What is noted becomes one fact of the day, wherever the note ends."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurelius.compose.daily_line import as_item, line
from aurelius.compose.note_lines import NoteReader
from indexer.errors import UsageError
from indexer.reading.parse import parse

MOMENT = datetime.datetime(2026, 2, 10, 9, 5)
PATH = "memory/2026-02-10.md"


def facts(data: bytes) -> list[tuple[str, str]]:
    return [(fact.text, fact.status) for fact in parse(PATH, data).facts]


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("Met Ada", "- Met Ada\n"), ("  - Met Ada \n", "- Met Ada\n"), ("a\r\nb\r\r\nc", "- a\n  b\n\n  c\n"),
        ("a\x00\x1b[31m\u2028b", "- a[31m\u2028b\n"), ("*not a bullet*", "- *not a bullet*\n"),
        ("- [ ] a task", "- [ ] a task\n"),
    ],
)  # fmt: skip
def test_a_text_becomes_an_item(text: str, item: str) -> None:
    assert as_item(text) == item


@pytest.mark.parametrize("text", ["", " \n ", "\x00"])
def test_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="the text of the note is missing"):
        as_item(text)


@given(st.text(max_size=60))
def test_every_line_of_a_text_is_in_the_item(text: str) -> None:
    try:
        item = as_item(text)
    except UsageError:
        return
    first, *rest = item.split("\n")
    assert first.startswith("- ")
    assert all(not each or each.startswith("  ") for each in rest)
    item.encode()


@pytest.mark.parametrize("before", [None, b"", b"\xef\xbb\xbf"])
def test_a_new_day_begins_with_its_date(before: bytes | None) -> None:
    made = line("Met Ada", PATH, before, MOMENT, NoteReader())
    assert made == (b"# 2026-02-10\n\n", b"- Met Ada\n", "")


@pytest.mark.parametrize(
    ("before", "data"),
    [
        (b"# D\n\n- a\n", b"- Met Ada\n"),
        (b"# D\n\n- a", b"- Met Ada\n"),
        (b"# D\n\nsome text\n", b"- Met Ada\n"),
        (b"# D\n\n## Captured\n\n- a\n", b"\n## 09:05\n\n- Met Ada\n"),
        (b"# D\n\n## History\n\n- ~~a~~\n", b"\n## 09:05\n\n- Met Ada\n"),
    ],
)
def test_it_is_a_fact_of_that_day_that_holds(before: bytes, data: bytes) -> None:
    made = line("Met Ada", PATH, before, MOMENT, NoteReader())
    assert made == (b"", data, "")
    end = b"" if before.endswith(b"\n") else b"\n"
    assert facts(before + end + made.data)[-1] == ("Met Ada", "active")


def test_a_task_is_one() -> None:
    assert line("- [ ] buy tea", PATH, b"# D\n\n- a\n", MOMENT, NoteReader()).data == b"- [ ] buy tea\n"


def test_where_it_can_be_no_fact_it_is_told() -> None:
    made = line("Met Ada", PATH, b"# D\n\n```\ncode\n", MOMENT, NoteReader())
    assert made.data == b"- Met Ada\n"
    assert "code block" in made.notice


@pytest.mark.parametrize("text", ["y " * (1 << 20) + "y", "é" * ((1 << 20) + 1)])
def test_more_than_is_read_of_a_note_is_refused_with_the_limit(text: str) -> None:
    for before in (None, b"# D\n"):
        with pytest.raises(UsageError, match="larger than 2 MiB"):
            line(text, PATH, before, MOMENT, NoteReader())
    assert line(text[2:], PATH, None, MOMENT, NoteReader()).data


def test_a_line_behind_what_is_read_of_its_note_is_told_with_the_limit() -> None:
    made = line("Met Ada", PATH, b"# D\n\n" + b"- word\n" * 300_000, MOMENT, NoteReader())
    assert made.data == b"- Met Ada\n"
    assert made.notice.startswith(f"{PATH}: larger than 2 MiB")
    assert "code block" not in made.notice


@pytest.mark.parametrize("text", ["a\x1b[31mb", "caf\udce9", "a\x00b"])
@pytest.mark.parametrize("before", [None, b"# 2026-02-10\n\n- Met Ada\n"])
def test_what_is_left_out_is_told(text: str, before: bytes | None) -> None:
    assert "were left out" in line(text, PATH, before, MOMENT, NoteReader()).notice
    assert not line("caf\u00e9\r\nau lait", PATH, before, MOMENT, NoteReader()).notice
