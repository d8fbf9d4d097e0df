"""Where things stand and how large they are, in a window as narrow as a phone and in a wide one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.conftest import Look, Open, plain_env
from tests.conftest import TODAY
from tests.pages import Pages, served

TALL = """<svg xmlns="http://www.w3.org/2000/svg" width="900" height="900"><path d="M0,0h900v900z"/></svg>"""
NOTES = {
    "trips.md": "# Trips\n\n| Where | What |\n|---|---|\n"
    f"| [[Kyoto]] | a very long cell with many words {'and_more_of_it' * 4} |\n\nSee ![[heron.svg]].\n",
    "Kyoto.md": "# Kyoto\n\nA town. See [[trips]].\n",
    "heron.svg": TALL,
}


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    place = tmp_path_factory.mktemp("layout")
    for name, text in NOTES.items():
        (place / "vault/.aurelius").mkdir(parents=True, exist_ok=True)
        (place / "vault" / name).write_text(text)
    with served(place / "vault", plain_env(place), now=TODAY) as found:
        yield found


def test_a_short_word_of_a_table_is_not_broken_and_a_wide_one_moves_in_its_own_box(
    pages: Pages, opened: Open
) -> None:
    page = opened(pages, "/note/trips.md", Look(320))
    assert page.locator("td a").evaluate("each => each.getClientRects().length") == 1
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    assert page.locator(".wide").evaluate("each => each.scrollWidth > each.clientWidth")


@pytest.mark.parametrize("look", [Look(320), Look()])
def test_a_picture_in_a_hit_is_small(pages: Pages, opened: Open, look: Look) -> None:
    page = opened(pages, "/memory/search?q=heron", look)
    page.wait_for_load_state("networkidle")
    box = page.locator(".hits img").first.bounding_box()
    assert box
    assert 50 < box["height"] <= 100


def test_a_phone_has_the_list_of_notes_around_without_the_picture(
    pages: Pages, opened: Open
) -> None:
    assert opened(pages, "/note/Kyoto.md").locator(".map").is_visible()
    page = opened(pages, "/note/Kyoto.md", Look(320))
    assert not page.locator(".map").is_visible()
    assert page.locator(".neighbours").is_visible()


@pytest.mark.parametrize("address", ["/tasks", "/memory/people", "/memory/timeline"])
def test_the_fields_of_a_form_stand_on_one_line(pages: Pages, opened: Open, address: str) -> None:
    page = opened(pages, address)
    fields = page.locator("main form.fields :is(input, select, button):visible").all()
    boxes = [each.bounding_box() for each in fields]
    middles = [box["y"] + box["height"] / 2 for box in boxes if box]
    assert len(middles) > 1
    assert max(middles) - min(middles) <= 1


def test_both_buttons_of_a_search_have_their_own_name(pages: Pages, opened: Open) -> None:
    page = opened(pages, "/memory/search")
    for name in ("Search the notes", "Search with these filters"):
        assert page.get_by_role("button", name=name, exact=True).count() == 1
