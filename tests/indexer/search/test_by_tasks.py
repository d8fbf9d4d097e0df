"""Questions for what is due: a list of tasks and plans instead of what holds their words."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from indexer.catalog.filters import Filters
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.rows.rows import Index
from indexer.search.hit import SearchResult
from indexer.search.query import SearchQuery
from indexer.search.recall import recall
from indexer.search.search import search
from indexer.tokens.embed import Encoder, load_model

NOW = datetime.datetime(2026, 2, 11, 12)
NOTES = {
    "projects/kitchen.md": "# Kitchen\n\n## Tasks\n\n- [ ] Order the tiles, due 2026-02-13\n"
    "- [x] Measure the wall, due 2026-02-12\n- [ ] Ask Mia for her plumber [due:: 2026-02-10]\n"
    "- [ ] Paint\n  the ceiling\n",
    "projects/safe.md": "---\nprivate: true\n---\n# Safe\n\n- [ ] Change the code, due 2026-02-12\n"
    "\n## Plans\n\n- Move it (2026-02-12, plan)\n",
    "memory/2026-02-10.md": "# 2026-02-10\n\n- Dinner with Ana on Friday (2026-02-10, plan)\n"
    "- [ ] Call the bank 📅 2026-02-12\n- The due diligence report came\n"
    "- Concert with Joe on 3 March (2026-02-09, plan)\n",
    "people/mia.md": "# Mia\n\n## Plans\n\n- Moves to Lisbon in two weeks (2026-02-08)\n"
    "- Sails to Malta (2026-02-09)\n\n## History\n\n- ~~Sells the car on Friday~~ (2026-02-10, plan)\n",
}
TILES = ("projects/kitchen.md", 5)
PLUMBER = ("projects/kitchen.md", 7)
PAINT = ("projects/kitchen.md", 8)
DINNER = ("memory/2026-02-10.md", 3)
BANK = ("memory/2026-02-10.md", 4)
CONCERT = ("memory/2026-02-10.md", 6)
LISBON = ("people/mia.md", 5)
MALTA = ("people/mia.md", 6)
CODE = ("projects/safe.md", 6)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_model()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    root: Path = tmp_path_factory.mktemp("vault")
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    made, _ = refresh(Settings(str(root), ""), now=time.time())
    yield made
    made.close()


def ask(index: Index, encoder: Encoder, text: str, limit: int = 10, **wish: Any) -> SearchResult:
    query = SearchQuery(text=text, filters=Filters(**wish), limit=limit)
    return search(index, query, encoder, NOW)


def places(found: SearchResult) -> list[tuple[str, int]]:
    return [(hit.path, hit.lines[0]) for hit in found.hits]


@pytest.mark.parametrize(
    ("question", "due"),
    [
        ("What is due this week?", [MALTA, PLUMBER, BANK, DINNER, TILES]),
        ("what's overdue", [PLUMBER]),
        ("what is due tomorrow?", [BANK]),
        ("What is planned for Friday?", [DINNER, TILES]),
        ("what needs to be done by Friday", [PLUMBER, BANK, TILES]),
        ("open tasks about the kitchen", [PLUMBER, TILES, PAINT]),
        ("which open tasks do I have for Mia", [PLUMBER]),
        ("what do I have planned next month", [CONCERT]),
        ("what is coming up next week", [LISBON]),
        ("show my open tasks", [PLUMBER, BANK, TILES, PAINT]),
    ],
)
def test_who_asks_what_is_due_gets_the_open_tasks_and_plans_soonest_first(
    index: Index, encoder: Encoder, question: str, due: list[tuple[str, int]]
) -> None:
    found = ask(index, encoder, question)
    assert places(found) == due
    assert [hit.score for hit in found.hits] == sorted(
        (hit.score for hit in found.hits), reverse=True
    )
    answers = recall(index, found, encoder).answers
    assert [(each.hit.path, each.hit.lines[0]) for each in answers] == due[:5]


def test_a_hit_is_the_line_of_the_task_and_its_date_the_day_it_is_due(
    index: Index, encoder: Encoder
) -> None:
    found = ask(index, encoder, "open tasks about the kitchen")
    assert [(hit.text, hit.lines, hit.date) for hit in found.hits[1:]] == [
        ("- [ ] Order the tiles, due 2026-02-13", (5, 5), "2026-02-13"),
        ("- [ ] Paint\n  the ceiling", (8, 9), None),
    ]


def test_private_tasks_and_plans_are_for_who_may_see_them(index: Index, encoder: Encoder) -> None:
    asked = "what is due tomorrow?"
    assert {path for path, _ in places(ask(index, encoder, asked))} == {"memory/2026-02-10.md"}
    shown = places(ask(index, encoder, asked, private=True))
    assert set(shown) == {BANK, CODE, ("projects/safe.md", 10)}


def test_filters_hold_for_a_list_of_tasks(index: Index, encoder: Encoder) -> None:
    assert places(ask(index, encoder, "what is due this week", kinds=("project",))) == [
        PLUMBER,
        TILES,
    ]
    found = ask(index, encoder, "show my open tasks", limit=1)
    assert places(found) == [PLUMBER]
    assert found.truncated == 3
    assert "tasks --open" in found.notices[0]


def test_where_nothing_is_due_it_is_told_and_the_words_are_searched(
    index: Index, encoder: Encoder
) -> None:
    found = ask(index, encoder, "open tasks about the ceilings of Rome")
    assert "no open task" in found.notices[0]
    assert found.hits


@pytest.mark.parametrize("question", ["the due diligence report", "when is the report due"])
def test_a_question_that_asks_for_no_list_is_searched_by_its_words(
    index: Index, encoder: Encoder, question: str
) -> None:
    found = ask(index, encoder, question)
    assert places(found)[0] == ("memory/2026-02-10.md", 5)
    assert not found.notices
