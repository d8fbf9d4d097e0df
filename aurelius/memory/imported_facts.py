"""Facts that were imported from another program: proposed until a person accepts them, then moved
to the page that they are about."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING

from aurelius.ageing import tiers
from aurelius.compose import change
from aurelius.compose.placement import place_for
from aurelius.plans import new_note
from indexer.reading.facts import ENTITY_KINDS
from indexer.reading.path_meaning import IMPORTED, file_stem, is_imported

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from aurelius.plans.plan import Desk, Draft
    from indexer.catalog.names import NoteNames
    from indexer.note import Fact, Found

_SUBJECT = re.compile(r"([^:\n]{2,60}): \S")
"""The name before a fact of something that has no page beside it."""


def find_imported(desk: Desk, facts: Iterable[Found]) -> Iterator[tuple[Found, str]]:
    """The imported facts that nobody has decided about, each with the page that it would go to."""
    waiting = [
        (path, fact) for path, fact in facts if fact.status == "proposed" and is_imported(path)
    ]
    if not waiting:
        return
    names = desk.names()
    known: dict[tuple[str, str], str] = {}
    subjects: dict[str, str] = {}
    for path, fact in waiting:
        home = tiers.fact_subject(names, "", fact, known)
        yield (path, fact), home or _home(names, path, fact, subjects)


def _home(
    names: NoteNames,
    path: str,
    fact: Fact,
    subjects: dict[str, str],
) -> str:
    """The page of the one that a fact names first, else that of its program in `resources`."""
    of_program = f"resources/{path[len(IMPORTED) + 1 :].partition('/')[0]}.md"
    found = _SUBJECT.match(fact.text)
    if not found:
        return of_program
    name = found[1]
    if name not in subjects:
        pages = [each for each in names.exactly(name) if not is_imported(each)]
        is_page = len(pages) == 1 and names.kind(pages[0]) in ENTITY_KINDS
        subjects[name] = pages[0] if is_page else ""
    return subjects[name] or of_program


def take_in(draft: Draft, chosen: Sequence[tuple[Found, str]]) -> list[str]:
    """Move imported facts to their pages, each line as it is; what is said of it. UsageError."""
    by_note: defaultdict[str, list[Fact]] = defaultdict(list)
    homes = {}
    for (path, fact), home in chosen:
        by_note[path].append(fact)
        homes[path, fact.key] = home
    going: defaultdict[tuple[str, str], list[str]] = defaultdict(list)
    for path, facts in by_note.items():
        left, items = change.remove_all(
            draft.there(path),
            [fact.key for fact in facts],
            path=path,
            read=draft.read,
        )
        draft.put(path, left)
        for fact in facts:
            own = fact.id or draft.desk.new_id(path, fact.text, draft.desk.today)
            item = items[fact.key]
            if not fact.id:
                item = _with_id(item, own)
                draft.events.append(("alias", fact.key, own))
            home = homes[path, fact.key]
            going[home, _heading(draft, home, fact)].append(item)
    rows = []
    for (home, heading), items_there in going.items():
        data = draft.data(home)
        if data is None:
            title = file_stem(home)
            data = new_note.new_note_text("resource", title, draft.desk.today).encode()
        made = change.add_all(
            data, items_there, heading, path=home, read=draft.read, day=draft.desk.today
        )
        draft.put(home, made)
        rows.append(f"{home}: {len(items_there):,} under {heading or 'its end'}")
    return rows


def _heading(draft: Draft, home: str, fact: Fact) -> str:
    return place_for(draft.note(home), fact.type or "fact", draft.desk.place.daily).heading


def _with_id(item: str, own: str) -> str:
    first, *nested = item.split("\n")
    return "\n".join((f"{first} ^{own}", *nested))
