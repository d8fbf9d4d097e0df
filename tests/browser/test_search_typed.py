"""The search while it is typed, and a check that is shown when it is done."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import expect

from aurelius.web import kept_check
from tests.browser.conftest import NO_SCRIPTS, Open
from tests.pages import Pages


def test_hits_show_while_one_types_and_the_focus_stays(site: Pages, opened: Open) -> None:
    page = opened(site, "/memory/search")
    field = page.get_by_label("Words or a question")
    field.press_sequentially("joe blog", delay=30)
    expect(page.locator(".hits h2").first).to_contain_text("Joe Bloggs")
    expect(field).to_be_focused()
    field.press_sequentially("gs")
    expect(page.locator("#found")).to_have_text(re.compile(r"results?"))
    expect(field).to_have_value("joe bloggs")
    expect(page).to_have_url(re.compile(r"\?q=joe\+bloggs$"))
    expect(page).to_have_title(re.compile("joe bloggs"))


def test_what_is_typed_wrong_is_told_beside_the_field(site: Pages, opened: Open) -> None:
    page = opened(site, "/memory/search?q=joe")
    page.get_by_label("From", exact=True).fill("blah")
    told = page.locator("#wrong")
    expect(told).to_contain_text("is not a date")
    expect(page.get_by_label("From", exact=True)).to_have_value("blah")
    page.get_by_label("From", exact=True).fill("")
    expect(told).to_have_count(0)
    expect(page.locator(".hits li").first).to_be_visible()


def test_a_filter_chooses_at_once_and_opened_filters_stay_open(site: Pages, opened: Open) -> None:
    page = opened(site, "/memory/search?q=joe")
    page.get_by_text("More filters").click()
    page.get_by_label("Kind of note").select_option("person")
    expect(page).to_have_url(re.compile("kind=person"))
    expect(page.get_by_label("Compare")).to_be_visible()


def test_without_scripts_the_form_is_sent(site: Pages, opened: Open) -> None:
    page = opened(site, "/memory/search", NO_SCRIPTS)
    page.get_by_label("Words or a question").fill("joe")
    page.get_by_role("search", name="With filters").get_by_role("button").click()
    expect(page.locator(".hits li").first).to_be_visible()


def test_findings_show_when_the_check_is_done(
    site: Pages, opened: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_check, "SECONDS_FOR_CHECK", 0.0)
    page = opened(site, "/health")
    expect(page.locator(".verdict")).to_contain_text("checked")
    expect(page.locator("[data-unfinished]")).to_have_count(0)


def test_whoever_types_slowly_is_told_how_many_there_are_once_and_not_after_each_letter(
    site: Pages, opened: Open
) -> None:
    page = opened(site, "/memory/search")
    page.evaluate(
        """() => {
            window.told = [];
            const told = document.getElementById("told");
            const heard = () => window.told.push(told.textContent);
            new MutationObserver(heard).observe(told, { childList: true, characterData: true, subtree: true });
        }"""
    )
    page.locator("#q").press_sequentially("conf", delay=1700)
    page.wait_for_timeout(1000)
    assert page.evaluate("window.told") == []
    page.wait_for_timeout(4000)
    assert len(set(page.evaluate("window.told"))) == 1


def test_how_many_there_are_stands_right_above_the_hits_at_once(site: Pages, opened: Open) -> None:
    page = opened(site, "/memory/search?q=joe")
    expect(page.locator("#found")).to_have_text(re.compile("[1-9]"))
    page.locator("#q").press_sequentially("xqzw", delay=30)
    expect(page.locator("#found")).to_have_text("0 results", timeout=1000)
    assert page.locator("#told").inner_text() == ""
