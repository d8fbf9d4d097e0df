"""The MCP server as the SDK's own client meets it, in this process and over a real pipe."""

from __future__ import annotations

import datetime
import io
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client, MCPError, StdioServerParameters, types

from aurelius.agents import mcp as made
from aurelius.agents.calls import CALLS, AgentDoor, Visit
from aurelius.agents.mcp import build_mcp_server, serve_mcp
from aurelius.cli.captured import open_door
from aurelius.cli.run import Context
from aurelius.vault import Vault
from indexer.errors import NoteNotFoundError
from tests.conftest import ROOT

NOW = datetime.datetime(2026, 2, 10, 12)
Act = Callable[[Client], Any]
Talk = Callable[[Act], Any]


@pytest.fixture
def talk(vault: Callable[[str], Path], env: dict[str, str]) -> Talk:
    """Runs `act(client)` with a client of a server over a copy of the sample vault, in this process."""
    context = Context(env["HOME"], env, False, io.StringIO(), io.StringIO(), io.StringIO(), NOW)
    door = open_door(context, str(vault("sample")))

    def run(act: Act) -> Any:
        async def both() -> Any:
            async with Client(build_mcp_server(door)) as client:
                return await act(client)

        return anyio.run(both)

    return run


def test_the_tools_are_the_calls_in_their_order(talk: Talk) -> None:
    async def act(client: Client) -> Any:
        return await client.list_tools()

    tools = talk(act).tools
    assert [each.name for each in tools] == [each.name for each in CALLS]
    assert [bool(each.annotations.read_only_hint) for each in tools] == [
        each.reads for each in CALLS
    ]
    assert not any(
        each.annotations.open_world_hint or each.annotations.destructive_hint for each in tools
    )
    assert all(each.annotations.destructive_hint is False for each in tools[4:])


def test_an_answer_is_short_text_and_the_same_as_a_map(talk: Talk) -> None:
    async def act(client: Client) -> Any:
        return await client.call_tool("search", {"query": "where does Joe live?", "limit": 2})

    told = talk(act)
    assert not told.is_error
    assert len(told.structured_content["hits"]) == 2
    for hit in told.structured_content["hits"]:
        assert f"{hit['path']}:{hit['lines'][0]}" in told.content[0].text
        assert hit["text"].splitlines()[0].strip() in told.content[0].text


def test_what_a_model_can_mend_is_an_answer_and_an_unknown_tool_is_not(talk: Talk) -> None:
    async def act(client: Client) -> Any:
        with pytest.raises(MCPError, match="unknown tool: delete"):
            await client.call_tool("delete", {})
        return await client.call_tool("get", {"ref": "nobody"})

    told = talk(act)
    assert told.is_error
    assert "hint: " in told.content[0].text


def test_notes_are_resources_in_the_order_of_their_paths_page_by_page(
    talk: Talk, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(made, "NOTES_A_PAGE", 4)
    (tmp_path / "vaults" / "sample" / "a diary #1.md").write_text(
        "---\nprivate: true\n---\nquiet\n"
    )
    (tmp_path / "vaults" / "sample" / "odd name #2.md").write_text("# Odd\n\nloud\n")

    async def act(client: Client) -> Any:
        pages = [await client.list_resources()]
        while pages[-1].next_cursor:
            pages.append(await client.list_resources(cursor=pages[-1].next_cursor))
        with pytest.raises(MCPError, match="cursor"):
            await client.list_resources(cursor="-1")
        return [each for page in pages for each in page.resources], await client.read_resource(
            next(each.uri for page in pages for each in page.resources if "odd" in each.uri)
        )

    found, read = talk(act)
    names = [each.name for each in found]
    assert names[0] == "today"
    assert len(names) > 5
    assert names[1:] == sorted({*names[1:]})
    assert "odd name #2.md" in names
    assert "a diary #1.md" not in names
    assert {each.mime_type for each in found} == {"text/markdown"}
    days = [each.annotations.last_modified for each in found if each.annotations]
    assert days
    assert all(datetime.datetime.fromisoformat(day).tzinfo for day in days), (
        "clients take no day alone"
    )
    assert read.contents[0].text == "# Odd\n\nloud"


def test_notes_that_change_while_a_prompt_is_answered_are_read_again(
    talk: Talk, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What holds the index then goes on holding it: it used to be closed under it, one time in thousands."""
    search = Vault.search

    def changed_behind(vault: Vault, *args: Any, **named: Any) -> Any:
        found = search(vault, *args, **named)
        for path in {hit.path for hit in found.hits}:
            with (tmp_path / "vaults/sample" / path).open("a") as note:
                note.write("\nOne line more about Joe.\n")
        return found

    monkeypatch.setattr(Vault, "search", changed_behind)

    async def act(client: Client) -> Any:
        return await client.get_prompt(
            "recall", {"subject": "where does Joe live, and what does Sarah say of him?"}
        )

    text = talk(act).messages[0].content.text
    assert "joe" in text.casefold()
    assert "bug in Aurelius" not in text


def test_characters_that_steer_are_visible_in_resources_and_prompts(
    talk: Talk, tmp_path: Path
) -> None:
    root = tmp_path / "vaults" / "sample"
    (root / "steers.md").write_text("# Zebu\n\nThe zebu says \x1b[2J and \u202egpj.exe\n")
    (root / "memory" / "2026-02-10.md").write_text("- \x1b[31mred zebu\n")

    async def act(client: Client) -> list[str]:
        uris = ("aurelius://note/steers.md", "aurelius://today")
        asked: Any = await client.get_prompt(
            "recall", {"subject": "what does the zebu \x1b[1m say?"}
        )
        return [
            *[text_of(await client.read_resource(uri)) for uri in uris],
            str(asked.messages[0].content.text),
        ]

    for text in talk(act):
        assert "zebu" in text.casefold()
        assert not {"\x1b", "\u202e"} & {*text}
        assert "\\x1b" in text


def test_a_long_note_is_cut_with_what_to_ask_for_the_rest(talk: Talk, tmp_path: Path) -> None:
    lines = [f"line {number} of a very long note" for number in range(50_000)]
    (tmp_path / "vaults" / "sample" / "long.md").write_text("\n".join(lines) + "\n")
    (tmp_path / "vaults" / "sample" / "memory/2026-02-10.md").write_text("- x\n" * 40_000)

    async def act(client: Client) -> Any:
        uris = ("aurelius://note/long.md", "aurelius://today")
        long, today = [text_of(await client.read_resource(uri)) for uri in uris]
        rest = long.rpartition("the rest: get ")[2].rstrip("]")
        return long, today, (await client.call_tool("get", {"ref": rest})).structured_content

    long, today, rest = talk(act)
    *kept, empty, told = long.split("\n")
    assert len(long) < made.MOST_RESOURCE_LETTERS + 200
    assert (kept, empty) == (lines[: len(kept)], "")
    assert (
        told == f"[cut by Aurelius: the rest: get long.md:{len(kept) + 1}:{len(lines) - len(kept)}]"
    )
    assert rest["text"].split("\n")[0] == lines[len(kept)]
    assert today.endswith("[cut by Aurelius: the rest: get memory/2026-02-10.md:25001:15000]")


def text_of(read: Any) -> str:
    return str(read.contents[0].text)


NOWHERE = [
    "none.md",
    "diary.md",
    "kitchen-renovation",
    "projects/kitchen-renovation",
    "projects/kitchen-renovation.md:1",
    "",
    "../x.md",
    "%2e%2e/x.md",
    "people%00.md",
    ".aurelius/x",
]


def test_a_resource_that_is_private_or_not_there_is_an_error(talk: Talk, tmp_path: Path) -> None:
    root = tmp_path / "vaults" / "sample"
    (root / "diary.md").write_text("---\nprivate: true\n---\nquiet\n")
    (root / "memory" / "2026-02-10.md").unlink()

    async def act(client: Client) -> None:
        for uri in [
            *(f"aurelius://note/{path}" for path in NOWHERE),
            "aurelius://today",
            "file:///etc/passwd",
        ]:
            with pytest.raises(MCPError, match="there is no resource") as told:
                await client.read_resource(uri)
            assert told.value.error.code == types.INVALID_PARAMS

    talk(act)


def test_a_prompt_brings_what_the_notes_say_as_data(talk: Talk) -> None:
    async def act(client: Client) -> Any:
        names = [each.name for each in (await client.list_prompts()).prompts]
        with pytest.raises(MCPError, match="unknown prompt"):
            await client.get_prompt("none")
        with pytest.raises(MCPError, match="subject is missing"):
            await client.get_prompt("recall", {"subject": " "})
        return names, [
            await client.get_prompt("recall", {"subject": "the kitchen"}),
            await client.get_prompt("review"),
        ]

    names, told = talk(act)
    assert names == ["recall", "review"]
    recalled, waiting = (each.messages[0].content.text for each in told)
    assert (
        recalled.index('<memory id="')
        < recalled.index("projects/kitchen-renovation.md")
        < recalled.index("</memory>")
    )
    assert json.loads(waiting[waiting.index("{") :])["schema"] == 1


def test_what_waits_for_the_person_is_told_without_any_agents_memory(
    talk: Talk, tmp_path: Path
) -> None:
    """Of two lines that may contradict each other, one is in the folder of an agent."""
    notes = tmp_path / "vaults" / "sample"
    for path, name in (("people/zoe.md", "Zoe"), ("agents/ada/MEMORY.md", "Yan")):
        (notes / path).parent.mkdir(parents=True, exist_ok=True)
        (notes / path).write_text(
            f"# {name}\n\n## Facts\n- {name} lives in Rome (2026-01-02) ^{name.lower()}01\n"
            f"- {name} lives in Rome (2026-01-02) ^{name.lower()}02\n"
        )

    (notes / "agents/ada/memory").mkdir()
    (notes / "agents/ada/memory/2026-02-01.md").write_text("- Began\n")

    async def act(client: Client) -> Any:
        return await client.get_prompt("review")

    said = talk(act).messages[0].content.text
    assert "Zoe lives" in said
    assert "Yan lives" not in said


# -- streams ---------------------------------------------------------------------------------------------


class Lines:
    """A client that sends lines and keeps the answers."""

    def __init__(self, *lines: str | bytes) -> None:
        self._lines = [each.encode() + b"\n" if isinstance(each, str) else each for each in lines]
        self.answers: list[Any] = []
        self.told: list[str] = []

    def read(self, most: int) -> bytes:
        line = self._lines.pop(0) if self._lines else b""
        if len(line) > most:
            self._lines.insert(0, line[most:])
        return line[:most]

    def write(self, data: bytes) -> None:
        self.answers.append(json.loads(data))

    def talk(self, door: AgentDoor) -> Lines:
        serve_mcp(door, self.read, self.write, self.told.append)
        return self


def request(number: Any, method: str, **params: Any) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})


HELLO = request(
    0,
    "initialize",
    protocolVersion="2025-06-18",
    capabilities={},
    clientInfo={"name": "a test", "version": "1"},
)
READY = json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"})


ONE_HIT = [True, {"hits": [{"path": "a.md", "text": "b"}]}, "a.md:1  b"]


class OneHit:
    """A door at which somebody answers every call that reads, and behind which there is nothing."""

    def asked(self, call: str) -> tuple[int, str]:
        return 0, json.dumps(ONE_HIT)

    def __call__(self, *, reads: bool, alone: bool = False) -> AbstractContextManager[Visit]:
        raise NoteNotFoundError("there is nothing")


def test_what_is_no_message_is_answered_as_an_error_and_the_next_is_served(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(made, "MOST_MCP_MESSAGE_BYTES", 4_000)
    bad: list[str | bytes] = [
        b"{\n",
        b"\xff\xfe\n",
        "[]",
        '"x"',
        "null",
        '{"jsonrpc": "2.0", "id": 7, "method": 5}',
        '{"id": "eight"}',
        b'{"jsonrpc":"2.0","id":9,"method":"ping","params":"\\ud800"}\n',
        b"[" * 3_000 + b"\n",
        b"x" * 9_000 + b"\n",
        *(request(odd, "ping") for odd in list[Any]((1.5, None, True, "\ud800", [], {}, 10**4000))),
        f"[{request(chr(0xD800), 'ping')}]",
    ]
    search = request(1, "tools/call", name="search", arguments={"query": "x"})
    done = Lines(HELLO, READY, *bad, b"\n", "  ", search).talk(OneHit())
    errors = [each for each in done.answers if "error" in each]
    assert [each["id"] for each in errors] == [*[None] * 5, 7, "eight", 9, *[None] * 10]
    assert {each["error"]["code"] for each in errors} == {types.PARSE_ERROR, types.INVALID_REQUEST}
    assert len(done.told) == len(bad)
    assert [each["id"] for each in done.answers if "result" in each] == [0, 1]


def test_unknown_methods_and_wrong_parameters_are_protocol_errors() -> None:
    done = Lines(
        HELLO,
        READY,
        request(1, "tools/burn"),
        request(2, "tools/call", name=5),
        request(3, "tools/call", name="burn"),
        request(6, "tools/call", name="search", arguments=[]),
        request(4, "resources/read"),
        request("five", "ping"),
    ).talk(OneHit())
    told = {each["id"]: each for each in done.answers}
    assert {number: told[number]["error"]["code"] for number in (1, 2, 3, 4, 6)} == {
        1: types.METHOD_NOT_FOUND,
        2: types.INVALID_PARAMS,
        3: types.INVALID_PARAMS,
        4: types.INVALID_PARAMS,
        6: types.INVALID_PARAMS,
    }
    assert told["five"]["result"] == {}


def test_two_calls_at_once_are_both_answered_and_a_cancelled_one_is_not() -> None:
    both, never = threading.Barrier(2), threading.Event()

    class Waiting(OneHit):
        def asked(self, call: str) -> tuple[int, str]:
            if "never" in call:
                never.wait(20)
            else:
                both.wait(20)
            return super().asked(call)

    calls = [
        request(name, "tools/call", name="search", arguments={"query": name})
        for name in ("a", "b", "never")
    ]
    cancel = json.dumps(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "never"}}
    )
    odd = cancel.replace('"never"', "[1]")
    done = Lines(HELLO, READY, calls[2], cancel, odd, calls[0], calls[1]).talk(Waiting())
    never.set()
    assert sorted(each["id"] for each in done.answers[1:]) == ["a", "b"]


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
def test_older_protocols_are_spoken(version: str) -> None:
    search = request(1, "tools/call", name="search", arguments={"query": "x"})
    hello = HELLO.replace("2025-06-18", version)
    done = Lines(hello, READY, search).talk(OneHit())
    told = {each["id"]: each for each in done.answers}
    assert told[0]["result"]["protocolVersion"] == version
    assert told[1]["result"]["content"][0]["text"] == "a.md:1  b"


@pytest.mark.parametrize("version", ["2024-11-05", "2025-11-25"])
def test_a_resource_that_is_not_there_has_the_code_of_the_protocol(
    version: str, vault: Callable[[str], Path], env: dict[str, str]
) -> None:
    context = Context(env["HOME"], env, False, io.StringIO(), io.StringIO(), io.StringIO(), NOW)
    read = request(2, "resources/read", uri="aurelius://note/x.md")
    hello = HELLO.replace("2025-06-18", version)
    done = Lines(hello, READY, read).talk(open_door(context, str(vault("sample"))))
    assert done.answers[1]["error"]["code"] == made.MISSING


def test_a_client_that_is_gone_ends_the_server_with_one_error() -> None:
    def gone(data: bytes) -> None:
        raise BrokenPipeError

    lines, more = Lines(HELLO), threading.Event()

    def read(most: int) -> bytes:
        line = lines.read(most)
        if not line:
            more.wait(20)  # the client's other end stays open
        return line

    with pytest.raises(BrokenPipeError):
        serve_mcp(OneHit(), read, gone, lines.told.append)
    more.set()


ENDINGS: dict[int, int] = {signal.SIGTERM: 0, signal.SIGINT: 130}

# -- one real process ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def started(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, StdioServerParameters]:
    """A vault, and how a server of it is started."""
    top = tmp_path_factory.mktemp("mcp")
    for path, text in {
        ".aurelius/config.toml": "",
        "joe.md": "# Joe\n\n## Facts\n- Lives in Rome (2026-01-02) ^rome01\n",
    }.items():
        (top / "vault" / path).parent.mkdir(parents=True, exist_ok=True)
        (top / "vault" / path).write_text(text)
    (top / "home").mkdir()
    env = {
        "HOME": str(top / "home"),
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "AURELIUS_NO_DAEMON": "1",
    }
    argv = ["-m", "aurelius", "--vault", str(top / "vault"), "mcp"]
    return top / "vault", StdioServerParameters(command=sys.executable, args=argv, env=env)


def test_the_sdk_s_own_client_over_a_pipe(started: tuple[Path, StdioServerParameters]) -> None:
    root, how = started

    async def act() -> None:
        async with Client(how) as client:  # which asks for the newest protocol first
            assert client.session.protocol_version == "2026-07-28"
            first: Any = await client.call_tool("search", {"query": "where does Joe live?"})
            assert first.structured_content["hits"][0]["id"] == "rome01"
            (root / "ann.md").write_text("# Ann\n\nThe okapi sleeps\n")
            second: Any = await client.call_tool("search", {"query": "okapi"})
            assert "okapi" in second.content[0].text
            assert (await client.call_tool("get", {"ref": "nobody"})).is_error
            moved = root.rename(root.with_name("elsewhere"))
            gone: Any = await client.call_tool("search", {"query": "okapi"})
            assert gone.is_error
            assert "hint: " in gone.content[0].text
            moved.rename(root)
            assert not (await client.call_tool("note", {"text": "the vault is back"})).is_error

    anyio.run(act)
    assert "the vault is back" in "".join(
        path.read_text() for path in (root / "memory").glob("*.md")
    )


@pytest.mark.skipif(os.name == "nt", reason="signals are another matter there")
def test_a_signal_ends_it_quietly_while_the_client_still_listens(
    started: tuple[Path, StdioServerParameters],
) -> None:
    _, how = started
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    both: list[tuple[int, Any]] = [
        (number, subprocess.Popen([how.command, *how.args], env=how.env, **pipes))
        for number in ENDINGS
    ]
    for number, process in both:
        process.stdin.write(HELLO.encode() + b"\n")
        process.stdin.flush()
        assert json.loads(process.stdout.readline())["id"] == 0
        process.send_signal(number)
        assert process.wait(20) == ENDINGS[number]
        assert process.stdout.read() + process.stderr.read() == b""
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
