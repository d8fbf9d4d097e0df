"""Proposals of `review`: facts that a newer line may replace, captured facts, duplicates, facts worth little.

Everything is derived from the notes at the moment of asking; only what was accepted or dismissed is remembered, in
the usage log.  `open_matters` reads, `accept` says what would be written, and nothing here writes.
"""

from __future__ import annotations

from collections import Counter
from hashlib import sha256
from typing import TYPE_CHECKING, NamedTuple

from aurelius.ageing import decay
from aurelius.answers import references
from aurelius.compose import change
from aurelius.compose.fact_text import TailParts
from aurelius.language.replacements import proposals, propose
from aurelius.plans import facts as fact_plans
from aurelius.plans import move_archive
from aurelius.plans.plan import Draft, Plan
from indexer.catalog.graph import get_called
from indexer.catalog.link_targets import find
from indexer.catalog.lists import get_facts
from indexer.catalog.names import Names
from indexer.errors import AmbiguousNameError, NoteNotFoundError, UsageError
from indexer.reading.facts import ENTITY_KINDS
from indexer.reading.path_meaning import kind_of_path
from indexer.reading.type_words import type_said
from indexer.usage.log_reader import get_usage
from indexer.usage.tally import present

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from aurelius.plans.plan import Desk
    from indexer.note import Fact

    Found = tuple[str, Fact]

MATTERS = ("supersede", "ask", "captured", "merge", "archive")
"""What can be proposed: that one fact takes another's place; that one of two that disagree does; that a captured line
is a fact; that a fact which says nothing new is struck; that one worth little is put away."""
LETTERS, DIGITS = "abcdefghjkmnpqrstuvwxyz", "23456789"
"""What the name of a proposal is made of."""
LEAST = 4
"""Letters and digits of a name that a person is shown and types, or more where two begin alike."""
LISTED = "`aurelius review` lists the proposals with their keys and numbers"


class Matter(NamedTuple):
    """One proposal: `path` and `fact` are what would change, `by` the note and the fact that give the reason.

    `key` is what the log knows it by; `why` the phrase or number that speaks for it; `short` is what a person types,
    the beginning of `name`, which is made from what the proposal is about and so stays whatever else changes.
    """

    what: str
    key: str
    path: str
    fact: Fact
    by: Found | None
    why: str
    name: str = ""
    short: str = ""


def open_matters(desk: Desk, *, dismissed: bool = False) -> list[Matter]:
    """All that is proposed and was not dismissed, or was, in an order that only the notes decide.

    What was accepted is no longer there to be proposed, until somebody undoes it.
    """
    usage = get_usage(desk.vault.index().db)
    found = [*_replaced(desk), *_captured(desk), *_worthless(desk)]
    found.sort(key=lambda each: (MATTERS.index(each.what), each.path, each.fact.first, each.key))
    gone = usage.dismissed
    return [each for each in _named(found) if (present(each.key, usage.aliases) in gone) == dismissed]


def choose(found: Sequence[Matter], given: Sequence[str], shown: Sequence[str]) -> list[Matter]:
    """The matters of these keys, or of these numbers in the list that was `shown` last: their names in its order.

    UsageError where one of them means none of those that are there now, or several.
    """
    if not given:
        raise UsageError("missing argument: the key of a proposal", LISTED)
    chosen = [_chosen(found, each.strip().lower(), shown) for each in given]
    return list({each.name: each for each in chosen}.values())


def still(desk: Desk, matter: Matter) -> Matter | None:
    """A matter as it stands now, after something else was written; None where it is no longer proposed."""
    aliases = get_usage(desk.vault.index().db).aliases
    key = present(matter.key, aliases)
    found = [each for each in open_matters(desk) if present(each.key, aliases) == key]
    return next((each for each in found if each.name == matter.name), found[0] if found else None)


def lines(matter: Matter) -> str:
    """What a proposal is about, in the words of its lines."""
    return f"{_short(matter.by[1].text)} / {_short(matter.fact.text)}" if matter.by else _short(matter.fact.text)


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


def dismiss(desk: Desk, matter: Matter) -> Plan:
    """No note changes; the log is told, so that it is not proposed again until it is restored."""
    usage = get_usage(desk.vault.index().db)
    _, restored = usage.decided.get(present(matter.key, usage.aliases), (0, 0))
    if restored >= int(desk.moment.timestamp()):
        raise UsageError("it was restored a moment ago", "run the same command again in a second")
    return _decided("dismiss", f"dismissed: {lines(matter)}", matter)


def restore(matter: Matter) -> Plan:
    """No note changes; the log is told, so that what was dismissed is proposed again."""
    return _decided("restore", f"proposed again: {lines(matter)}", matter)


def _decided(op: str, told: str, matter: Matter) -> Plan:
    about = {"what": matter.what, "key": matter.key}
    return Plan((), "", (told,), about, (), ((op, matter.key, ""),))


# -- how a proposal is called --------------------------------------------------------------------------


def _named(found: Sequence[Matter]) -> list[Matter]:
    """The matters with their names: letters and digits that follow from what is proposed about which lines."""
    seen: Counter[tuple[str, ...]] = Counter()
    names = []
    for each in found:
        about = (each.what, each.path, each.fact.text, *((each.by[0], each.by[1].text) if each.by else ()))
        seen[about] += 1
        names.append(_name("\0".join((*about, str(seen[about])))))
    beginnings = Counter(name[:size] for name in names for size in range(LEAST, len(name) + 1))
    return [
        each._replace(name=name, short=next(
            (name[:size] for size in range(LEAST, len(name)) if beginnings[name[:size]] == 1), name
        ))
        for each, name in zip(found, names, strict=True)
    ]  # fmt: skip


def _name(about: str) -> str:
    """Letters and digits that no one takes for one another, a letter first: a number is a place in the list."""
    number = int.from_bytes(sha256(about.encode("utf-8", "surrogatepass")).digest()[:10], "big")
    number, at = divmod(number, len(LETTERS))
    name = LETTERS[at]
    for _ in range(11):
        number, at = divmod(number, len(LETTERS + DIGITS))
        name += (LETTERS + DIGITS)[at]
    return name


def _chosen(found: Sequence[Matter], given: str, shown: Sequence[str]) -> Matter:
    if given.isdecimal():
        number = int(given)
        if not shown:
            raise UsageError(f"no list was shown yet in which a proposal could have the number {number}", LISTED)
        if not 1 <= number <= len(shown):
            raise UsageError(f"the list as it was last shown has no proposal {number}", LISTED)
        for each in found:
            if each.name == shown[number - 1]:
                return each
        raise UsageError(
            f"proposal {number} of the list as it was last shown is no longer there", "run `aurelius review` again"
        )
    fitting = [each for each in found if each.key.lower() == given][:1]  # a copy of a note has the same ones
    fitting = fitting or [each for each in found if len(given) >= LEAST and each.name.startswith(given)]
    if len(fitting) > 1:
        raise UsageError(
            f"several proposals have keys that begin with {given}: {', '.join(each.short for each in fitting)}", LISTED
        )
    if not fitting:
        raise UsageError(f"there is no proposal {given}", LISTED)
    return fitting[0]


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
