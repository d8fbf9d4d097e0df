from __future__ import annotations

import json
import re

import pytest

from aurelius.show import hits as show_hits
from aurelius.show import json_text
from aurelius.show import text as show_text
from aurelius.show.hits import IndexState
from aurelius.show.terminal import Paint, paths
from indexer.catalog.newer import Newer
from indexer.search.hit import Hit, LaterLine, NewerOf, SearchResult
from indexer.search.query import SearchQuery, clean_query
from indexer.usage.tier import Age

EVIL = "a\x1b[31m\u202eb\nc"
HIT = Hit(
    id="k3v9qa",
    path="people/joe.md",
    lines=(14, 14),
    heading=("Joe", "Facts"),
    title="Joe",
    kind="person",
    type="fact",
    date="2026-02-01",
    status="active",
    score=0.5,
    text="- Lives in Los Angeles (2026-02-01) ^k3v9qa",
)
STATE = IndexState(6591, 41200, 118, fresh=True, failed=())


def result(
    *hits: Hit, filtered: dict[str, int] | None = None, hint: str | None = None
) -> SearchResult:
    return SearchResult(SearchQuery("tea"), "hybrid", "default", hits, filtered or {}, 0, hint, ())


def shown(*hits: Hit, words: tuple[str, ...] = ()) -> str:
    return "".join(show_hits.hits_text(hits, words, paint=Paint(), explain=False))


def test_a_hit_is_its_place_its_id_and_its_text() -> None:
    """Results carry [id:…] so that an agent can act on them."""
    assert shown(HIT) == (
        "people/joe.md:14  [id:k3v9qa]  Joe › Facts  2026-02-01\n  - Lives in Los Angeles (2026-02-01) ^k3v9qa\n"
    )


def test_a_section_has_no_id_and_a_span() -> None:
    section = HIT._replace(id="", type="", date=None, lines=(3, 9), heading=(), text="One.\n\nTwo.")
    assert shown(section) == "people/joe.md:3-9\n  One.\n  Two.\n"


def test_a_hit_below_a_heading_tells_the_name_of_a_note_without_a_heading_of_its_own() -> None:
    hit = HIT._replace(heading=("Ingredients", "Filling"), title="Apple pie")
    assert "  Apple pie › Ingredients › Filling  " in shown(hit)
    assert "[[people/joe#^k3v9qa]] Apple pie › Ingredients" in show_hits.hits_markdown([hit])[0]
    assert show_hits.headed(hit._replace(title="ingredients")) == "Ingredients › Filling"


def test_a_hit_that_a_newer_line_makes_old_says_where_that_stands() -> None:
    newer = Newer("memory/2026-03-01.md", 5, "h48ce3bd5a30", "2026-03-01", "Joe lives in Rome")
    assert "  2026-02-01  newer: memory/2026-03-01.md:5\n" in shown(HIT._replace(newer=newer))
    told = json.loads(json_text.hits_json([HIT._replace(newer=newer)], ())[0])["newer"]
    assert told == {
        "id": "h48ce3bd5a30",
        "path": "memory/2026-03-01.md",
        "line": 5,
        "date": "2026-03-01",
    }
    assert "newer" not in json.loads(json_text.hits_json([HIT], ())[0])
    assert show_text.newer(newer) == "  newer: memory/2026-03-01.md:5"
    assert show_text.newer(None) == ""


def test_a_later_line_says_what_it_is_about_and_which_others_are_later_too() -> None:
    other = LaterLine("memory/2026-03-02.md", 7, "2026-03-02", "Joe sold\x1b[31m his house")
    label = NewerOf("Joe", "people/joe.md", 14, (other,))
    later = HIT._replace(id="", path="memory/2026-03-01.md", lines=(5, 5), text="- Joe moved")
    said = shown(later._replace(newer_of=label))
    assert said.startswith("memory/2026-03-01.md:5  Joe › Facts  2026-02-01  newer about Joe\n")
    assert said.splitlines()[1:] == [
        "  - Joe moved",
        "  also newer: Joe sold\\x1b[31m his house  2026-03-02  memory/2026-03-02.md:7",
    ]
    told = json.loads(json_text.hits_json([later._replace(newer_of=label)], ())[0])["newer_of"]
    assert told["others"] == [other._asdict()]
    alone = later._replace(newer_of=label._replace(others=()))
    told = json.loads(json_text.hits_json([alone], ())[0])["newer_of"]
    assert told == {"about": "Joe", "path": "people/joe.md", "line": 14}


def test_what_a_fact_became_is_said_where_it_is_not_active() -> None:
    assert "2026-02-01  superseded\n" in shown(HIT._replace(status="superseded"))
    assert "2026-02-01  proposed\n" in shown(HIT._replace(status="proposed"))


def test_a_person_at_a_terminal_is_shown_no_ids_and_no_tiers() -> None:
    hit = HIT._replace(age=Age("warm"))
    brief = "".join(show_hits.hits_text([hit], [], paint=Paint(brief=True), explain=False))
    assert brief == (
        "people/joe.md:14  Joe › Facts  2026-02-01\n  - Lives in Los Angeles (2026-02-01)\n"
    )
    whole = "".join(show_hits.hits_text([hit], [], paint=Paint(), explain=False))
    assert "[id:k3v9qa]" in whole
    assert "warm" in whole
    assert "^k3v9qa" in whole


def test_hits_are_parted_by_an_empty_line() -> None:
    assert shown(HIT, HIT).split("\n\n") == [shown(HIT).rstrip("\n"), shown(HIT)]


def test_the_lines_that_hold_the_words_are_shown() -> None:
    text = "\n".join(["first", "second", "third", "fourth tea", "fifth milk", "sixth", "seventh"])
    assert show_hits.telling_lines(text, ["tea", "milk"]) == ["third", "fourth tea", "fifth milk …"]
    assert show_hits.telling_lines(text, []) == ["first", "second", "third …"]
    assert show_hits.telling_lines("one\n\n  two  \n", ["nothing"]) == ["one", "two"]
    assert show_hits.telling_lines("", ["tea"]) == []


def test_a_long_line_is_cut_around_the_word() -> None:
    line = "x " * 400 + "sencha " + "y " * 400
    cut = show_hits.shorten_around(line, ["sencha"])
    assert "sencha" in cut
    assert cut.startswith("… ")
    assert cut.endswith(" …")
    assert len(cut) <= show_hits.SHOWN_CHARACTERS + 4
    assert show_hits.shorten_around("short", ["sencha"]) == "short"


def test_explain_prints_every_term() -> None:
    """Score = (sum of the weighted legs) × product of the priors."""
    hit = HIT._replace(
        explain={
            "raw": {"bm25": 8.0},
            "legs": {"bm25": 0.35, "vector": 0.2},
            "priors": {"recency": 0.9},
        }
    )
    assert show_hits.explained(hit) == (
        "score 0.500000 = (bm25 0.350000 + vector 0.200000) × recency 0.900000  raw: bm25 8.000000"
    )


def test_markdown_links_and_quotes() -> None:
    assert "".join(show_hits.hits_markdown([HIT._replace(text="- One ^k3v9qa\n\n  two")])) == (
        "### [[people/joe#^k3v9qa]] Joe › Facts\n\n> - One ^k3v9qa\n>\n>   two\n"
    )
    bare = HIT._replace(id="h0123456789a")
    assert "".join(show_hits.hits_markdown([bare])).startswith("### [[people/joe]] "), (
        "a key of a bare fact is no block to link to"
    )


def test_what_did_not_fit_is_counted_in_the_words_of_the_seed() -> None:
    """The notice of what did not fit has the exact words that agents are told to look for."""
    assert show_hits.truncated(8) == "...\n[truncated - 8 more memories available]\n"
    assert show_hits.truncated(0) == ""


def test_an_empty_answer_says_what_was_searched_and_what_to_try() -> None:
    assert show_hits.nothing_found(
        result(filtered={"superseded": 2, "private": 1}, hint="Try tea."), STATE
    ) == [
        "nothing found in 6,591 notes; index up to date",
        "left out: 2 superseded, 1 private",
        "Try tea.",
    ]
    stale = STATE._replace(fresh=False, failed=(("a.md", "permission denied"),))
    assert show_hits.nothing_found(result(), stale) == [
        "nothing found in 6,591 notes; index may lack the latest edits",
        "1 could not be read; `aurelius status` lists them",
    ]
    scanned = IndexState(0, 0, 0, fresh=True, failed=())
    assert "the files themselves" in show_hits.nothing_found(result(), scanned)[0]
    assert (
        "has no notes yet"
        in show_hits.nothing_found(result(hint="Try tea."), scanned._replace(generation=2))[-1]
    )


def test_colour_wraps_and_never_changes_the_text() -> None:
    painted = "".join(show_hits.hits_text([HIT], [], paint=Paint(True), explain=False))
    assert painted != shown(HIT)
    assert re.sub(r"\x1b\[\d+m", "", painted) == shown(HIT)


def test_nothing_from_a_note_steers_the_terminal_in_a_hit() -> None:
    """No control character reaches the terminal, file names included."""
    hit = HIT._replace(id=EVIL, path=EVIL + ".md", heading=(EVIL,), text=EVIL, date="2026-02-01")
    for text in (shown(hit), "".join(show_hits.hits_markdown([hit])), *paths([hit.path])):
        assert "\\x1b[31m\\u202e" in text
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)


# -- marks -----------------------------------------------------------------------------------------------


def marked(query: str, line: str) -> list[str]:
    """The parts of the line that are marked for that query."""
    text = show_hits.word_marker(clean_query(query).words, Paint(True))(line)
    assert re.sub(r"\x1b\[\d*m", "", text) == line, "nothing but marks is added"
    return re.findall(r"\x1b\[1m(.*?)\x1b\[0m", text)


@pytest.mark.parametrize(
    ("query", "line", "found"),
    [
        ("green tea", "Green TEA, and teas", ["Green", "TEA", "teas"]),
        ("tea", "instead the team drank steam", []),
        (
            "planned garden",
            "plans gardens; planning gardening",
            ["plans", "gardens", "planning", "gardening"],
        ),
        ("cafe Zoe", "The Café of Zoë", ["Café", "Zoë"]),
        ("café", "the cafe", ["cafe"]),
        ("Straße", "die STRASSE", ["STRASSE"]),
        ("東京", "明日東京へ", ["東京"]),
        ("東京都庁", "東京の都庁", ["東京", "都庁"]),
        ("joe@example.com", "write to joe@example.com now", ["joe", "example", "com"]),
        ("plan", "a planetarium", []),
        ("what is the", "nothing", []),
        ("привет", "Привета", ["Привета"]),
    ],
)
def test_words_are_marked_whatever_their_endings_accents_and_case(
    query: str, line: str, found: list[str]
) -> None:
    assert marked(query, line) == found


def test_an_escape_made_visible_stays_one_that_does_nothing() -> None:
    text = show_hits.word_marker(["x1b", "2j"], Paint(True))("\\x1b[2J here")
    assert set(re.findall(r"\x1b[^m]*m", text)) == {"\x1b[1m", "\x1b[0m"}


def test_a_long_text_in_json_is_the_lines_that_hold_the_words() -> None:
    short = "one\ntwo"
    assert show_hits.hit_extract(short, ["two"]) == short
    lines = [f"line {number} {'x' * 60}" for number in range(40)]
    lines[30] += " oolong"
    cut = show_hits.hit_extract("\n".join(lines), ["oolong"])
    assert "oolong" in cut
    assert (cut[:2], cut[-2:]) == ("… ", " …")
    assert set(cut[2:-2].split("\n")) <= {*lines}, "whole lines"
    one = show_hits.hit_extract("word " * 400 + "oolong " + "word " * 400, ["oolong"])
    assert "oolong" in one
    assert len(one) <= show_hits.JSON_CHARACTERS + 4
