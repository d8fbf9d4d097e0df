"""The pages of a vault that attacks them: nothing runs, nothing is loaded from elsewhere, nothing hidden is shown, and
every page is whole.

No browser here: what tests/seen_page.py accepts cannot do harm in any of them.  tests/cases/pages/hostile makes the vault.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, unquote

import pytest
from starlette.routing import compile_path

from aurelius.web.pages import PAGES
from tests.cases.pages.hostile.vault import (
    ASKED,
    FORBIDDEN,
    HIDDEN_PATHS,
    LAST,
    NOTES,
    PRIVATE,
    REMOTE,
    SIZES,
    Asked,
    Note,
    build,
)
from tests.conftest import TODAY
from tests.daily import daily
from tests.over_the_wire import Heard, exchange
from tests.pages import Pages, served
from tests.seen_page import SeenPage, complaints

GROUPS = 16
SECONDS = 30.0
SMALL = [note for note in NOTES if note not in SIZES]
LONG = [note for note in SIZES if note.path.startswith(("huge/", "deep/"))]
ODD = [note for note in SIZES if note not in LONG]
LINKS_FOLLOWED = 40
SCRIPTED = "pwned(1) <img src=x onerror=pwned(1)> {{ 7*7 }} is here"
AT_ONCE = 20_000
"""Bytes of a note that are shown at once; of a longer one the page shows the first part."""
DRAWN = random.Random(TODAY.day).sample(LONG, daily(8, len(LONG)))
"""The long ones that are there: each takes a while to be read.  The whole run has all of them."""


class Hostile:
    """The served vault, and what its pages led to so far."""

    def __init__(self, root: Path, pages: Pages) -> None:
        self.root = root
        self.pages = pages
        self.links: set[str] = set()
        self.images: set[str] = set()

    def ask(self, target: str) -> Heard:
        """What comes of an address, as it stands."""
        head = f"GET {target} HTTP/1.1\r\nHost: 127.0.0.1:{self.pages.port}\r\nCookie: {self.pages.cookie}\r\n"
        head += "Accept: text/html\r\nConnection: close\r\n\r\n"
        return exchange(self.pages.port, head.encode("latin-1", "replace"), SECONDS)

    def faults(self, target: str, heard: Heard) -> Iterator[str]:
        """What is wrong with an answer, whatever was asked for."""
        if not (heard.ended and heard.status) or heard.status >= 500:
            yield f"no answer, or one that failed: {heard.data[:80]!r}"
            return
        asked = unquote(target).lower()
        text = heard.data.decode("utf-8", "replace").lower()
        yield from (f"tells {word!r}" for word in FORBIDDEN if word in text and word not in asked)
        if "default-src 'none'" not in "".join(heard.header("content-security-policy")):
            yield "no rule of what may be loaded"
        kind = "".join(heard.header("content-type"))
        if kind.startswith("text/html"):
            yield from complaints(heard.body)
            seen = SeenPage(heard.body.decode("utf-8", "replace"))
            self.links |= {each for each in seen.links if each.startswith("/")}
            self.images |= set(seen.images)
        elif heard.status == 200 and not kind.startswith("image/"):
            yield f"is sent as {kind}"


def note_target(path: str) -> str:
    """The address of a note's page."""
    return "/note/" + quote(path.encode("utf-8", "surrogateescape"))


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hostile]:
    """One server for all these tests."""
    place = tmp_path_factory.mktemp("hostile")
    root = build(place / "here", [*SMALL, *ODD, *DRAWN])
    with served(root, {"HOME": str(place / "home")}, now=TODAY) as pages:
        yield Hostile(root, pages)


def shown_faults(hostile: Hostile, note: Note) -> Iterator[str]:
    """What is wrong with the page of a note, as sentences with its name."""
    target = note_target(note.path)
    heard = hostile.ask(target)
    found = [*hostile.faults(target, heard)]
    is_hidden = note.path in HIDDEN_PATHS or "\udcff" in note.path
    may_be_missing = "\n" in note.path  # a line end in a name is no part of an address
    if (heard.status == 404) != is_hidden and not may_be_missing:
        found.append(f"answered with {heard.status}")
    if (
        note.last
        and heard.status == 200
        and len(note.data) < AT_ONCE
        and LAST not in " ".join(SeenPage(heard.body.decode("utf-8", "replace")).text.split())
    ):
        found.append("its last line is not shown")
    yield from (f"{note.path!a} ({note.must}): {each}" for each in found)


@pytest.mark.parametrize("group", range(GROUPS))
def test_every_note_has_a_harmless_page_or_none(group: int, hostile: Hostile) -> None:
    faults: list[str] = []
    for note in [*SMALL, *ODD][group::GROUPS]:
        faults += shown_faults(hostile, note)
    assert faults == []


def test_huge_and_deep_notes_have_harmless_pages(hostile: Hostile) -> None:
    faults: list[str] = []
    for note in DRAWN:
        faults += shown_faults(hostile, note)
    assert faults == []


@pytest.mark.parametrize("group", range(GROUPS))
def test_every_address_is_answered_as_it_should_be(group: int, hostile: Hostile) -> None:
    faults = []
    for asked in ASKED[group::GROUPS]:
        heard = hostile.ask(asked.target)
        found = [*hostile.faults(asked.target, heard)]
        if heard.status not in {*asked.statuses, *_too_long(asked)} and _is_there(asked):
            found.append(f"answered with {heard.status}")
        faults += [f"{asked.target[:80]} ({asked.must}): {each}" for each in found]
    assert faults == []


def _is_there(asked: Asked) -> bool:
    """Whether an address is one that may show something: pages that are not made yet are none."""
    path = asked.target.partition("?")[0]
    known = [compile_path(each)[0] for each in PAGES]
    return path.startswith(("/file/", "/note/")) or any(each.match(path) for each in known)


def _too_long(asked: Asked) -> tuple[int, ...]:
    return (414, 400) if len(asked.target) > 2000 else ()


def test_what_looks_like_a_template_is_shown_as_it_stands(hostile: Hostile) -> None:
    for path in ("raw/template-text.md", "titles/template.md", "names/{{ 7*7 }}{% raw %}.md"):
        seen = SeenPage(hostile.ask(note_target(path)).body.decode())
        assert "{{ 7*7 }}" in seen.text
        assert "49" not in re.sub(r"[-0-9a-z:/#]*\d{4}[-0-9:]*", "", seen.text)


def test_a_link_to_a_private_note_looks_like_one_to_no_note(hostile: Hostile) -> None:
    body = hostile.ask(note_target("links/to-private.md")).body.decode()
    around = {}
    for name in ("people/vera", "people/nowhere"):
        found = re.search(rf"<[^<>]*>{name}</[a-z]*>", body)
        assert found, body
        around[name] = found[0].replace(name, "NAME")
    assert len({*around.values()}) == 1, around


def test_every_image_of_a_page_is_an_image_or_nothing(hostile: Hostile) -> None:
    for note in NOTES:
        if note.path.startswith(("images/", "links/image", "raw/everything")):
            assert [*shown_faults(hostile, note)] == []
    assert hostile.images
    for target in sorted(hostile.images):
        heard = hostile.ask(target)
        assert heard.status in {200, 404}, target
        if heard.status == 200 and target.startswith("/file/"):
            assert heard.header("content-type")[0].startswith("image/"), target
            assert heard.header("x-content-type-options") == ["nosniff"], target
            assert "sandbox" in heard.header("content-security-policy")[0], target


def test_links_of_the_pages_lead_to_whole_pages(hostile: Hostile, dice: random.Random) -> None:
    for page in ("/memory", "/memory/people", "/memory/timeline", "/tasks", "/review"):
        [*hostile.faults(page, hostile.ask(page))]
    links = sorted({each.partition("#")[0] for each in hostile.links} - {""})
    faults = []
    for target in dice.sample(links, min(len(links), LINKS_FOLLOWED)):
        heard = hostile.ask(target)
        assert REMOTE not in "".join(heard.header("location"))
        faults += [f"{target}: {each}" for each in hostile.faults(target, heard)]
    assert faults == []


QUESTIONS = (
    "Who is Anna?",
    "cello",
    "What happened in the boat?",
    "Tell me about scripts",
    "images",
    "what waits",
)


def test_an_answer_of_the_chat_is_harmless(hostile: Hostile, dice: random.Random) -> None:
    pages = hostile.pages
    names = sorted({Path(each.path).stem for each in SMALL if each.path not in HIDDEN_PATHS})
    said = [*dice.sample([each for each in names if each.isprintable()], daily(6, 60))]
    said += [*QUESTIONS, f"Note: {SCRIPTED}", f"<script>{SCRIPTED}</script>", "start over"]
    faults = []
    cited = 0
    for text in said:
        seen = SeenPage(hostile.ask("/").body.decode())
        token = next(each["token"] for each in seen.forms if each[":action"] == "/chat")
        assert pages.post("/chat", {"token": token, "text": text}).status == 303
        heard = hostile.ask("/")
        cited += heard.body.count(b"<strong>")
        faults += [f"{text}: {each}" for each in hostile.faults("/" + text, heard)]
    assert faults == []
    assert cited > 40


def test_the_secret_word_is_there_to_be_hidden(hostile: Hostile) -> None:
    assert PRIVATE in (hostile.root / "people/vera.md").read_text().lower()
    assert hostile.ask(note_target("people/anna.md")).status == 200
