"""Notes that a question names: by a whole name, by words of one, by what links call them."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable, Iterator
from math import prod
from pathlib import Path
from typing import Any

import pytest

from indexer.catalog.filters import Filters
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.rows.rows import Index
from indexer.search import by_names
from indexer.search.folding import openings
from indexer.search.hit import SearchResult
from indexer.search.query import SearchQuery
from indexer.search.search import search
from indexer.search.view import Scope
from indexer.tokens.embed import Encoder, load_model

NOW = datetime.datetime(2026, 2, 10, 12)
VAULTS = Path(__file__).resolve().parents[2] / "vaults"
MODES = (("keyword", "default"), ("vector", "default"), ("hybrid", "rrf"), ("hybrid", "weighted"))

Ask = Callable[..., SearchResult]


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_model()


@pytest.fixture
def ask(tmp_path: Path, encoder: Encoder) -> Iterator[Ask]:
    """Search a vault of these notes, path → text, with the explanation of each hit."""
    made: list[Index] = []

    def asked(
        notes: dict[str, str],
        text: str,
        mode: str = "hybrid",
        fusion: str = "default",
        **filters: Any,
    ) -> Any:
        for path, body in notes.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(body)
        if not made:
            made.append(refresh(Settings(str(tmp_path), ""), now=time.time())[0])
        query = SearchQuery(text, mode, fusion, Filters(**filters), 10, explain=True)
        return search(made[0], query, encoder, NOW)

    yield asked
    for index in made:
        index.close()


def paths(result: SearchResult) -> list[str]:
    return list(dict.fromkeys(hit.path for hit in result.hits))


FILMS = {
    "film/Blade Runner.md": "---\naliases: [Do Androids Dream]\n---\nRidley Scott, 1982.\n",
    "film/p7.md": "# The Long Goodbye\n\nElliott Gould smokes.\n",
    "list.md": "# Films\n\nBlade Runner again. Blade Runner blade. Androids dream, do they? Dream androids, dream. "
    "The long goodbye to a long film: goodbye.\n",
    "more.md": "# Films seen\n\nBlade of the runner, runner of the blade. A long goodbye. Do dream, androids.\n",
}


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("blade runner", "film/Blade Runner.md"),
        ("Blade-Runner", "film/Blade Runner.md"),
        ("the long goodbye", "film/p7.md"),
        ("do androids dream", "film/Blade Runner.md"),
    ],
)
def test_the_note_whose_whole_name_is_asked_for_is_first(ask: Ask, text: str, path: str) -> None:
    found = ask(FILMS, text)
    assert paths(found)[0] == path
    told = found.hits[0].explain
    assert told is not None
    assert told["legs"]["exact"] == 2.0
    assert sum("exact" in (hit.explain or {})["legs"] for hit in found.hits if hit.explain) == 1


def test_all_notes_of_one_name_are_first_the_nearest_to_the_top_before_the_others(ask: Ask) -> None:
    notes = {
        "a/deep/Kyoto.md": "# Temples\n\nKyoto, Kyoto and Kyoto again: the old town.\n",
        "archives/Kyoto.md": "# Kyoto\n\nKyoto, as it was.\n",
        "b/Kyoto.md": "A town with temples.\n",
        "c.md": "# Travel\n\nKyoto Kyoto Kyoto. Then Kyoto again.\n",
        "d.md": "# Japan\n\nKyoto by rail, Kyoto by bus.\n",
    }
    assert paths(ask(notes, "Kyoto"))[:3] == ["b/Kyoto.md", "a/deep/Kyoto.md", "archives/Kyoto.md"]


def test_an_id_of_a_fact_keeps_its_own_rule(ask: Ask) -> None:
    notes = {
        "joe.md": "# Joe\n\n## Facts\n- Lives in Los Angeles (2026-02-01) ^kyoto1\n",
        "kyoto1.md": "Kyoto, the first day.\n",
    }
    assert ask(notes, "kyoto1").hits[0].id == "kyoto1"


ME = "# About Jo\n\n## Core\n- Timezone of Jo: America/New_York\n- Jo prefers trash over rm\n"


@pytest.mark.parametrize(
    ("copy", "lives"),
    [
        ("docs/backups-2026/USER.md", "USER.md"),
        ("A/bak_2/USER.md", "work/for/all/USER.md"),
        ("archives/2026/me.md", "people/deep/in/jo.md"),
        ("A/Old/USER.md", "people/jo.md"),
        ("backup/lab/README.md", "lab/README.md"),
        ("A/Q/Q.md", "b.md"),
    ],
)
def test_of_a_text_and_its_copy_the_one_that_lives_stands_first(
    ask: Ask, copy: str, lives: str
) -> None:
    found = ask(
        {copy: ME, lives: ME, "tea.md": "# Tea\n\n- Green tea at four\n"},
        "What is the timezone of Jo?",
    )
    assert paths(found)[:1] == [lives]
    assert copy in [*(path for path, _ in found.hits[0].also), *paths(found)[1:]]


def test_a_copy_that_is_asked_for_by_its_name_stands_first(ask: Ask) -> None:
    text = "# Zones\n\nThe timezone is that of New York.\n"
    notes = {"backups/kept in june.md": text, "USER.md": text}
    assert paths(ask(notes, "timezone"))[0] == "USER.md"
    assert paths(ask(notes, "timezone, as kept in june"))[0] == "backups/kept in june.md"


def test_of_two_copies_in_one_place_the_newer_stands_first(ask: Ask) -> None:
    more = "## Asked\n- The timezone of Jo?\n- What of the timezone of Jo?\n"
    notes = {
        "a.md": f"---\ndate: 2025-01-01\n---\n{ME}{more}",
        "b.md": f"---\ndate: 2026-02-01\n---\n{ME}",
    }
    hits = ask(notes, "What is the timezone of Jo?").hits
    found = [hit for hit in hits if "America" in hit.text]
    assert [(hit.path, [path for path, _ in hit.also]) for hit in found] == [("b.md", ["a.md"])]


def test_a_line_that_two_subjects_have_is_no_copy(ask: Ask) -> None:
    notes = {
        "archives/boat.md": "# Boat\n\n- Status: done\n",
        "projects/house.md": "# House\n\n- Status: done\n",
        "old/mill/README.md": "# State\n\n- Colour: red\n\n## Mill\n- The mill stands\n",
        "barn/README.md": "# State\n\n- Colour: red\n",
    }
    assert paths(ask(notes, "status of the boat"))[0] == "archives/boat.md"
    found = [hit for hit in ask(notes, "colour of the mill").hits if "red" in hit.text]
    assert [hit.path for hit in found] == ["old/mill/README.md", "barn/README.md"]


LABELS = {
    "people/kk.md": "Writes about tools and the long now.\n",
    "a.md": "# Reading\n\nI read [the bearded editor](people/kk.md) on Sundays.\n",
    "b.md": "# Beards\n\nThe barber trims beards. An editor came.\n",
    "c.md": "# Work\n\nThe editor of the paper called; the bearded man did not.\n",
}


def test_a_note_is_found_by_what_a_link_calls_it(ask: Ask) -> None:
    assert "people/kk.md" in paths(ask(LABELS, "the bearded editor"))[:2]
    assert "people/kk.md" in paths(ask(LABELS, "bearded editor"))[:2]
    assert "people/kk.md" in paths(ask(LABELS, "what does the bearded editor write about?"))[:3]


def test_links_in_private_notes_give_no_names(ask: Ask) -> None:
    notes = {**LABELS, "a.md": "---\nprivate: true\n---\n" + LABELS["a.md"]}
    hits = {
        hit.path: (hit.explain or {})["legs"]
        for hit in ask(notes, "bearded editor").hits
        if hit.explain
    }
    assert "name" not in hits.get("people/kk.md", {})
    shown = {
        hit.path: (hit.explain or {})["legs"]
        for hit in ask(notes, "bearded editor", private=True).hits
        if hit.explain
    }
    assert "name" in shown["people/kk.md"]


def test_a_note_is_found_by_the_initials_of_its_name(ask: Ask) -> None:
    notes = {
        "net/Network Interface Card.md": "Plugs into a slot.\n",
        "a.md": "# Nickel\n\nNIC is nickel to nobody.\n",
        "b.md": "# Cards\n\nA nic here, a nic there.\n",
    }
    assert "net/Network Interface Card.md" in paths(ask(notes, "NIC"))[:2]
    assert "net/Network Interface Card.md" in paths(ask(notes, "where does the NIC go?"))[:3]


def test_a_name_within_a_question_counts(ask: Ask) -> None:
    found = ask(FILMS, "who directed Blade Runner?")
    assert paths(found)[0] == "film/Blade Runner.md"


def test_a_named_note_that_says_none_of_the_words_stands_by_its_first_lines(ask: Ask) -> None:
    notes = {f"n{at}.md": f"# Note {at}\n\nquokka quokka quokka {at}\n" for at in range(120)}
    notes["zoo/Quokka.md"] = "Small, round, and brave.\n\nSecond paragraph.\n"
    hit = ask(notes, "quokka").hits[0]
    assert (hit.path, hit.lines[0]) == ("zoo/Quokka.md", 1)


def test_who_asks_for_one_word_gets_the_notes_that_hold_it_before_what_is_only_near(
    ask: Ask,
) -> None:
    notes = {
        f"music/{at}.md": f"The song of the band, an album and a concert {at}.\n" for at in range(6)
    }
    notes["film.md"] = (
        "---\ncover: https://music.example.com/x\n---\nA long film about tax law and its courts.\n"
    )
    found = ask(notes, "music", folder="music")
    assert found.weak
    assert all("word" not in (hit.explain or {})["priors"] for hit in found.hits)
    found = ask(notes, "music")
    assert found.hits[0].path == "film.md"
    assert {(hit.explain or {})["priors"].get("word") for hit in found.hits[1:]} == {0.1}
    assert len(found.hits) > 3
    for text, mode, fusion in (
        ("what about music", "hybrid", "default"),
        ("music", "hybrid", "rrf"),
    ):
        assert all(
            "word" not in (hit.explain or {})["priors"]
            for hit in ask(notes, text, mode, fusion).hits
        )


def test_of_two_like_notes_the_one_that_more_notes_link_to_is_first(ask: Ask) -> None:
    text = "A quokka is small, round and brave.\n"
    notes = {
        "a.md": text,
        "z.md": text,
        **{f"n{at}.md": f"Day {at}: see [[z]].\n" for at in range(5)},
    }
    notes["p.md"] = "---\nprivate: true\n---\n[[z]]\n"
    hits = ask(notes, "what is a quokka").hits
    told = {
        hit.path: (hit.explain or {})["priors"].get("linked", 1.0) for hit in hits if hit.explain
    }
    assert [hit.path for hit in hits[:2]] == ["z.md", "a.md"]
    assert told["a.md"] == 1.0 < told["z.md"] <= 1.02
    seen = ask(notes, "what is a quokka", private=True).hits[0]
    assert seen.explain is not None
    assert seen.explain["priors"]["linked"] > told["z.md"]
    for mode, fusion in MODES:
        assert all(
            "linked" not in (hit.explain or {})["priors"]
            for hit in ask(notes, "quokka", mode, fusion).hits
        )


def test_filters_hold_for_named_notes_too(ask: Ask) -> None:
    assert paths(ask(FILMS, "blade runner", folder="film")) == ["film/Blade Runner.md"]
    assert "film/Blade Runner.md" not in paths(ask(FILMS, "blade runner", folder="list.md"))


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("blade runner", "film/Blade Runner.md"),
        ("long goodbye", "film/p7.md"),
        ("do androids dream", "film/Blade Runner.md"),
    ],
)
def test_by_words_alone_the_note_whose_name_holds_all_of_them_is_first(
    ask: Ask, text: str, path: str
) -> None:
    """The BM25 of its name is part of its BM25, and no leg of its own."""
    first = ask(FILMS, text, "keyword").hits[0]
    assert first.path == path
    assert (first.explain or {})["legs"] == {"bm25": (first.explain or {})["raw"]["bm25"]}
    assert set((first.explain or {})["priors"]) == {"score", "recency"}


def test_by_words_alone_a_name_that_holds_some_of_them_adds_nothing(ask: Ask) -> None:
    notes = {
        "people/Mia Berg.md": "# Mia Berg\n\nBorn in Kiel.\n",
        "memory/2026-01-02.md": "Where the party was: Mia came by ferry with Tom.\n",
    }
    notes |= {f"other {at}.md": f"# Other {at}\n\nNothing, or a word.\n" for at in range(12)}
    notes |= {f"boat {at}.md": f"# Boat {at}\n\nThe ferry, late.\n" for at in range(4)}
    assert paths(ask(notes, "the ferry party of Mia", "keyword"))[0] == "memory/2026-01-02.md"
    assert paths(ask({}, "ferry Mia", "keyword"))[0] == "memory/2026-01-02.md"
    assert ask({}, "mia berg", "keyword").hits[0].path == "people/Mia Berg.md"
    names = [hit.path for hit in ask({}, '"mia berg" -kiel', "keyword").hits]
    assert "people/Mia Berg.md" not in names


def test_a_named_note_is_a_candidate_by_its_properties_and_begins_with_what_says_something(
    tmp_path: Path,
) -> None:
    (tmp_path / "told.md").write_text(
        "---\nrating: 5\n---\n# Told\n\nA line that says something.\n"
    )
    (tmp_path / "past.md").write_text(
        "## Facts\n\n- ~~Old~~ (2026-01-01 → 2026-01-02, superseded by ^new1) ^old1\n- New (2026-01-02, updates ^old1) ^new1\n"
    )
    index, _ = refresh(Settings(str(tmp_path), ""), now=time.time())
    sql = "SELECT note.id FROM note WHERE path IN ('told.md', 'past.md') ORDER BY id"
    notes = [number for (number,) in index.db.execute(sql)]

    def told(numbers: list[int]) -> dict[str, str]:
        sql = "SELECT path, text FROM chunk JOIN note ON note.id = chunk.note WHERE chunk.id = ?"
        rows = [index.db.execute(sql, (number,)).fetchall()[0] for number in numbers]
        return {str(path): str(text) for path, text in rows}

    stands = told(by_names.standing_for(index.db, notes, Scope("")))
    begins = told(openings(index.db, notes, Scope("")))
    index.close()
    assert "rating" in stands["told.md"]
    assert "says something" in begins["told.md"]
    assert "New" in stands["past.md"]


@pytest.mark.parametrize(("mode", "fusion"), MODES)
def test_names_move_the_default_order_alone(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, mode: str, fusion: str
) -> None:
    before = ask({**FILMS, **LABELS}, "blade runner", mode, fusion)
    monkeypatch.setattr(by_names, "_names", None)
    assert ask({}, "blade runner", mode, fusion) == before


@pytest.mark.parametrize("vault", sorted(path.name for path in VAULTS.iterdir()))
def test_every_hit_of_every_vault_adds_up(vault: str, tmp_path: Path, encoder: Encoder) -> None:
    index, _ = refresh(Settings(str(VAULTS / vault), ""), now=time.time())
    names = [
        title
        for (title,) in index.db.execute("SELECT DISTINCT title FROM note ORDER BY title LIMIT 12")
    ]
    for text in (
        *names,
        "where does joe live",
        "what happened on 2026-02-09?",
        "tea ceremony",
        "what did Joe say",
    ):
        for mode, fusion in (("hybrid", "default"), *MODES):
            for hit in search(
                index, SearchQuery(text, mode, fusion, limit=50, explain=True), encoder, NOW
            ).hits:
                assert hit.explain is not None
                value = sum((hit.explain or {})["legs"].values()) * prod(
                    (hit.explain or {})["priors"].values()
                )
                assert hit.score == pytest.approx(value, abs=1e-6), (text, mode, fusion, hit.path)
    index.close()
