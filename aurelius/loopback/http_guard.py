"""Guard of a local HTTP server: it listens on 127.0.0.1 alone, and answers nobody but programs of
this user.

A web page that a browser shows can send requests to 127.0.0.1 too, under a name of its own that
leads there. So a request has to name this server as `Host`, may not come from another origin, and
has to carry a token that lies in a file which only this user can read. What is not as it should be
gets a short refusal, and the application behind never sees it. The guard is plain ASGI middleware;
only `serve_http` needs uvicorn.
"""

from __future__ import annotations

import hmac
import os
import re
import secrets
import socket
import stat
import sys
from collections.abc import Callable, Iterable, Mapping
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from starlette.datastructures import Headers, MutableHeaders, QueryParams
from starlette.responses import HTMLResponse, JSONResponse, Response

from aurelius.settings.places import HTTP_TOKEN
from aurelius.show.json_text import lean
from indexer.errors import ConflictError, UsageError, error_reason
from indexer.rows.lock import make_private

if TYPE_CHECKING:
    import asyncio

    import uvicorn
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

ADDRESS = "127.0.0.1"

HEARD_OUT = 8
"""How many times as long a body as is allowed is still read to its end: a client that is cut off
reads no answer."""

ONCE = (
    "authorization",
    "content-length",
    "content-type",
    "cookie",
    "host",
    "mcp-protocol-version",
    "mcp-session-id",
    "origin",
    "sec-fetch-site",
    "transfer-encoding",
)
"""Headers that a request may have once: of two, this guard and the application could each believe
another."""

IN_URL = frozenset({"access_token", "auth", "authorization", "bearer", "token"})
"""Names under which people put a token into an address."""

_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9a-z-]+")
_VALUE = re.compile(rb"[\t\x20-\x7e]*")
_TARGET = re.compile(rb"/(?!/)[!-\[\]-~]*\?[\t\x20-\x7e]*")
_OWN = re.compile(r"[A-Za-z0-9_-]{43,128}")

SAFE = {
    "cache-control": "no-store",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
}
"""Headers of every answer that does not set them itself."""


class Limits(NamedTuple):
    """What one request may cost."""

    body: int = 1 << 20
    """Bytes of a body."""
    seconds: float = 10.0
    """Seconds for the head of a request to arrive, and as many for its body."""
    target: int = 2048
    """Bytes of a path with its query."""
    headers: int = 100
    """Headers of a request."""
    head: int = 16 << 10
    """Bytes of all of them."""
    connections: int = 64
    """Connections at a time."""


_USUAL_LIMITS = Limits()


class Refusal(NamedTuple):
    """Why a request gets no answer."""

    status: int
    message: str
    hint: str = ""
    headers: Mapping[str, str] = {}


# -- the token -------------------------------------------------------------------------


def token_file(state: str) -> str:
    """Where the token of a vault with this state folder lies."""
    return os.path.join(state, HTTP_TOKEN)


def token_in(state: str) -> str:
    """The token of a vault, made where there is none. ConflictError where it cannot be kept, or
    others can read it."""
    from aurelius.writing.own_files import make_once
    from aurelius.writing.safe_folder import Folder

    file = token_file(state)
    try:
        if not os.path.lexists(file):
            make_private(state)
            with Folder(state, ()) as folder:
                make_once(folder, HTTP_TOKEN, secrets.token_urlsafe(32).encode(), 0o600)
        return _kept(file)
    except OSError as error:
        raise ConflictError(
            f"{file}: the token cannot be kept: {error_reason(error)}", "make that folder writable"
        ) from error


def _kept(file: str) -> str:
    """The token in a file of ours."""
    handle = os.open(
        file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    )
    with open(handle, "rb") as stream:
        found = os.fstat(stream.fileno())
        is_own = os.name == "nt" or (found.st_uid == os.getuid() and not found.st_mode & 0o077)
        if not (stat.S_ISREG(found.st_mode) and is_own):
            raise ConflictError(
                f"{file}: not used: other users could have read it", "delete it; a new one is made"
            )
        token = stream.read(200).decode("ascii", "replace").strip()
    if not _OWN.fullmatch(token):
        raise ConflictError(f"{file}: it holds no token", "delete it; a new one is made")
    return token


# -- the guard -------------------------------------------------------------------------


class Guard:
    """An ASGI application in front of another one, which gets only requests that are as they should
    be.

    `methods` are those that it understands, `check` says why a request that may come so far is none
    that it takes; `tell` gets a line where the application fails. `admit` says why a request does
    not come from the person or a program of theirs, and `headers` are those of every answer that
    does not set them itself; both may be set: at first a request has to carry the token, and the
    headers are SAFE.
    """

    def __init__(
        self,
        app: ASGIApp,
        port: int,
        token: str,
        tell: Callable[[str], None],
        *,
        methods: Iterable[str] = ("GET", "POST", "DELETE"),
        limits: Limits = _USUAL_LIMITS,
        check: Callable[[str, Headers, bytes], Refusal | None] | None = None,
    ) -> None:
        if not _OWN.fullmatch(token):
            raise ValueError("a guard needs a token")
        self.app = app
        self.tell = tell
        self.limits = limits
        self.methods = tuple(methods)
        self.check = check
        self.hosts = tuple(f"{host}:{port}" for host in (ADDRESS, "localhost", "[::1]"))
        self.token = token
        self.admit: Callable[[Scope, Headers], Refusal | None] = self._without_token
        self.headers: Mapping[str, str] = SAFE

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or have it answered; what is no request is passed on or closed."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._http(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})

    async def _http(self, scope: Scope, receive: Receive, send: Send) -> None:
        headers = Headers(raw=[(name.lower(), value) for name, value in scope["headers"]])
        refusal = _refused_head(headers, self.limits) or self._refusal(scope, headers)
        body = refusal or await self._body(headers, receive)
        if self.check is not None and isinstance(body, bytes):
            body = self.check(scope["path"], headers, body) or body
        answer = _Answer(send, self.headers)
        if isinstance(body, Refusal):
            await answer.refuse(body, scope, receive)
        elif body is not None:  # without a body the connection is gone
            await self._pass_on(scope, body, receive, answer)

    def _refusal(self, scope: Scope, headers: Headers) -> Refusal | None:
        """Why a request is refused before its body is read; None where it may go on."""
        client = scope.get("client")
        if client and client[0] not in {ADDRESS, "::1"}:
            return Refusal(403, "this server answers only programs of this computer")
        path = scope.get("raw_path") or scope["path"].encode()
        target = path + b"?" + scope.get("query_string", b"")
        if len(target) > self.limits.target:
            return Refusal(414, f"the address is longer than {self.limits.target} bytes")
        if not _TARGET.fullmatch(target):
            hint = "write other letters as %XX"
            return Refusal(400, "the address has to be a path, in ASCII", hint)
        return (
            self._foreign(headers)
            or self._in_url(target.decode())
            or self._unknown_method(scope["method"])
            or self.admit(scope, headers)
            or self._unclear_length(headers)
        )

    def _foreign(self, headers: Headers) -> Refusal | None:
        """Why a request looks like one that a page of another site sent."""
        host = headers.get("host", "")
        if host not in self.hosts:
            return Refusal(421, "the Host is not this server", f"use http://{self.hosts[0]}")
        own = "http://" + host
        site = headers.get("sec-fetch-site", "none")
        if headers.get("origin", own) != own or site not in {"none", "same-origin"}:
            return Refusal(403, "requests of other web sites are refused")
        return None

    def _in_url(self, target: str) -> Refusal | None:
        """Why an address that holds a token is refused: it would stay in histories and logs."""
        names = {name.lower() for name in QueryParams(target.partition("?")[2])}
        if names & IN_URL or self.token in target:
            hint = "send it in the header `Authorization`"
            return Refusal(400, "a token may not stand in an address", hint)
        return None

    def _unknown_method(self, method: str) -> Refusal | None:
        """Why a method is refused."""
        if method in self.methods:
            return None
        allow = ", ".join(self.methods)
        hint = "how a program is set up: aurelius help programs mcp"
        if "GET" in self.methods:
            return Refusal(405, f"only {allow} are answered", headers={"allow": allow})
        told = f"only {allow}: here programs are answered, and no browser"
        return Refusal(405, told, hint, {"allow": allow})

    def holds_token(self, headers: Headers) -> bool:
        """Whether a request carries the token of the vault, which only programs of this user can
        read."""
        kind, _, given = headers.get("authorization", "").partition(" ")
        return kind.lower() == "bearer" and hmac.compare_digest(given.strip(), self.token)

    def _without_token(self, _: Scope, headers: Headers) -> Refusal | None:
        """Why a request is refused that is of no program of this user."""
        if self.holds_token(headers):
            return None
        return Refusal(
            401,
            "the token is missing or wrong",
            "send the header `Authorization: Bearer TOKEN`; `aurelius mcp --http` names the "
            "file of the token",
            {"www-authenticate": "Bearer"},
        )

    def _unclear_length(self, headers: Headers) -> Refusal | None:
        """Why a request is refused for the length of its body."""
        length = headers.get("content-length", "0")
        both = "content-length" in headers and "transfer-encoding" in headers
        is_chunked = headers.get("transfer-encoding", "chunked").lower() == "chunked"
        if both or not length.isdigit() or not is_chunked:
            return Refusal(400, "the length of the body is not clear")
        if len(length) > 15 or int(length) > self.limits.body * HEARD_OUT:
            return self._too_long()
        return None

    def _too_long(self) -> Refusal:
        return Refusal(
            413, f"the body is longer than {self.limits.body} bytes", "send less at a time"
        )

    async def _body(self, headers: Headers, receive: Receive) -> bytes | Refusal | None:
        """The whole body, why it is refused, or None where the client has gone."""
        import asyncio

        most = self.limits.body
        body = bytearray()
        size = 0
        more = True
        try:
            async with asyncio.timeout(self.limits.seconds):
                while more and size <= most * HEARD_OUT:
                    message = await receive()
                    if message["type"] != "http.request":
                        return None
                    size += len(message.get("body", b""))
                    more = message.get("more_body", False)
                    if size <= most:
                        body += message.get("body", b"")
        except TimeoutError:
            if size <= most:
                waited = f"{self.limits.seconds:g} seconds"
                return Refusal(408, f"the body did not arrive within {waited}")
        said = int(headers.get("content-length", size))
        if max(size, said) > most:
            return self._too_long()
        if said != size:
            return Refusal(400, "the body has another length than the request says")
        return bytes(body)

    async def _pass_on(self, scope: Scope, body: bytes, receive: Receive, answer: _Answer) -> None:
        """Have the application answer, with no header by which it would let other sites in."""
        waiting = [body]

        async def replayed() -> Message:
            if waiting:
                return {"type": "http.request", "body": waiting.pop(), "more_body": False}
            return await receive()

        try:
            await self.app(scope, replayed, answer)
        # whatever goes wrong there, a client gets an answer
        except Exception as error:  # noqa: BLE001
            why = " ".join(str(error).split())[:200]
            self.tell(f"a request failed: {type(error).__name__}: {why}")
            if not answer.started:
                await answer.refuse(Refusal(500, "the request failed"), scope, receive)


class _Answer:
    """Sends an answer without leave for other sites, and with these headers where it has none of
    its own."""

    def __init__(self, send: Send, headers: Mapping[str, str]) -> None:
        self.send = send
        self.headers = headers
        self.started = False

    async def __call__(self, message: Message) -> None:
        """Send a part of it."""
        if message["type"] == "http.response.start":
            self.started = True
            headers = MutableHeaders(raw=[*message.get("headers", ())])
            for name in [*headers]:
                if name.startswith("access-control-"):
                    del headers[name]
            for name, value in self.headers.items():
                headers.setdefault(name, value)
            message = {**message, "headers": headers.raw}
        await self.send(message)

    async def refuse(self, refusal: Refusal, scope: Scope, receive: Receive) -> None:
        """Say that a request gets no answer."""
        headers = {"connection": "close", **refusal.headers}
        told = lean(error=refusal.message, hint=refusal.hint)
        answer: Response = JSONResponse(told, refusal.status, headers)
        if "text/html" in Headers(scope=scope).get("accept", ""):
            answer = HTMLResponse(_refused_page(refusal), refusal.status, headers)
        await answer(scope, receive, self)


def _refused_page(refusal: Refusal) -> str:
    """A refusal as a page, for whoever looks at it in a browser."""
    message = escape(refusal.message)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Refused</title>'
        f"<main><h1>Refused</h1><p>{message}</p><p>{escape(refusal.hint)}</p></main></html>"
    )


def _refused_head(headers: Headers, limits: Limits) -> Refusal | None:
    """Why a request is refused for its headers."""
    size = sum(len(name) + len(value) for name, value in headers.raw)
    if len(headers.raw) > limits.headers or size > limits.head:
        told = f"more than {limits.headers} headers, or {limits.head} bytes of them"
        return Refusal(431, told)
    for name, value in headers.raw:
        if not _NAME.fullmatch(name) or not _VALUE.fullmatch(value):
            return Refusal(400, "a header is not plain ASCII")
    for each in ONCE:
        if len(headers.getlist(each)) > 1:
            return Refusal(400, f"the header {each} is there twice")
    return None


# -- the server ------------------------------------------------------------------------


def listening(port: int) -> socket.socket:
    """A socket that listens on this port of 127.0.0.1; 0 stands for any free one.

    UsageError, ConflictError where that cannot be.
    """
    if port and not 1024 <= port < 65536:
        raise UsageError(
            f"port {port} cannot be used", "choose one from 1024 to 65535, or 0 for any free one"
        )
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        if sys.platform == "win32":  # there, SO_REUSEADDR would let two programs have it
            found.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
        else:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((ADDRESS, port))
        found.listen(64)
    except OSError as error:
        found.close()
        raise ConflictError(
            f"port {port} of {ADDRESS} cannot be used: {error_reason(error)}",
            "stop the program that has it, or choose another with --port",
        ) from error
    return found


def serve_http(guard: Guard, listener: socket.socket) -> None:
    """Answer requests until the process is asked to end; KeyboardInterrupt where that was
    Ctrl-C."""
    import asyncio

    with listener:
        asyncio.run(build_http_server(guard).serve(sockets=[listener]))


def build_http_server(guard: Guard) -> uvicorn.Server:
    """The server as it is to run: nothing on stderr, no WebSockets, no connection that holds out
    without a request."""
    import uvicorn

    limits = guard.limits
    return uvicorn.Server(
        uvicorn.Config(
            guard,
            http=_patient(limits.seconds, limits.connections),
            ws="none",
            log_config=None,
            log_level="critical",
            access_log=False,
            server_header=False,
            limit_concurrency=limits.connections,
            timeout_keep_alive=max(1, int(limits.seconds)),
            timeout_graceful_shutdown=1,
        )
    )


def _patient(seconds: float, most: int) -> type[asyncio.Protocol]:
    """A protocol of uvicorn that closes a connection whose next request has begun and is not whole
    in time.

    Of so many connections, the oldest that has asked nothing yet makes room for a new one.
    """
    import h11
    from uvicorn.protocols.http.h11_impl import H11Protocol

    silent: dict[Patient, None] = {}

    class Patient(H11Protocol):
        late: asyncio.TimerHandle | None = None

        # as uvicorn has it
        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            if len(self.connections) >= most and silent:
                oldest = next(iter(silent))
                del silent[oldest]
                oldest.transport.abort()
            silent[self] = None
            self.wait()

        def connection_lost(self, exc: Exception | None) -> None:
            silent.pop(self, None)
            super().connection_lost(exc)

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self.wait()

        def wait(self) -> None:
            """Begin to count where a head is awaited, and stop where it is there."""
            if self.conn.their_state is not h11.IDLE:
                silent.pop(self, None)
                if self.late is not None:
                    self.late.cancel()
                self.late = None
            elif self.late is None:
                self.late = self.loop.call_later(seconds, self.timeout_keep_alive_handler)

    return Patient
