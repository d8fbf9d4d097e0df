from __future__ import annotations

import re

import pytest

from aurelius.answers.finding import Finding
from aurelius.settings.config import Setting
from aurelius.show import text as show_text
from aurelius.show.json_text import IndexState
from indexer.catalog.lists import TagRow, TaskRow
from indexer.refresh.refresh import RefreshReport
from indexer.search.query import SearchQuery
from indexer.search.search import Hit, SearchResult

EVIL = "a\x1b[31m\u202eb\nc"
HIT = Hit(
    id="k3v9qa", path="people/joe.md", lines=(14, 14), heading=("Joe", "Facts"), title="Joe", kind="person",
    type="fact", date="2026-02-01", status="active", score=0.5,
    text="- Lives in Los Angeles (2026-02-01) ^k3v9qa", tokens=11,
)  # fmt: skip
STATE = IndexState(6591, 41200, 118, fresh=True, failed=())


def result(*hits: Hit, filtered: dict[str, int] | None = None, hint: str | None = None) -> SearchResult:
    return SearchResult(SearchQuery("tea"), "hybrid", "default", hits, filtered or {}, 0, hint, ())


def shown(*hits: Hit, words: tuple[str, ...] = ()) -> str:
    return show_text.hits(hits, words, colour=False, explain=False)


def test_a_hit_is_its_place_its_id_and_its_text() -> None:
    """Results carry [id:…] so that an agent can act on them."""
    assert shown(HIT) == (
        "people/joe.md:14  [id:k3v9qa]  Joe › Facts  2026-02-01\n  - Lives in Los Angeles (2026-02-01) ^k3v9qa\n"
    )


def test_a_section_has_no_id_and_a_span() -> None:
    section = HIT._replace(id="", type="", date=None, lines=(3, 9), heading=(), text="One.\n\nTwo.")
    assert shown(section) == "people/joe.md:3-9\n  One.\n  Two.\n"


def test_what_a_fact_became_is_said_where_it_is_not_active() -> None:
    assert "2026-02-01  superseded\n" in shown(HIT._replace(status="superseded"))
    assert "2026-02-01  proposed\n" in shown(HIT._replace(status="proposed"))


def test_hits_are_parted_by_an_empty_line() -> None:
    assert shown(HIT, HIT).split("\n\n") == [shown(HIT).rstrip("\n"), shown(HIT)]


def test_the_lines_that_hold_the_words_are_shown() -> None:
    text = "\n".join(["first", "second", "third", "fourth tea", "fifth milk", "sixth", "seventh"])
    assert show_text.telling_lines(text, ["tea", "milk"]) == ["third", "fourth tea", "fifth milk …"]
    assert show_text.telling_lines(text, []) == ["first", "second", "third …"]
    assert show_text.telling_lines("one\n\n  two  \n", ["nothing"]) == ["one", "two"]
    assert show_text.telling_lines("", ["tea"]) == []


def test_a_long_line_is_cut_around_the_word() -> None:
    line = "x " * 400 + "sencha " + "y " * 400
    cut = show_text.shortened(line, ["sencha"])
    assert "sencha" in cut
    assert cut.startswith("… ")
    assert cut.endswith(" …")
    assert len(cut) <= show_text.SHOWN_CHARACTERS + 4
    assert show_text.shortened("short", ["sencha"]) == "short"


def test_explain_prints_every_term() -> None:
    """Score = (sum of the weighted legs) × product of the priors."""
    hit = HIT._replace(
        explain={"raw": {"bm25": 8.0}, "legs": {"bm25": 0.35, "vector": 0.2}, "priors": {"recency": 0.9}}
    )
    assert show_text.explained(hit) == (
        "score 0.500000 = (bm25 0.350000 + vector 0.200000) × recency 0.900000  raw: bm25 8.000000"
    )


def test_markdown_links_and_quotes() -> None:
    assert show_text.hits_markdown([HIT._replace(text="- One ^k3v9qa\n\n  two")]) == (
        "### [[people/joe#^k3v9qa]] Joe › Facts\n\n> - One ^k3v9qa\n>\n>   two\n"
    )
    bare = HIT._replace(id="h0123456789a")
    assert show_text.hits_markdown([bare]).startswith("### [[people/joe]] "), (
        "a key of a bare fact is no block to link to"
    )


def test_paths_are_printed_once() -> None:
    assert show_text.paths(["b.md", "a.md", "b.md"]) == "b.md\na.md\n"


def test_what_did_not_fit_is_counted_in_the_words_of_the_seed() -> None:
    """The notice of what did not fit has the exact words that agents are told to look for."""
    assert show_text.truncated(8) == "...\n[truncated - 8 more memories available]\n"
    assert show_text.truncated(0) == ""


def test_an_empty_answer_says_what_was_searched_and_what_to_try() -> None:
    assert show_text.nothing_found(result(filtered={"superseded": 2, "private": 1}, hint="Try tea."), STATE) == [
        "nothing found in 6591 notes (41200 chunks), as they are now, mode hybrid",
        "left out: 2 superseded, 1 private",
        "Try tea.",
    ]
    stale = STATE._replace(fresh=False, failed=(("a.md", "permission denied"),))
    assert show_text.nothing_found(result(), stale) == [
        "nothing found in 6591 notes (41200 chunks), which may lack the latest edits, mode hybrid",
        "1 could not be read; `aurelius status` names them",
    ]
    scanned = IndexState(0, 0, 0, fresh=True, failed=())
    assert "the files themselves" in show_text.nothing_found(result(), scanned)[0]
    assert "holds no note yet" in show_text.nothing_found(result(hint="Try tea."), scanned._replace(generation=2))[-1]


def test_colour_wraps_and_never_changes_the_text() -> None:
    painted = show_text.hits([HIT], [], colour=True, explain=False)
    assert painted != shown(HIT)
    assert re.sub(r"\x1b\[\d+m", "", painted) == shown(HIT)


def test_nothing_from_a_note_steers_the_terminal() -> None:
    """No control character reaches the terminal, file names included."""
    hit = HIT._replace(id=EVIL, path=EVIL + ".md", heading=(EVIL,), text=EVIL, date="2026-02-01")
    texts = [
        shown(hit),
        show_text.hits_markdown([hit]),
        show_text.paths([hit.path]),
        show_text.tasks([TaskRow(EVIL, 1, EVIL, done=True, due=None)], colour=False),
        show_text.tags([TagRow(EVIL, 1)]),
        show_text.findings([Finding(EVIL, 1, "code", EVIL, EVIL)], colour=False),
        show_text.settings([Setting("a.b", EVIL, EVIL)]),
        show_text.report(RefreshReport(failed=((EVIL, EVIL),))),
    ]
    for text in texts:
        assert "\\x1b[31m\\u202e" in text
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", text)
    assert show_text.paths([EVIL]).count("\n") == 1


@pytest.mark.parametrize(
    ("count", "text"),
    [(0, "0 B"), (999, "999 B"), (1000, "1.0 kB"), (45_300_000, "45.3 MB"), (2 * 10**12, "2000.0 GB")],
)
def test_sizes_are_said_as_people_say_them(count: int, text: str) -> None:
    assert show_text.size(count) == text


def test_a_report_names_what_happened_and_what_failed() -> None:
    done = RefreshReport(added=2, changed=1, unchanged=7, failed=(("a.md", "too odd"),), seconds=0.25)
    assert show_text.report(done) == "2 added, 1 changed, 7 unchanged, 1 failed  (0.2 s)\nfailed: a.md: too odd\n"
    assert show_text.report(RefreshReport()) == "no notes  (0.0 s)\n"


def test_settings_read_like_the_file_they_are_set_in() -> None:
    rows = [Setting("search.limit", 10, "default"), Setting("index.exclude", ("a/", 'b"'), "config.toml:3")]
    assert show_text.settings(rows) == (
        'search.limit  = 10             # default\nindex.exclude = ["a/", "b\\""]  # config.toml:3\n'
    )
