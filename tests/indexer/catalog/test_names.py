"""Sloppy names resolve to one note, or ask."""

from __future__ import annotations

import datetime

import pytest

from indexer.catalog.names import RESOLVE, Called, NoteNames, clean_name, is_conflict_copy, name_fit
from indexer.errors import AmbiguousNameError, NoteNotFoundError
from indexer.reading.path_meaning import fold_name, name_words

TODAY = datetime.date(2026, 2, 10)


def note(
    path: str, title: str, *aliases: str, kind: str = "note", date: str | None = None
) -> Called:
    return Called(path, title, aliases, kind, date)


JOE = note("people/joe-bloggs.md", "Joe Bloggs", kind="person", date="2026-02-01")
SARAH = note("people/sarah.md", "Sarah Connor", kind="person")
MUELLER = note("people/jm.md", "Jörg Müller", "Jogi", kind="person")
TECH = note("companies/techcorp.md", "Tech Corp", kind="company")
LUNCH = note("notes/lunch.md", "Lunch with Joe about the new contracts")
DAY = note("memory/2026-02-01-joe.md", "2026-02-01 joe", kind="daily", date="2026-02-01")
SHARP, PLUS = note("c-sharp.md", "C#"), note("cpp.md", "C++")
ALL = (JOE, SARAH, MUELLER, TECH, LUNCH, DAY, SHARP, PLUS)


def resolve(name: str, *called: Called) -> str:
    return NoteNames(called or ALL).resolve(name, today=TODAY)


@pytest.mark.parametrize(
    "name",
    [
        "people/joe-bloggs.md",
        "people/joe-bloggs",
        "People/Joe-Bloggs",
        "joe-bloggs",
        "JOE-BLOGGS.MD",
        "Joe Bloggs",
        "joe bloggs.",
        "  Joe   Bloggs ",
        "Joe",
        "joe",
        "J. Bloggs",
        "j bloggs",
        "Joe B.",
        "Bloggs",
        "JoeBloggs",
        "joe_bloggs",
        "[[joe-bloggs]]",
        "[[people/joe-bloggs|Joe]]",
        "./people/joe-bloggs.md",
        "/people/joe-bloggs.md",
    ],
)
def test_every_way_to_write_one_name(name: str) -> None:
    assert resolve(name) == JOE.path


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("Jorg Muller", MUELLER.path),
        ("JÖRG MÜLLER", MUELLER.path),
        ("Jo\u0308rg Mu\u0308ller", MUELLER.path),
        ("jogi", MUELLER.path),
        ("techcorp", TECH.path),
        ("tech-corp", TECH.path),
        ("TECH CORP!", TECH.path),
        ("C#", SHARP.path),
        ("c++", PLUS.path),
        ("sarah", SARAH.path),
        ("Sara", SARAH.path),
        ("S. Connor", SARAH.path),
    ],
)
def test_accents_case_signs_and_parts(name: str, path: str) -> None:
    assert resolve(name) == path


def test_two_of_a_name_ask_with_both_candidates() -> None:
    smith = note("people/joe-smith.md", "Joe Smith", kind="person")
    with pytest.raises(AmbiguousNameError) as caught:
        resolve("Joe", JOE, smith)
    assert caught.value.candidates == (JOE.path, smith.path)
    assert all(path in caught.value.message for path in caught.value.candidates)
    assert resolve("Joe S", JOE, smith) == smith.path


def test_a_whole_name_wins_over_a_part_of_another() -> None:
    only = note("people/joe.md", "Joe", kind="person")
    assert resolve("joe", JOE, only) == only.path


def test_a_file_name_wins_over_an_alias_and_two_aliases_ask() -> None:
    alias = note("people/x.md", "X", "sarah", "boss")
    assert resolve("sarah", SARAH, alias) == SARAH.path
    with pytest.raises(AmbiguousNameError):
        resolve("boss", alias, note("people/y.md", "Y", "Boss"))


def test_an_archived_note_and_a_conflict_copy_give_way() -> None:
    archived = note("archives/joe-bloggs.md", "Joe Bloggs", kind="archive")
    copy = note(
        "people/joe-bloggs.sync-conflict-20260201-101010-ABC.md", "Joe Bloggs", kind="person"
    )
    assert resolve("joe-bloggs", JOE, archived, copy) == JOE.path
    assert resolve("Joe Bloggs", JOE, archived, copy) == JOE.path
    assert resolve("Joe", JOE, archived, copy) == JOE.path
    assert resolve("Joe Bloggs", archived) == archived.path


def test_a_name_that_only_archived_notes_have_is_theirs() -> None:
    with pytest.raises(AmbiguousNameError) as caught:
        resolve(
            "tea",
            note("archives/tea.md", "Tea", kind="archive"),
            note("archives/b/tea.md", "Tea", kind="archive"),
        )
    assert set(caught.value.candidates) == {"archives/tea.md", "archives/b/tea.md"}


def test_an_archived_note_comes_last_however_near_the_top_it_lies() -> None:
    names = NoteNames(
        [
            note("archives/tea.md", "Tea"),
            note("areas/drinks/hot/tea.md", "Tea"),
            note("areas/tea.md", "Tea"),
        ]
    )
    assert names.ending_in("tea") == ["areas/tea.md", "areas/drinks/hot/tea.md", "archives/tea.md"]


def test_a_stem_in_two_folders_asks_and_the_end_of_a_path_decides() -> None:
    one, two = note("a/plan.md", "Plan"), note("b/plan.md", "Plan")
    with pytest.raises(AmbiguousNameError):
        resolve("plan", one, two)
    assert resolve("b/plan", one, two) == two.path


def test_names_that_differ_in_case_alone_are_found_exactly() -> None:
    one, two = note("a/Joe.md", "one"), note("a/joe.md", "two")
    assert resolve("a/joe.md", one, two) == two.path
    with pytest.raises(AmbiguousNameError):
        resolve("a/JOE", one, two)


def test_a_dot_in_a_name_is_not_taken_for_an_ending() -> None:
    plan, other = note("proj.plan.md", "Plan"), note("proj.md", "Proj")
    assert resolve("proj.plan", plan, other) == plan.path
    markdown = note("topic.markdown.md", "Markdown")
    assert resolve("topic.markdown", note("topic.md", "Topic"), markdown) == markdown.path


@pytest.mark.parametrize("name", ["nobody", "...", "", "J", "Joe Smithers", "🙂"])
def test_what_is_no_name(name: str) -> None:
    with pytest.raises(NoteNotFoundError) as caught:
        resolve(name)
    assert caught.value.hint


def test_a_slip_of_the_pen_is_guessed_at_and_not_taken() -> None:
    with pytest.raises(NoteNotFoundError) as caught:
        resolve("Jeo Blogs")
    assert "Joe Bloggs" in caught.value.hint


def test_one_weak_candidate_is_asked_about() -> None:
    with pytest.raises(NoteNotFoundError) as caught:
        resolve("contracts", LUNCH)
    assert LUNCH.path in caught.value.hint


def test_points_of_a_partial_name_follow_the_weights() -> None:
    found = NoteNames((JOE,)).partly("Joe", today=datetime.date(2026, 2, 1))
    assert found[0].points == pytest.approx(50 + 35 + 15)
    undated = NoteNames((SARAH,)).partly("Sarah", today=TODAY)
    assert undated[0].points == pytest.approx(50 + 35 + 7.5)
    assert undated[0].points > RESOLVE
    twins = NoteNames((JOE, note("people/joe-smith.md", "Joe Smith", kind="person"))).partly(
        "Joe", today=TODAY
    )
    assert all(each.points < RESOLVE for each in twins)


def test_a_daily_note_has_no_partial_name() -> None:
    assert [each.path for each in NoteNames((DAY,)).partly("joe", today=TODAY)] == []
    assert resolve("2026-02-01-joe", DAY) == DAY.path


@pytest.mark.parametrize(
    ("asked", "name", "least", "most"),
    [
        ("joe", "joe bloggs", 1, 1),
        ("j bloggs", "joe bloggs", 0.9, 0.96),
        ("bloggs", "joe bloggs", 0.9, 0.9),
        ("bloggs joe", "joe bloggs", 0, 0),
        ("jo", "joe bloggs", 0, 0),
        ("joe", "lunch with joe about it", 0.5, 0.8),
        ("j", "joe bloggs", 0.6, 0.6),
        ("joe x", "joe bloggs", 0, 0),
    ],
)
def test_how_well_a_name_fits_what_was_asked_for_stays_in_its_bounds(
    asked: str, name: str, least: float, most: float
) -> None:
    assert least <= name_fit(name_words(asked), name_words(name)) <= most


def test_marks_of_scripts_that_spell_with_them_stay() -> None:
    assert fold_name("हिन्दी") != fold_name("हनद")
    assert fold_name("が") != fold_name("か")


def test_clean_and_conflict_copies() -> None:
    assert clean_name(" [[a/b|c]] ") == "a/b"
    assert is_conflict_copy("a/n.sync-conflict-20230320-201611-TNRWM2K.md")
    assert is_conflict_copy("n (Joe's conflicted copy 2026-01-01).md")
    assert is_conflict_copy("n (conflict 2).md")
    assert not is_conflict_copy("conflict/merge.conflict.md")


def test_an_archived_person_takes_no_name_from_a_current_one() -> None:
    old = Called("archives/reed.md", "Tom Reed", (), "person", None)
    assert (
        resolve("Tom", old, Called("people/t.md", "Tom Ray", (), "person", None)) == "people/t.md"
    )
