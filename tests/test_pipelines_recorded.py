"""The lines that a model chooses for prompts, and the sentences that it names, over recorded answers.

The answers were written by somebody who saw only the requests: they show the pipe at its best, and
nothing of any model. A request that changed has none until `scripts/bench pipelines --rekey`, or
somebody who writes one; its case is left out here.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
ANSWERS = ROOT / "tests" / "cases" / "pipelines" / "answers"


@pytest.fixture(scope="module")
def bench() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "scripts")
        yield importlib.import_module("benches.pipelines_model")


@pytest.fixture(scope="module")
def known(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    asker = bench.Asker(bench.Recorded(ANSWERS))
    found = bench.piped(asker, tmp_path_factory.mktemp("home"))
    assert len(found.prompts) == 84
    assert len(found.talks) == 20
    return found.known(asker)


def test_what_a_prompt_needs_is_chosen(known: Any) -> None:
    need, met, _, _ = known.figures
    assert met >= 0.92 * need


def test_what_needs_nothing_gets_nothing(known: Any) -> None:
    _, _, needless, some = known.figures
    assert some <= 0.1 * needless


def test_what_is_worth_keeping_is_kept_and_nothing_else(bench: Any, known: Any) -> None:
    score = bench.conversations.score(known.talks)
    assert score.precision >= 0.95
    assert score.recall >= 0.88
    assert not score.never
    assert not score.others


def test_each_answer_says_who_wrote_it() -> None:
    kept = [json.loads(file.read_text("utf-8")) for file in ANSWERS.glob("*.json")]
    assert {each["author"] for each in kept} == {"a careful reader who saw only the request"}
