"""Our scanner sees what markdown-it sees: blocks, kinds and lines, on made and on real Markdown."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.reading import front_matter
from indexer.reading.block_scanner import scan_blocks
from indexer.reading.blocks import Block, UnreadableError, UnsureError, decode
from indexer.reading.markdown import from_markdown_it, read_blocks
from tests.daily import daily

ROOT = Path(__file__).resolve().parents[3]

PIECES = (
    "- ",
    "* ",
    "+ ",
    "1. ",
    "2) ",
    "10. ",
    "0. x",
    "1.",
    "- - ",
    "- > ",
    "> - ",
    "> ",
    ">",
    "#",
    "## ",
    "### ",
    "#t",
    "```",
    "~~~",
    "````",
    "`",
    "`x`",
    "---",
    "===",
    "-",
    "=",
    "==",
    "***",
    "_ _ _",
    "a",
    "b c",
    "foo",
    "**b** c",
    "| a | b |",
    "|---|---|",
    "--|--",
    "a | b",
    ":-:|",
    "|",
    "\\|",
    "<div>",
    "</div>",
    "<!--",
    "-->",
    "<a href='x'>",
    "<b>",
    "<?",
    "?>",
    "<!X",
    "<pre>",
    "</pre>",
    "[x]: y",
    "[x]:",
    "[a",
    "]: z",
    '"t"',
    "(t)",
    "[^1]: foo",
    "- [x](y)",
    "\\]",
    "\\[",
    "    ",
    "  ",
    "   ",
    "     x",
    "\t",
    " ",
    "",
    " \t",
    "\xa0",
    "\x0b",
)


def both(lines: list[str]) -> tuple[list[Block], list[Block]] | None:
    """What the two readers see, or None where one of them leaves the text to the other."""
    try:
        return scan_blocks(lines), from_markdown_it(lines)
    except (UnsureError, UnreadableError):
        return None


@settings(max_examples=daily(160, 400))
@given(
    st.lists(st.lists(st.sampled_from(PIECES), max_size=4).map("".join), min_size=1, max_size=10)
)
def test_on_markdown_soup(lines: list[str]) -> None:
    seen = both(lines)
    assert seen is None or seen[0] == seen[1]


@pytest.mark.parametrize("seed", range(10))
def test_on_thousands_of_made_notes(seed: int, dice: random.Random) -> None:
    compared = 0
    for _ in range(300):
        pool = dice.sample(PIECES, dice.randint(3, 14))
        lines = [
            "".join(dice.choices(pool, k=dice.choice((0, 1, 1, 2, 2, 3, 4))))
            for _ in range(dice.randint(1, 9))
        ]
        seen = both(lines)
        compared += seen is not None
        assert seen is None or seen[0] == seen[1], lines
    assert compared > 250


def test_on_every_note_of_the_project() -> None:
    paths = [
        path
        for path in ROOT.rglob("*.md")
        if not {".venv", ".git", "node_modules"} & set(path.parts)
    ]
    compared = 0
    for path in paths:
        lines = decode(path.read_bytes()).lines
        front = front_matter.read_front_matter(lines).lines
        seen = both(list(lines[front:]))
        compared += seen is not None
        assert seen is None or seen[0] == seen[1], path
    assert compared > 50


def kinds(text: str) -> list[tuple[str, int, int, int, int]]:
    return [(b.kind, b.first, b.last, b.level, b.depth) for b in scan_blocks(text.split("\n"))]


@pytest.mark.parametrize(
    ("text", "blocks"),
    [
        ("", []),
        ("# A\ntext\nmore", [("heading", 1, 1, 1, 0), ("paragraph", 2, 3, 0, 0)]),
        ("A\n---", [("heading", 1, 2, 2, 0)]),
        (
            "- a\n- b",
            [
                ("item", 1, 1, 0, 0),
                ("paragraph", 1, 1, 0, 1),
                ("item", 2, 2, 0, 0),
                ("paragraph", 2, 2, 0, 1),
            ],
        ),
        (
            "- a\n  b\n\n  c",
            [("item", 1, 4, 0, 0), ("paragraph", 1, 2, 0, 1), ("paragraph", 4, 4, 0, 1)],
        ),
        ("- a\nlazy", [("item", 1, 2, 0, 0), ("paragraph", 1, 2, 0, 1)]),
        (
            "- a\n\t- b",
            [
                ("item", 1, 2, 0, 0),
                ("paragraph", 1, 1, 0, 1),
                ("item", 2, 2, 0, 1),
                ("paragraph", 2, 2, 0, 2),
            ],
        ),
        ("> a\nb", [("quote", 1, 2, 0, 0), ("paragraph", 1, 2, 0, 1)]),
        ("```\n# no\n- no\n```", [("code", 1, 4, 0, 0)]),
        ("```\nopen\n", [("code", 1, 2, 0, 0)]),
        ("> ```\n> open\n>", [("quote", 1, 3, 0, 0), ("code", 1, 2, 0, 1)]),
        ("    code\n\n    more", [("code", 1, 3, 0, 0)]),
        ("| a |\n|---|\n| b |", [("table", 1, 3, 0, 0)]),
        (
            "<div>\n\n# A\n</div>",
            [("html", 1, 1, 0, 0), ("heading", 3, 3, 1, 0), ("html", 4, 4, 0, 0)],
        ),
        ("<!-- a\n\nb -->\nc", [("html", 1, 3, 0, 0), ("paragraph", 4, 4, 0, 0)]),
        ("[a]: b\nc", [("paragraph", 2, 2, 0, 0)]),
        ("* * *", [("rule", 1, 1, 0, 0)]),
        (
            "a\n1. b\n2. c",
            [
                ("paragraph", 1, 1, 0, 0),
                ("item", 2, 2, 0, 0),
                ("paragraph", 2, 2, 0, 1),
                ("item", 3, 3, 0, 0),
                ("paragraph", 3, 3, 0, 1),
            ],
        ),
        ("a\n2. b", [("paragraph", 1, 2, 0, 0)]),
    ],
)
def test_blocks_of_plain_shapes(text: str, blocks: list[tuple[str, int, int, int, int]]) -> None:
    assert kinds(text) == blocks


def test_lines_count_from_the_start_given() -> None:
    assert [(block.first, block.last) for block in scan_blocks(["# A", "b"], 5)] == [(6, 6), (7, 7)]


@pytest.mark.parametrize(
    "text", [">\ta", "> -\ta", "[a\nb]: c", "[a]: <b c>", '[a]: b "open', "[a]:\nb", "[a]: data:x"]
)
def test_what_it_leaves_to_markdown_it(text: str) -> None:
    with pytest.raises(UnsureError):
        scan_blocks(text.split("\n"))


@pytest.mark.parametrize(
    "lines",
    [
        ["> " * 40 + "x"],
        ["- " * 40 + "x"],
        ["  " * n + "- x" for n in range(40)],
        ["- a"] * 60_001,
        ["a"] * 200_001,
        ["> " * 30 + "x"] * 20_000,
    ],
    ids=["quotes", "bullets", "nested", "many", "long", "both"],
)
def test_markdown_nested_or_long_beyond_limits_is_refused(lines: list[str]) -> None:
    with pytest.raises(UnreadableError):
        scan_blocks(lines)


def test_only_the_head_of_a_line_decides() -> None:
    assert kinds("- " + "x" * 5_000_000) == [("item", 1, 1, 0, 0), ("paragraph", 1, 1, 0, 1)]


def test_a_table_that_lacks_too_many_cells_ends_where_markdown_it_ends_it() -> None:
    wide = ["|" + "a|" * 200, "|" + "-|" * 200, *["|b|"] * 400]
    assert read_blocks(wide)[0] == from_markdown_it(wide)
    assert read_blocks(wide)[0][0].last < len(wide)
