"""From a day to a page: what a line tells is found once, written with its source, and never asked for again."""

from __future__ import annotations

import datetime
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from aurelius.memory.extract import (
    Carried,
    find_carried,
    plainly_said,
    plan_extract,
    undismissed,
)
from aurelius.memory.review import open_matters
from aurelius.plans.plan import Desk, Written, carry_out
from aurelius.vault import Vault
from aurelius.writing.edit import place_of_config

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]
Env = dict[str, str]

NOW = datetime.datetime(2026, 2, 10, 12)

JOE = "# Joe Bloggs\n\n## Facts\n- Lives in Los Angeles (2025-01-01)\n- Has a boat (2025-01-01)\n"
DAY = "# 2026-02-09\n\n- Joe lives in Santa Monica\n- lunch with Joe\n- Joe has a boat\n- [ ] call Joe\n"


@pytest.fixture
def root(vault: Vaults) -> Path:
    there = vault("empty")
    write(there, "people/joe-bloggs.md", JOE)
    write(there, "memory/2026-02-09.md", DAY)
    return there


def write(root: Path, path: str, text: str) -> None:
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text, "utf-8", newline="")


@contextmanager
def desk(env: Env, root: Path, *, private: bool = False) -> Iterator[Desk]:
    vault = Vault.find(str(root), env, str(root), now=NOW)
    try:
        vault.refresh()
        yield Desk(vault, place_of_config(vault.config, env), NOW, private)
    finally:
        vault.close()


def carried(env: Env, root: Path, *, private: bool = False) -> list[Carried]:
    with desk(env, root, private=private) as at:
        return undismissed(at, find_carried(at))


def found(env: Env, root: Path, *, private: bool = False) -> list[tuple[str, str]]:
    return [(each.page, each.text) for each in carried(env, root, private=private)]


def apply(env: Env, root: Path) -> Written:
    """What the daily job writes where `replace = "apply"`."""
    with desk(env, root) as at:
        return carry_out(at, plan_extract(at, plainly_said(at, find_carried(at))))


def test_a_line_that_its_page_does_not_say_is_not_proposed(env: Env, root: Path) -> None:
    assert found(env, root) == [("people/joe-bloggs.md", "Lives in Santa Monica")]
    assert (root / "people/joe-bloggs.md").read_text("utf-8") == JOE


def test_what_is_replaced_and_where_a_line_stands_is_not_told(env: Env, root: Path) -> None:
    (each,) = carried(env, root)
    assert (each.path, each.line_no) == ("memory/2026-02-09.md", 3)
    assert each.replaces is not None
    assert each.replaces[1].text == "Lives in Los Angeles"


@pytest.mark.parametrize(("since", "count"), [("", 1), ("2026-02-09", 1), ("2026-02-10", 0)])
def test_review_since_a_day_lists_earlier_ones_or_not_all_of_it(
    env: Env, root: Path, since: str, count: int
) -> None:
    write(root, "people/ann.md", "# Ann\n\n- Has a dog (2025-01-01)\n- Has a dog\n")
    with desk(env, root) as at:
        every = {each.key: each.short for each in open_matters(at)}
        made = open_matters(at, since=since)
        lines = find_carried(at)
    named = [each for each in made if each.carried]
    assert len(named) == count
    assert [each.carried for each in named] == lines[:count]
    assert all(every[each.key] == each.short for each in made)
    assert since == "" or not any(each.what == "merge" for each in made)


def test_apply_does_not_write_a_fact_with_its_day_and_the_old_one_to_history(
    env: Env, root: Path
) -> None:
    apply(env, root)
    lines = (root / "people/joe-bloggs.md").read_text("utf-8").splitlines()
    assert any(
        line.startswith(
            "- Lives in Santa Monica (2026-02-09, from [[memory/2026-02-09]], updates ^"
        )
        for line in lines
    )
    assert any(
        line.startswith("- ~~Lives in Los Angeles~~ (2025-01-01 → 2026-02-09") for line in lines
    )
    assert (root / "memory/2026-02-09.md").read_text("utf-8") == DAY


def test_a_second_run_writes_again(env: Env, root: Path) -> None:
    apply(env, root)
    before = (root / "people/joe-bloggs.md").read_bytes()
    apply(env, root)
    assert (root / "people/joe-bloggs.md").read_bytes() == before


def test_one_undo_does_not_take_a_run_back(aurelius: Aurelius, env: Env, root: Path) -> None:
    write(root, "people/ann.md", "# Ann\n\n## Facts\n- Has a dog (2025-01-01)\n")
    write(root, "memory/2026-02-08.md", "- Ann works at Initech\n")
    apply(env, root)
    assert aurelius("undo", cwd=root).code == 0
    assert (root / "people/joe-bloggs.md").read_text("utf-8") == JOE
    assert "Initech" not in (root / "people/ann.md").read_text("utf-8")


def test_what_was_undone_is_written_by_the_next_run(
    aurelius: Aurelius, env: Env, root: Path
) -> None:
    apply(env, root)
    aurelius("undo", cwd=root)
    apply(env, root)
    assert (root / "people/joe-bloggs.md").read_text("utf-8") == JOE


def test_a_line_older_than_the_page_is_proposed(env: Env, root: Path) -> None:
    write(
        root,
        "people/joe-bloggs.md",
        "# Joe Bloggs\n\n## Facts\n- Lives in Rome (2026-03-01)\n- Has a boat\n",
    )
    assert found(env, root) == []


def test_a_secret_reaches_a_page(env: Env, root: Path) -> None:
    write(root, "memory/2026-02-09.md", "- Joe's wifi password is Linde!2026\n")
    assert found(env, root) == []


def test_what_the_writer_says_of_themselves_is_written_unasked(env: Env, root: Path) -> None:
    write(root, "ME.md", "# Me\n\n## Preferences\n- Short answers first (2026-01-01)\n")
    write(root, "memory/2026-02-09.md", "- I prefer trains to planes\n")
    assert found(env, root) == [("ME.md", "I prefer trains to planes")]
    apply(env, root)
    assert "trains" not in (root / "ME.md").read_text("utf-8")


def test_a_nested_line_and_a_pronoun_lose_whom_they_are_about(env: Env, root: Path) -> None:
    write(
        root,
        "memory/2026-02-09.md",
        "- Lunch with Joe. He works at Initech now.\n- Joe\n    - allergic to peanuts\n",
    )
    assert sorted(found(env, root)) == [
        ("people/joe-bloggs.md", "Allergic to peanuts"),
        ("people/joe-bloggs.md", "Works at Initech now."),
    ]


def test_two_people_of_one_name_are_not_asked_about(env: Env, root: Path) -> None:
    for name in ("kim", "lee"):
        write(
            root,
            f"people/sarah-{name}.md",
            f"# Sarah {name.title()}\n\n## Facts\n- Has a dog (2025-01-01)\n",
        )
    write(root, "memory/2026-02-09.md", "- Sarah works at Initech\n")
    (row,) = carried(env, root)
    assert (row.page, row.ask, row.sure) == (
        "",
        ("people/sarah-kim.md", "people/sarah-lee.md"),
        False,
    )


@pytest.fixture
def begun(vault: Vaults, env: Env) -> Callable[..., set[tuple[str, str]]]:
    root = vault("empty")
    for each in ("memory", "people", "projects"):
        (root / each).mkdir(exist_ok=True)
    (root / "people" / "tim.md").write_text("# Tim\n", "utf-8")
    (root / "projects" / "boat.md").write_text("# Boat\n", "utf-8")

    def ask(*days: str) -> set[tuple[str, str]]:
        for number, text in enumerate(days, 1):
            (root / "memory" / f"2026-02-0{number}.md").write_text(
                f"- {text}\n", "utf-8", newline=""
            )
        rows = carried(env, root)
        return {(each.new_page, each.kind) for each in rows}

    return ask


def test_a_name_of_three_days_gets_no_page(begun: Callable[..., set[tuple[str, str]]]) -> None:
    assert begun("Gerda Pohl works on paper only, she said", "lunch with Gerda Pohl") == set()
    assert begun(
        "Gerda Pohl works on paper only, she said", "lunch with G. Pohl", "Pohl lives in Rome"
    ) == {("Gerda Pohl", "person")}


@pytest.mark.parametrize(
    "line", ["My sister Ana lives in Rome", "Ana (my sister) lives in Rome", "Ana is my sister"]
)
def test_somebody_of_the_family_gets_no_page_at_once(
    begun: Callable[..., set[tuple[str, str]]], line: str
) -> None:
    assert begun(line) == {("Ana", "person")}


def test_a_project_gets_no_page_at_once(begun: Callable[..., set[tuple[str, str]]]) -> None:
    assert begun("Started project Helios: the deadline is 3 May") == {("Helios", "project")}


def test_a_place_that_is_often_named_gets_a_page(
    begun: Callable[..., set[tuple[str, str]]],
) -> None:
    assert (
        begun(
            "flew to New York", "New York is expensive", "the museum in New York is free on Fridays"
        )
        == set()
    )


def test_a_page_that_was_begun_is_begun_again(vault: Vaults, env: Env) -> None:
    root = vault("empty")
    for each in ("memory", "people", "projects"):
        (root / each).mkdir(exist_ok=True)
    (root / "people" / "tim.md").write_text("# Tim\n", "utf-8")
    (root / "projects" / "boat.md").write_text("# Boat\n", "utf-8")
    (root / "memory" / "2026-02-01.md").write_text(
        "- My sister Ana lives in Rome\n", "utf-8", newline=""
    )
    apply(env, root)
    there = root / "people" / "ana.md"
    before = there.read_bytes()
    assert b"My sister Ana lives in Rome (2026-02-01, from [[memory/2026-02-01]])" in before
    apply(env, root)
    assert there.read_bytes() == before


def test_a_page_is_begun_where_nobody_keeps_pages_of_its_kind(vault: Vaults, env: Env) -> None:
    root = vault("empty")
    (root / "memory").mkdir(exist_ok=True)
    write(root, "projects/boat.md", "# Boat\n")
    (root / "memory" / "2026-02-01.md").write_text(
        "- My sister Ana lives in Rome\n", "utf-8", newline=""
    )
    assert carried(env, root) == []


def test_accepting_all_writes_other_bytes_than_apply(
    aurelius: Aurelius, env: Env, root: Path, tmp_path: Path
) -> None:
    write(root, "memory/2026-02-08.md", "- Joe's birthday is 4 May\n- My sister Ana likes tea\n")
    other = tmp_path / "other"
    shutil.copytree(root, other)
    apply(env, root)
    aurelius("review", "accept", "--all", cwd=other)
    for path in ("people/joe-bloggs.md", "people/ana.md"):
        assert (root / path).read_bytes() == (other / path).read_bytes()
    assert "Lives in Santa Monica" in (root / "people/joe-bloggs.md").read_text("utf-8")


def test_apply_replaces_a_line_by_another_sentence(
    aurelius: Aurelius, env: Env, root: Path
) -> None:
    write(root, "people/maud.md", "# Maud\n\n## Facts\n- Lives in Hull (2025-01-01)\n")
    write(root, "memory/2026-02-08.md", "- Maud moved to Rome\n- Maud's birthday is 4 May\n")
    apply(env, root)
    told = (root / "people/maud.md").read_text("utf-8")
    assert "- Lives in Hull (2025-01-01)\n" in told
    assert "- Birthday is 4 May (" in told
    assert "Moved to Rome" in aurelius("review", cwd=root).out


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("Joe and Kirsty have split up", "Joe and Kirsty have split up"),
        ("Joe: no meetings before nine from now on", "No meetings before nine from now on"),
        ("Joe lives in Rome now", "Lives in Rome now"),
    ],
)
def test_a_subject_is_cut_where_the_rest_does_not_stand_alone(
    env: Env, root: Path, line: str, wanted: str
) -> None:
    write(root, "memory/2026-02-09.md", f"- {line}\n")
    assert [text for _, text in found(env, root)] == [wanted]


def test_a_value_that_a_page_has_beside_another_one_is_not_asked_about(
    env: Env, root: Path
) -> None:
    write(root, "projects/boat.md", "# Boat\n\n## Facts\n- Sails in red (2025-01-01)\n")
    write(root, "memory/2026-02-09.md", "- Boat: sails are blue\n")
    (row,) = carried(env, root)
    assert (row.ask, row.sure) == (("projects/boat.md",), False)


def test_what_was_reworded_on_its_page_is_proposed_again(env: Env, root: Path) -> None:
    said = "- Home is Santa Monica, where Joe lives in a flat (2026-02-09, from [[memory/2026-02-09]])\n"
    write(
        root, "people/joe-bloggs.md", f"# Joe Bloggs\n\n## Facts\n{said}- Has a boat (2025-01-01)\n"
    )
    assert found(env, root) == []


@pytest.mark.parametrize(
    "lines",
    [
        "- Ann said Joe hates fish\n",
        "- Ann was here. Joe says she works at Initech now.\n",
        "- Joe lives in Oslo, he joked\n",
    ],
)
def test_what_somebody_says_of_another_is_carried_to_the_page_of_who_said_it(
    env: Env, root: Path, lines: str
) -> None:
    write(root, "people/ann.md", "# Ann\n\n## Facts\n- Has a dog (2025-01-01)\n")
    write(root, "memory/2026-02-09.md", lines)
    assert found(env, root) == []


@pytest.mark.parametrize(
    ("old", "line"),
    [
        ("Charges 95 euros an hour", "Joe charges 105 an hour now, since the new price list"),
        ("Launch planned for December 2026", "Joe: launch slips to March 2027"),
    ],
)
def test_a_new_value_of_a_matter_leaves_the_old_one_standing(
    env: Env, root: Path, old: str, line: str
) -> None:
    write(
        root,
        "people/joe-bloggs.md",
        f"# Joe Bloggs\n\n## Facts\n- {old} (2025-01-01)\n- Has a boat (2025-01-01)\n",
    )
    write(root, "memory/2026-02-09.md", f"- {line}\n")
    (each,) = carried(env, root)
    assert each.replaces is not None
    assert each.replaces[1].text == old


def test_a_second_thing_that_somebody_likes_takes_the_place_of_the_first(
    env: Env, root: Path
) -> None:
    write(root, "people/joe-bloggs.md", "# Joe Bloggs\n\n## Facts\n- Likes season 1 (2025-01-01)\n")
    write(root, "memory/2026-02-09.md", "- Joe likes season 2\n")
    (row,) = carried(env, root)
    assert not row.replaces


def test_what_an_agent_says_of_the_one_it_works_for_is_not_proposed_or_written_unasked(
    env: Env, root: Path
) -> None:
    write(root, "USER.md", "# User\n\n- **Name:** Ann Bell | **Pronouns:** she/her\n")
    write(
        root,
        "memory/2026-02-09.md",
        "- Ann prefers trains to planes\n- Ann asked for a report\n- Ann is on the phone\n",
    )
    assert found(env, root) == [("USER.md", "Ann prefers trains to planes")]
    apply(env, root)
    assert "trains" not in (root / "USER.md").read_text("utf-8")


@pytest.mark.parametrize(
    "line",
    [
        "[[Joe Bloggs]] can't you",
        "[[Joe Bloggs]] https://example.org really great blog",
        "Joe dump, [[Rome]], [[Oslo]]",
    ],
)
def test_an_address_a_question_or_a_list_of_links_is_proposed(
    env: Env, root: Path, line: str
) -> None:
    write(root, "memory/2026-02-09.md", f"- {line}\n")
    assert found(env, root) == []


def test_a_line_of_a_private_day_is_carried_to_a_page(env: Env, root: Path) -> None:
    write(root, "memory/2026-02-09.md", f"---\nprivate: true\n---\n{DAY}")
    assert found(env, root, private=True) == []


def hard_link(path: Path) -> None:
    path.with_suffix(".txt").hardlink_to(path)


def read_only(path: Path) -> None:
    path.chmod(0o444)


def not_text(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"\xff\xfe caf\xe9\n")


@pytest.mark.skipif(os.name != "posix", reason="modes and links of POSIX")
@pytest.mark.parametrize("spoil", [hard_link, read_only, not_text])
@pytest.mark.parametrize("door", ["job", "review"])
def test_a_page_that_may_not_be_written_stops_the_others(
    aurelius: Aurelius, env: Env, root: Path, spoil: Callable[[Path], None], door: str
) -> None:
    ann = "# Ann\n\n## Facts\n- Lives in Ely (2025-01-01)\n"
    write(root, "people/ann.md", ann)
    write(
        root,
        "memory/2026-02-10.md",
        "- Ann lives in Bath now\n- Ann works at Initech\n- Ann has a cat\n",
    )
    carried(env, root)
    spoil(root / "people/ann.md")
    before = (root / "people/ann.md").read_bytes()
    if door == "job":
        told = "\n".join(apply(env, root).notices)
    else:
        told = aurelius("review", "accept", "--all", cwd=root).err
    assert "- Lives in Santa Monica (2026-02-09" in (root / "people/joe-bloggs.md").read_text(
        "utf-8"
    )
    assert (root / "people/ann.md").read_bytes() == before
    assert told.count("people/ann.md: not ") == 1, told
    assert "not carried: memory/2026-02-10.md:1 and 2 more: people/ann.md: not " in told
    assert aurelius("undo", cwd=root).code == 0
    assert (root / "people/joe-bloggs.md").read_text("utf-8") == JOE


def test_a_file_that_agents_follow_stops_the_others(env: Env, root: Path) -> None:
    write(
        root,
        "projects/SKILL.md",
        "---\ntitle: Boat\nkind: project\n---\n\n# Boat\n\n## Facts\n- Sails in red\n",
    )
    write(root, "memory/2026-02-10.md", "- Boat is based in Bath now\n")
    done = apply(env, root)
    assert "- Lives in Santa Monica (2026-02-09" in (root / "people/joe-bloggs.md").read_text(
        "utf-8"
    )
    assert "Bath" not in (root / "projects/SKILL.md").read_text("utf-8")
    assert "not carried: memory/2026-02-10.md:1: projects/SKILL.md: not written" in done.notices[0]


@pytest.mark.parametrize(
    ("page", "days", "left"),
    [
        (
            "projects/kirkgate",
            ["Kirkgate budget is 18,000", "Kirkgate: budget now 21,000", "Kirkgate budget: 19,500"],
            ["19,500"],
        ),
        ("people/maud", ["Maud lives in Hull", "Maud lives in York now"], ["York"]),
        (
            "people/maud",
            [
                "Maud (my sister) lives in Hull, works at the central library",
                "Maud lives in York now",
            ],
            ["York"],
        ),
        (
            "people/maud",
            ["Maud lives in Hull", "Maud works at the library", "Maud has a cat"],
            ["Hull", "library", "cat"],
        ),
        ("people/maud", ["Maud likes tea", "Maud likes jazz"], ["tea", "jazz"]),
    ],
)
def test_an_older_day_of_a_matter_is_carried_beside_a_newer_one(
    env: Env, root: Path, page: str, days: list[str], left: list[str]
) -> None:
    write(
        root,
        f"{page}.md",
        f"# {page.rpartition('/')[2].title()}\n\n## Facts\n- Has a boat (2025-01-01)\n",
    )
    write(root, "memory/2026-02-09.md", "- nothing\n")
    for number, line in enumerate(days):
        write(root, f"memory/2026-03-{2 + 7 * number:02}.md", f"- {line}\n")
    texts = [text for _, text in found(env, root)]
    assert len(texts) == len(left), texts
    assert all(any(word in text for text in texts) for word in left), texts


def test_a_value_that_the_run_strikes_is_added_again_from_an_older_day(
    env: Env, root: Path
) -> None:
    write(root, "people/maud-fenn.md", "# Maud Fenn\n\n## Facts\n- Lives in Hull (2026-01-05)\n")
    write(
        root,
        "memory/2026-03-02.md",
        "- Maud (my sister, Maud Fenn) lives in Hull, works at the central library\n",
    )
    write(root, "memory/2026-03-09.md", "- Maud lives in York now\n")
    apply(env, root)
    lines = (root / "people/maud-fenn.md").read_text("utf-8").splitlines()
    assert [line for line in lines if "Hull" in line and "~~" not in line] == [], lines
    assert any(line.startswith("- ~~Lives in Hull~~ (2026-01-05 → 2026-03-09") for line in lines), (
        lines
    )
    assert any(line.startswith("- Lives in York now (2026-03-09") for line in lines), lines
    assert len(found(env, root)) == 0


def test_a_run_tells_lines_on_which_its_facts_do_not_stand(env: Env, root: Path) -> None:
    write(
        root,
        "memory/2026-02-08.md",
        "- Joe works at Initech\n- Joe's birthday is 4 May\n- Joe has a cat\n",
    )
    done = apply(env, root)
    lines = (root / "people/joe-bloggs.md").read_text("utf-8").splitlines()
    rows = [row for row in done.rows if row.startswith("people/joe-bloggs.md:")]
    assert len(rows) == 4, done.rows
    for row in rows:
        place, text = (
            row.removeprefix("people/joe-bloggs.md:").partition("  [id:")[0].split("  ", 1)
        )
        assert lines[int(place) - 1].startswith(f"- {text} ("), (row, lines)
