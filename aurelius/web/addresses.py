"""Addresses of the pages: where a note, a fact, a day or a search stands."""

from __future__ import annotations

from urllib.parse import quote, urlencode

HOME = "/"
"""The first page, where one talks to the notes."""


KIND_PAGES = {
    "person": "people",
    "project": "projects",
    "company": "companies",
    "area": "areas",
    "resource": "resources",
    "archive": "archives",
    "daily": "days",
    "memory": "memory",
    "me": "me",
    "note": "notes",
}
"""What the notes of each kind are together, which is the name of their page."""
_FIRST_LINES = 100
"""Lines of a note that its first part has in any case, or nearly so."""


def note_url(path: str, line: int = 0) -> str:
    """The page of a note, at a line of it where one is named."""
    part = f"?line={line}" if line > _FIRST_LINES else ""
    place = f"#line-{line}" if line else ""
    return f"/note/{quote(path)}{part}{place}"


def kind_url(kind: str) -> str:
    """The notes of a kind."""
    return f"/memory/{KIND_PAGES[kind]}"


def tag_url(tag: str) -> str:
    """The notes with a tag."""
    return f"/memory/search?{urlencode({'tag': tag})}"


def fact_url(key: str) -> str:
    """The page of a fact, by its id, or behind `#^` by its note and its id."""
    return f"/fact/{quote(key)}"


def image_url(path: str) -> str:
    """An image of the vault."""
    return f"/file/{quote(path)}"


def search_url(text: str) -> str:
    """The answers to a question."""
    return f"/memory/search?{urlencode({'q': text})}"


def day_url(day: str) -> str:
    """A day, or all days of a month such as 2026-02."""
    return f"/memory/timeline?{urlencode({'day': day})}"


def span_url(first: str, last: str) -> str:
    """The days from one to another."""
    return f"/memory/timeline?{urlencode({'from': first, 'until': last})}"


def own_path(text: str) -> str:
    """A path of these pages that somebody sent, HOME where it leads elsewhere."""
    plain = text.startswith("/") and not text.startswith("//")
    if plain and text.isascii() and text.isprintable() and not set(text) & set('\\"<> '):
        return text
    return HOME
