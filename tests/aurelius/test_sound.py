"""Edits that would harm a note are refused (test_edit.py has them all); the short way there is never wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurelius.edit import Edit, Place
from aurelius.sound import check, is_prose
from indexer.parse import parse

NOTE = (
    b"---\ntype: person\n---\n# Joe\n\n## Summary\n\nFriend of mine. Works in tech.\n\n## Facts\n\n"
    b"- Likes tea (2026-01-01) ^k3v9qa\n- Lives in Rome\n\n## Notes\n\nText.\n"
)


def with_summary(text: bytes) -> bytes:
    return NOTE.replace(b"Friend of mine. Works in tech.", text)


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
@pytest.mark.parametrize(
    "text", [b"Friend.", b"Two\nlines, with [[people/sarah]] and 3 * 4 `code`.", "Знает чай.".encode()]
)
def test_a_new_summary_is_prose(text: bytes, end: bytes) -> None:
    before, after = (data.replace(b"\n", end) for data in (NOTE, with_summary(text)))
    assert is_prose(before, after)
    assert is_prose(after, before)


@pytest.mark.parametrize(
    "text",
    [
        b"- A fact.", b"* one", b"1. one", b"# Head", b"> quote", b"```", b"~~~", b"<!-- x", b"a <!-- b", b"<div>",
        b"===", b"---", b"  - nested", b"    code", b"\tcode", b"| a |", b"a ^abc123", b"key:: value", b"[a]: b",
        b"%% x", b"$$", b"caf\xe9", b"a\0b", b"lone\rreturn", b"<<<<<<< ours", b"text\n- item",
    ],
)  # fmt: skip
def test_whatever_could_reach_further_is_read_whole(text: bytes) -> None:
    assert not is_prose(NOTE, with_summary(text))
    assert not is_prose(with_summary(text), NOTE)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (b"type: person", b"type: x"), (b"---\ntype", b"--\ntype"), (b"# Joe", b"# Jim"), (b"Rome", b"Paris"),
        (b"\n## Facts", b"## Facts"), (b"- Lives in Rome\n", b"- Lives in Rome\nand more\n"), (b"Likes", b"Loves"),
        (b"tech.\n\n##", b"tech.\n##"),
    ],
)  # fmt: skip
def test_an_edit_beside_a_fact_a_heading_or_a_property_is_read_whole(old: bytes, new: bytes) -> None:
    after = NOTE.replace(old, new)
    assert after != NOTE
    if old != b"tech.\n\n##":  # an empty line before a heading means nothing
        assert not is_prose(NOTE, after)


PIECES = st.sampled_from([
    "---", "key: v", "# Head", "## Facts", "## Summary", "## History", "- one", "  - two", "- x ^abcdef", "text",
    "more text", "", "", "```", "<!--", "-->", "> q", "1. n", "===", "    code", "| a |", "%%", "~~- gone~~", "a <b>",
    "\ttab", "[[link]]", "**Type:** Person", "* star", "[ref]: x", "- [ ] task", "word\rword", "\x0c", "~~~", "<div>",
    "</div>",
])  # fmt: skip
PARTS = st.lists(PIECES, max_size=8)


@settings(max_examples=800, deadline=None)
@given(
    st.lists(PIECES, max_size=8),
    st.lists(PIECES, max_size=3),
    st.lists(PIECES, max_size=3),
    st.lists(PIECES, max_size=8),
)
def test_prose_never_touches_a_fact(head: list[str], old: list[str], new: list[str], tail: list[str]) -> None:
    for path in ("people/joe.md", "memory/2026-02-10.md"):
        before, after = ("\n".join([*head, "", *part, "", *tail]).encode() for part in (old, new))
        if not is_prose(before, after):
            continue
        notes = [parse(path, data) for data in (before, after)]
        assert [fact._replace(key="", first=0, last=0) for fact in notes[0].facts] == [
            fact._replace(key="", first=0, last=0) for fact in notes[1].facts
        ]
        assert notes[0].front_matter == notes[1].front_matter
        assert {each.code for each in notes[0].problems} == {each.code for each in notes[1].problems}
        check(Place("", ""), [Edit(path, before, after)])
