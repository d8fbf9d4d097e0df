from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Aurelius = Callable[..., Any]
Vaults = Callable[[str], Path]


def test_a_page_of_a_list_says_how_many_there_are(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("template")
    every = aurelius("list", "--paths", cwd=there).out.splitlines()
    page = aurelius("list", "--paths", "--limit", "2", "--offset", "1", cwd=there).out.splitlines()
    assert page == every[1:3]
    assert json.loads(aurelius("list", "--json", "--limit", "2", cwd=there).out)["total"] == len(
        every
    )


def test_facts_of_a_type_are_listed_with_their_notes(aurelius: Aurelius, vault: Vaults) -> None:
    there = vault("template")
    done = aurelius("list", "--type", "fact", cwd=there)
    assert "people/joe-bloggs.md:13  [id:k3v9qa]  Lives in Los Angeles" in done.out
    assert "people/joe-bloggs.md\n" in aurelius("list", "--type", "fact", "--paths", cwd=there).out


def test_a_word_after_list_is_a_kind_of_notes_or_a_type_of_facts(
    aurelius: Aurelius, vault: Vaults
) -> None:
    there = vault("template")
    for word, options in (
        ("people", ["--kind", "person"]),
        ("Project", ["--kind", "project"]),
        ("decisions", ["--type", "decision"]),
    ):
        assert aurelius("list", word, cwd=there).out == aurelius("list", *options, cwd=there).out
    done = aurelius("list", "peple", cwd=there)
    assert (done.code, done.out) == (2, "")
    assert "'peple' is no kind of notes and no type of facts" in done.err
    assert "did you mean people?" in done.err


def test_a_list_of_nothing_says_how_many_notes_were_looked_at(
    aurelius: Aurelius, vault: Vaults
) -> None:
    there = vault("template")
    for command in (["list", "--tag", "zzz"], ["list", "--type", "identity", "--tag", "zzz"]):
        done = aurelius(*command, cwd=there)
        assert (done.code, done.out) == (0, "")
        assert "14 notes" in done.err


def test_tasks_open_says_nothing_of_tasks_that_are_done(aurelius: Aurelius, vault: Vaults) -> None:
    root = vault("empty")
    (root / "a.md").write_text("- [ ] one\n- [x] two\n")
    assert aurelius("tasks", "--open", cwd=root).out.splitlines()[0] == "1 open"
    assert aurelius("tasks", cwd=root).out.splitlines()[0] == "1 open, 1 done"


def test_an_archived_person_is_still_a_person_and_is_shown_as_archived(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    for path in ("people/ann.md", "archives/tom.md"):
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_text(
            f"# {path[-6:-3]}\n\n**Type:** Person\n\n- Plays the oboe\n", "utf-8"
        )
    every = aurelius("list", "--kind", "person", cwd=root).out
    assert "archives/tom.md  tom  (archived)\n" in every
    assert "people/ann.md  ann\n" in every
    rows = json.loads(aurelius("list", "--kind", "person", "--json", cwd=root).out)["notes"]
    assert [(row["path"], row.get("archived")) for row in rows] == [
        ("archives/tom.md", True),
        ("people/ann.md", None),
    ]
    for command in (["search", "oboe"], ["list", "--kind", "person"]):
        for which, path in (("only", "archives/tom.md"), ("no", "people/ann.md")):
            assert aurelius(
                *command, "--archived", which, "--paths", cwd=root
            ).out.splitlines() == [path]


def test_notes_that_link_to_a_name_not_written_yet_are_listed(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    (root / "blade.md").write_text('---\ndirector: "[[Ridley Scott]]"\n---\nA film\n', "utf-8")
    (root / "essay.md").write_text("About [[blade]]\n", "utf-8")
    (root / "own.md").write_text(
        "---\nprivate: true\n---\n[[Ridley Scott]] [[Secret Name]]\n", "utf-8"
    )
    for name in ("Ridley Scott", "ridley scott"):
        assert aurelius("list", "--link-to", name, "--paths", cwd=root).out == "blade.md\n"
    both = aurelius("list", "--link-to", "Ridley Scott", "--recursive", "--paths", cwd=root).out
    assert both == "blade.md\nessay.md\n"
    assert aurelius("list", "--link-to", "Secret Name", cwd=root).code == 5
    for flag in ("--linked-by", "--related"):
        done = aurelius("list", flag, "Ridley Scott", cwd=root)
        assert done.code == 5
        assert "is not written yet" in done.err
        assert "--link-to 'Ridley Scott'" in done.err


def books(root: Path) -> None:
    for name, front in (
        ("one", "rating: 7\ntags: [to-read]"),
        ("two", "rating: 10\ntags: [book]\nby: ['[[Ann]]', Joe]"),
        ("six", ""),
    ):
        (root / f"{name}.md").write_text(f"---\n{front}\n---\nText of it\n", "utf-8")
    (root / "own.md").write_text(
        "---\nprivate: true\ntags: [hush]\nsecret: 1\n---\nText of it\n", "utf-8"
    )


def test_an_empty_answer_names_the_filter_that_matches_no_note(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    books(root)
    for argv, why in (
        (["--where", "ratng >= 7"], "no note has the key 'ratng' (did you mean rating?)"),
        (["--where", 'rating > "six"'], "no note has rating > six; values of rating are 7, 10"),
        (
            ["--tag", "book", "--tag", "toread"],
            "no note has the tag 'toread' (did you mean to-read?)",
        ),
        (["--tag", "hush"], "no note has the tag 'hush'"),
        (["--where", "secret"], "no note has the key 'secret'"),
        (["--in", "nope"], "there is no note at nope: "),
        (["--kind", "person"], "no note is of the kind person"),
        (["--since", "2031"], "no note or fact has such a day (since 2031-01-01)"),
    ):
        done = aurelius("list", *argv, cwd=root)
        assert (done.code, done.out) == (0, "")
        assert f"0 of 3 notes match: {why}" in done.err, argv
        assert json.loads(aurelius("list", *argv, "--json", cwd=root).out)["hint"].startswith(why)
        assert (
            f"nothing matches with these filters: {why}"
            in aurelius("search", "text", *argv, cwd=root).err
        ), argv
    for argv in (["tasks"], ["list", "--type", "event"]):
        assert "the tag 'nope'" in aurelius(*argv, "--tag", "nope", cwd=root).err
    done = aurelius("list", "--tag", "book", "--where", "rating = 7", cwd=root)
    assert (
        "0 of 3 notes match: each of these filters matches notes, but no note matches all of them"
        in done.err
    )
    assert aurelius("list", "--tag", "hush", "--private", "--paths", cwd=root).out == "own.md\n"
    assert "hint" not in json.loads(aurelius("list", "--tag", "book", "--json", cwd=root).out)


def test_a_filter_that_only_the_folder_of_conversations_matches_is_no_mistake(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    (root / "conversations").mkdir()
    (root / "conversations/talk.md").write_text("---\ntags: [chat]\n---\nText\n", "utf-8")
    told = aurelius("list", "--tag", "chat", cwd=root).err
    assert "left out: 1 in conversations/" in told
    assert "no note has" not in told


def test_a_cancelled_task_is_shown_as_one_and_is_not_open(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    (root / "a.md").write_text(
        "- [-] Paint the shed 📅 2020-01-01\n- [ ] Sow\n- [x] Dig\n- [/] Mend\n- CANCELLED Hoe\n"
    )
    assert aurelius("tasks", cwd=root).out.splitlines() == [
        "2 open, 1 done, 2 cancelled",
        "a.md:2  [ ] Sow",
        "a.md:4  [/] Mend",
        "a.md:1  [-] Paint the shed 📅 2020-01-01",
        "a.md:3  [x] Dig",
        "a.md:5  [-] Hoe",
    ]
    assert aurelius("tasks", "--open", cwd=root).out.splitlines()[0] == "2 open"
    told = json.loads(aurelius("tasks", "--json", cwd=root).out)
    assert (told["open"], told["done"], told["cancelled"]) == (2, 3, 2)
    assert [row["line"] for row in told["tasks"] if row.get("cancelled")] == [1, 5]
    assert all(row["done"] for row in told["tasks"] if row.get("cancelled"))


def test_tasks_come_by_their_day_and_say_when_they_are_overdue(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("empty")
    (root / "a.md").write_text(
        "- [ ] some day\n- [ ] soon 📅 2026-02-11\n- [x] done due 2026-01-01\n- [ ] now due: 2026-02-10\n",
        "utf-8",
    )
    (root / "b.md").write_text("- TODO late\n  DEADLINE: <2026-02-09 Mon>\n", "utf-8")
    assert aurelius("tasks", cwd=root).out.splitlines() == [
        "4 open, 1 done",
        "b.md:1  [ ] late DEADLINE: <2026-02-09 Mon>  (overdue)",
        "a.md:4  [ ] now due: 2026-02-10",
        "a.md:2  [ ] soon 📅 2026-02-11",
        "a.md:1  [ ] some day",
        "a.md:3  [x] done due 2026-01-01",
    ]
    rows = json.loads(aurelius("tasks", "--json", cwd=root).out)["tasks"]
    assert [row.get("overdue") for row in rows] == [True, None, None, None, None]


def test_tasks_says_what_belongs_to_done_and_what_to_the_list(
    aurelius: Aurelius, vault: Vaults
) -> None:
    root = vault("tasks")
    for words, told in (
        (["--dry-run"], "--dry-run goes only with `tasks done`"),
        (["list", "garden:3"], "aurelius tasks done garden:3"),
        (["undone", "garden:3"], "invalid value for 'ACTION': 'undone'"),
    ):
        done = aurelius("tasks", *words, cwd=root)
        assert (done.code, done.out) == (2, "")
        assert told in done.err
