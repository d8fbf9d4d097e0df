"""The commands of agents' doors: what goes in on stdin, and what comes out."""

from __future__ import annotations

import datetime
import importlib.util
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from aurelius.__main__ import run_line
from aurelius.cli.commands import doors
from aurelius.cli.run import Context
from tests.conftest import ROOT

Aurelius = Callable[..., Any]

HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "a test", "version": "1"},
}
VIEW = {"command": "view", "path": "/memories/plan.md"}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / "plan.md").write_text("# Plan\nfirst\n")
    return root


def test_a_whole_block_is_answered_by_a_whole_block(aurelius: Aurelius, root: Path) -> None:
    done = aurelius(
        "memory-tool",
        cwd=root,
        stdin=json.dumps(
            {
                "type": "tool_use",
                "id": "toolu_1",
                "name": "memory",
                "input": {**VIEW, "view_range": [1, 1]},
            }
        ),
    )
    assert json.loads(done.out) == {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": "Here's the content of /memories/plan.md with line numbers:\n     1\t# Plan",
        "is_error": False,
    }


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            '{"command": "view", "path": "/memories", "path": "/memories/x.md"}',
            "the call says 'path' twice",
        ),
        ('{"command": "view", "path": "/memories", "view_range": NaN}', "there is no number NaN"),
        ("nonsense", "the call is not JSON: Expecting value at character 1"),
        ("[1]", "the call must be a JSON object, not [1]"),
        ("[" * 9999, "a number or its nesting is too large"),
    ],
)
def test_a_line_that_programs_understand_differently_is_refused_as_every_door_does(
    line: str, why: str, aurelius: Aurelius, root: Path
) -> None:
    done = aurelius("memory-tool", cwd=root, stdin=f"{line}\n")
    told = json.loads(done.out)
    assert told["is_error"]
    assert why in told["content"]
    assert ("/memories" in told["content"]) == ("for example" in told["content"]), (
        "an example of this tool"
    )


def test_what_the_person_should_know_is_told_once(aurelius: Aurelius, root: Path) -> None:
    (root / "sub" / ".gitignore").mkdir(parents=True)
    done = aurelius("memory-tool", cwd=root, stdin=f"{json.dumps(VIEW)}\n" * 3)
    assert done.out.count("# Plan") == 3
    assert done.err.count("the ignore rules in sub/.gitignore cannot be used") == 1


def test_a_line_that_is_no_call_is_an_error_and_the_next_is_answered(
    aurelius: Aurelius, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aurelius.cli.commands.doors._MOST_LINE_BYTES", 2000)
    lines = [
        "{",
        "nope",
        "[]",
        "null",
        "1",
        '"view"',
        "{}",
        "[" * 1900,
        "\udcff",
        '{"command": ["view"]}',
        '{"command": 1}',
        '{"command": "view"}',
        '{"command": "view", "path": null}',
        '{"command": "view", "path": true}',
        '{"command": "insert", "path": "/memories/plan.md", "insert_line": true, "insert_text": "x"}',
        '{"command": "insert", "path": "/memories/plan.md", "insert_line": 1.5, "insert_text": "x"}',
        '{"command": "create", "path": "/memories/x.md", "file_text": "\\ud800"}',
        '{"command": "create", "path": "/memories/x.md", "file_text": "\\u0000"}',
        '{"type": "tool_use", "input": 5}',
        "x" * 5000,
        '{"path": ' + "9" * 1900,
    ]
    before = (root / "plan.md").read_bytes()
    done = aurelius("memory-tool", cwd=root, stdin="\n".join([*lines, "", "  ", json.dumps(VIEW)]))
    told = [json.loads(line) for line in done.out.splitlines()]
    assert (done.code, done.err) == (0, "")
    assert [each["is_error"] for each in told] == [True] * len(lines) + [False]
    assert {each.name for each in root.iterdir()} == {"plan.md", ".aurelius"}
    assert (root / "plan.md").read_bytes() == before


# -- mcp -------------------------------------------------------------------------------------------------


def lines(*asked: tuple[str, dict[str, Any]]) -> str:
    """A session: the handshake, then these requests."""
    told: list[dict[str, Any]] = [{"method": "initialize", "id": 0, "params": HELLO}]
    told += [{"method": "notifications/initialized"}]
    told += [
        {"method": method, "id": at, "params": params}
        for at, (method, params) in enumerate(asked, 1)
    ]
    return "".join(json.dumps({"jsonrpc": "2.0", **each}) + "\n" for each in told)


def answers(text: str) -> dict[int, Any]:
    return {each["id"]: each for each in map(json.loads, text.splitlines())}


def call(name: str, **arguments: Any) -> tuple[str, dict[str, Any]]:
    return "tools/call", {"name": name, "arguments": arguments}


def test_without_a_vault_there_is_one_message(aurelius: Aurelius, tmp_path: Path) -> None:
    done = aurelius("mcp", cwd=tmp_path)
    assert (done.code, done.out) == (4, "")
    assert "hint: " in done.err


def test_without_the_extra_it_says_what_to_install(
    aurelius: Aurelius, vault: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    done = aurelius("mcp", cwd=vault("sample"))
    assert (done.code, done.out) == (3, "")
    assert done.err == (
        "aurelius: the package mcp is not installed\n"
        "hint: in the folder that Aurelius was installed from: pipx install --force '.[mcp]'\n"
    )


def test_a_first_note_does_not_move_the_token_of_the_server(
    aurelius: Aurelius, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "aurelius.loopback.http_guard.serve_http", lambda _, listener: listener.close()
    )
    told = aurelius("mcp", "--http", "--port=0", cwd=root).err.splitlines()[1]
    token = Path(told.rpartition(" is in ")[2]).read_text()
    assert aurelius("note", "x", cwd=root).code == 0
    assert aurelius("mcp", "--http", "--port=0", cwd=root).err.splitlines()[1] == told
    assert Path(told.rpartition(" is in ")[2]).read_text() == token


def test_what_only_reads_is_not_logged_where_nothing_is_to_be(
    vault: Callable[[str], Path], env: dict[str, str]
) -> None:
    there = vault("template")

    def logged(*options: str) -> int:
        out = io.StringIO()
        now = datetime.datetime(2026, 2, 10, 12)
        stdin = io.StringIO(lines(call("get", ref="^k3v9qa")))
        assert (
            run_line(
                ["mcp", *options], Context(str(there), env, False, stdin, out, io.StringIO(), now)
            )
            == 0
        )
        assert "Los Angeles" in answers(out.getvalue())[1]["result"]["structuredContent"]["text"]
        waiting = [
            path
            for path in Path(env["HOME"]).rglob("*")
            if path.is_file() and b"k3v9qa" in path.read_bytes()
        ]
        kept = [
            path
            for path in (there / ".aurelius").rglob("*")
            if path.is_file() and b"k3v9qa" in path.read_bytes()
        ]
        return len(waiting + kept)

    assert logged("--no-use") == 0
    assert logged() > 0


def test_nothing_but_the_protocol_is_on_stdout_and_a_closed_pipe_is_no_error(
    vault: Callable[[str], Path], env: dict[str, str]
) -> None:
    there = vault("template")
    code = (
        "import os, sys\nfrom aurelius.agents import calls\nanswer = calls.answer_call\n"
        "def loud(*words):\n    print('stray'); os.system('echo stray; cat'); return answer(*words)\n"
        "from aurelius.agents import mcp\nmcp.answer_call = loud\n"
        "sys.argv = ['aurelius', 'mcp']\nfrom aurelius.__main__ import main\nmain()\n"
    )
    started = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=there,
        env={**env, "PYTHONPATH": str(ROOT)},
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    out, err = started.communicate(
        lines(call("search", query="tea"), call("note", text="heard")), 60
    )
    assert sorted(answers(out)) == [0, 1, 2]
    assert err.count("stray") == 4
    assert "heard" in "".join(path.read_text() for path in (there / "memory").glob("*.md"))
    assert started.returncode == 0

    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "aurelius", "mcp"],
        cwd=there,
        env={**env, "PYTHONPATH": str(ROOT)},
        timeout=60,
        input=lines().encode(),
        stdout=writing,
        stderr=subprocess.PIPE,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_what_is_being_written_is_waited_for_when_a_signal_ends_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    said: list[object] = []

    class Waited:
        def close(self, wait: float) -> None:
            said.append(wait)

    monkeypatch.setattr(os, "_exit", said.append)
    context = Context("/", {}, False, io.StringIO(), io.StringIO(), io.StringIO())
    doors._leave(Waited(), 15, context, says=False)  # type: ignore[arg-type]  # what it asks of a door
    assert said == [doors.SECONDS_TO_FINISH, 0]
    doors._leave(Waited(), 2, context, says=True)  # type: ignore[arg-type]  # as above
    assert said == [doors.SECONDS_TO_FINISH, 0, doors.SECONDS_TO_FINISH, 130]
    assert context.err.getvalue() == "aurelius: stopped\n"  # type: ignore[attr-defined]  # StringIO


def test_an_editor_is_told_what_is_missing(
    aurelius: Aurelius, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert aurelius("lsp", cwd=root.parent).code == 4, "no vault"
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    done = aurelius("lsp", cwd=root)
    assert (done.code, done.out) == (3, "")
    assert "pipx install --force '.[lsp]'" in done.err
