"""What waits for a person's word: shown, accepted as a person would have typed it, dismissed for good."""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]

JOE = """\
# Joe

## Facts
- Lives in San Diego (2025-03-01)
- Phone: 555-0142 (2025-03-01) ^phone1
- Phone: 555-0187 (2025-05-01)
- Has a boat (2025-03-01)
- Has a boat
- Works at TechCorp (2025-03-01) ^tech01
"""
DAY = """\
# 2026-02-09

- [[people/joe]] moved to Los Angeles

## Captured
- [[people/joe]] no longer works at TechCorp, joined Initech
- The office plant needs water on Mondays
"""


@pytest.fixture
def root(vault: Vaults) -> Path:
    there = vault("empty")
    for path, text in (("people/joe.md", JOE), ("memory/2026-02-09.md", DAY)):
        (there / path).parent.mkdir(exist_ok=True)
        (there / path).write_text(text, "utf-8", newline="")
    (there / ".aurelius").mkdir(exist_ok=True)
    return there


@pytest.fixture
def ask(aurelius: Aurelius, root: Path) -> Callable[..., Any]:
    def asked(*argv: str) -> Any:
        if argv[1:2] and argv[1].isdecimal():
            aurelius("review", cwd=root)  # a number is one of the list as it was last shown
        return aurelius("review", *argv, cwd=root)

    return asked


def matters(ask: Callable[..., Any]) -> list[tuple[str, str]]:
    found = json.loads(ask("--json").out)["matters"]
    return [(each["what"], each["fact"]["text"]) for each in found]


ALL = [
    ("supersede", "Lives in San Diego"),
    ("ask", "Phone: 555-0142"),
    ("captured", "[[people/joe]] no longer works at TechCorp, joined Initech"),
    ("captured", "The office plant needs water on Mondays"),
    ("merge", "Has a boat"),
]


def test_looking_writes_nothing(ask: Callable[..., Any], root: Path) -> None:
    assert matters(ask) == ALL
    assert ask().out.count("\n\n") == len(ALL)
    assert (root / "people/joe.md").read_text("utf-8") == JOE
    assert (root / "memory/2026-02-09.md").read_text("utf-8") == DAY
    assert not (root / ".aurelius/log").exists()


def test_what_is_accepted_is_past_and_both_lines_stay(ask: Callable[..., Any], root: Path) -> None:
    dry = ask("accept", "1", "--dry-run")
    assert dry.code == 0
    assert (root / "people/joe.md").read_text("utf-8") == JOE
    assert ask("accept", "1").code == 0
    text = (root / "people/joe.md").read_text("utf-8")
    (struck,) = [line for line in text.splitlines() if "San Diego" in line]
    (new,) = [line for line in (root / "memory/2026-02-09.md").read_text("utf-8").splitlines() if "Angeles" in line]
    own = new.rpartition("^")[2]
    assert new == f"- [[people/joe]] moved to Los Angeles ^{own}"
    assert struck.startswith(f"- ~~Lives in San Diego~~ (2025-03-01 → 2026-02-09, superseded by ^{own}) ^")
    assert matters(ask) == ALL[1:]


def test_what_is_undone_waits_again(ask: Callable[..., Any], aurelius: Aurelius, root: Path) -> None:
    ask("accept", "2")
    assert len(matters(ask)) == len(ALL) - 1
    assert aurelius("undo", cwd=root).code == 0
    assert matters(ask) == ALL


def test_what_is_dismissed_is_not_proposed_again(ask: Callable[..., Any], aurelius: Aurelius, root: Path) -> None:
    assert ask("dismiss", "1").code == 0
    assert matters(ask) == ALL[1:]
    assert (root / "people/joe.md").read_text("utf-8") == JOE
    assert aurelius("tidy", "--stamp", cwd=root).code == 0
    assert matters(ask) == ALL[1:], "with an id it is the same fact"


def test_a_captured_line_goes_where_it_belongs(ask: Callable[..., Any], root: Path) -> None:
    assert ask("accept", "3").code == 0
    text = (root / "people/joe.md").read_text("utf-8")
    assert "joined Initech (2026-02-09, from [[memory/2026-02-09]], updates ^tech01) ^" in text
    assert "- ~~Works at TechCorp~~ (2025-03-01 → 2026-02-09, superseded by ^" in text
    assert ask("accept", "3").code == 0
    day = (root / "memory/2026-02-09.md").read_text("utf-8")
    assert day.index("## Captured") < day.index("- The office plant needs water on Mondays ^")
    assert [what for what, _ in matters(ask)] == ["supersede", "ask", "merge"]


def test_duplicates_are_struck_and_point_at_what_is_kept(ask: Callable[..., Any], root: Path) -> None:
    assert ask("accept", "5").code == 0
    lines = [line for line in (root / "people/joe.md").read_text("utf-8").splitlines() if "boat" in line]
    struck, kept = lines  # History stands before the last section
    own = kept.rpartition("^")[2]
    assert kept == f"- Has a boat (2025-03-01) ^{own}"
    assert f"superseded by ^{own})" in struck
    assert struck.startswith("- ~~Has a boat~~")


def test_a_key_does_what_a_number_does(ask: Callable[..., Any]) -> None:
    (key,) = [each["key"] for each in json.loads(ask("--json").out)["matters"] if each["what"] == "ask"]
    assert ask("accept", key).code == 0
    assert "ask" not in [what for what, _ in matters(ask)]


@pytest.mark.parametrize("argv", [("accept",), ("accept", "77"), ("dismiss", "no>such"), ("list", "1")])
def test_what_is_not_there_is_refused(ask: Callable[..., Any], argv: tuple[str, ...]) -> None:
    done = ask(*argv)
    assert done.code == 2
    assert done.out == ""


def test_a_day_is_no_entity(ask: Callable[..., Any], root: Path) -> None:
    told = "# 2026-02-08\n\n- Lived in the tent, price of bread 3 euros\n- The price of bread is now 4 euros\n"
    (root / "memory/2026-02-08.md").write_text(told, "utf-8")
    assert matters(ask) == ALL


def test_nothing_waits_in_an_empty_vault(aurelius: Aurelius, vault: Vaults) -> None:
    done = aurelius("review", cwd=vault("empty"))
    assert (done.code, done.out, done.err) == (0, "", "aurelius: nothing to review\n")


@pytest.mark.parametrize("year", [2026, 2027, 2029])
def test_a_new_vault_has_nothing_to_decide_today_or_years_later(aurelius: Aurelius, tmp_path: Path, year: int) -> None:
    assert aurelius("init", str(tmp_path / "new")).code == 0
    done = aurelius("review", cwd=tmp_path / "new", now=datetime.datetime(year, 11, 22))
    assert (done.code, done.out) == (0, "")


def test_a_job_that_is_held_is_never_proposed_for_the_archive(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("empty")
    (root / "people").mkdir()
    text = "# Joe\n\n## Facts\n\n- Works at TechCorp (2016-01-15, milestone)\n- Is the lead of Atlas (2016-01-15)\n"
    (root / "people/joe.md").write_text(text)
    assert aurelius("review", cwd=root).out == ""


def test_a_captured_line_that_updates_a_past_fact_takes_the_place_of_what_holds_instead(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    (root / "resources").mkdir()
    (root / "memory").mkdir(exist_ok=True)
    (root / "resources/rules.md").write_text(
        "# Scores\n\n## Facts\n\n- Articles need 80 (2025-06-01, updates ^surf75) ^surf80\n\n## History\n\n"
        "- ~~Articles need 75~~ (2025-01-01 → 2025-06-01, superseded by ^surf80) ^surf75\n"
    )
    (root / "memory/2026-02-09.md").write_text(
        "# 2026-02-09\n\n## Captured\n\n- [[resources/rules]]: articles need 90 (2026-02-09, updates ^surf75) ^surf90\n"
    )
    short = next(
        each["short"] for each in json.loads(aurelius("review", "--json", cwd=root).out)["matters"]
        if each["what"] == "captured"
    )  # fmt: skip
    assert aurelius("review", "accept", short, cwd=root).code == 0
    active = {fact["id"]: fact["status"] for fact in json.loads(aurelius("export", "--json", cwd=root).out)["facts"]}
    assert active == {"surf75": "superseded", "surf80": "superseded", "surf90": "active"}
