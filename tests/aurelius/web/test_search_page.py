"""The page of the search: the hits of the command, why each came up, filters and what is wrong with
them."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from aurelius.settings.places import WAITING_USES_FILE, vault_state
from tests.conftest import TODAY
from tests.pages import Pages, served

NOTES = {
    "people/joe.md": """---
tags: [friend]
---
# Joe Bloggs

## Facts

- Lives in Lisbon, near [[people/ann]] (2026-01-05, status) ^joe001
- Lived in Porto (2024-01-01) ^joe002

## History

- ~~Plays the oboe~~ (2023-01-01 → 2025-01-01, superseded by ^joe001) ^joe003
""",
    "people/ann.md": "# Ann & Lee\n\nTags #friend and #work/boats.\n\n- Lives in Oslo (2026-02-01)\n",
    "projects/tram.md": "# Tram\n\n- The tram in Lisbon is yellow (2026-02-02, decision) ^tram01\n",
    "conversations/one.md": "# A talk\n\n- We talked of Lisbon at length\n",
    "people/secret.md": "---\nprivate: true\ntags: [friend]\n---\n# Sam\n\nLives in Lisbon too\n",
}


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / ".aurelius" / "config.toml").write_text("")
    for path, text in NOTES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(text)
    return root


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    names = ("CONFIG", "CACHE", "STATE")
    return {"HOME": str(tmp_path)} | {
        f"XDG_{each}_HOME": str(tmp_path / each.lower()) for each in names
    }


@pytest.fixture
def pages(vault: Path, env: dict[str, str]) -> Iterator[Pages]:
    with served(vault, env, now=TODAY) as found:
        yield found


def found(pages: Pages, query: str) -> list[str]:
    """The paths and lines that the hits or rows of a search lead to."""
    text = pages.get(f"/memory/search?{query}").text.partition('id="results"')[2]
    lists = re.findall(r'(?s)<ol class="(?:hits|rows)".*?</ol>', text)
    return re.findall(r'<(?:h2|li)><a href="/note/([^"]*)"', "".join(lists))


def test_without_a_question_the_page_says_what_can_be_asked(pages: Pages) -> None:
    answer = pages.get("/memory/search")
    assert "#tag lists the notes with that tag" in answer.words
    assert answer.words.count("Words or a question find") == 1


def test_a_hit_leads_to_its_line_and_shows_what_it_says(pages: Pages) -> None:
    answer = pages.get("/memory/search?q=who lives in lisbon")
    assert "people/joe.md#line-8" in found(pages, "q=who lives in lisbon")
    shown = answer.text.partition('id="results"')[2]
    assert "<mark>Lives</mark> in <mark>Lisbon</mark>" in shown
    assert '<a href="/note/people/ann.md">Ann &amp; Lee</a>' in shown
    assert "people/joe.md:8 · 2026-01-05 · cold" in answer.words
    assert "has lives, lisbon" in answer.words


def test_a_hit_of_many_lines_leads_to_the_one_that_holds_the_words(
    vault: Path, env: dict[str, str]
) -> None:
    text = "# Ship\n\nFirst came the keel\nand then the ribs,\nat last a copper rudder\nby the smith.\n\n- more\n"
    (vault / "ship.md").write_text(text)
    (vault / "code.md").write_text(
        "# Code\n\nText:\n\n```\none\ntwo zebra\nthree\n```\n\n```\n```\n"
    )
    with served(vault, env, now=TODAY) as pages:
        assert found(pages, "q=copper rudder")[0] == "ship.md#line-5"
        assert found(pages, "q=zebra")[0] == "code.md#line-7"
        assert '<span id="line-7"></span>two zebra\n' in pages.get("/note/code.md").text
        assert 'id="line-5"' in pages.get("/note/ship.md").text


def test_how_many_there_are_is_told_in_a_status_outside_of_them(pages: Pages) -> None:
    answer = pages.get("/memory/search?q=lisbon")
    told = re.search(
        r'<p id="found">([^<]*)</p>\s*<p id="told"[^>]*></p>\s*<div id="results">', answer.text
    )
    assert told
    assert re.fullmatch(r"\d+ results?", told[1])


def test_what_was_replaced_is_found_where_it_is_asked_for_and_says_so(pages: Pages) -> None:
    assert not re.search("joe.md#line-13", " ".join(found(pages, "q=oboe")))
    answer = pages.get("/memory/search?q=oboe&status=all")
    assert "superseded" in answer.words
    held = pages.get("/memory/search?q=oboe&as-of=2024-06-01")
    assert "held then, superseded since" in held.words


@pytest.mark.parametrize("query", ["q=%23friend", "q=tag:friend", "tag=friend", "q=tag: friend"])
def test_a_tag_lists_the_notes_that_have_it(pages: Pages, query: str) -> None:
    assert found(pages, query) == ["people/ann.md", "people/joe.md"]


def test_words_behind_a_tag_are_searched_in_the_notes_that_have_it(pages: Pages) -> None:
    hits = found(pages, "q=%23friend lisbon")
    assert hits[0] == "people/joe.md#line-8"
    assert all(each.startswith("people/") for each in hits)


def test_a_type_alone_lists_its_facts(pages: Pages) -> None:
    assert found(pages, "type=decision") == ["projects/tram.md#line-3"]
    assert "1 fact" in pages.get("/memory/search?type=decision").words


def test_filters_choose_among_the_hits(pages: Pages) -> None:
    assert found(pages, "q=lisbon&in=projects") == ["projects/tram.md#line-3"]
    assert found(pages, "q=lisbon&type=decision,plan") == ["projects/tram.md#line-3"]
    assert found(pages, "q=lives&since=2026-02-01&kind=person") == ["people/ann.md#line-5"]
    assert found(pages, "link-to=people/ann") == ["people/joe.md"]


@pytest.mark.parametrize(
    ("query", "field", "told"),
    [
        ("q=lisbon&since=blah", "since", "'blah' is not a date"),
        ("q=lisbon&type=foo", "type", "there is no 'foo': there are: fact"),
        ("q=lisbon&mode=loud", "mode", "cannot be 'loud'"),
        ("kind=persn", "kind", "there is no 'persn'"),
        ("q=lisbon&linked-by=nobody", "linked-by", "nobody"),
        ("as-of=2026-01-01", "as-of", "this needs words to search for"),
    ],
)
def test_what_is_wrong_is_told_beside_its_field(
    pages: Pages, query: str, field: str, told: str
) -> None:
    answer = pages.get(f"/memory/search?{query}")
    assert answer.status == 200
    beside = re.search(
        rf'(?s)id="f-{field}"[^>]*aria-describedby="wrong".*?<p class="wrong" id="wrong">(.*?)</p>',
        answer.text,
    )
    assert beside
    assert told in html.unescape(re.sub("<[^>]*>", "", beside[1]))
    assert answer.text.count('id="wrong"') == 1


def test_days_that_cannot_go_together_are_told_once(pages: Pages) -> None:
    answer = pages.get("/memory/search?q=lisbon&since=2026-02-02&until=2026-02-01")
    assert answer.words.count("is later than") == 1


def test_an_answer_that_is_only_near_says_so(pages: Pages) -> None:
    answer = pages.get("/memory/search?q=submarine warfare")
    assert "is near in meaning" in answer.words or "nothing found" in answer.words
    assert 'class="notice"' in answer.text.partition('id="results"')[2]


def test_folders_that_are_left_out_are_told(pages: Pages) -> None:
    assert "conversations" in pages.get("/memory/search?q=lisbon").words
    assert "conversations/one.md" not in pages.get("/memory/search?q=lisbon").text


def test_private_notes_are_neither_found_nor_counted(pages: Pages) -> None:
    for query in ("q=lisbon", "q=Sam", "tag=friend", "in=people", "q=lisbon&limit=100&private=yes"):
        answer = pages.get(f"/memory/search?{query}")
        assert "secret.md" not in answer.text
        assert "too" not in answer.text.partition('id="results"')[2].split()


def test_the_leading_hits_count_as_used_once_and_not_while_typing(
    pages: Pages, vault: Path, env: dict[str, str]
) -> None:
    waiting = Path(vault_state(str(vault), env)) / WAITING_USES_FILE
    pages.get("/memory/search?q=lisbon tram", x_aurelius_again="1")
    assert not waiting.exists()
    pages.get("/memory/search?q=lisbon tram")
    assert '"ref":"tram01"' in waiting.read_text()


def test_more_hits_are_asked_for_from_the_first_that_is_new(pages: Pages, vault: Path) -> None:
    for number in range(30):
        (vault / "projects" / f"p{number}.md").write_text(f"# P{number}\n\nThe harbour {number}\n")
    first = found(pages, "q=harbour")
    answer = pages.get("/memory/search?q=harbour")
    more = re.search(r'<a rel="next" href="([^"]*)"', answer.text)
    assert more
    address = html.unescape(more[1])
    assert address.endswith("#hit-11")
    rest = found(pages, address.removeprefix("?").partition("#")[0])
    assert rest[:10] == first
    assert len(rest) > 10


def test_no_line_is_too_long_for_a_page(pages: Pages, vault: Path) -> None:
    long = "hawser " * 2_000
    text = f"# Of {long[:5_000]}\n\n## Facts\n\n- A {long} (2026-02-10)\n"
    for number in range(30):
        (vault / f"people/long{number}.md").write_text(text)
    for query in (
        "q=hawser",
        "q=hawser&limit=100",
        "type=fact",
    ):
        assert len(pages.get(f"/memory/search?{query}").text) < 100_000
