"""A hostile vault in a real browser: nothing of it runs, nothing is fetched from elsewhere, no page breaks.

What a window does wrong ends its test, as in every test here: a dialog, a request to elsewhere, an error.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from aurelius.vault import Vault
from tests.browser.conftest import NO_SCRIPTS, Open, plain_env
from tests.cases.pages.hostile.vault import NOTES, build
from tests.conftest import TODAY
from tests.daily import daily
from tests.pages import Pages, served
from tests.test_pages_hostile import note_target

if TYPE_CHECKING:
    from playwright.sync_api import Page

OTHERS = ("/memory", "/memory/people", "/memory/facts", "/memory/timeline", "/tasks", "/review")
RAN = "() => Object.keys(window).filter(each => /pwned/i.test(each)).length + document.title.includes('pwned!')"


@pytest.fixture(scope="module")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    place = tmp_path_factory.mktemp("hostile")
    root = build(place / "here")
    env = plain_env(place)
    with Vault.find(str(root), env, str(root), now=TODAY) as vault:
        vault.index()  # takes longer than a page may
    with served(root, env, now=TODAY) as pages:
        yield pages


def whole(page: Page) -> bool:
    """Whether the frame of a page stands around what it shows."""
    return page.locator("header nav").count() == 1 and page.locator("footer #live").count() == 1


def test_no_note_runs_a_script_or_fetches_anything(
    hostile_site: Pages, opened: Open, dice: random.Random
) -> None:
    page = opened(hostile_site)
    small = [each.path for each in NOTES if not each.path.startswith(("huge/", "deep/"))]
    for path in dice.sample(small, daily(70, len(small))):
        page.goto(hostile_site.url + note_target(path), wait_until="load")
        assert page.evaluate(RAN) == 0, path
        assert whole(page), path
    for path in OTHERS:
        page.goto(hostile_site.url + path)
        assert page.evaluate(RAN) == 0, path
        assert whole(page), path


def test_without_scripts_the_same_notes_have_whole_pages(
    hostile_site: Pages, opened: Open, dice: random.Random
) -> None:
    page = opened(hostile_site, "/memory", NO_SCRIPTS)
    small = [each.path for each in NOTES if not each.path.startswith(("huge/", "deep/"))]
    for path in dice.sample(small, daily(15, len(small))):
        page.goto(hostile_site.url + note_target(path))
        assert whole(page), path
