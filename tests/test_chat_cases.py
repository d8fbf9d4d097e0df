"""What a conversation answers, and what it takes typed lines for: over cases of hands that saw only
the vaults.

The gates stand a little below what is reached; `scripts/bench chat` prints the figures themselves,
`--held` those of the cases that are kept apart.
"""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "tests" / "cases" / "chat"


@pytest.fixture(scope="module")
def bench() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "scripts")
        yield importlib.import_module("benches.chat")


@pytest.fixture(scope="module")
def given(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    home = tmp_path_factory.mktemp("home")
    found = [each for folder in (CASES, CASES / "second") for each in bench.asked(folder, home)]
    assert len(found) == 120
    return found


def test_answers_stand_in_the_first_three_lines(given: list[Any]) -> None:
    known = [each for each in given if each.is_answerable]
    assert sum(each.stands_first for each in known) >= 64
    assert sum(each.says_it for each in known) >= 69


def test_what_the_notes_do_not_say_is_not_told_as_an_answer(given: list[Any]) -> None:
    unknown = [each for each in given if not each.is_answerable]
    assert sum(not each.reply.found for each in unknown) >= 24


def test_no_answer_stands_without_a_cited_line(given: list[Any]) -> None:
    for each in given:
        assert each.reply.lines or not each.reply.found, each.question["ask"]
        assert len(each.reply.lines) <= (10 if each.question.get("list") else 5)


@pytest.mark.parametrize(("file", "right"), [("said.toml", 109), ("second/said.toml", 107)])
def test_typed_lines_are_taken_for_what_they_are(bench: Any, file: str, right: int) -> None:
    lines = bench.said(CASES / file)
    assert sum(each.is_right for each in lines) >= right
    assert sum(each.does_harm for each in lines) == 0
