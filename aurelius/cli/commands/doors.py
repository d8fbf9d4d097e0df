"""The commands that open a door for an agent's program: `mcp`, `memory-tool`, `tool`, `lsp`."""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import sys
import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, cast

from aurelius.cli.run import STOPPED
from aurelius.show.terminal import json_safe
from indexer.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import TextIO

    from aurelius.agents.memory_tool import MemoryTool
    from aurelius.cli.captured import Door
    from aurelius.cli.run import Context
    from aurelius.loopback.http_guard import Refusal

_MOST_LINE_BYTES = 16 << 20
"""Bytes of a line that asks; a note has two million at most."""
SECONDS_TO_FINISH = 5.0
"""Seconds that a change which is being written may take when a door is closed."""

_REQUEST_EXAMPLE = 'for example {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'
PORT = 8437
"""Where `mcp --http` answers unless another port is named: always the same one, for clients are
told it once."""


def run_mcp(args: SimpleNamespace, context: Context) -> int:
    """Answer an MCP client over stdin and stdout, or over HTTP."""
    _need("mcp")
    from aurelius.settings.config import find_vault

    if args.port is not None and not args.http:
        raise UsageError("--port needs --http", "aurelius mcp --http --port N")
    root = find_vault(
        args.vault, context.env, context.cwd
    )  # a client is told at once where there is none
    opened = _opened(args, context, root)
    if context.stdin is sys.stdin and threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda number, _: _leave(opened, number, context, says=args.http))
    try:
        if args.http:
            _over_http(opened, context, root, PORT if args.port is None else args.port)
        else:
            _over_streams(opened, context)
    finally:
        opened.close(SECONDS_TO_FINISH)
    return 0


def _over_streams(opened: Door, context: Context) -> None:
    """Answer MCP on stdin and stdout until the client goes."""
    from aurelius.agents.mcp import serve_mcp

    read, write = _streams(context)
    serve_mcp(opened, read, write, context.tell)


def _over_http(door: Door, context: Context, root: str, port: int) -> None:
    """Answer MCP on a port of this computer until Ctrl-C, behind the guard of local servers."""
    from aurelius.agents.mcp import http_app
    from aurelius.loopback import http_guard
    from aurelius.settings.places import vault_state
    from aurelius.writing.own_files import give_name

    give_name(
        root, context.env
    )  # its first change would give it one, and the token would then be elsewhere
    state = vault_state(root, context.env)
    token = http_guard.token_in(state)
    listener = http_guard.listening(port)
    port = listener.getsockname()[1]
    context.tell(
        f"answering MCP at http://{http_guard.ADDRESS}:{port}/mcp until Ctrl-C",
        "clients send the header `Authorization: Bearer TOKEN`; the token is in"
        f" {http_guard.token_file(state)}",
    )
    app = http_app(door)
    guard = http_guard.Guard(
        app, port, token, context.tell, methods=("POST",), check=_no_message
    )  # it keeps no streams
    http_guard.serve_http(guard, listener)


def _no_message(path: str, headers: Mapping[str, str], body: bytes) -> Refusal | None:
    """Why a request over HTTP is no message of MCP, in words for whoever tries it by hand; None
    where it is one."""
    from aurelius.agents.calls import read_object
    from aurelius.loopback.http_guard import Refusal

    if path.rstrip("/") != "/mcp":
        return Refusal(404, f"there is nothing at {path}", "send messages to /mcp")
    kind = headers.get("content-type", "").partition(";")[0]
    if kind.strip().lower() != "application/json":
        return Refusal(
            415,
            "a message has to be JSON",
            "send the header `Content-Type: application/json`",
        )
    try:
        told = read_object(body, len(body), _REQUEST_EXAMPLE)
    except UsageError as error:
        return Refusal(400, error.message.replace("the call", "the body"), error.hint)
    formed = isinstance(told.get("method", ""), str) and isinstance(told.get("params", {}), dict)
    if (
        not formed
        or told.get("jsonrpc") != "2.0"
        or not told.keys() & {"method", "result", "error"}
    ):
        return Refusal(400, "the body is no message of JSON-RPC 2.0", _REQUEST_EXAMPLE)
    odd = "id" in told and type(told["id"]) not in (int, str)
    if odd:
        return Refusal(400, "the id of a message is a text or a whole number", _REQUEST_EXAMPLE)
    return None


def run_memory_tool(args: SimpleNamespace, context: Context) -> int:
    """Answer calls of Claude's memory tool, a line of JSON for each on stdin."""
    from aurelius.agents.memory_tool import MemoryTool
    from aurelius.cli.open_vault import any_agent, open_vault, session_of

    said = set[str]()
    with open_vault(args, context, agent=any_agent) as vault:
        tool = MemoryTool(
            vault, uses=not args.no_use, session=session_of(args, context), now=context.now
        )
        for line in _lines(context.stdin):
            context.put(_told(tool, line))
            context.out.flush()
            context.tell(*sorted({*vault.notices} - said))
            said.update(vault.notices)
            vault.notices.clear()
    return 0


def _lines(stdin: TextIO) -> Iterator[bytes]:
    """The lines of a stream that are not empty; of one that is too long, the beginning."""
    stream = getattr(stdin, "buffer", None) or io.BytesIO(
        stdin.read().encode("utf-8", "surrogatepass")
    )
    while line := stream.readline(_MOST_LINE_BYTES + 1):
        rest = line
        while len(rest) > _MOST_LINE_BYTES and not rest.endswith(b"\n"):
            rest = stream.readline(_MOST_LINE_BYTES + 1)
        if line.strip():
            yield line


def _told(tool: MemoryTool, line: bytes) -> str:
    """What the memory tool answers to a line, as JSON: to the input of a call, or to a whole
    `tool_use` block."""
    from aurelius.agents.calls import read_object

    try:
        asked = read_object(
            line, _MOST_LINE_BYTES, 'for example {"command": "view", "path": "/memories"}'
        )
    except UsageError as error:
        answer: dict[str, Any] = {
            "content": f"Error: {error.message}\n{error.hint}",
            "is_error": True,
        }
    else:
        block = asked.get("type") == "tool_use"
        head = {}
        if block:
            head = {"type": "tool_result", "tool_use_id": asked.get("id")}
        answer = {**head, **tool.call(asked.get("input") if block else asked)._asdict()}
    return json_safe(json.dumps(answer, ensure_ascii=False))


def run_tool(args: SimpleNamespace, context: Context) -> int:
    """Answer a call of an agent's memory tool, or each line of stdin as one."""
    from aurelius.agents.tool_forms import EXIT_REFUSED, answer_tool_call

    door = _opened(args, context, args.vault, warm=args.call == "-")
    if args.call != "-":
        code, text = answer_tool_call(door, args.call)
        context.put(text)
        return code
    code = 0
    for line in _lines(context.stdin):
        each, text = answer_tool_call(door, line)
        context.put(text)
        context.out.flush()
        if each:
            code = EXIT_REFUSED
    return code


def _opened(
    args: SimpleNamespace, context: Context, root: str | None, *, warm: bool = True
) -> Door:
    """The door of a vault, with what the command line says for every call."""
    from aurelius.cli.captured import open_door
    from aurelius.cli.open_vault import any_agent

    if args.no_use:
        context = context._replace(env={**context.env, "AURELIUS_NO_USE": "1"})
    return open_door(
        context,
        root,
        agent=any_agent(args, context),
        session=args.session or "",
        live=context.live,
        warm=warm and context.now is None,
    )


def _leave(
    door: Door,
    number: int,
    context: Context,
    *,
    says: bool,
) -> None:
    """End at a signal: finish the write that is under way, and do not wait for reads."""
    door.close(SECONDS_TO_FINISH)
    if says:
        context.tell("stopped")
        context.err.flush()
    os._exit(STOPPED if number == signal.SIGINT else 0)


def _streams(context: Context) -> tuple[Callable[[int], bytes], Callable[[bytes], object]]:
    """How a client is heard, line by line, and answered.

    Where it is at the process's own streams, these are kept for it alone: whatever else reads finds
    nothing, and whatever else prints goes to stderr.
    """
    if context.stdin is not sys.stdin or context.out is not sys.stdout:
        return lambda most: context.stdin.readline(most).encode(), lambda data: context.out.write(
            data.decode()
        )
    heard = os.dup(0)
    said = os.dup(1)
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)

    def write(data: bytes) -> None:
        while data:
            data = data[os.write(said, data) :]

    return os.fdopen(heard, "rb").readline, write


def _need(extra: str) -> None:
    """ConfigError where the package of an extra is not there."""
    from importlib.util import find_spec

    from aurelius.settings.places import EXTRAS, install_line

    if find_spec(EXTRAS[extra]) is None:
        raise ConfigError(f"the package {EXTRAS[extra]} is not installed", install_line(extra))


def run_lsp(args: SimpleNamespace, context: Context) -> int:
    """Answer an editor over LSP, on stdin and stdout."""
    _need("lsp")
    from aurelius.agents.lsp import EditorStream, NoteServer
    from aurelius.cli.open_vault import open_vault

    stdin, stdout = (
        getattr(stream, "buffer", None) or io.BytesIO() for stream in (context.stdin, context.out)
    )
    kept: Any = SimpleNamespace(
        write=stdout.write, flush=stdout.flush, close=stdout.flush
    )  # stdout is not the server's
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # what it refuses is answered
    with open_vault(args, context) as vault:
        NoteServer(vault, context.clock).start_io(cast("Any", EditorStream(stdin)), kept)
    return 0
