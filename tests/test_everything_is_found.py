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
        (
            "Lindqvist",
            "people/sarah.md",
            "Friend from university. Organises the yearly conference where I met Joe.",
        ),
        ("quartzite", "resources/quarry.md", "status: quartzite"),
        ("Steinbruch", "resources/quarry.md", "aliases: Steinbruch"),
        ("Ottilie", "resources/quarry.md", "foreman: Ottilie"),
        ("Hazemag", "resources/quarry.md", "machines.crusher: Hazemag"),
        ("Marburg", "resources/jetty.md", "tide-gauge: Marburg"),
    ],
)
def test_a_word_of_a_property_finds_its_note_and_shows_the_property_or_for_a_name_its_text(
    question: str, path: str, line: str, ask: Callable[[str], list[dict[str, Any]]]
) -> None:
    hits = ask(question)
    assert hits[0]["path"] == path
    assert line in hits[0]["text"].split("\n")
    assert ("heading" in hits[0]) == (question == "Lindqvist")


def test_no_hit_is_without_text(aurelius: Aurelius, vault: Vaults) -> None:
    place = vault("template")
    (place / "resources/halyard.md").write_text("", encoding="utf-8")
    (place / "resources/bollard.md").write_text("---\nstatus:\n---\n\n", encoding="utf-8")
    for name in ("halyard", "bollard"):
        assert f"\n  name: {name.title()}\n" in aurelius("search", name, cwd=place).out


@pytest.mark.parametrize(
    "how",
    [("--mode", "keyword"), ("--mode", "vector"), ("--fusion", "rrf"), ("--fusion", "weighted")],
)
def test_in_the_published_orders_properties_come_after_what_texts_say(
    how: tuple[str, str], aurelius: Aurelius, vault: Vaults
) -> None:
    place = vault("empty")
    (place / "quarry.md").write_text("---\nstatus: quartzite\n---\n", encoding="utf-8")
    (place / "trip.md").write_text(
        "We walked for hours and saw slate, sand and at last quartzite.\n", encoding="utf-8"
    )
    done = aurelius("search", "quartzite", "--json", *how, cwd=place)
    assert [hit["path"] for hit in json.loads(done.out)["hits"]] == ["trip.md", "quarry.md"]
    (place / "trip.md").unlink()
    done = aurelius("search", "quartzite", "--json", *how, cwd=place)
    assert [hit["path"] for hit in json.loads(done.out)["hits"]] == ["quarry.md"]


def first_text(aurelius: Aurelius, place: Path, question: str) -> str:
    hits = json.loads(aurelius("search", question, "--json", cwd=place).out)["hits"]
    assert hits[0]["path"] == "note.md"
    return str(hits[0]["text"])


def test_properties_that_say_nothing_to_a_question_give_way_to_the_text(
    aurelius: Aurelius, vault: Vaults
) -> None:
    place = vault("empty")
    (place / "note.md").write_text(
        "---\ntags: os\naliases: [Mutual exclusion]\n---\n\nBinary [[Semaphores]] for locking.\n",
        encoding="utf-8",
    )
    (place / "mutex.md").write_text("Nothing.\n", encoding="utf-8")
    assert first_text(aurelius, place, "mutual exclusion") == "Binary [[Semaphores]] for locking."
    assert first_text(aurelius, place, "os") == "Binary [[Semaphores]] for locking."
    (place / "note.md").write_text(
        "---\nloc: Kyoto\nrating: 7\nlast: 2023\n---\n\nA long way up.\n", encoding="utf-8"
    )
    hits = json.loads(aurelius("search", "note", "--json", cwd=place).out)["hits"]
    assert [hit["text"] for hit in hits] == ["A long way up."], "nobody asked for a property"
    hits = json.loads(aurelius("search", "kyoto", "--json", cwd=place).out)["hits"]
    assert "loc: Kyoto" in hits[0]["text"]


@pytest.mark.parametrize(
    "mute", ["![[Books.base#Author]]", "{{query (todo now)}}", "- [ ]", "### Book"]
)
def test_embeds_and_lone_headings_give_way_to_what_says_something(
    mute: str, aurelius: Aurelius, vault: Vaults
) -> None:
    place = vault("empty")
    (place / "note.md").write_text(
        f"# Ann Baker author book\n\n## Book author\n\n{mute}\n\n## More\n\nShe wrote about harbours.\n",
        encoding="utf-8",
    )
    assert first_text(aurelius, place, "ann baker") == "She wrote about harbours."


def test_what_stands_in_the_place_of_properties_still_holds_and_passes_the_filters(
    aurelius: Aurelius, vault: Vaults
) -> None:
    place = vault("empty")
    (place / "Harbour fee.md").write_text(
        "---\ntags: [money]\n---\n\n## Facts\n\n- Thirty crowns (2025-02-10) ^old001\n",
        encoding="utf-8",
    )
    (place / "later.md").write_text(
        "## Facts\n\n- Ninety (2026-02-10, updates ^old001) ^new001\n", encoding="utf-8"
    )
    for more in ((), ("--since", "2026-01-01"), ("--as-of", "2024-01-01")):
        hits = json.loads(aurelius("search", "harbour fee", "--json", *more, cwd=place).out)["hits"]
        assert not any("Thirty" in hit["text"] for hit in hits), more
