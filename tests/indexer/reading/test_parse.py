"""The whole way from bytes to a Note: never raises, and what it says is true."""

from __future__ import annotations

import functools
import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indexer.note import NOTE_KINDS, TYPES, Note
from indexer.reading import front_matter
from indexer.reading.parse import parse
from tests.daily import daily

ROOT = Path(__file__).resolve().parents[3]
PATHS = ("people/joe.md", "memory/2026-02-01.md", "notes/x.md", "MEMORY.md", "_index.md")


def note(text: str, path: str = "people/joe.md") -> Note:
    return parse(path, text.encode())


def codes(made: Note) -> list[str]:
    return [problem.code for problem in made.problems]


def heading_lines(made: Note) -> set[int]:
    """Lines from each section's heading to its first unit or to its end."""
    covered: set[int] = set()
    for section in made.sections:
        if section.level:
            covered |= set(
                range(section.first, section.units[0].first if section.units else section.last + 1)
            )
    return covered


def check(made: Note) -> None:
    """Everything that must hold of any note."""
    last = len(made.lines)
    front = front_matter.read_front_matter(made.lines)
    covered: list[int] = []
    for section in made.sections:
        assert 1 <= section.first <= section.last <= last
        for unit in section.units:
            assert section.first <= unit.first <= unit.last <= section.last
            assert unit.status in {"active", "superseded", "proposed"}
            covered += range(unit.first, unit.last + 1)
    assert covered == sorted(set(covered))
    text = {number for number, line in enumerate(made.shown, 1) if line.strip()}
    seen = (
        set(covered)
        | heading_lines(made)
        | (set() if front.broken else set(range(1, front.lines + 1)))
    )
    assert text <= seen
    assert [section.first for section in made.sections] == sorted(
        {section.first for section in made.sections}
    )
    for fact in made.facts:
        assert 1 <= fact.first <= fact.last <= last
        assert fact.text == " ".join(fact.text.split()) != ""
        assert fact.type in TYPES
        assert fact.status in {"active", "superseded", "proposed"}
        assert 0 <= fact.scope <= 1
    assert len({fact.key for fact in made.facts}) == len(made.facts)
    assert all(1 <= link.line <= last for link in made.links)
    assert all(link.target or link.heading or link.block for link in made.links)
    assert all(0 <= tag.line <= last and tag.name for tag in made.tags)
    assert all(1 <= task.line <= last for task in made.tasks)
    assert all(1 <= block.first <= block.last <= last for block in made.blocks)
    assert all(1 <= problem.line <= max(last, 1) and problem.message for problem in made.problems)
    assert made.kind in NOTE_KINDS
    assert made.title
    json.dumps(made.front_matter, allow_nan=False)
    assert not any("\n" in line or "\r" in line or "\x00" in line for line in made.lines)


def test_a_note_from_end_to_end() -> None:
    made = note(
        "\ufeff---\r\ntitle: Joe B.\r\naliases: Joe, J. Bloggs\r\ntags: friend tennis\r\ncreated: 2025-01-02\r\n"
        "updated: 2026-02-01\r\nprivate: true\r\n---\r\n# Joe\r\n\r\nSee [[people/ann]] #met\r\n\r\n- [ ] call ^abc\r\n"
    )
    check(made)
    assert (made.path, made.kind, made.title, made.date, made.updated) == (
        "people/joe.md",
        "person",
        "Joe B.",
        "2025-01-02",
        "2026-02-01",
    )
    assert made.aliases == ("Joe", "J. Bloggs")
    assert [tuple(tag) for tag in made.tags] == [("friend", 0), ("tennis", 0), ("met", 11)]
    assert made.private
    assert made.lines[0] == "---"
    assert [(link.target, link.line) for link in made.links] == [("people/ann", 11)]
    assert [(task.text, task.line) for task in made.tasks] == [("call ^abc", 13)]
    assert [tuple(block) for block in made.blocks] == [("abc", 13, 13)]
    assert made.problems == ()


@pytest.mark.parametrize(
    ("text", "path", "kind"),
    [
        ("---\ntype: company\n---\n", "people/x.md", "company"),
        ("**Type:** Person\n", "notes/x.md", "person"),
        ("# X\n\n**Category:** Area\n", "notes/x.md", "area"),
        ("---\ntype: book\n---\n", "projects/x.md", "project"),
        ("---\ntype: [a]\ncategory: 3\n---\n", "projects/x.md", "project"),
        ("---\ntype: daily\ndate: 2026-02-01\n---\n", "x.md", "daily"),
        ("", "memory/2026-02-01.md", "daily"),
        ("", "MEMORY.md", "memory"),
        ("", "x.md", "note"),
    ],
)
def test_kind_is_what_the_note_says_else_where_it_lies(text: str, path: str, kind: str) -> None:
    assert note(text, path).kind == kind


def test_the_daily_folder_is_an_argument() -> None:
    assert parse("days/2026-02-01-x.md", b"- a").kind == "note"
    made = parse("days/2026-02-01-x.md", b"- a", daily_folder="days")
    assert (made.kind, made.date, made.title, made.facts[0].dated) == (
        "daily",
        "2026-02-01",
        "2026-02-01 x",
        "name",
    )


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("---\ntitle: T\n---\n# H", "T"),
        ("---\ntitle: 2026\n---\n# H", "2026"),
        ("---\ntitle: [a]\n---\n# H", "H"),
        ("---\ntitle: ''\n---\n", "Joe Bloggs"),
        ("\n<!-- a note -->\n\n# One\n**Type:** Person", "One"),
        ("## Two\n# One", "Joe Bloggs"),
        ("Said first.\n\n# Todo", "Joe Bloggs"),
        ("- # One", "Joe Bloggs"),
        ("One\n===", "One"),
        ("> # Quoted", "Joe Bloggs"),
        ("#", "Joe Bloggs"),
        ("", "Joe Bloggs"),
    ],
)
def test_the_title_is_from_the_front_matter_or_the_heading_the_text_begins_with(
    text: str, title: str
) -> None:
    assert note(text, "people/joe-bloggs.md").title == title


@pytest.mark.parametrize(
    ("heading", "path", "title"),
    [
        ("April 17", "References/Carl Hjalmarsson.md", "Carl Hjalmarsson"),
        ("Mon, 17.04.2023", "people/joe-bloggs.md", "Joe Bloggs"),
        ("March 2026", "budget.md", "Budget"),
        ("1984", "books/orwell.md", "1984"),
        ("Catch 22", "books/heller.md", "Catch 22"),
        ("May", "people/may-parker.md", "May"),
        ("March 2026", "2026-03.md", "March 2026"),
    ],
)
def test_a_heading_that_is_only_a_day_is_no_title(heading: str, path: str, title: str) -> None:
    assert note(f"# {heading}\n\nText\n", path).title == title


def test_a_title_without_end_is_cut_as_a_heading_is() -> None:
    """It stands in every chunk: a note of a thousand would hold it a thousand times."""
    assert note(f"---\ntitle: {'ab ' * 10_000}\n---\n# H").title == ("ab " * 334)[:1000].rstrip()
    assert note(f"---\ntitle: {'a' * 1000}\n---\n# H").title == "a" * 1000


@pytest.mark.parametrize("value", ["true", "True", "yes", "'true'"])
def test_private_however_it_is_said(value: str) -> None:
    assert note(f"---\nprivate: {value}\n---\n").private
    assert note(f"---\nprivate: {value}\nbad: a: b\n---\n").private
    assert note(f"---\nprivate: {value}\n").private
    assert not note("---\nprivate: false\n---\n").private
    assert not note("private: true").private


def test_the_day_in_a_daily_notes_name_goes_before_that_of_the_front_matter() -> None:
    assert parse("memory/2026-02-01.md", b"---\ndate: 2025-01-01\n---\n").date == "2026-02-01"


def test_front_matter_goes_before_the_bold_header() -> None:
    assert parse("a.md", b"---\ntype: person\n---\n**Type:** Company\n").kind == "person"


def test_of_many_repeated_ids_twenty_are_told() -> None:
    text = "## Facts\n" + "- x (2026-01-01) ^abc123\n" * 30
    assert len(parse("people/joe.md", text.encode()).problems) == 20


def test_tags_of_the_front_matter() -> None:
    for text in (
        "tags: [a, b/c]",
        "tags: a, b/c",
        "tags: a b/c",
        "tags:\n  - '#a'\n  - b/c",
        "tag: a b/c",
        "keywords: [a, b/c]",
        "keywords: a, b/c",
        "tags: a\nKeywords: [b/c, a]",
    ):
        assert [tuple(tag) for tag in note(f"---\n{text}\n---\n").tags] == [("a", 0), ("b/c", 0)]


def test_bold_header_values_are_front_matter_too() -> None:
    made = note("# Joe\n\n**Type:** Person\n**Last Updated:** 2026-02-01\n")
    assert made.front_matter == {"type": "Person", "last_updated": "2026-02-01"}
    assert made.updated == "2026-02-01"
    assert made.sections[0].units[0][:2] == (3, 4)


HOSTILE = {
    "one line": b"x" * 10_000_000,
    "one line of words": b"word " * 2_000_000,
    "brackets": b"[" * 1_000_000,
    "wikilinks open": b"[[a" * 400_000,
    "links open": b"](" * 400_000,
    "many links": b"[a](b)" * 100_000,
    "quotes": b">" * 500_000,
    "deep quotes": (b"> " * 50 + b"x\n") * 5_000,
    "deep bullets": (b"- " * 40 + b"x\n") * 5_000,
    "deeper and deeper": b"".join(b"  " * n + b"- x\n" for n in range(800)),
    "wide table": b"|a" * 100_000 + b"\n" + b"|-" * 100_000 + b"\n",
    "ragged table": b"|a|b|c|\n|-|-|-|\n" + b"|\n" * 50_000,
    "backticks": b"".join(b"`" * n + b" " for n in range(1, 1_000)),
    "stars": b"*" * 1_000_000,
    "headings": b"# a\n" * 50_000,
    "underlines": b"a\n-\n" * 50_000,
    "tags": b" #a" * 300_000,
    "definitions": b"[a\n" * 100_000,
    "comments": b"<!--" * 200_000,
    "opened comments": b"a <!-- b\n\n" * daily(20_000, 100_000),
    "closed comments": b"a %% b %% <!-- c -->\n\n" * daily(10_000, 50_000),
    "wide comments": b"a %% b\n\n<!-- c %%\n" * 20_000,
    "percents": b"a%% " * daily(50_000, 250_000),
    "dollars": b"$a $$ b\n\n" * daily(20_000, 100_000),
    "formulas": b"$$\n- a\n```\n$$\n\n" * daily(10_000, 50_000),
    "html": b"<a b='" * 100_000,
    "parentheses": b"- " + b"(2026-01-01" * 50_000 + b")" * 50_000,
    "facts": b"- a (2026-01-01, pinned, from [[b]]) ^abc\n" * 5_000,
    "carets": b"x ^a\n" * 50_000,
    "tasks": b"- [ ] a due:\n" * 20_000,
    "carriage returns": b"\r" * 500_000,
    "paragraph separators": "\u2029".encode() * 300_000,
    "latin": bytes(range(128, 256)) * 4_000,
    "nul": b"a\x00" * 300_000,
    "noise": random.Random(1).randbytes(500_000),
    "odd utf-16": b"\xff\xfe\x00",
    "front matter open": b"---\n" + b"a: b\n" * 100_000,
    "front matter bomb": b"---\na: " + b"[" * 60_000 + b"\n---\nx",
    "conflicts": b"<<<<<<< a\n=======\n>>>>>>> b\n" * 5_000,
    "entities": b"# " + b"&amp;" * 100_000,
}


@functools.cache
def hostile(name: str) -> Note:
    return parse("people/joe.md", HOSTILE[name])


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_note_is_read_without_an_error(name: str) -> None:
    check(hostile(name))
    tenth = max(len(HOSTILE[name]) // 10, 1000)
    check(parse("notes/x.md", HOSTILE[name][:tenth]))  # what its path changes shows in any length


def test_hostile_notes_are_told() -> None:
    told = {name: set(codes(hostile(name))) for name in HOSTILE}
    assert told["one line"] == {"size"}
    assert told["many links"] == {"size"}
    assert told["deep quotes"] == told["deep bullets"] == told["deeper and deeper"] == {"structure"}
    assert told["front matter open"] == told["front matter bomb"] == {"front-matter"}
    assert told["conflicts"] == {"conflict"}
    assert told["noise"] == {"binary"}
    assert told["facts"] == {"duplicate-id"}
    assert told["latin"] == {"encoding"}


@settings(max_examples=daily(120, 300))
@given(st.binary(max_size=400), st.sampled_from(PATHS))
def test_any_bytes_are_read_without_an_error(data: bytes, path: str) -> None:
    check(parse(path, data))


PIECES = (
    "---\n",
    "---\n---\n",
    "type: person\n",
    "private: true\n",
    "tags: [a]\n",
    "# T\n",
    "## Facts\n",
    "## History\n",
    "## Captured\n",
    "## Summary\n",
    "- a",
    "- [ ] b",
    "* c",
    "1. d",
    "  - e",
    "\t- f",
    "> g",
    "\n",
    "\n\n",
    "\r\n",
    "\r",
    "`",
    "```\n",
    "[[x]]",
    "[[x|y",
    "](z.md)",
    "[q](z.md#h)",
    "![[w#^b]]",
    "#tag",
    " ^id1",
    "~~",
    "(2026-02-01)",
    "(2026-02-01, pinned",
    ", because x)",
    "<<<<<<< a\n",
    "=======\n",
    ">>>>>>> b\n",
    "| a | b |\n|---|---|\n",
    "<div>\n",
    "<!-- ",
    "-->",
    "[r]: x.md\n",
    "\\",
    "TODO x",
    "📅 2026-02-05",
    "é",
    "東京",
    "\u2028",
    "\x00",
    "\x0c",
    "\xa0",
    "\ud7ff",
    "**Type:** Person\n",
    "alias:: a\n",
    "    ",
    "word " * 60,
)


@settings(max_examples=daily(200, 500))
@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.sampled_from(PATHS))
def test_any_markdown_is_read_without_an_error(text: str, path: str) -> None:
    check(note(text, path))


@settings(max_examples=daily(80, 200))
@given(st.text(max_size=200), st.sampled_from(PATHS))
def test_any_text_in_any_encoding(text: str, path: str) -> None:
    for codec in ("utf-8", "utf-16", "cp1252"):
        check(parse(path, text.encode(codec, "replace" if codec != "utf-8" else "surrogatepass")))


@settings(max_examples=daily(80, 200))
@given(st.lists(st.sampled_from(PIECES), max_size=20).map("".join), st.sampled_from(PATHS))
def test_the_same_bytes_give_the_same_note(text: str, path: str) -> None:
    data = text.encode()
    assert parse(path, data) == parse(path, data)
    lines = parse(path, data).lines
    again = parse(path, "\r\n".join(lines).encode() + b"\r\n")
    assert parse(path, "\n".join(lines).encode() + b"\n")._replace(problems=()) == again._replace(
        problems=()
    )


def test_every_note_of_the_project() -> None:
    paths = [
        path
        for path in ROOT.rglob("*.md")
        if not {".venv", ".git", "node_modules"} & set(path.parts)
    ]
    assert len(paths) > 50
    for path in paths:
        check(parse(path.relative_to(ROOT).as_posix(), path.read_bytes()))


@pytest.mark.parametrize(
    ("value", "private"),
    [
        ("true", True),
        ("yes", True),
        ("1", True),
        ("maybe", True),
        ("'TRUE'", True),
        ("on", True),
        ("2026-01-01", True),
        ("false", False),
        ("no", False),
        ("0", False),
        ("", False),
        ("null", False),
        ("off", False),
    ],
)
def test_in_doubt_a_note_is_private(value: str, private: bool) -> None:
    assert parse("a.md", f"---\nprivate: {value}\n---\nx\n".encode()).private is private


HISTORY = "# J\n## Facts\n- Lives in LA (2026-02-01)\n- Sails (2027-01-01, plan)\n## History\n"


@pytest.mark.parametrize(
    ("lines", "active"),
    [
        ("- new (2026-05-04)", ["new"]),
        ("- same day (2026-02-01)", ["same day"]),
        ("- older (2026-01-31)", []),
        ("- ended (2026-05-04 → 2026-05-05)", []),
        ("- ended (2026-05-04 → now)", []),
        ("- replaced (2026-05-04, superseded by ^abcdef)", []),
        ("- ~~struck~~ (2026-05-04)", []),
        ("- no date", []),
        ("- ~~a~~ (2025-01-01 → 2026-05-05)\n- moved here by hand (2026-05-04)", []),
        ("- first (2026-05-04)\n- second (2026-05-28)", ["first", "second"]),
        ("- second (2026-05-28)\n- first (2026-05-04)", ["second"]),
    ],
)
def test_a_line_appended_below_history_is_a_fact_where_it_is_the_newest(
    lines: str, active: list[str]
) -> None:
    made = parse("people/joe.md", (HISTORY + lines).encode())
    assert [fact.text for fact in made.facts[2:] if fact.status == "active"] == active
    told = [problem.message for problem in made.problems if problem.code == "history-line"]
    assert told == [
        f"under ## History, but not struck, so it counts as true: {text}" for text in active
    ]


def test_a_daily_note_named_by_its_day_alone_is_called_so_whatever_heading_it_begins_with() -> None:
    assert parse("memory/2026-02-03.md", b"# Todo\n\n- buy tar\n").title == "2026-02-03"
    assert (
        parse("memory/2026-02-03-standup.md", b"# Standup of the crew\n").title
        == "Standup of the crew"
    )
    assert parse("memory/2026-02-03.md", b"---\ntitle: Ferry day\n---\n").title == "Ferry day"
