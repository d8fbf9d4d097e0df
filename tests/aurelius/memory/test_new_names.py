"""Names that no page has: a page after three days, at once for family and projects, and for nothing else."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]


@pytest.fixture
def begun(vault: Vaults, aurelius: Aurelius) -> Callable[..., set[tuple[str, str]]]:
    root = vault("empty")
    for each in ("memory", "people", "projects"):
        (root / each).mkdir(exist_ok=True)
    (root / "people" / "tim.md").write_text("# Tim\n", "utf-8")
    (root / "projects" / "boat.md").write_text("# Boat\n", "utf-8")

    def ask(*days: str) -> set[tuple[str, str]]:
        for number, text in enumerate(days, 1):
            (root / "memory" / f"2026-02-0{number}.md").write_text(f"- {text}\n", "utf-8", newline="")
        rows = json.loads(aurelius("extract", "--json", cwd=root).out)["facts"]
        return {(each["new_page"], each["kind"]) for each in rows}

    return ask


def test_a_name_of_three_days_gets_no_page(begun: Callable[..., set[tuple[str, str]]]) -> None:
    assert begun("Gerda Pohl works on paper only, she said", "lunch with Gerda Pohl") == set()
    assert begun(
        "Gerda Pohl works on paper only, she said", "lunch with G. Pohl", "Pohl lives in Rome"
    ) == {("Gerda Pohl", "person")}  # fmt: skip


@pytest.mark.parametrize("line", ["My sister Ana lives in Rome", "Ana (my sister) lives in Rome", "Ana is my sister"])
def test_somebody_of_the_family_gets_no_page_at_once(begun: Callable[..., set[tuple[str, str]]], line: str) -> None:
    assert begun(line) == {("Ana", "person")}


def test_a_project_gets_no_page_at_once(begun: Callable[..., set[tuple[str, str]]]) -> None:
    assert begun("Started project Helios: the deadline is 3 May") == {("Helios", "project")}


def test_a_place_that_is_often_named_gets_a_page(begun: Callable[..., set[tuple[str, str]]]) -> None:
    assert begun("flew to New York", "New York is expensive", "the museum in New York is free on Fridays") == set()


def test_a_page_that_was_begun_is_begun_again(vault: Vaults, aurelius: Aurelius) -> None:
    root = vault("empty")
    for each in ("memory", "people", "projects"):
        (root / each).mkdir(exist_ok=True)
    (root / "people" / "tim.md").write_text("# Tim\n", "utf-8")
    (root / "projects" / "boat.md").write_text("# Boat\n", "utf-8")
    (root / "memory" / "2026-02-01.md").write_text("- My sister Ana lives in Rome\n", "utf-8", newline="")
    aurelius("config", "set", "capture.replace", "apply", cwd=root)
    aurelius("extract", cwd=root)
    there = root / "people" / "ana.md"
    before = there.read_bytes()
    assert b"My sister Ana lives in Rome (2026-02-01, from [[memory/2026-02-01]])" in before
    aurelius("extract", cwd=root)
    assert there.read_bytes() == before


def test_a_page_is_begun_where_nobody_keeps_pages_of_its_kind(vault: Vaults, aurelius: Aurelius) -> None:
    root = vault("empty")
    (root / "memory").mkdir(exist_ok=True)
    (root / "memory" / "2026-02-01.md").write_text("- My sister Ana lives in Rome\n", "utf-8", newline="")
    assert json.loads(aurelius("extract", "--json", cwd=root).out)["facts"] == []
