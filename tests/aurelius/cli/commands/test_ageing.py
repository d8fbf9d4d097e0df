"""The commands about the age of facts."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.ageing import summarize as summaries
from aurelius.ageing import summary_text
from aurelius.ageing.summarize import SummaryRow
from aurelius.cli.commands import ageing as command
from aurelius.writing.replace_file import Replacement

Aurelius = Callable[..., Any]


def test_a_note_of_many_facts_is_told_in_part_and_whole_where_that_is_asked_for(
    aurelius: Aurelius, vault: Callable[[str], Path]
) -> None:
    there = vault("empty")
    facts = "".join(f"- Tried tea number {number} and liked its taste (2026-02-01)\n" for number in range(400))
    (there / "teas.md").write_text(f"# Teas\n\n## Facts\n{facts}", "utf-8")
    short = aurelius("tiers", "teas", cwd=there).out.splitlines()
    assert len(short) < 300
    assert short[-1] == f"{402 - len(short) + 1} more lines: --all shows them"
    assert len(aurelius("tiers", "teas", "--all", cwd=there).out.splitlines()) == 402
    answer = json.loads(aurelius("tiers", "teas", "--json", cwd=there).out)
    assert answer["truncated"] == {"facts": 400 - len(answer["facts"])}
    assert len(json.loads(aurelius("tiers", "teas", "--json", "--all", cwd=there).out)["facts"]) == 400


def test_what_helped_comes_first_in_the_next_search_and_what_did_not_comes_last(
    aurelius: Aurelius, vault: Callable[[str], Path]
) -> None:
    there = vault("empty")
    for name in ("ada", "bob", "cem"):
        (there / f"{name}.md").write_text(f"# {name}\n\n## Facts\n- Repairs boats (2026-02-01) ^{name}01\n", "utf-8")

    def order(*options: str) -> list[str]:
        done = aurelius("search", "who mends boats?", "--json", "--no-use", *options, cwd=there)
        return [hit["id"] for hit in json.loads(done.out)["hits"]]

    assert order() == ["ada01", "bob01", "cem01"]
    aurelius("reinforce", "cem01", cwd=there)
    aurelius("demote", "ada01", cwd=there)
    for options in ((), ("--mode", "keyword"), ("--mode", "vector"), ("--fusion", "rrf"), ("--fusion", "weighted")):
        assert order(*options) == ["cem01", "bob01", "ada01"], options


JOE = "# Joe\n\n## Summary\n\n## Facts\n\n- Lives in LA (2026-02-08) ^aaaaaa\n"
MINE = JOE.replace("## Summary\n", "## Summary\n\nMy words.\n")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "people").mkdir()
    (root / "people" / "joe.md").write_text(JOE)
    return root


@pytest.mark.parametrize(
    ("argv", "message"),
    [(["--take-over"], "--take-over needs a NOTE, or --all"), (["joe", "--all"], "cannot go together")],
)
def test_what_is_not_said_is_not_guessed(aurelius: Aurelius, root: Path, argv: list[str], message: str) -> None:
    (root / "people" / "joe.md").write_text(MINE)
    done = aurelius("summarize", *argv, cwd=root)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert (root / "people" / "joe.md").read_text() == MINE


def test_a_dry_run_shows_the_summary_and_writes_nothing(aurelius: Aurelius, root: Path) -> None:
    done = aurelius("summarize", "joe", "--dry-run", cwd=root)
    assert done.code == 0
    assert "+Lives in LA." in done.out
    assert (root / "people" / "joe.md").read_text() == JOE
    assert not list((root / ".aurelius").rglob("*.jsonl"))


def test_json_names_every_summary_and_what_became_of_it(aurelius: Aurelius, root: Path) -> None:
    (root / "people" / "ann.md").write_text(MINE.replace("Joe", "Ann").replace("aaaaaa", "bbbbbb"))
    done = aurelius("summarize", "--json", cwd=root)
    answer = json.loads(done.out)
    assert done.err == ""
    became = {each["path"]: each["done"] for each in answer["summaries"]}
    assert (became["people/joe.md"], became["people/ann.md"]) == ("written", "kept")


def test_a_summary_that_a_person_typed_is_kept_and_it_is_said_how_to_replace_it(aurelius: Aurelius, root: Path) -> None:
    (root / "people" / "joe.md").write_text(MINE)
    assert (
        aurelius("summarize", cwd=root).err
        == "aurelius: 1 note left unchanged: you wrote or changed its summary (--all lists it)\n"
    )
    why = "people/joe.md left unchanged: you wrote or changed it; to replace it: "
    for argv in (["joe"], ["--all"]):
        assert why + "aurelius summarize --take-over people/joe.md" in aurelius("summarize", *argv, cwd=root).err
    assert aurelius("summarize", "joe", "--take-over", cwd=root).out == "changed people/joe.md\n"
    assert "My words" not in (root / "people" / "joe.md").read_text()


@pytest.mark.parametrize("form", [(), ("--json",)])
def test_what_the_disk_refuses_is_no_success(
    aurelius: Aurelius, root: Path, monkeypatch: pytest.MonkeyPatch, form: tuple[str, ...]
) -> None:
    (root / "people" / "ann.md").write_text(JOE.replace("Joe", "Ann").replace("aaaaaa", "bbbbbb"))
    aurelius("summarize", cwd=root)
    for name in ("joe", "ann"):
        (root / "people" / f"{name}.md").write_text(JOE.replace("aaaaaa", f"{name}aa").replace("Joe", name))

    def full(each: Replacement, *_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Replacement, "stage", full)
    done = aurelius("summarize", *form, cwd=root)
    assert done.code == 6
    assert "no changes needed" not in done.err
    if form:
        assert [row["done"] for row in json.loads(done.out)["summaries"]].count("refused") == 2
    else:
        assert done.err.count("not written: No space left") == 2


def told(*rows: SummaryRow, single: bool) -> list[str]:
    return list(command._kept(rows, single=single))


def test_why_each_summary_is_kept_is_told_where_it_was_named() -> None:
    rows = (
        SummaryRow("a.md", "Summary", summaries.KEPT), SummaryRow("b.md", "Summary", summaries.COLD),
        SummaryRow("c.md", "Summary", summaries.EMPTY), SummaryRow("d.md", "Summary", summaries.WRITTEN),
        SummaryRow("e.md", summary_text.NOW, summaries.EMPTY), SummaryRow("f.md", summary_text.NOW, summaries.KEPT),
    )  # fmt: skip
    lines = told(*rows, single=True)
    assert lines == [
        f"a.md left unchanged: {command.KEPT[summaries.KEPT]} a.md",
        f"b.md left unchanged: {command.KEPT[summaries.COLD]}",
        f"c.md left unchanged: {command.KEPT[summaries.EMPTY]}",
        f"e.md left unchanged: {command.NOTHING}",
        f"f.md left unchanged: {command.KEPT[summaries.KEPT]} f.md",
    ]


def test_what_is_kept_is_only_counted_where_none_was_named() -> None:
    kept, cold = SummaryRow("a.md", "Summary", summaries.KEPT), SummaryRow("b.md", "Summary", summaries.COLD)
    assert told(kept, kept, cold, single=False) == [
        "2 notes left unchanged: you wrote or changed their summaries (--all lists them)",
        "1 note left unchanged: all its facts are cold (--all lists it)",
    ]
    assert told(SummaryRow("a.md", "Summary", summaries.WRITTEN), single=False) == []


def test_refusals_are_told_one_by_one_or_the_first_few_and_how_many() -> None:
    rows = [SummaryRow(f"{n}.md", "Summary", summaries.REFUSED, f"why {n}") for n in range(5)]
    assert told(*rows, single=True) == [f"why {n}" for n in range(5)]
    assert told(*rows, single=False) == ["why 0", "why 1", "why 2", "2 more could not be written"]
