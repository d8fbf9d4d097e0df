"""Every door gives the same answer to which facts hold: search, show, list, history, export, summarize, tiers."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from .conftest import Aurelius

Held = dict[tuple[str, str], tuple[str, str | None]]
"""Path and id of a fact → its status, and until when it held."""

NOTES = {
    "people/joe.md": (
        "# Joe\n\n## Summary\n\n## Facts\n"
        "- Lives in the red house (2026-02-01, updates ^aaaa2c) ^aaaa1b\n"
        "- Lives in the blue house (2026-02-02, updates ^aaaa1b) ^aaaa2c\n"
        "- Drives a green bus (2025-01-01) ^cars01\n"
        "- Plays the oboe (2026-02-05) ^oboe01\n"
        "- Plays the flute (2026-02-03, updates ^oboe01) ^flut01\n"
        "\n## History\n- ~~Drives a grey tram~~ (2024-01-01, superseded by ^cars01) ^cars00\n"
    ),
    "projects/one.md": (
        "# One\n\n## Summary\n\n## Facts\n- Deadline falls in March (2026-01-01) ^dddd4e\n"
        "- Deadline falls in May (2026-01-20, updates ^dddd4e) ^dddd5e\n"
        "- Deadline falls in June (2026-02-09) ^dddd6f\n- Boat has an oak mast (2026-01-03) ^eeee6f\n"
    ),
    "projects/two.md": (
        "# Two\n\n## Summary\n\n## Facts\n- Hull paint stays yellow (2026-01-01) ^dddd4e\n"
        "- Boat has a pine mast (2026-01-04) ^eeee6f\n"
    ),
    "memory/2026-01-25.md": "- The mast is steel (2026-01-25, updates ^eeee6f) ^mast01\n",
    "memory/2026-02-01.md": (
        "- Joe drives a black van (2026-02-01, updates ^cars01, superseded by ^cars03) ^cars02\n"
        "- Joe drives a white cab ^cars03\n"
    ),
}
EXPECTED: Held = {
    ("people/joe.md", "aaaa1b"): ("active", None),
    ("people/joe.md", "aaaa2c"): ("active", None),
    ("people/joe.md", "cars00"): ("superseded", "2025-01-01"),
    ("people/joe.md", "cars01"): ("superseded", "2026-02-01"),
    ("people/joe.md", "oboe01"): ("superseded", "2026-02-05"),
    ("people/joe.md", "flut01"): ("active", None),
    ("projects/one.md", "dddd4e"): ("superseded", "2026-01-20"),
    ("projects/one.md", "dddd5e"): ("active", None),
    ("projects/one.md", "dddd6f"): ("active", None),
    ("projects/one.md", "eeee6f"): ("active", None),
    ("projects/two.md", "dddd4e"): ("active", None),
    ("projects/two.md", "eeee6f"): ("active", None),
    ("memory/2026-01-25.md", "mast01"): ("active", None),
    ("memory/2026-02-01.md", "cars02"): ("superseded", "2026-02-01"),
    ("memory/2026-02-01.md", "cars03"): ("active", None),
}
ACTIVE = {fact for fact, (status, _) in EXPECTED.items() if status == "active"}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    (root / ".aurelius").mkdir()
    return root


@pytest.fixture
def json_of(place: Path, aurelius: Aurelius) -> Callable[..., Any]:
    def run(*argv: str, code: int = 0) -> Any:
        done = aurelius(*argv, "--json", cwd=place)
        assert done.code == code, done.err
        return json.loads(done.out)

    return run


def exported(rows: list[dict[str, Any]]) -> Held:
    return {(row["path"], row["id"]): (row["status"], row["until"]) for row in rows}


def struck(markdown: str) -> Iterator[tuple[tuple[str, str], bool]]:
    """Each line of `export --md`, and whether it is struck through."""
    path = ""
    for line in markdown.splitlines():
        if line.startswith("## "):
            path = line[3:]
        elif line:
            yield (path, line.rpartition("^")[2]), line.startswith("- ~~")


def test_json_and_sqlite_export_say_which_facts_hold_and_until_when(
    place: Path, json_of: Callable[..., Any], aurelius: Aurelius, tmp_path: Path
) -> None:
    assert exported(json_of("export")["facts"]) == EXPECTED
    assert aurelius("export", "--sqlite", str(tmp_path / "facts.db"), cwd=place).code == 0
    db = sqlite3.connect(tmp_path / "facts.db")
    rows = [
        dict(zip(("path", "id", "status", "until"), row, strict=True))
        for row in db.execute("SELECT path, id, status, until FROM fact")
    ]
    db.close()
    assert exported(rows) == EXPECTED


def test_markdown_export_strikes_only_what_is_past(place: Path, aurelius: Aurelius) -> None:
    done = aurelius("export", "--md", cwd=place)
    assert {fact for fact, past in struck(done.out) if not past} == ACTIVE
    assert {fact for fact, _ in struck(done.out)} == EXPECTED.keys()


def test_search_shows_what_holds_and_finds_the_rest_when_asked(json_of: Callable[..., Any]) -> None:
    for fact in EXPECTED:
        line = next(line for line in NOTES[fact[0]].splitlines() if line.endswith(f"^{fact[1]}"))
        words = re.sub(r"[~^(].*", "", line[2:].lstrip("~"))
        hits = json_of("search", words, "--mode", "keyword", "--no-use", "-n", "50")["hits"]
        assert (fact in {(hit["path"], hit.get("id")) for hit in hits}) == (fact in ACTIVE), (
            fact,
            words,
        )
        hits = json_of(
            "search", words, "--mode", "keyword", "--no-use", "--status", "all", "-n", "50"
        )["hits"]
        assert {(hit["path"], hit.get("id")): hit.get("status", "active") for hit in hits}[
            fact
        ] == EXPECTED[fact][0]


def test_lists_views_and_history_tell_the_same_status(json_of: Callable[..., Any]) -> None:
    listed = {
        (row["path"], row["id"]): row.get("status", "active")
        for row in json_of("list", "--type", "fact")["facts"]
    }
    assert listed == {fact: status for fact, (status, _) in EXPECTED.items() if listed.get(fact)}
    assert {("people/joe.md", "aaaa1b"), ("projects/two.md", "dddd4e")} <= listed.keys()
    for path in NOTES:
        shown = {
            (path, fact["id"]): fact["status"]
            for fact in json_of("show", path, "--no-use")["facts"]
        }
        assert shown == {fact: status for fact, (status, _) in EXPECTED.items() if fact[0] == path}
        steps = [step for chain in json_of("history", path)["chains"] for step in chain]
        found = {(step["path"], step["id"]): (step["status"], step["until"]) for step in steps}
        assert found == {fact: EXPECTED[fact] for fact in found}
    for path, key in EXPECTED:
        chain = json_of("history", f"{path}#^{key}")["chains"][0]
        assert (path, key) in {(step["path"], step["id"]) for step in chain}


def test_no_fact_ends_before_it_began(json_of: Callable[..., Any]) -> None:
    for row in json_of("export")["facts"]:
        assert not row["until"] or row["until"] >= row["date"]


def test_summaries_are_made_of_what_holds(place: Path, aurelius: Aurelius) -> None:
    assert aurelius("summarize", cwd=place).code == 0
    joe, one, two = (
        (place / path).read_text().partition("## Facts")[0] for path in list(NOTES)[:3]
    )
    assert "red house" not in joe, (
        "of two values the newer one stands, though the two replace each other"
    )
    assert "blue house" in joe
    assert "oboe" not in joe
    assert "bus" not in joe
    assert "March" not in one
    assert "yellow" in two
    assert "pine mast" in two


def test_tiers_count_what_holds(json_of: Callable[..., Any]) -> None:
    assert sum(json_of("status", "--tiers")["tiers"].values()) == len(ACTIVE)
    assert sum(json_of("status", "--tiers", "people/joe.md")["tiers"].values()) == len(
        [fact for fact in ACTIVE if "joe" in fact[0]]
    )


def test_review_asks_nothing_about_what_is_past(json_of: Callable[..., Any]) -> None:
    past = EXPECTED.keys() - ACTIVE
    matters = json_of("review")["matters"]
    asked = [each[side] for each in matters for side in ("fact", "by") if side in each]
    assert not past & {(each["path"], each["id"]) for each in asked}
    pairs = [(each["fact"]["id"], each["by"]["id"]) for each in matters if "by" in each]
    assert sorted(pairs) == [("aaaa1b", "aaaa2c"), ("dddd5e", "dddd6f")], (
        "and which of two that replace each other"
    )


def test_doctor_tells_the_circle_and_the_id_in_two_notes(json_of: Callable[..., Any]) -> None:
    found = json_of("doctor", code=1)["findings"]
    circles = [each for each in found if each["code"] == "cycle"]
    assert [(each["path"], each["message"]) for each in circles] == [
        ("people/joe.md", "facts supersede each other: ^aaaa1b → ^aaaa2c → ^aaaa1b")
    ]
    doubled = {(each["path"], each["message"]) for each in found if each["code"] == "duplicate-id"}
    assert doubled == {
        ("projects/two.md", "^dddd4e is also at projects/one.md:6"),
        ("projects/two.md", "^eeee6f is also at projects/one.md:9"),
    }


@pytest.mark.parametrize(
    ("day", "held"),
    [
        ("2024-12-31", {"cars00"}),
        ("2025-01-01", {"cars01"}),
        ("2026-01-19", {"cars01", "dddd4e one", "dddd4e two", "eeee6f one", "eeee6f two"}),
        (
            "2026-01-31",
            {"cars01", "dddd5e", "dddd4e two", "eeee6f one", "eeee6f two", "mast01"},
        ),
        (
            "2026-02-10",
            {f"{key} {path[9:12]}" if key in {"dddd4e", "eeee6f"} else key for path, key in ACTIVE},
        ),
    ],
)
def test_as_of_a_day_shows_what_held_then(
    json_of: Callable[..., Any], day: str, held: set[str]
) -> None:
    words = "lives drives plays deadline hull boat mast"
    hits = json_of("search", words, "--mode", "keyword", "--no-use", "--as-of", day, "-n", "50")[
        "hits"
    ]
    doubled = {"dddd4e", "eeee6f"}
    found = {
        f"{hit['id']} {hit['path'][9:12]}" if hit["id"] in doubled else hit["id"]
        for hit in hits
        if hit["id"]
    }
    assert found == held
