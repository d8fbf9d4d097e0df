"""The pages in a real browser.  Only `scripts/test --browser` runs these tests: they need Chromium.

Whatever a test does, its windows may not fetch from elsewhere, run into the policy of the pages, say
an error or open a dialog: each test fails at its end where one did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import pytest

from tests.chromium import chromium, why_no_browser
from tests.conftest import TODAY
from tests.everything_vault import make_everything_vault
from tests.pages import Pages, served

if TYPE_CHECKING:
    from playwright.sync_api import (
        Browser,
        BrowserContext,
        ConsoleMessage,
        Dialog,
        Page,
        Request,
    )

HERE = Path(__file__).parent


def pytest_ignore_collect(config: pytest.Config) -> bool | None:
    """Leave these tests alone unless they were asked for."""
    if config.getoption("--browser"):
        return None
    return True


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    reason = why_no_browser()
    if not reason:
        return
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.skipif(True, reason=reason))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """A plain line at the end."""
    stats = terminalreporter.stats
    reason = why_no_browser()
    if reason:
        terminalreporter.write_line(f"browser tests: none could run: {reason}")
        return
    kinds = ("passed", "failed", "error")
    told = [f"{len(stats[kind])} {kind}" for kind in kinds if stats.get(kind)]
    terminalreporter.write_line(f"browser tests: {', '.join(told) or 'none'}")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as found:
        yield found


def plain_env(place: Path) -> dict[str, str]:
    """An environment that knows nothing of the person who runs the tests."""
    names = ("CONFIG", "CACHE", "STATE")
    return {"HOME": str(place)} | {f"XDG_{name}_HOME": str(place / name.lower()) for name in names}


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    """The pages of a vault that has everything.  No test changes it."""
    place = tmp_path_factory.mktemp("site")
    make_everything_vault(place / "vault")
    with served(place / "vault", plain_env(place), now=TODAY, watches=True) as pages:
        yield pages


@pytest.fixture
def own_vault(tmp_path: Path) -> Path:
    """The same vault, which the test may change."""
    make_everything_vault(tmp_path / "vault")
    return tmp_path / "vault"


@pytest.fixture
def own_site(own_vault: Path, tmp_path: Path) -> Iterator[Pages]:
    """The pages of the vault that the test may change; they follow its files."""
    with served(own_vault, plain_env(tmp_path), now=TODAY, watches=True) as pages:
        yield pages


class Look(NamedTuple):
    """How a window shows a page."""

    width: int = 1280
    dark: bool = False
    javascript: bool = True


WIDE = Look()
NO_SCRIPTS = Look(javascript=False)
Open = Callable[..., "Page"]


@pytest.fixture
def faults() -> list[str]:
    """What went wrong in the windows of a test; a test that expects something takes it out."""
    return []


@pytest.fixture
def opened(browser: Browser, faults: list[str]) -> Iterator[Open]:
    """Opens a window that is signed in: opened(pages, "/memory", NO_SCRIPTS)."""
    contexts: list[BrowserContext] = []

    def open_window(
        pages: Pages, path: str = "/memory", look: Look = WIDE, *, signed_in: bool = True
    ) -> Page:
        context = browser.new_context(
            viewport={"width": look.width, "height": 800},
            color_scheme="dark" if look.dark else "light",
            java_script_enabled=look.javascript,
        )
        context.set_default_timeout(10_000)
        contexts.append(context)
        _watch(context, pages, faults)
        if signed_in:
            name, _, value = pages.cookie.partition("=")
            context.add_cookies([{"name": name, "value": value, "url": pages.url}])
        page = context.new_page()
        page.goto(pages.url + path)
        return page

    yield open_window
    for each in contexts:
        each.close()
    assert faults == []


def _watch(context: BrowserContext, pages: Pages, faults: list[str]) -> None:
    """Keep what goes wrong in the windows of a context."""
    own = urlsplit(pages.url).netloc

    def notice_request(request: Request) -> None:
        if urlsplit(request.url).netloc != own and not request.url.startswith("data:"):
            faults.append(f"asks {request.url}")

    def notice_words(message: ConsoleMessage) -> None:
        # the status of an answer is looked at by the tests
        if message.type == "error" and "Failed to load resource" not in message.text:
            faults.append(f"says {message.text}")

    def notice_dialog(dialog: Dialog) -> None:
        faults.append(f"opens a dialog: {dialog.message}")
        dialog.dismiss()

    context.on("request", notice_request)
    context.on("console", notice_words)
    context.on("weberror", lambda error: faults.append(f"fails {error.error}"))
    context.on("dialog", notice_dialog)
