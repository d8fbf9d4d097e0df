"""A conversation with a model, over recorded answers: what is right, and that nothing wrong is shown.

The answers were written by somebody who saw only the requests: they show the pipe at its best, and
nothing of any model. `scripts/bench chat --recorded` prints the figures, and says how they change.
"""

from __future__ import annotations

import importlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aurelius.model.read_sentences import SentenceReader
from aurelius.model.request import SentLine
from aurelius.model.sentence_check import sentence_fault

ROOT = Path(__file__).resolve().parents[1]
CASES = ROOT / "tests" / "cases" / "chat"


@pytest.fixture(scope="module")
def bench() -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(ROOT / "scripts")
        yield importlib.import_module("benches.chat_model")


@pytest.fixture(scope="module")
def given(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    found = list(
        bench.answered(CASES, bench.Recorded(CASES / "answers"), tmp_path_factory.mktemp("home"))
    )
    assert len(found) == 80
    return found


def test_recorded_answers_are_right(given: list[Any]) -> None:
    """A request that changed has no answer until `scripts/bench chat --recorded --rekey`, or somebody
    who writes one."""
    known = [each for each in given if not each.missing]
    assert len(known) >= 40
    assert sum(each.is_right for each in known) >= 0.95 * len(known)


def test_no_sentence_stands_without_a_line(given: list[Any]) -> None:
    for each in given:
        for sentence in each.reply.sentences:
            assert sentence.rests_on
            assert all(0 <= at < len(each.reply.lines) for at in sentence.rests_on)


def kept() -> list[dict[str, Any]]:
    return [
        json.loads(file.read_text("utf-8")) for file in sorted((CASES / "answers").glob("*.json"))
    ]


def test_each_answer_says_who_wrote_it() -> None:
    assert {each["author"] for each in kept()} == {"a careful reader who saw only the request"}


def line(name: str, told: str) -> SentLine:
    about, day, text = told.split(" | ", 2)
    return SentLine(name, text, day, about=about)


def changed(text: str, names: list[str]) -> Iterator[str]:
    """A sentence with another number, another name, and a negation more."""
    for number in re.finditer(r"\d+", text):
        yield f"{text[: number.start()]}{int(number[0]) + 7}{text[number.end() :]}"
    for name in names:
        first = name.split()[0]
        if re.search(rf"\b{first}\b", text):
            for other in ("Wilhelmina", "Ostend"):
                yield re.sub(rf"\b{re.escape(name)}\b|\b{first}\b", other, text)
    for verb in re.finditer(r"\b(?:is|was|are|has|had|gets|lives|lived)\b", text):
        yield f"{text[: verb.end()]} never{text[verb.end() :]}"
    yield f"{text.rstrip('.')}, and that cost 4 711 euro."
    yield f"{text.rstrip('.')}, as Wilhelmina told you."
    yield f"{text.rstrip('.')}, unless it rains."


def test_no_sentence_that_was_changed_is_shown() -> None:
    seen = 0
    wrong = []
    for each in kept():
        lines = {name: line(name, told) for name, told in each["lines"].items()}
        names = sorted({one.about for one in lines.values() if one.about})
        reader = SentenceReader(lines)
        for said in [*reader.feed(each["says"]), *reader.end()]:
            rests_on = [lines[name] for name in said.ids]
            for text in changed(said.text, names) if rests_on else ():
                seen += 1
                if not sentence_fault(text, rests_on):
                    wrong.append((text, [one.text for one in rests_on]))
    assert seen >= 300
    assert wrong == []
