"""Notes in `agents/NAME/`: no byte of another agent's comes out of any command, nothing is counted or hinted at, and
what an agent writes goes to where it is its own."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import apsw
import pytest

from aurelius.__main__ import run_line
from aurelius.answers.note_view import differences
from aurelius.api import add
from aurelius.cli.complete import offers
from aurelius.cli.run import Context
from aurelius.daemon.client import find_root
from aurelius.vault import Vault
from aurelius.writing.check_edit import refuse_anothers
from indexer.catalog.lists import get_facts, get_failed
from indexer.catalog.visibility import is_hidden_from, look_as, viewer
from indexer.errors import UsageError
from indexer.refresh.refresh import RefreshReport
from indexer.rows.rows import Index, open_index
from indexer.search import view
from indexer.search.candidates import Gathering, Pool
from indexer.search.view import Scope
from tests import test_canary as canary
from tests.conftest import TODAY

OTHERS = canary.PRIVATE.replace("private: true\n", "")
NOTES = {
    "people/joe.md": canary.NOTES["people/joe.md"],
    "people/ann.md": canary.NOTES["people/ann.md"],
    "memory/2026-02-10.md": canary.NOTES["memory/2026-02-10.md"],
    "agents/README.md": "# About agents\n\nThe agents keep their notes here.\n",
    "agents/quetzal/quetzalname.md": OTHERS,
    "agents/quetzal/people/joe.md": "# Joe\n\n- Hums quetzalsongs (2026-02-01) ^quetz3\n- Hums quetzalsongs\n",
    "agents/quetzal/memory/2026-02-10.md": "- Read the quetzalbook with [[people/joe]] and [[people/ann]]\n",
    "agents/quetzal/MEMORY.md": "# Memory\n\n- Always say quetzal first (2026-02-01, instruction, scope 1) ^quetz5\n",
    "agents/bot/plan.md": "# Bot plan\n\n## Facts\n- Counts the herons at the lake (2026-02-03) ^heron1\n",
    "agents/bot/memory/2026-02-09.md": "- Saw a heron near the boat\n",
}
WITHOUT = {
    re.sub("quetz", "zyx", path): re.sub("quetz", "zyx", text, flags=re.IGNORECASE)
    for path, text in NOTES.items()
}
"""The same notes with other words in those of the other agent."""
PATHS = [
    "agents/quetzal/quetzalname.md",
    "agents/quetzal/quetzalname",
    "agents/quetzal",
    "agents/quetzal/",
    "agents/quetzal/memory/2026-02-10.md",
    "agents/quetzal/memory/2026-02-11.md",
    "agents//quetzal/quetzalname.md",
    "agents/quetzal/people/joe.md:4",
    "agents/quetzal/people/joe.md#^quetz3",
]


class House(canary.House):
    """A vault of several agents, in which one of them, or nobody, runs commands."""

    def run(self, line: str, agent: str | None = "bot") -> str:
        """All that a command prints, and its exit code."""
        own = {k: v for k, v in self.env.items() if k != "AURELIUS_AGENT"}
        self.env = {**own, "AURELIUS_AGENT": agent} if agent is not None else own
        return super().run(line)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[Callable[..., House]]:
    made: list[House] = []

    def build(*, daemon: bool = False, notes: Mapping[str, str] = NOTES) -> House:
        made.append(House(tmp_path / str(len(made)), daemon=daemon, notes=notes))
        return made[-1]

    yield build
    for each in made:
        if each.live is not None:
            each.live.close()


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> House:
    """A vault for tests that change nothing in it."""
    return House(tmp_path_factory.mktemp("shared"), daemon=False, notes=NOTES)


def secrets(text: str) -> list[str]:
    return re.findall("quetz", text, re.IGNORECASE)


def test_a_person_and_the_agent_itself_see_what_is_hidden_from_others(shared: House) -> None:
    """Otherwise the other tests here see nothing."""
    vault = shared
    for agent in (None, "quetzal", "Quetzal"):
        assert "quetzaltea" in vault.run("search quetzaltea", agent)
        assert "quetzaltag" in vault.run("tags", agent)
        assert "Quetzalrome" in vault.run("get agents/quetzal/quetzalname.md", agent)
    assert "quetzalsongs" in vault.run("context quetzalsongs", "quetzal")
    assert "quetz3" in vault.run("export --json", None)
    assert "herons" in vault.run("search herons")


@pytest.mark.parametrize("daemon", [False, True], ids=["cold", "daemon"])
def test_no_command_of_an_agent_prints_a_byte_of_another_ones_notes(
    daemon: bool, house: Callable[..., House]
) -> None:
    """A daemon is asked every line, as JSON, which tells most; cold each ninth is asked, and every one that writes."""
    vault = house(daemon=daemon)
    as_json = [vault.forms(line)[-1] for line in canary.READING]
    told = {
        line: vault.run(line)
        for line in (as_json if daemon else [*canary.READING[1::9], *canary.WRITING])
    }
    assert {line: text for line, text in told.items() if secrets(text)} == {}


def test_a_word_of_another_agents_note_is_answered_as_a_word_that_no_note_holds(
    house: Callable[..., House],
) -> None:
    vault, without, odd = house(daemon=True), house(daemon=True, notes=WITHOUT), list[str]()
    words = [word for word in canary.WORDS if word.startswith("quetz")]
    for turn, line in enumerate(canary.ASKED):
        word = words[turn % len(words)]
        told = canary.even(vault.run(line.format(word=word)), word)
        if line.startswith("search"):
            wanted = canary.even(without.run(line.format(word=word)), word)
        else:
            wanted = canary.even(vault.run(line.format(word=canary.HOLLOW)), canary.HOLLOW)
        odd += (
            [f"{line.format(word=word)}: {told[:300]} instead of {wanted[:300]}"]
            if told != wanted
            else []
        )
    assert odd == []


def test_a_path_in_another_agents_folder_is_answered_as_one_that_is_not_there(
    house: Callable[..., House],
) -> None:
    vault, without, odd = house(daemon=True), house(daemon=True, notes=WITHOUT), list[str]()
    commands = (
        "get",
        "show",
        "links",
        "history",
        "graph",
        "add {} 'Hums'",
        "move people/ann {}",
        "archive",
        "list --in",
        "update",
    )
    for turn, path in enumerate(PATHS):
        for command in commands[turn % 2 :: 2] if turn > 1 else commands:
            line = (
                command.format(path)
                if "{}" in command
                else f"{command} {path}" + " x" * (command == "update")
            )
            told, wanted = (
                canary.even(each.run(line), "x").replace("quetz", "") for each in (vault, without)
            )
            odd += (
                [f"{line}: {told} instead of {wanted}"] if told != wanted.replace("zyx", "") else []
            )
    for path in PATHS[:4]:
        told, wanted = (
            each.run(f"forget {path}").replace("quetz", "") for each in (vault, without)
        )
        odd += (
            [f"forget {path}: {told} instead of {wanted}"]
            if told != wanted.replace("zyx", "")
            else []
        )
    assert odd == []
    assert "made agents/notes.md" in vault.run("move people/joe agents/notes.md")


def test_what_is_given_to_an_agent_without_a_name_holds_nothing_of_any_agent(shared: House) -> None:
    vault = shared
    for line in (
        "context",
        "context what does joe drink",
        "context quetzalsongs --format layer",
        "context heron --json",
        "context --hook",
        "context herons at the lake --hook",
    ):
        told = vault.run(line, None)
        assert not secrets(told.replace(line, "").replace("quetzalsongs", "")), line
        assert "Counts the herons" not in told, line
    assert "Counts the herons" in vault.run("context herons at the lake")


DEFINED = {
    **NOTES,
    "agents/critic/role.md": "# Critic\n\nThe critic checks every heron report for spelling.\n",
    "agents/critic/notes/2026-02-08.md": "- A heron template of the critic\n",
}
"""The same notes with the definition of an agent that keeps no memory."""


def test_the_definition_of_an_agent_is_shared_where_nobody_is_named_and_hidden_from_other_agents(
    house: Callable[..., House],
) -> None:
    vault = house(notes=DEFINED)
    asked = "which heron report does the critic check for spelling?"
    for line in (f"context {asked}", f"context {asked} --hook", f"context {asked} --format layer"):
        assert "checks every heron report" in vault.run(line, None), line
        assert "checks every heron report" in vault.run(line, "critic"), line
        assert "checks every heron report" not in vault.run(line, "bot"), line
        assert "Counts the herons" not in vault.run(line, None), line
    assert "checks every heron report" in hook(vault, "prompt", None, prompt=asked)
    assert "checks every heron report" not in hook(vault, "prompt", "bot", prompt=asked)
    assert "critic" not in vault.run("status", None)
    assert json.loads(vault.run("status --json", None).partition("[0]")[0])["agents"] == {
        "bot": 2,
        "quetzal": 4,
    }


def test_who_an_agent_is_and_what_it_keeps_in_mind_stands_in_its_own_context_alone(
    house: Callable[..., House],
) -> None:
    vault = house(
        notes={
            **NOTES,
            "agents/bot/SOUL.md": "# Soul\n\nThe bot speaks in verse.\n",
            "SOUL.md": "Be kind.\n",
            "agents/bot/IDENTITY.md": "The bot is called Heronimus.\n",
            "agents/bot/MEMORY.md": "# Memory\n\n- The boat leaks (2026-02-03)\n",
        }
    )
    own = vault.run("context --format md")
    identity, _, memory = own.partition("## MEMORY.md")
    assert [
        each for each in ("speaks in verse", "called Heronimus", "Be kind") if each not in identity
    ] == []
    assert "The boat leaks" in memory
    assert (
        "Always say quetzal first"
        in vault.run("context --format md", "quetzal").partition("## MEMORY.md")[0]
    )
    for agent in (None, "quetzal"):
        told = vault.run("context --format md", agent)
        assert "Be kind" in told
        assert not re.search("verse|Heronimus|boat leaks", told), agent


def test_an_agent_without_a_name_writes_where_it_may_read(house: Callable[..., House]) -> None:
    vault = house(notes=DEFINED)
    opened = Vault.find(None, vault.env, str(vault.root), now=TODAY, agent="")
    assert opened.who == "", "it does not know yet who keeps a memory"
    add(opened, "agents/critic/role.md", "Reads every page twice")
    refuse_anothers("agents/critic/new.md", opened.who)
    with pytest.raises(UsageError, match="is in the folder of another agent"):
        refuse_anothers("agents/bot/new.md", opened.who)
    opened.close()
    assert "Reads every page twice" in written(vault, "agents/critic/role.md")


def test_a_search_looks_once_where_notes_are_hidden_and_finds_what_two_looks_find(
    house: Callable[..., House], monkeypatch: pytest.MonkeyPatch
) -> None:
    vault, looks = house(notes=DEFINED), list[Scope]()
    within = Gathering.within

    def counted(gathering: Gathering, scope: Scope) -> Pool:
        looks.append(scope)
        return within(gathering, scope)

    monkeypatch.setattr(Gathering, "within", counted)
    asked = [
        "search joe --explain --json",
        "search quetzaltea herons",
        "search quetz1",
        "search knows ann -n 50",
    ]
    once = [canary.even(vault.run(line), "x") for line in asked]
    assert len(looks) == len(asked), "one look a search"
    monkeypatch.setattr(view, "all_seen", lambda db: Scope(""))
    assert [canary.even(vault.run(line), "x") for line in asked] == once
    assert len(looks) > 2 * len(asked)


def test_a_daemon_that_answers_several_agents_in_turn_answers_each_as_it_is_answered_alone(
    house: Callable[..., House],
) -> None:
    cold, warm, odd = house(), house(daemon=True), list[str]()
    asked = [
        "search joe --explain",
        "search knows ann --explain",
        "search tea",
        "search joe -n 3 --kind person --json",
        "recall what does joe drink",
        "context joe",
        "context",
        "list --json",
        "links joe",
        "search herons --in agents",
    ]
    agents = (None, "bot", "new")
    alone = {
        (line, agent): canary.even(cold.run(line, agent), "x") for line in asked for agent in agents
    }
    for line in asked:
        for agent in (*agents, "bot", None):
            told, wanted = canary.even(warm.run(line, agent), "x"), alone[line, agent]
            odd += [f"{agent} {line}: {told} instead of {wanted}"] if told != wanted else []
    assert odd == []


def test_the_condition_in_sql_hides_what_the_rule_hides(house: Callable[..., House]) -> None:
    vault = house(
        notes={
            **NOTES,
            "agents/Bot/x.md": "x",
            "agents/K/x.md": "x",
            "Agents/bot/x.md": "x",
            "agents0/bot/x.md": "x",
            "agents/a b/c/x.md": "x",
            "agents.md": "x",
            "agents/bot.md": "x",
            "agents/K/memory/2026-02-08 lake.md": "x",
            "agents/É/x.md": "x",
            "agents/É/memory/2026-02-08.md": "x",
            "agents/a b/memory/plan.md": "x",
            "agents/a b/2026-02-08.md": "x",
            "agents/c/agents/d/memory/2026-02-08.md": "x",
        }
    )
    folder = next(each for each in (vault.top / "index").rglob("current")).parent
    index = open_index(str(folder), write=False)
    assert index is not None
    every = [path for (path,) in index.db.execute("SELECT path FROM note")]
    for agent in ("", "bot", "BOT", "k", "quetzal", "agents"):
        who = look_as(index.db, agent)
        hidden = {
            path for (path,) in index.db.execute("SELECT path FROM visible_note WHERE private")
        }
        assert hidden == {path for path in every if is_hidden_from(path, who)}, agent
        assert who == (agent or {"bot", "quetzal", "k", "É"}) == viewer(index.db)
        assert agent or {path.split("/")[1].lower() for path in hidden} == {
            "bot",
            "quetzal",
            "k",
            "é",
        }
        look_as(index.db, None)
        assert index.db.execute("SELECT count(*) FROM visible_note WHERE private").get == 0
    index.close()


def written(vault: House, path: str) -> str:
    return (vault.root / path).read_text("utf-8")


def test_what_an_agent_writes_without_a_note_goes_to_its_own_day(
    house: Callable[..., House],
) -> None:
    vault = house()
    vault.run("note met Ann")
    vault.run("add 'Prefers short answers'")
    day = written(vault, "agents/bot/memory/2026-02-10.md")
    assert "met Ann" in day
    assert "Prefers short answers" in day
    assert written(vault, "memory/2026-02-10.md") == NOTES["memory/2026-02-10.md"]
    assert "agents/bot/memory/2026-02-10.md" in vault.run("search short answers --paths")
    assert "short answers" not in vault.run("search short answers", "quetzal")
    assert written(vault, "memory/2026-02-10.md") in vault.run("today") + "\n"
    vault.run("supersede ^heron1 'Counts the ducks'")
    assert "Counts the ducks" in written(vault, "agents/bot/plan.md")


def test_a_shared_note_that_an_agent_writes_to_names_it_as_the_source(
    house: Callable[..., House],
) -> None:
    vault = house()
    vault.run("add people/ann 'Plays the cello'")
    vault.run("add people/ann 'Owns a canoe' --from letter")
    vault.run("supersede ^abcde2 'Lives in Rome'")
    vault.run("add agents/bot/plan.md 'Counts swans'")
    ann, joe, plan = (
        written(vault, path) for path in ("people/ann.md", "people/joe.md", "agents/bot/plan.md")
    )
    assert re.search(r"Plays the cello \(2026-02-10, from agent bot\)", ann)
    assert "Owns a canoe (2026-02-10, from letter)" in ann
    assert re.search(r"Lives in Rome \(2026-02-10, from agent bot\)", joe)
    assert "Counts swans (2026-02-10) ^" in plan


def test_a_page_that_an_agent_begins_or_archives_stays_in_its_folder(
    house: Callable[..., House],
) -> None:
    vault = house()
    vault.run("new person 'Lee Smith'")
    assert written(vault, "agents/bot/people/lee-smith.md").startswith("---\naliases: [Lee Smith]")
    vault.run("new person 'Mia Wong'", None)
    assert (vault.root / "people/mia-wong.md").exists()
    vault.run("archive agents/bot/people/lee-smith.md")
    assert (vault.root / "agents/bot/archives/lee-smith.md").exists()
    vault.run("archive ^heron1", None)
    assert "Counts the herons" in written(vault, "agents/bot/archives/plan.md")


def test_an_agent_changes_undoes_and_moves_nothing_of_another_one(
    house: Callable[..., House],
) -> None:
    vault = house()
    vault.run("note 'Counted quetzaleggs'", "quetzal")
    before = {path: path.read_bytes() for path in vault.root.rglob("agents/quetzal/**/*.md")}
    for line in (
        "undo",
        "undo --number 1",
        "move people/ann agents/quetzal/",
        "move people/ann agents/quetzal/ann.md",
        "doctor --tidy --stamp",
        "summarize --all",
        "archive --when-over 1B",
        "supersede ^quetz3 'Sings'",
    ):
        vault.run(line)
        assert {
            path: path.read_bytes() for path in vault.root.rglob("agents/quetzal/**/*.md")
        } == before, line
        assert "agents/quetzal" not in vault.run("undo --list")
    assert 'noted "Counted quetzaleggs" in agents/quetzal/memory/2026-02-10.md' in vault.run(
        "undo --list", None
    )


def test_the_folder_of_agents_is_theirs_in_any_case(house: Callable[..., House]) -> None:
    vault = house(
        notes={path.replace("agents/", "Agents/", 1): text for path, text in NOTES.items()}
    )
    for line in (
        "search 'hums joe'",
        "list",
        "context joe",
        "tags",
        "days 2026-02-10",
        "recall joe",
        "status",
    ):
        assert not secrets(vault.run(line)), line
    assert secrets(vault.run("search 'hums joe'", None))
    for path in ("Agents/quetzal/new.md", "AGENTS/Quetzal/new.md", "agents/quetzal/new.md"):
        vault.run(f"move people/ann {path}")
        assert (vault.root / "people/ann.md").exists(), path
    assert "Agents/bot/plan.md" in vault.run("search herons lake")


def test_a_check_names_no_link_in_the_folder_of_another_agent(house: Callable[..., House]) -> None:
    vault = house()
    (vault.root.parent / "elsewhere").mkdir()
    (vault.root / "agents/quetzal/quetzallink").symlink_to(vault.root.parent / "elsewhere")
    vault.run("index", None)
    assert "quetzallink" in vault.run("doctor", None)
    assert not secrets(vault.run("doctor"))


def test_an_agent_takes_back_nothing_that_was_done_to_a_private_note(
    house: Callable[..., House],
) -> None:
    vault = house(notes={**NOTES, "diary.md": "---\nprivate: true\n---\n# Diary\n"})
    vault.run("add diary.md 'Sleeps badly' --private", None)
    before = (vault.root / "diary.md").read_bytes()
    assert "a private note" not in vault.run("undo --list")
    for line in ("undo", "undo --number 1", "undo --private", "undo --number 1 --private"):
        vault.run(line)
        assert (vault.root / "diary.md").read_bytes() == before, line
    vault.run("undo", None)
    assert (vault.root / "diary.md").read_bytes() != before


def test_no_shared_note_is_written_with_the_words_of_an_agent(house: Callable[..., House]) -> None:
    vault = house()
    (vault.root / "projects").mkdir()
    (vault.root / "projects/_index.md").write_text("# Projects\n", "utf-8")
    for line in (
        "summarize --all --new --yes",
        "review --since 2026-02-01",
        "review",
        "summarize people/joe",
        "review accept --all",
    ):
        told = vault.run(line, None)
        assert not secrets(told), line
    shared = [
        path
        for path in vault.root.rglob("*.md")
        if "agents" not in path.relative_to(vault.root).parts
    ]
    assert {str(path): secrets(path.read_text("utf-8")) for path in shared} == {
        str(path): [] for path in shared
    }


def hook(vault: House, event: str, agent: str | None, **fields: object) -> str:
    """What a hook answers."""
    out = io.StringIO()
    argv = ["hook", event, *(["--agent", agent] if agent else [])]
    told = io.StringIO(json.dumps({"session_id": "s1", **fields}))
    env = {k: v for k, v in vault.env.items() if k != "AURELIUS_AGENT" or v == "a b"}
    run_line(
        argv, Context(str(vault.root), env, False, told, out, io.StringIO(), TODAY, live=vault.live)
    )
    return out.getvalue()


def test_a_hook_tells_an_agent_its_own_notes_and_keeps_the_persons_words_for_all(
    house: Callable[..., House],
) -> None:
    vault = house()
    asked = {"prompt": "what does bot count at the lake, herons or quetzalsongs?"}
    assert "Counts the herons" in hook(vault, "prompt", "bot", **asked)
    assert "Counts the herons" not in hook(vault, "prompt", None, **asked)
    assert not secrets(hook(vault, "prompt", "bot", **asked).replace("quetzalsongs?", ""))
    vault.env = {**vault.env, "AURELIUS_AGENT": "a b"}
    assert "Counts the herons" not in (
        said := hook(vault, "prompt", None, prompt="what do I drink with Joe?")
    )
    assert said, "a hook says what one without an agent's name is told"
    messages = [{"role": "user", "content": "Remember that Ann is allergic to peanuts."}]
    hook(vault, "stop", "bot", messages=messages)
    assert "peanuts" in written(vault, "memory/2026-02-10.md")
    assert not (vault.root / "agents/bot/memory/2026-02-10.md").exists()


def test_what_a_person_says_to_an_agent_changes_no_page_of_that_agent(
    house: Callable[..., House],
) -> None:
    page = "# Mia Wong\n\n**Type:** Person\n\n## Facts\n- Mia lives in Paris (2026-01-02) ^miaaa1\n"
    vault = house(notes={**NOTES, "agents/bot/people/mia-wong.md": page})
    settings = vault.top / ".config/aurelius/config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text('[capture]\nreplace = "apply"\n', "utf-8")
    told = "No, Mia Wong no longer lives in Paris. Mia Wong lives in Rome now. Remember that."
    hook(vault, "stop", "bot", messages=[{"role": "user", "content": told}])
    assert "Rome" in written(vault, "memory/2026-02-10.md")
    assert written(vault, "agents/bot/people/mia-wong.md") == page


def test_an_agents_name_is_checked_and_asks_for_no_private_note(shared: House) -> None:
    vault = shared
    assert "--agent cannot be 'a b'" in vault.run("list --agent 'a b'", None)
    (vault.top / ".codex").mkdir()
    for line in (
        "list",
        "search quetzalsongs",
        "note Tea",
        "context tea",
        "tool '{}'",
        "install codex --yes",
    ):
        told = vault.run(line, "a b")
        assert (
            "AURELIUS_AGENT cannot be 'a b'\nhint: an agent is named by letters, digits, - and _, 64 at most"
            in told
        )
        assert (told.rpartition("[")[2], secrets(told)) == ("2]", []), line
    assert not list((vault.top / ".codex").iterdir())
    assert "--private cannot go with an agent's name" in vault.run("search joe --private")
    assert vault.run("--agent bot search herons --paths", None) == vault.run(
        "search herons --paths"
    )


def test_a_hit_names_the_agent_in_whose_folder_it_lies(shared: House) -> None:
    vault = shared
    hits = json.loads(vault.run("search joe herons --json -n 30", None).partition("[0]")[0])["hits"]
    assert {hit["path"]: hit.get("agent", "") for hit in hits} == {
        hit["path"]: hit["path"].split("/")[1] if re.match("agents/.+/", hit["path"]) else ""
        for hit in hits
    }
    assert {"bot", "quetzal"} <= {hit.get("agent") for hit in hits}


def test_a_day_that_an_agent_keeps_takes_no_name_from_the_shared_one(
    house: Callable[..., House],
) -> None:
    vault = house()
    for agent in (None, "quetzal"):
        assert "Met [[people/joe]]" in vault.run("get 2026-02-10", agent)
        assert "Met [[people/joe]]" in vault.run("get today", agent)
    (vault.root / "memory/2026-02-10.md").unlink()
    assert "memory/2026-02-10.md is not written yet" in vault.run("today", "quetzal")
    assert vault.run("today --path", None).startswith("memory/2026-02-10.md\n")


def test_facts_in_an_agents_folder_have_a_narrow_scope(shared: House) -> None:
    vault = shared
    opened = Vault.find(None, vault.env, str(vault.root), now=TODAY)
    scopes = {path: fact.scope for path, fact in get_facts(opened.index().db, private=False)}
    opened.close()
    assert scopes["agents/bot/plan.md"] == 0.2
    assert scopes["agents/quetzal/MEMORY.md"] == 1.0, "its own line says so"


def test_the_memory_tool_of_an_agent_keeps_out_of_other_folders(
    house: Callable[..., House],
) -> None:
    vault = house()

    def call(**asked: object) -> str:
        line = json.dumps(asked)
        out = io.StringIO()
        argv = ["memory-tool", "--agent", "bot"]
        run_line(
            argv,
            Context(
                str(vault.root), vault.env, False, io.StringIO(line), out, io.StringIO(), TODAY
            ),
        )
        return out.getvalue()

    assert not secrets(call(command="view", path="/memories"))
    assert "agents/bot" in call(command="view", path="/memories")
    for name in ("quetzalname.md", "nothing-there.md"):
        path = f"/memories/agents/quetzal/{name}"
        assert "does not exist" in call(command="view", path=path)
        assert "cannot be used" in call(command="create", path=path, file_text="x\n")
        assert "cannot be used" in call(
            command="rename", old_path="/memories/people/ann.md", new_path=path
        )
    assert "created successfully" in call(
        command="create", path="/memories/agents/bot/todo.md", file_text="x\n"
    )


def test_a_note_that_cannot_be_read_is_told_to_no_other_agent(house: Callable[..., House]) -> None:
    vault = house()
    file = next(each for each in (vault.top / "index").rglob("index-*.db"))
    with apsw.Connection(str(file)) as db:
        db.execute(
            "INSERT INTO failed(path, reason) VALUES('agents/quetzal/odd.md', 'no'), ('odd.md', 'no')"
        )
    db.close()
    index = open_index(str(file.parent), write=False)
    assert index is not None
    for agent, paths in (
        (None, {"agents/quetzal/odd.md", "odd.md"}),
        ("bot", {"odd.md"}),
        ("", {"odd.md"}),
    ):
        look_as(index.db, agent)
        assert {path for path, _ in get_failed(index.db, private=True)} == paths
        look_as(index.db, None)
    index.close()


def test_a_shell_offers_an_agent_nothing_of_another_one(shared: House) -> None:
    vault = shared
    for words, begun in (
        (["get"], "agents/q"),
        (["list", "--tag"], "quetz"),
        (["reinforce"], "quetz"),
        (["list", "--in"], "agents/"),
    ):
        for agent, hidden in (("bot", True), (None, False)):
            env = {**vault.env, "AURELIUS_AGENT": agent or ""}
            context = Context(
                str(vault.root), env, False, io.StringIO(), io.StringIO(), io.StringIO(), TODAY
            )
            told = " ".join(each.word for each in offers(words, begun, context))
            assert bool(secrets(told)) is not hidden, (words, agent)


def test_nothing_of_another_agent_is_counted(shared: House, house: Callable[..., House]) -> None:
    alone = {path: text for path, text in NOTES.items() if "quetz" not in path}
    vault, without = shared, house(notes=alone)
    for line in ("status --json", "tags --json", "status --tiers --json", "list --json --limit 1"):
        told, wanted = (json.loads(each.run(line).partition("[0]")[0]) for each in (vault, without))
        for name in (
            "notes",
            "chunks",
            "facts",
            "vectors",
            "kinds",
            "problems",
            "total",
            "counts",
            "status --tiers",
        ):
            assert told.get(name) == wanted.get(name), (line, name)
    for line in ("search herons --json", "recall herons --json"):
        told, wanted = (
            json.loads(each.run(line).partition("[0]")[0])["index"] for each in (vault, without)
        )
        assert (told["notes"], told["chunks"]) == (wanted["notes"], wanted["chunks"]), line


def failing(
    refresh: Callable[..., tuple[Index, RefreshReport]], *asked: Any, **how: Any
) -> tuple[Index, RefreshReport]:
    """A refresh that could not read a note of another agent."""
    index, report = refresh(*asked, **how)
    return index, report._replace(failed=(("agents/quetzal/odd.md", "no"),))


def test_what_the_disk_and_a_refresh_tell_of_another_agents_notes_is_told_to_no_other_one(
    house: Callable[..., House],
) -> None:
    vault = house()
    own = {key: value for key, value in vault.env.items() if key != "AURELIUS_AGENT"}
    for agent, count in ((None, 1), ("quetzal", 1), ("bot", 0), ("", 0)):
        opened = Vault.find(None, own, str(vault.root), now=TODAY, agent=agent)
        index = opened.index()
        (vault.root / "agents/quetzal/late.md").write_text("x", "utf-8")
        assert len([*differences(opened.config, index)]) == count, agent
        (vault.root / "agents/quetzal/late.md").unlink()
        opened._pass = partial(failing, opened._pass)
        assert len(opened.refresh().failed) == count, agent
        opened.close()


def test_a_daemon_is_asked_for_the_vault_of_a_command_that_names_an_agent(shared: House) -> None:
    vault = shared
    for argv in (
        ["--agent", "bot", "search", "tea"],
        ["--agent=bot", "search", "tea"],
        ["search", "--agent", "bot"],
    ):
        assert find_root(argv, {"HOME": str(vault.top)}, str(vault.root)) == str(vault.root)


def test_a_hook_with_an_agents_name_that_is_none_tells_no_agents_notes(
    house: Callable[..., House],
) -> None:
    vault = house()
    vault.env = {**vault.env, "AURELIUS_AGENT": "a b"}
    said = hook(vault, "prompt", None, prompt="who hums, what does bot count at the lake, herons?")
    assert not secrets(said)
    assert "Counts the herons" not in said
