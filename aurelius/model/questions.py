"""The questions of one piece of work to the person's model: within its time, each kept for a
trace."""

from __future__ import annotations

from threading import Timer
from time import monotonic
from typing import TYPE_CHECKING, Any

from .connection import Stop, UnansweredError
from .endpoint import whole_answer

if TYPE_CHECKING:
    from .endpoint import Endpoint
    from .request import ModelRequest


class Questions:
    """Asks an endpoint for so many seconds in all; one that fails is the last.

    `steps` are what was asked and answered, `why` says what failed; `dry` asks nothing and collects
    in `would` what would be sent.
    """

    def __init__(self, endpoint: Endpoint, seconds: float, *, dry: bool = False) -> None:
        self.would: list[str] = []
        self.steps: list[dict[str, Any]] = []
        self.why = ""
        self._endpoint = endpoint
        self._until = monotonic() + seconds
        self._dry = dry
        self._known: dict[str, str] = {}

    def ask(self, request: ModelRequest) -> str:
        """The whole answer, "" where there is none in time."""
        sent = self._endpoint.sent(request)
        if sent in self._known:
            return self._known[sent]
        if self._dry:
            self.would.append(sent)
        if self._dry or self.why:
            return ""
        began = monotonic()
        stop = Stop()
        clock = Timer(max(0.0, self._until - began), stop.set)
        clock.daemon = True
        clock.start()
        said = ""
        try:
            said = whole_answer(self._endpoint, request, stop)
        except UnansweredError as error:
            self.why = str(error)
        finally:
            clock.cancel()
        step = {"sent": sent, "said": said, "ms": round(1000 * (monotonic() - began))}
        self.steps.append(step | ({"why": self.why} if self.why else {}))
        self._known[sent] = said
        return said
