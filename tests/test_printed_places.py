"""Every place that a command prints is one that `get`, `show` and `open` take, with what stands around it."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aurelius = Callable[..., Any]

NOTES = {
    "people/joe b.md": "# Joe B\n\n## Facts\n- Lives in Oslo (2026-01-02) ^aaa111\n"
    "- Lives in Rome (2026-01-20) ^aab111\n"
    "- Knows [[gone]] and [[a#Missing]] (2026-02-01, foo) ^bbb222\n"
    "- [ ] call Joe quagga due 2026-02-12\n",
    "a.md": "# A\n\nfirst quagga line\nsecond line\nthird line\nfourth line\n\n## Part: 2\n\nsee [[joe b]]\n",
    "2026 12:30 talk.md": "# Talk\n\nquagga at the talk\nand more of it\n",
    "memory/2026-02-09.md": "- quagga was seen\n\n## Captured\n- Joe likes quaggas (2026-02-09, preference)\n",
    "people/ann.md": "# Ann\n\n## Facts\n- Lives in Bonn (2026-01-02) ^aaa111\n- Plays go (2026-01-04) %% x\n",
}

COMMANDS = [
    ("search", "quagga"),
    ("search", "where does Joe live"),
    ("search", "Oslo", "--explain"),
    ("show", "joe b", "--facts"),
    ("doctor",),
    ("tasks",),
    ("days",),
    ("links", "joe b", "--all"),
    ("links", "a.md", "--all"),
    ("review",),
    ("history", "joe b"),
    ("graph", "joe b"),
    ("context", "where does Joe live"),
    ("list",),
    ("add", "joe b", "Likes rain"),
    ("note", "quagga again"),
]

PLACE = re.compile(
    r"\[id:\w+\]|\^[a-z0-9]{6}\b|(?:newer: )?[\[(]?(?:[\w/-]+ )*[\w/:-]*(?: [\w:]+)*\.md:\d+(?:-\d+|:\d+)?[\])]?[:,;.]?"
)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    there = tmp_path / "vault"
    (there / ".aurelius").mkdir(parents=True)
    for path, text in NOTES.items():
        (there / path).parent.mkdir(exist_ok=True)
        (there / path).write_text(text, "utf-8")
    return there


def places_in(text: str) -> set[str]:
    """Every place in an answer, as it could be copied out of it."""
    found = set()
    for match in PLACE.finditer(text):
        words = match.group()
        path = next((path for path in NOTES if path in words), "")
        before = words.partition(path)[0] if path else ""
        found.add(
            words[len(before.rstrip("[(")) :] if path and before[-1:] in {"[", "(", " "} else words
        )
    return found


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_get_takes_every_place_that_a_command_prints(
    aurelius: Aurelius, root: Path, command: tuple[str, ...]
) -> None:
    done = aurelius(*command, cwd=root)
    text = done.out + done.err
    places = places_in(text) - {"^aaa111", "[id:aaa111]"}  # two notes have it, and that is told
    if command[0] in {"search", "show", "doctor", "tasks", "review"}:
        assert places, text
    for place in places:
        got = aurelius("get", place, "--json", "--no-use", cwd=root)
        assert got.code == 0, (place, got)
        told = re.search(r"\.md:(\d+)(?:-(\d+))?", place)
        if told:
            first, last = json.loads(got.out)["lines"]
            assert (first, last) == (int(told[1]), int(told[2] or told[1])), place
        assert aurelius("show", place, "--json", "--no-use", cwd=root).code == 0, place


@pytest.mark.parametrize(
    ("reference", "text"),
    [
        ("a.md:3-4", "first quagga line\nsecond line\n"),
        ("a:3-4", "first quagga line\nsecond line\n"),
        ("a.md:3:2", "first quagga line\nsecond line\n"),
        ("a.md:3", "first quagga line\n"),
        ("a.md:3:", "first quagga line\n"),
        ("a.md:3,", "first quagga line\n"),
        ("[a.md:3]", "first quagga line\n"),
        ("newer: a.md:3", "first quagga line\n"),
        ("→ a.md:3", "first quagga line\n"),
        ("`a.md:3`.", "first quagga line\n"),
        ("a.md:6-99", "fourth line\n\n## Part: 2\n\nsee [[joe b]]\n"),
        ("[[a#Part 2]]", "## Part: 2\n\nsee [[joe b]]\n"),
        ("[[a#Part: 2|that]]", "## Part: 2\n\nsee [[joe b]]\n"),
        ("2026 12:30 talk.md:3-4", "quagga at the talk\nand more of it\n"),
        ("2026 12:30 talk:3", "quagga at the talk\n"),
        ("[id:bbb222]", "- Knows [[gone]] and [[a#Missing]] (2026-02-01, foo) ^bbb222\n"),
        ("(^bbb222)", "- Knows [[gone]] and [[a#Missing]] (2026-02-01, foo) ^bbb222\n"),
        (
            "[[people/joe b#^bbb222]]",
            "- Knows [[gone]] and [[a#Missing]] (2026-02-01, foo) ^bbb222\n",
        ),
        ("people/joe b.md:4", "- Lives in Oslo (2026-01-02) ^aaa111\n"),
    ],
)
def test_a_place_is_taken_as_it_is_copied(
    aurelius: Aurelius, root: Path, reference: str, text: str
) -> None:
    assert aurelius("get", reference, "--no-use", cwd=root).out == text


@pytest.mark.parametrize(
    ("reference", "code", "told"),
    [
        ("a.md:5-3", 2, "the last line is before the first"),
        ("a.md:0-3", 2, "start at 1"),
        ("a.md:99:", 5, "a.md has no line 99"),
        ("[[nobody]]", 5, "no note is called 'nobody'"),
        ("[id:zzz999]", 5, "zzz999"),
    ],
)
def test_a_place_that_is_not_there_is_told(
    aurelius: Aurelius, root: Path, reference: str, code: int, told: str
) -> None:
    done = aurelius("get", reference, cwd=root)
    assert done.code == code
    assert told in done.err


def test_a_link_shows_the_note(aurelius: Aurelius, root: Path) -> None:
    plain, link = (
        json.loads(aurelius("show", each, "--json", "--no-use", cwd=root).out)
        for each in ("a", "[[a|A]]")
    )
    assert plain == link
