"""What time does to facts, and what could be put away or said once: `maintain` and `archive --when-over`.

Pure functions at read time: looking twice changes nothing (S40).  What is proposed here is only ever
done by a person's word.
"""

from __future__ import annotations

from math import ceil, exp
from typing import TYPE_CHECKING, NamedTuple

from indexer.catalog import get_facts
from indexer.errors import UsageError
from indexer.graph import get_called, get_links
from indexer.kind import kind_of_path
from indexer.links import find
from indexer.logbook import get_usage
from indexer.names import Names
from indexer.rank import UNDATED_RECENCY
from indexer.tier import BASE, EXEMPT, Clock, Rules, importance, tier_of_fact, type_now

from .alike import covers, said
from .draft import Plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import apsw

    from indexer.note import Fact
    from indexer.usage import Usage

    from .amend import Desk

FLOOR = 0.1
"""Importance below which putting a fact away is proposed (P-S)."""


class Decay(NamedTuple):
    """A fact's importance: what it was to begin with and what it is today; `exempt` ones do not decay."""

    path: str
    fact: Fact
    base: float
    now: float
    tier: str
    exempt: bool

    @property
    def below(self) -> bool:
        """Whether it is worth so little that putting it away is proposed."""
        return self.now < FLOOR and not self.exempt


class Twins(NamedTuple):
    """Two facts of one note of which the first says all that the second says."""

    path: str
    kept: Fact
    other: Fact

    @property
    def key(self) -> str:
        """What the log knows an accepted or dismissed proposal by."""
        return f"merge:{self.kept.key}>{self.other.key}"


class Upkeep(NamedTuple):
    """What there is to see: how every live fact decays, and which say the same."""

    decays: tuple[Decay, ...]
    twins: tuple[Twins, ...]


def upkeep(desk: Desk, names: Sequence[str]) -> Upkeep:
    """What time did to the facts of these notes, or of all; archived and past ones are done with."""
    vault = desk.vault
    db = vault.index().db
    chosen = {vault.resolve(name, private=desk.private) for name in names}
    found = [
        (path, fact)
        for path, fact in live(desk)
        if not chosen or path in chosen
    ]  # fmt: skip
    usage, clock = get_usage(db), _clock(desk)
    links = _links(db)
    decays = tuple(_decay(path, fact, usage, links.get(path, 0), clock) for path, fact in found)
    return Upkeep(decays, tuple(_twins(found)))


def live(desk: Desk) -> Iterator[tuple[str, Fact]]:
    """The active facts of notes that are not archived."""
    for path, fact in get_facts(desk.vault.index().db, private=desk.private):
        if fact.status == "active" and kind_of_path(path, None) != "archive":
            yield path, fact


def when_over(desk: Desk, size: str, percent: float) -> Plan:
    """The facts that matter least put away, where the live notes are larger than `size` (K37).

    The bottom `percent` of a hundred by what was said of them and how new they are; what never grows
    cold, and what its note cannot spare, stays.
    """
    from .config import size_of
    from .shelve import archive_facts

    limit = size_of(size)
    if not limit:
        raise UsageError(f"--when-over {size!r} is no size", "for example --when-over 100MB")
    db = desk.vault.index().db
    rows = db.execute("SELECT path, size FROM note")
    total = sum(each for path, each in rows if kind_of_path(path, None) != "archive")
    if total <= limit:
        told = f"the notes have {total:,} bytes, no more than {limit:,}"
        return Plan((), "", about={"bytes": total, "limit": limit}, notices=(told,))
    usage = get_usage(db)
    found = list(live(desk))
    ranked = sorted(found, key=lambda each: (weight(each[1], usage, desk.today), each[0], each[1].first))
    chosen = [(path, fact.key) for path, fact in ranked if not (fact.pinned or fact.type in EXEMPT)]
    count = ceil(len(found) * percent / 100)
    plan = archive_facts(desk, chosen, "archive what matters least", most=count)
    return plan._replace(about={**plan.about, "bytes": total, "limit": limit})


def weight(fact: Fact, usage: Usage, today: str) -> float:
    """What was said of a fact times how new it is on the rank clock (K20)."""
    import datetime

    uses = usage.of(fact.key)
    days = [fact.date] if fact.date else []
    if uses.ranked is not None:
        days.append(datetime.datetime.fromtimestamp(uses.ranked).date().isoformat())  # noqa: DTZ006  a person's day
    recency = UNDATED_RECENCY
    if days:
        age = (datetime.date.fromisoformat(today) - datetime.date.fromisoformat(max(days))).days
        recency = 1 / (1 + 0.01 * max(age, 0))
    return exp(0.2 * max(-10, min(10, uses.score))) * recency


def _clock(desk: Desk) -> Clock:
    config = desk.vault.config
    return Clock(desk.moment.date(), Rules(config.hot_days, config.warm_days, config.resist_uses))


def _decay(path: str, fact: Fact, usage: Usage, links: int, clock: Clock) -> Decay:
    uses = usage.of(fact.key)
    kind = type_now(fact.type, fact.date, clock.today)
    base = BASE.get(kind, BASE["fact"]) if fact.importance is None else fact.importance
    now = importance(fact.type, fact.importance, fact.date, uses, links, clock, pinned=fact.pinned)
    exempt = fact.pinned or fact.type in EXEMPT
    return Decay(path, fact, base, now, tier_of_fact(fact, uses, clock), exempt)


def _links(db: apsw.Connection) -> dict[str, int]:
    """How many links lead to each note."""
    names = Names(get_called(db, private=True))
    known: dict[tuple[str, str, str], str | None] = {}
    counts: dict[str, int] = {}
    for source, link in get_links(db, private=True):
        folder = source.rpartition("/")[0]
        asked = (folder, link.target, link.style)
        if asked not in known:
            known[asked] = find(names, source, link.target, link.style) if link.target else None
        found = known[asked]
        if found is not None and found != source:
            counts[found] = counts.get(found, 0) + 1
    return counts


def _twins(found: Sequence[tuple[str, Fact]]) -> Iterator[Twins]:
    notes: dict[str, list[Fact]] = {}
    for path, fact in found:
        notes.setdefault(path, []).append(fact)
    for path, facts in notes.items():
        told = [said(fact.text) for fact in facts]
        gone: set[int] = set()
        for one in range(len(facts)):
            for other in range(len(facts)):
                if one != other and not {one, other} & gone and covers(told[one], told[other]):
                    gone.add(other)
                    yield Twins(path, facts[one], facts[other])
