"""Front matter, the bold header and Logseq's properties; hostile YAML."""

from __future__ import annotations

import json
from typing import Any

import pytest

from indexer.note import Problem
from indexer.reading import front_matter
from indexer.reading.front_matter import FrontMatter


def read(text: str) -> FrontMatter:
    return front_matter.read_front_matter(text.split("\n"))


def values(text: str) -> dict[str, Any]:
    return dict(read(f"---\n{text}\n---\nbody").values)


def test_values_and_the_lines_they_take() -> None:
    front = read("---\ntype: person\naliases: [Joe, J. Bloggs]\n---\n# Joe")
    assert front == FrontMatter({"type": "person", "aliases": ["Joe", "J. Bloggs"]}, 4)


@pytest.mark.parametrize(
    "text", ["", "# Joe", "--- a\nb\n---", "\n---\na: b\n---", "-- -\na: 1\n---"]
)
def test_no_front_matter(text: str) -> None:
    assert read(text) == FrontMatter({})


def test_three_dots_close_it_and_an_empty_one_is_fine() -> None:
    assert read("---\na: 1\n...\nx").lines == 3
    assert read("---\n---\nx") == FrontMatter({}, 2)
    assert read("---\n# only a comment\n---\nx") == FrontMatter({}, 3)


def test_values_are_what_json_knows() -> None:
    front = values(
        "day: 2026-02-01\nat: 2026-02-01 10:30:00\ninf: .inf\nnan: .nan\n"
        "2026-01-01: k\n1: one\nnull: none\ntrue: t\nnested: {a: [1, 2.5, true, null]}\nint: !!int 7\ntext: !!str 7"
    )
    assert json.loads(json.dumps(front, allow_nan=False)) == {
        "day": "2026-02-01",
        "at": "2026-02-01 10:30:00",
        "inf": ".inf",
        "nan": ".nan",
        "2026-01-01": "k",
        "1": "one",
        "null": "none",
        "true": "t",
        "nested": {"a": [1, 2.5, True, None]},
        "int": 7,
        "text": "7",
    }


@pytest.mark.parametrize(
    ("yaml", "line"),
    [
        ("a: b\ntitle: x: y", 3),
        ("a: [1, 2", 3),
        ("a: b\n\tc: d", 3),
        ("a: {{date}}", 2),
        ("a: *nothing", 2),
        ("a: !!python/object/apply:os.system ['true']", 2),
        ("a: @x", 2),
        ("a: !secret x", 2),
        ("- a\n- b", 2),
        ("just text", 2),
    ],
)
def test_broken_yaml_is_told_with_its_line_and_stays_text(yaml: str, line: int) -> None:
    front = read(f"---\n{yaml}\n---\nbody")
    assert front.broken
    assert [(problem.line, problem.code) for problem in front.problems] == [(line, "front-matter")]
    assert front.lines == yaml.count("\n") + 3


@pytest.mark.parametrize(
    "value", ["!!bool 25:61", "!!int x", "!!timestamp x", "!!float ''", "!!bool [a]", "!!binary é"]
)
def test_a_value_that_is_not_of_its_tag_is_told_and_the_lines_are_read(value: str) -> None:
    found = front_matter.read_front_matter(["---", f"odd: {value}", "title: Tea", "---"])
    assert (found.lines, found.values["title"]) == (4, "Tea")
    assert len(found.problems) == 1


def test_entries_of_broken_yaml_are_read_all_the_same() -> None:
    front = read(
        '---\ntitle: "A: b"\nbad: x: y\nprivate: true\ntags: [a, b]\naliases:\n  - N\nr: 4\n---\n'
    )
    assert front.broken
    assert front.values["private"] is True
    assert front.values["title"] == "A: b"
    assert front.values["bad"] == "x: y"
    assert front.values["tags"] == ["a", "b"]
    assert front.values["aliases"] == ["N"]
    assert front.values["r"] == 4


@pytest.mark.parametrize(
    ("entry", "key", "value"),
    [
        ("a: @x", "a", "@x"),
        ("a: %5", "a", "%5"),
        ("a: ***", "a", "***"),
        ("a: *other", "a", "*other"),
        ("a: !secret x", "a", "!secret x"),
        ('a: "open', "a", '"open'),
        ("a: [one, @two]", "a", "one, @two"),
        ("a: [one, two", "a", "one, two"),
        ("a: > text", "a", "> text"),
        ("a: & b", "a", "& b"),
        ("a: {{date}", "a", "{{date}"),
        ("a:\n  - one\n  - @two\n  - 'three", "a", ["one", "@two", "'three"]),
        ("a:\n\t- one\n\t- two", "a", ["one", "two"]),
        ("Größe: x: y", "Größe", "x: y"),
        ('"a b": x: y', "a b", "x: y"),
        ("a: {{date}}", "a", "{{date}}"),
    ],
)
def test_what_yaml_cannot_read_is_text_as_typed_and_loses_nothing_else(
    entry: str, key: str, value: object
) -> None:
    front = read(f"---\ntags:\n  - t\n{entry}\naliases:\n- N\n10:30: 10:30\n---\nbody")
    assert front.broken
    assert front.values == {"tags": ["t"], key: value, "aliases": ["N"], "10:30": "10:30"}


def test_entries_that_are_all_indented_are_read_one_by_one() -> None:
    assert read("---\n  a: @x\n  tags:\n    - t\n---").values == {"a": "@x", "tags": ["t"]}


def test_front_matter_of_a_hundred_thousand_invalid_entries_is_read_in_part() -> None:
    front = read("---\n" + "a: b: c\n" * 2000 + "last: x\n" * 100_000 + "---")
    assert front.values == {"a": "b: c"}


def test_of_a_key_that_broken_yaml_has_twice_the_first_counts() -> None:
    assert (
        front_matter.read_front_matter(
            ["---", "type: person", "type: company", "a: [", "---"]
        ).values["type"]
        == "person"
    )


@pytest.mark.parametrize("said", [("true", "false"), ("false", "true")])
def test_a_note_that_says_private_twice_is_private_if_either_says_so(said: tuple[str, str]) -> None:
    lines = ["---", *(f"private: {each}" for each in said), "---"]
    assert not front_matter.read_front_matter(lines).broken
    assert front_matter.is_top_private(lines)


def test_front_matter_that_is_not_closed_is_told_and_read() -> None:
    front = read("---\nprivate: true\n\ntext")
    assert front.lines == 0
    assert front.values == {"private": True}
    assert [problem.code for problem in front.problems] == ["front-matter"]
    assert read("---\n\ntext") == FrontMatter({})


def deep(levels: int) -> str:
    return "\n".join(" " * level + "a:" for level in range(levels))


@pytest.mark.parametrize(
    "yaml",
    [
        "a: " + "[" * 21 + "]" * 21,
        "a: " + "{a: " * 21 + "1" + "}" * 21,
        deep(25),
        "a:\n" + "- " * 25 + "x",
        "? " * 25 + "x",
        "a: &a [x]\nb: *a",
        "a: &a {x: 1}\nb:\n  <<: *a",
        "<<: {x: 1}",
        "k: " + "x" * front_matter.SIZE_LIMIT,
        "a: &a [x,x,x]\n"
        + "\n".join(
            f"{chr(98 + n)}: &{chr(98 + n)} [{','.join(['*' + chr(97 + n)] * 9)}]" for n in range(9)
        ),
    ],
    ids=[
        "flow",
        "braces",
        "block",
        "dashes",
        "keys",
        "alias",
        "merge",
        "lone merge",
        "size",
        "bomb",
    ],
)
def test_what_yaml_is_not_given(yaml: str, monkeypatch: pytest.MonkeyPatch) -> None:
    load = front_matter._load

    def parsed(source: str) -> tuple[dict[str, Any], Problem | None]:
        assert (
            source == "private: true" or source.startswith("a: &a [x") or source == "a: &a {x: 1}"
        )
        return load(source)

    monkeypatch.setattr(front_matter, "_load", parsed)
    front = read(f"---\nprivate: true\n{yaml}\n---\nbody")
    assert front.broken
    assert front.values["private"] in {True, "true"}
    assert [problem.code for problem in front.problems] == ["front-matter"]


def test_stars_that_are_no_aliases_are_fine() -> None:
    assert values('a: "5 * 3"\nb: |\n  * item\n  *x*\nc: a*b') == {
        "a": "5 * 3",
        "b": "* item\n*x*\n",
        "c": "a*b",
    }


def test_twenty_levels_are_read() -> None:
    assert read(f"---\na: {'[' * 19}{']' * 19}\n---").problems == ()


def header(text: str) -> dict[str, Any]:
    return front_matter.header(text.split("\n"), 0)


def test_the_bold_header_of_the_seed() -> None:
    text = "# Joe\n\n**Type:** Person\n**Category:** Area\n**Last Updated:** 2026-02-01\n\n## Facts\n**Type:** no"
    assert header(text) == {"type": "Person", "category": "Area", "last_updated": "2026-02-01"}


def test_the_bold_header_in_its_other_spellings() -> None:
    assert header("**Type**: Person | **Status:** active") == {"type": "Person", "status": "active"}
    assert header("Joe\n===\n**Type:** Person") == {}
    assert header("# Joe\n**Note:** this is prose\n**Type:** Person") == {}
    assert header("# Joe\nSome prose.\n\n**Type:** Person") == {}


def test_logseq_page_properties() -> None:
    assert header("alias:: a, b\ntitle:: X\nfoo:: bar\n\n- text") == {"alias": "a, b", "title": "X"}
    assert header("- tags:: [[x]], y\n- text\n- type:: no") == {"tags": "[[x]], y"}


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("2026-02-01", "2026-02-01"),
        ("2026-02-01T10:00:00Z", "2026-02-01"),
        ("2026/2/1", "2026-02-01"),
        ("[[2026-02-01]]", "2026-02-01"),
        ("February 1, 2026", "2026-02-01"),
        ("1 Feb 2026", "2026-02-01"),
        ("Feb 1st, 2026", "2026-02-01"),
        (20260201, "2026-02-01"),
        (1769904000000, "2026-02-01"),
        ("1769904000000", "2026-02-01"),
        ("2026-02-30", None),
        ("Foo 1, 2026", None),
        ("soon", None),
        (True, None),
        (7, None),
        (None, None),
        ([], None),
    ],
)
def test_a_value_of_front_matter_is_read_as_a_day_or_not_at_all(
    value: object, day: str | None
) -> None:
    assert front_matter.parse_day(value) == day


def test_a_value_of_front_matter_is_read_as_a_list_of_words() -> None:
    assert front_matter.split_words("a, b ,, a") == ("a", "b")
    assert front_matter.split_words(["a", 1, None, {"x": 1}, "[[b c]]", '"d"']) == (
        "a",
        "1",
        "b c",
        "d",
    )
    assert (
        front_matter.split_words(True)
        == front_matter.split_words(None)
        == front_matter.split_words({})
        == ()
    )
    assert front_matter.split_words(2026) == ("2026",)
