"""What a shown text has in it: words of a question, links, anything at all besides embeds and
headings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from indexer.reading.path_meaning import unaccented
from indexer.spelling import PAGE_LINK
from indexer.tokens.terms import differ_in_ending, unicode_words

if TYPE_CHECKING:
    from collections.abc import Sequence

LINKS = r"\[\[([^\[\]|#\n]+)[^\[\]\n]*\]\]|\[[^\[\]\n]*\]\(<?([^()<>\n]+)>?\)"
HEADING_LINE = re.compile(r"\s*#{1,6}(?:\s[^\n]*)?")
_PLACEHOLDER = re.compile(
    r"!\[\[[^\[\]\n]*\]\]|!\[[^\[\]\n]*\]\([^()\n]*\)|\{\{[^\n]*?\}\}+|<%[^\n]*?%>"
)
_LABEL = r"[^:：]{0,40}[:：]?[*_\s]*\0[\s\0]*$"


def says_something(text: str) -> bool:
    """Whether a text has a word outside headings, embeds, queries and the placeholders of
    templates."""
    text = _PLACEHOLDER.sub("\0", text)
    return any(
        any(map(str.isalnum, line))
        and not ("\0" in line and re.match(_LABEL, line))
        and not HEADING_LINE.fullmatch(line)
        for line in text.split("\n")
    )


def unlinked(text: str) -> str:
    """A text with the names of what it links to, without their folders."""
    return re.sub(PAGE_LINK, lambda found: found[2] or found[1].rpartition("/")[2], text)


def linked_paths(text: str) -> list[str]:
    """The paths that the links of a text may mean."""
    names: list[str] = []
    for match in re.finditer(LINKS, text):
        path = match[1] or match[2]
        names += [path, path + ".md"]
    return names


def holds_a_word(
    text: str,
    asked: Sequence[str],
) -> bool:
    """Whether a text holds one of these words, whatever its ending."""
    plain = unaccented(text)
    there = unicode_words(plain)
    for word in map(unaccented, asked):
        if any(differ_in_ending(each, word) for each in there):
            return True
        if not word.isascii() and word in plain:
            return True
    return False
