"""Bytes → lines: encodings, line ends, limits; and what the beginning of a line marks.

No pattern can be made to backtrack.
"""

from __future__ import annotations

import importlib
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer.reading import blocks
from indexer.reading.blocks import TEXT_LIMIT, decode, split_lines

READING = Path(blocks.__file__).parent
HEAD = 2_000

MODULES = (
    "block_scanner",
    "blocks",
    "fact_line",
    "facts",
    "front_matter",
    "inline",
    "markdown",
    "outline",
    "parse",
    "path_meaning",
    "type_words",
)
NESTED_BUT_SAFE = {
    "markdown.MARKERS": "each round takes a mark that blanks cannot",
    "outline.MARKERS": "the same",
    "facts.MARKERS": "the same",
    "front_matter._PRIVATE": "what it took it never gives back",
    "blocks.RULE": "each round takes a mark that blanks cannot",
    "blocks._TAG": "each attribute begins with a blank and a name; a line is cut at 2,000 characters",
    "inline._DESTINATION": "at most 20 pairs of parentheses",
}


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    for module in MODULES:
        for name, value in vars(importlib.import_module(f"indexer.reading.{module}")).items():
            if isinstance(value, re.Pattern):
                yield f"{module}.{name}", value
            elif isinstance(value, tuple):
                yield from (
                    (f"{module}.{name}", each) for each in value if isinstance(each, re.Pattern)
                )


def nested(tree: Any, inside: bool = False) -> bool:
    """Whether a parsed pattern repeats without bound something that itself repeats without bound."""
    for operator, argument in tree:
        if str(operator) in {"MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"}:
            many = argument[1] > 20
            if (many and inside) or nested(argument[2], inside or many):
                return True
        else:
            for part in argument if isinstance(argument, tuple | list) else ():
                for branch in part if isinstance(part, list) else [part]:
                    if hasattr(branch, "data") and nested(branch, inside):
                        return True
    return False


def test_no_pattern_repeats_a_repeat() -> None:
    parser = importlib.import_module("re._parser")
    found = {
        name
        for name, pattern in patterns()
        if nested(parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE))
    }
    assert found - set(NESTED_BUT_SAFE) == set()


def test_the_rule_sees_a_nested_repeat() -> None:
    parser = importlib.import_module("re._parser")
    assert nested(parser.parse("(a+)+"))
    assert nested(parser.parse("x|(?:y(?:a*|b)c)*"))
    assert not nested(parser.parse("(?:ab){1,5}c+d*"))
    assert len(dict(patterns())) > 40


HARD = (
    "a",
    " ",
    "-",
    "*",
    "#",
    "[",
    "](",
    "[[",
    "(",
    "<a ",
    "<a b='",
    "`",
    "\\",
    "|",
    "[a]: ",
    "~~",
    "&",
    "^a ",
    ": ",
)


def searched() -> set[str]:
    """The patterns that look for their beginning all through a text, by the modules' own source."""
    use = re.compile(r"\b(_?[A-Z_]{3,})\.(?:search|finditer|findall|sub|split)\(")
    return {
        f"{module}.{name}"
        for module in MODULES
        for name in use.findall((READING / f"{module}.py").read_text("utf-8"))
    }


@pytest.mark.parametrize("text", HARD)
def test_every_pattern_finishes_on_a_long_run(text: str) -> None:
    long = text * (100_000 // len(text)) + "\x00"
    looking = searched()
    assert len(looking) > 10
    for name, pattern in patterns():
        line = long[:HEAD] if name.startswith(("marks.", "frontmatter.")) else long
        found = pattern.match(line)
        assert found is None or found.end() <= len(line)
        if name in looking:
            assert sum(1 for _ in pattern.finditer(line)) <= len(line) + 1


@pytest.mark.parametrize(
    ("text", "prose"),
    [
        ("**a** b", True),
        ("* a", False),
        ("***", False),
        ("#tag", True),
        ("# a", False),
        ("`a`", True),
        ("```", False),
        ("[a](b)", True),
        ("[a]: b", False),
        ("[a", False),
        ("1984 was", True),
        ("1. a", False),
        ("<b>", False),
        ("> a", False),
        ("~a~", True),
        ("+1", True),
        ("-1", True),
        ("__a__", True),
    ],
)
def test_prose_that_begins_with_a_mark(text: str, prose: bool) -> None:
    assert blocks.begins_no_block(text) is prose


@pytest.mark.parametrize(
    ("row", "columns"),
    [("| a | b |", 2), ("a | b", 2), ("|a", 1), ("a \\| b", 1), ("|", 0), ("||", 1), ("a \\|", 1)],
)
def test_the_columns_of_a_table_row_are_counted(row: str, columns: int) -> None:
    assert blocks.columns(row) == columns


def test_a_tab_is_as_wide_as_it_takes_to_the_next_stop() -> None:
    cases = [(" ", 1, 1), ("\t", 1, 3), ("\t", 3, 1), (" \t", 2, 2), ("\t\t", 0, 8)]
    for gap, column, width in cases:
        assert blocks.tab_width(gap, column) == width


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("<!-- a > b", "-->"),
        ("<!DOCTYPE a -- b", ">"),
        ("<? a > b", "?>"),
        ("<![CDATA[ a > b", "]]>"),
    ],
)
def test_each_kind_of_html_ends_with_its_own_mark(text: str, end: str) -> None:
    ends = blocks.html_end(text, starts=True)
    assert ends is not None
    assert not ends.search(text)
    assert ends.search(f"more {end}")


def codes(data: bytes) -> list[tuple[int, str]]:
    return [(problem.line, problem.code) for problem in decode(data).problems]


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("", ()),
        ("a", ("a",)),
        ("a\n", ("a",)),
        ("\n", ("",)),
        ("a\n\nb", ("a", "", "b")),
        ("a\r\nb\rc\n", ("a", "b", "c")),
        ("a\r\r\nb", ("a", "", "b")),
        ("a\u2028b\x0bc\x0cd\x85e\u2029f\x1cg", ("a\u2028b\x0bc\x0cd\x85e\u2029f\x1cg",)),
    ],
)
def test_lines_end_where_markdown_says(text: str, lines: tuple[str, ...]) -> None:
    assert split_lines(text) == lines
    assert decode(text.encode()).lines == lines


def test_bom_is_no_text() -> None:
    assert decode(b"\xef\xbb\xbf# A\r\nb") == (("# A", "b"), ())


@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf16_with_bom(codec: str) -> None:
    bom = b"\xff\xfe" if codec.endswith("le") else b"\xfe\xff"
    assert decode(bom + "Grüße\r\n東京".encode(codec)) == (("Grüße", "東京"), ())


def test_a_byte_that_is_not_utf8_is_read_as_windows_1252_and_told() -> None:
    read = decode("eins\nzwei\ncafé “x”\n".encode("cp1252"))
    assert read.lines == ("eins", "zwei", "café “x”")
    assert [(p.line, p.code) for p in read.problems] == [(3, "encoding")]
    assert "line 3" in read.problems[0].message
    assert "0xe9" in read.problems[0].message


def test_one_bad_byte_spoils_no_other_character() -> None:
    assert decode("東京 ".encode() + b"\xe9 caf\xc3\xa9").lines == ("東京 é café",)


def test_lone_surrogates_become_text_that_encodes() -> None:
    text = decode(b"a\xed\xa0\x80b").lines[0]
    assert text.encode("utf-8").decode() == text


def test_nul_becomes_a_space_with_its_line() -> None:
    assert decode(b"one\ntw\x00o\n") == (("one", "tw o"), decode(b"one\ntw\x00o\n").problems)
    assert codes(b"one\r\ntw\x00o\n") == [(2, "nul")]


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\x00\x00\xff",
        b"%PDF-1.7\n\xff\xfe\x00",
        b"PK\x03\x04\xff",
        bytes(range(256)) * 20,
        random.Random(7).randbytes(5000),
        b"\x00" * 500,
    ],
)
def test_a_binary_file_has_no_lines(data: bytes) -> None:
    assert decode(data).lines == ()
    assert codes(data) == [(1, "binary")]


def test_utf_32_is_not_taken_for_utf_16() -> None:
    found = decode("hello\nworld\n".encode("utf-32"))
    assert (found.lines, [problem.code for problem in found.problems]) == ((), ["binary"])


def test_latin1_prose_with_many_accents_is_text() -> None:
    assert codes("àéîõü ".encode("latin-1") * 500) == [(1, "encoding")]


def test_only_two_mebibytes_are_read_to_the_end_of_a_line() -> None:
    line = b"x" * 99 + b"\n"
    read = decode(line * 30_000)
    assert len(read.lines) == TEXT_LIMIT // 100
    assert set(read.lines) == {"x" * 99}
    assert [(p.line, p.code) for p in read.problems] == [(len(read.lines), "size")]


def test_one_huge_line_is_cut_between_characters() -> None:
    read = decode(b"a" + "é".encode() * TEXT_LIMIT)
    assert [p.code for p in read.problems] == ["size"]
    assert set(read.lines[0]) == {"a", "é"}


def test_huge_utf16_is_cut_between_characters() -> None:
    read = decode(b"\xff\xfe" + "ab\n".encode("utf-16-le") * TEXT_LIMIT)
    assert set(read.lines) == {"ab"}
    assert [p.code for p in read.problems] == ["size"]


def test_two_mebibytes_are_read_and_a_byte_more_is_told() -> None:
    assert decode(b"x" * (2 << 20)).problems == ()
    assert codes(b"x" * ((2 << 20) + 1)) == [(1, "size")]
