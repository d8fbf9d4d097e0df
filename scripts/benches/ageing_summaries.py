"""What summaries keep of facts that are used for a while and then no more, over the second of two
years.

Interest in a matter comes and goes by the quarter. Every four weeks each note is summarised from
what was used up to that day, and what is asked in the four weeks after it is what the summary
should have kept. The yardsticks are as many facts, the newest or those used most. The notes are in
our own phrases, which this does not hang on.
"""

from __future__ import annotations

import datetime
import functools
import random
from collections.abc import Iterator
from typing import NamedTuple

from benches import ageing_history
from benches.ageing_history import FIRST, LAST, Matter

from aurelius.ageing.summary_text import Aged, choose_summary_facts, summarise
from indexer.matter.statement import say_alike
from indexer.note import Fact
from indexer.reading.parse import parse
from indexer.usage.log_line import DAY_SECONDS
from indexer.usage.tally import Uses, pack_days, unpack_days
from indexer.usage.tier import Clock, age_of_fact

WEEKS = 4
RATES = (0.7, 0.08, 0.01)
"""How likely a matter is asked about in a week: while it matters, a little, hardly."""
BUDGETS = (120, 30)
"""Words of a summary: as the settings have it, and so few that not everything alive has room."""
CHANCES = (0.15, 0.4)
"""How many matters matter in a quarter, and how many more matter a little."""

Asked = list[tuple[datetime.date, int]]


class Kept(NamedTuple):
    """What all summaries of a day have: facts and words, hot facts and those of them kept, lines
    that should not be there, and of the questions that follow how many they answer, and how many as
    many facts do, the newest or those used most."""

    day: str
    words: int
    longest: int
    facts: int
    every: int
    hot: int
    covered: int
    wrong: int
    twice: int
    asked: int
    kept: int
    newest: int
    used: int


def asked(matters: list[Matter], seed: int) -> Asked:
    """On which days which matter is asked about."""
    chance = random.Random(f"{seed} asked")
    found: Asked = []
    rates: list[float] = []
    for week in range((LAST - FIRST).days // 7):
        if week % 13 == 0:
            rates = [_rate(chance, rates[at] if rates else 0.0) for at in range(len(matters))]
        start = FIRST + datetime.timedelta(weeks=week)
        found += [
            (start + datetime.timedelta(days=chance.randrange(7)), at)
            for at, rate in enumerate(rates)
            if chance.random() < rate
        ]
    return sorted(found)


def _rate(chance: random.Random, before: float) -> float:
    """How a matter fares in a new quarter: as before, every second time."""
    if before and chance.random() < 0.5:
        return before
    drawn = chance.random()
    return RATES[0 if drawn < CHANCES[0] else 1 if drawn < sum(CHANCES) else 2]


def measure(seed: int, words: int) -> list[Kept]:
    """Every four weeks of the second year."""
    matters = ageing_history.history(seed)
    events = asked(matters, seed)
    notes: dict[str, list[int]] = {}
    for at, one in enumerate(matters):
        notes.setdefault(one.path, []).append(at)
    day = FIRST + datetime.timedelta(days=364)
    found = []
    while day + datetime.timedelta(weeks=WEEKS) <= LAST:
        found.append(_on(day, matters, notes, events, words))
        day += datetime.timedelta(weeks=WEEKS)
    return found


@functools.cache
def _facts(path: str, text: str) -> tuple[Fact, ...]:
    """What a note says, which is the same for summaries of every length."""
    return tuple(parse(path, text.encode(), daily_folder="memory").facts)


def _on(
    day: datetime.date,
    matters: list[Matter],
    notes: dict[str, list[int]],
    events: Asked,
    words: int,
) -> Kept:
    uses = _uses(day, matters, events)
    until = day + datetime.timedelta(weeks=WEEKS)
    later = [at for when, at in events if day < when <= until]
    total = Kept(day.isoformat(), *(0 for _ in Kept._fields[1:]))
    for path, known in notes.items():
        text = "\n".join(ageing_history.note([matters[at] for at in known], day.isoformat())) + "\n"
        facts = _facts(path, text)
        known_uses = [(fact, uses.get(fact.key, Uses())) for fact in facts]
        aged = [
            Aged(fact, age_of_fact(fact, used, Clock(day)).tier, used) for fact, used in known_uses
        ]
        chosen = [each.fact for each in choose_summary_facts(aged, words, Clock(day))]
        said = summarise(aged, words, Clock(day))
        assert all(fact.text.rstrip(".") in said for fact in chosen), "what is chosen is said"
        total = _sum(
            total, _judged(aged, chosen, said, [at for at in later if at in known], matters, day)
        )
    return total


def _judged(
    aged: list[Aged],
    chosen: list[Fact],
    said: str,
    later: list[int],
    matters: list[Matter],
    day: datetime.date,
) -> tuple[int, ...]:
    keys = {fact.key for fact in chosen}
    current = [each for each in aged if each.fact.status == "active"]
    by_date = sorted(current, key=lambda each: each.fact.date or "", reverse=True)
    by_use = sorted(current, key=lambda each: each.uses.count, reverse=True)
    newest, used = (
        {each.fact.key for each in ordered[: len(chosen)]} for ordered in (by_date, by_use)
    )
    hot = [each.fact.key for each in aged if each.tier == "hot" and each.fact.status == "active"]
    wrong = sum(fact.status != "active" for fact in chosen)
    twice = sum(
        say_alike(one.text, other.text) for at, one in enumerate(chosen) for other in chosen[:at]
    )
    wanted = [line.id for at in later if (line := matters[at].on(day.isoformat()))]
    length = len(said.split())
    return (
        length,
        length,
        len(chosen),
        len(current),
        len(hot),
        sum(key in keys for key in hot),
        wrong,
        twice,
        len(wanted),
        sum(key in keys for key in wanted),
        sum(key in newest for key in wanted),
        sum(key in used for key in wanted),
    )


def _sum(total: Kept, more: tuple[int, ...]) -> Kept:
    values = [one + other for one, other in zip(total[1:], more, strict=True)]
    values[1] = max(total.longest, more[1])
    return Kept(total.day, *values)


def _uses(day: datetime.date, matters: list[Matter], events: Asked) -> dict[str, Uses]:
    """The uses of each fact up to a day: those of a line end when it is superseded."""
    found: dict[str, Uses] = {}
    for when, at in events:
        if when > day:
            break
        line = matters[at].on(when.isoformat())
        if line:
            moment = datetime.datetime.combine(when, datetime.time(12)).timestamp()
            was = found.get(line.id, Uses())
            days = {int(at) // DAY_SECONDS: int(at) for at in (*unpack_days(was.days), moment)}
            found[line.id] = Uses(len(days), moment, days=pack_days(days))
    return found


def tables(seed: int) -> list[tuple[str, list[tuple[str, ...]]]]:
    """A table for each size of summaries."""
    heads = (
        "written on",
        "facts that are so",
        "kept",
        "words",
        "longest",
        "hot covered",
        "past",
        "twice",
        "asked later: kept",
        "newest first",
        "most used first",
    )
    return [
        (
            f"Summaries of at most {words} words, all notes together",
            [heads, *rows(measure(seed, words))],
        )
        for words in BUDGETS
    ]


def rows(found: list[Kept]) -> Iterator[tuple[str, ...]]:
    """A line for every third summary, and one for all."""
    for each in [*found[::3], _sum_all(found)]:
        yield (
            each.day,
            str(each.every),
            str(each.facts),
            str(each.words),
            str(each.longest),
            f"{each.covered}/{each.hot}",
            str(each.wrong),
            str(each.twice),
            f"{each.kept / max(1, each.asked):.3f}",
            f"{each.newest / max(1, each.asked):.3f}",
            f"{each.used / max(1, each.asked):.3f}",
        )


def _sum_all(found: list[Kept]) -> Kept:
    total = Kept("all", *(0 for _ in Kept._fields[1:]))
    for each in found:
        total = _sum(total, each[1:])._replace(longest=max(total.longest, each.longest))
    return total
