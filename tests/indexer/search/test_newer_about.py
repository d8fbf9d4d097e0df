"""A later line about what the best hit is about stands directly under it, labelled."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Sequence
from math import isclose, prod
from pathlib import Path

import pytest

from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.search.hit import Hit
from indexer.search.query import SearchQuery
from indexer.search.recall import recall
from indexer.search.search import search
from indexer.tokens.embed import load_model

NOW = datetime.datetime(2026, 6, 1, 12)
TOM = "# Tom Becker\n\n## Facts\n- Neighbour from number 9 (2026-01-02)\n"
JOE = "---\naliases: [Joey]\n---\n# Joe Bloggs\n\n## Facts\n- Lives in Portland (2026-01-02)\n"
PHONE = {
    "people/tom-becker.md": TOM,
    "memory/2026-02-01.md": "- Tom's phone number is 0170 1234567\n- Bought new tyres\n",
    "memory/2026-02-08.md": "- Tom has a new number: 0151 7654321\n- The number 9 bus is late\n",
}
ASKED = "What is Tom's phone number?"

Ask = Callable[..., Sequence[Hit]]


@pytest.fixture
def ask(tmp_path: Path) -> Ask:
    def asked(
        notes: dict[str, str], text: str, mode: str = "hybrid", fusion: str = "default"
    ) -> Sequence[Hit]:
        for path, told in notes.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(told, "utf-8")
        index, _ = refresh(Settings(str(tmp_path), ""), now=time.time())
        query = SearchQuery(text, mode, fusion, explain=True)
        hits = search(index, query, load_model(), NOW).hits
        index.close()
        return hits

    return asked


def labelled(hits: Sequence[Hit]) -> list[tuple[int, str]]:
    return [(at, hit.text) for at, hit in enumerate(hits) if hit.newer_of]


def test_the_newer_line_stands_directly_under_the_best_hit(ask: Ask) -> None:
    hits = ask(PHONE, ASKED)
    assert "0170 1234567" in hits[0].text
    assert labelled(hits) == [(1, "- Tom has a new number: 0151 7654321")]
    assert hits[1].newer_of == ("Tom Becker", "memory/2026-02-01.md", 1, ())


def test_its_score_is_that_of_the_best_hit_by_a_factor_that_is_told(ask: Ask) -> None:
    hits = ask(
        PHONE | {"people/tom-becker.md": TOM + "- Phone tree: Tom calls Ana (2026-01-03)\n"}, ASKED
    )
    scores = [hit.score for hit in hits]
    assert scores == sorted(scores, reverse=True)
    for hit in hits:
        told = hit.explain or {}
        assert isclose(hit.score, sum(told["legs"].values()) * prod(told["priors"].values()))


def test_a_line_that_links_to_the_page_or_says_an_alias_names_it(ask: Ask) -> None:
    for line in (
        "[[people/joe-bloggs|He]] got married to Nora, they moved to Lisbon",
        "Joey got married to Nora, they moved to Lisbon",
    ):
        notes = {"people/joe-bloggs.md": JOE, "memory/2026-03-01.md": f"- {line}\n"}
        hits = ask(notes, "where does joe live")
        assert "Portland" in hits[0].text
        assert labelled(hits) == [(1, f"- {line}")]


CHANGED = {
    f"memory/2026-03-0{day}.md": f"- {text}\n"
    for day, text in enumerate(
        (
            "Joe moved house, he lives in Lisbon",
            "Joe found a flat in Lisbon, he lives by the river",
            "Joe lives with two cats now",
            "Joe sold his house",
            "Joe paid the dentist",
        ),
        1,
    )
}


def test_at_most_two_more_later_lines_are_told_with_it(ask: Ask) -> None:
    hits = ask({"people/joe-bloggs.md": JOE} | CHANGED, "where does Joe live")
    newer = hits[1].newer_of
    assert newer
    said = [hits[1].text.removeprefix("- "), *(line.text for line in newer.others)]
    assert len(set(said)) == 3
    assert all(f"- {text}\n" in CHANGED.values() for text in said)
    assert "Joe paid the dentist" not in said
    for line in newer.others:
        assert CHANGED[line.path] == f"- {line.text}\n"
        assert line.date == line.path.removeprefix("memory/").removesuffix(".md")


def test_of_a_text_of_several_lines_the_later_line_is_shown_alone(ask: Ask) -> None:
    day = "- Rain all day\n- [ ] ask Joe for his new home in Lisbon\n- the hall is painted\n"
    notes = {"people/joe-bloggs.md": JOE, "memory/2026-03-01.md": day}
    hits = ask(notes, "where does Joe live")
    assert labelled(hits) == [(1, "ask Joe for his new home in Lisbon")]
    assert hits[1].lines == (2, 2)


def test_a_private_note_has_no_more_later_lines(ask: Ask) -> None:
    secret = {path: f"---\nprivate: true\n---\n{text}" for path, text in CHANGED.items()}
    told = {**secret, "memory/2026-02-03.md": "- Joe moved to Lisbon\n"}
    hits = ask({"people/joe-bloggs.md": JOE} | told, "where does Joe live")
    assert [hit.newer_of.others for hit in hits if hit.newer_of] == [()]


def test_a_later_line_of_the_same_note_and_day_is_newer(ask: Ask) -> None:
    day = (
        "- Joe Bloggs lives in Portland\n- Rain all day\n- Joe moved house, his home is in Lisbon\n"
    )
    notes = {"people/joe-bloggs.md": "# Joe Bloggs\n", "memory/2026-03-01.md": day}
    hits = ask(notes, "where does Joe live")
    if "Portland" in hits[0].text:
        assert labelled(hits) == [(1, "- Joe moved house, his home is in Lisbon")]
    else:
        assert labelled(hits) == [], "what stands first is the last word"


@pytest.mark.parametrize(
    "line",
    [
        "Anna moved to Lisbon",
        "The joe of the day was strong",
        "Moved the shelf to the hall",
    ],
)
def test_a_line_that_names_something_else_is_not_labelled(ask: Ask, line: str) -> None:
    notes = {"people/joe-bloggs.md": JOE, "memory/2026-03-01.md": f"- {line}\n"}
    assert labelled(ask(notes, "where does Joe live")) == []


def test_an_earlier_line_is_not_labelled(ask: Ask) -> None:
    notes = {"people/joe-bloggs.md": JOE, "memory/2025-03-01.md": "- Joe moved to Lisbon\n"}
    assert labelled(ask(notes, "where does Joe live")) == []


def test_a_line_of_a_private_note_is_not_labelled(ask: Ask) -> None:
    secret = "---\nprivate: true\n---\n- Joe moved to Lisbon\n"
    notes = {"people/joe-bloggs.md": JOE, "memory/2026-03-01.md": secret}
    assert not any("Lisbon" in hit.text for hit in ask(notes, "where does Joe live"))


def test_recall_brings_it_with_the_line_it_is_newer_than(tmp_path: Path) -> None:
    for path, text in PHONE.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    index, _ = refresh(Settings(str(tmp_path), ""), now=time.time())
    found = search(index, SearchQuery(ASKED, limit=50), load_model(), NOW)
    first = recall(index, found, load_model()).answers[0]
    index.close()
    assert "0170 1234567" in first.hit.text
    told = [(pulled.reason, pulled.line.text) for pulled in first.chain]
    assert told[0] == ("newer about Tom Becker", "- Tom has a new number: 0151 7654321")


def test_recall_brings_the_other_later_lines_too(tmp_path: Path) -> None:
    for path, text in ({"people/joe-bloggs.md": JOE} | CHANGED).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    index, _ = refresh(Settings(str(tmp_path), ""), now=time.time())
    found = search(index, SearchQuery("where does Joe live", limit=50), load_model(), NOW)
    first = recall(index, found, load_model()).answers[0]
    index.close()
    reasons = [pulled.reason for pulled in first.chain]
    assert reasons[:3] == ["newer about Joe Bloggs", "also newer", "also newer"]


@pytest.mark.parametrize(
    ("mode", "fusion"), [("keyword", "default"), ("hybrid", "rrf"), ("hybrid", "weighted")]
)
def test_published_orders_are_kept_and_the_newer_line_is_labelled(
    ask: Ask, mode: str, fusion: str
) -> None:
    hits = ask(PHONE, ASKED, mode, fusion)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all("newer" not in (hit.explain or {})["priors"] for hit in hits)
    if "0170" in hits[0].text:
        assert [text for _, text in labelled(hits)] == ["- Tom has a new number: 0151 7654321"]


@pytest.mark.parametrize(
    ("line", "is_shown"),
    [
        ("Joe is glad about his new home in Lisbon", False),
        ("[[people/joe-bloggs|He]] is glad about his new home in Lisbon", True),
    ],
)
def test_the_newest_line_that_is_no_hit_is_shown_where_it_says_the_name_otherwise(
    ask: Ask, line: str, is_shown: bool
) -> None:
    page = JOE + "".join(
        f"- Joe lives in house {number} of the street (2025-01-02)\n" for number in range(60)
    )
    notes = {"people/joe-bloggs.md": page, "memory/2026-03-01.md": f"- {line}\n"}
    hits = ask(notes, "where does Joe live, in which house of the street")
    assert [text for _, text in labelled(hits)] == [f"- {line}"] * is_shown
