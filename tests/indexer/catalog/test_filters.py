"""Conditions on front matter."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.catalog.filters import parse_condition, where_holds
from indexer.errors import UsageError
from tests.daily import daily


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("status = active", ("status", "=", "active")),
        ("status=active", ("status", "=", "active")),
        ("status == active", ("status", "=", "active")),
        ("rating >= 4", ("rating", ">=", "4")),
        ("rating<4", ("rating", "<", "4")),
        ("author.name ~ joe", ("author.name", "~", "joe")),
        ("due date != 2026-02-01", ("due date", "!=", "2026-02-01")),
        ('title = "a = b"', ("title", "=", "a = b")),
        ("note = ''", ("note", "=", "")),
        ("rating", ("rating", "has", "")),
        ("état ~ prêt", ("état", "~", "prêt")),
    ],
)
def test_condition_is_read_as_key_operator_and_value(
    text: str, expected: tuple[str, str, str]
) -> None:
    assert parse_condition(text) == expected


@pytest.mark.parametrize("text", ["", " ", "=", "= x", "a =", "<", "~ ~"])
def test_what_is_no_condition_is_a_usage_error(text: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_condition(text)
    assert "status = active" in error.value.hint
    assert error.value.exit_code == 2


@pytest.mark.parametrize(
    ("text", "near"),
    [
        ("rating => 7", ">="),
        ("rating=<7", "<="),
        ("a <> b", "!="),
        ("a =! b", "!="),
        ("a =~ b", "~"),
        ("a === b", "="),
    ],
)
def test_a_mistyped_operator_is_named_with_the_one_that_was_meant(text: str, near: str) -> None:
    with pytest.raises(UsageError, match="is no operator") as error:
        parse_condition(text)
    assert error.value.hint.startswith(f"did you mean {near}?")
    assert parse_condition('a = ">= b"') == ("a", "=", ">= b")


@pytest.mark.parametrize(
    ("front_matter", "condition", "holds"),
    [
        ({"rating": 10}, "rating > 9", True),
        ({"rating": "10"}, "rating > 9", True),
        ({"rating": 4.5}, "rating <= 4.5", True),
        ({"rating": 4.5}, "rating < 4.5", False),
        ({"rating": 4}, "rating = 4.0", True),
        ({"date": "2026-02-14"}, "date >= 2026-02-01", True),
        ({"date": "2026-02-14"}, "date = 2026-02", True),
        ({"date": "2026-02-14"}, "date <= 2026-02", True),
        ({"date": "2026-03-01"}, "date <= 2026-02", False),
        ({"date": "2026-02-14T10:00:00"}, "date = 2026-02-14", True),
        ({"Status": "Active"}, "status = ACTIVE", True),
        ({"status": "active"}, "status ~ TIV", True),
        ({"status": "active"}, "status = act", False),
        ({"tags": ["a", "b"]}, "tags = b", True),
        ({"tags": ["a", "b"]}, "tags = c", False),
        ({"tags": ["alpha", "beta"]}, "tags ~ et", True),
        ({"tags": ["a", "b"]}, "tags != b", False),
        ({"tags": ["a"]}, "tags != b", True),
        ({}, "tags != b", True),
        ({}, "tags = b", False),
        ({}, "tags", False),
        ({"tags": []}, "tags", False),
        ({"tags": None}, "tags", False),
        ({"rating": 0}, "rating", True),
        ({"done": False}, "done", True),
        ({"done": True}, "done = yes", True),
        ({"done": False}, "done = true", False),
        ({"done": True}, "done = 1", False),
        ({"done": True}, "done != true", False),
        ({"author": {"name": "Joe"}}, "author.name = joe", True),
        ({"author.name": "Joe"}, "author.name = joe", True),
        ({"author": [{"name": "Ann"}, {"name": "Joe"}]}, "author.name = joe", True),
        ({"author": {"name": {"first": "Joe"}}}, "author.name.first ~ o", True),
        ({"author": "Joe"}, "author.name = joe", False),
        ({"author": {"name": "Joe"}}, "author = joe", False),
        ({"author": {"name": "Joe"}}, "author", True),
        ({"phase": "beta"}, "phase > alpha", True),
        ({"version": "1e5"}, "version = 100000", False),
        ({1: "x"}, "1 = x", True),
    ],
)
def test_front_matter_meets_a_condition_or_not(
    front_matter: dict[object, object], condition: str, holds: bool
) -> None:
    assert where_holds(front_matter, parse_condition(condition)) is holds  # type: ignore[arg-type]  # YAML has keys that are not text


@settings(max_examples=daily(80, 200))
@given(
    st.text(max_size=30),
    st.dictionaries(st.text(max_size=5), st.text(max_size=10) | st.integers() | st.none()),
)
def test_any_text_is_a_condition_or_a_usage_error(
    text: str, front_matter: dict[str, object]
) -> None:
    try:
        condition = parse_condition(text)
    except UsageError:
        return
    assert where_holds(front_matter, condition) in {True, False}


@pytest.mark.parametrize("text", [" " * 1_000_000, "=" * 1_000_000, "a" * 1_000_000 + " ="])
def test_a_message_does_not_repeat_a_megabyte(text: str) -> None:
    with pytest.raises(UsageError) as error:
        parse_condition(text)
    assert len(error.value.message) < 200


@pytest.mark.parametrize(
    "text", ["a" * 1_000_000, "a = " + "1" * 1_000_000, "a ~ " + " x" * 500_000]
)
def test_a_condition_of_a_megabyte_is_compared(text: str) -> None:
    assert not where_holds({"a": "x" * 1000}, parse_condition(text))


def test_an_empty_value_is_not_there_and_an_equal_one_is_not_more() -> None:
    assert not where_holds({"state": ""}, ("state", "has", ""))
    assert where_holds({"state": ["", "open"]}, ("state", "has", ""))
    assert not where_holds({"rating": 4}, ("rating", ">", "4"))
    assert not where_holds({"rating": 4}, ("rating", "<", "4"))


@pytest.mark.parametrize(
    ("written", "condition", "holds"),
    [
        ("[[Obsidian]]", "org = Obsidian", True),
        ("[[Obsidian]]", "org = [[Obsidian]]", True),
        ("[[Obsidian]]", "org != obsidian", False),
        ("[[Obsidian|the app]]", "org = Obsidian", True),
        ("[[Obsidian|the app]]", "org = the app", True),
        ("[[tools/Obsidian]]", "org = Obsidian", True),
        ("[[tools/Obsidian]]", "org = tools/obsidian", True),
        ("[[tools/Obsidian]]", "org = [[Obsidian]]", True),
        ("[[tools/Obsidian]]", "org = [[other/Obsidian]]", False),
        ("[[tools/Obsidian#Plugins]]", "org = Obsidian", True),
        ("[Obsidian](../tools/Obsidian%20App.md)", "org = Obsidian App", True),
        (["[[Notion]]", "[[Obsidian]]"], "org = Obsidian", True),
        (["[[Notion]]", "[[Obsidian]]"], "org != Obsidian", False),
        ([["Obsidian"]], "org = Obsidian", True),
        ([["tools/Obsidian|app"]], "org = Obsidian", True),
        ([[["A"]], [["tools/Obsidian"]]], "org = obsidian", True),
        ("[[Obsidian]]", "org ~ sidi", True),
        ("[[Obsidian]] and [[Notion]]", "org = Obsidian", False),
        ("[[2026-02-14]]", "org >= 2026-02", True),
        ("[[7]]", "org < 10", True),
        ("Obsidian", "org = [[Obsidian]]", True),
        ("[[]]", "org = Obsidian", False),
    ],
)
def test_a_link_in_front_matter_is_compared_by_what_it_names(
    written: Any, condition: str, holds: bool
) -> None:
    assert where_holds({"org": written}, parse_condition(condition)) is holds


def test_front_matter_wins_over_what_is_known_of_a_note_besides() -> None:
    own = {"tags": ["body"], "title": "Kyoto"}
    assert where_holds({}, parse_condition("tags = body"), own)
    assert where_holds({}, parse_condition("Title ~ kyo"), {"Title": "Kyoto"})
    assert not where_holds({"tags": ["front"]}, parse_condition("tags = body"), own)
    assert not where_holds({"title": ""}, parse_condition("title"), own)
    assert not where_holds({}, parse_condition("title"))
