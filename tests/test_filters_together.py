"""Filters work together: each pair lets through what both let through alone, in lists and in searches."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]


class Row(NamedTuple):
    """A note of the vault: what stands in it, and which notes it links to."""

    kind: str
    date: str
    tier: str
    type: str
    tag: str = ""
    rating: int = 0
    links: tuple[str, ...] = ()
    past: bool = False


ROWS = {
    "people/ann.md": Row(
        "person",
        "2026-02-09",
        "hot",
        "fact",
        "friend",
        9,
        ("projects/boat.md", "companies/acme.md"),
    ),
    "people/bob.md": Row(
        "person",
        "2026-01-22",
        "warm",
        "preference",
        "friend/close",
        3,
        ("people/ann.md", "companies/acme.md"),
        past=True,
    ),
    "companies/acme.md": Row("company", "2025-06-01", "cold", "fact", "work"),
    "projects/boat.md": Row(
        "project", "2026-02-08", "hot", "decision", "work", 7, ("companies/acme.md",)
    ),
    "archives/tim.md": Row(
        "person", "2026-02-09", "hot", "decision", "friend", 8, ("people/ann.md",)
    ),
    "notes/lone.md": Row("note", "2025-05-01", "cold", "fact", "", 7),
    "memory/2026-02-09.md": Row(
        "daily", "2026-02-09", "hot", "fact", "", 0, ("projects/boat.md",), past=True
    ),
    "conversations/chat.md": Row(
        "note", "2026-02-09", "hot", "fact", "friend", 9, ("people/ann.md", "notes/lone.md")
    ),
}


def written(path: str, row: Row) -> str:
    """The note: a property that links, a fact with the word that every note holds, and a past one where it has any."""
    links = ", ".join(f'"[[{link.removesuffix(".md")}]]"' for link in row.links)
    front = f"date: {row.date}\nrating: {row.rating}\ntags: [{row.tag}]\nup: [{links}]\n"
    kind = f"**Type:** {row.kind}\n\n" if path.startswith("archives") else ""
    tail = f"({row.date}, {row.type})"
    past = (
        f"\n## History\n- ~~Held common views of {path[-6:-3]} once~~ {tail}\n" if row.past else ""
    )
    return f"---\n{front}---\n# {path[-6:-3]}\n\n{kind}## Facts\n- Keeps the common word of {path[-6:-3]} {tail}\n{past}"


def near(path: str) -> set[str]:
    return set(ROWS[path].links) | {each for each, row in ROWS.items() if path in row.links}


def apart(path: str) -> set[str]:
    return {two for one in near(path) for two in near(one)} - near(path) - {path}


def walked(path: str, most: int, *, back: bool = False) -> set[str]:
    """The notes at most so many links away, the slow and obvious way."""
    found: set[str] = set()
    edge = {path}
    for _ in range(most):
        edge = {
            each
            for each in ROWS
            for at in edge
            if (at in ROWS[each].links if back else each in ROWS[at].links)
        }
        found |= edge
    return found - {path}


def of(met: Callable[[str, Row], bool]) -> set[str]:
    return {path for path, row in ROWS.items() if met(path, row)}


FILTERS: dict[str, set[str]] = {
    "--kind person": of(lambda _, row: row.kind == "person"),
    "--tag friend": of(lambda _, row: row.tag.startswith("friend")),
    "--in people": of(lambda path, _: path.startswith("people/")),
    "--where rating>=7": of(lambda _, row: row.rating >= 7),
    "--where up=acme": of(lambda _, row: "companies/acme.md" in row.links),
    "--since 2026-02-01": of(lambda _, row: row.date >= "2026-02-01"),
    "--until 2026-01-31": of(lambda _, row: row.date <= "2026-01-31"),
    "--on 2026-02-09": of(lambda _, row: row.date == "2026-02-09"),
    "--tier hot": of(lambda _, row: row.tier == "hot"),
    "--type decision": of(lambda _, row: row.type == "decision"),
    "--status superseded": of(lambda _, row: row.past),
    "--archived only": of(lambda path, _: path.startswith("archives/")),
    "--archived no": of(lambda path, _: not path.startswith("archives/")),
    "--linked-by bob": set(ROWS["people/bob.md"].links),
    "--linked-by bob --recursive": walked("people/bob.md", 9),
    "--linked-by tim --max-distance 2": walked("archives/tim.md", 2),
    "--link-to acme": walked("companies/acme.md", 1, back=True),
    "--link-to acme --recursive": walked("companies/acme.md", 9, back=True),
    "--related boat": apart("projects/boat.md"),
    "--orphan": set(ROWS) - {link for row in ROWS.values() for link in row.links},
}
APART = {"conversations/chat.md"}
"""What only `--in conversations` shows."""


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    there = tmp_path_factory.mktemp("vault")
    (there / ".aurelius").mkdir()
    for path, row in ROWS.items():
        (there / path).parent.mkdir(exist_ok=True)
        (there / path).write_text(written(path, row), "utf-8")
    return there


def together(one: str, other: str) -> bool:
    """Whether two filters are of two options: what one option twice means is its own matter."""
    options = [{word for word in each.split() if word.startswith("--")} for each in (one, other)]
    walks = any(one & {"--recursive", "--max-distance"} for one in options)
    days = {"--since", "--until", "--on"}
    if options[0] & options[1] or (options[0] & days and options[1] & days):
        return False
    return not (walks and all("--link" in each for each in (one, other)))


def test_each_filter_alone_lets_through_what_it_names(aurelius: Aurelius, root: Path) -> None:
    for given, expected in FILTERS.items():
        assert expected, given
        assert shown(aurelius, root, "list", given) == expected - APART, given
        assert (
            shown(aurelius, root, "search common --mode keyword -n 100", given) == expected - APART
        ), given


@pytest.mark.parametrize("one", FILTERS)
def test_two_filters_let_through_what_both_do(one: str, aurelius: Aurelius, root: Path) -> None:
    for other, allowed in FILTERS.items():
        if together(one, other) and one < other:
            expected = (FILTERS[one] & allowed) - APART
            for command in ("list", "search common --mode keyword -n 100", "search"):
                assert shown(aurelius, root, command, f"{one} {other}") == expected, (
                    command,
                    one,
                    other,
                )


def shown(aurelius: Aurelius, root: Path, command: str, given: str) -> set[str]:
    no_use = " --no-use" * command.startswith("search")
    done = aurelius(*f"{command} {given} --paths --now 2026-02-10{no_use}".split(), cwd=root)
    assert done.code == 0, done.err
    return set(done.out.splitlines())


def test_what_was_talked_about_is_searched_and_listed_only_where_it_is_asked_for(
    aurelius: Aurelius, root: Path
) -> None:
    for command in (
        ["search", "common"],
        ["list"],
        ["search", "--tag", "friend"],
        ["list", "--type", "fact"],
    ):
        for ask in (
            ["--in", "conversations"],
            ["--in", "conversations/chat"],
            ["--where", "path ~ conversations"],
        ):
            assert aurelius(*command, *ask, "--paths", cwd=root).out.splitlines() == [
                "conversations/chat.md"
            ], command
        told = aurelius(*command, "--json", cwd=root)
        assert "conversations/chat.md" not in told.out
        assert json.loads(told.out)["filtered"]["conversations"] >= 1
        assert "in conversations/; `--in conversations`" in told.err
    assert "common word" in aurelius("get", "conversations/chat.md", cwd=root).out
    assert "conversations/chat.md" in aurelius("links", "ann", cwd=root).out


def test_only_the_folder_that_is_called_so_holds_conversations(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    for path in (
        "conversations/a.md",
        "Conversations-2/b.md",
        "notes/conversations/c.md",
        "conversations.md",
    ):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text("We saw a zebra\n", "utf-8")
    every = {"Conversations-2/b.md", "notes/conversations/c.md", "conversations.md"}
    for command in (["search", "zebra"], ["list"]):
        assert set(aurelius(*command, "--paths", cwd=root).out.splitlines()) == every
    done = aurelius("search", "zebra", "--in", "notes/a.md", cwd=root)
    only = aurelius("search", "zebra", "--where", "path = conversations/a.md", "--paths", cwd=root)
    assert (only.out, "left out" in done.err) == ("conversations/a.md\n", False)


def test_a_word_that_only_conversations_hold_is_said_to_be_there_once(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    (root / "conversations").mkdir()
    (root / "conversations" / "a.md").write_text("We saw a zebra\n", "utf-8")
    done = aurelius("search", "zebra", "--mode", "keyword", cwd=root)
    assert done.out == ""
    assert done.err.count("left out") == 1
    assert "left out: 1 in conversations/; `--in conversations` searches there" in done.err


def test_a_search_without_words_lists_as_list_does(aurelius: Aurelius, root: Path) -> None:
    for given in (
        "--tag friend",
        "--on 2026-02-09 --type fact",
        "--linked-by bob --sort title -n 1",
        "--orphan --all",
    ):
        for form in ([], ["--json"], ["--paths"], ["--format", r"{path}:{line}\t{date}"]):
            listed = aurelius("list", *given.split(), *form, cwd=root)
            for query in ([], [""], ["  "]):
                assert aurelius("search", *query, *given.split(), *form, cwd=root) == listed


def test_a_search_with_neither_words_nor_filters_is_a_usage_error(
    aurelius: Aurelius, root: Path
) -> None:
    for words in ([], [""], ["--private"], ["--status", "all"], ["--as-of", "2026-01-01"]):
        done = aurelius("search", *words, cwd=root)
        assert (done.code, done.out) == (2, "")
        assert "missing argument: QUERY" in done.err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--tag x --mode vector", "--mode needs a QUERY"),
        ("--tag x --as-of 2026-01-01", "--as-of needs a QUERY"),
        ("--tag x --jsonl", "--jsonl needs a QUERY"),
        ("common --sort title", "--sort is for lists"),
        ("common --all", "--all is for lists"),
        ("common --recursive", "--recursive needs --linked-by or --link-to"),
        ("common --max-distance 2 --orphan", "--max-distance needs --linked-by or --link-to"),
        ("common --linked-by nobody-is-called-so", "no note is called 'nobody-is-called-so'"),
        ("common --format {titel}", "--format has no field {titel}"),
        ("common --format {path", "--format has { alone"),
        ("common --format {path} --json", "--json and --format cannot go together"),
    ],
)
def test_options_that_cannot_go_together_end_in_one_message(
    words: str, told: str, aurelius: Aurelius, root: Path
) -> None:
    done = aurelius("search", *words.split(), cwd=root)
    assert done.code in {2, 5}
    assert done.out == ""
    assert told in done.err


def test_the_facts_of_a_day_bring_their_note_into_a_list_of_that_day(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    (root / "old.md").write_text(
        "---\ndate: 2020-01-01\n---\n## Facts\n- Moved to Rome (2026-02-09)\n", "utf-8"
    )
    (root / "older.md").write_text(
        "---\ndate: 2020-01-01\n---\n## Facts\n- Moved to Bonn (2020-01-01)\n", "utf-8"
    )
    assert aurelius("list", "--on", "2026-02-09", "--paths", cwd=root).out == "old.md\n"


def test_tasks_are_of_the_notes_that_the_filters_allow(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("empty")
    for number, path in enumerate(("a/one.md", "b/two.md", "conversations/three.md")):
        (root / path).parent.mkdir()
        (root / path).write_text(
            f"---\nrating: {number}\n---\n- [ ] call {path} [[one]]\n", "utf-8"
        )
    for given, line in (
        ("--in b", "b/two.md:4"),
        ("--where rating=1", "b/two.md:4"),
        ("--linked-by two", "a/one.md:4"),
    ):
        out = aurelius("tasks", *given.split(), cwd=root).out.splitlines()
        assert [row.split()[0] for row in out[1:]] == [line]
    done = aurelius("tasks", "--json", cwd=root)
    assert [task["path"] for task in json.loads(done.out)["tasks"]] == ["a/one.md", "b/two.md"]
    assert json.loads(done.out)["filtered"] == {"conversations": 1}


def test_a_list_costs_no_more_tokens_than_its_budget(aurelius: Aurelius, vault: Vaults) -> None:
    from indexer.spelling import count_tokens

    root = vault("empty")
    for number in range(40):
        (root / f"note-{number}.md").write_text(
            f"# Note {number}\n\n#kept\n\n## Facts\n- Word {number}\n", "utf-8"
        )
    for command in ("list", "search --tag kept", "list --type fact"):
        for form in ([], ["--json"], ["--paths"], ["--format", "{path} {date}"]):
            counts = []
            for budget in (60, 120, 300, 900, 3000):
                out = aurelius(*command.split(), *form, "--budget", str(budget), cwd=root).out
                assert count_tokens(out) <= budget, (command, form, budget)
                counts.append(out.count("note-"))
            assert counts == sorted(counts)
            assert counts[0] < counts[-1] == 40, (command, form, counts)


def test_each_row_of_a_template_is_one_line(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("template")
    out = aurelius(
        "search", "joe", "--format", r"{path}:{line}\t{title}\\{{{id}}}", "-n", "3", cwd=root
    ).out
    assert len(out.splitlines()) == 3
    assert all("\t" in line and "\\{" in line and line.endswith("}") for line in out.splitlines())
    assert "people/joe-bloggs.md:13\tJoe Bloggs\\{k3v9qa}\n" in out
    rows = aurelius(
        "search", "joe", "--format", "{text} {heading} {tier} {score} {end}", cwd=root
    ).out.splitlines()
    assert (
        len(rows) == json.loads(aurelius("search", "joe", "--json", cwd=root).out)["hits"].__len__()
    )
    facts = aurelius("list", "--type", "fact", "--format", "{id} {text}", cwd=root).out
    assert "k3v9qa Lives in Los Angeles\n" in facts


DREAMT = (
    "# Light\n\n- [ ] order a zebra\n- confidence: 0.58\n\n"
    "## Facts\n- The zebra theme is striped (2026-01-02)\n- The zebra theme is striped (2026-01-01)\n"
)


def test_what_an_agent_dreamt_is_in_no_list_and_no_count_but_where_it_is_asked_for(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    for path in ("memory/dreaming/deep/2026-02-01.md", "bot/memory/Dreaming/2026-02-01.md"):
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(DREAMT, "utf-8")
    (root / "shed.md").write_text("## Facts\n- Holds a saddle (2026-01-01)\n", "utf-8")
    for command in (["list"], ["list", "--type", "fact"], ["tasks"], ["search", "zebra"]):
        done = aurelius(*command, "--json", cwd=root)
        assert "reaming/" not in done.out.replace("memory/dreaming", ""), command
        assert json.loads(done.out)["filtered"]["memory/dreaming"] >= 2, command
        assert "in memory/dreaming/; `--in memory/dreaming`" in done.err, command
        there = aurelius(*command, "--in", "memory/dreaming", "--json", cwd=root)
        assert "memory/dreaming/deep/2026-02-01.md" in there.out, command
        assert "left out" not in there.err, command
    tiers = json.loads(aurelius("status", "--tiers", "--json", cwd=root).out)
    assert sum(tiers["tiers"].values()) == sum(tiers["notes"].values()) == 1
    assert "1 fact:" in aurelius("status", "--ageing", cwd=root).out


DREAMS = {
    "dreams/2026-02-01.md": "- Flew over a zebra\n",
    "memory/dreams/2026-02-02.md": "- Rode a zebra\n",
    "dreaming/2026-02-03.md": "- A zebra of paper\n",
    "memory/dreaming.md": "# Dreaming\n\nA zebra is a sign of luck.\n",
    "memory/day-dreaming/zoo.md": "# Zoo\n\nThe zebra slept.\n",
    "DREAMS.md": "# My dreams\n\nThe zebra again, confidence: low.\n",
}


def test_dreams_of_a_person_are_notes_as_any_other(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("empty")
    for path, text in DREAMS.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, "utf-8")
    adopted = aurelius("init", "--adopt", str(root), cwd=root.parent)
    assert "left out" not in adopted.err
    for command in (["list"], ["search", "zebra", "-n", "50"]):
        done = aurelius(*command, "--paths", cwd=root)
        assert set(done.out.splitlines()) == {*DREAMS}, command
        assert "left out" not in done.err
    days = aurelius("list", "--kind", "daily", "--paths", cwd=root).out.splitlines()
    assert [day[-13:-3] for day in sorted(days)] == ["2026-02-03", "2026-02-01", "2026-02-02"]


def test_only_what_stands_between_an_agents_own_marks_is_left_out_of_a_diary(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    diary = (
        "# Dream Diary\n\n<!-- openclaw:dreaming:diary:start -->\nA zebra of numbers.\n"
        "<!-- openclaw:dreaming:diary:end -->\n\nMy own line: the saddle is sold.\n"
    )
    (root / "DREAMS.md").write_text(diary, "utf-8")
    assert "zebra" not in aurelius("search", "numbers", cwd=root).out
    assert "saddle is sold" in aurelius("search", "saddle sold", cwd=root).out
    assert "zebra of numbers" in aurelius("get", "DREAMS.md", cwd=root).out
