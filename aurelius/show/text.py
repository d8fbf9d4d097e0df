"""Notes, facts, tasks, tags and links as text for people: values in, text out. JSON is
json_text.py.

Everything that comes from a note or a file name passes through terminal.py. Nothing here knows a
stream; `paint` knows whether the reader is a terminal that wants colours and links. The JSON of
days stands beside their text.
"""

from __future__ import annotations

import datetime
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

from aurelius.settings.keys import tokens
from aurelius.settings.places import shell_word
from indexer.errors import UsageError
from indexer.reading.path_meaning import WEEKDAYS, is_archived
from indexer.spelling import clipped, single_spaced

from .hits import line_of, name
from .page import ASIDE, clip, fitting, listing, more, part
from .terminal import BOLD, DIM, MARK, PLACE, Paint, lined, one_line, place, visible

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from aurelius.answers.days import Day
    from aurelius.answers.excerpts import Excerpt
    from aurelius.answers.note_view import LinkView, NoteView
    from indexer.catalog.edges import Relation
    from indexer.catalog.lists import FactList, NoteList, NoteRow, TagRow, TaskRow
    from indexer.catalog.newer import Newer
    from indexer.note import Fact
    from indexer.search.hit import Hit
    from indexer.usage.tier import Age

    from .page import Page


NOTE_FIELDS = ("path", "line", "title", "kind", "date", "updated", "tags", "facts", "lines", "tier")
FACT_FIELDS = ("path", "line", "end", "id", "type", "status", "date", "tier", "text")
"""What a template of `--format` can name of a note, and of a fact."""

_PART = re.compile(r"\{\{|\}\}|\{[^{}]*\}|\\[tn\\]|[{}]")
_ESCAPED = {"{{": "{", "}}": "}", "\\t": "\t", "\\n": "\n", "\\\\": "\\"}


def template(text: str, fields: Sequence[str]) -> str:
    """A template of `--format` whose fields are all known.  UsageError."""
    for each in _PART.findall(text):
        if each not in _ESCAPED and each[1:-1] not in fields:
            if len(each) > 1:
                what = f"has no field {each}"
            else:
                what = f"has {each} alone; a brace itself is written {each * 2}"
            raise UsageError(
                f"--format {what}", "fields: " + ", ".join(f"{{{name}}}" for name in fields)
            )
    return text


def filled(template: str, values: Mapping[str, object]) -> str:
    """The template with these values, each on one line, and a new line behind it."""

    def put(found: re.Match[str]) -> str:
        each = found[0]
        if each in _ESCAPED:
            return _ESCAPED[each]
        return one_line(" ".join(_said(values[each[1:-1]]).split()))

    text = _PART.sub(put, template)
    if text.endswith("\n"):
        return text
    return text + "\n"


def _said(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(str, value))
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3g}"
    return str(value)


def notes_by(template: str, found: NoteList, ages: Mapping[str, Age]) -> list[str]:
    """Notes by a template, a text each."""
    return [
        filled(template, {**row._asdict(), "line": 1, "tier": ages[row.path].tier})
        for row in found.notes
    ]


def facts_by(template: str, found: FactList, ages: Mapping[str, Age]) -> list[str]:
    """Facts by a template, a text each."""
    return [
        filled(
            template,
            {
                "path": path,
                "line": fact.first,
                "end": fact.last,
                "id": fact.key,
                "type": fact.type,
                "status": fact.status,
                "date": fact.date,
                "tier": ages[fact.key].tier,
                "text": fact.text,
            },
        )
        for path, fact in found.facts
    ]


def hits_by(template: str, found: Iterable[Hit]) -> list[str]:
    """Search hits by a template, a text each."""
    return [
        filled(
            template,
            {
                **hit._asdict(),
                "line": hit.lines[0],
                "end": hit.lines[1],
                "heading": " › ".join(hit.heading),
                "tier": hit.age.tier,
            },
        )
        for hit in found
    ]


def excerpt(found: Excerpt) -> str:
    """The lines of a note unchanged, except characters that control a terminal."""
    return lined(map(visible, found.lines))


def note(
    view: NoteView, of_note: Age, of_facts: Mapping[str, Age], *, with_facts: bool, paint: Paint
) -> str:
    """A note at a glance: what it is, its properties, its summary or beginning, its links; its
    facts on demand."""
    lines = [
        f"{paint(one_line(view.title), BOLD)}  {paint.place(view.path)}",
        _about(view, of_note.tier),
    ]
    lines += [f"{one_line(key)}: {one_line(value)}" for key, value in _other_properties(view)]
    if text := visible(view.summary or view.opening).strip("\n"):
        lines += ["", text]
    if with_facts and view.facts:
        lines += [
            "",
            *(
                fact_line(paint(f":{fact.first}", PLACE), fact, paint, of_facts[fact.key].tier)
                + related(view.relations.get(fact.key, ()))
                + newer(view.newer.get(fact.key))
                for fact in view.facts
            ),
        ]
    elif view.facts:
        lines += ["", f"facts: {_counted(view.facts)} (--facts shows them)"]
    elif not view.summary.strip() and view.headings:
        lines += [
            "",
            *(f":{at.line}  {'#' * at.level} {one_line(at.text)}" for at in view.headings),
        ]
    if view.outgoing or view.backlinks:
        lines += ["", *_link_lines(view, paint)]
    lines += [f"problem at line {each.line}: {one_line(each.message)}" for each in view.problems]
    return "\n".join(lines) + "\n"


def notes(found: NoteList, ages: Mapping[str, Age], page: Page, order: str, *, paint: Paint) -> str:
    """How many notes of each kind, then a line a note: date, kind, tier, path, title."""
    rows = [
        f"{row.date or row.updated or '':10}  {row.kind:8}  {ages[row.path].tier:4}  "
        f"{paint.place(row.path)}  {one_line(name(row.title))}{_aside(row)}"
        for row in found.notes
    ]
    return listing(_many(found.total, "note", found.kinds), rows, found.total, page, order)


def _aside(row: NoteRow) -> str:
    """That a note of another kind lies in the archive."""
    if is_archived(row.path) and row.kind != "archive":
        return "  (archived)"
    return ""


def facts(found: FactList, ages: Mapping[str, Age], page: Page, order: str, *, paint: Paint) -> str:
    """How many facts of each type, then a line a fact: place, id, text, date, tier."""
    rows = [
        fact_line(paint.place(path, place(path, fact.first, 0)), fact, paint, ages[fact.key].tier)
        for path, fact in found.facts
    ]
    return listing(_many(found.total, "fact", found.types), rows, found.total, page, order)


def tasks(found: Sequence[TaskRow], page: Page, today: str, *, paint: Paint) -> str:
    """How many are open, done and cancelled, then a line a task: place, box, text, when due."""
    cancelled = sum(row.is_cancelled for row in found)
    done = sum(row.done for row in found) - cancelled
    rows = [_task(row, today, paint) for row in part(found, page)]
    head = f"{len(found) - done - cancelled:,} open"
    # those may not have been asked for
    if done:
        head += f", {done:,} done"
    else:
        head += ""
    if cancelled:
        head += f", {cancelled:,} cancelled"
    else:
        head += ""
    return listing(head, rows, len(found), page, "due day")


def _task(row: TaskRow, today: str, paint: Paint) -> str:
    """A task on one line: place, box, text, when due."""
    at = paint.place(row.path, place(row.path, row.line, 0))
    return f"{at}  [{one_line(row.mark)}] {one_line(row.text)}{_when_due(row, today)}"


def _when_due(row: TaskRow, today: str) -> str:
    """Behind a task: its day where the text does not say it, and that it is past."""
    if row.due and row.due not in row.text:
        day = f"due {row.due}"
    else:
        day = ""
    told = ", ".join(filter(None, (day, "overdue" if row.is_overdue(today) else "")))
    if told:
        return f"  ({told})"
    return ""


LINES = 8
"""Lines of a day's note, and its facts, notes and tasks elsewhere, that are shown where not
everything is wanted."""
_BRIEF = 160
"""Characters of a line of a day, as well."""
_MANY_DAYS = 366


def days(
    found: Sequence[Day],
    total: int,
    span: tuple[str, str],
    today: str,
    page: Page,
    *,
    whole: bool,
    paint: Paint,
) -> str:
    """How many days there are, then each day: what its notes say, the facts, notes and tasks of
    that day elsewhere; the first of each, unless the `whole` is wanted."""
    head = f"{_days_told(span, total)}\n"
    texts = ["\n" + lined(_day(day, today, paint, every=whole)) for day in found]
    room = page.room - ASIDE - tokens(head)
    if page.every:
        count = len(texts)
    else:
        count = fitting(texts, room)
    if texts and not count:  # the beginning of a day is more than nothing
        texts[0] = clip(texts[0], every=False, room=room, how="a larger --budget shows them")
        count = 1
    return head + "".join(texts[:count]) + lined(more(total, page.offset + count, page))


def _days_told(span: tuple[str, str], total: int) -> str:
    """How many days are shown: `2026-02-04 to 2026-02-10: 5 of 7 days`, without the 7 where they
    are many."""
    first, last = map(datetime.date.fromisoformat, span)
    asked = (last - first).days + 1
    if 1 < asked <= _MANY_DAYS:
        return f"{first} to {last}: {total:,} of {asked:,} days"
    return f"{total:,} {'day' if total == 1 else 'days'}"


def _day(day: Day, today: str, paint: Paint, *, every: bool) -> Iterator[str]:
    """The lines of a day."""

    def brief(text: str) -> str:
        text = one_line(single_spaced(text))
        if every:
            return text
        return clipped(text, _BRIEF)

    yield paint(
        f"{day.date} {WEEKDAYS[datetime.date.fromisoformat(day.date).weekday()].capitalize()}", BOLD
    )
    for note in day.notes:
        yield f"  {paint.place(note.path)}"
        for at, line in enumerate(note.lines):
            if line.heading and (at == 0 or note.lines[at - 1].heading != line.heading):
                yield f"    {paint(brief(line.heading), DIM)}"
            yield f"    {paint(f':{line.line}', PLACE)}  {brief(line.text)}"
        if left := note.total - len(note.lines):
            yield f"    {left:,} more: `aurelius get {shell_word(note.path)}`"
    parts = {
        "facts": [
            f"{paint.place(path, place(path, fact.first, 0))}  {brief(fact.text)}{_past(fact)}"
            for path, fact in day.facts
        ],
        "notes": [f"{paint.place(row.path)}  {brief(name(row.title))}" for row in day.pages],
        "tasks": [_task(row, today, paint) for row in day.tasks],
    }
    for what, rows in parts.items():
        if every:
            kept = rows
        else:
            kept = rows[:LINES]
        yield from [f"  {what}:"] if rows else []
        yield from (f"    {row}" for row in kept)
        yield from [f"    {len(rows) - len(kept):,} more: --all"] if len(kept) < len(rows) else []


def _past(fact: Fact) -> str:
    if fact.status == "active":
        return ""
    return f" ({fact.status})"


def days_json(
    found: Sequence[Day], total: int, span: tuple[str, str], today: str, page: Page, *, whole: bool
) -> str:
    """The answer of `days`."""
    from .json_text import lean, listed, task

    def shown(day: Day) -> dict[str, Any]:
        parts: dict[str, list[dict[str, Any]]] = {
            "facts": [
                {
                    "id": fact.key,
                    "path": path,
                    "line": fact.first,
                    "type": fact.type,
                    "text": fact.text,
                }
                | lean(status=fact.status if fact.status != "active" else "")
                for path, fact in day.facts
            ],
            "pages": [
                {"path": row.path, "title": row.title, "kind": row.kind} for row in day.pages
            ],
            "tasks": [task(row, today) for row in day.tasks],
        }
        notes = [
            {
                "path": note.path,
                "lines": [
                    {"line": at, "text": text} | lean(heading=head)
                    for at, text, head, _ in note.lines
                ],
            }
            | lean(more=note.total - len(note.lines))
            for note in day.notes
        ]
        kept = {what: rows if whole else rows[:LINES] for what, rows in parts.items()}
        left = {
            what: len(rows) - len(kept[what])
            for what, rows in parts.items()
            if len(rows) > len(kept[what])
        }
        return {"date": day.date, **lean(notes=notes, **kept, more=left)}

    return listed("days", [shown(day) for day in found], total, page, first=span[0], last=span[1])


def tags(found: Sequence[TagRow], page: Page) -> str:
    """How many tags, then a line a tag: how many notes have it, and its name."""
    width = max((len(f"{row.notes:,}") for row in found), default=0)
    rows = [f"{row.notes:{width},}  #{one_line(name(row.name))}" for row in part(found, page)]
    return listing(_many(len(found), "tag"), rows, len(found), page, "use")


def _many(count: int, what: str, kinds: Iterable[tuple[str, int]] = ()) -> str:
    """`13 notes: 9 person, 4 daily`."""
    told = ", ".join(
        f"{number:,} {kind}" for kind, number in kinds if (kind, number) != (what, count)
    )
    return f"{count:,} {what}{'' if count == 1 else 's'}" + (f": {told}" if told else "")


def links(view: LinkView, *, paint: Paint) -> str:
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
    return " · ".join([*parts, tier])


def _other_properties(view: NoteView) -> Iterator[tuple[str, str]]:
    """The properties that the line about the note does not show."""
    shown = {view.kind, view.date, view.updated}
    for key, value in view.properties:
        if key.lower() not in {"alias", "aliases", "tag", "tags"} and value.lower() not in shown:
            yield key, value


def _counted(facts: Sequence[Fact]) -> str:
    counts = Counter(fact.status for fact in facts)
    return ", ".join(f"{count} {status}" for status, count in counts.items())


def fact_line(at: str, fact: Fact, paint: Paint, tier: str) -> str:
    """A fact on one line: place, id, text, and in parentheses date, type, status and tier."""
    from indexer.reading.type_words import type_said  # a search has no use for it

    parts = [at, paint(f"[id:{one_line(fact.key)}]", MARK), " ".join(one_line(fact.text).split())]
    about = [fact.date, type_said(fact), fact.status if fact.status != "active" else "", tier]
    told = ", ".join(part for part in about if part)
    return "  ".join(parts) + (f" ({told})" if told else "")


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
        return f"  newer: {place(line.path, line.line, line.line)}"
    return ""


def _link_lines(view: NoteView | LinkView, paint: Paint) -> list[str]:
    lines = []
    for row in view.outgoing:
        if row.label:
            label = f"  {one_line(row.label)}"
        else:
            label = ""
        if row.anchor:
            anchor = f"#{one_line(row.anchor)}"
        else:
            anchor = ""
        if row.exists:
            missing = ""
            there = paint.place(row.path)
        else:
            missing = paint(f"  ({one_line(row.problem) or 'missing'})", MARK)
            there = paint(one_line(row.path), PLACE)
        lines.append(f"→ {there}{anchor}  :{row.line}{label}{missing}")
    told = set[tuple[str, int]]()
    for row in view.backlinks:
        text = one_line(line_of(row))
        at = row.path, row.line
        if text and row.exists and at in told:
            continue  # a second link on a line that is shown
        told.add(at)
        if row.label and not text:
            label = f"  {one_line(row.label)}"
        else:
            label = ""
        if row.anchor and not text:
            anchor = f"  #{one_line(row.anchor)}"
        else:
            anchor = ""
        if row.exists:
            missing = ""
        else:
            missing = paint(f"  ({one_line(row.problem) or 'missing'})", MARK)
        where = paint.place(row.path, place(row.path, row.line, 0))
        lines.append(f"← {where}{anchor}{label}{missing}{'  ' * bool(text)}{text}")
    return lines
