"""Which page answers which address."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import (
    changes_page,
    facts_page,
    health_page,
    home_page,
    kind_page,
    notes_page,
    review_page,
    search_page,
    settings_page,
    tasks_page,
    timeline_page,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .host import PageFunction

PAGES: Mapping[str, PageFunction] = {
    "/memory": home_page.show_home,
    "/memory/facts": kind_page.show_facts,
    "/memory/search": search_page.show_search,
    "/memory/timeline": timeline_page.show_timeline,
    "/health": health_page.show_health,
    "/settings": settings_page.show_settings,
    "/note/{name:path}": notes_page.show_note,
    "/fact/{name:path}": facts_page.show_fact,
    "/memory/{name}": kind_page.show_kind,
    "/review": review_page.show_review,
    "/changes": changes_page.show_changes,
    "/tasks": tasks_page.show_tasks,
}
"""Every page by its address, `name` being what it is about."""
