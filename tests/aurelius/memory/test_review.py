"""What waits for a person's word: shown, accepted as a person would have typed it, dismissed for good."""

from __future__ import annotations

import datetime
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.memory.review import open_matters
from aurelius.plans.plan import Desk
from aurelius.vault import Vault
from aurelius.writing.edit import place_of_config
from indexer.catalog import lists
from tests.carried import carry_now

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]

JOE = """\
# Joe

## Facts
- Lives in San Diego (2025-03-01)
- Phone: 555-0142 (2025-03-01) ^phone1
- Phone: 555-0187 (2025-05-01)
- Has a boat (2025-03-01)
- Has a boat
- Works at TechCorp (2025-03-01) ^tech01
"""
DAY = """\
# 2026-02-09

- [[people/joe]] moved to Los Angeles

## Captured
- [[people/joe]] no longer works at TechCorp, joined Initech
- The office plant needs water on Mondays
"""


def used(root: Path, day: str) -> None:
    """A note was used on a day, on some device."""
    log = root / f".aurelius/log/lap7/{day[:7]}.jsonl"
    log.parent.mkdir(parents=True)
    event = {
        "e": "lap7-00000000000000ff",
        "t": f"{day}T09:00:00Z",
        "op": "use",
        "ref": "people/other.md",
    }
    log.write_text(json.dumps(event) + "\n", "utf-8")


@pytest.fixture
def root(vault: Vaults) -> Path:
    there = vault("empty")
    for path, text in (("people/joe.md", JOE), ("memory/2026-02-09.md", DAY)):
        (there / path).parent.mkdir(exist_ok=True)
        (there / path).write_text(text, "utf-8", newline="")
    (there / ".aurelius").mkdir(exist_ok=True)
    return there


@pytest.fixture
def ask(aurelius: Aurelius, root: Path) -> Callable[..., Any]:
    def asked(*argv: str) -> Any:
        if argv[1:2] and argv[1].isdecimal():
            aurelius("review", cwd=root)  # a number is one of the list as it was last shown
        return aurelius("review", *argv, cwd=root)

    return asked


def matters(ask: Callable[..., Any]) -> list[tuple[str, str]]:
    found = json.loads(ask("--json").out)["matters"]
    return [(each["what"], each["fact"]["text"]) for each in found]


ALL = [
    ("ask", "Phone: 555-0142"),
    ("carry", "Moved to Los Angeles"),
    ("captured", "[[people/joe]] no longer works at TechCorp, joined Initech"),
    ("captured", "The office plant needs water on Mondays"),
    ("merge", "Has a boat"),
]


def test_looking_writes_nothing(ask: Callable[..., Any], root: Path) -> None:
    assert matters(ask) == ALL
    assert ask().out.count("\n\n") == len(ALL)
    assert (root / "people/joe.md").read_text("utf-8") == JOE
    assert (root / "memory/2026-02-09.md").read_text("utf-8") == DAY
    assert not (root / ".aurelius/log").exists()


def test_what_is_accepted_is_past_and_both_lines_stay(ask: Callable[..., Any], root: Path) -> None:
    dry = ask("accept", "2", "--dry-run")
    assert dry.code == 0
    assert (root / "people/joe.md").read_text("utf-8") == JOE
    assert ask("accept", "2").code == 0
    text = (root / "people/joe.md").read_text("utf-8")
    (struck,) = [line for line in text.splitlines() if "San Diego" in line]
    (new,) = [line for line in text.splitlines() if "Angeles" in line]
    own = new.rpartition("^")[2]
    assert new.startswith(
        "- Moved to Los Angeles (2026-02-09, from [[memory/2026-02-09]], updates ^"
    )
    assert struck.startswith(
        f"- ~~Lives in San Diego~~ (2025-03-01 → 2026-02-09, superseded by ^{own}) ^"
    )
    assert (root / "memory/2026-02-09.md").read_text("utf-8") == DAY
    assert matters(ask) == [ALL[0], *ALL[2:]]


def test_what_is_undone_waits_again(
    ask: Callable[..., Any], aurelius: Aurelius, root: Path
) -> None:
    ask("accept", "2")
    assert len(matters(ask)) == len(ALL) - 1
    assert aurelius("undo", cwd=root).code == 0
    assert matters(ask) == ALL


def test_what_is_dismissed_is_not_proposed_again(
    ask: Callable[..., Any], aurelius: Aurelius, root: Path
) -> None:
    assert ask("dismiss", "1").code == 0
    assert matters(ask) == ALL[1:]
    assert (root / "people/joe.md").read_text("utf-8") == JOE
    assert aurelius("doctor", "--tidy", "--stamp", cwd=root).code == 0
    assert matters(ask) == ALL[1:], "with an id it is the same fact"


def test_a_captured_line_goes_where_it_belongs(ask: Callable[..., Any], root: Path) -> None:
    assert ask("accept", "3").code == 0
    text = (root / "people/joe.md").read_text("utf-8")
    assert "joined Initech (2026-02-09, from [[memory/2026-02-09]], updates ^tech01) ^" in text
    assert "- ~~Works at TechCorp~~ (2025-03-01 → 2026-02-09, superseded by ^" in text
    assert ask("accept", "3").code == 0
    day = (root / "memory/2026-02-09.md").read_text("utf-8")
    assert day.startswith(
        "# 2026-02-09\n\n- [[people/joe]] moved to Los Angeles\n- The office plant needs water"
    )
    assert day.endswith("\n\n## Captured\n")
    assert [what for what, _ in matters(ask)] == ["ask", "carry", "merge"]


def test_duplicates_are_struck_and_point_at_what_is_kept(
    ask: Callable[..., Any], root: Path
) -> None:
    assert ask("accept", "5").code == 0
    lines = [
        line for line in (root / "people/joe.md").read_text("utf-8").splitlines() if "boat" in line
    ]
    struck, kept = lines  # History stands before the last section
    own = kept.rpartition("^")[2]
    assert kept == f"- Has a boat (2025-03-01) ^{own}"
    assert f"superseded by ^{own})" in struck
    assert struck.startswith("- ~~Has a boat~~")


def test_a_key_does_what_a_number_does(ask: Callable[..., Any]) -> None:
    (key,) = [
        each["key"] for each in json.loads(ask("--json").out)["matters"] if each["what"] == "ask"
    ]
    assert ask("accept", key).code == 0
    assert "ask" not in [what for what, _ in matters(ask)]


@pytest.mark.parametrize(
    "argv", [("accept",), ("accept", "77"), ("dismiss", "no>such"), ("list", "1")]
)
def test_what_is_not_there_is_refused(ask: Callable[..., Any], argv: tuple[str, ...]) -> None:
    done = ask(*argv)
    assert done.code == 2
    assert done.out == ""


def test_a_day_is_no_entity(ask: Callable[..., Any], root: Path) -> None:
    told = "# 2026-02-08\n\n- Lived in the tent, price of bread 3 euros\n- The price of bread is now 4 euros\n"
    (root / "memory/2026-02-08.md").write_text(told, "utf-8")
    assert matters(ask) == ALL


def test_nothing_waits_in_an_empty_vault(aurelius: Aurelius, vault: Vaults) -> None:
    done = aurelius("review", cwd=vault("empty"))
    assert (done.code, done.out, done.err) == (0, "", "aurelius: nothing to review\n")


@pytest.mark.parametrize("year", [2026, 2027, 2029])
def test_a_new_vault_has_nothing_to_decide_today_or_years_later(
    aurelius: Aurelius, tmp_path: Path, year: int
) -> None:
    assert aurelius("init", str(tmp_path / "new")).code == 0
    done = aurelius("review", cwd=tmp_path / "new", now=datetime.datetime(year, 11, 22))
    assert (done.code, done.out) == (0, "")


def test_a_job_that_is_held_is_never_proposed_for_the_archive(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    (root / "people").mkdir()
    text = "# Joe\n\n## Facts\n\n- Works at TechCorp (2016-01-15, milestone)\n- Is the lead of Atlas (2016-01-15)\n"
    (root / "people/joe.md").write_text(text)
    assert aurelius("review", cwd=root).out == ""


def test_a_captured_line_that_updates_a_past_fact_takes_the_place_of_what_holds_instead(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    (root / "resources").mkdir()
    (root / "memory").mkdir(exist_ok=True)
    (root / "resources/rules.md").write_text(
        "# Scores\n\n## Facts\n\n- Articles need 80 (2025-06-01, updates ^surf75) ^surf80\n\n## History\n\n"
        "- ~~Articles need 75~~ (2025-01-01 → 2025-06-01, superseded by ^surf80) ^surf75\n"
    )
    (root / "memory/2026-02-09.md").write_text(
        "# 2026-02-09\n\n## Captured\n\n- [[resources/rules]]: articles need 90 (2026-02-09, updates ^surf75) ^surf90\n"
    )
    short = next(
        each["short"]
        for each in json.loads(aurelius("review", "--json", cwd=root).out)["matters"]
        if each["what"] == "captured"
    )
    assert aurelius("review", "accept", short, cwd=root).code == 0
    active = {
        fact["id"]: fact["status"]
        for fact in json.loads(aurelius("export", "--json", cwd=root).out)["facts"]
    }
    assert active == {"surf75": "superseded", "surf80": "superseded", "surf90": "active"}


# -- questions ---------------------------------------------------------------------------------------------


def vault_of(vault: Vaults, notes: dict[str, str]) -> Path:
    there = vault("empty")
    for path, text in notes.items():
        (there / path).parent.mkdir(exist_ok=True)
        (there / path).write_text(text, "utf-8", newline="")
    (there / ".aurelius").mkdir(exist_ok=True)
    return there


def asked(aurelius: Aurelius, root: Path) -> list[tuple[str, list[str], str]]:
    """What is asked: the kind, the facts that would be past, and the one that would hold."""
    found = json.loads(aurelius("review", "--json", cwd=root).out)["matters"]
    return [
        (
            each["what"],
            [*(one["text"] for one in each["more"]), each["fact"]["text"]],
            each.get("by", {}).get("text"),
        )
        for each in found
    ]


def note(*facts: str, title: str = "Joe") -> str:
    return f"# {title}\n\n## Facts\n" + "".join(f"- {fact}\n" for fact in facts)


@pytest.mark.parametrize(
    ("path", "facts"),
    [
        ("people/joe.md", ("Lives in Santa Monica (2025-02-01)", "Lives in Boston (2026-01-01)")),
        (
            "people/joe.md",
            (
                "Works at TechCorp as CTO (2025-02-01)",
                "Works at TechCorp as team lead (2026-01-01)",
            ),
        ),
        ("people/joe.md", ("Works at TechCorp (2025-02-01)", "Works at Initech (2026-01-01)")),
        (
            "projects/roof.md",
            ("Contractor is Bianchi (2025-02-01)", "Contractor is Rossi & Sons (2026-01-01)"),
        ),
    ],
)
def test_two_lines_of_one_matter_with_other_values_are_one_question(
    aurelius: Aurelius, vault: Vaults, path: str, facts: tuple[str, str]
) -> None:
    old, new = (fact.rpartition(" (")[0] for fact in facts)
    assert asked(aurelius, vault_of(vault, {path: note(*facts)})) == [("ask", [old], new)]


def test_a_day_that_names_a_page_and_says_otherwise_is_one_question(
    aurelius: Aurelius, vault: Vaults
) -> None:
    day = "# 2026-02-09\n\n- Joe lives in Boston\n"
    root = vault_of(
        vault, {"people/joe.md": note("Lives in Ely (2025-02-01)"), "memory/2026-02-09.md": day}
    )
    assert asked(aurelius, root) == [("carry", ["Lives in Boston"], "Lives in Ely")]


@pytest.mark.parametrize(
    "facts",
    [
        ("Detail: docs/a (2025-02-01)", "Detail: docs/b (2026-01-01)"),
        ("Likes climbing (2025-02-01)", "Likes chess (2026-01-01)"),
        ("Helps people who lost their jobs (2026-01-01)", "Helps out at a food drive (2025-02-01)"),
        ("Holds the rank of Admiral (2025-02-01)", "Served with a Rear admiral (2026-01-01)"),
        ("Visited Belize (2025-02-01)", "Visited Belize City (2026-01-01)"),
        ("Read about World War I (2025-02-01)", "Read about World War II (2026-01-01)"),
    ],
)
def test_nobody_is_asked_about_lines_that_both_hold(
    aurelius: Aurelius, vault: Vaults, facts: tuple[str, str]
) -> None:
    assert asked(aurelius, vault_of(vault, {"people/joe.md": note(*facts)})) == []


def test_a_matter_with_three_values_is_one_question_and_yes_leaves_the_newest_alone(
    aurelius: Aurelius, vault: Vaults
) -> None:
    lines = [
        f"Lives in {place} (202{year}-01-01)"
        for year, place in enumerate(("Ely", "Bath", "Truro"), 3)
    ]
    root = vault_of(vault, {"people/joe.md": note(*lines)})
    assert asked(aurelius, root) == [("ask", ["Lives in Ely", "Lives in Bath"], "Lives in Truro")]
    assert aurelius("review", "accept", "--all-of", "joe", cwd=root).code == 0
    text = (root / "people/joe.md").read_text("utf-8")
    assert text.count("~~") == 4
    assert "~~Lives in Truro~~" not in text
    assert asked(aurelius, root) == []


def test_what_two_devices_replaced_differently_is_one_question(
    aurelius: Aurelius, vault: Vaults
) -> None:
    text = (
        "# Joe\n\n## Facts\n- Lives in Braga (2026-02-01) ^braga1\n- Has settled in Lisbon (2026-02-01) ^lisb01\n\n"
        "## History\n- ~~Lives in Porto~~ (2025-01-01 → 2026-02-01, superseded by ^braga1) ^porto1\n"
        "- ~~Lives in Porto~~ (2025-01-01 → 2026-02-01, superseded by ^lisb01) ^porto1\n"
    )
    root = vault_of(vault, {"people/joe.md": text})
    assert asked(aurelius, root) == [("ask", ["Lives in Braga"], "Has settled in Lisbon")]
    assert aurelius("review", "accept", "--all-of", "joe", cwd=root).code == 0
    assert asked(aurelius, root) == []


def test_a_fact_that_names_what_it_updates_leaves_the_others_to_be_asked_about(
    aurelius: Aurelius, vault: Vaults
) -> None:
    facts = (
        "Lives in Ely (2025-01-01)",
        "Rents in Bath (2025-01-01) ^bath01",
        "Lives in Truro (2026-01-01, updates ^bath01)",
    )
    assert asked(aurelius, vault_of(vault, {"people/joe.md": note(*facts)})) == [
        ("ask", ["Lives in Ely"], "Lives in Truro")
    ]


def test_a_newer_line_that_says_less_is_no_duplicate_of_the_older_one(
    aurelius: Aurelius, vault: Vaults
) -> None:
    facts = ("Works at TechCorp, as engineer (2025-01-01)", "Works at TechCorp (2026-01-01)")
    root = vault_of(
        vault,
        {
            "people/joe.md": note(*facts),
            "people/ann.md": note(*facts[::-1], "Has a boat", "Has a boat"),
        },
    )
    assert [each for each in asked(aurelius, root) if each[0] == "merge"] == [
        ("merge", ["Has a boat"], "Has a boat")
    ]


def test_lines_of_a_day_of_links_of_code_and_of_agents_are_no_duplicates(
    aurelius: Aurelius, vault: Vaults
) -> None:
    twice = [
        "- [[tools]] [[ideas]] [[todo]] [[later]]",
        "- Run `make all the things`",
        "- Audience fit: 5",
    ]
    lines = "\n".join(["# X", "", "## Facts", *twice, *twice, ""])
    both = "# X\n\n## Facts\n\n### Home\n- Has a red boat\n\n### Work\n- Has a red boat\n"
    day = "# 2026-02-01\n\n- Has a red boat (event)\n- Has a red boat (event)\n"
    notes = {"people/ann.md": lines, "people/bea.md": both, "memory/2026-02-01.md": day}
    notes["projects/SKILL.md"] = "# S\n\n## Facts\n- Has a red boat\n- Has a red boat\n"
    assert [each for each in asked(aurelius, vault_of(vault, notes)) if each[0] == "merge"] == []


def test_what_speaks_of_a_day_to_come_and_where_somebody_lives_is_not_put_away(
    aurelius: Aurelius, vault: Vaults
) -> None:
    facts = (
        "Opening planned for August 2027 (2020-01-01, plan)",
        "Lease ends 2026-12-31 (2020-01-01, event)",
        "Lives in Ely (2020-01-01, status)",
        "Saw a film (2020-01-01, event)",
    )
    root = vault_of(vault, {"people/joe.md": note(*facts)})
    used(root, "2026-01-01")
    assert [each[1] for each in asked(aurelius, root)] == [["Saw a film"]]


# -- in what order, and how many at once -------------------------------------------------------------------


def test_questions_come_before_duplicates_and_what_could_be_archived(
    aurelius: Aurelius, vault: Vaults
) -> None:
    old = [f"Saw film number {number} at the cinema (2020-01-01, event)" for number in range(1, 15)]
    notes = {
        "people/ann.md": note(
            *old, "Has a boat (2026-01-01)", "Has a boat (2026-01-02)", title="Ann"
        ),
        "people/joe.md": note("Lives in Ely (2025-01-01)", "Lives in Bath (2026-01-01)"),
    }
    root = vault_of(vault, notes)
    assert "rarely used" not in aurelius("review", cwd=root).out, (
        "nothing was used yet on the day of adoption"
    )
    used(root, "2026-01-01")
    done = aurelius("review", cwd=root)
    assert done.out.startswith(
        "11 proposals: 1 question, 1 duplicate, 9 facts that are rarely used; the first 10:\n\npeople/joe.md\n"
    )
    assert done.err == "aurelius: 1 more: `aurelius review -n 100`, or --all\n"


def test_questions_then_replacements_then_additions_the_newest_first_and_what_is_not_certain_last(
    aurelius: Aurelius, vault: Vaults
) -> None:
    notes = {
        "ME.md": "# Me\n",
        "people/ann.md": note("Has a boat (2025-01-01)", title="Ann"),
        "people/bea.md": note("Has a boat (2025-01-01)", title="Bea"),
        "people/joe.md": note("Lives in Ely (2025-01-01)"),
        "people/zoe.md": note(
            "Phone: 555-0142 (2025-01-01)", "Phone: 555-0187 (2025-02-01)", title="Zoe"
        ),
        "memory/2026-02-06.md": "# 2026-02-06\n\n- From now on no calls before 10, I draw in the morning\n"
        "- Joe moved to Bath\n- Ann has two sons\n",
        "memory/2026-02-07.md": "# 2026-02-07\n\n- Bea has two dogs\n- Joe likes old cars\n",
    }
    root = vault_of(vault, notes)
    found = json.loads(aurelius("review", "--json", cwd=root).out)["matters"]
    assert [(each["page"], each["fact"]["text"]) for each in found] == [
        ("people/zoe.md", "Phone: 555-0142"),
        ("people/joe.md", "Moved to Bath"),
        ("people/joe.md", "Likes old cars"),
        ("people/bea.md", "Has two dogs"),
        ("people/ann.md", "Has two sons"),
        ("ME.md", "From now on no calls before 10, I draw in the morning"),
    ]


def test_yes_to_all_is_one_step_and_says_how_many(
    ask: Callable[..., Any], aurelius: Aurelius, root: Path
) -> None:
    before = {
        path: (root / path).read_bytes() for path in ("people/joe.md", "memory/2026-02-09.md")
    }
    done = ask("accept", "--all")
    assert done.code == 0
    assert done.err.endswith(
        "3 of 5 proposals accepted; `aurelius undo` takes all of it back\naurelius: left: 1 question, 1 duplicate; "
        "`aurelius review` lists them, `aurelius review accept KEY` accepts one\n"
    )
    assert matters(ask) == [ALL[0], ALL[-1]]
    assert aurelius("undo", cwd=root).code == 0
    assert {path: (root / path).read_bytes() for path in before} == before
    assert matters(ask) == ALL


def test_yes_to_all_of_a_note_leaves_the_others(ask: Callable[..., Any]) -> None:
    assert ask("accept", "--all-of", "joe").code == 0
    assert matters(ask) == [("captured", "The office plant needs water on Mondays")]
    done = ask("accept", "--all-of", "joe")
    assert (done.code, "nothing to review about people/joe.md" in done.err) == (2, True)


def test_yes_to_all_as_a_rehearsal_writes_nothing(ask: Callable[..., Any], root: Path) -> None:
    done = ask("accept", "--all", "--dry-run")
    assert "3 of 5 proposals would be accepted\n" in done.err
    assert (root / "people/joe.md").read_text("utf-8") == JOE


def test_what_another_yes_made_past_is_left_and_told(ask: Callable[..., Any], root: Path) -> None:
    text = JOE.replace("- Works at TechCorp", "- Works at Globex (2025-02-01)\n- Works at TechCorp")
    (root / "people/joe.md").write_text(text, "utf-8", newline="")
    done = ask("accept", "--all-of", "joe")
    assert done.code == 0
    assert matters(ask) == [ALL[3]]


def test_all_and_a_key_together_are_refused(ask: Callable[..., Any]) -> None:
    assert ask("accept", "--all", "gkjn").code == 2
    assert ask("dismiss", "--all", "--json").code == 2


def test_all_of_a_note_can_be_dismissed(ask: Callable[..., Any]) -> None:
    assert ask("dismiss", "--all-of", "joe").code == 0
    assert [what for what, _ in matters(ask)] == ["captured"]


def test_the_rest_of_a_matter_is_asked_about_after_one_line_of_it_was_replaced(
    aurelius: Aurelius, vault: Vaults
) -> None:
    notes = {
        "people/joe.md": note("Lives in LA (2025-01-01)", "Lives in Boston (2025-02-01)"),
        "memory/2026-02-09.md": "# 2026-02-09\n\n- Joe now lives in Chicago\n",
    }
    root = vault_of(vault, notes)
    assert aurelius("review", "accept", "--all", cwd=root).code == 0
    ((what, olds, new),) = asked(aurelius, root)
    assert (what, len(olds), new) == ("ask", 1, "Now lives in Chicago")
    assert aurelius("review", "accept", "--all-of", "joe", cwd=root).code == 0
    assert asked(aurelius, root) == []
    text = (root / "people/joe.md").read_text("utf-8")
    assert (text.count("~~Lives in LA~~"), text.count("~~Lives in Boston~~")) == (1, 1)


@pytest.mark.parametrize("which", ["key", "all"])
def test_a_note_that_is_begun_has_its_facts_and_goes_again_with_one_undo(
    aurelius: Aurelius, vault: Vaults, which: str
) -> None:
    notes = {
        "people/joe.md": note("Lives in Ely (2025-02-01)"),
        "memory/2026-02-08.md": "# 2026-02-08\n\n- My sister Renate Vogel is 61\n- Renate's birthday is 2 June\n",
        "memory/2026-02-09.md": "# 2026-02-09\n\n- Renate works at the Marienkrankenhaus now\n",
    }
    root = vault_of(vault, notes)
    before = {path: path.read_bytes() for path in root.rglob("*.md")}
    found = json.loads(aurelius("review", "--json", cwd=root).out)["matters"]
    begun = [each for each in found if each["page"] == "Renate Vogel"]
    assert len(begun) >= 2
    argv = [each["short"] for each in begun[:1]] if which == "key" else ["--all"]
    assert aurelius("review", "accept", *argv, cwd=root).code == 0
    (page,) = {*root.rglob("*.md")} - {*before}
    assert page.relative_to(root).as_posix() == "people/renate-vogel.md"
    text = page.read_text("utf-8")
    assert "# Renate Vogel\n" in text
    for each in begun[: 1 if which == "key" else None]:
        assert each["fact"]["text"] in text
    assert aurelius("undo", cwd=root).code == 0
    assert {path: path.read_bytes() for path in root.rglob("*.md")} == before
    again = json.loads(aurelius("review", "--json", cwd=root).out)["matters"]
    assert [each["short"] for each in again] == [each["short"] for each in found]


# -- lines of daily notes ----------------------------------------------------------------------------------


DAYS = {
    "people/joe.md": note("Lives in Ely (2025-02-01)", "Phone is 555-0142 (2025-02-01)"),
    "projects/roof.md": note("Painter is Ana (2025-02-01)", title="Roof"),
    "memory/2026-02-08.md": "# 2026-02-08\n\n- Joe lives in Boston\n- Joe's phone is 555-0187\n",
    "memory/2026-02-09.md": "# 2026-02-09\n\n- [[projects/roof]]: Painter is not Ana but Luis\n",
}


def test_a_line_of_a_day_is_proposed_once_and_not_asked_about_as_well(
    aurelius: Aurelius, vault: Vaults
) -> None:
    found = asked(aurelius, vault_of(vault, DAYS))
    assert sorted(found) == [
        ("carry", ["Lives in Boston"], "Lives in Ely"),
        ("carry", ["Painter is not Ana but Luis"], "Painter is Ana"),
        ("carry", ["Phone is 555-0187"], "Phone is 555-0142"),
    ]


def test_yes_to_all_writes_what_the_engine_would_write_by_itself(
    aurelius: Aurelius, vault: Vaults, tmp_path: Path, env: dict[str, str]
) -> None:
    root, other = vault_of(vault, DAYS), tmp_path / "other"
    shutil.copytree(root, other)
    assert aurelius("review", "accept", "--all", cwd=root).code == 0
    assert aurelius("config", "set", "capture.replace", "apply", cwd=other).code == 0
    carry_now(other, env, datetime.datetime(2026, 2, 10, 12))
    assert "- Painter is Ana (2025-02-01)\n" in (other / "projects/roof.md").read_text(
        "utf-8"
    )  # another sentence
    assert aurelius("review", "accept", "--all", cwd=other).code == 0
    assert {path: (other / path).read_bytes() for path in DAYS} == {
        path: (root / path).read_bytes() for path in DAYS
    }
    assert asked(aurelius, root) == []
    assert aurelius("undo", cwd=root).code == 0
    assert {path: (root / path).read_text("utf-8") for path in DAYS} == DAYS


def test_nobody_decides_about_whom_a_line_is_but_the_person(
    aurelius: Aurelius, vault: Vaults
) -> None:
    people = {
        f"people/tom-{name}.md": note("Has a boat", title=f"Tom {name.title()}")
        for name in ("reiss", "reyes")
    }
    root = vault_of(
        vault, {**people, "memory/2026-02-09.md": "# 2026-02-09\n\n- Tom lives in Bath now\n"}
    )
    done = aurelius("review", cwd=root)
    assert "would go to one of these: people/tom-reiss.md, people/tom-reyes.md\n" in done.out
    refused = aurelius("review", "accept", "1", cwd=root)
    assert (
        refused.code,
        "aurelius add people/tom-reyes.md 'Tom lives in Bath now'" in refused.err,
    ) == (2, True)
    assert "0 of 1 proposal accepted\n" in aurelius("review", "accept", "--all", cwd=root).err
    assert {path: (root / path).read_text("utf-8") for path in people} == people


def test_who_somebody_is_is_changed_by_a_yes_to_everything_or_by_no_yes_at_all(
    aurelius: Aurelius, vault: Vaults
) -> None:
    facts = note("Lives in Ely (2025-01-01)", "Moved to Bath (2026-01-01)")
    root = vault_of(vault, {"ME.md": facts, "people/joe.md": facts})
    done = aurelius("review", "accept", "--all", cwd=root)
    assert done.code == 0
    assert (root / "ME.md").read_text("utf-8") == facts
    assert "~~Lives in Ely~~" in (root / "people/joe.md").read_text("utf-8")
    assert "1 of 2 proposals accepted" in done.err
    assert (
        "left: 1 newer line; `aurelius review` lists them, `aurelius review accept KEY`" in done.err
    )
    assert aurelius("review", "accept", "--all-of", "ME.md", cwd=root).code == 0
    assert "~~Lives in Ely~~" in (root / "ME.md").read_text("utf-8")


def test_what_is_not_certain_says_where_it_would_go_and_goes_there(
    aurelius: Aurelius, vault: Vaults
) -> None:
    notes = {
        "projects/roof.md": note("Windows in spruce (2025-02-01)", title="Roof"),
        "memory/2026-02-09.md": "# 2026-02-09\n\n- [[projects/roof]]: Windows larch\n",
    }
    root = vault_of(vault, notes)
    shown = aurelius("review", cwd=root).out
    assert "would go to projects/roof.md\n" in shown
    assert "accept: adds it there; not certain, so --all leaves it\n" in shown
    assert "left: 1 fact that is not certain" in aurelius("review", "accept", "--all", cwd=root).err
    assert aurelius("review", "accept", "1", cwd=root).code == 0
    assert "- Windows larch (2026-02-09, " in (root / "projects/roof.md").read_text("utf-8")


def test_no_to_a_line_of_a_day_is_remembered(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault_of(vault, DAYS)
    assert aurelius("review", "dismiss", "--all-of", "roof", cwd=root).code == 0
    assert [page for what, (page,), _ in asked(aurelius, root) if what == "carry"] == [
        "Lives in Boston",
        "Phone is 555-0187",
    ]


def test_a_line_about_the_person_is_offered_for_me_only_in_a_second_round(
    aurelius: Aurelius, vault: Vaults
) -> None:
    said = (
        "I prefer tea in the morning (2026-02-09, preference)",
        "From now on no calls before ten (2026-02-09, instruction)",
    )
    day = "# 2026-02-09\n\n## Captured\n\n" + "".join(
        f"- {each}\n" for each in (*said, "The roof leaks (2026-02-09)")
    )
    root = vault_of(
        vault, {"ME.md": "# Me\n\n## Preferences\n\n- Short answers\n", "memory/2026-02-09.md": day}
    )
    shown = aurelius("review", cwd=root).out
    assert shown.count("would go to ME.md\n") == 2
    assert shown.count("accept: moves the line there; not certain, so --all leaves it") == 2
    assert "1 of 3 proposals accepted" in aurelius("review", "accept", "--all", cwd=root).err
    assert (root / "ME.md").read_text("utf-8") == "# Me\n\n## Preferences\n\n- Short answers\n"
    aurelius("review", cwd=root)
    assert aurelius("review", "accept", "1", "2", cwd=root).code == 0
    me = (root / "ME.md").read_text("utf-8")
    assert (
        "- I prefer tea in the morning (2026-02-09, preference, from [[memory/2026-02-09]])" in me
    )
    assert (
        "- From now on no calls before ten (2026-02-09, instruction, from [[memory/2026-02-09]])"
        in me
    )
    assert aurelius("review", cwd=root).err == "aurelius: nothing to review\n"


def test_a_line_of_a_day_that_is_about_the_person_cannot_be_accepted(
    aurelius: Aurelius, vault: Vaults
) -> None:
    day = "# 2026-02-09\n\n- I prefer tea in the morning\n"
    root = vault_of(
        vault, {"ME.md": "# Me\n\n## Preferences\n\n- Short answers\n", "memory/2026-02-09.md": day}
    )
    assert "would go to ME.md\n" in aurelius("review", cwd=root).out
    done = aurelius("review", "accept", "1", cwd=root)
    assert (
        done.code,
        "- I prefer tea in the morning (2026-02-09" in (root / "ME.md").read_text("utf-8"),
    ) == (0, True)


def test_every_fact_is_read_more_than_once_for_a_list_of_proposals(
    vault: Vaults, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = {
        f"people/ann-{at}.md": note(f"Lives in Ely {at} (2025-01-01)", title=f"Ann {at}")
        for at in range(30)
    }
    root = vault_of(
        vault, {**notes, "memory/2026-02-09.md": "# 2026-02-09\n\n- Ann 3 lives in Bath now\n"}
    )
    vault_there = Vault.find(str(root), env, str(root), now=datetime.datetime(2026, 2, 10))
    vault_there.refresh()
    at = Desk(vault_there, place_of_config(vault_there.config, env), datetime.datetime(2026, 2, 10))
    read = list[str]()
    fact_of = lists.fact_of

    def counted(detail: str) -> Any:
        read.append(detail)
        return fact_of(detail)

    monkeypatch.setattr(lists, "fact_of", counted)
    assert [each.what for each in open_matters(at)] == ["carry"]
    assert len(read) == 31
    vault_there.close()


CAPTURED = """\
# 2026-02-07

- walked the dog

## Captured

- I take the train to work (2026-02-07) ^aaaa11
- I hate long meetings (2026-02-07, preference) ^aaaa22
- I own a red bicycle (2026-02-07) ^aaaa33

## Evening

- read a book
"""


def test_every_line_that_is_told_stands_there_when_all_is_written(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault_of(
        vault,
        {
            "memory/2026-02-07.md": CAPTURED,
            "memory/2026-02-08.md": CAPTURED.replace("aaaa", "bbbb"),
        },
    )
    rows = [
        row
        for row in aurelius("review", "accept", "--all", cwd=root).out.splitlines()
        if "[id:" in row
    ]
    assert len(rows) == 6
    for row in rows:
        where, words = row.split("  ")[:2]
        path, line = where.rsplit(":", 1)
        assert words in (root / path).read_text("utf-8").splitlines()[int(line) - 1], row


def test_what_is_accepted_stands_under_no_clock_time_and_the_heading_stays(
    aurelius: Aurelius, vault: Vaults
) -> None:
    bare = "## Captured\n\n- The grant ends in May 2027 (2026-02-08) ^bbbb11\n"
    root = vault_of(vault, {"memory/2026-02-07.md": CAPTURED, "memory/2026-02-08.md": bare})
    assert aurelius("review", "accept", "--all", cwd=root).code == 0
    assert (root / "memory/2026-02-07.md").read_text("utf-8") == (
        "# 2026-02-07\n\n- walked the dog\n- I take the train to work (2026-02-07) ^aaaa11\n"
        "- I hate long meetings (2026-02-07, preference) ^aaaa22\n- I own a red bicycle (2026-02-07) ^aaaa33\n\n"
        "## Captured\n\n## Evening\n\n- read a book\n"
    )
    assert (root / "memory/2026-02-08.md").read_text(
        "utf-8"
    ) == "- The grant ends in May 2027 (2026-02-08) ^bbbb11\n\n## Captured\n"
    assert aurelius("undo", cwd=root).code == 0
    assert (root / "memory/2026-02-07.md").read_text("utf-8") == CAPTURED
    assert (root / "memory/2026-02-08.md").read_text("utf-8") == bare


def test_a_heading_stays_with_what_was_not_accepted(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault_of(vault, {"memory/2026-02-07.md": CAPTURED})
    assert aurelius("review", cwd=root).code == 0
    assert aurelius("review", "accept", "1", cwd=root).code == 0
    text = (root / "memory/2026-02-07.md").read_text("utf-8")
    assert text.startswith(
        "# 2026-02-07\n\n- walked the dog\n- I take the train to work (2026-02-07) ^aaaa11\n"
    )
    assert "## Captured\n\n- I hate long meetings" in text


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("James prefers Rust over TypeScript", "James prefers short, direct responses"),
        ("Prefers the aisle seat", "Prefers trains"),
        ("Prefers tea over coffee", "Prefers the aisle seat"),
        ("We decided to use PostgreSQL", "We decided to use JWT for auth tokens"),
    ],
)
def test_lines_that_hold_together_are_a_question(
    aurelius: Aurelius, vault: Vaults, old: str, new: str
) -> None:
    lines = f"{old} (2025-01-01)", f"{new} (2026-01-01)"
    root = vault_of(vault, {"people/james.md": note(*lines, title="James")})
    assert asked(aurelius, root) == []


def test_a_verb_that_begins_a_sentence_is_taken_for_a_part_of_a_name(
    aurelius: Aurelius, vault: Vaults
) -> None:
    days = {
        "people/joe.md": note("Has a boat", title="Joe"),
        "memory/2026-02-08.md": "# 2026-02-08\n\n- My sister Mia is vegetarian\n",
        "memory/2026-02-09.md": "# 2026-02-09\n\n- Gave Mia a fountain pen\n",
    }
    shown = aurelius("review", cwd=vault_of(vault, days)).out
    assert "Gave Mia" not in shown, shown
    assert "would begin a note: Mia\n" in shown


def test_a_yes_to_all_of_a_note_carries_out_what_is_not_certain(
    aurelius: Aurelius, vault: Vaults
) -> None:
    notes = {
        "projects/roof.md": note("Windows in spruce (2025-02-01)", title="Roof"),
        "memory/2026-02-09.md": "# 2026-02-09\n\n- [[projects/roof]]: Windows larch\n",
    }
    root = vault_of(vault, notes)
    done = aurelius("review", "accept", "--all-of", "roof", cwd=root)
    assert "0 of 1 proposal accepted\n" in done.err
    told = "left: 1 fact that is not certain; `aurelius review` lists them, `aurelius review accept KEY` accepts one\n"
    assert told in done.err
    assert {path: (root / path).read_text("utf-8") for path in notes} == notes


def test_an_unrelated_decision_would_replace_an_earlier_one(
    aurelius: Aurelius, vault: Vaults
) -> None:
    said = (
        "## Captured\n\n- We decided to launch on 1 May (2026-02-07, decision) ^aaaa11\n"
        "- Actually, we decided to use Stripe for payments (2026-02-07, decision) ^aaaa22\n"
    )
    root = vault_of(vault, {"memory/2026-02-07.md": f"# 2026-02-07\n\n{said}"})
    found = json.loads(aurelius("review", "--json", cwd=root).out)["matters"]
    assert [each["what"] for each in found] == ["captured", "captured"]
    assert not any("by" in each for each in found)


def test_a_line_that_says_what_it_contradicts_is_asked_about_once(
    ask: Callable[..., Any], root: Path
) -> None:
    """As `merge-file` leaves two versions of one line, whatever their words."""
    (root / "people/joe.md").write_text(
        "# Joe\n\n## Facts\n- Plays the viola (2026-03-05) ^aaaaaa\n"
        "- Sold the cello (2026-03-04, contradicts ^aaaaaa) ^bbbbbb\n",
        "utf-8",
        newline="",
    )
    (root / "memory/2026-02-09.md").unlink()
    found = json.loads(ask("--json").out)["matters"]
    assert [each["what"] for each in found] == ["ask"]
    ask("dismiss", found[0]["key"])
    assert json.loads(ask("--json").out)["matters"] == []
