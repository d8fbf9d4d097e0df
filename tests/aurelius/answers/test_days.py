"""What happened, by day: on Tuesday, 2026-02-10, in vaults of several kinds."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.answers.days import LineOfDay, note_statements, span_of_words
from indexer.errors import UsageError

Aurelius = Callable[..., Any]
TODAY = "2026-02-10"

NOTES = {
    "memory/2026-02-09.md": (
        "# 2026-02-09\n\n- called the plumber\n- [ ] pay him 📅 2026-02-12\n- sowed peas (2026-02-09)\n"
    ),
    "memory/2026-02-09-boat.md": "## Mast\n- sanded it\n",
    "memory/2026-02-05.md": "---\nprivate: true\n---\n- saw the zanzibar doctor\n",
    "memory/2025-02-10.md": "- snow\n",
    "memory/2024-02-10.md": "- rain\n",
    "people/joe.md": "# Joe\n\n## Facts\n- Lives in Porto (2026-02-09)\n- Sails\n\n"
    "## History\n- ~~Lives in Rome~~ (2026-02-08)\n",
    "notes/reading.md": "---\ncreated: 2026-02-06\n---\n# What I read\ntext\n",
    "conversations/2026-02-09.md": "- said zanzibar\n",
    "todo.md": "- [x] post the letter ✅ 2026-02-07\n- [ ] call home 📅 2026-02-08\n- [ ] some day\n",
}


def vault_of(root: Path, notes: dict[str, str]) -> Path:
    (root / ".aurelius").mkdir(parents=True)
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    return root


@pytest.fixture
def there(tmp_path: Path) -> Path:
    return vault_of(tmp_path / "vault", NOTES)


def test_the_last_seven_days_are_told_from_notes_facts_pages_and_tasks(
    aurelius: Aurelius, there: Path
) -> None:
    done = aurelius("days", cwd=there)
    assert (done.code, done.err) == (0, "")
    assert done.out == (
        "2026-02-04 to 2026-02-10: 4 of 7 days\n"
        "\n2026-02-09 Monday\n"
        "  memory/2026-02-09.md\n"
        "    :3  called the plumber\n"
        "    :4  [ ] pay him 📅 2026-02-12\n"
        "    :5  sowed peas (2026-02-09)\n"
        "  memory/2026-02-09-boat.md\n"
        "    Mast\n"
        "    :2  sanded it\n"
        "  facts:\n"
        "    people/joe.md:4  Lives in Porto\n"
        "\n2026-02-08 Sunday\n"
        "  facts:\n"
        "    people/joe.md:8  Lives in Rome (superseded)\n"
        "  tasks:\n"
        "    todo.md:2  [ ] call home 📅 2026-02-08  (overdue)\n"
        "\n2026-02-07 Saturday\n"
        "  tasks:\n"
        "    todo.md:1  [x] post the letter ✅ 2026-02-07\n"
        "\n2026-02-06 Friday\n"
        "  notes:\n"
        "    notes/reading.md  What I read\n"
    )


@pytest.mark.parametrize(
    ("words", "dates"),
    [
        (["last", "week"], ["2026-02-08", "2026-02-07", "2026-02-06"]),
        (["yesterday"], ["2026-02-09"]),
        (["--since", "2026-02-08"], ["2026-02-09", "2026-02-08"]),
        (["--until", "2026-02-07"], ["2026-02-07", "2026-02-06"]),
        (["--on", "2026-02-12"], ["2026-02-12"]),
        (["2025..2026-01"], ["2025-02-10"]),
        (["--on-this-day"], ["2025-02-10", "2024-02-10"]),
        (["--on-this-day", "9 february"], ["2026-02-09"]),
        (["--since", "2026-02-01", "--private", "--offset", "4"], ["2026-02-05"]),
        (["next", "month"], []),
    ],
)
def test_the_days_of_a_span_or_of_every_year_come_newest_first(
    words: list[str], dates: list[str], aurelius: Aurelius, there: Path
) -> None:
    told = json.loads(aurelius("days", *words, "--json", cwd=there).out)
    assert [day["date"] for day in told["days"]] == dates


def test_days_without_anything_say_which_day_before_has_something(
    aurelius: Aurelius, there: Path
) -> None:
    done = aurelius("days", "2026-02-03", cwd=there)
    assert (done.code, done.out) == (0, "")
    assert (
        done.err
        == "aurelius: nothing on 2026-02-03 in 8 notes; the last day before: `aurelius days 2025-02-10`\n"
    )
    assert "from 2023-01-01 to 2023-12-31 in" in aurelius("days", "2023", cwd=there).err
    assert "on 03-01 of any year" in aurelius("days", "1 march", "--on-this-day", cwd=there).err


def test_a_private_day_and_conversations_are_told_only_where_they_are_asked_for(
    aurelius: Aurelius, there: Path
) -> None:
    for words in (
        ["2000.."],
        ["2000..", "--json"],
        ["--on-this-day", "5 feb"],
        ["2026-02-05"],
        ["--all", "2026"],
    ):
        done = aurelius("days", *words, cwd=there)
        assert "zanzibar" not in done.out + done.err
        assert "2026-02-05.md" not in done.out
    assert "saw the zanzibar doctor" in aurelius("days", "2026-02-05", "--private", cwd=there).out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["foo"], "'foo' is not a date"),
        (["2026-02-30"], "'2026-02-30' is not a date"),
        (["2026..2025"], "ends before it begins"),
        ([""], "RANGE is empty"),
        (["today", "--since", "yesterday"], "'today' cannot go with --since, --until or --on"),
        (["--on", "today", "--since", "yesterday"], "--on cannot go with"),
        (
            ["--on-this-day", "last week"],
            "--on-this-day needs a single day; 'last week' covers several",
        ),
        (["--on-this-day", "--until", "today"], "--on-this-day cannot go with"),
        (["--since", "2026-02-03", "--until", "2026-02-01"], "--since 2026-02-03 is later than"),
        (["-n", "0"], "0 is less than 1"),
        (["--all", "-n", "2"], "--all and --limit cannot go together"),
    ],
)
def test_what_names_no_days_is_refused_in_one_sentence(
    words: list[str], told: str, aurelius: Aurelius, there: Path
) -> None:
    done = aurelius("days", *words, cwd=there)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_a_long_day_is_told_by_its_outermost_lines_and_how_many_more_there_are(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    text = (
        "".join(f"- thing {n}\n\t- detail {n}\n" for n in range(10)) + "- [ ] due 📅 2026-02-08\n"
    )
    pages = {f"n{n}.md": "---\ncreated: 2026-02-09\n---\nx\n" for n in range(11)}
    root = vault_of(tmp_path / "vault", {"journals/2026_02_09.md": text, **pages})
    out = aurelius("days", "yesterday", cwd=root).out
    assert "detail" not in out
    assert "    :15  thing 7\n    13 more: `aurelius get journals/2026_02_09.md`\n" in out
    assert "    3 more: --all\n" in out
    whole = aurelius("days", "yesterday", "--all", cwd=root).out
    assert "detail 9" in whole
    assert "more" not in whole
    told = json.loads(aurelius("days", "yesterday", "--json", cwd=root).out)["days"][0]
    assert (len(told["notes"][0]["lines"]), told["notes"][0]["more"], told["more"]) == (
        8,
        13,
        {"pages": 3},
    )


def test_a_year_of_days_costs_no_more_than_any_list(aurelius: Aurelius, tmp_path: Path) -> None:
    days = {
        f"2025-{month:02}-{day:02}.md": "- words of a day\n" * 9
        for month in range(1, 13)
        for day in range(1, 29)
    }
    root = vault_of(tmp_path / "vault", days)
    for form in ([], ["--json"]):
        out = aurelius("days", "2025", *form, cwd=root).out
        assert len(out) < 16_000
    assert len(aurelius("days", "2025", "--budget", "300", cwd=root).out) < 1_200
    told = json.loads(aurelius("days", "2025", "--json", cwd=root).out)
    assert told["total"] == 336
    assert told["truncated"] == 336 - len(told["days"])
    assert "more: " in aurelius("days", "2025", "-n", "3", cwd=root).out


def test_a_journal_of_logseq_and_a_folder_of_its_own_are_days_too(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    root = vault_of(
        tmp_path / "vault",
        {
            ".aurelius/config.toml": '[daily]\nfolder = "02-areas/jurnal"\n',
            "journals/2026_02_09.md": "- DONE water the [[lemon tree]]\n  id:: 6369999b-a000-47e0-ae5d-430947bcde8d\n"
            "- {{query (todo)}}\n- ((6369999b-a000-47e0-ae5d-430947bcde8d))\n",
            "02-areas/jurnal/2026-02-08 Sunday.md": "rested\n\n![[Daily.base]]\n\n```dataview\nLIST\n```\n",
            "archives/journal/2026-02-07.md": "- packed\n",
        },
    )
    assert aurelius("days", cwd=root).out.splitlines()[1:] == [
        "",
        "2026-02-09 Monday",
        "  journals/2026_02_09.md",
        "    :1  DONE water the [[lemon tree]]",
        "",
        "2026-02-08 Sunday",
        "  02-areas/jurnal/2026-02-08 Sunday.md",
        "    :1  rested",
        "",
        "2026-02-07 Saturday",
        "  archives/journal/2026-02-07.md",
        "    :1  packed",
    ]


def test_nothing_in_a_note_steers_the_terminal(aurelius: Aurelius, tmp_path: Path) -> None:
    root = vault_of(tmp_path / "vault", {"2026-02-09.md": "## a\x1b[31m\n- b\x1b[31mc\u202e\n"})
    for form in ([], ["--json"]):
        out = aurelius("days", *form, cwd=root).out
        assert "\x1b" not in out
        assert "\u202e" not in out


def test_what_a_list_item_is_nested_under_ends_with_its_list_and_heading() -> None:
    text = "Bring:\n- tent\n\t- pegs\n- stove\n\nLater.\n- map\n\n## Log\n- rain"
    above = {each.text: each.above for each in note_statements(text.split("\n"))}
    assert above["pegs"] == ("Bring:", "tent")
    assert above["stove"] == ("Bring:",)
    assert above["map"] == ()
    assert above["rain"] == ()


def test_a_line_of_a_note_is_a_bullet_or_a_paragraph_under_its_heading() -> None:
    text = (
        "---\ntags: [a]\n---\n# Title\n\nwrapped\nwords\n\n## Log\n1. one\n   - two\n     three\n> quoted\n\n"
        "| a | b |\n|---|---|\n| 1 | 2 |\n\n```sh\nls\npwd\n```\n\n---\n"
    )
    assert list(note_statements(text.split("\n"))) == [
        LineOfDay(6, "wrapped words", "", 0),
        LineOfDay(10, "one", "Log", 1),
        LineOfDay(11, "two three", "Log", 2, False, ("one",)),
        LineOfDay(13, "quoted", "Log", 1, True),
        LineOfDay(15, "| a | b |", "Log", 0, True),
        LineOfDay(20, "ls", "Log", 0, True),
    ]


def test_without_words_the_last_seven_days_are_meant() -> None:
    assert span_of_words((), None, None, TODAY, yearly=False) == ("2026-02-04", TODAY)
    assert span_of_words((), None, "2026-01-07", TODAY, yearly=False) == (
        "2026-01-01",
        "2026-01-07",
    )
    assert span_of_words((), "2026-01-07", None, TODAY, yearly=False) == ("2026-01-07", TODAY)
    assert span_of_words((), "2026-03-01", None, TODAY, yearly=False) == (
        "2026-03-01",
        "2026-03-01",
    )
    assert span_of_words((), None, "0001-01-01", TODAY, yearly=False) == (
        "0001-01-01",
        "0001-01-01",
    )
    assert span_of_words(("this", "week"), None, None, TODAY, yearly=False) == (
        "2026-02-09",
        "2026-02-15",
    )
    with pytest.raises(UsageError):
        span_of_words(("x",), None, None, TODAY, yearly=True)


def test_a_week_in_a_new_vault_is_told_day_by_day_as_it_went(
    aurelius: Aurelius, vault: Callable[[str], Path]
) -> None:
    """What a person wrote, learned, planned and did, from Monday to Sunday, without a setting or a mark."""
    there = vault("template")

    def on(day: str, *words: str) -> str:
        done = aurelius(*words, "--now", f"2026-03-{day}T18:00", cwd=there)
        assert done.code == 0, done.err
        return str(done.out)

    on("02", "note", "Called the plumber about the leak")
    on("02", "note", "- [ ] Pay the plumber 📅 2026-03-06")
    on("03", "add", "sarah", "Moved to Porto")
    on("03", "note", "Lunch with [[people/sarah]]")
    on("05", "new", "project", "Boat repair")
    on("05", "add", "boat-repair", "Needs a new mast")
    assert on("06", "tasks", "--open", "--due", "today").count("Pay the plumber") == 1
    on("06", "tasks", "done", "monday:4")
    on("08", "note", "Sanded the mast all day")
    told = on("09", "days", "last week")
    assert told.startswith("2026-03-02 to 2026-03-08: 5 of 7 days\n\n2026-03-08 Sunday\n")
    days = {part.split(" ")[0]: part for part in told.split("\n\n")[1:]}
    assert [*days] == ["2026-03-08", "2026-03-06", "2026-03-05", "2026-03-03", "2026-03-02"]
    assert "memory/2026-03-08.md\n    :3  Sanded the mast all day" in days["2026-03-08"]
    assert "[x] Pay the plumber 📅 2026-03-06 ✅ 2026-03-06" in days["2026-03-06"]
    assert "overdue" not in told
    assert "Needs a new mast" in days["2026-03-05"]
    assert "Lunch with [[people/sarah]]" in days["2026-03-03"]
    assert "  facts:\n    people/sarah.md:" in days["2026-03-03"]
    assert "Called the plumber about the leak" in days["2026-03-02"]
    first = on("09", "search", "what did I do last week?", "--format", "{path}").splitlines()[0]
    assert first == "memory/2026-03-08.md"
    assert on("09", "get", "yesterday:3") == "- Sanded the mast all day\n"
    assert "Sanded the mast" in on("09", "search", "what did I do yesterday")
    assert (
        aurelius("days", "--on-this-day", "--now", "2027-03-08", cwd=there).out.count("Sanded") == 1
    )
