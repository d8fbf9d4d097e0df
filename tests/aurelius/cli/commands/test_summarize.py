"""`aurelius summarize` as a person uses it: what is written, what is kept and why."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.ageing import summarize as summaries
from aurelius.ageing.summarize import SummaryRow
from aurelius.cli.commands import summarize as command
from aurelius.writing.replace_file import Replacement

Aurelius = Callable[..., Any]
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
        SummaryRow("e.md", summaries.NOW, summaries.EMPTY), SummaryRow("f.md", summaries.NOW, summaries.KEPT),
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
