"""The commands that keep a vault in order, as a person uses them: move, archive, rm, tidy, maintain, export; and those
about the age of facts.
"""

from __future__ import annotations

import datetime
import errno
import io
import json
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.__main__ import run_line
from aurelius.ageing import summarize as summaries
from aurelius.ageing import summary_text
from aurelius.ageing.summarize import SummaryRow
from aurelius.cli.commands import keep
from aurelius.cli.run import Context
from aurelius.writing.replace_file import Replacement

Aurelius = Callable[..., Any]
JOE = """\
# Joe

## Facts
- Lives in Rome (2026-01-01) ^rome01
- Likes green tea (2026-01-01)
- Likes green tea a lot, and always has (2026-01-01) ^tea002
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "people").mkdir()
    (root / "people" / "joe.md").write_text(JOE)
    (root / "a.md").write_text("# A\n\nSee [[people/joe]] and [[joe#^rome01]].\n")
    return root


def files(root: Path) -> dict[str, str]:
    return {
        path.relative_to(root).as_posix(): path.read_text() for path in sorted(root.rglob("*.md"))
    }


# -- move ------------------------------------------------------------------------------------------------


def test_a_note_moves_with_the_links_to_it(aurelius: Aurelius, root: Path) -> None:
    done = aurelius("move", "joe", "archives/old joe", cwd=root)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("people/joe.md → archives/old joe.md\nlinks repaired in a.md\n")
    assert files(root) == {
        "a.md": "# A\n\nSee [[archives/old joe]] and [[old joe#^rome01]].\n",
        "archives/old joe.md": JOE,
    }


def test_a_move_is_shown_before_it_is_made(aurelius: Aurelius, root: Path) -> None:
    before = files(root)
    done = aurelius("move", "joe", "archives/", "--dry-run", "--json", cwd=root)
    answer = json.loads(done.out)
    assert (answer["from"], answer["to"], answer["dry_run"]) == (
        "people/joe.md",
        "archives/joe.md",
        True,
    )
    assert files(root) == before


# -- archive ---------------------------------------------------------------------------------------------


def test_a_fact_or_a_note_is_put_away(aurelius: Aurelius, root: Path) -> None:
    done = aurelius("archive", "rome01", cwd=root)
    assert done.out.startswith("archived: archives/joe.md:7  Lives in Rome  [id:rome01]\n")
    assert "rome01" not in files(root)["people/joe.md"]
    done = aurelius("archive", "people/joe", cwd=root)
    assert done.code == 0
    assert "people/joe.md" not in files(root)


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        ([], "missing argument: ID or NOTE"),
        (["joe", "--when-over", "1MB"], "joe and --when-over cannot go together"),
    ],
)
def test_what_is_to_be_archived_is_one_thing(
    aurelius: Aurelius, root: Path, argv: list[str], told: str
) -> None:
    done = aurelius("archive", *argv, cwd=root)
    assert (done.code, done.out) == (2, "")
    assert told in done.err


def test_what_matters_least_is_put_away_where_the_notes_are_too_large(
    aurelius: Aurelius, root: Path
) -> None:
    done = aurelius("archive", "--when-over", "1MB", cwd=root)
    assert (done.code, done.out) == (0, "")
    assert "the limit is 1,000,000" in done.err
    assert aurelius("archive", "--when-over", "much", cwd=root).code == 2
    done = aurelius("archive", "--when-over", "10B", "--json", cwd=root)
    answer = json.loads(done.out)
    assert answer["limit"] == 10
    assert len(answer["archived"]) == 1
    assert "archives/joe.md" in files(root)


# -- tidy ------------------------------------------------------------------------------------------------


def test_tidy_shows_what_it_found_and_puts_it_in_order(aurelius: Aurelius, root: Path) -> None:
    (root / "people" / "ann.md").write_text("# Ann\n\n## Facts\n- Lives in Rome ^rome01\n")
    done = aurelius("doctor", "--tidy", cwd=root)
    assert done.code == 0
    assert done.out.count("rome01") == 1
    assert "changed people/" in done.out
    assert aurelius("doctor", "--tidy", "--check", cwd=root).code == 0


def test_a_check_tells_finds_something_by_its_exit_code_and_writes_nothing(
    aurelius: Aurelius, root: Path
) -> None:
    assert aurelius("doctor", "--tidy", "--check", cwd=root) == (
        0,
        "",
        "aurelius: nothing to tidy\n",
    )
    assert aurelius("doctor", "--tidy", "--check", "--json", cwd=root).err == ""
    (root / "people" / "ann.md").write_text("# Ann\n\n## Facts\n- Lives in Rome ^rome01\n")
    before = files(root)
    done = aurelius("doctor", "--tidy", "--check", cwd=root)
    assert done.code == 1
    assert done.out.startswith("people/")
    found = json.loads(aurelius("doctor", "--tidy", "--check", "--json", cwd=root).out)["found"]
    assert [each["code"] for each in found] == ["duplicate-id"]
    assert files(root) == before


def test_a_note_alone_is_tidied_and_every_fact_gets_an_id_where_that_is_asked_for(
    aurelius: Aurelius, root: Path
) -> None:
    done = aurelius("doctor", "--tidy", "joe", "--stamp", "--json", cwd=root)
    answer = json.loads(done.out)
    assert [(each["path"], each["line"], each["code"]) for each in answer["found"]] == [
        ("people/joe.md", 5, "no-id")
    ]
    assert files(root)["people/joe.md"].count("^") == 3


# -- maintain --------------------------------------------------------------------------------------------


def test_maintain_tells_what_time_did_and_writes_nothing(aurelius: Aurelius, root: Path) -> None:
    before = files(root)
    done = aurelius("status", "--ageing", cwd=root)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith("3 facts: 0 never age, 0 could be archived, ")
    short = len(done.out.splitlines())
    assert len(aurelius("status", "--ageing", "--all", cwd=root).out.splitlines()) == short + 3
    assert len(aurelius("status", "--ageing", "joe", cwd=root).out.splitlines()) == short + 3
    assert (
        len(json.loads(aurelius("status", "--ageing", "--all", "--json", cwd=root).out)["facts"])
        == 3
    )
    assert files(root) == before


# -- export ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        ([], "no format is given"),
        (["--json", "--md"], "--json and --md cannot go together"),
        (["--md", "--sqlite", "x.db"], "--md and --sqlite cannot go together"),
    ],
)
def test_facts_are_taken_along_in_exactly_one_form(
    aurelius: Aurelius, root: Path, argv: list[str], told: str
) -> None:
    done = aurelius("export", *argv, cwd=root)
    assert (done.code, done.out) == (2, "")
    assert told in done.err
    assert not (root / "x.db").exists()


def test_facts_are_taken_along_as_json_markdown_or_a_file(aurelius: Aurelius, root: Path) -> None:
    (root / "bad.md").write_text("# B\n\n## Facts\n- \x1b[2J steers\n")
    assert len(json.loads(aurelius("export", "--json", cwd=root).out)["facts"]) == 4
    text = aurelius("export", "--md", cwd=root).out
    assert "- Lives in Rome (2026-01-01) ^rome01\n" in text
    assert "\x1b" not in text
    done = aurelius("export", "--sqlite", "x.db", cwd=root / "people")
    assert (done.code, done.out) == (0, "wrote 4 facts to x.db\n")
    db = sqlite3.connect(root / "people" / "x.db")
    assert db.execute("SELECT count(*) FROM fact").fetchone() == (4,)
    db.close()
    assert aurelius("export", "--sqlite", "x.db", cwd=root / "people").code == 2


def test_a_vault_without_facts_is_taken_along_with_a_word(aurelius: Aurelius, root: Path) -> None:
    for file in root.glob("**/*.md"):
        file.write_text("# Nothing\n")
    assert aurelius("export", "--md", cwd=root) == (0, "", "aurelius: no facts to export\n")
    assert json.loads(aurelius("export", "--json", cwd=root).out)["facts"] == []


def test_one_fact_is_one_fact(aurelius: Aurelius, root: Path) -> None:
    (root / "people" / "joe.md").write_text("# Joe\n\n## Facts\n- Rows\n")
    assert aurelius("export", "--sqlite", "x.db", cwd=root).out == "wrote 1 fact to x.db\n"


# -- rm --------------------------------------------------------------------------------------------------


class Typed(io.StringIO):
    """What a person types, or sees, at a terminal."""

    def isatty(self) -> bool:
        return True


def removed(root: Path, env: dict[str, str], typed: str, *argv: str) -> tuple[int, str, str]:
    """What `aurelius rm` does for somebody at a terminal who types that."""
    out, err = Typed(), Typed()
    now = datetime.datetime(2026, 2, 10, 12)
    code = run_line(["rm", *argv], Context(str(root), env, True, Typed(typed), out, err, now))
    return code, out.getvalue(), err.getvalue()


def test_rm_asks_and_moves_the_note_to_the_archive(root: Path, env: dict[str, str]) -> None:
    code, out, err = removed(root, env, "y\n", "joe")
    assert code == 0
    assert err == (
        "aurelius: move people/joe.md to archives/joe.md, and repair the links in 1 other note? [y/N] "
        "aurelius: moved to the archive, not deleted; to bring it back: `aurelius undo`, "
        "and later `aurelius move archives/joe.md people/joe.md`\n"
    )
    assert out.startswith("people/joe.md → archives/joe.md\nlinks repaired in a.md\n")
    assert files(root) == {
        "a.md": "# A\n\nSee [[archives/joe]] and [[joe#^rome01]].\n",
        "archives/joe.md": JOE,
    }


@pytest.mark.parametrize("typed", ["n\n", "\n", "", "what\n"])
def test_rm_moves_nothing_without_a_yes(typed: str, root: Path, env: dict[str, str]) -> None:
    before = files(root)
    code, out, err = removed(root, env, typed, "joe")
    assert (code, out) == (1, "")
    assert err.endswith("aurelius: nothing was moved\n")
    assert files(root) == before


def test_rm_without_a_terminal_needs_yes(aurelius: Aurelius, root: Path) -> None:
    before = files(root)
    done = aurelius("rm", "joe", cwd=root)
    assert (done.code, done.out) == (2, "")
    assert "there is no terminal to ask in\nhint: --yes moves it without asking" in done.err
    assert files(root) == before
    assert aurelius("rm", "joe", "--yes", cwd=root).code == 0
    assert set(files(root)) == {"a.md", "archives/joe.md"}
    assert aurelius("undo", cwd=root).code == 0
    assert files(root) == before


def test_what_rm_says_brings_the_note_back(aurelius: Aurelius, root: Path) -> None:
    before = files(root)
    told = aurelius("rm", "joe", "--yes", cwd=root).err
    command = told.rpartition("`aurelius ")[2].partition("`")[0]
    assert aurelius(*command.split(), cwd=root).code == 0
    assert files(root) == before


def test_rm_shows_what_would_change_without_asking(aurelius: Aurelius, root: Path) -> None:
    before = files(root)
    done = aurelius("rm", "joe", "--dry-run", "--json", cwd=root)
    moved = {"id": None, "from": "people/joe.md", "to": "archives/joe.md"}
    assert (done.code, done.err, json.loads(done.out)["archived"]) == (0, "", [moved])
    assert files(root) == before


def test_rm_of_a_fact_is_its_archive(aurelius: Aurelius, root: Path, env: dict[str, str]) -> None:
    code, _, err = removed(root, env, "yes\n", "^tea002")
    assert code == 0
    assert err.startswith(
        "aurelius: move the fact ^tea002 of people/joe.md to archives/joe.md? [y/N] "
    )
    assert err.endswith(
        "aurelius: moved to the archive, not deleted; to bring it back: `aurelius undo`\n"
    )
    assert "^tea002" in files(root)["archives/joe.md"]
    assert "^tea002" not in files(root)["people/joe.md"]


def test_a_note_of_many_facts_is_told_in_part_and_whole_where_that_is_asked_for(
    aurelius: Aurelius, vault: Callable[[str], Path]
) -> None:
    there = vault("empty")
    facts = "".join(
        f"- Tried tea number {number} and liked its taste (2026-02-01)\n" for number in range(400)
    )
    (there / "teas.md").write_text(f"# Teas\n\n## Facts\n{facts}", "utf-8")
    short = aurelius("status", "--tiers", "teas", cwd=there).out.splitlines()
    assert len(short) < 300
    assert short[-1] == f"{402 - len(short) + 1} more lines: --all shows them"
    assert len(aurelius("status", "--tiers", "teas", "--all", cwd=there).out.splitlines()) == 402
    answer = json.loads(aurelius("status", "--tiers", "teas", "--json", cwd=there).out)
    assert answer["truncated"] == {"facts": 400 - len(answer["facts"])}
    assert (
        len(
            json.loads(aurelius("status", "--tiers", "teas", "--json", "--all", cwd=there).out)[
                "facts"
            ]
        )
        == 400
    )


def test_what_helped_comes_first_in_the_next_search_and_what_did_not_comes_last(
    aurelius: Aurelius, vault: Callable[[str], Path]
) -> None:
    there = vault("empty")
    for name in ("ada", "bob", "cem"):
        (there / f"{name}.md").write_text(
            f"# {name}\n\n## Facts\n- Repairs boats (2026-02-01) ^{name}01\n", "utf-8"
        )

    def order(*options: str) -> list[str]:
        done = aurelius("search", "who mends boats?", "--json", "--no-use", *options, cwd=there)
        return [hit["id"] for hit in json.loads(done.out)["hits"]]

    assert order() == ["ada01", "bob01", "cem01"]
    aurelius("reinforce", "cem01", cwd=there)
    aurelius("demote", "ada01", cwd=there)
    for options in (
        (),
        ("--mode", "keyword"),
        ("--mode", "vector"),
        ("--fusion", "rrf"),
        ("--fusion", "weighted"),
    ):
        assert order(*options) == ["cem01", "bob01", "ada01"], options


BRIEF = "# Joe\n\n## Summary\n\n## Facts\n\n- Lives in LA (2026-02-08) ^aaaaaa\n"
MINE = BRIEF.replace("## Summary\n", "## Summary\n\nMy words.\n")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "vault"
    (home / ".aurelius").mkdir(parents=True)
    (home / "people").mkdir()
    (home / "people" / "joe.md").write_text(BRIEF)
    return home


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["--take-over"], "--take-over needs a NOTE, or --all"),
        (["joe", "--all"], "cannot go together"),
    ],
)
def test_what_is_not_said_is_not_guessed(
    aurelius: Aurelius, home: Path, argv: list[str], message: str
) -> None:
    (home / "people" / "joe.md").write_text(MINE)
    done = aurelius("summarize", *argv, cwd=home)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert (home / "people" / "joe.md").read_text() == MINE


def test_a_dry_run_shows_the_summary_and_writes_nothing(aurelius: Aurelius, home: Path) -> None:
    done = aurelius("summarize", "joe", "--dry-run", cwd=home)
    assert done.code == 0
    assert "+Lives in LA." in done.out
    assert (home / "people" / "joe.md").read_text() == BRIEF
    assert not list((home / ".aurelius").rglob("*.jsonl"))


def test_json_names_every_summary_and_what_became_of_it(aurelius: Aurelius, home: Path) -> None:
    (home / "people" / "ann.md").write_text(MINE.replace("Joe", "Ann").replace("aaaaaa", "bbbbbb"))
    done = aurelius("summarize", "--json", cwd=home)
    answer = json.loads(done.out)
    assert done.err == ""
    became = {each["path"]: each["done"] for each in answer["summaries"]}
    assert (became["people/joe.md"], became["people/ann.md"]) == ("written", "kept")


def test_a_summary_that_a_person_typed_is_kept_and_it_is_said_how_to_replace_it(
    aurelius: Aurelius, home: Path
) -> None:
    (home / "people" / "joe.md").write_text(MINE)
    assert (
        aurelius("summarize", cwd=home).err
        == "aurelius: 1 note left unchanged: you wrote or changed its summary (--all lists it)\n"
    )
    why = "people/joe.md left unchanged: you wrote or changed it; to replace it: "
    for argv in (["joe"], ["--all"]):
        assert (
            why + "aurelius summarize --take-over people/joe.md"
            in aurelius("summarize", *argv, cwd=home).err
        )
    assert aurelius("summarize", "joe", "--take-over", cwd=home).out == "changed people/joe.md\n"
    assert "My words" not in (home / "people" / "joe.md").read_text()


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_what_the_disk_refuses_is_no_success(
    aurelius: Aurelius, home: Path, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    (home / "people" / "ann.md").write_text(BRIEF.replace("Joe", "Ann").replace("aaaaaa", "bbbbbb"))
    aurelius("summarize", cwd=home)
    for name in ("joe", "ann"):
        (home / "people" / f"{name}.md").write_text(
            BRIEF.replace("aaaaaa", f"{name}aa").replace("Joe", name)
        )

    def full(each: Replacement, *_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Replacement, "stage", full)
    done = aurelius("summarize", *form, cwd=home)
    assert done.code == 6
    assert "no changes needed" not in done.err
    if form:
        assert [row["done"] for row in json.loads(done.out)["summaries"]].count("refused") == 2
    else:
        assert done.err.count("not written: No space left") == 2


def told(*rows: SummaryRow, single: bool) -> list[str]:
    return list(keep._kept(rows, single=single))


def test_why_each_summary_is_kept_is_told_where_it_was_named() -> None:
    rows = (
        SummaryRow("a.md", "Summary", summaries.SUMMARY_KEPT),
        SummaryRow("b.md", "Summary", summaries.COLD),
        SummaryRow("c.md", "Summary", summaries.SUMMARY_EMPTY),
        SummaryRow("d.md", "Summary", summaries.SUMMARY_WRITTEN),
        SummaryRow("e.md", summary_text.NOW_HEADING, summaries.SUMMARY_EMPTY),
        SummaryRow("f.md", summary_text.NOW_HEADING, summaries.SUMMARY_KEPT),
    )
    lines = told(*rows, single=True)
    assert lines == [
        f"a.md left unchanged: {keep.WHY_SUMMARY_KEPT[summaries.SUMMARY_KEPT]} a.md",
        f"b.md left unchanged: {keep.WHY_SUMMARY_KEPT[summaries.COLD]}",
        f"c.md left unchanged: {keep.WHY_SUMMARY_KEPT[summaries.SUMMARY_EMPTY]}",
        f"e.md left unchanged: {keep.WHY_NO_SUMMARY}",
        f"f.md left unchanged: {keep.WHY_SUMMARY_KEPT[summaries.SUMMARY_KEPT]} f.md",
    ]


def test_what_is_kept_is_only_counted_where_none_was_named() -> None:
    kept, cold = (
        SummaryRow("a.md", "Summary", summaries.SUMMARY_KEPT),
        SummaryRow("b.md", "Summary", summaries.COLD),
    )
    assert told(kept, kept, cold, single=False) == [
        "2 notes left unchanged: you wrote or changed their summaries (--all lists them)",
        "1 note left unchanged: all its facts are cold (--all lists it)",
    ]
    assert told(SummaryRow("a.md", "Summary", summaries.SUMMARY_WRITTEN), single=False) == []


def test_refusals_are_told_one_by_one_or_the_first_few_and_how_many() -> None:
    rows = [
        SummaryRow(f"{n}.md", "Summary", summaries.SUMMARY_REFUSED, f"why {n}") for n in range(5)
    ]
    assert told(*rows, single=True) == [f"why {n}" for n in range(5)]
    assert told(*rows, single=False) == ["why 0", "why 1", "why 2", "2 more could not be written"]
