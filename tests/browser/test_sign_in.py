"""How a person gets to the pages: by the address with the code, or by typing it."""

from __future__ import annotations

import re

from playwright.sync_api import expect

from tests.browser.conftest import NO_SCRIPTS, Open
from tests.pages import Pages


def test_the_address_with_the_code_opens_the_pages(site: Pages, opened: Open) -> None:
    page = opened(site, f"/#{site.code()}", signed_in=False)
    expect(page.get_by_role("heading", level=1)).to_have_text("Chat")
    assert "#" not in page.url
    page.go_back()
    assert site.cookie not in page.url


def test_the_code_is_typed_where_no_script_runs(site: Pages, opened: Open) -> None:
    page = opened(site, "/memory", NO_SCRIPTS, signed_in=False)
    page.get_by_label("Code").fill(site.code().upper())
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")


def test_a_wrong_code_is_told_and_another_one_works(site: Pages, opened: Open) -> None:
    page = opened(site, "/#aaaa-bbbb-cccc", signed_in=False)
    expect(page.get_by_role("alert")).to_contain_text("not good")
    assert page.title().startswith("Open the pages")
    page.get_by_label("Code").fill(site.code())
    page.get_by_role("button", name="Open").click()
    expect(page).to_have_url(re.compile("/$"))


def test_whoever_asked_for_a_note_gets_to_that_note(site: Pages, opened: Open) -> None:
    page = opened(site, "/note/people/joe-bloggs.md", signed_in=False)
    page.get_by_label("Code").fill(site.code())
    page.get_by_role("button", name="Open").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Joe Bloggs")
