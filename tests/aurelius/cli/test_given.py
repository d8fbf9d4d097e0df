from __future__ import annotations

import datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from aurelius.cli.given import days, form_of, relative, span, this_day
from indexer.catalog.filters import Filters
from indexer.errors import UsageError

NOON = datetime.datetime(2026, 2, 1, 12, tzinfo=datetime.UTC)
CONTEXT = cast("Any", SimpleNamespace(clock=lambda: NOON))


def given(**named: Any) -> SimpleNamespace:
    return SimpleNamespace(**({"on": None, "since": None, "until": None} | named))


def test_two_forms_at_once_are_refused() -> None:
    assert form_of(given(json=False, md=True), "json", "md") == "md"
    assert form_of(given(json=False, md=False), "json", "md") == ""
    with pytest.raises(UsageError, match="--json and --md cannot go together"):
        form_of(given(json=True, md=True), "json", "md")


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ({}, (None, None)),
        ({"on": "2026-01"}, ("2026-01-01", "2026-01-31")),
        ({"since": "yesterday"}, ("2026-01-31", None)),
        ({"since": "2026-01", "until": "2026-01"}, ("2026-01-01", "2026-01-31")),
    ],
)
def test_a_span_is_from_the_first_day_named_to_the_last(asked: dict[str, str], meant: tuple[str, str]) -> None:
    assert span(given(**asked), CONTEXT) == meant


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"on": "2026-01", "since": "2026"}, "--on"),
        ({"since": "2026-02", "until": "2026-01"}, "--since 2026-02-01 is later than --until 2026-01-31"),
        ({"since": "gestern"}, "--since: "),
    ],
)
def test_a_span_that_cannot_be_is_refused_with_its_option(asked: dict[str, str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        span(given(**asked), CONTEXT)


def test_words_are_days_by_the_clock_of_the_command() -> None:
    assert this_day(CONTEXT) == "2026-02-01"
    assert days("--due", "this month", CONTEXT) == ("2026-02-01", "2026-02-28")


def test_a_whole_path_is_made_one_of_the_vault(tmp_path: Any) -> None:
    (tmp_path / "people").mkdir()
    assert relative(Filters(folder=str(tmp_path / "people")), str(tmp_path)).folder == "people"
    assert relative(Filters(folder="people"), str(tmp_path)).folder == "people"
