"""Placement of a new line in a note: the end of a section, a section that is still to be made, or
History.

Looks at a parsed note and its lines, and gives the place and what has to stand around the line
there, in the manner of the note: its bullets, its blank lines, its heading levels.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from indexer.note import Fact, Note, Section
from indexer.reading import facts, front_matter
from indexer.reading.blocks import Block
from indexer.reading.outline import is_bare_outline, levels
from indexer.reading.path_meaning import day_of_path
from indexer.reading.type_words import Meaning, is_fact_heading, normal_heading, type_meaning
from indexer.spelling import ISO_DAY

DEFAULT_HEADINGS = {
    "fact": "Facts",
    "preference": "Preferences",
    "decision": "Decisions",
    "instruction": "Rules",
    "identity": "Identity",
    "event": "Timeline",
    "observation": "Observations",
    "plan": "Plans",
    "status": "Status",
    "relationship": "Relationships",
    "summary": "Facts",
}
"""The heading under which a type of fact is looked for by default."""

_BULLET = re.compile(r"([ \t]*)(?:([-*+])|(\d{1,9})([.)]))([ \t]+)")
_UPDATED = re.compile(
    r"(?i)(last[ _-]?updated|updated(?:[ _-]?at)?|last[ _-]?mod(?:ified)?|modified)\b"
)
_FRONT_DAY = re.compile(rf"([A-Za-z_ -]{{1,30}}:[ \t]+[\"']?)({ISO_DAY})([\"']?[ \t]*(?:#.*)?)")
_BOLD_DAY = re.compile(rf"(\*\*([A-Za-z ]{{1,30}})(?::\*\*|\*\*[ ]?:)[ \t]*)({ISO_DAY})(?![\dT])")
_HEADER_LINES = 40


class LinePlacement(NamedTuple):
    """Where a line goes: behind line `line`, with `bullet`, `before` and `after` it; `made` if that
    makes a section."""

    line: int
    before: tuple[str, ...] = ()
    bullet: str = "- "
    after: tuple[str, ...] = ()
    made: bool = False


class Choice(NamedTuple):
    """A section that takes facts of a type: its heading, "" for the end of the note, and the type
    it implies."""

    heading: str
    type: str


def place_for(
    note: Note,
    kind: str,
    daily_folder: str = "memory",
) -> Choice:
    """The section of a note where a fact of a type belongs: one of its own, else of facts, else one
    to be made.

    `kind` is any type word; of several sections of its type the one goes first that is called by
    it. A daily note, and a note about one thing that has no headings, take it at their end.
    """
    places = facts.section_places(note, in_name=day_of_path(note.path, daily_folder) is not None)
    named = _fact_headings(note, places)
    for wanted in dict.fromkeys((kind.lower(), "fact")):
        said = type_meaning(wanted) or Meaning("fact")
        of_type = (said.type, said.milestone)
        fitting = [head for head, place in named if (place.type, place.milestone) == of_type]
        called = [head for head in fitting if normal_heading(head) in (wanted, wanted + "s")]
        for heading in (*called, *fitting):
            return Choice(heading, said.type)
    if note.kind == "daily" or _is_bare(note):
        return Choice("", places[-1].type if places and places[-1].holds_facts else "fact")
    return Choice(DEFAULT_HEADINGS["fact"], "fact")


def _fact_headings(
    note: Note, places: Sequence[facts.HeadingRules]
) -> list[tuple[str, facts.HeadingRules]]:
    """The headings of a note that facts that hold may be put under, each with its place."""
    found: list[tuple[str, facts.HeadingRules]] = []
    for section, place in zip(note.sections, places, strict=False):
        if not section.level or not _takes_facts(place):
            continue
        heading = section.heading[-1]
        if is_fact_heading(heading):
            found.append((heading, place))
    return found


def _takes_facts(place: facts.HeadingRules) -> bool:
    """Whether what is put under a heading is a fact that holds."""
    return place.holds_facts and place.status == "active"


def insertion_point(
    note: Note,
    heading: str,
    texts: Sequence[str],
    blocks: Sequence[Block],
    *,
    outline: bool = False,
) -> LinePlacement:
    """Where one more line of a section goes; the section is made where there is none, "" is the end
    of the note.

    With `outline` one that is made is a list item itself, as Logseq wants it.
    """
    if not heading:
        return _at_end(note, texts, blocks)
    nested = _nested(note, heading, texts, blocks)
    if nested:
        return nested
    wanted = normal_heading(heading)
    for section in note.sections:
        if section.level and normal_heading(section.heading[-1]) == wanted:
            return _in_section(note, section, texts, blocks)
    if outline:
        return _made_nested(heading, "", texts)
    own = levels(note.sections)
    is_titled = _is_titled(own)
    below = [section for section in note.sections if not is_titled or section.level != 1]
    return _made(note, heading, _level_of_parts(own), below, len(texts), texts)


def spot_of_history(
    note: Note,
    fact: Fact,
    texts: Sequence[str],
    blocks: Sequence[Block],
) -> LinePlacement | None:
    """Where a fact goes that is past: the end of the nearest History, which is made if there is
    none.

    None where there can be none: a daily note is only added to, and in a note without headings a
    first one would unmake its facts.
    """
    number = max(0, bisect_right([section.first for section in note.sections], fact.first) - 1)
    own = note.sections[number]
    if own.end:
        head = next(each for each in note.sections if each.level and each.end == own.end)
        indent = _indent(texts[head.first - 1])
        nested = _nested(note, "History", texts, blocks)
        return nested or _made_nested("History", indent, texts)
    if note.kind == "daily" or _is_bare(note):
        return None
    history = _nearest_history(note, own)
    if history:
        return _in_section(note, history, texts, blocks)
    return _made_history(note, number, texts)


def _nearest_history(note: Note, own: Section) -> Section | None:
    """The History beside a section, else beside what it is a part of, and so on."""
    histories = [
        section
        for section in note.sections
        if section.level and not section.end and facts.is_history_heading(section.heading[-1])
    ]
    beside = [
        each for each in histories if own.heading[: len(each.heading) - 1] == each.heading[:-1]
    ]
    return max(beside, key=lambda each: len(each.heading), default=None)


def _made_history(
    note: Note,
    number: int,
    texts: Sequence[str],
) -> LinePlacement:
    """A History that is still to be made beside a section, or in it where it is the whole note."""
    sections = note.sections
    own = sections[number]
    all_levels = levels(sections)
    if own.level > 1 or (own.level == 1 and not _is_titled(all_levels)):
        level = own.level
        parent = own.heading[:-1]
    else:
        level = _level_of_parts(all_levels)
        parent = own.heading
    first = number
    while first and sections[first - 1].heading[: len(parent)] == parent:
        first -= 1
    behind = number + 1
    while behind < len(sections) and sections[behind].heading[: len(parent)] == parent:
        behind += 1
    end = sections[behind].first - 1 if behind < len(sections) else len(texts)
    return _made(note, "History", level, sections[first:behind], end, texts)


def spot_of_appended(
    note: Note,
    texts: Sequence[str],
    blocks: Sequence[Block],
) -> tuple[int, LinePlacement] | None:
    """The number of a line that was only appended below History, and where the other facts are, to
    which it belongs; None where there is no such line, and for a daily note."""
    if note.kind == "daily":
        return None
    for fact in facts.appended(note.facts, note, facts.section_places(note, in_name=False)):
        whole = next(
            (block.last for block in blocks if block.kind == "item" and block.first == fact.first),
            0,
        )
        if whole == fact.first and not texts[whole - 1][0].isspace():
            return whole, insertion_point(note, place_for(note, "fact").heading, texts, blocks)
    return None


def _nested(
    note: Note,
    heading: str,
    texts: Sequence[str],
    blocks: Sequence[Block],
) -> LinePlacement | None:
    """Behind what is nested in a list item `- ## Heading`, None where there is none."""
    head = next(
        (each for each in note.sections if each.end and each.level and _is_called(each, heading)),
        None,
    )
    if head is None:
        return None
    items = [block for block in blocks if block.kind == "item"]
    depth = max(block.depth for block in items if block.first == head.first)
    inner = [
        block.first
        for block in items
        if block.depth == depth + 1 and head.first < block.first <= head.end
    ]
    bullet = _indent(texts[head.first - 1]) + "\t- "
    if inner:
        bullet = _bullet(texts[inner[-1] - 1])
    return LinePlacement(head.end, (), bullet)


def _is_called(section: Section, heading: str) -> bool:
    """Whether a section has this heading, whatever a History is called."""
    own = section.heading[-1]
    if facts.is_history_heading(heading):
        return facts.is_history_heading(own)
    return normal_heading(own) == normal_heading(heading)


def _indent(line: str) -> str:
    return line[: len(line) - len(line.lstrip())]


def _made_nested(
    heading: str,
    indent: str,
    texts: Sequence[str],
) -> LinePlacement:
    """A list item `- ## Heading` that is still to be made at the end of the note."""
    return LinePlacement(
        _last_line(len(texts), texts), (f"{indent}- ## {heading}",), f"{indent}\t- ", made=True
    )


def updated_line(texts: Sequence[str], day: str) -> tuple[int, str] | None:
    """The line that says when a note was updated: its number, and how it is with `day`; None for
    none or a later."""
    front = front_matter.read_front_matter(texts).lines
    for number, line in enumerate(texts[: front + _HEADER_LINES], 1):
        if number <= front:
            found = _FRONT_DAY.fullmatch(line)
            if found and _UPDATED.match(found[1]) and found[2] < day:
                return number, f"{found[1]}{day}{found[3]}"
            continue
        for bold in _BOLD_DAY.finditer(line):
            if _UPDATED.fullmatch(bold[2].strip()) and bold[3] < day:
                return number, f"{line[: bold.start(3)]}{day}{line[bold.end(3) :]}"
    return None


def _is_titled(own: Sequence[int]) -> bool:
    """Whether the first of these levels is that of the note's title: the only one of level 1."""
    return list(own[:1]) == [1] and own.count(1) == 1


def _level_of_parts(own: Sequence[int]) -> int:
    """The level of the sections of a note, by the levels of its headings."""
    if _is_titled(own) or not own:
        return 2
    return min(own)


def _is_bare(note: Note) -> bool:
    """Whether a note about one thing has no heading but its title, so that every item of it is a
    fact."""
    return note.kind in facts.ENTITY_KINDS and is_bare_outline(note.sections) and bool(note.facts)


def _in_section(
    note: Note,
    section: Section,
    texts: Sequence[str],
    blocks: Sequence[Block],
) -> LinePlacement:
    """Behind the last list item of a section, else behind its text."""
    found = [
        block
        for block in blocks
        if block.kind == "item" and not block.depth and section.first <= block.first <= section.last
    ]
    if not found:
        end = _last_comment(note, section.last)
        airy = end > section.first or is_airy(note)  # text, a comment, or a heading alone
        return LinePlacement(end, ("",) if airy else (), after=gap(end, texts))
    last = found[-1]
    loose = len(found) > 1 and not texts[last.first - 2].strip()
    return LinePlacement(last.last, ("",) if loose else (), _bullet(texts[last.first - 1]))


def _last_comment(note: Note, line: int) -> int:
    """The last line of the comments right behind a line, or that line."""
    found = line
    while line < len(note.lines) and not note.shown[line].strip():
        line += 1
        if note.lines[line - 1].strip():
            found = line
    return found


def _at_end(
    note: Note,
    texts: Sequence[str],
    blocks: Sequence[Block],
) -> LinePlacement:
    if note.sections and note.sections[-1].last:
        own = next((each for each in reversed(note.sections) if not each.end), note.sections[0])
        found = _in_section(note, own._replace(last=note.sections[-1].last), texts, blocks)
        if found.line == _last_line(len(texts), texts):
            return found._replace(after=())
    line = _last_line(len(texts), texts)
    return LinePlacement(line, ("",) if line else ())


def _made(
    note: Note,
    heading: str,
    level: int,
    among: Sequence[Section],
    end: int,
    texts: Sequence[str],
) -> LinePlacement:
    """A section that is still to be made: before the first of its level that comes later by custom,
    else at the end."""
    mine = _rank(heading)
    same = [section for section in among if section.level == level and not section.end]
    later = (section for section in same if 0 <= mine < _rank(section.heading[-1]))
    before = next(later, None)
    if before:
        end = before.first - 1
    elif same and facts.is_history_heading(heading) and end == len(texts) and _ends_in_facts(note):
        # a History at the very end would take what an editor or a shell puts behind the last line
        end = same[-1].first - 1
    line = _last_line(end, texts)
    head = [f"{'#' * level} {heading}"]
    if line:
        head.insert(0, "")
    if is_airy(note):
        head.append("")
    return LinePlacement(line, tuple(head), after=gap(line, texts), made=True)


def _ends_in_facts(note: Note) -> bool:
    """Whether a dated line at the end of a note is a fact that holds."""
    places = facts.section_places(note, in_name=False)
    return bool(places) and _takes_facts(places[-1])


def _rank(heading: str) -> int:
    """The position of a usual section among the others, -1 for any other heading."""
    words = normal_heading(heading)
    if words in {"summary", "tl;dr", "tldr"}:
        return 0
    if facts.is_history_heading(heading):
        return 3
    if words in {"relationships", "relations", "connections"}:
        return 2
    if is_fact_heading(heading):
        return 1
    if words in {"notes", "note"}:
        return 4
    return -1


def is_airy(note: Note) -> bool:
    """Whether the note keeps an empty line below its headings, underlined ones too, as most do."""
    texts = [
        section.units[0].first
        for section in note.sections
        if section.level and section.units and not section.end
    ]
    gaps = [not note.lines[first - 2].strip() for first in texts]
    return gaps.count(True) >= gaps.count(False)


def gap(line: int, texts: Sequence[str]) -> tuple[str, ...]:
    """An empty line after what is put behind `line`, where something else would follow at once."""
    if line < len(texts) and texts[line].strip():
        return ("",)
    return ()


def _last_line(end: int, texts: Sequence[str]) -> int:
    """The last line that is not empty, up to line `end`."""
    while end and not texts[end - 1].strip():
        end -= 1
    return end


def _bullet(line: str) -> str:
    """The bullet of the next item of a list, from the line of one."""
    found = _BULLET.match(line)
    if not found:
        return "- "
    indent, sign, number, stop, space = found.groups()
    return f"{indent}{sign or f'{int(number) + 1}{stop}'}{space}"
