"""Tiers and importance: pure functions of fact, uses and day."""

from __future__ import annotations

import datetime
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.note import TYPES
from indexer.reading.parse import parse
from indexer.usage.tally import Uses, pack_days
from indexer.usage.tier import (
    BASE,
    TIERS,
    Clock,
    TierRules,
    age_of,
    age_of_fact,
    importance,
    tier_of,
    tier_of_note,
    type_now,
)

TODAY = datetime.date(2026, 2, 10)
CLOCK = Clock(TODAY, zone=datetime.UTC)
LINES = tomllib.loads(
    (Path(__file__).parents[2] / "ageing/never_cold.toml").read_text(encoding="utf-8")
)["case"]


def ago(days: int) -> datetime.date:
    return TODAY - datetime.timedelta(days)


def used(days: int, count: int = 1) -> Uses:
    """Used on so many days, the last of them so many days ago."""
    last = int(datetime.datetime.combine(ago(days), datetime.time(12), datetime.UTC).timestamp())
    return Uses(count, last, days=pack_days({at: last - 86400 * at for at in range(count)}))


@pytest.mark.parametrize(
    ("days", "expected"),
    [(0, "hot"), (7, "hot"), (8, "warm"), (30, "warm"), (31, "cold"), (9999, "cold"), (-3, "hot")],
)
def test_tier_follows_from_days_since_the_last_use(days: int, expected: str) -> None:
    """0-7, 8-30, from 31 on; a clock that is wrong is clamped."""
    assert tier_of("fact", f"{ago(days)}", Uses(), CLOCK) == expected


def test_nothing_known_is_warm_until_used() -> None:
    assert tier_of("fact", None, Uses(), CLOCK) == "warm"
    assert tier_of("fact", None, used(40), CLOCK) == "cold"


def test_used_often_is_one_tier_warmer() -> None:
    """Ten uses warm by one tier: it resists growing cold, and is not immune."""
    assert [tier_of("fact", None, used(days, 10), CLOCK) for days in (3, 20, 300)] == [
        "hot",
        "hot",
        "warm",
    ]
    assert [tier_of("fact", None, used(days, 9), CLOCK) for days in (3, 20, 300)] == [
        "hot",
        "warm",
        "cold",
    ]


def test_ten_uses_do_not_keep_a_fact_warm_for_life() -> None:
    """Only those of the last year do."""
    assert tier_of("fact", None, Uses(10, used(300).last), CLOCK) == "cold", (
        "on which days is not known"
    )
    assert tier_of("fact", None, used(355, 10), CLOCK) == "warm"
    assert tier_of("fact", None, used(356, 10), CLOCK) == "cold", (
        "the first of the ten was a year ago"
    )
    assert tier_of("fact", None, used(356, 11), CLOCK) == "cold"
    assert tier_of("fact", None, used(400, 500), CLOCK) == "cold"


def test_a_use_of_a_day_to_come_keeps_nothing_hot() -> None:
    """Written while a clock was ahead: it counts, and the last use is the one before it."""
    ahead = Uses(
        2, used(-90).last, days=pack_days({0: int(used(40).last or 0), 1: int(used(-90).last or 0)})
    )
    assert age_of("fact", None, ahead, CLOCK) == ("cold", ago(40).isoformat(), 2)
    assert age_of("fact", None, used(-90), CLOCK) == ("warm", None, 1)
    assert age_of("fact", f"{ago(400)}", used(-2), CLOCK).tier == "cold"
    assert age_of("fact", None, used(-1), CLOCK).tier == "hot", (
        "another time zone may be a day ahead"
    )
    assert tier_of_note([], used(-90), f"{ago(400)}", CLOCK) == "cold"
    assert importance("event", None, None, used(-90), 0, CLOCK) == importance(
        "event", None, None, Uses(1), 0, CLOCK
    )
    assert age_of("fact", None, used(-90), CLOCK._replace(today=ago(-90))).tier == "hot", (
        "on that day it is a use"
    )


def test_using_a_cold_fact_makes_it_hot() -> None:
    assert tier_of("fact", "2020-01-01", Uses(), CLOCK) == "cold"
    assert tier_of("fact", "2020-01-01", used(0), CLOCK) == "hot"


@pytest.mark.parametrize("type_", TYPES)
def test_what_is_exempt_never_goes_cold(type_: str) -> None:
    """A plan only until its day, which has passed here."""
    exempt = {"identity", "instruction", "preference", "relationship"}
    assert tier_of(type_, "2020-01-01", Uses(), CLOCK) == ("warm" if type_ in exempt else "cold")
    assert tier_of(type_, None, used(99), CLOCK) == (
        "warm" if type_ in {*exempt, "plan"} else "cold"
    )
    assert tier_of(type_, "2020-01-01", Uses(), CLOCK, lasts=True) == "warm"


@pytest.mark.parametrize("case", LINES, ids=lambda case: case["name"])
def test_what_never_goes_cold_does_not_and_what_looks_like_it_does(case: dict[str, str]) -> None:
    uses = used(int(case["used"])) if "used" in case else Uses()
    (found,) = (
        fact
        for fact in parse(case["path"], case["text"].encode()).facts
        if case["line"] in fact.text
    )
    assert age_of_fact(found, uses, CLOCK).tier == case["tier"]


def test_a_plan_is_not_hot_for_a_day_to_come() -> None:
    assert tier_of("plan", "2026-06-01", Uses(), CLOCK) == "warm"
    assert tier_of("plan", "2026-06-01", used(1), CLOCK) == "hot"
    assert tier_of("event", "2026-02-11", Uses(), CLOCK) == "hot"


def test_the_settings_decide_how_long() -> None:
    clock = CLOCK._replace(rules=TierRules(hot_days=0, warm_days=1, resist_uses=2))
    assert [tier_of("fact", f"{ago(days)}", Uses(), clock) for days in (0, 1, 2)] == [
        "hot",
        "warm",
        "cold",
    ]
    assert tier_of("fact", None, used(2, count=2), clock) == "warm"


def test_the_day_is_the_persons() -> None:
    """A use at 23:30 UTC is tomorrow's in Tokyo."""
    at = datetime.datetime(2026, 2, 2, 23, 30, tzinfo=datetime.UTC).timestamp()
    tokyo = datetime.timezone(datetime.timedelta(hours=9))
    assert tier_of("fact", None, Uses(1, at), CLOCK) == "warm"
    assert tier_of("fact", None, Uses(1, at), CLOCK._replace(zone=tokyo)) == "hot"
    assert CLOCK.day_of(1e20) == datetime.date.max
    assert CLOCK.day_of(-1e20) == datetime.date.min


def test_a_note_is_as_warm_as_its_warmest_part() -> None:
    assert tier_of_note(["cold", "warm"], Uses(), "2026-02-10", CLOCK) == "warm"
    assert tier_of_note(["cold", "warm"], used(0), None, CLOCK) == "hot"
    assert tier_of_note([], Uses(), "2026-02-10", CLOCK) == "hot"
    assert tier_of_note([], Uses(), None, CLOCK) == "warm"
    assert tier_of_note(["warm"], used(99), None, CLOCK) == "warm"


def test_a_fact_as_it_is_parsed() -> None:
    text = b"# Joe\n\n## Facts\n- A (2026-02-09)\n- B (2026-01-15, pinned)\n- C (2025-01-15)\n- D (2025-01-15, pinned)\n"
    assert [
        age_of_fact(fact, Uses(), CLOCK).tier for fact in parse("people/joe.md", text).facts
    ] == [
        "hot",
        "warm",
        "cold",
        "warm",
    ]


@given(st.integers(0, 400), st.integers(1, 30), st.booleans(), st.integers(0, 30))
def test_a_later_use_and_more_of_them_never_cool(
    days: int, count: int, exempt: bool, earlier: int
) -> None:
    warmth = {name: -at for at, name in enumerate(TIERS)}
    now, then = (
        tier_of("fact", None, used(each, count), CLOCK, lasts=exempt)
        for each in (days, days + earlier)
    )
    assert warmth[now] >= warmth[then]
    assert warmth[tier_of("fact", None, used(days, count + 1), CLOCK, lasts=exempt)] >= warmth[now]


def test_a_plan_whose_day_has_passed_is_an_event() -> None:
    """Read so, and the file is not touched."""
    assert type_now("plan", "2026-02-09", TODAY) == "event"
    assert type_now("plan", "2026-02-10", TODAY) == "plan"
    assert type_now("plan", None, TODAY) == "plan"
    assert type_now("fact", "2020-01-01", TODAY) == "fact"


@pytest.mark.parametrize(
    ("type_", "day", "expected"),
    [
        ("event", "2025-11-12", 0.2),
        ("observation", "2025-08-14", 0.15),
        ("fact", "2024-02-21", 0.3),
        ("decision", "2024-02-21", 0.4),
        ("identity", "2000-01-01", 1.0),
        ("instruction", "2000-01-01", 0.85),
        ("preference", "2000-01-01", 0.7),
        ("relationship", "2000-01-01", 0.6),
        ("fact", None, 0.6),
        ("plan", "2026-06-01", 0.8),
        ("plan", "2025-11-12", 0.2),
        ("event", "2027-01-01", 0.4),
        ("event", "soon", 0.4),
    ],
)
def test_importance_halves_with_every_half_life(
    type_: str, day: str | None, expected: float
) -> None:
    """90 days for an event, 180 for an observation, 720 for fact and decision, the rest is exempt."""
    assert importance(type_, None, day, Uses(), 0, CLOCK) == pytest.approx(expected)


def test_the_example_of_the_seed() -> None:
    """`event ^dep001 0.40 → 0.02`, below the floor, and identity stays."""
    then = CLOCK._replace(today=datetime.date(2027, 3, 20))
    assert round(importance("event", None, "2026-02-10", Uses(), 0, then), 2) == 0.02
    assert importance("identity", None, "2026-02-10", Uses(), 0, then) == 1.0


def test_uses_and_links_add_a_little_and_a_pin_keeps() -> None:
    plain = importance("fact", None, "2024-02-21", Uses(), 0, CLOCK)
    assert importance("fact", None, "2024-02-21", Uses(), 3, CLOCK) == pytest.approx(plain + 0.04)
    assert importance("fact", 0.4, "2024-02-21", used(0, 1), 0, CLOCK) == pytest.approx(0.42)
    assert importance("event", 0.4, "2000-01-01", Uses(), 0, CLOCK, lasts=True) == 0.4
    assert importance("identity", None, None, used(0, 10**4), 10**6, CLOCK) == 1.0


@given(
    st.sampled_from(TYPES),
    st.none() | st.floats(0, 1),
    st.integers(0, 9999),
    st.integers(0, 99),
    st.integers(0, 99),
)
def test_importance_is_between_nothing_and_everything(
    type_: str, explicit: float | None, days: int, count: int, links: int
) -> None:
    value = importance(type_, explicit, None, used(days, count), links, CLOCK)
    assert 0 <= value <= 1
    assert value == importance(type_, explicit, None, used(days, count), links, CLOCK)


def test_every_type_has_a_base() -> None:
    assert set(BASE) == set(TYPES)
