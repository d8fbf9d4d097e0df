"""Templates of the pages: what they may call, and how one becomes HTML.

Everything that a template prints is escaped, and a name that it was not given is an error.
"""

from __future__ import annotations

from functools import cache
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from aurelius.show.terminal import escape_controls
from indexer.reading.inline import plain_inline
from indexer.spelling import link_names, plural

from . import addresses
from .page_words import called

if TYPE_CHECKING:
    from collections.abc import Mapping


@cache
def page_templates() -> Environment:
    """All templates, each compiled once."""
    made = Environment(
        loader=PackageLoader("aurelius.web", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters["plainly"] = lambda text: plain_inline(link_names(text))
    made.globals |= {
        "note_url": addresses.note_url,
        "fact_url": addresses.fact_url,
        "search_url": addresses.search_url,
        "day_url": addresses.day_url,
        "once": lambda: token_hex(8),
        "kind_url": addresses.kind_url,
        "kind_pages": addresses.KIND_PAGES,
        "tag_url": addresses.tag_url,
        "plural": plural,
        "called": called,
    }
    return made


def rendered(template: str, values: Mapping[str, Any]) -> str:
    """A page as HTML; characters of a name or a text that steer what is around them are made
    visible."""
    return escape_controls(page_templates().get_template(template).render(values))
