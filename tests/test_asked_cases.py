"""Questions with the days and the people they name, written down before the code that reads them: `tests/cases`.

Half of them name none.  All are asked, and how many were read right is held.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from indexer.search.asked import days_asked
from indexer.search.query import (
    clean_query,
    may_ask_for_tasks,
    may_be_said,
    may_name_a_day,
    may_name_a_person,
)
from indexer.search.speaker import said_by

CASES = Path(__file__).parent / "cases"


def cases(name: str) -> list[dict[str, Any]]:
    return list(tomllib.loads((CASES / f"{name}.toml").read_text(encoding="utf-8"))["case"])


def test_the_days_of_a_question_are_read_and_none_are_invented() -> None:
    missed: list[object] = []
    invented: list[object] = []
    found = cases("asked_days")
    assert [bool(each["first"]) for each in found].count(True) == 68
    assert len(found) == 122
    for each in found:
        days = days_asked(each["question"], each["now"]).days
        wanted = (each["first"], each["last"]) if each["first"] else None
        if days != wanted:
            (missed if wanted else invented).append((each["question"], wanted, days))
        assert may_name_a_day(each["question"]) or not wanted, each["question"]
    assert missed == []
    assert invented == []


def test_a_list_of_tasks_is_given_to_who_asks_for_one_and_to_nobody_else() -> None:
    missed: list[object] = []
    invented: list[object] = []
    found = cases("asked_tasks")
    assert [("first" in each) for each in found].count(True) == 22
    assert len(found) == 44
    for each in found:
        question = each["question"]
        tasks = days_asked(question, "2026-02-11").tasks
        told = tasks and (tasks.first, tasks.last, [*tasks.about])
        wanted = None
        if "first" in each:
            wanted = (each["first"], each["last"], [word.lower() for word in each.get("about", [])])
            assert may_ask_for_tasks(question) or may_name_a_day(question), question
        if told != wanted:
            (missed if wanted else invented).append((question, wanted, told))
    assert missed == []
    assert invented == []


@pytest.mark.parametrize(
    ("question", "is_read"),
    [
        ("what is still open?", True),
        ("what is still  open?", True),
        ("which notes did I open lately?", False),
        ("how do I open a bank account?", False),
    ],
)
def test_to_open_something_is_no_question_for_tasks(question: str, is_read: bool) -> None:
    assert may_ask_for_tasks(question) is is_read
    assert bool(days_asked(question, "2026-02-11").tasks) is is_read


def test_a_line_is_that_of_a_person_whom_the_question_names_and_of_nobody_else() -> None:
    missed: list[object] = []
    invented: list[object] = []
    found = cases("speakers")
    assert [each["spoken"] for each in found].count(True) == 30
    assert len(found) == 60
    for each in found:
        if (said_by(each["line"], each["question"]) > 0) != each["spoken"]:
            (missed if each["spoken"] else invented).append((each["line"], each["question"]))
    assert missed == []
    assert invented == []


def test_a_line_that_a_person_says_is_never_passed_over_unread() -> None:
    for each in cases("speakers"):
        words = clean_query(each["question"]).words
        assert may_be_said(each["line"], words) or not each["spoken"], each["line"]
        assert may_name_a_person(each["question"]) or not each["spoken"], each["question"]
    assert not may_be_said("The cello of Ana\nneeds strings", ("ana", "cello"))
    assert not may_be_said("Ben: a cello", ("ana",))
    assert not may_be_said(
        "a long line before the first colon, which is no label of any person: ana", ("ana", "long")
    )
    assert may_be_said("first\n- [10:32] Ana: a cello", ("ana",))
    assert not may_name_a_person("cello strings")
