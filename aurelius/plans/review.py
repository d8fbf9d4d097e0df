"""Proposals of `review`: facts that a newer line may replace, captured facts, duplicates, facts worth little.

Everything is derived from the notes at the moment of asking; only what was accepted or dismissed is remembered, in
the usage log.  `open_matters` reads, `accept` says what would be written, and nothing here writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from aurelius.ageing import decay
from aurelius.answers import references
from aurelius.compose import change
from aurelius.compose.fact_text import TailParts
from aurelius.language.replacements import proposals, propose
from indexer.catalog.graph import get_called
from indexer.catalog.link_targets import find
from indexer.catalog.lists import get_facts
from indexer.catalog.names import Names
from indexer.errors import AmbiguousNameError, NoteNotFoundError, UsageError
from indexer.reading.facts import ENTITY_KINDS
from indexer.reading.path_meaning import kind_of_path
from indexer.reading.type_words import type_said
from indexer.usage.log_reader import get_usage

from . import facts as fact_plans
from . import move_archive
from .plan import Draft, Plan

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from indexer.note import Fact

    from .plan import Desk

    Found = tuple[str, Fact]

MATTERS = ("supersede", "ask", "captured", "merge", "archive")
"""What can be proposed: that one fact takes another's place; that one of two that disagree does; that a captured line
is a fact; that a fact which says nothing new is struck; that one worth little is put away."""


class Matter(NamedTuple):
    """One proposal: `path` and `fact` are what would change, `by` the note and the fact that give the reason.

    `key` is what the log knows it by; `why` the phrase or number that speaks for it.
    """

    what: str
    key: str
    path: str
    fact: Fact
    by: Found | None
    why: str


def open_matters(desk: Desk) -> list[Matter]:
    """All that is proposed and was not dismissed, in an order that only the notes decide.

    What was accepted is no longer there to be proposed, until somebody undoes it.
    """
    usage = get_usage(desk.vault.index().db)
    done = {_present(key, usage.aliases) for key in usage.dismissed}
    found = [*_replaced(desk), *_captured(desk), *_worthless(desk)]
    found = [each for each in found if _present(each.key, usage.aliases) not in done]
    return sorted(found, key=lambda each: (MATTERS.index(each.what), each.path, each.fact.first, each.key))


def choose(found: Sequence[Matter], name: str) -> Matter:
    """The matter of that number, counted from 1, or of that key.  UsageError."""
    for number, each in enumerate(found, 1):
        if name in {str(number), each.key}:
            return each
    raise UsageError(
        f"there is no proposal {name}" if name else "missing argument: the number of a proposal",
        "`aurelius review` lists the proposals with their numbers",
    )


def accept(desk: Desk, matter: Matter) -> Plan:
    """What is written when a person says yes."""
    if matter.what == "archive":
        plan = move_archive.archive_facts(desk, [(matter.path, matter.fact.key)], f"archive ^{matter.fact.key}")
    elif matter.what == "captured":
        plan = _promote(desk, matter)
    else:
        assert matter.by is not None  # a fact is replaced by one
        plan = _strike(desk, (matter.path, matter.fact), matter.by)
    about = {"what": matter.what, "key": matter.key}
    return plan._replace(about=about, events=(*plan.events, ("accept", matter.key, "")))


def dismiss(matter: Matter) -> Plan:
    """No note changes; the log is told, so that it is not proposed again."""
    about = {"what": matter.what, "key": matter.key}
    told = "dismissed; it will not be suggested again"
    return Plan((), "", (told,), about, (), (("dismiss", matter.key, ""),))


# -- what waits ----------------------------------------------------------------------------------------


def _replaced(desk: Desk) -> Iterator[Matter]:
    """What a newer line of the same entity may replace, and what is said twice."""
    for facts in _entities(desk).values():
        where = {id(fact): path for path, fact in facts}
        for made in proposals([fact for _, fact in facts]):
            by = (where[id(made.new)], made.new)
            yield Matter(made.action, made.key, where[id(made.old)], made.old, by, made.cue)


def _captured(desk: Desk) -> Iterator[Matter]:
    """The facts that wait under `## Captured`, each with the one that it would replace."""
    entities = None
    names = None
    for path, fact in get_facts(desk.vault.index().db, private=desk.private):
        if fact.status != "proposed":
            continue
        names = names or Names(get_called(desk.vault.index().db, private=desk.private))
        entities = _entities(desk) if entities is None else entities
        home = _home(names, path, fact)
        made = propose([one for _, one in entities.get(home, ())], fact) if home else None
        where = {id(one): at for at, one in entities.get(home, ())}
        old = (where[id(made.old)], made.old) if made and made.action == "supersede" else None
        yield Matter("captured", f"keep:{fact.key}", path, fact, old, home)


def _worthless(desk: Desk) -> Iterator[Matter]:
    """What says nothing new, and what is worth too little to stay (`maintain`)."""
    state = decay.upkeep(desk.vault, (), private=desk.private)
    for twins in state.twins:
        yield Matter("merge", twins.key, twins.path, twins.other, (twins.path, twins.kept), "")
    for each in state.decays:
        if each.below:
            yield Matter("archive", f"archive:{each.fact.key}", each.path, each.fact, None, f"{each.now:.2f}")


def _entities(desk: Desk) -> dict[str, list[Found]]:
    """The live facts of each note; those of another note that link to an entity are that entity's.

    A day is no entity: what else its note tells is what happened, and replaces nothing.
    """
    names = Names(get_called(desk.vault.index().db, private=desk.private))
    found: dict[str, list[Found]] = {}
    for path, fact in decay.live(desk.vault, private=desk.private):
        home = _home(names, path, fact)
        if home or fact.dated != "name":
            found.setdefault(home or path, []).append((path, fact))
    return found


def _home(names: Names, path: str, fact: Fact) -> str:
    """The entity that a fact of another note is about, "" where it is its note's own."""
    if kind_of_path(path, None) in ENTITY_KINDS:
        return ""
    for target in fact.related:
        home = find(names, path, target, "wiki")
        if home and kind_of_path(home, None) in ENTITY_KINDS:
            return home
    return ""


def _present(key: str, aliases: Mapping[str, str]) -> str:
    """The key of a proposal by the newest names of its facts: an id that was given since changes nothing."""
    what, colon, names = key.rpartition(":")
    return what + colon + ">".join(aliases.get(name, name) for name in names.split(">"))


# -- what is written -----------------------------------------------------------------------------------


def _strike(desk: Desk, old: Found, new: Found) -> Plan:
    """The old fact struck under History, pointing at the new one; each gets an id where it has none.

    Both at once, because the key of a line without one depends on the equal lines above it.
    """
    draft, events = Draft(desk.place), list[tuple[str, str, str]]()
    ids: dict[Found, str] = {}
    for path, fact in (new, old):
        draft.fact(path, fact.key)
        ids[path, fact] = fact.id or desk.new_id(path, fact.key, desk.today, taken=ids.values())
    for path in dict.fromkeys((new[0], old[0])):
        bare = {fact.key: made for (at, fact), made in ids.items() if at == path and not fact.id}
        if bare:
            draft.put(path, change.stamp_all(draft.there(path), bare, path=path, read=draft.read))
            events += [("alias", key, made) for key, made in bare.items()]
    own, gone = ids[new], ids[old]
    _past(desk, draft, (old[0], draft.fact(old[0], gone)), own, new[1], events)
    rows = (fact_plans.replaced(old[1].text, new[1].text, old[0]),)
    return Plan(draft.edits(), rows[0], rows, events=tuple(events))


def _promote(desk: Desk, matter: Matter) -> Plan:
    """A captured line moved to the note that it is about, or out from under its heading."""
    fact, path = matter.fact, matter.path
    draft = Draft(desk.place)
    data, item = change.remove(draft.there(path), fact.key, path=path, read=draft.read)
    if "\n" in item:
        raise UsageError(f"{path}:{fact.first} has nested lines", "move them with an editor")
    draft.put(path, data)
    target = matter.why or path
    own = fact.id or desk.new_id(path, fact.text, desk.today)
    events = [] if fact.id else [("alias", fact.key, own)]
    told = TailParts()
    if matter.why and not fact.source:
        told = told._replace(source=references.source(desk.vault, path, private=desk.private))
    old = matter.by if not fact.updates else _replaced_since(desk, fact.updates)
    if old:
        gone = _past(desk, draft, old, own, fact, events)
        told = told if fact.updates else told._replace(updates=gone)
    kind = type_said(fact) if matter.why else ""
    fact_plans.state(desk, draft, target, item.lstrip()[1:].strip(), fact.date or desk.today, kind, own, told)
    made = draft.fact(target, own)
    rows = [f"{target}:{made.first}  {made.text}  [id:{own}]"]
    if old:
        rows.append(fact_plans.replaced(old[1].text, made.text, old[0]))
    return Plan(draft.edits(), f"accept {_short(made.text)}", tuple(rows), events=tuple(events))


def _replaced_since(desk: Desk, named: str) -> Found | None:
    """The fact that holds instead of the one that a line says it updates, None where that one still holds."""
    db = desk.vault.index().db
    try:
        there = references.fact(desk.vault, named, private=desk.private)
    except (NoteNotFoundError, AmbiguousNameError):
        return None
    path, key = references.newest(desk.vault, *there, private=desk.private)
    found = [each for _, each in get_facts(db, path, private=desk.private) if each.key == key]
    return (path, found[0]) if found and (path, key) != there else None


def _past(desk: Desk, draft: Draft, old: Found, own: str, new: Fact, events: list[tuple[str, str, str]]) -> str:
    """Let a fact be past because of a newer one; its id."""
    there = draft.fact(old[0], old[1].key)
    since = new.date if new.date and new.date >= (there.date or "") else desk.today
    return fact_plans.strike(desk, draft, old[0], there, own, since, events)


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:59] + "…"
