"""A page that is open follows the files, and nothing of what somebody does there is lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from playwright.sync_api import expect

from tests.browser.conftest import Open, plain_env
from tests.conftest import TODAY
from tests.pages import Pages, served

if TYPE_CHECKING:
    from playwright.sync_api import Page

JOE = "people/joe-bloggs.md"
SELECTED = "getSelection().toString()"


def save(vault: Path, old: str, new: str, path: str = JOE) -> None:
    """Change a note as an editor does, in its place."""
    text = (vault / path).read_text("utf-8")
    assert old in text
    (vault / path).write_text(text.replace(old, new), "utf-8")


def test_what_is_saved_is_shown(own_site: Pages, own_vault: Path, opened: Open) -> None:
    page = opened(own_site, f"/note/{JOE}")
    for number in range(3):
        save(own_vault, "Lives in Los Angeles", f"Lives in Lyon{number} (once in Los Angeles)")
        expect(page.get_by_text(f"Lives in Lyon{number}").first).to_be_visible()
        save(own_vault, f"Lives in Lyon{number} (once in Los Angeles)", "Lives in Los Angeles")
        expect(page.get_by_text(f"Lives in Lyon{number}")).to_have_count(0)


def test_what_somebody_does_is_kept_when_the_page_changes(
    own_site: Pages, own_vault: Path, opened: Open
) -> None:
    page = opened(own_site, "/fact/k3v9qa")
    page.locator("main summary").first.click()
    field = page.locator("form[action='/do/supersede'] input[name=text]").first
    field.fill("Lives in Oslo now")
    field.evaluate("each => each.setSelectionRange(9, 13)")
    page.set_viewport_size({"width": 500, "height": 200})
    field.scroll_into_view_if_needed()
    before = page.evaluate("scrollY")
    save(own_vault, "Lives in Los Angeles (2026-02-01) ^k3v9qa", "Lives in LA (2026-02-01) ^k3v9qa")
    expect(page.get_by_text("Lives in LA").first).to_be_visible()
    assert field.input_value() == "Lives in Oslo now"
    assert field.evaluate("each => each === document.activeElement")
    assert field.evaluate("each => [each.selectionStart, each.selectionEnd]") == [9, 13]
    assert abs(page.evaluate("scrollY") - before) < 2


def test_what_is_marked_stays_marked(own_site: Pages, own_vault: Path, opened: Open) -> None:
    page = opened(own_site, f"/note/{JOE}")
    marked = page.get_by_text("Drinks tea").first
    marked.evaluate("each => getSelection().selectAllChildren(each)")
    words = page.evaluate(SELECTED)
    assert "Drinks tea" in words
    save(own_vault, "Lives in Los Angeles", "Lives in Lyon")
    expect(page.get_by_text("Lives in Lyon").first).to_be_visible()
    assert page.evaluate(SELECTED) == words


def test_what_is_unfolded_stays_unfolded(own_site: Pages, own_vault: Path, opened: Open) -> None:
    page = opened(own_site, f"/note/{JOE}")
    page.evaluate(
        """() => { for (const each of document.querySelectorAll("details")) each.open = !each.open; }"""
    )
    count = page.evaluate("document.querySelectorAll('details').length")
    state = "[...document.querySelectorAll('details')].map(each => each.open)"
    before = page.evaluate(state)
    save(own_vault, "Lives in Los Angeles", "Lives in Lyon")
    expect(page.get_by_text("Lives in Lyon").first).to_be_visible()
    assert page.evaluate(state) == before
    assert len(before) == count


def test_two_windows_follow_the_same_file(own_site: Pages, own_vault: Path, opened: Open) -> None:
    one = opened(own_site, f"/note/{JOE}")
    other = one.context.new_page()
    other.goto(f"{own_site.url}/fact/k3v9qa")
    save(own_vault, "Lives in Los Angeles", "Lives in Lyon")
    for page in (one, other):
        expect(page.get_by_text("Lives in Lyon").first).to_be_visible()


def test_more_windows_than_a_browser_has_connections_do_not_block_each_other(
    own_site: Pages, own_vault: Path, opened: Open
) -> None:
    first = opened(own_site)
    windows = [first, *(first.context.new_page() for _ in range(8))]
    for each in windows:
        each.bring_to_front()
        each.goto(f"{own_site.url}/note/{JOE}")
        expect(each.get_by_role("heading", level=1)).to_have_text("Joe Bloggs")
    save(own_vault, "Lives in Los Angeles", "Lives in Lyon")
    windows[-1].goto(f"{own_site.url}/note/{JOE}")
    expect(windows[-1].get_by_text("Lives in Lyon").first).to_be_visible()


def test_a_hidden_window_asks_for_nothing_and_is_new_when_it_is_seen_again(
    own_site: Pages, own_vault: Path, opened: Open
) -> None:
    page = opened(own_site, f"/note/{JOE}")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.reload()
    page.wait_for_timeout(700)
    assert f"{own_site.url}/live" in asked
    asked.clear()
    with page.expect_event("requestfailed", lambda request: request.url.endswith("/live")):
        _hide(page, hidden=True)
    save(own_vault, "Lives in Los Angeles", "Lives in Lyon")
    page.wait_for_timeout(700)
    assert asked == []
    _hide(page, hidden=False)
    expect(page.get_by_text("Lives in Lyon").first).to_be_visible()


def test_the_next_window_goes_on_where_the_one_that_held_the_stream_is_closed(
    own_site: Pages, own_vault: Path, opened: Open
) -> None:
    one = opened(own_site, f"/note/{JOE}")
    other = one.context.new_page()
    other.goto(f"{own_site.url}/note/{JOE}")
    one.close()
    save(own_vault, "Lives in Los Angeles", "Lives in Lyon")
    expect(other.get_by_text("Lives in Lyon").first).to_be_visible()


def test_a_window_that_was_hidden_while_another_held_the_stream_is_new_when_it_is_seen_again(
    own_site: Pages, own_vault: Path, opened: Open
) -> None:
    one = opened(own_site, f"/note/{JOE}")
    other = one.context.new_page()
    other.goto(f"{own_site.url}/note/{JOE}")
    _hide(other, hidden=True)
    save(own_vault, "Lives in Los Angeles", "Lives in Lyon")
    expect(one.get_by_text("Lives in Lyon").first).to_be_visible()
    expect(other.get_by_text("Lives in Lyon")).to_have_count(0)
    _hide(other, hidden=False)
    expect(other.get_by_text("Lives in Lyon").first).to_be_visible()


def _hide(page: Page, *, hidden: bool) -> None:
    """Make a page believe that its window is behind another: without a screen none is."""
    page.evaluate(
        """hidden => {
            Object.defineProperty(document, "hidden", {value: hidden, configurable: true});
            document.dispatchEvent(new Event("visibilitychange"));
        }""",
        hidden,
    )


def test_without_a_daemon_a_page_says_that_it_is_not_live(
    own_vault: Path, tmp_path: Path, opened: Open
) -> None:
    with served(own_vault, plain_env(tmp_path / "other"), now=TODAY) as pages:
        page = opened(pages)
        expect(page.locator("#live")).to_contain_text("Not live")


def test_a_page_says_when_its_server_has_ended(
    own_vault: Path, tmp_path: Path, opened: Open
) -> None:
    with served(own_vault, plain_env(tmp_path / "other"), now=TODAY, watches=True) as pages:
        page = opened(pages)
        expect(page.locator("#live")).to_have_text("This page follows the files.")
    expect(page.locator("#live")).to_contain_text("Not live")
    assert page.get_by_role("heading", level=1).inner_text() == "Overview"


def test_what_is_read_stays_in_its_place_when_lines_come_above_it(
    own_site: Pages, own_vault: Path, opened: Open
) -> None:
    lines = "\n\n".join(f"Paragraph {number} of a long note." for number in range(80))
    (own_vault / "resources/long.md").write_text(f"# Long\n\n{lines}\n\n[[joe-bloggs]]\n", "utf-8")
    own_site.get("/memory")
    page = opened(own_site, "/note/resources/long.md")
    page.evaluate("scrollTo(0, 900)")
    top = "document.elementFromPoint(innerWidth / 2, 300).closest('p').textContent"
    place = "words => [...document.querySelectorAll('p')].find(each => each.textContent === words).getBoundingClientRect().top"
    words = page.evaluate(top)
    before = page.evaluate(place, words)
    more = "\n\n".join(f"New line {number}." for number in range(12))
    save(own_vault, "# Long\n\n", f"# Long\n\n{more}\n\n", "resources/long.md")
    expect(page.get_by_text("New line 11.")).to_have_count(1)
    assert abs(page.evaluate(place, words) - before) < 3


def test_a_link_that_has_the_focus_keeps_it_when_lines_come_above_it(
    own_site: Pages, own_vault: Path, opened: Open
) -> None:
    page = opened(own_site, f"/note/{JOE}")
    link = page.locator("article a").first
    link.focus()
    address = link.get_attribute("href")
    save(own_vault, "## Facts\n", "First words above.\n\n## Facts\n")
    expect(page.get_by_text("First words above.")).to_have_count(1)
    assert page.evaluate("document.activeElement.getAttribute('href')") == address


def test_what_was_typed_into_several_fields_is_kept_when_the_page_changes(
    own_site: Pages, own_vault: Path, opened: Open
) -> None:
    page = opened(own_site, "/note/people/joe-bloggs.md")
    page.locator("#fact-k3v9qa summary").click()
    group = page.get_by_role("group", name="It changed").first
    group.get_by_label("What is true now").fill("Lives in Oslo")
    group.get_by_label("True since").fill("2026-02-09")
    group.get_by_label("Why").fill("a new job")
    save(own_vault, "Drinks tea", "Drinks green tea")
    expect(page.locator("#facts").locator("xpath=ancestor::section")).to_contain_text("green tea")
    expect(group.get_by_label("What is true now")).to_have_value("Lives in Oslo")
    expect(group.get_by_label("True since")).to_have_value("2026-02-09")
