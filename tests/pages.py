"""The pages of a vault for tests: a server in a thread of the test, and a client that is signed in."""

from __future__ import annotations

import datetime
import html
import re
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote, urlencode

from aurelius.loopback.http_guard import build_http_server, listening
from aurelius.vault import Vault
from aurelius.web.app import build_page_guard
from aurelius.web.host import PageHost
from aurelius.web.session import Sessions
from indexer.live.live_index import Live

TOKEN = "t" * 43


class PageResponse(NamedTuple):
    """What a browser gets."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def words(self) -> str:
        """What a person reads of it: the text without tags, spaces as one."""
        shown = re.sub(r"(?s)<(script|style|head)\b.*?</\1>", " ", self.text)
        return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", shown)).split())

    def form(self, action: str) -> dict[str, str]:
        """The hidden fields of the first form that is sent to an action."""
        found = re.search(rf'(?s)<form[^>]*action="/do/{action}".*?</form>', self.text)
        assert found, f"no form for {action}"
        pairs = re.findall(r'<input type="hidden" name="([^"]*)" value="([^"]*)"', found[0])
        return {name: html.unescape(value) for name, value in pairs}


class Pages:
    """A client of the pages on a port, with the cookie of a session."""

    def __init__(self, host: PageHost, port: int) -> None:
        self.host = host
        self.port = port
        self.cookie = ""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def code(self) -> str:
        """A new code."""
        return self.host.sessions.new_code(time.monotonic())

    def sign_in(self) -> None:
        """Make a session, as a browser does with the code."""
        answer = self.post("/sign-in", {"code": self.code(), "back": "/memory"})
        assert answer.status == 303
        self.cookie = answer.headers["set-cookie"].partition(";")[0]

    def get(self, path: str, **headers: str) -> PageResponse:
        """A page; headers are named with `_` for `-`."""
        return self.ask("GET", quote(path, safe="/?&=%#+"), b"", headers)

    def post(self, path: str, form: Mapping[str, str], **headers: str) -> PageResponse:
        """What a form gets that is sent from a page of this server; a page that shows what would change is looked at."""
        own = {
            "origin": self.url,
            "sec-fetch-site": "same-origin",
            "content-type": "application/x-www-form-urlencoded",
        }
        answer = self.ask("POST", path, urlencode(form).encode(), own | headers)
        where = answer.headers.get("location", "")
        return self.get(where) if where.startswith("/shown/") else answer

    def act(self, page: str, action: str, **fields: str) -> PageResponse:
        """Send a form of a page with these fields filled in."""
        return self.post(f"/do/{action}", self.get(page).form(action) | fields)

    def ask(self, method: str, path: str, body: bytes, headers: Mapping[str, str]) -> PageResponse:
        link = HTTPConnection("127.0.0.1", self.port, timeout=20)
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.cookie:
            sent.setdefault("cookie", self.cookie)
        try:
            link.request(method, path, body or None, sent)
            answer = link.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return PageResponse(answer.status, told, answer.read().decode("utf-8", "replace"))
        finally:
            link.close()


@contextmanager
def served(
    root: Path,
    env: Mapping[str, str],
    *,
    now: datetime.datetime | None = None,
    watches: bool = False,
    signed_in: bool = True,
) -> Iterator[Pages]:
    """The pages of the vault at `root`; with `watches` the index follows the files, as in a daemon."""
    settings = Vault.find(str(root), env, str(root), now=now or datetime.datetime.now()).settings
    wake = threading.Event()
    live = Live(settings, wake.set)
    listener = listening(0)
    port = listener.getsockname()[1]
    host = PageHost(
        root=str(root),
        env=env,
        opened=live,
        sessions=Sessions(port),
        token=TOKEN,
        watches=watches,
        tell=print,
        clock=(lambda: now) if now else datetime.datetime.now,
    )
    server = build_http_server(build_page_guard(host, port))
    threads = [threading.Thread(target=lambda: server.run(sockets=[listener]))]
    if watches:
        threads.append(threading.Thread(target=lambda: _follow(live, server, wake)))
    for each in threads:
        each.start()
    try:
        while not server.started:
            time.sleep(0.01)
        pages = Pages(host, port)
        if signed_in:
            pages.sign_in()
        yield pages
    finally:
        server.should_exit = True
        wake.set()
        for each in threads:
            each.join()
        live.close()
        listener.close()


def _follow(live: Live, server: object, wake: threading.Event) -> None:
    """Keep the index equal to the files, as the loop of a daemon does."""
    while not getattr(server, "should_exit", True):
        live.turn(time.time())
        wake.wait(0.5)
        wake.clear()
