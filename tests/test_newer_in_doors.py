"""In every door the newer line about the same thing comes with the older one, and says that it is."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from aurelius.memory import context
from aurelius.memory.context import ContextPart, fit_budget
from aurelius.memory.lines import Line
from aurelius.memory.relevance import needed_lines, with_later_lines
from aurelius.show.context import layer
from aurelius.vault import Vault
from indexer.search.hit import Hit, NewerOf, SearchResult
from indexer.search.query import SearchQuery
from indexer.search.recalled import LinkedLine, Pulled, Recall, Recalled

from .conftest import TODAY, Aurelius

PAGES = {
    "people/tom-becker.md": "# Tom Becker\n\n## Facts\n- Tom's number is 0151 111 (2026-02-05) ^tomn01\n",
    "people/joe-bloggs.md": "# Joe Bloggs\n\n## Facts\n- Lives in Portland (2026-02-05) ^joel01\n",
}
DAY = "memory/2026-02-08.md"
LATER = "- Tom has a new number: 0160 222\n- Joe moved to Lisbon\n"
ASKED = "Where does Joe live?"
LABEL = "newer about Joe Bloggs"
NEWER_OF = {"about": "Joe Bloggs", "path": "people/joe-bloggs.md", "line": 4}

Tell = Callable[[Aurelius, Path], str]


def command(*argv: str) -> Tell:
    return lambda aurelius, place: aurelius(*argv, cwd=place).out


def hook(event: str, **fields: str) -> Tell:
    def tell(aurelius: Aurelius, place: Path) -> str:
        told = {"session_id": "one", **fields}
        return aurelius("hook", event, cwd=place, stdin=json.dumps(told)).out

    return tell


def mcp(name: str, *, as_map: bool = False, **arguments: str) -> Tell:
    begin: dict[str, Any] = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "a", "version": "1"},
    }
    calls: list[dict[str, Any]] = [
        {"id": 1, "method": "initialize", "params": begin},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": {"name": name, "arguments": arguments}},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **call}) + "\n" for call in calls)

    def tell(aurelius: Aurelius, place: Path) -> str:
        answers = map(json.loads, aurelius("mcp", cwd=place, stdin=lines).out.splitlines())
        (result,) = (each["result"] for each in answers if each["id"] == 2)
        if as_map:
            return json.dumps(result["structuredContent"])
        return str(result["content"][0]["text"])

    return tell


def tool(**call: str) -> Tell:
    return command("tool", json.dumps(call))


def viewed(aurelius: Aurelius, place: Path) -> str:
    asked = {"command": "view", "path": "/memories/people/joe-bloggs.md"}
    return aurelius("memory-tool", cwd=place, stdin=json.dumps(asked) + "\n").out


TEXTS: Mapping[str, Tell] = {
    "search": command("search", ASKED),
    "search --md": command("search", ASKED, "--md"),
    "recall": command("recall", ASKED),
    "context": command("context", ASKED),
    "context as a session opens": command("context"),
    "context as a layer": command("context", ASKED, "--format", "layer"),
    "context, fenced": command("context", ASKED, "--format", "memory"),
    "hook prompt": hook("prompt", prompt=ASKED),
    "MCP recall": mcp("recall", question=ASKED),
    "MCP search in words": mcp("search", query=ASKED),
    "MCP context in words": mcp("context", prompt=ASKED),
    "recall --json": command("recall", ASKED, "--json"),
    "memory tool": viewed,
}
"""Doors that say it in words."""
MAPS: Mapping[str, Tell] = {
    "search --json": command("search", ASKED, "--json"),
    "context --json": command("context", ASKED, "--json"),
    "MCP search": mcp("search", as_map=True, query=ASKED),
    "MCP context": mcp("context", as_map=True, prompt=ASKED),
    "search of the tool": tool(action="search", query=ASKED),
    "search_facts": tool(action="search_facts", query=ASKED),
}
"""Doors that say it as a map beside the line."""
OF_ENTITY: Mapping[str, Tell] = {
    "facts of an entity": tool(action="search_facts", query="where does he live", entity="Joe"),
}


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Mapping[str, str]], Path]:
    def written(notes: Mapping[str, str]) -> Path:
        root = tmp_path / "vault"
        for path, text in notes.items():
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")
        (root / ".aurelius").mkdir()
        return root

    return written


Write = Callable[[Mapping[str, str]], Path]


def said(
    doors: Mapping[str, Tell], notes: Mapping[str, str], write: Write, aurelius: Aurelius
) -> dict[str, str]:
    """What each of some doors says of a vault with these notes beside the pages."""
    place = write({**PAGES, **notes})
    assert aurelius("index", cwd=place).code == 0
    return {door: tell(aurelius, place) for door, tell in doors.items()}


def test_the_newer_line_is_labelled_in_words(write: Write, aurelius: Aurelius) -> None:
    told = said(TEXTS, {DAY: LATER}, write, aurelius)
    for words in ("Lives in Portland", "Joe moved to Lisbon", LABEL):
        assert [door for door, text in told.items() if words not in text] == []


def test_the_newer_line_is_labelled_as_a_map(write: Write, aurelius: Aurelius) -> None:
    labels = {}
    for door, text in said(MAPS, {DAY: LATER}, write, aurelius).items():
        rows = [each for each in _maps(json.loads(text)) if "Lisbon" in _words(each)]
        labels[door] = [row.get("newer_of") for row in rows]
    assert [door for door, found in labels.items() if found != [NEWER_OF]] == []


def test_beside_memories_of_an_entity_stands_what_is_newer(
    write: Write, aurelius: Aurelius
) -> None:
    for door, text in said(OF_ENTITY, {DAY: LATER}, write, aurelius).items():
        assert "Portland" in text, door
        (newer,) = json.loads(text)["newer"]
        assert newer["content"] == "Joe moved to Lisbon"
        assert newer["newer_of"] == {"about": "Joe Bloggs"}


@pytest.mark.parametrize(
    "notes",
    [
        {DAY: "- Anna moved to Lisbon, and has a new number\n"},
        {DAY: "---\nprivate: true\n---\n" + LATER},
    ],
    ids=["a line about somebody else", "a private line"],
)
def test_nothing_else_is_labelled(
    notes: Mapping[str, str], write: Write, aurelius: Aurelius
) -> None:
    told = said({**TEXTS, **MAPS, **OF_ENTITY}, notes, write, aurelius)
    assert [door for door, text in told.items() if "Portland" not in text] == []
    for word in ("newer about", "newer_of", '"newer"'):
        assert [door for door, text in told.items() if word in text] == []
    if "private" in str(notes):
        for word in ("Lisbon", "0160"):
            assert [door for door, text in told.items() if word in text] == []


def _words(row: Mapping[str, Any]) -> str:
    return str(row.get("text", row.get("content")))


def _maps(value: Any) -> list[dict[str, Any]]:
    """All maps in a value, from the outside in."""
    if isinstance(value, list):
        return [found for each in value for found in _maps(each)]
    if isinstance(value, dict):
        return [value, *(found for each in value.values() for found in _maps(each))]
    return []


# -- a choice between the two ------------------------------------------------------------


def line(
    name: str, at: int, path: str = "people/joe-bloggs.md", newer_of: NewerOf | None = None
) -> Line:
    text = f"{name} is what this line says"
    return Line(
        key=name,
        path=path,
        lines=(at, at),
        text=text,
        date="2026-02-05",
        type="fact",
        id="",
        newer_of=newer_of,
    )


OLD = line("old", 4)
NEW = line("new", 1, DAY, NewerOf("Joe Bloggs", OLD.path, 4))


@pytest.mark.parametrize("budget", range(0, 200, 3))
@pytest.mark.parametrize(
    "parts",
    [
        [("Facts", [OLD, NEW])],
        [("Pinned & important", [OLD]), ("Facts", [NEW])],
        [("Facts", [NEW, OLD])],
    ],
    ids=["below it", "in another part", "above it"],
)
def test_no_budget_gives_the_old_line_alone(
    budget: int, parts: Sequence[tuple[str, Sequence[Line]]]
) -> None:
    gathered = tuple(ContextPart(title, tuple(lines)) for title, lines in parts)
    keys = {each.key for part in fit_budget(gathered, budget).parts for each in part.lines}
    assert keys in [set(), {"new"}, {"new", "old"}]


def test_where_one_line_fits_it_is_the_newer_one() -> None:
    gathered = (ContextPart("Facts", (OLD, NEW)),)
    assert {"new"} in [
        {each.key for part in fit_budget(gathered, budget).parts for each in part.lines}
        for budget in range(200)
    ]


def test_a_search_for_one_hit_gives_the_best(write: Write, aurelius: Aurelius) -> None:
    """Most later lines about somebody have changed something else."""
    place = write({**PAGES, DAY: LATER})
    (hit,) = json.loads(aurelius("search", ASKED, "-n", "1", "--json", cwd=place).out)["hits"]
    assert "Lives in Portland" in hit["text"]


def recalled(*newer: bool) -> Recall:
    hit = Hit(
        id="a",
        path="a.md",
        lines=(1, 1),
        heading=(),
        title="",
        kind="note",
        type="fact",
        date=None,
        status="active",
        score=1.0,
        text="a",
    )
    chain = [
        Pulled("why", LinkedLine("b", f"b{at}.md", (1, 1), "b", "b", "active"), each)
        for at, each in enumerate(newer)
    ]
    found = SearchResult(
        query=SearchQuery("a"),
        mode="hybrid",
        fusion="default",
        hits=(hit,),
        filtered={},
        truncated=0,
        hint=None,
        notices=(),
    )
    return Recall(found, (Recalled(hit, (), tuple(chain)),))


def test_of_an_answer_and_its_newer_line_none_is_cut_off() -> None:
    whole = recalled(True, False)
    assert whole.size == 2
    assert [len(each.chain) for each in whole.first(1).answers] == [1]
    assert [len(each.chain) for each in whole.first(2).answers] == [2]
    assert [len(each.chain) for each in recalled(False, False).first(1).answers] == [0]


def test_an_answer_whose_newer_line_is_gone_is_left_out() -> None:
    assert recalled(True).without(["b0.md"]).answers == ()
    assert len(recalled(False).without(["b0.md"]).answers) == 1


# -- in a session -------------------------------------------------------------------------


@pytest.fixture
def vault(write: Write, env: dict[str, str]) -> Vault:
    place = write({**PAGES, DAY: LATER})
    return Vault.find(str(place), env, str(place), now=TODAY)


def test_of_a_newer_line_that_was_shown_before_the_place_is_told(vault: Vault) -> None:
    lines = needed_lines(vault, ASKED)
    seen = [each.key for each in lines if "Lisbon" in each.text]
    assert len(seen) == 1
    (older,) = (each for each in needed_lines(vault, ASKED, seen=seen) if "Portland" in each.text)
    assert older.remarks == f"newer: {DAY}:2"


def test_a_newer_line_that_stands_above_stays_there(vault: Vault) -> None:
    lines = needed_lines(vault, ASKED)
    order = [each.key for each in with_later_lines(vault, ASKED, [*reversed(lines)], ())]
    assert order == [each.key for each in reversed(lines)]


def test_a_newer_line_is_labelled_wherever_it_stands(write: Write, env: dict[str, str]) -> None:
    """It is pinned, too, so it stands in a part of its own."""
    place = write({**PAGES, DAY: "- Joe moved to Lisbon (2026-02-08, pinned) ^lisb01\n"})
    vault = Vault.find(str(place), env, str(place), now=TODAY)
    parts = context.build_context(vault, ASKED, budget=2000).parts
    told = [each for part in parts for each in part.lines if "Lisbon" in each.text]
    assert [each.newer_of and each.newer_of[:3] for each in told] == [tuple(NEWER_OF.values())]


def test_a_context_labels_what_a_search_found_in_the_other_order(
    write: Write, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "needed_lines", lambda *given, **named: [])
    pages = {path: text.replace("2026-02-05", "2025-12-05") for path, text in PAGES.items()}
    place = write({**pages, DAY: LATER})
    vault = Vault.find(str(place), env, str(place), now=TODAY)
    asked = "What is Tom's number?"
    hits = vault.search(SearchQuery(asked)).hits
    assert "0160" in hits[0].text
    (facts,) = (
        part
        for part in context.build_context(vault, asked, budget=2000).parts
        if part.title == "Facts"
    )
    labels = {each.text: each.remarks for each in facts.lines}
    assert labels["Tom has a new number: 0160 222"] == "newer about Tom Becker"
    assert labels["Tom's number is 0151 111"] == ""


def test_an_older_line_of_one_matter_tells_where_the_newer_one_stands(
    write: Write, env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "needed_lines", lambda *given, **named: [])
    place = write({**PAGES, DAY: "- Joe lives in Lisbon now\n"})
    vault = Vault.find(str(place), env, str(place), now=TODAY)
    parts = context.build_context(vault, ASKED, budget=2000).parts
    told = {each.text: each.remarks for part in parts for each in part.lines}
    assert told["Joe lives in Lisbon now"] == LABEL
    assert f"newer: {DAY}:1" in told["Lives in Portland"]


def test_an_opening_leaves_out_what_is_older_than_a_line_shown_before(
    write: Write, aurelius: Aurelius
) -> None:
    place = write({**PAGES, DAY: LATER})
    assert aurelius("index", cwd=place).code == 0
    asked = hook("prompt", prompt="who moved to Lisbon?")(aurelius, place)
    opened = hook("session-start", source="resume")(aurelius, place)
    assert "Lisbon" in asked
    assert "Lisbon" not in opened
    if "Portland" not in asked:
        assert "Portland" not in opened


def test_text_and_json_tell_the_same_label() -> None:
    assert NEW.remarks == LABEL
    assert LABEL in layer(fit_budget((ContextPart("Facts", (OLD, NEW)),), 500))
