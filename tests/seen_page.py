"""A page as somebody sees it who trusts nothing in it: what could run or be loaded, what is broken, and its text.

Stricter than a browser on purpose: every `<` has to begin a plain tag, every element is closed in its order, and what is
not known to be harmless is a complaint.  So nothing depends on how one browser or another reads a broken page.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html.parser import HTMLParser

MOST = 100_000
"""Bytes of a page."""
VOID = frozenset("area br col hr img input link meta wbr".split())
BLOCK = """
html head title meta link script body header footer nav main section article aside div p h1 h2 h3 h4 h5 h6 ul ol li dl dt dd
blockquote pre figure figcaption table caption colgroup col thead tbody tfoot tr th td details summary form fieldset legend
hr search output
""".split()
INLINE = """
a span em strong b i s del ins mark code kbd samp var sub sup small abbr time q cite bdi bdo br wbr img label input button
select option optgroup textarea datalist data progress meter u
""".split()
DRAWN = "svg g path circle rect line text tspan title desc polyline polygon ellipse".split()
ELEMENTS = frozenset([*BLOCK, *INLINE, *DRAWN])
LOADING = frozenset(
    "src srcset poster background data xlink:href action formaction ping cite manifest".split()
)
"""Attributes whose address is loaded or sent to without a click on a link, or that no page of ours needs."""
TAG = re.compile(
    r"""</[a-zA-Z][a-zA-Z0-9]*\s*>|<[a-zA-Z][a-zA-Z0-9]*(?:\s+[a-zA-Z_:][-a-zA-Z0-9_:.]*(?:="[^"]*")?)*\s*/?>"""
)
DOCTYPE = re.compile(r"\s*<!doctype html>", re.IGNORECASE)
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
OWN = re.compile(r"/(?![/\\])[^\\\x00-\x20]*")
LEAVING = re.compile(r"(?:https?://[^\x00-\x20\\]+|mailto:[^\x00-\x20]+)", re.IGNORECASE)
WITHIN = re.compile(r"[#?][^\x00-\x20\\]*")


class SeenPage(HTMLParser):
    """One parse of a page: complaints as they come, the text in reading order, links and forms."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.complaints: list[str] = []
        self.text = ""
        self.links: list[str] = []
        self.images: list[str] = []
        self.forms: list[dict[str, str]] = []
        self._open: list[str] = []
        self._ids: set[str] = set()
        self.feed(html)
        self.close()
        if self._open:
            self.complaints.append(f"never closed: {self._open}")

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag not in ELEMENTS:
            self.complaints.append(f"element <{tag}>")
        if len(values) != len(attrs):
            self.complaints.append(f"an attribute twice in <{tag}>")
        self.complaints += _attributes(tag, values)
        self._known(tag, values)
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in VOID:
            return
        if not self._open or self._open[-1] != tag:
            self.complaints.append(f"</{tag}> closes {self._open[-3:]}")
        else:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1] in {"script", "style"} and data.strip():
            self.complaints.append(f"text within <{self._open[-1]}>")
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.complaints.append(f"a comment: {data[:40]!r}")

    def handle_pi(self, data: str) -> None:
        self.complaints.append(f"an instruction: {data[:40]!r}")

    def unknown_decl(self, data: str) -> None:
        self.complaints.append(f"a declaration: {data[:40]!r}")

    def _known(self, tag: str, values: dict[str, str]) -> None:
        name = values.get("id")
        if name is not None:
            if name in self._ids or not name:
                self.complaints.append(f"the id {name[:60]!r} twice or empty")
            self._ids.add(name)
        if tag == "a" and "href" in values:
            self.links.append(values["href"])
        if tag == "img":
            self.images.append(values.get("src", ""))
        if tag == "form":
            self.forms.append(
                {":action": values.get("action", ""), ":method": values.get("method", "get")}
            )
        if tag in {"input", "button"} and self.forms and "form" in self._open:
            self.forms[-1][values.get("name", "")] = values.get("value", "")


def _attributes(tag: str, values: dict[str, str]) -> Iterator[str]:
    for name, value in values.items():
        shown = f"{name}={value[:80]!r} in <{tag}>"
        if name.startswith("on") or name in {
            "style",
            "srcdoc",
            "http-equiv",
            "nonce",
            "is",
            "slot",
        }:
            yield shown
        elif not re.fullmatch(r"[a-z][-a-z:0-9]*|viewBox|preserveAspectRatio", name, re.IGNORECASE):
            yield f"an odd name {shown}"
        elif name in LOADING and not OWN.fullmatch(value):
            yield f"loads {shown}"
        elif name == "href" and not _may_lead(tag, value):
            yield f"leads {shown}"
    if tag == "script" and "src" not in values:
        yield "a <script> without src"
    if tag in {"script", "link"}:
        address = values.get("src") or values.get("href") or ""
        if not address.startswith("/static/"):
            yield f"<{tag}> of {address[:80]!r}"
    if tag == "img" and not values.get("src", "").startswith(("/file/", "/static/")):
        yield f"<img> of {values.get('src', '')[:80]!r}"


def _may_lead(tag: str, value: str) -> bool:
    """Whether a link's address is one of ours, or, by a click, an open one of the web."""
    if OWN.fullmatch(value) or WITHIN.fullmatch(value):
        return not value.startswith("/do/")
    return tag == "a" and bool(LEAVING.fullmatch(value))


def odd_marks(html: str) -> Iterator[str]:
    """Every `<` that begins no plain tag, and characters that no page may hold."""
    rest = TAG.sub("", DOCTYPE.sub("", html, count=1))
    for found in re.finditer("<", rest):
        yield f"a bare < in {rest[found.start() : found.start() + 60]!r}"
    for control in sorted(set(CONTROL.findall(html))):
        yield f"the character U+{ord(control):04X}"


def complaints(data: bytes, *, most: int = MOST) -> list[str]:
    """What is wrong with the page of these bytes; nothing, if it is whole, small enough and harmless."""
    found = []
    if len(data) > most:
        found.append(f"{len(data):,} bytes")
    try:
        html = data.decode()
    except UnicodeDecodeError as error:
        return [*found, f"no UTF-8: {error}"]
    if not DOCTYPE.match(html):
        found.append("no doctype")
    if not html.rstrip().endswith("</html>"):
        found.append(f"the end is {html.rstrip()[-40:]!r}")
    found += odd_marks(html)
    return found + SeenPage(html).complaints
