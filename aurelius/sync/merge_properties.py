"""One property of a note that was changed on two devices, line by line and never written anew.

Of two dates of the last change the later holds, a list is what both made of it, and of two other
values the greater holds, with the other one beside it as a comment, which no program reads.
"""

from __future__ import annotations

import re

from indexer.reading.front_matter import UPDATED_KEYS, parse_day

from .merge_pieces import NotePiece, Row

_FLOW = re.compile(r"(\s*\[)(.*)(\]\s*)")
_ENTRY = re.compile(r"(\s*-\s+)(.*)")
_PART = re.compile(r"(?:\"[^\"]*\"|'[^']*'|[^,\"'\[\]{}]|\[\[[^\[\]]*\]\])+")


def merge_property(
    base: NotePiece | None, one: NotePiece, other: NotePiece
) -> tuple[NotePiece, bool]:
    """The property as it holds, and whether a value of it is only beside it now."""
    lists = [_entries(each) for each in (one, other)]
    if lists[0] is not None and lists[1] is not None:
        before = _entries(base) if base else None
        return _with_entries(one, other, before or [], lists), False
    greater, less = (one, other) if one.texts > other.texts else (other, one)
    if one.words.lower().replace(" ", "_") in UPDATED_KEYS and all(map(_day, (one, other))):
        return max(one, other, key=_day), False
    aside = tuple(_comment(row) for row in less.rows)
    rows = (*greater.rows, *(row for row in aside if row not in greater.rows))
    return greater._replace(rows=rows), True


def _day(piece: NotePiece) -> str:
    """The day that a property of one line says, "" for none."""
    if len(piece.rows) > 1:
        return ""
    return parse_day(piece.texts[0].partition(":")[2].strip()) or ""


def _comment(row: Row) -> Row:
    text, end = row
    return (text if text.lstrip().startswith("#") else f"# {text}", end)


def _entries(piece: NotePiece) -> list[str] | None:
    """The entries of a list, as they are written; None for what is none."""
    texts = piece.texts
    value = texts[0].partition(":")[2]
    flow = _FLOW.fullmatch(value)
    if flow and len(texts) == 1:
        parts = [each.strip() for each in _PART.findall(flow[2])]
        return parts if ",".join(parts) == re.sub(r"\s*,\s*", ",", flow[2].strip()) else None
    if value.strip() or len(texts) == 1:
        return None
    found = [_ENTRY.fullmatch(text) for text in texts[1:]]
    if None in found:
        return None
    return [each[2].rstrip() for each in found if each]


def _with_entries(
    one: NotePiece,
    other: NotePiece,
    before: list[str],
    lists: list[list[str] | None],
) -> NotePiece:
    """The list of both: without what one of them took out, in the form of the longer text."""
    mine, theirs = ([*(each or ())] for each in lists)
    held = [each for each in mine if each in theirs or each not in before]
    held += [each for each in theirs if each not in mine and each not in before]
    form = max((one, other), key=lambda piece: (len(piece.rows), piece.texts))
    first, end = form.rows[0]
    if len(form.rows) == 1:
        name, colon, value = first.partition(":")
        flow = _FLOW.fullmatch(value)
        opening, closing = (flow[1], flow[3]) if flow else (" [", "]")
        return form._replace(rows=((f"{name}{colon}{opening}{', '.join(held)}{closing}", end),))
    entry = _ENTRY.fullmatch(form.rows[1][0])
    bullet = entry[1] if entry else "  - "
    if not held:
        return form._replace(rows=((f"{first.rstrip()} []", end),))
    return form._replace(rows=((first, end), *((f"{bullet}{each}", end) for each in held)))
