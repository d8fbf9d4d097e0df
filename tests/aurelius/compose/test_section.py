"""The one section of a note that is written: everything else keeps its bytes, or nothing is written."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurelius.compose import section
from aurelius.compose.note_lines import NoteReader
from indexer.errors import UsageError
from indexer.reading.parse import parse

PATH = "people/joe.md"


def put(text: str | bytes, new: str, name: str = "Summary", path: str = PATH) -> str:
    data = text.encode() if isinstance(text, str) else text
    return section.put(parse(path, data), data, name, new, NoteReader()).decode()


def text_of(text: str, name: str = "Summary") -> str | None:
    return section.text_of(parse(PATH, text.encode()), name)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# J\n\n## Summary\n\nOld.\n\n## Facts\n- a\n", "# J\n\n## Summary\n\nNew.\n\n## Facts\n- a\n"),
        ("# J\n\n## Summary\nOld,\nolder.\n## Facts\n- a\n", "# J\n\n## Summary\nNew.\n## Facts\n- a\n"),
        ("# J\n\n## Summary\n\n## Facts\n\n- a\n", "# J\n\n## Summary\n\nNew.\n\n## Facts\n\n- a\n"),
        ("# J\n## Summary\n## Facts\n- a\n", "# J\n## Summary\nNew.\n\n## Facts\n- a\n"),
        ("# J\n\nIntro.\n\n## Facts\n\n- a\n", "# J\n\nIntro.\n\n## Summary\n\nNew.\n\n## Facts\n\n- a\n"),
        ("## Facts\n- a\n", "## Summary\nNew.\n\n## Facts\n- a\n"),
        ("# J\n### Facts\n- a\n", "# J\n\n### Summary\nNew.\n\n### Facts\n- a\n"),
        ("# J\n\n## TL;DR\n\nOld.\n\n## Facts\n- a\n", "# J\n\n## TL;DR\n\nNew.\n\n## Facts\n- a\n"),
        ("# J\n\n## Facts\n- a\n\n## Summary\n\nOld.", "# J\n\n## Facts\n- a\n\n## Summary\n\nNew.\n"),
        ("# J\n\nSummary\n---\n\nOld.\n\n## Facts\n- a\n", "# J\n\nSummary\n---\n\nNew.\n\n## Facts\n- a\n"),
        ("# J\n\n## Summary\n\nOld.\n\n### More\n\nOlder.\n\n## Facts\n- a\n",
         "# J\n\n## Summary\n\nNew.\n\n## Facts\n- a\n"),
        ("---\ntype: person # x\n---\n## Facts\n- a\n",
         "---\ntype: person # x\n---\n\n## Summary\nNew.\n\n## Facts\n- a\n"),
    ],
)  # fmt: skip
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


@pytest.mark.parametrize("text", ["- a fact", "**Status:** x\n\n## Facts\n- more", "x\n\n## Facts", "- [ ] do"])
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


PARTS = st.sampled_from([
    "# Joe", "## Summary", "## Facts", "### Summary", "## History", "- Lives in LA (2026-02-01) ^k3v9qa", "- [ ] task",
    "", "text", "```", "---", "**Type:** Person", "> quoted", "<!-- x -->", "Summary", "===", "  - nested", "|a|b|",
    "~~gone~~", "<<<<<<< x", "[a]: b", "TL;DR\n---",
])  # fmt: skip


@settings(max_examples=150)
@given(st.lists(PARTS, max_size=14), st.sampled_from(["\n", "\r\n", "\r"]), st.booleans(), st.booleans())
def test_whatever_the_note(parts: list[str], eol: str, ends: bool, marked: bool) -> None:
    """Either nothing is written, or the text stands there, and every other line does with its own bytes."""
    text = "\n".join(parts).replace("\n", eol) + (eol if ends else "")
    data = (b"\xef\xbb\xbf" if marked else b"") + text.encode()
    note = parse(PATH, data)
    try:
        after = section.put(note, data, "Summary", "New.", NoteReader())
    except UsageError:
        return
    now = parse(PATH, after)
    assert section.text_of(now, "Summary") == "New."
    assert [fact._replace(first=0, last=0) for fact in now.facts] == [f._replace(first=0, last=0) for f in note.facts]
    spot = section.find(note, "Summary")
    before = [*note.lines]
    if spot and spot.first:
        del before[spot.first - 1 : spot.last]
    rest = iter(now.lines)
    assert all(line in rest for line in before), "what was there stands there, in order"
    assert after.count(b"\xef\xbb\xbf") == marked
    assert section.put(now, after, "Summary", "New.", NoteReader()) == after
