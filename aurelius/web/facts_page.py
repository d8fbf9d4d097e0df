"""The page of a fact: what it was before, what replaced it, where it stands, how alive it is."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from aurelius import api
from aurelius.answers.references import fact_history, resolve_fact
from indexer.catalog.edges import is_reference
from indexer.catalog.lists import get_keyed, get_titles
from indexer.errors import AmbiguousNameError, NoteNotFoundError

from .call import PageAnswer
from .drawings import draw_uses, uses_by_week
from .links import PageLinks
from .notes_page import shown_facts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from aurelius.vault import Vault
    from indexer.catalog.edges import Relation

    from .call import PageCall
    from .notes_page import ShownFact

_STEPS_A_PART = 50
_WEEKS = 26
"""Weeks of which the uses are drawn."""


def show_fact(call: PageCall) -> PageAnswer:
    """The fact of an id, with the chain that it is a part of."""
    vault = call.vault
    try:
        path, key = resolve_fact(vault, call.name, private=False)
    except AmbiguousNameError as error:
        return _several(call, error)
    except NoteNotFoundError:
        told = f"There is no fact {call.name}"
        raise NoteNotFoundError(told, "the search above finds facts by their words") from None
    history = fact_history(vault, f"{path}#^{key}", private=False)
    chain = history.chains[0]
    links = PageLinks(vault)
    at = [(step.path, step.fact.key) for step in chain].index((path, key))
    here = chain[at]
    day = _asked_day(call)
    if "part" not in call.query:
        held = (number for number, step in enumerate(chain) if day and step.held(day))
        part = next(held, at) // _STEPS_A_PART + 1
        call = call._replace(query={**call.query, "part": str(part)})
    window = call.window(len(chain), _STEPS_A_PART)
    steps = chain[window.rows]
    every = shown_facts(vault, [(each.path, each.fact) for each in (here, *steps)], links)
    shown = {(each.path, each.fact.key): each for each in every}
    own = shown[path, key]
    reason = ""
    if not is_reference(own.fact.because):
        reason = links.line(path, own.fact.because)
    uses = api.use_days(vault, key)
    drawn = draw_uses(uses_by_week(uses, vault.clock.today, _WEEKS), "Uses of the last half year")
    values = {
        "here_step": here,
        "own": own._replace(fact=own.fact._replace(status=here.status)),
        "steps": [(step, shown[step.path, step.fact.key]) for step in steps],
        "window": window,
        "as_of": day,
        "titles": get_titles(vault.db, {each.path for each in every}, private=False),
        "related": _related(vault, links, history.relations.get(key, ())),
        "reason": reason,
        "uses": drawn,
    }
    return PageAnswer("fact.html", f"Fact: {own.words}", values, uses=(key,))


def _asked_day(call: PageCall) -> str:
    """The ISO day that is asked about, "" for none."""
    given = call.query.get("as_of", "")
    try:
        return date.fromisoformat(given).isoformat()
    except ValueError:
        return ""


def _related(
    vault: Vault, links: PageLinks, relations: Sequence[Relation]
) -> list[tuple[str, ShownFact]]:
    """The facts that this one has to do with, with the verb for how."""
    keys = {each.id for each in relations if each.id}
    found = get_keyed(vault.db, keys, private=False)
    known = {each.fact.key: each for each in shown_facts(vault, found, links)}
    return [(each.verb, known[each.id]) for each in relations if each.id in known]


def _several(call: PageCall, error: AmbiguousNameError) -> PageAnswer:
    """A page that leads to the facts which have the same id."""
    key = call.name.removeprefix("^")
    found = get_keyed(call.vault.db, [key], private=False)
    told = f"Several notes have a fact ^{key}"
    shown = [(path, fact) for path, fact in found if path in error.candidates]
    return PageAnswer("several.html", told, {"found": shown}, status=300)
