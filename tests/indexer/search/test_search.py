"""A query, two lists, one answer."""

from __future__ import annotations

import datetime
import time
from collections.abc import Iterator, Mapping
from math import prod
from pathlib import Path
from typing import Any

import pytest

from indexer.catalog.filters import Filters
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.rows.rows import Index
from indexer.search import fusion
from indexer.search.hit import SearchResult
from indexer.search.query import SEARCH_POOL, SearchQuery
from indexer.search.search import search
from indexer.tokens.embed import Encoder, load_model

NOW = datetime.datetime(2026, 2, 10, 12)
NOTES = {
    "people/joe.md": "# Joe Bloggs\n\n## Facts\n- Lives in Los Angeles (2026-02-01) ^abc123\n"
    "- Plays the violin (2025-01-01)\n\n"
    "## History\n- ~~Lives in San Diego~~ (2024-01-01)\n",
    "people/secret.md": "---\nprivate: true\n---\n# Secret\n\nThe violin is stolen.\n",
    "projects/boat.md": "---\ntags: [water]\nstatus: open\n---\n# Boat\n\nThe hull needs paint before the season.\n",
    "archives/old.md": "# Old boat\n\n**Type:** Project\n\nA hull was painted long ago.\n",
    "memory/2026-02-09.md": "# Monday\n\n- Bought C++ book and 3.11.7 release\n",
    "resources/tea.md": "# 茶\n\n茶道入門は静かな本です。\n",
}


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_model()


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    root = tmp_path_factory.mktemp("vault")
    yield from opened(root, vectors=True)


@pytest.fixture
def words_only(tmp_path: Path) -> Iterator[Index]:
    yield from opened(tmp_path, vectors=False)


def opened(root: Path, *, vectors: bool, notes: Mapping[str, str] = NOTES) -> Iterator[Index]:
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    made, _ = refresh(Settings(str(root), "", vectors=vectors), now=time.time())
    yield made
    made.close()


def ask(index: Index, text: str, encoder: Encoder | None = None, **changes: Any) -> SearchResult:
    query = SearchQuery(
        text, changes.pop("mode", "hybrid"), changes.pop("fusion", "default"), Filters(), 10, True
    )
    limit = changes.pop("limit", 10)
    return search(
        index, query._replace(filters=Filters()._replace(**changes), limit=limit), encoder, NOW
    )


def paths(result: SearchResult) -> list[str]:
    return [hit.path for hit in result.hits]


def test_what_holds_is_found_behind_any_number_of_lines_that_are_past(tmp_path: Path) -> None:
    past = "".join(
        f"- ~~Kettle kettle kettle number {at}~~ (2020-01-01)\n" for at in range(SEARCH_POOL + 50)
    )
    (tmp_path / "kitchen.md").write_text(
        f"# Kitchen\n\n## Facts\n- A kettle of blue tin (2020-01-01)\n\n## History\n{past}"
    )
    made, _ = refresh(Settings(str(tmp_path), "", vectors=False), now=time.time())
    found = ask(made, "kettle")
    assert found.hits
    assert {hit.status for hit in found.hits} == {"active"}
    assert any("blue tin" in hit.text for hit in found.hits)
    assert found.filtered["superseded"] > SEARCH_POOL // 2
    made.close()


def test_what_holds_is_found_behind_any_number_of_lines_that_others_replaced(
    tmp_path: Path,
) -> None:
    old = "".join(
        f"- Kettle kettle kettle number {at} (2020-01-01) ^k{at:05}\n"
        for at in range(SEARCH_POOL + 50)
    )
    new = "".join(
        f"- Pot number {at} (2021-01-01, updates ^k{at:05})\n" for at in range(SEARCH_POOL + 50)
    )
    (tmp_path / "kitchen.md").write_text(
        f"# Kitchen\n\n## Facts\n- A kettle of blue tin (2020-01-01)\n{new}"
    )
    (tmp_path / "old.md").write_text(f"# Old\n\n## Facts\n{old}")
    made, _ = refresh(Settings(str(tmp_path), "", vectors=False), now=time.time())
    found = ask(made, "kettle")
    assert {hit.status for hit in found.hits} == {"active"}
    assert any("blue tin" in hit.text for hit in found.hits)
    made.close()


def test_a_hit_says_where_it_stands(index: Index, encoder: Encoder) -> None:
    hit = ask(index, "Los Angeles", encoder).hits[0]
    assert (
        hit.id,
        hit.path,
        hit.lines,
        hit.heading,
        hit.title,
        hit.kind,
        hit.date,
        hit.status,
    ) == (
        "abc123",
        "people/joe.md",
        (4, 4),
        ("Joe Bloggs", "Facts"),
        "Joe Bloggs",
        "person",
        "2026-02-01",
        "active",
    )
    assert hit.text == "- Lives in Los Angeles (2026-02-01) ^abc123"


@pytest.mark.parametrize(
    ("mode", "fusion"),
    [
        ("hybrid", "default"),
        ("hybrid", "rrf"),
        ("hybrid", "weighted"),
        ("keyword", "default"),
        ("vector", "default"),
    ],
)
def test_every_score_can_be_explained(
    index: Index, encoder: Encoder, mode: str, fusion: str
) -> None:
    """Score = (Σ weighted legs) × Π priors, exact to 1e-6."""
    found = ask(index, "hull of the boat", encoder, mode=mode, fusion=fusion)
    assert found.hits
    assert (found.mode, found.fusion) == (mode, fusion)
    for hit in found.hits:
        assert hit.explain is not None
        assert hit.score == pytest.approx(
            sum(hit.explain["legs"].values()) * prod(hit.explain["priors"].values()), abs=1e-6
        )


def test_a_meaning_without_a_shared_word_is_found(index: Index, encoder: Encoder) -> None:
    assert paths(ask(index, "musical instrument", encoder))[:1] == ["people/joe.md"]
    assert ask(index, "musical instrument", encoder, mode="keyword").hits == ()


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("C++", "memory/2026-02-09.md"),
        ("3.11.7", "memory/2026-02-09.md"),
        ("茶道", "resources/tea.md"),
    ],
)
@pytest.mark.parametrize("mode", ["keyword", "hybrid"])
def test_what_no_tokenizer_likes_is_found(
    index: Index, encoder: Encoder, text: str, path: str, mode: str
) -> None:
    assert path in paths(ask(index, text, encoder, mode=mode))


def test_superseded_facts_are_counted_and_shown_when_asked_for(
    index: Index, encoder: Encoder
) -> None:
    found = ask(index, "San Diego", encoder, mode="keyword")
    assert (found.hits, found.filtered) == ((), {"superseded": 1})
    assert "--status all" in (found.hint or "")
    assert (
        ask(index, "San Diego", encoder, mode="keyword", status="all").hits[0].status
        == "superseded"
    )
    assert [
        hit.status for hit in ask(index, "lives", encoder, mode="keyword", status="superseded").hits
    ] == ["superseded"]


def test_private_notes_are_shown_when_asked_for_and_else_not_even_counted(
    index: Index, encoder: Encoder
) -> None:
    found = ask(index, "stolen", encoder, mode="keyword")
    assert (found.hits, found.filtered) == ((), {})
    assert found.hint == (ask(index, "zyxomma", encoder, mode="keyword").hint or "").replace(
        "zyxomma", "stolen"
    )
    assert paths(ask(index, "stolen", encoder, mode="keyword", private=True)) == [
        "people/secret.md"
    ]


def test_what_lies_in_the_archive_ranks_lower_whatever_kind_it_says_it_is(
    index: Index, encoder: Encoder
) -> None:
    found = {hit.path: hit for hit in ask(index, "hull painted", encoder).hits}
    assert found["archives/old.md"].kind == "project"
    assert (found["archives/old.md"].explain or {})["priors"]["archive"] == 0.8


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"kinds": ("project",), "archived": "no"}, {"projects/boat.md"}),
        ({"tags": ("water",)}, {"projects/boat.md"}),
        ({"folder": "archives"}, {"archives/old.md"}),
        ({"where": (("status", "=", "open"),)}, {"projects/boat.md"}),
        ({}, {"projects/boat.md", "archives/old.md"}),
    ],
)
def test_a_filter_leaves_only_hits_of_notes_that_it_names(
    index: Index, encoder: Encoder, filters: dict[str, Any], expected: set[str]
) -> None:
    assert set(paths(ask(index, "hull", encoder, mode="keyword", **filters))) == expected


def test_dates_bound_the_answer(index: Index) -> None:
    assert paths(
        ask(index, "plays lives bought", mode="keyword", since="2026-02-01", until="2026-02-05")
    ) == ["people/joe.md"]
    assert ask(index, "violin", mode="keyword", since="2026-01-01").hits == ()


def test_how_recent_a_hit_is_goes_by_the_day_that_is_asked_about(
    index: Index, encoder: Encoder
) -> None:
    def recency(**changes: Any) -> float:
        hit = ask(index, "violin", encoder, **changes).hits[0]
        assert hit.explain is not None
        return float(hit.explain["priors"]["recency"])

    assert recency(as_of="2025-01-01") == pytest.approx(1.0)
    assert recency() < 0.95


def test_equals_share_a_place_in_a_list() -> None:
    assert fusion.places_by_value({7: 0.5, 3: 0.9, 5: 0.5, 9: 0.1}) == {
        3: 1,
        7: 2,
        5: 2,
        9: 4,
    }


def test_quotes_and_minus(index: Index, encoder: Encoder) -> None:
    assert paths(ask(index, '"hull needs paint"', encoder)) == ["projects/boat.md"]
    assert "archives/old.md" not in paths(ask(index, "hull -ago", encoder))


def test_no_search_changes_a_later_one(index: Index, encoder: Encoder) -> None:
    first = ask(index, "boat paint", encoder)
    for _ in range(3):
        assert ask(index, "boat paint", encoder) == first


def test_the_limit_and_what_is_beyond_it(index: Index, encoder: Encoder) -> None:
    found = ask(index, "hull boat paint", encoder, limit=1)
    assert len(found.hits) == 1
    assert found.truncated >= 1
    assert ask(index, "hull", encoder, limit=0).hits == ()


def test_without_vectors_the_answer_is_by_words_and_says_so(
    words_only: Index, encoder: Encoder
) -> None:
    found = ask(words_only, "hull", encoder)
    assert found.mode == "keyword"
    assert [notice for notice in found.notices if "no vectors" in notice]
    assert set(paths(found)) == {"projects/boat.md", "archives/old.md"}


def test_a_search_without_a_model_does_not_blame_the_index(words_only: Index, index: Index) -> None:
    for found in (ask(words_only, "hull", None), ask(index, "hull", None)):
        assert (found.mode, found.notices) == ("keyword", ())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "?!",
        "🎉🎉",
        'NEAR( * " ^ : -',
        "AND OR NOT",
        "a" * 5000,
        "x " * 5000,
        "\0",
        "\ud83d",
    ],
)
@pytest.mark.parametrize("mode", ["hybrid", "keyword", "vector"])
def test_nothing_typed_is_an_error(index: Index, encoder: Encoder, text: str, mode: str) -> None:
    """An empty answer has a hint."""
    found = ask(index, text, encoder, mode=mode)
    assert found.hits or found.hint


def test_a_fact_named_by_its_id_comes_first(tmp_path: Path, encoder: Encoder) -> None:
    (tmp_path / "joe.md").write_text(
        "# Joe\n\n## Facts\n- Likes tea (2026-01-05) ^tea001\n- Lives here (2026-01-01)\n"
    )
    for number in range(6):
        (tmp_path / f"note-{number}.md").write_text(
            f"# Tea {number}\n\nThe tea of day {number}, 001 and more.\n"
        )
    index, _ = refresh(Settings(str(tmp_path), ""), now=time.time())
    assert search(index, SearchQuery("^tea001"), encoder, NOW).hits[0].id == "tea001"
    bare = next(key for (key,) in index.db.execute("SELECT key FROM fact WHERE key != 'tea001'"))
    hit = search(index, SearchQuery(str(bare), explain=True), encoder, NOW).hits[0]
    assert (hit.id, hit.explain is not None and hit.explain["legs"]["id"]) == (bare, 1.0)
    assert not search(
        index, SearchQuery(str(bare), filters=Filters(kinds=("person",))), encoder, NOW
    ).hits
    index.close()


def test_a_word_that_is_spelled_like_an_id_is_a_word(tmp_path: Path, encoder: Encoder) -> None:
    (tmp_path / "trip.md").write_text(
        "# Trip\n\n## Facts\n- Sold the old bicycle (2026-01-05) ^budget\n"
    )
    (tmp_path / "plan.md").write_text(
        "# Plan\n\nThe travel budget for Norway is nine hundred euros.\n"
    )
    index, _ = refresh(Settings(str(tmp_path), ""), now=time.time())
    asked = search(
        index, SearchQuery("what is the travel budget for norway", explain=True), encoder, NOW
    ).hits
    assert asked[0].path == "plan.md"
    assert all("id" not in hit.explain["legs"] for hit in asked if hit.explain is not None)
    assert search(index, SearchQuery("^budget"), encoder, NOW).hits[0].id == "budget"
    index.close()


def test_far_off_notes_that_may_not_be_shown_leave_room_for_those_that_may(
    tmp_path: Path, encoder: Encoder
) -> None:
    for number in range(150):
        (tmp_path / f"p{number}.md").write_text(
            f"---\nprivate: true\n---\n# Yacht {number}\n\nMooring fees went up.\n"
        )
    (tmp_path / "open.md").write_text("# Travel\n\nTickets to the island.\n")
    index, _ = refresh(Settings(str(tmp_path), ""), now=time.time())
    assert [hit.path for hit in search(index, SearchQuery("ship harbour"), encoder, NOW).hits] == [
        "open.md"
    ]
    index.close()


# -- days and people -----------------------------------------------------------------------------------

DAYS = {
    "memory/2026-02-08.md": "# 2026-02-08\n\n## Garden\n\nPlanted the pear tree with Ben.\n",
    "memory/2026-02-09.md": "# 2026-02-09\n\n## Garden\n\nPlanted the pear tree with Ben.\n",
    "memory/2025-05-01.md": "# 2025-05-01\n\n- Zug nach Bern, Fondue\n- Abends Regen\n",
    "memory/2025-05-02.md": "# 2025-05-02\n\n- Zug nach Basel, Raclette (2024-12-01)\n",
    "memory/2025-06-03.md": "# 2025-06-03\n\n- The robin was in the barn yesterday\n",
    "projects/kitchen.md": "# Kitchen\n\n**Last Updated:** 2026-02-09\n\n## Facts\n\n"
    "- The tiles came broken (2025-03-03)\n"
    "- The tiles were replaced (2026-02-09)\n- The tiles are blue\n\n## Ideas\n\nMore tiles behind the stove.\n",
    "projects/old.md": "# Old\n\n**Last Updated:** 2026-02-09\n\n## Facts\n\n- Tiles were sold (2025-03-03)\n"
    "- Tiles were cut (2025-03-04)\n",
    "notes/plain.md": "# Garden log\n\nOn 2026-02-08 the hedge was cut.\n",
    "chats/talk.md": "# Talk\n\n## One\n\n- **Ana:** I would call the boat Heron.\n\n## Two\n\n"
    "- **Ben:** I would call the boat Heron.\n",
}


@pytest.fixture(scope="module")
def dated(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    yield from opened(tmp_path_factory.mktemp("dated"), vectors=True, notes=DAYS)


def legs(result: SearchResult, path: str) -> dict[str, float]:
    """The weighted legs of the first hit of a note."""
    return dict(next((hit.explain or {})["legs"] for hit in result.hits if hit.path == path))


@pytest.mark.parametrize(
    ("question", "path"),
    [
        ("what did we plant yesterday?", "memory/2026-02-09.md"),
        ("what did we plant on 8 February?", "memory/2026-02-08.md"),
        ("who planted the pear tree on Sunday?", "memory/2026-02-08.md"),
    ],
)
def test_of_two_days_that_say_the_same_the_one_asked_about_comes_first(
    dated: Index, encoder: Encoder, question: str, path: str
) -> None:
    found = ask(dated, question, encoder)
    assert paths(found)[0] == path
    assert legs(found, path)["day"] == fusion.MEANT["day"]
    for hit in found.hits:
        explained = hit.explain or {}
        assert sum(explained["legs"].values()) * prod(
            explained["priors"].values()
        ) == pytest.approx(hit.score, abs=1e-6)


def test_every_day_of_a_week_has_a_line_where_as_many_are_shown(
    tmp_path: Path, encoder: Encoder
) -> None:
    words = ("tea", "bread", "soup", "rain")
    notes = {
        f"memory/2026-02-0{day}.md": "".join(f"- The {word} of day {day}\n" for word in words)
        for day in range(2, 7)
    }
    for index in opened(tmp_path, vectors=True, notes=notes):
        found = ask(index, "what did I do last week", encoder, limit=5)
        assert paths(found) == sorted(notes, reverse=True)


def test_the_note_of_a_day_answers_what_happened_then_whatever_its_words(
    dated: Index, encoder: Encoder
) -> None:
    found = ask(dated, "what happened on 1 May?", encoder)
    assert paths(found)[0] == "memory/2025-05-01.md"
    assert not found.weak
    assert (
        paths(ask(dated, "what happened", encoder, since="2025-05-01", until="2025-05-01"))[0]
        == "memory/2025-05-01.md"
    )


def test_a_month_that_is_asked_about_brings_no_note_that_has_nothing_else(
    dated: Index, encoder: Encoder
) -> None:
    assert "memory/2025-05-01.md" not in paths(
        ask(dated, "which hedge did we cut nine months ago?", encoder)
    )


def test_a_day_that_a_note_tells_by_its_own_is_its_day(dated: Index, encoder: Encoder) -> None:
    found = ask(dated, "where was the robin on 2 June 2025?", encoder)
    assert legs(found, "memory/2025-06-03.md")["day"] == fusion.MEANT["day"] / 2
    other = ask(dated, "where was the robin on 1 June 2025?", encoder)
    assert "day" not in legs(other, "memory/2025-06-03.md")


def test_a_date_written_in_a_line_is_its_day(dated: Index, encoder: Encoder) -> None:
    assert "day" in legs(
        ask(dated, "which hedge was cut on 8 February?", encoder), "notes/plain.md"
    )
    assert "day" not in legs(
        ask(dated, "which hedge was cut on 7 February?", encoder), "notes/plain.md"
    )


@pytest.mark.parametrize(
    "how", [{"mode": "keyword"}, {"mode": "vector"}, {"fusion": "rrf"}, {"fusion": "weighted"}]
)
def test_days_and_speakers_count_in_the_default_order_alone(
    dated: Index, encoder: Encoder, how: dict[str, str]
) -> None:
    for question in ("what did we plant on 8 February?", "what would Ana call the boat?"):
        for hit in ask(dated, question, encoder, **how).hits:
            assert not {"day", "speaker"} & (hit.explain or {})["legs"].keys()
    assert "memory/2025-05-01.md" not in paths(
        ask(dated, "Raclette or the 1st of May", encoder, **how)
    )


def test_of_two_who_say_the_same_the_one_asked_about_comes_first(
    dated: Index, encoder: Encoder
) -> None:
    for name in ("Ana", "Ben"):
        first = ask(dated, f"What would {name} call the boat?", encoder).hits[0]
        assert f"**{name}:**" in first.text
        assert (first.explain or {})["legs"]["speaker"] == fusion.MEANT["speaker"]


def test_on_a_day_a_fact_counts_by_its_own_date_and_not_by_that_of_its_note(
    dated: Index, encoder: Encoder
) -> None:
    def told(day: str) -> set[str]:
        hits = ask(dated, "tiles", encoder, since=day, until=day).hits
        return {
            line.strip("- ") for hit in hits for line in hit.text.splitlines() if "iles" in line
        }

    assert told("2025-03-03") == {
        "The tiles came broken (2025-03-03)",
        "Tiles were sold (2025-03-03)",
    }
    on = told("2026-02-09")
    assert {"The tiles were replaced (2026-02-09)", "More tiles behind the stove."} <= on
    assert not {"Tiles were sold (2025-03-03)", "Tiles were cut (2025-03-04)"} & on


def test_a_line_of_a_daily_note_is_found_on_its_own_day_and_on_that_of_the_note(
    dated: Index, encoder: Encoder
) -> None:
    for day in ("2025-05-02", "2024-12-01"):
        assert paths(ask(dated, "Raclette", encoder, since=day, until=day)) == [
            "memory/2025-05-02.md"
        ]
    assert "memory/2025-05-02.md" not in paths(ask(dated, "Raclette", encoder, since="2025-05-03"))


DIARY = {
    "memory/2026-02-05.md": "# 2026-02-05\n\n{{query (and today yesterday)}}\n\n- Planted the pear tree\n    - me!\n"
    "    - Ben came last\n- Lunch with Ana\n",
    "memory/2026-02-06.md": "---\nlast_updated: Friday\n---\n# 2026-02-06\n\n- Cut the hedge\n    - the long one\n"
    "- Read a novel\n",
    "memory/2026-02-09.md": "# 2026-02-09\n\n- Baked bread\n- Next week the last roses\n",
    "notes/lazy.md": "# Lazy Sunday\n\nWhat happened yesterday, today and last Friday is told here, this week too.\n",
    "notes/Yesterday.md": "# Yesterday\n\nA song on guitar, all my troubles.\n",
    "notes/Saved.md": "# Saved\n\nLinks and articles.\n",
    "projects/kitchen.md": "# Kitchen\n\n## Facts\n- The tiles came broken (2026-02-06)\n- The tiles are blue\n",
}


@pytest.fixture(scope="module")
def diary(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Index]:
    yield from opened(tmp_path_factory.mktemp("diary"), vectors=True, notes=DIARY)


def lines(result: SearchResult) -> list[str]:
    """The first line of each hit."""
    return [hit.text.strip("- ").splitlines()[0] for hit in result.hits]


def test_a_day_alone_is_answered_by_its_note_from_the_edge_inwards_and_by_what_carries_it(
    diary: Index, encoder: Encoder
) -> None:
    found = ask(diary, "what did I do last Friday", encoder)
    assert lines(found)[:2] == ["Cut the hedge", "Read a novel"]
    assert "The tiles came broken (2026-02-06)" in lines(found)
    assert {*paths(found)} == {"memory/2026-02-06.md", "projects/kitchen.md"}
    assert not found.weak
    for hit in found.hits:
        explained = hit.explain or {}
        assert sum(explained["legs"].values()) * prod(
            explained["priors"].values()
        ) == pytest.approx(hit.score)
    first = lines(ask(diary, "what happened last Thursday", encoder))[:2]
    assert first == ["Planted the pear tree", "Lunch with Ana"]


def test_a_verb_and_days_are_answered_by_these_days_and_what_the_verb_is_near_to_first(
    diary: Index, encoder: Encoder
) -> None:
    for verb in ("saved", "wear"):
        found = ask(
            diary, f"what have I {verb} last Friday".replace("have I wear", "did I wear"), encoder
        )
        assert {*paths(found)} == {"memory/2026-02-06.md", "projects/kitchen.md"}
        assert lines(found)[:2] == ["Cut the hedge", "Read a novel"]
        assert (found.asked, found.weak, found.hint) == ("", False, None)
    assert lines(ask(diary, "what did I read last Friday", encoder))[0] == "Read a novel"
    week = ask(diary, "what did I eat last week", encoder)
    assert lines(week)[0] == "Lunch with Ana"
    assert {path for path in paths(week) if path.startswith("notes/")} == set()


def test_where_more_was_done_than_is_shown_the_command_for_these_days_is_told(
    diary: Index, encoder: Encoder
) -> None:
    for question in ("what did I save last week", "what did we plant this month"):
        told = ask(diary, question, encoder, limit=1).notices
        assert [each[:39] for each in told] == ["more, day by day: `aurelius days 2026-0"], question
    assert not ask(diary, "which novel did I read last Friday", encoder, limit=1).notices
    assert paths(ask(diary, "what did I write on 4 February", encoder)), (
        "a day without notes is no reason for none"
    )


def test_a_week_alone_is_answered_newest_day_first(diary: Index, encoder: Encoder) -> None:
    found = ask(diary, "what happened last week", encoder)
    days = [path for path in paths(found) if path.startswith("memory/")]
    assert days == sorted(days, reverse=True)
    assert {*days} == {"memory/2026-02-05.md", "memory/2026-02-06.md"}
    assert "notes/lazy.md" not in paths(found)
    assert (found.weak, found.hint) == (False, None)


def test_the_words_of_a_day_find_no_line_that_only_holds_them(
    diary: Index, encoder: Encoder
) -> None:
    found = ask(diary, "which novel did I read last Friday", encoder)
    assert paths(found)[0] == "memory/2026-02-06.md"
    for hit in found.hits:
        assert hit.path != "notes/lazy.md" or not (hit.explain or {})["raw"]["bm25"]
    weak = ask(diary, "zebra xylophone last week", encoder)
    assert "week" not in (weak.hint or "")


def test_what_is_literally_about_the_words_of_a_day_is_found(
    diary: Index, encoder: Encoder
) -> None:
    for question in ("the song Yesterday", '"yesterday" song', "yesterday"):
        assert "notes/Yesterday.md" in paths(ask(diary, question, encoder))[:1], question
    assert "notes/lazy.md" in paths(ask(diary, '"last friday"', encoder))


def test_with_days_as_a_filter_and_no_other_word_all_of_them_is_listed(
    diary: Index, encoder: Encoder
) -> None:
    for question in ("what did I do", "everything"):
        found = ask(diary, question, encoder, since="2026-02-05", until="2026-02-09", limit=30)
        assert {
            "Planted the pear tree",
            "Cut the hedge",
            "Baked bread",
            "The tiles came broken (2026-02-06)",
        } <= {*lines(found)}
        assert lines(found)[0] == "Baked bread"


def test_that_a_day_has_no_daily_note_is_told(diary: Index, encoder: Encoder) -> None:
    found = ask(diary, "what happened on 4 February", encoder)
    assert found.weak
    assert (found.hint or "").startswith(
        "no daily note of 2026-02-04, and no line carries that day"
    )
    none = ask(diary, "what did I do", encoder, since="2026-03-01")
    assert (none.hits, (none.hint or "").partition(",")[0]) == (
        (),
        "no daily note since 2026-03-01",
    )


TOM = (
    "# Tom\n\n## Summary\nLives in Oslo. Works as a baker.\n\n## Facts\n- Lives in Bergen (2026-02-01) ^new111\n"
    "- Works as a baker (2026-01-01) ^bak111\n\n"
    "## History\n- ~~Lives in Oslo~~ (2026-01-01 → 2026-02-01, → ^new111) ^old111\n"
)
REPEATED = {
    "people/tom.md": TOM,
    "people/ann.md": "# Ann\n\n## Summary\nLives in Oslo.\n\n## Facts\n- Lives in Oslo (2026-01-01) ^ann111\n",
    "people/_index.md": "# People\n\n- [[people/tom]] - Lives in Oslo. Works as a baker.\n"
    "- [[people/ann]] - Lives in Rome.\n",
    "MEMORY.md": "# Memory\n\n## Now\n[[people/tom]] - Lives in Oslo.\n",
}


def test_a_generated_text_never_says_what_holds_no_more(tmp_path: Path, encoder: Encoder) -> None:
    for index in opened(tmp_path, vectors=True, notes=REPEATED):
        found = ask(index, "Oslo", encoder)
        told = {hit.path: hit.text for hit in found.hits if not hit.id}
        assert "people/ann.md" in told, (
            "what holds for one is not left out because it is past for another"
        )
        assert "Oslo" not in "".join(text for path, text in told.items() if path != "people/ann.md")
        assert "people/tom.md" not in told, "what is left does not hold the word"
        baker = {hit.path: hit.text for hit in ask(index, "baker", encoder).hits if not hit.id}
        assert baker["people/tom.md"].endswith("Works as a baker.")
        assert "Oslo" not in baker["people/tom.md"]
        assert "MEMORY.md" not in told, "nothing is left of it"
        assert found.filtered["superseded"] >= 3, found.filtered
        all_ = ask(index, "Oslo", encoder, status="all")
        assert "Lives in Oslo. Works as a baker." in {hit.text for hit in all_.hits}


@pytest.mark.parametrize(
    "text", ["where does Ann live", "Ann Oslo", "lives in Oslo summary", "baker"]
)
def test_a_generated_text_never_stands_above_a_fact_that_it_repeats(
    tmp_path: Path, encoder: Encoder, text: str
) -> None:
    for index in opened(tmp_path, vectors=True, notes=REPEATED):
        hits = ask(index, text, encoder).hits
        facts = {hit.path: at for at, hit in enumerate(hits) if hit.id in {"ann111", "bak111"}}
        assert facts
        for at, hit in enumerate(hits):
            if not hit.id and hit.path in facts and hit.heading[-1] == "Summary":
                assert at > facts[hit.path], [each.text for each in hits]


ROSA = {
    "people/rosa.md": "# Rosa\n\n## Summary\nMarried to Felix. Works at Novartis as a chemist.\n\n## Facts\n"
    "- Works at Roche as a lab lead (2026-02-01) ^new111\n- Married to Felix (2026-01-02) ^mar111\n\n"
    "## History\n- ~~Works at Novartis as a chemist~~ (2026-01-01 → 2026-02-01, → ^new111) ^old111\n",
    "people/_index.md": "# People\n\n- [[people/rosa]] - Married to Felix. Works at Novartis as a chemist.\n",
    "MEMORY.md": "# Memory\n\n## Now\n[[people/rosa]] - Married to Felix. Works at Novartis as a chemist.\n\n"
    "## Facts\n- The boat is red (2026-01-01)\n",
    "projects/hull.md": "---\naliases: [The Hull]\n---\n# Hull\n\n**Type:** Project\n\n## Summary\n\n## Facts\n",
    "projects/keel.md": "# Keel\n\n## Summary\n\n## Facts\n",
}


def test_a_generated_text_is_no_hit_for_a_word_that_only_its_hidden_part_holds(
    tmp_path: Path, encoder: Encoder
) -> None:
    for index in opened(tmp_path, vectors=True, notes=ROSA):
        for mode in ("hybrid", "keyword"):
            found = search(index, SearchQuery("Novartis", mode=mode), encoder, NOW)
            assert not [hit.text for hit in found.hits if hit.id in {"", "old111"}]
            assert found.weak or not found.hits, "nothing that is shown holds the word"
        felix = ask(index, "Felix", encoder)
        assert not felix.weak
        assert {"people/rosa.md", "people/_index.md", "MEMORY.md"} <= {
            hit.path for hit in felix.hits if not hit.id
        }
        assert "Novartis" in str(
            [hit.text for hit in ask(index, "Novartis", encoder, status="all").hits]
        )


def test_what_was_generated_later_is_not_shown_for_an_earlier_day(
    tmp_path: Path, encoder: Encoder
) -> None:
    for index in opened(tmp_path, vectors=True, notes=ROSA):
        hits = ask(index, "Felix Novartis", encoder, as_of="2026-01-10").hits
        assert {hit.id for hit in hits} >= {"mar111", "old111"}
        assert not [
            hit
            for hit in hits
            if hit.heading[-1] in {"Summary", "Now"} or hit.path.endswith("_index.md")
        ]


def test_the_heading_of_an_empty_summary_is_no_hit(tmp_path: Path, encoder: Encoder) -> None:
    for index in opened(tmp_path, vectors=True, notes=ROSA):
        for text in ("Hull", "Hull summary"):
            texts = [
                hit.text for hit in ask(index, text, encoder).hits if hit.path == "projects/hull.md"
            ]
            assert texts
            assert "## Summary" not in texts
        assert "projects/keel.md" in paths(ask(index, "Keel", encoder)), (
            "there is nothing else to find the note by"
        )


PLUMBER = (
    "# Tom\n\n## Facts\n- Meeting with the plumber (2026-01-01) ^plu111\n  - ~~said no~~ ^gone11\n"
    "- Painter came\n  id:: 1\n  - wants 900 euros\n    - half in advance\n  - starts in June\n- Likes tea\n"
)


def test_a_parent_shows_its_first_children_and_no_line_is_told_twice(
    tmp_path: Path, encoder: Encoder
) -> None:
    for index in opened(tmp_path, vectors=True, notes={"people/tom.md": PLUMBER}):
        first = ask(index, "painter", encoder, limit=1).hits[0]
        assert first.text == "- Painter came\n  - wants 900 euros\n    - half in advance"
        assert first.lines == (6, 9)
        plumber = ask(index, "plumber", encoder, limit=1).hits[0]
        assert plumber.text == "- Meeting with the plumber (2026-01-01) ^plu111", (
            "what is past is not told"
        )
        for text in ("painter", "euros", "June", "painter wants euros in June in advance"):
            hits = ask(index, text, encoder).hits
            lines = [line for hit in hits if hit.id for line in hit.text.split("\n")]
            assert len(lines) == len(set(lines)), lines
        child = ask(index, "900 euros", encoder, limit=1).hits[0]
        assert child.heading == ("Tom", "Facts", "Painter came")
