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
    mine = _entries(one)
    theirs = _entries(other)
    if mine is not None and theirs is not None:
        before: list[str] = []
        if base:
            before = _entries(base) or []
        held = _held_entries(before, mine, theirs)
        return _with_entries(one, other, held), False
    less, greater = sorted((one, other), key=lambda piece: piece.texts)
    key = one.words.lower().replace(" ", "_")
    if key in UPDATED_KEYS and _day(one) and _day(other):
        return max(one, other, key=_day), False
    aside = map(_comment, less.rows)
    rows = [*greater.rows]
    rows += [row for row in aside if row not in greater.rows]
    return greater._replace(rows=tuple(rows)), True


def _day(piece: NotePiece) -> str:
    """The day that a property of one line says, "" for none."""
    if len(piece.rows) > 1:
        return ""
    value = piece.texts[0].partition(":")[2]
    return parse_day(value.strip()) or ""


def _comment(row: Row) -> Row:
    text, end = row
    if text.lstrip().startswith("#"):
        return row
    return f"# {text}", end


def _entries(piece: NotePiece) -> list[str] | None:
    """The entries of a list, as they are written; None for what is none."""
    texts = piece.texts
    value = texts[0].partition(":")[2]
    flow = _FLOW.fullmatch(value)
    if flow and len(texts) == 1:
        parts = [each.strip() for each in _PART.findall(flow[2])]
        whole = re.sub(r"\s*,\s*", ",", flow[2].strip())
        if ",".join(parts) != whole:
            return None
        return parts
    if value.strip() or len(texts) == 1:
        return None
    found = [_ENTRY.fullmatch(text) for text in texts[1:]]
    if None in found:
        return None
    return [each[2].rstrip() for each in found if each]


def _with_entries(
    one: NotePiece,
    other: NotePiece,
    held: list[str],
) -> NotePiece:
    """A list with these entries, in the form of the longer text."""
    form = max(
        (one, other),
        key=lambda piece: (len(piece.rows), piece.texts),
    )
    first, end = form.rows[0]
    if len(form.rows) == 1:
        line = _flow_line(first, ", ".join(held))
        return form._replace(rows=((line, end),))
    if not held:
        line = f"{first.rstrip()} []"
        return form._replace(rows=((line, end),))
    entry = _ENTRY.fullmatch(form.rows[1][0])
    bullet = entry[1] if entry else "  - "
    rows = [(first, end)]
    rows += [(f"{bullet}{each}", end) for each in held]
    return form._replace(rows=tuple(rows))


def _held_entries(before: list[str], mine: list[str], theirs: list[str]) -> list[str]:
    """The entries of both, without what one of them took out."""
    held = [each for each in mine if each in theirs or each not in before]
    known = {*before, *mine}
    held += [each for each in theirs if each not in known]
    return held


def _flow_line(line: str, entries: str) -> str:
    """The line of a list in brackets, with these entries."""
    name, colon, value = line.partition(":")
    opening = " ["
    closing = "]"
    flow = _FLOW.fullmatch(value)
    if flow:
        opening = flow[1]
        closing = flow[3]
    return f"{name}{colon}{opening}{entries}{closing}"
