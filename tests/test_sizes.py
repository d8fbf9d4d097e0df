"""No answer is larger than an agent can afford: every command, asked nothing special, in a vault where all is long."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.cli.declarations import COMMANDS

Run = Callable[..., Any]

MOST = 16_000
"""Characters on stdout: about 4,000 tokens."""
NOTES = 160
EXEMPT = {
    "get": "prints the lines that are asked for",
    "export": "takes everything along",
    "open": "starts an editor",
    "help": "prints pages of documentation",
    "lsp": "answers an editor, question by question",
    "memory-tool": "answers a client program, call by call",
    "serve": "answers a browser, page by page",
    "mcp": "answers a client program, call by call",
    "import": "tells a few lines for each program",
    "sync": "tells a line for each note that both sides changed",
    "merge-file": "answers git, note by note",
    "uninstall": "takes a few lines out of one file",
}
LINES = {
    "search": [
        "search topic",
        "search topic --explain",
        "search topic --md",
        "search topic --jsonl",
        "search topic --paths",
        "search topic --budget 3000",
    ],
    "show": ["show hub", "show hub --facts", "show people/crowd.md --facts"],
    "list": ["list", "list --paths", "list --type fact"],
    "today": ["today"],
    "days": ["days", "days 2000.."],
    "tasks": ["tasks"],
    "links": ["links hub"],
    "recall": ["recall ferry", "recall what is said of the crowd"],
    "chat": ["chat topic", "chat what is said of the crowd"],
    "context": [
        "context",
        "context topic",
        "context topic --format=layer",
        "context topic --budget 3000",
    ],
    "hook": ["hook status"],
    "install": ["install"],
    "agents": ["agents"],
    "graph": ["graph hub", "graph hub --depth 2", "graph people/crowd.md --depth 2"],
    "tool": ['tool {"action":"search","query":"topic"}', 'tool {"action":"list"}'],
    "tags": ["tags"],
    "history": ["history people/crowd.md"],
    "maintain": ["maintain"],
    "review": ["review", "review --since 2026-02-01", "review accept 1 --dry-run"],
    "summarize": ["summarize --dry-run"],
    "archive": ["archive --when-over 1KB --dry-run"],
    "move": ["move hub notes/nave.md --dry-run"],
    "rm": ["rm people/plain.md --yes --dry-run"],
    "undo": ["undo --list", "undo --dry-run"],
    "new": ["new person Ann --dry-run"],
    "note": ["note seen", "note seen --dry-run"],
    "add": ["add people/plain.md sings --dry-run"],
    "update": ["update plain1 walks --dry-run"],
    "supersede": ["supersede plain1 runs --dry-run"],
    "reinforce": ["reinforce plain1"],
    "demote": ["demote plain1"],
    "status": [
        "status",
        "status --verbose",
        "status --tiers",
        "status --tiers people/crowd.md",
        "status --ageing",
        "status --ageing people/crowd.md",
    ],
    "doctor": [
        "doctor",
        "doctor --tidy --stamp --check",
        "doctor --tidy --stamp --dry-run",
    ],
    "config": ["config"],
    "daemon": ["daemon status"],
    "index": ["index"],
    "forget": ["forget people/plain.md"],
    "init": ["init made"],
}
"""What is asked of each command; a new one needs a line here or a reason above."""


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many notes with long titles, tags, tasks and links, and one of everything with thousands of it."""
    root = tmp_path_factory.mktemp("large")
    for folder in (".aurelius", "notes", "people", "memory"):
        (root / folder).mkdir()
    for number in range(NOTES):
        title = f"Topic {number} " + "of some length " * (120 if number % 50 == 0 else 8)
        (root / "notes" / f"n{number}.md").write_text(
            f"---\ntags: [tag{number}{'x' * 150}]\n---\n# {title}\n\nTopic [[hub]] and [[lost {number}]].\n"
            f"- [ ] Task {number} {'long ' * (600 if number % 100 == 0 else 20)}due 2026-03-{number % 28 + 1:02}\n",
            "utf-8",
        )
    every = "".join(f"- [[n{number}|label {'l' * 60} {number}]]\n" for number in range(NOTES))
    (root / "hub.md").write_text(f"# Hub\n\n{every}", "utf-8")
    facts = "".join(
        f"- Tried tea number {number} and wrote down at length how it was (2019-01-01, observation) ^a{number:05}\n"
        f"- ~~Lived in town {number}~~ (2020-01-01, superseded by ^b{number:05}) ^o{number:05}\n"
        f"- Lives in city {number} (2021-01-01) ^b{number:05}\n"
        for number in range(60)
    )
    bare = "".join(
        f"- Has seen the place called {number} with friends\n" * 2 for number in range(50)
    )
    (root / "people" / "crowd.md").write_text(f"# Crowd\n\n## Facts\n{facts}{bare}", "utf-8")
    (root / "people" / "plain.md").write_text(
        "# Plain\n\n## Facts\n- Sits (2026-01-01) ^plain1\n", "utf-8"
    )
    (root / "memory" / "2026-02-10.md").write_text("- Saw a bird\n" * 1_000, "utf-8")
    own = "".join(
        f"what was topic {number} {'about ' * 90}?\tpeople/plain.md\n" for number in range(40)
    )
    (root / "questions.tsv").write_text(own, "utf-8")
    return root


def test_every_command_is_asked() -> None:
    assert COMMANDS.keys() == LINES.keys() | EXEMPT.keys()


def test_no_answer_is_larger_than_an_agent_can_afford(notes: Path, aurelius: Run) -> None:
    assert aurelius("note", "a first change, for undo", cwd=notes).code == 0
    large, odd = {}, {}
    has_json = {name for name, command in COMMANDS.items() if "json" in command.defaults}
    for name, lines in LINES.items():
        for line in lines:
            by_line = {"--md", "--jsonl", "--paths", "--format=layer"} & {*line.split()}
            for form in [[], ["--json"]] if name in has_json and not by_line else [[]]:
                done = aurelius(*line.split(), *form, cwd=notes)
                if done.code not in {0, 1}:
                    odd[f"{line} {form}"] = done.err
                elif form:
                    json.loads(done.out)
                if len(done.out) > MOST:
                    large[f"{line} {form}"] = len(done.out)
    assert large == {}
    assert odd == {}


def test_a_list_can_be_paged_to_its_end_and_asked_for_whole(notes: Path, aurelius: Run) -> None:
    for command, key, place in (
        ("list", "notes", "path"),
        ("tasks", "tasks", "path"),
        ("tags", "tags", "name"),
    ):
        whole = json.loads(aurelius(command, "--all", "--json", cwd=notes).out)
        assert (len(whole[key]), whole.get("truncated")) == (whole["total"], None)
        pages: list[dict[str, Any]] = []
        while len(pages) < 150:
            page = json.loads(
                aurelius(command, "--offset", str(len(pages)), "--json", cwd=notes).out
            )
            assert page["truncated"] == page["total"] - len(pages) - len(page[key]) > 0
            pages += page[key]
        assert [row[place][:200] for row in pages] == [
            row[place][:200] for row in whole[key][: len(pages)]
        ]
