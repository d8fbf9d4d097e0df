"""Templates of the pages: what they may call, and how one becomes HTML.

Everything that a template prints is escaped, and a name that it was not given is an error.
"""

from __future__ import annotations

import re
from functools import cache
from secrets import token_hex
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from indexer.spelling import plural

from . import addresses

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
    }
    return made


_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ufffe\uffff]")
"""Characters that HTML does not allow, and that a title or the name of a file may hold."""


def rendered(template: str, values: Mapping[str, Any]) -> str:
    """A page as HTML; characters that are no text are shown as U+FFFD."""
    return _NO_TEXT.sub("\ufffd", page_templates().get_template(template).render(values))
