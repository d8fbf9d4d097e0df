"""Questions about a page as a whole, and for a decision with its reason: `tests/cases`."""

from __future__ import annotations

import datetime
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from indexer.catalog.filters import Filters
from indexer.catalog.mentions import mentions_of
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.rows.rows import Index
from indexer.search.query import SearchQuery
from indexer.search.recall import CANDIDATES, MOST_RECALLED, recall
from indexer.search.search import search
from indexer.search.subject import subject_page
from indexer.tokens.embed import Encoder, load_model

CASES = Path(__file__).parent / "cases"
NOW = datetime.datetime(2026, 3, 10, 12)


def cases(name: str) -> dict[str, Any]:
    return tomllib.loads((CASES / f"{name}.toml").read_text(encoding="utf-8"))


def opened(root: Path, notes: dict[str, str]) -> Index:
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return refresh(Settings(str(root), ""), now=time.time())[0]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_model()


def hits(index: Index, question: str, encoder: Encoder, **more: Any) -> list[str]:
    found = search(index, SearchQuery(question, **more), encoder, NOW)
    scores = [hit.score for hit in found.hits[: found.about]]
    assert scores == sorted(scores, reverse=True)
    return [hit.text for hit in found.hits]


def recalled(index: Index, question: str, encoder: Encoder) -> list[str]:
    found = search(index, SearchQuery(question, limit=CANDIDATES), encoder, NOW)
    answers = recall(index, found, encoder).answers
    assert len(answers) <= MOST_RECALLED
    return [answer.hit.text for answer in answers]


def test_a_question_about_a_page_as_a_whole_is_told_from_one_for_a_thing(tmp_path: Path) -> None:
    written = cases("who")
    index = opened(tmp_path, written["pages"])
    wrong = [
        (question, page, read)
        for question, page in {**written["yes"], **written["no"]}.items()
        if (read := subject_page(index.db, question, private=False)) != page
    ]
    assert len(written["yes"]) == len(written["no"]) == 20
    assert wrong == [], "\n".join(map(str, wrong))


def test_a_decision_comes_with_its_reason_where_that_is_asked_for(
    tmp_path: Path, encoder: Encoder
) -> None:
    written = cases("why")
    index = opened(tmp_path, written["notes"])
    wrong = []
    for case in written["case"]:
        said = "\n".join(recalled(index, case["question"], encoder))
        lacks = [text for text in case["told"] if text not in said]
        more = [text for text in case.get("never", ()) if text in said]
        if lacks or more:
            wrong.append((case["question"], lacks, more))
    assert wrong == [], "\n".join(map(str, wrong))


NOTES = {
    "areas/people/peter.md": "# Peter\n\n## Facts\n\n- Content writer at WOBS, writes 8 articles a week"
    " (2026-01-02)\n- Moved to Leeds (2026-02-02)\n- Is the brother of Ana (2026-01-20, relationship)\n"
    "- Likes tea (2026-01-10)\n",
    "areas/people/sarah-klein.md": "# Sarah Klein\n\nMet at the fair.\n\n## Summary\n\nSarah runs the bakery on Oak"
    " Street.\n\n## Facts\n\n- Born in Kiel (2026-01-02)\n",
    "areas/people/mia.md": "# Mia\n\n- My sister Mia is vegetarian (2026-02-01)\n- Eats fish again, so"
    " no longer vegetarian (2026-02-08)\n",
    "areas/companies/anderson.md": "# Anderson\n\n## Relationships\n\n- [[areas/people/peter]] - works_on\n",
    "areas/diary.md": "# Diary\n\n## Facts\n\n- Peter wants to talk about his contract (2026-03-01)\n"
    "- Peter finished an article (2026-01-15)\n",
    "secret.md": "---\nprivate: true\n---\n# Secret\n\n- Peter is looking for another job (2026-03-05)\n",
}


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Index:
    return opened(tmp_path_factory.mktemp("who"), NOTES)


def test_who_somebody_is_is_answered_by_the_page_then_by_the_newest_lines_that_name_him(
    index: Index, encoder: Encoder
) -> None:
    for found in (hits(index, "Who is Peter?", encoder), recalled(index, "Peter?", encoder)):
        assert "Content writer" in found[0]
        assert "brother of Ana" in found[1]
        assert "Leeds" in found[2]
        assert "talk about his contract" in found[3]
        assert not any("another job" in text for text in found)


def test_a_summary_says_first_who_somebody_is(index: Index, encoder: Encoder) -> None:
    for found in (hits(index, "Who is Sarah?", encoder), recalled(index, "Who is Sarah?", encoder)):
        assert "runs the bakery" in found[0]
        assert "Born in Kiel" in found[1]


def test_several_lines_of_a_page_are_recalled_where_it_is_asked_about(
    index: Index, encoder: Encoder
) -> None:
    found = "\n".join(recalled(index, "what do I know about Mia?", encoder))
    assert "Eats fish again" in found
    assert "My sister Mia" in found


def test_a_filter_holds_for_a_page_that_is_asked_about_and_other_modes_do_not_look_for_one(
    index: Index, encoder: Encoder
) -> None:
    there = Filters(folder="areas/companies")
    assert not any(
        "Content writer" in text for text in hits(index, "Who is Peter?", encoder, filters=there)
    )
    query = SearchQuery("Who is Peter?", mode="keyword", explain=True)
    assert search(index, query, encoder, NOW).about == 0
    assert search(index, query._replace(mode="hybrid", fusion="rrf"), encoder, NOW).about == 0
    private = Filters(private=True)
    assert "another job" in "\n".join(hits(index, "Who is Peter?", encoder, filters=private))


def test_a_person_by_a_property_is_one_to_every_question(tmp_path: Path, encoder: Encoder) -> None:
    """What `categories` says makes a first name a name, a mention and an answer to who somebody
    is; the bare name of a page that says nothing asks for the page."""
    notes = {
        "References/Ada Brook.md": '---\ncategories: "[[People]]"\n---\n\n- Paints boats.\n',
        "References/Northgrid.md": '---\ncategories: "[[Companies]]"\nurl: https://n.example\n---\n',
        "Notes/Harbour.md": "# Harbour\n\nI saw Ada there. Northgrid pays for the lamps.\n",
        "Notes/Lamps.md": "# Lamps\n\nNorthgrid sells lamps. Northgrid, Northgrid.\n",
    }
    index = opened(tmp_path, notes)
    first = subject_page(index.db, "Who is Ada?", private=False)
    assert first == "References/Ada Brook.md"
    found = search(index, SearchQuery("Who is Ada?"), encoder, NOW).hits
    assert [hit.path for hit in found][:2] == ["References/Ada Brook.md", "Notes/Harbour.md"]
    assert mentions(index, first) == ["Notes/Harbour.md"]
    asked = search(index, SearchQuery("Northgrid"), encoder, NOW).hits
    assert asked[0].path == "References/Northgrid.md"
    kinds = search(index, SearchQuery("lamps", filters=Filters(kinds=("person",))), encoder, NOW)
    assert {hit.path for hit in kinds.hits} <= {first}


def mentions(index: Index, path: str) -> list[str]:
    return [line.path for line in mentions_of(index.db, path, private=False, limit=5)]
