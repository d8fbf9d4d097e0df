"""Proposals as a long-running process knows them: finding all reads every daily note, which takes
seconds in a large vault, so they are kept, and looked for anew beside.

What is kept is shown until it is found anew, without what is about notes that changed since.
"""

from __future__ import annotations

import threading
import time
from itertools import chain
from typing import TYPE_CHECKING, NamedTuple
from weakref import WeakKeyDictionary

from aurelius.plans.plan import Desk
from aurelius.writing.edit import place_of_config
from indexer.catalog.lists import get_key
from indexer.errors import AureliusError
from indexer.rows.schema import UNUSABLE

from . import review
from .apart import ask_beside, is_apart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from aurelius.vault import Vault
    from indexer.disk.walk import ChangeKey
    from indexer.live.live_index import Live

    from .review import Matter

SECONDS_TO_WAIT = 1.0
"""Seconds for which somebody who asks first waits."""
_REST = 4
"""A search that took T seconds, and that nobody waits for, is followed by the next after 4 T."""
_SECONDS_AFTER_FAILURE = 10.0
"""Seconds after a search that failed in which nobody tries again, whoever asks."""


class Known(NamedTuple):
    """Proposals, and whether they are all that there are: not while they are looked for, nor where
    they could not be, and `why` not."""

    matters: Sequence[Matter]
    is_all: bool
    why: str = ""


class MattersFound(NamedTuple):
    """What was found: of which state of the vault, all matters, dismissed ones too, and what their
    notes were then."""

    state: tuple[object, ...]
    matters: Sequence[Matter]
    keys: Mapping[str, ChangeKey | None]


class _Keeper:
    """What is known of the vault of a live index; one thread at a time looks for it."""

    def __init__(self) -> None:
        self.found: MattersFound | None = None
        self.why = ""
        self.rests_until = 0.0
        self._lock = threading.Lock()
        self._looking: threading.Thread | None = None

    def look(self, vault: Vault, seconds: float) -> None:
        """Let a thread look for all proposals, and wait for it so long."""
        with self._lock:
            looking = self._looking
            if looking is None or not looking.is_alive():
                looking = threading.Thread(
                    target=self._find,
                    args=(vault,),
                    name="proposals",
                    daemon=True,
                )
                self._looking = looking
                self.why = ""
                looking.start()
        looking.join(seconds)

    def _find(self, vault: Vault) -> None:
        began = time.monotonic()
        rest = 0.0
        try:
            self.found = ask_beside(vault, find_matters)
        except (AureliusError, OSError, *UNUSABLE) as error:
            self.why = str(error)
            rest = _SECONDS_AFTER_FAILURE
        finally:
            now = time.monotonic()
            self.rests_until = now + max(rest, _REST * (now - began))


def find_matters(vault: Vault) -> MattersFound:
    """All proposals of a vault, for whoever keeps them."""
    desk = Desk(vault, place_of_config(vault.config, vault.env), vault.now)
    state = _state(vault)
    matters = review.all_matters(desk)
    return MattersFound(state, matters, _keys(desk, matters))


_KEEPERS: WeakKeyDictionary[Live, _Keeper] = WeakKeyDictionary()


def known_matters(
    desk: Desk,
    *,
    dismissed: bool = False,
    wait: float = SECONDS_TO_WAIT,
) -> Known:
    """The proposals as they are known, or the dismissed ones; where nobody keeps them, they are
    looked for here. What was used since changes nothing of them before a note does, or the day;
    `wait` is for how many seconds somebody waits who asks first, where there are few notes."""
    live = desk.vault.live
    if live is None or desk.vault.who is not None:  # an agent sees less than what is kept
        every = review.open_matters(desk, dismissed=dismissed)
        return Known(every, is_all=True)
    keeper = _KEEPERS.setdefault(live, _Keeper())
    now = _state(desk.vault)
    is_known = keeper.found is not None and keeper.found.state == now
    is_wanted = bool(wait and not keeper.why)
    if not is_known and (is_wanted or time.monotonic() >= keeper.rests_until):
        keeper.look(desk.vault, 0.0 if keeper.found or is_apart(desk.vault) else wait)
    found = keeper.found
    if found is None:
        return Known((), is_all=False, why=keeper.why)
    matters = found.matters
    if found.state != now:
        keys = _keys(desk, matters)
        matters = [each for each in matters if _is_of(each, found.keys, keys)]
    chosen = review.kept_or_dismissed(
        desk,
        matters,
        dismissed=dismissed,
    )
    return Known(chosen, found.state == now, keeper.why)


def _state(vault: Vault) -> tuple[object, ...]:
    """What proposals follow from, the uses of notes aside."""
    return vault.index().generation, vault.clock.today, repr(vault.config)


def _paths(matter: Matter) -> set[str]:
    """The notes that a matter is about."""
    by = matter.by[0] if matter.by else ""
    more = (path for path, _ in matter.more)
    return {matter.path, matter.page, by, *more} - {""}


def _keys(desk: Desk, matters: Sequence[Matter]) -> dict[str, ChangeKey | None]:
    """What each note is that these are about."""
    paths = set(chain.from_iterable(map(_paths, matters)))
    return {path: get_key(desk.db, path, private=desk.private) for path in paths}


def _is_of(
    matter: Matter,
    before: Mapping[str, ChangeKey | None],
    now: Mapping[str, ChangeKey | None],
) -> bool:
    """Whether the notes of a matter are what they were."""
    return all(before.get(path) == now[path] for path in _paths(matter))
