"""Every address that the pages of a vault lead to, asked one after the other."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import NamedTuple
from urllib.parse import unquote, urljoin, urlsplit

from starlette.routing import compile_path

from aurelius.web.pages import PAGES
from tests.pages import PageResponse, Pages


class Crawl(NamedTuple):
    """What each address answered that was led to, by its path and query, and the links that lead nowhere."""

    answers: dict[str, PageResponse]
    dead: list[str]

    def by_page(self, most: int) -> dict[str, list[str]]:
        """The first addresses of each page, by how `pages.PAGES` writes it."""
        found: dict[str, list[str]] = {pattern: [] for pattern in PAGES}
        for address in self.answers:
            pattern = page_of(address)
            if pattern and len(found[pattern]) < most:
                found[pattern].append(address)
        return found


class _Links(HTMLParser):
    """The addresses and the anchors of a page."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors = {"", "top"}
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors.add(values.get("id", ""))
        names = ["href", "src"]
        if tag == "form" and values.get("method", "get") == "get":
            names.append("action")
        self.links += [values[name] for name in names if name in values]


_DAYS = "/memory/timeline?"


def page_of(address: str) -> str:
    """Which page answers an address, as `pages.PAGES` writes it; "" for none."""
    path = unquote(urlsplit(address).path)
    return next((each for each in PAGES if compile_path(each)[0].match(path)), "")


def crawl(pages: Pages, start: str = "/memory", most: int = 2000) -> Crawl:
    """Go through all links of the pages from `start` on, at most so many."""
    answers: dict[str, PageResponse] = {}
    anchors: dict[str, set[str]] = {}
    links: list[tuple[str, str, str]] = []
    waiting = deque([(start, "")])
    seen = {start}
    dead: list[str] = []
    while waiting and len(answers) < most:
        address, source = waiting.popleft()
        answer = pages.ask("GET", address, b"", {})
        answers[address] = answer
        if answer.status >= 400:
            dead.append(f"{source} leads to {address}: {answer.status}")
        if not answer.headers.get("content-type", "").startswith("text/html"):
            continue
        read = _Links(answer.text)
        anchors[address] = read.anchors
        for there, fragment in _own(pages, address, read.links):
            links.append((address, there, fragment))
            # earlier and later days go on without end
            steps = address.startswith(_DAYS) and there.startswith(_DAYS)
            if there not in seen and not steps:
                seen.add(there)
                waiting.append((there, address))
    dead += [
        f"{source} leads to {there}#{fragment}, which is not there"
        for source, there, fragment in links
        if fragment and there in anchors and unquote(fragment) not in anchors[there]
        # what stands in front matter, or in a note that cannot be read, has no place on its page
        if not fragment.startswith("line-")
    ]
    return Crawl(answers, dead)


def _own(pages: Pages, address: str, links: list[str]) -> Iterator[tuple[str, str]]:
    """The links that stay on this server, each with what stands behind its `#`."""
    for link in links:
        parts = urlsplit(urljoin(pages.url + address, link))
        if f"{parts.scheme}://{parts.netloc}" != pages.url:
            continue
        path = f"{parts.path}?{parts.query}" if parts.query else parts.path
        yield path, parts.fragment
