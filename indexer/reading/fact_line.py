"""The grammar of a fact line: `text (2026-02-01, milestone, pinned) ^k3v9qa`.

Pure text → values; which lines are facts is `facts.py`'s question.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from hashlib import sha256
from typing import Any, NamedTuple

from indexer.note import Fact
from indexer.spelling import nfc, single_spaced

from .inline import code_spans, opening_bracket
from .path_meaning import iso
from .type_words import Meaning, closest, nearest_type_word, type_meaning

_DATE = re.compile(r"\[{0,2}(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{1,2}:\d{2}[\d:.Z+-]{0,20})?\]{0,2}")
_ARROW = re.compile(r"\s{0,3}(?:→|->|–|—|\.\.|to\b|until\b)\s{0,3}")
_ID = re.compile(r"(?:^|(?<=\s))\^([A-Za-z0-9-]{1,64})$")
_NUMBER = re.compile(r"(importance|scope)\s{0,3}[:=]?\s{0,3}([01](?:\.\d{1,6})?|\.\d{1,6})")
_REF = re.compile(
    r"(?i)(superseded by|replaced by|updates|supersedes|replaces|contradicts)\s{1,3}(.{1,200})"
)
MINTED = re.compile(r"[a-z0-9]{6}")
"""An id as commands make it, without its `^`."""
_PART = re.compile(r"(?i)part of\s{1,3}(\[\[.{1,200}\]\])")
_LOOSE = frozenset({"supersedes", "replaces", "replaced by"})
"""What is read as `updates` or `superseded by`, and told all the same: other readers know only
those."""
_ASKS = dict(
    row.split(" → ")
    for row in """
supersedes → updates {}
supersede → updates {}
replaces → updates {}
updated → updates {}
replaced by → superseded by {}
priority → importance 0.9
important → importance 0.9
urgent → importance 0.9
source → from {}
via → from {}
according to → from {}
due to → because {}
since → because {}
reason → because {}
part → part of [[{}]]
part of → part of [[{}]]
probably → inferred
guess → inferred
guessed → inferred
""".strip().splitlines()
)
"""What may be meant by words at the beginning of an item that no tail has."""
_ALONE = ("pinned", "inferred")
_FIRST = "importance scope from because updates contradicts superseded".split()
_SENTENCE = 7
"""So many words in one unknown item of a tail are a sentence, and the parenthesis stays part of the
text."""
_ANCHOR = re.compile(r"\^([A-Za-z0-9-]{1,64})")
_LEADING_CATEGORY = re.compile(r"\[([A-Za-z][\w /-]{0,30})\]\s{1,4}(?=\S)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_MARKS = re.compile(r"[*_\\]")
_STRIKE = re.compile(r"~~([^~]{1,4000})~~")


class Tail(NamedTuple):
    """What the parenthesis at the end of a fact says; empty strings and None where it is silent."""

    date: str | None = None
    until: str | None = None
    type: str = ""
    pinned: bool = False
    inferred: bool = False
    importance: float | None = None
    scope: float | None = None
    source: str = ""
    linked: str = ""
    because: str = ""
    superseded_by: str = ""
    updates: str = ""
    contradicts: str = ""
    milestone: bool = False
    subtype: str = ""
    part_of: str = ""
    unknown: tuple[str, ...] = ()
    """The items that are no words of a tail, as they are written."""
    rest: bool = False
    """Whether it holds a sentence, so that it stays part of the text."""


class Raw(NamedTuple):
    """One bullet as it stands: `text` with its escapes and `[category]`, `id`, whether it is wholly
    struck, its tail.

    `inner` is what stands between the parentheses of the tail, "" where there is none or where it
    is part of the text.
    """

    text: str
    id: str
    struck: bool
    inner: str
    tail: Tail


class FactLine(NamedTuple):
    """One bullet read: its bare text, its id, whether it is wholly struck, its type by
    `[category]`, its tail.

    `milestone` and `subtype` are what that tail, else that category, says; `dated` is whether the
    tail stands apart from the text, at its end.
    """

    text: str
    id: str
    struck: bool
    category: str
    tail: Tail
    milestone: bool = False
    subtype: str = ""
    dated: bool = False


def lasts(fact: Fact) -> bool:
    """Whether the line of a fact says that it never goes cold, whatever its type."""
    return fact.pinned or fact.milestone


def parse_fact(text: str) -> FactLine:
    """A fact from the text of a list item, its lines joined, without the bullet."""
    text, own, struck, inner, tail = split_item(text)
    if "\\" in text and "`" not in text:
        text = _ESCAPED.sub(r"\1", text)
    leading = _LEADING_CATEGORY.match(text)
    said = leading and type_meaning(leading[1])
    category = ""
    deciding = Meaning(tail.type, tail.subtype, tail.milestone)
    if leading and said:
        text = text[leading.end() :]
        category = said.type
        if not tail.type:
            deciding = said
    return FactLine(
        text=text,
        id=own,
        struck=struck,
        category=category,
        tail=tail,
        milestone=deciding.milestone,
        subtype=deciding.subtype,
        dated=bool(inner),
    )


def split_item(text: str) -> Raw:
    """The parts of a list item's text as they are written."""
    text, outer = cut_id(single_spaced(text))
    text, struck = _unstruck(text)
    within = ""
    if struck:
        text, within = cut_id(text)
    text, tail, inner = _take_tail(text)
    if not struck:
        text, struck = _unstruck(text)
    return Raw(text, outer or within, struck, inner, tail)


def fact_key(path: str, text: str, occurrence: int = 0) -> str:
    """The key of a fact without an id: equal for wrapped, re-emphasised and re-cased text of one
    note."""
    normal = single_spaced(_MARKS.sub("", nfc(text)).casefold())
    again = f"\0{occurrence}" if occurrence else ""
    named = f"{path}\0{normal}{again}".encode("utf-8", "surrogatepass")
    return "h" + sha256(named).hexdigest()[:11]


def _unstruck(text: str) -> tuple[str, bool]:
    """A wholly struck text without its `~~`, and whether it was."""
    whole = _STRIKE.fullmatch(text)
    if whole:
        return (whole[1].strip(), True)
    return (text, False)


def cut_id(text: str) -> tuple[str, str]:
    """A text without the `^id` at its end, and that id, "" for none."""
    anchor = _ID.search(text) if "^" in text[-66:] else None
    if anchor:
        return text[: anchor.start()].rstrip(), anchor[1]
    return text, ""


def _take_tail(text: str) -> tuple[str, Tail, str]:
    """The text without its last dated parenthesis, and what that said; kept where words follow or
    are unknown."""
    end = len(text)
    literal = code_spans(text, 0, end)
    for _ in range(8):
        end = text.rfind(")", 0, end)
        if end < 0:
            break
        start = opening_bracket(text, end, "()")
        if start is None or bisect_right(literal, start) % 2:
            continue
        inner = text[start + 1 : end]
        tail = _read_tail(inner)
        if tail is not None:
            after = text[end + 1 :].strip()
            if tail.rest or not _only_tags(after):
                return text, tail._replace(unknown=()), ""
            return f"{text[:start].rstrip()} {after}".strip(), tail, inner
    return text, Tail(), ""


def _only_tags(text: str) -> bool:
    """Whether what follows a tail leaves it the tail: tags and closing marks."""
    return all(
        word.startswith("#") or word in (".", ";", "~~", "_", "*", "**") for word in text.split()
    )


def _read_tail(inner: str) -> Tail | None:
    """The tail between two parentheses, or None where its first item is no date."""
    items = tail_items(inner)
    days = _range(items[0])
    if days is None:
        return None
    found: dict[str, Any] = {"date": days[0], "until": days[1]}
    unknown: list[str] = []
    in_reason = False
    for item in items[1:]:
        pairs = _item(item)
        if pairs:
            found.update(pairs)
            in_reason = "because" in pairs
        elif in_reason:
            found["because"] = f"{found['because']}, {item}"
        loose = _REF.fullmatch(item) if pairs else None
        is_unknown = not pairs or (loose is not None and loose[1].lower() in _LOOSE)
        if item and not in_reason and is_unknown:
            unknown.append(item)
    found["unknown"] = tuple(unknown)
    found["rest"] = any(len(item.split()) >= _SENTENCE for item in unknown)
    return Tail(**found)


def tail_items(inner: str) -> list[str]:
    """What a tail says between its parentheses, item by item; a comma inside brackets or
    parentheses parts none."""
    if "[" not in inner and "(" not in inner:
        return [item.strip() for item in inner.split(",")]
    items: list[str] = []
    depth = at = 0
    for index, char in enumerate(inner):
        if char in "[(":
            depth += 1
        elif char in ")]":
            depth -= 1
        elif char == "," and depth <= 0:
            items.append(inner[at:index].strip())
            at = index + 1
    items.append(inner[at:].strip())
    return items


def _range(item: str) -> tuple[str | None, str | None] | None:
    """`2026-02-01`, or `2025-03-01 → 2026-02-01` where either end may be left out, as ISO dates."""
    first = _DATE.match(item)
    if first is None:
        return _ended(item)
    day = iso(*first.groups())
    if day is None:
        return None
    rest = item[first.end() :]
    if not rest:
        return day, None
    arrow = _ARROW.match(rest)
    if not arrow:
        return None
    rest = rest[arrow.end() :]
    if rest.lower() in ("", "now", "today", "present"):
        return day, None
    until = _whole_day(rest)
    if until:
        return day, until
    return None


def _ended(item: str) -> tuple[None, str] | None:
    """`→ 2026-02-01`, the end of what began nobody knows when."""
    arrow = _ARROW.match(item)
    if arrow and item[0] in "→-" and (until := _whole_day(item[arrow.end() :])):
        return None, until
    return None


def _whole_day(text: str) -> str | None:
    """The ISO date that a text is, None where it is none."""
    found = _DATE.fullmatch(text)
    if found:
        return iso(*found.groups())
    return None


def _item(item: str) -> dict[str, object]:
    """What one item of a tail says, empty where it says nothing known."""
    word = item.lower()
    if word in _ALONE:
        return {word: True}
    said = type_meaning(word)
    if said:
        return said._asdict()
    number = _NUMBER.fullmatch(word)
    if number:
        return {number[1]: min(1.0, float(number[2]))}
    if word.startswith("from "):
        source = item[5:].strip()
        return {"source": page_of_link(source), "linked": source if _is_link(source) else ""}
    if word.startswith("because "):
        return {"because": item[8:].strip()}
    part = _PART.fullmatch(item)
    if part:
        return {"part_of": page_of_link(part[1])}
    return _reference(item)


def _reference(item: str) -> dict[str, object]:
    """Which other fact an item of a tail names, and as what."""
    ref = _REF.fullmatch(item)
    anchor = ref and _ANCHOR.search(ref[2])
    if not ref or not anchor:
        return {}
    verb = ref[1].lower()
    if verb.endswith(" by"):
        return {"superseded_by": anchor[1]}
    return {"contradicts" if verb == "contradicts" else "updates": anchor[1]}


def meant_by_item(item: str) -> str:
    """What may be meant by an item that no tail has, "" where nothing is like it."""
    words = item.split()
    for count in (2, 1):
        wish = _ASKS.get(" ".join(words[:count]).lower().rstrip(":"))
        if wish:
            return wish.format(" ".join(words[count:])).strip()
    if len(words) == 1:
        return nearest_type_word(item, _ALONE)
    first = closest(words[0], _FIRST)
    if first in ("importance", "scope") and not _NUMBER.fullmatch(f"{first} {' '.join(words[1:])}"):
        return f"{first} 0.9"
    if first:
        return f"{first} {' '.join(words[1:])}"
    return ""


def page_of_link(text: str) -> str:
    """`[[memory/2026-01-20]]` → memory/2026-01-20; other text as it stands."""
    if _is_link(text):
        return text[2:-2].partition("|")[0].strip()
    return text


def _is_link(text: str) -> bool:
    return text.startswith("[[") and text.endswith("]]")
