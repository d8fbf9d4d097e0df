"""Every word that a note holds, in its text or its properties, finds the note, and no hit is without text."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]

QUARRY = """---
aliases: [Steinbruch]
status: quartzite
foreman: "[[crew/Ottilie]]"
machines:
  - crusher: Hazemag
---
"""
JETTY = "tide-gauge:: Marburg\n\n- Wood, mostly.\n"


@pytest.fixture
def ask(aurelius: Aurelius, vault: Vaults) -> Callable[[str], list[dict[str, Any]]]:
    """The hits of a question to the template vault and two more notes."""
    place = vault("template")
    (place / "resources/quarry.md").write_text(QUARRY, encoding="utf-8")
    (place / "resources/jetty.md").write_text(JETTY, encoding="utf-8")

    def asked(question: str) -> list[dict[str, Any]]:
        done = aurelius("search", question, "--json", cwd=place)
        found: list[dict[str, Any]] = json.loads(done.out)["hits"]
        return found

    return asked


@pytest.mark.parametrize(
    ("question", "path", "line"),
    [
        ("Lindqvist", "people/sarah.md", "aliases: Sarah Lindqvist, S. Lindqvist"),
        ("quartzite", "resources/quarry.md", "status: quartzite"),
        ("Steinbruch", "resources/quarry.md", "aliases: Steinbruch"),
        ("Ottilie", "resources/quarry.md", "foreman: Ottilie"),
        ("Hazemag", "resources/quarry.md", "machines.crusher: Hazemag"),
        ("Marburg", "resources/jetty.md", "tide-gauge: Marburg"),
    ],
)
def test_a_word_of_a_property_finds_its_note_and_shows_the_property(
    question: str, path: str, line: str, ask: Callable[[str], list[dict[str, Any]]]
) -> None:
    hits = ask(question)
    assert hits[0]["path"] == path
    assert line in hits[0]["text"].split("\n")
    assert "heading" not in hits[0]


def test_no_hit_is_without_text(aurelius: Aurelius, vault: Vaults) -> None:
    place = vault("template")
    (place / "resources/halyard.md").write_text("", encoding="utf-8")
    (place / "resources/bollard.md").write_text("---\nstatus:\n---\n\n", encoding="utf-8")
    for name in ("halyard", "bollard"):
        assert f"\n  name: {name.title()}\n" in aurelius("search", name, cwd=place).out


@pytest.mark.parametrize(
    "how", [("--mode", "keyword"), ("--mode", "vector"), ("--fusion", "rrf"), ("--fusion", "weighted")]
)
def test_in_the_published_orders_properties_come_after_what_texts_say(
    how: tuple[str, str], aurelius: Aurelius, vault: Vaults
) -> None:
    place = vault("empty")
    (place / "quarry.md").write_text("---\nstatus: quartzite\n---\n", encoding="utf-8")
    (place / "trip.md").write_text("We walked for hours and saw slate, sand and at last quartzite.\n", encoding="utf-8")
    done = aurelius("search", "quartzite", "--json", *how, cwd=place)
    assert [hit["path"] for hit in json.loads(done.out)["hits"]] == ["trip.md", "quarry.md"]
    (place / "trip.md").unlink()
    done = aurelius("search", "quartzite", "--json", *how, cwd=place)
    assert [hit["path"] for hit in json.loads(done.out)["hits"]] == ["quarry.md"]
