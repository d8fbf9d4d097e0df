"""Which facts hold, today and on another day, all lines considered (requirements R8, A20)."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from indexer import catalog, standing
from indexer.index import Index
from indexer.query import Filters, SearchQuery
from indexer.refresh import refresh
from indexer.search import SearchResult, search
from indexer.settings import Settings

NOW = datetime.datetime(2026, 2, 10, 12)
NOTES = {
    "people/joe.md": "# Joe\n\n## Facts\n- Joe lives in Rome (2024-03-01) ^rome01\n"
    "- Joe lives in Bonn (2020-01-01) ^bonn01\n"
    "- Joe lives by the sea\n\n## History\n"
    "- ~~Joe lives in Oslo~~ (2018-01-01 → 2020-01-01, superseded by ^bonn01) ^oslo01\n"
    "- ~~Joe lives in Lima~~ (2010-01-01)\n- ~~Joe lives in Kiev~~ (2009-01-01, superseded by ^oslo01)\n",
    "memory/2024-03-01.md": "- Joe lives in Rome from now on (2024-03-01, updates ^bonn01) ^new111\n",
    "memory/2026-01-01.md": "- Joe lives nowhere (2026-01-01, updates ^nothere) ^none11\n",
    "resources/rings.md": "## Facts\n- Joe lives in ring one (2021-01-01, updates ^ring02) ^ring01\n"
    "- Joe lives in ring two (2022-01-01, updates ^ring01) ^ring02\n- Joe lives in himself (updates ^self01) ^self01\n",
    "projects/plain.md": "# Plain\n\n**Date:** 2023-01-01\n\nWhere Joe lives is nobody's business.\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    root: Path = tmp_path_factory.mktemp("vault")
    for path, text in NOTES.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    made, _ = refresh(Settings(str(root), "", vectors=False), now=time.time())
    yield made
    made.close()


def ask(index: Index, **filters: str) -> SearchResult:
    query = SearchQuery("joe lives", "keyword", filters=Filters()._replace(**filters), limit=50)  # type: ignore[arg-type]  # all of them texts
    return search(index, query, None, NOW)


def ids(result: SearchResult) -> set[str]:
    return {hit.id for hit in result.hits if hit.id and not hit.id.startswith("h")}


def test_what_another_line_updates_is_past(index: Index) -> None:
    now = ask(index)
    assert ids(now) == {"rome01", "new111", "none11", "ring01", "ring02", "self01"}
    assert now.filtered["superseded"] == 6  # Bonn, its section, the three of History, and History itself
    everything = {hit.id: hit.status for hit in ask(index, status="all").hits}
    assert everything["bonn01"] == everything["oslo01"] == "superseded"
    assert everything["rome01"] == "active"
    assert ids(ask(index, status="superseded")) == {"bonn01", "oslo01"}


def test_text_around_what_is_past_is_found_unless_it_is_nothing_but_facts(index: Index) -> None:
    past = standing.replaced_chunks(index.db)
    rows = index.db.execute("SELECT id, grain, length(text) - length(replace(text, char(10), '')) FROM chunk")
    assert {(grain, breaks) for number, grain, breaks in rows if number in past} == {("fact", 0), ("section", 2)}


def test_lists_say_the_same(index: Index) -> None:
    by_status = {
        status: [fact.id for _, fact in catalog.list_facts(
            index.db, Filters(status=status, folder="people"), sort="path", limit=-1, offset=0).facts if fact.id]
        for status in ("active", "superseded", "all")
    }  # fmt: skip
    assert by_status == {
        "active": ["rome01"],
        "superseded": ["bonn01", "oslo01"],
        "all": ["rome01", "bonn01", "oslo01"],
    }
    facts = {fact.id: fact for _, fact in catalog.get_facts(index.db, "people/joe.md", private=True)}
    assert (facts["bonn01"].status, facts["bonn01"].superseded_by, facts["bonn01"].until) == (
        "superseded", "new111", "2024-03-01",
    )  # fmt: skip
    written = {f.id: f for _, f in catalog.get_facts(index.db, "people/joe.md", private=True, as_written=True)}
    assert written["bonn01"].status == "active"


@pytest.mark.parametrize(
    ("day", "held"),
    [
        ("2009-06-01", set()),  # Kiev, which has no id
        ("2019-06-01", {"oslo01"}),
        ("2020-01-01", {"bonn01"}),
        ("2024-02-29", {"bonn01"}),
        ("2024-03-01", {"rome01", "new111"}),
        ("2026-02-10", {"rome01", "new111", "none11"}),
    ],
)
def test_as_of_a_day(index: Index, day: str, held: set[str]) -> None:
    found = ask(index, as_of=day)
    assert ids(found) - {"ring01", "ring02", "self01"} == held
    texts = " ".join(hit.text for hit in found.hits)
    assert "by the sea" in texts  # undated, so as far as anybody knows it always held
    assert ("Kiev" in texts) == ("2009" <= day < "2018")
    assert ("nobody's business" in texts) == (day >= "2023-01-01")
    assert all(day >= (hit.date or "") for hit in found.hits)


def test_nothing_is_lost_in_a_circle(index: Index) -> None:
    assert {key for _, key in standing.replaced(index.db)} == {"bonn01"}
