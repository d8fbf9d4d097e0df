"""What facts say of each other is told on both sides, in text and in JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]

NOTES = {
    "people/joe.md": "# Joe\n\n## Facts\n\n"
    "- Sold his boat (2026-01-05, because his knees) ^boat01\n"
    "- Moved to [[Bonn|the city]] (2026-01-06, because ^boat01) ^move01\n"
    "- Never sold a boat (2026-01-07, contradicts ^boat01) ^never1\n"
    "- Likes tea (2026-01-08)\n\n"
    "## Relationships\n\n- [[people/ann]] - Sister\n- [[nobody]] - Friend\n",
    "people/ann.md": "# Ann\n",
    "places/bonn.md": "# Bonn\n",
    "secret.md": "---\nprivate: true\n---\n# Secret\n\n## Facts\n\n- Hidden (2026-01-08, because ^boat01) ^hidden\n",
}


@pytest.fixture
def root(vault: Vaults) -> Path:
    there = vault("empty")
    for path, text in NOTES.items():
        (there / path).parent.mkdir(exist_ok=True)
        (there / path).write_text(text)
    return there


def test_show_tells_why_and_what_is_against_it_on_both_sides(aurelius: Aurelius, root: Path) -> None:
    lines = aurelius("show", "joe", "--facts", cwd=root).out.splitlines()
    told = {
        key: line.partition(")  ")[2] for key in ("boat01", "move01", "never1") for line in lines if key in line[:20]
    }
    assert told == {
        "boat01": "because his knees; led to ^move01; contradicts ^never1",
        "move01": "because ^boat01",
        "never1": "contradicts ^boat01",
    }
    alone = aurelius("show", "joe#^boat01", cwd=root).out
    assert "because his knees; led to ^move01; contradicts ^never1" in alone


def test_what_a_private_note_says_of_a_fact_is_not_told(aurelius: Aurelius, root: Path) -> None:
    assert "hidden" not in aurelius("show", "joe", "--facts", "--json", cwd=root).out
    assert "hidden" in aurelius("show", "joe", "--facts", "--json", "--private", cwd=root).out


def test_json_keeps_the_nine_keys_of_a_fact_and_tells_relations_beside_them(aurelius: Aurelius, root: Path) -> None:
    shown = json.loads(aurelius("show", "joe", "--json", cwd=root).out)
    assert list(shown["facts"][0]) == [
        "id", "fact", "category", "timestamp", "status", "supersededBy", "relatedEntities", "lastAccessed",
        "accessCount",
    ]  # fmt: skip
    of_boat = [(each["verb"], each["id"], each["text"]) for each in shown["relations"] if each["fact"] == "boat01"]
    assert of_boat == [
        ("because", "", "his knees"), ("led to", "move01", ""), ("contradicts", "never1", ""),
    ]  # fmt: skip


def test_related_notes_are_paths_and_those_of_the_line_come_first(aurelius: Aurelius, root: Path) -> None:
    facts = {each["id"]: each for each in json.loads(aurelius("show", "joe", "--json", cwd=root).out)["facts"]}
    assert facts["move01"]["relatedEntities"] == ["places/bonn.md", "people/ann.md", "nobody"]


def test_history_tells_them_too(aurelius: Aurelius, root: Path) -> None:
    told = aurelius("history", "^boat01", cwd=root).out
    assert told.endswith("[id:boat01]  because his knees; led to ^move01; contradicts ^never1\n")
    step = json.loads(aurelius("history", "^move01", "--json", cwd=root).out)["chains"][0][0]
    assert step["relations"] == [{"verb": "because", "id": "boat01", "text": ""}]
