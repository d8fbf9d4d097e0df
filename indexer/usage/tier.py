"""Tier and importance of a fact.  Pure functions of the fact, its uses and the day.

Nothing here is stored, so nothing compounds: running maintenance twice changes nothing. Every tier
that is shown or filtered by comes from `tier_of`, and the day it is comes from the Clock that a
Vault makes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, datetime
from math import log2
from typing import TYPE_CHECKING

from indexer.record import NamedTuple

from .log_line import DAY_SECONDS, EPOCH
from .tally import Uses, unpack_days

if TYPE_CHECKING:
    from datetime import tzinfo

    from indexer.note import Fact

TIERS = ("hot", "warm", "cold")
"""From the most alive to the least."""
EXEMPT = frozenset({"identity", "instruction", "plan", "preference", "relationship"})
"""Types that never go cold; neither does what lasts by its own line. `never_cold` asks for both."""
BASE = {
    "identity": 1.0,
    "instruction": 0.85,
    "decision": 0.8,
    "plan": 0.8,
    "preference": 0.7,
    "fact": 0.6,
    "status": 0.6,
    "relationship": 0.6,
    "summary": 0.5,
    "event": 0.4,
    "observation": 0.3,
}
"""Importance by type, before anything else is known."""
HALF_LIVES = {
    "event": 90,
    "observation": 180,
    "status": 180,
    "fact": 720,
    "decision": 720,
    "summary": 720,
}
"""Days after which half of it is left, where no setting says more; what is not here does not
decay."""
PASSING = frozenset({"event", "observation", "status"})
"""Types that pass: putting such a fact away for its age is proposed; a birthday or an address holds
until something newer is said."""
LEAST_IMPORTANCE = 0.1
"""Importance below which putting a fact away is proposed."""
YEAR = 365
"""Days back in which uses keep a fact warmer."""
PER_DOUBLING = 0.02
_MOST_BONUS = 0.1
"""What uses and links add to importance: for each doubling of their number, and at most, each."""


class TierRules(NamedTuple):
    """`[tiers]` and `[decay]` of the settings: `half_lives` in days, by type, and the importance
    below which putting a fact away is proposed."""

    hot_days: int = 7
    warm_days: int = 30
    resist_uses: int = 10
    half_lives: Mapping[str, int] = HALF_LIVES
    least: float = LEAST_IMPORTANCE


class Clock(NamedTuple):
    """The day it is for the person, in which time zone (None: this machine's), and by which rules
    facts age."""

    today: date
    rules: TierRules = TierRules()
    zone: tzinfo | None = None

    def day_of(self, at: float | None) -> date | None:
        """The person's day of a moment in unix seconds."""
        if at is None:
            return None
        try:
            return datetime.fromtimestamp(at, self.zone).date()
        except (OverflowError, OSError, ValueError):
            if at < 0:
                return date.min
            return date.max

    def is_ahead(self, day: date) -> bool:
        """Whether a day is later than tomorrow: a use that claims it was written by a clock that
        was wrong."""
        return (day - self.today).days > 1

    def last_use(self, uses: Uses) -> date | None:
        """The day of the last use; one of a clock that was ahead is none."""
        last = self.day_of(uses.last)
        if last is None or not self.is_ahead(last):
            return last
        days = (self.day_of(at) for at in reversed(unpack_days(uses.days)))
        return next((day for day in days if day is not None and not self.is_ahead(day)), None)

    def resists(self, uses: Uses) -> bool:
        """Whether the uses of the last year are so many that the fact is one tier warmer."""
        least = self.rules.resist_uses
        if uses.count < least:
            return False
        days = unpack_days(uses.days)
        return least < 1 or (
            len(days) >= least
            and days[-least] // DAY_SECONDS > self.today.toordinal() - EPOCH - YEAR
        )


class Age(NamedTuple):
    """How alive something is and by what: its tier ("" for text that is no fact), the ISO day of
    its last use, on how many days it was used."""

    tier: str = ""
    last: str | None = None
    uses: int = 0


def tier_of(type_: str, day: str | None, uses: Uses, clock: Clock, *, lasts: bool = False) -> str:
    """The tier of a fact of that type and ISO date: `hot`, `warm` or `cold` by the day of its last
    use, else its date.

    Undated is warm; a day to come counts as today, but a plan is not hot for it. What was used
    often is one tier warmer, and what never goes cold is warm at least.
    """
    own = _day(day)
    if type_ == "plan" and own is not None and own > clock.today:
        own = None
    since = clock.last_use(uses) or own
    level = 2
    if since is None:
        level = 1
    else:
        days = max(0, (clock.today - since).days)
        if days <= clock.rules.hot_days:
            level = 0
        elif days <= clock.rules.warm_days:
            level = 1
    if clock.resists(uses):
        level = max(0, level - 1)
    if never_cold(type_, day, clock.today, lasts=lasts):
        level = min(level, 1)
    return TIERS[level]


def never_cold(type_: str, day: str | None, today: date, *, lasts: bool = False) -> bool:
    """Whether a fact is warm at least, today: by its own line (a pin, a milestone), or by its type.

    A plan is so until its day has passed; one without a day has none that could pass.
    """
    return lasts or type_now(type_, day, today) in EXEMPT


def uses_of(count: int | None, last: float | None, days: bytes | None) -> Uses:
    """The uses in a row of a query that joins table `usage`, where nothing is known for want of
    any."""
    return Uses(count or 0, last, days=days or b"")


def age_of(type_: str, day: str | None, uses: Uses, clock: Clock, *, lasts: bool = False) -> Age:
    """The age of a fact of that type and ISO date."""
    last = clock.last_use(uses)
    return Age(
        tier_of(type_, day, uses, clock, lasts=lasts),
        last.isoformat() if last else None,
        uses.count,
    )


def age_of_fact(fact: Fact, uses: Uses, clock: Clock) -> Age:
    """The age of a fact."""
    from indexer.reading.fact_line import lasts  # a search has no use for it

    return age_of(fact.type, fact.date, uses, clock, lasts=lasts(fact))


def tier_of_note(tiers: Iterable[str], uses: Uses, day: str | None, clock: Clock) -> str:
    """The warmest of a note's own uses and of the tiers of its facts; with neither, that of its
    date."""
    found = set(tiers)
    if uses.count or not found:
        found.add(tier_of("", None if clock.last_use(uses) else day, uses, clock))
    return next(each for each in TIERS if each in found)


def type_now(type_: str, day: str | None, today: date) -> str:
    """What a fact is today: a plan whose date has passed is an event."""
    own = _day(day)
    if type_ == "plan" and own is not None and own < today:
        return "event"
    return type_


def importance(
    type_: str,
    explicit: float | None,
    day: str | None,
    uses: Uses,
    links: int,
    clock: Clock,
    *,
    lasts: bool = False,
) -> float:
    """How much a fact matters today, 0 to 1.

    Its base is `explicit`, else by type; it halves with every half-life since the last use, else
    the fact's date, unless it is exempt, lasting or undated; uses and `links` to its note add a
    little.
    """
    kind = type_now(type_, day, clock.today)
    if explicit is None:
        value = BASE.get(kind, BASE["fact"])
    else:
        value = explicit
    since = clock.last_use(uses) or _day(day)
    half_life = clock.rules.half_lives.get(kind)
    if since is not None and not lasts and half_life:
        value *= 0.5 ** (max(0, (clock.today - since).days) / half_life)
    value += sum(
        min(_MOST_BONUS, PER_DOUBLING * log2(1 + number)) for number in (uses.count, links)
    )
    return max(0.0, min(1.0, value))


def _day(text: str | None) -> date | None:
    try:
        if text:
            return date.fromisoformat(text)
        return None
    except ValueError:
        return None
