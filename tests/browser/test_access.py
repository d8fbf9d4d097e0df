"""Every page for everybody: axe finds nothing, nothing has to be scrolled sideways, keys are enough."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

import pytest

from tests.browser.axe import violations
from tests.browser.conftest import Look, Open
from tests.crawled import crawl
from tests.pages import Pages

if TYPE_CHECKING:
    from playwright.sync_api import Page

LOOKS = [Look(320), Look(320, dark=True), Look(), Look(dark=True)]
OTHERS = ["/memory/search?q=boat", "/memory/search?q=nothing+of+it", "/no/such/page"]
"""Pages that no link may lead to, and those that show more once they are asked something."""
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SPILLS = """() => [...document.querySelectorAll("main *, header *, footer *")].filter(each => {
    const box = each.getBoundingClientRect();
    return box.width && box.right > innerWidth + 1;
}).slice(0, 3).map(each => each.outerHTML.slice(0, 150))"""


@pytest.fixture(scope="session")
def addresses(site: Pages) -> list[str]:
    """Two addresses of each page, and others."""
    found = crawl(site, most=400).by_page(2)
    return [*dict.fromkeys([*chain.from_iterable(found.values()), *OTHERS])]


def set_look(page: Page, look: Look) -> None:
    """Show a page that is there in another way."""
    page.set_viewport_size({"width": look.width, "height": 800})
    page.emulate_media(color_scheme="dark" if look.dark else "light")


def test_axe_finds_nothing_on_any_page(site: Pages, opened: Open, addresses: list[str]) -> None:
    page = opened(site)
    found = []
    for address in addresses:
        page.goto(site.url + address)
        for look in LOOKS:
            set_look(page, look)
            found += [f"{address} {look}: {each}" for each in violations(page)]
    assert found == []


def test_axe_finds_nothing_on_the_form_for_the_code(site: Pages, opened: Open) -> None:
    page = opened(site, signed_in=False)
    page.get_by_label("Code").fill("wrong")
    page.keyboard.press("Enter")
    page.get_by_role("alert").wait_for()
    for look in LOOKS:
        set_look(page, look)
        assert violations(page) == []


def test_axe_finds_nothing_where_a_change_is_shown(site: Pages, opened: Open) -> None:
    page = opened(site, "/fact/hull01")
    page.locator("main summary").first.click()
    form = page.locator("form[action='/do/supersede']").first
    form.locator("input[name=text]").fill("The hull is of oak")
    form.get_by_role("button").click()
    page.locator(".changed").wait_for()
    for look in LOOKS:
        set_look(page, look)
        assert violations(page) == []


def test_no_page_has_to_be_scrolled_sideways(
    site: Pages, opened: Open, addresses: list[str]
) -> None:
    page = opened(site)
    wide = []
    for address in addresses:
        page.goto(site.url + address)
        for width, size in ((320, "100%"), (640, "200%"), (1280, "200%")):
            page.set_viewport_size({"width": width, "height": 800})
            page.evaluate("size => { document.documentElement.style.fontSize = size }", size)
            more = page.evaluate(TOO_WIDE)
            if more > 0:
                wide.append(f"{address} at {width}, {size}: {more} too wide: {_spilt(page)}")
    assert wide == []


def _spilt(page: Page) -> Any:
    return page.evaluate(SPILLS)


TABBED = """() => [...document.querySelectorAll(
    "a[href], button, input:not([type=hidden]), select, textarea, summary, [tabindex='0'], audio, video"
)].filter(each => each.checkVisibility({visibilityProperty: true}) && !each.disabled && !each.closest("svg a") )
.map((each, at) => (each.dataset.tabbed = at, at))"""
FOCUSED = """() => {
    const now = document.activeElement;
    if (!now || now === document.body) return null;
    const style = getComputedStyle(now);
    const box = now.getBoundingClientRect();
    return {
        at: now.dataset.tabbed ?? now.outerHTML.slice(0, 120),
        seen: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2,
        within: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
        html: now.outerHTML.slice(0, 120),
    };
}"""


def test_the_tab_key_reaches_everything_in_its_order_and_it_is_seen_where_it_is(
    site: Pages, opened: Open, addresses: list[str]
) -> None:
    page = opened(site)
    wrong = []
    for address in addresses:
        page.goto(site.url + address)
        wrong += [f"{address}: {each}" for each in _tabbed_wrong(page)]
    assert wrong == []


def _tabbed_wrong(page: Page, most: int = 80) -> list[str]:
    """Go through a page with the tab key, at most so far, and tell what is out of order or unseen."""
    count = len(page.evaluate(TABBED))
    wrong: list[str] = []
    for at in range(min(count, most)):
        page.keyboard.press("Tab")
        focused = page.evaluate(FOCUSED)
        if focused is None:
            return [*wrong, f"the focus is lost after {at} of {count}"]
        if focused["at"] != str(at):
            return [*wrong, f"{focused['html']} comes as number {at}"]
        if not focused["seen"] or not focused["within"]:
            wrong.append(f"{focused['html']} has the focus unseen")
    return wrong


def test_the_skip_link_leads_past_the_navigation(site: Pages, opened: Open) -> None:
    page = opened(site)
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


def test_tiers_look_different_where_the_system_chooses_the_colours(
    site: Pages, opened: Open
) -> None:
    page = opened(site, "/memory")
    page.emulate_media(forced_colors="active")
    looks = page.evaluate("""() => ["hot", "warm", "cold"].map(name => {
        const dot = getComputedStyle(document.querySelector(`.tier.${name}`), "::before");
        return [
            dot.forcedColorAdjust, dot.backgroundColor, dot.backgroundImage, dot.borderStyle
        ].join();
    })""")
    assert len({*looks}) == 3
    assert all(look.startswith("none,") for look in looks), "or the system fills none of them"
    assert "rgb(0, 0, 0)" in looks[0], "the ink of the system, not our accent"
    assert "dashed" in looks[2]
