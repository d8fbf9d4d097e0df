"""A text that several hits hold is told once, with the places of the others."""

from __future__ import annotations

import datetime
import json
import time
from pathlib import Path

import pytest

from aurelius.show import hits as show_hits
from aurelius.show import json_text
from aurelius.show.terminal import Paint
from indexer.catalog.filters import Filters
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.search.hit import SearchResult
from indexer.search.query import SearchQuery
from indexer.search.repeats import _without_marks
from indexer.search.search import search
from indexer.spelling import single_spaced
from indexer.tokens.embed import load_model

NOW = datetime.datetime(2026, 6, 1, 12)
CARRIED = {
    "memory/2026-03-01.md": "- [ ] Order filters for the lantern pump (2026-03-01) ^ab12cd\n",
    "memory/2026-03-02.md": "# Day\n\n- Order filters  for the lantern pump\n- Rain\n",
    "memory/2026-03-03.md": "* order filters for the lantern pump\n\nText.\n\n- Order filters for the lantern pump\n",
    "resources/pump.md": "# Pump\n\nThe lantern pump has two filters.\n",
}
TWO_PEOPLE = {
    "people/joe.md": "# Joe\n\n## Facts\n- Lives in Lisbon\n",
    "people/mia.md": "# Mia\n\n## Facts\n- Lives in Lisbon\n",
}


def ask(
    tmp_path: Path,
    notes: dict[str, str],
    text: str,
    mode: str = "hybrid",
    limit: int = 10,
    private: bool = False,
) -> SearchResult:
    for path, written in notes.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(written, encoding="utf-8")
    index, _ = refresh(Settings(str(tmp_path), ""), now=time.time())
    query = SearchQuery(text, mode=mode, limit=limit, filters=Filters(private=private))
    found = search(index, query, load_model(), NOW)
    index.close()
    return found


@pytest.mark.parametrize("mode", ["hybrid", "keyword", "vector"])
def test_a_line_that_is_carried_from_day_to_day_is_one_hit(tmp_path: Path, mode: str) -> None:
    found = ask(tmp_path, CARRIED, "order filters lantern pump", mode)
    said = [hit for hit in found.hits if "order" in hit.text.casefold()]
    assert len(said) == 1
    every = {(said[0].path, said[0].lines[0]), *said[0].also}
    assert {path for path, _ in every} == {path for path in CARRIED if "memory" in path}
    assert len(every) == len(said[0].also) + 1
    assert any(hit.path == "resources/pump.md" and not hit.also for hit in found.hits)


def test_what_was_folded_is_no_hit_that_did_not_fit(tmp_path: Path) -> None:
    found = ask(tmp_path, CARRIED, "order filters lantern pump")
    assert found.truncated == 0
    less = ask(tmp_path, CARRIED, "order filters lantern pump", limit=1)
    assert less.truncated == len(found.hits) - 1


def test_the_same_words_on_the_pages_of_two_people_are_two_hits(tmp_path: Path) -> None:
    found = ask(tmp_path, TWO_PEOPLE, "who lives in Lisbon")
    assert {hit.path for hit in found.hits} == {*TWO_PEOPLE}
    assert not any(hit.also for hit in found.hits)


def test_a_copy_that_is_asked_for_by_its_name_stands_itself(tmp_path: Path) -> None:
    text = "---\ntitle: Lantern pump\n---\nThe lantern pump has two filters.\n"
    notes = {"resources/pump.md": text, "backup/winter pump.md": text}
    assert ask(tmp_path, notes, "two filters").hits[0].path == "resources/pump.md"
    assert ask(tmp_path, notes, "winter pump").hits[0].path == "backup/winter pump.md"


@pytest.mark.parametrize("private", [False, True])
def test_a_private_note_is_named_only_to_who_may_see_it(tmp_path: Path, private: bool) -> None:
    notes = {
        "resources/a.md": "# A\n\n- The pump runs at night\n",
        "resources/b.md": "---\nprivate: true\n---\n# B\n\n- The pump runs at night\n",
    }
    found = ask(tmp_path, notes, "when does the pump run", private=private)
    assert ["resources/b.md" in str(found)] == [private]


def test_where_else_a_line_is_said_is_told_in_short(tmp_path: Path) -> None:
    hit = ask(tmp_path, CARRIED, "order filters lantern pump").hits[0]
    many = hit._replace(also=tuple((f"memory/2026-04-0{day}.md", day) for day in range(1, 6)))
    text = show_hits.hits_text([many], (), paint=Paint(), explain=False)[0]
    told = json.loads(json_text.hits_json([hit._replace(also=(("a.md", 3),))], ())[0])
    assert told["also_in"] == [{"path": "a.md", "line": 3}]
    assert "  also in: memory/2026-04-01.md:1, memory/2026-04-02.md:2 (+3 more)\n" in text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("- [ ] tea (2026-01-02) ^ab12", "tea"),
        ("  3) [x] tea", "tea"),
        ("[ ] tea\n* milk ^m1  \n\t+ rice (2026-01-02)", "tea milk rice"),
        ("   (2026-01-02)", "(2026-01-02)"),
        ("-  ^ab12", "^ab12"),
        ("tea (2026-01-02) (2026-01-03)", "tea (2026-01-02)"),
        ("tea ^a ^b", "tea ^a"),
        ("tea (2026-01-02) milk - cup", "tea (2026-01-02) milk - cup"),
    ],
)
def test_what_stands_around_a_line_is_no_part_of_what_it_says(text: str, says: str) -> None:
    assert single_spaced(_without_marks(text)) == says
