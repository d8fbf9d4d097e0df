"""Tiers in the index: of facts, of notes, and as a filter."""

from __future__ import annotations

import datetime
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer.catalog.filters import Filters
from indexer.catalog.lists import get_facts, get_notes, list_facts
from indexer.catalog.tiers import (
    ages_of_all,
    ages_of_notes,
    count_tiers,
    facts_within,
    in_tiers,
    teach,
    tiers_stamp,
)
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.rows.rows import Index
from indexer.usage.log_reader import USAGE_LOG, get_uses
from indexer.usage.tally import Uses
from indexer.usage.tier import Age, Clock, TierRules, age_of_fact

CLOCK = Clock(datetime.date(2026, 2, 10), zone=datetime.UTC)
NOTES = {
    "joe.md": "# Joe\n\n## Facts\n- Hot (2026-02-09) ^hot001\n- Warm (2026-01-15)\n- Cold (2025-01-15) ^cold01\n"
    "- Pinned (2025-01-15, pinned)\n- ~~Former~~ (2026-02-09)\n",
    "cold.md": "# Cold\n\n## Facts\n- Cold (2025-01-15) ^cold02\n",
    "used.md": "# Used\n\n## Facts\n- Cold (2025-01-15)\n",
    "bare.md": "No fact\n",
    "dated.md": "---\nupdated: 2025-01-01\n---\nNo fact\n",
    "secret.md": "---\nprivate: true\n---\n## Facts\n- Hot (2026-02-09)\n",
}


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    for path, text in NOTES.items():
        (tmp_path / "vault").mkdir(exist_ok=True)
        (tmp_path / "vault" / path).write_text(text)
    log = tmp_path / "vault" / USAGE_LOG / "lap7" / "2026-02.jsonl"
    log.parent.mkdir(parents=True)
    said = [("used.md", "2026-02-05"), ("cold02", "2026-01-20")]
    for at, (ref, day) in enumerate(said):
        event = {"e": f"lap7-{at:016x}", "t": f"{day}T09:00:00Z", "op": "use", "ref": ref}
        log.with_name(f"{day[:7]}.jsonl").write_text(json.dumps(event) + "\n")
    made, _ = refresh(
        Settings(str(tmp_path / "vault"), str(tmp_path / "index"), vectors=False), now=time.time()
    )
    yield made
    made.close()


def test_a_note_is_as_warm_as_its_warmest_fact_and_its_uses(index: Index) -> None:
    ages = ages_of_all(index.db, CLOCK, private=False)
    counts, notes, types = count_tiers(index.db, CLOCK, private=False)
    assert notes == Counter(age.tier for age in ages.values())
    assert types == {"fact": 6}
    assert {path: age.tier for path, age in ages.items()} == {
        "joe.md": "hot",
        "cold.md": "warm",
        "used.md": "hot",
        "bare.md": "warm",
        "dated.md": "cold",
    }
    assert counts == {"hot": 1, "warm": 3, "cold": 2}, "superseded facts are not counted"
    assert ages["used.md"] == Age("hot", "2026-02-05", 1)
    assert count_tiers(index.db, CLOCK, private=True).facts["hot"] == 2
    assert ages_of_notes(index.db, ["used.md", "joe.md", "gone.md"], CLOCK, private=True) == {
        "used.md": ages["used.md"],
        "joe.md": ages["joe.md"],
    }


def test_the_filter_says_what_the_tiers_are(index: Index) -> None:
    """One rule, two ways to ask: by SQL and by the fact itself."""
    for clock in (
        CLOCK,
        CLOCK._replace(today=datetime.date(2026, 3, 1)),
        CLOCK._replace(rules=TierRules(1, 2, 1)),
    ):
        facts = [fact for _, fact in get_facts(index.db, private=True)]
        uses = get_uses(index.db, [fact.key for fact in facts])
        teach(index.db, clock)
        for tier in ("hot", "warm", "cold"):
            rows = index.db.execute(f"SELECT key FROM fact WHERE {in_tiers([tier])}", (tier,))
            assert sorted(key for (key,) in rows) == sorted(
                fact.key
                for fact in facts
                if age_of_fact(fact, uses.get(fact.key, Uses()), clock).tier == tier
            )


def test_a_list_of_notes_by_tier_is_of_those_that_are_shown_so(index: Index) -> None:
    """Not of those that hold such a fact: a hot note with a warm fact is listed as hot, and counted so."""
    for private in (False, True):
        ages = ages_of_all(index.db, CLOCK, private=private)
        for tiers in (("hot",), ("warm",), ("cold",), ("hot", "cold")):
            filters = Filters(tiers=tiers, private=private)
            found = get_notes(index.db, filters, sort="path", limit=-1, offset=0, clock=CLOCK)
            assert [row.path for row in found.notes] == sorted(
                path for path in ages if ages[path].tier in tiers
            )
            assert found.total == len(found.notes)
    of_a_type = Filters(tiers=("warm",), types=("fact",))
    facts = list_facts(index.db, of_a_type, sort="path", limit=-1, offset=0, clock=CLOCK).facts
    assert ("joe.md", "Warm") in [(path, fact.text) for path, fact in facts], (
        "a fact's own tier, where facts are listed"
    )


def test_of_two_facts_last_used_on_the_same_day_the_often_used_one_is_warmer(
    index: Index, tmp_path: Path
) -> None:
    (tmp_path / "vault" / "busy.md").write_text(
        "# Busy\n\n## Facts\n- Once (2025-01-15) ^once01\n- Often (2025-01-15) ^often1\n"
    )
    used = [("often1", day) for day in range(11, 21)] + [("once01", 20)]
    with (tmp_path / "vault" / USAGE_LOG / "lap7" / "2026-01.jsonl").open("a") as file:
        for at, (ref, day) in enumerate(used, 100):
            event = {
                "e": f"lap7-{at:016x}",
                "t": f"2026-01-{day}T09:00:00Z",
                "op": "use",
                "ref": ref,
            }
            file.write(json.dumps(event) + "\n")
    settings = Settings(str(tmp_path / "vault"), str(tmp_path / "index"), vectors=False)
    refresh(settings, now=time.time())[0].close()
    teach(index.db, CLOCK)
    rows = index.db.execute(f"SELECT key FROM fact WHERE {in_tiers(['hot'])}", ("hot",))
    assert {key for (key,) in rows} & {"once01", "often1"} == {"often1"}
    assert ages_of_notes(index.db, ["busy.md"], CLOCK, private=True)["busy.md"].tier == "hot"
    assert count_tiers(index.db, CLOCK, private=False).facts == {"hot": 2, "warm": 4, "cold": 2}


def test_a_stamp_changes_with_the_day_the_rules_and_the_log(index: Index, tmp_path: Path) -> None:
    before = tiers_stamp(index.db, CLOCK)
    assert tiers_stamp(index.db, CLOCK) == before
    assert tiers_stamp(index.db, CLOCK._replace(today=datetime.date(2026, 2, 11))) != before
    assert tiers_stamp(index.db, CLOCK._replace(rules=TierRules(8, 30, 10))) != before
    with (tmp_path / "vault" / USAGE_LOG / "lap7" / "2026-02.jsonl").open("a") as file:
        file.write("torn\n")
    settings = Settings(str(tmp_path / "vault"), str(tmp_path / "index"), vectors=False)
    refresh(settings, now=time.time())[0].close()
    assert tiers_stamp(index.db, CLOCK) != before


def test_the_facts_of_some_lines(index: Index) -> None:
    assert facts_within(index.db, "joe.md", 4, 4) == ("hot001",)
    assert len(facts_within(index.db, "joe.md", 3, 8)) == 5
    assert facts_within(index.db, "joe.md", 1, 8) == (), "the whole note is no fact of it"
    assert facts_within(index.db, "gone.md", 1, 2) == ()


def test_a_fact_that_another_replaced_warms_no_note_and_is_not_counted(tmp_path: Path) -> None:
    (tmp_path / "old.md").write_text(
        "## Facts\n- Likes tea (2026-02-09) ^tea001\n- Was born (2020-01-01)\n- So old (2020-01-01)\n"
    )
    (tmp_path / "new.md").write_text("## Facts\n- Likes coffee (2026-02-10, updates ^tea001)\n")
    made, _ = refresh(Settings(str(tmp_path), "", vectors=False), now=time.time())
    ages = ages_of_all(made.db, CLOCK, private=False)
    counts = count_tiers(made.db, CLOCK, private=False).facts
    assert {path: age.tier for path, age in ages.items()} == {"new.md": "hot", "old.md": "cold"}
    assert counts == {"hot": 1, "warm": 0, "cold": 2}
    made.close()


@pytest.mark.parametrize(
    "rules", [TierRules(), TierRules(0, 1, 10), TierRules(7, 7), TierRules(7, 1_000_000)]
)
def test_facts_that_are_about_as_old_are_in_the_tier_of_their_own_days(
    tmp_path: Path, rules: TierRules
) -> None:
    """Whatever the rules, type and day; also where the facts of a note decide about its tier."""
    clock = CLOCK._replace(rules=rules)
    days = [clock.today + datetime.timedelta(ago) for ago in (*range(-40, 4), -5000)]
    for at, kind in enumerate(("fact", "plan", "preference", "event")):
        lines = [f"- Line {day} ({day}, {kind}{', pinned' * (at % 2)})" for day in days]
        for day, line in zip(days, lines, strict=True):
            (tmp_path / f"{kind}-{day}.md").write_text(f"# {day}\n\n## Facts\n{line}\n")
    (tmp_path / "undated.md").write_text("# A\n\n## Facts\n- No day\n")
    made, _ = refresh(Settings(str(tmp_path), "", vectors=False), now=time.time())
    counts = count_tiers(made.db, clock, private=False)
    facts = [fact for _, fact in get_facts(made.db, private=False)]
    assert len(facts) == 4 * len(days) + 1
    own = Counter(age_of_fact(fact, Uses(), clock).tier for fact in facts)
    assert {tier: own[tier] for tier in counts.facts} == counts.facts
    ages = ages_of_all(made.db, clock, private=False)
    of_notes = Counter(age.tier for age in ages.values())
    assert {tier: of_notes[tier] for tier in counts.notes} == counts.notes
    made.close()
