"""Links, tags and plain text; what stands in code is left alone."""

from __future__ import annotations

import pytest

from indexer.note import Link
from indexer.reading import inline, markdown
from indexer.reading.inline import Inline


def reader(text: str) -> Inline:
    lines = text.split("\n")
    return Inline(text, lines, 1, markdown.read_blocks(lines)[0])


def links(text: str) -> list[Link]:
    return inline.inline_links(reader(text))


def wiki(
    target: str, heading: str = "", block: str = "", label: str = "", embed: bool = False
) -> Link:
    return Link(target, heading, block, label, 1, "wiki", embed)


def plain_link(
    target: str, heading: str = "", label: str = "x", block: str = "", embed: bool = False
) -> Link:
    return Link(target, heading, block, label, 1, "markdown", embed)


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("[[people/joe]]", wiki("people/joe")),
        ("[[Joe Bloggs]]", wiki("Joe Bloggs")),
        ("[[people/joe|Joe]]", wiki("people/joe", label="Joe")),
        ("[[joe#Facts]]", wiki("joe", heading="Facts")),
        ("[[joe#Facts|his facts]]", wiki("joe", heading="Facts", label="his facts")),
        ("[[joe#^k3v9qa]]", wiki("joe", block="k3v9qa")),
        ("[[joe#Facts#^k3v9qa]]", wiki("joe", heading="Facts", block="k3v9qa")),
        ("![[joe]]", wiki("joe", embed=True)),
        ("![[shot.png|300]]", wiki("shot.png", label="300", embed=True)),
        ("[[#Facts]]", wiki("", heading="Facts")),
        ("[[#^abc]]", wiki("", block="abc")),
        ("| a [[joe\\|Joe]] |", wiki("joe", label="Joe")),
        ("- [ ] see [[ joe ]]", wiki("joe")),
        ("[[Note: a thing]]", wiki("Note: a thing")),
    ],
)
def test_wikilinks_in_all_their_forms(text: str, link: Link) -> None:
    assert links(text) == [link]


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("[x](a.md)", plain_link("a.md")),
        ("[x](../a%20b.md)", plain_link("../a b.md")),
        ("[x](<a b.md>)", plain_link("a b.md")),
        ('[x](a.md "A title")', plain_link("a.md")),
        ("[x](a.md 'A title')", plain_link("a.md")),
        ("[x](a.md#some-heading)", plain_link("a.md", "some-heading")),
        ("[x](a.md#^abc)", plain_link("a.md", block="abc")),
        ("[x](#some-heading)", plain_link("", "some-heading")),
        ("[x](a_(b).md)", plain_link("a_(b).md")),
        ("[x](a\\_b.md)", plain_link("a_b.md")),
        ("[x](/abs/a.md)", plain_link("/abs/a.md")),
        ("[x](a.md?raw=1#h)", plain_link("a.md", "h")),
        ("![x](shot.png)", plain_link("shot.png", embed=True)),
        ("[x](file.pdf)", plain_link("file.pdf")),
        ("[x](http/status.md)", plain_link("http/status.md")),
        ("[x](Note:thing.md)", plain_link("Note:thing.md")),
        ("[`x`](a.md)", plain_link("a.md", label="`x`")),
        ("[a [x] b](a.md)", plain_link("a.md", label="a [x] b")),
        ("[x]: a.md 'title'", plain_link("a.md")),
        ("[x]([[a]])", Link("a", "", "", "x", 1, "wiki", False)),
        ("[the  x]([[a b#c]])", Link("a b", "c", "", "the x", 1, "wiki", False)),
        ("![x]([[a (b)]])", Link("a (b)", "", "", "x", 1, "wiki", False)),
        ("[x]([[a|y]])", Link("a", "", "", "y", 1, "wiki", False)),
        ("\\[x]([[a]])", Link("a", "", "", "", 1, "wiki", False)),
        ("see ([[a]])", Link("a", "", "", "", 1, "wiki", False)),
        ("[x]: <a b.md>", plain_link("a b.md")),
    ],
)
def test_each_way_to_write_a_markdown_link_is_read(text: str, link: Link) -> None:
    assert links(text) == [link]


@pytest.mark.parametrize(
    "text",
    [
        "[x](https://a.org/b.md)",
        "[x](mailto:a@b.md)",
        "[x](//a.org)",
        "[x](obsidian://open?vault=a)",
        "[x](xref:A.B)",
        "[x](#)",
        "[x]()",
        "[x]: https://a.org",
        "[^1]: a.md",
        "[[]]",
        "[[ ]]",
        "[[https://a.org]]",
        "\\[[a]]",
        "\\[x](a.md)",
        "`[[a]]`",
        "`` ` [[a]] ``",
        "```\n[[a]]\n[x](a.md)\n```",
        "    [[a]]",
        "<!-- [[a]] -->",
        "text <!-- [x](a.md) --> text",
        "<div>\n[[a]]\n</div>",
        "a](b.md)",
        "[x] (a.md)",
        "[[a\nb]]",
    ],
)
def test_what_is_no_link(text: str) -> None:
    assert links(text) == []


def test_an_open_backtick_hides_nothing() -> None:
    assert [link.target for link in links("`a [[b]] c")] == ["b"]
    assert [link.target for link in links("\\`a [[b]] `c")] == ["b"]
    assert [link.target for link in links("``a [[b]] `c")] == ["b"]
    assert [link.target for link in links("`a` [[b]] `c`")] == ["b"]


def test_a_code_span_ends_with_its_block() -> None:
    assert [link.line for link in links("`a\n\n[[b]] `c")] == [3]
    assert links("`a\n[[b]] c`") == []
    assert [link.line for link in links("| ` | x |\n|---|---|\n| [[b]] | ` |")] == [3]


def test_links_know_their_lines_and_come_in_order() -> None:
    found = links("[[a]]\n\n- [b](b.md)\n  [[c]]\n\n```\n[[no]]\n```\n![[d]]")
    assert [(link.target, link.line) for link in found] == [
        ("a", 1),
        ("b.md", 3),
        ("c", 4),
        ("d", 9),
    ]


def test_lines_count_from_the_front_matter() -> None:
    lines = ["---", "a: 1", "---", "x", "[[a]] #t `b"]
    made = Inline("x\n[[a]] #t `b", lines, 4, markdown.read_blocks(lines, 3)[0])
    assert [link.line for link in inline.inline_links(made)] == [5]
    assert [tag.line for tag in inline.inline_tags(made)] == [5]


def test_links_and_tags_are_bounded() -> None:
    text = "[[a]] #b " * (inline.LINK_LIMIT + 50)
    assert len(inline.inline_links(reader(text))) == inline.LINK_LIMIT + 1
    assert len(inline.inline_tags(reader(text))) == inline.LINK_LIMIT + 1


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("#tag and #nested/tag-2", ["tag", "nested/tag-2"]),
        ("#日本 #Größe #🍋", ["日本", "Größe", "🍋"]),
        ("(#inside) #end. #a, #b's", ["inside", "end", "a", "b"]),
        ("#1st #y2026 #a/1/", ["1st", "y2026", "a/1"]),
        ("- [ ] x #task", ["task"]),
        ("## Heading #h", ["h"]),
        ("#123 #2026 # a ## b #- a#b http://x.y/#z [x](#a) &#39; \\#no #/", ["-"]),
        ("`#a` <!-- #b -->", []),
        ("```\n#include\n```", []),
        ("#!/bin/sh #+begin", []),
    ],
)
def test_tags_are_read_and_what_only_looks_like_one_is_not(text: str, names: list[str]) -> None:
    assert [tag.name for tag in inline.inline_tags(reader(text))] == names


def test_tags_of_a_short_text() -> None:
    assert inline.tags_in("a #b `#c` #b #d/e #12") == ("b", "d/e")
    assert inline.tags_in("none") == ()


@pytest.mark.parametrize(
    ("text", "bare"),
    [
        ("Plain words", "Plain words"),
        ("**Bold** and *it* and __b__ and _i_", "Bold and it and b and i"),
        ("operator==", "operator=="),
        ("operator* and a * b", "operator* and a * b"),
        ("snake_case_name and __init__", "snake_case_name and init"),
        ("`code_*x*` here", "code_*x* here"),
        ("[`a`](b.md) and [c](<d>)", "a and c"),
        ("[[people/joe|Joe]] and [[ann]]", "Joe and ann"),
        ("[Joe B]([[people/joe b]]) and [x]([[ann]])", "Joe B and x"),
        ('<a name="x"></a> Title', "Title"),
        ("A &amp; B", "A & B"),
        ("Facts ^k3v9qa", "Facts"),
        (r"\*not\* [x]", "*not* [x]"),
        ("~~old~~ ==new== <!-- c -->", "old new"),
    ],
)
def test_plain_text_of_headings(text: str, bare: str) -> None:
    assert inline.plain_inline(text) == bare


def test_blanks_at_the_ends_of_code_in_a_heading_are_no_part_of_it() -> None:
    assert inline.plain_inline("a` x `b") == "axb"


def test_plain_text_is_bounded() -> None:
    assert len(inline.plain_inline("a" * 5000)) == inline.HEADING_LIMIT
