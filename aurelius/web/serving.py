"""The server of the pages: started in a thread of the daemon or in a process of its own."""

from __future__ import annotations

import json
import secrets
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from aurelius.loopback.http_guard import build_http_server, listening
from aurelius.memory.apart import end_processes
from aurelius.settings.places import PAGES_FILE
from aurelius.writing.own_files import keep_in_state
from indexer.errors import ConflictError

from .addresses import HOME
from .app import build_page_guard
from .host import PageHost, Shown, answer_page
from .pages import PAGES
from .session import Sessions
from .templates import page_templates

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping

    import uvicorn

    from indexer.live.live_index import Live

PAGES_PORT = 8438
"""Where the pages are unless another port is named; the next free one where another program, or
the pages of another vault, have it."""
_SECONDS_BEFORE_WARMTH = 0.4
"""Seconds in which nothing but the server itself starts."""
_FIRST_PAGES: Mapping[str, Mapping[str, str]] = {
    "/memory": {},
    "/memory/search": {"q": "today"},
}


class PageSite(NamedTuple):
    """Whose pages are served: the vault at `root`, and its state folder; `tell` gets a line where a
    page fails."""

    root: str
    env: Mapping[str, str]
    state: str
    tell: Callable[[str], None]


class PageServer(NamedTuple):
    """A server that is ready to run, the vault that it shows, and the socket that it answers on."""

    host: PageHost
    server: uvicorn.Server
    listener: socket.socket
    port: int

    def run(self) -> None:
        """Answer until the process is asked to end."""
        try:
            with self.listener:
                self.server.run(sockets=[self.listener])
        finally:
            end_processes()


def build_page_server(site: PageSite, live: Live, port: int | None, *, watches: bool) -> PageServer:
    """A server of a vault's pages, on this port or on PAGES_PORT where none is named; its port is
    kept in the state folder with a new token, which nobody else can read and which is of no use
    when the server has ended.  ConflictError, UsageError where it cannot listen."""
    listener = _free_port() if port is None else listening(port)
    port = listener.getsockname()[1]
    token = secrets.token_urlsafe(32)
    host = PageHost(
        root=site.root,
        env=site.env,
        opened=live,
        sessions=Sessions(port),
        token=token,
        watches=watches,
        tell=site.tell,
    )
    keep_in_state(site.state, PAGES_FILE, json.dumps({"port": port, "token": token}).encode())
    return PageServer(host, build_http_server(build_page_guard(host, port)), listener, port)


def _free_port() -> socket.socket:
    try:
        return listening(PAGES_PORT)
    except ConflictError:
        return listening(0)


def serve_in_thread(made: PageServer) -> None:
    """Answer in a thread of this process, for as long as it runs; what pages need is loaded soon
    after, beside."""
    threading.Thread(target=made.run, name="pages", daemon=True).start()
    later = threading.Timer(_SECONDS_BEFORE_WARMTH, warm_up, (made.host,))
    later.daemon = True
    later.start()


def warm_up(host: PageHost) -> None:
    """Make the pages once that are asked for first, for nobody, so that what they need is in memory
    and proposals are looked for; what fails here is told to whoever asks."""
    shown = Shown(b"", HOME, again=True)
    with suppress(Exception):
        for path, query in _FIRST_PAGES.items():
            answer_page(host, PAGES[path], "", query, shown)
        for name in page_templates().list_templates():
            page_templates().get_template(name)
