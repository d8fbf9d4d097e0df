"""`aurelius mcp --http` as programs meet it: the SDK's own client and raw requests over a real port."""

from __future__ import annotations

import http.client
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from aurelius.agents.calls import CALLS
from indexer.rows.lock import WRITE, hold
from tests.conftest import ROOT, Aurelius

JSON = "application/json"


class Door(NamedTuple):
    """A running server: its process, what it said when it began, where it answers, and where its token lies."""

    process: subprocess.Popen[str]
    said: tuple[str, ...]
    port: int
    token_file: Path
    env: dict[str, str]

    @property
    def token(self) -> str:
        return self.token_file.read_text()


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Door]:
    """One server for all these tests, which the last of them ends."""
    place = tmp_path_factory.mktemp("http")
    shutil.copytree(ROOT / "tests/vaults/sample", place / "vault")
    (place / "vault/.aurelius").mkdir(exist_ok=True)
    (place / "home").mkdir()
    with started(place) as found:
        yield found


@contextmanager
def started(place: Path, port: int = 0) -> Iterator[Door]:
    """A server of the vault there."""
    env = {
        "HOME": str(place / "home"),
        "AURELIUS_INDEX": str(place / "index"),
        "PATH": os.environ.get("PATH", ""),
    }
    line = [
        sys.executable,
        "-m",
        "aurelius",
        "mcp",
        "--http",
        f"--port={port}",
        "--no-use",
        "--vault",
    ]
    process = subprocess.Popen(
        [*line, str(place / "vault")], env=env, cwd=ROOT, text=True, stdout=-1, stderr=-1, stdin=-3
    )
    with process:
        assert process.stderr
        said = (process.stderr.readline(), process.stderr.readline())
        found = re.search(r"http://127\.0\.0\.1:(\d+)/mcp", said[0])
        assert found, said
        yield Door(
            process, said, int(found[1]), Path(said[1].rpartition(" is in ")[2].strip()), env
        )
        process.kill()


def post(
    door: Door, body: bytes, *, method: str = "POST", path: str = "/mcp", **headers: str
) -> tuple[int, str]:
    line = http.client.HTTPConnection("127.0.0.1", door.port, timeout=20)
    usual = {
        "Authorization": f"Bearer {door.token}",
        "Content-Type": JSON,
        "Accept": f"{JSON}, text/event-stream",
    }
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    line.request(method, path, body, {**usual, **named})
    answer = line.getresponse()
    text = answer.read().decode()
    line.close()
    return answer.status, text


def called(door: Door, name: str, version: str = "2025-06-18", **arguments: Any) -> Any:
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": name, "arguments": arguments},
    }
    status, text = post(door, json.dumps(asked).encode(), MCP_Protocol_Version=version)
    assert status == 200, text
    return json.loads(text)["result"]


def by_sdk(door: Door, act: Callable[[Client], Any], mode: str) -> Any:
    async def both() -> Any:
        headers = {"Authorization": f"Bearer {door.token}"}
        async with httpx2.AsyncClient(headers=headers, timeout=60) as line:
            transport = streamable_http_client(
                f"http://127.0.0.1:{door.port}/mcp", http_client=line
            )
            async with Client(transport, mode=mode) as client:
                return await act(client)

    return anyio.run(both)


def test_the_address_and_the_file_of_the_token_are_said_and_the_token_is_not(door: Door) -> None:
    assert door.token not in "".join(door.said)
    assert (
        door.said[0]
        == f"aurelius: answering MCP at http://127.0.0.1:{door.port}/mcp until Ctrl-C\n"
    )
    assert len(door.token) >= 43


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_the_sdks_own_client_gets_the_tools_and_an_answer(mode: str, door: Door) -> None:
    async def act(client: Client) -> Any:
        tools = (await client.list_tools()).tools
        return tools, await client.call_tool(
            "search", {"query": "where does Joe live?", "limit": 2}
        )

    tools, told = by_sdk(door, act, mode)
    assert [each.name for each in tools] == [each.name for each in CALLS]
    assert len(told.structured_content["hits"]) == 2


@pytest.mark.parametrize(
    "version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01"]
)
def test_a_client_of_an_older_protocol_is_answered_in_its_own(version: str, door: Door) -> None:
    params = {
        "protocolVersion": version,
        "capabilities": {},
        "clientInfo": {"name": "old", "version": "1"},
    }
    asked = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}
    status, text = post(door, json.dumps(asked).encode())
    assert status == 200
    agreed = json.loads(text)["result"]["protocolVersion"]
    assert version in (agreed, "1999-01-01")
    assert called(door, "search", agreed, query="Joe")["structuredContent"]["hits"]


BODIES = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"7",
    b'"x"',
    b"{}",
    b"\xff\xfe",
    b"[" * 50_000,
    b'{"a":' * 20_000,
    b"\0" * 9,
    b'{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "id": 1}',
    b'{"jsonrpc": "2.0", "id": 1, "method": 7}',
    b'{"jsonrpc": "2.0", "id": {}, "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": []}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "no/such"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "delete"}}',
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "search", "arguments": 7}}',
    b'[{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}]',
    b'{"jsonrpc": "2.0", "id": 1, "result": {}}',
    b'{"jsonrpc": "2.0", "id": 1e999, "method": "tools/list"}',
    b'{"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "search", "arguments": {"query": "x"}}}',
]


def test_a_body_that_is_no_request_is_refused_and_the_next_is_answered(door: Door) -> None:
    for body in BODIES:
        status, text = post(door, body)
        assert 400 <= status < 500 or (status == 202 and not text) or "error" in json.loads(text), (
            body[:80],
            text,
        )
        assert "Traceback" not in text
        assert 'File "' not in text
        assert "validation error" not in text
    for headers in (
        {"Content_Type": "text/plain"},
        {"Accept": "text/html"},
        {"MCP_Protocol_Version": "x"},
    ):
        assert (
            400 <= post(door, b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}', **headers)[0] < 500
        )
    assert [post(door, b"", method=method)[0] for method in ("GET", "DELETE", "OPTIONS")] == [
        405
    ] * 3
    assert post(door, b"{}", Authorization="Bearer x")[0] == 401
    assert post(door, b"x" * (1 << 20) + b"x")[0] == 413
    assert called(door, "search", query="Joe")["structuredContent"]["hits"]


@pytest.mark.parametrize(
    ("body", "headers", "status", "told", "todo"),
    [
        (b"", {}, 400, "the body is not JSON: Expecting value at character 1", '"tools/list"'),
        (b"{}", {}, 400, "the body is no message of JSON-RPC 2.0", '"tools/list"'),
        (b"[]", {}, 400, "the body must be a JSON object, not []", '"tools/list"'),
        (
            b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}',
            {},
            400,
            "the id of a message is",
            '"tools/list"',
        ),
        (
            b"{}",
            {"Content_Type": "text/plain"},
            415,
            "a message has to be JSON",
            "`Content-Type: application/json`",
        ),
        (
            b"{}",
            {"Authorization": ""},
            401,
            "the token is missing or wrong",
            "`Authorization: Bearer TOKEN`",
        ),
        (
            b"{}",
            {"method": "GET"},
            405,
            "only POST: here programs are answered",
            "aurelius help programs mcp",
        ),
        (b"{}", {"path": "/"}, 404, "there is nothing at /", "send messages to /mcp"),
    ],
)
def test_who_tries_it_by_hand_is_told_what_to_do(
    door: Door, body: bytes, headers: dict[str, str], status: int, told: str, todo: str
) -> None:
    found, text = post(door, body, **headers)
    answer = json.loads(text)
    assert (found, told in answer["error"], todo in answer["hint"]) == (status, True, True), text


def test_programs_that_ask_at_the_same_time_get_each_its_own_answer(door: Door) -> None:
    asked = ["Joe", "Sarah", "invoices", "boat"] * 4
    alone = {
        query: called(door, "search", query=query)["structuredContent"]["hits"]
        for query in set(asked)
    }
    with ThreadPoolExecutor(8) as threads:
        found = list(
            threads.map(
                lambda query: called(door, "search", query=query)["structuredContent"]["hits"],
                asked,
            )
        )
    assert found == [alone[query] for query in asked]


def test_a_second_server_on_the_port_is_one_clear_message(
    door: Door, aurelius: Aurelius, vault: Any
) -> None:
    done = aurelius("mcp", "--http", f"--port={door.port}", cwd=vault("sample"))
    assert (done.code, done.out) == (6, "")
    assert done.err.splitlines() == [
        f"aurelius: port {door.port} of 127.0.0.1 cannot be used: address already in use",
        "hint: stop the program that has it, or choose another with --port",
    ]
    done = aurelius("mcp", "--port=9", cwd=vault("template"))
    assert (done.code, done.err.splitlines()[0]) == (2, "aurelius: --port needs --http")


ENDINGS: dict[int, int] = {signal.SIGTERM: 0, signal.SIGINT: 130}


@pytest.mark.skipif(os.name != "posix", reason="Windows has no such signals")
@pytest.mark.parametrize("number", ENDINGS)
def test_a_signal_finishes_the_write_that_waits_and_leaves_the_port_free(
    number: int, tmp_path: Path
) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "vault/.aurelius").mkdir(parents=True)
    with started(tmp_path) as door, ThreadPoolExecutor(1) as other:
        stays = [http.client.HTTPConnection("127.0.0.1", door.port, timeout=20) for _ in range(3)]
        for each in stays:
            each.connect()
        called(door, "note", text="the first line")
        with hold(str(door.token_file.parent), WRITE, 5.0):
            answer = other.submit(called, door, "note", text="the line that waits")
            called(door, "search", query="x")
            time.sleep(0.5)  # for the other call to come so far
            door.process.send_signal(number)
            time.sleep(0.3)
        out, err = door.process.communicate(timeout=30)
        assert (door.process.returncode, out, err) == (ENDINGS[number], "", "aurelius: stopped\n")
        told = ["the first line", *([] if answer.result()["isError"] else ["the line that waits"])]
    (note,) = (tmp_path / "vault").rglob("*.md")
    assert [line[2:].partition(" ^")[0] for line in note.read_text().splitlines()][
        -len(told) :
    ] == told
    with started(tmp_path, door.port) as again:
        assert (again.port, again.token) == (door.port, door.token)
        assert called(again, "search", query="waits")["structuredContent"]["hits"]
    for each in stays:
        each.close()


@pytest.mark.skipif(os.name != "posix", reason="on Windows a socket closes in another way")
def test_a_client_that_goes_in_the_middle_harms_nobody(door: Door) -> None:
    asked = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "search", "arguments": {"query": "x"}},
    }
    body = json.dumps(asked).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{door.port}\r\nAuthorization: Bearer {door.token}\r\n"
        f"Content-Type: {JSON}\r\nAccept: {JSON}\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    for part in (head[:40], head, head + body[:20], head + body):
        with socket.create_connection(("127.0.0.1", door.port), timeout=20) as line:
            line.sendall(part)
    assert called(door, "search", query="Joe")["structuredContent"]["hits"]


def test_ctrl_c_ends_it_without_a_word_too_many(door: Door) -> None:
    line = http.client.HTTPConnection("127.0.0.1", door.port, timeout=20)
    line.connect()  # a client that stays
    door.process.send_signal(signal.SIGINT)
    out, err = door.process.communicate(timeout=30)
    line.close()
    assert (door.process.returncode, out, err) == (130, "", "aurelius: stopped\n")
