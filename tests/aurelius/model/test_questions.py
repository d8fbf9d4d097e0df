"""Questions within their time: what fails is the last, the same is not asked twice, a dry run sends nothing."""

from __future__ import annotations

from collections.abc import Iterator
from threading import Event
from time import monotonic

from aurelius.model.connection import Stop, UnansweredError
from aurelius.model.endpoint import Ended, ModelEvent, ModelText
from aurelius.model.questions import Questions
from aurelius.model.request import ModelRequest, ModelTurn, canonical

ONE = ModelRequest("one", (ModelTurn("user", "?"),))
OTHER = ModelRequest("other", (ModelTurn("user", "?"),))


class Fake:
    """An endpoint that says what it is told to say, each once; None is nothing until it is stopped."""

    def __init__(self, *said: str | UnansweredError | None) -> None:
        self.said = [*said]
        self.asked: list[ModelRequest] = []

    def stream(self, request: ModelRequest, stop: Stop) -> Iterator[ModelEvent]:
        self.asked.append(request)
        said = self.said.pop(0)
        if isinstance(said, UnansweredError):
            raise said
        if said is None:
            stopped = Event()
            stop.when_set(stopped.set)
            stopped.wait(10)
            yield Ended("stopped")
            return
        yield ModelText(said)
        yield Ended("done")

    def sent(self, request: ModelRequest) -> str:
        return canonical(request)


def test_an_answer_comes_with_its_step() -> None:
    asks = Questions(Fake("yes"), 5)
    assert asks.ask(ONE) == "yes"
    assert [(each["sent"], each["said"]) for each in asks.steps] == [(canonical(ONE), "yes")]


def test_the_same_question_is_asked_once() -> None:
    fake = Fake("yes")
    asks = Questions(fake, 5)
    assert [asks.ask(ONE), asks.ask(ONE)] == ["yes", "yes"]
    assert len(fake.asked) == 1


def test_what_is_late_is_stopped_and_nothing_is_asked_after_it() -> None:
    fake = Fake(None, "yes")
    asks = Questions(fake, 0.05)
    began = monotonic()
    assert asks.ask(ONE) == ""
    assert monotonic() - began < 5
    assert asks.ask(OTHER) == ""
    assert asks.why == "the model did not answer in time"
    assert len(fake.asked) == 1
    assert asks.steps[0]["why"] == asks.why


def test_what_fails_is_the_last() -> None:
    fake = Fake(UnansweredError("no"), "yes")
    asks = Questions(fake, 5)
    assert [asks.ask(ONE), asks.ask(OTHER), asks.why] == ["", "", "no"]


def test_a_dry_run_sends_nothing_and_shows_what_it_would() -> None:
    fake = Fake("yes")
    asks = Questions(fake, 5, dry=True)
    assert asks.ask(ONE) == ""
    assert asks.would == [canonical(ONE)]
    assert fake.asked == []
    assert asks.steps == []
