"""What a summary says: byte-stable, alive facts alone, each thing once, within its budget."""

from __future__ import annotations

import functools
import random
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurelius.ageing.summary_text import (
    Aged,
    Change,
    ListedNote,
    Subject,
    choose_summary_facts,
    corrected,
    corrected_list,
    first_summary,
    folder_index_text,
    now,
    prose,
    summarise,
    summary_opening,
    text_fingerprint,
)
from indexer.matter.statement import say_alike
from indexer.note import TYPES, Fact
from indexer.reading.chunk import length
from indexer.reading.parse import parse
from indexer.usage.tally import Uses
from indexer.usage.tier import TIERS, Clock
from tests.daily import daily

CLOCK = Clock(date(2026, 2, 10))


@functools.cache
def facts(*lines: str) -> list[Fact]:
    text = "# Joe\n\n## Facts\n" + "".join(f"- {line}\n" for line in lines)
    return list(parse("people/joe.md", text.encode()).facts)


def aged(line: str, tier: str = "hot", count: int = 0, last: float | None = None) -> Aged:
    (fact,) = facts(line)
    return Aged(fact, tier, Uses(count, last))


def test_hot_comes_before_warm_and_cold_stays_out() -> None:
    found = [aged("Warm one", "warm", 9), aged("Cold one", "cold", 99), aged("Hot one")]
    assert summarise(found, 120, CLOCK) == "Hot one. Warm one."


def test_what_it_is_comes_first_whatever_is_used_more() -> None:
    found = [
        aged("Phone 555 0199", count=99),
        aged("Drinks tea (2026-02-01, preference)", count=20),
        aged("Leaves the firm (2026-04-30, plan)", "warm"),
        aged("Recovering from flu (2026-02-01, status)", "warm"),
        aged("Works at TechCorp", "warm"),
        aged("Friend from university (2020-01-01, relationship)", "warm"),
        aged("Born in Lund (2020-01-01, identity)", "warm"),
        aged("Joined the choir (2026-01-01, plan)"),
    ]
    assert summarise(found, 120, CLOCK) == (
        "Born in Lund. Friend from university. Works at TechCorp. Recovering from flu. Leaves the firm. Drinks tea. "
        "Joined the choir. Phone 555 0199."
    )
    assert summarise(found[:1], 120, CLOCK) == "Phone 555 0199."
    assert summarise(found, 7, CLOCK) == "Born in Lund. Friend from university.", (
        "also where not all fits"
    )


def test_cold_facts_fill_while_less_than_a_share_of_the_words_is_used() -> None:
    cold = [
        aged(f"Cold words of line {at} (2020-01-01, {kind})", "cold")
        for at, kind in enumerate(("event", "decision"))
    ]
    found = [aged("Four words are here"), *cold]
    assert summarise(found, 20, CLOCK) == "Four words are here."
    assert summarise(found, 20, CLOCK, 0.2) == "Four words are here."
    assert summarise(found, 20, CLOCK, 0.3) == "Four words are here. Cold words of line 1."
    assert (
        summarise(found, 20, CLOCK, 0.5)
        == "Four words are here. Cold words of line 1. Cold words of line 0."
    )
    assert summarise(found, 12, CLOCK, 1.0) == "Four words are here. Cold words of line 1."


@pytest.mark.parametrize(
    ("line", "last"),
    [
        ("Leaves at the end of April (2026-03-01, plan)", "2026-04-30"),
        ("Moving to Porto in May (2026-03-01, plan)", "2026-05-31"),
        ("Moves on May 3rd (2026-03-01, plan)", "2026-05-03"),
        ("Flies home on the 3rd of January (2026-03-01, plan)", "2027-01-03"),
        ("Work starts on 20 March (2026-03-01)", "2026-03-20"),
        ("Opens 2026-06-01 (2026-03-01, plan)", "2026-06-01"),
        ("Opens in June 2028 (2026-03-01, plan)", "2028-06-30"),
        ("Leaves the firm (2026-04-30, plan)", "2026-04-30"),
        ("Leaves in Feb 2028", "2028-02-29"),
    ],
)
def test_what_is_ahead_stays_until_its_day(line: str, last: str) -> None:
    found = [aged("Hot one"), aged(line, "cold")]
    day = date.fromisoformat(last)
    text = f"{prose([found[1].fact.text])} Hot one."
    assert summarise(found, 120, Clock(day)) == text
    assert summarise(found, 120, Clock(day + timedelta(1))) == "Hot one."
    kept = "" if found[1].fact.type == "plan" else f" {prose([found[1].fact.text])}"
    assert summarise(found, 120, Clock(day + timedelta(1)), 0.5) == f"Hot one.{kept}", (
        "an old plan fills nothing"
    )


def test_a_plan_whose_day_is_past_leaves_at_once_unless_it_was_used_since() -> None:
    line = "Leaves at the end of April (2026-04-29, plan)"
    may = Clock(date(2026, 5, 2), zone=UTC)
    used = datetime(2026, 5, 1, 12, tzinfo=UTC).timestamp()
    assert summarise([aged("Hot one"), aged(line, "hot")], 120, may, 0.5) == "Hot one."
    assert "Leaves" in summarise([aged("Hot one"), aged(line, "hot", 1, used)], 120, may)


def test_no_day_is_read_where_none_is_named() -> None:
    for line in (
        "She may leave (2026-03-01)",
        "Marches on (2026-03-01)",
        "Owes 5 (2026-03-01)",
    ):
        assert summarise([aged(line, "cold")], 120, Clock(date(2026, 3, 2))) == "", line


def test_the_most_used_comes_first_then_the_latest_used() -> None:
    found = [
        aged("Rarely", count=1, last=9),
        aged("Often", count=3, last=1),
        aged("Lately", count=1, last=10),
    ]
    assert summarise(found, 120, CLOCK) == "Often. Lately. Rarely."


def test_without_uses_the_weightiest_then_the_newest_comes_first() -> None:
    found = [
        aged("A party (2026-02-08, event)"),
        aged("Older (2026-02-05)"),
        aged("Newer (2026-02-09)"),
        aged("Chose it (2026-02-04, decision)"),
    ]
    assert summarise(found, 120, CLOCK) == "Chose it. Newer. Older. A party."


def test_what_a_longer_sentence_says_already_is_left_out() -> None:
    for uses in ((2, 1), (1, 2)):
        found = [
            aged("Lives in Rome near the river", count=uses[0]),
            aged("Lives in Rome", count=uses[1]),
        ]
        assert summarise(found, 120, CLOCK) == "Lives in Rome near the river."


def test_what_is_past_or_only_proposed_is_left_out() -> None:
    text = (
        "# Joe\n\n## Facts\n- Lives in LA (2026-02-01)\n"
        "- ~~Lives in NY~~ (2024-02-01)\n- Lives in SF (2023-01-01, superseded by ^old111)\n"
        "\n## History\n- Was in Rome\n"
    )
    found = [Aged(fact, "hot") for fact in parse("people/joe.md", text.encode()).facts]
    assert summarise(found, 120, CLOCK) == "Lives in LA."


def test_a_thing_is_said_once_in_the_fuller_words() -> None:
    found = [
        aged("Allergic to nuts", count=5),
        aged("Allergic to nuts and shellfish"),
        aged("allergic to **nuts**"),
        aged("Owes 5 euros", count=2),
        aged("Owes 6 euros", count=1),
    ]
    assert (
        summarise(found, 120, CLOCK)
        == "Allergic to nuts and shellfish. Owes 5 euros. Owes 6 euros."
    )


def test_a_link_and_its_label_are_no_sentence() -> None:
    found = [
        aged("[[companies/techcorp]] - Employer"),
        aged("[TechCorp](../companies/techcorp.md)"),
        aged("[[people/sarah]] is a friend"),
    ]
    assert summarise(found, 120, CLOCK) == "[[people/sarah]] is a friend."


def test_what_is_too_long_gives_way_to_what_fits() -> None:
    found = [aged(" ".join(["word"] * 20), count=2), aged("Short one", count=1)]
    assert summarise(found, 10, CLOCK) == "Short one."
    assert summarise(found[:1], 10, CLOCK) == ""


def test_a_summary_may_have_exactly_as_many_words_as_its_budget() -> None:
    found = [aged("Four words are here", count=2), aged("Three words more", count=1)]
    assert summarise(found, 7, CLOCK) == "Four words are here. Three words more."
    assert summarise(found, 6, CLOCK) == "Four words are here."
    assert summarise(found[:1], 4, CLOCK) == "Four words are here."


def test_a_first_summary_of_cold_facts_is_of_the_pinned_and_weightiest() -> None:
    found = [
        aged("An old party (2020-01-01, event)", "cold", 3),
        aged("Keep this (2020-01-01, event, pinned)", "cold"),
        aged("Chose it (2020-01-01, decision)", "cold"),
    ]
    assert summarise(found, 120, CLOCK) == ""
    assert first_summary(found, 6, CLOCK).startswith("Keep this. Chose it.")


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (
            ["One", "two!", "three?", "four…", "“five.”", "six"],
            "One. two! three? four… “five.” six.",
        ),
        (["住在東京", "喜歡茶。", "Tea"], "住在東京。喜歡茶。Tea."),
        (["# no heading"], "\\# no heading."),
        (["- no list"], "\\- no list."),
        (["1. no list"], "1\\. no list."),
        (["> no quote"], "\\> no quote."),
        (["[x] no task"], "\\[x] no task."),
        (["**Status:** no header"], "\\**Status:** no header."),
        (["5 euros"], "5 euros."),
        ([], ""),
    ],
)
def test_facts_become_one_paragraph(texts: list[str], said: str) -> None:
    assert prose(texts) == said


def test_now_names_every_hot_subject_once_the_most_used_first() -> None:
    joe = Subject("[[people/joe]]", Uses(1, 5), (aged("Lives in LA"), aged("Gone", "cold")))
    ada = Subject("[[people/ada]]", Uses(4, 2), (aged("Counts", count=2), aged("Reads")))
    bob = Subject("[[people/bob]]", Uses(1, 1), (aged("Gone", "cold"),))
    day = "As of 2026-02-10:\n\n"
    assert now([joe, ada, bob], 120, CLOCK) == (
        f"{day}[[people/ada]] - Counts. Reads.\n\n[[people/joe]] - Lives in LA.\n\n[[people/bob]]"
    )
    assert (
        now([joe, ada, bob], 5, CLOCK)
        == f"{day}[[people/ada]] - Counts.\n\n[[people/joe]], [[people/bob]]"
    )
    assert now([joe, ada, bob], 2, CLOCK) == f"{day}[[people/ada]], [[people/joe]]"
    assert now([], 120, CLOCK) == ""


def test_a_listing_has_a_line_for_each_note() -> None:
    long = "Very " * 50 + "long."
    assert folder_index_text(
        "People",
        [ListedNote("[[a]]", "One. Two."), ListedNote("[[b]]", ""), ListedNote("[[c]]", long)],
    ) == ("# People\n\n- [[a]] - One. Two.\n- [[b]]\n- [[c]] - " + " ".join(["Very"] * 24) + " …\n")
    assert folder_index_text("People", []) == "# People\n"


def test_a_line_of_a_listing_has_whole_sentences() -> None:
    assert (
        summary_opening("Met J. Bloggs in LA.  " + "Then " * 30 + "left.") == "Met J. Bloggs in LA."
    )
    assert summary_opening("住在東京。喜歡茶。") == "住在東京。喜歡茶。"
    assert summary_opening("") == ""


def test_a_mark_outlives_a_formatter_and_nothing_else() -> None:
    assert text_fingerprint("One *two*\nthree. ") == text_fingerprint("One _two_ three.\r\n")
    assert text_fingerprint("One two.") != text_fingerprint("One Two.")


WORDS = (
    "lives works drinks tea coffee berlin rome not 5 6 never often joe the in at"
).split()  # one line
LINES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=9).map(" ".join)
AGED = st.builds(
    lambda line, kind, tier, count, status, at: Aged(
        facts(line)[0]._replace(type=kind, status=status, key=f"k{at}", first=at),
        tier,
        Uses(count, float(count) or None),
    ),
    LINES,
    st.sampled_from(TYPES),
    st.sampled_from(TIERS),
    st.integers(0, 12),
    st.sampled_from(("active", "active", "active", "superseded", "proposed")),
    st.integers(1, 99),
)


@settings(max_examples=daily(40, 60))
@given(
    st.lists(AGED, max_size=14, unique_by=lambda each: each.fact.key),
    st.integers(1, 60),
    st.randoms(),
)
def test_whatever_the_facts(found: list[Aged], words: int, chance: random.Random) -> None:
    """Byte-stable in any order; only alive and current facts, each thing once, all of them if there is room."""
    chosen = choose_summary_facts(found, words, CLOCK)
    text = summarise(found, words, CLOCK)
    assert (
        summarise(chance.sample(found, len(found)), words, CLOCK)
        == text
        == prose(each.fact.text for each in chosen)
    )
    assert length(text) <= words
    assert all(
        each in found and each.tier != "cold" and each.fact.status == "active" for each in chosen
    )
    said = [each.fact.text for each in chosen]
    assert not any(say_alike(one, other) for at, one in enumerate(said) for other in said[:at])
    whole = [each.fact.text for each in choose_summary_facts(found, 10**6, CLOCK)]
    for each in found:
        if each.tier == "hot" and each.fact.status == "active":
            assert any(say_alike(each.fact.text, text) for text in whole), "a hot subject is there"


@pytest.mark.parametrize(
    ("text", "new", "right"),
    [
        ("Sings. Lives in Oslo. Works.", "Lives in Rome", "Sings. Lives in Rome. Works."),
        ("Sings. Lives in Oslo. Works.", "", "Sings. Works."),
        ("Lives in Oslo.", "", ""),
        ("Lives in Oslo. Lives in Rome.", "Lives in Rome", "Lives in Rome."),
        ("Lives in Oslo.", "Lives in Oslo. Or near it", "Lives in Oslo. Or near it."),
        ("Friend who lives in Oslo. Works.", "Lives in Rome", "Lives in Rome. Works."),
        ("Once lives in Oslo. Works.", "Lives in Rome", "Once lives in Oslo. Works."),
        ("Lives in Oslofjord.", "Lives in Rome", "Lives in Oslofjord."),
    ],
)
def test_what_is_past_gives_its_place_to_what_came_after(text: str, new: str, right: str) -> None:
    assert corrected(text, {"Lives in Oslo": new}, ["Once lives in Oslo"]) == right


def test_a_fact_that_a_listing_cuts_gives_its_place_too() -> None:
    long = "Very long " * 30 + "indeed"
    text = f"# P\n\n- [[a]] - {summary_opening(prose([long]))}\n"
    assert text.endswith(" …\n")
    assert (
        corrected_list(text, {"a.md": Change({long: "Short"})}, ()) == "# P\n\n- [[a]] - Short.\n"
    )
    assert corrected_list(text, {"a.md": Change({long: ""})}, ()) == "# P\n\n- [[a]]\n"


def test_lines_of_a_listing_are_corrected_by_the_note_that_they_link_to() -> None:
    text = "# People\n\n- [[a]] - Lives in Oslo. Works.\n- [[b]] - Lives in Oslo.\n- [[c]]\n"
    gone = Change({"Lives in Oslo": ""})
    assert corrected_list(text, {"b.md": gone}, ()) == text.replace(
        "[[b]] - Lives in Oslo.", "[[b]]"
    )
    assert corrected_list(text, {"a.md": gone}, ()) == text.replace("Oslo. Works", "Works").replace(
        "Lives in Works", "Works"
    )
    assert corrected_list(text, {}, ["b.md"]) == text.replace("- [[b]] - Lives in Oslo.\n", "")
    for odd in (
        "- [[#x]] - Lives in Oslo.\n",
        "- [[]]\n",
        "Lives in Oslo.\n",
        "- [a](b (c).md) - Lives in Oslo.\n",
        "\n\n",
    ):
        assert corrected_list(odd, {"a.md": gone}, ["b.md"]).strip() == odd.strip()
    now = "[[a]] - Lives in Oslo.\n\n[[b]], [[c]]"
    assert corrected_list(now, {"a.md": gone}, ["b.md"]) == "[[a]]\n\n[[c]]"
    assert corrected_list(now, {}, ["a.md"]) == "[[b]], [[c]]"
