"""Claude's memory tool over a vault: its texts are the documented ones, and it does no more than any other door."""

from __future__ import annotations

import datetime
import json
import random
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import apsw
import pytest

from aurelius import Vault
from aurelius.agents import memory_tool
from aurelius.plans import plan
from aurelius.settings.places import WAITING_USES_FILE, vault_state
from aurelius.vault import Vault as AnyVault
from indexer.catalog.lists import get_key

Aurelius = Callable[..., Any]
Ask = Callable[..., Any]

CASES = tomllib.loads((Path(__file__).parents[2] / "cases" / "memory_tool.toml").read_text("utf-8"))
TEA = "- Drinks tea (2026-01-08) ^abcde1\n"
JOE = f"# Joe\n\n## Facts\n{TEA}- Lives in Paris (2026-01-02) ^abcde2\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    notes = {
        "people/joe.md": JOE,
        "people/ann.md": "# Ann\n\nKnows [[people/joe]].\n",
        "plan.md": "# Plan\nfirst\nsecond\n",
        "secret/diary.md": "---\nprivate: true\n---\n# Diary\n",
        "hidden/one.md": "# One\n",
        ".aureliusignore": "hidden/\n",
        ".aurelius/config.toml": "",
    }
    return written(tmp_path / "vault", notes)


def written(root: Path, notes: dict[str, str]) -> Path:
    for path, text in notes.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_bytes(text.encode())
    (root / ".aurelius").mkdir(exist_ok=True)
    return root


@pytest.fixture
def ask(aurelius: Aurelius, root: Path) -> Ask:
    """Asks the tool, call by call; the last answer, or all of them for several calls."""

    def run(*calls: dict[str, Any], at: Path = root, options: tuple[str, ...] = ()) -> Any:
        done = aurelius(
            "memory-tool",
            *options,
            cwd=at,
            stdin="".join(f"{json.dumps(each)}\n" for each in calls),
        )
        assert done.code == 0, done.err
        told = [json.loads(line) for line in done.out.splitlines()]
        assert len(told) == len(calls)
        return told[0] if len(calls) == 1 else told

    return run


def state(root: Path) -> dict[str, bytes]:
    """Every file of a vault but its own log."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and ".aurelius" not in path.parts
    }


def view(path: str, *lines: int) -> dict[str, Any]:
    return {"command": "view", "path": path, **({"view_range": list(lines)} if lines else {})}


def test_a_tool_that_stays_open_counts_a_use_when_it_is_made(
    root: Path, env: dict[str, str]
) -> None:
    began = datetime.datetime(2026, 1, 1, 9)
    with AnyVault.find(str(root), env, str(root), now=began) as vault:
        tool = memory_tool.MemoryTool(vault)
        assert not tool.call(view("/memories/people/joe.md")).is_error
        log = Path(vault_state(vault.root, vault.env), WAITING_USES_FILE)
    assert "people/joe.md" in log.read_text()
    assert "2026-01-01T" not in log.read_text()


@pytest.mark.parametrize("when", ["before the change", "after it"])
def test_a_change_is_made_once_where_the_index_turns_out_to_be_damaged(
    when: str, root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    name = "_apply" if when == "before the change" else "_log"
    rest = [getattr(plan, name)]

    def damaged(*given: object) -> Any:
        if len(rest) == 1:
            rest.append(None)
            raise apsw.CorruptError("malformed")
        return rest[0](*given)

    monkeypatch.setattr(plan, name, damaged)
    asked = {
        "command": "insert",
        "path": "/memories/plan.md",
        "insert_line": 1,
        "insert_text": "third",
    }
    with AnyVault.find(str(root), env, str(root), now=datetime.datetime(2026, 1, 1)) as vault:
        tool = memory_tool.MemoryTool(vault)
        told = tool.call(asked)
        assert told.is_error
        assert "see whether the change was made" in told.content
        made = (root / "plan.md").read_text().count("third")
        assert made == (when == "after it")
        assert not tool.call(asked).is_error, "the index was built anew"
    assert (root / "plan.md").read_text().count("third") == made + 1


def test_a_view_is_answered_where_the_index_turns_out_to_be_damaged(
    root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    rest: list[Any] = [get_key]

    def damaged(*given: object, **named: object) -> Any:
        if len(rest) == 1:
            rest.append(rest[0])
            raise apsw.CorruptError("malformed")
        return rest[0](*given, **named)

    monkeypatch.setattr(memory_tool, "get_key", damaged)
    with AnyVault.find(str(root), env, str(root), now=datetime.datetime(2026, 1, 1)) as vault:
        assert not memory_tool.MemoryTool(vault).call(view("/memories/plan.md")).is_error


def test_what_was_written_down_of_the_contract_before_the_code_holds(
    aurelius: Aurelius, tmp_path: Path
) -> None:
    wrong = []
    shared = {
        name: written(tmp_path / f"shared-{name}", notes) for name, notes in CASES["vault"].items()
    }
    assert len(CASES["case"]) == 65
    for number, case in enumerate(CASES["case"]):
        kept = case.get("unchanged", False)
        there = (
            shared[case["vault"]]
            if kept
            else written(tmp_path / str(number), CASES["vault"][case["vault"]])
        )
        before = state(there)
        done = aurelius(
            "memory-tool", cwd=there, stdin="".join(f"{call}\n" for call in case["calls"])
        )
        told = json.loads(done.out.splitlines()[-1])
        after, content = state(there), told["content"]
        if (
            told["is_error"] != case["error"]
            or not all(each in content for each in case["has"])
            or any(each in content for each in case["lacks"])
            or (kept and before != after)
            or not all(
                part in after.get(path, b"").decode()
                for path, parts in case.get("files", {}).items()
                for part in parts
            )
        ):
            wrong.append((case["name"], told))
    assert wrong == []


# -- looking ---------------------------------------------------------------------------------------------


def test_a_folder_is_listed_two_levels_deep_without_what_is_not_the_agents(ask: Ask) -> None:
    assert ask(view("/memories")) == {
        "content": "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and"
        " node_modules:\n137B\t/memories\n117B\t/memories/people/\n29B\t/memories/people/ann.md\n"
        "88B\t/memories/people/joe.md\n20B\t/memories/plan.md",
        "is_error": False,
    }


def test_a_note_is_shown_with_its_line_numbers(ask: Ask) -> None:
    head = "Here's the content of /memories/plan.md with line numbers:\n"
    whole = f"{head}     1\t# Plan\n     2\tfirst\n     3\tsecond"
    for lines, told in [
        ((), whole),
        ((2, 2), f"{head}     2\tfirst"),
        ((2, -1), f"{head}     2\tfirst\n     3\tsecond"),
        ((1, 99), whole),
        ((0, -1), whole),
    ]:
        assert ask(view("/memories/plan.md", *lines)) == {"content": told, "is_error": False}
    for odd in ((4, 5), (3, 2), (2, -2)):
        told = ask(view("/memories/plan.md", *odd))
        wrong = f"Error: Invalid `view_range` parameter: {list(odd)}. "
        assert (
            told["content"] == wrong + "It should be within the range of lines of the file: [1, 3]"
        )
        assert told["is_error"]


@pytest.mark.parametrize(
    "path", ["secret", "secret/diary.md", "hidden", "hidden/one.md", ".aureliusignore", "no.md"]
)
def test_what_an_agent_may_not_see_is_not_there_for_any_command(
    path: str, ask: Ask, root: Path
) -> None:
    before, there = state(root), f"/memories/{path}"
    answers = ask(
        view(there),
        {"command": "str_replace", "path": there, "old_str": "One", "new_str": "Two"},
        {"command": "insert", "path": there, "insert_line": 0, "insert_text": "x"},
        {"command": "delete", "path": there},
        {"command": "rename", "old_path": there, "new_path": "/memories/people/x.md"},
    )
    assert all(each["is_error"] for each in answers)
    assert [each["content"] for each in answers] == [
        f"The path {there} does not exist. Please provide a valid path.",
        f"Error: The path {there} does not exist. Please provide a valid path.",
        f"Error: The path {there} does not exist",
        f"Error: The path {there} does not exist",
        f"Error: The path {there} does not exist",
    ]
    assert state(root) == before


def test_where_something_is_that_the_agent_does_not_see_nothing_is_made_and_it_is_not_told_what(
    ask: Ask, root: Path
) -> None:
    (root / "way").symlink_to(root / "people")
    (root / "file").write_text("x")
    before = state(root)
    for path in ("secret/diary.md", "hidden/one.md", "hidden/new.md", "way/new.md", "file/new.md"):
        there = f"/memories/{path}"
        told = {
            "content": f"Error: The path {there} cannot be used. Please choose another one.",
            "is_error": True,
        }
        assert ask({"command": "create", "path": there, "file_text": "x"}) == told
        assert (
            ask({"command": "rename", "old_path": "/memories/plan.md", "new_path": there}) == told
        )
    assert state(root) == before


def test_a_note_that_becomes_private_is_gone_at_once(ask: Ask, root: Path) -> None:
    assert not ask(view("/memories/plan.md"))["is_error"]
    (root / "plan.md").write_text("---\nprivate: true\n---\nfirst\n")
    assert ask(view("/memories/plan.md"))["content"] == (
        "The path /memories/plan.md does not exist. Please provide a valid path."
    )


def test_a_view_counts_as_a_use_unless_it_is_not_to(
    ask: Ask, aurelius: Aurelius, root: Path
) -> None:
    def uses() -> int:
        return sum(
            each["accessCount"]
            for each in json.loads(aurelius("status", "--tiers", "joe", "--json", cwd=root).out)[
                "facts"
            ]
        )

    ask(view("/memories/people/joe.md", 4, 4), options=("--no-use",))
    assert uses() == 0
    ask(view("/memories/people/joe.md", 4, 4))
    assert uses() == 1


def test_a_long_note_and_a_long_list_are_cut_and_say_so(ask: Ask, root: Path) -> None:
    (root / "long.md").write_text("".join(f"line {number}\n" for number in range(1, 5001)))
    (root / "one.md").write_text("x" * 30_000)
    for number in range(900):
        (root / f"note{number:03}.md").write_text("x")
    listed = ask(view("/memories"))["content"]
    assert len(listed) < 17_000
    assert "\t/memories/people/\n" in listed
    assert listed.splitlines()[-1].endswith(" more are not listed; view one of the directories]")
    shown = ask(view("/memories/long.md"))["content"]
    last = int(shown.splitlines()[-2].split("\t")[0])
    assert len(shown) < 17_000
    more = f"[{5000 - last} of 5000 lines are not shown; view_range [{last + 1}, -1] shows them]"
    assert shown.splitlines()[-1] == more
    assert ask(view("/memories/long.md", last + 1, -1))["content"].endswith("  5000\tline 5000")
    assert ask(view("/memories/one.md"))["content"].endswith(
        "[1 of 1 lines are not shown; view_range [1, -1] shows them]"
    )
    assert len(ask(view("/memories/one.md", 1, -1))["content"]) > 30_000


def test_a_note_of_more_than_999_999_lines_is_refused(
    ask: Ask, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_tool, "MOST_LINES", 2)
    told = ask(view("/memories/plan.md"))
    assert told == {
        "content": "File /memories/plan.md exceeds maximum line limit of 2 lines.",
        "is_error": True,
    }


# -- writing ---------------------------------------------------------------------------------------------


def test_every_change_can_be_undone_and_is_one_change(
    ask: Ask, aurelius: Aurelius, root: Path
) -> None:
    before = state(root)
    for call, why in [
        (
            {"command": "create", "path": "/memories/new/a.md", "file_text": "# A\n"},
            "create new/a.md",
        ),
        (
            {"command": "str_replace", "path": "/memories/plan.md", "old_str": "first"},
            "str_replace in plan.md",
        ),
        (
            {
                "command": "insert",
                "path": "/memories/plan.md",
                "insert_line": 1,
                "insert_text": "x",
            },
            "insert in plan.md",
        ),
        ({"command": "delete", "path": "/memories/people/joe.md"}, "delete people/joe.md"),
        ({"command": "delete", "path": "/memories/people"}, "delete people"),
        (
            {"command": "rename", "old_path": "/memories/people", "new_path": "/memories/a/b"},
            "rename people to a/b",
        ),
    ]:
        assert not ask(call)["is_error"], call
        assert state(root) != before
        assert f"memory tool: {why}" in aurelius("undo", cwd=root).out
        assert state(root) == before, call
        assert not (root / "new").exists()


def test_other_bytes_stay(ask: Ask, root: Path) -> None:
    (root / "dos.md").write_bytes(b"\xef\xbb\xbfone\r\ntwo\r\nthree\nfour")
    for call, after in [
        ({"old_str": "one\ntwo", "new_str": "1\n2\n"}, b"\xef\xbb\xbf1\r\n2\r\n\r\nthree\nfour"),
        ({"old_str": "\n\nthree", "new_str": ""}, b"\xef\xbb\xbf1\r\n2\nfour"),
        ({"old_str": "four"}, b"\xef\xbb\xbf1\r\n2\n"),
        ({"old_str": "2\n", "new_str": "two"}, b"\xef\xbb\xbf1\r\ntwo"),
    ]:
        assert not ask({"command": "str_replace", "path": "/memories/dos.md", **call})["is_error"]
        assert (root / "dos.md").read_bytes() == after
    ask(
        {
            "command": "insert",
            "path": "/memories/dos.md",
            "insert_line": 2,
            "insert_text": "end\n\n",
        }
    )
    assert (root / "dos.md").read_bytes() == b"\xef\xbb\xbf1\r\ntwo\r\nend\r\n\r\n"


def test_a_deleted_note_lies_in_the_archive_and_links_follow_it(ask: Ask, root: Path) -> None:
    ask({"command": "delete", "path": "/memories/people/joe.md"})
    assert (root / "people/ann.md").read_text() == "# Ann\n\nKnows [[archives/joe]].\n"
    for number in ("-2", "-3"):
        (root / "joe.md").write_text(f"# Joe {number}\n")
        assert ask({"command": "delete", "path": "/memories/joe.md"})["content"] == (
            "Successfully deleted /memories/joe.md"
        )
        assert (root / f"archives/joe{number}.md").read_text() == f"# Joe {number}\n"
    told = ask({"command": "delete", "path": "/memories/archives"})
    assert told["content"].startswith("Error: /memories/archives is in the archive already")


def test_a_deleted_folder_keeps_what_the_agent_does_not_see(ask: Ask, root: Path) -> None:
    (root / "people/mine.md").write_text("---\nprivate: true\n---\nmine\n")
    (root / "people/photo.png").write_bytes(b"x")
    ask({"command": "delete", "path": "/memories/people/"})
    assert sorted(state(root)) == [
        ".aureliusignore",
        "archives/people/ann.md",
        "archives/people/joe.md",
        "hidden/one.md",
        "people/mine.md",
        "people/photo.png",
        "plan.md",
        "secret/diary.md",
    ]
    assert ask(view("/memories/people"))["is_error"]


def test_a_renamed_note_takes_its_links_along(ask: Ask, root: Path) -> None:
    ask(
        {
            "command": "rename",
            "old_path": "/memories/people/joe.md",
            "new_path": "/memories/friends/joseph.md",
        }
    )
    assert (root / "friends/joseph.md").read_text() == JOE
    assert (root / "people/ann.md").read_text() == "# Ann\n\nKnows [[friends/joseph]].\n"
    told = ask(
        {"command": "rename", "old_path": "/memories/people", "new_path": "/memories/people/inner"}
    )
    assert told == {
        "content": "Error: /memories/people cannot be moved into itself",
        "is_error": True,
    }


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("ME.md", "says who you are"),
        ("AGENTS.md", "is read by agents as instructions"),
        ("HEARTBEAT.md", "is read by agents as instructions"),
        ("x.txt", "not end in .md"),
        ("a.md/.git/x.md", "hidden name .git"),
        ("a|b.md", "no link to it would work"),
        ("a" * 300 + ".md", "240"),
        ("a.md/b.md", "a folder called a.md"),
        ("~x.md", "starts with ~"),
        ("x" * 1000, "may have 1,000 characters"),
    ],
)
def test_only_a_note_of_the_vaults_own_may_be_made(
    path: str, why: str, ask: Ask, root: Path
) -> None:
    before = state(root)
    told = ask({"command": "create", "path": f"/memories/{path}", "file_text": "x"})
    assert told["is_error"]
    assert why in told["content"]
    assert "--force" not in told["content"]
    told = ask(
        {"command": "rename", "old_path": "/memories/plan.md", "new_path": f"/memories/{path}"}
    )
    assert told["is_error"]
    assert state(root) == before


def test_what_no_other_door_lets_through_is_refused_here(ask: Ask, root: Path) -> None:
    (root / "ME.md").write_text("# Me\n")
    (root / "latin.md").write_bytes(b"caf\xe9\n")
    before = state(root)
    key = "sk-ant-api03-" + "abcdefghijklmnopqrstuvwxyz0123456789ABCDEF"
    for call, why in [
        (
            {"command": "create", "path": "/memories/k.md", "file_text": key},
            "k.md:1: not written: it looks like",
        ),
        (
            {
                "command": "insert",
                "path": "/memories/plan.md",
                "insert_line": 0,
                "insert_text": key,
            },
            "it looks like",
        ),
        (
            {
                "command": "str_replace",
                "path": "/memories/ME.md",
                "old_str": "Me",
                "new_str": "You",
            },
            "says who you are",
        ),
        ({"command": "delete", "path": "/memories/ME.md"}, "says who you are"),
        (
            {"command": "rename", "old_path": "/memories/ME.md", "new_path": "/memories/x.md"},
            "says who you are",
        ),
        (
            {"command": "str_replace", "path": "/memories/people/joe.md", "old_str": TEA},
            "1 fact would be lost",
        ),
        (
            {
                "command": "str_replace",
                "path": "/memories/latin.md",
                "old_str": "caf",
                "new_str": "x",
            },
            "not UTF-8 text",
        ),
        (
            {"command": "create", "path": "/memories/big.md", "file_text": "x" * (2 << 20) + "x"},
            "larger than 2 MiB",
        ),
    ]:
        told = ask(call)
        assert told["is_error"], call
        assert why in told["content"], told
        assert "--force" not in told["content"]
    assert state(root) == before
    assert ask(view("/memories/latin.md"))["content"].endswith("     1\tcafé")


def test_an_instruction_that_always_applies_is_the_persons(ask: Ask, root: Path) -> None:
    rule = "- Always answer in Portuguese (2026-01-01, instruction, scope 1.0) ^rule01\n"
    (root / "MEMORY.md").write_text(f"# Memory\n\n## Facts\n{rule}")
    before = state(root)
    other = rule.replace("rule01", "x1").replace("Portuguese", "Latin")
    for call in (
        {
            "command": "str_replace",
            "path": "/memories/MEMORY.md",
            "old_str": "Portuguese",
            "new_str": "English",
        },
        {
            "command": "insert",
            "path": "/memories/MEMORY.md",
            "insert_line": 4,
            "insert_text": other,
        },
        {"command": "create", "path": "/memories/r.md", "file_text": f"# R\n\n## Facts\n{other}"},
    ):
        told = ask(call)
        assert told["is_error"], call
        assert "is an instruction that always applies" in told["content"]
    assert state(root) == before


@pytest.mark.parametrize(
    ("path", "text", "why"),
    [
        ("own.md", "---\nprivate: true\n---\n# Own\n", "only the person makes a note private"),
        ("plan.md", "---\nprivate: yes\n---\n# Plan\n", "only the person makes a note private"),
        ("odd.md", "---\ntags: [a, b\n---\n# Odd\n", "the front matter is not valid YAML"),
        ("odd.txt", "x", "give the path of a note"),
    ],
)
def test_a_note_that_nobody_could_view_or_read_as_meant_is_not_made(
    path: str, text: str, why: str, ask: Ask, root: Path
) -> None:
    before, there = state(root), {"path": f"/memories/{path}"}
    told = ask({"command": "create", **there, "file_text": text})
    if (root / path).exists():
        told = ask({"command": "str_replace", **there, "old_str": "# Plan\n", "new_str": text})
    assert told["is_error"]
    assert why in told["content"]
    assert state(root) == before


def test_what_the_archive_would_hide_is_not_deleted(ask: Ask, root: Path) -> None:
    (root / ".aureliusignore").write_text("hidden/\narchives/\n")
    before = state(root)
    told = ask({"command": "delete", "path": "/memories/people/joe.md"})
    assert told["is_error"]
    assert (
        "/memories/people/joe.md is not deleted, because its place in the archive"
        in told["content"]
    )
    assert state(root) == before


def test_it_is_a_class_for_programs_too(
    root: Path, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.environ", env)
    written(root, {"agents/bot/own.md": "# Own\n", "agents/bot/memory/2026-02-10.md": "- Own\n"})
    with Vault.open(root, agent="") as vault:
        tool = memory_tool.MemoryTool(vault)
        assert "bot" not in tool.call(view("/memories")).content
        (root / "new.md").write_text("# New\n")
        assert tool.call(view("/memories/new.md")).content.endswith("     1\t# New")
        made = {"command": "create", "path": "/memories/made.md", "file_text": "# Made\n"}
        assert tool.call(made) == ("File created successfully at: /memories/made.md", False)
    assert (root / "made.md").read_text() == "# Made\n"


# -- hostile calls -----------------------------------------------------------------------------------------


PARTS = [
    "..",
    ".",
    "",
    "people",
    "joe.md",
    "plan.md",
    "%2e%2e",
    "%2F",
    "..%2f",
    "\\..\\",
    "~",
    "~root",
    ".git",
    ".obsidian",
    ".aurelius",
    "AGENTS.md",
    "a\nb.md",
    "\u202e.md",
    "．．",
    "․․",
    "x.md",
    "secret",
    "diary.md",
    "hidden",
    "CON.md",
    "a:b.md",
    "a" * 260,
    "-rf",
    "--force.md",
    "\x7f.md",
    "*",
    "é.md",
    "e\u0301.md",
    "way",
    "archives",
]
TEXTS = [
    "",
    "x",
    "first",
    "\n",
    "\r\n",
    "# T\n",
    "---\n",
    "- fact (2026-01-01) ^abcde1\n",
    "[[joe]]",
    "\x1b[31m",
    "\u2028",
    "x" * 9999,
]
USUAL = [
    "people/joe.md",
    "people/ann.md",
    "plan.md",
    "people",
    "new/a.md",
    "new/b.md",
    "new",
    "dos.md",
    "",
]
ODD: list[Any] = [None, True, 3, -1, 1e9, [], {}, ["/memories"], "\udcff", "\0", 10**400]


def hostile(dice: random.Random) -> dict[str, Any]:
    """One call that nobody should make, or that somebody might."""

    def path() -> object:
        if (turn := dice.random()) < 0.5:
            return f"/memories/{dice.choice(USUAL)}"
        if turn < 0.55:
            return dice.choice(ODD)
        start = dice.choice(
            ["/memories/"] * 8 + ["/memories", "/", "", "memories/", "/memories/../"]
        )
        return start + "/".join(dice.choice(PARTS) for _ in range(dice.randint(0, 4)))

    def text() -> object:
        return (
            dice.choice(ODD)
            if dice.random() < 0.05
            else "".join(dice.choices(TEXTS, k=dice.randint(0, 3)))
        )

    call: dict[str, Any] = {
        "command": dice.choice([*memory_tool.TAKES] * 3 + ["exec", None]),
        "path": path(),
        "old_path": path(),
        "new_path": path(),
        "file_text": text(),
        "old_str": text(),
        "new_str": text(),
        "insert_text": text(),
        "insert_line": dice.choice([0, 1, 2, 9, -1, "1", None, 10**30]),
        "view_range": dice.choice(
            [None, None, [1, 2], [2, 1], [0], ["a", "b"], [-1, -1], [10**30, -1], "x", {}]
        ),
    }
    for key in [*call]:
        if dice.random() < 0.02:
            del call[key]
    return call


def test_no_call_reaches_outside_the_vault_loses_a_byte_or_ends_the_tool(
    aurelius: Aurelius, root: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    written(outside, {"a.md": "# A\n", "joe.md": "# Joe\n"})
    (root / "way").symlink_to(outside)
    (root / "people/link.md").symlink_to(outside / "a.md")
    dice = random.Random(20250818)
    calls = [hostile(dice) for _ in range(250)]
    kept = {
        path: data
        for path, data in state(root).items()
        if path.startswith(("secret", "hidden", "."))
    }
    before = state(root)
    done = aurelius(
        "memory-tool", cwd=root, stdin="".join(f"{json.dumps(each)}\n" for each in calls)
    )
    assert done.code == 0
    assert "Traceback" not in done.err + done.out
    assert "bug" not in done.err
    assert [set(json.loads(line)) for line in done.out.splitlines()] == [
        {"content", "is_error"}
    ] * 250
    assert state(outside) == {"a.md": b"# A\n", "joe.md": b"# Joe\n"}
    after = state(root)
    assert {path: after.get(path) for path in kept} == kept
    assert {path for path in after if not path.endswith(".md")} == {".aureliusignore"}
    for _ in range(250):
        if not after or aurelius("undo", cwd=root).code:
            break
    assert state(root) == before, "what all calls did is taken back by undo"
