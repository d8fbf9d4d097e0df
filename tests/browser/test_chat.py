"""The chat in a browser: ask, follow a line, go back, correct it, see it on its page, take it back; with scripts, without
and by keys alone; what is heard is heard once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from aurelius.chat.talk import REPLY_TOLD, TalkReply, TalkTurn
from aurelius.web import saying
from tests.browser.axe import violations
from tests.browser.conftest import NO_SCRIPTS, WIDE, Look, Open
from tests.browser.test_access import LOOKS, TOO_WIDE, set_look
from tests.pages import Pages

if TYPE_CHECKING:
    from playwright.sync_api import Locator, Page

BOAT = "projects/boat.md"
ASKED = "What is the mast made of?"


def say(page: Page, text: str) -> Locator:
    """Say a line by keys; its turn."""
    known = page.locator("#talk > li").count()
    field = page.get_by_label("Ask your notes")
    field.fill(text)
    field.press("Enter")
    turn = page.locator("#talk > li").nth(known)
    expect(turn.locator(".answer")).to_be_visible()
    return turn


@pytest.mark.parametrize("look", [WIDE, NO_SCRIPTS, Look(320)])
def test_ask_follow_go_back_correct_see_undo(
    look: Look, own_site: Pages, own_vault: Path, opened: Open
) -> None:
    before = (own_vault / BOAT).read_bytes()
    page = opened(own_site, "/", look)
    turn = say(page, ASKED)
    expect(turn).to_contain_text("The mast is of spruce")
    turn.get_by_role("link", name="The boat").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The boat")
    assert "#line-" in page.url
    page.go_back()
    expect(page.locator("#talk > li").first).to_contain_text("The mast is of spruce")
    turn = say(page, "no, the mast is of pine")
    expect(turn.locator(".diff")).to_contain_text("The mast is of pine")
    assert (own_vault / BOAT).read_bytes() == before
    turn.get_by_role("button", name="Yes, write it").click()
    expect(page.locator("#talk > li").last).to_contain_text("Undo")
    assert "The mast is of pine" in (own_vault / BOAT).read_text()
    expect(page.locator("#talk > li").first).to_contain_text("replaced since")
    page.goto(f"{own_site.url}/note/{BOAT}")
    expect(page.locator("main")).to_contain_text("The mast is of pine")
    page.go_back()
    page.locator("#talk > li").last.get_by_role("button", name="Undo").click()
    expect(page.locator("#talk > li").last).to_contain_text("Undone")
    assert (own_vault / BOAT).read_bytes() == before


def test_keys_alone_are_enough(own_site: Pages, own_vault: Path, opened: Open) -> None:
    page = opened(own_site, "/")
    expect(page.get_by_label("Ask your notes")).to_be_focused()
    page.keyboard.type(ASKED)
    page.keyboard.press("Enter")
    expect(page.locator("#talk > li .answer")).to_contain_text("spruce")
    expect(page.get_by_label("Ask your notes")).to_be_focused()
    page.keyboard.type("no, the mast is of pine")
    page.keyboard.press("Enter")
    yes = page.get_by_role("button", name="Yes, write it")
    expect(yes).to_be_visible()
    for _ in range(12):
        page.keyboard.press("Shift+Tab")
        if yes.evaluate("each => each === document.activeElement"):
            break
    page.keyboard.press("Enter")
    expect(page.locator("#talk > li").last).to_contain_text("Undo")
    assert "The mast is of pine" in (own_vault / BOAT).read_text()
    expect(page.locator("#talk > li").last).to_be_focused()  # reading goes on there


HEARD = """() => {
    window.changes = [];
    for (const each of document.querySelectorAll("[role=status], [role=log], [role=alert], [aria-live]"))
        new MutationObserver(() => changes.push(each.textContent)).observe(each, {childList: true, characterData: true, subtree: true});
}"""


def test_the_finished_answer_is_heard_once_and_the_focus_stays(
    own_site: Pages, opened: Open
) -> None:
    page = opened(own_site, "/")
    say(page, ASKED)
    expect(page.locator("#heard")).to_contain_text("The mast is of spruce")
    page.evaluate(HEARD)
    say(page, "And the hull?")
    expect(page.locator("#heard")).to_contain_text("larch")
    page.wait_for_timeout(500)
    heard = [each for each in page.evaluate("window.changes") if each]
    assert len(heard) == 1
    assert "larch" in heard[0]
    assert ASKED not in heard[0]
    expect(page.get_by_label("Ask your notes")).to_be_focused()
    assert page.locator("#talk").evaluate("each => each.closest('[aria-live], [role=log]')") is None


def test_escape_stops_an_answer(
    own_site: Pages, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = threading.Event()
    go_on = threading.Event()

    def answer(*_: object) -> Iterator[TalkReply]:
        asked.set()
        assert go_on.wait(20)
        yield TalkReply(REPLY_TOLD, "Too late")

    monkeypatch.setattr(saying, "replies", answer)
    page = opened(own_site, "/")
    field = page.get_by_label("Ask your notes")
    field.fill(ASKED)
    field.press("Enter")
    assert asked.wait(10)
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#talk > li")).to_have_count(0)
    expect(field).to_be_focused()
    expect(field).to_have_value(ASKED)
    expect(page.locator("#heard")).to_have_text("Stopped.")
    page.wait_for_timeout(300)
    go_on.set()
    page.wait_for_timeout(300)
    page.reload()
    expect(page.locator("#talk > li")).to_have_count(0)


def test_an_answer_is_shown_as_it_grows(
    own_site: Pages, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def grow(sent: saying.SaidForm, *_: object) -> Iterator[TalkTurn]:
        yield TalkTurn(sent.text, TalkReply(REPLY_TOLD, "The first sentence."))
        assert go_on.wait(20)
        yield TalkTurn(sent.text, TalkReply(REPLY_TOLD, "The first sentence. The second."))

    monkeypatch.setattr(saying, "_turns", grow)
    page = opened(own_site, "/")
    turn = say(page, ASKED)
    expect(turn).to_contain_text("The first sentence.")
    expect(page.locator("#heard")).to_have_text("")
    go_on.set()
    expect(turn).to_contain_text("The second.")
    expect(page.locator("#heard")).to_have_text("The first sentence. The second.")


def test_a_typed_yes_writes_what_is_shown(own_site: Pages, own_vault: Path, opened: Open) -> None:
    page = opened(own_site, "/")
    say(page, "Note: the sail is of linen")
    page.get_by_label("Ask your notes").fill("yes")
    page.keyboard.press("Enter")
    expect(page.locator("#talk > li").last).to_contain_text("Undo")
    assert "the sail is of linen" in next(own_vault.rglob("2026-02-10.md")).read_text()
    expect(page.locator("#talk > li")).to_have_count(1)


def test_a_line_that_changes_while_it_is_shown_says_so_by_itself(
    own_site: Pages, own_vault: Path, opened: Open
) -> None:
    page = opened(own_site, "/")
    turn = say(page, ASKED)
    text = (own_vault / BOAT).read_text()
    (own_vault / BOAT).write_text(text.replace("The mast is of spruce", "The mast is of fir"))
    expect(turn).to_contain_text("This line has changed since, to “The mast is of fir”")


def test_axe_finds_nothing_in_a_conversation_and_it_fits(own_site: Pages, opened: Open) -> None:
    page = opened(own_site, "/")
    found = [*_faults(page, "empty")]
    say(page, ASKED)
    page.locator("main summary").first.click()
    found += _faults(page, "an answer")
    say(page, "What is the colour of the moon?")
    say(page, "and Joe?")
    found += _faults(page, "nothing found, and something carried")
    say(page, "Note: the sail is of linen")
    found += _faults(page, "a change")
    say(page, ASKED)
    say(page, "no, the mast is of pine")
    page.locator(".offer summary").last.click()
    found += _faults(page, "a change of a line")
    say(page, "what waits")
    found += _faults(page, "what waits")
    assert found == []


def _faults(page: Page, what: str) -> Iterator[str]:
    for look in LOOKS:
        set_look(page, look)
        yield from (f"{what} {look}: {each}" for each in violations(page))
        if page.evaluate(TOO_WIDE) > 0:
            yield f"{what} {look}: too wide"
    set_look(page, WIDE)


def test_it_opens_at_what_was_said_last_and_goes_back_to_where_one_was(
    own_site: Pages, opened: Open
) -> None:
    page = opened(own_site, "/")
    for each in (ASKED, "And the hull?", "Where does Joe live?", "What waits?", ASKED):
        say(page, each)
    last = page.locator("#talk > li").last
    page.evaluate("scrollTo(0, 200)")
    page.reload()
    expect(last.locator(".mine")).to_be_in_viewport()
    expect(page.get_by_label("Ask your notes")).to_be_focused()
    page.evaluate("scrollTo(0, 200)")
    page.locator("#talk > li").first.get_by_role("link", name="The boat").first.click()
    expect(page.get_by_role("heading", level=1)).to_have_text("The boat")
    page.go_back()
    expect(page.locator("#talk > li").first).to_be_in_viewport()


def test_what_is_too_long_stays_in_the_field_with_a_message(own_site: Pages, opened: Open) -> None:
    for look in (WIDE, NO_SCRIPTS):
        page = opened(own_site, "/", look)
        field = page.get_by_label("Ask your notes")
        field.fill("x" * 2001)
        field.press("Enter")
        page.wait_for_timeout(300)
        expect(page.locator("#talk > li")).to_have_count(0)
        expect(field).to_have_value("x" * 2001)
        expect(page.locator("#text:invalid[title='At most 2,000 letters']")).to_have_count(1)


def test_the_first_page_has_questions_to_begin_with(own_site: Pages, opened: Open) -> None:
    page = opened(own_site, "/")
    page.get_by_role("button", name="Which tasks are open?").click()
    expect(page.locator("#talk > li .mine")).to_have_text("Which tasks are open?")
    expect(page.get_by_role("button", name="Which tasks are open?")).to_be_hidden()
