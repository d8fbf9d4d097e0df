"""What is noted becomes one fact of the day, wherever the note ends."""

from __future__ import annotations

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aurelius.compose.change import remove_fact
from aurelius.compose.daily_line import (
    as_item,
    daily_line,
    files_touched,
    free_heading,
    told_of_day,
    with_session,
)
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
        ("Met Ada", "- Met Ada\n"),
        ("  - Met Ada \n", "- Met Ada\n"),
        ("a\r\nb\r\r\nc", "- a\n  b\n\n  c\n"),
        ("a\x00\x1b[31m\u2028b", "- a\u2028b\n"),
        ("\x1b]0;x\x07a\x1b[1;4mb\x1bc [31m]", "- abc [31m]\n"),
        ("a\x9d said \x9c b", "- a said  b\n"),
        ("*not a bullet*", "- *not a bullet*\n"),
        ("- [ ] a task", "- [ ] a task\n"),
    ],
)
def test_a_text_becomes_an_item(text: str, item: str) -> None:
    assert as_item(text) == item


@pytest.mark.parametrize("text", ["", " \n ", "\x00", "- ", "-", " *\n-\n"])
def test_nothing_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="the text of the note is missing"):
        as_item(text)


WITH_MARKS_INSIDE = (
    "Train 14:05 - 16:20 to York",
    "Score 3 - 1",
    "a * b = c",
    "x + y",
    "2026 - a year",
    "a -- b",
    "-- x",
    "--x",
    "TODO ring the bell - twice",
    "<!-- hidden -->",
    "-5 degrees - cold",
    "*so* - and so",
    "1. one - two",
    "a - - b",
    "`a - b`",
    "[[x]] - y * z + w",
    "# so - so",
    "> a - b",
    "- - a - b",
    "\u2013 a - b",
    "+1 - 2",
    "50 % - 3 + 4",
)


@pytest.mark.parametrize("text", WITH_MARKS_INSIDE)
@pytest.mark.parametrize("bullet", ["", "- ", "* ", "+ ", "  -\t"])
def test_only_a_bullet_at_the_beginning_is_taken_off(text: str, bullet: str) -> None:
    if not bullet and text.startswith("- "):
        text, bullet = text[2:], "- "
    assert as_item(bullet + text) == as_item(f"{bullet}{text}\n") == f"- {text}\n"


INDENTED = st.text(" \t", max_size=5)
WORDS = st.one_of(
    st.text(max_size=20),
    st.text("ab-*+ `~#>.1)", max_size=12),
    st.sampled_from(WITH_MARKS_INSIDE),
    st.just("```"),
)
LINES = st.lists(
    st.builds(
        lambda *parts: "".join(parts), INDENTED, st.sampled_from(["", "- ", "* ", "1. "]), WORDS
    )
)


def said(text: str) -> list[str]:
    """What lines say, without indentation and bullets."""
    lines = [
        "".join(char for char in line if char.isprintable() or char == "\t")
        for line in text.split("\n")
    ]
    return [found for line in lines if (found := "".join(line.strip().lstrip("-*+ \t").split()))]


@given(LINES, st.booleans())
def test_every_line_of_a_text_is_in_the_item_as_it_was(lines: list[str], tabs: bool) -> None:
    text = (
        "\n".join(lines).replace("\r", "\n").replace("\x1b", "")
    )  # with what follows it, it may steer a terminal
    try:
        item = as_item(text, tabs=tabs)
    except UsageError:
        assert not "".join(said(text))
        return
    first, *rest = item.split("\n")
    assert first.startswith("- ")
    assert all(not each or each.startswith(("  ", "\t", "- ")) or each == "-" for each in rest)
    assert said(item) == said(text)
    item.encode()


@pytest.mark.parametrize(
    ("text", "item", "page"),
    [
        ("- one\n- two\n- three", "- one\n- two\n- three\n", None),
        ("* one\n* two", "- one\n- two\n", None),
        ("Said\n- one\n- two", "- Said\n  - one\n  - two\n", "- Said\n\t- one\n\t- two\n"),
        (
            "Said\n\t- quote\n\t\t- deep\nend",
            "- Said\n  - quote\n    - deep\n  end\n",
            "- Said\n\t- quote\n\t\t- deep\n  end\n",
        ),
        (
            "Said\n    - quote\n        - deep\n    - next",
            "- Said\n  - quote\n    - deep\n  - next\n",
            "- Said\n\t- quote\n\t\t- deep\n\t- next\n",
        ),
        (
            "  - one\n    - in it\n      more\n  - two",
            "- one\n  - in it\n    more\n- two\n",
            "- one\n\t- in it\n\t  more\n- two\n",
        ),
        (
            "To do:\n1. a\n   - b\n2. c",
            "- To do:\n  1. a\n     - b\n  2. c\n",
            "- To do:\n  1. a\n\t- b\n  2. c\n",
        ),
        (
            "Run\n```\n- a\n\t- b\n```\n- c",
            "- Run\n  ```\n  - a\n  \t- b\n  ```\n  - c\n",
            "- Run\n  ```\n  - a\n  \t- b\n  ```\n\t- c\n",
        ),
        ("- a\n\n  more\n- b", "- a\n\n  more\n- b\n", None),
        ("So:\n\n    code", "- So:\n\n      code\n", None),
    ],
)
def test_lines_are_nested_as_they_were_in_the_text(text: str, item: str, page: str | None) -> None:
    assert as_item(text) == item
    assert as_item(text, tabs=True) == (page or item)


@pytest.mark.parametrize("before", [None, b"", b"\xef\xbb\xbf"])
def test_a_new_day_begins_with_its_date(before: bytes | None) -> None:
    made = daily_line("Met Ada", PATH, before, MOMENT, NoteReader())
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
    made = daily_line("Met Ada", PATH, before, MOMENT, NoteReader())
    assert made == (b"", data, "")
    end = b"" if before.endswith(b"\n") else b"\n"
    assert facts(before + end + made.data)[-1] == ("Met Ada", "active")


def test_a_task_is_one() -> None:
    assert (
        daily_line("- [ ] buy tea", PATH, b"# D\n\n- a\n", MOMENT, NoteReader()).data
        == b"- [ ] buy tea\n"
    )


def test_where_it_can_be_no_fact_it_is_told() -> None:
    made = daily_line("Met Ada", PATH, b"# D\n\n```\ncode\n", MOMENT, NoteReader())
    assert made.data == b"- Met Ada\n"
    assert "code block" in made.notice


@pytest.mark.parametrize("text", ["y " * (1 << 20) + "y", "é" * ((1 << 20) + 1)])
def test_more_than_is_read_of_a_note_is_refused_with_the_limit(text: str) -> None:
    for before in (None, b"# D\n"):
        with pytest.raises(UsageError, match="larger than 2 MiB"):
            daily_line(text, PATH, before, MOMENT, NoteReader())
    assert daily_line(text[2:], PATH, None, MOMENT, NoteReader()).data


def test_a_line_behind_what_is_read_of_its_note_is_told_with_the_limit() -> None:
    made = daily_line("Met Ada", PATH, b"# D\n\n" + b"- word\n" * 300_000, MOMENT, NoteReader())
    assert made.data == b"- Met Ada\n"
    assert made.notice.startswith(f"{PATH}: larger than 2 MiB")
    assert "code block" not in made.notice


@pytest.mark.parametrize("text", ["a\x1b[31mb", "caf\udce9", "a\x00b"])
@pytest.mark.parametrize("before", [None, b"# 2026-02-10\n\n- Met Ada\n"])
def test_what_is_left_out_is_told(text: str, before: bytes | None) -> None:
    assert "were left out" in daily_line(text, PATH, before, MOMENT, NoteReader()).notice
    assert not daily_line("caf\u00e9\r\nau lait", PATH, before, MOMENT, NoteReader()).notice


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            b"\xef\xbb\xbf# Day\r\n\r\n## Captured\r\n- a b ^aaaa11\r\n",
            b"\xef\xbb\xbf# Day\r\n\r\n- a b ^aaaa11\r\n\r\n## Captured\r\n",
        ),
        (
            b"- x\n\t- y\n\n## Captured\n\n- a b ^aaaa11\n",
            b"- x\n\t- y\n- a b ^aaaa11\n\n## Captured\n",
        ),
        (
            b"---\nk: 1\n---\n## Captured\n- a b ^aaaa11\n",
            b"---\nk: 1\n---\n\n- a b ^aaaa11\n\n## Captured\n",
        ),
        (
            b"# Day\n\n## Captured\n\nmy words\n\n- a b ^aaaa11\n",
            b"# Day\n\n- a b ^aaaa11\n\n## Captured\n\nmy words\n",
        ),
        (
            b"# Day\n\n## Captured\n- a b ^aaaa11\n### Mine\n- x\n",
            b"# Day\n\n- a b ^aaaa11\n\n## Captured\n### Mine\n- x\n",
        ),
    ],
)
def test_what_was_captured_is_told_of_the_day_and_its_heading_stays(
    before: bytes, after: bytes
) -> None:
    read = NoteReader()
    data, item = remove_fact(before, "aaaa11", path=PATH, read=read)
    assert told_of_day(data, item, "aaaa11", path=PATH, read=read) == after


def test_two_sessions_of_one_minute_have_one_heading() -> None:
    moment = datetime.datetime(2026, 2, 10, 14, 5, 9)
    data = with_session(b"# 2026-02-10\n", "Session 14:05", "abc", ["a.py", "b.md"])
    assert data == b"# 2026-02-10\n\n## Session 14:05\n\nFiles touched in session abc: a.py, b.md\n"
    note = parse("memory/2026-02-10.md", data)
    assert free_heading(note, moment) == "Session 14:05:09"
    assert files_touched(note, "abc") == {"a.py", "b.md"}
    assert files_touched(note, "xyz") == set()
