"""Words, cues, values and what is gone: how a line says that something changed."""

from __future__ import annotations

import pytest

from indexer.matter.cues import SINGLE, is_single, names_sense, read_cues
from indexer.tokens.terms import english_stem


@pytest.mark.parametrize(
    ("line", "cue", "gone"),
    [
        ("Moved from Lisbon to Porto", "moved", {"lisbon"}),
        ("Write to Ann instead of Ben", "instead", {"ben"}),
        ("Billed quarterly, not monthly", ", not", {"monthl"}),
        ("Standup is at 11:15, no longer at 9:30", "no longer", {"9:30"}),
        ("Helps people who lost their jobs and moved away", "", set()),
        ("Got married and told the extended family", "", set()),
        ("Improves by studying opening moves", "", set()),
        ("Raised money for charity", "raised", set()),
        ("Dr Bauer retired, Dr Ito took over", "retired", {"dr", "bauer"}),
        ("Lives in Lisbon", "", set()),
        ("Renewed the passport", "", set()),
    ],
)
def test_cues_and_what_is_gone(line: str, cue: str, gone: set[str]) -> None:
    words = read_cues(line)
    assert (words.cue, set(words.gone)) == (cue, gone)


@pytest.mark.parametrize(
    ("line", "kinds"),
    [
        ("Pays $40 on Mondays at 9:30", {"money", "day", "time"}),
        ("Due on 16 October", {"number", "date"}),
        ("Write to joe@fernway.example", {"address"}),
        ("Lives in Porto", {"name"}),
        ("Lives by the sea", set()),
    ],
)
def test_values_have_kinds(line: str, kinds: set[str]) -> None:
    assert set(read_cues(line).kinds) == kinds


@pytest.mark.parametrize(
    ("line", "senses"),
    [
        ("Phone: 555", {"phone"}),
        ("Works for Ann", {"work"}),
        ("Feels at ease when fixing the car", set()),
        ("moved the team to Oslo", set()),
    ],
)
def test_what_a_line_is_about(line: str, senses: set[str]) -> None:
    assert set(read_cues(line).senses) == senses


def test_what_adds_wonders_or_is_about_others_replaces_nothing() -> None:
    assert read_cues("Now also has a boat").aside == "also"
    assert read_cues("Considered a move").aside == "considered"
    assert read_cues("Sister moved to Oslo").others == {"sister"}
    assert read_cues("Moved to Oslo").aside == ""


def test_links_and_emphasis_are_what_they_show() -> None:
    assert (
        read_cues("Works at **[[companies/blue-bird|Blue Bird]]**").content
        == read_cues("Works at Blue Bird").content
    )


def test_only_what_names_a_matter_does() -> None:
    assert names_sense(english_stem("deadline"))
    assert not names_sense(english_stem("Lisbon"))
    assert "home" in SINGLE
    assert "child" not in SINGLE
    assert set(read_cues("moved the team to Oslo").loose) == {"home"}


def test_a_label_that_any_line_may_begin_with_names_no_matter() -> None:
    assert is_single(english_stem("launch") + " " + english_stem("date"))
    assert not is_single(english_stem("Standard"))
    assert not is_single(english_stem("Detail"))
