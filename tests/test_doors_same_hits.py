"""The same question through every door: the same hits in the same order, on a fixed clock and without a trace.

A door of another form shows what it shows of them in that order: the tool forms as many as they are asked for, a memory
layer of `context` the lines of the first twenty.  What a hook adds to a prompt are lines of the hits for the words that
it makes of the prompt, in the order of those in each of its parts, but for a few that come by links.
"""

from __future__ import annotations

import datetime
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import anyio
import httpx2
import pytest
from mcp import Client, ClientSession, StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from aurelius import Vault
from aurelius.__main__ import run_line
from aurelius.cli import captured
from aurelius.cli.run import Context
from aurelius.daemon import client
from aurelius.daemon.client import ask_daemon
from aurelius.daemon.server import Server
from aurelius.memory import relevance
from aurelius.memory.context import MEMORY_LAYER_HITS, top_hits
from aurelius.memory.lines import Line
from aurelius.settings import places
from indexer.live.live_index import Live
from indexer.search.hit import Hit
from tests.conftest import ROOT
from tests.pages import served

NOW = datetime.datetime(2026, 2, 10, 12)
CLOCK = "--now=2026-02-10T12:00"
QUESTIONS = (
    "where does Joe live?",
    "boiler restart red button",
    "sourdough oven temperature",
    "who repairs ships?",
    "what did we decide about the ferry booking?",
    "how do I prefer my coffee",
    "what happened last week",
    "telemetry ring buffer leak",
    "kitchen tiles Aveiro",
    '"red button"',
    "Tallinn hostel -choir",
    "zzzzqqq",
)
PROMPTS = (
    "Joe comes for dinner, what should I cook?",
    "when does the ferry leave for the choir tour?",
    "book a table for Joe and Ann",
)
LIMIT = 10

Place = tuple[str, tuple[int, ...]]
Found = dict[str, list[Place]]
"""Question -> path and lines of each hit, in their order."""


def placed(hits: list[dict[str, Any]]) -> list[Place]:
    return [(hit["path"], tuple(hit["lines"])) for hit in hits]


class Doors:
    """One vault with its index, and every door to it."""

    def __init__(self, top: Path, state: str) -> None:
        self.root = str(top / "vault")
        shutil.copytree(ROOT / "tests/vaults/sample", self.root)
        os.mkdir(os.path.join(self.root, ".aurelius"))
        self.env = {
            "HOME": str(top),
            "XDG_STATE_HOME": state,
            "AURELIUS_INDEX": str(top / "index"),
            "AURELIUS_NO_USE": "1",
            "PATH": os.environ.get("PATH", ""),
        }

    def line(self, *argv: str, stdin: str = "") -> str:
        out, err = io.StringIO(), io.StringIO()
        context = Context(self.root, self.env, False, io.StringIO(stdin), out, err, NOW)
        assert run_line([*argv], context) == 0, err.getvalue()
        return out.getvalue()

    def command(self) -> Found:
        return {each: placed(self.hits(each)) for each in QUESTIONS}

    def hits(self, question: str, *options: str, limit: int = LIMIT) -> list[dict[str, Any]]:
        told = self.line("search", "--json", "--no-use", f"-n{limit}", *options, "--", question)
        found: list[dict[str, Any]] = json.loads(told)["hits"]
        return found

    def socket(self) -> Found:
        live = Live(Vault.find(self.root, self.env, self.root, now=NOW).settings, wake=lambda: None)
        live.turn(time.time())
        path = places.socket_path(places.daemon_folder(self.root, self.env))
        server = Server(path, lambda request: captured.answer_request(request, self.root, live))
        try:
            found = {}
            for each in QUESTIONS:
                argv = [CLOCK, "search", "--json", "--no-use", f"-n{LIMIT}", "--", each]
                told = ask_daemon(argv, self.env, self.root)
                assert told is not None, "no daemon answered"
                found[each] = placed(json.loads(told.out)["hits"])
            return found
        finally:
            server.close()
            live.close()

    def library(self) -> Found:
        with Vault.find(self.root, self.env, self.root, now=NOW) as vault:
            return {
                each: [(hit.path, hit.lines) for hit in vault.search(each, limit=LIMIT).hits]
                for each in QUESTIONS
            }

    def page(self) -> Found:
        """What the page of the search shows."""
        found: Found = {}
        with served(Path(self.root), self.env, now=NOW) as pages:
            for each in QUESTIONS:
                asked = urlencode({"q": each, "limit": LIMIT})
                shown = pages.get(f"/memory/search?{asked}").text.partition('id="results"')[2]
                places = re.findall(r'<p class="where">([^<]*):(\d+)(?:-(\d+))?[ <]', shown)
                found[each] = [
                    (unescape(path), (int(first), int(last or first)))
                    for path, first, last in places
                ]
        return found

    def words(self, *more: str) -> list[str]:
        return ["-m", "aurelius", CLOCK, "mcp", "--no-use", f"--vault={self.root}", *more]

    async def asked(self, mcp: Any) -> Found:
        """What an MCP client is told."""
        found = {}
        for each in QUESTIONS:
            told = await mcp.call_tool("search", {"query": each, "limit": LIMIT})
            assert not told.is_error, told
            found[each] = placed(told.structured_content["hits"])
        return found

    def stdio(self) -> Found:
        how = StdioServerParameters(
            command=sys.executable, args=self.words(), env=self.env, cwd=str(ROOT)
        )

        async def act() -> Found:
            async with stdio_client(how) as (read, write), ClientSession(read, write) as mcp:
                await mcp.initialize()
                return await self.asked(mcp)

        return anyio.run(act)

    def http(self) -> Found:
        started = subprocess.Popen(
            [sys.executable, *self.words("--http", "--port=0")],
            env=self.env,
            cwd=ROOT,
            text=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
        )
        with started as process:
            try:
                assert process.stderr
                said = (process.stderr.readline(), process.stderr.readline())
                address = re.search(r"http://\S+/mcp", said[0])
                assert address, said
                token = Path(said[1].rpartition(" is in ")[2].strip()).read_text("ascii")

                async def act() -> Found:
                    async with httpx2.AsyncClient(
                        headers={"Authorization": f"Bearer {token}"}, timeout=60
                    ) as line:
                        transport = streamable_http_client(address[0], http_client=line)
                        async with Client(transport) as mcp:
                            return await self.asked(mcp)

                return anyio.run(act)
            finally:
                process.kill()

    def tool(self, question: str, action: str, limit: int) -> list[Place]:
        asked = {"action": action, "query": question, "limit": limit}
        return placed(json.loads(self.line("tool", json.dumps(asked)))["memories"])


@pytest.fixture(scope="module")
def doors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Doors]:
    with pytest.MonkeyPatch.context() as patch, tempfile.TemporaryDirectory(prefix="a") as short:
        patch.setattr(
            client, "CONNECT", 10
        )  # a machine that is busy with other things fails no test
        patch.setattr(client, "SILENCE", 10)
        yield Doors(tmp_path_factory.mktemp("doors"), short)


@pytest.fixture(scope="module")
def said(doors: Doors) -> Found:
    return doors.command()


def test_the_questions_have_answers_to_compare(said: Found) -> None:
    assert sum(map(len, said.values())) > 80
    assert all(found for question, found in said.items() if question != "zzzzqqq")


@pytest.mark.parametrize("door", ["library", "socket", "stdio", "http", "page"])
def test_a_door_gives_the_hits_of_the_command_in_their_order(
    door: str, doors: Doors, said: Found
) -> None:
    assert getattr(doors, door)() == said


@pytest.mark.parametrize(("action", "options"), [("search", ()), ("query", ("--mode=keyword",))])
def test_a_tool_form_gives_its_hits_in_the_order_of_the_search(
    action: str, options: tuple[str, ...], doors: Doors
) -> None:
    for question in QUESTIONS:
        for limit in (LIMIT, 3):
            assert doors.tool(question, action, limit) == placed(
                doors.hits(question, *options, limit=limit)
            )


def test_a_memory_layer_has_the_lines_of_the_hits_in_their_order(doors: Doors) -> None:
    shown = 0
    with Vault.find(doors.root, doors.env, doors.root, now=NOW) as vault:
        for question in QUESTIONS:
            found = vault.search(question, limit=MEMORY_LAYER_HITS)
            hits = [] if found.weak else [(hit.path, hit.lines[0]) for hit in found.hits]
            lines = [
                (line.path, line.lines[0])
                for part in top_hits(vault, question)
                for line in part.lines
            ]
            assert lines == [place for place in hits if place in lines], question
            assert len(lines) >= 0.7 * len(hits), (
                "the others say the same as one before, or are of a guide for agents"
            )
            shown += len(lines)
    assert shown > 80


def test_what_a_hook_adds_stands_in_the_order_of_the_hits_for_its_words(doors: Doors) -> None:
    """What comes by links, and is no hit, stands behind what is one; a later line stands below the
    one that it may have changed."""
    places, parts = [], 0
    with Vault.find(doors.root, doors.env, doors.root, now=NOW) as vault:
        for question in (*QUESTIONS, *PROMPTS):
            hits = vault.search(
                relevance.read_prompt(question, ()).query, limit=relevance.RELEVANCE_POOL
            ).hits
            needed = relevance.needed_lines(vault, question)
            found = [_rank(line, hits) for line in needed if not line.newer_of]
            assert found == sorted(found), question
            places += found
            parts += len(found) > 1
    assert parts > 1
    assert sum(rank < relevance.RELEVANCE_POOL for rank in places) >= 0.9 * len(places) > 9


def _rank(line: Line, hits: Sequence[Hit]) -> int:
    spans = [hit.lines if hit.path == line.path else (1, 0) for hit in hits]
    return next(
        (rank for rank, (first, last) in enumerate(spans) if first <= line.lines[0] <= last),
        relevance.RELEVANCE_POOL,
    )
