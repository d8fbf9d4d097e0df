"""The Chromium of this computer, driven by playwright: for tests, pictures and measurements."""

from __future__ import annotations

import importlib.util
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
OFFLINE = "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"
"""No page reaches another computer, whatever it tries."""


def find_chromium() -> str | None:
    """The program; None where there is none."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def why_no_browser() -> str:
    """Why no browser can be started here, "" where one can."""
    if importlib.util.find_spec("playwright") is None:
        return "playwright is not installed (scripts/setup dev installs it)"
    if find_chromium() is None:
        return "there is no Chromium (on Debian and Ubuntu: apt install chromium)"
    return ""


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser without a window; without its sandbox where a superuser starts it, as it demands."""
    from playwright.sync_api import sync_playwright

    args = [OFFLINE]
    if hasattr(os, "getuid") and os.getuid() == 0:
        args.append("--no-sandbox")
    with sync_playwright() as player:
        browser = player.chromium.launch(executable_path=find_chromium(), args=args)
        try:
            yield browser
        finally:
            browser.close()
