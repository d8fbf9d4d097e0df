"""A note's bytes as lines, and the section that Aurelius writes."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurelius.compose import note_lines
from aurelius.compose.note_lines import (
    NoteLines,
    NoteReader,
    find_section,
    put_section,
    section_text,
)
from indexer.errors import UsageError
from indexer.reading.blocks import TEXT_LIMIT
from indexer.reading.parse import parse
from tests.daily import daily

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
def test_lines_are_numbered_as_in_a_parsed_note_and_come_back_to_the_byte(
    text: str, mark: bool
) -> None:
    data = BOM * mark + text.encode()
    lines = NoteLines("a.md", data)
    assert lines.data() == data
    read = parse("a.md", data).lines
    assert list(read) == lines.texts


@pytest.mark.parametrize("data", [b"caf\xe9\n", "# Joe\n".encode("utf-16")])
def test_what_is_no_utf_8_is_refused_with_its_path(data: bytes) -> None:
    with pytest.raises(
        UsageError, match=r"people/joe\.md: not written: the note is not UTF-8 text"
    ) as raised:
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
def test_lines_put_in_end_as_the_line_before_them_does(
    data: bytes, after: int, made: bytes
) -> None:
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

    def counted(path: str, data: bytes, **settings: Any) -> object:
        seen.append((path, data))
        return parse(path, data, **settings)

    monkeypatch.setattr("indexer.reading.parse.parse", counted)
    first = read("a.md", b"# A\n")
    assert read("a.md", b"# A\n") is first
    assert read("b.md", b"# A\n") is not first
    assert read("a.md", b"# B\n").title == "B"
    assert seen == [("a.md", b"# A\n"), ("b.md", b"# A\n"), ("a.md", b"# B\n")]


def test_only_so_many_versions_are_remembered_and_the_oldest_goes_first(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(note_lines, "MOST_VERSIONS", 2)
    read = NoteReader()
    first, second = read("a.md", b"1"), read("a.md", b"2")
    read("a.md", b"3")
    assert read("a.md", b"2") is second
    assert read("a.md", b"1") is not first


def test_a_note_of_the_daily_folder_is_a_daily_note() -> None:
    assert NoteReader("field")("field/2026-02-10 Tuesday.md", b"- a\n").kind == "daily"
    assert NoteReader()("field/2026-02-10 Tuesday.md", b"- a\n").kind == "note"


PATH = "people/joe.md"


def put(text: str | bytes, new: str, name: str = "Summary", path: str = PATH) -> str:
    data = text.encode() if isinstance(text, str) else text
    return put_section(parse(path, data), data, name, new, NoteReader()).decode()


def text_of(text: str, name: str = "Summary") -> str | None:
    return section_text(parse(PATH, text.encode()), name)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (
            "# J\n\n## Summary\n\nOld.\n\n## Facts\n- a\n",
            "# J\n\n## Summary\n\nNew.\n\n## Facts\n- a\n",
        ),
        (
            "# J\n\n## Summary\nOld,\nolder.\n## Facts\n- a\n",
            "# J\n\n## Summary\nNew.\n## Facts\n- a\n",
        ),
        (
            "# J\n\n## Summary\n\n## Facts\n\n- a\n",
            "# J\n\n## Summary\n\nNew.\n\n## Facts\n\n- a\n",
        ),
        ("# J\n## Summary\n## Facts\n- a\n", "# J\n## Summary\nNew.\n\n## Facts\n- a\n"),
        (
            "# J\n\nIntro.\n\n## Facts\n\n- a\n",
            "# J\n\nIntro.\n\n## Summary\n\nNew.\n\n## Facts\n\n- a\n",
        ),
        ("## Facts\n- a\n", "## Summary\nNew.\n\n## Facts\n- a\n"),
        ("# J\n### Facts\n- a\n", "# J\n\n### Summary\nNew.\n\n### Facts\n- a\n"),
        (
            "# J\n\n## TL;DR\n\nOld.\n\n## Facts\n- a\n",
            "# J\n\n## TL;DR\n\nNew.\n\n## Facts\n- a\n",
        ),
        (
            "# J\n\n## Facts\n- a\n\n## Summary\n\nOld.",
            "# J\n\n## Facts\n- a\n\n## Summary\n\nNew.\n",
        ),
        (
            "# J\n\nSummary\n---\n\nOld.\n\n## Facts\n- a\n",
            "# J\n\nSummary\n---\n\nNew.\n\n## Facts\n- a\n",
        ),
        (
            "# J\n\n## Summary\n\nOld.\n\n### More\n\nOlder.\n\n## Facts\n- a\n",
            "# J\n\n## Summary\n\nNew.\n\n## Facts\n- a\n",
        ),
        (
            "---\ntype: person # x\n---\n## Facts\n- a\n",
            "---\ntype: person # x\n---\n\n## Summary\nNew.\n\n## Facts\n- a\n",
        ),
    ],
)
def test_only_its_text_is_changed(before: str, after: str) -> None:
    assert put(before, "New.") == after
    assert put(after, "New.") == after
    assert text_of(after) == "New."
    crlf = b"\xef\xbb\xbf" + before.replace("\n", "\r\n").encode()
    assert put(crlf, "New.").encode() == b"\xef\xbb\xbf" + after.replace("\n", "\r\n").encode()


def test_the_summary_of_a_part_is_not_the_notes_own() -> None:
    note = "# J\n\n## Trip\n\n### Summary\n\nOf the trip.\n\n## Facts\n\n- a\n"
    assert text_of(note) is None
    assert put(note, "New.") == note.replace("## Trip", "## Summary\n\nNew.\n\n## Trip")


def test_a_heading_in_a_fence_is_none() -> None:
    note = "# J\n\n```\n## Summary\nx\n```\n\n## Facts\n\n- a\n"
    assert text_of(note) is None
    assert "```\n## Summary\nx\n```\n\n## Summary\n\nNew.\n\n## Facts" in put(note, "New.")


@pytest.mark.parametrize(
    "note",
    [
        "# Joe\n\n- Lives in LA\n",
        "- Lives in LA\n",
        "",
    ],
)
def test_a_note_without_headings_keeps_its_bullets_as_facts(note: str) -> None:
    with pytest.raises(UsageError, match="has no headings"):
        put(note, "New.")


@pytest.mark.parametrize(
    "text", ["- a fact", "**Status:** x\n\n## Facts\n- more", "x\n\n## Facts", "- [ ] do"]
)
def test_what_would_be_read_as_more_than_text_is_not_written(text: str) -> None:
    note = "# J\n\n## Summary\n\n## Facts\n\n- a\n"
    if text == "- a fact":
        assert put(note, text)  # under Summary nothing is a fact
    else:
        with pytest.raises(UsageError, match="not written: a new Summary"):
            put(note, text)


def test_a_note_that_is_no_text_is_not_written() -> None:
    with pytest.raises(UsageError, match="UTF-8"):
        put(b"# J\n\n## Summary\n\nCaf\xe9\n\n## Facts\n- a\n", "New.")


def test_now_of_memory_takes_no_fact_with_it() -> None:
    note = "# Memory\n\nKept.\n\n## Facts\n\n- a\n"
    made = put(note, "[[people/joe]] - Lives in LA.\n\n[[people/ada]]", "Now", "MEMORY.md")
    assert "## Now\n\n[[people/joe]] - Lives in LA.\n\n[[people/ada]]\n\n## Facts\n\n- a\n" in made
    assert [fact.text for fact in parse("MEMORY.md", made.encode()).facts] == ["a"]
    assert put(made, "[[people/ada]]", "Now", "MEMORY.md") == note.replace(
        "## Facts", "## Now\n\n[[people/ada]]\n\n## Facts"
    )


MIXED = st.lists(st.sampled_from(["a", "b", "\n", "\r\n"]), max_size=14).map("".join)


@settings(max_examples=daily(60, 150))
@given(MIXED, MIXED, MIXED, st.booleans())
def test_a_text_is_found_wherever_it_stands_and_all_around_it_stays(
    text: str, old: str, new: str, marked: bool
) -> None:
    """Compared with Python's own search in the same text with the line ends of Unix."""
    lines = NoteLines("n.md", (BOM if marked else b"") + text.encode())
    plain, part = text.replace("\r\n", "\n"), old.replace("\r\n", "\n")
    starts = [at for at in range(len(plain)) if part and plain.startswith(part, at)]
    found = lines.find(old, 99)
    assert found == [
        (plain.count("\n", 0, at) + 1, at - plain.rfind("\n", 0, at) - 1) for at in starts
    ]
    assert lines.find(old, 1) == found[:1]
    if found:
        lines.replace(*found[0], old, new)
        at, made = starts[0], lines.data().decode().removeprefix("\ufeff")
        whole = plain[:at] + new.replace("\r\n", "\n") + plain[at + len(part) :]
        assert made.replace("\r\n", "\n") == whole
        assert lines.data().startswith(BOM) == marked
        before, behind = plain[:at].count("\n"), plain[at + len(part) :].count("\n")
        ends = [end for end in NoteLines("n.md", text.encode()).ends if end]
        left = [end for end in NoteLines("n.md", made.encode()).ends if end]
        assert left[:before] == ends[:before]
        assert not behind or left[-behind:] == ends[-behind:]


PARTS = st.sampled_from(
    [
        "# Joe",
        "## Summary",
        "## Facts",
        "### Summary",
        "## History",
        "- Lives in LA (2026-02-01) ^k3v9qa",
        "- [ ] task",
        "",
        "text",
        "```",
        "---",
        "**Type:** Person",
        "> quoted",
        "<!-- x -->",
        "Summary",
        "===",
        "  - nested",
        "|a|b|",
        "~~gone~~",
        "<<<<<<< x",
        "[a]: b",
        "TL;DR\n---",
    ]
)


@settings(max_examples=daily(60, 150))
@given(
    st.lists(PARTS, max_size=14),
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.booleans(),
    st.booleans(),
)
def test_whatever_the_note(parts: list[str], eol: str, ends: bool, marked: bool) -> None:
    """Either nothing is written, or the text stands there, and every other line does with its own bytes."""
    text = "\n".join(parts).replace("\n", eol) + (eol if ends else "")
    data = (b"\xef\xbb\xbf" if marked else b"") + text.encode()
    note = parse(PATH, data)
    try:
        after = put_section(note, data, "Summary", "New.", NoteReader())
    except UsageError:
        return
    now = parse(PATH, after)
    assert section_text(now, "Summary") == "New."
    assert [fact._replace(first=0, last=0) for fact in now.facts] == [
        f._replace(first=0, last=0) for f in note.facts
    ]
    spot = find_section(note, "Summary")
    before = [*note.lines]
    if spot and spot.first:
        del before[spot.first - 1 : spot.last]
    rest = iter(now.lines)
    assert all(line in rest for line in before), "what was there stands there, in order"
    assert after.count(b"\xef\xbb\xbf") == marked
    assert put_section(now, after, "Summary", "New.", NoteReader()) == after
