"""The usage log added up: what was used when, and what was said of it.  Values in, values out.

Sets and greatest times, so the order of events, lines and files means nothing and the same event
twice is one: of uses the days, of reinforce and demote the ids, of all else when it was said last.
"""

from __future__ import annotations

import sys
from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from indexer.record import NamedTuple

from .log_line import COMMAND, DAY_SECONDS, MARKS, SESSION_OPERATION, Event

_SECONDS_APART = 1800
"""Seconds within which two uses on one device belong together, where no session says so."""
Mark = tuple[str, str, str]
"""What was said once and for all: the operation, the ref and the value."""
HALF_LIFE = 180 * DAY_SECONDS
"""Seconds after which an occasion counts half."""


class Uses(NamedTuple):
    """How a fact or note was used: on how many days, on whatever device, and when last; `score` is
    what was said of it, `ranked` when it was last reinforced or updated. Times are unix seconds.

    `days` are the last uses of each day, packed; a clock that was ahead may have left some in the
    future.
    """

    # nobody counts values in it, which is what a tuple's own is for
    count: int = 0  # type: ignore[assignment]
    last: float | None = None
    score: int = 0
    ranked: float | None = None
    days: bytes = b""


class Usage(NamedTuple):
    """The whole log added up.

    Facts by `^id` or hash key, notes by path, both under the newest name that an alias gives them;
    `aliases` leads from each older name straight to it. `summaries` are the hashes of what was
    written into each note, `accepted` says when each proposal was last accepted, `decided` when it
    was last dismissed and last restored (0: never), both by its key, `torn` the lines of each file
    (`device/2026-02.jsonl`) that could not be read.
    """

    facts: Mapping[str, Uses]
    notes: Mapping[str, Uses]
    aliases: Mapping[str, str]
    summaries: Mapping[str, frozenset[str]]
    accepted: Mapping[str, int]
    decided: Mapping[str, tuple[int, int]]
    torn: Mapping[str, int]

    @property
    def dismissed(self) -> frozenset[str]:
        """The keys of proposals that were dismissed and not restored since; in the same second it
        is restored."""
        keys = set()
        for key, (dismissed, restored) in self.decided.items():
            if dismissed > restored:
                keys.add(key)
        return frozenset(keys)

    def of(self, ref: str) -> Uses:
        """The uses of a fact or note by its present name."""
        if is_note(ref):
            return self.notes.get(ref, Uses())
        return self.facts.get(ref, Uses())


class RefTotals:
    """What the events of one device add up to for one `ref`: the last use of each day, in order,
    and the id and amount of every reinforce and demote.

    What the index stored is taken as it is; of most names only a day is added at the end.
    """

    __slots__ = ("days", "ranked", "scores", "was_said", "was_score")

    def __init__(
        self,
        score: int = 0,
        ranked: int | None = None,
        said: str = "",
        days: bytes = b"",
    ) -> None:
        self.days = unpack_days(days)
        self.scores: set[tuple[str, int]] = set()
        self.ranked = ranked
        self.was_score = score
        self.was_said = said

    def use(self, at: int) -> None:
        """Count a use, unless the day has one."""
        days = self.days
        day = at // DAY_SECONDS
        if not days or day > days[-1] // DAY_SECONDS:
            days.append(at)
            return
        from bisect import bisect_left  # events come in order, or nearly

        place = bisect_left(days, day * DAY_SECONDS)
        if days[place] // DAY_SECONDS != day:
            days.insert(place, at)
        elif days[place] < at:
            days[place] = at

    def score(self, number: str, by: int) -> None:
        """Count a reinforce or demote by the id of its event."""
        digits = number.rpartition("-")[2]
        self.scores.add((digits, by))

    def rank(self, at: int) -> None:
        """Note when it was reinforced or updated."""
        self.ranked = max(at, self.ranked or at)

    def stored(self) -> tuple[Any, ...]:
        """Its columns in the index: count, used, score, ranked, scores, days."""
        score = self.was_score
        said = self.was_said
        if self.scores:
            scores = set(self.scores)
            for each in said.split():
                number, _, by = each.partition(":")
                scores.add((number, int(by)))
            said = " ".join(sorted(f"{number}:{by}" for number, by in scores))
            score = sum(by for _, by in scores)
        last = None
        if self.days:
            last = self.days[-1]
        days = self.days.tobytes()
        count = len(self.days)
        return count, last, score, self.ranked, said, days


class Tally:
    """What the events of one device add up to."""

    def __init__(self) -> None:
        self.rows: defaultdict[str, RefTotals] = defaultdict(RefTotals)
        self.marks: dict[Mark, int] = {}
        """What was said → when it was said last."""

    def add(self, events: Iterable[Event]) -> None:
        """Add events in whatever order."""
        for at, op, ref, number, by, value in events:
            if op == "use":
                self.rows[ref].use(at)
                if value:
                    self.mark(SESSION_OPERATION, ref, value, moment(at, by))
            elif op in MARKS:
                self.mark(op, ref, value, at)
            elif op == "update":
                self.rows[ref].rank(at)
            elif op == "reinforce":
                self.rows[ref].score(number, by)
                self.rows[ref].rank(at)
            else:
                self.rows[ref].score(number, -by)

    def mark(self, op: str, ref: str, value: str, at: int) -> None:
        """Note that something was said once and for all."""
        key = (op, ref, value)
        self.marks[key] = max(at, self.marks.get(key, at))


def pack_days(days: Mapping[int, int]) -> bytes:
    """The last uses of each day, as `Uses` has them: eight bytes each, in order."""
    return array("q", sorted(days.values())).tobytes()


def unpack_days(days: bytes) -> array[int]:
    """What `pack_days` packed."""
    found = array("q")
    found.frombytes(days)
    return found


def add_up_uses(rows: Sequence[Sequence[Any]]) -> Uses:
    """The fields of several `Uses` added up: a day on which several of them were used is one."""
    if len(rows) == 1:
        return Uses(*rows[0])
    found = [Uses(*row) for row in rows]
    times: list[int] = []
    for each in found:
        times += unpack_days(each.days)
    days = {at // DAY_SECONDS: at for at in sorted(times)}
    ranked = [each.ranked for each in found if each.ranked is not None]
    return Uses(
        count=len(days),
        last=max(days.values(), default=None),
        score=sum(each.score for each in found),
        ranked=max(ranked, default=None),
        days=pack_days(days),
    )


def moment(at: int, command: int) -> int:
    """When a use in a session was, and by which command: in order of time, the same for the uses of
    one command."""
    return at << 4 * COMMAND | command


def second(moment: int) -> int:
    """The second of such a moment."""
    return moment >> 4 * COMMAND


def occasions(own: Iterable[int], theirs: Sequence[int]) -> dict[int, int]:
    """The days on which two were used within half an hour, and when on each; what was used in one
    second was shown by one command, and does not count. The times of the other are in order."""
    from bisect import bisect_left, bisect_right

    found: dict[int, int] = {}
    for at in sorted(own):
        first = bisect_left(theirs, at - _SECONDS_APART)
        end = bisect_right(theirs, at + _SECONDS_APART)
        if any(each != at for each in theirs[first:end]):
            found[at // DAY_SECONDS] = at
    return found


def stretches(times: Iterable[int]) -> list[bytes]:
    """What stands in packed days that have a time within half an hour of one of these, and in few
    others.

    They are numbers of eight bytes, and the upper six of them name a stretch of 18 hours.
    """
    numbers = set()
    for at in times:
        numbers.add((at - _SECONDS_APART) >> 16 << 16)
        numbers.add((at + _SECONDS_APART) >> 16 << 16)
    blocks = array("q", sorted(numbers)).tobytes()
    first = 0
    if sys.byteorder == "little":
        first = 2
    starts = range(first, len(blocks), 8)
    return [blocks[at : at + 6] for at in starts]


def closeness(times: Iterable[int], newest: int) -> float:
    """How near two are that were used together at these times, below 1: .3 for once, .45 for twice,
    .75 for ten times.

    An occasion counts half with every 180 days before `newest`, the last use of the one that is
    asked about.
    """
    ages = [max(0, newest - at) for at in times]
    often = sum(2.0 ** -(age / HALF_LIFE) for age in ages)
    return float(0.9 * often / (often + 2))


def is_note(ref: str) -> bool:
    """Whether a `ref` is a note's path; no fact's id or key has a dot."""
    return "." in ref


def present(key: str, aliases: Mapping[str, str]) -> str:
    """The key of a proposal by the newest names of its facts: an id that was given since changes
    nothing."""
    what, colon, names = key.rpartition(":")
    newest = [aliases.get(name, name) for name in names.split(">")]
    return what + colon + ">".join(newest)


def decisions(
    said: Iterable[tuple[str, str, int]], aliases: Mapping[str, str]
) -> dict[str, tuple[int, int]]:
    """When each proposal was last dismissed and last restored, by its present key, from (operation,
    key, time)."""
    found: dict[str, tuple[int, int]] = {}
    for op, key, at in said:
        name = present(key, aliases)
        dismissed, restored = found.get(name, (0, 0))
        if op == "restore":
            found[name] = (dismissed, max(restored, at))
        else:
            found[name] = (max(dismissed, at), restored)
    return found


def current_names(marks: Mapping[Mark, int]) -> dict[str, str]:
    """Each old name → the name it has now, from the aliases among the marks: the latest one counts.

    Where names lead in a circle, all of them lead to its least.
    """
    latest: dict[str, tuple[int, str]] = {}
    for (op, ref, to), at in marks.items():
        if op == "alias" and to != ref:
            this = (at, to)
            latest[ref] = max(this, latest.get(ref, this))
    found: dict[str, str] = {}
    for ref in latest:
        way = [ref]
        while way[-1] in latest and way[-1] not in found:
            following = latest[way[-1]][1]
            if following in way:
                circle = way[way.index(following) :]
                least = min(circle)
                found.update(dict.fromkeys(circle, least))
                break
            way.append(following)
        end = way[-1]
        last = found.get(end, end)
        found.update((name, last) for name in way)
    return {ref: name for ref, name in found.items() if ref != name}
