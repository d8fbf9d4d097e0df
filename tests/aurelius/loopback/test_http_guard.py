"""A local server answers this user's own programs, and no web page, no other user, nothing that is not whole."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aurelius.loopback import http_guard
from aurelius.loopback.http_guard import Guard, Limits
from aurelius.settings.places import HTTP_TOKEN
from indexer.errors import ConflictError, UsageError
from tests.daily import daily

PORT = 8437
KEY = "k" * 43
QUICK = Limits(body=1000, seconds=0.05)
HOST = (b"host", b"127.0.0.1:8437")
OURS = (b"authorization", b"Bearer " + KEY.encode())


class Answer(NamedTuple):
    status: int
    headers: dict[bytes, bytes]
    body: bytes

    @property
    def error(self) -> str:
        return str(json.loads(self.body).get("error", ""))


class App:
    """An application that remembers what it was asked, and would let everybody in."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, bytes]] = []
        self.fails = ""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            self.asked.append(("lifespan", b""))
            return
        self.asked.append((scope["path"], (await receive())["body"]))
        if self.fails == "early":
            raise RuntimeError("the disk\nis full")
        head = [(b"access-control-allow-origin", b"*"), (b"cache-control", b"no-cache")]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        await send(
            {"type": "http.response.body", "body": b'{"ok": true}', "more_body": bool(self.fails)}
        )
        if self.fails:
            raise RuntimeError("late")


@pytest.fixture
def app() -> App:
    return App()


def ask(
    app: App,
    *headers: tuple[bytes, bytes],
    method: str = "POST",
    target: str = "/mcp",
    query: bytes = b"",
    parts: Sequence[bytes] = (b"{}",),
    client: str = "127.0.0.1",
    limits: Limits = QUICK,
    told: list[str] | None = None,
    never_whole: bool = False,
) -> Answer:
    """What a request gets, straight through the guard."""
    sent: list[Any] = []
    waiting = [{"type": "http.request", "body": part, "more_body": True} for part in parts]
    waiting[-1]["more_body"] = never_whole

    async def receive() -> Any:
        if not waiting:
            await asyncio.sleep(5)
        return waiting.pop(0)

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {
        "type": "http",
        "method": method,
        "path": target,
        "raw_path": target.encode("latin-1"),
        "query_string": query,
        "headers": list(headers),
        "client": (client, 5),
        "scheme": "http",
        "http_version": "1.1",
    }
    guard = Guard(app, PORT, KEY, (told if told is not None else []).append, limits=limits)
    asyncio.run(guard(scope, receive, send))
    assert [each["type"] for each in sent] in (
        [],
        ["http.response.start", "http.response.body"],
    ), "one answer, or none"
    if not sent:
        return Answer(0, {}, b"")
    head = dict(sent[0]["headers"])
    assert len(sent[1]["body"]) < 400
    assert KEY.encode() not in sent[1]["body"]
    assert not [name for name in head if name.startswith(b"access-control")], (
        "no other site may read it"
    )
    assert head[b"x-content-type-options"] == b"nosniff"
    return Answer(sent[0]["status"], head, sent[1]["body"])


@pytest.mark.parametrize(
    "more",
    [
        (),
        ((b"origin", b"http://127.0.0.1:8437"),),
        ((b"sec-fetch-site", b"same-origin"),),
        ((b"sec-fetch-site", b"none"),),
        ((b"content-length", b"2"),),
        ((b"transfer-encoding", b"chunked"),),
    ],
)
@pytest.mark.parametrize("host", [b"127.0.0.1:8437", b"localhost:8437", b"[::1]:8437"])
def test_a_program_of_this_user_is_answered(
    more: tuple[tuple[bytes, bytes], ...], host: bytes, app: App
) -> None:
    more = tuple((name, value.replace(b"127.0.0.1:8437", host)) for name, value in more)
    answer = ask(app, (b"host", host), OURS, *more, parts=(b"{", b"}"))
    assert (answer.status, answer.body, app.asked) == (200, b'{"ok": true}', [("/mcp", b"{}")])
    assert answer.headers[b"cache-control"] == b"no-cache"


FOREIGN = [
    ((b"host", b"evil.example:8437"), 421),
    ((b"host", b"127.0.0.1"), 421),
    ((b"host", b"127.0.0.1:80"), 421),
    ((b"host", b"127.0.0.1:8437.evil.example"), 421),
    ((b"host", b"localhost:8437@evil.example"), 421),
    ((b"host", b""), 421),
    ((b"host", b"0.0.0.0:8437"), 421),
    ((b"host", b"LOCALHOST:8437 "), 421),
    ((b"host", "127.0.0.1:8437é".encode()), 400),
    ((b"origin", b"null"), 403),
    ((b"origin", b"https://evil.example"), 403),
    ((b"origin", b""), 403),
    ((b"origin", b"http://localhost:8437"), 403),
    ((b"origin", b"http://127.0.0.1:80"), 403),
    ((b"origin", b"https://127.0.0.1:8437"), 403),
    ((b"origin", b"http://127.0.0.1:8437.evil.example"), 403),
    ((b"sec-fetch-site", b"cross-site"), 403),
    ((b"sec-fetch-site", b"same-site"), 403),
    ((b"sec-fetch-site", b"what"), 403),
    ((b"sec-fetch-site", b""), 403),
    ((b"authorization", b""), 401),
    ((b"authorization", b"Bearer"), 401),
    ((b"authorization", b"Bearer x"), 401),
    ((b"authorization", KEY.encode()), 401),
    ((b"authorization", b"Basic " + KEY.encode()), 401),
    ((b"authorization", b"Bearer " + KEY.encode() + b"k"), 401),
    ((b"authorization", b"Bearer " + b"K" * 43), 401),
    ((b"content-length", b"-1"), 400),
    ((b"content-length", b"+2"), 400),
    ((b"content-length", b"2, 2"), 400),
    ((b"content-length", b"0x2"), 400),
    ((b"content-length", "٢".encode()), 400),
    ((b"content-length", b"3"), 400),
    ((b"content-length", b"1001"), 413),
    ((b"content-length", b"9" * 5000), 413),
    ((b"transfer-encoding", b"gzip, chunked"), 400),
    ((b"transfer-encoding", b"identity"), 400),
    ((b"x-odd", b"a\r\nhost: 127.0.0.1:8437"), 400),
    ((b"x-odd", b"\x00"), 400),
    ((b"x-odd", b"\xff"), 400),
    ((b"x odd", b"a"), 400),
    ((b"x-\xc3\xa9", b"a"), 400),
    ((b"", b"a"), 400),
    ((b"host\n", b"a"), 400),
]


@pytest.mark.parametrize(("header", "status"), FOREIGN)
def test_a_request_with_one_wrong_header_reaches_nothing(
    header: tuple[bytes, bytes], status: int, app: App
) -> None:
    others = [each for each in (HOST, OURS) if each[0] != header[0]]
    answer = ask(app, *others, header)
    assert (answer.status, app.asked) == (status, [])
    assert answer.error
    assert answer.headers[b"connection"] == b"close"


@pytest.mark.parametrize("name", [each.encode() for each in http_guard.ONCE])
def test_a_header_that_is_there_twice_is_refused_even_where_both_say_the_same(
    name: bytes, app: App
) -> None:
    right = {
        HOST[0]: HOST[1],
        OURS[0]: OURS[1],
        b"content-length": b"2",
        b"transfer-encoding": b"chunked",
    }
    both = [(name, right.get(name, b"none")), (name.title(), right.get(name, b"none"))]
    answer = ask(app, *[each for each in (HOST, OURS) if each[0] != name], *both)
    assert (answer.status, answer.error, app.asked) == (
        400,
        f"the header {name.decode()} is there twice",
        [],
    )


def test_a_length_and_chunks_together_are_refused(app: App) -> None:
    assert (
        ask(app, HOST, OURS, (b"content-length", b"2"), (b"transfer-encoding", b"chunked")).status
        == 400
    )
    assert app.asked == []


@pytest.mark.parametrize(
    ("target", "query", "status"),
    [
        ("http://127.0.0.1:8437/mcp", b"", 400),
        ("//evil.example/mcp", b"", 400),
        ("*", b"", 400),
        ("mcp", b"", 400),
        ("/mcp\\..", b"", 400),
        ("/m\xe9", b"", 400),
        ("/mcp\r\nx: y", b"", 400),
        ("/mcp", b"\xff", 400),
        ("/" + "a" * 2048, b"", 414),
        ("/mcp", b"a" * 2048, 414),
        ("", b"", 400),
        ("/mcp", b"token=" + KEY.encode(), 400),
        ("/mcp", b"a=1&Access_Token=x", 400),
        ("/mcp", b"%74oken=1", 400),
        ("/mcp", b"q=" + KEY.encode(), 400),
        (f"/{KEY}/mcp", b"", 400),
        ("/mcp", b"token", 400),
    ],
)
def test_an_address_that_is_no_path_or_holds_a_token_is_refused(
    target: str, query: bytes, status: int, app: App
) -> None:
    assert (ask(app, HOST, OURS, target=target, query=query).status, app.asked) == (status, [])
    assert ask(app, HOST, target=target, query=query).status == status, "also without the token"


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "HEAD", "TRACE", "CONNECT", "post", "PATCH"])
def test_only_methods_that_are_declared_are_answered(method: str, app: App) -> None:
    answer = ask(app, HOST, OURS, method=method)
    assert (answer.status, app.asked) == (405, [])
    assert answer.headers[b"allow"] == b"GET, POST, DELETE"


def test_no_page_of_another_site_gets_leave_by_asking_first(app: App) -> None:
    asked = (
        (b"access-control-request-method", b"POST"),
        (b"access-control-request-private-network", b"true"),
    )
    assert (
        ask(app, HOST, (b"origin", b"https://evil.example"), *asked, method="OPTIONS").status == 403
    )
    assert (
        ask(app, HOST, (b"origin", b"http://127.0.0.1:8437"), *asked, method="OPTIONS").status
        == 405
    )


def test_another_computer_is_not_answered_even_if_it_gets_through(app: App) -> None:
    assert (ask(app, HOST, OURS, client="192.168.1.7").status, app.asked) == (403, [])


@pytest.mark.parametrize(("pieces", "whole"), [(9, True), (30, False)])
def test_a_body_that_grows_past_the_limit_in_pieces_is_refused(
    pieces: int, whole: bool, app: App
) -> None:
    parts = [b"x" * 300] * pieces
    answer = ask(
        app, HOST, OURS, (b"transfer-encoding", b"chunked"), parts=parts, never_whole=not whole
    )
    assert (answer.status, app.asked) == (413, [])


def test_a_client_that_sends_too_much_is_heard_out_so_that_it_reads_its_answer(app: App) -> None:
    left, sent = [b"x" * 900] * 4, []

    async def receive() -> Any:
        return {"type": "http.request", "body": left.pop(), "more_body": bool(left)}

    async def send(message: Any) -> None:
        sent.append(message.get("status"))

    scope = {
        "type": "http",
        "method": "POST",
        "path": "/mcp",
        "headers": [HOST, OURS, (b"content-length", b"3600")],
    }
    asyncio.run(Guard(app, PORT, KEY, print, limits=QUICK)(scope, receive, send))
    assert (sent, left, app.asked) == ([413, None], [], [])


def test_a_body_that_stops_arriving_is_refused(app: App) -> None:
    assert ask(app, HOST, OURS, parts=(b"{",), never_whole=True).status == 408
    assert app.asked == []


@pytest.mark.parametrize("more", [[(b"x-a", b"b")] * 99, [(b"x-a", b"b" * 17_000)]])
def test_more_headers_than_a_program_has_are_refused(
    more: list[tuple[bytes, bytes]], app: App
) -> None:
    assert ask(app, HOST, OURS, *more).status == 431
    assert app.asked == []


@pytest.mark.parametrize(("fails", "status"), [("early", 500), ("late", 200)])
def test_what_goes_wrong_behind_it_is_one_line_and_no_traceback(
    fails: str, status: int, app: App
) -> None:
    told: list[str] = []
    app.fails = fails
    answer = ask(app, HOST, OURS, told=told)
    assert answer.status == status
    assert b"disk" not in answer.body
    assert len(told) == 1
    assert "\n" not in told[0]


def test_a_web_socket_is_refused_and_the_start_of_the_server_is_passed_on(app: App) -> None:
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "websocket.connect"}

    async def send(message: Any) -> None:
        sent.append(message)

    guard = Guard(app, PORT, KEY, sent.append)
    asyncio.run(
        guard({"type": "websocket", "headers": [HOST, OURS], "path": "/mcp"}, receive, send)
    )
    assert (sent, app.asked) == ([{"type": "websocket.close", "code": 1008}], [])
    asyncio.run(guard({"type": "lifespan"}, receive, send))
    assert app.asked == [("lifespan", b"")]


text = st.binary(max_size=30) | st.sampled_from(
    [HOST[1], OURS[1], b"null", b"chunked", b"2", b"none"]
)
names = st.sampled_from(
    [*(each.encode() for each in http_guard.ONCE), b"Host", b"x-a", b"expect", b"upgrade"]
) | st.binary(max_size=9)


@settings(max_examples=daily(60, 150))
@given(
    headers=st.lists(st.tuples(names, text), max_size=6),
    target=st.text(st.characters(max_codepoint=255), max_size=20) | st.just("/mcp"),
    query=st.binary(max_size=20),
    method=st.sampled_from(["GET", "POST", "OPTIONS", "X"]),
)
def test_whatever_a_request_holds_it_gets_one_answer_and_nothing_without_the_token(
    headers: list[tuple[bytes, bytes]], target: str, query: bytes, method: str
) -> None:
    app = App()
    answer = ask(app, *headers, target=target, query=query, method=method)
    assert answer.status in {200, 400, 401, 403, 405, 413, 414, 421, 431}
    assert not app.asked or OURS in [(name.lower(), value) for name, value in headers]


# -- the token ------------------------------------------------------------------------------------------


def test_the_token_is_made_once_and_only_this_user_can_read_it(tmp_path: Path) -> None:
    state = str(tmp_path / "state")
    token = http_guard.token_in(state)
    assert len(token) >= 43
    assert http_guard.token_in(state) == token
    assert http_guard.token_in(str(tmp_path / "other")) != token
    assert os.listdir(state) == [HTTP_TOKEN]
    if os.name != "nt":
        assert os.stat(http_guard.token_file(state)).st_mode & 0o777 == 0o600


def _readable(file: Path) -> None:
    file.write_text(KEY)
    file.chmod(0o644)


def _short(file: Path) -> None:
    file.touch(0o600)
    file.write_text("secret")


def _link(file: Path) -> None:
    (file.parent / "other").write_text(KEY)
    (file.parent / "other").chmod(0o600)
    file.symlink_to("other")


def _pipe(file: Path) -> None:
    os.mkfifo(file, 0o600)


@pytest.mark.skipif(os.name == "nt", reason="rights of POSIX")
@pytest.mark.parametrize("make", [_readable, _short, _link, _pipe])
def test_a_file_that_is_no_secret_of_this_user_is_no_token(make: Any, tmp_path: Path) -> None:
    make(tmp_path / HTTP_TOKEN)
    with pytest.raises(ConflictError) as raised:
        http_guard.token_in(str(tmp_path))
    assert HTTP_TOKEN in raised.value.message
    assert raised.value.hint


def test_a_guard_without_a_token_cannot_be_made() -> None:
    with pytest.raises(ValueError, match="needs a token"):
        Guard(App(), PORT, "", print)


# -- a real port ----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    """The port of a server that waits 0.3 s for a request to be whole."""
    listener = http_guard.listening(0)
    number: int = listener.getsockname()[1]
    server = http_guard.build_http_server(
        Guard(App(), number, KEY, print, limits=Limits(body=1000, seconds=0.3))
    )
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
    thread.start()
    yield number
    server.should_exit = True
    thread.join()


def spoken(port: int, *parts: str) -> bytes:
    """What comes back for these bytes until the server hangs up."""
    with socket.create_connection(("127.0.0.1", port), timeout=5) as stream:
        for part in parts:
            stream.sendall(part.encode("latin-1"))
        found = b""
        while more := stream.recv(4096):
            found += more
    return found


HEAD = "POST /mcp HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {key}\r\n"
CHUNKED = HEAD + "Transfer-Encoding: chunked\r\n"


@pytest.mark.parametrize(
    ("parts", "status"),
    [
        ([HEAD + "Content-Length: 2\r\nConnection: close\r\n\r\n{{}}"], b"200"),
        ([HEAD.replace("/mcp", "http://{host}/mcp") + "\r\n"], b"400"),
        (["GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n"], b"421"),
        (["GET / HTTP/1.0\r\n\r\n"], b"421"),
        ([CHUNKED + "Content-Length: 2\r\n\r\n0\r\n\r\n"], b"400"),
        ([CHUNKED + "\r\n3ff\r\n", "x" * 1023, "\r\n0\r\n\r\n"], b"413"),
        ([HEAD + "Content-Length: 20\r\n\r\n", "x"], b"408"),
        (
            [
                "GET /mcp HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: upgrade\r\n\r\n"
            ],
            b"401",
        ),
        ([HEAD + "X-Long: " + "x" * 70_000 + "\r\n\r\n"], b"4"),
        (["\x16\x03\x01\x00\xff"], b"400"),
        (["GET /mcp HTTP/1.1\r\nHost: {host}\r\nX-"], b""),
        ([""], b""),
    ],
)
def test_bytes_on_the_port_get_their_answer_and_a_request_that_is_never_whole_none(
    parts: list[str], status: bytes, port: int, capfd: pytest.CaptureFixture[str]
) -> None:
    found = spoken(port, *[part.format(host=f"127.0.0.1:{port}", key=KEY) for part in parts])
    assert found[9 : 9 + len(status)] == status
    assert bool(found) == bool(status)
    assert b"server:" not in found.lower()
    assert capfd.readouterr() == ("", "")


def test_a_port_that_is_taken_or_none_is_one_clear_message(port: int) -> None:
    with pytest.raises(
        ConflictError, match=f"port {port} of 127.0.0.1 cannot be used: address already in use"
    ):
        http_guard.listening(port)
    for number in (80, 1023, 65536):
        with pytest.raises(UsageError, match=f"port {number} cannot be used"):
            http_guard.listening(number).close()


def test_only_this_computer_can_reach_the_port() -> None:
    with http_guard.listening(0) as listener:
        assert listener.getsockname()[0] == "127.0.0.1"


@contextmanager
def small(most: int) -> Iterator[tuple[int, str]]:
    """A server of so few connections: its port, and a whole request."""
    listener = http_guard.listening(0)
    number: int = listener.getsockname()[1]
    server = http_guard.build_http_server(
        Guard(App(), number, KEY, print, limits=Limits(seconds=10, connections=most))
    )
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])))
    thread.start()
    head = HEAD + "Content-Length: 2\r\nConnection: close\r\n\r\n{{}}"
    try:
        yield number, head.format(host=f"127.0.0.1:{number}", key=KEY)
    finally:
        server.should_exit = True
        thread.join()


def test_no_more_connections_are_answered_than_the_limit_says() -> None:
    with small(2) as (number, asked):
        assert spoken(number, asked)[9:12] == b"200"
        with (
            socket.create_connection(("127.0.0.1", number)) as one,
            socket.create_connection(("127.0.0.1", number)) as other,
        ):
            for each in (one, other):
                each.sendall(asked.replace("{}", "{").encode())  # its body is awaited
            time.sleep(0.3)
            assert spoken(number, asked)[9:12] == b"503"


@pytest.mark.parametrize("begun", [b"", b"POST /mcp HT"], ids=["silent", "begun"])
def test_connections_that_ask_nothing_shut_nobody_out(begun: bytes) -> None:
    with small(8) as (number, asked), ExitStack() as held:
        idle = [
            held.enter_context(socket.create_connection(("127.0.0.1", number))) for _ in range(40)
        ]
        for each in idle:
            with suppress(OSError):
                each.sendall(begun)
        for _ in range(20):
            assert spoken(number, asked)[9:12] == b"200"
            idle.append(held.enter_context(socket.create_connection(("127.0.0.1", number))))
