"""What is said of an answer that holds no word of the question, or nothing."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import pytest

from indexer.catalog.filters import Filters
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.search.hit import SearchResult
from indexer.search.query import SearchQuery
from indexer.search.search import search
from indexer.tokens.embed import Encoder, load_model

LARGE = "# L\n\n" + "x\n" * 1_048_576 + "\npineapple\n"


def asked(root: Path, query: SearchQuery) -> str:
    index, _ = refresh(Settings(str(root), "", vectors=False), now=0.0)
    found = search(index, query, None, datetime.datetime(2026, 2, 10))
    index.close()
    assert not found.hits
    assert found.hint
    return found.hint


def test_the_notes_that_are_searched_in_part_are_named(tmp_path: Path) -> None:
    (tmp_path / "large.md").write_text(LARGE)
    (tmp_path / "own.md").write_text("---\nprivate: true\n---\n" + LARGE)
    hint = asked(tmp_path, SearchQuery("pineapple", mode="keyword"))
    assert "; only the beginning of large.md is searched: `aurelius doctor` says why" in hint
    assert "own.md" not in hint
    hint = asked(tmp_path, SearchQuery("pineapple", mode="keyword", filters=Filters(private=True)))
    assert "large.md, own.md is searched" in hint


def test_of_many_the_first_are_named_and_the_others_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("indexer.reading.blocks.TEXT_LIMIT", 40)
    for name in "abcde":
        (tmp_path / f"{name}.md").write_text("a word\n" * 9)
    assert "of a.md, b.md, c.md and 2 more is" in asked(
        tmp_path, SearchQuery("pineapple", mode="keyword")
    )
    for name in "abcde":
        (tmp_path / f"{name}.md").write_text("a word\n")
    assert "beginning" not in asked(tmp_path, SearchQuery("pineapple", mode="keyword"))


def test_of_a_phrase_that_no_note_contains_its_words_are_not_said_to_be_missing(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.md").write_text("green tea\n\nblack coffee\n")
    hint = asked(tmp_path, SearchQuery('"green coffee"', mode="keyword"))
    assert (
        hint == "no note contains this phrase: leave out the quotes to search for the words alone"
    )
    assert asked(tmp_path, SearchQuery('"green coffee" "a b"')).startswith(
        "no note contains these phrases"
    )


def hints(root: Path, text: str, **filters: Any) -> str:
    return asked(root, SearchQuery(text, mode="keyword", filters=Filters(**filters)))


def test_no_note_is_said_to_hold_a_word_that_one_does_hold(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("green tea\n")
    (tmp_path / "own.md").write_text("---\nprivate: true\n---\nsaffron\n")
    assert hints(tmp_path, "coffee").startswith("no note holds 'coffee': ")
    assert hints(tmp_path, "saffron").startswith("no note holds 'saffron': ")
    assert hints(tmp_path, "green", kinds=("person",)).startswith(
        "nothing matches with these filters"
    )
    assert (
        hints(tmp_path, "green -tea")
        == "everything that matches also holds what was excluded: leave out -tea"
    )


def test_the_first_words_of_a_long_question_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("green tea\n")
    assert hints(tmp_path, "horse saddle").startswith("no note holds 'horse' or 'saddle': ")
    assert hints(tmp_path, "horse saddle bridle").startswith(
        "no note holds 'horse', 'saddle' or 'bridle': "
    )
    said = hints(tmp_path, "horse saddle bridle stirrup")
    assert said.startswith("no note holds a word of the question ('horse', 'saddle', 'bridle' …): ")


@pytest.mark.parametrize("text", ["futurma", "blad runer", "where is futurma", "Lindkvist"])
def test_a_name_that_was_misspelt_is_offered(tmp_path: Path, text: str) -> None:
    for name in ("Futurama", "Blade Runner", "Lindqvist", "Film"):
        (tmp_path / f"{name}.md").write_text("green tea\n")
    (tmp_path / "own.md").write_text("---\nprivate: true\naliases: [Futurna]\n---\ngreen tea\n")
    meant = {"blad runer": "Blade Runner", "Lindkvist": "Lindqvist"}.get(text, "Futurama")
    assert f" (did you mean {meant}?): try other words" in hints(tmp_path, text)
    assert "did you mean" not in hints(tmp_path, "quokka")


NAMES = {
    "wiki/Kerberos.md": "# Kerberos\n\nTickets for the Hamburg office.\n",
    "wiki/Places.md": "# Places\n\nWhere we went.\n",
    "day.md": "# Day\n\nThe server room was loud. We went home.\n",
}


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_model()


def answer_in(
    root: Path, notes: dict[str, str], text: str, encoder: Encoder, **more: Any
) -> SearchResult:
    for path, body in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(body)
    index, _ = refresh(Settings(str(root), ""), now=0.0)
    found = search(index, SearchQuery(text, **more), encoder, datetime.datetime(2026, 2, 10))
    index.close()
    return found


@pytest.mark.parametrize("text", ["Kerberso", "kerbros", "kerbeeros", "krberos", "Xerberos"])
def test_the_answer_of_the_one_name_that_is_a_slip_away_is_shown(
    tmp_path: Path, encoder: Encoder, text: str
) -> None:
    found = answer_in(tmp_path, NAMES, text, encoder)
    assert found.corrected == found.asked == "Kerberos"
    assert found.query.text == text
    assert found.hits[0].path == "wiki/Kerberos.md"
    assert found.weak
    assert found.hint == f"no note holds '{text}'; showing Kerberos:"


def test_what_may_be_no_slip_is_answered_as_it_stands(tmp_path: Path, encoder: Encoder) -> None:
    notes = {**NAMES, "wiki/Kerberon.md": "# Kerberon\n\nA moon.\n"}
    for text, more in (
        ("Kerberox", {}),  # of two names
        ("paces", {}),  # a word of its own
        ("Kerberso room", {}),  # with a word that a note holds
        ("Kerberso", {"filters": Filters(folder="day.md")}),
        ("Kerberso", {"mode": "vector"}),
        ("Kerberso", {"fusion": "rrf"}),
        ("kernerls", {}),  # two slips
        ("secretheron", {}),
    ):
        assert answer_in(tmp_path, notes, text, encoder, **more).corrected == "", text


def test_no_private_name_is_what_was_meant(tmp_path: Path, encoder: Encoder) -> None:
    notes = {**NAMES, "wiki/Kerberos.md": "---\nprivate: true\n---\n# Kerberos\n\nTickets.\n"}
    found = answer_in(tmp_path, notes, "Kerberso", encoder)
    assert found.corrected == ""
    assert "Kerberos" not in (found.hint or "")
    filters = Filters(private=True)
    assert answer_in(tmp_path, notes, "Kerberso", encoder, filters=filters).corrected
    notes["wiki/Kerberon.md"] = "# Kerberon\n\nA moon.\n"
    assert answer_in(tmp_path, notes, "Kerberox", encoder).corrected == "Kerberon"
