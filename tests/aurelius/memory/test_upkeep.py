"""Upkeep: what came up again and again, how much is offered in a week, and that nothing is written
unasked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.aurelius.settings.conftest import say_user

DAYS = ("2026-01-12", "2026-01-20", "2026-02-02", "2026-02-06")
ROSSI = "# Rossi\n\nA firm in Milan.\n\n## Facts\n\n- Delivers on Fridays (2026-01-01)\n"
OBSERVED = "“Rossi invoice” came up on 4 days, 2026-01-12 to 2026-02-06"


@pytest.fixture
def root(vault: Callable[..., Path], env: dict[str, str]) -> Path:
    place = vault("template")
    say_user(env, '[jobs]\nmaintain = "daily"\n')
    for day in DAYS:
        note = f"# {day}\n\n- The [[companies/rossi|Rossi]] invoice is still open\n"
        (place / f"memory/{day}.md").write_text(note, "utf-8")
    (place / "companies/rossi.md").write_text(ROSSI, "utf-8")
    return place


def files(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def observations(aurelius: Any, root: Path) -> list[dict[str, Any]]:
    found = json.loads(aurelius("maintain", "--json", "--all", cwd=root).out)["matters"]
    return [each for each in found if each["what"] == "observation"]


def told(aurelius: Any, root: Path) -> list[str]:
    return [each["fact"]["text"] for each in observations(aurelius, root)]


def test_what_came_up_on_several_days_is_proposed_with_the_lines_it_rests_on(
    aurelius: Any, root: Path
) -> None:
    (found,) = observations(aurelius, root)
    assert found["fact"]["text"] == OBSERVED
    lines = [(each["path"], each["line"]) for each in (*found["more"], found["fact"])]
    assert lines == [(f"memory/{day}.md", 3) for day in DAYS]
    assert found["page"] == "companies/rossi.md"


def test_nothing_is_written_and_a_second_look_finds_the_same(aurelius: Any, root: Path) -> None:
    before = files(root)
    first = aurelius("maintain", "--all", cwd=root).out
    assert aurelius("maintain", "--all", cwd=root).out == first
    assert files(root) == before


def test_an_accepted_observation_is_inferred_from_its_last_day_and_can_be_undone(
    aurelius: Any, root: Path
) -> None:
    key = observations(aurelius, root)[0]["short"]
    assert aurelius("review", "accept", key, cwd=root).code == 0
    page = (root / "companies/rossi.md").read_text("utf-8")
    assert f"- {OBSERVED} (2026-02-06, observation, inferred, from [[memory/2026-02-06]]) ^" in page
    assert observations(aurelius, root) == []
    assert aurelius("undo", cwd=root).code == 0
    assert (root / "companies/rossi.md").read_text("utf-8") == ROSSI
    assert told(aurelius, root) == [OBSERVED]


def test_a_dismissed_observation_is_never_proposed_again_though_it_comes_up_again(
    aurelius: Any, root: Path
) -> None:
    key = observations(aurelius, root)[0]["short"]
    assert aurelius("review", "dismiss", key, cwd=root).code == 0
    day = "# 2026-02-09\n\n- Paid the [[companies/rossi|Rossi]] invoice\n"
    (root / "memory/2026-02-09.md").write_text(day, "utf-8")
    assert observations(aurelius, root) == []
    assert aurelius("move", "companies/rossi", "companies/rossi-spa.md", cwd=root).code == 0
    assert observations(aurelius, root) == []


@pytest.mark.parametrize(
    "line",
    [
        "> The [[companies/rossi|Rossi]] invoice is still open",
        "“Rossi invoice” came up on 3 days [[companies/rossi]]",
        "The Rossi invoice is still open [companies/rossi.md:5]",
        "The [[companies/rossi|Rossi]] invoice is still open (2026-01-01, inferred)",
        "\n## Captured\n\n- The [[companies/rossi|Rossi]] invoice is still open",
    ],
)
def test_what_was_quoted_inferred_or_captured_is_no_evidence(
    aurelius: Any, root: Path, line: str
) -> None:
    for day in DAYS[:2]:
        (root / f"memory/{day}.md").write_text(f"# {day}\n\n- {line}\n", "utf-8")
    assert observations(aurelius, root) == []


@pytest.mark.parametrize("folder", ["conversations", "resources/import/claude", "archives"])
def test_what_agents_and_imports_say_is_no_evidence(aurelius: Any, root: Path, folder: str) -> None:
    for day in DAYS[:2]:
        place = root / folder / f"{day}.md"
        place.parent.mkdir(parents=True, exist_ok=True)
        (root / f"memory/{day}.md").rename(place)
    assert observations(aurelius, root) == []


def test_two_days_are_too_few_and_so_is_what_came_up_long_ago(aurelius: Any, root: Path) -> None:
    assert aurelius("maintain", cwd=root).out
    late = aurelius("maintain", "--json", "--now", "2027-02-10", cwd=root).out
    assert json.loads(late)["counts"].get("observation") is None
    for day in DAYS[:2]:
        (root / f"memory/{day}.md").unlink()
    assert observations(aurelius, root) == []


def test_observations_are_off_where_upkeep_is(
    aurelius: Any, root: Path, env: dict[str, str]
) -> None:
    say_user(env, "")
    assert observations(aurelius, root) == []


def doubled(root: Path, count: int) -> None:
    for number in range(count):
        line = f"Person {number} plays the old green cello"
        text = f"# Person {number}\n\n## Facts\n\n- {line} (2026-01-{number + 1:02})\n- {line}\n"
        (root / f"people/person-{number:02}.md").write_text(text, "utf-8")


def merges(aurelius: Any, root: Path, *more: str) -> list[str]:
    done = aurelius("maintain", "--json", "--all", *more, cwd=root)
    found = json.loads(done.out)["matters"]
    return [each["short"] for each in found if each["what"] == "merge"]


def test_ten_are_offered_in_a_week_and_what_waits_makes_no_room(
    aurelius: Any, tmp_path: Path
) -> None:
    place = tmp_path / "vault"
    (place / ".aurelius").mkdir(parents=True)
    (place / "people").mkdir()
    doubled(place, 14)
    first = merges(aurelius, place)
    assert len(first) == 10
    assert merges(aurelius, place, "--now", "2026-02-24") == first
    assert aurelius("review", "accept", *first[:2], cwd=place).code == 0
    assert aurelius("review", "dismiss", first[2], cwd=place).code == 0
    assert merges(aurelius, place) == first[3:]
    done = aurelius("maintain", cwd=place)
    assert "7 proposals wait in `aurelius review`; since Monday 2 accepted, 1 dismissed" in done.err
    later = merges(aurelius, place, "--now", "2026-02-17")
    assert len(later) == 10
    assert first[2] not in later
