"""The Back button: a page that shows a change is there again, and nothing asks to send a form twice."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import NO_SCRIPTS, WIDE, Look, Open
from tests.pages import Pages

JOE = "people/joe-bloggs.md"


@pytest.mark.parametrize("look", [WIDE, NO_SCRIPTS])
def test_one_goes_back_to_a_change_that_is_shown_and_on_from_there(
    look: Look, own_site: Pages, own_vault: Path, opened: Open
) -> None:
    before = (own_vault / JOE).read_bytes()
    page = opened(own_site, "/fact/k3v9qa", look)
    page.locator("main summary").first.click()
    form = page.locator("form[action='/do/supersede']").first
    form.locator("input[name=text]").fill("Lives in Oslo")
    form.get_by_role("button").click()
    expect(page.locator(".diff")).to_contain_text("Lives in Oslo")
    page.get_by_role("link", name="Leave it as it is").click()
    page.go_back()
    expect(page.locator(".diff")).to_contain_text("Lives in Oslo")
    assert (own_vault / JOE).read_bytes() == before
    page.get_by_role("button", name="Replace it").click()
    expect(page.locator(".done")).to_contain_text("Lives in Oslo")
    page.go_back()  # it is done: the page says so, and takes it back
    expect(page.locator(".done")).to_contain_text("Lives in Oslo")
    page.locator(".done").get_by_role("button").click()
    expect(page.locator(".done")).to_contain_text("Undone")
    assert (own_vault / JOE).read_bytes() == before


def test_one_goes_back_to_what_was_refused(own_site: Pages, opened: Open) -> None:
    page = opened(own_site, "/memory")
    field = page.locator("form[action='/do/note'] input[name=text]")
    field.fill("key sk-" + "a1B2" * 12)
    field.press("Enter")
    page.get_by_role("alert").wait_for()
    page.get_by_role("link", name="Review").click()
    page.go_back()
    page.get_by_role("alert").wait_for()
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Overview")
