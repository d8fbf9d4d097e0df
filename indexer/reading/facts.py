"""Facts, proposals and tasks among the list items of a note, and what they say."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from indexer.note import Fact, Link, Note, Section, Task
from indexer.spelling import ISO_DAY, keeps_order

from . import fact_line
from .blocks import Block
from .inline import code_spans, tags_in
from .markdown import MARKERS, PROPERTY
from .outline import is_bare_outline, levels
from .path_meaning import agent_of, file_stem, is_imported, iso, kind_of_path
from .type_words import (
    FACT_HEADINGS,
    OWN_HEADINGS,
    Meaning,
    is_fact_heading,
    normal_heading,
    type_meaning,
)

ENTITY_KINDS = frozenset({"person", "company", "project", "area", "resource", "archive"})
"""Kinds of notes that are about one thing."""

_DATED_KINDS = ENTITY_KINDS - {"resource"}
"""Kinds of notes in which a bullet with a date at its end is a fact under any heading; a reading
list has such too."""
_TOLD_KINDS = frozenset({"me", "memory", "daily"})
_KEEPING_KINDS = ENTITY_KINDS | _TOLD_KINDS
_SCOPES = {"me": 1.0, "memory": 1.0, "person": 0.2, "company": 0.2, "project": 0.2}
_RELATED_LIMIT = 64
_RELATION = Meaning("relationship")

_HISTORY = frozenset(
    {"history", "fact history", "superseded", "former facts", "past facts", "old facts", "outdated"}
)
_CAPTURED = re.compile(r"captured|session \d{4}(?:\d\d)?")
"""Headings of captured lines in a daily note, which nobody confirmed yet."""
_SUMMARY = frozenset({"summary", "tl;dr", "tldr"})
_ARROWS = re.compile(r"→|->")

_BOX = re.compile(r"\[([^\]\n])\](?:\s+|$)")
_KEYWORDS = (
    "TODO ",
    "DOING ",
    "NOW ",
    "LATER ",
    "WAITING ",
    "IN-PROGRESS ",
    "DONE ",
    "CANCELED ",
    "CANCELLED ",
)
_KEYWORD = re.compile(rf"({'|'.join(_KEYWORDS).replace(' ', '')})\s+(?=\S)")
_KEYWORD_MARKS = {
    "DONE": "x",
    "CANCELED": "-",
    "CANCELLED": "-",
    "DOING": "/",
    "NOW": "/",
    "IN-PROGRESS": "/",
}
_DUE = re.compile(
    r"(?i)(?:[\U0001F4C5\U0001F5D3]\ufe0f?|\bdue\b:{0,2}"
    r"|\bdeadline:)[ \t]{0,3}[(<\[]{0,2}(\d{4})-(\d{2})-(\d{2})"
)
_MAY_DATE = re.compile(rf"\(\s{{0,3}}(?:\[{{0,2}}{ISO_DAY}|→|->)")
_ANY_BOX = re.compile(r"\[[^\]\n]\](?=[ \t\n]|\Z)")


class Item(NamedTuple):
    """One list item: `first`..`last` are its own lines without nested lists, `end` its last line
    with them.

    `spoken` are the lines that its text stands on; code and properties of outliners between them
    are none of it.
    """

    first: int
    last: int
    end: int
    text: str
    quoted: bool
    spoken: tuple[int, ...] = ()


class HeadingRules(NamedTuple):
    """What a heading makes of the items under it: facts or not, of which type and status, and their
    date.

    `only_dated` is whether only those are facts that end in a date.
    """

    holds_facts: bool
    type: str = ""
    status: str = "active"
    milestone: bool = False
    subtype: str = ""
    only_dated: bool = False
    heading: tuple[str, ...] = ()
    date: str | None = None
    dated: str = ""


def items(blocks: Sequence[Block], lines: Sequence[str]) -> list[Item]:
    """Every list item that has text of its own, in order."""
    found: list[Item] = []
    for index, block in enumerate(blocks):
        if block.kind == "item":
            last, parts, spoken = _own(blocks, index, lines)
            if parts:
                text = _id_last(parts)
                found.append(
                    Item(
                        first=block.first,
                        last=last,
                        end=block.last,
                        text=text,
                        quoted=block.quoted,
                        spoken=tuple(spoken),
                    )
                )
    return found


def _id_last(parts: Sequence[str]) -> str:
    """The text of an item with the tail and the id that end one of its lines at its end, where
    another program went on in the next line; as it is where it ends in an id, or no line does."""
    whole = " ".join(parts)
    if not any("^" in part for part in parts[:-1]) or fact_line.split_item(whole).id:
        return whole
    literal = code_spans(whole, 0, len(whole))
    for at in range(1, len(parts)):
        line = " ".join(parts[:at])
        begun = fact_line.split_item(line)
        if begun.id and bisect_right(literal, len(line) - 1) % 2 == 0:
            text = " ".join((begun.text, *parts[at:]))
            if begun.struck:
                text = f"~~{text}~~"
            tail = ""
            if begun.inner:
                tail = f"({begun.inner})"
            return " ".join(filter(None, (text, tail, f"^{begun.id}")))
    return whole


def _own(
    blocks: Sequence[Block], index: int, lines: Sequence[str]
) -> tuple[int, list[str], list[int]]:
    """The last line of an item before its nested lists and quotes, the text of its paragraphs, and
    its lines."""
    item = blocks[index]
    last = item.last
    parts: list[str] = []
    spoken: list[int] = []
    for at in range(index + 1, len(blocks)):
        block = blocks[at]
        if block.depth <= item.depth:
            break
        if block.kind in ("item", "quote"):
            last = max(item.first, block.first - 1)
            break
        if block.kind == "paragraph":
            for number in range(block.first, block.last + 1):
                text = lines[number - 1].lstrip(" \t>")
                if number == item.first:
                    text = MARKERS.sub("", lines[number - 1], count=1)
                if PROPERTY.match(text) or keeps_order(text):
                    continue
                if text.strip():
                    parts.append(text.strip())
                    spoken.append(number)
    while last > item.first and not lines[last - 1].strip(" \t>"):
        last -= 1
    return last, parts, spoken


def item_offset(line: str) -> int:
    """The offset where the words of a list item's first line begin, behind its indentation and
    bullets."""
    return len(line) - len(MARKERS.sub("", line, count=1))


def may_hold_tasks(text: str) -> bool:
    """Whether the text looks as if it held a task, so that its items are worth reading."""
    return bool(_ANY_BOX.search(text)) or any(word in text for word in _KEYWORDS)


def may_hold_dates(text: str) -> bool:
    """Whether the text looks as if a bullet of it ended in a date, so that its items are worth
    reading."""
    return bool(_MAY_DATE.search(text))


def is_task(text: str) -> bool:
    """Whether an item's text is a check-box or a Logseq `TODO`."""
    return bool(_BOX.match(text) or _KEYWORD.match(text))


def task_mark(line: str) -> tuple[int, int]:
    """Where the box or the `TODO` of a task begins and ends in its first line, (0, 0) for a line
    that has none."""
    begin = item_offset(line)
    if _BOX.match(line, begin):
        return begin, begin + 3
    word = _KEYWORD.match(line, begin)
    if word:
        return word.span(1)
    return 0, 0


def parse_task(item: Item) -> Task | None:
    """The task an item is, or None."""
    box = _BOX.match(item.text)
    match = box or _KEYWORD.match(item.text)
    if match is None:
        return None
    if box:
        mark = match[1]
    else:
        mark = _KEYWORD_MARKS.get(match[1], " ")
    rest = item.text[match.end() :]
    days = (iso(*parts) for parts in _DUE.findall(rest))
    due = next(filter(None, days), None)
    return Task(rest.strip(), mark in "xX-", mark, due, item.first)


def _section_place(
    path: tuple[str, ...],
    kind: str,
    levels: Sequence[int],
    has_fact_headings: bool,
    everywhere: bool,
) -> HeadingRules:
    """What the items under a heading path are in a note of that kind, whose headings have these
    levels; `everywhere`: each is a fact.

    In a note about one thing, a daily note, ME.md and MEMORY.md a fact heading covers all below it;
    elsewhere only what stands right under it or its sub-headings, and a title names a subject. What
    such a note says under its other headings is a fact where it ends in a date. History supersedes
    only where facts are kept: an article's `## History` is its subject, not its past.
    """
    words = list(map(normal_heading, path))
    if not _SUMMARY.isdisjoint(words):
        return HeadingRules(False)
    keeps = kind in _KEEPING_KINDS
    if keeps:
        near = words
        named = OWN_HEADINGS
    else:
        is_below = len(words) > 1 + (levels[:1] == [1])  # with another heading above, no title
        near = words[-1 - is_below :]
        named = FACT_HEADINGS
    said = next(filter(None, map(named.get, reversed(near))), None)
    meant = said or Meaning("fact")
    if kind == "daily" and any(map(_CAPTURED.fullmatch, words)):
        return HeadingRules(True, meant.type, "proposed", meant.milestone)
    if not _HISTORY.isdisjoint(near):
        if keeps or has_fact_headings:
            return HeadingRules(True, meant.type, "superseded")
        return HeadingRules(True, said.type if said else "event")
    if said or everywhere:
        return HeadingRules(True, meant.type, milestone=meant.milestone)
    return HeadingRules(kind in _DATED_KINDS, meant.type, only_dated=True)


def _holds_facts_anywhere(note: Note) -> bool:
    """Whether every item is a fact: in ME.md and the like, and in a note about one thing without
    headings besides its title."""
    if is_imported(note.path):  # nobody said yet that its lists state anything
        return False
    return note.kind in _TOLD_KINDS or (
        note.kind in ENTITY_KINDS and is_bare_outline(note.sections)
    )


def is_history_heading(heading: str) -> bool:
    """Whether a heading says that what stands under it is past."""
    return normal_heading(heading) in _HISTORY


def section_places(note: Note, in_name: bool) -> list[HeadingRules]:
    """What the items of each section are, or nothing where none are facts; `in_name`: its date
    stands in its name."""
    if file_stem(note.path) == "_index":
        return []
    own = {section.heading[-1] for section in note.sections if section.heading}
    named = any(map(is_fact_heading, own))
    if note.kind == "note" and not named and not any(map(is_history_heading, own)):
        return []
    own_levels = levels(note.sections)
    everywhere = _holds_facts_anywhere(note)
    date = note.date or note.updated
    dated = _date_origin(date, in_name=in_name)
    found: list[HeadingRules] = []
    for section in note.sections:
        place = _section_place(section.heading, note.kind, own_levels, named, everywhere)
        if place.holds_facts:
            place = place._replace(
                heading=section.heading,
                date=date,
                dated=dated,
            )
        found.append(place)
    return found


def _date_origin(date: str | None, *, in_name: bool) -> str:
    """Where a date that facts without one of their own have is from: "name", "note", or "" for
    none."""
    if not date:
        return ""
    if in_name:
        return "name"
    return "note"


def note_facts(note: Note, where: Sequence[HeadingRules], found: Sequence[Item]) -> list[Fact]:
    """The facts among list items; keys are distinct within the note. `where` are the places of its
    sections."""
    firsts = [section.first for section in note.sections]
    link_lines = [link.line for link in note.links]
    made: list[Fact] = []
    unstruck: list[int] = []
    for item in found:
        number = bisect_right(firsts, item.first) - 1
        if not where or number < 0:
            continue
        place = where[number]
        section = note.sections[number]
        line = _read(item, place, section)
        if line is None:
            continue
        past = not section.end and place.status == "superseded" and not line.struck
        if past and line.tail.date and _ARROWS.search(item.text) is None:
            unstruck.append(len(made))
        begin = bisect_left(link_lines, item.first)
        end = bisect_right(link_lines, item.last)
        made.append(_fact(item, line, place, note, note.links[begin:end]))
    return _with_relationships(_with_keys(_with_appended(made, unstruck), note.path))


def _read(item: Item, place: HeadingRules, section: Section) -> fact_line.FactLine | None:
    """An item as a fact of its section, None where it is none."""
    if not place.holds_facts or item.quoted or is_task(item.text):
        return None
    is_heading = bool(section.level) and section.first == item.first
    if is_heading or (place.only_dated and "(" not in item.text):
        return None
    line = fact_line.parse_fact(item.text)
    if line.text and (line.dated or not place.only_dated):
        return line
    return None


def _with_appended(made: list[Fact], unstruck: Sequence[int]) -> list[Fact]:
    """The facts, those active that were only appended below a History which happens to stand last
    in the note.

    Such a line is not struck, has one date, and is not earlier than any date of the note's other
    facts: an older line was moved there by hand when it was no longer true. Plans may lie ahead, so
    they do not count.
    """
    open_ = [number for number in unstruck if not made[number].superseded_by]
    if not open_:
        return made
    latest = ""
    for number, fact in enumerate(made):
        if number not in open_ and fact.dated == "line" and fact.type != "plan":
            latest = max(latest, fact.date or "")
            if fact.status == "superseded":  # one that holds may say when it will end
                latest = max(latest, fact.until or "")
    for number in open_:
        day = made[number].date or ""
        if day >= latest:
            made[number] = made[number]._replace(status="active")
            latest = day
    return made


def appended(made: Sequence[Fact], note: Note, where: Sequence[HeadingRules]) -> list[Fact]:
    """The facts that stand under History and hold all the same, because they are new and nothing
    strikes them."""
    firsts = [section.first for section in note.sections]
    found: list[Fact] = []
    for fact in made if where else ():
        at = bisect_right(firsts, fact.first) - 1
        is_past = where[at].status == "superseded" and not note.sections[at].end
        if is_past and fact.status == "active":
            found.append(fact)
    return found


def _fact(
    item: Item,
    line: fact_line.FactLine,
    place: HeadingRules,
    note: Note,
    near: Sequence[Link],
) -> Fact:
    tail = line.tail
    said: HeadingRules | fact_line.FactLine = place
    if tail.type or line.category:
        said = line
    status = place.status
    if line.struck or tail.superseded_by:
        status = "superseded"
    elif status == "active" and is_imported(note.path):
        status = "proposed"
    date = tail.date
    dated = "line"
    if date is None:
        date = place.date
        dated = place.dated
    scope = tail.scope
    if scope is None:
        scope = _scope(note)
    links = (link.target for link in near if not link.embed and link.target != tail.source)
    return Fact(
        key="",
        id=line.id,
        text=line.text,
        type=tail.type or line.category or place.type,
        status=status,
        date=date,
        until=tail.until,
        dated=dated,
        heading=place.heading,
        first=item.first,
        last=item.last,
        scope=scope,
        importance=tail.importance,
        pinned=tail.pinned,
        milestone=said.milestone,
        inferred=tail.inferred,
        source=tail.source,
        linked=tail.linked,
        because=tail.because,
        superseded_by=tail.superseded_by,
        updates=tail.updates,
        contradicts=tail.contradicts,
        tags=tags_in(line.text),
        related=tuple(dict.fromkeys(filter(None, links))),
        subtype=said.subtype,
        part_of=tail.part_of,
        unknown=tail.unknown if line.dated else (),
    )


def _scope(note: Note) -> float:
    """How far an instruction of a note reaches: by where the note lies, whatever kind it says it
    is."""
    if agent_of(note.path):
        return _SCOPES["person"]
    kind = kind_of_path(note.path, None)
    return _SCOPES.get(kind if kind in {"me", "memory"} else note.kind, 0.5)


def _with_keys(made: list[Fact], path: str) -> list[Fact]:
    """The facts with their keys: the first of several equal ids keeps it, equal bare lines are
    counted."""
    taken: set[str] = set()
    seen: Counter[str] = Counter()
    keyed: list[Fact] = []
    for fact in made:
        key = fact.id
        if not key or key in taken:
            bare = fact_line.fact_key(path, fact.text)
            key = fact_line.fact_key(path, fact.text, seen[bare])
            seen[bare] += 1
        taken.add(key)
        keyed.append(fact._replace(key=key))
    return keyed


def _with_relationships(made: list[Fact]) -> list[Fact]:
    """Each fact's related notes, then those under the note's Relationships."""
    shared: dict[str, None] = {}
    for fact in made:
        if _under_relationships(fact):
            shared.update(dict.fromkeys(fact.related))
    if not shared:
        return made
    first = tuple(shared)[:_RELATED_LIMIT]
    for number, fact in enumerate(made):
        if not _under_relationships(fact):
            related = tuple(dict.fromkeys((*fact.related, *first)))
            made[number] = fact._replace(related=related)
    return made


def _under_relationships(fact: Fact) -> bool:
    return any(OWN_HEADINGS.get(normal_heading(heading)) == _RELATION for heading in fact.heading)


def whole_note(note: Note, body: str, begin: int) -> Fact | None:
    """The one fact of a one-memory-per-file note, or None for any other note.

    Such a note's front matter has a `category` that is a type and `created_at` or `keywords`;
    `body` starts at line `begin`.
    """
    properties = note.front_matter
    category = properties.get("category")
    said = None
    if isinstance(category, str):
        said = type_meaning(category)
    if said is None or not ("created_at" in properties or "keywords" in properties):
        return None
    line = fact_line.parse_fact(body)
    if not line.text:
        return None
    last = len(note.lines)
    while not note.shown[last - 1].strip():
        last -= 1
    while not note.shown[begin - 1].strip():
        begin += 1
    item = Item(begin, last, last, line.text, False)
    date = note.date or note.updated
    place = HeadingRules(
        True,
        said.type,
        milestone=said.milestone,
        subtype=said.subtype,
        date=date,
        dated=_date_origin(date, in_name=False),
    )
    fact = _fact(item, line, place, note, note.links)
    tags = dict.fromkeys(tag.name for tag in note.tags if not tag.line)
    fact = fact._replace(tags=tuple(tags | dict.fromkeys(fact.tags)))
    return _with_keys([fact], note.path)[0]
