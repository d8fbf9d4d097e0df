"""The pages as an ASGI application: which page answers which address, sessions, live updates,
images of the vault.

The guard of loopback/http_guard stands in front. Behind it, everything but the stylesheet, the
scripts and the form for the code needs a session, and every change the token of its form.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import os
import time
from functools import partial
from http import HTTPStatus
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import parse_qsl, quote, urlencode

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import (
    HTMLResponse,
    JSONResponse,
    RedirectResponse,
    Response,
    StreamingResponse,
)
from starlette.routing import Route

from aurelius.answers.lookup import why_ignored
from aurelius.loopback.http_guard import SAFE, Guard, Limits, Refusal
from aurelius.model.connection import Stop
from aurelius.writing.safe_folder import disk_path, read_inside
from indexer.errors import AureliusError, NoteNotFoundError, UsageError

from . import actions
from .addresses import HOME, own_path
from .chat_page import show_talk, turn_place
from .host import PageHost, Shown, answer_error, answer_page
from .pages import PAGES
from .saying import SaidForm, answer_form, offered_anew, said_parts
from .session import is_form_token
from .templates import rendered

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping

    from starlette.requests import Request
    from starlette.types import Scope

    from .host import PageFunction

    Answering = Callable[["SignedRequest"], Response]

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PAGE_HEADERS = {
    **SAFE,
    "content-security-policy": _POLICY,
    "cross-origin-opener-policy": "same-origin",
    # with no-referrer, browsers would send forms without the origin that the guard asks for
    "referrer-policy": "same-origin",
    "x-frame-options": "DENY",
}
"""Headers of every answer that does not set them itself."""
PAGE_LIMITS = Limits(body=256 << 10)
"""What one request may cost; a form is small."""
_MOST_FIELDS = 40
"""Fields of a form."""
_STATIC = {
    "style.css": "text/css",
    "drawings.css": "text/css",
    "memory.css": "text/css",
    "chat.css": "text/css",
    "pages.js": "text/javascript",
    "chat.js": "text/javascript",
    "idiomorph.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
_IMAGES = {
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".avif": "image/avif",
    ".svg": "image/svg+xml",
}
"""The images that are shown, by the end of their names."""
MOST_IMAGE_BYTES = 32 << 20
"""Bytes of an image that is shown: it is read into memory as a whole."""
_IMAGE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
_SECONDS_A_LOOK = 0.1
"""Seconds between two looks at whether the index changed, while a page is open."""
_LOOKS_A_SIGN = 150
"""Looks between two signs of life on a stream where nothing happens."""


def build_page_guard(host: PageHost, port: int) -> Guard:
    """The pages with the guard in front."""
    guard = Guard(
        build_page_app(host),
        port,
        host.token,
        host.tell,
        methods=("GET", "HEAD", "POST"),
        limits=PAGE_LIMITS,
    )
    guard.admit = _foreign_write
    guard.headers = PAGE_HEADERS
    return guard


def _foreign_write(scope: Scope, headers: Headers) -> Refusal | None:
    """Why a change is refused that does not say it comes from a page of this server; whether the
    origin that it tells is ours, the guard has looked."""
    if "upgrade" in headers:
        return Refusal(400, "only HTTP is spoken here")
    if scope["method"] != "POST" or scope["path"] == "/code":
        return None
    if "origin" in headers and headers.get("sec-fetch-site", "same-origin") == "same-origin":
        return None
    return Refusal(403, "a change has to come from a page of this server")


def build_page_app(host: PageHost) -> Starlette:
    """The pages of a vault, without the guard."""

    def route(path: str, answer: Answering, method: str = "GET") -> Route:
        async def endpoint(request: Request) -> Response:
            return await _signed_in(host, request, answer)

        return Route(path, endpoint, methods=[method])

    async def missing(request: Request, _: Exception) -> Response:
        return await _signed_in(host, request, _nothing_there)

    async def sign_in(request: Request) -> Response:
        return await _sign_in(host, request)

    async def code(request: Request) -> Response:
        return _new_code(host, request)

    async def live(request: Request) -> Response:
        return _live(host, request)

    async def say(request: Request) -> Response:
        return await _signed_in(host, request, _say_to(request))

    return Starlette(
        routes=[
            Route("/sign-in", sign_in, methods=["POST"]),
            Route("/code", code, methods=["POST"]),
            Route("/live", live),
            Route("/static/{name}", _static),
            route("/", _chat),
            Route("/chat", say, methods=["POST"]),
            route("/file/{name:path}", _image),
            route("/do/{name}", _do, "POST"),
            route("/shown/{name}", _kept),
            *(route(path, _page(PAGES[path])) for path in sorted(PAGES, key=_names_something)),
        ],
        exception_handlers={
            HTTPStatus.NOT_FOUND: missing,
            HTTPStatus.METHOD_NOT_ALLOWED: missing,
        },
    )


class SignedRequest(NamedTuple):
    """A request of somebody signed in: what it names, its query, the fields of its form."""

    host: PageHost
    shown: Shown
    name: str
    query: Mapping[str, str]
    form: Mapping[str, str]

    def html(self, answer: str | tuple[int, str]) -> Response:
        """A page as a response, or an address to go on to."""
        if isinstance(answer, str):
            return RedirectResponse(answer, HTTPStatus.SEE_OTHER)
        status, html = answer
        return HTMLResponse(html, status)


def _names_something(path: str) -> bool:
    """Whether an address has a place for a name: it fits much, and goes last."""
    return "{" in path


# -- sessions --------------------------------------------------------------------------


async def _signed_in(host: PageHost, request: Request, answer: Answering) -> Response:
    """What somebody signed in is answered; for others the form that takes a code."""
    key = host.sessions.key_of(request.headers)
    if key is None:
        return _ask_for_code(request.url.path, HTTPStatus.UNAUTHORIZED)
    again = "x-aurelius-again" in request.headers
    done = request.query_params.get("done", "")
    shown = Shown(key, _address(request), again, done, host.live.state().generation)
    form: dict[str, str] = {}
    try:
        if request.method == "POST":
            form = await _form(request)
    except UsageError as error:
        return HTMLResponse(answer_error(host, error, shown)[1], HTTPStatus.BAD_REQUEST)
    name = request.path_params.get("name", "")
    asking = SignedRequest(host, shown, name, dict(request.query_params), form)
    return await run_in_threadpool(answer, asking)


def _address(request: Request) -> str:
    """The path and the query that were asked for, without word of a change that was made."""
    kept = [(name, value) for name, value in request.query_params.multi_items() if name != "done"]
    path = quote(request.scope["path"])  # that of the URL ends at a `#`
    return f"{path}?{urlencode(kept)}" if kept else path


def _ask_for_code(path: str, status: int, wrong: str = "") -> Response:
    return HTMLResponse(rendered("sign_in.html", {"back": own_path(path), "wrong": wrong}), status)


async def _sign_in(host: PageHost, request: Request) -> Response:
    """Make a session of a code."""
    try:
        form = await _form(request)
    except UsageError as error:
        return _ask_for_code(HOME, HTTPStatus.BAD_REQUEST, error.message)
    back = own_path(form.get("back", HOME))
    name = host.sessions.redeem(form.get("code", ""), time.monotonic())
    if not name:
        wrong = "This code is not good (any more): each is good once, for a minute."
        return _ask_for_code(back, HTTPStatus.FORBIDDEN, wrong)
    response = RedirectResponse(back, HTTPStatus.SEE_OTHER)
    response.set_cookie(host.sessions.cookie, name, httponly=True, samesite="strict")
    return response


def _new_code(host: PageHost, request: Request) -> Response:
    """A new code, for a program of this user that has the token."""
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if not hmac.compare_digest(given, host.token):
        return JSONResponse({"error": "the token is missing or wrong"}, HTTPStatus.UNAUTHORIZED)
    return JSONResponse({"code": host.sessions.new_code(time.monotonic()), "live": host.watches})


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form, each there once.  UsageError."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/x-www-form-urlencoded":
        raise UsageError("a change has to be sent as a form")
    try:
        text = (await request.body()).decode("ascii")
        fields = parse_qsl(
            text, keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError:
        raise UsageError("the form cannot be read") from None
    form = {name: value.replace("\r\n", "\n") for name, value in fields}
    if len(form) != len(fields):
        raise UsageError("a field of the form is there twice")
    return form


# -- answers ---------------------------------------------------------------------------


def _chat(asking: SignedRequest) -> Response:
    """The conversation; word of a change that one of its turns offered stays with that turn."""
    host, shown, name, query, _ = asking
    sessions = host.sessions
    talk = sessions.talk_of(shown.key)
    turn = query.get("turn", "")
    if shown.done and talk.has(turn):
        sessions.change_talk(
            shown.key,
            lambda here: here.with_done(turn, shown.done),
        )
        return asking.html(turn_place(turn))
    page = partial(show_talk, here=talk)
    answer = answer_page(host, page, name, query, shown)
    return asking.html(answer)


def _page(page: PageFunction) -> Answering:
    def answer(asking: SignedRequest) -> Response:
        host, shown, name, query, _ = asking
        return asking.html(answer_page(host, page, name, query, shown))

    return answer


def _nothing_there(asking: SignedRequest) -> Response:
    error = NoteNotFoundError("There is no page of this address", "the search is above")
    return asking.html(answer_error(asking.host, error, asking.shown))


def _strange(asking: SignedRequest, path: str) -> Response | None:
    """The answer to a form of which it is not sure that it is from a page of this session."""
    if is_form_token(asking.shown.key, path, asking.form.get("token", "")):
        return None
    error = UsageError(
        "nothing was changed: this form is too old, or not of this server",
        "go back, load the page again, and send it once more",
    )
    _, html = answer_error(asking.host, error, asking.shown)
    return asking.html((HTTPStatus.FORBIDDEN, html))


def _do(asking: SignedRequest) -> Response:
    """Carry out what a form asks for, or lead to what it would change."""
    if strange := _strange(asking, f"/do/{asking.name}"):
        return strange
    host, shown, name, _, form = asking
    place = offered_anew(host, name, form, shown)
    return asking.html(place or actions.answer_action(host, name, form, shown))


def _say_to(request: Request) -> Answering:
    """Answer what was said: a script gets the answer as it grows, one JSON object a line."""
    is_script = "x-aurelius-parts" in request.headers

    def answer(asking: SignedRequest) -> Response:
        stop = Stop()
        if strange := _strange(asking, "/chat"):
            return strange
        sent = SaidForm(
            asking.host,
            asking.shown,
            asking.form,
            stop,
        )
        if not is_script:
            return asking.html(answer_form(sent))
        return StreamingResponse(_grown(sent, stop), media_type="application/x-ndjson")

    return answer


async def _grown(sent: SaidForm, stop: Stop) -> AsyncIterator[str]:
    """The parts of an answer as lines; where nobody reads them any more, it is stopped."""
    loop = asyncio.get_running_loop()
    parts: asyncio.Queue[str] = asyncio.Queue()

    def put(line: str) -> None:
        loop.call_soon_threadsafe(parts.put_nowait, line)

    def answer() -> None:
        try:
            for part in said_parts(sent):
                put(json.dumps(part) + "\n")
        finally:
            put("")

    answered = loop.run_in_executor(None, answer)
    try:
        while line := await parts.get():
            yield line
        await answered
    finally:
        stop.set()


def _kept(asking: SignedRequest) -> Response:
    """What a form was answered."""
    part = asking.query.get("part", "")
    return asking.html(actions.answer_kept(asking.host, asking.name, part, asking.shown))


def _image(asking: SignedRequest) -> Response:
    """An image of the vault; a document of its own, so that a script in an SVG does not run."""
    kind = _IMAGES.get(os.path.splitext(asking.name)[1].lower())
    if kind is None or _is_left_out(asking):
        return _nothing_there(asking)
    try:
        if os.path.getsize(disk_path(asking.host.root, asking.name)) > MOST_IMAGE_BYTES:
            return _nothing_there(asking)
        data = read_inside(asking.host.root, asking.name).data
    except (AureliusError, OSError, ValueError):
        return _nothing_there(asking)
    return Response(data, media_type=kind, headers={"content-security-policy": _IMAGE_POLICY})


def _is_left_out(asking: SignedRequest) -> bool:
    """Whether a file lies in a hidden folder, or where a rule leaves notes out."""
    if any(part.startswith(".") for part in asking.name.split("/")):
        return True
    with asking.host.open_vault() as vault:
        return bool(why_ignored(vault.config, asking.name))


async def _static(request: Request) -> Response:
    """The stylesheet, the scripts and the icon."""
    name = request.path_params["name"]
    kind = _STATIC.get(name)
    if kind is None:
        return Response("there is no such file", HTTPStatus.NOT_FOUND, media_type="text/plain")
    data = files("aurelius.web").joinpath("static", name).read_bytes()
    return Response(data, media_type=kind, headers={"cache-control": "no-cache"})


def _live(host: PageHost, request: Request) -> Response:
    """A stream of events that tells an open page when the index changed."""
    if host.sessions.key_of(request.headers) is None:
        return Response(status_code=HTTPStatus.UNAUTHORIZED)
    if not host.watches:  # nobody would tell: the page need not ask again
        return Response(status_code=HTTPStatus.NO_CONTENT)
    return StreamingResponse(_changes(host), media_type="text/event-stream")


async def _changes(host: PageHost) -> AsyncIterator[str]:
    """The generation of the index, now and whenever it is another, and now and then a sign of
    life."""
    seen = -1
    looks = 0
    while True:
        now = host.live.state().generation
        if now != seen:
            yield f"event: generation\ndata: {now}\n\n"
            seen = now
        elif looks % _LOOKS_A_SIGN == 0:
            yield ": still here\n\n"
        await asyncio.sleep(_SECONDS_A_LOOK)
        looks += 1
