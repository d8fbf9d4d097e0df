"""What is a tag and what is none, and where links with a backslash or an escape lead."""

from __future__ import annotations

import pytest

from indexer.catalog.link_targets import find_target
from indexer.catalog.names import Called, NoteNames
from indexer.reading.inline import tags_in
from indexer.reading.parse import parse


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("press #\ufe0f\u20e3 to go on #ok", ["ok"]),
        ("#\u20e3 #\ufe0f #\ufe0fx", []),
        ("#🎉 #a🎉", ["🎉", "a🎉"]),
        ("#1 #2026 #1a", ["1a"]),
        ("#a/b #a-b #a_b", ["a/b", "a-b", "a_b"]),
        ("##x ###", []),
        ("&#123; &#x1F;", []),
        ("https://a.example/#frag http://b.example/c#d", []),
        ("\\#no (#yes)", ["yes"]),
        ("[x](#anchor) [x]( #anchor ) [x](a.md#b)", []),
        ("`#code` $#math$ %%#comment%% <!-- #html -->", []),
        ("[[note#heading]] [[#heading]] [[C #sharp]] [[a|b #c]]", []),
        ("a#b 🎉#b", []),
        ("#é #e\u0301", ["é", "e\u0301"]),
    ],
)
def test_tags_are_what_obsidian_takes_for_tags(text: str, found: list[str]) -> None:
    assert [tag.name for tag in parse("a.md", text.encode()).tags] == found


def test_a_tag_of_a_fact_is_none_where_it_is_none_of_the_note() -> None:
    assert tags_in("x [[C #sharp]] `#c` #\ufe0f\u20e3 #ok [a](#b)") == ("ok",)


PATHS = [
    "sub/todo.md",
    "subtodo.md",
    "a(b.md",
    "a&b.md",
    "sub/über.md",
    "snake_case.md",
    "sub/_x.md",
]


@pytest.mark.parametrize(
    ("link", "path"),
    [
        ("[x](sub\\todo.md)", "sub/todo.md"),
        ("[[sub\\todo]]", "sub/todo.md"),
        ("[[sub\\todo|x]]", "sub/todo.md"),
        ("[x](.\\sub\\todo.md)", "sub/todo.md"),
        ("![[sub\\todo.md]]", "sub/todo.md"),
        ("[x](sub%5Ctodo.md)", None),
        ("[[sub%5Ctodo]]", None),
        ("[x](a\\(b.md)", "a(b.md"),
        ("[x](<a\\(b.md>)", "a(b.md"),
        ("[x](a&amp;b.md)", "a&b.md"),
        ("[x](a&#40;b.md)", "a(b.md"),
        ("[x](sub\\über.md)", "sub/über.md"),
        ("[x](snake\\_case.md)", "snake_case.md"),
        ("[[snake\\_case]]", "snake_case.md"),
        ("[x]: sub\\todo.md", "sub/todo.md"),
        ("[x](C:\\sub\\todo.md)", None),
        ("| [[sub\\todo\\|x]] |\n|---|", "sub/todo.md"),
    ],
)
def test_a_backslash_parts_folders_or_escapes_and_is_never_dropped(
    link: str, path: str | None
) -> None:
    names = NoteNames(
        [
            Called(each, each.rpartition("/")[2].removesuffix(".md"), (), "note", None)
            for each in PATHS
        ]
    )
    found = parse("l.md", link.encode()).links
    assert [find_target(names, "l.md", each.target, each.style) for each in found] == [path]
