"""Which texts say something to a person, and which of two lines of one matter stands first."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator, Sequence
from math import isclose, prod
from pathlib import Path

import pytest

from indexer.catalog.filters import Filters
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.rows.rows import Index
from indexer.search.hit import Hit
from indexer.search.query import SearchQuery
from indexer.search.search import search
from indexer.search.text_content import says_something, unlinked
from indexer.tokens.embed import load_model


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("![[Books.base]]", False),
        ("# Books\n\n![[Books.base]]\n![a cover](cover.png)", False),
        ("- {{query (and [[book]] (task TODO))}}", False),
        ("**Date:** {{date}}\nTags: <% tp.file.tags %>", False),
        ("## Only a heading", False),
        ("", False),
        ("Read ![[Books.base]] again", True),
        ("![[Books.base]]\nI liked two of them.", True),
        ("#books to read", True),
        ("Meeting at {{time}} with Ann", True),
        ("住在东京", True),
    ],
)
def test_embeds_queries_placeholders_and_headings_say_nothing(text: str, says: bool) -> None:
    assert says_something(text) is says


def test_links_are_read_by_their_names() -> None:
    assert unlinked("at [[companies/techcorp]] with [[people/joe|Joe]]") == "at techcorp with Joe"


# the newer of two lines of one matter

NOW = datetime.datetime(2026, 6, 1, 12)
NOTES = {
    "people/joe-bloggs.md": "# Joe Bloggs\n\n## Facts\n- Lives in Boston (2026-01-01)\n- Likes tea (2026-01-01)\n"
    "- Works at Acme (2026-01-01)\n- Works at TechCorp (2026-03-01)\n",
    "memory/2026-02-01.md": "- Joe lives in Santa Monica now\n- Joe likes coffee\n",
    "memory/2026-02-02.md": "- Met Ann, we talked about houses in Boston\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    root = tmp_path_factory.mktemp("vault")
    for path, text in NOTES.items():
        (Path(root) / path).parent.mkdir(parents=True, exist_ok=True)
        (Path(root) / path).write_text(text, encoding="utf-8")
    made, _ = refresh(Settings(str(root), ""), now=time.time())
    yield made
    made.close()


def ask(
    index: Index, text: str, mode: str = "hybrid", fusion: str = "default", **filters: str
) -> Sequence[Hit]:
    kept = Filters()._replace(**filters)  # type: ignore[arg-type]  # all of them texts
    return search(
        index, SearchQuery(text, mode, fusion, filters=kept, explain=True), load_model(), NOW
    ).hits


def told(hits: Sequence[Hit]) -> dict[str, tuple[int, str]]:
    """What each hit says without its date, with its place, and where the newer line stands."""
    return {
        hit.text.removeprefix("- ").partition(" (")[0]: (
            at,
            f"{hit.newer.path}:{hit.newer.line}" if hit.newer else "",
        )
        for at, hit in enumerate(hits)
    }


def test_a_day_s_line_stands_before_the_older_one_of_the_page(index: Index) -> None:
    found = told(ask(index, "Where does Joe Bloggs live?"))
    assert found["Joe lives in Santa Monica now"][0] < found["Lives in Boston"][0]
    assert found["Lives in Boston"][1] == "memory/2026-02-01.md:1"
    assert found["Joe lives in Santa Monica now"][1] == ""


def test_of_two_lines_of_a_page_the_newer_stands_first(index: Index) -> None:
    found = told(ask(index, "Where does Joe Bloggs work?"))
    assert found["Works at TechCorp"][0] == 0
    assert found["Works at Acme"][1] == "people/joe-bloggs.md:7"


def test_what_holds_together_is_not_labelled(index: Index) -> None:
    assert told(ask(index, "What does Joe like?"))["Likes tea"][1] == ""


def test_on_a_day_before_the_newer_line_the_older_one_is_none(index: Index) -> None:
    found = told(ask(index, "Where does Joe Bloggs live?", as_of="2026-01-15"))
    assert found["Lives in Boston"] == (0, "")
    assert "Joe lives in Santa Monica now" not in found


def test_a_line_that_moved_tells_by_which_factor_and_the_sum_holds(index: Index) -> None:
    hits = ask(index, "Where does Joe Bloggs live?")
    moved = [hit for hit in hits if hit.explain and "newer" in hit.explain["priors"]]
    assert [hit.text for hit in moved] == ["- Joe lives in Santa Monica now"]
    for hit in hits:
        assert hit.explain
        total = sum(hit.explain["legs"].values()) * prod(hit.explain["priors"].values())
        assert isclose(total, hit.score, abs_tol=1e-6)
    scores = {hit.text.partition(" (")[0]: hit.score for hit in hits}
    assert scores["- Joe lives in Santa Monica now"] == scores["- Lives in Boston"]


@pytest.mark.parametrize(
    ("mode", "fusion"), [("keyword", "default"), ("hybrid", "rrf"), ("hybrid", "weighted")]
)
def test_the_published_orders_stay_and_only_say_that_there_is_a_newer_line(
    index: Index, mode: str, fusion: str
) -> None:
    hits = ask(index, "lives Boston Santa Monica Joe", mode, fusion)
    assert [hit for hit in hits if hit.explain and "newer" in hit.explain["priors"]] == []
    assert told(hits)["Lives in Boston"][1] == "memory/2026-02-01.md:1"


def test_a_later_line_about_the_same_note_that_answers_as_well_stands_first(tmp_path: Path) -> None:
    notes = {
        "companies/acme.md": "# Acme\n\n## Facts\n- Day rate 780 EUR (2026-01-01)\n- Sells tea (2026-01-01)\n",
        "memory/2026-02-01.md": "- Acme wrote: the day rate goes up to 840 EUR\n- Dele likes tea\n",
    }
    for path, text in notes.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    made, _ = refresh(Settings(str(tmp_path), ""), now=time.time())
    hits = ask(made, "What is the day rate of Acme?")
    assert [(hit.path, hit.newer) for hit in hits[:2]] == [
        ("memory/2026-02-01.md", None),
        ("companies/acme.md", None),
    ]
    assert ask(made, "What does Acme sell, is it tea?")[0].path == "companies/acme.md"
    made.close()


def test_a_day_s_line_that_names_no_note_answers_before_the_older_one_of_a_page(
    tmp_path: Path,
) -> None:
    notes = {
        "ME.md": "# Me\n\n## Facts\n- Physio on Tuesdays 7:30 (2026-01-01)\n- Sauna at the lake (2026-01-01)\n",
        "people/ann-lee.md": "# Ann Lee\n\n## Facts\n- Built a sauna (2026-01-01)\n",
        "memory/2026-02-01.md": "- physio moved, wednesdays 18:15 from here on\n"
        "- Ann Lee went to the new sauna in Ely with two friends\n",
    }
    for path, text in notes.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    made, _ = refresh(Settings(str(tmp_path), ""), now=time.time())
    assert [hit.path for hit in ask(made, "When is my physio?")[:2]] == [
        "memory/2026-02-01.md",
        "ME.md",
    ]
    assert ask(made, "Which sauna?")[0].path == "ME.md"
    made.close()


def test_a_line_asked_for_in_its_own_words_or_by_its_day_gives_its_place_to_no_later_one(
    tmp_path: Path,
) -> None:
    facts = "- Retired admiral (2026-01-01)\n- Retired as rear admiral in Kiel (2026-03-01)\n"
    (tmp_path / "walter-king.md").write_text(
        f"# Walter King\n\n## Facts\n{facts}", encoding="utf-8"
    )
    made, _ = refresh(Settings(str(tmp_path), ""), now=time.time())
    assert "rear" not in ask(made, "retired admiral")[0].text
    assert "rear" in ask(made, "When did Walter King retire?")[0].text
    assert "rear" not in ask(made, "What did Walter King retire from on 2026-01-01?")[0].text
    made.close()
