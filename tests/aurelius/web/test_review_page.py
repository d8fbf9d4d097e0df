"""The page of proposals on real files: what it shows, and what a person decides there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from aurelius.memory import apart, known
from tests.aurelius.web.test_actions import agreed, env, notes, undone
from tests.conftest import TODAY
from tests.pages import PageResponse, Pages, served

__all__ = ["env"]

FILES = {
    "people/ann.md": "# Ann Lee\n\n## Facts\n\n- Lives in Rome (2025-01-05) ^ann001\n"
    "- Lives in Porto now (2026-01-05) ^ann002\n- Plays <b>chess</b> (2026-01-02)\n",
    "people/joe-bloggs.md": "# Joe Bloggs\n\n## Facts\n\n- Works at Initech (2025-01-05)\n",
    "people/joe-doe.md": "# Joe Doe\n\n## Facts\n\n- Works at Hooli (2025-01-05)\n",
    "memory/2026-02-01.md": "# 2026-02-01\n\n- Joe moved to Lisbon\n- Ann Lee plays the oboe\n",
    "people/sam.md": "---\nprivate: true\n---\n# Sam\n\n## Facts\n\n- Lives in Rome (2025-01-05)"
    " ^sam001\n- Lives in Bari now (2026-01-05) ^sam002\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "vault"
    (root / ".aurelius").mkdir(parents=True)
    (root / ".aurelius" / "config.toml").write_text("")
    for path, text in FILES.items():
        (root / path).parent.mkdir(exist_ok=True)
        (root / path).write_bytes(text.encode())
    return root


@pytest.fixture
def pages(root: Path, env: dict[str, str]) -> Iterator[Pages]:
    with served(root, env, now=TODAY) as found:
        yield found


def review(pages: Pages, query: str = "") -> PageResponse:
    """The page once all is found."""
    pages.get("/review")
    looking = known._KEEPERS[pages.host.live]._looking
    if looking:
        looking.join(30)
    return pages.get(f"/review{query}")


def test_a_search_that_fails_says_why_and_is_not_waited_for(
    pages: Pages, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "FEW_NOTES", 0)
    monkeypatch.setattr(apart, "CODE", "import os; os._exit(3)")
    page = review(pages)
    why = "Looking for proposals failed: its process ended with exit code 3. Look again"
    assert why in page.words
    assert "data-unfinished" not in page.text
    assert "Nothing waits" not in page.words


def proposal(page: PageResponse, words: str) -> PageResponse:
    """The part of the page with the one proposal that has these words."""
    parts = re.findall(r"(?s)<li>\n<h3>.*?\n</li>", page.text)
    [found] = [part for part in parts if words in PageResponse(200, {}, part).words]
    return PageResponse(200, {}, found)


def test_a_proposal_has_its_lines_with_their_days_and_places_and_why(pages: Pages) -> None:
    page = review(pages)
    assert page.status == 200
    shown = proposal(page, "Lives in Rome")
    assert "Newer Lives in Porto now 2026-01-05 · people/ann.md:6" in shown.words
    assert "Older Lives in Rome 2025-01-05 · people/ann.md:5" in shown.words
    assert "may replace the older" in shown.words
    assert "Accept: strikes out the older line and keeps it as history." in shown.words
    assert "/note/people/ann.md#line-5" in shown.text
    assert "checked" not in page.text
    assert "selected" not in page.text
    assert "<b>chess" not in page.text


def test_nothing_of_a_private_note_is_proposed(pages: Pages) -> None:
    page = review(pages)
    assert "Bari" not in page.text
    assert "sam" not in page.text


def test_a_proposal_is_accepted_after_its_diff_and_taken_back(pages: Pages, root: Path) -> None:
    before = notes(root)
    form = proposal(review(pages), "Lives in Rome").form("accept")
    shown = pages.post("/do/accept", form)
    assert "~~Lives in Rome" in shown.words
    assert notes(root) == before
    made = agreed(pages, shown, "accept")
    assert made.headers["location"].startswith("/review?done=")
    after = notes(root)
    assert b"## History" in after["people/ann.md"]
    assert {path for path in after if after[path] != before[path]} == {"people/ann.md"}
    assert agreed(pages, shown, "accept").headers["location"] == made.headers["location"]
    assert notes(root) == after
    assert "Lives in Rome" not in review(pages).words
    undone(pages, made)
    assert notes(root) == before
    assert "Lives in Rome" in review(pages).words


def test_a_proposal_whose_notes_changed_meanwhile_is_not_accepted(pages: Pages, root: Path) -> None:
    form = proposal(review(pages), "Lives in Rome").form("accept")
    shown = pages.post("/do/accept", form)
    note = root / "people/ann.md"
    note.write_text(note.read_text().replace("Rome", "Bari"))
    before = notes(root)
    assert agreed(pages, shown, "accept").status in {400, 409}
    assert notes(root) == before
    review(pages)
    assert agreed(pages, shown, "accept").status in {400, 409}
    assert notes(root) == before


def test_which_page_a_line_is_about_is_said_with_a_button(pages: Pages, root: Path) -> None:
    before = notes(root)
    asked = proposal(review(pages), "Joe moved to Lisbon")
    assert "Which page is it about?" in asked.words
    forms = re.findall(r"(?s)<form.*?</form>", asked.text)
    pages_told = [PageResponse(200, {}, each) for each in forms if "/do/accept" in each]
    assert [each.form("accept")["page"] for each in pages_told] == [
        "people/joe-bloggs.md",
        "people/joe-doe.md",
    ]
    wrong = pages_told[1].form("accept") | {"page": "people/ann.md"}
    assert "Nobody asked whether this is about" in pages.post("/do/accept", wrong).words
    shown = pages.post("/do/accept", pages_told[1].form("accept"))
    made = agreed(pages, shown, "accept")
    after = notes(root)
    assert b"Lisbon" in after["people/joe-doe.md"]
    assert {path for path in after if after[path] != before[path]} == {"people/joe-doe.md"}
    assert "Joe moved to Lisbon" not in review(pages).words
    undone(pages, made)
    assert notes(root) == before


def test_what_is_dismissed_changes_no_note_and_is_taken_back_with_a_form(
    pages: Pages, root: Path
) -> None:
    before = notes(root)
    made = pages.post("/do/dismiss", proposal(review(pages), "Lives in Rome").form("dismiss"))
    told = pages.get(made.headers["location"])
    assert re.search("Dismissed “[^”]*Lives in Rome[^”]*”: it is not proposed again", told.words)
    assert told.words.count("Lives in Rome") == 1
    gone = review(pages, "?dismissed=1")
    assert "Lives in Rome" in proposal(gone, "Lives in Rome").words
    assert notes(root) == before
    back = pages.post("/do/restore", told.form("restore"))
    assert back.status == 303
    assert "Lives in Rome" in review(pages).words


def test_a_dismissed_one_is_restored_from_its_list(root: Path, env: Mapping[str, str]) -> None:
    with served(root, env) as pages:
        pages.post("/do/dismiss", proposal(review(pages), "Lives in Rome").form("dismiss"))
        form = proposal(review(pages, "?dismissed=1"), "Lives in Rome").form("restore")
        assert form["back"] == "/review?dismissed=1"
        assert pages.post("/do/restore", form).status == 303
        assert "Lives in Rome" in review(pages).words
        assert "Nothing was dismissed." in review(pages, "?dismissed=1").words


def test_a_command_does_not_undo_something_else_after_a_dismissal(
    pages: Pages, root: Path, env: Mapping[str, str]
) -> None:
    from aurelius.api import undo
    from aurelius.vault import Vault
    from indexer.errors import UsageError

    pages.post("/do/dismiss", proposal(review(pages), "Lives in Rome").form("dismiss"))
    with (
        Vault.find(str(root), env, str(root), now=TODAY) as vault,
        pytest.raises(UsageError, match="review dismiss"),
    ):
        undo(vault)


def test_all_that_is_plain_is_accepted_as_one_change(pages: Pages, root: Path) -> None:
    joe = root / "people/joe-doe.md"
    joe.write_text(joe.read_text() + "- Works at Initech now (2026-02-02)\n")
    before = notes(root)
    page = review(pages)
    assert "Look at all that are plain" in page.words
    shown = pages.post("/do/accept-plain", page.form("accept-plain"))
    assert "2 of 2 plain proposals are accepted with this." in shown.words
    made = agreed(pages, shown, "accept-plain")
    after = notes(root)
    assert b"~~Lives in Rome" in after["people/ann.md"]
    assert b"~~Works at Hooli" in after["people/joe-doe.md"]
    assert "Joe moved to Lisbon" in review(pages).words
    undone(pages, made)
    assert notes(root) == before


def test_what_is_left_of_all_that_is_plain_is_told_before_one_agrees(
    pages: Pages, root: Path
) -> None:
    joe = root / "people/joe-doe.md"
    joe.write_text(joe.read_text() + "- Works at Initech now (2026-02-02)\n")
    os.link(joe, root.parent / "the same.md")  # which is not written through
    shown = pages.post("/do/accept-plain", review(pages).form("accept-plain"))
    above = shown.words.partition("This would change one note")[0]
    assert "1 of 2 plain proposals is accepted with this. What is left" in above
    assert re.search("Not accepted: Works at Initech now / Works at Hooli: .*link", above)
    made = agreed(pages, shown, "accept-plain")
    told = pages.get(made.headers["location"]).words
    assert "Accepted 1 proposal in people/ann.md." in told
    assert b"~~Works at Hooli" not in joe.read_bytes()


def test_proposals_come_in_parts_of_twenty(root: Path, env: Mapping[str, str]) -> None:
    for number in range(45):
        name = f"people/p{number:02}.md"
        (root / name).write_text(
            f"# P{number:02} Smith\n\n## Facts\n\n- Lives in Rome (2025-01-05)\n"
            "- Lives in Porto now (2026-01-05)\n"
        )
    with served(root, env, now=TODAY) as pages:
        page = review(pages)
        assert page.text.count('action="/do/dismiss"') == 20
        assert len(page.text) < 100_000
        assert "/review?part=2" in page.text or 'href="?part=2"' in page.text
        last = review(pages, "?part=3")
        assert 0 < last.text.count('action="/do/dismiss"') <= 20


def test_a_vault_without_proposals_says_so(tmp_path: Path, env: Mapping[str, str]) -> None:
    root = tmp_path / "empty"
    (root / ".aurelius").mkdir(parents=True)
    with served(root, env, now=TODAY) as pages:
        assert "Nothing waits for you." in review(pages).words
