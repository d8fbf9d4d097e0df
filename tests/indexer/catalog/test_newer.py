"""Near-duplicates: what differs in a number, a date, a negation or one word is never one."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indexer.catalog.newer import newer_facts
from indexer.matter.disagreement import judge_pair
from indexer.matter.statement import line_covers, line_meaning, say_alike
from indexer.matter.timeline import Stated, exchanged, names_of_note, outdated_lines
from indexer.note import Settings
from indexer.refresh.refresh import refresh
from indexer.rows.rows import Index


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Lives in Los Angeles", "lives in **Los Angeles**."),
        ("Lives in Los Angeles", "Living in Los Angeles"),
        ("Works at [[companies/techcorp]]", "works at TechCorp"),
        (
            "Works at [[companies/techcorp|TechCorp]] as engineer",
            "Works at TechCorp as an engineer",
        ),
        ("Joe lives in Los Angeles", "Lives in Los Angeles"),
        ("Has a dog", "Has a dog"),
        ("Joe is allergic to shellfish", "Allergic to shellfish"),
        ("Lives in Rome near the river", "Lives in Rome"),
        ("Works at TechCorp, in the Berlin office", "Works at TechCorp"),
        ("In Berlin she lives", "Lives in Berlin"),
        ("Drinks tea, never coffee", "never coffee, drinks tea"),
        ("Doesn't eat fish", "Does not eat fish"),
        ("住在東京", "住在東京。"),
        ("", ""),
    ],
)
def test_the_same_thing_said_twice(one: str, other: str) -> None:
    assert say_alike(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Deadline is October 15", "Deadline is October 16"),
        ("Always deploys on Fridays", "Never deploys on Fridays"),
        ("Has 2 dogs", "Has dogs"),
        ("Visited the dentist in May", "Visited the dentist in June"),
        ("Meets the whole team", "Meets the whole team on Fridays"),
        ("Eats fish", "Does not eat fish"),
        ("Lives in Berlin", "Lives in Munich"),
        (
            "Meets the whole team on Monday morning in Rome",
            "Meets the whole team on Tuesday morning in Rome",
        ),
        ("Prefers tea over coffee", "Prefers coffee over tea"),
        ("Moved from Berlin to Rome", "Moved from Rome to Berlin"),
        ("Tea", "Drinks tea with milk"),
        ("Likes tea", "Likes tea from Assam with milk and two spoons of honey"),
        ("Works at TechCorp", "Stopped working at TechCorp"),
        ("Version 1.2 is out", "Version 1.3 is out"),
        ("住在東京", "住在大阪"),
        ("", "Lives in Berlin"),
        ("Joe is a citizen of Denmark", "Joe of Denmark is a citizen of the United States"),
        ("Holds the rank of Admiral", "Holds the rank of Rear admiral"),
        ("Fought in World War I", "Fought in World War II"),
        ("Was born in Belize", "Was born in Belize City"),
        ("Kitchen floor is oak", "Floor is oak"),
        ("The car of Joe has a dent", "Joe has a dent"),
        ("memory notes course solid", "notes course"),
    ],
)
def test_two_statements_are_not_taken_for_one(one: str, other: str) -> None:
    assert not say_alike(one, other)


OWN_AND_OTHERS = [
    ("Lives in Malmö", "His daughter lives in Malmö"),
    ("Works at Volvo", "Wife works at Volvo"),
    ("Lives in Porto", "Her brother Tom lives in Porto"),
    ("Works at Ericsson", "Wife works at Volvo"),
    ("Is vegetarian", "Her partner is vegetarian"),
    ("Likes tea", "My boss likes tea"),
    ("Likes tea", "Anna's mother likes tea"),
    ("Pays 800 euros rent", "The landlord pays 800 euros rent"),
    ("Works at Saab", "Our dentist works at Bosch"),
    ("Son lives in Lund", "Daughter lives in Lund"),
]
"""A fact, and one about somebody else: both hold."""


@pytest.mark.parametrize(("one", "other"), OWN_AND_OTHERS)
def test_a_fact_about_somebody_else_is_another_fact(one: str, other: str) -> None:
    assert not say_alike(one, other)
    assert judge_pair(one, other) is None
    assert judge_pair(other, one) is None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("His phone number is 555-0134", "Phone number is 555-0134"),
        ("Her daughter lives in Malmö", "Daughter lives in Malmö"),
        ("The rent is 880 euros", "Rent is 880 euros"),
        ("Her birthday is on 14 May", "Birthday is on 14 May"),
        ("My favourite drink is tea", "Favourite drink is tea"),
    ],
)
def test_a_possessive_alone_does_not_make_another_fact(one: str, other: str) -> None:
    assert say_alike(one, other)


def test_a_replaced_fact_about_one_other_person_is_still_found() -> None:
    assert judge_pair("Her daughter lives in Malmö", "Her daughter moved to Lund") is not None
    assert judge_pair("Wife works at Volvo", "Wife works at Ericsson") is not None
    assert asked("His rent is 880 euros a month", "Rent is 940 euros a month")


CHANGED = [  # "His landlord is Mr. Berg" and "… Ms. Dahl" are two landlords for all that is known, so nobody is asked
    ("Her sister lives in Rome", "Her sister lives in Bari"),
    ("Wife works at Volvo", "Wife works at Saab"),
    ("Phone number is 555-0101", "Her phone number is 555-0202"),
    ("Lives in Turin", "Moved to Genoa"),
    ("His rent is 700 euros", "Rent is 760 euros"),
    ("Daughter goes to Oak School", "Daughter no longer goes to Oak School"),
    ("Is vegetarian", "Is no longer vegetarian"),
]
HOLD = [
    ("Lives in Turin", "Her mother moved to Genoa"),
    ("Works at Fiat", "His uncle left Fiat"),
    ("Eats meat", "Husband does not eat meat"),
    ("Birthday is on 3 May", "Son's birthday is on 9 June"),
    ("Rent is 700 euros", "Their tenant pays 900 euros"),
    ("Speaks Danish", "My flatmate speaks Danish"),
    ("Has a dog", "Neighbour has a dog"),
    ("Drives a Saab", "Anna's boyfriend drives a Saab"),
    ("His landlord is Mr. Berg", "His landlord is Ms. Dahl"),
]


def asked(one: str, other: str) -> bool:
    """Whether somebody is told that a newer line may replace an older one of Joe's."""
    joe = frozenset(("joe",))
    return bool(
        judge_pair(one, other)
        or outdated_lines([Stated(one, "2025-01-01", joe), Stated(other, "2026-01-01", joe)])
    )


@pytest.mark.parametrize(("one", "other"), CHANGED)
def test_a_changed_fact_is_found_with_and_without_a_possessive(one: str, other: str) -> None:
    assert asked(one, other)


@pytest.mark.parametrize(("one", "other"), HOLD)
def test_two_facts_about_two_people_both_hold(one: str, other: str) -> None:
    assert judge_pair(one, other) is None
    assert not say_alike(one, other)


def test_the_fuller_one_covers() -> None:
    full, short = line_meaning("Allergic to nuts and shellfish"), line_meaning("Allergic to nuts")
    assert line_covers(full, short)
    assert not line_covers(short, full)


def test_pairs_as_different_hands_write_them() -> None:
    """No pair that differs is ever one; nearly every repeat is found."""
    pairs = tomllib.loads((Path(__file__).parents[2] / "ageing" / "pairs.toml").read_text("utf-8"))
    assert [
        pair
        for kind in ("differ", "against", "replace")
        for pair in pairs[kind]
        if say_alike(*pair)
    ] == []
    assert sum(say_alike(*pair) for pair in pairs["repeat"]) >= 0.9 * len(pairs["repeat"]) > 9


@given(st.text(max_size=80), st.text(max_size=80))
def test_every_line_covers_itself_and_order_means_nothing(one: str, other: str) -> None:
    assert say_alike(one, one)
    assert say_alike(one, other) == say_alike(other, one)


JOE = names_of_note("Joe Bloggs", "people/joe-bloggs.md", ["Joe"])
CHANGES = [
    ("Lives in Boston", "Joe lives in Santa Monica now"),
    ("Lives in Boston", "[[joe-bloggs]] lives in Santa Monica"),
    ("Joe Bloggs lives in Boston", "Joe now lives in Santa Monica instead of Boston"),
    ("Works at TechCorp as CTO", "Joe works at TechCorp as team lead"),
    ("Mother tongue is French", "The mother tongue of Joe Bloggs is English"),
    ("The mother tongue of Joe Bloggs is French", "The mother tongue of Joe Bloggs is English"),
    ("Favourite book is Emma", "Joe's favourite book is Middlemarch"),
    ("Has three cats", "Joe has four cats"),
    ("Budget is 20,000 euros", "Joe's budget is 25,000 euros"),
    ("Budget is 18,000", "Joe budget now 21,000"),
    ("Phone: 555 1234", "Joe's phone is 555 9999"),
    ("Landlord is Ana", "[[joe-bloggs]]: Landlord is not Ana but Luis"),
    ("Ann Lee is the coach of Joe Bloggs", "Ben Fox is the coach of Joe Bloggs"),
    ("Is owned by Acme", "Joe is owned by Initech"),
    ("Junior developer on the mobile team", "Joe is senior developer on the mobile team"),
    ("Plays for Rangers", "Joe Bloggs plays for Reading United"),
]
BOTH_HOLD = [
    ("Likes tea", "Joe likes chess"),
    ("Speaks French", "Joe speaks English"),
    ("Has a dog", "Joe has a cat"),
    ("Visited Rome", "Joe visited Oslo"),
    ("Met Ann for lunch", "Joe met Bob for lunch"),
    ("Owes me 40 for the concert", "Joe owes me 12.50 for the taxi"),
    ("Lunch: lentil soup", "Joe lunch: ramen"),
    ("Is excited about the tour", "Joe is excited about jamming with Dave"),
    ("Is at the lake next month", "Joe is at the beach next month"),
    ("Wednesday is for him", "Joe: Wednesday is for her too"),
    ("How to live in Rome", "How to live in Oslo"),
    ("One-to-one: he wants a desk", "Joe one-to-one: she wants a chair"),
    ("Ann is one of the developers of Joe Bloggs", "Ben is one of the developers of Joe Bloggs"),
    ("Weighs 82 kg", "Joe weighs 81 kg"),
    ("Works at TechCorp", "Joe works at TechCorp as CTO"),
    ("Is a painter", "Joe is a runner"),
    ("Lives in Boston", "Ann lives in Santa Monica"),
    ("Lives in Boston", "Joe lived in Santa Monica"),
    ("Lives in Boston", "Joe might live in Santa Monica"),
    ("Child is Anna", "Joe's child is Ben"),
    ("Fell at the pool in June", "Joe fell at the station in June"),
    ("Repaired the roof at Ely", "Joe repaired the roof at York"),
    ("Ann is the head of state of Joe Bloggs", "Ben is the head of government of Joe Bloggs"),
    ("Is interested in jazz", "Joe is interested in maps"),
    ("Joe Bloggs is a member of the choir", "Joe Bloggs is a member of the board"),
]


@pytest.mark.parametrize(("old", "new"), CHANGES)
def test_a_later_value_makes_the_line_on_the_page_old(old: str, new: str) -> None:
    page, day = Stated(old, "2026-01-01", JOE), Stated(new, "2026-03-01", daily=True)
    assert exchanged(page, day)
    assert outdated_lines([page, day]) == {0: 1}
    assert outdated_lines([day, page]) == {1: 0}


@pytest.mark.parametrize(("old", "new"), BOTH_HOLD)
def test_what_can_hold_together_makes_nothing_old(old: str, new: str) -> None:
    assert (
        outdated_lines([Stated(old, "2026-01-01", JOE), Stated(new, "2026-03-01", daily=True)])
        == {}
    )


def test_lines_of_one_page_are_ordered_by_their_days_alone() -> None:
    boston, rome = (
        Stated("Lives in Boston", "2026-01-01", JOE),
        Stated("Lives in Rome", "2026-02-01", JOE),
    )
    assert outdated_lines([rome, boston]) == {1: 0}
    assert (
        outdated_lines([rome._replace(date=""), boston])
        == outdated_lines([rome._replace(date="2026-01-01"), boston])
        == {}
    )


def test_a_third_value_makes_nothing_old_but_where_there_is_one_at_a_time() -> None:
    days = "2026-01-01", "2026-02-01", "2026-03-01"
    desks = [
        Stated(f"Sits beside the window in {room}", day, JOE)
        for room, day in zip(("B12", "B14", "C3"), days, strict=True)
    ]
    homes = [
        Stated(f"Lives in {town}", day, JOE)
        for town, day in zip(("Rome", "Oslo", "Graz"), days, strict=True)
    ]
    assert outdated_lines(desks[:2]) == {0: 1}
    assert outdated_lines(desks) == {}
    assert outdated_lines(homes) == {0: 2, 1: 2}


def test_a_value_that_comes_back_is_the_newest_one() -> None:
    towns = ("Rome", "2026-01-01"), ("Oslo", "2026-02-01"), ("Rome", "2026-03-01")
    assert outdated_lines([Stated(f"Lives in {town}", day, JOE) for town, day in towns]) == {
        0: 2,
        1: 2,
    }


def test_lines_of_two_notes_are_never_of_one_matter() -> None:
    ann = names_of_note("Ann Lee", "people/ann-lee.md")
    lines = [Stated("Lives in Rome", "2026-01-01", JOE), Stated("Lives in Oslo", "2026-02-01", ann)]
    assert outdated_lines(lines) == {}
    named = Stated("The coach of Ann Lee is Ben", "2026-03-01", daily=True)
    assert (
        outdated_lines([Stated("The coach of Joe Bloggs is Eve", "2026-01-01", JOE), named]) == {}
    )


def test_two_values_on_one_day_may_both_hold() -> None:
    lines = [
        Stated(f"Sits in {room}", day, JOE)
        for room, day in (("B12", "2026-01-01"), ("B14", "2026-02-01"))
    ]
    assert outdated_lines(lines) == {0: 1}
    assert outdated_lines([*lines, Stated("Sits in C3", "2026-02-01", JOE)]) == {}


def test_lines_of_days_are_compared_only_where_they_say_of_whom_they_are() -> None:
    def day(text: str, month: int) -> Stated:
        return Stated(text, f"2026-0{month}-01", daily=True)

    assert outdated_lines([day("Joe lives in Rome", 1), day("Joe lives in Oslo", 2)]) == {0: 1}
    assert outdated_lines([day("Lives in Rome", 1), day("Lives in Oslo", 2)]) == {}
    assert outdated_lines([day("The draft is short", 1), day("The draft is long", 2)]) == {}
    assert outdated_lines([day("Joe works at #desk/a", 1), day("Joe works at #desk/b", 2)]) == {}
    assert (
        outdated_lines([day("Henick Lane is skipped", 1), day("Henick Lane is listed twice", 2)])
        == {}
    )
    assert (
        outdated_lines([Stated("Lives in Rome", "2026-01-01", JOE), day("Lives in Oslo", 2)]) == {}
    )


def test_a_line_of_a_day_that_names_a_note_makes_a_fact_of_it_old(tmp_path: Path) -> None:
    index = built(
        tmp_path,
        {
            "people/joe-bloggs.md": "---\naliases: [JB]\n---\n# Joe Bloggs\n\n## Facts\n"
            "- Lives in Boston (2026-01-01) ^home01\n- Likes tea (2026-01-01)\n- Works at Acme (2026-01-02) ^work01\n"
            "- Works at TechCorp (2026-01-05) ^work02\n",
            "people/ann-lee.md": "# Ann Lee\n\n## Facts\n- Lives in Rome (2026-01-01) ^home02\n",
            "memory/2026-02-01.md": "- Lives in Lima\n- JB lives in Quito\n- Joe likes chess\n",
            "memory/2026-02-05.md": "- [[people/joe-bloggs|Joe]] lives in Santa Monica now\n",
        },
    )
    found = newer_facts(index.db, private=True)
    assert {key: (new.path, new.line, new.date, new.text) for key, new in found.items()} == {
        ("people/joe-bloggs.md", "home01"): (
            "memory/2026-02-05.md",
            1,
            "2026-02-05",
            "[[people/joe-bloggs|Joe]] lives in Santa Monica now",
        ),
        ("people/joe-bloggs.md", "work01"): (
            "people/joe-bloggs.md",
            10,
            "2026-01-05",
            "Works at TechCorp",
        ),
    }
    assert newer_facts(index.db, "people/joe-bloggs.md", private=False) == found
    assert newer_facts(index.db, "people/ann-lee.md", private=True) == {}
    on_a_day = newer_facts(index.db, "people/joe-bloggs.md", private=True, as_of="2026-02-03")
    assert {key: new.path for (_, key), new in on_a_day.items()} == {
        "home01": "memory/2026-02-01.md",
        "work01": "people/joe-bloggs.md",
    }
    index.close()


def built(root: Path, notes: dict[str, str]) -> Index:
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    made, _ = refresh(Settings(str(root), "", vectors=False), now=time.time())
    return made


def test_what_stands_under_two_headings_of_a_note_is_of_two_things() -> None:
    names = frozenset({"tools"})
    old = Stated("Cost: 5 dollars", "2026-01-01", names, under=("tools.md", "Apollo"))
    new = Stated("Cost: 7 dollars", "2026-02-01", names, under=("tools.md", "Hunter"))
    assert not exchanged(old, new)
    assert exchanged(old, new._replace(under=("tools.md", "Apollo")))
    assert exchanged(
        old._replace(under=("tools.md", "Facts")), new._replace(under=("tools.md", "Details"))
    )


def test_the_same_number_in_other_words_is_called_a_newer_value() -> None:
    names = frozenset({"harrow mill"})
    old = Stated("Rent is 880 euros a month", "2026-03-02", names)
    assert not exchanged(old, Stated("Rent is about 880 a month", "2026-03-09", names))
    assert exchanged(old, Stated("Rent is about 940 a month", "2026-03-09", names))
