"""Waking and stopping the daemon's loop: a signal is noted here and interrupts nothing.

An exception that a signal handler raises comes out wherever the process happens to be: inside an import or a
finaliser Python swallows it, and the daemon would run on.
"""

from __future__ import annotations

import signal
from contextlib import contextmanager
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Wake:
    """Wakes the loop, from any thread and from a signal handler, and remembers who told it to stop."""

    def __init__(self) -> None:
        self._calls: SimpleQueue[None] = SimpleQueue()  # the one thing to wait for that a signal handler may call
        self._asked = self._closing = False
        self.number = 0
        """The signal that it was stopped by; 0 where it was asked by other means, or not at all."""

    def set(self) -> None:
        """Wake the loop, now or when it next waits."""
        if self._calls.empty():
            self._calls.put(None)

    def wait(self, seconds: float) -> bool:
        """Wait until somebody wakes it, but not longer; whether somebody did since it waited last."""
        try:
            self._calls.get(timeout=seconds)
        except Empty:
            return False
        return True

    def stop(self, number: int = 0) -> None:
        """Tell the loop to stop."""
        if not self._asked:
            self._asked, self.number = True, number
        self.set()

    def check(self) -> None:
        """KeyboardInterrupt where it was told to stop."""
        if self._asked:
            raise KeyboardInterrupt

    def close(self) -> None:
        """Let no signal cut short what ends the daemon."""
        self._closing = True

    def on_signal(self, number: int, _: object) -> None:
        """Tell the loop to stop; only a second signal, from somebody who does not want to wait, interrupts."""
        again = self._asked
        self.stop(number)
        if again and not self._closing:
            raise KeyboardInterrupt


def heed_signals() -> Wake:
    """The `Wake` that SIGTERM and SIGINT set from now on; the same one where they do already."""
    known = getattr(signal.getsignal(signal.SIGINT), "__self__", None)
    wake = known if isinstance(known, Wake) else Wake()
    for number in SIGNALS:
        signal.signal(number, wake.on_signal)
    return wake


@contextmanager
def stopped_by_signals() -> Iterator[Wake]:
    """Context in which signals are handled as by `heed_signals`."""
    before = [signal.getsignal(number) for number in SIGNALS]
    try:
        yield heed_signals()
    finally:
        for number, handler in zip(SIGNALS, before, strict=True):
            signal.signal(number, handler)
