"""What axe-core finds wrong with a page for somebody who sees little, or uses no mouse."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
"""The rules of WCAG 2.0 to 2.2, A and AA, and those that follow from good sense."""
_RUN = """tags => axe.run(document, {
    runOnly: {type: "tag", values: tags}, resultTypes: ["violations"], preload: false
})"""


@functools.cache
def _source() -> str:
    return (Path(__file__).parent / "axe.min.js").read_text("utf-8")


def violations(page: Page) -> list[str]:
    """A line for each element that breaks a rule."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(_source())
    found = page.evaluate(_RUN, TAGS)
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for rule in found["violations"]
        for node in rule["nodes"]
    ]
