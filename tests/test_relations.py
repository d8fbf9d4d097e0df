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


def test_show_tells_why_and_what_is_against_it_on_both_sides(
    aurelius: Aurelius, root: Path
) -> None:
    lines = aurelius("show", "joe", "--facts", cwd=root).out.splitlines()
    told = {
        key: line.partition(")  ")[2]
        for key in ("boat01", "move01", "never1")
        for line in lines
        if key in line[:20]
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


def test_json_keeps_the_nine_keys_of_a_fact_and_tells_relations_beside_them(
    aurelius: Aurelius, root: Path
) -> None:
    shown = json.loads(aurelius("show", "joe", "--json", cwd=root).out)
    assert list(shown["facts"][0]) == [
        "id",
        "fact",
        "category",
        "timestamp",
        "status",
        "supersededBy",
        "relatedEntities",
        "lastAccessed",
        "accessCount",
    ]
    of_boat = [
        (each["verb"], each["id"], each["text"])
        for each in shown["relations"]
        if each["fact"] == "boat01"
    ]
    assert of_boat == [
        ("because", "", "his knees"),
        ("led to", "move01", ""),
        ("contradicts", "never1", ""),
    ]


def test_related_notes_are_paths_and_those_of_the_line_come_first(
    aurelius: Aurelius, root: Path
) -> None:
    facts = {
        each["id"]: each
        for each in json.loads(aurelius("show", "joe", "--json", cwd=root).out)["facts"]
    }
    assert facts["move01"]["relatedEntities"] == ["places/bonn.md", "people/ann.md", "nobody"]


def test_history_tells_them_too(aurelius: Aurelius, root: Path) -> None:
    told = aurelius("history", "^boat01", cwd=root).out
    assert told.endswith("[id:boat01]  because his knees; led to ^move01; contradicts ^never1\n")
    step = json.loads(aurelius("history", "^move01", "--json", cwd=root).out)["chains"][0][0]
    assert step["relations"] == [{"verb": "because", "id": "boat01", "text": ""}]


def shown(aurelius: Aurelius, root: Path, *times: tuple[str, str], session: str = "") -> None:
    """Show facts, each at its time, in a session or in none."""
    (root / ".aurelius").mkdir(exist_ok=True)
    for what, now in times:
        extra = ("--session", session) if session else ()
        assert aurelius("show", what, *extra, "--now", now, cwd=root).code == 0


def related(aurelius: Aurelius, root: Path, what: str, *extra: str) -> list[str]:
    found = json.loads(
        aurelius("graph", what, "--type", "related", "--json", *extra, cwd=root).out
    )["edges"]
    return [each["target"].get("id", each["target"]["path"]) for each in found]


def test_what_was_shown_in_one_session_is_related_and_no_search_changes(
    aurelius: Aurelius, root: Path
) -> None:
    (root / ".aurelius").mkdir(exist_ok=True)
    asked = ("search", "boat tea city", "--no-use", "--explain", "--json", "--now", "2026-03-01")
    before = json.loads(aurelius(*asked, cwd=root).out)
    shown(
        aurelius,
        root,
        ("people/ann.md", "2026-02-10T09:00"),
        ("^never1", "2026-02-12T15:00"),
        session="s-1",
    )
    shown(aurelius, root, ("places/bonn.md", "2026-02-10T09:01"))
    assert related(aurelius, root, "people/ann.md") == ["never1"]
    assert related(aurelius, root, "^never1") == ["people/ann.md"]
    text = aurelius("graph", "people/ann.md", cwd=root).out
    assert "related  → ^never1 fact 2026-01-07 Never sold a boat" in text
    after = json.loads(aurelius(*asked, cwd=root).out)
    assert [ranked(each) for each in after["hits"]] == [ranked(each) for each in before["hits"]]


def ranked(hit: dict[str, Any]) -> dict[str, Any]:
    """A hit without what tells how warm it is."""
    return {
        key: value
        for key, value in hit.items()
        if key not in {"tier", "lastAccessed", "accessCount"}
    }


def test_without_a_session_what_was_shown_within_half_an_hour_is_related(
    aurelius: Aurelius, root: Path
) -> None:
    shown(
        aurelius,
        root,
        ("people/ann.md", "2026-02-10T09:00"),
        ("^never1", "2026-02-10T09:29"),
        ("places/bonn.md", "2026-02-10T10:05"),
    )
    assert related(aurelius, root, "people/ann.md") == ["never1"]
    assert related(aurelius, root, "places/bonn.md") == []


def test_what_is_private_is_related_to_nothing_that_is_not_asked_for(
    aurelius: Aurelius, root: Path
) -> None:
    shown(aurelius, root, ("people/ann.md", "2026-02-10T09:00"), session="s1")
    for what, now in (("^hidden", "2026-02-10T09:01"), ("secret.md", "2026-02-10T09:02")):
        assert (
            aurelius("show", what, "--private", "--session", "s1", "--now", now, cwd=root).code == 0
        )
    assert related(aurelius, root, "people/ann.md") == []
    assert related(aurelius, root, "people/ann.md", "--private") == ["hidden", "secret.md"]


def test_the_environment_may_name_the_session_and_an_odd_name_is_told(
    aurelius: Aurelius, root: Path, env: dict[str, str]
) -> None:
    (root / ".aurelius").mkdir(exist_ok=True)
    env["AURELIUS_SESSION"] = "s9"
    for what, now in (("people/ann.md", "2026-02-10"), ("^never1", "2026-02-12")):
        aurelius("show", what, "--now", now, cwd=root)
    assert related(aurelius, root, "^never1") == ["people/ann.md"]
    env["AURELIUS_SESSION"] = "no\x1bname"
    done = aurelius("show", "joe", "--now", "2026-02-13", cwd=root)
    assert done.code == 0
    assert "AURELIUS_SESSION is ignored: a session is named by letters" in done.err
    del env["AURELIUS_SESSION"]
    for odd in ("a b", "x" * 65, '"', "é"):
        refused = aurelius("show", "joe", "--session", odd, cwd=root)
        assert (refused.code, refused.out) == (2, "")
        assert "'--session'" in refused.err


def test_what_was_said_in_a_conversation_replaces_no_fact(aurelius: Any, vault: Any) -> None:
    root = vault("empty")
    (root / "conversations").mkdir()
    (root / "joe.md").write_text("# Joe\n\n## Facts\n- Works at Techcorp (2026-01-01) ^wrk001\n")
    talk = root / "conversations/2026-02-01.md"
    talk.write_text("# Talk\n\n## Facts\n- Works at Bakery (2026-02-01, updates ^wrk001) ^wrk002\n")

    def answer(*words: str) -> Any:
        done = aurelius(*words, "--json", cwd=root)
        assert done.code == 0, done.err
        return json.loads(done.out)

    assert [
        hit["status"] for hit in answer("search", "works at Techcorp")["hits"] if "status" in hit
    ] == []
    assert [hit["id"] for hit in answer("search", "works at Techcorp")["hits"]] == ["wrk001"]
    assert {fact["status"] for fact in answer("export")["facts"]} == {"active"}
    assert answer("history", "joe")["chains"] == []
    assert "wrk002" not in json.dumps(answer("graph", "wrk001"))
    assert aurelius("doctor", "--tidy", cwd=root).code == 0
    assert "superseded" not in (root / "joe.md").read_text()
    assert aurelius("supersede", "^wrk001", "Works at Acme", cwd=root).code == 0
