"""The server of the pages: started in a thread of the daemon or in a process of its own, and found
again by whoever asks for another code."""

from __future__ import annotations

import json
import os
import secrets
import threading
from http.client import HTTPConnection, HTTPException
from typing import TYPE_CHECKING, NamedTuple

from aurelius.loopback.http_guard import ADDRESS, build_http_server, listening
from aurelius.settings.places import PAGES_FILE
from aurelius.writing.own_files import keep_in_state
from indexer.errors import ConflictError

from .app import build_page_guard
from .host import PageHost
from .session import Sessions

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping

    import uvicorn

    from indexer.live.live_index import Live

PAGES_PORT = 8438
"""Where the pages are unless another port is named; the next free one where another program, or
the pages of another vault, have it."""
_SECONDS_TO_ASK = 3.0
_MOST_ANSWER_BYTES = 4096


class PagesFound(NamedTuple):
    """Pages that are served: the port, a code that opens them once, whether they follow the
    files."""

    port: int
    code: str
    live: bool

    @property
    def url(self) -> str:
        """The address that opens them; what stands behind `#` is sent to nobody."""
        return f"http://{ADDRESS}:{self.port}/#{self.code}"


class PageSite(NamedTuple):
    """Whose pages are served: the vault at `root`, and its state folder; `tell` gets a line where a
    page fails."""

    root: str
    env: Mapping[str, str]
    state: str
    tell: Callable[[str], None]


class PageServer(NamedTuple):
    """A server that is ready to run, and the sockets that it answers on."""

    server: uvicorn.Server
    listener: socket.socket
    port: int

    def run(self) -> None:
        """Answer until the process is asked to end."""
        with self.listener:
            self.server.run(sockets=[self.listener])


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
        live=live,
        sessions=Sessions(port),
        token=token,
        watches=watches,
        tell=site.tell,
    )
    keep_in_state(site.state, PAGES_FILE, json.dumps({"port": port, "token": token}).encode())
    return PageServer(build_http_server(build_page_guard(host, port)), listener, port)


def _free_port() -> socket.socket:
    try:
        return listening(PAGES_PORT)
    except ConflictError:
        return listening(0)


def serve_in_thread(made: PageServer) -> None:
    """Answer in a thread of this process, for as long as it runs."""
    threading.Thread(target=made.run, name="pages", daemon=True).start()


def find_pages(state: str) -> PagesFound | None:
    """The pages of the vault with this state folder, with a new code; None where nobody serves
    them."""
    try:
        with open(os.path.join(state, PAGES_FILE), encoding="utf-8") as file:
            kept = json.load(file)
        return ask_for_code(int(kept["port"]), str(kept["token"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def ask_for_code(port: int, token: str) -> PagesFound | None:
    """A new code of the pages on a port; None where nobody answers there who knows the token."""
    link = HTTPConnection(ADDRESS, port, timeout=_SECONDS_TO_ASK)
    try:
        link.request("POST", "/code", headers={"authorization": f"Bearer {token}"})
        answer = link.getresponse()
        told = json.loads(answer.read(_MOST_ANSWER_BYTES))
        return PagesFound(port, str(told["code"]), bool(told["live"]))
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return None
    finally:
        link.close()
