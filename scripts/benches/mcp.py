"""What our MCP server costs beside the SDK's own empty one: to its first answer, and for each warm
search.

All are met from outside, as processes over pipes, in turn. What a search itself costs is told by a
third process, which makes the same call with an index as warm, and speaks no protocol.
"""

from __future__ import annotations

import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benches.reading import make_vault

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
NOTES = 500
"""Notes of the vault that is made."""
EMPTY = """
import anyio
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

async def list_tools(_, __):
    return types.ListToolsResult(tools=[types.Tool(name="search", input_schema={"type": "object"})])

async def call_tool(_, __):
    content = [types.TextContent(type="text", text="{}")]
    return types.CallToolResult(content=content, structured_content={})

async def main():
    server = Server("empty", on_list_tools=list_tools, on_call_tool=call_tool)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

anyio.run(main)
"""
ALONE = """
import io, json, os, sys
from aurelius.agents.calls import answer_call
from aurelius.cli.captured import open_door
from aurelius.cli.run import Context

context = Context(os.getcwd(), os.environ, False, *(io.StringIO() for _ in range(3)))
door = open_door(context, sys.argv[1], warm=True)
for question in sys.stdin:
    told = answer_call(door, "search", {"query": question.strip()})
    print(json.dumps(told.value), flush=True)
"""
HELLO = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "bench", "version": "1"},
}


class Talk:
    """A server as a process, and the seconds to the answer of each call."""

    def __init__(self, argv: Sequence[str], env: dict[str, str]) -> None:
        self._began = time.perf_counter()
        self._process = subprocess.Popen(
            argv, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._number = 0
        self._ask("initialize", HELLO)
        self._send({"method": "notifications/initialized"})

    def first(self, query: str) -> float:
        """Seconds from the start of the process to the answer of its first search."""
        self.search(query)
        return time.perf_counter() - self._began

    def search(self, query: str) -> float:
        """Seconds that a search takes."""
        began = time.perf_counter()
        told = self._ask("tools/call", {"name": "search", "arguments": {"query": query}})
        took = time.perf_counter() - began
        if told["result"].get("isError"):
            raise SystemExit(f"search {query}: {told}")
        return took

    def close(self) -> None:
        """End it, as a client does."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        self._process.wait(60)
        self._process.stdout.close()

    def _ask(self, method: str, params: dict[str, Any]) -> Any:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        assert self._process.stdout
        return json.loads(self._process.stdout.readline())

    def _send(self, told: dict[str, Any]) -> None:
        assert self._process.stdin
        self._process.stdin.write(json.dumps({"jsonrpc": "2.0", **told}).encode() + b"\n")
        self._process.stdin.flush()


def measure(source: Path | None, *, runs: int) -> list[tuple[str, list[tuple[str, ...]]]]:
    """Both rows, on a copy of `source` or on a made vault."""
    with tempfile.TemporaryDirectory(prefix="bench-") as place:
        vault = Path(place) / "vault"
        if source is None:
            make_vault(vault, NOTES)
        else:
            shutil.copytree(source, vault, symlinks=True)
        (vault / ".aurelius").mkdir(exist_ok=True)
        (Path(place) / "home").mkdir()
        env = {
            **{
                name: value
                for name, value in os.environ.items()
                if not name.startswith(("AURELIUS", "PYTHON", "XDG"))
            },
            "HOME": str(Path(place) / "home"),
            "AURELIUS_NO_DAEMON": "1",
            "PYTHONPATH": str(ROOT),
        }
        ours = [sys.executable, "-m", "aurelius", "--vault", str(vault), "mcp", "--no-use"]
        subprocess.run([*ours[:-2], "index"], env=env, check=True, capture_output=True)
        questions = _questions(vault, 3 * runs)
        rows = [("what", "ours", "beside it", "figure", "goal")]
        rows += [
            _starts(ours, env, questions, max(5, runs // 10)),
            _warm(ours, env, questions, vault),
        ]
        count = sum(1 for _ in vault.rglob("*.md"))
    return [(f"mcp: {count} notes, medians of runs in turn", rows)]


def _questions(vault: Path, count: int) -> list[str]:
    """So many questions, each another one: words that follow one another in the notes."""
    words = [
        word
        for path in sorted(vault.rglob("*.md"))
        for word in path.read_text("utf-8", "replace").split()
    ]
    words = [word for word in words if word.isalpha()]
    step = max(1, len(words) // count)
    return list(
        dict.fromkeys(" ".join(words[at : at + 4]) for at in range(0, len(words) - 4, step))
    )[:count]


def _starts(
    ours: Sequence[str], env: dict[str, str], questions: Sequence[str], runs: int
) -> tuple[str, ...]:
    """From the start of a process to its first answer."""
    took: dict[bool, list[float]] = {True: [], False: []}
    for run in range(runs + 1):
        for mine in (True, False):
            talk = Talk(ours if mine else [sys.executable, "-c", EMPTY], env)
            took[mine].append(talk.first(questions[run % len(questions)]))
            talk.close()
    mine, other = (
        statistics.median(took[each][1:]) for each in (True, False)
    )  # the first run fills the caches
    return (
        "start to first answer",
        f"{mine * 1000:.0f} ms",
        f"{other * 1000:.0f} ms",
        f"{mine / other:.2f} ×",
        "1.5 ×",
    )


def _warm(
    ours: Sequence[str], env: dict[str, str], questions: Sequence[str], vault: Path
) -> tuple[str, ...]:
    """A search, an empty tool of the empty server, and the same search without any protocol."""
    alone, mine, empty = (
        Alone(env, vault),
        Talk(ours, env),
        Talk([sys.executable, "-c", EMPTY], env),
    )
    for each in (alone, mine):
        for question in questions[:3]:
            each.search(question)
    time.sleep(2)  # until both have their index warm
    took: list[tuple[float, ...]] = []
    for number, question in enumerate(questions[3:]):
        turns = [mine, empty, alone][number % 3 :] + [mine, empty, alone][: number % 3]
        seconds = {each: each.search(question) for each in turns}
        took.append((seconds[mine], seconds[empty], seconds[alone]))
    for done in (alone, mine, empty):
        done.close()
    ours_, empty_, alone_ = (statistics.median(column) * 1000 for column in zip(*took, strict=True))
    return (
        "warm search",
        f"{ours_:.1f} ms",
        f"{empty_:.1f} + {alone_:.1f} ms",
        f"{ours_ - empty_ - alone_:+.1f} ms",
        "2 ms",
    )


class Alone:
    """The process that only searches, and the seconds to each answer."""

    def __init__(self, env: dict[str, str], vault: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", ALONE, str(vault)],
            env={**env, "AURELIUS_NO_USE": "1"},
            text=True,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def search(self, question: str) -> float:
        """Seconds that a search takes."""
        assert self._process.stdin
        assert self._process.stdout
        began = time.perf_counter()
        self._process.stdin.write(question + "\n")
        self._process.stdin.flush()
        told = self._process.stdout.readline()
        took = time.perf_counter() - began
        if '"hits"' not in told:
            raise SystemExit(told)
        return took

    def close(self) -> None:
        """End it."""
        self._process.communicate()
