"""What the beginning of a line marks, and that no pattern can be made to backtrack."""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer.reading import blocks

READING = Path(blocks.__file__).parent
HEAD = 2_000

MODULES = (
    "block_scanner", "blocks", "decode", "fact_line", "facts", "front_matter", "inline", "markdown",
    "outline", "parse", "path_meaning", "type_words",
)  # fmt: skip
NESTED_BUT_SAFE = {
    "markdown.MARKERS": "each round takes a mark that blanks cannot",
    "outline.MARKERS": "the same",
    "facts.MARKERS": "the same",
    "front_matter._COMPACT": "each round takes a mark that blanks cannot",
    "front_matter._BEFORE": "it looks at 200 characters at most",
    "front_matter._EMPTY_VALUE": "nothing follows it, so it never has to try a second way",
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
                yield from ((f"{module}.{name}", each) for each in value if isinstance(each, re.Pattern))


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
    found = {name for name, pattern in patterns() if nested(parser.parse(pattern.pattern, pattern.flags & ~re.UNICODE))}
    assert found - set(NESTED_BUT_SAFE) == set()


def test_the_rule_sees_a_nested_repeat() -> None:
    parser = importlib.import_module("re._parser")
    assert nested(parser.parse("(a+)+"))
    assert nested(parser.parse("x|(?:y(?:a*|b)c)*"))
    assert not nested(parser.parse("(?:ab){1,5}c+d*"))
    assert len(dict(patterns())) > 40


HARD = ("a", " ", "-", "*", "#", "[", "](", "[[", "(", "<a ", "<a b='", "`", "\\", "|", "[a]: ", "~~", "&", "^a ", ": ")


def searched() -> set[str]:
    """The patterns that look for their beginning all through a text, by the modules' own source."""
    use = re.compile(r"\b(_?[A-Z_]{3,})\.(?:search|finditer|findall|sub|split)\(")
    return {
        f"{module}.{name}" for module in MODULES for name in use.findall((READING / f"{module}.py").read_text("utf-8"))
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
    [("**a** b", True), ("* a", False), ("***", False), ("#tag", True), ("# a", False), ("`a`", True), ("```", False),
     ("[a](b)", True), ("[a]: b", False), ("[a", False), ("1984 was", True), ("1. a", False), ("<b>", False),
     ("> a", False), ("~a~", True), ("+1", True), ("-1", True), ("__a__", True)],
)  # fmt: skip
def test_prose_that_begins_with_a_mark(text: str, prose: bool) -> None:
    assert blocks.is_prose(text) is prose


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
    [("<!-- a > b", "-->"), ("<!DOCTYPE a -- b", ">"), ("<? a > b", "?>"), ("<![CDATA[ a > b", "]]>")],
)
def test_each_kind_of_html_ends_with_its_own_mark(text: str, end: str) -> None:
    ends = blocks.html_end(text, starts=True)
    assert ends is not None
    assert not ends.search(text)
    assert ends.search(f"more {end}")
