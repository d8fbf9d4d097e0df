"""Conversations of other hands (`cases/conversations`): what the person tells in them is kept, and nothing else is.

`AURELIUS_CONVERSATIONS=FILE[:FILE]` scores other files, and `pytest -s` prints what was missed and what was too much.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
CASES = sorted((ROOT / "tests" / "cases" / "conversations").glob("*.toml"))


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "scripts")
        bench = importlib.import_module("benches.conversations")
        named = os.environ.get("AURELIUS_CONVERSATIONS")
        files = [Path(each) for each in named.split(os.pathsep)] if named else CASES
        rows = bench.run(files, tmp_path_factory.mktemp("conversations"))
        score = bench.score([each for told in rows.values() for each in told])
        print("\n".join(bench.lines(score)))  # noqa: T201  for whoever scores another file
        return score


def test_what_is_kept_is_not_worth_it(found: Any) -> None:
    assert found.precision >= 0.9, found.wrong


def test_what_is_worth_keeping_is_not_kept(found: Any) -> None:
    assert found.recall >= 0.8, found.missed


def test_something_is_kept_that_never_should_be(found: Any) -> None:
    assert not found.never


def test_words_of_the_assistant_of_a_tool_or_of_a_pasted_text_are_kept(found: Any) -> None:
    assert not found.others


def test_a_line_is_kept_about_the_wrong_page(found: Any) -> None:
    right, of = found.abouts
    assert right >= 0.75 * of


def test_a_new_value_leaves_the_old_one_or_takes_the_place_of_another(found: Any) -> None:
    right, of, wrong = found.replaced
    assert right >= 0.5 * of
    assert wrong <= 0.05 * found.kept


@pytest.mark.parametrize(
    ("folder", "precise", "complete"), [("messages", 0.85, 0.65), ("held/messages", 0.78, 0.68)]
)
def test_little_is_kept_of_single_messages_or_what_is_kept_is_not_worth_it(
    folder: str, precise: float, complete: float
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "scripts")
        bench = importlib.import_module("benches.conversations_fit")
        ((_, rows),) = bench.measure([ROOT / "tests" / "cases" / folder], ROOT, anew=False)
    *_, precision, _, recall, _ = rows[-1]
    assert float(precision) >= precise, rows
    assert float(recall) >= complete, rows
