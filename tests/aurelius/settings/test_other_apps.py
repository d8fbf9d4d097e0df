"""What other programs keep of a vault is taken where it is plain, told where it is not, and never believed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from aurelius.settings.keys import KEYS
from aurelius.settings.other_apps import (
    APP,
    LOGSEQ,
    OBSIDIAN_CORE,
    OBSIDIAN_DAILY,
    PERIODIC,
    PLUGINS,
    TEMPLATER,
    TEMPLATES,
    Adoption,
    find_app_settings,
    graph_of,
    of_logseq,
    of_moment,
)

READERS = {key.name: key.read for key in KEYS}


def fine(_: str) -> str:
    return ""


def found(notes: tuple[str, ...] = (), edn: str | None = None, **files: Any) -> Adoption:
    names = {
        "daily": OBSIDIAN_DAILY,
        "periodic": PERIODIC,
        "plugins": PLUGINS,
        "templates": TEMPLATES,
        "app": APP,
        "templater": TEMPLATER,
        "core": OBSIDIAN_CORE,
    }
    data = {names[key]: json.dumps(value).encode() for key, value in files.items()}
    if edn is not None:
        data[LOGSEQ] = edn.encode()
    return find_app_settings(data, notes, fine)


def values(of: Adoption) -> dict[str, Any]:
    for row in of.taken:  # what is written down must be what the settings take
        value = list(row.value) if isinstance(row.value, tuple) else row.value
        assert READERS[row.key](value) == row.value
    return {row.key: row.value for row in of.taken}


def test_obsidians_daily_notes_templates_and_ignored_folders_are_taken() -> None:
    made = found(
        daily={"folder": "Journal/", "format": "YYYY/MM/YYYY-MM-DD", "template": "Templates/Day"},
        templates={"folder": "Templates"},
        app={"userIgnoreFilters": ["sandbox/", "Old [x]/", "draft"], "alwaysUpdateLinks": True},
    )
    assert values(made) == {
        "daily.folder": "Journal",
        "daily.format": "YYYY/MM/YYYY-MM-DD",
        "daily.heading": False,
        "daily.template": "Templates/Day.md",
        "templates.folder": "Templates",
        "index.exclude": ("/Templates/", "/sandbox/", r"/Old \[x\]/", "/draft*"),
    }
    assert made.told == ()
    assert {row.key: row.source for row in made.taken}["index.exclude"] == f"{TEMPLATES}, {APP}"


def test_daily_notes_without_a_folder_lie_at_the_top() -> None:
    for folder in ({}, {"folder": ""}, {"folder": "/"}):
        assert values(found(daily=folder))["daily.folder"] == "."


def test_the_plugin_goes_before_obsidians_own_where_it_is_on() -> None:
    plugin = {"daily": {"enabled": True, "folder": "P", "format": ""}}
    assert values(found(daily={"folder": "D"}, periodic=plugin))["daily.folder"] == "P"
    assert (
        values(found(daily={"folder": "D"}, periodic=plugin, plugins=["dataview"]))["daily.folder"]
        == "D"
    )
    assert (
        values(found(daily={"folder": "D"}, periodic={"daily": {"enabled": False}}))["daily.folder"]
        == "D"
    )


def test_templaters_folder_is_one_of_templates_where_the_plugin_is_on() -> None:
    templater = {"templates_folder": "99_Meta/Templates"}
    made = values(found(templater=templater))
    assert made == {
        "templates.folder": "99_Meta/Templates",
        "index.exclude": ("/99_Meta/Templates/",),
    }
    assert values(found(templater=templater, plugins=["dataview"])) == {}
    both = values(found(templater=templater, templates={"folder": "T"}))
    assert both == {"templates.folder": "T", "index.exclude": ("/T/", "/99_Meta/Templates/")}


def test_a_folder_of_templates_that_is_there_is_taken_before_one_that_is_not() -> None:
    own, plugin = {"folder": "T"}, {"templates_folder": "99_Meta/Templates"}
    for notes, place in (
        (("99_Meta/Templates/day.md", "T.md", "a/T/x.md"), "99_Meta/Templates"),
        (("99_Meta/Templates/day.md", "T/x.md"), "T"),
        (("a.md",), "T"),
    ):
        assert values(found(notes, templates=own, templater=plugin))["templates.folder"] == place


def test_a_template_of_the_plugin_that_is_missing_gives_way_to_obsidians_own() -> None:
    plugin = {"daily": {"enabled": True, "folder": "P", "template": "Templates/Daily"}}
    own = {"folder": "P", "template": "Journal/day"}
    assert (
        values(found(("Journal/day.md",), daily=own, periodic=plugin))["daily.template"]
        == "Journal/day.md"
    )
    there = ("Journal/day.md", "Templates/Daily.md")
    assert (
        values(found(there, daily=own, periodic=plugin))["daily.template"] == "Templates/Daily.md"
    )


def test_without_settings_the_day_lies_where_obsidian_puts_it_if_its_plugin_is_on() -> None:
    at_top = {"daily.folder": ".", "daily.heading": False}
    for plugins in (["file-explorer", "daily-notes"], {"daily-notes": True}):
        assert values(found(core=plugins)) == at_top
    for plugins in (["file-explorer"], {"daily-notes": False}, {}):
        assert values(found(core=plugins)) == {}
    days = tuple(f"days/2026-02-0{day}.md" for day in range(1, 5))
    assert values(found(days, core=["daily-notes"]))["daily.folder"] == "days"


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("yyyy-MM/yyyy-MM-DD", "YYYY-MM/YYYY-MM-DD"),
        ("YYYY-MM-DD dddd \\J\\o\\u\\r\\n\\a\\l", "YYYY-MM-DD dddd [Journal]"),
        ("YYYY-MM-DD [my day]", "YYYY-MM-DD [my day]"),
    ],
)
def test_a_name_that_moment_reads_is_written_in_the_tokens_known_here(
    written: str, name: str
) -> None:
    assert of_moment(written) == name
    assert values(found(daily={"folder": "D", "format": written}))["daily.format"] == name


def test_logseqs_journals_and_hidden_files_are_taken() -> None:
    edn = """; a comment with "quotes" and {brackets
    {:meta/version 1 :journals-directory "tage" :hidden ["/archived" "script" "../assets"]
     :journal/file-name-format "yyyy-MM-dd" ; and one here
     :macros {"a" "{{b \\"c\\"}}" :journals-directory "no"} :file/name-format :triple-lowbar
     :default-templates {:journals "Morning"} :feature/enable-journals? true}"""
    made = found(edn=edn)
    assert values(made) == {
        "daily.folder": "tage",
        "daily.heading": False,
        "index.exclude": ("/archived", "/script"),
    }
    assert [line for line in made.told if "'../assets' is still searched" in line]
    assert [line for line in made.told if "the journal template is a block" in line]


def test_logseq_without_settings_has_its_own_usual_names() -> None:
    assert values(found(edn="{}")) == {
        "daily.folder": "journals",
        "daily.format": "YYYY_MM_DD",
        "daily.heading": False,
    }


@pytest.mark.parametrize(
    "name", ["[Week] ww", "DD.MM.YYYY", "YYYY-MM-DD HH", 7, ["YYYY"], "../YYYY-MM-DD", "x" * 400]
)
def test_a_name_that_is_read_as_no_day_is_told_and_the_usual_one_used(name: Any) -> None:
    made = found(daily={"folder": "D", "format": name})
    assert values(made) == {"daily.folder": "D", "daily.heading": False}
    assert "new daily notes are named YYYY-MM-DD" in made.told[0]
    assert len(made.told) == 1


HOSTILE = [
    "../up",
    "a/../../b",
    "/etc",
    "C:\\x",
    ".git",
    "a/.git/hooks",
    ".",
    "~",
    "a\0b",
    "a\nb",
    "\ud800",
    5,
    ["x"],
    {},
    "x" * 5000,
]


@pytest.mark.parametrize("path", HOSTILE)
def test_a_path_that_leads_elsewhere_is_told_in_one_line_and_not_taken(path: Any) -> None:
    if path not in (".", {}):
        made = found(daily={"folder": path})
        assert (values(made), len(made.told)) == ({}, 1)
        made = found(templates={"folder": path})
        assert (values(made), len(made.told)) == ({}, 1)
    made = found(app={"userIgnoreFilters": [path]})
    assert made.taken == () or path in {
        ".git",
        "a/.git/hooks",
        "C:\\x",
    }  # which may well be left out of a search
    made = found(daily={"folder": "D", "template": path})
    assert "daily.template" not in values(made)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"null",
        b"[]",
        b"[" * 100_000,
        b'{"a":' * 50_000,
        b"\xff\xfe",
        b'{"folder": "x"',
        b"9" * 6000,
        b"{} x",
        b'"' + b"\\" * 99_999,
    ],
)
@pytest.mark.parametrize("name", [OBSIDIAN_DAILY, APP, TEMPLATES, PERIODIC])
def test_a_damaged_or_hostile_file_is_told_in_one_line(name: str, data: bytes) -> None:
    made = find_app_settings({name: data}, (), fine)
    assert made.taken == ()
    assert len(made.told) == 1
    assert made.told[0].startswith(f"{name}: not read, because it ")


@pytest.mark.parametrize(
    "text", ["{" * 200_000, '"' + '\\"' * 120_000, "}", ":a", '{:a "x', "[" * 9 + ")" * 99]
)
def test_a_damaged_file_of_logseqs_is_told_at_once(text: str) -> None:
    made = find_app_settings({LOGSEQ: text.encode()}, (), fine)
    assert (made.taken, len(made.told)) == ((), 1)


def test_what_ignores_the_daily_notes_or_is_too_much_is_still_searched() -> None:
    made = found(
        daily={"folder": "notes/daily"},
        app={"userIgnoreFilters": ["notes/", "notes/daily", "/x.*/", "old"]},
    )
    assert values(made)["index.exclude"] == ("/old*",)
    assert len(made.told) == 3
    assert (
        f"{APP}: '/x.*/' is still searched: it is a regular expression, which Aurelius does not read"
        in made.told
    )
    many = found(app={"userIgnoreFilters": [f"d{number}/" for number in range(100_000)]})
    assert len(values(many)["index.exclude"]) == 100
    assert len(many.told) == 1


def test_a_folder_where_no_note_may_be_written_is_told_and_not_taken() -> None:
    made = find_app_settings(
        {OBSIDIAN_DAILY: b'{"folder": "D"}'},
        ("log/2026-01-01.md",),
        lambda path: "a link" if path[0] == "D" else "",
    )
    assert values(made) == {"daily.folder": "log"}
    assert made.told == (f"{OBSIDIAN_DAILY}: daily notes are not written to D: a link",)


@pytest.mark.parametrize(
    ("notes", "expected"),
    [
        (("journal/2026-01-01.md",), {"daily.folder": "journal"}),
        (
            ("Days/2026_01_01.md", "Days/2026_01_02.md", "Days/2026_01_03.md", "a.md"),
            {"daily.folder": "Days", "daily.format": "YYYY_MM_DD"},
        ),
        (
            ("j/2026/01/2026-01-01.md", "j/2026/01/2026-01-02.md", "j/2025/12/2025-12-31.md"),
            {"daily.folder": "j", "daily.format": "YYYY/MM/YYYY-MM-DD"},
        ),
        (("2026-01-01.md", "2026-01-02.md", "2026-01-03.md"), {"daily.folder": "."}),
        (
            tuple(
                f"{folder}/2026-01-0{day}.md"
                for folder, days in (("journal", 3), ("reports/jobs", 8))
                for day in range(1, days + 1)
            ),
            {"daily.folder": "journal"},
        ),
        (("memory/2026-01-01.md",), {}),
        (("deep/memory/2026-01-01.md",), {}),
        (("meetings/2026-01-01.md",), {}),
    ],
)
def test_without_settings_the_daily_notes_that_are_there_decide(
    notes: tuple[str, ...], expected: dict[str, str]
) -> None:
    made = found(notes)
    assert (values(made), made.told) == (expected, ())


def dated(**folders: int) -> tuple[str, ...]:
    """Daily notes, so many in each folder; `__` stands for the / of its path."""
    return tuple(
        f"{folder.replace('__', '/')}/2026-01-{day:02}.md"
        for folder, days in folders.items()
        for day in range(1, days + 1)
    )


@pytest.mark.parametrize(
    ("notes", "folder"),
    [
        (dated(memory=3, content__news=20), "memory"),
        (dated(log=9, Diary=3), "Diary"),
        (dated(log=3, lessons=9), "log"),
        (dated(me__Journal=4, lessons=9), "me/Journal"),
        (dated(me__journal__daily=9, journal=4), "journal"),
        (dated(memory__job__daily=9, memory=4), "memory"),
        (dated(reports__priority=30, days=4), "days"),
        (dated(memory__reports__daily=30, work__daily=4), "work/daily"),
        (dated(reports__daily=30), "memory"),
        (dated(agents__eve__memory=30), "memory"),
        ((*dated(memory=1, lessons=30), "SOUL.md", "AGENTS.md"), "memory"),
        ((*dated(lessons=30), "MEMORY.md", "AGENTS.md"), "memory"),
        ((*dated(lessons=30), "AGENTS.md"), "lessons"),
    ],
)
def test_a_folder_called_after_days_is_chosen_before_what_programs_write_by_day(
    notes: tuple[str, ...], folder: str
) -> None:
    assert values(found(notes)).get("daily.folder", "memory") == folder


@pytest.mark.parametrize(
    ("notes", "told"),
    [
        (dated(journal=9, memory=5), "journal (9), but memory has 5"),
        (dated(memory=4, content__news=6), "memory (4), but content/news has 6"),
        (
            dated(memory=3, a=4, b=8, c=6, d=5),
            "memory (3), but b has 8, c has 6, d has 5 (4 folders in all)",
        ),
        (dated(memory=9, a=4), ""),
        (dated(journal=9, memory=3), ""),
        (dated(memory=3, reports__jobs=90), ""),
    ],
)
def test_folders_that_are_as_likely_are_told_with_the_command_that_chooses(
    notes: tuple[str, ...], told: str
) -> None:
    way = "to choose another folder: aurelius config set daily.folder FOLDER"
    assert found(notes).told == ((f"daily notes are taken to be in {told}; {way}",) if told else ())


@pytest.mark.parametrize(
    ("java", "moment"),
    [
        ("yyyy_MM_dd", "YYYY_MM_DD"),
        ("yyyy-MM-dd EEEE", "YYYY-MM-DD dddd"),
        ("EEE, yyyy/MM/dd", "ddd, YYYY/MM/DD"),
        ("'day' d", "[day] D"),
    ],
)
def test_a_format_of_logseq_in_moments_tokens(java: str, moment: str) -> None:
    assert of_logseq(java) == moment


@pytest.mark.parametrize(
    ("config", "page", "stem"),
    [
        (b"{:file/name-format :triple-lowbar}", "Thesis/Chapter 1?", "Thesis___Chapter 1%3F"),
        (b"{:meta/version 1}", "Thesis/Chapter 1", "Thesis%2FChapter 1"),
        (b"damaged", "Plain", "Plain"),
    ],
)
def test_a_page_of_logseq_and_the_name_of_its_file_lead_to_one_another(
    config: bytes, page: str, stem: str
) -> None:
    found = graph_of(config)
    assert (found.pages, found.stem(page), found.page(stem)) == ("pages", stem, page)
