"""Which fact a newer one may take the place of: cues, one matter, another value; and what only looks like it."""

from __future__ import annotations

import random
import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.matter.disagreement import judge_pair
from indexer.matter.proposals import proposals, propose
from indexer.matter.timeline import Stated, names_of_note, outdated_lines
from indexer.note import Fact
from indexer.reading.parse import parse

CASES = Path(__file__).resolve().parents[2] / "cases"


def facts(*lines: str) -> list[Fact]:
    text = "# Joe Bloggs\n\n## Facts\n" + "".join(f"- {line}\n" for line in lines)
    return list(parse("people/joe-bloggs.md", text.encode(), daily_folder="memory").facts)


def test_a_line_of_a_cue_alone_says_nothing_of_a_long_one() -> None:
    assert judge_pair("Lives in Rome with Ann Becker near the river", "Moved.") is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Lives in San Diego", "Moved to Los Angeles"),
        ("Lives in San Diego", "Lives in Los Angeles now, not San Diego"),
        ("Deadline is October 15", "Deadline moved to October 16"),
        ("All articles must score 75+ on Surfer", "Actually, articles need 80+ on Surfer now"),
        ("Billed monthly", "Billed quarterly, not monthly"),
        ("Works at TechCorp", "No longer works at TechCorp"),
        ("Prefers tea", "Prefers coffee instead of tea"),
    ],
)
def test_a_cue_one_matter_and_another_value_replace(old: str, new: str) -> None:
    found = judge_pair(old, new)
    assert found is not None
    assert found[0] == "supersede"
    assert found[2] in new.casefold()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Lives in San Diego", "Visited Los Angeles in spring"),
        ("Lives in San Diego", "Sister now lives in Los Angeles"),
        ("Lives in San Diego", "Now also rents a cabin near Los Angeles"),
        ("Works at TechCorp", "Turned down an offer from Initech"),
        ("Milestone 1 is due in March", "Milestone 2 is due in March"),
        ("Invoice 1041 was paid", "Invoice 1042 was paid"),
        (
            "Error E-4012 means that a seat was sold twice",
            "Error E-4021 means that the vessel was swapped",
        ),
        ("Met Joe on 2025-03-01", "Met Joe on 2025-04-01"),
        ("Keeps bees on the roof", "Moved the piano to the cellar"),
        ("Lives in San Diego", "Lives in San Diego."),
        ("Speaks Polish", "Now speaks Dutch too"),
        (
            "Standard: three months of expenses in cash",
            "Standard: subscriptions are looked through in January",
        ),
        ("Detail: docs/a", "Detail: docs/b"),
        ("Audience fit: 4", "Audience fit: 5"),
        ("Brother is Tom", "Brother is Ben"),
        ("Visited flat in Vasastan", "Visited flat in Solna"),
        ("Room 12 is free on Monday", "Room 12 is free on Tuesday"),
        ("Plays tennis with Tom on Mondays", "Plays tennis with Anna on Mondays"),
        (
            "Takes part in handing out food at a shelter",
            "Helps with a food drive for people who lost their jobs",
        ),
        (
            "Sees goals and success as what keeps him going",
            "Held a game that was a success and raised money",
        ),
        (
            "Meets other dog owners once a week",
            "Values seeing the dogs happy and settled in new places as an owner",
        ),
        (
            "Asked what advice the famous players gave",
            "Got advice on improving by studying opening moves",
        ),
        ("Got married to a woman from Canada", "Got married and told the extended family"),
        (
            "Has a lot of books that she uses for writing",
            "Now uses an external drive to keep her writing safe",
        ),
        ("Feels at peace when fixing cars", "The car was in a crash but is now fixed"),
        (
            "Went to a reading that was hard but good",
            "Went through a hard time but is now ready to help",
        ),
        ("Asks friends not to give up", "Tells Joe to go on, not give up, and to look for help"),
        ("Amara joined the data team", "Felix joined the data team in May"),
        ("Released 0.4.0", "Released 0.4.1 with the hotfix"),
        (
            "gave in, went to William Eathorne for the loan",
            "went to Chicago without telling William Eathorne",
        ),
    ],
)
def test_what_only_looks_alike_replaces_nothing(old: str, new: str) -> None:
    assert judge_pair(old, new) is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Always deploy on Fridays", "Never deploy on Fridays"),
        ("Likes surprise parties", "Does not like surprise parties"),
        ("Lives in San Diego", "Lives in Los Angeles"),
        ("Phone: 555-0142", "Phone: 555-0187"),
        ("Never drinks coffee", "Drinks three cups of coffee a day"),
    ],
)
def test_two_lines_that_disagree_without_a_cue_are_a_question(old: str, new: str) -> None:
    found = judge_pair(old, new)
    assert found is not None
    assert found[0] == "ask"


def test_nobody_is_asked_about_two_lines_that_both_hold_and_mostly_where_they_cannot() -> None:
    cases = tomllib.loads((CASES / "same_or_conflict.toml").read_text("utf-8"))["case"]
    asked = {True: 0, False: 0}
    for case in cases:
        one, other = (f"{case[each]} ({case[f'{each}_date']})" for each in "ab")
        two = [
            Stated(case[each], case[f"{each}_date"], names_of_note("", case["note"]))
            for each in "ab"
        ]
        asked[case["ask"]] += bool(proposals(facts(one, other)) or outdated_lines(two))
    assert asked[False] == 0
    assert asked[True] >= 28  # of 30


def test_the_right_one_of_several_is_meant() -> None:
    made = facts(
        "Lives in San Diego (2025-01-01)",
        "Works at TechCorp (2025-01-01)",
        "Gym day: Mondays (2025-01-01)",
        "Left TechCorp for Initech (2025-06-01)",
    )
    proposal = propose(made[:3], made[3])
    assert proposal is not None
    assert (proposal.old.text, proposal.action, proposal.cue) == (
        "Works at TechCorp",
        "supersede",
        "left",
    )
    assert proposal.key == f"{made[1].key}>{made[3].key}"


def test_of_two_that_fit_alike_the_newer_is_meant_however_they_stand() -> None:
    made = facts(
        "Lives in Oslo (2025-12-01)", "Lives in Graz (2025-03-01)", "Moved to Bonn (2026-02-09)"
    )
    proposal = propose(made[:2], made[2])
    assert proposal is not None
    assert proposal.old is made[0]


def test_a_chain_is_followed_link_by_link() -> None:
    made = facts(
        "Lives in Graz (2024-01-01)", "Moved to Oslo (2024-06-01)", "Moved to Porto (2025-01-01)"
    )
    assert [(one.old.text, one.new.text) for one in proposals(made)] == [
        ("Lives in Graz", "Moved to Oslo"),
        ("Moved to Oslo", "Moved to Porto"),
    ]


def test_what_is_past_newer_or_tied_already_is_passed_over() -> None:
    assert proposals(facts("~~Lives in Graz~~ (2024-01-01)", "Moved to Oslo (2024-06-01)")) == []
    assert (
        proposals(
            facts("Moved to Oslo (2024-06-01) ^b", "Lives in Graz (2024-01-01, contradicts ^b) ^a")
        )
        == []
    )
    assert (
        proposals(
            facts("Lives in Graz (2024-01-01) ^a", "Moved to Oslo (2024-06-01, updates ^a) ^b")
        )
        == []
    )
    named = facts(
        "Has a boat (2024-01-01) ^a",
        "Lives in Graz (2024-01-01) ^c",
        "Moved to Oslo (2024-06-01, updates ^a) ^b",
    )
    assert proposals(named) == [], "it names what it updates"
    later = facts("Lives in Graz (2025-01-01)", "Moved to Oslo (2024-06-01)")
    assert propose(later[:1], later[1]) is None


def test_a_line_of_the_same_day_can_be_replaced() -> None:
    made = facts("Lives in Graz (2024-06-01)", "Moved to Oslo (2024-06-01)")
    found = propose(made[:1], made[1])
    assert found is not None
    assert found.old is made[0]


def test_one_word_in_common_and_a_weak_cue_are_not_enough() -> None:
    old, new = "Maple stands beside the gate", "Maple grew taller"
    assert judge_pair(old, new) is None
    assert judge_pair(old, "Maple stands taller now") is None


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("We decided to use PostgreSQL", "We decided to use JWT for auth tokens"),
        ("Use Ahrefs for keyword research", "We decided to use PostgreSQL instead of SQLite"),
        ("We decided to launch on 1 May", "Actually, we decided to use Stripe for payments"),
        ("Let's not use Redis for the queue after all", "we use ruamel here, not pyyaml"),
        ("My dog is called Rex", "Actually, my cat is called Tom"),
        ("We hire Ann", "We fire Bob instead of Tim"),
        ("Prefers Rust over TypeScript", "Prefers short, direct responses"),
    ],
)
def test_a_cue_word_alone_makes_a_line_replace_one_of_another_matter(old: str, new: str) -> None:
    assert judge_pair(old, new) is None


def test_lines_that_replace_each_other_in_a_circle_are_each_replaced_once() -> None:
    lines = [
        f"Moved from {a} to {b}"
        for a, b in (("Oslo", "Porto"), ("Porto", "Graz"), ("Graz", "Oslo"))
    ]
    made = proposals(facts(*lines, *lines))
    olds = [one.old.key for one in made]
    assert len(olds) == len(set(olds)) <= 5


@given(st.lists(st.text(max_size=80), max_size=6))
def test_odd_text_is_harmless(lines: list[str]) -> None:
    made = facts(
        *(" ".join(line.split()) for line in lines),
        "No longer lives in, not of from",
        "Now",
        "instead of",
    )
    for one in proposals(made):
        assert one.old.key != one.new.key


def test_a_note_of_thousands_of_facts_is_no_trouble() -> None:
    chance = random.Random(7)
    towns = [f"Town{at}" for at in range(300)]
    made = facts(
        *(f"Now lives in {chance.choice(towns)} beside lot {at} (2025-01-01)" for at in range(2000))
    )
    began = time.process_time()
    assert len(proposals(made)) <= len(made)
    assert time.process_time() - began < 60, "it no longer grows with the number of facts alone"


def test_a_line_of_a_million_characters_is_no_trouble() -> None:
    assert judge_pair("Lives in Graz", "now from to not over " * 50_000) is None


def test_the_same_label_on_two_cards_of_a_note_is_no_question() -> None:
    text = "# Tools\n\n## Apollo\n\n- Cost: included (2026-01-01)\n\n## {}\n\n- Cost: 5 dollars (2026-02-01)\n"
    apart, same = (
        parse("areas/tools.md", text.format(name).encode(), daily_folder="memory").facts
        for name in ("Hunter", "Facts")
    )
    assert proposals(apart) == []
    assert len(proposals(same)) == 1


@pytest.mark.parametrize("new", ["Instead, now", "Changed", "No longer", "now!"])
def test_a_line_that_says_nothing_but_that_something_changed_ends_the_comparison(new: str) -> None:
    assert judge_pair("Amara joined the data team in Lyon", new) is None
