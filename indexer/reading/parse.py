"""Text → Note: never raises, depends on nothing but its arguments.

Codes of the problems it reports: `encoding`, `nul`, `binary`, `size` (how the bytes were read),
`front-matter`, `structure` (read as plain text), `comment` (nothing closes it), `conflict` (merge
markers), `duplicate-id`, `tail-word` (a word that no tail of a fact has), `history-line` (a line
under History that counts as true).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from indexer.note import HISTORY_LINE, TAIL_WORD, Fact, Link, Note, Problem, Section, Tag, Unit
from indexer.spelling import single_spaced

from . import comments, fact_line, facts, front_matter, inline, markdown, outline
from .blocks import Block, decode
from .kinds import kind_of_note
from .path_meaning import (
    KindRules,
    day_of_path,
    is_day_or_month,
    title_of_path,
)

_Named = Mapping[str, Any]
"""What the top of a note says, by keys in lower case with `_` between their words."""

_PROBLEM_LIMIT = 20


def parse(
    path: str,
    data: bytes,
    *,
    daily_folder: str = "memory",
    kinds: KindRules = (),
) -> Note:
    """The note in a file's bytes.

    `path` is vault-relative with `/`; `daily_folder` is where `DATE-slug.md` is a daily note
    besides the usual folders, `kinds` are what a person's settings say of kinds. Every non-blank
    line that is neither heading nor front matter is in exactly one unit.
    """
    lines, problems = decode(data)
    front = front_matter.read_front_matter(lines)
    body = comments.read_uncommented(lines, front.lines)
    torn: Sequence[markdown.Conflict] = ()
    if "<<<<<<<" in body.text:
        torn = markdown.conflicts(lines, front.lines, body.blocks)
        if torn:
            body = comments.read_uncommented(markdown.blank_conflicts(lines, torn), front.lines)
    trouble = [*body.problems, *map(markdown.conflict_problem, torn[:_PROBLEM_LIMIT])]
    shown: Sequence[str] = lines
    if body.shown is not body.lines:
        shown = body.shown
    header = front_matter.header(shown, front.lines)
    properties = front_matter.header(shown, front.lines, every=True)
    properties.update(front.values)
    named: dict[str, Any] = {}
    for key, value in {**header, **front.values}.items():
        named[key.lower().replace(" ", "_").replace("-", "_")] = value
    begin = front.lines + 1
    reader = inline.Inline(body.text, body.lines, begin, body.blocks, body.formulas)
    links = [*_front_links(lines, front), *inline.inline_links(reader)]
    tags = inline.inline_tags(reader)
    most = inline.LINK_LIMIT
    if len(links) > most or len(tags) > most:
        message = f"only the first {most:,} links and tags are read"
        trouble.append(Problem(begin, "size", message))
    sections = outline.sections(body.blocks, shown, begin)
    if front.broken:
        sections = _with_front(sections, list(outline.loose(1, front.lines, lines)))
    day = day_of_path(path, daily_folder)
    silent = markdown.silent(body.blocks, shown, body.text)
    note = Note(
        path=path,
        kind=kind_of_note(path, day, properties, kinds).kind,
        title=_title(named, body.blocks, shown, path, day),
        aliases=_words(named, ("aliases", "alias", "also_known_as")),
        tags=(*_front_tags(named), *tags[:most]),
        date=day or _first_day(named, front_matter.DATE_KEYS),
        updated=_first_day(named, front_matter.UPDATED_KEYS),
        private=front_matter.is_top_private(lines, front),
        front_matter=properties,
        lines=lines,
        sections=tuple(sections),
        facts=(),
        links=tuple(links[:most]),
        tasks=(),
        blocks=tuple(outline.block_anchors(reader, body.blocks)),
        problems=(*problems, *front.problems, *trouble),
        parents=outline.parents(body.blocks, shown),
        silent=silent | _emptied(lines, shown),
        shown=tuple(shown),
    )
    return _with_items(note, body.blocks, front.lines, torn, named=bool(day))


def _said_title(value: object) -> str:
    """The title that front matter gives, "" for none; it stands in every chunk of the note."""
    if isinstance(value, str | int | float) and value is not True:
        return single_spaced(str(value))[: inline.HEADING_LIMIT].rstrip()
    return ""


def _emptied(lines: Sequence[str], shown: Sequence[str]) -> frozenset[int]:
    """The lines that hold nothing but comments."""
    if shown is lines:
        return frozenset()
    pairs = enumerate(zip(lines, shown, strict=True), 1)
    return frozenset(number for number, (was, left) in pairs if was.strip() and not left.strip())


def _with_items(
    note: Note,
    blocks: Sequence[Block],
    front: int,
    torn: Sequence[markdown.Conflict],
    *,
    named: bool,
) -> Note:
    """The note with its tasks and facts, which need its sections, links and date.

    `front` is the number of lines of its front matter, `named` whether its date is in its name.
    """
    text = "\n".join(note.lines[front:])
    places = facts.section_places(note, in_name=named)
    held = [place for place in places if place.holds_facts]
    has_facts = bool(held)
    if all(place.only_dated for place in held):
        has_facts = has_facts and facts.may_hold_dates(text)
    has_tasks = facts.may_hold_tasks(text)
    if has_facts or has_tasks:
        items = facts.items(blocks, note.shown)
    else:
        items = []
    tasks = map(facts.parse_task, items if has_tasks else ())
    made: list[Fact] = []
    whole = None
    if "category" in note.front_matter:
        body = "\n".join(note.shown[front:])
        whole = facts.whole_note(note, body, front + 1)
    if whole:
        made = [whole]
    elif has_facts:
        shut = _shut_lines(text, front, torn)
        telling = [
            item
            for item in items
            if item.first not in shut
            and not note.silent.issuperset(range(item.first, item.last + 1))
        ]
        made = facts.note_facts(note, places, telling)
    return note._replace(
        facts=tuple(made),
        tasks=tuple(filter(None, tasks)),
        sections=tuple(outline.with_status(note.sections, made, note.shown)),
        problems=(
            *note.problems,
            *_duplicates(made)[:_PROBLEM_LIMIT],
            *_unknown_words(made)[:_PROBLEM_LIMIT],
            *_under_history(facts.appended(made, note, places))[:_PROBLEM_LIMIT],
        ),
    )


def _shut_lines(text: str, front: int, torn: Sequence[markdown.Conflict]) -> set[int]:
    """The lines that no facts are read from: generated ones, and those of merge conflicts."""
    shut = set(outline.generated_lines(text, front + 1))
    for conflict in torn:
        shut.update(range(conflict.first, conflict.last + 1))
    return shut


def _duplicates(made: Sequence[Fact]) -> list[Problem]:
    """A problem for each fact whose id an earlier fact of the note has."""
    first = {fact.id: fact.first for fact in reversed(made)}
    return [
        Problem(
            fact.first,
            "duplicate-id",
            f"two lines have the id ^{fact.id}: this one and line {first[fact.id]}",
        )
        for fact in made
        if fact.id and fact.key != fact.id
    ]


def _unknown_words(made: Sequence[Fact]) -> list[Problem]:
    """A problem for each item of a tail that is no word of one, with the word that may be meant."""
    found: list[Problem] = []
    for fact in made:
        for item in fact.unknown:
            message = f"unknown word after the date: {item!r}"
            wish = fact_line.meant_by_item(item)
            if wish:
                message += f"; did you mean {wish!r}?"
            found.append(Problem(fact.last, TAIL_WORD, message))
    return found


def _under_history(made: Sequence[Fact]) -> list[Problem]:
    """A problem for each fact under History that holds."""
    return [
        Problem(
            fact.first,
            HISTORY_LINE,
            f"under ## {fact.heading[-1]}, but not struck, so it counts as true: {fact.text}",
        )
        for fact in made
    ]


def _with_front(sections: Sequence[Section], units: list[Unit]) -> list[Section]:
    """The sections with a broken front matter as text before everything else."""
    if not units:
        return list(sections)
    begin = units[0].first
    if sections and not sections[0].heading:
        top = sections[0]
        top = top._replace(first=begin, units=(*units, *top.units))
        return [top, *sections[1:]]
    top = Section((), 0, begin, units[-1].last, tuple(units))
    return [top, *sections]


def _front_links(lines: Sequence[str], front: front_matter.FrontMatter) -> list[Link]:
    if not any("[[" in line or "](" in line for line in lines[: front.lines]):
        return []
    from . import front_links

    return front_links.front_links(lines, front)


def _first_day(named: _Named, keys: Sequence[str]) -> str | None:
    days = (front_matter.parse_day(named[key]) for key in keys if key in named)
    return next(filter(None, days), None)


def _words(named: _Named, keys: Sequence[str]) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for key in keys:
        found.update(dict.fromkeys(front_matter.split_words(named.get(key))))
    return tuple(found)


def _front_tags(named: _Named) -> tuple[Tag, ...]:
    """The tags and keywords of the front matter: a list, or text with commas or spaces between
    them."""
    found: list[str] = []
    for key in ("tags", "tag", "keywords", "keyword"):
        found += front_matter.tag_words(named.get(key))
    return tuple([Tag(name, 0) for name in dict.fromkeys(found) if name])


def _title(
    named: _Named,
    blocks: Sequence[Block],
    lines: Sequence[str],
    path: str,
    day: str | None,
) -> str:
    """Front matter's title, as long as a heading may be, else the level 1 heading the text begins
    with, else the file's name: a heading further down is part of the text, as in the tools that
    name notes by their files. A note named by its day alone is called so, whatever it begins with,
    and a heading that is only a day or a month names the first part of a log, not the note, unless
    the file is named by days too.
    """
    title = _said_title(named.get("title"))
    if title:
        return title
    name = title_of_path(path, day)
    if name == day or not blocks or blocks[0].level != 1 or blocks[0].depth:
        return name
    title = outline.heading_text(lines, blocks[0])
    if not day and is_day_or_month(title) and re.search(r"[^\W\d_]{4}", name):
        return name
    return title or name
