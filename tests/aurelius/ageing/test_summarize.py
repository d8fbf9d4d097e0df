"""Summaries in a vault: ours are rewritten, a person's are kept, and nothing else changes."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from aurelius.ageing import summarize
from aurelius.ageing.summarize import SummaryPlan, SummaryRow
from aurelius.ageing.summary_text import corrected
from aurelius.ageing.usage_log import starting_marks
from aurelius.writing import edit
from aurelius.writing.check_edit import Applied, Edit, Place
from indexer.disk import read_file
from indexer.errors import ConflictError

Run = Callable[..., Any]
JOE = """# Joe

## Summary

## Facts

- Lives in LA (2026-02-08) ^aaaaaa
- Drives a red car (2025-01-01) ^bbbbbb
- ~~Lives in SD~~ (2024-01-01)
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    root = tmp_path / "v"
    (root / ".aurelius").mkdir(parents=True)
    (root / ".aurelius" / "config.toml").write_text("[summary]\ncold_fill = 0\n")
    (root / "people").mkdir()
    (root / "people" / "joe.md").write_text(JOE)
    return root


@pytest.fixture
def filling(place: Path) -> Path:
    """The same vault with the default: cold facts fill what the others leave."""
    (place / ".aurelius" / "config.toml").unlink()
    return place


def said(text: str) -> str:
    found = re.search(r"## Summary\n+(.*?)\n+## Facts", text, re.DOTALL)
    return found[1] if found else ""


def log_of(root: Path) -> str:
    return "".join(file.read_text() for file in sorted((root / ".aurelius").glob("log/*/*.jsonl")))


def test_cold_and_superseded_facts_stay_out(place: Path, aurelius: Run) -> None:
    assert aurelius("summarize", "joe", cwd=place).out == "changed people/joe.md\n"
    text = (place / "people" / "joe.md").read_text()
    assert text == JOE.replace("## Summary\n", "## Summary\n\nLives in LA.\n")
    assert '"op":"summary","ref":"people/joe.md"' in log_of(place)
    assert not (place / "people" / "_index.md").exists(), "one note was named"


def test_what_another_note_updates_stays_out(place: Path, aurelius: Run) -> None:
    (place / "people" / "ada.md").write_text(
        "# Ada\n\n## Facts\n\n- Joe left LA (2026-02-09, updates ^aaaaaa)\n"
    )
    aurelius("summarize", cwd=place)
    assert said((place / "people" / "joe.md").read_text()) == "Drives a red car."
    assert "Lives in LA" not in (place / "people" / "_index.md").read_text()


def test_a_second_time_nothing_is_written(place: Path, aurelius: Run) -> None:
    (place / "MEMORY.md").write_text("# Memory\n\n## Facts\n\n- Kept\n")
    aurelius("summarize", cwd=place)
    before = {path: path.read_bytes() for path in place.rglob("*") if path.is_file()}
    done = aurelius("summarize", cwd=place)
    assert (done.code, done.out) == (0, "")
    assert {path: path.read_bytes() for path in place.rglob("*") if path.is_file()} == before


def test_what_a_person_typed_is_kept_until_it_is_taken_over(place: Path, aurelius: Run) -> None:
    note = place / "people" / "joe.md"
    mine = JOE.replace("## Summary\n", "## Summary\n\nMy words.\n")
    note.write_text(mine)
    assert (
        "1 note left unchanged: you wrote or changed its summary"
        in aurelius("summarize", cwd=place).err
    )
    assert note.read_text() == mine
    assert said(aurelius("summarize", "joe", "--take-over", cwd=place).out) == ""
    assert said(note.read_text()) == "Lives in LA."
    note.write_text(note.read_text().replace("Lives in LA.", "Lives in LA, I think."))
    aurelius("summarize", cwd=place)
    assert said(note.read_text()) == "Lives in LA, I think."


def test_a_formatter_does_not_make_it_a_persons(place: Path, aurelius: Run) -> None:
    note = place / "people" / "joe.md"
    note.write_text(
        JOE.replace("## Facts\n", "## Facts\n\n- Works in a large office downtown (2026-02-09)")
    )
    aurelius("summarize", "joe", cwd=place)
    assert said(note.read_text()) == "Works in a large office downtown. Lives in LA."
    note.write_text(note.read_text().replace("large office", "large\noffice"))
    aurelius("summarize", "joe", cwd=place)
    assert "large\noffice downtown. Lives" in note.read_text(), "it says what it has to say"
    note.write_text(note.read_text().replace("- Works", "- Really works"))
    aurelius("summarize", "joe", cwd=place)
    assert said(note.read_text()) == "Really works in a large office downtown. Lives in LA."


def test_a_note_that_moved_is_still_ours(place: Path, aurelius: Run) -> None:
    aurelius("summarize", "joe", cwd=place)
    os.rename(place / "people" / "joe.md", place / "people" / "joseph.md")
    note = place / "people" / "joseph.md"
    note.write_text(note.read_text().replace("## Facts\n", "## Facts\n\n- Sings (2026-02-09)"))
    aurelius("summarize", "joseph", cwd=place)
    assert said(note.read_text()) == "Sings. Lives in LA."


def test_a_note_whose_facts_are_all_cold_keeps_its_summary(place: Path, aurelius: Run) -> None:
    note = place / "people" / "joe.md"
    aurelius("summarize", "joe", cwd=place)
    before = note.read_bytes()
    done = aurelius("summarize", "joe", "--now", "2027-01-01", cwd=place)
    assert "people/joe.md left unchanged: all its facts are cold" in done.err
    assert note.read_bytes() == before


def test_a_first_summary_of_cold_facts_has_what_matters(place: Path, aurelius: Run) -> None:
    aurelius("summarize", "joe", "--now", "2027-01-01", cwd=place)
    assert said((place / "people" / "joe.md").read_text()) == "Lives in LA. Drives a red car."
    assert "facts are cold" in aurelius("summarize", "joe", "--now", "2027-01-02", cwd=place).err


def test_listings_and_now_say_nothing_of_a_private_note(place: Path, aurelius: Run) -> None:
    secret = "---\nprivate: true\n---\n# Canary\n\n## Facts\n\n- Sings secretly (2026-02-09)\n"
    (place / "people" / "canary.md").write_text(secret)
    (place / "MEMORY.md").write_text("# Memory\n\n## Facts\n\n- Kept\n")
    for words in (["summarize"], ["summarize", "--private"], ["summarize", "--all", "--dry-run"]):
        done = aurelius(*words, cwd=place)
        shown = done.out + done.err if "--private" not in words else ""
        assert "anary" not in shown
        assert "secretly" not in shown
    for name in ("people/_index.md", "MEMORY.md"):
        assert "joe" in (place / name).read_text()
        assert "anary" not in (place / name).read_text()
    assert "## Summary\n\nSings secretly.\n" in (place / "people" / "canary.md").read_text()
    assert aurelius("summarize", "canary", cwd=place).code == 5


def test_now_has_every_hot_subject_once(place: Path, aurelius: Run) -> None:
    for name, day in (("ada", "2026-02-09"), ("bob", "2026-01-20"), ("cy", "2020-01-01")):
        (place / "people" / f"{name}.md").write_text(
            f"# {name}\n\n## Facts\n\n- Counts as {name} ({day})\n"
        )
    (place / "MEMORY.md").write_text("# Memory\r\n\r\n## Facts\r\n\r\n- Kept\r\n")
    aurelius("summarize", cwd=place)
    text = (place / "MEMORY.md").read_bytes().decode()
    assert text == (
        "# Memory\r\n\r\n## Now\r\n\r\nAs of 2026-02-10:\r\n\r\n"
        "[[people/ada]] - Counts as ada.\r\n\r\n[[people/joe]] - Lives in LA.\r\n\r\n"
        "## Facts\r\n\r\n- Kept\r\n"
    )
    assert aurelius("get", "MEMORY.md#now", cwd=place).out.count("[[people/") == 2
    aurelius("summarize", "--now", "2027-01-01", cwd=place)
    emptied = (place / "MEMORY.md").read_bytes().decode()
    assert emptied == "# Memory\r\n\r\n## Now\r\n\r\n## Facts\r\n\r\n- Kept\r\n", (
        "nothing is going on"
    )
    assert aurelius("summarize", "--now", "2027-01-02", cwd=place).out == ""


def test_a_plan_is_going_on_until_its_day(place: Path, aurelius: Run) -> None:
    plans = "- Moves to Porto (2026-05-01, plan)\n- Leaves the firm (2026-04-30, plan)\n"
    (place / "people" / "maya.md").write_text("# Maya\n\n## Summary\n\n## Facts\n\n" + plans)
    (place / "people" / "joe.md").unlink()
    (place / "MEMORY.md").write_text("# Memory\n\n## Facts\n\n- Kept\n")
    for day, told in (("2026-04-20", 2), ("2026-05-01", 2), ("2026-05-20", 0)):
        aurelius("summarize", "--now", day, cwd=place)
        text = (place / "MEMORY.md").read_text()
        assert text.count("Leaves the firm") + text.count("Moves to Porto") == told
        assert (f"As of {day}:" in text) == bool(told)


KITCHEN = """# Kitchen

## Facts

- Contractor is Rossi & Sons (2026-02-01)
- Tiles are ordered from Lisbon, 1,240 euros (2026-02-02)
- Electrician is Piet (2026-02-03)
- Budget is 21,000 euros (2026-02-03)
- Work starts on 20 March (2026-02-04)
"""


def test_one_new_fact_does_not_turn_a_good_summary_into_one_sentence(
    filling: Path, aurelius: Run
) -> None:
    note = filling / "projects" / "kitchen.md"
    note.parent.mkdir()
    note.write_text(KITCHEN)
    aurelius("summarize", cwd=filling)
    before = said(note.read_text())
    assert before.count(".") == 5
    aurelius("add", "kitchen", "Painter is Ana", "--now", "2026-04-01", cwd=filling)
    aurelius("summarize", "--now", "2026-04-02", cwd=filling)
    assert said(note.read_text()).startswith("Painter is Ana. ")
    assert set(said(note.read_text()).split()) == {*before.split(), "Painter", "is", "Ana."}


def test_a_summary_ends_with_the_day_in_which_newer_lines_name_its_subject(
    place: Path, aurelius: Run
) -> None:
    note = place / "people" / "joe.md"

    def summary_after(day: str, text: str) -> str:
        (place / "memory").mkdir(exist_ok=True)
        (place / "memory" / f"{day}.md").write_text(text)
        aurelius("summarize", cwd=place)
        return said(note.read_text())

    assert summary_after("2026-02-08", "- Joe rang\n") == "Lives in LA.", "no later than the fact"
    assert summary_after("2026-02-12", "- Joe rang\n") == "Lives in LA.", "a day to come"
    secret = "---\nprivate: true\n---\n- Joe cried\n"
    assert summary_after("2026-02-10", secret) == "Lives in LA."
    newer = "Lives in LA. Newer in memory/2026-02-09."
    assert summary_after("2026-02-09", "- Joe rang\n") == newer
    before = note.read_bytes()
    aurelius("summarize", cwd=place)
    assert note.read_bytes() == before, "the same files and day give the same bytes"
    assert json.loads(aurelius("links", "2026-02-09", "--json", cwd=place).out)["backlinks"] == []
    aurelius("summarize", "--new", cwd=place)
    assert "Newer in" not in (place / "people" / "_index.md").read_text()
    aurelius("add", "joe", "Has a boat", "--now", "2026-02-10", cwd=place)
    aurelius("summarize", cwd=place)
    assert said(note.read_text()) == "Has a boat. Lives in LA."


def test_the_day_of_newer_lines_counts_among_the_words_of_a_summary(
    place: Path, aurelius: Run
) -> None:
    (place / ".aurelius" / "config.toml").write_text("[summary]\ncold_fill = 0\nwords = 20\n")
    facts = "".join(f"- Five words are here {at} (2026-02-08)\n" for at in "bcde")
    note = place / "people" / "joe.md"
    note.write_text(f"# Joe\n\n## Facts\n\n{facts}")
    (place / "memory").mkdir()
    aurelius("summarize", "joe", cwd=place)
    assert len(said(note.read_text()).split()) == 20
    (place / "memory" / "2026-02-09.md").write_text("- Joe rang\n")
    aurelius("summarize", "joe", cwd=place)
    told = said(note.read_text())
    assert told.endswith(" Newer in memory/2026-02-09.")
    assert len(told.split()) == 18


def test_a_typed_summary_gets_no_day_and_what_is_past_leaves_none_alone(
    place: Path, aurelius: Run
) -> None:
    note = place / "people" / "joe.md"
    (place / "memory").mkdir()
    (place / "memory" / "2026-02-09.md").write_text("- Joe rang\n")
    note.write_text(JOE.replace("## Summary\n", "## Summary\n\nTyped by hand.\n"))
    aurelius("summarize", cwd=place)
    assert said(note.read_text()) == "Typed by hand."
    note.write_text(JOE)
    aurelius("summarize", cwd=place)
    assert said(note.read_text()) == "Lives in LA. Newer in memory/2026-02-09."
    assert corrected(said(note.read_text()), {"Lives in LA": "Lives in Rome"}) == (
        "Lives in Rome. Newer in memory/2026-02-09."
    )
    assert corrected(said(note.read_text()), {"Lives in LA": ""}) == ""


def test_of_two_lines_with_another_value_only_the_newer_is_in_a_summary(
    filling: Path, aurelius: Run
) -> None:
    note = filling / "people" / "joe.md"
    note.write_text(
        "# Joe\n\n## Facts\n\n- Lives in Boston (2026-02-08)\n- Lives in Oslo (2026-02-01)\n- Sings (2026-02-08)\n"
    )
    (filling / "memory").mkdir()
    aurelius("summarize", cwd=filling)
    assert sorted(said(note.read_text()).split(". ")) == ["Lives in Boston", "Sings."]
    (filling / "memory" / "2026-02-09.md").write_text("- Joe lives in Rome\n")
    aurelius("summarize", cwd=filling)
    assert said(note.read_text()) == "Sings. Newer in memory/2026-02-09.", (
        "a day's line says another value"
    )


def test_a_summary_that_would_lose_more_than_half_waits_for_a_yes(
    filling: Path, aurelius: Run
) -> None:
    note = filling / "people" / "joe.md"
    lines = "".join(
        f"- Has told us that story number {at} of some length ends well (2026-02-08)\n"
        for at in range(9)
    )
    note.write_text(f"# Joe\n\n## Facts\n\n{lines}")
    aurelius("summarize", cwd=filling)
    before = note.read_bytes()
    later = "--now", "2026-06-01"
    done = aurelius("summarize", *later, cwd=filling)
    assert (
        "1 note left unchanged: more than half of its summary would go; --yes writes it" in done.err
    )
    why = "more than half of its words would go; to write it all the same: aurelius summarize people/joe.md"
    assert (
        f"people/joe.md left unchanged: {why}"
        in aurelius("summarize", "--all", *later, cwd=filling).err
    )
    assert note.read_bytes() == before
    assert "1 summary waits for your yes" in aurelius("review", *later, cwd=filling).err
    aurelius("summarize", "people/joe.md", *later, cwd=filling)
    assert "yes" not in aurelius("review", *later, cwd=filling).err
    assert 0 < said(note.read_text()).count("story") < 9
    note.write_bytes(before)
    note.write_bytes(before)
    aurelius("summarize", "--yes", *later, cwd=filling)
    assert note.read_bytes() != before
    note.write_bytes(
        before.replace(b"- Has", b"- ~~Has").replace(b" (2026-02-08)", b"~~ (2026-02-08)")
    )
    note.write_text(note.read_text() + "- Says nothing now (2026-06-01)\n")
    aurelius("summarize", *later, cwd=filling)
    assert said(note.read_text()) == "Says nothing now.", "what is past goes unasked"


def test_a_fact_that_was_reworded_today_is_in_the_summary(place: Path, aurelius: Run) -> None:
    aurelius("update", "bbbbbb", "Drives a blue car", cwd=place)
    aurelius("summarize", "joe", cwd=place)
    assert "Drives a blue car." in said((place / "people" / "joe.md").read_text())


def test_an_adopted_vault_gets_no_new_texts_unasked(tmp_path: Path, aurelius: Run) -> None:
    root = tmp_path / "mine"
    for name in ("joe", "ann"):
        (root / "people").mkdir(parents=True, exist_ok=True)
        (root / "people" / f"{name}.md").write_text(
            JOE.replace("## Summary\n\n", "" if name == "joe" else "## Summary\n\n")
        )
    (root / "MEMORY.md").write_text("# Memory\n\n## Facts\n\n- Kept\n")
    assert aurelius("init", "--adopt", ".", cwd=root).code == 0
    done = aurelius("summarize", cwd=root)
    assert done.out == "changed people/ann.md\n", "an empty summary is there already"
    told = "1 new _index.md file and 1 new `## Summary` and 1 new `## Now`"
    assert f"not made: {told}; to make them: aurelius summarize --new" in done.err
    asked = aurelius("summarize", "--new", cwd=root)
    assert (asked.out, f"this makes {told}" in asked.err, "nothing was written" in asked.err) == (
        "",
        True,
        True,
    )
    assert asked.code == 1
    assert aurelius("summarize", "--new", "--json", cwd=root).code == 2
    assert aurelius("summarize", "--new", "--yes", cwd=root).out.splitlines() == [
        "changed people/joe.md",
        "made people/_index.md",
        "changed MEMORY.md",
    ]
    (root / "people" / "joe.md").write_text(JOE.replace("## Summary\n\n", ""))
    assert aurelius("summarize", "joe", cwd=root).out == "changed people/joe.md\n", (
        "what is named is asked for"
    )


def test_a_listing_follows_its_folder(place: Path, aurelius: Run) -> None:
    index = place / "people" / "_index.md"
    aurelius("summarize", cwd=place)
    assert index.read_text() == "# People\n\n- [[people/joe]] - Lives in LA.\n"
    (place / "people" / "a [b].md").write_text("# Odd [one]\n\n## Summary\n\nTyped. By hand.\n")
    aurelius("summarize", cwd=place)
    odd = "- [Odd (one)](<people/a [b].md>) - Typed. By hand.\n"
    assert index.read_text() == f"# People\n\n{odd}- [[people/joe]] - Lives in LA.\n"
    mine = "# My people\n\n- [[people/joe]]\n"
    index.write_text(mine)
    aurelius("summarize", cwd=place)
    assert index.read_text() == mine
    aurelius("summarize", "people/_index.md", "--take-over", cwd=place)
    assert index.read_text().startswith("# People\n")
    (place / "people" / "joe.md").unlink()
    (place / "people" / "a [b].md").unlink()
    aurelius("summarize", cwd=place)
    assert index.read_text() == "# People\n"


def test_a_listing_that_may_not_be_seen_is_not_written_over(place: Path, aurelius: Run) -> None:
    index = place / "people" / "_index.md"
    for hidden in ("---\nprivate: true\n---\n# People\n\n- [[people/joe]]\n", ""):
        index.write_text(hidden)
        (place / ".aureliusignore").write_text("" if hidden else "_index.md\n")
        aurelius("summarize", cwd=place)
        assert index.read_text() == hidden


def test_the_summary_of_a_part_of_a_note_is_not_that_of_the_note(
    place: Path, aurelius: Run
) -> None:
    (place / "people" / "ada.md").write_text("# Ada\n\n## Boat\n\n### Summary\n\nIt floats.\n")
    aurelius("summarize", cwd=place)
    assert "- [[people/ada]]\n" in (place / "people" / "_index.md").read_text()


def test_one_that_cannot_be_written_stops_no_other(place: Path, aurelius: Run) -> None:
    (place / "people" / "ann.md").write_bytes(
        b"# Ann\n\n## Facts\n\n- Caf\xe9 owner (2026-02-09)\n"
    )
    (place / "people" / "bea.md").write_text("# Bea\n\n- Bare (2026-02-09)\n")
    os.link(place / "people" / "joe.md", place / "other.txt")
    (place / "people" / "zoe.md").write_text(JOE)
    done = aurelius("summarize", cwd=place)
    assert done.code == 0
    assert "changed people/zoe.md" in done.out
    assert "people/joe.md" not in done.out
    assert "people/ann.md" in done.err
    assert "people/bea.md" in done.err
    assert "second name (a hard link)" in done.err
    assert (place / "people" / "joe.md").read_text() == JOE
    assert aurelius("summarize", "joe", cwd=place).code == 2


def test_many_refusals_are_counted(place: Path, aurelius: Run) -> None:
    for number in range(9):
        (place / "people" / f"bare{number}.md").write_text("# Bare\n\n- Bare (2026-02-09)\n")
    said = aurelius("summarize", cwd=place).err
    assert said.count("has no headings") == 3
    assert "aurelius: 6 more could not be written\n" in said
    assert aurelius("summarize", "--all", cwd=place).err.count("has no headings") == 9


def test_a_note_that_changes_meanwhile_is_left_alone(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    applied: list[list[str]] = []

    def apply(_: Place, edits: list[Edit], why: str) -> Applied:
        if any(each.path == "b.md" for each in edits):
            raise ConflictError("b.md changed since it was read")
        applied.append([each.path for each in edits])
        return Applied(len(applied))

    monkeypatch.setattr(edit, "apply_edits", apply)
    monkeypatch.setattr("aurelius.ageing.usage_log.append_summaries", lambda vault, marks: None)
    names = [f"{letter}.md" for letter in "abcde"]
    edits = tuple(Edit(name, b"x", b"y") for name in names)
    plan = SummaryPlan(
        tuple(SummaryRow(name, "Summary", "written") for name in names),
        edits,
        tuple((name, "h") for name in names),
    )
    done, last = summarize.write_summaries(None, Place(str(place), "state"), plan)  # type: ignore[arg-type]  # the log is not there
    assert [name for names in applied for name in names] == ["a.md", "c.md", "d.md", "e.md"]
    assert last.number == len(applied) <= 3
    assert [row.done for row in done.rows] == [
        "written",
        "refused",
        "written",
        "written",
        "written",
    ]
    assert [path for path, _ in done.marks] == ["a.md", "c.md", "d.md", "e.md"]


def test_a_new_vault_starts_with_texts_of_ours(vault: Callable[[str], Path], aurelius: Run) -> None:
    assert len(starting_marks()) >= 6
    root = vault("template")
    done = aurelius("summarize", "--json", cwd=root)
    assert '"kept"' not in done.out


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(
                [
                    "Lives in LA",
                    "Lives in Rome",
                    "lives in **LA**",
                    "Owes 5",
                    "Owes 6",
                    "1. odd",
                    "# odd",
                ]
            ),
            st.sampled_from(["2026-02-09", "2026-01-20", "2020-01-01"]),
            st.sampled_from(["", ", pinned", ", preference", ", superseded by ^zzzzzz"]),
        ),
        max_size=6,
    ),
    st.sampled_from(["", "\n\nTyped by hand.\n\n> quoted"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_only_the_summary_changes(
    tmp_path_factory: pytest.TempPathFactory,
    aurelius: Run,
    facts: list[tuple[str, str, str]],
    hand: str,
    eol: str,
) -> None:
    root = tmp_path_factory.mktemp("v")
    (root / ".aurelius").mkdir()
    (root / ".aurelius" / "config.toml").write_text("[summary]\ncold_fill = 0\n")
    (root / "people").mkdir()
    lines = "".join(f"- {text} ({day}{more})\n" for text, day, more in facts)
    text = f"# Joe\n\nIntro.\n\n## Summary{hand}\n\n## Facts\n\n{lines}\n## Notes\n\nKept."
    note = root / "people" / "joe.md"
    note.write_bytes(text.replace("\n", eol).encode())
    aurelius("summarize", cwd=root)
    after = note.read_bytes().decode()
    if hand:
        assert after == text.replace("\n", eol)
        return
    head, _, rest = text.replace("\n", eol).partition(f"## Summary{eol}")
    assert after.startswith(f"{head}## Summary{eol}")
    assert after.endswith(rest)
    own = after[len(head) : len(after) - len(rest)]
    assert "superseded" not in own
    alive = {line for line, day, more in facts if day != "2020-01-01" and "superseded" not in more}
    kept = {
        line for line, _, more in facts if more and "superseded" not in more
    }  # what is pinned never gets cold
    cold = {line for line, day, more in facts if day == "2020-01-01" and not more} - alive - kept
    if any(line in own for line in alive):
        assert not any(f"{line}." in own for line in cold)


@pytest.mark.parametrize(
    ("name", "link"), [("ann.md", b"[[people/ann]]"), ("ann#1.md", b"](<people/ann#1.md>)")]
)
def test_a_note_that_cannot_be_read_keeps_its_lines_in_generated_texts(
    place: Path, aurelius: Run, monkeypatch: pytest.MonkeyPatch, name: str, link: bytes
) -> None:
    (place / "people" / name).write_text("# Ann\n\n## Facts\n\n- Rows (2026-02-09) ^cccccc\n")
    (place / "MEMORY.md").write_text("# Memory\n\n## Now\n")
    aurelius("summarize", "--new", "--yes", cwd=place)
    texts = [place / "people" / "_index.md", place / "MEMORY.md"]
    before = [each.read_bytes() for each in texts]
    assert all(link in each for each in before), before
    read = read_file._read_once

    def refused(root: str, path: str) -> read_file.FileBytes | None:
        if path.endswith(name):
            raise PermissionError(13, "Permission denied", path)
        return read(root, path)

    monkeypatch.setattr(read_file, "_read_once", refused)
    aurelius("index", "--rebuild", cwd=place)
    told = aurelius("summarize", cwd=place)
    assert f"people/{name} cannot be read, so what names it is left as it is" in told.err
    assert "no changes needed" not in told.err
    assert [each.read_bytes() for each in texts] == before
