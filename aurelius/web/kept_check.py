"""The check of a vault, made beside the answers: at 10,000 notes it takes seconds, so a page shows
the last one, and how old it is, until the next is done."""

from __future__ import annotations

import datetime
import threading
import time
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from aurelius import api
from aurelius.answers.findings import FINDING_HEADINGS, Checkup
from aurelius.memory.apart import ask_beside
from indexer.errors import AureliusError

if TYPE_CHECKING:
    from aurelius.vault import Vault
    from indexer.live.live_index import Live

SECONDS_FOR_CHECK = 1.0
"""Seconds that an answer waits for a check: a small vault's is done by then."""
SECONDS_TO_REST = 10.0
"""Seconds after a check in which nobody needs another one of the same: a page that asked for one
asks so again when it is loaded to show it."""


class KeptCheck(NamedTuple):
    """What a check found, every finding of every kind; of which state of the vault it is, when it
    was made, in how many seconds, when it ended by a clock that only goes on, and why it could not
    be made, "" where it could."""

    state: Any
    found: Checkup
    at: datetime.datetime
    seconds: float
    ended: float
    error: str = ""

    def is_past(self, state: Any, *, again: bool) -> bool:
        """Whether another one is to be made: of another state, or as it is asked for `again`."""
        rested = time.monotonic() - self.ended > SECONDS_TO_REST
        return self.state != state or (again and rested)


class Checks:
    """The last check of a vault, and the one that is being made."""

    def __init__(self) -> None:
        self.last: KeptCheck | None = None
        self._lock = threading.Lock()
        self._going_on: threading.Thread | None = None

    def look(
        self,
        vault: Vault,
        *,
        again: bool,
    ) -> tuple[KeptCheck | None, bool]:
        """The last check, and whether a newer one is being made: where the index, the day or a
        setting changed since, or where it is asked for `again`."""
        state = (vault.index().generation, vault.clock.today, repr(vault.config))
        started = None
        with self._lock:
            due = self.last is None or self.last.is_past(state, again=again)
            if due and self._going_on is None:
                started = threading.Thread(
                    target=self._check,
                    args=(vault, state),
                    name="check",
                    daemon=True,
                )
                self._going_on = started
                started.start()
        if started:
            started.join(SECONDS_FOR_CHECK)
        return self.last, self._going_on is not None

    def _check(self, asked: Vault, state: Any) -> None:
        """Check the vault with an index of its own."""
        began = time.monotonic()
        found = Checkup({}, (), 0)
        error = ""
        try:
            found = ask_beside(asked, check_vault)
        except AureliusError as failed:
            error = failed.message
        finally:
            ended = time.monotonic()
            self.last = KeptCheck(
                state=state,
                found=found,
                at=asked.now,
                seconds=ended - began,
                ended=ended,
                error=error,
            )
            self._going_on = None


def check_vault(vault: Vault) -> Checkup:
    """Every finding of every kind, for whoever keeps them."""
    return api.doctor(vault, FINDING_HEADINGS, 0, chosen="the vault of these pages")


_CHECKS: WeakKeyDictionary[Live, Checks] = WeakKeyDictionary()


def checks_of(vault: Vault) -> Checks:
    """The checks of the vault of a server."""
    assert vault.live is not None  # pages have one
    return _CHECKS.setdefault(vault.live, Checks())
