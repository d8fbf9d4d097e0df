"""Without JavaScript everything works that a person does on the pages: look, change, take back."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import expect

from tests.browser.conftest import NO_SCRIPTS, Open
from tests.pages import Pages

JOE = "people/joe-bloggs.md"


def test_a_fact_is_replaced_and_taken_back(own_site: Pages, own_vault: Path, opened: Open) -> None:
    before = (own_vault / JOE).read_bytes()
    page = opened(own_site, "/fact/k3v9qa", NO_SCRIPTS)
    page.locator("main summary").first.click()
    form = page.locator("form[action='/do/supersede']").first
    form.locator("input[name=text]").fill("Lives in Oslo")
    form.get_by_role("button").click()
    expect(page.locator(".diff")).to_contain_text("added: +- Lives in Oslo")
    assert (own_vault / JOE).read_bytes() == before
    page.get_by_role("button", name="Replace it").click()
    expect(page.locator(".done")).to_contain_text("Lives in Oslo")
    assert b"Lives in Oslo" in (own_vault / JOE).read_bytes()
    page.locator(".done").get_by_role("button").click()
    expect(page.locator(".done")).to_contain_text("Undone")
    assert (own_vault / JOE).read_bytes() == before


def test_a_line_is_added_and_a_task_ticked(own_site: Pages, own_vault: Path, opened: Open) -> None:
    page = opened(own_site, "/memory", NO_SCRIPTS)
    page.locator("form[action='/do/note'] input[name=text]").fill("- [ ] Paint the hull")
    page.locator("form[action='/do/note']").get_by_role("button").click()
    expect(page.locator(".done")).to_be_visible()
    page.goto(f"{own_site.url}/tasks")
    page.locator("li", has_text="Paint the hull").get_by_role("button").click()
    expect(page.locator(".done")).to_be_visible()
    day = next(own_vault.rglob("2026-02-10.md")).read_text("utf-8")
    assert "[x] Paint the hull" in day


def test_a_note_is_renamed_by_keys_alone(own_site: Pages, own_vault: Path, opened: Open) -> None:
    page = opened(own_site, f"/note/{JOE}", NO_SCRIPTS)
    page.locator("main summary").first.focus()
    page.keyboard.press("Enter")
    field = page.locator("form[action='/do/rename'] input[name=destination]")
    field.focus()
    field.fill("people/joseph.md")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Rename it").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Joe Bloggs")
    assert page.url.partition("?")[0].endswith("/note/people/joseph.md")
    assert (own_vault / "people/joseph.md").exists()
    assert not (own_vault / JOE).exists()
