"""Notes, facts, tasks, tags and links as text for people: values in, text out. JSON is
json_text.py.

Everything that comes from a note or a file name passes through terminal.py. Nothing here knows a
stream; `paint` knows whether the reader is a terminal that wants colours and links.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from indexer.reading.path_meaning import is_archived
from indexer.spelling import plural, single_spaced

from .hits import backlink_line, mention_words, name
from .json_text import unless_active
from .page import list_text
from .terminal import BOLD, MARK_CODE, PLACE, Paint, escape_controls, lined, linked_place, one_line

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurelius.answers.excerpts import Excerpt
    from aurelius.answers.note_view import LinkView, Listed, MentionView, NoteView
    from indexer.catalog.edges import Relation
    from indexer.catalog.graph import LinkRow
    from indexer.catalog.lists import NoteRow, TagRow, TaskRow
    from indexer.catalog.mentions import MentionLine
    from indexer.catalog.newer import Newer
    from indexer.note import Fact
    from indexer.usage.tier import Age

    from .page import Page


def excerpt_text(found: Excerpt) -> str:
    """The lines of a note unchanged, except characters that control a terminal."""
    return lined(map(escape_controls, found.lines))


def note_text(
    view: NoteView,
    of_note: Age,
    of_facts: Mapping[str, Age],
    *,
    with_facts: bool,
    paint: Paint,
) -> str:
    """A note at a glance: what it is, its properties, its summary or beginning, its links; its
    facts on demand."""
    first = [
        f"{paint(one_line(view.title), BOLD)}  {paint.place(view.path)}",
        _about(view, "" if paint.brief else of_note.tier),
        *(f"{one_line(key)}: {one_line(value)}" for key, value in _other_properties(view)),
    ]
    text = escape_controls(view.summary or view.opening).strip("\n")
    facts = []
    if with_facts:
        facts = _fact_lines(view, of_facts, paint)
    parts = [
        first,
        [text] if text else [],
        facts,
        _outlined(view, with_facts=with_facts),
        _mentioned(view, paint),
        _link_lines(view, paint, ((line.path, line.line) for line in view.mentioned)),
    ]
    problems = [f"problem at line {each.line}: {one_line(each.message)}" for each in view.problems]
    return "\n".join(lined(each) for each in parts if each) + lined(problems)


def _mentioned(view: NoteView, paint: Paint) -> list[str]:
    """How many lines of other notes name a note, and the newest of them."""
    if not view.mentions:
        return []
    more = " (`aurelius links NOTE --mentions` shows all)" * (view.mentions > len(view.mentioned))
    names = (view.title, *view.aliases)
    rows = [_mention(line, names, paint) for line in view.mentioned]
    return [f"Mentions ({view.mentions:,}), newest first{more}:", *rows]


def _mention(line: MentionLine, names: Iterable[str], paint: Paint) -> str:
    """A line that names a note: its place, its date where that does not tell it, and the words
    around the name."""
    place = paint.at(line.path, line.line)
    date = f"  {line.date}" * (bool(line.date) and line.date not in line.path)
    return f"« {place}{date}  {one_line(mention_words(line, names))}"


def mentions_text(found: MentionView, page: Page, *, paint: Paint) -> str:
    """How many lines of other notes name a note, then each of them."""
    lines = found.lines[page.rows]
    rows = [_mention(line, found.names, paint) for line in lines]
    counts = f"{len(found.lines):,} {plural('mention', len(found.lines))} of {one_line(found.path)}"
    return list_text(counts, rows, len(found.lines), page, "date")


def _fact_lines(view: NoteView, ages: Mapping[str, Age], paint: Paint) -> list[str]:
    """The facts of a note, a line each."""
    lines = []
    for fact in view.facts:
        at = paint(f":{fact.first}", PLACE)
        line = fact_row(at, fact, paint, ages[fact.key].tier)
        others = related(view.relations.get(fact.key, ()))
        lines.append(line + others + newer(view.newer.get(fact.key)))
    return lines


def _outlined(view: NoteView, *, with_facts: bool) -> list[str]:
    """How many facts a note has where they are not shown, or the headings of one without any."""
    if view.facts and not with_facts:
        counts = Counter(fact.status for fact in view.facts)
        told = ", ".join(f"{count} {status}" for status, count in counts.items())
        return [f"facts: {told} (--facts shows them)"]
    if view.facts or view.summary.strip():
        return []
    return [f":{at.line}  {'#' * at.level} {one_line(at.text)}" for at in view.headings]


def notes_text(
    listed: Listed,
    page: Page,
    order: str,
    *,
    paint: Paint,
) -> str:
    """How many notes of each kind, then a line a note: date, kind, tier, path, title."""
    found = listed.found
    rows = [
        f"{row.date or row.updated or '':10}  {row.kind:8}  "
        f"{'' if paint.brief else f'{listed.ages[row.path].tier:4}  '}"
        f"{paint.place(row.path)}  {one_line(name(row.title))}{_aside(row)}"
        for row in found.notes
    ]
    return list_text(_many(found.total, "note", found.kinds), rows, found.total, page, order)


def _aside(row: NoteRow) -> str:
    """That a note of another kind lies in the archive."""
    if is_archived(row.path) and row.kind != "archive":
        return "  (archived)"
    return ""


def facts_text(
    listed: Listed,
    page: Page,
    order: str,
    *,
    paint: Paint,
) -> str:
    """How many facts of each type, then a line a fact: place, id, text, date, tier."""
    found = listed.found
    rows = [
        fact_row(
            paint.at(path, fact.first),
            fact,
            paint,
            listed.ages[fact.key].tier,
        )
        for path, fact in found.facts
    ]
    return list_text(_many(found.total, "fact", found.types), rows, found.total, page, order)


def tasks_text(
    found: Sequence[TaskRow],
    page: Page,
    today: str,
    *,
    paint: Paint,
) -> str:
    """How many are open, done and cancelled, then a line a task: place, box, text, when due."""
    cancelled = sum(row.is_cancelled for row in found)
    done = sum(row.done for row in found) - cancelled
    head = f"{len(found) - done - cancelled:,} open"
    # none of the others may have been asked for
    if done:
        head += f", {done:,} done"
    if cancelled:
        head += f", {cancelled:,} cancelled"
    rows = [task(row, today, paint) for row in found[page.rows]]
    return list_text(head, rows, len(found), page, "due day")


def task(row: TaskRow, today: str, paint: Paint) -> str:
    """A task on one line: place, box, text, when due."""
    at = paint.at(row.path, row.line)
    return f"{at}  [{one_line(row.mark)}] {one_line(row.text)}{_when_due(row, today)}"


def _when_due(row: TaskRow, today: str) -> str:
    """Behind a task: its day where the text does not say it, and that it is past."""
    told = []
    if row.due and row.due not in row.text:
        told.append(f"due {row.due}")
    if row.is_overdue(today):
        told.append("overdue")
    return f"  ({', '.join(told)})" if told else ""


def tags_text(found: Sequence[TagRow], page: Page) -> str:
    """How many tags, then a line a tag: how many notes have it, and its name."""
    width = max((len(f"{row.notes:,}") for row in found), default=0)
    rows = [f"{row.notes:{width},}  #{one_line(name(row.name))}" for row in found[page.rows]]
    return list_text(_many(len(found), "tag"), rows, len(found), page, "use")


def _many(count: int, what: str, kinds: Iterable[tuple[str, int]] = ()) -> str:
    """`13 notes: 9 person, 4 daily`."""
    others = [pair for pair in kinds if pair != (what, count)]
    told = ", ".join(f"{number:,} {kind}" for kind, number in others)
    head = f"{count:,} {plural(what, count)}"
    return f"{head}: {told}" if told else head


def links_text(view: LinkView, *, paint: Paint) -> str:
    """A line a link: → what the note links to, ← what links to it."""
    return lined(_link_lines(view, paint))


def _about(view: NoteView, tier: str) -> str:
    parts = [view.kind]
    if view.private:
        parts.append("private")
    if view.aliases:
        parts.append("also " + ", ".join(map(one_line, view.aliases)))
    parts += ["#" + one_line(tag) for tag in view.tags]
    if view.date:
        parts.append(view.date)
    if view.updated and view.updated != view.date:
        parts.append(f"updated {view.updated}")
    return " · ".join(filter(None, [*parts, tier]))


def _other_properties(view: NoteView) -> Iterator[tuple[str, str]]:
    """The properties that the line about the note does not show."""
    shown = {view.kind, view.date, view.updated}
    for key, value in view.properties:
        if key.lower() not in {"alias", "aliases", "tag", "tags"} and value.lower() not in shown:
            yield key, value


def fact_row(
    at: str,
    fact: Fact,
    paint: Paint,
    tier: str,
) -> str:
    """A fact on one line: place, id, text, and in parentheses date, type, status and tier."""
    from indexer.reading.type_words import type_said  # a search has no use for it

    text = single_spaced(one_line(fact.text))
    about = [fact.date, type_said(fact), unless_active(fact.status), "" if paint.brief else tier]
    told = ", ".join(filter(None, about))
    line = "  ".join(filter(None, [at, paint.id(fact.key), text]))
    return f"{line} ({told})" if told else line


def related(found: Iterable[Relation]) -> str:
    """What a fact has to do with others, behind its line; "" for nothing."""
    told = "; ".join(
        f"{each.verb} {f'^{each.id}' if each.id else one_line(each.text)}" for each in found
    )
    if told:
        return f"  {told}"
    return ""


def newer(line: Newer | None) -> str:
    """Where the newer line of a fact's matter stands, behind its line; "" where there is none."""
    if line:
        return f"  newer: {linked_place(line.path, line.line)}"
    return ""


def _link_lines(
    view: NoteView | LinkView, paint: Paint, shown: Iterable[tuple[str, int]] = ()
) -> list[str]:
    """→ what a note links to, ← what links to it; a link on a line that is `shown` is not, nor a
    second one."""
    lines = []
    for row in view.outgoing:
        anchor, label = _anchor_and_label(row)
        there = paint(one_line(row.path), PLACE)
        if row.exists:
            there = paint.place(row.path)
        lines.append(f"→ {there}{anchor}  :{row.line}{label}{_missing(row, paint)}")
    told = {*shown}
    for row in view.backlinks:
        text = one_line(backlink_line(row))
        at = row.path, row.line
        if text and row.exists and at in told:
            continue
        told.add(at)
        where = paint.at(row.path, row.line)
        anchor, label = _anchor_and_label(row)
        if anchor:
            anchor = f"  {anchor}"
        if text:
            said = f"{_missing(row, paint)}  {text}"
        else:
            said = f"{anchor}{label}{_missing(row, paint)}"
        lines.append(f"← {where}{said}")
    return lines


def _anchor_and_label(row: LinkRow) -> tuple[str, str]:
    """The place in a note that a link names, and its own words, as they stand in a line."""
    anchor = f"#{one_line(row.anchor)}" if row.anchor else ""
    label = f"  {one_line(row.label)}" if row.label else ""
    return anchor, label


def _missing(row: LinkRow, paint: Paint) -> str:
    if row.exists:
        return ""
    return paint(f"  ({one_line(row.problem) or 'missing'})", MARK_CODE)
