"""Of what is wrong as much is shown as can be read at once, and some of every kind."""

from __future__ import annotations

import ast
import json

import pytest

from aurelius.answers.doctor_links import _LINK_FIXES
from aurelius.answers.finding import HABITS, HEADINGS, SHOWN, Checked, Finding, select
from aurelius.show import json_text
from tests.reading_sources import parsed, product

CHECKED = [Checked("vault", "/home/me/notes (this folder)")]


def made(code: str, count: int, message: str = "it is wrong") -> list[Finding]:
    return [Finding(f"{code}/{number}.md", 1, code, message, "mend it") for number in range(count)]


def test_every_kind_is_shown_where_one_of_them_has_thousands() -> None:
    found = select([*made("broken-link", 5000), *made("conflict", 1), *made("nul", 3)])
    assert found.counts == {"nul": 3, "conflict": 1, "broken-link": 5000}
    assert [each.code for each in found.shown] == ["nul"] * 3 + ["conflict"] + ["broken-link"] * (SHOWN - 4)
    assert found.truncated == 5004 - SHOWN


@pytest.mark.parametrize("long", [1, 200, 2_000, 20_000])
def test_the_answer_can_be_read_by_an_agent_whatever_the_findings_say(long: int) -> None:
    rows = [each for code in HEADINGS for each in made(code, 100, "word " * (long // 5))]
    found = select(rows)
    assert len(json_text.findings(found, CHECKED)) < 16_000
    assert found.truncated == len([each for each in rows if each.code not in HABITS]) - len(found.shown)


def test_one_finding_too_long_to_be_shown_does_not_hide_the_others() -> None:
    long, short = made("conflict", 1, "word " * 10_000), made("nul", 2)
    assert select([*long, *short]).shown == tuple(short)


def test_a_number_and_all_are_followed() -> None:
    rows = [*made("conflict", 50), *made("broken-link", 500, "word " * 1000)]
    assert len(select(rows, limit=100).shown) == 100
    assert (len(select(rows, limit=0).shown), select(rows, limit=0).truncated) == (550, 0)
    assert (len(select(rows, limit=1).shown), select(rows, limit=1).truncated) == (1, 549)


def test_only_the_kinds_that_are_asked_for_are_shown_and_counted() -> None:
    found = select([*made("conflict", 2), *made("nul", 1)], ["nul"])
    assert [each.code for each in found.shown] == ["nul"]
    assert (found.counts, found.truncated, found.faulty) == ({"nul": 1}, 0, True)
    assert not select(made("conflict", 2), ["nul"]).faulty


def test_links_to_notes_not_written_yet_are_counted_listed_on_request_and_no_fault() -> None:
    rows = made("unwritten", 9)
    found = select(rows)
    assert (found.counts, found.shown, found.truncated, found.faulty) == ({"unwritten": 9}, (), 0, False)
    asked = select(rows, ["unwritten"])
    assert (len(asked.shown), asked.faulty) == (9, False)
    assert select([*rows, *made("nul", 1)]).faulty


def test_two_findings_that_are_equal_in_all_but_the_line_are_both_shown() -> None:
    rows = [each._replace(path="a.md", line=line) for line, each in enumerate(made("nul", 3))]
    assert select(rows).shown == tuple(rows)


def test_every_code_has_a_heading() -> None:
    codes = set(_LINK_FIXES)
    for path, text in product().items():
        if path.startswith(("aurelius/answers/doctor", "indexer/reading/")):
            for node in ast.walk(parsed(text)):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in PLACES:
                    code = node.args[PLACES[node.func.id]]
                    codes |= {code.value} if isinstance(code, ast.Constant) and isinstance(code.value, str) else set()
    assert {"conflict", "duplicate-id", "log-link", "not-indexed"} < codes
    assert codes - HEADINGS.keys() == set()


PLACES = {"Finding": 2, "Problem": 1}
"""Which argument of each is a code."""


def test_json_has_the_counts_and_what_is_not_shown() -> None:
    told = json.loads(json_text.findings(select([*made("nul", 2), *made("unwritten", 1)], limit=1), CHECKED))
    assert (told["counts"], len(told["findings"]), told["truncated"]) == ({"nul": 2, "unwritten": 1}, 1, 1)
