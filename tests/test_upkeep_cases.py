"""What upkeep calls a duplicate is one, in other people's lines; and a year of it loses nothing."""

from __future__ import annotations

import datetime
import importlib
from pathlib import Path
from random import Random
from typing import Any

import pytest

from tests.aurelius.settings.conftest import say_user

ROOT = Path(__file__).parents[1]
PEOPLE = ("Rossi", "Weber", "Novak")
LINES = (
    "Plays the old green cello",
    "Is playing the old green cello",
    "Lives in Ely",
    "Lives in Bath",
    "Likes tea and coffee in the morning",
    "Likes coffee and tea in the morning",
    "Has a red boat, and a dog",
    "Saw the comet from the hill",
)


@pytest.fixture
def bench(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "scripts"))
    return importlib.import_module("benches.upkeep")


@pytest.mark.parametrize("place", [0, 1])
def test_nearly_all_proposed_duplicates_are_some(bench: Any, place: int) -> None:
    made = bench.judge(bench.FILES[place])
    assert made.right > 0
    assert made.precision >= bench.LEAST_RIGHT


def test_a_year_of_upkeep_loses_no_line_and_proposes_nothing_twice(
    bench: Any, tmp_path: Path, env: dict[str, str]
) -> None:
    say_user(env, '[jobs]\nmaintain = "daily"\n')
    root = tmp_path / "vault"
    for folder in (".aurelius", "people", "memory"):
        (root / folder).mkdir(parents=True)
    for name in PEOPLE:
        (root / f"people/{name.lower()}.md").write_text(f"# {name}\n\n## Facts\n\n", "utf-8")

    def write(random: Random, now: datetime.datetime) -> None:
        for name in PEOPLE:
            with (root / f"people/{name.lower()}.md").open("a", encoding="utf-8") as page:
                page.write(f"- {random.choice(LINES)} ({now:%Y-%m-%d})\n")
        day = f"# {now:%Y-%m-%d}\n\n- The {random.choice(PEOPLE)} invoice again, number {now:%j}\n"
        (root / f"memory/{now:%Y-%m-%d}.md").write_text(day, "utf-8")

    year = bench.play_year(root, env, weeks=52, write=write)
    assert year.lost == []
    assert year.again == []
    assert 1 < year.most <= 10
    assert year.accepted > 20
    assert year.dismissed > 20
