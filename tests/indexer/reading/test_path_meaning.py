"""What a path says: kinds by folder and name, daily notes under all their names, titles."""

from __future__ import annotations

import datetime

import pytest

from indexer.reading.parse import parse
from indexer.reading.path_meaning import (
    agent_home,
    agent_of,
    all_names,
    day_name,
    day_of_path,
    day_path,
    file_stem,
    is_conversation,
    is_day_format,
    is_imported,
    kind_of_path,
    kind_of_word,
    title_of_path,
)


def test_folders_of_our_own_are_known_in_any_case() -> None:
    for path in ("conversations/a.md", "Conversations/a.md"):
        assert is_conversation(path), path
    for path in ("resources/import/a.md", "Resources/Import/a.md"):
        assert is_imported(path), path
    for path in ("agents/bot/a.md", "AGENTS/bot/a.md"):
        assert (agent_of(path), agent_home(path)) == ("bot", path.removesuffix("a.md")), path
    for path in ("conversations.md", "old/conversations/a.md", "resources/imported/a.md"):
        assert not is_conversation(path), path
        assert not is_imported(path), path
    assert agent_of("agents/a.md") == agent_of("my/agents/bot/a.md") == agent_home("a.md") == ""


def kind(path: str) -> str:
    return kind_of_path(path, day_of_path(path, "memory"))


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("people/joe.md", "person"),
        ("companies/techcorp.md", "company"),
        ("projects/x/plan.md", "project"),
        ("areas/health.md", "area"),
        ("resources/knots.md", "resource"),
        ("archives/old.md", "archive"),
        ("life/areas/people/joe.md", "person"),
        ("life/areas/health.md", "area"),
        ("archives/people/joe.md", "archive"),
        ("people/archives/joe.md", "archive"),
        ("1 - Projects/boat.md", "project"),
        ("03_Resources/x.md", "resource"),
        ("MEMORY.md", "memory"),
        ("ME.md", "me"),
        ("SOUL.md", "me"),
        ("IDENTITY.md", "me"),
        ("USER.md", "me"),
        ("docs/memory.md", "note"),
        ("user.md", "note"),
        ("people/_index.md", "note"),
        ("notes/x.md", "note"),
        ("x.md", "note"),
        ("", "note"),
    ],
)
def test_kind_of_path(path: str, expected: str) -> None:
    assert kind(path) == expected


@pytest.mark.parametrize(
    "path",
    [
        "memory/2026-02-01.md",
        "memory/2026-02-01-standup.md",
        "memory/2026-02-01-2.md",
        "memory/2026/02/2026-02-01-late.md",
        "anywhere/2026-02-01.md",
        "2026-02-01.md",
        "journals/2026_02_01.md",
        "20260201.md",
        "notes/20260201.md",
        "Daily/2026-02-01 Sunday.md",
        "01 Journal/2026-02-01 notes.md",
        "people.journal.2026-02-01-105322.md",
        "log/2026-02-01T0900.md",
        "projects/2026-02-01.md",
    ],
)
def test_daily_notes_under_all_their_names(path: str) -> None:
    assert day_of_path(path, "memory") == "2026-02-01"
    assert kind(path) == "daily"


@pytest.mark.parametrize(
    "path",
    [
        "posts/2026-02-01-hello.md",
        "memory/fact/2026-02-01-slug.md",
        "memory/2026-02.md",
        "memory/2026-13-01.md",
        "memory/2026-02-30.md",
        "journal/20261301.md",
        "notes/202602011530.md",
        "release.2026.02.01.md",
        "memory/notes.md",
        "journals/a2026-02-01.md",
        "0000-00-00.md",
    ],
)
def test_other_names_with_dates_are_not_daily(path: str) -> None:
    assert day_of_path(path, "memory") is None


def test_a_folder_whose_name_begins_like_the_daily_one_is_another() -> None:
    assert day_of_path("notes/2025/2026-02-01-x.md", "notes") == "2026-02-01"
    assert day_of_path("notes2025/2026-02-01-x.md", "notes") is None


def test_what_lies_in_the_archive_is_archived_whatever_it_is_called() -> None:
    assert kind_of_path("archives/MEMORY.md", None) == "archive"
    assert kind_of_path("archives/people/ME.md", None) == "archive"


def test_the_configured_folder_holds_daily_notes() -> None:
    assert day_of_path("notes/days/2026-02-01-x.md", "notes/days") == "2026-02-01"
    assert day_of_path("notes/days/2026/2026-02-01-x.md", "notes/days") == "2026-02-01"
    assert day_of_path("notes/days/trip/2026-02-01-x.md", "notes/days") is None
    assert day_of_path("notes/days/2026-02-01-x.md", "") is None


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("Person", "person"),
        (" people ", "person"),
        ("org", "company"),
        ("Daily note", "daily"),
        ("book", None),
        (3, None),
        (None, None),
        ("[[Project]]", "project"),
    ],
)
def test_kind_of_word(word: object, expected: str | None) -> None:
    assert kind_of_word(word) == expected


@pytest.mark.parametrize(
    ("path", "title"),
    [
        ("people/joe-bloggs.md", "Joe Bloggs"),
        ("a/some_thing.md", "Some Thing"),
        ("a/JSON notes.md", "JSON notes"),
        ("a/C++.md", "C++"),
        ("a/JSON-API.md", "JSON-API"),
        ("genres/Sci-fi.md", "Sci-fi"),
        ("genres/sci-fi.md", "Sci Fi"),
        ("a/Joe_Bloggs.md", "Joe Bloggs"),
        ("a/term___alias.md", "Term/alias"),
        ("a/caf%C3%A9.md", "Café"),
        ("memory/2026_02_01.md", "2026-02-01"),
        ("memory/2026-02-01-team-standup.md", "2026-02-01 team standup"),
        ("-.md", "-"),
        (".md", ".md"),
    ],
)
def test_titles_from_names(path: str, title: str) -> None:
    assert title_of_path(path, day_of_path(path, "memory")) == title


def test_a_notes_name_loses_only_the_ending_of_a_note() -> None:
    assert [file_stem(path) for path in ("a/b.md", "b.MD", "b.markdown", "b.c", ".md")] == [
        "b",
        "b",
        "b",
        "b.c",
        ".md",
    ]


# The path of a day's note

DAY = datetime.date(2026, 11, 2)
MOMENT = datetime.datetime.fromisoformat("2026-11-02T15:04:05")


@pytest.mark.parametrize(
    ("format", "name"),
    [
        ("YYYY-MM-DD", "2026-11-02"),
        ("YYYY/MM-MMMM/YYYY-MM-DD-dddd", "2026/11-November/2026-11-02-Monday"),
        ("MMM Do, YYYY", "Nov 2nd, 2026"),
        ("YY M D ddd", "26 11 2 Mon"),
        ("[Day] D [of] MM", "Day 2 of 11"),
        ("HH:mm:ss h:m A", "15:04:05 3:4 PM"),
        ("GGGG-[W]WW [Q]Q", "2026-W45 Q4"),
    ],
)
def test_a_moment_is_named_as_obsidian_names_it(format: str, name: str) -> None:
    assert day_name(format, MOMENT) == name


def test_the_eleventh_to_the_thirteenth_are_no_exception_to_th() -> None:
    assert [day_name("Do", MOMENT.replace(day=day)) for day in (1, 3, 11, 12, 13, 21, 23)] == [
        "1st",
        "3rd",
        "11th",
        "12th",
        "13th",
        "21st",
        "23rd",
    ]


def test_a_token_that_is_not_known_is_an_error() -> None:
    for unknown in ("gggg-[W]ww", "X", "DDDD", "Z"):
        with pytest.raises(ValueError, match="is not supported"):
            day_name(unknown, MOMENT)


@pytest.mark.parametrize(
    "format",
    [
        "YYYY-MM-DD",
        "YYYY_MM_DD",
        "YYYY.MM.DD",
        "YYYYMMDD",
        "YYYY-M-D",
        "YYYY/MM/YYYY-MM-DD",
        "YYYY-MM-DD dddd",
        "YYYY/MM-MMMM/YYYY-MM-DD-dddd",
    ],
)
def test_what_is_read_as_a_day_is_fit(format: str) -> None:
    assert is_day_format(format)


@pytest.mark.parametrize(
    "format",
    [
        "",
        "gggg-[W]ww",
        "[Week] ww",
        "YY-MM-DD",
        "DD-MM-YYYY",
        "MMM Do, YYYY",
        "YYYY-MM-DD HHmm",
        "../YYYY-MM-DD",
        "YYYY-MM-DD/",
        "/YYYY-MM-DD",
        ".YYYY-MM-DD",
        "YYYY-MM-DD#",
        "YYYY//YYYY-MM-DD",
        "~/YYYY-MM-DD",
        "YYYY-MM-DD" * 20,
        "[.git]/YYYY-MM-DD",
        "YYYY-MM-DD\n",
        "YYYY-MM",
        "YYYY-DD-MM",
    ],
)
def test_what_is_not_read_as_that_day_again_is_not_fit(format: str) -> None:
    assert not is_day_format(format)


def test_words_behind_the_date_need_a_folder_of_daily_notes() -> None:
    assert is_day_format("YYYY-MM-DD dddd", "Daily")
    assert not is_day_format("YYYY-MM-DD dddd", ".")
    assert is_day_format("YYYY_MM_DD", ".")


def test_the_top_of_the_vault_adds_no_folder() -> None:
    assert day_path(".", "YYYY-MM-DD", DAY) == "2026-11-02.md"
    assert day_path("a/b", "YYYY/YYYY-MM-DD", DAY) == "a/b/2026/2026-11-02.md"


def names(path: str, text: str) -> list[tuple[str, ...]]:
    return [tuple(name) for name in all_names(parse(path, text.encode()))]


def test_a_note_answers_to_its_file_its_title_and_its_aliases_each_spelling_once() -> None:
    text = "---\ntitle: Joe Bloggs\naliases: [JBloggs, joe-bloggs, C++]\n---\n"
    assert names("people/joe-bloggs.md", text) == [
        ("file", "joe-bloggs", "joebloggs", ""),
        ("alias", "JBloggs", "jbloggs", ""),
        ("alias", "C++", "c++", ""),
    ]


@pytest.mark.parametrize("path", ["pages/Logic___Set theory.md", "pages/Logic%2FSet theory.md"])
def test_a_logseq_namespace_is_a_name_without_its_code(path: str) -> None:
    assert names(path, "- text\n")[0] == ("file", "Logic/Set theory", "logicsettheory", "")


def test_names_of_three_to_eight_words_have_initials_once() -> None:
    text = "---\ntitle: Payment Card Industry\naliases: [Private car insurance, New York, 2026 02 09]\n---\n"
    found = [name for name in names("Network Interface Card.md", text) if name[0] == "initials"]
    assert found == [("initials", "nic", "nic", ""), ("initials", "pci", "pci", "")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("[[nic-card|network card]]", [("link", "network card", "networkcard", "nic-card")]),
        ("[network card](io/nic.md#about)", [("link", "network card", "networkcard", "io/nic.md")]),
        ("[[NIC|nic]] and [io/nic](io/nic.md) and [NIC](io/nic.md)", []),
        (
            "[[a|x y]] and [[a|x y]] and [[b|x y]]",
            [("link", "x y", "xy", "a"), ("link", "x y", "xy", "b")],
        ),
        ("![[scheme.png|network card]] and [above](#top) and [site](https://x.org)", []),
        ("[[a|" + "word " * 30 + "]]", []),
    ],
)
def test_the_labels_of_links_are_names_where_they_say_more_than_the_target(
    line: str, expected: object
) -> None:
    assert [name for name in names("a.md", line + "\n") if name[0] == "link"] == expected
