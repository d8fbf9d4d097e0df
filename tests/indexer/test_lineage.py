"""Chains of what replaced what: followed both ways, and never round in circles (requirement A20)."""

from __future__ import annotations

import random

from indexer.lineage import Lineage, Step
from indexer.note import Fact
from indexer.parse import parse


def facts(**notes: str) -> list[tuple[str, Fact]]:
    return [
        (f"{name}.md", fact)
        for name in sorted(notes)
        for fact in parse(f"people/{name}.md", notes[name].encode()).facts
    ]


def ids(chain: list[Step]) -> list[str]:
    return [step.fact.key for step in chain]


JOE = """\
## Facts
- Lives in Rome (2024-03-01) ^rome01
- Likes tea ^tea001

## History
- ~~Lives in Bonn~~ (2020-01-01 → 2024-03-01, superseded by ^rome01) ^bonn01
- ~~Lives in Oslo~~ (2018-01-01 → 2020-01-01, superseded by ^bonn01) ^oslo01
- ~~Lives in Kiev~~ (2017-01-01, superseded by ^bonn01) ^kiev01
"""


def test_a_chain_goes_from_the_oldest_to_the_newest_wherever_it_is_entered() -> None:
    lineage = Lineage(facts(joe=JOE))
    for key in ("oslo01", "bonn01", "rome01", "kiev01"):
        chain = lineage.chain("joe.md", key)
        assert ids(chain) == ["kiev01", "oslo01", "bonn01", "rome01"]
        assert [step.until for step in chain] == ["2020-01-01", "2020-01-01", "2024-03-01", None]
        assert [step.after for step in chain] == ["bonn01", "bonn01", "rome01", ""]
        assert [step.status for step in chain] == ["superseded"] * 3 + ["active"]
    assert ids(lineage.chain("joe.md", "tea001")) == ["tea001"]
    assert lineage.chain("joe.md", "nothere") == []
    assert [ids(chain) for chain in lineage.chains("joe.md")] == [["kiev01", "oslo01", "bonn01", "rome01"]]


def test_a_chain_goes_through_notes_and_follows_updates() -> None:
    day = "- Joe moved to Porto (2026-01-01, updates ^rome01) ^porto1\n"
    lineage = Lineage(facts(joe=JOE, other="## Facts\n" + day))
    assert ids(lineage.chain("joe.md", "oslo01"))[-2:] == ["rome01", "porto1"]
    assert [(path, key) for path, key in lineage.replaced()] == [("joe.md", "rome01")]
    step = lineage.replaced()["joe.md", "rome01"]
    assert (step.status, step.until, step.after) == ("superseded", "2026-01-01", "porto1")


def test_what_is_wrong_with_a_chain_is_told() -> None:
    text = (
        "## Facts\n- a (2020-01-01, superseded by ^gone01) ^aaaaa1\n- b (2020-01-01, superseded by ^ccccc1) ^bbbbb1\n"
    )
    text += "- c (2021-01-01, superseded by ^bbbbb1) ^ccccc1\n- d (2021-01-01, superseded by ^ddddd1) ^ddddd1\n"
    text += "- e (2020-01-01, superseded by ^twice1) ^eeeee1\n- f ^twice1\n"
    lineage = Lineage(facts(joe=text, other="## Facts\n- g ^twice1\n"))
    assert lineage.chain("joe.md", "aaaaa1")[0].problem == "superseded by ^gone01, which no fact has"
    assert {step.problem for step in lineage.chain("joe.md", "bbbbb1")} == {
        "the facts supersede each other in a circle"
    }
    assert ids(lineage.chain("joe.md", "ddddd1")) == ["ddddd1"]
    assert lineage.chain("joe.md", "eeeee1")[0].problem == "^twice1 stands on several facts"


def test_whatever_points_where_nothing_loops_and_nothing_is_lost() -> None:
    r = random.Random(3)
    for _ in range(150):
        names = [f"fact{at:02}" for at in range(r.randint(1, 9))]
        text = "## Facts\n"
        for name in names:
            other = r.choice([*names, "nothere", ""])
            verb = r.choice(["superseded by", "updates", "contradicts"])
            tail = f" (20{r.randint(10, 25)}-01-01{f', {verb} ^{other}' if other else ''})"
            text += f"- {name}{tail if r.random() < 0.8 else ''} ^{r.choice([name, name, names[0]])}\n"
        found = facts(joe=text)
        lineage = Lineage(found)
        for path, fact in found:
            chain = lineage.chain(path, fact.key)
            assert fact.key in ids(chain)
            assert len(ids(chain)) == len(set(ids(chain)))
        assert all(chain for chain in lineage.chains("joe.md"))
