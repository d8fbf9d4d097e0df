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

from . import comments, fact_line, facts, front_matter, inline, markdown, outline
from .blocks import Block, decode
from .path_meaning import (
    day_of_path,
    is_day_or_month,
    kind_of_path,
    kind_of_word,
    title_of_path,
)

_PROBLEM_LIMIT = 20
_DATE_KEYS = (
    "date",
    "created",
    "created_at",
    "date_created",
    "creation_date",
    "createdat",
    "created_on",
)
_UPDATED_KEYS = (
    "updated",
    "last_updated",
    "updated_at",
    "modified",
    "last_modified",
    "date_modified",
    "lastmod",
    "updatedat",
)


def parse(path: str, data: bytes, *, daily_folder: str = "memory") -> Note:
    """The note in a file's bytes.

    `path` is vault-relative with `/`; `daily_folder` is where `DATE-slug.md` is a daily note
    besides the usual folders. Every non-blank line that is neither heading nor front matter is in
    exactly one unit.
    """
    lines, problems = decode(data)
    front = front_matter.read(lines)
    body = comments.read(lines, front.lines)
    if "<<<<<<<" in body.text:
        torn = markdown.conflicts(lines, front.lines, body.blocks)
    else:
        torn = []
    if torn:
        body = comments.read(markdown.blanked(lines, torn), front.lines)
    trouble = (*body.problems, *map(markdown.conflict_problem, torn[:_PROBLEM_LIMIT]))
    found = body.blocks
    if body.shown is not body.lines:
        shown = body.shown
    else:
        shown = lines
    values = {**front_matter.header(shown, front.lines), **front.values}
    properties = {**front_matter.header(shown, front.lines, every=True), **front.values}
    named = {
        key.lower().replace(" ", "_").replace("-", "_"): value for key, value in values.items()
    }
    reader = inline.Inline(body.text, body.lines, front.lines + 1, found, body.formulas)
    links = [*_front_links(lines, front), *inline.links(reader)]
    tags = inline.tags(reader)
    most = inline.LINK_LIMIT
    if len(links) > most or len(tags) > most:
        trouble = (
            *trouble,
            Problem(front.lines + 1, "size", f"only the first {most:,} links and tags are read"),
        )
    sections = outline.sections(found, shown, front.lines + 1)
    if front.broken:
        sections = _with_front(sections, list(outline.loose(1, front.lines, lines)))
    day = day_of_path(path, daily_folder)
    kind = (
        kind_of_word(named.get("type"))
        or kind_of_word(named.get("category"))
        or kind_of_path(path, day)
    )
    date = day or _first_day(named, _DATE_KEYS)
    updated = _first_day(named, _UPDATED_KEYS)
    note = Note(
        path=path,
        kind=kind,
        title=_title(named, found, shown, path, day),
        aliases=_words(named, ("aliases", "alias", "also_known_as")),
        tags=(*_front_tags(named), *tags[:most]),
        date=date,
        updated=updated,
        private=front_matter.is_private(lines, front),
        front_matter=properties,
        lines=lines,
        sections=tuple(sections),
        facts=(),
        links=tuple(links[:most]),
        tasks=(),
        blocks=tuple(outline.anchors(reader, found)),
        problems=(*problems, *front.problems, *trouble),
        parents=outline.parents(found, shown),
        silent=markdown.silent(found, shown, body.text) | _emptied(lines, shown),
        shown=tuple(shown),
    )
    return _with_items(
        note, found, "\n".join(lines[front.lines :]), front.lines, torn, named=bool(day)
    )


def _emptied(lines: Sequence[str], shown: Sequence[str]) -> frozenset[int]:
    """The lines that hold nothing but comments."""
    if shown is lines:
        return frozenset()
    both = enumerate(zip(lines, shown, strict=True), 1)
    return frozenset(number for number, (line, left) in both if line.strip() and not left.strip())


def _with_items(
    note: Note,
    found: Sequence[Block],
    text: str,
    front: int,
    torn: Sequence[markdown.Conflict],
    named: bool,
) -> Note:
    """The note with its tasks and facts, which need its sections, links and date."""
    places = facts.places(note, in_name=named)
    holding = any(place.holds_facts and not place.only_dated for place in places)
    holding = holding or (any(place.holds_facts for place in places) and facts.may_hold_dates(text))
    has_tasks = facts.may_hold_tasks(text)
    if holding or has_tasks:
        items = facts.items(found, note.shown)
    else:
        items = []
    if has_tasks:
        tasks = [task for item in items if (task := facts.task(item))]
    else:
        tasks = []
    made: list[Fact] = []
    body = note.shown[front:]
    if "category" in note.front_matter:
        whole = facts.whole_note(note, "\n".join(body), front + 1)
    else:
        whole = None
    if whole:
        made = [whole]
    elif holding:
        shut = {line for span in torn for line in range(span.first, span.last + 1)}
        shut.update(outline.generated(text, front + 1))
        shut.update(
            item.first for item in items if note.silent.issuperset(range(item.first, item.last + 1))
        )
        made = facts.facts(note, places, [item for item in items if item.first not in shut])
    problems = (*note.problems, *_fact_problems(made, note, places))
    sections = outline.with_status(note.sections, made, note.shown)
    return note._replace(
        facts=tuple(made), tasks=tuple(tasks), sections=tuple(sections), problems=problems
    )


def _fact_problems(
    made: Sequence[Fact], note: Note, where: Sequence[facts.HeadingRules]
) -> list[Problem]:
    """Every problem of a note's facts; `where` are the places of its sections."""
    return [
        *_duplicates(made)[:_PROBLEM_LIMIT],
        *_unknown_words(made)[:_PROBLEM_LIMIT],
        *_under_history(facts.appended(made, note, where))[:_PROBLEM_LIMIT],
    ]


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
            wish = fact_line.meant(item)
            if wish:
                told = f"; did you mean {wish!r}?"
            else:
                told = ""
            found.append(
                Problem(fact.last, TAIL_WORD, f"unknown word after the date: {item!r}{told}")
            )
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
    if sections and not sections[0].heading:
        first = sections[0]
        return [first._replace(first=units[0].first, units=(*units, *first.units)), *sections[1:]]
    return [Section((), 0, units[0].first, units[-1].last, tuple(units)), *sections]


def _front_links(lines: Sequence[str], front: front_matter.FrontMatter) -> list[Link]:
    if not any("[[" in line or "](" in line for line in lines[: front.lines]):
        return []
    from . import front_links

    return front_links.links(lines, front)


def _first_day(named: Mapping[str, Any], keys: Sequence[str]) -> str | None:
    return next(
        (day for key in keys if key in named and (day := front_matter.day(named[key]))), None
    )


def _words(named: Mapping[str, Any], keys: Sequence[str]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            [word for key in keys if key in named for word in front_matter.words(named[key])]
        )
    )


def _front_tags(named: Mapping[str, Any]) -> tuple[Tag, ...]:
    """The tags and keywords of the front matter: a list, or text with commas or spaces between
    them."""
    found: list[str] = []
    for key in ("tags", "tag", "keywords", "keyword"):
        value = named.get(key)
        if isinstance(value, str) and "," not in value and "[[" not in value:
            value = value.split()
        found += [
            word.removeprefix("#").removeprefix("[[").strip("/")
            for word in front_matter.words(value)
        ]
    return tuple([Tag(name, 0) for name in dict.fromkeys(found) if name])


def _title(
    named: Mapping[str, Any],
    found: Sequence[Block],
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
    value = named.get("title")
    if isinstance(value, str | int | float) and value is not True:
        said = " ".join(str(value).split())
    else:
        said = ""
    title = said[: inline.HEADING_LIMIT].rstrip()  # it stands in every chunk of the note
    name = title_of_path(path, day)
    if not title and name != day:
        if found:
            head = found[0]
        else:
            head = None
        if head and head.level == 1 and not head.depth:
            title = outline.heading_text(lines, head)
        else:
            title = ""
        if not day and is_day_or_month(title) and re.search(r"[^\W\d_]{4}", name):
            title = ""
    return title or name
