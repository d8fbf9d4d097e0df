"""Which texts say something to a person."""

from __future__ import annotations

import pytest

from indexer.search.shown import says_something, unlinked


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("![[Books.base]]", False),
        ("# Books\n\n![[Books.base]]\n![a cover](cover.png)", False),
        ("- {{query (and [[book]] (task TODO))}}", False),
        ("**Date:** {{date}}\nTags: <% tp.file.tags %>", False),
        ("## Only a heading", False),
        ("", False),
        ("Read ![[Books.base]] again", True),
        ("![[Books.base]]\nI liked two of them.", True),
        ("#books to read", True),
        ("Meeting at {{time}} with Ann", True),
        ("住在东京", True),
    ],
)
def test_embeds_queries_placeholders_and_headings_say_nothing(text: str, says: bool) -> None:
    assert says_something(text) is says


def test_links_are_read_by_their_names() -> None:
    assert unlinked("at [[companies/techcorp]] with [[people/joe|Joe]]") == "at techcorp with Joe"
