"""Changing and taking back by keys alone and without scripts, and what axe says of those pages."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.axe import violations
from tests.browser.conftest import NO_SCRIPTS, WIDE, Look, Open
from tests.pages import Pages

JOE = "people/joe-bloggs.md"


def correct(page: Page, words: str) -> None:
    """Correct the fact of the page, by keys alone."""
    page.locator("main summary").first.focus()
    page.keyboard.press("Enter")
    field = page.get_by_role("group", name="It was wrong").get_by_label("What is true instead")
    field.focus()
    page.keyboard.type(words)
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Correct it").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".done")).to_contain_text(f'to "{words}"')


@pytest.mark.parametrize("look", [WIDE, NO_SCRIPTS, Look(width=320)])
def test_a_wrong_fact_is_corrected_and_taken_back_days_later_from_the_overview(
    look: Look, own_site: Pages, own_vault: Path, opened: Open
) -> None:
    before = (own_vault / JOE).read_bytes()
    page = opened(own_site, "/fact/k3v9qa", look)
    correct(page, "Lives in Oslo")
    assert b"~~Lives in Los Angeles~~ (2026-02-01" in (own_vault / JOE).read_bytes()
    page.goto(f"{own_site.url}/memory")
    page.get_by_role("link", name="All that can be undone").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1, name="Last changes").wait_for()
    if look.javascript:
        assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= look.width
    page.get_by_role("button", name='Undo “Corrected "Lives').focus()
    page.keyboard.press("Enter")
    expect(page.locator(".done")).to_contain_text('Undone: corrected "Lives in Los Angeles"')
    assert (own_vault / JOE).read_bytes() == before


def test_each_form_of_a_fact_is_in_a_group_that_has_its_words(site: Pages, opened: Open) -> None:
    page = opened(site, f"/note/{JOE}")
    page.get_by_text("Change this fact: Lives in Los Angeles").first.click()
    group = page.get_by_role("group", name="“Lives in Los Angeles”")
    for way in ("It changed", "It was wrong", "Only the words"):
        expect(group.get_by_role("group", name=way)).to_be_visible()
    assert violations(page) == []


def test_axe_finds_nothing_where_a_change_is_refused(site: Pages, opened: Open) -> None:
    page = opened(site, "/fact/hull01")
    page.locator("main summary").first.click()
    form = page.locator("form[action='/do/supersede']").first
    form.locator("input[name=text]").fill("The hull is of oak")
    form.locator("input[name=date]").fill("1999-01-01")
    form.get_by_role("button").click()
    expect(page.get_by_role("alert")).to_contain_text("later than 1999-01-01")
    assert violations(page) == []
    page.get_by_role("link", name="Leave it as it is").click()
    expect(page.locator("main summary").first).to_be_visible()
