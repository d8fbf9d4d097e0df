"""A model for tests, which says what it is told to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from aurelius.model.connection import Stop
from aurelius.model.endpoint import Ended, ModelEvent, ModelText
from aurelius.model.request import ModelRequest, ToolCall, openai_body

Said = str | ModelEvent | Exception


def call(tool: str, /, **arguments: Any) -> ToolCall:
    """A call of a tool, sound or not."""
    return ToolCall("x1", tool, arguments)


class Scripted:
    """Says in each round what it is told to, its last round for ever, and keeps what it was asked."""

    def __init__(self, *rounds: list[Said]) -> None:
        self.rounds = rounds
        self.asked: list[ModelRequest] = []

    def stream(self, request: ModelRequest, stop: Stop) -> Iterator[ModelEvent]:
        said = self.rounds[min(len(self.asked), len(self.rounds) - 1)]
        self.asked.append(request)
        for each in said:
            if stop.is_set:
                yield Ended("stopped")
                return
            if isinstance(each, Exception):
                raise each
            yield ModelText(each) if isinstance(each, str) else each
            if isinstance(each, Ended):
                return
        yield Ended("done")

    def sent(self, request: ModelRequest) -> str:
        return openai_body("scripted", request)
