"""The grammar of a fact line."""

from __future__ import annotations

import pytest

from indexer.reading import fact_line
from indexer.reading.fact_line import FactLine, Tail, parse_fact, split_item, tail_items


def test_a_line_without_date_or_id_is_all_text() -> None:
    assert parse_fact("Likes tea") == FactLine("Likes tea", "", False, "", Tail())


def test_date_and_id() -> None:
    line = parse_fact("Lives in Los Angeles (2026-02-01) ^k3v9qa")
    assert (line.text, line.id, line.tail) == (
        "Lives in Los Angeles",
        "k3v9qa",
        Tail(date="2026-02-01"),
    )


def test_every_item_of_a_tail() -> None:
    line = parse_fact(
        "Billed quarterly (2026-01-20 → 2026-02-01, decision, pinned, inferred, importance 0.9, scope 0.2,"
        " from [[memory/2026-01-20]], superseded by ^aaaaaa, updates ^bbbbbb, contradicts [[x#^cccccc]],"
        " because ^q2c8dd) ^w4n1zz"
    )
    assert line.text == "Billed quarterly"
    assert line.tail == Tail(
        date="2026-01-20",
        until="2026-02-01",
        type="decision",
        pinned=True,
        inferred=True,
        importance=0.9,
        scope=0.2,
        source="memory/2026-01-20",
        linked="[[memory/2026-01-20]]",
        because="^q2c8dd",
        superseded_by="aaaaaa",
        updates="bbbbbb",
        contradicts="cccccc",
    )


@pytest.mark.parametrize(
    "text",
    [
        "Bought it (the good one)",
        "Born (in 2024)",
        "See (2026-02)",
        "x (2026-02-30)",
        "x (pinned, 2026-02-01)",
        ")",
        "(",
    ],
)
def test_other_parentheses_are_text(text: str) -> None:
    assert parse_fact(text) == FactLine(text, "", False, "", Tail())


def test_the_last_dated_parenthesis_is_the_tail() -> None:
    line = parse_fact("Moved (2020-01-01) and again (2026-02-01) (really)")
    assert line.tail.date == "2026-02-01"
    assert line.text == "Moved (2020-01-01) and again (2026-02-01) (really)"
    assert parse_fact("Moved (2020-01-01) (2026-02-01)").text == "Moved (2020-01-01)"


def test_words_a_tail_does_not_know_are_no_text_and_are_named() -> None:
    line = parse_fact("Met Ann (2026-02-01, at the fair, pinned, , supersedes ^abc123)")
    assert line.text == "Met Ann"
    assert (line.tail.date, line.tail.pinned, line.tail.updates) == ("2026-02-01", True, "abc123")
    assert line.tail.unknown == ("at the fair", "supersedes ^abc123")


def test_a_sentence_behind_a_date_leaves_the_parenthesis_in_the_text() -> None:
    for text in (
        "Met Ann (2026-02-01, she told me so over a plate of prawns, pinned)",
        "Met Ann (2026-02-01 was a good day)",
        "Met Ann (2026-02-01, at the fair) in Porto",
    ):
        line = parse_fact(text)
        assert (line.text, line.dated) == (text, False)


def test_six_words_are_no_sentence_yet() -> None:
    assert parse_fact("Met Ann (2026-02-01, one two three four five six)").text == "Met Ann"
    assert parse_fact("Met Ann (2026-02-01, one two three four five six seven)").text != "Met Ann"


@pytest.mark.parametrize(
    ("item", "meant"),
    [
        ("supersedes ^abc123", "updates ^abc123"),
        ("priority high", "importance 0.9"),
        ("Source Al", "from Al"),
        ("replaced by ^abc123", "superseded by ^abc123"),
        ("decison", "decision"),
        ("pined", "pinned"),
        ("instuction/rule", "instruction/rule"),
        ("importnce 0.4", "importance 0.4"),
        ("he/him", ""),
        ("ticket 4711", ""),
    ],
)
def test_the_word_that_may_be_meant_is_named(item: str, meant: str) -> None:
    assert fact_line.meant_by_item(item) == meant


def test_what_a_fact_is_part_of() -> None:
    tail = parse_fact("Waits (2026-02-09, status, part of [[projects/garage|the garage]])").tail
    assert (tail.part_of, tail.unknown) == ("projects/garage", ())
    assert parse_fact("Waits (2026-02-09, part of the garage)").tail.unknown == (
        "part of the garage",
    )
    assert fact_line.meant_by_item("part of the garage") == "part of [[the garage]]"


def test_a_reason_may_hold_commas_and_brackets() -> None:
    tail = parse_fact("Stopped (2026-02-01, because it rained, then snowed (a lot), pinned)").tail
    assert (tail.because, tail.pinned) == ("it rained, then snowed (a lot)", True)


def test_an_importance_above_one_is_one() -> None:
    assert parse_fact("a (2026-01-01, importance 1.5)").tail.importance == 1.0


def test_tags_may_follow_a_tail() -> None:
    line = parse_fact("Lives in LA (2026-02-01) #home ^k3v9qa")
    assert (line.text, line.tail.date, line.id) == ("Lives in LA #home", "2026-02-01", "k3v9qa")


@pytest.mark.parametrize("arrow", ["→", "->", " - ".strip() + ">", "–", "..", "to", "until"])
def test_every_arrow_parts_the_first_day_from_the_last(arrow: str) -> None:
    assert parse_fact(f"x (2025-03-01 {arrow} 2026-02-01)").tail[:2] == ("2025-03-01", "2026-02-01")


def test_an_end_alone() -> None:
    for text in ("Tea (→ 2026-02-01, pinned)", "Tea (-> 2026-02-01, pinned)"):
        line = parse_fact(text)
        assert (line.text, line.tail.date, line.tail.until, line.tail.pinned) == (
            "Tea",
            None,
            "2026-02-01",
            True,
        )
    assert parse_fact("Tea (→ soon)").text == "Tea (→ soon)"


def test_the_parts_of_a_line_as_they_are_written() -> None:
    raw = split_item(r"~~\# [idea] Tea~~ (2026-02-01, milestone, because a, b) #x ^k3v9qa")
    assert raw.text == r"~~\# [idea] Tea~~ #x"
    assert (raw.id, raw.struck, raw.inner) == (
        "k3v9qa",
        False,
        "2026-02-01, milestone, because a, b",
    )
    assert split_item("Met (2026-02-01, at home) in Porto").inner == ""
    assert tail_items("2026-02-01, from [[a, b]], because (c, d)") == [
        "2026-02-01",
        "from [[a, b]]",
        "because (c, d)",
    ]


def test_open_ranges_and_other_dates() -> None:
    assert parse_fact("x (2025-03-01 →)").tail[:2] == ("2025-03-01", None)
    assert parse_fact("x (2025-03-01 → today)").tail[:2] == ("2025-03-01", None)
    assert parse_fact("x ([[2025-03-01]])").tail.date == "2025-03-01"
    assert parse_fact("x (2025-03-01T10:30)").tail.date == "2025-03-01"
    assert parse_fact("x (2025-03-01 → soon)").tail.date is None


@pytest.mark.parametrize(
    ("text", "type_", "subtype", "milestone"),
    [
        ("a (2026-02-01, Milestone)", "fact", "", True),
        ("a (2026-02-01, instruction/tool_usage)", "instruction", "tool_usage", False),
        ("[instruction/rule] a", "instruction", "rule", False),
        ("[milestone] a (2026-02-01)", "fact", "", True),
        ("[milestone] a (2026-02-01, event)", "event", "", False),
        ("a (2026-02-01, instruction/two words)", "", "", False),
    ],
)
def test_the_tail_and_else_the_category_say_the_subtype(
    text: str, type_: str, subtype: str, milestone: bool
) -> None:
    line = parse_fact(text)
    assert (line.tail.type or line.category, line.subtype, line.milestone) == (
        type_,
        subtype,
        milestone,
    )


@pytest.mark.parametrize(
    "text",
    [
        "~~Lives in San Diego~~ (2025-03-01) ^d8w4tt",
        "~~Lives in San Diego (2025-03-01)~~ ^d8w4tt",
        "~~Lives in San Diego (2025-03-01) ^d8w4tt~~",
    ],
)
def test_a_struck_line(text: str) -> None:
    line = parse_fact(text)
    assert (line.text, line.id, line.struck, line.tail.date) == (
        "Lives in San Diego",
        "d8w4tt",
        True,
        "2025-03-01",
    )


@pytest.mark.parametrize("text", ["~~a~~ b", "~~a~~ and ~~b~~", "a ~~b~~"])
def test_a_partly_struck_line_is_not_struck(text: str) -> None:
    assert parse_fact(text) == FactLine(text, "", False, "", Tail())


@pytest.mark.parametrize("text", ["2 ^ 3", "x^2", "x ^a b", "x ^a!", "x ^" + "a" * 65])
def test_a_caret_elsewhere_is_no_id(text: str) -> None:
    assert parse_fact(text).id == ""
    assert parse_fact(text).text == text


def test_an_existing_anchor_is_accepted() -> None:
    assert parse_fact("x ^my-Anchor-1").id == "my-Anchor-1"


@pytest.mark.parametrize(
    ("text", "rest", "category"),
    [
        ("[decision] Use SQLite #db (context)", "Use SQLite #db (context)", "decision"),
        ("[Opinion] Tea is fine", "Tea is fine", "preference"),
        ("[method] Pour over", "[method] Pour over", ""),
        ("[x] done", "[x] done", ""),
        ("[/] half", "[/] half", ""),
        ("[12:30] talk", "[12:30] talk", ""),
        ("[fact](a.md) x", "[fact](a.md) x", ""),
        ("[[fact]] x", "[[fact]] x", ""),
        (r"\[fact] escaped by a formatter", "escaped by a formatter", "fact"),
    ],
)
def test_basic_memory_categories(text: str, rest: str, category: str) -> None:
    line = parse_fact(text)
    assert (line.text, line.category) == (rest, category)


def test_keys_survive_wrapping_emphasis_and_case() -> None:
    key = fact_line.fact_key("people/joe.md", "Likes *green* tea, not `a_b`")
    assert key == fact_line.fact_key("people/joe.md", "likes  _green_\ntea, not `a_b`")
    assert key == fact_line.fact_key("people/joe.md", "Likes __green__ tea\\, not `a_b`")
    assert len(key) == 12
    assert key[0] == "h"
    assert key != fact_line.fact_key("people/ann.md", "Likes green tea, not `a_b`")
    assert key != fact_line.fact_key("people/joe.md", "Likes black tea, not `a_b`")
    assert key != fact_line.fact_key("people/joe.md", "Likes green tea, not `a_b`", 1)


def test_keys_do_not_see_how_an_accent_is_stored() -> None:
    assert fact_line.fact_key("a.md", "caf\u00e9") == fact_line.fact_key("a.md", "cafe\u0301")


def test_only_the_last_anchor_is_the_id() -> None:
    assert parse_fact("x ^a ^b")[:2] == ("x ^a", "b")


@pytest.mark.parametrize(
    ("item", "wish"),
    [
        ("importance high", "importance 0.9"),
        ("importence 0.4", "importance 0.4"),
        ("scope wide", "scope 0.9"),
    ],
)
def test_what_may_be_meant_is_never_the_unknown_word_itself(item: str, wish: str) -> None:
    assert fact_line.meant_by_item(item) == wish
