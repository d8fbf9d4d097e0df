"""The last changes: each is told with its notes and its time, and undone with one click where it can be."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from aurelius.api import update
from aurelius.vault import Vault
from tests.aurelius.web.test_actions import FILES, J, agreed, env, notes, root, send
from tests.conftest import TODAY
from tests.pages import PageResponse, Pages, served

__all__ = ["env", "root"]


@pytest.fixture
def pages(root: Path, env: dict[str, str]) -> Iterator[Pages]:
    with served(root, env, now=TODAY) as found:
        yield found


def row(page: PageResponse, words: str) -> PageResponse:
    """The part of a list that has these words."""
    rows = re.findall(r"(?s)<li><div class=\"row\">.*?</li>", page.text)
    return PageResponse(
        200, {}, next(each for each in rows if words in PageResponse(200, {}, each).words)
    )


def pin(pages: Pages, fact: str) -> None:
    assert agreed(pages, send(pages, "pin", fact=fact), "pin").status == 303


@pytest.mark.parametrize("address", ["/changes", "/memory"])
def test_a_change_is_undone_from_the_list_long_after_its_page_was_left(
    address: str, pages: Pages, root: Path
) -> None:
    pin(pages, "joe001")
    pin(pages, "me0001")
    found = row(pages.get(address), 'Pinned "Lives in Lisbon" in people/joe.md.')
    assert re.search(r"2026-02-10 \d\d:\d\d · people/joe\.md", found.words)
    done = pages.post("/do/undo", found.form("undo"))
    assert done.headers["location"].startswith(f"{address}?done=")
    assert notes(root)[J] == FILES[J].encode()
    assert b"pinned" in notes(root)["ME.md"]
    again = pages.get(address)
    one = row(again, 'Pinned "Lives')
    assert re.search(r"undone 2026-02-10 \d\d:\d\d Do it again", one.words)
    assert again.text.count('<li><div class="row"><p>Pinned') == 2
    assert "cannot be undone" not in again.words
    pages.post("/do/undo", one.form("undo"))
    assert "pinned" in notes(root)[J].decode().partition("joe001")[0]
    assert "undone 2" not in row(pages.get(address), 'Pinned "Lives').words


def test_what_changed_the_same_note_later_is_undone_first_and_the_list_says_so(
    pages: Pages, root: Path
) -> None:
    pin(pages, "joe001")
    older = row(pages.get("/changes"), "Lives in Lisbon").form("undo")
    found = send(pages, "tick", task=f"{J}:9", line="Call Joe about the boat")
    assert found.status == 303
    page = pages.get("/changes")
    assert "cannot be undone: people/joe.md was changed after that" in row(page, "Lisbon").words
    assert 'action="/do/undo"' not in row(page, "Lisbon").text
    before = notes(root)
    refused = pages.post("/do/undo", older)
    assert refused.status == 409
    assert "people/joe.md was changed after that, so nothing was undone" in refused.words
    assert notes(root) == before
    pages.post("/do/undo", row(page, "Ticked").form("undo"))
    pages.post("/do/undo", row(pages.get("/changes"), "Pinned").form("undo"))
    assert notes(root)[J] == FILES[J].encode()


def test_a_change_of_a_private_note_is_not_listed(
    pages: Pages, root: Path, env: dict[str, str]
) -> None:
    with Vault.find(str(root), env, str(root), now=TODAY) as vault:
        assert update(vault, "sam001", "Other words", private=True).number
    for address in ("/changes", "/memory"):
        assert 'action="/do/undo"' not in pages.get(address).text
    assert "Aurelius changed nothing yet" in pages.get("/changes").words
    pin(pages, "joe001")
    (root / J).write_bytes(b"---\nprivate: true\n---\n" + (root / J).read_bytes())
    for address in ("/changes", "/memory"):
        page = pages.get(address)
        assert page.status == 200
        assert "Lisbon" not in page.words
        assert 'action="/do/undo"' not in page.text


def test_older_changes_are_one_link_away(pages: Pages) -> None:
    assert "Aurelius changed nothing yet" in pages.get("/changes").words
    for number in range(26):
        send(pages, "note", text=f"Line {number}", once=str(number))
    page = pages.get("/changes")
    assert page.text.count('action="/do/undo"') == 25
    assert 'href="/changes?most=200"' in page.text
    assert pages.get("/changes?most=200").text.count('action="/do/undo"') == 26
    assert pages.get("/memory").text.count('action="/do/undo"') == 3


def test_buttons_and_messages_tell_links_as_plain_words_and_whole(pages: Pages, root: Path) -> None:
    task = f"Call [[people/joe|Joe]] about {'a very long story ' * 6}of **boats**"
    (root / "list.md").write_text(f"# List\n\n- [ ] {task}\n")
    told = " ".join(task.replace("[[people/joe|Joe]]", "Joe").replace("**", "").split())
    assert f'Tick<span class="unseen"> “{told}”</span></button>' in pages.get("/tasks").text
    made = send(pages, "tick", task="list.md:3", line=task)
    page = pages.get(made.headers["location"])
    assert "Call Joe about" in page.text.partition("<title>")[2].partition("</title>")[0]
    assert 'Ticked "Call Joe about' in page.words
    assert "[[" not in page.words
