"""The numbers of a vault as a whole, and its notes of one kind with what each says first.

Private notes are in none of them, nor counted.
"""

from __future__ import annotations

import datetime
import re
from typing import TYPE_CHECKING, Any, NamedTuple

from indexer.catalog.activity import get_changed, get_new_facts
from indexer.catalog.filters import Filters
from indexer.catalog.lists import get_leads, get_pinned
from indexer.catalog.tiers import ages_of_notes, count_tiers
from indexer.reading.inline import plain_inline
from indexer.reading.markdown import MARKERS
from indexer.spelling import clipped, link_names, single_spaced

from .days import leading_sentences, note_statements

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indexer.catalog.lists import NoteRow
    from indexer.usage.tier import Age

    from .asked_vault import AskedVault

_WEEK = datetime.timedelta(days=6)
"""From the first day of a week to its last."""
_LEAD_LETTERS = 160
_EMBED = re.compile(r"!\[\[[^\[\]]*\]\]|!\[[^\[\]]*\]\([^()\s]*\)")
_MARKS = re.compile(r"(?:#{1,6}\s+)?(?:\[(?:.|![\w-]+)\][+-]?(?:\s+|$))?")
"""What a heading, a task or a callout begins with."""
_CELL = re.compile(r"(?<!\\)\|")


class Part(NamedTuple):
    """The first few of something, and how many there are."""

    first: tuple[Any, ...]
    total: int


class DueTasks(NamedTuple):
    """The open tasks that have a day: those whose day is over, the latest first, those of today,
    and those of the seven days to come."""

    overdue: Part
    today: Part
    soon: Part


class Overview(NamedTuple):
    """A vault at a glance: notes by kind and facts by type, the most first; facts and notes by
    tier; what this week brought, the newest first: notes by the time of their files, facts by their
    own dates; the tasks that are due; and the facts that are pinned."""

    kinds: Sequence[tuple[str, int]]
    types: Sequence[tuple[str, int]]
    fact_tiers: Mapping[str, int]
    note_tiers: Mapping[str, int]
    changed: Part
    new_facts: Part
    due: DueTasks
    pinned: Part
    waiting: int | None = None
    """How many proposals wait for the person, None where nobody has counted them."""


class KindRow(NamedTuple):
    """A note of a list: its row, what it says first, on which ISO day its file changed, and its
    age."""

    note: NoteRow
    lead: str
    changed: str
    age: Age


class KindPage(NamedTuple):
    """A part of the notes of a kind, how many there are, and how many on the other side of the
    archive."""

    rows: tuple[KindRow, ...]
    total: int
    elsewhere: int


def gather_overview(vault: AskedVault, most: int) -> Overview:
    """The numbers of a vault, with the first `most` of each list."""
    today = vault.clock.today
    filters = Filters()
    tiers = count_tiers(
        vault.db,
        vault.clock,
        private=False,
    )
    pinned = get_pinned(vault.db)
    return Overview(
        kinds=vault.notes(filters, limit=0).kinds,
        types=sorted(tiers.types.items(), key=lambda each: -each[1]),
        fact_tiers=tiers.facts,
        note_tiers=tiers.notes,
        changed=_changed(vault, filters, most),
        new_facts=_new_facts(vault, most),
        due=_due(vault, today, most),
        pinned=Part(tuple(pinned[:most]), len(pinned)),
    )


def _changed(vault: AskedVault, filters: Filters, most: int) -> Part:
    first = datetime.datetime.combine(
        vault.clock.today - _WEEK,
        datetime.time(),
        vault.clock.zone,
    )
    since = int(first.timestamp()) * 10**9
    found, total = get_changed(vault.db, filters, since, most)
    return Part(tuple(found), total)


def _new_facts(vault: AskedVault, most: int) -> Part:
    today = vault.clock.today
    filters = Filters(
        since=(today - _WEEK).isoformat(),
        until=today.isoformat(),
    )
    found, total = get_new_facts(vault.db, filters, most)
    return Part(tuple(found), total)


def _due(vault: AskedVault, day: datetime.date, most: int) -> DueTasks:
    today = day.isoformat()
    last = (day + datetime.timedelta(days=7)).isoformat()
    tasks = vault.tasks(
        open_only=True,
        due=("0001-01-01", last),
        filters=Filters(),
    )
    over = [each for each in tasks if each.is_overdue(today)]
    over.sort(key=lambda each: each.due or "", reverse=True)
    now = [each for each in tasks if each.due == today]
    soon = tasks[len(over) + len(now) :]
    return DueTasks(*(Part(tuple(each[:most]), len(each)) for each in (over, now, soon)))


def list_kind(
    vault: AskedVault,
    kind: str,
    *,
    archived: bool,
    sort: str,
    limit: int,
    offset: int,
) -> KindPage:
    """A part of the notes of a kind that are archived, or of those that are not; UsageError for an
    order there is not."""
    filters = Filters(kinds=(kind,))
    side = "no"
    if archived or kind == "archive":
        side = "only"
    found = vault.notes(
        filters._replace(archived=side),
        sort=sort,
        limit=limit,
        offset=offset,
    )
    both = vault.notes(filters, limit=0)
    paths = [row.path for row in found.notes]
    leads = get_leads(vault.db, paths, private=False)
    ages = ages_of_notes(
        vault.db,
        paths,
        vault.clock,
        private=False,
    )
    rows = []
    for row in found.notes:
        lead = leads[row.path]
        day = vault.clock.day_of(lead.changed / 10**9)
        rows.append(KindRow(row, lead_line(lead.text), str(day), ages[row.path]))
    return KindPage(tuple(rows), found.total, both.total - found.total)


def lead_line(text: str) -> str:
    """One line of what a note says first: a sentence or more, in plain words; what other programs
    put something in the place of says nothing."""
    for said in note_statements(text.split("\n")):
        line = bare_line(_EMBED.sub("", said.text))
        words = plain_inline(link_names(line))
        if words:
            return clipped(leading_sentences(words, _LEAD_LETTERS), _LEAD_LETTERS)
    return ""


def bare_line(text: str) -> str:
    """A line without the marks of a list, quote, heading, task or callout; a row of a table as its
    cells."""
    said = MARKERS.sub("", single_spaced(text), count=1)
    said = _MARKS.sub("", said, count=1)
    if said.startswith("|"):
        cells = map(str.strip, _CELL.split(said))
        said = " · ".join(filter(None, cells)).replace("\\|", "|")
    return said
