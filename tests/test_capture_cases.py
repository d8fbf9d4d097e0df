"""What a person says, in cases of hands that saw no program code (`cases/capture`): whole sentences are kept, what is
corrected is asked about, and no line is struck that nobody gave another value.

`AURELIUS_CAPTURE=FOLDER` scores another folder, and `pytest -s` prints what became of each case.
"""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[1]
CASES = Path(os.environ.get("AURELIUS_CAPTURE", ROOT / "tests" / "cases" / "capture"))
FEW = 16
"""Sessions of grammars that are held where lines may be replaced."""


@pytest.fixture(scope="module")
def bench() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "scripts")
        yield importlib.import_module("benches.capture")


@pytest.fixture
def place(bench: Any, tmp_path: Path) -> Any:
    return bench.Place(tmp_path)


def test_a_message_loses_a_sentence_or_talk_is_kept(bench: Any, place: Any) -> None:
    counts = bench.messages(CASES / "messages.toml", place).counts
    assert counts["right"] >= 0.9 * counts["lines"], counts
    assert counts["found"] >= 0.75 * counts["worth"], counts
    assert counts["typed"] >= 0.7 * counts["found"], counts
    assert counts["never"] <= 1


def test_an_example_is_cut_lost_or_has_another_type(bench: Any, place: Any) -> None:
    file = CASES / "seeds.toml"
    counts = bench.messages(file, place, bench.vault_of(file)).counts
    assert (counts["found"], counts["typed"]) >= (24, 24), counts
    assert counts["right"] == counts["lines"]


def test_a_cue_word_replaces_a_line_or_the_same_sentence_does_not(bench: Any, place: Any) -> None:
    found = bench.replacements(CASES / "replacements.toml", place)
    assert found.counts["wrongly"] == 0, found.shown
    assert found.counts["replaced"] >= 0.9 * found.counts["same"], found.shown


@pytest.mark.parametrize("captured", [False, True])
def test_a_correction_asks_nothing_or_anything_does(bench: Any, place: Any, captured: bool) -> None:
    found = bench.corrections(CASES / "corrections.toml", place, captured=captured)
    assert found.counts["struck"] == 0
    assert found.counts["real"] >= 0.68 * found.counts["true"], found.shown
    assert found.counts["real"] >= 0.65 * found.counts["asked"], found.shown


def test_a_session_with_apply_replaces_a_line_by_another_sentence(bench: Any, place: Any) -> None:
    found = bench.sessions(ROOT, place, FEW, "apply")
    assert found.counts["lines"] > FEW
    assert found.counts["other"] == 0, found.shown
