"""The tools of other memories: each call asks the core, and what is no call is told in one line."""

from __future__ import annotations

import json
import random
import re
import shlex
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from aurelius import api
from aurelius.ageing.tiers import ScoreChange
from aurelius.agents import tool_forms
from aurelius.agents.calls import Visit
from aurelius.agents.tool_forms import TOOL_FORMS, answer_tool_call, only_reads
from aurelius.plans.plan import Written
from aurelius.vault import Vault
from indexer.errors import Hint, NoteNotFoundError

PROGRAMS = (Path(tool_forms.__file__).parents[1] / "help" / "programs.md").read_text("utf-8")
HELP = PROGRAMS.partition("\n## Tool calls ")[2].partition("\n## ")[0]
ODD = "--private --force"
FULL: dict[str, dict[str, Any]] = {
    "save": {"content": ODD, "category": "event", "keywords": [ODD], "metadata": {ODD: ODD}},
    "search": {"query": ODD, "category": "fact", "limit": 3},
    "list": {"category": "fact", "limit": 3, "offset": 2},
    "index": {},
    "store": {"content": ODD, "tags": ODD},
    "query": {"query": ODD, "limit": 3},
    "reinforce": {"id": ODD},
    "demote": {"id": ODD},
    "update": {"id": ODD, "content": ODD, "tags": ODD},
    "search_entity": {"name": ODD},
    "get_relationships": {"entity": ODD},
    "search_facts": {"query": ODD, "entity": ODD, "limit": 3},
    "search_events": {"query": ODD, "entity": ODD, "limit": 3, "days": 4},
    "search_processes": {"query": ODD, "entity": ODD, "limit": 3},
    "get_instructions": {"query": ODD, "entity": ODD, "limit": 3},
    "done": {},
}
"""Every parameter of every action; the texts look like options."""

Run = Callable[..., Any]


class Shut:
    """A door that lets nobody in."""

    def asked(self, call: str) -> None:
        return None

    def __call__(self, *, reads: bool, alone: bool = False) -> AbstractContextManager[Visit]:
        raise NoteNotFoundError("no fact has the id ^x", Hint("`aurelius x`", "search shows it"))


class Core:
    """Stands for the core: keeps what is asked of it."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.seen: list[dict[str, Any]] = []
        made = Written([], None, about={"path": "a.md", "lines": [1, 1], "text": "Sails #sea"})
        judged = ScoreChange("a.md", "k3v9qa", "^k3v9qa", 0, 3, 1.0, None)
        patch.setattr(api, "add", self._keeps("add", made))
        patch.setattr(api, "update", self._keeps("update", made))
        patch.setattr(api, "feedback", self._keeps("feedback", judged))

    def _keeps(self, name: str, value: Any) -> Callable[..., Any]:
        def kept(vault: Vault, *words: str, **more: Any) -> Any:
            assert more.pop("person") is False
            assert not {"private", "force", "pinned"} & more.keys()
            self.seen.append({"does": name, "words": words, **more})
            return value

        return kept


@pytest.fixture
def core(monkeypatch: pytest.MonkeyPatch) -> Core:
    return Core(monkeypatch)


def asked(core: Core, run: Callable[..., Any], at: Path, **given: Any) -> dict[str, Any]:
    """What the core is asked for a call that writes."""
    core.seen.clear()
    call(run, at, **given)
    (seen,) = core.seen
    return seen


def call(run: Callable[..., Any], at: Path, **given: Any) -> dict[str, Any]:
    done = run("tool", json.dumps(given), cwd=at)
    assert (done.code, done.err) == (0, ""), done
    answered: dict[str, Any] = json.loads(done.out)
    return answered


@pytest.mark.parametrize("action", TOOL_FORMS)
def test_text_of_an_agent_is_never_an_option(
    action: str, aurelius: Run, vault: Callable[[str], Path]
) -> None:
    """It is looked for or written as it is; nothing private comes of it, and nothing is forced."""
    at = vault("template")
    (at / "diary.md").write_text("---\nprivate: true\n---\n# Diary\n\n--private --force\n", "utf-8")
    assert FULL[action].keys() == TOOL_FORMS[action].takes["properties"].keys()
    done = aurelius("tool", json.dumps({"action": action, **FULL[action]}), cwd=at)
    assert "diary" not in done.out
    assert done.code in {0, 2, 5}
    lines = [path for path in at.rglob("*.md") if f"- {ODD}" in path.read_text("utf-8")]
    assert len(lines) == (done.code == 0 and "content" in FULL[action]), done.out


def test_every_action_has_the_defaults_of_its_memory(
    core: Core, aurelius: Run, vault: Callable[[str], Path]
) -> None:
    at = vault("sample")
    for action, usual in (("search", 20), ("query", 5), ("search_facts", 10)):
        told = call(aurelius, at, action=action, query="Joe")
        assert len(next(iter(told.values()))) <= usual
        assert told.get("truncated", 0) == 0 or len(next(iter(told.values()))) == usual
    assert len(call(aurelius, at, action="list")["memories"]) == 20
    told = call(aurelius, at, action="list", limit=500)
    assert told["notices"] == ["showing at most 100 memories, not 500"]
    save = {"action": "save", "content": "a", "category": "event", "keywords": ["x y", "#z"]}
    assert asked(core, aurelius, at, **save, metadata={"n": 1, "o": None}) == {
        "does": "add",
        "words": ("",),
        "text": "a",
        "type": "event",
        "tags": ["x-y", "z"],
        "meta": {"n": 1},
    }
    told = asked(core, aurelius, at, action="store", content="a", tags="x, y z,, x")
    assert told["tags"] == ["x", "y-z"]
    for action, helped in (("reinforce", True), ("demote", False)):
        told = asked(core, aurelius, at, action=action, id="[id:k3v9qa]")
        assert told == {"does": "feedback", "words": ("k3v9qa",), "helped": helped}
    assert call(aurelius, at, action="done") == {"done": True}


def test_a_search_of_a_kind_finds_facts_of_its_types_alone(aurelius: Run, tmp_path: Path) -> None:
    (tmp_path / ".aurelius").mkdir()
    (tmp_path / "joe.md").write_text(
        "# Joe\n\n## Facts\n- Sails a boat (2026-02-01) ^boat01\n- Sailed home (2026-02-08, event) ^boat02\n"
        "- Ask before sailing (2026-02-01, instruction) ^boat03\n- Sailed out (2026-01-02, event) ^boat04\n",
        "utf-8",
    )
    (tmp_path / "ann.md").write_text(
        "# Ann\n\n## Facts\n- Sails too (2026-02-01) ^boat05\n", "utf-8"
    )

    def ids(action: str, **more: Any) -> set[str]:
        rows: Any = next(iter(call(aurelius, tmp_path, action=action, **more).values()))
        return {each["id"] for each in rows}

    assert ids("search_facts", query="sails") == {"boat01", "boat05"}
    assert ids("search_facts", query="sails", entity="Joe") == {"boat01"}
    assert ids("search_events", query="sailed") == {"boat02", "boat04"}
    assert ids("search_events", query="sailed", days=7) == {"boat02"}
    assert ids("search_processes", query="sailing") == {"boat03"}
    assert ids("get_instructions") == {"boat03"}
    assert ids("search", query="sails", category="event") == {"boat02", "boat04"}
    assert ids("list", category="instruction") == {"boat03"}


def test_a_long_name_means_the_same(aurelius: Run, vault: Callable[[str], Path]) -> None:
    at = vault("template")
    for name in ("query", "search", "list"):
        given = {"action": f"memory_{name}", **FULL[name]}
        assert call(aurelius, at, **given) == call(aurelius, at, **{**given, "action": name})
    for name in ("store", "reinforce", "demote", "update", "save", "index"):
        assert not only_reads(json.dumps({"action": f"memory_{name}", **FULL[name]}))


def test_new_words_bring_the_tags_that_are_given(
    core: Core, aurelius: Run, vault: Callable[[str], Path]
) -> None:
    at = vault("template")
    for given, text in (
        ({"content": "Rows"}, "Rows"),
        ({"content": "Rows", "tags": "a, b"}, "Rows #a #b"),
        ({"content": "Rows #sea"}, "Rows #sea"),
    ):
        told = asked(core, aurelius, at, action="update", id="k3v9qa", **given)
        assert told == {"does": "update", "words": ("k3v9qa", text)}


BAD = {
    "": "the call is not JSON",
    "tea": "the call is not JSON",
    '{"action": "search", "query": "a"} x': "the call is not JSON: Extra data at character 36",
    "[1]": "the call must be a JSON object, not [1]",
    "null": "the call must be a JSON object, not null",
    '{"query": "a"}': "there is no action None",
    '{"action": null}': "there is no action None",
    '{"action": ["search"]}': "there is no action ['search']",
    '{"action": "serch"}': "there is no action serch",
    '{"action": "search"}': "query is missing",
    '{"action": "search", "query": " "}': "query is empty",
    '{"action": "search_facts", "query": "a", "entity": " "}': "entity is empty",
    '{"action": "get_instructions", "query": ""}': "query is empty",
    '{"action": "search", "query": "a", "private": true}': "there is no 'private' here",
    '{"action": "search", "query": "a", "%s": 1}' % ("a" * 9_999): "there is no 'aaa",
    '{"action": "search", "query": "a", "limit": 0}': "limit must be at least 1, not 0",
    '{"action": "search", "query": "a", "limit": 1.5}': "limit must be a whole number, not 1.5",
    '{"action": "search", "query": "a", "limit": true}': "limit must be a whole number, not true",
    '{"action": "search", "query": "a", "limit": NaN}': "the call is not JSON: there is no number NaN",
    '{"action": "search", "query": "a", "category": "fct"}': "there is no category fct",
    '{"action": "search", "query": "a", "query": "b"}': "the call says 'query' twice",
    '{"action": "save", "content": "a", "keywords": ["a", 1]}': "keywords must be a list of texts, not ['a', 1]",
    '{"action": "save", "content": "a", "keywords": {}}': "keywords must be a text or a list of texts, not {}",
    '{"action": "search", "query": ' + "[" * 100_000: "the call cannot be read",
    '{"action": "list", "limit": ' + "9" * 9_999 + "}": "the call cannot be read",
    '{"action": "search", "query": "'
    + "a" * (10 << 20)
    + '"}': "the call is longer than 1,048,576 characters",
}


def test_an_empty_answer_says_why(aurelius: Run, vault: Callable[[str], Path]) -> None:
    at = vault("template")
    assert call(aurelius, at, action="list", offset=9999)["hint"]
    found = call(aurelius, at, action="search_events", query="met", days=1)
    assert found["events"] or found["hint"]


@pytest.mark.parametrize("text", BAD, ids=lambda text: text[:50])
def test_what_is_no_call_is_told_in_one_line_and_not_run(text: str) -> None:
    code, told = answer_tool_call(Shut(), text)
    value = json.loads(told)
    assert (code, told.count("\n"), len(told) < 1_000) == (2, 0, True)
    assert value["error"].startswith(BAD[text])
    assert value.get("hint") or "must be" in value["error"]


def test_bytes_that_are_no_text_are_told() -> None:
    code, told = answer_tool_call(Shut(), b'{"action": "store", "content": "caf\xe9"}')
    assert (code, json.loads(told)["error"]) == (
        2,
        "the call is not UTF-8: byte 36 is no part of a character",
    )


def test_what_is_refused_comes_back_with_its_exit_code_and_in_words_for_an_agent() -> None:
    code, told = answer_tool_call(Shut(), '{"action": "reinforce", "id": "x"}')
    assert (code, json.loads(told)) == (
        5,
        {"error": "no fact has the id ^x", "hint": "search shows it"},
    )


def test_what_is_told_beside_an_answer_is_kept(aurelius: Run, vault: Callable[[str], Path]) -> None:
    at = vault("template")
    (at / "sub" / ".gitignore").mkdir(parents=True)
    told = call(aurelius, at, action="search", query="joe")
    assert any("sub/.gitignore cannot be used" in each for each in told["notices"])


def test_each_line_of_stdin_is_answered_and_one_refused_is_the_exit_code(
    aurelius: Run, vault: Callable[[str], Path]
) -> None:
    at = vault("template")
    done = aurelius(
        "tool", "-", cwd=at, stdin='{"action": "query", "query": "angeles"}\n{"action": "done"}\n'
    )
    assert (done.code, done.err, done.out.count("\n")) == (0, "", 2)
    done = aurelius("tool", "-", cwd=at, stdin='oops\n{"action": "done"}\n')
    assert (done.code, done.err, done.out.count("\n")) == (1, "", 2)
    assert aurelius("tool", "-", cwd=at, stdin="").code == 0
    text = '{"action": "done"}\n\n  \n' + "x" * (17 << 20) + '\nno\n{"action": "done"}'
    done = aurelius("tool", "-", cwd=at, stdin=text)
    told = [json.loads(line) for line in done.out.splitlines()]
    assert [each.get("done", False) for each in told] == [True, False, False, True]
    assert "longer than" in told[1]["error"]


def test_only_calls_that_write_nothing_may_be_answered_elsewhere() -> None:
    written = {
        name for name in TOOL_FORMS if not only_reads(json.dumps({"action": name, **FULL[name]}))
    }
    assert written == {"save", "index", "store", "reinforce", "demote", "update"}
    assert only_reads("no call")


def test_a_search_gives_the_hits_of_the_shell_in_their_order(
    aurelius: Run, vault: Callable[[str], Path]
) -> None:
    at, question = vault("sample"), "where does Joe live?"
    for action, options in (("search", ["-n", "20"]), ("query", ["--mode", "keyword", "-n", "5"])):
        hits = json.loads(aurelius("search", question, "--json", *options, cwd=at).out)["hits"]
        told = call(aurelius, at, action=action, query=question)["memories"]
        assert hits
        assert [(each.get("id"), each["path"], each["lines"]) for each in told] == [
            (each.get("id"), each["path"], each["lines"]) for each in hits
        ]


def test_a_memory_is_its_words_without_the_marks_of_a_note(
    aurelius: Run, vault: Callable[[str], Path]
) -> None:
    at = vault("template")
    made = call(
        aurelius,
        at,
        action="save",
        content="Sails on Sundays",
        category="preference",
        keywords=["sea"],
    )
    assert (made["content"], made["category"], made["created_at"]) == (
        "Sails on Sundays #sea",
        "preference",
        "2026-02-10",
    )
    found = call(aurelius, at, action="search", query="sails sundays")["memories"][0]
    for key in ("id", "content", "category", "created_at", "path", "lines"):
        assert found[key] == made[key]
    assert made["undo"] == f"aurelius --vault {at} undo --number 1"
    again = call(aurelius, at, action="update", id=made["id"], content="Sails on Mondays")
    assert (again["id"], again["content"]) == (made["id"], "Sails on Mondays #sea")
    assert call(aurelius, at, action="reinforce", id=made["id"])["score"] == 3
    assert call(aurelius, at, action="demote", id=made["id"])["score"] == 2


def test_text_that_would_steer_a_terminal_or_was_imported_says_so(
    aurelius: Run, vault: Callable[[str], Path]
) -> None:
    at = vault("template")
    (at / "resources/import").mkdir(parents=True)
    (at / "resources/import" / "quip.md").write_text(
        "# Quip\n\nquokkas \u202e and \x1b[2J\n", "utf-8"
    )
    found = call(aurelius, at, action="query", query="quokkas")["memories"][0]
    assert (found["imported"], found["content"]) == (True, "quokkas \\u202e and \\x1b[2J")


def test_a_notice_is_told_once_and_what_takes_nothing_says_so(
    aurelius: Run, tmp_path: Path
) -> None:
    (tmp_path / ".aurelius").mkdir()
    (tmp_path / "a.md").write_text(
        "# A\n\n## Facts\n- Sailed home (2026-01-02, event) ^sail01\n", "utf-8"
    )
    asked = {"action": "search_events", "query": "sailed", "limit": 500}
    told = json.loads(aurelius("tool", json.dumps(asked), cwd=tmp_path).out)
    assert [each for each in told["notices"] if "100" in each] == [
        "showing at most 100 memories, not 500"
    ]
    told = json.loads(aurelius("tool", '{"action": "done", "x": 1}', cwd=tmp_path).out)
    assert told == {"error": "there is no 'x' here", "hint": "it takes nothing"}


def test_a_list_of_nothing_names_no_types_that_nobody_asked_for(
    aurelius: Run, tmp_path: Path
) -> None:
    (tmp_path / ".aurelius").mkdir()
    told = json.loads(aurelius("tool", '{"action": "list"}', cwd=tmp_path).out)
    assert told == {
        "memories": [],
        "total": 0,
        "hint": "there are no such memories: ask for less",
    }


def test_more_than_a_hundred_memories_are_cut_and_said(aurelius: Run, tmp_path: Path) -> None:
    (tmp_path / ".aurelius").mkdir()
    facts = "".join(
        f"- Sails boat {number} (2026-02-01) ^boat{number:03}\n" for number in range(120)
    )
    (tmp_path / "joe.md").write_text(f"# Joe\n\n## Facts\n{facts}", "utf-8")
    for given in ({"action": "list"}, {"action": "search", "query": "sails"}):
        told = call(aurelius, tmp_path, **given, limit=500)
        assert len(told["memories"]) <= 100
        assert told["notices"] == ["showing at most 100 memories, not 500"]
    assert call(aurelius, tmp_path, action="list", limit=500)["truncated"] == 20


def test_a_page_of_a_list_goes_on_where_the_last_one_ended(
    aurelius: Run, vault: Callable[[str], Path]
) -> None:
    at = vault("sample")
    whole = call(aurelius, at, action="list", limit=100)["memories"]
    pages = [
        call(aurelius, at, action="list", limit=7, offset=offset)["memories"] for offset in (0, 7)
    ]
    assert [*pages[0], *pages[1]] == whole[:14]


def test_agents_write_neither_who_the_person_is_nor_a_secret(
    aurelius: Run, vault: Callable[[str], Path]
) -> None:
    at = vault("template")
    (at / "ME.md").write_text("# Me\n\n## Facts\n- Born in Oslo (2026-01-01) ^born01\n", "utf-8")
    before = (at / "ME.md").read_bytes()
    for given in (
        {"action": "update", "id": "born01", "content": "Born in Rome"},
        {"action": "store", "content": "The key is AKIAIOSFODNN7EXAMPLE"},
        {"action": "store", "content": "Obey the tide (2026-02-01, instruction, scope 1.0)"},
    ):
        done = aurelius("tool", json.dumps(given), cwd=at)
        assert (done.code, json.loads(done.out).keys()) == (2, {"error", "hint"})
        assert "--force" not in done.out
    assert (at / "ME.md").read_bytes() == before
    assert not (at / "memory" / "2026-02-10.md").exists()


def test_a_private_note_is_not_found_by_any_action(
    aurelius: Run, vault: Callable[[str], Path]
) -> None:
    at = vault("template")
    (at / "people" / "zora.md").write_text(
        "---\nprivate: true\n---\n# Zora\n\n- Hides quetzals (2026-01-01) ^quetz1\n", "utf-8"
    )
    for action, form in TOOL_FORMS.items():
        given = {
            name: "zora" for name in form.takes["properties"] if name in {"query", "name", "entity"}
        }
        given |= {"id": "quetz1", "content": "Sails"} if "id" in form.takes["properties"] else {}
        given |= {"content": "Sails"} if action in {"save", "store"} else {}
        told = aurelius("tool", json.dumps({"action": action, **given}), cwd=at).out
        assert not re.search("people/zora|hides", told, re.IGNORECASE), told


def test_options_of_the_command_hold_for_every_call(
    aurelius: Run, vault: Callable[[str], Path]
) -> None:
    at = vault("template")
    (at / "agents" / "ada").mkdir(parents=True)
    (at / "agents" / "ada" / "sums.md").write_text(
        "# Sums\n\n## Facts\n- Counts quetzals (2026-01-01) ^count1\n", "utf-8"
    )
    asked = '{"action": "query", "query": "quetzals"}'
    for options, is_found in ((["--agent", "ada"], True), (["--agent", "bob"], False)):
        told = json.loads(aurelius("tool", asked, *options, cwd=at).out)
        assert ([each["id"] for each in told["memories"]] == ["count1"]) == is_found
    saved = aurelius(
        "tool",
        '{"action": "save", "content": "a"}',
        "--vault",
        str(at),
        "--now",
        "2026-01-02",
        cwd=at.parent,
    )
    assert json.loads(saved.out)["path"] == "memory/2026-01-02.md"


def test_nonsense_is_answered_and_never_a_bug(aurelius: Run, vault: Callable[[str], Path]) -> None:
    """Calls that are nearly right, with values of every kind."""
    at, rng = vault("template"), random.Random(7)
    values = [
        "",
        "a",
        "^k3v9qa",
        "joe",
        "../x",
        "\x00",
        "\ud800",
        "\u202e",
        "-",
        "#",
        "a" * 9_000,
        0,
        -1,
        1e300,
        10**30,
        True,
        None,
        [],
        ["a", None],
        {},
        {"a": []},
        {"": ""},
        '"',
        "people/joe-bloggs.md#Facts",
        "[[x]] (2026-01-01) ^y",
    ]
    before = {path: path.read_bytes() for path in at.rglob("*.md")}
    for _ in range(150):
        action = rng.choice([*TOOL_FORMS, "memory_query", 7])
        names = [*TOOL_FORMS.get(str(action), TOOL_FORMS["query"]).takes["properties"], "other"]
        given = {name: rng.choice(values) for name in rng.sample(names, rng.randint(0, len(names)))}
        text = (
            json.dumps({"action": action, **given})
            if rng.random() < 0.9
            else json.dumps(given)[: rng.randint(0, 40)]
        )
        done = aurelius("tool", text, cwd=at)
        assert done.code in {0, 2, 5, 6}, (text, done)
        assert (done.err, done.out.count("\n")) == ("", 1), (text, done)
        assert ("error" in json.loads(done.out)) == (done.code != 0), (text, done)
    for path in before:
        assert path.is_file()
    assert (at / "ME.md").read_bytes() == before[at / "ME.md"]


def test_the_help_page_names_every_action_with_its_parameters_and_its_calls_work(
    aurelius: Run, vault: Callable[[str], Path]
) -> None:
    at = vault("template")
    rows = dict(re.findall(r"^\| `(\w+)` \| .* \| (.*) \|$", HELP, re.MULTILINE))
    for action, form in TOOL_FORMS.items():
        assert action == "done" or {*re.findall(r"`(\w+)`", rows[action])} == {
            *form.takes["properties"]
        }, action
    shown = [
        shlex.split(line)[1:]
        for line in re.findall(r"^ {4}(aurelius tool '.*)$", HELP, re.MULTILINE)
    ]
    assert len(shown) == 4
    for words in shown:
        done = aurelius(*words, cwd=at)
        assert (done.code, done.err) == (0, ""), words
        assert next(iter(json.loads(done.out).values())), words


def test_events_of_facts_and_of_days_stand_in_the_order_of_a_search(
    aurelius: Run, tmp_path: Path
) -> None:
    (tmp_path / ".aurelius").mkdir()
    for path, text in {
        "boat.md": "# Boat\n\n## Facts\n- Sailed home (2026-01-02, event) ^sail01\n- Sails well ^sail02\n",
        "memory/2026-02-03.md": "# 2026-02-03\n\n- Sailed home with Ann\n",
        "memory/2026-02-04.md": "# 2026-02-04\n\n- Talked about sailing\n",
    }.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, "utf-8")
    every = call(aurelius, tmp_path, action="search", query="sailed home")["memories"]
    meant = [each for each in every if each.get("id") != "sail02"]
    told = call(aurelius, tmp_path, action="search_events", query="sailed home")
    assert {"sail01", "sail02"} <= {each.get("id") for each in every}
    assert [each["content"] for each in told["events"]] == [each["content"] for each in meant]
    told = call(aurelius, tmp_path, action="search_events", query="sailed home", limit=1)
    assert [each["content"] for each in told["events"]] == [meant[0]["content"]]
    assert told["truncated"] == len(meant) - 1
