"""The one form in which texts are compared, stored and told: `Büro` is the same however its letters
are composed.

Files keep their own bytes, and a path that is opened or printed keeps its own spelling. Small
things that every room does to texts and lists stand here too: a module of their own would be one
more to load in every cold command.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")

UTF8_BOM = b"\xef\xbb\xbf"
"""UTF-8's byte order mark, which some editors put at the beginning of a file."""

ISO_DAY = r"\d{4}-\d\d-\d\d"
"""How a day is written, `2026-02-01`, as a part of patterns; whether there is such a day is another
question."""

LONE_ISO_DAY = rf"(?<!\d){ISO_DAY}(?!\d)"
"""A day in a text, not within a longer number."""

PAGE_LINK = r"\[\[([^\[\]|\n]{1,1000})(?:\|([^\[\]\n]{0,1000}))?\]\]"
"""A wikilink in a line, as a part of patterns: what is linked to, with its heading, and the label.
What a note links to is read by `indexer.reading.inline`; this is for who looks at single lines."""

LETTERS_AND_DIGITS = re.compile(r"[^\W_]+")
"""A word at its simplest, in any script. Modules with another notion of a word (with apostrophes,
without digits, with the signs of `C++`) keep a pattern of their own."""


def nfc(text: str) -> str:
    """A text with letters and their marks composed (Unicode's NFC)."""
    if text.isascii():
        return text
    from unicodedata import normalize

    return normalize("NFC", text)


def compact_json(value: object, default: type[str] | None = None, *, allow_nan: bool = True) -> str:
    """A value as JSON in as few characters as can be, letters as they are; ValueError for .nan that
    is not allowed.

    What JSON does not know is given to `default`.
    """
    import json

    return json.dumps(
        value, ensure_ascii=False, separators=(",", ":"), default=default, allow_nan=allow_nan
    )


def mark_of(data: bytes | None) -> bytes:
    """The byte order mark that bytes begin with, b"" for none."""
    if data and data.startswith(UTF8_BOM):
        return UTF8_BOM
    return b""


def single_spaced(text: str) -> str:
    """A text on one line, with one space between its words."""
    return " ".join(text.split())


def storable(text: str) -> str:
    """A text that UTF-8 can hold: half of a character, as JSON can name one, is a question mark."""
    if text.isascii():
        return text
    return text.encode("utf-8", "replace").decode("utf-8")


def compositions(text: str) -> set[str]:
    """A text as it is, with its letters composed, and with them decomposed."""
    if text.isascii():
        return {text}
    from unicodedata import normalize

    return {text, nfc(text), normalize("NFD", text)}


def caseless(text: str) -> str:
    """A text with case and the composition of its letters apart."""
    if text.isascii():
        return text.lower()
    return nfc(text).casefold()


def is_below(path: str, folder: str) -> bool:
    """Whether a path is this folder's, or in it, or the folder's name with `.md`, however either is
    composed."""
    path = nfc(path)
    folder = nfc(folder)
    return path in {folder, folder + ".md"} or path.startswith(folder + "/")


def shorten(text: str, most: int = 60) -> str:
    """A text as a message quotes it: cut where it is long."""
    if len(text) <= most:
        return text
    return text[: most - 1] + "…"


def clipped(text: str, most: int) -> str:
    """A text of at most so many characters as it is, a longer one with ` …` where it is cut."""
    if len(text) <= most:
        return text
    return text[:most].rstrip() + " …"


def group_pairs(pairs: Iterable[tuple[_Key, _Value]]) -> dict[_Key, list[_Value]]:
    """The second things of pairs by the first, each in the order of the pairs."""
    found: dict[_Key, list[_Value]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


def count_tokens(text: str) -> int:
    """A language model's tokens in a text, about: a quarter of its ASCII characters and two thirds
    of the others."""
    return -(-count_twelfths(text) // 12)


def count_twelfths(text: str) -> int:
    """The same in twelfths of a token, which add up without being rounded."""
    if text.isascii():
        return 3 * len(text)
    ascii_ = len(text.encode("ascii", "ignore"))
    return 3 * ascii_ + 8 * (len(text) - ascii_)


def plural(word: str, count: int) -> str:
    """A word as it stands behind a number of things."""
    if count == 1:
        return word
    return word + "s"


def link_names(text: str) -> str:
    """A text with what each wikilink shows in its place, the end of a path as a name."""

    def name(found: re.Match[str]) -> str:
        last = found[1].rpartition("/")[2].replace("-", " ")
        if found[2]:
            return found[2]
        return last.title()

    return re.sub(PAGE_LINK, name, text)


_KEYS = (
    "alias aliases category created created_at cssclass cssclasses date id keywords kind modified"
    " publish tag tags title type uid updated updated_at"
)
BOOKKEEPING = frozenset(_KEYS.split())
"""Properties that programs keep a note in order by: their words are no answer."""


def is_bookkeeping(key: str) -> bool:
    """Whether a property of that name keeps a note in order: `Created-At`, and not `rating`."""
    return key.strip().lower().replace("-", "_") in BOOKKEEPING


def keeps_order(text: str) -> bool:
    """Whether all lines of a text are properties such as `tags:: work` or `- type:: [[Call]]`, as
    outliners write them, that keep a note in order."""
    if "::" not in text:
        return False
    for line in text.split("\n"):
        key, mark, value = line.lstrip(" \t-*+>").partition("::")
        if line.strip() and (not mark or value[:1].strip() or not is_bookkeeping(key)):
            return False
    return True
