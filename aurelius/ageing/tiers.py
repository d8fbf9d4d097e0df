"""Tiers of facts and notes, hot, warm or cold, with the uses that they follow from: for showing; and judgments.

A judgment moves a fact's score: one that helped rises in the ranking, one that did not sinks.  No note is touched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from indexer.catalog.lists import get_facts
from indexer.catalog.tiers import ages_of_all, ages_of_notes
from indexer.search.rank import weight
from indexer.usage.log_reader import get_uses
from indexer.usage.tally import Uses
from indexer.usage.tier import TIERS, Age, age_of_fact

from . import usage_log

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from aurelius.vault import Vault
    from indexer.note import Fact


class FactRow(NamedTuple):
    """A fact with its age and the score that reinforcing and demoting gave it."""

    fact: Fact
    age: Age
    score: int


class NoteTiers(NamedTuple):
    """A note's age and that of each of its facts."""

    path: str
    age: Age
    facts: tuple[FactRow, ...]


class VaultTiers(NamedTuple):
    """How many facts, superseded ones aside, and how many notes are in each tier."""

    facts: Mapping[str, int]
    notes: Mapping[str, int]


class ScoreChange(NamedTuple):
    """A fact's score before and after, and what the new one is worth in the ranking.

    `id` is its key, `shown` that as people write it, with a caret where it is an `^id`.
    """

    path: str
    id: str
    shown: str
    before: int
    score: int
    weight: float
    last: str | None
    text: str = ""


def ages(vault: Vault, facts: Iterable[Fact]) -> dict[str, Age]:
    """Key → age of each fact."""
    return {row.fact.key: row.age for row in _rows(vault, facts)}


def of_note(vault: Vault, name: str, *, private: bool) -> NoteTiers:
    """The tiers of one note.  NoteNotFoundError, AmbiguousNameError."""
    path = vault.resolve(name, private=private)
    facts = [fact for _, fact in get_facts(vault.index().db, path, private=private)]
    return NoteTiers(path, of_notes(vault, [path], private=private)[path], _rows(vault, facts))


def of_notes(vault: Vault, paths: Iterable[str], *, private: bool) -> dict[str, Age]:
    """Path → age of each of these notes, which whoever asks may see."""
    return ages_of_notes(vault.index().db, paths, vault.clock, private=private)


def of_vault(vault: Vault, *, private: bool) -> VaultTiers:
    """The tiers of the whole vault, counted."""
    ages, counted = ages_of_all(vault.index().db, vault.clock, private=private)
    found = [age.tier for age in ages.values()]
    return VaultTiers(counted, {tier: found.count(tier) for tier in TIERS})


def counts(rows: Iterable[FactRow]) -> dict[str, int]:
    """How many facts are in each tier, superseded ones aside."""
    found = [row.age.tier for row in rows if row.fact.status != "superseded"]
    return {tier: found.count(tier) for tier in TIERS}


def judge(vault: Vault, path: str, key: str, op: str, *, dry_run: bool) -> ScoreChange:
    """Reinforce or demote the fact of that key.  ConflictError where the log cannot be written.

    To reinforce a fact is to use it as well.
    """
    uses = get_uses(vault.index().db, [key]).get(key, Uses())
    last = vault.clock.last_use(uses)
    by = vault.config.reinforce if op == "reinforce" else vault.config.demote
    events: list[usage_log.Said] = [{"op": op, "ref": key, "by": by}]
    if op == "reinforce":
        events.append({"op": "use", "ref": key, "via": op})
        last = vault.clock.today
    if not dry_run:
        usage_log.append(vault, events)
    score = uses.score + (by if op == "reinforce" else -by)
    own = next((fact for _, fact in get_facts(vault.index().db, path, private=True) if fact.key == key), None)
    shown, text = (f"^{key}" if own and own.id else key), own.text if own else ""
    return ScoreChange(path, key, shown, uses.score, score, weight(score), last.isoformat() if last else None, text)


def _rows(vault: Vault, facts: Iterable[Fact]) -> tuple[FactRow, ...]:
    facts = list(facts)
    uses = get_uses(vault.index().db, {fact.key for fact in facts})
    known = [(fact, uses.get(fact.key, Uses())) for fact in facts]
    return tuple(FactRow(fact, age_of_fact(fact, each, vault.clock), each.score) for fact, each in known)
