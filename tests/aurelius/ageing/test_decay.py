"""What time does to facts: shown, proposed, never done, and the same however often it is looked at."""

from __future__ import annotations

import contextlib
import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from aurelius.ageing.decay import upkeep
from aurelius.vault import Vault

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]

SPACEBOT = """\
# Spacebot

## Facts
- Called Orbit (2026-01-05, identity) ^name01
- Deployed the prototype (2026-01-05, event) ^dep001
- Uses SQLite for all of its data (2026-01-05) ^sqlt01
- Uses SQLite for data (2026-01-05) ^sqlt02
- Keeps 3 copies (2026-01-05) ^copy03
- Keeps 4 copies (2026-01-05) ^copy04
- Does not run at night (2026-01-05) ^night1
- Runs at night (2026-01-05) ^night2
- Pinned and forgotten (2020-01-05, event, pinned) ^pinn01
- Born on 5 May 1983 (2011-01-05) ^born01
- Chose SQLite over files (2011-01-05, decision) ^chos01
"""


@pytest.fixture
def root(vault: Vaults) -> Path:
    there = vault("empty")
    (there / "projects").mkdir()
    (there / "projects" / "spacebot.md").write_text(SPACEBOT)
    return there


def test_decay_is_a_function_of_the_day(aurelius: Aurelius, root: Path) -> None:
    argv = ("maintain", "--all", "--json", "--now", "2027-03-20")
    first = aurelius(*argv, cwd=root)
    assert aurelius(*argv, cwd=root).out == first.out, "looking twice compounds nothing"
    assert (root / "projects" / "spacebot.md").read_text() == SPACEBOT
    facts = {each["id"]: each for each in json.loads(first.out)["facts"]}
    assert (facts["name01"]["importance"], facts["name01"]["exempt"]) == (1.0, True)
    assert (facts["dep001"]["base"], facts["dep001"]["below"]) == (0.4, True)
    assert round(facts["dep001"]["importance"], 2) == 0.01  # 439 days at a half-life of 90
    assert (facts["pinn01"]["importance"], facts["pinn01"]["below"]) == (0.4, False)
    assert facts["born01"]["importance"] < 0.1, "an old fact comes last, and stays"
    assert [key for key, each in facts.items() if each["below"]] == ["dep001"]


def test_only_lines_that_say_the_same_are_proposed(aurelius: Aurelius, root: Path) -> None:
    """Numbers and negations part lines however like they are."""
    found = json.loads(aurelius("maintain", "--json", cwd=root).out)["duplicates"]
    assert [(each["id"], each["other"]) for each in found] == [("sqlt01", "sqlt02")]
    shown = aurelius("maintain", "--all", cwd=root).out
    assert shown.startswith("11 facts: 2 never age, 0 could be archived, 1 duplicate\n")
    assert "identity, importance stays 1.00" in shown


def test_an_export_holds_every_fact(aurelius: Aurelius, root: Path) -> None:
    (root / "more.md").write_text("## Facts\n- Uses Postgres (2027-01-01, updates ^sqlt01) #db ^post01\n")
    facts = json.loads(aurelius("export", "--json", cwd=root).out)["facts"]
    assert [each["id"] for each in facts][:2] == ["post01", "name01"]
    past = next(each for each in facts if each["id"] == "sqlt01")
    assert (past["status"], past["until"], past["superseded_by"]) == ("superseded", "2027-01-01", "post01")
    assert aurelius("export", "--sqlite", "all.db", cwd=root).code == 0
    db = apsw.Connection(str(root / "all.db"))
    rows = db.execute("SELECT id, text, status, tags FROM fact ORDER BY path, first").fetchall()
    db.close()
    assert rows == [(each["id"], each["text"], each["status"], json.dumps(each["tags"])) for each in facts]
    text = aurelius("export", "--md", cwd=root).out
    assert "## more.md\n\n- Uses Postgres #db (2027-01-01, updates ^sqlt01) ^post01\n" in text
    assert aurelius("export", "--json", "--md", cwd=root).code == 2
    assert aurelius("export", "--sqlite", "nowhere/all.db", cwd=root).code == 6


@pytest.mark.parametrize(("hours", "tier"), [(9, "hot"), (0, "warm")])
def test_the_day_of_a_use_is_the_persons_own(root: Path, env: dict[str, str], hours: int, tier: str) -> None:
    """Used at eight in the evening in Greenwich, eight days ago there and seven in Tokyo."""
    log = root / ".aurelius" / "log" / "dev1"
    log.mkdir(parents=True)
    event = {"e": "dev1-1122334455667788", "t": "2026-02-02T20:00:00Z", "op": "use", "ref": "sqlt01", "via": "show"}
    (log / "2026-02.jsonl").write_text(json.dumps(event) + "\n")
    zone = datetime.timezone(datetime.timedelta(hours=hours))
    vault = Vault.find(str(root), env, str(root), now=datetime.datetime(2026, 2, 10, 12), zone=zone)
    try:
        found = upkeep(vault, (), private=False)
        assert {each.fact.key: each.tier for each in found.decays}["sqlt01"] == tier
    finally:
        vault.close()


def opened(root: Path, env: dict[str, str]) -> Vault:
    return Vault.find(str(root), env, str(root), now=datetime.datetime(2026, 2, 10, 12))


def test_what_is_pinned_is_never_proposed_however_little_it_matters(root: Path, env: dict[str, str]) -> None:
    said = "## Facts\n- Rained (2026-01-05, event, importance 0.05{}) ^rain0{}\n"
    (root / "rain.md").write_text(said.format("", 1) + said.format(", pinned", 2))
    with contextlib.closing(opened(root, env)) as vault:
        decays = {each.fact.key: each for each in upkeep(vault, ["rain"], private=False).decays}
    assert (decays["rain01"].below, decays["rain02"].below) == (True, False)


def test_of_facts_that_say_the_same_the_first_is_kept(root: Path, env: dict[str, str]) -> None:
    (root / "tea.md").write_text(
        "## Facts\n- Likes green tea ^teaa01\n- Likes green tea ^teaa02\n- Green tea he likes\n"
    )
    with contextlib.closing(opened(root, env)) as vault:
        twins = upkeep(vault, ["tea"], private=False).twins
    assert twins
    assert {each.kept.key for each in twins} == {"teaa01"}


def test_links_count_for_the_note_they_lead_to_and_not_within_a_note(root: Path, env: dict[str, str]) -> None:
    for folder in ("a", "b"):
        (root / folder).mkdir()
        (root / folder / "x.md").write_text(
            f"## Facts\n- Said in {folder} (2026-02-10) ^said0{folder}\n\n[self](x.md)\n"
        )
        (root / folder / "from.md").write_text("[there](x.md)\n" * (1 if folder == "a" else 3))
    with contextlib.closing(opened(root, env)) as vault:
        now = {each.fact.key: each.now for each in upkeep(vault, ["a/x.md", "b/x.md"], private=False).decays}
    assert {key: round(value, 2) for key, value in now.items()} == {"said0a": 0.62, "said0b": 0.64}
