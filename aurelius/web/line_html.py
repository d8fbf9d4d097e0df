"""Lines of notes with the words that were asked for marked, and messages of ours, as HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from markupsafe import Markup

from indexer.reading.markdown import MARKERS
from indexer.spelling import clipped

from .render import render_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from .links import PageLinks
    from .markup import Spans

_MOST_LETTERS = 1_000
"""Letters of a line that a list of many shows."""


def said_html(
    links: PageLinks,
    path: str,
    text: str,
    find: Callable[[str], Spans] | None = None,
) -> Markup:
    """A line of the note at `path`, without the mark of a list or quote that it begins with;
    `find` gives the spans of words that are marked."""
    bare = clipped(MARKERS.sub("", text, count=1), _MOST_LETTERS)
    return Markup(render_line(bare, links.of(path), find))  # noqa: S704 it passed the wall


def message_html(text: str) -> Markup:
    """A message of ours, the commands in it as code."""
    told = clipped(text, _MOST_LETTERS)
    return Markup(render_line(told, lambda _: None))  # noqa: S704 it passed the wall
