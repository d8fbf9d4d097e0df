"""Answers that come word by word, over both APIs: whole ones, and from servers that do everything wrong."""

from __future__ import annotations

import contextlib
import json
import threading
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from typing import Any

import pytest

from aurelius.model.connection import Model, Stop, UnansweredError
from aurelius.model.endpoint import Ended, ModelText, Spent, endpoint_of
from aurelius.model.request import ModelRequest, ModelTurn, SentLine, Tool, ToolCall
from tests.aurelius.model.test_endpoint import Script, Server, raw

APIS = ("openai", "anthropic")
SEARCH = Tool("search", "Searches the notes.", {"type": "object", "properties": {}})
ASKED = ModelRequest(
    "Answer from the notes.",
    (ModelTurn("user", "Where does Joe live?"),),
    (SentLine("L1", "Lives in Oslo", "2026-02-01", about="Joe"),),
    (SEARCH,),
)
Rows = list[dict[str, Any]]


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.done.set()
    made.http.shutdown()
    made.http.server_close()


def model(server: Server, api: str, timeout: float = 5) -> Model:
    return Model(server.url, "tiny", "", "k3y", timeout, "tiny", api)


def words(api: str, text: str) -> dict[str, Any]:
    if api == "openai":
        return {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    delta = {"type": "text_delta", "text": text}
    return {"type": "content_block_delta", "index": 0, "delta": delta}


def call(api: str, name: str, *parts: str) -> Rows:
    """A call of a tool, its arguments in parts."""
    if api == "openai":
        first = {"index": 0, "id": "c1", "function": {"name": name, "arguments": ""}}
        rest = [{"index": 0, "function": {"arguments": part}} for part in parts]
        return [{"choices": [{"delta": {"tool_calls": [each]}}]} for each in (first, *rest)]
    block = {"type": "tool_use", "id": "c1", "name": name, "input": {}}
    return [
        {"type": "content_block_start", "index": 1, "content_block": block},
        *(
            {
                "type": "content_block_delta",
                "index": 1,
                "delta": {"type": "input_json_delta", "partial_json": part},
            }
            for part in parts
        ),
    ]


def end(api: str, reason: str = "") -> Rows:
    if api == "openai":
        return [
            {"choices": [{"delta": {}, "finish_reason": reason or "stop"}]},
            {"choices": [], "usage": {"prompt_tokens": 7, "completion_tokens": 3, "cost": 0.5}},
        ]
    return [
        {"type": "message_start", "message": {"usage": {"input_tokens": 7, "output_tokens": 1}}},
        {
            "type": "message_delta",
            "delta": {"stop_reason": reason or "end_turn"},
            "usage": {"output_tokens": 3},
        },
        {"type": "message_stop"},
    ]


def events(rows: Rows) -> bytes:
    told = [f"event: {row.get('type', 'x')}\r\ndata: {json.dumps(row)}\r\n\r\n" for row in rows]
    return f": a comment\n\n{''.join(told)}data: [DONE]\n\n".encode()


def streamed(rows: Rows) -> Script:
    return raw(events(rows))


def asked(
    server: Server, api: str, script: Script, timeout: float = 5, stop: Stop | None = None
) -> list[object]:
    server.script = script
    return list(endpoint_of(model(server, api, timeout), {}).stream(ASKED, stop or Stop()))


@pytest.mark.parametrize("api", APIS)
def test_an_answer_comes_word_by_word_with_what_it_cost(server: Server, api: str) -> None:
    found = asked(server, api, streamed([words(api, "Joe "), words(api, "lives."), *end(api)]))
    cost = 0.5 if api == "openai" else None
    assert found == [ModelText("Joe "), ModelText("lives."), Spent(7, 3, cost), Ended("done")]


@pytest.mark.parametrize("api", APIS)
def test_the_first_words_are_there_before_the_last_are_sent(server: Server, api: str) -> None:
    go_on = threading.Event()

    def script(to: BaseHTTPRequestHandler) -> None:
        data = events(end(api))
        to.send_response(200)
        to.end_headers()
        to.wfile.write(f"data: {json.dumps(words(api, 'Joe'))}\n\n".encode())
        to.wfile.flush()
        go_on.wait(5)
        to.wfile.write(data)

    server.script = script
    found = endpoint_of(model(server, api), {}).stream(ASKED, Stop())
    assert next(found) == ModelText("Joe")
    go_on.set()
    assert list(found)[-1] == Ended("done")


@pytest.mark.parametrize("api", APIS)
def test_a_tool_is_called_with_what_the_model_says(server: Server, api: str) -> None:
    rows = [*call(api, "search", '{"que', 'ry": "Joe"}'), *end(api, "tool_use")]
    found = asked(server, api, streamed(rows))
    assert found[0] == ToolCall("c1", "search", {"query": "Joe"})


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize(
    ("name", "arguments", "why"),
    [
        ("delete_all", "{}", "no tool 'delete_all'"),
        ("search", '{"query": ', "not JSON"),
        ("search", '["Joe"]', "not a JSON object"),
        ("search", "[" * 9999, "not JSON"),
    ],
    ids=["unknown", "half", "list", "deep"],
)
def test_a_call_that_cannot_be_says_why(
    server: Server, api: str, name: str, arguments: str, why: str
) -> None:
    [made] = [
        each
        for each in asked(server, api, streamed([*call(api, name, arguments), *end(api)]))
        if isinstance(each, ToolCall)
    ]
    assert why in made.fault
    assert made.arguments == {}


def drip(to: BaseHTTPRequestHandler) -> None:
    to.send_response(200)
    to.end_headers()
    with contextlib.suppress(OSError):
        for _ in range(500):
            to.wfile.write(b": still thinking\n\n")
            to.wfile.flush()
            time.sleep(0.01)


FAULTS: dict[str, tuple[Callable[[str], Script], str, float]] = {
    "nothing": (lambda _: raw(b""), "broke off", 5),
    "half a line": (lambda api: raw(events([words(api, "Joe")])[:-20]), "broke off", 5),
    "no end": (lambda api: streamed([words(api, "Joe lives")]), "broke off", 5),
    "cut": (
        lambda api: raw(events([words(api, "Joe")]), 200, **{"content-length": "9999"}),
        "broke off",
        5,
    ),
    "no json": (lambda _: raw(b"data: Joe lives in Oslo\n\n"), "something else", 5),
    "a list": (lambda _: raw(b"data: [1]\n\n"), "something else", 5),
    "other events": (
        lambda _: streamed([{"type": 5, "choices": 5}]),
        "something else|broke off",
        5,
    ),
    "a page": (lambda _: raw(b"<html>sign in</html>"), "something else", 5),
    "an error": (
        lambda api: streamed([words(api, "Joe"), {"error": {"message": "no\x1b[2J memory"}}]),
        r"broke off its answer: no\[2J memory",
        5,
    ),
    "long": (lambda api: streamed([words(api, "x" * 9999)] * 40), "longer than", 5),
    "one endless line": (lambda _: raw(b"data: " + b"x" * (300 << 10)), "longer than", 5),
    "endless comments": (lambda _: raw(b": x\n" * (5 << 20)), "longer than", 20),
    "busy": (lambda _: raw(b"", 429), "takes no more questions", 5),
    "broken": (lambda _: raw(b"", 503), "answered 503", 5),
    "key": (lambda _: raw(b"", 403), "does not accept the key", 5),
    "drip": (lambda _: drip, "within 0 s", 0.3),
}


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("name", FAULTS)
def test_a_server_that_fails_is_told_in_plain_words(server: Server, api: str, name: str) -> None:
    script, why, timeout = FAULTS[name]
    before = time.monotonic()
    with pytest.raises(UnansweredError, match=why):
        asked(server, api, script(api), timeout)
    assert time.monotonic() - before < timeout + 5


@pytest.mark.parametrize("api", APIS)
def test_the_key_goes_to_the_server_and_not_where_it_redirects(server: Server, api: str) -> None:
    other = Server()
    with pytest.raises(UnansweredError, match="elsewhere"):
        asked(server, api, raw(b"", 308, location=f"{other.url}/x"))
    assert b"k3y" in server.got
    assert other.asked == 0
    other.http.shutdown()
    other.http.server_close()


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("code", [429, 500, 529])
def test_a_busy_server_is_asked_once_more(server: Server, api: str, code: int) -> None:
    def script(to: BaseHTTPRequestHandler) -> None:
        busy = raw(b"", code, **{"retry-after": "0.05"})
        (busy if server.asked == 1 else streamed([words(api, "Joe"), *end(api)]))(to)

    assert asked(server, api, script)[0] == ModelText("Joe")
    assert server.asked == 2


@pytest.mark.parametrize("api", APIS)
def test_a_server_that_wants_a_long_pause_is_not_waited_for(server: Server, api: str) -> None:
    with pytest.raises(UnansweredError, match="takes no more questions"):
        asked(server, api, raw(b"", 429, **{"retry-after": "50"}))
    assert server.asked == 1


@pytest.mark.parametrize("api", APIS)
def test_what_was_cut_after_its_first_word_is_not_asked_again(server: Server, api: str) -> None:
    with pytest.raises(UnansweredError, match="broke off"):
        asked(server, api, streamed([words(api, "Joe")]))
    assert server.asked == 1


@pytest.mark.parametrize("api", APIS)
@pytest.mark.parametrize("first", [True, False], ids=["after a word", "before any"])
def test_a_stop_from_another_thread_closes_the_connection_at_once(
    server: Server, api: str, first: bool
) -> None:
    closed = threading.Event()

    def script(to: BaseHTTPRequestHandler) -> None:
        if first:
            to.send_response(200)
            to.end_headers()
            to.wfile.write(f"data: {json.dumps(words(api, 'Joe'))}\n\n".encode())
            to.wfile.flush()
        threading.Timer(0.2, stop.set).start()
        to.connection.settimeout(20)
        with contextlib.suppress(OSError):
            if to.connection.recv(1) == b"":  # the other side is gone
                closed.set()

    stop = Stop()
    found = asked(server, api, script, 30, stop)
    assert found == [ModelText("Joe")] * first + [Ended("stopped")]
    assert closed.wait(2)


@pytest.mark.parametrize("api", APIS)
def test_a_question_that_is_stopped_already_is_not_answered(server: Server, api: str) -> None:
    stop = Stop()
    stop.set()
    assert asked(server, api, streamed([words(api, "Joe"), *end(api)]), 5, stop)[-1] == Ended(
        "stopped"
    )


@pytest.mark.parametrize("api", APIS)
def test_an_answer_that_nobody_reads_on_is_closed(server: Server, api: str) -> None:
    gone = threading.Event()

    def script(to: BaseHTTPRequestHandler) -> None:
        to.send_response(200)
        to.end_headers()
        row = f"data: {json.dumps(words(api, 'Joe'))}\n\n".encode()
        try:
            while not server.done.is_set():
                to.wfile.write(row)
                time.sleep(0.01)
        except OSError:
            gone.set()

    server.script = script
    found: Any = endpoint_of(model(server, api, 30), {}).stream(ASKED, Stop())
    next(found)
    found.close()
    assert gone.wait(5)


@pytest.mark.parametrize(
    ("api", "reason", "told"),
    [
        ("openai", "length", "length"),
        ("openai", "content_filter", "length"),
        ("anthropic", "max_tokens", "length"),
        ("anthropic", "refusal", "refused"),
    ],
)
def test_why_an_answer_ended_is_told(server: Server, api: str, reason: str, told: str) -> None:
    assert asked(server, api, streamed([words(api, "Joe"), *end(api, reason)]))[-1] == Ended(told)


def test_a_server_that_does_not_stream_is_read_too(server: Server) -> None:
    whole = {"choices": [{"message": {"content": "Joe lives"}, "finish_reason": "stop"}]}
    assert asked(server, "openai", raw(json.dumps(whole, indent=1).encode())) == [
        ModelText("Joe lives"),
        Ended("done"),
    ]


@pytest.mark.parametrize("api", APIS)
def test_nothing_but_the_question_is_sent(server: Server, api: str) -> None:
    asked(server, api, streamed([words(api, "Joe"), *end(api)]))
    made = endpoint_of(model(server, api), {})
    assert server.body == made.sent(ASKED).encode()
    head = server.got[: -len(server.body)].decode().lower()
    names = {line.partition(":")[0] for line in head.splitlines()[1:] if ":" in line}
    key = {"authorization"} if api == "openai" else {"x-api-key", "anthropic-version"}
    assert names == key | {
        "host",
        "content-type",
        "content-length",
        "accept",
        "accept-encoding",
        "user-agent",
    }
